use std::fmt::Debug;

use signorini_core::OneStep;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use super::MethodError;

/// A method of one's own, by its system and its scheme: a solver that [`Method`](super::Method) does not list, or a system that scenes alone do not describe.
///
/// A contact law of one's own needs none: [`Law::own`](super::Law::own) goes into every method.
pub trait OwnMethod: Debug + Send + Sync + 'static {
    /// Name, as in reports.
    fn name(&self) -> &str;
    /// The scene in generalised coordinates.
    ///
    /// # Errors
    /// A scene that the method does not take.
    fn system(&self, scene: &Scene) -> Result<RigidSystem, MethodError>;
    /// Scheme of a step; with an estimate of its error for error control. It must not remember anything from one step to the next but storage: otherwise the motion of a lane of a batch depends on
    /// the lanes stepped before it.
    fn scheme(&self) -> Box<dyn OneStep>;
}
