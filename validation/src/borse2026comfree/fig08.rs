use std::path::Path;
use std::time::Instant;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::{BatchStepper, LaneStatus};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

use super::records;
use crate::random::Random;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 8: steps per second of many worlds in which a hand holds a cube.
pub(super) struct Fig08;

type MakeMethod = fn() -> Method;

const STEP: f64 = 2e-3;
/// Steps with the same control.
const HOLD: u32 = 50;
/// Half the range of the random angles \[rad\].
const ANGLE: f64 = 0.5;

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

/// Sixteen joints and a cube of 7 cm and 0.343 kg, μ = 0.5, that falls on the palm.
fn scene(folder: &Path) -> Result<Scene, PageError> {
    let text = "<mujoco model=\"allegro cube\"><include file=\"right_hand.xml\"/><option timestep=\"0.002\"/>\
         <worldbody><geom name=\"floor\" pos=\"0 0 -.1\" size=\"0 0 .05\" type=\"plane\"/>\
         <body name=\"cube\" pos=\"0 0 .1\"><freejoint/>\
         <geom type=\"box\" size=\".035 .035 .035\" mass=\".343\" friction=\".5 .005 .0001\"/></body>\
         </worldbody></mujoco>";
    Scene::from_mjcf(text, folder.join("cube.xml"), &LoadOptions::default()).map_err(failed)
}

struct Outcome {
    rate: f64,
    frozen: usize,
    held: f64,
}

/// Steps per second, worlds frozen by an error, and share of the worlds whose cube is still above the palm.
fn throughput(scene: &Scene, recipe: Method, lanes: usize, steps: u32) -> Result<Outcome, PageError> {
    let mut batch = CpuBatch::new(scene, lanes, recipe, BatchOptions::default()).map_err(failed)?;
    let nu = batch.layout().nu;
    let mut random = Random::new(2);
    let started = Instant::now();
    for _ in 0..steps / HOLD {
        let control: Vec<f64> = (0..nu * lanes).map(|_| ANGLE * (2.0 * random.uniform() - 1.0)).collect();
        batch.step(&control, STEP, HOLD, &[]).map_err(failed)?;
    }
    let wall = started.elapsed().as_secs_f64();
    let (mut frozen, mut held) = (0, 0);
    for lane in 0..lanes {
        frozen += usize::from(!matches!(batch.status(lane), Some(LaneStatus::Running)));
        let q = &batch.state(lane).map_err(failed)?.q;
        held += usize::from(q[q.len() - 5] > 0.0);
    }
    let steps = f64::from(steps / HOLD * HOLD);
    Ok(Outcome { rate: lanes as f64 * steps / wall, frozen, held: held as f64 / lanes as f64 })
}

impl Page for Fig08 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig08"
    }
    fn title(&self) -> &'static str {
        "Throughput: a hand and a cube in many worlds"
    }
    fn lead(&self) -> &'static str {
        "A hand and a cube run in many worlds at once: steps per second by the number of worlds."
    }
    fn cost(&self) -> [f64; 3] {
        [4.0, 4.0, 300.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let file = "allegro_hand/right_hand.xml";
        let folder = ctx.models.as_ref().map(|m| m.join("allegro_hand"));
        let mut out = match folder.filter(|f| f.join("right_hand.xml").is_file()) {
            Some(folder) => worlds(&folder, ctx)?,
            None => {
                let why = format!("{file} is absent (set SIGNORINI_MODELS)");
                let mut out = PageOutput::default();
                out.claim(Claim::skipped("frozen", "worlds frozen by an error", &why));
                out
            }
        };
        records::curve(&ctx.root, &mut out)?;
        records::beside_mujoco(&ctx.root, &mut out)?;
        Ok(out)
    }
}

/// Many worlds with the hand in this folder, stepped now.
fn worlds(folder: &Path, ctx: &Context) -> Result<PageOutput, PageError> {
    let scene = scene(folder)?;
    let (sizes, steps): (&[usize], u32) =
        if ctx.full() { (&[256, 512, 1024, 2048, 4096], 500) } else { (&[16, 64], 100) };
    let recipes: [(&str, MakeMethod); 4] = [
        ("comfree, paper's law", || Method::comfree_paper(0.1, 0.001)),
        ("comfree, 1 evaluation", || Method::comfree_sweeping(1)),
        ("comfree", Method::comfree),
        ("icf", Method::icf),
    ];
    let mut plot = Plot::new(
        "throughput",
        "Steps of one world per second, all threads.",
        "worlds",
        "10³ steps per second",
    )
    .log(true, false);
    let mut table = Table::new(
        "Steps of one world per second",
        &["worlds", "method", "steps per second", "cube still in the hand [%]", "frozen"],
    );
    let mut frozen = 0;
    for (name, recipe) in recipes {
        let mut points = Vec::new();
        for &lanes in sizes {
            ctx.say(format!("{lanes} worlds, {name}"));
            let o = throughput(&scene, recipe(), lanes, steps)?;
            frozen += o.frozen;
            let cells = [format!("{:.0}", o.rate), format!("{:.0}", 100.0 * o.held), o.frozen.to_string()];
            table.row([vec![lanes.to_string(), name.to_owned()], cells.to_vec()].concat());
            points.push((lanes as f64, 1e-3 * o.rate));
        }
        plot.add(name, Mark::LinePoints, points);
    }
    let points = plot.series.iter().flat_map(|s| &s.points);
    plot.y_range = Some([0.0, 1.7 * points.map(|p| p.1).fold(0.0, f64::max)]);
    let text = format!("worlds frozen by an error in {steps} steps, all sizes and engines");
    let mut out = PageOutput::new([format!(
        "Allegro hand with sixteen position motors and a cube of 7 cm; every {HOLD} steps each world draws new angles within ±{ANGLE} rad. The paper steps 256 to 4096 worlds on a \
         device; here the threads of this processor. The cube starts above the palm: the authors' start keyframe is not public. MuJoCo beside ours, in one run that was recorded: below. There all worlds have the same \
         angles, drawn once for all."
    )]);
    out.plot(plot);
    out.claim(Claim::at_most("frozen", &text, 0.0, frozen as f64, "worlds"));
    out.table(table);
    Ok(out)
}
