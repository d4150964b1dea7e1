use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties};

/// Effort-limited implicit actuation, one row: v_c is the rate of the actuated coordinate.
///
/// ```text
/// τ(v) = clamp(b − K v, e₋, e₊),   γ = δt τ,   ℓ(v) = −δt ∫₀ᵛ τ,   K ≥ 0          kurtz2025cenic, eq. (19)
/// ```
/// The force is e₊ below the speed v₊ = (b − e₊)/K, e₋ above v₋ = (b − e₋)/K, and linear between, so the integral has three parts. It starts
/// at zero speed, which keeps ℓ of the size of δt·τ·v however small K is; K = 0 is a constant force.
///
/// Lagged: whatever made K and b.
///
/// Deviates: limits may differ in the two directions; the constant of integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gain;

/// Quantities of a step that [`Gain`] reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainSeed {
    /// δt \[s\].
    pub dt: f64,
    /// K ≥ 0 \[N·s/m or N·m·s/rad\].
    pub gain: f64,
    /// b: force at v_c = 0 \[N or N·m\].
    pub bias: f64,
    /// (e₋, e₊), e₋ ≤ e₊ \[N or N·m\]; None: unlimited.
    pub limits: Option<[f64; 2]>,
}

/// Parameters of [`Gain`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GainParams {
    dt: f64,
    gain: f64,
    bias: f64,
    /// e₋ and e₊; ±f64::MAX when unlimited, since JSON has no infinities.
    effort: [f64; 2],
    /// v₊ ≤ v₋, where the limits are met; ±f64::MAX for never.
    speed: [f64; 2],
}

/// Part of [`Gain`] on which it is linear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainPiece {
    /// At its largest force.
    High,
    /// Between its limits.
    Linear,
    /// At its smallest force.
    Low,
}

impl GainParams {
    /// The piece that the speed `v_c` \[m/s or rad/s\] lies on.
    #[inline]
    pub fn piece(&self, v_c: f64) -> GainPiece {
        let [above, below] = self.speed;
        if v_c < above {
            GainPiece::High
        } else if v_c > below {
            GainPiece::Low
        } else {
            GainPiece::Linear
        }
    }

    /// (a, s) of a piece, γ = a − s v_c: impulse at no speed \[N·s\] and slope \[kg\].
    #[inline]
    pub fn line(&self, piece: GainPiece) -> [f64; 2] {
        match piece {
            GainPiece::High => [self.dt * self.effort[1], 0.0],
            GainPiece::Linear => [self.dt * self.bias, self.dt * self.gain],
            GainPiece::Low => [self.dt * self.effort[0], 0.0],
        }
    }
}

impl ContactLaw<1> for Gain {
    type Seed = GainSeed;
    type Params = GainParams;
    const KEY: &'static str = "gain";
    const PROPERTIES: LawProperties = LawProperties::CONVEX;
    const PAPER: &'static str = "kurtz2025cenic";

    fn prepare(&self, s: &GainSeed) -> GainParams {
        let [low, high] = s.limits.unwrap_or([-f64::MAX, f64::MAX]);
        let meets = |excess: f64| (excess / s.gain).clamp(-f64::MAX, f64::MAX);
        // Without gain a bias within the limits never meets them, even when it equals one.
        let above = if s.gain == 0.0 && s.bias <= high { -f64::MAX } else { meets(s.bias - high) };
        let below = if s.gain == 0.0 && s.bias >= low { f64::MAX } else { meets(s.bias - low) };
        GainParams { dt: s.dt, gain: s.gain, bias: s.bias, effort: [low, high], speed: [above, below] }
    }

    #[inline]
    fn eval(&self, p: &GainParams, v_c: SVector<f64, 1>) -> LawEval<1> {
        let (v, [low, high], [above, below]) = (v_c[0], p.effort, p.speed);
        let (tau, stiff) = match p.piece(v) {
            GainPiece::High => (high, 0.0),
            GainPiece::Low => (low, 0.0),
            GainPiece::Linear => ((p.bias - p.gain * v).max(low).min(high), p.gain),
        };
        let within = |u: f64| u.max(above).min(below);
        let (a, b) = (within(0.0), within(v));
        let integral = (b - a) * (p.bias - 0.5 * p.gain * a - 0.5 * p.gain * b)
            + high * (v.min(above) - above.min(0.0))
            + low * (v.max(below) - below.max(0.0));
        LawEval {
            cost: -p.dt * integral,
            grad: SVector::from([-p.dt * tau]),
            hess: SMatrix::from([[p.dt * stiff]]),
        }
    }
}
