//! Every law of the crate through the conformance suite of the testkit.

use signorini_core::na::{Matrix3, SVector};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{
    DryFriction, DryFrictionSeed, Frictionless, Gain, GainSeed, Lagged, Limit, LimitSeed, NearRigid,
    NearRigidSeed, NormalPotential, Sap, Similar, Softness,
};
use signorini_testkit::law::{LawReport, LawSuite, Scale, rescale_contact, rescale_velocity};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

/// Speeds over the decades from creep to impact, in both directions.
fn speed(r: &mut Rng) -> f64 {
    let v = if r.chance(0.05) { 0.0 } else { r.log_uniform(1e-6, 5.0) };
    if r.chance(0.5) { v } else { -v }
}

/// Contacts penetrating, touching and apart (f_e0 < 0), at rest and in motion.
fn contact_seed(r: &mut Rng) -> ContactSeed {
    let dt = r.log_uniform(1e-4, 2e-2);
    let gap = match r.below(10) {
        0 | 1 => r.log_uniform(1e-6, 1e-1),
        2 => 0.0,
        _ => -r.log_uniform(1e-7, 1e-2),
    };
    let g = Matrix3::from_fn(|_, _| r.normal());
    let impedance = if r.chance(0.3) { r.uniform(0.0, 0.99) } else { 0.0 };
    ContactSeed {
        preload: 0.0,
        dt,
        gap,
        velocity: SVector::from_fn(|_, _| speed(r)),
        material: ContactMaterial { impedance, ..random_material(r) },
        sides: ContactSide::single(g * g.transpose() * r.log_uniform(1e-2, 1e2), 1 + r.below(5) as u32),
        curvature: None,
    }
}

/// A velocity near where the contact opens as often as anywhere else.
fn contact_velocity<const D: usize>(r: &mut Rng, s: &ContactSeed) -> SVector<f64, D> {
    let mut v = SVector::from_fn(|_, _| speed(r));
    if r.chance(0.5) {
        v[0] = -s.gap / s.dt * r.uniform(0.5, 1.5);
    }
    v
}

/// Polygons of contacts over areas, before they touch (f_e0 < 0) and after, some of them without stiffness or dissipation.
fn polygon_seed(r: &mut Rng) -> ContactSeed {
    let mut seed = contact_seed(r);
    let m = &mut seed.material;
    let depth = if seed.gap == 0.0 { r.log_uniform(1e-7, 1e-2) } else { -seed.gap };
    (seed.preload, seed.gap) = (m.stiffness * depth, 0.0);
    m.impedance = 0.0;
    if r.chance(0.3) {
        m.stiffness = if r.chance(0.5) { 0.0 } else { m.stiffness * r.log_uniform(1e-15, 1.0) };
    }
    if r.chance(0.3) {
        m.dissipation = 0.0;
    }
    seed
}

fn over_areas<L: ContactLaw<D, Seed = ContactSeed>, const D: usize>(
    law: L,
    bound: impl Fn(&L::Params, f64) -> f64,
) -> LawReport {
    assert!(L::PROPERTIES.reads_preload);
    let draw = |r: &mut Rng| {
        let seed = polygon_seed(r);
        let mut v = SVector::from_fn(|_, _| speed(r));
        // Near where it opens, unless no body is as fast.
        let opening = seed.preload / (seed.dt * seed.material.stiffness);
        if opening.abs() < 1e3 && r.chance(0.5) {
            v[0] = opening * r.uniform(0.5, 1.5);
        }
        (seed, v)
    };
    LawSuite::new(law, draw, |(seed, v), s| (rescale_contact(seed, s), rescale_velocity(v, s)))
        .contact(bound)
        .assert_conforms()
}

#[test]
fn conformance_of_polygons() {
    let report = over_areas(Lagged::default(), |p, _| p.friction_bound());
    assert!(report.active > 1300 && report.active < 3999, "{report}");
    let report = over_areas(Similar::default(), |p, gamma_n| p.friction_coefficient() * gamma_n);
    assert!(report.active > 1300 && report.active < 3999, "{report}");
    let report = over_areas::<_, 1>(Frictionless, |_, _| 0.0);
    assert!(report.active > 1300 && report.active < 3999, "{report}");
}

