use signorini_core::na::Vector3;

/// Quadratic B-spline weights of a point over the 27 nodes about it.
///
/// ```text
/// f = x/h − base ∈ [½, 3/2),   w = (½ (3/2 − f)², ¾ − (f − 1)², ½ (f − ½)²) along each axis
/// Σ w = 1,   Σ w (x_i − x) = 0,   Σ w (x_i − x)(x_i − x)ᵀ = h²/4
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// Lowest of the nodes, by numbers along the axes.
    pub base: [i32; 3],
    /// Weights along each axis.
    pub w: [[f64; 3]; 3],
    /// Offset of the lowest node from the point \[m\].
    offset: Vector3<f64>,
    spacing: f64,
}

impl Weights {
    /// At a point on a grid of the given spacing \[m\].
    pub fn at(x: &Vector3<f64>, spacing: f64) -> Self {
        let scaled = x / spacing;
        let base = scaled.map(|s| (s - 0.5).floor());
        let f = scaled - base;
        Self {
            base: [base.x as i32, base.y as i32, base.z as i32],
            w: [Self::along(f.x), Self::along(f.y), Self::along(f.z)],
            offset: -spacing * f,
            spacing,
        }
    }

    /// Weights along an axis of a point at x/h − base = f.
    pub(crate) fn along(f: f64) -> [f64; 3] {
        [0.5 * (1.5 - f).powi(2), 0.75 - (f - 1.0).powi(2), 0.5 * (f - 0.5).powi(2)]
    }

    /// x/h − base.
    pub(crate) fn fraction(&self) -> [f64; 3] {
        [0, 1, 2].map(|a| -self.offset[a] / self.spacing)
    }

    /// The nodes, each with its weight and x_i − x \[m\], the last axis fastest.
    pub fn nodes(&self) -> impl Iterator<Item = ([i32; 3], f64, Vector3<f64>)> + '_ {
        (0..27).map(|n| self.node(n))
    }

    /// The node with a number from 0 to 26.
    pub(crate) fn node(&self, n: usize) -> ([i32; 3], f64, Vector3<f64>) {
        let k = [n / 9, n / 3 % 3, n % 3];
        let node = std::array::from_fn(|a| self.base[a] + k[a] as i32);
        let weight = self.w[0][k[0]] * self.w[1][k[1]] * self.w[2][k[2]];
        let step = Vector3::new(k[0] as f64, k[1] as f64, k[2] as f64);
        (node, weight, self.offset + self.spacing * step)
    }
}
