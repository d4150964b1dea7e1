//! Sums over constraints that share rows of a Jacobian.

/// Rows that are shared: the relative spatial velocity of two bodies.
pub(crate) const SHARED: usize = 6;

/// Sum over the constraints that follow each other and share rows: Σ Sᵀ x of their gradients, or Σ SᵀGS of their Hessians.
pub(crate) struct SharedSum<const N: usize> {
    set: Option<usize>,
    sum: [f64; N],
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
