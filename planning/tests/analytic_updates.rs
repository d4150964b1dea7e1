//! Updates, weights, bases and schedules against closed forms and dense references.

use crate::common;

use common::{PointBatch, Reach};
use signorini_core::State;
use signorini_core::na::{DMatrix, DVector};
use signorini_planning::{
    Annealing, Basis, BasisKind, ControlTape, Costing, Elite, Executed, KnotSchedule, Mppi, MppiOptions,
    Phase, Plan, Planner, Rollout, Schedule, Spread, SpreadKind, Stream, Temperature, TermWeights, Update,
};

const KINDS: [BasisKind; 4] =
    [BasisKind::ZeroOrder, BasisKind::Linear, BasisKind::Cubic, BasisKind::Bernstein];

fn information(temperature: Temperature, control_cost: bool) -> Update {
    Update::Information { temperature, control_cost }
}

#[test]
fn analytic_rows_of_bases_sum_to_one_and_full_knots_are_the_tape() {
    for kind in KINDS {
        for (k, h) in [(1, 1), (1, 7), (2, 9), (3, 8), (5, 12), (9, 9)] {
            let b = Basis::new(kind, k, h).unwrap();
            for (i, row) in b.map().chunks_exact(k).enumerate() {
                // Round-off of a few sums.
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{kind:?} {k} {h}");
                if k == h && kind != BasisKind::Bernstein {
                    assert!(
                        row.iter().enumerate().all(|(j, c)| (c - f64::from(u8::from(i == j))).abs() < 1e-12)
                    );
                }
                if kind != BasisKind::Cubic {
                    assert!(row.iter().all(|c| *c >= 0.0));
                }
            }
        }
    }
}

/// The tape of knots that are the values of a polynomial at their times.
fn tape_of(kind: BasisKind, k: usize, h: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    let b = Basis::new(kind, k, h).unwrap();
    let theta: Vec<f64> = (0..k).map(|i| f(i as f64 * (h - 1) as f64 / (k - 1) as f64)).collect();
    let mut tape = vec![0.0; h];
    b.apply(&theta, &mut tape);
    tape
}

#[test]
fn analytic_splines_reproduce_polynomials() {
    let cubic = |t: f64| 0.3 - 0.2 * t + 0.05 * t * t - 0.004 * t * t * t;
    let parabola = |t: f64| 1.0 - 0.3 * t + 0.02 * t * t;
    let line = |t: f64| 2.0 - 0.7 * t;
    let check = |tape: Vec<f64>, f: &dyn Fn(f64) -> f64| {
        // Round-off of a solve with condition below 10.
        tape.iter().enumerate().for_each(|(i, u)| assert!((u - f(i as f64)).abs() < 1e-11, "{i}: {u}"));
    };
    (4..9).for_each(|k| check(tape_of(BasisKind::Cubic, k, 14, cubic), &cubic));
    check(tape_of(BasisKind::Cubic, 3, 14, parabola), &parabola);
    check(tape_of(BasisKind::Cubic, 2, 14, line), &line);
    check(tape_of(BasisKind::Linear, 6, 14, line), &line);
}

#[test]
fn analytic_shifted_plans_are_the_same_controls() {
    // Polynomials that a basis holds are held after a shift, as long as it does not reach past the end: so the shift is backwards in time.
    let (k, h) = (5, 13);
    for (kind, degree) in [(BasisKind::Linear, 1), (BasisKind::Cubic, 3)] {
        let b = Basis::new(kind, k, h).unwrap();
        let f =
            |t: f64| (0..=degree).map(|p| (0.1 * t).powi(p) * [0.4, -0.9, 0.7, 0.3][p as usize]).sum::<f64>();
        let theta: Vec<f64> = (0..k).map(|i| f(i as f64 * 3.0)).collect();
        let mut there = vec![0.0; k];
        b.shifted(&theta, 2.3, &mut there);
        let mut row = vec![0.0; k];
        let at = |theta: &[f64], t: f64, row: &mut Vec<f64>| {
            let mut u = [0.0];
            b.evaluate(theta, t, row, &mut u);
            u[0]
        };
        let span = 12.0 - 2.3;
        if kind == BasisKind::Linear {
            for t in [0.0, 3.0, 6.0, 9.0] {
                assert!((at(&there, t, &mut row) - f(t + 2.3)).abs() < 1e-12 || t + 2.3 > 12.0);
            }
        } else {
            // At the new knots the old controls, held past the end.
            for i in 0..k {
                let t = 3.0 * i as f64;
                let expected = at(&theta, (t + 2.3).min(12.0), &mut row);
                assert!((at(&there, t, &mut row) - expected).abs() < 1e-11, "{kind:?} at {t} of {span}");
            }
        }
    }
    // Held knots: exact for whole knots, the mean otherwise, and any shift moves the plan.
    let b = Basis::new(BasisKind::ZeroOrder, 4, 12).unwrap();
    let theta = [1.0, 2.0, 4.0, 8.0];
    let shifted = |s: f64| {
        let mut o = [0.0; 4];
        b.shifted(&theta, s, &mut o);
        o
    };
    assert_eq!(shifted(3.0), [2.0, 4.0, 8.0, 8.0]);
    assert_eq!(shifted(30.0), [8.0; 4]);
    let third = shifted(1.0);
    let expected = [4.0 / 3.0, 8.0 / 3.0, 16.0 / 3.0, 8.0];
    third.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
}

