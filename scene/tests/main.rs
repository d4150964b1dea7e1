//! Tests of this crate in one program, which is built once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod analytic_builder;
mod analytic_collision_rules;
mod analytic_directives;
mod analytic_height_fields;
mod analytic_hydroelastic;
mod analytic_sdf;
mod analytic_urdf;
mod conformance_mjcf_cases;
mod conformance_mjcf_inertia;
mod conformance_mjcf_models;
mod conformance_mjcf_parts;
mod conformance_mjcf_zoo;
mod conformance_sdf_models;
mod conformance_urdf_models;
mod conformance_urdf_zoo;
mod property_foreign_parts;
mod property_mimic_start;
mod property_mutated_models;
mod property_urdf;
mod property_xml;
mod regression_bad_input;
mod regression_file_witnesses;
mod regression_sdf_bad_input;
mod regression_urdf_bad_input;
