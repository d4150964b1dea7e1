//! Surfaces of triangles: meshes and height fields.

use std::cell::Cell;

use signorini_core::na::{Point3, Vector3};

use super::core::unit;
use super::face::{EDGE, FACE};
use crate::mesh_links::{Beyond, LEVEL, Tile, hit, is_crossed};
use crate::{Aabb, HeightField, Shape, Stencil, TriangleMesh};

type V = Vector3<f64>;

/// Depths behind a triangle within which a point is nearest to a hollow beside it.
const HOLLOW: f64 = 4.0;

/// A surface made of triangles.
#[derive(Clone, Copy)]
pub(super) enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    /// Solid below: sunken shapes are pushed up.
    Field(&'a HeightField),
}

impl<'a> Surface<'a> {
    pub(super) fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(m) => Some(Self::Mesh(m)),
            Shape::HeightField(h) => Some(Self::Field(h)),
            _ => None,
        }
    }

    pub(super) fn near(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        match self {
            Self::Mesh(m) => m.triangles_in_aabb(aabb, out),
            Self::Field(h) => h.triangles_in_aabb(aabb, out),
        }
    }

    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Mesh(m) => m.bvh().bounds(),
            Self::Field(h) => h.aabb(),
        }
    }

    pub(super) fn triangle(&self, i: u32) -> [V; 3] {
        let t = match self {
            Self::Mesh(m) => m.triangle(i as usize),
            Self::Field(h) => h.triangle(i as usize),
        };
        t.map(|p| p.coords)
    }

    /// Calls `visit` with the triangles that share a corner with triangle `i`, and perhaps others near it.
    pub(super) fn touching(&self, i: u32, mut visit: impl FnMut(u32)) {
        match self {
            Self::Mesh(m) => m.links().touching(i, visit),
            Self::Field(h) => {
                let cols = h.cols - 1;
                let (row, col) = (i as usize / 2 / cols, i as usize / 2 % cols);
                for r in row.saturating_sub(1)..=(row + 1).min(h.rows - 2) {
                    for c in col.saturating_sub(1)..=(col + 1).min(cols - 1) {
                        let first = 2 * (r * cols + c) as u32;
                        [first, first + 1].into_iter().filter(|j| *j != i).for_each(&mut visit);
                    }
                }
            }
        }
    }

    /// Triangle `i` among its neighbours; None for one without area.
    pub(super) fn tile(&self, i: u32) -> Option<Tile> {
        match self {
            Self::Mesh(m) => m.links().tile(i).copied(),
            Self::Field(h) => {
                let t = self.triangle(i);
                let n = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)?;
                let (mut beyond, mut owned) = ([Beyond::Rim; 3], 0b11_1111);
                self.touching(i, |j| {
                    let other = self.triangle(j);
                    for k in 0..3 {
                        let (p, q) = (t[k], t[(k + 1) % 3]);
                        if !other.contains(&p) {
                            continue;
                        }
                        let first = if j < i { 1 << k } else { 0 };
                        owned &= !first;
                        if let (true, Some(apex)) =
                            (other.contains(&q), other.iter().find(|v| **v != p && **v != q))
                        {
                            owned &= !(first << 3);
                            beyond[k] = Beyond::of(&n, &(apex - p), *apex);
                        }
                    }
                });
                let reach = (t[0].z + t[1].z + t[2].z) / 3.0 + h.base;
                let tile = Tile { t, n, beyond, owned, sharp: false, reach };
                Some(Tile { sharp: tile.turns_back(), ..tile })
            }
        }
    }

    /// Whether the surface about corner `k` of triangle `i` reaches farthest along the unit vector `d` there, outward.
    pub(super) fn is_foremost(&self, i: u32, k: usize, d: &V) -> bool {
        match self {
            Self::Mesh(m) => m.links().is_foremost(i, k, d),
            Self::Field(_) => {
                let t = self.triangle(i);
                let p = t[k];
                let behind = |t: &[V; 3]| t.iter().all(|v| d.dot(&(v - p)) <= LEVEL * (v - p).norm());
                let mut foremost = d.z >= -LEVEL && behind(&t);
                self.touching(i, |j| {
                    let other = self.triangle(j);
                    foremost &= !other.contains(&p) || behind(&other);
                });
                foremost
            }
        }
    }

    /// Whether triangle `j` holds corner `k` of triangle `i`.
    pub(super) fn holds(&self, j: u32, i: u32, k: usize) -> bool {
        match self {
            Self::Mesh(m) => m.links().holds(j, i, k),
            Self::Field(_) => self.triangle(j).contains(&self.triangle(i)[k]),
        }
    }

    /// Whether a point behind triangle `i`, but not over it, is nearest to an edge or a corner of it where the surface is hollow: the planes of all triangles there bound the room of that point.
    pub(super) fn is_behind_hollow(&self, i: u32, tile: &Tile, x: &V, eps: f64) -> bool {
        let h = tile.n.dot(&(x - tile.t[0]));
        if h >= 0.0 || !tile.beyond.contains(&Beyond::Rises) {
            return false;
        }
        let to = |t: &[V; 3]| Stencil::PointTriangle.distance(&[*x, t[0], t[1], t[2]]);
        let near = to(&tile.t);
        // Corners that carry the nearest point, and an edge there beyond which the surface rises.
        let on = [0, 1, 2].map(|k| near.weights[k + 1] != 0.0);
        let rises = |k: usize| tile.beyond[k] == Beyond::Rises;
        let hollow = match on.iter().filter(|on| **on).count() {
            1 => (0..3).any(|k| rises(k) && (on[k] || on[(k + 1) % 3])),
            2 => (0..3).any(|k| rises(k) && on[k] && on[(k + 1) % 3]),
            _ => false,
        };
        if !hollow || near.squared > (HOLLOW * h).powi(2) {
            return false;
        }
        let mut nearest = true;
        self.touching(i, |j| {
            let holds = (0..3).filter(|k| on[*k]).all(|k| self.holds(j, i, k));
            if nearest && holds {
                let t = self.triangle(j);
                let behind = (t[1] - t[0]).cross(&(t[2] - t[0])).dot(&(x - t[0])) <= 0.0;
                nearest = behind && to(&t).squared.sqrt() >= near.squared.sqrt() - eps;
            }
        });
        nearest
    }

    /// Whether the way between two points crosses the surface, touching counts; `near` is overwritten.
    pub(super) fn is_crossed(&self, from: &V, to: &V, near: &mut Vec<u32>) -> bool {
        let (origin, d) = (Point3::from(*from), to - from);
        let crosses =
            |i: u32| hit(&self.triangle(i).map(Point3::from), &origin, &d).is_some_and(|s| s <= 1.0);
        match self {
            Self::Mesh(m) => {
                let found = Cell::new(false);
                let enter = |b: &Aabb| !found.get() && is_crossed(b, &origin, &d, 1.0);
                m.bvh().visit(enter, |i| found.set(found.get() || crosses(i)));
                found.get()
            }
            Self::Field(h) => {
                h.triangles_in_aabb(&Aabb::from_points(&[origin, origin + d]), near);
                near.iter().any(|i| crosses(*i))
            }
        }
    }

    /// Whether a point is in the solid, by the side of the triangle that is nearest along `d`.
    pub(super) fn holds_point(&self, p: &V, d: &V) -> bool {
        match self {
            Self::Mesh(m) => {
                let origin = Point3::from(*p);
                let first = Cell::new((f64::INFINITY, false));
                let enter = |b: &Aabb| is_crossed(b, &origin, d, first.get().0);
                m.bvh().visit(enter, |i| {
                    if let Some(s) = hit(&m.triangle(i as usize), &origin, d)
                        && s < first.get().0
                    {
                        first.set((s, m.links().normal(i).dot(d) > 0.0));
                    }
                });
                first.get().1
            }
            Self::Field(h) => h.height_at(p.x, p.y).is_some_and(|z| z > p.z) && p.z >= -h.base,
        }
    }

    /// Whether an edge of triangle `t` crosses triangle `u`, or one of `u` crosses `t`.
    pub(super) fn cross(t: &[V; 3], u: &[V; 3]) -> bool {
        let pierces = |t: &[V; 3], u: &[V; 3]| {
            (0..3).any(|k| crate::segment_crosses_triangle(&[t[k], t[(k + 1) % 3]], u))
        };
        pierces(t, u) || pierces(u, t)
    }
}

