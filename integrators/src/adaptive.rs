use signorini_core::{
    AcceptedStep, AdvanceReport, ContactSolver, Integrator, OneStep, ProblemError, SolveError, State,
    StepError, StepObserver, StepReport, System, check_end,
};

use crate::next_step::ObservedOrder;
use crate::{ContactStep, Floor, NextStep, PreparedStep, StepController, StepDoubling, Verdict, interval};

/// Defect of a step in which geoms passed through each other: the next try is half as long.
const CROSSED: f64 = 4.0;

/// A step that is to end before bodies meet ends after this part of the time until then.
const BEFORE: f64 = 0.99;

/// Error-controlled steps of any scheme that estimates its error.
///
/// The wanted step is kept from one interval to the next, so that sampling does not disturb it; [`Adaptive::next_step`] and
/// [`Adaptive::set_next_step`] carry it over a restart. Where a step is rejected in which bodies meet ([`System::meeting`]) after the time for which it would be tried again, the next attempt ends there. An accepted step that ends with a speed that no scene has is an error ([`check_end`]), and the state the one before it.
#[derive(Debug)]
pub struct Adaptive<P> {
    scheme: P,
    controller: StepController,
    next_step: Option<NextStep>,
    x1: State,
}

/// CENIC: error-controlled convex contact, for any solver and any system.
///
/// Solves converge to κ·accuracy, at least 1e-8. An accuracy that is not positive and finite is refused by the first `advance`; the other
/// constants are in [`Adaptive::controller_mut`].
///
/// Source: kurtz2025cenic, eq. (21). Deviates: none.
pub fn cenic<S: ContactSolver>(solver: S, accuracy: f64) -> Adaptive<StepDoubling<ContactStep<S>>> {
    let controller = StepController::with_accuracy(accuracy);
    let step = ContactStep::new(solver).with_tolerance(controller.solver_tolerance());
    Adaptive { scheme: StepDoubling::new(step), controller, next_step: None, x1: State::default() }
}

/// [`cenic`] with other constants; solves converge to [`StepController::solver_tolerance`].
///
/// # Errors
/// [`StepError::Argument`] when a constant makes no sense.
pub fn cenic_with<S: ContactSolver>(
    solver: S,
    controller: StepController,
) -> Result<Adaptive<StepDoubling<ContactStep<S>>>, StepError> {
    let step = ContactStep::new(solver).with_tolerance(controller.solver_tolerance());
    Adaptive::new(StepDoubling::new(step), controller)
}

impl<P: OneStep> Adaptive<P> {
    /// A scheme under a controller.
    ///
    /// # Errors
    /// [`StepError::Argument`] when the scheme has no error estimate or a constant makes no sense.
    pub fn new(scheme: P, controller: StepController) -> Result<Self, StepError> {
        controller.validate()?;
        error_order(&scheme)?;
        Ok(Self { scheme, controller, next_step: None, x1: State::default() })
    }

    /// The scheme.
    pub fn scheme(&self) -> &P {
        &self.scheme
    }

    /// The scheme, to change its options.
    pub fn scheme_mut(&mut self) -> &mut P {
        &mut self.scheme
    }

    /// The constants of control.
    pub fn controller(&self) -> &StepController {
        &self.controller
    }

    /// The constants of control; they are checked by the next `advance`. The tolerance of solves does not follow a changed
    /// accuracy: see [`Adaptive::set_accuracy`].
    pub fn controller_mut(&mut self) -> &mut StepController {
        &mut self.controller
    }

    /// The step that the controller wants next; None before the first step.
    pub fn next_step(&self) -> Option<NextStep> {
        self.next_step
    }

    /// Sets the step to try next; None, or a length that is none, starts afresh.
    pub fn set_next_step(&mut self, next: Option<NextStep>) {
        self.next_step = next.filter(|n| n.dt > 0.0 && n.dt.is_finite());
    }

