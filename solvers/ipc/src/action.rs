use signorini_core::ProblemError;
use signorini_core::na::{UnitQuaternion, Vector3};

use crate::body::matrix;
use crate::coordinate::Coordinate;
use crate::joints::{Joint, JointKind, coordinates};
use crate::terms::{Piece, Share, Term, Wall};
use crate::world::{N, World};
use crate::{BarrierSeed, BodyError};

/// Drive of a joint. Forces are N for slides and N·m for hinges, numbers m or rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Motor {
    /// Nothing.
    #[default]
    Off,
    /// A force that depends on nothing.
    Force {
        /// The force \[N or N·m\], on the second body; the first has its reaction.
        force: f64,
    },
    /// Force gain · (speed − ṡ), at most the cap.
    Velocity {
        /// Speed that is wanted \[m/s or rad/s\].
        speed: f64,
        /// Force per speed that is missing \[N·s/m or N·m·s/rad\], > 0.
        gain: f64,
        /// Largest force \[N or N·m\], > 0; may be infinite.
        cap: f64,
    },
    /// Force stiffness · (target − s) − damping · ṡ, at most the cap.
    Position {
        /// Target \[m or rad\].
        target: f64,
        /// Force per way \[N/m or N·m/rad\], > 0.
        stiffness: f64,
        /// Force per speed \[N·s/m or N·m·s/rad\], ≥ 0.
        damping: f64,
        /// Largest force \[N or N·m\], > 0; may be infinite.
        cap: f64,
    },
}

/// Force and state of a motor in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotorState {
    /// Force at the end of the step \[N or N·m\], on the second body.
    pub force: f64,
    /// True if it would have needed more than its cap.
    pub at_cap: bool,
}

/// Forces of a joint besides its rows. s is the number of the joint: the angle of a hinge or of a planar joint about its normal \[rad\] or the way of a slide \[m\] from the start, turns counted; the distance of the two points of
/// a distance \[m\]; for a joint that follows another s_b − ratio · s_a; a sum of such numbers for a tendon. All of it acts at the end of the step, as potentials of s.
///
/// A point has the angle of the rotation of one body in the other \[rad\], in \[0, π\] and counted from the start (see [`crate::AffineSystem::count_from`]); it has the upper limit alone, which a ball joint of a file has.
///
/// A number that is held, that of a joint which follows or of a distance, goes from where it begins to where it is held at such a rate as well.
///
/// Limits are springs of the stiffness of the bodies themselves, k V \[N·m/rad\] for angles and k V/r² \[N/m\] for ways and distances, with k of [`crate::IpcOptions::orthogonality`], V and r volume and radius of the second body
/// (of the first where the second is held): they give way by force over that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointAction {
    /// Limits of s. Where s begins outside, they let it go back at 1 rad/s, or a radius of the body per second.
    pub range: Option<[f64; 2]>,
    /// Stiffness of a spring \[N/m or N·m/rad\], ≥ 0, and where it is at rest.
    pub spring: [f64; 2],
    /// Viscous damping \[N·s/m or N·m·s/rad\], ≥ 0.
    pub damping: f64,
    /// Dry friction \[N or N·m\], ≥ 0; below the stiction speed it holds.
    pub dry_friction: f64,
    /// Inertia of parts that turn or move with the joint alone, of a rotor behind a gear \[kg·m² or kg\], ≥ 0.
    pub armature: f64,
    /// Drive of the joint.
    pub motor: Motor,
}

impl JointAction {
    /// A point has no more than an upper limit.
    fn check_ball(&self) -> Result<(), ProblemError> {
        let limits =
            self.range.is_none_or(|[low, high]| low <= 0.0 && high > 0.0 && high < std::f64::consts::PI);
        if limits && (Self { range: None, ..*self }) == Self::default() {
            return Ok(());
        }
        let why = "a point has a limit of its angle in (0, π) and nothing else; give [0, limit], and springs or motors to hinges";
        Err(ProblemError::Unsupported(why.into()))
    }

