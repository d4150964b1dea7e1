//! Minimum-degree elimination order of a block graph, with fill.

/// Rows of bits, one row a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitRows {
    words: usize,
    bits: Vec<u64>,
}

impl BitRows {
    pub(crate) fn reset(&mut self, n: usize) {
        self.words = n.div_ceil(64);
        self.bits.clear();
        self.bits.resize(n * self.words, 0);
    }
    pub(crate) fn set(&mut self, i: usize, j: usize) {
        self.bits[i * self.words + j / 64] |= 1 << (j % 64);
    }
    pub(crate) fn row(&self, i: usize) -> &[u64] {
        &self.bits[i * self.words..(i + 1) * self.words]
    }
    fn row_mut(&mut self, i: usize) -> &mut [u64] {
        &mut self.bits[i * self.words..(i + 1) * self.words]
    }
}

/// Numbers of the set bits, ascending.
pub(crate) fn ones(row: &[u64]) -> impl Iterator<Item = usize> {
    row.iter().enumerate().flat_map(|(w, &bits)| {
        let mut b = bits;
        std::iter::from_fn(move || {
            (b != 0).then(|| {
                let i = b.trailing_zeros() as usize;
                b &= b - 1;
                w * 64 + i
            })
        })
    })
}

/// Greedy minimum degree, weighted by block size. On return `order[k]` is the block eliminated k-th and row `order[k]` of `graph` holds
/// the blocks its column reaches: its neighbours at the time of elimination, all eliminated later.
pub(crate) fn minimum_degree(
    sizes: &[usize],
    graph: &mut BitRows,
    order: &mut Vec<usize>,
    degree: &mut Vec<usize>,
    pivot_row: &mut Vec<u64>,
) {
    let n = sizes.len();
    order.clear();
    degree.clear();
    let weigh = |row: &[u64]| ones(row).map(|j| sizes[j]).sum::<usize>();
    degree.extend((0..n).map(|i| weigh(graph.row(i))));
    for _ in 0..n {
        let Some(p) = (0..n).filter(|&i| degree[i] != usize::MAX).min_by_key(|&i| (degree[i], i)) else {
            break;
        };
        degree[p] = usize::MAX;
        order.push(p);
        pivot_row.clear();
        pivot_row.extend_from_slice(graph.row(p));
        for i in ones(pivot_row) {
            let row = graph.row_mut(i);
            for (r, q) in row.iter_mut().zip(pivot_row.iter()) {
                *r |= q;
            }
            row[i / 64] &= !(1 << (i % 64));
            row[p / 64] &= !(1 << (p % 64));
            degree[i] = weigh(graph.row(i));
        }
    }
}
