use clap::Args;
use signorini_laws::{DualCone, Gains};
use signorini_validation::engine::{Engine, MEMORY};

/// Solver, law and integrator by name.
#[derive(Args, Clone)]
pub(crate) struct EngineArguments {
    /// Contact solver: icf, comfree or reference.
    #[arg(long, default_value = "icf")]
    solver: String,
    /// Contact law: lagged, similar, sap, frictionless or dual_cone; `dual_cone` with comfree and `lagged` otherwise when left out.
    #[arg(long)]
    law: Option<String>,
    /// Evaluations per step of comfree; 16 when left out, 1 in paper mode.
    #[arg(long)]
    sweeps: Option<u32>,
    /// Anchors of comfree: the part of a step's change that contact forces take into the next step, 0 to 1; 0.5 when left out, 0 in paper mode.
    #[arg(long)]
    memory: Option<f64>,
    /// Gains of the dual cone relative to the step, as published: k (1/s) and d.
    #[arg(long, num_args = 2, value_names = ["K", "D"])]
    gains: Option<Vec<f64>>,
    /// `cenic` (error control) or `fixed`; `fixed` when --dt is given.
    #[arg(long)]
    integrator: Option<String>,
    /// Accuracy of error control: bound on the position error of one step (m, rad).
    #[arg(long, default_value_t = 1e-3, conflicts_with = "dt")]
    accuracy: f64,
    /// Fixed step (s).
    #[arg(long)]
    dt: Option<f64>,
    /// As in the paper's tables: no speculative contacts; icf: one island, Hessian reuse; comfree: its law as published, with --gains.
    #[arg(long)]
    paper_mode: bool,
}

impl EngineArguments {
    pub(crate) fn engine(&self) -> Engine {
        let law = if self.solver == "comfree" { "dual_cone" } else { "lagged" };
        let memory = self.memory.unwrap_or(MEMORY);
        let dual_cone = match (self.gains.as_deref(), self.paper_mode && law == "dual_cone") {
            (Some(&[k, d]), true) => Some(DualCone::paper(k, d)),
            (None, true) => Some(DualCone::paper(0.2, 0.001)),
            (Some(&[k, d]), false) => {
                Some(DualCone { gains: Gains::PerStep { k, d }, memory, ..DualCone::default() })
            }
            (_, false) => self.memory.map(|memory| DualCone { memory, ..DualCone::default() }),
            _ => None,
        };
        let name = if self.dt.is_some() { "fixed" } else { "cenic" };
        let mut engine = Engine {
            solver: self.solver.clone(),
            law: self.law.clone().unwrap_or_else(|| law.into()),
            integrator: self.integrator.clone().unwrap_or_else(|| name.into()),
            accuracy: self.accuracy,
            dt: self.dt.unwrap_or(2e-3),
            paper: self.paper_mode,
            dual_cone,
            ..Engine::default()
        };
        if let Some(sweeps) = self.sweeps {
            engine.sweeps = sweeps;
        }
        engine
    }
}
