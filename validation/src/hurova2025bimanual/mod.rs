//! Figures of hurova2025bimanual.

mod fig01;
mod fig05;
mod projection;
mod projection_study;
mod published;

use signorini_core::na::Point3;

use signorini_report::Page;
use signorini_run::snapshot::Camera;

/// Both arms, from the front.
const CAMERA: Camera =
    Camera { eye: Point3::new(-0.25, -2.4, 1.5), target: Point3::new(-0.25, 0.0, 0.3), width: 1.9 };

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&fig01::Fig01, &fig05::Fig05, &projection::Projection]
}
