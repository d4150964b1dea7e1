use signorini_core::na::{Point3, Vector3};
use signorini_core::{ContactMaterial, ProblemError};
use signorini_geometry::{ContactPoint, Shape, contacts};
use signorini_scene::{CollisionFilter, GeomShape, Pose, Scene};

use crate::bounds::Bounds;
use crate::{Kinematics, Model};

/// A geom that takes part in contact.
#[derive(Clone, Debug)]
struct Collider {
    geom: usize,
    body: usize,
    pose: Pose,
    shape: Shape,
    /// None for unbounded shapes.
    bounds: Option<Bounds>,
    name: String,
}

/// A pair of colliders with combined material.
#[derive(Clone, Copy, Debug)]
struct Pair {
    a: u32,
    b: u32,
    material: ContactMaterial,
    /// Weight of A's witness in the contact point.
    weight_a: f64,
    /// Contacts are created below this gap, speculation aside.
    margin: f64,
    /// Contacts act below this gap.
    active: f64,
}

/// Two geoms that may collide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingPair {
    /// The geoms.
    pub geoms: [usize; 2],
    /// Combined material.
    pub material: ContactMaterial,
    /// Contacts are created below this gap \[m\], speculation aside.
    pub margin: f64,
}

/// All pairs between two bodies.
#[derive(Clone, Debug)]
struct BodyPair {
    bodies: [usize; 2],
    pairs: std::ops::Range<usize>,
    /// Largest margin of the pairs.
    margin: f64,
}

/// A contact as found by the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundContact {
    pub bodies: [usize; 2],
    pub geoms: [usize; 2],
    pub point: ContactPoint,
    pub p_wc: Point3<f64>,
    pub material: ContactMaterial,
    /// Gap reported to the law: shifted when contacts act above zero gap.
    pub gap: f64,
}

/// How bodies may move within a step: what speculative contacts are for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motion {
    /// Length of the step \[s\]; 0 finds what touches now.
    horizon: f64,
    /// Distance that gravity covers in it \[m\].
    fall: f64,
    /// Velocity of the centre of each body's ball.
    velocity: Vec<Vector3<f64>>,
    /// Speed of the ball's surface about its centre, and whether the body moves at all.
    spin: Vec<f64>,
    moves: Vec<bool>,
}

impl Motion {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.bodies.len();
        let moves = model.bodies.iter().map(|b| b.tree.is_some()).collect();
        Self { horizon: 0.0, fall: 0.0, velocity: vec![Vector3::zeros(); n], spin: vec![0.0; n], moves }
    }

    /// No motion: contacts are found where they are.
    pub(crate) fn rest(&mut self) {
        self.horizon = 0.0;
    }

    /// How much nearer points of two bodies may come \[m\]: their present relative velocity, and free fall of each.
    fn approach(&self, a: usize, b: usize) -> f64 {
        if self.horizon == 0.0 {
            return 0.0;
        }
        let speed = (self.velocity[a] - self.velocity[b]).norm() + self.spin[a] + self.spin[b];
        let falling = f64::from(u8::from(self.moves[a])) + f64::from(u8::from(self.moves[b]));
        self.horizon * speed + falling * self.fall
    }

    /// Whether a contact can close within the step: by twice the present approach of its points, plus free fall.
    fn reaches(
        &self,
        kin: &Kinematics,
        model: &Model,
        bodies: [usize; 2],
        c: &ContactPoint,
        gap: f64,
    ) -> bool {
        if gap <= 0.0 || self.horizon == 0.0 {
            return true;
        }
        let [a, b] = [(bodies[0], &c.p_a), (bodies[1], &c.p_b)].map(|(b, p)| kin.point_velocity(model, b, p));
        gap < 2.0 * self.horizon * (a - b).dot(&c.normal).max(0.0) + self.fall
    }
}

/// Candidate pairs of a scene and their queries.
#[derive(Clone, Debug)]
pub(crate) struct Collision {
    colliders: Vec<Collider>,
    pairs: Vec<Pair>,
    body_pairs: Vec<BodyPair>,
    /// Ball around all bounded colliders of a body, body frame; None when one is unbounded.
    body_ball: Vec<Option<(Point3<f64>, f64)>>,
    points: Vec<ContactPoint>,
    /// Centres of the colliders' balls, world; a point of the surface and the normal for half-spaces.
    centers: Vec<Point3<f64>>,
    normals: Vec<Vector3<f64>>,
}

