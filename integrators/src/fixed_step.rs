use signorini_core::{
    AcceptedStep, AdvanceReport, Integrator, OneStep, State, StepError, StepObserver, System, check_end,
};

use crate::interval;

/// A remainder of less than this fraction of δt counts as reached, and a last step this close to δt is taken as δt exactly.
const NEGLIGIBLE: f64 = 1e-9;
/// The last step may be longer than δt by this fraction.
const STRETCH: f64 = 1e-3;

/// Equal steps of any one-step scheme; the last one is stretched or the rest split in two equal parts, so that no sliver is left.
/// A step that ends with a speed that no scene has is an error ([`check_end`]), and the state the one before it.
#[derive(Debug)]
pub struct FixedStep<P> {
    scheme: P,
    dt: f64,
    x1: State,
}

impl<P: OneStep> FixedStep<P> {
    /// Steps of `dt` \[s\].
    ///
    /// # Errors
    /// [`StepError::Argument`] when `dt` is not positive and finite.
    pub fn new(scheme: P, dt: f64) -> Result<Self, StepError> {
        if dt > 0.0 && dt.is_finite() {
            Ok(Self { scheme, dt, x1: State::default() })
        } else {
            Err(StepError::Argument(format!("the step size must be positive and finite, not {dt} s")))
        }
    }

    /// The scheme.
    pub fn scheme(&self) -> &P {
        &self.scheme
    }

    /// The scheme, to change its options.
    pub fn scheme_mut(&mut self) -> &mut P {
        &mut self.scheme
    }

    /// Step size \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The next step with `remaining` \[s\] to go, and whether it is the last; None when nothing worth a step remains.
    fn plan(&self, remaining: f64) -> Option<(f64, bool)> {
        let dt = self.dt;
        if remaining <= NEGLIGIBLE * dt {
            None
        } else if (remaining - dt).abs() <= NEGLIGIBLE * dt {
            Some((dt, true))
        } else if remaining <= (1.0 + STRETCH) * dt {
            Some((remaining, true))
        } else if remaining < (2.0 - NEGLIGIBLE) * dt {
            Some((0.5 * remaining, false))
        } else {
            Some((dt, false))
        }
    }
}

impl<P: OneStep> Integrator for FixedStep<P> {
    fn name(&self) -> String {
        format!("fixed steps of {} s, {}", self.dt, self.scheme.name())
    }
    fn advance(
        &mut self,
        sys: &mut dyn System,
        x: &mut State,
        t_end: f64,
        observer: &mut dyn StepObserver,
    ) -> Result<AdvanceReport, StepError> {
        let mut report = AdvanceReport::default();
        if interval::is_empty(x, t_end)? {
            return Ok(report);
        }
        while let Some((dt, last)) = self.plan(t_end - x.t) {
            let r = self.scheme.step(sys, x, dt, false, &mut self.x1)?;
            check_end(sys, &self.x1, x.t, dt)?;
            if last {
                self.x1.t = t_end;
            }
            report.add_work(&r);
            report.add_step(&r);
            let (first, last) = (self.scheme.first_solve(), self.scheme.last_solve());
            observer.accepted(&AcceptedStep {
                x0: x,
                x1: &self.x1,
                report: &r,
                rejected: 0,
                first,
                last,
                system: Some(&*sys),
            });
            std::mem::swap(x, &mut self.x1);
            if observer.stop() {
                return Ok(report);
            }
        }
        x.t = t_end;
        Ok(report)
    }
}
