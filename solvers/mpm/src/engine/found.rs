//! Contacts that are found within a step.

use crate::contacts::Touches;
use crate::corner_search::Batches;
use crate::mover::Found;

/// Contacts that a search found, kept from search to search.
#[derive(Default)]
pub(super) struct AllFound {
    /// Those of the particles of each block.
    pub blocks: Vec<Found>,
    /// Those of corners and edges with cloth.
    pub corners: Batches,
}

impl AllFound {
    fn parts(&mut self) -> impl Iterator<Item = &mut Touches> {
        self.blocks.iter_mut().chain(self.corners.found()).map(|f| &mut f.touches)
    }

    pub(super) fn clear(&mut self) {
        self.parts().for_each(Touches::clear);
    }

    pub(super) fn is_some(&mut self) -> bool {
        self.parts().any(|t| !t.list.is_empty())
    }

    /// Moves all behind others, in the order of blocks.
    pub(super) fn append_to(&mut self, touches: &mut Touches) {
        self.parts().for_each(|more| touches.append(more));
    }
}
