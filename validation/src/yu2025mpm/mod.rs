//! Figures of yu2025mpm.

mod bag;
mod bag_report;
mod bounds;
mod fast;
mod fig01;
mod fig02;
mod fig03;
mod fig04;
mod fig05;
mod fig06;
mod film;
mod iteration;
mod kept_points;
mod layers;
mod pressed_cube;
mod rate;
mod statistics;
mod table1;
mod verification;

use signorini_report::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &fig01::Fig01,
        &fig02::Fig02,
        &fig03::Fig03,
        &fig04::Fig04,
        &fig05::Fig05,
        &fig06::Fig06,
        &verification::Verification,
        &verification::Contacts,
        &rate::Rate,
        &iteration::CouplingIteration,
        &table1::Table1,
    ]
}
