//! Answers of the reader of model directives to each of them.

use std::fmt::Write;
use std::path::Path;

use signorini_scene::{LoadOptions, Scene};

use super::probe::{Answer, answer_of, say};

/// Directives after that which adds a model `q` of a URDF file.
const EXAMPLES: &[&str] = &[
    "add_model: {name: m, file: quadruped/quadruped.urdf}",
    "add_model: {name: m, file: quadruped/quadruped.urdf, default_joint_positions: {front_left_hip: [0.1]}}",
    "add_model: {name: m, file: quadruped/quadruped.urdf, default_free_body_pose: {base: {translation: [0, 0, 1]}}}",
    "add_model: {name: m, file: quadruped/quadruped.urdf, default_free_body_pose: {base: {base_frame: 'q::front_left_calf', translation: [0, 0, 1]}}}",
    "add_model_instance: {name: m}",
    "add_weld: {parent: world, child: 'q::base'}",
    "add_weld: {parent: world, child: 'q::base', X_PC: {rotation: !Rpy {deg: [0, 0, 90]}}}",
    "add_weld: {parent: world, child: 'q::front_left_calf'}",
    "add_weld: {parent: 'q::base', child: 'q::front_left_calf'}",
    "add_frame: {name: f, X_PF: {base_frame: 'q::base', rotation: !AngleAxis {angle_deg: 90, axis: [0, 0, 1]}}}",
    "add_frame: {name: f, X_PF: {base_frame: world, rotation: !Uniform {}}}",
    "add_collision_filter_group: {name: g, members: ['q::base', 'q::front_left_calf'], ignored_collision_filter_groups: [g]}",
    "add_directives: {file: arm_station/tools.dmd.yaml, model_namespace: n}",
    "add_planar_joint: {name: j}",
];

/// The reader's answer to a directive.
fn ask(example: &str) -> Answer {
    let entry = if example.is_empty() { String::new() } else { format!("- {example}\n") };
    let text = format!(
        "directives:\n- add_model: {{name: q, file: quadruped/quadruped.urdf}}\n- add_model_instance: {{name: n}}\n{entry}"
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/support.dmd.yaml");
    answer_of(Scene::from_directives(&text, path, &LoadOptions::default()))
}

/// The table.
pub(super) fn table() -> String {
    let mut out = String::from("| example | answer |\n|---|---|\n");
    for example in EXAMPLES {
        let answer = say(ask(""), ask(example));
        _ = writeln!(out, "| `{example}` | {answer} |");
    }
    out
}
