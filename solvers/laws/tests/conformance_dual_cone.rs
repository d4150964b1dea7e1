//! Both dual cones in all dimensions, gains and mass scales through the conformance suite, and the promises of their construction.

use signorini_core::na::{Matrix3, SMatrix, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{DualCone, DualConeLimit, Gains, LimitSeed, MassScale, PublishedDualCone, impedance};
use signorini_testkit::law::{LawSuite, Scale, rescale_contact, rescale_velocity};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

/// The Delassus block of a random inertia, by its parts.
fn side(r: &mut Rng) -> ContactSide {
    let g = SMatrix::<f64, 6, 6>::from_fn(|i, _| r.normal() * if i < 3 { 1.0 } else { 10.0 });
    let w = g * g.transpose() * r.log_uniform(1e-2, 1e2);
    ContactSide {
        linear: w.fixed_view::<3, 3>(0, 0).into(),
        angular: w.fixed_view::<3, 3>(3, 3).into(),
        coupling: Vector3::new(w[(3, 0)], w[(4, 0)], w[(5, 0)]),
        reference: r.log_uniform(1e-2, 1e2),
        contacts: 1 + r.below(8) as u32,
    }
}

fn seed(r: &mut Rng) -> ContactSeed {
    let gap = match r.below(10) {
        0 | 1 => r.log_uniform(1e-6, 1e-2),
        2 => 0.0,
        _ => -r.log_uniform(1e-7, 1e-2),
    };
    let mut material = random_material(r);
    material.condim = [1, 3, 4, 6][r.below(4)];
    material.friction_torsional = r.log_uniform(1e-4, 1e-1);
    material.friction_rolling = r.log_uniform(1e-4, 1e-1);
    let second = if r.chance(0.5) { side(r) } else { ContactSide::default() };
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 2e-2),
        gap,
        velocity: SVector::zeros(),
        material,
        sides: [side(r), second],
        curvature: None,
    }
}

fn velocity<const D: usize>(r: &mut Rng, s: &ContactSeed) -> SVector<f64, D> {
    let mut v = SVector::from_fn(|i, _| r.normal() * if i < 3 { 0.3 } else { 3.0 });
    if r.chance(0.5) {
        v[0] = -s.gap / s.dt * r.uniform(0.5, 1.5);
    }
    v
}

/// Without the bound on the speed of recovery, which is a speed of its own that does not change with the units of a seed.
fn unbounded() -> DualCone {
    DualCone { recovery_speed: f64::MAX, ..DualCone::default() }
}

/// A penetration is undone by β φ/δt, at most by the recovery speed.
#[test]
fn analytic_recovery_is_bounded() {
    let law = DualCone::default();
    let side = ContactSide::single(Matrix3::identity(), 1);
    for (gap, expected) in [(-1e-3, 0.15), (-4e-3, 0.6), (-0.04, 1.0)] {
        let seed = ContactSeed {
            preload: 0.0,
            dt: 2e-3,
            gap,
            velocity: Vector3::zeros(),
            material: ContactMaterial { condim: 1, ..ContactMaterial::default() },
            curvature: None,
            sides: side,
        };
        let p = ContactLaw::<1>::prepare(&law, &seed);
        // The mass is 1 kg and the gain ends a velocity: the impulse is the speed.
        let gamma = -ContactLaw::<1>::eval(&law, &p, SVector::from([0.0])).grad[0];
        assert!((gamma - expected).abs() < 1e-12, "{gap}: {gamma} N s, not {expected}");
    }
}

fn variants() -> Vec<DualCone> {
    let new = unbounded();
    vec![
        new,
        DualCone { directions: 16, ..new },
        DualCone { directions: 4, cap: false, ..new },
        // With memory facets are not balanced.
        DualCone { memory: 1.0, ..new },
        DualCone { memory: 1.0, cap: false, directions: 4, ..new },
        DualCone { gains: Gains::Material, ..new },
        DualCone { gains: Gains::Material, cap: false, ..new },
    ]
}

fn published() -> [PublishedDualCone; 2] {
    [MassScale::Trace, MassScale::Mean].map(|mass| PublishedDualCone { mass, ..PublishedDualCone::default() })
}

