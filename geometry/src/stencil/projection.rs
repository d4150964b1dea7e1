use signorini_core::na::{SMatrix, SVector, SymmetricEigen, Vector3};

use crate::{Mollifier, StencilDistance};

/// Dimension of the space in which the Hessian of a repulsive potential acts: three weights along the normal, two directions in the plane.
const N: usize = 5;

impl StencilDistance {
    /// The nearest positive semidefinite matrix to the Hessian of a potential b(d²) of these points `x` that falls with the distance, 12 × 12.
    ///
    /// ```text
    /// ∇²b = b″ g gᵀ + b′ ∇²d²,   g = 2 w ⊗ r,   b′ ≤ 0
    /// ½ ∇²d² = wwᵀ ⊗ (nnᵀ + T) − d Σ_k [(w ⊗ e_k)(c_k ⊗ n)ᵀ + (c_k ⊗ n)(w ⊗ e_k)ᵀ] − d² Σ_k (c_k ⊗ n)(c_k ⊗ n)ᵀ
    /// ```
    /// e_k are orthonormal directions along which the closest points slide, c_k the change of weights with that, T the projector on directions normal to n and all e_k. b′ wwᵀ ⊗ T is negative
    /// and goes; the rest acts in the space of {w, c_k} ⊗ n and w ⊗ e_k, of dimension 1, 3 or 5, where negative eigenvalues are set to zero.
    ///
    /// `slope` is b′, ≤ 0, and `curvature` b″; d > 0.
    pub fn projected_hessian(
        &self,
        x: &[Vector3<f64>; 4],
        slope: f64,
        curvature: f64,
    ) -> SMatrix<f64, 12, 12> {
        let d = self.distance();
        let n = self.r / d;
        let w = SVector::<f64, 4>::from(self.weights);
        let (directions, slides) = self.slides(x);
        let count = self.dimension();
        // Orthonormal weights: q₀ ∥ w, and the parts of the c_k that are new; `along` holds their coordinates.
        let mut q = [SVector::<f64, 4>::zeros(); 3];
        let mut along = [SVector::<f64, N>::zeros(); 3];
        for k in 0..=count {
            let mut rest = if k == 0 { w } else { slides[k - 1] };
            let size = rest.norm();
            // Twice is enough.
            for _ in 0..2 {
                for (i, q) in q.iter().enumerate().take(k) {
                    let part = q.dot(&rest);
                    along[k][i] += part;
                    rest -= part * q;
                }
            }
            let norm = rest.norm();
            if norm > 1e-14 * size {
                (along[k][k], q[k]) = (norm, rest / norm);
            }
        }
        let mut m = SMatrix::<f64, N, N>::zeros();
        m += (4.0 * d * d * curvature + 2.0 * slope) * along[0] * along[0].transpose();
        for k in 0..count {
            let mut sideways = SVector::<f64, N>::zeros();
            sideways[3 + k] = w.norm();
            let c = along[k + 1];
            m -= 2.0 * slope * d * (sideways * c.transpose() + c * sideways.transpose());
            m -= 2.0 * slope * d * d * c * c.transpose();
        }
        let eigen = SymmetricEigen::new(m);
        let unit = w / w.norm();
        let mut out = SMatrix::<f64, 12, 12>::zeros();
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value <= 0.0 {
                continue;
            }
            let weights = q[0] * vector[0] + q[1] * vector[1] + q[2] * vector[2];
            let plane = directions[0] * vector[3] + directions[1] * vector[4];
            let v =
                SVector::<f64, 12>::from_fn(|i, _| weights[i / 3] * n[i % 3] + unit[i / 3] * plane[i % 3]);
            out += *value * v * v.transpose();
        }
        out
    }
}

/// A vector over the four points of a stencil, Σ_k w_k ⊗ e_k of at most two terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StencilVector {
    /// w_k.
    pub weights: [[f64; 4]; 2],
    /// e_k.
    pub directions: [Vector3<f64>; 2],
}

impl StencilVector {
    /// All twelve entries.
    pub fn dense(&self) -> SVector<f64, 12> {
        SVector::from_fn(|i, _| (0..2).map(|k| self.weights[k][i / 3] * self.directions[k][i % 3]).sum())
    }
}

/// Most vectors that [`StencilDistance::curvature_vectors`] gives.
const MOST: usize = 12;

/// A positive semidefinite matrix over the four points of a stencil, Σ v vᵀ.
#[derive(Clone, Copy, Debug)]
pub struct StencilCurvature {
    vectors: [StencilVector; MOST],
    count: usize,
}

impl StencilCurvature {
    fn new() -> Self {
        Self { vectors: [StencilVector::default(); MOST], count: 0 }
    }

    fn push(&mut self, scale: f64, weights: [[f64; 4]; 2], directions: [Vector3<f64>; 2]) {
        if scale > 0.0 && self.count < MOST {
            let directions = directions.map(|e| e * scale.sqrt());
            self.vectors[self.count] = StencilVector { weights, directions };
            self.count += 1;
        }
    }

    /// The vectors v.
    pub fn vectors(&self) -> &[StencilVector] {
        &self.vectors[..self.count]
    }
}

