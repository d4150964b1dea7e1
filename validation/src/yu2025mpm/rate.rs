use signorini_comfree::ComfreeSolver;
use signorini_core::na::{DMatrix, Isometry3, Vector3};
use signorini_core::{
    ContactSolver, Evals, Slot, State, StepSolution, System, Tolerance, WholePart, largest,
};
use signorini_geometry::Shape;
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_mpm::{
    Direction, FixedCorotated, Lame, MpmOptions, MpmSolver, MpmSolverOptions, MpmSystem, Obstacle, Particles,
};
use signorini_reference::DenseHessian;

use super::fast::{Surface, law};
use signorini_report::claim::number;
use signorini_report::{Claim, Context, Mark, Page, PageError, PageOutput, Plot, Table};

/// Rate at which the iterations of a substep's contact problem end.
pub(super) struct Rate;

/// Most iterations of the quasi-Newton, quick and full, and those at the end over which its rate is measured.
const ITERATIONS: [u32; 2] = [2000, 20_000];
const LAST: u32 = 100;

/// A cube between two panels that close.
struct Squeeze {
    name: &'static str,
    /// Step \[s\].
    dt: f64,
    /// Stiffness of a contact \[N/m\].
    stiffness: f64,
    /// Dissipation \[s/m\].
    dissipation: f64,
    /// Speed of the panels \[m/s\].
    speed: f64,
    /// Depth at the start \[m\].
    depth: f64,
}

const SQUEEZES: [Squeeze; 4] = [
    Squeeze { name: "steady", dt: 1e-4, stiffness: 1e5, dissipation: 10.0, speed: 0.0, depth: 8.3e-7 },
    Squeeze { name: "impact", dt: 1e-3, stiffness: 1e5, dissipation: 10.0, speed: 0.1, depth: 1e-5 },
    Squeeze { name: "stiff", dt: 1e-3, stiffness: 1e6, dissipation: 10.0, speed: 0.1, depth: 1e-5 },
    Squeeze { name: "dough", dt: 1e-3, stiffness: 1e6, dissipation: 1.0, speed: 0.5, depth: 1e-5 },
];

/// The bound on the rate is for a Hessian that does not change, that at the minimum: the allowed deviation of (1 − rate)/(1 − worst) from one.
const CHANGE: f64 = 0.01;
/// Velocities of one minimiser by different solvers \[m/s\]: a hundred times the tolerance of 1e-13 to which they solve.
const SAME: f64 = 1e-11;
const SAME_RULE: &str = "at most 1e-11, a hundred times the tolerance of 1e-13 of the solves";

/// 11³ particles, those of two faces just inside the panels.
fn squeezed(of: &Squeeze) -> Result<(MpmSystem, State), PageError> {
    let (count, size) = (11usize, 0.1);
    let mut p = Particles::default();
    let (apart, volume) = (size / (count - 1) as f64, size.powi(3) / (count as f64).powi(3));
    p.lattice(Vector3::new(0.2013, 0.2, 0.2), apart, [count; 3], 400.0, volume, 0);
    let (stiffness, dissipation) = (of.stiffness, of.dissipation);
    let surface = Surface { stiffness, dissipation, friction: 0.8, stiction_speed: 1e-3 }.material();
    let panel = |x: f64, v: f64| Obstacle {
        velocity: Vector3::new(v, 0.0, 0.0),
        ..Obstacle::new(
            "panel",
            Shape::Box { half_extents: Vector3::repeat(0.07) },
            Isometry3::translation(x, 0.25, 0.25),
            surface,
        )
    };
    let panels = vec![panel(0.2013 - 0.07 + of.depth, of.speed), panel(0.3013 + 0.07 - of.depth, -of.speed)];
    let options = MpmOptions { spacing: 0.025, courant: 10.0, ..MpmOptions::default() };
    let rubber = FixedCorotated(Lame::new(1e5, 0.4).map_err(PageError::from_error)?);
    let law = law()?;
    let s = MpmSystem::new(p, vec![Box::new(rubber)], vec![], panels, law, options);
    let s = s.map_err(PageError::from_error)?;
    let x = s.initial_state();
    Ok((s, x))
}

/// One contact problem, prepared.
struct Case {
    system: MpmSystem,
    guess: Vec<f64>,
    dt: f64,
}

impl Case {
    fn new(of: &Squeeze) -> Result<Self, PageError> {
        let (mut system, x) = squeezed(of)?;
        system.prepare(Slot::Start, &x, of.dt).map_err(PageError::from_error)?;
        let mut guess = Vec::new();
        system.guess(Slot::Start, &x, &mut guess);
        Ok(Self { system, guess, dt: of.dt })
    }

