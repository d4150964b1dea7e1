//! The power method for the largest eigenvalue of A⁻¹ S, S = Σ Jᵀ ∇²ℓ J.

use signorini_core::{Evals, Part, StepProblem};

/// Storage of iterations with A⁻¹ S.
#[derive(Debug, Default)]
pub(crate) struct Power {
    x: Vec<f64>,
    y: Vec<f64>,
    a_x: Vec<f64>,
    rows: Vec<f64>,
}

impl Power {
    /// λ_max with the Hessians in `evals`, from below.
    pub(crate) fn largest(
        &mut self,
        p: &dyn StepProblem,
        part: Part<'_>,
        evals: &mut Evals,
        iterations: usize,
    ) -> f64 {
        let Self { x, y, a_x, rows } = self;
        let n = p.velocity_count();
        start(x, p.inertia().scaling());
        rows.resize(p.pools().row_count(), 0.0);
        a_x.resize(n, 0.0);
        let mut rate = 0.0;
        for _ in 0..iterations {
            p.inertia().apply(part, x, a_x);
            let norm = dot(x, a_x).sqrt();
            if norm == 0.0 {
                return 0.0;
            }
            x.iter_mut().for_each(|x| *x /= norm);
            apply(p, part, evals, x, rows, y);
            // Rayleigh's quotient in the norm of A, in which x is a unit vector: xᵀ S x / xᵀ A x.
            rate = dot(x, y);
            p.inertia().solve_in_place(part, y);
            std::mem::swap(x, y);
        }
        rate
    }
}

/// A start that is no eigenvector of a symmetric scene, alike in all units: velocities of one energy.
fn start(x: &mut Vec<f64>, scaling: &[f64]) {
    x.clear();
    x.extend((0..).zip(scaling).map(|(i, d)| (1.0 + 0.37 * (1.7 * f64::from(i)).sin()) * d));
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
