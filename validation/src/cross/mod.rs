//! Cross-checks: laws against laws, solvers against solvers, options against their absence.

mod laws;
mod model_zoo;
mod thin_floor;

use crate::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&laws::Laws, &thin_floor::ThinFloor, &model_zoo::ModelZoo]
}
