use signorini_core::na::Vector3;
use signorini_scene::Pose;

use crate::Model;
use crate::dynamics::reference_mass::ReferenceMass;

/// What stays the same while one state is prepared.
pub(crate) struct Inputs<'a> {
    pub model: &'a Model,
    pub mocap: &'a [Pose],
    pub applied: &'a [f64],
    pub control: &'a [f64],
    /// Surface velocity of each geom, body axes.
    pub surface_velocity: &'a [Vector3<f64>],
    pub stiction_speed: f64,
    pub reference: &'a ReferenceMass,
    pub limits: bool,
    /// Actuators act.
    pub actuation: bool,
}
