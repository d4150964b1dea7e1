use std::path::PathBuf;

/// Settings of reading model files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Meshes and height fields are not read: their geoms become [`crate::GeomShape::MissingMesh`], with a note each. A body whose
    /// inertia would come from such a mesh gets a placeholder mass, with a warning.
    pub without_meshes: bool,
    /// Colliding mesh geoms keep the triangle surface itself instead of its convex hull.
    pub keep_mesh_surfaces: bool,
    /// Folders in which meshes, models and packages are looked for when they are not where the file says.
    pub mesh_dirs: Vec<PathBuf>,
    /// URDF only: the root link floats (a free joint named `root_joint`) instead of being welded to the world.
    /// MJCF and SDFormat files and model directives state it themselves and are refused with it.
    pub floating_base: bool,
    /// Elements and attributes that are not part of the format are refused instead of noted ([`crate::NoteKind::Unknown`]).
    pub strict: bool,
}
