//! Parameters that laws make of a contact at the start of a step, against the formulas of their papers.

use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide, SweptLaw};
use signorini_laws::{
    DualCone, DualConeLaw, Facets, Frictionless, Gains, Lagged, MassScale, NormalPotential,
    PublishedDualCone, Sap, Similar, friction_coefficient, impedance,
};
use signorini_testkit::rng::Rng;

fn seed(r: &mut Rng) -> ContactSeed {
    let mu = r.uniform(0.1, 1.5);
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 1e-2),
        gap: -r.log_uniform(1e-5, 1e-2),
        velocity: Vector3::new(0.02 * r.normal(), r.normal(), r.normal()),
        material: ContactMaterial {
            dissipation: r.uniform(0.0, 40.0),
            relaxation_time: r.log_uniform(1e-3, 1e-1),
            friction_dynamic: if r.chance(0.5) { mu } else { 0.5 * mu },
            stiction_speed: r.log_uniform(1e-4, 1e-1),
            ..ContactMaterial::compliant(r.log_uniform(1e3, 1e6), 0.0, mu)
        },
        sides: ContactSide::single(Matrix3::identity() * r.log_uniform(1e-2, 1e2), 1),
        curvature: None,
    }
}

/// μ at the slip speed of the start, in stiction speeds.
fn stribeck(s: &ContactSeed) -> f64 {
    let (m, slip) = (&s.material, s.velocity[1].hypot(s.velocity[2]));
    friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed)
}

/// γ_n = δt (f₀ − δt k v)₊ (1 − d v)₊ and its potential: kurtz2025cenic, eq. (13).
#[test]
fn analytic_normal_impulse_is_the_product_of_spring_and_damper() {
    for i in 0..2000 {
        let r = &mut Rng::new(i);
        let mut s = seed(r);
        if r.chance(0.3) {
            s.gap = -s.gap;
        }
        let (h, k, d) = (s.dt, s.material.stiffness, s.material.dissipation);
        let p = NormalPotential::new(&s);
        for _ in 0..5 {
            let v = if r.chance(0.5) { -s.gap / h * r.uniform(-1.0, 2.0) } else { 0.3 * r.normal() };
            let spring = (-k * s.gap - h * k * v).max(0.0);
            let expected = h * spring * (1.0 - d * v).max(0.0);
            // Round-off of the two terms of either factor.
            let size = h * k * (s.gap.abs() + h * v.abs()) * (1.0 + d * v.abs());
            let (value, impulse, curvature) = p.eval(v);
            assert!((impulse - expected).abs() <= 1e-14 * size, "{s:?} {v}: {impulse} {expected}");
            assert_eq!(value, p.value(v));
            let slope = h * (h * k * (1.0 - d * v).max(0.0) + d * spring);
            let slope = if expected > 0.0 { slope } else { 0.0 };
            assert!((curvature - slope).abs() <= 1e-12 * slope.max(size), "{curvature} {slope}");
        }
        let open = p.opening_speed();
        let expected = if d > 0.0 { (-s.gap / h).min(1.0 / d) } else { -s.gap / h };
        assert!((open - expected).abs() <= 1e-14 * expected.abs());
    }
}

