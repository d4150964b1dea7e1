use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Pace, Smoothness};

use crate::friction::friction_coefficient;
use crate::ramp::Ramp;
use crate::solimp::impedance;

/// How stiff and how damped a facet is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gains {
    /// The paper's gains, relative to the step: K = (k/δt) R m, D = (d/δt) R m. Stiffness grows as the step falls.
    PerStep {
        /// k \[1/s\], ≥ 0.
        k: f64,
        /// d, ≥ 0.
        d: f64,
    },
    /// K = κ R m, D = c R m: one compliance for all steps, so that error control converges.
    Physical {
        /// κ \[1/s²\], ≥ 0.
        kappa: f64,
        /// c \[1/s\], ≥ 0.
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
            normalize: true,
            cap: true,
            directions: 8,
            smoothing: 0.0,
            ballistic: true,
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
            normalize: false,
            cap: false,
            directions: 4,
            smoothing: 0.0,
            ballistic: false,
            width: None,
            memory: 0.0,
        }
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
        match self.gains {
            Gains::PerStep { k, d } => {
                not_negative("k", k)?;
                not_negative("d", d)?;
            }
            Gains::Physical { kappa, c } => {
                not_negative("kappa", kappa)?;
                not_negative("c", c)?;
            }
            Gains::Recovery { beta } if !(0.0..=1.0).contains(&beta) => {
                return Err(format!("beta is {beta}, but must be between 0 and 1"));
            }
            _ => {}
        }
        not_negative("smoothing", self.smoothing)?;
        not_negative("width", self.width.unwrap_or(0.0))?;
        if !(0.0..=1.0).contains(&self.memory) {
            return Err(format!("memory is {}, but must be between 0 and 1", self.memory));
        }
        if !matches!(self.directions, 4 | 8 | 16) {
            return Err(format!("directions is {}, but must be 4, 8 or 16", self.directions));
        }
        Ok(())
    }

    /// Facets of a contact of dimension `condim` under a law of D rows.
    fn facets(&self, condim: u8, dim: usize) -> usize {
        let condim = usize::from(condim).min(dim);
        let [tangents, spins, rolls] = groups(condim);
        match condim {
            1 => 1,
            _ => tangents * usize::from(self.directions) + spins * 2 + rolls * 4,
        }
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
            gap => k * gap / sum,
        };
        (scale * sum, shift)
    }
}

/// 1 where a contact of this dimension has tangents, spin, roll.
fn groups(condim: usize) -> [usize; 3] {
    [usize::from(condim >= 3), usize::from(condim >= 4), usize::from(condim >= 6)]
}

fn with_width(solimp: &[f64; 5], width: Option<f64>) -> [f64; 5] {
    let mut s = *solimp;
    s[2] = width.unwrap_or(s[2]);
    s
}

/// Most facets of a contact: 16 directions, two spins, four rolls.
const FACETS: usize = 22;

/// Parameters of [`DualCone`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualConeParams {
    /// G of each facet \[kg\].
    gains: [f64; FACETS],
    /// Multipliers of the facets \[N·s\]; without momentum, and in the end without what undid a penetration.
    multipliers: [f64; FACETS],
    last: [f64; FACETS],
    shift: f64,
    /// Sliding, spin, rolling.
    mu: [f64; 3],
    directions: u8,
    condim: u8,
    smoothing: f64,
}

/// cos(π i/8), i = 0..16, written so that axes are exact.
const COS: [f64; 16] = {
    let (a, b, c) = (0.923_879_532_511_286_7, std::f64::consts::FRAC_1_SQRT_2, 0.382_683_432_365_089_8);
    [1.0, a, b, c, 0.0, -c, -b, -a, -1.0, -a, -b, -c, 0.0, c, b, a]
};

