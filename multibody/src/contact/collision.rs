use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

use signorini_core::na::Point3;
use signorini_core::{ContactMaterial, LawPool, ProblemError};
use signorini_geometry::pressure::ContactSurface;
use signorini_geometry::{Aabb, BroadPhase, ContactPoint, Neighbours, Shape, contacts, relative_curvature};
use signorini_scene::{BothRigid, GeomShape, Meeting, Pose, Scene};

use crate::contact::area_side::AreaSide;
use crate::contact::bounds::{Bounds, PlacedBounds};
use crate::contact::collider::{Collider, at, place};
use crate::contact::found::FoundContact;
use crate::contact::hydroelastic::{AreaPart, Overlap, Overlaps};
use crate::contact::motion::Motion;
use crate::contact::pairs::{Pair, PairRules, PairTable};
use crate::contact::partners::{self, Partners, Reach};
use crate::contact::passing::Ahead;
use crate::contact::placed::{Placed, QueryRules};
use crate::contact::pressure_triangle::PressureTriangle;
use crate::contact::travel::Travel;
use crate::{Kinematics, Model, ModelError};

/// Pairs farther apart than their margin and this many times the way they may go within the step are not looked at closer.
const FAR: f64 = 8.0;

/// Unit of the broad phase: a moving body as a whole, or one geom that does not move.
#[derive(Clone, Debug)]
struct Proxy {
    body: usize,
    colliders: Range<usize>,
    /// Ball around the colliders, body frame; None when one is unbounded.
    ball: Option<(Point3<f64>, f64)>,
}

/// A pair that was looked at: its number, bodies and points, and the margin within which its contacts are still to be found where these points are none.
#[derive(Clone, Debug)]
struct Query {
    pair: usize,
    bodies: [usize; 2],
    points: Range<usize>,
    margin: Option<f64>,
    overlap: Overlap,
}

/// Pairs that are near, and scratch of the look along their motion.
#[derive(Clone, Debug, Default)]
struct NearPairs {
    queries: Vec<Query>,
    /// Their points at the start of the step.
    points: Vec<ContactPoint>,
    /// Points of one pair that hold within the step, and of geoms moved on in it.
    met: Vec<ContactPoint>,
    moved: Vec<ContactPoint>,
    /// The surfaces of one pair, and the energy of all where bodies were, of a search without a look ahead \[J\].
    surfaces: [ContactSurface; 2],
    overlaps: Overlaps,
    energy: f64,
    /// Surfaces of the last search without a look ahead, where they are kept.
    kept: Option<Vec<PressureTriangle>>,
}

/// Pairs of the table from search to search.
#[derive(Clone, Debug, Default)]
struct KnownPairs {
    /// Until when each is out of reach ([`Travel::until`]).
    until: Vec<f64>,
    /// Triangles that were near each other.
    neighbours: Vec<RefCell<Neighbours>>,
}

/// Two geoms that may collide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollidingPair {
    /// The geoms.
    pub geoms: [usize; 2],
    /// How they meet.
    pub meeting: Meeting,
    /// Combined material, friction as it is used.
    pub material: ContactMaterial,
    /// Friction that the scene states.
    pub stated_friction: f64,
    /// Contacts are created below this gap \[m\], speculation aside.
    pub margin: f64,
}

/// One line on the pairs whose friction is used smaller than the scene states it ([`crate::STEEPEST`]): the geoms, and the remedy. None without such pairs.
pub fn limited_friction(scene: &Scene, pairs: &[CollidingPair]) -> Option<String> {
    let limited = || pairs.iter().filter(|p| p.stated_friction > p.material.friction_static);
    let p = limited().max_by(|a, b| a.stated_friction.total_cmp(&b.stated_friction))?;
    let [a, b] = p.geoms.map(|g| scene.geoms[g].name.as_str());
    let (asked, used) = (p.stated_friction, p.material.friction_static);
    let more = match limited().count() {
        1 => String::new(),
        n => format!(" ({} kinds of pairs more)", n - 1),
    };
    let degrees = used.atan().to_degrees();
    Some(format!(
        "contacts of geoms '{a}' and '{b}': friction {asked} is taken as {used} with dual_cone, which nothing slips on below {degrees:.0}°: steeper cones make its normal soft as μ², and bodies sink; \
         state {used} or less, or use the solver icf{more}"
    ))
}

