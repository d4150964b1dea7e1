//! Corners and edges of bodies that meet triangles and edges of cloth.

use std::ops::Range;
use std::sync::Arc;

use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};
use signorini_geometry::{
    Aabb, Shape, SharpCorner, SharpEdge, SharpFeatures, SignedDistance, Stencil, aabb, bounding_ball,
    segment_crosses_triangle,
};

use crate::cloth::{Cloth, Edge};
use crate::obstacle::Obstacle;
use crate::pin::{Pin, holds};

type V = Vector3<f64>;

/// Sine of the angle by which a body may rise in front of the plane in which its corner or edge is met: a face that lies on a sheet has its corners met, however the sheet wrinkles.
const SLACK: f64 = 0.1;

/// Sine of the angle by which the triangles of an edge may fall back behind the plane in which it is met: more than a fold over an edge of a body needs, less than those of a sheet that is met from beside.
const FOLD: f64 = 0.5;

/// Least sine² of the angle between edges that meet.
const CROSSED: f64 = 1e-4;

/// Triangles or edges of cloth that are looked at together.
const BATCH: usize = 64;

/// What of cloth or of a solid meets what of an obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TouchPart {
    /// The particle, the nearest place of the surface.
    #[default]
    Particle,
    /// The triangle whose centre is the particle, a corner.
    Triangle {
        /// Number of the corner ([`SharpFeatures::corners`]).
        corner: u32,
    },
    /// An edge of cloth, an edge; the particle is the centre of the first triangle that has it.
    Edge {
        /// Number of the edge of the cloth.
        cloth: u32,
        /// Number of the edge of the obstacle ([`SharpFeatures::edges`]).
        body: u32,
    },
}

/// A shape, and its corners and edges.
struct Polyhedron {
    shape: Shape,
    features: SharpFeatures,
    /// A ball about them, in the frame of the shape \[m\].
    middle: Point3<f64>,
    radius: f64,
    /// A box about the shape, in its frame \[m\].
    bounds: Extent,
}

impl Polyhedron {
    fn of(shape: &Shape) -> Self {
        let features = SharpFeatures::of(shape);
        let (middle, radius) = bounding_ball(shape).unwrap_or_default();
        let Aabb { min, max } = aabb(shape, &Isometry3::identity());
        let bounds = Extent { low: min.coords, high: max.coords };
        Self { shape: shape.clone(), features, middle, radius, bounds }
    }

    fn is_of(&self, shape: &Shape) -> bool {
        match (&self.shape, shape) {
            (Shape::Box { half_extents: a }, Shape::Box { half_extents: b }) => a == b,
            (Shape::Convex(a), Shape::Convex(b)) => Arc::ptr_eq(a, b),
            (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b),
            (Shape::Box { .. } | Shape::Convex(_) | Shape::Mesh(_), _) => false,
            (_, other) => !matches!(other, Shape::Box { .. } | Shape::Convex(_) | Shape::Mesh(_)),
        }
    }
}

/// Corners and edges of all obstacles, kept while their shapes stay.
#[derive(Default)]
pub(crate) struct Polyhedra(Vec<Polyhedron>);

impl Polyhedra {
    /// Finds those of shapes that are new.
    pub(crate) fn fit(&mut self, obstacles: &[Obstacle]) {
        self.0.truncate(obstacles.len());
        for (i, o) in obstacles.iter().enumerate() {
            match self.0.get_mut(i) {
                Some(kept) if kept.is_of(&o.shape) => {}
                Some(kept) => *kept = Polyhedron::of(&o.shape),
                None => self.0.push(Polyhedron::of(&o.shape)),
            }
        }
    }
}

/// A box along the axes \[m\].
struct Extent {
    low: V,
    high: V,
}

impl Extent {
    /// The smallest about points.
    fn of(points: impl IntoIterator<Item = V>) -> Self {
        let none = Self { low: V::repeat(f64::INFINITY), high: V::repeat(f64::NEG_INFINITY) };
        points.into_iter().fold(none, |Self { low, high }, x| Self { low: low.inf(&x), high: high.sup(&x) })
    }

    /// Whether two are no further apart than this along each axis \[m\].
    fn is_near(&self, other: &Self, reach: f64) -> bool {
        (0..3).all(|i| self.low[i] - other.high[i] <= reach && other.low[i] - self.high[i] <= reach)
    }
}

