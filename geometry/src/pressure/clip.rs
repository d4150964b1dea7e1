//! Convex polygons in a plane: sections of tetrahedra, common parts of two polygons, and moments.

use signorini_core::na::{Point3, Vector3};

use super::field::Linear;
use crate::Aabb;

type V = Vector3<f64>;
type P = Point3<f64>;

/// Room for corners: two sections of tetrahedra share at most eight, and splits add one at a time.
pub(super) const ROOM: usize = 16;
/// Edges shorter than this part of the longest have no direction to clip along.
const SHORT: f64 = 1e-10;
/// Polygons with less than this part of the square of their length have no area but for rounding.
const THIN: f64 = 1e-13;
/// Most halvings of a polygon.
const HALVINGS: u32 = 24;

/// A convex polygon in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    corners: [P; ROOM],
    len: usize,
}

/// Area \[m²\], centroid \[m\], mean pressure \[Pa\] and centre of pressure \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) area: f64,
    pub(super) centroid: P,
    pub(super) pressure: f64,
    pub(super) center_of_pressure: P,
}

impl Polygon {
    pub(super) fn empty() -> Self {
        Self { corners: [P::origin(); ROOM], len: 0 }
    }

    pub(super) fn new(corners: &[P]) -> Self {
        let mut out = Self::empty();
        out.set(corners);
        out
    }

    fn set(&mut self, corners: &[P]) {
        self.len = 0;
        corners.iter().for_each(|p| self.push(*p));
    }

    pub(super) fn corners(&self) -> &[P] {
        &self.corners[..self.len]
    }

    #[inline]
    fn push(&mut self, p: P) {
        if self.len < ROOM {
            self.corners[self.len] = p;
            self.len += 1;
        }
    }

    /// Twice the area times the direction counter-clockwise \[m²\].
    fn double_area(&self) -> V {
        let c = self.corners();
        (2..c.len()).map(|k| (c[k - 1] - c[0]).cross(&(c[k] - c[0]))).sum()
    }

    /// Becomes the section of a tetrahedron by level zero of the linear function with values `h` at its corners `v`, in either direction; false, and nothing, where there
    /// is none. Zero counts as positive, so that of two neighbours one has a section along the face between them.
    pub(super) fn set_section(&mut self, v: &[P; 4], h: &[f64; 4]) -> bool {
        let mut order = [0; 4];
        let (mut positive, mut last) = (0, 4);
        for i in 0..4 {
            if h[i] >= 0.0 {
                order[positive] = i;
                positive += 1;
            } else {
                last -= 1;
                order[last] = i;
            }
        }
        let cut = |i: usize, j: usize| {
            let (i, j) = (order[i], order[j]);
            v[i] + (v[j] - v[i]) * (h[i] / (h[i] - h[j]))
        };
        let (corners, len) = match positive {
            1 => ([cut(0, 1), cut(0, 2), cut(0, 3), P::origin()], 3),
            2 => ([cut(0, 2), cut(1, 2), cut(1, 3), cut(0, 3)], 4),
            3 => ([cut(0, 3), cut(1, 3), cut(2, 3), P::origin()], 3),
            _ => ([P::origin(); 4], 0),
        };
        self.corners[..4].copy_from_slice(&corners);
        self.len = len;
        len > 0
    }

    /// Turns it counter-clockwise seen from where `n` points.
    pub(super) fn face(&mut self, n: &V) {
        if self.double_area().dot(n) < 0.0 {
            self.corners[..self.len].reverse();
        }
    }

    /// The box about it.
    pub(super) fn bounds(&self) -> Aabb {
        Aabb::from_points(self.corners())
    }

    /// The part with m·(x − p) ≥ 0.
    fn beyond(&self, p: &P, m: &V) -> Self {
        let mut out = Self::empty();
        self.put_beyond(p, m, &mut out);
        out
    }

    /// As [`Self::beyond`], into `out`.
    fn put_beyond(&self, p: &P, m: &V, out: &mut Self) {
        out.len = 0;
        let Some(mut before) = self.corners().last().copied() else { return };
        let mut d = m.dot(&(before - p));
        for &at in self.corners() {
            let e = m.dot(&(at - p));
            if (d < 0.0) != (e < 0.0) {
                out.push(before + (at - before) * (d / (d - e)));
            }
            if e >= 0.0 {
                out.push(at);
            }
            (before, d) = (at, e);
        }
    }

