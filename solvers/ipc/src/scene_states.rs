use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_core::{ProblemError, State};
use signorini_scene::JointKind;

use crate::readout::Motion;
use crate::world::N;
use crate::{AffineBody, AffineScene};

/// `angle` plus the turns that bring it nearest to `near`.
fn unwrapped(angle: f64, near: f64) -> f64 {
    let turn = 2.0 * std::f64::consts::PI;
    angle + turn * ((near - angle) / turn).round()
}

/// The quaternion with the sign that is nearer to that of `near` at its place.
fn push_near(r: &UnitQuaternion<f64>, near: &[f64], q: &mut Vec<f64>) {
    let r = [r.w, r.i, r.j, r.k];
    let along: f64 = r.iter().zip(&near[q.len()..]).map(|(a, b)| a * b).sum();
    q.extend(r.map(|x| if along < 0.0 { -x } else { x }));
}

impl AffineScene {
    /// Poses of all bodies of the scene, with the rotations nearest to those of the affine bodies.
    pub fn poses(&self, x: &State) -> Vec<Isometry3<f64>> {
        self.readout.motions(&self.system, x).iter().map(|m| m.pose).collect()
    }

    /// Positions, nq, and velocities, nv, of the joints of the scene, as the crate `signorini-multibody` has them: free joints by the velocity of the origin in world axes and the angular velocity in body axes,
    /// balls by the angular velocity in the axes of the child. Angles of hinges and signs of quaternions are those nearest to `near`, nq, so that turns are counted from one call to the next.
    ///
    /// # Errors
    /// [`ProblemError::Shape`] for a `near` of another length.
    pub fn joint_coordinates(&self, x: &State, near: &[f64]) -> Result<(Vec<f64>, Vec<f64>), ProblemError> {
        let nq = self.readout.joints.iter().map(|j| j.kind.nq()).sum();
        signorini_core::check_count("positions", nq, near.len())?;
        let motions = self.readout.motions(&self.system, x);
        let (mut q, mut v) = (Vec::with_capacity(nq), Vec::new());
        for j in &self.readout.joints {
            let (body, parent) = (&motions[j.body], &motions[j.parent]);
            let drawn = parent.pose * j.drawn;
            let turn = drawn.rotation.inverse() * body.pose.rotation;
            let spin = body.angular - parent.angular;
            if let Some((number, start)) = j.chained {
                let value = start + self.system.joint_value(x, number).unwrap_or(0.0);
                let hinge = j.kind == JointKind::Hinge;
                q.push(if hinge { unwrapped(value, near[q.len()]) } else { value });
                v.push(self.system.joint_rate(x, number).unwrap_or(0.0));
                continue;
            }
            match j.kind {
                JointKind::Free => {
                    let (p, r) = (&body.pose.translation.vector, &body.pose.rotation);
                    q.extend([p.x, p.y, p.z]);
                    push_near(r, near, &mut q);
                    v.extend_from_slice(body.linear.as_slice());
                    v.extend_from_slice((r.inverse() * body.angular).as_slice());
                }
                JointKind::Ball => {
                    push_near(&turn, near, &mut q);
                    v.extend_from_slice((body.pose.rotation.inverse() * spin).as_slice());
                }
                JointKind::Hinge => {
                    let angle = 2.0 * turn.imag().dot(&j.axis).atan2(turn.w);
                    q.push(unwrapped(angle + j.reference, near[q.len()]));
                    v.push(spin.dot(&(body.pose.rotation * j.axis)));
                }
                JointKind::Slide => {
                    // The axis that a following joint turns about does not turn.
                    let anchor = Point3::from(self.readout.turns_about(j.body).unwrap_or(j.anchor));
                    let (at, from) = ((body.pose * anchor).coords, (drawn * anchor).coords);
                    let axis = drawn.rotation * j.axis;
                    q.push(axis.dot(&(at - from)) + j.reference);
                    // Both see the axis turn with the parent.
                    v.push(axis.dot(&(body.at(&at) - parent.at(&at))));
                }
            }
        }
        Ok((q, v))
    }

    /// The start with velocities of the joints of the scene, nv, in the order and the axes of [`AffineScene::joint_coordinates`].
    ///
    /// # Errors
    /// [`ProblemError::Shape`] for another number of velocities; numbers that are not finite.
    pub fn state_with(&self, v: &[f64]) -> Result<State, ProblemError> {
        let nv = self.readout.joints.iter().map(|j| j.kind.nv()).sum();
        signorini_core::check_count("velocities", nv, v.len())?;
        signorini_core::check_finite("velocities", v)?;
        let mut x = self.system.initial_state();
        let mut motions = self.readout.motions(&self.system, &x);
        let mut joints = self.readout.joints.iter().enumerate().peekable();
        let mut at = 0;
        for b in 1..motions.len() {
            let parent = motions[self.readout.parents[b]];
            let origin = motions[b].pose.translation.vector;
            let (mut linear, mut angular) = (parent.at(&origin), parent.angular);
            while let Some((i, j)) = joints.next_if(|j| j.1.body == b) {
                let rate = &v[at..at + j.kind.nv()];
                at += rate.len();
                let (r, [anchor, axis]) = (motions[b].pose.rotation, j.line);
                let turns = |spin: Vector3<f64>| (spin.cross(&(origin - anchor)), spin);
                let (by, spin) = match j.kind {
                    JointKind::Free => {
                        (Vector3::from_column_slice(&rate[..3]), r * Vector3::from_column_slice(&rate[3..]))
                    }
                    JointKind::Ball => turns(r * Vector3::from_column_slice(rate)),
                    JointKind::Hinge => turns(rate[0] * axis),
                    JointKind::Slide => (rate[0] * axis, Vector3::zeros()),
                };
                (linear, angular) = (linear + by, angular + spin);
                if let Some((body, _)) = self.readout.between.iter().find(|o| o.1 == i) {
                    let motion = Motion { pose: motions[b].pose, linear, angular };
                    self.set_velocity(*body, &motion, &mut x);
                }
            }
            (motions[b].linear, motions[b].angular) = (linear, angular);
        }
        for ((body, _), motion) in self.readout.frames.iter().zip(&motions) {
            if let Some(body) = body {
                self.set_velocity(*body, motion, &mut x);
            }
        }
        Ok(x)
    }

    /// Gives an affine body the motion of a rigid one.
    fn set_velocity(&self, body: usize, motion: &Motion, x: &mut State) {
        let Some(at) = self.system.coordinates_of(body) else { return };
        let of: &AffineBody = &self.system.bodies()[body];
        let q = &x.q[at..at + N];
        let linear = motion.at(&Vector3::from_column_slice(&q[..3]));
        let velocity = of.velocity(q, &linear, &motion.angular);
        x.v[at..at + N].copy_from_slice(&velocity);
    }
}
