//! A parameter that a file states changes the motion, or is told of by name, under every method.

use signorini_laws::MassScale;
use signorini_run::affine::{RunWatch, run_affine};
use signorini_run::{Law, Method, run, unread};
use signorini_scene::{LoadOptions, Medium, Scene};

const H: f64 = 2e-3;

/// A body that slides on a floor, a pendulum beyond its limit with dry friction, and a body on a weld that sags.
fn model(surface: &str, joint: &str, weld: &str, custom: &str) -> Scene {
    let text = format!(
        "<mujoco><custom>{custom}</custom><worldbody><geom name='floor' type='plane' size='9 9 1' {surface}/>
         <body name='box' pos='0 0 .055'><freejoint/><geom name='skin' type='box' size='.05 .05 .05' mass='1' {surface}/></body>
         <body name='rod' pos='2 0 1'><joint name='hinge' axis='0 1 0' range='-30 10' limited='true' frictionloss='.2' {joint}/>
         <geom type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1' contype='0' conaffinity='0'/></body>
         <body name='load' pos='4 0 1'><freejoint/><geom type='box' size='.05 .05 .05' mass='1' contype='0' conaffinity='0'/></body></worldbody>
         <equality><weld name='hold' body1='load' {weld}/></equality></mujoco>"
    );
    Scene::from_mjcf(&text, "unread.xml", &LoadOptions::default()).unwrap()
}

fn motion(scene: &Scene, method: &Method) -> Vec<f64> {
    let recording = match method.is_affine() {
        true => run_affine(scene, method, None, 0.1, RunWatch::default()).unwrap().recording,
        false => {
            let mut x = method.system(scene).unwrap().initial_state(None).unwrap();
            run(scene, method, &mut x, 0.1).unwrap_or_else(|e| panic!("{}: {e}", method.describe())).0
        }
    };
    recording.q
}

#[test]
fn property_what_is_stated_is_read_or_told() {
    let icf = |law: Law| Method::icf().with_law(law).unwrap().with_step(H);
    let methods = [
        icf(Law::Lagged),
        icf(Law::Similar),
        icf(Law::Sap),
        icf(Law::Frictionless),
        icf(Law::DualCone(Default::default())),
        Method::cenic(1e-3),
        Method::comfree().with_step(H),
        Method::comfree_paper(0.2, 0.001, MassScale::Trace).with_step(H),
        Method::ipc().with_step(5e-3),
    ];
    let si = |key: &str| {
        format!(
            "<text name='signorini:geom:skin' data='{key}'/><text name='signorini:geom:floor' data='{key}'/>"
        )
    };
    let mut thick = model("", "", "", "");
    let place = thick.geoms[0].place.clone();
    thick.options.medium = Medium { density: 100.0, viscosity: 1.0, place, ..Medium::default() };
    let stated: [(&str, Scene); 10] = [
        ("solref", model("solref='.05 .5'", "", "", "")),
        ("solimp", model("solimp='.5 .6 .01'", "", "", "")),
        ("solreflimit", model("", "solreflimit='.05 .5'", "", "")),
        ("solimplimit", model("", "solimplimit='.5 .6 .01'", "", "")),
        ("solreffriction", model("", "solreffriction='.05 .5'", "", "")),
        ("solref", model("", "", "solref='.05 .5'", "")),
        ("solimp", model("", "", "solimp='.5 .6 .01'", "")),
        ("stiffness", model("", "", "", &si("stiffness=1e4"))),
        ("dissipation", model("", "", "", &si("dissipation=1"))),
        ("medium", thick),
    ];
    let plain = model("", "", "", "");
    let (mut read, mut told, mut wrong) = (0, 0, Vec::new());
    for method in &methods {
        assert!(unread(&plain, method).is_empty(), "{:?}", unread(&plain, method));
        let before = motion(&plain, method);
        for (what, scene) in &stated {
            let after = motion(scene, method);
            // More than round-off.
            let moves =
                after.len() != before.len() || after.iter().zip(&before).any(|(a, b)| (a - b).abs() > 1e-9);
            let lines = unread(scene, method);
            let named = lines
                .iter()
                .any(|l| l.starts_with("not read: ") && l.contains(what) && l.contains("unread.xml:"));
            if moves == named {
                wrong.push(format!("{} {what}: moves {moves}, {lines:?}", method.describe()));
            }
            read += usize::from(moves);
            told += usize::from(named);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(read > 20 && told > 20, "{read} {told}");
}

#[test]
fn property_areas_are_read_or_told_or_refused() {
    let area = "compliant_hydroelastic hydroelastic_modulus=1e5";
    let custom = format!(
        "<text name='signorini:geom:skin' data='{area}'/><text name='signorini:geom:floor' data='rigid_hydroelastic'/>"
    );
    let (plain, scene) = (model("", "", "", ""), model("", "", "", &custom));
    let icf = |law: Law| Method::icf().with_law(law).unwrap().with_step(H);
    for (method, expected) in [
        (icf(Law::Lagged), [true, false, false]),
        (icf(Law::Similar), [true, false, false]),
        (icf(Law::Frictionless), [true, false, false]),
        (Method::cenic(1e-3), [true, false, false]),
        (Method::ipc().with_step(5e-3), [false, true, false]),
        (icf(Law::Sap), [false, false, true]),
        (icf(Law::DualCone(Default::default())), [false, false, true]),
        (Method::comfree().with_step(H), [false, false, true]),
    ] {
        let refused = method
            .system(&scene)
            .is_err_and(|e| e.to_string().contains("over an area, whose polygons the law"));
        let lines = unread(&scene, &method);
        let told = lines.iter().any(|l| l.starts_with("not read: contact over areas of unread.xml:"));
        let moves = !refused && motion(&scene, &method) != motion(&plain, &method);
        assert_eq!([moves, told, refused], expected, "{}: {lines:?}", method.describe());
    }
}

/// Pressure fields have the stiffness of their modulus: nothing that geoms state for contact in points moves them, unless one of them meets another in points.
#[test]
fn property_areas_tell_of_parameters_of_points() {
    let model = |other: &str, surface: &str, own: &str| {
        let custom = format!(
            "<text name='signorini:geom:skin' data='compliant_hydroelastic hydroelastic_modulus=1e5 {own}'/>{other}"
        );
        model(surface, "", "", &custom)
    };
    let rigid = "<text name='signorini:geom:floor' data='rigid_hydroelastic'/>";
    let stated = [
        ("solref", "solref='.05 .5'", ""),
        ("solimp", "solimp='.5 .6 .01'", ""),
        ("margin", "margin='.002'", ""),
        ("stiffness", "", "stiffness=1e4"),
        ("dissipation", "", "dissipation=1"),
    ];
    for method in [Method::icf().with_step(H), Method::cenic(1e-3)] {
        for (other, areas) in [(rigid, true), ("", false)] {
            let plain = motion(&model(other, "", ""), &method);
            for (what, surface, own) in stated {
                let scene = model(other, surface, own);
                let lines = unread(&scene, &method);
                let named = lines.iter().any(|l| l.starts_with("not read: ") && l.contains(what));
                let after = motion(&scene, &method);
                let moves =
                    after.len() != plain.len() || after.iter().zip(&plain).any(|(a, b)| (a - b).abs() > 1e-9);
                if areas {
                    assert_eq!(
                        (named, moves),
                        (what != "dissipation", what == "dissipation"),
                        "{what}: {lines:?}"
                    );
                } else {
                    assert!(moves != named || what == "margin", "{what}: moves {moves}, {lines:?}");
                }
            }
        }
    }
}
