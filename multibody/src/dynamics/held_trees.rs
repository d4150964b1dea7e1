use crate::{ActuatorModel, Model, TendonModel};

/// By tree: forces act on it that change with its motion within a step and are not among [`FreeForces`](crate::dynamics::free_forces::FreeForces). Equalities, servos, muscles, tendons between trees and to mocap bodies, those with
/// dry friction, and compensation of weight that counts as a motor are such.
pub(crate) fn held_trees(model: &Model) -> Vec<bool> {
    let mut held = vec![false; model.trees.len()];
    let mut hold = |trees: &[usize]| trees.iter().for_each(|t| held[*t] = true);
    let compensated = model.joints.iter().filter(|j| j.actuator_gravity_compensation);
    compensated.for_each(|j| hold(&[model.dofs[j.v].tree]));
    model.equalities.iter().for_each(|e| hold(&e.trees));
    let carried = |t: &TendonModel| t.bodies().any(|b| model.is_carried(b));
    let beyond = |t: &&TendonModel| {
        let pulls = t.pulls() || t.armature > 0.0;
        t.dry_friction > 0.0 || (pulls && (t.trees.len() > 1 || carried(t)))
    };
    model.tendons.iter().filter(beyond).for_each(|t| hold(&t.trees));
    let varies = |a: &&ActuatorModel| {
        a.shares_limit || a.muscle.is_some() || [a.gain[1], a.gain[2], a.bias[1], a.bias[2]] != [0.0; 4]
    };
    model.actuators.iter().filter(varies).for_each(|a| hold(&a.trees));
    held
}