/// Positive eigenvalue λ of [[a, x], [x, b]] and its unit eigenvector; the matrix is to have one that is not positive.
fn positive_part(a: f64, x: f64, b: f64) -> (f64, [f64; 2]) {
    let half = 0.5 * (a - b);
    let root = half.hypot(x);
    let value = 0.5 * (a + b) + root;
    // (half + root, x) without cancellation.
    let vector = if half >= 0.0 { [half + root, x] } else { [x, root - half] };
    let norm = vector[0].hypot(vector[1]);
    if norm > 0.0 { (value, vector.map(|v| v / norm)) } else { (0.0, [1.0, 0.0]) }
}

impl StencilDistance {
    /// A positive semidefinite bound of the Hessian of m b(d), b a potential that falls with the distance and m the mollifier, in closed form.
    ///
    /// ```text
    /// m ∇²b = m b_dd (w ⊗ n)(w ⊗ n)ᵀ − m b_d Σ_k [(w ⊗ e_k)(c_k ⊗ n)ᵀ + (c_k ⊗ n)(w ⊗ e_k)ᵀ + d (c_k ⊗ n)(c_k ⊗ n)ᵀ] + negative terms
    /// ∇²(m b) = m ∇²b + b_d m′ [(w ⊗ n) ∇cᵀ + ∇c (w ⊗ n)ᵀ] + b (m″ ∇c ∇cᵀ + m′ ∇²c),   c = ‖u × v‖²
    /// ```
    /// Each bracket has one positive eigenvalue, which is kept. m″ < 0; ∇²c is twice the Gauss–Newton matrix of u × v and a bilinear term of the size of u × v, of which the positive half is kept.
    /// The sum of projections bounds the Hessian from above; it is the nearest such matrix where c_k is normal to w, for two points and for parallel edges.
    ///
    /// Points that are not `moving` (all of a side move or none) have no part in it: the bound is one of the Hessian by the others, and closer than the part of that of all.
    ///
    /// `value`, `slope` and `curvature` are b, b_d ≤ 0 and b_dd by the distance d > 0.
    pub fn curvature_vectors(
        &self,
        x: &[Vector3<f64>; 4],
        [value, slope, curvature]: [f64; 3],
        mollifier: Option<&Mollifier>,
        moving: [bool; 4],
    ) -> StencilCurvature {
        let mut out = StencilCurvature::new();
        let d = self.distance();
        let n = self.r / d;
        let of = |w: [f64; 4]| std::array::from_fn(|i| if moving[i] { w[i] } else { 0.0 });
        let w: [f64; 4] = of(self.weights);
        let size = SVector::<f64, 4>::from(w).norm();
        let none = ([0.0; 4], Vector3::zeros());
        let near_parallel = mollifier.and_then(|m| m.terms(x));
        let m = near_parallel.map_or(1.0, |t| t.value);
        out.push(m * curvature, [w, none.0], [n, none.1]);
        let (directions, slides) = self.slides(x);
        let push = -m * slope;
        for k in 0..self.dimension() {
            let slide: [f64; 4] = of(slides[k].into());
            let change = SVector::<f64, 4>::from(slide).norm();
            if change == 0.0 || size == 0.0 {
                continue;
            }
            let (value, [a, b]) = positive_part(push * d * change * change, push * change * size, 0.0);
            out.push(value, [slide, w], [n * (a / change), directions[k] * (b / size)]);
        }
        let Some(t) = near_parallel else { return out };
        let (edge_a, edge_b) = (of([-1.0, 1.0, 0.0, 0.0]), of([0.0, 0.0, -1.0, 1.0]));
        let turns = [edge_a, edge_b].map(|e| e != [0.0; 4]);
        // |(w ⊗ n) ∇cᵀ + ∇c (w ⊗ n)ᵀ| ≤ s (w ⊗ n)(w ⊗ n)ᵀ + ∇c ∇cᵀ/s for any s > 0: one that m″ makes good, or one that weighs both alike.
        let part = |k: usize| if turns[k] { 2.0 * t.gradient[k].norm_squared() } else { 0.0 };
        let steep = (part(0) + part(1)).sqrt();
        let (both, good) = ((slope * t.slope).abs(), value * t.bend.abs());
        if steep > 0.0 && both > 0.0 && size > 0.0 {
            let s = if good * steep >= both * size { both / good } else { steep / size };
            out.push(both * s, [w, none.0], [n, none.1]);
            out.push(both / s - good, [edge_a, edge_b], t.gradient);
        }
        let scale = value * t.slope;
        let [u, v] = t.edges;
        for k in 0..3 {
            let e = Vector3::ith(k, 1.0);
            out.push(2.0 * scale, [edge_a, edge_b], [v.cross(&e), e.cross(&u)]);
        }
        let normal = u.cross(&v);
        let length = normal.norm();
        if length > 0.0 && turns[0] && turns[1] {
            let normal = normal / length;
            let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
            let second = normal.cross(&first);
            let balance = (v.norm() / u.norm()).sqrt();
            out.push(scale * length, [edge_a, edge_b], [first * balance, second / balance]);
            out.push(scale * length, [edge_a, edge_b], [second * balance, -first / balance]);
        }
        out
    }
}
