//! Tasks that need names of a scene alone, one file each. Their scenes lie in the folder `models` of the project.

mod cart_pole;
mod cylinder_push;

pub use cart_pole::CartPole;
pub use cylinder_push::CylinderPush;

use signorini_core::na::SVector;

use crate::{PlanError, Task};

/// Names of all tasks.
pub const NAMES: [&str; 2] = ["cart_pole", "cylinder_push"];

/// A task by name.
///
/// # Errors
/// [`PlanError::Unknown`] with the names that there are.
pub fn by_name(name: &str) -> Result<Box<dyn Task>, PlanError> {
    match name {
        "cart_pole" => Ok(Box::new(CartPole::default())),
        "cylinder_push" => Ok(Box::new(CylinderPush::default())),
        _ => Err(PlanError::unknown("the list of tasks", "task", name, NAMES.into_iter())),
    }
}

/// √(|x|² + p²) − p: |x| far away, |x|²/2p near zero.
fn smooth_norm<const N: usize>(x: SVector<f64, N>, p: f64) -> f64 {
    x.norm().hypot(p) - p
}
