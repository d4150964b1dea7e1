use clap::Args;
use signorini_comfree::Sweeps;
use signorini_ipc::{BodyError, IpcOptions};
use signorini_laws::{DualCone, Gains, PublishedDualCone};
use signorini_run::affine::{carrying, weight};
use signorini_run::{
    ComFree, Evaluation, Icf, Ipc, Law, MassScale, Method, Reference, Skin, Stepping, names,
};
use signorini_scene::Scene;

/// Solver, law and integrator by name.
#[derive(Args, Clone)]
pub(crate) struct MethodArguments {
    /// Contact solver: icf, comfree (projected Gauss–Seidel over ComFree's impedance; with --sweeps 1 or --paper-mode ComFree itself, one evaluation), ipc (affine bodies that never intersect) or reference.
    #[arg(long, default_value = "icf")]
    solver: String,
    /// Contact law: lagged, similar, sap, frictionless, dual_cone or published_dual_cone (one evaluation, fixed steps); `dual_cone` with comfree (published in paper mode) and `lagged` otherwise when left out; ipc has a barrier, and one of those with three rows over it where it is named.
    #[arg(long)]
    law: Option<String>,
    /// Sweeps per step of comfree, always so many; when left out as many as take speeds at contacts to 0.01 mm/s (0.1 where contacts close fast), at most 64. 1 is ComFree, one evaluation, as in paper mode.
    #[arg(long, visible_alias = "evaluations")]
    sweeps: Option<u32>,
    /// Anchors of comfree: the part of a step's change that contact forces take into the next step, 0 to 1; 1 when left out, 0.5 with --sweeps 1, 0 in paper mode.
    #[arg(long)]
    memory: Option<f64>,
    /// Mass of paper mode that its gains are relative to: `trace`, as published, or `mean`, as the authors' code has it; `trace` when left out.
    #[arg(long, value_name = "SCALE", value_parser = [MassScale::Trace.name(), MassScale::Mean.name()])]
    mass_scale: Option<String>,
    /// Tangential directions of dual_cone: 4, 8 or 16; 8 when left out (the published law has 4). Between two of them friction is that of a polygon: 0.71, 0.92 or 0.98 of μ at least.
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
    /// Largest step of error control (s); 0.1 when left out.
    #[arg(long, value_name = "S")]
    max_step: Option<f64>,
    /// Relative regularisation of friction σ_R, icf and reference: what friction holds creeps at the stiction speed, or at σ_R times the speed that friction could stop in a step if that is larger; 1e-6 when left out,
    /// 1e-3 in paper mode.
    #[arg(long, value_name = "SIGMA")]
    sigma_r: Option<f64>,
    /// Fixed step (s); 0.002 when left out, 0.005 with ipc.
    #[arg(long)]
    pub(crate) dt: Option<f64>,
    /// Distance at which the barrier of ipc begins to act (m); 0.001 when left out.
    #[arg(long, value_name = "M")]
    range: Option<f64>,
    /// Distance at which a law over the barrier of ipc begins to press (m); twice the range when left out.
    #[arg(long, value_name = "M")]
    skin: Option<f64>,
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

impl MethodArguments {
    /// Fails where one is given: a scene file of points has its own.
    ///
    /// # Errors
    /// The option.
    pub(crate) fn leave_out(&self) -> Result<(), String> {
        let given = [
            ("--solver", self.solver != "icf"),
            ("--law", self.law.is_some()),
            ("--sweeps", self.sweeps.is_some()),
            ("--memory", self.memory.is_some()),
            ("--directions", self.directions.is_some()),
            ("--gains", self.gains.is_some()),
            ("--mass-scale", self.mass_scale.is_some()),
            ("--integrator", self.integrator.is_some()),
            ("--accuracy", self.accuracy.is_some()),
            ("--max-step", self.max_step.is_some()),
            ("--sigma-r", self.sigma_r.is_some()),
            ("--dt", self.dt.is_some()),
            ("--range", self.range.is_some()),
            ("--skin", self.skin.is_some()),
            ("--load", self.load.is_some()),
            ("--rigidity", self.rigidity.is_some()),
            ("--exclude-overlaps", self.exclude_overlaps),
            ("--paper-mode", self.paper_mode),
        ];
        match given.iter().find(|g| g.1) {
            Some(("--dt", _)) => Err("--dt: write `step` into the scene file".into()),
            Some((option, _)) => Err(format!(
                "{option}: bodies beside points run under icf and the lagged law in equal steps; leave it out"
            )),
            None => Ok(()),
        }
    }

