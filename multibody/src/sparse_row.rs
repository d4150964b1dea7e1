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

    /// (degree of freedom, value) pairs.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.dofs.iter().copied().zip(self.values.iter().copied())
    }
}
