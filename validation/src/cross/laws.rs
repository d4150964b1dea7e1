use signorini_core::na::Vector3;
use signorini_core::{ContactSolver, Slot, SolveStatus, State, StepSolution, System, Tolerance};
use signorini_geometry::Shape;
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_reference::ReferenceSolver;
use signorini_scene::{Pose, Scene};

use crate::kurtz2025cenic::slope;
use crate::scenes::{Clutter, Stage, rigid, soft};
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::trace::{Run, Trace};
use signorini_run::{Method, Stepping, names};

/// Lagged, similar and SAP approach each other; two solvers find the same minimum.
pub(super) struct Laws;

const LAWS: [&str; 3] = ["lagged", "similar", "sap"];
const STIFFNESS: f64 = 1e4;
const FRICTION: f64 = 0.4;

impl Page for Laws {
    fn id(&self) -> &'static str {
        "cross/laws"
    }
    fn title(&self) -> &'static str {
        "Three contact laws and two solvers"
    }
    fn lead(&self) -> &'static str {
        "The motions under three contact laws approach each other as the time step shrinks, and two solvers find equal solutions of equal problems."
    }
    fn cost(&self) -> [f64; 3] {
        [0.6, 0.6, 10.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "The three contact laws are the lagged law, the similar law and the law of SAP. ICF solves all of them.".to_owned(),
            format!("Each contact point has a stiffness of k = {STIFFNESS:e} N/m and no dissipation: d = 0 for the law of Hunt and Crossley and τ_d \
                = 0 for SAP. The normal laws are then identical. The friction coefficient is μ = {FRICTION}, and the regularisation speed is v_s = \
                1e-4 m/s."),
            "The first scene is a box (1 kg, 0.2 × 0.2 × 0.1 m) that starts with 1 m/s at its static depth and slides to rest. The second scene is \
             a ball (1 kg, radius 0.1 m) that falls 0.05 m with 1 m/s sideways and spins up in its first bounces.".to_owned(),
            "The friction of the lagged law uses the normal force at the start of the step. The friction of the similar law and of SAP uses the \
             normal force at its end. A sliding body then glides above the surface by a distance of about δt μ‖v‖.".to_owned(),
        ]);
        differences(ctx, &mut out)?;
        solvers(ctx, &mut out)?;
        Ok(out)
    }
}

fn slide() -> Scene {
    let mut s = Stage::new("box slide", 1e-4);
    s.wall(Vector3::zeros(), Vector3::z(), &rigid(FRICTION));
    let h = Vector3::new(0.1, 0.1, 0.05);
    let depth = 9.81 / (4.0 * STIFFNESS);
    let inertia = Vector3::new(0.0125, 0.0125, 0.02) / 3.0;
    let b = s.free("box", Vector3::new(0.0, 0.0, h.z - depth).into(), 1.0, inertia);
    s.shape(b, Pose::identity(), Shape::Box { half_extents: h }, &soft(STIFFNESS, 0.0, FRICTION));
    s.scene()
}

fn drop() -> Scene {
    let mut s = Stage::new("ball drop", 1e-4);
    s.wall(Vector3::zeros(), Vector3::z(), &rigid(FRICTION));
    let b = s.free("ball", Vector3::new(0.0, 0.0, 0.15).into(), 1.0, Vector3::repeat(0.004));
    s.shape(b, Pose::identity(), Shape::Sphere { radius: 0.1 }, &soft(STIFFNESS, 0.0, FRICTION));
    s.scene()
}

fn differences(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let steps: &[f64] = if ctx.full() {
        &[2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5, 3.125e-5]
    } else {
        &[2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5]
    };
    for (scene, name, what) in [(slide(), "box slide", "box_slide"), (drop(), "ball drop", "ball_drop")] {
        let mut plot = Plot::new(
            what,
            &format!("{name}: largest difference of the centre's position over 0.4 s between two laws, over the time step."),
            "time step [s]",
            "position difference [mm]",
        )
        .log(true, true);
        let mut table = Table::new(
            &format!("{name}: largest difference of the centre's position over 0.4 s [mm]"),
            &[
                "time step [s]",
                "similar − lagged",
                "sap − lagged",
                "sap − similar",
                "change of lagged when the time step halves",
            ],
        );
        let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
        let mut coarser: Option<Trace> = None;
        for dt in steps {
            ctx.say(format!("{name}, {dt:e} s"));
            let mut runs = Vec::new();
            for law in LAWS {
                let method = names::method("icf", Some(law), Stepping::Fixed { dt: *dt })?;
                runs.push(Run::new(&scene, &method, 0.4).trace(|_, x| x.v[0] = 1.0)?);
            }
            let far = |a: &Trace, b: &Trace| {
                let times = (0..=200).map(|i| 2e-3 * f64::from(i));
                1e3 * times.map(|t| (a.q3(t, 0) - b.q3(t, 0)).norm()).fold(0.0, f64::max)
            };
            let own = coarser.as_ref().map_or(f64::NAN, |c| far(c, &runs[0]));
            let values = [far(&runs[0], &runs[1]), far(&runs[0], &runs[2]), far(&runs[1], &runs[2]), own];
            for (c, v) in curves.iter_mut().zip(values) {
                c.push((*dt, v));
            }
            let cell = |v: f64| if v.is_nan() { "–".into() } else { format!("{v:.2e}") };
            table.row([format!("{dt:e}")].into_iter().chain(values.map(cell)));
            coarser = runs.into_iter().next();
        }
        let names =
            ["similar − lagged", "sap − lagged", "sap − similar", "lagged, change when the time step halves"];
        for (i, (curve, label)) in curves.iter().zip(names).enumerate() {
            let shown = curve.iter().copied().filter(|p| p.1.is_finite()).collect();
            plot.add_colored(label, Mark::LinePoints, i, shown);
        }
        let last = curves[0][curves[0].len() - 1];
        plot.add_colored(
            "O(δt)",
            Mark::Dashed,
            6,
            steps.iter().map(|dt| (*dt, last.1 * dt / last.0)).collect(),
        );
        out.heading(format!("Laws: {name}"));
        out.plot(plot);
        out.table(table);
        for (i, label) in ["similar", "sap"].into_iter().enumerate() {
            let order = slope(&curves[i][1..]);
            out.claim(Claim::at_least(
                &format!("{what}/{label}_order"),
                &format!(
                    "{name}: convergence order of the difference between {label} and lagged in the time step"
                ),
                0.8,
                order,
                "",
            ));
            let end = curves[i][curves[i].len() - 1].1;
            out.claim(
                Claim::at_most(
                    &format!("{what}/{label}_difference"),
                    &format!(
                        "{name}: position difference between {label} and lagged at the smallest time step"
                    ),
                    1e-3,
                    1e-3 * end,
                    "m",
                )
                .required_since("0.5 % of the path of either body"),
            );
        }
    }
    Ok(())
}

