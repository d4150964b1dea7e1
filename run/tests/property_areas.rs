//! Bodies that meet over areas do not pass each other, whatever the speed and the step.

use proptest::prelude::*;
use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_run::names::law;
use signorini_run::{Method, run};
use signorini_scene::{Hydroelastic, Scene, SceneBuilder};
use signorini_testkit::rng::Rng;

/// Kinetic energy of a throw in parts of modulus times volume: bodies are stiff enough to be stopped.
const STIFF: f64 = 0.01;
/// Largest gravity \[m/s²\].
const GRAVITY: f64 = 20.0;

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
    /// A compliant one of 10 mm, ten times as stiff as the body.
    Thin,
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
        Target::Thin => b.cuboid([0.5, 0.5, 0.005]),
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
    let modulus = |volume: f64| (0.5 * speed * speed + GRAVITY * 0.5) / (STIFF * volume);
    // The volume of the thrown body is not known before it is made.
    let mut again = rng.clone();
    let (_, own, _) = make(SceneBuilder::new("probe"), &mut again);
    let stiffer = if matches!(target, Target::Thin) { 10.0 } else { 1.0 };
    let b = soft(b, stiffer * modulus(own.min(volume)));
    let (b, _, _) = make(b, rng);
    let b = b.mass(1.0).friction(0.3).hydroelastic(compliant(modulus(own.min(volume))));
    let spin = 20.0 * Vector3::from(rng.vector::<3>()).normalize() * rng.uniform(0.0, 1.0);
    // Gravity makes the way of a flight no part of its time.
    let gravity = if rng.chance(0.5) { 0.0 } else { rng.uniform(0.0, GRAVITY) };
    let scene = b.gravity([0.0, 0.0, -gravity]).build().unwrap();
    (scene, [0.0, 0.0, -speed, spin.x, spin.y, spin.z])
}

/// Throws a body of one seed, and tells what passed.
fn passes(seed: u64, target: Target, method: &Method) -> Result<(), String> {
    let mut rng = Rng::new(seed);
    let speed = rng.log_uniform(1.0, 20.0);
    let (scene, v) = throw(&mut rng, target, speed);
    let mut sys = method.system(&scene).map_err(|e| e.to_string())?;
    let mut x = sys.initial_state(None).map_err(|e| e.to_string())?;
    let n = x.v.len();
    x.v[n - 6..].copy_from_slice(&v);
    let (recording, _) = run(&scene, method, &mut x, 1.0 / speed).map_err(|e| e.to_string())?;
    // A step of 10 ms without friction may go half through, and says so.
    let told =
        method.law_name() != "lagged" && recording.header.warnings.iter().any(|w| w.starts_with("depth"));
    let at = |body: usize| Vector3::from_column_slice(&x.q[7 * body..7 * body + 3]);
    let last = x.q.len() / 7 - 1;
    let between = at(last) - if last > 0 { at(0) } else { Vector3::zeros() };
    // A body may turn about another that floats; it was thrown at its middle.
    let aside = between.xy().norm() > 0.02 && matches!(target, Target::Body);
    match between.z > 0.0 || aside || method.dt().is_some() && told {
        true => Ok(()),
        false => Err(format!("{target:?} at {speed:.2} m/s under {}: {between:?}", method.describe())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Whatever the shape, the speed and the spin, under loose accuracies and steps of 10 ms in which a body goes twice its length.
    #[test]
    fn property_nothing_passes(seed in any::<u64>()) {
        let of = |name: &str, method: Method| method.with_law(law(name, false).unwrap()).unwrap();
        for target in [Target::Plate, Target::Soft, Target::Thin, Target::Body] {
            for method in [
                Method::icf().with_step(1e-2),
                of("similar", Method::icf()).with_step(1e-2),
                of("frictionless", Method::icf()).with_step(1e-2),
                Method::cenic(1e-1),
                Method::cenic(1e-2),
                of("similar", Method::cenic(1e-3)),
                Method::cenic(1e-3),
            ] {
                // Fixed steps of 10 ms and a law of cones bury a body in a thin plate.
                let controlled = method.dt().is_none() && method.law_name() == "lagged";
                if matches!(target, Target::Thin) && !controlled {
                    continue;
                }
                let passed = passes(seed, target, &method);
                prop_assert!(passed.is_ok(), "{passed:?}");
            }
        }
    }
}