fn draw<const D: usize>(r: &mut Rng) -> (ContactSeed, SVector<f64, D>) {
    let seed = seed(r);
    let v = velocity(r, &seed);
    (seed, v)
}

fn rescale<const D: usize>(
    (s, v): &(ContactSeed, SVector<f64, D>),
    k: Scale,
) -> (ContactSeed, SVector<f64, D>) {
    (rescale_contact(s, k), rescale_velocity(v, k))
}

/// Gains of the paper in other units: k is 1/s.
fn rescale_published(law: &PublishedDualCone, k: Scale) -> PublishedDualCone {
    PublishedDualCone { k: law.k / k.time, ..*law }
}

fn conforms<const D: usize>()
where
    DualCone: ContactLaw<D, Seed = ContactSeed>,
    PublishedDualCone: ContactLaw<D, Seed = ContactSeed>,
{
    for law in variants() {
        let suite = LawSuite::new(law, draw, rescale).states(1000);
        // Other gains are relative to masses or to the step: they store nothing.
        let suite = if law.gains == Gains::Material { suite.elastic() } else { suite };
        let report = suite.assert_conforms();
        assert!(report.active > 200 && report.active < 1000, "{law:?}: {report}");
    }
    for law in published() {
        let suite = LawSuite::new(law, draw, rescale).rescale_law(rescale_published);
        let report = suite.states(1000).assert_conforms();
        assert!(report.active > 200 && report.active < 1000, "{law:?}: {report}");
    }
}

#[test]
fn conformance_dual_cones() {
    conforms::<1>();
    conforms::<3>();
    conforms::<4>();
    conforms::<6>();
}

#[test]
fn conformance_smooth_dual_cone() {
    let law = DualCone { smoothing: 1e-2, ..DualCone::default() };
    for (s, v) in (0..2000).map(|i| draw::<6>(&mut Rng::new(i))) {
        let p = ContactLaw::<6>::prepare(&law, &s);
        let e = ContactLaw::<6>::eval(&law, &p, v);
        assert_eq!(e.cost, ContactLaw::<6>::cost(&law, &p, v));
        for i in 0..6 {
            let h = 1e-4;
            let mut d = SVector::<f64, 6>::zeros();
            d[i] = h * if i < 3 { 1e-2 } else { 1.0 };
            let at = |v| ContactLaw::<6>::eval(&law, &p, v);
            let (up, down) = (at(v + d), at(v - d));
            let size = 1e-12 + e.grad.amax() + e.hess.amax() * d[i];
            // Central differences: (d/ε)² of the size, and round-off of the cost over d.
            let slope = (up.cost - down.cost) / (2.0 * d[i]);
            assert!((slope - e.grad[i]).abs() < 1e-3 * size + 1e-9 * e.cost / d[i], "{slope} {}", e.grad[i]);
            let bend = (up.grad - down.grad) / (2.0 * d[i]);
            assert!((bend - e.hess.column(i)).amax() * d[i] < 1e-3 * size);
        }
    }
}

fn stays_in_the_cone<L: ContactLaw<6, Seed = ContactSeed>>(
    law: L,
    s: &ContactSeed,
    v: SVector<f64, 6>,
) -> bool {
    let f = -law.eval(&law.prepare(s), v).grad;
    let m = &s.material;
    let sliding = f[1].hypot(f[2]) / m.friction_static.max(1e-300);
    let rolling = (f[4].abs() + f[5].abs()) / m.friction_rolling;
    let sum = sliding + f[3].abs() / m.friction_torsional + rolling;
    // Round-off of sums over facets.
    assert!(f[0] >= 0.0 && sum <= f[0] * (1.0 + 1e-12), "{law:?} {s:?} {f}");
    f[0] > 0.0
}

