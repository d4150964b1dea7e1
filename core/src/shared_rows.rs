//! Rows of a Jacobian that several constraints of a [`FrozenMap`] share.

use nalgebra::SMatrix;
use serde::{Deserialize, Serialize};

use crate::FrozenMap;
use crate::consistency::{Inconsistent, ensure};

/// Rows that are shared: the relative spatial velocity of two bodies.
pub(crate) const SHARED: usize = 6;

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
            _ => crate::frozen_kernels::triple_product(
                d,
                &self.select[..SHARED * d],
                g,
                &self.select[..SHARED * d],
                sum,
            ),
        }
    }

    #[inline(always)]
    fn add_hessian_of<const D: usize>(&self, g: &[f64], sum: &mut [f64; SHARED * SHARED]) {
        let columns = &self.select.as_chunks::<D>().0[..SHARED];
        let g = &g.as_chunks::<D>().0[..D];
        for (c, column) in columns.iter().enumerate() {
            let mut weighted = [0.0; D];
            for s in 0..D {
                for r in 0..D {
                    weighted[r] += g[s][r] * column[s];
                }
            }
            for (i, row) in columns.iter().enumerate() {
                let mut x = 0.0;
                (0..D).for_each(|r| x += row[r] * weighted[r]);
                sum[c * SHARED + i] += x;
            }
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

/// Sum over the constraints that follow each other and share rows: Σ Sᵀ x of their gradients, or Σ SᵀGS of their Hessians.
pub(crate) struct SharedSum<const N: usize> {
    set: Option<usize>,
    pub(crate) sum: [f64; N],
}

impl<const N: usize> SharedSum<N> {
    pub(crate) fn new() -> Self {
        Self { set: None, sum: [0.0; N] }
    }

    /// The sum that constraints of `set` are added to; `flush` takes that of another set first.
    #[inline(always)]
    pub(crate) fn of(&mut self, set: usize, flush: impl FnOnce(usize, &[f64; N])) -> &mut [f64; N] {
        if self.set != Some(set) {
            self.flush(flush);
            self.set = Some(set);
        }
        &mut self.sum
    }

    /// Hands over the sum, if there is one, and starts anew.
    #[inline(always)]
    pub(crate) fn flush(&mut self, flush: impl FnOnce(usize, &[f64; N])) {
        if let Some(set) = self.set.take() {
            flush(set, &self.sum);
            self.sum = [0.0; N];
        }
    }
}
