//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

#[path = "common/bodies.rs"]
mod bodies;
mod common;
#[path = "common/spring.rs"]
mod spring;
#[path = "common/walk.rs"]
mod walk;

mod analytic_actions;
mod analytic_adaptive_stiffness;
mod analytic_driven;
mod analytic_error_control;
mod analytic_free_rotation;
mod analytic_joint_kinds;
mod analytic_joints;
mod analytic_motion;
mod analytic_reactions;
mod analytic_round;
mod analytic_scene_rules;
mod analytic_scenes;
mod analytic_skin_law;
mod analytic_tendons;
mod analytic_tight_fits;
mod conformance_barrier_oracle;
mod conformance_laws;
mod conformance_mesh_oracle;
mod conformance_moments;
mod conformance_skin_law;
mod conformance_solver;
mod conformance_steps;
mod conformance_system;
mod property_degenerate_contacts;
mod property_derivatives;
mod property_random_scenes;
mod property_round;
mod regression_blocked;
mod regression_errors;
