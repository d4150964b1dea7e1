//! Geoms shaped as meshes: reading, hull, mass.

use std::sync::Arc;

use signorini_core::na::Point3;
use signorini_geometry::{ConvexMesh, MassProperties, Shape, TriangleMesh};

use super::asset::{Assets, MeshAsset};
use super::geom::GeomSpec;
use super::inertia::GeomMass;
use super::mesh_data::MeshData;
use super::primitive_mass::shell;
use super::{Missing, Reader};
use crate::hulls::Hulls;
use crate::xml::{Element, Read, did_you_mean};
use crate::{GeomShape, Note, NoteKind, SceneError};

impl MeshAsset {
    fn error(&self, what: impl std::fmt::Display, remedy: &str) -> SceneError {
        SceneError::Invalid {
            place: self.place.clone(),
            message: what.to_string(),
            remedy: remedy.to_owned(),
        }
    }

    /// Surface in the coordinates of the geoms that use it: (vertex − refpos) turned back by refquat, then scaled.
    pub(super) fn surface(&self) -> Read<&Arc<TriangleMesh>> {
        if let Some(s) = self.surface.get() {
            return Ok(s);
        }
        let remedy = "repair the mesh, or load without meshes (--without-meshes)";
        let (vertices, triangles) = match &self.data {
            MeshData::File { path, media_type } => {
                let mesh = match media_type.as_deref() {
                    Some("model/obj") => TriangleMesh::from_obj(path),
                    Some("model/stl") => TriangleMesh::from_stl(path),
                    Some("model/vnd.mujoco.msh") => TriangleMesh::from_msh(path),
                    Some(other) => {
                        return Err(SceneError::Unsupported {
                            place: self.place.clone(),
                            feature: format!("content_type=\"{other}\""),
                            remedy: "convert the mesh to OBJ or STL".to_owned(),
                        });
                    }
                    // Its tetrahedra would be lost.
                    None if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("vtk")) => {
                        return Err(SceneError::Unsupported {
                            place: self.place.clone(),
                            feature: "a mesh of tetrahedra (.vtk), which MuJoCo does not read,".to_owned(),
                            remedy:
                                "name it in a URDF or SDFormat file, or convert its surface to OBJ or STL"
                                    .to_owned(),
                        });
                    }
                    None => TriangleMesh::load(path),
                };
                let mesh = mesh.map_err(|e| self.error(e, remedy))?;
                (mesh.vertices().to_vec(), mesh.triangles().to_vec())
            }
            MeshData::Inline { vertices, triangles: Some(t) } => (vertices.clone(), t.clone()),
            MeshData::Inline { vertices, triangles: None } => {
                let hull = ConvexMesh::from_points(vertices).map_err(|e| self.error(e, remedy))?;
                let fan = |f: &Vec<u32>| {
                    (1..f.len().saturating_sub(1)).map(|k| [f[0], f[k], f[k + 1]]).collect::<Vec<_>>()
                };
                let triangles = hull.faces.iter().flat_map(fan).collect();
                (hull.vertices.clone(), triangles)
            }
        };
        let back = self.ref_rotation.inverse();
        // MuJoCo reads vertices in single precision; masses agree to rounding only when they do here.
        let place = |p: &Point3<f64>| {
            let p = p.map(|x| f64::from(x as f32));
            Point3::from((back * (p.coords - self.ref_position)).component_mul(&self.spec.scale))
        };
        let mut triangles = triangles;
        if self.spec.scale.product() < 0.0 {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let mesh = TriangleMesh::new(vertices.iter().map(place).collect(), triangles)
            .map_err(|e| self.error(e, remedy))?;
        Ok(self.surface.get_or_init(|| Arc::new(mesh)))
    }

    fn hull(&self) -> Read<&Arc<ConvexMesh>> {
        if let Some(h) = self.hull.get() {
            return Ok(h);
        }
        let hull = ConvexMesh::from_points(self.surface()?.vertices()).map_err(|e| {
            self.error(
                e,
                "use a mesh with volume, a primitive, or contype=\"0\" conaffinity=\"0\" on its geoms",
            )
        })?;
        Ok(self.hull.get_or_init(|| Arc::new(hull)))
    }

    /// Mass properties at density 1.
    pub(super) fn unit_mass(&self) -> Read<MassProperties> {
        if let Some(m) = self.unit_mass.get() {
            return Ok(*m);
        }
        let remedy = "repair the mesh, set inertia=\"convex\" on it, or give the body an <inertial>";
        let surface = self.surface()?;
        let mass =
            MassProperties::of_mesh(surface, 1.0, self.spec.inertia).map_err(|e| self.error(e, remedy))?;
        Ok(*self.unit_mass.get_or_init(|| mass))
    }
}

