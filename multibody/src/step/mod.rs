//! One step: the problem of a prepared state, and the system that poses it.

pub(crate) mod advance;
pub(crate) mod closure;
pub(crate) mod contact_problem;
pub(crate) mod contact_search;
pub(crate) mod control;
pub(crate) mod flight;
pub(crate) mod force_field;
pub(crate) mod gain_rows;
pub(crate) mod impulses;
pub(crate) mod joint_rows;
pub(crate) mod joint_solve;
pub(crate) mod joints_first;
pub(crate) mod limit_rows;
pub(crate) mod lost_rebound;
pub(crate) mod overload;
pub(crate) mod pools;
pub(crate) mod prepared;
pub(crate) mod rigid_laws;
pub(crate) mod rigid_options;
pub(crate) mod rigid_problem;
pub(crate) mod rigid_system;
pub(crate) mod row_mass;
pub(crate) mod sharing;
