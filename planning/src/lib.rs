//! Sampling-based control: what a planner does between rollouts.
//!
//! [`projection`] makes control tapes keep bounds on position, velocity, acceleration and jerk.

pub mod projection;
