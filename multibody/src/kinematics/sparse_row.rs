use signorini_core::FrozenMap;

/// A row of a Jacobian with few entries: degrees of freedom, ascending, and values.
#[derive(Clone, Copy, Debug)]
pub struct SparseRow<'a> {
    /// Degrees of freedom, ascending.
    pub dofs: &'a [usize],
    /// One value each.
    pub values: &'a [f64],
}

impl SparseRow<'_> {
    /// row · v.
    pub fn dot(&self, v: &[f64]) -> f64 {
        self.dofs.iter().zip(self.values).map(|(&i, m)| m * v[i]).sum()
    }

    /// out += s · rowᵀ.
    pub fn add_scaled(&self, s: f64, out: &mut [f64]) {
        for (&i, m) in self.dofs.iter().zip(self.values) {
            out[i] += s * m;
        }
    }

    /// Pushes `sign` times the row onto a map as a constraint of its own, over the blocks that it touches.
    pub(crate) fn push_onto(&self, map: &mut FrozenMap, sign: f64) {
        map.push_constraint(&[0.0]);
        let mut at = 0;
        while at < self.dofs.len() {
            let b = map.block_starts().partition_point(|s| *s <= self.dofs[at]) - 1;
            let (from, to) = (map.block_starts()[b], map.block_starts()[b + 1]);
            let block = map.push_block(b);
            while at < self.dofs.len() && self.dofs[at] < to {
                block[self.dofs[at] - from] = sign * self.values[at];
                at += 1;
            }
        }
    }

    /// (degree of freedom, value) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.dofs.iter().copied().zip(self.values.iter().copied())
    }
}

/// Rows of fixed patterns, one after the other; no allocation after construction.
#[derive(Clone, Debug)]
pub(crate) struct SparseRows {
    start: Vec<usize>,
    values: Vec<f64>,
    /// A dense row, zero between two calls.
    dense: Vec<f64>,
}

impl SparseRows {
    /// Zero rows over `nv` degrees of freedom, with as many entries as `lengths` says.
    pub(crate) fn new(nv: usize, lengths: impl Iterator<Item = usize>) -> Self {
        let mut start = vec![0];
        let mut total = 0;
        start.extend(lengths.map(|n| {
            total += n;
            total
        }));
        Self { start, values: vec![0.0; total], dense: vec![0.0; nv] }
    }

    /// Sets row `i` from the entries at `dofs` that `fill` writes into a dense row of zeros; returns the result of `fill`.
    pub(crate) fn set<T>(&mut self, i: usize, dofs: &[usize], fill: impl FnOnce(&mut [f64]) -> T) -> T {
        let out = fill(&mut self.dense);
        let row = &mut self.values[self.start[i]..self.start[i + 1]];
        for (m, &d) in row.iter_mut().zip(dofs) {
            *m = std::mem::take(&mut self.dense[d]);
        }
        out
    }

    /// Row `i`, whose degrees of freedom are `dofs`.
    pub(crate) fn row<'a>(&'a self, i: usize, dofs: &'a [usize]) -> SparseRow<'a> {
        SparseRow { dofs, values: &self.values[self.start[i]..self.start[i + 1]] }
    }
}