/// A corner of a body that meets a triangle of cloth, or an edge that meets an edge.
pub(crate) struct Meeting {
    /// Number of the obstacle.
    pub obstacle: usize,
    pub part: TouchPart,
    /// Particle at the centre of the triangle, or of the first triangle of the edge.
    pub centre: usize,
    /// Particles whose places have the mean, with these weights, that the body meets; a third one of no weight at edges.
    pub weights: [(u32, f64); 3],
    /// n·(x − y) from the point y of the body to that of the cloth, and n, out of the body, world axes.
    pub side: SignedDistance,
}

/// Cloth and the bodies that it may meet.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub cloth: &'a [Cloth],
    pub obstacles: &'a [Obstacle],
    /// Of the obstacles.
    pub polyhedra: &'a Polyhedra,
    pub pins: &'a [Pin],
}

/// Some triangles or edges of a cloth.
#[derive(Clone)]
pub(crate) enum Batch {
    Triangles(usize, Range<u32>),
    Edges(usize, Range<u32>),
}

/// An obstacle beside a batch of cloth.
struct Body<'a> {
    number: usize,
    obstacle: &'a Obstacle,
    /// Rotation of the obstacle.
    rotation: Matrix3<f64>,
    polyhedron: &'a Polyhedron,
    /// Distance ahead at which it is looked for \[m\].
    ahead: f64,
    /// Whether it may have come through: it has not since contact was solved.
    through: bool,
}

