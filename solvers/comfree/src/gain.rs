use signorini_core::na::SMatrix;
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
        p.pools().size_evals(&mut self.evals);
        p.pools().eval(self.whole.part(), v_c, &mut self.evals);
        Ok(self.power(p, iterations))
    }

    /// The same with the Hessians in `self.evals`.
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
    before: Vec<f64>,
}

/// Closing speed at which every facet acts, whatever its multiplier and shift \[m/s\].
const CLOSING: f64 = 1e9;

/// Steps of the Lanczos method before sweeps.
const STEPS: usize = 5;

impl ComfreeSolver {
    /// Factor ≥ 1 by which sweeps may raise the gains: 1/λ_max of all facets. Shared masses keep λ_max below one for any scene, but far below in most: 0.2 in a
    /// stack of ten. One when laws without multipliers are among those of the problem.
    ///
    /// λ_max is estimated by five steps of the Lanczos method: the largest Ritz value plus the norm of its residual, in practice a bound from above (Zhou and Li
    /// 2011).
    pub fn room(&mut self, p: &dyn StepProblem) -> f64 {
        self.whole.fit(p);
        let pools = p.pools();
        if pools.members().iter().any(|m| !m.is_empty() && m.multiplier_count() == 0) {
            return 1.0;
        }
        let mut closing = std::mem::take(&mut self.power.rows);
        closing.clear();
        closing.resize(pools.row_count(), 0.0);
        (0..pools.constraint_count()).for_each(|k| closing[pools.rows(k).0] = -CLOSING);
        pools.size_evals(&mut self.evals);
        pools.eval(self.whole.part(), &closing, &mut self.evals);
        self.power.rows = closing;
        let bound = self.lanczos(p);
        if bound > 0.0 { (1.0 / bound).max(1.0) } else { 1.0 }
    }

    /// Largest Ritz value of A⁻¹ S, S with the Hessians in `self.evals`, plus the norm of its residual; orthonormal in A.
    fn lanczos(&mut self, p: &dyn StepProblem) -> f64 {
        let part = self.whole.part();
        let Power { x, y, a_x, rows, before } = &mut self.power;
        let n = p.velocity_count();
        a_x.resize(n, 0.0);
        // From the same normal impulse at all contacts: the start lies where contacts act, and neither their order nor their sides matter.
        let pools = p.pools();
        rows.clear();
        rows.resize(pools.row_count(), 0.0);
        for k in 0..pools.constraint_count() {
            rows[pools.rows(k).0] = 1.0;
        }
        pull(p, part, &mut self.evals, rows, n, x);
        p.inertia().solve_in_place(part, x);
        before.clear();
        before.resize(n, 0.0);
        let mut t = SMatrix::<f64, STEPS, STEPS>::zeros();
        let mut beta = 0.0;
        for k in 0..STEPS {
            p.inertia().apply(part, x, a_x);
            let norm = dot(x, a_x).sqrt();
            if k > 0 {
                beta = norm;
            }
            // An invariant subspace: the Ritz values are exact.
            if norm.is_nan() || norm == 0.0 || (k > 0 && norm <= 1e-12) {
                beta = 0.0;
                break;
            }
            if k > 0 {
                (t[(k, k - 1)], t[(k - 1, k)]) = (beta, beta);
            }
            x.iter_mut().chain(a_x.iter_mut()).for_each(|x| *x /= norm);
            apply(p, part, &mut self.evals, x, rows, y);
            let alpha = dot(x, y);
            t[(k, k)] = alpha;
            p.inertia().solve_in_place(part, y);
            for ((y, x), b) in y.iter_mut().zip(x.iter()).zip(before.iter()) {
                *y -= alpha * x + beta * b;
            }
            std::mem::swap(before, x);
            std::mem::swap(x, y);
            if k + 1 == STEPS {
                p.inertia().apply(part, x, a_x);
                beta = dot(x, a_x).sqrt();
            }
        }
        let eigen = t.symmetric_eigen();
        let (i, most) = eigen.eigenvalues.argmax();
        most + beta * eigen.eigenvectors[(STEPS - 1, i)].abs()
    }
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
fn apply(
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
