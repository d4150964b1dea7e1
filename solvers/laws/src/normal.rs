use serde::{Deserialize, Serialize};
use signorini_core::ContactSeed;

use crate::Softness;

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
/// which, unlike the antiderivative from 0, keeps its digits when v̂ is far away. A speculative contact acts only on a velocity below
/// v̂ = −φ₀/δt, one that would close its gap within the step.
///
/// A material without dissipation but with a relaxation time, or with an impedance, has the factor of [`Softness::line`] in place of the elastic one, so that γ_n = G (v̂ − v)₊.
///
/// Deviates: the constant of integration; the relaxation time and the impedance, which the paper does not have.
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
        let linear_damper = d == 0.0 && seed.material.relaxation_time > 0.0;
        if linear_damper || seed.material.impedance > 0.0 {
            let [gain, open] = Softness::of_contact(seed).line(h, seed.gap, seed.velocity[0]);
            return Self { open, linear: gain, quadratic: 0.0 };
        }
        let elastic_open = -seed.gap / h;
        // The factor that vanishes at v̂ is set to zero, not computed.
        let (open, elastic, damping) = if d * elastic_open > 1.0 {
            (d.recip(), h * k * (elastic_open - d.recip()), 0.0)
        } else {
            (elastic_open, 0.0, 1.0 - d * elastic_open)
        };
        Self { open, linear: h * (elastic * d + h * k * damping), quadratic: h * h * k * d }
    }

    /// The potential of v + `shift` \[m/s\].
    pub(crate) fn shifted(self, shift: f64) -> Self {
        Self { open: self.open - shift, ..self }
    }

    /// Value P \[J\], impulse γ_n = −P′ \[N·s\] and curvature P″ ≥ 0 \[kg\] at `v` \[m/s\].
    #[inline]
    pub fn eval(&self, v: f64) -> (f64, f64, f64) {
        let s = (self.open - v).max(0.0);
        let q = self.quadratic * s;
        let curvature = if s > 0.0 { self.linear + 2.0 * q } else { 0.0 };
        (s * s * (0.5 * self.linear + q / 3.0), s * (self.linear + q), curvature)
    }

    /// P \[J\] alone.
    #[inline]
    pub fn value(&self, v: f64) -> f64 {
        let s = (self.open - v).max(0.0);
        s * s * (0.5 * self.linear + self.quadratic * s / 3.0)
    }

    /// v̂: the speed from which on there is no impulse \[m/s\].
    pub fn opening_speed(&self) -> f64 {
        self.open
    }
}
