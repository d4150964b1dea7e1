//! Systems of affine bodies through the conformance suite of the testkit: differences of the value against the gradient, mollifier on, included.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ProblemError, State, System};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions};

fn two_cubes(turn: Vector3<f64>, height: f64, friction: f64, options: IpcOptions) -> AffineSystem {
    let mesh = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let cube = |name: &str| AffineBody::solid(name, &mesh, 1000.0).unwrap().with_friction(friction);
    let above = Isometry3::new(Vector3::new(0.011, 0.023, height), turn);
    AffineSystem::new(
        vec![(cube("low"), Isometry3::translation(0.0, 0.0, 0.0)), (cube("high"), above)],
        &[],
        options,
    )
    .unwrap()
}

/// Touching, at a closing speed that the barrier feels.
fn moving(system: &AffineSystem) -> State {
    let mut x = system.initial_state();
    x.v.iter_mut().enumerate().for_each(|(i, v)| *v = 0.1 * (i as f64 + 1.0).sin());
    x.v[14] = -0.2;
    x
}

#[test]
fn conformance_two_cubes() {
    let quarter = std::f64::consts::FRAC_PI_4;
    for (name, turn, height) in [
        ("face to face", Vector3::zeros(), 0.2004),
        // Within the mollifier's range of sin² = 1e-3.
        ("nearly parallel edges", Vector3::new(1e-4, -2e-4, 0.01), 0.2005),
        ("edge on face", Vector3::new(quarter, 0.0, 0.0), 0.1 + 0.1 * 2f64.sqrt() + 4e-4),
        ("apart", Vector3::new(0.3, 0.2, 0.1), 1.0),
    ] {
        for (friction, separation) in [(0.0, 0.0), (0.5, 0.0), (0.5, 1e-4)] {
            // Soft enough that differences see the barrier and the rest together.
            let options =
                IpcOptions { stiffness: 1e9, separation, orthogonality: 1e6, ..IpcOptions::default() };
            let mut make = || -> Result<Box<dyn System>, ProblemError> {
                Ok(Box::new(two_cubes(turn, height, friction, options)))
            };
            let system = two_cubes(turn, height, friction, options);
            let outcome = signorini_testkit::system::conformance(&mut make, &moving(&system), 1e-3);
            assert!(outcome.is_ok(), "{name}, friction {friction}, separation {separation}: {outcome:?}");
        }
    }
}
