use signorini_core::na::Vector3;
use signorini_scene::JointKind;

use crate::kinematics::rotation::quaternion_at;
use crate::kinematics::rotation::rotation_vector;
use crate::{BodyModel, EqualityInput, JointModel, Kinematics, Model, Spatial, TendonState};

impl Model {
    /// Stiffness and damping of each degree of freedom about which springs and dampers are at rest \[N/m or N·m/rad, and by s\].
    pub(crate) fn passive_slopes(&self) -> Vec<[f64; 2]> {
        self.dofs.iter().map(|d| [d.spring.stiffness(0.0), d.damper.damping(0.0)]).collect()
    }

    /// Forces of the springs of joints and, for dampers whose force is not proportional to the speed, what they are beyond −D v₀; K and D of these springs and dampers at the state
    /// into `slopes`, which has those of the others. A spring along a displacement in space is as stiff across it as along it.
    pub(crate) fn passive_forces(&self, [q, v]: [&[f64]; 2], force: &mut [f64], slopes: &mut [[f64; 2]]) {
        force.fill(0.0);
        if self.springs {
            for j in self.joints.iter().filter(|j| j.spring.acts()) {
                self.strains(j, q, |first, x, length| {
                    let secant = j.spring.secant(length);
                    x.iter().enumerate().for_each(|(i, x)| force[first + i] = -(secant * x));
                    if j.spring.is_curved() {
                        let across = if x.len() > 1 { secant } else { 0.0 };
                        let stiffness = j.spring.stiffness(length).max(across);
                        slopes[first..first + x.len()].iter_mut().for_each(|s| s[0] = stiffness);
                    }
                });
            }
        }
        for (i, d) in self.dofs.iter().enumerate().filter(|(_, d)| d.damper.is_curved()) {
            let damping = d.damper.damping(v[i]);
            slopes[i][1] = damping;
            force[i] += d.damper.force(v[i]) + damping * v[i];
        }
    }

    /// Calls `f` with the displacements of a joint from the rest of its spring that it pulls at as wholes: the first degree of freedom of each, its components, and its length, which has
    /// the sign of a single component.
    fn strains(&self, j: &JointModel, q: &[f64], mut f: impl FnMut(usize, &[f64], f64)) {
        let turn = |at: usize| {
            rotation_vector(&(quaternion_at(&self.spring_q, at).inverse() * quaternion_at(q, at)))
        };
        let way = |i: usize| q[j.q + i] - self.spring_q[j.q + i];
        let mut whole = |first: usize, x: Vector3<f64>| f(first, x.as_slice(), x.norm());
        match j.kind {
            JointKind::Hinge | JointKind::Slide => f(j.v, &[way(0)], way(0)),
            JointKind::Ball => whole(j.v, turn(j.q)),
            JointKind::Free => {
                whole(j.v, Vector3::new(way(0), way(1), way(2)));
                whole(j.v + 3, turn(j.q + 3));
            }
        }
    }

    /// tau += forces of the joint springs and the springs of tendons.
    pub fn add_spring_forces(&self, q: &[f64], tendons: &TendonState, tau: &mut [f64]) {
        (0..self.joints.len()).for_each(|j| self.add_joint_spring(j, q, tau));
        for (i, t) in self.tendons.iter().enumerate().filter(|(_, t)| t.spring.acts()) {
            tendons.row(self, i).add_scaled(t.spring_force(tendons.length[i]), tau);
        }
    }

    /// tau += force of the spring of a joint, where it has one.
    pub(crate) fn add_joint_spring(&self, joint: usize, q: &[f64], tau: &mut [f64]) {
        let j = &self.joints[joint];
        if j.spring.acts() {
            self.strains(j, q, |first, x, length| {
                let secant = j.spring.secant(length);
                x.iter().enumerate().for_each(|(i, x)| tau[first + i] -= secant * x);
            });
        }
    }

    /// tau += forces of the dampers of joints and tendons. `tendons` holds the rates.
    pub fn add_damping_forces(&self, v: &[f64], tendons: &TendonState, tau: &mut [f64]) {
        for (i, d) in self.dofs.iter().enumerate() {
            tau[i] += d.damper.force(v[i]);
        }
        for (i, t) in self.tendons.iter().enumerate().filter(|(_, t)| t.damper.acts()) {
            tendons.row(self, i).add_scaled(t.damper.force(tendons.rate[i]), tau);
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

    /// Energy of the weight that is compensated along all that moves a body \[J\]; it has none where joints that count compensation as actuation let others move.
    pub fn compensation_energy(&self, kin: &Kinematics) -> f64 {
        let lifted = self.bodies.iter().enumerate().filter(|(_, b)| b.gravity_compensation != 0.0);
        let share = |(b, body): (usize, &BodyModel)| match self.is_lifted(body) {
            Some(true) => body.gravity_compensation * body.mass * self.gravity.dot(&kin.com(self, b).coords),
            _ => 0.0,
        };
        lifted.map(share).sum()
    }

    /// Whether the compensation of the weight of a body acts along all that moves it; None where it does along a part.
    pub fn is_lifted(&self, body: &BodyModel) -> Option<bool> {
        let acts = |dof: usize| {
            !self.joints[self.dofs[dof].joint].actuator_gravity_compensation || !self.actuators.is_empty()
        };
        let chain = std::iter::successors(body.last_dof, |dof| self.dofs[*dof].parent);
        let mut along = chain.map(acts);
        let first = along.next().unwrap_or(true);
        along.all(|a| a == first).then_some(first)
    }

    /// Energy of the springs that a user states for equalities, which hold them with a stiffness of their own \[J\].
    pub fn equality_energy(&self, q: &[f64], kin: &Kinematics, tendons: &TendonState) -> f64 {
        let stated = self.equalities.iter().enumerate().filter(|(_, e)| e.active && !e.trees.is_empty());
        let energy = |(i, k): (usize, f64)| {
            let mut gap = [0.0; 6];
            self.equality(i, EqualityInput { q, kin, tendons }, &mut gap, |_, _| {});
            0.5 * k * gap.iter().map(|x| x * x).sum::<f64>()
        };
        stated.filter_map(|(i, e)| Some((i, e.stiffness?))).map(energy).sum()
    }

    /// Kinetic energy of the armature of joints and tendons \[J\].
    pub fn armature_energy(&self, v: &[f64], tendons: &TendonState) -> f64 {
        let joints: f64 = self.dofs.iter().zip(v).map(|(d, v)| 0.5 * d.armature * v * v).sum();
        let inert = self.tendons.iter().enumerate().filter(|(_, t)| t.armature > 0.0);
        joints + inert.map(|(i, t)| 0.5 * t.armature * tendons.row(self, i).dot(v).powi(2)).sum::<f64>()
    }

    /// Energy of the springs of joints and tendons \[J\].
    pub fn spring_energy(&self, q: &[f64], tendons: &TendonState) -> f64 {
        let mut joints = 0.0;
        for j in self.joints.iter().filter(|j| j.spring.acts()) {
            self.strains(j, q, |_, _, length| joints += j.spring.energy(length));
        }
        let lengths = self.tendons.iter().zip(&tendons.length);
        joints + lengths.map(|(t, l)| t.spring_energy(*l)).sum::<f64>()
    }
}
