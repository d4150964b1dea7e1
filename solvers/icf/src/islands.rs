use signorini_core::{BlockSink, Part};
use signorini_math::{BlockParts, BlockPattern};

use crate::newton::ProblemParts;

/// Blocks of an inertia as entries of a pattern.
struct Couples<'a>(&'a mut BlockPattern);

impl BlockSink for Couples<'_> {
    fn add(&mut self, row_block: usize, col_block: usize, _: &[f64]) {
        self.0.couple(&[col_block as u32, row_block as u32][..1 + usize::from(row_block != col_block)]);
    }
}

/// Connected components of the contact graph with their constraints.
#[derive(Debug, Default)]
pub(crate) struct Islands {
    pub(crate) parts: BlockParts,
    starts: Vec<usize>,
    constraints: Vec<u32>,
}

impl Islands {
    /// Fills the pattern of the Hessian of the constraints of `part`, over all blocks, and finds its connected components. An inertia that couples blocks makes one part of all.
    pub(crate) fn find(
        &mut self,
        m: &ProblemParts<'_>,
        part: Part<'_>,
        (separate, dense): (bool, bool),
        pattern: &mut BlockPattern,
    ) {
        pattern.reset(m.starts);
        if dense {
            pattern.couple(part.blocks);
        } else if !m.inertia.is_block_diagonal() {
            m.inertia.add_blocks(part, &mut Couples(pattern));
        }
        let mut last: &[u32] = &[];
        for &k in part.constraints {
            let blocks = m.map.blocks_of(k as usize);
            if blocks != last {
                pattern.couple(blocks);
            }
            last = blocks;
        }
        if !separate {
            pattern.couple_all_diagonals();
        }
        pattern.finish();
        if separate {
            self.parts.components(pattern);
        } else {
            self.parts.whole(pattern);
        }
        self.sort(m, part.constraints);
    }

    /// Blocks and constraints of island `i`.
    pub(crate) fn part(&self, i: usize) -> Part<'_> {
        Part {
            blocks: self.parts.blocks(i),
            constraints: &self.constraints[self.starts[i]..self.starts[i + 1]],
        }
    }

    /// Sorts constraints by island, keeping their order inside; a constraint that touches no block is in none.
    fn sort(&mut self, m: &ProblemParts<'_>, constraints: &[u32]) {
        let island =
            |k: u32| m.map.blocks_of(k as usize).first().and_then(|&b| self.parts.part_of(b as usize));
        let n = self.parts.len();
        self.starts.clear();
        self.starts.resize(n + 1, 0);
        let mut count = 0;
        for i in constraints.iter().copied().filter_map(island) {
            self.starts[i + 1] += 1;
            count += 1;
        }
        for i in 0..n {
            self.starts[i + 1] += self.starts[i];
        }
        self.constraints.clear();
        self.constraints.resize(count, 0);
        for &k in constraints {
            if let Some(i) = island(k) {
                self.constraints[self.starts[i]] = k;
                self.starts[i] += 1;
            }
        }
        // Each start has walked to the next one.
        self.starts.copy_within(0..n, 1);
        self.starts[0] = 0;
    }
}