    fn solve(
        &mut self,
        solver: &mut dyn ContactSolver,
        relative: f64,
        most: u32,
    ) -> Result<StepSolution, PageError> {
        let guess = self.guess.clone();
        self.solve_from(&guess, solver, relative, most)
    }

    fn solve_from(
        &mut self,
        guess: &[f64],
        solver: &mut dyn ContactSolver,
        relative: f64,
        most: u32,
    ) -> Result<StepSolution, PageError> {
        let p = self.system.problem(Slot::Start, self.dt).map_err(PageError::from_error)?;
        let mut out = StepSolution::default();
        let tolerance = Tolerance { relative, max_iterations: most };
        solver.solve(p, guess, tolerance, &mut out).map_err(PageError::from_error)?;
        Ok(out)
    }

    /// (v − v̂)ᵀ ∇(v) with the minimiser v̂: twice the cost of v above the minimum, where the Hessian is that at the minimum \[J\].
    fn above(&mut self, v: &[f64], minimiser: &[f64]) -> Result<f64, PageError> {
        let p = self.system.problem(Slot::Start, self.dt).map_err(PageError::from_error)?;
        p.relinearize(v).map_err(PageError::from_error)?;
        let mut whole = WholePart::default();
        whole.fit(p);
        let mut evals = Evals::default();
        p.pools().size_evals(&mut evals);
        p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
        let drift: Vec<f64> = v.iter().zip(p.free_velocity()).map(|(v, s)| v - s).collect();
        let mut gradient = vec![0.0; v.len()];
        p.inertia().apply(whole.part(), &drift, &mut gradient);
        p.map().add_gradient(whole.part(), p.pools(), &evals, &mut gradient);
        Ok(v.iter().zip(minimiser).zip(&gradient).map(|((v, m), g)| (v - m) * g).sum())
    }

    /// The quasi-Newton: residuals of at most so many iterations, the end, and the part of its distance to the minimiser that an iteration of the last [`LAST`] above round-off left, in the norm of the Hessian.
    fn quasi_newton(
        &mut self,
        most: u32,
        minimiser: &[f64],
    ) -> Result<(Vec<f64>, StepSolution, f64), PageError> {
        let direction = Direction::BlockDiagonal;
        let mut solver = MpmSolver::new(MpmSolverOptions { direction, ..MpmSolverOptions::default() });
        // It knows nothing of iterations before: one run may go on where another ended.
        let mut from = self.solve(&mut solver, 1e-13, most - LAST)?;
        let mut history = solver.history().to_vec();
        let mut end = self.solve_from(&from.v, &mut solver, 1e-13, LAST)?;
        history.extend_from_slice(&solver.history()[1..]);
        // Above round-off.
        let above = history.iter().take_while(|r| **r > 1e-11 * history[0]).count() as u32 - 1;
        let mut last = LAST;
        let stop = if above < most {
            last = LAST.min(above);
            from = self.solve(&mut solver, 0.0, above - last)?;
            self.solve_from(&from.v, &mut solver, 0.0, last)?
        } else {
            std::mem::take(&mut end)
        };
        let left = self.above(&stop.v, minimiser)? / self.above(&from.v, minimiser)?;
        let rate = left.powf(0.5 / f64::from(last));
        Ok((history, if above < most { end } else { stop }, rate))
    }

    /// Depth of the deepest contact after the step, −(φ + δt v_n) \[m\].
    fn depth(&mut self, v_c: &[f64]) -> Result<f64, PageError> {
        let dt = self.dt;
        let p = self.system.problem(Slot::Start, dt).map_err(PageError::from_error)?;
        let after = p.contacts().iter().zip(v_c.chunks(3)).map(|(c, v)| -c.gap - dt * v[0]);
        Ok(after.fold(0.0, f64::max))
    }

    /// Smallest and largest eigenvalue of H_D⁻¹ H at contact velocities.
    fn extremes(&mut self, v_c: &[f64]) -> Result<[f64; 2], PageError> {
        let p = self.system.problem(Slot::Start, self.dt).map_err(PageError::from_error)?;
        let mut whole = WholePart::default();
        whole.fit(p);
        let mut evals = Evals::default();
        p.pools().size_evals(&mut evals);
        p.pools().eval(whole.part(), v_c, &mut evals);
        let starts = p.inertia().block_starts();
        let mut hessian = DenseHessian::new(starts);
        p.inertia().add_blocks(whole.part(), &mut hessian);
        p.map().add_hessian(whole.part(), p.pools(), &evals, &mut hessian);
        let h = hessian.matrix();
        // L⁻¹ H L⁻ᵀ with the factors L of the diagonal blocks.
        let mut factors = DMatrix::zeros(h.nrows(), h.ncols());
        for b in starts.windows(2) {
            let (at, n) = (b[0], b[1] - b[0]);
            let block = h.view((at, at), (n, n)).into_owned();
            let l = block.cholesky().ok_or_else(|| PageError::Run("a diagonal block is singular".into()))?;
            let inverse = l.l().try_inverse().ok_or_else(|| PageError::Run("a factor is singular".into()))?;
            factors.view_mut((at, at), (n, n)).copy_from(&inverse);
        }
        let scaled = &factors * h * factors.transpose();
        let values = scaled.symmetric_eigenvalues();
        Ok([values.min(), values.max()])
    }
}

