//! Material points and bodies in the middle of a long run, as files have them.

use serde::{Deserialize, Serialize};
use signorini_core::State;
use signorini_core::na::{Matrix3, Vector3};
use signorini_mpm::Particles;

use super::fast::Fast;
use signorini_report::PageError;

/// File of the last kept state in the folder of a page.
pub(super) const FILE: &str = "state.json";

/// State of points and bodies. A run that goes on from it solves its next step without the solution before as a guess; a run that keeps states does so too, so that both give equal numbers.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptPoints {
    x: Vec<Vector3<f64>>,
    v: Vec<Vector3<f64>>,
    c: Vec<Matrix3<f64>>,
    f: Vec<Matrix3<f64>>,
    memory: Vec<f64>,
    /// Bodies.
    pub bodies: State,
}

impl KeptPoints {
    /// The state now.
    pub(super) fn of(both: &mut Fast, bodies: &State) -> Self {
        let Particles { x, v, c, f, memory, .. } = both.points_mut().engine_mut().particles().clone();
        Self { x, v, c, f, memory, bodies: bodies.clone() }
    }

    /// Puts the state of the points into equal points at their start.
    ///
    /// # Errors
    /// Another number of points.
    pub(super) fn put(&self, points: &mut Particles) -> Result<(), PageError> {
        if self.x.len() != points.len() {
            return Err(PageError::Run(format!(
                "the kept state has {} particles, the run has {}; start the page with --anew",
                self.x.len(),
                points.len()
            )));
        }
        points.x.clone_from(&self.x);
        points.v.clone_from(&self.v);
        points.c.clone_from(&self.c);
        points.f.clone_from(&self.f);
        points.memory.clone_from(&self.memory);
        Ok(())
    }
}
