//! Irrotational contact fields: the convex Newton solver.
