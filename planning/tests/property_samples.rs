//! Samples: their dependence on the key alone, the mean among them, bounds, evenness; failures stay with the sample.

use crate::common;

use common::{PointBatch, Reach, batch, scene};
use proptest::prelude::*;
use signorini_core::State;
use signorini_planning::tasks::CartPole;
use signorini_planning::{
    BasisKind, ControlTape, Costing, DrawKey, Elite, Mppi, MppiOptions, Noise, Planner, Rollout, Samples,
    Sobol, Source, SpreadKind, Task, TermWeights, Update, inverse_normal, philox,
};
use signorini_run::Method;

#[test]
fn property_philox_gives_its_published_numbers() {
    // Known answers of Random123, Philox4x32 with ten rounds.
    let all = u32::MAX;
    assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
    assert_eq!(philox([all; 4], [all; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
    let drawn = philox(pi, [0xa409_3822, 0x299f_31d0]);
    assert_eq!(drawn, [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
}

#[test]
fn property_normal_numbers_have_mean_variance_and_tails() {
    let mut x = vec![0.0; 200_000];
    DrawKey { seed: 7, replan: 3, iteration: 1, sample: 9 }.normals(&mut x);
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let moment = |k: i32| x.iter().map(|v| (v - mean).powi(k)).sum::<f64>() / n;
    // Five standard errors of each: 1/√n, √(2/n), √(15/n), √(96/n).
    assert!(mean.abs() < 5.0 / n.sqrt());
    assert!((moment(2) - 1.0).abs() < 5.0 * (2.0 / n).sqrt());
    assert!(moment(3).abs() < 5.0 * (15.0 / n).sqrt());
    assert!((moment(4) - 3.0).abs() < 5.0 * (96.0 / n).sqrt());
}

#[test]
fn property_inverse_normal_inverts_the_distribution() {
    // Φ by its series, exact to round-off for |x| < 4.
    let phi = |x: f64| {
        let (mut term, mut sum) = (x, x);
        for k in 1..80 {
            term *= x * x / f64::from(2 * k + 1);
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    };
    for i in 1..2000 {
        let p = f64::from(i) / 2000.0;
        let x = inverse_normal(p);
        // The stated relative error of x, 1.2e-9, times the largest slope times |x|.
        assert!((phi(x) - p).abs() < 1e-9, "{p}: {x}");
        assert!((x + inverse_normal(1.0 - p)).abs() < 1e-8);
    }
}

#[test]
fn property_sobol_points_are_even_in_every_direction() {
    let (dimensions, m) = (181, 8u32);
    let mut sobol = Sobol::new(dimensions).unwrap();
    for scrambled in [false, true] {
        if scrambled {
            sobol.scramble(11, 2, 1);
        }
        let n = 1usize << m;
        for d in 0..dimensions {
            let mut hit = vec![false; n];
            (0..n as u32).for_each(|i| hit[(sobol.point(i, d) * n as f64) as usize] = true);
            assert!(hit.into_iter().all(|h| h), "dimension {d}");
        }
        // The first two together: one point in each box of any shape with volume 2^−m.
        for a in 0..=m {
            let (across, up) = (1usize << a, 1usize << (m - a));
            let mut hit = vec![false; n];
            for i in 0..n as u32 {
                let [x, y] = [(0, across), (1, up)].map(|(d, k)| (sobol.point(i, d) * k as f64) as usize);
                hit[x * up + y] = true;
            }
            assert!(hit.into_iter().all(|h| h), "boxes of {across} × {up}");
        }
    }
    assert!(Sobol::new(Sobol::MOST_DIMENSIONS).is_some() && Sobol::new(Sobol::MOST_DIMENSIONS + 1).is_none());
}

#[test]
fn property_even_samples_estimate_better() {
    // The mean of x₀² + x₀ x₁ over 64 samples of four numbers, in 50 iterations: 1.
    let spread = |source| {
        let mut noise = Noise::new(5, source, 4).unwrap();
        let mut error = 0.0;
        for iteration in 0..50 {
            noise.begin(0, iteration);
            let mut x = [0.0; 4];
            let mut sum = 0.0;
            for j in 1..=64 {
                noise.fill(0, iteration, j, &mut x);
                sum += x[0] * x[0] + x[0] * x[1];
            }
            error += (sum / 64.0 - 1.0).powi(2);
        }
        (error / 50.0f64).sqrt()
    };
    // Random: √(3/64) = 0.22.
    let (random, even) = (spread(Source::Random), spread(Source::LowDiscrepancy));
    assert!((0.15..0.3).contains(&random), "{random}");
    assert!(even < 0.5 * random, "{even} against {random}");
}

/// With one sample more than 64 the others are a whole net: each number is eight times in each of eight parts of equal chance.
#[test]
fn property_planners_draw_whole_nets() {
    // Three octiles of the standard normal distribution above its middle.
    let octiles = [0.318_639_363_964_375, 0.674_489_750_196_082, 1.150_349_380_376_008];
    let most = |source| {
        let base = MppiOptions::new(12, 0.1, vec![[-50.0, 50.0]; 2]);
        let mut p =
            Mppi::new(MppiOptions { samples: 65, knots: 5, sigma: vec![1.0; 2], source, ..base }).unwrap();
        p.plan(0.0, None, &mut |_, costs| {
            costs.fill(1.0);
            Ok(())
        })
        .unwrap();
        let part = |z: f64| {
            let out = octiles.iter().filter(|o| z.abs() > **o).count();
            if z < 0.0 { 3 - out } else { 4 + out }
        };
        let mut counts = [[0; 8]; 10];
        for sample in p.samples().chunks_exact(10).skip(1) {
            sample.iter().zip(&mut counts).for_each(|(z, of)| of[part(*z)] += 1);
        }
        counts.into_iter().flatten().max().unwrap()
    };
    assert_eq!(most(Source::LowDiscrepancy), 8);
    assert!(most(Source::Random) > 8);
}

fn options(kind: BasisKind, spread: SpreadKind, samples: usize) -> MppiOptions {
    MppiOptions {
        samples,
        basis: kind,
        knots: 5,
        spread,
        correlation: if spread == SpreadKind::Diagonal { 0.0 } else { 0.5 },
        ..MppiOptions::new(12, 0.1, vec![[-1.0, 0.5], [-0.2, 3.0]])
    }
}

const BASES: [BasisKind; 4] =
    [BasisKind::ZeroOrder, BasisKind::Linear, BasisKind::Cubic, BasisKind::Bernstein];
const SPREADS: [SpreadKind; 3] = [SpreadKind::Diagonal, SpreadKind::PerChannel, SpreadKind::Full];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn property_sample_zero_is_the_mean_and_all_keep_bounds(
        basis in 0usize..4, spread in 0usize..3, seed in any::<u64>(), even in any::<bool>(), elite in any::<bool>(),
    ) {
        let mut o = options(BASES[basis], SPREADS[spread], 24);
        (o.seed, o.sigma) = (seed, vec![1.0, 2.0]);
        o.source = if even { Source::LowDiscrepancy } else { Source::Random };
        if elite {
            o.update = Update::Elite(Elite { share: 0.2, ..Elite::default() });
        }
        let bounds = o.bounds.clone();
        let mut p = Mppi::new(o).unwrap();
        for replan in 0..4 {
            let mut expected = p.mean().clone();
            expected.move_to(0.13 * f64::from(replan));
            let mut seen = Vec::new();
            let mut cost = |tape: &ControlTape, out: &mut [f64]| {
                for (j, c) in out.iter_mut().enumerate() {
                    *c = tape.sample(j).iter().enumerate().map(|(i, u)| (u - (0.3 * i as f64).sin()).powi(2)).sum();
                }
                seen = tape.values.clone();
                Ok(())
            };
            p.plan(0.13 * f64::from(replan), None, &mut cost).unwrap();
            prop_assert_eq!(&p.samples()[..10], &expected.knots[..]);
            for rows in [p.samples(), &seen, &p.mean().knots] {
                for row in rows.chunks_exact(2) {
                    for (u, [low, high]) in row.iter().zip(&bounds) {
                        // Sums of coefficients that are one only to round-off.
                        prop_assert!(*u >= low - 1e-12 && *u <= high + 1e-12, "{} of {} to {}", u, low, high);
                    }
                }
            }
        }
    }
}

/// A map is given the noise as it was drawn, whatever the bounds: its covariance is that of the spread. Its result is cut to the bounds.
#[test]
fn property_noise_reaches_a_map_uncut() {
    let mut o = options(BasisKind::ZeroOrder, SpreadKind::Diagonal, 4000);
    o.sigma = vec![3.0; 2];
    let (n, bounds) = (o.knots * 2, o.bounds.clone());
    let mut planner = Mppi::new(o).unwrap();
    let mut variance = 0.0;
    let mut map = |samples: &mut Samples<'_>| {
        let noise = &samples.values[n..];
        variance = noise.iter().map(|x| x * x).sum::<f64>() / noise.len() as f64;
        Ok(())
    };
    let mut cost = |_: &ControlTape, out: &mut [f64]| {
        out.fill(1.0);
        Ok(())
    };
    planner.plan(0.0, Some(&mut map), &mut cost).unwrap();
    // The mean is zero; the variance of 4·10⁴ squares is known to 0.7 %: five times that.
    assert!((variance / 9.0 - 1.0).abs() < 0.035, "{variance}");
    for row in planner.samples().chunks_exact(2) {
        assert!(row.iter().zip(&bounds).all(|(u, [low, high])| (*low..=*high).contains(u)), "{row:?}");
    }
}

#[test]
fn property_draws_depend_on_seed_replan_iteration_and_sample_alone() {
    let draw = |seed, replan, iteration, sample| {
        let mut x = [0.0; 6];
        DrawKey { seed, replan, iteration, sample }.normals(&mut x);
        x
    };
    let base = draw(1, 2, 3, 4);
    assert_eq!(base, draw(1, 2, 3, 4));
    for other in
        [draw(0, 2, 3, 4), draw(1, 0, 3, 4), draw(1, 2, 0, 4), draw(1, 2, 3, 0), draw(1 << 40, 2, 3, 4)]
    {
        assert!(base.iter().zip(&other).all(|(a, b)| a != b));
    }
    // A longer draw begins with the shorter one; with more samples the first are the same.
    let mut long = [0.0; 20];
    DrawKey { seed: 1, replan: 2, iteration: 3, sample: 4 }.normals(&mut long);
    assert_eq!(base, long[..6]);
}

/// Costs and plan of a cart with a pole after three replans.
fn planned(lanes: usize, threads: usize) -> (Vec<f64>, Vec<f64>) {
    let (task, scene) = (CartPole::default(), scene("cart_pole"));
    let mut model = batch(&scene, lanes, Method::comfree(), threads);
    let weights = TermWeights::new(&task);
    let scenario = task.reset(3);
    let start = scenario.start(&model).unwrap();
    let mut rollout = Rollout::new(&mut model, &task, 0.02, 2).unwrap();
    let mut planner = Mppi::new(CartPole::planner(5)).unwrap();
    for k in 0..3 {
        let x = State { t: 0.02 * f64::from(k), ..start.clone() };
        let costing = Costing { task: &task, weights: &weights, phase: &scenario.phase };
        let mut evaluate =
            |tape: &ControlTape, out: &mut [f64]| rollout.run(&mut model, &x, tape, costing, out);
        planner.plan(x.t, None, &mut evaluate).unwrap();
    }
    (planner.costs().to_vec(), planner.mean().knots.clone())
}

#[test]
fn property_plans_depend_neither_on_threads_nor_on_lanes() {
    let one = planned(32, 1);
    assert!(one.0.iter().all(|c| c.is_finite()));
    assert_eq!(one, planned(32, 2));
    assert_eq!(one, planned(7, 2), "in chunks, the last not full");
    assert_eq!(one, planned(40, 2), "more lanes than samples");
}

#[test]
fn property_a_failure_costs_its_sample_alone() {
    let (task, mut model) = (Reach, PointBatch::new(5));
    let (weights, phase) = (TermWeights::new(&task), task.reset(0).phase);
    let start = State { q: vec![0.0], v: vec![0.0], ..State::default() };
    let mut rollout = Rollout::new(&mut model, &task, 0.1, 1).unwrap();
    let mut tape = ControlTape::new(13, 6, 1);
    tape.values.iter_mut().enumerate().for_each(|(i, u)| *u = (0.37 * i as f64).sin());
    let mut costs = vec![0.0; 13];
    let costing = Costing { task: &task, weights: &weights, phase: &phase };
    rollout.run(&mut model, &start, &tape, costing, &mut costs).unwrap();
    let good = costs.clone();
    // A lane that fails, one whose position becomes NaN, controls that are NaN and infinite.
    for (sample, step, u) in [(2, 3, 2000.0), (4, 0, -2000.0), (6, 5, f64::NAN), (12, 1, f64::INFINITY)] {
        tape.values[sample * 6 + step] = u;
    }
    rollout.run(&mut model, &start, &tape, costing, &mut costs).unwrap();
    for (j, (c, g)) in costs.iter().zip(&good).enumerate() {
        if [2, 4, 6, 12].contains(&j) {
            assert_eq!(*c, f64::INFINITY);
        } else {
            assert_eq!(c, g, "sample {j}");
        }
    }
}

#[test]
fn property_failed_samples_move_no_plan() {
    for update in [
        MppiOptions::new(6, 0.1, vec![[-1.0, 1.0]]).update,
        Update::Elite(Elite { share: 0.5, ..Elite::default() }),
    ] {
        let plan = |bad: f64, share: usize| {
            let o = MppiOptions { update, ..MppiOptions::new(6, 0.1, vec![[-1.0, 1.0]]) };
            let mut p = Mppi::new(o).unwrap();
            // The map makes samples that fail NaN as well: nothing of them may go into the mean.
            let mut map = |s: &mut signorini_planning::Samples<'_>| {
                let n = s.knots * s.channels;
                (1..s.samples).filter(|j| j % share == 1).for_each(|j| s.values[j * n] = bad);
                Ok(())
            };
            let mut cost = |tape: &ControlTape, out: &mut [f64]| {
                out.iter_mut()
                    .enumerate()
                    .for_each(|(j, c)| *c = tape.sample(j).iter().map(|u| u * u + u).sum());
                Ok(())
            };
            let report = p.plan(0.0, Some(&mut map), &mut cost).unwrap();
            (p.mean().knots.clone(), report)
        };
        let (knots, report) = plan(f64::NAN, 4);
        assert!(report.failed == 16 && report.best.is_finite());
        assert!(knots.iter().all(|k| k.is_finite()) && knots.iter().any(|k| *k != 0.0));
        // Infinite controls cost infinity: equal failures, equal plans.
        assert_eq!(knots, plan(f64::INFINITY, 4).0);
    }
    // All fail: nothing moves.
    let mut p = Mppi::new(MppiOptions::new(6, 0.1, vec![[-1.0, 1.0]])).unwrap();
    let report = p.plan(0.0, None, &mut |_: &ControlTape, out: &mut [f64]| {
        out.fill(f64::NAN);
        Ok(())
    });
    let report = report.unwrap();
    assert_eq!((report.failed, report.effective_samples), (64, 0.0));
    assert!(p.mean().knots.iter().all(|k| *k == 0.0));
}
