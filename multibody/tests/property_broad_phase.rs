//! The contacts of the rigid system are those of asking every pair of geoms, none lost and none twice.

use proptest::prelude::*;
use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_core::{Slot, State, StepProblem, System};
use signorini_geometry::contacts;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{GeomShape, Scene, SceneBuilder};

/// n bodies of one to three geoms in a small room with a floor, a fixed post and a mocap body.
fn crowd(places: &[([f64; 3], [f64; 3], u8)]) -> Scene {
    let mut b = SceneBuilder::new("crowd").world().half_space().capsule(0.05, 0.3);
    b = b.body("hand").mocap().at([0.3, 0.0, 0.2]).cuboid([0.1, 0.05, 0.05]);
    for (i, (at, turn, kind)) in places.iter().enumerate() {
        b = b.body(format!("b{i}")).at(*at).rotated(UnitQuaternion::new(Vector3::from(*turn))).free_joint();
        b = match kind % 4 {
            0 => b.sphere(0.06),
            1 => b.cuboid([0.05, 0.04, 0.03]).sphere(0.045),
            2 => b.capsule(0.03, 0.05),
            _ => b.cylinder(0.04, 0.05).sphere(0.05).cuboid([0.02, 0.06, 0.02]),
        };
    }
    b.build().expect("the scene is valid")
}

/// Geoms and gap of each contact, sorted.
fn sorted(mut found: Vec<([usize; 2], f64)>) -> Vec<([usize; 2], f64)> {
    found.iter_mut().for_each(|(g, _)| g.sort_unstable());
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found
}

/// Contacts of a state by the system.
fn by_system(sys: &mut RigidSystem, x: &State) -> Vec<([usize; 2], f64)> {
    sys.prepare(Slot::Start, x, 1e-3).expect("the state is valid");
    let contacts = sys.frozen_problem(Slot::Start).contacts();
    sorted(contacts.iter().map(|c| (c.geoms.map(|g| g as usize), c.gap)).collect())
}

/// Contacts of the same state, every pair asked.
fn by_pairs(scene: &Scene, sys: &RigidSystem) -> Vec<([usize; 2], f64)> {
    let kin = sys.kinematics(Slot::Start);
    let mut points = Vec::new();
    let mut out = Vec::new();
    for pair in sys.contact_pairs() {
        points.clear();
        let [a, b] = pair.geoms.map(|g| &scene.geoms[g]);
        let (GeomShape::Solid(sa), GeomShape::Solid(sb)) = (&a.shape, &b.shape) else { continue };
        let (xa, xb) = (kin.x_wb[a.body] * a.pose, kin.x_wb[b.body] * b.pose);
        contacts(sa, &xa, sb, &xb, pair.margin, &mut points).expect("all pairs are supported");
        out.extend(points.iter().map(|c| (pair.geoms, c.gap)));
    }
    sorted(out)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// From 2 bodies (all pairs of balls) to 100 (boxes); a second state goes through the storage that the first one left behind.
    #[test]
    fn property_no_contact_is_lost(
        places in prop::collection::vec(
            ([-0.5..0.5, -0.5..0.5, 0.0..0.5], [-2.0..2.0, -2.0..2.0, -2.0..2.0], any::<u8>()), 2..100),
        shift in [-0.2..0.2, -0.2..0.2, -0.1..0.1],
    ) {
        let scene = crowd(&places);
        let law = signorini_laws::contact_pool("lagged").expect("the law exists");
        let mut sys = RigidSystem::new(&scene, law.as_ref(), RigidOptions { speculative: false, ..RigidOptions::default() })
            .expect("the scene has a model");
        let mut x = sys.initial_state(None).expect("the scene has a state");
        for _ in 0..2 {
            let found = by_system(&mut sys, &x);
            prop_assert_eq!(&found, &by_pairs(&scene, &sys));
            for (body, q) in x.q.chunks_exact_mut(7).enumerate() {
                let sign = if body % 2 == 0 { 1.0 } else { -1.0 };
                (0..3).for_each(|k| q[k] += sign * shift[k]);
            }
        }
    }
}
