//! Features of a scene that affine bodies take, asked of the crate itself.

use std::fmt::Write;

use signorini_ipc::{AffineScene, IpcOptions};
use signorini_scene::{LoadOptions, Scene};

use signorini_report::PageError;

/// Features tried: name, text inside the body, and text beside the world.
const TRIED: [(&str, &str, &str); 35] = [
    ("free joint", "<freejoint/>", ""),
    ("hinge", "<joint axis='0 1 0'/>", ""),
    ("slide", "<joint type='slide' axis='0 1 0'/>", ""),
    ("ball", "<joint type='ball'/>", ""),
    ("no joint: fixed to the parent", "", ""),
    ("`mocap`", "MOCAP", ""),
    (
        "two slides and a hinge across them",
        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint axis='0 0 1'/>",
        "",
    ),
    (
        "three slides and a ball",
        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/><joint type='slide' axis='0 0 1'/><joint type='ball'/>",
        "",
    ),
    ("several hinges and slides on one body", "<joint axis='1 0 0'/><joint axis='0 1 0'/>", ""),
    ("a slide and a ball on one body", "<joint type='slide' axis='1 0 0'/><joint type='ball'/>", ""),
    ("limits of a hinge or slide", "<joint axis='0 1 0' range='-1 1'/>", ""),
    ("limits of a ball", "<joint type='ball' range='0 30'/>", ""),
    (
        "stiffness, damping, dry friction, armature",
        "<joint axis='0 1 0' stiffness='1' damping='1' frictionloss='1' armature='1'/>",
        "",
    ),
    ("stiffness and damping of a ball", "<joint type='ball' stiffness='1' damping='1'/>", ""),
    (
        "`motor`, `position`, `velocity`",
        "<joint name='j' axis='0 1 0'/>",
        "<actuator><motor joint='j'/><position joint='j' kp='1'/><velocity joint='j' kv='1'/></actuator>",
    ),
    (
        "one `position` with `forcerange`",
        "<joint name='j' axis='0 1 0'/>",
        "<actuator><position joint='j' kp='1' forcerange='-1 1'/></actuator>",
    ),
    (
        "`general` with an activation",
        "<joint name='j' axis='0 1 0'/>",
        "<actuator><general joint='j' dyntype='filter' dynprm='.1'/></actuator>",
    ),
    (
        "fixed tendon",
        "<joint name='j' axis='0 1 0'/>",
        "<tendon><fixed stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>",
    ),
    (
        "an actuator on a fixed tendon",
        "<joint name='j' axis='0 1 0'/>",
        "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='other' coef='2'/></fixed></tendon><actuator><position tendon='t'/></actuator>",
    ),
    (
        "tendon through sites",
        "<joint axis='0 1 0'/><site name='s'/>",
        "<tendon><spatial><site site='s'/><site site='far'/></spatial></tendon>",
    ),
    (
        "several actuators on a joint, one with `forcerange`",
        "<joint name='j' axis='0 1 0'/>",
        "<actuator><position joint='j' kp='1' forcerange='-1 1'/><velocity joint='j' kv='1'/></actuator>",
    ),
    (
        "equality `joint`, linear",
        "<joint name='j' axis='0 1 0'/>",
        "<equality><joint joint1='j' joint2='other' polycoef='0 2 0 0 0'/></equality>",
    ),
    (
        "equality `joint`, not linear",
        "<joint name='j' axis='0 1 0'/>",
        "<equality><joint joint1='j' joint2='other' polycoef='0 0 1 0 0'/></equality>",
    ),
    (
        "equality `connect`",
        "<freejoint/>",
        "<equality><connect body1='b' body2='c' anchor='0 0 0'/></equality>",
    ),
    ("equality `weld`", "<freejoint/>", "<equality><weld body1='b' body2='c'/></equality>"),
    ("`exclude`", "<freejoint/>", "<contact><exclude body1='b' body2='c'/></contact>"),
    ("`condim` above 3", "<freejoint/><geom size='.01' condim='4'/>", ""),
    ("`gravcomp`", "GRAVCOMP", ""),
    ("sensors", "<joint name='j' axis='0 1 0'/>", "<sensor><jointpos joint='j'/></sensor>"),
    (
        "sphere, capsule, cylinder, ellipsoid",
        "<freejoint/><geom size='.01'/><geom type='capsule' size='.01 .1'/><geom type='cylinder' size='.01 .1'/><geom type='ellipsoid' size='.1 .1 .2'/>",
        "",
    ),
    ("plane", "PLANE", ""),
    ("geoms that do not collide alone", "GHOST", ""),
    (
        "height field",
        "HFIELD",
        "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1' elevation='0 0 0 0'/></asset>",
    ),
    (
        "a mass that no body of some thickness has",
        "<freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 2'/>",
        "",
    ),
    ("geoms that overlap within a body", "<freejoint/><geom type='box' size='.1 .1 .1' pos='.05 0 0'/>", ""),
];

fn text(inside: &str, beside: &str) -> String {
    let geom = "<geom type='box' size='.1 .1 .1'/>";
    let body = match inside {
        "MOCAP" => format!("<body name='b' mocap='true'>{geom}</body>"),
        "GRAVCOMP" => format!("<body name='b' gravcomp='1'><freejoint/>{geom}</body>"),
        "PLANE" => {
            format!("<geom type='plane' size='1 1 1'/><body name='b' pos='0 0 1'><freejoint/>{geom}</body>")
        }
        "HFIELD" => {
            format!("<geom type='hfield' hfield='h'/><body name='b' pos='0 0 3'><freejoint/>{geom}</body>")
        }
        "GHOST" => {
            "<body name='b'><freejoint/><geom type='box' size='.1 .1 .1' contype='0' conaffinity='0'/></body>"
                .into()
        }
        inside => format!("<body name='b'>{inside}{geom}</body>"),
    };
    let other = "<body name='c' pos='5 0 0'><joint name='other' axis='0 1 0'/><geom type='box' size='.1 .1 .1'/><site name='far'/></body>";
    format!("<mujoco><worldbody>{body}{other}</worldbody>{beside}</mujoco>")
}

/// What is told, without the place in the file.
fn without_place(told: &str) -> &str {
    told.strip_prefix("tried.xml").and_then(|rest| rest.splitn(3, ": ").nth(2)).unwrap_or(told)
}

/// The table.
///
/// # Errors
/// A scene that the reader refuses.
pub(super) fn table() -> Result<String, PageError> {
    let mut out = String::from("| of a scene | affine bodies |\n|---|---|\n");
    for tried in &TRIED {
        let scene = Scene::from_mjcf(&text(tried.1, tried.2), "tried.xml", &LoadOptions::default());
        let scene = scene.map_err(|e| PageError::from_error(format!("{}: {e}", tried.0)))?;
        let answer = match AffineScene::new(&scene, IpcOptions::default()) {
            Err(e) => format!("refused: {e}"),
            Ok(s) if s.left_out.is_empty() && scene.sensors.is_empty() => "taken".into(),
            Ok(s) if s.left_out.is_empty() => "not read, with a warning".into(),
            Ok(s) => s.left_out.iter().map(|told| without_place(told)).collect::<Vec<_>>().join("; "),
        };
        _ = writeln!(out, "| {} | {answer} |", tried.0);
    }
    Ok(out)
}
