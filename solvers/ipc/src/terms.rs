use std::sync::Arc;

use signorini_core::{BlockSink, SmoothPotential};

use crate::coordinate::Coordinate;
use crate::orthogonality::Orthogonality;
use crate::world::{N, World};

/// A convex potential of one number s: ½ k (s − c)², from a force of `cap` on linear; only where s is on the stated side of c.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    /// k \[N/m or N·m/rad\], > 0.
    pub stiffness: f64,
    /// c \[m or rad\].
    pub centre: f64,
    /// Largest force \[N or N·m\].
    pub cap: f64,
    /// −1: acts below c, 1: above, 0: on both sides.
    pub side: i8,
}

impl Piece {
    /// Value, derivative, second derivative.
    fn at(&self, s: f64) -> [f64; 3] {
        let x = s - self.centre;
        if f64::from(self.side) * x < 0.0 {
            return [0.0; 3];
        }
        let (k, cap) = (self.stiffness, self.cap);
        if k * x.abs() <= cap {
            return [0.5 * k * x * x, k * x, k];
        }
        // Huber.
        [cap * (x.abs() - 0.5 * cap / k), cap.copysign(x), 0.0]
    }
}

/// A number between two bodies, its value at the start of the step, and the potentials of it.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub coordinate: Coordinate,
    /// Value at the start, turns counted.
    pub start: f64,
    pub pieces: Vec<Piece>,
    /// Of the potential −f s \[N or N·m\].
    pub force: f64,
}

/// Ψ of a step: what keeps bodies rigid, and what joints have besides rows.
pub(crate) struct Smooth {
    pub orthogonality: Orthogonality,
    pub terms: Vec<Term>,
    pub world: Arc<World>,
}

impl Smooth {
    fn coordinates(&self, v: &[f64]) -> Vec<f64> {
        let o = &self.orthogonality;
        o.q0.iter().zip(v).map(|(q, v)| q + o.dt * v).collect()
    }

    /// Value of a term's number at q, near the start, with its derivative, and the sum of the pieces.
    fn at(&self, t: &Term, q: &[f64]) -> ([f64; 3], [[f64; N]; 2]) {
        let (s, slope) = t.coordinate.at(&self.world, q);
        let s = t.coordinate.near(s, t.start);
        let mut sum = [-t.force * (s - t.start), -t.force, 0.0];
        for p in &t.pieces {
            sum.iter_mut().zip(p.at(s)).for_each(|(a, b)| *a += b);
        }
        (sum, slope)
    }

    fn free(&self, t: &Term) -> [Option<usize>; 2] {
        t.coordinate.bodies().map(|b| self.world.free[b].map(|f| f as usize))
    }
}

impl SmoothPotential for Smooth {
    fn value(&self, v: &[f64]) -> f64 {
        let rigid = self.orthogonality.value(v);
        if self.terms.is_empty() {
            return rigid;
        }
        let q = self.coordinates(v);
        rigid + self.terms.iter().map(|t| self.at(t, &q).0[0]).sum::<f64>()
    }

    fn add_gradient(&self, v: &[f64], g: &mut [f64]) {
        self.orthogonality.add_gradient(v, g);
        if self.terms.is_empty() {
            return;
        }
        let (q, dt) = (self.coordinates(v), self.orthogonality.dt);
        for t in &self.terms {
            let ([_, force, _], slope) = self.at(t, &q);
            for (s, free) in slope.iter().zip(self.free(t)) {
                if let Some(f) = free {
                    g[N * f..N * f + N].iter_mut().zip(s).for_each(|(g, s)| *g += dt * force * s);
                }
            }
        }
    }

    /// The curvature of the pieces alone: that of the number has no sign, and is left out.
    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink) {
        self.orthogonality.add_hessian(v, h);
        if self.terms.is_empty() {
            return;
        }
        let (q, dt) = (self.coordinates(v), self.orthogonality.dt);
        for t in &self.terms {
            let ([_, _, bend], slope) = self.at(t, &q);
            let scale = dt * dt * bend;
            if scale == 0.0 {
                continue;
            }
            let free = self.free(t);
            for (i, row) in free.iter().enumerate() {
                for (j, col) in free.iter().enumerate() {
                    let (Some(row), Some(col)) = (row, col) else { continue };
                    if row < col {
                        continue;
                    }
                    let block: [f64; N * N] =
                        std::array::from_fn(|k| scale * slope[i][k % N] * slope[j][k / N]);
                    h.add(*row, *col, &block);
                }
            }
        }
    }
}
