//! Many worlds of one model under a batch, timed: prints one JSON object as `benches/peers/throughput.py` reads it.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use serde_json::json;
use signorini_batch::{BatchOptions, CpuBatch};
use signorini_benches::split;
use signorini_comfree::Sweeps;
use signorini_core::{BatchStepper, LaneStatus, State, System};
use signorini_run::{ComFree, MassScale, Method};
use signorini_scene::{LoadOptions, Scene};

/// Times a batch of worlds that differ by noise in their velocities, under controls held for some steps each.
#[derive(Parser)]
struct Arguments {
    /// Model file.
    scene: PathBuf,
    /// Worlds.
    #[arg(long, default_value_t = 128)]
    lanes: usize,
    /// Steps of each world.
    #[arg(long, default_value_t = 750)]
    steps: usize,
    /// Step (s).
    #[arg(long, default_value_t = 2e-3)]
    dt: f64,
    /// Keyframe to start from; the drawn configuration when left out.
    #[arg(long)]
    keyframe: Option<String>,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Standard deviation of the velocity noise.
    #[arg(long, default_value_t = 1e-3)]
    noise: f64,
    /// Controls: rows of numbers, one per actuator, separated by commas; each row is held for --hold steps, by all worlds.
    #[arg(long)]
    controls: Option<PathBuf>,
    /// Steps per row of controls.
    #[arg(long, default_value_t = 50)]
    hold: usize,
    /// Sweeps per step, 1 for one evaluation; left out: until they settle, as in default mode.
    #[arg(long)]
    sweeps: Option<u32>,
    /// The paper's step, one evaluation, with gains k (1/s) and d and a mass scale, `trace` or `mean`.
    #[arg(long, num_args = 3, value_names = ["K", "D", "MASS"], conflicts_with = "sweeps")]
    published: Option<Vec<String>>,
    /// With --sweeps: fewer sweeps where the residual is below this (m/s).
    #[arg(long, requires = "sweeps")]
    residual: Option<f64>,
    /// Convex implicit contact instead of comfree.
    #[arg(long)]
    icf: bool,
    /// Timed repetitions.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Print where the time of a comfree step goes instead, in microseconds: one world, one thread.
    #[arg(long)]
    split: bool,
}

/// Zero mean, unit variance: the sum of twelve uniform numbers.
fn normal(state: &mut u64) -> f64 {
    let mut sum = -6.0;
    for _ in 0..12 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        sum += (*state >> 11) as f64 / (1u64 << 53) as f64;
    }
    sum
}

/// Processor time of all threads, those that ended too, in hundredths of a second \[s\]; 0 where the system does not tell.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name: user and system time are the 12th and the 13th.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    0.01 * fields.skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum::<f64>()
}

/// The paper's step by its gains and its mass scale.
fn published(words: &[String]) -> Result<Method, Box<dyn Error>> {
    let [k, d, mass] = words else { return Err("--published takes k, d and a mass scale".into()) };
    let scale = [MassScale::Trace, MassScale::Mean].into_iter().find(|m| m.name() == mass);
    let scale = scale.ok_or_else(|| format!("--published: mass scale '{mass}'; give trace or mean"))?;
    Ok(Method::comfree_paper(k.parse()?, d.parse()?, scale))
}

fn main() -> Result<(), Box<dyn Error>> {
    let a = Arguments::parse();
    let scene = Scene::load(&a.scene, &LoadOptions::default())?;
    let sweeps = || match (a.sweeps, a.residual) {
        (None, _) => Sweeps::default(),
        (Some(n), Some(residual)) => Sweeps::from((n, residual)),
        (Some(n), None) => Sweeps::exactly(n),
    };
    let published = a.published.as_deref().map(published).transpose()?;
    let method = || match &published {
        _ if a.icf => Method::icf(),
        Some(method) => method.clone(),
        None => Method::comfree_sweeping(sweeps()),
    };
    let rows: Vec<Vec<f64>> = match &a.controls {
        Some(file) => std::fs::read_to_string(file)?
            .lines()
            .map(|l| l.split(',').map(str::parse).collect::<Result<_, _>>())
            .collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    if a.split {
        let (mut system, mut x0) = (method().system(&scene)?, State::default());
        let batch = CpuBatch::new(&scene, 1, method(), BatchOptions { threads: 1 })?;
        batch.start(a.keyframe.as_deref(), &mut x0)?;
        // The first run warms up.
        let mut run = || split(&mut system, sweeps(), &x0, (a.steps, a.dt), (&rows, a.hold));
        run()?;
        println!("{}", serde_json::to_string(&run()?)?);
        return Ok(());
    }
    let mut walls = Vec::new();
    let mut depths: Vec<f64> = Vec::new();
    let mut failed = 0;
    let mut processor = 0.0;
    for _ in 0..a.repeats {
        let options = BatchOptions { threads: a.threads };
        let mut batch = CpuBatch::new(&scene, a.lanes, method(), options)?;
        let nu = batch.layout().nu;
        let mut seed = 1;
        let mut x = State::default();
        for lane in 0..a.lanes {
            batch.start(a.keyframe.as_deref(), &mut x)?;
            x.v.iter_mut().for_each(|v| *v += a.noise * normal(&mut seed));
            batch.load(lane, &x)?;
        }
        let (started, used) = (Instant::now(), cpu_time());
        let mut done = 0;
        let mut row = 0;
        while done < a.steps {
            let n = a.hold.min(a.steps - done);
            let control: Vec<f64> = match rows.get(row) {
                Some(r) => r.iter().copied().cycle().take(nu * a.lanes).collect(),
                None => vec![0.0; nu * a.lanes],
            };
            batch.step(&control, a.dt, n as u32, &[])?;
            done += n;
            row += 1;
        }
        walls.push(started.elapsed().as_secs_f64());
        processor = cpu_time() - used;
        // Depths at the end, over all worlds.
        let mut probe = method().system(&scene)?;
        depths.clear();
        failed = 0;
        for lane in 0..a.lanes {
            failed += usize::from(!matches!(batch.status(lane), Some(LaneStatus::Running)));
            batch.store(lane, &mut x)?;
            probe.prepare(signorini_core::Slot::Start, &x, a.dt)?;
            let contacts = probe.frozen_problem(signorini_core::Slot::Start);
            depths.extend(
                signorini_core::StepProblem::contacts(contacts)
                    .iter()
                    .filter(|c| c.gap < 0.0)
                    .map(|c| -c.gap),
            );
        }
    }
    let steps = (a.lanes * a.steps) as f64;
    let best = walls.iter().copied().fold(f64::INFINITY, f64::min);
    walls.sort_by(f64::total_cmp);
    let mean = depths.iter().sum::<f64>() / depths.len().max(1) as f64;
    println!(
        "{}",
        json!({
            "steps_per_s": steps / walls[walls.len() / 2],
            "best_steps_per_s": steps / best,
            "mean_depth": mean,
            "max_depth": depths.iter().copied().fold(0.0, f64::max),
            "contacts": depths.len() as f64 / a.lanes as f64,
            "failed": failed,
            "settings": method().as_comfree().map(ComFree::settings),
            "steps_per_cpu_s": steps / processor,
        })
    );
    Ok(())
}
