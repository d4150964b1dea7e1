//! Contacts: which geoms may meet, where they do, and the memory of contacts from step to step.

pub(crate) mod anchors;
pub(crate) mod area_side;
pub(crate) mod bounds;
pub(crate) mod collider;
pub(crate) mod collision;
pub(crate) mod contact_model;
pub(crate) mod crossing;
pub(crate) mod found;
pub(crate) mod hydroelastic;
pub(crate) mod motion;
pub(crate) mod pairs;
pub(crate) mod partners;
pub(crate) mod passing;
pub(crate) mod placed;
pub(crate) mod pressure_triangle;
pub(crate) mod quadrature;
pub(crate) mod resting;
pub(crate) mod travel;
