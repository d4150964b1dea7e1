use std::sync::Arc;

use signorini_core::na::Point3;
use signorini_geometry::Shape;
use signorini_geometry::pressure::{FieldCache, PressureError, PressureField, RigidSurface, Side};
use signorini_scene::{Geom, Hydroelastic};

use crate::ModelError;

/// Largest extent of depth, in parts of that of a field, at which surfaces are sought ahead of where bodies are.
pub(crate) const DEEPEST: f64 = 0.5;

/// A geom as a side of contact over areas; fields and surfaces are shared.
#[derive(Clone, Debug)]
pub(crate) struct AreaSide {
    body: Body,
    /// Half the depth of its field \[m\], infinite for a rigid side.
    pub(crate) depth: f64,
    /// Farthest that corners of its surface lie outside the shape \[m\].
    pub(crate) bulge: f64,
}

#[derive(Clone, Debug)]
enum Body {
    Compliant { field: Arc<PressureField>, modulus: f64 },
    Rigid(Arc<RigidSurface>),
}

impl AreaSide {
    /// None for a geom that meets others in points.
    ///
    /// # Errors
    /// Shapes without a field or surface, with the geom and the remedy.
    pub(crate) fn new(geom: &Geom, shape: &Shape, cache: &FieldCache) -> Result<Option<Self>, ModelError> {
        let refused = |e: PressureError| ModelError::Element {
            place: Box::new(geom.named_place()),
            message: e.to_string(),
            remedy: "or let it meet others in points".into(),
        };
        let body = match geom.surface.hydroelastic {
            Hydroelastic::Point => return Ok(None),
            Hydroelastic::Rigid { resolution } => {
                Body::Rigid(cache.surface(shape, resolution).map_err(refused)?)
            }
            Hydroelastic::Compliant { modulus, resolution, thickness } => {
                let field = match (shape, thickness) {
                    (Shape::HalfSpace, Some(thickness)) => PressureField::half_space(thickness).map(Arc::new),
                    _ => cache.field(shape, resolution),
                };
                Body::Compliant { field: field.map_err(refused)?, modulus }
            }
        };
        let depth = DEEPEST
            * match &body {
                Body::Rigid(_) => f64::INFINITY,
                Body::Compliant { field, .. } => field.thickness().unwrap_or_else(|| {
                    let steepest = (0..field.tetrahedra().len()).map(|i| field.gradient(i).norm());
                    steepest.fold(0.0, f64::max).recip()
                }),
            };
        let corners = match &body {
            Body::Rigid(surface) => surface.triangles().map_or(&[][..], |m| m.vertices()),
            Body::Compliant { field, .. } => field.vertices(),
        };
        Ok(Some(Self { bulge: bulge(shape, corners), body, depth }))
    }

    /// The side in a query.
    pub(crate) fn side(&self) -> Side<'_> {
        match &self.body {
            Body::Compliant { field, modulus } => Side::Compliant { field, modulus: *modulus },
            Body::Rigid(surface) => Side::Rigid(surface),
        }
    }

    /// Depth per pressure where the extent rises fastest \[m/Pa\]; 0 for a rigid side.
    pub(crate) fn compliance(&self) -> f64 {
        match &self.body {
            Body::Compliant { modulus, .. } => self.depth / (DEEPEST * modulus),
            Body::Rigid(_) => 0.0,
        }
    }

    /// Modulus \[Pa\], infinite for a rigid side.
    pub(crate) fn modulus(&self) -> f64 {
        match &self.body {
            Body::Compliant { modulus, .. } => *modulus,
            Body::Rigid(_) => f64::INFINITY,
        }
    }
}

/// Farthest that points lie outside a round shape; others have their own corners.
fn bulge(shape: &Shape, points: &[Point3<f64>]) -> f64 {
    match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Cylinder { .. } | Shape::Ellipsoid { .. } => {
            let out = points.iter().filter_map(|p| shape.signed_distance(&p.coords)).map(|d| d.distance);
            out.fold(0.0, f64::max)
        }
        _ => 0.0,
    }
}
