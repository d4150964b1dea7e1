//! ComFree on the command line: gains beyond the bound of stability are told of, bad settings are refused, requests of a model that are not met are told.

use std::process::Command;

use crate::common;

use common::Folder;

/// A cube just above a floor, both with the attributes `surface`.
fn cube(option: &str, surface: &str) -> String {
    format!(
        "<mujoco>{option}<worldbody><geom name='floor' type='plane' size='9 9 1' {surface}/><body name='b' pos='0 0 .0501'><freejoint/>\
         <geom name='cube' type='box' size='.05 .05 .05' {surface}/></body></worldbody></mujoco>"
    )
}

#[test]
fn regression_gains_beyond_the_bound_are_told_of_once() {
    let folder = Folder::new("gains");
    let model = cube("", "friction='1 .005 .0001'");
    for (arguments, words) in [
        ("--solver comfree --dt .002", ""),
        ("--solver comfree --dt .002 --paper-mode", ""),
        ("--solver comfree --dt .002 --gains .2 .001", ""),
        ("--solver comfree --dt .002 --law published_dual_cone", ""),
        ("--solver icf --dt .002 --law published_dual_cone --gains .2 .001", ""),
        ("--solver comfree --dt .002 --law published_dual_cone --gains 4 .1", "> 4 at t = "),
        ("--solver comfree --dt .002 --paper-mode --gains 4 .1", "> 4 at t = "),
        ("--solver comfree --dt .02 --paper-mode --gains .95 .001", "> 1 at t = "),
        ("--solver comfree --dt .002 --gains 4 .4", "the cap lowers those of some contacts"),
        ("--solver comfree --dt .002 --law lagged", "use the law dual_cone or the solver icf"),
    ] {
        let (ok, text) = folder.run(&model, arguments);
        assert!(ok, "{arguments}: {text}");
        let warnings = text.matches("warning: gains: ").count();
        assert_eq!(warnings, usize::from(!words.is_empty()), "{arguments}: {text}");
        assert!(text.contains(words), "{arguments}: {text}");
    }
}

/// One evaluation is ComFree, several sweeps are projected Gauss–Seidel, and each is counted by its name.
#[test]
fn regression_words_name_what_runs() {
    let folder = Folder::new("words");
    let model = folder.file("named.xml", &cube("", ""));
    for (arguments, method, count) in [
        (
            "--solver comfree",
            "projected Gauss–Seidel over ComFree's impedance, up to 64 sweeps over all contacts at once + dual_cone",
            "sweeps",
        ),
        (
            "--solver comfree --sweeps 4",
            "projected Gauss–Seidel over ComFree's impedance, 4 sweeps over all contacts at once + dual_cone",
            "sweeps",
        ),
        ("--solver comfree --sweeps 1", "ComFree, one evaluation + dual_cone", "evaluations"),
        ("--solver comfree --evaluations 1", "ComFree, one evaluation + dual_cone", "evaluations"),
        (
            "--solver comfree --paper-mode --gains .1 .002 --mass-scale mean",
            "ComFree, one evaluation (as published, k 0.1/s, d 0.002, mass scale mean) + published_dual_cone",
            "evaluations",
        ),
        ("--solver comfree --paper-mode", "mass scale trace) + published_dual_cone", "evaluations"),
        ("--solver icf --dt .002", "icf + lagged", "iterations"),
    ] {
        let out = folder.0.join("out.npz");
        let run = ["run", model.to_str().unwrap(), "--time", "0.05", "--out", out.to_str().unwrap()];
        let done = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(run)
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success() && text.contains(method), "{arguments}: {text}");
        assert!(text.contains(&format!(" {count}, ")), "{arguments}: {text}");
    }
}

