//! The peg in hole: starts without contact, a policy that succeeds, nothing that intersects, equal results on any number of threads.
#![allow(clippy::unwrap_used, reason = "tests stop at what they do not expect")]

use signorini_environments::{EnvironmentError, PegEnd, PegEnvironment, PegOptions, Vectorised, scripted};

/// One episode of the scripted policy: its end, and the sum of its rewards.
fn episode(e: &mut PegEnvironment, seed: u64) -> (PegEnd, f64) {
    let mut at = e.reset(seed).unwrap();
    let mut sum = 0.0;
    loop {
        let step = e.step(scripted(e.options(), at)).unwrap();
        at = step.observation;
        sum += step.reward;
        if let Some(end) = step.end {
            return (end, sum);
        }
    }
}

#[test]
fn property_the_scripted_policy_puts_the_peg_in() {
    // With errors of five times the clearance it is the funnel that leads the peg in.
    let blind = PegOptions { noise: 5e-3, ..PegOptions::hard() };
    for (options, episodes) in [(PegOptions::default(), 12), (PegOptions::hard(), 6), (blind, 6)] {
        let mut e = PegEnvironment::new(options).unwrap();
        for seed in 0..episodes {
            let (end, sum) = episode(&mut e, seed);
            let at = e.position();
            assert_eq!(end, PegEnd::Inserted, "seed {seed}: at {at:?}");
            // R₁ of the way down, and R₂.
            assert!(sum > 100.0 && sum < 203.0, "seed {seed}: {sum}");
            assert!(at[0].hypot(at[1]) < options.clearance(), "seed {seed}: {at:?}");
            let seen = e.invariants();
            assert!(seen.smallest_distance > 0.0 && seen.crossing.is_none(), "seed {seed}: {seen:?}");
            assert!(options.noise == 0.0 || seen.smallest_distance.is_finite(), "seed {seed}: it touches");
            assert_eq!(e.unconverged(), 0, "seed {seed}");
        }
    }
}

#[test]
fn property_a_policy_that_does_nothing_fails() {
    let mut e = PegEnvironment::new(PegOptions { steps: 10, ..PegOptions::default() }).unwrap();
    e.reset(1).unwrap();
    let ends: Vec<_> = (0..10).map(|_| e.step([0.0; 3]).unwrap()).collect();
    assert!(ends[..9].iter().all(|s| s.end.is_none()) && ends[9].end == Some(PegEnd::OutOfSteps));
    // The motors hold the peg against its weight up to 7.5 N over 200 N·s/m.
    assert!(ends.iter().all(|s| s.reward.abs() < 10.0 * 0.05 * 0.05), "{ends:?}");
    assert!(matches!(e.step([0.0; 3]), Err(EnvironmentError::Ended)));
    assert!(e.reset(1).is_ok() && e.step([0.0; 3]).is_ok());
}

#[test]
fn property_a_wall_stops_the_peg_and_the_cap_holds() {
    // Straight down from off the axis, with all the motors have: the funnel's slope or its rim stops it or leads it in, and nothing crosses.
    let mut e = PegEnvironment::new(PegOptions { friction: 1.0, ..PegOptions::hard() }).unwrap();
    for seed in 0..4 {
        e.reset(seed).unwrap();
        for _ in 0..30 {
            if e.step([0.05, 0.0, -1.0]).unwrap().end.is_some() {
                break;
            }
        }
        let seen = e.invariants();
        assert!(seen.smallest_distance > 0.0 && seen.crossing.is_none(), "seed {seed}: {seen:?}");
    }
}

#[test]
fn property_many_are_each_as_one_alone() {
    let options = PegOptions::default();
    let seeds: Vec<u64> = (20..26).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut all = Vectorised::new(seeds.len(), options).unwrap();
            let mut at = all.reset(&seeds).unwrap();
            for _ in 0..15 {
                let actions: Vec<_> = at.iter().map(|at| scripted(&options, *at)).collect();
                for (at, step) in at.iter_mut().zip(all.step(&actions).unwrap()) {
                    *at = step.unwrap().observation;
                }
            }
            at
        })
    };
    let two = run(2);
    assert_eq!(two, run(1));
    let mut alone = PegEnvironment::new(options).unwrap();
    for (seed, end) in seeds.iter().zip(&two) {
        let mut at = alone.reset(*seed).unwrap();
        for _ in 0..15 {
            at = alone.step(scripted(&options, at)).unwrap().observation;
        }
        assert_eq!(at, *end, "seed {seed}");
    }
}

#[test]
fn property_starts_differ_and_bad_input_is_named() {
    let mut e = PegEnvironment::new(PegOptions::default()).unwrap();
    let (a, b) = (e.reset(1).unwrap(), e.reset(2).unwrap());
    assert_ne!(a, b);
    assert_eq!(e.reset(1).unwrap(), a);
    assert!(e.step([f64::NAN, 0.0, 0.0]).unwrap_err().to_string().contains("an action is NaN"));
    let wide = PegOptions { peg_radius: 0.05, ..PegOptions::default() };
    let said = PegEnvironment::new(wide).err().unwrap().to_string();
    assert!(said.contains("the radius of the hole is 0.04; give more than that of the peg"), "{said}");
    // A range of 20 mm where every start is 5 mm from the hole.
    let tight =
        PegOptions { start_radius: 0.0, start_height: [1e-3; 2], range: Some(0.02), ..PegOptions::default() };
    let said = PegEnvironment::new(tight).unwrap().reset(3).unwrap_err();
    assert!(matches!(said, EnvironmentError::NoStart(1000)), "{said}");
    let mut many = Vectorised::new(2, PegOptions::default()).unwrap();
    assert!(many.reset(&[1]).unwrap_err().to_string().contains("1 seeds for 2 environments"));
}
