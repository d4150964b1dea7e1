//! `<asset>`: meshes, height fields, and the colours of materials.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, HeightField, MassProperties, MeshInertia, TriangleMesh};

use super::Reader;
use super::builtin;
use super::geom::GeomSpec;
use super::mesh_data::MeshData;
use super::orientation::quaternion;
use crate::Place;
use crate::xml::{Element, Read, did_you_mean};

/// Statements of a mesh class.
#[derive(Clone, Debug)]
pub(super) struct MeshSpec {
    pub(super) scale: Vector3<f64>,
    pub(super) inertia: MeshInertia,
}

impl Default for MeshSpec {
    fn default() -> Self {
        Self { scale: Vector3::from_element(1.0), inertia: MeshInertia::Legacy }
    }
}

impl MeshSpec {
    /// Reads scale and inertia over the present ones.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        if let Some(s) = e.vector::<3>("scale")? {
            if s.contains(&0.0) {
                return Err(e.invalid_at(
                    "scale",
                    "a scale factor is zero",
                    "write factors that are not zero",
                ));
            }
            self.scale = s.into();
        }
        let words = [
            ("legacy", MeshInertia::Legacy),
            ("exact", MeshInertia::Exact),
            ("convex", MeshInertia::Convex),
            ("shell", MeshInertia::Shell),
        ];
        self.inertia = e.word("inertia", &words)?.unwrap_or(self.inertia);
        // A bound on hull vertices only makes MuJoCo's hull coarser; ours is exact.
        e.skip_attributes(&["maxhullvert"]);
        Ok(())
    }
}

/// A mesh asset; read when the first geom uses it.
#[derive(Debug)]
pub(super) struct MeshAsset {
    pub(super) place: Place,
    pub(super) data: MeshData,
    pub(super) spec: MeshSpec,
    pub(super) ref_position: Vector3<f64>,
    pub(super) ref_rotation: UnitQuaternion<f64>,
    pub(super) surface: OnceCell<Arc<TriangleMesh>>,
    pub(super) hull: OnceCell<Arc<ConvexMesh>>,
    pub(super) unit_mass: OnceCell<MassProperties>,
}

/// A height field asset.
#[derive(Debug)]
pub(super) enum HeightAsset {
    Read(Arc<HeightField>),
    Missing(PathBuf),
}

/// All assets by name.
#[derive(Debug, Default)]
pub(super) struct Assets {
    pub(super) meshes: HashMap<String, MeshAsset>,
    pub(super) hfields: HashMap<String, HeightAsset>,
    materials: HashMap<String, [f64; 4]>,
}

const GREY: [f64; 4] = [0.5, 0.5, 0.5, 1.0];

impl Assets {
    /// A material that a geom names exists.
    pub(super) fn check_material(&self, e: &Element, g: &GeomSpec) -> Read<()> {
        let Some(name) = g.material.as_ref().filter(|m| !self.materials.contains_key(*m)) else {
            return Ok(());
        };
        let mut known: Vec<&str> = self.materials.keys().map(String::as_str).collect();
        known.sort_unstable();
        let remedy = format!("define it in <asset>{}", did_you_mean(name, &known));
        Err(e.invalid_at("material", format!("material '{name}' does not exist"), remedy))
    }

    /// Colour of a geom: its own, that of its material, or grey.
    pub(super) fn colour(&self, g: &GeomSpec) -> [f32; 4] {
        let material = || g.material.as_ref().and_then(|m| self.materials.get(m)).copied();
        g.rgba.or_else(material).unwrap_or(GREY).map(|c| c as f32)
    }
}

/// File name without folder and extension.
fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').map_or(name, |(s, _)| s).to_owned()
}

/// Gives an asset without a name that of its file, as references take it.
pub(super) fn name_by_file(e: &mut Element) {
    let file = e.attributes.iter().find(|a| a.name == "file" && !a.value.is_empty()).map(|a| stem(&a.value));
    if let Some(stem) = file.filter(|_| super::references::name_of(e).is_none()) {
        e.set("name", &stem);
    }
}

