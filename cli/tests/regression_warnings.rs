//! Warnings name place, element and remedy.

use crate::common::Folder;

use std::process::Command;

/// Two balls on a floor, the first with a condim of its own.
fn balls(condim: u8) -> String {
    format!(
        "<mujoco>\n<worldbody>\n<geom name='floor' type='plane' size='1 1 1'/>
<body name='b' pos='0 0 .2'><freejoint/>\n<geom name='ball' size='.1' condim='{condim}'/></body>
<body name='c' pos='1 0 .2'><freejoint/><geom name='other' size='.1' condim='{condim}'/></body>
</worldbody>\n</mujoco>\n"
    )
}

#[test]
fn regression_friction_that_a_law_does_not_have_names_its_remedy() {
    let folder = Folder::new("condim");
    for (condim, kind) in [(4, "torsional friction"), (6, "torsional and rolling friction")] {
        let (ok, text) = folder.run(&balls(condim), "--solver icf");
        let condim = format!("condim {condim}");
        let words = [
            "model.xml:5:1: geom 'ball'",
            kind,
            &condim,
            "1 other geom",
            "law lagged",
            "--solver comfree",
            "condim=\"3\"",
        ];
        assert!(ok && words.iter().all(|w| text.contains(w)), "{text}");
        let (ok, text) = folder.run(&balls(condim[7..].parse().unwrap()), "--solver comfree");
        assert!(ok && !text.contains("condim"), "its law has it: {text}");
        let (ok, text) = folder.run(&balls(condim[7..].parse().unwrap()), "--solver ipc");
        let words = ["geom 'ball'", "about the normal", &condim, "comfree", "condim=\"3\""];
        assert!(ok && words.iter().all(|w| text.contains(w)), "{text}");
        assert_eq!(text.contains("of rolling"), condim == "condim 6", "{text}");
    }
    let (ok, text) = folder.run(&balls(3), "--solver icf");
    assert!(ok && !text.contains("condim"), "{text}");
}

#[test]
fn regression_joints_off_their_relation_are_told_in_runs() {
    let folder = Folder::new("relation");
    let model = |offset: f64| {
        format!(
            "<mujoco>\n<worldbody>
<body><joint name='a'/><geom size='.1'/></body><body pos='1 0 0'><joint name='b'/><geom size='.1'/></body>
</worldbody>\n<equality><joint joint1='a' joint2='b' polycoef='{offset} 1 0 0 0'/></equality>
<keyframe><key name='held' qpos='{offset} 0'/></keyframe></mujoco>\n"
        )
    };
    let words = ["model.xml:5:", "joint 'a' starts -0.5000 rad off its relation to joint 'b'", "keyframe"];
    let (ok, text) = folder.run(&model(0.5), "--solver icf");
    assert!(ok && words.iter().all(|w| text.contains(w)), "{text}");
    let path = folder.0.join("model.xml");
    let mut compare = Command::new(env!("CARGO_BIN_EXE_signorini"));
    compare.args([
        "compare",
        path.to_str().unwrap(),
        "--time",
        "0.01",
        "--laws",
        "lagged",
        "--accuracies",
        "1e-4",
    ]);
    let out = compare.output().unwrap();
    let (told, table) = (String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout));
    assert!(words.iter().all(|w| told.contains(w)), "{told}");
    assert!(table.contains("(accuracy 1e-6)") && !table.contains("0000000"), "{table}");
    for more in ["--solver icf --keyframe held", "--solver ipc --keyframe held"] {
        let (ok, text) = folder.run(&model(0.5), more);
        assert!(ok && !text.contains("off its relation"), "{more}: {text}");
    }
    let (ok, text) = folder.run(&model(0.5), "--solver ipc");
    assert!(ok && text.contains("off its relation to joint 'b'") && text.contains("slowly"), "{text}");
}

#[test]
fn regression_the_lag_of_driven_bodies_is_told() {
    let folder = Folder::new("lag");
    let model = "<mujoco><worldbody><body name='hand' mocap='true' pos='0 0 1'><geom size='.02' contype='0' conaffinity='0'/></body>
        <body name='load' pos='.5 0 1'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>
        <equality><weld body1='hand' body2='load'/></equality></mujoco>";
    let path = folder.file("weld.xml", model);
    let out = folder.0.join("weld.npz");
    let mut run = Command::new(env!("CARGO_BIN_EXE_signorini"));
    run.args([
        "run",
        path.to_str().unwrap(),
        "--solver",
        "ipc",
        "--time",
        "0.1",
        "--out",
        out.to_str().unwrap(),
    ]);
    let said = String::from_utf8_lossy(&run.output().unwrap().stdout).into_owned();
    assert!(said.contains("driven bodies lag by at most"), "{said}");
}

