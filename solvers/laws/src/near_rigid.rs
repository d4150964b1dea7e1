use std::f64::consts::PI;

use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Smoothness};

/// Compliance of a constraint in one step: R \[1/kg\] and relaxation time τ \[s\].
///
/// The stiffest critically damped spring whose period β·h the step resolves, or the user's spring when that is softer.
///
/// ```text
/// k = 4π²/(β² h² w),  τ = β h/π,  h = max(δt, 1e-4 s),  R = 1/(δt (δt + τ) k)       kurtz2025cenic, eq. (18)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compliance {
    /// R \[1/kg\].
    pub r: f64,
    /// τ \[s\].
    pub tau: f64,
}

impl Compliance {
    /// `w` — effective inverse mass \[1/kg\]; `user` — stiffness \[N/m\] > 0 and damping \[N·s/m\] ≥ 0 of a stated spring.
    pub fn new(dt: f64, w: f64, beta: f64, user: Option<[f64; 2]>) -> Self {
        let h = dt.max(1e-4);
        let tau = beta * h / PI;
        let r = beta * beta * h * h * w / (4.0 * PI * PI * dt * (dt + tau));
        let rigid = Self { r, tau };
        match user {
            Some([k, c]) => {
                let tau = c / k;
                let soft = Self { r: 1.0 / (dt * (dt + tau) * k), tau };
                if soft.r > rigid.r { soft } else { rigid }
            }
            None => rigid,
        }
    }
}

/// Two-sided constraint of D rows: loop closure (3), weld (6), coupler, tendon and distance (1).
///
/// ```text
/// γ = (v̂ − v_c)/R,   v̂ = −g₀/(δt + τ),   ℓ = ½ ‖v̂ − v_c‖²/R            kurtz2025cenic, eq. (18)
/// ```
/// Deviates: none.
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

/// What [`NearRigid`] knows of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearRigidSeed<const D: usize> {
    /// δt \[s\].
    pub dt: f64,
    /// Residual g₀ of each row \[m or rad\], D.
    pub gap: SVector<f64, D>,
    /// Effective inverse mass of the rows, one for all \[1/kg\], > 0.
    pub inverse_mass: f64,
    /// Stiffness and damping the user states; None: near-rigid.
    pub spring: Option<[f64; 2]>,
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
                LawProperties { convex: true, barrier: false, smoothness: Smoothness::C2 };
            const PAPER: &'static str = "kurtz2025cenic";

            fn prepare(&self, s: &NearRigidSeed<$d>) -> NearRigidParams<$d> {
                let c = Compliance::new(s.dt, s.inverse_mass, self.beta, s.spring);
                NearRigidParams { v_hat: -s.gap / (s.dt + c.tau), weight: 1.0 / c.r }
            }

            fn eval(&self, p: &NearRigidParams<$d>, v_c: SVector<f64, $d>) -> LawEval<$d> {
                let e = v_c - p.v_hat;
                LawEval {
                    cost: 0.5 * p.weight * e.norm_squared(),
                    grad: p.weight * e,
                    hess: SMatrix::identity() * p.weight,
                }
            }
        }
    )*};
}

near_rigid!(1, 3, 6);
