//! The papers' figures and tables, drawn from runs, with the paper's value beside the measured one and a verdict that can fail.
//!
//! ```
//! let pages = signorini_validation::pages();
//! for page in &pages {
//!     println!("{}: {}", page.id(), page.title());
//! }
//! assert!(pages.iter().any(|page| page.id() == "kurtz2025cenic/fig08"));
//! ```
//!
//! [`pages`] lists them and [`GROUPS`] the parts of the index; [`signorini_report::suite::run`] runs them and writes the report.

mod agreement;
pub mod analytic;
pub mod borse2026comfree;
pub mod chen2022midas;
pub mod cross;
mod groups;
pub mod hurova2025bimanual;
pub mod identify;
pub mod kurtz2025cenic;
mod motion;
mod mujoco_worlds;
mod path;
mod peer_record;
mod random;
pub mod robots;
pub mod scenes;
mod search;
pub mod support;
pub mod yu2025mpm;

pub use groups::GROUPS;
use signorini_report::Page;

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
