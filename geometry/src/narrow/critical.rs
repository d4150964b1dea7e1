//! Points at which two surfaces are critical to each other: along a normal that both share there.
//!
//! A face has one normal, a convex edge those between the normals of its two triangles, a corner those along which nothing about it reaches
//! farther. The features of a pair of triangles meet in closed form, and each feature of a surface belongs to one triangle, so none is met twice.

use signorini_core::na::{Isometry3, Matrix3, Vector3};

use super::approach::{far, touch, touch_of};
use super::core::unit;
use super::face::{FACE, VERTEX, edge_code};
use super::near_triangles::NearTriangles;
use super::triangles::Surface;
use crate::mesh_links::Tile;

type V = Vector3<f64>;

/// Sine of the angle below which two edges count as parallel.
const PARALLEL: f64 = 1e-9;
/// Round-off of a place, relative to the size of the numbers.
pub(super) const ROUND_OFF: f64 = 1e-9;

/// A direction along which rays leave, without part in any plane that people draw \[–\].
const ASIDE: V = V::new(0.529_137_6, 0.318_274_1, 0.786_532_1);

/// Most projections on the sides of two edges that cross.
const PROJECTIONS: usize = 200;

/// A part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Corner(usize),
    /// From corner k to corner k + 1.
    Edge(usize),
    Face,
}

impl Part {
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Corner(k) => VERTEX | k as u32,
            Self::Edge(k) => edge_code(k as u32, ((k + 1) % 3) as u32),
            Self::Face => FACE,
        }
    }

    /// Whether triangle `j` of a surface holds this part of triangle `i`.
    pub(super) fn is_held(self, surface: &Surface<'_>, j: u32, i: u32) -> bool {
        i == j
            || match self {
                Self::Corner(k) => surface.holds(j, i, k),
                Self::Edge(k) => surface.holds(j, i, k) && surface.holds(j, i, (k + 1) % 3),
                Self::Face => false,
            }
    }
}

/// Two points along a common normal, in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Critical {
    pub(super) n: V,
    pub(super) gap: f64,
    /// Point of A; that of B lies `gap` beyond it along the normal.
    pub(super) p: V,
    pub(super) triangles: [u32; 2],
    pub(super) parts: [Part; 2],
}

impl Critical {
    pub(super) fn point_of_b(&self) -> V {
        self.p + self.n * self.gap
    }
}

/// A triangle of B in the frame of A.
#[derive(Clone, Copy)]
pub(super) struct Turned {
    pub(super) tile: Tile,
    pub(super) x: [V; 3],
    pub(super) n: V,
}

/// Two surfaces, B placed in the frame of A.
#[derive(Clone, Copy)]
pub(super) struct Surfaces<'a> {
    pub(super) a: Surface<'a>,
    pub(super) b: Surface<'a>,
    pub(super) x_ab: Isometry3<f64>,
    pub(super) r: Matrix3<f64>,
    pub(super) margin: f64,
    /// Size of the numbers involved.
    pub(super) scale: f64,
    /// No point is in both solids.
    pub(super) disjoint: bool,
    /// Pairs of triangles that hold those within the margin.
    pub(super) near: Option<&'a NearTriangles>,
}

/// A triangle of each, with their numbers.
pub(super) struct Tiles<'t> {
    pub(super) triangles: [u32; 2],
    pub(super) a: &'t Tile,
    pub(super) b: &'t Turned,
}

