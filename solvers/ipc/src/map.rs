use signorini_core::na::{Matrix3, SMatrix, SVector, SymmetricEigen, Vector3};
use signorini_core::{BlockSink, ContactMap, Evals, Part, Pools};
use signorini_geometry::{Mollifier, StencilDistance};

use crate::pairs::Pair;

/// Coordinates of a body.
const N: usize = 12;

/// A pair within the range of the barrier, at the last linearisation.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    pub x: [Vector3<f64>; 4],
    pub distance: StencilDistance,
    /// Of edge–edge pairs.
    pub mollifier: Option<Mollifier>,
}

/// A contact with friction, at the start of the step.
#[derive(Clone, Debug)]
pub(crate) struct Sliding {
    pub pair: Pair,
    pub weights: [f64; 4],
    /// Two orthonormal directions.
    pub tangents: [Vector3<f64>; 2],
}

/// Rates of distances of pairs, and tangential velocities of contacts with friction.
#[derive(Clone, Debug, Default)]
pub(crate) struct BarrierMap {
    pub dt: f64,
    pub near: Vec<Near>,
    pub sliding: Vec<Sliding>,
    /// Mollifiers of the near pairs, then ones.
    pub weights: Vec<f64>,
    /// Distance at the start of each near pair \[m\].
    pub start: Vec<f64>,
    /// c(v̄) − J v̄ of each near pair at the linearisation v̄.
    pub bias: Vec<f64>,
    /// 1 and X of the points of each constraint.
    points: Vec<[[f64; 4]; 4]>,
    /// Number of the unknown block of each point's body; none for bodies that are held.
    point_blocks: Vec<[Option<u32>; 4]>,
    blocks: Vec<Vec<u32>>,
}

impl BarrierMap {
    pub(crate) fn clear(&mut self) {
        self.near.clear();
        self.sliding.clear();
        self.weights.clear();
        self.start.clear();
        self.bias.clear();
        self.points.clear();
        self.point_blocks.clear();
        self.blocks.clear();
    }

    /// What constraint number `points.len()` needs of its pair.
    pub(crate) fn push_points(&mut self, rest: [Vector3<f64>; 4], block: [Option<u32>; 4]) {
        self.points.push(rest.map(|x| [1.0, x[0], x[1], x[2]]));
        self.point_blocks.push(block);
        let mut blocks: Vec<u32> = block.iter().flatten().copied().collect();
        blocks.sort_unstable();
        blocks.dedup();
        self.blocks.push(blocks);
    }

    /// Velocity of point i of constraint k.
    fn point_velocity(&self, k: usize, i: usize, v: &[f64]) -> Vector3<f64> {
        let Some(b) = self.point_blocks[k][i] else { return Vector3::zeros() };
        let (v, c) = (&v[N * b as usize..], &self.points[k][i]);
        Vector3::from_fn(|r, _| c[0] * v[r] + c[1] * v[3 + 3 * r] + c[2] * v[4 + 3 * r] + c[3] * v[5 + 3 * r])
    }

    /// First row of constraint k.
    fn row(&self, k: usize) -> usize {
        let n = self.near.len();
        if k < n { k } else { n + 2 * (k - n) }
    }

    /// Coordinate of the rest point that goes with unknown u of a body, and the axis it moves.
    fn unknown(u: usize) -> (usize, usize) {
        if u < 3 { (0, u) } else { (1 + (u - 3) % 3, (u - 3) / 3) }
    }

    /// g += Σᵢ (∂xᵢ/∂q)ᵀ fᵢ.
    fn pull_back(&self, k: usize, f: impl Fn(usize) -> Vector3<f64>, g: &mut [f64]) {
        for i in 0..4 {
            let Some(b) = self.point_blocks[k][i] else { continue };
            let force = f(i);
            for u in 0..N {
                let (c, axis) = Self::unknown(u);
                g[N * b as usize + u] += self.points[k][i][c] * force[axis];
            }
        }
    }

    /// Adds Jᵀ h J for a Hessian of the four points.
    fn pull_back_hessian(&self, k: usize, h: &SMatrix<f64, 12, 12>, sink: &mut dyn BlockSink) {
        for &row in &self.blocks[k] {
            for &col in self.blocks[k].iter().filter(|c| **c <= row) {
                let mut block = [0.0; N * N];
                for i in (0..4).filter(|i| self.point_blocks[k][*i] == Some(row)) {
                    for j in (0..4).filter(|j| self.point_blocks[k][*j] == Some(col)) {
                        let of: Matrix3<f64> = h.fixed_view::<3, 3>(3 * i, 3 * j).into();
                        for u in 0..N {
                            let (c, axis) = Self::unknown(u);
                            for w in 0..N {
                                let (d, other) = Self::unknown(w);
                                block[N * w + u] +=
                                    self.points[k][i][c] * self.points[k][j][d] * of[(axis, other)];
                            }
                        }
                    }
                }
                sink.add(row as usize, col as usize, &block);
            }
        }
    }

