use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_core::{NoObserver, State};
use signorini_laws::{DualCone, Gains};
use signorini_scene::{LoadOptions, Scene};

use crate::kurtz2025cenic::slope;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::{Law, Method, PHYSICAL, Stepping};

/// ComFree under error control: with physical gains halving the step does not change the law.
pub(super) struct ErrorControl;

const TIME: f64 = 0.3;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// Body that is dropped on a plane.
struct Case {
    /// Beginning of the names of claims and plots; none for the ball.
    prefix: &'static str,
    what: &'static str,
    plane: &'static str,
    body: &'static str,
    /// Distance from the centre, along its axis to both sides, at which places are compared \[m\].
    reach: f64,
    /// At the start, linear and angular \[m/s, rad/s\].
    v: [f64; 6],
}

/// A ball that falls by 3 cm while it moves and spins; a capsule that comes down on one end while it slides and tumbles, so that friction acts at one end, then at both, which slip and stick.
const CASES: [Case; 2] = [
    Case {
        prefix: "",
        what: "ball",
        plane: "",
        reach: 0.0,
        body: "pos=\"0 0 .08\"><freejoint/><geom type=\"sphere\" size=\".05\" friction=\".3\"/>",
        v: [0.5, 0.1, 0.0, 2.0, -3.0, 5.0],
    },
    Case {
        prefix: "capsule_",
        what: "tumbling capsule",
        plane: "friction=\".3\"",
        reach: 0.11,
        body: "pos=\"0 0 .12\" euler=\"0 60 0\"><freejoint/><geom type=\"capsule\" size=\".03 .08\" friction=\".3\"/>",
        v: [0.8, 0.1, 0.0, 1.0, 2.0, 3.0],
    },
];

impl Case {
    fn scene(&self) -> Result<Scene, PageError> {
        let Self { what, plane, body, .. } = self;
        let text = format!(
            "<mujoco model=\"{what}\"><worldbody><geom type=\"plane\" size=\"5 5 .1\" {plane}/><body {body}</body></worldbody></mujoco>"
        );
        Scene::from_mjcf(&text, "case.xml", &LoadOptions::default()).map_err(failed)
    }
}

/// The state at the end, and accepted and rejected steps.
fn run(case: &Case, method: &Method) -> Result<(State, u64), PageError> {
    let mut sys = method.system(&case.scene()?).map_err(failed)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    x.v.copy_from_slice(&case.v);
    let mut integrator = method.integrator().map_err(failed)?;
    let report = integrator.advance(&mut sys, &mut x, TIME, &mut NoObserver).map_err(failed)?;
    Ok((x, report.steps + report.rejected))
}

/// The larger distance of the two ends.
fn distance(case: &Case, a: &State, b: &State) -> f64 {
    let end = |x: &State, side: f64| {
        let turn = UnitQuaternion::new_normalize(Quaternion::new(x.q[3], x.q[4], x.q[5], x.q[6]));
        Vector3::new(x.q[0], x.q[1], x.q[2]) + turn * Vector3::new(0.0, 0.0, side * case.reach)
    };
    [-1.0, 1.0].map(|side| (end(a, side) - end(b, side)).norm()).into_iter().fold(0.0, f64::max)
}

impl Page for ErrorControl {
    fn id(&self) -> &'static str {
        "borse2026comfree/error_control"
    }
    fn title(&self) -> &'static str {
        "Convergence under error control with physical gains"
    }
    fn lead(&self) -> &'static str {
        "A ball and a capsule fall on a plane under ComFree with error control, and their motion converges as the accuracy gets finer."
    }
    fn cost(&self) -> [f64; 3] {
        [4.0, 4.0, 20.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "The first scene is a ball that falls on a plane, slides and rolls. The second scene is a capsule of 0.22 m that comes down on one end \
             while it slides at 0.8 m/s and tumbles. The friction coefficient is μ = 0.3.".to_owned(),
            format!("A run lasts {TIME} s, with one evaluation of the contact law per step. The distance of two runs is the distance of the ball's \
                centres at the end. For the capsule it is the distance of the end that is further off."),
            "Gains relative to the time step, as published, make contact stiffer when the time step is smaller. Runs with smaller time steps then \
             tend to rigid contact, and two half steps obey another contact law than the full step. Physical gains give one compliance at all time \
             steps.".to_owned(),
        ]);
        CASES.iter().try_for_each(|case| compare(ctx, case, &mut out))?;
        Ok(out)
    }
}

