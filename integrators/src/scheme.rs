use signorini_core::{LastSolve, Slot, State, StepError, StepReport, System, Tolerance};

/// From where and how far to step.
#[derive(Clone, Copy, Debug)]
pub struct Leg<'a> {
    /// The prepared slot that belongs to `x0`.
    pub slot: Slot,
    /// State at the start.
    pub x0: &'a State,
    /// Step size \[s\].
    pub dt: f64,
    /// First guess of the end velocity, in the unknowns of the problem.
    pub guess: &'a [f64],
}

/// A one-step scheme that can start from data prepared by somebody else: the base of wrappers such as step doubling.
pub trait PreparedStep: Send {
    /// Name, as in reports.
    fn name(&self) -> String;
    /// Order p of convergence in smooth motion.
    fn order(&self) -> u32;
    /// Steps from a slot on which `System::prepare` was called; adds its work to `report`.
    ///
    /// # Errors
    /// [`StepError::Solve`]; `x1` is then unspecified.
    fn step_from(
        &mut self,
        sys: &mut dyn System,
        leg: Leg<'_>,
        x1: &mut State,
        report: &mut StepReport,
    ) -> Result<(), StepError>;
    /// Whether solutions are shown to [`System::look_farther`], so that slots may be prepared by [`System::prepare_near`].
    fn looks_farther(&self) -> bool {
        false
    }
    /// The last solve.
    fn last_solve(&self) -> LastSolve<'_>;
    /// Sets how well solves are to converge.
    fn set_tolerance(&mut self, tolerance: Tolerance);
}

/// Prepares a slot for steps up to `dt`, with all contacts or, `near`, with those that [`PreparedStep::looks_farther`] may add to.
pub(crate) fn prepare(
    sys: &mut dyn System,
    slot: Slot,
    x0: &State,
    dt: f64,
    near: bool,
) -> Result<(), StepError> {
    let done = if near { sys.prepare_near(slot, x0, dt) } else { sys.prepare(slot, x0, dt) };
    done.map_err(|e| StepError::problem(x0.t, dt, e))
}

/// Which state and step size a start slot was prepared for, so that a retry can reuse it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StartSlot {
    horizon: Option<f64>,
}

impl StartSlot {
    /// Prepares `x0` for steps up to `dt`, unless this is a retry that the preparation covers.
    pub(crate) fn prepare(
        &mut self,
        sys: &mut dyn System,
        x0: &State,
        dt: f64,
        retry: bool,
        near: bool,
    ) -> Result<(), StepError> {
        if retry && self.horizon.is_some_and(|h| dt <= h) {
            return Ok(());
        }
        self.horizon = None;
        prepare(sys, Slot::Start, x0, dt, near)?;
        self.horizon = Some(dt);
        Ok(())
    }
}
