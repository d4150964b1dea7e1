//! Notes on meshes that are hollow or concave and collide as their hulls.

use signorini_geometry::{ConvexMesh, TriangleMesh};

use crate::{Note, NoteKind, Place};

/// Least volume of a hull in units of that of its mesh that is told.
const FILLED: f64 = 1.25;

/// A closed mesh that collides as its hull.
struct Filled {
    place: Place,
    name: String,
    /// Volumes of mesh and hull \[m³\].
    volumes: [f64; 2],
}

/// Meshes that collide as hulls of more volume.
#[derive(Default)]
pub(crate) struct Hulls {
    filled: Vec<Filled>,
}

impl Hulls {
    /// Takes a mesh beside its hull; open meshes enclose nothing and are passed over.
    pub(crate) fn look(&mut self, place: &Place, name: &str, mesh: &TriangleMesh, hull: &ConvexMesh) {
        let volumes = [mesh.signed_volume().abs(), hull.volume()];
        if volumes[1] > FILLED * volumes[0] && mesh.is_watertight() {
            self.filled.push(Filled { place: place.clone(), name: name.to_owned(), volumes });
        }
    }

    /// A warning of the mesh that its hull fills most, with the number of the others, and a note on each of these.
    pub(crate) fn notes(mut self) -> Vec<Note> {
        let ratio = |f: &Filled| f.volumes[1] / f.volumes[0];
        self.filled.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)).then_with(|| a.name.cmp(&b.name)));
        let others = match self.filled.len() {
            0 | 1 => String::new(),
            2 => "; so does another mesh".to_owned(),
            n => format!("; so do {} other meshes", n - 1),
        };
        let note = |(i, f): (usize, Filled)| {
            let [mesh, hull] = f.volumes;
            let fact = format!(
                "mesh '{}' collides as its convex hull: the mesh encloses {mesh:.3e} m³, the hull {hull:.3e} m³",
                f.name
            );
            let (kind, text) = match i {
                0 => {
                    let remedy = "keep its triangles with --mesh-surfaces (`LoadOptions::keep_mesh_surfaces`), or give it as convex pieces";
                    (NoteKind::Warning, format!("{fact}{others}; {remedy}"))
                }
                _ => (NoteKind::Converted, fact),
            };
            Note { kind, place: f.place, text }
        };
        self.filled.into_iter().enumerate().map(note).collect()
    }
}
