//! Blocks of all sizes, those with loops of their own among them, factor and solve as dense matrices do.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use signorini_core::{BlockDiagonal, ContactSide, FrozenMap, FrozenProblem, Inertia, ProblemError};

/// Positive definite blocks of the given sizes: G Gᵀ plus the identity, with G of the given entries.
fn blocks(sizes: &[usize], entries: &[f64]) -> BlockDiagonal {
    let mut inertia = BlockDiagonal::with_sizes(sizes);
    let mut next = entries.iter().copied().cycle();
    for (b, &n) in sizes.iter().enumerate() {
        let g = DMatrix::from_fn(n, n, |_, _| next.next().unwrap());
        let a = &g * g.transpose() + DMatrix::identity(n, n);
        inertia.block_mut(b).copy_from_slice(a.as_slice());
    }
    inertia
}

proptest! {
    #[test]
    fn property_blocks_solve_as_dense_matrices(
        sizes in prop::collection::vec(1_usize..12, 1..5),
        entries in prop::collection::vec(-1.0..1.0_f64, 97),
    ) {
        let mut inertia = blocks(&sizes, &entries);
        inertia.factor().unwrap();
        let a = inertia.to_dense();
        let inverse = a.clone().try_inverse().unwrap();
        let b = DVector::from_fn(a.nrows(), |i, _| (1.0 + i as f64).sin());
        // Round-off: condition numbers stay below 1e3, entries of order one.
        prop_assert!((&inverse * &b - inertia.solved(&b)).amax() < 1e-12);
        for (i, s) in inertia.scaling().iter().enumerate() {
            prop_assert!((s * a[(i, i)].sqrt() - 1.0).abs() < 1e-15);
        }

        let starts = inertia.block_starts().to_vec();
        let mut map = FrozenMap::new(&starts);
        for dim in [1, 3, 6] {
            for block in 0..sizes.len() {
                map.push_constraint(&vec![0.0; dim]);
                map.push_block(block).iter_mut().enumerate().for_each(|(i, x)| *x = (i as f64).cos());
            }
        }
        let j = map.to_dense();
        for k in 0..map.constraint_count() {
            let (r, d) = map.rows_of(k);
            let rows = j.rows(r, d);
            let expected = rows * &inverse * rows.transpose();
            let side = FrozenProblem::sides(&inertia, &map, k)[0];
            let three = d.min(3);
            prop_assert!((side.linear.view((0, 0), (three, three)) - expected.view((0, 0), (three, three))).amax() < 1e-11);
            if d == 6 {
                prop_assert!((side.angular - expected.view((3, 3), (3, 3))).amax() < 1e-11);
            }
        }

        // Sides by coordinates in which the inertia is the identity.
        let mut whitened = FrozenMap::default();
        inertia.whiten_map(&map, &mut whitened);
        for k in 0..map.constraint_count() {
            let mut sides = [ContactSide::default(); 2];
            whitened.set_sides(k, map.rows_of(k).1, &mut sides);
            for (a, b) in sides.iter().zip(&FrozenProblem::sides(&inertia, &map, k)) {
                prop_assert!((a.linear - b.linear).amax() < 1e-11);
                prop_assert!((a.angular - b.angular).amax() < 1e-11);
                prop_assert!((a.coupling - b.coupling).amax() < 1e-11);
            }
        }
        let mut product = vec![0.0; a.nrows()];
        inertia.multiply(b.as_slice(), &mut product);
        prop_assert!((&a * &b - DVector::from_vec(product)).amax() < 1e-12);
        let mut copied = blocks(&sizes, &entries);
        (0..sizes.len()).for_each(|b| copied.copy_factor(&inertia, b));
        prop_assert_eq!(copied.solved(&b), inertia.solved(&b));
    }

    #[test]
    fn property_blocks_that_cannot_be_factored_are_named(n in 1_usize..12, at in 0_usize..12, entries in prop::collection::vec(-1.0..1.0_f64, 31)) {
        let sizes = [3, n];
        for (value, finite) in [(-1e3, true), (f64::NAN, false)] {
            let mut inertia = blocks(&sizes, &entries);
            let at = at % n;
            inertia.block_mut(1)[at * n + at] = value;
            match inertia.factor() {
                Err(ProblemError::NotPositiveDefinite { block, .. }) => prop_assert!(finite && block == 1),
                Err(ProblemError::NonFinite { index, .. }) => prop_assert!(!finite && (3..3 + n).contains(&index)),
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