impl Collision {
    /// Collects the pairs that the scene's filters let through.
    pub(crate) fn new(scene: &Scene, model: &Model) -> Self {
        let mut colliders = Vec::new();
        for (geom, g) in scene.geoms.iter().enumerate() {
            let GeomShape::Solid(shape) = &g.shape else { continue };
            let named = scene.pairs.iter().any(|p| p.geom_a == geom || p.geom_b == geom);
            if g.mask.is_empty() && !named {
                continue;
            }
            let bounds = Bounds::new(shape, &g.pose);
            colliders.push(Collider {
                geom,
                body: g.body,
                pose: g.pose,
                shape: shape.clone(),
                bounds,
                name: g.name.clone(),
            });
        }
        let body_ball = (0..model.bodies.len())
            .map(|b| {
                let balls: Option<Vec<_>> =
                    colliders.iter().filter(|c| c.body == b).map(|c| c.bounds).collect();
                let balls = balls?;
                let n = balls.len().max(1) as f64;
                let center = balls.iter().fold(Point3::origin(), |s, c| s + c.center.coords / n);
                let reach = |b: &Bounds| (b.center - center).norm() + b.radius;
                Some((center, balls.iter().map(reach).fold(0.0, f64::max)))
            })
            .collect();
        let filter = CollisionFilter::new(scene);
        let mut found = Vec::new();
        for (i, a) in colliders.iter().enumerate() {
            for (j, b) in colliders.iter().enumerate().skip(i + 1) {
                if let Some(pair) = Self::pair(scene, model, &filter, [i, j], [a, b]) {
                    let bodies = [a.body.min(b.body), a.body.max(b.body)];
                    found.push((bodies, pair));
                }
            }
        }
        found.sort_by_key(|(bodies, p)| (*bodies, p.a, p.b));
        let mut body_pairs: Vec<BodyPair> = Vec::new();
        for (k, (bodies, pair)) in found.iter().enumerate() {
            match body_pairs.last_mut() {
                Some(last) if last.bodies == *bodies => {
                    last.pairs.end = k + 1;
                    last.margin = last.margin.max(pair.margin);
                }
                _ => body_pairs.push(BodyPair { bodies: *bodies, pairs: k..k + 1, margin: pair.margin }),
            }
        }
        let centers = vec![Point3::origin(); colliders.len()];
        let normals = vec![Vector3::z(); colliders.len()];
        let pairs = found.into_iter().map(|(_, p)| p).collect();
        Self { colliders, pairs, body_pairs, body_ball, points: Vec::new(), centers, normals }
    }

    fn pair(
        scene: &Scene,
        model: &Model,
        filter: &CollisionFilter,
        index: [usize; 2],
        c: [&Collider; 2],
    ) -> Option<Pair> {
        let [a, b] = c;
        let (ga, gb) = (&scene.geoms[a.geom], &scene.geoms[b.geom]);
        let [ia, ib] = index.map(|i| i as u32);
        let moves = |c: &Collider| model.bodies[c.body].tree.is_some();
        if !(moves(a) || moves(b)) || !filter.collides(scene, a.geom, b.geom) {
            return None;
        }
        let rule = scene.options.combination;
        let (material, weight_a) = rule.combine(&ga.surface, &gb.surface, &scene.options.contact);
        if let Some(p) = scene.explicit_pair(a.geom, b.geom) {
            let active = p.margin - p.inactive_gap;
            return Some(Pair { a: ia, b: ib, material: p.material, weight_a, margin: p.margin, active });
        }
        let (margin, active) = rule.margins(&ga.surface, &gb.surface);
        Some(Pair { a: ia, b: ib, material, weight_a, margin, active })
    }

    /// The motion over a step of length `horizon` \[s\] from the velocities of `kin`.
    pub(crate) fn predict(&self, kin: &Kinematics, model: &Model, horizon: f64, out: &mut Motion) {
        out.horizon = horizon;
        out.fall = 0.5 * model.gravity.norm() * horizon * horizon;
        for b in (0..model.bodies.len()).filter(|&b| out.moves[b]) {
            let (center, radius) = self.body_ball[b].unwrap_or((Point3::origin(), 0.0));
            out.velocity[b] = kin.point_velocity(model, b, &(kin.x_wb[b] * center));
            out.spin[b] = kin.twist[b].angular.norm() * radius;
        }
    }

