//! Springs that a user states through equalities move as springs of joints do in published steps, and converge with order one; springs of joints alone move without error.

use std::fmt::Write as _;

use proptest::prelude::*;
use signorini_core::{NoObserver, State, System};
use signorini_run::Method;
use signorini_run::drift::DriftRecord;
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

/// x″ = −(k₁ x + k₂ x² + k₃ x³) − (c₁ + c₂ |v| + c₃ v²) v from rest, by the Runge–Kutta method of order 4 in many steps.
fn polynomial_end(k: [f64; 3], c: [f64; 3], q0: f64, time: f64) -> [f64; 2] {
    let rate = |[x, v]: [f64; 2]| {
        let spring = x * (k[0] + x * (k[1] + x * k[2]));
        [v, -spring - (c[0] + c[1] * v.abs() + c[2] * v * v) * v]
    };
    let n = 4000;
    let h = time / f64::from(n);
    let at = |[x, v]: [f64; 2], s: f64, [dx, dv]: [f64; 2]| [x + s * dx, v + s * dv];
    (0..n).fold([q0, 0.0], |y, _| {
        let a = rate(y);
        let b = rate(at(y, 0.5 * h, a));
        let c = rate(at(y, 0.5 * h, b));
        let d = rate(at(y, h, c));
        std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
    })
}

/// A unit mass on a slide with a spring and a damper of three coefficients, of the joint or of a tendon along it.
fn polynomial(of_tendon: bool, k: [f64; 3], c: [f64; 3]) -> Scene {
    let text = |x: [f64; 3]| format!("{} {} {}", x[0], x[1], x[2]);
    let law = format!("stiffness='{}' damping='{}'", text(k), text(c));
    let (joint, tendon) = match of_tendon {
        false => (law, String::new()),
        true => {
            let tendon =
                format!("<tendon><fixed springlength='0' {law}><joint joint='j' coef='1'/></fixed></tendon>");
            (String::new(), tendon)
        }
    };
    scene(&format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0' {joint}/>
        <geom type='sphere' size='.05' mass='1' contype='0' conaffinity='0'/></body></worldbody>{tendon}</mujoco>"
    ))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Half a published step has half the error, and the flow has none; k₂² < 3 k₁ k₃ keeps the stiffness positive everywhere.
    #[test]
    fn order_polynomial_springs_and_dampers_is_one(
        k in (1f64..30.0, -1.7f64..1.7, 0f64..30.0),
        c in [0f64..1.0, 0f64..1.0, 0f64..1.0],
        q0 in 0.3f64..1.5,
        side in any::<bool>(),
        of_tendon in any::<bool>(),
        comfree in any::<bool>(),
    ) {
        let k = [k.0, k.1 * (k.0 * k.2).sqrt(), k.2];
        let q0 = if side { q0 } else { -q0 };
        let scene = polynomial(of_tendon, k, c);
        let time = 1.5 / (k[0] + k[1].abs() * q0.abs() + k[2] * q0 * q0).sqrt();
        let exact = polynomial_end(k, c, q0, time);
        let errors = [512.0, 1024.0].map(|n| {
            let method = if comfree { Method::comfree() } else { Method::icf() }.with_step(time / n);
            let x = end_of(true, &scene, &method, &[q0], time);
            (x.q[0] - exact[0]).abs()
        });
        prop_assert!(errors[0] < 2e-2 * q0.abs(), "{errors:?}");
        // Where the two parts of the error of first order cancel there is no order to see.
        prop_assert!(errors[0] < 1e-4 * q0.abs() || (1.8..2.2).contains(&(errors[0] / errors[1])), "{errors:?}");
        // The flow is followed to 1e-9 in each part of a step.
        let flow = end(&scene, &Method::icf().with_step(time / 8.0), &[q0], time);
        prop_assert!((flow.q[0] - exact[0]).abs() < 1e-6 * q0.abs(), "{} {exact:?}", flow.q[0]);
        prop_assert!((flow.v[0] - exact[1]).abs() < 1e-6 * (1.0 + exact[1].abs()), "{} {exact:?}", flow.v[0]);
    }

    /// A spring of a tendon along a joint is one of the joint, in published steps of any length; none gains energy.
    #[test]
    fn property_polynomial_springs_of_tendons_are_those_of_joints(
        k in (0f64..4.0, -1.7f64..1.7, 0f64..4.0),
        c in [-2f64..2.0, -2f64..2.0, -2f64..2.0],
        dt in -4f64..-1.0,
        q0 in -1.5f64..1.5,
    ) {
        let [k1, k3] = [k.0, k.2].map(|k| 10f64.powf(k));
        let (k, c, dt) = ([k1, k.1 * (k1 * k3).sqrt(), k3], c.map(|c| 10f64.powf(c)), 10f64.powf(dt));
        let scenes = [true, false].map(|tendon| polynomial(tendon, k, c));
        let [a, b] = [0, 1].map(|i| end_of(true, &scenes[i], &Method::icf().with_step(dt), &[q0], 20.0 * dt));
        // Solver tolerance: a tendon is a row of the problem, a joint is part of its inertia.
        prop_assert!((a.q[0] - b.q[0]).abs() < 1e-6 * q0.abs().max(1e-3), "{} {}", a.q[0], b.q[0]);
        let mut sys = Method::icf().system(&scenes[1]).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        x.q[0] = q0;
        let start = sys.energy(&x).total();
        prop_assert!(sys.energy(&b).total() <= start * (1.0 + 1e-9), "{} of {start}", sys.energy(&b).total());
    }

    /// A tree with springs of three coefficients on hinges, a ball and a tendon keeps its energy.
    #[test]
    fn property_polynomial_springs_keep_energy(
        k in prop::array::uniform4((0f64..20.0, -1f64..1.0, 0f64..20.0)),
        q0 in [-1f64..1.0, -1f64..1.0],
        v0 in prop::array::uniform5(-2f64..2.0),
    ) {
        let law = |i: usize| {
            let (k1, k2, k3) = k[i];
            format!("stiffness='{k1} {} {k3}'", k2 * (k1 * k3).sqrt())
        };
        let scene = scene(&format!(
            "<mujoco><worldbody><body pos='0 0 1'><joint name='a' axis='0 1 0' {}/><geom size='.05' pos='.2 0 0' mass='1' contype='0' conaffinity='0'/>
            <body pos='.3 0 0'><joint type='ball' {}/><geom type='box' size='.02 .05 .1' pos='.1 0 0' mass='.6' contype='0' conaffinity='0'/>
            <body pos='.2 0 0'><joint name='b' axis='1 0 1' {}/><geom size='.04' pos='0 .15 0' mass='.4' contype='0' conaffinity='0'/></body></body></body></worldbody>
            <tendon><fixed {}><joint joint='a' coef='.5'/><joint joint='b' coef='-1'/></fixed></tendon></mujoco>",
            law(0), law(1), law(2), law(3)
        ));
        let method = Method::cenic(1e-3);
        let mut sys = method.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        (x.q[0], x.q[5]) = (q0[0], q0[1]);
        x.v.copy_from_slice(&v0);
        let start = sys.energy(&x).total();
        method.integrator().unwrap().advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
        let (end, kinetic) = (sys.energy(&x).total(), 1.0 + sys.energy(&x).kinetic);
        // Parts of steps follow the flow to 1e-9.
        prop_assert!((end - start).abs() < 1e-5 * kinetic, "{start} {end}");
    }
}

