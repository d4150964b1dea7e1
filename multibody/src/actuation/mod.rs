//! Actuators: lengths and moment arms, forces, and how they drive the bodies within a step.

pub(crate) mod drive;
pub(crate) mod forces;
pub(crate) mod gains;
pub(crate) mod inputs;
pub(crate) mod transmission;
