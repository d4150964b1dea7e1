use std::path::PathBuf;
use std::sync::Arc;

use signorini_geometry::pressure::FieldCache;

use crate::{
    Actuator, Body, BodyId, ContactPair, Equality, Geom, Joint, Note, Options, Place, Pose, Sensor, Site,
    Tendon,
};

/// Why a scene could not be read or built. Every variant has the place, the fault and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The text is not well-formed XML.
    #[error("{place}: {message}")]
    Syntax {
        /// Place in the model file.
        place: Place,
        /// Message of the parser.
        message: String,
    },
    /// An element or attribute value that is wrong.
    #[error("{place}: {message}; {remedy}")]
    Invalid {
        /// Place in the model file.
        place: Place,
        /// The fault.
        message: String,
        /// Remedy.
        remedy: String,
    },
    /// Something this project does not support.
    #[error("{place}: {feature} is not supported; {remedy}")]
    Unsupported {
        /// Place in the model file.
        place: Place,
        /// The feature.
        feature: String,
        /// Remedy.
        remedy: String,
    },
}

/// A stored configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframe {
    /// Name.
    pub name: String,
    /// Time \[s\].
    pub time: f64,
    /// Positions in joint order, nq; empty: the reference configuration.
    pub q: Vec<f64>,
    /// Velocities in joint order, nv; empty: zero.
    pub v: Vec<f64>,
    /// Activations; empty: zero.
    pub activation: Vec<f64>,
    /// Controls, one per actuator; empty: zero.
    pub control: Vec<f64>,
    /// Poses of mocap bodies in body order; empty: as drawn.
    pub mocap: Vec<Pose>,
}

/// Everything there is, free of coordinates.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Name.
    pub name: String,
    /// Files read, the main one first.
    pub files: Vec<PathBuf>,
    /// Settings.
    pub options: Options,
    /// Bodies; 0 is the world; parents before children, depth-first in file order.
    pub bodies: Vec<Body>,
    /// Joints, ordered by body.
    pub joints: Vec<Joint>,
    /// Shapes, ordered by body.
    pub geoms: Vec<Geom>,
    /// Frames.
    pub sites: Vec<Site>,
    /// Equality constraints.
    pub equalities: Vec<Equality>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Motors.
    pub actuators: Vec<Actuator>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Stored configurations.
    pub keyframes: Vec<Keyframe>,
    /// Pairs of bodies that do not collide.
    pub excludes: Vec<(BodyId, BodyId)>,
    /// Pairs of geoms with stated contact parameters.
    pub pairs: Vec<ContactPair>,
    /// Pressure fields and rigid surfaces of its shapes. Clones of a scene share them, so that all worlds of one scene hold one copy, and they go with the last.
    pub fields: Arc<FieldCache>,
    /// Remarks: conversions, elements without mechanical meaning, warnings.
    pub notes: Vec<Note>,
}

impl Scene {
    /// Number of positions in generalised coordinates.
    pub fn nq(&self) -> usize {
        self.joints.iter().map(|j| j.kind.nq()).sum()
    }
    /// Number of velocities in generalised coordinates.
    pub fn nv(&self) -> usize {
        self.joints.iter().map(|j| j.kind.nv()).sum()
    }
    /// Body by name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|b| b.name == name)
    }
    /// Joint by name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }
    /// Keyframe by name.
    pub fn keyframe(&self, name: &str) -> Option<&Keyframe> {
        self.keyframes.iter().find(|k| k.name == name)
    }
    /// A geom in a sentence: its name, its body and, where it has one, its place in the model file.
    ///
    /// # Panics
    /// If there is no geom of this number.
    pub fn told_geom(&self, geom: usize) -> String {
        let g = &self.geoms[geom];
        format!("geom '{}' of body '{}'{}", g.name, self.bodies[g.body].name, g.place.aside())
    }
    /// Sum of all masses \[kg\].
    pub fn total_mass(&self) -> f64 {
        self.bodies.iter().filter_map(|b| b.mass).fold(0.0, |sum, m| sum + m.mass)
    }
}
