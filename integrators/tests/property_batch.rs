//! Sixty-four lanes of the first toy.

use crate::common;

use common::{DenseNewton, free_bodies, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_integrators::{ContactStep, StepDoubling};
use signorini_testkit::toys::{Body, FreeBodies, ToyBatch};

const LANES: usize = 64;

#[expect(clippy::expect_used, reason = "a test")]
fn world() -> FreeBodies {
    let bodies = vec![Body::sphere(0.1, 1.0), Body::cuboid(Vector3::new(0.1, 0.05, 0.2), 2.0)];
    free_bodies(bodies, ground(1e4, 10.0, 0.5, 1e-3)).expect("a world")
}

fn start(lane: usize) -> State {
    let s = lane as f64 / LANES as f64;
    let mut x = world().rest(&[Vector3::new(0.0, 0.0, 0.1 + 0.02 * s), Vector3::new(1.0, 0.0, 0.21)]);
    x.v[3] = 1.0 - s;
    x.v[7] = 2.0 * s;
    x
}

#[test]
fn property_lane_equals_single_run_bit_for_bit() {
    let schemes: [fn() -> Box<dyn OneStep>; 2] = [
        || Box::new(ContactStep::new(DenseNewton::default())),
        || Box::new(StepDoubling::new(ContactStep::new(DenseNewton::default()))),
    ];
    for scheme in schemes {
        let mut batch = ToyBatch::new(LANES, &start(0), || (world(), scheme()));
        assert_eq!(batch.layout(), BatchLayout { lanes: LANES, nq: 15, nv: 13, nz: 0, nu: 1 });
        let control: Vec<f64> = (0..LANES).map(|i| 20.0 * (i as f64).sin()).collect();
        for i in 0..LANES {
            batch.load(i, &start(i)).unwrap();
        }
        let mut active = vec![true; LANES];
        active[5] = false;
        for _ in 0..5 {
            batch.step(&control, 2e-3, 6, &active).unwrap();
        }
        let mut lane = State::default();
        for i in 0..LANES {
            let (mut sys, mut one) = (world(), scheme());
            sys.control = control[i];
            let (mut x, mut x1) = (start(i), State::default());
            for _ in 0..if active[i] { 30 } else { 0 } {
                one.step(&mut sys, &x, 2e-3, false, &mut x1).unwrap();
                std::mem::swap(&mut x, &mut x1);
            }
            batch.store(i, &mut lane).unwrap();
            assert_eq!(lane, x, "lane {i}");
            assert_eq!(batch.status(i), Some(&LaneStatus::Running));
        }
    }
}

#[test]
fn property_failing_lane_is_frozen_and_reported() {
    let make = || -> (FreeBodies, Box<dyn OneStep>) {
        (world(), Box::new(ContactStep::new(DenseNewton::default())))
    };
    let mut batch = ToyBatch::new(LANES, &start(0), make);
    let mut clean = ToyBatch::new(LANES, &start(0), make);
    let active = vec![true; LANES];
    let mut control = vec![1.0; LANES];
    clean.step(&control, 1e-3, 8, &active).unwrap();
    batch.step(&control, 1e-3, 4, &active).unwrap();
    let (mut good, mut x, mut y) = (State::default(), State::default(), State::default());
    batch.store(7, &mut good).unwrap();
    control[7] = f64::NAN;
    batch.step(&control, 1e-3, 4, &active).unwrap();
    assert!(matches!(
        batch.status(7),
        Some(LaneStatus::Failed(StepError::Solve {
            source: SolveError::Problem(ProblemError::NonFinite { .. }),
            ..
        }))
    ));
    batch.store(7, &mut x).unwrap();
    assert_eq!(x, good, "frozen at its last good state");
    for i in (0..LANES).filter(|&i| i != 7) {
        batch.store(i, &mut x).unwrap();
        clean.store(i, &mut y).unwrap();
        assert_eq!(x, y, "lane {i} goes on");
    }
    control[7] = 1.0;
    batch.step(&control, 1e-3, 1, &active).unwrap();
    batch.store(7, &mut x).unwrap();
    assert_eq!(x, good, "a failed lane stays frozen until it is loaded");
    batch.copy_lane(8, 7).unwrap();
    assert_eq!(batch.status(7), Some(&LaneStatus::Running));
    batch.step(&control, 1e-3, 1, &active).unwrap();
    batch.store(7, &mut x).unwrap();
    batch.store(8, &mut y).unwrap();
    assert_eq!(x, y);
}

#[test]
fn property_bad_arguments_are_refused() {
    let mut batch = ToyBatch::new(2, &start(0), || {
        (world(), Box::new(ContactStep::new(DenseNewton::default())) as Box<dyn OneStep>)
    });
    assert!(batch.step(&[0.0], 1e-3, 1, &[true, true]).is_err());
    assert!(batch.step(&[0.0, 0.0], 1e-3, 1, &[true]).is_err());
    assert!(batch.step(&[0.0, 0.0], 0.0, 1, &[true, true]).is_err());
    assert!(batch.step(&[0.0, 0.0], f64::NAN, 1, &[true, true]).is_err());
    let mut bad = start(0);
    bad.q[0] = f64::NAN;
    assert!(batch.load(0, &bad).is_err());
    assert!(batch.load(2, &start(0)).is_err());
    assert!(batch.load(0, &State::default()).is_err());
}

#[test]
fn regression_engines_without_names_say_so() {
    let mut batch =
        ToyBatch::new(2, &start(0), || (world(), Box::new(ContactStep::new(DenseNewton::default()))));
    assert!(batch.watch(&[]).unwrap().is_empty(), "nothing is given by all");
    let error = batch.watch(&[Observation::Sensor("force".into())]).unwrap_err();
    assert!(
        matches!(&error, ObservationError::NotOffered { .. }) && error.to_string().contains("sensor 'force'"),
        "{error}"
    );
    batch.observe(1, &mut []).unwrap();
    assert!(batch.observe(1, &mut [0.0]).is_err() && batch.observe(2, &mut []).is_err());
    let mut x = start(1);
    assert!(batch.start(None, &mut x).is_err() && batch.set_joint("hip", &[0.0], &[], &mut x).is_err());
    assert!(batch.set_mocap(0, "target", &na::Isometry3::identity()).is_err());
    assert_eq!(x, start(1), "nothing was written");
}