impl Reader<'_> {
    /// Reads `<asset>`.
    pub(super) fn read_asset(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            match c.name.as_str() {
                "mesh" => self.read_mesh(c)?,
                "hfield" => self.read_hfield(c)?,
                "material" => self.read_material(c)?,
                "texture" => {
                    c.skip();
                    self.notes.visual(c, "texture");
                }
                "skin" => {
                    c.skip();
                    self.notes.visual(c, "skin");
                }
                // Read before everything else.
                "model" => c.skip(),
                _ => {
                    let known = ["mesh", "hfield", "material", "texture", "skin"];
                    return Err(e.unknown_child(c, &known));
                }
            }
        }
        Ok(())
    }

    fn read_material(&mut self, e: &Element) -> Read<()> {
        let class = self.defaults.of(e, 0)?.material;
        let name = e.nonempty("name").map(str::to_owned);
        let rgba = e.vector::<4>("rgba")?.or(class).unwrap_or([1.0; 4]);
        if let Some(name) = name
            && self.assets.materials.insert(name.clone(), rgba).is_some()
        {
            return Err(e.invalid(format!("material name '{name}' is used twice"), "rename one of them"));
        }
        e.skip();
        self.notes.visual(e, "material");
        Ok(())
    }

    fn read_mesh(&mut self, e: &Element) -> Read<()> {
        let mut spec = self.defaults.of(e, 0)?.mesh.clone();
        spec.read(e)?;
        let made = builtin::read(e)?;
        let file = e.nonempty("file").map(str::to_owned);
        let media_type = e.nonempty("content_type").map(str::to_owned);
        let vertices = e.numbers("vertex")?;
        let faces = e.numbers("face")?;
        e.skip_attributes(&["class", "normal", "texcoord", "smoothnormal", "material"]);
        let ref_position = e.vector::<3>("refpos")?.unwrap_or_default().into();
        let ref_rotation = match e.vector::<4>("refquat")? {
            None => UnitQuaternion::identity(),
            Some(q) => quaternion(q).ok_or_else(|| {
                e.invalid_at("refquat", "the quaternion has no length", "write a quaternion w x y z")
            })?,
        };
        let name = e.nonempty("name").map(str::to_owned).or_else(|| file.as_deref().map(stem));
        if let Some(p) = e.children.first() {
            return Err(p.unsupported(format!("<{}> in a mesh", p.name), "use a mesh file"));
        }
        e.finish()?;
        let Some(name) = name else {
            return Err(e.invalid("the mesh has neither name nor file", "write name=\"...\""));
        };
        let data = match (file, vertices) {
            (Some(file), None) => MeshData::File { path: self.asset_file(e, &file)?, media_type },
            (None, Some(v)) => inline(e, &v, faces.as_deref())?,
            (Some(_), Some(_)) => {
                return Err(e.invalid_at("vertex", "the mesh has both 'file' and 'vertex'", "keep one"));
            }
            (None, None) => match made {
                Some(made) => made,
                None => {
                    return Err(e.invalid(
                        "the mesh has neither 'file' nor 'vertex'",
                        "write file=\"...\", or vertex=\"x y z ...\"",
                    ));
                }
            },
        };
        let asset = MeshAsset {
            place: e.place(),
            data,
            spec,
            ref_position,
            ref_rotation,
            surface: OnceCell::new(),
            hull: OnceCell::new(),
            unit_mass: OnceCell::new(),
        };
        match self.assets.meshes.get(&name) {
            Some(first) => Err(e.invalid(
                format!("mesh name '{name}' is used twice, first at {}", first.place),
                "rename one of them; without a name a mesh takes that of its file",
            )),
            None => {
                self.assets.meshes.insert(name, asset);
                Ok(())
            }
        }
    }

    /// Path of a mesh or height field; a file that is not there is an error unless meshes are not wanted.
    pub(super) fn asset_file(&self, e: &Element, file: &str) -> Read<PathBuf> {
        let tried = self.compilers[e.origin].candidates(&e.file, &self.options.mesh_dirs, file);
        match tried.iter().find(|p| p.is_file()) {
            Some(p) => Ok(p.clone()),
            None if self.options.without_meshes => Ok(tried[0].clone()),
            None => Err(e.invalid_at(
                "file",
                format!("file {} does not exist", tried[0].display()),
                "put the file there, correct meshdir or the name, or load without meshes (--without-meshes)",
            )),
        }
    }
}

fn inline(e: &Element, vertices: &[f64], faces: Option<&[f64]>) -> Read<MeshData> {
    if vertices.len() < 12 || !vertices.len().is_multiple_of(3) {
        return Err(e.invalid_at(
            "vertex",
            format!("'vertex' has {} numbers", vertices.len()),
            "write three numbers for each of at least four vertices",
        ));
    }
    let count = vertices.len() / 3;
    let triangles = match faces {
        None => None,
        Some(f) if !f.len().is_multiple_of(3) => {
            return Err(e.invalid_at(
                "face",
                format!("'face' has {} numbers", f.len()),
                "write three vertex numbers for each triangle",
            ));
        }
        Some(f) => {
            if let Some(bad) = f.iter().find(|x| x.fract() != 0.0 || **x < 0.0 || **x >= count as f64) {
                return Err(e.invalid_at(
                    "face",
                    format!("'face' names vertex {bad}, but there are {count}, counted from 0"),
                    "write numbers of vertices",
                ));
            }
            Some(f.chunks_exact(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect())
        }
    };
    let vertices = vertices.chunks_exact(3).map(|v| Point3::new(v[0], v[1], v[2])).collect();
    Ok(MeshData::Inline { vertices, triangles })
}
