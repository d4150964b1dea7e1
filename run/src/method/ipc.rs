use signorini_ipc::IpcOptions;
use signorini_scene::Scene;

use super::Stepping;

/// Incremental potential contact on affine bodies: nothing intersects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ipc {
    /// Barrier and stiffness; None: [`IpcOptions::for_scene`].
    pub options: Option<IpcOptions>,
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
}