/// n₀ = δt (−k φ₀)₊ (1 − d v_n0)₊, bound μ n₀, ε = max(v_s, μ σ_R w n₀): kurtz2025cenic, eq. (7).
#[test]
fn analytic_lagged_friction_is_that_of_the_start() {
    let law = Lagged { sigma_r: 0.1 };
    let mut raised = 0;
    for i in 0..500 {
        let r = &mut Rng::new(i);
        let s = seed(r);
        let (m, w) = (&s.material, s.inverse_mass());
        let p = law.prepare(&s);
        let n0 = s.dt * -m.stiffness * s.gap * (1.0 - m.dissipation * s.velocity[0]).max(0.0);
        let expected = stribeck(&s) * n0;
        assert!(
            (p.friction_bound() - expected).abs() <= 1e-14 * expected,
            "{} {expected}",
            p.friction_bound()
        );
        let eps = m.stiction_speed.max(0.1 * w * expected);
        raised += i32::from(eps > m.stiction_speed);
        assert!((p.regularization_speed() - eps).abs() <= 1e-14 * eps);
        let v = SVector::from([0.0, 0.3 * r.normal(), 0.3 * r.normal()]);
        let e = law.eval(&p, v);
        let slip = v[1].hypot(v[2]);
        let friction = expected * slip / slip.hypot(eps);
        assert!((e.grad[1].hypot(e.grad[2]) - friction).abs() <= 1e-12 * friction);
        // Coulomb's law of the other potential has the same width.
        let similar = Similar { sigma_r: 0.1 };
        let q = similar.prepare(&s);
        let e = similar.eval(&q, v);
        assert_eq!(q.friction_coefficient(), stribeck(&s));
        let friction = stribeck(&s) * -e.grad[0] * slip / slip.hypot(eps);
        assert!((e.grad[1].hypot(e.grad[2]) - friction).abs() <= 1e-12 * friction);
        // Without approach there is nothing to lag, nor friction at all; the normal is alone.
        let away = ContactSeed { gap: 1e-3, ..s };
        assert_eq!(law.prepare(&away).friction_bound(), 0.0);
    }
    assert!(raised > 100, "{raised}");
}

/// R_n = max(β² w/(4π²), 1/(δt k (δt + τ_d))), R_t = σ_R w, v̂ = −φ₀/(δt + τ_d), and the projection of Castro and others (2022) by its three cases.
#[test]
fn analytic_sap_is_the_projection_on_the_cone() {
    let mut cases = [0; 3];
    for i in 0..3000 {
        let r = &mut Rng::new(i);
        let s = seed(r);
        let law = Sap { beta: if r.chance(0.5) { 1.0 } else { 0.02 }, sigma_r: r.log_uniform(1e-3, 1e-1) };
        let (m, w) = (&s.material, s.inverse_mass());
        let tau = s.dt + m.relaxation_time;
        let rigid = law.beta * law.beta * w / (4.0 * std::f64::consts::PI.powi(2));
        let r_n = rigid.max(1.0 / (s.dt * m.stiffness * tau));
        let r_t = law.sigma_r * w;
        let mu = stribeck(&s);
        let v_hat = -s.gap / tau;
        let p = law.prepare(&s);
        assert_eq!(p.friction_coefficient(), mu);
        let v = Vector3::new(v_hat * r.uniform(-1.0, 3.0), v_hat * r.normal(), v_hat * r.normal());
        let v = if r.chance(0.5) {
            Vector3::new(v[0], v[1] * 0.1 * r_t / r_n, v[2] * 0.1 * r_t / r_n)
        } else {
            v
        };
        let (y_n, y_t) = ((v_hat - v[0]) / r_n, Vector3::new(0.0, -v[1] / r_t, -v[2] / r_t));
        let size = y_t.norm();
        let expected = if size <= mu * y_n {
            cases[0] += 1;
            Vector3::new(y_n, y_t[1], y_t[2])
        } else {
            // The nearest point of the cone in the norm of R: ½ R_n (n − y_n)² + ½ R_t (μ n − |y_t|)².
            let n = (r_n * y_n + mu * r_t * size) / (r_n + mu * mu * r_t);
            cases[if n > 0.0 { 1 } else { 2 }] += 1;
            let n = n.max(0.0);
            Vector3::new(n, mu * n * y_t[1] / size, mu * n * y_t[2] / size)
        };
        let e = law.eval(&p, v);
        let scale = y_n.abs() + mu * size + expected.norm();
        assert!((-e.grad - expected).norm() <= 1e-12 * scale, "{s:?} {} {expected}", -e.grad);
        // ℓ = ½ γᵀ R γ.
        let cost = 0.5 * (r_n * expected[0].powi(2) + r_t * expected.rows(1, 2).norm_squared());
        assert!((e.cost - cost).abs() <= 1e-12 * (cost + r_n * scale * scale), "{} {cost}", e.cost);
    }
    assert!(cases.iter().all(|n| *n > 200), "{cases:?}");
    // R_t is at least 1e-12 R_n, where no friction regularisation is asked for.
    let s = ContactSeed { velocity: Vector3::zeros(), ..seed(&mut Rng::new(1)) };
    let law = Sap { sigma_r: 0.0, beta: 0.0 };
    let e = law.eval(&law.prepare(&s), Vector3::zeros());
    assert!((e.hess[(1, 1)] / e.hess[(0, 0)] / 1e12 - 1.0).abs() < 1e-12, "{}", e.hess);
}

