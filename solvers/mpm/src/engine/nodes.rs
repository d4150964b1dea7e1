use rayon::prelude::*;
use signorini_core::largest;
use signorini_core::na::Vector3;

use crate::contacts::Nodes;
use crate::freedom::Freedom;
use crate::obstacle::Wall;

use super::blocks::{Blocks, NONE, overlap};
use super::chunk::{SIDE, TILE, wide};
use super::lanes::{Number, num};
use super::rows::CHANNELS;
use super::transfer::TILE_SIZE;

/// Nodes of a block.
pub(super) const BLOCK: usize = SIDE * SIDE * SIDE;

/// The nodes of all blocks: mass \[kg\] and velocity \[m/s\] of each, and the directions that walls leave it.
#[derive(Clone, Default)]
pub(super) struct BlockNodes<T> {
    pub values: Vec<[T; CHANNELS]>,
    /// Mass and velocity of each at the start, where differences between particles and field are kept.
    pub start: Vec<[T; CHANNELS]>,
    /// Velocity of each after contact, where there was some in the last solve \[m/s\]: a guess for the next.
    pub ended: Vec<Option<Vector3<f64>>>,
    /// Largest velocity of the nodes of each block without contact, and after it \[m/s\].
    pub fastest: Vec<f64>,
    pub fastest_ended: Vec<f64>,
    /// Blocks with a node that has a velocity after contact.
    pub touched: Vec<bool>,
    /// First node of each block, by numbers along the axes.
    corners: Vec<[i32; 3]>,
    /// Starts of the directions of the nodes of a block, if a wall holds one of them.
    walled: Vec<u32>,
    free: Vec<Freedom>,
}

/// Number of a node in its block.
fn local(place: [usize; 3]) -> usize {
    (place[0] * SIDE + place[1]) * SIDE + place[2]
}

/// Rows along the last axis that a block and the tile of the block `n` beside it share: first node, first node in the tile, how many.
fn shared(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let [x, y, z] = [n / 9, n / 3 % 3, n % 3].map(overlap);
    (0..x.2).flat_map(move |i| {
        (0..y.2).map(move |j| {
            let tile = ((x.1 + i) * TILE + y.1 + j) * TILE + z.1;
            (local([x.0 + i, y.0 + j, z.0]), tile, z.2)
        })
    })
}

/// Adds the first nodes of a list to those of another.
#[inline(always)]
fn add<T: Number, const COUNT: usize>(to: &mut [[T; CHANNELS]], from: &[[T; CHANNELS]]) {
    let (to, from) = (&mut to[..COUNT], &from[..COUNT]);
    for n in 0..COUNT {
        for c in 0..CHANNELS {
            to[n][c] += from[n][c];
        }
    }
}

/// Copies the first nodes of a list: as many as the compiler is told, which is faster than a call.
#[inline(always)]
fn copy<T: Number, const COUNT: usize>(to: &mut [[T; CHANNELS]], from: &[[T; CHANNELS]]) {
    to[..COUNT].copy_from_slice(&from[..COUNT]);
}

/// Sums up the tiles that the nodes of a block have a part in.
#[inline(always)]
fn add_tiles<T: Number>(nodes: &mut [[T; CHANNELS]], blocks: &Blocks, block: usize, tiles: &[T]) {
    nodes.fill([T::zero(); CHANNELS]);
    for (n, other) in blocks.neighbours[block].iter().enumerate() {
        if (*other as usize) < blocks.owners() {
            let tile = &tiles[*other as usize * TILE_SIZE..][..TILE_SIZE];
            let tile = tile.as_chunks::<CHANNELS>().0;
            for (node, at, count) in shared(n) {
                match count {
                    4 => add::<T, 4>(&mut nodes[node..], &tile[at..]),
                    3 => add::<T, 3>(&mut nodes[node..], &tile[at..]),
                    _ => add::<T, 1>(&mut nodes[node..], &tile[at..]),
                }
            }
        }
    }
}

