//! Lanes under error control: each is a single run of the integrator, whatever its place and the threads; intervals count as many steps as they took.

use crate::common;

use common::{batch, control, controls, plate, push, scene, start};
use signorini_batch::{BatchOptions, CpuBatch, LaneView, ReadLane};
use signorini_core::{
    BatchStepper, Integrator, LaneStatus, NoObserver, Observation, OneStep, SolveError, State, StepError,
};
use signorini_icf::IcfSolver;
use signorini_integrators::{ContactStep, Floor, StepController, StepDoubling, cenic};
use signorini_multibody::RigidSystem;
use signorini_run::{Method, MethodError, OwnMethod};
use signorini_scene::{Scene, SceneBuilder};

const ACCURACY: f64 = 1e-4;
/// An interval \[s\], many steps long.
const INTERVAL: f64 = 0.02;
const LANES: usize = 5;
const INTERVALS: usize = 12;

/// ICF as a method of one's own, with or without an estimate of the error.
#[derive(Debug)]
struct OwnIcf {
    estimates: bool,
}

impl OwnMethod for OwnIcf {
    fn name(&self) -> &str {
        "own"
    }
    fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        Method::icf().system(scene)
    }
    fn scheme(&self) -> Box<dyn OneStep> {
        let step = ContactStep::new(IcfSolver::default());
        if self.estimates { Box::new(StepDoubling::new(step)) } else { Box::new(step) }
    }
}

fn method() -> Method {
    Method::cenic(ACCURACY)
}

fn prepare(b: &mut CpuBatch, place: impl Fn(usize) -> usize) {
    let x0 = b.state(0).unwrap().clone();
    for i in 0..b.layout().lanes {
        b.load(i, &start(place(i), &x0)).unwrap();
        b.set_mocap_poses(i, &[plate(place(i))]).unwrap();
        b.set_applied_force(i, &push(place(i))).unwrap();
    }
}

fn run(threads: usize, lanes: usize, place: impl Fn(usize) -> usize) -> CpuBatch {
    let mut b = batch(lanes, method(), threads);
    prepare(&mut b, &place);
    for k in 0..INTERVALS {
        let u: Vec<f64> = (0..lanes).flat_map(|i| control(place(i), k)).collect();
        b.step(&u, INTERVAL, 1, &[]).unwrap();
    }
    (0..lanes).for_each(|i| assert_eq!(b.status(i), Some(&LaneStatus::Running)));
    b
}

#[test]
fn property_a_lane_is_a_run_of_the_integrator() {
    let many = run(2, LANES, |i| i);
    let one = run(1, LANES, |i| (i + 2) % LANES);
    for world in 0..LANES {
        let mut sys = method().system(&scene()).unwrap();
        let mut x = start(world, &sys.initial_state(None).unwrap());
        let mut integrator = cenic(IcfSolver::default(), ACCURACY);
        sys.mocap_poses_mut().copy_from_slice(&[plate(world)]);
        sys.applied_force_mut().copy_from_slice(&push(world));
        let mut total = signorini_core::AdvanceReport::default();
        for k in 0..INTERVALS {
            sys.control_mut().copy_from_slice(&control(world, k));
            let t_end = x.t + INTERVAL;
            total.add(&integrator.advance(&mut sys, &mut x, t_end, &mut NoObserver).unwrap());
        }
        // Bit for bit: equal steps, and at every interval an equal step wanted next.
        assert!(*many.state(world).unwrap() == x, "lane {world}");
        assert!(*one.state((world + LANES - 2) % LANES).unwrap() == x, "lane {world} elsewhere");
        assert_eq!(many.report(world).unwrap(), &total);
        assert!(total.steps > INTERVALS as u64, "{} steps", total.steps);
    }
}

