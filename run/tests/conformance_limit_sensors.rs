//! Sensors of the forces of limits and of contacts read what holds bodies at rest.

use signorini_core::{AcceptedStep, NoObserver, OneStep, State, StepReport};
use signorini_multibody::Sensors;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

/// Readings at the end of a run, each with its name.
fn readings(text: &str, method: &Method, time: f64) -> Vec<(String, Vec<f64>)> {
    let scene = Scene::from_mjcf(text, "limits.xml", &LoadOptions::default()).unwrap();
    let mut sys = method.system(&scene).unwrap();
    let mut x0 = sys.initial_state(scene.keyframes.first()).unwrap();
    method.integrator().unwrap().advance(&mut sys, &mut x0, time, &mut NoObserver).unwrap();
    let (mut scheme, mut x1, mut report) = (method.single_step(), State::default(), StepReport::default());
    // Steps of one length, until the compliance of that length holds.
    for k in 0..500 {
        report = scheme.step(&mut sys, &x0, 1e-3, false, &mut x1).unwrap();
        if k < 499 {
            std::mem::swap(&mut x0, &mut x1);
        }
    }
    let (first, last) = (scheme.first_solve(), scheme.last_solve());
    let step =
        AcceptedStep { x0: &x0, x1: &x1, report: &report, rejected: 0, first, last, system: Some(&sys) };
    let mut sensors = Sensors::new(sys.model());
    sensors.read(sys.model(), sys.held(), sys.contact_dim(), &x1, &step);
    let all = &sys.model().sensors;
    all.iter().map(|s| (s.name.clone(), sensors.values()[s.start..s.start + s.kind.dim()].to_vec())).collect()
}

/// The weight of what rests on a limit, which MuJoCo 4.0 reads as 19.62, 9.81, 11.772 and 0 once all is still.
#[test]
fn conformance_limits_carry_what_rests_on_them() {
    let text = "<mujoco><option gravity='0 0 -9.81'/><worldbody>
        <body><joint name='slide' type='slide' axis='0 0 1' range='-.1 .1' damping='50'/><geom size='.1' mass='2'/></body>
        <body pos='1 0 0'><joint name='upper' type='slide' axis='0 0 -1' range='-.2 .1' damping='50'/><geom size='.1' mass='1'/></body>
        <body pos='2 0 0'><joint name='hangs' type='slide' axis='0 0 1' damping='50'/><geom size='.1' mass='2'/></body>
        <body pos='3 0 0'><joint name='ball' type='ball' range='0 30' damping='5'/><geom size='.1' pos='.6 0 0' mass='2'/></body></worldbody>
        <tendon><fixed name='t' range='-.05 .2'><joint joint='hangs' coef='2'/></fixed></tendon>
        <sensor><jointlimitfrc name='slide' joint='slide'/><jointlimitfrc name='upper' joint='upper'/><tendonlimitfrc name='tendon' tendon='t'/>
        <jointlimitfrc name='free' joint='hangs'/><jointlimitfrc name='ball' joint='ball'/><jointlimitfrc name='cut' joint='slide' cutoff='3'/></sensor></mujoco>";
    for method in [Method::icf().with_step(2e-3), Method::comfree().with_step(2e-3), Method::cenic(1e-3)] {
        // The arm at its limit: the lever of its weight is 0.6 cos 30°.
        let arm = 2.0 * 9.81 * 0.6 * 30f64.to_radians().cos();
        let expected =
            [("slide", 19.62), ("upper", 9.81), ("tendon", 9.81), ("free", 0.0), ("ball", arm), ("cut", 3.0)];
        for ((name, value), (expected_name, expected)) in readings(text, &method, 4.0).iter().zip(expected) {
            assert_eq!(name, expected_name);
            // What is left of the settling.
            assert!(
                (value[0] - expected).abs() < 1e-3 * (1.0 + expected),
                "{name}: {value:?}, not {expected}"
            );
        }
    }
}

/// A box and a ball on a floor: all contacts of the floor together carry the weight, and each body its own.
#[test]
fn conformance_contacts_carry_what_rests_on_them() {
    let text = "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom name='floor' type='plane' size='5 5 .1'/>
        <body name='b' pos='0 0 .1'><freejoint/><geom name='g' type='box' size='.2 .1 .1' mass='3'/></body>
        <body name='c' pos='1 0 .1'><freejoint/><geom name='h' size='.1' mass='1'/></body></worldbody>
        <sensor><contact name='all' data='found force pos' reduce='netforce' geom1='floor'/><contact name='box' data='found force torque' body2='b' reduce='netforce'/>
        <contact name='ball' data='found force dist pos normal' geom1='h' num='2'/><contact name='between' subtree1='b' subtree2='c'/>
        <contact name='most' data='force' num='6' geom2='g'/></sensor></mujoco>";
    for method in [Method::icf().with_step(2e-3), Method::cenic(1e-3)] {
        let r = readings(text, &method, 1.0);
        let [all, one, ball, between, most] = [0, 1, 2, 3, 4].map(|i| &r[i].1);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-3 * (1.0 + b.abs());
        let weight = 4.0 * 9.81;
        assert!(all[0] == 5.0 && close(all[3], weight), "{all:?}");
        // The mean of the points by force: a quarter of the weight is 1 m away.
        assert!(close(all[4], 0.25) && close(all[5], 0.0) && all[6].abs() < 1e-3, "{all:?}");
        assert!(
            one[0] == 4.0 && close(one[3], 3.0 * 9.81) && one[4..].iter().all(|t| t.abs() < 1e-2),
            "{one:?}"
        );
        // From the ball into the floor: the normal points down, the force presses.
        assert!(ball[0] == 1.0 && close(ball[1], 9.81) && ball[4] < 1e-9 && close(ball[5], 1.0), "{ball:?}");
        assert!(close(ball[10], -1.0) && ball[11..].iter().all(|x| *x == 0.0), "{ball:?}");
        assert_eq!(between, &[0.0]);
        let normal: f64 = most.chunks(3).map(|f| f[0]).sum();
        assert!(close(normal, 3.0 * 9.81) && most[12..].iter().all(|x| *x == 0.0), "{most:?}");
    }
}
