//! Figures and tables of kurtz2025cenic.

mod area_record;
mod dish_rack;
mod fig02;
mod fig04;
mod fig07;
mod fig08;
mod fig10;
mod fig11;
mod fig13;
mod fig19;
mod modes;
mod references;
mod tables;
pub mod trapezoid;

use signorini_integrators::StepController;
use signorini_report::{Page, PageError};

pub(crate) use fig08::slope;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &fig02::Fig02,
        &fig04::Fig04,
        &fig07::Fig07,
        &fig08::Fig08,
        &fig10::Fig10,
        &fig11::Fig11,
        &fig13::Fig13,
        &dish_rack::Table1,
        &tables::Table2,
        &tables::Table3,
        &modes::Modes,
        &fig19::Fig19,
        &references::SphereDrop,
        &references::BoxSlide,
        &references::Conveyor,
    ]
}

/// The rule of step selection as published.
fn published_controller(accuracy: f64) -> StepController {
    StepController {
        halve_below: 1.0,
        measures_order: false,
        idle_pairs: None,
        ..StepController::with_accuracy(accuracy)
    }
}

fn failed(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}
