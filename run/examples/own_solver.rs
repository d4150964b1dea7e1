//! A contact solver of one's own, Newton's method with a dense matrix, on a sliding block and on a quadruped from a file.

use std::error::Error;
use std::path::Path;

use signorini_core::na::{Cholesky, DMatrix, DVector};
use signorini_core::{
    BlockSink, ContactMaterial, ContactSolver, DenseProblem, Evals, NoObserver, OneStep, Regime, SolveError,
    SolveStats, SolveStatus, StepProblem, StepSolution, Tolerance, WholePart, check_finite, check_guess,
    gradient, residual_and_tolerance,
};
use signorini_integrators::ContactStep;
use signorini_laws::Lagged;
use signorini_multibody::RigidSystem;
use signorini_run::{Method, MethodError, OwnMethod};
use signorini_scene::{LoadOptions, Scene};

/// Newton's method: (A + Σ Jᵀ∇²ℓ J) dv = −∇, then v ← v + α dv.
#[derive(Debug, Default)]
pub(crate) struct DenseNewton {
    whole: WholePart,
    evals: Evals,
}

/// The matrix of the Newton system, filled block by block.
struct Dense<'a> {
    /// First unknown of each block.
    starts: &'a [usize],
    matrix: DMatrix<f64>,
}

impl BlockSink for Dense<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let (i, j) = (self.starts[row_block], self.starts[col_block]);
        let (m, n) = (self.starts[row_block + 1] - i, self.starts[col_block + 1] - j);
        let block = DMatrix::from_column_slice(m, n, block);
        if row_block != col_block {
            let mut mirrored = self.matrix.view_mut((j, i), (n, m));
            mirrored += block.transpose();
        }
        let mut place = self.matrix.view_mut((i, j), (m, n));
        place += block;
    }
}

impl DenseNewton {
    /// The gradient at `v`, to which the problem is linearised.
    fn gradient_at(&mut self, p: &mut dyn StepProblem, v: &[f64]) -> Result<Vec<f64>, SolveError> {
        p.relinearize(v)?;
        p.pools().size_evals(&mut self.evals);
        p.pools().eval(self.whole.part(), p.contact_velocities(), &mut self.evals);
        let mut g = vec![0.0; v.len()];
        gradient(p, self.whole.part(), v, &self.evals, &mut g);
        check_finite("gradient", &g)?;
        Ok(g)
    }

    /// The direction −H⁻¹ g where the last gradient was taken; none where H is not positive definite.
    fn direction(&self, p: &dyn StepProblem, g: &[f64]) -> Option<DVector<f64>> {
        let (starts, n) = (p.inertia().block_starts(), g.len());
        let mut h = Dense { starts, matrix: DMatrix::zeros(n, n) };
        p.inertia().add_blocks(self.whole.part(), &mut h);
        p.map().add_hessian(self.whole.part(), p.pools(), &self.evals, &mut h);
        Cholesky::new(h.matrix).map(|factor| -factor.solve(&DVector::from_column_slice(g)))
    }

    /// Moves `v` to v + α dv and returns the gradient there: α = 1, or near the root of the slope where the whole step goes beyond the minimum.
    fn step(
        &mut self,
        p: &mut dyn StepProblem,
        v: &mut [f64],
        g: &[f64],
        dv: &[f64],
        evaluations: &mut u32,
    ) -> Result<Vec<f64>, SolveError> {
        let slope = |g: &[f64]| g.iter().zip(dv).map(|(g, d)| g * d).sum::<f64>();
        let (start, at_start) = (v.to_vec(), slope(g));
        let (mut low, mut high, mut alpha) = (0.0, 1.0, 1.0);
        loop {
            v.iter_mut().zip(&start).zip(dv).for_each(|((v, s), d)| *v = s + alpha * d);
            let g = self.gradient_at(p, v)?;
            *evaluations += 1;
            let s = slope(&g);
            // The objective is convex: it falls along dv as long as the slope is negative.
            let whole = alpha == 1.0 && s <= 0.0;
            if whole || s.abs() <= 0.1 * at_start.abs() || high - low < 1e-12 {
                return Ok(g);
            }
            if s > 0.0 {
                high = alpha
            } else {
                low = alpha
            }
            alpha = 0.5 * (low + high);
        }
    }

