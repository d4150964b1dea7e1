use std::path::PathBuf;

use signorini_core::ContactMaterial;
use signorini_geometry::Shape;

use crate::{BodyId, Place, Pose, Surface};

/// The shape of a geom, or the file of its mesh when that is absent.
#[derive(Clone, Debug)]
pub enum GeomShape {
    /// A shape.
    Solid(Shape),
    /// A mesh that was not read (`without meshes`): it cannot collide.
    MissingMesh(PathBuf),
}

/// MuJoCo's collision bits: a pair may collide when `a.contype & b.conaffinity` or `b.contype & a.conaffinity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollisionMask {
    /// Bits of the geom itself.
    pub contype: u32,
    /// Bits of the geoms that it may meet.
    pub conaffinity: u32,
}

impl Default for CollisionMask {
    fn default() -> Self {
        Self { contype: 1, conaffinity: 1 }
    }
}

impl CollisionMask {
    /// Whether the masks let a pair collide.
    pub fn meets(self, o: Self) -> bool {
        self.contype & o.conaffinity != 0 || o.contype & self.conaffinity != 0
    }
    /// True when it can meet nothing (a visual geom).
    pub fn is_empty(self) -> bool {
        self.contype == 0 && self.conaffinity == 0
    }
}

/// A shape on a body.
#[derive(Clone, Debug)]
pub struct Geom {
    /// Unique name; made up as `geom<N>` when the file gives none.
    pub name: String,
    /// Body.
    pub body: BodyId,
    /// Pose in the body frame.
    pub pose: Pose,
    /// Shape.
    pub shape: GeomShape,
    /// Collision bits; empty for visual geoms.
    pub mask: CollisionMask,
    /// Surface.
    pub surface: Surface,
    /// Group number of the file (visualisation).
    pub group: i32,
    /// Colour (r, g, b, a) in 0..1.
    pub rgba: [f32; 4],
    /// Place in the model file.
    pub place: Place,
}

impl Geom {
    /// Its place, with its name once: that of the element may be another one, or none.
    pub fn named_place(&self) -> Place {
        let (element, name) = (&self.place.element, format!("geom '{}'", self.name));
        let element = match element.as_str() {
            "" | "geom" => name,
            e if e.ends_with(&format!("'{}'", self.name)) => element.clone(),
            e => format!("{e}, {name}"),
        };
        Place { element, ..self.place.clone() }
    }
}

/// A pair of geoms whose contact is stated explicitly, past all filters.
#[derive(Clone, Debug)]
pub struct ContactPair {
    /// Name.
    pub name: String,
    /// First geom.
    pub geom_a: usize,
    /// Second geom.
    pub geom_b: usize,
    /// Material of the contact; values that the pair does not state come from the combination of the surfaces.
    pub material: ContactMaterial,
    /// Contacts are created below this gap \[m\].
    pub margin: f64,
    /// Contacts with gap above margin − this do not act \[m\].
    pub inactive_gap: f64,
    /// Place in the model file.
    pub place: Place,
}
