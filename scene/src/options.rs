use signorini_core::na::Vector3;

use crate::{BothRigid, CombinationRule, ContactDefaults, Medium};

/// Parts of the physics that act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// Contacts.
    pub contact: bool,
    /// Joint and tendon limits.
    pub limits: bool,
    /// Equality constraints.
    pub equality: bool,
    /// Dry friction of joints and tendons.
    pub dry_friction: bool,
    /// Springs of joints and tendons.
    pub springs: bool,
    /// Dampers of joints and tendons.
    pub dampers: bool,
    /// Gravity.
    pub gravity: bool,
    /// Actuators.
    pub actuation: bool,
    /// Controls are clamped to their ranges.
    pub clamp_control: bool,
    /// A body does not collide with its parent (a parent welded to the world excepted).
    pub filter_parent: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            contact: true,
            limits: true,
            equality: true,
            dry_friction: true,
            springs: true,
            dampers: true,
            gravity: true,
            actuation: true,
            clamp_control: true,
            filter_parent: true,
        }
    }
}

/// Settings of limits and equalities that are as rigid as a step allows; SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintDefaults {
    /// Largest speed at which a violation is undone \[m/s or rad/s\].
    pub recovery_speed: f64,
    /// Step below which their stiffness does not grow \[s\].
    pub shortest_step: f64,
}

impl Default for ConstraintDefaults {
    fn default() -> Self {
        Self { recovery_speed: 1.0, shortest_step: 1e-4 }
    }
}

/// Settings of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Gravity \[m/s²\], 3.
    pub gravity: Vector3<f64>,
    /// Magnetic field, world axes, for magnetometers; MuJoCo's unit is free.
    pub magnetic_field: Vector3<f64>,
    /// Fluid around bodies.
    pub medium: Medium,
    /// Step size the file suggests \[s\].
    pub suggested_dt: Option<f64>,
    /// Parts of the physics that act.
    pub switches: Switches,
    /// Groups of actuators that make no force (MJCF `actuatorgroupdisable`).
    pub disabled_actuator_groups: Vec<i64>,
    /// Rule that combines surfaces; set by the file's dialect unless the user says otherwise.
    pub combination: CombinationRule,
    /// Contact parameters of surfaces that state none.
    pub contact: ContactDefaults,
    /// Pairs of surfaces that are both rigid in contact over areas.
    pub both_rigid: BothRigid,
    /// Limits and equalities that are as rigid as a step allows.
    pub constraints: ConstraintDefaults,
    /// MuJoCo's ratio of frictional to normal impedance, for the laws that use it.
    pub impedance_ratio: f64,
    /// Settings of MuJoCo's engine that no solver here reads, as (name, value) in the order of the file, flags as `flag name`: for faces that promise MuJoCo's
    /// meaning and must refuse settings that they cannot keep.
    pub unused: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            gravity: Vector3::new(0.0, 0.0, -9.81),
            magnetic_field: Vector3::new(0.0, -0.5, 0.0),
            medium: Medium::default(),
            suggested_dt: None,
            switches: Switches::default(),
            disabled_actuator_groups: Vec::new(),
            combination: CombinationRule::default(),
            contact: ContactDefaults::default(),
            both_rigid: BothRigid::default(),
            constraints: ConstraintDefaults::default(),
            impedance_ratio: 1.0,
            unused: Vec::new(),
        }
    }
}
