use signorini_core::{Integrator, NoObserver, System};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{Adaptive, ContactStep, FixedStep, StepController};

use super::failed;
use super::trapezoid::Trapezoid;
use crate::scenes::SingleBody;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;

/// Fig. 8: energy of a bouncing ball without dissipation, by step doubling and by the trapezoid rule.
pub(super) struct Fig08;

/// Relative energy error at t = 1 s of Drake's CENIC, (step [s], error), for the same ball.
const DRAKE_FIXED: [(f64, f64); 4] = [(1e-3, 0.25), (5e-4, 0.138), (1e-4, 0.030), (5e-5, 0.015)];
const DRAKE_ADAPTIVE: [(f64, f64); 4] = [(1e-4, 0.186), (1e-5, 0.060), (1e-6, 0.020), (1e-7, 0.0070)];

/// Radius of the ball, height of its drop \[m\].
const RADIUS: f64 = 0.05;
const DROP: f64 = 1.0;
/// Where in a step the ball meets the floor decides on a good part of the error: drops whose impacts are spread over one step.
const PHASES: usize = 16;

/// A scheme at one setting.
#[derive(Clone, Copy)]
enum Scheme {
    Fixed(f64),
    Doubling(f64),
    TrapezoidFixed(f64),
    Trapezoid(f64),
}

impl Scheme {
    fn integrator(self) -> Result<Box<dyn Integrator>, PageError> {
        let trapezoid = || Trapezoid::new(ContactStep::new(IcfSolver::new(IcfOptions::paper())));
        Ok(match self {
            Self::Fixed(dt) => Method::icf().with_step(dt).in_paper_mode()?.integrator()?,
            Self::Doubling(a) => Method::cenic(a).in_paper_mode()?.integrator()?,
            Self::TrapezoidFixed(dt) => Box::new(FixedStep::new(trapezoid(), dt).map_err(failed)?),
            Self::Trapezoid(a) => {
                Box::new(Adaptive::new(trapezoid(), StepController::with_accuracy(a)).map_err(failed)?)
            }
        })
    }
}

/// Relative energy error after 1 s of a ball released `above` \[m\] over the floor, and the number of steps. Energy is counted from the ball
/// resting on the floor.
fn energy_error(scheme: Scheme, above: f64) -> Result<(f64, u64), PageError> {
    let scene = SingleBody::ball(1.0, RADIUS, 1e4, 0.0, RADIUS + above).scene("elastic ball");
    let mut sys = Method::icf().with_step(1e-3).in_paper_mode()?.system(&scene)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    let start = sys.energy(&x).total();
    let report = scheme.integrator()?.advance(&mut sys, &mut x, 1.0, &mut NoObserver).map_err(failed)?;
    Ok(((sys.energy(&x).total() - start).abs() / (start - 9.81 * RADIUS), report.steps))
}

/// Root mean square over drops whose impacts are spread over a step of `dt` \[s\].
fn spread_error(scheme: Scheme, dt: f64) -> Result<(f64, u64), PageError> {
    let speed = (2.0 * 9.81 * DROP).sqrt();
    let (mut sum, mut steps) = (0.0, 0);
    for i in 0..PHASES {
        let (e, n) = energy_error(scheme, DROP + speed * dt * i as f64 / PHASES as f64)?;
        sum += e * e / PHASES as f64;
        steps = n;
    }
    Ok((sum.sqrt(), steps))
}

/// Least-squares slope of log y against log x.
pub(crate) fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = points.iter().fold((0.0, 0.0), |(a, b), p| (a + p.0.ln() / n, b + p.1.ln() / n));
    let (num, den) = points
        .iter()
        .fold((0.0, 0.0), |(a, b), p| (a + (p.0.ln() - mx) * (p.1.ln() - my), b + (p.0.ln() - mx).powi(2)));
    num / den
}

