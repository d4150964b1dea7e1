//! Dense kernels on column-major panels: plain loops over fixed-size tiles, which the compiler turns into vector code for the
//! instruction set it is inlined into (see `supernodal::factor`). No fused multiply-add, no reordered sums: results are the same
//! on every machine.

/// C −= A Bᵀ with C: m × n, A: m × k, B: n × k, column-major with leading dimensions; `ROWS` is the largest tile height.
#[inline(always)]
pub(super) fn subtract_product<const ROWS: usize>(
    shape: Shape,
    a: Mat<'_>,
    b: Mat<'_>,
    c: &mut [f64],
    ldc: usize,
) {
    let mut j = 0;
    while shape.n - j >= 6 {
        strip::<ROWS, 6>(shape, a, b, c, ldc, j);
        j += 6;
    }
    if shape.n - j >= 4 {
        strip::<ROWS, 4>(shape, a, b, c, ldc, j);
        j += 4;
    }
    if shape.n - j >= 2 {
        strip::<ROWS, 2>(shape, a, b, c, ldc, j);
        j += 2;
    }
    if shape.n - j == 1 {
        strip::<ROWS, 1>(shape, a, b, c, ldc, j);
    }
}

/// Sizes of a product.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// Rows of C and A.
    pub(super) m: usize,
    /// Columns of C, rows of B.
    pub(super) n: usize,
    /// Columns of A and B.
    pub(super) k: usize,
}

/// A column-major matrix with its leading dimension.
#[derive(Clone, Copy)]
pub(super) struct Mat<'a> {
    /// Entries.
    pub(super) data: &'a [f64],
    /// Distance between columns.
    pub(super) ld: usize,
}

#[inline(always)]
fn strip<const ROWS: usize, const COLS: usize>(
    shape: Shape,
    a: Mat<'_>,
    b: Mat<'_>,
    c: &mut [f64],
    ldc: usize,
    j: usize,
) {
    let (m, k) = (shape.m, shape.k);
    let mut i = 0;
    while m - i >= ROWS {
        tile::<ROWS, COLS>(k, a, i, b, j, c, ldc);
        i += ROWS;
    }
    if ROWS > 4 && m - i >= 4 {
        tile::<4, COLS>(k, a, i, b, j, c, ldc);
        i += 4;
    }
    if m - i >= 2 {
        tile::<2, COLS>(k, a, i, b, j, c, ldc);
        i += 2;
    }
    if m - i == 1 {
        tile::<1, COLS>(k, a, i, b, j, c, ldc);
    }
}

/// Adds x yᵀ, by columns.
#[inline(always)]
pub(super) fn add_outer<const R: usize, const C: usize>(sum: &mut [[f64; R]; C], x: &[f64; R], y: &[f64; C]) {
    for jj in 0..C {
        for ii in 0..R {
            sum[jj][ii] += x[ii] * y[jj];
        }
    }
}

#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "a kernel: two operands, a target and their places")]
fn tile<const R: usize, const C: usize>(
    k: usize,
    a: Mat<'_>,
    i: usize,
    b: Mat<'_>,
    j: usize,
    c: &mut [f64],
    ldc: usize,
) {
    let mut sum = [[0.0; R]; C];
    let (mut pa, mut pb) = (i, j);
    for _ in 0..k {
        let (Some(x), Some(y)) = (a.data[pa..].first_chunk::<R>(), b.data[pb..].first_chunk::<C>()) else {
            return;
        };
        add_outer(&mut sum, x, y);
        pa += a.ld;
        pb += b.ld;
    }
    for jj in 0..C {
        let at = i + (j + jj) * ldc;
        let Some(out) = c[at..].first_chunk_mut::<R>() else { return };
        for ii in 0..R {
            out[ii] -= sum[jj][ii];
        }
    }
}

/// Factors the first `w` columns of a panel of `h` rows: lower triangle L with reciprocals on its diagonal, and the rows below.
///
/// Fails with the column and the value of the first pivot that is not positive.
#[inline(always)]
pub(super) fn factor_panel<const ROWS: usize>(
    panel: &mut [f64],
    w: usize,
    h: usize,
    ld: usize,
) -> Result<(), (usize, f64)> {
    const STEP: usize = 6;
    let mut start = 0;
    while start < w {
        let width = STEP.min(w - start);
        let (done, rest) = panel.split_at_mut(start * ld);
        if start > 0 {
            let a = Mat { data: &done[start..], ld };
            let shape = Shape { m: h - start, n: width, k: start };
            subtract_product::<ROWS>(shape, a, a, &mut rest[start..], ld);
        }
        for j in 0..width {
            let (before, column) = rest.split_at_mut(j * ld);
            let column = &mut column[start + j..h];
            for p in 0..j {
                let l = &before[p * ld + start + j..p * ld + h];
                let factor = l[0];
                for (x, y) in column.iter_mut().zip(l) {
                    *x -= factor * y;
                }
            }
            let pivot = column[0];
            if !(pivot > 0.0 && pivot.is_finite()) {
                return Err((start + j, pivot));
            }
            let scale = pivot.sqrt().recip();
            column[0] = scale;
            for x in &mut column[1..] {
                *x *= scale;
            }
        }
        start += width;
    }
    Ok(())
}

/// x ← L⁻¹ x for the leading triangle, then `below` −= (rows under the triangle) x.
#[inline(always)]
pub(super) fn forward(panel: Mat<'_>, x: &mut [f64], below: &mut [f64]) {
    let (w, h) = (x.len(), x.len() + below.len());
    for j in 0..w {
        let column = &panel.data[j * panel.ld..j * panel.ld + h];
        let xj = x[j] * column[j];
        x[j] = xj;
        for (o, l) in x[j + 1..].iter_mut().zip(&column[j + 1..w]) {
            *o -= xj * l;
        }
        for (o, l) in below.iter_mut().zip(&column[w..]) {
            *o -= xj * l;
        }
    }
}

/// x ← L⁻ᵀ (x − (rows under the triangle)ᵀ below).
#[inline(always)]
pub(super) fn backward(panel: Mat<'_>, x: &mut [f64], below: &[f64]) {
    let (w, h) = (x.len(), x.len() + below.len());
    for j in (0..w).rev() {
        let column = &panel.data[j * panel.ld..j * panel.ld + h];
        let s = dot(&column[w..], below) + dot(&column[j + 1..w], &x[j + 1..]);
        x[j] = (x[j] - s) * column[j];
    }
}

/// Dot product in four interleaved sums.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (ac, ar) = a.as_chunks::<4>();
    let (bc, br) = b.as_chunks::<4>();
    let mut sum = [0.0; 4];
    for (x, y) in ac.iter().zip(bc) {
        for i in 0..4 {
            sum[i] += x[i] * y[i];
        }
    }
    let tail: f64 = ar.iter().zip(br).map(|(x, y)| x * y).sum();
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + tail
}