impl Around<'_> {
    /// Calls `visit` with all that bodies have come through, where particles are at `place` \[m\].
    pub(crate) fn pressed(&self, place: &impl Fn(usize) -> V, mut visit: impl FnMut(Meeting)) {
        self.batches()
            .for_each(|batch| self.meet(&batch, place, (|_: &Obstacle, _, _: &V| 0.0, true), &mut visit));
    }

    /// All triangles and edges of cloth, where a body has corners or edges.
    pub(crate) fn batches(&self) -> impl Iterator<Item = Batch> {
        let sharp = self.polyhedra.0.iter().any(|p| !p.features.is_empty());
        let cut = |count: usize| {
            let ends = move |first: usize| first as u32..(first + BATCH).min(count) as u32;
            (0..count).step_by(BATCH).map(ends)
        };
        self.cloth.iter().enumerate().filter(move |_| sharp).flat_map(move |(c, cloth)| {
            let triangles = cut(cloth.centres().len()).map(move |r| Batch::Triangles(c, r));
            triangles.chain(cut(cloth.edges().len()).map(move |r| Batch::Edges(c, r)))
        })
    }

    /// Calls `visit` with what a batch meets, or may meet within the reach of an obstacle (of it, the radius about it and its middle); `through` also with what has come through.
    pub(crate) fn meet(
        &self,
        batch: &Batch,
        place: &impl Fn(usize) -> V,
        (reach, through): (impl Fn(&Obstacle, f64, &V) -> f64, bool),
        mut visit: impl FnMut(Meeting),
    ) {
        let (Batch::Triangles(c, range) | Batch::Edges(c, range)) = batch;
        let cloth = &self.cloth[*c];
        let corners = |i: u32| match batch {
            Batch::Triangles(..) => cloth.corners_of(i),
            Batch::Edges(..) => {
                let [a, b] = cloth.edges()[i as usize].ends;
                [a, b, b]
            }
        };
        let whole = Extent::of(range.clone().flat_map(corners).map(|p| place(p as usize)));
        let whole = Aabb::new(whole.low.into(), whole.high.into());
        for (number, (obstacle, polyhedron)) in self.obstacles.iter().zip(&self.polyhedra.0).enumerate() {
            if polyhedron.features.is_empty() {
                continue;
            }
            let middle = (obstacle.pose * polyhedron.middle).coords;
            let ahead = reach(obstacle, polyhedron.radius, &middle);
            let Aabb { min, max } = whole.transformed(&obstacle.pose.inverse());
            if !polyhedron.bounds.is_near(&Extent { low: min.coords, high: max.coords }, ahead) {
                continue;
            }
            let rotation = *obstacle.pose.rotation.to_rotation_matrix().matrix();
            let body = Body { number, obstacle, rotation, polyhedron, ahead, through };
            for i in range.clone() {
                match batch {
                    Batch::Triangles(..) => self.triangle(&body, (cloth, i), place, &mut visit),
                    Batch::Edges(..) => self.edge(&body, (cloth, i), place, &mut visit),
                }
            }
        }
    }

    /// Whether a pin holds the centre or a corner of a triangle at an obstacle.
    fn is_held(&self, cloth: &Cloth, triangle: u32, obstacle: usize) -> bool {
        let held = |p: usize| holds(self.pins, p, obstacle);
        !self.pins.is_empty()
            && (held(cloth.centres().start + triangle as usize)
                || cloth.corners_of(triangle).iter().any(|p| held(*p as usize)))
    }

    /// Meetings of a triangle with corners of a body.
    fn triangle(
        &self,
        body: &Body,
        (cloth, t): (&Cloth, u32),
        place: &impl Fn(usize) -> V,
        visit: &mut impl FnMut(Meeting),
    ) {
        let local = |p: u32| body.local(&place(p as usize));
        let at = cloth.corners_of(t);
        let points = at.map(local);
        if !body.polyhedron.bounds.is_near(&Extent::of(points), body.ahead) {
            return;
        }
        let plane = (points[1] - points[0]).cross(&(points[2] - points[0])).try_normalize(0.0);
        let Some(plane) = plane else { return };
        for (number, corner) in (0..).zip(&body.polyhedron.features.corners) {
            let Some((weights, crease, side)) = body.on_triangle(corner, &points, &plane) else { continue };
            // A fold belongs to the first of its triangles, unless the other one is nearer inside.
            if let Some(k) = crease {
                let other = cloth.beyond(t, (k + 1) % 3);
                let beyond = cloth.corners_of(other);
                let d = Stencil::PointTriangle.distance(&stencil(&corner.x, &beyond.map(local)));
                let third = (0..3).find(|i| d.weights[1 + i] == 0.0).map(|i| beyond[i]);
                let same = d.dimension() == 1 && third.is_some_and(|p| !at.contains(&p));
                if t >= other || !same {
                    continue;
                }
            }
            if self.is_held(cloth, t, body.number) {
                return;
            }
            visit(Meeting {
                obstacle: body.number,
                part: TouchPart::Triangle { corner: number },
                centre: cloth.centres().start + t as usize,
                weights: [0, 1, 2].map(|i| (at[i], weights[i])),
                side: body.world(side),
            });
        }
    }

    /// Meetings of an edge of cloth with edges of a body.
    fn edge(
        &self,
        body: &Body,
        (cloth, e): (&Cloth, u32),
        place: &impl Fn(usize) -> V,
        visit: &mut impl FnMut(Meeting),
    ) {
        let local = |p: u32| body.local(&place(p as usize));
        let Edge { ends, triangles } = cloth.edges()[e as usize];
        let points = ends.map(local);
        let extent = Extent::of(points);
        if !body.polyhedron.bounds.is_near(&extent, body.ahead) {
            return;
        }
        // Within each triangle, across the edge.
        let along = points[1] - points[0];
        let across = |t: u32| {
            let third = cloth.corners_of(t).into_iter().find(|p| !ends.contains(p))?;
            let to = local(third) - points[0];
            (to - along * (to.dot(&along) / along.norm_squared())).try_normalize(0.0)
        };
        let in_front = |n: &V| triangles.iter().filter_map(|t| across(*t)).all(|a| a.dot(n) >= -FOLD);
        for (number, edge) in (0..).zip(&body.polyhedron.features.edges) {
            let met = body.on_edge(edge, &points, &extent).filter(|m| in_front(&m.1.normal));
            let Some((s, side)) = met else { continue };
            if triangles.iter().any(|t| self.is_held(cloth, *t, body.number)) {
                return;
            }
            visit(Meeting {
                obstacle: body.number,
                part: TouchPart::Edge { cloth: e, body: number },
                centre: cloth.centres().start + triangles[0] as usize,
                weights: [(ends[0], 1.0 - s), (ends[1], s), (ends[1], 0.0)],
                side: body.world(side),
            });
        }
    }
}

