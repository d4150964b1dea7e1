//! Bodies that pass each other within a step are left alone, and those that meet are not.

use signorini_core::NoObserver;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

use crate::motion;
use motion::run;

#[test]
fn analytic_a_ball_falls_past_an_edge() {
    for dt in [2e-3, 5e-3, 1e-2] {
        for clearance in [2e-3, 1e-2] {
            let text = format!(
                "<mujoco><worldbody><geom type='box' size='.5 .5 .02' pos='0 0 .5'/>
                 <body pos='{} 0 1'><freejoint/><geom type='sphere' size='.05'/></body></worldbody></mujoco>",
                0.55 + clearance
            );
            for engine in [Method::comfree().with_step(dt), Method::icf().with_step(dt)] {
                let (_, v) = run(&text, &[0.0; 3], &engine, 1.0);
                // Free fall, to round-off.
                assert!((v[2] + 9.81).abs() < 1e-9, "{dt} s, {clearance} m: {v:?}");
                assert!(v.iter().enumerate().all(|(i, v)| i == 2 || v.abs() < 1e-9), "{dt} s: {v:?}");
            }
        }
    }
}

#[test]
fn analytic_an_oblique_shot_stays_before_a_wall() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .5 .5'/>
                <body pos='-1 -.3 0'><freejoint/><geom type='sphere' size='.02'/></body></worldbody></mujoco>";
    for dt in [1e-3, 2e-3, 1e-2] {
        for v in [[20.0, 8.0, 0.0], [20.0, 0.0, 3.0], [3.0, 1.5, 0.0]] {
            let (q, _) = run(text, &v, &Method::comfree().with_step(dt), 0.6 / v[0] * 2.0);
            // Its surface at the wall, at x = −25 mm.
            assert!(q[0] < -0.0249, "{dt} s, {v:?}: {}", q[0]);
        }
    }
}

/// A ball of 0.1 kg on a rail, 20 mm from a wall of 10 mm, pushed by something that would carry it through within a step from rest.
fn pushed(what: &str, more: &str) -> String {
    format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .5 .5' pos='.075 0 0'/>
         <body name='ball'><joint name='rail' type='slide' axis='1 0 0' {what}/>
         <geom type='sphere' size='.05' mass='.1'/><site name='at'/></body>
         <site name='far' pos='1 0 0'/></worldbody>{more}</mujoco>"
    )
}

#[test]
fn analytic_what_is_driven_stops_before_a_wall() {
    let keyed = |control: f64| format!("<keyframe><key ctrl='{control}'/></keyframe>");
    let motor = |kind: &str, control: f64| format!("<actuator>{kind}</actuator>{}", keyed(control));
    let scenes = [
        ("a motor", pushed("", &motor("<motor joint='rail'/>", 40.0))),
        ("a servo", pushed("", &motor("<position joint='rail' kp='400' kv='5'/>", 0.3))),
        (
            "a motor behind a limit of its joint",
            pushed("actuatorfrcrange='-40 40'", &motor("<motor joint='rail'/>", 90.0)),
        ),
        ("a spring", pushed("stiffness='400' springref='.3'", "")),
        (
            "a tendon",
            pushed(
                "",
                "<tendon><spatial stiffness='60' springlength='.1'><site site='at'/><site site='far'/></spatial></tendon>",
            ),
        ),
    ];
    for dt in [1e-2, 2e-2, 5e-2] {
        for (what, text) in &scenes {
            for engine in [Method::comfree().with_step(dt), Method::icf().with_step(dt)] {
                let scene = Scene::from_mjcf(text, "driven.xml", &LoadOptions::default()).unwrap();
                let mut sys = engine.system(&scene).unwrap();
                let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
                for n in 1..=20 {
                    let t = f64::from(n) * dt;
                    engine.integrator().unwrap().advance(&mut sys, &mut x, t, &mut NoObserver).unwrap();
                    // The servo alone presses ICF's contact of 2e5 N/m by 0.56 mm.
                    assert!(x.q[0] < 0.021, "{what}, {dt} s: at {} m after step {n}", x.q[0]);
                }
                assert!(x.q[0] > 0.018, "{what}, {dt} s: it comes to the wall, not {}", x.q[0]);
            }
        }
    }
}

#[test]
fn analytic_what_is_pushed_from_outside_stops_before_a_wall() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><geom type='box' size='.005 .5 .5' pos='.075 0 0'/>
                <body><freejoint/><geom type='box' size='.05 .05 .05' mass='.1'/></body></worldbody></mujoco>";
    for dt in [1e-2, 2e-2, 5e-2] {
        for engine in [Method::comfree().with_step(dt), Method::icf().with_step(dt)] {
            for by_field in [false, true] {
                let scene = Scene::from_mjcf(text, "driven.xml", &LoadOptions::default()).unwrap();
                let mut sys = engine.system(&scene).unwrap();
                let mut x = sys.initial_state(None).unwrap();
                if by_field {
                    sys.set_force_field(Some(Box::new(|_, _, _, _, f| f[0] += 40.0)));
                } else {
                    sys.applied_force_mut()[0] = 40.0;
                }
                engine.integrator().unwrap().advance(&mut sys, &mut x, 20.0 * dt, &mut NoObserver).unwrap();
                assert!((0.018..0.0205).contains(&x.q[0]), "{dt} s, by a field: {by_field}: {}", x.q[0]);
            }
        }
    }
}