    /// The scaled residual at `v`, and the one at which the solve ends.
    fn residual(&self, p: &dyn StepProblem, tol: Tolerance, g: &[f64], v: &[f64]) -> [f64; 2] {
        let momentum = |x: &[f64]| {
            let mut y = vec![0.0; x.len()];
            p.inertia().apply(self.whole.part(), x, &mut y);
            y
        };
        let change: Vec<f64> = v.iter().zip(p.free_velocity()).map(|(v, free)| v - free).collect();
        let (free, none) = (momentum(p.free_velocity()), vec![0.0; v.len()]);
        residual_and_tolerance(p, tol, g, &momentum(&change), [&free, &none])
    }
}

impl ContactSolver for DenseNewton {
    fn name(&self) -> &'static str {
        "dense_newton"
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        if p.regime() == Regime::Frozen && p.smooth().is_none() && p.pools().all_convex() {
            return Ok(());
        }
        let why =
            "it takes convex laws and a map that does not change during a solve; take the reference solver";
        Err(SolveError::Unsupported { solver: "dense_newton", why: why.into() })
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.supports(p)?;
        check_guess(p, guess)?;
        check_finite("free velocity", p.free_velocity())?;
        self.whole.fit(p);
        let mut v = guess.to_vec();
        let mut g = self.gradient_at(p, &v)?;
        let mut stats = SolveStats::default();
        let status = loop {
            [out.residual, out.tolerance] = self.residual(p, tol, &g, &v);
            if out.residual <= out.tolerance {
                break SolveStatus::Converged;
            }
            if stats.iterations >= tol.max_iterations {
                break SolveStatus::IterationLimit;
            }
            let failed = SolveError::Factorization { iteration: stats.iterations, residual: out.residual };
            let dv = self.direction(p, &g).ok_or(failed)?;
            stats.iterations += 1;
            stats.factorizations += 1;
            g = self.step(p, &mut v, &g, dv.as_slice(), &mut stats.line_search)?;
        };
        stats.island_iterations = stats.iterations;
        out.v = v;
        out.v_position.clear();
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        out.set_impulses(p, &self.evals);
        (out.status, out.stats) = (status, stats);
        Ok(status)
    }
}

/// The solver as a method: robots from files run under it, with recordings.
#[derive(Debug)]
struct Newton;

impl OwnMethod for Newton {
    fn name(&self) -> &str {
        "dense_newton"
    }
    fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        Method::icf().system(scene)
    }
    fn scheme(&self) -> Box<dyn OneStep> {
        Box::new(ContactStep::new(DenseNewton::default()))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // A block of 1 kg slides over the floor at 1 m/s.
    let dt = 0.01;
    let p = DenseProblem {
        A: DMatrix::identity(3, 3),                            // mass [kg]
        v_star: DVector::from_vec(vec![-9.81 * dt, 1.0, 0.0]), // velocity without contact [m/s]
        J: DMatrix::identity(3, 3),                            // (n, t1, t2)
        phi0: DVector::from_vec(vec![-9.81 / 2.0e5]),          // gap [m]: the depth at rest
        v0: DVector::from_vec(vec![0.0, 1.0, 0.0]),            // velocity at the start [m/s]
        materials: vec![ContactMaterial::compliant(2.0e5, 20.0, 0.3)],
        dt,
    };
    let (mut problem, mut x) = (p.build(Lagged::default())?, StepSolution::default());
    let status = DenseNewton::default().solve(&mut problem, p.v0.as_slice(), Tolerance::default(), &mut x)?;
    println!("block: {status:?} after {} iterations, v = {:.4?} m/s", x.stats.iterations, x.v);

    // A quadruped stands for a second.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/quadruped/quadruped.xml");
    let scene = Scene::load(file, &LoadOptions::default())?;
    for method in [Method::icf(), Method::own(Newton)] {
        let method = method.with_step(2e-3);
        let mut sys = method.system(&scene)?;
        let mut x = sys.initial_state(scene.keyframe("home"))?;
        let report = method.integrator()?.advance(&mut sys, &mut x, 1.0, &mut NoObserver)?;
        println!("{}: trunk at {:.6} m after {} iterations", method.name(), x.q[2], report.iterations);
    }
    Ok(())
}
