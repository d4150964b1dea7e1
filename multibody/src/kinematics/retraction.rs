use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_scene::JointKind;

use crate::Model;
use crate::kinematics::rotation::quaternion_at;
use crate::kinematics::rotation::rotation_vector;

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

    /// As [`Model::integrate`], but quaternions by q₀ + δt·N(q₀)·v, normalised (kurtz2025cenic uses this): it agrees with the exponential map
    /// to second order in δt.
    pub fn integrate_renormalized(&self, q0: &[f64], v: &[f64], dt: f64, q1: &mut [f64]) {
        self.integrate(q0, v, dt, q1);
        for j in &self.joints {
            let (at, w) = match j.kind {
                JointKind::Ball => (j.q, &v[j.v..j.v + 3]),
                JointKind::Free => (j.q + 3, &v[j.v + 3..j.v + 6]),
                JointKind::Hinge | JointKind::Slide => continue,
            };
            let q = quaternion_at(q0, at).into_inner();
            let rate = q * Quaternion::from_imag(Vector3::new(w[0], w[1], w[2])) * 0.5;
            let r = (q + rate * dt).normalize();
            q1[at..at + 4].copy_from_slice(&[r.w, r.i, r.j, r.k]);
        }
    }

    /// The velocity that takes q₀ to q₁ in unit time: the inverse of [`Model::integrate`].
    pub fn difference(&self, q0: &[f64], q1: &[f64], v: &mut [f64]) {
        let turn = |at: usize| rotation_vector(&(quaternion_at(q0, at).inverse() * quaternion_at(q1, at)));
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
