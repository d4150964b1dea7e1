//! States of an engine that are kept.

use signorini_core::na::Vector3;
use signorini_core::{ProblemError, check_count};

use super::blocks::Blocks;
use super::chunk::Chunk;
use super::{Ahead, MpmEngine, Order, Real};

/// The state of an engine at some time; see [`MpmEngine::keep`].
#[derive(Clone, Default)]
pub struct Kept<T> {
    chunks: Vec<Chunk<T>>,
    blocks: Blocks,
    /// Time, fastest particle, stretch.
    state: [f64; 3],
    order: Order,
    ahead: Ahead,
    /// If they are ready.
    tiles: Vec<T>,
    starts: Vec<T>,
    broken: Option<ProblemError>,
    /// Number of particles of the engine, spacing of the grid \[m\].
    particles: usize,
    spacing: f64,
    ended: Vec<Option<Vector3<f64>>>,
}

impl<T: Real> MpmEngine<T> {
    /// Keeps the state, to come back to it with [`MpmEngine::restore`].
    pub fn keep(&self, kept: &mut Kept<T>) {
        kept.chunks.clone_from(&self.own.chunks);
        kept.blocks.clone_from(&self.blocks);
        (kept.state, kept.order, kept.ahead) =
            ([self.time, self.fastest, self.stretch], self.order, self.ahead);
        kept.tiles.clear();
        kept.starts.clear();
        if self.ahead.ready.is_some() {
            kept.tiles.extend_from_slice(&self.own.tiles);
            kept.starts.extend_from_slice(&self.own.starts);
        }
        kept.broken.clone_from(&self.broken);
        (kept.particles, kept.spacing) = (self.particles.len(), self.options.spacing);
        kept.ended.clone_from(&self.nodes.ended);
    }

    /// Goes back to a state that this engine kept, and on from there as it did before, to the last bit.
    ///
    /// # Errors
    /// A state that was not kept, or that of another number of particles or another grid.
    pub fn restore(&mut self, kept: &Kept<T>) -> Result<(), ProblemError> {
        check_count("particles of a kept state", self.particles.len(), kept.particles)?;
        if kept.spacing != self.options.spacing {
            return Err(ProblemError::Unsupported(format!(
                "the kept state is one on a grid of {} m, this engine has {} m; restore what it kept itself",
                kept.spacing, self.options.spacing
            )));
        }
        self.settle(kept.blocks.clone(), kept.chunks.clone());
        ([self.time, self.fastest, self.stretch], self.order, self.ahead) =
            (kept.state, kept.order, kept.ahead);
        self.own.tiles[..kept.tiles.len()].copy_from_slice(&kept.tiles);
        self.own.starts[..kept.starts.len()].copy_from_slice(&kept.starts);
        self.broken.clone_from(&kept.broken);
        self.nodes.restore_ended(&kept.ended);
        // Those were of a step that is no more.
        self.contacts.touches.clear();
        self.contacts.holds.clear();
        self.impulses.iter_mut().for_each(|i| *i = [Vector3::zeros(); 2]);
        Ok(())
    }
}
