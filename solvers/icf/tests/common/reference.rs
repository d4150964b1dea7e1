//! The method written out for dense matrices, one island at a time, with a line search by bisection.
#![allow(dead_code, reason = "every test file uses its part")]

use signorini_core::na::{Cholesky, DMatrix, DVector, Dyn};
use signorini_core::*;
use signorini_icf::{IcfOptions, ResidualScale, StepTest};

use super::Dense;

/// One evaluation of an island.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) island: usize,
    pub(crate) residual: f64,
    pub(crate) tolerance: f64,
    pub(crate) refactored: bool,
    pub(crate) alpha: f64,
}

/// End of a solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solved {
    pub(crate) v: Vec<f64>,
    pub(crate) records: Vec<Record>,
    pub(crate) statuses: Vec<SolveStatus>,
    /// Newton steps of each island.
    pub(crate) iterations: Vec<u32>,
    pub(crate) factorizations: u32,
}

/// Factorisations of one solve that the next may use, by island, with the step size that they belong to.
#[derive(Default)]
pub(crate) struct Kept {
    factors: Vec<Option<Cholesky<f64, Dyn>>>,
    dt: f64,
}

/// Islands as sorted lists of blocks: those that constraints join; blocks that none touches are in none.
pub(crate) fn islands(p: &FrozenProblem, separate: bool) -> Vec<Vec<usize>> {
    let blocks = p.inertia().block_starts().len() - 1;
    if !separate || !p.inertia().is_block_diagonal() {
        return vec![(0..blocks).collect()];
    }
    let mut label: Vec<Option<usize>> = vec![None; blocks];
    for k in 0..p.pools().constraint_count() {
        let touched = p.map().blocks_of(k);
        let least = touched.iter().map(|&b| label[b as usize].unwrap_or(b as usize)).min();
        for &b in touched {
            let old = label[b as usize];
            for l in &mut label {
                if l.is_some() && *l == old {
                    *l = least;
                }
            }
            label[b as usize] = least;
        }
    }
    let mut all: Vec<Vec<usize>> = Vec::new();
    for b in 0..blocks {
        if let Some(first) = label[b] {
            match all.iter_mut().find(|i| label[i[0]] == Some(first)) {
                Some(island) => island.push(b),
                None => all.push(vec![b]),
            }
        }
    }
    all
}

/// Gradient and Hessian of all unknowns.
fn derivatives(p: &mut FrozenProblem, v: &DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
    let n = v.len();
    let (mut whole, mut evals) = (WholePart::default(), Evals::default());
    whole.fit(p);
    p.relinearize(v.as_slice()).unwrap();
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    let mut g = DVector::zeros(n);
    gradient(p, whole.part(), v.as_slice(), &evals, g.as_mut_slice());
    let mut h = Dense { starts: p.inertia().block_starts(), h: DMatrix::zeros(n, n) };
    p.inertia().add_blocks(whole.part(), &mut h);
    p.map().add_hessian(whole.part(), p.pools(), &evals, &mut h);
    (g, h.h)
}

