//! Entries of a scene file do as they say: spins, pins that let go, loss factors, keyframes, starts that overlap between particles.

use std::path::Path;

use signorini_core::na::Vector3;
use signorini_coupling::{PointScene, SceneFile};
use signorini_multibody::Sensors;
use signorini_scene::{LoadOptions, Scene};

type V = Vector3<f64>;

/// A model of geoms in the world alone, beside a scene file.
fn made(world: &str, text: &str) -> Result<PointScene, String> {
    let xml = format!("<mujoco><worldbody>{world}</worldbody></mujoco>");
    let scene = Scene::from_mjcf(&xml, "world.xml", &LoadOptions::default()).unwrap();
    let file = SceneFile::parse(&format!("model = 'world.xml'\n{text}"), Path::new("scene.toml"));
    PointScene::new(file.map_err(|e| e.to_string())?, &scene).map_err(|e| e.to_string())
}

fn to_end(s: &mut PointScene) -> u32 {
    let (end, mut steps) = (s.file().time, 0);
    while s.state.t < end {
        s.step(end).unwrap();
        steps += 1;
    }
    steps
}

/// Mass, momentum and angular momentum about the origin.
fn momenta(s: &mut PointScene) -> (f64, V, V) {
    let h = s.both().points().engine().options().spacing;
    let p = s.both_mut().points_mut().engine_mut().particles();
    let linear = (0..p.len()).map(|i| p.mass[i] * p.v[i]).sum();
    // Each has that of its affine velocity, of the moment m h²/4.
    let own = |i: usize| {
        let c = 0.25 * h * h * p.mass[i] * (p.c[i] - p.c[i].transpose());
        V::new(c[(2, 1)], c[(0, 2)], c[(1, 0)])
    };
    let angular = (0..p.len()).map(|i| p.mass[i] * p.x[i].cross(&p.v[i]) + own(i)).sum();
    (p.mass.iter().sum(), linear, angular)
}

const CUBE: &str =
    "[[points]]\nname = 'cube'\nshape = 'box'\nsize = [0.1, 0.1, 0.1]\nyoung = 1e6\ndensity = 1000\n";

#[test]
fn analytic_a_body_starts_with_its_spin_and_keeps_it() {
    let text = format!(
        "time = 0.1\nspacing = 0.02\n{CUBE}position = [0.3, 0, 1]\nvelocity = [1, 0, 0]\nangular_velocity = [0, 0, 5]"
    );
    let mut s = made("<geom name='floor' type='plane' size='1 1 .1'/>", &text).unwrap();
    let (mass, linear, angular) = momenta(&mut s);
    // m ω (L²/6) about its middle; of particles a apart that are less by (a/L)², with the h²/2 that each has itself.
    let about = |s: &mut PointScene| {
        let (mass, p, l) = momenta(s);
        let x = s.both_mut().points_mut().engine_mut().particles().clone();
        let middle: V = x.mass.iter().zip(&x.x).map(|(m, x)| *m * x).sum::<V>() / mass;
        (l - middle.cross(&p)).z
    };
    let expected = mass * 5.0 * (0.01 / 6.0 * (1.0 - 0.01) + 0.5 * 0.02f64.powi(2));
    let spin = about(&mut s);
    assert!((linear - mass * V::x()).norm() < 1e-6 && angular.norm() > 0.0);
    assert!((spin / expected - 1.0).abs() < 1e-4, "{spin} {expected}");
    let steps = to_end(&mut s);
    // The last step ends where the run does, without one of round-off behind it.
    assert!(steps == 50 && s.state.t == 0.1, "{steps} {}", s.state.t);
    let later = about(&mut s);
    assert!((later / spin - 1.0).abs() < 1e-4, "{spin} {later}");
}