impl Body<'_> {
    fn world(&self, side: SignedDistance) -> SignedDistance {
        SignedDistance { normal: self.rotation * side.normal, ..side }
    }

    /// A point in the frame of the obstacle.
    fn local(&self, x: &V) -> V {
        self.rotation.tr_mul(&(x - self.obstacle.pose.translation.vector))
    }

    /// How deep a corner or an edge may have come through along a normal \[m\]: as far as the point half way through the body.
    fn deepest(&self, depth: f64, outward: &V, normal: &V) -> f64 {
        if self.through { depth * normal.dot(outward) } else { 0.0 }
    }

    /// Nearest point of a triangle with this unit normal to a corner, if the corner meets it there: its weights; where it is on an edge, the corner of the triangle that is not; and the side.
    ///
    /// ```text
    /// φ = n·(x − y),   n·o > 0        y the corner, o its outward direction
    /// ```
    /// A corner that has come through (φ < 0) counts while the plane of the triangle is between it and the point half way through the body against o, and the triangle reaches into the body there: a triangle on the far side of the body is met from there. Nor has another face the triangle less deep behind it.
    fn on_triangle(
        &self,
        corner: &SharpCorner,
        points: &[V; 3],
        plane: &V,
    ) -> Option<([f64; 3], Option<usize>, SignedDistance)> {
        let SharpCorner { x: y, outward, depth, .. } = corner;
        let plane = turned(*plane, outward);
        // The triangle's plane is never further than the triangle, and no fold turns the normal by more.
        let height = plane.dot(&(points[0] - y));
        let middle = (points[0] + points[1] + points[2]) / 3.0;
        let size = points.iter().map(|x| (x - middle).norm_squared()).fold(0.0, f64::max).sqrt();
        if height >= self.ahead
            || -height > self.deepest(*depth, outward, outward)
            || (middle - y).norm() > size + height.abs() / FOLD
        {
            return None;
        }
        let d = Stencil::PointTriangle.distance(&stencil(y, points));
        let weights = [1, 2, 3].map(|i| -d.weights[i]);
        let (normal, crease) = match d.dimension() {
            2 => (plane, None),
            1 => {
                let third = weights.iter().position(|w| *w == 0.0)?;
                // On the edge itself the triangle has to tell the normal.
                let far = d.distance() > 1e-9 * size;
                (if far { turned(d.r / d.distance(), outward) } else { plane }, Some(third))
            }
            _ => return None,
        };
        let x: V = (0..3).map(|i| weights[i] * points[i]).sum();
        let distance = normal.dot(&(x - y));
        let inner = [*y, y - *depth * outward];
        let into = || corner.holds(&x) || segment_crosses_triangle(&inner, points);
        let nearest = || is_nearest(corner.normals.iter().map(|m| (m, y)), points, &normal, -distance);
        let deepest = self.deepest(*depth, outward, &normal);
        let meets = distance >= 0.0 || -distance < deepest && into() && nearest();
        let side = SignedDistance { distance, normal };
        (distance < self.ahead && corner.is_foremost(&normal, SLACK) && meets)
            .then_some((weights, crease, side))
    }

    /// Nearest point of an edge of cloth to an edge of the body, if they meet or may meet: its part of the way along the first, and the side, as for corners with n across both.
    fn on_edge(&self, edge: &SharpEdge, points: &[V; 2], extent: &Extent) -> Option<(f64, SignedDistance)> {
        let [[p, q], [a, b]] = [&edge.ends, points];
        // Both have a point at the distance that is to come out.
        if !extent.is_near(
            &Extent::of([*p, *q]),
            if self.through { edge.depth.max(self.ahead) } else { self.ahead },
        ) {
            return None;
        }
        let (u, v) = (q - p, b - a);
        let across = u.cross(&v);
        let size = across.norm_squared();
        if size <= CROSSED * u.norm_squared() * v.norm_squared() {
            return None;
        }
        let normal = turned(across / size.sqrt(), &edge.outward);
        let distance = normal.dot(&(a - p));
        if distance >= self.ahead
            || -distance >= self.deepest(edge.depth, &edge.outward, &normal)
            || !edge.is_foremost(&normal, SLACK)
        {
            return None;
        }
        let d = Stencil::EdgeEdge.distance(&[*p, *q, *a, *b]);
        let own = || edge.normals.iter().map(|m| (m, p));
        let ends = || edge.ends.iter().zip(&edge.beyond);
        let faces = || own().chain(ends().flat_map(|(y, all)| all.iter().map(move |m| (m, y))));
        let through = || edge.holds_part_of(points) && is_nearest(faces(), points, &normal, -distance);
        let inside = d.dimension() == 2 && (distance >= 0.0 || through());
        inside.then_some((-d.weights[3], SignedDistance { distance, normal }))
    }
}

/// Whether the way out of a body along a normal, this deep \[m\], is the nearest for points of cloth: none of the other `faces` (outward normal, a point) that are turned from it has all of them less deep behind it.
fn is_nearest<'a>(
    mut faces: impl Iterator<Item = (&'a V, &'a V)>,
    points: &[V],
    normal: &V,
    depth: f64,
) -> bool {
    faces.all(|(m, y)| m.dot(normal) >= FOLD || points.iter().any(|x| m.dot(&(y - x)) >= depth))
}

fn stencil(p: &V, [a, b, c]: &[V; 3]) -> [V; 4] {
    [*p, *a, *b, *c]
}

/// The normal of a pair, turned out of the body.
fn turned(n: V, outward: &V) -> V {
    if n.dot(outward) < 0.0 { -n } else { n }
}