/// |f_s| ≤ μ_s f_n for every group, in the coupled L1 sense Σ |f_s|/μ_s ≤ f_n, for any gains, gaps and velocities: borse2026comfree, eq. (3).
#[test]
fn property_forces_stay_in_the_friction_cone() {
    let mut active = 0;
    let variants = variants();
    for i in 0..20_000 {
        let r = &mut Rng::new(i);
        let law = variants[r.below(variants.len())];
        let law = DualCone {
            directions: [4, 8, 16][r.below(3)],
            gains: match r.below(4) {
                0 => Gains::PerStep { k: r.log_uniform(1e-2, 1e3), d: r.log_uniform(1e-4, 1e2) },
                1 => Gains::Physical { kappa: r.log_uniform(1e-2, 1e6), c: r.log_uniform(1e-4, 1e4) },
                2 => Gains::Recovery { beta: r.uniform(0.0, 1.0) },
                _ => Gains::Material,
            },
            smoothing: if r.chance(0.3) { r.log_uniform(1e-4, 1e-1) } else { 0.0 },
            ..law
        };
        let s = seed(r);
        let v = velocity::<6>(r, &s);
        active += i32::from(stays_in_the_cone(law, &s, v));
        let (k, d) = (r.log_uniform(1e-2, 1e3), r.log_uniform(1e-4, 1e2));
        let mass = [MassScale::Trace, MassScale::Mean][r.below(2)];
        active += i32::from(stays_in_the_cone(PublishedDualCone { k, d, mass }, &s, v));
    }
    assert!(active > 10_000, "{active}");
}

#[test]
fn conformance_dual_cone_limit() {
    let draw = |r: &mut Rng| {
        let seed = LimitSeed {
            contacts: 1 + r.below(5) as u32,
            reference: r.log_uniform(1e-3, 1e3),
            ..LimitSeed::new(r.log_uniform(1e-3, 2e-2), -r.log_uniform(1e-6, 1e-2), r.log_uniform(1e-3, 1e3))
        };
        (seed, SVector::from([r.normal()]))
    };
    let rescale = |(s, v): &(LimitSeed, SVector<f64, 1>), k: Scale| {
        let mut out = *s;
        out.dt *= k.time;
        out.gap *= k.length;
        out.inverse_mass /= k.mass;
        out.moved_mass *= k.mass;
        out.reference /= k.mass;
        out.solimp[2] *= k.length;
        (out, v * k.speed())
    };
    let law = DualConeLimit { law: unbounded() };
    let report = LawSuite::new(law, draw, rescale).contact(|_, _| 0.0).assert_conforms();
    assert!(report.active > 1000 && report.active < 3900, "{report}");
    for law in published() {
        let suite = LawSuite::new(DualConeLimit { law }, draw, rescale);
        let suite = suite.rescale_law(|l, k| DualConeLimit { law: rescale_published(&l.law, k) });
        let report = suite.contact(|_, _| 0.0).assert_conforms();
        assert!(report.active > 1000 && report.active < 3900, "{report}");
    }
}

/// The paper's law by its own letters for a point of 2 kg on a plane: λ_f = (−(K φ̃ + D u))₊ with K = (k/h) M, D = (d/h) M, φ̃ = φ + h u, four facets.
#[test]
fn analytic_paper_law_of_a_point() {
    let (k, d, h, mass, mu, gap) = (0.2, 0.001, 0.002, 2.0, 0.7, -3e-4);
    let mut material = signorini_core::ContactMaterial::default();
    (material.friction_static, material.friction_dynamic) = (mu, mu);
    let s = ContactSeed {
        preload: 0.0,
        dt: h,
        gap,
        velocity: SVector::zeros(),
        material,
        sides: ContactSide::single(Matrix3::identity() / mass, 1),
        curvature: None,
    };
    let law = PublishedDualCone::new(k, d);
    let p = ContactLaw::<3>::prepare(&law, &s);
    let v = Vector3::new(-0.05, 0.11, -0.02);
    let gamma = -ContactLaw::<3>::eval(&law, &p, v).grad;
    let r = impedance(&material.solimp, gap);
    let m = r / (1.0 - r) * mass / 3.0;
    let mut expected = Vector3::zeros();
    for d_j in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
        let a = Vector3::new(1.0, -mu * d_j[0], -mu * d_j[1]);
        let u = a.dot(&v);
        expected += a * (h * (-(k / h * m * (gap + h * u) + d / h * m * u)).max(0.0));
    }
    // Round-off.
    assert!((gamma - expected).norm() < 1e-15 * expected.norm().max(1.0), "{gamma} {expected}");
    assert!(expected.norm() > 1e-6);
}
