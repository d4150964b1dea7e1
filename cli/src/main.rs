//! The `signorini` command line.
fn main() {}
