use signorini_core::na::Point3;
use signorini_scene::{EqualityKind, JointKind, Scene};

use crate::{EqualityModel, Model, ModelError};

impl Model {
    pub(crate) fn add_equalities(&mut self, scene: &Scene) -> Result<(), ModelError> {
        for e in &scene.equalities {
            let missing = |what: &str| {
                let message = format!("it names a {what} that does not exist");
                Err(ModelError::element(&e.place, message, "name elements of the scene"))
            };
            if !finite(&e.kind)
                || !e.stiffness.is_none_or(|k| k > 0.0 && k.is_finite())
                || e.damping.is_nan()
                || e.damping < 0.0
            {
                let message = "its numbers must be finite, its stiffness, length and torque scale positive, its damping not negative";
                return Err(ModelError::element(&e.place, message, "give finite numbers in range"));
            }
            let (nb, nj, nt) = (self.bodies.len(), self.joints.len(), self.tendons.len());
            let (rows, dofs) = match &e.kind {
                EqualityKind::Connect { body_a, body_b, .. }
                | EqualityKind::Weld { body_a, body_b, .. }
                | EqualityKind::Distance { body_a, body_b, .. } => {
                    if *body_a >= nb || *body_b >= nb {
                        return missing("body");
                    }
                    let rows = match &e.kind {
                        EqualityKind::Connect { .. } => 3,
                        EqualityKind::Weld { .. } => 6,
                        _ => 1,
                    };
                    (rows, self.support_union([*body_a, *body_b]))
                }
                EqualityKind::Joint { joint_1, joint_2, .. } => {
                    if *joint_1 >= nj || joint_2.is_some_and(|j| j >= nj) {
                        return missing("joint");
                    }
                    let joints = [Some(*joint_1), *joint_2];
                    let mut dofs = Vec::new();
                    for j in joints.into_iter().flatten().map(|j| &self.joints[j]) {
                        if !matches!(j.kind, JointKind::Hinge | JointKind::Slide) {
                            let message = format!("joint '{}' is neither a hinge nor a slide", j.name);
                            return Err(ModelError::element(
                                &e.place,
                                message,
                                "couple hinges and slides only",
                            ));
                        }
                        dofs.push(j.v);
                    }
                    dofs.sort_unstable();
                    (1, dofs)
                }
                EqualityKind::Tendon { tendon_1, tendon_2, .. } => {
                    if *tendon_1 >= nt || tendon_2.is_some_and(|t| t >= nt) {
                        return missing("tendon");
                    }
                    let tendons = [Some(*tendon_1), *tendon_2];
                    let mut dofs: Vec<usize> =
                        tendons.into_iter().flatten().flat_map(|t| self.tendons[t].dofs.clone()).collect();
                    dofs.sort_unstable();
                    dofs.dedup();
                    (1, dofs)
                }
            };
            self.equalities.push(EqualityModel {
                name: e.name.clone(),
                kind: e.kind.clone(),
                rows,
                active: e.active && scene.options.switches.equality,
                stiffness: e.stiffness,
                damping: e.damping,
                sol: e.sol,
                trees: self.trees_of(&dofs),
                dofs,
            });
        }
        Ok(())
    }
}

/// Whether all numbers of a kind are finite and in range.
fn finite(kind: &EqualityKind) -> bool {
    let points = |a: &Point3<f64>, b: &Point3<f64>| a.iter().chain(b.iter()).all(|x| x.is_finite());
    match kind {
        EqualityKind::Connect { anchor_a, anchor_b, .. } => points(anchor_a, anchor_b),
        EqualityKind::Weld { anchor_a, anchor_b, rotation, torque_scale, .. } => {
            points(anchor_a, anchor_b)
                && (rotation.norm() - 1.0).abs() < 1e-6
                && *torque_scale > 0.0
                && torque_scale.is_finite()
        }
        EqualityKind::Joint { polynomial, .. } | EqualityKind::Tendon { polynomial, .. } => {
            polynomial.iter().all(|x| x.is_finite())
        }
        EqualityKind::Distance { anchor_a, anchor_b, length, .. } => {
            points(anchor_a, anchor_b) && *length > 0.0 && length.is_finite()
        }
    }
}