impl<'a> Surfaces<'a> {
    /// `near` holds pairs of triangles from earlier queries; `swapped`: the surfaces are in the other order than there.
    pub(super) fn new(
        [a, b]: [Surface<'a>; 2],
        x_ab: Isometry3<f64>,
        margin: f64,
        near: Option<(&'a mut NearTriangles, bool)>,
    ) -> Self {
        let scale = far(&a.bounds()) + far(&b.bounds()) + x_ab.translation.vector.norm();
        let r = *x_ab.rotation.to_rotation_matrix().matrix();
        let needed = margin.max(0.0) + ROUND_OFF * scale;
        let near = match (a, b, near) {
            (Surface::Mesh(a), Surface::Mesh(b), Some((near, swapped))) => {
                near.covers([a, b], swapped, &x_ab, needed).then_some(&*near)
            }
            _ => None,
        };
        let mut out = Self { a, b, x_ab, r, margin, scale, disjoint: false, near };
        out.disjoint = out.are_disjoint();
        out
    }

    /// Whether two closed meshes do not touch, and neither is in the other.
    fn are_disjoint(&self) -> bool {
        let (Surface::Mesh(a), Surface::Mesh(b)) = (self.a, self.b) else { return false };
        let held = |s: &Surface<'_>, p: &V| s.holds_point(p, &ASIDE);
        let eps = ROUND_OFF * self.scale;
        a.links().is_closed()
            && b.links().is_closed()
            && !match self.near {
                Some(near) => touch_of(near, [a, b], &self.x_ab, eps),
                None => touch(a, b, &self.x_ab, eps),
            }
            && !held(&self.b, &self.in_b(&self.a.triangle(0)[0]))
            && !held(&self.a, &(self.r * self.b.triangle(0)[0] + self.x_ab.translation.vector))
    }

    pub(super) fn turned(&self, j: u32) -> Option<Turned> {
        self.b.tile(j).map(|tile| self.turn(tile))
    }

    fn turn(&self, tile: Tile) -> Turned {
        let x = tile.t.map(|p| self.r * p + self.x_ab.translation.vector);
        Turned { tile, x, n: self.r * tile.n }
    }

    /// Direction against `n` in the frame of B.
    pub(super) fn against(&self, n: &V) -> V {
        -self.r.tr_mul(n)
    }

    /// A point of the frame of A in that of B.
    pub(super) fn in_b(&self, p: &V) -> V {
        self.r.tr_mul(&(p - self.x_ab.translation.vector))
    }

    /// Appends the corners of B behind the face of A that are critical to it.
    pub(super) fn meet_sunk(&self, pair: &Tiles<'_>, out: &mut Vec<Critical>) {
        self.corners_of_b(pair, |h| h < 0.0, out);
    }

    /// Appends all other critical points of two triangles; whether the triangles are within the margin.
    pub(super) fn meet(&self, pair: &Tiles<'_>, out: &mut Vec<Critical>) -> bool {
        let Tiles { a, b, .. } = pair;
        let least = |h: [f64; 3]| h[0].min(h[1]).min(h[2]);
        let above_a = least(b.x.map(|x| a.n.dot(&(x - a.t[0]))));
        let above_b = least(a.t.map(|x| b.n.dot(&(x - b.x[0]))));
        let (far, margin) = (above_a.max(above_b), self.margin.max(0.0));
        // Behind a sharp edge, an overlap may lie above the plane of a triangle.
        let sharp = || !self.disjoint && (a.sharp || b.tile.sharp);
        if far >= margin && !(far < margin + a.reach.max(b.tile.reach) && sharp()) {
            return false;
        }
        self.corners_of_b(pair, |h| h >= 0.0, out);
        self.corners_of_a(pair, out);
        self.edges(pair, out);
        if self.margin > 0.0 {
            self.corners_apart(pair, out);
        }
        true
    }

    fn push(&self, pair: &Tiles<'_>, n: V, gap: f64, p: V, parts: [Part; 2], out: &mut Vec<Critical>) {
        if gap < self.margin && !(self.disjoint && gap < 0.0) {
            out.push(Critical { n, gap, p, triangles: pair.triangles, parts });
        }
    }

    /// Corners of B over the face of A, at heights above it that are wanted.
    fn corners_of_b(&self, pair: &Tiles<'_>, wanted: impl Fn(f64) -> bool, out: &mut Vec<Critical>) {
        let Tiles { a, b, triangles: [i, j] } = pair;
        let eps = ROUND_OFF * self.scale;
        for k in (0..3).filter(|k| b.tile.owns_corner(*k)) {
            let h = a.n.dot(&(b.x[k] - a.t[0]));
            if wanted(h)
                && h > -a.reach
                && h < self.margin
                && (is_over(&a.t, &a.n, &b.x[k], eps) || self.a.is_behind_hollow(*i, a, &b.x[k], eps))
                && self.b.is_foremost(*j, k, &self.against(&a.n))
            {
                self.push(pair, a.n, h, b.x[k] - a.n * h, [Part::Face, Part::Corner(k)], out);
            }
        }
    }

    /// Corners of A over the face of B.
    fn corners_of_a(&self, pair: &Tiles<'_>, out: &mut Vec<Critical>) {
        let Tiles { a, b, triangles: [i, j] } = pair;
        let eps = ROUND_OFF * self.scale;
        let over =
            |x: &V| is_over(&b.x, &b.n, x, eps) || self.b.is_behind_hollow(*j, &b.tile, &self.in_b(x), eps);
        for k in (0..3).filter(|k| a.owns_corner(*k)) {
            let h = b.n.dot(&(a.t[k] - b.x[0]));
            if h > -b.tile.reach && h < self.margin && over(&a.t[k]) && self.a.is_foremost(*i, k, &-b.n) {
                self.push(pair, -b.n, h, a.t[k], [Part::Corner(k), Part::Face], out);
            }
        }
    }

    /// Edges that cross along their normal.
    fn edges(&self, pair: &Tiles<'_>, out: &mut Vec<Critical>) {
        let Tiles { a, b, .. } = pair;
        let (eps, reach) = (ROUND_OFF * self.scale, a.reach.max(b.tile.reach));
        let most = reach.max(self.margin) * (1.0 + ROUND_OFF);
        for e in (0..3).filter(|e| a.owns_edge(*e)) {
            let (p, u) = edge(&a.t, e);
            let u2 = u.norm_squared();
            for f in (0..3).filter(|f| b.tile.owns_edge(*f)) {
                let (q, w) = edge(&b.x, f);
                let (c, r) = (u.cross(&w), q - p);
                let (c2, w2) = (c.norm_squared(), w.norm_squared());
                // Lines that pass each other too far apart, or along each other.
                if c.dot(&r).powi(2) > most * most * c2 || c2 <= PARALLEL * PARALLEL * u2 * w2 {
                    continue;
                }
                let (s, t) = (r.cross(&w).dot(&c) / c2, r.cross(&u).dot(&c) / c2);
                // Within ε of the edge.
                let within = |s: f64, u2: f64| {
                    let beyond = (-s).max(s - 1.0);
                    beyond <= 0.0 || beyond * beyond * u2 <= eps * eps
                };
                if !within(s, u2) || !within(t, w2) {
                    continue;
                }
                for n in [c / c2.sqrt(), -c / c2.sqrt()] {
                    let gap = n.dot(&r);
                    if gap > -reach && a.has_normal(e, &n) && b.tile.has_normal(f, &self.against(&n)) {
                        self.push(pair, n, gap, p + u * s, [Part::Edge(e), Part::Edge(f)], out);
                    }
                }
            }
        }
    }

    /// Corners that are nearest to corners and edges.
    fn corners_apart(&self, pair: &Tiles<'_>, out: &mut Vec<Critical>) {
        let Tiles { a, b, triangles: [i, j] } = pair;
        let eps = ROUND_OFF * self.scale;
        let foremost = |part: Part, of_b: bool, n: &V| match (part, of_b) {
            (Part::Corner(k), false) => self.a.is_foremost(*i, k, n),
            (Part::Corner(k), true) => self.b.is_foremost(*j, k, &self.against(n)),
            (Part::Edge(e), false) => a.has_normal(e, n),
            (Part::Edge(e), true) => b.tile.has_normal(e, &self.against(n)),
            (Part::Face, _) => false,
        };
        let mut offer = |p: V, q: V, parts: [Part; 2]| {
            let d = (q - p).norm();
            if d > eps && d < self.margin {
                let n = (q - p) / d;
                if foremost(parts[0], false, &n) && foremost(parts[1], true, &n) {
                    self.push(pair, n, d, p, parts, out);
                }
            }
        };
        for k in (0..3).filter(|k| b.tile.owns_corner(*k)) {
            for l in (0..3).filter(|l| a.owns_corner(*l)) {
                offer(a.t[l], b.x[k], [Part::Corner(l), Part::Corner(k)]);
            }
            for e in (0..3).filter(|e| a.owns_edge(*e)) {
                if let Some(p) = foot(edge(&a.t, e), &b.x[k], eps) {
                    offer(p, b.x[k], [Part::Edge(e), Part::Corner(k)]);
                }
            }
        }
        for l in (0..3).filter(|l| a.owns_corner(*l)) {
            for f in (0..3).filter(|f| b.tile.owns_edge(*f)) {
                if let Some(q) = foot(edge(&b.x, f), &a.t[l], eps) {
                    offer(a.t[l], q, [Part::Corner(l), Part::Edge(f)]);
                }
            }
        }
    }

    /// Whether an overlap is one. A corner behind a face is in the solid there with nothing of that surface between, or it has gone through and the other point is in its own solid;
    /// edges that cross have a point of both solids beside them.
    pub(super) fn is_overlap(&self, c: &Critical, near: &mut Vec<u32>) -> bool {
        let (p, q) = (c.p, c.point_of_b());
        let inset = 1e-6f64.max(ROUND_OFF * self.scale / c.gap.abs());
        if inset > 0.5 {
            return true;
        }
        if let [Part::Edge(e), Part::Edge(f)] = c.parts
            && let Some(z) = self.inside_both(c, [e, f])
            && self.a.holds_point(&z, &-c.n)
            && self.b.holds_point(&self.in_b(&z), &-self.against(&c.n))
        {
            return true;
        }
        let (from, to) = (p + (q - p) * inset, q - (q - p) * inset);
        let (from_b, to_b) = (self.in_b(&from), self.in_b(&to));
        let open_a = !self.a.is_crossed(&from, &to, near);
        let open_b = !self.b.is_crossed(&from_b, &to_b, near);
        (open_a && (c.parts[0] == Part::Face || self.a.holds_point(&to, &-c.n)))
            || (open_b && (c.parts[1] == Part::Face || self.b.holds_point(&from_b, &-self.against(&c.n))))
    }

    /// A point within the wedges of two edges that cross, near both.
    fn inside_both(&self, c: &Critical, [e, f]: [usize; 2]) -> Option<V> {
        let (a, b) = (self.a.tile(c.triangles[0])?, self.turned(c.triangles[1])?);
        let (p, q) = (c.p, c.point_of_b());
        let sides = [(a.n, p), (a.beyond_normal(e)?, p), (b.n, q), (self.r * b.tile.beyond_normal(f)?, q)];
        // By projections on the half-space that is violated most.
        let deep = 1e-3 * c.gap.abs();
        let mut z = 0.5 * (p + q);
        for _ in 0..PROJECTIONS {
            let height = |(m, o): &(V, V)| m.dot(&(z - o)) + deep;
            let (m, h) = sides.iter().map(|s| (s.0, height(s))).max_by(|s, t| s.1.total_cmp(&t.1))?;
            if h <= 0.5 * deep {
                return Some(z);
            }
            z -= m * h;
        }
        None
    }

    /// Whether an overlap ends when B moves out by the way of another: then a corner of either is outside of the other solid.
    pub(super) fn is_freed(&self, c: &Critical, by: &Critical, near: &mut Vec<u32>) -> bool {
        let eps = by.n * (ROUND_OFF * self.scale);
        let way = by.n * ((-by.gap).max(0.0) * (1.0 + 1e-6)) + eps;
        let (of_a, of_b) = (c.parts[0] != Part::Face, c.parts[1] != Part::Face);
        // A corner in the other surface counts as one in the solid.
        let (p, q) = (c.p, c.point_of_b());
        (of_b && self.a.is_crossed(&(q - eps), &(q + way), near))
            || (of_a && self.b.is_crossed(&self.in_b(&(p + eps)), &self.in_b(&(p - way)), near))
    }
}

fn edge(t: &[V; 3], k: usize) -> (V, V) {
    (t[k], t[(k + 1) % 3] - t[k])
}

/// Whether a point lies over a triangle along its normal.
fn is_over(t: &[V; 3], n: &V, x: &V, eps: f64) -> bool {
    (0..3).all(|k| {
        let (p, u) = edge(t, k);
        n.cross(&u).dot(&(x - p)) >= -eps * u.norm()
    })
}

/// The point of an edge, its ends aside, nearest to `x`.
fn foot((p, u): (V, V), x: &V, eps: f64) -> Option<V> {
    let along = unit(&u, 0.0)?;
    let s = (x - p).dot(&along);
    (s > eps && s < u.norm() - eps).then(|| p + along * s)
}
