use super::kernels::{Mat, Shape, backward, factor_panel, forward, subtract_product};
use super::ordering::Ordering;
use super::wide::{Packed, STEP, factor_wide, is_wide, packed_len};
use pulp::{Arch, Simd, WithSimd};

/// Right-looking Cholesky of small and middle-sized block matrices over dense panels.
///
/// A supernode is a run of blocks, consecutive in elimination order, with (nearly) the same rows below. Its panel is a dense
/// column-major matrix: its own rows first, then the rows below, block by block. After a panel is factored its outer product is
/// subtracted straight from the panels of its ancestors; the places are known from the symbolic phase.
#[derive(Clone, Debug, Default)]
pub(super) struct Supernodal {
    ordering: Ordering,
    nodes: Vec<Supernode>,
    rows: Vec<RowBlock>,
    runs: Vec<Run>,
    // By block of the part: place of its first unknown in elimination order, supernode, first column there.
    position: Vec<u32>,
    node_of: Vec<u32>,
    column_of: Vec<u32>,
    unknowns: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Supernode {
    // Place of its first unknown.
    position: usize,
    width: usize,
    height: usize,
    panel: usize,
    rows: (usize, usize),
    // Blocks eliminated here, as places in the elimination order.
    order: (usize, usize),
}

/// A block of rows below the triangle of a panel, and the columns elsewhere that it updates.
#[derive(Clone, Debug)]
struct RowBlock {
    block: u32,
    position: usize,
    // First row in the panel, and number of rows.
    row: usize,
    size: usize,
    // First column of the target (index of values) and its leading dimension.
    target: usize,
    ld: usize,
    runs: (usize, usize),
}

/// Rows of a panel that are consecutive in the target as well.
#[derive(Clone, Copy, Debug)]
struct Run {
    source: u32,
    target: u32,
    len: u32,
}

/// Zeros that merging may add to a supernode, as a share of its panel.
const SLACK: f64 = 0.15;
/// Widest supernode that merging with added zeros may make.
const SLACK_WIDTH: usize = 48;

impl Supernodal {
    /// Orders a part with blocks of the given sizes and `edges` between them; returns how many values the panels take.
    pub(super) fn analyze(&mut self, sizes: &[u32], edges: impl Iterator<Item = (usize, usize)>) -> usize {
        let n = sizes.len();
        self.ordering.reset();
        for (a, b) in edges {
            self.ordering.edge(a, b);
        }
        self.ordering.run(sizes);
        for list in [&mut self.position, &mut self.node_of, &mut self.column_of] {
            list.clear();
            list.resize(n, 0);
        }
        self.unknowns.clear();
        let mut position = 0;
        for &b in self.ordering.order() {
            self.position[b as usize] = position;
            self.unknowns.push(b);
            position += sizes[b as usize];
        }
        self.merge(sizes);
        let values = self.place_panels(sizes);
        self.find_targets();
        values
    }

    /// Place of block (row, col) of the part: index of its first value, leading dimension, and whether transposed.
    pub(super) fn place(&self, row: usize, col: usize) -> (usize, usize, bool) {
        let transposed = self.position[row] < self.position[col];
        let (row, col) = if transposed { (col, row) } else { (row, col) };
        let node = &self.nodes[self.node_of[col] as usize];
        let line = if self.node_of[row] == self.node_of[col] {
            self.column_of[row] as usize
        } else {
            let below = &self.rows[node.rows.0..node.rows.1];
            below.iter().find(|r| r.block as usize == row).map_or(0, |r| r.row)
        };
        (node.panel + self.column_of[col] as usize * node.height + line, node.height, transposed)
    }

    /// Blocks of the part in elimination order.
    pub(super) fn order(&self) -> &[u32] {
        &self.unknowns
    }

    /// Numeric factorisation in place. On failure, the block (of the part) with the bad pivot, and the pivot.
    ///
    /// `room` has [`Self::room`] numbers.
    pub(super) fn factor(&self, values: &mut [f64], room: &mut [f64]) -> Result<(), (usize, f64)> {
        Arch::new().dispatch(Factor { symbolic: self, values, room })
    }

    /// Numbers that a factorisation takes beside its values: the largest wide panel, packed, and columns for ancestors of it.
    pub(super) fn room(&self) -> usize {
        let wide = self.nodes.iter().filter(|s| is_wide(s.width, s.height));
        wide.map(|s| packed_len(s.width, s.height) + s.height * self.columns_of_ancestors(s))
            .max()
            .unwrap_or(0)
    }

    /// Columns below a panel that are taken as one, at most.
    fn columns_of_ancestors(&self, node: &Supernode) -> usize {
        let largest = self.rows[node.rows.0..node.rows.1].iter().map(|r| r.size).max().unwrap_or(0);
        STEP + largest
    }

