//! Block-sparse Cholesky against dense Cholesky on random block graphs.

use proptest::prelude::*;
use signorini_core::BlockSink;
use signorini_core::na::{DMatrix, DVector};
use signorini_math::{BlockCholesky, BlockParts, BlockPattern, CholeskyError};

/// A random symmetric positive definite block matrix: sizes, couplings, and the blocks.
#[derive(Debug)]
struct Problem {
    starts: Vec<usize>,
    couplings: Vec<Vec<u32>>,
    blocks: Vec<(usize, usize, Vec<f64>)>,
    dense: DMatrix<f64>,
}

/// A cheap sequence of numbers in (−1, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

impl Problem {
    /// Σ Jᵀ J over couplings on top of a diagonal: as contacts assemble it.
    fn new(sizes: &[usize], couplings: Vec<Vec<u32>>, seed: u64) -> Self {
        let mut noise = Noise(seed);
        let mut starts = vec![0];
        for n in sizes {
            starts.push(starts[starts.len() - 1] + n);
        }
        let n = starts[sizes.len()];
        let mut dense = DMatrix::zeros(n, n);
        let mut blocks = Vec::new();
        for b in 0..sizes.len() {
            let mut d = DMatrix::identity(sizes[b], sizes[b]);
            d *= 1.0 + noise.next().abs();
            dense.view_mut((starts[b], starts[b]), d.shape()).copy_from(&d);
            blocks.push((b, b, d.as_slice().to_vec()));
        }
        for list in &couplings {
            let jac: Vec<_> =
                list.iter().map(|&b| DMatrix::from_fn(3, sizes[b as usize], |_, _| noise.next())).collect();
            for (i, &row) in list.iter().enumerate() {
                for (j, &col) in list[..=i].iter().enumerate() {
                    let (row, col) = (row as usize, col as usize);
                    let block = jac[i].transpose() * &jac[j];
                    let mut view = dense.view_mut((starts[row], starts[col]), block.shape());
                    view += &block;
                    if row != col {
                        let mut view = dense.view_mut((starts[col], starts[row]), (sizes[col], sizes[row]));
                        view += block.transpose();
                    }
                    blocks.push((row, col, block.as_slice().to_vec()));
                }
            }
        }
        Self { starts, couplings, blocks, dense }
    }

    fn pattern(&self) -> BlockPattern {
        let mut pattern = BlockPattern::default();
        pattern.reset(&self.starts);
        self.couplings.iter().for_each(|list| pattern.couple(list));
        pattern.couple_all_diagonals();
        pattern.finish();
        pattern
    }

    /// Factors part by part and solves; the largest error against the dense solution, relative to the solution.
    fn error(&self, h: &mut BlockCholesky, separate: bool) -> f64 {
        let pattern = self.pattern();
        let mut parts = BlockParts::default();
        if separate {
            parts.components(&pattern);
        } else {
            parts.whole(&pattern);
        }
        h.analyze(&pattern, &parts);
        let rhs = DVector::from_fn(self.dense.nrows(), |i, _| 1.0 + ((7 * i) as f64).sin());
        let mut x = rhs.clone();
        (0..parts.len()).for_each(|p| h.clear(p));
        self.blocks.iter().for_each(|(row, col, block)| h.add(*row, *col, block));
        for p in 0..parts.len() {
            h.factor(p).unwrap();
            h.solve(p, x.as_mut_slice());
        }
        let expected = self.dense.clone().cholesky().unwrap().solve(&rhs);
        (x - &expected).amax() / expected.amax()
    }
}

