//! Triangle surfaces and height fields against convex shapes, one triangle at a time.
//!
//! A triangle pushes along normals that its surface allows there: its own, and at a convex edge or corner those between its own and
//! its neighbours'. So a flat surface pushes along its one normal wherever its inner edges lie.

use std::cell::RefCell;

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::convex::{core_distance, witness_over};
use super::core::{Core, Pair, unit};
use super::face::{EDGE, FACE};
use super::patch::around;
use super::polish::{Direction, polish};
use super::reduce::reduce;
use super::{ContactPoint, Witness};
use crate::{Aabb, HeightField, Shape, TriangleMesh};

type V = Vector3<f64>;

/// Sine below which a direction counts as lying in a plane or along a normal.
const ALIGNED: f64 = 1e-6;
/// Cosine above which the normals of two points count as one.
const SAME_NORMAL: f64 = 0.9999;

#[derive(Default)]
struct Scratch {
    triangles: Vec<u32>,
    points: Vec<ContactPoint>,
    group: Vec<ContactPoint>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// A surface made of triangles.
#[derive(Clone, Copy)]
pub(super) enum Surface<'a> {
    Mesh(&'a TriangleMesh),
    /// Solid below: what has sunk in is pushed up.
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

    fn near(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        match self {
            Self::Mesh(m) => m.triangles_in_aabb(aabb, out),
            Self::Field(h) => h.triangles_in_aabb(aabb, out),
        }
    }

    fn triangle(&self, i: u32) -> [V; 3] {
        let t = match self {
            Self::Mesh(m) => m.triangle(i as usize),
            Self::Field(h) => h.triangle(i as usize),
        };
        t.map(|p| p.coords)
    }
}

/// Appends the contacts of a surface A with a convex B of the given core and radius.
pub(super) fn contacts(
    a: Surface<'_>,
    b: (Core<'_>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut s) => collect(a, b, x_wa, x_wb, margin, &mut s, out),
        Err(_) => collect(a, b, x_wa, x_wb, margin, &mut Scratch::default(), out),
    });
}

