use std::f64::consts::PI;

use signorini_core::na::{Matrix3, Point3, Vector3};

use super::{MassError, MassProperties, MeshInertia, check_density};
use crate::Shape;

impl MassProperties {
    /// A solid shape at `density` \[kg/m³\], in the shape's frame; a surface mesh is weighed exactly, so it must be closed
    /// ([`MeshInertia::Exact`]; use [`Self::of_mesh`] for another way).
    ///
    /// # Errors
    /// [`MassError::NoVolume`] for a half-space or height field; [`MassError::Size`] for a size that is not positive;
    /// otherwise as [`Self::of_mesh`].
    pub fn of_shape(shape: &Shape, density: f64) -> Result<Self, MassError> {
        match shape {
            Shape::Sphere { radius } => Self::sphere(*radius, density),
            Shape::Box { half_extents } => Self::cuboid(half_extents, density),
            Shape::Capsule { radius, half_length } => Self::capsule(*radius, *half_length, density),
            Shape::Cylinder { radius, half_length } => Self::cylinder(*radius, *half_length, density),
            Shape::Ellipsoid { semi_axes } => Self::ellipsoid(semi_axes, density),
            Shape::HalfSpace => Err(MassError::NoVolume { shape: "half-space" }),
            Shape::HeightField(_) => Err(MassError::NoVolume { shape: "height field" }),
            Shape::Convex(hull) => Self::of_convex(hull, density),
            Shape::Mesh(mesh) => Self::of_mesh(mesh, density, MeshInertia::Exact),
        }
    }

    /// A ball about the origin: `radius` \[m\], `density` \[kg/m³\].
    ///
    /// # Errors
    /// [`MassError::Size`] or [`MassError::Density`] unless both are positive and finite.
    pub fn sphere(radius: f64, density: f64) -> Result<Self, MassError> {
        check("sphere", &[("radius", radius)])?;
        let i = 0.4 * radius * radius;
        centred(4.0 / 3.0 * PI * radius.powi(3), Vector3::repeat(i), density)
    }

    /// A cuboid about the origin: `half_extents` \[m\], 3; `density` \[kg/m³\].
    ///
    /// # Errors
    /// As [`Self::sphere`].
    pub fn cuboid(half_extents: &Vector3<f64>, density: f64) -> Result<Self, MassError> {
        let h = half_extents;
        check("box", &[("half extent x", h.x), ("half extent y", h.y), ("half extent z", h.z)])?;
        centred(8.0 * h.x * h.y * h.z, from_second_moments(&h.component_mul(h), 3.0), density)
    }

    /// A capsule along z: `radius` \[m\], `half_length` \[m\] without the caps, `density` \[kg/m³\].
    ///
    /// # Errors
    /// As [`Self::sphere`].
    pub fn capsule(radius: f64, half_length: f64, density: f64) -> Result<Self, MassError> {
        check("capsule", &[("radius", radius), ("half length", half_length)])?;
        let (r, h) = (radius, half_length);
        let cylinder = 2.0 * PI * r * r * h;
        let ball = 4.0 / 3.0 * PI * r.powi(3);
        let volume = cylinder + ball;
        let along = cylinder * r * r / 2.0 + ball * 0.4 * r * r;
        // each half ball has its centre of mass 3r/8 outside the cylinder's end
        let across = cylinder * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        centred(volume, Vector3::new(across, across, along) / volume, density)
    }

    /// A cylinder along z: `radius` and `half_length` \[m\], `density` \[kg/m³\].
    ///
    /// # Errors
    /// As [`Self::sphere`].
    pub fn cylinder(radius: f64, half_length: f64, density: f64) -> Result<Self, MassError> {
        check("cylinder", &[("radius", radius), ("half length", half_length)])?;
        let (r, h) = (radius, half_length);
        let across = r * r / 4.0 + h * h / 3.0;
        centred(2.0 * PI * r * r * h, Vector3::new(across, across, r * r / 2.0), density)
    }

    /// An ellipsoid about the origin: `semi_axes` \[m\], 3; `density` \[kg/m³\].
    ///
    /// # Errors
    /// As [`Self::sphere`].
    pub fn ellipsoid(semi_axes: &Vector3<f64>, density: f64) -> Result<Self, MassError> {
        let a = semi_axes;
        check("ellipsoid", &[("semi-axis x", a.x), ("semi-axis y", a.y), ("semi-axis z", a.z)])?;
        centred(4.0 / 3.0 * PI * a.x * a.y * a.z, from_second_moments(&a.component_mul(a), 5.0), density)
    }
}

/// Moments per unit mass from mean squares x², y², z² = `squares` / `divisor`.
fn from_second_moments(squares: &Vector3<f64>, divisor: f64) -> Vector3<f64> {
    (Vector3::repeat(squares.sum()) - squares) / divisor
}

fn check(shape: &'static str, sizes: &[(&'static str, f64)]) -> Result<(), MassError> {
    match sizes.iter().find(|(_, v)| !(*v > 0.0 && v.is_finite())) {
        Some(&(name, value)) => Err(MassError::Size { shape, name, value }),
        None => Ok(()),
    }
}

/// `moments` per unit mass \[m²\].
fn centred(volume: f64, moments: Vector3<f64>, density: f64) -> Result<MassProperties, MassError> {
    check_density(density)?;
    let mass = volume * density;
    MassProperties::new(mass, Point3::origin(), Matrix3::from_diagonal(&(moments * mass)))
}
