use signorini_core::{Evals, Part, ProblemError, StepProblem, check_finite};

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
        Ok(self.power(p, iterations))
    }

    /// λ_max of a sweep, all facets with their raised gains, by `iterations` of the power method: below 2 sweeps converge.
    pub fn gain_of_sweeps(&mut self, p: &dyn StepProblem, iterations: usize) -> f64 {
        self.gain_factors(p);
        let pools = p.pools();
        for (k, scale) in self.bounds.factors().iter().enumerate() {
            let (h, d) = (pools.hess_start(k), pools.rows(k).1);
            self.evals.hess[h..h + d * d].iter_mut().for_each(|x| *x *= scale);
        }
        self.power(p, iterations)
    }

    /// λ_max with the Hessians in `self.evals`.
    fn power(&mut self, p: &dyn StepProblem, iterations: usize) -> f64 {
        let part = self.whole.part();
        let Power { x, y, a_x, rows, .. } = &mut self.power;
        let n = p.velocity_count();
        start(x, n);
        rows.resize(p.pools().row_count(), 0.0);
        a_x.resize(n, 0.0);
        let mut rate = 0.0;
        for _ in 0..iterations {
            let norm = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if norm == 0.0 {
                return 0.0;
            }
            x.iter_mut().for_each(|x| *x /= norm);
            apply(p, part, &mut self.evals, x, rows, y);
            // Rayleigh's quotient in the norm of A: xᵀ S x / xᵀ A x.
            p.inertia().apply(part, x, a_x);
            rate = dot(x, y) / dot(x, a_x);
            p.inertia().solve_in_place(part, y);
            std::mem::swap(x, y);
        }
        rate
    }
}

/// Storage of iterations with A⁻¹ S.
#[derive(Debug, Default)]
pub(crate) struct Power {
    x: Vec<f64>,
    y: Vec<f64>,
    a_x: Vec<f64>,
    rows: Vec<f64>,
}

/// A start that is no eigenvector of a symmetric scene.
fn start(x: &mut Vec<f64>, n: usize) {
    x.clear();
    x.extend((0..n).map(|i| 1.0 + 0.37 * (1.7 * i as f64).sin()));
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// y = S x with the Hessians in `evals`, whose gradients serve as scratch.
pub(crate) fn apply(
    p: &dyn StepProblem,
    part: Part<'_>,
    evals: &mut Evals,
    x: &[f64],
    rows: &mut [f64],
    y: &mut Vec<f64>,
) {
    p.map().apply_linear(part, x, rows);
    pull(p, part, evals, rows, x.len(), y);
}

/// y = Σ Jᵀ ∇²ℓ of contact velocities `rows`.
fn pull(p: &dyn StepProblem, part: Part<'_>, evals: &mut Evals, rows: &[f64], n: usize, y: &mut Vec<f64>) {
    let pools = p.pools();
    for k in 0..pools.constraint_count() {
        let ((r, d), h) = (pools.rows(k), pools.hess_start(k));
        for i in 0..d {
            evals.grad[r + i] = (0..d).map(|j| evals.hess[h + j * d + i] * rows[r + j]).sum();
        }
    }
    y.clear();
    y.resize(n, 0.0);
    p.map().add_gradient(part, pools, evals, y);
}
