use std::sync::Arc;

use signorini_core::{BlockSink, SmoothPotential};

use crate::BarrierSeed;
use crate::coordinate::{Coordinate, Slope};
use crate::orthogonality::Orthogonality;
use crate::world::{N, World};

/// A convex potential of one number s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Piece {
    /// ½ k (s − c)², from a force of `cap` on linear; only where s is on the stated side of c.
    Spring {
        /// k \[N/m or N·m/rad\], > 0.
        stiffness: f64,
        /// c \[m or rad\].
        centre: f64,
        /// Largest force \[N or N·m\].
        cap: f64,
        /// −1: acts below c, 1: above, 0: on both sides.
        side: i8,
    },
    /// The barrier of contacts over the distance to a bound, which s never reaches.
    Wall(Wall),
}

/// A bound of a length, and the barrier in front of it: b(y²) with y = side · (bound − s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wall {
    /// \[m\].
    pub bound: f64,
    /// −1: s stays above, 1: below.
    pub side: f64,
    /// Range \[m\] and stiffness \[J/m⁴\] of the term; its distance is not read.
    pub barrier: BarrierSeed,
}

impl Wall {
    /// Value, derivative, second derivative by s.
    fn at(&self, s: f64) -> [f64; 3] {
        let y = self.side * (self.bound - s);
        if y <= 0.0 {
            return [f64::INFINITY, 0.0, 0.0];
        }
        let [b, slope, bend] = self.barrier.potential(y * y);
        [b, -self.side * 2.0 * y * slope, 4.0 * y * y * bend + 2.0 * slope]
    }

    /// Largest part of the change `dr` of a vector r that keeps |r| on this side of the bound, at most 1: the root of |r + t δr|² = bound².
    fn reached(&self, r: f64, along: f64, dr: f64) -> f64 {
        // a t² + 2 b t + c = 0.
        let (a, b, c) = (dr, along, r - self.bound * self.bound);
        let root = (b * b - a * c).sqrt();
        // From inside there is one root ahead; from outside two or none, and only while r shrinks. Written without differences of like numbers.
        let t = if self.side > 0.0 {
            if b > 0.0 { -c / (b + root) } else { (root - b) / a }
        } else if b < 0.0 {
            c / (root - b)
        } else {
            f64::INFINITY
        };
        // No root is no number.
        if t >= 0.0 { t } else { f64::INFINITY }
    }
}

impl Piece {
    /// Value, derivative, second derivative.
    pub(crate) fn at(&self, s: f64) -> [f64; 3] {
        let (k, centre, cap, side) = match *self {
            Self::Spring { stiffness, centre, cap, side } => (stiffness, centre, cap, side),
            Self::Wall(wall) => return wall.at(s),
        };
        let x = s - centre;
        if f64::from(side) * x < 0.0 {
            return [0.0; 3];
        }
        if k * x.abs() <= cap {
            return [0.5 * k * x * x, k * x, k];
        }
        // Huber.
        [cap * (x.abs() - 0.5 * cap / k), cap.copysign(x), 0.0]
    }

    /// Value alone \[J\].
    pub(crate) fn energy(&self, s: f64) -> f64 {
        self.at(s)[0]
    }
}

/// A number of a joint in a term.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub coordinate: Coordinate,
    /// Factor of the number in the term.
    pub factor: f64,
    /// Value at the start, turns counted.
    pub start: f64,
    /// Number of the joint.
    pub joint: usize,
}

impl Share {
    /// The number itself at q, the turn nearest to its start.
    pub(crate) fn near(&self, world: &World, q: &[f64]) -> f64 {
        self.coordinate.near(self.coordinate.at(world, q).0, self.start)
    }
}

/// A sum s of numbers of joints, and the potentials of it.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub shares: Vec<Share>,
    pub pieces: Vec<Piece>,
    /// Force f of the potential −f s \[N or N·m\].
    pub force: f64,
}

/// Part of the way to a bound that a step takes at most.
const MOST: f64 = 0.9;