/// The tile of a block, of the values of all nodes.
pub(super) fn tile<T: Number>(
    values: &[[T; CHANNELS]],
    blocks: &Blocks,
    block: usize,
    tile: &mut [T; TILE_SIZE],
) {
    let tile = tile.as_chunks_mut::<CHANNELS>().0;
    for (n, other) in blocks.neighbours[block].iter().enumerate() {
        // Seen from the other block, this one is on the opposite side.
        let nodes = &values[*other as usize * BLOCK..][..BLOCK];
        for (node, at, count) in shared(26 - n) {
            match count {
                4 => copy::<T, 4>(&mut tile[at..], &nodes[node..]),
                3 => copy::<T, 3>(&mut tile[at..], &nodes[node..]),
                _ => copy::<T, 1>(&mut tile[at..], &nodes[node..]),
            }
        }
    }
}

impl<T: Number> BlockNodes<T> {
    /// Makes room for the blocks, with velocities at the start if it `keeps` some, and finds the nodes that walls hold.
    pub(super) fn fit(&mut self, blocks: &Blocks, spacing: f64, walls: &[Wall], keeps: bool) {
        let count = BLOCK * blocks.corners.len();
        for (list, count) in [(&mut self.values, count), (&mut self.start, if keeps { count } else { 0 })] {
            list.clear();
            list.resize(count, [T::zero(); CHANNELS]);
        }
        self.ended.clear();
        self.ended.resize(self.values.len(), None);
        for list in [&mut self.fastest, &mut self.fastest_ended] {
            list.clear();
            list.resize(blocks.corners.len(), 0.0);
        }
        self.touched.clear();
        self.touched.resize(blocks.corners.len(), false);
        self.corners.clone_from(&blocks.corners);
        self.walled.clear();
        self.free.clear();
        for corner in &blocks.corners {
            let node = |n: usize| {
                let step = [n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE];
                Vector3::from_fn(|a, _| spacing * f64::from(corner[a] + step[a] as i32))
            };
            // A plane holds a node of the block only if it holds one of its corners.
            let ends = |n: usize| {
                (SIDE - 1) * (n & 1) + (SIDE - 1) * SIDE * (n >> 1 & 1) + (SIDE - 1) * SIDE * SIDE * (n >> 2)
            };
            let held = (0..8).any(|n| walls.iter().any(|w| w.holds(&node(ends(n)), spacing)));
            self.walled.push(if held { self.free.len() as u32 } else { NONE });
            if held {
                self.free.extend((0..BLOCK).map(|n| Freedom::at(&node(n), spacing, walls)));
            }
        }
    }

    /// Sums up the tiles of blocks, and turns momenta \[N·s\] into velocities with the change by gravity, between walls.
    ///
    /// ```text
    /// v* = p/m + δt g
    /// ```
    pub(super) fn sum(&mut self, blocks: &Blocks, tiles: &[T], start_tiles: &[T], fall: &Vector3<f64>) {
        let Self { values, start, fastest, walled, free, .. } = self;
        start.par_chunks_mut(BLOCK).enumerate().for_each(|(b, nodes)| {
            add_tiles(nodes, blocks, b, start_tiles);
            for node in nodes {
                let [m, px, py, pz] = *node;
                let moves = m > T::zero();
                *node = if moves { [m, px / m, py / m, pz / m] } else { [T::zero(); CHANNELS] };
            }
        });
        let fall = [0, 1, 2].map(|a| num::<T>(fall[a]));
        values.par_chunks_mut(BLOCK).zip(fastest).enumerate().for_each(|(b, (nodes, fastest))| {
            add_tiles(nodes, blocks, b, tiles);
            for node in nodes.iter_mut() {
                let [m, px, py, pz] = *node;
                // A node at the very edge of a particle's reach has no weight, and no mass.
                if m > T::zero() {
                    *node = [m, px / m + fall[0], py / m + fall[1], pz / m + fall[2]];
                } else {
                    *node = [T::zero(); CHANNELS];
                }
            }
            if walled[b] != NONE {
                for (node, free) in nodes.iter_mut().zip(&free[walled[b] as usize..]) {
                    if free.count < 3 {
                        let v = free.allowed(&Vector3::new(wide(node[1]), wide(node[2]), wide(node[3])));
                        (0..3).for_each(|a| node[1 + a] = num(v[a]));
                    }
                }
            }
            let squares = nodes.iter().map(|[_, x, y, z]| *x * *x + *y * *y + *z * *z);
            *fastest = wide(squares.fold(T::zero(), |a, b| if b > a { b } else { a })).sqrt();
        });
    }

