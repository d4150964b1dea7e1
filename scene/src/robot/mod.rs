//! Parts that the readers of robot descriptions share: URDF's, SDFormat's, and that of model directives.

mod balls;
mod coordinates;
mod filters;
mod foreign;
mod geometry;
mod inertia;
mod mesh;
mod mesh_path;
mod motors;
mod notes;
mod relations;
mod surface;
mod tree;

use std::collections::HashSet;
use std::path::Path;

pub(crate) use coordinates::plain;
pub(crate) use filters::{Group, pairs as filter_pairs};
pub(crate) use foreign::is_block;
pub(crate) use geometry::{GREY, Purpose, visual_surface};
pub(crate) use mesh_path::{NotFound, resolve};
pub(crate) use motors::reflected_inertia;
pub(crate) use notes::Notes;
pub(crate) use relations::{Follower, on_relations, refuse_loops};
pub(crate) use surface::{DEFAULT_FRICTION, value};
pub(crate) use tree::frame_shape;

use crate::area_notes::notes_on_areas;
use crate::mjcf::Compiler;
use crate::xml::Read;
use crate::{CombinationRule, LoadOptions, Scene};

/// State of reading one model; `own` is that of its format.
pub(crate) struct Reader<'a, T> {
    pub(crate) path: &'a Path,
    pub(crate) options: &'a LoadOptions,
    pub(crate) scene: Scene,
    /// Settings of MuJoCo, which a URDF file may have.
    pub(crate) compiler: Compiler,
    pub(crate) notes: Notes,
    pub(crate) meshes: mesh::MeshCache,
    geom_names: HashSet<String>,
    pub(crate) own: T,
}

impl<'a, T> Reader<'a, T> {
    /// A reader of a model whose main file is at `path`; surfaces combine as springs in series, Drake's rule.
    pub(crate) fn new(path: &'a Path, options: &'a LoadOptions, compiler: Compiler, own: T) -> Self {
        let mut scene = Scene { files: vec![path.to_path_buf()], ..Scene::default() };
        scene.options.combination = CombinationRule::Series;
        Self {
            path,
            options,
            scene,
            compiler,
            notes: Notes::default(),
            meshes: mesh::MeshCache::default(),
            geom_names: HashSet::new(),
            own,
        }
    }

    /// The scene with its notes, checked.
    pub(crate) fn finish_scene(self) -> Read<Scene> {
        let mut scene = self.scene;
        scene.notes = self.notes.finish();
        scene.notes.extend(self.meshes.filled_hulls());
        scene.check_structure()?;
        scene.notes.extend(notes_on_areas(&scene.geoms));
        scene.refuse_unknown(self.options)?;
        Ok(scene)
    }
}
