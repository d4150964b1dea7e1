//! Forces of a medium in generalised coordinates.

use signorini_core::na::{Point3, Vector3};

use crate::model::medium::Part;
use crate::{Kinematics, Model};

impl Model {
    /// Whether a medium acts on bodies.
    pub fn has_medium(&self) -> bool {
        self.medium.is_some()
    }

    /// Whether that moves by itself.
    pub fn has_wind(&self) -> bool {
        self.medium.as_ref().is_some_and(|m| m.wind != Vector3::zeros())
    }

    /// tau += forces of the medium. `kin` holds positions and velocities.
    pub fn add_medium_forces(&self, kin: &Kinematics, tau: &mut [f64]) {
        self.add_medium_forces_on(kin, |tree| tree.is_some(), tau);
    }

    /// The same on bodies of some trees alone.
    pub(crate) fn add_medium_forces_on(
        &self,
        kin: &Kinematics,
        on: impl Fn(Option<usize>) -> bool,
        tau: &mut [f64],
    ) {
        let Some(m) = &self.medium else { return };
        for (b, part) in m.parts.iter().filter(|(b, _)| on(self.bodies[*b].tree)) {
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
