//! Solids that come as tetrahedra.

use super::cells::Cells;
use super::error::PressureError;
use crate::{Shape, VolumeMesh};

/// The field on given tetrahedra, `most` at most: the distance from the surface over the largest at each vertex. Also the number of tetrahedra without a corner inside, which have no pressure and are left out.
pub(super) fn cells(solid: &VolumeMesh, shape: &Shape, most: usize) -> Result<(Cells, usize), PressureError> {
    let all = solid.tetrahedra();
    if all.len() > most {
        return Err(PressureError::TooManyTetrahedra { tetrahedra: all.len(), most });
    }
    let mut inside = vec![true; solid.vertices().len()];
    solid.outer_faces().iter().flatten().for_each(|v| inside[*v as usize] = false);
    let depth = |(p, inside): (&signorini_core::na::Point3<f64>, &bool)| match inside {
        true => shape.signed_distance(&p.coords).map_or(0.0, |s| (-s.distance).max(0.0)),
        false => 0.0,
    };
    let mut extents: Vec<f64> = solid.vertices().iter().zip(&inside).map(depth).collect();
    let deepest = extents.iter().copied().fold(0.0, f64::max);
    if deepest <= 0.0 {
        return Err(PressureError::NothingInside { tetrahedra: all.len() });
    }
    extents.iter_mut().for_each(|e| *e /= deepest);
    let rises = |t: &&[u32; 4]| t.iter().any(|v| extents[*v as usize] > 0.0);
    let tetrahedra: Vec<[u32; 4]> = all.iter().filter(rises).copied().collect();
    let flat = all.len() - tetrahedra.len();
    Ok((Cells { vertices: solid.vertices().to_vec(), extents, tetrahedra }.without_loose_vertices(), flat))
}
