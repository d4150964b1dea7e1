//! Flat arrays that laws write to.

/// Flat evaluations of all constraints of a problem, addressed through [`Pools`](crate::Pools).
#[derive(Clone, Debug, Default)]
pub struct Evals {
    /// ℓ_k \[J\], one per constraint.
    pub cost: Vec<f64>,
    /// ∇ℓ_k \[N·s\], one per row.
    pub grad: Vec<f64>,
    /// ∇²ℓ_k \[kg\], D × D column-major per constraint.
    pub hess: Vec<f64>,
}

/// A run of constraints inside the flat arrays: the first row and the first Hessian entry of a pool, and its dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Number of the first constraint.
    pub first: u32,
    /// First row in contact-velocity and gradient arrays.
    pub row: usize,
    /// First entry in the Hessian array.
    pub hess: usize,
}