    /// x ← (L Lᵀ)⁻¹ x with x in elimination order; `scratch` is as long as the highest panel.
    pub(super) fn solve(&self, values: &[f64], x: &mut [f64], scratch: &mut [f64]) {
        Arch::new().dispatch(Solve { symbolic: self, values, x, scratch });
    }

    /// Rows of the highest panel.
    pub(super) fn max_height(&self) -> usize {
        self.nodes.iter().map(|s| s.height).max().unwrap_or(0)
    }

    /// Multiply–add pairs of a factorisation, roughly.
    pub(super) fn work(&self) -> usize {
        self.nodes.iter().map(|s| s.width * s.height * s.height / 2).sum()
    }

    /// Joins blocks to supernodes, and collects the row blocks of each.
    fn merge(&mut self, sizes: &[u32]) {
        self.nodes.clear();
        self.rows.clear();
        let mut zeros = 0;
        for (place, &b) in self.ordering.order().iter().enumerate() {
            let b = b as usize;
            let size = sizes[b] as usize;
            let below: usize = self.ordering.column(b).map(|r| sizes[r] as usize).sum();
            if let Some(last) = self.nodes.last_mut()
                && self.ordering.parent(self.ordering.order()[place - 1] as usize) == Some(b)
            {
                // `height` counts the rows of the last block's column until the panels are laid out.
                let added = last.width * (size + below - (last.height - last.width));
                let width = last.width + size;
                let area = width * (width + below);
                let cheap = width <= SLACK_WIDTH && (zeros + added) as f64 <= SLACK * area as f64;
                if added == 0 || cheap {
                    zeros += added;
                    (last.width, last.height) = (width, width + below);
                    last.order.1 = place + 1;
                    continue;
                }
            }
            zeros = 0;
            self.nodes.push(Supernode {
                position: self.position[b] as usize,
                width: size,
                height: size + below,
                panel: 0,
                rows: (0, 0),
                order: (place, place + 1),
            });
        }
    }

    fn place_panels(&mut self, sizes: &[u32]) -> usize {
        let mut panel = 0;
        for (s, node) in self.nodes.iter_mut().enumerate() {
            let mut column = 0;
            for &b in &self.ordering.order()[node.order.0..node.order.1] {
                self.node_of[b as usize] = s as u32;
                self.column_of[b as usize] = column;
                column += sizes[b as usize];
            }
            // The last block's column has all the rows below.
            let last = self.ordering.order()[node.order.1 - 1] as usize;
            let first_row = self.rows.len();
            self.rows.extend(self.ordering.column(last).map(|b| RowBlock {
                block: b as u32,
                position: self.position[b] as usize,
                row: 0,
                size: sizes[b] as usize,
                target: 0,
                ld: 0,
                runs: (0, 0),
            }));
            let rows = &mut self.rows[first_row..];
            rows.sort_unstable_by_key(|r| r.position);
            let mut row = node.width;
            for r in rows {
                r.row = row;
                row += r.size;
            }
            node.rows = (first_row, self.rows.len());
            node.height = row;
            node.panel = panel;
            panel += node.width * node.height;
        }
        panel
    }

    fn find_targets(&mut self) {
        self.runs.clear();
        let places = self.ordering.places();
        for node in &self.nodes {
            let (begin, end) = node.rows;
            for i in begin..end {
                let target = &self.nodes[self.node_of[self.rows[i].block as usize] as usize];
                let column = self.column_of[self.rows[i].block as usize] as usize;
                let first_run = self.runs.len();
                let mut below = target.rows.0;
                for k in i..end {
                    let RowBlock { block, row, size, .. } = self.rows[k];
                    let place = places[block as usize] as usize;
                    let line = if place < target.order.1 {
                        self.column_of[block as usize] as usize
                    } else {
                        while self.rows[below].block != block {
                            below += 1;
                        }
                        self.rows[below].row
                    };
                    match self.runs[first_run..].last_mut() {
                        Some(run) if (run.target + run.len) as usize == line => run.len += size as u32,
                        _ => {
                            self.runs.push(Run { source: row as u32, target: line as u32, len: size as u32 })
                        }
                    }
                }
                let (at, ld) = (target.panel + column * target.height, target.height);
                let r = &mut self.rows[i];
                (r.target, r.ld, r.runs) = (at, ld, (first_run, self.runs.len()));
            }
        }
    }
}

struct Factor<'a> {
    symbolic: &'a Supernodal,
    values: &'a mut [f64],
    room: &'a mut [f64],
}

