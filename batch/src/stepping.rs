use signorini_core::{
    AcceptedStep, AdvanceReport, Integrator, LastSolve, OneStep, State, StepError, StepObserver, StepReport,
};
use signorini_integrators::{Adaptive, NextStep};
use signorini_multibody::RigidSystem;
use signorini_run::{ComFree, Method};

use crate::gain_look::check_lane_end;

/// Stepping of lanes on one thread.
pub(crate) enum Stepping {
    /// Steps as they are asked for.
    Fixed {
        scheme: Box<dyn OneStep>,
        /// Work and error of the step.
        report: StepReport,
        /// Gains are not capped and may be why a motion runs away.
        uncapped: bool,
    },
    /// Intervals covered under error control.
    Controlled { integrator: Box<Adaptive<Box<dyn OneStep>>>, last: Box<LastStep> },
}

/// The last accepted step of an interval, and the work of all of them.
#[derive(Default)]
pub(crate) struct LastStep {
    x0: State,
    report: StepReport,
    rejected: u32,
    done: AdvanceReport,
}

/// Keeps the last step and shows the solve of each.
struct Keep<'a, F> {
    kept: &'a mut LastStep,
    show: F,
}

impl<F: FnMut(LastSolve<'_>)> StepObserver for Keep<'_, F> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let kept = &mut *self.kept;
        kept.x0.copy_from(step.x0);
        (kept.report, kept.rejected) = (*step.report, step.rejected);
        kept.done.add_work(step.report);
        kept.done.add_step(step.report);
        kept.done.rejected += u64::from(step.rejected);
        (self.show)(step.last);
    }
}

impl Stepping {
    /// # Errors
    /// As [`Adaptive::new`]; a method that was checked has looked already.
    pub(crate) fn new(method: &Method) -> Result<Self, StepError> {
        let scheme = method.scheme();
        Ok(match method.controller() {
            None => {
                let uncapped = method.as_comfree().and_then(ComFree::uncapped).is_some();
                Self::Fixed { scheme, report: StepReport::default(), uncapped }
            }
            Some(controller) => {
                let integrator = Box::new(Adaptive::new(scheme, controller)?);
                Self::Controlled { integrator, last: Box::default() }
            }
        })
    }

    /// Sets the step that error control tries first; fixed steps have none.
    pub(crate) fn set_next_step(&mut self, next: Option<NextStep>) {
        if let Self::Controlled { integrator, .. } = self {
            integrator.set_next_step(next);
        }
    }

    /// Step that error control wants next; None with fixed steps.
    pub(crate) fn next_step(&self) -> Option<NextStep> {
        match self {
            Self::Fixed { .. } => None,
            Self::Controlled { integrator, .. } => integrator.next_step(),
        }
    }

    /// Goes from `x` by `dt` \[s\] to `x1`. The work is added to `total`; `show` sees the solve of each step that is taken.
    ///
    /// # Errors
    /// [`StepError`] that stopped it. Under error control `x` is then the last accepted state, which may lie within the interval; otherwise it is untouched.
    pub(crate) fn take(
        &mut self,
        system: &mut RigidSystem,
        x: &mut State,
        dt: f64,
        x1: &mut State,
        total: &mut AdvanceReport,
        mut show: impl FnMut(LastSolve<'_>),
    ) -> Result<(), StepError> {
        match self {
            Self::Fixed { scheme, report, uncapped } => {
                let t = x.t;
                *report = scheme.step(system, x, dt, false, x1)?;
                check_lane_end(system, x1, t, dt, *uncapped)?;
                total.add_work(report);
                total.add_step(report);
                show(scheme.last_solve());
                Ok(())
            }
            Self::Controlled { integrator, last } => {
                x1.copy_from(x);
                last.done = AdvanceReport::default();
                let done = integrator.advance(system, x1, x.t + dt, &mut Keep { kept: last, show });
                // Of an interval that is not finished, the accepted steps count.
                total.add(done.as_ref().unwrap_or(&last.done));
                if done.is_err() {
                    std::mem::swap(x, x1);
                }
                done.map(drop)
            }
        }
    }

    /// The last solve of the last step.
    pub(crate) fn last_solve(&self) -> LastSolve<'_> {
        match self {
            Self::Fixed { scheme, .. } => scheme.last_solve(),
            Self::Controlled { integrator, .. } => integrator.scheme().last_solve(),
        }
    }

    /// The solve of the first half of the last step, where it had halves.
    fn first_solve(&self) -> Option<LastSolve<'_>> {
        match self {
            Self::Fixed { scheme, .. } => scheme.first_solve(),
            Self::Controlled { integrator, .. } => integrator.scheme().first_solve(),
        }
    }

    /// The step that ended at `x1`: of an interval under error control, the last one that was accepted.
    pub(crate) fn last_step<'a>(&'a self, x: &'a State, x1: &'a State) -> AcceptedStep<'a> {
        let (first, last) = (self.first_solve(), self.last_solve());
        match self {
            Self::Fixed { report, .. } => {
                AcceptedStep { x0: x, x1, report, rejected: 0, first, last, system: None }
            }
            Self::Controlled { last: step, .. } => {
                let (x0, report, rejected) = (&step.x0, &step.report, step.rejected);
                AcceptedStep { x0, x1, report, rejected, first, last, system: None }
            }
        }
    }
}
