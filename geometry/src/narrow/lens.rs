//! Overlap of two surfaces at the loop along which they cross, where no features of theirs are critical to each other: an edge that has sunk into a saddle.

use signorini_core::na::Vector3;

use super::core::unit;
use super::critical::{Critical, Part, Surfaces};
use super::triangles::Surface;
use crate::segment_crosses_triangle;

type V = Vector3<f64>;

/// Room for the loop of a pair: normals of triangles that cross, and points at which edges of the one surface cross the other.
#[derive(Default)]
pub(super) struct Lens {
    normals: Vec<V>,
    on_a: Vec<V>,
    on_b: Vec<V>,
}

impl Lens {
    /// The way out along the mean normal of the triangles that cross, as long as the loop is thick along it; None where they do not all face along it.
    pub(super) fn way_out(&mut self, pair: &Surfaces<'_>) -> Option<Critical> {
        let (Surface::Mesh(a), Surface::Mesh(b)) = (pair.a, pair.b) else { return None };
        let Self { normals, on_a, on_b } = self;
        [&mut *normals, &mut *on_a, &mut *on_b].into_iter().for_each(Vec::clear);
        let mut first = None;
        a.bvh().pairs(b.bvh(), &pair.x_ab, |i, j| {
            let (Some(of_a), Some(of_b)) = (pair.a.tile(i), pair.turned(j)) else { return };
            let (before_a, before_b) = (on_a.len(), on_b.len());
            pierce(&of_a.t, &of_b.x, &of_b.n, on_a);
            pierce(&of_b.x, &of_a.t, &of_a.n, on_b);
            if (on_a.len(), on_b.len()) != (before_a, before_b) {
                normals.extend([of_a.n, -of_b.n]);
                first = first.or(Some([i, j]));
            }
        });
        let n = unit(&normals.iter().sum(), 0.0).filter(|n| normals.iter().all(|m| m.dot(n) > 0.0))?;
        let points = || on_a.iter().chain(&*on_b);
        let count = points().count() as f64;
        let middle = points().sum::<V>() / count;
        let heights = || points().map(|p| n.dot(p));
        let (low, high) =
            (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let p = middle + n * (high - n.dot(&middle));
        Some(Critical { n, gap: low - high, p, triangles: first?, parts: [Part::Face; 2] })
    }
}

/// Adds the points at which edges of triangle `t` cross triangle `u`, which has the normal `n`.
fn pierce(t: &[V; 3], u: &[V; 3], n: &V, out: &mut Vec<V>) {
    for k in 0..3 {
        let (p, q) = (t[k], t[(k + 1) % 3]);
        let along = n.dot(&(q - p));
        if along != 0.0 && segment_crosses_triangle(&[p, q], u) {
            out.push(p + (q - p) * (n.dot(&(u[0] - p)) / along).clamp(0.0, 1.0));
        }
    }
}
