use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{
    ContactLaw, ContactSeed, ContactSide, LawEval, LawProperties, Sweep, SweptAccess, SweptLaw,
};

use crate::closing_hessian;
use crate::facet_law::{FacetLaw, law_of_facets};
use crate::solimp::impedance;
use crate::{Facets, Gains};

/// Tangential directions.
pub(crate) const DIRECTIONS: u8 = 4;

/// The mass m_c that gains are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MassScale {
    /// 1/Σ tr(J M⁻¹ Jᵀ) over both sides, three translational rows: borse2026comfree, eq. (12).
    #[default]
    Trace,
    /// 1/Σ of the mean translational inverse masses of both bodies at the reference configuration, as the authors' code has it; where these
    /// are not known, a third of the trace.
    Mean,
}

impl MassScale {
    /// Name, as in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Mean => "mean",
        }
    }
}

/// The dual cone of friction as published: four facets along the tangents, each a spring and damper in closed form, gains relative to step and mass.
///
/// ```text
/// u_f = a_f·v_c,   a_f = n − μ_s d_f,   λ_f = (−K (φ + δt u_f) − D u_f)₊,   γ = −Σ_f δt λ_f ∂u_f/∂v_c      borse2026comfree, eq. (8)
/// K = (k/δt) R m_c,   D = (d/δt) R m_c                                                                    borse2026comfree, eq. (11)
/// ```
/// With G = δt (δt K + D) = R m_c (d + k δt) and the shift s = k φ/(d + k δt) that is γ_f = G (−u_f − s)₊. Two spins and four rolls are facets of their own for condim 4 and 6.
/// One evaluation moves multipliers from zero to these impulses.
///
/// Nothing keeps gains below the bound of stability; [`DualCone`](crate::DualCone) is the law of this project, which does.
///
/// Lagged: the gap, masses, μ at the slip speed of the start.
///
/// Not read: stiffness, relaxation time, dissipation, impedance, solref.
///
/// Deviates: nothing. Stored energy: none is told, since gains are relative to masses and to the step, which a state does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedDualCone {
    /// k \[1/s\], 0 to 1e12; not both 0.
    pub k: f64,
    /// d, 0 to 1e12.
    pub d: f64,
    /// m_c.
    pub mass: MassScale,
}

impl Default for PublishedDualCone {
    /// Gains that the authors' code has.
    fn default() -> Self {
        Self::new(0.2, 0.001)
    }
}

impl PublishedDualCone {
    /// Gains `k` \[1/s\] and `d`, the trace as mass scale.
    pub fn new(k: f64, d: f64) -> Self {
        Self { k, d, mass: MassScale::Trace }
    }

    /// Fails on a gain that is out of range.
    ///
    /// # Errors
    /// The gain that is out of range, and its range.
    pub fn check(&self) -> Result<(), String> {
        self.gains().check()
    }

    /// Gains.
    pub fn gains(&self) -> Gains {
        Gains::PerStep { k: self.k, d: self.d }
    }

    /// (R (d + k δt), s): gain relative to the mass, and shift \[m/s\].
    pub(crate) fn relative(&self, dt: f64, gap: f64, solimp: &[f64; 5]) -> (f64, f64) {
        let r = impedance(solimp, gap);
        let sum = self.d + self.k * dt;
        (r / (1.0 - r) * sum, if sum == 0.0 { 0.0 } else { self.k * gap / sum })
    }
}

impl FacetLaw for PublishedDualCone {
    fn directions(&self) -> u8 {
        DIRECTIONS
    }

    #[inline(always)]
    fn fill(&self, seed: &ContactSeed, dim: usize, out: &mut Facets) {
        out.reset(seed, dim, DIRECTIONS);
        let (relative, shift) = self.relative(seed.dt, seed.gap, &seed.material.solimp);
        out.set_shift(shift);
        let [a, b] = &seed.sides;
        let over = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        let trace = |s: &ContactSide| s.linear.trace();
        let known = a.reference > 0.0 || b.reference > 0.0;
        let gain = match self.mass {
            MassScale::Trace => relative * over(trace(a) + trace(b)),
            MassScale::Mean if known => relative * over(a.reference + b.reference),
            MassScale::Mean => relative * 3.0 * over(trace(a) + trace(b)),
        };
        out.gains_mut().fill(gain);
    }
}

law_of_facets!(PublishedDualCone, "published_dual_cone", [1, 3, 4, 6]);
