//! Boxes: six cells between the faces and the rectangle in the middle.

use signorini_core::na::{Point3, Vector3};

use super::cells::Cells;

/// Parts of the least half extent by which two others may differ and count as equal.
const EQUAL: f64 = 1e-8;

/// The field of a box with the half extents `half` \[m\]: the distance from the nearest face over the least half extent, which is linear in each of the six cells of points nearest to a face.
///
/// The cells meet in the planes that halve the angles at the edges, and in the rectangle of points as deep as can be.
pub(super) fn cells(half: &Vector3<f64>) -> Cells {
    let least = half.min();
    let inner = half.map(|h| if h - least > EQUAL * least { h - least } else { 0.0 });
    let mut out = Cells::default();
    let corner = |k: usize, h: &Vector3<f64>| {
        Point3::from(Vector3::from_fn(|i, _| if k >> i & 1 == 0 { -h[i] } else { h[i] }))
    };
    // Corners of the inner box that coincide are one vertex: the bits of sides without length do not count.
    let mut deep = [0u32; 8];
    for k in 0..8usize {
        let kept = (0..3).filter(|i| inner[*i] > 0.0).fold(0, |m, i| m | (k & 1 << i));
        deep[k] = if kept == k { out.vertex(corner(k, &inner), 1.0) } else { deep[kept] };
    }
    let mut outer = [0u32; 8];
    for k in 0..8usize {
        outer[k] = out.vertex(corner(k, half), 0.0);
    }
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        for side in [0, 1 << axis] {
            let ring = [side, side | u, side | u | v, side | v];
            let (o, d) = (ring.map(|k| outer[k]), ring.map(|k| deep[k]));
            let wall = |k: usize| [o[k], o[(k + 1) % 4], d[(k + 1) % 4], d[k]];
            out.cell([&o, &d, &wall(0), &wall(1), &wall(2), &wall(3)]);
        }
    }
    out
}
