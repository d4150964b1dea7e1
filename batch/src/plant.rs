//! Plants: single worlds that plans are executed with.

use signorini_core::BatchStepper;
use signorini_run::Method;
use signorini_scene::Scene;

use crate::{AffineBatch, BatchError, BatchOptions, CpuBatch};

/// One world of a scene under a method, to be steered. Parts of the scene that affine bodies leave out are told to `warn`.
///
/// # Errors
/// As [`CpuBatch::new`] and [`AffineBatch::new`]; [`BatchError::Undriven`] for an actuator that affine bodies leave out.
pub fn plant(
    scene: &Scene,
    method: &Method,
    warn: impl FnMut(&String),
) -> Result<Box<dyn BatchStepper>, BatchError> {
    let Method::Ipc(ipc) = method else {
        return Ok(Box::new(CpuBatch::new(scene, 1, method.clone(), BatchOptions { threads: 1 })?));
    };
    let plant = AffineBatch::new(scene, 1, ipc.clone())?;
    let affine = plant.affine(0)?.0;
    if let Some((actuator, why)) = affine.undriven.first() {
        let actuator = scene.actuators[*actuator].name.clone();
        return Err(BatchError::Undriven { actuator, why: why.to_string() });
    }
    affine.left_out.iter().for_each(warn);
    Ok(Box::new(plant))
}
