use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{
    ContactLaw, ContactSeed, LawEval, LawProperties, Sweep, SweptAccess, SweptLaw, closing_curvature,
};

use crate::dual_cone_params::{DualConeParams, facet_count};
use crate::solimp::impedance;

/// Gains above this are a mistake: they are far beyond every bound of stability, and products with them could overflow.
const LARGEST_GAIN: f64 = 1e12;

/// How stiff and how damped a facet is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gains {
    /// The paper's gains, relative to the step: K = (k/δt) R m, D = (d/δt) R m. Stiffness grows as the step falls.
    PerStep {
        /// k \[1/s\], 0 to 1e12; not both 0.
        k: f64,
        /// d, 0 to 1e12.
        d: f64,
    },
    /// K = κ R m, D = c R m: one compliance for all steps, so that error control converges.
    Physical {
        /// κ \[1/s²\], 0 to 1e12; not both 0.
        kappa: f64,
        /// c \[1/s\], 0 to 1e12.
        c: f64,
    },
    /// d + k δt = 1/R: a facet on its own stops the approach within the step and undoes the fraction β of a penetration.
    Recovery {
        /// β in \[0, 1\].
        beta: f64,
    },
    /// K and D = τ_d K of the contact's material \[N/m, N·s/m\], as users and learned models state them; no mass, no solimp.
    Material,
}

impl Gains {
    /// β of gains that undo a part of a penetration per step.
    pub fn recovery(&self) -> Option<f64> {
        match self {
            Self::Recovery { beta } => Some(*beta),
            _ => None,
        }
    }
}

/// The mass m that gains are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MassScale {
    /// 1/Σ of the mean translational inverse masses of both bodies at the reference configuration, as the authors' code has it; where these
    /// are not known, a third of the trace.
    Mean,
    /// 1/Σ tr(J M⁻¹ Jᵀ) over both sides, three translational rows: borse2026comfree, eq. (12).
    Trace,
    /// 1/(A M⁻¹ Aᵀ) of each facet.
    Exact,
}

/// The dual cone of friction as facets, each a spring and damper in closed form: complementarity-free contact.
///
/// ```text
/// u_f = a_f·v_c,   a_f = n − μ_s d_f,   λ_f = (−K (φ + δt u_f) − D u_f)₊,   γ = −Σ_f δt λ_f ∂u_f/∂v_c      borse2026comfree, eq. (8)
/// ```
/// With G = δt (δt K + D) and the shift s = K φ/(δt K + D) that is γ_f = G (−u_f − s)₊ and ℓ = Σ_f ½ G (−u_f − s)₊², convex, so that one law serves the
/// explicit evaluation of the paper and implicit solvers. d_f are `directions` tangents and, for condim 4 and 6, the two spins and four rolls,
/// with μ_s the coefficient \[m\] of each. Contacts of fewer dimensions than D leave the other rows free.
///
/// Stored energy: that of the springs where gains are [`Gains::Material`]. Others are relative to masses, or to the step, which a state does not hold: none is told.
///
/// Lagged: the gap, masses, μ at the slip speed of the start.
///
/// Not read: dissipation, solref; stiffness and relaxation time unless gains are [`Gains::Material`].
///
/// Deviates where switches say so; [`DualCone::paper`] is the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualCone {
    /// Gains.
    pub gains: Gains,
    /// Mass scale.
    pub mass: MassScale,
    /// Masses are shared among the n contacts and limits on a tree: W₁ n₁ + W₂ n₂ in place of W₁ + W₂.
    pub split: bool,
    /// n counts those that act at the velocity without contact alone. Memory and more than one sweep let others act, so they count all.
    pub acting: bool,
    /// Opposite facets have the smaller of their two gains. Where normal and tangents are coupled (a bent leg) the exact masses of d and −d differ, and springs of
    /// different stiffness would push a penetrating contact sideways though nothing slides.
    pub balanced: bool,
    /// Gains are divided by the number of facets.
    pub normalize: bool,
    /// Gains are lowered where the sum of R (d + k δt) over facets and contacts of a tree could pass one.
    pub cap: bool,
    /// Number of tangential directions: 4, 8 or 16.
    pub directions: u8,
    /// Width ε of the smooth maximum ε ln(1 + exp(x/ε)) \[m/s\]; 0 is the maximum itself.
    pub smoothing: f64,
    /// A positive gap may close within the step at any speed; the paper's law brakes from φ < (δt + d/k) |u| on.
    pub ballistic: bool,
    /// Largest speed at which [`Gains::Recovery`] undoes a penetration \[m/s\], > 0.
    pub recovery_speed: f64,
    /// Slip v_s \[m/s\] above which friction is Coulomb's where a step has several sweeps: the speed o by which the dual cone opens a contact that slides, the largest μ_f times the rate along d_f, is taken
    /// off as far as o²/(o² + (μ v_s)²). None: the dual cone's at any slip, as in the paper; a body that slides is thrown up by up to μ times its speed.
    pub coulomb_slip: Option<f64>,
    /// Width of the solimp curve in place of the contact's own \[m\].
    pub width: Option<f64>,
    /// Anchors: the part of a step's change that facet forces take into the next step, 0 to 1. A contact then rests without depth and without creep.
    pub memory: f64,
}

