//! The motion of a lane depends on its state, inputs and parameters alone: neither on the threads nor on its place. Bit for bit, so no tolerance.

use crate::common;

use common::{DT, batch, control, controls, plate, push, recipes, scene, start};
use signorini_core::{
    BatchLayout, BatchStepper, ContactSolver, Integrator, LaneStatus, NoObserver, ProblemError, SolveError,
    State, StepError,
};
use signorini_integrators::{ContactStep, FixedStep};
use signorini_run::Method;

const LANES: usize = 11;
const STEPS: usize = 60;

/// Loads starts, plates and pushes; lane i of the batch gets those of world `place(i)`.
fn prepare(b: &mut signorini_batch::CpuBatch, place: impl Fn(usize) -> usize) {
    let x0 = b.state(0).unwrap().clone();
    for i in 0..b.layout().lanes {
        b.load(i, &start(place(i), &x0)).unwrap();
        b.set_mocap_poses(i, &[plate(place(i))]).unwrap();
        b.set_applied_force(i, &push(place(i))).unwrap();
    }
}

fn run(recipe: Method, threads: usize, lanes: usize, place: impl Fn(usize) -> usize) -> Vec<State> {
    let mut b = batch(lanes, recipe, threads);
    prepare(&mut b, &place);
    for k in 0..STEPS {
        let u: Vec<f64> = (0..lanes).flat_map(|i| control(place(i), k)).collect();
        b.step(&u, DT, 2, &[]).unwrap();
    }
    (0..lanes).for_each(|i| assert_eq!(b.status(i), Some(&LaneStatus::Running)));
    (0..lanes).map(|i| b.state(i).unwrap().clone()).collect()
}

#[test]
fn property_lanes_do_not_depend_on_threads_or_place() {
    for recipe in recipes() {
        let one = run(recipe(), 1, LANES, |i| i);
        assert!(one[0] != one[1], "the worlds differ");
        for threads in [2, 3, 5] {
            assert!(one == run(recipe(), threads, LANES, |i| i), "{threads} threads");
        }
        let place = |i| (4 * i + 3) % LANES;
        for threads in [1, 2] {
            let moved = run(recipe(), threads, LANES, place);
            (0..LANES).for_each(|i| assert!(moved[i] == one[place(i)], "lane {i}, {threads} threads"));
        }
    }
}

fn single(
    recipe: &Method,
    scene: &signorini_scene::Scene,
    solver: Box<dyn ContactSolver>,
    world: usize,
) -> State {
    let mut sys = recipe.system(scene).unwrap();
    let mut x = start(world, &sys.initial_state(None).unwrap());
    let mut fixed = FixedStep::new(ContactStep::new(solver), DT).unwrap();
    sys.mocap_poses_mut().copy_from_slice(&[plate(world)]);
    sys.applied_force_mut().copy_from_slice(&push(world));
    for k in 0..STEPS {
        sys.control_mut().copy_from_slice(&control(world, k));
        for _ in 0..2 {
            let t_end = x.t + DT;
            fixed.advance(&mut sys, &mut x, t_end, &mut NoObserver).unwrap();
        }
    }
    x
}

#[test]
fn property_a_lane_equals_a_single_run() {
    let solvers: [fn() -> Box<dyn ContactSolver>; 2] = [
        || Box::new(signorini_comfree::ComfreeSolver::with_sweeps(signorini_comfree::Sweeps::default())),
        || Box::new(signorini_icf::IcfSolver::default()),
    ];
    for (recipe, solver) in recipes().into_iter().zip(solvers) {
        let many = run(recipe(), 2, LANES, |i| i);
        for (i, x) in many.iter().enumerate() {
            assert!(*x == single(&recipe(), &scene(), solver(), i), "lane {i}");
            assert!(*x == run(recipe(), 1, 1, |_| i)[0], "a batch of one, world {i}");
        }
    }
}

