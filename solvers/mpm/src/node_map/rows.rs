use signorini_core::na::{Matrix3, Vector3};

/// Nodes with weights, one list after the other.
#[derive(Clone, Debug)]
pub(crate) struct Lists {
    /// Starts of the entries of each list, and their end.
    pub(super) entries: Vec<usize>,
    pub(super) blocks: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl Default for Lists {
    fn default() -> Self {
        Self { entries: vec![0], blocks: vec![], weights: vec![] }
    }
}

impl Lists {
    pub(crate) fn clear(&mut self) {
        self.entries.truncate(1);
        self.blocks.clear();
        self.weights.clear();
    }

    /// Number of lists.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - 1
    }

    /// Adds a node to the list that the next [`Lists::end`] closes.
    pub(crate) fn reach(&mut self, block: u32, weight: f64) {
        self.blocks.push(block);
        self.weights.push(weight);
    }

    /// Ends a list.
    pub(crate) fn end(&mut self) {
        // Nearly ascending already: sorted by insertion.
        let first = self.entries[self.entries.len() - 1];
        let (blocks, weights) = (&mut self.blocks[first..], &mut self.weights[first..]);
        for i in 1..blocks.len() {
            let (b, w, mut j) = (blocks[i], weights[i], i);
            while j > 0 && blocks[j - 1] > b {
                (blocks[j], weights[j]) = (blocks[j - 1], weights[j - 1]);
                j -= 1;
            }
            (blocks[j], weights[j]) = (b, w);
        }
        self.entries.push(self.blocks.len());
    }

    fn append(&mut self, more: &Self) {
        let from = self.blocks.len();
        self.entries.extend(more.entries[1..].iter().map(|end| end + from));
        self.blocks.extend_from_slice(&more.blocks);
        self.weights.extend_from_slice(&more.weights);
    }
}

/// Frames of contacts, and the nodes that each moves with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(super) frames: Vec<Matrix3<f64>>,
    pub(super) bias: Vec<f64>,
    pub(crate) nodes: Lists,
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.bias.clear();
        self.nodes.clear();
    }

    /// Ends a contact with its frame, columns n, t₁, t₂ in world axes, and surface velocity `bias` in that frame \[m/s\].
    pub(crate) fn end(&mut self, frame: &Matrix3<f64>, bias: &Vector3<f64>) {
        self.nodes.end();
        self.frames.push(*frame);
        self.bias.extend_from_slice(bias.as_slice());
    }

    pub(crate) fn append(&mut self, more: &Self) {
        self.frames.extend_from_slice(&more.frames);
        self.bias.extend_from_slice(&more.bias);
        self.nodes.append(&more.nodes);
    }
}

/// The lists that each node is in.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// Starts of the lists of each node, and their end.
    pub(super) starts: Vec<usize>,
    /// Numbers of these lists, ascending, and weights in them.
    pub(super) lists: Vec<(u32, f64)>,
}

impl Columns {
    /// Those of so many nodes.
    pub(super) fn fit(&mut self, count: usize, of: &Lists) {
        let (Lists { entries, blocks, weights }, Self { starts, lists }) = (of, self);
        starts.clear();
        starts.resize(count + 1, 0);
        blocks.iter().for_each(|b| starts[*b as usize + 1] += 1);
        for b in 0..count {
            starts[b + 1] += starts[b];
        }
        lists.clear();
        lists.resize(blocks.len(), (0, 0.0));
        for (k, at) in entries.windows(2).enumerate() {
            for (b, w) in blocks[at[0]..at[1]].iter().zip(&weights[at[0]..at[1]]) {
                let next = &mut starts[*b as usize];
                lists[*next] = (k as u32, *w);
                *next += 1;
            }
        }
        // Each start has come to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// Those of a node.
    pub(super) fn of(&self, node: usize) -> &[(u32, f64)] {
        &self.lists[self.starts[node]..self.starts[node + 1]]
    }
}

/// Points of which each contact moves with up to three: fewer than contacts where these are of cloth, whose triangles share corners, and each with fewer nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Points {
    pub(super) nodes: Lists,
    /// Points of each contact, with weights; a weight of zero is none.
    pub(super) parts: Vec<[(u32, f64); 3]>,
    pub(super) columns: Columns,
    /// Particles that are points, and the point that each particle is.
    particles: Vec<usize>,
    numbers: Vec<u32>,
}

/// No point, and no block.
pub(crate) const NONE: u32 = u32::MAX;

impl Points {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.parts.clear();
    }

    /// Takes the particles that contacts move with, and the nodes that each of these `reaches`, as blocks of unknowns.
    pub(crate) fn fill(
        &mut self,
        contacts: impl Iterator<Item = [(u32, f64); 3]>,
        block: &[u32],
        reaches: impl Fn(usize) -> [(u32, f64); 27],
    ) {
        let Self { nodes, parts, particles, numbers, .. } = self;
        for corners in contacts {
            let mut own = [(0, 0.0); 3];
            for (own, (p, weight)) in own.iter_mut().zip(corners).filter(|c| c.1.1 != 0.0) {
                let p = p as usize;
                if p >= numbers.len() {
                    numbers.resize(p + 1, NONE);
                }
                if numbers[p] == NONE {
                    numbers[p] = particles.len() as u32;
                    particles.push(p);
                    for (node, w) in reaches(p).into_iter().filter(|n| n.1 != 0.0) {
                        let b = block[node as usize];
                        if b != NONE {
                            nodes.reach(b, w);
                        }
                    }
                    nodes.end();
                }
                *own = (numbers[p], weight);
            }
            parts.push(own);
        }
        particles.drain(..).for_each(|p| numbers[p] = NONE);
    }

    /// Whether contacts go by points.
    pub(super) fn is_used(&self) -> bool {
        !self.parts.is_empty()
    }
}
