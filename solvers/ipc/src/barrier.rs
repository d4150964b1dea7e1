use serde::{Deserialize, Serialize};
use signorini_core::na::{SMatrix, SVector};
use signorini_core::{ContactLaw, LawEval, LawProperties, Smoothness};

/// Logarithmic barrier of a distance, as a law of the secant rate v = (d − d₀)/δt of a distance.
///
/// ```text
/// b = −κ (s − S)² ln(s/S) for 0 < s < S, else 0,   s = d² − ξ²,   S = 2 ξ d̂ + d̂²          chen2022midas (Li et al. 2020, eq. (6))
/// ```
/// +∞ at s ≤ 0. ξ is the least separation, d̂ the range beyond it.
///
/// Lagged: nothing.
///
/// Not read: the material.
///
/// Deviates: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Barrier;

/// Quantities of a step that [`Barrier`] reads; its parameters as well.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarrierSeed {
    /// δt \[s\], > 0.
    pub dt: f64,
    /// d₀ \[m\], > ξ.
    pub distance: f64,
    /// d̂ \[m\], > 0.
    pub range: f64,
    /// ξ \[m\], ≥ 0.
    pub separation: f64,
    /// κ \[J/m⁴\], > 0.
    pub stiffness: f64,
}

impl BarrierSeed {
    /// b, ∂b/∂s and ∂²b/∂s² at a squared distance \[J, J/m², J/m⁴\].
    pub fn potential(&self, squared: f64) -> [f64; 3] {
        let s = squared - self.separation * self.separation;
        let most = self.range * (2.0 * self.separation + self.range);
        if s >= most {
            return [0.0; 3];
        }
        if s.is_nan() || s <= 0.0 {
            return [f64::INFINITY, 0.0, 0.0];
        }
        // ln(s/S) from s − S keeps its digits near the range, from s itself far below it.
        let e = s - most;
        let log = if s < 0.5 * most { (s / most).ln() } else { (e / most).ln_1p() };
        let k = self.stiffness;
        [-k * e * e * log, -k * (2.0 * e * log + e * e / s), -k * (2.0 * log + 4.0 * e / s - e * e / (s * s))]
    }
}

impl ContactLaw<1> for Barrier {
    type Seed = BarrierSeed;
    type Params = BarrierSeed;
    const KEY: &'static str = "barrier";
    const PROPERTIES: LawProperties =
        LawProperties { barrier: true, smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "chen2022midas";

    fn prepare(&self, seed: &BarrierSeed) -> BarrierSeed {
        *seed
    }

    fn eval(&self, p: &BarrierSeed, v_c: SVector<f64, 1>) -> LawEval<1> {
        let d = p.distance + p.dt * v_c[0];
        if d <= p.separation {
            return LawEval { cost: f64::INFINITY, ..LawEval::zero() };
        }
        let [b, slope, curvature] = p.potential(d * d);
        LawEval {
            cost: b,
            grad: SVector::from([p.dt * 2.0 * d * slope]),
            hess: SMatrix::from([[p.dt * p.dt * (4.0 * d * d * curvature + 2.0 * slope)]]),
        }
    }
}
