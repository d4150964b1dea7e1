//! Engines that planning tasks are executed with.

use serde::{Deserialize, Serialize};
use signorini_batch::{AffineBatch, AffineOptions, BatchOptions, CpuBatch, LaneParameters, Recipe};
use signorini_core::BatchStepper;
use signorini_planning::Stream;
use signorini_scene::Scene;

use crate::PageError;

/// What plans are executed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Plant {
    /// Complementarity-free contact, fixed steps.
    ComFree,
    /// Convex implicit contact, fixed steps.
    Icf,
    /// Convex implicit contact under error control.
    Cenic,
    /// Affine bodies that never intersect, fixed steps.
    Ipc,
}

impl Plant {
    /// All of them, by their names, and what they are.
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::ComFree, "comfree", "Complementarity-free contact, fixed steps"),
        (Self::Icf, "icf", "Convex implicit contact, fixed steps"),
        (Self::Cenic, "cenic", "Convex implicit contact under error control"),
        (Self::Ipc, "ipc", "Affine bodies that never intersect, fixed steps"),
    ];

    /// The plant of a scene; `accuracy` is that of error control. What affine bodies leave out of the scene is told to `warn`.
    ///
    /// # Errors
    /// A scene or an accuracy that the engine does not take; an actuator that it leaves out.
    pub fn make(
        self,
        scene: &Scene,
        accuracy: f64,
        warn: impl FnMut(&String),
    ) -> Result<Box<dyn BatchStepper>, PageError> {
        let recipe = match self {
            Self::ComFree => Recipe::comfree(),
            Self::Icf => Recipe::icf(),
            Self::Cenic => Recipe::cenic(accuracy).map_err(PageError::from_error)?,
            Self::Ipc => {
                let plant = AffineBatch::new(scene, 1, AffineOptions::default());
                let plant = plant.map_err(|e| {
                    PageError::Run(format!(
                        "the plant ipc: {e}; where the scene is that of a task, take --plant icf or cenic"
                    ))
                })?;
                let affine = plant.affine(0).map_err(PageError::from_error)?.0;
                if let Some((actuator, why)) = affine.undriven.first() {
                    let name = &scene.actuators[*actuator].name;
                    return Err(PageError::Run(format!(
                        "the plant ipc cannot be steered: actuator '{name}' is left out: {why}; take --plant icf or cenic"
                    )));
                }
                affine.left_out.iter().for_each(warn);
                return Ok(Box::new(plant));
            }
        };
        let plant = CpuBatch::new(scene, 1, recipe, BatchOptions { threads: 1 });
        Ok(Box::new(plant.map_err(PageError::from_error)?))
    }

    /// Steps of a control step, of those with fixed ones; error control finds its steps itself.
    pub fn substeps(self, fixed: u32) -> u32 {
        if self == Self::Cenic { 1 } else { fixed }
    }

    /// How its steps are taken, for recordings.
    pub fn steps(self) -> &'static str {
        if self == Self::Cenic { "error control" } else { "fixed steps" }
    }
}

/// The scene with another mass of a body, and other friction of all surfaces: both differ by up to `part`, drawn by the seed.
///
/// # Errors
/// A part that leaves no mass.
pub fn varied(scene: &Scene, body: &str, part: f64, seed: u64) -> Result<Scene, PageError> {
    let mut random = Stream::new(seed, 2);
    let [mass, friction] = [0; 2].map(|_| 1.0 + random.uniform(-part, part));
    let bodies = scene.bodies.iter().enumerate().filter(|(_, b)| b.name == body);
    let surfaces = scene.geoms.iter().map(|g| &g.surface);
    let parameters = LaneParameters {
        mass_scale: bodies.map(|(i, _)| (i, mass)).collect(),
        friction: surfaces
            .map(|s| [s.friction * friction, s.friction_torsional, s.friction_rolling])
            .enumerate()
            .collect(),
        ..LaneParameters::default()
    };
    parameters.apply(scene).map_err(PageError::from_error)
}
