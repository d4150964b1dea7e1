//! System identification: parameters of a contact found from recorded motion.

mod recordings;
mod sliding_box;

use signorini_report::Page;

/// The pages in order.
pub fn pages() -> Vec<&'static dyn Page> {
    vec![&sliding_box::SlidingBox]
}
