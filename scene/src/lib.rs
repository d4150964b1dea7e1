//! What there is, free of coordinates: bodies, joints, shapes, surfaces, motors, tendons, sensors; built in Rust or read from MJCF
//! and URDF files. Every solver reads the same scene.

mod actuator;
mod body;
mod builder;
mod constraint;
mod geom;
mod load;
mod load_options;
mod mjcf;
mod note;
mod options;
mod pairs;
mod scene;
mod sensor;
mod surface;
mod urdf;
mod validate;
mod xml;

pub use actuator::{Actuator, ActuatorDynamics, ActuatorForce, Transmission};
pub use body::{Body, Joint, JointKind, Site};
pub use builder::SceneBuilder;
pub use constraint::{Equality, EqualityKind, Tendon, TendonPath, WrapElement};
pub use geom::{CollisionMask, ContactPair, Geom, GeomShape};
pub use load_options::LoadOptions;
pub use note::{Note, NoteKind, Place};
pub use options::{Options, Switches};
pub use pairs::CollisionFilter;
pub use scene::{Keyframe, Scene, SceneError};
pub use sensor::{Sensor, SensorKind, SensorObject};
pub use surface::{CombinationRule, ContactDefaults, SolParams, Surface};
pub use xml::did_you_mean;

/// A rigid transform; rotation first, then translation \[m\].
pub type Pose = signorini_core::na::Isometry3<f64>;
/// Number of a body in [`Scene::bodies`]; 0 is the world.
pub type BodyId = usize;
