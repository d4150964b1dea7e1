//! Bodies move by the softness of their file as in MuJoCo 4.0.0, in steps of 0.1 ms there.

use signorini_core::NoObserver;
use signorini_run::{Law, Method};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

const LAWS: [Law; 4] = [Law::Lagged, Law::Similar, Law::Sap, Law::Frictionless];

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "soft.xml", &LoadOptions::default()).unwrap()
}

/// First coordinate of interest over time: the values at `times` \[s\], and (lowest, highest) of each stretch between them.
fn coordinate(text: &str, method: &Method, index: usize, times: &[f64]) -> Vec<(f64, f64, f64)> {
    let mut sys = method.system(&scene(text)).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    let mut integrator = method.integrator().unwrap();
    let mut out = Vec::new();
    for t in times {
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        while x.t < *t - 1e-12 {
            let next = (x.t + 2e-3).min(*t);
            integrator.advance(&mut sys, &mut x, next, &mut NoObserver).unwrap();
            (low, high) = (low.min(x.q[index]), high.max(x.q[index]));
        }
        out.push((x.q[index], low, high));
    }
    out
}

/// `cases/daily/18_bounce.xml` and three other solref: a ball of 0.5 kg falls 1 m.
#[test]
fn analytic_a_ball_bounces_as_its_file_says() {
    let Some(path) = data::case("daily/18_bounce.xml") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    for (solref, rebound) in
        [("-100000 0", 1.0), ("-100000 -50", 0.620), ("-100000 -200", 0.183), ("0.02 1", 0.0)]
    {
        let text = text.replace("-100000 0", solref);
        for law in LAWS {
            let method = Method::cenic(1e-7).with_law(law.clone()).unwrap();
            // It touches at 0.45 s.
            let heights = coordinate(&text, &method, 2, &[0.52, 1.0]);
            let found = heights[1].2 - 0.05;
            // Discretisation of the impact at this accuracy, and its sampling each 2 ms.
            assert!((found - rebound).abs() < 0.03, "{solref} {law:?}: {found} m, not {rebound} m");
        }
    }
}

/// The rest depth under a weight: I² K r/(1 − I) = g, I at r.
#[test]
fn analytic_a_ball_rests_as_deep_as_its_file_says() {
    let text = "<mujoco><worldbody><geom type='plane' size='5 5 .1' solref='0.02 1'/>
        <body pos='0 0 .05'><freejoint/><geom type='sphere' size='.05' mass='.5' solref='0.02 1'/></body></worldbody></mujoco>";
    for law in LAWS {
        for method in [Method::cenic(1e-4), Method::icf().with_step(2e-3)] {
            let depth = 0.05 - coordinate(text, &method.with_law(law.clone()).unwrap(), 2, &[1.0])[0].0;
            assert!((depth / 0.3672e-3 - 1.0).abs() < 0.01, "{law:?}: {depth}");
        }
    }
}

/// A rod of 1 kg falls onto the limit of its hinge.
#[test]
fn analytic_a_limit_gives_way_as_its_file_says() {
    for (solref, solimp, highest, at_two) in [
        ("0.02 1", "0.9 0.95 0.001", 1.0509, 1.0006),
        ("-300 -3", "0.9 0.95 0.001", 1.3536, 1.1016),
        ("-300 -3", "0.5 0.5 0.001", 1.3674, 1.1194),
    ] {
        let text = format!(
            "<mujoco><worldbody><body><joint type='hinge' axis='0 1 0' range='-10 57.3' limited='true' solreflimit='{solref}' solimplimit='{solimp}'/>
             <geom type='capsule' fromto='0 0 0 .5 0 0' size='.02' mass='1'/></body></worldbody></mujoco>"
        );
        let found = coordinate(&text, &Method::cenic(1e-8), 0, &[2.0])[0];
        assert!((found.2 - highest).abs() < 2e-3, "{solref}: {found:?}, not {highest} at most");
        assert!((found.0 - at_two).abs() < 3e-3, "{solref}: {found:?}, not {at_two} in the end");
    }
}

/// A body of 2 kg hangs from the world by a weld; joints are solved with contacts (icf) or before them (comfree).
#[test]
fn analytic_a_weld_gives_way_as_its_file_says() {
    for (solref, solimp, at) in [
        ("-100 0", "0.9 0.95 0.001", [-3.404e-3, -9.957e-3]),
        ("-100 -2", "0.9 0.95 0.001", [-3.185e-3, -8.622e-3]),
        ("0.1 1", "0.9 0.95 0.001", [-1.941e-3, -3.912e-3]),
        ("-100 -2", "0.5 0.5 0.001", [-21.16e-3, -77.04e-3]),
    ] {
        let text = format!(
            "<mujoco><worldbody><body name='b'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body></worldbody>
             <equality><weld body1='b' solref='{solref}' solimp='{solimp}'/></equality></mujoco>"
        );
        for method in [Method::cenic(1e-7), Method::comfree().with_step(1e-4)] {
            let found = coordinate(&text, &method, 2, &[0.1, 0.25]);
            for (f, x) in found.iter().zip(at) {
                assert!(
                    (f.0 / x - 1.0).abs() < 0.02,
                    "{solref} {solimp} {}: {found:?} {at:?}",
                    method.describe()
                );
            }
        }
    }
}
