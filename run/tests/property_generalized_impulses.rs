//! Generalised impulses of a recording by source, against forces that are computed by hand, and their sum against the change of momentum: an arm that is pushed onto its limit and

//! onto the floor, with motors, springs, dampers, dry friction, a tendon, couplings, a loop and gravity compensation.

use crate::momentum;

use momentum::{Asked, Inertial, Solve, asked, left_by, of_bias, solves};
use signorini_core::na::{DVector, Vector3};
use signorini_core::{AcceptedStep, HeldInputs, Integrator, State, StepObserver};
use signorini_laws::{DualCone, MassScale};
use signorini_multibody::RigidSystem;
use signorini_run::recorder::Recorder;
use signorini_run::{Law, Method, PHYSICAL, Recording, Stepping};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::rng::Rng;

const ARM: &str = "<mujoco><compiler angle='radian'/><option timestep='0.002'/>
  <worldbody>
    <geom type='plane' size='5 5 .1' friction='.6'/>
    <body name='base' pos='0 0 .34'>
      <joint name='yaw' axis='0 0 1' damping='.1' armature='.02' frictionloss='.3'/>
      <geom type='capsule' fromto='0 0 0 .05 0 0' size='.03' mass='1.2'/>
      <body name='upper' pos='.3 0 0' gravcomp='.5'>
        <joint name='lift' axis='0 1 0' limited='true' range='-1 .7'/>
        <geom type='capsule' fromto='.1 0 0 .2 0 0' size='.03' mass='.8'/>
        <body name='hand' pos='.3 0 0' gravcomp='.4'>
          <joint name='wrist' axis='0 1 0' stiffness='2' springref='.35' damping='.05' actuatorfrcrange='-.6 .6' actuatorgravcomp='true'/>
          <geom type='sphere' pos='.1 0 0' size='.05' mass='.3' friction='.6'/>
        </body>
      </body>
    </body>
    <body name='finger_a' pos='1 0 1'>
      <joint name='a' axis='0 1 0' armature='.001'/>
      <geom type='capsule' fromto='0 0 0 .1 0 0' size='.01' mass='.05' contype='0' conaffinity='0'/>
    </body>
    <body name='finger_b' pos='1 .3 1'>
      <joint name='b' axis='0 1 0' damping='.002'/>
      <geom type='capsule' fromto='0 0 0 .1 0 0' size='.01' mass='.05' contype='0' conaffinity='0'/>
    </body>
    <body name='crank' pos='2 0 1'>
      <joint name='c' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 .1 0 0' size='.01' mass='.1' contype='0' conaffinity='0'/>
    </body>
    <body name='wheel' pos='2 .3 1'>
      <joint name='d' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 .1 0 0' size='.01' mass='.2' contype='0' conaffinity='0'/>
    </body>
    <body name='rod' pos='3 0 1'>
      <freejoint/>
      <geom type='capsule' fromto='-.1 0 0 .1 0 0' size='.01' mass='.1' contype='0' conaffinity='0'/>
    </body>
  </worldbody>
  <tendon>
    <fixed name='cord' stiffness='30' damping='.4' frictionloss='.05' springlength='.1'>
      <joint joint='a' coef='.5'/><joint joint='b' coef='-.3'/>
    </fixed>
  </tendon>
  <equality>
    <joint joint1='c' joint2='d' polycoef='0 1.5 0 0 0'/>
    <connect body1='rod' anchor='-.1 0 0'/>
  </equality>
  <actuator>
    <motor name='turn' joint='yaw' gear='2' ctrlrange='-1 1'/>
    <position name='lift' joint='lift' kp='60' kv='3' forcerange='-12 12'/>
    <motor name='wrist_1' joint='wrist'/>
    <motor name='wrist_2' joint='wrist' gear='-1.5'/>
    <motor name='pull' tendon='cord' gear='.7'/>
  </actuator></mujoco>";

/// Degrees of freedom by name, in the order of the scene.
const YAW: usize = 0;
const LIFT: usize = 1;
const WRIST: usize = 2;
const A: usize = 3;
const B: usize = 4;
const C: usize = 5;
const D: usize = 6;
const ROD: usize = 7;

/// Coefficients of the tendon.
const CORD: [(usize, f64); 2] = [(A, 0.5), (B, -0.3)];
/// Upper limit of the lift \[rad\].
const HIGH: f64 = 0.7;
/// Limit of the motor of the lift \[N·m\].
const EFFORT: f64 = 12.0;
/// Dry friction of the yaw \[N·m\] and of the tendon \[N\].
const YAW_FRICTION: f64 = 0.3;
const CORD_FRICTION: f64 = 0.05;