    /// One accepted step from `x` into `self.x1`.
    fn step(
        &mut self,
        sys: &mut dyn System,
        x: &State,
        t_end: f64,
        total: &mut AdvanceReport,
    ) -> Result<(StepReport, u32), StepError> {
        let c = self.controller;
        let order = error_order(&self.scheme)?;
        let floor = c.floor(x.t);
        let (mut rejected, mut failures) = (0, 0);
        let mut observed = ObservedOrder::new(order, self.next_step, c.measures_order);
        // Once in a step the next attempt may end where bodies meet; the step after it is then expected to be so long.
        let (mut meets, mut after): (bool, Option<f64>) = (false, None);
        let mut wanted = self.next_step.map_or_else(|| c.first_step(), |n| n.dt).max(floor);
        loop {
            let (dt, limited) = c.fit(wanted, t_end - x.t);
            let mut attempt = self.scheme.step(sys, x, dt, rejected > 0, &mut self.x1);
            let (verdict, error, failed) = match &mut attempt {
                Ok(r) => {
                    total.add_work(r);
                    let mut error = r.error.unwrap_or(f64::NAN);
                    if error <= c.accuracy {
                        r.defect = r.defect.max(sys.defect(x, &self.x1, c.accuracy));
                        r.defect = r.defect.max(r.crossed.map_or(0.0, |_| CROSSED));
                    }
                    // A defect of one counts as an error of the accuracy asked for; NaN stays NaN.
                    let defect = c.accuracy * r.defect;
                    error = if defect > error { defect } else { error };
                    let small = error <= c.accuracy;
                    // A defect is no power of the step: attempts that it judges tell no order.
                    observed.see(dt, if defect < error { error } else { f64::NAN }, small);
                    let verdict = match c.judge(dt, error, observed.of(small), floor) {
                        Verdict::Accept { .. } if r.unconverged > 0 => {
                            total.unsolved += 1;
                            c.shrink(dt, c.unsolved_shrink, floor)
                        }
                        verdict => verdict,
                    };
                    (verdict, error, !error.is_finite())
                }
                Err(e) if depends_on_step(e) => (c.shrink(dt, c.failure_shrink, floor), f64::NAN, true),
                Err(_) => (Verdict::AtFloor, f64::NAN, true),
            };
            failures += u32::from(failed);
            let floored = verdict == Verdict::AtFloor;
            let accept_anyway = floored && error.is_finite() && c.at_floor == Floor::Accept;
            match (verdict, attempt) {
                (Verdict::Accept { next }, Ok(r)) => {
                    if !limited {
                        let next = next.min(c.look(dt, r.pairs)).max(floor);
                        let next = after.map_or(next, |after| after.clamp(floor, next));
                        self.next_step = Some(NextStep { dt: next, order: observed.after() });
                    }
                    return Ok((r, rejected));
                }
                (_, Ok(r)) if accept_anyway => {
                    total.floored += 1;
                    if !limited {
                        self.next_step = Some(NextStep { dt, order: observed.after() });
                    }
                    return Ok((r, rejected));
                }
                (Verdict::Reject { next }, attempt) if failures <= c.max_failures => {
                    (wanted, after) = (next, None);
                    let meeting = attempt.ok().and_then(|r| r.meeting).filter(|t| !meets && *t > next);
                    if let Some(t) = meeting.filter(|_| !failed) {
                        // Errors across a meeting tell no order.
                        observed = ObservedOrder::new(order, self.next_step, c.measures_order);
                        (meets, wanted) = (true, BEFORE * t.min(c.reject_shrink * dt));
                        after = Some(c.safety * c.accuracy / error * (dt - t));
                    }
                }
                (_, Err(e)) => return Err(e),
                (_, Ok(r)) if error <= c.accuracy => {
                    let StepReport { unconverged, residual_ratio, .. } = r;
                    return Err(StepError::Unsolved { t: x.t, dt, unconverged, residual_ratio });
                }
                (_, Ok(_)) => {
                    return Err(StepError::MinimumStep { t: x.t, dt, error, accuracy: c.accuracy });
                }
            }
            rejected += 1;
            total.rejected += 1;
            total.failed += u64::from(failed);
        }
    }
}

impl<P: PreparedStep> Adaptive<StepDoubling<P>> {
    /// Changes the accuracy and, with it, the tolerance of the solves.
    pub fn set_accuracy(&mut self, accuracy: f64) {
        self.controller.accuracy = accuracy;
        self.scheme.set_tolerance(self.controller.solver_tolerance());
    }
}

fn error_order<P: OneStep>(scheme: &P) -> Result<u32, StepError> {
    scheme.error_order().filter(|p| *p > 0).ok_or_else(|| {
        StepError::Argument(format!(
            "{} does not estimate its error; wrap it in StepDoubling, or use FixedStep",
            scheme.name()
        ))
    })
}

/// Whether a smaller step might not fail in the same way.
fn depends_on_step(e: &StepError) -> bool {
    match e {
        StepError::Solve { source, .. } => match source {
            SolveError::Factorization { .. } => true,
            SolveError::Problem(p) => matches!(
                p,
                ProblemError::NonFinite { .. }
                    | ProblemError::StepTooLong { .. }
                    | ProblemError::NotPositiveDefinite { .. }
                    | ProblemError::Intersecting { .. }
                    | ProblemError::TooNear { .. }
            ),
            SolveError::Unsupported { .. } | SolveError::Infeasible { .. } => false,
        },
        StepError::MinimumStep { .. }
        | StepError::Unsolved { .. }
        | StepError::Runaway { .. }
        | StepError::Argument(_) => false,
    }
}

impl<P: OneStep> Integrator for Adaptive<P> {
    fn name(&self) -> String {
        format!("error control at {:e}, {}", self.controller.accuracy, self.scheme.name())
    }
    fn advance(
        &mut self,
        sys: &mut dyn System,
        x: &mut State,
        t_end: f64,
        observer: &mut dyn StepObserver,
    ) -> Result<AdvanceReport, StepError> {
        self.controller.validate()?;
        let mut total = AdvanceReport::default();
        if interval::is_empty(x, t_end)? {
            return Ok(total);
        }
        // A remainder below the rounding of time is no step.
        while t_end - x.t > self.controller.floor_absolute.max(self.controller.floor_relative * x.t.abs()) {
            let (report, rejected) = self.step(sys, x, t_end, &mut total)?;
            check_end(sys, &self.x1, x.t, report.dt)?;
            if report.dt == t_end - x.t {
                self.x1.t = t_end;
            }
            total.add_step(&report);
            let (first, last) = (self.scheme.first_solve(), self.scheme.last_solve());
            observer.accepted(&AcceptedStep {
                x0: x,
                x1: &self.x1,
                report: &report,
                rejected,
                first,
                last,
                system: Some(&*sys),
            });
            std::mem::swap(x, &mut self.x1);
            if observer.stop() {
                return Ok(total);
            }
        }
        x.t = t_end;
        Ok(total)
    }
}
