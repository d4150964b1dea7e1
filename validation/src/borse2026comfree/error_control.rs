use signorini_core::{NoObserver, State};
use signorini_laws::{DualCone, Gains};
use signorini_scene::{LoadOptions, Scene};

use crate::engine::{Engine, PHYSICAL};
use crate::kurtz2025cenic::slope;
use crate::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// ComFree under error control: with physical gains halving the step does not change the law.
pub(super) struct ErrorControl;

const TIME: f64 = 0.3;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// A ball that falls on a plane by 3 cm while it moves and spins.
fn scene() -> Result<Scene, PageError> {
    let text = "<mujoco model=\"ball\"><worldbody><geom type=\"plane\" size=\"5 5 .1\"/>\
        <body pos=\"0 0 .08\"><freejoint/><geom type=\"sphere\" size=\".05\" friction=\".3\"/></body></worldbody></mujoco>";
    Scene::from_mjcf(text, "ball.xml", &LoadOptions::default()).map_err(failed)
}

/// The state at the end, and accepted and rejected steps.
fn run(scene: &Scene, engine: &Engine) -> Result<(State, u64), PageError> {
    let mut sys = engine.system(scene).map_err(failed)?;
    let mut x = sys.initial_state(None).map_err(failed)?;
    x.v.copy_from_slice(&[0.5, 0.1, 0.0, 2.0, -3.0, 5.0]);
    let mut integrator = engine.integrator().map_err(failed)?;
    let report = integrator.advance(&mut sys, &mut x, TIME, &mut NoObserver).map_err(failed)?;
    Ok((x, report.steps + report.rejected))
}

fn distance(a: &State, b: &State) -> f64 {
    a.q[..3].iter().zip(&b.q).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

impl Page for ErrorControl {
    fn id(&self) -> &'static str {
        "borse2026comfree/error_control"
    }
    fn title(&self) -> &'static str {
        "Physical gains under error control"
    }
    fn cost(&self) -> (f64, f64) {
        (3.0, 10.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let scene = scene()?;
        let law = |gains| DualCone { gains, ..DualCone::default() };
        let laws = [
            ("physical", "physical gains, κ = 1000/s², c = 20/s", law(PHYSICAL)),
            ("per_step", "gains per step, k = 0.2/s, d = 0.001", law(Gains::PerStep { k: 0.2, d: 0.001 })),
        ];
        let mut steps_plot = Plot::new(
            "steps",
            "Distance at the end from the run with the smallest step.",
            "step [s]",
            "distance [m]",
        )
        .log(true, true);
        let mut plot = Plot::new(
            "accuracy",
            "Distance at the end from physical gains with a step of 1 µs, under error control.",
            "accuracy [m]",
            "distance [m]",
        )
        .log(true, true);
        let mut table =
            Table::new("Error control", &["gains", "accuracy", "steps", "distance from the reference [m]"]);
        let fixed = |dual_cone, dt| Engine { dual_cone: Some(dual_cone), sweeps: 1, ..Engine::comfree(dt) };
        let (reference, _) = run(&scene, &fixed(laws[0].2, if ctx.full() { 1e-7 } else { 1e-6 }))?;
        let mut claims = Vec::new();
        for (id, name, law) in laws {
            let finest = run(&scene, &fixed(law, 2e-6))?.0;
            let mut points = Vec::new();
            for dt in [4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5] {
                ctx.say(format!("{name}, {dt:e} s"));
                let x = run(&scene, &fixed(law, dt))?.0;
                points.push((dt, distance(&x, if id == "physical" { &reference } else { &finest })));
            }
            if id == "physical" {
                let order = slope(&points[2..]);
                let claim = format!("{name}: order of the distance in the step, 1 ms to 63 µs");
                claims.push(
                    Claim::at_least("order", &claim, 0.8, order, "")
                        .rule("at least 0.8: the step is of order one"),
                );
            }
            steps_plot.add(name, Mark::LinePoints, points);
            let mut errors = Vec::new();
            for accuracy in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
                ctx.say(format!("{name}, accuracy {accuracy:e}"));
                let engine = Engine {
                    law: "dual_cone".into(),
                    solver: "comfree".into(),
                    dual_cone: Some(law),
                    ..Engine::cenic(accuracy)
                };
                let (x, steps) = run(&scene, &engine)?;
                let error = distance(&x, &reference);
                table.row([name.into(), format!("{accuracy:e}"), steps.to_string(), format!("{error:.2e}")]);
                errors.push((accuracy, error));
            }
            if id == "physical" {
                let claim = format!("{name}: order of the distance in the accuracy");
                claims.push(Claim::at_least("accuracy", &claim, 0.4, slope(&errors), "").rule(
                    "at least 0.4: errors of a step of order one fall with the square root of its estimate",
                ));
            }
            plot.add(name, Mark::LinePoints, errors);
        }
        Ok(PageOutput {
            text: vec![format!(
                "A ball falls on a plane, slides and rolls; {TIME} s, one evaluation per step. Gains relative to the step, as published, make contact stiffer the smaller the step: runs at smaller steps tend to rigid contact, \
                 and two halves of a step obey another law than the whole. Physical gains are one compliance at all steps."
            )],
            plots: vec![steps_plot, plot],
            tables: vec![table],
            claims,
            ..PageOutput::default()
        })
    }
}
