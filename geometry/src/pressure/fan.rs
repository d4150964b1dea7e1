//! Fans: every triangle of a surface joined to one point inside.

use signorini_core::na::{Point3, Vector3};

use super::cells::{Cells, six_volumes};
use crate::{ConvexMesh, MeshDefect, TriangleMesh};

/// Longest edge of an icosphere of radius one in parts of the length to which halving the edges of an icosahedron leads.
const STRETCH: f64 = 1.24;
/// Edge of an icosahedron in a sphere of radius one.
const EDGE: f64 = 1.051_462_224_238_267;

/// The level of an icosphere whose edges are not longer than `resolution` \[m\].
pub(super) fn level(radius: f64, resolution: f64) -> u32 {
    let longest = |level: u32| {
        let stretch = if level == 0 { 1.0 } else { STRETCH };
        EDGE * stretch * radius / f64::from(1u32 << level)
    };
    (0..30).find(|l| longest(*l) <= resolution).unwrap_or(30)
}

/// Triangles of an icosphere.
pub(super) fn icosphere_count(level: u32) -> f64 {
    20.0 * 4f64.powi(level as i32)
}

/// The field of an ellipsoid with the given semi-axes \[m\], 1 − √(x²/a² + y²/b² + z²/c²): a ball of tetrahedra about the centre with the volume of the round one, stretched.
///
/// Vertices stand out a little and faces lie a little inside, so that contact over many faces has no error of the first order in their depth.
pub(super) fn ellipsoid(semi_axes: &Vector3<f64>, level: u32) -> Result<Cells, MeshDefect> {
    let ball = TriangleMesh::icosphere(1.0, level)?;
    let grown = (4.0 / 3.0 * std::f64::consts::PI / ball.signed_volume()).cbrt();
    Ok(about(ball.vertices(), ball.triangles().iter(), Point3::origin()).scaled(&(semi_axes * grown)))
}

/// The field of a convex polyhedron, linear from zero on the faces to one at the centre of mass. That has a quarter of the body's width before every face, so no tetrahedron is flat.
pub(super) fn convex(mesh: &ConvexMesh) -> Cells {
    let triangles: Vec<[u32; 3]> = mesh
        .faces
        .iter()
        .flat_map(|f| {
            let first = (0..f.len()).min_by_key(|k| f[*k]).unwrap_or(0);
            let at = move |k: usize| f[(first + k) % f.len()];
            (1..f.len() - 1).map(move |k| [at(0), at(k), at(k + 1)])
        })
        .collect();
    let center = centroid(&mesh.vertices, &triangles);
    about(&mesh.vertices, triangles.iter(), center)
}

/// The field of a closed mesh as of a convex polyhedron, if it is one to rounding.
pub(super) fn convex_surface(mesh: &TriangleMesh) -> Option<Cells> {
    is_convex(mesh).then(|| {
        let center = centroid(mesh.vertices(), mesh.triangles());
        about(mesh.vertices(), mesh.triangles().iter(), center)
    })
}

/// Whether all of a mesh lies behind each of its triangles, to rounding.
pub(super) fn is_convex(mesh: &TriangleMesh) -> bool {
    let size = mesh.aabb().half_extents().norm();
    let behind = |i: usize| {
        let [a, b, c] = mesh.triangle(i);
        let n = (b - a).cross(&(c - a));
        let Some(n) = n.try_normalize(0.0) else { return true };
        mesh.vertices().iter().all(|v| n.dot(&(v - a)) <= 1e-9 * size)
    };
    // A few triangles tell most surfaces that are not convex.
    (0..mesh.triangles().len()).all(behind)
}

/// Centre of mass of a closed surface \[m\].
fn centroid(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> Point3<f64> {
    let origin = vertices[0];
    let (mut sum, mut volume) = (Vector3::zeros(), 0.0);
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        let six = six_volumes(&[origin, a, b, c]);
        volume += six;
        sum += six * (a - origin + (b - origin) + (c - origin));
    }
    origin + sum / (4.0 * volume)
}

fn about<'a>(
    vertices: &[Point3<f64>],
    triangles: impl Iterator<Item = &'a [u32; 3]>,
    center: Point3<f64>,
) -> Cells {
    let mut out = Cells::default();
    let apex = out.vertex(center, 1.0);
    for v in vertices {
        out.vertex(*v, 0.0);
    }
    for t in triangles {
        let [a, b, c] = t.map(|v| v + 1);
        out.cell([&[a, b, c], &[apex, a, b], &[apex, b, c], &[apex, c, a]]);
    }
    out
}
