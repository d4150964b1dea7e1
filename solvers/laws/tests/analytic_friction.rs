//! Friction coefficient, stiction and sliding against closed forms.

use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{DryFriction, DryFrictionSeed, Lagged, friction_coefficient, sigmoid};

#[test]
fn analytic_stribeck_curve_has_the_published_values() {
    // kurtz2025cenic, eq. (8) with (μ_s, μ_d) = (1, 0.5), to the digits quoted for it.
    let mu = |s| friction_coefficient(1.0, 0.5, s);
    assert_eq!(mu(0.0), 1.0);
    assert!((mu(5.0) - 0.996).abs() < 5e-4, "{}", mu(5.0));
    assert!((mu(15.0) - 0.504).abs() < 5e-4, "{}", mu(15.0));
    // Undershoot at infinity: ½(1/f(10) − 1) of the difference.
    let undershoot = 0.5 * ((1.0 + 0.01_f64).sqrt() - 1.0) * 0.5;
    assert!((mu(1e12) - (0.5 - undershoot)).abs() < 1e-12, "{}", mu(1e12));
    assert_eq!(friction_coefficient(1.0, 0.0, 1e300), 0.0, "clamped");
    // The breakaway force is the peak of μ(s) f(s).
    for (mu_s, mu_d, peak, at) in [(1.0, 0.5, 0.980, 6.2), (0.6, 0.5, 0.592, 7.1)] {
        let force = |i: usize| {
            let s = 1e-3 * i as f64;
            (friction_coefficient(mu_s, mu_d, s) * sigmoid(s), s)
        };
        let (found, s) = (0..20_000).map(force).fold((0.0, 0.0), |a, b| if b.0 > a.0 { b } else { a });
        assert!((found - peak).abs() < 5e-4 && (s - at).abs() < 0.05, "{found} at {s}");
    }
}

fn resting(dt: f64, mass: f64, mu: f64, v0: Vector3<f64>) -> ContactSeed {
    let material =
        ContactMaterial { friction_static: mu, friction_dynamic: mu, ..ContactMaterial::default() };
    ContactSeed {
        preload: 0.0,
        dt,
        gap: -mass * 9.81 / material.stiffness,
        velocity: v0,
        material,
        sides: ContactSide::single(Matrix3::identity() / mass, 1),
        curvature: None,
    }
}

/// v with m (v − v*) = γ(v), one row along t₁, by bisection of the law's own impulse.
fn step_along(law: &Lagged, seed: &ContactSeed, mass: f64, v_star: f64) -> f64 {
    let p = law.prepare(seed);
    let residual = |v: f64| mass * (v - v_star) + law.eval(&p, Vector3::new(0.0, v, 0.0)).grad[1];
    let (mut lo, mut hi) = (v_star - 10.0, v_star + 10.0);
    for _ in 0..200 {
        let mid = 0.5 * (lo + hi);
        if residual(mid) > 0.0 { hi = mid } else { lo = mid }
    }
    0.5 * (lo + hi)
}

#[test]
fn analytic_block_slides_v_minus_mu_g_t() {
    let (mass, mu, dt) = (2.0, 0.3, 1e-3);
    let mut v = 1.0;
    for k in 1..=300 {
        v = step_along(&Lagged::default(), &resting(dt, mass, mu, Vector3::new(0.0, v, 0.0)), mass, v);
        let expected = 1.0 - mu * 9.81 * dt * f64::from(k);
        // Regularisation: friction is short of its bound by ½(ε/v)², ε = 1e-4 m/s, v > 0.1 m/s; summed over the slide below 1e-6.
        assert!((v - expected).abs() < 1e-6, "step {k}: {v} against {expected}");
    }
}

