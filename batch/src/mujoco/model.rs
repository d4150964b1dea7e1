use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use signorini_multibody::{Model as Multibody, STEEPEST, limited_friction};
use signorini_run::{Method, unread};
use signorini_scene::{Keyframe, LoadOptions, NoteKind, Scene};

use super::MujocoError;
use super::error::within;
use super::support::{Supported, check_settings};

/// Kinds of named elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A body; 0 is the world.
    Body,
    /// A joint.
    Joint,
    /// A geom.
    Geom,
    /// A site.
    Site,
    /// A tendon.
    Tendon,
    /// An actuator.
    Actuator,
    /// A sensor.
    Sensor,
    /// A keyframe.
    Key,
}

impl Object {
    fn word(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Joint => "joint",
            Self::Geom => "geom",
            Self::Site => "site",
            Self::Tendon => "tendon",
            Self::Actuator => "actuator",
            Self::Sensor => "sensor",
            Self::Key => "key",
        }
    }
}

/// Settings that may be changed between steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opt {
    /// Step \[s\].
    pub timestep: f64,
    /// Gravity \[m/s²\], 3.
    pub gravity: [f64; 3],
}

/// MuJoCo's step when the file states none \[s\].
const DEFAULT_TIMESTEP: f64 = 2e-3;

/// MuJoCo's `mjModel`: constant while it is simulated, changed through its setters.
///
/// Elements without a name have one made up (`body3`, `geom7`). Data notice changes of the model at their next step.
#[derive(Clone, Debug)]
pub struct Model {
    /// Step and gravity.
    pub opt: Opt,
    scene: Scene,
    inner: Multibody,
    method: Method,
    /// Changes with every change; no two models share one unless they are copies.
    revision: u64,
    /// Shared by copies and changes of one model, which have equal geoms and one law.
    origin: u64,
    warnings: Vec<String>,
    /// Warning on friction among `warnings`.
    of_friction: Option<String>,
}

