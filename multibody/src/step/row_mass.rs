use signorini_core::{BlockDiagonal, FrozenMap, FrozenProblem};

/// Floor of inverse masses \[1/kg\] that keeps rows without moment arm harmless.
pub(crate) const LIGHTEST: f64 = 1e-12;

/// Mean diagonal entry of J M⁻¹ Jᵀ of a constraint.
pub(crate) fn mean_delassus(mass: &BlockDiagonal, map: &FrozenMap, k: usize) -> f64 {
    let w = match map.rows_of(k).1 {
        1 => FrozenProblem::inverse_mass(mass, map, k),
        d => FrozenProblem::delassus(mass, map, k).trace() / d as f64,
    };
    w.max(LIGHTEST)
}
