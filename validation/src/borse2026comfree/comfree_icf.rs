use signorini_comfree::ComfreeSolver;
use signorini_core::na::{DMatrix, DVector};
use signorini_core::{
    ContactLaw, ContactMaterial, ContactSeed, ContactSolver, DenseProblem, Slot, StepProblem, StepSolution,
    System, Tolerance,
};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_laws::{DualCone, Gains, PublishedDualCone};

use crate::kurtz2025cenic::slope;
use crate::scenes::Clutter;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};
use signorini_run::Method;
use signorini_run::trace::Run;

/// ComFree and ICF on one law: the explicit evaluation approaches the minimum as the gain falls.
pub(super) struct ComfreeIcf;

/// κ \[1/s²\] and c \[1/s\]: K = κ R m, D = c R m.
const COMPLIANCE: [f64; 2] = [1000.0, 20.0];
const STEPS: [f64; 11] = [1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2];

/// Gain ‖(δt² K + δt D) W‖, and |v_explicit − v_implicit| over |v_explicit − v*|, in the largest entry.
fn compare(p: &mut dyn StepProblem) -> Result<Option<(f64, f64)>, PageError> {
    let free = p.free_velocity().to_vec();
    let mut comfree = ComfreeSolver::default();
    let (mut a, mut b) = (StepSolution::default(), StepSolution::default());
    // The residual of ICF must lie below the difference, which falls with the square of the step.
    let tol = Tolerance { relative: 1e-14, max_iterations: 500 };
    // ComFree leaves its multipliers in the problem, so it comes last.
    IcfSolver::new(IcfOptions::default()).solve(p, &free, tol, &mut b).map_err(PageError::from_error)?;
    let gain = comfree.gain(p, &free, 200).map_err(PageError::from_error)?;
    comfree.solve(p, &free, tol, &mut a).map_err(PageError::from_error)?;
    let distance = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
    let change = distance(&a.v, &free);
    Ok((change > 0.0 && gain > 0.0).then(|| (gain, distance(&a.v, &b.v) / change)))
}

/// Two contacts on a body of six freedoms.
fn dense(dt: f64, law: impl ContactLaw<3, Seed = ContactSeed>) -> Result<Option<(f64, f64)>, PageError> {
    let diagonal = [1.0, 1.0, 1.0, 0.02, 0.03, 0.01];
    let rows = DMatrix::from_fn(6, 6, |i, j| match j {
        j if j == i % 3 => 1.0,
        j if j >= 3 => 0.1 * ((1 + 3 * i + 2 * j) as f64).sin(),
        _ => 0.0,
    });
    let p = DenseProblem {
        A: DMatrix::from_diagonal(&DVector::from_row_slice(&diagonal)),
        v_star: DVector::from_vec(vec![-0.3, 0.2, -0.1, 0.5, -0.4, 0.3]),
        J: rows,
        phi0: DVector::from_vec(vec![-1e-4, -2e-4]),
        v0: DVector::from_vec(vec![-0.3, 0.2, -0.1, 0.5, -0.4, 0.3]),
        materials: vec![ContactMaterial::default(); 2],
        dt,
    };
    compare(&mut p.build(law).map_err(PageError::from_error)?)
}

