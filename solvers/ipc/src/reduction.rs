use std::collections::BTreeMap;

use signorini_core::na::{DMatrix, DVector, SymmetricEigen};
use signorini_core::{BlockDiagonal, BlockSink, Inertia, Part, largest};

use crate::BodyError;
use crate::joints::{Joint, JointRows, coordinates};
use crate::world::{N, World};

/// Singular values of K, relative to the largest, below which rows depend on others.
const DEPENDENT: f64 = 1e-6;

/// The coordinates that joints leave: v = N w, with N an orthonormal basis of the null space of K for each mechanism (lengths in units of the radius of each body).
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    /// Mechanism of each free body.
    pub mechanism: Vec<usize>,
    /// First unknown of each mechanism, and their number.
    pub starts: Vec<usize>,
    /// N of each free body, 12 × unknowns of its mechanism.
    basis: Vec<DMatrix<f64>>,
    /// Inverse on the range of N, unknowns × 12.
    inverse: Vec<DMatrix<f64>>,
    pub joints: Vec<(Joint, JointRows)>,
    /// Radius of the largest free body \[m\].
    pub size: f64,
}

impl Reduction {
    /// Mechanisms and their bases where the free bodies have the coordinates `q`. `tendons` are the bodies of each.
    pub(crate) fn new(
        world: &World,
        joints: &[Joint],
        tendons: &[Vec<usize>],
        q: &[f64],
    ) -> Result<Self, BodyError> {
        let count = world.unknowns() / N;
        // Bodies that joints connect.
        let mut of: Vec<usize> = (0..count).collect();
        let free = |b: usize| world.free[b].map(|f| f as usize);
        let all = joints.iter().map(|j| j.linked(joints)).chain(tendons.iter().cloned());
        for linked in all {
            let linked: Vec<usize> = linked.into_iter().filter_map(free).collect();
            for pair in linked.windows(2) {
                let (low, high) = (of[pair[0]].min(of[pair[1]]), of[pair[0]].max(of[pair[1]]));
                of.iter_mut().filter(|m| **m == high).for_each(|m| *m = low);
            }
        }
        let at = |b: usize| coordinates(world, q, b);
        let rows: Vec<JointRows> = joints.iter().map(|j| j.rows(world, j.bodies.map(at))).collect();
        let mut number = vec![usize::MAX; count];
        let (mut starts, mut mechanism) = (vec![0], vec![0; count]);
        let (mut basis, mut inverse) = (vec![DMatrix::zeros(0, 0); count], vec![DMatrix::zeros(0, 0); count]);
        let bodies: Vec<usize> = (0..world.bodies.len()).filter(|b| !world.bodies[*b].fixed).collect();
        for first in 0..count {
            if of[first] != first {
                continue;
            }
            let members: Vec<usize> = (first..count).filter(|f| of[*f] == first).collect();
            for (i, f) in members.iter().enumerate() {
                number[*f] = i;
                mechanism[*f] = starts.len() - 1;
            }
            let own: Vec<usize> = (0..joints.len())
                .filter(|j| joints[*j].bodies.iter().any(|b| free(*b).is_some_and(|f| of[f] == first)))
                .collect();
            let height: usize = own.iter().map(|j| rows[*j].c.len()).sum();
            let mut k = DMatrix::zeros(height, N * members.len());
            let mut row = 0;
            for j in own {
                put_rows(world, &joints[j], &rows[j], |f| number[f], row, &mut k);
                row += rows[j].c.len();
            }
            let null = null_space(&k);
            if null.ncols() == 0 {
                let name = world.bodies[bodies[first]].name.clone();
                let why = "joints leave its bodies no freedom; hold them instead".to_owned();
                return Err(BodyError::Joint { name, why });
            }
            for (i, f) in members.iter().enumerate() {
                let part = null.rows(N * i, N).clone_owned();
                let radius = world.radius[bodies[*f]];
                let unit = |c: usize| if c < 3 { 1.0 } else { radius };
                basis[*f] = DMatrix::from_fn(N, null.ncols(), |r, c| part[(r, c)] / unit(r));
                inverse[*f] = DMatrix::from_fn(null.ncols(), N, |r, c| part[(c, r)] * unit(c));
            }
            starts.push(starts[starts.len() - 1] + null.ncols());
        }
        let joints = joints.iter().cloned().zip(rows).collect();
        let size = largest(bodies.iter().map(|b| world.radius[*b]));
        Ok(Self { mechanism, starts, basis, inverse, joints, size })
    }

    /// Number of unknowns.
    pub(crate) fn unknowns(&self) -> usize {
        self.starts[self.starts.len() - 1]
    }

    fn range(&self, f: usize) -> std::ops::Range<usize> {
        let m = self.mechanism[f];
        self.starts[m]..self.starts[m + 1]
    }

