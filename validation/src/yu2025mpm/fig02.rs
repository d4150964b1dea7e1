use signorini_comfree::ComfreeSolver;
use signorini_core::na::Vector3;
use signorini_core::{ContactSolver, State, Tolerance};
use signorini_coupling::{Asynchronous, EnginePoints, obstacles};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_mpm::{FixedCorotated, Lame, MpmEngine, MpmOptions, MpmSolver};
use signorini_multibody::{RigidOptions, RigidSystem};

use super::bounds::Bounds;
use super::fast::{Surface, law};
use super::pressed_cube::{PRESS, SHIFT, SIDE, panels, particles};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Fig. 2: a rubber cube that two panels press and carry.
pub(super) struct Fig02;

/// Particles along the cube, density \[kg/m³\].
const ALONG: usize = 11;
const DENSITY: f64 = 400.0;
/// Young's modulus \[Pa\] and Poisson's ratio.
const RUBBER: (f64, f64) = (1e5, 0.4);
/// Spacing of the grid \[m\]; both steps \[s\].
const SPACING: f64 = 0.025;
const STEP: f64 = 1e-4;
/// Mass of a panel \[kg\].
const PANEL: f64 = 0.0933;
/// Stiffness of a particle's contact \[N/m\], dissipation \[s/m\], friction, speed below which it holds \[m/s\].
const STIFFNESS: f64 = 1e5;
const DISSIPATION: f64 = 10.0;
const FRICTION: f64 = 0.8;
const STICTION: f64 = 1e-3;
/// Time in which strain rates fade \[s\].
const FADING: f64 = 2e-3;
/// Substeps of the explicit coupling in a step of its own run.
const FINER: u32 = 10;
/// Means and deviations are of so much time at the end, plots of so much \[s\].
const LAST: f64 = 0.03;
const SHOWN: f64 = 0.01;

/// Force of the cube on the left panel over time \[N\], depth of the deepest particle in a panel in the last step \[m\], solves that did not converge, limits of both panels.
struct Pressed {
    force: Vec<(f64, Vector3<f64>)>,
    deepest: f64,
    unconverged: u32,
    bounds: Bounds,
}

fn press(solver: Box<dyn ContactSolver>, substeps: u32, end: f64) -> Result<Pressed, PageError> {
    let scene = panels(PANEL, ALONG, STIFFNESS)?;
    let panel = Surface {
        stiffness: STIFFNESS,
        dissipation: DISSIPATION,
        friction: FRICTION,
        stiction_speed: STICTION,
    };
    let geoms = [0, 1];
    let obstacles = obstacles(&scene, &geoms, panel.material()).map_err(PageError::from_error)?;
    let rubber = FixedCorotated(Lame::new(RUBBER.0, RUBBER.1).map_err(PageError::from_error)?);
    let options = MpmOptions { spacing: SPACING, damping_time: FADING, ..MpmOptions::default() };
    let cube = particles(ALONG, DENSITY, SPACING);
    let points = MpmEngine::<f64>::new(cube, vec![Box::new(rubber)], vec![], obstacles, law()?, options);
    let tolerance = Tolerance { relative: 1e-8, max_iterations: 100 };
    let points = points.map_err(PageError::from_error)?.with_solver(solver, tolerance);
    let mut rigid =
        RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
    let mut y: State = rigid.initial_state(None).map_err(PageError::from_error)?;
    let bodies = ContactStep::new(IcfSolver::default());
    type Coupled = Asynchronous<EnginePoints<f64>, ContactStep<IcfSolver>>;
    let mut coupled = Coupled::new(&scene, &geoms, points, rigid, bodies, substeps)
        .map_err(PageError::from_error)?
        .with_moving_bodies(false);
    coupled.rigid_mut().control_mut().fill(PRESS);
    let names = scene.geoms.iter().map(|g| g.name.clone());
    let mut out =
        Pressed { force: Vec::new(), deepest: 0.0, unconverged: 0, bounds: Bounds::new(names, STEP) };
    for k in 1..=(end / STEP).round() as u32 {
        let r = coupled.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        out.force.push((f64::from(k) * STEP, r.impulses[0][0] / STEP));
        out.deepest = r.deepest.iter().copied().fold(0.0, f64::max);
        out.unconverged += r.unconverged;
        out.bounds.add(&coupled.limits(), &r);
    }
    Ok(out)
}

/// Mean of each component over the end, and the largest distance from it.
fn settled(force: &[(f64, Vector3<f64>)]) -> (Vector3<f64>, Vector3<f64>) {
    let last = &force[force.len() - (LAST / STEP).round() as usize..];
    let mean = last.iter().map(|f| f.1).sum::<Vector3<f64>>() / last.len() as f64;
    (mean, last.iter().map(|f| (f.1 - mean).abs()).fold(Vector3::zeros(), |a, b| a.sup(&b)))
}

