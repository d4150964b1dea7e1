//! Runs that keep the depths of contacts.

use signorini_core::{AcceptedStep, State, StepObserver};
use signorini_laws::MassScale;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use signorini_report::PageError;
use signorini_run::Method;
use signorini_run::trace::Trace;

/// Paper mode with given gains and mass scale.
pub(super) fn paper(k: f64, d: f64, mass: MassScale) -> Method {
    Method::comfree_paper(k, d, mass).with_step(0.002)
}

/// Length of the equal steps of a method \[s\].
pub(super) fn step(method: &Method) -> Result<f64, PageError> {
    method.dt().ok_or_else(|| PageError::Run(format!("{} has no equal steps", method.describe())))
}

/// Default mode.
pub(super) fn default_mode() -> Method {
    Method::comfree().with_step(0.002)
}

/// (t, v_i) of a trace, thinned.
pub(super) fn speed(trace: &Trace, i: usize) -> Vec<(f64, f64)> {
    trace.curve(250, |t, row| t.v[row][i])
}

/// Depths \[m\] of the contacts that penetrate at the start of each step, and how many there are.
#[derive(Default)]
pub(super) struct Depths {
    /// One list per step.
    pub steps: Vec<Vec<f64>>,
}

impl StepObserver for Depths {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let deep = step.last.contacts.iter().filter(|c| c.gap < 0.0);
        self.steps.push(deep.map(|c| -c.gap).collect());
    }
}

impl Depths {
    /// Mean and standard deviation over all contacts of the steps from `first` on \[m\].
    pub(super) fn statistics(&self, first: usize) -> [f64; 2] {
        let all: Vec<f64> = self.steps.iter().skip(first).flatten().copied().collect();
        let n = all.len().max(1) as f64;
        let mean = all.iter().sum::<f64>() / n;
        let variance = all.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n;
        [mean, variance.sqrt()]
    }

    /// Contacts per step.
    pub(super) fn count(&self) -> f64 {
        self.steps.iter().map(Vec::len).sum::<usize>() as f64 / self.steps.len().max(1) as f64
    }
}

/// Runs to `t_end` \[s\] under an observer; the last state.
pub(super) fn observe(
    scene: &Scene,
    method: &Method,
    t_end: f64,
    start: impl FnOnce(&mut RigidSystem, &mut State),
    observer: &mut dyn StepObserver,
) -> Result<State, PageError> {
    let mut sys = method.system(scene).map_err(PageError::from_error)?;
    let mut x = sys.initial_state(None).map_err(PageError::from_error)?;
    start(&mut sys, &mut x);
    let mut integrator = method.integrator().map_err(PageError::from_error)?;
    integrator.advance(&mut sys, &mut x, t_end, observer).map_err(PageError::from_error)?;
    Ok(x)
}
