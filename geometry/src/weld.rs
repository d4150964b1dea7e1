//! Vertices at equal positions taken as one.

use std::collections::HashMap;

use signorini_core::na::Point3;

/// For each triangle its vertices, numbered in order of first use, those at equal positions as one.
pub(crate) fn weld_ids(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut seen: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    let mut id = |v: u32| {
        let next = seen.len() as u32;
        *seen.entry(position(&points[v as usize])).or_insert(next)
    };
    triangles.iter().map(|t| t.map(&mut id)).collect()
}

/// The bits of a position, 0 and −0 taken as equal.
fn position(p: &Point3<f64>) -> [u64; 3] {
    [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
}

/// Vertices in use with equal positions merged, in order of first use, and the triangles that keep three corners.
pub(crate) fn weld(points: &[Point3<f64>], triangles: &[[u32; 3]]) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mut seen: HashMap<[u64; 3], u32> = HashMap::with_capacity(points.len());
    let mut vertices = Vec::new();
    let mut out = Vec::with_capacity(triangles.len());
    for t in triangles {
        let keys = t.map(|v| position(&points[v as usize]));
        if keys[0] == keys[1] || keys[1] == keys[2] || keys[2] == keys[0] {
            continue;
        }
        let mut ids = [0; 3];
        for k in 0..3 {
            ids[k] = *seen.entry(keys[k]).or_insert_with(|| {
                vertices.push(points[t[k] as usize]);
                vertices.len() as u32 - 1
            });
        }
        out.push(ids);
    }
    (vertices, out)
}
