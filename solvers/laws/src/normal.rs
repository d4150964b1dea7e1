use serde::{Deserialize, Serialize};
use signorini_core::ContactSeed;

use crate::Softness;

/// Potential of the normal impulse of a compliant contact with Hunt–Crossley dissipation.
///
/// ```text
/// γ_n(v) = δt (f₀ − δt k v)₊ (1 − d v)₊                              kurtz2025cenic, eq. (13)
/// ```
/// with f₀ the elastic force at the start, −k φ₀ for a contact at a point, negative for a speculative contact (φ₀ > 0). Both factors are positive below v̂ = min(f₀/(δt k), 1/d), where with
/// s = v̂ − v the impulse is δt (e + δt k s)(c + d s), e and c being the factors at v̂, one of them zero. So
///
/// ```text
/// P(v) = ∫_v^v̂ γ_n = δt [ (e d + δt k c) s²/2 + δt k d s³/3 ] ≥ 0,     P′ = −γ_n,     P = 0 for v ≥ v̂
/// ```
/// which, unlike the antiderivative from 0, keeps its digits when v̂ is far away. A speculative contact acts only on a velocity below
/// v̂ = −φ₀/δt, one that would close its gap within the step.
///
/// Under a preload without stiffness and dissipation v̂ is infinite. From v̂ = 10⁸ v_s on P is the antiderivative from 0, P(0) = 0.
///
/// A material without dissipation but with a relaxation time, or with an impedance, has the factor of [`Softness::line`] in place of the elastic one, so that γ_n = G (v̂ − v)₊.
///
/// Deviates: the constant of integration; the relaxation time and the impedance, which the paper does not have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct NormalPotential {
    /// Velocity a at which the polynomial begins \[m/s\]: v̂, or 0 where that is too far.
    from: f64,
    /// v̂ − a \[m/s\].
    reach: f64,
    /// Impulse at a \[N·s\].
    impulse: f64,
    /// −dγ_n/dv at a \[kg\].
    linear: f64,
    /// δt² k d \[kg·s/m\].
    quadratic: f64,
}

/// Velocities that no body has, in stiction speeds: 10⁴ m/s at the default one.
const FAR: f64 = 1e8;

impl NormalPotential {
    /// From the gap, the preload and the material at the start of the step.
    pub fn new(seed: &ContactSeed) -> Self {
        let (h, k, d) = (seed.dt, seed.material.stiffness, seed.material.dissipation);
        let force = seed.elastic_force();
        // f₀/(δt k); files keep no infinities.
        let elastic_open = match k > 0.0 {
            true if seed.preload == 0.0 => -seed.gap / h,
            true => force / (h * k),
            false if force > 0.0 => f64::MAX,
            false => f64::MIN,
        };
        let linear_damper = d == 0.0 && seed.material.relaxation_time > 0.0;
        if (linear_damper || seed.material.impedance > 0.0) && k > 0.0 {
            let gap = if seed.preload == 0.0 { seed.gap } else { -force / k };
            let [gain, open] = Softness::of_contact(seed).line(h, gap, seed.velocity[0]);
            return Self { from: open, reach: 0.0, impulse: 0.0, linear: gain, quadratic: 0.0 };
        }
        let quadratic = h * h * k * d;
        // The factor that vanishes at v̂ is set to zero, not computed.
        if d * elastic_open > 1.0 {
            let open = d.recip();
            let elastic = if k > 0.0 { h * k * (elastic_open - open) } else { force };
            return Self { from: open, reach: 0.0, impulse: 0.0, linear: h * (elastic * d), quadratic };
        }
        if elastic_open > FAR * seed.material.stiction_speed {
            let linear = h * (h * k + d * force);
            return Self { from: 0.0, reach: elastic_open, impulse: h * force, linear, quadratic };
        }
        let linear = if k > 0.0 { h * (h * k * (1.0 - d * elastic_open)) } else { 0.0 };
        Self { from: elastic_open, reach: 0.0, impulse: 0.0, linear, quadratic }
    }

    /// The potential of v + `shift` \[m/s\].
    pub(crate) fn shifted(self, shift: f64) -> Self {
        Self { from: self.from - shift, ..self }
    }

    /// Value P \[J\], impulse γ_n = −P′ \[N·s\] and curvature P″ ≥ 0 \[kg\] at `v` \[m/s\].
    #[inline]
    pub fn eval(&self, v: f64) -> (f64, f64, f64) {
        let s = (self.from - v).max(-self.reach);
        let q = self.quadratic * s;
        let value = s * s * (0.5 * self.linear + q / 3.0) + self.impulse * s;
        if s > -self.reach {
            (value, s * (self.linear + q) + self.impulse, self.linear + 2.0 * q)
        } else {
            (value, 0.0, 0.0)
        }
    }

    /// P \[J\] alone.
    #[inline]
    pub fn value(&self, v: f64) -> f64 {
        let s = (self.from - v).max(-self.reach);
        s * s * (0.5 * self.linear + self.quadratic * s / 3.0) + self.impulse * s
    }

    /// v̂: the speed from which on there is no impulse \[m/s\].
    pub fn opening_speed(&self) -> f64 {
        self.from + self.reach
    }
}
