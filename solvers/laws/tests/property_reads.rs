//! Each law reads the parameters of a material that it says it reads, and no others.

use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{
    ContactParameter, DualCone, Frictionless, Gains, Lagged, Law, PublishedDualCone, Sap, Similar,
};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

/// The material with another value of a parameter.
fn changed(m: &ContactMaterial, parameter: ContactParameter) -> ContactMaterial {
    let mut out = *m;
    match parameter {
        ContactParameter::Stiffness => out.stiffness *= 1.5,
        ContactParameter::Dissipation => out.dissipation += 3.0,
        ContactParameter::RelaxationTime => out.relaxation_time += 3e-3,
        ContactParameter::Impedance => out.impedance = 0.5 * (1.0 + out.impedance),
        ContactParameter::Friction => {
            out.friction_static += 0.2;
            out.friction_dynamic += 0.2;
        }
        ContactParameter::StictionSpeed => out.stiction_speed *= 2.0,
        ContactParameter::TorsionalFriction => out.friction_torsional += 0.01,
        ContactParameter::RollingFriction => out.friction_rolling += 0.01,
        ContactParameter::Solimp => out.solimp[1] = 0.5,
    }
    out
}

fn seed(r: &mut Rng) -> ContactSeed {
    let w = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 1.5));
    let material = ContactMaterial { condim: 6, ..random_material(r) };
    let angular = ContactSide { angular: w, ..ContactSide::single(w, 2)[0] };
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 1e-2),
        gap: -r.log_uniform(1e-4, 1e-2),
        velocity: SVector::from_fn(|_, _| r.log_uniform(1e-4, 1.0)),
        material: ContactMaterial {
            impedance: if r.chance(0.5) { 0.0 } else { r.uniform(0.1, 0.9) },
            friction_torsional: 0.01,
            friction_rolling: 0.01,
            ..material
        },
        sides: [angular, ContactSide::default()],
        curvature: None,
    }
}

/// Whether the impulse differs somewhere when the parameter does.
fn differs<L: ContactLaw<D, Seed = ContactSeed>, const D: usize>(law: &L, p: ContactParameter) -> bool {
    (0..200).any(|i| {
        let r = &mut Rng::new(i);
        let s = seed(r);
        let v = SVector::from_fn(|_, _| 0.1 * r.normal());
        let gamma = |m: ContactMaterial| law.eval(&law.prepare(&ContactSeed { material: m, ..s }), v).grad;
        let (a, b) = (gamma(s.material), gamma(changed(&s.material, p)));
        // More than round-off.
        (a - b).norm() > 1e-9 * a.norm().max(b.norm())
    })
}

#[test]
fn property_laws_read_what_they_say() {
    let gains = [
        Gains::Recovery { beta: 0.3 },
        Gains::PerStep { k: 0.2, d: 0.01 },
        Gains::Physical { kappa: 1e3, c: 20.0 },
        Gains::Material,
    ];
    for p in ContactParameter::ALL {
        let check = |law: Law, found: bool| assert_eq!(law.reads(p), found, "{law:?} {p:?}");
        check(Law::Lagged, differs(&Lagged::default(), p));
        check(Law::Similar, differs(&Similar::default(), p));
        check(Law::Sap, differs(&Sap::default(), p));
        check(Law::Frictionless, differs::<_, 1>(&Frictionless, p));
        for gains in gains {
            let law = DualCone { gains, cap: false, ..DualCone::default() };
            check(Law::DualCone(law), differs::<_, 6>(&law, p));
        }
        let law = PublishedDualCone::default();
        check(Law::PublishedDualCone(law), differs::<_, 6>(&law, p));
    }
}