/// Distances against steps and accuracies.
fn compare(ctx: &Context, case: &Case, out: &mut PageOutput) -> Result<(), PageError> {
    let law = |gains| DualCone { gains, ..DualCone::default() };
    let laws = [
        ("physical", "physical gains, κ = 1000/s², c = 20/s", law(PHYSICAL)),
        ("per_step", "gains per step, k = 0.2/s, d = 0.001", law(Gains::PerStep { k: 0.2, d: 0.001 })),
    ];
    let mut steps_plot = Plot::new(
        &format!("{}steps", case.prefix),
        &format!("{}: distance at the end from the run with the smallest time step.", case.what),
        "time step [s]",
        "distance [m]",
    )
    .log(true, true);
    let mut plot = Plot::new(
        &format!("{}accuracy", case.prefix),
        &format!(
            "{}: distance at the end of runs under error control from a run with physical gains and time steps of 1 µs (0.1 µs in a full run).",
            case.what
        ),
        "accuracy [m]",
        "distance [m]",
    )
    .log(true, true);
    let mut table = Table::new(
        &format!("Error control, {}", case.what),
        &["gains", "accuracy", "steps", "distance from the reference [m]"],
    );
    let fixed = |law, dt| Method::comfree_with(law, 1).with_step(dt);
    let (reference, _) = run(case, &fixed(laws[0].2, if ctx.full() { 1e-7 } else { 1e-6 }))?;
    let mut claims = Vec::new();
    for (id, name, law) in laws {
        let finest = run(case, &fixed(law, 2e-6))?.0;
        let mut points = Vec::new();
        for dt in [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5] {
            ctx.say(format!("{}, {name}, {dt:e} s", case.what));
            let x = run(case, &fixed(law, dt))?.0;
            points.push((dt, distance(case, &x, if id == "physical" { &reference } else { &finest })));
        }
        if id == "physical" {
            let order = slope(&points[2..]);
            let claim = format!(
                "{}, {name}: convergence order of the distance in the time step, from 1 ms to 63 µs",
                case.what
            );
            claims.push(
                Claim::at_least(&format!("{}order", case.prefix), &claim, 0.8, order, "")
                    .rule("at least 0.8. The scheme is of first order."),
            );
        }
        steps_plot.add(name, Mark::LinePoints, points);
        let mut errors = Vec::new();
        for accuracy in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
            ctx.say(format!("{}, {name}, accuracy {accuracy:e}", case.what));
            let method = Method::comfree_once(Law::DualCone(law)).with_stepping(Stepping::accurate(accuracy));
            let (x, steps) = run(case, &method)?;
            let error = distance(case, &x, &reference);
            table.row([name.into(), format!("{accuracy:e}"), steps.to_string(), format!("{error:.2e}")]);
            errors.push((accuracy, error));
        }
        if id == "physical" {
            let claim = format!("{}, {name}: convergence order of the distance in the accuracy", case.what);
            claims.push(
                Claim::at_least(&format!("{}accuracy", case.prefix), &claim, 0.4, slope(&errors), "").rule(
                    "at least 0.4. The error of a scheme of first order falls with the square root of the estimated error of a step.",
                ),
            );
        }
        plot.add(name, Mark::LinePoints, errors);
    }
    out.heading(case.what);
    out.extend([steps_plot, plot]);
    out.table(table);
    out.extend(claims);
    Ok(())
}
