use std::ops::Range;

use signorini_core::StepSolution;
use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ContactPoint, Shape, contacts};
use signorini_scene::{JointKind, Pose};

use crate::contact::collider::Collider;
use crate::contact::collision::{Collision, ball_around};
use crate::contact::pairs::PairRules;
use crate::{Kinematics, Model};

/// Part of the thinner geom by which motion has to leave the one that contacts were looked for along before it is looked at.
const PART: f64 = 0.5;
/// Part of the thinner geom that may overlap on the way, beyond the overlaps of both ends.
const THIN: f64 = 0.05;
/// Most advances along a motion.
const ADVANCES: u32 = 48;
/// Part of the radius of a geom that counts as its thickness at least: sheets have none.
const FLAT: f64 = 1e-3;

/// Looks for geoms that pass through each other in a step: along the motion that the step has made, where contact has turned it away from the one without contact.
///
/// Contacts are looked for along the motion without contact ([`Placed::look_along`](crate::contact::placed::Placed)). Bodies that move so need no second look. A body that impulses push by more than [`PART`] of the thinnest geom,
/// δt|v − v*|, in a step in which something moves as far, may meet one that it has no contact with.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    /// By degree of freedom, the largest way of a point of its tree for a unit: one, or the distance from its axis \[m\].
    arms: Vec<f64>,
    /// Most degrees of freedom of a tree.
    widest: f64,
    /// Thickness of the thinnest geom \[m\].
    thinnest: f64,
    /// By tree: impulses push it so far.
    pushed: Vec<bool>,
    /// By tree, the largest way of its points in the step \[m\].
    gone: Vec<f64>,
    /// Colliders of each body, and a ball around them in its frame; none where one is unbounded.
    bodies: Vec<(Range<usize>, Option<Ball>)>,
    end: Kinematics,
    /// Storage: ways of bodies, of the colliders of those that are looked at, which bodies these are, contacts of a pair.
    around: Vec<Option<Way>>,
    ways: Vec<Option<Way>>,
    looked_at: Vec<bool>,
    points: Vec<ContactPoint>,
}

/// Middle, in the frame of its body, and radius \[m\].
type Ball = (Point3<f64>, f64);

/// Way of a ball within a step: its middle moves along a line, and it turns about that.
#[derive(Clone, Debug)]
struct Way {
    start: Pose,
    middle: Point3<f64>,
    shift: Vector3<f64>,
    turn: Vector3<f64>,
    radius: f64,
}

