//! Refusals of projections, and their messages.

use crate::projection_cases;

use projection_cases::{ARM, DT, projector, together};
use signorini_planning::projection::{
    History, JointBounds, JointHistory, MotionBounds, ProjectionError, ProjectionOptions, Projector, RowKind,
};

fn refused(history: &History, mean: &[f64], tapes: &[f64]) -> ProjectionError {
    let mut p = projector(2, 10, ProjectionOptions::default());
    let mut own = tapes.to_vec();
    let e = p.project(history, mean, &mut own).unwrap_err();
    // Tapes are as they were; NaN is not equal to itself.
    assert!(own.iter().zip(tapes).all(|(a, b)| a.to_bits() == b.to_bits()));
    e
}

#[test]
fn conformance_infeasible_histories_name_the_row() {
    let bad = |h: JointHistory| {
        let history = together(&[JointHistory::default(), h]);
        refused(&history, &[0.0; 20], &[0.1; 60])
    };
    // Faster than jerk can bring below 1 rad/s.
    let e = bad(JointHistory { velocity: 1.5, ..JointHistory::default() });
    let ProjectionError::Infeasible { row, against } = &e else { panic!("{e}") };
    assert_eq!(row.joint, 1);
    let kinds: Vec<RowKind> = against.iter().map(|r| r.kind).chain([row.kind]).collect();
    assert!(kinds.contains(&RowKind::Velocity) && kinds.contains(&RowKind::Jerk), "{e}");
    assert!(
        e.to_string().contains("of joint 1 at step") && e.to_string().contains("Softening::Widen"),
        "{e}"
    );
    // An acceleration that jerk cannot bring below 2 rad/s² in a step.
    let e = bad(JointHistory { acceleration: 3.0, ..JointHistory::default() });
    let ProjectionError::Infeasible { row, against } = &e else { panic!("{e}") };
    let kinds: Vec<RowKind> = against.iter().map(|r| r.kind).chain([row.kind]).collect();
    assert!(kinds.contains(&RowKind::Acceleration) && kinds.contains(&RowKind::Jerk), "{e}");
    assert!(against.iter().chain([row]).all(|r| r.step == 0), "{e}");
    // Too near to a limit to stop.
    let e = bad(JointHistory { position: 3.1, velocity: 0.5, ..JointHistory::default() });
    let ProjectionError::Infeasible { row, against } = &e else { panic!("{e}") };
    assert!(against.iter().chain([row]).any(|r| r.kind == RowKind::Position && r.upper), "{e}");
}

#[test]
fn conformance_numbers_that_are_none_are_refused() {
    let rest = History::at_rest(&[0.0, 0.0]);
    let mut tapes = [0.1; 60];
    tapes[20 + 7] = f64::NAN;
    let e = refused(&rest, &[0.0; 20], &tapes);
    assert!(matches!(e, ProjectionError::Sample { sample: 1, step: 3, joint: 1, .. }), "{e}");
    let mut mean = [0.0; 20];
    mean[4] = f64::INFINITY;
    let e = refused(&rest, &mean, &[0.1; 60]);
    assert!(matches!(e, ProjectionError::Mean { step: 2, joint: 0, .. }), "{e}");
    let mut history = rest.clone();
    history.velocity[1] = f64::NAN;
    let e = refused(&history, &[0.0; 20], &[0.1; 60]);
    assert!(matches!(e, ProjectionError::History { kind: RowKind::Velocity, joint: 1, .. }), "{e}");
}

#[test]
fn conformance_wrong_lengths_are_refused() {
    let rest = History::at_rest(&[0.0, 0.0]);
    for e in [
        refused(&rest, &[0.0; 19], &[0.1; 60]),
        refused(&rest, &[0.0; 20], &[0.1; 59]),
        refused(&History::at_rest(&[0.0]), &[0.0; 20], &[0.1; 60]),
    ] {
        assert!(matches!(e, ProjectionError::Length { .. }), "{e}");
    }
    // No samples are none, and no error.
    let report = projector(2, 10, ProjectionOptions::default()).project(&rest, &[0.0; 20], &mut []).unwrap();
    assert_eq!((report.total, report.kept), (0, 0));
}

#[test]
fn conformance_bounds_and_options_are_checked() {
    let bad = [
        JointBounds { velocity: f64::NAN, ..ARM },
        JointBounds { acceleration: 0.0, ..ARM },
        JointBounds { jerk: -1.0, ..ARM },
        JointBounds { position: [1.0, 1.0], ..ARM },
        JointBounds { position: [f64::NAN, 1.0], ..ARM },
        JointBounds { position: [f64::INFINITY, f64::INFINITY], ..ARM },
    ];
    for b in bad {
        let e = MotionBounds::new(vec![ARM, b]).unwrap_err();
        assert!(matches!(e, ProjectionError::Bound { joint: 1, .. }), "{e}");
    }
    assert!(MotionBounds::new(vec![]).is_err());
    let good = ProjectionOptions::default();
    for (steps, dt, options) in [
        (0, DT, good),
        (10, 0.0, good),
        (10, f64::NAN, good),
        (10, 1e-200, good),
        (10, DT, ProjectionOptions { rho: 0.0, ..good }),
        (10, DT, ProjectionOptions { relaxation: 2.0, ..good }),
        (10, DT, ProjectionOptions { iterations: 0, ..good }),
    ] {
        let made = Projector::new(MotionBounds::uniform(1, ARM).unwrap(), steps, dt, options);
        assert!(matches!(made.err(), Some(ProjectionError::Option { .. })), "{steps} {dt} {options:?}");
    }
}