fn problems() -> impl Strategy<Value = Problem> {
    let sizes =
        prop::collection::vec(prop_oneof![3 => Just(6_usize), 2 => 1_usize..=13, 1 => 20_usize..=40], 1..14);
    (sizes, any::<u64>(), 0_usize..30).prop_map(|(sizes, seed, count)| {
        let mut noise = Noise(seed);
        let n = sizes.len();
        let mut pick = || ((noise.next().abs() * n as f64) as u32).min(n as u32 - 1);
        let couplings = (0..count)
            .map(|k| {
                let mut list: Vec<u32> = (0..1 + k % 3).map(|_| pick()).collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        Problem::new(&sizes, couplings, seed)
    })
}

// Condition numbers stay below 1e3: 1e-11 leaves four digits above round-off.
const TOLERANCE: f64 = 1e-11;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn property_supernodal_equals_dense(p in problems(), separate: bool) {
        prop_assert!(p.error(&mut BlockCholesky::default(), separate) < TOLERANCE);
    }

    #[test]
    fn property_storage_is_reused_between_patterns(a in problems(), b in problems()) {
        let mut h = BlockCholesky::default();
        for p in [&a, &b, &a] {
            prop_assert!(p.error(&mut h, true) < TOLERANCE);
        }
    }

    #[test]
    fn property_result_does_not_depend_on_other_parts(p in problems()) {
        // The matrix twice, side by side: both copies give the bits of one alone.
        let sizes: Vec<usize> = p.starts.windows(2).map(|w| w[1] - w[0]).collect();
        let nb = sizes.len() as u32;
        let twice: Vec<usize> = sizes.iter().chain(&sizes).copied().collect();
        let shifted = p.couplings.iter().map(|list| list.iter().map(|b| b + nb).collect());
        let couplings = p.couplings.iter().cloned().chain(shifted).collect();
        let both = Problem::new(&twice, couplings, 1);
        let (pattern, mut parts) = (both.pattern(), BlockParts::default());
        parts.components(&pattern);
        let mut h = BlockCholesky::default();
        h.analyze(&pattern, &parts);
        (0..parts.len()).for_each(|p| h.clear(p));
        for (row, col, block) in &p.blocks {
            h.add(*row, *col, block);
            h.add(row + nb as usize, col + nb as usize, block);
        }
        let n = p.dense.nrows();
        let mut x: Vec<f64> = (0..2 * n).map(|i| ((i % n) as f64).cos()).collect();
        for p in 0..parts.len() {
            h.factor(p).unwrap();
            h.solve(p, &mut x);
        }
        prop_assert_eq!(&x[..n], &x[n..]);
    }
}

/// Blocks on a grid of three axes with their neighbours, some of the blocks further off, and at times a block that touches all.
fn piles() -> impl Strategy<Value = Problem> {
    (8_usize..330, 1_usize..=7, any::<u64>(), any::<bool>()).prop_map(|(n, largest, seed, hub)| {
        let mut noise = Noise(seed);
        let side = (n as f64).cbrt().ceil() as usize;
        let sizes: Vec<usize> = (0..n).map(|_| 1 + (noise.next().abs() * largest as f64) as usize).collect();
        let mut couplings = Vec::new();
        for b in 0..n as u32 {
            for step in [1, side as u32, (side * side) as u32, 1 + (noise.next().abs() * 40.0) as u32] {
                // Some blocks touch nothing.
                if b >= step && (b % 11 != 3 || hub) {
                    couplings.push(vec![b - step, b]);
                }
            }
            if hub && b > 0 {
                couplings.push(vec![0, b]);
            }
        }
        Problem::new(&sizes, couplings, seed)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn property_piles_with_wide_panels_equal_dense(p in piles(), separate: bool) {
        prop_assert!(p.error(&mut BlockCholesky::default(), separate) < TOLERANCE);
    }

    #[test]
    fn property_a_bad_pivot_of_a_wide_panel_is_found(n in 20_usize..60, bad in any::<prop::sample::Index>(), nan: bool) {
        // One clique, diagonally dominant but for one block: its rows and columns are those of the panel.
        let bad = bad.index(n);
        let starts: Vec<usize> = (0..=n).map(|b| 6 * b).collect();
        let (mut pattern, mut parts) = (BlockPattern::default(), BlockParts::default());
        pattern.reset(&starts);
        pattern.couple(&(0..n as u32).collect::<Vec<_>>());
        pattern.finish();
        parts.whole(&pattern);
        let mut h = BlockCholesky::default();
        h.analyze(&pattern, &parts);
        h.clear(0);
        for row in 0..n {
            for col in 0..row {
                h.add(row, col, &[1e-3; 36]);
            }
            let d = match (row == bad, nan) {
                (true, true) => f64::NAN,
                (true, false) => -1.0,
                _ => 10.0,
            };
            h.add(row, row, &std::array::from_fn::<_, 36, _>(|i| if i % 7 == 0 { d } else { 0.0 }));
        }
        let error = h.factor(0).unwrap_err();
        let found = matches!(error, CholeskyError::NotPositiveDefinite { block, .. } if block == bad);
        prop_assert!(found, "{}: {:?}", bad, error);
    }
}

#[test]
fn regression_large_random_graph() {
    let sizes = vec![6; 300];
    let mut noise = Noise(3);
    let couplings = (0..900)
        .map(|_| {
            let a = (noise.next().abs() * 290.0) as u32;
            vec![a, a + 1 + (noise.next().abs() * 8.0) as u32]
        })
        .collect();
    let p = Problem::new(&sizes, couplings, 5);
    let error = p.error(&mut BlockCholesky::default(), true);
    assert!(error < TOLERANCE, "{error:e}");
}

#[test]
fn regression_a_body_that_touches_everything() {
    let couplings = (1..60).map(|b| vec![0, b]).collect();
    let p = Problem::new(&[3; 60], couplings, 9);
    let error = p.error(&mut BlockCholesky::default(), true);
    assert!(error < TOLERANCE, "{error:e}");
}

#[test]
fn regression_the_same_pattern_is_not_analysed_again() {
    let p = Problem::new(&[6, 3, 6], vec![vec![0, 1], vec![1, 2]], 1);
    let (pattern, mut parts) = (p.pattern(), BlockParts::default());
    parts.components(&pattern);
    let mut h = BlockCholesky::default();
    assert!(h.analyze(&pattern, &parts));
    assert!(!h.analyze(&pattern, &parts));
    parts.whole(&pattern);
    assert!(!h.analyze(&pattern, &parts), "one component is the whole");
    let q = Problem::new(&[6, 3, 6], vec![vec![0, 1]], 1);
    parts.components(&q.pattern());
    assert!(h.analyze(&q.pattern(), &parts));
}

#[test]
fn regression_bad_pivots_and_foreign_blocks_are_errors() {
    let p = Problem::new(&[2, 3, 2], vec![vec![0, 1]], 1);
    let mut h = BlockCholesky::default();
    let (pattern, mut parts) = (p.pattern(), BlockParts::default());
    parts.components(&pattern);
    h.analyze(&pattern, &parts);
    for (value, bad) in [(-1.0, 1), (f64::NAN, 1)] {
        h.clear(0);
        h.add(0, 0, &[1.0, 0.0, 0.0, 1.0]);
        h.add(1, 1, &[1.0, 0.0, 0.0, 0.0, value, 0.0, 0.0, 0.0, 1.0]);
        let error = h.factor(0).unwrap_err();
        assert!(
            matches!(error, CholeskyError::NotPositiveDefinite { block, .. } if block == bad),
            "{error:?}"
        );
    }
    h.clear(1);
    h.add(2, 0, &[0.0; 4]);
    assert_eq!(h.factor(1), Err(CholeskyError::OutsidePattern { row: 2, col: 0 }));
}
