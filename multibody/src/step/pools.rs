//! Pools of a rigid problem, in the order of their constraints.

pub(crate) const CONTACT: usize = 0;
pub(crate) const LIMIT: usize = 1;
pub(crate) const FRICTION: usize = 2;
pub(crate) const GAIN: usize = 3;
pub(crate) const EQUALITY_1: usize = 4;
pub(crate) const EQUALITY_3: usize = 5;
