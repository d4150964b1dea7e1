//! Figures of chen2022midas and the unit scenes of incremental potential contact.

mod bullet;
mod classics;
mod degenerate;
mod error_control;
mod fig01;
mod fig02;
mod fig03;
mod fig04;
mod fig05;
mod fig09;
mod files;
mod film;
mod gripper;
mod scenes;
mod shapes;
mod structures;
pub(crate) mod thread;
mod unit_row;
mod units;

use signorini_report::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![
        &fig01::Fig01,
        &fig02::Fig02,
        &fig03::Fig03,
        &fig04::Fig04,
        &fig05::Fig05,
        &fig09::Fig09,
        &files::Files,
        &units::Units,
        &error_control::ErrorControl,
    ]
}
