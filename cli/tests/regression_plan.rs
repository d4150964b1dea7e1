//! `plan`: impossible requests are refused by name, and a task that is run leaves a recording that can be viewed.

use crate::common;

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use common::Folder;

fn plan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_signorini")).arg("plan").args(arguments).output().unwrap()
}

#[test]
fn regression_names_and_numbers_that_cannot_be_are_refused() {
    let names = format!("it has {}", signorini_planning::tasks::NAMES.join(", "));
    let cases: [(&[&str], &str); 19] = [
        (&["cartpole"], &names),
        (&["cart_pole", "--weight", "uprigth=1"], "upright, centred, speed, control"),
        (&["cart_pole", "--weight", "upright"], "TERM=WEIGHT"),
        (&["cart_pole", "--weight", "upright=nan"], "finite"),
        (&["cart_pole", "--describe", "--weight", "uprigth=1"], "upright, centred, speed, control"),
        (&["cart_pole", "--exact"], "--exact: cart_pole has no object that is measured"),
        (&["cart_pole", "--vary", "0.2"], "--vary: cart_pole has no object"),
        (&["hand_cube_yaw", "--vary", "1"], "--vary 1: give a part from 0 to less than 1"),
        (&["hand_cube_yaw", "--vary", "nan"], "--vary NaN: give a part"),
        (&["cart_pole", "--samples", "0"], "samples"),
        (&["cart_pole", "--samples", "1000000000"], "100000 or fewer"),
        (&["cart_pole", "--out", "both.npz", "--json", "both.npz"], "give two files"),
        (&["cart_pole", "--delay", "-1"], "timing"),
        (&["cart_pole", "--pace", "0"], "pace is 0; give a number > 0"),
        (&["cart_pole", "--accuracy", "1e-3"], "--plant cenic"),
        (&["cart_pole", "--model", "icf", "--sweeps", "2"], "only comfree has sweeps"),
        (&["two_arm_tray", "--plant", "ipc"], "take --plant icf or cenic"),
        (&["cart_pole", "--plant", "ipc", "--accuracy", "1e-3"], "--plant cenic"),
        (&["cart_pole", "--plant", "cenic", "--accuracy", "-1"], "accuracy must be positive"),
    ];
    for (arguments, named) in cases {
        let out = plan(arguments);
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.starts_with("error: ") && text.contains(named), "{arguments:?}: {text}");
    }
}

#[test]
fn conformance_a_task_is_described_as_it_will_be_run() {
    let out = plan(&["two_arm_handover", "--describe", "--samples", "33", "--weight", "carry=7.25"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    for named in [
        "33 samples",
        "7.25 carry",
        "4 rad/s³",
        "projected Gauss–Seidel, up to 12 sweeps",
        "target; targets change with",
        "grippers as",
    ] {
        assert!(text.contains(named), "{named}: {text}");
    }
    let text = plan(&["hand_tin_tilt", "--describe"]).stdout;
    let text = String::from_utf8_lossy(&text);
    assert!(text.contains("'tin' 0.04 s late") && text.contains("attitude of target"), "{text}");
}

#[test]
fn conformance_a_task_is_run_and_recorded() {
    let folder = Folder::new("plan");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    let (npz, json, html) = (path("pole.npz"), path("pole.json"), path("pole.html"));
    let out = plan(&["cart_pole", "--seed", "1", "--out", &npz, "--json", &json]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("Success") && text.contains("holding"), "{text}");
    let record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(record["outcome"], "Success");
    assert_eq!(record["states"].as_array().unwrap().len(), record["steps"].as_array().unwrap().len() + 1);
    assert_eq!(
        record["prediction"]["steps"].as_array().unwrap().len(),
        record["steps"].as_array().unwrap().len()
    );
    let view = Command::new(env!("CARGO_BIN_EXE_signorini")).args(["view", &npz, "--html", &html]).output();
    assert!(view.unwrap().status.success());
    assert!(std::fs::metadata(html).unwrap().len() > 10_000);
}

#[test]
fn conformance_every_plant_is_driven_and_compared_with_the_plan_model() {
    let folder = Folder::new("plants");
    let path = |name: &str| folder.0.join(name).to_str().unwrap().to_owned();
    for plant in ["comfree", "icf", "cenic", "ipc"] {
        let (npz, json) = (path(&format!("{plant}.npz")), path(&format!("{plant}.json")));
        let mut arguments =
            vec!["cart_pole", "--seed", "1", "--plant", plant, "--out", &npz, "--json", &json];
        if plant == "cenic" {
            arguments.extend(["--accuracy", "1e-4"]);
        }
        let out = plan(&arguments);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{plant}: {text}{}", String::from_utf8_lossy(&out.stderr));
        assert!(text.contains("Success") && text.contains("positions off by"), "{plant}: {text}");
        let record: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
        let [plans, driven] = [0, 1].map(|i| record["engines"][i].as_str().unwrap_or_default().to_owned());
        let swept =
            "projected Gauss–Seidel over ComFree's impedance, up to 64 sweeps over all contacts at once";
        assert_eq!(plans, swept);
        assert_eq!(driven, if plant == "comfree" { swept } else { plant });
    }
}

/// As in the guide: a live pose, and a world that keeps to the clock.
#[test]
fn conformance_live_poses_move_the_target_of_a_paced_world() {
    let folder = Folder::new("paced");
    let [out, json] = ["push.npz", "push.json"].map(|name| folder.0.join(name));
    let mut run = Command::new(env!("CARGO_BIN_EXE_signorini"))
        .args(["plan", "cylinder_push", "--poses", "--pace", "0.05"])
        .args([OsStr::new("--out"), out.as_ref(), OsStr::new("--json"), json.as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line = br#"{"body": "target", "position": [0.4, 0.1, 0]}"#;
    run.stdin.take().unwrap().write_all(line).unwrap();
    let done = run.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && text.contains("behind its pace"), "{text}");
    let record: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
    let moved = record["moved"].as_array().unwrap().last().unwrap();
    assert_eq!((&moved["body"], &moved["position"][0]), (&"target".into(), &0.4.into()));
}
