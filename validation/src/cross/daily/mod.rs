use signorini_core::na::Vector3;
use signorini_multibody::{Dynamics, Kinematics, Model};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::trace::{Run, Trace};
use signorini_scene::{LoadOptions, Scene};

use super::failed;

mod lines;

/// Everyday motion: bounces, grips, dry joints and free flight, at every accuracy.
pub(super) struct Daily;

const GRAVITY: f64 = 9.81;
/// Stiction speed of scenes that state none \[m/s or rad/s\].
const STICTION: f64 = 1e-4;
const STIFFNESSES: [f64; 6] = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const ACCURACIES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];

impl Page for Daily {
    fn id(&self) -> &'static str {
        "cross/daily"
    }
    fn title(&self) -> &'static str {
        "Everyday motion: throws, bounces, springs, loops, grips, rolling, loads and free flight"
    }
    fn lead(&self) -> &'static str {
        "Fifteen small scenes are run by every method and compared with a reference, MuJoCo and Drake. Bounces, grips and flights are run at coarse and fine accuracies."
    }
    fn cost(&self) -> [f64; 3] {
        [2.0, 2.0, 2.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Each scene is one that users of such programs often try. The accuracy bounds the position error of one step. Steps are up to 0.1 s long.".to_owned(),
            "The table has one line per kind of motion. The scenes are the files of `validation/data/daily`, and every engine runs them as they are, without \
                other settings than its time step. Drake has its own contact parameters, because its reader takes none from the file. Implicit Euler \
                steps damp a spring: by the factor exp(−h ω² t/2) at fixed steps.".to_owned(),
            "Bounces: a ball of 1 kg and of a radius of 0.05 m falls 1 m on a plane. The contact has no dissipation. The height after the first impact follows from the energy that the ball leaves with. \
                The accuracy is 1e-3. Paper mode loses rebounds as published and must not gain height (papers/kurtz2025cenic/README.md, impacts).".to_owned(),
            format!("Grip: two fingers press on a block of 45 g with 20 N each, with the friction coefficient 0.7. Regularised friction creeps at v_s r/√(1 − r²) with the load r relative to its bound and v_s = {STICTION:e} m/s."),
            "Dry joint: an arm of 4 kg and of a length of 0.5 m is held level by the dry friction of its hinge, which is 12 N·m.".to_owned(),
            "Free flight: a box of 0.1 m × 0.2 m × 0.3 m tumbles for 20 s without gravity.".to_owned(),
        ]);
        lines::table(ctx, &mut out)?;
        bounces(ctx, &mut out)?;
        holds(ctx, &mut out)?;
        flights(ctx, &mut out)?;
        Ok(out)
    }
}

fn scene(text: &str) -> Result<Scene, PageError> {
    Scene::from_mjcf(text, "daily.xml", &LoadOptions::default()).map_err(failed)
}

/// Height of the first rebound \[m\] of a ball that falls 1 m on a contact of `k` \[N/m\].
fn rebound(method: &Method, k: f64) -> Result<f64, PageError> {
    // Two surfaces in series.
    let text = format!(
        "<mujoco><custom><text name='signorini:default' data='stiffness={} dissipation=0'/></custom><worldbody><geom type='plane' size='5 5 1'/>\
         <body pos='0 0 1.05'><freejoint/><geom type='sphere' size='.05' mass='1'/></body></worldbody></mujoco>",
        2.0 * k
    );
    let fall = (2.0 / GRAVITY).sqrt();
    let trace = Run::new(&scene(&text)?, method, 1.1 * fall + 6.4 / k.sqrt()).trace(|_, _| {})?;
    let last = trace.len() - 1;
    Ok(trace.q[last][2] - 0.05 + trace.v[last][2].powi(2) / (2.0 * GRAVITY))
}

fn bounces(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let mut plot = Plot::new(
        "rebound",
        "Height of the first rebound from a contact without dissipation, over the stiffness of the contact. The exact height is 1 m.",
        "stiffness [N/m]",
        "height [m]",
    )
    .log(true, false);
    plot.y_range = Some([-0.05, 1.1]);
    out.heading("Bounces");
    let mut modes = [Vec::new(), Vec::new()];
    for k in STIFFNESSES {
        ctx.say(format!("rebound at {k:e} N/m"));
        for (points, method) in
            modes.iter_mut().zip([Method::cenic(1e-3), Method::cenic(1e-3).in_paper_mode()?])
        {
            points.push((k, rebound(&method, k)?));
        }
    }
    for (name, points) in ["error control, 1e-3", "paper mode, 1e-3"].iter().zip(&modes) {
        plot.add(name, Mark::LinePoints, points.clone());
    }
    plot.add_closed_form(STIFFNESSES.map(|k| (k, 1.0)).to_vec());
    out.plot(plot);
    let [own, paper] = modes.map(|points| points.into_iter().map(|p| p.1).collect::<Vec<f64>>());
    let [low, high] = [
        own.iter().copied().fold(f64::INFINITY, f64::min),
        own.iter().chain(&paper).copied().fold(0.0, f64::max),
    ];
    out.claim(
        Claim::at_least("rebound", "lowest rebound over all stiffnesses, without dissipation", 0.9, low, "m")
            .required_since("a tenth below the height of the fall"),
    );
    out.claim(
        Claim::at_most("gain", "highest rebound over all stiffnesses and both modes", 1.07, high, "m")
            .required_since("the errors of 1e-3 of some steps within an impact add up to 7 %"),
    );
    Ok(())
}

