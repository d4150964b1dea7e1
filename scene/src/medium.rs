use signorini_core::na::{UnitQuaternion, Vector3};

use crate::{BodyId, Place, Pose};

/// A fluid that fills the world and acts on all moving bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Medium {
    /// Density \[kg/m³\], ≥ 0.
    pub density: f64,
    /// Dynamic viscosity \[Pa·s\], ≥ 0.
    pub viscosity: f64,
    /// Velocity, world axes \[m/s\], 3.
    pub wind: Vector3<f64>,
    /// Geoms that feel it as ellipsoids. A body with none of them feels it as the box of its inertia.
    pub ellipsoids: Vec<FluidEllipsoid>,
    /// Axes of the box of a body's inertia in the body frame, where they are not to be found from the inertia alone.
    pub axes: Vec<(BodyId, UnitQuaternion<f64>)>,
    /// Place in the model file.
    pub place: Place,
}

/// A geom that a medium acts on as on an ellipsoid.
#[derive(Clone, Debug, PartialEq)]
pub struct FluidEllipsoid {
    /// Index of the geom.
    pub geom: usize,
    /// Coefficients of drag of blunt and slender parts, of angular drag, of Kutta lift and of Magnus lift \[–\].
    pub coefficients: [f64; 5],
    /// Pose in the geom's frame and half axes \[m\] where they are not those of the geom's shape: those of a mesh.
    pub fitted: Option<(Pose, Vector3<f64>)>,
}

impl Medium {
    /// Whether there is one.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }
}
