//! Two equal arms that face each other as seen by a task: joints, palms and links, all from observations, so that no engine is needed for kinematics.
//!
//! A task puts [`Arms::observations`] first among its own; the functions here look there.

use signorini_core::na::{
    DMatrix, DVector, Isometry3, Matrix6, Matrix6xX, Quaternion, Translation3, UnitQuaternion, Vector3,
    Vector6,
};
use signorini_core::{Frame, Observation};

use crate::{Outcome, Step, View};

/// Names before those of joints, links and geoms, in the order of observations.
pub const SIDES: [&str; 2] = ["right", "left"];

/// Two equal arms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arms {
    /// Joints of an arm from the base on, and the angles between which plans keep them \[rad\].
    pub joints: &'static [(&'static str, [f64; 2])],
    /// Bodies that the joints move, whose origins lie on the axes, and the axes in them.
    pub links: &'static [(&'static str, [f64; 3])],
    /// Angles at rest \[rad\], right and left.
    pub home: [&'static [f64]; 2],
    /// Geoms whose distances plans look at: to the surroundings, and of all but the first to those of the other arm.
    pub own: &'static [&'static str],
}

impl Arms {
    /// Arms of `models/two_arms/arms.xml` and `arms_grippers.xml`. Elbows stay clear of the folded arm, where palms would hardly move by them.
    pub const SIX: Self = Self {
        joints: &[
            ("shoulder_pan", [-6.2, 6.2]),
            ("shoulder_lift", [-6.2, 6.2]),
            ("elbow", [-3.0, 3.0]),
            ("wrist_1", [-6.2, 6.2]),
            ("wrist_2", [-6.2, 6.2]),
            ("wrist_3", [-6.2, 6.2]),
        ],
        links: &[
            ("shoulder", [0.0, 0.0, 1.0]),
            ("upper_arm", [0.0, -1.0, 0.0]),
            ("forearm", [0.0, -1.0, 0.0]),
            ("wrist_1", [0.0, -1.0, 0.0]),
            ("wrist_2", [0.0, 0.0, -1.0]),
            ("wrist_3", [0.0, -1.0, 0.0]),
        ],
        home: [&[1.5, -1.8, 1.75, -1.25, -1.6, 0.0], &[-1.5, -1.8, 1.75, -1.25, -1.6, 0.0]],
        own: &["forearm", "wrist_1", "wrist_2", "palm"],
    };

    /// Arms of `models/two_arms/arms_seven.xml`.
    pub const SEVEN: Self = Self {
        joints: &[
            ("joint1", [-2.85, 2.85]),
            ("joint2", [-1.7, 1.7]),
            ("joint3", [-2.85, 2.85]),
            ("joint4", [-3.0, -0.2]),
            ("joint5", [-2.85, 2.85]),
            ("joint6", [0.05, 3.7]),
            ("joint7", [-2.85, 2.85]),
        ],
        links: &[
            ("link1", [0.0, 0.0, 1.0]),
            ("link2", [0.0, 1.0, 0.0]),
            ("link3", [0.0, 0.0, 1.0]),
            ("link4", [0.0, -1.0, 0.0]),
            ("link5", [0.0, 0.0, 1.0]),
            ("link6", [0.0, -1.0, 0.0]),
            ("link7", [0.0, 0.0, -1.0]),
        ],
        home: [&[0.0, -0.55, 0.0, -2.7, 0.0, 2.15, 0.0]; 2],
        own: &["link4_arm", "link5", "link6", "link7", "palm"],
    };

    /// Joints of one arm.
    pub const fn axes(&self) -> usize {
        self.joints.len()
    }

    /// Joints of both.
    pub const fn count(&self) -> usize {
        2 * self.axes()
    }

    /// Number of observations of the arms; those of a task follow.
    pub const fn observed(&self) -> usize {
        self.places() + 2 * self.count()
    }

    /// Places of the observations of the tools and of the links.
    const fn tools(&self) -> usize {
        self.count()
    }
    const fn places(&self) -> usize {
        self.tools() + 6
    }

    /// Joint positions; position, rotation and velocity of each tool; positions and rotations of the links.
    pub fn observations(&self) -> Vec<Observation> {
        let mut out = Vec::with_capacity(self.observed());
        for side in SIDES {
            out.extend(self.joints.iter().map(|(j, _)| Observation::JointPosition(format!("{side}_{j}"))));
        }
        for side in SIDES {
            let tool = || Frame::Site(format!("{side}_tool"));
            out.extend([
                Observation::Position(tool()),
                Observation::Rotation(tool()),
                Observation::Velocity(tool()),
            ]);
        }
        for side in SIDES {
            for (link, _) in self.links {
                let body = || Frame::Body(format!("{side}_{link}"));
                out.extend([Observation::Position(body()), Observation::Rotation(body())]);
            }
        }
        out
    }

    /// Right and left palm.
    pub fn palms(&self, seen: &View<'_>) -> [Palm; 2] {
        [0, 1].map(|side| {
            let at = self.tools() + 3 * side;
            let pose = Isometry3::from_parts(Translation3::from(seen.vector(at)), seen.rotation(at + 1));
            Palm { pose, velocity: seen.vector(at + 2) }
        })
    }

