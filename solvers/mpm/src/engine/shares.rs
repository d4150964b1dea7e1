//! Shares of blocks among threads, without a list of them.

use std::ops::Range;

use super::blocks::Blocks;
use super::chunk::Chunk;
use super::lanes::Lane9;
use super::transfer::{Moved, TILE_SIZE};

/// Blocks of a share of the work.
const SHARE: usize = 4;

/// Arrays of particles and of blocks that hold particles.
#[derive(Default)]
pub(super) struct PerBlock<T> {
    pub chunks: Vec<Chunk<T>>,
    pub tiles: Vec<T>,
    /// Tiles of masses and momenta alone, where differences between particles and field are kept.
    pub starts: Vec<T>,
    /// Affine velocities of bare particles that the field does not have, of each chunk, where there are some.
    pub rest: Vec<Lane9<T>>,
    /// Results of the last step of each block.
    pub moved: Vec<Moved<T>>,
}

impl<T> PerBlock<T> {
    /// All of it.
    pub(super) fn share(&mut self, of: &Blocks) -> Share<'_, T> {
        let Self { chunks, tiles, starts, rest, moved } = self;
        Share { blocks: 0..of.owners(), chunks, tiles, starts, rest, moved }
    }
}

/// Some blocks that follow each other, and their parts of the arrays.
pub(super) struct Share<'a, T> {
    pub blocks: Range<usize>,
    pub chunks: &'a mut [Chunk<T>],
    pub tiles: &'a mut [T],
    pub starts: &'a mut [T],
    pub rest: &'a mut [Lane9<T>],
    pub moved: &'a mut [Moved<T>],
}

impl<T: Send> Share<'_, T> {
    /// The first blocks, and the others.
    fn split(self, count: usize, of: &Blocks) -> [Self; 2] {
        let Range { start, end } = self.blocks;
        let middle = start + count;
        let chunks = of.chunks[start..middle].iter().map(Range::len).sum();
        let (chunks, tiles) = (self.chunks.split_at_mut(chunks), self.tiles.split_at_mut(TILE_SIZE * count));
        let starts = self.starts.split_at_mut(tiles.0.len().min(self.starts.len()));
        let rest = self.rest.split_at_mut(chunks.0.len().min(self.rest.len()));
        let moved = self.moved.split_at_mut(count);
        [
            Self {
                blocks: start..middle,
                chunks: chunks.0,
                tiles: tiles.0,
                starts: starts.0,
                rest: rest.0,
                moved: moved.0,
            },
            Self {
                blocks: middle..end,
                chunks: chunks.1,
                tiles: tiles.1,
                starts: starts.1,
                rest: rest.1,
                moved: moved.1,
            },
        ]
    }

    /// Works on each block, some of them after each other with one room to work.
    pub(super) fn each<R>(
        self,
        of: &Blocks,
        room: &(impl Fn() -> R + Sync),
        work: &(impl Fn(&mut R, Self) + Sync),
    ) {
        let count = self.blocks.len();
        if count <= SHARE {
            let (mut room, mut rest) = (room(), self);
            while !rest.blocks.is_empty() {
                let [first, more] = rest.split(1, of);
                work(&mut room, first);
                rest = more;
            }
            return;
        }
        let [left, right] = self.split(count / 2, of);
        rayon::join(|| left.each(of, room, work), || right.each(of, room, work));
    }
}