/// Relative error of sums; a tree that follows its flow adds up a dozen of them.
const ROUND_OFF: f64 = 1e-10;
/// Mass of a near-rigid equality relative to that of what it holds, 1/(w R) = (4π²/β²)(1 + β/π) at β = 0.1: its impulse (v̂ − v_c)/R is the difference of two that are larger by that.
const NEAR_RIGID: f64 = 4.1e3;
/// Limits of forces hold to this fraction where joints are solved before contacts.
const SLACK: f64 = 1.001e-3;

fn arm() -> Scene {
    Scene::from_mjcf(ARM, "arm.xml", &LoadOptions::default()).unwrap()
}

/// Impulses of a step by hand, all solves together, nv each.
struct Expected {
    /// M Δv.
    change: DVector<f64>,
    actuators: DVector<f64>,
    passive: DVector<f64>,
    applied: DVector<f64>,
    bias: DVector<f64>,
    /// Magnitudes of the summands.
    sizes: DVector<f64>,
    /// Magnitudes that cancel within equalities.
    rigid: DVector<f64>,
    /// Residual that the solver may leave.
    of_solver: DVector<f64>,
    /// Largest impulses of the dry friction of the yaw and of the tendon.
    friction: [f64; 2],
    /// Largest impulse of the motor of the lift.
    effort: f64,
    /// The lift was near its limit.
    near: bool,
}

impl Expected {
    fn new(nv: usize) -> Self {
        let [change, actuators, passive, applied, bias, sizes, rigid, of_solver] =
            [(); 8].map(|()| DVector::zeros(nv));
        let (friction, effort, near) = ([0.0; 2], 0.0, false);
        Self { change, actuators, passive, applied, bias, sizes, rigid, of_solver, friction, effort, near }
    }
}

/// Computes impulses by hand beside a recorder.
struct ByHand<'a> {
    recorder: Recorder<'a>,
    probe: RigidSystem,
    inertial: Inertial,
    control: Vec<f64>,
    applied: Vec<f64>,
    asked: Option<Asked>,
    /// Free bodies carry their momentum.
    carries: bool,
    expected: Expected,
    /// Numbers of steps in which contacts, the limit and the coupling pushed.
    acted: [usize; 3],
    /// Number of steps in which the motor of the lift was held at its limit.
    at_limit: usize,
}

