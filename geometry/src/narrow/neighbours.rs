//! Triangles and tetrahedra of a pair of shapes that make its next queries cheaper.

use signorini_core::na::Isometry3;

use super::ContactPoint;
use super::approach::{Apart, Facing, RigidMotion, facing_sides_near, time_apart_near};
use super::near_triangles::NearTriangles;
use super::{Unsupported, contacts_near};
use crate::Shape;
use crate::pressure::{ContactSurface, NearElements, PressureError, Side, SurfaceOptions};

/// Triangles and tetrahedra of one pair of shapes that were near each other at its last queries: they make the next ones cheaper and change no answer.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    list: Option<Box<NearTriangles>>,
    /// Triangles that were nearest, and those that would have met soonest.
    nearest: Option<[u32; 2]>,
    soonest: Option<[u32; 2]>,
    elements: Option<Box<NearElements>>,
}

impl Neighbours {
    /// [`contacts`](super::contacts) of the pair.
    ///
    /// # Errors
    /// As there.
    pub fn contacts(
        &mut self,
        shapes: [&Shape; 2],
        poses: [&Isometry3<f64>; 2],
        margin: f64,
        out: &mut Vec<ContactPoint>,
    ) -> Result<(), Unsupported> {
        let surfaces = shapes.iter().all(|s| matches!(s, Shape::Mesh(_)));
        let list = surfaces.then(|| &mut **self.list.get_or_insert_default());
        contacts_near(shapes, poses, margin, list, out)
    }

    /// [`facing_sides`](super::facing_sides) of the pair.
    #[must_use]
    pub fn facing_sides(
        &mut self,
        shapes: [&Shape; 2],
        poses: [&Isometry3<f64>; 2],
        margin: f64,
    ) -> Option<Facing> {
        facing_sides_near(shapes, poses, margin, &mut self.nearest)
    }

    /// [`time_apart`](super::time_apart) of the pair.
    #[must_use]
    pub fn time_apart(
        &mut self,
        shapes: [&Shape; 2],
        poses: [&Isometry3<f64>; 2],
        motions: [&RigidMotion; 2],
        least: f64,
        horizon: f64,
    ) -> Option<Apart> {
        time_apart_near(shapes, poses, motions, [least, horizon], &mut self.soonest)
    }

    /// [`ContactSurface::find`] of the pair.
    ///
    /// # Errors
    /// As there.
    pub fn surface(
        &mut self,
        sides: [&Side<'_>; 2],
        poses: [&Isometry3<f64>; 2],
        options: &SurfaceOptions,
        out: &mut ContactSurface,
    ) -> Result<(), PressureError> {
        let near = self.elements.get_or_insert_default();
        out.find_near(sides, poses, options, Some(near))
    }
}