fn collect(
    a: Surface<'_>,
    (b, radius): (Core<'_>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    s: &mut Scratch,
    out: &mut Vec<ContactPoint>,
) {
    let x_ab = x_wa.inv_mul(x_wb);
    let mut query = Query {
        surface: a,
        pair: Pair::new(Core::Point, b, &x_ab),
        radius,
        margin,
        x_wa,
        solid: matches!(a, Surface::Field(_)),
    };
    let aabb = query.aabb_of_b().inflated(margin.max(0.0) + radius + 1e-9 * query.pair.scale);
    a.near(&aabb, &mut s.triangles);
    s.points.clear();
    for &i in &s.triangles {
        let t = a.triangle(i);
        query.pair.a = Core::Triangle(t);
        let from = s.points.len();
        query.triangle(i, &t, &s.triangles, &mut s.points);
        for c in &mut s.points[from..] {
            let code = local_code((c.feature >> 32) as u32);
            c.feature = u64::from(FACE | (i << 3 | code) & !(3 << 30)) << 32 | c.feature & 0xffff_ffff;
        }
    }
    merge(&mut s.points, 1e-9 * query.pair.scale);
    // At most a patch of points for each normal.
    while let Some(first) = s.points.first().map(|c| c.normal) {
        s.group.clear();
        s.group.extend(s.points.iter().filter(|c| c.normal.dot(&first) > SAME_NORMAL));
        s.points.retain(|c| c.normal.dot(&first) <= SAME_NORMAL);
        if s.group.is_empty() {
            break;
        }
        reduce(&mut s.group, 0);
        out.extend_from_slice(&s.group);
    }
}

/// Corners 0 to 2, edges 3 to 5, the face 6.
fn local_code(code: u32) -> u32 {
    match code & (3 << 30) {
        EDGE => 2 + (code >> 15 & 0x7fff) + (code & 0x7fff),
        FACE => 6,
        _ => code & 3,
    }
}

/// Of points at one place with one normal, keeps the deepest (of equal ones the first).
fn merge(points: &mut Vec<ContactPoint>, tol: f64) {
    let mut kept = 0;
    for i in 0..points.len() {
        let c = points[i];
        let same = points[..kept].iter().position(|k| {
            (k.p_b - c.p_b).norm_squared() <= tol * tol && k.normal.dot(&c.normal) > SAME_NORMAL
        });
        match same {
            Some(k) if c.gap < points[k].gap - tol => points[k] = c,
            Some(_) => {}
            None => {
                points[kept] = c;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
}

struct Query<'a> {
    surface: Surface<'a>,
    pair: Pair<'a>,
    radius: f64,
    margin: f64,
    x_wa: &'a Isometry3<f64>,
    solid: bool,
}

impl Query<'_> {
    /// The box about the core of B, in the frame of the surface.
    fn aabb_of_b(&self) -> Aabb {
        let reach = |n: V| self.pair.support_b(&n);
        let (x, y, z) = (V::x(), V::y(), V::z());
        let lo = Point3::new(reach(x).x, reach(y).y, reach(z).z);
        let hi = Point3::new(reach(-x).x, reach(-y).y, reach(-z).z);
        Aabb::new(lo, hi)
    }

    /// Contacts of one triangle.
    fn triangle(&self, i: u32, t: &[V; 3], near: &[u32], out: &mut Vec<ContactPoint>) {
        let Some(own) = unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0) else { return };
        let reach = self.margin + self.radius;
        // All of B above the plane.
        let above = self.pair.separation(&own);
        if above >= reach {
            return;
        }
        let behind = own.dot(&(self.pair.support_b(&-own) - t[0])) < 0.0;
        let sunk = behind && self.solid;
        if behind && !sunk {
            return;
        }
        let (n, s, witness) = if sunk {
            (own, above, witness_over(&self.pair, &own))
        } else {
            let Some(w) = core_distance(&self.pair, reach) else { return };
            let facing = w.n.dot(&own);
            if w.s > 1e-12 * self.pair.scale {
                if w.n.cross(&own).norm() <= ALIGNED {
                    if facing < 0.0 {
                        return;
                    }
                    (own, w.s, (w.p_a, w.p_b))
                } else if facing < -ALIGNED || !self.allowed(i, t, &w.n, &w.p_a, near) {
                    return;
                } else {
                    (w.n, w.s, (w.p_a, w.p_b))
                }
            } else {
                let d = self.way_out(i, t, &own, near);
                (d.n, d.s, witness_over(&self.pair, &d.n))
            }
        };
        let gap = s - self.radius;
        if gap >= self.margin {
            return;
        }
        let normal = self.x_wa.rotation * n;
        let (p_a, p_b) = witness;
        let over = (p_b - p_a - n * s).norm() <= 1e-9 * self.pair.scale;
        let p_a = self.x_wa * Point3::from(p_a);
        let w = Witness { gap: if over { gap } else { f64::INFINITY }, normal, p_a, p_b: p_a + normal * gap };
        around(&self.pair, [0.0, self.radius], &w, &n, self.x_wa, self.margin, out);
    }

    /// Whether the surface allows the normal `n` at the point `p` of the rim of triangle `i`: no neighbour there is nearer.
    fn allowed(&self, i: u32, t: &[V; 3], n: &V, p: &V, near: &[u32]) -> bool {
        let size = (t[1] - t[0]).norm().max((t[2] - t[0]).norm());
        // The corners of the edge or the corner that p lies on: those with a positive share of it.
        let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
        let share =
            |k: usize| (t[(k + 1) % 3] - p).cross(&(t[(k + 2) % 3] - p)).dot(&normal) / normal.norm_squared();
        let on = [0, 1, 2].map(|k| share(k) > 1e-7);
        near.iter().filter(|j| **j != i).all(|&j| {
            let other = self.surface.triangle(j);
            let touches = (0..3).filter(|&k| on[k]).all(|k| other.contains(&t[k]));
            !touches || other.iter().all(|v| n.dot(&(v - p)) <= ALIGNED * size)
        })
    }

    /// The allowed normal along which B leaves the triangle soonest.
    fn way_out(&self, i: u32, t: &[V; 3], own: &V, near: &[u32]) -> Direction {
        let mut best = Direction { n: *own, s: self.pair.separation(own) };
        for k in 0..3 {
            let (p, q, apex) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
            let mut beyond = None;
            for &j in near.iter().filter(|j| **j != i) {
                let other = self.surface.triangle(j);
                if other.contains(&p) && other.contains(&q) {
                    beyond = Some(other);
                    break;
                }
            }
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
                    let s = self.pair.separation(&n);
                    if s > best.s {
                        best = Direction { n, s };
                    }
                }
            }
        }
        if best.n != *own {
            let d = polish(&self.pair, best, 0.2, 4);
            let (p, _) = witness_over(&self.pair, &d.n);
            if d.n.dot(own) >= -ALIGNED && self.allowed(i, t, &d.n, &p, near) {
                return d;
            }
        }
        best
    }
}