#[test]
fn analytic_pins_let_go_in_time() {
    let pins = "[[pins]]\nof = 'cube'\nto = 'world'\ncenter = [0, 0, 1.05]\nradius = 0.5\nuntil = 0.1\n";
    let text = format!("time = 0.3\nspacing = 0.02\n{CUBE}position = [0, 0, 1]\n{pins}");
    let mut s = made("<geom name='floor' type='plane' size='1 1 .1'/>", &text).unwrap();
    let height = |s: &mut PointScene| {
        let x = &s.both_mut().points_mut().engine_mut().particles().x;
        x.iter().map(|x| x.z).sum::<f64>() / x.len() as f64
    };
    let (start, end) = (height(&mut s), s.file().time);
    while s.state.t < 0.1 - 1e-9 {
        s.step(end).unwrap();
    }
    let held = height(&mut s);
    to_end(&mut s);
    let fallen = held - height(&mut s);
    // Steps of the fall are explicit in its speed: half a substep of it.
    let expected = 0.5 * 9.81 * 0.2f64.powi(2);
    assert!(
        (start - held).abs() < 1e-3 && (fallen / expected - 1.0).abs() < 0.02,
        "{start} {held} {fallen} {expected}"
    );
}

/// A block that stands on a wall that holds it and is pushed aside swings as a bar of shear, whose energy falls by e^(−2π tan δ) in a cycle.
#[test]
fn analytic_a_loss_factor_takes_its_energy() {
    let energy = |loss: &str| {
        let wall = "[[walls]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nborder = 'sticky'\n";
        let block = CUBE.replace("0.1, 0.1, 0.1", "0.4, 0.4, 0.1").replace("1e6", "1e5");
        let text = format!(
            "time = 0.2\nspacing = 0.02\ntransfer_time = 0.05\n{block}position = [0, 0, 0.05]\nvelocity = [0.2, 0, 0]\n{loss}\n{wall}"
        );
        let xml = "<mujoco><option gravity='0 0 0'/><worldbody/></mujoco>";
        let scene = Scene::from_mjcf(xml, "world.xml", &LoadOptions::default()).unwrap();
        let file =
            SceneFile::parse(&format!("model = 'world.xml'\n{text}"), Path::new("scene.toml")).unwrap();
        let mut s = PointScene::new(file, &scene).unwrap();
        to_end(&mut s);
        let e = s.energy(&Sensors::new(s.both().rigid().model()));
        e.kinetic + e.potential
    };
    // c = √(μ/ρ), f = c/4H: 15.5 Hz, 3.1 cycles.
    let frequency = (1e5 / 2.6 / 1000.0f64).sqrt() / 0.4;
    let factor = 0.1;
    let (free, lost) = (energy(""), energy(&format!("loss_factor = {factor}\nloss_frequency = {frequency}")));
    let (found, expected) = ((free / lost).ln(), std::f64::consts::TAU * factor * 0.2 * frequency);
    println!("{free} J, {lost} J: {found} beside {expected}");
    assert!((found / expected - 1.0).abs() < 0.3, "{found} {expected}");
}

/// Contact that the file leaves open is as stiff as its depth asks for, at rest and where a body lands.
#[test]
fn analytic_bodies_land_as_deep_as_is_wanted() {
    let floor = "<geom name='floor' type='plane' size='1 1 .1'/>";
    for (young, height, speed, depth) in [
        (1e4, 0.01, 0.0, 5e-4),
        (1e4, 0.01, 0.0, 2e-3),
        (1e5, 0.05, 0.0, 1e-3),
        (1e6, 0.01, 5.0, 1e-3),
        (1e5, 0.001, 0.0, 5e-4),
    ] {
        let cube = CUBE.replace("1e6", &young.to_string());
        let text = format!(
            "time = 0.25\nstep = 1e-3\nspacing = 0.02\ncontact.depth = {depth}\n{cube}position = [0, 0, {}]\nvelocity = [0, 0, {}]",
            0.05 + height,
            -speed
        );
        let mut s = made(floor, &text).unwrap();
        assert_eq!(s.wanted_depth(), Some(depth));
        let mut deepest = 0.0f64;
        while s.state.t < s.file().time {
            let end = s.file().time;
            deepest = deepest.max(s.step(end).unwrap().deepest[0]);
        }
        println!("{young:e} Pa, {height} m, {speed} m/s: {deepest:e} m of {depth:e} m");
        assert!(deepest > 0.02 * depth && deepest < 1.5 * depth, "{deepest} {depth}");
    }
}

