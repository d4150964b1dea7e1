//! Numbers and turns that arm, rack and dishes share.

use signorini_core::na::{UnitQuaternion, Vector3};

/// Friction coefficient of dishes, rack and sink.
pub(crate) const FRICTION: f64 = 0.35;

/// Rotation about an axis.
pub(super) fn turn(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis * angle)
}
