/// Pattern of a symmetric block matrix: blocks that are there, and those that hang together.
///
/// Filled anew before each factorisation and compared with the last; keeps its storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPattern {
    starts: Vec<usize>,
    // Column in the high half, row ≥ column in the low half.
    keys: Vec<u64>,
}

impl BlockPattern {
    /// Starts over with unknown blocks that begin at `block_starts` (blocks + 1 entries) and no block of the matrix.
    pub fn reset(&mut self, block_starts: &[usize]) {
        self.starts.clear();
        self.starts.extend_from_slice(block_starts);
        self.keys.clear();
    }

    /// Couples `blocks` (ascending) with each other and with themselves.
    pub fn couple(&mut self, blocks: &[u32]) {
        for (i, &col) in blocks.iter().enumerate() {
            self.keys.extend(blocks[i..].iter().map(|&row| u64::from(col) << 32 | u64::from(row)));
        }
    }

    /// Takes over another pattern, keeping storage.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.starts.clone_from(&other.starts);
        self.keys.clone_from(&other.keys);
    }

    /// Adds all diagonal blocks.
    pub fn couple_all_diagonals(&mut self) {
        self.keys.extend((0..self.block_count() as u64).map(|b| b << 32 | b));
    }

    /// Sorts; to be called after the last [`BlockPattern::couple`].
    pub fn finish(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup();
    }

    /// Number of unknown blocks.
    pub fn block_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// First unknown of each block, and the number of unknowns as the last entry.
    pub fn block_starts(&self) -> &[usize] {
        &self.starts
    }

    /// Blocks of the lower triangle as (row, column), by column, then row.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = (usize, usize)> + '_ {
        self.keys.iter().map(|&k| ((k & u64::from(u32::MAX)) as usize, (k >> 32) as usize))
    }
}

/// Groups of unknown blocks that share no block of the matrix, so that each can be factored on its own.
///
/// Blocks that a pattern does not mention are in no part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockParts {
    starts: Vec<usize>,
    blocks: Vec<u32>,
    part_of: Vec<u32>,
}

/// Marks a block that is in no part.
pub(crate) const NOWHERE: u32 = u32::MAX;

impl BlockParts {
    /// Everything that a pattern mentions as one part.
    pub fn whole(&mut self, pattern: &BlockPattern) {
        self.clear(pattern);
        for (row, col) in pattern.blocks() {
            self.part_of[row] = 0;
            self.part_of[col] = 0;
        }
        self.collect(usize::from(!pattern.keys.is_empty()));
    }

    /// The connected components of a pattern, in the order of their first blocks.
    pub fn components(&mut self, pattern: &BlockPattern) {
        self.clear(pattern);
        // Union–find in which the smallest block of a set is its root.
        for (row, col) in pattern.blocks() {
            for b in [row, col] {
                if self.part_of[b] == NOWHERE {
                    self.part_of[b] = b as u32;
                }
            }
            let (r, c) = (self.root(row), self.root(col));
            self.part_of[r.max(c)] = r.min(c) as u32;
        }
        let mut parts = 0;
        for b in 0..self.part_of.len() {
            let parent = self.part_of[b];
            if parent == NOWHERE {
                continue;
            }
            // Parents precede their children and are numbered already.
            if parent as usize == b {
                self.part_of[b] = parts;
                parts += 1;
            } else {
                self.part_of[b] = self.part_of[parent as usize];
            }
        }
        self.collect(parts as usize);
    }

    /// Number of parts.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// True without parts.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Blocks of part `p`, ascending.
    pub fn blocks(&self, p: usize) -> &[u32] {
        &self.blocks[self.starts[p]..self.starts[p + 1]]
    }

    /// The part that block `b` is in.
    pub fn part_of(&self, b: usize) -> Option<usize> {
        let p = self.part_of[b];
        (p != NOWHERE).then_some(p as usize)
    }

    /// Takes over other parts, keeping storage.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.starts.clone_from(&other.starts);
        self.blocks.clone_from(&other.blocks);
        self.part_of.clone_from(&other.part_of);
    }

    fn clear(&mut self, pattern: &BlockPattern) {
        self.part_of.clear();
        self.part_of.resize(pattern.block_count(), NOWHERE);
    }

    fn root(&mut self, mut b: usize) -> usize {
        while self.part_of[b] as usize != b {
            let above = self.part_of[self.part_of[b] as usize];
            self.part_of[b] = above;
            b = above as usize;
        }
        b
    }

    /// Sorts blocks by part, keeping their order inside.
    fn collect(&mut self, parts: usize) {
        self.starts.clear();
        self.starts.resize(parts + 1, 0);
        let mentioned = self.part_of.iter().filter(|&&p| p != NOWHERE);
        let count = mentioned.clone().count();
        for &p in mentioned {
            self.starts[p as usize + 1] += 1;
        }
        for p in 0..parts {
            self.starts[p + 1] += self.starts[p];
        }
        self.blocks.clear();
        self.blocks.resize(count, 0);
        // `starts[p]` walks to the end of part p, which is the start of the next: shifted back below.
        for (b, &p) in self.part_of.iter().enumerate() {
            if p != NOWHERE {
                self.blocks[self.starts[p as usize]] = b as u32;
                self.starts[p as usize] += 1;
            }
        }
        self.starts.copy_within(0..parts, 1);
        self.starts[0] = 0;
    }
}
