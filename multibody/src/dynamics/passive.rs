use signorini_core::na::Vector3;
use signorini_scene::JointKind;

use crate::kinematics::rotation::quaternion_at;
use crate::kinematics::rotation::rotation_vector;
use crate::{Kinematics, Model, Spatial, TendonState};

impl Model {
    /// Stiffness \[N·m/rad or N/m\] of the joint spring of a degree of freedom and its viscous damping.
    pub(crate) fn spring_and_damper(&self, dof: usize) -> (f64, f64) {
        let of = &self.dofs[dof];
        (of.stiffness, of.damping)
    }

    /// Displacement of each joint from the rest position of its spring, in the coordinates of v: nv. Joints without spring are left
    /// out (zero).
    pub fn spring_displacement(&self, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if !self.springs {
            return;
        }
        for j in self.joints.iter().filter(|j| j.stiffness > 0.0) {
            let turn = |at: usize| {
                rotation_vector(&(quaternion_at(&self.spring_q, at).inverse() * quaternion_at(q, at)))
            };
            match j.kind {
                JointKind::Hinge | JointKind::Slide => out[j.v] = q[j.q] - self.spring_q[j.q],
                JointKind::Ball => out[j.v..j.v + 3].copy_from_slice(turn(j.q).as_slice()),
                JointKind::Free => {
                    for i in 0..3 {
                        out[j.v + i] = q[j.q + i] - self.spring_q[j.q + i];
                    }
                    out[j.v + 3..j.v + 6].copy_from_slice(turn(j.q + 3).as_slice());
                }
            }
        }
    }

    /// tau += −K x of the joint springs and the springs of tendons.
    pub fn add_spring_forces(&self, q: &[f64], tendons: &TendonState, tau: &mut [f64]) {
        (0..self.joints.len()).for_each(|j| self.add_joint_spring(j, q, tau));
        for (i, t) in self.tendons.iter().enumerate().filter(|(_, t)| t.stiffness > 0.0) {
            tendons.row(self, i).add_scaled(t.spring_force(tendons.length[i]), tau);
        }
    }

    /// tau += −K x of the spring of a joint, where it has one.
    pub(crate) fn add_joint_spring(&self, joint: usize, q: &[f64], tau: &mut [f64]) {
        let j = &self.joints[joint];
        if j.stiffness == 0.0 {
            return;
        }
        let mut add = |i: usize, x: f64| tau[j.v + i] -= j.stiffness * x;
        let turn = |at: usize| {
            rotation_vector(&(quaternion_at(&self.spring_q, at).inverse() * quaternion_at(q, at)))
        };
        match j.kind {
            JointKind::Hinge | JointKind::Slide => add(0, q[j.q] - self.spring_q[j.q]),
            JointKind::Ball => turn(j.q).iter().enumerate().for_each(|(i, x)| add(i, *x)),
            JointKind::Free => {
                (0..3).for_each(|i| add(i, q[j.q + i] - self.spring_q[j.q + i]));
                turn(j.q + 3).iter().enumerate().for_each(|(i, x)| add(3 + i, *x));
            }
        }
    }

    /// tau += −D v of the dampers of joints and tendons. `tendons` holds the rates.
    pub fn add_damping_forces(&self, v: &[f64], tendons: &TendonState, tau: &mut [f64]) {
        for (i, d) in self.dofs.iter().enumerate() {
            tau[i] -= d.damping * v[i];
        }
        for (i, t) in self.tendons.iter().enumerate().filter(|(_, t)| t.damping > 0.0) {
            tendons.row(self, i).add_scaled(-t.damping * tendons.rate[i], tau);
        }
    }

    /// tau += gravity compensation: −fraction·m g at the centre of mass of each body. With `actuated` true only the share of joints that
    /// count it as actuator force, with false only the rest. The former acts only beside an actuator, as in MuJoCo.
    pub fn add_gravity_compensation(
        &self,
        kin: &Kinematics,
        gravity: &Vector3<f64>,
        actuated: bool,
        tau: &mut [f64],
    ) {
        if actuated && self.actuators.is_empty() {
            return;
        }
        for (lifted, body) in kin.lifted.iter().zip(&self.bodies) {
            // With all that hangs on the body: (moment × −g, −m g) about the reference point of its tree.
            let wrench = Spatial::new(-lifted.moment.cross(gravity), -lifted.mass * gravity);
            for i in self.dofs_of(body) {
                if self.joints[self.dofs[i].joint].actuator_gravity_compensation == actuated {
                    tau[i] += kin.axes[i].dot(&wrench);
                }
            }
        }
    }

    /// Kinetic energy of the armature of joints and tendons \[J\].
    pub fn armature_energy(&self, v: &[f64], tendons: &TendonState) -> f64 {
        let joints: f64 = self.dofs.iter().zip(v).map(|(d, v)| 0.5 * d.armature * v * v).sum();
        let inert = self.tendons.iter().enumerate().filter(|(_, t)| t.armature > 0.0);
        joints + inert.map(|(i, t)| 0.5 * t.armature * tendons.row(self, i).dot(v).powi(2)).sum::<f64>()
    }

    /// Energy of the springs of joints and tendons \[J\].
    pub fn spring_energy(&self, q: &[f64], tendons: &TendonState) -> f64 {
        let turn = |at: usize| {
            rotation_vector(&(quaternion_at(&self.spring_q, at).inverse() * quaternion_at(q, at)))
        };
        let joints: f64 = self
            .joints
            .iter()
            .filter(|j| j.stiffness > 0.0)
            .map(|j| {
                let square = match j.kind {
                    JointKind::Hinge | JointKind::Slide => (q[j.q] - self.spring_q[j.q]).powi(2),
                    JointKind::Ball => turn(j.q).norm_squared(),
                    JointKind::Free => {
                        (0..3).map(|i| (q[j.q + i] - self.spring_q[j.q + i]).powi(2)).sum::<f64>()
                            + turn(j.q + 3).norm_squared()
                    }
                };
                0.5 * j.stiffness * square
            })
            .sum();
        let lengths = self.tendons.iter().zip(&tendons.length);
        joints + lengths.map(|(t, l)| t.spring_energy(*l)).sum::<f64>()
    }
}
