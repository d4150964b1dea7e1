//! The impulses of a recording give the change of momentum: in every row those of contacts, of gravity and gyroscopic terms, and what the recording says of constraints, actuators,

//! passive and applied forces add up to M (v₁ − v₀). In the rows of free joints the contacts and gravity alone do.

use crate::momentum;

use momentum::{Asked, Inertial, Solve, asked, left_by, of_bias, solves};
use signorini_core::na::{DVector, Matrix3, Point3, Vector3};
use signorini_core::{AcceptedStep, HeldInputs, StepObserver};
use signorini_laws::{DualCone, MassScale};
use signorini_multibody::RigidSystem;
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::recorder::Recorder;
use signorini_run::recording::StepPart;
use signorini_run::{Law, Method, PHYSICAL, Recording, Stepping};
use signorini_scene::{JointKind, LoadOptions, Scene};

/// A box that slides and tips, a ball of six rows that rolls and spins, and a box that falls on the first.
const BODIES: &str = "<mujoco><worldbody><geom type='plane' size='5 5 .1' condim='6' friction='.5 .02 .01'/>
    <body pos='0 0 .06'><freejoint/><geom type='box' size='.1 .05 .05' mass='1.3'/></body>
    <body pos='.5 0 .101'><freejoint/><geom type='sphere' size='.1' mass='.7' condim='6' friction='.6 .03 .02'/></body>
    <body pos='.03 .01 .2' euler='20 10 0'><freejoint/><geom type='box' size='.04 .04 .04' mass='.4'/></body>
  </worldbody></mujoco>";

fn bodies() -> Scene {
    Scene::from_mjcf(BODIES, "bodies.xml", &LoadOptions::default()).unwrap()
}

fn file(path: &str) -> Scene {
    Scene::load(format!("../models/{path}"), &LoadOptions::default()).unwrap()
}

/// Relative error of sums over contacts and degrees of freedom.
const ROUND_OFF: f64 = 1e-11;

/// Sums over the solves of a step, nv each.
struct Sums {
    /// M Δv.
    change: DVector<f64>,
    /// −δt c.
    bias: DVector<f64>,
    /// Jᵀγ of the recorded contacts.
    contacts: DVector<f64>,
    /// Magnitudes of the summands.
    sizes: DVector<f64>,
    /// Residual that the solver may leave.
    of_solver: DVector<f64>,
}

impl Sums {
    fn new(nv: usize) -> Self {
        let [change, bias, contacts, sizes, of_solver] = [(); 5].map(|()| DVector::zeros(nv));
        Self { change, bias, contacts, sizes, of_solver }
    }
}

/// Adds up impulses beside a recorder.
struct Balance<'a> {
    recorder: Recorder<'a>,
    probe: RigidSystem,
    inertial: Inertial,
    /// Body of each geom.
    bodies: Vec<usize>,
    /// Rows of free joints.
    free: Vec<usize>,
    sums: Sums,
    /// Contact rows of the recording that were looked at.
    seen: usize,
    /// Tolerance of solves; none of evaluations in closed form, whose momentum is exact.
    asked: Option<Asked>,
    /// Free bodies carry their momentum.
    carries: bool,
    /// Largest residual over the bound of a step.
    worst: f64,
    solves: usize,
    /// Contacts that carry something.
    contacts: usize,
}

