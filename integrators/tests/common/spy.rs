//! A system that records its calls and fails on demand.

use signorini_core::*;
use signorini_testkit::toys::FreeBodies;

/// How a spied system fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    None,
    /// `problem` fails for steps above this \[s\], as geometry might.
    AboveStep(f64),
    /// `problem` always reports something it cannot represent.
    Unsupported,
    /// The distance is NaN after steps above this \[s\].
    NanDistanceAbove(f64),
    /// The distance is this for every step.
    Distance(f64),
    /// `prepare` fails at midpoints.
    Midpoint,
}

pub(crate) struct Spy {
    pub(crate) inner: FreeBodies,
    pub(crate) fault: Fault,
    pub(crate) prepared: Vec<(Slot, f64)>,
    pub(crate) asked: Vec<(Slot, f64)>,
    /// Slots that were prepared by `prepare_near`.
    pub(crate) near: Vec<Slot>,
    largest: f64,
}

impl Spy {
    pub(crate) fn new(inner: FreeBodies, fault: Fault) -> Self {
        Self { inner, fault, prepared: Vec::new(), asked: Vec::new(), near: Vec::new(), largest: 0.0 }
    }
}

impl System for Spy {
    fn sizes(&self) -> [usize; 3] {
        self.inner.sizes()
    }
    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.prepared.push((slot, horizon));
        if self.fault == Fault::Midpoint && slot == Slot::Midpoint {
            return Err(ProblemError::NonFinite { what: "geometry", index: 0 });
        }
        self.inner.prepare(slot, x0, horizon)
    }
    fn prepare_near(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.near.push(slot);
        self.prepare(slot, x0, horizon)
    }
    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        self.asked.push((slot, dt));
        self.largest = if slot == Slot::Start { self.largest.max(dt) } else { self.largest };
        match self.fault {
            Fault::AboveStep(limit) if dt > limit => {
                Err(ProblemError::NonFinite { what: "geometry", index: 0 })
            }
            Fault::Unsupported => Err(ProblemError::Unsupported("no such joint".into())),
            _ => self.inner.problem(slot, dt),
        }
    }
    fn guess(&self, slot: Slot, x: &State, out: &mut Vec<f64>) {
        self.inner.guess(slot, x, out);
    }
    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        if slot == Slot::Start {
            self.largest = dt;
        }
        self.inner.commit(slot, x0, dt, s, x1)
    }
    fn distance(&self, a: &State, b: &State) -> f64 {
        match self.fault {
            // The last commit from the start was half a step.
            Fault::NanDistanceAbove(limit) if 2.0 * self.largest > limit => f64::NAN,
            Fault::Distance(d) => d,
            _ => self.inner.distance(a, b),
        }
    }
    fn energy(&mut self, x: &State) -> Energy {
        self.inner.energy(x)
    }
}

/// A solver that keeps the guesses and tolerances it was given.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) inner: super::DenseNewton,
    pub(crate) guesses: Vec<Vec<f64>>,
    pub(crate) results: Vec<Vec<f64>>,
    pub(crate) tolerances: Vec<f64>,
}

impl ContactSolver for Notes {
    fn name(&self) -> &'static str {
        "notes"
    }
    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        self.inner.supports(p)
    }
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.guesses.push(guess.to_vec());
        self.tolerances.push(tol.relative);
        let status = self.inner.solve(p, guess, tol, out)?;
        self.results.push(out.v.clone());
        Ok(status)
    }
}