impl Crossing {
    pub(crate) fn new(model: &Model, colliders: &[Collider]) -> Self {
        let mut far = vec![0.0_f64; model.trees.len()];
        for c in colliders {
            let (Some(t), Some(b)) = (model.bodies[c.body].tree, &c.bounds) else { continue };
            far[t] = far[t].max(b.center.coords.norm() + b.radius);
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let Some(t) = body.tree.filter(|t| model.trees[*t].root != b) else { continue };
            far[t] += body.pose.translation.vector.norm();
        }
        model.joints.iter().for_each(|j| far[model.dofs[j.v].tree] += j.anchor.coords.norm());
        let mut arms: Vec<f64> = model.dofs.iter().map(|d| far[d.tree]).collect();
        for j in &model.joints {
            let ways = match j.kind {
                JointKind::Free => 3,
                JointKind::Slide => 1,
                JointKind::Hinge | JointKind::Ball => 0,
            };
            arms[j.v..j.v + ways].fill(1.0);
        }
        let mut bodies: Vec<(Range<usize>, _)> = Vec::new();
        for (i, c) in colliders.iter().enumerate() {
            match bodies.last_mut() {
                Some((last, _)) if colliders[last.start].body == c.body => last.end = i + 1,
                _ => bodies.push((i..i + 1, None)),
            }
        }
        bodies.iter_mut().for_each(|(of, ball)| *ball = ball_around(&colliders[of.clone()]));
        let thinnest = colliders.iter().filter_map(thickness).fold(f64::INFINITY, f64::min);
        Self {
            pushed: vec![false; far.len()],
            gone: vec![0.0; far.len()],
            arms,
            widest: model.trees.iter().map(|t| t.dofs.len()).max().unwrap_or(0) as f64,
            thinnest,
            bodies,
            end: Kinematics::new(model),
            around: Vec::new(),
            ways: Vec::new(),
            looked_at: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Speed of the points of a tree at most, from the velocities of its degrees of freedom \[m/s\].
    pub(crate) fn speed(&self, model: &Model, tree: usize, v: impl Fn(usize) -> f64) -> f64 {
        model.trees[tree].dofs.clone().map(|i| self.arms[i] * v(i).abs()).sum()
    }

    /// Whether a solution moves some body far enough, and away from the velocity `free` without contact.
    pub(crate) fn may_happen(&mut self, model: &Model, dt: f64, s: &StepSolution, free: &[f64]) -> bool {
        let (least, v) = (PART * self.thinnest, s.position_velocity());
        let pushes = self.arms.iter().zip(v).zip(free).map(|((arm, v), free)| arm * (v - free).abs());
        let largest = pushes.fold(0.0, f64::max);
        if dt * largest * self.widest <= least {
            return false;
        }
        let mut any = false;
        for t in 0..model.trees.len() {
            let push = dt * self.speed(model, t, |i| v[i] - free[i]);
            self.pushed[t] = push > least;
            any |= self.pushed[t];
        }
        if !any {
            return false;
        }
        for t in 0..model.trees.len() {
            self.gone[t] = dt * self.speed(model, t, |i| v[i]);
        }
        self.gone.iter().any(|way| *way > least)
    }

    /// The geoms of a pair that passes through each other between the bodies of `start` and the positions `q`.
    pub(crate) fn find(
        &mut self,
        collision: &Collision,
        model: &Model,
        start: &Kinematics,
        q: &[f64],
        mocap: &[Pose],
    ) -> Option<[usize; 2]> {
        self.end.set_positions(model, q, mocap);
        let (colliders, rules) = (collision.colliders(), collision.rules());
        let Self { pushed, gone, thinnest, bodies, around, end, ways, looked_at, points, .. } = self;
        let bodies_at = [start, &*end];
        ways.resize_with(colliders.len(), || None);
        looked_at.clear();
        looked_at.resize(bodies.len(), false);
        around.clear();
        around.extend(
            bodies
                .iter()
                .map(|(of, ball)| ball.map(|ball| Way::of(colliders[of.start].body, ball, bodies_at, None))),
        );
        let tree = |a: usize| model.bodies[colliders[bodies[a].0.start].body].tree;
        let pushed = |a: usize| tree(a).is_some_and(|t| pushed[t]);
        let gone = |a: usize| tree(a).map_or(0.0, |t| gone[t]);
        let apart = |a: usize, b: usize| match (&around[a], &around[b]) {
            (Some(x), Some(y)) => x.is_far_from(y),
            _ => false,
        };
        for a in (0..bodies.len()).filter(|a| pushed(*a)) {
            // Two that are pushed meet once, and two that cross go at least so far.
            let meets = |b: usize| {
                (a < b || !pushed(b)) && a != b && gone(a) + gone(b) >= PART * *thinnest && !apart(a, b)
            };
            for b in (0..bodies.len()).filter(|b| meets(*b)) {
                for body in [a, b].into_iter().filter(|body| !std::mem::replace(&mut looked_at[*body], true))
                {
                    let of = bodies[body].0.clone();
                    let turn = around[body].as_ref().map(|w| w.turn);
                    for (way, c) in ways[of.clone()].iter_mut().zip(&colliders[of]) {
                        *way = c.bounds.map(|b| Way::of(c.body, (b.center, b.radius), bodies_at, turn));
                    }
                }
                for (i, j) in bodies[a].0.clone().flat_map(|i| bodies[b].0.clone().map(move |j| (i, j))) {
                    let (Some(way), Some(other)) = (&ways[i], &ways[j]) else { continue };
                    let (pair, both) = if i < j { ([i, j], [way, other]) } else { ([j, i], [other, way]) };
                    if !way.is_far_from(other) && crosses(rules, colliders, pair, both, points) {
                        return Some([i, j].map(|k| colliders[k].geom));
                    }
                }
            }
        }
        None
    }
}

/// Thickness of a geom that has one \[m\].
fn thickness(c: &Collider) -> Option<f64> {
    c.bounds.map(|b| b.thickness().max(FLAT * b.radius))
}

/// Whether two geoms overlap on their way by more than at its ends, or half the thinner one more at its end than at its start: the next step would part them on either side.
fn crosses(
    rules: &PairRules,
    colliders: &[Collider],
    [i, j]: [usize; 2],
    [a, b]: [&Way; 2],
    points: &mut Vec<ContactPoint>,
) -> bool {
    let (of_a, of_b) = (&colliders[i], &colliders[j]);
    let thin = match (thickness(of_a), thickness(of_b)) {
        (Some(a), Some(b)) => a.min(b),
        _ => return false,
    };
    let shift = b.shift - a.shift;
    // A ball turns about its middle unseen.
    let turns = |c: &Collider, w: &Way| {
        if matches!(c.shape, Shape::Sphere { .. }) { 0.0 } else { w.turn.norm() * w.radius }
    };
    let spin = turns(of_a, a) + turns(of_b, b);
    let most = shift.norm() + spin;
    if most < PART * thin || rules.pair(colliders, i, j).is_none() {
        return false;
    }
    let mut nearest = |s: f64, margin: f64| -> Option<ContactPoint> {
        points.clear();
        let (x_a, x_b) = (a.at(s) * of_a.pose, b.at(s) * of_b.pose);
        contacts(&of_a.shape, &x_a, &of_b.shape, &x_b, margin, points).ok()?;
        points.iter().min_by(|x, y| x.gap.total_cmp(&y.gap)).copied()
    };
    let depth = |c: Option<ContactPoint>| c.map_or(0.0, |c| (-c.gap).max(0.0));
    if [of_a, of_b].iter().all(|c| matches!(c.shape, Shape::Mesh(_))) {
        // A search of two surfaces within the whole way costs more than the step: they are looked at in places no farther apart than the thinner one is thick.
        let [first, last] = [0.0, 1.0].map(|s| depth(nearest(s, 0.0)));
        let places = (most / (PART * thin)).ceil().min(f64::from(ADVANCES));
        let between = |k: u32| depth(nearest(f64::from(k) / places, 0.0)) > THIN * thin + first.max(last);
        return last > first + PART * thin || (1..places as u32).any(between);
    }
    let Some(mut near) = nearest(0.0, most) else { return false };
    let [first, last] = [depth(Some(near)), depth(nearest(1.0, 0.0))];
    if last > first + PART * thin {
        return true;
    }
    let least = -THIN * thin - first.max(last);
    let convex = ![of_a, of_b].iter().any(|c| matches!(c.shape, Shape::Mesh(_)));
    let mut s = 0.0;
    for _ in 0..ADVANCES {
        if near.gap <= least {
            return true;
        }
        let closing = if convex { spin - shift.dot(&near.normal) } else { most };
        // Beyond `least`, so that it is reached.
        s += (near.gap - least + THIN * thin) / closing;
        if closing <= 0.0 || s >= 1.0 {
            return false;
        }
        let Some(next) = nearest(s, most) else { return false };
        near = next;
    }
    false
}

impl Way {
    /// Of a ball of a body, in the frame of that; `turn` is that of the body where it is known.
    fn of(
        body: usize,
        (center, radius): Ball,
        [start, end]: [&Kinematics; 2],
        turn: Option<Vector3<f64>>,
    ) -> Self {
        let [from, to] = [start.x_wb[body], end.x_wb[body]];
        let middle = from * center;
        let turn = turn.unwrap_or_else(|| (to.rotation * from.rotation.inverse()).scaled_axis());
        Self { start: from, middle, shift: to * center - middle, turn, radius }
    }

    /// Pose of the body at the part `s` of the way.
    fn at(&self, s: f64) -> Pose {
        let turn = UnitQuaternion::from_scaled_axis(s * self.turn);
        let origin = Point3::from(self.start.translation.vector);
        let moved = self.middle + s * self.shift + turn * (origin - self.middle);
        Pose::from_parts(moved.into(), turn * self.start.rotation)
    }

    /// Whether the balls of two stay apart.
    fn is_far_from(&self, other: &Self) -> bool {
        let (from, along) = (other.middle - self.middle, other.shift - self.shift);
        let square = along.norm_squared();
        let s = if square > 0.0 { (-from.dot(&along) / square).clamp(0.0, 1.0) } else { 0.0 };
        (from + s * along).norm() > self.radius + other.radius
    }
}
