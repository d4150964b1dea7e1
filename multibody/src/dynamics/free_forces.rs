use std::ops::Range;

use crate::kinematics::tendon::add_length;
use crate::{Kinematics, Model};

/// Speed beside v_s from which dry friction counts as sliding, at its bound.
const SLIDES: f64 = 10.0;

/// Part of v_s below which a degree of freedom is still.
pub(crate) const STILL: f64 = 1e-6;

/// Forces on one tree that change with its motion, beyond the dampers of its joints: joint springs, dry friction that slides, at its bound, springs and dampers of tendons within it, weights that are compensated and a medium.
#[derive(Clone, Debug, Default)]
pub(crate) struct FreeForces {
    /// Joints with a spring.
    springs: Vec<usize>,
    friction: Vec<Friction>,
    /// First degree of freedom of the tree.
    first: usize,
    /// Tendons with a spring or a damper.
    tendons: Vec<usize>,
    /// Bodies whose weight is compensated.
    lifted: Vec<usize>,
    /// v_s \[m/s or rad/s\].
    pub stiction_speed: f64,
    /// Moment arms of a tendon.
    arms: Vec<f64>,
}

/// Dry friction of a degree of freedom.
#[derive(Clone, Debug)]
struct Friction {
    dof: usize,
    /// \[N or N·m\].
    force: f64,
    /// Sign of the speed, at the start of a step and where the flow is.
    start: f64,
    way: f64,
}

impl FreeForces {
    /// Of a tree with its bodies.
    pub(crate) fn of(model: &Model, tree: usize, bodies: &[usize], stiction_speed: f64) -> Self {
        let joints = || bodies.iter().flat_map(|b| model.bodies[*b].joints.clone());
        let dofs = model.trees[tree].dofs.clone();
        let first = dofs.start;
        let friction = |dof: usize| {
            let force = model.joints[model.dofs[dof].joint].dry_friction;
            (force > 0.0).then_some(Friction { dof, force, start: 1.0, way: 1.0 })
        };
        let acts = |t: &usize| {
            let t = &model.tendons[*t];
            t.trees == [tree] && t.pulls()
        };
        Self {
            springs: joints().filter(|j| model.joints[*j].spring.acts()).collect(),
            friction: dofs.filter_map(friction).collect(),
            first,
            tendons: (0..model.tendons.len()).filter(acts).collect(),
            lifted: bodies.iter().copied().filter(|b| model.bodies[*b].gravity_compensation != 0.0).collect(),
            stiction_speed,
            arms: vec![0.0; model.nv()],
        }
    }

    /// Largest rate \[1/s\] of springs and dampers about rest, by inverse masses of degrees of freedom and tendons.
    pub(crate) fn rate(&self, model: &Model, [dofs, tendons]: [&[f64]; 2]) -> f64 {
        let of_joints = self.springs.iter().flat_map(|j| {
            let j = &model.joints[*j];
            (j.v..j.v + j.kind.nv()).map(|dof| (j.spring.stiffness(0.0) * dofs[dof]).sqrt())
        });
        let of_tendons = self.tendons.iter().map(|i| {
            let t = &model.tendons[*i];
            (t.spring.stiffness(0.0) * tendons[*i]).sqrt().max(t.damper.damping(0.0) * tendons[*i])
        });
        of_joints.chain(of_tendons).fold(0.0, f64::max)
    }

    /// Whether all that dry friction acts on slides at one end of a step at least, from the velocities of both in the published step.
    pub(crate) fn slides(&self, [v0, v1]: [&[f64]; 2]) -> bool {
        let least = SLIDES * self.stiction_speed;
        self.friction.iter().all(|f| v0[f.dof].abs().max(v1[f.dof].abs()) >= least)
    }

    /// Lets dry friction act against the velocities at the start of a step, those of the end of the published step where one is still.
    pub(crate) fn slide(&mut self, [v0, v1]: [&[f64]; 2]) {
        let still = STILL * self.stiction_speed;
        for f in &mut self.friction {
            f.start = 1.0_f64.copysign(if v0[f.dof].abs() > still { v0[f.dof] } else { v1[f.dof] });
        }
    }

    /// Dry friction acts as at the start of the step again.
    pub(crate) fn begin(&mut self) {
        self.friction.iter_mut().for_each(|f| f.way = f.start);
    }

    /// The least speed of sliding in its way, negative where a degree of freedom has turned round, and which of the tree it is; infinite without dry friction.
    pub(crate) fn least(&self, v: &[f64]) -> (usize, f64) {
        let speeds = self.friction.iter().map(|f| (f.dof - self.first, f.way * v[f.dof - self.first]));
        speeds.fold((0, f64::INFINITY), |least, s| if s.1 < least.1 { s } else { least })
    }

    /// Turns the dry friction of a degree of freedom round; its new way.
    pub(crate) fn turn(&mut self, dof: usize) -> f64 {
        let of = self.friction.iter_mut().find(|f| f.dof == dof);
        of.map_or(0.0, |f| {
            f.way = -f.way;
            f.way
        })
    }

    /// Adds the forces on the tree, whose degrees of freedom are `dofs`, at positions and velocities `at`.
    pub(crate) fn add(
        &mut self,
        model: &Model,
        (tree, dofs): (usize, &Range<usize>),
        kin: &Kinematics,
        [q, v]: [&[f64]; 2],
        tau: &mut [f64],
    ) {
        self.springs.iter().for_each(|j| model.add_joint_spring(*j, q, tau));
        self.friction.iter().for_each(|f| tau[f.dof] -= f.force * f.way);
        for &t in &self.tendons {
            self.arms[dofs.clone()].fill(0.0);
            let length = add_length(model, kin, t, q, &mut self.arms);
            let tendon = &model.tendons[t];
            let rate: f64 = dofs.clone().map(|i| self.arms[i] * v[i]).sum();
            let force = tendon.spring_force(length) + tendon.damper.force(rate);
            dofs.clone().for_each(|i| tau[i] += self.arms[i] * force);
        }
        self.add_explicit(model, tree, kin, tau);
    }

    /// Adds those of them that published steps take as they are at the start of the step.
    pub(crate) fn add_explicit(&self, model: &Model, tree: usize, kin: &Kinematics, tau: &mut [f64]) {
        for &b in &self.lifted {
            let body = &model.bodies[b];
            let lift = -body.gravity_compensation * body.mass * model.gravity;
            kin.for_columns(model, b, &kin.com(model, b), |i, linear, _| tau[i] += linear.dot(&lift));
        }
        model.add_medium_forces_on(kin, |t| t == Some(tree), tau);
    }
}
