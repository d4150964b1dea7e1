//! Particles in chunks as contact sees them within a step.

use signorini_core::na::Vector3;

use crate::contacts::{Nodes, sum_of};
use crate::mover::{Field, Matter, Motion, Reached};
use crate::spline::Weights;

use super::blocks::Blocks;
use super::chunk::{Chunk, wide};
use super::cloth::{ClothRun, Place};
use super::lanes::Number;
use super::nodes::BlockNodes;

/// All particles, and the nodes about them.
pub(super) struct Placed<'a, T> {
    pub blocks: &'a Blocks,
    pub chunks: &'a [Chunk<T>],
    pub nodes: &'a BlockNodes<T>,
    pub cloth: &'a ClothRun<T>,
    /// \[m\].
    pub spacing: f64,
    /// A particle whose place is known, for without cloth and pins those of others are not.
    pub here: Option<(usize, Place)>,
    /// Whether contact was solved: velocities after it are those without it else.
    pub solved: bool,
}

impl<'a, T> Placed<'a, T> {
    /// Before contact is solved.
    pub(super) fn new(
        (blocks, chunks): (&'a Blocks, &'a [Chunk<T>]),
        nodes: &'a BlockNodes<T>,
        cloth: &'a ClothRun<T>,
        spacing: f64,
    ) -> Self {
        Self { blocks, chunks, nodes, cloth, spacing, here: None, solved: false }
    }
}

impl<T> Clone for Placed<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Placed<'_, T> {}

impl<T: Number> Placed<'_, T> {
    fn at(&self, particle: usize) -> (usize, &Chunk<T>, usize) {
        let place = match self.here {
            Some((p, place)) if p == particle => place,
            _ => self.cloth.places[particle],
        };
        (place.block as usize, &self.chunks[place.chunk as usize], place.lane as usize)
    }

    /// The nodes that a particle reaches, in the order of its weights.
    fn nodes(&self, particle: usize) -> Reached {
        let (block, chunk, l) = self.at(particle);
        let low = [0, 1, 2].map(|a| chunk.cell[a][l] as usize);
        let w = [0, 1, 2].map(|a| Weights::along(wide(chunk.f[a][l])));
        let number = BlockNodes::<T>::numbers(self.blocks, block, low);
        std::array::from_fn(|n| {
            let k = [n / 9, n / 3 % 3, n % 3];
            (number[n], w[0][k[0]] * w[1][k[1]] * w[2][k[2]])
        })
    }

    fn moves(&self, particle: usize, reached: &Reached) -> Motion {
        let (block, chunk, l) = self.at(particle);
        let free = sum_of(reached, |n| self.nodes.free_velocity(n));
        Motion {
            x: chunk.position(l, &self.blocks.corners[block], self.spacing),
            v: chunk.velocity(l),
            free,
            now: if self.solved { sum_of(reached, |n| self.nodes.velocity_now(n)) } else { free },
        }
    }

    /// A vertex of cloth before contact is solved.
    pub(super) fn vertex(&self, particle: usize) -> (Motion, Reached) {
        let mut reached = self.nodes(particle);
        reached.sort_unstable_by_key(|n| n.0);
        (self.moves(particle, &reached), reached)
    }
}

impl<T: Number> Field for Placed<'_, T> {
    fn place(&self, particle: usize) -> Vector3<f64> {
        self.cloth.x[particle]
    }
    fn matter(&self, particle: usize) -> Matter {
        let (_, chunk, l) = self.at(particle);
        let (mass, volume) = (wide(chunk.mass[l]), wide(chunk.volume[l]));
        Matter { mass, volume, material: chunk.material_number(l) }
    }
    fn motion(&self, particle: usize) -> Motion {
        match self.cloth.vertices.get(particle) {
            Some((motion, _)) => *motion,
            None => self.moves(particle, &self.nodes(particle)),
        }
    }
    fn reached(&self, particle: usize) -> Reached {
        self.cloth.vertices.get(particle).map_or_else(|| self.vertex(particle).1, |v| v.1)
    }
}