impl Page for ComfreeIcf {
    fn id(&self) -> &'static str {
        "cross/comfree_icf"
    }
    fn title(&self) -> &'static str {
        "Explicit and implicit solution of one contact law"
    }
    fn lead(&self) -> &'static str {
        "ComFree solves a contact law explicitly and ICF solves it implicitly, and the difference of the velocities vanishes as the gain falls."
    }
    fn cost(&self) -> [f64; 3] {
        [0.2, 0.2, 0.2]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut plot = Plot::new(
            "difference",
            "Difference of the explicit and the implicit velocity, relative to the change of velocity that contact makes, over the gain. The dashed \
             line is the theory for a single eigenvalue.",
            "gain λ_max((δt² K + δt D) W) [–]",
            "relative difference [–]",
        )
        .log(true, true);
        let mut table = Table::new(
            "Gain and relative difference of the velocities",
            &["problem", "time step [s]", "gain", "relative difference"],
        );
        let mut claims = Vec::new();
        let [kappa, c] = COMPLIANCE;
        let law = DualCone { gains: Gains::Physical { kappa, c }, ..DualCone::default() };
        let scene = Clutter::hard(1).scene();
        let method = Method::comfree().with_step(0.002);
        let trace = Run::new(&scene, &method, 1.0).trace(|_, _| {})?;
        for (color, (id, name)) in [
            ("dense", "two contacts, default law"),
            ("dense_paper", "two contacts, law of the paper"),
            ("clutter", "clutter after 0.6 to 1 s, default law"),
        ]
        .into_iter()
        .enumerate()
        {
            // States of the clutter at 0.6 to 1 s: in each another set of facets becomes active with the time step.
            let rows = if id == "clutter" { 6..=10 } else { 10..=10 };
            let mut curves = Vec::new();
            for row in rows.map(|tenths| tenths * (trace.len() - 1) / 10) {
                let mut points = Vec::new();
                for dt in STEPS {
                    ctx.say(format!("{name}, {dt:e} s"));
                    let point = match id {
                        "dense" => dense(dt, law)?,
                        "dense_paper" => dense(dt, PublishedDualCone::new(kappa * dt, c * dt))?,
                        _ => {
                            let method = Method::comfree_with(law, 1).with_step(dt);
                            let mut sys = method.system(&scene).map_err(PageError::from_error)?;
                            let mut x = sys.initial_state(None).map_err(PageError::from_error)?;
                            x.q.clone_from(&trace.q[row]);
                            x.v.clone_from(&trace.v[row]);
                            sys.prepare(Slot::Start, &x, dt).map_err(PageError::from_error)?;
                            compare(sys.problem(Slot::Start, dt).map_err(PageError::from_error)?)?
                        }
                    };
                    let Some(point) = point else { continue };
                    table.row([
                        name.into(),
                        format!("{dt:e}"),
                        format!("{:.2e}", point.0),
                        format!("{:.2e}", point.1),
                    ]);
                    points.push(point);
                }
                curves.push(points);
            }
            let fine: Vec<Vec<_>> =
                curves.iter().map(|c| c.iter().copied().filter(|p| p.0 < 0.1).collect()).collect();
            let mut orders: Vec<f64> = fine.iter().map(|c| slope(c)).collect();
            orders.sort_by(f64::total_cmp);
            let of = if orders.len() > 1 { ", median of five states" } else { "" };
            claims.push(
                Claim::between(
                    &format!("{id}/order"),
                    &format!("{name}: convergence order of the difference in the gain, for gains below 0.1{of}"),
                    [0.9, 1.1],
                    orders[orders.len() / 2],
                    "",
                )
                .rule("in 0.9 … 1.1, over at least two decades")
                .because("The set of active facets changes with the time step, and the fit crosses this change. The bound of the next claims holds at \
                    every gain."),
            );
            let span = |c: &[(f64, f64)]| {
                let gains = || c.iter().map(|p| p.0);
                gains().fold(0.0, f64::max) / gains().fold(f64::INFINITY, f64::min)
            };
            claims.push(
                Claim::at_least(
                    &format!("{id}/decades"),
                    &format!("{name}: number of decades of the gain that the fit covers"),
                    2.0,
                    fine.iter().map(|c| span(c).log10()).fold(f64::INFINITY, f64::min),
                    "",
                )
                .required_since("An order over a shorter range says little."),
            );
            let ratios = curves.iter().flatten().map(|p| p.1 / (p.0 / (1.0 + p.0)));
            let worst = ratios.fold(0.0, f64::max);
            claims.push(
                Claim::at_most(&format!("{id}/bound"), &format!("{name}: largest ratio of the difference to λ/(1 + λ)"), 2.0, worst, "")
                    .rule("at most 2. H/(1 + H) bounds the difference in the norm of A while one set of facets is active. The entries of the \
                        velocity differ in scale."),
            );
            for (i, points) in curves.into_iter().enumerate() {
                plot.add_colored(if i == 0 { name } else { "" }, Mark::LinePoints, color, points);
            }
        }
        plot.add_closed_form(
            (0..=40).map(|i| 1e-4 * 10f64.powf(0.1 * f64::from(i))).map(|x| (x, x / (1.0 + x))).collect(),
        );
        let mut out = PageOutput::new([
            "The contact law is the dual cone with physical gains, κ = 1000/s² and c = 20/s. These gains give one compliance at all time steps.",
            "ComFree evaluates the law at the velocity without contact v*. ICF minimises ½‖v − v*‖²_A + Ψ(v), where Ψ is the potential of the \
             contacts and A is the inertia.",
            "For one set of active facets the difference of the two velocities is H/(1 + H) of the change that contact makes, with H = A⁻¹∇²Ψ. The \
             dashed line is this theory for a single eigenvalue.",
            "There are three problems: two contacts on a body with six degrees of freedom under the default law, the same body under the law of the \
             paper, and a clutter of bodies at five times from 0.6 to 1 s under the default law.",
        ]);
        out.plot(plot);
        out.extend(claims);
        out.table(table);
        Ok(out)
    }
}