/// A ball that sinks is told of under every solver but the one that cannot let it.
#[test]
fn regression_depths_are_told_under_every_solver() {
    let folder = Folder::new("depths");
    let ball = |z: f64| {
        format!(
            "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='ball' pos='0 0 {z}'><freejoint/>\
             <geom name='skin' size='.05' mass='1'/></body></worldbody></mujoco>"
        )
    };
    for (solver, tells) in [
        ("--solver icf --dt .002 --stiffness 100", true),
        ("--solver icf --accuracy 1e-3 --stiffness 100", true),
        ("--solver reference --dt .002 --stiffness 100", true),
        ("--solver comfree --paper-mode --gains .001 0", true),
        ("--solver comfree --law lagged --stiffness 100", true),
        ("--solver icf --dt .002", false),
        ("--solver comfree", false),
        ("--solver ipc", false),
    ] {
        let (ok, text) = folder.run(&ball(0.052), &format!("{solver} --time 1"));
        assert!(ok, "{solver}: {text}");
        let told: Vec<&str> = text.lines().filter(|l| l.starts_with("warning: depth:")).collect();
        assert_eq!(told.len(), usize::from(tells), "{solver}: {text}");
        for word in
            told.iter().flat_map(|t| ["'skin' of body 'ball'", "'floor'", "take "].map(|w| t.contains(w)))
        {
            assert!(word, "{solver}: {text}");
        }
    }
}

