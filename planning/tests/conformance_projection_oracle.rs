//! The exact projection beside Clarabel, and the iterations beside both.

use crate::projection_cases;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};
use projection_cases::{ARM, DT, Draw, converged, distance, projector, together};
use signorini_core::na::DMatrix;
use signorini_planning::projection::{JointHistory, Precision, ProjectionOptions, Rows, WarmStart, exact};

fn sparse(m: &DMatrix<f64>) -> CscMatrix<f64> {
    let (mut starts, mut at, mut values) = (vec![0], Vec::new(), Vec::new());
    for c in 0..m.ncols() {
        for r in (0..m.nrows()).filter(|r| m[(*r, c)] != 0.0) {
            at.push(r);
            values.push(m[(r, c)]);
        }
        starts.push(at.len());
    }
    CscMatrix::new(m.nrows(), m.ncols(), starts, at, values)
}

/// The projection by an interior point method; None where there is none.
fn clarabel(rows: &DMatrix<f64>, limits: [&[f64]; 2], sample: &[f64]) -> Option<Vec<f64>> {
    let (m, n) = rows.shape();
    let mut both = DMatrix::zeros(2 * m, n);
    both.rows_mut(0, m).copy_from(rows);
    both.rows_mut(m, m).copy_from(&-rows);
    let b: Vec<f64> = limits[1].iter().copied().chain(limits[0].iter().map(|l| -l)).collect();
    let q: Vec<f64> = sample.iter().map(|s| -s).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-11)
        .tol_feas(1e-11)
        .build()
        .unwrap();
    let p = CscMatrix::identity(n);
    let cones = [NonnegativeConeT(2 * m)];
    let mut solver = DefaultSolver::new(&p, &q, &sparse(&both), &b, &cones, settings).unwrap();
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Some(solver.solution.x.clone()),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => None,
        other => panic!("Clarabel ends with {other:?}"),
    }
}

/// Histories that can be continued, with samples of unit and tenfold variance.
fn problems(count: usize, steps: usize, seed: u64) -> Vec<(JointHistory, Vec<f64>)> {
    let rows = Rows::new(steps, DT).unwrap();
    let mut draw = Draw::new(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let history = draw.history();
        let deviation = if found.len().is_multiple_of(2) { 1.0 } else { 10f64.sqrt() };
        let sample = draw.normals(steps, deviation);
        let [l, u] = rows.limits(&ARM, history);
        if exact::project(&rows.dense(), [&l, &u], &vec![0.0; steps]).is_ok() {
            found.push((history, sample));
        }
    }
    found
}

#[test]
fn conformance_exact_projection_is_clarabels() {
    let mut draw = Draw::new(11);
    let [mut solved, mut empty] = [0, 0];
    for i in 0..160 {
        let rows = Rows::new([1, 4, 10, 15][i % 4], DT).unwrap();
        let mut history = draw.history();
        history.acceleration *= 1.3;
        let [l, u] = rows.limits(&ARM, history);
        let sample = draw.normals(rows.steps, [1.0, 10f64.sqrt()][i / 4 % 2]);
        let ours = exact::project(&rows.dense(), [&l, &u], &sample);
        match (clarabel(&rows.dense(), [&l, &u], &sample), ours) {
            (Some(x), Ok(e)) => {
                solved += 1;
                // Error of an interior point method at a gap of 1e-11.
                assert!(distance(&x, e.v.as_slice()) < 1e-5, "{i}: {x:?} {:?}", e.v);
            }
            (None, Err(_)) => empty += 1,
            (x, e) => panic!("{i}: Clarabel has {x:?}, the active set method {e:?}"),
        }
    }
    assert!(solved > 60 && empty > 10, "{solved} solved, {empty} empty");
}

/// v = s − Aᵀ λ, λ ≥ 0 at the upper bound, ≤ 0 at the lower, 0 between.
#[test]
fn analytic_exact_projection_has_multipliers() {
    for (history, sample) in problems(60, 15, 12) {
        let rows = Rows::new(15, DT).unwrap();
        let a = rows.dense();
        let [l, u] = rows.limits(&ARM, history);
        let e = exact::project(&a, [&l, &u], &sample).unwrap();
        let stationary = a.transpose() * &e.multipliers + &e.v;
        // Round-off of entries of 400 and multipliers of 0.1.
        assert!(distance(stationary.as_slice(), &sample) < 1e-9);
        let values = a * &e.v;
        for i in 0..60 {
            let m = e.multipliers[i];
            // The solver's tolerance, 1e-11 of a row of norm 245.
            assert!(values[i] < u[i] + 1e-8 && values[i] > l[i] - 1e-8, "row {i}");
            assert!(m <= 0.0 || (values[i] - u[i]).abs() < 1e-7, "row {i}: {m}");
            assert!(m >= 0.0 || (values[i] - l[i]).abs() < 1e-7, "row {i}: {m}");
        }
    }
}

