//! Depths beside the sizes of bodies are told under every method, by name and once, and only where they are.

use proptest::prelude::*;
use signorini_laws::{DualCone, Gains, MassScale};
use signorini_run::depth::{DepthRecord, TOO_DEEP};
use signorini_run::{Law, Method, Recording, run};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

const H: f64 = 0.002;

/// A body of 1 kg of some shape and size \[m\] that rests on a plane, and its thickness \[m\].
fn body(shape: usize, size: f64, stiffness: f64) -> (Scene, f64) {
    let (kind, sizes, height, thickness) = match shape {
        0 => ("sphere", format!("{size}"), size, 2.0 * size),
        1 => ("box", format!("{} {} {size}", 2.0 * size, 3.0 * size), size, 2.0 * size),
        2 => ("ellipsoid", format!("{} {} {size}", 2.0 * size, 2.0 * size), size, 2.0 * size),
        3 => ("cylinder", format!("{} {size}", 2.0 * size), size, 2.0 * size),
        _ => ("capsule", format!("{size} {}", 0.3 * size), 1.3 * size, 2.0 * size),
    };
    let xml = format!(
        "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/><body name='it' pos='0 0 {height}'><freejoint/>\
         <geom name='skin' type='{kind}' size='{sizes}' mass='1'/></body></worldbody></mujoco>"
    );
    let mut scene = Scene::from_mjcf(&xml, "body.xml", &LoadOptions::default()).unwrap();
    scene.options.contact.stiffness = stiffness;
    (scene, thickness)
}

/// Every method whose contact has a depth, softer with `soft`.
fn methods(soft: f64) -> [Method; 8] {
    let physical = |kappa| DualCone { gains: Gains::Physical { kappa, c: 20.0 }, ..DualCone::default() };
    [
        Method::icf().with_step(H),
        Method::cenic(1e-3),
        Method::reference().with_step(H),
        Method::icf().with_law(Law::Similar).unwrap().with_step(H),
        Method::comfree().with_step(H),
        Method::comfree_sweeping(1).with_step(H),
        Method::comfree_with(physical(1e3 / soft), 1).with_step(H),
        Method::comfree_paper(0.2 / soft, 0.001, MassScale::Mean).with_step(H),
    ]
}

/// Depth of the deepest contact \[m\], and the lines on depths.
fn depths(scene: &Scene, method: &Method, t: f64) -> (Recording, f64, Vec<String>) {
    let mut x = method.system(scene).unwrap().initial_state(None).unwrap();
    let (recording, _) = run(scene, method, &mut x, t).unwrap();
    let deepest = recording.contact_gap.iter().map(|g| -g).fold(0.0, f64::max);
    let told = recording.header.warnings.iter().filter(|w| w.starts_with("depth:")).cloned().collect();
    (recording, deepest, told)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Told if and only if deeper than the part of the size, in one line that names the bodies.
    #[test]
    fn property_told_where_too_deep(
        shape in 0usize..5,
        size in (-2.0f64..-0.7).prop_map(|e| 10f64.powf(e)),
        stiffness in (1.5f64..5.0).prop_map(|e| 10f64.powf(e)),
        soft in (0.0f64..2.0).prop_map(|e| 10f64.powf(e)),
        method in 0usize..8,
    ) {
        let (scene, thickness) = body(shape, size, stiffness);
        let method = &methods(soft)[method];
        let (_, deepest, told) = depths(&scene, method, 0.1);
        prop_assert_eq!(told.len(), usize::from(deepest > TOO_DEEP * thickness), "{}: {} m of {} m, {:?}", method.describe(), deepest, thickness, told);
        let words = ["'skin'", "'it'", "'floor'", method.remedy_of_depth()];
        for word in told.iter().flat_map(|line| words.map(|w| (line, w))) {
            prop_assert!(word.0.contains(word.1), "{:?}", word);
        }
    }
}

