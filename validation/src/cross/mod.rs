//! Cross-checks: laws against laws, solvers against solvers, options against their absence.

mod affine;
mod bolt;
mod cube_toss;
mod daily;
mod files_record;
mod laws;
mod model_zoo;
mod rest;
mod solvers;
mod thin_floor;

use signorini_report::{Page, PageError};

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &laws::Laws,
        &solvers::Solvers,
        &thin_floor::ThinFloor,
        &rest::Rest,
        &model_zoo::ModelZoo,
        &affine::Affine,
        &daily::Daily,
        &cube_toss::CubeToss,
    ]
}

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}
