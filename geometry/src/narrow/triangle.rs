//! One triangle of a surface against a convex core.
//!
//! A triangle pushes along normals that its surface allows there: its own, and at a convex edge or corner those between its own and
//! its neighbours'. So a flat surface pushes along its one normal wherever its inner edges lie.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::ContactPoint;
use super::convex::core_distance;
use super::core::{Core, Pair, unit};
use super::facing::witness_over;
use super::patch::around;
use super::polish::{Direction, polish};
use super::triangles::Surface;
use crate::Aabb;

type V = Vector3<f64>;

/// Sine below which a direction counts as lying in a plane or along a normal.
const ALIGNED: f64 = 1e-6;

/// Way of B out of a triangle that it overlaps.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) out: Direction,
    /// Whether the surface allows it and shares points with B along it; if not it is the last resort.
    pub(super) allowed: bool,
    /// About the middle of the overlap.
    pub(super) point: ContactPoint,
}

/// The triangles of a surface A against a convex B.
pub(super) struct Query<'a> {
    pub(super) surface: Surface<'a>,
    pub(super) pair: Pair<'a>,
    pub(super) radius: f64,
    pub(super) margin: f64,
    pub(super) x_wa: &'a Isometry3<f64>,
    solid: bool,
}

impl<'a> Query<'a> {
    pub(super) fn new(
        surface: Surface<'a>,
        (core, radius): (Core<'a>, f64),
        [x_wa, x_wb]: [&'a Isometry3<f64>; 2],
        margin: f64,
    ) -> Self {
        let pair = Pair::new(Core::Point, core, &x_wa.inv_mul(x_wb));
        let solid = matches!(surface, Surface::Field(_));
        Self { surface, pair, radius, margin, x_wa, solid }
    }

    /// The box about the core of B, in the frame of the surface.
    pub(super) fn aabb_of_b(&self) -> Aabb {
        let reach = |n: V| self.pair.support_b(&n);
        let (x, y, z) = (V::x(), V::y(), V::z());
        let lo = Point3::new(reach(x).x, reach(y).y, reach(z).z);
        let hi = Point3::new(reach(-x).x, reach(-y).y, reach(-z).z);
        Aabb::new(lo, hi)
    }

    /// Contacts of triangle `i` with corners `t`, which is the core A of the pair; where both overlap, also the way out.
    pub(super) fn triangle(&self, i: u32, t: &[V; 3], out: &mut Vec<ContactPoint>) -> Option<Way> {
        let own = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)?;
        let reach = self.margin + self.radius;
        // All of B above the plane.
        let above = self.pair.separation(&own);
        if above >= reach {
            return None;
        }
        let behind = own.dot(&(self.pair.support_b(&-own) - t[0])) < 0.0;
        if behind {
            if self.solid {
                self.push(&own, above, witness_over(&self.pair, &own), out);
            }
            return None;
        }
        let w = core_distance(&self.pair, reach)?;
        if w.s <= 1e-12 * self.pair.scale {
            let (d, allowed) = self.way_out(i, t, &own, &Direction { n: w.n, s: w.s });
            let from = out.len();
            let (p_a, p_b) = witness_over(&self.pair, &d.n);
            self.push(&d.n, d.s, (p_a, p_b), out);
            let (gap, normal) = (d.s - self.radius, self.x_wa.rotation * d.n);
            let p_a = self.x_wa * Point3::from(0.5 * (p_a + p_b - d.n * d.s));
            let feature = super::feature([super::face::CURVED; 2]);
            let point = ContactPoint { p_a, p_b: p_a + normal * gap, normal, gap, feature };
            return Some(Way { out: d, allowed: allowed && out.len() > from, point });
        }
        let (p_a, p_b) = w.points(&self.pair);
        let facing = w.n.dot(&own);
        let straight = w.n.cross(&own).norm() <= ALIGNED;
        let n = if straight { own } else { w.n };
        if facing >= -ALIGNED && (straight || allowed(self.surface, i, &n, &p_a)) {
            self.push(&n, w.s, (p_a, p_b), out);
        }
        None
    }

    /// Appends the patch along the normal `n`, along which the cores are `s` apart at the points given.
    fn push(&self, n: &V, s: f64, (p_a, p_b): (V, V), out: &mut Vec<ContactPoint>) {
        let gap = s - self.radius;
        if gap >= self.margin {
            return;
        }
        let normal = self.x_wa.rotation * n;
        let over = (p_b - p_a - n * s).norm() <= 1e-9 * self.pair.scale;
        let p_a = self.x_wa * Point3::from(p_a);
        let known = if over { gap } else { f64::INFINITY };
        let points = || (p_a, p_a + normal * gap);
        around(&self.pair, [0.0, self.radius], (n, known), points, self.x_wa, self.margin, out);
    }

    /// The normal along which B leaves the triangle soonest, and whether the surface allows it; `shortest` is that of the triangle
    /// without its neighbours.
    fn way_out(&self, i: u32, t: &[V; 3], own: &V, shortest: &Direction) -> (Direction, bool) {
        let mut best = None;
        self.offer(i, own, *own, &mut best);
        self.offer(i, own, shortest.n, &mut best);
        if let Some(best) = best
            && best.s >= shortest.s - 1e-12 * self.pair.scale
        {
            return (best, true);
        }
        let mut edge = *shortest;
        let mut start: Option<Direction> = None;
        for k in 0..3 {
            let (p, q, apex) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            let mut beyond = None;
            self.surface.touching(i, |j| {
                let other = self.surface.triangle(j);
                if beyond.is_none() && other.contains(&p) && other.contains(&q) {
                    beyond = Some(other);
                }
            });
            let last = match beyond {
                Some(o) => {
                    let Some(n) = unit(&(o[1] - o[0]).cross(&(o[2] - o[0])), 0.0) else { continue };
                    // The neighbour rises above this triangle's plane: a concave edge, or none at all.
                    if n.dot(&(apex - p)) >= -ALIGNED * (apex - p).norm() {
                        continue;
                    }
                    n
                }
                // An open rim.
                None => match unit(&(q - p).cross(own), 0.0) {
                    Some(n) => n,
                    None => continue,
                },
            };
            for w in [0.5, 1.0] {
                if let Some(n) = unit(&(own * (1.0 - w) + last * w), 1e-3) {
                    self.offer(i, own, n, &mut best);
                    let s = self.pair.separation(&n);
                    if start.is_none_or(|b| s > b.s) {
                        start = Some(Direction { n, s });
                    }
                }
            }
        }
        // Between the normals of two triangles: where edges cross.
        if let Some(start) = start
            && best.is_none_or(|b| start.s > b.s - 0.5 * b.s.abs())
        {
            edge = polish(&self.pair, start, 0.2, 4);
            self.offer(i, own, edge.n, &mut best);
        }
        best.map(|b| (b, true)).unwrap_or_else(|| {
            let s = self.pair.separation(own);
            let ways = [(shortest.n, shortest.s), (edge.n, edge.s)];
            let forward = ways.into_iter().filter(|(n, _)| n.dot(own) >= -ALIGNED);
            let (n, s) = forward.fold((*own, s), |a, b| if b.1 > a.1 { b } else { a });
            (Direction { n, s }, false)
        })
    }

    /// Takes `n` for `best` if it separates further and the surface allows it there.
    fn offer(&self, i: u32, own: &V, n: V, best: &mut Option<Direction>) {
        if n.dot(own) < -ALIGNED {
            return;
        }
        let s = self.pair.separation(&n);
        if best.is_none_or(|b| s > b.s + 1e-13 * self.pair.scale) {
            let straight = n.cross(own).norm() <= ALIGNED;
            if straight || allowed(self.surface, i, &n, &witness_over(&self.pair, &n).0) {
                *best = Some(Direction { n, s });
            }
        }
    }
}

/// Whether a surface allows the normal `n` at the point `p` of the rim of its triangle `i`: no neighbour there is nearer.
fn allowed(surface: Surface<'_>, i: u32, n: &V, p: &V) -> bool {
    let t = surface.triangle(i);
    let size = (t[1] - t[0]).norm().max((t[2] - t[0]).norm());
    // The corners of the edge or the corner that p lies on: those with a positive share of it.
    let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let share =
        |k: usize| (t[(k + 1) % 3] - p).cross(&(t[(k + 2) % 3] - p)).dot(&normal) / normal.norm_squared();
    let on = [0, 1, 2].map(|k| share(k) > 1e-7);
    let mut free = true;
    surface.touching(i, |j| {
        let other = surface.triangle(j);
        let touches = (0..3).filter(|&k| on[k]).all(|k| other.contains(&t[k]));
        free &= !touches || other.iter().all(|v| n.dot(&(v - p)) <= ALIGNED * size);
    });
    free
}
