//! Affine bodies on the command line: starts that overlap, settings of the barrier, parts left out, motors at their caps.

use crate::common;

use common::Folder;

/// Runs a model as affine bodies with more arguments: (succeeded, standard error).
fn run(folder: &Folder, model: &str, arguments: &str) -> (bool, String) {
    folder.run(model, &format!("--solver ipc {arguments}"))
}

/// A cube at a height over a floor.
fn cube(height: f64) -> String {
    format!(
        "<mujoco><worldbody><geom name='floor' type='plane' size='9 9 1'/><body name='box' pos='0 0 {height}'><freejoint/>\
         <geom type='box' size='.05 .05 .05' mass='1'/></body></worldbody></mujoco>"
    )
}

#[test]
fn regression_starts_that_overlap_are_refused_with_a_remedy() {
    let folder = Folder::new("ipc-overlap");
    let (ok, text) = run(&folder, &cube(0.03), "--dt .01");
    let words = ["world", "box", "-2.0", "--lift", "--exclude-overlaps"];
    assert!(!ok && words.iter().all(|w| text.contains(w)), "{text}");
    let (ok, text) = run(&folder, &cube(0.03), "--dt .01 --lift .03");
    assert!(ok && !text.contains("warning"), "{text}");
    let (ok, text) = run(&folder, &cube(0.03), "--dt .01 --exclude-overlaps");
    assert!(
        ok && text.contains("geom 'floor' of body 'world' (")
            && text.contains("of body 'box' (")
            && text.contains("overlap at the start: they do not collide"),
        "{text}"
    );
}

#[test]
fn regression_settings_of_the_barrier() {
    let folder = Folder::new("ipc-settings");
    for (arguments, word) in [
        ("--range 1e-4", ""),
        ("--range 1e-4 --load 50 --dt .01", ""),
        ("--accuracy 1e-4", ""),
        ("--rigidity 1e9 --stiction-speed 1e-4", ""),
        ("--rigidity 0", "--rigidity"),
        ("--stiffness 1000", "--stiffness"),
        ("--dissipation 1", "--dissipation"),
        ("--range 0", "--range"),
        ("--range nan", "--range"),
        ("--load -1", "--load"),
        ("--law lagged", ""),
        ("--law sap --skin 3e-3 --stiffness 1e5", ""),
        ("--law lagged --skin 1e-3", "skin"),
        ("--skin 1e-3", "--skin"),
        ("--law frictionless", "frictionless"),
        ("--law none", "unknown contact law 'none'"),
        ("--sweeps 2", "--sweeps"),
        ("--paper-mode", ""),
        ("--gains 1 1", "--gains"),
    ] {
        let (ok, text) = run(&folder, &cube(0.06), arguments);
        assert!(ok == word.is_empty() && text.contains(word), "{arguments}: {text}");
    }
    let arm = "<mujoco><worldbody><body name='arm'><joint name='elbow' axis='0 1 0'/><geom type='box' size='.2 .02 .02' pos='.2 0 0' mass='2'/></body></worldbody></mujoco>";
    let (ok, text) = run(&folder, arm, "--lift .1");
    assert!(!ok && text.contains("--lift"), "{text}");
}

#[test]
fn regression_what_is_left_out_and_motors_at_their_caps_are_told() {
    let folder = Folder::new("ipc-told");
    let arm = "<mujoco><worldbody><body name='arm'><joint name='elbow' axis='0 1 0' armature='.01'/><geom type='box' size='.2 .02 .02' pos='.2 0 0' mass='2'/></body></worldbody>\
               <actuator><position name='servo' joint='elbow' kp='100' forcerange='-1 1'/></actuator><sensor><jointpos joint='elbow'/></sensor></mujoco>";
    let (ok, text) = run(&folder, arm, "--dt .005");
    assert!(ok && text.contains("sensors are not read"), "{text}");
    assert!(
        text.contains("the motor of joint 'elbow' ended") && text.contains("steps at its largest force"),
        "{text}"
    );
    let open = "<mujoco><worldbody><body name='b' pos='0 0 1'><freejoint/><geom type='box' size='.1 .1 .1' mass='0'/></body></worldbody></mujoco>";
    let (ok, text) = run(&folder, open, "--dt .005");
    assert!(!ok && text.contains("'b'"), "{text}");
}

#[test]
fn regression_a_barrier_far_too_soft_ends_with_a_remedy() {
    let folder = Folder::new("ipc-soft");
    let press = "<mujoco><worldbody><geom type='box' size='1 1 .1' pos='0 0 -.1'/>\
        <body name='press' pos='0 0 .3'><joint name='ram' type='slide' axis='0 0 -1'/><geom type='box' size='.1 .1 .05' mass='1'/></body>\
        <body name='part' pos='0 0 .101'><freejoint/><geom type='box' size='.05 .05 .1' mass='1'/></body></worldbody>\
        <actuator><motor joint='ram'/></actuator><keyframe><key ctrl='1000'/></keyframe></mujoco>";
    let (ok, text) = run(&folder, press, "");
    assert!(ok && !text.contains("warning"), "{text}");
    let (ok, text) = run(&folder, press, "--load 1e-12");
    assert!(!ok && ["'part'", "--load", "t = "].iter().all(|w| text.contains(w)), "{text}");
}
