use signorini_core::Shown;
use signorini_core::na::{Point3, Vector3};

use crate::Aabb;

/// Heights on a regular grid in the local xy plane, solid down to `-base`.
///
/// Sample (r, c) lies at x = −hx + c·dx, y = −hy + r·dy. The cell between rows r, r + 1 and columns c, c + 1 has two
/// triangles, cut along the diagonal from (r, c) to (r + 1, c + 1): number 2(r(cols − 1) + c) below it, towards +x, and
/// the next above it, towards +y. Both are counter-clockwise seen from +z.
#[derive(Clone, Debug, Default)]
pub struct HeightField {
    /// Number of rows (along y).
    pub rows: usize,
    /// Number of columns (along x).
    pub cols: usize,
    /// Half width along x and y \[m\].
    pub half_extents: [f64; 2],
    /// Heights \[m\], row-major, rows × cols; row 0 lies at −y, column 0 at −x.
    pub heights: Vec<f64>,
    /// Thickness below z = 0 \[m\], > 0.
    pub base: f64,
}

/// Why a height field was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Fewer than two rows or columns.
    #[error("a height field needs at least 2 rows and 2 columns, got {rows} x {cols}")]
    TooSmall {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
    },
    /// More triangles than 32-bit indices can name.
    #[error("a height field of {rows} x {cols} samples is too large; resample it below 2e9 cells")]
    TooLarge {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
    },
    /// The number of heights is not rows × cols.
    #[error("a height field of {rows} x {cols} samples needs {} heights, got {given}", rows * cols)]
    Length {
        /// Rows given.
        rows: usize,
        /// Columns given.
        cols: usize,
        /// Heights given.
        given: usize,
    },
    /// A half extent or the base is zero, negative or not finite.
    #[error("{name} of a height field must be positive and finite, got {value} m")]
    Size {
        /// Name of the size.
        name: &'static str,
        /// Value that was given \[m\].
        value: f64,
    },
    /// A height is NaN or infinite.
    #[error("the height in row {row}, column {col} is not finite: {value}")]
    NonFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// The height.
        value: f64,
    },
    /// A height at or below the bottom of the solid.
    #[error(
        "the height in row {row}, column {col} is {} m, not above the bottom at -{} m; deepen the base",
        Shown(*value), Shown(*base)
    )]
    BelowBase {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// The height \[m\].
        value: f64,
        /// The base \[m\].
        base: f64,
    },
}

impl HeightField {
    /// A height field: `half_extents` along x and y \[m\], `heights` \[m\] row by row from −y, each row from −x, and the
    /// thickness `base` \[m\] below z = 0.
    ///
    /// # Errors
    /// A [`HeightFieldError`] for fewer than two rows or columns, a wrong number of heights, sizes that are not positive,
    /// heights that are not finite or not above −base.
    pub fn new(
        rows: usize,
        cols: usize,
        half_extents: [f64; 2],
        heights: Vec<f64>,
        base: f64,
    ) -> Result<Self, HeightFieldError> {
        if rows < 2 || cols < 2 {
            return Err(HeightFieldError::TooSmall { rows, cols });
        }
        match rows.checked_mul(cols) {
            Some(n) if n <= i32::MAX as usize => {}
            _ => return Err(HeightFieldError::TooLarge { rows, cols }),
        }
        if heights.len() != rows * cols {
            return Err(HeightFieldError::Length { rows, cols, given: heights.len() });
        }
        let [hx, hy] = half_extents;
        for (name, value) in
            [("the half extent along x", hx), ("the half extent along y", hy), ("the base", base)]
        {
            if !(value > 0.0 && value.is_finite()) {
                return Err(HeightFieldError::Size { name, value });
            }
        }
        for (i, &value) in heights.iter().enumerate() {
            let (row, col) = (i / cols, i % cols);
            if !value.is_finite() {
                return Err(HeightFieldError::NonFinite { row, col, value });
            }
            if value <= -base {
                return Err(HeightFieldError::BelowBase { row, col, value, base });
            }
        }
        Ok(Self { rows, cols, half_extents, heights, base })
    }

    /// Distance between columns and between rows \[m\].
    #[must_use]
    pub fn spacing(&self) -> [f64; 2] {
        let steps = [self.cols - 1, self.rows - 1];
        [0, 1].map(|k| 2.0 * self.half_extents[k] / steps[k] as f64)
    }