/// Bernstein coefficients after a shift are those of the least squares with all rows written out, and plans that are moved again and again do not grow.
#[test]
fn analytic_shifted_polynomials_are_least_squares() {
    for (k, h) in [(5, 13), (11, 15), (8, 40)] {
        let b = Basis::new(BasisKind::Bernstein, k, h).unwrap();
        let mut row = vec![0.0; k];
        let mut random = Stream::new(3, 0);
        let theta: Vec<f64> = (0..k).map(|_| random.uniform(-1.0, 1.0)).collect();
        for shift in [0.5, 1.0, 2.3, -0.7] {
            let weight = 1e-3f64.sqrt();
            let (mut left, mut right) = (DMatrix::zeros(h + k, k), DVector::zeros(h + k));
            let value = |t: f64| {
                let mut u = [0.0];
                b.evaluate(&theta, t + shift, &mut vec![0.0; k], &mut u);
                u[0]
            };
            for i in 0..h {
                b.row(i as f64, &mut row);
                left.row_mut(i).copy_from_slice(&row);
                right[i] = value(i as f64);
            }
            for i in 0..k {
                left[(h + i, i)] = weight;
                right[h + i] = weight * value((i * (h - 1)) as f64 / (k - 1) as f64);
            }
            let expected = left.svd(true, true).solve(&right, 0.0).unwrap();
            let mut found = vec![0.0; k];
            b.shifted(&theta, shift, &mut found);
            // Condition of the normal equations 2.5·10³ at most, round-off 10⁻¹⁶.
            let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-11, "{k} of {h} by {shift}: {off}");
            let (mut now, mut next) = (theta.clone(), vec![0.0; k]);
            for _ in 0..200 {
                b.shifted(&now, shift, &mut next);
                std::mem::swap(&mut now, &mut next);
            }
            // The row-sum norm of 30 moves is 1.5 at most for 15 steps and 3.6 for 40.
            let most = now.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert!(most < 4.0, "{k} of {h} by {shift}, 200 times: {most}");
        }
    }
}