/// The colliders of a scene and their queries: broad phase over proxies, bounds of pairs, narrow phase.
#[derive(Clone, Debug)]
pub(crate) struct Collision {
    /// By proxy.
    colliders: Vec<Collider>,
    /// Proxies, first those that do not move.
    proxies: Vec<Proxy>,
    /// Number of the first proxy that is a moving body.
    first_moving: usize,
    rules: PairRules,
    table: PairTable,
    broad_phase: BroadPhase,
    boxes: Vec<Aabb>,
    /// In a scene of few proxies.
    partners: Option<Partners>,
    /// Balls of the proxies, world; infinite where there is none.
    balls: Vec<Reach>,
    margins: Vec<f64>,
    /// Bounds of the colliders in the world.
    places: Vec<PlacedBounds>,
    near_pairs: NearPairs,
    /// Way that proxies have gone.
    travel: Travel,
    known: KnownPairs,
    query_rules: QueryRules,
}

impl Collision {
    /// Collects the geoms that take part; friction above `steepest` is taken as that; `inverse_masses` are those of bodies at the reference configuration \[1/kg\].
    pub(crate) fn new(
        scene: &Scene,
        model: &Model,
        steepest: f64,
        inverse_masses: &[f64],
        query_rules: QueryRules,
    ) -> Result<Self, ModelError> {
        let named: HashSet<usize> = scene.pairs.iter().flat_map(|p| [p.geom_a, p.geom_b]).collect();
        let mut colliders = Vec::new();
        for (geom, g) in scene.geoms.iter().enumerate() {
            let GeomShape::Solid(shape) = &g.shape else { continue };
            if g.mask.is_empty() && !named.contains(&geom) {
                continue;
            }
            let bounds = Bounds::new(shape, &g.pose);
            let area = AreaSide::new(g, shape, &scene.fields)?;
            let (shape, name) = (shape.clone(), g.name.clone());
            colliders.push(Collider { geom, body: g.body, pose: g.pose, shape, bounds, name, area });
        }
        let moves = |c: &Collider| model.bodies[c.body].tree.is_some();
        colliders.sort_by_key(|c| (moves(c), if moves(c) { c.body } else { 0 }, c.geom));
        let mut proxies: Vec<Proxy> = Vec::new();
        for (i, c) in colliders.iter().enumerate() {
            match proxies.last_mut() {
                Some(last) if moves(c) && last.body == c.body => last.colliders.end = i + 1,
                _ => proxies.push(Proxy { body: c.body, colliders: i..i + 1, ball: None }),
            }
        }
        for p in &mut proxies {
            p.ball = ball_around(&colliders[p.colliders.clone()]);
        }
        let rules = PairRules::new(scene, steepest, inverse_masses);
        let by_collider = rules.margins(&colliders);
        let largest = |p: &Proxy| by_collider[p.colliders.clone()].iter().copied().fold(0.0, f64::max);
        let first_moving = proxies.iter().take_while(|p| model.bodies[p.body].tree.is_none()).count();
        let meet = |a: usize, b: usize| {
            let mut pairs = numbers_between(&proxies, a, b);
            b >= first_moving && pairs.any(|(i, j)| rules.meet(&colliders, i, j))
        };
        let few = proxies.len() <= partners::MOST;
        Ok(Self {
            partners: few.then(|| Partners::new(proxies.len(), meet)),
            first_moving,
            boxes: vec![Aabb::unbounded(); proxies.len()],
            balls: vec![Reach { center: Point3::origin(), radius: f64::INFINITY }; proxies.len()],
            margins: proxies.iter().map(largest).collect(),
            places: Vec::with_capacity(colliders.len()),
            table: PairTable::default(),
            broad_phase: BroadPhase::new(),
            near_pairs: NearPairs::default(),
            travel: Travel::new(proxies.len()),
            known: KnownPairs::default(),
            query_rules,
            colliders,
            proxies,
            rules,
        })
    }

