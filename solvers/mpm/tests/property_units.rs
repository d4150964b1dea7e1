//! No number has a scale of its own: points in other units of length, mass and time move alike, in both paths.
//!
//! Units are powers of 2¹², so that a run in them is that in others, bit for bit but for functions that are no products.

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactMaterial, OneStep};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, Cloth, ClothMaterial, Dilatancy, DruckerPrager, FixedCorotated, InertialFriction, Lame,
    LinearCorotated, Liquid, Material, Maxwell, MpmEngine, MpmOptions, MpmSolver, MpmSystem, Obstacle,
    Particles, Pin, Snow, SnowStrength, Viscous, VonMises, Wall, sheet,
};
use signorini_testkit::units::{SCALES, Units};

#[derive(Clone, Debug)]
struct Family {
    velocity: [f64; 3],
    turn: [f64; 3],
    friction: f64,
    transfer_time: f64,
    pinned: bool,
}

fn family() -> impl Strategy<Value = Family> {
    let within = |a: f64| prop::array::uniform3(-a..a);
    (within(0.5), within(0.5), 0.1..0.9, prop::sample::select(vec![0.0, 0.02]), any::<bool>()).prop_map(
        |(velocity, turn, friction, transfer_time, pinned)| Family {
            velocity,
            turn,
            friction,
            transfer_time,
            pinned,
        },
    )
}

fn material(which: usize, u: &Units) -> Box<dyn Material> {
    let pa = u.pressure();
    let lame = Lame::new(3e4 * pa, 0.3).unwrap();
    let rate = InertialFriction {
        limit_angle: 0.7,
        inertial_number: 0.3,
        diameter: 2e-3 * u.length,
        density: 2500.0 * u.density(),
    };
    let strength = SnowStrength { compression: 2e3 * pa, cohesion: 1.0, friction: 1.2, hardening: 5.0 };
    match which {
        0 => Box::new(FixedCorotated(lame)),
        1 => Box::new(LinearCorotated(lame)),
        2 => Box::new(VonMises::new(lame, 500.0 * pa).unwrap()),
        3 => Box::new(DruckerPrager::new(lame, 0.5).unwrap()),
        4 => {
            let sand = DruckerPrager::new(lame, 0.5).unwrap().with_rate(rate).unwrap();
            Box::new(sand.with_dilatancy(Dilatancy { angle: 0.2, expansion: 0.05 }).unwrap())
        }
        5 => Box::new(Snow::new(lame, strength).unwrap()),
        6 => Box::new(Maxwell::new(1e4 * pa, 0.02 * u.time).unwrap()),
        _ => Box::new(Viscous::new(Liquid::new(3e4 * pa).unwrap(), pa * u.time, 0.0).unwrap()),
    }
}

