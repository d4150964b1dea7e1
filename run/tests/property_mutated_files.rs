//! Models from files with changed numbers and words: refused, or they take a step or say why not; nothing panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use signorini_core::NoObserver;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;
use signorini_testkit::rng::Rng;

/// Replacements of a number or a word.
const VALUES: [&str; 16] = [
    "nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "-1", "0", "", "1e9", "-1e-9", "0 0 0", "world",
    "true", "0.001", "3",
];

/// Files of this project, and files of other projects where they are.
fn files() -> Vec<(PathBuf, String)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let mut paths: Vec<PathBuf> = ["xml", "urdf"]
        .iter()
        .flat_map(|e| [format!("arm_gripper/arm_gripper.{e}"), format!("quadruped/quadruped.{e}")])
        .map(|p| own.join(p))
        .collect();
    paths.push(own.join("arm_station/table.sdf"));
    let witnesses = Path::new(env!("CARGO_MANIFEST_DIR")).join("../multibody/tests/data/drake_witnesses");
    paths.extend(["arm.sdf", "hand.sdf", "puck.sdf"].map(|p| witnesses.join(p)));
    for name in [
        "humanoid/humanoid.xml",
        "four_bar/four_bar.xml",
        "robotiq_2f85/2f85.xml",
        "leap_hand/scene.xml",
        "panda/panda.xml",
        "boston_dynamics_spot/scene.xml",
        "urdf/r2d2/r2d2.urdf",
        "urdf/parallel_gripper/parallel_gripper.urdf",
        "urdf_zoo/minitaur/minitaur.urdf",
    ] {
        paths.extend(data::model(name));
    }
    paths.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).unwrap())).collect()
}

/// Byte ranges of attribute values, and of the texts of elements that have nothing else, as SDFormat states values.
fn values(text: &str) -> Vec<(usize, usize)> {
    let mut found = leaves(text);
    let mut at = 0;
    while let Some(i) = text[at..].find(['"', '\'']).map(|i| at + i) {
        let quote = text.as_bytes()[i] as char;
        let Some(n) = text[i + 1..].find(quote) else { break };
        if text[..i].ends_with('=') {
            found.push((i + 1, i + 1 + n));
        }
        at = i + n + 2;
    }
    found
}

fn leaves(text: &str) -> Vec<(usize, usize)> {
    let starts = text.match_indices('>').map(|(i, _)| i + 1);
    let ends = |i: usize| text[i..].find('<').map(|n| (i, i + n)).filter(|r| text[r.1..].starts_with("</"));
    starts.filter_map(ends).filter(|r| !text[r.0..r.1].trim().is_empty()).collect()
}

/// Byte ranges of elements without content.
fn empty_elements(text: &str) -> Vec<(usize, usize)> {
    let end = |i: usize| text[i..].find('>').map_or(text.len(), |n| i + n + 1);
    text.match_indices('<').map(|(i, _)| (i, end(i))).filter(|(_, e)| text[..*e].ends_with("/>")).collect()
}

fn mutate(text: &str, r: &mut Rng) -> String {
    let all = values(text);
    let (start, end) = all[r.below(all.len())];
    let value = &text[start..end];
    let words: Vec<&str> = value.split_whitespace().collect();
    let with = |s: String| format!("{}{s}{}", &text[..start], &text[end..]);
    match r.below(10) {
        // One number of a list: the rest of the element stays sound, so that the change reaches deep.
        0..=5 if !words.is_empty() => {
            let i = r.below(words.len());
            let new = match (words[i].parse::<f64>(), r.below(4)) {
                (Ok(x), 0) => (-x).to_string(),
                (Ok(x), 1 | 2) => (x * 10.0_f64.powf(3.0 * r.normal())).to_string(),
                _ => VALUES[r.below(VALUES.len())].to_owned(),
            };
            let list: Vec<&str> =
                words.iter().enumerate().map(|(k, w)| if k == i { &new[..] } else { w }).collect();
            with(list.join(" "))
        }
        6 => with(VALUES[r.below(VALUES.len())].to_owned()),
        7 => {
            let (s, e) = all[r.below(all.len())];
            with(text[s..e].to_owned())
        }
        kind => {
            let elements = empty_elements(text);
            if elements.is_empty() {
                return text.to_owned();
            }
            let (s, e) = elements[r.below(elements.len())];
            let part = if kind == 8 { String::new() } else { text[s..e].repeat(2) };
            format!("{}{part}{}", &text[..s], &text[e..])
        }
    }
}

/// Last stage that a model reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    Refused,
    Scene,
    System,
    Step,
}

fn reach(text: &str, path: &Path, engine: &Method) -> Reached {
    let options = LoadOptions { without_meshes: true, ..LoadOptions::default() };
    // The root element decides on the format.
    let read = Scene::from_mjcf(text, path, &options);
    let Ok(scene) = read else { return Reached::Refused };
    let Ok(mut sys) = engine.system(&scene) else { return Reached::Scene };
    let Ok(mut x) = sys.initial_state(scene.keyframes.first()) else { return Reached::System };
    let _ = sys.deepest_penetration(&x);
    let mut integrator = engine.integrator().unwrap();
    match integrator.advance(&mut sys, &mut x, 4e-3, &mut NoObserver) {
        Ok(_) => Reached::Step,
        Err(_) => Reached::System,
    }
}

#[test]
fn property_changed_models_step_or_say_why_not() {
    let mut counts = [0usize; 4];
    let files = files();
    for (path, text) in &files {
        assert_eq!(reach(text, path, &Method::icf().with_step(2e-3)), Reached::Step, "{}", path.display());
    }
    for seed in 0..CASES {
        let mut r = Rng::new(seed);
        let (path, text) = &files[r.below(files.len())];
        let mut changed = mutate(text, &mut r);
        for _ in 0..r.below(3) {
            changed = mutate(&changed, &mut r);
        }
        let engine = if seed % 2 == 0 { Method::icf().with_step(2e-3) } else { Method::cenic(1e-2) };
        let reached = catch_unwind(AssertUnwindSafe(|| reach(&changed, path, &engine)));
        assert!(reached.is_ok(), "a panic: seed {seed}, {}", path.display());
        counts[reached.map_or(0, |r| r as usize)] += 1;
    }
    println!("refused, scene, system, step: {counts:?}");
    // The test is worth its time when many changed models get as far as a step.
    assert!(counts[Reached::Step as usize] as u64 > CASES / 5, "{counts:?}");
}

/// Number of changed models.
const CASES: u64 = 8_000;
