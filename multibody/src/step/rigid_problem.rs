use signorini_core::{
    Changed, ContactGeometry, ContactMap, Inertia, Pace, Pools, ProblemError, Regime, StepProblem,
    WhitenedMap,
};

use crate::step::pools::CONTACT;
use crate::step::prepared::Prepared;

/// Rounds of joints and contacts in which each law may take any piece; afterwards laws that would exceed their limits are taken at the limit and stay there.
const ROUNDS: u32 = 4;

/// The problem of a prepared state. Contacts may push motors and dry friction that were solved before them over their limits: it then lags how joints act, and
/// is built again around the impulses of the last solve.
impl StepProblem for Prepared {
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let relagged = self.problem.relag(gamma)?;
        let Some(first) = self.joints_first.as_deref_mut() else { return Ok(relagged) };
        let again =
            if self.rounds < ROUNDS { first.rows.left(&self.v) } else { first.rows.give_way(&self.v) };
        if !again {
            return Ok(relagged);
        }
        self.rounds += 1;
        self.kept.clear();
        let pool = &self.problem.pools().members()[CONTACT];
        if pool.memory() > 0.0 {
            (0..pool.len()).for_each(|k| self.kept.extend_from_slice(pool.multipliers(k)));
        }
        let dt = self.problem.dt();
        if self.rounds <= ROUNDS {
            // Σ Jᵀγ, in the end with more and more of what it was, so that it does not go back and forth.
            let part = if self.rounds <= 2 { 1.0 } else { 0.5 };
            self.evals.grad.clear();
            self.evals.grad.extend(gamma.iter().map(|g| part * g));
            self.load.iter_mut().for_each(|l| *l *= 1.0 - part);
            let (map, pools) = (self.problem.map(), self.problem.pools());
            map.add_gradient(self.problem.whole(), pools, &self.evals, &mut self.load);
            first.solve_again(dt, &self.v, &self.load, &mut self.problem.parts_mut())?;
        } else {
            first.build(&[], &mut self.problem.parts_mut())?;
        }
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
    fn whiten(&self, gamma: &[f64], map: &mut WhitenedMap) -> bool {
        match self.joints_first {
            Some(_) => self.problem.whiten_as(&self.whitened, gamma, map),
            None => self.problem.whiten(gamma, map),
        }
    }
    fn sweep_in_turn(&mut self, map: &mut WhitenedMap, pace: &mut Pace, gamma: &mut [f64]) {
        self.problem.sweep_in_turn(map, pace, gamma);
    }
    fn unwhiten(&self, map: &WhitenedMap, v: &mut [f64]) {
        self.problem.unwhiten(map, v);
    }
    fn sweep(&mut self, pace: &mut Pace, scales: &[f64], gamma: &mut [f64]) -> bool {
        self.problem.sweep(pace, scales, gamma)
    }
}
