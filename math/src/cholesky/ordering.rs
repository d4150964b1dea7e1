/// Elimination order of one part: minimum degree on the block graph, then a postorder of the elimination tree.
///
/// Graphs are bit sets, one row per block: fast to a few hundred blocks, which is where larger problems go elsewhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Ordering {
    words: usize,
    adjacency: Vec<u64>,
    alive: Vec<u64>,
    degree: Vec<u32>,
    place: Vec<u32>,
    parent: Vec<u32>,
    child: Vec<u32>,
    sibling: Vec<u32>,
    stack: Vec<u32>,
    eliminated: Vec<u32>,
    order: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Ordering {
    /// Starts a graph of `n` nodes without edges.
    pub(super) fn reset(&mut self, n: usize) {
        self.words = n.div_ceil(64);
        self.adjacency.clear();
        self.adjacency.resize(n * self.words, 0);
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, a: usize, b: usize) {
        if a != b {
            self.adjacency[a * self.words + b / 64] |= 1 << (b % 64);
            self.adjacency[b * self.words + a / 64] |= 1 << (a % 64);
        }
    }

    /// Orders nodes with the given sizes (unknowns per block).
    pub(super) fn run(&mut self, sizes: &[u32]) {
        self.eliminate(sizes);
        self.postorder();
    }

    /// Nodes in elimination order.
    pub(super) fn order(&self) -> &[u32] {
        &self.order
    }

    /// Place of each node in the elimination order.
    pub(super) fn places(&self) -> &[u32] {
        &self.place
    }

    /// The node whose elimination follows from that of `node`: its parent in the elimination tree.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        let p = self.parent[node];
        (p != NONE).then_some(p as usize)
    }

    /// Nodes below `node` in its column of the factor, unordered.
    pub(super) fn column(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let w = self.words;
        bits(&self.adjacency[node * w..(node + 1) * w])
    }

    fn eliminate(&mut self, sizes: &[u32]) {
        let (n, w) = (sizes.len(), self.words);
        self.alive.clear();
        self.alive.resize(w, u64::MAX);
        self.degree.clear();
        for v in 0..n {
            let row = &self.adjacency[v * w..(v + 1) * w];
            self.degree.push(bits(row).map(|u| sizes[u]).sum());
        }
        self.eliminated.clear();
        self.parent.clear();
        self.parent.resize(n, NONE);
        self.place.clear();
        self.place.resize(n, NONE);
        for step in 0..n {
            let alive = |v: &usize| self.place[*v] == NONE;
            let Some(v) = (0..n).filter(alive).min_by_key(|&v| self.degree[v]) else { return };
            self.place[v] = step as u32;
            self.eliminated.push(v as u32);
            self.alive[v / 64] &= !(1 << (v % 64));
            for i in 0..w {
                self.adjacency[v * w + i] &= self.alive[i];
            }
            for word in 0..w {
                let mut rest = self.adjacency[v * w + word];
                while rest != 0 {
                    let u = word * 64 + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let mut degree = 0;
                    for i in 0..w {
                        let row = (self.adjacency[u * w + i] | self.adjacency[v * w + i]) & self.alive[i];
                        self.adjacency[u * w + i] = row;
                        degree += bits(&[row]).map(|b| sizes[i * 64 + b]).sum::<u32>();
                    }
                    self.adjacency[u * w + u / 64] &= !(1 << (u % 64));
                    let loops =
                        if self.adjacency[v * w + u / 64] >> (u % 64) & 1 == 1 { sizes[u] } else { 0 };
                    self.degree[u] = degree - loops;
                }
            }
        }
        for &v in &self.eliminated {
            let v = v as usize;
            let first = bits(&self.adjacency[v * w..(v + 1) * w]).min_by_key(|&u| self.place[u]);
            self.parent[v] = first.map_or(NONE, |u| u as u32);
        }
    }

    /// Children before parents, a parent right after its last child; the column structure stays valid.
    fn postorder(&mut self) {
        let n = self.eliminated.len();
        for list in [&mut self.child, &mut self.sibling] {
            list.clear();
            list.resize(n, NONE);
        }
        self.order.clear();
        self.stack.clear();
        // Pushed in order, so that the child eliminated last is visited last and comes next to its parent.
        for &v in self.eliminated.iter().rev() {
            let p = self.parent[v as usize];
            if p != NONE {
                self.sibling[v as usize] = self.child[p as usize];
                self.child[p as usize] = v;
            }
        }
        for i in 0..n {
            let root = self.eliminated[i];
            if self.parent[root as usize] != NONE {
                continue;
            }
            self.stack.push(root);
            while let Some(&v) = self.stack.last() {
                let c = self.child[v as usize];
                if c == NONE {
                    self.stack.pop();
                    self.place[v as usize] = self.order.len() as u32;
                    self.order.push(v);
                } else {
                    self.child[v as usize] = self.sibling[c as usize];
                    self.stack.push(c);
                }
            }
        }
    }
}

/// Positions of set bits, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let b = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                i * 64 + b
            })
        })
    })
}
