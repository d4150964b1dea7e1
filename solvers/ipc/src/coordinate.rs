use signorini_core::na::{Matrix3, Vector3};

use crate::body::matrix;
use crate::joints::coordinates;
use crate::world::{N, World};

/// A number that two bodies a and b have between them, as a function of their coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coordinate {
    /// Angle of b about an axis of a \[rad\]: atan2(d·w, d·u) with u = A_a f, w = A_a g, d = A_b h.
    Angle {
        /// The two bodies.
        bodies: [usize; 2],
        /// Normal to the axis, in the rest frame of a.
        f: Vector3<f64>,
        /// axis × f.
        g: Vector3<f64>,
        /// What f is in the rest frame of b.
        h: Vector3<f64>,
    },
    /// Way of b's centre along a direction of a \[m\]: (A_a e)·(p_b − p_a − A_a Y).
    Way {
        /// The two bodies.
        bodies: [usize; 2],
        /// Direction, in the rest frame of a.
        e: Vector3<f64>,
        /// Where b's centre was at the start, in the rest frame of a \[m\].
        y: Vector3<f64>,
    },
}

/// Derivative by the coordinates of both bodies.
pub(crate) type Slope = [[f64; N]; 2];

/// Rows of a matrix into the places of A.
fn put(out: &mut [f64; N], m: &Matrix3<f64>) {
    for r in 0..3 {
        for c in 0..3 {
            out[3 + 3 * r + c] = m[(r, c)];
        }
    }
}

impl Coordinate {
    pub(crate) fn bodies(&self) -> [usize; 2] {
        match self {
            Self::Angle { bodies, .. } | Self::Way { bodies, .. } => *bodies,
        }
    }

    /// The value, for angles in (−π, π\], and its derivative.
    pub(crate) fn at(&self, world: &World, q: &[f64]) -> (f64, Slope) {
        let [qa, qb] = self.bodies().map(|b| coordinates(world, q, b));
        let (a, b) = (matrix(qa), matrix(qb));
        let mut slope = [[0.0; N]; 2];
        match self {
            Self::Angle { f, g, h, .. } => {
                let (u, w, d) = (a * f, a * g, b * h);
                let (x, y) = (d.dot(&u), d.dot(&w));
                let square = x * x + y * y;
                put(&mut slope[0], &(d * (x * g - y * f).transpose() / square));
                put(&mut slope[1], &((x * w - y * u) * h.transpose() / square));
                (y.atan2(x), slope)
            }
            Self::Way { e, y, .. } => {
                let (pa, pb) = (Vector3::from_column_slice(&qa[..3]), Vector3::from_column_slice(&qb[..3]));
                let (t, way) = (a * e, pb - pa - a * y);
                for r in 0..3 {
                    slope[0][r] = -t[r];
                    slope[1][r] = t[r];
                }
                put(&mut slope[0], &(way * e.transpose() - t * y.transpose()));
                (t.dot(&way), slope)
            }
        }
    }

    /// The value nearest to `to`: angles know no turns.
    pub(crate) fn near(&self, value: f64, to: f64) -> f64 {
        match self {
            Self::Angle { .. } => {
                let turn = std::f64::consts::TAU;
                value + turn * ((to - value) / turn).round()
            }
            Self::Way { .. } => value,
        }
    }
}