impl Tile {
    pub(super) fn owns_corner(&self, k: usize) -> bool {
        self.owned >> k & 1 == 1
    }

    /// Whether the edge k to k + 1 is its own, and an edge at all.
    pub(crate) fn owns_edge(&self, k: usize) -> bool {
        self.owned >> (3 + k) & 1 == 1 && !matches!(self.beyond[k], Beyond::Level | Beyond::Rises)
    }

    /// Whether a part of the triangle, by its code, is a corner or an edge within a plane, or at the foot of a side that rises: no end of the solid.
    pub(super) fn is_within(&self, code: u32) -> bool {
        let level = |k: usize| self.beyond[k] == Beyond::Level;
        let rises = |k: usize| self.beyond[k] == Beyond::Rises;
        let edge = |k: usize| level(k) || rises(k);
        match surface_code(0, code) & 7 {
            k @ 0..=2 => {
                let (k, l) = (k as usize, (k as usize + 2) % 3);
                rises(k) || rises(l) || (level(k) && level(l))
            }
            3 => edge(0),
            4 => edge(2),
            5 => edge(1),
            _ => false,
        }
    }

    /// Whether the unit vector `d`, normal to the edge k to k + 1, is one of its normals.
    pub(super) fn has_normal(&self, k: usize, d: &V) -> bool {
        let p = self.t[k];
        let behind = |v: &V| d.dot(&(v - p)) <= LEVEL * (v - p).norm();
        behind(&self.t[(k + 2) % 3])
            && match self.beyond[k] {
                Beyond::Level | Beyond::Rises => false,
                Beyond::Rim => d.dot(&self.n) >= -LEVEL,
                Beyond::Falls(apex) => behind(&apex),
            }
    }