/// Ψ of a step: the energy that keeps bodies rigid, and that of joints besides rows.
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

    /// The sum of the pieces of a term at q, near the start, with its derivatives by s.
    fn at(&self, t: &Term, q: &[f64]) -> [f64; 3] {
        let (mut s, mut start) = (0.0, 0.0);
        for share in &t.shares {
            s += share.factor * share.near(&self.world, q);
            start += share.factor * share.start;
        }
        let mut sum = [-t.force * (s - start), -t.force, 0.0];
        for p in &t.pieces {
            sum.iter_mut().zip(p.at(s)).for_each(|(a, b)| *a += b);
        }
        sum
    }

    /// Force of a term on each of its numbers \[N or N·m\] at v, with the number's slope and the joint it belongs to.
    pub(crate) fn forces(&self, v: &[f64], mut visit: impl FnMut(&Share, f64, &Slope)) {
        let q = self.coordinates(v);
        for t in &self.terms {
            let [_, slope, _] = self.at(t, &q);
            for share in &t.shares {
                visit(share, -slope * share.factor, &share.coordinate.at(&self.world, &q).1);
            }
        }
    }

    /// Largest part of a straight way from q that leaves a tenth of the way to each bound of a length, at most 1, and the bodies that are bound.
    pub(crate) fn max_step(&self, q: &[f64], dq: &[f64]) -> (f64, Option<[u32; 2]>) {
        let mut least = (1.0, None);
        for (share, piece) in self.terms.iter().flat_map(|t| t.pieces.iter().map(|p| (&t.shares[0], p))) {
            let Piece::Wall(wall) = piece else { continue };
            let of = &share.coordinate;
            let (Some(r), Some(dr)) = (of.span(&self.world, q), of.span_change(&self.world, dq)) else {
                continue;
            };
            let part = MOST * wall.reached(r.norm_squared(), r.dot(&dr), dr.norm_squared());
            if part < least.0 {
                least = (part, Some(of.bodies().map(|b| b as u32)));
            }
        }
        least
    }

    fn free(&self, body: usize) -> Option<usize> {
        self.world.free[body].map(|f| f as usize)
    }

    /// h += scale · y yᵀ for a vector y with entries in the stated free bodies.
    fn add_square(scale: f64, y: &[(usize, [f64; N])], h: &mut dyn BlockSink) {
        for (row, left) in y {
            for (col, right) in y {
                if row < col {
                    continue;
                }
                let block: [f64; N * N] = std::array::from_fn(|k| scale * left[k % N] * right[k / N]);
                h.add(*row, *col, &block);
            }
        }
    }
}

impl SmoothPotential for Smooth {
    fn value(&self, v: &[f64]) -> f64 {
        let rigid = self.orthogonality.value(v);
        if self.terms.is_empty() {
            return rigid;
        }
        let q = self.coordinates(v);
        rigid + self.terms.iter().map(|t| self.at(t, &q)[0]).sum::<f64>()
    }

    fn add_gradient(&self, v: &[f64], g: &mut [f64]) {
        self.orthogonality.add_gradient(v, g);
        if self.terms.is_empty() {
            return;
        }
        let dt = self.orthogonality.dt;
        self.forces(v, |share, force, slope| {
            for (s, body) in slope.iter().zip(share.coordinate.bodies()) {
                if let Some(f) = self.free(body) {
                    g[N * f..N * f + N].iter_mut().zip(s).for_each(|(g, s)| *g -= dt * force * s);
                }
            }
        });
    }

    fn add_sizes(&self, v: &[f64], sizes: &mut [f64]) {
        self.orthogonality.add_sizes(v, sizes);
        if self.terms.is_empty() {
            return;
        }
        let (q, dt) = (self.coordinates(v), self.orthogonality.dt);
        for t in &self.terms {
            let [_, slope, bend] = self.at(t, &q);
            for share in &t.shares {
                let (s, slopes) = share.coordinate.at(&self.world, &q);
                let size = dt * share.factor.abs() * (slope.abs() + bend * s.abs());
                for (y, body) in slopes.iter().zip(share.coordinate.bodies()) {
                    if let Some(f) = self.free(body) {
                        sizes[N * f..N * f + N].iter_mut().zip(y).for_each(|(g, y)| *g += size * y.abs());
                    }
                }
            }
        }
    }

    /// The curvature of the pieces, and that of lengths under tension and of angles of rotations beyond limits: that of other numbers has no sign, and is left out.
    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink) {
        self.orthogonality.add_hessian(v, h);
        if self.terms.is_empty() {
            return;
        }
        let (q, dt) = (self.coordinates(v), self.orthogonality.dt);
        let mut y = Vec::new();
        for t in &self.terms {
            let [_, slope, bend] = self.at(t, &q);
            let put = |of: &Share, slope: &Slope, y: &mut Vec<(usize, [f64; N])>| {
                for (s, body) in slope.iter().zip(of.coordinate.bodies()) {
                    y.extend(self.free(body).map(|f| (f, s.map(|s| of.factor * s))));
                }
            };
            if bend != 0.0 {
                y.clear();
                t.shares.iter().for_each(|s| put(s, &s.coordinate.at(&self.world, &q).1, &mut y));
                Self::add_square(dt * dt * bend, &y, h);
            }
            for share in t.shares.iter().filter(|s| slope * s.factor > 0.0) {
                let Some((inverse, across)) = share.coordinate.across(&self.world, &q) else { continue };
                for w in &across {
                    y.clear();
                    put(&Share { factor: 1.0, ..*share }, w, &mut y);
                    Self::add_square(dt * dt * slope * share.factor * inverse, &y, h);
                }
            }
        }
    }
}
