use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

use crate::inertia::{small, solve_transposed};
use crate::{BlockDiagonal, ContactSide, FrozenMap};

/// An affine map and a velocity in coordinates in which the inertia is the identity, so that constraints can be taken one after the other, each at the velocity that the last one left.
///
/// ```text
/// A = U Uᵀ,   w = Uᵀ v,   Y_k = U⁻¹ J_kᵀ:   v_c = Y_kᵀ w + b_k,   an impulse γ_k adds Y_k γ_k to w,   J_k A⁻¹ J_kᵀ = Y_kᵀ Y_k
/// ```
#[derive(Clone, Debug, Default)]
pub struct WhitenedMap {
    /// First entry of each constraint, then the end.
    first: Vec<u32>,
    entries: Vec<Entry>,
    /// Columns of D numbers, one per unknown of an entry.
    y: Vec<f64>,
    /// First row of each constraint, and b by row \[m/s\].
    rows: Vec<u32>,
    bias: Vec<f64>,
    /// By block: some constraint touches it. Unknowns of others stay as they are.
    touched: Vec<bool>,
    w: Vec<f64>,
    scales: Vec<f64>,
    /// Largest speed along the first row of a constraint that was asked for since [`WhitenedMap::start`] or [`WhitenedMap::begin_again`] \[m/s\].
    pub fastest: f64,
    /// The next sweep goes from the last constraint to the first.
    pub(crate) backward: bool,
}

/// A block of unknowns that a constraint touches.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    count: u32,
    at: u32,
}

impl WhitenedMap {
    /// Takes over a map and an inertia, which is factored; nothing is allocated once the storage has grown.
    pub fn fit(&mut self, inertia: &BlockDiagonal, map: &FrozenMap) {
        self.first.clear();
        self.entries.clear();
        self.y.clear();
        self.rows.clear();
        let starts = map.block_starts();
        let count = map.constraint_count();
        self.scales.clear();
        self.scales.resize(count, 1.0);
        self.touched.clear();
        self.touched.resize(inertia.block_count(), false);
        for k in 0..count {
            let (row, dim) = map.rows_of(k);
            self.rows.push(row as u32);
            self.first.push(self.entries.len() as u32);
            for (b, block) in map.entries(k) {
                let (at, n) = (self.y.len(), starts[b + 1] - starts[b]);
                self.y.extend_from_slice(block);
                whiten(inertia.factor_of(b), n, dim, &mut self.y[at..]);
                self.touched[b] = true;
                self.entries.push(Entry { start: starts[b] as u32, count: n as u32, at: at as u32 });
            }
        }
        self.first.push(self.entries.len() as u32);
        self.bias.clear();
        self.bias.extend_from_slice(map.bias());
    }

    /// What constraint `k` feels of the blocks that it touches: the parts of W = Y_kᵀ Y_k, as [`FrozenProblem::sides`](crate::FrozenProblem::sides) finds them. Counts and reference masses stay
    /// as they are, and so do parts that belong to rows beyond those of the constraint.
    pub fn set_sides(&self, k: usize, dim: usize, sides: &mut [ContactSide; 2]) {
        ContactSide::clear(sides, dim);
        for (i, e) in self.entries_of(k).iter().enumerate() {
            let side = &mut sides[i.min(1)];
            if dim == 3 {
                side.linear += self.square::<3>(e);
                continue;
            }
            for c in self.y[e.at as usize..][..e.count as usize * dim].chunks_exact(dim) {
                let at = |i: usize| c.get(i).copied().unwrap_or(0.0);
                for i in 0..dim.min(3) {
                    (0..dim.min(3)).for_each(|j| side.linear[(i, j)] += c[i] * c[j]);
                }
                if dim > 3 {
                    side.angular += Matrix3::from_fn(|i, j| at(i + 3) * at(j + 3));
                    side.coupling += Vector3::from_fn(|i, _| c[0] * at(i + 3));
                }
            }
        }
    }

    #[inline(always)]
    fn square<const D: usize>(&self, e: &Entry) -> SMatrix<f64, D, D> {
        let mut w = SMatrix::zeros();
        for c in self.columns::<D>(e) {
            for j in 0..D {
                (0..D).for_each(|i| w[(i, j)] += c[i] * c[j]);
            }
        }
        w
    }

    /// Takes over a map that was fitted.
    pub fn copy_from(&mut self, fitted: &Self) {
        self.first.clone_from(&fitted.first);
        self.entries.clone_from(&fitted.entries);
        self.y.clone_from(&fitted.y);
        self.rows.clone_from(&fitted.rows);
        self.bias.clone_from(&fitted.bias);
        self.touched.clone_from(&fitted.touched);
        self.scales.clone_from(&fitted.scales);
    }

    /// Begins at the velocity `v` \[m/s\], nv.
    pub fn start(&mut self, inertia: &BlockDiagonal, v: &[f64]) {
        self.begin_again();
        self.w.clear();
        self.w.extend_from_slice(v);
        for (b, range) in inertia.ranges().enumerate().filter(|(b, _)| self.touched[*b]) {
            let (u, w) = (inertia.factor_of(b), &mut self.w[range]);
            let n = w.len();
            for j in (0..n).rev() {
                let above: f64 = w[..j].iter().zip(&u[j * n..]).map(|(w, u)| w * u).sum();
                w[j] = above + w[j] / u[j * n + j];
            }
        }
    }