/// Newton's method by kurtz2025cenic, eq. (30) to (35), and by the tests of steps that the options say.
pub(crate) fn solve(
    p: &mut FrozenProblem,
    guess: &[f64],
    options: &IcfOptions,
    tol: Tolerance,
    kept: &mut Kept,
) -> Solved {
    let islands = islands(p, options.islands);
    let starts = p.inertia().block_starts().to_vec();
    let d = DVector::from_column_slice(p.inertia().scaling());
    let a_v_star = p.dense_inertia() * DVector::from_column_slice(p.free_velocity());
    if kept.dt != p.dt() || kept.factors.len() != islands.len() {
        kept.factors = vec![None; islands.len()];
        kept.dt = p.dt();
    }
    let mut v = DVector::from_column_slice(guess);
    let mut solved = Solved::default();
    for b in (0..starts.len() - 1).filter(|b| !islands.iter().any(|i| i.contains(b))) {
        let r = starts[b]..starts[b + 1];
        v.as_mut_slice()[r.clone()].copy_from_slice(&p.free_velocity()[r]);
    }
    for (island, blocks) in islands.iter().enumerate() {
        let at: Vec<usize> = blocks.iter().flat_map(|&b| starts[b]..starts[b + 1]).collect();
        let norm = |x: &DVector<f64>| at.iter().map(|&i| (x[i] * d[i]).powi(2)).sum::<f64>().sqrt();
        let asked = Tolerance { relative: tol.relative.max(options.min_tolerance), ..tol };
        let (mut lengths, mut fresh): (Vec<f64>, bool) = (Vec::new(), false);
        for k in 0_u32.. {
            let (g, h) = derivatives(p, &v);
            let residual = norm(&g);
            let inertial = p.dense_inertia() * &v - &a_v_star;
            let free = norm(&a_v_star);
            let tolerance = match options.scale {
                ResidualScale::Momenta => {
                    asked.residual(norm(&(&inertial + &a_v_star)), norm(&(&inertial - &g)), free)
                }
                ResidualScale::Published => asked.residual(1.0, free, free),
            };
            let record = Record { island, residual, tolerance, refactored: false, alpha: 0.0 };
            solved.records.push(record);
            let last = lengths.last().copied();
            // θ, and the estimated distance after `target` steps.
            let rate =
                lengths.len().checked_sub(2).map_or(0.0, |i| (lengths[i + 1] / lengths[i]).min(0.9999));
            let small = last.is_some_and(|last| match (options.step_test, k) {
                (StepTest::Newton, _) => last <= tolerance,
                (StepTest::Published, 1) => last <= tolerance,
                (StepTest::Published, _) => rate / (1.0 - rate) * last <= tolerance,
            });
            let trusted = options.step_test == StepTest::Published || (fresh && residual <= 10.0 * tolerance);
            if residual <= tolerance || (small && trusted) {
                solved.statuses.push(SolveStatus::Converged);
            } else if k == tol.max_iterations {
                solved.statuses.push(SolveStatus::IterationLimit);
            }
            if solved.statuses.len() > island {
                solved.iterations.push(k);
                break;
            }
            let too_slow = k > 1
                && rate.powi(options.reuse_target as i32 - k as i32) / (1.0 - rate) * lengths[k as usize - 1]
                    > tolerance;
            let factor = &mut kept.factors[island];
            if !options.reuse_hessian || too_slow || small {
                *factor = None;
            }
            fresh = factor.is_none();
            let g = DVector::from_fn(at.len(), |i, _| g[at[i]]);
            let here = h.select_rows(&at).select_columns(&at);
            let mut direction = |factor: &mut Option<Cholesky<f64, Dyn>>, anew: bool| {
                if anew {
                    solved.factorizations += 1;
                    *factor = Some(here.clone().cholesky().unwrap());
                }
                -factor.as_ref().unwrap().solve(&g)
            };
            let step = direction(factor, fresh);
            let mut whole = DVector::zeros(v.len());
            at.iter().zip(&step).for_each(|(&i, x)| whole[i] = *x);
            let slope =
                |alpha: f64, p: &mut FrozenProblem| derivatives(p, &(&v + alpha * &whole)).0.dot(&whole);
            let (mut low, mut high) = (0.0, options.line_search.alpha_max);
            if slope(high, p) <= 0.0 {
                low = high;
            }
            while high - low > 1e-14 {
                let mid = 0.5 * (low + high);
                if slope(mid, p) < 0.0 { low = mid } else { high = mid }
            }
            let alpha = 0.5 * (low + high);
            v += alpha * &whole;
            let length = at.iter().map(|&i| (whole[i] / d[i]).powi(2)).sum::<f64>().sqrt();
            lengths.push(if options.step_test == StepTest::Published { alpha * length } else { length });
            let record = solved.records.last_mut().unwrap();
            (record.refactored, record.alpha) = (fresh, alpha);
        }
    }
    solved.v = v.as_slice().to_vec();
    solved
}