    /// The Hessian of m b of the four points, projected: b″ and b′ of the squared distance from those of the law.
    fn near_hessian(&self, k: usize, [cost, grad, hess]: [f64; 3]) -> SMatrix<f64, 12, 12> {
        let near = &self.near[k];
        let d = near.distance.distance();
        let (by_d, by_dd) = (grad / self.dt, hess / (self.dt * self.dt));
        let slope = by_d / (2.0 * d);
        let curvature = (by_dd - 2.0 * slope) / (4.0 * d * d);
        let mollified = near.mollifier.and_then(|m| m.derivatives(&near.x));
        let Some((m, gm, hm)) = mollified else {
            return near.distance.projected_hessian(&near.x, slope, curvature);
        };
        let g = near.distance.gradient();
        let b = curvature * g * g.transpose() + slope * near.distance.hessian(&near.x);
        let full = m * b + cost * hm + slope * (g * gm.transpose() + gm * g.transpose());
        let eigen = SymmetricEigen::new(full);
        let positive: SVector<f64, 12> = eigen.eigenvalues.map(|e| e.max(0.0));
        eigen.eigenvectors * SMatrix::from_diagonal(&positive) * eigen.eigenvectors.transpose()
    }
}

impl ContactMap for BarrierMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        &self.blocks[k]
    }

    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        self.apply_linear(part, v, v_c);
        for k in part.constraints.iter().map(|&k| k as usize).filter(|&k| k < self.near.len()) {
            v_c[k] += self.bias[k];
        }
    }

    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        for k in part.constraints.iter().map(|&k| k as usize) {
            let row = self.row(k);
            match self.near.get(k) {
                Some(near) => {
                    let (w, n) = (near.distance.weights, near.distance.r / near.distance.distance());
                    dv_c[row] = (0..4).map(|i| w[i] * n.dot(&self.point_velocity(k, i, dv))).sum();
                }
                None => {
                    let s = &self.sliding[k - self.near.len()];
                    let u: Vector3<f64> = (0..4).map(|i| s.weights[i] * self.point_velocity(k, i, dv)).sum();
                    for (out, t) in dv_c[row..row + 2].iter_mut().zip(&s.tangents) {
                        *out = t.dot(&u);
                    }
                }
            }
        }
    }

    fn weights(&self) -> Option<&[f64]> {
        Some(&self.weights)
    }

    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        for k in part.constraints.iter().map(|&k| k as usize) {
            let row = self.row(k);
            match self.near.get(k) {
                Some(near) => {
                    let (w, n) = (near.distance.weights, near.distance.r / near.distance.distance());
                    let force = self.weights[k] * evals.grad[row];
                    let extra = near.mollifier.and_then(|m| m.derivatives(&near.x));
                    let cost = self.dt * evals.cost[k];
                    self.pull_back(
                        k,
                        |i| {
                            let m = extra.as_ref().map_or(Vector3::zeros(), |(_, gm, _)| {
                                cost * Vector3::new(gm[3 * i], gm[3 * i + 1], gm[3 * i + 2])
                            });
                            force * w[i] * n + m
                        },
                        g,
                    );
                }
                None => {
                    let s = &self.sliding[k - self.near.len()];
                    let force = evals.grad[row] * s.tangents[0] + evals.grad[row + 1] * s.tangents[1];
                    self.pull_back(k, |i| s.weights[i] * force, g);
                }
            }
        }
    }

    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        for k in part.constraints.iter().map(|&k| k as usize) {
            let at = pools.hess_start(k);
            if k < self.near.len() {
                let values = [evals.cost[k], evals.grad[k], evals.hess[at]];
                if values[0] > 0.0 {
                    let points = self.dt * self.dt * self.near_hessian(k, values);
                    self.pull_back_hessian(k, &points, h);
                }
                continue;
            }
            let s = &self.sliding[k - self.near.len()];
            let hess = &evals.hess[at..at + 4];
            let mut plane = Matrix3::zeros();
            for (i, t) in s.tangents.iter().enumerate() {
                for (j, u) in s.tangents.iter().enumerate() {
                    plane += hess[2 * j + i] * t * u.transpose();
                }
            }
            let w = s.weights;
            let points = SMatrix::<f64, 12, 12>::from_fn(|i, j| w[i / 3] * w[j / 3] * plane[(i % 3, j % 3)]);
            self.pull_back_hessian(k, &points, h);
        }
    }
}