    fn check(&self) -> Result<(), ProblemError> {
        let not_negative = |x: f64| x >= 0.0 && x.is_finite();
        let positive = |x: f64| x > 0.0;
        let motor = match self.motor {
            Motor::Off => true,
            Motor::Force { force } => force.is_finite(),
            Motor::Velocity { speed, gain, cap } => {
                speed.is_finite() && not_negative(gain) && positive(gain) && positive(cap)
            }
            Motor::Position { target, stiffness, damping, cap } => {
                target.is_finite()
                    && not_negative(stiffness)
                    && positive(stiffness)
                    && not_negative(damping)
                    && positive(cap)
            }
        };
        let fields = [
            ("range", self.range.is_none_or(|[a, b]| a <= b)),
            ("spring", not_negative(self.spring[0]) && self.spring[1].is_finite()),
            ("damping", not_negative(self.damping)),
            ("dry friction", not_negative(self.dry_friction)),
            ("armature", not_negative(self.armature)),
            ("motor", motor),
        ];
        match fields.iter().find(|f| !f.1) {
            Some((what, _)) => {
                let why = format!(
                    "the {what} of a joint is out of range; stiffness, damping and forces are not negative, limits do not descend"
                );
                Err(ProblemError::Unsupported(why))
            }
            None => Ok(()),
        }
    }
}

/// A number of a joint, or a sum of numbers of joints, with its forces and its last value.
#[derive(Clone, Debug)]
pub(crate) struct ActiveJoint {
    /// Terms of the sum that is the number, each with its last value.
    shares: Vec<Share>,
    /// Value at which a spring holds the number, which stands for a row that is not linear.
    held: Option<f64>,
    /// Value and time at which a number that is held began; None before a state is seen.
    began: Option<[f64; 2]>,
    /// Others that such springs hold at zero.
    locks: Vec<Coordinate>,
    /// Bounds that the number never reaches.
    walls: Vec<Wall>,
    action: JointAction,
    /// Stiffness of limits and locks \[N/m or N·m/rad\].
    stiffness: [f64; 2],
    /// Speed below which dry friction holds \[m/s or rad/s\].
    stiction_speed: f64,
    /// Time of the start of the step \[s\].
    now: f64,
    /// The limits are new.
    fresh: bool,
    /// Place and time at which the number began outside its limits.
    outside: Option<(f64, f64)>,
    /// \[rad/s or m/s\].
    return_speed: f64,
}

/// Rate at which a number that begins outside its limits goes back \[rad/s\]; slides take radii of their body for radians.
const RETURN: f64 = 1.0;

/// Two directions normal to one and to each other.
fn normals(axis: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let f = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
    [f, axis.cross(&f)]
}

impl ActiveJoint {
    /// Number `index` among the joints; None for joints without a number of their own.
    pub(crate) fn new(world: &World, joint: &Joint, index: usize, q: &[f64]) -> Option<Self> {
        if matches!(joint.kind, JointKind::Mimic { .. }) {
            return None;
        }
        let [a, b] = joint.bodies;
        let bodies = [a, b];
        let [qa, qb] = joint.bodies.map(|b| coordinates(world, q, b));
        let (ra, rb) = (matrix(qa).transpose(), matrix(qb).transpose());
        let moving = if world.bodies[b].fixed { a } else { b };
        let (volume, radius) = (world.bodies[moving].volume, world.radius[moving]);
        let turning = world.options.orthogonality * volume;
        let pushing = turning / (radius * radius);
        let angle = |axis: &Vector3<f64>| {
            let [f, g] = normals(&axis.normalize());
            Coordinate::Angle { bodies, f: ra * f, g: ra * g, h: rb * f }
        };
        let y = ra * (Vector3::from_column_slice(&qb[..3]) - Vector3::from_column_slice(&qa[..3]));
        let way = |e: Vector3<f64>| Coordinate::Way { bodies, e: ra * e, y };
        let held = bodies.map(|b| world.bodies[b].fixed);
        let rest = joint.rest_points([qa, qb]);
        let length = Coordinate::Length { bodies, x: rest };
        let (mut held_at, mut locks, mut walls) = (None, Vec::new(), Vec::new());
        let (coordinate, stiffness, unit) = match joint.kind {
            JointKind::Hinge { axis, .. } => (angle(&axis), turning, radius),
            JointKind::Planar { normal } => {
                if held == [false; 2] {
                    locks.push(way(normal.normalize()));
                }
                (angle(&normal), turning, radius)
            }
            JointKind::Sliding { axis } => {
                let axis = axis.normalize();
                if !held[0] {
                    locks.extend(normals(&axis).map(way));
                }
                (way(axis), pushing, 1.0)
            }
            JointKind::Point { .. } => {
                (Coordinate::Turn { bodies, zero: ra * rb.transpose() }, turning, radius)
            }
            JointKind::Distance { length: l, .. } => {
                held_at = Some(l);
                (length, pushing, 1.0)
            }
            JointKind::BoundedDistance { range: [low, high], .. } => {
                let barrier = wall_barrier(world.options.range.min(0.25 * (high - low)), pushing);
                if low > 0.0 {
                    walls.push(Wall { bound: low, side: -1.0, barrier });
                }
                if high.is_finite() {
                    walls.push(Wall { bound: high, side: 1.0, barrier });
                }
                (length, pushing, 1.0)
            }
            JointKind::Fixed | JointKind::Mimic { .. } => return None,
        };
        let start = coordinate.at(world, q).0;
        Some(Self {
            shares: vec![Share { coordinate, factor: 1.0, start, joint: index }],
            held: held_at,
            began: None,
            locks,
            walls,
            action: JointAction::default(),
            stiffness: [stiffness, pushing],
            stiction_speed: world.options.stiction_speed / unit,
            now: 0.0,
            fresh: false,
            outside: None,
            return_speed: RETURN * radius / unit,
        })
    }

