use signorini_core::na::{Matrix3, Point3};

/// Mass, centre of mass and rotational inertia of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass in the body frame \[m\].
    pub com: Point3<f64>,
    /// Rotational inertia about the centre of mass, body axes \[kg·m²\], 3 × 3 symmetric.
    pub inertia: Matrix3<f64>,
}
