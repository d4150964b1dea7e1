use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{Along, ContactLaw, ContactSeed, Impact, LawEval, LawProperties};

use crate::impact;

use crate::Softness;

/// The semi-analytic primal law (Castro and others, 2022): linear Kelvin–Voigt compliance and a projection on the friction cone.
///
/// ```text
/// y = R⁻¹(v̂ − v_c),   γ = argmin ½ ‖γ − y‖²_R  over  ‖γ_t‖ ≤ μ γ_n,   ℓ = ½ γᵀ R γ
/// v̂ = (−φ₀/(δt + τ_d), 0, 0),   R_n = max(β² w/(4π²), 1/(δt k (δt + τ_d))),   R_t = σ_R w
/// ```
/// With e = v̂_n − v_n and r = ‖v_t‖ the projection has three cases, whose values and slopes agree where they meet:
///
/// ```text
/// stick   r R_n ≤ μ e R_t     ℓ = ½ (e²/R_n + r²/R_t)                 γ = (e/R_n, −v_t/R_t)
/// slide   e + μ r > 0         ℓ = ½ (e + μ r)²/(R_n + μ² R_t)         γ = γ_n (1, −μ v_t/r),  γ_n = (e + μ r)/(R_n + μ² R_t)
/// open    otherwise           ℓ = 0                                   γ = 0
/// ```
/// Each is convex in v_c. A sliding contact glides by μ‖v_t‖(δt + τ_d), which does not vanish with δt when τ_d > 0. Lagged: μ.
///
/// A material that states no relaxation time has that of Hunt and Crossley's damper at the depth of the start, τ_d = d (−φ₀)₊: k φ₋ d v = k τ_d v, so that all laws compare one dissipation.
///
/// A soft contact (`impedance`) has v̂ and 1/R_n of [`Softness::line`], v̂ less μ‖v_t‖ of the start, so that it does not glide on its damper.
///
/// Not read: dissipation beside a relaxation time, torsional and rolling friction; the stiction speed only decides between static
/// and dynamic friction; solref and solimp as stiffness, relaxation time and impedance.
///
/// Deviates: μ follows kurtz2025cenic, eq. (8) at the slip speed of the start; R_t is at least 1e-12 R_n; τ_d of a dissipation; soft contacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sap {
    /// β: contacts stiffer than a period of β steps are softened to it; 0 switches this off.
    pub beta: f64,
    /// σ_R: relative size of the friction regularisation.
    pub sigma_r: f64,
}

impl Default for Sap {
    fn default() -> Self {
        Self { beta: 1.0, sigma_r: 1e-3 }
    }
}

/// Parameters of [`Sap`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SapParams {
    /// v̂_n \[m/s\].
    v_hat: f64,
    /// R_n \[1/kg\].
    r_n: f64,
    /// R_t \[1/kg\].
    r_t: f64,
    mu: f64,
}

impl SapParams {
    /// μ of this step.
    pub fn friction_coefficient(&self) -> f64 {
        self.mu
    }
}

/// τ_d \[s\] of a linear damper: the relaxation time, or where there is none d (−φ₀)₊ of the dissipation.
fn relaxation_time(seed: &ContactSeed) -> f64 {
    let m = &seed.material;
    if m.relaxation_time > 0.0 { m.relaxation_time } else { m.dissipation * (-seed.gap).max(0.0) }
}

/// The three cases of the projection.
enum Region {
    Stick,
    /// With γ_n.
    Slide(f64),
    Open,
}

impl SapParams {
    /// Region for e and r ≥ 0. Without friction sticking is never chosen, and sliding has no tangential part.
    #[inline]
    fn region(&self, e: f64, r: f64) -> Region {
        if self.mu > 0.0 && r * self.r_n <= self.mu * e * self.r_t {
            Region::Stick
        } else if e + self.mu * r > 0.0 {
            Region::Slide((e + self.mu * r) / (self.r_n + self.mu * self.mu * self.r_t))
        } else {
            Region::Open
        }
    }
}