impl Default for DualCone {
    fn default() -> Self {
        Self {
            gains: Gains::Recovery { beta: 0.3 },
            mass: MassScale::Exact,
            split: true,
            acting: true,
            balanced: true,
            normalize: true,
            cap: true,
            directions: 8,
            smoothing: 0.0,
            ballistic: true,
            recovery_speed: 1.0,
            coulomb_slip: None,
            width: None,
            memory: 0.0,
        }
    }
}

impl DualCone {
    /// As published: gains k, d relative to the step, the trace as mass scale, four directions, nothing else.
    pub fn paper(k: f64, d: f64) -> Self {
        Self {
            gains: Gains::PerStep { k, d },
            mass: MassScale::Trace,
            split: false,
            acting: false,
            balanced: false,
            normalize: false,
            cap: false,
            directions: 4,
            smoothing: 0.0,
            ballistic: false,
            recovery_speed: f64::MAX,
            coulomb_slip: None,
            width: None,
            memory: 0.0,
        }
    }

    /// With memory: what is remembered balances a contact at rest, so that facets keep exact masses of their own, with which sweeps are fastest. What slides faster than 3 cm/s has Coulomb's friction where
    /// there are several.
    pub fn remembering(memory: f64) -> Self {
        Self { memory, balanced: memory == 0.0, coulomb_slip: Some(0.03), ..Self::default() }
    }

    /// Fails on a setting that is out of range.
    ///
    /// # Errors
    /// What is wrong and what it may be.
    pub fn check(&self) -> Result<(), String> {
        let not_negative = |what: &str, x: f64| {
            if x >= 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(format!("{what} is {x}, but must be at least 0"))
            }
        };
        let gains = |names: [&str; 2], values: [f64; 2]| {
            for (what, x) in names.iter().zip(values) {
                if !(0.0..=LARGEST_GAIN).contains(&x) {
                    let x = if x > LARGEST_GAIN && x.is_finite() { format!("{x:e}") } else { x.to_string() };
                    return Err(format!(
                        "{what} is {x}, but must be at least 0 and at most {LARGEST_GAIN:e}"
                    ));
                }
            }
            if values == [0.0; 2] {
                let [a, b] = names;
                return Err(format!("{a} and {b} are 0, which is no contact; give one of them more than 0"));
            }
            Ok(())
        };
        match self.gains {
            Gains::PerStep { k, d } => gains(["k", "d"], [k, d])?,
            Gains::Physical { kappa, c } => gains(["kappa", "c"], [kappa, c])?,
            Gains::Recovery { beta } if !(0.0..=1.0).contains(&beta) => {
                return Err(format!("beta is {beta}, but must be between 0 and 1"));
            }
            _ => {}
        }
        not_negative("smoothing", self.smoothing)?;
        if self.recovery_speed.is_nan() || self.recovery_speed <= 0.0 {
            return Err(format!("recovery_speed is {}, but must be more than 0", self.recovery_speed));
        }
        not_negative("width", self.width.unwrap_or(0.0))?;
        not_negative("coulomb_slip", self.coulomb_slip.unwrap_or(0.0))?;
        if !(0.0..=1.0).contains(&self.memory) {
            return Err(format!("memory is {}, but must be between 0 and 1", self.memory));
        }
        if !matches!(self.directions, 4 | 8 | 16) {
            return Err(format!("directions is {}, but must be 4, 8 or 16", self.directions));
        }
        Ok(())
    }

    /// The constraints that act are counted, rather than all.
    pub(crate) fn counts_acting(&self) -> bool {
        self.acting && self.memory == 0.0
    }

    /// Bound on −s \[m/s\].
    pub(crate) fn fastest_recovery(&self) -> f64 {
        if matches!(self.gains, Gains::Recovery { .. }) { self.recovery_speed } else { f64::MAX }
    }

    /// (R (d + k δt), s): gain relative to the mass, and shift \[m/s\]. For [`Gains::Material`] the gain δt (δt K + D) itself \[kg\].
    pub(crate) fn relative(&self, dt: f64, gap: f64, solimp: &[f64; 5], material: [f64; 2]) -> (f64, f64) {
        let r = impedance(&with_width(solimp, self.width), if self.ballistic { gap.min(0.0) } else { gap });
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
            gap if gap > 0.0 && self.ballistic => gap / dt,
            gap => (k * gap / sum).max(-self.fastest_recovery()),
        };
        (scale * sum, shift)
    }
}

fn with_width(solimp: &[f64; 5], width: Option<f64>) -> [f64; 5] {
    let mut s = *solimp;
    s[2] = width.unwrap_or(s[2]);
    s
}

