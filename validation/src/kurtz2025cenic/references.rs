use std::cell::Cell;

use serde_json::Value;
use signorini_core::na::Vector3;
use signorini_core::{NoObserver, State};

use super::failed;
use super::fig08::slope;
use crate::scenes::SingleBody;
use signorini_report::claim::number as readable;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// A ball dropped while moving sideways.
pub(super) struct SphereDrop;
/// A box that slides to rest.
pub(super) struct BoxSlide;
/// A box pushed back and forth, with static and dynamic friction (the block of fig. 14).
pub(super) struct Conveyor;

macro_rules! reference_page {
    ($page:ty, $id:literal, $title:literal, $lead:literal, $file:literal, $cost:expr) => {
        impl Page for $page {
            fn id(&self) -> &'static str {
                $id
            }
            fn title(&self) -> &'static str {
                $title
            }
            fn lead(&self) -> &'static str {
                $lead
            }
            fn cost(&self) -> [f64; 3] {
                $cost
            }
            fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
                convergence(ctx, $file)
            }
        }
    };
}

reference_page!(
    SphereDrop,
    "kurtz2025cenic/reference_sphere_drop",
    "Error of a dropped sphere against an ODE reference",
    "A sphere falls onto a floor and slides, and its error against a reference solution falls with the accuracy like that of Drake's CENIC.",
    "sphere_drop",
    [1.0, 1.0, 12.0]
);
reference_page!(
    BoxSlide,
    "kurtz2025cenic/reference_box_slide",
    "Error of a sliding box against an ODE reference",
    "A box slides on a floor to rest, and its error against a reference solution falls with the accuracy like that of Drake's CENIC.",
    "box_slide",
    [1.0, 1.0, 12.0]
);
reference_page!(
    Conveyor,
    "kurtz2025cenic/reference_conveyor",
    "Error of a box with static and dynamic friction against an ODE reference",
    "A box with different static and dynamic friction is pushed back and forth, and its error against a reference solution falls with the accuracy \
     like that of Drake's CENIC.",
    "conveyor_static_dynamic",
    [2.0, 2.0, 40.0]
);

fn number(v: &Value, key: &str) -> f64 {
    v[key].as_f64().unwrap_or(0.0)
}

fn vector(v: &Value) -> Vector3<f64> {
    Vector3::from_fn(|i, _| v[i].as_f64().unwrap_or(0.0))
}

/// The listed runs of Drake were first stopped here \[s\], then at every sample of the reference (`benches/peers/oracles/continuous_references.py`): stops
/// bound the steps, so equal sampling needs it too.
const FIRST_SAMPLE: f64 = 1e-3;

/// Rounding decides which steps are rejected: Drake itself, run again with the same stops, moves by up to 0.6 % from the listed errors.
const REPEATS: f64 = 1.006;

/// Starts of the last two steps \[s\]. Drake evaluates an explicit force once per attempted step, at its start, and holds it over both half
/// steps (`benches/peers/oracles/continuous_references.py`). An attempt is a full step, a half step from the same start and a later one.
#[derive(Default)]
struct AttemptTimes([Cell<f64>; 2]);

impl AttemptTimes {
    /// Start of the attempt that a step from t belongs to.
    fn start(&self, t: f64) -> f64 {
        let [before, last] = [self.0[0].replace(self.0[1].get()), self.0[1].replace(t)];
        if before == last && t > last { last } else { t }
    }
}

/// Largest position error over the samples, and the work.
struct Run {
    error: f64,
    steps: u64,
    rejected: u64,
}