#[test]
fn analytic_stiction_creep() {
    // A tangential load r μ m g is held at the creep speed ε r/√(1 − r²).
    let (mass, mu, dt) = (2.0, 0.5, 1e-3);
    let eps = ContactMaterial::default().stiction_speed;
    for r in [0.1, 0.5, 0.9] {
        let mut v = 0.0;
        for _ in 0..50 {
            let load = dt * r * mu * 9.81;
            v = step_along(
                &Lagged::default(),
                &resting(dt, mass, mu, Vector3::new(0.0, v, 0.0)),
                mass,
                v + load,
            );
        }
        let expected = eps * r / (1.0_f64 - r * r).sqrt();
        // The fixed point of the steps, approached at a rate μ g δt/ε per step: round-off.
        assert!((v - expected).abs() < 1e-9 * expected, "{v:e} against {expected:e}");
    }
}

#[test]
fn analytic_joint_friction_creeps_and_stops_like_contact_friction() {
    let seed = DryFrictionSeed { dt: 1e-3, force: 0.4, stiction_speed: 1e-4, inverse_mass: 5.0 };
    let law = DryFriction::default();
    let p = law.prepare(&seed);
    for r in [0.1, 0.5, 0.9] {
        let v: f64 = 1e-4 * r / (1.0_f64 - r * r).sqrt();
        let e = law.eval(&p, SVector::from([v]));
        let (gamma, bound, root) = (-e.grad[0], 1e-3 * 0.4, v.hypot(1e-4));
        // Round-off; the cost as a difference of two lengths.
        assert!((gamma + r * bound).abs() < 1e-16, "{gamma:e}");
        assert!((e.cost - bound * (root - 1e-4)).abs() < 1e-15 * bound * root, "{:e}", e.cost);
        let stiffness = bound * 1e-8 / root.powi(3);
        assert!((e.hess[(0, 0)] - stiffness).abs() < 1e-14 * stiffness, "{:e}", e.hess[(0, 0)]);
    }
    // ε grows with the impulse: a thousandth of the speed w δt f.
    let heavy = law.prepare(&DryFrictionSeed { force: 4e5, ..seed });
    let slope = law.eval(&heavy, SVector::from([0.0])).hess[(0, 0)];
    let expected = 1e-3 * 4e5 / (1e-3 * 5.0 * 1e-3 * 4e5);
    assert!((slope - expected).abs() < 1e-12 * expected, "{slope} against {expected}");
}

#[test]
fn analytic_an_open_contact_takes_the_impulse_that_closes_it_once() {
    let law = Lagged::default();
    let seed = ContactSeed {
        preload: 0.0,
        dt: 0.01,
        gap: 1e-3,
        velocity: Vector3::new(-1.0, 2.0, 0.0),
        material: ContactMaterial::default(),
        sides: ContactSide::single(0.5 * Matrix3::identity(), 1),
        curvature: None,
    };
    let mut p = law.prepare(&seed);
    assert_eq!(p.friction_bound(), 0.0, "an open contact has no friction yet");
    assert!(!law.relag(&mut p, Vector3::zeros()), "nothing closed it");
    assert!(law.relag(&mut p, Vector3::new(3.0, 0.0, 0.0)));
    assert_eq!(p.friction_bound(), 1.5, "μ = 0.5");
    // ε = μ σ_R w n₀ = 0.5 · 1e-3 · 0.5 · 3.
    assert!((p.regularization_speed() - 0.75e-3).abs() < 1e-15);
    assert!(!law.relag(&mut p, Vector3::new(4.0, 0.0, 0.0)), "once");
    for gap in [-1e-4, 0.0] {
        let mut touching = law.prepare(&ContactSeed { gap, ..seed });
        assert!(!law.relag(&mut touching, Vector3::new(3.0, 0.0, 0.0)), "its n₀ is that of the start");
    }
    let smooth = ContactMaterial { friction_static: 0.0, friction_dynamic: 0.0, ..seed.material };
    let mut open = law.prepare(&ContactSeed { material: smooth, ..seed });
    assert!(!law.relag(&mut open, Vector3::new(3.0, 0.0, 0.0)), "without friction nothing changes");
}
