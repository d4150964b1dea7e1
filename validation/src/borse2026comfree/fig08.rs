use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use signorini_batch::{BatchOptions, CpuBatch, Recipe};
use signorini_comfree::Sweeps;
use signorini_core::{BatchStepper, LaneStatus};
use signorini_laws::DualCone;
use signorini_scene::{LoadOptions, Scene};

use crate::random::Random;
use crate::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 8: steps per second of many worlds in which a hand holds a cube.
pub(super) struct Fig08;

type MakeRecipe = fn() -> Recipe;

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
fn throughput(scene: &Scene, recipe: Recipe, lanes: usize, steps: u32) -> Result<Outcome, PageError> {
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

/// What `benches/peers/throughput.py --curve` wrote.
#[derive(Deserialize)]
struct Recorded {
    cpu: String,
    cores: u32,
    threads: u32,
    date: String,
    load_average: f64,
    load_average_at_the_end: f64,
    rounds: u32,
    note: String,
    versions: BTreeMap<String, String>,
    rows: Vec<RecordedRow>,
}

#[derive(Deserialize)]
struct RecordedRow {
    engine: String,
    worlds: u32,
    /// Per second of processor time, which other work on the machine changes least.
    steps_per_cpu_s: f64,
    steps_per_s: f64,
    /// Of the machine after the rounds of this number of worlds.
    load_average: f64,
}

impl Recorded {
    fn of<'a>(&'a self, engine: &'a str) -> impl Iterator<Item = &'a RecordedRow> {
        self.rows.iter().filter(move |row| row.engine == engine)
    }
}

/// MuJoCo's curve and ours of one recorded run, apart from what this run measures; a line that says so where there is no record.
fn recorded(root: &Path, out: &mut PageOutput) -> Result<(), PageError> {
    let path = root.join("benches/records/allegro_curve.json");
    let Ok(text) = std::fs::read_to_string(&path) else {
        out.text.push(
            "No record of MuJoCo's curve (benches/records/allegro_curve.json) beside this program.".into(),
        );
        return Ok(());
    };
    let r: Recorded = serde_json::from_str(&text).map_err(|e| failed(format!("{}: {e}", path.display())))?;
    let mujoco = r.versions.get("mujoco").map_or("?", String::as_str);
    let from = format!(
        "Recorded, not measured in this run: {}, {} cores, {} threads, {}, MuJoCo {mujoco} (`rollout`) and ours by turns, per second of processor time over all threads, the best of {} rounds each; load average {} before and {} after{}{}",
        r.cpu,
        r.cores,
        r.threads,
        r.date,
        r.rounds,
        r.load_average,
        r.load_average_at_the_end,
        if r.note.is_empty() { "." } else { "; " },
        r.note
    );
    let mut plot = Plot::new("recorded", &from, "worlds", "10³ steps per processor second").log(true, false);
    // Room for the legend above the curves.
    let most = r.rows.iter().map(|row| row.steps_per_cpu_s).fold(0.0, f64::max);
    plot.y_range = Some([0.0, 1.7e-3 * most]);
    let mut engines: Vec<&str> = Vec::new();
    for row in &r.rows {
        if !engines.contains(&row.engine.as_str()) {
            engines.push(&row.engine);
        }
    }
    for engine in &engines {
        let points = r.of(engine).map(|row| (f64::from(row.worlds), 1e-3 * row.steps_per_cpu_s)).collect();
        plot.add(&format!("{engine} (recorded)"), Mark::LinePoints, points);
    }
    let mut table = Table::new(
        "Recorded, not of this run: steps of one world",
        &[
            "worlds",
            "engine",
            "steps per processor second",
            "over MuJoCo",
            "steps per second",
            "load average after it",
        ],
    );
    for row in &r.rows {
        let theirs = r.of("mujoco").find(|m| m.worlds == row.worlds).map_or(f64::NAN, |m| m.steps_per_cpu_s);
        let over = format!("{:.2}", row.steps_per_cpu_s / theirs);
        let (rate, load) = (format!("{:.0}", row.steps_per_cpu_s), row.load_average.to_string());
        let wall = format!("{:.0}", row.steps_per_s);
        table.row([row.worlds.to_string(), row.engine.clone(), rate, over, wall, load]);
    }
    out.plots.push(plot);
    out.tables.push(table);
    Ok(())
}

impl Page for Fig08 {
    fn id(&self) -> &'static str {
        "borse2026comfree/fig08"
    }
    fn title(&self) -> &'static str {
        "Throughput: a hand and a cube in many worlds"
    }
    fn cost(&self) -> (f64, f64) {
        (4.0, 300.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let file = "allegro_hand/right_hand.xml";
        let folder = ctx.models.as_ref().map(|m| m.join("allegro_hand"));
        let Some(folder) = folder.filter(|f| f.join("right_hand.xml").is_file()) else {
            let why = format!("{file} is absent (set SIGNORINI_MODELS)");
            return Ok(PageOutput {
                claims: vec![Claim::skipped("frozen", "worlds frozen by an error", &why)],
                ..PageOutput::default()
            });
        };
        let scene = scene(&folder)?;
        let (sizes, steps): (&[usize], u32) =
            if ctx.full() { (&[256, 512, 1024, 2048, 4096], 500) } else { (&[16, 64], 100) };
        let recipes: [(&str, MakeRecipe); 4] = [
            ("comfree, paper's law", || Recipe::comfree_paper(0.1, 0.001)),
            ("comfree, 1 evaluation", || {
                let one = Sweeps::exactly(1);
                Recipe::comfree_with(DualCone::remembering(one.memory()), one)
            }),
            ("comfree", Recipe::comfree),
            ("icf", Recipe::icf),
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
            &["worlds", "engine", "steps per second", "cube still in the hand [%]", "frozen"],
        );
        let mut frozen = 0;
        for (name, recipe) in recipes {
            let mut points = Vec::new();
            for &lanes in sizes {
                ctx.say(format!("{lanes} worlds, {name}"));
                let o = throughput(&scene, recipe(), lanes, steps)?;
                frozen += o.frozen;
                let cells =
                    [format!("{:.0}", o.rate), format!("{:.0}", 100.0 * o.held), o.frozen.to_string()];
                table.row([vec![lanes.to_string(), name.to_owned()], cells.to_vec()].concat());
                points.push((lanes as f64, 1e-3 * o.rate));
            }
            plot.add(name, Mark::LinePoints, points);
        }
        let points = plot.series.iter().flat_map(|s| &s.points);
        plot.y_range = Some([0.0, 1.7 * points.map(|p| p.1).fold(0.0, f64::max)]);
        let text = format!("worlds frozen by an error in {steps} steps, all sizes and engines");
        let mut out = PageOutput {
            text: vec![format!(
                "Allegro hand with sixteen position motors and a cube of 7 cm; every {HOLD} steps each world draws new angles within ±{ANGLE} rad. The paper steps 256 to 4096 worlds on a \
                 device; here the threads of this processor. The cube starts above the palm: the authors' start keyframe is not public. MuJoCo beside ours, in one run that was recorded: below. There all worlds have the same \
                 angles, drawn once for all."
            )],
            plots: vec![plot],
            tables: vec![table],
            claims: vec![Claim::at_most("frozen", &text, 0.0, frozen as f64, "worlds")],
            ..PageOutput::default()
        };
        recorded(&ctx.root, &mut out)?;
        Ok(out)
    }
}
