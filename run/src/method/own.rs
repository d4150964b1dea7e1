use std::sync::Arc;

use signorini_core::OneStep;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use super::{MethodError, Stepping};

type MakeSystem = dyn Fn(&Scene) -> Result<RigidSystem, MethodError> + Send + Sync;
type MakeScheme = dyn Fn() -> Box<dyn OneStep> + Send + Sync;

/// A method of one's own: a constructor of systems and one of schemes.
#[derive(Clone)]
pub struct Own {
    /// Name, as in reports.
    pub name: String,
    pub(super) system: Arc<MakeSystem>,
    pub(super) scheme: Arc<MakeScheme>,
    /// Stepping.
    pub stepping: Stepping,
}

impl Own {
    /// From a constructor of systems and one of schemes. Schemes must not remember anything from one step to the next but storage: otherwise the motion of a lane of a batch
    /// depends on the lanes stepped before it.
    pub fn new<E: Into<MethodError>>(
        name: impl Into<String>,
        system: impl Fn(&Scene) -> Result<RigidSystem, E> + Send + Sync + 'static,
        scheme: impl Fn() -> Box<dyn OneStep> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            system: Arc::new(move |scene| system(scene).map_err(Into::into)),
            scheme: Arc::new(scheme),
            stepping: Stepping::default(),
        }
    }
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Own")
            .field("name", &self.name)
            .field("stepping", &self.stepping)
            .finish_non_exhaustive()
    }
}
