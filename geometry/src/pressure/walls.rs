//! Meshes of solids that are not convex: one lattice for each, of one resolution.

use std::sync::Arc;

use super::cells::{Cells, MOST_TETRAHEDRA};
use super::error::PressureError;
use super::{fan, lattice};
use crate::{MeshDefect, Shape, TriangleMesh};

/// Parts of the longest side, and of the mean wall, that the default resolution of meshes is at most.
pub(super) const MESH: f64 = 24.0;
const WALL: f64 = 3.0;
/// Parts of the mean wall up to which edges are not called coarse.
const SOFT: f64 = 0.5;
/// Least extent at the deepest node of a field that is not called soft.
const DEEP: f64 = 0.8;
/// Parts of the volume of a solid that its field must hold.
const HELD: f64 = 0.75;

/// The walls of solids on lattices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walls {
    /// Least mean wall, 2V/A \[m\].
    pub(super) mean: f64,
    /// Least edge of a default \[m\].
    finest: f64,
    /// Extent at the deepest node of the solid in which that is least.
    deepest: f64,
}

/// Mean wall of a closed mesh \[m\]: a plate of thickness t has the area 2 V/t.
fn wall(mesh: &TriangleMesh) -> f64 {
    2.0 * mesh.signed_volume() / mesh.area()
}

/// Longest side of the box about a mesh \[m\].
fn size(mesh: &TriangleMesh) -> f64 {
    2.0 * mesh.aabb().half_extents().max()
}

/// The solids of a mesh; the mesh itself where its parts are none.
fn solids(mesh: &TriangleMesh) -> &[TriangleMesh] {
    mesh.solids().unwrap_or(std::slice::from_ref(mesh))
}

/// Solids of a mesh that need a lattice.
fn on_lattices(mesh: &TriangleMesh) -> Vec<&TriangleMesh> {
    solids(mesh).iter().filter(|m| !fan::is_convex(m)).collect()
}

/// Whether a solid of a mesh needs a lattice.
pub(super) fn any_on_lattice(mesh: &TriangleMesh) -> bool {
    solids(mesh).iter().any(|m| !fan::is_convex(m))
}

/// Tetrahedra of the lattices of some solids at a `resolution` \[m\], about.
pub(super) fn count(solids: &[&TriangleMesh], resolution: f64) -> f64 {
    solids.iter().map(|m| lattice::count(m, resolution)).sum()
}

/// The finest resolution from `wanted` \[m\] upwards at which solids surely have as many tetrahedra as fields may have: each by its part of their area.
fn finest(solids: &[&TriangleMesh], wanted: f64) -> f64 {
    let area: f64 = solids.iter().map(|m| m.area()).sum();
    let of = |m: &&TriangleMesh| lattice::finest(m, wanted, MOST_TETRAHEDRA as f64 * m.area() / area);
    solids.iter().map(of).fold(wanted, f64::max)
}

/// The default resolution of a mesh \[m\].
pub(super) fn default_resolution(mesh: &TriangleMesh) -> f64 {
    let solids = on_lattices(mesh);
    let of = |m: &&TriangleMesh| {
        // Open meshes have no wall, and no field.
        let wall = wall(m);
        match wall > 0.0 && wall.is_finite() {
            true => (size(m) / MESH).min(wall / WALL),
            false => size(m) / MESH,
        }
    };
    finest(&solids, solids.iter().map(of).fold(size(mesh) / MESH, f64::min))
}

/// The field of a closed mesh: of each convex solid a fan, of others lattices of a `resolution` \[m\]; and the walls of these. `room`: whether a field may have so many tetrahedra.
pub(super) fn cells(
    mesh: &Arc<TriangleMesh>,
    resolution: f64,
    room: impl Fn(f64, f64) -> Result<(), PressureError>,
) -> Result<(Cells, Option<Walls>), PressureError> {
    let solids = mesh.solids().map_err(MeshDefect::clone)?;
    let rough: Vec<&TriangleMesh> = solids.iter().filter(|m| !fan::is_convex(m)).collect();
    room(count(&rough, resolution), 3.0)?;
    let limit = finest(&rough, 0.0);
    let (mut out, mut walls) = (Cells::default(), None::<Walls>);
    for solid in solids {
        if let Some(cells) = fan::convex_surface(solid) {
            out.append(cells);
            continue;
        }
        // What is known of the sides of a mesh is kept with it.
        let whole = if solids.len() == 1 { mesh.clone() } else { Arc::new(solid.clone()) };
        let cells = lattice::closed(solid, &Shape::Mesh(whole), resolution);
        let (held, volume) = (cells.volume(), solid.signed_volume());
        if held < HELD * volume {
            let finer = default_resolution(mesh).min(0.5 * resolution).max(limit);
            let finer = Some(finer).filter(|f| *f < 0.99 * resolution);
            return Err(PressureError::MissesParts { resolution, held, volume, finer });
        }
        let deepest = cells.extents.iter().copied().fold(0.0, f64::max);
        let own = Walls { mean: wall(solid), finest: limit, deepest };
        walls = Some(walls.map_or(own, |w| w.and(own)));
        out.append(cells);
    }
    Ok((out, walls))
}

impl Walls {
    fn and(self, other: Self) -> Self {
        Self {
            mean: self.mean.min(other.mean),
            finest: self.finest,
            deepest: self.deepest.min(other.deepest),
        }
    }

    /// Why a field of these walls is softer than its modulus says, with the remedy; `edge`: its resolution \[m\].
    pub(super) fn softness(&self, edge: f64) -> Option<String> {
        let Self { mean, finest, deepest } = *self;
        if edge <= SOFT * mean && deepest >= DEEP {
            return None;
        }
        let finer = (mean / WALL).min(0.5 * edge).max(finest);
        let remedy = match finer < 0.99 * edge {
            true => format!("give a mesh_resolution_hint of {finer:.3e} m"),
            false => format!(
                "a finer one would have more than {MOST_TETRAHEDRA} tetrahedra: cut the mesh into several geoms, take boxes for its walls"
            ),
        };
        Some(format!(
            "its pressure field is too soft: at a resolution of {edge:.3e} m, for walls that are {mean:.3e} m thick on average, its largest extent is {deepest:.2}; {remedy}, or make it rigid"
        ))
    }
}
