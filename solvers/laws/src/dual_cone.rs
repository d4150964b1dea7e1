use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Sweep, SweptAccess, SweptLaw};

use crate::closing_hessian;
use crate::facet_law::{FacetLaw, law_of_facets};
use crate::solimp::impedance;
use crate::{Facets, Gains, LimitSeed};

/// The dual cone of friction as facets, each a spring and damper in closed form: complementarity-free contact.
///
/// ```text
/// u_f = a_f·v_c,   a_f = n − μ_s d_f,   λ_f = (−K (φ + δt u_f) − D u_f)₊,   γ = −Σ_f δt λ_f ∂u_f/∂v_c      borse2026comfree, eq. (8)
/// ```
/// With G = δt (δt K + D) and the shift s = K φ/(δt K + D) that is γ_f = G (−u_f − s)₊ and ℓ = Σ_f ½ G (−u_f − s)₊², convex, so that one law serves the
/// explicit evaluation of the paper and implicit solvers. d_f are `directions` tangents and, for condim 4 and 6, the two spins and four rolls,
/// with μ_s the coefficient \[m\] of each. Contacts of fewer dimensions than D leave the other rows free.
///
/// Gains of a facet are relative to its own mass, 1/(A M⁻¹ Aᵀ), shared among the facets of a contact and among the n contacts and limits on a tree: W₁ n₁ + W₂ n₂ in place of
/// W₁ + W₂. λ_max of all of them together is then at most one for any scene (papers/borse2026comfree, *Mass splitting*). Without memory opposite facets both have the smaller of their two gains: where normal and tangents are
/// coupled (a bent leg) their masses differ, and springs of different stiffness would push a penetrating contact sideways though nothing slides.
///
/// Stored energy: that of the springs where gains are [`Gains::Material`]. Others are relative to masses, or to the step, which a state does not hold: none is told.
///
/// Lagged: the gap, masses, μ at the slip speed of the start.
///
/// Not read: dissipation, solref, impedance; stiffness and relaxation time unless gains are [`Gains::Material`].
///
/// Deviates: masses and their shares; `gains`, `cap`, `directions`, `smoothing`, `recovery_speed`, `coulomb_slip` and `memory`; a positive gap may close within the step at any speed, where the
/// published law brakes from φ < (δt + d/k) |u| on. [`PublishedDualCone`](crate::PublishedDualCone) is the law as published.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualCone {
    /// Gains.
    pub gains: Gains,
    /// Gains are lowered where the sum of R (d + k δt) over facets and contacts of a tree could pass one; otherwise they are as given, and nothing keeps them below the bound of stability.
    pub cap: bool,
    /// n counts those that act at the velocity without contact alone. Memory and more than one sweep let others act, so they count all.
    pub acting: bool,
    /// Number of tangential directions: 4, 8 or 16.
    pub directions: u8,
    /// Width ε of the smooth maximum ε ln(1 + exp(x/ε)) \[m/s\]; 0 is the maximum itself.
    pub smoothing: f64,
    /// Largest speed at which [`Gains::Recovery`] undoes a penetration, or what a joint moves comes back from beyond its limit \[m/s\], > 0.
    pub recovery_speed: f64,
    /// Slip v_s \[m/s\] above which friction is Coulomb's where a step has several sweeps: the speed o by which the dual cone opens a contact that slides, the largest μ_f times the rate along d_f, is taken
    /// off as far as o²/(o² + (μ v_s)²). None: the dual cone's at any slip, as published; a body that slides is thrown up by up to μ times its speed.
    pub coulomb_slip: Option<f64>,
    /// Anchors: the part of a step's change that facet forces take into the next step, 0 to 1. A contact then rests without depth and without creep.
    pub memory: f64,
}

impl Default for DualCone {
    fn default() -> Self {
        Self {
            gains: Gains::Recovery { beta: 0.3 },
            cap: true,
            acting: true,
            directions: 8,
            smoothing: 0.0,
            recovery_speed: 1.0,
            coulomb_slip: None,
            memory: 0.0,
        }
    }
}

impl DualCone {
    /// With memory: remembered impulses balance a contact at rest, so that facets keep exact masses of their own, with which sweeps are fastest. A contact that slides faster than 3 cm/s has Coulomb's friction where
    /// there are several.
    pub fn remembering(memory: f64) -> Self {
        Self { memory, coulomb_slip: Some(0.03), ..Self::default() }
    }

