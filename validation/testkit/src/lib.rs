//! Conformance suites for laws, solvers and integrators.