#[test]
fn regression_starts_that_overlap_between_particles() {
    let rod = "<geom name='rod' type='capsule' size='.002' fromto='0 .005 -1 0 .005 1'/>";
    let sheet = "[[cloth]]\nname = 'sheet'\nsize = [0.2, 0.2]\nedge = 0.05\nyoung = 1e5\ndensity = 500\nthickness = 1e-3\n";
    let other = sheet.replace("'sheet'", "'other'");
    for (world, text, words) in [
        (rod, format!("spacing = 0.02\n{CUBE}"), "'cube' starts"),
        (rod, sheet.to_owned(), "mm inside geom 'rod'"),
        (
            "",
            format!("{sheet}{other}rotation = [90, 0, 0]\nposition = [0.01, 0.01, 0.03]"),
            "'other' crosses 'sheet'",
        ),
        ("", format!("{sheet}{other}"), "'other' crosses 'sheet'"),
        (
            "",
            format!("{sheet}{other}position = [0.013, 0.007, 4e-4]"),
            "'other' is 0.400 mm from 'sheet', nearer than the 1.000 mm of their thickness",
        ),
        ("", format!("transfer_time = 0.0\n{CUBE}"), "leave it out for affine transfers alone"),
        ("", format!("{CUBE}{sheet}position = [0, 0, 0.045]"), "inside 'cube'"),
    ] {
        let Err(e) = made(world, &text) else { panic!("{text} was taken") };
        assert!(e.contains(words), "{e}");
    }
    // Apart they are taken, sheets beside each other too.
    made("", &format!("{sheet}{other}position = [0, 0, 0.1]")).unwrap();
    let apart = made(rod, &format!("spacing = 0.02\n{CUBE}position = [0.2, 0, 0]")).unwrap();
    // The rod is narrower than two distances of particles.
    assert!(
        apart.warnings().iter().any(|w| w.contains("'rod'") && w.contains("spacing = 4.00e-3")),
        "{:?}",
        apart.warnings()
    );
    let wide = made(
        "<geom name='ball' type='sphere' size='.05'/>",
        &format!("spacing = 0.02\n{CUBE}position = [0.2, 0, 0]"),
    )
    .unwrap();
    assert!(wide.warnings().is_empty(), "{:?}", wide.warnings());
}

#[test]
fn conformance_a_keyframe_of_joints_leads_their_servos() {
    let world = "<body><joint name='hinge' axis='0 1 0' range='-90 90'/><geom name='bar' type='capsule' size='.02' fromto='0 0 0 .3 0 0'/>\
        <body pos='.3 0 0'><joint name='free' axis='0 1 0'/><geom name='end' type='sphere' size='.03'/></body></body>";
    let xml = format!(
        "<mujoco><worldbody>{world}</worldbody><actuator><position name='servo' joint='hinge' kp='10' gear='2'/><motor name='free' joint='free'/></actuator></mujoco>"
    );
    let scene = Scene::from_mjcf(&xml, "arm.xml", &LoadOptions::default()).unwrap();
    let read = |keyframe: &str| {
        let text = format!(
            "model = 'arm.xml'\nkeyframe = 'up'\nmotion = [[0.0, 'up']]\n{CUBE}position = [0, 0, 2]\n[keyframes]\nup = {{ {keyframe} }}"
        );
        let file = SceneFile::parse(&text, Path::new("scene.toml")).unwrap();
        PointScene::new(file, &scene).map_err(|e| e.to_string())
    };
    let mut s = read("hinge = 0.5").unwrap();
    s.step(1.0).unwrap();
    // Servos see the length of their transmission.
    assert_eq!(s.both().rigid().control(), [1.0, 0.0]);
    let mut s = read("hinge = 0.5, servo = 0.2").unwrap();
    s.step(1.0).unwrap();
    assert_eq!(s.both().rigid().control(), [0.2, 0.0]);
    let Err(e) = read("free = 0.5") else { panic!("a joint and a motor of one name") };
    assert!(e.contains("no servo of its position"), "{e}");
}