impl Balance<'_> {
    fn look(&mut self, s: &Solve<'_>) {
        let (q, v0, solve, part) = (&s.q, &s.v, &s.last, s.part);
        let (model, r, dt) = (self.probe.model(), &self.recorder.recording, solve.dt);
        let nv = model.nv();
        let (mass, bias) = self.inertial.at(model, self.probe.held().mocap, q, v0);
        let of_bias = of_bias(&mut self.inertial, &self.probe, s, (&mass, &bias), self.carries);
        let change = &mass * (DVector::from_column_slice(&s.v1) - DVector::from_column_slice(v0));
        let mut given = DVector::<f64>::zeros(nv);
        // Magnitudes of the summands.
        let steps = DVector::from_fn(nv, |i, _| (solve.solution.v[i] - v0[i]).abs());
        let mut sizes = (mass.abs() * steps).add_scalar(dt * bias.amax());
        for k in (self.seen..r.contact_row.len()).filter(|k| r.contact_part[*k] == part as u8) {
            assert_eq!(r.contact_dt[k], dt);
            let three = |a: &[f64], at: usize| Vector3::from_column_slice(&a[at..at + 3]);
            let frame = Matrix3::from_row_slice(&r.contact_frame[9 * k..9 * k + 9]);
            let force = frame * three(&r.contact_impulse, 3 * k);
            let torque = frame * three(&r.contact_angular_impulse, 3 * k);
            self.contacts += usize::from(force.norm() > 0.0);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = self.bodies[r.contact_geoms[2 * k + side] as usize];
                let p = three(&r.contact_point, 3 * k) + three(&r.contact_arms, 6 * k + 3 * side);
                let (linear, angular) = self.inertial.kin.jacobian(model, body, &Point3::from(p));
                for i in 0..nv {
                    let (l, a) = (three(&linear, 3 * i), three(&angular, 3 * i));
                    given[i] += sign * (l.dot(&force) + a.dot(&torque));
                    sizes[i] += (l.norm() + a.norm() * p.norm()) * force.norm() + a.norm() * torque.norm();
                }
            }
        }
        let start = DVector::from_column_slice(v0);
        self.sums.of_solver += left_by(model, [&start, &bias, &DVector::zeros(nv)], &mass, solve, self.asked);
        self.sums.change += change;
        self.sums.bias += of_bias;
        self.sums.contacts += given;
        self.sums.sizes += sizes;
        self.solves += 1;
    }

    /// The step that the last row of the recording tells of.
    fn compare(&mut self) {
        let nv = self.probe.model().nv();
        let Sums { change, bias, contacts, mut sizes, of_solver } =
            std::mem::replace(&mut self.sums, Sums::new(nv));
        let impulses = &self.recorder.recording.impulses;
        let last = |x: &[f64]| DVector::from_column_slice(&x[x.len() - nv..]);
        let told = impulses.sources().map(|x| last(x));
        sizes += told.iter().map(DVector::abs).sum::<DVector<f64>>();
        let [of_contacts, constraints, actuators, passive, applied, of_bias] = told;
        let others = constraints + actuators + passive + applied;
        for i in &self.free {
            assert_eq!(others[*i], 0.0, "{}", self.probe.model().velocity_name(*i));
        }
        for i in 0..nv {
            let round_off = ROUND_OFF * sizes[i];
            for (residual, left) in [
                (change[i] - bias[i] - contacts[i] - others[i], of_solver[i] + round_off),
                (contacts[i] - of_contacts[i], round_off),
                (bias[i] - of_bias[i], round_off),
            ] {
                self.worst = self.worst.max(residual.abs() / left);
            }
        }
    }
}

impl StepObserver for Balance<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.recorder.accepted(step);
        for s in solves(&mut self.probe, step) {
            self.look(&s);
        }
        // States go on with the velocities that were solved for; bodies that carry their momentum turn.
        assert!(self.carries || step.x1.v == step.last.solution.v);
        self.seen = self.recorder.recording.contact_row.len();
        self.compare();
    }

    fn held(&mut self, inputs: HeldInputs<'_>) {
        self.recorder.held(inputs);
    }
}

/// Worst residual of a run of `time` \[s\] over the bounds of its steps; the recording.
fn balance(scene: &Scene, method: &Method, time: f64) -> (f64, Recording) {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(scene.keyframe("home")).unwrap();
    if scene.keyframes.is_empty() {
        // The first box slides and turns, the ball skids and spins.
        x.v[..6].copy_from_slice(&[0.5, 0.3, 0.0, 0.0, 0.0, 4.0]);
        x.v[6..12].copy_from_slice(&[0.4, 0.0, 0.0, 0.0, 3.0, 9.0]);
    }
    let probe = method.system(scene).unwrap();
    let model = probe.model();
    let free = model.joints.iter().filter(|j| j.kind == JointKind::Free).flat_map(|j| j.v..j.v + 6).collect();
    let mut b = Balance {
        recorder: Recorder::new(scene, method, &x, sys.held()).unwrap(),
        inertial: Inertial::new(model, scene),
        bodies: scene.geoms.iter().map(|g| g.body).collect(),
        free,
        sums: Sums::new(model.nv()),
        seen: 0,
        asked: asked(method),
        carries: !method.is_published(),
        worst: 0.0,
        solves: 0,
        contacts: 0,
        probe,
    };
    let end = x.t + time;
    let report = method.integrator().unwrap().advance(&mut sys, &mut x, end, &mut b).unwrap();
    let halves = 1 + usize::from(method.stepping().is_controlled());
    assert_eq!((b.solves, b.contacts > 20), (halves * report.steps as usize, true), "{}", method.describe());
    (b.worst, b.recorder.recording)
}

