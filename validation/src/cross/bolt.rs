use std::f64::consts::TAU;
use std::fmt::Write;
use std::time::Instant;

use signorini_geometry::TriangleMesh;
use signorini_ipc::IpcOptions;
use signorini_report::{Claim, Context, Mark, PageError, PageOutput, Plot};
use signorini_run::{Ipc, Method, Recording};
use signorini_scene::{Keyframe, LoadOptions, Scene};

use super::{failed, run};
use crate::chen2022midas::thread::{DENSITY, PITCH, PLAY, RANGE, meshes};

const G: f64 = 9.81;
const STEP: f64 = 1e-3;

fn asset(name: &str, mesh: &TriangleMesh) -> String {
    let mut text = format!("<mesh name='{name}' inertia='exact' vertex='");
    mesh.vertices().iter().for_each(|p| write!(text, "{} {} {} ", p.x, p.y, p.z).unwrap_or_default());
    text.push_str("' face='");
    mesh.triangles().iter().for_each(|[a, b, c]| write!(text, "{a} {b} {c} ").unwrap_or_default());
    text + "'/>"
}

/// The bolt of chen2022midas/units two turns deep in its fixed nut, without friction.
fn scene() -> Result<Scene, PageError> {
    let [nut, bolt] = meshes()?;
    let text = format!(
        "<mujoco><option gravity='0 0 {}'/><asset>{}{}</asset><default><geom type='mesh' density='{DENSITY}' friction='0'/></default>
         <worldbody><geom mesh='nut'/><body name='bolt' pos='0 0 {PITCH}'><freejoint/><geom mesh='bolt'/></body></worldbody></mujoco>",
        -G,
        asset("nut", &nut),
        asset("bolt", &bolt),
    );
    let options = LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() };
    Scene::from_mjcf(&text, "bolt.xml", &options).map_err(failed)
}

/// Turns and depth \[m\] of the bolt over time \[s\].
fn motion(r: &Recording) -> Vec<[f64; 3]> {
    let (mut angle, mut last) = (0.0, 0.0);
    (0..r.len())
        .map(|i| {
            let q = r.q_row(i);
            let now = 2.0 * q[6].atan2(q[3]);
            angle += (now - last + 0.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
            last = now;
            [r.t[i], -angle / TAU, r.q_row(0)[2] - q[2]]
        })
        .collect()
}

/// Depth of a bolt without friction \[m\]: it falls by the play, meets the flank without rebound, and turns on with (1 + κ) z̈ = g, κ = (2π/p)² I/m.
fn depth(scene: &Scene, t: f64) -> f64 {
    let mass = scene.bodies.iter().find_map(|b| b.mass);
    let kappa = mass.map_or(0.0, |m| (TAU / PITCH).powi(2) * m.inertia[(2, 2)] / m.mass);
    let met = (2.0 * PLAY / G).sqrt();
    let s = t - met;
    PLAY + (G * met * s + 0.5 * G * s * s) / (1.0 + kappa)
}

pub(super) fn bolt(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let end = if ctx.full() { 0.25 } else { 0.06 };
    let scene = scene()?;
    let options = IpcOptions { range: RANGE, ..IpcOptions::for_scene(&scene) };
    let ipc = Method::Ipc(Ipc { options: Some(options), ..Ipc::default() });
    let mut plot = Plot::new(
        "bolt",
        "Bolt that turns down a nut by its own weight: depth over time with affine bodies (ipc) and triangle surfaces (icf), time steps of 1 ms.",
        "time [s]",
        "depth [mm]",
    );
    let mut walls = Vec::new();
    for (name, method) in [("ipc", ipc), ("icf", Method::icf())] {
        ctx.say(format!("bolt in nut, {name}"));
        let start = Instant::now();
        let r = run(&scene, &method.with_step(STEP), &Keyframe::default(), end)?;
        walls.push(start.elapsed().as_secs_f64());
        let path = motion(&r);
        plot.add(name, Mark::Line, path.iter().map(|[t, _, z]| (*t, 1e3 * z)).collect());
        let off = path.iter().map(|[_, turns, z]| (z - PITCH * turns).abs()).fold(0.0, f64::max);
        out.claim(
            Claim::at_most(
                &format!("bolt/{name}/pitch"),
                &format!(
                    "{name}: largest difference between the displacement of the bolt and pitch times turns"
                ),
                1e3 * PLAY,
                1e3 * off,
                "mm",
            )
            .rule("at most the play of the thread along its axis"),
        );
        let [t, turns, _] = path[path.len() - 1];
        let right = (depth(&scene, t) - PLAY) / PITCH;
        out.claim(
            Claim::relative(
                &format!("bolt/{name}/turns"),
                &format!("{name}: turns of the bolt at {t:.2} s"),
                right,
                turns,
                0.2,
                "",
            )
            .rule("within 20 % of a thread without friction: facets of 40 and 47 sides damp"),
        );
    }
    let times: Vec<(f64, f64)> =
        (0..=50).map(|i| end * f64::from(i) / 50.0).map(|t| (t, 1e3 * depth(&scene, t))).collect();
    let met = times.iter().copied().filter(|p| p.1 >= 1e3 * PLAY).collect();
    plot.add("without friction", Mark::Dashed, met);
    out.plot(plot);
    out.claim(
        Claim::at_most(
            "bolt/time",
            "bolt in its nut: computing time of icf over that of ipc",
            5.0,
            walls[1] / walls[0],
            "",
        )
        .required_since("a user who waits for one waits for the other")
        .timed(),
    );
    Ok(())
}
