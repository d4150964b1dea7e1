use cpu_time::ThreadTime;
use signorini_core::{AcceptedStep, AdvanceReport, StepObserver};
use signorini_multibody::advance_controlled;
use signorini_report::PageError;
use signorini_run::Method;
use signorini_scene::Scene;

use super::artefacts::Watch;
use crate::motion::Motion;
use crate::scenes::dish_rack::DishRack;

/// One run.
pub(super) struct Run {
    pub report: AdvanceReport,
    pub watch: Watch,
    /// Processor time of the steps alone \[s\].
    pub cpu_s: f64,
    pub contacts_per_step: f64,
    pub motion: Option<Motion>,
}

struct Observer {
    watch: Watch,
    motion: Option<Motion>,
    contacts: u64,
    /// Processor time of watching \[s\].
    watching: f64,
}

impl StepObserver for Observer {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let start = ThreadTime::now();
        self.contacts += step.last.contacts.len() as u64;
        self.watch.see(step.x0, step.x1);
        if let Some(motion) = &mut self.motion {
            motion.accepted(step);
        }
        self.watching += start.elapsed().as_secs_f64();
    }
}

impl Run {
    pub(super) fn new(
        rack: &DishRack,
        scene: &Scene,
        method: &Method,
        filmed: bool,
    ) -> Result<Self, PageError> {
        let failed = PageError::from_error;
        let mut sys = method.system(scene).map_err(PageError::from_error)?;
        let mut x = sys.initial_state(None).map_err(PageError::from_error)?;
        let start = rack.start();
        x.q[..start.len()].copy_from_slice(&start);
        x.z.copy_from_slice(&start);
        let end = rack.path.end;
        let motion = filmed.then(|| Motion::starting_at(scene, method, &x, end)).transpose()?;
        let watch = Watch::new(scene, sys.model(), &rack.path);
        let mut observer = Observer { watch, motion, contacts: 0, watching: 0.0 };
        let mut integrator = method.integrator().map_err(PageError::from_error)?;
        let mut schedule = rack.path.schedule().map_err(failed)?;
        let start = ThreadTime::now();
        let report =
            advance_controlled(integrator.as_mut(), &mut sys, &mut x, end, &mut schedule, &mut observer)
                .map_err(PageError::from_error)?;
        let cpu_s = start.elapsed().as_secs_f64() - observer.watching;
        let contacts_per_step = observer.contacts as f64 / report.steps.max(1) as f64;
        Ok(Self { report, watch: observer.watch, cpu_s, contacts_per_step, motion: observer.motion })
    }
}
