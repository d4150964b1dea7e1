//! Bodies that meet over areas: nothing passes, whatever the speed and the step; results do not depend on order or threads.

use proptest::prelude::*;
use signorini_core::na::{Translation3, UnitQuaternion, Vector3};
use signorini_core::{NoObserver, State};
use signorini_run::Method;
use signorini_scene::{Hydroelastic, Pose, Scene, SceneBuilder};
use signorini_testkit::rng::Rng;

/// Kinetic energy of a throw in parts of modulus times volume: bodies are stiff enough to be stopped.
const STIFF: f64 = 0.01;

fn compliant(modulus: f64) -> Hydroelastic {
    Hydroelastic::compliant(modulus)
}

fn turned(rng: &mut Rng) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(rng.uniform(0.0, 3.0) * Vector3::from(rng.vector::<3>()).normalize())
}

/// A geom of a random kind, its volume and its shortest side \[m³, m\].
fn geom(rng: &mut Rng, b: SceneBuilder) -> (SceneBuilder, f64, f64) {
    use std::f64::consts::PI;
    let [x, y, z] = [0; 3].map(|_| rng.uniform(0.02, 0.06));
    match rng.below(5) {
        0 => (b.sphere(x), 4.0 / 3.0 * PI * x.powi(3), 2.0 * x),
        1 => (b.cuboid([x, y, z]), 8.0 * x * y * z, 2.0 * x.min(y).min(z)),
        2 => (b.capsule(x, y), PI * x * x * (2.0 * y + 4.0 / 3.0 * x), 2.0 * x),
        3 => (b.cylinder(x, y), PI * x * x * 2.0 * y, 2.0 * x.min(y)),
        _ => (b.ellipsoid([x, y, z]), 4.0 / 3.0 * PI * x * y * z, 2.0 * x.min(y).min(z)),
    }
}

/// What a body is thrown at.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// A rigid plate of 10 mm.
    Plate,
    /// A compliant one.
    Soft,
    /// A body of its own kind that floats.
    Body,
}

/// A body of a kilogramme flies along −z at a speed; the scene, its velocity.
fn throw(rng: &mut Rng, target: Target, speed: f64) -> (Scene, [f64; 6]) {
    let b = SceneBuilder::new("throw").gravity([0.0; 3]);
    let mut volume = f64::INFINITY;
    let b = match target {
        Target::Plate => b.cuboid([0.5, 0.5, 0.005]).hydroelastic(Hydroelastic::rigid()),
        Target::Soft => b.cuboid([0.5, 0.5, 0.02]),
        Target::Body => {
            let b = b.body("target").rotated(turned(rng)).free_joint();
            let (b, own, _) = geom(rng, b);
            volume = own;
            b.mass(1.0)
        }
    };
    let soft = |b: SceneBuilder, modulus: f64| {
        b.geom_with(|g| {
            if g.surface.hydroelastic == Hydroelastic::Point {
                g.surface.hydroelastic = compliant(modulus);
            }
        })
    };
    let b = b.friction(0.3);
    let make = |b: SceneBuilder, rng: &mut Rng| {
        let height = rng.uniform(0.15, 0.4);
        let b = b.body("thrown").at([0.0, 0.0, height]).rotated(turned(rng)).free_joint();
        geom(rng, b)
    };
    let modulus = |volume: f64| 0.5 * speed * speed / (STIFF * volume);
    // The volume of the thrown body is not known before it is made.
    let mut again = rng.clone();
    let (_, own, _) = make(SceneBuilder::new("probe"), &mut again);
    let b = soft(b, modulus(own.min(volume)));
    let (b, _, _) = make(b, rng);
    let b = b.mass(1.0).friction(0.3).hydroelastic(compliant(modulus(own.min(volume))));
    let spin = 20.0 * Vector3::from(rng.vector::<3>()).normalize() * rng.uniform(0.0, 1.0);
    let scene = b.build().unwrap();
    (scene, [0.0, 0.0, -speed, spin.x, spin.y, spin.z])
}

#[test]
fn property_nothing_passes() {
    let methods =
        [Method::icf().with_step(1e-2), Method::cenic(1e-1), Method::cenic(1e-2), Method::cenic(1e-3)];
    for seed in 0..std::env::var("THROWS").map_or(40, |n| n.parse().unwrap()) {
        for target in [Target::Plate, Target::Soft, Target::Body] {
            let mut rng = Rng::new(seed);
            let speed = rng.log_uniform(1.0, 20.0);
            let (scene, v) = throw(&mut rng, target, speed);
            for method in &methods {
                let mut sys = method.system(&scene).unwrap();
                let mut x = sys.initial_state(None).unwrap();
                let n = x.v.len();
                x.v[n - 6..].copy_from_slice(&v);
                let time = 1.0 / speed;
                let r = method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver);
                let n = x.q.len();
                let other = if n > 7 { x.q[2] } else { 0.0 };
                let (ahead, along) =
                    (x.q[n - 5] - other, x.v[x.v.len() - 4] - if n > 7 { x.v[2] } else { 0.0 });
                if r.is_err() || ahead < 0.0 || along < -0.05 * speed {
                    println!(
                        "{seed} {target:?} {speed:.2} {}: {ahead:.4} {along:.4} {:?} {:?}",
                        method.describe(),
                        r.err(),
                        scene.geoms.iter().map(|g| format!("{:?}", g.shape)).collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}