    /// Unit normal of the surface beyond the edge k to k + 1; that of a rim lies in the plane of its triangle.
    pub(super) fn beyond_normal(&self, k: usize) -> Option<V> {
        let (p, q) = (self.t[k], self.t[(k + 1) % 3]);
        match self.beyond[k] {
            Beyond::Falls(apex) => unit(&(p - q).cross(&(apex - q)), 0.0),
            Beyond::Rim => unit(&(q - p).cross(&self.n), 0.0),
            Beyond::Level | Beyond::Rises => None,
        }
    }

    /// Whether a triangle beyond an edge of its own turns back under it.
    pub(crate) fn turns_back(&self) -> bool {
        (0..3).any(|k| {
            let (p, q) = (self.t[k], self.t[(k + 1) % 3]);
            let inward = self.n.cross(&(q - p));
            matches!(self.beyond[k], Beyond::Falls(apex) if self.owns_edge(k) && inward.dot(&(apex - p)) > 0.0)
        })
    }
}

/// A feature of triangle `i`: corners 0 to 2, edges 3 to 5, the face 6.
pub(super) fn surface_code(i: u32, code: u32) -> u32 {
    let local = match code & (3 << 30) {
        EDGE => 2 + (code >> 15 & 0x7fff) + (code & 0x7fff),
        FACE => 6,
        _ => code & 3,
    };
    FACE | (i << 3 | local) & !(3 << 30)
}