    /// Goes on from the velocity as it is, with sweeps counted anew: the next goes from the first constraint to the last.
    pub fn begin_again(&mut self) {
        (self.fastest, self.backward) = (0.0, false);
    }

    /// Writes the velocity \[m/s\], nv.
    pub fn store(&self, inertia: &BlockDiagonal, v: &mut [f64]) {
        v.copy_from_slice(&self.w);
        for (b, range) in inertia.ranges().enumerate().filter(|(b, _)| self.touched[*b]) {
            solve_transposed(inertia.factor_of(b), &mut v[range]);
        }
    }

    fn entries_of(&self, k: usize) -> &[Entry] {
        &self.entries[self.first[k] as usize..self.first[k + 1] as usize]
    }

    #[inline(always)]
    fn columns<const D: usize>(&self, e: &Entry) -> &[[f64; D]] {
        self.y[e.at as usize..][..e.count as usize * D].as_chunks().0
    }

    /// Contact velocity of constraint `k`, of D rows \[m/s\].
    #[inline(always)]
    pub fn velocity<const D: usize>(&self, k: usize) -> SVector<f64, D> {
        let row = self.rows[k] as usize;
        let mut v_c = SVector::<f64, D>::from_column_slice(&self.bias[row..row + D]);
        // Columns in turn to two sums, which wait for each other half as often as one.
        let mut odd = SVector::<f64, D>::zeros();
        for e in self.entries_of(k) {
            let columns = self.columns::<D>(e);
            let (pairs, last) = columns.as_chunks::<2>();
            let (w, w_last) = self.w[e.start as usize..][..columns.len()].as_chunks::<2>();
            for ([a, b], [w_a, w_b]) in pairs.iter().zip(w) {
                for i in 0..D {
                    v_c[i] += a[i] * w_a;
                    odd[i] += b[i] * w_b;
                }
            }
            for (a, w) in last.iter().zip(w_last) {
                (0..D).for_each(|i| v_c[i] += a[i] * w);
            }
        }
        v_c + odd
    }

    /// Adds an impulse of constraint `k` \[N·s\].
    #[inline(always)]
    pub fn push<const D: usize>(&mut self, k: usize, gamma: &SVector<f64, D>) {
        for e in &self.entries[self.first[k] as usize..self.first[k + 1] as usize] {
            let columns = self.y[e.at as usize..][..e.count as usize * D].as_chunks::<D>().0;
            for (column, w) in columns.iter().zip(&mut self.w[e.start as usize..]) {
                let mut sum = 0.0;
                (0..D).for_each(|i| sum += column[i] * gamma[i]);
                *w += sum;
            }
        }
    }

    /// J_k A⁻¹ J_kᵀ of constraint `k` \[1/kg\].
    #[inline(always)]
    pub fn delassus<const D: usize>(&self, k: usize) -> SMatrix<f64, D, D> {
        let mut w = SMatrix::zeros();
        self.entries_of(k).iter().for_each(|e| w += self.square::<D>(e));
        w
    }

    /// Factor on the gains of constraint `k`, one after [`WhitenedMap::fit`].
    #[inline(always)]
    pub fn scale(&self, k: usize) -> f64 {
        self.scales[k]
    }

    /// Sets it.
    #[inline(always)]
    pub fn set_scale(&mut self, k: usize, scale: f64) {
        self.scales[k] = scale;
    }
}

/// Y = U⁻¹ Jᵀ in place of Jᵀ, n rows of D numbers.
fn whiten(u: &[f64], n: usize, dim: usize, y: &mut [f64]) {
    match dim {
        1 => whiten_rows::<1>(u, n, y),
        3 => small!(n, N => whiten_small::<N, 3>(u, y), whiten_rows::<3>(u, n, y)),
        _ => {
            for j in (0..n).rev() {
                let (before, row) = y.split_at_mut(j * dim);
                let row = &mut row[..dim];
                row.iter_mut().for_each(|x| *x *= u[j * n + j]);
                for (above, u) in before.chunks_exact_mut(dim).zip(&u[j * n..]) {
                    above.iter_mut().zip(&*row).for_each(|(x, y)| *x -= u * y);
                }
            }
        }
    }
}

/// The same for few unknowns: loops of known length, no zeros to pass over.
#[inline(always)]
fn whiten_small<const N: usize, const D: usize>(u: &[f64], y: &mut [f64]) {
    let (y, u) = (&mut y.as_chunks_mut::<D>().0[..N], &u.as_chunks::<N>().0[..N]);
    for j in (0..N).rev() {
        let mut x = y[j];
        for k in j + 1..N {
            (0..D).for_each(|i| x[i] -= u[k][j] * y[k][i]);
        }
        y[j] = x.map(|x| x * u[j][j]);
    }
}

#[inline(always)]
fn whiten_rows<const D: usize>(u: &[f64], n: usize, y: &mut [f64]) {
    let y = y.as_chunks_mut::<D>().0;
    for j in (0..n).rev() {
        let (before, rest) = y.split_at_mut(j);
        let row = &mut rest[0];
        if *row == [0.0; D] {
            continue;
        }
        row.iter_mut().for_each(|x| *x *= u[j * n + j]);
        for (above, u) in before.iter_mut().zip(&u[j * n..]) {
            (0..D).for_each(|i| above[i] -= u * row[i]);
        }
    }
}
