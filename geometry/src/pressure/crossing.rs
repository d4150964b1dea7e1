//! Meshes that cut through themselves.

use signorini_core::na::Vector3;

use crate::weld::weld_ids;
use crate::{TriangleMesh, segment_crosses_triangle};

/// Two triangles of which an edge of one crosses the other, with vertices at equal positions taken as one; None where there are none. The pair with the least numbers.
///
/// Sides that triangles share do not count, nor do triangles that lie in one plane.
pub(super) fn self_crossing(mesh: &TriangleMesh) -> Option<[u32; 2]> {
    let ids = weld_ids(mesh.vertices(), mesh.triangles());
    let crosses = |a: usize, b: usize| {
        let other = mesh.triangle(b).map(|p| p.coords);
        let corners: [Vector3<f64>; 3] = mesh.triangle(a).map(|p| p.coords);
        (0..3).any(|k| {
            let (i, j) = (k, (k + 1) % 3);
            let shared = ids[b].contains(&ids[a][i]) || ids[b].contains(&ids[a][j]);
            !shared && segment_crosses_triangle(&[corners[i], corners[j]], &other)
        })
    };
    let mut found: Option<[u32; 2]> = None;
    mesh.bvh().self_pairs(|i, j| {
        let (a, b) = (i as usize, j as usize);
        if found.is_none_or(|f| [i, j] < f) && (crosses(a, b) || crosses(b, a)) {
            found = Some([i, j]);
        }
    });
    found
}
