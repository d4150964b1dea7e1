//! One step: the problem of a prepared state, and the system that poses it.

pub(crate) mod closure;
pub(crate) mod control;
pub(crate) mod gain_rows;
pub(crate) mod joints_first;
pub(crate) mod overload;
pub(crate) mod pools;
pub(crate) mod prepared;
pub(crate) mod rigid_laws;
pub(crate) mod rigid_problem;
pub(crate) mod rigid_system;
pub(crate) mod rows;
pub(crate) mod sharing;