impl ByHand<'_> {
    fn look(&mut self, s: &Solve<'_>) {
        let (t, q, v0, solve) = (s.t, &s.q, &s.v, &s.last);
        let (model, dt, v) = (self.probe.model(), solve.dt, &solve.solution.v);
        let nv = model.nv();
        let (mass, bias) = self.inertial.at(model, &[], q, v0);
        let of_bias = of_bias(&mut self.inertial, &self.probe, s, (&mass, &bias), self.carries);
        let e = &mut self.expected;
        let moved = DVector::from_fn(nv, |i, _| s.v1[i] - v0[i]);
        e.change += &mass * &moved;
        e.sizes += (mass.abs() * moved.abs()).add_scalar(dt * bias.amax());
        e.bias += of_bias;
        let momentum = mass.abs() * DVector::from_fn(nv, |i, _| v[i].abs());
        e.rigid += DVector::from_fn(nv, |i, _| if i >= C { NEAR_RIGID * momentum[i] } else { 0.0 });
        for i in 0..nv {
            e.applied[i] += dt * (self.applied[i] + field(t + 0.5 * dt, i));
        }

        // Springs and dampers of joints, at the end of the step; hinges come first in q and v alike.
        let mut passive = |i: usize, force: f64| e.passive[i] += dt * force;
        passive(YAW, -0.1 * v[YAW]);
        passive(WRIST, -2.0 * (q[WRIST] + dt * v[WRIST] - 0.35) - 0.05 * v[WRIST]);
        passive(B, -0.002 * v[B]);
        let along = |x: &[f64]| CORD.iter().map(|(i, c)| c * x[*i]).sum::<f64>();
        let (length, rate) = (along(q), along(v));
        for (i, c) in CORD {
            passive(i, c * (-30.0 * (length + dt * rate - 0.1) - 0.4 * rate));
        }
        // A share of the weight of two bodies is lifted: by the wrist as actuation, elsewhere as a passive force.
        let mut lift = 0.0;
        for (name, share, weighs) in [("upper", 0.5, 0.8), ("hand", 0.4, 0.3)] {
            let body = model.bodies.iter().position(|b| b.name == name).unwrap();
            let (linear, _) = self.inertial.kin.jacobian(model, body, &self.inertial.kin.com(model, body));
            let up = |i: usize| {
                -share
                    * weighs
                    * Vector3::from_column_slice(&linear[3 * i..3 * i + 3]).dot(&self.inertial.gravity)
            };
            passive(YAW, up(YAW));
            passive(LIFT, up(LIFT));
            lift += up(WRIST);
        }
        let u = &self.control;
        let mut act = |i: usize, force: f64| e.actuators[i] += dt * force;
        act(YAW, 2.0 * u[0].clamp(-1.0, 1.0));
        act(LIFT, (60.0 * (u[1] - q[LIFT] - dt * v[LIFT]) - 3.0 * v[LIFT]).clamp(-EFFORT, EFFORT));
        act(WRIST, (u[2] - 1.5 * u[3] + lift).clamp(-0.6, 0.6));
        CORD.iter().for_each(|(i, c)| act(*i, c * 0.7 * u[4]));

        let start = DVector::from_column_slice(v0);
        let others = e.passive.abs() + e.applied.abs() + e.actuators.abs();
        e.of_solver += left_by(model, [&start, &bias, &others], &mass, solve, self.asked);
        e.effort += dt * EFFORT;
        e.friction[0] += dt * YAW_FRICTION;
        e.friction[1] += dt * CORD_FRICTION;
        // Three times the way of the step, which a force along it may lengthen.
        e.near |= HIGH - q[LIFT] < 3.0 * dt * (v0[LIFT].abs() + v[LIFT].abs()) + 0.05;
    }

    fn compare(&mut self) {
        let nv = self.probe.model().nv();
        let e = std::mem::replace(&mut self.expected, Expected::new(nv));
        let told = self.recorder.recording.impulses.sources();
        let told = told.map(|x| DVector::from_column_slice(&x[x.len() - nv..]));
        let sizes = e.sizes + told.iter().map(DVector::abs).sum::<DVector<f64>>();
        let total = told.iter().sum::<DVector<f64>>();
        let [contacts, constraints, actuators, passive, applied, bias] = told;
        for i in 0..nv {
            let close = |what: &str, told: f64, by_hand: f64, left: f64| {
                let off = (told - by_hand).abs();
                assert!(off <= left, "{what} of {i}: {told:e}, by hand {by_hand:e}, off {off:e} > {left:e}");
            };
            let round_off = ROUND_OFF * sizes[i];
            close("sum", total[i], e.change[i], e.of_solver[i] + round_off + ROUND_OFF * e.rigid[i]);
            close("passive", passive[i], e.passive[i], round_off);
            close("applied", applied[i], e.applied[i], round_off);
            close("bias", bias[i], e.bias[i], round_off);
            let left = SLACK * e.actuators[i].abs() + round_off;
            // The lift alone has a gain and a limit. A motor that reached its limit while joints and contacts were solved by turns stays there for the rest of the step.
            if self.asked.is_none() && i == LIFT && (actuators[i] - e.actuators[i]).abs() > left {
                let limit = e.effort.copysign(e.actuators[i]);
                let held =
                    (actuators[i] - e.actuators[i]) * limit > 0.0 && actuators[i].abs() <= e.effort + left;
                assert!(held, "lift: {:e}, by hand {:e}, limit {limit:e}", actuators[i], e.actuators[i]);
                self.at_limit += 1;
            } else {
                close("actuators", actuators[i], e.actuators[i], left);
            }
        }
        // A limit pushes inwards, and only near the bound.
        let limit = constraints[LIFT];
        assert!(limit <= 0.0 && (e.near || limit == 0.0), "limit: {limit:e}, near it: {}", e.near);
        // Dry friction stays within its bounds.
        for (i, bound) in [(YAW, e.friction[0]), (A, 0.5 * e.friction[1]), (B, 0.3 * e.friction[1])] {
            assert!(
                constraints[i].abs() <= bound * (1.0 + SLACK),
                "dry friction of {i}: {:e}",
                constraints[i]
            );
        }
        let along_cord = (0.3 * constraints[A] + 0.5 * constraints[B]).abs();
        assert!(along_cord <= ROUND_OFF * (sizes[A] + sizes[B]), "{along_cord:e}");
        // Nothing constrains the wrist, and the coupling c = 1.5 d pushes along its row.
        assert_eq!(constraints[WRIST], 0.0);
        let along_coupling = (1.5 * constraints[C] + constraints[D]).abs();
        assert!(along_coupling <= ROUND_OFF * (sizes[C] + sizes[D]), "{along_coupling:e}");
        // The anchor of the rod holds without a torque of its own: about the middle of the rod its force has none along the rod, its first axis.
        assert!(constraints[ROD + 3].abs() <= ROUND_OFF * sizes[ROD + 3]);
        // Contacts push the arm alone.
        assert!(contacts.iter().skip(A).all(|x| *x == 0.0));
        for (n, x) in [contacts[LIFT], limit, constraints[C]].into_iter().enumerate() {
            self.acted[n] += usize::from(x != 0.0);
        }
    }
}

