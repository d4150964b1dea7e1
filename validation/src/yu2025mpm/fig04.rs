mod report;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactSolver, SolveError, SolveStatus, State, StepError, StepProblem, StepSolution, Tolerance,
};
use signorini_coupling::{Asynchronous, CouplingReport, Limit, Monolithic, SystemPoints, obstacles};
use signorini_geometry::Shape;
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::ContactStep;
use signorini_mpm::{
    Border, Direction, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSolverOptions, MpmSystem,
    Obstacle, Particles, VonMises, Wall,
};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

use super::bounds::Bounds;
use super::fast::{Fast, Surface, beside, law};
use super::film::{Film, balls};
use super::statistics::{Statistics, on_one_thread};
use signorini_report::{Context, Page, PageError, PageOutput, side_by_side};
use signorini_run::film::Attachment;

/// File in which runs are kept as they end.
const FILE: &str = "runs.jsonl";

/// Fig. 4: dough under a rolling pin, by solvers and tolerances.
pub(super) struct Fig04;

/// Young's modulus \[Pa\] and Poisson's ratio of the dough.
const ELASTIC: (f64, f64) = (2e4, 0.4);
/// Yield stress of the dough \[Pa\], density \[kg/m³\].
const YIELD: f64 = 1e3;
const DENSITY: f64 = 1000.0;
/// Spacing of the grid \[m\]; particles along it.
const SPACING: f64 = 0.02;
const ALONG: f64 = 2.0;
/// Step \[s\], and substeps of the points in the splitting.
const STEP: f64 = 1e-2;
const SUBSTEPS: u32 = 10;
/// Steps of the reference in one of these.
const FINER: u32 = 8;
/// Radius of the pin and half its length \[m\], mass \[kg\].
const PIN: (f64, f64, f64) = (0.03, 0.175, 0.57);
/// Contact of particles with the pin.
const SURFACE: Surface = Surface { stiffness: 1e6, dissipation: 1.0, friction: 1.0, stiction_speed: 1e-3 };
/// Speed of the pin \[m/s\], depth to which it presses \[m\], time of pressing \[s\].
const SPEED: f64 = 0.2;
const DEPTH: f64 = 0.012;
const PRESSING: f64 = 0.1;
/// Other steps, for times at equal error \[s\], at this tolerance: those of strong coupling, whose cost goes by the step (dense only longer ones), shorter ones of weak coupling, whose cost goes by the substep, which stays.
const OTHER: [f64; 4] = [2.5e-3, 5e-3, 2e-2, 4e-2];
const SHORTER: [f64; 3] = [5e-3, 2e-3, 1e-3];
const LOOSE: f64 = 1e-1;
/// Relative tolerances.
const TOLERANCES: [f64; 4] = [LOOSE, LEFT_OUT, 1e-3, 1e-5];
/// The one that only --full has.
const LEFT_OUT: f64 = 1e-2;
/// Iterations after which a solve ends without convergence.
const MOST: u32 = 300;

/// A solver whose residuals are recorded.
struct Watched<S> {
    solver: S,
    /// The largest residual at the end of a solve, over max(‖D p‖, ‖D j‖).
    worst: Arc<Mutex<f64>>,
}

impl<S: ContactSolver> ContactSolver for Watched<S> {
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
        tol: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        let status = self.solver.solve(p, guess, tol, out)?;
        let mut worst = self.worst.lock().unwrap_or_else(PoisonError::into_inner);
        *worst = worst.max(out.residual / out.tolerance * tol.relative);
        Ok(status)
    }
}

/// Way of taking a step.
#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Way {
    StrongDense,
    StrongSparse,
    WeakNewton,
    WeakQuasi,
    WeakPcg,
    /// As before, in the fast path.
    WeakFast,
}

