use signorini_core::{
    AdvanceReport, BatchLayout, BatchStepper, LaneStatus, Observation, ObservationError, ObservationLayout,
    State, StepError,
};
use signorini_ipc::AffineScene;
use signorini_multibody::{Kinematics, Model};
use signorini_run::{Ipc, Method, Stepping};
use signorini_scene::{Pose, Scene};

use crate::affine_lane::{AffineLane, AffineStep};
use crate::watch::{Seen, Watch, between};
use crate::{BatchError, by_name, check_asked};

/// The name of the engine.
const ENGINE: &str = "ipc";

/// Worlds of affine bodies that never intersect, at the border in the coordinates of the joints of their scene: a plant for plan models of rigid bodies.
///
/// ```
/// use signorini_batch::AffineBatch;
/// use signorini_core::{BatchStepper, State};
/// use signorini_run::Ipc;
/// use signorini_scene::SceneBuilder;
/// let scene = SceneBuilder::new("drop").half_space().body("box").at([0.0, 0.0, 0.1]).free_joint().cuboid([0.05; 3]).build()?;
/// let mut plant = AffineBatch::new(&scene, 1, Ipc::default())?;
/// plant.step(&[], 5e-3, 60, &[])?;
/// let mut x = State::default();
/// plant.store(0, &mut x)?;
/// assert!(x.q[2] > 0.05 && x.q[2] < 0.052);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`BatchStepper::load`] makes the bodies anew at positions and velocities; from then on their own twelve coordinates go from step to step, and are read back after each. A loaded state is rigid and joints hold in it: one that is stored and loaded again
/// loses the deformation of bodies; lanes that are copied keep it.
/// Activations stay as loaded: actuators with dynamics are among the parts that affine bodies leave out ([`AffineBatch::left_out`]). Bodies that are moved from outside are put where they are to be by `load`; later they go there in
/// the next call of [`BatchStepper::step`], evenly over its time, and bodies that cannot give way stop them. Observations are those of the rigid scene at the positions and velocities read back; contact forces are sums over pairs of features; sensors are not
/// offered. Steps are fixed; all lanes are stepped on the caller's thread one after the other, each with its [`threads`](signorini_ipc::IpcOptions::threads).
pub struct AffineBatch {
    scene: Scene,
    /// Names, starts, kinematics.
    model: Model,
    method: Ipc,
    lanes: Vec<AffineLane>,
    step: AffineStep,
    watch: Watch,
}

impl AffineBatch {
    /// `lanes` worlds as drawn, at rest. A scene whose bodies overlap as drawn is made all the same, and fails in its first step unless a state is loaded before.
    ///
    /// # Errors
    /// [`BatchError::Affine`] for scenes that affine bodies cannot represent; [`BatchError::Model`]; [`BatchError::Step`] for steps of the method's own, and for error
    /// control.
    pub fn new(scene: &Scene, lanes: usize, method: Ipc) -> Result<Self, BatchError> {
        check_asked(&Method::Ipc(method.clone()))?;
        if let Stepping::Controlled(_) = method.stepping {
            let why = "worlds of affine bodies take fixed steps; leave error control out, or run the scene with `run_affine`";
            return Err(StepError::Argument(why.into()).into());
        }
        let model = Model::new(scene)?;
        let x = model.state_at(None, model.nz)?;
        let mocap = (0..scene.bodies.len()).filter(|b| scene.bodies[*b].mocap).collect();
        let method = Ipc { options: Some(method.options_for(scene)), ..method };
        let affine = method.affine_scene(scene, Some(&x.q))?;
        let first = AffineLane::new(affine, &x, &model.mocap_poses)?;
        Ok(Self {
            scene: scene.clone(),
            model,
            method,
            lanes: vec![first; lanes],
            step: AffineStep { end: State::default(), mocap },
            watch: Watch::default(),
        })
    }

    /// Work of a lane since it was loaded.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn report(&self, lane: usize) -> Result<&AdvanceReport, StepError> {
        self.layout().check_lane(lane)?;
        Ok(&self.lanes[lane].report)
    }

    /// Parts of the scene that the affine bodies of a lane leave out, one sentence each.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn left_out(&self, lane: usize) -> Result<&[String], StepError> {
        self.layout().check_lane(lane)?;
        Ok(&self.lanes[lane].affine.left_out)
    }

    /// The affine bodies of a lane and their state, to look at.
    ///
    /// # Errors
    /// A lane that does not exist.
    pub fn affine(&self, lane: usize) -> Result<(&AffineScene, &State), StepError> {
        self.layout().check_lane(lane)?;
        Ok((&self.lanes[lane].affine, self.lanes[lane].inner()))
    }

    /// A lane at a state, bodies moved from outside at `mocap`.
    fn made(&self, x: &State, mocap: &[Pose]) -> Result<AffineLane, String> {
        let mut scene = self.scene.clone();
        for (body, pose) in self.step.mocap.iter().zip(mocap) {
            scene.bodies[*body].pose = *pose;
        }
        let affine = self.method.affine_scene(&scene, Some(&x.q));
        let affine = affine.map_err(|e| e.to_string())?;
        let mut lane = AffineLane::new(affine, x, mocap).map_err(|e| e.to_string())?;
        match lane.overlap(&scene) {
            None => Ok(lane),
            Some(what) => Err(format!(
                "{what}; load a state in which they are apart, or set exclude_overlaps to let them pass through each other"
            )),
        }
    }
}

