use signorini_core::na::Vector3;
use signorini_scene::{JointKind, Transmission};

use crate::model::actuator::clamp;
use crate::{ActuatorModel, ActuatorState, Kinematics, Model};

/// Input of all actuators.
#[derive(Clone, Copy, Debug)]
pub struct ActuatorInput<'a> {
    /// Activations, nz.
    pub z: &'a [f64],
    /// Controls, one per actuator.
    pub control: &'a [f64],
    /// Step that actuators which act early look ahead \[s\].
    pub dt: f64,
}

impl Model {
    /// z₁ = activations after `dt` \[s\] with controls held.
    pub fn advance_activations(&self, z0: &[f64], control: &[f64], dt: f64, z1: &mut [f64]) {
        if self.nz == 0 {
            return;
        }
        for (a, u) in self.actuators.iter().zip(control) {
            if let Some(i) = a.activation {
                z1[i] = a.next_activation(z0[i], *u, dt);
            }
        }
    }

    /// Forces of all actuators, clamped, and the generalised force that they make: force ranges first, then the limits of tendons on the
    /// sum of their actuators, then those of joints on all that acts there, with the gravity compensation that counts as actuation.
    ///
    /// `forces` has one entry per actuator, `tau` nv; both are overwritten.
    pub fn actuator_forces(
        &self,
        kin: &Kinematics,
        state: &ActuatorState,
        input: ActuatorInput<'_>,
        forces: &mut [f64],
        tau: &mut [f64],
    ) {
        let ActuatorInput { z, control, dt } = input;
        for (i, a) in self.actuators.iter().enumerate() {
            let law = a.law(state.length[i], state.rate[i], a.input(z, control[i], dt));
            forces[i] = clamp(law.force, a.force_range);
        }
        for (t, tendon) in self.tendons.iter().enumerate() {
            let Some([low, high]) = tendon.actuator_force_range else { continue };
            let on = |a: &ActuatorModel| a.transmission == Transmission::Tendon(t);
            let total: f64 = self.actuators.iter().zip(&*forces).filter(|(a, _)| on(a)).map(|(_, f)| f).sum();
            let scale = match total {
                x if x > high => high / x,
                x if x < low => low / x,
                _ => continue,
            };
            self.actuators.iter().zip(&mut *forces).filter(|(a, _)| on(a)).for_each(|(_, f)| *f *= scale);
        }
        tau.fill(0.0);
        for (i, f) in forces.iter().enumerate() {
            state.row(self, i).add_scaled(*f, tau);
        }
        self.add_gravity_compensation(kin, &self.gravity, true, tau);
        for j in &self.joints {
            if matches!(j.kind, JointKind::Hinge | JointKind::Slide) {
                tau[j.v] = clamp(tau[j.v], j.actuator_force_range);
            }
        }
    }

    /// Gravity compensation of joints that do not count it as actuation, added to `tau`.
    pub fn add_passive_gravity_compensation(&self, kin: &Kinematics, tau: &mut [f64]) {
        let g: Vector3<f64> = self.gravity;
        self.add_gravity_compensation(kin, &g, false, tau);
    }
}