/// Places in m, and the iterations, of a block and a sheet that fall on a floor that rubs, a ball that comes and a box, in the plain path and in the fast one.
fn runs(f: &Family, which: usize, u: &Units) -> [(Vec<Vector3<f64>>, u64); 2] {
    let (l, h) = (u.length, 0.04 * u.length);
    let mut p = Particles::default();
    let block = Shape::Box { half_extents: Vector3::new(0.06, 0.04, 0.04) * l };
    // Just above the floor, whatever its turn.
    let pose = Isometry3::new(Vector3::new(0.0, 0.0, 0.085) * l, Vector3::from(f.turn));
    p.fill(&block, &pose, 0.5 * h, 1000.0 * u.density(), 0).unwrap();
    let solid = p.len();
    let mesh = sheet([0.16 * l; 2], [8; 2]).unwrap();
    let fabric = ClothMaterial::new(1e5 * u.pressure(), 0.3, 800.0 * u.density(), 2e-3 * l)
        .unwrap()
        .with_bending(1e-4 * u.pressure() * l.powi(3))
        .unwrap();
    let x: Vec<_> = mesh.vertices().iter().map(|x| x + Vector3::new(0.0, 0.0, 0.2) * l).collect();
    let cloth = Cloth::new(&mut p, &x, mesh.triangles(), fabric).unwrap();
    p.v.fill((Vector3::from(f.velocity) - 0.8 * Vector3::z()) * u.speed());
    let surface = ContactMaterial {
        stiction_speed: 1e-3 * u.speed(),
        ..ContactMaterial::compliant(2e3 * u.spring(), 1.0 / u.speed(), f.friction)
    };
    let mut ball = Obstacle::new(
        "ball",
        Shape::Sphere { radius: 0.05 * l },
        Isometry3::translation(0.12 * l, 0.0, 0.06 * l),
        surface,
    );
    ball.velocity = Vector3::new(-0.5, 0.0, 0.0) * u.speed();
    // In the way of the sheet, with some corner or edge.
    let cuboid = Shape::Box { half_extents: Vector3::new(0.02, 0.015, 0.01) * l };
    let at = Isometry3::new(Vector3::new(0.03, 0.02, 0.17) * l, 3.0 * Vector3::from(f.turn));
    let sharp = Obstacle::new("box", cuboid, at, surface);
    let floor = Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), surface);
    let wall = Wall {
        point: Vector3::new(0.0, -0.1, 0.0) * l,
        normal: Vector3::y(),
        border: Border::Rubbing { friction: 0.3 },
    };
    let options = MpmOptions {
        spacing: h,
        gravity: Vector3::new(0.0, 0.0, -9.81) * u.speed() / u.time,
        damping_time: 0.1 * u.time,
        transfer_time: f.transfer_time * u.time,
        ..MpmOptions::default()
    };
    let pins = if f.pinned { Pin::all(&p, solid..solid + 3, None, &[]).unwrap() } else { Vec::new() };
    let law = || contact_pool("lagged").unwrap();
    let (materials, obstacles) = (|| vec![material(which, u)], vec![floor, ball, sharp]);
    let (dt, steps) = (5e-4 * u.time, 160);
    let mut slow =
        MpmSystem::new(p.clone(), materials(), vec![wall], obstacles.clone(), law(), options).unwrap();
    slow = slow.with_cloth(cloth.clone()).unwrap().with_pins(pins.clone()).unwrap();
    let mut step = ContactStep::new(MpmSolver::default());
    let (mut x, mut next) = (slow.initial_state(), slow.initial_state());
    let mut fast = MpmEngine::<f64>::new(p, materials(), vec![wall], obstacles, law(), options).unwrap();
    fast = fast.with_cloth(cloth).unwrap().with_pins(pins).unwrap();
    let mut work = [0, 0];
    for _ in 0..steps {
        let r = step.step(&mut slow, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        work[0] += u64::from(r.stats.iterations);
        work[1] += u64::from(fast.step(dt).unwrap().stats.iterations);
    }
    let meters = |x: &[Vector3<f64>]| x.iter().map(|x| x / l).collect();
    [(meters(&slow.particles(&x).unwrap().x), work[0]), (meters(&fast.particles().x), work[1])]
}

fn unit() -> impl Strategy<Value = f64> {
    prop::sample::select(&SCALES[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    #[test]
    fn property_points_move_alike_in_all_units(f in family(), length in unit(), mass in unit(), time in unit()) {
        let u = Units { length, mass, time };
        for which in 0..8 {
            let [own, other] = [runs(&f, which, &Units::SI), runs(&f, which, &u)];
            for (path, (a, b)) in ["plain", "fast"].iter().zip(own.iter().zip(&other)) {
                let off = a.0.iter().zip(&b.0).map(|(x, y)| (x - y).amax()).fold(0.0, f64::max);
                // Powers and roots are within a bit, which contact and flow make larger.
                prop_assert!(off < 1e-9, "{which}, {path}: off by {off:e} m in {u:?}");
                prop_assert!(a.1 > 20 && a.1.abs_diff(b.1) <= a.1 / 10, "{which}, {path}: {} and {} iterations", a.1, b.1);
            }
        }
    }
}
