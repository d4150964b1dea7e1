//! Panels beyond the first cache: both operands of every product are packed once, in tiles of rows that are contiguous over the columns.

use super::kernels::{add_outer, factor_panel};

/// Columns that are factored as one, and columns of ancestors that are updated as one.
pub(super) const STEP: usize = 48;

/// Whether a panel of `width` columns and `height` rows is worth the packing.
pub(super) fn is_wide(width: usize, height: usize) -> bool {
    width >= 24 && width * height > 6000
}

/// A packed panel: row `i`, column `p` at `(i / R) R stride + p R + i % R`.
pub(super) struct Packed<'a> {
    data: &'a mut [f64],
    stride: usize,
}

/// Numbers that [`Packed`] takes; rows are filled up to whole tiles.
pub(super) const fn packed_len(width: usize, height: usize) -> usize {
    (height + 8) * width
}

/// Factors the first `w` columns of a panel of `h` rows as [`factor_panel`] does, by steps of columns, and leaves it packed in `room`.
#[inline(always)]
pub(super) fn factor_wide<'a, const R: usize, const C: usize>(
    panel: &mut [f64],
    w: usize,
    h: usize,
    room: &'a mut [f64],
) -> Result<Packed<'a>, (usize, f64)> {
    let mut packed = Packed { data: room, stride: w };
    for start in (0..w).step_by(STEP) {
        let width = STEP.min(w - start);
        if start > 0 {
            packed.subtract::<R, C>(start, start..h, start..start + width, &mut panel[start * h..], h);
        }
        factor_panel::<R>(&mut panel[start * h + start..], width, h - start, h)
            .map_err(|(column, pivot)| (start + column, pivot))?;
        packed.pack::<R>(panel, start..start + width, h);
    }
    Ok(packed)
}

impl Packed<'_> {
    /// Takes columns of a panel of `h` rows, from their diagonal down; rows after the last are zero.
    #[inline(always)]
    fn pack<const R: usize>(&mut self, panel: &[f64], columns: std::ops::Range<usize>, h: usize) {
        for tile in columns.start / R..h.div_ceil(R) {
            let first = tile * R;
            let rows = R.min(h - first);
            let out = &mut self.data[tile * R * self.stride..];
            for p in columns.clone() {
                let from = &panel[p * h + first..p * h + first + rows];
                let to = &mut out[p * R..(p + 1) * R];
                match (from.first_chunk::<R>(), to.first_chunk_mut::<R>()) {
                    (Some(f), Some(t)) => *t = *f,
                    _ => {
                        to.fill(0.0);
                        to[..rows].copy_from_slice(from);
                    }
                }
            }
        }
    }

    /// C −= A Bᵀ: A the rows and B the columns (as rows) of this panel, over its first `k` columns, below the diagonal. Row `i` of column `columns.start + j` is
    /// `out[j ld + i]`.
    #[inline(always)]
    pub(super) fn subtract<const R: usize, const C: usize>(
        &self,
        k: usize,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        out: &mut [f64],
        ld: usize,
    ) {
        for tile in rows.start / R..rows.end.div_ceil(R) {
            let a = self.tile::<R>(tile, k);
            let (first, last) = (tile * R, rows.end.min((tile + 1) * R));
            for strip in columns.start / C..columns.end.min(last).div_ceil(C) {
                let offset = strip * C % R;
                let b = self.tile::<R>(strip * C / R, k);
                let sum = product::<R, C>(a, b, offset);
                for (jj, column) in sum.iter().enumerate() {
                    let j = strip * C + jj;
                    if !columns.contains(&j) {
                        continue;
                    }
                    let from = first.max(rows.start);
                    let to = &mut out[(j - columns.start) * ld..];
                    match to[first..].first_chunk_mut::<R>() {
                        Some(to) if from == first && last == first + R => {
                            for (o, s) in to.iter_mut().zip(column) {
                                *o -= s;
                            }
                        }
                        _ => {
                            for (o, s) in to[from..last].iter_mut().zip(&column[from - first..]) {
                                *o -= s;
                            }
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn tile<const R: usize>(&self, tile: usize, k: usize) -> &[[f64; R]] {
        let at = tile * R * self.stride;
        self.data[at..at + k * R].as_chunks::<R>().0
    }
}

/// Rows of one tile times rows of another; chunks spare the checks of the kernel for columns apart, which take half as long again.
#[inline(always)]
fn product<const R: usize, const C: usize>(a: &[[f64; R]], b: &[[f64; R]], offset: usize) -> [[f64; R]; C] {
    let mut sum = [[0.0; R]; C];
    for (x, y) in a.iter().zip(b) {
        let Some(y) = y[offset..].first_chunk::<C>() else { return sum };
        add_outer(&mut sum, x, y);
    }
    sum
}
