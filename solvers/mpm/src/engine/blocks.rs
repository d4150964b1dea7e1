use std::collections::HashMap;
use std::ops::Range;

use super::chunk::SIDE;
use super::lanes::LANES;

/// No block.
pub(super) const NONE: u32 = u32::MAX;

/// The blocks of 4³ nodes that particles reach: first those that hold particles, in the order of their places, then those beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// First node of each, by numbers along the axes.
    pub corners: Vec<[i32; 3]>,
    /// Chunks of each block that holds particles.
    pub chunks: Vec<Range<usize>>,
    /// Blocks beside each, itself in the middle, the last axis fastest.
    pub neighbours: Vec<[u32; 27]>,
}

/// Block of a node.
fn block(node: [i32; 3]) -> [i32; 3] {
    node.map(|n| n.div_euclid(SIDE as i32))
}

/// Number of a cell within its block, the last axis fastest.
fn cell(node: [i32; 3]) -> usize {
    node.iter().fold(0, |sum, n| SIDE * sum + n.rem_euclid(SIDE as i32) as usize)
}

impl Blocks {
    /// Arranges particles, told by their lowest nodes, by block and cell; the slot of each, counted in lanes of chunks. Particles of one cell keep their order.
    pub(super) fn arrange(lowest: &[[i32; 3]]) -> (Self, Vec<u32>) {
        let mut found: HashMap<[i32; 3], u32> = HashMap::new();
        let mut keys: Vec<[i32; 3]> = Vec::new();
        let mut last = ([i32::MIN; 3], 0);
        let mut of: Vec<u32> = Vec::with_capacity(lowest.len());
        for node in lowest {
            let key = block(*node);
            if key != last.0 || keys.is_empty() {
                let next = keys.len() as u32;
                let number = *found.entry(key).or_insert(next);
                if number == next {
                    keys.push(key);
                }
                last = (key, number);
            }
            of.push(last.1);
        }
        // Numbers in the order of places: independent of the order of arrival.
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|b| keys[*b as usize]);
        let cells = SIDE * SIDE * SIDE;
        let mut counts = vec![0u32; keys.len() * cells];
        for (b, node) in of.iter().zip(lowest) {
            counts[*b as usize * cells + cell(*node)] += 1;
        }
        let mut out = Self::default();
        let mut chunk = 0;
        for b in &order {
            let mut slot = (chunk * LANES) as u32;
            for count in &mut counts[*b as usize * cells..][..cells] {
                let here = *count;
                *count = slot;
                slot += here;
            }
            let end = (slot as usize).div_ceil(LANES);
            out.chunks.push(chunk..end);
            out.corners.push(keys[*b as usize].map(|k| k * SIDE as i32));
            chunk = end;
        }
        let slots = of.iter().zip(lowest).map(|(b, node)| {
            let next = &mut counts[*b as usize * cells + cell(*node)];
            *next += 1;
            *next - 1
        });
        let slots = slots.collect();
        out.surround();
        (out, slots)
    }

    /// Adds the blocks beside those with particles, and finds the neighbours of all.
    fn surround(&mut self) {
        let beside = |corner: &[i32; 3], n: usize| -> [i32; 3] {
            let step = [n / 9, n / 3 % 3, n % 3];
            std::array::from_fn(|a| corner[a] + (step[a] as i32 - 1) * SIDE as i32)
        };
        let mut numbers: HashMap<[i32; 3], u32> = HashMap::new();
        for (b, corner) in self.corners.iter().enumerate() {
            numbers.insert(*corner, b as u32);
        }
        for b in 0..self.chunks.len() {
            for n in 0..27 {
                let corner = beside(&self.corners[b], n);
                let next = self.corners.len() as u32;
                if *numbers.entry(corner).or_insert(next) == next {
                    self.corners.push(corner);
                }
            }
        }
        let of = |corner: &[i32; 3]| {
            std::array::from_fn(|n| numbers.get(&beside(corner, n)).copied().unwrap_or(NONE))
        };
        self.neighbours = self.corners.iter().map(of).collect();
    }

    /// Number of blocks that hold particles.
    pub(super) fn owners(&self) -> usize {
        self.chunks.len()
    }
}

/// Overlap along an axis of a block with the tile of the block `step` blocks on: first node, first place in the tile, how many.
pub(super) const fn overlap(step: usize) -> (usize, usize, usize) {
    match step {
        0 => (0, 5, 3),
        1 => (0, 1, 4),
        _ => (3, 0, 1),
    }
}
