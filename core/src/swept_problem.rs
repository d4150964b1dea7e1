use crate::{BlockDiagonal, FrozenMap, Pools};

/// A map and its inertia where constraints can be taken in turn, and their laws.
pub struct Whitened<'a> {
    /// Y_kᵀ and b_k as in [`Turns::map`](crate::Turns::map).
    pub map: &'a FrozenMap,
    /// A, factored.
    pub inertia: &'a BlockDiagonal,
    /// The laws.
    pub pools: &'a mut Pools,
}

/// A step problem of affine map whose multipliers can be moved, by methods that sweep over its constraints.
pub trait SweptProblem {
    /// The laws, and contact velocities of the last [`StepProblem::relinearize`](crate::StepProblem::relinearize), all rows \[m/s\].
    fn laws(&mut self) -> (&mut Pools, &[f64]);
    /// Brings the map to coordinates in which the inertia is the identity; false where the inertia couples blocks or the map is not made of blocks.
    fn whiten(&mut self) -> bool;
    /// The map in these coordinates, as [`SweptProblem::whiten`] left it; None where it cannot be had.
    fn whitened(&mut self) -> Option<Whitened<'_>>;
}