    /// Fails on a setting that is out of range.
    ///
    /// # Errors
    /// The setting that is out of range, and its range.
    pub fn check(&self) -> Result<(), String> {
        let not_negative = |what: &str, x: f64| {
            if x >= 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(format!("{what} is {x}, but must be at least 0"))
            }
        };
        self.gains.check()?;
        not_negative("smoothing", self.smoothing)?;
        if self.recovery_speed.is_nan() || self.recovery_speed <= 0.0 {
            return Err(format!("recovery_speed is {}, but must be more than 0", self.recovery_speed));
        }
        not_negative("coulomb_slip", self.coulomb_slip.unwrap_or(0.0))?;
        if !(0.0..=1.0).contains(&self.memory) {
            return Err(format!("memory is {}, but must be between 0 and 1", self.memory));
        }
        if !matches!(self.directions, 4 | 8 | 16) {
            return Err(format!("directions is {}, but must be 4, 8 or 16", self.directions));
        }
        Ok(())
    }

    /// The law for a limit of a joint, which has no material: gains of the material become the recovery of the default. Its speed of recovery is that of the bodies that the joint moves.
    pub(crate) fn of_limit(&self, seed: &LimitSeed) -> Self {
        let recovery_speed = self.recovery_speed / seed.lever();
        match self.gains {
            Gains::Material => Self { gains: Self::default().gains, recovery_speed, ..*self },
            _ => Self { recovery_speed, ..*self },
        }
    }

    /// Opposite facets have the smaller of their two gains.
    pub(crate) fn is_balanced(&self) -> bool {
        self.memory == 0.0
    }

    /// Bound on −s \[m/s\].
    pub(crate) fn fastest_recovery(&self) -> f64 {
        if matches!(self.gains, Gains::Recovery { .. }) { self.recovery_speed } else { f64::MAX }
    }

    /// (R (d + k δt), s): gain relative to the mass, and shift \[m/s\]. For [`Gains::Material`] the gain δt (δt K + D) itself \[kg\].
    pub(crate) fn relative(&self, dt: f64, gap: f64, solimp: &[f64; 5], material: [f64; 2]) -> (f64, f64) {
        let r = impedance(solimp, gap.min(0.0));
        let scale = r / (1.0 - r);
        let (k, d, scale) = match self.gains {
            Gains::PerStep { k, d } => (k, d, scale),
            Gains::Physical { kappa, c } => (kappa * dt, c * dt, scale),
            Gains::Recovery { beta } => (beta / (scale * dt), (1.0 - beta) / scale, scale),
            Gains::Material => (material[0] * dt, material[1] * dt, 1.0),
        };
        let sum = d + k * dt;
        let shift = match gap {
            _ if sum == 0.0 => 0.0,
            gap if gap > 0.0 => gap / dt,
            gap => (k * gap / sum).max(-self.fastest_recovery()),
        };
        (scale * sum, shift)
    }
}

impl FacetLaw for DualCone {
    fn directions(&self) -> u8 {
        self.directions
    }

    #[inline(always)]
    fn fill(&self, seed: &ContactSeed, dim: usize, out: &mut Facets) {
        let (m, sides) = (&seed.material, &seed.sides);
        out.reset(seed, dim, self.directions);
        out.set_smoothing(self.smoothing);
        if let Some(slip) = self.coulomb_slip {
            out.set_coulomb_slip(slip);
        }
        let material = [m.stiffness, m.relaxation_time * m.stiffness];
        let (relative, shift) = self.relative(seed.dt, seed.gap, &m.solimp, material);
        out.set_shift(shift);
        let facets = out.count() as f64;
        let relative = relative / facets;
        let counts = sides.map(|s| s.contacts.max(1));
        // Σ_f G_f a_fᵀ W a_f of this contact stays below its share 1/n of one, n the larger number of contacts on its two trees: then
        // λ_max(M⁻¹ Σ G aᵀa) ≤ 1 for the whole scene (papers/borse2026comfree). Shared exact masses have this built in.
        let sum = if self.gains == Gains::Material {
            out.gains_mut().fill(relative);
            let w = out.inverse_masses(sides, [1.0; 2]);
            let sum = out.gains_mut().iter().zip(&w).map(|(g, w)| g * w).sum::<f64>();
            sum * f64::from(counts[0].max(counts[1]))
        } else {
            let shares = counts.map(f64::from);
            let w = match self.is_balanced() {
                true => out.balanced_inverse_masses(sides, shares),
                false => out.inverse_masses(sides, shares),
            };
            let gain = |w: f64| if w > 0.0 { relative / w } else { 0.0 };
            out.gains_mut().iter_mut().zip(w).for_each(|(g, w)| *g = gain(w));
            let sum = relative * facets;
            if self.cap && self.smoothing == 0.0 && relative > 0.0 {
                out.set_pairs(sides, shares, sum);
            }
            sum
        };
        if self.cap && sum > 1.0 {
            out.gains_mut().iter_mut().for_each(|g| *g /= sum);
        }
    }

    fn memory(&self) -> f64 {
        self.memory
    }

    fn shares_mass(&self) -> bool {
        self.acting && self.memory == 0.0
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        // The facets of a contact are one spring of K of the material together.
        if self.gains == Gains::Material { seed.spring_energy() } else { 0.0 }
    }
}

law_of_facets!(DualCone, "dual_cone", [1, 3, 4, 6]);
