//! Conformance of one-step schemes and integrators: observed orders, reuse after rejection, ends of intervals.

use signorini_core::na::{Quaternion, Vector3};
use signorini_core::{
    AcceptedStep, Integrator, NoObserver, OneStep, Pool, ProblemError, SolveError, State, StepError,
    StepObserver, System,
};

use crate::order_fit;
use crate::toys::{Body, FreeBodies, Ground, Slider, SoftContact};
use crate::violation::{Violation, ensure, ensure_error, ensure_near};
use crate::zoo;

/// A smooth motion with a reference.
pub struct SmoothCase {
    /// Name.
    pub name: &'static str,
    /// The system.
    pub system: Box<dyn System>,
    /// Start.
    pub x0: State,
    /// State of the reference at its time; only `t` and `q` count.
    pub end: State,
    /// Step sizes of the fit are (end − start) / these; not so many that N solver tolerances rival the error.
    pub steps: [u32; 4],
}

fn world(bodies: Vec<Body>, slider: Slider, ground: Ground) -> Result<FreeBodies, ProblemError> {
    FreeBodies::new(bodies, slider, ground, &Pool::<SoftContact, 3>::new(SoftContact))
}

fn slider(stiffness: f64, damping: f64) -> Slider {
    Slider { mass: 2.0, stiffness, damping, stops: [-10.0, 10.0], stop: [1.0, 0.0] }
}

/// q'' = −ω²q, damped: m q″ + c q′ + k q = 0.
fn damped_oscillation() -> Result<SmoothCase, ProblemError> {
    let (m, k, c) = (2.0, 50.0, 3.0);
    let system = world(vec![], slider(k, c), Ground::default())?;
    let mut x0 = system.rest(&[]);
    (x0.q[0], x0.v[0]) = (0.3, 0.2);
    let (decay, mut end) = (c / (2.0 * m), x0.clone());
    let omega = (k / m - decay * decay).sqrt();
    end.t = 0.8;
    let (cos, sin) = ((omega * end.t).cos(), (omega * end.t).sin());
    end.q[0] = (-decay * end.t).exp() * (0.3 * cos + (0.2 + decay * 0.3) / omega * sin);
    Ok(SmoothCase {
        name: "damped oscillation",
        system: Box::new(system),
        x0,
        end,
        steps: [100, 200, 400, 800],
    })
}

/// A sphere on a compliant ground that never leaves it: z oscillates about r − m g/k, friction is idle.
fn sphere_on_spring() -> Result<SmoothCase, ProblemError> {
    let (m, k, r) = (1.0, 400.0, 0.1);
    let mut ground = Ground::default();
    (ground.material.stiffness, ground.material.dissipation) = (k, 0.0);
    let system = world(vec![Body::sphere(r, m)], slider(0.0, 0.0), ground)?;
    let (level, amplitude, omega) = (r - m * 9.81 / k, 0.01, f64::sqrt(k / m));
    let x0 = system.rest(&[Vector3::new(0.0, 0.0, level + amplitude)]);
    let mut end = x0.clone();
    end.t = 0.4;
    end.q[2] = level + amplitude * (omega * end.t).cos();
    Ok(SmoothCase {
        name: "sphere on a spring",
        system: Box::new(system),
        x0,
        end,
        steps: [200, 400, 800, 1600],
    })
}

