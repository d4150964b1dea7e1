use signorini_core::ContactSide;

use crate::directions::{HALF_4, HALF_8, HALF_16};
use crate::facet_rows::{FACETS, FacetRows};

/// Inverse masses aᵀ W a \[1/kg\] of facets, W the sum over both sides of a contact.
pub(crate) struct FacetMasses<'a> {
    pub sides: &'a [ContactSide; 2],
    /// Factors of the parts of either side.
    pub shares: [f64; 2],
    /// Opposite facets have the larger of their two.
    pub balanced: bool,
}

impl FacetMasses<'_> {
    /// Of a part of W.
    #[inline(always)]
    pub(crate) fn sum(&self, part: impl Fn(&ContactSide) -> f64) -> f64 {
        self.shares[0] * part(&self.sides[0]) + self.shares[1] * part(&self.sides[1])
    }

    /// For every facet in use.
    #[inline(always)]
    pub(crate) fn of_facets(&self, p: &FacetRows, out: &mut [f64; FACETS]) {
        let normal = self.sum(|s| s.linear[(0, 0)]);
        if p.condim == 1 {
            out[0] = normal;
            return;
        }
        match p.directions {
            4 => self.of_tangents(normal, p.mu[0], &HALF_4, out),
            8 => self.of_tangents(normal, p.mu[0], &HALF_8, out),
            _ => self.of_tangents(normal, p.mu[0], &HALF_16, out),
        }
        let turns = if p.condim < 4 { 0 } else { usize::from(p.condim) - 3 };
        for (axis, out) in out[usize::from(p.directions)..].chunks_exact_mut(2).take(turns).enumerate() {
            let a = p.coefficient(3 + axis);
            let even = normal + a * a * self.sum(|s| s.angular[(axis, axis)]);
            let odd = 2.0 * a * self.sum(|s| s.coupling[axis]);
            out.copy_from_slice(&self.pair(even, odd));
        }
    }

    #[inline(always)]
    fn of_tangents<const H: usize>(
        &self,
        normal: f64,
        mu: f64,
        half: &[[f64; 2]; H],
        out: &mut [f64; FACETS],
    ) {
        let w = |i: usize, j: usize| self.sum(|s| s.linear[(i, j)]);
        let (w11, w12, w22) = (mu * mu * w(1, 1), mu * mu * (w(1, 2) + w(2, 1)), mu * mu * w(2, 2));
        let (w01, w02) = (mu * (w(0, 1) + w(1, 0)), mu * (w(0, 2) + w(2, 0)));
        for (j, [c, s]) in half.iter().enumerate() {
            let (even, odd) = (normal + c * c * w11 + c * s * w12 + s * s * w22, c * w01 + s * w02);
            [out[j], out[j + H]] = self.pair(even, odd);
        }
    }

    /// Of the facets a and its opposite, from the parts of aᵀ W a that are even and odd in the tangents.
    #[inline(always)]
    fn pair(&self, even: f64, odd: f64) -> [f64; 2] {
        if self.balanced { [even + odd.abs(); 2] } else { [even - odd, even + odd] }
    }
}
