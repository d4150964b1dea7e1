use crate::{ActuatorModel, Model, TendonModel};

/// By tree: forces act on it that change with its motion within a step, those of dampers of joints aside. Springs, dry friction, equalities, tendons, muscles, servos and a medium are such.
pub(crate) fn held_trees(model: &Model) -> Vec<bool> {
    let mut held = vec![model.has_medium(); model.trees.len()];
    let mut hold = |trees: &[usize]| trees.iter().for_each(|t| held[*t] = true);
    for of in &model.dofs {
        if model.joints[of.joint].dry_friction > 0.0 || of.stiffness > 0.0 {
            hold(&[of.tree]);
        }
    }
    let compensated = model.joints.iter().filter(|j| j.actuator_gravity_compensation);
    compensated.for_each(|j| hold(&[model.dofs[j.v].tree]));
    model.equalities.iter().for_each(|e| hold(&e.trees));
    let acts =
        |t: &&TendonModel| t.stiffness > 0.0 || t.damping > 0.0 || t.dry_friction > 0.0 || t.armature > 0.0;
    model.tendons.iter().filter(acts).for_each(|t| hold(&t.trees));
    let varies = |a: &&ActuatorModel| {
        a.shares_limit || a.muscle.is_some() || [a.gain[1], a.gain[2], a.bias[1], a.bias[2]] != [0.0; 4]
    };
    model.actuators.iter().filter(varies).for_each(|a| hold(&a.trees));
    held
}
