use signorini_core::{ContactSeed, Impact};

/// The impact of a law that takes the dissipation of a material and, where there is none, its relaxation time.
pub(crate) fn of_dissipation(seed: &ContactSeed, speed: f64) -> Impact {
    if seed.material.dissipation > 0.0 { hunt_crossley(seed, speed) } else { kelvin_voigt(seed, speed) }
}

/// The impact of a law that takes the relaxation time of a material and, where there is none, its dissipation.
pub(crate) fn of_relaxation(seed: &ContactSeed, speed: f64) -> Impact {
    if seed.material.relaxation_time > 0.0 { kelvin_voigt(seed, speed) } else { hunt_crossley(seed, speed) }
}

/// A spring with Hunt–Crossley dissipation, f = k δ (1 + d δ̇)₊, d \[s/m\]; the rebound is one of any stiffness and mass.
///
/// Along the path m v dv = −f dδ, so that ∫ v dv/(1 + d v) over the approach equals that over the return:
///
/// ```text
/// x − ln(1 + x) = −y − ln(1 − y),     x = d v₀,  y = d v₁ < 1
/// ```
/// With u = −ln(1 − y) the right side is u − 1 + e⁻ᵘ, convex and growing, so that Newton's method from the right converges without a safeguard.
fn hunt_crossley(seed: &ContactSeed, speed: f64) -> Impact {
    Impact { rebound: returned(seed.material.dissipation, speed), depth: seed.spring_depth(speed) }
}

/// v₁ of v₀ = `speed` above.
fn returned(d: f64, speed: f64) -> f64 {
    let x = d * speed;
    // The next term of the series is 4 x²/9 of the speed.
    if x < 1e-6 {
        return speed * (1.0 - 2.0 * x / 3.0);
    }
    let left = if x < 1e-2 { x * x * (0.5 - x * (1.0 / 3.0 - x * (0.25 - 0.2 * x))) } else { x - x.ln_1p() };
    let mut u = (left + 1.0).min((2.0 * left).sqrt() + left);
    for _ in 0..50 {
        let part = -(-u).exp_m1();
        let change = (u - part - left) / part;
        u -= change;
        if change.abs() <= 1e-12 * u {
            break;
        }
    }
    -(-u).exp_m1() / d
}

/// A spring with a linear damper, f = k (δ + τ δ̇)₊, τ \[s\] the relaxation time.
///
/// The force is zero again at the phase ω_d t = π − 2 asin ζ, before the gap opens:
///
/// ```text
/// v₁ = v₀ exp(−2 ζ acos ζ/√(1 − ζ²)),     ζ = τ √(k W_nn)/2;  acosh ζ/√(ζ² − 1) for ζ > 1
/// ```
/// A soft contact of impedance I moves its mass with the body, and has (1 − I) k in place of k.
fn kelvin_voigt(seed: &ContactSeed, speed: f64) -> Impact {
    let stiffness = (1.0 - seed.material.impedance) * seed.material.stiffness;
    let omega = (stiffness * seed.delassus()[(0, 0)]).sqrt();
    let zeta = 0.5 * seed.material.relaxation_time * omega;
    Impact { rebound: damped(zeta, speed), depth: seed.spring_depth(speed) }
}

/// v₁ of a damping ratio ζ and v₀ = `speed` above.
pub(crate) fn damped(zeta: f64, speed: f64) -> f64 {
    let ring = ((1.0 - zeta) * (1.0 + zeta)).abs().sqrt();
    let phase = match ring {
        0.0 => 1.0,
        _ if zeta < 1.0 => zeta.acos() / ring,
        _ => zeta.acosh() / ring,
    };
    speed * (-2.0 * zeta * phase).exp()
}
