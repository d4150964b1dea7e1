use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{Along, ContactLaw, LawEval, LawProperties, Smoothness};

use crate::Softness;

/// Compliance of a constraint in one step: R \[1/kg\] and relaxation time τ \[s\].
///
/// The near-rigid spring, critically damped with period β·h, or the user's spring with its own τ = c/k. A damper alone (k = 0) has τ = ∞ and pulls nothing back; k = c = 0 is no
/// constraint.
///
/// ```text
/// k = 4π²/(β² h² w),  τ = β h/π,  h = max(δt, h₀),  R = 1/(δt (δt + τ) k)       kurtz2025cenic, eq. (18), with h₀ = 1e-4 s
/// ```
/// Deviates: the user's spring is taken as it is, where the paper takes the softer of the two. Its R is at least 10⁻⁹ w, which gives way by a thousand-millionth of the free motion in a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    /// R \[1/kg\].
    pub r: f64,
    /// τ \[s\].
    pub tau: f64,
}

/// Smallest R of a user's spring over w: below it the weight of the spring beside the mass is round-off.
const STIFFEST: f64 = 1e-9;

impl Compliance {
    /// - `dt` — δt \[s\], > 0
    /// - `w` — effective inverse mass \[1/kg\], > 0
    /// - `beta` — β, > 0
    /// - `shortest_step` — h₀ \[s\]: the stiffness does not grow below it
    /// - `user` — stiffness k ≥ 0 \[N/m\] and damping c ≥ 0 \[N·s/m\] of a stated spring
    pub fn new(dt: f64, w: f64, beta: f64, shortest_step: f64, user: Option<[f64; 2]>) -> Self {
        if let Some([k, c]) = user {
            // Written without 1/k, so that k = 0 is a damper.
            let r = 1.0 / (dt * (dt * k + c));
            let tau = if c > 0.0 { c / k } else { 0.0 };
            return Self { r: r.max(STIFFEST * w), tau };
        }
        let h = dt.max(shortest_step);
        let tau = beta * h / PI;
        Self { r: beta * beta * h * h * w / (4.0 * PI * PI * dt * (dt + tau)), tau }
    }
}

/// Two-sided constraint of D rows: loop closure (3), weld (6), coupler, tendon and distance (1).
///
/// ```text
/// γ = (v̂ − v_c)/R,   v̂ = −g₀/(δt + τ),   ℓ = ½ ‖v̂ − v_c‖²/R            kurtz2025cenic, eq. (18)
/// ```
/// R and τ as in [`Compliance`], one pair for all rows: for a weld the rotational rows share the w of the translational ones, crude but
/// harmless as long as lengths are of the order of a metre. From δt = h₀ upwards R does not depend on δt.
///
/// A soft constraint has its spring, damper and mass ([`Softness`]) in all rows: 1/R = m + δt (δt k + c), v̂ = R (m v₀ − δt k g₀).
///
/// Lagged: g₀, the rows of J.
///
/// Deviates: ‖v̂‖ ≤ `recovery_speed` for a near-rigid spring, so that a start that violates the constraint closes at a bounded speed whatever the step. A spring that the user states pulls as it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearRigid {
    /// β: period of the near-rigid spring in steps.
    pub beta: f64,
}

impl Default for NearRigid {
    fn default() -> Self {
        Self { beta: 0.1 }
    }
}

/// Quantities of a step that [`NearRigid`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRigidSeed<const D: usize> {
    /// δt \[s\].
    pub dt: f64,
    /// Residual g₀ of each row \[m or rad\], D.
    pub gap: SVector<f64, D>,
    /// Effective inverse mass of the rows, one for all \[1/kg\], > 0.
    pub inverse_mass: f64,
    /// Largest speed at which a near-rigid spring undoes a violation \[m/s or rad/s\], > 0; infinite for none.
    pub recovery_speed: f64,
    /// h₀ of [`Compliance`] \[s\], ≥ 0.
    pub shortest_step: f64,
    /// Stiffness k ≥ 0 \[N/m\] and damping c ≥ 0 \[N·s/m\] that the user states; None: near-rigid.
    pub spring: Option<[f64; 2]>,
    /// Spring, damper and mass that a file states by solref and solimp; None: near-rigid, or the spring.
    pub softness: Option<Softness>,
    /// Rates of the residuals at the start \[m/s or rad/s\], D; read with `softness` alone.
    pub velocity: SVector<f64, D>,
}

/// Parameters of [`NearRigid`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NearRigidParams<const D: usize> {
    v_hat: SVector<f64, D>,
    /// 1/R \[kg\].
    weight: f64,
}

macro_rules! near_rigid {
    ($($d:literal),*) => {$(
        impl ContactLaw<$d> for NearRigid {
            type Seed = NearRigidSeed<$d>;
            type Params = NearRigidParams<$d>;
            const KEY: &'static str = "near_rigid";
            const PROPERTIES: LawProperties =
                LawProperties { smoothness: Smoothness::C2, ..LawProperties::CONVEX };
            const PAPER: &'static str = "kurtz2025cenic";

            fn prepare(&self, s: &NearRigidSeed<$d>) -> NearRigidParams<$d> {
                if let Some(soft) = s.softness {
                    let weight = soft.mass + s.dt * (s.dt * soft.stiffness + soft.damping);
                    let momentum = soft.mass * s.velocity - s.dt * soft.stiffness * s.gap;
                    return NearRigidParams { v_hat: momentum / weight, weight };
                }
                let c = Compliance::new(s.dt, s.inverse_mass, self.beta, s.shortest_step, s.spring);
                let v_hat = -s.gap / (s.dt + c.tau);
                let speed = v_hat.norm();
                let bounded = s.spring.is_none() && speed > s.recovery_speed;
                let v_hat = if bounded { v_hat * (s.recovery_speed / speed) } else { v_hat };
                NearRigidParams { v_hat, weight: 1.0 / c.r }
            }

            fn eval(&self, p: &NearRigidParams<$d>, v_c: SVector<f64, $d>) -> LawEval<$d> {
                let e = v_c - p.v_hat;
                LawEval {
                    cost: 0.5 * p.weight * e.norm_squared(),
                    grad: p.weight * e,
                    hess: SMatrix::identity() * p.weight,
                }
            }

            fn cost(&self, p: &NearRigidParams<$d>, v_c: SVector<f64, $d>) -> f64 {
                0.5 * p.weight * (v_c - p.v_hat).norm_squared()
            }

            fn along(&self, p: &NearRigidParams<$d>, v_c: SVector<f64, $d>, dv: SVector<f64, $d>) -> Along {
                let e = v_c - p.v_hat;
                Along {
                    value: 0.5 * p.weight * e.norm_squared(),
                    slope: p.weight * e.dot(&dv),
                    curvature: p.weight * dv.norm_squared(),
                }
            }
        }
    )*};
}

near_rigid!(1, 3, 6);
