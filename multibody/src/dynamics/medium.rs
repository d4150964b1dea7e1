//! Forces of a medium in generalised coordinates.

use signorini_core::na::Point3;

use crate::model::medium::Part;
use crate::{Kinematics, Model};

impl Model {
    /// Whether a medium acts on bodies.
    pub fn has_medium(&self) -> bool {
        self.medium.is_some()
    }

    /// tau += forces of the medium. `kin` holds positions and velocities.
    pub fn add_medium_forces(&self, kin: &Kinematics, tau: &mut [f64]) {
        let Some(m) = &self.medium else { return };
        for (b, part) in m.parts.iter().filter(|(b, _)| self.bodies[*b].tree.is_some()) {
            let at = &kin.x_wb[*b];
            let (centre, axes) = match part {
                Part::Box { axes, .. } => (kin.com(self, *b), at.rotation * axes),
                Part::Ellipsoid { pose, .. } => {
                    let x = at * pose;
                    (Point3::from(x.translation.vector), x.rotation)
                }
            };
            let v = axes.inverse_transform_vector(&(kin.point_velocity(self, *b, &centre) - m.wind));
            let w = axes.inverse_transform_vector(&kin.twist[*b].angular);
            let [force, torque] = part.wrench(m, v, w).map(|x| axes * x);
            kin.for_columns(self, *b, &centre, |i, linear, angular| {
                tau[i] += linear.dot(&force) + angular.dot(&torque);
            });
        }
    }
}
