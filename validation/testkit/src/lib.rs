//! Conformance suites for laws, solvers and integrators, and the four toy systems on which the contract was tried.

pub mod toys;
