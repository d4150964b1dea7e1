use signorini_core::{AdvanceReport, LaneStatus, LastSolve, OneStep, State, StepError, check_end};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, FRICTION, IpcSolver, STEP_TOLERANCE};
use signorini_scene::{Pose, Scene};

use crate::watch::Watch;

/// One world of affine bodies.
#[derive(Clone)]
pub(crate) struct AffineLane {
    /// The state in coordinates of the joints, as it was loaded or read back after a step.
    pub x: State,
    pub affine: AffineScene,
    /// The state of the affine bodies, kept from step to step.
    inner: State,
    /// Target poses of the bodies that are moved from outside.
    pub mocap: Vec<Pose>,
    pub status: LaneStatus,
    pub report: AdvanceReport,
    /// Bodies, geoms and normal forces \[N\] of the contacts of the last step, by the numbers of the scene.
    pub forces: Vec<([usize; 2], [usize; 2], f64)>,
    /// Collisions of the last call.
    pub collisions: Vec<[f64; 3]>,
}

/// Storage and bodies that the lanes of a batch share.
pub(crate) struct AffineStep {
    /// End of a step.
    pub end: State,
    /// Bodies of the scene that are moved from outside.
    pub mocap: Vec<usize>,
}

impl AffineLane {
    /// Affine bodies made at `x` and moving with it; bodies that are moved from outside stand where `mocap` has them.
    pub(crate) fn new(affine: AffineScene, x: &State, mocap: &[Pose]) -> Result<Self, StepError> {
        let mut inner = affine.state_with(&x.v).map_err(|e| StepError::problem(x.t, 0.0, e))?;
        inner.t = x.t;
        let mut x = x.clone();
        x.memory.clear();
        Ok(Self {
            x,
            affine,
            inner,
            mocap: mocap.to_vec(),
            status: LaneStatus::Running,
            report: AdvanceReport::default(),
            forces: Vec::new(),
            collisions: Vec::new(),
        })
    }

    /// The state of the affine bodies.
    pub(crate) fn inner(&self) -> &State {
        &self.inner
    }

    /// The first pair that overlaps or touches, by the names of geoms and bodies; None without one.
    pub(crate) fn overlap(&mut self, scene: &Scene) -> Option<String> {
        let pair = self.affine.system.overlapping(&self.inner).into_iter().next()?;
        let name = |part: signorini_ipc::SurfacePart| Some(scene.told_geom(self.affine.geom(part)?));
        let [a, b] = pair.map(|p| name(p).unwrap_or_else(|| "a surface without a geom".into()));
        Some(format!("{a} and {b} overlap or touch"))
    }

    /// Poses of the bodies that are moved from outside: where they are, those without a surface where they are to be.
    pub(crate) fn mocap_poses(&self, bodies: &[usize]) -> Vec<Pose> {
        let now = self.affine.poses(&self.inner);
        let pose = |(body, wanted): (&usize, &Pose)| match self.affine.bodies[*body] {
            Some(_) => now[*body],
            None => *wanted,
        };
        bodies.iter().zip(&self.mocap).map(pose).collect()
    }

    /// `substeps` steps of `dt` \[s\]; a failure freezes the lane at the last good state.
    pub(crate) fn run(
        &mut self,
        control: &[f64],
        dt: f64,
        substeps: u32,
        by: &mut AffineStep,
        scene: &Scene,
        watch: &Watch,
    ) {
        if self.status != LaneStatus::Running {
            return;
        }
        self.collisions.clear();
        for left in (1..=substeps).rev() {
            if let Err(e) = self.step(control, dt, f64::from(left) * dt, by, scene) {
                self.status = LaneStatus::Failed(e);
                return;
            }
            watch.notice(self.forces.iter().map(|f| (f.1, f.2)), &mut self.collisions);
        }
    }

    /// One step of `dt`; bodies that are moved from outside are to arrive after `left` \[s\].
    fn step(
        &mut self,
        control: &[f64],
        dt: f64,
        left: f64,
        by: &mut AffineStep,
        scene: &Scene,
    ) -> Result<(), StepError> {
        let t = self.inner.t;
        let at = |e| StepError::problem(t, dt, e);
        self.affine.set_controls(control).map_err(at)?;
        self.drive(&by.mocap, left).map_err(at)?;
        // The solver keeps the pattern of former solves, which changes round-off: a new one knows of none, neither of this lane nor of others.
        let mut scheme = ContactStep::new(IpcSolver::default()).with_tolerance(STEP_TOLERANCE);
        let end = &mut by.end;
        let (system, inner) = (&mut self.affine.system, &self.inner);
        let threads = system.threads();
        let report = threads.install(|| scheme.step(system, inner, dt, false, end))?;
        check_end(&self.affine.system, end, t, dt)?;
        let (q, v) = self.affine.joint_coordinates(end, &self.x.q).map_err(at)?;
        std::mem::swap(&mut self.inner, end);
        (self.x.t, self.x.q, self.x.v) = (self.inner.t, q, v);
        self.report.add_work(&report);
        self.report.add_step(&report);
        self.forces.clear();
        self.read_forces(&scheme.last_solve(), scene);
        Ok(())
    }

    /// Sends the bodies that are moved from outside on a straight way to where they are to be.
    fn drive(&mut self, bodies: &[usize], left: f64) -> Result<(), signorini_core::ProblemError> {
        if bodies.is_empty() {
            return Ok(());
        }
        for (body, wanted) in bodies.iter().zip(&self.mocap) {
            let Some(number) = self.affine.bodies[*body] else { continue };
            let Some(from) = self.affine.system.commanded_pose(&self.inner, number) else { continue };
            let com = self.affine.system.bodies()[number].com;
            let to = wanted.translation.vector + wanted.rotation * com;
            let linear = (to - from.translation.vector) / left;
            let angular = (wanted.rotation * from.rotation.inverse()).scaled_axis() / left;
            self.affine.system.drive(number, linear, angular)?;
        }
        Ok(())
    }

    /// Takes note of the normal forces of a solve.
    fn read_forces(&mut self, last: &LastSolve<'_>, scene: &Scene) {
        let geom = |surface: u32| self.affine.surfaces[surface as usize];
        let normal = last.contacts.iter().filter(|c| c.feature & FRICTION == 0);
        // The first constraints are those of normals, a row each.
        self.forces.extend(normal.filter_map(|c| {
            let geoms = [geom(c.geoms[0])?, geom(c.geoms[1])?];
            let bodies = geoms.map(|g| scene.geoms[g].body);
            Some((bodies, geoms, last.solution.gamma[c.constraint as usize] / last.dt))
        }));
    }
}