    /// Sample in row `row` and column `col` \[m\].
    ///
    /// # Panics
    /// If there is no such row or column.
    #[must_use]
    pub fn vertex(&self, row: usize, col: usize) -> Point3<f64> {
        // weighing both ends puts the last sample on the rim exactly
        let along = |k: usize, i: usize, steps: usize| {
            self.half_extents[k] * (2.0 * i as f64 - steps as f64) / steps as f64
        };
        assert!(col < self.cols, "column {col} of {}", self.cols);
        let z = self.heights[row * self.cols + col];
        Point3::new(along(0, col, self.cols - 1), along(1, row, self.rows - 1), z)
    }

    /// Number of triangles on the top.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        2 * (self.rows - 1) * (self.cols - 1)
    }

    /// Corners of top triangle `i` \[m\], counter-clockwise seen from +z.
    ///
    /// # Panics
    /// If there is no triangle `i`.
    #[must_use]
    pub fn triangle(&self, i: usize) -> [Point3<f64>; 3] {
        let (row, col) = (i / 2 / (self.cols - 1), i / 2 % (self.cols - 1));
        let (low, high) = (self.vertex(row, col), self.vertex(row + 1, col + 1));
        if i.is_multiple_of(2) {
            [low, self.vertex(row, col + 1), high]
        } else {
            [low, high, self.vertex(row + 1, col)]
        }
    }

    /// Height of the top at (x, y) \[m\] and its upward unit normal; `None` outside the grid.
    #[must_use]
    pub fn sample(&self, x: f64, y: f64) -> Option<(f64, Vector3<f64>)> {
        let [dx, dy] = self.spacing();
        let inside = x.abs() <= self.half_extents[0] && y.abs() <= self.half_extents[1];
        if !inside {
            return None;
        }
        let cell = |at: f64, half: f64, step: f64, cells: usize| {
            let s = (at + half) / step;
            let i = (s as usize).min(cells - 1);
            (i, s - i as f64)
        };
        let (col, u) = cell(x, self.half_extents[0], dx, self.cols - 1);
        let (row, v) = cell(y, self.half_extents[1], dy, self.rows - 1);
        let h = |r: usize, c: usize| self.heights[(row + r) * self.cols + col + c];
        let (along_x, along_y) = if u >= v {
            (h(0, 1) - h(0, 0), h(1, 1) - h(0, 1))
        } else {
            (h(1, 1) - h(1, 0), h(1, 0) - h(0, 0))
        };
        let normal = Vector3::new(-along_x / dx, -along_y / dy, 1.0).normalize();
        Some((h(0, 0) + u * along_x + v * along_y, normal))
    }

    /// Height of the top at (x, y) \[m\]; `None` outside the grid.
    #[must_use]
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        self.sample(x, y).map(|(z, _)| z)
    }

    /// The box about the solid, from −base to the highest sample.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        let [hx, hy] = self.half_extents;
        let top = self.heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Aabb::new(Point3::new(-hx, -hy, -self.base), Point3::new(hx, hy, top))
    }

    /// Replaces `out` by the top triangles, ascending, whose column of solid (from the triangle's highest corner down to
    /// −base, over its cell) meets `aabb`. So shapes that have sunk below the top are still found.
    pub fn triangles_in_aabb(&self, aabb: &Aabb, out: &mut Vec<u32>) {
        out.clear();
        if aabb.is_empty() || aabb.max.z < -self.base {
            return;
        }
        let [dx, dy] = self.spacing();
        let (Some(cols), Some(rows)) = (
            cells(aabb.min.x, aabb.max.x, self.half_extents[0], dx, self.cols - 1),
            cells(aabb.min.y, aabb.max.y, self.half_extents[1], dy, self.rows - 1),
        ) else {
            return;
        };
        for row in rows.0..=rows.1 {
            for col in cols.0..=cols.1 {
                let at = row * self.cols + col;
                let diagonal = self.heights[at].max(self.heights[at + self.cols + 1]);
                let first = 2 * (row * (self.cols - 1) + col) as u32;
                if diagonal.max(self.heights[at + 1]) >= aabb.min.z {
                    out.push(first);
                }
                if diagonal.max(self.heights[at + self.cols]) >= aabb.min.z {
                    out.push(first + 1);
                }
            }
        }
    }
}

/// First and last cell that `[low, high]` touches, cells of width `step` from `-half` on; a rounding error more rather than
/// less. `None` outside.
fn cells(low: f64, high: f64, half: f64, step: f64, count: usize) -> Option<(usize, usize)> {
    if low > half || high < -half {
        return None;
    }
    let slack = 1e-12 * count as f64;
    // a float to integer cast saturates, so infinities are fine
    let first = ((low + half) / step - slack).ceil() as usize;
    let last = (((high + half) / step + slack) as usize).min(count - 1);
    Some((first.saturating_sub(1).min(count - 1), last))
}