    /// The part with m·x ≤ c.
    pub(super) fn below(&self, m: &V, c: f64) -> Self {
        self.beyond(&Point3::from(m * (c / m.norm_squared())), &-m)
    }

    /// The part in common with another polygon of the plane with unit normal `n`, both counter-clockwise; this one and `spare` are overwritten.
    pub(super) fn shared<'a>(&'a mut self, other: &Self, n: &V, spare: &'a mut Self) -> &'a Self {
        let edge = |k: usize| other.corners[(k + 1) % other.len] - other.corners[k];
        let longest = (0..other.len).map(|k| edge(k).norm_squared()).fold(0.0, f64::max);
        let own = self
            .corners
            .iter()
            .take(self.len)
            .map(|c| (c - self.corners[0]).norm_squared())
            .fold(0.0, f64::max);
        let (mut out, mut next) = (self, spare);
        if longest <= SHORT * SHORT * own {
            // A section at a corner is a point.
            out.len = 0;
            return out;
        }
        for k in 0..other.len {
            let e = edge(k);
            let squared = e.norm_squared();
            if squared <= SHORT * SHORT * longest {
                continue;
            }
            out.put_beyond(&other.corners[k], &(n.cross(&e) / squared.sqrt()), next);
            std::mem::swap(&mut out, &mut next);
            if out.len < 3 {
                break;
            }
        }
        out
    }

    /// Area and first moments under a pressure; None without area.
    pub(super) fn moments(&self, n: &V, pressure: &Linear) -> Option<Moments> {
        let c = self.corners();
        let origin = *c.first()?;
        let p0 = pressure.at(&origin).max(0.0);
        let (mut area, mut first, mut force, mut torque) = (0.0, V::zeros(), 0.0, V::zeros());
        let mut length = 0.0f64;
        for k in 1..c.len() {
            let b = c[k] - origin;
            length = length.max(b.norm_squared());
            if k == 1 {
                continue;
            }
            let a = c[k - 1] - origin;
            // Rounding may turn the triangles of a corner that is hardly one.
            let part = 0.5 * n.dot(&a.cross(&b)).max(0.0);
            let (pa, pb) = (pressure.at(&c[k - 1]).max(0.0), pressure.at(&c[k]).max(0.0));
            let sum = p0 + pa + pb;
            area += part;
            first += part / 3.0 * (a + b);
            force += part / 3.0 * sum;
            torque += part / 12.0 * ((sum + pa) * a + (sum + pb) * b);
        }
        if area <= THIN * length {
            return None;
        }
        let centroid = first / area;
        let center = if force > 0.0 { torque / force } else { centroid };
        Some(Moments {
            area,
            centroid: origin + centroid,
            pressure: force / area,
            center_of_pressure: origin + center,
        })
    }

    /// Calls `piece` with parts that are not longer than `grain` \[m\]: the polygon is halved across its longest diagonal until they are.
    pub(super) fn pieces(&self, grain: f64, piece: &mut impl FnMut(&Self)) {
        match grain.is_finite() {
            true => self.halved(grain, HALVINGS, piece),
            false => piece(self),
        }
    }

    fn halved(&self, grain: f64, left: u32, piece: &mut impl FnMut(&Self)) {
        let c = self.corners();
        let mut far = (0.0, V::zeros(), P::origin());
        for i in 1..c.len() {
            for j in 0..i {
                let d = c[i] - c[j];
                if d.norm_squared() > far.0 {
                    far = (d.norm_squared(), d, c[j] + 0.5 * d);
                }
            }
        }
        let (squared, along, middle) = far;
        if squared <= grain * grain || left == 0 || self.len + 2 > ROOM {
            piece(self);
            return;
        }
        for m in [along, -along] {
            let part = self.beyond(&middle, &m);
            if part.len >= 3 {
                part.halved(grain, left - 1, piece);
            }
        }
    }
}
