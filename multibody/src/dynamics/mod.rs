//! Mass matrix, bias and passive forces at one state.

pub(crate) mod factor;
pub(crate) mod free_bodies;
pub(crate) mod free_forces;
pub(crate) mod free_rotation;
pub(crate) mod free_trees;
pub(crate) mod held_trees;
pub(crate) mod medium;
pub(crate) mod passive;
pub(crate) mod reference_mass;

use signorini_core::na::{Point3, Vector3};

use crate::kinematics::tendon::{add_moment, second_rate};
use crate::{Kinematics, Model, ModelError, Spatial, SpatialInertia, TreeFactor};

/// Scratch space of the recursive algorithms; no allocation after construction.
#[derive(Clone, Debug)]
pub struct Dynamics {
    composite: Vec<SpatialInertia>,
    acceleration: Vec<Spatial>,
    force: Vec<Spatial>,
    bias: Vec<f64>,
    /// Tendons with armature, and the moment arms of each, nv.
    inert: Vec<(usize, Vec<f64>)>,
}

/// Momentum of the whole model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentumReport {
    /// Total mass \[kg\].
    pub mass: f64,
    /// Centre of mass, world \[m\].
    pub com: Point3<f64>,
    /// Velocity of the centre of mass \[m/s\].
    pub com_velocity: Vector3<f64>,
    /// Angular momentum about the centre of mass \[kg·m²/s\].
    pub angular: Vector3<f64>,
}

