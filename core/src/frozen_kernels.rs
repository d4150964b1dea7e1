//! Inner loops of [`FrozenMap`](crate::FrozenMap) for a fixed number of rows D: blocks of J are D × n, column-major.

use nalgebra::{SMatrix, SVector};

use crate::BlockSink;

/// out += block · x.
#[inline(always)]
pub(crate) fn add_product<const D: usize>(block: &[f64], x: &[f64], out: &mut [f64; D]) {
    let columns = block.as_chunks::<D>().0;
    if let (Some(columns), Some(x)) = (of_free_body(columns), of_free_body(x)) {
        for j in 0..6 {
            for i in 0..D {
                out[i] += columns[j][i] * x[j];
            }
        }
        return;
    }
    for (col, x) in columns.iter().zip(x) {
        for i in 0..D {
            out[i] += col[i] * x;
        }
    }
}

/// even + odd += block · x, columns in turn to two sums, which wait for each other half as often as one.
#[inline(always)]
pub(crate) fn add_product_by_turns<const D: usize>(
    block: &[f64],
    x: &[f64],
    even: &mut SVector<f64, D>,
    odd: &mut SVector<f64, D>,
) {
    let columns = block.as_chunks::<D>().0;
    let (pairs, last) = columns.as_chunks::<2>();
    let (x, x_last) = x[..columns.len()].as_chunks::<2>();
    for ([a, b], [x_a, x_b]) in pairs.iter().zip(x) {
        for i in 0..D {
            even[i] += a[i] * x_a;
            odd[i] += b[i] * x_b;
        }
    }
    for (a, x) in last.iter().zip(x_last) {
        (0..D).for_each(|i| even[i] += a[i] * x);
    }
}

/// block · blockᵀ, D × D.
#[inline(always)]
pub(crate) fn square<const D: usize>(block: &[f64]) -> SMatrix<f64, D, D> {
    let mut w = SMatrix::zeros();
    for c in block.as_chunks::<D>().0 {
        for j in 0..D {
            (0..D).for_each(|i| w[(i, j)] += c[i] * c[j]);
        }
    }
    w
}

/// The six columns or unknowns of a free body, so that loops over them have a known length.
#[inline(always)]
fn of_free_body<T>(x: &[T]) -> Option<&[T; 6]> {
    x.try_into().ok()
}

/// out += blockᵀ · y.
#[inline(always)]
pub(crate) fn add_transposed_product<const D: usize>(block: &[f64], y: &[f64; D], out: &mut [f64]) {
    let columns = block.as_chunks::<D>().0;
    if let (Some(columns), Ok(out)) = (of_free_body(columns), <&mut [f64; 6]>::try_from(&mut *out)) {
        for j in 0..6 {
            let mut s = 0.0;
            for i in 0..D {
                s += columns[j][i] * y[i];
            }
            out[j] += s;
        }
        return;
    }
    for (col, o) in columns.iter().zip(out) {
        let mut s = 0.0;
        for i in 0..D {
            s += col[i] * y[i];
        }
        *o += s;
    }
}

/// Rows of a block J and of G J, the factors of a Hessian block JᵀGJ.
struct Rows<const D: usize, const N: usize> {
    j: [[f64; N]; D],
    gj: [[f64; N]; D],
}

impl<const D: usize, const N: usize> Rows<D, N> {
    #[inline(always)]
    fn new(block: &[f64], g: &[f64]) -> Self {
        let mut rows = Self { j: [[0.0; N]; D], gj: [[0.0; N]; D] };
        for (c, col) in block.as_chunks::<D>().0.iter().enumerate().take(N) {
            for r in 0..D {
                rows.j[r][c] = col[r];
            }
        }
        for s in 0..D {
            for r in 0..D {
                let x = g[s * D + r];
                for c in 0..N {
                    rows.gj[r][c] += x * rows.j[s][c];
                }
            }
        }
        rows
    }
}

/// out += aᵀ G b, N × N column-major.
#[inline(always)]
fn add_outer<const D: usize, const N: usize>(a: &Rows<D, N>, b: &Rows<D, N>, out: &mut [[f64; N]; N]) {
    for c in 0..N {
        for r in 0..D {
            let x = b.gj[r][c];
            for i in 0..N {
                out[c][i] += a.j[r][i] * x;
            }
        }
    }
}

/// Sums JᵀGJ of consecutive constraints that touch the same one or two free bodies, so that each block goes to the sink once.
pub(crate) struct BodyPair {
    blocks: [u32; 2],
    count: usize,
    // (0, 0), (1, 0), (1, 1).
    sums: [[[f64; 6]; 6]; 3],
}

