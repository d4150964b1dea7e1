use signorini_core::{BlockDiagonal, ProblemError};

use crate::Model;
use crate::actuation::free_motion::FreeMotion;
use crate::actuation::gains::for_drives;
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;

/// Changes of velocity that motors, springs, applied forces and force fields may make within a step, for the contacts that they may lead to: an estimate without contact.
///
/// ```text
/// A' Δv = h (τ + τ_f − c + f − h K v₀ − D v₀) + Σ_i r_i h f_i(v₀),   A' = M + h D + h² K + Σ_i h K_i r_i r_iᵀ
/// ```
/// τ_f are the forces of a field, f those of springs and dampers of joints as in [`FreeMotion`], f_i is the force of a motor or tendon, within its limits, and K_i its gain where it is between them: one Newton step of the joints without contact, equalities and dry friction, blocks of
/// tendons between trees left out. Where joints are solved before contacts, it is the result of that solve. Trees that nothing drives have Δv = 0: gravity is looked ahead to elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    /// Trees with a motor or a spring.
    always: Vec<bool>,
    /// Trees that equalities and tendons tie together, by the first of them.
    group: Vec<usize>,
    /// Trees that are driven now.
    pub trees: Vec<bool>,
    /// Δv, nv.
    pub change: Vec<f64>,
    /// A', where a tree is driven.
    inertia: BlockDiagonal,
}

impl Drive {
    pub(crate) fn new(model: &Model, mass: &BlockDiagonal) -> Self {
        let mut always = vec![false; model.trees.len()];
        let motors = model.actuators.iter().flat_map(|a| &a.dofs);
        let tendons = model.tendons.iter().filter(|t| t.pulls());
        let joints = (0..model.nv()).filter(|d| model.dofs[*d].spring.acts());
        for dof in motors.chain(tendons.flat_map(|t| &t.dofs)).copied().chain(joints) {
            always[model.dofs[dof].tree] = true;
        }
        let mut group: Vec<usize> = (0..always.len()).collect();
        let of_tendon = |dofs: &[usize]| dofs.iter().map(|d| model.dofs[*d].tree).collect();
        let tendons = model.tendons.iter().map(|t| of_tendon(&t.dofs));
        let motors = model.actuators.iter().map(|a| of_tendon(&a.dofs));
        for tied in model.equalities.iter().map(|e| e.trees.clone()).chain(tendons).chain(motors) {
            let Some(first) = tied.iter().map(|t| group[*t]).min() else { continue };
            let old: Vec<usize> = tied.iter().map(|t| group[*t]).collect();
            group.iter_mut().filter(|g| old.contains(g)).for_each(|g| *g = first);
        }
        let trees = vec![false; always.len()];
        Self { always, group, trees, change: vec![0.0; model.nv()], inertia: mass.clone() }
    }

    /// Nothing is driven.
    pub(crate) fn is_idle(&self) -> bool {
        !self.trees.contains(&true)
    }

    /// Finds which trees are driven; `field` has the forces of a field, nv.
    pub(crate) fn begin(&mut self, i: &Inputs<'_>, field: &[f64]) -> &Self {
        self.change.fill(0.0);
        for (t, tree) in i.model.trees.iter().enumerate() {
            let pushes = |force: &[f64]| force[tree.dofs.clone()].iter().any(|f| *f != 0.0);
            self.trees[t] = self.always[t] || pushes(&i.held.applied) || pushes(field);
        }
        // A driven tree drives all that it is tied to: first the group, then its members.
        for t in 0..self.group.len() {
            let first = self.group[t];
            self.trees[first] |= self.trees[t];
        }
        for t in 0..self.group.len() {
            self.trees[t] |= self.trees[self.group[t]];
        }
        self
    }

    /// Takes Δv of driven trees from the velocity without contact, where that has motors in it.
    pub(crate) fn take(&mut self, model: &Model, free: &[f64], v0: &[f64]) {
        for (tree, _) in model.trees.iter().zip(&self.trees).filter(|(_, driven)| **driven) {
            tree.dofs.clone().for_each(|dof| self.change[dof] = free[dof] - v0[dof]);
        }
    }

    /// Finds Δv over a step of `dt` from the forces at x₀.
    pub(crate) fn predict(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let model = i.model;
        let (x0, FreeMotion { mass, force, field, passive, slopes, .. }) = (&at.x0, motion);
        for (t, tree) in model.trees.iter().enumerate().filter(|(t, _)| self.trees[*t]) {
            let (block, n) = (self.inertia.block_mut(t), tree.dofs.len());
            block.copy_from_slice(mass.block(t));
            for (k, dof) in tree.dofs.clone().enumerate() {
                let [stiffness, damping] = slopes[dof];
                block[k * n + k] += dt * (damping + dt * stiffness);
                self.change[dof] =
                    dt * (force[dof] + field[dof] + passive[dof] - (dt * stiffness + damping) * x0.v[dof]);
            }
        }
        let Self { trees, change, inertia, .. } = self;
        for_drives(i, at, dt, |row, force, gain| {
            row.add_scaled(dt * force, change);
            let tree = row.dofs.first().map_or(0, |d| model.dofs[*d].tree);
            let (from, n) = (model.trees[tree].dofs.start, model.trees[tree].dofs.len());
            let within = |d: usize| (from..from + n).contains(&d);
            if gain == 0.0 || !trees[tree] || row.dofs.last().is_some_and(|d| !within(*d)) {
                return;
            }
            let block = inertia.block_mut(tree);
            for (a, x) in row.iter() {
                for (b, y) in row.iter() {
                    block[(a - from) * n + b - from] += dt * gain * x * y;
                }
            }
        });
        for (t, tree) in model.trees.iter().enumerate().filter(|(t, _)| trees[*t]) {
            inertia.factor_block(t)?;
            inertia.solve_block(t, &mut change[tree.dofs.clone()]);
        }
        Ok(())
    }
}
