use clap::Args;
use signorini_ipc::{BodyError, IpcOptions};
use signorini_laws::{DualCone, Gains};
use signorini_scene::Scene;
use signorini_validation::affine::{carrying, weight};
use signorini_validation::engine::{Engine, Sweeps};

/// Solver, law and integrator by name.
#[derive(Args, Clone)]
pub(crate) struct EngineArguments {
    /// Contact solver: icf, comfree, ipc (affine bodies that never intersect) or reference.
    #[arg(long, default_value = "icf")]
    solver: String,
    /// Contact law: lagged, similar, sap, frictionless or dual_cone; `dual_cone` with comfree and `lagged` otherwise when left out; ipc has a barrier of its own.
    #[arg(long)]
    law: Option<String>,
    /// Evaluations per step of comfree, always so many; when left out as many as take speeds at contacts to 0.01 mm/s (0.1 where contacts close fast), at most 64, and 1 in paper mode.
    #[arg(long)]
    sweeps: Option<u32>,
    /// Anchors of comfree: the part of a step's change that contact forces take into the next step, 0 to 1; 1 when left out, 0.5 with --sweeps 1, 0 in paper mode.
    #[arg(long)]
    memory: Option<f64>,
    /// Tangential directions of the dual cone: 4, 8 or 16; 8 when left out, 4 in paper mode. Between two of them friction is that of a polygon: 0.71, 0.92 or 0.98 of μ at least.
    #[arg(long)]
    directions: Option<u8>,
    /// Gains of the dual cone relative to the step, as published: k (1/s) and d.
    #[arg(long, num_args = 2, value_names = ["K", "D"])]
    gains: Option<Vec<f64>>,
    /// `cenic` (error control) or `fixed`; left out: `fixed` when --dt is given, for comfree, which rests without depth only then, and for ipc.
    #[arg(long)]
    integrator: Option<String>,
    /// Accuracy of error control: bound on the position error of one step (m, rad); 1e-3 when left out. With comfree: physical gains, which are soft.
    #[arg(long, conflicts_with = "dt")]
    accuracy: Option<f64>,
    /// Fixed step (s); 0.002 when left out, 0.005 with ipc.
    #[arg(long)]
    dt: Option<f64>,
    /// Distance at which the barrier of ipc begins to act (m); 0.001 when left out.
    #[arg(long, value_name = "M")]
    range: Option<f64>,
    /// Force that a pair of features of ipc carries at half that range (N); the weight of everything that moves when left out.
    #[arg(long, value_name = "N")]
    load: Option<f64>,
    /// Stiffness that keeps bodies of ipc rigid (Pa); 1e8 when left out.
    #[arg(long, value_name = "PA")]
    rigidity: Option<f64>,
    /// Bodies of ipc that overlap at the start do not collide, and are listed; otherwise such a start is refused.
    #[arg(long)]
    exclude_overlaps: bool,
    /// As in the paper's tables: no speculative contacts; icf: one island, Hessian reuse; comfree: its law as published, with --gains.
    #[arg(long)]
    paper_mode: bool,
}

