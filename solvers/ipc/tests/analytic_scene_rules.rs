//! Geoms of a file that collide, and their friction: as its rules say, geom by geom.

use signorini_core::{OneStep, State, Tolerance};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineScene, IpcOptions, IpcSolver};
use signorini_scene::{CombinationRule, LoadOptions, Scene};

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "scene.xml", &LoadOptions::default()).unwrap()
}

/// Runs with velocities `v` of the joints, and hands out the positions of the joints at the end; nothing may cross.
fn end(scene: &Scene, v: &[f64], dt: f64, steps: u32) -> Vec<f64> {
    let mut s = AffineScene::new(scene, IpcOptions::default()).unwrap();
    assert!(s.left_out.is_empty(), "{:?}", s.left_out);
    let tolerance = Tolerance { relative: 1e-5, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (s.state_with(v).unwrap(), State::default());
    for _ in 0..steps {
        step.step(&mut s.system, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
    }
    let seen = s.system.observed();
    assert!(seen.smallest_distance > 0.0 && seen.crossing.is_none(), "{seen:?}");
    s.joint_coordinates(&x, &vec![0.0; scene.nq()]).unwrap().0
}

#[test]
fn analytic_what_hangs_on_the_world_rests_on_it() {
    for hold in ["<joint axis='0 1 0' damping='0.5'/>", "<joint type='slide' axis='0 0 1'/>"] {
        let text = format!(
            "<mujoco><worldbody><geom type='box' size='2 2 0.1' pos='0 0 -.1'/><body pos='0 0 0.3'>{hold}\
             <geom type='box' size='.2 .02 .02' pos='.25 0 0' mass='1'/></body></worldbody></mujoco>"
        );
        let q = end(&scene(&text), &[0.0], 2e-3, 750)[0];
        // The lower corner, or the lower face, is at the floor, within the range of the barrier.
        let corner =
            if hold.contains("slide") { 0.3 + q - 0.02 } else { 0.3 - 0.45 * q.sin() - 0.02 * q.cos() };
        assert!(corner > 0.0 && corner < 1e-3, "{hold}: {corner}");
    }
    // A point that an equality holds takes nothing from the other contacts.
    let text = "<mujoco><worldbody><geom type='box' size='2 2 0.1' pos='0 0 -.1'/>\
        <body name='rod' pos='0 0 0.3'><freejoint/><geom type='box' size='.2 .02 .02' pos='.25 0 0' mass='1'/></body></worldbody>\
        <equality><connect body1='rod' anchor='0 0 0'/></equality></mujoco>";
    let mut s = AffineScene::new(&scene(text), IpcOptions::default()).unwrap();
    let mut step = ContactStep::new(IpcSolver::default())
        .with_tolerance(Tolerance { relative: 1e-5, max_iterations: 300 });
    let (mut x, mut next, mut least) = (s.system.initial_state(), State::default(), f64::INFINITY);
    for _ in 0..400 {
        step.step(&mut s.system, &x, 2e-3, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        least = least.min(s.system.smallest_distance(&x).map_or(f64::INFINITY, |d| d.0));
    }
    assert!(least > 0.0 && least < 1e-3, "it came down on the floor: {least}");
}

#[test]
fn analytic_masks_and_pairs_hold_geom_by_geom() {
    let cube = |masks: &str, more: &str, rest: &str| {
        format!(
            "<mujoco><worldbody><geom name='floor' type='plane' size='2 2 .1' {masks}/>{more}<body pos='0 0 0.8'><freejoint/>\
             <geom name='cube' type='box' size='.1 .1 .1' mass='1' {masks}/></body></worldbody>{rest}</mujoco>"
        )
    };
    let none = "contype='0' conaffinity='0'";
    let shelf = "<geom type='box' size='1 1 .05' pos='0 0 .5' contype='2' conaffinity='2'/>";
    let texts = [
        cube(none, "", "<contact><pair geom1='floor' geom2='cube'/></contact>"),
        cube("contype='1' conaffinity='1'", shelf, ""),
    ];
    for text in texts {
        let z = end(&scene(&text), &[0.0; 6], 4e-3, 250)[2];
        assert!(z > 0.1 && z < 0.101, "{z}");
    }
    let z = end(&scene(&cube("", shelf, "")), &[0.0; 6], 4e-3, 250)[2];
    assert!(z > 0.1 && z < 0.101, "masks of one and of two do not meet: {z}");
    let met = shelf.replace("contype='2' conaffinity='2'", "");
    let z = end(&scene(&cube("", &met, "")), &[0.0; 6], 4e-3, 250)[2];
    assert!(z > 0.65 && z < 0.651, "{z}");
    // Far out a half-space is still there.
    let far = cube("", "", "").replace("pos='0 0 0.8'", "pos='150 -300 0.2'");
    let z = end(&scene(&far), &[0.0; 6], 4e-3, 150)[2];
    assert!(z > 0.1 && z < 0.101, "{z}");
}

#[test]
fn analytic_friction_is_that_of_the_two_geoms() {
    let slide = |floor: &str, cube: &str, more: &str| {
        scene(&format!(
            "<mujoco><worldbody><geom name='floor' type='box' size='5 5 0.1' pos='0 0 -0.1' {floor}/>\
             <geom name='wall' type='box' size='0.1 0.1 0.1' pos='0 3 0.2' friction='1'/>\
             <body pos='0 0 0.1009'><freejoint/><geom name='cube' type='box' size='0.1 0.1 0.02' pos='0 0 -.08' mass='1' {cube}/></body>\
             </worldbody>{more}</mujoco>"
        ))
    };
    let pair = "<contact><pair geom1='floor' geom2='cube' friction='0.2 0.2'/></contact>";
    let series = |s: Scene| {
        let mut s = s;
        s.options.combination = CombinationRule::Series;
        s
    };
    for (scene, friction) in [
        (slide("friction='0.1'", "friction='0.1'", ""), 0.1),
        (slide("friction='0.1'", "friction='0.3'", ""), 0.3),
        (slide("friction='0.1' priority='1'", "friction='0.8'", ""), 0.1),
        (slide("friction='0.9'", "friction='0.8'", pair), 0.2),
        (slide("condim='1'", "condim='1'", ""), 0.0),
        (series(slide("friction='0.1'", "friction='0.9'", "")), 0.18),
    ] {
        let (v, dt, n) = (0.4, 2e-3, 100u32);
        let x = end(&scene, &[v, 0.0, 0.0, 0.0, 0.0, 0.0], dt, n)[0];
        let t = f64::from(n) * dt;
        let stop = if friction > 0.0 { (v / (friction * 9.81)).min(t) } else { t };
        let expected = v * stop - 0.5 * friction * 9.81 * stop * stop;
        // A step's worth of way, and the first contact that is met later.
        assert!((x - expected).abs() < 2.5 * v * dt + 0.01 * expected, "μ {friction}: {x} {expected}");
    }
}
