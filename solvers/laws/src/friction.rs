use signorini_core::ContactSeed;

/// Speed ratio at which friction changes from static to dynamic: kurtz2025cenic, eq. (8), σ.
const TRANSITION: f64 = 10.0;

/// f(s) = s/√(1 + s²), the regularised sign: kurtz2025cenic, eq. (5).
pub fn sigmoid(s: f64) -> f64 {
    s / s.hypot(1.0)
}

/// Coefficient of friction at slip speed s·v_s.
///
/// ```text
/// μ(s) = μ_d + ½ (μ_s − μ_d) (1 − f(s − σ)/f(σ)),   σ = 10          kurtz2025cenic, eq. (8)
/// ```
/// μ(0) = μ_s; the slight undershoot as s → ∞ is clamped at 0.
pub fn friction_coefficient(mu_static: f64, mu_dynamic: f64, s: f64) -> f64 {
    if mu_static == mu_dynamic {
        return mu_static;
    }
    let blend = 0.5 * (1.0 - sigmoid(s - TRANSITION) / sigmoid(TRANSITION));
    (mu_dynamic + (mu_static - mu_dynamic) * blend).max(0.0)
}

/// ∂μ/∂s of [`friction_coefficient`].
pub(crate) fn friction_slope(mu_static: f64, mu_dynamic: f64, s: f64) -> f64 {
    if mu_static == mu_dynamic || friction_coefficient(mu_static, mu_dynamic, s) == 0.0 {
        return 0.0;
    }
    let x = s - TRANSITION;
    -0.5 * (mu_static - mu_dynamic) / (sigmoid(TRANSITION) * (1.0 + x * x).powf(1.5))
}

/// The lagged quantities of regularised friction: kurtz2025cenic, eq. (7).
///
/// The normal impulse is that of the state at the start, from its gap and normal velocity; it is zero for a speculative contact.
pub(crate) struct LaggedFriction {
    /// μ at the slip speed of the start.
    pub mu: f64,
    /// Normal impulse n₀ = δt f_n0 at the start \[N·s\].
    pub n0: f64,
    /// Regularisation speed ε \[m/s\].
    pub eps: f64,
}

impl LaggedFriction {
    /// n₀ = δt (f₀)₊ (1 − d v_n0)₊ and ε = max(v_s, μ σ_R w n₀). A damper of a relaxation time τ, where there is no dissipation, has f₀ − k τ v_n0.
    pub(crate) fn new(seed: &ContactSeed, sigma_r: f64) -> Self {
        let m = &seed.material;
        let slip = seed.velocity[1].hypot(seed.velocity[2]);
        let mu = friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed);
        let elastic = seed.elastic_force();
        let damper = m.dissipation == 0.0 && m.relaxation_time > 0.0 && elastic >= 0.0;
        let force =
            if damper { elastic - m.stiffness * m.relaxation_time * seed.velocity[0] } else { elastic };
        let force = force.max(0.0);
        let n0 = seed.dt * force * (1.0 - m.dissipation * seed.velocity[0]).max(0.0);
        let eps = m.stiction_speed.max(mu * sigma_r * seed.inverse_mass() * n0);
        Self { mu, n0, eps }
    }
}