/// kurtz2025cenic, eq. (13), of polygons: γ_n = δt (f₀ − δt k v)₊ (1 − d v)₊, whatever the stiffness.
#[test]
fn property_polygons_press_as_the_equation_says() {
    for i in 0..4000 {
        let r = &mut Rng::new(i);
        let s = polygon_seed(r);
        let m = ContactMaterial { relaxation_time: 0.0, ..s.material };
        let s = ContactSeed { material: m, ..s };
        let v = contact_velocity::<1>(r, &s)[0];
        let expected =
            s.dt * (s.preload - s.dt * m.stiffness * v).max(0.0) * (1.0 - m.dissipation * v).max(0.0);
        let p = NormalPotential::new(&s);
        let (_, found, _) = p.eval(v);
        let scale = s.dt * (s.preload.abs() + s.dt * m.stiffness * v.abs()) * (1.0 + m.dissipation * v.abs());
        assert!((found - expected).abs() <= 1e-12 * scale, "{i}: {found} for {expected}, {s:?}");
        assert_eq!(p.value(v), p.eval(v).0);
    }
}

fn contact<L: ContactLaw<D, Seed = ContactSeed>, const D: usize>(
    law: L,
    bound: impl Fn(&L::Params, f64) -> f64,
) -> LawReport {
    let draw = |r: &mut Rng| {
        let seed = contact_seed(r);
        let v = contact_velocity(r, &seed);
        (seed, v)
    };
    LawSuite::new(law, draw, |(seed, v), s| (rescale_contact(seed, s), rescale_velocity(v, s)))
        .contact(bound)
        .elastic()
        .assert_conforms()
}

#[test]
fn conformance_lagged() {
    let report = contact(Lagged::default(), |p, _| p.friction_bound());
    // The draws must reach the tested regimes: more than a third with an impulse, some without.
    assert!(report.active > 1300 && report.active < 3999, "{report}");
}

#[test]
fn conformance_similar() {
    let report = contact(Similar::default(), |p, gamma_n| p.friction_coefficient() * gamma_n);
    assert!(report.active > 1300 && report.active < 3999, "{report}");
}

#[test]
fn conformance_sap() {
    for law in [Sap::default(), Sap { beta: 0.0, ..Sap::default() }] {
        let report = contact(law, |p, gamma_n| p.friction_coefficient() * gamma_n);
        assert!(report.active > 1300 && report.active < 3999, "{report}");
    }
}

#[test]
fn conformance_frictionless() {
    let report = contact::<_, 1>(Frictionless, |_, _| 0.0);
    assert!(report.active > 1300 && report.active < 3999, "{report}");
}

/// Step sizes on both sides of the shortest.
fn step(r: &mut Rng) -> f64 {
    r.log_uniform(1e-5, 2e-2)
}

fn spring(r: &mut Rng) -> Option<[f64; 2]> {
    let damping = if r.chance(0.3) { 0.0 } else { r.log_uniform(1e-1, 1e3) };
    match r.below(3) {
        0 => None,
        1 if r.chance(0.2) => Some([0.0, damping]),
        _ => Some([r.log_uniform(1e1, 1e5), damping]),
    }
}

fn recovery(r: &mut Rng) -> f64 {
    if r.chance(0.5) { f64::INFINITY } else { r.log_uniform(1e-2, 1e1) }
}

fn rescale_spring(spring: Option<[f64; 2]>, s: Scale) -> Option<[f64; 2]> {
    spring.map(|[k, c]| [k * s.stiffness(), c * s.damping()])
}

fn softness(r: &mut Rng) -> Option<Softness> {
    let solref = [r.log_uniform(1e-3, 1e-1), r.uniform(0.05, 2.0)];
    let solimp = [r.uniform(0.1, 0.95), 0.95, 1e-3, 0.5, 2.0];
    let gap = -r.log_uniform(1e-6, 1e-2);
    r.chance(0.3).then(|| Softness::new(solref, &solimp, gap, r.log_uniform(1e-3, 1e3)))
}

fn rescale_softness(softness: Option<Softness>, s: Scale) -> Option<Softness> {
    softness.map(|x| Softness {
        mass: x.mass * s.mass,
        stiffness: x.stiffness * s.stiffness(),
        damping: x.damping * s.damping(),
        ..x
    })
}

fn near_rigid<const D: usize>()
where
    NearRigid: ContactLaw<D, Seed = NearRigidSeed<D>>,
{
    let draw = |r: &mut Rng| {
        let seed = NearRigidSeed {
            dt: step(r),
            gap: SVector::from_fn(|_, _| 1e-3 * r.normal()),
            inverse_mass: r.log_uniform(1e-3, 1e3),
            recovery_speed: recovery(r),
            shortest_step: 1e-4,
            spring: spring(r),
            softness: softness(r),
            velocity: SVector::from_fn(|_, _| speed(r)),
        };
        (seed, SVector::from_fn(|_, _| speed(r)))
    };
    let rescale = |(seed, v): &(NearRigidSeed<D>, SVector<f64, D>), s: Scale| {
        let scaled = NearRigidSeed {
            dt: seed.dt * s.time,
            gap: seed.gap * s.length,
            inverse_mass: seed.inverse_mass / s.mass,
            recovery_speed: seed.recovery_speed * s.speed(),
            shortest_step: seed.shortest_step * s.time,
            spring: rescale_spring(seed.spring, s),
            softness: rescale_softness(seed.softness, s),
            velocity: seed.velocity * s.speed(),
        };
        // All rows as lengths: the law has one R for all.
        (scaled, v * s.speed())
    };
    LawSuite::new(NearRigid::default(), draw, rescale).assert_conforms();
}