    /// Fills in the curvatures of found contacts: [`ContactSeed::curvature`](signorini_core::ContactSeed::curvature).
    pub(crate) fn set_curvatures(&self, kin: &Kinematics, found: &mut [FoundContact]) {
        let of_geom = |geom: usize| self.colliders.iter().find(|c| c.geom == geom);
        for c in found.iter_mut().filter(|c| c.area.is_none()) {
            let [Some(a), Some(b)] = c.geoms.map(of_geom) else { continue };
            let [x_wa, x_wb] = [a, b].map(|c| kin.x_wb[c.body] * c.pose);
            c.curvature = relative_curvature(&a.shape, &x_wa, &b.shape, &x_wb, &c.p_wc, &c.point.normal);
        }
    }

    /// Finds contacts, and pairs whose gap can close by the motion, of which the length and the drive are set.
    pub(crate) fn find(
        &mut self,
        kin: &Kinematics,
        model: &Model,
        motion: &mut Motion,
        out: &mut Vec<FoundContact>,
    ) -> Result<(), ProblemError> {
        out.clear();
        self.place(kin, model, motion);
        let (colliders, proxies, rules) = (&self.colliders, &self.proxies, &self.rules);
        let (first_moving, balls, margins) = (self.first_moving, &self.balls, &self.margins);
        self.places.clear();
        self.places.extend(colliders.iter().map(|c| place(kin, c)));
        let places = self.places.as_slice();
        let travel = &self.travel;
        let near = match &mut self.partners {
            Some(partners) => {
                let plane = |a: usize| {
                    let first = proxies[a].colliders.start;
                    let flat = a < first_moving && matches!(colliders[first].shape, Shape::HalfSpace);
                    let at = flat.then(|| &places[first])?;
                    Some((at.center, at.normal(), margins[a]))
                };
                partners.near(balls, travel, plane)
            }
            None => self
                .broad_phase
                .pairs(&self.boxes, margins, |_, b| b as usize >= first_moving)
                .map_err(|e| ProblemError::Unsupported(e.to_string()))?,
        };
        self.table.find(near, |[a, b], pairs| {
            let numbers = numbers_between(proxies, a as usize, b as usize);
            pairs.extend(numbers.filter_map(|(i, j)| rules.pair(colliders, i, j)));
        });
        self.known.until.resize(self.table.len(), f64::NEG_INFINITY);
        self.known.neighbours.resize_with(self.table.len(), RefCell::default);
        let (KnownPairs { until, neighbours }, query) = (&mut self.known, self.query_rules);
        motion.fly();
        let near_pairs = &mut self.near_pairs;
        near_pairs.points.clear();
        near_pairs.queries.clear();
        near_pairs.overlaps.clear();
        for (key, entry) in self.table.found() {
            let bodies = key.map(|i| proxies[i].body);
            let (speculative, may) = (motion.approach(bodies[0], bodies[1]), travel.may_together(key));
            for k in entry.pairs.clone() {
                if may <= until[k] {
                    continue;
                }
                let (of, own_margin) = self.table.reach(k);
                let margin = own_margin + speculative;
                let neighbours = &neighbours[k];
                let placed = Placed { model, colliders, places, kin, motion, rules: query, neighbours };
                let distance = placed.distance(of, margin + FAR * speculative);
                if distance > margin {
                    until[k] = travel.until(key, distance - own_margin);
                    continue;
                }
                let p = &self.table.pair(k);
                let first = near_pairs.points.len();
                let overlap = placed.overlap(p, &mut near_pairs.overlaps, &mut near_pairs.points)?;
                let found = matches!(overlap, Overlap::Surface(_))
                    || placed.query(p, margin, &mut near_pairs.points)?;
                let thickness = placed.thickness(p);
                // Round shapes touch by the corners of their surfaces before they do themselves.
                let touching = if p.meeting.is_area() { p.margin } else { p.active };
                let resting = touching + motion.rests_below(thickness);
                if near_pairs.points[first..].iter().any(|c| c.gap <= resting) {
                    motion.touch(bodies);
                }
                let (points, margin) = (first..near_pairs.points.len(), (!found).then_some(margin));
                near_pairs.queries.push(Query { pair: k, bodies, points, margin, overlap });
            }
        }
        let (mut patch, mut number) = (0, 0);
        near_pairs.energy = 0.0;
        if motion.horizon == 0.0 {
            near_pairs.kept.iter_mut().for_each(Vec::clear);
        }
        for Query { pair, bodies, points, margin, overlap } in &near_pairs.queries {
            let neighbours = &neighbours[*pair];
            let placed = Placed { model, colliders, places, kin, motion, rules: query, neighbours };
            let p = &self.table.pair(*pair);
            near_pairs.met.clear();
            near_pairs.met.extend_from_slice(&near_pairs.points[points.clone()]);
            let nearest = near_pairs.met.first().map(|c| c.gap);
            let ahead = match overlap {
                Overlap::Surface(_) => Ahead::Start,
                _ => placed.look_along(p, &mut near_pairs.met, &mut near_pairs.moved)?,
            };
            if ahead == Ahead::Nothing {
                continue;
            }
            if let (Ahead::Start, Some(margin), Some(gap)) = (ahead, margin, nearest) {
                near_pairs.met.clear();
                placed.contacts_about(p, [gap, *margin], &mut near_pairs.met)?;
            }
            let geoms = [p.a, p.b].map(|i| colliders[i as usize].geom);
            if p.meeting.is_area() {
                let nearest = near_pairs.met.iter().min_by(|x, y| x.gap.total_cmp(&y.gap));
                let Some(near) = nearest else { continue };
                let [start, end] = &mut near_pairs.surfaces;
                let start = match overlap {
                    Overlap::Surface(k) => near_pairs.overlaps.surface(*k),
                    _ => start,
                };
                let found = placed.meet_over_area(p, (near, ahead.meeting()), *overlap, [start, end])?;
                let places = [(found[0], found[1].as_ref(), &*start), (found[1], None, &*end)];
                for (at, then, surface) in &places {
                    let Some(at) = at else { continue };
                    if motion.horizon == 0.0 {
                        near_pairs.energy += at.energy(surface);
                        let kept = near_pairs.kept.iter_mut();
                        kept.for_each(|kept| PressureTriangle::push_all(geoms, surface, kept));
                    }
                    placed.polygon_contacts(p, at, *then, surface, |c| {
                        let middle =
                            p.weight_a * c.point.p_a.coords + (1.0 - p.weight_a) * c.point.p_b.coords;
                        out.push(FoundContact {
                            bodies: *bodies,
                            geoms,
                            point: c.point,
                            p_wc: middle.into(),
                            material: ContactMaterial { stiffness: c.stiffness, ..p.material },
                            gap: 0.0,
                            weight_a: p.weight_a,
                            apart: c.apart,
                            bend: c.bend,
                            curvature: None,
                            area: Some(AreaPart { patch, surface: number, preload: c.force }),
                        });
                    });
                    number += 1;
                }
                patch += 1;
                continue;
            }
            for c in &near_pairs.met {
                let gap = c.gap - p.active;
                let bend = placed.bend(ahead, *bodies, c);
                let turning = bend.turning.dot(&c.normal);
                let point = ContactPoint { gap: c.gap - bend.t * turning, ..*c };
                let gap = gap - bend.t * turning;
                if motion.reaches(kin, model, (*bodies, -turning), c, gap) {
                    out.push(FoundContact {
                        bodies: *bodies,
                        geoms,
                        point,
                        p_wc: Point3::from(p.weight_a * c.p_a.coords + (1.0 - p.weight_a) * c.p_b.coords),
                        material: p.material_at(gap),
                        gap,
                        weight_a: p.weight_a,
                        apart: gap > 0.0 || matches!(ahead, Ahead::Later(_)),
                        bend,
                        curvature: None,
                        area: None,
                    });
                }
            }
        }
        Ok(())
    }

