//! Time per particle and substep of material points, one line of JSON for each run: a block of rubber with eight particles per cell that falls and turns, in the fast path in f32 and in f64,
//! and in the plain one (`benches/records/material_points.jsonl`). With `--floor` it lies on a floor and slides: the added time is that of contact, with the particles that touch and Newton's iterations.
//!
//! ```text
//! wall time/(particles · substeps)      [ns], the fastest of the repetitions, and their mean, sorting included
//! ```

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use serde_json::json;
use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactMaterial, ContactSolver, OneStep, SolveError, SolveStatus, StepProblem, StepSolution, Tolerance,
};
use signorini_geometry::Shape;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    DruckerPrager, FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSystem, Obstacle,
    Particles, Real, VonMises,
};

/// Times material points.
#[derive(Parser)]
struct Arguments {
    /// Particles, about so many.
    #[arg(long, default_value_t = 100_000)]
    particles: usize,
    /// rubber, dough or sand.
    #[arg(long, default_value = "rubber")]
    material: String,
    /// f32, f64 or plain.
    #[arg(long, default_value = "f32")]
    path: String,
    /// The block lies on a floor and slides; in the fast path.
    #[arg(long)]
    floor: bool,
    /// Relative tolerance of contact; without it that of the engine.
    #[arg(long)]
    tolerance: Option<f64>,
    /// Speed below which friction holds \[m/s\]; without it that of the material.
    #[arg(long)]
    stiction: Option<f64>,
    /// Speed along the floor \[m/s\].
    #[arg(long, default_value_t = 0.5)]
    slide: f64,
    /// Gravity on the floor \[m/s²\], and the part of it that pulls along.
    #[arg(long, default_value_t = 9.81)]
    gravity: f64,
    #[arg(long, default_value_t = 0.0)]
    slope: f64,
    /// Hunt–Crossley dissipation of the floor \[s/m\].
    #[arg(long, default_value_t = 1.0)]
    dissipation: f64,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Substeps of a repetition.
    #[arg(long, default_value_t = 20)]
    steps: u32,
    /// Repetitions; the fastest counts.
    #[arg(long, default_value_t = 5)]
    repeats: u32,
}

/// A solver whose products are counted.
struct Counted {
    solver: MpmSolver,
    products: Arc<AtomicU64>,
}

impl ContactSolver for Counted {
    fn name(&self) -> &'static str {
        self.solver.name()
    }
    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        self.solver.supports(p)
    }
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        tolerance: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let done = self.solver.solve(p, guess, tolerance, out);
        self.products.store(self.solver.products(), Ordering::Relaxed);
        done
    }
}

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Side of the block \[m\], density \[kg/m³\], the part of the step limit, Young's modulus \[Pa\].
const SIDE: f64 = 0.5;
const DENSITY: f64 = 1000.0;
const PART: f64 = 0.4;
const YOUNG: f64 = 1e5;

fn material(name: &str) -> Outcome<Box<dyn Material>> {
    let lame = Lame::new(YOUNG, 0.3)?;
    Ok(match name {
        "rubber" => Box::new(FixedCorotated(lame)),
        "dough" => Box::new(VonMises::new(lame, 200.0)?),
        "sand" => Box::new(DruckerPrager::new(lame, 0.5)?),
        _ => return Err(format!("no material '{name}'; take rubber, dough or sand").into()),
    })
}

/// Stiffness of the floor beside E times the distance of particles, friction.
const STIFFNESS: f64 = 10.0;
const FRICTION: f64 = 0.5;

/// The block on a floor that bears its weight, and the floor.
fn slides(mut p: Particles, spacing: f64, a: &Arguments) -> (Particles, Obstacle) {
    let apart = 0.5 * spacing;
    let stiffness = STIFFNESS * YOUNG * apart;
    let depth = DENSITY * a.gravity * SIDE * apart * apart / stiffness;
    p.c.iter_mut().for_each(|c| c.fill(0.0));
    p.v.iter_mut().for_each(|v| *v = Vector3::new(a.slide, 0.0, 0.0));
    let low = p.x.iter().fold(f64::INFINITY, |low, x| low.min(x.z));
    let pose = Isometry3::translation(0.0, 0.0, low + depth);
    let mut material = ContactMaterial::compliant(stiffness, a.dissipation, FRICTION);
    material.stiction_speed = a.stiction.unwrap_or(material.stiction_speed);
    (p, Obstacle::new("floor", Shape::HalfSpace, pose, material))
}

