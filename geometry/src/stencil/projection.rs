use signorini_core::na::{SMatrix, SVector, SymmetricEigen, Vector3};

use crate::StencilDistance;

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
    /// and goes; what is left acts in the space of {w, c_k} ⊗ n and w ⊗ e_k, of dimension 1, 3 or 5, where negative eigenvalues are set to zero.
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
