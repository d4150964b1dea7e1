//! One scene under one setting, timed: prints `{"walls", "cpu", "counts"}` as `benches/peers/bench.py` reads it.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use serde_json::json;
use signorini_benches::{ClutterFile, thread_time};
use signorini_core::na::Vector3;
use signorini_core::{
    AcceptedStep, ContactSolver, NoObserver, Pool, Slot, State, StepObserver, StepProblem, StepSolution,
    System, Tolerance,
};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_laws::Lagged;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_run::Method;
use signorini_scene::{
    CollisionMask, Geom, GeomShape, Hydroelastic, LoadOptions, Place, Pose, Scene, Surface,
};

/// Times a scene of the format clutter-1 (.json), or a model (.xml, .urdf) on a floor.
#[derive(Parser)]
struct Arguments {
    /// Scene or model file.
    scene: PathBuf,
    /// Simulated time (s); the scene's own when left out.
    #[arg(long)]
    duration: Option<f64>,
    /// Accuracy of error control.
    #[arg(long, conflicts_with = "dt")]
    accuracy: Option<f64>,
    /// Fixed step (s).
    #[arg(long)]
    dt: Option<f64>,
    /// As in the paper's tables: no speculative contacts, one island, Hessian reuse.
    #[arg(long)]
    paper_mode: bool,
    /// Keyframe to start a model from.
    #[arg(long, default_value = "home")]
    keyframe: String,
    /// Puts a half-space at z = 0 under a model.
    #[arg(long)]
    floor: bool,
    /// Mesh geoms keep their triangles.
    #[arg(long)]
    mesh_surfaces: bool,
    /// Writes the pressure field of the first compliant mesh in the frame of its body, as tetrahedra of VTK, in place of times.
    #[arg(long)]
    field: Option<PathBuf>,
    /// Prints force and moment about the origin that contacts exert on the last body at the start (N, N·m), in place of times.
    #[arg(long)]
    wrench: bool,
    /// Timed repetitions.
    #[arg(long, default_value_t = 3)]
    repeats: usize,
}

/// The deepest overlap of any accepted state.
struct Deepest(f64);

impl StepObserver for Deepest {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        let gaps = step.last.contacts.iter().map(|c| c.gap);
        self.0 = gaps.fold(self.0, f64::min);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let a = Arguments::parse();
    let (scene, key, duration) = load(&a)?;
    let method = match (a.accuracy, a.dt) {
        (_, Some(dt)) => Method::icf().with_step(dt),
        (accuracy, None) => Method::cenic(accuracy.unwrap_or(1e-3)),
    };
    if a.wrench {
        println!("{}", wrench(&scene, key)?);
        return Ok(());
    }
    if let Some(file) = &a.field {
        return Ok(std::fs::write(file, field(&scene)?)?);
    }
    let method = if a.paper_mode { method.in_paper_mode()? } else { method };
    let run = |observer: &mut dyn StepObserver| -> Result<_, Box<dyn Error>> {
        let mut sys = method.system(&scene)?;
        let mut integrator = method.integrator()?;
        let mut x: State = sys.initial_state(scene.keyframe(key))?;
        let (start, cpu) = (Instant::now(), thread_time()?);
        let end = x.t + duration;
        let report = integrator.advance(&mut sys, &mut x, end, observer)?;
        let times = [start.elapsed().as_secs_f64(), thread_time()? - cpu];
        let energy = sys.energy(&x);
        Ok((times, report, x, energy))
    };
    let times: Result<Vec<[f64; 2]>, _> =
        (0..a.repeats.max(1)).map(|_| Ok::<_, Box<dyn Error>>(run(&mut NoObserver)?.0)).collect();
    let times = times?;
    let walls: Vec<f64> = times.iter().map(|t| t[0]).collect();
    // Of single runs it is lost in ticks.
    let cpu = times.iter().map(|t| t[1]).sum::<f64>() / times.len() as f64;
    let mut deepest = Deepest(0.0);
    let (_, r, x, energy) = run(&mut deepest)?;
    let counts = json!({
        "steps": r.steps,
        "rejected": r.rejected,
        "newton_iterations": r.iterations,
        "max_penetration": -deepest.0,
        "factorizations": r.factorizations,
        "line_search_iterations": r.line_search,
        "final_height": x.q.get(2),
        "kinetic": energy.kinetic,
        "potential": energy.potential,
        "position": x.q.get(x.q.len().saturating_sub(7)..x.q.len().saturating_sub(4)),
    });
    println!("{}", json!({ "walls": walls, "cpu": cpu, "counts": counts }));
    Ok(())
}

