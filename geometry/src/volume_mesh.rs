use signorini_core::na::{Isometry3, Point3, Vector3};

use crate::MeshDefect;

/// Tetrahedra that fill a solid, of positive volume: (b − a) · (c − a) × (d − a) > 0.
///
/// A [`TriangleMesh`](crate::TriangleMesh) that is made of one ([`of_volume`](crate::TriangleMesh::of_volume)) has its pressure field on these tetrahedra.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeMesh {
    vertices: Vec<Point3<f64>>,
    tetrahedra: Vec<[u32; 4]>,
}

impl VolumeMesh {
    /// Tetrahedra from vertices \[m\] and their numbers.
    ///
    /// # Errors
    /// A [`MeshDefect`] if there is none, a coordinate is not finite, a vertex does not exist, or a tetrahedron has no positive volume.
    pub fn new(vertices: Vec<Point3<f64>>, tetrahedra: Vec<[u32; 4]>) -> Result<Self, MeshDefect> {
        if vertices.is_empty() || tetrahedra.is_empty() {
            return Err(MeshDefect::Empty { vertices: vertices.len(), triangles: 4 * tetrahedra.len() });
        }
        if let Some((vertex, p)) =
            vertices.iter().enumerate().find(|(_, p)| !p.coords.iter().all(|x| x.is_finite()))
        {
            return Err(MeshDefect::NonFinite { vertex, value: p.coords.into() });
        }
        for (tetrahedron, t) in tetrahedra.iter().enumerate() {
            if let Some(index) = t.iter().find(|v| **v as usize >= vertices.len()) {
                let (index, vertices) = (u64::from(*index), vertices.len());
                return Err(MeshDefect::NoCorner { tetrahedron, index, vertices });
            }
            let [a, b, c, d] = t.map(|v| vertices[v as usize]);
            let volume = (b - a).dot(&(c - a).cross(&(d - a))) / 6.0;
            if volume.is_nan() || volume <= 0.0 {
                return Err(MeshDefect::Inverted { tetrahedron, volume });
            }
        }
        Ok(Self { vertices, tetrahedra })
    }

    /// Vertices \[m\].
    #[must_use]
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Vertices of each tetrahedron.
    #[must_use]
    pub fn tetrahedra(&self) -> &[[u32; 4]] {
        &self.tetrahedra
    }

    /// Faces of one tetrahedron alone, wound outwards.
    #[must_use]
    pub fn outer_faces(&self) -> Vec<[u32; 3]> {
        outer_faces(&self.tetrahedra)
    }

    /// As [`TriangleMesh::scaled`](crate::TriangleMesh::scaled); a reflection turns the tetrahedra round.
    pub(crate) fn scaled(&self, scale: &Vector3<f64>) -> Result<Self, MeshDefect> {
        let vertices = self.vertices.iter().map(|p| p.coords.component_mul(scale).into()).collect();
        let mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
        let turn = |&[a, b, c, d]: &[u32; 4]| if mirrored { [a, b, d, c] } else { [a, b, c, d] };
        Self::new(vertices, self.tetrahedra.iter().map(turn).collect())
    }

    /// In frame A; `x_ab` maps its own frame B to A.
    pub(crate) fn transformed(&self, x_ab: &Isometry3<f64>) -> Self {
        let vertices = self.vertices.iter().map(|p| x_ab * p).collect();
        Self { vertices, tetrahedra: self.tetrahedra.clone() }
    }
}

/// Faces of one of these tetrahedra alone, wound outwards.
pub(crate) fn outer_faces(tetrahedra: &[[u32; 4]]) -> Vec<[u32; 3]> {
    let mut faces: Vec<([u32; 3], [u32; 3])> = Vec::with_capacity(4 * tetrahedra.len());
    for &[a, b, c, d] in tetrahedra {
        for face in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
            let mut key = face;
            key.sort_unstable();
            faces.push((key, face));
        }
    }
    faces.sort_unstable();
    faces.chunk_by(|x, y| x.0 == y.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}