/// Energy of a state, and whether a run from it has an energy line.
fn energy_of(scene: &Scene, x: &State) -> (f64, bool) {
    let mut sys = Method::icf().system(scene).unwrap();
    let e = sys.energy(x);
    let mut record = DriftRecord::new(sys.model());
    record.begin(e);
    (e.total(), record.line().is_some())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Weights that are compensated, in part or beyond, have that much less energy of height.
    #[test]
    fn property_compensated_weights_keep_energy(
        share in prop::array::uniform2(-0.5f64..1.5),
        q0 in prop::array::uniform2(-1.5f64..1.5),
        v0 in prop::array::uniform2(-2f64..2.0),
    ) {
        let text = |actuated: bool| format!(
            "<mujoco><worldbody><body pos='0 0 1' gravcomp='{}'><joint axis='0 1 0'/><geom size='.05' pos='.2 0 0' mass='1' contype='0' conaffinity='0'/>
            <body pos='.3 0 0' gravcomp='{}'><joint axis='1 1 0' actuatorgravcomp='{actuated}'/><geom size='.05' pos='.2 .1 0' mass='.5' contype='0' conaffinity='0'/></body></body></worldbody></mujoco>",
            share[0], share[1]
        );
        let lifted = scene(&text(false));
        let method = Method::cenic(1e-3);
        let mut sys = method.system(&lifted).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        x.q.copy_from_slice(&q0);
        x.v.copy_from_slice(&v0);
        let (start, told) = energy_of(&lifted, &x);
        method.integrator().unwrap().advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
        let (end, _) = energy_of(&lifted, &x);
        // Parts of steps follow the flow to 1e-9.
        prop_assert!(told && (end - start).abs() < 1e-5 * (1.0 + sys.energy(&x).kinetic), "{start} {end}");
        // Compensation along a part of what moves a body has no energy to count.
        prop_assert!(!energy_of(&scene(&text(true)), &x).1);
    }

    /// The springs of equalities count: half the step has half the drift.
    #[test]
    fn order_energy_of_springs_of_equalities_is_one(
        k in 0f64..1.3,
        weld in any::<bool>(),
        v0 in prop::array::uniform6(-1f64..1.0),
    ) {
        let k = 10f64.powf(k);
        let kind = if weld { "<weld name='s' body1='b'/>" } else { "<connect name='s' body1='b' anchor='.1 0 0'/>" };
        let scene = scene(&format!(
            "<mujoco><option gravity='0 0 0'/><custom><text name='signorini:equality:s' data='stiffness={k}'/></custom><worldbody>
            <body name='b' pos='0 0 1'><freejoint/><geom type='box' size='.3 .4 .5' mass='1' contype='0' conaffinity='0'/></body></worldbody><equality>{kind}</equality></mujoco>"
        ));
        let drifts = [2048.0, 4096.0].map(|n| {
            let method = Method::icf().with_step(0.3 / n);
            let mut sys = method.system(&scene).unwrap();
            let mut x = sys.initial_state(None).unwrap();
            x.v.copy_from_slice(&v0);
            let (start, told) = energy_of(&scene, &x);
            method.integrator().unwrap().advance(&mut sys, &mut x, 0.3, &mut NoObserver).unwrap();
            (energy_of(&scene, &x).0 - start, told)
        });
        let moving = 0.5 * v0.iter().map(|v| v * v).sum::<f64>();
        prop_assert!(drifts[0].1 && drifts[0].0.abs() < 0.1 * moving, "{drifts:?}");
        let ratio = drifts[0].0 / drifts[1].0;
        prop_assert!(drifts[0].0.abs() < 1e-4 * moving || (1.7..2.3).contains(&ratio), "{drifts:?}");
    }
}
