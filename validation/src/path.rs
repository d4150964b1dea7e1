//! Paths of bodies: the accepted states of a run.

use signorini_core::{AcceptedStep, AdvanceReport, State, StepObserver};
use signorini_multibody::RigidSystem;
use signorini_report::PageError;
use signorini_run::Method;
use signorini_scene::Scene;

use crate::motion::Motion;

/// Accepted states of a run and its work.
pub(crate) struct Path {
    /// Times \[s\].
    pub t: Vec<f64>,
    /// Positions.
    pub q: Vec<Vec<f64>>,
    /// Velocities.
    pub v: Vec<Vec<f64>>,
    /// Steps and iterations.
    pub report: AdvanceReport,
    /// A film where it was asked for.
    pub motion: Option<Motion>,
}

impl StepObserver for Path {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.keep(step.x1);
        if let Some(motion) = &mut self.motion {
            motion.accepted(step);
        }
    }
}

impl Path {
    fn keep(&mut self, x: &State) {
        self.t.push(x.t);
        self.q.push(x.q.clone());
        self.v.push(x.v.clone());
    }

    /// A run from the first keyframe, or from the reference configuration where there is none; the state is changed before.
    pub(crate) fn run(
        scene: &Scene,
        method: &Method,
        end: f64,
        filmed: bool,
        change: impl FnOnce(&mut State),
    ) -> Result<Self, PageError> {
        let mut sys = method.system(scene).map_err(PageError::from_error)?;
        let mut x = sys.initial_state(scene.keyframes.first()).map_err(PageError::from_error)?;
        change(&mut x);
        let motion = filmed.then(|| Motion::starting_at(scene, method, &x, end)).transpose()?;
        Self::of_system(sys, x, method, end, motion)
    }

    /// A run of a system of one's own from a state, under the stepping of a method.
    pub(crate) fn of_system(
        mut sys: RigidSystem,
        mut x: State,
        method: &Method,
        end: f64,
        motion: Option<Motion>,
    ) -> Result<Self, PageError> {
        let report = AdvanceReport::default();
        let mut path = Self { t: Vec::new(), q: Vec::new(), v: Vec::new(), report, motion };
        path.keep(&x);
        let mut integrator = method.integrator().map_err(PageError::from_error)?;
        path.report = integrator.advance(&mut sys, &mut x, end, &mut path).map_err(PageError::from_error)?;
        Ok(path)
    }

    /// Number of the last state.
    pub(crate) fn last(&self) -> usize {
        self.t.len() - 1
    }

    /// The smallest value of a function of the positions over all accepted states.
    pub(crate) fn lowest(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        self.q.iter().map(|q| of(q)).fold(f64::INFINITY, f64::min)
    }

    /// A curve of at most 600 states.
    pub(crate) fn curve(&self, of: impl Fn(&[f64], &[f64]) -> f64) -> Vec<(f64, f64)> {
        let stride = self.t.len().div_ceil(600).max(1);
        let mut rows: Vec<usize> = (0..self.t.len()).step_by(stride).collect();
        if rows.last() != Some(&self.last()) {
            rows.push(self.last());
        }
        rows.into_iter().map(|i| (self.t[i], of(&self.q[i], &self.v[i]))).collect()
    }
}
