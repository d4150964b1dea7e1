use std::path::Path;

use cpu_time::ThreadTime;
use signorini_core::AdvanceReport;
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Page, PageError, PageOutput, Table};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene, SolParams};

use super::failed;
use super::tables::Deepest;
use crate::motion::{Filmed, Motion};

/// Fig. 11: three bunnies and Spot.
pub(super) struct Fig11;

/// Folder of the mesh of a bunny of 3 000 triangles, y up.
const BUNNY: &str = "meshes/bunny";
const SPOT: &str = "boston_dynamics_spot/spot.xml";
const BUNNIES: usize = 3;
/// Simulated time of Spot \[s\].
const SPOT_TIME: f64 = 3.0;
/// Depth from which on bodies count as passed through each other: a third of the thinnest extent of a bunny, and the radius of a foot \[m\].
const THROUGH: [f64; 2] = [0.04, 0.036];
const FILMED: f64 = 1e-3;

/// Three bunnies above each other over a floor, as fields or as triangle surfaces.
fn bunnies(models: &Path, fields: bool) -> Result<Scene, PageError> {
    let colors = ["0.2 0.45 0.7 1", "0.85 0.4 0.15 1", "0.4 0.7 0.3 1"];
    let bodies: String = (0..BUNNIES)
        .map(|i| {
            let (x, y, z) = (0.02 * i as f64 - 0.02, 0.015 * i as f64, 0.15 + 0.2 * i as f64);
            format!(
                "<body name='bunny{i}' pos='{x} {y} {z}'><freejoint/><geom name='bunny{i}' type='mesh' mesh='bunny' \
                 density='1000' friction='0.5' quat='1 1 0 0' rgba='{}'/></body>",
                colors[i]
            )
        })
        .collect();
    let surfaces: String = match fields {
        false => String::new(),
        true => (0..BUNNIES)
            .map(|i| format!("<text name='signorini:geom:bunny{i}' data='compliant_hydroelastic hydroelastic_modulus=1e7'/>"))
            .chain(["<text name='signorini:geom:floor' data='rigid_hydroelastic'/>".into()])
            .collect(),
    };
    let text = format!(
        "<mujoco model='bunnies'><custom><text name='signorini:default' data='stiffness=1e6 dissipation=50 stiction_speed=1e-4'/>{surfaces}</custom>
         <asset><mesh name='bunny' file='bunny_3k.obj'/></asset>
         <worldbody><geom name='floor' type='plane' size='2 2 0.1' friction='0.5'/>{bodies}</worldbody></mujoco>"
    );
    let options = LoadOptions { keep_mesh_surfaces: true, ..LoadOptions::default() };
    Scene::from_mjcf(&text, models.join(BUNNY).join("bunnies.xml"), &options).map_err(failed)
}

/// Spot over a floor, with the softness of Drake's default in place of that of the file.
fn spot(models: &Path) -> Result<Scene, PageError> {
    let path = models.join(SPOT);
    let text = std::fs::read_to_string(&path).map_err(|e| failed(format!("{}: {e}", path.display())))?;
    let floor = "<geom name='floor' type='plane' size='0 0 0.05'/></worldbody>";
    let text = text.replacen("</worldbody>", floor, 1);
    let mut scene = Scene::from_mjcf(&text, &path, &LoadOptions::default()).map_err(failed)?;
    for geom in &mut scene.geoms {
        let s = &mut geom.surface;
        (s.stiffness, s.dissipation) = (Some(1e6), Some(20.0));
        (s.friction, s.sol) = (0.8, SolParams::default());
    }
    Ok(scene)
}

/// A run, its deepest overlap \[m\], the wall time \[s\], and the largest speed at the end \[m/s, rad/s\].
struct Ran {
    report: AdvanceReport,
    deepest: f64,
    cpu_s: f64,
    speed: f64,
}

fn run(scene: &Scene, method: &Method, time: f64, motion: Option<&mut Motion>) -> Result<Ran, PageError> {
    let mut sys = method.system(scene).map_err(failed)?;
    let mut x = sys.initial_state(scene.keyframes.first()).map_err(failed)?;
    let mut deepest = Deepest::default();
    let mut integrator = method.integrator().map_err(failed)?;
    let mut observer = Filmed { observer: &mut deepest, motion };
    let (start, end) = (ThreadTime::now(), x.t + time);
    let report = integrator.advance(&mut sys, &mut x, end, &mut observer).map_err(failed)?;
    let cpu_s = start.elapsed().as_secs_f64();
    let speed = x.v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    Ok(Ran { report, deepest: -deepest.0, cpu_s, speed })
}