impl DualConeParams {
    /// Calls `f(number, a_f)` for every facet; a_f as (normal, t₁, t₂, spin, roll₁, roll₂).
    #[inline(always)]
    fn for_facets(&self, mut f: impl FnMut(usize, [f64; 6])) {
        if self.condim == 1 {
            return f(0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        let [sliding, spin, rolling] = self.mu;
        let n = usize::from(self.directions);
        for j in 0..n {
            let i = j * (16 / n);
            f(j, [1.0, -sliding * COS[i], -sliding * COS[(i + 12) % 16], 0.0, 0.0, 0.0]);
        }
        if self.condim < 4 {
            return;
        }
        f(n, [1.0, 0.0, 0.0, -spin, 0.0, 0.0]);
        f(n + 1, [1.0, 0.0, 0.0, spin, 0.0, 0.0]);
        if self.condim < 6 {
            return;
        }
        f(n + 2, [1.0, 0.0, 0.0, 0.0, -rolling, 0.0]);
        f(n + 3, [1.0, 0.0, 0.0, 0.0, rolling, 0.0]);
        f(n + 4, [1.0, 0.0, 0.0, 0.0, 0.0, -rolling]);
        f(n + 5, [1.0, 0.0, 0.0, 0.0, 0.0, rolling]);
    }

    /// Calls `f(number, a_f, G_f, x_f)` for every facet with gain, γ_f = G_f x_f₊ with x_f = λ_f/G_f − u_f − `shift`.
    #[inline(always)]
    fn for_active<const D: usize>(
        &self,
        v_c: &SVector<f64, D>,
        shift: f64,
        mut f: impl FnMut(usize, [f64; 6], f64, f64),
    ) {
        self.for_facets(|i, a| {
            let g = self.gains[i];
            if g > 0.0 {
                f(i, a, g, self.multipliers[i] / g - dot(&a, v_c) - shift);
            }
        });
    }

    fn ramp(&self) -> Ramp {
        Ramp { width: self.smoothing }
    }
}

#[inline(always)]
fn dot<const D: usize>(a: &[f64; 6], v: &SVector<f64, D>) -> f64 {
    let mut s = 0.0;
    for i in 0..D {
        s += a[i] * v[i];
    }
    s
}

macro_rules! dual_cone {
    ($($d:literal),*) => {$(
        impl ContactLaw<$d> for DualCone {
            type Seed = ContactSeed;
            type Params = DualConeParams;
            const KEY: &'static str = "dual_cone";
            const PROPERTIES: LawProperties =
                LawProperties { convex: true, barrier: false, smoothness: Smoothness::C1 };
            const PAPER: &'static str = "borse2026comfree";
            const SHARES_MASS: bool = true;
            const MULTIPLIERS: usize = FACETS;

            fn acts(&self, seed: &ContactSeed, v_c: SVector<f64, $d>) -> bool {
                if !self.acting || self.memory > 0.0 {
                    return true;
                }
                let p = <Self as ContactLaw<$d>>::prepare(self, seed);
                // Beyond forty widths the smooth maximum is below the round-off of the normal impulse.
                let margin = 40.0 * self.smoothing;
                let mut acts = false;
                p.for_active(&v_c, p.shift, |_, _, _, x| acts |= x + margin > 0.0);
                acts
            }

            fn prepare(&self, seed: &ContactSeed) -> DualConeParams {
                prepare(self, seed, $d)
            }

            fn memory(&self) -> f64 {
                self.memory
            }

            fn remember(&self, p: &mut DualConeParams, multipliers: &[f64]) {
                p.multipliers.copy_from_slice(multipliers);
                p.last = p.multipliers;
            }

            fn multipliers<'p>(&self, p: &'p DualConeParams) -> &'p [f64] {
                &p.last
            }

            fn recall(&self, p: &DualConeParams) -> SVector<f64, $d> {
                let mut gamma = SVector::zeros();
                p.for_facets(|i, a| {
                    for r in 0..$d {
                        gamma[r] += p.multipliers[i] * a[r];
                    }
                });
                gamma
            }

            #[inline]
            fn sweep(
                &self,
                p: &mut DualConeParams,
                v_c: SVector<f64, $d>,
                pace: &mut Pace,
            ) -> SVector<f64, $d> {
                let ramp = p.ramp();
                let mut gamma = SVector::zeros();
                let (mut ahead, mut last) = ([0.0; FACETS], [0.0; FACETS]);
                let undo = p.shift.min(0.0);
                let shift = if pace.recover { p.shift } else { p.shift - undo };
                p.for_active(&v_c, shift, |i, a, g, x| {
                    let next = g * ramp.value(x);
                    let change = next - p.last[i];
                    pace.uphill += (p.multipliers[i] - next) * change / g;
                    ahead[i] = next + pace.momentum * change;
                    last[i] = if pace.recover { (next + g * undo).max(0.0) } else { next };
                    for r in 0..$d {
                        gamma[r] += ahead[i] * a[r];
                    }
                });
                (p.multipliers, p.last) = (ahead, last);
                gamma
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

            #[inline]
            fn grad(&self, p: &DualConeParams, v_c: SVector<f64, $d>) -> SVector<f64, $d> {
                let ramp = p.ramp();
                let mut grad = SVector::zeros();
                p.for_active(&v_c, p.shift, |_, a, g, x| {
                    let impulse = g * ramp.value(x);
                    for i in 0..$d {
                        grad[i] -= impulse * a[i];
                    }
                });
                grad
            }
        }
    )*};
}

dual_cone!(1, 3, 4, 6);

/// aᵀ W a of a facet; the tangents of `a` go with the linear rows, the others one by one with the normal.
fn inverse_mass(a: &[f64; 6], linear: &Matrix3<f64>, angular: &Matrix3<f64>, coupling: &Vector3<f64>) -> f64 {
    let (t, w) = (Vector3::new(a[0], a[1], a[2]), Vector3::new(a[3], a[4], a[5]));
    t.dot(&(linear * t)) + 2.0 * w.dot(coupling) + w.dot(&(angular * w))
}

fn prepare(law: &DualCone, seed: &ContactSeed, dim: usize) -> DualConeParams {
    let m = &seed.material;
    let condim = if m.condim as usize > dim { dim as u8 } else { m.condim };
    let facets = law.facets(condim, dim);
    let slip = seed.velocity[1].hypot(seed.velocity[2]);
    let sliding = friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed);
    let material = [m.stiffness, m.relaxation_time * m.stiffness];
    let (relative, shift) = law.relative(seed.dt, seed.gap, &m.solimp, material);
    let relative = if law.normalize { relative / facets as f64 } else { relative };
    let mut p = DualConeParams {
        gains: [0.0; FACETS],
        multipliers: [0.0; FACETS],
        last: [0.0; FACETS],
        shift,
        mu: [sliding, m.friction_torsional, m.friction_rolling],
        directions: law.directions,
        condim,
        smoothing: law.smoothing,
    };
    let over = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
    let [a, b] = &seed.sides;
    let [m1, m2] = seed.sides.map(|s| if law.split { f64::from(s.contacts.max(1)) } else { 1.0 });
    let trace = m1 * a.linear.trace() + m2 * b.linear.trace();
    let reference = m1 * a.reference + m2 * b.reference;
    let known = a.reference > 0.0 || b.reference > 0.0;
    let same = match (law.gains, law.mass) {
        (Gains::Material, _) => Some(relative),
        (_, MassScale::Exact) => None,
        (_, MassScale::Mean) if known => Some(relative * over(reference)),
        (_, MassScale::Mean) => Some(relative * 3.0 * over(trace)),
        (_, MassScale::Trace) => Some(relative * over(trace)),
    };
    let linear = a.linear * m1 + b.linear * m2;
    let (angular, coupling) = (a.angular * m1 + b.angular * m2, a.coupling * m1 + b.coupling * m2);
    let mut gains = [0.0; FACETS];
    p.for_facets(|i, a| {
        gains[i] = same.unwrap_or_else(|| relative * over(inverse_mass(&a, &linear, &angular, &coupling)));
    });
    if law.cap {
        // Σ_f G_f a_fᵀ W a_f of this contact stays below its share 1/n of one, n the larger number of contacts on its two trees: then
        // λ_max(M⁻¹ Σ G aᵀa) ≤ 1 for the whole scene (papers/borse2026comfree). Shared exact masses have this built in.
        let sum = if law.split && same.is_none() {
            relative * facets as f64
        } else {
            let (linear, angular) = (a.linear + b.linear, a.angular + b.angular);
            let coupling = a.coupling + b.coupling;
            let mut sum = 0.0;
            p.for_facets(|i, a| sum += gains[i] * inverse_mass(&a, &linear, &angular, &coupling));
            sum * f64::from(a.contacts.max(b.contacts).max(1))
        };
        if sum > 1.0 {
            gains.iter_mut().for_each(|g| *g /= sum);
        }
    }
    p.gains = gains;
    p
}

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
