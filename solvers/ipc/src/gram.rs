use pulp::{Arch, Simd, WithSimd};

/// Entries of a vector over two bodies.
pub(crate) const PAIR: usize = 24;
/// Columns and rows of a tile.
const COLS: usize = 4;
const ROWS: usize = 12;

/// Σ y yᵀ of vectors over two bodies, column-major; blocks above the diagonal of 12 × 12 blocks are left as they are.
pub(crate) fn gram(y: &[[f64; PAIR]], h: &mut [f64; PAIR * PAIR]) {
    Arch::new().dispatch(Gram { y, h });
}

struct Gram<'a> {
    y: &'a [[f64; PAIR]],
    h: &'a mut [f64; PAIR * PAIR],
}

impl WithSimd for Gram<'_> {
    type Output = ();

    // The loops are inlined into a function compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for col in (0..PAIR).step_by(COLS) {
            for row in (ROWS * (col / ROWS)..PAIR).step_by(ROWS) {
                let mut sum = [[0.0; ROWS]; COLS];
                for y in self.y {
                    for c in 0..COLS {
                        let s = y[col + c];
                        for r in 0..ROWS {
                            sum[c][r] += s * y[row + r];
                        }
                    }
                }
                for c in 0..COLS {
                    let at = PAIR * (col + c) + row;
                    self.h[at..at + ROWS].copy_from_slice(&sum[c]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn analytic_gram_is_the_sum_of_squares() {
        let y: Vec<[f64; PAIR]> =
            (0..5).map(|k| std::array::from_fn(|i| ((i * i + k) as f64).sin())).collect();
        let mut h = [0.0; PAIR * PAIR];
        gram(&y, &mut h);
        for i in 0..PAIR {
            for j in 0..PAIR {
                let sum: f64 = y.iter().map(|y| y[i] * y[j]).sum();
                let expected = if i / ROWS < j / ROWS { 0.0 } else { sum };
                // Sums of five in the same order.
                assert!((h[PAIR * j + i] - expected).abs() < 1e-15, "{i} {j}");
            }
        }
    }
}
