use signorini_core::na::{Matrix3, Vector3};

/// Coordinates per cube.
pub(super) const N: usize = 12;

/// A cube that may deform affinely, at a price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cube {
    /// Half the edge \[m\].
    pub half: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Stiffness κ of the potential that keeps the axes orthonormal \[J\].
    pub stiffness: f64,
    /// Acceleration of a field that acts on it \[m/s²\].
    pub acceleration: Vector3<f64>,
}

impl Cube {
    /// (1, X) of corner `i`: x = p + Σ X_c a_c.
    pub(super) fn coordinates(&self, i: usize) -> [f64; 4] {
        let side = |axis: usize| if i >> axis & 1 == 0 { -self.half } else { self.half };
        [1.0, side(0), side(1), side(2)]
    }
}

/// World position of corner `i` for the coordinates that start at `q`.
pub(super) fn vertex(cube: &Cube, q: &[f64], i: usize) -> Vector3<f64> {
    let x = cube.coordinates(i);
    Vector3::from_fn(|k, _| (0..4).map(|c| x[c] * q[3 * c + k]).sum())
}

/// Whether a corner of one cube lies inside the other.
pub(super) fn vertex_inside(cubes: &[Cube; 2], q: &[f64]) -> bool {
    [(0, 1), (1, 0)].into_iter().any(|(a, b)| {
        let axes = Matrix3::from_column_slice(&q[N * b + 3..N * b + 12]);
        let p = Vector3::from_column_slice(&q[N * b..N * b + 3]);
        axes.try_inverse().is_none_or(|inverse| {
            (0..8).any(|i| (inverse * (vertex(&cubes[a], &q[N * a..], i) - p)).amax() <= cubes[b].half)
        })
    })
}
