use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::PressureError;
use super::field::{PressureField, needs_length};
use super::rigid::RigidSurface;
use crate::{ConvexMesh, Shape, TriangleMesh};

/// A shape as a key: kinds with the bits of their lengths, meshes by their content.
#[derive(Clone, Debug)]
enum Form {
    Lengths(&'static str, [u64; 3]),
    Mesh(Arc<TriangleMesh>),
    Convex(Arc<ConvexMesh>),
}

impl PartialEq for Form {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Lengths(a, x), Self::Lengths(b, y)) => a == b && x == y,
            (Self::Mesh(a), Self::Mesh(b)) => {
                Arc::ptr_eq(a, b)
                    || a.vertices() == b.vertices()
                        && a.triangles() == b.triangles()
                        && a.volume() == b.volume()
            }
            (Self::Convex(a), Self::Convex(b)) => {
                Arc::ptr_eq(a, b) || a.vertices == b.vertices && a.faces == b.faces
            }
            _ => false,
        }
    }
}

impl Eq for Form {}

impl Hash for Form {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Lengths(kind, lengths) => (kind, lengths).hash(state),
            Self::Mesh(m) => (m.vertices().len(), m.triangles()).hash(state),
            Self::Convex(m) => (m.vertices.len(), &m.faces).hash(state),
        }
    }
}

impl Form {
    /// None for shapes that are cheap to make anew.
    fn of(shape: &Shape) -> Option<Self> {
        let lengths = match shape {
            Shape::Sphere { radius } => [*radius, 0.0, 0.0],
            Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
                [*radius, *half_length, 0.0]
            }
            Shape::Box { half_extents: h } | Shape::Ellipsoid { semi_axes: h } => (*h).into(),
            Shape::Mesh(mesh) => return Some(Self::Mesh(mesh.clone())),
            Shape::Convex(mesh) => return Some(Self::Convex(mesh.clone())),
            Shape::HalfSpace | Shape::HeightField(_) => return None,
        };
        Some(Self::Lengths(shape.name(), lengths.map(f64::to_bits)))
    }
}

type Kept<T> = Mutex<HashMap<(Form, u64), Arc<T>>>;

/// Fields and surfaces, made once for each shape and resolution and shared.
///
/// ```
/// use std::sync::Arc;
/// use signorini_geometry::{Shape, pressure::FieldCache};
///
/// let cache = FieldCache::default();
/// let ball = cache.field(&Shape::Sphere { radius: 0.1 }, None)?;
/// assert!(Arc::ptr_eq(&ball, &cache.field(&Shape::Sphere { radius: 0.1 }, Some(0.1 / 8.0))?));
/// # Ok::<(), signorini_geometry::pressure::PressureError>(())
/// ```
#[derive(Debug, Default)]
pub struct FieldCache {
    fields: Kept<PressureField>,
    surfaces: Kept<RigidSurface>,
}

impl FieldCache {
    /// [`PressureField::new`], kept.
    ///
    /// # Errors
    /// As [`PressureField::new`]; failures are not kept.
    pub fn field(&self, shape: &Shape, resolution: Option<f64>) -> Result<Arc<PressureField>, PressureError> {
        kept(&self.fields, shape, resolution, PressureField::new)
    }

    /// [`RigidSurface::new`], kept.
    ///
    /// # Errors
    /// As [`RigidSurface::new`]; failures are not kept.
    pub fn surface(
        &self,
        shape: &Shape,
        resolution: Option<f64>,
    ) -> Result<Arc<RigidSurface>, PressureError> {
        kept(&self.surfaces, shape, resolution, RigidSurface::new)
    }
}

fn kept<T>(
    map: &Kept<T>,
    shape: &Shape,
    resolution: Option<f64>,
    make: impl Fn(&Shape, Option<f64>) -> Result<T, PressureError>,
) -> Result<Arc<T>, PressureError> {
    let Some(form) = Form::of(shape) else { return make(shape, resolution).map(Arc::new) };
    // One for all resolutions where none is needed; whether a mesh needs one takes long to tell.
    let length = match needs_length(shape) || matches!(shape, Shape::Mesh(_)) {
        true => resolution.unwrap_or_else(|| PressureField::default_resolution(shape)),
        false => 0.0,
    };
    let key = (form, length.to_bits());
    // Held while a field is made, so that threads that ask for one field make it once.
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = map.get(&key) {
        return Ok(found.clone());
    }
    let made = Arc::new(make(shape, resolution)?);
    map.insert(key, made.clone());
    Ok(made)
}
