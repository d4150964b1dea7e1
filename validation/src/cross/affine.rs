use signorini_scene::{Keyframe, LoadOptions, Scene};

use super::{bolt, failed, run};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::Recording;

/// Affine bodies under incremental potential contact beside generalised coordinates under ICF.
pub(super) struct Affine;

/// Accuracy of the runs in generalised coordinates that others are compared with.
const FINE: f64 = 1e-7;
const G: f64 = 9.81;
/// Friction and first speed of the sliding box \[m/s\].
const SLIDE: (f64, f64) = (0.4, 1.0);
/// Feet begin above the floor by this \[m\].
const LIFT: f64 = 5e-3;

const PENDULUM: &str = r#"<mujoco><worldbody>
    <body name="upper" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom type="box" size=".1 .02 .02" pos=".1 0 0" mass="1"/>
        <body name="lower" pos=".2 0 0"><joint name="elbow" axis="0 1 0" damping=".01"/><geom type="box" size=".1 .02 .02" pos=".1 0 0" mass=".5"/></body></body>
    </worldbody></mujoco>"#;

fn scene(text: &str) -> Result<Scene, PageError> {
    Scene::from_mjcf(text, "scene.xml", &LoadOptions::default()).map_err(failed)
}

/// Positions at the end.
fn last<'a>(scene: &Scene, r: &'a Recording) -> &'a [f64] {
    &r.q[r.q.len() - scene.nq()..]
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

impl Page for Affine {
    fn id(&self) -> &'static str {
        "cross/affine"
    }
    fn title(&self) -> &'static str {
        "Affine bodies and generalised coordinates"
    }
    fn lead(&self) -> &'static str {
        "A double pendulum, a sliding box, a bolt in its nut and a quadruped are simulated in affine and in generalised coordinates, and their motions are compared."
    }
    fn cost(&self) -> [f64; 3] {
        [1.3, 1.3, 10.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([format!(
            "Each scene is simulated in two ways. The first has affine bodies under incremental potential contact (`ipc`) with implicit \
                Euler steps. The second has generalised coordinates under the convex contact method ICF with error control. The accuracy is \
                {FINE:e} for the double pendulum, 1e-5 for the sliding box and 1e-4 for the quadruped; the bolt has equal steps of 1 ms in both."
        )]);
        out.heading("Double pendulum");
        out.prose(
            "The pendulum has two links of 0.2 m with 1 and 0.5 kg. The elbow has a damping of 0.01 N·m·s/rad. The links are released from the \
             horizontal position, and the run lasts 0.5 s.",
        );
        pendulum(ctx, &mut out)?;
        out.heading("Sliding box");
        out.prose(format!("A box of 1 kg and 0.1 m with the friction coefficient μ = {} starts at {} m/s and slides to rest.", SLIDE.0, SLIDE.1));
        slide(ctx, &mut out)?;
        out.heading("Bolt in its nut");
        out.prose(
            "The bolt and the nut of chen2022midas/units are triangle surfaces without friction. The bolt falls by the play of the thread, and then \
             turns down the fixed nut by its own weight.",
        );
        bolt::bolt(ctx, &mut out)?;
        out.heading("Quadruped");
        out.prose(format!(
            "The quadruped (models/quadruped) drops by {} mm onto its feet and is held by its servos. The run lasts 1 s, and the time step of `ipc` \
             is 2 ms.",
            1e3 * LIFT
        ));
        quadruped(ctx, &mut out)?;
        Ok(out)
    }
}

fn pendulum(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let (scene, key, end) = (scene(PENDULUM)?, Keyframe::default(), 0.5);
    ctx.say("double pendulum");
    let fine = run(&scene, &Method::cenic(FINE), &key, end)?;
    let mut plot = Plot::new(
        "pendulum",
        "Double pendulum without contact: largest difference of a joint angle at 0.5 s between affine bodies and generalised coordinates, over the \
         time step.",
        "time step [s]",
        "difference of a joint angle [rad]",
    )
    .log(true, true);
    let mut errors = Vec::new();
    for n in 0..5 {
        let dt = 8e-3 / f64::from(1 << n);
        let r = run(&scene, &Method::ipc().with_step(dt), &key, end)?;
        errors.push((dt, apart(last(&scene, &r), last(&scene, &fine))));
    }
    let order = (errors[3].1 / errors[4].1).log2();
    plot.add("ipc, implicit Euler", Mark::LinePoints, errors.clone());
    plot.add(
        "order 1",
        Mark::Dashed,
        errors.iter().map(|(h, _)| (*h, errors[4].1 * h / errors[4].0)).collect(),
    );
    out.plot(plot);
    out.claim(
        Claim::between(
            "pendulum/order",
            "double pendulum: convergence order of the difference between ipc and generalised coordinates, from the two smallest time steps",
            [0.85, 1.15],
            order,
            "",
        )
        .rule("one within 0.15, the order of implicit Euler steps"),
    );
    Ok(())
}

