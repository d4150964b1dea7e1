use serde::{Deserialize, Serialize};
use signorini_core::na::SVector;

use crate::directions::{COS, HALF_4, HALF_8, HALF_16};
use crate::facet_sums::{fastest, sum_of_tangents};

/// Most facets of a contact: 16 directions, two spins, four rolls.
pub(crate) const FACETS: usize = 22;

/// Rows a_f = n − μ d_f of the facets of a contact: directions of sliding, then two spins, then four rolls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FacetRows {
    /// Sliding, spin, rolling.
    pub mu: [f64; 3],
    pub directions: u8,
    pub condim: u8,
}

impl FacetRows {
    /// Facets in use.
    #[inline(always)]
    pub(crate) fn count(&self) -> usize {
        facet_count(usize::from(self.condim), self.directions)
    }

    /// Coefficient of friction about axis 3 (spin), 4 or 5 (rolls) \[m\].
    #[inline(always)]
    pub(crate) fn coefficient(&self, axis: usize) -> f64 {
        self.mu[if axis == 3 { 1 } else { 2 }]
    }

    /// Calls `f(number, a_f)` for every facet; a_f as (normal, t₁, t₂, spin, roll₁, roll₂).
    #[inline(always)]
    pub(crate) fn for_each(&self, mut f: impl FnMut(usize, [f64; 6])) {
        if self.condim == 1 {
            return f(0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        let [sliding, spin, rolling] = self.mu;
        let n = usize::from(self.directions);
        for j in 0..n {
            let i = j * (16 / n);
            f(j, [1.0, -sliding * COS[i], -sliding * COS[(i + 12) % 16], 0.0, 0.0, 0.0]);
        }
        if self.condim < 4 {
            return;
        }
        f(n, [1.0, 0.0, 0.0, -spin, 0.0, 0.0]);
        f(n + 1, [1.0, 0.0, 0.0, spin, 0.0, 0.0]);
        if self.condim < 6 {
            return;
        }
        f(n + 2, [1.0, 0.0, 0.0, 0.0, -rolling, 0.0]);
        f(n + 3, [1.0, 0.0, 0.0, 0.0, rolling, 0.0]);
        f(n + 4, [1.0, 0.0, 0.0, 0.0, 0.0, -rolling]);
        f(n + 5, [1.0, 0.0, 0.0, 0.0, 0.0, rolling]);
    }

    /// u_f = a_f·v_c of the facets in use.
    #[inline(always)]
    pub(crate) fn rates<const D: usize>(&self, v_c: &SVector<f64, D>, out: &mut [f64; FACETS]) {
        if self.condim == 1 || D < 3 {
            out[0] = v_c[0];
            return;
        }
        match self.directions {
            4 => self.rates_of_tangents(v_c, &HALF_4, out),
            8 => self.rates_of_tangents(v_c, &HALF_8, out),
            _ => self.rates_of_tangents(v_c, &HALF_16, out),
        }
        for axis in 3..usize::from(self.condim).min(D) {
            let x = self.coefficient(axis) * v_c[axis];
            let at = usize::from(self.directions) + 2 * (axis - 3);
            (out[at], out[at + 1]) = (v_c[0] - x, v_c[0] + x);
        }
    }

    #[inline(always)]
    fn rates_of_tangents<const D: usize, const H: usize>(
        &self,
        v_c: &SVector<f64, D>,
        half: &[[f64; 2]; H],
        out: &mut [f64; FACETS],
    ) {
        let (x, y) = (self.mu[0] * v_c[1], self.mu[0] * v_c[2]);
        for (j, [c, s]) in half.iter().enumerate() {
            let t = c * x + s * y;
            (out[j], out[j + H]) = (v_c[0] - t, v_c[0] + t);
        }
    }

    /// Largest rate of a facet across the normal \[m/s\], max_f μ_f d_f·u.
    #[inline(always)]
    pub(crate) fn largest_across<const D: usize>(&self, v_c: &SVector<f64, D>) -> f64 {
        let mut most = match self.directions {
            4 => fastest(&HALF_4, v_c[1], v_c[2]),
            8 => fastest(&HALF_8, v_c[1], v_c[2]),
            _ => fastest(&HALF_16, v_c[1], v_c[2]),
        } * self.mu[0];
        for axis in 3..usize::from(self.condim).min(D) {
            most = most.max((self.coefficient(axis) * v_c[axis]).abs());
        }
        most
    }

    /// Σ λ_f a_f of the impulses λ_f.
    #[inline(always)]
    pub(crate) fn impulse<const D: usize>(&self, of: &[f64; FACETS]) -> SVector<f64, D> {
        if self.condim == 1 || D < 3 {
            return self.of_tangents([of[0], 0.0, 0.0]);
        }
        let mut gamma = self.of_tangents(match self.directions {
            4 => sum_of_tangents(&HALF_4, opposite(of)),
            8 => sum_of_tangents(&HALF_8, opposite(of)),
            _ => sum_of_tangents(&HALF_16, opposite(of)),
        });
        for axis in 3..usize::from(self.condim).min(D) {
            let at = usize::from(self.directions) + 2 * (axis - 3);
            let (a, b) = (of[at], of[at + 1]);
            gamma[0] += a + b;
            gamma[axis] = self.coefficient(axis) * (b - a);
        }
        gamma
    }

    /// The impulse of tangents, by [`sum_of_tangents`].
    #[inline(always)]
    pub(crate) fn of_tangents<const D: usize>(&self, [normal, x, y]: [f64; 3]) -> SVector<f64, D> {
        let mut gamma = SVector::zeros();
        gamma[0] = normal;
        if D >= 3 {
            (gamma[1], gamma[2]) = (-self.mu[0] * x, -self.mu[0] * y);
        }
        gamma
    }
}

/// Sums and differences of the impulses of opposite tangents.
#[inline(always)]
fn opposite<const H: usize>(of: &[f64; FACETS]) -> [[f64; H]; 2] {
    let mut out = [[0.0; H]; 2];
    for j in 0..H {
        let (a, b) = (of[j], of[j + H]);
        (out[0][j], out[1][j]) = (a + b, a - b);
    }
    out
}

/// Facets of a contact of this dimension.
#[inline(always)]
pub(crate) fn facet_count(condim: usize, directions: u8) -> usize {
    let n = usize::from(directions);
    match condim {
        0 | 2 => 0,
        1 => 1,
        3 => n,
        4 | 5 => n + 2,
        _ => n + 6,
    }
}
