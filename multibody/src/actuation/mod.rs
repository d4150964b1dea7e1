//! Actuators: lengths and moment arms, forces, and how they drive the bodies within a step.

pub(crate) mod adhesion;
pub(crate) mod drive;
pub(crate) mod explicit;
pub(crate) mod forces;
pub(crate) mod free_motion;
pub(crate) mod gains;
pub(crate) mod inputs;
pub(crate) mod state_kinematics;
pub(crate) mod transmission;
