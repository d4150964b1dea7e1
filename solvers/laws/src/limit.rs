use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, Impact, LawEval, LawProperties};

use crate::{Compliance, Softness, impact};

/// One-sided limit of a coordinate: v_c is the rate at which the gap opens (v at a lower limit, −v at an upper one).
///
/// ```text
/// γ = (v̂ − v_c)₊/R,   v̂ = −φ₀/(δt + τ),   ℓ = ½ (v̂ − v_c)₊²/R            kurtz2025cenic, eq. (18)
/// ```
/// R and τ as in [`crate::Compliance`]. The damper of the paper's force acts only while the sum of spring and damper pushes. Away from the limit the
/// law lets the coordinate come no nearer in one step than its damping allows: v_c ≥ −φ₀/(δt + τ) up to compliance.
///
/// A soft limit has the impulse of [`Softness::line`].
///
/// Lagged: φ₀.
///
/// Deviates: beyond a near-rigid limit v̂ ≤ `recovery_speed`, so that a start beyond it comes back at a bounded speed whatever the step. A spring that the user states pushes as it does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// β: period of the near-rigid spring in steps.
    pub beta: f64,
}

impl Default for Limit {
    fn default() -> Self {
        Self { beta: 0.1 }
    }
}

/// Quantities of a step that [`Limit`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSeed {
    /// δt \[s\].
    pub dt: f64,
    /// Gap φ₀ to the limit \[rad or m\]; negative beyond it.
    pub gap: f64,
    /// Effective inverse mass w of the coordinate, > 0.
    pub inverse_mass: f64,
    /// Mass m of the bodies that the coordinate moves \[kg\]; zero for none.
    pub moved_mass: f64,
    /// Largest speed at which a near-rigid limit undoes a violation \[rad/s or m/s\], > 0; infinite for none.
    pub recovery_speed: f64,
    /// h₀ of [`crate::Compliance`] \[s\], ≥ 0.
    pub shortest_step: f64,
    /// Stiffness k ≥ 0 \[N/m or N·m/rad\] and damping c ≥ 0 that the user states; None: near-rigid.
    pub spring: Option<[f64; 2]>,
    /// Spring, damper and mass that a file states by solref and solimp; None: near-rigid, or the spring.
    pub softness: Option<Softness>,
    /// Rate at which the gap opens at the start \[rad/s or m/s\]; read with `softness` alone.
    pub velocity: f64,
    /// Effective inverse mass of the coordinate at the reference configuration (MuJoCo's `dof_invweight0`); zero when not known.
    pub reference: f64,
    /// MuJoCo's solimp of the limit.
    pub solimp: [f64; 5],
    /// Number of contacts and limits on the tree in this step, those that act where the law asks for it.
    pub contacts: u32,
}

impl LimitSeed {
    /// A near-rigid limit of a slide, alone on its tree, any speed of recovery, h₀ = 1e-4 s, MuJoCo's default solimp.
    pub fn new(dt: f64, gap: f64, inverse_mass: f64) -> Self {
        Self {
            dt,
            gap,
            inverse_mass,
            moved_mass: 1.0 / inverse_mass,
            recovery_speed: f64::INFINITY,
            shortest_step: 1e-4,
            spring: None,
            softness: None,
            velocity: 0.0,
            reference: 0.0,
            solimp: [0.9, 0.95, 0.001, 0.5, 2.0],
            contacts: 1,
        }
    }

    /// Speed of the bodies that the coordinate moves over its rate, √(1/(w m)) with the mass m alone for the inertia: their radius of gyration about a hinge \[m\], one for a slide. So rates of hinges count beside
    /// speeds of contacts in every unit of length. One for a coordinate that moves no mass.
    pub fn lever(&self) -> f64 {
        let of_slide = self.inverse_mass * self.moved_mass;
        if of_slide > 0.0 { of_slide.sqrt().recip() } else { 1.0 }
    }
}

/// Parameters of [`Limit`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitParams {
    v_hat: f64,
    weight: f64,
}

impl ContactLaw<1> for Limit {
    type Seed = LimitSeed;
    type Params = LimitParams;
    const KEY: &'static str = "limit";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, s: &LimitSeed) -> LimitParams {
        if let Some(soft) = s.softness {
            let [weight, v_hat] = soft.line(s.dt, s.gap, s.velocity);
            return LimitParams { v_hat, weight };
        }
        let c = Compliance::new(s.dt, s.inverse_mass, self.beta, s.shortest_step, s.spring);
        let v_hat = -s.gap / (s.dt + c.tau);
        let v_hat = if s.spring.is_none() { v_hat.min(s.recovery_speed) } else { v_hat };
        LimitParams { v_hat, weight: 1.0 / c.r }
    }

    /// Of a spring and damper, whose mass moves with the coordinate; a near-rigid limit gives nothing back.
    fn impact(&self, s: &LimitSeed, speed: f64) -> Option<Impact> {
        let [k, c, mass] = match (s.softness, s.spring) {
            (Some(soft), _) => [soft.stiffness, soft.damping, soft.mass],
            (None, Some([k, c])) => [k, c, 0.0],
            (None, None) => return None,
        };
        let w = s.inverse_mass / (1.0 + mass * s.inverse_mass);
        let omega = (k * w).sqrt();
        Some(Impact { rebound: impact::damped(0.5 * c * w / omega, speed), depth: speed / omega })
    }

    #[inline]
    fn eval(&self, p: &LimitParams, v_c: SVector<f64, 1>) -> LawEval<1> {
        let e = (p.v_hat - v_c[0]).max(0.0);
        let hess = if e > 0.0 { p.weight } else { 0.0 };
        LawEval {
            cost: 0.5 * p.weight * e * e,
            grad: SVector::from([-p.weight * e]),
            hess: SMatrix::from([[hess]]),
        }
    }
}
