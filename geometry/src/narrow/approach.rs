//! Time for which a triangle mesh and another shape stay apart: conservative advancement over trees of triangles (Mirtich 1996; Tang, Kim and Manocha 2009).
//!
//! Convex parts whose separation along a unit vector n is s, and whose points come nearer along n no faster than c at first and no faster than c + 2 b t at the time t, are at least
//! ```text
//! s − c t − b t²
//! ```
//! apart then. So a pair of triangles, and a pair of boxes about triangles, is safe until that falls to the gap that is asked for; the pair that is safe for the shortest time
//! counts, and boxes that are safe for longer are not opened.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::convex::core_distance;
use super::core::{Core, Pair, core_of, unit};
use super::face::FACE;
use super::near_triangles::{Boxes, NearTriangles};
use super::{ContactPoint, feature};
use crate::surface_parts::SurfaceParts;
use crate::{Aabb, Shape, TriangleMesh, aabb};

type V = Vector3<f64>;

/// Round-off of times and distances, relative to them.
const ROUND_OFF: f64 = 1e-9;

/// Motion of a rigid body from a moment on: `center` moves on with a constant acceleration, and the body turns about it. The spin keeps its size, and its axis turns no faster than the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// World \[m\].
    pub center: Point3<f64>,
    /// World \[m/s\].
    pub velocity: Vector3<f64>,
    /// World \[m/s²\].
    pub acceleration: Vector3<f64>,
    /// World \[rad/s\].
    pub angular: Vector3<f64>,
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
    shapes: [&Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    motions: [&RigidMotion; 2],
    least: f64,
    horizon: f64,
) -> Option<Apart> {
    time_apart_near(shapes, [x_wa, x_wb], motions, [least, horizon], &mut None)
}

/// [`time_apart`], with the triangles that would have met soonest.
pub(super) fn time_apart_near(
    shapes: [&Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    motions: [&RigidMotion; 2],
    limits: [f64; 2],
    soonest: &mut Option<[u32; 2]>,
) -> Option<Apart> {
    let ([a, b], turned) = mesh_first(shapes)?;
    let ([x_wa, x_wb], [of_a, of_b]) =
        if turned { ([x_wb, x_wa], [motions[1], motions[0]]) } else { ([x_wa, x_wb], motions) };
    let clock = Clock::Motion(Relative::new([a, b], [x_wa, x_wb], [of_a, of_b]));
    let apart = search([a, b], [x_wa, x_wb], clock, limits, soonest)?.apart;
    let beyond = apart.gap == f64::INFINITY;
    Some(if beyond { Apart { time: f64::INFINITY, gap: f64::INFINITY } } else { apart })
}

/// The nearest sides of a triangle mesh and of another mesh or a convex shape that face each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Facing {
    /// Where they are nearest.
    Apart(ContactPoint),
    /// They touch or cross.
    Touching,
    /// None is within the margin.
    Beyond,
}

/// How near the sides of a triangle mesh and of another mesh or a convex shape come that face each other, within `margin` \[m\]; None for other pairs.
#[must_use]
pub fn facing_sides(shapes: [&Shape; 2], poses: [&Isometry3<f64>; 2], margin: f64) -> Option<Facing> {
    facing_sides_near(shapes, poses, margin, &mut None)
}

/// [`facing_sides`], with the triangles that were nearest.
pub(super) fn facing_sides_near(
    shapes: [&Shape; 2],
    poses: [&Isometry3<f64>; 2],
    margin: f64,
    nearest: &mut Option<[u32; 2]>,
) -> Option<Facing> {
    let (shapes, turned) = mesh_first(shapes)?;
    let poses = if turned { [poses[1], poses[0]] } else { poses };
    let found = search(shapes, poses, Clock::Distance, [0.0, margin], nearest)?;
    Some(match found.near {
        None if found.apart.gap == f64::INFINITY => Facing::Beyond,
        Some((n, p_a, p_b)) if found.apart.gap > 0.0 => {
            let [p_a, p_b] = [p_a, p_b].map(|p| poses[0] * Point3::from(p));
            let normal = poses[0].rotation * n;
            let feature = feature([FACE; 2]);
            let c = ContactPoint { p_a, p_b, normal, gap: found.apart.gap, feature };
            Facing::Apart(if turned { c.flipped() } else { c })
        }
        _ => Facing::Touching,
    })
}