    /// Finds contacts, and pairs whose gap can close by the motion.
    pub(crate) fn find(
        &mut self,
        kin: &Kinematics,
        model: &Model,
        motion: &Motion,
        out: &mut Vec<FoundContact>,
    ) -> Result<(), ProblemError> {
        out.clear();
        let at =
            |b: usize, p: &Point3<f64>| Point3::from(kin.r_wb[b] * p.coords + kin.x_wb[b].translation.vector);
        for ((c, n), collider) in self.centers.iter_mut().zip(&mut self.normals).zip(&self.colliders) {
            match &collider.bounds {
                Some(b) => *c = at(collider.body, &b.center),
                None => {
                    *c = at(collider.body, &collider.pose.translation.vector.into());
                    *n = kin.r_wb[collider.body] * (collider.pose.rotation * Vector3::z());
                }
            }
        }
        for bp in &self.body_pairs {
            let [ba, bb] = bp.bodies;
            let speculative = motion.approach(ba, bb);
            let range = bp.pairs.clone();
            let largest_margin = bp.margin;
            if let (Some((ca, ra)), Some((cb, rb))) = (&self.body_ball[ba], &self.body_ball[bb]) {
                let d = (kin.x_wb[ba] * ca - kin.x_wb[bb] * cb).norm_squared();
                if d > (ra + rb + largest_margin + speculative).powi(2) {
                    continue;
                }
            }
            let ball_b = self.body_ball[bb].map(|(c, r)| (kin.x_wb[bb] * c, r));
            // Pairs are sorted by A's geom: one that is far from the ball around all of B is passed over at once.
            let (mut last, mut far) = (u32::MAX, false);
            let crowded = range.len() > 8;
            for p in &self.pairs[range] {
                if p.a != last {
                    last = p.a;
                    let a = &self.colliders[p.a as usize];
                    let margin = largest_margin + speculative;
                    far = match (&a.bounds, &ball_b) {
                        (_, Some((cb, rb))) if a.body == ba && crowded => {
                            self.points.clear();
                            let ball = Shape::Sphere { radius: *rb };
                            let x_wb = Pose::from(cb.coords);
                            let x_wa = kin.x_wb[a.body] * a.pose;
                            contacts(&a.shape, &x_wa, &ball, &x_wb, margin, &mut self.points).is_ok()
                                && self.points.is_empty()
                        }
                        (Some(of_a), Some((cb, rb))) if a.body == ba => {
                            let d = (self.centers[p.a as usize] - cb).norm_squared();
                            d > (of_a.radius + rb + margin).powi(2)
                        }
                        _ => false,
                    };
                }
                if far {
                    continue;
                }
                let (a, b) = (&self.colliders[p.a as usize], &self.colliders[p.b as usize]);
                let margin = p.margin + speculative;
                if self.far(kin, [p.a as usize, p.b as usize], margin) {
                    continue;
                }
                self.points.clear();
                let (x_wa, x_wb) = (kin.x_wb[a.body] * a.pose, kin.x_wb[b.body] * b.pose);
                contacts(&a.shape, &x_wa, &b.shape, &x_wb, margin, &mut self.points).map_err(|e| {
                    ProblemError::Unsupported(format!("geoms '{}' and '{}': {e}", a.name, b.name))
                })?;
                let bodies = [a.body, b.body];
                for c in &self.points {
                    if !motion.reaches(kin, model, bodies, c, c.gap - p.active) {
                        continue;
                    }
                    let p_wc = Point3::from(p.weight_a * c.p_a.coords + (1.0 - p.weight_a) * c.p_b.coords);
                    out.push(FoundContact {
                        bodies,
                        geoms: [a.geom, b.geom],
                        point: *c,
                        p_wc,
                        material: p.material,
                        gap: c.gap - p.active,
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether the bounds of two colliders are more than `margin` apart.
    fn far(&self, kin: &Kinematics, pair: [usize; 2], margin: f64) -> bool {
        let [a, b] = pair.map(|i| &self.colliders[i]);
        match (&a.bounds, &b.bounds) {
            (Some(of_a), Some(of_b)) => {
                let d = (self.centers[pair[0]] - self.centers[pair[1]]).norm_squared();
                if d > (of_a.radius + of_b.radius + margin).powi(2) {
                    return true;
                }
                if matches!(a.shape, Shape::Sphere { .. }) || matches!(b.shape, Shape::Sphere { .. }) {
                    return false;
                }
                let (r_a, r_b) = (&kin.r_wb[a.body], &kin.r_wb[b.body]);
                let p = kin.x_wb[b.body].translation.vector - kin.x_wb[a.body].translation.vector;
                of_a.separated(of_b, &r_a.tr_mul(r_b), &r_a.tr_mul(&p), margin)
            }
            (None, Some(bounds)) => self.above(kin, pair, bounds, margin),
            (Some(bounds), None) => self.above(kin, [pair[1], pair[0]], bounds, margin),
            (None, None) => false,
        }
    }

    /// Whether the second collider is more than `margin` above the first, when that is a half-space.
    fn above(&self, kin: &Kinematics, [plane, other]: [usize; 2], bounds: &Bounds, margin: f64) -> bool {
        if !matches!(self.colliders[plane].shape, Shape::HalfSpace) {
            return false;
        }
        let (origin, normal) = (&self.centers[plane], &self.normals[plane]);
        if (self.centers[other] - origin).dot(normal) - bounds.radius > margin {
            return true;
        }
        let body = self.colliders[other].body;
        let at = &kin.x_wb[body].translation.vector;
        bounds.height(&kin.r_wb[body], at, &origin.coords, normal) > margin
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> Vec<CollidingPair> {
        let geom = |i: u32| self.colliders[i as usize].geom;
        let info = |p: &Pair| CollidingPair {
            geoms: [geom(p.a), geom(p.b)],
            material: p.material,
            margin: p.margin,
        };
        self.pairs.iter().map(info).collect()
    }

    /// Pairs of shapes that have no contact query, found by asking each kind once.
    pub(crate) fn unsupported(&self) -> Option<String> {
        let mut points = Vec::new();
        let far = Pose::translation(0.0, 0.0, 1e3);
        self.pairs.iter().find_map(|p| {
            let (a, b) = (&self.colliders[p.a as usize], &self.colliders[p.b as usize]);
            let e = contacts(&a.shape, &Pose::identity(), &b.shape, &far, 0.0, &mut points).err()?;
            Some(format!("geoms '{}' and '{}': {e}", a.name, b.name))
        })
    }
}