impl ContactLaw<3> for Sap {
    type Seed = ContactSeed;
    type Params = SapParams;
    const KEY: &'static str = "sap";
    const PROPERTIES: LawProperties = LawProperties { glides: true, ..LawProperties::CONVEX };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, seed: &ContactSeed) -> SapParams {
        let (h, m, w) = (seed.dt, &seed.material, seed.inverse_mass());
        let tau = h + relaxation_time(seed);
        let near_rigid = self.beta * self.beta * w / (4.0 * PI * PI);
        let slip = seed.velocity[1].hypot(seed.velocity[2]);
        let mu = crate::friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed);
        let (compliance, v_hat) = if m.impedance > 0.0 {
            let [gain, open] = Softness::of_contact(seed).line(h, seed.gap, seed.velocity[0]);
            (gain.recip(), open - mu * slip)
        } else {
            (1.0 / (h * m.stiffness * tau), -seed.gap / tau)
        };
        let r_n = near_rigid.max(compliance);
        SapParams { v_hat, r_n, r_t: (self.sigma_r * w).max(1e-12 * r_n), mu }
    }

    fn stored_energy(&self, seed: &ContactSeed) -> f64 {
        seed.spring_energy()
    }

    fn impact(&self, seed: &ContactSeed, speed: f64) -> Option<Impact> {
        Some(impact::of_relaxation(seed, speed))
    }

    #[inline]
    fn eval(&self, p: &SapParams, v_c: SVector<f64, 3>) -> LawEval<3> {
        let (e, a, b) = (p.v_hat - v_c[0], v_c[1], v_c[2]);
        let rr = a * a + b * b;
        let r = rr.sqrt();
        match p.region(e, r) {
            Region::Stick => {
                let (stiff_n, stiff_t) = (p.r_n.recip(), p.r_t.recip());
                LawEval {
                    cost: 0.5 * (e * e * stiff_n + rr * stiff_t),
                    grad: Vector3::new(-e * stiff_n, a * stiff_t, b * stiff_t),
                    hess: Matrix3::from_diagonal(&Vector3::new(stiff_n, stiff_t, stiff_t)),
                }
            }
            Region::Slide(n) => {
                let inverse = if r > 0.0 { r.recip() } else { 0.0 };
                let (ta, tb) = (a * inverse, b * inverse);
                let stiff = (p.r_n + p.mu * p.mu * p.r_t).recip();
                // ∇(e + μ r) = (−1, μ t): its outer product and the curvature of r across the slip.
                let dz = Vector3::new(-1.0, p.mu * ta, p.mu * tb);
                let mut hess: Matrix3<f64> = stiff * dz * dz.transpose();
                let g = p.mu * n * inverse;
                hess[(1, 1)] += g * tb * tb;
                hess[(2, 2)] += g * ta * ta;
                hess[(1, 2)] -= g * ta * tb;
                hess[(2, 1)] = hess[(1, 2)];
                LawEval { cost: 0.5 * n * n / stiff, grad: n * dz, hess }
            }
            Region::Open => LawEval::zero(),
        }
    }

    #[inline]
    fn cost(&self, p: &SapParams, v_c: SVector<f64, 3>) -> f64 {
        let e = p.v_hat - v_c[0];
        let rr = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        match p.region(e, rr.sqrt()) {
            Region::Stick => 0.5 * (e * e / p.r_n + rr / p.r_t),
            Region::Slide(n) => 0.5 * n * n * (p.r_n + p.mu * p.mu * p.r_t),
            Region::Open => 0.0,
        }
    }

    #[inline]
    fn along(&self, p: &SapParams, v_c: SVector<f64, 3>, dv: SVector<f64, 3>) -> Along {
        let e = p.v_hat - v_c[0];
        let rr = v_c[1] * v_c[1] + v_c[2] * v_c[2];
        let vd = v_c[1] * dv[1] + v_c[2] * dv[2];
        let r = rr.sqrt();
        match p.region(e, r) {
            Region::Stick => {
                let (stiff_n, stiff_t) = (p.r_n.recip(), p.r_t.recip());
                let dd = dv[1] * dv[1] + dv[2] * dv[2];
                Along {
                    value: 0.5 * (e * e * stiff_n + rr * stiff_t),
                    slope: vd * stiff_t - e * dv[0] * stiff_n,
                    curvature: dv[0] * dv[0] * stiff_n + dd * stiff_t,
                }
            }
            Region::Slide(n) => {
                let inverse = if r > 0.0 { r.recip() } else { 0.0 };
                let compliance = p.r_n + p.mu * p.mu * p.r_t;
                let rate = p.mu * vd * inverse - dv[0];
                let cross = (v_c[1] * dv[2] - v_c[2] * dv[1]) * inverse;
                Along {
                    value: 0.5 * n * n * compliance,
                    slope: n * rate,
                    curvature: rate * rate / compliance + p.mu * n * inverse * cross * cross,
                }
            }
            Region::Open => Along::default(),
        }
    }
}