impl Way {
    const ALL: [Self; 6] = [
        Self::StrongDense,
        Self::StrongSparse,
        Self::WeakNewton,
        Self::WeakQuasi,
        Self::WeakPcg,
        Self::WeakFast,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::StrongDense => "strong, dense Newton",
            Self::StrongSparse => "strong, sparse Newton",
            Self::WeakNewton => "weak, sparse Newton",
            Self::WeakQuasi => "weak, quasi-Newton",
            Self::WeakPcg => "weak, Newton–PCG",
            Self::WeakFast => "weak, Newton–PCG, f32",
        }
    }

    fn strong(self) -> bool {
        matches!(self, Self::StrongDense | Self::StrongSparse)
    }

    fn solver(self) -> Box<dyn ContactSolver> {
        let mpm = |direction| {
            Box::new(MpmSolver::new(MpmSolverOptions {
                direction,
                momenta: true,
                ..MpmSolverOptions::default()
            }))
        };
        match self {
            Self::StrongDense => {
                Box::new(IcfSolver::new(IcfOptions { dense: true, ..IcfOptions::default() }))
            }
            // One residual for all contacts, as for the others.
            Self::StrongSparse | Self::WeakNewton => {
                Box::new(IcfSolver::new(IcfOptions { islands: false, ..IcfOptions::default() }))
            }
            Self::WeakQuasi => mpm(Direction::BlockDiagonal),
            Self::WeakPcg | Self::WeakFast => mpm(Direction::NewtonPcg),
        }
    }
}

/// Sizes of a run: half the extents of the dough \[m\], end \[s\].
#[derive(Clone, Copy)]
struct Size {
    half: Vector3<f64>,
    end: f64,
}

/// The dough of the paper.
const FULL: Size = Size { half: Vector3::new(0.16, 0.06, 0.05), end: 0.9 };

/// Rolling of dough.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Run {
    way: Way,
    tolerance: f64,
    /// Step \[s\].
    dt: f64,
    /// The pin goes on within a step.
    moving: bool,
}

impl Run {
    fn new(way: Way, tolerance: f64, dt: f64) -> Self {
        Self { way, tolerance, dt, moving: false }
    }

    /// Runs of the page.
    fn all(full: bool) -> Vec<Self> {
        let mut out = Vec::new();
        for way in Way::ALL {
            // The dense one is slow, and takes the iterations of the sparse one.
            let own = |t: &f64| full || *t == LOOSE || way != Way::StrongDense && *t != LEFT_OUT;
            let own = TOLERANCES.into_iter().filter(own);
            out.extend(own.map(|t| Self::new(way, t, STEP)));
            let steps: &[f64] = match way {
                Way::StrongDense => &OTHER[2..],
                Way::StrongSparse => &OTHER[usize::from(!full)..],
                Way::WeakPcg | Way::WeakFast => &SHORTER,
                _ => &[],
            };
            out.extend(steps.iter().map(|dt| Self::new(way, LOOSE, *dt)));
            if matches!(way, Way::WeakPcg | Way::WeakFast) {
                out.push(Self { moving: true, ..Self::new(way, LOOSE, STEP) });
            }
        }
        out
    }

    /// Substeps of weak coupling, as long whatever the step.
    fn substeps(&self) -> u32 {
        (f64::from(SUBSTEPS) * self.dt / STEP).round() as u32
    }

    fn name(&self) -> String {
        let own = if self.moving { ", moving pin" } else { "" };
        format!("{}{own}", self.way.name())
    }
}

/// Results of a run.
#[derive(Clone, Serialize, Deserialize)]
struct Rolled {
    run: Run,
    /// Processor time that [`STEP`] of the motion takes, mean \[s\]; and the wall time.
    cost: f64,
    wall: f64,
    /// Mean iterations of a solve.
    iterations: f64,
    unconverged: u32,
    /// The largest residual at the end of a solve, over max(‖D p‖, ‖D j‖).
    residual: f64,
    /// ω r/v of the pin over the last fifth.
    spin: f64,
    /// Mean height of the top layer at the end \[m\].
    height: f64,
    /// Rotation of the pin over time \[rad\].
    turned: Vec<(f64, f64)>,
    /// Limits of weak coupling.
    bounds: Bounds,
}

type Solver = Watched<Box<dyn ContactSolver>>;

