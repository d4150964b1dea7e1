//! Small dense kernels, column-major. Each is compiled twice: for the baseline and, behind run-time detection, with AVX2 and FMA.

/// Lower Cholesky factor of the leading n × n block of `a`, in place (the strict upper triangle is left alone). False when a pivot is
/// not positive.
#[inline(always)]
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        let (done, rest) = a.split_at_mut(j * n);
        let col = &mut rest[..n];
        for k in 0..j {
            let prev = &done[k * n..(k + 1) * n];
            let f = prev[j];
            for i in j..n {
                col[i] -= prev[i] * f;
            }
        }
        let d = col[j];
        if !(d > 0.0 && d.is_finite()) {
            return false;
        }
        let root = d.sqrt();
        let inv = 1.0 / root;
        col[j] = root;
        for x in &mut col[j + 1..] {
            *x *= inv;
        }
    }
    true
}

/// B ← B L⁻ᵀ with B m × n and L n × n lower.
#[inline(always)]
pub(crate) fn solve_right_transposed(b: &mut [f64], m: usize, l: &[f64], n: usize) {
    for j in 0..n {
        let (done, rest) = b.split_at_mut(j * m);
        let col = &mut rest[..m];
        for k in 0..j {
            let f = l[k * n + j];
            let prev = &done[k * m..(k + 1) * m];
            for i in 0..m {
                col[i] -= prev[i] * f;
            }
        }
        let inv = 1.0 / l[j * n + j];
        for x in col {
            *x *= inv;
        }
    }
}

/// C ← C − A Bᵀ with C m × p, A m × n, B p × n.
#[inline(always)]
pub(crate) fn subtract_product(c: &mut [f64], a: &[f64], b: &[f64], m: usize, p: usize, n: usize) {
    if let ((6, 6, 6), Some(c), Some(a), Some(b)) =
        ((m, p, n), c.first_chunk_mut::<36>(), a.first_chunk(), b.first_chunk())
    {
        return subtract_product_6(c, a, b);
    }
    for j in 0..p {
        let col = &mut c[j * m..(j + 1) * m];
        for k in 0..n {
            let f = b[k * p + j];
            let acol = &a[k * m..(k + 1) * m];
            for i in 0..m {
                col[i] -= acol[i] * f;
            }
        }
    }
}

#[inline(always)]
fn subtract_product_6(c: &mut [f64; 36], a: &[f64; 36], b: &[f64; 36]) {
    for j in 0..6 {
        let mut col = [0.0; 6];
        for k in 0..6 {
            let f = b[k * 6 + j];
            for i in 0..6 {
                col[i] += a[k * 6 + i] * f;
            }
        }
        for i in 0..6 {
            c[j * 6 + i] -= col[i];
        }
    }
}
