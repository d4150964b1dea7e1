//! One-step schemes, step doubling and step-size control.
