use signorini_core::State;

use crate::{Kinematics, Model};

/// Adds generalised forces \[N or N·m\], nv, to a step: (model, kinematics and state at its start, time halfway through it, force). Where contacts are looked for ahead it is asked for that as well.
pub type ForceField = Box<dyn FnMut(&Model, &Kinematics, &State, f64, &mut [f64]) + Send>;
