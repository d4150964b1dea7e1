use signorini_core::na::{Matrix3, Vector3};

use crate::cloth::Cloth;

use super::blocks::Blocks;
use super::chunk::{Chunk, Load, NOBODY};
use super::lanes::{LANES, Lane9, Number, num};
use super::vertices::Vertices;

/// Place of a particle in the chunks.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub block: u32,
    pub chunk: u32,
    pub lane: u8,
}

/// Cloth whose particles are in chunks: it is worked out in the order of particles, in f64.
#[derive(Default)]
pub(super) struct ClothRun<T> {
    pub cloth: Vec<Cloth>,
    /// Whether places are found without cloth too.
    pub seeks: bool,
    pub vertices: Vertices,
    /// Place of each particle.
    pub places: Vec<Place>,
    /// Places of the particles of cloth at the start of the step \[m\].
    pub x: Vec<Vector3<f64>>,
    c: Vec<Matrix3<f64>>,
    f: Vec<Matrix3<f64>>,
    stress: Vec<Matrix3<f64>>,
    force: Vec<Vector3<f64>>,
    /// Loads of cloth on the particles of each chunk; none without cloth.
    pub loads: Vec<Load<T>>,
}

impl<T: Number> ClothRun<T> {
    /// Finds the particles after they were sorted.
    pub(super) fn find(&mut self, chunks: &[Chunk<T>], blocks: &Blocks, count: usize) {
        if self.cloth.is_empty() && !self.seeks {
            return;
        }
        self.places.resize(count, Place::default());
        for (b, range) in blocks.chunks.iter().enumerate() {
            for c in range.clone() {
                for l in (0..LANES).filter(|l| chunks[c].id[*l] != NOBODY) {
                    self.places[chunks[c].id[l] as usize] =
                        Place { block: b as u32, chunk: c as u32, lane: l as u8 };
                }
            }
        }
        if self.cloth.is_empty() {
            return;
        }
        self.x.resize(count, Vector3::zeros());
        self.force.resize(count, Vector3::zeros());
        for list in [&mut self.c, &mut self.f, &mut self.stress] {
            list.resize(count, Matrix3::zeros());
        }
        self.loads.clear();
        self.loads.resize(chunks.len(), Load::none());
    }

    /// Works out forces and stresses before particles are gathered.
    pub(super) fn load(&mut self, chunks: &[Chunk<T>], blocks: &Blocks, spacing: f64) {
        for cloth in &self.cloth {
            for p in cloth.particles() {
                let Place { block, chunk, lane } = self.places[p];
                let (chunk, l) = (&chunks[chunk as usize], lane as usize);
                self.x[p] = chunk.position(l, &blocks.corners[block as usize], spacing);
                self.f[p] = Chunk::matrix(&chunk.e, l);
                self.force[p] = Vector3::zeros();
            }
            cloth.forces(&self.x, &self.f, &mut self.stress, &mut self.force);
            for p in cloth.particles() {
                let Place { chunk, lane, .. } = self.places[p];
                let (load, l) = (&mut self.loads[chunk as usize], lane as usize);
                (0..3).for_each(|a| load.force[a][l] = num(self.force[p][a]));
                (0..9).for_each(|i| load.stress[i][l] = num(self.stress[p][i]));
            }
        }
    }

    /// Takes gradients and centres along after a step of `dt` \[s\], of which strain rates keep a part, with the `rest` of affine velocities that the field does not have (none, or one for each chunk); whether one of them left the reach of its block.
    pub(super) fn follow(
        &mut self,
        chunks: &mut [Chunk<T>],
        blocks: &Blocks,
        spacing: f64,
        dt: f64,
        faded: f64,
        rest: &[Lane9<T>],
    ) -> bool {
        let mut left = false;
        for cloth in &self.cloth {
            for p in cloth.particles() {
                let Place { block, chunk, lane } = self.places[p];
                let (chunk, l) = (&chunks[chunk as usize], lane as usize);
                self.x[p] = chunk.position(l, &blocks.corners[block as usize], spacing);
                self.f[p] = Chunk::matrix(&chunk.e, l);
                self.c[p] = Chunk::matrix(&chunk.c, l);
            }
            cloth.follow(dt, &self.c, &mut self.x, &mut self.f);
            for p in cloth.particles() {
                let Place { chunk, lane, .. } = self.places[p];
                let (number, l) = (chunk as usize, lane as usize);
                let c = self.c[p] + rest.get(number).map_or_else(Matrix3::zeros, |r| Chunk::matrix(r, l));
                let chunk = &mut chunks[number];
                let kept = 0.5 * (c - c.transpose()) + 0.5 * faded * (c + c.transpose());
                (0..9).for_each(|i| chunk.c[i][l] = num(kept[i]));
            }
            for p in cloth.centres() {
                let Place { block, chunk, lane } = self.places[p];
                let (chunk, l) = (&mut chunks[chunk as usize], lane as usize);
                (0..9).for_each(|i| chunk.e[i][l] = num(self.f[p][i]));
                chunk.put(l, &blocks.corners[block as usize], &(self.x[p] / spacing));
                left |= !chunk.within();
            }
        }
        left
    }
}