fn methods() -> Vec<Method> {
    vec![
        Method::icf().with_step(2e-3),
        Method::icf().with_law(Law::Similar).unwrap().with_step(2e-3),
        Method::icf().with_law(Law::Sap).unwrap().with_step(2e-3),
        Method::cenic(1e-3),
        Method::cenic(1e-3).in_paper_mode().unwrap(),
        Method::reference().with_step(2e-3),
        Method::comfree().with_step(2e-3),
        Method::comfree_sweeping(8).with_step(5e-3),
        Method::comfree_sweeping(1).with_step(2e-3),
        Method::comfree_paper(0.1, 0.001, MassScale::Trace).with_step(2e-3),
        Method::comfree_once(Law::DualCone(DualCone { gains: PHYSICAL, ..DualCone::default() }))
            .with_stepping(Stepping::accurate(1e-3)),
    ]
}

#[test]
fn property_recorded_impulses_change_momentum_of_bodies() {
    let scene = bodies();
    for method in methods() {
        let (worst, r) = balance(&scene, &method, 0.15);
        // A scaled norm bounds each row.
        assert!(worst < 1.0, "{}: {worst:e}", method.describe());
        let spins = r.contact_angular_impulse.iter().any(|g| *g != 0.0);
        // Laws of three rows neither spin nor roll.
        assert_eq!(spins, matches!(method, Method::ComFree(_)), "{}", method.describe());
        let halves = r.contact_part.iter().any(|p| *p != StepPart::Whole as u8);
        assert_eq!(halves, method.stepping().is_controlled(), "{}", method.describe());
    }
}

#[test]
fn property_recorded_impulses_change_momentum_of_robots() {
    for (model, time) in [("quadruped/quadruped.xml", 0.05), ("leap_hand/cube.xml", 0.05)] {
        let scene = file(model);
        for method in methods() {
            // The dense reference takes minutes.
            if matches!(method, Method::Reference(_)) {
                continue;
            }
            let (worst, _) = balance(&scene, &method, time);
            assert!(worst < 1.0, "{model}, {}: {worst:e}", method.describe());
        }
    }
}

/// Linear momentum of each affine body; the angular momentum also changes by the forces that keep them rigid.
#[test]
fn property_recorded_impulses_change_momentum_of_affine_bodies() {
    let scene = bodies();
    let masses = [1.3, 0.7, 0.4];
    for method in [Method::ipc().with_step(2e-3), Method::ipc().with_stepping(Stepping::accurate(1e-3))] {
        let run = run_affine(&scene, &method, None, 0.1, RunWatch::default()).unwrap();
        run.report.unwrap();
        let r = run.recording;
        assert!(r.contact_row.len() > 20);
        let halves = r.contact_part.iter().any(|p| *p != StepPart::Whole as u8);
        assert_eq!(halves, method.stepping().is_controlled());
        assert!(r.impulses.sources().iter().all(|x| x.is_empty()));
        for row in 1..r.len() {
            let mut given = masses.map(|m| m * (r.t[row] - r.t[row - 1]) * scene.options.gravity);
            for k in (0..r.contact_row.len()).filter(|k| r.contact_row[*k] as usize == row) {
                let frame = Matrix3::from_row_slice(&r.contact_frame[9 * k..9 * k + 9]);
                let force = frame * Vector3::from_column_slice(&r.contact_impulse[3 * k..3 * k + 3]);
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let body = scene.geoms[r.contact_geoms[2 * k + side] as usize].body;
                    if body > 0 {
                        given[body - 1] += sign * force;
                    }
                }
            }
            for (b, (m, given)) in masses.into_iter().zip(given).enumerate() {
                let v = |row: usize| Vector3::from_column_slice(&r.v[18 * row + 6 * b..18 * row + 6 * b + 3]);
                let residual = (m * (v(row) - v(row - 1)) - given).norm();
                // Newton ends where a step changes no speed by 1e-5 m/s (1e-6 under error control), whatever the slope of the barrier makes of
                // that: half a per cent in the stiffest impact.
                let left = 1e-5 * m + 0.01 * given.norm();
                assert!(residual < left, "{}, row {row}, body {b}: {residual:e}", method.describe());
            }
        }
    }
}