impl BodyPair {
    pub(crate) fn new() -> Self {
        Self { blocks: [0; 2], count: 0, sums: [[[0.0; 6]; 6]; 3] }
    }

    /// Adds a constraint on `blocks` (one or two, ascending) with Jacobian blocks `j`, D × 6 each.
    #[inline(always)]
    pub(crate) fn add<const D: usize>(
        &mut self,
        blocks: &[u32],
        j: &[f64],
        g: &[f64],
        h: &mut dyn BlockSink,
    ) {
        if self.blocks[..self.count] != *blocks {
            self.flush(h);
            self.count = blocks.len();
            self.blocks[..self.count].copy_from_slice(blocks);
        }
        let first = Rows::<D, 6>::new(&j[..6 * D], g);
        add_outer(&first, &first, &mut self.sums[0]);
        if self.count == 2 {
            let second = Rows::<D, 6>::new(&j[6 * D..], g);
            add_outer(&second, &first, &mut self.sums[1]);
            add_outer(&second, &second, &mut self.sums[2]);
        }
    }

    /// Hands the sums to the sink and starts over.
    pub(crate) fn flush(&mut self, h: &mut dyn BlockSink) {
        let [a, b] = self.blocks.map(|b| b as usize);
        let used = match self.count {
            0 => 0,
            1 => 1,
            _ => 3,
        };
        for (sum, (row, col)) in self.sums.iter_mut().zip([(a, a), (b, a), (b, b)]).take(used) {
            h.add(row, col, sum.as_flattened());
            *sum = [[0.0; 6]; 6];
        }
        self.count = 0;
    }
}

/// out (m × n) += aᵀ G b with a: d × m, b: d × n.
pub(crate) fn triple_product(d: usize, a: &[f64], g: &[f64], b: &[f64], out: &mut [f64]) {
    let m = a.len() / d;
    for (o, col) in out.chunks_exact_mut(m).zip(b.chunks_exact(d)) {
        for r in 0..d {
            let x: f64 = col.iter().enumerate().map(|(s, b)| g[s * d + r] * b).sum();
            if x != 0.0 {
                for (o, a) in o.iter_mut().zip(a.chunks_exact(d)) {
                    *o += a[r] * x;
                }
            }
        }
    }
}

/// Lower triangle of out (n × n) += aᵀ G a, for any number of rows.
pub(crate) fn add_square(d: usize, a: &[f64], g: &[f64], out: &mut [f64]) {
    let n = a.len() / d;
    for (c, col) in a.chunks_exact(d).enumerate() {
        for r in 0..d {
            let x: f64 = col.iter().enumerate().map(|(s, b)| g[s * d + r] * b).sum();
            for (o, a) in out[c * n + c..(c + 1) * n].iter_mut().zip(a.chunks_exact(d).skip(c)) {
                *o += a[r] * x;
            }
        }
    }
}

/// [`add_square`] over the columns of `a` that are not zero: a contact of a robot moves with the joints on its way to the root alone. Blocks
/// wider than N are taken whole.
#[inline(always)]
pub(crate) fn add_sparse_square<const D: usize, const N: usize>(a: &[f64], g: &[f64], out: &mut [f64]) {
    let n = a.len() / D;
    if n > N {
        return add_square(D, a, g, out);
    }
    let mut at = [0u32; N];
    let mut rows = [[0.0; N]; D];
    let mut used = 0;
    for (c, col) in a.as_chunks::<D>().0.iter().enumerate() {
        if *col != [0.0; D] {
            at[used] = c as u32;
            for r in 0..D {
                rows[r][used] = col[r];
            }
            used += 1;
        }
    }
    for c in 0..used {
        let mut weighted = [0.0; D];
        for r in 0..D {
            for s in 0..D {
                weighted[r] += g[s * D + r] * rows[s][c];
            }
        }
        let out = &mut out[at[c] as usize * n..][..n];
        for i in c..used {
            let mut x = 0.0;
            for r in 0..D {
                x += rows[r][i] * weighted[r];
            }
            out[at[i] as usize] += x;
        }
    }
}

/// Copies the lower triangle to the upper one: n × n, column-major.
pub(crate) fn mirror_lower(n: usize, a: &mut [f64]) {
    for c in 1..n {
        for r in 0..c {
            a[c * n + r] = a[r * n + c];
        }
    }
}
