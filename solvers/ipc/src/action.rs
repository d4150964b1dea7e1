use signorini_core::ProblemError;
use signorini_core::na::Vector3;

use crate::body::matrix;
use crate::coordinate::Coordinate;
use crate::joints::{Joint, JointKind, coordinates};
use crate::terms::{Piece, Term};
use crate::world::World;

/// What drives a joint. Forces are N for slides and N·m for hinges, numbers m or rad.
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
        /// Where it is to be \[m or rad\].
        target: f64,
        /// Force per way \[N/m or N·m/rad\], > 0.
        stiffness: f64,
        /// Force per speed \[N·s/m or N·m·s/rad\], ≥ 0.
        damping: f64,
        /// Largest force \[N or N·m\], > 0; may be infinite.
        cap: f64,
    },
}

/// What a hinge or a slide has besides its rows. s is its angle \[rad\] or way \[m\] from the start, turns counted; all of it acts at the end of the step, as potentials of s.
///
/// Limits are springs of the stiffness of the bodies themselves, k V \[N·m/rad\] for hinges and k V/r² \[N/m\] for slides, with k of [`crate::IpcOptions::orthogonality`], V and r volume and radius of the second body: they give
/// way by force over that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointAction {
    /// Limits of s.
    pub range: Option<[f64; 2]>,
    /// Stiffness of a spring \[N/m or N·m/rad\], ≥ 0, and where it is at rest.
    pub spring: [f64; 2],
    /// Viscous damping \[N·s/m or N·m·s/rad\], ≥ 0.
    pub damping: f64,
    /// Dry friction \[N or N·m\], ≥ 0; below the stiction speed it holds.
    pub dry_friction: f64,
    /// What drives it.
    pub motor: Motor,
}

impl JointAction {
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
            ("range", self.range.is_none_or(|[a, b]| a < b)),
            ("spring", not_negative(self.spring[0]) && self.spring[1].is_finite()),
            ("damping", not_negative(self.damping)),
            ("dry friction", not_negative(self.dry_friction)),
            ("motor", motor),
        ];
        match fields.iter().find(|f| !f.1) {
            Some((what, _)) => {
                let why = format!(
                    "the {what} of a joint is out of range; stiffness, damping and forces are not negative, limits ascend"
                );
                Err(ProblemError::Unsupported(why))
            }
            None => Ok(()),
        }
    }
}

/// A joint with its number, what it does, and where it was last.
#[derive(Clone, Debug)]
pub(crate) struct ActiveJoint {
    pub coordinate: Coordinate,
    /// Numbers that are to stay zero: a slide along an axis that moves.
    locks: Vec<Coordinate>,
    action: JointAction,
    /// Of limits and locks \[N/m or N·m/rad\].
    stiffness: [f64; 2],
    /// Speed below which dry friction holds \[m/s or rad/s\].
    stiction_speed: f64,
    pub last: f64,
}

impl ActiveJoint {
    /// None for joints without a number.
    pub(crate) fn new(world: &World, joint: &Joint, q: &[f64]) -> Option<Self> {
        let [a, b] = joint.bodies;
        let [qa, qb] = joint.bodies.map(|b| coordinates(world, q, b));
        let (ra, rb) = (matrix(qa).transpose(), matrix(qb).transpose());
        let moving = if world.bodies[b].fixed { a } else { b };
        let (volume, radius) = (world.bodies[moving].volume, world.radius[moving]);
        let turning = world.options.orthogonality * volume;
        let pushing = turning / (radius * radius);
        let normals = |axis: &Vector3<f64>| {
            let f = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
            [f, axis.cross(&f)]
        };
        let (coordinate, locks, stiffness, unit) = match joint.kind {
            JointKind::Hinge { axis, .. } => {
                let [f, g] = normals(&axis.normalize());
                let angle = Coordinate::Angle { bodies: [a, b], f: ra * f, g: ra * g, h: rb * f };
                (angle, Vec::new(), turning, radius)
            }
            JointKind::Sliding { axis } => {
                let axis = axis.normalize();
                let y = ra * (Vector3::from_column_slice(&qb[..3]) - Vector3::from_column_slice(&qa[..3]));
                let way = |e: Vector3<f64>| Coordinate::Way { bodies: [a, b], e: ra * e, y };
                let locks = if world.bodies[a].fixed { Vec::new() } else { normals(&axis).map(way).to_vec() };
                (way(axis), locks, pushing, 1.0)
            }
            JointKind::Point { .. } | JointKind::Fixed => return None,
        };
        Some(Self {
            coordinate,
            locks,
            action: JointAction::default(),
            stiffness: [stiffness, pushing],
            stiction_speed: world.options.stiction_speed / unit,
            last: 0.0,
        })
    }

    pub(crate) fn act(&mut self, action: JointAction) -> Result<(), ProblemError> {
        action.check()?;
        self.action = action;
        Ok(())
    }

    /// The number at q, turns counted from where it was last.
    pub(crate) fn value(&self, world: &World, q: &[f64]) -> f64 {
        self.coordinate.near(self.coordinate.at(world, q).0, self.last)
    }

    /// What springs, limits and locks store at q \[J\].
    pub(crate) fn energy(&self, world: &World, q: &[f64]) -> f64 {
        let half = |k: f64, x: f64| 0.5 * k * x * x;
        let s = self.value(world, q);
        let beyond = self.action.range.map_or(0.0, |[low, high]| (low - s).max(s - high).max(0.0));
        let locked = self.locks.iter().map(|l| half(self.stiffness[1], l.at(world, q).0));
        half(self.stiffness[0], beyond)
            + half(self.action.spring[0], s - self.action.spring[1])
            + locked.sum::<f64>()
    }

    /// The potentials of a step from q.
    pub(crate) fn terms(&self, world: &World, q: &[f64], dt: f64, out: &mut Vec<Term>) {
        for lock in &self.locks {
            let piece = Piece { stiffness: self.stiffness[1], centre: 0.0, cap: f64::INFINITY, side: 0 };
            out.push(Term { coordinate: *lock, start: 0.0, pieces: vec![piece], force: 0.0 });
        }
        let (start, a) = (self.value(world, q), &self.action);
        let mut pieces = Vec::new();
        let mut push = |stiffness: f64, centre: f64, cap: f64, side: i8| {
            if stiffness > 0.0 {
                pieces.push(Piece { stiffness, centre, cap, side });
            }
        };
        if let Some([low, high]) = a.range {
            push(self.stiffness[0], low, f64::INFINITY, -1);
            push(self.stiffness[0], high, f64::INFINITY, 1);
        }
        push(a.spring[0], a.spring[1], f64::INFINITY, 0);
        push(a.damping / dt, start, f64::INFINITY, 0);
        push(a.dry_friction / (dt * self.stiction_speed), start, a.dry_friction, 0);
        match a.motor {
            Motor::Off | Motor::Force { .. } => {}
            Motor::Velocity { speed, gain, cap } => push(gain / dt, start + speed * dt, cap, 0),
            Motor::Position { target, stiffness, damping, cap } => {
                let whole = stiffness + damping / dt;
                push(whole, (stiffness * target + damping / dt * start) / whole, cap, 0);
            }
        }
        let force = if let Motor::Force { force } = a.motor { force } else { 0.0 };
        if !pieces.is_empty() || force != 0.0 {
            out.push(Term { coordinate: self.coordinate, start, pieces, force });
        }
    }
}
