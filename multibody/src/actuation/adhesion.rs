use signorini_core::ContactGeometry;
use signorini_scene::Transmission;

use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::model::actuator::clamp;

/// Adds the forces of adhesive actuators to `force`, nv: the force of such an actuator is shared by the contacts of its body that touch, and pulls
/// both sides of each together along the normal.
pub(crate) fn add_adhesion(
    i: &Inputs<'_>,
    at: &StateKinematics,
    contacts: &[ContactGeometry],
    dt: f64,
    force: &mut [f64],
) {
    if !i.settings.actuation {
        return;
    }
    for (a, actuator) in i.model.actuators.iter().enumerate() {
        let Transmission::Body(body) = actuator.transmission else { continue };
        let touches = |c: &&ContactGeometry| c.gap <= 0.0 && c.bodies.contains(&(body as u32));
        let count = contacts.iter().filter(touches).count();
        let law = actuator.law(0.0, 0.0, actuator.input(&at.x0.z, i.held.control[a], dt));
        let pull = clamp(law.force, actuator.force_range) / count as f64;
        for c in contacts.iter().filter(touches) {
            let normal = c.r_wc.column(0);
            // The normal points from the first side into the second.
            for (side, pull) in [(0, pull), (1, -pull)] {
                at.kin.for_columns(
                    i.model,
                    c.bodies[side] as usize,
                    &(c.p_wc + c.arms[side]),
                    |dof, linear, _| {
                        force[dof] += pull * normal.dot(&linear);
                    },
                );
            }
        }
    }
}