#[test]
fn analytic_plans_are_queried_by_absolute_time() {
    for kind in KINDS {
        let mut p = Mppi::new(MppiOptions {
            basis: kind,
            knots: 4,
            ..MppiOptions::new(9, 0.1, vec![[-1.0, 1.0]; 2])
        })
        .unwrap();
        p.reset(5.0, &[0.25, 3.0]).unwrap();
        let mut u = [0.0; 2];
        for t in [0.0, 5.0, 5.37, 100.0] {
            p.executed().controls(t, &mut u).unwrap();
            // A constant is a constant at all times, within the bounds.
            assert!((u[0] - 0.25).abs() < 1e-12 && (u[1] - 1.0).abs() < 1e-12, "{kind:?}: {u:?}");
        }
        let mut moved: Plan = p.mean().clone();
        moved.move_to(5.37);
        assert!(moved.knots.iter().zip(&p.mean().knots).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(moved.end(), 5.37 + 0.9);
    }
}

#[test]
fn analytic_weights_at_the_limits_of_temperature() {
    let costs = [3.0, 1.0, f64::NAN, 2.0, f64::INFINITY, 1e9];
    let weigh = |t: Temperature| {
        let mut w = [0.0; 6];
        let r = t.weigh(&costs, &mut w);
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && r.failed == 2 && r.best == 1.0);
        assert!(w[2] == 0.0 && w[4] == 0.0);
        (w, r)
    };
    assert_eq!(weigh(Temperature::Absolute(1e-6)).0[1], 1.0);
    let (w, r) = weigh(Temperature::Absolute(1e15));
    assert!(
        [0, 1, 3, 5].iter().all(|j| (w[*j] - 0.25).abs() < 1e-6) && (r.effective_samples - 4.0).abs() < 1e-6
    );
    let (w, r) = weigh(Temperature::Absolute(2.0));
    let [a, b, c] = [1.0f64, 0.0, 0.5].map(|x| (-x).exp());
    assert!((w[0] - a / (a + b + c)).abs() < 1e-12);
    assert!((r.effective_samples - (a + b + c).powi(2) / (a * a + b * b + c * c)).abs() < 1e-12);
    for n in [1.3, 2.0, 2.9, 3.5] {
        let r = weigh(Temperature::EffectiveSamples(n)).1;
        assert!((r.effective_samples - n).abs() < 1e-6, "{n}: {}", r.effective_samples);
    }
    // Free of unit and origin of the cost.
    for t in [Temperature::Standardised { temperature: 0.4, share: 0.8 }, Temperature::EffectiveSamples(2.5)]
    {
        let (mut w, mut v) = ([0.0; 5], [0.0; 5]);
        let c = [0.1, 0.5, 0.2, 0.9, 0.4];
        t.weigh(&c, &mut w);
        t.weigh(&c.map(|x| 1e6 * x - 3.0), &mut v);
        // Bisection to 2⁻⁸⁰ of 55, and costs with seven digits less.
        w.iter().zip(&v).for_each(|(a, b)| assert!((a - b).abs() < 1e-7));
    }
    // The best alone, or several of the same cost, have no spread: those next to them tell what is better.
    for (costs, best) in [([1.0, 100.0, 1e3, 1e4], 1), ([1.0, 1.0, 1e3, 1e4], 2)] {
        let mut w = [0.0; 4];
        let t = Temperature::Standardised { temperature: 0.4, share: 0.25 };
        let r = t.weigh(&costs, &mut w);
        assert!(r.beta.is_finite() && w[..best].iter().sum::<f64>() > 0.9, "{w:?}");
    }
    // Equal costs weigh the same.
    for t in [
        Temperature::Standardised { temperature: 0.4, share: 0.5 },
        Temperature::EffectiveSamples(2.0),
        Temperature::Absolute(0.1),
    ] {
        let mut w = [0.0; 4];
        t.weigh(&[5.0; 4], &mut w);
        assert_eq!(w, [0.25; 4]);
    }
}

#[test]
fn analytic_schedules() {
    let scale = |knots, annealing, k, i| Schedule { knots, annealing }.scale(k, 4, i, 5);
    let none = Annealing::None;
    assert_eq!(scale(KnotSchedule::Ramp(2.5), none, 0, 3), 0.625);
    assert_eq!(scale(KnotSchedule::Ramp(2.5), none, 3, 3), 2.5);
    assert!((scale(KnotSchedule::Exponential(0.5), none, 1, 0) - (-1.0f64).exp()).abs() < 1e-15);
    assert!((scale(KnotSchedule::Logarithmic(0.5, 1.0), none, 0, 0) - 0.5).abs() < 1e-15);
    assert!((scale(KnotSchedule::Logarithmic(0.5, 1.0), none, 3, 0) - 1.0).abs() < 1e-15);
    assert_eq!(scale(KnotSchedule::Constant, Annealing::Geometric(0.5), 0, 3), 0.125);
    assert!(
        (scale(KnotSchedule::Constant, Annealing::Exponential(0.4), 0, 2) - (-1.0f64).exp()).abs() < 1e-15
    );
    // After M iterations the final factor would be reached.
    assert!((scale(KnotSchedule::Constant, Annealing::ToFinal(0.1), 0, 5) - 0.1).abs() < 1e-15);
}

#[test]
fn analytic_colored_noise_has_the_covariance() {
    for kind in [SpreadKind::PerChannel, SpreadKind::Full] {
        let (k, sigma, r) = (4, [0.5, 2.0], 0.6);
        let s = Spread::new(kind, k, &sigma, r).unwrap();
        let n = k * 2;
        // Columns of L from unit vectors: L Lᵀ must be C.
        let mut l = DMatrix::zeros(n, n);
        let mut scratch = Vec::new();
        for j in 0..n {
            let mut z = vec![0.0; n];
            z[j] = 1.0;
            s.color(&mut z, &mut scratch);
            l.set_column(j, &DVector::from_vec(z));
        }
        let c = DMatrix::from_fn(n, n, |i, j| match i % 2 == j % 2 {
            true => sigma[i % 2].powi(2) * f64::powi(r, (i / 2).abs_diff(j / 2) as i32),
            false => 0.0,
        });
        assert!((&l * l.transpose() - &c).amax() < 1e-13);
        let mut x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let expected = c.lu().solve(&DVector::from_vec(x.clone())).unwrap();
        s.solve(&mut x);
        assert!((DVector::from_vec(x) - expected).amax() < 1e-11);
    }
}

