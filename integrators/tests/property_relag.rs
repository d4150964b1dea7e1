//! Problems that lag something beyond the start of the step are solved until they ask for no more.

use crate::common;

use common::DenseNewton;
use signorini_core::*;
use signorini_integrators::ContactStep;
use signorini_testkit::{random_problem::random_dense_problem, toys::SoftContact};

/// A frozen problem whose free velocity follows the last impulses, `rounds` times.
struct Lagging {
    inner: FrozenProblem,
    rounds: u32,
    offered: Vec<Vec<f64>>,
}

impl StepProblem for Lagging {
    fn dt(&self) -> f64 {
        self.inner.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        self.inner.inertia()
    }
    fn free_velocity(&self) -> &[f64] {
        self.inner.free_velocity()
    }
    fn regime(&self) -> Regime {
        self.inner.regime()
    }
    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        self.inner.relinearize(v)
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        self.inner.value(v)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.inner.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.inner.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self.inner.map()
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.inner.contacts()
    }
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        self.offered.push(gamma.to_vec());
        let more = (self.offered.len() as u32) <= self.rounds;
        if more {
            self.inner.parts_mut().free_velocity[0] += 0.1;
        }
        Ok(more)
    }
}

struct One(Lagging);

impl System for One {
    fn sizes(&self) -> [usize; 3] {
        [0, self.0.velocity_count(), 0]
    }
    fn prepare(&mut self, _: Slot, _: &State, _: f64) -> Result<(), ProblemError> {
        Ok(())
    }
    fn problem(&mut self, _: Slot, _: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        Ok(&mut self.0)
    }
    fn commit(
        &mut self,
        _: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        x1.copy_from(x0);
        x1.t += dt;
        x1.v.clone_from(&s.v);
        Ok(())
    }
    fn distance(&self, _: &State, _: &State) -> f64 {
        0.0
    }
    fn energy(&mut self, _: &State) -> Energy {
        Energy::default()
    }
}

/// Report, impulses offered, end state.
type Outcome = (StepReport, Vec<Vec<f64>>, State);

fn run(rounds: u32, most: u32) -> Result<Outcome, Box<dyn std::error::Error>> {
    let dense = random_dense_problem(3, 6, 3);
    let x0 = State { v: dense.v0.as_slice().to_vec(), ..State::default() };
    let mut sys = One(Lagging { inner: dense.build(SoftContact)?, rounds, offered: Vec::new() });
    let mut step = ContactStep::new(DenseNewton::default()).with_max_relags(most);
    let mut x1 = State::default();
    let report = step.step(&mut sys, &x0, dense.dt, false, &mut x1)?;
    assert_eq!(OneStep::last_solve(&step).solution.v, x1.v);
    Ok((report, sys.0.offered, x1))
}

#[test]
fn property_relagged_problems_are_solved_until_they_rest() {
    let (once, offered, x_once) = run(0, 20).unwrap();
    assert_eq!((once.unconverged, offered.len()), (0, 1));
    let (thrice, offered, x_thrice) = run(3, 20).unwrap();
    assert_eq!((thrice.unconverged, offered.len()), (0, 4));
    assert!(thrice.stats.iterations > once.stats.iterations);
    assert_ne!(x_once, x_thrice);
    assert!(offered.windows(2).any(|w| w[0] != w[1]), "later impulses are those of later solves");
}

#[test]
fn property_endless_relagging_is_cut_and_counted() {
    let (report, offered, _) = run(u32::MAX, 5).unwrap();
    assert_eq!((report.unconverged, offered.len()), (1, 6));
    // None wanted: none asked for.
    let (report, offered, _) = run(u32::MAX, 0).unwrap();
    assert_eq!((report.unconverged, offered.len()), (0, 0));
}