/// Methods: key, text, method.
fn methods() -> Vec<(String, String, Method)> {
    let by_accuracy =
        [1e-1, 1e-2, 1e-3].map(|a| (format!("{a:e}"), format!("accuracy {a:e}"), Method::cenic(a)));
    let by_step = [10.0, 1.0]
        .map(|ms: f64| (format!("{ms}ms"), format!("steps of {ms} ms"), Method::icf().with_step(1e-3 * ms)));
    by_accuracy.into_iter().chain(by_step).collect()
}

impl Page for Fig11 {
    fn id(&self) -> &'static str {
        "kurtz2025cenic/fig11"
    }
    fn title(&self) -> &'static str {
        "Three bunnies and Spot"
    }
    fn lead(&self) -> &'static str {
        "Three bunnies fall on each other, as pressure fields and as triangle surfaces, and a quadruped stands. Error control is compared with steps of 1 and 10 ms."
    }
    fn cost(&self) -> [f64; 3] {
        [12.0, 60.0, 60.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let time = ctx.sized([1.0, 10.0, 10.0]);
        let mut out = PageOutput::new([
            &format!(
                "The bunnies have 3 000 triangles, a density of 1000 kg/m³ and a friction coefficient of 0.5, and fall on a floor from 0.15, 0.35 and 0.55 m for {time} s \
                 (10 s in the paper). As fields they have a modulus of 1e7 Pa over a rigid floor, as surfaces the stiffness 1e6 N/m; the dissipation is 50 s/m. Start and \
                 material of the paper are not public. Spot has the file's position servos and stands for {SPOT_TIME} s with Drake's default stiffness of 1e6 N/m."
            ),
            "The paper has MuJoCo with 7613 iterations and a penetration of 31 mm on Spot at 1 ms, and CENIC at a fixed step of 1 ms with 9056 iterations and 6.4 mm. \
             Real-time rates are by processor time.",
        ]);
        let mut table = Table::new(
            "Runs by scene and method",
            &[
                "scene",
                "method",
                "accepted steps",
                "rejected",
                "Newton iterations",
                "real-time rate",
                "deepest overlap [mm]",
                "largest speed at the end [m/s, rad/s]",
            ],
        );
        let (mut films, mut claims) = (Vec::new(), Vec::new());
        let scenes = [("fields", "bunnies as fields"), ("surfaces", "bunnies as surfaces"), ("spot", "Spot")];
        for (id, name) in scenes {
            let file = if id == "spot" { SPOT.to_owned() } else { format!("{BUNNY}/bunny_3k.obj") };
            let models = ctx.models.as_ref().filter(|m| m.join(&file).is_file());
            let scene = match (id, models) {
                ("spot", Some(models)) => Some(spot(models)?),
                (_, Some(models)) => Some(bunnies(models, id == "fields")?),
                _ => None,
            };
            let (time, through) = if id == "spot" { (SPOT_TIME, THROUGH[1]) } else { (time, THROUGH[0]) };
            for (key, method_name, method) in methods() {
                let text =
                    format!("{name}, {method_name}: nothing passes (deepest overlap of an accepted step)");
                let claim = format!("{id}/through/{key}");
                let Some(scene) = &scene else {
                    claims.push(Claim::skipped(
                        &claim,
                        &text,
                        &format!("{file} is absent (set SIGNORINI_MODELS)"),
                    ));
                    continue;
                };
                ctx.say(format!("{name}, {method_name}"));
                let filmed = method.controller().is_some_and(|c| c.accuracy == FILMED);
                let mut motion = filmed.then(|| Motion::of_keyframe(scene, &method, time)).transpose()?;
                let ran = run(scene, &method, time, motion.as_mut())?;
                films.extend(motion.map(|m| (id, name, m)));
                table.row([
                    name.to_owned(),
                    method_name,
                    ran.report.steps.to_string(),
                    ran.report.rejected.to_string(),
                    ran.report.iterations.to_string(),
                    format!("{:.2}", time / ran.cpu_s),
                    format!("{:.2}", 1e3 * ran.deepest),
                    number(ran.speed),
                ]);
                claims.push(Claim::at_most(&claim, &text, through, ran.deepest, "m").required_since(
                    if id == "spot" {
                        "the radius of a foot"
                    } else {
                        "a third of the thinnest extent of a bunny"
                    },
                ));
            }
        }
        for (id, name, film) in films {
            out.film(film.attachment(id), format!("{name}, accuracy {FILMED:e}"));
        }
        if !table.rows.is_empty() {
            out.table(table);
        }
        claims.into_iter().for_each(|c| out.claim(c));
        Ok(out)
    }
}