    /// Balls and swept boxes of the proxies, how these move and have moved.
    fn place(&mut self, kin: &Kinematics, model: &Model, motion: &mut Motion) {
        let proxies = self.proxies.iter().zip(&self.margins).zip(&mut self.balls).enumerate();
        for (i, ((p, margin), ball)) in proxies {
            let (center, radius) = p.ball.unwrap_or((Point3::origin(), 0.0));
            let center = at(kin, p.body, &center);
            if i >= self.first_moving && motion.horizon > 0.0 {
                motion.set_body(kin, model, p.body, &center, radius);
            }
            let reach = motion.reach(p.body);
            if p.ball.is_some() {
                *ball = Reach { center, radius: radius + margin + reach };
            }
            self.travel.set(i, &center, &kin.r_wb[p.body], p.ball.map(|(_, r)| r), reach);
        }
        if self.travel.take_lost() {
            self.known.until.fill(f64::NEG_INFINITY);
            self.partners.iter_mut().for_each(Partners::forget);
        }
        if self.partners.is_some() {
            return;
        }
        for (i, (p, out)) in self.proxies.iter().zip(&mut self.boxes).enumerate() {
            let bounds = self.colliders[p.colliders.start].bounds;
            let r = &kin.r_wb[p.body];
            *out = match (p.ball, bounds) {
                (Some(_), Some(b)) if i < self.first_moving => {
                    b.aabb(r, &kin.x_wb[p.body].translation.vector)
                }
                (Some((_, radius)), _) if motion.rests(p.body) => {
                    let c = self.balls[i].center;
                    Aabb::new(c, c).inflated(radius + motion.reach(p.body))
                }
                (Some((_, radius)), _) => {
                    let c = self.balls[i].center;
                    let end = c + motion.horizon * motion.velocity[p.body];
                    let grown =
                        radius + motion.horizon * motion.spin[p.body] + motion.fall + motion.push[p.body];
                    let grown = if motion.horizon == 0.0 { radius } else { grown };
                    Aabb::new(c.inf(&end), c.sup(&end)).inflated(grown)
                }
                (None, _) => Aabb::unbounded(),
            };
        }
    }

