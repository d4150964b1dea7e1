//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

mod analytic_implicit_materials;
mod analytic_iteration;
mod analytic_led_bodies;
mod analytic_limits;
mod analytic_monolithic;
mod analytic_panels;
mod analytic_pinned_bodies;
mod analytic_robot_files;
mod analytic_scene_files;
mod analytic_scene_meshes;
mod analytic_scene_options;
mod analytic_scene_sensors;
mod conformance_engine;
mod conformance_scene_files;
mod property_units;
mod regression_thin_and_led;
