//! Random problems: stationarity written out with dense matrices, and minima found without derivatives.

use signorini_core::na::{DMatrix, DVector};
use signorini_core::{
    BlockDiagonal, ContactLaw, ContactSeed, ContactSolver, DenseProblem, FrozenMap, FrozenProblem, LawEval,
    LawProperties, Pool, Pools, ProblemError, Smoothness, SolveError, SolveStatus, StepProblem, StepSolution,
    Tolerance, na,
};
use signorini_laws::{Lagged, Sap, Similar};
use signorini_reference::ReferenceSolver;
use signorini_testkit::random_problem::random_dense_problem;
use signorini_testkit::rng::Rng;

fn stationary<L: ContactLaw<3, Seed = ContactSeed>>(law: L, seed: u64) {
    let mut r = Rng::new(seed);
    let (nv, nc) = (1 + r.below(12), r.below(7));
    let dense = random_dense_problem(seed, nv, nc);
    let mut p = dense.build(law).unwrap();
    let guess: Vec<f64> = (0..nv).map(|_| r.normal()).collect();
    let tolerance = Tolerance { relative: 1e-10, max_iterations: 100 };
    let mut out = StepSolution::default();
    let status = ReferenceSolver::default().solve(&mut p, &guess, tolerance, &mut out).unwrap();
    let name = format!("{} seed {seed} ({nv} unknowns, {nc} contacts)", L::KEY);
    assert_eq!(status, SolveStatus::Converged, "{name}: residual {:e} of {:e}", out.residual, out.tolerance);
    let v = DVector::from_column_slice(&out.v);
    let gamma = DVector::from_column_slice(&out.gamma);
    let gradient = &dense.A * (&v - &dense.v_star) - dense.J.transpose() * &gamma;
    let scaled = gradient.component_div(&dense.A.diagonal().map(f64::sqrt));
    // Tolerance that the solver reports, plus the round-off of multiplying it out in another order.
    let scale = 1e-12 * (1.0 + gamma.norm() * dense.J.norm());
    assert!(scaled.norm() <= out.tolerance + scale, "{name}: {:e} of {:e}", scaled.norm(), out.tolerance);
    assert!(
        (DVector::from_column_slice(&out.v_c) - &dense.J * &v).norm()
            <= 1e-12 * (1.0 + v.norm() * dense.J.norm())
    );
    let value = p.value(&out.v).unwrap();
    for _ in 0..50 {
        let size = r.log_uniform(1e-6, 1.0);
        let other: Vec<f64> = out.v.iter().map(|x| x + size * r.normal()).collect();
        // Convex: no point is lower, up to round-off of the value and the tolerance times the distance.
        let other_value = p.value(&other).unwrap();
        let slack = 1e-13 * value.abs() + 1e-9 * size;
        assert!(other_value >= value - slack, "{name}: {other_value} below {value} at distance {size:e}");
    }
    for k in 0..nc {
        assert!(out.gamma[3 * k] >= 0.0, "{name}: contact {k} pulls");
    }
}

#[test]
fn property_random_problems_are_stationary_and_minimal_under_every_contact_law() {
    for seed in 0..150 {
        stationary(Lagged::default(), seed);
        stationary(Similar::default(), seed);
        stationary(Sap::default(), seed);
    }
}

/// Minimum by compass search: steps along the axes, halved when none helps. No derivatives.
fn compass(p: &mut dyn StepProblem, start: &[f64]) -> Vec<f64> {
    let (mut v, mut step) = (start.to_vec(), 1.0);
    let mut value = p.value(&v).unwrap();
    while step > 1e-9 {
        let mut moved = false;
        for i in 0..v.len() {
            for s in [step, -step] {
                v[i] += s;
                let trial = p.value(&v).unwrap();
                if trial < value {
                    value = trial;
                    moved = true;
                } else {
                    v[i] -= s;
                }
            }
        }
        if !moved {
            step *= 0.5;
        }
    }
    v
}

#[test]
fn property_minimum_agrees_with_a_search_without_derivatives() {
    let mut compared = 0;
    for seed in 0..40 {
        // Mild materials: a compass search needs a well-conditioned bowl.
        let mut dense = random_dense_problem(seed, 2, 1);
        for m in &mut dense.materials {
            m.stiffness = 1e3;
            m.stiction_speed = 0.1;
        }
        let mut p = dense.build(Similar::default()).unwrap();
        let mut out = StepSolution::default();
        ReferenceSolver::default().solve(&mut p, &[0.0; 2], Tolerance::default(), &mut out).unwrap();
        let found = compass(&mut p, &[0.0; 2]);
        let off = (0..2).map(|i| (found[i] - out.v[i]).abs()).fold(0.0, f64::max);
        // The objective is flat to round-off within √1e-16 of its minimum, more along the softest direction.
        assert!(off < 1e-5, "seed {seed}: {found:?} against {:?}", out.v);
        compared += usize::from(out.gamma[0] > 0.0);
    }
    // The test is about contact: it must have happened.
    assert!(compared > 10, "{compared}");
}