impl Page for Fig02 {
    fn id(&self) -> &'static str {
        "yu2025mpm/fig02"
    }
    fn title(&self) -> &'static str {
        "A rubber cube pressed between two panels"
    }
    fn lead(&self) -> &'static str {
        "Two panels press a rubber cube, and the contact force is compared for convex and explicit coupling."
    }
    fn cost(&self) -> [f64; 3] {
        [3.0, 3.0, 12.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let end = if ctx.full() { 0.2 } else { 0.12 };
        let mass = DENSITY * SIDE.powi(3);
        let scene = format!(
            "A rubber cube of {SIDE} m and {} kg lies between two panels of {PANEL} kg on slides. Each panel is pressed with {PRESS} N. \
             Gravity pulls the cube down, and friction with a coefficient of {FRICTION} holds it. \
             The cube has {ALONG}³ particles, and the outer particles lie on its faces. The material is fixed corotated with E = {} Pa and ν = {}. \
             Strain rates decay with a time constant of {FADING} s. \
             The centre of the cube is {SHIFT} grid spacings away from a grid node along y.",
            number(mass),
            number(RUBBER.0),
            RUBBER.1,
        );
        let contact = format!(
            "Each particle inside a panel has a contact stiffness of {} N/m and a dissipation of {DISSIPATION} s/m. The stiction speed is {STICTION} m/s. \
             The panels are boxes of 0.14 m width, so that the contact normals are the normals of the faces. \
             The grid spacing is {SPACING} m. Particles and panels take time steps of {} s with one substep.",
            number(STIFFNESS),
            number(STEP),
        );
        let balance = format!(
            "Static equilibrium gives the force of the cube on the left panel: {PRESS} N in the pressing direction (x), zero along y, and half of the \
             weight downward (z)."
        );
        let rival = format!(
            "The convex coupling is compared with an explicit coupling. The explicit coupling evaluates the contact law once, at the velocity without \
             contact. Friction of many particles on few grid nodes then overshoots. \
             The explicit coupling replaces the penalty coupling of the paper, whose simulator is not used here. The paper uses 25 substeps for it. \
             With {FINER} substeps (--full) the explicit coupling also settles, at {FINER} times the cost."
        );
        let mut out = PageOutput::new([scene, contact, balance, rival]);
        ctx.say("convex coupling");
        let convex = press(Box::new(MpmSolver::default()), 1, end)?;
        ctx.say("explicit coupling");
        let explicit = press(Box::new(ComfreeSolver::with_sweeps(1)), 1, end)?;
        let mut runs = vec![("explicit".to_owned(), explicit)];
        if ctx.full() {
            ctx.say("explicit coupling, more substeps");
            let finer = press(Box::new(ComfreeSolver::with_sweeps(1)), FINER, end)?;
            runs.push((format!("explicit, {FINER} substeps"), finer));
        }
        runs.push(("convex".to_owned(), convex));
        let expected = Vector3::new(-PRESS, 0.0, -0.5 * mass * 9.81);
        let mut table = Table::new(
            "Mean force over the last 0.03 s and the largest deviation from this mean",
            &[
                "coupling",
                "mean x [N]",
                "mean y [N]",
                "mean z [N]",
                "deviation x [N]",
                "deviation y [N]",
                "deviation z [N]",
            ],
        );
        for (name, run) in &runs {
            let (m, s) = settled(&run.force);
            table.row([name.clone()].into_iter().chain(m.iter().chain(s.iter()).map(|x| number(*x))));
        }
        let convex = &runs[runs.len() - 1].1;
        let ((mean, spread), (_, loose)) = (settled(&convex.force), settled(&runs[0].1.force));
        out.heading("Force on the left panel");
        for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let mut plot = Plot::new(
                &format!("force_{axis}"),
                &format!(
                    "Force on the left panel along {axis} in the last {} ms. The dashed line is the force of static equilibrium, which the curve of the \
                     convex coupling covers.",
                    number(1e3 * SHOWN),
                ),
                "time [s]",
                &format!("force along {axis} [N]"),
            );
            for (name, run) in &runs {
                let last = run.force.iter().filter(|(t, _)| *t > end - SHOWN);
                plot.add(name, Mark::Line, last.map(|(t, f)| (*t, f[i])).collect());
            }
            plot.add_closed_form(vec![(end - SHOWN, expected[i]), (end, expected[i])]);
            let room = 1.3 * settled(&runs[0].1.force).1[i].max(0.5);
            plot.y_range = Some([expected[i] - room, expected[i] + room]);
            out.plot(plot);
        }
        out.table(table);
        out.extend([
            Claim::relative("press", "force in the pressing direction (x) equals the pressing force", PRESS, -mean.x, 0.002, "N").published("10 N"),
            Claim::relative("carry", "downward force (z) equals half of the weight", -expected.z, -mean.z, 0.002, "N"),
            Claim::at_most("aside", "force along y, mean plus largest deviation", 1e-4 * PRESS, mean.y.abs() + spread.y, "N")
                .rule("at most a ten-thousandth of the pressing force, because only the grid nodes beside the middle break the symmetry of \
                    the scene").required(),
            Claim::at_most("steady", "largest deviation of any force component from its mean at the end", 0.1, spread.max(), "N").required_since("a hundredth of the pressing force"),
            Claim::at_most(
                "deepest",
                "penetration depth of the deepest particle at the end, relative to the depth under a uniform pressure",
                3.0,
                convex.deepest * ((ALONG * ALONG) as f64 * STIFFNESS) / PRESS,
                "",
            ).required_since("three times that depth, because particles at the edges of a face carry more than those inside"),
            Claim::at_least(
                "explicit",
                "largest force deviation of the explicit coupling, relative to the pressing force",
                1.0,
                loose.max() / PRESS,
                "",
            )
            .rule("at least 1, a hundred times the deviation of 0.1 N that the convex coupling may have")
            .with_substitute("One evaluation of the contact law at the velocity without contact replaces the paper's penalty coupling."),
            Claim::at_most("converged", "number of contact solves that do not converge", 0.0, f64::from(convex.unconverged), ""),
        ]);
        out.heading("Limits of weak coupling");
        out.table(convex.bounds.table());
        Ok(out)
    }
}