/// A number that no model has.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Model {
    /// Reads an MJCF or URDF file; contact by projected Gauss–Seidel over ComFree's impedance ([`Method::comfree`]). ComFree itself, one evaluation per step, is `Model::with_method` of [`Method::comfree_sweeping`] with 1.
    ///
    /// # Errors
    /// [`MujocoError::Scene`] with file, line, element and remedy; [`MujocoError::Unsupported`] for settings that cannot keep their meaning.
    pub fn from_xml_path(path: impl AsRef<Path>) -> Result<Self, MujocoError> {
        Self::from_scene(Scene::load(path, &LoadOptions::default())?, Method::comfree())
    }

    /// Reads an MJCF text; files that it names are looked for in the working folder.
    ///
    /// # Errors
    /// As [`Model::from_xml_path`].
    pub fn from_xml_string(xml: &str) -> Result<Self, MujocoError> {
        Self::from_scene(Scene::from_mjcf(xml, "model.xml", &LoadOptions::default())?, Method::comfree())
    }

    /// From a scene, with the contact of a method. Settings that would be refused stand in `scene.options.unused`: who takes one out accepts that it has no effect.
    ///
    /// # Errors
    /// As [`Model::from_xml_path`].
    pub fn from_scene(scene: Scene, method: Method) -> Result<Self, MujocoError> {
        check_settings(&scene)?;
        let opt = Opt {
            timestep: scene.options.suggested_dt.unwrap_or(DEFAULT_TIMESTEP),
            gravity: scene.options.gravity.into(),
        };
        let inner = Multibody::new(&scene)?;
        let warnings = scene.notes.iter().filter(|n| matches!(n.kind, NoteKind::Warning | NoteKind::Unknown));
        let warnings = warnings.map(|n| format!("{}: {}", n.place, n.text)).collect();
        let revision = fresh();
        let of_friction = None;
        let mut m = Self { opt, scene, inner, method, revision, origin: revision, warnings, of_friction };
        m.look_at_method()?;
        Ok(m)
    }

    /// Says so where contacts get less friction than the geoms state, and where the method does not read what the file states.
    fn look_at_method(&mut self) -> Result<(), MujocoError> {
        self.warnings.retain(|w| !w.starts_with("not read: "));
        self.warnings.extend(unread(&self.scene, &self.method));
        if let Some(text) = self.of_friction.take() {
            self.warnings.retain(|w| *w != text);
        }
        let steep = |mu: f64| mu > STEEPEST;
        let s = &self.scene;
        if s.geoms.iter().any(|g| steep(g.surface.friction))
            || s.pairs.iter().any(|p| steep(p.material.friction_static))
        {
            let pairs = self.method.system(s)?.kinds_of_pairs();
            self.of_friction = limited_friction(s, &pairs);
            self.warnings.extend(self.of_friction.clone());
        }
        Ok(())
    }

    /// The model with another solver of contact.
    #[must_use]
    pub fn with_method(mut self, method: Method) -> Self {
        self.method = method;
        self.revision = fresh();
        self.origin = self.revision;
        // A method that makes no system of the scene is an error of the data.
        let _ = self.look_at_method();
        self
    }

    /// Warnings of the reader of the file, with file, line and element: for example a keyframe that is shorter than nq and was
    /// filled up from the reference configuration, or friction so large that contacts get less ([`STEEPEST`]), and of what the file states and the method does not read ([`unread`]). [`Scene::notes`] has everything else that was converted or kept out.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Settings of the file that mean something else here, with that meaning.
    pub fn differences(&self) -> Vec<(&'static Supported, String)> {
        super::support::differences(&self.scene)
    }

    /// The scene with the gravity of [`Model::opt`].
    ///
    /// # Errors
    /// [`MujocoError::Value`] for a step that is not positive or gravity that is not finite.
    pub(crate) fn scene_now(&self) -> Result<Scene, MujocoError> {
        if let Some(value) = self.opt.gravity.iter().find(|g| !g.is_finite()) {
            let field = "opt.gravity".to_owned();
            return Err(MujocoError::Value { field, value: *value, remedy: "give three finite numbers" });
        }
        let mut s = self.scene.clone();
        s.options.gravity = self.opt.gravity.into();
        Ok(s)
    }

    pub(crate) fn method(&self) -> &Method {
        &self.method
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn origin(&self) -> u64 {
        self.origin
    }

    /// The scene as it was read or set.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The model in generalised coordinates, for parts without a name here; its gravity is that of the file.
    pub fn multibody(&self) -> &Multibody {
        &self.inner
    }

    /// Number of positions.
    pub fn nq(&self) -> usize {
        self.inner.nq
    }
    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.inner.nv()
    }
    /// Number of controls.
    pub fn nu(&self) -> usize {
        self.scene.actuators.len()
    }
    /// Number of activations.
    pub fn na(&self) -> usize {
        self.inner.nz
    }
    /// Number of bodies, the world included.
    pub fn nbody(&self) -> usize {
        self.scene.bodies.len()
    }
    /// Number of joints.
    pub fn njnt(&self) -> usize {
        self.scene.joints.len()
    }
    /// Number of geoms.
    pub fn ngeom(&self) -> usize {
        self.scene.geoms.len()
    }
    /// Number of sites.
    pub fn nsite(&self) -> usize {
        self.scene.sites.len()
    }
    /// Number of tendons.
    pub fn ntendon(&self) -> usize {
        self.scene.tendons.len()
    }
    /// Number of equality constraints.
    pub fn neq(&self) -> usize {
        self.scene.equalities.len()
    }
    /// Number of sensors.
    pub fn nsensor(&self) -> usize {
        self.scene.sensors.len()
    }
    /// Number of sensor values.
    pub fn nsensordata(&self) -> usize {
        self.scene.sensors.iter().map(|s| s.kind.dim()).sum()
    }
    /// Number of keyframes.
    pub fn nkey(&self) -> usize {
        self.scene.keyframes.len()
    }
    /// Number of mocap bodies.
    pub fn nmocap(&self) -> usize {
        self.inner.mocap_poses.len()
    }
    /// Length of a state (time, qpos, qvel, act): `mjSTATE_FULLPHYSICS`.
    pub fn nstate(&self) -> usize {
        1 + self.nq() + self.nv() + self.na()
    }

    fn names(&self, kind: Object) -> Vec<&str> {
        let s = &self.scene;
        match kind {
            Object::Body => s.bodies.iter().map(|x| x.name.as_str()).collect(),
            Object::Joint => s.joints.iter().map(|x| x.name.as_str()).collect(),
            Object::Geom => s.geoms.iter().map(|x| x.name.as_str()).collect(),
            Object::Site => s.sites.iter().map(|x| x.name.as_str()).collect(),
            Object::Tendon => s.tendons.iter().map(|x| x.name.as_str()).collect(),
            Object::Actuator => s.actuators.iter().map(|x| x.name.as_str()).collect(),
            Object::Sensor => s.sensors.iter().map(|x| x.name.as_str()).collect(),
            Object::Key => s.keyframes.iter().map(|x| x.name.as_str()).collect(),
        }
    }

    /// `mj_name2id`; None for a name that does not exist.
    pub fn name2id(&self, kind: Object, name: &str) -> Option<usize> {
        self.names(kind).iter().position(|n| *n == name)
    }

    /// `mj_id2name`; None for a number that does not exist.
    pub fn id2name(&self, kind: Object, id: usize) -> Option<&str> {
        self.names(kind).get(id).copied()
    }

    fn find(&self, kind: Object, name: &str) -> Result<usize, MujocoError> {
        self.name2id(kind, name).ok_or_else(|| {
            let known: Vec<&str> = self.names(kind).into_iter().take(20).collect();
            MujocoError::Name { kind: kind.word(), name: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Number of a body.
    ///
    /// # Errors
    /// [`MujocoError::Name`] with names that exist; so do the following.
    pub fn body(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Body, name)
    }
    /// Number of a joint.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn joint(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Joint, name)
    }
    /// Number of a geom.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn geom(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Geom, name)
    }
    /// Number of a site.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn site(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Site, name)
    }
    /// Number of an actuator.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn actuator(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Actuator, name)
    }
    /// Number of a sensor.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn sensor(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Sensor, name)
    }
    /// Number of a keyframe.
    ///
    /// # Errors
    /// [`MujocoError::Name`].
    pub fn key(&self, name: &str) -> Result<usize, MujocoError> {
        self.find(Object::Key, name)
    }

    pub(crate) fn keyframe(&self, key: usize) -> Result<&Keyframe, MujocoError> {
        within("keyframe", key, self.nkey())?;
        Ok(&self.scene.keyframes[key])
    }

    /// Changes the scene, keeps the change when the model can be built with it.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Scene)) -> Result<(), MujocoError> {
        let mut scene = self.scene.clone();
        change(&mut scene);
        self.inner = Multibody::new(&scene)?;
        self.scene = scene;
        self.revision = fresh();
        self.look_at_method()
    }
}