/// Energy of the spring ½ k φ², as all laws of a linear spring state it.
#[test]
fn analytic_stored_energy_is_that_of_the_spring() {
    let s = seed(&mut Rng::new(3));
    let expected = 0.5 * s.material.stiffness * s.gap * s.gap;
    let near = |x: f64| (x - expected).abs() < 1e-14 * expected;
    assert!(near(Lagged::default().stored_energy(&s)));
    assert!(near(Similar::default().stored_energy(&s)));
    assert!(near(Sap::default().stored_energy(&s)));
    assert!(near(Frictionless.stored_energy(&s)));
    // Facets with a stiffness of their own hold it together; gains that follow from masses and steps hold none that a state could tell.
    let material = DualCone { gains: Gains::Material, ..DualCone::default() };
    assert!(near(ContactLaw::<3>::stored_energy(&material, &s)));
    assert_eq!(ContactLaw::<3>::stored_energy(&DualCone::default(), &s), 0.0);
    assert_eq!(ContactLaw::<3>::stored_energy(&PublishedDualCone::default(), &s), 0.0);
}

/// dmin at touch, dmax from the width on, x^p/m^(p−1) below the midpoint and its mirror image above; MuJoCo's documentation of solimp.
#[test]
fn analytic_impedance_is_the_published_curve() {
    for (low, high, width, middle, power) in [
        (0.2, 0.9, 0.01, 0.3, 2.0),
        (0.5, 0.95, 0.002, 0.6, 3.5),
        (0.9, 0.3, 0.1, 0.5, 1.0),
        (0.1, 0.8, 0.05, 0.5, 6.0),
    ] {
        let solimp = [low, high, width, middle, power];
        let r = |x: f64| impedance(&solimp, x * width);
        for x in [0.0, 0.1, 0.25, 0.3, 0.5, 0.6, 0.75, 0.99, 1.0, 1.5] {
            let t: f64 = f64::min(x, 1.0);
            let y = if t <= middle {
                t * (t / middle).powf(power - 1.0)
            } else {
                1.0 - (1.0 - t) * ((1.0 - t) / (1.0 - middle)).powf(power - 1.0)
            };
            let expected = low + y * (high - low);
            assert!((r(x) - expected).abs() < 1e-14, "{solimp:?} at {x}: {} {expected}", r(x));
            assert_eq!(r(x), r(-x), "a distance of either sign");
        }
    }
    // Constant where the ends agree, or where there is no width: the mean.
    assert_eq!(impedance(&[0.7, 0.7, 0.01, 0.5, 2.0], 0.004), 0.7);
    assert!((impedance(&[0.2, 0.8, 0.0, 0.5, 2.0], 0.004) - 0.5).abs() < 1e-15);
    assert!((impedance(&[0.2, 0.8, 1e-15, 0.5, 2.0], 0.004) - 0.5).abs() < 1e-15);
    // All within their bounds.
    assert_eq!(impedance(&[0.0, 0.0, 0.01, 0.5, 2.0], 0.0), 1e-4);
    assert_eq!(impedance(&[1.0, 1.0, 0.01, 0.5, 2.0], 0.0), 0.9999);
}