/// Whether triangles of two meshes come within `eps` \[m\] of each other; `x_ab` maps the frame of B to that of A.
pub(super) fn touch(a: &TriangleMesh, b: &TriangleMesh, x_ab: &Isometry3<f64>, eps: f64) -> bool {
    let mut touches = touching([a, b], x_ab, eps);
    let mut found = false;
    let lower = |a: &Aabb, b: &Aabb| way(a, b).norm();
    let (parts, r) = ([a, b].map(|m| m.links().parts()), x_ab.rotation.to_rotation_matrix());
    let closer = |nodes: [usize; 2], bound: f64| {
        SurfaceParts::apart(parts, (r.matrix(), &x_ab.translation.vector), nodes, bound, |s, _, _, _| s)
    };
    a.bvh().search_pairs(b.bvh(), x_ab, eps, (lower, closer), |[i, j], _| {
        found = found || touches(i, j);
        if found { f64::NEG_INFINITY } else { eps }
    });
    found
}

/// [`touch`] of triangles among those that were near each other.
pub(super) fn touch_of(
    near: &NearTriangles,
    [a, b]: [&TriangleMesh; 2],
    x_ab: &Isometry3<f64>,
    eps: f64,
) -> bool {
    let mut touches = touching([a, b], x_ab, eps);
    let mut found = false;
    near.visit([a, b], Boxes::Triangles, x_ab, eps, |i, j| found = found || touches(i, j));
    found
}

/// Tells whether two triangles come within `eps` \[m\].
fn touching<'m>(
    [a, b]: [&'m TriangleMesh; 2],
    x_ab: &Isometry3<f64>,
    eps: f64,
) -> impl FnMut(u32, u32) -> bool + 'm {
    let mut pair = Pair::new(Core::Point, Core::Point, x_ab);
    pair.scale += far(&a.bvh().bounds()) + far(&b.bvh().bounds());
    let corners = |m: &TriangleMesh, i: u32| Core::Triangle(m.triangle(i as usize).map(|p| p.coords));
    move |i, j| {
        (pair.a, pair.b) = (corners(a, i), corners(b, j));
        core_distance(&pair, eps).is_some_and(|w| w.s <= eps)
    }
}

/// The two shapes, the second before the first where it alone is a mesh, and whether it is.
fn mesh_first([a, b]: [&Shape; 2]) -> Option<([&Shape; 2], bool)> {
    match (a, b) {
        (Shape::Mesh(_), _) => Some(([a, b], false)),
        (_, Shape::Mesh(_)) => core_of(a).map(|_| ([b, a], true)),
        _ => None,
    }
}

/// The parts of two shapes that meet first, of those that do before the horizon. `hint` is a pair of triangles that may be the first, and becomes the one that is.
fn search<'a>(
    [a, b]: [&'a Shape; 2],
    [x_wa, x_wb]: [&Isometry3<f64>; 2],
    clock: Clock,
    [least, horizon]: [f64; 2],
    hint: &mut Option<[u32; 2]>,
) -> Option<Search<'a>> {
    let (Shape::Mesh(mesh), Some(parts)) = (a, parts(b)) else { return None };
    let x_ab = x_wa.inv_mul(x_wb);
    let mut pair = Pair::new(Core::Point, Core::Point, &x_ab);
    pair.scale += far(&mesh.bvh().bounds());
    match parts {
        Parts::Mesh(other) => pair.scale += far(&other.bvh().bounds()),
        Parts::Core(core, ..) => {
            pair.b = core;
            pair.scale += core.extent();
        }
    }
    let apart = Apart { time: horizon, gap: f64::INFINITY };
    let mut search = Search { mesh, parts, pair, clock, least, apart, near: None, first: None };
    if let Some(time) = search.time_of(*hint) {
        // Beyond round-off of boxes, so that the search ends as it would without the bound.
        search.apart.time = horizon.min(time.max(0.0) + ROUND_OFF * (time.abs() + horizon));
        search.run(&x_ab);
    }
    if search.first.is_none() {
        search.apart = apart;
        search.run(&x_ab);
    }
    *hint = search.first.or(*hint);
    Some(search)
}

/// The shortest way from one box to another.
fn way(a: &Aabb, b: &Aabb) -> V {
    V::from_fn(|k, _| (b.min[k] - a.max[k]).max(0.0) - (a.min[k] - b.max[k]).max(0.0))
}

