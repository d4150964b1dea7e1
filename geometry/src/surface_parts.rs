//! Parts of a triangle surface of few triangles each, by their corners: how far two of them are apart along a direction.
//!
//! A box about a part of a surface that lies across its axes is thick, its corners are not. So the separation of two such parts along the direction between their middles, or along the mean normal
//! of one, is above that of their boxes.

use signorini_core::na::{Matrix3, Vector3};

use crate::Bvh;

type V = Vector3<f64>;

/// Most triangles of a part.
const MOST: usize = 8;

/// The nodes of a tree of triangles below which there are few.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceParts {
    /// By node; none where it has more.
    parts: Vec<Option<Part>>,
    /// Coordinates of four corners each.
    corners: Vec<[[f64; 4]; 3]>,
}

/// Corners of a part and a ball about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    start: u32,
    end: u32,
    pub(crate) center: V,
    pub(crate) radius: f64,
    /// Mean normal of its triangles, of length one or zero.
    normal: V,
}

impl SurfaceParts {
    /// Parts of triangles by the numbers of their corners, with their normals.
    pub(crate) fn new(tree: &Bvh, triangles: &[[u32; 3]], normals: &[V], points: &[V]) -> Self {
        let mut out = Self::default();
        let mut ids: Vec<u32> = Vec::new();
        tree.small_nodes(MOST, |node, items| {
            out.parts.resize(node, None);
            ids.clear();
            ids.extend(items.iter().flat_map(|i| triangles[*i as usize]));
            ids.sort_unstable();
            ids.dedup();
            let places = || ids.iter().map(|i| points[*i as usize]);
            let center = places().sum::<V>() / ids.len() as f64;
            let radius = places().map(|p| (p - center).norm_squared()).fold(0.0, f64::max).sqrt();
            let normal: V = items.iter().map(|i| normals[*i as usize]).sum();
            let start = out.corners.len() as u32;
            for four in ids.chunks(4) {
                // The last one again where there are fewer.
                let at = |l: usize| points[four[l.min(four.len() - 1)] as usize];
                out.corners.push([0, 1, 2].map(|k| [0, 1, 2, 3].map(|l| at(l)[k])));
            }
            let end = out.corners.len() as u32;
            let normal = normal.try_normalize(0.0).unwrap_or_default();
            out.parts.push(Some(Part { start, end, center, radius, normal }));
        });
        out
    }

    /// The part below a node of the tree.
    fn of(&self, node: usize) -> Option<&Part> {
        self.parts.get(node)?.as_ref()
    }

    /// Largest coordinate of a part along `d`.
    fn highest(&self, part: &Part, d: &V) -> f64 {
        let mut top = [f64::NEG_INFINITY; 4];
        for [x, y, z] in &self.corners[part.start as usize..part.end as usize] {
            for l in 0..4 {
                let h = x[l] * d.x + y[l] * d.y + z[l] * d.z;
                top[l] = if h > top[l] { h } else { top[l] };
            }
        }
        top[0].max(top[1]).max(top[2].max(top[3]))
    }

    /// The largest `value` of the separations \[m\] of two parts along unit vectors from A to B, frame of A, which `r` and `t` map that of B to; below `bound` all are asked. `value` is also given
    /// the parts and the middle of that of B. Zero for nodes of many triangles.
    pub(crate) fn apart(
        [of_a, of_b]: [&Self; 2],
        (r, t): (&Matrix3<f64>, &V),
        nodes: [usize; 2],
        bound: f64,
        value: impl Fn(f64, &V, [&Part; 2], &V) -> f64,
    ) -> f64 {
        let (Some(a), Some(b)) = (of_a.of(nodes[0]), of_b.of(nodes[1])) else { return 0.0 };
        let middle = r * b.center + t;
        let between = (middle - a.center).try_normalize(0.0).unwrap_or_default();
        let mut most = 0.0f64;
        for n in [between, a.normal, -(r * b.normal)] {
            let s = n.dot(t) - of_b.highest(b, &-r.tr_mul(&n)) - of_a.highest(a, &n);
            if s > 0.0 {
                most = most.max(value(s, &n, [a, b], &middle));
                if most > bound {
                    break;
                }
            }
        }
        most
    }
}
