//! Readings of lanes are those of their states; rows of lanes that rest stay, rows of lanes that fail are NaN.

use crate::common;

use common::{DT, batch, control, controls, scene, start};
use signorini_batch::{CpuBatch, Quantity, ReadLane, Readout};
use signorini_core::{BatchStepper, LaneStatus};
use signorini_multibody::{Kinematics, Model};
use signorini_run::Method;

const LANES: usize = 5;

fn loaded(threads: usize) -> CpuBatch {
    let mut b = batch(LANES, Method::icf(), threads);
    let x0 = b.state(0).unwrap().clone();
    (0..LANES).for_each(|i| b.load(i, &start(i, &x0)).unwrap());
    b
}

#[test]
fn property_quantities_are_those_of_the_state() {
    use Quantity::*;
    let model = Model::new(&scene()).unwrap();
    let ball = model.body("ball").unwrap();
    let all = [
        Time,
        Positions,
        Velocities,
        Activations,
        BodyPosition(ball),
        BodyRotation(3),
        BodyVelocity(ball),
        Sensors,
        SensorsBefore,
        ContactCount,
    ];
    let reader = Readout::new(&model, &all).unwrap();
    let (nq, nv) = (model.nq, model.nv());
    let width = 1 + nq + nv + 3 + 4 + 3 + 4 + 4 + 1;
    assert_eq!(reader.width(), width);
    let mut b = loaded(2);
    let mut out = vec![-1.0; LANES * width];
    for k in 0..40 {
        let before: Vec<f64> = (0..LANES).map(|i| b.state(i).unwrap().q[0]).collect();
        b.step_and_read(&controls(LANES, k), DT, 1, &[], &reader, &mut out).unwrap();
        for (i, row) in out.chunks_exact(width).enumerate() {
            let x = b.state(i).unwrap();
            let mut kin = Kinematics::new(&model);
            kin.set_positions(&model, &x.q, &model.mocap_poses);
            assert_eq!((row[0], &row[1..1 + nq]), (x.t, &x.q[..]));
            assert_eq!(row[1 + nq..1 + nq + nv], x.v[..]);
            let rest = &row[1 + nq + nv..];
            assert_eq!(&rest[..3], kin.x_wb[ball].translation.vector.as_slice());
            let r = kin.x_wb[3].rotation;
            assert_eq!(rest[3..7], [r.w, r.i, r.j, r.k]);
            // The origin of a free body moves with the first three of its velocities: round-off of moving the point back and forth.
            let v = &x.v[8..11];
            rest[7..10].iter().zip(v).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
            assert_eq!((rest[10], rest[14]), (x.q[0], before[i]), "the joint angle after and before");
        }
    }
    let touching = out.chunks_exact(width).filter(|r| r[width - 1] > 0.0 && r[1 + nq + nv + 13] > 0.0);
    assert!(touching.count() > 0, "a box presses on the floor");
    assert!(Readout::new(&model, &[BodyPosition(99)]).is_err());
}

#[test]
fn property_rollout_is_steps_with_changing_controls() {
    const STEPS: usize = 30;
    let model = Model::new(&scene()).unwrap();
    let reader = Readout::new(&model, &[Quantity::Positions, Quantity::Velocities]).unwrap();
    let width = reader.width();
    let sequence: Vec<f64> = (0..LANES).flat_map(|i| (0..STEPS).flat_map(move |k| control(i, k))).collect();
    let mut rows = vec![0.0; LANES * STEPS * width];
    let (mut rolled, mut stepped) = (loaded(3), loaded(1));
    rolled.rollout(&sequence, DT, STEPS as u32, &reader, &mut rows).unwrap();
    let mut out = vec![0.0; LANES * width];
    for k in 0..STEPS {
        stepped.step_and_read(&controls(LANES, k), DT, 1, &[], &reader, &mut out).unwrap();
        for i in 0..LANES {
            assert!(
                rows[(i * STEPS + k) * width..][..width] == out[i * width..][..width],
                "lane {i}, step {k}"
            );
        }
    }
    (0..LANES).for_each(|i| assert!(rolled.state(i).unwrap() == stepped.state(i).unwrap()));
    // A lane that fails on the way: good rows, then NaN.
    let mut broken = sequence.clone();
    broken[(2 * STEPS + 7) * 2] = f64::NAN;
    let mut b = loaded(2);
    let mut partly = vec![0.0; rows.len()];
    b.rollout(&broken, DT, STEPS as u32, &reader, &mut partly).unwrap();
    let at = (2 * STEPS + 7) * width;
    assert!(partly[..at] == rows[..at]);
    assert!(partly[at..3 * STEPS * width].iter().all(|x| x.is_nan()));
    assert!(partly[3 * STEPS * width..] == rows[3 * STEPS * width..]);
    assert!(matches!(b.status(2), Some(LaneStatus::Failed(_))));
    assert_eq!(b.state(2).unwrap().q[..], rows[at - width..][..16], "frozen at the last good state");
    assert!(b.rollout(&broken[1..], DT, STEPS as u32, &reader, &mut partly).is_err());
    assert!(b.rollout(&broken, DT, STEPS as u32, &reader, &mut partly[1..]).is_err());
}

#[test]
fn property_rows_of_resting_and_failed_lanes() {
    let model = Model::new(&scene()).unwrap();
    let reader = Readout::new(&model, &[Quantity::Positions]).unwrap();
    let mut b = loaded(2);
    let mut out = vec![7.0; LANES * 16];
    let mut u = controls(LANES, 0);
    u[2] = f64::NAN;
    let active = [true, true, false, true, true];
    b.step_and_read(&u, DT, 2, &active, &reader, &mut out).unwrap();
    let row = |i: usize| &out[16 * i..16 * (i + 1)];
    assert!(row(1).iter().all(|x| x.is_nan()));
    assert!(row(2).iter().all(|x| *x == 7.0));
    assert!(row(4).iter().all(|x| x.is_finite() && *x != 7.0));
}
