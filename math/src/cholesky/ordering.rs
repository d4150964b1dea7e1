/// Elimination order of one part: minimum degree on the block graph, then a postorder of the elimination tree.
///
/// Graphs of up to [`SMALL`] blocks are bit sets, one row per block, and degrees are exact; larger ones are ordered by approximate minimum degree (crate `amd`).
#[derive(Clone, Debug, Default)]
pub(super) struct Ordering {
    edges: Vec<(u32, u32)>,
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
    // By block: the blocks below it in its column of the factor.
    column_start: Vec<usize>,
    columns: Vec<u32>,
}

const NONE: u32 = u32::MAX;
/// Blocks of the largest graph that is kept as bits.
const SMALL: usize = 256;

impl Ordering {
    /// Starts a graph without edges.
    pub(super) fn reset(&mut self) {
        self.edges.clear();
    }

    /// Adds an edge.
    pub(super) fn edge(&mut self, a: usize, b: usize) {
        if a != b {
            self.edges.push((a as u32, b as u32));
        }
    }

    /// Orders nodes with the given sizes (unknowns per block).
    pub(super) fn run(&mut self, sizes: &[u32]) {
        let n = sizes.len();
        self.eliminated.clear();
        self.parent.clear();
        self.parent.resize(n, NONE);
        self.place.clear();
        self.place.resize(n, NONE);
        if n <= SMALL || !self.eliminate_approximately(n) {
            self.eliminate(sizes);
        }
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
        let range = self.column_start[node]..self.column_start[node + 1];
        self.columns[range].iter().map(|&u| u as usize)
    }

    fn eliminate(&mut self, sizes: &[u32]) {
        let n = sizes.len();
        let w = n.div_ceil(64);
        self.words = w;
        self.adjacency.clear();
        self.adjacency.resize(n * w, 0);
        for &(a, b) in &self.edges {
            let (a, b) = (a as usize, b as usize);
            self.adjacency[a * w + b / 64] |= 1 << (b % 64);
            self.adjacency[b * w + a / 64] |= 1 << (a % 64);
        }
        self.alive.clear();
        self.alive.resize(w, u64::MAX);
        self.degree.clear();
        for v in 0..n {
            let row = &self.adjacency[v * w..(v + 1) * w];
            self.degree.push(bits(row).map(|u| sizes[u]).sum());
        }
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
        self.columns.clear();
        self.column_start.clear();
        self.column_start.push(0);
        for v in 0..n {
            let column = bits(&self.adjacency[v * w..(v + 1) * w]).map(|u| u as u32);
            self.columns.extend(column);
            self.column_start.push(self.columns.len());
            let below = &self.columns[self.column_start[v]..];
            self.parent[v] = below.iter().copied().min_by_key(|&u| self.place[u as usize]).unwrap_or(NONE);
        }
    }

    /// Approximate minimum degree, and the columns of the factor that follow: neighbours of a node that are eliminated later, and those of its children in the
    /// elimination tree. False where the graph is not taken.
    fn eliminate_approximately(&mut self, n: usize) -> bool {
        // Columns with both halves and the diagonal, without duplicates.
        let loops = (0..n as u32).map(|v| (v, v));
        let mut entries: Vec<(u32, u32)> =
            self.edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).chain(loops).collect();
        entries.sort_unstable();
        entries.dedup();
        let mut starts = vec![0_i64; n + 1];
        entries.iter().for_each(|&(a, _)| starts[a as usize + 1] += 1);
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let rows: Vec<i64> = entries.iter().map(|&(_, b)| i64::from(b)).collect();
        let Ok((order, ..)) = amd::order(n as i64, &starts, &rows, &amd::Control::default()) else {
            return false;
        };
        self.eliminated.extend(order.iter().map(|&v| v as u32));
        for (place, &v) in self.eliminated.iter().enumerate() {
            self.place[v as usize] = place as u32;
        }
        // Columns in the order of elimination, each beside the node that it was last reached from.
        let (mut by_place, mut start) = (Vec::new(), vec![0; n + 1]);
        let (mut seen, mut children) = (vec![NONE; n], vec![Vec::new(); n]);
        for (step, &v) in self.eliminated.iter().enumerate() {
            let from = by_place.len();
            let mut take = |u: u32, column: &mut Vec<u32>| {
                if self.place[u as usize] > step as u32 && seen[u as usize] != v {
                    seen[u as usize] = v;
                    column.push(u);
                }
            };
            let range = starts[v as usize] as usize..starts[v as usize + 1] as usize;
            entries[range].iter().for_each(|&(_, u)| take(u, &mut by_place));
            for child in std::mem::take(&mut children[step]) {
                for i in start[child]..start[child + 1] {
                    take(by_place[i], &mut by_place);
                }
            }
            start[step] = from;
            start[step + 1] = by_place.len();
            let first = by_place[from..].iter().copied().min_by_key(|&u| self.place[u as usize]);
            if let Some(u) = first {
                self.parent[v as usize] = u;
                children[self.place[u as usize] as usize].push(step);
            }
        }
        self.columns.clear();
        self.column_start.clear();
        self.column_start.push(0);
        for &place in &self.place {
            self.columns.extend(&by_place[start[place as usize]..start[place as usize + 1]]);
            self.column_start.push(self.columns.len());
        }
        true
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
