use clap::Args;
use signorini_validation::engine::Engine;

/// Solver, law and integrator by name.
#[derive(Args, Clone)]
pub(crate) struct EngineArguments {
    /// Contact solver.
    #[arg(long, default_value = "icf")]
    solver: String,
    /// Contact law: lagged, similar, sap or frictionless.
    #[arg(long, default_value = "lagged")]
    law: String,
    /// `cenic` (error control) or `fixed`; `fixed` when --dt is given.
    #[arg(long)]
    integrator: Option<String>,
    /// Accuracy of error control: bound on the position error of one step (m, rad).
    #[arg(long, default_value_t = 1e-3, conflicts_with = "dt")]
    accuracy: f64,
    /// Fixed step (s).
    #[arg(long)]
    dt: Option<f64>,
    /// As in the paper's tables: no speculative contacts, one island, Hessian reuse.
    #[arg(long)]
    paper_mode: bool,
}

impl EngineArguments {
    pub(crate) fn engine(&self) -> Engine {
        let name = if self.dt.is_some() { "fixed" } else { "cenic" };
        Engine {
            solver: self.solver.clone(),
            law: self.law.clone(),
            integrator: self.integrator.clone().unwrap_or_else(|| name.into()),
            accuracy: self.accuracy,
            dt: self.dt.unwrap_or(2e-3),
            paper: self.paper_mode,
        }
    }
}
