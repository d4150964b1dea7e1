//! Scenes of the Midas paper in small: a beam into a notch that hardly leaves room, and the force that it takes to hold a cube.

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver, Joint, JointKind};

/// Drops a beam of the given thickness over the notch; how deep it is after 0.3 s, and the smallest distance on the way \[m\].
fn insertion(thickness: f64, range: f64, stiffness: f64) -> (f64, f64) {
    let clearance = 0.01 - thickness;
    let notched = TriangleMesh::notched_beam([0.5, 0.01, 0.1], [0.01, 0.05]).unwrap();
    let low = AffineBody::solid("notched", &notched, 2700.0).unwrap().held().with_friction(0.5);
    // 0.5 × 0.1 × 0.01 less the notch.
    assert!((low.volume - (0.5 * 0.1 - 0.01 * 0.05) * 0.01).abs() < 1e-15);
    let beam = TriangleMesh::cuboid(&Vector3::new(0.5 * thickness, 0.25, 0.05)).unwrap();
    let beam = AffineBody::solid("beam", &beam, 2700.0).unwrap().with_friction(0.5);
    // 2 mm above the mouth, 40 % of the clearance to the side.
    let start = Isometry3::translation(0.4 * clearance, 0.0, 0.152);
    let options = IpcOptions { range, stiffness, ..IpcOptions::default() };
    let mut s = AffineSystem::new(vec![(low, Isometry3::identity()), (beam, start)], &[], options).unwrap();
    let tolerance = Tolerance { relative: 1e-4, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (s.initial_state(), State::default());
    for k in 0..60 {
        let report = step.step(&mut s, &x, 5e-3, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0, "step {k}");
        std::mem::swap(&mut x, &mut next);
    }
    let seen = s.observed();
    assert!(seen.crossing.is_none() && seen.smallest_distance > 0.0, "{seen:?}");
    (0.15 - x.q[2], seen.smallest_distance)
}

#[test]
fn analytic_beams_go_in() {
    for (thickness, range, stiffness) in [
        (0.005, 1e-4, 1e13),
        (0.009, 1e-4, 1e13),
        (0.0099, 2e-5, 1e15),
        (0.0099, 1e-5, 1e16),
        (0.0099, 1e-7, 1e22),
    ] {
        let (depth, least) = insertion(thickness, range, stiffness);
        println!(
            "thickness {thickness}, range {range:e}: {depth:.5} m deep, smallest distance {least:.1e} m"
        );
        // To the ground of the notch, but for the range of the barrier.
        assert!((depth - 0.05).abs() < 2.0 * range + 1e-6, "thickness {thickness}, range {range:e}: {depth}");
    }
}

/// Speed at which a cube falls out between two jaws that press with a part of m g/(2 μ), after 0.3 s \[m/s\].
fn slip(density: f64, friction: f64, part: f64) -> f64 {
    let body = |name: &str, half: f64, depth: f64| {
        let mesh = TriangleMesh::cuboid(&Vector3::new(depth, half, half)).unwrap();
        AffineBody::solid(name, &mesh, density).unwrap().with_friction(friction)
    };
    let cube = body("cube", 0.02, 0.02);
    let force = part * cube.mass * 9.81 / (2.0 * friction);
    // To the side, so that diagonals of faces, which are edges too, stay further apart than the range while the cube slides by millimetres.
    let gap = 0.02 + 0.01 + 8e-4;
    let bodies = vec![
        (body("base", 0.01, 0.01).held(), Isometry3::translation(0.0, 0.2, 0.0)),
        (body("left", 0.03, 0.01), Isometry3::translation(-gap, 0.008, 0.0)),
        (body("right", 0.03, 0.01), Isometry3::translation(gap, 0.008, 0.0)),
        (cube, Isometry3::identity()),
    ];
    let rail = |name: &str, b: usize| Joint::new(name, [0, b], JointKind::Sliding { axis: Vector3::x() });
    let joints = [rail("left", 1), rail("right", 2)];
    let options = IpcOptions { stiction_speed: 1e-3, friction_passes: 20, ..IpcOptions::default() };
    let mut s = AffineSystem::articulated(bodies, &joints, &[[1, 2]], options).unwrap();
    let tolerance = Tolerance { relative: 1e-6, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (s.initial_state(), State::default());
    // Held fast at first.
    for (times, steps) in [(2.0 / part, 20), (1.0, 60)] {
        for (jaw, way) in [(1, 1.0), (2, -1.0)] {
            s.push(jaw, Vector3::new(way * times * force, 0.0, 0.0), Vector3::zeros()).unwrap();
        }
        for _ in 0..steps {
            step.step(&mut s, &x, 5e-3, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
        }
    }
    -x.v[s.coordinates_of(3).unwrap() + 2]
}

#[test]
fn analytic_force_of_a_grip() {
    // m g/(2 μ): twice the mass takes twice the force, half the friction too.
    for (density, friction) in [(500.0, 0.5), (1000.0, 0.5), (2000.0, 0.5), (1000.0, 0.25), (1000.0, 1.0)] {
        let (less, more) = (slip(density, friction, 0.98), slip(density, friction, 1.02));
        // 2 % of gravity for 0.3 s is 0.06 m/s, less while the jaws settle; a held body creeps below ε_v = 1e-3 m/s.
        assert!(less > 0.01, "density {density}, friction {friction}: {less:e} m/s at 98 %");
        assert!(more < 1e-3, "density {density}, friction {friction}: {more:e} m/s at 102 %");
    }
}
