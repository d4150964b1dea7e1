//! Near-rigid constraints, limits and actuation against one implicit Euler step written out by hand.

use signorini_core::ContactLaw;
use signorini_core::na::{SVector, Vector3};
use signorini_laws::{Compliance, Gain, GainSeed, Limit, LimitSeed, NearRigid, NearRigidSeed};

#[test]
fn analytic_compliance_of_a_near_rigid_constraint() {
    // kurtz2025cenic, eq. (18): R = β² w/(4π² (1 + β/π)) from δt = 1e-4 s upwards, whatever δt is.
    let (w, beta) = (0.7, 0.1_f64);
    let pi = std::f64::consts::PI;
    let expected = beta * beta * w / (4.0 * pi * pi * (1.0 + beta / pi));
    for dt in [1e-4, 1e-3, 1e-2] {
        let c = Compliance::new(dt, w, beta, 1e-4, None);
        // Round-off.
        assert!((c.r - expected).abs() < 1e-14 * expected, "{} against {expected}", c.r);
        assert!((c.tau - beta * dt / pi).abs() < 1e-18);
    }
    // Below it the floor keeps the stiffness from growing: k stays that of 1e-4 s.
    let stiffness = |dt: f64| {
        let c = Compliance::new(dt, w, beta, 1e-4, None);
        1.0 / (c.r * dt * (dt + c.tau))
    };
    assert!((stiffness(1e-9) / stiffness(1e-4) - 1.0).abs() < 1e-12);
    assert!((stiffness(1e-3) / stiffness(1e-4) - 1e-2).abs() < 1e-12);
}

#[test]
fn analytic_a_spring_of_the_user_is_taken_as_it_is() {
    let (dt, w) = (1e-3, 1.0);
    for (k, c) in [(1e3, 5.0), (1e8, 1e3), (1e3, 0.0)] {
        let spring = Compliance::new(dt, w, 0.1, 1e-4, Some([k, c]));
        assert_eq!(spring, Compliance { r: 1.0 / (dt * (dt * k + c)), tau: c / k });
    }
    // Until round-off.
    assert_eq!(Compliance::new(dt, w, 0.1, 1e-4, Some([1e18, 0.0])).r, 1e-9 * w);
}

/// The speed at which near-rigid constraints recover bounds no spring of the user.
#[test]
fn analytic_a_spring_of_the_user_pulls_at_any_speed() {
    let (dt, gap, k) = (1e-3, 2.0, 50.0);
    let seed = |spring| NearRigidSeed::<1> {
        dt,
        gap: SVector::from([gap]),
        inverse_mass: 1.0,
        recovery_speed: 1.0,
        shortest_step: 1e-4,
        spring,
        softness: None,
        velocity: SVector::zeros(),
    };
    let still = SVector::from([0.0]);
    let law = NearRigid::default();
    let pull = |spring| {
        let p = ContactLaw::<1>::prepare(&law, &seed(spring));
        ContactLaw::<1>::eval(&law, &p, still).grad[0]
    };
    assert!((pull(Some([k, 0.0])) - dt * k * gap).abs() < 1e-15);
    let limit = Limit::default();
    let of_limit = |spring| LimitSeed { spring, recovery_speed: 1.0, ..LimitSeed::new(dt, -gap, 1.0) };
    let p = limit.prepare(&of_limit(Some([k, 0.0])));
    assert!((limit.eval(&p, still).grad[0] + dt * k * gap).abs() < 1e-15);
    // A near-rigid constraint comes back at the speed of recovery.
    let p = ContactLaw::<1>::prepare(&law, &seed(None));
    assert!(ContactLaw::<1>::eval(&law, &p, SVector::from([-1.0])).grad[0].abs() < 1e-12);
}

/// γ of a two-sided spring and damper over one step: −δt (k (g₀ + δt v) + c v).
#[test]
fn analytic_user_spring_is_implicit_euler_of_spring_and_damper() {
    let (dt, gap, k, c) = (2e-3, Vector3::new(0.01, -0.02, 0.0), 800.0, 3.0);
    for (k, c) in [(k, c), (k, 0.0), (0.0, c), (0.0, 0.0)] {
        let law = NearRigid::default();
        let seed = NearRigidSeed::<3> {
            dt,
            gap,
            inverse_mass: 0.5,
            recovery_speed: f64::INFINITY,
            shortest_step: 1e-4,
            spring: Some([k, c]),
            softness: None,
            velocity: SVector::zeros(),
        };
        let p = ContactLaw::<3>::prepare(&law, &seed);
        let v = Vector3::new(0.3, -1.0, 2.0);
        let e = ContactLaw::<3>::eval(&law, &p, v);
        let expected = dt * (k * (gap + dt * v) + c * v);
        // Round-off.
        assert!((e.grad - expected).amax() < 1e-14 * (1.0 + expected.amax()), "k {k} c {c}: {}", e.grad);
        assert!(e.cost.is_finite());
    }
}

