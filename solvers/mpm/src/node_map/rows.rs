use signorini_core::na::{Matrix3, Vector3};

/// Frames of contacts, and the nodes that each moves with.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(super) frames: Vec<Matrix3<f64>>,
    pub(super) bias: Vec<f64>,
    /// Starts of the entries of each contact, and their end.
    pub(super) entries: Vec<usize>,
    pub(super) blocks: Vec<u32>,
    pub(super) weights: Vec<f64>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { frames: vec![], bias: vec![], entries: vec![0], blocks: vec![], weights: vec![] }
    }
}

impl Rows {
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.bias.clear();
        self.entries.truncate(1);
        self.blocks.clear();
        self.weights.clear();
    }

    /// Adds a node to the contact that the next [`Rows::end`] closes.
    pub(crate) fn reach(&mut self, block: u32, weight: f64) {
        self.blocks.push(block);
        self.weights.push(weight);
    }

    /// Ends a contact with its frame, columns n, t₁, t₂ in world axes, and surface velocity `bias` in that frame \[m/s\].
    pub(crate) fn end(&mut self, frame: &Matrix3<f64>, bias: &Vector3<f64>) {
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
        self.frames.push(*frame);
        self.bias.extend_from_slice(bias.as_slice());
        self.entries.push(self.blocks.len());
    }

    pub(crate) fn append(&mut self, more: &Self) {
        let from = self.blocks.len();
        self.frames.extend_from_slice(&more.frames);
        self.bias.extend_from_slice(&more.bias);
        self.entries.extend(more.entries[1..].iter().map(|end| end + from));
        self.blocks.extend_from_slice(&more.blocks);
        self.weights.extend_from_slice(&more.weights);
    }
}