enum Coupled {
    Strong(Box<Monolithic<ContactStep<Solver>>>),
    Weak(Box<Asynchronous<SystemPoints<Solver>, ContactStep<IcfSolver>>>),
    Fast(Box<Fast>),
}

impl Coupled {
    fn rigid_mut(&mut self) -> &mut RigidSystem {
        match self {
            Self::Strong(c) => c.rigid_mut(),
            Self::Weak(c) => c.rigid_mut(),
            Self::Fast(c) => c.rigid_mut(),
        }
    }
    fn particles(&mut self, x: &State) -> Result<Particles, PageError> {
        match self {
            Self::Strong(c) => c.material().particles(x).map_err(PageError::from_error),
            Self::Weak(c) => c.points().system().particles(x).map_err(PageError::from_error),
            Self::Fast(c) => Ok(c.points_mut().engine_mut().particles().clone()),
        }
    }
    fn step(&mut self, x: &mut State, y: &mut State, dt: f64) -> Result<CouplingReport, StepError> {
        match self {
            Self::Strong(c) => c.step(x, y, dt),
            Self::Weak(c) => c.step(x, y, dt),
            Self::Fast(c) => c.step(&mut (), y, dt),
        }
    }
    /// Limits of weak coupling.
    fn limits(&self) -> Vec<Limit> {
        match self {
            Self::Strong(_) => vec![],
            Self::Weak(c) => c.limits(),
            Self::Fast(c) => c.limits(),
        }
    }
}

fn scene(size: &Size) -> Result<Scene, PageError> {
    let ((radius, length, mass), top) = (PIN, 2.0 * size.half.z);
    let text = format!(
        "<mujoco><worldbody><body pos='{} 0 {}'>\
         <joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>\
         <joint name='spin' type='hinge' axis='0 1 0' damping='4e-4'/>\
         <geom name='pin' type='cylinder' size='{radius} {length}' euler='90 0 0' mass='{mass}'/></body></worldbody>\
         <actuator><position joint='x' kp='1e6'/><position joint='z' kp='1e6'/></actuator></mujoco>",
        -0.5 * size.half.x,
        top + radius
    );
    Scene::from_mjcf(&text, "pin.xml", &LoadOptions::default()).map_err(PageError::from_error)
}

/// The dough before it is rolled, and the pin as it meets it.
struct Dough {
    scene: Scene,
    particles: Particles,
    materials: Vec<Box<dyn Material>>,
    ground: Vec<Wall>,
    pin: Vec<Obstacle>,
}

/// Dough of this size, particles on a lattice.
fn dough(size: &Size) -> Result<Dough, PageError> {
    let scene = scene(size)?;
    let pin = obstacles(&scene, &[0], SURFACE.material()).map_err(PageError::from_error)?;
    let lame = Lame::new(ELASTIC.0, ELASTIC.1).map_err(PageError::from_error)?;
    let material = VonMises::new(lame, YIELD).map_err(PageError::from_error)?;
    let mut particles = Particles::default();
    let lying = Isometry3::translation(0.0, 0.0, size.half.z);
    particles
        .fill(&Shape::Box { half_extents: size.half }, &lying, SPACING / ALONG, DENSITY, 0)
        .map_err(PageError::from_error)?;
    let ground = Wall { point: Vector3::zeros(), normal: Vector3::z(), border: Border::Sticky };
    Ok(Dough { scene, particles, materials: vec![Box::new(material)], ground: vec![ground], pin })
}

/// The fast path beside the pin, and the state of the pin.
fn fast(
    Dough { scene, particles, materials, ground, pin }: Dough,
    solver: Box<dyn ContactSolver>,
    relative: f64,
    substeps: u32,
) -> Result<(Fast, State), PageError> {
    let options = MpmOptions { spacing: SPACING, ..MpmOptions::default() };
    let engine = MpmEngine::<f32>::new(particles, materials, ground, pin, law()?, options)
        .map_err(PageError::from_error)?
        .with_solver(solver, Tolerance { relative, max_iterations: MOST });
    beside(&scene, &[0], engine, substeps)
}

