//! Matrix Market files of a frozen step, read back.

use signorini_core::na::{DMatrix, SMatrix, SVector};
use signorini_core::{
    BlockDiagonal, ContactLaw, FrozenMap, FrozenProblem, LawEval, LawProperties, Pool, Pools, Smoothness,
    Snapshot, StepProblem, WholePart,
};
use signorini_math::write_matrix_market;

/// ½ s ‖v_c‖⁴/2: a Hessian that depends on where it is taken.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Quartic;

impl ContactLaw<2> for Quartic {
    type Seed = f64;
    type Params = f64;
    const KEY: &'static str = "quartic";
    const PROPERTIES: LawProperties = LawProperties { smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "none";
    fn prepare(&self, seed: &f64) -> f64 {
        *seed
    }
    fn eval(&self, s: &f64, v: SVector<f64, 2>) -> LawEval<2> {
        let n = v.norm_squared();
        LawEval {
            cost: 0.25 * s * n * n,
            grad: v * (s * n),
            hess: SMatrix::identity() * (s * n) + v * v.transpose() * (2.0 * s),
        }
    }
}

fn problem() -> FrozenProblem {
    let mut inertia = BlockDiagonal::with_sizes(&[2, 3]);
    inertia.block_mut(0).copy_from_slice(&[2.0, 0.1, 0.1, 3.0]);
    inertia.block_mut(1).copy_from_slice(&[1.0, 0.0, 0.2, 0.0, 1.5, 0.0, 0.2, 0.0, 2.5]);
    inertia.factor().unwrap();
    let mut map = FrozenMap::new(&[0, 2, 5]);
    let mut pool = Pool::<Quartic, 2>::new(Quartic);
    for k in 0..3 {
        map.push_constraint(&[0.1, -0.2]);
        for b in 0..2 {
            if k != 2 || b == 1 {
                let jac = map.push_block(b);
                jac.iter_mut().enumerate().for_each(|(i, x)| *x = ((3 * i + 5 * b + 7 * k) as f64).sin());
            }
        }
        pool.push(&(1.0 / (k as f64 + 3.0)));
    }
    let v_star = vec![0.3, -0.7, std::f64::consts::PI, 1e-17, 1.0 / 3.0];
    FrozenProblem::new(1e-3, inertia, v_star, map, Pools::new(vec![Box::new(pool)]), Vec::new()).unwrap()
}

fn read(path: &std::path::Path) -> DMatrix<f64> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix coordinate real general"));
    let mut numbers = lines.map(|line| line.split(' ').collect::<Vec<_>>().try_into().unwrap());
    let [rows, cols, count]: [&str; 3] = numbers.next().unwrap();
    let mut dense = DMatrix::zeros(rows.parse().unwrap(), cols.parse().unwrap());
    let mut seen = std::collections::BTreeSet::new();
    for [i, j, x] in numbers {
        let at = (i.parse::<usize>().unwrap() - 1, j.parse::<usize>().unwrap() - 1);
        assert!(seen.insert(at), "{at:?} twice");
        dense[at] = x.parse().unwrap();
    }
    assert_eq!(seen.len(), count.parse::<usize>().unwrap());
    dense
}

#[test]
fn regression_written_matrices_are_those_of_the_problem() {
    let folder = std::env::temp_dir().join(format!("signorini-mtx-{}", std::process::id()));
    // Through a snapshot, as people send them.
    let mut laws = signorini_core::LawRegistry::default();
    laws.register::<Quartic, 2>();
    let mut p = Snapshot::take(&problem()).unwrap().problem(&laws).unwrap();
    let v_star = p.free_velocity().to_vec();
    write_matrix_market(&mut p, &v_star, &folder).unwrap();
    let [a, j, h, v] = ["A", "J", "H", "v_star"].map(|name| read(&folder.join(format!("{name}.mtx"))));
    std::fs::remove_dir_all(&folder).unwrap();

    assert_eq!(a, p.block_inertia().to_dense());
    assert_eq!(j, p.frozen_map().to_dense());
    assert_eq!(v.as_slice(), v_star);
    let mut whole = WholePart::default();
    whole.fit(&p);
    let mut expected = a;
    for k in 0..3 {
        let jac = j.rows(2 * k, 2);
        let v_c = jac * &v + SVector::<f64, 2>::new(0.1, -0.2);
        let e = Quartic.eval(&(1.0 / (k as f64 + 3.0)), SVector::<f64, 2>::new(v_c[0], v_c[1]));
        expected += jac.transpose() * e.hess * jac;
    }
    // Entries up to 50, summed in another order.
    assert!((&h - &expected).amax() < 1e-13, "{h}{expected}");
}