/// A box that tumbles in free flight; the reference integrates Euler's equations with 20 000 Runge–Kutta steps.
fn tumbling_box() -> Result<SmoothCase, ProblemError> {
    let body = Body::cuboid(Vector3::new(0.1, 0.06, 0.04), 2.0);
    let inertia = body.inertia;
    let mut system = world(vec![body], slider(0.0, 0.0), Ground::default())?;
    // Without gravity: the error of the fall would hide that of the turning.
    system.gravity = Vector3::zeros();
    let (p, v, spin) =
        (Vector3::new(0.0, 0.0, 10.0), Vector3::new(1.0, 0.5, 2.0), Vector3::new(0.3, 5.0, 0.7));
    let mut x0 = system.rest(&[p]);
    x0.v[..6].copy_from_slice(&[spin.x, spin.y, spin.z, v.x, v.y, v.z]);
    let mut end = x0.clone();
    end.t = 0.2;
    // In body axes, which start as world axes: (turn, ω)′ = (½ turn ω, I⁻¹(Iω × ω)).
    let rate = |turn: Quaternion<f64>, w: Vector3<f64>| {
        let torque = inertia.component_mul(&w).cross(&w);
        (turn * Quaternion::from_imag(w) * 0.5, torque.component_div(&inertia))
    };
    let (mut turn, mut w, n) = (Quaternion::identity(), spin, 20_000);
    let h = end.t / f64::from(n);
    for _ in 0..n {
        let (t1, w1) = rate(turn, w);
        let (t2, w2) = rate(turn + t1 * (h / 2.0), w + w1 * (h / 2.0));
        let (t3, w3) = rate(turn + t2 * (h / 2.0), w + w2 * (h / 2.0));
        let (t4, w4) = rate(turn + t3 * h, w + w3 * h);
        turn += (t1 + t2 * 2.0 + t3 * 2.0 + t4) * (h / 6.0);
        w += (w1 + w2 * 2.0 + w3 * 2.0 + w4) * (h / 6.0);
    }
    end.q[..3].copy_from_slice((p + v * end.t).as_slice());
    end.q[3..7].copy_from_slice(&[turn.w, turn.i, turn.j, turn.k]);
    Ok(SmoothCase { name: "tumbling box", system: Box::new(system), x0, end, steps: [40, 80, 160, 320] })
}

/// Smooth motions with references, for orders.
///
/// # Errors
/// Never, unless a toy is broken.
pub fn smooth_cases() -> Result<Vec<SmoothCase>, ProblemError> {
    Ok(vec![damped_oscillation()?, sphere_on_spring()?, tumbling_box()?])
}

/// Observed orders of a scheme on one motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orders {
    /// Name of the motion.
    pub case: &'static str,
    /// Slope of the error at the end over the step size.
    pub global: f64,
    /// Slope of the error estimate of one step over its size.
    pub estimate: Option<f64>,
}

/// Checks a scheme made by `make`: errors fall with `order()` and estimates with `error_order()`, both within 0.1, on the smooth motions;
/// on the zoo, a retry with a smaller step equals a fresh step bit for bit, a rejected step leaves the state alone, and a
/// step that fails says when. Problems that the solver refuses are left out.
///
/// # Errors
/// The first claim that does not hold.
pub fn scheme(make: &dyn Fn() -> Box<dyn OneStep>) -> Result<Vec<Orders>, Violation> {
    let mut found = Vec::new();
    for mut case in smooth_cases()? {
        found.push(orders(make().as_mut(), &mut case).map_err(|e| e.within(case.name))?);
    }
    for animal in &mut zoo::all()? {
        retries_are_fresh(make, animal).map_err(|e| e.within(&animal.name))?;
    }
    Ok(found)
}

fn orders(scheme: &mut dyn OneStep, case: &mut SmoothCase) -> Result<Orders, Violation> {
    let sys = case.system.as_mut();
    let (mut errors, mut estimates) = (Vec::new(), Vec::new());
    for n in case.steps {
        let dt = (case.end.t - case.x0.t) / f64::from(n);
        let (mut x, mut x1) = (case.x0.clone(), State::default());
        for i in 0..n {
            let report = scheme.step(sys, &x, dt, false, &mut x1)?;
            ensure(report.unconverged == 0, "solves of a smooth motion converge", || format!("{report:?}"))?;
            ensure(
                report.error.is_some() == scheme.error_order().is_some(),
                "an estimate is given when one is promised",
                || format!("{report:?}"),
            )?;
            // One step in the middle of the motion, where nothing is special.
            if let (1, Some(e)) = (i, report.error) {
                estimates.push((dt, e));
            }
            std::mem::swap(&mut x, &mut x1);
        }
        errors.push((dt, sys.distance(&x, &case.end)));
    }
    let global = order_fit(&errors);
    // House rule: within 0.1.
    ensure_near(global, f64::from(scheme.order()), 0.1, "the error falls with the order of the scheme")?;
    let estimate = scheme.error_order().map(|p| (order_fit(&estimates), p));
    if let Some((slope, p)) = estimate {
        ensure_near(slope, f64::from(p), 0.1, "the estimate falls with its order")?;
    }
    Ok(Orders { case: case.name, global, estimate: estimate.map(|e| e.0) })
}

