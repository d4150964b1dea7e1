//! A scene, free of coordinates: bodies, joints, shapes, surfaces, motors, tendons, sensors; built in Rust or read from files of MJCF,
//! URDF, SDFormat and model directives. All solvers read one scene.
//!
//! ```
//! use signorini_scene::{LoadOptions, Scene};
//!
//! let scene = Scene::load("../models/quadruped/quadruped.xml", &LoadOptions::default())?;
//! println!("{} bodies of {:.2} kg, {} velocities", scene.bodies.len(), scene.total_mass(), scene.nv());
//! for note in &scene.notes {
//!     println!("{}: {}", note.place.element, note.text);
//! }
//! assert_eq!(scene.nv(), 6 + scene.actuators.len()); // a free trunk, and a motor per hinge
//! # Ok::<(), signorini_scene::SceneError>(())
//! ```
//!
//! - [`Scene`]: all of it. [`Scene::load`] reads a file, [`Scene::from_mjcf`], [`Scene::from_urdf`], [`Scene::from_sdf`] and [`Scene::from_directives`] a text, [`SceneBuilder`] makes one in Rust.
//! - [`Body`], [`Joint`], [`Geom`], [`Site`], [`Surface`]: bodies, their motion, shapes and surfaces.
//! - [`Actuator`], [`Tendon`], [`Equality`], [`Sensor`], [`Keyframe`]: drives, bonds, measurements and named starts.
//! - [`CollisionFilter`]: which geoms may touch.
//! - [`SceneError`]: file, line, element and remedy of a refusal. [`Note`]: a reading that departs from the text.

mod actuator;
mod area_notes;
mod body;
mod builder;
mod constraint;
mod default_areas;
mod directives;
mod geom;
mod hulls;
mod hydroelastic;
mod load;
mod load_options;
mod medium;
mod mjcf;
mod note;
mod numbers;
mod options;
mod pairs;
mod relations;
mod robot;
mod scene;
mod sdf;
mod sensor;
mod surface;
mod urdf;
mod validate;
mod xml;

pub use actuator::{Actuator, ActuatorDynamics, ActuatorForce, MuscleCurves, MuscleForce, Transmission};
pub use body::{Body, HigherOrder, Joint, JointKind, Site};
pub use builder::SceneBuilder;
pub use constraint::{Equality, EqualityKind, Tendon, TendonPath, WrapElement};
pub use geom::{CollisionMask, ContactPair, Geom, GeomShape};
pub use hydroelastic::{BothRigid, Hydroelastic, Meeting};
pub use load_options::LoadOptions;
pub use medium::{FluidEllipsoid, Medium};
pub use note::{Note, NoteKind, Place};
pub use options::{ConstraintDefaults, Options, Switches};
pub use pairs::CollisionFilter;
pub use scene::{Keyframe, Scene, SceneError};
pub use sensor::{ContactChoice, ContactReport, ContactValue, Sensor, SensorKind, SensorObject};
pub use surface::{CombinationRule, ContactDefaults, SolParams, Surface};
pub use xml::did_you_mean;

/// A rigid transform; rotation first, then translation \[m\].
pub type Pose = signorini_core::na::Isometry3<f64>;
/// Number of a body in [`Scene::bodies`]; 0 is the world.
pub type BodyId = usize;