/// Solves the step from `x` with a solver.
fn solved(
    solver: &mut dyn ContactSolver,
    sys: &mut dyn System,
    x: &State,
    dt: f64,
) -> Result<(StepSolution, SolveStatus), PageError> {
    sys.prepare(Slot::Start, x, dt).map_err(PageError::from_error)?;
    let p = sys.problem(Slot::Start, dt).map_err(PageError::from_error)?;
    let mut s = StepSolution::default();
    // Tighter than either solver's default, within the reach of double precision.
    let tol = Tolerance { relative: 1e-10, max_iterations: 200 };
    let status = solver.solve(p, &x.v, tol, &mut s).map_err(PageError::from_error)?;
    Ok((s, status))
}

fn solvers(ctx: &Context, out: &mut PageOutput) -> Result<(), PageError> {
    let scene = Clutter::hard(1).scene();
    let mut table = Table::new(
        "ICF and the dense reference solver on single steps of the hard clutter (seed 1) with 20 bodies and 120 unknowns",
        &[
            "law",
            "time [s]",
            "time step [s]",
            "contacts",
            "iterations of ICF",
            "iterations of the reference",
            "largest relative difference of the velocity v",
            "largest relative difference of the impulse γ",
        ],
    );
    let trace = Run::new(&scene, &Method::cenic(1e-2), 2.0).trace(|_, _| {})?;
    let mut icf = IcfSolver::new(IcfOptions::default());
    let mut reference = ReferenceSolver::default();
    let (mut worst_v, mut worst_gamma, mut failures, mut solves) = (0.0f64, 0.0f64, 0, 0);
    for law in LAWS {
        let method = names::method("icf", Some(law), Stepping::accurate(1e-3))?;
        let mut sys = method.system(&scene).map_err(PageError::from_error)?;
        let mut x = sys.initial_state(None).map_err(PageError::from_error)?;
        for t in [0.25, 0.5, 1.0, 1.5, 2.0] {
            ctx.say(format!("{law}, t = {t} s"));
            let row = trace.t.partition_point(|s| *s < t).min(trace.len() - 1);
            x.t = trace.t[row];
            x.q.clone_from(&trace.q[row]);
            x.v.clone_from(&trace.v[row]);
            for dt in [1e-2, 1e-3] {
                let (a, ended_a) = solved(&mut icf, &mut sys, &x, dt)?;
                let (b, ended_b) = solved(&mut reference, &mut sys, &x, dt)?;
                let relative = |a: &[f64], b: &[f64]| {
                    let scale = b.iter().map(|x| x.abs()).fold(1e-12, f64::max);
                    a.iter().zip(b).map(|(x, y)| (x - y).abs() / scale).fold(0.0, f64::max)
                };
                solves += 2;
                failures += i32::from(ended_a == SolveStatus::IterationLimit)
                    + i32::from(ended_b == SolveStatus::IterationLimit);
                let (dv, dg) = (relative(&a.v, &b.v), relative(&a.gamma, &b.gamma));
                worst_v = worst_v.max(dv);
                worst_gamma = worst_gamma.max(dg);
                table.row([
                    law.to_owned(),
                    format!("{:.2}", x.t),
                    format!("{dt:e}"),
                    (a.gamma.len() / 3).to_string(),
                    a.stats.iterations.to_string(),
                    b.stats.iterations.to_string(),
                    format!("{dv:.1e}"),
                    format!("{dg:.1e}"),
                ]);
            }
        }
    }
    out.heading("Solvers");
    out.table(table);
    out.claim(
        Claim::at_most("solvers/velocity", "ICF and the reference find equal velocities: largest difference relative to the largest \
            velocity", 1e-8, worst_v, "")
            .rule("at most 1e-8. Both residuals are below 1e-10. Friction that is regularised at 1e-4 m/s makes some directions soft by a factor of \
                a hundred."),
    );
    out.claim(
        Claim::at_most(
            "solvers/impulse",
            "ICF and the reference find equal impulses: largest difference relative to the largest impulse",
            1e-7,
            worst_gamma,
            "",
        )
        .rule("at most 1e-7, ten times the bound of the velocities, because the impulses of stiff contacts follow the velocities"),
    );
    out.claim(Claim::at_most(
        "solvers/limit",
        &format!("number of solves, of {solves}, that reach the iteration limit"),
        0.0,
        f64::from(failures),
        "",
    ));
    Ok(())
}
