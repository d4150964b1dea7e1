use std::borrow::Cow;

use nalgebra::{DMatrix, SMatrix, SVector};
use serde::{Deserialize, Serialize};

use crate::consistency::{Inconsistent, check_starts, ensure};
use crate::frozen_kernels::{add_product, add_product_by_turns, square, triple_product};
use crate::shared_rows::SHARED;

/// Block-sparse affine map v_c = J v + b: for each constraint a few dense blocks of J.
///
/// Many constraints between two bodies, such as the polygons of a contact over an area, may share the rows of J: v_c = S (J_s v) + b with the six rows J_s of the relative spatial velocity of the bodies
/// ([`FrozenMap::push_shared`], [`FrozenMap::push_member`]).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FrozenMap {
    pub(crate) starts: Vec<usize>,
    pub(crate) dims: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) entry_start: Vec<u32>,
    pub(crate) entry_block: Vec<u32>,
    pub(crate) entry_at: Vec<u32>,
    pub(crate) jac: Vec<f64>,
    pub(crate) bias: Vec<f64>,
    #[serde(default, skip_serializing_if = "SharedRows::is_empty")]
    pub(crate) shared: SharedRows,
}

impl FrozenMap {
    /// An empty map over unknown blocks that start at `block_starts` (blocks + 1 entries).
    pub fn new(block_starts: &[usize]) -> Self {
        let mut m = Self { starts: block_starts.to_vec(), ..Self::default() };
        m.clear();
        m
    }

    /// Checks a map that was read from a file.
    ///
    /// # Errors
    /// [`Inconsistent`] with the entry that does not fit.
    pub(crate) fn check(&self) -> Result<(), Inconsistent> {
        check_starts("map.starts", &self.starts)?;
        let n = self.dims.len();
        let dims = self.dims.iter().all(|d| (1..=MAX_ROWS as u32).contains(d));
        ensure("map.dims", dims, "a constraint has no row or more than 8")?;
        let mut rows = 0u32;
        ensure("map.rows", self.rows.len() == n, "it does not have one entry per constraint")?;
        for (row, d) in self.rows.iter().zip(&self.dims) {
            ensure("map.rows", *row == rows, "they do not follow one another")?;
            rows = rows.saturating_add(*d);
        }
        ensure("map.bias", self.bias.len() == rows as usize, "it does not have one entry per row")?;
        let ends = self.entry_start.first() == Some(&0)
            && self.entry_start.len() == n + 1
            && self.entry_start.windows(2).all(|w| w[0] <= w[1])
            && self.entry_start[n] as usize == self.entry_block.len();
        ensure("map.entry_start", ends, "it does not count the blocks of each constraint")?;
        ensure(
            "map.entry_at",
            self.entry_at.len() == self.entry_block.len(),
            "it is not as long as entry_block",
        )?;
        let mut at = 0usize;
        for k in 0..n {
            let range = self.entry_start[k] as usize..self.entry_start[k + 1] as usize;
            let blocks = &self.entry_block[range.clone()];
            if let Some(b) = blocks.iter().find(|b| **b as usize + 1 >= self.starts.len()) {
                let why = format!("constraint {k} names block {b} of {}", self.starts.len() - 1);
                return Err(Inconsistent { entry: "map.entry_block", why });
            }
            if !blocks.is_sorted_by(|a, b| a < b) {
                let why = format!("blocks of constraint {k} do not ascend");
                return Err(Inconsistent { entry: "map.entry_block", why });
            }
            for e in range {
                ensure("map.entry_at", self.entry_at[e] as usize == at, "blocks do not follow one another")?;
                let b = self.entry_block[e] as usize;
                at += self.dims[k] as usize * (self.starts[b + 1] - self.starts[b]);
                ensure("map.jac", at <= self.jac.len(), "it has too few entries")?;
            }
        }
        ensure("map.jac", at == self.jac.len(), "it has too many entries")?;
        self.shared.check(self)
    }

