//! Contact over areas: pressure fields on tetrahedra, and the surfaces between bodies that have them.
//!
//! A compliant body has a [`PressureField`], a rigid one a [`RigidSurface`]; a [`FieldCache`] makes each once. [`ContactSurface::find`] gives the surface between two bodies as polygons, each of which is a contact with a
//! force and a stiffness of its own. The derivations are on the page of kurtz2025cenic.

mod cache;
mod cells;
mod clip;
mod crossing;
mod cuboid;
mod cylinder;
mod error;
mod fan;
mod field;
mod lattice;
mod loaded;
mod near_elements;
mod polygon;
mod rigid;
mod slices;
mod solid;
mod surface;
mod walls;

pub use cache::FieldCache;
pub use cells::MOST_TETRAHEDRA;
pub use error::PressureError;
pub use field::PressureField;
pub(crate) use near_elements::NearElements;
pub use polygon::{ContactPolygon, ContactSurface};
pub use rigid::RigidSurface;
pub use surface::{Folds, Side, SurfaceOptions};