    /// The method.
    ///
    /// # Errors
    /// An option that the solver, law or stepping beside it does not read.
    pub(crate) fn method(&self, scene: &Scene) -> Result<Method, String> {
        let method = names::by_name(&self.solver).map_err(|e| e.to_string())?;
        if method.is_affine() {
            return self.affine(scene, method.law_name());
        }
        let own = [
            ("--range", self.range),
            ("--skin", self.skin),
            ("--load", self.load),
            ("--rigidity", self.rigidity),
        ];
        if let Some(option) = own.iter().find(|o| o.1.is_some()) {
            return Err(format!("{}: only ipc has a barrier (--solver ipc); leave it out", option.0));
        }
        if self.exclude_overlaps {
            return Err(
                "--exclude-overlaps: only ipc refuses bodies that overlap (--solver ipc); leave it out"
                    .into(),
            );
        }
        let comfree = method.as_comfree().is_some();
        let law = match &self.law {
            Some(name) => Law::by_name(name).map_err(|e| e.to_string())?,
            None => method.law().unwrap_or_default(),
        };
        let stepping = self.stepping(2e-3, self.dt.is_none() && !(comfree && self.accuracy.is_none()))?;
        self.check(comfree, &law, !stepping.is_controlled())?;
        let named = names::method(&self.solver, self.law.as_deref(), stepping).map_err(|e| e.to_string())?;
        Ok(match named {
            Method::ComFree(m) => Method::ComFree(self.comfree(m)?),
            Method::Icf(m) => {
                let (law, sigma_r) = (self.law_of(m.law)?, self.regularization()?);
                Method::Icf(Icf { law, paper: self.paper_mode, sigma_r, ..m })
            }
            Method::Reference(m) => {
                let (law, sigma_r) = (self.law_of(m.law)?, self.regularization()?);
                Method::Reference(Reference { law, paper: self.paper_mode, sigma_r, ..m })
            }
            other => other,
        })
    }

    /// Stepping: the named integrator; error control where it is not named and `controlled`, otherwise equal steps, of `dt` \[s\] where none is given.
    fn stepping(&self, dt: f64, controlled: bool) -> Result<Stepping, String> {
        let (accuracy, step) = (self.accuracy.unwrap_or(1e-3), self.dt.unwrap_or(dt));
        let stepping = match &self.integrator {
            Some(name) => names::stepping(name, accuracy, step).map_err(|e| e.to_string())?,
            None if controlled => Stepping::accurate(accuracy),
            None => Stepping::Fixed { dt: step },
        };
        match (self.dt, self.max_step, stepping) {
            (Some(dt), _, Stepping::Controlled(_)) => Err(format!(
                "--dt {dt}: error control chooses its steps; leave it out, or take equal steps with --integrator fixed"
            )),
            (_, Some(max_step), Stepping::Controlled(mut c)) => {
                c.max_step = max_step;
                Ok(Stepping::Controlled(c))
            }
            (_, Some(max_step), _) => Err(format!(
                "--max-step {max_step}: only error control chooses its steps (--integrator cenic); leave it out, or give --dt"
            )),
            _ => Ok(stepping),
        }
    }