impl Page for Fig08 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig08"
    }
    fn title(&self) -> &'static str {
        "Energy of an elastic ball: step doubling and the trapezoid rule"
    }
    fn lead(&self) -> &'static str {
        "An elastic ball bounces without losses, and the energy error of step doubling and of the trapezoid rule is measured over the time step."
    }
    fn cost(&self) -> [f64; 3] {
        [2.8, 2.8, 3.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut plot = Plot::new(
            "energy",
            "Relative energy error at t = 1 s over the time step. Runs under error control are drawn at their mean time step, and the trapezoid \
             rule by the root mean square over 16 drops.",
            "time step [s]",
            "relative energy error [–]",
        )
        .log(true, true);
        let mut table = Table::new(
            "Relative energy error at t = 1 s",
            &["scheme", "setting", "steps", "this project", "Drake 1.51.1"],
        );
        let (mut fixed, mut adaptive, mut second, mut controlled) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut worse: f64 = 0.0;
        let finest = if ctx.full() { 4 } else { 3 };
        let mut add = |scheme: &str, setting: String, (e, n): (f64, u64), drake: Option<f64>| {
            table.row([
                scheme.into(),
                setting,
                n.to_string(),
                format!("{e:.3e}"),
                drake.map_or(String::new(), |d| d.to_string()),
            ]);
        };
        for (dt, drake) in DRAKE_FIXED {
            ctx.say(format!("fixed step {dt:e} s"));
            let (e, n) = energy_error(Scheme::Fixed(dt), DROP)?;
            add("ICF, fixed steps", format!("{dt:e} s"), (e, n), Some(drake));
            worse = worse.max(e / drake);
            fixed.push((dt, e));
        }
        for (accuracy, drake) in &DRAKE_ADAPTIVE[..finest] {
            ctx.say(format!("accuracy {accuracy:e}"));
            let (e, n) = energy_error(Scheme::Doubling(*accuracy), DROP)?;
            add("step doubling", format!("accuracy {accuracy:e}"), (e, n), Some(*drake));
            adaptive.push((1.0 / n as f64, e));
        }
        for (dt, _) in DRAKE_FIXED {
            ctx.say(format!("trapezoid rule, {dt:e} s"));
            let (e, n) = spread_error(Scheme::TrapezoidFixed(dt), dt)?;
            add("trapezoid rule, fixed steps", format!("{dt:e} s"), (e, n), None);
            second.push((dt, e));
        }
        for (accuracy, _) in &DRAKE_ADAPTIVE[..finest] {
            ctx.say(format!("trapezoid rule, accuracy {accuracy:e}"));
            // The step near the impact is not known: spread over a millisecond.
            let (e, n) = spread_error(Scheme::Trapezoid(*accuracy), 1e-3)?;
            add("trapezoid rule, error control", format!("accuracy {accuracy:e}"), (e, n), None);
            controlled.push((1.0 / n as f64, e));
        }
        let orders = [&fixed[1..], &adaptive, &second, &controlled].map(slope);
        let line = |p: &[(f64, f64)], order: i32| {
            let (h, e) = p[p.len() - 1];
            p.iter().map(|x| (x.0, e * (x.0 / h).powi(order))).collect::<Vec<_>>()
        };
        // First, as larger points below ours.
        plot.add("Drake 1.51.1, fixed steps", Mark::Points, DRAKE_FIXED.to_vec());
        plot.add("ICF, fixed steps", Mark::LinePoints, fixed.clone());
        plot.add("step doubling", Mark::LinePoints, adaptive.clone());
        plot.add("trapezoid, fixed steps", Mark::LinePoints, second.clone());
        plot.add("trapezoid, error control", Mark::LinePoints, controlled.clone());
        plot.add_colored("O(h) of the paper", Mark::Dashed, 6, line(&fixed, 1));
        plot.add_colored("O(h²) of the paper", Mark::Dashed, 7, line(&second, 2));
        let mut out = PageOutput::new([
            "The ball has a mass of 1 kg, a radius of 0.05 m, a stiffness of k = 1e4 N/m and no dissipation (d = 0). It is dropped from 1 m above \
             contact. The total energy includes the elastic energy ½ k φ². All runs have the settings of the paper (paper mode).",
            "The trapezoid rule is an alternative to step doubling that the paper compares with. It takes an explicit half step with the forces at \
             the start, and then an implicit half step (see the page of the paper).",
            "The error of the trapezoid rule changes its sign with the position of the impact within a time step, so that a single drop says \
             little. The plot shows the root mean square over 16 drops whose impacts are spread over a time step.",
        ]);
        out.plot(plot);
        out.extend([
            Claim::between(
                "order",
                "energy error of ICF with fixed time steps is O(h): slope in the logarithmic plot",
                [0.85, 1.15],
                orders[0],
                "",
            )
            .rule("in 0.85 … 1.15. The scheme is of first order."),
            Claim::between(
                "step_doubling",
                "energy error of step doubling is O(h) in its mean time step: slope in the logarithmic plot",
                [0.8, 1.2],
                orders[1],
                "",
            )
            .rule("in 0.8 … 1.2. The scheme is of first order, and mean time steps scatter.")
            .published("slope 1: O(h)"),
            Claim::between(
                "trapezoid",
                "energy error of the trapezoid rule with fixed time steps is O(h²): slope in the logarithmic plot",
                [1.8, 2.2],
                orders[2],
                "",
            )
            .rule("in 1.8 … 2.2. The rule is of second order.")
            .published("slope 2: O(h²)"),
            Claim::at_most(
                "drake",
                "largest ratio of the error of ICF with fixed time steps to that of Drake at an equal time step",
                1.15,
                worse,
                "",
            )
            .required_since("The numbers of Drake were measured for this project and are not of the paper."),
        ]);
        out.table(table);
        Ok(out)
    }
}
