//! Rows between blocks of an inertia: solves beside the dense matrix.

use proptest::prelude::*;
use signorini_core::na::{DMatrix, DVector};
use signorini_core::{BlockDiagonal, Coupling, ProblemError};

/// Positive definite blocks of these sizes, also as one matrix.
fn blocks(sizes: &[usize], seed: &[f64]) -> (BlockDiagonal, DMatrix<f64>) {
    let mut starts = vec![0];
    sizes.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
    let n = starts[sizes.len()];
    let mut dense = DMatrix::zeros(n, n);
    let mut inertia = BlockDiagonal::with_sizes(sizes);
    for (b, w) in starts.windows(2).enumerate() {
        let size = w[1] - w[0];
        let g = DMatrix::from_fn(size, size, |i, j| seed[(7 * b + 3 * i + 5 * j) % seed.len()]);
        let block = &g * g.transpose() + DMatrix::identity(size, size);
        inertia.block_mut(b).copy_from_slice(block.as_slice());
        dense.view_mut((w[0], w[0]), (size, size)).copy_from(&block);
    }
    inertia.factor().unwrap();
    (inertia, dense)
}

proptest! {
    #[test]
    fn property_solves_are_those_of_the_whole_matrix(
        sizes in prop::collection::vec(1usize..8, 2..6),
        seed in prop::collection::vec(-1.0f64..1.0, 40),
        rows in prop::collection::vec((0usize..40, 0usize..40, 0usize..40, -3.0f64..4.0), 0..20),
    ) {
        let (inertia, mut dense) = blocks(&sizes, &seed);
        let n = dense.nrows();
        let mut coupling = Coupling::default();
        for (i, (a, b, c, exponent)) in rows.iter().enumerate() {
            let mut entries = vec![(a % n, 1.0), (b % n, seed[i]), (c % n, seed[i + 1])];
            entries.sort_by_key(|e| e.0);
            entries.dedup_by_key(|e| e.0);
            let weight = 10f64.powf(*exponent);
            coupling.push(weight, entries.iter().copied());
            let mut r = DVector::zeros(n);
            entries.iter().for_each(|(c, v)| r[*c] = *v);
            dense += weight * &r * r.transpose();
        }
        coupling.factor(&inertia).unwrap();
        let right = DVector::from_fn(n, |i, _| seed[i % seed.len()]);
        let mut x = right.clone();
        inertia.solve(x.as_mut_slice());
        coupling.correct(x.as_mut_slice());
        // Round-off by the condition, below 10⁶.
        prop_assert!((&dense * &x - &right).amax() < 1e-9 * (1.0 + right.amax()) * 1e3);
    }
}

/// A row beside many others along a chain, the envelope of which stays narrow; also in an order that mixes them.
#[test]
fn property_chains_in_any_order() {
    let seed: Vec<f64> = (0..40).map(|i| f64::from(i % 7) / 7.0 - 0.4).collect();
    let (inertia, mut dense) = blocks(&[6; 50], &seed);
    let n = dense.nrows();
    let rows: Vec<Vec<(usize, f64)>> =
        (0..49).flat_map(|k| (0..6).map(move |i| vec![(6 * k + i, 1.0), (6 * k + 6 + i, -1.0)])).collect();
    for r in &rows {
        let mut d = DVector::zeros(n);
        r.iter().for_each(|(c, v)| d[*c] = *v);
        dense += 1e3 * &d * d.transpose();
    }
    let right = DVector::from_fn(n, |i, _| seed[i % seed.len()]);
    let exact = dense.cholesky().unwrap().solve(&right);
    for stride in [1, 37] {
        let mut coupling = Coupling::default();
        (0..rows.len()).for_each(|i| coupling.push(1e3, rows[stride * i % rows.len()].iter().copied()));
        coupling.factor(&inertia).unwrap();
        let mut x = right.clone();
        inertia.solve(x.as_mut_slice());
        coupling.correct(x.as_mut_slice());
        assert!((&x - &exact).amax() < 1e-9 * exact.amax(), "{}", (&x - &exact).amax());
    }
}

#[test]
fn property_weights_that_are_no_numbers_are_refused() {
    let (inertia, _) = blocks(&[2, 2], &[0.3; 40]);
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut coupling = Coupling::default();
        coupling.push(1.0, [(0, 1.0), (2, 1.0)]);
        coupling.push(weight, [(0, 1.0), (2, 1.0)]);
        let e = coupling.factor(&inertia).unwrap_err();
        assert!(matches!(e, ProblemError::NonFinite { index: 1, .. }), "{weight}: {e:?}");
    }
    let mut coupling = Coupling::default();
    coupling.push(1.0, [(0, f64::NAN)]);
    assert!(coupling.factor(&inertia).is_err());
}