fn convergence(ctx: &Context, name: &str) -> Result<PageOutput, PageError> {
    let folder = ctx.root.join("validation/data/cenic");
    let read = |ext: &str| {
        let path = folder.join(format!("{name}.{ext}"));
        std::fs::read_to_string(&path)
            .map_err(|source| PageError::Io { path: path.display().to_string(), source })
    };
    let info: Value = serde_json::from_str(&read("json")?).map_err(failed)?;
    let samples: Vec<Vec<f64>> =
        read("csv")?.lines().skip(1).map(|l| l.split(',').filter_map(|x| x.parse().ok()).collect()).collect();
    let p = &info["params"];
    let spheres = p["spheres"].as_array().cloned().unwrap_or_default();
    let body = SingleBody {
        mass: number(p, "m"),
        spheres: spheres.iter().map(|s| (vector(&s["p"]), number(s, "r"))).collect(),
        solid_box: p.get("box").map(vector),
        stiffness: number(p, "k"),
        dissipation: number(p, "d"),
        friction: [number(p, "mu_s"), number(p, "mu_d")],
        stiction_speed: number(p, "v_s"),
        height: 0.0,
    };
    let x0: Vec<f64> = p["x0"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let amplitude = number(p, "force_amp");
    let omega = 2.0 * std::f64::consts::PI * number(p, "force_hz");
    let scene = body.scene(name);
    let simulate = |method: &Method| -> Result<Run, PageError> {
        let mut sys = method.system(&scene).map_err(failed)?;
        let times = AttemptTimes::default();
        let paper = method.is_published();
        sys.set_force_field(Some(Box::new(move |_, _, x, halfway, f| {
            let t = if paper { times.start(x.t) } else { halfway };
            f[0] += amplitude * (omega * t).sin();
        })));
        let mut integrator = method.integrator().map_err(failed)?;
        let q = vec![x0[4], x0[5], x0[6], x0[0], x0[1], x0[2], x0[3]];
        let v = vec![x0[10], x0[11], x0[12], x0[7], x0[8], x0[9]];
        let mut x = State { t: 0.0, q, v, ..State::default() };
        let mut run = Run { error: 0.0, steps: 0, rejected: 0 };
        let to_first = integrator.advance(&mut sys, &mut x, FIRST_SAMPLE, &mut NoObserver).map_err(failed)?;
        run.steps += to_first.steps;
        for s in samples.iter().filter(|s| s[0] > FIRST_SAMPLE) {
            let r = integrator.advance(&mut sys, &mut x, s[0], &mut NoObserver).map_err(failed)?;
            run.steps += r.steps;
            run.rejected += r.rejected;
            for i in 0..3 {
                run.error = run.error.max((x.q[i] - s[5 + i]).abs());
            }
        }
        Ok(run)
    };
    let mut plot = Plot::new(
        "convergence",
        "Largest position error over the trajectory, over the accuracy of the error control. The error is taken at the samples of the reference.",
        "accuracy [m or rad]",
        "position error [mm]",
    )
    .log(true, true);
    let mut table = Table::new(
        "Largest position error against the reference",
        &[
            "accuracy",
            "paper mode: error [mm]",
            "paper mode: accepted steps",
            "paper mode: rejected steps",
            "default mode: error [mm]",
            "Drake 1.51.1: error [mm]",
            "Drake: steps",
            "error in paper mode over Drake's",
        ],
    );
    let (mut ours, mut default_mode, mut drake) = (Vec::new(), Vec::new(), Vec::new());
    let mut worst: f64 = 0.0;
    for accuracy in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
        ctx.say(format!("{name}, accuracy {accuracy:e}"));
        let run = simulate(&Method::cenic(accuracy).in_paper_mode()?)?;
        let other = simulate(&Method::cenic(accuracy))?;
        let found = info["drake_cenic"].as_object().and_then(|o| {
            o.iter()
                .find(|(k, _)| k.parse::<f64>().is_ok_and(|a| (a / accuracy - 1.0).abs() < 1e-9))
                .map(|x| x.1)
        });
        let theirs = found.map_or(f64::NAN, |d| number(d, "max_abs_pos_err_vs_ode"));
        worst = worst.max(run.error / theirs);
        table.row([
            format!("{accuracy:e}"),
            readable(1e3 * run.error),
            run.steps.to_string(),
            run.rejected.to_string(),
            readable(1e3 * other.error),
            readable(1e3 * theirs),
            found.map_or("–".into(), |d| number(d, "steps").to_string()),
            format!("{:.4}", run.error / theirs),
        ]);
        ours.push((accuracy, 1e3 * run.error));
        default_mode.push((accuracy, 1e3 * other.error));
        drake.push((accuracy, 1e3 * theirs));
    }
    let order = slope(&ours[4..]);
    let anchor = ours[5].1 / ours[5].0.sqrt();
    plot.add("paper mode", Mark::LinePoints, ours.clone());
    plot.add("default mode", Mark::LinePoints, default_mode);
    plot.add("Drake CENIC 1.51.1", Mark::LinePoints, drake);
    plot.add("√accuracy", Mark::Dashed, ours.iter().map(|p| (p.0, anchor * p.0.sqrt())).collect());
    let mut out = PageOutput::new([
        "The reference is a solution of the same continuous model by an explicit Runge–Kutta method of order 8. The accuracy bounds the error of \
         one step, so that the error of the trajectory is in proportion to the square root of the accuracy."
            .into(),
        "Paper mode has the settings of the paper, and default mode has those of this project. Paper mode evaluates an applied force as Drake does: \
         at the start of an attempted step, with this value for both half steps. Default mode evaluates it in the middle of each step."
            .into(),
        "A time at which a run must stop bounds its steps. All runs therefore stop at equal times, at 1 ms and then at every sample. When Drake is \
         run again, its errors move by up to 0.6 % from the listed numbers, because rounding decides which steps are rejected. The claim allows \
         this difference."
            .into(),
        format!(
            "The body has a mass of {} kg and touches a floor at z = 0 with {} of radius {} m. The contact has a stiffness of {} N/m, a dissipation of {} \
             s/m, coefficients of friction {} (static) and {} (dynamic) and a stiction speed of {} m/s. {}A run takes {} s.",
            number(p, "m"),
            if spheres.len() == 1 { "one sphere".to_owned() } else { format!("{} spheres", spheres.len()) },
            spheres.first().map_or(f64::NAN, |s| number(s, "r")),
            number(p, "k"),
            number(p, "d"),
            number(p, "mu_s"),
            number(p, "mu_d"),
            number(p, "v_s"),
            if amplitude > 0.0 {
                format!("A force of {amplitude} N along x oscillates with {} Hz. ", number(p, "force_hz"))
            } else {
                String::new()
            },
            number(p, "T"),
        ),
    ]);
    out.plot(plot);
    out.extend([
        Claim::at_most(
            "drake",
            "largest ratio of the error in paper mode to that of Drake, over all accuracies",
            REPEATS,
            worst,
            "",
        )
        .rule("at most 1.006: Drake itself, run again, moves by up to 0.6 %"),
        Claim::between(
            "slope",
            "slope of the error over the accuracy between 1e-7 and 1e-8, in the logarithmic plot",
            [0.4, 0.6],
            order,
            "",
        )
        .rule("in 0.4 … 0.6. The theory has 1/2: the error of the trajectory falls with the square root of the accuracy."),
    ]);
    out.table(table);
    Ok(out)
}
