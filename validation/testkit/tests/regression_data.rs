//! A test without its data says so where a plain `cargo test` shows it, once, and fails where the data are required.

use std::process::{Command, Output};

use signorini_testkit::data;

/// Runs [`asks_for_absent_data`] in a process of its own, output captured as by default.
fn child(require: &str) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "regression_data::asks_for_absent_data"])
        .env("SIGNORINI_MODELS", "/nowhere")
        .env("SIGNORINI_CASES", "/nowhere")
        .env(data::REQUIRE, require)
        .output()
        .unwrap()
}

#[test]
#[ignore = "run by the tests below, without data"]
fn asks_for_absent_data() {
    for file in ["robot.xml", "other.xml"] {
        assert_eq!(data::model(file), None);
    }
    assert_eq!(data::cases(), None);
    println!("captured");
}

#[test]
fn regression_absent_data_are_told_once_past_the_capture() {
    let out = child("0");
    let (told, shown) = (String::from_utf8(out.stderr).unwrap(), String::from_utf8(out.stdout).unwrap());
    assert!(out.status.success() && !shown.contains("captured"), "{shown}");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines,
        [
            "skipped: regression_data::asks_for_absent_data needs /nowhere/robot.xml; set SIGNORINI_MODELS",
            "skipped: regression_data::asks_for_absent_data needs /nowhere; set SIGNORINI_CASES"
        ]
    );
}

#[test]
fn regression_required_data_that_are_absent_fail_the_test() {
    let out = child("1");
    assert!(!out.status.success());
    assert!(String::from_utf8(out.stdout).unwrap().contains("/nowhere/robot.xml; set SIGNORINI_MODELS"));
}
