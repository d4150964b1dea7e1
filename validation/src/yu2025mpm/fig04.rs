use std::time::Instant;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{
    ContactSolver, SolveError, SolveStatus, State, StepError, StepProblem, StepSolution, Tolerance, WholePart,
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
use super::fast::{beside, law, surface};
use super::statistics::Statistics;
use crate::claim::number;
use crate::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 4: dough under a rolling pin, by solvers and tolerances.
pub(super) struct Fig04;

/// Young's modulus \[Pa\], Poisson's ratio, yield stress \[Pa\], density \[kg/m³\] of the dough.
const DOUGH: (f64, f64, f64, f64) = (2e4, 0.4, 1e3, 1000.0);
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
/// Stiffness of a particle's contact \[N/m\], dissipation \[s/m\], friction, speed below which it holds \[m/s\].
const SURFACE: (f64, f64, f64, f64) = (1e6, 1.0, 1.0, 1e-3);
/// Speed of the pin \[m/s\], depth to which it presses \[m\], time of pressing \[s\].
const SPEED: f64 = 0.2;
const DEPTH: f64 = 0.012;
const PRESSING: f64 = 0.1;
/// Relative tolerances.
const TOLERANCES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-5];
/// Iterations after which a solve ends without convergence.
const MOST: u32 = 300;

/// The stopping rule of the paper: ‖D∇‖ < ε max(‖D p‖, ‖D j‖) with momenta p and impulses j of contacts, those of the last solve.
struct PaperRule<S> {
    solver: S,
    whole: WholePart,
    impulse: f64,
}

impl<S: ContactSolver> ContactSolver for PaperRule<S> {
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
        self.whole.fit(p);
        let size = |p: &dyn StepProblem, v: &[f64]| {
            let mut a = vec![0.0; v.len()];
            p.inertia().apply(self.whole.part(), v, &mut a);
            a.iter().zip(p.inertia().scaling()).map(|(a, d)| (a * d).powi(2)).sum::<f64>().sqrt()
        };
        let free = size(p, p.free_velocity());
        let asked = free.max(size(p, guess)).max(self.impulse) + f64::MIN_POSITIVE;
        // Solvers ask for ε max(1, ‖D A v*‖).
        let relative = tol.relative * asked / free.max(1.0);
        let status = self.solver.solve(p, guess, Tolerance { relative, ..tol }, out)?;
        let given: Vec<f64> = out.v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
        self.impulse = size(p, &given);
        Ok(status)
    }
}

/// How a step is taken.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    StrongDense,
    StrongSparse,
    WeakNewton,
    WeakQuasi,
    WeakPcg,
}

impl Way {
    const ALL: [Self; 5] =
        [Self::StrongDense, Self::StrongSparse, Self::WeakNewton, Self::WeakQuasi, Self::WeakPcg];

