//! Contacts without a normal of their own: points on points, edges along edges, corners on corners, edges inside a face, cliffs.

use std::f64::consts::FRAC_PI_4;

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

fn run(
    name: &str,
    low: &TriangleMesh,
    high: &TriangleMesh,
    pose: Isometry3<f64>,
    velocity: Vector3<f64>,
) -> State {
    let body = |m: &TriangleMesh| AffineBody::solid(name, m, 1000.0).unwrap().with_friction(0.3);
    let bodies = vec![(body(low).held(), Isometry3::identity()), (body(high), pose)];
    let mut s = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let mut x = s.initial_state();
    x.v[..3].copy_from_slice(velocity.as_slice());
    let tolerance = Tolerance { relative: 1e-4, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let mut next = State::default();
    for k in 0..60 {
        let report = step.step(&mut s, &x, 0.01, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0, "{name}, step {k}");
        std::mem::swap(&mut x, &mut next);
    }
    let seen = s.observed();
    assert!(seen.crossing.is_none() && seen.nearest.is_some(), "{name}: they met and do not cross: {seen:?}");
    assert!(seen.smallest_distance > 0.0 && seen.smallest_determinant > 0.9, "{name}: {seen:?}");
    x
}

#[test]
fn property_contacts_without_a_normal() {
    let cube = TriangleMesh::cuboid(&Vector3::repeat(0.05)).unwrap();
    let over = |z: f64| Isometry3::translation(0.0, 0.0, z);
    let upside_down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let flipped = |z: f64, yaw: f64| {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw) * upside_down;
        Isometry3::from_parts(Translation3::new(0.0, 0.0, z), turn)
    };
    let edge =
        Isometry3::new(Vector3::new(0.0, 0.0, 0.05 + 0.05 * 2f64.sqrt() + 2e-3), Vector3::x() * FRAC_PI_4);
    let still = Vector3::zeros();
    run(
        "point on point",
        &TriangleMesh::spike(0.05, 0.2).unwrap(),
        &TriangleMesh::spike(0.05, 0.2).unwrap(),
        flipped(0.402, 0.0),
        still,
    );
    run(
        "edge along edge",
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        flipped(0.202, 0.0),
        still,
    );
    run(
        "edge nearly along edge",
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        flipped(0.202, 1e-3),
        still,
    );
    run(
        "edge across edge",
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        flipped(0.202, 1.5),
        still,
    );
    run(
        "point on edge",
        &TriangleMesh::wedge(0.05, 0.1).unwrap(),
        &TriangleMesh::spike(0.05, 0.2).unwrap(),
        flipped(0.302, 0.3),
        still,
    );
    run("cube on point", &TriangleMesh::spike(0.05, 0.2).unwrap(), &cube, over(0.252), still);
    run("cube on cube, all edges in line", &cube, &cube, over(0.102), still);
    run("cube by its edge on a cube", &cube, &cube, edge, still);
    // Half of it stands over the cliff.
    run("cliff", &cube, &cube, Isometry3::translation(0.05, 0.0, 0.1008), still);
}

#[test]
fn property_edges_inside_a_face_do_not_stop_a_slide() {
    let cube = TriangleMesh::cuboid(&Vector3::new(0.05, 0.04, 0.03)).unwrap();
    let pose = Isometry3::translation(-0.3, 0.013, 0.03095);
    let x = run("tiles", &TriangleMesh::tiles(8, 0.1).unwrap(), &cube, pose, Vector3::new(1.5, 0.0, 0.0));
    // μ = 0.3: 1.5²/(2 · 0.3 · 9.81) = 0.38 m, half a step less; over four edges across and their diagonals, which take 3 % of the way.
    let way = x.q[0] + 0.3;
    assert!((way - (0.382 - 0.5 * 1.5 * 0.01)).abs() < 0.05 * 0.382, "{way}");
    assert!((x.q[1] - 0.013).abs() < 5e-3 && x.q[2] < 0.0315, "{:?}", &x.q[..3]);
}
