//! Time per step of affine bodies, one line of JSON for each scene: a stack of ten cubes, a chain of twenty rings, a hundred cubes, our quadruped that lands on its feet (`benches/records/affine.jsonl`).
//! CPU time of the thread that makes the steps beside the time that passes; with several threads only the latter counts.

use std::error::Error;
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

use clap::Parser;
use serde_json::{Value, json};
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, State, StepError, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineScene, AffineSystem, IpcOptions, IpcSolver};
use signorini_scene::{LoadOptions, Scene};

/// Times scenes of affine bodies.
#[derive(Parser)]
struct Arguments {
    /// stack10, chain20, cubes100 or quadruped; all of them without.
    scene: Option<String>,
    /// Steps instead of those of the scene.
    #[arg(long)]
    steps: Option<u32>,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print a line for each step as well.
    #[arg(long)]
    verbose: bool,
}

type Placed = Vec<(AffineBody, Isometry3<f64>)>;
type Outcome<T> = Result<T, Box<dyn Error>>;

/// Step \[s\].
const DT: f64 = 0.01;

fn cuboid(half: Vector3<f64>) -> Outcome<AffineBody> {
    Ok(AffineBody::solid("cuboid", &TriangleMesh::cuboid(&half)?, 1000.0)?.with_friction(0.5))
}

fn floor(half: f64) -> Outcome<(AffineBody, Isometry3<f64>)> {
    Ok((cuboid(Vector3::new(half, half, 0.05))?.held(), Isometry3::translation(0.0, 0.0, -0.05)))
}

/// Ten cubes of 0.1 m, 0.95 mm apart, on a floor.
fn stack10() -> Outcome<Placed> {
    let mut bodies = vec![floor(1.0)?];
    for i in 0..10 {
        let z = 0.05 + 9.5e-4 + f64::from(i) * (0.1 + 9.5e-4);
        bodies.push((cuboid(Vector3::repeat(0.05))?, Isometry3::translation(0.0, 0.0, z)));
    }
    Ok(bodies)
}

/// Twenty rings in a row, each turned by 90°; the first is held, the others swing down.
fn chain20() -> Outcome<Placed> {
    let ring = AffineBody::solid("ring", &TriangleMesh::torus(0.05, 0.01, 16, 8)?, 1000.0)?;
    let link = |i: u32| {
        let turn = Vector3::x() * FRAC_PI_2 * f64::from(i % 2);
        let body = if i == 0 { ring.clone().held() } else { ring.clone() };
        (body, Isometry3::new(Vector3::x() * 0.0775 * f64::from(i), turn))
    };
    Ok((0..20).map(link).collect())
}

/// Five by five by four cubes that fall on a floor, turned without a pattern.
fn cubes100() -> Outcome<Placed> {
    let mut bodies = vec![floor(2.0)?];
    for i in 0..100u32 {
        let [x, y, z] = [i % 5, i / 5 % 5, i / 25].map(|k| 0.19 * f64::from(k));
        let turn = Vector3::from_fn(|k, _| 0.5 * (f64::from(7 * i) + 2.3 * k as f64).sin());
        let place = Vector3::new(x - 0.38, y - 0.38, z + 0.12);
        bodies.push((cuboid(Vector3::repeat(0.05))?, Isometry3::new(place, turn)));
    }
    Ok(bodies)
}

/// The first number of a file of the system; NaN where there is none.
fn told(file: &str) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().next().and_then(|t| t.parse().ok()).unwrap_or(f64::NAN)
}

/// CPU time of this thread \[s\]; NaN where the system does not tell.
fn cpu_time() -> f64 {
    1e-9 * told("/proc/thread-self/schedstat")
}

/// Our quadruped in its keyframe, on its servos: it comes down at 1 m/s.
fn quadruped(options: IpcOptions) -> Outcome<(AffineSystem, State)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/quadruped/quadruped.xml");
    let scene = Scene::load(path, &LoadOptions::default())?;
    let home = scene.keyframe("home").ok_or("no keyframe 'home'")?;
    let mut affine = AffineScene::at(&scene, &home.q, options)?;
    affine.set_controls(&home.control)?;
    let mut v = vec![0.0; scene.nv()];
    v[2] = -1.0;
    let x = affine.state_with(&v)?;
    Ok((affine.system, x))
}

fn run(name: &str, (mut system, x): (AffineSystem, State), steps: u32, a: &Arguments) -> Outcome<()> {
    let mut line = system.threads().install(|| timed(name, &mut system, x, steps, a.verbose))?;
    line["threads"] = a.threads.into();
    println!("{line}");
    Ok(())
}

fn timed(
    name: &str,
    system: &mut AffineSystem,
    mut x: State,
    steps: u32,
    verbose: bool,
) -> Result<Value, StepError> {
    let tolerance = Tolerance { relative: 1e-3, max_iterations: 200 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let mut next = State::default();
    let (mut iterations, mut evaluations, mut most, mut unconverged, mut longest) = (0, 0, 0, 0, 0.0f64);
    let started = Instant::now();
    let first = cpu_time();
    for k in 0..steps {
        let now = Instant::now();
        let r = step.step(system, &x, DT, false, &mut next)?;
        std::mem::swap(&mut x, &mut next);
        let took = now.elapsed().as_secs_f64();
        (iterations, evaluations) = (iterations + r.stats.iterations, evaluations + r.stats.line_search);
        (most, longest) = (most.max(r.stats.iterations), longest.max(took));
        unconverged += r.unconverged;
        if verbose {
            let (n, m) = (r.stats.iterations, r.stats.line_search);
            println!("{k}: {n} iterations, {m} evaluations, {} contacts, {:.2} ms", r.contacts, 1e3 * took);
        }
    }
    let (used, passed) = (cpu_time() - first, started.elapsed().as_secs_f64());
    let per_step = |total: f64| total / f64::from(steps);
    let end = system.invariants(&x);
    // Equal sums mean equal states: runs on several threads are compared by it.
    let bits = x.q.iter().fold(0u64, |h, q| (h ^ q.to_bits()).wrapping_mul(0x0100_0000_01b3));
    Ok(json!({
        "scene": name,
        "steps": steps,
        "cpu_ms_per_step": 1e3 * per_step(used),
        "wall_ms_per_step": 1e3 * per_step(passed),
        "longest_wall_ms": 1e3 * longest,
        "load_average": told("/proc/loadavg"),
        "iterations_per_step": per_step(f64::from(iterations)),
        "most_iterations": most,
        "evaluations_per_step": per_step(f64::from(evaluations)),
        "unconverged": unconverged,
        "smallest_distance": end.smallest_distance,
        "orthogonality_error": end.orthogonality_error,
        "crossing": end.crossing.is_some(),
        "bits": format!("{bits:016x}"),
    }))
}

fn main() -> Outcome<()> {
    let a = Arguments::parse();
    let wanted = |name: &str| a.scene.as_deref().is_none_or(|s| s == name);
    let options = IpcOptions { threads: a.threads, ..IpcOptions::default() };
    for (name, bodies, usual) in
        [("stack10", stack10()?, 100), ("chain20", chain20()?, 60), ("cubes100", cubes100()?, 60)]
    {
        if wanted(name) {
            let system = AffineSystem::new(bodies, &[], options)?;
            let x = system.initial_state();
            run(name, (system, x), a.steps.unwrap_or(usual), &a)?;
        }
    }
    if wanted("quadruped") {
        run("quadruped", quadruped(options)?, a.steps.unwrap_or(60), &a)?;
    }
    Ok(())
}
