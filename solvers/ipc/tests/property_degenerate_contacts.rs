//! Contacts without a normal of their own: points on points, edges along edges, corners on corners, edges inside a face, cliffs.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::f64::consts::FRAC_PI_4;

use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};

/// A spike: a square base at z = 0 and a point at z = 0.2.
fn spike() -> TriangleMesh {
    let corners =
        [[-0.05, -0.05, 0.0], [0.05, -0.05, 0.0], [0.05, 0.05, 0.0], [-0.05, 0.05, 0.0], [0.0, 0.0, 0.2]];
    let points = corners.into_iter().map(Point3::from).collect();
    TriangleMesh::new(points, vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]).unwrap()
}

/// A wedge: the same base, and an edge along y at z = 0.1.
fn wedge() -> TriangleMesh {
    let corners = [
        [-0.05, -0.05, 0.0],
        [0.05, -0.05, 0.0],
        [0.05, 0.05, 0.0],
        [-0.05, 0.05, 0.0],
        [0.0, -0.05, 0.1],
        [0.0, 0.05, 0.1],
    ];
    let points = corners.into_iter().map(Point3::from).collect();
    let triangles =
        vec![[0, 2, 1], [0, 3, 2], [0, 1, 4], [2, 3, 5], [1, 2, 5], [1, 5, 4], [3, 0, 4], [3, 4, 5]];
    TriangleMesh::new(points, triangles).unwrap()
}

/// A floor of many triangles: 8 × 8 squares and a flat underside.
fn tiles() -> TriangleMesh {
    let n = 8u32;
    let at = |i: u32, z: f64| {
        let (x, y) = (i % (n + 1), i / (n + 1));
        Point3::new(0.1 * f64::from(x) - 0.4, 0.1 * f64::from(y) - 0.4, z)
    };
    let count = (n + 1) * (n + 1);
    let points = (0..count).map(|i| at(i, 0.0)).chain((0..count).map(|i| at(i, -0.1))).collect();
    let mut triangles = Vec::new();
    for i in (0..count).filter(|i| i % (n + 1) < n && i / (n + 1) < n) {
        let [a, b, c, d] = [i, i + 1, i + n + 2, i + n + 1];
        triangles.extend([[a, b, c], [a, c, d]]);
        triangles.extend([[a + count, c + count, b + count], [a + count, d + count, c + count]]);
    }
    for k in 0..n {
        for (a, b) in [
            (k, k + 1),
            ((n + 1) * (k + 1) - 1, (n + 1) * (k + 2) - 1),
            (count - 1 - k, count - 2 - k),
            ((n + 1) * (k + 1), (n + 1) * k),
        ] {
            triangles.extend([[a, a + count, b + count], [a, b + count, b]]);
        }
    }
    TriangleMesh::new(points, triangles).unwrap()
}

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
    run("point on point", &spike(), &spike(), flipped(0.402, 0.0), still);
    run("edge along edge", &wedge(), &wedge(), flipped(0.202, 0.0), still);
    run("edge nearly along edge", &wedge(), &wedge(), flipped(0.202, 1e-3), still);
    run("edge across edge", &wedge(), &wedge(), flipped(0.202, 1.5), still);
    run("point on edge", &wedge(), &spike(), flipped(0.302, 0.3), still);
    run("cube on point", &spike(), &cube, over(0.252), still);
    run("cube on cube, all edges in line", &cube, &cube, over(0.102), still);
    run("cube by its edge on a cube", &cube, &cube, edge, still);
    // Half of it stands over the cliff.
    run("cliff", &cube, &cube, Isometry3::translation(0.05, 0.0, 0.1008), still);
}

#[test]
fn property_edges_inside_a_face_do_not_stop_a_slide() {
    let cube = TriangleMesh::cuboid(&Vector3::new(0.05, 0.04, 0.03)).unwrap();
    let pose = Isometry3::translation(-0.3, 0.013, 0.03095);
    let x = run("tiles", &tiles(), &cube, pose, Vector3::new(1.5, 0.0, 0.0));
    // μ = 0.3: 1.5²/(2 · 0.3 · 9.81) = 0.38 m, half a step less; over four edges across and their diagonals, which take 3 % of the way.
    let way = x.q[0] + 0.3;
    assert!((way - (0.382 - 0.5 * 1.5 * 0.01)).abs() < 0.05 * 0.382, "{way}");
    assert!((x.q[1] - 0.013).abs() < 5e-3 && x.q[2] < 0.0315, "{:?}", &x.q[..3]);
}