impl WithSimd for Factor<'_> {
    type Output = Result<(), (usize, f64)>;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        match S::F64_LANES {
            8.. => self.run::<8, 8>(),
            4.. => self.run::<8, 4>(),
            _ => self.run::<4, 4>(),
        }
    }
}

impl Factor<'_> {
    #[inline(always)]
    fn run<const R: usize, const C: usize>(self) -> Result<(), (usize, f64)> {
        let s = self.symbolic;
        for node in &s.nodes {
            let (w, h) = (node.width, node.height);
            let (before, ancestors) = self.values.split_at_mut(node.panel + w * h);
            let panel = &mut before[node.panel..];
            let done = if is_wide(w, h) {
                let (room, columns) = self.room.split_at_mut(packed_len(w, h));
                factor_wide::<R, C>(panel, w, h, room)
                    .map(|packed| s.update_packed::<R, C>(node, &packed, columns, ancestors))
            } else {
                factor_panel::<R>(panel, w, h, h).map(|()| s.update::<R>(node, panel, ancestors))
            };
            if let Err((column, pivot)) = done {
                let blocks = &s.ordering.order()[node.order.0..node.order.1];
                let starts_before = |b: &&u32| s.column_of[**b as usize] as usize <= column;
                let block = blocks.iter().rev().find(starts_before).map_or(0, |&b| b as usize);
                return Err((block, pivot));
            }
        }
        Ok(())
    }
}

impl Supernodal {
    /// Subtracts the outer product of a factored panel from its ancestors, whose values follow it.
    #[inline(always)]
    fn update<const R: usize>(&self, node: &Supernode, panel: &[f64], ancestors: &mut [f64]) {
        let (w, h) = (node.width, node.height);
        for r in &self.rows[node.rows.0..node.rows.1] {
            let b = Mat { data: &panel[r.row..], ld: h };
            let target = &mut ancestors[r.target - node.panel - w * h..];
            for run in &self.runs[r.runs.0..r.runs.1] {
                let a = Mat { data: &panel[run.source as usize..], ld: h };
                let shape = Shape { m: run.len as usize, n: r.size, k: w };
                subtract_product::<R>(shape, a, b, &mut target[run.target as usize..], r.ld);
            }
        }
    }

    /// [`Self::update`] of a packed panel: some columns of ancestors at a time, side by side in `room`, then to their places.
    #[inline(always)]
    fn update_packed<const R: usize, const C: usize>(
        &self,
        node: &Supernode,
        packed: &Packed<'_>,
        room: &mut [f64],
        ancestors: &mut [f64],
    ) {
        let (w, h) = (node.width, node.height);
        let mut rest = &self.rows[node.rows.0..node.rows.1];
        while let Some(first) = rest.first() {
            let count = rest.iter().take_while(|r| r.row < first.row + STEP).count();
            let (group, after) = rest.split_at(count);
            rest = after;
            let end = after.first().map_or(h, |r| r.row);
            let columns = &mut room[..(end - first.row) * h];
            columns.fill(0.0);
            packed.subtract::<R, C>(w, first.row..h, first.row..end, columns, h);
            for r in group {
                let target = &mut ancestors[r.target - node.panel - w * h..];
                for (c, column) in columns[(r.row - first.row) * h..].chunks_exact(h).take(r.size).enumerate()
                {
                    for run in &self.runs[r.runs.0..r.runs.1] {
                        let at = c * r.ld + run.target as usize;
                        let from = &column[run.source as usize..(run.source + run.len) as usize];
                        for (o, x) in target[at..at + run.len as usize].iter_mut().zip(from) {
                            *o += x;
                        }
                    }
                }
            }
        }
    }
}

struct Solve<'a> {
    symbolic: &'a Supernodal,
    values: &'a [f64],
    x: &'a mut [f64],
    scratch: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { symbolic: s, values, x, scratch } = self;
        for node in &s.nodes {
            let panel = Mat { data: &values[node.panel..], ld: node.height };
            let below = &mut scratch[..node.height - node.width];
            below.fill(0.0);
            forward(panel, &mut x[node.position..node.position + node.width], below);
            for r in &s.rows[node.rows.0..node.rows.1] {
                let from = &below[r.row - node.width..];
                for (o, b) in x[r.position..r.position + r.size].iter_mut().zip(from) {
                    *o += b;
                }
            }
        }
        for node in s.nodes.iter().rev() {
            let panel = Mat { data: &values[node.panel..], ld: node.height };
            let below = &mut scratch[..node.height - node.width];
            for r in &s.rows[node.rows.0..node.rows.1] {
                let at = r.row - node.width;
                below[at..at + r.size].copy_from_slice(&x[r.position..r.position + r.size]);
            }
            backward(panel, &mut x[node.position..node.position + node.width], below);
        }
    }
}
