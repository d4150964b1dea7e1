//! The swept broad phase of surfaces against all pairs, sampled; exact crossings against a search without boxes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Rotation3, Vector3};
use signorini_geometry::{
    Stencil, StencilPair, StraightMotion, SurfaceFeatures, SurfacePairs, TriangleMesh,
    segment_crosses_triangle,
};

/// Surfaces with points numbered one after the other, and their points.
fn scene(parts: &[(TriangleMesh, Isometry3<f64>)]) -> (Vec<SurfaceFeatures>, Vec<Vector3<f64>>) {
    let (mut surfaces, mut x) = (Vec::new(), Vec::new());
    for (mesh, pose) in parts {
        let first = x.len() as u32;
        x.extend(mesh.vertices().iter().map(|p| (pose * p).coords));
        let triangles: Vec<[u32; 3]> = mesh.triangles().iter().map(|t| t.map(|i| i + first)).collect();
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let edges: BTreeSet<[u32; 2]> =
            triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let edges = edges.into_iter().collect();
        surfaces.push(SurfaceFeatures { points: first..x.len() as u32, triangles, edges, radius: 0.0 });
    }
    (surfaces, x)
}

/// All stencils of two surfaces.
fn all(surfaces: [u32; 2], s: [&SurfaceFeatures; 2]) -> Vec<StencilPair> {
    let mut out = Vec::new();
    for (a, b) in [(0, 1), (1, 0)] {
        for p in s[a].points.clone() {
            out.extend(s[b].triangles.iter().map(|t| StencilPair {
                surfaces,
                stencil: Stencil::PointTriangle,
                points: [p, t[0], t[1], t[2]],
            }));
        }
    }
    for e in &s[0].edges {
        out.extend(s[1].edges.iter().map(|f| StencilPair {
            surfaces,
            stencil: Stencil::EdgeEdge,
            points: [e[0], e[1], f[0], f[1]],
        }));
    }
    out
}

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn property_no_pair_is_missed(
        place in prop::array::uniform3(vector(0.25)), turn in prop::array::uniform3(vector(2.0)),
        way in prop::array::uniform3(vector(0.3)), spin in prop::array::uniform3(vector(0.5)), common in vector(5.0),
    ) {
        // The ball has trees, the others have not.
        let meshes = [
            TriangleMesh::icosphere(0.1, 2).unwrap(),
            TriangleMesh::cuboid(&Vector3::new(0.1, 0.05, 0.02)).unwrap(),
            TriangleMesh::cuboid(&Vector3::repeat(0.05)).unwrap(),
        ];
        let parts: Vec<_> = meshes.into_iter().zip(place.iter().zip(&turn)).map(|(m, (p, t))| (m, Isometry3::new(*p, *t))).collect();
        let (surfaces, x) = scene(&parts);
        // Turned about its origin, moved, and everything carried along together.
        let mut dx = Vec::new();
        let mut shift = Vec::new();
        for (s, (pose, (w, r))) in surfaces.iter().zip(parts.iter().map(|p| p.1).zip(way.iter().zip(&spin))) {
            let centre = pose.translation.vector;
            let rotation = Rotation3::new(*r);
            shift.push(w + common);
            dx.extend(x[s.points.start as usize..s.points.end as usize].iter().map(|p| centre + rotation * (p - centre) - p + w + common));
        }
        let margin = 0.01;
        let mut search = SurfacePairs::new(surfaces.clone());
        let mut found = Vec::new();
        let motion = StraightMotion { x: &x, dx: &dx, shift: &shift };
        search.find(motion, margin, |a, b| [a, b] != [1, 2], &mut found);
        let sorted: BTreeSet<StencilPair> = found.iter().copied().collect();
        prop_assert!(sorted.len() == found.len(), "each once");
        let key = |p: &StencilPair| (p.surfaces, p.stencil, p.points[0]);
        prop_assert!(found.windows(2).all(|w| key(&w[0]) <= key(&w[1])), "by surfaces, kind and first point");
        prop_assert!(sorted.iter().all(|p| p.surfaces != [1, 2]), "surfaces that do not collide");
        for pair in [[0, 1], [0, 2]] {
            for p in all(pair, pair.map(|i: u32| &surfaces[i as usize])) {
                let near = (0..=8).any(|k| {
                    let t = f64::from(k) / 8.0;
                    let at = p.points.map(|i| x[i as usize] + t * dx[i as usize]);
                    p.stencil.distance(&at).distance() < margin
                });
                prop_assert!(!near || sorted.contains(&p), "{p:?} is missed");
            }
        }
        // A search that has seen something else has other trees.
        let mut again = Vec::new();
        let far: Vec<Vector3<f64>> = x.iter().enumerate().map(|(i, p)| p * (1.0 + 0.3 * (i as f64).sin())).collect();
        let mut search = SurfacePairs::new(surfaces.clone());
        search.find(StraightMotion { x: &far, dx: &dx, shift: &shift }, 10.0, |_, _| true, &mut again);
        search.find(motion, margin, |a, b| [a, b] != [1, 2], &mut again);
        prop_assert_eq!(found, again);
    }

    #[test]
    fn property_crossings_are_those_of_all_pairs(place in vector(0.15), turn in vector(2.0)) {
        let parts = [
            (TriangleMesh::icosphere(0.1, 1).unwrap(), Isometry3::identity()),
            (TriangleMesh::cuboid(&Vector3::repeat(0.05)).unwrap(), Isometry3::new(place, turn)),
        ];
        let (surfaces, x) = scene(&parts);
        let cross = |a: &SurfaceFeatures, b: &SurfaceFeatures| a.edges.iter().any(|e| {
            b.triangles.iter().any(|t| segment_crosses_triangle(&e.map(|i| x[i as usize]), &t.map(|i| x[i as usize])))
        });
        let expected = cross(&surfaces[0], &surfaces[1]) || cross(&surfaces[1], &surfaces[0]);
        let mut search = SurfacePairs::new(surfaces);
        prop_assert_eq!(search.crossing(&x, |_, _| true).is_some(), expected);
    }
}

#[test]
fn analytic_crossings() {
    let triangle = [Vector3::zeros(), Vector3::x(), Vector3::y()];
    let at = |x: f64, y: f64, low: f64, high: f64| [Vector3::new(x, y, low), Vector3::new(x, y, high)];
    for (segment, expected) in [
        (at(0.2, 0.2, -1.0, 1.0), true),
        (at(0.2, 0.2, 1e-300, 1.0), false),
        (at(0.2, 0.2, 0.0, 1.0), true),
        (at(0.6, 0.6, -1.0, 1.0), false),
        (at(0.5, 0.5, -1.0, 1.0), true),
        (at(0.0, 0.0, -1.0, 1.0), true),
        ([Vector3::new(-1.0, 0.2, 0.0), Vector3::new(1.0, 0.2, 0.0)], false),
    ] {
        assert_eq!(segment_crosses_triangle(&segment, &triangle), expected, "{segment:?}");
    }
}