    /// Takes over another map; nothing is allocated once the storage has grown.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.starts.clone_from(&other.starts);
        self.dims.clone_from(&other.dims);
        self.rows.clone_from(&other.rows);
        self.entry_start.clone_from(&other.entry_start);
        self.entry_block.clone_from(&other.entry_block);
        self.entry_at.clone_from(&other.entry_at);
        self.jac.clone_from(&other.jac);
        self.bias.clone_from(&other.bias);
        self.shared.copy_from(&other.shared);
    }

    /// Calls `f(unknown block, rows, J block)` for every block of J.
    pub(crate) fn for_blocks_mut(&mut self, f: &mut impl FnMut(usize, usize, &mut [f64])) {
        for k in 0..self.dims.len() {
            let d = self.dims[k] as usize;
            for e in self.entry_start[k] as usize..self.entry_start[k + 1] as usize {
                let (b, at) = (self.entry_block[e] as usize, self.entry_at[e] as usize);
                let n = self.starts[b + 1] - self.starts[b];
                f(b, d, &mut self.jac[at..at + d * n]);
            }
        }
        if let Some(rows) = &mut self.shared.rows {
            rows.for_blocks_mut(f);
        }
    }

    /// Removes all constraints, keeping storage and blocks.
    pub fn clear(&mut self) {
        self.dims.clear();
        self.rows.clear();
        self.entry_start.clear();
        self.entry_start.push(0);
        self.entry_block.clear();
        self.entry_at.clear();
        self.jac.clear();
        self.bias.clear();
        self.shared.clear();
    }

    /// Starts a constraint of `dim` rows with surface velocity `bias` \[m/s\], dim; add its blocks with
    /// [`FrozenMap::push_block`], ascending by block.
    pub fn push_constraint(&mut self, bias: &[f64]) {
        self.rows.push(self.bias.len() as u32);
        self.dims.push(bias.len() as u32);
        self.bias.extend_from_slice(bias);
        self.entry_start.push(self.entry_block.len() as u32);
        self.shared.push_plain();
    }

    /// Starts six rows that constraints share, V = J_s v; add their blocks with [`FrozenMap::push_shared_block`], ascending by block, and their constraints with [`FrozenMap::push_member`].
    pub fn push_shared(&mut self) {
        self.shared.rows_over(&self.starts, self.dims.len()).push_constraint(&[0.0; SHARED]);
    }

    /// Adds a zero block of J_s to the last shared rows and returns it: 6 × n_block, column-major.
    pub fn push_shared_block(&mut self, block: usize) -> &mut [f64] {
        self.shared.rows_over(&self.starts, self.dims.len()).push_block(block)
    }

    /// Adds a constraint v_c = S V + b with the last shared rows: S, dim × 6, column-major, and b \[m/s\], dim.
    pub fn push_member(&mut self, select: &[f64], bias: &[f64]) {
        self.push_constraint(bias);
        self.shared.make_member(select);
    }

    /// Adds a zero block of J to the last constraint and returns it: dim × n_block, column-major.
    pub fn push_block(&mut self, block: usize) -> &mut [f64] {
        let dim = self.dims.last().map_or(0, |&d| d as usize);
        let n = self.starts[block + 1] - self.starts[block];
        let at = self.jac.len();
        self.entry_block.push(block as u32);
        self.entry_at.push(at as u32);
        if let Some(end) = self.entry_start.last_mut() {
            *end = self.entry_block.len() as u32;
        }
        self.jac.resize(at + dim * n, 0.0);
        &mut self.jac[at..]
    }

    /// Adds the constraints of a map over the same first blocks, those that share rows with rows of their own.
    pub fn extend(&mut self, other: &Self) {
        for k in 0..other.constraint_count() {
            let (row, dim) = other.rows_of(k);
            self.push_constraint(&other.bias[row..row + dim]);
            for (b, block) in other.entries(k) {
                self.push_block(b).copy_from_slice(&block);
            }
        }
    }

    /// First unknown of each block, and the number of unknowns: blocks + 1.
    pub fn block_starts(&self) -> &[usize] {
        &self.starts
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.dims.len()
    }

    /// Rows of all constraints.
    pub fn row_count(&self) -> usize {
        self.bias.len()
    }

    /// Blocks of constraint `k`: (unknown block, J block column-major); of a constraint that shares its rows these are products.
    pub fn entries(&self, k: usize) -> impl Iterator<Item = (usize, Cow<'_, [f64]>)> {
        let own = self.own_entries(k).map(|(b, block)| (b, Cow::Borrowed(block)));
        let (member, dim) = (self.shared.of(k), self.dims[k] as usize);
        let products = member.into_iter().flat_map(move |m| {
            m.rows.own_entries(m.set).map(move |(b, block)| (b, Cow::Owned(m.product(dim, block))))
        });
        own.chain(products)
    }

    /// Blocks of constraint `k` that it shares with none.
    pub fn own_entries(&self, k: usize) -> impl Iterator<Item = (usize, &[f64])> {
        let d = self.dims[k] as usize;
        (self.entry_start[k] as usize..self.entry_start[k + 1] as usize).map(move |e| {
            let b = self.entry_block[e] as usize;
            let at = self.entry_at[e] as usize;
            (b, &self.jac[at..at + d * (self.starts[b + 1] - self.starts[b])])
        })
    }

    /// First row and rows of constraint `k`.
    pub fn rows_of(&self, k: usize) -> (usize, usize) {
        (self.rows[k] as usize, self.dims[k] as usize)
    }

    /// Surface velocity b, all rows.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// J as one dense matrix (tests, references, export): rows × nv.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let nv = self.starts.last().copied().unwrap_or(0);
        let mut j = DMatrix::zeros(self.row_count(), nv);
        for k in 0..self.constraint_count() {
            let (r, d) = self.rows_of(k);
            for (b, block) in self.entries(k) {
                for (c, col) in block.chunks(d).enumerate() {
                    for (i, x) in col.iter().enumerate() {
                        j[(r + i, self.starts[b] + c)] += x;
                    }
                }
            }
        }
        j
    }

    /// out += J_k v.
    #[inline(always)]
    pub(crate) fn multiply(&self, k: usize, v: &[f64], out: &mut [f64]) {
        if let Some(m) = self.shared.of(k) {
            return m.add_selected(&m.velocity(v), out);
        }
        match out.len() {
            1 => self.multiply_fixed::<1>(k, v, out),
            2 => self.multiply_fixed::<2>(k, v, out),
            3 => self.multiply_fixed::<3>(k, v, out),
            4 => self.multiply_fixed::<4>(k, v, out),
            6 => self.multiply_fixed::<6>(k, v, out),
            d => {
                for (b, block) in self.own_entries(k) {
                    let vb = &v[self.starts[b]..self.starts[b + 1]];
                    for (x, col) in vb.iter().zip(block.chunks_exact(d)) {
                        for (o, j) in out.iter_mut().zip(col) {
                            *o += j * x;
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn multiply_fixed<const D: usize>(&self, k: usize, v: &[f64], out: &mut [f64]) {
        let Some(out) = out.first_chunk_mut::<D>() else { return };
        if let Some(m) = self.shared.of(k) {
            return m.add_selected(&m.velocity(v), out);
        }
        let mut sum = *out;
        for (b, block) in self.own_entries(k) {
            add_product::<D>(block, &v[self.starts[b]..self.starts[b + 1]], &mut sum);
        }
        *out = sum;
    }

    /// J_k v + b_k of a constraint of D rows \[m/s\], D.
    #[inline(always)]
    pub fn velocity_of<const D: usize>(&self, k: usize, v: &[f64]) -> SVector<f64, D> {
        let row = self.rows[k] as usize;
        let mut sum = SVector::<f64, D>::from_column_slice(&self.bias[row..row + D]);
        if let Some(m) = self.shared.of(k) {
            m.add_selected(&m.velocity(v), sum.as_mut_slice());
            return sum;
        }
        let mut odd = SVector::<f64, D>::zeros();
        for (b, block) in self.own_entries(k) {
            add_product_by_turns::<D>(block, &v[self.starts[b]..], &mut sum, &mut odd);
        }
        sum + odd
    }

    /// v += J_kᵀ γ of a constraint of D rows.
    #[inline(always)]
    pub fn push<const D: usize>(&self, k: usize, gamma: &SVector<f64, D>, v: &mut [f64]) {
        if let Some(m) = self.shared.of(k) {
            let mut sum = [0.0; SHARED];
            m.add_turned_back(gamma.as_slice(), &mut sum);
            return m.rows.add_transposed(m.set, &sum, v);
        }
        for (b, block) in self.own_entries(k) {
            for (column, v) in block.as_chunks::<D>().0.iter().zip(&mut v[self.starts[b]..]) {
                let mut sum = 0.0;
                (0..D).for_each(|i| sum += column[i] * gamma[i]);
                *v += sum;
            }
        }
    }

    /// J_k J_kᵀ of a constraint of D rows, D × D: its Delassus block \[1/kg\] where the inertia is the identity.
    #[inline(always)]
    pub fn square_of<const D: usize>(&self, k: usize) -> SMatrix<f64, D, D> {
        let mut sum = SMatrix::zeros();
        self.entries(k).for_each(|(_, block)| sum += square::<D>(&block));
        sum
    }
}

/// Most rows of a constraint.
pub(crate) const MAX_ROWS: usize = 8;

/// A constraint without shared rows.
const NONE: u32 = u32::MAX;

/// Shared rows V = J_s v as a map of their own, and of each constraint that has some the matrix S of v_c = S V + b. Empty where no constraint has any.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SharedRows {
    /// J_s, constraints of six rows.
    pub(crate) rows: Option<Box<FrozenMap>>,
    /// By constraint: its shared rows, and the place of S.
    set: Vec<u32>,
    at: Vec<u32>,
    /// dim × 6 each, column-major.
    select: Vec<f64>,
}

/// A constraint that has shared rows.
#[derive(Clone, Copy)]
pub(crate) struct Member<'a> {
    pub(crate) rows: &'a FrozenMap,
    /// Number of the shared rows.
    pub(crate) set: usize,
    /// S, from its first entry on.
    select: &'a [f64],
}

impl SharedRows {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// J_s over blocks that start at `starts`, for a map that has `count` constraints.
    pub(crate) fn rows_over(&mut self, starts: &[usize], count: usize) -> &mut FrozenMap {
        self.set.resize(count, NONE);
        self.at.resize(count, 0);
        self.rows.get_or_insert_with(|| Box::new(FrozenMap::new(starts)))
    }

    pub(crate) fn push_plain(&mut self) {
        if self.rows.as_ref().is_some_and(|r| r.constraint_count() > 0) {
            self.set.push(NONE);
            self.at.push(0);
        }
    }

    /// The last constraint has the last shared rows.
    pub(crate) fn make_member(&mut self, select: &[f64]) {
        let sets = self.rows.as_ref().map_or(0, |r| r.constraint_count());
        if let (Some(set), Some(at)) = (self.set.last_mut(), self.at.last_mut()) {
            (*set, *at) = (sets as u32 - 1, self.select.len() as u32);
            self.select.extend_from_slice(select);
        }
    }

    pub(crate) fn clear(&mut self) {
        if let Some(rows) = &mut self.rows {
            rows.clear();
        }
        self.set.clear();
        self.at.clear();
        self.select.clear();
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        match (&mut self.rows, &other.rows) {
            (Some(own), Some(rows)) => own.copy_from(rows),
            (own, rows) => own.clone_from(rows),
        }
        self.set.clone_from(&other.set);
        self.at.clone_from(&other.at);
        self.select.clone_from(&other.select);
    }

    /// The shared rows of constraint `k`.
    #[inline(always)]
    pub(crate) fn of(&self, k: usize) -> Option<Member<'_>> {
        let set = *self.set.get(k)?;
        if set == NONE {
            return None;
        }
        let rows = self.rows.as_deref()?;
        Some(Member { rows, set: set as usize, select: &self.select[self.at[k] as usize..] })
    }

    /// Checks what was read from a file, for a map that is in order but for its shared rows.
    pub(crate) fn check(&self, map: &FrozenMap) -> Result<(), Inconsistent> {
        let count = map.constraint_count();
        if self.set.is_empty() {
            return ensure(
                "map.shared",
                self.at.is_empty() && self.select.is_empty(),
                "it has no constraints",
            );
        }
        let fits = self.set.len() == count && self.at.len() == count;
        ensure("map.shared", fits, "it does not have one entry per constraint")?;
        let Some(rows) = &self.rows else {
            return ensure("map.shared.rows", false, "it is missing");
        };
        rows.check()?;
        let plain = rows.shared.is_empty() && rows.dims.iter().all(|d| *d == SHARED as u32);
        ensure(
            "map.shared.rows",
            plain && rows.starts == map.starts,
            "it is not of six rows over the blocks",
        )?;
        for (k, set) in self.set.iter().enumerate().filter(|(_, set)| **set != NONE) {
            ensure("map.shared.set", (*set as usize) < rows.dims.len(), "it names rows that do not exist")?;
            let none = map.entry_start[k] == map.entry_start[k + 1];
            ensure("map.shared.set", none, "a constraint has blocks of its own and shared ones")?;
            let end = self.at[k] as usize + SHARED * map.dims[k] as usize;
            ensure("map.shared.select", end <= self.select.len(), "it has too few entries")?;
        }
        Ok(())
    }

    /// All S (to be checked for numbers that are not finite).
    pub(crate) fn select(&self) -> &[f64] {
        &self.select
    }
}

impl Member<'_> {
    /// V = J_s v.
    #[inline(always)]
    pub(crate) fn velocity(&self, v: &[f64]) -> [f64; SHARED] {
        let mut out = [0.0; SHARED];
        self.rows.multiply_fixed::<SHARED>(self.set, v, &mut out);
        out
    }

    /// S of a constraint of up to three rows, zeros below.
    pub(crate) fn matrix(&self, dim: usize) -> SMatrix<f64, 3, SHARED> {
        SMatrix::from_fn(|i, j| if i < dim { self.select[j * dim + i] } else { 0.0 })
    }

    /// S V of a constraint of D rows.
    #[inline(always)]
    pub(crate) fn selected<const D: usize>(&self, velocity: &[f64; SHARED]) -> [f64; D] {
        let mut out = [0.0; D];
        for (column, x) in self.select.as_chunks::<D>().0.iter().zip(velocity) {
            (0..D).for_each(|i| out[i] += column[i] * x);
        }
        out
    }

    /// out += S V.
    #[inline(always)]
    pub(crate) fn add_selected(&self, velocity: &[f64; SHARED], out: &mut [f64]) {
        let d = out.len();
        if let Ok(out) = <&mut [f64; 3]>::try_from(&mut *out) {
            let more = self.selected::<3>(velocity);
            return (0..3).for_each(|i| out[i] += more[i]);
        }
        for (column, x) in self.select.chunks_exact(d).zip(velocity) {
            out.iter_mut().zip(column).for_each(|(o, s)| *o += s * x);
        }
    }

    /// sum += Sᵀ x.
    #[inline(always)]
    pub(crate) fn add_turned_back(&self, x: &[f64], sum: &mut [f64; SHARED]) {
        if let Some(x) = x.first_chunk::<3>().filter(|_| x.len() == 3) {
            for (o, c) in sum.iter_mut().zip(self.select.as_chunks::<3>().0) {
                *o += c[0] * x[0] + c[1] * x[1] + c[2] * x[2];
            }
            return;
        }
        for (o, column) in sum.iter_mut().zip(self.select.chunks_exact(x.len())) {
            *o += column.iter().zip(x).map(|(s, x)| s * x).sum::<f64>();
        }
    }

    /// sum += Sᵀ G S with G of `d` rows, 6 × 6.
    #[inline(always)]
    pub(crate) fn add_hessian(&self, d: usize, g: &[f64], sum: &mut [f64; SHARED * SHARED]) {
        match d {
            1 => self.add_hessian_of::<1>(g, sum),
            3 => self.add_hessian_of::<3>(g, sum),
            4 => self.add_hessian_of::<4>(g, sum),
            _ => triple_product(d, &self.select[..SHARED * d], g, &self.select[..SHARED * d], sum),
        }
    }

    #[inline(always)]
    fn add_hessian_of<const D: usize>(&self, g: &[f64], sum: &mut [f64; SHARED * SHARED]) {
        let columns = &self.select.as_chunks::<D>().0[..SHARED];
        let g = &g.as_chunks::<D>().0[..D];
        // By row: its six numbers are one product each.
        let mut rows = [[0.0; SHARED]; D];
        for (i, column) in columns.iter().enumerate() {
            (0..D).for_each(|r| rows[r][i] = column[r]);
        }
        for (column, out) in columns.iter().zip(sum.as_chunks_mut::<SHARED>().0) {
            let mut weighted = [0.0; D];
            for s in 0..D {
                for r in 0..D {
                    weighted[r] += g[s][r] * column[s];
                }
            }
            let mut x = [0.0; SHARED];
            for (row, w) in rows.iter().zip(&weighted) {
                (0..SHARED).for_each(|i| x[i] += row[i] * w);
            }
            (0..SHARED).for_each(|i| out[i] += x[i]);
        }
    }

    /// S times a block of J_s: `dim` × n, column-major.
    pub(crate) fn product(&self, dim: usize, block: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; block.len() / SHARED * dim];
        for (column, shared) in out.chunks_exact_mut(dim).zip(block.as_chunks::<SHARED>().0) {
            self.add_selected(shared, column);
        }
        out
    }
}
