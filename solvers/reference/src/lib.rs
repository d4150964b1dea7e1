//! Slow, dense, obviously right: the oracle of the other solvers.
