use signorini_core::na::{Matrix3, Vector3};
use signorini_scene::{JointKind, Pose};

use crate::dynamics::free_rotation::FreeRotation;
use crate::kinematics::rotation::quaternion_at;
use crate::{Kinematics, Model, TendonModel};

/// Bodies that float freely, each the only one of its tree, and carry their momentum through a step.
///
/// Impulses change the momentum at the start of a step; from then on the body moves without forces:
/// ```text
/// M (v − v₀) = δt τ + Jᵀ γ,   c₁ = c₀ + δt v_c,   (R₁, ω₁) = the torque-free rotation from (R₀, ω) over δt
/// ```
/// with the centre of mass c. The bias of gyroscopic and centrifugal forces is that of the rotation, and M v* = M v₀ + δt τ. A free flight keeps momentum and energy at any step size.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeBodies {
    list: Vec<FreeBody>,
    /// By body, its place in the list.
    places: Vec<Option<usize>>,
}

#[derive(Clone, Debug)]
struct FreeBody {
    body: usize,
    /// First position and velocity.
    q: usize,
    v: usize,
    mass: f64,
    com: Vector3<f64>,
    /// About the centre of mass, and its inverse.
    inertia: [Matrix3<f64>; 2],
}

fn three(x: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(x[at], x[at + 1], x[at + 2])
}

impl FreeBodies {
    /// All bodies of a model that float freely, whose joint has no armature and on which no tendon with armature acts.
    pub(crate) fn of(model: &Model) -> Self {
        let mut bodies = vec![0; model.trees.len()];
        model.bodies.iter().filter_map(|b| b.tree).for_each(|t| bodies[t] += 1);
        let free = |t: usize| {
            let body = model.trees[t].root;
            let b = &model.bodies[body];
            let [joint] = &model.joints[b.joints.clone()] else { return None };
            let pulled = |x: &TendonModel| x.armature > 0.0 && x.trees.contains(&t);
            let light = !model.tendons.iter().any(pulled)
                && model.dofs[model.trees[t].dofs.clone()].iter().all(|d| d.armature == 0.0);
            let inverse = b.inertia.try_inverse()?;
            (bodies[t] == 1 && joint.kind == JointKind::Free && light).then_some(FreeBody {
                body,
                q: joint.q,
                v: joint.v,
                mass: b.mass,
                com: b.com.coords,
                inertia: [b.inertia, inverse],
            })
        };
        let list: Vec<FreeBody> = (0..model.trees.len()).filter_map(free).collect();
        let mut places = vec![None; model.bodies.len()];
        list.iter().enumerate().for_each(|(i, b)| places[b.body] = Some(i));
        Self { list, places }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a body is one of them.
    pub(crate) fn has(&self, body: usize) -> bool {
        self.places.get(body).is_some_and(Option::is_some)
    }

    /// Pose of one of them after a flight over `t` \[s\] in which its centre of mass moves with the velocity of the state and `more` \[m/s\].
    pub(crate) fn flown(
        &self,
        kin: &Kinematics,
        model: &Model,
        body: usize,
        t: f64,
        more: &Vector3<f64>,
    ) -> Option<Pose> {
        let b = &self.list[(*self.places.get(body)?)?];
        let x0 = &kin.x_wb[body];
        let spin = x0.rotation.inverse_transform_vector(&kin.twist[body].angular);
        let turn = FreeRotation::new(&b.inertia, &spin, t, false).turn;
        let centre =
            kin.com(model, body) + t * (kin.point_velocity(model, body, &kin.com(model, body)) + more);
        let r1 = x0.rotation * turn;
        Some(Pose::from_parts((centre - r1 * b.com).into(), r1))
    }

    /// Their bias: gravity alone.
    pub(crate) fn set_bias(&self, model: &Model, kin: &Kinematics, bias: &mut [f64]) {
        for b in &self.list {
            let weight = b.mass * model.gravity;
            let torque = b.com.cross(&kin.r_wb[b.body].tr_mul(&weight));
            (0..3).for_each(|i| (bias[b.v + i], bias[b.v + 3 + i]) = (-weight[i], -torque[i]));
        }
    }

    /// Moves them from q₀ over `dt` with the velocities `v` after impulses; q₁ and v₁ get their entries. Positions move with a velocity of their own, `moves`, where it is not empty.
    pub(crate) fn advance(&self, q0: &[f64], [v, moves]: [&[f64]; 2], dt: f64, [q1, v1]: [&mut [f64]; 2]) {
        for b in &self.list {
            let r0 = quaternion_at(q0, b.q + 3);
            let centre = |v: &[f64]| three(v, b.v) + r0 * three(v, b.v + 3).cross(&b.com);
            let turn = |v: &[f64]| FreeRotation::new(&b.inertia, &three(v, b.v + 3), dt, false).turn;
            let of_state = turn(v);
            let of_position = if moves.is_empty() { of_state } else { turn(moves) };
            let spin = b.inertia[1] * of_state.inverse_transform_vector(&(b.inertia[0] * three(v, b.v + 3)));
            let velocity = centre(v) - r0 * of_state * spin.cross(&b.com);
            for i in 0..3 {
                (v1[b.v + i], v1[b.v + 3 + i]) = (velocity[i], spin[i]);
            }
            let r1 = r0 * of_position;
            q1[b.q + 3..b.q + 7].copy_from_slice(&[r1.w, r1.i, r1.j, r1.k]);
            let moves = if moves.is_empty() { v } else { moves };
            let way = dt * centre(moves) + r0 * b.com - r1 * b.com;
            (0..3).for_each(|i| q1[b.q + i] = q0[b.q + i] + way[i]);
        }
    }

    /// Derivative of [`FreeBodies::advance`] where positions have no velocity of their own: `f(dof, δq₁, δv₁)` in the coordinates of v for changes `[δq₀, δv]`.
    ///
    /// A change of R₀ by exp(δθ) turns the velocity of the centre of mass and arms by R₀ δθ × …, where the spin in body axes stays.
    pub(crate) fn advance_tangent(
        &self,
        q0: &[f64],
        v: &[f64],
        [dq, dv]: [&[f64]; 2],
        dt: f64,
        mut f: impl FnMut(usize, f64, f64),
    ) {
        for b in &self.list {
            let r0 = quaternion_at(q0, b.q + 3);
            let (spin0, d_spin0, d_theta0) = (three(v, b.v + 3), three(dv, b.v + 3), three(dq, b.v + 3));
            let rotation = FreeRotation::new(&b.inertia, &spin0, dt, true);
            let r1 = r0 * rotation.turn;
            let spin1 = b.inertia[1] * rotation.turn.inverse_transform_vector(&(b.inertia[0] * spin0));
            let d_spin1 = rotation.spin_by_spin * d_spin0;
            let d_theta1 =
                rotation.turn.inverse_transform_vector(&d_theta0) + rotation.turn_by_spin * d_spin0;
            // δ(R a) = R (δθ × a + δa).
            let d_centre =
                three(dv, b.v) + r0 * (d_theta0.cross(&spin0.cross(&b.com)) + d_spin0.cross(&b.com));
            let d_velocity = d_centre - r1 * (d_theta1.cross(&spin1.cross(&b.com)) + d_spin1.cross(&b.com));
            let d_way = dt * d_centre + r0 * d_theta0.cross(&b.com) - r1 * d_theta1.cross(&b.com);
            for i in 0..3 {
                f(b.v + i, dq[b.v + i] + d_way[i], d_velocity[i]);
                f(b.v + 3 + i, d_theta1[i], d_spin1[i]);
            }
        }
    }
}
