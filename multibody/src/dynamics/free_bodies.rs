use signorini_core::na::{Matrix3, Point3, UnitQuaternion, Vector3};
use signorini_scene::{JointKind, Pose};

use crate::dynamics::free_rotation::FreeRotation;
use crate::dynamics::held_trees::held_trees;
use crate::kinematics::rotation::quaternion_at;
use crate::{Kinematics, Model, TendonModel};

/// Bodies that float freely, each the only one of its tree, and carry their momentum through a step.
///
/// Impulses change the momentum at the start of a step; from then on the body moves without forces:
/// ```text
/// M (v − v₀) = δt τ + Jᵀ γ,   c₁ = c₀ + δt v_c,   (R₁, ω₁) = the torque-free rotation from (R₀, ω) over δt
/// ```
/// with the centre of mass c. The bias of gyroscopic and centrifugal forces is that of the rotation, and M v* = M v₀ + δt τ. A flight without forces keeps momentum and energy at any step size.
///
/// Those that fly are moved by forces as constant ones move them, which is exact under gravity:
/// ```text
/// c₁ = c₀ + δt (v_c − w),   w = ½ (v_c* − v_c0)
/// ```
/// Whether a body flies in a step is known at its start: nothing touches it or is nearer than gravity may take it.
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
    /// Nothing acts on it but gravity, applied forces, dampers of its joint and contacts: it may fly.
    may_fly: bool,
    /// About the centre of mass, and its inverse.
    inertia: [Matrix3<f64>; 2],
    /// The inertia is that of a ball: it turns about one axis.
    round: bool,
    /// It is about the origin too: without w it moves as in the published step.
    plain: bool,
}

fn three(x: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(x[at], x[at + 1], x[at + 2])
}

impl FreeBody {
    /// Turn over `t` \[s\] without torque from an angular velocity \[rad/s\], body axes.
    fn turn(&self, spin: &Vector3<f64>, t: f64) -> UnitQuaternion<f64> {
        match self.round {
            true => UnitQuaternion::from_scaled_axis(t * spin),
            false => FreeRotation::new(&self.inertia, spin, t, false).turn,
        }
    }

    /// Angular velocity \[rad/s\], body axes.
    fn spin(&self, kin: &Kinematics) -> Vector3<f64> {
        kin.r_wb[self.body].tr_mul(&kin.twist[self.body].angular)
    }
}

