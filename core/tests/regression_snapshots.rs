//! A snapshot that was tampered with is refused, and the error names the entry.

use nalgebra::{Matrix3, Point3, SMatrix, SVector, Vector3};
use serde_json::{Value, json};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactLaw, FrozenMap, FrozenProblem, LawEval, LawProperties,
    LawRegistry, Pool, Pools, ProblemError, Smoothness, Snapshot, StepProblem,
};

/// ½ k ‖v_c‖².
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Quadratic;

impl ContactLaw<2> for Quadratic {
    type Seed = f64;
    type Params = f64;
    const KEY: &'static str = "quadratic";
    const PROPERTIES: LawProperties = LawProperties { smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "none";
    fn prepare(&self, k: &f64) -> f64 {
        *k
    }
    fn eval(&self, k: &f64, v: SVector<f64, 2>) -> LawEval<2> {
        LawEval { cost: 0.5 * k * v.norm_squared(), grad: v * *k, hess: SMatrix::identity() * *k }
    }
}

fn problem() -> FrozenProblem {
    with_members(0)
}

/// With constraints that share rows behind the others.
fn with_members(members: usize) -> FrozenProblem {
    let mut inertia = BlockDiagonal::with_sizes(&[2, 1]);
    inertia.block_mut(0).copy_from_slice(&[2.0, 0.1, 0.1, 3.0]);
    inertia.block_mut(1)[0] = 1.5;
    inertia.factor().unwrap();
    let mut map = FrozenMap::new(&[0, 2, 3]);
    let mut pool = Pool::<Quadratic, 2>::new(Quadratic);
    for k in 0..2 {
        map.push_constraint(&[0.1, -0.2]);
        for b in k..2 {
            map.push_block(b).iter_mut().zip(0..).for_each(|(x, i)| *x = f64::from(i) + 1.0 / 3.0);
        }
        pool.push(&(1.0 + k as f64));
    }
    for k in 0..members {
        if k == 0 {
            map.push_shared();
            map.push_shared_block(1).iter_mut().zip(0..).for_each(|(x, i)| *x = f64::from(i) - 1.5);
        }
        map.push_member(&[0.3, -0.1 * k as f64].repeat(6), &[0.1, 0.4]);
        pool.push(&2.0);
    }
    let contact = ContactGeometry {
        constraint: 1,
        bodies: [0, 1],
        geoms: [0, 1],
        p_wc: Point3::origin(),
        arms: [Vector3::zeros(); 2],
        r_wc: Matrix3::identity(),
        gap: -1e-3,
        feature: 7,
    };
    FrozenProblem::new(
        1e-3,
        inertia,
        vec![0.3, -0.7, 0.1],
        map,
        Pools::new(vec![Box::new(pool)]),
        vec![contact],
    )
    .unwrap()
}

fn laws() -> LawRegistry {
    let mut laws = LawRegistry::default();
    laws.register::<Quadratic, 2>();
    laws
}

/// The message of a file in which the entry at `pointer` is `value`.
fn message(problem: &FrozenProblem, pointer: &str, value: Value) -> String {
    let mut file = serde_json::to_value(Snapshot::take(problem).unwrap()).unwrap();
    *file.pointer_mut(pointer).unwrap() = value;
    match serde_json::from_value::<Snapshot>(file) {
        Err(e) => e.to_string(),
        Ok(s) => s.problem(&laws()).err().map_or("accepted".into(), |e| e.to_string()),
    }
}

#[test]
fn regression_an_untouched_snapshot_is_the_same_problem() {
    for members in [0, 2] {
        let mut problem = with_members(members);
        let text = serde_json::to_string(&Snapshot::take(&problem).unwrap()).unwrap();
        assert_eq!(text.contains("shared"), members > 0);
        let mut again = serde_json::from_str::<Snapshot>(&text).unwrap().problem(&laws()).unwrap();
        let v = [0.2, -1.0, 0.7];
        assert_eq!(problem.value(&v).unwrap(), again.value(&v).unwrap(), "bit for bit");
        let solve = |p: &FrozenProblem| p.block_inertia().solved(&nalgebra::DVector::from_row_slice(&v));
        assert_eq!(solve(&problem), solve(&again), "factors are computed anew");
    }
}

#[test]
fn regression_errors_name_the_entry() {
    for (pointer, value, words) in [
        ("/dt", json!(0.0), "step size"),
        ("/dt", json!(null), "null"),
        ("/free_velocity", json!([1.0]), "free velocity"),
        ("/inertia/starts", json!([0, 2, 4]), "inertia.blocks: it does not have the entries of its blocks"),
        ("/inertia/starts", json!([0, 2, 1]), "inertia.starts"),
        ("/inertia/starts", json!([]), "inertia.starts"),
        ("/inertia/starts/1", json!(u64::MAX), "inertia.starts"),
        ("/inertia/offsets/1", json!(3), "inertia.offsets"),
        ("/inertia/blocks/1", json!(0.7), "inertia.blocks: block 0 is not symmetric"),
        ("/inertia/blocks/4", json!(-1.0), "inertia.blocks: the inertia of block 1"),
        ("/map/starts", json!([0, 2, 3, 4]), "blocks of the map"),
        ("/map/dims/0", json!(0), "map.dims"),
        ("/map/dims", json!([1, 3]), "map."),
        ("/map/rows/1", json!(3), "map.rows"),
        ("/map/entry_start/1", json!(9), "map.entry_start"),
        ("/map/entry_start", json!([0, 2]), "map.entry_start"),
        ("/map/entry_at/1", json!(1), "map.entry_at"),
        ("/map/entry_block/2", json!(5), "map.entry_block: constraint 1 names block 5 of 2"),
        ("/map/entry_block/1", json!(0), "map.entry_block: blocks of constraint 0 do not ascend"),
        ("/map/jac", json!([1.0]), "map.jac"),
        ("/contacts/0/constraint", json!(2), "contacts: contact 0: constraint 2 of 2"),
        ("/contacts/0/r_wc/0", json!(0.9), "contacts: contact 0: its frame"),
        (
            "/pools/0/key",
            json!("magic"),
            "law magic with 2 rows, which is not registered; known: quadratic/2",
        ),
        ("/pools/0/dim", json!(3), "law quadratic with 3 rows"),
        ("/pools/0/content/params", json!([1.0]), "constraints of the map"),
        ("/pools/0/content/params/0", json!("much"), "pool quadratic"),
        ("/pools/0/content/params/0", json!(-1.0), "pool 0 (quadratic), constraint 0: the law is convex"),
        ("/free_velocity/0", json!(1e200), "pool 0 (quadratic), constraint 0: cost"),
    ] {
        let found = message(&problem(), pointer, value.clone());
        assert!(found.contains(words), "{pointer} = {value}: {found}");
    }
    for (pointer, value, words) in [
        ("/map/shared/set", json!([0]), "map.shared: it does not have one entry per constraint"),
        ("/map/shared/set", json!([]), "map.shared: it has no constraints"),
        ("/map/shared/set/3", json!(7), "map.shared.set: it names rows that do not exist"),
        ("/map/shared/set/0", json!(0), "map.shared.set: a constraint has blocks of its own and shared ones"),
        ("/map/shared/at/3", json!(13), "map.shared.select: it has too few entries"),
        ("/map/shared/rows", json!(null), "map.shared.rows: it is missing"),
        ("/map/shared/rows/starts", json!([0, 1, 3]), "map."),
        ("/map/shared/select/5", json!(null), "null"),
    ] {
        let found = message(&with_members(2), pointer, value.clone());
        assert!(found.contains(words), "{pointer} = {value}: {found}");
    }
}

#[test]
fn regression_blocks_of_map_and_inertia_must_agree() {
    let mut inertia = BlockDiagonal::with_sizes(&[2, 1]);
    inertia.block_mut(0).copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    inertia.block_mut(1)[0] = 1.0;
    inertia.factor().unwrap();
    let map = FrozenMap::new(&[0, 1, 3]);
    let error =
        FrozenProblem::new(1e-3, inertia, vec![0.0; 3], map, Pools::default(), Vec::new()).err().unwrap();
    assert_eq!(error, ProblemError::Blocks { block: 1, expected: 2, found: 1 });
}
