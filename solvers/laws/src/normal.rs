use serde::{Deserialize, Serialize};
use signorini_core::ContactSeed;

/// Potential of the normal impulse of a compliant contact with Hunt–Crossley dissipation.
///
/// ```text
/// γ_n(v) = δt (f₀ − δt k v)₊ (1 − d v)₊                              kurtz2025cenic, eq. (13)
/// ```
/// with f₀ = −k φ₀, negative for a speculative contact (φ₀ > 0). Both factors are positive below v̂ = min(f₀/(δt k), 1/d), where with
/// s = v̂ − v the impulse is δt (e + δt k s)(c + d s), e and c being the factors at v̂, one of them zero. So
///
/// ```text
/// P(v) = ∫_v^v̂ γ_n = δt [ (e d + δt k c) s²/2 + δt k d s³/3 ] ≥ 0,     P′ = −γ_n,     P = 0 for v ≥ v̂
/// ```
/// which, unlike the antiderivative from 0, keeps its digits when v̂ is far away.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalPotential {
    /// v̂ \[m/s\].
    open: f64,
    /// δt (e d + δt k c) \[kg\].
    linear: f64,
    /// δt² k d \[kg·s/m\].
    quadratic: f64,
}

impl NormalPotential {
    /// From the gap and the material at the start of the step.
    pub fn new(seed: &ContactSeed) -> Self {
        let (h, k, d) = (seed.dt, seed.material.stiffness, seed.material.dissipation);
        let elastic_open = -seed.gap / h;
        let open = if d * elastic_open > 1.0 { 1.0 / d } else { elastic_open };
        let elastic = h * k * (elastic_open - open);
        let damping = (1.0 - d * open).max(0.0);
        Self { open, linear: h * (elastic * d + h * k * damping), quadratic: h * h * k * d }
    }

    /// Value P \[J\], impulse γ_n = −P′ \[N·s\] and curvature P″ ≥ 0 \[kg\] at `v` \[m/s\].
    #[inline]
    pub fn eval(&self, v: f64) -> (f64, f64, f64) {
        let s = (self.open - v).max(0.0);
        let impulse = s * (self.linear + self.quadratic * s);
        let value = s * s * (0.5 * self.linear + self.quadratic * s / 3.0);
        let curvature = if s > 0.0 { self.linear + 2.0 * self.quadratic * s } else { 0.0 };
        (value, impulse, curvature)
    }
}
