use signorini_core::ProblemError;
use signorini_math::LineSearchOptions;

/// Which small steps end a solve whose residual is still too large; kurtz2025cenic, eq. (33).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StepTest {
    /// Full Newton steps, before the line search and with a Hessian factored at the same velocity, that are themselves below the
    /// tolerance: ‖D⁻¹H⁻¹∇‖ < ε·s. The residual is then at most ten times the tolerance, and at most that of ε = 0.1 unless ε is larger.
    #[default]
    Newton,
    /// Steps of any kind, by the length that the line search left of them, extrapolated by the observed rate, as published. It reports
    /// convergence far from the solution when a factorisation was kept while a stiff contact opened, when a line search
    /// ends at a kink, or when one long step makes the rate look better than it is (friction with a small v_s): the residual
    /// is then large.
    Published,
}

/// Scale s of the residual at which a solve ends: ‖D∇‖ ≤ ε s, D the diagonal of A to the power −1/2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResidualScale {
    /// The larger of ‖D p‖ and ‖D j‖, of momenta and of impulses ([`Tolerance::residual`](signorini_core::Tolerance::residual)).
    #[default]
    Momenta,
    /// max(1 √J, ‖D A v*‖), as published; kurtz2025cenic, eq. (32). Its 1 depends on units: bodies of a gram at rest are solved to 0.1 m/s at ε = 3e-3.
    Published,
}

/// Settings of [`IcfSolver`](crate::IcfSolver).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IcfOptions {
    /// Solve connected components of the contact graph one by one, each with its own convergence test, step length and
    /// factorisation. Blocks that no constraint touches get v = v* without an iteration.
    pub islands: bool,
    /// Take the Hessian as one dense matrix, without islands: for comparison.
    pub dense: bool,
    /// Keep the last factorisation while it converges fast enough, also from one solve to the next when sparsity and step size are the
    /// same. Deviates: the paper keeps it across step sizes, which costs iterations.
    pub reuse_hessian: bool,
    /// Iterations within which a kept factorisation must promise convergence; kurtz2025cenic, eq. (35).
    pub reuse_target: u32,
    /// Which small steps end a solve.
    pub step_test: StepTest,
    /// Scale of the residual at which a solve ends.
    pub scale: ResidualScale,
    /// Exact line search.
    pub line_search: LineSearchOptions,
    /// Smallest relative tolerance that is honoured; smaller ones in `Tolerance::relative` are raised to it, which the
    /// solution's `tolerance` then tells.
    pub min_tolerance: f64,
    /// Record the residual of every iteration, see [`IcfSolver::history`](crate::IcfSolver::history).
    pub record_history: bool,
}

impl Default for IcfOptions {
    /// Islands on, Hessian reuse off.
    fn default() -> Self {
        Self {
            islands: true,
            dense: false,
            reuse_hessian: false,
            reuse_target: 10,
            step_test: StepTest::Newton,
            scale: ResidualScale::Momenta,
            line_search: LineSearchOptions::default(),
            min_tolerance: 1e-14,
            record_history: false,
        }
    }
}

impl IcfOptions {
    /// As in the paper's table II: one problem for all bodies, Hessian reuse on, the published test of steps and scale of residuals, tolerances from 1e-8.
    pub fn paper() -> Self {
        Self {
            islands: false,
            reuse_hessian: true,
            step_test: StepTest::Published,
            scale: ResidualScale::Published,
            min_tolerance: 1e-8,
            ..Self::default()
        }
    }

    pub(crate) fn check(&self) -> Result<(), ProblemError> {
        let l = &self.line_search;
        let bad = |option: &'static str, value: f64| {
            Err(ProblemError::Option { option, value, range: "positive and finite" })
        };
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(l.alpha_max) {
            return bad("ICF option line_search.alpha_max", l.alpha_max);
        }
        if !positive(l.tolerance) {
            return bad("ICF option line_search.tolerance", l.tolerance);
        }
        if l.max_evaluations == 0 {
            return bad("ICF option line_search.max_evaluations", 0.0);
        }
        if !positive(self.min_tolerance) {
            return bad("ICF option min_tolerance", self.min_tolerance);
        }
        Ok(())
    }
}
