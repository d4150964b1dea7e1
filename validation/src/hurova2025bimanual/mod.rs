//! Figures of hurova2025bimanual.

mod episodes;
mod fig01;
mod fig05;
mod projection;
mod projection_study;
mod published;

use crate::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&fig01::Fig01, &fig05::Fig05, &projection::Projection]
}