#[test]
fn property_a_failing_lane_is_frozen_and_the_others_go_on() {
    for (recipe, threads) in recipes().into_iter().zip([1, 3]) {
        let (mut b, mut clean) = (batch(LANES, recipe(), threads), batch(LANES, recipe(), threads));
        prepare(&mut b, |i| i);
        prepare(&mut clean, |i| i);
        b.step(&controls(LANES, 0), DT, 3, &[]).unwrap();
        let good = b.state(7).unwrap().clone();
        let mut u = controls(LANES, 0);
        u[2 * 7 + 1] = f64::NAN;
        b.step(&u, DT, 3, &[]).unwrap();
        clean.step(&controls(LANES, 0), DT, 6, &[]).unwrap();
        let Some(LaneStatus::Failed(StepError::Solve { t, source, .. })) = b.status(7) else {
            unreachable!("lane 7 has not failed")
        };
        assert_eq!(*t, good.t);
        assert_eq!(
            *source,
            SolveError::Problem(ProblemError::NonFinite { what: "control", index: 1 }),
            "the reason"
        );
        assert_eq!(b.state(7).unwrap(), &good);
        for i in (0..LANES).filter(|i| *i != 7) {
            assert_eq!(b.status(i), Some(&LaneStatus::Running));
            assert_eq!(b.state(i).unwrap(), clean.state(i).unwrap(), "lane {i}");
        }
        // It stays frozen until it is loaded or copied onto.
        b.step(&controls(LANES, 1), DT, 1, &[]).unwrap();
        assert_eq!(b.state(7).unwrap(), &good);
        b.copy_lane(3, 7).unwrap();
        let u: Vec<f64> = (0..LANES).flat_map(|_| control(1, 1)).collect();
        b.step(&u, DT, 5, &[]).unwrap();
        assert_eq!(b.state(7).unwrap(), b.state(3).unwrap(), "state and inputs were copied");
        b.load(7, &good).unwrap();
        assert_eq!(b.status(7), Some(&LaneStatus::Running));
    }
}

/// Velocities that overflow: the state before is kept.
#[test]
fn property_a_diverging_lane_keeps_a_finite_state() {
    for recipe in recipes() {
        let mut b = batch(3, recipe(), 1);
        let mut x = b.state(1).unwrap().clone();
        x.v[8] = 1e300;
        x.v[11] = 1e300;
        b.load(1, &x).unwrap();
        b.step(&control(0, 0).repeat(3), DT, 50, &[]).unwrap();
        assert!(matches!(b.status(1), Some(LaneStatus::Failed(_))), "{:?}", b.status(1));
        b.state(1).unwrap().check_finite().unwrap();
        assert_eq!(b.status(0), Some(&LaneStatus::Running));
        assert_eq!(b.state(0).unwrap(), b.state(2).unwrap());
    }
}

#[test]
fn property_inactive_lanes_rest_and_batches_grow() {
    let mut b = batch(4, Method::comfree(), 2);
    assert_eq!(b.layout(), BatchLayout { lanes: 4, nq: 16, nv: 14, nz: 0, nu: 2 });
    let x0 = b.state(0).unwrap().clone();
    b.step(&controls(4, 0), DT, 5, &[true, false, true, false]).unwrap();
    assert_eq!(b.state(1).unwrap(), &x0);
    assert_ne!(b.state(2).unwrap(), &x0);
    let before = b.state(2).unwrap().clone();
    b.resize(9);
    assert_eq!((b.state(2).unwrap(), b.state(8).unwrap()), (&before, &x0));
    b.step(&controls(9, 0), DT, 5, &[]).unwrap();
    b.resize(1);
    b.step(&controls(1, 0), DT, 5, &[]).unwrap();
    let mut kept = State::default();
    b.store(0, &mut kept).unwrap();
    assert_eq!(b.state(0).unwrap(), &kept);
    assert_eq!(b.report(0).unwrap().steps, 15);
    assert!(b.state(1).is_err() && b.status(1).is_none());
}

#[test]
fn property_bad_arguments_are_refused_and_change_nothing() {
    let mut b = batch(3, Method::comfree(), 1);
    let x0 = b.state(0).unwrap().clone();
    let text = |e: Result<(), StepError>| e.unwrap_err().to_string();
    assert!(text(b.step(&[0.0; 5], DT, 1, &[])).contains("3 lanes × 2 controls"));
    assert!(text(b.step(&[0.0; 6], DT, 1, &[true])).contains("one per lane, 3"));
    for dt in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        assert!(text(b.step(&[0.0; 6], dt, 1, &[])).contains("positive and finite"));
    }
    assert!(text(b.load(3, &x0)).contains("lane 3 does not exist: the batch has 3 lanes"));
    assert!(text(b.copy_lane(0, 3)).contains("lane 3"));
    assert!(text(b.copy_lane(5, 0)).contains("lane 5"));
    assert!(text(b.store(9, &mut x0.clone())).contains("lane 9"));
    let mut bad = x0.clone();
    bad.q[3] = f64::NAN;
    assert!(text(b.load(1, &bad)).contains("lane 1"));
    let mut short = x0.clone();
    short.v.pop();
    assert!(text(b.load(1, &short)).contains("needs 14"));
    let mut flat = x0.clone();
    flat.q[5..9].fill(0.0);
    assert!(text(b.load(1, &flat)).contains("zero norm"));
    assert!(text(b.set_applied_force(0, &[0.0; 3])).contains("14"));
    assert!(text(b.set_applied_force(0, &[f64::NAN; 14])).contains("applied force"));
    assert!(text(b.set_mocap_poses(0, &[])).contains("must have 1"));
    (0..3).for_each(|i| assert_eq!(b.state(i).unwrap(), &x0));
}
