//! The frozen map against its own dense matrix, for every constraint dimension and block size.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use signorini_core::na::{DMatrix, DVector, SMatrix, SVector};
use signorini_core::{
    BlockDiagonal, BlockSink, ContactLaw, ContactMap, Evals, FrozenMap, FrozenProblem, LawEval, LawPool,
    LawProperties, Pool, Pools, SharedSides, Smoothness, StepProblem,
};

/// ½ v_cᵀ G v_c with a dense G, or nothing when `stiffness` is zero: like a contact that does not touch.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Quadratic;

impl<const D: usize> ContactLaw<D> for Quadratic {
    type Seed = f64;
    type Params = f64;
    const KEY: &'static str = "quadratic";
    const PROPERTIES: LawProperties = LawProperties { smoothness: Smoothness::C2, ..LawProperties::CONVEX };
    const PAPER: &'static str = "none";
    fn prepare(&self, stiffness: &f64) -> f64 {
        *stiffness
    }
    fn eval(&self, stiffness: &f64, v: SVector<f64, D>) -> LawEval<D> {
        let g = (SMatrix::<f64, D, D>::from_fn(|i, j| 0.5 / (1.0 + (i + j) as f64)) + SMatrix::identity())
            * *stiffness;
        LawEval { cost: 0.5 * v.dot(&(g * v)), grad: g * v, hess: g }
    }
}

#[derive(Clone, Debug)]
struct Row {
    dim: usize,
    blocks: Vec<usize>,
    stiffness: f64,
    /// The constraint shares rows: with the one before if that has the same blocks.
    member: bool,
}

const DIMS: [usize; 6] = [1, 2, 3, 4, 5, 6];

fn pool(dim: usize, rows: &[Row]) -> Box<dyn LawPool> {
    fn fill<const D: usize>(rows: &[Row]) -> Box<dyn LawPool> {
        let mut pool = Pool::<Quadratic, D>::new(Quadratic);
        rows.iter().filter(|r| r.dim == D).for_each(|r| pool.push(&r.stiffness));
        Box::new(pool)
    }
    match dim {
        1 => fill::<1>(rows),
        2 => fill::<2>(rows),
        3 => fill::<3>(rows),
        4 => fill::<4>(rows),
        5 => fill::<5>(rows),
        _ => fill::<6>(rows),
    }
}

struct Dense<'a> {
    starts: &'a [usize],
    h: DMatrix<f64>,
}

impl BlockSink for Dense<'_> {
    fn add(&mut self, row: usize, col: usize, block: &[f64]) {
        assert!(row >= col, "only the lower triangle is handed over");
        let (r, c) = (self.starts[row], self.starts[col]);
        let (m, n) = (self.starts[row + 1] - r, self.starts[col + 1] - c);
        let block = DMatrix::from_column_slice(m, n, block);
        let mut view = self.h.view_mut((r, c), (m, n));
        view += &block;
        if row != col {
            let mut view = self.h.view_mut((c, r), (n, m));
            view += block.transpose();
        }
    }
}

fn cases() -> impl Strategy<Value = (Vec<usize>, Vec<Row>)> {
    let size = prop_oneof![3 => Just(6_usize), 2 => 1_usize..10, 1 => 60_usize..70];
    prop::collection::vec(size, 1..6).prop_flat_map(|sizes| {
        let nb = sizes.len();
        let row = (0..DIMS.len(), prop::collection::btree_set(0..nb, 0..=3.min(nb)), 0_u8..4, any::<bool>());
        let rows = prop::collection::vec(row, 0..12).prop_map(|list| {
            let mut rows: Vec<Row> = list
                .into_iter()
                // Contacts of three rows on the same pair come in runs: the hot path sums them.
                .map(|(d, blocks, k, member)| Row {
                    dim: DIMS[if k == 1 { 2 } else { d }],
                    blocks: blocks.into_iter().collect(),
                    stiffness: f64::from(k),
                    member,
                })
                .collect();
            rows.sort_by_key(|r| r.dim);
            rows
        });
        (Just(sizes), rows)
    })
}

