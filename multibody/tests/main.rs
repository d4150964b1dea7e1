//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod analytic_areas;
mod analytic_forces_and_sensors;
mod conformance_bad_input;
mod conformance_contact_sensors;
mod conformance_drake;
mod conformance_dynamics_oracles;
mod conformance_every_model;
mod conformance_medium;
mod conformance_mujoco;
mod conformance_scene_sensors;
mod conformance_soft_welds;
mod conformance_trajectory_oracles;
mod property_broad_phase;
mod property_joints_first;
mod property_mutated_files;
mod property_mutated_scenes;
mod property_resting_trees;
mod property_spring_dampers;
mod property_tree_dynamics;
mod property_wrapping;
mod regression_speed;