#[test]
fn regression_warnings_go_with_the_recording_and_the_comparison() {
    let folder = Folder::new("kept");
    let (ok, text) = folder.run(&cube("", ""), "--solver comfree --dt .002 --paper-mode --gains 4 .1");
    assert!(ok, "{text}");
    let (recording, model) = (folder.0.join("out.npz"), folder.0.join("model.xml"));
    let run = |arguments: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_signorini")).args(arguments).output().unwrap();
        assert!(out.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    run(&["view", recording.to_str().unwrap()]);
    let page = std::fs::read_to_string(folder.0.join("out.html")).unwrap();
    assert!(page.contains("gains: lambda_max R (2 d + 3 k h) reached"));
    let compare = ["compare", model.to_str().unwrap(), "--time", "0.1", "--solvers", "comfree"];
    let text =
        run(&[&compare[..], &["--laws", "lagged", "--accuracies", "1e-1", "--steps", "0.002"]].concat());
    assert!(
        text.contains(
            "warning: ComFree, one evaluation + lagged + fixed (dt 0.002 s): gains: lambda_max reached"
        ),
        "{text}"
    );
}

/// Without laws a comparison has the methods that `run` has, under their own names, and one evaluation beside the sweeps.
#[test]
fn regression_a_comparison_takes_the_methods_of_run() {
    let folder = Folder::new("compared");
    let (model, out) = (folder.file("model.xml", &cube("", "")), folder.0.join("out.npz"));
    let signorini = |arguments: &str| {
        let mut words = arguments.split_whitespace();
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.arg(words.next().unwrap()).arg(&model).args(words).args(["--time", "0.05"]);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    // The second line of a run names its method.
    let of_run = |arguments: &str| {
        let text = signorini(&format!("run --solver comfree --out {} {arguments}", out.display()));
        text.lines().nth(1).unwrap().to_owned()
    };
    let names = ["--accuracy 1e-1", "--dt 0.002", "--dt 0.002 --sweeps 1"].map(of_run);
    assert!(
        names[1].starts_with("projected Gauss–Seidel") && names[2].starts_with("ComFree, one evaluation")
    );
    let text = signorini("compare --solvers comfree --accuracies 1e-1 --steps 0.002");
    let rows: Vec<&str> = text.lines().skip(2).take_while(|l| !l.starts_with("difference:")).collect();
    assert_eq!(rows.len(), names.len(), "{text}");
    for (row, name) in rows.iter().zip(&names) {
        assert!(row.starts_with(name.as_str()), "{name}: {text}");
    }
}

#[test]
fn regression_settings_that_make_no_sense_are_refused() {
    let folder = Folder::new("settings");
    let model = cube("", "");
    for (arguments, words) in [
        ("--solver comfree --dt .002 --gains nan .1", "k is NaN, but must be at least 0"),
        ("--solver comfree --dt .002 --gains -1 .1", "k is -1, but must be at least 0"),
        ("--solver comfree --dt .002 --gains .1 -1", "d is -1, but must be at least 0"),
        ("--solver comfree --dt .002 --gains inf .1", "k is inf, but must be at least 0"),
        ("--solver comfree --dt .002 --paper-mode --gains nan .1", "k is NaN, but must be at least 0"),
        ("--solver comfree --dt .002 --memory 2", "memory is 2, but must be between 0 and 1"),
        ("--solver comfree --dt .002 --memory nan", "memory is NaN, but must be between 0 and 1"),
        ("--solver comfree --dt .002 --sweeps 0", "at least one sweep"),
        ("--solver comfree --dt 0", "step size"),
        // Settings that the solver, law or stepping beside them does not read.
        ("--solver icf --dt .002 --gains .1 .1", "--gains [0.1, 0.1]: gains relative to the step belong"),
        ("--solver comfree --dt .002 --law lagged --gains .1 .1", "--gains"),
        ("--solver comfree --accuracy 1e-3 --gains .1 .1", "with fixed steps (--dt)"),
        ("--solver icf --dt .002 --sweeps 4", "--sweeps 4: only comfree"),
        ("--solver comfree --accuracy 1e-3 --sweeps 4", "--sweeps 4: only comfree with fixed steps"),
        ("--solver comfree --dt .002 --paper-mode --sweeps 4", "paper mode is one evaluation"),
        ("--solver comfree --dt .002 --evaluations 0", "at least one sweep"),
        (
            "--solver comfree --dt .002 --mass-scale mean",
            "--mass-scale mean: only the law published_dual_cone",
        ),
        ("--solver comfree --dt .002 --paper-mode --mass-scale half", "trace, mean"),
        (
            "--solver comfree --dt .002 --law lagged --sweeps 4",
            "only the law dual_cone is swept over more than once",
        ),
        ("--solver icf --dt .002 --memory .5", "--memory 0.5: only comfree"),
        ("--solver comfree --dt .002 --paper-mode --memory .5", "not in paper mode"),
        ("--solver comfree --dt .002 --law sap --memory .5", "--memory 0.5: only comfree"),
        ("--solver comfree --accuracy 1e-3 --paper-mode", "give --dt"),
        ("--solver comfree --dt .002 --directions 6", "directions is 6, but must be 4, 8 or 16"),
        ("--solver comfree --dt .002 --paper-mode --directions 8", "as published has four directions"),
        (
            "--solver icf --dt .002 --law published_dual_cone --directions 8",
            "as published has four directions",
        ),
        ("--solver comfree --accuracy 1e-3 --law published_dual_cone", "gains that belong to a fixed step"),
        (
            "--solver comfree --dt .002 --law published_dual_cone --sweeps 4",
            "only the law dual_cone is swept over",
        ),
        ("--solver icf --dt .002 --directions 16", "--directions 16: only the law dual_cone"),
        ("--solver comfree --dissipation 5", "--dissipation 5: dual_cone does not read it"),
        ("--solver comfree --stiffness 1e5", "--stiffness 100000: dual_cone does not read it"),
        ("--solver comfree --stiction-speed 1e-3", "--stiction-speed 0.001: dual_cone does not read it"),
        ("--law sap --stiction-speed 1e-3", "--stiction-speed 0.001: sap does not read it"),
        ("--law frictionless --stiction-speed 1e-3", "--stiction-speed 0.001: frictionless does not read it"),
    ] {
        let (ok, text) = folder.run(&model, arguments);
        assert!(!ok && text.contains("error: ") && text.contains(words), "{arguments}: {text}");
    }
}

/// Softness of a file moves bodies or is told with its line; options that some law reads are taken.
#[test]
fn regression_softness_that_is_not_read_is_told_of() {
    let folder = Folder::new("softness");
    let model = cube("", "solref='.05 .3'");
    for (arguments, told) in [
        ("--solver icf", false),
        ("--law sap --dissipation 5", false),
        ("--law frictionless --stiffness 1e5", false),
        ("--solver comfree", true),
        ("--solver comfree --law lagged", false),
        ("--solver ipc", true),
    ] {
        let (ok, text) = folder.run(&model, arguments);
        assert!(ok, "{arguments}: {text}");
        let named = text.contains("warning: not read: solref of ") && text.contains("model.xml:1:");
        assert_eq!(named, told, "{arguments}: {text}");
    }
}

#[test]
fn regression_surfaces_that_make_no_sense_are_refused_or_told_of() {
    let folder = Folder::new("surfaces");
    let run = "--solver comfree --dt .002";
    for (surface, words) in [
        ("friction='inf 0 0'", "friction"),
        ("friction='-1 0 0'", "which is negative"),
        ("solimp='nan .9'", "solimp"),
        ("condim='5'", "condim is 5; write one of: 1, 3, 4, 6"),
    ] {
        let (ok, text) = folder.run(&cube("", surface), run);
        assert!(!ok && text.contains("error: ") && text.contains(words), "{surface}: {text}");
        assert!(text.contains("model.xml") && text.contains("geom"), "{surface}: {text}");
    }
    let pair = "contacts of geoms 'floor' and 'cube'";
    for (surface, words) in [
        ("solimp='2 2 .001 .5 2'", "dmax of solimp is 2, taken as the nearest allowed, 1"),
        ("solimp='.9 .95 -1 .5 2'", "width of solimp is -1, taken as the nearest allowed, 0"),
        ("solimp='.9 .95 .001 2 2'", "midpoint of solimp is 2, taken as"),
        ("solimp='.9 .95 .001 .5 0'", "power of solimp is 0, taken as"),
        ("solimp='.95 .9 .001 .5 2'", "solimp falls from 0.95 to 0.9"),
    ] {
        for mode in ["", " --paper-mode"] {
            let (ok, text) = folder.run(&cube("", surface), &format!("{run}{mode}"));
            assert!(ok && text.contains(words) && text.contains(pair), "{surface}{mode}: {text}");
        }
    }
    for (mode, words) in [("", "friction 100 is taken as 5"), (" --paper-mode", "friction 100: gains")] {
        let (ok, text) = folder.run(&cube("", "friction='100 0 0'"), &format!("{run}{mode}"));
        assert!(ok && text.contains(words) && text.contains(pair), "{mode}: {text}");
    }
    // Sane: nothing to say.
    for surface in ["", "friction='5 0 0'", "condim='6' friction='1 0 0'", "friction='0 0 0'"] {
        let (ok, text) = folder.run(&cube("", surface), run);
        assert!(ok && !text.contains("warning"), "{surface}: {text}");
    }
    // A body without mass that moves.
    let weightless = cube("", "mass='0'");
    let (ok, text) = folder.run(&weightless, run);
    assert!(!ok && text.contains("body 'b' moves but has no mass"), "{text}");
}

#[test]
fn regression_elliptic_cones_are_replaced_with_a_word() {
    let folder = Folder::new("elliptic");
    let model = cube("<option cone='elliptic'/>", "");
    let words = "elliptic friction cones; dual_cone has polygons inside them";
    let (ok, text) = folder.run(&model, "--solver comfree --dt .002");
    assert!(ok && text.contains(words), "{text}");
    for directions in [4, 8, 16] {
        let (ok, text) = folder.run(&model, &format!("--solver comfree --dt .002 --directions {directions}"));
        assert!(ok && text.contains(words), "{text}");
    }
    let (ok, text) = folder.run(&model, "--solver icf --dt .002");
    assert!(ok && !text.contains(words), "{text}");
    let (ok, text) = folder.run(&cube("<option cone='pyramidal'/>", ""), "--solver comfree --dt .002");
    assert!(ok && !text.contains(words), "{text}");
    std::fs::write(folder.0.join("model.xml"), &model).unwrap();
    let path = folder.0.join("model.xml");
    let out = Command::new(env!("CARGO_BIN_EXE_signorini")).arg("inspect").arg(path).output().unwrap();
    assert!(String::from_utf8_lossy(&out.stdout).contains(words));
}

#[test]
fn regression_an_interpenetrating_start_is_told_of_and_pushed_apart() {
    let folder = Folder::new("overlap_comfree");
    for z in [0.04, 0.01, -0.03] {
        let model = cube("", "").replace(".0501", &z.to_string());
        for mode in ["", " --paper-mode"] {
            let (ok, text) = folder.run(&model, &format!("--solver comfree --dt .002{mode}"));
            assert!(ok && text.contains("inside each other and will be pushed apart"), "z {z}{mode}: {text}");
        }
    }
}

/// Fixed steps stop at a speed that no scene has, with the motion, the time and the remedy; rows recorded before are written.
#[test]
fn regression_a_run_that_runs_away_stops_with_the_reason() {
    let folder = Folder::new("runaway");
    let heavy = "<option gravity='0 0 -2e8'/>";
    let arm = format!(
        "<mujoco>{heavy}<worldbody><body name='arm'><joint name='elbow' axis='0 1 0'/><geom size='.1' pos='1 0 0'/></body></worldbody><actuator><position joint='elbow' kp='1e-6'/></actuator></mujoco>"
    );
    let free = cube(heavy, "").replace(".0501", "1e9");
    for (model, arguments, what) in [
        (&free, "--dt .002", "body 'b' along z comes to"),
        (&free, "--dt .002 --solver comfree", "body 'b' along z comes to"),
        (&arm, "--dt .002", "joint 'elbow' of body 'arm' comes to"),
    ] {
        let (ok, text) = folder.run(model, arguments);
        assert!(!ok && text.contains(what), "{arguments}: {text}");
        for words in ["the run stopped early: at t = 0.00", "a smaller step", "more than 1e6 m/s"] {
            assert!(text.contains(words), "{arguments}: {text}");
        }
        assert!(folder.0.join("out.npz").metadata().unwrap().len() > 0);
    }
    // Fast, but not without bound.
    let (ok, text) = folder.run(&free.replace("-2e8", "-4e6"), "--dt .002");
    assert!(ok, "{text}");
}

/// Boxes of 0.1 m on each other, of these masses.
fn stack(masses: &[f64]) -> String {
    let boxes = masses.iter().enumerate().map(|(i, m)| {
        let z = 0.05 + 0.1 * i as f64;
        format!("<body name='b{i}' pos='0 0 {z}'><freejoint/><geom name='g{i}' type='box' size='.05 .05 .05' mass='{m}'/></body>")
    });
    let boxes: String = boxes.collect();
    format!("<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/>{boxes}</worldbody></mujoco>")
}

#[test]
fn regression_light_bodies_under_heavy_ones_are_told_of_once() {
    let folder = Folder::new("carried");
    let words = "light under heavy: contacts of body 'b0'";
    for (masses, arguments, told) in [
        (&[1.0, 1e5][..], "--solver comfree --time 0.5", true),
        (&[1.0, 1000.0], "--solver comfree --sweeps 1", true),
        (&[1.0, 1000.0], "", false),
        (&[1000.0, 1.0], "--solver comfree", false),
        (&[1.0; 10], "--solver comfree", false),
        (&[1.0, 10.0], "--solver comfree", false),
    ] {
        let (ok, text) = folder.run(&stack(masses), arguments);
        assert!(ok, "{masses:?} {arguments}: {text}");
        let count = text.matches("warning: light under heavy").count();
        assert_eq!(count, usize::from(told), "{masses:?} {arguments}: {text}");
        if told {
            for part in [words, "the lighter side", "mm deep at t = ", "a smaller step", "--solver icf"] {
                assert!(text.contains(part), "{text}");
            }
        }
    }
    // Robots that stand or hold themselves carry their own loads.
    for robot in ["quadruped/quadruped", "arm_gripper/arm_gripper"] {
        let path = format!("{}/../models/{robot}.xml", env!("CARGO_MANIFEST_DIR"));
        let out = Command::new(env!("CARGO_BIN_EXE_signorini"))
            .args(["run", &path, "--solver", "comfree", "--time", "0.5", "--out"])
            .arg(folder.0.join("robot.npz"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && !text.contains("light under heavy"), "{robot}: {text}");
    }
}
