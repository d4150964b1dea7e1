use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Smoothness};

/// Effort-limited implicit actuation, one row: v_c is the rate of the actuated coordinate.
///
/// ```text
/// τ(v) = clamp(b − K v, e₋, e₊),   γ = δt τ,   K ≥ 0                      kurtz2025cenic, eq. (19)
/// ```
/// ℓ is the integral of −γ from the speed v_a at which τ has the value clamp(b): no large constants when K is small.
///
/// Deviates: limits may differ in the two directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gain;

/// What [`Gain`] knows of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSeed {
    /// δt \[s\].
    pub dt: f64,
    /// K ≥ 0 \[N·s/m or N·m·s/rad\].
    pub gain: f64,
    /// b: force at v_c = 0 \[N or N·m\].
    pub bias: f64,
    /// (e₋, e₊) \[N or N·m\]; None: unlimited.
    pub limits: Option<[f64; 2]>,
}

/// Parameters of [`Gain`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GainParams {
    dt: f64,
    gain: f64,
    /// v_a, where τ = `anchor`.
    at: f64,
    anchor: f64,
    /// Limits; ±f64::MAX when unlimited.
    low: f64,
    high: f64,
}

impl ContactLaw<1> for Gain {
    type Seed = GainSeed;
    type Params = GainParams;
    const KEY: &'static str = "gain";
    const PROPERTIES: LawProperties =
        LawProperties { convex: true, barrier: false, smoothness: Smoothness::C1 };
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, s: &GainSeed) -> GainParams {
        let [low, high] = s.limits.unwrap_or([-f64::MAX, f64::MAX]);
        let anchor = s.bias.max(low).min(high);
        let at = if s.gain > 0.0 { (s.bias - anchor) / s.gain } else { 0.0 };
        GainParams { dt: s.dt, gain: s.gain, at, anchor, low, high }
    }

    fn eval(&self, p: &GainParams, v_c: SVector<f64, 1>) -> LawEval<1> {
        let s = v_c[0] - p.at;
        let free = p.anchor - p.gain * s;
        let (tau, stiff) = if free > p.high {
            (p.high, 0.0)
        } else if free < p.low {
            (p.low, 0.0)
        } else {
            (free, p.gain)
        };
        // −∫ τ ds from 0: linear and quadratic up to the speed s_c at which the limit is met, linear beyond.
        let integral = if stiff > 0.0 || p.gain == 0.0 {
            0.5 * (p.anchor + tau) * s
        } else {
            let s_c = (p.anchor - tau) / p.gain;
            0.5 * (p.anchor + tau) * s_c + tau * (s - s_c)
        };
        LawEval {
            cost: -p.dt * integral,
            grad: SVector::from([-p.dt * tau]),
            hess: SMatrix::from([[p.dt * stiff]]),
        }
    }
}
