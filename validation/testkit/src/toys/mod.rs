//! Four small systems, each the shortest readable [`System`](signorini_core::System) of its kind: the contract is tried on them.
//!
//! | toy | coordinates | regime | shows |
//! |---|---|---|---|
//! | [`FreeBodies`] | 6 per body, quaternions | frozen | contact pools, a one-dimensional law, retraction |
//! | [`TwoCubes`] | 12 per body, affine | re-queried | distances at q(v), mollifier, barrier, `max_step`, Ψ |
//! | [`MaterialBlock`] | particles outside, grid nodes inside | frozen | unknowns that are not the velocities of the state |
//! | [`ToyBatch`] | lanes of the first | frozen | one world per lane, failures frozen and reported |

mod batch;
mod free_bodies;
mod laws;
mod material_block;
mod two_cubes;

pub use batch::ToyBatch;
pub use free_bodies::{Body, ContactPoint, FreeBodies, Ground, Slider};
pub use laws::{LogBarrier, LogBarrierSeed, SoftContact, Stop, StopSeed};
pub use material_block::{Material, MaterialBlock};
pub use two_cubes::{Cube, TwoCubes};