/// The block, and the spacing of its grid \[m\].
fn block(count: usize) -> Outcome<(Particles, f64)> {
    let along = (count as f64).cbrt().round();
    let mut p = Particles::default();
    let cube = Shape::Box { half_extents: Vector3::repeat(0.5 * SIDE) };
    p.fill(&cube, &Isometry3::translation(0.013, 0.017, 0.019), SIDE / along, DENSITY, 0)?;
    let turn = Vector3::new(0.3, 1.0, -0.7);
    for i in 0..p.len() {
        p.v[i] = Vector3::new(0.5, -0.3, 0.2) + turn.cross(&p.x[i]);
        p.c[i] = turn.cross_matrix();
    }
    Ok((p, 2.0 * SIDE / along))
}

/// Times and counts of a run.
#[derive(Default)]
struct Timed {
    /// Time of each repetition \[s\].
    seconds: Vec<f64>,
    /// A substep \[s\].
    dt: f64,
    /// Particles that touched and Newton's iterations, of all substeps.
    contacts: u64,
    iterations: u64,
    /// Products of the Hessian of contact and a vector.
    products: Arc<AtomicU64>,
    /// Sum of the impulses on the floor \[N·s\].
    impulse: Vector3<f64>,
}

fn fast<T: Real>(a: &Arguments) -> Outcome<Timed> {
    let (mut p, spacing) = block(a.particles)?;
    let mut options = MpmOptions { spacing, ..MpmOptions::default() };
    let mut obstacles = vec![];
    if a.floor {
        options.gravity = a.gravity * Vector3::new(a.slope, 0.0, -(1.0 - a.slope * a.slope).sqrt());
        let (lying, floor) = slides(p, spacing, a);
        p = lying;
        obstacles.push(floor);
    }
    let mut e = MpmEngine::<T>::new(
        p,
        vec![material(&a.material)?],
        vec![],
        obstacles,
        contact_pool("lagged")?,
        options,
    )?;
    let mut out = Timed { dt: PART / options.courant * e.longest_step(), ..Timed::default() };
    if a.floor {
        let relative = a.tolerance.unwrap_or(MpmEngine::<T>::TOLERANCE.relative);
        let solver = Counted { solver: MpmSolver::default(), products: out.products.clone() };
        e = e.with_solver(Box::new(solver), Tolerance { relative, ..MpmEngine::<T>::TOLERANCE });
    }
    for _ in 0..a.repeats {
        let start = Instant::now();
        for _ in 0..a.steps {
            let report = e.step(out.dt)?;
            out.contacts += u64::from(report.contacts);
            out.iterations += u64::from(report.stats.iterations);
            out.impulse += e.impulses().first().map_or(Vector3::zeros(), |i| i[0]);
        }
        out.seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(out)
}

fn plain(a: &Arguments) -> Outcome<Timed> {
    if a.floor {
        return Err("--floor is timed in the fast path; take --path f32 or f64".into());
    }
    let (p, spacing) = block(a.particles)?;
    let options = MpmOptions { spacing, ..MpmOptions::default() };
    let mut s =
        MpmSystem::new(p, vec![material(&a.material)?], vec![], vec![], contact_pool("lagged")?, options)?;
    let mut step = ContactStep::new(MpmSolver::default());
    let (mut x, mut next) = (s.initial_state(), s.initial_state());
    let dt = PART / options.courant * s.longest_step(&x)?;
    let mut times = Vec::new();
    for _ in 0..a.repeats {
        let start = Instant::now();
        for _ in 0..a.steps {
            step.step(&mut s, &x, dt, false, &mut next)?;
            std::mem::swap(&mut x, &mut next);
        }
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(Timed { seconds: times, dt, ..Timed::default() })
}

fn main() -> Outcome<()> {
    let a = Arguments::parse();
    let count = block(a.particles)?.0.len();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(a.threads).build()?;
    let run = || match a.path.as_str() {
        "f32" => fast::<f32>(&a),
        "f64" => fast::<f64>(&a),
        "plain" => plain(&a),
        other => Err(format!("no path '{other}'; take f32, f64 or plain").into()),
    };
    // Errors stay on the thread that makes them.
    let timed = pool.install(|| run().map_err(|e| e.to_string()))?;
    let times = &timed.seconds;
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let per = |t: f64| 1e9 * t / (count as f64 * f64::from(a.steps));
    let taken = f64::from(a.steps) * f64::from(a.repeats);
    let line = json!({
        "scene": if a.floor { "block on a floor" } else { "block" }, "material": a.material, "path": a.path, "particles": count, "threads": a.threads,
        "steps": a.steps, "substep_s": timed.dt, "ns_per_particle": per(best), "ns_mean": per(mean),
        "contacts": timed.contacts as f64 / taken, "newton_iterations": timed.iterations as f64 / taken,
        "products": timed.products.load(Ordering::Relaxed) as f64 / taken, "impulse_n_s": timed.impulse.as_slice(),
        "ns_of_repetitions": times.iter().map(|t| per(*t)).collect::<Vec<f64>>(),
    });
    println!("{line}");
    Ok(())
}