    /// Whether a body that moves has a geom that takes part.
    pub(crate) fn has(&self, body: usize) -> bool {
        self.proxies[self.first_moving..].binary_search_by_key(&body, |p| p.body).is_ok()
    }

    /// Energy of areas where the bodies of the last search were, which had no look ahead \[J\].
    pub(crate) fn energy_of_areas(&self) -> f64 {
        self.near_pairs.energy
    }

    /// Keeps surfaces where bodies are from now on, for [`Self::surfaces`].
    pub(crate) fn keep_surfaces(&mut self) {
        self.near_pairs.kept.get_or_insert_default();
    }

    /// Surfaces of the last search without a look ahead; empty unless they are kept.
    pub(crate) fn surfaces(&self) -> &[PressureTriangle] {
        self.near_pairs.kept.as_deref().unwrap_or_default()
    }

    /// Geoms that take part.
    pub(crate) fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Which of them meet.
    pub(crate) fn rules(&self) -> &PairRules {
        &self.rules
    }

    /// Collider of a geom that takes part.
    pub(crate) fn collider(&self, geom: usize) -> Option<&Collider> {
        self.colliders.iter().find(|c| c.geom == geom)
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = CollidingPair> {
        self.numbers().filter_map(|(i, j)| self.rules.pair(&self.colliders, i, j)).map(|p| self.public(&p))
    }

    /// One pair of every two kinds of geoms, and all explicit ones.
    pub(crate) fn kinds_of_pairs(&self) -> Vec<CollidingPair> {
        let kinds = self.rules.kinds(&self.colliders, self.moving_from());
        kinds.iter().map(|p| self.public(p)).collect()
    }

    fn public(&self, p: &Pair) -> CollidingPair {
        CollidingPair {
            geoms: [p.a, p.b].map(|i| self.colliders[i as usize].geom),
            meeting: p.meeting,
            material: p.material_at(0.0),
            stated_friction: p.stated_friction,
            margin: p.margin,
        }
    }

    /// Number of the first collider that moves.
    fn moving_from(&self) -> usize {
        self.proxies.get(self.first_moving).map_or(self.colliders.len(), |p| p.colliders.start)
    }

    /// Numbers of any two colliders of which the second moves.
    fn numbers(&self) -> impl Iterator<Item = (usize, usize)> {
        (self.moving_from()..self.colliders.len()).flat_map(|j| (0..j).map(move |i| (i, j)))
    }

    /// Why pairs cannot meet as their surfaces say: over areas under a law that cannot take them, or both rigid where that is not allowed.
    pub(crate) fn refused(&self, scene: &Scene, law: &dyn LawPool) -> Option<ModelError> {
        let rigid = scene.options.both_rigid == BothRigid::Refuse;
        let area = !law.properties().reads_preload;
        let refuses = |m: Meeting| (area && m.is_area()) || (rigid && m == Meeting::RigidPoints);
        let p = self.kinds_of_pairs().into_iter().find(|p| refuses(p.meeting))?;
        let [a, b] = p.geoms.map(|g| &scene.geoms[g]);
        let place = b.named_place();
        Some(if p.meeting.is_area() {
            let message = format!(
                "it meets geom '{}' over an area, whose polygons the law '{}' would take for contacts of one load each",
                a.name,
                law.key()
            );
            ModelError::element(
                &place,
                message,
                "use lagged or similar (--solver icf on the command line), or let one of the surfaces meet others in points",
            )
        } else {
            let message =
                format!("it and geom '{}' are both rigid, so that no pressure tells their force", a.name);
            ModelError::element(&place, message, "make one compliant, or let both rigid meet in points")
        })
    }

    /// Pairs of shapes that have no contact query, found by asking each pair of kinds once.
    pub(crate) fn unsupported(&self) -> Option<String> {
        let mut points = Vec::new();
        let far = Pose::translation(0.0, 0.0, 1e3);
        let mut query = |i: usize, j: usize| {
            let [a, b] = [i, j].map(|k| &self.colliders[k].shape);
            contacts(a, &Pose::identity(), b, &far, 0.0, &mut points)
        };
        let mut kinds: Vec<(&str, Vec<usize>)> = Vec::new();
        for (i, c) in self.colliders.iter().enumerate() {
            match kinds.iter_mut().find(|k| k.0 == c.shape.name()) {
                Some(kind) => kind.1.push(i),
                None => kinds.push((c.shape.name(), vec![i])),
            }
        }
        for (k, (_, a)) in kinds.iter().enumerate() {
            for (_, b) in &kinds[k..] {
                let Err(e) = query(a[0], b[0]).and(query(b[0], a[0])) else { continue };
                let mut numbers = a.iter().flat_map(|i| b.iter().map(move |j| (*i.min(j), *i.max(j))));
                let meet = |(i, j): (usize, usize)| {
                    i != j && j >= self.moving_from() && self.rules.pair(&self.colliders, i, j).is_some()
                };
                if let Some((i, j)) = numbers.find(|p| meet(*p)) {
                    let [a, b] = [i, j].map(|k| &self.colliders[k].name);
                    return Some(format!("geoms '{a}' and '{b}': {e}"));
                }
            }
        }
        None
    }
}

/// Numbers of any two colliders of two proxies.
fn numbers_between(proxies: &[Proxy], a: usize, b: usize) -> impl Iterator<Item = (usize, usize)> {
    let [a, b] = [a, b].map(|i| proxies[i].colliders.clone());
    a.flat_map(move |i| b.clone().map(move |j| (i, j)))
}

/// Ball around some colliders of a body, in its frame.
pub(crate) fn ball_around(colliders: &[Collider]) -> Option<(Point3<f64>, f64)> {
    let balls: Vec<_> = colliders.iter().map(|c| c.bounds).collect::<Option<_>>()?;
    let n = balls.len().max(1) as f64;
    let center = balls.iter().fold(Point3::origin(), |s, b| s + b.center.coords / n);
    let reach = |b: &Bounds| (b.center - center).norm() + b.radius;
    Some((center, balls.iter().map(reach).fold(0.0, f64::max)))
}
