use signorini_core::na::{Matrix3, Matrix6, Vector3, Vector6};

use super::lame::Lame;

/// Growth of the energy of a material with strain rates D = sym ∇v over a step, in the frame that turns with it.
///
/// ```text
/// ψ(v) − ψ(0) = δt τ : D + ½ δt² D : C : D
/// ```
/// C is symmetric and positive semi-definite, as a matrix over (xx, yy, zz, √2 yz, √2 xz, √2 xy): [`Stiffness::strain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness(pub Matrix6<f64>);

impl Stiffness {
    /// The components of a symmetric tensor over which C is a matrix: products are those of the tensors.
    pub fn strain(d: &Matrix3<f64>) -> Vector6<f64> {
        let root = std::f64::consts::SQRT_2;
        Vector6::new(d.m11, d.m22, d.m33, root * d.m23, root * d.m13, root * d.m12)
    }

    /// Stiffness of an energy μ |E|² + ½ λ (tr E)² with E = sym(D B): B is the left stretch where strains are stretches, 1 where they are logarithms.
    pub fn linear(lame: &Lame, b: &Matrix3<f64>) -> Self {
        let column = |k: usize| {
            let d = basis(k) * b;
            Self::strain(&(0.5 * (d + d.transpose())))
        };
        let e = Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(column));
        let mut c = 2.0 * lame.mu * e.transpose() * e;
        let trace = e.row(0) + e.row(1) + e.row(2);
        c += lame.lambda * trace.transpose() * trace;
        Self(c)
    }

    /// Stiffness of an isotropic energy at stretches σ along the columns of U, where `stretching` is σ_i σ_j ∂²ψ/∂σ_i∂σ_j, `shearing` has (τ_i − τ_j)/(σ_i² − σ_j²) for the pairs (2, 3), (1, 3), (1, 2), and τ are the stresses. Parts that are not positive are left out.
    ///
    /// ```text
    /// d²ψ((1 + D) F)   D_ii, D_jj: σ_i σ_j ∂²ψ/∂σ_i∂σ_j,   √2 D_ij: (σ_i² + σ_j²)(τ_i − τ_j)/(σ_i² − σ_j²) − ½ (τ_i + τ_j)
    /// ```
    pub(super) fn principal(
        u: &Matrix3<f64>,
        sigma: &Vector3<f64>,
        tau: &Vector3<f64>,
        stretching: &Matrix3<f64>,
        shearing: &Vector3<f64>,
    ) -> Self {
        let mut own = Matrix6::zeros();
        let mut eigen = stretching.symmetric_eigen();
        eigen.eigenvalues.apply(|x| *x = x.max(0.0));
        own.fixed_view_mut::<3, 3>(0, 0).copy_from(&eigen.recompose());
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let squares = sigma[i] * sigma[i] + sigma[j] * sigma[j];
            own[(k + 3, k + 3)] = (squares * shearing[k] - 0.5 * (tau[i] + tau[j])).max(0.0);
        }
        let turned = |k: usize| Self::strain(&(u * basis(k) * u.transpose()));
        let turn = Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(turned));
        Self(turn * own * turn.transpose())
    }
}

/// The pairs of axes behind the three axes themselves.
pub(super) const PAIRS: [(usize, usize); 3] = [(1, 2), (0, 2), (0, 1)];

/// The tensor whose [`Stiffness::strain`] is 1 in one place.
fn basis(k: usize) -> Matrix3<f64> {
    let mut d = Matrix3::zeros();
    if k < 3 {
        d[(k, k)] = 1.0;
    } else {
        let (i, j) = PAIRS[k - 3];
        d[(i, j)] = std::f64::consts::FRAC_1_SQRT_2;
        d[(j, i)] = d[(i, j)];
    }
    d
}