fn retries_are_fresh(make: &dyn Fn() -> Box<dyn OneStep>, animal: &mut zoo::Animal) -> Result<(), Violation> {
    let (x0, dt) = (animal.x0.clone(), animal.dt);
    let (mut rejected, mut retried, mut fresh) = (State::default(), State::default(), State::default());
    let mut scheme = make();
    let sys = animal.system.as_mut();
    if let Err(StepError::Solve { source: SolveError::Unsupported { .. }, .. }) =
        scheme.step(sys, &x0, dt, false, &mut rejected)
    {
        return Ok(());
    }
    let retry = scheme.step(sys, &x0, 0.3 * dt, true, &mut retried)?;
    ensure(x0 == animal.x0, "a rejected step leaves the state alone", || "it changed".into())?;
    let clean = make().step(sys, &x0, 0.3 * dt, false, &mut fresh)?;
    ensure(retried == fresh, "a retry gives what a fresh step gives, bit for bit", || {
        format!("distance {:e}", sys.distance(&retried, &fresh))
    })?;
    ensure(retry.error == clean.error, "a retry estimates what a fresh step estimates", || {
        format!("{:?} and {:?}", retry.error, clean.error)
    })?;
    ensure(retry.dt == 0.3 * dt, "a report has the step size of its step", || retry.dt.to_string())?;
    // A retry with a larger step than was prepared must not reuse a preparation that covers less.
    scheme.step(sys, &x0, 0.3 * dt, false, &mut rejected)?;
    scheme.step(sys, &x0, dt, true, &mut retried)?;
    make().step(sys, &x0, dt, false, &mut fresh)?;
    ensure(retried == fresh, "a retry with a larger step prepares anew", || "states differ".into())?;
    let mut bad = x0;
    bad.v[0] = f64::NAN;
    ensure_error(
        scheme.step(sys, &bad, dt, false, &mut fresh),
        "a step from a state that is not finite fails and says when",
        |e| matches!(e, StepError::Solve { t, .. } if *t == bad.t),
    )
}

/// Records the promises that an observer may rely on.
#[derive(Default)]
struct Ledger {
    last: Option<State>,
    steps: u64,
    rejected: u64,
    dts: Vec<f64>,
    broken: Option<String>,
    stop_after: Option<u64>,
}

impl StepObserver for Ledger {
    fn accepted(&mut self, s: &AcceptedStep<'_>) {
        if self.last.as_ref().is_some_and(|last| last != s.x0) {
            self.broken = Some(format!("the step at {} does not start where the last one ended", s.x0.t));
        }
        if s.x1.t <= s.x0.t || s.last.dt <= 0.0 || s.last.solution.v.is_empty() {
            self.broken = Some(format!("step from {} to {}", s.x0.t, s.x1.t));
        }
        self.last = Some(s.x1.clone());
        self.steps += 1;
        self.rejected += u64::from(s.rejected);
        self.dts.push(s.report.dt);
    }
    fn stop(&self) -> bool {
        self.stop_after.is_some_and(|n| self.steps >= n)
    }
}

/// Checks an integrator made by `make`, which should take steps of 1 to 20 ms on the toys: intervals of length zero do nothing; ends are hit exactly,
/// however awkward; going back, NaN and infinite ends are refused; the observer sees every step, joined end to end, and its count agrees
/// with the report; `stop` stops; a dropped and sliding sphere loses energy.
///
/// # Errors
/// The first claim that does not hold.
pub fn conformance(make: &dyn Fn() -> Box<dyn Integrator>) -> Result<(), Violation> {
    intervals(make)?;
    observer_sees_every_step(make)?;
    energy_is_lost(make)
}

fn falling_sphere() -> Result<(FreeBodies, State), ProblemError> {
    let system = world(vec![Body::sphere(0.1, 1.0)], slider(20.0, 1.0), Ground::default())?;
    let mut x = system.rest(&[Vector3::new(0.0, 0.0, 0.2)]);
    x.v[3] = 1.0;
    Ok((system, x))
}