    /// σ_R, where it is given.
    fn regularization(&self) -> Result<Option<f64>, String> {
        match self.sigma_r {
            Some(s) if !(s > 0.0 && s <= 1.0) => Err(format!("--sigma-r {s}: it is above 0 and at most 1")),
            s => Ok(s),
        }
    }

    /// Refuses options that the solver, law or stepping beside them does not read.
    fn check(&self, comfree: bool, law: &Law, fixed: bool) -> Result<(), String> {
        let (sweeps, dual_cone) = (comfree && fixed && !self.paper_mode, matches!(law, Law::DualCone(_)));
        if let Some(n) = self.sweeps {
            if !sweeps {
                return Err(format!(
                    "--sweeps {n}: only comfree with fixed steps (--dt) sweeps, and paper mode is one evaluation; leave it out"
                ));
            }
            if !dual_cone && n > 1 {
                return Err(format!(
                    "--sweeps {n}: only the law dual_cone is swept over more than once (--law dual_cone); leave it out"
                ));
            }
            if n == 0 {
                return Err("--sweeps 0: a step has at least one sweep; give 1 or more".into());
            }
        }
        if let Some(s) = self.sigma_r.filter(|_| comfree || !matches!(law, Law::Lagged | Law::Similar)) {
            return Err(format!(
                "--sigma-r {s}: only the laws lagged and similar of icf and reference have a regularisation of friction; leave it out"
            ));
        }
        if let Some(m) = self.memory.filter(|_| !(sweeps && dual_cone)) {
            return Err(format!(
                "--memory {m}: only comfree with the law dual_cone and fixed steps (--dt) remembers forces, and not in paper mode; leave it out"
            ));
        }
        if let Some(g) = self.gains.as_deref().filter(|_| !(law.is_dual_cone() && fixed)) {
            return Err(format!(
                "--gains {g:?}: gains relative to the step belong to the law dual_cone (--solver comfree or --law dual_cone) with fixed steps (--dt); leave \
                 them out or change the rest"
            ));
        }
        let published = matches!(law, Law::PublishedDualCone(_)) || (self.paper_mode && comfree);
        if let Some(scale) = self.mass_scale.as_ref().filter(|_| !published) {
            return Err(format!(
                "--mass-scale {scale}: only the law published_dual_cone has one (--solver comfree --paper-mode); leave it out"
            ));
        }
        if let Some(n) = self.directions.filter(|n| published && *n != 4) {
            return Err(format!(
                "--directions {n}: the dual cone as published has four directions; leave it out, or leave out --paper-mode and take the law dual_cone"
            ));
        }
        if let Some(n) = self.directions.filter(|_| !law.is_dual_cone()) {
            return Err(format!(
                "--directions {n}: only the law dual_cone has directions (--solver comfree or --law dual_cone); leave it out"
            ));
        }
        if !(self.paper_mode && comfree) {
            return Ok(());
        }
        match (law.is_dual_cone(), fixed) {
            (true, true) => Ok(()),
            (true, false) => Err("--paper-mode: comfree as published takes fixed steps; give --dt".into()),
            (false, _) => {
                Err("--paper-mode: comfree as published has the law published_dual_cone; leave --law out"
                    .into())
            }
        }
    }

    /// The method comfree with the options of its law and its sweeps.
    fn comfree(&self, default: ComFree) -> Result<ComFree, String> {
        let evaluation = match default.evaluation {
            _ if self.paper_mode => {
                Evaluation::Published { law: self.published(PublishedDualCone::default()) }
            }
            Evaluation::Swept { .. } => {
                let sweeps = self.sweeps.map_or_else(Sweeps::default, Sweeps::exactly);
                let law = DualCone::remembering(self.memory.unwrap_or(sweeps.memory()));
                Evaluation::Swept { law: Law::DualCone(self.cone(law)?), sweeps }
            }
            Evaluation::Once { law } => Evaluation::Once { law: self.law_of(law)? },
            Evaluation::Published { law } => Evaluation::Published { law: self.published(law) },
        };
        Ok(ComFree { evaluation, ..default })
    }

