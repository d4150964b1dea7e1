//! The example of the readme runs to its end and prints its result.

#[path = "../examples/dense_problem.rs"]
mod dense_problem;

#[test]
fn regression_dense_problem_example_runs() {
    dense_problem::main().unwrap();
}
