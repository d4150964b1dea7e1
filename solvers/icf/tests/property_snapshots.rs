//! A snapshot file is not to be trusted: whatever is changed in it, reading and solving end in a result or an error.

#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use serde_json::{Value, json};
use signorini_core::{ContactSolver, LawRegistry, Snapshot, StepProblem, StepSolution, Tolerance};
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_testkit::random_problem::random_dense_problem;
use signorini_testkit::toys::SoftContact;

fn snapshot() -> Value {
    let p = random_dense_problem(7, 9, 5).build(SoftContact).unwrap();
    serde_json::to_value(Snapshot::take(&p).unwrap()).unwrap()
}

/// Paths to every number, list and object.
fn places(v: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match v {
        Value::Array(a) => a.iter().enumerate().for_each(|(i, x)| places(x, &format!("{at}/{i}"), out)),
        Value::Object(o) => o.iter().for_each(|(k, x)| places(x, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

/// Reads and solves; true when it came to a solution.
fn survives(v: Value) -> bool {
    let mut laws = LawRegistry::default();
    laws.register::<SoftContact, 3>();
    let Ok(snapshot) = serde_json::from_value::<Snapshot>(v) else { return false };
    let Ok(mut p) = snapshot.problem(&laws) else { return false };
    let guess = p.free_velocity().to_vec();
    let mut solution = StepSolution::default();
    let tolerance = Tolerance { max_iterations: 20, ..Tolerance::default() };
    IcfSolver::new(IcfOptions::default()).solve(&mut p, &guess, tolerance, &mut solution).is_ok()
}

#[test]
fn property_the_snapshot_itself_is_solved() {
    assert!(survives(snapshot()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn property_no_change_of_a_snapshot_panics(
        at in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        kind in 0..9,
    ) {
        let mut v = snapshot();
        let mut all = Vec::new();
        places(&v, "", &mut all);
        let path = at.get(&all).clone();
        let donor = v.pointer(other.get(&all).as_str()).unwrap().clone();
        let target = v.pointer_mut(&path).unwrap();
        match (kind, target) {
            (0, t) => *t = json!(-1),
            (1, t) => *t = json!(1e300),
            (2, t) => *t = json!(4_000_000_000_u64),
            (3, t) => *t = json!(0),
            (4, t) => *t = Value::Null,
            (5, t) => *t = donor,
            (6, Value::Array(a)) => { a.pop(); }
            (7, Value::Array(a)) => { let last = a.last().cloned(); a.extend(last); }
            (8, Value::Number(n)) => {
                let next = n.as_f64().unwrap_or(0.0) + 1.0;
                let t = v.pointer_mut(&path).unwrap();
                *t = if next.fract() == 0.0 { json!(next as i64) } else { json!(next) };
            }
            _ => {}
        }
        survives(v);
    }
}
