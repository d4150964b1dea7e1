use signorini_core::{
    Changed, ContactGeometry, ContactMap, Inertia, Pace, Pools, ProblemError, Regime, StepProblem,
};

use crate::prepared::{CONTACT, Prepared};

/// The problem of a prepared state. Contacts may push motors and dry friction that were solved before them over their limits: it then lags how joints act, and
/// is built again around the impulses of the last solve.
impl StepProblem for Prepared {
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let relagged = self.problem.relag(gamma)?;
        let Some(first) = self.joints_first.as_deref_mut().filter(|f| f.rows.left(&self.v)) else {
            return Ok(relagged);
        };
        // Σ Jᵀγ, with more and more of what it was the longer it goes back and forth: of 1000 random pressings 5 ended by halves, all but 2 so.
        self.rounds += 1;
        let part = match self.rounds {
            0..=2 => 1.0,
            3..=6 => 0.5,
            7..=12 => 0.25,
            _ => 0.12,
        };
        self.evals.grad.clear();
        self.evals.grad.extend(gamma.iter().map(|g| part * g));
        self.load.iter_mut().for_each(|l| *l *= 1.0 - part);
        self.problem.map().add_gradient(
            self.problem.whole(),
            self.problem.pools(),
            &self.evals,
            &mut self.load,
        );
        self.kept.clear();
        let pool = &self.problem.pools().members()[CONTACT];
        if pool.memory() > 0.0 {
            (0..pool.len()).for_each(|k| self.kept.extend_from_slice(pool.multipliers(k)));
        }
        let dt = self.problem.dt();
        let mut parts = self.problem.parts_mut();
        first.solve_again(dt, &self.v, &self.load, &mut parts)?;
        self.set_laws();
        let pool = self.problem.parts_mut().pools.member_mut(CONTACT);
        let kept = self.kept.chunks_exact(pool.multiplier_count().max(1));
        kept.enumerate().for_each(|(k, multipliers)| pool.remember(k, multipliers));
        self.problem.finish(dt)?;
        Ok(true)
    }

    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        self.v.clear();
        self.v.extend_from_slice(v);
        self.problem.relinearize(v)
    }

    fn dt(&self) -> f64 {
        self.problem.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        self.problem.inertia()
    }
    fn free_velocity(&self) -> &[f64] {
        self.problem.free_velocity()
    }
    fn regime(&self) -> Regime {
        self.problem.regime()
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        self.problem.value(v)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.problem.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.problem.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self.problem.map()
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.problem.contacts()
    }
    fn sweep(&mut self, pace: &mut Pace, gamma: &mut [f64]) -> bool {
        self.problem.sweep(pace, gamma)
    }
}
