//! Reading surfaces, and solids of tetrahedra, from files.

mod msh;
mod obj;
mod polygon;
mod stl;
mod vtk;

use std::path::Path;
use std::sync::Arc;

use crate::weld::weld;
use crate::{ConvexMesh, MeshDefect, MeshError, TriangleMesh, VolumeMesh};

/// Vertices and triangles as a file lists them, before validation.
type Surface = (Vec<signorini_core::na::Point3<f64>>, Vec<[u32; 3]>);

/// Why a file's bytes were refused, without the file's name.
enum Refusal {
    Syntax { place: String, reason: String },
    Defect(MeshDefect),
}

impl Refusal {
    fn line(line: usize, reason: impl Into<String>) -> Self {
        Self::Syntax { place: format!("line {line}"), reason: reason.into() }
    }
}

impl TriangleMesh {
    /// Reads an OBJ, STL, MSH or VTK file, by its extension (any case).
    ///
    /// # Errors
    /// A [`MeshError`] that names the file, the reason and the remedy.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let extension =
            path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "obj" => Self::from_obj(path),
            "stl" => Self::from_stl(path),
            "msh" => Self::from_msh(path),
            "vtk" => Self::from_vtk(path),
            _ => Err(MeshError::UnsupportedFormat { path: path.to_owned(), extension }),
        }
    }

    /// Reads a Wavefront OBJ file: positions in double precision, every face of every object in one surface, polygons cut
    /// into fans. Normals, texture coordinates, materials, points and lines are left out; so are faces that name one
    /// vertex twice, which have no area. A file of vertices alone is their convex hull.
    ///
    /// # Errors
    /// A [`MeshError`] that names the file, the line, the reason and the remedy.
    pub fn from_obj(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        Self::from_obj_bytes(&read(path)?, path)
    }

    /// [`Self::from_obj`] on the bytes of a file; `name` appears in errors.
    ///
    /// # Errors
    /// As [`Self::from_obj`].
    pub fn from_obj_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, MeshError> {
        finish(obj::parse(bytes), name.as_ref())
    }

    /// Reads a file in MuJoCo's old binary format. A file of vertices alone is their convex hull.
    ///
    /// # Errors
    /// A [`MeshError`] that names the file, the place, the reason and the remedy.
    pub fn from_msh(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        Self::from_msh_bytes(&read(path)?, path)
    }

    /// [`Self::from_msh`] on the bytes of a file; `name` appears in errors.
    ///
    /// # Errors
    /// As [`Self::from_msh`].
    pub fn from_msh_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, MeshError> {
        finish(msh::parse(bytes), name.as_ref())
    }

    /// Reads the surface of a solid of tetrahedra, which it keeps ([`Self::volume`]), from a legacy ASCII file of VTK (`UNSTRUCTURED_GRID`). Data of points and cells are passed over.
    ///
    /// # Errors
    /// A [`MeshError`] that names the file, the line, the reason and the remedy.
    pub fn from_vtk(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        Self::from_vtk_bytes(&read(path)?, path)
    }

    /// [`Self::from_vtk`] on the bytes of a file; `name` appears in errors.
    ///
    /// # Errors
    /// As [`Self::from_vtk`].
    pub fn from_vtk_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, MeshError> {
        let mesh = vtk::parse(bytes).and_then(|(vertices, tetrahedra)| {
            let solid = VolumeMesh::new(vertices, tetrahedra).map_err(Refusal::Defect)?;
            Self::of_volume(Arc::new(solid)).map_err(Refusal::Defect)
        });
        named(mesh, name.as_ref())
    }

    /// Reads an STL file, binary or ASCII by content. Vertices at equal positions become one; facets that name one position
    /// twice are left out; stored normals are not used, the winding decides.
    ///
    /// # Errors
    /// A [`MeshError`] that names the file, the place, the reason and the remedy.
    pub fn from_stl(path: impl AsRef<Path>) -> Result<Self, MeshError> {
        let path = path.as_ref();
        Self::from_stl_bytes(&read(path)?, path)
    }

    /// [`Self::from_stl`] on the bytes of a file; `name` appears in errors.
    ///
    /// # Errors
    /// As [`Self::from_stl`].
    pub fn from_stl_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, MeshError> {
        let surface = stl::parse(bytes).and_then(|(points, triangles)| {
            if let Some(vertex) = points.iter().position(|p| !p.coords.iter().all(|x| x.is_finite())) {
                return Err(Refusal::Defect(MeshDefect::NonFinite {
                    vertex,
                    value: points[vertex].coords.into(),
                }));
            }
            let welded = weld(&points, &triangles);
            if welded.1.is_empty() && !triangles.is_empty() {
                return Err(Refusal::Defect(MeshDefect::Degenerate { triangles: triangles.len() }));
            }
            Ok(welded)
        });
        finish(surface, name.as_ref())
    }
}

fn finish(surface: Result<Surface, Refusal>, path: &Path) -> Result<TriangleMesh, MeshError> {
    named(surface.map(with_faces).and_then(|(v, t)| TriangleMesh::new(v, t).map_err(Refusal::Defect)), path)
}

fn named(mesh: Result<TriangleMesh, Refusal>, path: &Path) -> Result<TriangleMesh, MeshError> {
    let path = path.to_owned();
    mesh.map_err(|refusal| match refusal {
        Refusal::Syntax { place, reason } => MeshError::Syntax { path, place, reason },
        Refusal::Defect(source) => MeshError::Defect { path, source },
    })
}

/// Vertices without faces are those of their convex hull, where they have one.
fn with_faces((vertices, triangles): Surface) -> Surface {
    let finite = vertices.iter().all(|p| p.coords.iter().all(|x| x.is_finite()));
    if !triangles.is_empty() || vertices.len() < 4 || !finite {
        return (vertices, triangles);
    }
    match ConvexMesh::from_points(&vertices) {
        Ok(hull) => {
            let fan = |f: &Vec<u32>| (1..f.len() - 1).map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>();
            (hull.vertices.clone(), hull.faces.iter().flat_map(fan).collect())
        }
        Err(_) => (vertices, triangles),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, MeshError> {
    std::fs::read(path).map_err(|source| {
        let path = path.to_owned();
        if source.kind() == std::io::ErrorKind::NotFound {
            MeshError::Missing { path }
        } else {
            MeshError::Unreadable { path, source }
        }
    })
}
