//! Reports: pages that run something, and the suite that writes what they found.
//!
//! A page ([`Page`]) runs something, draws figures ([`Plot`]) and tables, and states [`Claim`]s, statements that can fail. [`suite::run`] runs pages and
//! writes the report: `index.html`, one page each, `results.json`.

pub mod claim;
pub mod environment;
pub mod page;
pub mod planned;
pub mod plot;
pub mod report;
pub mod stock;
pub mod suite;
pub mod trials;

pub use claim::{Claim, Verdict};
pub use page::{Budget, Context, Page, PageError, PageOutput, Picture, Table};
pub use plot::{Mark, Plot, Series};
pub use stock::Stock;