/// Largest distance of a box from the origin.
pub(super) fn far(b: &Aabb) -> f64 {
    b.min.coords.norm().max(b.max.coords.norm())
}

fn parts(shape: &Shape) -> Option<Parts<'_>> {
    if let Shape::Mesh(m) = shape {
        return Some(Parts::Mesh(m));
    }
    let (core, radius) = core_of(shape)?;
    Some(Parts::Core(core, radius, aabb(shape, &Isometry3::identity())))
}

/// A part of a shape.
enum Part {
    Corners([V; 3]),
    Ball(Ball),
}

/// A ball about a part of a shape.
struct Ball {
    center: V,
    radius: f64,
}

impl Ball {
    fn about(points: &[V; 3]) -> Self {
        let center = (points[0] + points[1] + points[2]) / 3.0;
        let radius = points.iter().map(|p| (p - center).norm_squared()).fold(0.0, f64::max).sqrt();
        Self { center, radius }
    }
}

/// Measure of how soon parts meet.
#[derive(Clone, Copy)]
enum Clock {
    /// By their distance.
    Distance,
    Motion(Relative),
}

impl Clock {
    /// Time for which parts within balls keep some of the way `gap` along the unit vector `n` from A to B.
    fn time(&self, gap: f64, n: &V, balls: impl FnOnce() -> [Ball; 2]) -> f64 {
        match self {
            Self::Distance => gap,
            Self::Motion(m) => m.time(gap, n, balls),
        }
    }

    /// [`Clock::time`] of a triangle and a part of B that are `gap` apart along the unit vector `n`, until `least`.
    fn time_of_parts(&self, [gap, least]: [f64; 2], n: &V, a: &[V; 3], b: impl FnOnce() -> Part) -> f64 {
        let m = match self {
            Self::Distance => return gap - least,
            Self::Motion(m) => m,
        };
        let all = m.time_of_all(gap - least, n);
        if m.spin == 0.0 || all == f64::INFINITY {
            return all;
        }
        match b() {
            Part::Corners(b) => all.max(m.time_of_corners(least, n, a, &b)),
            Part::Ball(b) => m.time(gap - least, n, || [Ball::about(a), b]),
        }
    }

    /// Largest gap that may close within a time.
    fn way(&self, time: f64) -> f64 {
        match self {
            Self::Distance => time,
            Self::Motion(m) => (m.velocity.norm() + m.spin + m.fall * time) * time,
        }
    }
}

/// Motion of two bodies, in the frame of A.
#[derive(Clone, Copy)]
struct Relative {
    centers: [V; 2],
    angular: [V; 2],
    /// Of the centre of B against that of A.
    velocity: V,
    /// Speed that turning adds at most \[m/s\].
    spin: f64,
    /// Half the acceleration of the centre of B against that of A \[m/s²\].
    fall: f64,
    /// Half that of points of both, turning included \[m/s²\].
    bend: f64,
}

impl Relative {
    fn new(shapes: [&Shape; 2], poses: [&Isometry3<f64>; 2], motions: [&RigidMotion; 2]) -> Self {
        let to_a = |v: &V| poses[0].rotation.inverse_transform_vector(v);
        let centers = motions.map(|m| poses[0].inverse_transform_point(&m.center).coords);
        let angular = motions.map(|m| to_a(&m.angular));
        let fall = 0.5 * (motions[1].acceleration - motions[0].acceleration).norm();
        let (mut spin, mut bend) = (0.0, fall);
        for k in 0..2 {
            let turns = motions[k].angular.norm();
            if turns > 0.0 {
                let far = match shapes[k] {
                    // Turning about its middle moves none of it.
                    Shape::Sphere { .. } => poses[k].translation.vector - motions[k].center.coords,
                    shape => {
                        let b = aabb(shape, poses[k]);
                        (b.min - motions[k].center).abs().sup(&(b.max - motions[k].center).abs())
                    }
                };
                spin += turns * far.norm();
                bend += turns * turns * far.norm();
            }
        }
        Self {
            centers,
            angular,
            velocity: to_a(&(motions[1].velocity - motions[0].velocity)),
            spin,
            fall,
            bend,
        }
    }

    /// Time that is safe at the speed of all points.
    fn time_of_all(&self, gap: f64, n: &V) -> f64 {
        closed(gap, self.spin - self.velocity.dot(n), self.fall)
    }

