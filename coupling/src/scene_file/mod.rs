//! Scenes of material points beside the bodies of a model, from files.

mod apart;
mod build;
mod file;
mod gaps;
mod keyframes;
mod keys;
mod material;
mod section;

use std::collections::BTreeSet;

use signorini_core::na::Vector3;
use signorini_core::{AcceptedStep, Energy, OneStep, ProblemError, State, StepError, StepReport};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{MpmEngine, MpmError, Pin};
use signorini_multibody::{Kinematics, ModelError, RigidOptions, RigidSystem, Sensors};
use signorini_scene::{Keyframe, Scene};

use build::Held;
pub use build::PointBody;
pub use file::{Body, ContactTable, Kind, PinTable, SceneFile};
pub use keys::scene_file_keys;
pub use material::Solid;
pub use section::{Named, Numbers, SceneFileError};

use crate::{Asynchronous, CouplingError, CouplingReport, EnginePoints, Iteration, Limit};

/// Part of a step that is none.
const ROUND_OFF: f64 = 1e-6;

/// Material points in the fast path beside bodies under the lagged law.
pub type ScenePoints = Asynchronous<EnginePoints<f32>, ContactStep<IcfSolver>>;

/// Why a scene file and a model make no run.
#[derive(Debug, thiserror::Error)]
pub enum PointSceneError {
    /// An entry of the file.
    #[error(transparent)]
    File(#[from] SceneFileError),
    /// The model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Both together.
    #[error(transparent)]
    Coupling(#[from] CouplingError),
    /// Law of contact.
    #[error(transparent)]
    Problem(#[from] ProblemError),
}

/// A body of the model that points meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Number of the body; 0 is the world.
    pub body: usize,
    /// Its name.
    pub name: String,
}

/// A scene file that is run: points beside the bodies of its model.
pub struct PointScene {
    file: SceneFile,
    both: ScenePoints,
    /// State of the bodies.
    pub state: State,
    bodies: Vec<PointBody>,
    geoms: Vec<usize>,
    names: Vec<String>,
    links: Vec<Link>,
    choices: Vec<String>,
    warnings: Vec<String>,
    /// Pins that hold.
    pins: Vec<Held>,
    /// Controls of keyframes over time.
    motion: Vec<(f64, Vec<f64>)>,
}

impl PointScene {
    /// Puts the points of a file beside the bodies of its model, which `scene` was read from.
    ///
    /// # Errors
    /// [`PointSceneError`]: keyframes and geoms that the model has not, numbers out of range, bodies that start inside each other.
    pub fn new(file: SceneFile, scene: &Scene) -> Result<Self, PointSceneError> {
        let law = || contact_pool("lagged").map_err(|e| ProblemError::Unsupported(e.to_string()));
        let mut rigid = RigidSystem::new(scene, &*law()?, RigidOptions::default())?;
        let (model, home) = (rigid.model(), scene.keyframe("home"));
        let q = model.state_at(home, home.map_or(0, |k| k.activation.len()))?.q;
        let base = Keyframe { q, control: model.control_at(home)?, ..home.cloned().unwrap_or_default() };
        let keyframes = file.all_keyframes(scene, &base)?;
        let find = |n: &Named| file.keyframe_of(n, &keyframes);
        let key = file.keyframe.as_ref().map(find).transpose()?;
        let mut motion = Vec::new();
        for (t, n) in &file.motion {
            let control = &find(n)?.control;
            if control.is_empty() {
                let why = format!("motion: keyframe '{}' has no controls; give it some in the model", n.name);
                return Err(file.wrong(n.line, why).into());
            }
            motion.push((*t, control.clone()));
        }
        let state = rigid.initial_state(key.or(home))?;
        let mut parts = file.parts(scene)?;
        let mut kinematics = Kinematics::new(rigid.model());
        kinematics.set_positions(rigid.model(), &state.q, rigid.held().mocap);
        for (g, o) in parts.geoms.iter().zip(&mut parts.obstacles) {
            let geom = &scene.geoms[*g];
            o.pose = kinematics.x_wb[geom.body] * geom.pose;
        }
        file.set_stiffness(&mut parts)?;
        let pins = file.held(scene, &mut parts)?;
        let now: Vec<Pin> = pins.iter().map(|held| held.pin).collect();
        file.check_apart(&parts, &now)?;
        file.warn_of_narrow(&mut parts);
        let names = parts.obstacles.iter().map(|o| o.name.clone()).collect();
        let link = |body: usize| Link { body, name: scene.bodies[body].name.clone() };
        let met: BTreeSet<usize> = parts.geoms.iter().map(|g| scene.geoms[*g].body).collect();
        let engine = MpmEngine::<f32>::new(
            parts.particles,
            parts.materials,
            file.walls.iter().map(|w| w.0).collect(),
            parts.obstacles,
            law()?,
            parts.options,
        );
        let whole = |e: MpmError| file.wrong(1, e.to_string());
        let mut engine = engine.map_err(whole)?;
        for cloth in parts.cloth {
            engine = engine.with_cloth(cloth).map_err(whole)?;
        }
        let pinned = |e: MpmError| match file.pins.last() {
            Some(pin) => file.wrong(pin.line, e.to_string()),
            None => whole(e),
        };
        engine = engine.with_pins(now).map_err(pinned)?;
        let substeps = file.substeps(engine.longest_step(), parts.options.spacing)?;
        parts.choices.push(format!(
            "substeps of the points up to {:.2e} s at the start: {substeps} to a step of the bodies, {:.0} in a run of {} s",
            engine.longest_step(),
            (file.time / file.step).ceil() * substeps,
            file.time
        ));
        let step = ContactStep::new(IcfSolver::default());
        let mut both = ScenePoints::new(scene, &parts.geoms, engine, rigid, step, 1)?.with_shorter_substeps();
        if file.iterations > 1 {
            both = both.with_iteration(Iteration { most: file.iterations, ..Iteration::default() })?;
        }
        Ok(Self {
            file,
            both,
            state,
            bodies: parts.bodies,
            geoms: parts.geoms,
            names,
            links: met.into_iter().map(link).collect(),
            choices: parts.choices,
            warnings: parts.warnings,
            pins,
            motion,
        })
    }

    /// The file.
    pub fn file(&self) -> &SceneFile {
        &self.file
    }

    /// Depth to which contact is to be pressed \[m\]; none where the file has a stiffness.
    pub fn wanted_depth(&self) -> Option<f64> {
        let spacing = self.both.points().engine().options().spacing;
        self.file.contact.stiffness.is_none().then(|| self.file.depth(spacing))
    }

    /// Choices that the file left open, and sizes, in words.
    pub fn choices(&self) -> &[String] {
        &self.choices
    }

    /// Faults that a run may have, with their remedies.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Bodies of points and cloth.
    pub fn bodies(&self) -> &[PointBody] {
        &self.bodies
    }

    /// Geoms that points meet, by number in the scene, and their names.
    pub fn geoms(&self) -> (&[usize], &[String]) {
        (&self.geoms, &self.names)
    }

    /// Bodies that points meet, ascending.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Impulse \[N·s\] that points gave each link in a step, and its moment about the origin of the link's frame at the start of the step \[N·m·s\], world axes.
    pub fn link_impulses(&self, report: &CouplingReport) -> Vec<[Vector3<f64>; 2]> {
        let mut out = vec![[Vector3::zeros(); 2]; self.links.len()];
        let obstacles = self.both.points().engine().obstacles();
        for (o, [impulse, moment]) in report.impulses.iter().enumerate() {
            let (body, geom) = self.both.on_body(o);
            let Ok(link) = self.links.binary_search_by_key(&body, |l| l.body) else { continue };
            let arm = obstacles[o].pose.rotation * geom.rotation.inverse() * geom.translation.vector;
            out[link][0] += impulse;
            out[link][1] += moment + arm.cross(impulse);
        }
        out
    }

    /// Reads the sensors of the model at the end of a step of `dt` \[s\] from `x0`: contacts of points count among those of bodies, as means over the step.
    pub fn read_sensors(&mut self, sensors: &mut Sensors, x0: &State, report: &CouplingReport, dt: f64) {
        let whole = StepReport { dt, stats: report.rigid, ..StepReport::default() };
        let rigid = self.both.rigid();
        let (x1, step) = (&self.state, self.both.rigid_step());
        let (first, last) = (step.first_solve(), step.last_solve());
        let taken = AcceptedStep { x0, x1, report: &whole, rejected: 0, first, last, system: Some(rigid) };
        sensors.read_beside(rigid.model(), rigid.held(), rigid.contact_dim(), x1, &taken, &report.wrenches);
    }

    /// Energy of points and bodies together \[J\], at the state that `sensors` have read.
    pub fn energy(&mut self, sensors: &Sensors) -> Energy {
        self.both.place(&self.state);
        let points = self.both.points_mut().engine_mut().energy();
        let bodies = self.both.rigid_mut().energy_at(sensors.kinematics(), sensors.tendons(), &self.state);
        points + bodies
    }

    /// Both sides.
    pub fn both(&self) -> &ScenePoints {
        &self.both
    }

    /// Both sides, for controls and to read particles.
    pub fn both_mut(&mut self) -> &mut ScenePoints {
        &mut self.both
    }

    /// Limits of the last step, one for each geom.
    pub fn limits(&self) -> Vec<Limit> {
        self.both.limits()
    }

    /// One step, no further than `end` \[s\], under the controls that the motion has then, with the pins that hold. A last step shorter than round-off belongs to the one before.
    ///
    /// # Errors
    /// As [`Asynchronous::step`].
    pub fn step(&mut self, end: f64) -> Result<CouplingReport, StepError> {
        let t = self.state.t;
        if let Some(control) = between(&self.motion, t) {
            self.both.rigid_mut().control_mut().copy_from_slice(&control);
        }
        let (rest, step) = (end - t, self.file.step);
        let near = ROUND_OFF * step;
        let held = self.pins.len();
        self.pins.retain(|held| held.until > t + near);
        if self.pins.len() < held {
            let pins = self.pins.iter().map(|held| held.pin).collect();
            let fail = |e: MpmError| StepError::problem(t, step, ProblemError::Unsupported(e.to_string()));
            self.both.points_mut().engine_mut().set_pins(pins).map_err(fail)?;
        }
        let last = rest <= step + near;
        let report = self.both.step(&mut (), &mut self.state, if last { rest } else { step })?;
        if last {
            self.state.t = end;
        }
        Ok(report)
    }
}

/// Controls at a time between those of keyframes.
fn between(motion: &[(f64, Vec<f64>)], t: f64) -> Option<Vec<f64>> {
    let after = motion.iter().position(|m| m.0 > t).unwrap_or(motion.len());
    let (Some(last), next) = (motion.get(after.max(1) - 1), motion.get(after)) else { return None };
    let Some(next) = next.filter(|_| after > 0) else { return Some(last.1.clone()) };
    let part = (t - last.0) / (next.0 - last.0);
    Some(last.1.iter().zip(&next.1).map(|(a, b)| a + part * (b - a)).collect())
}