    /// v = N w.
    pub(crate) fn expand(&self, w: &[f64], v: &mut Vec<f64>) {
        v.clear();
        for (f, n) in self.basis.iter().enumerate() {
            let x = n * DVector::from_column_slice(&w[self.range(f)]);
            v.extend(x.iter());
        }
    }

    /// w of a velocity that obeys the joints.
    pub(crate) fn shrink(&self, v: &[f64], w: &mut Vec<f64>) {
        w.clear();
        w.resize(self.unknowns(), 0.0);
        for (f, n) in self.inverse.iter().enumerate() {
            let x = n * DVector::from_column_slice(&v[N * f..N * f + N]);
            w[self.range(f)].iter_mut().zip(x.iter()).for_each(|(w, x)| *w += x);
        }
    }

    /// out += Nᵀ g.
    pub(crate) fn add_pulled_back(&self, g: &[f64], out: &mut [f64]) {
        for (f, n) in self.basis.iter().enumerate() {
            let x = n.tr_mul(&DVector::from_column_slice(&g[N * f..N * f + N]));
            out[self.range(f)].iter_mut().zip(x.iter()).for_each(|(o, x)| *o += x);
        }
    }

    /// out += |N|ᵀ s of magnitudes s.
    pub(crate) fn add_sizes(&self, s: &[f64], out: &mut [f64]) {
        for (f, n) in self.basis.iter().enumerate() {
            let s = &s[N * f..N * f + N];
            for (o, column) in out[self.range(f)].iter_mut().zip(n.column_iter()) {
                *o += column.iter().zip(s).map(|(n, s)| n.abs() * s).sum::<f64>();
            }
        }
    }

    /// Nᵀ M N.
    pub(crate) fn inertia(&self, full: &BlockDiagonal) -> BlockDiagonal {
        let sizes: Vec<usize> = self.starts.windows(2).map(|w| w[1] - w[0]).collect();
        let mut reduced = BlockDiagonal::with_sizes(&sizes);
        let all: Vec<u32> = (0..self.basis.len() as u32).collect();
        let part = Part { blocks: &all, constraints: &[] };
        let mut sum = PullBack::new(self, &mut reduced);
        full.add_blocks(part, &mut sum);
        sum.finish();
        reduced
    }

    /// Forces of each joint on the coordinates of its two bodies, 24, when all of them together exert `force` on those of the free bodies: K_jᵀ λ_j with the shortest λ \[N\] of those that come nearest.
    pub(crate) fn reactions(&self, world: &World, force: &[f64]) -> Vec<[f64; 2 * N]> {
        let mut out = vec![[0.0; 2 * N]; self.joints.len()];
        let free = |b: usize| world.free[b].map(|f| f as usize);
        let mut number = vec![0; self.basis.len()];
        for mechanism in 0..self.starts.len() - 1 {
            let members: Vec<usize> = (0..number.len()).filter(|f| self.mechanism[*f] == mechanism).collect();
            members.iter().enumerate().for_each(|(i, f)| number[*f] = i);
            let of = |j: &usize| {
                let (joint, rows) = &self.joints[*j];
                let own = |b: &usize| free(*b).is_some_and(|f| self.mechanism[f] == mechanism);
                !rows.c.is_empty() && joint.bodies.iter().any(own)
            };
            let own: Vec<usize> = (0..self.joints.len()).filter(of).collect();
            if own.is_empty() {
                continue;
            }
            let height = own.iter().map(|j| self.joints[*j].1.c.len()).sum();
            let mut k = DMatrix::zeros(height, N * members.len());
            let mut row = 0;
            for j in &own {
                let (joint, rows) = &self.joints[*j];
                put_rows(world, joint, rows, |f| number[f], row, &mut k);
                row += rows.c.len();
            }
            let bodies: Vec<usize> = (0..world.bodies.len()).filter(|b| free(*b).is_some()).collect();
            let right = DVector::from_fn(N * members.len(), |i, _| {
                let f = members[i / N];
                force[N * f + i % N] / unit(world, bodies[f], i % N)
            });
            let parts = k.transpose().svd(true, true);
            let least = DEPENDENT * parts.singular_values.amax();
            let Ok(lambda) = parts.solve(&right, least) else { continue };
            row = 0;
            for j in own {
                let rows = &self.joints[j].1;
                let own = lambda.rows(row, rows.c.len());
                out[j].iter_mut().enumerate().for_each(|(i, o)| *o = rows.k.column(i).dot(&own));
                row += rows.c.len();
            }
        }
        out
    }

    /// Largest violation of a joint \[m\].
    pub(crate) fn error(&self, world: &World, q: &[f64]) -> f64 {
        let mut worst = 0.0f64;
        for (j, rows) in &self.joints {
            let at = j.bodies.map(|b| coordinates(world, q, b));
            for (r, c) in rows.c.iter().enumerate() {
                let here: f64 = (0..2 * N).map(|i| rows.k[(r, i)] * at[i / N][i % N]).sum();
                worst = worst.max((here - c).abs());
            }
        }
        worst
    }
}

