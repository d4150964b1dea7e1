//! The objective of a substep: derivatives beside differences, convexity, and that solvers go down on it.

use signorini_core::{
    ContactSolver, Evals, Slot, StepProblem, StepSolution, System, Tolerance, WholePart, largest,
};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_mpm::{Direction, MpmSolver, MpmSolverOptions};
use signorini_reference::DenseHessian;

use super::Cases;
use super::closed_forms::{fail, thrown};
use crate::random::Random;
use signorini_report::{Claim, PageError};

/// Gradient and Hessian at velocities.
fn derivatives(p: &mut dyn StepProblem, v: &[f64]) -> Result<(Vec<f64>, DenseHessian), PageError> {
    p.relinearize(v).map_err(fail)?;
    let (mut whole, mut evals) = (WholePart::default(), Evals::default());
    whole.fit(p);
    p.pools().size_evals(&mut evals);
    p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
    let drift: Vec<f64> = v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
    let mut gradient = vec![0.0; v.len()];
    p.inertia().apply(whole.part(), &drift, &mut gradient);
    p.map().add_gradient(whole.part(), p.pools(), &evals, &mut gradient);
    let mut hessian = DenseHessian::new(p.inertia().block_starts());
    p.inertia().add_blocks(whole.part(), &mut hessian);
    p.map().add_hessian(whole.part(), p.pools(), &evals, &mut hessian);
    Ok((gradient, hessian))
}

fn random(r: &mut Random, n: usize, size: f64) -> Vec<f64> {
    (0..n).map(|_| size * (2.0 * r.uniform() - 1.0)).collect()
}

fn along(v: &[f64], d: &[f64], step: f64) -> Vec<f64> {
    v.iter().zip(d).map(|(v, d)| v + step * d).collect()
}

pub(super) fn add(cases: &mut Cases) -> Result<(), PageError> {
    let (mut s, guess, dt) = thrown()?;
    let p = s.problem(Slot::Start, dt).map_err(fail)?;
    let (mut r, n) = (Random::new(13), guess.len());
    // Friction turns within 1 mm/s, so that central differences have an error of (step over it)²/6 = 7·10⁻⁹ at most; values are round to 10⁻⁸ of their differences.
    let (mut first, mut second, step) = (0.0f64, 0.0f64, 2e-7);
    for _ in 0..20 {
        let v = along(&guess, &random(&mut r, n, 0.2), 1.0);
        let d = random(&mut r, n, 1.0);
        let (g, h) = derivatives(p, &v)?;
        let (ahead, behind) = (along(&v, &d, step), along(&v, &d, -step));
        let slope: f64 = g.iter().zip(&d).map(|(g, d)| g * d).sum();
        let values = p.value(&ahead).map_err(fail)? - p.value(&behind).map_err(fail)?;
        first = first.max((values / (2.0 * step) / slope - 1.0).abs());
        let (a, b) = (derivatives(p, &ahead)?.0, derivatives(p, &behind)?.0);
        let product: Vec<f64> =
            (0..n).map(|i| h.matrix().row(i).iter().zip(&d).map(|(h, d)| h * d).sum()).collect();
        let size = product.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off = (0..n).map(|i| ((a[i] - b[i]) / (2.0 * step) - product[i]).powi(2)).sum::<f64>().sqrt();
        second = second.max(off / size);
    }
    let text = |what: &str| {
        format!(
            "objective of a substep at 20 velocities: largest relative difference between {what} and central differences"
        )
    };
    cases.add(
        "V13",
        Claim::at_most("objective/gradient", &text("directional derivatives"), 1e-7, first, "")
            .rule("at most 1e-7, ten times the round-off of the values over their difference"),
    );
    cases.add(
        "V13",
        Claim::at_most("objective/hessian", &text("products of the Hessian"), 7e-9, second, "")
            .rule("at most 7e-9, the error (step over 1 mm/s)²/6 of central differences"),
    );
    // Laws alone, without the masses that would hide them.
    let (mut whole, mut evals) = (WholePart::default(), Evals::default());
    whole.fit(p);
    p.pools().size_evals(&mut evals);
    let mut worst = f64::NEG_INFINITY;
    for _ in 0..1000 {
        let rows = p.pools().row_count();
        let (a, b) = (random(&mut r, rows, 0.5), random(&mut r, rows, 0.5));
        let middle: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.5 * (a + b)).collect();
        let mut costs = |v: &[f64]| {
            p.pools().eval(whole.part(), v, &mut evals);
            evals.cost.clone()
        };
        let (a, b, m) = (costs(&a), costs(&b), costs(&middle));
        let over = (0..m.len())
            .map(|k| (m[k] - 0.5 * (a[k] + b[k])) / (a[k].abs() + b[k].abs()).max(f64::MIN_POSITIVE));
        worst = over.fold(worst, f64::max);
    }
    let text = "convexity of the contact law: largest (ℓ((a + b)/2) − (ℓ(a) + ℓ(b))/2) over |ℓ(a)| + |ℓ(b)| of 1000 pairs per contact, positive only \
        by round-off";
    cases.add(
        "V13",
        Claim::at_most("objective/convex", text, 1e-14, worst, "")
            .rule("at most 1e-14, above the round-off of three values"),
    );
    let of = |direction| MpmSolver::new(MpmSolverOptions { direction, ..MpmSolverOptions::default() });
    let mut icf = IcfSolver::new(IcfOptions { islands: false, ..IcfOptions::default() });
    let (mut pcg, mut diagonal) = (of(Direction::NewtonPcg), of(Direction::BlockDiagonal));
    let all: [&mut dyn ContactSolver; 3] = [&mut icf, &mut pcg, &mut diagonal];
    let mut rise = f64::NEG_INFINITY;
    for solver in all {
        let mut costs = vec![p.value(&guess).map_err(fail)?];
        for most in 1..=40 {
            let mut end = StepSolution::default();
            let tolerance = Tolerance { relative: 1e-10, max_iterations: most };
            solver.solve(p, &guess, tolerance, &mut end).map_err(fail)?;
            if end.stats.iterations < most {
                break;
            }
            costs.push(p.value(&end.v).map_err(fail)?);
        }
        let fall = costs[0] - costs[costs.len() - 1];
        rise = rise.max(largest(costs.windows(2).map(|c| (c[1] - c[0]) / fall)));
    }
    let text = "Newton, Newton–PCG and quasi-Newton: largest increase of the objective in an iteration, relative to the total decrease, positive only \
        by round-off";
    cases.add(
        "V13",
        Claim::at_most("objective/monotone", text, 1e-12, rise, "")
            .rule("at most 1e-12, above the round-off of sums over all contacts"),
    );
    Ok(())
}
