//! Closed forms of rigid contact: what a compliant, regularised model must come close to.

mod family;
mod impact;
mod incline;
mod rolling;

use crate::Page;

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&incline::BlockOnIncline, &rolling::Rolling, &impact::Restitution, &impact::Bounces]
}

