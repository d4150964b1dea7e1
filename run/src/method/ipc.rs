use signorini_ipc::{AffineScene, BodyError, FromSceneError, IpcOptions};
use signorini_laws::Law;
use signorini_multibody::Model;
use signorini_scene::Scene;

use super::Stepping;

/// A contact law on the skin of affine bodies, over the barrier that keeps them apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// The law; one with three rows.
    pub law: Law,
    /// Distance of two surfaces at which it begins to press \[m\], above the range of the barrier.
    pub distance: f64,
}

impl Skin {
    /// From twice the range of a barrier on.
    pub fn over(law: Law, barrier: &IpcOptions) -> Self {
        Self { law, distance: 2.0 * (barrier.range + barrier.separation) }
    }
}

/// Incremental potential contact on affine bodies: nothing intersects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ipc {
    /// Barrier and stiffness; None: [`IpcOptions::for_scene`].
    pub options: Option<IpcOptions>,
    /// A law over the barrier; None: the barrier alone.
    pub skin: Option<Skin>,
    /// Bodies that overlap at the start pass through each other; otherwise such a start is refused.
    pub exclude_overlaps: bool,
    /// Stepping.
    pub stepping: Stepping,
}

impl Ipc {
    /// Barrier and stiffness for a scene.
    pub fn options_for(&self, scene: &Scene) -> IpcOptions {
        self.options.unwrap_or_else(|| IpcOptions::for_scene(scene))
    }

    /// The affine bodies of a scene at joint positions `q`, as drawn where left out. Damping ratios of actuators become damping with the inertia at the reference configuration, as in generalised coordinates.
    ///
    /// # Errors
    /// As [`AffineScene::new`]; a law that affine bodies cannot have.
    pub fn affine_scene(&self, scene: &Scene, q: Option<&[f64]>) -> Result<AffineScene, FromSceneError> {
        let options = self.options_for(scene);
        let damped = with_damping(scene);
        let scene = damped.as_ref().unwrap_or(scene);
        let made = match (q, self.exclude_overlaps) {
            (q, true) => AffineScene::without_overlaps(scene, q, options)?,
            (Some(q), false) => AffineScene::at(scene, q, options)?,
            (None, false) => AffineScene::new(scene, options)?,
        };
        let Some(Skin { law, distance }) = &self.skin else { return Ok(made) };
        law.check().map_err(|why| BodyError::Law { law: law.name(), why: format!("has {why}") })?;
        made.with_law(law.pool().as_ref(), *distance)
    }
}

/// A scene whose damping ratios are damping, by the inertia that actuators feel at the reference configuration; None where it has no ratios, or no model in generalised coordinates.
fn with_damping(scene: &Scene) -> Option<Scene> {
    if scene.actuators.iter().all(|a| a.force.damping_ratio.is_none()) {
        return None;
    }
    let model = Model::new(scene).ok()?;
    let mut scene = scene.clone();
    for (a, made) in scene.actuators.iter_mut().zip(&model.actuators) {
        if a.force.damping_ratio.take().is_some() {
            a.force.bias[2] = made.bias[2];
        }
    }
    Some(scene)
}