/// Settings out of range are refused by name.
#[test]
fn property_settings_out_of_range_are_refused() {
    let plain = DualCone::default();
    let per_step = |k, d| DualCone { gains: Gains::PerStep { k, d }, ..plain };
    plain.check().unwrap();
    per_step(0.2, 0.0).check().unwrap();
    per_step(0.0, 1e12).check().unwrap();
    for beta in [0.0, 1.0] {
        DualCone { gains: Gains::Recovery { beta }, ..plain }.check().unwrap();
        DualCone { memory: beta, smoothing: beta, coulomb_slip: Some(beta), ..plain }.check().unwrap();
    }
    DualCone { recovery_speed: f64::MAX, gains: Gains::Material, directions: 16, ..plain }.check().unwrap();
    let physical = |kappa, c| DualCone { gains: Gains::Physical { kappa, c }, ..plain };
    physical(1.0, 0.0).check().unwrap();
    let refused = [
        ("k is -1,", per_step(-1.0, 0.1)),
        ("d is -1,", per_step(1.0, -1.0)),
        ("k is 2e12,", per_step(2e12, 0.0)),
        ("k is inf,", per_step(f64::INFINITY, 0.0)),
        ("k and d are 0", per_step(0.0, 0.0)),
        ("kappa is NaN", physical(f64::NAN, 0.0)),
        ("c is -1,", physical(1.0, -1.0)),
        ("kappa and c are 0", physical(0.0, 0.0)),
        ("beta is 1.5", DualCone { gains: Gains::Recovery { beta: 1.5 }, ..plain }),
        ("beta is -0.5", DualCone { gains: Gains::Recovery { beta: -0.5 }, ..plain }),
        ("smoothing is -1", DualCone { smoothing: -1.0, ..plain }),
        ("smoothing is inf", DualCone { smoothing: f64::INFINITY, ..plain }),
        ("recovery_speed is 0", DualCone { recovery_speed: 0.0, ..plain }),
        ("recovery_speed is -1", DualCone { recovery_speed: -1.0, ..plain }),
        ("recovery_speed is NaN", DualCone { recovery_speed: f64::NAN, ..plain }),
        ("coulomb_slip is -1", DualCone { coulomb_slip: Some(-1.0), ..plain }),
        ("memory is 1.5", DualCone { memory: 1.5, ..plain }),
        ("directions is 5", DualCone { directions: 5, ..plain }),
    ];
    for (why, law) in refused {
        let error = law.check().unwrap_err();
        assert!(error.contains(why), "{error}, not {why}");
    }
    assert_eq!(plain.gains.recovery(), Some(0.3));
    assert_eq!(Gains::Material.recovery(), None);
    assert_eq!(PublishedDualCone::new(0.2, 0.1).gain_parameters(), [0.2, 0.1]);
    assert_eq!(physical(3.0, 4.0).gain_parameters(), [3.0, 4.0]);
    assert_eq!(plain.gain_parameters(), [0.3, 0.0]);
    assert_eq!(per_step(0.2, 0.1).gain_parameters(), [0.2, 0.1]);
    for law in [plain, per_step(0.2, 0.1), physical(3.0, 4.0)] {
        let [a, b] = law.gain_parameters();
        let other = law.with_gain_parameters([2.0 * a, 2.0 * b]);
        assert_eq!(other.gain_parameters(), [2.0 * a, 2.0 * b]);
        assert_eq!(other.with_gain_parameters([a, b]), law, "and nothing else changed");
    }
    let material = DualCone { gains: Gains::Material, ..plain };
    assert_eq!((material.gain_parameters(), material.with_gain_parameters([2.0, 3.0])), ([1.0; 2], material));
    let published = PublishedDualCone { mass: MassScale::Mean, ..PublishedDualCone::new(0.2, 0.1) };
    let other = published.with_gain_parameters([0.4, 0.3]);
    assert_eq!(other, PublishedDualCone { k: 0.4, d: 0.3, mass: MassScale::Mean });
    published.check().unwrap();
    assert!(PublishedDualCone::new(-1.0, 0.1).check().unwrap_err().contains("k is -1"));
    assert_eq!(published.gains(), Gains::PerStep { k: 0.2, d: 0.1 });
    // It remembers nothing and counts all; facets of four directions, a spin and two rolls.
    assert_eq!((SweptLaw::<6>::memory(&published), SweptLaw::<6>::shares_mass(&published)), (0.0, false));
    assert_eq!([6, 4, 3, 1].map(|d| Facets::most(d, 4)), [10, 6, 4, 1]);
    assert_eq!(
        [SweptLaw::<6>::multiplier_count(&published), SweptLaw::<3>::multiplier_count(&published)],
        [10, 4]
    );
}