#[test]
fn convergence_iterations_end_at_the_exact_projection() {
    let problems = problems(48, 15, 13);
    let histories: Vec<JointHistory> = problems.iter().map(|p| p.0).collect();
    let mut p = projector(48, 15, converged());
    // One sample, each problem a joint.
    let mut tape: Vec<f64> = (0..15).flat_map(|k| problems.iter().map(move |p| p.1[k])).collect();
    p.project(&together(&histories), &[0.0; 15 * 48], &mut tape).unwrap();
    let rows = Rows::new(15, DT).unwrap();
    for (j, (history, sample)) in problems.iter().enumerate() {
        let [l, u] = rows.limits(&ARM, *history);
        let truth = exact::project(&rows.dense(), [&l, &u], sample).unwrap().v;
        let own: Vec<f64> = tape.chunks(48).map(|step| step[j]).collect();
        // Linear convergence, 12 000 iterations.
        assert!(distance(&own, truth.as_slice()) < 1e-6, "joint {j}: {}", distance(&own, truth.as_slice()));
        let multipliers = signorini_core::na::DVector::from_vec(p.multipliers(0, j).unwrap());
        let stationary =
            rows.dense().transpose() * multipliers + signorini_core::na::DVector::from_vec(own.clone());
        assert!(distance(stationary.as_slice(), sample) < 1e-6);
    }
    assert_eq!(p.multipliers(1, 0), None);
    assert_eq!(p.multipliers(0, 48), None);
}

/// Errors of 20 iterations before the finish, unit variance, from rest and in the middle of motion: below 0.02 rad/s RMS.
#[test]
fn conformance_twenty_iterations_are_near_clarabels() {
    for rest in [true, false] {
        let count = 200;
        let mut problems = problems(2 * count, 15, 14);
        problems = problems.into_iter().step_by(2).collect();
        if rest {
            problems.iter_mut().for_each(|p| p.0 = JointHistory::default());
        }
        let rows = Rows::new(15, DT).unwrap();
        for precision in [Precision::Double, Precision::Single] {
            let mut square = 0.0;
            for (history, sample) in &problems {
                let mut p = projector(
                    1,
                    15,
                    ProjectionOptions { precision, finish: false, ..ProjectionOptions::default() },
                );
                let mut tape = sample.clone();
                p.project(&together(&[*history]), &[0.0; 15], &mut tape).unwrap();
                let [l, u] = rows.limits(&ARM, *history);
                let truth = clarabel(&rows.dense(), [&l, &u], sample).unwrap();
                square += distance(&tape, &truth).powi(2) / 15.0;
            }
            let rms = (square / count as f64).sqrt();
            // The required accuracy.
            assert!(rms < 0.02, "{rms} rad/s, {precision:?}, from rest: {rest}");
        }
    }
}

#[test]
fn conformance_single_precision_is_near_double() {
    let mut draw = Draw::new(15);
    let sample = draw.normals(37 * 15 * 12, 1.0);
    let history = together(&vec![JointHistory { velocity: 0.1, ..JointHistory::default() }; 12]);
    for (warm_start, finish) in [WarmStart::Cold, WarmStart::Mean].into_iter().zip([false, true]) {
        let run = |precision| {
            let options = ProjectionOptions { precision, warm_start, finish, ..ProjectionOptions::default() };
            let mut tapes = sample.clone();
            projector(12, 15, options).project(&history, &[0.0; 15 * 12], &mut tapes).unwrap();
            tapes
        };
        let (single, double) = (run(Precision::Single), run(Precision::Double));
        let worst = single.iter().zip(&double).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // 6e-8 of velocities, times some hundred for the condition of K, times 20.
        assert!(worst < 1e-4 && worst > 0.0, "{worst}");
    }
}
