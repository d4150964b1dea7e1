//! One step of affine bodies against `oracles/ipc/step_oracle.npz`.

use crate::common;

use std::collections::HashMap;

use signorini_core::na::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use signorini_core::{OneStep, State, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions};
use signorini_reference::ReferenceSolver;

use common::archive;

fn pose(q: &[f64]) -> Isometry3<f64> {
    let r = Matrix3::from_fn(|r, c| q[3 + 3 * r + c]);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r));
    Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), rotation)
}

/// Runs a case; returns the largest error of a coordinate times the size of the body \[m\], over that size.
fn error(data: &HashMap<String, Vec<f64>>, case: &str) -> f64 {
    let of = |what: &str| &data[&format!("{case}_{what}")];
    let [dt, range, stiffness, friction, stiction_speed, orthogonality, steps] = of("par")[..] else {
        panic!("{case}: parameters")
    };
    let (mut points, mut faces, mut first) = (of("rest").chunks_exact(3), of("faces").chunks_exact(3), 0.0);
    let mut pending = faces.next();
    let mut bodies = Vec::new();
    let (mut x, mut expected, mut size) = (State::default(), Vec::new(), 0.0f64);
    for (b, count) in of("nverts").iter().enumerate() {
        let rest: Vec<Point3<f64>> =
            points.by_ref().take(*count as usize).map(|p| Point3::new(p[0], p[1], p[2])).collect();
        let mut triangles = Vec::new();
        while let Some(f) = pending.filter(|f| f[0] < first + count) {
            triangles.push([f[0], f[1], f[2]].map(|i| (i - first) as u32));
            pending = faces.next();
        }
        first += count;
        let mesh = TriangleMesh::new(rest, triangles).unwrap();
        let body = AffineBody::solid(&format!("{case} {b}"), &mesh, of("mass")[b] / of("vol")[b]).unwrap();
        // Volume integrals in another order of sums.
        assert!((body.volume - of("vol")[b]).abs() < 1e-12 * body.volume);
        let s = Matrix3::from_row_slice(&of("S")[9 * b..9 * b + 9]);
        assert!((body.second_moment - s).norm() < 1e-11 * s.norm(), "{case}: {} {s}", body.second_moment);
        size = size.max(body.points.iter().map(Vector3::norm).fold(0.0, f64::max));
        let body = body.with_friction(friction);
        let q = &of("q0")[12 * b..12 * b + 12];
        if of("fixed")[b] == 0.0 {
            x.q.extend_from_slice(q);
            x.v.extend_from_slice(&of("qd0")[12 * b..12 * b + 12]);
            expected.extend_from_slice(&of("q1")[12 * b..12 * b + 12]);
            bodies.push((body, pose(q)));
        } else {
            bodies.push((body.held(), pose(q)));
        }
    }
    let options = IpcOptions { range, stiffness, stiction_speed, orthogonality, ..IpcOptions::default() };
    let mut system = AffineSystem::new(bodies, &[], options).unwrap();
    let tight = Tolerance { relative: 1e-11, max_iterations: 200 };
    let mut step = ContactStep::new(ReferenceSolver::default()).with_tolerance(tight);
    for _ in 0..steps as usize {
        let mut next = State::default();
        let report = step.step(&mut system, &x, dt, false, &mut next).unwrap();
        println!("{case}: {} iterations, {} contacts", report.stats.iterations, report.contacts);
        x = next;
    }
    let coordinate =
        |(i, (a, b)): (usize, (&f64, &f64))| (a - b).abs() * if i % 12 < 3 { 1.0 / size } else { 1.0 };
    x.q.iter().zip(&expected).enumerate().map(coordinate).fold(0.0, f64::max)
}

#[test]
fn conformance_steps() {
    let Some(data) = archive("step_oracle.npz") else { return };
    for case in ["free_fall_spin", "corner_drop", "corner_drop_friction", "slide_friction", "two_links_pull"]
    {
        let e = error(&data, case);
        println!("{case}: {e:.1e}");
        // The stated acceptance.
        assert!(e < 1e-6, "{case}: {e:e}");
    }
}
