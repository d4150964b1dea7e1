//! Motors.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{Actuator, ActuatorDynamics, ActuatorForce, NoteKind, Transmission};

impl<T> Reader<'_, T> {
    /// A motor on a joint with one coordinate: its control is the effort at the joint \[N·m or N\], bounded by the joint's effort limit.
    pub(crate) fn push_motor(&mut self, e: &Element, stem: &str, joint: usize) {
        let mut unique = stem.to_owned();
        let mut count = 1;
        while self.scene.actuators.iter().any(|x| x.name == unique) {
            count += 1;
            unique = format!("{stem}_{count}");
        }
        if count > 1 {
            let text = format!("actuator name '{stem}' is used before: this one is '{unique}'");
            self.notes.add(NoteKind::Converted, e, text);
        }
        self.scene.actuators.push(Actuator {
            name: unique,
            transmission: Transmission::Joint(joint),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            dynamics: ActuatorDynamics::None,
            force: ActuatorForce { gain: [1.0, 0.0, 0.0], ..ActuatorForce::default() },
            control_range: None,
            force_range: self.scene.joints[joint].actuator_force_range,
            activation_range: None,
            act_early: false,
            place: e.place(),
        });
    }
}

/// Inertia J ρ² that a rotor of inertia J behind gears of ratio ρ (`drake:rotor_inertia`, `drake:gear_ratio`) adds to a joint; zero without a
/// rotor.
pub(crate) fn reflected_inertia(parent: &Element) -> Read<f64> {
    let (rotor, gear) = (drake_value(parent, "rotor_inertia")?, drake_value(parent, "gear_ratio")?);
    Ok(rotor.unwrap_or(0.0) * gear.unwrap_or(1.0).powi(2))
}

/// Value of an element of Drake.
fn drake_value(actuator: &Element, name: &str) -> Read<Option<f64>> {
    let Some(e) = actuator.only(name)? else { return Ok(None) };
    e.required("value")?;
    e.mark();
    e.nonnegative("value")
}