/// Results of one case.
struct Found {
    name: &'static str,
    /// Residuals over the first, per iteration.
    curves: [(&'static str, Vec<f64>); 3],
    /// Condition number, rates that it bounds and that was measured.
    condition: f64,
    bound: f64,
    measured: f64,
    /// Residual of the quasi-Newton at its end, of the one asked for.
    end: f64,
    /// Largest differences of velocities to sparse Newton: Newton by conjugate gradients, the quasi-Newton \[m/s\].
    minimisers: [f64; 2],
    /// Largest difference of the evaluation in closed form to the minimum \[m/s\], depths after the step \[m\].
    apart: f64,
    depths: [f64; 2],
}

fn study(of: &Squeeze, most: u32) -> Result<Found, PageError> {
    let mut c = Case::new(of)?;
    let mut icf = IcfSolver::new(IcfOptions {
        islands: false,
        reuse_hessian: false,
        record_history: true,
        ..IcfOptions::default()
    });
    let exact = c.solve(&mut icf, 1e-13, 100)?;
    let newton: Vec<f64> = icf.history().iter().map(|r| r.residual).collect();
    let mut solver = MpmSolver::default();
    let by_gradients = c.solve(&mut solver, 1e-13, 100)?;
    let pcg = solver.history().to_vec();
    let (diagonal, end, measured) = c.quasi_newton(most, &exact.v)?;
    let [low, high] = c.extremes(&exact.v_c)?;
    let condition = high / low;
    let apart = |v: &[f64]| largest(v.iter().zip(&exact.v).map(|(a, b)| (a - b).abs()));
    let minimisers = [apart(&by_gradients.v), apart(&end.v)];
    let free = c.solve(&mut ComfreeSolver::with_sweeps(1), 1e-8, 1)?;
    let apart = apart(&free.v);
    let depths = [c.depth(&exact.v_c)?, c.depth(&free.v_c)?];
    let scaled = |r: Vec<f64>| r.iter().map(|x| x / r[0]).collect();
    Ok(Found {
        name: of.name,
        curves: [
            ("quasi-Newton", scaled(diagonal)),
            ("Newton–PCG", scaled(pcg)),
            ("sparse Newton", scaled(newton)),
        ],
        condition,
        bound: (condition - 1.0) / (condition + 1.0),
        measured,
        end: end.residual / end.tolerance,
        minimisers,
        apart,
        depths,
    })
}

impl Page for Rate {
    fn id(&self) -> &'static str {
        "yu2025mpm/rate"
    }
    fn title(&self) -> &'static str {
        "Convergence rate of the block-diagonal quasi-Newton method in a substep"
    }
    fn lead(&self) -> &'static str {
        "The residuals of the contact problem of one substep are drawn against the iteration for three Newton-type methods."
    }
    fn cost(&self) -> [f64; 3] {
        [1.9, 1.9, 100.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let most = ITERATIONS[usize::from(ctx.full())];
        let mut found = Vec::new();
        for of in &SQUEEZES {
            ctx.say(of.name);
            found.push(study(of, most)?);
        }
        let mut out = PageOutput::new([
            "The page solves the contact problem of one substep of the rubber cube of fig02 between two panels (11³ particles, 242 contacts, grid spacing \
             of 0.025 m). The solvers start from the velocities at the start of the substep. \
             The case \"steady\" is the cube at rest (0.1 ms, 10⁵ N/m). In the cases \"impact\" and \"stiff\" the panels hit the cube at 0.1 m/s (1 ms, 10⁵ \
             and 10⁶ N/m). The case \"dough\" has the values of dough under a rolling pin (1 ms, 10⁶ N/m, 0.5 m/s)."
                .to_owned(),
            format!(
                "The quasi-Newton method uses the diagonal blocks H_D of the Hessian H and an exact line search. It is steepest descent in the norm of H_D. \
                 For a constant H each iteration leaves at most ((κ − 1)/(κ + 1))² of the difference between the objective and its minimum (Kantorovich). \
                 Here κ is the condition number of H_D⁻¹ H, computed from all eigenvalues at the minimum. \
                 Each iteration therefore multiplies the distance to the minimum in the norm of H by at most (κ − 1)/(κ + 1). \
                 Residuals are not in this norm and may rise for a while. The measured rate is therefore the rate of the distance, over the last {LAST} \
                 iterations above round-off, of at most {most} iterations."
            ),
            format!(
                "A solver without progress has 1 − rate = 0. The theoretical bound is 1 − rate ≥ 2/(κ + 1). \
                 The claims require {} of this bound, because H still changes slightly. \
                 Only few cases converge within the iteration limit. The table lists the residual at the end, relative to the required residual (10⁻¹³ of \
                 momenta or impulses, plus round-off) and relative to the first residual. \
                 The page also evaluates the contact law once in closed form at the velocity without contact. \
                 The table lists the difference of these velocities from the minimum and the contact depth after the step.",
                1.0 - CHANGE
            ),
        ]);
        let mut table = Table::new(
            "Condition number of H_D⁻¹ H, theoretical and measured rate of the quasi-Newton method, iterations to 10⁻⁵ of the first residual, final \
             residual of the quasi-Newton method, and results of the closed-form evaluation",
            &[
                "case",
                "condition number κ [–]",
                "worst-case rate [–]",
                "measured rate [–]",
                "(1 − rate)/(1 − worst-case rate) [–]",
                "iterations, quasi-Newton",
                "iterations, Newton–PCG",
                "iterations, sparse Newton",
                "quasi-Newton: final over required residual [–]",
                "quasi-Newton: final over first residual [–]",
                "velocity difference to Newton, Newton–PCG [m/s]",
                "velocity difference to Newton, quasi-Newton [m/s]",
                "velocity difference to Newton, closed form [m/s]",
                "contact depth at the minimum [µm]",
                "contact depth in closed form [µm]",
            ],
        );
        let ratio = |f: &Found| (1.0 - f.measured) / (1.0 - f.bound);
        for f in &found {
            let reach = |r: &[f64]| {
                r.iter()
                    .position(|x| *x <= 1e-5)
                    .map_or(format!("> {}", r.len().saturating_sub(1)), |n| n.to_string())
            };
            let iterations = f.curves.iter().map(|c| reach(&c.1));
            let head = [
                f.name.to_owned(),
                number(f.condition),
                format!("{:.5}", f.bound),
                format!("{:.5}", f.measured),
                number(ratio(f)),
            ];
            let first = f.curves[0].1.last().copied().unwrap_or(f64::NAN);
            let [pcg, diagonal] = f.minimisers;
            let tail =
                [f.end, first, pcg, diagonal, f.apart, 1e6 * f.depths[0], 1e6 * f.depths[1]].map(number);
            table.row(head.into_iter().chain(iterations).chain(tail));
            let mut plot = Plot::new(
                f.name,
                &format!("Case \"{}\": residual of each iteration, relative to the first residual", f.name),
                "iteration + 1 [–]",
                "relative residual [–]",
            )
            .log(true, true);
            for (name, r) in &f.curves {
                let points = r.iter().zip(1u32..).filter(|(r, _)| **r > 1e-14);
                plot.add(name, Mark::Line, points.map(|(r, n)| (f64::from(n), *r)).collect());
            }
            out.heading(format!("Case {}", f.name));
            out.plot(plot);
            out.claim(Claim::at_least(
                &format!("{}/rate", f.name),
                "(1 − rate)/(1 − worst-case rate) of the quasi-Newton method in its last iterations",
                1.0 - CHANGE,
                ratio(f),
                "",
            ));
            out.claim(
                Claim::at_most(
                    &format!("{}/minimiser", f.name),
                    "largest velocity difference between the solutions of Newton–PCG and sparse Newton",
                    SAME,
                    f.minimisers[0],
                    "m/s",
                )
                .rule(SAME_RULE),
            );
            out.claim(
                Claim::at_most(
                    &format!("{}/newton_pcg", f.name),
                    "number of Newton–PCG iterations to 10⁻⁵ of the first residual",
                    20.0,
                    f.curves[1].1.iter().position(|x| *x <= 1e-5).map_or(f64::INFINITY, |n| n as f64),
                    "",
                )
                .required_since(
                    "a hundredth of the iterations of the quasi-Newton method that this page allows",
                ),
            );
        }
        out.heading("Soft contacts (case steady)");
        out.claim(
            Claim::at_most(
                "steady/predicted",
                "case with soft contacts: (1 − rate)/(1 − worst-case rate)",
                3.0,
                ratio(&found[0]),
                "",
            )
            .required_since("the worst case is a bound, which a soft contact nearly reaches"),
        );
        out.claim(Claim::at_most(
            "steady/minimiser.quasi_newton",
            "case with soft contacts: largest velocity difference between the solutions of quasi-Newton and sparse Newton",
            SAME,
            found[0].minimisers[1],
            "m/s",
        ).rule(SAME_RULE));
        out.heading("All cases");
        out.table(table);
        Ok(out)
    }
}
