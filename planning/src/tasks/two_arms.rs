//! Two six-axis arms (`models/two_arms/arms.xml`) as seen by a task: joints, palms and links, all from observations, so that no engine is needed for kinematics.
//!
//! A task puts [`observations`] first among its own; the functions here look there.

use signorini_core::na::{
    Isometry3, Matrix6, Quaternion, SMatrix, SVector, Translation3, UnitQuaternion, Vector3, Vector6,
};
use signorini_core::{Frame, Observation};

use crate::{Outcome, Step, View};

/// Number of joints.
pub const COUNT: usize = 12;
/// Names before those of joints, links and geoms, in the order of observations.
pub const SIDES: [&str; 2] = ["right", "left"];
/// Angles at rest \[rad\].
pub const HOME: [f64; COUNT] = [1.5, -1.8, 1.75, -1.25, -1.6, 0.0, -1.5, -1.8, 1.75, -1.25, -1.6, 0.0];
/// Number of observations of the arms; those of a task follow.
pub const OBSERVED: usize = PLACES + 2 * COUNT;

const JOINTS: [&str; 6] = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"];
/// Bodies that the joints move, whose origins lie on the axes, and the axes in them.
const LINKS: [(&str, [f64; 3]); 6] = [
    ("shoulder", [0.0, 0.0, 1.0]),
    ("upper_arm", [0.0, -1.0, 0.0]),
    ("forearm", [0.0, -1.0, 0.0]),
    ("wrist_1", [0.0, -1.0, 0.0]),
    ("wrist_2", [0.0, 0.0, -1.0]),
    ("wrist_3", [0.0, -1.0, 0.0]),
];
/// Places of the observations of the tools and of the links.
const TOOLS: usize = COUNT;
const PLACES: usize = TOOLS + 6;

/// Joint positions; position, rotation and velocity of each tool; positions and rotations of the links.
pub fn observations() -> Vec<Observation> {
    let mut out = Vec::with_capacity(OBSERVED);
    for side in SIDES {
        out.extend(JOINTS.map(|j| Observation::JointPosition(format!("{side}_{j}"))));
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
        for (link, _) in LINKS {
            let body = || Frame::Body(format!("{side}_{link}"));
            out.extend([Observation::Position(body()), Observation::Rotation(body())]);
        }
    }
    out
}

/// A palm.
#[derive(Clone, Copy, Debug)]
pub struct Palm {
    /// Middle of its face \[m\] and attitude, in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the middle of its face \[m/s\].
    pub velocity: Vector3<f64>,
}

/// Right and left palm.
pub fn palms(seen: &View<'_>) -> [Palm; 2] {
    [0, 1].map(|side| {
        let at = TOOLS + 3 * side;
        let pose = Isometry3::from_parts(Translation3::from(seen.vector(at)), seen.rotation(at + 1));
        Palm { pose, velocity: seen.vector(at + 2) }
    })
}

/// Part by which distances may shrink in a step.
const SHRINK: f64 = 0.3;
/// Distances that are larger than the first do not count, smaller than the second \[m\] always.
const CLEAR: f64 = 0.05;
const MARGIN: f64 = 0.01;

/// What a step adds for distances, the observations from `first` on: what they shrink by beyond 30 % and what is missing to 0.01 m, over 0.05 m, where they are less than that; and 1 where bodies overlap.
pub fn clearance(step: &Step<'_>, first: usize) -> f64 {
    let (before, after) = (&step.before, &step.after);
    let mut sum = 0.0;
    for i in first..after.layout.len() {
        let (then, now) = (before.scalar(i), after.scalar(i));
        if now < CLEAR {
            let shrinks = ((1.0 - SHRINK) * then.min(CLEAR) - now).max(0.0);
            sum += (shrinks + (MARGIN - now).max(0.0)) / CLEAR + f64::from(u8::from(now < 0.0));
        }
    }
    sum
}

/// The failure of the first pair that touches, whose distances are the observations from `first` on.
pub fn touching(seen: &View<'_>, first: usize, pairs: Vec<(String, String)>) -> Option<Outcome> {
    let (_, (a, b)) = pairs.into_iter().enumerate().find(|(i, _)| seen.scalar(first + i) < 0.0)?;
    Some(Outcome::Failure(format!("collision: {a} touches {b}")))
}

/// A rotation (w, x, y, z), made a unit.
pub fn attitude([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z))
}

/// J of an arm: velocity of the middle of the palm \[m/s\] over spin \[rad/s\], world axes, per joint velocity. A joint with axis a through o adds (a × (p − o), a).
pub fn jacobian(seen: &View<'_>, side: usize) -> Matrix6<f64> {
    let palm = seen.vector(TOOLS + 3 * side);
    let mut out = Matrix6::zeros();
    for (j, (_, axis)) in LINKS.into_iter().enumerate() {
        let at = PLACES + 2 * (LINKS.len() * side + j);
        let axis = seen.rotation(at + 1) * Vector3::from(axis);
        out.fixed_view_mut::<3, 1>(0, j).copy_from(&axis.cross(&(palm - seen.vector(at))));
        out.fixed_view_mut::<3, 1>(3, j).copy_from(&axis);
    }
    out
}

/// Motion of both palms together: velocity of their middle, half of that of the right relative to the left \[m/s\], spin of the right and of the left \[rad/s\], per joint velocity.
pub fn shared_jacobian(seen: &View<'_>) -> SMatrix<f64, COUNT, COUNT> {
    let mut out = SMatrix::<f64, COUNT, COUNT>::zeros();
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let j = jacobian(seen, side);
        let linear = 0.5 * j.fixed_rows::<3>(0);
        out.fixed_view_mut::<3, 6>(0, 6 * side).copy_from(&linear);
        out.fixed_view_mut::<3, 6>(3, 6 * side).copy_from(&(sign * linear));
        out.fixed_view_mut::<3, 6>(6 + 3 * side, 6 * side).copy_from(&j.fixed_rows::<3>(3));
    }
    out
}

/// Joint velocities \[rad/s\] of an arm that move its palm by a twist, velocity \[m/s\] over spin \[rad/s\] in world axes, damped near singular poses: Jᵀ (J Jᵀ + d 1)⁻¹ with d = 10⁻⁴.
pub fn follow(seen: &View<'_>, side: usize, twist: &Vector6<f64>) -> SVector<f64, 6> {
    const DAMPING: f64 = 1e-4;
    let j = jacobian(seen, side);
    let normal = j * j.transpose() + DAMPING * Matrix6::identity();
    normal.cholesky().map_or_else(SVector::zeros, |c| j.transpose() * c.solve(twist))
}
