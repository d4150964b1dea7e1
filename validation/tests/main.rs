//! Tests of this crate in one program, which is built once.

mod common;

mod analytic_comfree_rest;
mod analytic_every_method;
mod analytic_own_hertz;
mod architecture;
mod circles;
mod conformance_derivative;
mod conformance_own_law;
mod fields;
mod order_trapezoid;
mod papers;
mod property_units;
mod regression_support_tables;
mod style;
