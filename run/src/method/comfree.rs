use serde::Serialize;
use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_icf::IcfSolver;
use signorini_laws::{DualCone, Gains, Law, MassScale, PublishedDualCone};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::Scene;

use super::law::{acting_if, check, rigid_options, system};
use super::{MethodError, Stepping};

/// Complementarity-free contact, joints solved first: one evaluation in closed form is ComFree, sweeps until contacts settle are a projected Gauss–Seidel solve over its impedance.
#[derive(Clone, Debug, PartialEq)]
pub struct ComFree {
    /// Law of a step, and whether it is evaluated once or swept over.
    pub evaluation: Evaluation,
    /// Stepping.
    pub stepping: Stepping,
}

/// How a step of [`ComFree`] finds impulses: by sweeps, or by one evaluation.
#[derive(Clone, Debug, PartialEq)]
pub enum Evaluation {
    /// Projected Gauss–Seidel: sweeps until contacts settle; forces are remembered from step to step. Steps are fixed. A single sweep is one evaluation.
    ///
    /// Contacts that may close within the step stay speculative, also with one evaluation. With more than one sweep `acting`
    /// of the law counts as false, because later sweeps let others act.
    ///
    /// Without `cap` nothing keeps gains below the bound of stability. A recorder and a batch look at them now and then and warn;
    /// [`ComfreeSolver::gain`] of a problem tells it beforehand.
    Swept {
        /// Law; one with multipliers ([`SweptLaw`](signorini_core::SweptLaw)) where there is more than one sweep.
        law: Law,
        /// Number of sweeps.
        sweeps: Sweeps,
    },
    /// One evaluation of a law, also under error control.
    Once {
        /// Law.
        law: Law,
    },
    /// The paper's step: one evaluation, no speculative contacts. Steps are fixed; gains are not capped.
    Published {
        /// Law.
        law: PublishedDualCone,
    },
}

/// Numbers of a [`ComFree`] that its records keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ComFreeSettings {
    /// Name of the law.
    pub law: &'static str,
    /// Stiffness and damping, where the law has gains.
    pub gains: Option<Gains>,
    /// Mass that gains are relative to, where they are relative to one mass per contact: of the published law.
    pub mass_scale: Option<MassScale>,
    /// Most sweeps of a step; 1 is one evaluation.
    pub most_sweeps: u32,
    /// Residual that ends them before \[m/s\]; 0 where nothing does.
    pub residual: f64,
}

impl Default for ComFree {
    fn default() -> Self {
        Self::swept(Sweeps::default())
    }
}

impl ComFree {
    /// Sweeps over the default law, as many as asked for.
    pub fn swept(sweeps: Sweeps) -> Self {
        let law = Law::DualCone(DualCone::remembering(sweeps.memory()));
        Self { evaluation: Evaluation::Swept { law, sweeps }, stepping: Stepping::default() }
    }

    /// Law of contacts.
    pub fn law(&self) -> Law {
        match &self.evaluation {
            Evaluation::Swept { law, sweeps } => acting_if(sweeps.is_one_evaluation(), law),
            Evaluation::Once { law } => law.clone(),
            Evaluation::Published { law } => Law::PublishedDualCone(*law),
        }
    }

    /// The dual cone, where that is the law.
    pub fn cone(&self) -> Option<DualCone> {
        match self.law() {
            Law::DualCone(law) => Some(law),
            _ => None,
        }
    }

    /// Gains of the dual cone, also of the published one.
    pub fn gains(&self) -> Option<Gains> {
        match self.law() {
            Law::DualCone(law) => Some(law.gains),
            Law::PublishedDualCone(law) => Some(law.gains()),
            Law::Lagged | Law::Similar | Law::Sap | Law::Frictionless | Law::Own(_) => None,
        }
    }

    /// β of a dual cone that undoes a part of a penetration per step.
    pub fn recovery(&self) -> Option<f64> {
        self.cone().filter(|_| !self.stepping.is_controlled())?.gains.recovery()
    }

    /// Gains of a dual cone that does not cap them.
    pub fn uncapped(&self) -> Option<Gains> {
        self.gains().filter(|_| self.cone().is_none_or(|law| !law.cap))
    }

    /// The method with another setting of its dual cone; as it is where its law is another one.
    pub(crate) fn with_cone(self, change: impl FnOnce(DualCone) -> DualCone) -> Self {
        let evaluation = match self.evaluation {
            Evaluation::Swept { law: Law::DualCone(law), sweeps } => {
                Evaluation::Swept { law: Law::DualCone(change(law)), sweeps }
            }
            Evaluation::Once { law: Law::DualCone(law) } => {
                Evaluation::Once { law: Law::DualCone(change(law)) }
            }
            other => other,
        };
        Self { evaluation, ..self }
    }

