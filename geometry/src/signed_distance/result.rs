use signorini_core::na::Vector3;

/// Place of a point with respect to the surface of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// Distance to the surface \[m\], negative inside.
    pub distance: f64,
    /// Gradient of the distance: the outward unit normal at the nearest point of the surface.
    pub normal: Vector3<f64>,
}
