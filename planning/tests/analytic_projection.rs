//! Rows, history and projections that can be written down.

use crate::projection_cases;

use projection_cases::{ARM, DT, Draw, converged, distance, projector};
use signorini_planning::projection::{
    History, JointBounds, JointHistory, MotionBounds, ProjectionOptions, Projector, RowKind, Rows, exact,
};

/// Rows and their right-hand sides are positions, velocities, accelerations and jerks of the motion.
#[test]
fn analytic_rows_are_the_derivatives_of_the_motion() {
    let mut draw = Draw::new(1);
    for steps in [1, 2, 3, 9] {
        let rows = Rows::new(steps, DT).unwrap();
        let history = draw.history();
        let [lower, upper] = rows.limits(&ARM, history);
        let v = draw.normals(steps, 1.0);
        let values = rows.dense() * signorini_core::na::DVector::from_column_slice(&v);
        let mut h = history;
        for (k, v) in v.iter().enumerate() {
            let before = h;
            h = h.after(DT, *v);
            let jerk = (h.acceleration - before.acceleration) / DT;
            let truth = [h.position, h.velocity, h.acceleration, jerk];
            for (kind, truth) in truth.into_iter().enumerate() {
                let i = kind * steps + k;
                let bound = [ARM.position[1], ARM.velocity, ARM.acceleration, ARM.jerk][kind];
                // Round-off of numbers up to 400.
                assert!((values[i] - upper[i] - (truth - bound)).abs() < 1e-11, "{kind} {k}");
                assert!((values[i] - lower[i] - (truth + bound)).abs() < 1e-11, "{kind} {k}");
                let row = rows.row(i, true, 3);
                assert_eq!((row.kind, row.step, row.joint), (RowKind::ALL[kind], k, 3));
            }
        }
    }
}

/// With bounds on velocity alone the projection is to clip.
#[test]
fn analytic_velocity_bounds_alone_clip() {
    let free = f64::INFINITY;
    let joint = JointBounds { position: [-free, free], velocity: 0.7, acceleration: free, jerk: free };
    let mut draw = Draw::new(2);
    let sample = draw.normals(12 * 40, 1.0);
    let clipped: Vec<f64> = sample.iter().map(|v| v.clamp(-0.7, 0.7)).collect();
    for finish in [false, true] {
        let options = ProjectionOptions { finish, iterations: 200, ..converged() };
        let mut p = Projector::new(MotionBounds::uniform(1, joint).unwrap(), 12, DT, options).unwrap();
        let mut tapes = sample.clone();
        p.project(&History::at_rest(&[0.0]), &[0.0; 12], &mut tapes).unwrap();
        // Iterations to the end, in 64 bits.
        assert!(distance(&tapes, &clipped) < 1e-9, "{}", distance(&tapes, &clipped));
    }
    for s in sample.chunks(12) {
        let rows = Rows::new(12, DT).unwrap();
        let [l, u] = rows.limits(&joint, JointHistory::default());
        let e = exact::project(&rows.dense(), [&l, &u], s).unwrap();
        let clipped: Vec<f64> = s.iter().map(|v| v.clamp(-0.7, 0.7)).collect();
        // Round-off.
        assert!(distance(e.v.as_slice(), &clipped) < 1e-12);
    }
}

/// One step: the nearest velocity in the intersection of four intervals.
#[test]
fn analytic_one_step_is_the_intersection_of_intervals() {
    let mut draw = Draw::new(3);
    let rows = Rows::new(1, DT).unwrap();
    let mut met = 0;
    for _ in 0..200 {
        let h = draw.history();
        let s = 3.0 * draw.normal();
        let low = [
            (ARM.position[0] - h.position) / DT,
            -ARM.velocity,
            h.velocity - DT * ARM.acceleration,
            h.velocity + DT * (h.acceleration - DT * ARM.jerk),
        ];
        let high = [
            (ARM.position[1] - h.position) / DT,
            ARM.velocity,
            h.velocity + DT * ARM.acceleration,
            h.velocity + DT * (h.acceleration + DT * ARM.jerk),
        ];
        let low = low.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let high = high.into_iter().fold(f64::INFINITY, f64::min);
        let [l, u] = rows.limits(&ARM, h);
        let found = exact::project(&rows.dense(), [&l, &u], &[s]);
        if low > high {
            assert!(found.is_err(), "{low} > {high}: {found:?}");
            continue;
        }
        met += 1;
        // Round-off.
        assert!((found.unwrap().v[0] - s.clamp(low, high)).abs() < 1e-12);
    }
    assert!(met > 50, "{met} of 200 histories can go on");
}

/// From rest, asked for far too much, the arm goes as fast as jerk lets it.
#[test]
fn analytic_full_jerk_from_rest() {
    let mut p = projector(1, 4, ProjectionOptions::default());
    let mut tape = vec![100.0; 4];
    p.project(&History::at_rest(&[0.0]), &[0.0; 4], &mut tape).unwrap();
    // v_k = j dt² (k + 1)(k + 2)/2, while a = 4, 8, 12, 16 tenths stays below 2.
    let expected = [0.04, 0.12, 0.24, 0.4];
    // Single precision, and iterations from a sample that far away.
    assert!(distance(&tape, &expected) < 0.02, "{tape:?}");
}