#[test]
fn analytic_near_rigid_gap_closes_within_three_steps() {
    // A free mass with gap g: m (v₁ − v) = (v̂ − v₁)/R, that is v₁ = (v̂ + m R v)/(1 + m R) with the m R of the spec.
    let (dt, mass, beta) = (1e-2, 3.0, 0.1_f64);
    let pi = std::f64::consts::PI;
    let m_r = beta * beta / (4.0 * pi * pi * (1.0 + beta / pi));
    let tau = beta * dt / pi;
    let law = NearRigid { beta };
    let (mut g, mut v): (f64, f64) = (1e-3, 0.0);
    for _ in 0..3 {
        let seed = NearRigidSeed::<1> {
            dt,
            gap: SVector::from([g]),
            inverse_mass: 1.0 / mass,
            recovery_speed: f64::INFINITY,
            shortest_step: 1e-4,
            spring: None,
            softness: None,
            velocity: SVector::zeros(),
        };
        let p = ContactLaw::<1>::prepare(&law, &seed);
        let e = ContactLaw::<1>::eval(&law, &p, SVector::from([v]));
        let expected = (-g / (dt + tau) + m_r * v) / (1.0 + m_r);
        // Exact in one Newton step, since ∇ℓ is linear.
        v -= e.grad[0] / (mass + e.hess[(0, 0)]);
        // Round-off relative to the largest speed, 0.1 m/s.
        assert!((v - expected).abs() < 1e-14, "{v} against {expected}");
        g += dt * v;
    }
    assert!(g.abs() < 1e-3 * 4e-2_f64.powi(3), "{g}");
}

#[test]
fn analytic_limit_acts_only_where_the_spring_and_damper_push() {
    let (dt, k, c) = (1e-2, 1e3, 4.0);
    let law = Limit::default();
    for gap in [-0.01, 0.0, 0.01] {
        let p = law.prepare(&LimitSeed { spring: Some([k, c]), ..LimitSeed::new(dt, gap, 1.0) });
        for v in [-3.0, -0.5, 0.0, 0.5, 3.0] {
            let gamma = -law.eval(&p, SVector::from([v])).grad[0];
            let expected = (-dt * (k * (gap + dt * v) + c * v)).max(0.0);
            // Round-off.
            assert!((gamma - expected).abs() < 1e-12 * (1.0 + expected), "{gamma} against {expected}");
        }
    }
}

#[test]
fn analytic_gain_is_the_clamped_force() {
    let law = Gain;
    for limits in [None, Some([-5.0, 8.0]), Some([1.0, 8.0]), Some([0.0, 0.0])] {
        for gain in [0.0, 1e-300, 0.5, 2e3] {
            for bias in [-20.0, -5.0, 0.0, 3.0, 8.0, 1e4] {
                let p = law.prepare(&GainSeed { dt: 1e-3, gain, bias, limits });
                for v in [-40.0, -1.0, 0.0, 1e-5, 7.0, 1e3] {
                    let [low, high] = limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
                    let tau: f64 = bias - gain * v;
                    let tau = tau.max(low).min(high);
                    let e = law.eval(&p, SVector::from([v]));
                    assert!((e.grad[0] + 1e-3 * tau).abs() <= 1e-15 * (1.0 + tau.abs()), "{gain} {bias} {v}");
                    // The same by the piece that the speed lies on.
                    let [a, slope] = p.line(p.piece(v));
                    assert!(
                        (a - slope * v - 1e-3 * tau).abs() <= 1e-15 * (1.0 + bias.abs() + gain * v.abs())
                    );
                    // ℓ = −δt ∫₀ᵛ τ by Simpson's rule on many pieces: exact but for the pieces with a corner.
                    let n = 20_000;
                    let at = |i: usize| (bias - gain * v * i as f64 / n as f64).max(low).min(high);
                    let sum: f64 = (0..n).map(|i| 0.5 * (at(i) + at(i + 1))).sum();
                    let expected = -1e-3 * v * sum / n as f64;
                    let spread = 1e-3 * v.abs() * (1.0 + gain * v.abs() + bias.abs());
                    // Two corners in 20000 pieces, and the rounding of the sum.
                    assert!(
                        (e.cost - expected).abs() <= 1e-4 * spread / 10.0,
                        "{gain} {bias} {v}: {}",
                        e.cost
                    );
                }
            }
        }
    }
}

#[test]
fn analytic_gain_in_one_step_is_implicit_euler() {
    // m (v₁ − v₀) = δt (b − K v₁) while the limits are not met; Newton takes one step because the force is linear.
    let (m, dt, k, b, v0): (f64, f64, f64, f64, f64) = (2.0, 0.1, 30.0, 4.0, 1.5);
    let p = Gain.prepare(&GainSeed { dt, gain: k, bias: b, limits: Some([-100.0, 100.0]) });
    let e = Gain.eval(&p, SVector::from([v0]));
    let v1 = v0 - e.grad[0] / (m + e.hess[(0, 0)]);
    let expected = (m * v0 + dt * b) / (m + dt * k);
    assert!((v1 - expected).abs() < 1e-15, "{v1} against {expected}");
}
