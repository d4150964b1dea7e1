use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_scene::JointKind;

use crate::Model;
use crate::model::quaternion_at;

impl Model {
    /// q₁ = q₀ ⊕ δt·v: sums for coordinates and positions, the exponential map for quaternions, which stay normalised.
    pub fn integrate(&self, q0: &[f64], v: &[f64], dt: f64, q1: &mut [f64]) {
        for j in &self.joints {
            match j.kind {
                JointKind::Hinge | JointKind::Slide => q1[j.q] = q0[j.q] + dt * v[j.v],
                JointKind::Ball => rotate(q0, j.q, &v[j.v..j.v + 3], dt, q1),
                JointKind::Free => {
                    for i in 0..3 {
                        q1[j.q + i] = q0[j.q + i] + dt * v[j.v + i];
                    }
                    rotate(q0, j.q + 3, &v[j.v + 3..j.v + 6], dt, q1);
                }
            }
        }
    }

    /// The velocity that takes q₀ to q₁ in unit time: the inverse of [`Model::integrate`].
    pub fn difference(&self, q0: &[f64], q1: &[f64], v: &mut [f64]) {
        let turn = |at: usize| (quaternion_at(q0, at).inverse() * quaternion_at(q1, at)).scaled_axis();
        for j in &self.joints {
            match j.kind {
                JointKind::Hinge | JointKind::Slide => v[j.v] = q1[j.q] - q0[j.q],
                JointKind::Ball => v[j.v..j.v + 3].copy_from_slice(turn(j.q).as_slice()),
                JointKind::Free => {
                    for i in 0..3 {
                        v[j.v + i] = q1[j.q + i] - q0[j.q + i];
                    }
                    v[j.v + 3..j.v + 6].copy_from_slice(turn(j.q + 3).as_slice());
                }
            }
        }
    }
}

fn rotate(q0: &[f64], at: usize, w: &[f64], dt: f64, q1: &mut [f64]) {
    let w = Vector3::new(w[0], w[1], w[2]);
    let r = quaternion_at(q0, at) * UnitQuaternion::from_scaled_axis(w * dt);
    q1[at..at + 4].copy_from_slice(&[r.w, r.i, r.j, r.k]);
}
