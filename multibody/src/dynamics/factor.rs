use std::ops::Range;

use crate::Model;

/// M = Lᵀ D L of a mass matrix with the sparsity of the kinematic trees: L has fill only on paths to the root.
///
/// Entry (i, j), j an ancestor of i or i itself, is stored row by row: row i holds i, parent(i), grandparent(i), …
#[derive(Clone, Debug)]
pub struct TreeFactor {
    row_start: Vec<usize>,
    depth: Vec<usize>,
    parent: Vec<usize>,
    values: Vec<f64>,
}

const ROOT: usize = usize::MAX;

impl TreeFactor {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let parent: Vec<usize> = model.dofs.iter().map(|d| d.parent.unwrap_or(ROOT)).collect();
        let mut depth: Vec<usize> = Vec::with_capacity(parent.len());
        let mut row_start = vec![0];
        for &p in &parent {
            depth.push(if p == ROOT { 0 } else { depth[p] + 1 });
            row_start.push(row_start[row_start.len() - 1] + depth[depth.len() - 1] + 1);
        }
        let total = row_start[row_start.len() - 1];
        Self { row_start, depth, parent, values: vec![0.0; total] }
    }

    /// Sets entry (i, j) with j = i or an ancestor of i; every entry must be set before [`TreeFactor::factor`].
    pub fn set(&mut self, i: usize, j: usize, value: f64) {
        let at = self.row_start[i] + self.depth[i] - self.depth[j];
        self.values[at] = value;
    }

    /// Factors in place; returns the first degree of freedom whose pivot is not positive.
    ///
    /// # Errors
    /// The number of that degree of freedom.
    pub fn factor(&mut self) -> Result<(), usize> {
        self.factor_range(0..self.parent.len())
    }

    /// Factors the entries of whole trees, as [`TreeFactor::factor`].
    ///
    /// # Errors
    /// As there.
    pub fn factor_range(&mut self, trees: Range<usize>) -> Result<(), usize> {
        for k in trees.rev() {
            let row = self.row_start[k];
            let pivot = self.values[row];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err(k);
            }
            let n = self.depth[k];
            let mut i = self.parent[k];
            for a in 1..=n {
                let f = self.values[row + a] / pivot;
                // Row i gains −f · (k, j) for j = i and its ancestors.
                let to = self.row_start[i];
                for b in a..=n {
                    self.values[to + b - a] -= f * self.values[row + b];
                }
                self.values[row + a] = f;
                i = self.parent[i];
            }
        }
        Ok(())
    }

    /// After [`TreeFactor::factor`]: entry `i` of D.
    pub fn pivot(&self, i: usize) -> f64 {
        self.values[self.row_start[i]]
    }

    /// x ← M⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        self.solve_range(0..self.parent.len(), x);
    }

    /// x ← M⁻¹ x for an x that is zero outside the degrees of freedom of some whole trees.
    pub fn solve_range(&self, trees: Range<usize>, x: &mut [f64]) {
        for i in trees.clone().rev() {
            let mut j = self.parent[i];
            for a in 1..=self.depth[i] {
                x[j] -= self.values[self.row_start[i] + a] * x[i];
                j = self.parent[j];
            }
        }
        for i in trees {
            x[i] /= self.values[self.row_start[i]];
            let mut j = self.parent[i];
            for a in 1..=self.depth[i] {
                x[i] -= self.values[self.row_start[i] + a] * x[j];
                j = self.parent[j];
            }
        }
    }
}
