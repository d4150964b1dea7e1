use signorini_core::na::Vector3;
use signorini_core::{ContactSolver, OneStep, ProblemError, Slot, State, StepError, StepReport};
use signorini_integrators::ContactStep;
use signorini_mpm::{Hold, Kept, MpmEngine, MpmSystem, Obstacle, Real, Touch};

/// Side of the material points that bodies see.
pub trait Touched {
    /// The obstacles.
    fn obstacles(&self) -> &[Obstacle];
    /// Impulse \[N·s\] and moment about its origin \[N·m·s\] that contacts and pins gave each obstacle in the last step, world axes.
    fn impulses(&self) -> &[[Vector3<f64>; 2]];
    /// Particles that obstacles met in the last step, or might have, and points of triangles of cloth that their corners and edges did: those inside have a gap below 0.
    fn touches(&self) -> &[Touch];
    /// The pins in the last step.
    fn holds(&self) -> &[Hold];
}

impl Touched for MpmSystem {
    fn obstacles(&self) -> &[Obstacle] {
        self.obstacles()
    }
    fn impulses(&self) -> &[[Vector3<f64>; 2]] {
        self.impulses()
    }
    fn touches(&self) -> &[Touch] {
        self.gathered(Slot::Start).map_or(&[], |g| &g.touches.list)
    }
    fn holds(&self) -> &[Hold] {
        self.gathered(Slot::Start).map_or(&[], |g| &g.holds.list)
    }
}

/// Material points as [`crate::Asynchronous`] drives them.
pub trait PointSide: Touched {
    /// State of the points where they do not keep it themselves.
    type State;
    /// The obstacles, to move them.
    fn obstacles_mut(&mut self) -> &mut [Obstacle];
    /// Starts from a state, and keeps it.
    fn begin(&mut self, state: &Self::State);
    /// Goes back to where it started.
    fn back(&mut self);
    /// Moves on by `dt` \[s\].
    ///
    /// # Errors
    /// As the step.
    fn substep(&mut self, dt: f64) -> Result<StepReport, StepError>;
    /// Hands the state over that was reached.
    fn end(&mut self, state: &mut Self::State);
    /// The longest substep \[s\] now.
    ///
    /// # Errors
    /// As the state.
    fn longest_step(&self) -> Result<f64, ProblemError>;
}

/// The plain path: a system in a state, and the step that moves it.
pub struct SystemPoints<A> {
    system: MpmSystem,
    step: ContactStep<A>,
    start: State,
    now: State,
    next: State,
}

impl<A> SystemPoints<A> {
    /// The system.
    pub fn system(&self) -> &MpmSystem {
        &self.system
    }
}

impl<A: ContactSolver> From<(MpmSystem, ContactStep<A>)> for SystemPoints<A> {
    fn from((system, step): (MpmSystem, ContactStep<A>)) -> Self {
        Self { system, step, start: State::default(), now: State::default(), next: State::default() }
    }
}

impl<A> Touched for SystemPoints<A> {
    fn obstacles(&self) -> &[Obstacle] {
        self.system.obstacles()
    }
    fn impulses(&self) -> &[[Vector3<f64>; 2]] {
        self.system.impulses()
    }
    fn touches(&self) -> &[Touch] {
        self.system.touches()
    }
    fn holds(&self) -> &[Hold] {
        self.system.holds()
    }
}

impl<A: ContactSolver> PointSide for SystemPoints<A> {
    type State = State;

    fn obstacles_mut(&mut self) -> &mut [Obstacle] {
        self.system.obstacles_mut()
    }
    fn begin(&mut self, state: &State) {
        self.start.copy_from(state);
        self.back();
    }
    fn back(&mut self) {
        self.now.copy_from(&self.start);
    }
    fn substep(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let report = self.step.step(&mut self.system, &self.now, dt, false, &mut self.next)?;
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(report)
    }
    fn end(&mut self, state: &mut State) {
        state.copy_from(&self.now);
    }
    fn longest_step(&self) -> Result<f64, ProblemError> {
        self.system.longest_step(&self.now)
    }
}

/// The fast path, which keeps its state itself.
pub struct EnginePoints<T> {
    engine: MpmEngine<T>,
    start: Kept<T>,
}

impl<T: Real> EnginePoints<T> {
    /// The engine.
    pub fn engine(&self) -> &MpmEngine<T> {
        &self.engine
    }

    /// The engine, to read its particles.
    pub fn engine_mut(&mut self) -> &mut MpmEngine<T> {
        &mut self.engine
    }
}

impl<T: Real> From<MpmEngine<T>> for EnginePoints<T> {
    fn from(engine: MpmEngine<T>) -> Self {
        Self { engine, start: Kept::default() }
    }
}

impl<T: Real> Touched for EnginePoints<T> {
    fn obstacles(&self) -> &[Obstacle] {
        self.engine.obstacles()
    }
    fn impulses(&self) -> &[[Vector3<f64>; 2]] {
        self.engine.impulses()
    }
    fn touches(&self) -> &[Touch] {
        self.engine.touches()
    }
    fn holds(&self) -> &[Hold] {
        self.engine.holds()
    }
}

impl<T: Real> PointSide for EnginePoints<T> {
    type State = ();

    fn obstacles_mut(&mut self) -> &mut [Obstacle] {
        self.engine.obstacles_mut()
    }
    fn begin(&mut self, (): &()) {
        self.engine.keep(&mut self.start);
    }
    fn back(&mut self) {
        // It is its own.
        let _ = self.engine.restore(&self.start);
    }
    fn substep(&mut self, dt: f64) -> Result<StepReport, StepError> {
        self.engine.step(dt)
    }
    fn end(&mut self, (): &mut ()) {}
    fn longest_step(&self) -> Result<f64, ProblemError> {
        Ok(self.engine.longest_step())
    }
}