impl EngineArguments {
    /// The engine.
    ///
    /// # Errors
    /// An option that what is chosen beside it does not read.
    pub(crate) fn engine(&self, scene: &Scene) -> Result<Engine, String> {
        if self.solver == "ipc" {
            return self.affine(scene);
        }
        if let Some(option) = [("--range", self.range), ("--load", self.load), ("--rigidity", self.rigidity)]
            .iter()
            .find(|o| o.1.is_some())
        {
            return Err(format!("{}: only ipc has a barrier (--solver ipc); leave it out", option.0));
        }
        if self.exclude_overlaps {
            return Err(
                "--exclude-overlaps: only ipc refuses bodies that overlap (--solver ipc); leave it out"
                    .into(),
            );
        }
        let comfree = self.solver == "comfree";
        let law = self.law.as_deref().unwrap_or(if comfree { "dual_cone" } else { "lagged" });
        let steps = self.dt.is_some() || (comfree && self.accuracy.is_none());
        let integrator = self.integrator.as_deref().unwrap_or(if steps { "fixed" } else { "cenic" });
        let fixed = integrator == "fixed";
        let sweeps = comfree && fixed && law == "dual_cone" && !self.paper_mode;
        if let Some(n) = self.sweeps {
            if !sweeps {
                return Err(format!(
                    "--sweeps {n}: only comfree with the law dual_cone and fixed steps (--dt) evaluates a step more than once, and not in paper mode; leave it out"
                ));
            }
            if n == 0 {
                return Err("--sweeps 0: a step has at least one evaluation; give 1 or more".into());
            }
        }
        if let Some(m) = self.memory.filter(|_| !(sweeps && law == "dual_cone")) {
            return Err(format!(
                "--memory {m}: only comfree with the law dual_cone and fixed steps (--dt) remembers forces, and not in paper mode; leave it out"
            ));
        }
        if let Some(g) = self.gains.as_deref().filter(|_| !(law == "dual_cone" && fixed)) {
            return Err(format!(
                "--gains {g:?}: gains relative to the step belong to the law dual_cone (--solver comfree or --law dual_cone) with fixed steps (--dt); leave \
                 them out or change the rest"
            ));
        }
        let published = self.paper_mode && comfree && law == "dual_cone";
        if published && !fixed {
            return Err("--paper-mode: comfree as published takes fixed steps; give --dt".into());
        }
        let count = self.sweeps.map_or_else(Sweeps::default, Sweeps::exactly);
        let memory = if sweeps { self.memory.unwrap_or(count.memory()) } else { 0.0 };
        let dual_cone = match (self.gains.as_deref(), published) {
            (Some(&[k, d]), true) => Some(DualCone::paper(k, d)),
            (None, true) => Some(DualCone::paper(0.2, 0.001)),
            (Some(&[k, d]), false) => {
                Some(DualCone { gains: Gains::PerStep { k, d }, ..DualCone::remembering(memory) })
            }
            (_, false) => self.memory.map(DualCone::remembering),
            _ => None,
        };
        let default = Engine::default();
        let engine = Engine {
            solver: self.solver.clone(),
            law: law.into(),
            integrator: integrator.into(),
            accuracy: self.accuracy.unwrap_or(default.accuracy),
            dt: self.dt.unwrap_or(default.dt),
            paper: self.paper_mode,
            dual_cone,
            sweeps: count,
            ipc: None,
            exclude_overlaps: false,
        };
        let Some(n) = self.directions else { return Ok(engine) };
        if law != "dual_cone" {
            return Err(format!(
                "--directions {n}: only the law dual_cone has directions (--solver comfree or --law dual_cone); leave it out"
            ));
        }
        let law = DualCone { directions: n, ..engine.cone() };
        law.check().map_err(|e| format!("--directions {n}: {e}"))?;
        Ok(Engine { dual_cone: Some(law), ..engine })
    }

    /// The engine of affine bodies.
    fn affine(&self, scene: &Scene) -> Result<Engine, String> {
        let refused = [
            ("--law", self.law.as_ref().is_some_and(|l| l != "barrier"), "ipc has a barrier of its own"),
            ("--sweeps", self.sweeps.is_some(), "only comfree has evaluations"),
            ("--memory", self.memory.is_some(), "only comfree remembers forces"),
            ("--directions", self.directions.is_some(), "only the law dual_cone has directions"),
            ("--gains", self.gains.is_some(), "only the law dual_cone has gains"),
            ("--paper-mode", self.paper_mode, "ipc has no second mode"),
        ];
        if let Some((option, _, why)) = refused.iter().find(|r| r.1) {
            return Err(format!("{option}: {why}; leave it out"));
        }
        let error_control = self.accuracy.is_some() || self.integrator.as_deref() == Some("cenic");
        let base = match error_control {
            true => Engine::cenic(self.accuracy.unwrap_or(1e-3)),
            false => Engine::fixed(self.dt.unwrap_or(5e-3)),
        };
        let integrator = self.integrator.clone().unwrap_or(base.integrator.clone());
        let ipc = carrying(self.range, self.load.unwrap_or_else(|| weight(scene)));
        let ipc = ipc.map_err(named)?;
        let ipc = IpcOptions { orthogonality: self.rigidity.unwrap_or(ipc.orthogonality), ..ipc };
        ipc.check().map_err(named)?;
        Ok(Engine {
            solver: "ipc".into(),
            law: "barrier".into(),
            integrator,
            ipc: Some(ipc),
            exclude_overlaps: self.exclude_overlaps,
            ..base
        })
    }
}

/// An option of affine bodies out of its range, by the name that it has here.
fn named(e: BodyError) -> String {
    let flag = match &e {
        BodyError::Options { what: "range", .. } => "--range: ",
        BodyError::Options { what: "stiffness", .. } => "--load: ",
        BodyError::Options { what: "orthogonality", .. } => "--rigidity: ",
        _ => "",
    };
    format!("{flag}{e}")
}