    fn name(self) -> &'static str {
        match self {
            Self::StrongDense => "strong, dense Newton",
            Self::StrongSparse => "strong, sparse Newton",
            Self::WeakNewton => "weak, sparse Newton",
            Self::WeakQuasi => "weak, quasi-Newton",
            Self::WeakPcg => "weak, Newton–PCG",
        }
    }

    fn strong(self) -> bool {
        matches!(self, Self::StrongDense | Self::StrongSparse)
    }

    fn solver(self) -> Box<dyn ContactSolver> {
        let mpm = |direction| {
            Box::new(MpmSolver::new(MpmSolverOptions { direction, ..MpmSolverOptions::default() }))
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
            Self::WeakPcg => mpm(Direction::NewtonPcg),
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

/// What a run showed.
struct Rolled {
    /// Wall time of a step of [`STEP`], mean \[s\].
    wall: f64,
    /// Mean iterations of a solve.
    iterations: f64,
    unconverged: u32,
    /// ω r/v of the pin over the last fifth.
    spin: f64,
    /// Mean height of the top layer at the end \[m\].
    height: f64,
    /// Rotation of the pin over time \[rad\].
    turned: Vec<(f64, f64)>,
    /// √(2 T) of the dough, the largest: what ‖D p‖ would be over all nodes \[√J\].
    momentum: f64,
    /// Limits of weak coupling.
    bounds: Bounds,
}

type Solver = PaperRule<Box<dyn ContactSolver>>;

enum Coupled {
    Strong(Box<Monolithic<ContactStep<Solver>>>),
    Weak(Box<Asynchronous<SystemPoints<Solver>, ContactStep<IcfSolver>>>),
}

impl Coupled {
    fn rigid_mut(&mut self) -> &mut RigidSystem {
        match self {
            Self::Strong(c) => c.rigid_mut(),
            Self::Weak(c) => c.rigid_mut(),
        }
    }
    fn material(&self) -> &MpmSystem {
        match self {
            Self::Strong(c) => c.material(),
            Self::Weak(c) => c.points().system(),
        }
    }
    fn step(&mut self, x: &mut State, y: &mut State, dt: f64) -> Result<CouplingReport, StepError> {
        match self {
            Self::Strong(c) => c.step(x, y, dt),
            Self::Weak(c) => c.step(x, y, dt),
        }
    }
    /// Of weak coupling.
    fn limits(&self) -> Vec<Limit> {
        match self {
            Self::Strong(_) => vec![],
            Self::Weak(c) => c.limits(),
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
    let pin = obstacles(&scene, &[0], surface(SURFACE)).map_err(PageError::from_error)?;
    let (young, poisson, flow, density) = DOUGH;
    let lame = Lame::new(young, poisson).map_err(PageError::from_error)?;
    let material = VonMises::new(lame, flow).map_err(PageError::from_error)?;
    let mut particles = Particles::default();
    let lying = Isometry3::translation(0.0, 0.0, size.half.z);
    particles
        .fill(&Shape::Box { half_extents: size.half }, &lying, SPACING / ALONG, density, 0)
        .map_err(PageError::from_error)?;
    let ground = Wall { point: Vector3::zeros(), normal: Vector3::z(), border: Border::Sticky };
    Ok(Dough { scene, particles, materials: vec![Box::new(material)], ground: vec![ground], pin })
}

fn couple(way: Way, tolerance: f64, size: &Size) -> Result<(Coupled, State, State), PageError> {
    let Dough { scene, particles, materials, ground, pin } = dough(size)?;
    let options = MpmOptions { spacing: SPACING, ..MpmOptions::default() };
    let points =
        MpmSystem::new(particles, materials, ground, pin, law()?, options).map_err(PageError::from_error)?;
    let x = points.initial_state();
    let mut rigid =
        RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
    let y = rigid.initial_state(None).map_err(PageError::from_error)?;
    let tolerance = Tolerance { relative: tolerance, max_iterations: MOST };
    let solver = PaperRule { solver: way.solver(), whole: WholePart::default(), impulse: 0.0 };
    let step = ContactStep::new(solver).with_tolerance(tolerance);
    let coupled = if way.strong() {
        Monolithic::new(&scene, &[0], points, rigid, step).map(|c| Coupled::Strong(Box::new(c)))
    } else {
        let bodies = ContactStep::new(IcfSolver::default());
        Asynchronous::new(&scene, &[0], (points, step), (rigid, bodies), SUBSTEPS)
            .map(|c| Coupled::Weak(Box::new(c.with_moving_bodies(false))))
    };
    Ok((coupled.map_err(PageError::from_error)?, x, y))
}

/// Where the pin is told to be: forward and down \[m\].
fn target(t: f64) -> [f64; 2] {
    [SPEED * (t - PRESSING).max(0.0), -DEPTH * (t / PRESSING).min(1.0)]
}

fn roll(way: Way, tolerance: f64, size: &Size, finer: u32) -> Result<Rolled, PageError> {
    let (mut c, mut x, mut y) = couple(way, tolerance, size)?;
    let start = c.material().particles(&x).map_err(PageError::from_error)?;
    let top = start.x.iter().map(|x| x.z).fold(0.0, f64::max);
    let layer: Vec<usize> = (0..start.len()).filter(|p| start.x[*p].z > top - 1e-6).collect();
    let dt = STEP / f64::from(finer);
    let steps = (size.end / dt).round() as u32;
    let mut bounds = Bounds::new(["pin".to_owned()], dt);
    let (mut wall, mut work, mut unconverged, mut turned, mut momentum) = (0.0, 0, 0, vec![], 0.0f64);
    for k in 1..=steps {
        let t = f64::from(k) * dt;
        c.rigid_mut().control_mut().copy_from_slice(&target(t));
        let clock = Instant::now();
        let r = c.step(&mut x, &mut y, dt).map_err(PageError::from_error)?;
        wall += clock.elapsed().as_secs_f64();
        bounds.add(&c.limits(), &r);
        work += r.material.iterations;
        unconverged += r.unconverged;
        turned.push((t, y.q[2]));
        let p = c.material().particles(&x).map_err(PageError::from_error)?;
        momentum = momentum.max((2.0 * p.kinetic_energy(SPACING)).sqrt());
    }
    let end = c.material().particles(&x).map_err(PageError::from_error)?;
    let last = turned.len() / 5;
    let (from, to) = (turned[turned.len() - 1 - last], turned[turned.len() - 1]);
    let solves = if way.strong() { steps } else { steps * SUBSTEPS };
    Ok(Rolled {
        wall: wall / f64::from(steps) * f64::from(finer),
        iterations: f64::from(work) / f64::from(solves),
        unconverged,
        spin: (to.1 - from.1) / (to.0 - from.0) * PIN.0 / SPEED,
        height: layer.iter().map(|p| end.x[*p].z).sum::<f64>() / layer.len() as f64,
        turned,
        momentum,
        bounds,
    })
}

/// The paper's size of dough under the pin in the fast path, at its step and tolerance.
pub(super) fn statistics() -> Result<Statistics, PageError> {
    let size = FULL;
    let Dough { scene, particles, materials, ground, pin } = dough(&size)?;
    let options = MpmOptions { spacing: SPACING, ..MpmOptions::default() };
    let tolerance = Tolerance { relative: 1e-2, max_iterations: MOST };
    let engine = MpmEngine::<f32>::new(particles, materials, ground, pin, law()?, options)
        .map_err(PageError::from_error)?
        .with_solver(Box::<MpmSolver>::default(), tolerance);
    let (c, mut y) = beside(&scene, &[0], engine, SUBSTEPS)?;
    let mut c = c.with_moving_bodies(false);
    let mut out = Statistics::new("dough", STEP);
    for k in 1..=(size.end / STEP).round() as u32 {
        c.rigid_mut().control_mut().copy_from_slice(&target(f64::from(k) * STEP));
        let start = Instant::now();
        let r = c.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        out.add(c.points().engine(), &r, start);
    }
    Ok(out)
}

impl Page for Fig04 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig04"
    }
    fn title(&self) -> &'static str {
        "Dough under a rolling pin: time and error of strong and weak coupling"
    }
    fn cost(&self) -> (f64, f64) {
        (60.0, 3600.0)
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let size = match ctx.full() {
            true => FULL,
            false => Size { half: Vector3::new(0.06, 0.04, 0.03), end: 0.25 },
        };
        ctx.say("strong coupling at an eighth of the step");
        let reference = roll(Way::StrongSparse, 1e-5, &size, FINER)?;
        let mut runs = Vec::new();
        for way in Way::ALL {
            for tolerance in TOLERANCES {
                // The dense one is slow, and takes the iterations of the sparse one.
                if way == Way::StrongDense && tolerance != 1e-3 && !ctx.full() {
                    continue;
                }
                ctx.say(format!("{}, {tolerance:e}", way.name()));
                runs.push((way, tolerance, roll(way, tolerance, &size, 1)?));
            }
        }
        Ok(output(&size, &reference, &runs))
    }
}

fn output(size: &Size, reference: &Rolled, runs: &[(Way, f64, Rolled)]) -> PageOutput {
    let (young, poisson, flow, density) = DOUGH;
    let depth = |r: &Rolled| (r.height - reference.height).abs() / DEPTH;
    let spin = |r: &Rolled| (r.spin - reference.spin).abs();
    let mut out = PageOutput {
        text: vec![format!(
            "Dough of {} × {} × {} m on sticky ground (E = {} Pa, ν = {poisson}, yield stress {} Pa, {density} kg/m³: the numbers of the authors' release; those of an earlier one are E = 5·10⁴ Pa, ν = 0.49, 2000 Pa), grid of {SPACING} m, {ALONG} particles to it along each axis. \
             A pin of radius {} m and {} kg is pressed {DEPTH} m down within {PRESSING} s and led forward at {SPEED} m/s, up to {} s; it turns freely about its axis (damping 4·10⁻⁴ N·m·s). Contacts of {} N/m for each particle, {} s/m, friction {}, held below {} m/s. \
             Steps of {STEP} s. Strong coupling takes them for both, implicit in the stress (dough is elastic within a step and flows after it); weak coupling has {SUBSTEPS} substeps of the dough, explicit in the stress. \
             Solves end as in the paper, ‖D∇‖ < ε max(‖D p‖, ‖D j‖), with momenta p and the impulses j of the last solve, or after {MOST} iterations. Solvers here ask for ε max(1, ‖D A v*‖), whose 1 has the unit √J: the momentum of all the dough is at most {} √J in this scene, so that their ε = 0.1 would let most solves pass without an iteration. \
             The reference is strong coupling at a step of {} s. Times are those of this machine, one thread, the mean of all steps.",
            2.0 * size.half.x,
            2.0 * size.half.y,
            2.0 * size.half.z,
            number(young),
            number(flow),
            PIN.0,
            PIN.2,
            size.end,
            number(SURFACE.0),
            SURFACE.1,
            SURFACE.2,
            number(SURFACE.3),
            number(reference.momentum),
            number(STEP / f64::from(FINER)),
        )],
        ..PageOutput::default()
    };
    let mut table = Table::new(
        "Runs beside the reference",
        &[
            "way",
            "ε",
            "time of a step [ms]",
            "iterations of a solve",
            "not converged",
            "ω r/v",
            "error of ω r/v",
            "error of the height, of the depth",
        ],
    );
    for (name, tolerance, r) in
        runs.iter().map(|(w, t, r)| (w.name(), number(*t), r)).chain([("reference", number(1e-5), reference)])
    {
        table.row([
            name.to_owned(),
            tolerance,
            number(1e3 * r.wall),
            number(r.iterations),
            r.unconverged.to_string(),
            number(r.spin),
            number(spin(r)),
            number(depth(r)),
        ]);
    }
    out.tables.extend([table, ratios(runs, |r| spin(r).max(depth(r)))]);
    let weak = runs.iter().find(|r| r.0 == Way::WeakNewton && r.1 == 1e-3);
    out.tables.extend(weak.map(|r| r.2.bounds.table()));
    let mut times =
        Plot::new("time", "Wall time of a step against the tolerance", "tolerance ε", "time of a step [ms]")
            .log(true, true);
    let mut errors = Plot::new(
        "error",
        "Error of the height of the dough, as a part of the depth pressed, against the tolerance",
        "tolerance ε",
        "error of the height",
    )
    .log(true, true);
    let mut turns = Plot::new(
        "turned",
        "Path that the pin rolls, r times its rotation, at ε = 1e-3; grey: rolling without slip",
        "time [s]",
        "r θ [m]",
    );
    for (color, way) in Way::ALL.into_iter().enumerate() {
        let own = || runs.iter().filter(move |r| r.0 == way);
        times.add_colored(
            way.name(),
            Mark::LinePoints,
            color,
            own().map(|r| (r.1, 1e3 * r.2.wall)).collect(),
        );
        errors.add_colored(way.name(), Mark::LinePoints, color, own().map(|r| (r.1, depth(&r.2))).collect());
        if let Some(r) = own().find(|r| r.1 == 1e-3) {
            let path = r.2.turned.iter().map(|(t, a)| (*t, PIN.0 * a)).collect();
            turns.add_colored(way.name(), Mark::Line, color, path);
        }
    }
    turns.add_closed_form(vec![(0.0, 0.0), (PRESSING, 0.0), (size.end, SPEED * (size.end - PRESSING))]);
    out.plots = vec![times, errors, turns];
    out.claims = claims(reference, runs);
    out
}

/// Times of weak coupling at ε = 0.1 beside those of strong coupling at the same error or a smaller one: its fastest run of those, or its most accurate where none is.
fn ratios(runs: &[(Way, f64, Rolled)], error: impl Fn(&Rolled) -> f64) -> Table {
    let mut table = Table::new(
        "Weak coupling at ε = 0.1 beside strong coupling at equal error, the larger of those of ω r/v and of the height",
        &[
            "weak",
            "error",
            "time of a step [ms]",
            "strong",
            "ε",
            "error",
            "time of a step [ms]",
            "times as long",
        ],
    );
    for weak in [Way::WeakNewton, Way::WeakQuasi, Way::WeakPcg] {
        let Some((_, _, w)) = runs.iter().find(|r| r.0 == weak && r.1 == 1e-1) else { continue };
        for strong in [Way::StrongSparse, Way::StrongDense] {
            let own = || runs.iter().filter(|r| r.0 == strong);
            let as_good = own().filter(|r| error(&r.2) <= error(w));
            let fastest = as_good.min_by(|a, b| a.2.wall.total_cmp(&b.2.wall));
            let best = || own().min_by(|a, b| error(&a.2).total_cmp(&error(&b.2)));
            let Some((_, tolerance, s)) = fastest.or_else(best) else { continue };
            table.row([
                weak.name().to_owned(),
                number(error(w)),
                number(1e3 * w.wall),
                strong.name().to_owned(),
                number(*tolerance),
                number(error(s)),
                number(1e3 * s.wall),
                format!("{:.1}", s.wall / w.wall),
            ]);
        }
    }
    table
}

fn claims(reference: &Rolled, runs: &[(Way, f64, Rolled)]) -> Vec<Claim> {
    let of = |way: Way, tolerance: f64| runs.iter().find(|r| r.0 == way && r.1 == tolerance).map(|r| &r.2);
    let far = |way: Way, tolerance: f64| {
        of(way, tolerance).map_or(f64::NAN, |r| (r.height - reference.height).abs() / DEPTH)
    };
    let both =
        |f: fn(&Rolled, &Rolled) -> f64| match (of(Way::StrongDense, 1e-3), of(Way::StrongSparse, 1e-3)) {
            (Some(a), Some(b)) => f(a, b),
            _ => f64::NAN,
        };
    let loosest = |way: Way| of(way, 1e-5).map_or(f64::NAN, |r| (r.spin - 1.0).abs());
    let left = |way: Way| runs.iter().filter(|r| r.0 == way).map(|r| r.2.unconverged).sum::<u32>();
    vec![
        Claim::at_most(
            "noslip",
            "the pin rolls: |ω r/v − 1|, reference",
            0.1,
            (reference.spin - 1.0).abs(),
            "",
        ),
        Claim::at_most(
            "noslip_strong",
            "the same of strong coupling at the long step",
            0.1,
            loosest(Way::StrongSparse),
            "",
        ),
        Claim::at_most("noslip_weak", "the same of weak coupling", 0.1, loosest(Way::WeakPcg), "").because("the dough shears along with the pin, in the reference too (see the first claim); pose and spin of the pin that it meets are those of the start of a step, which costs a few hundredths more"),
        Claim::at_most(
            "dense",
            "dense and sparse strong coupling end at the same height and spin",
            1e-4,
            both(|a, b| ((a.height - b.height) / DEPTH).abs().max((a.spin - b.spin).abs())),
            "",
        ),
        Claim::at_least(
            "sparse",
            "strong coupling is faster with a sparse factor than with a dense one",
            1.5,
            both(|a, b| a.wall / b.wall),
            "",
        ),
        Claim::at_most(
            "height_strong",
            "height of strong coupling at the long step, of the depth",
            0.1,
            far(Way::StrongSparse, 1e-5),
            "",
        ),
        Claim::at_most(
            "height_weak",
            "height of weak coupling, of the depth",
            0.1,
            far(Way::WeakPcg, 1e-5),
            "",
        ),
        Claim::at_most(
            "loose",
            "height of weak coupling with Newton–PCG at ε = 0.1, of the depth",
            0.1,
            far(Way::WeakPcg, 1e-1),
            "",
        ),
        Claim::at_most(
            "converged",
            "solves of Newton's method and Newton–PCG that did not converge",
            0.0,
            f64::from(left(Way::StrongSparse) + left(Way::WeakNewton) + left(Way::WeakPcg)),
            "",
        ),
    ]
}
