//! What friction holds creeps at the stiction speed at most, times load over capacity, at any accuracy and step.

use proptest::prelude::*;
use signorini_core::NoObserver;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// Stiction speed of scenes that state none \[m/s or rad/s\].
const STICTION: f64 = 1e-4;

/// Change of coordinate `q` per second between 1 s and 3 s.
fn creep(scene: &Scene, method: &Method, q: usize) -> f64 {
    let mut sys = method.system(scene).unwrap();
    let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
    let mut integrator = method.integrator().unwrap();
    let mut at = |t: f64| {
        integrator.advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
        x.q[q]
    };
    let first = at(1.0);
    (at(3.0) - first) / 2.0
}

/// Speed at which regularised friction carries the part `load` of its bound.
fn allowed(load: f64) -> f64 {
    STICTION * load / (1.0 - load * load).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// A ball between two fingers that press with `force` each.
    #[test]
    fn property_held_bodies_creep_at_the_stiction_speed(
        mass in 0.01f64..0.5,
        part in 0.02f64..0.8,
        friction in 0.3f64..1.0,
        way in prop::sample::select(vec![
            Method::cenic(1e-1), Method::cenic(1e-2), Method::cenic(1e-3), Method::cenic(1e-4), Method::icf().with_step(2e-3), Method::icf().with_step(5e-2),
        ]),
    ) {
        let force = mass * 9.81 / (2.0 * friction * part);
        // Pressed as deep as four springs of 2·10⁵ N/m carry: friction of the first step has the normal force of its start.
        let depth = force / 8e5;
        let finger = |name: &str, sign: f64| format!(
            "<body pos='{} 0 0'><joint name='{name}' type='slide' axis='{} 0 0' damping='5'/><geom type='box' size='.01 .02 .02' mass='.1' friction='{friction}'/></body>",
            -0.03 * sign, sign
        );
        let text = format!(
            "<mujoco><worldbody>{}{}<body><freejoint/><geom type='box' size='.02 .01 .01' mass='{mass}' friction='{friction}'/></body></worldbody>
             <actuator><motor joint='l'/><motor joint='r'/></actuator><keyframe><key ctrl='{force} {force}' qpos='{depth} {depth} 0 0 0 1 0 0 0'/></keyframe></mujoco>",
            finger("l", 1.0), finger("r", -1.0)
        );
        let scene = Scene::from_mjcf(&text, "held.xml", &LoadOptions::default()).unwrap();
        let speed = -creep(&scene, &way, 4);
        // The press is that of the motors within a few parts in a hundred until all comes to rest.
        prop_assert!(speed < 1.1 * allowed(part) + 1e-9, "{}: {speed:e} m/s, {:e} allowed", way.describe(), allowed(part));
    }
}

/// 346 µm/s and 2.4 mrad/s at the default accuracy.
#[test]
fn regression_a_grip_and_a_dry_joint_hold() {
    for (file, q, load) in [
        ("daily/01b_pinch20N.xml", 4, 0.045 * 9.81 / (2.0 * 0.7 * 20.0)),
        ("daily/38_jfriction.xml", 0, 4.0 * 9.81 * 0.25 / 12.0),
    ] {
        let Some(path) = data::case(file) else { return };
        let scene = Scene::load(path, &LoadOptions::default()).unwrap();
        for method in [Method::cenic(1e-3), Method::cenic(1e-1), Method::icf().with_step(2e-3)] {
            let speed = creep(&scene, &method, q).abs();
            assert!(speed < 1.1 * allowed(load), "{file}, {}: {speed:e}", method.describe());
        }
    }
}