macro_rules! dual_cone {
    ($($d:literal),*) => {$(
        impl ContactLaw<$d> for DualCone {
            type Seed = ContactSeed;
            type Params = DualConeParams;
            const KEY: &'static str = "dual_cone";
            const PROPERTIES: LawProperties = LawProperties::CONVEX;
            const PAPER: &'static str = "borse2026comfree";
            const SWEPT: Option<SweptAccess<Self, $d>> = Some(SweptAccess::new());

            fn prepare(&self, seed: &ContactSeed) -> DualConeParams {
                let mut p = DualConeParams::default();
                p.prepare(self, seed, $d);
                p
            }

            fn prepare_again(&self, seed: &ContactSeed, p: &mut DualConeParams) {
                p.prepare(self, seed, $d);
            }

            fn stored_energy(&self, seed: &ContactSeed) -> f64 {
                match self.gains {
                    // F facets, each a spring of K of the material; divided by F where they are normalised.
                    Gains::Material => {
                        let condim = usize::from(seed.material.condim).min($d);
                        let facets = if self.normalize { 1 } else { facet_count(condim, self.directions) };
                        facets as f64 * seed.spring_energy()
                    }
                    _ => 0.0,
                }
            }

            #[inline]
            fn eval(&self, p: &DualConeParams, v_c: SVector<f64, $d>) -> LawEval<$d> {
                let ramp = p.ramp();
                let mut e = LawEval::zero();
                p.for_active(&v_c, p.shift, |_, a, g, x| {
                    let (value, slope, integral) = ramp.eval(x);
                    e.cost += g * integral;
                    let (impulse, stiffness) = (g * value, g * slope);
                    for i in 0..$d {
                        e.grad[i] -= impulse * a[i];
                        let x = stiffness * a[i];
                        for j in 0..$d {
                            e.hess[(j, i)] += x * a[j];
                        }
                    }
                });
                e
            }

            #[inline]
            fn cost(&self, p: &DualConeParams, v_c: SVector<f64, $d>) -> f64 {
                let ramp = p.ramp();
                let mut cost = 0.0;
                p.for_active(&v_c, p.shift, |_, _, g, x| cost += g * ramp.eval(x).2);
                cost
            }
        }

        impl SweptLaw<$d> for DualCone {
            fn shares_mass(&self) -> bool {
                self.counts_acting()
            }

            fn acts(&self, seed: &ContactSeed, v_c: SVector<f64, $d>) -> bool {
                if !self.counts_acting() {
                    return true;
                }
                let p = <Self as ContactLaw<$d>>::prepare(self, seed);
                // Beyond forty widths the smooth maximum is below the round-off of the normal impulse.
                let margin = 40.0 * self.smoothing;
                let mut acts = false;
                p.for_active(&v_c, p.shift, |_, _, _, x| acts |= x + margin > 0.0);
                acts
            }

            fn multiplier_count(&self) -> usize {
                facet_count($d, self.directions)
            }

            fn memory(&self) -> f64 {
                self.memory
            }

            fn remember(&self, p: &mut DualConeParams, multipliers: &[f64]) {
                p.remember(multipliers);
            }

            fn multipliers<'p>(&self, p: &'p DualConeParams) -> &'p [f64] {
                &p.last[..facet_count($d, self.directions)]
            }

            fn sweep_curvature(&self, p: &DualConeParams) -> SMatrix<f64, $d, $d> {
                if $d > 1 && p.is_paired() { p.pair_curvature() } else { closing_curvature(self, p) }
            }

            fn recall(&self, p: &DualConeParams) -> SVector<f64, $d> {
                p.impulse()
            }

            #[inline]
            fn sweep(
                &self,
                p: &mut DualConeParams,
                v_c: SVector<f64, $d>,
                sweep: &mut Sweep,
            ) -> SVector<f64, $d> {
                if sweep.several && p.is_paired() {
                    return p.sweep_pairs(&v_c, sweep);
                }
                p.sweep(&v_c, sweep);
                p.impulse()
            }
        }
    )*};
}

dual_cone!(1, 3, 4, 6);

/// One row under [`DualCone`]: (G, s) with γ = G (−v_c − s)₊. `inverse_mass` is the row's own, `reference` that at the reference configuration.
pub(crate) fn single_row(
    law: &DualCone,
    dt: f64,
    gap: f64,
    solimp: &[f64; 5],
    (inverse_mass, reference, contacts): (f64, f64, u32),
) -> (f64, f64) {
    // A joint has no material: gains of the material fall back to the recovery of the default.
    let law = match law.gains {
        Gains::Material => DualCone { gains: DualCone::default().gains, ..*law },
        _ => *law,
    };
    let (mut relative, shift) = law.relative(dt, gap, solimp, [0.0; 2]);
    let share = if law.split { f64::from(contacts.max(1)) } else { 1.0 };
    let w = match law.mass {
        MassScale::Mean if reference > 0.0 => reference,
        _ => inverse_mass,
    };
    if law.cap {
        relative = relative.min(share * w / (inverse_mass * f64::from(contacts.max(1))));
    }
    (relative / (share * w), shift)
}