/// A run before its first step.
struct Start {
    coupled: Coupled,
    /// State of the dough.
    x: State,
    /// State of the pin.
    y: State,
    /// Largest residual at the end of a solve.
    worst: Arc<Mutex<f64>>,
}

fn couple(run: &Run, size: &Size) -> Result<Start, PageError> {
    let (way, tolerance) = (run.way, run.tolerance);
    let dough = dough(size)?;
    let solver = Watched { solver: way.solver(), worst: Arc::default() };
    let worst = Arc::clone(&solver.worst);
    if way == Way::WeakFast {
        let (c, y) = fast(dough, Box::new(solver), tolerance, run.substeps())?;
        let c = c.with_moving_bodies(run.moving);
        return Ok(Start { coupled: Coupled::Fast(Box::new(c)), x: State::default(), y, worst });
    }
    let Dough { scene, particles, materials, ground, pin } = dough;
    let options = MpmOptions { spacing: SPACING, ..MpmOptions::default() };
    let tolerance = Tolerance { relative: tolerance, max_iterations: MOST };
    let points =
        MpmSystem::new(particles, materials, ground, pin, law()?, options).map_err(PageError::from_error)?;
    let x = points.initial_state();
    let mut rigid =
        RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
    let y = rigid.initial_state(None).map_err(PageError::from_error)?;
    let step = ContactStep::new(solver).with_tolerance(tolerance);
    let coupled = if way.strong() {
        Monolithic::new(&scene, &[0], points, rigid, step).map(|c| Coupled::Strong(Box::new(c)))
    } else {
        let bodies = ContactStep::new(IcfSolver::default());
        Asynchronous::new(&scene, &[0], (points, step), rigid, bodies, run.substeps())
            .map(|c| Coupled::Weak(Box::new(c.with_moving_bodies(run.moving))))
    };
    Ok(Start { coupled: coupled.map_err(PageError::from_error)?, x, y, worst })
}

/// The rotation of the pin at a time \[rad\].
fn angle(turned: &[(f64, f64)], t: f64) -> f64 {
    let k = turned.partition_point(|p| p.0 < t).clamp(1, turned.len() - 1);
    let (a, b) = (turned[k - 1], turned[k]);
    a.1 + (b.1 - a.1) * (t - a.0) / (b.0 - a.0)
}

/// Target of the pin: forward and down \[m\].
fn target(t: f64) -> [f64; 2] {
    [SPEED * (t - PRESSING).max(0.0), -DEPTH * (t / PRESSING).min(1.0)]
}

/// A run on one thread, its last step as long as is left.
fn roll(run: Run, size: &Size) -> Result<Rolled, PageError> {
    on_one_thread(|| roll_here(run, size))
}

fn roll_here(run: Run, size: &Size) -> Result<Rolled, PageError> {
    let Start { coupled: mut c, mut x, mut y, worst } = couple(&run, size)?;
    let dt = run.dt;
    let start = c.particles(&x)?;
    let top = start.x.iter().map(|x| x.z).fold(0.0, f64::max);
    let layer: Vec<usize> = (0..start.len()).filter(|p| start.x[*p].z > top - 1e-6).collect();
    let steps = (size.end / dt - 1e-9).ceil() as u32;
    let mut bounds = Bounds::new(["pin".to_owned()], dt);
    let (mut cost, mut wall) = (0.0, 0.0);
    let (mut work, mut unconverged) = (0, 0);
    let mut turned = vec![(0.0, 0.0)];
    for k in 1..=steps {
        let from = f64::from(k - 1) * dt;
        let t = size.end.min(f64::from(k) * dt);
        c.rigid_mut().control_mut().copy_from_slice(&target(t));
        let (clock, spent) = (Instant::now(), ThreadTime::now());
        let r = c.step(&mut x, &mut y, t - from).map_err(PageError::from_error)?;
        cost += spent.elapsed().as_secs_f64();
        wall += clock.elapsed().as_secs_f64();
        bounds.add(&c.limits(), &r);
        work += r.material.iterations;
        unconverged += r.unconverged;
        turned.push((t, y.q[2]));
    }
    let end = c.particles(&x)?;
    let last = 0.2 * size.end;
    let spin = (angle(&turned, size.end) - angle(&turned, size.end - last)) / last * PIN.0 / SPEED;
    let solves = if run.way.strong() { steps } else { steps * run.substeps() };
    let residual = *worst.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Rolled {
        run,
        cost: cost / size.end * STEP,
        wall: wall / size.end * STEP,
        iterations: f64::from(work) / f64::from(solves),
        unconverged,
        residual,
        spin,
        height: layer.iter().map(|p| end.x[*p].z).sum::<f64>() / layer.len() as f64,
        turned,
        bounds,
    })
}

