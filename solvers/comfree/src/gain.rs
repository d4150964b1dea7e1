use signorini_core::{ProblemError, StepProblem, check_finite};

use crate::ComfreeSolver;

impl ComfreeSolver {
    /// λ_max(A⁻¹ Σ J_kᵀ ∇²ℓ_k(J_k v + b_k) J_k) by `iterations` of the power method, from below: the part of a velocity that contacts may take away in
    /// one evaluation. At most 1 and a body at rest stays at rest; above 4/3 (2 without springs) no state is stable.
    ///
    /// # Errors
    /// A velocity that does not fit or is not finite.
    pub fn gain(
        &mut self,
        p: &mut dyn StepProblem,
        v: &[f64],
        iterations: usize,
    ) -> Result<f64, ProblemError> {
        self.check_velocity(p, v)?;
        p.relinearize(v)?;
        self.gain_at(p, p.contact_velocities(), iterations)
    }

    /// [`ComfreeSolver::gain`] with the Hessians of the laws at contact velocities `v_c` \[m/s\], all rows, of one's own: with contacts that close fast every facet of a
    /// dual cone acts, and fewer have no larger gain.
    ///
    /// # Errors
    /// Velocities that do not fit or are not finite.
    pub fn gain_at(
        &mut self,
        p: &dyn StepProblem,
        v_c: &[f64],
        iterations: usize,
    ) -> Result<f64, ProblemError> {
        let (expected, found) = (p.pools().row_count(), v_c.len());
        if expected != found {
            return Err(ProblemError::Shape { what: "contact velocities", expected, found });
        }
        check_finite("contact velocities", v_c)?;
        self.whole.fit(p);
        p.pools().size_evals(&mut self.evals);
        p.pools().eval(self.whole.part(), v_c, &mut self.evals);
        Ok(self.power.largest(p, self.whole.part(), &mut self.evals, iterations))
    }

    /// λ_max of a sweep, all facets with their raised gains, by `iterations` of the power method: below 2 sweeps converge.
    pub fn gain_of_sweeps(&mut self, p: &dyn StepProblem, iterations: usize) -> f64 {
        self.gain_factors(p);
        let pools = p.pools();
        for (k, scale) in self.bounds.factors().iter().enumerate() {
            let (h, d) = (pools.hess_start(k), pools.rows(k).1);
            self.evals.hess[h..h + d * d].iter_mut().for_each(|x| *x *= scale);
        }
        self.power.largest(p, self.whole.part(), &mut self.evals, iterations)
    }
}
