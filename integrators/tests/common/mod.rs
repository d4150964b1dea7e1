//! A dense damped Newton method for tests, and runs of the toys.
#![allow(dead_code, reason = "every test file uses its part")]

pub(crate) mod script;
pub(crate) mod spy;

use signorini_core::na::{DMatrix, DVector};
use signorini_core::*;
use signorini_testkit::toys::{Body, FreeBodies, Ground, Slider, SoftContact};

/// Newton with backtracking inside `max_step`.
#[derive(Default)]
pub(crate) struct DenseNewton {
    whole: WholePart,
    evals: Evals,
}

struct Dense<'a> {
    starts: &'a [usize],
    h: &'a mut DMatrix<f64>,
}

impl BlockSink for Dense<'_> {
    fn add(&mut self, row: usize, col: usize, block: &[f64]) {
        let (r, c) = (self.starts[row], self.starts[col]);
        let m = self.starts[row + 1] - r;
        for (k, x) in block.iter().enumerate() {
            let (i, j) = (r + k % m, c + k / m);
            self.h[(i, j)] += x;
            if row != col {
                self.h[(j, i)] += x;
            }
        }
    }
}

impl ContactSolver for DenseNewton {
    fn name(&self) -> &'static str {
        "dense_newton"
    }
    fn supports(&self, _: &dyn StepProblem) -> Result<(), SolveError> {
        Ok(())
    }
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let n = p.velocity_count();
        check_guess(p, guess)?;
        self.whole.fit(p);
        let part = self.whole.part();
        // The start of the step is feasible: the guess is a direction from there.
        let alpha = p.max_step(&vec![0.0; n], guess);
        let mut v = DVector::from_fn(n, |i, _| alpha * guess[i]);
        let [mut free, mut inertial] = [vec![0.0; n], vec![0.0; n]];
        p.inertia().apply(part, p.free_velocity(), &mut free);
        out.stats = SolveStats::default();
        let mut g = DVector::zeros(n);
        out.status = SolveStatus::IterationLimit;
        for k in 0..=tol.max_iterations {
            p.relinearize(v.as_slice())?;
            self.whole.fit(p);
            let part = self.whole.part();
            p.pools().size_evals(&mut self.evals);
            p.pools().eval(part, p.contact_velocities(), &mut self.evals);
            gradient(p, part, v.as_slice(), &self.evals, g.as_mut_slice());
            let drift: Vec<f64> = v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
            p.inertia().apply(part, &drift, &mut inertial);
            [out.residual, out.tolerance] =
                residual_and_tolerance(p, tol, g.as_slice(), &inertial, [&free, &[]]);
            if out.residual <= out.tolerance {
                out.status = SolveStatus::Converged;
                break;
            }
            if k == tol.max_iterations {
                break;
            }
            let mut h = DMatrix::zeros(n, n);
            let starts = p.inertia().block_starts().to_vec();
            let mut sink = Dense { starts: &starts, h: &mut h };
            p.inertia().add_blocks(part, &mut sink);
            p.map().add_hessian(part, p.pools(), &self.evals, &mut sink);
            if let Some(s) = p.smooth() {
                s.add_hessian(v.as_slice(), &mut sink);
            }
            let factor =
                h.cholesky().ok_or(SolveError::Factorization { iteration: k, residual: out.residual })?;
            let dv = -factor.solve(&g);
            out.stats.iterations += 1;
            out.stats.factorizations += 1;
            let f0 = p.value(v.as_slice())?;
            let slope = g.dot(&dv);
            let mut alpha = p.max_step(v.as_slice(), dv.as_slice());
            loop {
                out.stats.line_search += 1;
                let trial = &v + &dv * alpha;
                // Round-off in the objective must not stop the last steps.
                if p.value(trial.as_slice())? <= f0 + 1e-4 * alpha * slope + 1e-13 * f0.abs() {
                    v = trial;
                    break;
                }
                alpha *= 0.5;
                if alpha < 1e-12 {
                    out.status = SolveStatus::Stalled;
                    break;
                }
            }
            if out.status == SolveStatus::Stalled {
                p.relinearize(v.as_slice())?;
                break;
            }
        }
        out.v.clear();
        out.v.extend_from_slice(v.as_slice());
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        p.pools().eval(self.whole.part(), p.contact_velocities(), &mut self.evals);
        out.set_impulses(p, &self.evals);
        Ok(out.status)
    }
}

/// Ground of stiffness `k` \[N/m\], dissipation `d` \[s/m\], friction `mu` and stiction speed `v_s` \[m/s\].
pub(crate) fn ground(k: f64, d: f64, mu: f64, v_s: f64) -> Ground {
    let material = ContactMaterial { stiction_speed: v_s, ..ContactMaterial::compliant(k, d, mu) };
    Ground { material, ..Ground::default() }
}

/// A slider that does nothing of note.
pub(crate) fn idle_slider() -> Slider {
    Slider { mass: 1.0, stiffness: 0.0, damping: 0.0, stops: [-1.0, 1.0], stop: [1e4, 10.0] }
}

/// Bodies over a ground under the soft contact law.
pub(crate) fn free_bodies(bodies: Vec<Body>, ground: Ground) -> Result<FreeBodies, ProblemError> {
    FreeBodies::new(bodies, idle_slider(), ground, &Pool::<SoftContact, 3>::new(SoftContact))
}