/// Largest difference of positions to a run a hundred times as accurate.
fn off(accuracy: f64) -> f64 {
    let end = |accuracy: f64| {
        let mut b = batch(1, Method::cenic(accuracy), 1);
        prepare(&mut b, |i| i);
        b.step(&control(0, 0), 0.2, 1, &[]).unwrap();
        b.state(0).unwrap().q.clone()
    };
    let (a, b) = (end(accuracy), end(0.01 * accuracy));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn property_accuracy_is_what_steps_are_chosen_by() {
    let [coarse, fine] = [1e-3, 1e-5].map(off);
    // Errors go with the square root of the accuracy: a tenth; contacts that begin at other times leave a factor of three.
    assert!(fine < 0.3 * coarse, "{coarse:.1e} at 1e-3, {fine:.1e} at 1e-5");
}

#[test]
fn property_copied_lanes_go_on_alike_and_loaded_ones_begin_afresh() {
    let mut b = run(1, LANES, |i| i);
    b.copy_lane(2, 4).unwrap();
    let u = controls(1, 3).repeat(LANES);
    b.step(&u, INTERVAL, 2, &[]).unwrap();
    assert!(b.state(2).unwrap() == b.state(4).unwrap());
    assert_eq!(b.report(2).unwrap(), b.report(4).unwrap());
    // The step that was wanted is not part of a state: a state loaded into any lane goes on in one way.
    let x = b.state(2).unwrap().clone();
    let mut other = batch(1, method(), 1);
    other.set_mocap_poses(0, &[plate(2)]).unwrap();
    other.set_applied_force(0, &push(2)).unwrap();
    b.load(2, &x).unwrap();
    other.load(0, &x).unwrap();
    b.step(&u, INTERVAL, 1, &[]).unwrap();
    other.step(&u[..2], INTERVAL, 1, &[]).unwrap();
    assert!(b.state(2).unwrap() == other.state(0).unwrap());
}

#[test]
fn property_a_failing_lane_keeps_its_last_good_state() {
    let mut b = run(2, LANES, |i| i);
    let good = b.state(3).unwrap().clone();
    let mut u = controls(LANES, 0);
    u[2 * 3] = f64::NAN;
    b.step(&u, INTERVAL, 1, &[]).unwrap();
    assert!(matches!(
        b.status(3),
        Some(LaneStatus::Failed(StepError::Solve { source: SolveError::Problem(_), .. }))
    ));
    assert_eq!(b.state(3).unwrap(), &good);
    assert_eq!(b.status(2), Some(&LaneStatus::Running));
    b.load(3, &good).unwrap();
    b.step(&controls(LANES, 0), INTERVAL, 1, &[]).unwrap();
    assert_eq!(b.status(3), Some(&LaneStatus::Running));
}

#[test]
fn property_a_lane_that_reaches_the_smallest_step_stops_within_its_interval() {
    // A ball that falls freely for a while and then meets the floor, where no step of a millisecond is good to 1 nm.
    let scene = SceneBuilder::new("drop")
        .half_space()
        .body("ball")
        .at([0.0, 0.0, 0.06])
        .free_joint()
        .sphere(0.05)
        .build()
        .unwrap();
    let controller = StepController { min_step: 1e-3, max_step: 2e-3, ..StepController::with_accuracy(2e-5) };
    let of = |controller| {
        let method = Method::own(OwnIcf { estimates: true }).error_controlled(controller).unwrap();
        let mut b = CpuBatch::new(&scene, 1, method, BatchOptions { threads: 1 }).unwrap();
        b.watch(&[Observation::JointPosition(scene.joints[0].name.clone())]).unwrap();
        b.step(&[], 0.5, 1, &[]).unwrap();
        b
    };
    let b = of(controller);
    let Some(LaneStatus::Failed(StepError::MinimumStep { t, .. })) = b.status(0) else {
        unreachable!("{:?}", b.status(0))
    };
    let (x, report) = (b.state(0).unwrap(), b.report(0).unwrap());
    assert!(x.t == *t && x.t > 0.0 && x.t < 0.5, "{} s", x.t);
    // Steps accepted on the way count, and their end is seen.
    assert!(report.steps > 0);
    let mut seen = [0.0; 7];
    b.observe(0, &mut seen).unwrap();
    assert_eq!(seen[..], x.q[..7]);
    let b = of(StepController { at_floor: Floor::Accept, ..controller });
    assert_eq!((b.status(0), b.state(0).unwrap().t), (Some(&LaneStatus::Running), 0.5));
    assert!(b.report(0).unwrap().floored > 0);
}

/// Time and length of the step that is read.
struct LastStep;

impl ReadLane for LastStep {
    fn width(&self) -> usize {
        3
    }
    fn read(&self, view: &mut LaneView<'_>, out: &mut [f64]) {
        out.copy_from_slice(&[view.x0.t, view.x1.t, view.report.dt]);
    }
}

#[test]
fn property_what_is_read_is_of_the_last_accepted_step() {
    let mut b = batch(2, method(), 1);
    prepare(&mut b, |i| i);
    let world = scene().bodies[0].name.clone();
    let wanted = [Observation::Sensor("angle".into()), Observation::ContactForce("box".into(), world)];
    b.watch(&wanted).unwrap();
    let mut out = [0.0; 6];
    b.step_and_read(&controls(2, 0), 0.5, 1, &[], &LastStep, &mut out).unwrap();
    for (lane, row) in out.chunks(3).enumerate() {
        assert_eq!(row[1], b.state(lane).unwrap().t);
        assert!(row[2] < 0.5 && (row[1] - row[0] - row[2]).abs() < 1e-12, "{row:?}");
        let mut seen = [0.0; 2];
        b.observe(lane, &mut seen).unwrap();
        assert_eq!(seen[0], b.state(lane).unwrap().q[0]);
    }
}

#[test]
fn regression_error_control_that_cannot_be_is_refused_by_name() {
    for accuracy in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        let made = CpuBatch::new(&scene(), 1, Method::cenic(accuracy), BatchOptions::default());
        assert!(made.err().unwrap().to_string().contains("accuracy"));
    }
    let c = StepController::default;
    let own = Method::own(OwnIcf { estimates: false });
    assert!(own.error_controlled(c()).unwrap_err().to_string().contains("does not estimate its error"));
    assert_eq!(Method::icf().error_controlled(c()).unwrap().name(), "cenic");
    let fixed = CpuBatch::new(&scene(), 1, Method::icf().with_step(1e-3), BatchOptions::default());
    assert!(fixed.err().unwrap().to_string().contains("with_step"));
    assert!(Method::comfree().error_controlled(c()).unwrap_err().to_string().contains("comfree"));
    let model = signorini_batch::mujoco::Model::from_scene(scene(), method()).unwrap();
    let error = signorini_batch::mujoco::Data::new(&model).err().unwrap().to_string();
    assert!(error.contains("cenic"), "{error}");
}

#[test]
fn property_beginning_every_interval_afresh_changes_little() {
    // Reloading forgets the wanted step: the motions agree to the accuracy.
    let mut kept = batch(1, method(), 1);
    prepare(&mut kept, |i| i);
    let mut fresh = batch(1, method(), 1);
    prepare(&mut fresh, |i| i);
    let mut steps = [0; 2];
    let mut x = State::default();
    for k in 0..INTERVALS {
        let u = control(0, k);
        for b in [&mut kept, &mut fresh] {
            b.step(&u, INTERVAL, 1, &[]).unwrap();
        }
        steps[1] += fresh.report(0).unwrap().steps + fresh.report(0).unwrap().rejected;
        fresh.store(0, &mut x).unwrap();
        fresh.load(0, &x).unwrap();
    }
    steps[0] = kept.report(0).unwrap().steps + kept.report(0).unwrap().rejected;
    println!("attempts: {} kept, {} afresh", steps[0], steps[1]);
    let (a, b) = (kept.state(0).unwrap(), fresh.state(0).unwrap());
    let most = a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // Each attempt is off by the accuracy at most.
    assert!(most < ACCURACY * steps[0] as f64, "{most:.1e}");
}