impl StepObserver for ByHand<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.recorder.accepted(step);
        for s in solves(&mut self.probe, step) {
            self.look(&s);
        }
        self.compare();
    }

    fn held(&mut self, inputs: HeldInputs<'_>) {
        self.recorder.held(inputs);
    }
}

/// A force field: on all degrees of freedom, by time.
fn field(t: f64, dof: usize) -> f64 {
    0.02 * (40.0 * t + dof as f64).sin()
}

fn methods() -> Vec<Method> {
    vec![
        Method::icf().with_step(2e-3),
        Method::cenic(1e-3),
        Method::cenic(1e-3).in_paper_mode().unwrap(),
        Method::reference().with_step(2e-3),
        Method::comfree().with_step(2e-3),
        Method::comfree_sweeping(8).with_step(2e-3),
        Method::comfree_paper(0.1, 0.001, MassScale::Trace).with_step(2e-3),
        Method::comfree_once(Law::DualCone(DualCone { gains: PHYSICAL, ..DualCone::default() }))
            .with_stepping(Stepping::accurate(1e-3)),
    ]
}

/// A run from a random state under random controls and applied forces, by its seed; numbers of steps in which contacts, the limit and the coupling pushed, and the recording.
fn run(method: &Method, seed: u64) -> ([usize; 3], Recording) {
    let scene = arm();
    let mut rng = Rng::new(seed);
    let mut sys = method.system(&scene).unwrap();
    let mut x: State = sys.initial_state(None).unwrap();
    x.q[LIFT] = rng.uniform(0.66, 0.72);
    x.q[WRIST] = rng.uniform(-0.8, 0.9);
    for i in [YAW, A, B, D] {
        x.q[i] = rng.uniform(-0.5, 0.5);
    }
    x.q[C] = 1.5 * x.q[D];
    x.v.iter_mut().for_each(|v| *v = rng.uniform(-1.0, 1.0));
    let control = vec![
        rng.uniform(-1.5, 1.5),
        rng.uniform(0.5, 1.2),
        rng.uniform(-0.5, 0.5),
        rng.uniform(-0.5, 0.5),
        rng.uniform(-1.0, 1.0),
    ];
    let applied: Vec<f64> = (0..sys.model().nv()).map(|_| rng.uniform(-0.1, 0.1)).collect();
    sys.control_mut().copy_from_slice(&control);
    sys.applied_force_mut().copy_from_slice(&applied);
    sys.set_force_field(Some(Box::new(|_, _, _, t, out| {
        out.iter_mut().enumerate().for_each(|(i, f)| *f += field(t, i));
    })));
    let probe = method.system(&scene).unwrap();
    let model = probe.model();
    let mut b = ByHand {
        recorder: Recorder::new(&scene, method, &x, sys.held()).unwrap(),
        inertial: Inertial::new(model, &scene),
        control,
        applied,
        asked: asked(method),
        carries: !method.is_published(),
        expected: Expected::new(model.nv()),
        acted: [0; 3],
        at_limit: 0,
        probe,
    };
    let mut integrator: Box<dyn Integrator> = method.integrator().unwrap();
    integrator.advance(&mut sys, &mut x, 0.1, &mut b).unwrap();
    assert!(20 * b.at_limit <= b.recorder.recording.len(), "{}: {}", method.describe(), b.at_limit);
    (b.acted, b.recorder.recording)
}

#[test]
fn property_generalized_impulses_are_those_of_the_forces() {
    for method in methods() {
        let mut acted = [0; 3];
        for seed in 0..6 {
            let (pushed, r) = run(&method, seed);
            acted.iter_mut().zip(pushed).for_each(|(a, n)| *a += n);
            // No step leads to the first row.
            let nv = r.header.v_names.len();
            assert!(
                r.impulses
                    .sources()
                    .iter()
                    .all(|x| x.len() == nv * r.len() && x[..nv].iter().all(|p| *p == 0.0))
            );
        }
        assert!(acted.iter().all(|n| *n > 10), "{}: {acted:?}", method.describe());
    }
}

/// A recorder that is not told of a solve says so rather than zero.
#[test]
fn property_rows_without_a_solve_have_no_impulses() {
    let (scene, method) = (arm(), Method::icf().with_step(2e-3));
    let mut sys = method.system(&scene).unwrap();
    let x = sys.initial_state(None).unwrap();
    let mut recorder = Recorder::new(&scene, &method, &x, sys.held()).unwrap();
    recorder.add_state(&x, sys.held());
    let r = recorder.recording;
    let nv = r.header.v_names.len();
    assert!(r.impulses.sources().iter().all(|s| s[nv..].len() == nv && s[nv..].iter().all(|p| p.is_nan())));
}