/// Force and moment of the contacts on the last body \[N, N·m\], and their number.
fn wrench(scene: &Scene, key: &str) -> Result<serde_json::Value, Box<dyn Error>> {
    // So short that nothing moves in it.
    let dt = 1e-9;
    let options = RigidOptions { speculative: false, ..RigidOptions::default() };
    let mut sys = RigidSystem::new(scene, &Pool::<Lagged, 3>::new(Lagged::default()), options)?;
    let x = sys.initial_state(scene.keyframe(key))?;
    sys.prepare(Slot::Start, &x, dt)?;
    let mut s = StepSolution::default();
    let tight = Tolerance { relative: 1e-12, ..Tolerance::default() };
    IcfSolver::default().solve(sys.problem(Slot::Start, dt)?, &x.v, tight, &mut s)?;
    let frozen = sys.frozen_problem(Slot::Start);
    let [mut force, mut moment] = [Vector3::zeros(); 2];
    for (c, gamma) in frozen.contacts().iter().zip(s.gamma.chunks_exact(3)) {
        let f = c.r_wc.column(0) * gamma[0] / dt;
        force += f;
        moment += c.p_wc.coords.cross(&f);
    }
    Ok(json!({ "force": force.as_slice(), "moment": moment.as_slice(), "contacts": frozen.contacts().len() }))
}

/// The field of the first compliant mesh in the frame of its body, as an unstructured grid of VTK.
fn field(scene: &Scene) -> Result<String, Box<dyn Error>> {
    let compliant = scene.geoms.iter().find_map(|g| match (&g.shape, g.surface.hydroelastic) {
        (GeomShape::Solid(shape @ Shape::Mesh(_)), Hydroelastic::Compliant { resolution, .. }) => {
            Some((&g.pose, shape, resolution))
        }
        _ => None,
    });
    let (pose, shape, resolution) = compliant.ok_or("no compliant mesh")?;
    let field = scene.fields.field(shape, resolution)?;
    let (vertices, tetrahedra) = (field.vertices(), field.tetrahedra());
    let mut out = String::from("# vtk DataFile Version 3.0\nfield\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    writeln!(out, "POINTS {} double", vertices.len())?;
    for p in vertices.iter().map(|p| pose * p) {
        writeln!(out, "{} {} {}", p.x, p.y, p.z)?;
    }
    writeln!(out, "CELLS {} {}", tetrahedra.len(), 5 * tetrahedra.len())?;
    for [a, b, c, d] in tetrahedra {
        writeln!(out, "4 {a} {b} {c} {d}")?;
    }
    writeln!(out, "CELL_TYPES {}", tetrahedra.len())?;
    tetrahedra.iter().try_for_each(|_| writeln!(out, "10"))?;
    Ok(out)
}

/// The scene, the name of its keyframe, the simulated time.
fn load(a: &Arguments) -> Result<(Scene, &str, f64), Box<dyn Error>> {
    if a.scene.extension().is_some_and(|e| e == "json") {
        let file = ClutterFile::load(&a.scene)?;
        return Ok((file.scene()?, "start", a.duration.unwrap_or(file.duration)));
    }
    let options = LoadOptions { keep_mesh_surfaces: a.mesh_surfaces, ..LoadOptions::default() };
    let mut scene = Scene::load(&a.scene, &options)?;
    if a.floor {
        scene.geoms.push(Geom {
            name: "floor".into(),
            body: 0,
            pose: Pose::identity(),
            shape: GeomShape::Solid(Shape::HalfSpace),
            mask: CollisionMask::default(),
            surface: Surface::default(),
            group: 0,
            rgba: [0.5; 4],
            place: Place::default(),
        });
    }
    Ok((scene, &a.keyframe, a.duration.unwrap_or(1.0)))
}