/// A run from the first keyframe, where there is one.
fn run(scene: &Scene, method: &Method, time: f64) -> Result<Trace, PageError> {
    let start = scene.keyframes.first();
    let mut lost = None;
    let trace = Run::new(scene, method, time).trace(|sys, x| match sys.initial_state(start) {
        Ok(state) => *x = state,
        Err(e) => lost = Some(e),
    })?;
    lost.map_or(Ok(trace), |e| Err(failed(e)))
}

/// Change of coordinate `q` per second, from 1 s to 3 s.
fn creep(scene: &Scene, method: &Method, q: usize) -> Result<f64, PageError> {
    let trace = run(scene, method, 3.0)?;
    Ok((trace.q_at(3.0, q) - trace.q_at(1.0, q)).abs() / 2.0)
}

fn holds(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let finger = |name: &str, sign: f64| {
        format!(
            "<body pos='{} 0 0'><joint name='{name}' type='slide' axis='{sign} 0 0' damping='5'/><geom type='box' size='.01 .02 .02' mass='.1' friction='.7'/></body>",
            -0.03 * sign
        )
    };
    let grip = scene(&format!(
        "<mujoco><worldbody>{}{}<body><freejoint/><geom type='box' size='.02 .01 .01' mass='.045' friction='.7'/></body></worldbody>
         <actuator><motor joint='l'/><motor joint='r'/></actuator><keyframe><key ctrl='20 20' qpos='2.5e-5 2.5e-5 0 0 0 1 0 0 0'/></keyframe></mujoco>",
        finger("l", 1.0),
        finger("r", -1.0)
    ))?;
    let joint = scene(
        "<mujoco><worldbody><body><joint axis='0 1 0' frictionloss='12'/><geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='4'/></body></worldbody></mujoco>",
    )?;
    let allowed = |load: f64| 1e6 * STICTION * load / (1.0 - load * load).sqrt();
    let cases = [
        (
            "grip",
            "block between two fingers",
            &grip,
            4,
            allowed(0.045 * GRAVITY / (2.0 * 0.7 * 20.0)),
            "µm/s",
        ),
        ("joint", "arm on a dry joint", &joint, 0, allowed(4.0 * GRAVITY * 0.25 / 12.0), "µrad/s"),
    ];
    out.heading("Grips and dry joints");
    let mut table =
        Table::new("Creep", &["scene", "method", "creep", "speed of regularised friction", "unit"]);
    let ways = || {
        ACCURACIES
            .map(Method::cenic)
            .into_iter()
            .chain([Method::icf().with_step(2e-3), Method::comfree().with_step(2e-3)])
    };
    for (id, name, scene, q, bound, unit) in cases {
        let mut worst = 0.0f64;
        for method in ways() {
            ctx.say(format!("{name}, {}", method.describe()));
            let speed = 1e6 * creep(scene, &method, q)?;
            worst = worst.max(speed);
            table.row([
                name.to_owned(),
                method.describe(),
                format!("{speed:.3}"),
                format!("{bound:.3}"),
                unit.to_owned(),
            ]);
        }
        let text = format!("{name}: largest creep over all accuracies and steps");
        out.claim(
            Claim::at_most(&format!("creep/{id}"), &text, 1.1 * bound, worst, unit)
                .required_since("a tenth above the speed of regularised friction"),
        );
    }
    out.table(table);
    Ok(())
}

/// Kinetic energy \[J\] and angular momentum \[kg·m²/s\] of a row.
fn motion(model: &Model, trace: &Trace, row: usize) -> (f64, Vector3<f64>) {
    let mut kin = Kinematics::new(model);
    kin.set_positions(model, &trace.q[row], &[]);
    kin.set_velocities(model, &trace.v[row]);
    (Dynamics::kinetic_energy(model, &kin), Dynamics::momentum(model, &kin).angular)
}

fn flights(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let tumbling = scene(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom type='box' size='.05 .1 .15' mass='1'/></body></worldbody>
         <keyframe><key qvel='0 0 0 .5 4 .5'/></keyframe></mujoco>",
    )?;
    out.heading("Free flight");
    let mut largest = [0.0f64; 2];
    let ways =
        ACCURACIES.map(Method::cenic).into_iter().chain([2e-3, 5e-2].map(|h| Method::icf().with_step(h)));
    for method in ways {
        ctx.say(format!("flight, {}", method.describe()));
        let trace = run(&tumbling, &method, 20.0)?;
        let model = method.system(&tumbling).map_err(failed)?;
        let [a, b] = [0, trace.len() - 1].map(|row| motion(model.model(), &trace, row));
        largest[0] = largest[0].max((b.0 / a.0 - 1.0).abs());
        largest[1] = largest[1].max((b.1 - a.1).norm() / a.1.norm());
    }
    let text = "largest relative change over all accuracies and steps";
    out.claim(
        Claim::at_most(
            "flight/energy",
            &format!("kinetic energy of a tumbling box after 20 s: {text}"),
            1e-8,
            largest[0],
            "",
        )
        .required_since("far above the round-off of 10 000 steps and far below what an eye sees"),
    );
    out.claim(
        Claim::at_most(
            "flight/momentum",
            &format!("angular momentum of a tumbling box after 20 s: {text}"),
            1e-8,
            largest[1],
            "",
        )
        .required_since("as for the energy"),
    );
    Ok(())
}