impl BatchStepper for AffineBatch {
    fn layout(&self) -> BatchLayout {
        let m = &self.model;
        BatchLayout {
            lanes: self.lanes.len(),
            nq: m.nq,
            nv: m.nv(),
            nz: m.nz,
            nu: self.scene.actuators.len(),
        }
    }

    /// Bodies that overlap are refused by the names of their geoms.
    fn load(&mut self, lane: usize, x: &State) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        let refused = |why: String| StepError::Argument(format!("state of lane {lane}: {why}"));
        self.model.check_state(&x.q, &x.v).map_err(|e| refused(e.to_string()))?;
        if x.z.len() != self.model.nz {
            return Err(refused(format!(
                "it has {} activations, but must have {}",
                x.z.len(),
                self.model.nz
            )));
        }
        x.check_finite().map_err(|e| StepError::problem(x.t, 0.0, e))?;
        self.lanes[lane] = self.made(x, &self.lanes[lane].mocap).map_err(refused)?;
        Ok(())
    }

    fn store(&self, lane: usize, x: &mut State) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        x.copy_from(&self.lanes[lane].x);
        Ok(())
    }

    fn copy_lane(&mut self, from: usize, to: usize) -> Result<(), StepError> {
        self.layout().check_lane(from)?;
        self.layout().check_lane(to)?;
        if from != to {
            self.lanes[to] = self.lanes[from].clone();
        }
        Ok(())
    }

    fn step(&mut self, control: &[f64], dt: f64, substeps: u32, active: &[bool]) -> Result<(), StepError> {
        let size = self.layout();
        size.check_step(control, dt, active)?;
        for (i, lane) in self.lanes.iter_mut().enumerate().filter(|(i, _)| active.get(*i).is_none_or(|a| *a))
        {
            lane.run(
                &control[i * size.nu..(i + 1) * size.nu],
                dt,
                substeps,
                &mut self.step,
                &self.scene,
                &self.watch,
            );
        }
        Ok(())
    }

    fn status(&self, lane: usize) -> Option<&LaneStatus> {
        self.lanes.get(lane).map(|l| &l.status)
    }

    fn engine(&self) -> String {
        ENGINE.into()
    }

    fn watch(&mut self, wanted: &[Observation]) -> Result<ObservationLayout, ObservationError> {
        if let Some(sensor) = wanted.iter().find(|w| matches!(w, Observation::Sensor(_))) {
            return Err(ObservationError::NotOffered {
                engine: ENGINE.into(),
                wanted: sensor.to_string(),
                offered: "joints, frames, distances of geoms, contact forces and collisions; ask for what the sensor measures by name".into(),
            });
        }
        self.watch = Watch::new(&self.model, ENGINE, wanted)?;
        self.lanes.iter_mut().for_each(|lane| lane.collisions.clear());
        Ok(self.watch.layout.clone())
    }

    fn observe(&self, lane: usize, out: &mut [f64]) -> Result<(), StepError> {
        self.layout().check_lane(lane)?;
        let expected = self.watch.layout.width();
        if out.len() != expected {
            let found = out.len();
            return Err(StepError::Argument(format!(
                "the array for the observations has {found} entries, but must have {expected}"
            )));
        }
        let lane = &self.lanes[lane];
        let force = |bodies| between(bodies, lane.forces.iter().copied());
        let seen = Seen { model: &self.model, x: &lane.x, sensors: None, force: &force };
        let mut kin = Kinematics::new(&self.model);
        self.watch.read(&seen, &lane.mocap_poses(&self.step.mocap), &mut kin, out);
        self.watch.write_collisions(&lane.collisions, out);
        Ok(())
    }

    fn start(&self, keyframe: Option<&str>, x: &mut State) -> Result<(), ObservationError> {
        by_name::start(&self.model, ENGINE, keyframe, x)
    }

    fn set_joint(&self, joint: &str, q: &[f64], v: &[f64], x: &mut State) -> Result<(), ObservationError> {
        by_name::set_joint(&self.model, ENGINE, joint, q, v, x)
    }

    /// A body that is seen is where it is: it goes to the pose in the next step, or is put there by the next load.
    fn set_mocap(&mut self, lane: usize, body: &str, pose: &Pose) -> Result<(), ObservationError> {
        let at = by_name::mocap_body(&self.model, ENGINE, body)?;
        by_name::check_pose(ENGINE, body, pose, self.layout().check_lane(lane))?;
        self.lanes[lane].mocap[at] = *pose;
        Ok(())
    }
}