#[test]
fn regression_paper_mode_of_affine_bodies_changes_rotation() {
    let folder = Folder::new("ipc-paper");
    let model = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>
        <keyframe><key name='home' qvel='0 0 0 0 0 20'/></keyframe></mujoco>";
    let spin = |arguments: &str| {
        let csv = folder.0.join("spin.csv");
        let (ok, text) = folder.run(model, &format!("--solver ipc --csv {} {arguments}", csv.display()));
        assert!(ok, "{text}");
        let table = std::fs::read_to_string(csv).unwrap();
        table.lines().last().unwrap().rsplit(',').next().unwrap().parse::<f64>().unwrap()
    };
    assert!((spin("") - 20.0).abs() < 1e-3);
    // dω/dt = −ω³ δt over 0.2 s of steps of 5 ms.
    assert!((spin("--paper-mode") - 20.0 / 1.8f64.sqrt()).abs() < 0.5);
}

/// A ball and a cube above a floor, with surfaces as custom texts.
fn over_areas(texts: &str) -> String {
    format!(
        "<mujoco>\n<worldbody>\n<geom name='floor' type='plane' size='1 1 1'/>
<body name='b' pos='0 0 .099'><freejoint/>\n<geom name='ball' size='.1'/></body>
<body name='c' pos='1 0 .0999'><freejoint/>\n<geom name='cube' type='box' size='.1 .1 .1'/></body>
</worldbody><custom>{texts}</custom>\n</mujoco>\n"
    )
}

const SOFT: &str = "compliant_hydroelastic hydroelastic_modulus=1e5";

/// Two rigid surfaces meet in points, which a run tells once by name.
#[test]
fn regression_pairs_that_are_both_rigid_are_told_in_runs() {
    let folder = Folder::new("rigid");
    let text = |name: &str, data: &str| format!("<text name='signorini:geom:{name}' data='{data}'/>");
    let rigid =
        text("floor", "rigid_hydroelastic") + &text("cube", "rigid_hydroelastic") + &text("ball", SOFT);
    let (ok, told) = folder.run(&over_areas(&rigid), "--time 0.01");
    let words = [
        "model.xml:3:1: geom 'floor': it and geom 'cube' meet in points, as both are rigid",
        "make one of them compliant",
    ];
    assert!(ok && words.iter().all(|w| told.contains(w)), "{told}");
    assert_eq!(told.matches("both are rigid").count(), 1, "{told}");
    let soft = text("floor", "rigid_hydroelastic") + &text("cube", SOFT);
    let (ok, told) = folder.run(&over_areas(&soft), "--time 0.01");
    assert!(ok && !told.contains("both are rigid"), "{told}");
}

/// Rows of methods that take no areas say so, and the others follow.
#[test]
fn regression_comparisons_go_on_past_methods_that_take_no_areas() {
    let folder = Folder::new("compared_areas");
    let texts = format!("<text name='signorini:default' data='{SOFT}'/>");
    let model = folder.file("model.xml", &over_areas(&texts));
    let mut compare = Command::new(env!("CARGO_BIN_EXE_signorini"));
    compare.args(["compare", model.to_str().unwrap(), "--time", "0.01", "--accuracies", "1e-1"]);
    let out = compare.args(["--solvers", "icf,comfree,reference,icf"]).output().unwrap();
    let (rows, told) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success(), "{rows}{told}");
    let refused: Vec<&str> = rows.lines().filter(|l| l.contains(" refused: ")).collect();
    assert!(!refused.is_empty() && refused.iter().all(|r| r.contains("over an area")), "{rows}");
    assert!(refused.len() == 3 && refused.iter().all(|r| r.contains("dual_cone")), "{rows}");
    assert_eq!(rows.lines().filter(|l| l.starts_with("icf + lagged")).count(), 5, "{rows}");
}

/// Messages of runs name the file of a geom; `--hydroelastic` leaves geoms in points of which the model says so.
#[test]
fn regression_messages_of_runs_name_the_file() {
    let folder = Folder::new("places");
    let point = "<text name='signorini:geom:cube' data='point'/>";
    let (ok, told) = folder.run(&over_areas(point), "--hydroelastic 1e3 --time 0.5");
    let words = [
        "geom 'ball' of body 'b' (model.xml:5:1)",
        "geom 'floor' of body 'world' (model.xml:3:1)",
        "model.xml:7:1: geom 'cube': keeps the surface that the model states",
    ]
    .map(|w| w.replace("model.xml", &folder.0.join("model.xml").display().to_string()));
    assert!(ok && words.iter().all(|w| told.contains(w.as_str())), "{told}");
}
