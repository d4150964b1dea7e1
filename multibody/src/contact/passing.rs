use signorini_core::ProblemError;
use signorini_core::na::{Point3, Vector3};
use signorini_geometry::{ContactPoint, Shape, support};
use signorini_scene::Pose;

use crate::contact::pairs::Pair;
use crate::contact::placed::Placed;

/// Most advances along a motion, after which it counts as one that meets.
const ADVANCES: u32 = 48;

/// Most halvings of a time in which a pair with a triangle mesh may overlap, or one that glances.
const HALVINGS: u32 = 5;

/// Part of the approach beyond the gap that may overlap where a pair only grazes.
const OVERLAP: f64 = 0.1;
/// Part of the thinner geom that may.
const THIN: f64 = 0.05;
/// Part of the thinner geom that may overlap where a pair touches and goes apart again within the step.
const GRAZE: f64 = 2e-3;
/// Multiple of the way that forces may take a pair, beyond which turning counts where the nearest points do not meet.
const FAST: f64 = 2.0;
/// Part of a length below which a gap counts as closed, and that of a triangle mesh.
const CLOSED: f64 = 1e-3;
const CLOSED_MESH: f64 = 1e-2;

/// Time at which two geoms meet within the step \[s\], and how their motion changes until then, by side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    t: f64,
    /// Changes of angular velocities \[rad/s\].
    spins: [Vector3<f64>; 2],
    /// Acceleration of B relative to A in flight \[m/s²\].
    fall: Vector3<f64>,
}

/// How the motion of two geoms at the time at which they meet differs from that of the start of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Bend {
    /// The time \[s\].
    pub t: f64,
    /// Change of the velocity of B relative to A at the contact by turning until then, world axes \[m/s\].
    pub turning: Vector3<f64>,
    /// Acceleration that opens the gap afterwards \[m/s²\].
    away: f64,
}

impl Ahead {
    /// Time at which they meet, where that is later than the start \[s\].
    pub(crate) fn meeting(&self) -> Option<f64> {
        match self {
            Self::Later(meeting) => Some(meeting.t),
            Self::Start | Self::Nothing => None,
        }
    }
}

impl Meeting {
    /// For a contact of bodies with the origins `at`.
    pub(crate) fn bend(&self, c: &ContactPoint, at: [&Vector3<f64>; 2]) -> Bend {
        let [a, b] = [c.p_a, c.p_b];
        let turning = self.spins[1].cross(&(b.coords - at[1])) - self.spins[0].cross(&(a.coords - at[0]));
        Bend { t: self.t, turning, away: self.fall.dot(&c.normal).max(0.0) }
    }
}

impl Bend {
    /// Opening of the gap by gravity after they meet in a step of `dt` \[m\]: it is taken off, as the geoms go on from there as they move then.
    pub(crate) fn opens(&self, dt: f64) -> f64 {
        0.5 * (dt - self.t).max(0.0).powi(2) * self.away
    }
}

/// Encounter of two geoms within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ahead {
    /// The contacts of its start.
    Start,
    /// Contacts of a later time, at which they meet.
    Later(Meeting),
    /// No contact: they pass each other.
    Nothing,
}

/// Two geoms that come nearer, at the velocities of the start of the step and as gravity changes them in flight.
struct Approach<'a> {
    pair: &'a Pair,
    bodies: [usize; 2],
    /// Velocity of the middle of B relative to that of A at the start of the step, and its change until the end \[m/s\].
    velocity: Vector3<f64>,
    change: Vector3<f64>,
    /// Acceleration of B relative to A in flight \[m/s²\].
    fall: Vector3<f64>,
    /// The most that turning adds to the speed of their points \[m/s\].
    spin: f64,
    /// Gap at the start of the step, that below which forces may close it, and the largest that matters \[m\].
    gap: f64,
    clear: f64,
    far: f64,
    /// One is a triangle mesh: any part of it may be the one that meets, along any direction.
    mesh: bool,
}

/// A time within the step, and the nearest contact there.
#[derive(Clone, Copy)]
struct Moment {
    t: f64,
    near: ContactPoint,
}

/// End of an advance along a motion.
enum Advance {
    /// The gap has fallen to the one that was asked for.
    Met(Moment),
    /// The end of the step.
    Passed,
}

fn nearest(points: &[ContactPoint]) -> Option<ContactPoint> {
    points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).copied()
}

