//! The barrier of two meshes against `oracles/ipc/mesh_oracle.npz`: value and gradient, with and without area weights, and the smallest distance.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{Evals, Slot, System, WholePart};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions};

use common::archive;

#[test]
fn conformance_mesh_oracle() {
    let Some(data) = archive("mesh_oracle.npz") else { return };
    for case in ["face_face", "face_face_aligned", "corner_face", "edge_edge", "parallel_edges", "two_links"]
    {
        let of = |what: &str| &data[&format!("{case}_{what}")];
        let (points, body) = (of("V"), of("body"));
        let first = body.iter().filter(|b| **b == body[0]).count();
        let mesh = |low: usize, high: usize| {
            let own =
                points[3 * low..3 * high].chunks_exact(3).map(|p| Point3::new(p[0], p[1], p[2])).collect();
            let faces = of("F").chunks_exact(3).filter(|f| (low..high).contains(&(f[0] as usize)));
            let triangles = faces.map(|f| [f[0], f[1], f[2]].map(|i| (i as usize - low) as u32)).collect();
            let mesh = TriangleMesh::new(own, triangles).unwrap();
            AffineBody::solid(case, &mesh, 1000.0).unwrap()
        };
        let count = points.len() / 3;
        for (kind, area_weights) in [("plain", false), ("area", true)] {
            let bodies =
                vec![(mesh(0, first), Isometry3::identity()), (mesh(first, count), Isometry3::identity())];
            let options = IpcOptions {
                range: of("dhat")[0],
                stiffness: of("kappa")[0],
                area_weights,
                ..IpcOptions::default()
            };
            let mut s = AffineSystem::new(bodies, &[], options).unwrap();
            let x = s.initial_state();
            let value = s.energy(&x).contact;
            let expected = of(&format!("{kind}_B"))[0];
            // The stated acceptance of gradients; values are as good.
            assert!((value - expected).abs() < 1e-6 * expected, "{case}, {kind}: {value:e} {expected:e}");
            let (least, _) = s.smallest_distance(&x).unwrap();
            assert!((least - of(&format!("{kind}_min_d"))[0]).abs() < 1e-12 * 1.0, "{case}: {least:e}");
            // The gradient by the points, as one by the coordinates of both bodies.
            let gradient = of(&format!("{kind}_grad"));
            let mut pulled = vec![0.0; 24];
            let mut at = 0;
            for (b, body) in s.bodies().iter().enumerate() {
                for p in &body.points {
                    let g = Vector3::from_column_slice(&gradient[3 * at..3 * at + 3]);
                    for r in 0..3 {
                        pulled[12 * b + r] += g[r];
                        (0..3).for_each(|c| pulled[12 * b + 3 + 3 * r + c] += g[r] * p[c]);
                    }
                    at += 1;
                }
            }
            let dt = 0.01;
            s.prepare(Slot::Start, &x, dt).unwrap();
            let p = s.problem(Slot::Start, dt).unwrap();
            let mut whole = WholePart::default();
            whole.fit(p);
            let mut evals = Evals::default();
            p.pools().size_evals(&mut evals);
            p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
            let mut ours = vec![0.0; 24];
            p.map().add_gradient(whole.part(), p.pools(), &evals, &mut ours);
            let size = pulled.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
            for (a, b) in ours.iter().zip(&pulled) {
                assert!((a / dt - b).abs() < 1e-6 * size, "{case}, {kind}: {} {b}", a / dt);
            }
        }
    }
}
