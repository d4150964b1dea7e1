use signorini_core::na::{Matrix3, Vector3};

use crate::body::{axial, matrix, place};
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
        /// f in the rest frame of b.
        h: Vector3<f64>,
    },
    /// Way of b's centre along a direction of a \[m\]: (A_a e)·(p_b − p_a − A_a Y).
    Way {
        /// The two bodies.
        bodies: [usize; 2],
        /// Direction, in the rest frame of a.
        e: Vector3<f64>,
        /// Place of b's centre at the start, in the rest frame of a \[m\].
        y: Vector3<f64>,
    },
    /// Distance of a point of a and a point of b \[m\]: |r| with r = x_b − x_a.
    Length {
        /// The two bodies.
        bodies: [usize; 2],
        /// The points, each in the rest frame of its body \[m\].
        x: [Vector3<f64>; 2],
    },
    /// Angle of the rotation C = (A_a Z)ᵀ A_b \[rad\], in \[0, π\]: atan2(|c|, ½ (tr C − 1)) with c the axial vector of C.
    Turn {
        /// The two bodies.
        bodies: [usize; 2],
        /// Z: A_aᵀ A_b where the angle is zero.
        zero: Matrix3<f64>,
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

/// Two unit vectors normal to r and to each other; none where r is zero.
fn across(r: &Vector3<f64>) -> Option<[Vector3<f64>; 2]> {
    let u = r.try_normalize(0.0)?;
    let first = u.cross(&Vector3::ith(u.iamin(), 1.0)).normalize();
    Some([first, u.cross(&first)])
}

/// Slope of u·(x_b − x_a).
fn along(u: &Vector3<f64>, x: &[Vector3<f64>; 2]) -> Slope {
    let mut slope = [[0.0; N]; 2];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        for r in 0..3 {
            slope[side][r] = sign * u[r];
        }
        put(&mut slope[side], &(sign * u * x[side].transpose()));
    }
    slope
}

impl Coordinate {
    pub(crate) fn bodies(&self) -> [usize; 2] {
        match self {
            Self::Angle { bodies, .. }
            | Self::Way { bodies, .. }
            | Self::Length { bodies, .. }
            | Self::Turn { bodies, .. } => *bodies,
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
            Self::Length { x, .. } => {
                let r = place(qb, &x[1]) - place(qa, &x[0]);
                let length = r.norm();
                // Where the points meet there is no direction, and no slope.
                let u = if length > 0.0 { r / length } else { Vector3::zeros() };
                (length, along(&u, x))
            }
            Self::Turn { zero, .. } => {
                let u = a * zero;
                let turn = u.transpose() * b;
                let axial = 0.5 * axial(&turn);
                let (x, y) = (0.5 * (turn.trace() - 1.0), axial.norm());
                let axis = if y > 0.0 { axial / y } else { axial };
                // δy = ½ [n]ₓ : δC, δx = ½ tr δC.
                let scale = 0.5 / (x * x + y * y);
                let mix = scale * (x * axis.cross_matrix() - y * Matrix3::identity());
                put(&mut slope[0], &(b * mix.transpose() * zero.transpose()));
                put(&mut slope[1], &(u * mix));
                (y.atan2(x), slope)
            }
        }
    }

    /// Curvature of a length or of the angle of a rotation, on directions across its slope: c (w₁ w₁ᵀ + w₂ w₂ᵀ) with c and w. Not negative; None for other numbers.
    ///
    /// ```text
    /// ∇²|r| = (1 − u uᵀ)/|r|,   ∇²θ = ½ cot(θ/2) (1 − n nᵀ) by rotations about the axis n and across it
    /// ```
    pub(crate) fn across(&self, world: &World, q: &[f64]) -> Option<(f64, [Slope; 2])> {
        let [qa, qb] = self.bodies().map(|b| coordinates(world, q, b));
        match self {
            Self::Length { x, .. } => {
                let r = place(qb, &x[1]) - place(qa, &x[0]);
                let length = r.norm();
                let directions = across(&r)?;
                Some((1.0 / length, directions.map(|w| along(&w, x))))
            }
            Self::Turn { zero, .. } => {
                let (u, b) = (matrix(qa) * zero, matrix(qb));
                let turn = u.transpose() * b;
                let axial = 0.5 * axial(&turn);
                let angle = axial.norm().atan2(0.5 * (turn.trace() - 1.0));
                // Rotation about e that δC C⁻¹ has: ½ [e]ₓ : δC Cᵀ.
                let directions = across(&axial)?.map(|e| {
                    let (half, mut slope) = (0.5 * e.cross_matrix() * turn, [[0.0; N]; 2]);
                    put(&mut slope[0], &(b * half.transpose() * zero.transpose()));
                    put(&mut slope[1], &(u * half));
                    slope
                });
                Some((0.5 / (0.5 * angle).tan(), directions)).filter(|a| a.0 > 0.0)
            }
            Self::Angle { .. } | Self::Way { .. } => None,
        }
    }

    /// r of a length at q \[m\].
    pub(crate) fn span(&self, world: &World, q: &[f64]) -> Option<Vector3<f64>> {
        let Self::Length { bodies, x } = self else { return None };
        let [a, b] = bodies.map(|b| coordinates(world, q, b));
        Some(place(b, &x[1]) - place(a, &x[0]))
    }

    /// Change of r of a length under a change of the coordinates \[m\].
    pub(crate) fn span_change(&self, world: &World, dq: &[f64]) -> Option<Vector3<f64>> {
        let Self::Length { bodies, x } = self else { return None };
        let of = |s: usize| match world.free[bodies[s]] {
            Some(f) => place(&dq[N * f as usize..], &x[s]),
            None => Vector3::zeros(),
        };
        Some(of(1) - of(0))
    }

    /// The value nearest to `to`: angles know no turns.
    pub(crate) fn near(&self, value: f64, to: f64) -> f64 {
        match self {
            Self::Angle { .. } => {
                let turn = std::f64::consts::TAU;
                value + turn * ((to - value) / turn).round()
            }
            Self::Way { .. } | Self::Length { .. } | Self::Turn { .. } => value,
        }
    }
}
