use signorini_core::{ContactMap, Part};

/// Connected components of blocks under constraints; lists reused between solves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    parent: Vec<u32>,
    island_of: Vec<u32>,
    block_start: Vec<u32>,
    constraint_start: Vec<u32>,
    blocks: Vec<u32>,
    constraints: Vec<u32>,
}

impl Islands {
    /// One part with everything.
    pub(crate) fn whole(&mut self, block_count: usize, constraint_count: usize) {
        self.blocks.clear();
        self.blocks.extend(0..block_count as u32);
        self.constraints.clear();
        self.constraints.extend(0..constraint_count as u32);
        self.block_start.clear();
        self.block_start.extend([0, block_count as u32]);
        self.constraint_start.clear();
        self.constraint_start.extend([0, constraint_count as u32]);
    }

    fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let up = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = up;
            i = up;
        }
        i
    }

    /// Splits into connected components, ordered by their first block. Blocks that no constraint touches are islands of their own.
    pub(crate) fn split(&mut self, map: &dyn ContactMap, block_count: usize, constraint_count: usize) {
        self.parent.clear();
        self.parent.extend(0..block_count as u32);
        for k in 0..constraint_count {
            let list = map.blocks_of(k);
            for w in list.windows(2) {
                let (a, b) = (self.root(w[0]), self.root(w[1]));
                self.parent[a.max(b) as usize] = a.min(b);
            }
        }
        // Number the roots in block order, then count, then fill (counting sort keeps both lists ascending).
        self.island_of.clear();
        let mut count = 0;
        for i in 0..block_count as u32 {
            let r = self.root(i);
            let id = if r == i {
                count += 1;
                count - 1
            } else {
                self.island_of[r as usize]
            };
            self.island_of.push(id);
        }
        fill(count as usize, &mut self.block_start, &mut self.blocks, block_count, |i| {
            Some(self.island_of[i])
        });
        fill(count as usize, &mut self.constraint_start, &mut self.constraints, constraint_count, |k| {
            map.blocks_of(k).first().map(|&b| self.island_of[b as usize])
        });
    }

    /// Number of islands.
    pub(crate) fn len(&self) -> usize {
        self.block_start.len().saturating_sub(1)
    }

    /// Island `i`.
    pub(crate) fn part(&self, i: usize) -> Part<'_> {
        let range = |starts: &[u32]| starts[i] as usize..starts[i + 1] as usize;
        Part {
            blocks: &self.blocks[range(&self.block_start)],
            constraints: &self.constraints[range(&self.constraint_start)],
        }
    }
}

fn fill(
    groups: usize,
    starts: &mut Vec<u32>,
    items: &mut Vec<u32>,
    count: usize,
    group_of: impl Fn(usize) -> Option<u32>,
) {
    starts.clear();
    starts.resize(groups + 1, 0);
    for i in 0..count {
        if let Some(g) = group_of(i) {
            starts[g as usize + 1] += 1;
        }
    }
    for g in 0..groups {
        starts[g + 1] += starts[g];
    }
    items.clear();
    items.resize(starts[groups] as usize, 0);
    for i in 0..count {
        if let Some(g) = group_of(i) {
            let at = &mut starts[g as usize];
            items[*at as usize] = i as u32;
            *at += 1;
        }
    }
    // Filling moved every start to its end.
    for g in (0..groups).rev() {
        starts[g + 1] = starts[g];
    }
    starts[0] = 0;
}