    /// The longer of two times that are safe: at the speed of all points, and at the speed of these parts at first.
    fn time(&self, gap: f64, n: &V, balls: impl FnOnce() -> [Ball; 2]) -> f64 {
        let all = self.time_of_all(gap, n);
        if self.spin == 0.0 || all == f64::INFINITY {
            return all;
        }
        let balls = balls();
        let turns = [0, 1].map(|k| self.angular[k].norm() * balls[k].radius);
        let away = (self.of_b(&balls[1].center) - self.of_a(&balls[0].center)).dot(n);
        all.max(closed(gap, turns[0] + turns[1] - away, self.bend))
    }

    /// Time that is safe for triangles by their corners: along `n`, none of A is as high as one of B until the pair of them that closes first does.
    fn time_of_corners(&self, least: f64, n: &V, a: &[V; 3], b: &[V; 3]) -> f64 {
        let of_a = a.map(|p| [n.dot(&p) + least, n.dot(&self.of_a(&p))]);
        let of_b = b.map(|p| [n.dot(&p), n.dot(&self.of_b(&p))]);
        let pairs = of_a.iter().flat_map(|p| of_b.iter().map(move |q| [q[0] - p[0], p[1] - q[1]]));
        pairs.map(|[gap, closing]| closed(gap.max(0.0), closing, self.bend)).fold(f64::INFINITY, f64::min)
    }

    /// Velocity of a point of A, and of one of B against the centre of A.
    fn of_a(&self, p: &V) -> V {
        self.angular[0].cross(&(p - self.centers[0]))
    }

    fn of_b(&self, p: &V) -> V {
        self.velocity + self.angular[1].cross(&(p - self.centers[1]))
    }
}

/// The time t with gap = closing t + bend t², infinite where there is none.
fn closed(gap: f64, closing: f64, bend: f64) -> f64 {
    let root = (closing * closing + 4.0 * bend * gap).sqrt();
    if closing > 0.0 {
        2.0 * gap / (closing + root)
    } else if bend > 0.0 {
        (root - closing) / (2.0 * bend)
    } else {
        f64::INFINITY
    }
}

struct Search<'a> {
    mesh: &'a TriangleMesh,
    parts: Parts<'a>,
    pair: Pair<'a>,
    clock: Clock,
    least: f64,
    /// Of the pair that is safe for the shortest time so far.
    apart: Apart,
    /// Its normal and nearest points, frame of the mesh; None where it overlaps.
    near: Option<(V, V, V)>,
    /// Its triangles.
    first: Option<[u32; 2]>,
}

