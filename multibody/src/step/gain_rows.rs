use signorini_core::{BlockDiagonal, ContactLaw, Coupling, FrozenMap, Inertia};
use signorini_laws::{Gain, GainParams, GainPiece, GainSeed};

use crate::{Model, SparseRow};

/// Largest distance of an impulse from that of the piece it was taken on, relative to the larger of them: force limits hold to a thousandth.
const SLACK: f64 = 1e-3;

/// Motors, tendon springs and dry friction: rows of few entries under [`Gain`], each with the piece of its law that it is taken on.
#[derive(Debug, Default)]
pub(crate) struct GainRows {
    /// First entry of each row.
    starts: Vec<usize>,
    dofs: Vec<usize>,
    values: Vec<f64>,
    /// Blocks of unknowns: the first and the last that a row touches.
    blocks: Vec<[usize; 2]>,
    /// Some row has not one entry.
    long: bool,
    pub seeds: Vec<GainSeed>,
    params: Vec<GainParams>,
    pieces: Vec<GainPiece>,
}

impl GainRows {
    /// Removes all rows.
    pub(crate) fn clear(&mut self) {
        self.starts.clear();
        self.dofs.clear();
        self.values.clear();
        self.blocks.clear();
        self.long = false;
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, model: &Model, row: SparseRow<'_>) {
        let tree = |d: Option<&usize>| d.map_or(0, |d| model.dofs[*d].tree);
        self.starts.push(self.dofs.len());
        self.long |= row.dofs.len() != 1;
        for (dof, value) in row.iter() {
            self.dofs.push(dof);
            self.values.push(value);
        }
        self.blocks.push([tree(row.dofs.first()), tree(row.dofs.last())]);
    }

    /// Takes the seeds of a step, one per row.
    pub(crate) fn set_seeds(&mut self, seeds: &[GainSeed]) {
        self.seeds.clear();
        self.seeds.extend_from_slice(seeds);
        self.params.clear();
        self.params.extend(seeds.iter().map(|s| Gain.prepare(s)));
        self.pieces.clear();
        self.pieces.resize(seeds.len(), GainPiece::Linear);
    }

    /// Blocks of unknowns that each row touches first and last.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &[usize; 2]> {
        self.blocks.iter()
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Row `i`.
    pub(crate) fn row(&self, i: usize) -> SparseRow<'_> {
        let end = self.starts.get(i + 1).copied().unwrap_or(self.dofs.len());
        let of = self.starts[i]..end;
        SparseRow { dofs: &self.dofs[of.clone()], values: &self.values[of] }
    }

    /// Speed of row `i` at `v`.
    #[inline(always)]
    fn speed(&self, i: usize, v: &[f64]) -> f64 {
        if self.long { self.row(i).dot(v) } else { self.values[i] * v[self.dofs[i]] }
    }

    /// Impulse at no speed \[N·s\] and slope \[kg\] of row `i` as it is taken.
    fn line(&self, i: usize) -> [f64; 2] {
        self.params[i].line(self.pieces[i])
    }

    /// Row `i` is taken between the limits of its force.
    pub(crate) fn is_linear(&self, i: usize) -> bool {
        self.pieces[i] == GainPiece::Linear
    }

    /// Takes each law on the piece that `v` lies on; whether one changed.
    pub(crate) fn take(&mut self, v: &[f64]) -> bool {
        let mut changed = false;
        for i in 0..self.len() {
            let piece = self.params[i].piece(self.speed(i, v));
            changed |= self.pieces[i] != piece;
            self.pieces[i] = piece;
        }
        changed
    }

    /// Whether law `i` at `v` is farther from the piece that it is taken on than counts.
    fn is_off(&self, i: usize, v: &[f64]) -> bool {
        let (p, v_c) = (&self.params[i], self.speed(i, v));
        let piece = p.piece(v_c);
        if piece == self.pieces[i] {
            return false;
        }
        let at = |piece| {
            let [a, s] = p.line(piece);
            a - s * v_c
        };
        let (law, taken) = (at(piece), at(self.pieces[i]));
        (law - taken).abs() > SLACK * law.abs().max(taken.abs())
    }

    /// Whether a law at `v` is.
    pub(crate) fn left(&self, v: &[f64]) -> bool {
        (0..self.len()).any(|i| self.is_off(i, v))
    }

    /// Whether a law would exceed its limits on the line that it is taken on; such laws are taken at the limit.
    pub(crate) fn give_way(&mut self, v: &[f64]) -> bool {
        let mut changed = false;
        for i in 0..self.len() {
            if self.pieces[i] == GainPiece::Linear && self.is_off(i, v) {
                self.pieces[i] = self.params[i].piece(self.speed(i, v));
                changed = true;
            }
        }
        changed
    }

    /// Adds the slopes to the blocks of A, those between blocks to `coupling`.
    pub(crate) fn add_slopes(&self, inertia: &mut BlockDiagonal, coupling: &mut Coupling) {
        for (i, [first, last]) in self.blocks.iter().enumerate() {
            let [_, slope] = self.line(i);
            if slope == 0.0 {
                continue;
            }
            let (row, starts) = (self.row(i), inertia.block_starts());
            if first != last {
                coupling.push(slope, row.iter());
                continue;
            }
            let (from, n) = (starts[*first], starts[first + 1] - starts[*first]);
            let block = inertia.block_mut(*first);
            if !self.long {
                block[(self.dofs[i] - from) * (n + 1)] += slope * self.values[i] * self.values[i];
                continue;
            }
            for (i, x) in row.iter() {
                for (j, y) in row.iter() {
                    block[(i - from) * n + j - from] += slope * x * y;
                }
            }
        }
    }

    /// Adds the impulses at no speed.
    pub(crate) fn add_impulses(&self, momentum: &mut [f64]) {
        for i in 0..self.len() {
            let impulse = self.line(i)[0];
            if self.long {
                self.row(i).add_scaled(impulse, momentum);
            } else {
                momentum[self.dofs[i]] += impulse * self.values[i];
            }
        }
    }

    /// Impulse of row `i` at `v` \[N·s\], on the piece that its law is taken on.
    pub(crate) fn impulse(&self, i: usize, v: &[f64]) -> f64 {
        let [still, slope] = self.line(i);
        still - slope * self.speed(i, v)
    }

    /// Pushes the rows onto a map over the same blocks.
    pub(crate) fn push_onto(&self, map: &mut FrozenMap) {
        (0..self.len()).for_each(|i| self.row(i).push_onto(map, 1.0));
    }
}