/// The paper's size of dough under the pin in the fast path, at its step and tolerance.
pub(super) fn statistics() -> Result<Statistics, PageError> {
    let (c, mut y) = fast(dough(&FULL)?, Way::WeakFast.solver(), 1e-2, SUBSTEPS)?;
    let mut c = c.with_moving_bodies(false);
    let mut out = Statistics::new("dough", STEP);
    for k in 1..=(FULL.end / STEP).round() as u32 {
        c.rigid_mut().control_mut().copy_from_slice(&target(f64::from(k) * STEP));
        let start = Instant::now();
        let r = c.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        out.add(c.points().engine(), &r, start);
    }
    Ok(out)
}

/// Weak coupling in the fast path at the loosest tolerance, to watch; its run is beside those that are timed.
fn film(size: &Size) -> Result<Attachment, PageError> {
    let dough = dough(size)?;
    let (scene, particles) = (dough.scene.clone(), 0..dough.particles.len());
    let (c, mut y) = fast(dough, Way::WeakFast.solver(), LOOSE, SUBSTEPS)?;
    let mut c = c.with_moving_bodies(false);
    let mut film = Film::new(&scene, &mut c, &y, vec![balls("dough", particles, SPACING / ALONG)]);
    for k in 1..=(size.end / STEP).round() as u32 {
        c.rigid_mut().control_mut().copy_from_slice(&target(f64::from(k) * STEP));
        c.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        film.see(&mut c, &y);
    }
    Ok(film.attachment("dough"))
}

impl Page for Fig04 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig04"
    }
    fn title(&self) -> &'static str {
        "Dough under a rolling pin: computing time and error of strong and weak coupling"
    }
    fn lead(&self) -> &'static str {
        "A rolling pin flattens dough, and computing time and error of strong and weak coupling are compared."
    }
    fn cost(&self) -> [f64; 3] {
        [8.0, 8.0, 3600.0]
    }
    fn alone(&self) -> bool {
        true
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let size = match ctx.full() {
            true => FULL,
            false => Size { half: Vector3::new(0.06, 0.04, 0.03), end: 0.25 },
        };
        let finer = Run::new(Way::StrongSparse, 1e-5, STEP / f64::from(FINER));
        let all = [vec![finer], Run::all(ctx.full())].concat();
        let parts = ctx.kept.parts::<Result<Rolled, String>>(FILE)?;
        let rolled = side_by_side(&all, rayon::current_num_threads(), |run| {
            let name = format!("{}, {:e}, steps of {} s", run.name(), run.tolerance, run.dt);
            parts.part(&format!("{}: {name}", ctx.budget.word()), || {
                ctx.say(name.clone());
                match roll(*run, &size) {
                    // Steps this long are for comparison only.
                    Err(e) if run.dt > STEP => Ok(Err(format!(
                        "The run \"{}\" with time steps of {} s ended early: {e}",
                        run.name(),
                        run.dt
                    ))),
                    other => other.map(Ok),
                }
            })
        })?;
        let (mut runs, mut failed) = (Vec::new(), Vec::new());
        for one in rolled {
            match one {
                Ok(run) => runs.push(run),
                Err(why) => failed.push(why),
            }
        }
        let reference = runs.remove(0);
        let mut out = report::output(&size, &reference, &runs, &failed);
        let caption =
            format!("The pin presses on the dough and rolls over it (weak coupling, f32, ε = {LOOSE})");
        out.film(film(&size)?, caption);
        Ok(out)
    }
}
