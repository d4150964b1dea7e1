//! The papers' figures and tables, drawn from runs, with the paper's value beside the measured one and a verdict that can fail.
//!
//! A page ([`Page`]) runs something, draws figures ([`Plot`]) and tables, and states [`Claim`]s. [`suite::run`] runs pages and writes
//! the report: `index.html`, one page each, `results.json`.

pub mod affine;
pub mod analytic;
pub mod borse2026comfree;
pub mod chen2022midas;
/// Statements that can fail.
pub mod claim;
pub mod cross;
pub mod engine;
pub mod environment;
mod film;
pub mod hurova2025bimanual;
pub mod identify;
pub mod kurtz2025cenic;
/// What a page is and what it may use.
pub mod page;
pub mod planned;
pub mod plant;
pub mod plot;
mod random;
pub mod recorder;
pub mod recording;
pub mod report;
pub mod robots;
pub mod scenes;
pub mod shapes;
mod snapshot;
pub mod stability;
mod stock;
pub mod suite;
pub mod support;
mod trace;
mod trials;
pub mod view;
pub mod yu2025mpm;

pub use claim::{Claim, Verdict};
pub use page::{Budget, Context, Page, PageError, PageOutput, Picture, Table};
pub use plot::{Mark, Plot, Series};
pub use recording::{Recording, RecordingError, RecordingHeader};
pub use stock::Stock;

/// All pages, in the order of the report.
pub fn pages() -> Vec<&'static dyn Page> {
    let mut all = kurtz2025cenic::pages();
    all.extend(borse2026comfree::pages());
    all.extend(chen2022midas::pages());
    all.extend(yu2025mpm::pages());
    all.extend(hurova2025bimanual::pages());
    all.push(&robots::Robots);
    all.extend(analytic::pages());
    all.extend(cross::pages());
    all.extend(identify::pages());
    all
}