    /// The method with another law in its evaluations.
    ///
    /// # Errors
    /// [`MethodError::Refused`] where they are made for another one.
    pub(super) fn with_law(self, law: Law) -> Result<Self, MethodError> {
        let evaluation = match (self.evaluation, law) {
            (Evaluation::Swept { sweeps, .. }, law) => Evaluation::Swept { law, sweeps },
            (Evaluation::Published { .. }, Law::PublishedDualCone(law)) => Evaluation::Published { law },
            (Evaluation::Once { .. }, law) => Evaluation::Once { law },
            (Evaluation::Published { .. }, _) => {
                return Err(MethodError::Refused {
                    method: "comfree".into(),
                    what: "its published step has a dual cone of its own",
                    remedy: "take `Method::comfree_once` with the law",
                });
            }
        };
        Ok(Self { evaluation, ..self })
    }

    /// The method with other gains of its dual cone.
    ///
    /// # Errors
    /// [`MethodError::Refused`] where the law has no gains, or as published gains k and d alone; [`MethodError::Setting`] for gains out of range.
    pub fn with_gains(mut self, gains: Gains) -> Result<Self, MethodError> {
        let refused = |what, remedy| Err(MethodError::Refused { method: "comfree".into(), what, remedy });
        match (&mut self.evaluation, gains) {
            (
                Evaluation::Swept { law: Law::DualCone(law), .. }
                | Evaluation::Once { law: Law::DualCone(law) },
                gains,
            ) => law.gains = gains,
            (
                Evaluation::Published { law }
                | Evaluation::Swept { law: Law::PublishedDualCone(law), .. }
                | Evaluation::Once { law: Law::PublishedDualCone(law) },
                Gains::PerStep { k, d },
            ) => (law.k, law.d) = (k, d),
            (Evaluation::Published { .. }, _)
            | (
                Evaluation::Swept { law: Law::PublishedDualCone(_), .. }
                | Evaluation::Once { law: Law::PublishedDualCone(_) },
                _,
            ) => {
                return refused("the published dual cone has gains k and d alone", "give Gains::PerStep");
            }
            (Evaluation::Swept { .. } | Evaluation::Once { .. }, _) => {
                return refused("its law has no gains", "give it a dual cone, or leave them out");
            }
        }
        check(&self.law())?;
        Ok(self)
    }

    pub(super) fn check(&self) -> Result<(), MethodError> {
        let once = matches!(self.evaluation, Evaluation::Once { .. });
        if self.stepping.is_controlled() && !once {
            return Err(MethodError::Refused {
                method: "comfree".into(),
                what: "error control over gains and remembered forces that belong to a fixed step",
                remedy: "take `Evaluation::Once` with a law whose gains do not depend on the step, or `Method::cenic`",
            });
        }
        if let Evaluation::Swept { law, sweeps } = &self.evaluation
            && !sweeps.is_one_evaluation()
            && law.pool().swept().is_none()
        {
            return Err(MethodError::Refused {
                method: "comfree".into(),
                what: "more than one sweep over a law without multipliers",
                remedy: "take `Method::comfree_once` with it, or a law that is a `SweptLaw`",
            });
        }
        check(&self.law())
    }

    pub(super) fn published(&self) -> bool {
        matches!(self.evaluation, Evaluation::Published { .. })
    }

    /// Sweeps of a step; exactly one where the law is evaluated once.
    pub fn sweeps(&self) -> Sweeps {
        match &self.evaluation {
            Evaluation::Swept { sweeps, .. } => *sweeps,
            Evaluation::Once { .. } | Evaluation::Published { .. } => Sweeps::exactly(1),
        }
    }

    /// What runs, in words: ComFree for one evaluation, projected Gauss–Seidel for sweeps.
    pub fn describe(&self) -> String {
        match &self.evaluation {
            Evaluation::Published { law: PublishedDualCone { k, d, mass } } => {
                format!("ComFree, one evaluation (as published, k {k}/s, d {d}, mass scale {})", mass.name())
            }
            _ => self.sweeps().describe(),
        }
    }

    /// Numbers that a record of a run keeps beside its times.
    pub fn settings(&self) -> ComFreeSettings {
        let law = self.law();
        let sweeps = self.sweeps();
        let mass_scale = match &law {
            Law::PublishedDualCone(law) => Some(law.mass),
            _ => None,
        };
        ComFreeSettings {
            law: law.name(),
            gains: self.gains(),
            mass_scale,
            most_sweeps: sweeps.most,
            residual: sweeps.residual,
        }
    }

    pub(super) fn solver(&self) -> ComfreeSolver {
        ComfreeSolver::with_sweeps(self.sweeps())
    }

    pub(super) fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError> {
        let options =
            RigidOptions { joints_first: Some(IcfSolver::boxed), ..rigid_options(self.published()) };
        system(&self.law(), scene, options)
    }
}