proptest! {
    #[test]
    fn property_map_is_its_dense_matrix((sizes, rows) in cases()) {
        let mut inertia = BlockDiagonal::with_sizes(&sizes);
        for (b, n) in sizes.iter().enumerate() {
            let block = inertia.block_mut(b);
            block.iter_mut().step_by(n + 1).for_each(|d| *d = 1.0);
            if *n > 1 {
                (block[1], block[*n]) = (0.5, 0.5);
            }
        }
        inertia.factor().unwrap();
        let nv: usize = sizes.iter().sum();
        let starts = signorini_core::Inertia::block_starts(&inertia).to_vec();
        let mut map = FrozenMap::new(&starts);
        let mut at = 0;
        let mut next = || {
            at += 1;
            (f64::from(at) * 0.7).sin()
        };
        // J by hand, and the shared rows of the constraint before with their blocks.
        let mut by_hand: Vec<DMatrix<f64>> = Vec::new();
        let mut last: Option<(&[usize], DMatrix<f64>)> = None;
        for r in &rows {
            let bias = vec![0.25; r.dim];
            if !r.member {
                map.push_constraint(&bias);
                let mut j = DMatrix::zeros(r.dim, nv);
                for &b in &r.blocks {
                    map.push_block(b).fill_with(&mut next);
                    let k = map.constraint_count() - 1;
                    let (_, block) = map.entries(k).last().unwrap();
                    j.columns_mut(starts[b], sizes[b]).copy_from_slice(&block);
                }
                by_hand.push(j);
                last = None;
                continue;
            }
            if last.as_ref().is_none_or(|l| l.0 != r.blocks) {
                map.push_shared();
                let mut j = DMatrix::zeros(6, nv);
                for &b in &r.blocks {
                    let block = map.push_shared_block(b);
                    block.fill_with(&mut next);
                    j.columns_mut(starts[b], sizes[b]).copy_from_slice(block);
                }
                last = Some((&r.blocks, j));
            }
            let select = DMatrix::from_fn(r.dim, 6, |_, _| next());
            map.push_member(select.as_slice(), &bias);
            by_hand.push(&select * &last.as_ref().unwrap().1);
        }
        let pools = Pools::new(DIMS.iter().map(|&d| pool(d, &rows)).collect());
        let p = FrozenProblem::new(1e-2, inertia, vec![0.0; nv], map, pools, Vec::new()).unwrap();
        let (map, part) = (p.frozen_map(), p.whole());
        let j = map.to_dense();
        for (k, expected) in by_hand.iter().enumerate() {
            let (r, d) = map.rows_of(k);
            prop_assert!((j.rows(r, d) - expected).amax() < 1e-13);
            let touched: Vec<usize> = map.blocks_of(k).iter().map(|b| *b as usize).collect();
            prop_assert_eq!(&touched, &rows[k].blocks);
        }

        let v = DVector::from_fn(nv, |i, _| (i as f64).cos());
        let (mut v_c, mut dv_c) = (vec![9.0; map.row_count()], vec![9.0; map.row_count()]);
        map.velocity(part, v.as_slice(), &mut v_c);
        map.apply_linear(part, v.as_slice(), &mut dv_c);
        let linear = &j * &v;
        // Sums of up to 200 products of order one.
        for i in 0..map.row_count() {
            prop_assert!((dv_c[i] - linear[i]).abs() < 1e-12 && (v_c[i] - linear[i] - 0.25).abs() < 1e-12);
        }

        let mut kept = SharedSides::default();
        for k in 0..map.constraint_count() {
            let (r, d) = map.rows_of(k);
            if d <= 3 {
                let (each, mut once) = (FrozenProblem::sides(p.block_inertia(), map, k), Default::default());
                FrozenProblem::set_member_sides(p.block_inertia(), map, k, &mut kept, &mut once);
                for (a, b) in each.iter().zip(&once) {
                    prop_assert!((a.linear - b.linear).amax() < 1e-10);
                }
            }
            let rows = j.rows(r, d.min(3));
            // The inertia is the identity plus a coupling of the first two unknowns of each block.
            let expected = rows * p.block_inertia().to_dense().try_inverse().unwrap() * rows.transpose();
            let w = FrozenProblem::delassus(p.block_inertia(), map, k);
            prop_assert!((w.view((0, 0), (d.min(3), d.min(3))) - expected).amax() < 1e-10);
        }

        let mut evals = Evals::default();
        p.pools().size_evals(&mut evals);
        p.pools().eval(part, &v_c, &mut evals);
        let mut g = DVector::repeat(nv, 0.5);
        map.add_gradient(part, p.pools(), &evals, g.as_mut_slice());
        let expected = j.transpose() * DVector::from_column_slice(&evals.grad);
        prop_assert!((g - expected).add_scalar(-0.5).amax() < 1e-10);

        let mut h = Dense { starts: &starts, h: DMatrix::zeros(nv, nv) };
        map.add_hessian(part, p.pools(), &evals, &mut h);
        let mut law = DMatrix::zeros(map.row_count(), map.row_count());
        for k in 0..map.constraint_count() {
            let ((r, d), from) = (map.rows_of(k), p.pools().hess_start(k));
            law.view_mut((r, r), (d, d)).copy_from_slice(&evals.hess[from..from + d * d]);
        }
        let expected = j.transpose() * law * &j;
        prop_assert!((h.h - &expected).amax() < 1e-10);

        let mut blocks = Dense { starts: &starts, h: DMatrix::zeros(nv, nv) };
        map.add_block_diagonal(part, p.pools(), &evals, &mut blocks);
        for (b, n) in sizes.iter().enumerate() {
            let at = (starts[b], starts[b]);
            prop_assert!((blocks.h.view(at, (*n, *n)) - expected.view(at, (*n, *n))).amax() < 1e-10);
        }
    }
}
