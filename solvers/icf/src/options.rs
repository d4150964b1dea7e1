use signorini_math::LineSearchOptions;

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IcfOptions {
    /// Solve connected components separately, each with its own convergence.
    pub islands: bool,
    /// Keep the factorisation while the predicted convergence is fast enough: kurtz2025cenic, eq. (35).
    pub reuse_hessian: bool,
    /// Iterations within which a kept factorisation must be predicted to converge, k_max in (35).
    pub reuse_target: u32,
    /// The line search.
    pub line_search: LineSearchOptions,
    /// Keep the residual of every iteration for [`crate::IcfSolver::history`].
    pub record_history: bool,
}

impl Default for IcfOptions {
    fn default() -> Self {
        Self {
            islands: true,
            reuse_hessian: false,
            reuse_target: 10,
            line_search: LineSearchOptions::default(),
            record_history: false,
        }
    }
}

impl IcfOptions {
    /// As in the paper's tables: one problem, Hessian reuse on.
    pub fn paper() -> Self {
        Self { islands: false, reuse_hessian: true, ..Self::default() }
    }
}
