use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{AcceptedStep, Integrator, State, StepObserver, System, Tolerance};
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_ipc::{AffineSystem, IpcOptions, IpcSolver};

use super::film::Film;
use super::scenes::{self, Placed, at, block};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Gains of error control on an impact and on a falling stack.
pub(super) struct ErrorControl;

const DENSITY: f64 = 1000.0;
/// Soft enough that steps of a millisecond resolve an impact.
const RANGE: f64 = 5e-3;
const STIFFNESS: f64 = 1e8;
/// Newton tolerance of equal steps \[m/s\].
const TIGHT: f64 = 1e-8;

/// A scene of falling cubes, with the time at which its error is measured \[s\].
struct Fall {
    key: &'static str,
    name: &'static str,
    cubes: usize,
    end: f64,
}

const FALLS: [Fall; 2] = [
    Fall { key: "impact", name: "Impact of one cube", cubes: 1, end: 0.2 },
    Fall { key: "stack", name: "Stack of four cubes", cubes: 4, end: 0.16 },
];

/// Cubes of 0.1 m over a floor, 50 mm apart.
fn system(cubes: usize) -> Result<AffineSystem, PageError> {
    let mut bodies: Placed =
        vec![(block("floor", [2.0, 2.0, 0.05], DENSITY, 0.0)?.held(), at(0.0, 0.0, -0.05))];
    for k in 0..cubes {
        // Turned a little against each other, so that edges are not parallel.
        let k_th = k as f64;
        let place =
            Isometry3::new(Vector3::new(0.0, 0.0, 0.1 + 0.15 * k_th), Vector3::new(0.0, 0.0, 0.1 * k_th));
        bodies.push((block(&format!("cube {k}"), [0.05; 3], DENSITY, 0.0)?, place));
    }
    let options = IpcOptions { range: RANGE, stiffness: STIFFNESS, ..IpcOptions::default() };
    AffineSystem::new(bodies, &[], options).map_err(PageError::from_error)
}

/// Time between pictures of an impact \[s\].
const PICTURE: f64 = 2e-3;

/// Height of the lowest cube over time, step sizes, and a film with a system that places its bodies.
struct Seen {
    height: Vec<(f64, f64)>,
    steps: Vec<(f64, f64)>,
    placed: AffineSystem,
    film: Film,
}

impl StepObserver for Seen {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.height.push((step.x1.t, 1e3 * (step.x1.q[2] - 0.05)));
        self.steps.push((step.x0.t, 1e3 * (step.x1.t - step.x0.t)));
        self.film.see(&self.placed, step.x1);
    }
}

/// One run: Newton iterations, positions of all points at the end, observations.
struct Ran {
    iterations: u64,
    steps: u64,
    end: State,
    seen: Seen,
    intact: Intact,
}

/// Invariants of a run, or of several.
#[derive(Clone, Copy)]
struct Intact {
    /// Smallest distance \[m\].
    least: f64,
    crossing: bool,
    unconverged: u64,
}

impl Intact {
    /// The worse of each.
    fn and(self, o: Self) -> Self {
        Self {
            least: self.least.min(o.least),
            crossing: self.crossing || o.crossing,
            unconverged: self.unconverged + o.unconverged,
        }
    }
}

fn run(fall: &Fall, integrator: &mut dyn Integrator) -> Result<Ran, PageError> {
    let mut s = system(fall.cubes)?;
    let mut x = s.initial_state();
    let placed = system(fall.cubes)?;
    let film = Film::new(&placed, &x).every(PICTURE);
    let mut seen = Seen { height: Vec::new(), steps: Vec::new(), placed, film };
    let r = integrator.advance(&mut s, &mut x, fall.end, &mut seen).map_err(PageError::from_error)?;
    let last = s.invariants(&x);
    let observed = s.observed();
    let intact = Intact {
        least: last.smallest_distance.min(observed.smallest_distance),
        crossing: last.crossing.is_some() || observed.crossing.is_some(),
        unconverged: r.unconverged,
    };
    Ok(Ran { iterations: r.iterations, steps: r.steps, end: x, seen, intact })
}

