//! Scenes with wrong numbers and references are refused or work; nothing panics.

use crate::common;

use common::oracle::{case_scene, cases};
use common::{Random, work};
use proptest::prelude::*;
use signorini_multibody::Model;
use signorini_scene::{EqualityKind, Scene, SensorObject, TendonPath, Transmission, WrapElement};

const NUMBERS: [f64; 9] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 1e-300, -1e-9, 2.0];

/// One random change of a number or a reference.
fn mutate(s: &mut Scene, r: &mut Random) {
    let x = NUMBERS[r.below(NUMBERS.len())];
    let index = r.below(6) * r.below(4);
    macro_rules! pick {
        ($list:expr) => {{
            let n = $list.len();
            if n == 0 {
                return;
            }
            &mut $list[r.below(n)]
        }};
    }
    match r.below(10) {
        0 => {
            let b = pick!(s.bodies);
            match (r.below(5), &mut b.mass) {
                (0, _) => b.parent = index,
                (1, _) => b.mocap = !b.mocap,
                (2, _) => b.pose.translation.vector.y = x,
                (3, Some(m)) => m.mass = x,
                (4, Some(m)) => m.inertia[(1, 1)] = x,
                (_, m) => *m = None,
            }
        }
        1 => {
            let j = pick!(s.joints);
            match r.below(8) {
                0 => j.body = index,
                1 => j.armature = x,
                2 => j.stiffness = x,
                3 => j.reference = x,
                4 => j.range = Some([x, 1.0]),
                5 => j.anchor.x = x,
                6 => j.actuator_force_range = Some([1.0, x]),
                _ => j.kind = signorini_scene::JointKind::Ball,
            }
        }
        2 => pick!(s.geoms).body = index,
        3 => {
            let site = pick!(s.sites);
            site.body = index;
            site.pose.translation.vector.z = x;
        }
        4 => {
            let t = pick!(s.tendons);
            match (r.below(5), &mut t.path) {
                (0, _) => t.stiffness = x,
                (1, _) => t.spring_length = Some([x, 0.0]),
                (2, TendonPath::Fixed(terms)) => terms[0] = (index, x),
                (_, TendonPath::Spatial(e)) => {
                    let n = e.len();
                    e[r.below(n)] = match r.below(3) {
                        0 => WrapElement::Site(index),
                        1 => WrapElement::Geom { geom: index, side_site: Some(index) },
                        _ => WrapElement::Pulley { divisor: x },
                    };
                }
                _ => t.damping = x,
            }
        }
        5 => {
            let a = pick!(s.actuators);
            match r.below(5) {
                0 => a.gear[0] = x,
                1 => a.force.bias[1] = x,
                2 => a.force_range = Some([x, 0.0]),
                3 => a.transmission = Transmission::Site { site: index, reference: Some(index) },
                _ => a.transmission = Transmission::Joint(index),
            }
        }
        6 => {
            let e = pick!(s.equalities);
            e.stiffness = Some(x);
        }
        7 => match &mut pick!(s.equalities).kind {
            EqualityKind::Connect { body_a, anchor_b, .. } | EqualityKind::Weld { body_a, anchor_b, .. } => {
                *body_a = index;
                anchor_b.x = x;
            }
            EqualityKind::Joint { joint_1, polynomial, .. } => {
                *joint_1 = index;
                polynomial[2] = x;
            }
            EqualityKind::Tendon { tendon_2, polynomial, .. } => {
                *tendon_2 = Some(index);
                polynomial[0] = x;
            }
            EqualityKind::Distance { length, .. } => *length = x,
        },
        8 => {
            let sensor = pick!(s.sensors);
            sensor.object =
                [SensorObject::Body(index), SensorObject::Joint(index), SensorObject::World][r.below(3)];
            sensor.cutoff = x;
        }
        _ => s.options.gravity.x = x,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(5000) })]

    #[test]
    fn property_mutated_scenes_never_panic(seed in any::<u64>(), changes in 1usize..4) {
        thread_local! {
            static SCENES: Vec<Scene> = ["tendons", "actuators", "sensors", "equality"]
                .into_iter()
                .flat_map(|t| cases(t).iter().map(case_scene).collect::<Vec<_>>())
                .collect();
        }
        let mut r = Random(seed);
        let mut s = SCENES.with(|s| s[r.below(s.len())].clone());
        for _ in 0..changes {
            mutate(&mut s, &mut r);
        }
        let _ = Model::new(&s).map(|m| work(&m));
    }
}

#[test]
fn property_the_unchanged_scenes_work() {
    for topic in ["tendons", "actuators", "sensors", "equality"] {
        for c in cases(topic) {
            assert!(work(&Model::new(&case_scene(&c)).unwrap()), "{}", c["name"]);
        }
    }
}