impl Search<'_> {
    /// Searches the trees up to the time at which nothing is to be found any more.
    fn run(&mut self, x_ab: &Isometry3<f64>) {
        let (mesh, clock, least, until) = (self.mesh, self.clock, self.least, self.apart.time);
        let lower = |a: &Aabb, b: &Aabb| {
            let way = way(a, b);
            let s = way.norm();
            if s <= least {
                return 0.0;
            }
            let ball = |b: &Aabb| Ball { center: b.center().coords, radius: b.half_extents().norm() };
            clock.time(s - least, &(way / s), || [ball(a), ball(b)])
        };
        match self.parts {
            Parts::Mesh(other) => {
                let (parts, r, t) = ([mesh, other].map(|m| m.links().parts()), self.pair.r, self.pair.t);
                let closer = |nodes: [usize; 2], bound: f64| {
                    SurfaceParts::apart(parts, (&r, &t), nodes, bound, |s, n, of, middle| {
                        let balls = || {
                            let centers = [of[0].center, *middle];
                            [0, 1].map(|k| Ball { center: centers[k], radius: of[k].radius })
                        };
                        if s > least { clock.time(s - least, n, balls) } else { 0.0 }
                    })
                };
                let meet = |[i, j]: [u32; 2], safe: f64| self.meet(i, Some(j), safe);
                mesh.bvh().search_pairs(other.bvh(), x_ab, until, (lower, closer), meet);
            }
            Parts::Core(_, _, bounds) => {
                let bounds = bounds.transformed(x_ab);
                mesh.bvh().search(until, |a| lower(a, &bounds), |i, safe| self.meet(i, None, safe));
            }
        }
    }

    /// Time at which a pair of triangles meets, of those that do before all found so far.
    fn time_of(&mut self, pair: Option<[u32; 2]>) -> Option<f64> {
        let has = |m: &TriangleMesh, i: u32| (i as usize) < m.triangles().len();
        let [i, j] = pair.filter(|[i, _]| has(self.mesh, *i))?;
        let j = match self.parts {
            Parts::Mesh(other) => Some(j).filter(|j| has(other, *j)),
            Parts::Core(..) => None,
        };
        self.meet(i, j, 0.0);
        self.near = None;
        self.first.take().map(|_| self.apart.time)
    }

    /// Meets triangle `i` of the mesh and the other shape, or triangle `j` of it, which boxes about them show to be safe for the time `safe`; the shortest time so far.
    fn meet(&mut self, i: u32, j: Option<u32>, mut safe: f64) -> f64 {
        let corners = |m: &TriangleMesh, i: u32| m.triangle(i as usize).map(|p| p.coords);
        let t = corners(self.mesh, i);
        let Some(n) = normal(&t) else { return self.apart.time };
        self.pair.a = Core::Triangle(t);
        let mut radius = 0.0;
        match (self.parts, j) {
            (Parts::Mesh(other), Some(j)) => {
                let u = corners(other, j);
                self.pair.b = Core::Triangle(u);
                let u = u.map(|p| self.pair.r * p + self.pair.t);
                let Some(m) = normal(&u) else { return self.apart.time };
                let heights = |n: &V, foot: &V, of: &[V; 3]| of.map(|p| n.dot(&(p - foot)));
                let (above_a, above_b) = (heights(&n, &t[0], &u), heights(&m, &u[0], &t));
                let behind = |h: &[f64; 3]| h.iter().all(|h| *h < 0.0);
                if behind(&above_a) || behind(&above_b) {
                    return self.apart.time;
                }
                safe = safe.max(self.safe_along([&t, &u], &[n, -m]));
                if safe >= self.apart.time {
                    return self.apart.time;
                }
            }
            (Parts::Core(_, r, _), _) => {
                radius = r;
                if n.dot(&(self.pair.support_b(&-n) - t[0])) + radius < 0.0 {
                    return self.apart.time;
                }
            }
            (Parts::Mesh(_), None) => return self.apart.time,
        }
        let limit = self.least + self.clock.way(self.apart.time);
        let Some(w) = core_distance(&self.pair, limit + radius) else { return self.apart.time };
        let gap = w.s - radius;
        // The longest of the times that are safe: it does not depend on what was met before.
        let safe = match gap > self.least {
            true => {
                safe.max(self.clock.time_of_parts([gap, self.least], &w.n, &t, || self.part_of_b(radius)))
            }
            false => 0.0,
        };
        if safe < self.apart.time {
            self.apart = Apart { time: safe, gap };
            self.first = Some([i, j.unwrap_or_default()]);
            self.near = (gap > 0.0).then(|| {
                let (p_a, p_b) = w.points(&self.pair);
                (w.n, p_a, p_b - w.n * radius)
            });
            // Nothing is nearer.
            if safe <= 0.0 {
                return f64::NEG_INFINITY;
            }
        }
        self.apart.time
    }

    /// The longest time for which a direction, of those given or that of the middles, shows two triangles to be safe; no more are asked once that is longer than for the pair that counts so far.
    fn safe_along(&self, [t, u]: [&[V; 3]; 2], along: &[V; 2]) -> f64 {
        let middles = unit(&(u[0] + u[1] + u[2] - t[0] - t[1] - t[2]), 0.0);
        let mut safe = 0.0f64;
        for n in along.iter().copied().chain(middles) {
            let lowest = u.iter().map(|p| n.dot(p)).fold(f64::INFINITY, f64::min);
            let highest = t.iter().map(|p| n.dot(p)).fold(f64::NEG_INFINITY, f64::max);
            let s = lowest - highest;
            if s > self.least {
                safe = safe.max(self.clock.time_of_parts([s, self.least], &n, t, || Part::Corners(*u)));
            }
            if safe >= self.apart.time {
                break;
            }
        }
        safe
    }

    /// The part of B that is met, frame of the mesh.
    fn part_of_b(&self, radius: f64) -> Part {
        let placed = |p: V| self.pair.r * p + self.pair.t;
        match self.pair.b {
            Core::Triangle(u) => Part::Corners(u.map(placed)),
            core => {
                let (center, reach) = core.ball();
                Part::Ball(Ball { center: placed(center), radius: reach + radius })
            }
        }
    }
}

fn normal(t: &[V; 3]) -> Option<V> {
    unit(&(t[1] - t[0]).cross(&(t[2] - t[0])), 0.0)
}
