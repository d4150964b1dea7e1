//! `<mesh>`: reading, scaling, hull.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use signorini_core::na::Vector3;
use signorini_geometry::{ConvexMesh, Shape, TriangleMesh};

use super::Reader;
use super::geometry::Purpose;
use super::mesh_path::{NotFound, nominal, resolve};
use crate::hulls::Hulls;
use crate::xml::{Element, Read};
use crate::{GeomShape, Note, NoteKind, Place, SceneError};

/// A file and the bits of its scale.
type Key = (PathBuf, [u64; 3]);

/// Meshes read so far, so that a mesh used twice is stored once.
#[derive(Debug, Default)]
pub(crate) struct MeshCache {
    surfaces: HashMap<Key, Arc<TriangleMesh>>,
    /// Hulls, and where each was asked for first.
    hulls: HashMap<Key, (Arc<ConvexMesh>, Place)>,
}

impl MeshCache {
    /// Notes on meshes of which the hulls have more volume.
    pub(crate) fn filled_hulls(&self) -> Vec<Note> {
        let mut hulls = Hulls::default();
        for (key, (hull, place)) in &self.hulls {
            if let Some(surface) = self.surfaces.get(key) {
                let name = key.0.file_name().unwrap_or_default().to_string_lossy();
                hulls.look(place, &name, surface, hull);
            }
        }
        hulls.notes()
    }

    /// The surface that a shape was made of.
    pub(crate) fn surface_of(&self, shape: &Shape) -> Option<Arc<TriangleMesh>> {
        match shape {
            Shape::Mesh(s) => Some(s.clone()),
            Shape::Convex(h) => {
                let (key, _) = self.hulls.iter().find(|(_, (x, _))| Arc::ptr_eq(x, h))?;
                self.surfaces.get(key).cloned()
            }
            _ => None,
        }
    }
}

