//! One control step of many states with several numbers of steps: prints one JSON object as `benches/peers/substeps.py` reads it.

use std::error::Error;
use std::io::stdin;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use serde::Deserialize;
use serde_json::json;
use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::{BatchStepper, LaneStatus, State};
use signorini_planning::tasks::SWEEPS;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

#[derive(Clone, Copy, ValueEnum)]
enum Engine {
    /// Projected Gauss–Seidel over ComFree's impedance as plans have it: a few sweeps.
    Planning,
    /// The same until sweeps settle, as in default mode.
    Settled,
    /// ComFree: one evaluation.
    One,
    /// Convex implicit contact.
    Icf,
}

/// Steps states over one control step. On standard input: {"q": states × nq, "v": states × nv, "control": states × nu}.
#[derive(Parser)]
struct Arguments {
    /// Model file.
    scene: PathBuf,
    /// Contact.
    #[arg(long)]
    engine: Engine,
    /// Time of the control step (s).
    #[arg(long)]
    duration: f64,
    /// Numbers of steps.
    #[arg(required = true, value_parser = clap::value_parser!(u32).range(1..))]
    steps: Vec<u32>,
}

#[derive(Deserialize)]
struct Start {
    q: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    control: Vec<Vec<f64>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let a = Arguments::parse();
    let scene = Scene::load(&a.scene, &LoadOptions::default())?;
    let start: Start = serde_json::from_reader(stdin())?;
    let method = || match a.engine {
        Engine::Planning => Method::comfree_sweeping(SWEEPS),
        Engine::Settled => Method::comfree(),
        Engine::One => Method::comfree_sweeping(1),
        Engine::Icf => Method::icf(),
    };
    let mut ends = Vec::new();
    for steps in a.steps {
        let mut batch = CpuBatch::new(&scene, start.q.len(), method(), BatchOptions { threads: 0 })?;
        let mut x = State::default();
        for (lane, (q, v)) in start.q.iter().zip(&start.v).enumerate() {
            batch.start(None, &mut x)?;
            (x.q, x.v) = (q.clone(), v.clone());
            batch.load(lane, &x)?;
        }
        batch.step(&start.control.concat(), a.duration / f64::from(steps), steps, &[])?;
        let mut of = Vec::new();
        for lane in 0..start.q.len() {
            if let Some(LaneStatus::Failed(e)) = batch.status(lane) {
                return Err(format!("state {lane} with {steps} steps: {e}").into());
            }
            batch.store(lane, &mut x)?;
            of.push(x.q.clone());
        }
        ends.push(of);
    }
    println!("{}", json!({ "q": ends }));
    Ok(())
}