fn equal(fall: &Fall, dt: f64) -> Result<Ran, PageError> {
    let tolerance = Tolerance { relative: TIGHT, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    run(fall, &mut FixedStep::new(step, dt).map_err(PageError::from_error)?)
}

/// Work at which a curve of (work, error), falling, has an error; straight between points in logarithms, and beyond the last by its last slope.
fn work_at(curve: &[(f64, f64)], error: f64) -> Option<f64> {
    let logs: Vec<(f64, f64)> = curve.iter().map(|(w, e)| (w.ln(), e.ln())).collect();
    let pair = logs.windows(2).find(|p| p[1].1 <= error.ln()).or(logs.windows(2).last())?;
    let ((w0, e0), (w1, e1)) = (pair[0], pair[1]);
    Some((w0 + (w1 - w0) * (error.ln() - e0) / (e1 - e0)).exp())
}

impl Page for ErrorControl {
    fn id(&self) -> &'static str {
        "chen2022midas/error_control"
    }
    fn title(&self) -> &'static str {
        "Incremental potential contact with error-controlled time steps"
    }
    fn lead(&self) -> &'static str {
        "Falling cubes with error-controlled time steps converge as the accuracy increases, and they do not intersect."
    }
    fn cost(&self) -> [f64; 3] {
        [1.8, 1.8, 30.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let accuracies: &[f64] =
            if ctx.full() { &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7] } else { &[1e-3, 1e-4, 1e-5, 1e-6] };
        let halvings = if ctx.full() { 10 } else { 9 };
        let mut out = PageOutput::new([
            format!(
                "The paper has no such experiment. Cubes of 0.1 m and {DENSITY} kg/m³ fall 50 mm onto a floor without friction. \
                 One scene has a single cube. The other scene has four cubes above each other with gaps of 50 mm, and each cube is rotated by a \
                 further 0.1 rad. \
                 The barrier has d̂ = {} m and κ = {} J/m⁴. It is so soft that an impact takes milliseconds.",
                number(RANGE),
                number(STIFFNESS),
            ),
            format!(
                "Runs with equal time steps have h = 10 ms / 2ⁿ and a Newton tolerance of {} m/s. Error control uses step doubling (`cenic`) with its own \
                 tolerances. Newton iterations count all work, including rejected steps and both half steps.",
                number(TIGHT),
            ),
            format!(
                "The error is the largest distance between a surface point and its position in the finest run, at {} and {} s. \
                 The finest run uses error control with a hundred times higher accuracy than shown. \
                 The stack is measured after its first impacts, because each later impact multiplies earlier errors. \
                 In the scene of the stack, error control only saves work at high accuracy. At an accuracy of 1e-4 equal time steps with equal error need a \
                 quarter of the iterations. The claim is about the finest accuracy.",
                FALLS[0].end, FALLS[1].end
            ),
        ]);
        for fall in &FALLS {
            ctx.say(format!("{}, reference", fall.name));
            let finest = 1e-2 * accuracies[accuracies.len() - 1];
            let reference = run(fall, &mut cenic(IpcSolver::default(), finest))?;
            let s = system(fall.cubes)?;
            let mut work = Plot::new(
                &format!("{}_work", fall.key),
                &format!(
                    "{}: position error at {} s against the number of Newton iterations",
                    fall.name, fall.end
                ),
                "Newton iterations [–]",
                "position error [mm]",
            )
            .log(true, true);
            let mut height = Plot::new(
                &format!("{}_height", fall.key),
                &format!(
                    "{}: gap between the lowest cube and the floor, and time steps of the error control at an accuracy of 1e-5",
                    fall.name
                ),
                "time [s]",
                "gap [mm], time step [ms]",
            );
            height.add(
                "gap, finest run",
                Mark::Dashed,
                reference.seen.height.iter().copied().step_by(8).collect(),
            );
            let mut table = Table::new(
                &format!("{}: work and error", fall.name),
                &["time steps or accuracy", "number of steps", "Newton iterations", "position error [mm]"],
            );
            let mut intact = reference.intact;
            let mut film = None;
            let (mut fixed, mut controlled) = (Vec::new(), Vec::new());
            let mut row = |name: String, r: &Ran, error: f64| {
                table.row([name, r.steps.to_string(), r.iterations.to_string(), number(error)]);
            };
            for n in 0..halvings {
                let dt = 10e-3 / f64::from(1 << n);
                ctx.say(format!("{}, h = {} ms", fall.name, number(1e3 * dt)));
                let r = equal(fall, dt)?;
                let error = 1e3 * s.distance(&r.end, &reference.end);
                intact = intact.and(r.intact);
                fixed.push((r.iterations as f64, error));
                row(format!("h = {} ms", number(1e3 * dt)), &r, error);
            }
            for &accuracy in accuracies {
                ctx.say(format!("{}, accuracy {accuracy:e}", fall.name));
                let r = run(fall, &mut cenic(IpcSolver::default(), accuracy))?;
                let error = 1e3 * s.distance(&r.end, &reference.end);
                intact = intact.and(r.intact);
                controlled.push((r.iterations as f64, error));
                row(format!("accuracy {accuracy:e} m"), &r, error);
                if accuracy == 1e-5 {
                    height.add("gap, accuracy 1e-5", Mark::Line, r.seen.height.clone());
                    height.add("step, accuracy 1e-5", Mark::Points, r.seen.steps.clone());
                    film = Some(r.seen.film.attachment(fall.key));
                }
            }
            let last = controlled[controlled.len() - 1];
            let ratio = work_at(&fixed, last.1).map_or(f64::NAN, |w| w / last.0);
            work.add("equal steps", Mark::LinePoints, fixed);
            work.add("error control", Mark::LinePoints, controlled);
            out.heading(fall.name);
            if let Some(film) = film {
                out.film(film, format!("{}, with error control at an accuracy of 1e-5", fall.name));
            }
            out.plot(height);
            out.plot(work);
            out.table(table);
            out.claim(
                Claim::at_least(
                    &format!("{}/work", fall.key),
                    &format!("{}: Newton iterations of equal time steps over those of error control, at the error of the finest accuracy", fall.name),
                    1.0,
                    ratio,
                    "",
                )
                .rule("at least one, so that error control saves work; interpolated on the curve of equal time steps"),
            );
            out.claim(
                scenes::intact(
                    &format!("{}/intact", fall.key),
                    &format!("{}: no bodies intersect in any run and every solve converges", fall.name),
                    intact.least,
                    intact.crossing,
                    intact.unconverged,
                )
                .rule("smallest distance above zero, no overlap and no unconverged solve"),
            );
        }
        Ok(out)
    }
}
