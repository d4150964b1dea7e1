//! Closed forms of rigid contact: limits that a compliant, regularised model must come close to.

mod bounces;
mod drive;
mod family;
mod grip;
mod impact;
mod incline;
mod rolling;
mod spin;
mod statics;

use signorini_report::Page;

/// Gravity \[m/s²\].
const G: f64 = 9.81;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &incline::BlockOnIncline,
        &rolling::Rolling,
        &impact::Restitution,
        &bounces::Bounces,
        &grip::Grip,
        &statics::Statics,
        &drive::Drive,
        &spin::TopAndRod,
    ]
}
