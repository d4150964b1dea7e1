use signorini_core::na::{UnitQuaternion, Vector3};

use crate::{BodyId, Place};

/// A fluid that fills the world and acts on all moving bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Medium {
    /// Density \[kg/m³\], ≥ 0.
    pub density: f64,
    /// Dynamic viscosity \[Pa·s\], ≥ 0.
    pub viscosity: f64,
    /// Velocity, world axes \[m/s\], 3.
    pub wind: Vector3<f64>,
    /// Geoms that feel it as the ellipsoids of their sizes, with the coefficients of drag of blunt and slender parts, of angular drag, of Kutta lift
    /// and of Magnus lift \[–\]. A body with none of them feels it as the box of its inertia.
    pub ellipsoids: Vec<(usize, [f64; 5])>,
    /// Axes of the box of a body's inertia in the body frame, where the model states them.
    pub axes: Vec<(BodyId, UnitQuaternion<f64>)>,
    /// Place in the model file.
    pub place: Place,
}

impl Medium {
    /// Whether there is one.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }
}