fn intervals(make: &dyn Fn() -> Box<dyn Integrator>) -> Result<(), Violation> {
    let (mut sys, start) = falling_sphere()?;
    let (mut x, mut integrator) = (start.clone(), make());
    let report = integrator.advance(&mut sys, &mut x, start.t, &mut NoObserver)?;
    ensure(x == start && report.steps == 0, "an interval of length zero does nothing", || {
        format!("{report:?}")
    })?;
    for (claim, t_end) in [
        ("an end before the start is refused", start.t - 1e-3),
        ("an end that is not a number is refused", f64::NAN),
        ("an infinite end is refused", f64::INFINITY),
    ] {
        let result = integrator.advance(&mut sys, &mut x, t_end, &mut NoObserver);
        ensure_error(result, claim, |e| matches!(e, StepError::Argument(_)))?;
        ensure(x == start, claim, || "the state changed".into())?;
    }
    let mut bad = start.clone();
    bad.v[0] = f64::NAN;
    let result = integrator.advance(&mut sys, &mut bad, 1.0, &mut NoObserver);
    ensure_error(result, "a state that is not finite is refused", |e| matches!(e, StepError::Solve { .. }))?;
    // Ends that leave slivers, round badly, or lie one unit in the last place ahead.
    let mut ends = vec![1e-3 / 3.0, 0.01, 0.01 + 1e-12, 0.1 / 3.0, 0.05, 0.1, 0.1 + 2e-9, 0.123_456_789];
    ends.push(f64::from_bits(0.123_456_789_f64.to_bits() + 1));
    ends.push(0.2);
    for t_end in ends {
        let before = x.t;
        let report = integrator.advance(&mut sys, &mut x, t_end, &mut NoObserver)?;
        ensure(x.t == t_end, "the end is hit exactly", || format!("{} instead of {t_end}", x.t))?;
        x.check_finite()?;
        let sliver = report.steps > 0 && report.min_dt < 1e-14;
        ensure(!sliver, "no slivers", || {
            format!("a step of {:e} s from {before} to {t_end}", report.min_dt)
        })?;
    }
    Ok(())
}

fn observer_sees_every_step(make: &dyn Fn() -> Box<dyn Integrator>) -> Result<(), Violation> {
    let (mut sys, mut x) = falling_sphere()?;
    let (start, mut ledger) = (x.clone(), Ledger { last: Some(x.clone()), ..Ledger::default() });
    let report = make().advance(&mut sys, &mut x, 0.3, &mut ledger)?;
    if let Some(broken) = ledger.broken {
        return Err(Violation::new("the observer sees the steps joined end to end", broken));
    }
    let claim = "the report agrees with what the observer saw";
    ensure(report.steps == ledger.steps && report.rejected == ledger.rejected, claim, || {
        format!("{report:?}, {} steps, {} rejected", ledger.steps, ledger.rejected)
    })?;
    ensure(ledger.last.as_ref() == Some(&x), claim, || "the last state differs".into())?;
    let (low, high) = ledger.dts.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), d| (l.min(*d), h.max(*d)));
    ensure(report.min_dt == low && report.max_dt == high, claim, || format!("{report:?}, {low} to {high}"))?;
    // Steps sum to the interval up to the rounding of time.
    ensure_near(ledger.dts.iter().sum(), 0.3, 1e-9, "steps fill the interval")?;

    let mut again = start;
    let mut ledger = Ledger { stop_after: Some(3), ..Ledger::default() };
    let report = make().advance(&mut sys, &mut again, 0.3, &mut ledger)?;
    ensure(
        report.steps == 3 && again.t < 0.3 && ledger.last == Some(again.clone()),
        "stop stops after the step",
        || format!("{report:?} at {}", again.t),
    )
}

fn energy_is_lost(make: &dyn Fn() -> Box<dyn Integrator>) -> Result<(), Violation> {
    let (mut sys, mut x) = falling_sphere()?;
    let mut integrator = make();
    let mut last = sys.energy(&x).total();
    let first = last;
    for i in 1..=40 {
        integrator.advance(&mut sys, &mut x, 0.02 * f64::from(i), &mut NoObserver)?;
        let e = sys.energy(&x).total();
        // Slack: the solver tolerance and the share of an explicit slider spring (none is stretched here).
        ensure(e <= last + 1e-4 * first.abs(), "energy is not gained", || {
            format!("{last} then {e} at {}", x.t)
        })?;
        last = e;
    }
    ensure(last < 0.9 * first, "the impact and friction take energy", || format!("{first} then {last}"))
}
