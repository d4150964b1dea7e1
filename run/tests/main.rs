//! Tests of this crate in one program, which is built once; tests of allocations are programs of their own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

#[path = "common/momentum.rs"]
mod momentum;
#[path = "common/motion.rs"]
mod motion;

mod analytic_affine_rolling;
mod analytic_areas;
mod analytic_comfree_gain_watch;
mod analytic_comfree_rest_depth;
mod analytic_comfree_slide;
mod analytic_oblique_impact;
mod analytic_passing_by;
mod analytic_recording;
mod analytic_rolling;
mod analytic_sampled_control;
mod analytic_softness;
mod analytic_starts;
mod conformance_affine_scenes;
mod conformance_comfree_oracles;
mod conformance_joints_under_load;
mod conformance_limit_sensors;
mod conformance_own_solver;
mod property_areas;
mod property_bounces;
mod property_bunnies;
mod property_closed_loops;
mod property_contact_model;
mod property_creep;
mod property_crossings;
mod property_depth;
mod property_flush_stacks;
mod property_free_flight;
mod property_gain_factors;
mod property_generalized_impulses;
mod property_momentum_balance;
mod property_mutated_files;
mod property_recording_files;
mod property_springs;
mod property_swings;
mod property_throws;
mod property_unread;
mod regression_robots;
mod regression_surfaces_at_rest;
mod regression_view;
