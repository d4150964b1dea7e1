use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{MassProperties, Shape};

use crate::error::{MpmError, value};
use crate::particles::Particles;

impl Particles {
    /// Fills a shape at a pose with particles of one material and density \[kg/m³\], on a lattice in the frame of the shape, about `apart` from each other \[m\]. Their volumes add up to that of the shape. Two to each spacing of the grid and axis are usual.
    /// Returns how many were added.
    ///
    /// # Errors
    /// Numbers out of range; shapes without a volume or a signed distance; a shape in which no point of the lattice lies.
    pub fn fill(
        &mut self,
        shape: &Shape,
        pose: &Isometry3<f64>,
        apart: f64,
        density: f64,
        material: u32,
    ) -> Result<usize, MpmError> {
        value("the distance of particles", apart, apart > 0.0, "m > 0")?;
        value("the density", density, density > 0.0, "kg/m³ > 0")?;
        let unfit = || MpmError::Shape { name: "to fill".into(), shape: shape.name() };
        let mass = MassProperties::of_shape(shape, 1.0).map_err(|_| unfit())?;
        let half = reach(shape).ok_or_else(unfit)?;
        // As many cells along each axis as fit best: boxes are filled to their faces.
        let count = half.map(|h| (2.0 * h / apart).round().max(1.0));
        let cell = (2.0 * half).component_div(&count);
        let mut inside = Vec::new();
        for i in 0..count.x as usize {
            for j in 0..count.y as usize {
                for k in 0..count.z as usize {
                    let at = Vector3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
                    let at = at.component_mul(&cell) - half;
                    if shape.signed_distance(&at).ok_or_else(unfit)?.distance < 0.0 {
                        inside.push((pose * Point3::from(at)).coords);
                    }
                }
            }
        }
        value(
            "the number of particles",
            inside.len() as f64,
            !inside.is_empty(),
            "a distance that lets some fit",
        )?;
        let volume = mass.mass / inside.len() as f64;
        inside.iter().for_each(|x| self.push(*x, density * volume, volume, material));
        Ok(inside.len())
    }
}

/// Half the extent of a shape about its origin along each axis.
fn reach(shape: &Shape) -> Option<Vector3<f64>> {
    Some(match shape {
        Shape::Sphere { radius } => Vector3::repeat(*radius),
        Shape::Box { half_extents } => *half_extents,
        Shape::Capsule { radius, half_length } => Vector3::new(*radius, *radius, radius + half_length),
        Shape::Cylinder { radius, half_length } => Vector3::new(*radius, *radius, *half_length),
        Shape::Ellipsoid { semi_axes } => *semi_axes,
        Shape::HalfSpace | Shape::HeightField(_) | Shape::Convex(_) | Shape::Mesh(_) => return None,
    })
}