/// A made-up cost with a minimum that couples all controls.
fn bowl(tape: &ControlTape, out: &mut [f64]) -> Result<(), signorini_core::StepError> {
    for (j, c) in out.iter_mut().enumerate() {
        let u = tape.sample(j);
        let sum: f64 = u.iter().sum();
        *c = u.iter().enumerate().map(|(i, u)| (u - 0.1 * i as f64).powi(2)).sum::<f64>() + 0.3 * sum * sum;
    }
    Ok(())
}

#[test]
fn analytic_elite_update_is_the_dense_one() {
    for kind in [SpreadKind::Diagonal, SpreadKind::PerChannel, SpreadKind::Full] {
        let elite = Elite {
            share: 0.25,
            temperature: Temperature::Absolute(0.7),
            mean_rate: 0.6,
            spread_rate: 0.3,
            floor: 1e-3,
            sampling_floor: 2e-3,
            limits: [0.0, f64::INFINITY],
        };
        let schedule = Schedule { knots: KnotSchedule::Ramp(1.5), annealing: Annealing::None };
        let o = MppiOptions {
            samples: 40,
            knots: 4,
            spread: kind,
            schedule,
            update: Update::Elite(elite),
            ..MppiOptions::new(8, 0.1, vec![[-9.0, 9.0]; 2])
        };
        let mut p = Mppi::new(o).unwrap();
        for replan in 0..3 {
            let n = 8;
            let m0 = DVector::from_column_slice(&p.mean().knots);
            let c0 = DMatrix::from_fn(n, n, |i, j| p.spread().entry(i, j));
            p.plan(0.0, None, &mut bowl).unwrap();
            let theta = DMatrix::from_column_slice(n, 40, p.samples());
            let mut order: Vec<usize> = (0..40).collect();
            order.sort_by(|a, b| p.costs()[*a].total_cmp(&p.costs()[*b]));
            let s: Vec<f64> =
                order[..10].iter().map(|j| (-(p.costs()[*j] - p.costs()[order[0]]) / 0.7).exp()).collect();
            let total: f64 = s.iter().sum();
            let mean = order[..10]
                .iter()
                .zip(&s)
                .fold(DVector::zeros(n), |m, (j, s)| m + theta.column(*j) * (s / total));
            let m1 = 0.4 * m0 + 0.6 * mean;
            let mut c1 = 0.7 * c0 + DMatrix::identity(n, n) * 1e-3;
            for (j, s) in order[..10].iter().zip(&s) {
                let d = (theta.column(*j) - &m1)
                    .map_with_location(|i, _, x| x / (1.5 * (i / 2 + 1) as f64 / 4.0));
                c1 += &d * d.transpose() * (0.3 * s / total);
            }
            // Round-off of sums of ten products.
            assert!((DVector::from_column_slice(&p.mean().knots) - m1).amax() < 1e-12);
            for i in 0..n {
                for j in 0..n {
                    let held = match kind {
                        SpreadKind::Diagonal => i == j,
                        SpreadKind::PerChannel => i % 2 == j % 2,
                        SpreadKind::Full => true,
                    };
                    let expected = if held { c1[(i, j)] } else { 0.0 };
                    assert!(
                        (p.spread().entry(i, j) - expected).abs() < 1e-12,
                        "{kind:?} {replan} ({i}, {j})"
                    );
                }
            }
        }
    }
}