    /// The sum of numbers of joints, each with a coefficient.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn sum(all: &[Option<Self>], parts: &[(usize, f64)]) -> Result<Self, &'static str> {
        let mut out = Self {
            shares: Vec::new(),
            held: None,
            began: None,
            locks: Vec::new(),
            walls: Vec::new(),
            action: JointAction::default(),
            stiffness: [f64::INFINITY; 2],
            stiction_speed: 0.0,
            now: 0.0,
            fresh: false,
            outside: None,
            return_speed: 0.0,
        };
        for (i, (joint, factor)) in parts.iter().enumerate() {
            if !factor.is_finite() {
                return Err("its numbers must be finite");
            }
            let of = all.get(*joint).and_then(|a| a.as_ref()).filter(|a| !a.is_turn() && a.shares.len() == 1);
            let Some(of) = of.filter(|_| parts[..i].iter().all(|p| p.0 != *joint)) else {
                return Err(
                    "it needs different joints with a number; name hinges, slides, planar joints or distances",
                );
            };
            out.shares.extend(of.shares.iter().map(|s| Share { factor: *factor, ..*s }));
            if *factor != 0.0 {
                out.stiffness = out.stiffness.map(|k| k.min(of.stiffness[0] / (factor * factor)));
            }
            out.stiction_speed += factor.abs() * of.stiction_speed;
            out.return_speed += factor.abs() * of.return_speed;
        }
        if out.stiction_speed > 0.0 {
            Ok(out)
        } else {
            Err("it needs a joint with a coefficient other than zero")
        }
    }

    /// Number b − ratio · a of two joints, held at `offset` as stiffly as b is in its limits.
    fn follower(
        all: &[Option<Self>],
        [a, b]: [usize; 2],
        ratio: f64,
        offset: f64,
    ) -> Result<Self, &'static str> {
        if !offset.is_finite() {
            return Err("its ratio and offset must be finite numbers");
        }
        let sum = Self::sum(all, &[(a, -ratio), (b, 1.0)])?;
        let stiffness = all[b].as_ref().map_or(sum.stiffness, |b| b.stiffness);
        Ok(Self { held: Some(offset), stiffness, ..sum })
    }

    /// Actions of all joints.
    ///
    /// # Errors
    /// [`BodyError::Joint`] where one follows a joint that has no number.
    pub(crate) fn all(world: &World, joints: &[Joint], q: &[f64]) -> Result<Vec<Option<Self>>, BodyError> {
        let mut out: Vec<Option<Self>> =
            joints.iter().enumerate().map(|(i, j)| Self::new(world, j, i, q)).collect();
        for (i, joint) in joints.iter().enumerate() {
            if let JointKind::Mimic { joints: ends, ratio, offset } = joint.kind {
                out[i] = Some(Self::follower(&out, ends, ratio, offset).map_err(|why| joint.refuse(why))?);
            }
        }
        Ok(out)
    }

    /// All bodies whose places it depends on.
    pub(crate) fn bodies(&self) -> Vec<usize> {
        self.shares.iter().flat_map(|s| s.coordinate.bodies()).collect()
    }

    fn is_turn(&self) -> bool {
        self.shares.iter().any(|s| matches!(s.coordinate, Coordinate::Turn { .. }))
    }

    pub(crate) fn act(&mut self, action: JointAction) -> Result<(), ProblemError> {
        action.check()?;
        if self.is_turn() {
            action.check_ball()?;
        }
        self.fresh |= action.range != self.action.range;
        self.action = action;
        Ok(())
    }

    /// Counts the angle of a point from where the second body was before `turn`, if it is one.
    pub(crate) fn count_from(&mut self, world: &World, start: &[f64], turn: &UnitQuaternion<f64>) -> bool {
        let Some(Share { coordinate: Coordinate::Turn { bodies, zero }, .. }) = self.shares.first_mut()
        else {
            return false;
        };
        let [a, b] = bodies.map(|b| matrix(coordinates(world, start, b)));
        *zero = a.transpose() * b * turn.inverse().to_rotation_matrix();
        true
    }

    /// The number at q, turns counted from where it was last.
    pub(crate) fn value(&self, world: &World, q: &[f64]) -> f64 {
        self.shares.iter().map(|s| s.factor * s.near(world, q)).sum()
    }

    /// Room between the number and the nearest of its bounds at q, with that bound \[m\].
    pub(crate) fn room(&self, world: &World, q: &[f64]) -> Option<[f64; 2]> {
        let s = self.value(world, q);
        let rooms = self.walls.iter().map(|w| [w.side * (w.bound - s), w.bound]);
        rooms.min_by(|a, b| a[0].total_cmp(&b[0]))
    }

    /// Energy of springs, limits, locks and bounds at q and a time \[J\].
    pub(crate) fn energy(&self, world: &World, q: &[f64], t: f64) -> f64 {
        let half = |k: f64, x: f64| 0.5 * k * x * x;
        let s = self.value(world, q);
        let beyond = self.range(self.now).map_or(0.0, |[low, high]| (low - s).max(s - high).max(0.0));
        let locked = self.locks.iter().map(|l| half(self.stiffness[1], l.at(world, q).0));
        half(self.stiffness[0], beyond)
            + self.held_at(t).map_or(0.0, |at| half(self.stiffness[0], s - at))
            + half(self.action.spring[0], s - self.action.spring[1])
            + locked.sum::<f64>()
            + self.walls.iter().map(|w| Piece::Wall(*w).energy(s)).sum::<f64>()
    }

    /// Takes note of where and when a number that is held begins, at the first state that is seen.
    pub(crate) fn note_start(&mut self, world: &World, q: &[f64], t: f64) {
        if self.began.is_none() && self.held.is_some() {
            self.began = Some([self.value(world, q), t]);
        }
    }

    /// Takes note of where the number is at the start of a step at `t` \[s\]: turns are counted from there, and limits that it begins outside of give way to it and go back at a bounded rate.
    pub(crate) fn begin(&mut self, world: &World, q: &[f64], t: f64) {
        self.shares.iter_mut().for_each(|s| s.start = s.near(world, q));
        self.now = t;
        self.note_start(world, q, t);
        if std::mem::take(&mut self.fresh) {
            let start = self.value(world, q);
            self.outside = self.excess(world, q).filter(|e| *e > 0.0).map(|_| (start, t));
        }
    }

    /// Excess of the number over its limits; below zero inside.
    pub(crate) fn excess(&self, world: &World, q: &[f64]) -> Option<f64> {
        let s = self.value(world, q);
        let [low, high] = self.action.range?;
        Some(if self.is_turn() { s - high } else { (low - s).max(s - high) })
    }

    /// The limits at a time \[s\].
    fn range(&self, t: f64) -> Option<[f64; 2]> {
        let [low, high] = self.action.range?;
        let Some((start, since)) = self.outside else { return Some([low, high]) };
        let way = self.return_speed * (t - since).max(0.0);
        Some([low.min(start + way), high.max(start - way)])
    }

    /// Value at which the number is held at a time \[s\]: from where it began it goes to its own at a bounded rate.
    fn held_at(&self, t: f64) -> Option<f64> {
        let at = self.held?;
        let Some([start, since]) = self.began else { return Some(at) };
        let way = self.return_speed * (t - since).max(0.0);
        Some(at + (start - at).signum() * ((start - at).abs() - way).max(0.0))
    }

    /// Potential of the motor in a step from the number `start`; none for a force that depends on nothing.
    fn motor(&self, start: f64, dt: f64) -> Option<Piece> {
        let (stiffness, centre, cap) = match self.action.motor {
            Motor::Off | Motor::Force { .. } => return None,
            Motor::Velocity { speed, gain, cap } => (gain / dt, start + speed * dt, cap),
            Motor::Position { target, stiffness, damping, cap } => {
                let whole = stiffness + damping / dt;
                (whole, (stiffness * target + damping / dt * start) / whole, cap)
            }
        };
        Some(Piece::Spring { stiffness, centre, cap, side: 0 })
    }

    /// Force and state of the motor at the end of a step from `q0` to `q1`.
    pub(crate) fn motor_state(&self, world: &World, [q0, q1]: [&[f64]; 2], dt: f64) -> MotorState {
        let (mut start, mut end) = (0.0, 0.0);
        for s in &self.shares {
            let from = Share { start: s.near(world, q0), ..*s };
            start += s.factor * from.start;
            end += s.factor * from.near(world, q1);
        }
        match (self.motor(start, dt), self.action.motor) {
            (Some(piece @ Piece::Spring { cap, .. }), _) => {
                let [_, slope, bend] = piece.at(end);
                MotorState { force: -slope, at_cap: cap.is_finite() && bend == 0.0 }
            }
            (_, Motor::Force { force }) => MotorState { force, at_cap: false },
            _ => MotorState::default(),
        }
    }

    /// The rate of the number.
    pub(crate) fn rate(&self, world: &World, q: &[f64], v: &[f64]) -> f64 {
        let part = |(body, slope): (usize, [f64; N])| {
            let at = world.free[body].map(|f| N * f as usize);
            at.map_or(0.0, |at| slope.iter().zip(&v[at..]).map(|(s, v)| s * v).sum::<f64>())
        };
        let of = |s: &Share| {
            let (_, slope) = s.coordinate.at(world, q);
            s.factor * s.coordinate.bodies().into_iter().zip(slope).map(part).sum::<f64>()
        };
        self.shares.iter().map(of).sum()
    }

    /// Kinetic energy of the armature \[J\].
    pub(crate) fn kinetic_energy(&self, world: &World, q: &[f64], v: &[f64]) -> f64 {
        if self.action.armature == 0.0 {
            0.0
        } else {
            0.5 * self.action.armature * self.rate(world, q, v).powi(2)
        }
    }

    /// The potentials of a step from q with the velocity v.
    pub(crate) fn terms(&self, world: &World, [q, v]: [&[f64]; 2], dt: f64, out: &mut Vec<Term>) {
        for coordinate in &self.locks {
            let share = Share { coordinate: *coordinate, factor: 1.0, start: 0.0, ..self.shares[0] };
            let pieces = vec![spring(self.stiffness[1], 0.0)];
            out.push(Term { shares: vec![share], pieces, force: 0.0 });
        }
        let (start, a) = (self.value(world, q), &self.action);
        let mut pieces: Vec<Piece> = self.walls.iter().map(|w| Piece::Wall(*w)).collect();
        let mut push = |stiffness: f64, centre: f64, cap: f64, side: i8| {
            if stiffness > 0.0 {
                pieces.push(Piece::Spring { stiffness, centre, cap, side });
            }
        };
        if let Some([low, high]) = self.range(self.now + dt) {
            if !self.is_turn() {
                push(self.stiffness[0], low, f64::INFINITY, -1);
            }
            push(self.stiffness[0], high, f64::INFINITY, 1);
        }
        push(a.spring[0], a.spring[1], f64::INFINITY, 0);
        push(a.damping / dt, start, f64::INFINITY, 0);
        push(a.dry_friction / (dt * self.stiction_speed), start, a.dry_friction, 0);
        // ½ I (ṡ − ṡ₀)² with ṡ = (s − s₀)/δt.
        if a.armature > 0.0 {
            push(a.armature / (dt * dt), start + dt * self.rate(world, q, v), f64::INFINITY, 0);
        }
        pieces.extend(self.held_at(self.now + dt).map(|at| spring(self.stiffness[0], at)));
        pieces.extend(self.motor(start, dt));
        let force = if let Motor::Force { force } = a.motor { force } else { 0.0 };
        if !pieces.is_empty() || force != 0.0 {
            let shares = self.shares.iter().map(|s| Share { start: s.near(world, q), ..*s });
            out.push(Term { shares: shares.collect(), pieces, force });
        }
    }
}

fn spring(stiffness: f64, centre: f64) -> Piece {
    Piece::Spring { stiffness, centre, cap: f64::INFINITY, side: 0 }
}

/// The barrier of contacts with a range of its own \[m\], as stiff at half of it as a spring of `stiffness` \[N/m\] that begins there.
fn wall_barrier(range: f64, stiffness: f64) -> BarrierSeed {
    let unit = BarrierSeed { dt: 1.0, distance: range, range, separation: 0.0, stiffness: 1.0 };
    let y = 0.5 * range;
    let [_, slope, _] = unit.potential(y * y);
    BarrierSeed { stiffness: stiffness * y / (-2.0 * y * slope), ..unit }
}