impl Dynamics {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let nb = model.bodies.len();
        Self {
            composite: vec![SpatialInertia::default(); nb],
            acceleration: vec![Spatial::default(); nb],
            force: vec![Spatial::default(); nb],
            bias: vec![0.0; model.nv()],
            inert: (0..model.tendons.len())
                .filter(|t| model.tendons[*t].armature > 0.0)
                .map(|t| (t, vec![0.0; model.nv()]))
                .collect(),
        }
    }

    /// Mass matrix by the composite-rigid-body algorithm: `write(i, j, M_ij)` for every pair i ≥ j of degrees of freedom on one path to
    /// the root; all other entries are zero. Armature is included, that of joints and, within chains, that of tendons.
    pub fn mass_matrix(&mut self, model: &Model, kin: &Kinematics, mut write: impl FnMut(usize, usize, f64)) {
        self.composite_inertias(model, kin);
        for i in 0..model.nv() {
            self.mass_row(model, kin, i, |j, m| write(i, j, m));
        }
    }

    /// Inertia of each body with all that hangs on it.
    pub(crate) fn composite_inertias(&mut self, model: &Model, kin: &Kinematics) {
        self.set_arms(model, kin, None);
        self.composite.copy_from_slice(&kin.inertia);
        self.gather_inertias(model, (1..model.bodies.len()).rev());
    }

    /// The same for one tree, with its bodies and the tendons within it.
    pub(crate) fn composite_inertias_of(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        (tree, bodies): (usize, &[usize]),
    ) {
        self.set_arms(model, kin, Some(tree));
        bodies.iter().for_each(|b| self.composite[*b] = kin.inertia[*b]);
        self.gather_inertias(model, bodies.iter().rev().copied());
    }

    /// Adds the inertia of each body to that of its parent in the tree, from the leaves on.
    fn gather_inertias(&mut self, model: &Model, bodies: impl Iterator<Item = usize>) {
        for b in bodies {
            let p = model.bodies[b].parent;
            if model.bodies[b].tree.is_some() && model.bodies[b].tree == model.bodies[p].tree {
                let c = self.composite[b];
                self.composite[p] += c;
            }
        }
    }

    /// Moment arms of tendons with armature, or of those within one tree alone.
    fn set_arms(&mut self, model: &Model, kin: &Kinematics, within: Option<usize>) {
        for (tendon, arms) in self.inert.iter_mut().filter(|(t, _)| is_within(model, *t, within)) {
            arms.fill(0.0);
            add_moment(model, kin, *tendon, arms);
        }
    }

    /// Σ m r_i r_j over tendons with armature m and moment arms r.
    fn inertia_of_tendons(&self, model: &Model, i: usize, j: usize) -> f64 {
        self.inert.iter().map(|(t, arms)| model.tendons[*t].armature * arms[i] * arms[j]).sum()
    }

    /// The bias of one tree, with its bodies, by [`Dynamics::inverse_dynamics`].
    pub(crate) fn bias_of(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        (tree, bodies): (usize, &[usize]),
        tau: &mut [f64],
    ) {
        let lift = Spatial::new(Vector3::zeros(), -model.gravity);
        let within = |b: usize| model.bodies[model.bodies[b].parent].tree == model.bodies[b].tree;
        for &b in bodies {
            let from = if within(b) { self.acceleration[model.bodies[b].parent] } else { lift };
            let a = from + kin.drift[b];
            self.acceleration[b] = a;
            let inertia = &kin.inertia[b];
            self.force[b] = inertia.apply(&a) + kin.twist[b].cross_force(&inertia.apply(&kin.twist[b]));
        }
        self.gather_forces(model, kin, bodies.iter().rev().copied(), tau);
        if !self.inert.is_empty() {
            let still = model.bodies.iter().zip(&mut self.acceleration).filter(|(b, _)| b.tree.is_none());
            still.for_each(|(_, a)| *a = lift);
            self.add_bias_of_tendons(model, kin, None, Some(tree), tau);
        }
    }

    /// Forces of the degrees of freedom from those of the bodies, which are added to that of the parent in the tree, from the leaves on.
    fn gather_forces(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        bodies: impl Iterator<Item = usize>,
        tau: &mut [f64],
    ) {
        for b in bodies {
            let body = &model.bodies[b];
            for i in model.dofs_of(body) {
                tau[i] = kin.axes[i].dot(&self.force[b]);
            }
            if body.tree.is_some() && model.bodies[body.parent].tree == body.tree {
                let f = self.force[b];
                self.force[body.parent] += f;
            }
        }
    }

    /// `write(j, M_ij)` for j from i to the root; composite inertias first.
    #[inline]
    pub(crate) fn mass_row(
        &self,
        model: &Model,
        kin: &Kinematics,
        i: usize,
        mut write: impl FnMut(usize, f64),
    ) {
        let dof = &model.dofs[i];
        let f = self.composite[dof.body].apply(&kin.axes[i]);
        write(i, kin.axes[i].dot(&f) + dof.armature + self.inertia_of_tendons(model, i, i));
        let mut next = dof.parent;
        while let Some(j) = next {
            write(j, kin.axes[j].dot(&f) + self.inertia_of_tendons(model, i, j));
            next = model.dofs[j].parent;
        }
    }

    /// Inverse dynamics by the recursive Newton–Euler algorithm: τ with M v̇ + c = τ, without armature, passive or applied forces.
    /// `acceleration` is v̇ (None: zero, so that τ is the bias of Coriolis, centrifugal and gravity terms). The armature m of a tendon with
    /// moment arms r adds the bias m r ṙ·v.
    pub fn inverse_dynamics(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        gravity: &Vector3<f64>,
        acceleration: Option<&[f64]>,
        tau: &mut [f64],
    ) {
        let lift = Spatial::new(Vector3::zeros(), -gravity);
        for (b, body) in model.bodies.iter().enumerate() {
            if body.tree.is_none() {
                self.acceleration[b] = lift;
                self.force[b] = Spatial::default();
                continue;
            }
            let mut a = self.acceleration[body.parent] + kin.drift[b];
            if let Some(acc) = acceleration {
                for joint in &model.joints[body.joints.clone()] {
                    for i in joint.v..joint.v + joint.kind.nv() {
                        a += kin.axes[i] * acc[i];
                    }
                }
            }
            self.acceleration[b] = a;
            let inertia = &kin.inertia[b];
            let momentum = inertia.apply(&kin.twist[b]);
            self.force[b] = inertia.apply(&a) + kin.twist[b].cross_force(&momentum);
        }
        self.gather_forces(model, kin, (1..model.bodies.len()).rev(), tau);
        if !self.inert.is_empty() {
            self.add_bias_of_tendons(model, kin, acceleration, None, tau);
        }
    }

    /// τ += m r ṙ·v of tendons with armature, of all or those within one tree, where ṙ·v = l̈ − r·v̇.
    fn add_bias_of_tendons(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        acceleration: Option<&[f64]>,
        within: Option<usize>,
        tau: &mut [f64],
    ) {
        self.set_arms(model, kin, within);
        let of_point = |body: usize, p: &Point3<f64>| {
            let (r, twist) = (p - kin.reference(model, body), &kin.twist[body]);
            self.acceleration[body].at(&r) + twist.angular.cross(&twist.at(&r))
        };
        let bends = |t: usize| model.tendons[t].is_spatial() && is_within(model, t, within);
        for (t, arms) in self.inert.iter().filter(|(t, _)| bends(*t)) {
            let of_joints = acceleration.map_or(0.0, |a| a.iter().zip(arms).map(|(a, r)| a * r).sum());
            let drift = second_rate(model, kin, *t, of_point) - of_joints;
            let force = model.tendons[*t].armature * drift;
            tau.iter_mut().zip(arms).for_each(|(tau, r)| *tau += r * force);
        }
    }

    /// v̇ = M⁻¹ (τ − c) with armature in M; `tau` (all applied forces, nv) becomes v̇. `kin` holds positions and velocities.
    ///
    /// # Errors
    /// [`ModelError::SingularMass`].
    pub fn forward_dynamics(
        &mut self,
        model: &Model,
        kin: &Kinematics,
        gravity: &Vector3<f64>,
        factor: &mut TreeFactor,
        tau: &mut [f64],
    ) -> Result<(), ModelError> {
        let mut bias = std::mem::take(&mut self.bias);
        self.inverse_dynamics(model, kin, gravity, None, &mut bias);
        for (t, c) in tau.iter_mut().zip(&bias) {
            *t -= c;
        }
        self.bias = bias;
        self.mass_matrix(model, kin, |i, j, m| factor.set(i, j, m));
        factor.factor().map_err(|i| ModelError::SingularMass {
            joint: model.joints[model.dofs[i].joint].name.clone(),
        })?;
        factor.solve_in_place(tau);
        Ok(())
    }

    /// After [`Dynamics::inverse_dynamics`]: spatial acceleration of a body minus gravity, about the reference point of its tree.
    pub fn body_acceleration(&self, body: usize) -> Spatial {
        self.acceleration[body]
    }

    /// Kinetic energy of the bodies, armature aside \[J\].
    pub fn kinetic_energy(model: &Model, kin: &Kinematics) -> f64 {
        (0..model.bodies.len())
            .filter(|&b| model.bodies[b].tree.is_some())
            .map(|b| 0.5 * kin.twist[b].dot(&kin.inertia[b].apply(&kin.twist[b])))
            .sum()
    }

    /// Potential energy of gravity −Σ m g·x_com \[J\], zero at the world origin.
    pub fn gravity_energy(model: &Model, kin: &Kinematics, gravity: &Vector3<f64>) -> f64 {
        (0..model.bodies.len()).map(|b| -model.bodies[b].mass * gravity.dot(&kin.com(model, b).coords)).sum()
    }

    /// Momentum of the whole model.
    pub fn momentum(model: &Model, kin: &Kinematics) -> MomentumReport {
        let mut r = MomentumReport {
            mass: model.total_mass(),
            com: Point3::origin(),
            com_velocity: Vector3::zeros(),
            angular: Vector3::zeros(),
        };
        if r.mass <= 0.0 {
            return r;
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let com = kin.com(model, b);
            r.com += com.coords * (body.mass / r.mass);
            r.com_velocity += kin.point_velocity(model, b, &com) * (body.mass / r.mass);
        }
        for (b, body) in model.bodies.iter().enumerate() {
            let com = kin.com(model, b);
            let v = kin.point_velocity(model, b, &com);
            r.angular += body.mass * (com - r.com).cross(&v);
            r.angular += kin.world_inertia(model, b) * kin.twist[b].angular;
        }
        r
    }
}

/// Whether a tendon touches one tree alone, where one is asked for.
fn is_within(model: &Model, tendon: usize, tree: Option<usize>) -> bool {
    tree.is_none_or(|tree| model.tendons[tendon].trees == [tree])
}
