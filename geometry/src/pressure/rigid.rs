use std::sync::Arc;

use signorini_core::na::Point3;

use super::crossing::self_crossing;
use super::error::PressureError;
use super::field::{PressureField, checked_resolution};
use crate::{HeightField, MeshDefect, Shape, TriangleMesh};

/// The surface of a rigid body: triangles wound outwards, or the plane of a half-space.
#[derive(Clone, Debug)]
pub struct RigidSurface {
    triangles: Option<Arc<TriangleMesh>>,
}

impl RigidSurface {
    /// The surface of a shape at a resolution \[m\], or at [`PressureField::default_resolution`]. Meshes need not be closed: a compliant body is pressed on by triangles that face it.
    ///
    /// # Errors
    /// As [`PressureField::new`] for lengths; [`PressureError::Mesh`] where a height field has no area, or a closed mesh, or a part of it, is inside out or flat.
    pub fn new(shape: &Shape, resolution: Option<f64>) -> Result<Self, PressureError> {
        let triangles = match shape {
            Shape::HalfSpace => None,
            Shape::Mesh(mesh) => {
                match mesh.check_closed() {
                    // Others would be drawn in, or pressed from both sides of a sheet.
                    Err(defect @ MeshDefect::InsideOut { .. }) => return Err(defect.into()),
                    Err(MeshDefect::Flat) if mesh.topology().boundary_edges == 0 => {
                        return Err(MeshDefect::Flat.into());
                    }
                    Err(_) => {}
                    Ok(()) => {
                        if let Err(defect @ MeshDefect::PartInsideOut { .. }) = mesh.solids() {
                            return Err(defect.clone().into());
                        }
                    }
                }
                Some(mesh.clone())
            }
            Shape::Convex(mesh) => Some(Arc::new(mesh.to_triangle_mesh()?)),
            Shape::Box { half_extents } => {
                checked_resolution(shape, resolution)?;
                Some(Arc::new(TriangleMesh::cuboid(half_extents)?))
            }
            Shape::HeightField(field) => Some(Arc::new(top(field)?)),
            _ => Some(Arc::new(PressureField::new(shape, resolution)?.surface()?)),
        };
        Ok(Self { triangles })
    }

    /// Why a rigid mesh may not hold others as the body that it is meant to be, with the remedy: it is not closed, or cuts through itself. None where it is sound.
    #[must_use]
    pub fn doubt(mesh: &TriangleMesh) -> Option<String> {
        if let Err(defect) = mesh.check_closed() {
            return Some(format!(
                "{defect}; as a rigid surface it holds bodies by the triangles that face them, and none where it has a gap"
            ));
        }
        if let Some([a, b]) = self_crossing(mesh) {
            return Some(format!(
                "the mesh cuts through itself at triangles {a} and {b}; as a rigid surface its triangles inside others press as well: mend it, or take its convex hull"
            ));
        }
        let defect = mesh.solids().err()?;
        Some(format!("{defect}; as a rigid surface its triangles inside others press as well"))
    }

    /// Its triangles; None for a half-space.
    #[must_use]
    pub fn triangles(&self) -> Option<&TriangleMesh> {
        self.triangles.as_deref()
    }
}

/// The top of a height field.
fn top(field: &HeightField) -> Result<TriangleMesh, PressureError> {
    let vertices: Vec<Point3<f64>> = (0..field.triangle_count()).flat_map(|i| field.triangle(i)).collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Ok(TriangleMesh::new(vertices, triangles)?.welded()?)
}