/// A ball of 1 kg on springs of its size: k = m g/δ, with δ half and twice the part that is told of.
#[test]
fn analytic_springs_of_a_ball() {
    for size in [0.005, 0.05, 0.5] {
        for (part, tells) in [(0.5, false), (2.0, true)] {
            let depth = part * TOO_DEEP * 2.0 * size;
            let (mut scene, _) = body(0, size, 9.81 / depth);
            // It starts at rest on its spring. Two surfaces of one stiffness are one of half of it in a row.
            scene.bodies[1].pose.translation.z -= depth;
            let both =
                Method::icf().system(&scene).unwrap().contact_pairs().next().unwrap().material.stiffness;
            scene.options.contact.stiffness *= 9.81 / depth / both;
            for method in [Method::icf().with_step(H), Method::cenic(1e-4), Method::reference().with_step(H)]
            {
                let (_, deepest, told) = depths(&scene, &method, 0.05);
                // Tolerances of solves and of error control.
                assert!(
                    (deepest - depth).abs() < 0.02 * depth,
                    "{}: {deepest} m, {depth} m",
                    method.describe()
                );
                assert_eq!(!told.is_empty(), tells, "{}: {told:?}", method.describe());
            }
        }
    }
}

/// A pair that starts deeper than it ever is again is told to be moved apart, whatever the method.
#[test]
fn regression_deep_starts_have_a_remedy_of_their_own() {
    let (mut scene, _) = body(0, 0.05, 1e5);
    scene.bodies[1].pose.translation.z -= 0.03;
    for method in methods(1.0) {
        let (_, _, told) = depths(&scene, &method, 0.05);
        assert!(told.len() == 1 && told[0].contains("move one of them"), "{}: {told:?}", method.describe());
    }
}

/// The humanoid of this project sinks on its feet under one evaluation; swept over it does not.
#[test]
fn regression_g1_under_one_evaluation_is_told_of() {
    let scene = Scene::load("../models/g1/g1.xml", &LoadOptions::default()).unwrap();
    let (recording, deepest, told) = depths(&scene, &Method::comfree_sweeping(1).with_step(H), 1.0);
    assert!(deepest > 5e-3 && !told.is_empty(), "{deepest} m, {told:?}");
    assert!(
        told.iter().any(|w| w.contains("_foot_") && w.contains("'floor'") && w.contains("--sweeps")),
        "{told:?}"
    );
    // One line for all pairs, whatever the number of steps.
    assert!(told.len() == 1 && told[0].contains("more pairs of geoms were too deep"), "{told:?}");
    assert!(recording.len() > 100);
    let (_, _, told) = depths(&scene, &Method::comfree().with_step(H), 1.0);
    assert_eq!(told, Vec::<String>::new());
}

/// `cases/daily/13b_big.xml`: 20 t on 20 t. The stiffness that is told takes the depth at rest to what is named, and the line away.
#[test]
fn analytic_heavy_things_that_sink_are_told_with_the_stiffness_they_need() {
    let Some(path) = data::case("daily/13b_big.xml") else { return };
    let mut scene = Scene::load(&path, &LoadOptions::default()).unwrap();
    let told = |scene: &Scene, method: &Method| {
        let mut x = method.system(scene).unwrap().initial_state(None).unwrap();
        let (recording, _) = run(scene, method, &mut x, 4.0).unwrap();
        let mut lines = recording.header.warnings.into_iter();
        lines.find(|w| w.starts_with(DepthRecord::AT_REST))
    };
    for law in [Law::Lagged, Law::Sap] {
        let method = Method::icf().with_law(law).unwrap().with_step(5e-3);
        scene.options.contact.stiffness = 4e5;
        let line = told(&scene, &method).unwrap();
        assert!(line.contains("body 'block'") && line.contains("(--stiffness)"), "{line}");
        let needed = line.split("a stiffness of ").nth(1).unwrap().split(' ').next().unwrap();
        // Of two digits: a little more is enough, half is not.
        let needed: f64 = needed.parse().unwrap();
        scene.options.contact.stiffness = 1.1 * needed;
        assert_eq!(told(&scene, &method), None);
        scene.options.contact.stiffness = 0.5 * needed;
        assert!(told(&scene, &method).is_some());
    }
    scene.options.contact.stiffness = 4e5;
    assert_eq!(told(&scene, &Method::comfree().with_step(2e-3)), None);
}
