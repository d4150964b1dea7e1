use signorini_core::{Evals, ProblemError, StepProblem, check_finite};

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

    /// The same with the Hessians of the laws at contact velocities `v_c` \[m/s\], all rows, of one's own: with contacts that close fast every facet of a
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
        let (part, pools, map) = (self.whole.part(), p.pools(), p.map());
        pools.size_evals(&mut self.evals);
        pools.eval(part, v_c, &mut self.evals);
        // A start that is no eigenvector of a symmetric scene.
        let n = p.velocity_count();
        let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.37 * (1.7 * i as f64).sin()).collect();
        let mut rows = vec![0.0; pools.row_count()];
        let mut product = Evals { grad: vec![0.0; pools.row_count()], ..self.evals.clone() };
        let mut rate = 0.0;
        for _ in 0..iterations {
            let norm = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if norm == 0.0 {
                return Ok(0.0);
            }
            x.iter_mut().for_each(|x| *x /= norm);
            map.apply_linear(part, &x, &mut rows);
            for k in 0..pools.constraint_count() {
                let ((r, d), h) = (pools.rows(k), pools.hess_start(k));
                for i in 0..d {
                    product.grad[r + i] = (0..d).map(|j| self.evals.hess[h + j * d + i] * rows[r + j]).sum();
                }
            }
            let mut y = vec![0.0; n];
            map.add_gradient(part, pools, &product, &mut y);
            // Rayleigh's quotient in the norm of A: xᵀ S x / xᵀ A x.
            let mut a_x = vec![0.0; n];
            p.inertia().apply(part, &x, &mut a_x);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            rate = dot(&x, &y) / dot(&x, &a_x);
            p.inertia().solve_in_place(part, &mut y);
            x = y;
        }
        Ok(rate)
    }
}