/// A floor of boxes whose tops are level.
fn tiles(friction: f64) -> String {
    let tile = |i: i32| {
        let x = 0.2 * f64::from(i);
        format!("<geom type='box' size='.1 .5 .05' pos='{x} 0 -.05' friction='{friction}'/>")
    };
    (-2..25).map(tile).collect()
}

#[test]
fn analytic_a_ball_keeps_its_speed_over_seams() {
    let text = format!(
        "<mujoco><worldbody>{}<body pos='.03 0 .05'><freejoint/><geom size='.05' friction='0'/></body></worldbody></mujoco>",
        tiles(0.0)
    );
    for dt in [2e-3, 5e-3, 1e-2, 2e-2] {
        for engine in [Method::comfree().with_step(dt), Method::icf().with_step(dt)] {
            let (q, v) = run(&text, &[2.0, 0.0, 0.0], &engine, 1.5);
            // A hundredth of the speed that gravity gives in a step; the soft contact of ICF is left and found again at each seam.
            assert!((v[0] - 2.0).abs() < 2e-3, "{dt} s, {:?}: {} m/s", engine.name(), v[0]);
            assert!((q[2] - 0.05).abs() < 1e-4, "{dt} s: at {} m", q[2]);
        }
    }
}

#[test]
fn analytic_a_box_slides_over_seams() {
    let text = format!(
        "<mujoco><worldbody>{}<body pos='.03 0 .05'><freejoint/><geom type='box' size='.1 .1 .05' friction='.2'/></body></worldbody></mujoco>",
        tiles(0.2)
    );
    for dt in [2e-3, 5e-3, 1e-2, 2e-2] {
        let (q, v) = run(&text, &[3.0, 0.0, 0.0], &Method::comfree().with_step(dt), 1.0);
        // v₀ − μ g t, and the way with velocities first.
        let (speed, way) = (3.0 - 0.2 * 9.81, 3.0 - 0.1 * 9.81 * (1.0 + dt));
        assert!((v[0] / speed - 1.0).abs() < 0.05, "{dt} s: {} m/s, not {speed}", v[0]);
        assert!(((q[0] - 0.03) / way - 1.0).abs() < 0.02, "{dt} s: {} m, not {way}", q[0]);
        assert!((q[2] - 0.05).abs() < 1e-4, "{dt} s: at {} m", q[2]);
    }
}

#[test]
fn analytic_a_head_on_impact_has_no_false_lever() {
    // The gap of 1 m closes within the step: friction at its middle would turn the balls.
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>
                <body pos='-.5 0 0'><freejoint/><geom size='.01' mass='1'/></body>
                <body pos='.5 0 0'><freejoint/><geom size='.01' mass='1'/></body></worldbody></mujoco>";
    let (q, v) = run(text, &[100.0, 0.0, 0.0], &Method::comfree().with_step(2e-2), 4e-2);
    // Both move on together.
    assert!((v[0] - 50.0).abs() < 0.6 && (v[6] - 50.0).abs() < 0.6, "{v:?}");
    assert!(q[7] - q[0] > 0.0199, "{q:?}");
    assert!(v[3..6].iter().chain(&v[9..12]).all(|w| w.abs() < 1e-6), "{v:?}");
}

#[test]
fn analytic_what_is_tied_to_a_driven_tree_stops_before_a_wall() {
    let text = "<mujoco><option gravity='0 0 0'/><worldbody>
                <geom type='box' size='.002 .5 .5' pos='.1 0 0'/>
                <body pos='0 2 0'><joint name='a' type='slide' axis='1 0 0'/><geom size='.02' mass='.1'/></body>
                <body><joint name='b' type='slide' axis='1 0 0'/><geom size='.02' mass='.1'/></body></worldbody>
                <equality><joint joint1='b' joint2='a' polycoef='0 1 0 0 0'/></equality>
                <actuator><motor joint='a'/></actuator><keyframe><key ctrl='150'/></keyframe></mujoco>";
    let scene = Scene::from_mjcf(text, "tied.xml", &LoadOptions::default()).unwrap();
    for dt in [2e-3, 1e-2, 2e-2] {
        let engine = Method::comfree().with_step(dt);
        let mut sys = engine.system(&scene).unwrap();
        let mut x = sys.initial_state(scene.keyframes.first()).unwrap();
        engine.integrator().unwrap().advance(&mut sys, &mut x, 20.0 * dt, &mut NoObserver).unwrap();
        assert!((0.075..0.0785).contains(&x.q[1]), "{dt} s: {:?}", x.q);
    }
}