impl FreeBodies {
    /// All bodies of a model that float freely, whose joint has no armature and on which no tendon with armature acts.
    pub(crate) fn of(model: &Model) -> Self {
        let held = held_trees(model);
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
            let led = model.actuators.iter().any(|a| a.trees.contains(&t))
                || model.tendons.iter().any(|x| x.trees.contains(&t));
            let passive = model.has_medium() || joint.spring.acts() || joint.dry_friction > 0.0;
            let round = b.inertia == Matrix3::from_diagonal_element(b.inertia[(0, 0)]);
            (bodies[t] == 1 && joint.kind == JointKind::Free && light).then_some(FreeBody {
                body,
                q: joint.q,
                v: joint.v,
                mass: b.mass,
                com: b.com.coords,
                may_fly: !held[t] && !led && !passive && b.gravity_compensation == 0.0,
                inertia: [b.inertia, inverse],
                round,
                plain: round && b.com == Point3::origin(),
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

    fn get(&self, body: usize) -> Option<&FreeBody> {
        self.places.get(body).copied().flatten().map(|i| &self.list[i])
    }

    /// Whether a body is one of them.
    pub(crate) fn has(&self, body: usize) -> bool {
        self.get(body).is_some()
    }

    /// The bodies.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = usize> {
        self.list.iter().map(|b| b.body)
    }

    /// Whether a body is one of them that may fly.
    pub(crate) fn may_fly(&self, body: usize) -> bool {
        self.get(body).is_some_and(|b| b.may_fly)
    }

    /// None of them flies from now on.
    pub(crate) fn ground(&mut self) {
        self.list.iter_mut().for_each(|b| b.may_fly = false);
    }

    /// First coordinate and degree of freedom of one of them; the first three are ways along the axes of the world.
    pub(crate) fn first(&self, body: usize) -> Option<[usize; 2]> {
        self.get(body).map(|b| [b.q, b.v])
    }

    /// Pose of one of them after `t` \[s\] in which its centre of mass moves with the velocity of the state, and by `more` \[m\].
    pub(crate) fn flown(
        &self,
        kin: &Kinematics,
        model: &Model,
        body: usize,
        t: f64,
        more: &Vector3<f64>,
    ) -> Option<Pose> {
        let b = self.get(body)?;
        let turn = b.turn(&b.spin(kin), t);
        let centre = kin.com(model, body);
        let centre = centre + t * kin.point_velocity(model, body, &centre) + more;
        let r1 = kin.x_wb[body].rotation * turn;
        Some(Pose::from_parts((centre - r1 * b.com).into(), r1))
    }

    /// Change of the angular velocity of a body over `t` \[s\] without torque, world axes \[rad/s\]; zero for others.
    pub(crate) fn spin_change(&self, kin: &Kinematics, body: usize, t: f64) -> Vector3<f64> {
        let Some(b) = self.get(body) else { return Vector3::zeros() };
        if b.round {
            return Vector3::zeros();
        }
        let spin = b.spin(kin);
        let turn = b.turn(&spin, t);
        let later = turn * (b.inertia[1] * turn.inverse_transform_vector(&(b.inertia[0] * spin)));
        kin.x_wb[body].rotation * (later - spin)
    }

    /// Centre of mass of one of them, body frame \[m\].
    pub(crate) fn centre(&self, body: usize) -> Option<Vector3<f64>> {
        self.get(body).map(|b| b.com)
    }

    /// Their bias: gravity alone, which it is already of those without gyroscopic and centrifugal forces.
    pub(crate) fn set_bias(&self, model: &Model, kin: &Kinematics, bias: &mut [f64]) {
        for b in self.list.iter().filter(|b| !b.plain) {
            let weight = b.mass * model.gravity;
            let torque = b.com.cross(&kin.r_wb[b.body].tr_mul(&weight));
            (0..3).for_each(|i| (bias[b.v + i], bias[b.v + 3 + i]) = (-weight[i], -torque[i]));
        }
    }

    /// Writes w of a body from v* and v₀ into its entries of `out`.
    pub(crate) fn set_lag(&self, body: usize, q0: &[f64], [free, v0]: [&[f64]; 2], out: &mut [f64]) {
        let Some(b) = self.get(body) else { return };
        let change = |i: usize| free[b.v + i] - v0[b.v + i];
        let spin = Vector3::new(change(3), change(4), change(5));
        let turned = quaternion_at(q0, b.q + 3) * spin.cross(&b.com);
        (0..3).for_each(|i| out[b.v + i] = 0.5 * (change(i) + turned[i]));
    }

    /// Derivative of [`FreeBodies::set_lag`] for changes `[δq₀, δv*, δv₀]`.
    pub(crate) fn set_lag_tangent(
        &self,
        body: usize,
        q0: &[f64],
        [free, v0]: [&[f64]; 2],
        [dq, d_free, dv]: [&[f64]; 3],
        out: &mut [f64],
    ) {
        let Some(b) = self.get(body) else { return };
        let (d_theta, spin) = (three(dq, b.v + 3), three(free, b.v + 3) - three(v0, b.v + 3));
        let d_spin = three(d_free, b.v + 3) - three(dv, b.v + 3);
        let turned = quaternion_at(q0, b.q + 3) * (d_theta.cross(&spin.cross(&b.com)) + d_spin.cross(&b.com));
        (0..3).for_each(|i| out[b.v + i] = 0.5 * (d_free[b.v + i] - dv[b.v + i] + turned[i]));
    }

    /// Moves them from q₀ over `dt` with the velocities `v` after impulses; q₁ and v₁, which hold the end of the step without this, get their entries. Positions move with a velocity of their own, `moves`, where it is not empty. `lag` has w of those that
    /// fly, zeros elsewhere, or is empty.
    pub(crate) fn advance(
        &self,
        q0: &[f64],
        [v, moves, lag]: [&[f64]; 3],
        dt: f64,
        [q1, v1]: [&mut [f64]; 2],
    ) {
        for b in &self.list {
            let behind = if lag.is_empty() { Vector3::zeros() } else { three(lag, b.v) };
            if b.plain {
                (0..3).for_each(|i| q1[b.q + i] -= dt * behind[i]);
                continue;
            }
            let r0 = quaternion_at(q0, b.q + 3);
            let centre = |v: &[f64]| three(v, b.v) + r0 * three(v, b.v + 3).cross(&b.com);
            let turn = |v: &[f64]| b.turn(&three(v, b.v + 3), dt);
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
            let way = dt * (centre(moves) - behind) + r0 * b.com - r1 * b.com;
            (0..3).for_each(|i| q1[b.q + i] = q0[b.q + i] + way[i]);
        }
    }

    /// Derivative of [`FreeBodies::advance`] where positions have no velocity of their own: `f(dof, δq₁, δv₁)` in the coordinates of v for changes `[δq₀, δv, δw]`.
    ///
    /// A change of R₀ by exp(δθ) turns the velocity of the centre of mass and arms by R₀ δθ × …, where the spin in body axes stays.
    pub(crate) fn advance_tangent(
        &self,
        q0: &[f64],
        v: &[f64],
        [dq, dv, d_lag]: [&[f64]; 3],
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
            let d_way = dt * (d_centre - three(d_lag, b.v)) + r0 * d_theta0.cross(&b.com)
                - r1 * d_theta1.cross(&b.com);
            for i in 0..3 {
                f(b.v + i, dq[b.v + i] + d_way[i], d_velocity[i]);
                f(b.v + 3 + i, d_theta1[i], d_spin1[i]);
            }
        }
    }
}