    /// A law with the options of the dual cone, where it is one.
    fn law_of(&self, law: Law) -> Result<Law, String> {
        Ok(match law {
            Law::DualCone(cone) => Law::DualCone(self.cone(cone)?),
            Law::PublishedDualCone(cone) => Law::PublishedDualCone(self.published(cone)),
            other => other,
        })
    }

    fn given_gains(&self) -> Option<[f64; 2]> {
        self.gains.as_deref()?.try_into().ok()
    }

    fn published(&self, law: PublishedDualCone) -> PublishedDualCone {
        let [k, d] = self.given_gains().unwrap_or([law.k, law.d]);
        let mass = match self.mass_scale.as_deref() {
            Some(name) if name == MassScale::Mean.name() => MassScale::Mean,
            Some(_) => MassScale::Trace,
            None => law.mass,
        };
        PublishedDualCone { k, d, mass }
    }

    fn cone(&self, law: DualCone) -> Result<DualCone, String> {
        let gains = self.given_gains().map_or(law.gains, |[k, d]| Gains::PerStep { k, d });
        let law = DualCone { gains, ..law };
        let Some(directions) = self.directions else { return Ok(law) };
        let law = DualCone { directions, ..law };
        law.check().map_err(|e| format!("--directions {directions}: {e}"))?;
        Ok(law)
    }

    /// The method of affine bodies.
    fn affine(&self, scene: &Scene, barrier: &str) -> Result<Method, String> {
        let over = self.law.as_ref().is_some_and(|l| l != barrier);
        let refused = [
            (
                "--skin",
                self.skin.is_some() && !over,
                "only a law over the barrier begins there (--law lagged)",
            ),
            ("--sweeps", self.sweeps.is_some(), "only comfree has sweeps"),
            ("--memory", self.memory.is_some(), "only comfree remembers forces"),
            ("--directions", self.directions.is_some(), "only the law dual_cone has directions"),
            ("--gains", self.gains.is_some(), "only the law dual_cone has gains"),
            ("--sigma-r", self.sigma_r.is_some(), "friction of ipc has its stiction speed alone"),
            ("--mass-scale", self.mass_scale.is_some(), "only the law published_dual_cone has one"),
            ("--paper-mode", self.paper_mode, "ipc has no second mode"),
        ];
        if let Some((option, _, why)) = refused.iter().find(|r| r.1) {
            return Err(format!("{option}: {why}; leave it out"));
        }
        let stepping = self.stepping(5e-3, self.accuracy.is_some())?;
        let ipc = carrying(self.range, self.load.unwrap_or_else(|| weight(scene)));
        let ipc = ipc.map_err(named)?;
        let ipc = IpcOptions { orthogonality: self.rigidity.unwrap_or(ipc.orthogonality), ..ipc };
        ipc.check().map_err(named)?;
        let law = self.law.as_deref().filter(|_| over).map(|l| names::law(l, stepping.is_controlled()));
        let skin = law.transpose().map_err(|e| e.to_string())?.map(|law| Skin::over(law, &ipc));
        let skin = skin.map(|s| Skin { distance: self.skin.unwrap_or(s.distance), ..s });
        Ok(Method::Ipc(Ipc { options: Some(ipc), skin, exclude_overlaps: self.exclude_overlaps, stepping }))
    }
}

/// An option of affine bodies out of its range, by the name that it has here.
fn named(e: BodyError) -> String {
    let flag = match &e {
        BodyError::Options { what: "range", .. } => "--range: ",
        BodyError::Options { what: "stiffness", .. } => "--load: ",
        BodyError::Options { what: "skin", .. } => "--skin: ",
        BodyError::Options { what: "orthogonality", .. } => "--rigidity: ",
        _ => "",
    };
    format!("{flag}{e}")
}
