//! Time for which a triangle mesh and another shape stay apart: conservative advancement over trees of triangles (Mirtich 1996; Tang, Kim and Manocha 2009).
//!
//! Convex parts whose separation along a unit vector n is s, and whose points move against each other at velocities within ω of v, are at least
//! ```text
//! s − t (ω − v·n)
//! ```
//! apart at the time t. So a pair of triangles, and a pair of boxes about triangles, is safe until that falls to the gap that is asked for; the pair that is safe for the shortest time
//! counts, and boxes that are safe for longer are not opened.

use signorini_core::na::{Isometry3, Vector3};

use super::convex::core_distance;
use super::core::{Core, Pair, core_of, unit};
use crate::{Aabb, Shape, TriangleMesh, aabb};

type V = Vector3<f64>;

/// Motion of a shape B relative to A: points of B move against those of A at velocities within `spin` of `velocity`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// World \[m/s\].
    pub velocity: Vector3<f64>,
    /// \[m/s\].
    pub spin: f64,
}

/// How long two shapes stay apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apart {
    /// Time until which they are for certain \[s\]; infinite beyond the horizon.
    pub time: f64,
    /// Gap of the parts that bound it \[m\].
    pub gap: f64,
}

/// The parts of B.
#[derive(Clone, Copy)]
enum Parts<'a> {
    Mesh(&'a TriangleMesh),
    /// Convex, swept by a ball.
    Core(Core<'a>, f64, Aabb),
}

/// Time until which a triangle mesh and another mesh or a convex shape stay farther apart than `least` \[m\]; None for other pairs. The sides that face a
/// shape count, not those that it lies wholly behind.
///
/// - `least` — ≥ 0 \[m\]
/// - `horizon` — \[s\]
#[must_use]
pub fn time_apart(
    [a, b]: [&Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    approach: &Approach,
    least: f64,
    horizon: f64,
) -> Option<Apart> {
    let (Shape::Mesh(mesh), parts) = (a, parts(b)) else {
        let Shape::Mesh(_) = b else { return None };
        let turned = Approach { velocity: -approach.velocity, ..*approach };
        return core_of(a).and_then(|_| time_apart([b, a], [x_wb, x_wa], &turned, least, horizon));
    };
    let parts = parts?;
    let x_ab = x_wa.inv_mul(x_wb);
    let mut search = Search {
        mesh,
        parts,
        pair: Pair::new(Core::Point, Core::Point, &x_ab),
        velocity: x_wa.rotation.inverse_transform_vector(&approach.velocity),
        spin: approach.spin,
        least,
        apart: Apart { time: horizon, gap: f64::INFINITY },
    };
    let far = |b: &Aabb| b.min.coords.norm().max(b.max.coords.norm());
    search.pair.scale += far(&mesh.bvh().bounds());
    let (velocity, spin) = (search.velocity, search.spin);
    let lower = |a: &Aabb, b: &Aabb| {
        let way = V::from_fn(|k, _| (b.min[k] - a.max[k]).max(0.0) - (a.min[k] - b.max[k]).max(0.0));
        let s = way.norm();
        if s > least { time(s - least, spin - velocity.dot(&way) / s) } else { 0.0 }
    };
    match parts {
        Parts::Mesh(other) => {
            search.pair.scale += far(&other.bvh().bounds());
            mesh.bvh().search_pairs(other.bvh(), &x_ab, horizon, lower, |i, j| search.meet(i, Some(j)));
        }
        Parts::Core(core, _, bounds) => {
            search.pair.b = core;
            search.pair.scale += core.extent();
            let bounds = bounds.transformed(&x_ab);
            mesh.bvh().search(horizon, |a| lower(a, &bounds), |i| search.meet(i, None));
        }
    }
    let beyond = search.apart.gap == f64::INFINITY;
    Some(if beyond { Apart { time: f64::INFINITY, gap: f64::INFINITY } } else { search.apart })
}

fn parts(shape: &Shape) -> Option<Parts<'_>> {
    if let Shape::Mesh(m) = shape {
        return Some(Parts::Mesh(m));
    }
    let (core, radius) = core_of(shape)?;
    Some(Parts::Core(core, radius, aabb(shape, &Isometry3::identity())))
}

/// Time in which a way is covered \[s\].
fn time(way: f64, speed: f64) -> f64 {
    if speed > 0.0 { way / speed } else { f64::INFINITY }
}

struct Search<'a> {
    mesh: &'a TriangleMesh,
    parts: Parts<'a>,
    pair: Pair<'a>,
    /// Frame of the mesh.
    velocity: V,
    spin: f64,
    least: f64,
    /// Of the pair that is safe for the shortest time so far.
    apart: Apart,
}

impl Search<'_> {
    /// Meets triangle `i` of the mesh and the other shape, or triangle `j` of it; the shortest time so far.
    fn meet(&mut self, i: u32, j: Option<u32>) -> f64 {
        let corners = |m: &TriangleMesh, i: u32| m.triangle(i as usize).map(|p| p.coords);
        let t = corners(self.mesh, i);
        self.pair.a = Core::Triangle(t);
        let mut radius = 0.0;
        match (self.parts, j) {
            (Parts::Mesh(other), Some(j)) => {
                let u = corners(other, j);
                self.pair.b = Core::Triangle(u);
                let Some(n) = normal(&u) else { return self.apart.time };
                let n = self.pair.r * n;
                let foot = self.pair.r * u[0] + self.pair.t;
                if n.dot(&(self.pair.a.support(&n) - foot)) < 0.0 {
                    return self.apart.time;
                }
            }
            (Parts::Core(_, r, _), _) => radius = r,
            (Parts::Mesh(_), None) => return self.apart.time,
        }
        let Some(n) = normal(&t) else { return self.apart.time };
        if n.dot(&(self.pair.support_b(&-n) - t[0])) + radius < 0.0 {
            return self.apart.time;
        }
        let speed = self.velocity.norm() + self.spin;
        let limit = self.least + speed * self.apart.time;
        let Some(w) = core_distance(&self.pair, limit + radius) else { return self.apart.time };
        let gap = w.s - radius;
        let safe =
            if gap > self.least { time(gap - self.least, self.spin - self.velocity.dot(&w.n)) } else { 0.0 };
        if safe < self.apart.time {
            self.apart = Apart { time: safe, gap };
        }
        self.apart.time
    }
}

fn normal(t: &[V; 3]) -> Option<V> {
    unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)
}