    /// ‖q − q_home‖² \[rad²\].
    pub fn unrest(&self, seen: &View<'_>) -> f64 {
        let home = self.home.iter().flat_map(|h| h.iter());
        home.enumerate().map(|(j, q)| (seen.scalar(j) - q).powi(2)).sum()
    }

    /// Pairs of geoms whose distances plans look at: those of the arms with each of `clear`, and with those of the other arm.
    pub fn pairs(&self, clear: &[&str]) -> Vec<(String, String)> {
        let own = |side: &str| self.own.iter().map(|g| format!("{side}_{g}")).collect::<Vec<_>>();
        let [right, left] = SIDES.map(own);
        let mut out = Vec::new();
        for g in right.iter().chain(&left) {
            out.extend(clear.iter().map(|other| (g.clone(), (*other).to_owned())));
        }
        for a in &right[1..] {
            out.extend(left[1..].iter().map(|b| (a.clone(), b.clone())));
        }
        out
    }

    /// J of an arm: velocity of the middle of the palm \[m/s\] over spin \[rad/s\], world axes, per joint velocity. A joint with axis a through o adds (a × (p − o), a).
    pub fn jacobian(&self, seen: &View<'_>, side: usize) -> Matrix6xX<f64> {
        let palm = seen.vector(self.tools() + 3 * side);
        let mut out = Matrix6xX::zeros(self.axes());
        for (j, (_, axis)) in self.links.iter().enumerate() {
            let at = self.places() + 2 * (self.axes() * side + j);
            let axis = seen.rotation(at + 1) * Vector3::from(*axis);
            out.fixed_view_mut::<3, 1>(0, j).copy_from(&axis.cross(&(palm - seen.vector(at))));
            out.fixed_view_mut::<3, 1>(3, j).copy_from(&axis);
        }
        out
    }

    /// Motion of both palms together: velocity of their middle, half of that of the right relative to the left \[m/s\], spin of the right and of the left \[rad/s\], per joint velocity; 12 × joints of both.
    pub fn shared_jacobian(&self, seen: &View<'_>) -> DMatrix<f64> {
        let mut out = DMatrix::zeros(12, self.count());
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let j = self.jacobian(seen, side);
            let mut part = out.columns_mut(self.axes() * side, self.axes());
            let linear = 0.5 * j.fixed_rows::<3>(0);
            part.fixed_rows_mut::<3>(0).copy_from(&linear);
            part.fixed_rows_mut::<3>(3).copy_from(&(sign * linear));
            part.fixed_rows_mut::<3>(6 + 3 * side).copy_from(&j.fixed_rows::<3>(3));
        }
        out
    }

    /// Joint velocities \[rad/s\] of an arm that move its palm by a twist, velocity \[m/s\] over spin \[rad/s\] in world axes, damped near singular poses: Jᵀ (J Jᵀ + d 1)⁻¹ with d = 10⁻⁴.
    pub fn follow(&self, seen: &View<'_>, side: usize, twist: &Vector6<f64>) -> DVector<f64> {
        const DAMPING: f64 = 1e-4;
        let j = self.jacobian(seen, side);
        let normal = &j * j.transpose() + DAMPING * Matrix6::identity();
        normal.cholesky().map_or_else(|| DVector::zeros(self.axes()), |c| j.tr_mul(&c.solve(twist)))
    }
}

/// A palm.
#[derive(Clone, Copy, Debug)]
pub struct Palm {
    /// Middle of its face \[m\] and attitude, in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the middle of its face \[m/s\].
    pub velocity: Vector3<f64>,
}

/// Part by which distances may shrink in a step.
const SHRINK: f64 = 0.3;
/// Distances that are larger than the first do not count, smaller than the second \[m\] always.
const CLEAR: f64 = 0.05;
const MARGIN: f64 = 0.01;

/// Cost of a step for collisions and distances: the observations `at` ([`Observation::Collision`]) and all that follow. 1 where a forbidden pair pressed; the shrinking of distances beyond 30 % and the shortfall from 0.01 m, over 0.05 m, where they are
/// less than that.
pub fn clearance(step: &Step<'_>, at: usize) -> f64 {
    let (before, after) = (&step.before, &step.after);
    let mut sum = f64::from(u8::from(after.scalar(at) > 0.0));
    for i in at + 1..after.layout.len() {
        let (then, now) = (before.scalar(i), after.scalar(i));
        if now < CLEAR {
            let shrinks = ((1.0 - SHRINK) * then.min(CLEAR) - now).max(0.0);
            sum += (shrinks + (MARGIN - now).max(0.0)) / CLEAR;
        }
    }
    sum
}

/// The failure of a collision, which is observation `at` ([`Observation::Collision`]).
pub fn collision(seen: &View<'_>, at: usize) -> Option<Outcome> {
    let [force, a, b] = seen.vector(at).into();
    let name = |number: f64| seen.layout.geom(number as usize);
    let what = || format!("collision: {} presses on {} with {force:.1} N", name(a), name(b));
    (force > 0.0).then(|| Outcome::Failure(what()))
}

/// All pairs of a name of one list with one of the other.
pub fn each_with<'a>(left: &[&'a str], right: &'a [&'a str]) -> impl Iterator<Item = (String, String)> {
    left.iter().flat_map(move |a| right.iter().map(move |b| ((*a).to_owned(), (*b).to_owned())))
}

/// A rotation (w, x, y, z), made a unit.
pub fn attitude([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
}