impl<T> Reader<'_, T> {
    /// The shape of a `<mesh>`, the file of which `key` names: the hull for one that collides, the surface for one that is drawn or when asked.
    pub(crate) fn read_mesh(&mut self, e: &Element, purpose: Purpose, key: &'static str) -> Read<GeomShape> {
        let uri = e.required(key)?.trim().to_owned();
        let mut scale = [1.0; 3];
        let count = e.fill("scale", 1, &mut scale)?;
        if count == 1 {
            scale = [scale[0]; 3];
        }
        if count == 2 || scale.contains(&0.0) {
            return Err(e.invalid_at(
                "scale",
                "the scale needs one or three numbers, none of them zero",
                "write three factors",
            ));
        }
        let mut convex = false;
        for c in e.unread_children() {
            match c.name.as_str() {
                // Colliding meshes are taken as their hulls.
                "declare_convex" if !self.options.keep_mesh_surfaces => {
                    convex = true;
                    c.skip();
                }
                "declare_convex" => {
                    let text = "drake:declare_convex: the surface itself is kept, as asked, not its hull";
                    self.notes.add(NoteKind::Warning, c, text);
                    c.skip();
                }
                _ => self.leave_out(e, c, &["drake:declare_convex"])?,
            }
        }
        self.finish(e)?;
        let purpose = if convex && purpose.collides() { Purpose::Collision } else { purpose };
        if self.options.without_meshes {
            let (kind, text) = match purpose {
                Purpose::Collision | Purpose::RigidSurface | Purpose::Field => {
                    (NoteKind::Warning, format!("mesh '{uri}' is not read: the shape does not collide"))
                }
                Purpose::Visual => (NoteKind::Visual, "meshes of visuals are not read".to_owned()),
            };
            self.notes.add(kind, e, text);
            return Ok(GeomShape::MissingMesh(nominal(&uri)));
        }
        let found =
            self.find_mesh(e, key, &uri).and_then(|path| self.mesh_shape((e, key), path, scale, purpose));
        match (found, purpose) {
            (Ok(shape), _) => Ok(GeomShape::Solid(shape)),
            (Err(error), Purpose::Collision | Purpose::RigidSurface | Purpose::Field) => Err(error),
            (Err(error), Purpose::Visual) => {
                let why = match error {
                    SceneError::Invalid { message, .. } => message,
                    SceneError::Unsupported { feature, .. } => format!("{feature} is not read"),
                    other => other.to_string(),
                };
                self.notes.add(NoteKind::Warning, e, format!("the visual is not drawn: {why}"));
                Ok(GeomShape::MissingMesh(nominal(&uri)))
            }
        }
    }

    fn find_mesh(&self, e: &Element, key: &str, uri: &str) -> Read<PathBuf> {
        let extension = Path::new(uri).extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if !["obj", "stl", "vtk"].contains(&extension.as_str()) {
            let format = match extension.as_str() {
                "dae" => "a COLLADA mesh (.dae)".to_owned(),
                "" => "a mesh file without extension".to_owned(),
                x => format!("the mesh format .{x}"),
            };
            return Err(e.unsupported_at(
                key,
                format,
                "convert the mesh to OBJ or STL and change the file name, or load without meshes (--without-meshes)",
            ));
        }
        let own = Some((self.compiler.mesh_dir.as_path(), self.compiler.strip_path));
        resolve(uri, &e.file, own, &self.options.mesh_dirs, Path::is_file).map_err(|why| match why {
            NotFound::Scheme(s) => e.unsupported_at(
                key,
                format!("a mesh by '{s}://'"),
                "store the file beside the model and name it with a relative path or package://",
            ),
            NotFound::Nowhere(tried) => e.invalid_at(
                key,
                format!("mesh '{uri}' does not exist{}", places(&tried)),
                "put it there, name the folder of the package in ROS_PACKAGE_PATH or the mesh folders of the load options, or \
                 load without meshes (--without-meshes)",
            ),
        })
    }

    fn mesh_shape(
        &mut self,
        (e, key): (&Element, &str),
        path: PathBuf,
        scale: [f64; 3],
        purpose: Purpose,
    ) -> Read<Shape> {
        let file = (path, scale.map(f64::to_bits));
        let bad = |what: String, remedy: &str| e.invalid_at(key, what, remedy);
        let surface = match self.meshes.surfaces.get(&file) {
            Some(s) => s.clone(),
            None => {
                let remedy = "repair the mesh, or load without meshes (--without-meshes)";
                let mesh = TriangleMesh::load(&file.0).map_err(|x| bad(x.to_string(), remedy))?;
                let mesh = if scale == [1.0; 3] {
                    mesh
                } else {
                    mesh.scaled(Vector3::from(scale))
                        .map_err(|x| bad(format!("mesh {}: {x}", file.0.display()), remedy))?
                };
                self.meshes.surfaces.entry(file.clone()).or_insert(Arc::new(mesh)).clone()
            }
        };
        if purpose == Purpose::RigidSurface {
            let text = "a rigid surface over areas keeps the triangles of its mesh, unless drake:declare_convex makes it a hull";
            self.notes.add(NoteKind::Converted, e, text);
        }
        let hull = match purpose {
            Purpose::Collision => true,
            Purpose::Field => surface.volume().is_none(),
            Purpose::Visual | Purpose::RigidSurface => false,
        };
        if !hull || self.options.keep_mesh_surfaces {
            return Ok(Shape::Mesh(surface));
        }
        if let Some(h) = self.meshes.hulls.get(&file) {
            return Ok(Shape::Convex(h.0.clone()));
        }
        let hull = ConvexMesh::from_points(surface.vertices()).map_err(|x| {
            bad(
                format!("mesh {}: {x}", file.0.display()),
                "use a mesh with volume or a primitive, or remove the <collision>",
            )
        })?;
        let made = self.meshes.hulls.entry(file).or_insert((Arc::new(hull), e.place()));
        Ok(Shape::Convex(made.0.clone()))
    }
}

/// The first places at which a file was looked for.
fn places(tried: &[PathBuf]) -> String {
    const SHOWN: usize = 3;
    let list: Vec<_> = tried.iter().take(SHOWN).map(|p| p.display().to_string()).collect();
    let more =
        if tried.len() > SHOWN { format!(" and {} more places", tried.len() - SHOWN) } else { String::new() };
    format!("; looked for {}{more}", list.join(", "))
}
