//! Snapshots come from anywhere: whatever lies in the file, reading and solving it ends with a problem or an error.

use crate::common;

use common::Parts;
use proptest::prelude::*;
use serde_json::{Value, json};
use signorini_core::{ContactSolver, Snapshot, StepProblem, StepSolution, Tolerance};
use signorini_icf::IcfSolver;
use signorini_laws::{Lagged, Sap, Similar, registry};
use signorini_testkit::rng::Rng;

fn snapshot(seed: u64) -> Value {
    let parts = Parts::random(seed, 4, 6);
    let p = match seed % 3 {
        0 => parts.build(Lagged::default()).0,
        1 => parts.build(Similar::default()).0,
        _ => parts.build(Sap::default()).0,
    };
    serde_json::to_value(Snapshot::take(&p).unwrap()).unwrap()
}

/// Pointers to all entries, containers among them.
fn entries(v: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.into());
    match v {
        Value::Array(a) => a.iter().enumerate().for_each(|(i, v)| entries(v, &format!("{at}/{i}"), out)),
        Value::Object(o) => o.iter().for_each(|(k, v)| entries(v, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

fn mutate(v: &mut Value, r: &mut Rng) {
    let strange = [
        json!(null),
        json!(true),
        json!(""),
        json!("lagged"),
        json!([]),
        json!({}),
        json!(0),
        json!(1),
        json!(-1),
        json!(2.5),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(1e-200),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
    ];
    match v {
        Value::Array(a) if !a.is_empty() => {
            let i = r.below(a.len());
            let j = r.below(a.len());
            match r.below(5) {
                0 => a.truncate(i),
                1 => a.swap(i, j),
                2 => a.push(a[i].clone()),
                3 => drop(a.remove(i)),
                _ => *v = strange[r.below(strange.len())].clone(),
            }
        }
        Value::Object(o) if !o.is_empty() && r.below(2) == 0 => {
            let key = o.keys().nth(r.below(o.len())).unwrap().clone();
            o.remove(&key);
        }
        Value::Number(n) => {
            let x = n.as_f64().unwrap();
            *v = match r.below(4) {
                0 => json!(-x),
                1 => json!(x * 10.0_f64.powf(4.0 * r.normal())),
                _ => strange[r.below(strange.len())].clone(),
            };
        }
        _ => *v = strange[r.below(strange.len())].clone(),
    }
}

/// Reads and solves; true when the content was accepted.
fn try_all(text: &str) -> bool {
    let Ok(s) = serde_json::from_str::<Snapshot>(text) else { return false };
    let Ok(mut p) = s.problem(&registry()) else { return false };
    let guess = p.free_velocity().to_vec();
    assert!(p.value(&guess).is_ok(), "a finite velocity has a value");
    let _ = p.frozen_map().to_dense();
    let mut out = StepSolution::default();
    // An error or a status: both are answers.
    let _ = IcfSolver::default().solve(&mut p, &guess, Tolerance::default(), &mut out);
    true
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn property_mutated_entries_are_errors_or_problems(which in 0u64..12, seed: u64, count in 1usize..4) {
        let mut file = snapshot(which);
        let mut r = Rng::new(seed);
        for _ in 0..count {
            let mut all = Vec::new();
            entries(&file, "", &mut all);
            // Most entries are numbers of the Jacobian: a part of the file is drawn first.
            let parts = ["/dt", "/inertia", "/free_velocity", "/map", "/contacts", "/pools"];
            let part = parts[r.below(parts.len())];
            let mut chosen: Vec<&String> = all.iter().filter(|p| p.starts_with(part)).collect();
            if r.below(2) == 0 {
                chosen.retain(|p| p.matches('/').count() < 4);
            }
            if let Some(pointer) = (!chosen.is_empty()).then(|| chosen[r.below(chosen.len())]) {
                mutate(file.pointer_mut(pointer).unwrap(), &mut r);
            }
        }
        try_all(&file.to_string());
    }

    #[test]
    fn property_mutated_bytes_are_errors_or_problems(which in 0u64..12, seed: u64, count in 1usize..4) {
        let mut bytes = snapshot(which).to_string().into_bytes();
        let mut r = Rng::new(seed);
        for _ in 0..count {
            if bytes.is_empty() {
                break; // A truncation to one byte, and that byte removed: the empty file is tried.
            }
            let i = r.below(bytes.len());
            match r.below(3) {
                0 => bytes.truncate(i + 1),
                1 => bytes[i] = b"0123456789-+.eE[]{},:\"n "[r.below(24)],
                _ => drop(bytes.remove(i)),
            }
        }
        try_all(&String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn regression_the_property_reaches_the_solver() {
    assert!((0..12).all(|which| try_all(&snapshot(which).to_string())));
}
