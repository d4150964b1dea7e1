//! A type has at most fifteen fields, unless a reason stands here.

use crate::common;

use std::path::Path;

use common::{assert_none, files, is_source, read};

/// Most fields of a type.
const MOST: usize = 15;

/// Types with more: file, name and reason.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "multibody/src/model/actuator.rs",
        "ActuatorModel",
        "an actuator of a model: law, limits, activation, what it acts on",
    ),
    ("solvers/ipc/src/body.rs", "AffineBody", "a body as its user builds it, one setting per field"),
    (
        "solvers/ipc/src/problem.rs",
        "AffineProblem",
        "a step with scratch that lives from step to step, so that a solve allocates nothing",
    ),
    ("cli/src/plan.rs", "Arguments", "the options of a command, one per field"),
    (
        "solvers/ipc/src/candidates.rs",
        "Candidates",
        "the index of pairs with scratch that lives from step to step",
    ),
    (
        "validation/testkit/src/toys/two_cubes/problem.rs",
        "CubesProblem",
        "a toy that holds all of a step problem, so that no other crate is needed",
    ),
    ("batch/src/mujoco/data.rs", "Engine", "the buffers of MuJoCo's data, by MuJoCo's grouping"),
    ("scene/src/body.rs", "Joint", "a joint of a scene file, one attribute per field"),
    (
        "multibody/src/model/body.rs",
        "JointModel",
        "a joint of a model: kind, axis, springs, friction, limits, places in the state",
    ),
    ("scene/src/mjcf/geom.rs", "GeomSpec", "the attributes of a file's geom, before defaults are filled in"),
    (
        "scene/src/mjcf/joint.rs",
        "JointSpec",
        "the attributes of a file's joint, before defaults are filled in",
    ),
    ("cli/src/method.rs", "MethodArguments", "the options of a method, one per field"),
    ("batch/src/mujoco/data.rs", "MjData", "MuJoCo's names, which are its interface"),
    (
        "multibody/src/model/mod.rs",
        "Model",
        "the arrays of a scene in generalised coordinates, which all steps read",
    ),
    ("solvers/mpm/src/engine/mod.rs", "MpmEngine", "arrays of the fast path, kept from substep to substep"),
    ("planning/src/options.rs", "MppiOptions", "the settings of a sampler, one per field"),
    ("environments/src/peg.rs", "PegOptions", "the settings of an environment, one per field"),
    ("run/src/recording.rs", "RecordingHeader", "the head of a recording file, one field per list of names"),
    ("run/src/recording.rs", "Recording", "the arrays of a recording file, one per field"),
    ("scene/src/scene.rs", "Scene", "the parts of a scene, one per field"),
    ("coupling/src/scene_file/file.rs", "SceneFile", "the entries of a scene file, one per field"),
    (
        "integrators/src/step_controller.rs",
        "StepController",
        "the constants of error control, each with its source",
    ),
    ("solvers/mpm/src/contacts.rs", "Touch", "a contact of a point as it was found and as it was solved"),
];

/// Names and numbers of fields of the structs of a source.
fn structs(text: &str) -> Vec<(String, usize)> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut out = Vec::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let Some((before, after)) = line.split_once("struct ") else { continue };
        if before.trim_start().starts_with("//") || !line.trim_end().ends_with('{') {
            continue;
        }
        let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let indent = line.len() - line.trim_start().len();
        let field = |l: &&str| {
            let inner = l.len() - l.trim_start().len() == indent + 4;
            let l = l.trim_start();
            let restricted = || Some(l.strip_prefix("pub(")?.split_once(' ')?.1);
            let l = l.strip_prefix("pub ").or_else(restricted).unwrap_or(l);
            let named = l.split_once(':').is_some_and(|(n, _)| {
                !n.is_empty() && n.chars().all(|c| c.is_lowercase() || c.is_ascii_digit() || c == '_')
            });
            inner && named
        };
        let closing = format!("{}}}", " ".repeat(indent));
        out.push((name, lines.by_ref().take_while(|l| *l != closing).filter(field).count()));
    }
    out
}

#[test]
fn conformance_types_have_few_fields() {
    let mut complaints = Vec::new();
    let mut unseen: Vec<(&str, &str)> = KNOWN.iter().map(|k| (k.0, k.1)).collect();
    for file in files(&["rs"]).into_iter().filter(|f| is_source(f)) {
        for (name, count) in structs(&read(&file)).into_iter().filter(|s| s.1 > MOST) {
            let is = |at: &str, known: &str| file == Path::new(at) && known == name;
            unseen.retain(|k| !is(k.0, k.1));
            if !KNOWN.iter().any(|k| is(k.0, k.1)) {
                complaints.push(format!("{}: {name} has {count} fields", file.display()));
            }
        }
    }
    complaints
        .extend(unseen.iter().map(|(at, k)| format!("{at}: {k} has no more than {MOST} fields any more")));
    assert_none(&complaints);
}

#[test]
fn conformance_fields_are_counted() {
    let text = "pub struct A {\n    /// a: no field\n    pub a: f64,\n    pub(crate) b: Vec<\n        f64,\n    >,\n    c1: u8,\n}\nstruct B;\nstruct C<const D: usize> {\n    x: [f64; D],\n}\n";
    assert_eq!(structs(text), [("A".to_owned(), 3), ("C".to_owned(), 1)]);
}