    /// Takes velocities after contact \[m/s\] that are handed over node by node; others have none.
    pub(super) fn set_ended(&mut self, hand: impl FnOnce(&mut dyn FnMut(usize, Vector3<f64>))) {
        self.clear_ended();
        let Self { values, ended, fastest, fastest_ended, touched, .. } = self;
        hand(&mut |n, v| (ended[n], touched[n / BLOCK]) = (Some(v), true));
        for (b, out) in fastest_ended.iter_mut().enumerate() {
            let speed = |n: usize| match ended[n] {
                Some(v) => v.norm(),
                None => Vector3::from_fn(|a, _| wide(values[n][1 + a])).norm(),
            };
            *out = if touched[b] { largest((BLOCK * b..BLOCK * (b + 1)).map(speed)) } else { fastest[b] };
        }
    }

    /// Velocity of a node after contact, where there was some in the last solve, without it elsewhere \[m/s\].
    pub(super) fn velocity_now(&self, node: usize) -> Vector3<f64> {
        self.ended[node].unwrap_or_else(|| self.free_velocity(node))
    }

    /// Forgets velocities after contact.
    pub(super) fn clear_ended(&mut self) {
        for (nodes, touched) in self.ended.chunks_mut(BLOCK).zip(&mut self.touched) {
            if std::mem::take(touched) {
                nodes.fill(None);
            }
        }
    }

    /// Takes over velocities after contact that were kept.
    pub(super) fn restore_ended(&mut self, kept: &[Option<Vector3<f64>>]) {
        self.ended.clone_from_slice(kept);
        let any = |nodes: &[Option<Vector3<f64>>]| nodes.iter().any(Option::is_some);
        self.touched.iter_mut().zip(kept.chunks(BLOCK)).for_each(|(t, nodes)| *t = any(nodes));
    }

    /// Numbers of the 27 nodes from `low` on, counted from the first of the tile of a block, the last axis first.
    pub(super) fn numbers(blocks: &Blocks, block: usize, low: [usize; 3]) -> [u32; 27] {
        let neighbours = &blocks.neighbours[block];
        let mut out = [0; 27];
        for (n, number) in out.iter_mut().enumerate() {
            let k = [n / 9, n / 3 % 3, n % 3];
            let (mut beside, mut at) = (0, 0);
            for a in 0..3 {
                // From the first node of the block before.
                let from = low[a] + k[a] + SIDE - 1;
                beside = 3 * beside + from / SIDE;
                at = SIDE * at + from % SIDE;
            }
            *number = neighbours[beside] * BLOCK as u32 + at as u32;
        }
        out
    }
}

impl<T: Number> Nodes for BlockNodes<T> {
    fn count(&self) -> usize {
        self.values.len()
    }
    fn mass(&self, node: usize) -> f64 {
        wide(self.values[node][0])
    }
    fn freedom(&self, node: usize) -> Freedom {
        match self.walled[node / BLOCK] {
            NONE => Freedom::WHOLE,
            start => self.free[start as usize + node % BLOCK],
        }
    }
    fn free_velocity(&self, node: usize) -> Vector3<f64> {
        let [_, x, y, z] = self.values[node];
        Vector3::new(wide(x), wide(y), wide(z))
    }
    fn place(&self, node: usize) -> [i32; 3] {
        let (corner, n) = (&self.corners[node / BLOCK], node % BLOCK);
        let step = [n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE];
        [0, 1, 2].map(|a| corner[a] + step[a] as i32)
    }
}
