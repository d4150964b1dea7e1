use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactSeed, LawEval, LawProperties, Smoothness};

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
/// u_f = a_f·v_c,   a_f = n − μ_s d_f,   λ_f = (−K (φ + δt u_f) − D u_f)₊,   γ = −Σ_f δt λ_f ∂u_f/∂v_c      borse2026comfree, eqs. (7)–(9)
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
    /// Masses are shared among the contacts that act on a tree: W₁ n₁ + W₂ n₂ in place of W₁ + W₂.
    pub split: bool,
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
}

impl Default for DualCone {
    fn default() -> Self {
        Self {
            gains: Gains::Recovery { beta: 0.2 },
            mass: MassScale::Exact,
            split: true,
            normalize: true,
            cap: true,
            directions: 8,
            smoothing: 0.0,
            ballistic: true,
            width: None,
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
            normalize: false,
            cap: false,
            directions: 4,
            smoothing: 0.0,
            ballistic: false,
            width: None,
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

/// Parameters of [`DualCone`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DualConeParams {
    /// W of the rows that facets use: shared among contacts, when that is on.
    linear: Matrix3<f64>,
    angular: Matrix3<f64>,
    coupling: Vector3<f64>,
    /// The same gain for all facets \[kg\]; without it `relative` over the facet's own inverse mass.
    gain: Option<f64>,
    relative: f64,
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
    /// Calls `f(a_f, G_f)` for every facet; a_f as (normal, t₁, t₂, spin, roll₁, roll₂).
    #[inline(always)]
    fn for_facets(&self, mut f: impl FnMut([f64; 6], f64)) {
        let gain = |inverse_mass: f64| match self.gain {
            Some(g) => g,
            None => self.relative / inverse_mass.max(f64::MIN_POSITIVE),
        };
        let w = &self.linear;
        if self.condim == 1 {
            return f([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], gain(w[(0, 0)]));
        }
        let [sliding, spin, rolling] = self.mu;
        let stride = 16 / usize::from(self.directions);
        for i in (0..16).step_by(stride) {
            let (a, b) = (-sliding * COS[i], -sliding * COS[(i + 12) % 16]);
            let tangent = a * a * w[(1, 1)] + b * b * w[(2, 2)] + 2.0 * a * b * w[(1, 2)];
            let mass = w[(0, 0)] + 2.0 * (a * w[(0, 1)] + b * w[(0, 2)]) + tangent;
            f([1.0, a, b, 0.0, 0.0, 0.0], gain(mass));
        }
        if self.condim < 4 {
            return;
        }
        for s in [-spin, spin] {
            let mass = w[(0, 0)] + 2.0 * s * self.coupling[0] + s * s * self.angular[(0, 0)];
            f([1.0, 0.0, 0.0, s, 0.0, 0.0], gain(mass));
        }
        if self.condim < 6 {
            return;
        }
        for axis in [1, 2] {
            for s in [-rolling, rolling] {
                let mass = w[(0, 0)] + 2.0 * s * self.coupling[axis] + s * s * self.angular[(axis, axis)];
                let mut a = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
                a[3 + axis] = s;
                f(a, gain(mass));
            }
        }
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

            fn acts(&self, seed: &ContactSeed, v_c: SVector<f64, $d>) -> bool {
                let p = <Self as ContactLaw<$d>>::prepare(self, seed);
                // Beyond forty widths the smooth maximum is below the round-off of the normal impulse.
                let margin = 40.0 * self.smoothing;
                let mut acts = false;
                p.for_facets(|a, g| acts |= g > 0.0 && margin - dot(&a, &v_c) - p.shift > 0.0);
                acts
            }

            fn prepare(&self, seed: &ContactSeed) -> DualConeParams {
                prepare(self, seed, $d)
            }

            #[inline]
            fn eval(&self, p: &DualConeParams, v_c: SVector<f64, $d>) -> LawEval<$d> {
                let ramp = p.ramp();
                let mut e = LawEval::zero();
                p.for_facets(|a, g| {
                    let (value, slope, integral) = ramp.eval(-dot(&a, &v_c) - p.shift);
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
                p.for_facets(|a, g| cost += g * ramp.eval(-dot(&a, &v_c) - p.shift).2);
                cost
            }

            #[inline]
            fn grad(&self, p: &DualConeParams, v_c: SVector<f64, $d>) -> SVector<f64, $d> {
                let ramp = p.ramp();
                let mut grad = SVector::zeros();
                p.for_facets(|a, g| {
                    let impulse = g * ramp.value(-dot(&a, &v_c) - p.shift);
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

fn prepare(law: &DualCone, seed: &ContactSeed, dim: usize) -> DualConeParams {
    let m = &seed.material;
    let condim = if m.condim as usize > dim { dim as u8 } else { m.condim };
    let facets = law.facets(condim, dim) as f64;
    let slip = seed.velocity[1].hypot(seed.velocity[2]);
    let sliding = friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed);
    let material = [m.stiffness, m.relaxation_time * m.stiffness];
    let (relative, shift) = law.relative(seed.dt, seed.gap, &m.solimp, material);
    let shares = seed.sides.map(|s| if law.split { f64::from(s.contacts.max(1)) } else { 1.0 });
    let [a, b] = &seed.sides;
    let mut p = DualConeParams {
        linear: a.linear * shares[0] + b.linear * shares[1],
        angular: a.angular * shares[0] + b.angular * shares[1],
        coupling: a.coupling * shares[0] + b.coupling * shares[1],
        gain: None,
        relative: if law.normalize { relative / facets } else { relative },
        shift,
        mu: [sliding, m.friction_torsional, m.friction_rolling],
        directions: law.directions,
        condim,
        smoothing: law.smoothing,
    };
    let over = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
    let trace = shares[0] * a.linear.trace() + shares[1] * b.linear.trace();
    let reference = shares[0] * a.reference + shares[1] * b.reference;
    let known = seed.sides.iter().any(|s| s.reference > 0.0);
    p.gain = match (law.gains, law.mass) {
        (Gains::Material, _) => Some(p.relative),
        (_, MassScale::Exact) => None,
        (_, MassScale::Trace) => Some(p.relative * over(trace)),
        (_, MassScale::Mean) if known => Some(p.relative * over(reference)),
        (_, MassScale::Mean) => Some(p.relative * 3.0 * over(trace)),
    };
    if law.cap {
        cap(law, seed, &mut p, facets);
    }
    p
}

/// Keeps Σ_f G_f a_fᵀ W a_f of this contact below its share 1/n of one, n the larger number of contacts on its two trees: then λ_max(M⁻¹ Σ G A Aᵀ) ≤ 1 for the
/// whole scene (papers/borse2026comfree).
fn cap(law: &DualCone, seed: &ContactSeed, p: &mut DualConeParams, facets: f64) {
    if p.gain.is_none() && law.split {
        // Each facet has relative/(a W a) with W shared: the sum is at most facets · relative.
        p.relative = p.relative.min(1.0 / facets);
        return;
    }
    let [a, b] = &seed.sides;
    let alone = DualConeParams {
        linear: a.linear + b.linear,
        angular: a.angular + b.angular,
        coupling: a.coupling + b.coupling,
        gain: None,
        relative: 1.0,
        ..*p
    };
    let mut masses = [0.0; 32];
    let mut n = 0;
    alone.for_facets(|_, inverse| {
        masses[n] = 1.0 / inverse;
        n += 1;
    });
    let (mut sum, mut i) = (0.0, 0);
    p.for_facets(|_, g| {
        sum += g * masses[i];
        i += 1;
    });
    let contacts = f64::from(a.contacts.max(b.contacts).max(1));
    let over = sum * contacts;
    if over > 1.0 {
        p.relative /= over;
        p.gain = p.gain.map(|g| g / over);
    }
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
