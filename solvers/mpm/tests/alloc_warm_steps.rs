//! A warm step with contacts, pins, corners and edges makes no heap allocation on one thread.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

use signorini_core::ContactMaterial;
use signorini_core::na::{Isometry3, Vector3};
use signorini_geometry::Shape;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Cloth, ClothMaterial, FixedCorotated, Lame, MpmEngine, MpmOptions, Obstacle, Particles, Pin, Real,
    TouchPart, sheet,
};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

type V = Vector3<f64>;

/// Spacing of the grid, height of the sheet \[m\].
const H: f64 = 0.05;
const HEIGHT: f64 = 0.5;
/// Step \[s\].
const DT: f64 = 5e-4;

/// A block of six cells a side that slides to rest on a floor, a pinned sheet over it that lies on a box.
fn scene<T: Real>(transfer_time: f64) -> MpmEngine<T> {
    let surface = ContactMaterial { stiction_speed: 1e-3, ..ContactMaterial::compliant(2e3, 1.0, 0.5) };
    let floor = Shape::Box { half_extents: V::new(1.0, 1.0, 0.1) };
    let frame = Shape::Sphere { radius: 0.1 };
    let obstacles = vec![
        Obstacle::new("floor", floor, Isometry3::translation(0.0, 0.0, -0.1), surface),
        Obstacle::new("frame", frame, Isometry3::translation(0.0, 0.0, 5.0), surface),
        Obstacle::new(
            "box",
            Shape::Box { half_extents: V::repeat(0.06) },
            Isometry3::translation(0.0, 0.0, HEIGHT - 0.06),
            surface,
        ),
    ];
    let mut p = Particles::default();
    let block = Shape::Box { half_extents: V::repeat(3.0 * H) };
    p.fill(&block, &Isometry3::translation(0.0, 0.0, 2.75 * H), 0.5 * H, 500.0, 0).unwrap();
    p.v.iter_mut().for_each(|v| v.x = 0.01);
    let mesh = sheet([8.0 * H; 2], [8; 2]).unwrap();
    let raised: Vec<_> = mesh.vertices().iter().map(|x| x + HEIGHT * V::z()).collect();
    let material = ClothMaterial::new(1e6, 0.3, 1e3, 1e-3).unwrap();
    let cloth = Cloth::new(&mut p, &raised, mesh.triangles(), material).unwrap();
    let rim = |v: &usize| p.x[*v].xy().amax() > 3.9 * H;
    let pins = Pin::all(&p, cloth.vertices().filter(rim), Some(1), &obstacles).unwrap();
    let rubber = FixedCorotated(Lame::new(1e5, 0.3).unwrap());
    let options = MpmOptions { spacing: H, damping_time: 5e-3, transfer_time, ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    MpmEngine::new(p, vec![Box::new(rubber)], vec![], obstacles, law, options)
        .unwrap()
        .with_cloth(cloth)
        .unwrap()
        .with_pins(pins)
        .unwrap()
}

fn check<T: Real>(transfer_time: f64) {
    let mut engine = scene::<T>(transfer_time);
    let counts: Vec<u64> = (0..300)
        .map(|_| {
            allocations(|| {
                engine.step(DT).unwrap();
            })
        })
        .collect();
    let met = |is: fn(&TouchPart) -> bool| engine.touches().iter().filter(|t| is(&t.part)).count();
    assert!(met(|p| matches!(p, TouchPart::Particle)) > 100, "the block lies on the floor");
    assert!(met(|p| !matches!(p, TouchPart::Particle)) > 10, "the sheet lies on the box");
    assert!(!engine.holds().is_empty(), "pins hold the sheet");
    assert!(counts[0] > 0, "the first step grows the storage");
    assert!(counts[250..].iter().all(|c| *c == 0), "{transfer_time}: {counts:?}");
}

/// Threads that share the work may have room of their own: here there is one.
#[test]
fn alloc_warm_steps_are_free_of_allocations() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        check::<f64>(0.0);
        check::<f32>(0.02);
    });
}