#[test]
fn conformance_near_rigid() {
    near_rigid::<1>();
    near_rigid::<3>();
    near_rigid::<6>();
}

#[test]
fn conformance_limit() {
    let draw = |r: &mut Rng| {
        let gap = if r.chance(0.5) { r.log_uniform(1e-6, 1e-1) } else { -r.log_uniform(1e-6, 1e-2) };
        let seed = LimitSeed {
            dt: step(r),
            gap,
            inverse_mass: r.log_uniform(1e-3, 1e3),
            recovery_speed: recovery(r),
            spring: spring(r),
            softness: softness(r),
            velocity: speed(r),
            reference: r.log_uniform(1e-3, 1e3),
            contacts: 1 + r.below(5) as u32,
            ..LimitSeed::new(1.0, 1.0, 1.0)
        };
        (seed, SVector::from([speed(r)]))
    };
    let rescale = |(seed, v): &(LimitSeed, SVector<f64, 1>), s: Scale| {
        let scaled = LimitSeed {
            dt: seed.dt * s.time,
            gap: seed.gap * s.length,
            inverse_mass: seed.inverse_mass / s.mass,
            moved_mass: seed.moved_mass * s.mass,
            recovery_speed: seed.recovery_speed * s.speed(),
            shortest_step: seed.shortest_step * s.time,
            spring: rescale_spring(seed.spring, s),
            softness: rescale_softness(seed.softness, s),
            velocity: seed.velocity * s.speed(),
            reference: seed.reference / s.mass,
            ..*seed
        };
        (scaled, v * s.speed())
    };
    // γ ≥ 0, like a contact.
    let report = LawSuite::new(Limit::default(), draw, rescale).contact(|_, _| 0.0).assert_conforms();
    assert!(report.active > 1000 && report.active < 3900, "{report}");
}

#[test]
fn conformance_gain() {
    let draw = |r: &mut Rng| {
        let limits = match r.below(4) {
            0 => None,
            // Limits that leave out zero force are limits too.
            1 => Some([1.0, 1.0 + r.log_uniform(1e-2, 1e2)]),
            _ => Some([-r.log_uniform(1e-2, 1e2), r.log_uniform(1e-2, 1e2)]),
        };
        let gain = match r.below(4) {
            0 => 0.0,
            1 => r.log_uniform(1e-280, 1e-10),
            _ => r.log_uniform(1e-2, 1e4),
        };
        let seed = GainSeed { dt: step(r), gain, bias: 30.0 * r.normal(), limits };
        (seed, SVector::from([speed(r)]))
    };
    let rescale = |(seed, v): &(GainSeed, SVector<f64, 1>), s: Scale| {
        let scaled = GainSeed {
            dt: seed.dt * s.time,
            gain: seed.gain * s.damping(),
            bias: seed.bias * s.force(),
            limits: seed.limits.map(|e| e.map(|e| e * s.force())),
        };
        (scaled, v * s.speed())
    };
    LawSuite::new(Gain, draw, rescale).assert_conforms();
}

#[test]
fn conformance_dry_friction() {
    let draw = |r: &mut Rng| {
        let seed = DryFrictionSeed {
            dt: step(r),
            force: if r.chance(0.1) { 0.0 } else { r.log_uniform(1e-3, 1e2) },
            stiction_speed: r.log_uniform(1e-5, 1e-2),
            inverse_mass: r.log_uniform(1e-3, 1e3),
        };
        (seed, SVector::from([speed(r)]))
    };
    let rescale = |(seed, v): &(DryFrictionSeed, SVector<f64, 1>), s: Scale| {
        let scaled = DryFrictionSeed {
            dt: seed.dt * s.time,
            force: seed.force * s.force(),
            stiction_speed: seed.stiction_speed * s.speed(),
            inverse_mass: seed.inverse_mass / s.mass,
        };
        (scaled, v * s.speed())
    };
    LawSuite::new(DryFriction::default(), draw, rescale).assert_conforms();
}
