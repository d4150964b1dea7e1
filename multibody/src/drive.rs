use signorini_core::{BlockDiagonal, ProblemError, State};

use crate::prepared::Inputs;
use crate::rows::JointRows;
use crate::{ActuatorState, Model, TendonState};

/// What motors, springs and applied forces may do to velocities within a step, for the contacts that they may make: an estimate without contact.
///
/// ```text
/// Δv = M⁻¹ [h (τ − c − K (q₀ − q_rest)) + Σ_i r_i h f_i],   f_i = clamp((b_i − K_i r_i·v₀)/(1 + h K_i w_i)),   w_i = Σ_j r_ij²/M_jj
/// ```
/// w_i is at most the inverse mass of row i, so that f_i is no smaller than what the implicit motor or spring does alone. Trees that nothing drives have Δv = 0: gravity is looked
/// ahead to elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    /// Trees with a motor or a spring.
    always: Vec<bool>,
    /// Trees that are driven now.
    pub trees: Vec<bool>,
    /// Δv, nv.
    pub change: Vec<f64>,
    /// M_jj with the damping of the joint.
    diagonal: Vec<f64>,
}

impl Drive {
    pub(crate) fn new(model: &Model) -> Self {
        let mut always = vec![false; model.trees.len()];
        let motors = model.actuators.iter().flat_map(|a| &a.dofs);
        let springs =
            model.tendons.iter().filter(|t| t.stiffness > 0.0 || t.damping > 0.0).flat_map(|t| &t.dofs);
        let joints = (0..model.nv()).filter(|d| model.joints[model.dofs[*d].joint].stiffness > 0.0);
        for dof in motors.chain(springs).copied().chain(joints) {
            always[model.dofs[dof].tree] = true;
        }
        let trees = vec![false; always.len()];
        Self { always, trees, change: vec![0.0; model.nv()], diagonal: vec![0.0; model.nv()] }
    }

    /// Nothing is driven.
    pub(crate) fn is_idle(&self) -> bool {
        !self.trees.contains(&true)
    }

    /// Finds Δv over a step of `dt` from what acts at x₀; `force` is τ − c and `spring` the displacements of joint springs. Blocks of M that are needed are factored.
    pub(crate) fn predict(
        &mut self,
        i: &Inputs<'_>,
        (tendons, actuators, x0): (&TendonState, &ActuatorState, &State),
        (force, spring): (&[f64], &[f64]),
        (mass, factored): (&mut BlockDiagonal, impl Fn(usize) -> bool),
        dt: f64,
    ) -> Result<(), ProblemError> {
        let model = i.model;
        self.change.fill(0.0);
        for (t, tree) in model.trees.iter().enumerate() {
            let pushed = i.applied[tree.dofs.clone()].iter().any(|f| *f != 0.0);
            self.trees[t] = self.always[t] || pushed;
            if !self.trees[t] {
                continue;
            }
            let (block, n) = (mass.block(t), tree.dofs.len());
            for (k, dof) in tree.dofs.clone().enumerate() {
                let stiffness = model.joints[model.dofs[dof].joint].stiffness;
                self.change[dof] = dt * (force[dof] - stiffness * spring[dof]);
                self.diagonal[dof] = block[k * n + k] + dt * (model.dofs[dof].damping + dt * stiffness);
            }
        }
        if self.is_idle() {
            return Ok(());
        }
        JointRows::add_drive(i, (tendons, actuators, x0), &self.diagonal, dt, &mut self.change);
        for (t, tree) in model.trees.iter().enumerate().filter(|(t, _)| self.trees[*t]) {
            if !factored(t) {
                mass.factor_block(t)?;
            }
            mass.solve_block(t, &mut self.change[tree.dofs.clone()]);
        }
        Ok(())
    }
}
