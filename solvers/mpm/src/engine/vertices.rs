//! Vertices of cloth on the grid within a step.

use rayon::prelude::*;
use signorini_core::na::Vector3;

use crate::cloth::Cloth;
use crate::contacts::sum_of;
use crate::mover::{Motion, Reached};

/// Fewest vertices of a share of the work.
const SHARE: usize = 128;

/// Vertices of cloth in a step, found once: up to six triangles, and each obstacle near them, ask for one.
#[derive(Default)]
pub(super) struct Vertices {
    /// First particle of each cloth, number of its vertices, and the first of them in the list.
    firsts: Vec<[usize; 3]>,
    list: Vec<(Motion, Reached)>,
}

impl Vertices {
    /// Takes the vertices of all cloth where they are; `find` works out one, and is not asked where none is.
    pub(super) fn fit(&mut self, cloth: &[Cloth], find: impl Fn(usize) -> (Motion, Reached) + Sync) {
        self.firsts.clear();
        self.list.clear();
        for c in cloth {
            let vertices = c.vertices();
            self.firsts.push([vertices.start, vertices.len(), self.list.len()]);
            self.list.par_extend(vertices.into_par_iter().with_min_len(SHARE).map(&find));
        }
    }

    /// Takes other velocities of nodes after contact \[m/s\].
    pub(super) fn set_now(&mut self, now: impl Fn(usize) -> Vector3<f64> + Sync) {
        self.list
            .par_iter_mut()
            .with_min_len(SHARE)
            .for_each(|(motion, reached)| motion.now = sum_of(reached, &now));
    }

    /// A particle, if it is a vertex.
    pub(super) fn get(&self, particle: usize) -> Option<&(Motion, Reached)> {
        self.firsts.iter().find_map(|[first, count, at]| {
            let i = particle.checked_sub(*first).filter(|i| i < count)?;
            self.list.get(at + i)
        })
    }
}
