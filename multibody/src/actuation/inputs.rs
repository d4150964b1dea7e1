use signorini_core::na::Vector3;
use signorini_scene::{ConstraintDefaults, Pose};

use crate::Model;
use crate::dynamics::free_bodies::FreeBodies;
use crate::dynamics::reference_mass::ReferenceMass;

/// Inputs that are held until they are set again.
pub(crate) struct Held {
    /// Poses of the mocap bodies.
    pub mocap: Vec<Pose>,
    /// Applied generalised forces \[N or N·m\], nv.
    pub applied: Vec<f64>,
    /// Controls, one per actuator.
    pub control: Vec<f64>,
}

/// Settings of a system that steps read.
pub(crate) struct Settings {
    /// Surface velocity of each geom, body axes \[m/s\].
    pub surface_velocity: Vec<Vector3<f64>>,
    pub stiction_speed: f64,
    pub constraints: ConstraintDefaults,
    pub reference: ReferenceMass,
    /// Bodies that carry their momentum through a step.
    pub free_bodies: FreeBodies,
    /// Limits act.
    pub limits: bool,
    /// Actuators act.
    pub actuation: bool,
    /// Contacts are looked for.
    pub contact: bool,
}

/// Everything that stays as it is while one state is prepared.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub model: &'a Model,
    pub held: &'a Held,
    pub settings: &'a Settings,
}