impl Placed<'_> {
    /// Looks along the motion of two geoms that come nearer; `found` becomes the contacts that hold within the step.
    ///
    /// The frame of contact is that of the time at which the geoms meet at the velocities of the start of the step, in flight along curves:
    /// ```text
    /// φ_t + h u·n_t − (t u₀ + ½ t² g)·n_t ≥ 0     in place of φ₀ + h u·n₀ ≥ 0
    /// ```
    /// at the points of the bodies that meet there. From then on they go on as they move at that time ([`Bend`]). Geoms that only graze, as one does that slides over a seam whose side its nearest point faces at the start, meet at the end of the step. Geoms that
    /// pass each other by more than forces may take them have no contact where the normal of the start of the step would stop them, or where they slide along each other by more than half their
    /// gap while it closes, or where a law that glides would throw them off each other.
    pub(crate) fn look_along(
        &self,
        p: &Pair,
        found: &mut Vec<ContactPoint>,
        moved: &mut Vec<ContactPoint>,
    ) -> Result<Ahead, ProblemError> {
        let (motion, h) = (self.motion, self.motion.horizon);
        let Some(near) = nearest(found).filter(|_| h > 0.0) else { return Ok(Ahead::Start) };
        let bodies = [p.a, p.b].map(|i| self.colliders[i as usize].body);
        let clear = p.active.max(0.0) + motion.pulls(bodies);
        if self.rest_on_each_other(p, bodies, &near, clear) {
            return Ok(Ahead::Start);
        }
        let approach = self.approach(p, bodies, &near, clear);
        let closes = h * approach.closing(&near);
        let passing = near.gap > clear && found.iter().any(|c| self.glides_on(p, bodies, c));
        if closes <= 0.0 || near.gap > clear + closes {
            return Ok(if passing { Ahead::Nothing } else { Ahead::Start });
        }
        let relative = self.relative(bodies, &near, h);
        let closing = -relative.dot(&near.normal);
        let gap = near.gap - p.active;
        let mut meets = Moment { t: 0.0, near };
        if near.gap > clear {
            let along = (relative + closing * near.normal).norm();
            let stopped = passing || along >= 0.5 * closing || gap < h * closing;
            let passes = if stopped { Ahead::Nothing } else { Ahead::Start };
            if passes == Ahead::Nothing && self.stays_apart(p, &near.normal, clear) {
                return Ok(passes);
            }
            match self.advance(&approach, meets, clear, moved)? {
                Advance::Met(moment) => meets = moment,
                Advance::Passed => return Ok(passes),
            }
        } else if gap < -OVERLAP * h * closing || (gap >= h * closing && closes < FAST * clear) {
            // They rest, or are in each other. Turning may part them where they touch, and bring other parts of them deeper.
            if closes >= FAST * clear && !self.stops(p, bodies, Ahead::Start, found) {
                let deeper = near.gap.min(p.active) - THIN * self.thickness(p);
                if let Advance::Met(deep) = self.advance(&approach, meets, deeper, moved)? {
                    return self.take(&approach, deep.t, found, moved);
                }
            }
            return Ok(Ahead::Start);
        }
        if meets.near.gap > p.active {
            match self.advance(&approach, meets, p.active, moved)? {
                Advance::Met(moment) => meets = moment,
                // Forces alone may close the gap.
                Advance::Passed => return self.take(&approach, h, found, moved),
            }
        }
        let thin = THIN * self.thickness(p);
        let most = (motion.pulls(bodies) + OVERLAP * (closes - gap).max(0.0)).min(thin);
        let mut deep = self.advance(&approach, meets, p.active - most, moved)?;
        if let Advance::Passed = deep {
            let ahead = self.take(&approach, h, found, moved)?;
            let graze = (motion.pulls(bodies) + GRAZE * self.thickness(p)).min(thin);
            if graze >= most || self.goes_on(p, bodies, ahead, found) {
                return Ok(ahead);
            }
            // They go apart again within the step: a hit where they were deeper than forces may take them.
            deep = self.advance(&approach, meets, p.active - graze, moved)?;
            if let Advance::Passed = deep {
                return Ok(ahead);
            }
            found.clear();
            self.query_at(p, |c| self.kin.x_wb[c.body] * c.pose, approach.far, found)?;
        }
        let ahead = self.take(&approach, meets.t, found, moved)?;
        // The parts that touch first go apart again, and others get deep.
        match deep {
            Advance::Met(deep) if deep.t > meets.t && !self.stops(p, bodies, ahead, found) => {
                self.take(&approach, deep.t, found, moved)
            }
            _ => Ok(ahead),
        }
    }

    /// Whether two geoms so slow that turning does not count touch, or do not meet at their velocities: the contacts of the start hold without a closer look.
    fn rest_on_each_other(&self, p: &Pair, bodies: [usize; 2], near: &ContactPoint, clear: f64) -> bool {
        let (motion, gap) = (self.motion, near.gap - p.active);
        // Bodies that are expected to rest go no farther than they would without gravity.
        let pull = if bodies.iter().any(|b| motion.rests(*b)) { motion.fall } else { 0.0 };
        let most = motion.approach(bodies[0], bodies[1]) + pull;
        if near.gap > clear || most >= FAST * clear {
            return false;
        }
        let closes = || -motion.horizon * self.relative(bodies, near, motion.horizon).dot(&near.normal);
        gap < -OVERLAP * most || {
            let closes = closes();
            gap < -OVERLAP * closes || gap >= closes
        }
    }

    /// Whether one of the contacts would close within the step.
    fn stops(&self, p: &Pair, bodies: [usize; 2], ahead: Ahead, found: &[ContactPoint]) -> bool {
        let h = self.motion.horizon;
        found.iter().any(|c| {
            let bend = self.bend(ahead, bodies, c);
            let turns = (h - bend.t) * bend.turning.dot(&c.normal);
            c.gap + h * self.relative(bodies, c, h).dot(&c.normal) + turns < p.active
        })
    }

    /// Whether contacts of the end of the step hold then: one of them closes, or opens by no more than forces may close.
    fn goes_on(&self, p: &Pair, bodies: [usize; 2], ahead: Ahead, found: &[ContactPoint]) -> bool {
        let h = self.motion.horizon;
        let most = self.motion.pulls(bodies) + GRAZE * self.thickness(p);
        found.iter().any(|c| {
            let way = h * self.relative(bodies, c, h).dot(&c.normal);
            let turns = h * self.bend(ahead, bodies, c).turning.dot(&c.normal);
            c.gap + way < p.active && way + turns <= most
        })
    }

    /// How the motion of two bodies at one of their contacts differs from that of the start of the step.
    pub(crate) fn bend(&self, ahead: Ahead, bodies: [usize; 2], c: &ContactPoint) -> Bend {
        match ahead {
            Ahead::Later(m) => m.bend(c, bodies.map(|b| &self.kin.x_wb[b].translation.vector)),
            _ => Bend::default(),
        }
    }

    fn approach<'p>(
        &self,
        pair: &'p Pair,
        bodies: [usize; 2],
        near: &ContactPoint,
        clear: f64,
    ) -> Approach<'p> {
        let (a, b) = (&self.colliders[pair.a as usize], &self.colliders[pair.b as usize]);
        let ((v_a, spin_a), (v_b, spin_b)) = (self.middle(pair.a as usize), self.middle(pair.b as usize));
        let far = near.gap.max(0.0) + self.motion.approach(bodies[0], bodies[1]);
        let open = |s: &Shape| matches!(s, Shape::HalfSpace | Shape::HeightField(_));
        let mesh = (matches!(a.shape, Shape::Mesh(_)) || matches!(b.shape, Shape::Mesh(_)))
            && !open(&a.shape)
            && !open(&b.shape);
        let fall = self.motion.gain(bodies[1], 1.0) - self.motion.gain(bodies[0], 1.0);
        let (velocity, change) = (v_b - v_a, self.motion.horizon * fall);
        let spin = spin_a + spin_b;
        Approach { pair, bodies, velocity, change, fall, spin, gap: near.gap, clear, far, mesh }
    }

    /// Velocity of the middle of a collider at the start of the step, and the most that turning adds to the speed of its points \[m/s\].
    #[inline]
    fn middle(&self, collider: usize) -> (Vector3<f64>, f64) {
        let c = &self.colliders[collider];
        let (Some(bounds), true) = (&c.bounds, self.motion.moves(c.body)) else {
            return (Vector3::zeros(), 0.0);
        };
        let velocity = self.kin.point_velocity(self.model, c.body, &self.places[collider].center);
        let round = matches!(c.shape, Shape::Sphere { .. });
        let spin = if round { 0.0 } else { bounds.radius * self.kin.twist[c.body].angular.norm() };
        (velocity, spin)
    }

    /// Advances from a moment until the gap has fallen to `least`, negative ones included: conservative advancement (Mirtich 1996). The gap of convex shapes is the largest of those along all
    /// directions, in overlaps too; that along the normal n closes no faster than `closing`.
    fn advance(
        &self,
        approach: &Approach<'_>,
        from: Moment,
        least: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<Advance, ProblemError> {
        let h = self.motion.horizon;
        let mut now = from;
        let closed = if approach.mesh && least >= 0.0 { CLOSED_MESH } else { CLOSED };
        let enough = least + closed * approach.far.min(self.thickness(approach.pair));
        if approach.mesh {
            return self.advance_mesh(approach, from, [least, enough], points);
        }
        for _ in 0..ADVANCES {
            if now.near.gap <= enough {
                return Ok(Advance::Met(now));
            }
            let Some(t) = approach.not_before(&now, least).filter(|t| *t < h) else {
                return Ok(Advance::Passed);
            };
            let Some(near) = self.nearest_at(approach, t, approach.far, points)? else {
                return Ok(Advance::Passed);
            };
            now = Moment { t, near };
        }
        // They glance off each other's surfaces: parts of the rest of the step tell.
        let end = self.moment(approach, h, &now.near, points)?;
        let first = self.first_below(approach, [now, end], [least, enough], HALVINGS, points)?;
        Ok(first.map_or(Advance::Passed, Advance::Met))
    }

    /// The first of the moments in parts of the time between two at which a convex pair is as near as `enough`.
    fn first_below(
        &self,
        approach: &Approach<'_>,
        [from, to]: [Moment; 2],
        limits @ [least, enough]: [f64; 2],
        halvings: u32,
        points: &mut Vec<ContactPoint>,
    ) -> Result<Option<Moment>, ProblemError> {
        let end = to.near.gap <= enough;
        let lowest = 0.5 * (from.near.gap + to.near.gap - approach.fastest() * (to.t - from.t));
        if halvings == 0 || lowest > least {
            return if end {
                self.closing_at(approach, [from, to], limits, points).map(Some)
            } else {
                Ok(None)
            };
        }
        let middle = self.moment(approach, 0.5 * (from.t + to.t), &from.near, points)?;
        let first = self.first_below(approach, [from, middle], limits, halvings - 1, points)?;
        if first.is_some() {
            return Ok(first);
        }
        self.first_below(approach, [middle, to], limits, halvings - 1, points)
    }

    /// The moment between two, the first of a gap above `enough` and the second not, at which the gap falls to it: there it closes.
    fn closing_at(
        &self,
        approach: &Approach<'_>,
        [mut from, mut to]: [Moment; 2],
        [least, enough]: [f64; 2],
        points: &mut Vec<ContactPoint>,
    ) -> Result<Moment, ProblemError> {
        for _ in 0..ADVANCES {
            if to.near.gap >= least {
                break;
            }
            let middle = self.moment(approach, 0.5 * (from.t + to.t), &from.near, points)?;
            *(if middle.near.gap <= enough { &mut to } else { &mut from }) = middle;
        }
        Ok(to)
    }

    /// The nearest contact at a time; beyond the largest gap that matters it is `before` with that gap.
    fn moment(
        &self,
        approach: &Approach<'_>,
        t: f64,
        before: &ContactPoint,
        points: &mut Vec<ContactPoint>,
    ) -> Result<Moment, ProblemError> {
        let near = self.nearest_at(approach, t, approach.far, points)?;
        Ok(Moment { t, near: near.unwrap_or(ContactPoint { gap: approach.far, ..*before }) })
    }

    /// The nearest of the contacts within `margin` \[m\] at a time.
    fn nearest_at(
        &self,
        approach: &Approach<'_>,
        t: f64,
        margin: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<Option<ContactPoint>, ProblemError> {
        points.clear();
        self.query_at(approach.pair, |c| self.moved(c.body, t) * c.pose, margin, points)?;
        Ok(nearest(points))
    }

    /// [`Placed::advance`] of a pair with a triangle mesh: up to where it touches by the times of its triangles, into overlaps by the deepest of its contacts.
    fn advance_mesh(
        &self,
        approach: &Approach<'_>,
        mut now: Moment,
        [least, enough]: [f64; 2],
        points: &mut Vec<ContactPoint>,
    ) -> Result<Advance, ProblemError> {
        let h = self.motion.horizon;
        if least < 0.0 {
            // Most that get there are there at the end of the step.
            let end = self.gap_at(approach, h, points)?;
            let sinks = end <= enough || {
                // Nothing overlaps where the nearest points are apart.
                let known = now.near.gap > 0.0 || now.t == 0.0;
                let first = if known { now.near.gap.min(0.0) } else { self.gap_at(approach, now.t, points)? };
                let ends = [[now.t, first], [h, end]];
                ends[0][1] <= enough
                    || self.sinks_between(approach, ends, [least, enough], HALVINGS, points)?
            };
            return Ok(if sinks { Advance::Met(now) } else { Advance::Passed });
        }
        for _ in 0..ADVANCES {
            let Some(apart) = self.time_apart(approach.pair, now.t, [least, h - now.t]) else { break };
            now.near.gap = apart.gap;
            if apart.gap <= enough {
                break;
            }
            now.t += apart.time;
            if now.t >= h {
                return Ok(Advance::Passed);
            }
        }
        Ok(Advance::Met(now))
    }

    /// Whether a pair with a triangle mesh gets as deep as `least` between two times, by its gaps at these and the speed at which they may change; in doubt it does.
    fn sinks_between(
        &self,
        approach: &Approach<'_>,
        [from, to]: [[f64; 2]; 2],
        [least, enough]: [f64; 2],
        halvings: u32,
        points: &mut Vec<ContactPoint>,
    ) -> Result<bool, ProblemError> {
        // The least gap between two times.
        let lowest = |ends: f64, time: f64| 0.5 * (ends - approach.fastest() * time);
        let time = to[0] - from[0];
        if lowest(from[1] + to[1], time) > least {
            return Ok(false);
        }
        // No gap in between is above zero: the shortest parts at the ends stay in doubt.
        if halvings == 0 || lowest(from[1].min(to[1]), time * 0.5f64.powi(halvings as i32)) <= least {
            return Ok(true);
        }
        let t = 0.5 * (from[0] + to[0]);
        let middle = [t, self.gap_at(approach, t, points)?];
        if middle[1] <= enough {
            return Ok(true);
        }
        let limits = [least, enough];
        Ok(self.sinks_between(approach, [from, middle], limits, halvings - 1, points)?
            || self.sinks_between(approach, [middle, to], limits, halvings - 1, points)?)
    }

    /// Gap of the deepest contact of a pair with a triangle mesh at a time; 0 where it does not overlap.
    fn gap_at(
        &self,
        approach: &Approach<'_>,
        t: f64,
        points: &mut Vec<ContactPoint>,
    ) -> Result<f64, ProblemError> {
        Ok(self.nearest_at(approach, t, 0.0, points)?.map_or(0.0, |c| c.gap))
    }

    /// Takes the contacts at the time `t` for those of the start.
    fn take(
        &self,
        approach: &Approach<'_>,
        t: f64,
        found: &mut Vec<ContactPoint>,
        later: &mut Vec<ContactPoint>,
    ) -> Result<Ahead, ProblemError> {
        if t == 0.0 {
            return Ok(Ahead::Start);
        }
        let bodies = approach.bodies;
        later.clear();
        self.query_at(approach.pair, |c| self.moved(c.body, t) * c.pose, approach.far, later)?;
        let way = |b: usize| self.moved(b, t).translation.vector - self.kin.x_wb[b].translation.vector;
        let [way_a, way_b] = bodies.map(way);
        let ahead = Ahead::Later(self.meeting_at(bodies, t));
        for c in later.iter_mut() {
            (c.p_a, c.p_b) = (c.p_a - way_a, c.p_b - way_b);
            let (gap, way) = (c.gap, t * self.relative(bodies, c, t).dot(&c.normal));
            let turns = t * self.bend(ahead, bodies, c).turning.dot(&c.normal);
            c.gap -= way;
            // Where they go apart along it, the normal tells nothing of the start: no gap is deeper than overlaps are.
            if way + turns > approach.clear {
                c.gap = c.gap.max(gap.min(approach.gap) + turns);
            }
        }
        std::mem::swap(found, later);
        Ok(ahead)
    }

    /// How the motion of two bodies changes until the time `t`.
    pub(crate) fn meeting_at(&self, bodies: [usize; 2], t: f64) -> Meeting {
        let spins = bodies.map(|b| self.motion.spin_change(self.kin, b, t));
        let [fall_a, fall_b] = bodies.map(|b| self.motion.gain(b, 1.0));
        Meeting { t, spins, fall: fall_b - fall_a }
    }

    /// Whether the law acts on a contact though sliding alone opens it.
    fn glides_on(&self, p: &Pair, bodies: [usize; 2], c: &ContactPoint) -> bool {
        if !self.rules.glides {
            return false;
        }
        let h = self.motion.horizon;
        let relative = self.relative(bodies, c, h);
        let opening = relative.dot(&c.normal);
        let along = (relative - opening * c.normal).norm();
        let friction = p.material.friction_static.max(p.material.friction_dynamic);
        c.gap - p.active < h * (friction * along - opening)
    }

    /// Mean velocity of B relative to A at the points of a contact over the time `t` \[m/s\].
    pub(crate) fn relative(&self, [a, b]: [usize; 2], c: &ContactPoint, t: f64) -> Vector3<f64> {
        self.velocity(b, &c.p_b, t) - self.velocity(a, &c.p_a, t)
    }

    /// Whether the direction `n` from A to B separates two convex geoms by more than `clear` \[m\] throughout the step, of length h, at the velocities of their bodies.
    ///
    /// It does at both ends, by the difference of their support points. Between these, the height along a fixed direction of a point at the distance ρ from the centre about which its body turns is
    /// within |ω|² ρ h²/8 of a straight line, or of the curve of its flight, which is within |g| h²/8 of one.
    fn stays_apart(&self, p: &Pair, n: &Vector3<f64>, clear: f64) -> bool {
        let h = self.motion.horizon;
        let (mut gaps, mut bent) = ([0.0; 2], 0.0);
        for (i, n) in [(p.a, -n), (p.b, *n)] {
            let c = &self.colliders[i as usize];
            let (Some(bounds), false) =
                (&c.bounds, matches!(c.shape, Shape::Mesh(_) | Shape::HeightField(_)))
            else {
                return false;
            };
            for (gap, x) in gaps.iter_mut().zip([self.kin.x_wb[c.body], self.moved(c.body, h)]) {
                let x = x * c.pose;
                let Some(lowest) = support(&c.shape, &x.rotation.inverse_transform_vector(&-n)) else {
                    return false;
                };
                *gap += (x * lowest).coords.dot(&n);
            }
            let turn = h * h * self.kin.twist[c.body].angular.norm_squared();
            bent += 0.125 * turn * (bounds.center.coords.norm() + bounds.radius);
            bent += 0.125 * h * self.motion.gain(c.body, h).norm();
        }
        gaps[0].min(gaps[1]) - bent > clear
    }

    fn moved(&self, body: usize, t: f64) -> Pose {
        self.motion.moved(self.kin, self.model, body, t)
    }

    /// Velocity of a point of a body at the start of the step, with the mean of the gain in flight over the time `t`.
    pub(crate) fn velocity(&self, body: usize, p: &Point3<f64>, t: f64) -> Vector3<f64> {
        self.kin.point_velocity(self.model, body, p) + 0.5 * self.motion.gain(body, t)
    }
}

impl Approach<'_> {
    /// Speed at which the gap may close along its normal \[m/s\].
    #[inline]
    fn closing(&self, near: &ContactPoint) -> f64 {
        if self.mesh {
            return self.fastest();
        }
        self.spin - self.velocity.dot(&near.normal) + (-self.change.dot(&near.normal)).max(0.0)
    }

    /// Time before which the gap of a moment does not fall to `least`: that along its normal n, on which turning adds `spin` at most, falls by
    /// ```text
    /// (spin − u·n) τ − ½ (g·n) τ²     after τ,   u the relative velocity at the moment, g the relative acceleration
    /// ```
    /// None where it never does.
    fn not_before(&self, now: &Moment, least: f64) -> Option<f64> {
        let pull = -self.fall.dot(&now.near.normal);
        let closing = self.spin - self.velocity.dot(&now.near.normal) + now.t * pull;
        let left = now.near.gap - least;
        let root = (closing * closing + 2.0 * pull * left).sqrt();
        // NaN where it turns before it gets there.
        let speed = 0.5 * (closing + root);
        (speed > 0.0).then(|| now.t + left / speed)
    }

    /// Speed at which any gap may close \[m/s\].
    fn fastest(&self) -> f64 {
        self.spin + self.velocity.norm().max((self.velocity + self.change).norm())
    }
}
