//! Names, and problems under every contact law through a snapshot.

use signorini_core::na::Matrix3;
use signorini_core::{ContactLaw, ContactSeed, ContactSide, Snapshot, StepProblem};
use signorini_laws::{
    CONTACT_LAWS, DualCone, Lagged, MassScale, PublishedDualCone, Sap, Similar, contact_pool, registry,
};
use signorini_testkit::random_problem::random_dense_problem;

#[test]
fn regression_every_contact_law_has_a_pool_by_its_name() {
    assert_eq!(
        CONTACT_LAWS,
        ["lagged", "similar", "sap", "frictionless", "dual_cone", "published_dual_cone"]
    );
    for name in CONTACT_LAWS {
        let pool = contact_pool(name).unwrap();
        assert_eq!(pool.key(), name);
        assert!(registry().laws().any(|(key, dim)| key == name && dim == pool.dim()));
    }
    let error = contact_pool("coulomb").err().unwrap().to_string();
    assert_eq!(
        error,
        "unknown contact law 'coulomb'; known laws: lagged, similar, sap, frictionless, dual_cone, published_dual_cone"
    );
}

#[test]
fn regression_all_laws_are_registered() {
    let known: Vec<_> = registry().laws().map(|(k, d)| format!("{k}/{d}")).collect();
    let expected = [
        "dry_friction/1",
        "dual_cone/1",
        "dual_cone/3",
        "dual_cone/4",
        "dual_cone/6",
        "dual_cone_limit/1",
        "frictionless/1",
        "gain/1",
        "lagged/3",
        "limit/1",
        "near_rigid/1",
        "near_rigid/3",
        "near_rigid/6",
        "published_dual_cone/1",
        "published_dual_cone/3",
        "published_dual_cone/4",
        "published_dual_cone/6",
        "published_dual_cone_limit/1",
        "sap/3",
        "similar/3",
    ];
    assert_eq!(known, expected);
}

fn survives<L: ContactLaw<3, Seed = ContactSeed>>(law: L) {
    let mut p = random_dense_problem(3, 7, 4).build(law).unwrap();
    let text = serde_json::to_string(&Snapshot::take(&p).unwrap()).unwrap();
    let mut q = serde_json::from_str::<Snapshot>(&text).unwrap().problem(&registry()).unwrap();
    for s in [-1.0, 0.0, 0.3] {
        let v = vec![s; 7];
        assert_eq!(p.value(&v).unwrap(), q.value(&v).unwrap(), "bit for bit");
    }
}

#[test]
fn regression_snapshots_keep_every_bit() {
    survives(Lagged::default());
    survives(Similar { sigma_r: 2e-3 });
    survives(Sap { beta: 0.5, ..Sap::default() });
    survives(DualCone { directions: 16, ..DualCone::default() });
    survives(PublishedDualCone { mass: MassScale::Mean, ..PublishedDualCone::default() });
}

#[test]
fn regression_a_refilled_pool_equals_a_fresh_one() {
    let dense = random_dense_problem(5, 6, 3);
    let seed = |k: usize| ContactSeed {
        preload: 0.0,
        dt: dense.dt,
        gap: dense.phi0[k],
        velocity: dense.v0.fixed_rows::<3>(0).into_owned(),
        material: dense.materials[k],
        sides: ContactSide::single(Matrix3::identity(), 3),
        curvature: None,
    };
    let seeds: Vec<_> = (0..3).map(seed).collect();
    for name in CONTACT_LAWS {
        let (mut fresh, mut refilled) = (contact_pool(name).unwrap(), contact_pool(name).unwrap());
        assert!(fresh.reset(&seeds));
        assert!(refilled.reset(&seeds[1..].to_vec()) && refilled.reset(&seeds));
        assert_eq!(fresh.save().unwrap(), refilled.save().unwrap(), "{name}");
    }
}
