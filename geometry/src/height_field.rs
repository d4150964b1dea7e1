/// Heights on a regular grid in the local xy plane, solid down to `-base`.
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