#[test]
fn analytic_singular_covariance_gets_jitter_and_says_so() {
    // A single elite and no memory: a covariance of rank one, and zero floor.
    let elite = Elite {
        share: 0.01,
        spread_rate: 1.0,
        mean_rate: 0.5,
        floor: 0.0,
        sampling_floor: 0.0,
        ..Elite::default()
    };
    let o = MppiOptions {
        samples: 30,
        spread: SpreadKind::Full,
        update: Update::Elite(elite),
        ..MppiOptions::new(6, 0.1, vec![[-9.0, 9.0]; 2])
    };
    let mut p = Mppi::new(o).unwrap();
    // Far from the minimum, so that the elite is not the mean itself.
    p.reset(0.0, &[8.0, 8.0]).unwrap();
    p.plan(0.0, None, &mut bowl).unwrap();
    let report = p.plan(0.0, None, &mut bowl).unwrap();
    assert!(report.jitter > 0.0 && report.jitter <= 1e-2, "{}", report.jitter);
    // At the minimum it is: nothing is left, and that is told, not reset in silence.
    let mut free = |tape: &ControlTape, out: &mut [f64]| {
        out.iter_mut().enumerate().for_each(|(j, c)| *c = tape.sample(j).iter().map(|u| u * u).sum());
        Ok(())
    };
    p.reset(0.0, &[0.0, 0.0]).unwrap();
    let error = p.plan(0.0, None, &mut free).unwrap_err().to_string();
    assert!(error.contains("no variance is left") && error.contains("floor"), "{error}");
}

#[test]
fn analytic_limits_of_the_spread_hold() {
    for kind in [SpreadKind::Diagonal, SpreadKind::PerChannel, SpreadKind::Full] {
        let elite = Elite { limits: [0.2, 0.6], spread_rate: 1.0, share: 0.3, ..Elite::default() };
        let o = MppiOptions {
            spread: kind,
            sigma: vec![2.0; 2],
            update: Update::Elite(elite),
            ..MppiOptions::new(6, 0.1, vec![[-9.0, 9.0]; 2])
        };
        let mut p = Mppi::new(o).unwrap();
        for _ in 0..12 {
            p.plan(0.0, None, &mut bowl).unwrap();
            // Round-off of scaling.
            assert!(p.spread().variances().iter().all(|v| (0.04 - 1e-12..0.36 + 1e-12).contains(v)));
        }
    }
}

#[test]
fn analytic_control_cost_alone_shrinks_the_plan_to_zero() {
    // Without state cost the information-theoretic optimum is the uncontrolled distribution: its mean is zero after one update, up to the error of sampling.
    let run = |control_cost: bool| {
        let o = MppiOptions {
            samples: 20_000,
            knots: 3,
            sigma: vec![1.0; 2],
            spread: SpreadKind::PerChannel,
            correlation: 0.3,
            schedule: Schedule { knots: KnotSchedule::Ramp(1.2), annealing: Annealing::None },
            update: information(Temperature::Absolute(0.5), control_cost),
            ..MppiOptions::new(6, 0.1, vec![[f64::NEG_INFINITY, f64::INFINITY]; 2])
        };
        let mut p = Mppi::new(o).unwrap();
        p.reset(0.0, &[0.3, -0.3]).unwrap();
        let report = p
            .plan(0.0, None, &mut |_, out| {
                out.fill(0.0);
                Ok(())
            })
            .unwrap();
        (p.mean().knots.clone(), report.effective_samples)
    };
    let (with, effective) = run(true);
    // Five standard errors: the largest deviation is 1.2, over the effective number of samples.
    let error = 5.0 * 1.2 / effective.sqrt();
    assert!(error < 0.15, "the test sees something: {error}");
    assert!(with.iter().all(|m| m.abs() < error), "{with:?}");
    // Without the term nothing pulls.
    let error = 5.0 * 1.2 / 20_000f64.sqrt();
    let without = run(false).0;
    assert!(
        without.iter().zip([0.3, -0.3].iter().cycle()).all(|(m, u)| (m - u).abs() < error),
        "{without:?}"
    );
}

/// The finite-horizon optimum of the toy task by a Riccati recursion: the first tape and its cost.
fn riccati(steps: usize, dt: f64, x0: [f64; 2], target: f64) -> Vec<f64> {
    let a = DMatrix::from_row_slice(2, 2, &[1.0, dt, 0.0, 1.0]);
    let b = DVector::from_vec(vec![0.5 * dt * dt, dt]);
    let q = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 0.1]));
    let (mut p, mut gains) = (q.clone(), Vec::new());
    for _ in 0..steps {
        let k = (b.transpose() * &p * &a) / (0.01 + (b.transpose() * &p * &b)[0]);
        p = a.transpose() * &p * &a - a.transpose() * &p * &b * &k + &q;
        gains.push(k);
    }
    let mut x = DVector::from_vec(vec![x0[0] - target, x0[1]]);
    let forward = |k: &signorini_core::na::RowDVector<f64>| {
        let u = -(k * &x)[0];
        x = &a * &x + &b * u;
        u
    };
    gains.iter().rev().map(forward).collect::<Vec<f64>>()
}