#[test]
fn property_an_iteration_limit_is_a_status_with_the_best_iterate() {
    let dense = random_dense_problem(4, 8, 5);
    let mut p = dense.build(Lagged::default()).unwrap();
    let mut out = StepSolution::default();
    let mut last = f64::INFINITY;
    let mut limits = 0;
    for max_iterations in 0..20 {
        let tolerance = Tolerance { relative: 1e-10, max_iterations };
        let status = ReferenceSolver::default().solve(&mut p, &[1.0; 8], tolerance, &mut out).unwrap();
        assert_eq!(status, out.status);
        assert!(out.stats.iterations <= max_iterations);
        let value = p.value(&out.v).unwrap();
        assert!(value <= last, "more iterations, higher objective: {value} after {last}");
        last = value;
        limits += u32::from(status == SolveStatus::IterationLimit);
        assert_eq!(status == SolveStatus::Converged, out.residual <= out.tolerance);
    }
    assert!(limits > 0 && out.status == SolveStatus::Converged);
}

#[test]
fn property_nan_is_a_typed_error() {
    let dense = random_dense_problem(4, 8, 5);
    let mut p = dense.build(Lagged::default()).unwrap();
    let mut guess = [0.0; 8];
    guess[3] = f64::NAN;
    let e =
        ReferenceSolver::default().solve(&mut p, &guess, Tolerance::default(), &mut StepSolution::default());
    assert_eq!(e, Err(SolveError::Problem(ProblemError::NonFinite { what: "guess", index: 3 })));
    let e = ReferenceSolver::default().solve(
        &mut p,
        &[0.0; 7],
        Tolerance::default(),
        &mut StepSolution::default(),
    );
    assert!(matches!(e, Err(SolveError::Problem(ProblemError::Shape { expected: 8, found: 7, .. }))));
}

#[test]
fn property_bad_arrays_are_typed_errors() {
    let good = random_dense_problem(4, 8, 5);
    let built = |change: fn(&mut DenseProblem)| {
        let mut p = good.clone();
        change(&mut p);
        p.build(Lagged::default()).err().map(|e| e.to_string()).unwrap_or_default()
    };
    for (change, word) in [
        (|p: &mut DenseProblem| p.materials[2].stiffness = 0.0, "contact 2: stiffness is 0"),
        (|p: &mut DenseProblem| p.materials[1].dissipation = f64::NAN, "contact 1: dissipation is NaN"),
        (|p: &mut DenseProblem| p.materials[0].stiction_speed = -1.0, "contact 0: stiction_speed is -1"),
        (|p: &mut DenseProblem| p.materials[0].friction_dynamic = 9.0, "between 0 and friction_static"),
        (|p: &mut DenseProblem| p.phi0[3] = f64::INFINITY, "gap is not finite at index 3"),
        (|p: &mut DenseProblem| p.J[(4, 4)] = f64::NAN, "Jacobian is not finite"),
        (|p: &mut DenseProblem| p.A[(0, 0)] = -1.0, "not positive definite"),
        (|p: &mut DenseProblem| p.dt = 0.0, "step size"),
    ] as [(fn(&mut DenseProblem), &str); 8]
    {
        let e = built(change);
        assert!(e.contains(word), "'{e}' has no '{word}'");
    }
}

/// A double well, not convex: ℓ = a (v² − 1)².
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
struct DoubleWell;

impl ContactLaw<1> for DoubleWell {
    type Seed = f64;
    type Params = f64;
    const KEY: &'static str = "double_well";
    const PROPERTIES: LawProperties =
        LawProperties { convex: false, smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, a: &f64) -> f64 {
        *a
    }

    fn eval(&self, a: &f64, v: na::SVector<f64, 1>) -> LawEval<1> {
        let w = v[0] * v[0] - 1.0;
        LawEval {
            cost: a * w * w,
            grad: na::SVector::from([4.0 * a * v[0] * w]),
            hess: na::SMatrix::from([[4.0 * a * (3.0 * v[0] * v[0] - 1.0)]]),
        }
    }
}

#[test]
fn property_laws_that_are_not_convex_end_in_a_local_minimum() {
    for (start, sign) in [(0.05, 1.0), (-0.05, -1.0), (3.0, 1.0), (-3.0, -1.0)] {
        let inertia = BlockDiagonal::dense(&DMatrix::identity(1, 1)).unwrap();
        let mut map = FrozenMap::new(&[0, 1]);
        map.push_constraint(&[0.0]);
        map.push_block(0)[0] = 1.0;
        let mut pool = Pool::<DoubleWell, 1>::new(DoubleWell);
        pool.push(&10.0);
        let pools = Pools::new(vec![Box::new(pool)]);
        let mut p = FrozenProblem::new(0.01, inertia, vec![0.0], map, pools, Vec::new()).unwrap();
        let tolerance = Tolerance { relative: 1e-12, max_iterations: 100 };
        let mut out = StepSolution::default();
        let status = ReferenceSolver::default().solve(&mut p, &[start], tolerance, &mut out).unwrap();
        assert_eq!(status, SolveStatus::Converged);
        // v + 40 v (v² − 1) = 0: the solver's tolerance over the curvature.
        let expected = sign * (1.0_f64 - 1.0 / 40.0).sqrt();
        assert!((out.v[0] - expected).abs() < 1e-12, "from {start}: {} against {expected}", out.v[0]);
    }
}
