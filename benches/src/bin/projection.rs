//! Time of the projection of samples onto bounded motion, one line of JSON for each precision (`benches/records/projection.jsonl`): by default 500 samples of 12 joints and 15 steps, 20 iterations, one thread.
//!
//! ```text
//! wall time of one call      [ms], least, median and 95 % of the repetitions, finish and the exact projection of the mean included
//! ```

use std::error::Error;
use std::time::Instant;

use clap::Parser;
use serde_json::json;
use signorini_planning::projection::{
    History, JointBounds, MotionBounds, Precision, ProjectionOptions, Projector,
};

/// Times projections.
#[derive(Parser)]
struct Arguments {
    /// Samples.
    #[arg(long, default_value_t = 500)]
    samples: usize,
    /// Joints.
    #[arg(long, default_value_t = 12)]
    joints: usize,
    /// Steps of the horizon.
    #[arg(long, default_value_t = 15)]
    steps: usize,
    /// Iterations.
    #[arg(long, default_value_t = 20)]
    iterations: usize,
    /// Variance of samples [(rad/s)²].
    #[arg(long, default_value_t = 1.0)]
    variance: f64,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Repetitions.
    #[arg(long, default_value_t = 1000)]
    repeats: usize,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Bounds of the paper's arms, and its step \[s\].
const ARM: JointBounds = JointBounds {
    position: [-std::f64::consts::PI, std::f64::consts::PI],
    velocity: 1.0,
    acceleration: 2.0,
    jerk: 4.0,
};
const DT: f64 = 0.1;

/// Normal numbers, by twelve uniform ones of SplitMix64.
fn normals(count: usize, deviation: f64) -> Vec<f64> {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| deviation * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0)).collect()
}

fn time(a: &Arguments, precision: Precision, name: &str) -> Outcome<serde_json::Value> {
    let options = ProjectionOptions { precision, iterations: a.iterations, ..ProjectionOptions::default() };
    let bounds = MotionBounds::uniform(a.joints, ARM)?;
    let mut projector = Projector::new(bounds, a.steps, DT, options)?;
    let stride = a.steps * a.joints;
    let samples = normals(a.samples * stride, a.variance.sqrt());
    let history = History::at_rest(&vec![0.5; a.joints]);
    let mean = vec![0.02; stride];
    let mut tapes = samples.clone();
    let mut times = Vec::with_capacity(a.repeats);
    let mut excess = 0.0_f64;
    for _ in 0..a.repeats {
        tapes.copy_from_slice(&samples);
        let start = Instant::now();
        let report = projector.project(&history, &mean, &mut tapes)?;
        times.push(1e3 * start.elapsed().as_secs_f64());
        excess = excess.max(report.after);
    }
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    Ok(json!({
        "scene": "projection", "precision": name, "samples": a.samples, "joints": a.joints, "steps": a.steps,
        "iterations": a.iterations, "variance": a.variance, "threads": a.threads, "repeats": a.repeats,
        "least_ms": at(0.0), "median_ms": at(0.5), "p95_ms": at(0.95), "excess": excess,
    }))
}

fn main() -> Outcome<()> {
    let a = Arguments::parse();
    if a.samples * a.joints * a.steps * a.repeats == 0 {
        return Err("samples, joints, steps and repetitions must be at least 1".into());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(a.threads).build()?;
    for (precision, name) in [(Precision::Single, "f32"), (Precision::Double, "f64")] {
        // Errors stay on the thread that makes them.
        let line = pool.install(|| time(&a, precision, name).map_err(|e| e.to_string()))?;
        println!("{line}");
    }
    Ok(())
}
