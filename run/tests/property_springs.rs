//! Springs that a user states through equalities move as springs of joints do in published steps, and converge with order one; springs of joints alone move without error.

use std::fmt::Write as _;

use proptest::prelude::*;
use signorini_core::{NoObserver, State};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

fn end(scene: &Scene, method: &Method, q0: &[f64], time: f64) -> State {
    end_of(false, scene, method, q0, time)
}

/// The end of a run; `published`: springs act in steps of order one, and not as a flow.
fn end_of(published: bool, scene: &Scene, method: &Method, q0: &[f64], time: f64) -> State {
    let mut sys = method.system(scene).unwrap();
    if published {
        sys.expect_other_impulses();
    }
    let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
    x.q[..q0.len()].copy_from_slice(q0);
    method.integrator().unwrap().advance(&mut sys, &mut x, time, &mut NoObserver).unwrap();
    x
}

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "spring.xml", &LoadOptions::default()).unwrap()
}

/// A mass on a slide with a spring and a damper, of the joint or by an equality.
fn slide(by_equality: bool, m: f64, k: f64, c: f64) -> Scene {
    let of_joint = if by_equality { String::new() } else { format!("stiffness='{k}' damping='{c}'") };
    let mut text = format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0' {of_joint}/>
        <geom type='sphere' size='.05' mass='{m}' contype='0' conaffinity='0'/></body></worldbody>"
    );
    if by_equality {
        write!(
            text,
            "<custom><text name='signorini:equality:s' data='stiffness={k} damping={c}'/></custom>
            <equality><joint name='s' joint1='j' polycoef='0 0 0 0 0'/></equality>"
        )
        .unwrap();
    }
    scene(&(text + "</mujoco>"))
}

/// The witness stood at 0.995 m after half a period: it was pulled back at 1 m/s at most.
#[test]
fn regression_a_spring_by_an_equality_moves_as_that_of_a_joint() {
    let [Some(equality), Some(joint)] = ["rigid/spring_eq.xml", "rigid/spring_joint.xml"].map(data::case)
    else {
        return;
    };
    let [equality, joint] = [equality, joint].map(|f| Scene::load(f, &LoadOptions::default()).unwrap());
    let half = 0.1 * std::f64::consts::PI;
    for accuracy in [1e-2, 1e-3, 1e-4, 1e-5] {
        let method = Method::cenic(accuracy);
        let [a, b] = [&equality, &joint].map(|s| end(s, &method, &[], half).q[0]);
        // Steps of order one: the error of the trajectory falls with the root of the accuracy.
        assert!((a + 1.0).abs() < 3.0 * accuracy.sqrt() && (b + 1.0).abs() < 1e-6, "{accuracy:e}: {a} {b}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Both are one implicit step of the same spring, however stiff, from displacements that call for any speed. The softest compliance of an equality is 1e-9 of the mass.
    #[test]
    fn property_springs_by_equalities_are_springs_of_joints(
        m in -2f64..2.0,
        k in 0f64..9.0,
        ratio in 0f64..2.0,
        dt in -4f64..-1.0,
        q0 in -2f64..1.0,
        ours in any::<bool>(),
    ) {
        let (m, k, dt, q0) = (10f64.powf(m), 10f64.powf(k), 10f64.powf(dt), 10f64.powf(q0));
        let c = 2.0 * ratio * (k * m).sqrt();
        let method = if ours { Method::icf() } else { Method::comfree() }.with_step(dt);
        let [a, b] = [true, false].map(|e| end_of(true, &slide(e, m, k, c), &method, &[q0], 20.0 * dt));
        prop_assert!((a.q[0] - b.q[0]).abs() < 1e-6 * q0, "{} {}", a.q[0], b.q[0]);
    }

    /// A bushing: a weld with stiffness, on a body that it holds at an offset or turned. Half the step has half the error.
    #[test]
    fn order_bushings_is_one(
        m in -1f64..1.0,
        frequency in 1f64..2.5,
        ratio in 0f64..1.0,
        offset in [-0.5f64..0.5, -0.5f64..0.5, -0.5f64..0.5],
        connect in any::<bool>(),
    ) {
        let (m, omega) = (10f64.powf(m), 10f64.powf(frequency));
        let (k, c) = (m * omega * omega, 2.0 * ratio * m * omega);
        let kind = if connect { "<connect name='s' body1='b' anchor='0 0 0'/>" } else { "<weld name='s' body1='b'/>" };
        let scene = scene(&format!(
            "<mujoco><option gravity='0 0 0'/><custom><text name='signorini:equality:s' data='stiffness={k} damping={c}'/></custom><worldbody>
            <body name='b'><freejoint/><geom type='sphere' size='.1' mass='{m}' contype='0' conaffinity='0'/></body></worldbody><equality>{kind}</equality></mujoco>"
        ));
        let time = 1.5 / omega;
        // x″ = −ω² x − 2 ζ ω x′ from rest.
        let (decay, turn) = ((-ratio * 1.5).exp(), (1.0 - ratio * ratio).sqrt());
        let exact = decay * ((1.5 * turn).cos() + ratio / turn * (1.5 * turn).sin());
        let errors = [256.0, 512.0].map(|n| {
            let x = end(&scene, &Method::icf().with_step(time / n), &offset, time);
            (0..3).map(|i| x.q[i] - exact * offset[i]).fold(0.0, |a: f64, e| a.max(e.abs()))
        });
        let size = offset.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
        prop_assert!(errors[0] < 2e-2 * size, "{errors:?}");
        // Where the two parts of the error of first order cancel there is no order to see.
        prop_assert!(errors[0] < 1e-4 * size || (1.8..2.2).contains(&(errors[0] / errors[1])), "{errors:?}");
    }
}