fn slide(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let (mu, speed) = SLIDE;
    let surface = format!("friction='{mu} .005 .0001'");
    let scene = scene(&format!(
        "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1' {surface}/><body name='box' pos='0 0 .051'><freejoint/>\
         <geom type='box' size='.05 .05 .05' mass='1' {surface}/></body></worldbody></mujoco>"
    ))?;
    ctx.say("sliding box");
    // At rest first, each on its own contact; then it is pushed.
    let way = |method: &Method| -> Result<f64, PageError> {
        let rest = run(&scene, method, &Keyframe::default(), 0.5)?;
        let q = last(&scene, &rest).to_vec();
        let start = q[0];
        let key = Keyframe { q, v: vec![speed, 0.0, 0.0, 0.0, 0.0, 0.0], ..Keyframe::default() };
        Ok(last(&scene, &run(&scene, method, &key, 0.6)?)[0] - start)
    };
    let coulomb = speed * speed / (2.0 * mu * G);
    let mut table =
        Table::new("Sliding distance of the box", &["method", "distance [m]", "distance over v²/(2 μ g)"]);
    for (key, method) in [("ipc", Method::ipc().with_step(1e-3)), ("icf", Method::cenic(1e-5))] {
        let found = way(&method)?;
        table.row([method.describe(), format!("{found:.5}"), format!("{:.4}", found / coulomb)]);
        out.claim(
            Claim::relative(
                &format!("slide/{key}"),
                &format!("{key}: sliding distance of the box until it stops, with Coulomb friction"),
                coulomb,
                found,
                0.01,
                "m",
            )
            .rule(
                "within 1 %. Half a time step of 1 ms at 1 m/s is 0.4 %, and the creep at ε_v = 1 mm/s over 0.35 s is 0.3 %.",
            ),
        );
    }
    out.table(table);
    Ok(())
}

fn quadruped(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let path = ctx.root.join("models/quadruped/quadruped.xml");
    let ids = [
        ("height", "quadruped: difference of the trunk heights of ipc and icf after 1 s"),
        ("joints", "quadruped: largest difference of a joint position between ipc and icf after 1 s"),
    ];
    if !path.exists() {
        let why = "the folder models/quadruped does not exist";
        out.extend(ids.map(|(id, text)| Claim::skipped(&format!("quadruped/{id}"), text, why)));
        return Ok(());
    }
    ctx.say("quadruped");
    let scene = Scene::load(&path, &LoadOptions::default()).map_err(failed)?;
    let home = scene.keyframe("home").ok_or_else(|| failed("the quadruped has no keyframe 'home'"))?;
    let mut key = home.clone();
    key.q[2] += LIFT;
    let ipc = run(&scene, &Method::ipc().with_step(2e-3), &key, 1.0)?;
    let icf = run(&scene, &Method::cenic(1e-4), &key, 1.0)?;
    let mut plot = Plot::new(
        "quadruped",
        "Height of the quadruped's trunk relative to its start, with affine bodies (ipc) and generalised coordinates (icf).",
        "time [s]",
        "height [mm]",
    );
    for (name, r) in [("ipc", &ipc), ("icf", &icf)] {
        let height = r.t.iter().zip(r.q.chunks_exact(scene.nq())).map(|(t, q)| (*t, 1e3 * (q[2] - key.q[2])));
        plot.add(name, Mark::Line, height.collect());
    }
    out.plot(plot);
    let (a, b) = (last(&scene, &ipc), last(&scene, &icf));
    let [height, joints] = ids;
    out.claim(
        Claim::at_most("quadruped/height", height.1, 3.0, 1e3 * (a[2] - b[2]).abs(), "mm")
            .rule("at most 3 mm. This covers the barrier range d̂ of 1 mm, the penetration depth under ICF (below 1 mm), and the compliance of the \
                servos."),
    );
    out.claim(
        Claim::at_most("quadruped/joints", joints.1, 5e-3, apart(&a[7..], &b[7..]), "rad")
            .rule("at most 0.005, the barrier range d̂ of 1 mm over a leg of 0.2 m. Friction holds the feet where they land, so that differences of \
                the landing remain."),
    );
    Ok(())
}
