//! System identification: parameters of a contact found from recorded motion.

mod recordings;
mod sliding_box;

use crate::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&sliding_box::SlidingBox]
}