impl Assets {
    /// Notes on meshes of which the hulls, that were asked for, have more volume.
    pub(super) fn filled_hulls(&self) -> Vec<Note> {
        let mut hulls = Hulls::default();
        for (name, m) in &self.meshes {
            if let (Some(surface), Some(hull)) = (m.surface.get(), m.hull.get()) {
                hulls.look(&m.place, name, surface, hull);
            }
        }
        hulls.notes()
    }

    /// The hull of a mesh that exists.
    pub(super) fn hull(&self, name: &str) -> Read<Option<Shape>> {
        self.meshes.get(name).map(|m| m.hull().map(|h| Shape::Convex(h.clone()))).transpose()
    }
}

impl Reader<'_> {
    /// The shape of a mesh geom: the hull for geoms that collide, the surface for visual ones or when asked.
    pub(super) fn mesh_shape(&mut self, e: &Element, g: &GeomSpec) -> Read<(GeomShape, Option<Missing>)> {
        let asset = self.mesh_of(e, g)?;
        if self.options.without_meshes {
            let path = match &asset.data {
                MeshData::File { path, .. } => path.clone(),
                MeshData::Inline { .. } => return self.solid_mesh(e, g).map(|s| (GeomShape::Solid(s), None)),
            };
            self.notes.add(
                NoteKind::Warning,
                e,
                format!("mesh {} is not read: the geom does not collide", path.display()),
            );
            return Ok((GeomShape::MissingMesh(path), Some(Missing)));
        }
        Ok((GeomShape::Solid(self.solid_mesh(e, g)?), None))
    }

    fn solid_mesh(&mut self, e: &Element, g: &GeomSpec) -> Read<Shape> {
        let asset = self.mesh_of(e, g)?;
        if !g.mask.is_empty() && !self.options.keep_mesh_surfaces {
            return Ok(Shape::Convex(asset.hull()?.clone()));
        }
        let surface = asset.surface()?.clone();
        if let Some(name) = g.mesh.clone().filter(|_| !self.options.keep_mesh_surfaces) {
            self.visual_meshes.insert(self.scene.geoms.len(), name);
        }
        Ok(Shape::Mesh(surface))
    }

    pub(super) fn mesh_of(&self, e: &Element, g: &GeomSpec) -> Read<&MeshAsset> {
        let Some(name) = &g.mesh else {
            return Err(e.invalid("the geom has type=\"mesh\" but no mesh", "write mesh=\"NAME\""));
        };
        self.assets.meshes.get(name).ok_or_else(|| {
            let mut known: Vec<&str> = self.assets.meshes.keys().map(String::as_str).collect();
            known.sort_unstable();
            e.invalid_at(
                "mesh",
                format!("mesh '{name}' does not exist"),
                format!("define it in <asset>{}", did_you_mean(name, &known)),
            )
        })
    }

    /// Mass of a geom in its own frame; None when it has none or when nothing depends on it.
    pub(super) fn geom_mass(
        &self,
        e: &Element,
        g: &GeomSpec,
        shape: &GeomShape,
        missing: Option<Missing>,
    ) -> Read<Option<GeomMass>> {
        let body = self.scene.bodies.len() - 1;
        let weightless = g.mass == Some(0.0) || (g.mass.is_none() && g.density == 0.0);
        if !self.masses.needed[body] || weightless {
            return Ok(None);
        }
        let [low, high] = self.compilers[e.origin].groups;
        if !(low..=high).contains(&g.group) {
            return Ok(None);
        }
        if missing.is_some() {
            return Ok(Some(GeomMass::placeholder(g.mass)));
        }
        let unit = match shape {
            GeomShape::Solid(Shape::HalfSpace | Shape::HeightField(_)) | GeomShape::MissingMesh(_) => {
                return Ok(None);
            }
            GeomShape::Solid(Shape::Mesh(_) | Shape::Convex(_)) => self.mesh_of(e, g)?.unit_mass()?,
            GeomShape::Solid(s) if g.shell => shell(s).ok_or_else(|| {
                e.unsupported_at(
                    "shellinertia",
                    "the shell inertia of an ellipsoid",
                    "give the body an <inertial>",
                )
            })?,
            GeomShape::Solid(s) => MassProperties::of_shape(s, 1.0)
                .map_err(|err| e.invalid(err.to_string(), "correct the size of the geom"))?,
        };
        let factor = g.mass.map_or(g.density, |m| m / unit.mass);
        let properties = MassProperties { mass: unit.mass * factor, inertia: unit.inertia * factor, ..unit };
        Ok(Some(GeomMass { properties, missing: false }))
    }
}
