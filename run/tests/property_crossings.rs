//! A body that is pushed through a wall within a step is stopped under error control, and told of in equal steps.

use proptest::prelude::*;
use signorini_run::{Method, run};
use signorini_scene::{LoadOptions, Scene};

/// A heavy ball, a light one before a thin wall at x = 0: half the thickness of the wall, radii, gap of the light ball to the wall, shift aside \[m\].
fn scene([wall, heavy, light, gap, aside]: [f64; 5]) -> Scene {
    let at = -wall - light - gap;
    let text = format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><geom name='wall' type='box' size='{wall} 2 2'/>
         <body name='light' pos='{at} 0 0'><freejoint/><geom name='l' type='sphere' size='{light}' density='500'/></body>
         <body name='heavy' pos='{} {aside} 0'><freejoint/><geom name='h' type='sphere' size='{heavy}' density='8000'/></body></worldbody></mujoco>",
        at - light - heavy - 0.05
    );
    Scene::from_mjcf(&text, "wall.xml", &LoadOptions::default()).unwrap()
}

/// Whether the light ball is beyond the wall after the heavy one hit it at `speed` \[m/s\], and the warnings of it.
fn thrown(scene: &Scene, method: &Method, speed: f64) -> (bool, Vec<String>) {
    let mut x = method.system(scene).unwrap().initial_state(None).unwrap();
    x.v[6] = speed;
    let (recording, _) = run(scene, method, &mut x, 0.06 + 0.5 / speed).unwrap();
    let told = recording.header.warnings.iter().filter(|w| w.starts_with("crossing"));
    (x.q[0] > 0.0, told.cloned().collect())
}

fn method() -> impl Strategy<Value = Method> {
    let step = (-3.5f64..-1.7).prop_map(|e| 10f64.powf(e));
    let accuracy = (-4.0f64..-1.0).prop_map(|e| 10f64.powf(e));
    (0usize..5, step, accuracy).prop_map(|(kind, dt, accuracy)| match kind {
        0 => Method::icf().with_step(dt),
        1 => Method::comfree().with_step(dt),
        2 => Method::reference().with_step(dt),
        _ => Method::cenic(accuracy),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Under error control nothing is beyond the wall; in equal steps it is told with names.
    #[test]
    fn property_nothing_crosses_a_wall_unseen(
        method in method(),
        shape in [0.002f64..0.02, 0.04f64..0.08, 0.02f64..0.05, 0.01f64..0.05, -0.02f64..0.02],
        speed in 2.0f64..20.0,
    ) {
        let (crossed, told) = thrown(&scene(shape), &method, speed);
        let controlled = method.dt().is_none();
        prop_assert!(!crossed || !told.is_empty() && !controlled, "{}: {told:?}", method.describe());
        prop_assert!(told.is_empty() || told[0].contains("'light'") && told[0].contains("'wall'"), "{told:?}");
    }
}

/// A light ball that a step of 20 ms takes through the wall: told with its name, and stopped by error control.
#[test]
fn regression_a_crossing_is_told() {
    let scene = scene([0.005, 0.06, 0.03, 0.03, 0.0]);
    let (crossed, told) = thrown(&scene, &Method::icf().with_step(2e-2), 15.0);
    assert!(crossed && told.len() == 1, "{told:?}");
    assert!(["'l'", "'wall'", "shorter"].iter().all(|w| told[0].contains(w)), "{told:?}");
    assert!(!thrown(&scene, &Method::cenic(1e-1), 15.0).0);
}
