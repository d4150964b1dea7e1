//! Cylinder and gripper of kurtz2025cenic, fig. 6, which meet a table over areas.

use signorini_core::na::{Quaternion, UnitQuaternion};
use signorini_report::{Context, PageError};
use signorini_scene::{LoadOptions, Scene};

/// Distance of the fingers' middles from the peg's, 0.01 m in the file \[m\]: a gap of 9.8 mm for a peg of 10.02 mm.
const FINGER: f64 = 0.0099;

/// A model of `models/areas`, in colours.
pub(crate) fn load(ctx: &Context, file: &str) -> Result<Scene, PageError> {
    let mut scene =
        Scene::load(ctx.root.join(file), &LoadOptions::default()).map_err(PageError::from_error)?;
    // The files state no colours; films tell bodies apart.
    for geom in scene.geoms.iter_mut().filter(|g| g.body != 0) {
        geom.rgba = [[0.20, 0.45, 0.70, 1.0], [0.85, 0.40, 0.15, 1.0]][(geom.body - 1) % 2];
    }
    Ok(scene)
}

/// The gripper with fingers that are nearer to each other: friction holds the peg through the impact.
pub(crate) fn held_peg(ctx: &Context) -> Result<Scene, PageError> {
    let mut scene = load(ctx, "models/areas/gripper.xml")?;
    for geom in &mut scene.geoms {
        if geom.name == "left" || geom.name == "right" {
            geom.pose.translation.vector.x = FINGER.copysign(geom.pose.translation.vector.x);
        }
    }
    Ok(scene)
}

/// Rotation of a free body whose position begins the coordinates.
pub(crate) fn rotation(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(q[3], q[4], q[5], q[6]))
}

/// Way of the peg down along the fingers since the start \[m\].
pub(crate) fn slip(first: &[f64], q: &[f64]) -> f64 {
    (first[3] - first[0]) - (q[3] - q[0])
}