/// Length that a coordinate of a body counts in \[m\]: those of A in radii.
fn unit(world: &World, body: usize, coordinate: usize) -> f64 {
    if coordinate < 3 { 1.0 } else { world.radius[body] }
}

/// Rows of a joint from `row` on, columns in units of length, bodies where `number` has them.
fn put_rows(
    world: &World,
    joint: &Joint,
    rows: &JointRows,
    number: impl Fn(usize) -> usize,
    row: usize,
    k: &mut DMatrix<f64>,
) {
    for (s, b) in joint.bodies.iter().enumerate() {
        let Some(f) = world.free[*b] else { continue };
        for c in 0..N {
            for r in 0..rows.c.len() {
                k[(row + r, N * number(f as usize) + c)] += rows.k[(r, N * s + c)] / unit(world, *b, c);
            }
        }
    }
}

/// Orthonormal basis of the vectors that K takes to zero.
fn null_space(k: &DMatrix<f64>) -> DMatrix<f64> {
    let n = k.ncols();
    if k.nrows() == 0 {
        return DMatrix::identity(n, n);
    }
    let eigen = SymmetricEigen::new(k.tr_mul(k));
    let most = eigen.eigenvalues.amax();
    let free: Vec<usize> = (0..n).filter(|i| eigen.eigenvalues[*i] <= DEPENDENT * DEPENDENT * most).collect();
    let mut basis = DMatrix::zeros(n, free.len());
    for (c, i) in free.iter().enumerate() {
        basis.set_column(c, &eigen.eigenvectors.column(*i));
    }
    // The squared matrix leaves √ε of the rows: taken off once, by least squares in the rows that count.
    let held: Vec<usize> = (0..n).filter(|i| !free.contains(i)).collect();
    let mut rows = DMatrix::zeros(n, held.len());
    for (c, i) in held.iter().enumerate() {
        rows.set_column(c, &eigen.eigenvectors.column(*i));
    }
    for _ in 0..2 {
        let rest = k * &basis;
        let image = k * &rows;
        let square = image.tr_mul(&image);
        if let Some(factor) = square.cholesky() {
            let correction = factor.solve(&image.tr_mul(&rest));
            basis -= &rows * correction;
        }
    }
    basis.qr().q()
}

/// Turns blocks of bodies into blocks of mechanisms, Nᵀ H N: H N is summed up by bodies, so that each mechanism takes one product with Nᵀ, when all blocks have come.
pub(crate) struct PullBack<'a> {
    reduction: &'a Reduction,
    sink: &'a mut dyn BlockSink,
    /// (H N)_f of each body that has a block, 12 × unknowns of its mechanism, within its mechanism.
    rows: BTreeMap<usize, DMatrix<f64>>,
}

impl<'a> PullBack<'a> {
    pub(crate) fn new(reduction: &'a Reduction, sink: &'a mut dyn BlockSink) -> Self {
        Self { reduction, sink, rows: BTreeMap::new() }
    }

    /// Adds B N_col to the row of a body.
    fn sum(&mut self, row: usize, block: &DMatrix<f64>, col: usize) {
        let n = &self.reduction.basis[col];
        let x = self.rows.entry(row).or_insert_with(|| DMatrix::zeros(N, n.ncols()));
        x.gemm(1.0, block, n, 1.0);
    }

    /// Hands the blocks within mechanisms on.
    pub(crate) fn finish(self) {
        let r = self.reduction;
        let mut mechanisms: BTreeMap<usize, Vec<(usize, DMatrix<f64>)>> = BTreeMap::new();
        for (f, x) in self.rows {
            mechanisms.entry(r.mechanism[f]).or_default().push((f, x));
        }
        for (mechanism, rows) in mechanisms {
            let count = r.starts[mechanism + 1] - r.starts[mechanism];
            let (mut n, mut x) =
                (DMatrix::zeros(count, N * rows.len()), DMatrix::zeros(N * rows.len(), count));
            for (i, (f, part)) in rows.iter().enumerate() {
                n.columns_mut(N * i, N).copy_from(&r.basis[*f].transpose());
                x.rows_mut(N * i, N).copy_from(part);
            }
            self.sink.add(mechanism, mechanism, (n * x).as_slice());
        }
    }
}

impl BlockSink for PullBack<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, block: &[f64]) {
        let r = self.reduction;
        let (row, col) = (r.mechanism[row_block], r.mechanism[col_block]);
        let block = DMatrix::from_column_slice(N, N, block);
        if row == col {
            self.sum(row_block, &block, col_block);
            if row_block != col_block {
                self.sum(col_block, &block.transpose(), row_block);
            }
            return;
        }
        let product = r.basis[row_block].transpose() * (block * &r.basis[col_block]);
        if row > col {
            self.sink.add(row, col, product.as_slice());
        } else {
            self.sink.add(col, row, product.transpose().as_slice());
        }
    }
}
