use signorini_core::na::Vector3;
use signorini_scene::{SensorKind, SensorObject};

/// A measurement.
#[derive(Clone, Debug)]
pub struct SensorModel {
    /// Name.
    pub name: String,
    /// Quantity.
    pub kind: SensorKind,
    /// Object at which it is measured.
    pub object: SensorObject,
    /// Frame it is measured in; None: the world.
    pub reference: Option<SensorObject>,
    /// Readings are clamped to ± this; 0: not clamped.
    pub cutoff: f64,
    /// Magnetic field, world axes, for magnetometers.
    pub field: Vector3<f64>,
    /// First of its values in [`SensorScratch::values`](crate::SensorScratch::values).
    pub start: usize,
}