#[test]
fn analytic_linear_quadratic_plans_are_the_riccati_ones() {
    // One knot per step, so that the optimum is in reach but for the noise of samples.
    let (steps, dt) = (10, 0.2);
    let optimum = riccati(steps, dt, [0.0, 0.0], 1.0);
    let (task, phase) = (Reach, Phase { values: vec![1.0], ..Phase::default() });
    let weights = TermWeights::new(&task);
    let start = State { q: vec![0.0], v: vec![0.0], ..State::default() };
    let cost_of = |u: &[f64]| {
        let mut model = PointBatch::new(1);
        let mut rollout = Rollout::new(&mut model, &task, dt, 1).unwrap();
        let tape = ControlTape { samples: 1, steps, channels: 1, values: u.to_vec() };
        let mut c = [0.0];
        rollout
            .run(&mut model, &start, &tape, Costing { task: &task, weights: &weights, phase: &phase }, &mut c)
            .unwrap();
        c[0]
    };
    let best = cost_of(&optimum);
    // The oracle is the optimum: its neighbours cost more.
    for i in 0..steps {
        for d in [-1e-3, 1e-3] {
            let mut u = optimum.clone();
            u[i] += d;
            assert!(cost_of(&u) > best);
        }
    }
    let elite = Elite {
        share: 0.1,
        temperature: Temperature::Absolute(1e6),
        // Slow enough not to lose directions before they are found.
        spread_rate: 0.3,
        floor: 0.0,
        sampling_floor: 0.0,
        ..Elite::default()
    };
    for (name, update, iterations) in [
        ("information", information(Temperature::Standardised { temperature: 0.3, share: 1.0 }, false), 60),
        ("elite", Update::Elite(elite), 60),
    ] {
        let o = MppiOptions {
            samples: 400,
            knots: steps,
            sigma: vec![1.5],
            update,
            schedule: match name {
                "elite" => Schedule::default(),
                _ => Schedule { annealing: Annealing::ToFinal(0.01), ..Schedule::default() },
            },
            iterations,
            first_iterations: iterations,
            ..MppiOptions::new(steps, dt, vec![[-20.0, 20.0]])
        };
        let mut p = Mppi::new(o).unwrap();
        let mut model = PointBatch::new(64);
        let mut rollout = Rollout::new(&mut model, &task, dt, 1).unwrap();
        let costing = Costing { task: &task, weights: &weights, phase: &phase };
        let mut evaluate =
            |tape: &ControlTape, out: &mut [f64]| rollout.run(&mut model, &start, tape, costing, out);
        p.plan(0.0, None, &mut evaluate).unwrap();
        let found = cost_of(&p.mean().knots);
        // Within a thousandth of the least cost: noise has come down to a hundredth of where it began.
        assert!(found >= best - 1e-12 && found < 1.001 * best, "{name}: {found} against {best}");
    }
}

#[test]
fn analytic_iterations_stop_when_they_bring_too_little() {
    let o = MppiOptions {
        iterations: 50,
        first_iterations: 50,
        stop: Some(1e9),
        ..MppiOptions::new(6, 0.1, vec![[-9.0, 9.0]])
    };
    let report = Mppi::new(o.clone()).unwrap().plan(0.0, None, &mut bowl).unwrap();
    assert_eq!(report.iterations, 2, "the second cannot bring as much");
    let report = Mppi::new(MppiOptions { stop: None, ..o }).unwrap().plan(0.0, None, &mut bowl).unwrap();
    assert_eq!(report.iterations, 50);
}

#[test]
fn analytic_what_is_executed_is_the_mean_or_the_best_sample() {
    let run = |executed| {
        let mut p =
            Mppi::new(MppiOptions { executed, ..MppiOptions::new(6, 0.1, vec![[-9.0, 9.0]; 2]) }).unwrap();
        // Far from the minimum, where some sample is better than the mean.
        p.reset(0.0, &[8.0, 8.0]).unwrap();
        p.plan(0.0, None, &mut bowl).unwrap();
        p
    };
    let (mean, best) = (run(Executed::Mean), run(Executed::Best));
    assert_eq!(mean.executed(), mean.mean());
    let j = (0..64).min_by(|a, b| best.costs()[*a].total_cmp(&best.costs()[*b])).unwrap();
    assert!(j > 0, "some sample is better than the mean");
    assert_eq!(best.executed().knots, best.samples()[8 * j..8 * (j + 1)]);
    assert_eq!(best.mean(), mean.mean(), "the mean goes on as ever");
}
