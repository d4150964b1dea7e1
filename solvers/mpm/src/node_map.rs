use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    AffineMap, BlockSink, ContactMap, Evals, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

use crate::freedom::Freedom;

/// Contacts, and nodes, of a share of the work.
const CONTACTS: usize = 512;
const NODES: usize = 2048;

/// Frames of contacts, and the nodes that each moves with.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    frames: Vec<Matrix3<f64>>,
    bias: Vec<f64>,
    /// Starts of the entries of each contact, and their end.
    entries: Vec<usize>,
    blocks: Vec<u32>,
    weights: Vec<f64>,
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

    /// Adds a node to the contact that the next [`Rows::end`] closes; ascending by block.
    pub(crate) fn reach(&mut self, block: u32, weight: f64) {
        self.blocks.push(block);
        self.weights.push(weight);
    }

    /// Ends a contact with its frame, columns n, t₁, t₂ in world axes, and surface velocity `bias` in that frame \[m/s\].
    pub(crate) fn end(&mut self, frame: &Matrix3<f64>, bias: &Vector3<f64>) {
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

/// Contact velocities of particles from the velocities of nodes: a weight for each node that a particle reaches, and the frame of the contact. A ninth of the memory of dense blocks.
///
/// ```text
/// v_c = Rᵀ (Σ w_i B_i u_i) + b,   B_i: the directions in which node i may move
/// ```
///
/// Products share contacts among threads, and those with the transpose share nodes, each of which adds up its own contacts in their order: no two threads write to the same place, and sums do not depend on how many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMap {
    starts: Vec<usize>,
    freedoms: Vec<Freedom>,
    pub(crate) rows: Rows,
    /// Starts of the contacts of each node, and their end; numbers and weights of these contacts, ascending.
    columns: Vec<usize>,
    contacts: Vec<(u32, f64)>,
    room: RefCell<Room>,
    arch: Arch,
}

/// Room for a vector of each node and of each contact, with a lane to spare, and for matrices.
#[derive(Clone, Debug, Default)]
struct Room {
    nodes: Vec<[f64; 4]>,
    contacts: Vec<[f64; 4]>,
    bends: Vec<[f64; 6]>,
}

impl NodeMap {
    /// Starts anew over nodes that may move in these directions; add rows, then [`NodeMap::finish`].
    pub(crate) fn begin(&mut self, freedoms: impl Iterator<Item = Freedom>) {
        self.freedoms.clear();
        self.freedoms.extend(freedoms);
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        self.starts.extend(self.freedoms.iter().map(|f| {
            end += f.count;
            end
        }));
        self.rows.clear();
    }

    /// Finds the contacts of nodes.
    pub(crate) fn finish(&mut self) {
        let Rows { entries, blocks, weights, .. } = &self.rows;
        self.columns.clear();
        self.columns.resize(self.freedoms.len() + 1, 0);
        blocks.iter().for_each(|b| self.columns[*b as usize + 1] += 1);
        for b in 0..self.freedoms.len() {
            self.columns[b + 1] += self.columns[b];
        }
        self.contacts.clear();
        self.contacts.resize(blocks.len(), (0, 0.0));
        for (k, at) in entries.windows(2).enumerate() {
            for (b, w) in blocks[at[0]..at[1]].iter().zip(&weights[at[0]..at[1]]) {
                let next = &mut self.columns[*b as usize];
                self.contacts[*next] = (k as u32, *w);
                *next += 1;
            }
        }
        // Each start has come to the next one.
        self.columns.rotate_right(1);
        self.columns[0] = 0;
        let room = self.room.get_mut();
        room.nodes.resize(self.freedoms.len(), [0.0; 4]);
        room.contacts.resize(self.rows.frames.len(), [0.0; 4]);
    }

    /// (Block, weight) of the nodes of constraint `k`.
    #[inline]
    fn reached(&self, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let at = self.rows.entries[k]..self.rows.entries[k + 1];
        self.rows.blocks[at.clone()].iter().map(|b| *b as usize).zip(self.rows.weights[at].iter().copied())
    }

    /// Whether most contacts are in a part: all nodes are then gone through.
    fn is_most(&self, part: Part<'_>) -> bool {
        2 * part.constraints.len() > self.rows.frames.len()
    }

    /// Σ w_i B_i u_i in the frame of each contact of `part`, added to `out`.
    fn add_sums(&self, part: Part<'_>, u: &[f64], out: &mut [f64]) {
        let Self { starts, freedoms, rows, arch, .. } = self;
        let mut room = self.room.borrow_mut();
        let field = &mut room.nodes;
        field.par_chunks_mut(NODES).enumerate().for_each(|(i, nodes)| {
            for (node, b) in nodes.iter_mut().zip(NODES * i..) {
                let own = &u[starts[b]..starts[b + 1]];
                let v = match own.as_chunks::<3>().0 {
                    [whole] => (*whole).into(),
                    _ => freedoms[b].whole(own),
                };
                *node = [v.x, v.y, v.z, 0.0];
            }
        });
        let field = &*field;
        by_rows(part.constraints, 0, out, &|constraints, first, out| {
            arch.dispatch(Sums { rows, constraints, field, first, out });
        });
    }

    /// R G Rᵀ with the Hessian G of constraint `k`; None where it is zero.
    #[inline]
    fn curvature(&self, k: usize, pools: &Pools, evals: &Evals) -> Option<Matrix3<f64>> {
        bend(&self.rows.frames[k], &evals.hess[pools.hess_start(k)..][..9])
    }

    /// Hands w B_aᵀ H B_b to a sink.
    fn add_block(&self, h: &Matrix3<f64>, a: usize, b: usize, w: f64, out: &mut dyn BlockSink) {
        let (from, to) = (&self.freedoms[a], &self.freedoms[b]);
        if from.count == 3 && to.count == 3 {
            return out.add(a, b, (w * h).as_slice());
        }
        let block = w * from.basis().transpose() * h * to.basis();
        out.add(a, b, block.as_slice());
    }
}

/// R G Rᵀ; None where it is zero.
#[inline]
fn bend(r: &Matrix3<f64>, hess: &[f64]) -> Option<Matrix3<f64>> {
    let some = hess.iter().any(|x| *x != 0.0);
    some.then(|| r * Matrix3::from_column_slice(hess) * r.transpose())
}

/// Rows of the constraints of `part`.
fn rows(part: Part<'_>) -> impl Iterator<Item = Range<usize>> {
    part.constraints.iter().map(|&k| 3 * k as usize..3 * k as usize + 3)
}

/// Shares ascending constraints among threads, with the rows that start at `first` and are theirs.
fn by_rows(
    constraints: &[u32],
    first: usize,
    out: &mut [f64],
    work: &(impl Fn(&[u32], usize, &mut [f64]) + Sync),
) {
    if constraints.len() <= CONTACTS {
        return work(constraints, first, out);
    }
    let (left, right) = constraints.split_at(constraints.len() / 2);
    let middle = 3 * right[0] as usize;
    let (below, above) = out.split_at_mut(middle - first);
    rayon::join(|| by_rows(left, first, below, work), || by_rows(right, middle, above, work));
}

/// Shares blocks among threads, with the unknowns that are theirs.
fn by_blocks(
    blocks: Range<usize>,
    starts: &[usize],
    out: &mut [f64],
    work: &(impl Fn(Range<usize>, &mut [f64]) + Sync),
) {
    if blocks.len() <= NODES {
        return work(blocks, out);
    }
    let middle = (blocks.start + blocks.end) / 2;
    let (below, above) = out.split_at_mut(starts[middle] - starts[blocks.start]);
    rayon::join(
        || by_blocks(blocks.start..middle, starts, below, work),
        || by_blocks(middle..blocks.end, starts, above, work),
    );
}

/// out += Rᵀ Σ w_i field_i of contacts.
struct Sums<'a> {
    rows: &'a Rows,
    constraints: &'a [u32],
    field: &'a [[f64; 4]],
    /// Number of the first row of `out`.
    first: usize,
    out: &'a mut [f64],
}

/// field_i += w_i R grad of the contacts of a part.
struct Spread<'a> {
    rows: &'a Rows,
    part: Part<'a>,
    grad: &'a [f64],
    field: &'a mut [[f64; 4]],
}

/// Adds Σ w x_k of the contacts of blocks to `g`.
struct Gather<'a> {
    map: [&'a [usize]; 2],
    contacts: &'a [(u32, f64)],
    freedoms: &'a [Freedom],
    x: &'a [[f64; 4]],
    blocks: Range<usize>,
    g: &'a mut [f64],
}

// Loops over lanes, compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
impl WithSimd for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, constraints, field, first, out } = self;
        for &k in constraints {
            let k = k as usize;
            let at = rows.entries[k]..rows.entries[k + 1];
            let (blocks, last) = rows.blocks[at.clone()].as_chunks::<3>();
            let (weights, end) = rows.weights[at].as_chunks::<3>();
            // Three sums beside each other, so that none waits for the last.
            let mut sums = [[0.0; 4]; 3];
            for (b, w) in blocks.iter().zip(weights) {
                for j in 0..3 {
                    let node = &field[b[j] as usize];
                    for i in 0..4 {
                        sums[j][i] += w[j] * node[i];
                    }
                }
            }
            for (b, w) in last.iter().zip(end) {
                let node = &field[*b as usize];
                for i in 0..4 {
                    sums[0][i] += w * node[i];
                }
            }
            let world = Vector3::from_fn(|i, _| sums[0][i] + sums[1][i] + sums[2][i]);
            let own = rows.frames[k].tr_mul(&world);
            (0..3).for_each(|i| out[3 * k - first + i] += own[i]);
        }
    }
}

impl WithSimd for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { rows, part, grad, field } = self;
        for &k in part.constraints {
            let k = k as usize;
            let Some(x) = turned(&rows.frames[k], &grad[3 * k..3 * k + 3]) else { continue };
            let at = rows.entries[k]..rows.entries[k + 1];
            for (b, w) in rows.blocks[at.clone()].iter().zip(&rows.weights[at]) {
                let node = &mut field[*b as usize];
                let mut sum = *node;
                for i in 0..4 {
                    sum[i] += w * x[i];
                }
                *node = sum;
            }
        }
    }
}

impl WithSimd for Gather<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { map: [columns, starts], contacts, freedoms, x, blocks, g } = self;
        let first = starts[blocks.start];
        for b in blocks {
            let mut sum = [0.0; 4];
            for (k, w) in &contacts[columns[b]..columns[b + 1]] {
                let x = &x[*k as usize];
                for i in 0..4 {
                    sum[i] += w * x[i];
                }
            }
            add_to(&mut g[starts[b] - first..starts[b + 1] - first], &freedoms[b], &sum);
        }
    }
}

/// R grad with a lane to spare; None where it is zero.
#[inline(always)]
fn turned(frame: &Matrix3<f64>, grad: &[f64]) -> Option<[f64; 4]> {
    let own = Vector3::from_column_slice(grad);
    if own == Vector3::zeros() {
        return None;
    }
    let world = frame * own;
    Some([world.x, world.y, world.z, 0.0])
}

/// Adds a vector to the unknowns of a node.
#[inline(always)]
fn add_to(own: &mut [f64], free: &Freedom, [x, y, z, _]: &[f64; 4]) {
    let sum = Vector3::new(*x, *y, *z);
    match own.as_chunks_mut::<3>().0 {
        [whole] => (0..3).for_each(|i| whole[i] += sum[i]),
        _ => own.iter_mut().zip(free.along(&sum)).for_each(|(g, x)| *g += x),
    }
}

impl ContactMap for NodeMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        &self.rows.blocks[self.rows.entries[k]..self.rows.entries[k + 1]]
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        rows(part).for_each(|at| v_c[at.clone()].copy_from_slice(&self.rows.bias[at]));
        self.add_sums(part, v, v_c);
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        rows(part).for_each(|at| dv_c[at].fill(0.0));
        self.add_sums(part, dv, dv_c);
    }
    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        let Self { starts, freedoms, rows, columns, contacts, arch, .. } = self;
        let mut room = self.room.borrow_mut();
        let room = &mut *room;
        if !self.is_most(part) {
            let field = &mut room.nodes;
            field.fill([0.0; 4]);
            arch.dispatch(Spread { rows, part, grad: &evals.grad, field: &mut *field });
            for (b, sum) in field.iter().enumerate() {
                add_to(&mut g[starts[b]..starts[b + 1]], &freedoms[b], sum);
            }
            return;
        }
        let x = &mut room.contacts;
        x.fill([0.0; 4]);
        for &k in part.constraints {
            let k = k as usize;
            if let Some(world) = turned(&rows.frames[k], &evals.grad[3 * k..3 * k + 3]) {
                x[k] = world;
            }
        }
        let x = &*x;
        by_blocks(0..freedoms.len(), starts, g, &|blocks, g| {
            arch.dispatch(Gather { map: [columns, starts], contacts, freedoms, x, blocks, g });
        });
    }
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        for &k in part.constraints {
            let k = k as usize;
            let Some(own) = self.curvature(k, pools, evals) else { continue };
            for (i, (a, w)) in self.reached(k).enumerate() {
                self.reached(k).take(i + 1).for_each(|(b, x)| self.add_block(&own, a, b, w * x, h));
            }
        }
    }
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        if !self.is_most(part) {
            for &k in part.constraints {
                let k = k as usize;
                if let Some(own) = self.curvature(k, pools, evals) {
                    self.reached(k).for_each(|(b, w)| self.add_block(&own, b, b, w * w, h));
                }
            }
            return;
        }
        let mut room = self.room.borrow_mut();
        let bends = &mut room.bends;
        bends.clear();
        bends.resize(self.rows.frames.len(), [0.0; 6]);
        for &k in part.constraints {
            let k = k as usize;
            if let Some(m) = self.curvature(k, pools, evals) {
                bends[k] = [m[(0, 0)], m[(1, 0)], m[(2, 0)], m[(1, 1)], m[(2, 1)], m[(2, 2)]];
            }
        }
        for b in 0..self.freedoms.len() {
            let mut sum = [0.0; 6];
            for (k, w) in &self.contacts[self.columns[b]..self.columns[b + 1]] {
                sum.iter_mut().zip(&bends[*k as usize]).for_each(|(s, m)| *s += w * w * m);
            }
            let [xx, xy, xz, yy, yz, zz] = sum;
            self.add_block(&Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz), b, b, 1.0, h);
        }
    }
}

impl AffineMap for NodeMap {
    fn check_fit(&self, starts: &[usize], pools: &Pools) -> Result<(), ProblemError> {
        check_blocks(starts, &self.starts)?;
        check_count("constraints of the map", pools.constraint_count(), self.rows.frames.len())?;
        for k in 0..self.rows.frames.len() {
            check_count("rows of a constraint", pools.rows(k).1, 3)?;
        }
        check_finite("weights of nodes", &self.rows.weights)?;
        check_finite("surface velocity", &self.rows.bias)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use signorini_core::na::DMatrix;
    use signorini_core::{ContactGeometry, ContactMaterial, ContactSeed, ContactSide, FrozenMap};

    use super::*;
    use crate::{Border, Wall};

    /// Sums up blocks of a symmetric matrix.
    struct Dense<'a>(&'a [usize], DMatrix<f64>);

    impl BlockSink for Dense<'_> {
        fn add(&mut self, row: usize, col: usize, block: &[f64]) {
            let (r, c) = (self.0[row]..self.0[row + 1], self.0[col]..self.0[col + 1]);
            let block = DMatrix::from_column_slice(r.len(), c.len(), block);
            let mut own = self.1.view_mut((r.start, c.start), (r.len(), c.len()));
            own += &block;
            if row != col {
                let mut mirrored = self.1.view_mut((c.start, r.start), (c.len(), r.len()));
                mirrored += block.transpose();
            }
        }
    }

    fn dense(starts: &[usize], fill: impl FnOnce(&mut dyn BlockSink)) -> DMatrix<f64> {
        let n = starts[starts.len() - 1];
        let mut out = Dense(starts, DMatrix::zeros(n, n));
        fill(&mut out);
        out.1
    }

    /// Nodes, of which each has 3, 2 or 1 directions left.
    fn freedom(kind: u8, tilt: &Vector3<f64>) -> Freedom {
        let wall = |normal: Vector3<f64>| Wall {
            normal: normal.normalize(),
            point: Vector3::zeros(),
            border: Border::Slip,
        };
        let walls = [wall(Vector3::z() + 0.3 * tilt), wall(Vector3::x() - 0.2 * tilt)];
        Freedom::at(&Vector3::zeros(), 1.0, &walls[..usize::from(kind)])
    }

    proptest! {
        /// Weights and frames agree with dense blocks w Rᵀ B: velocities, gradients, Hessians and their diagonal blocks.
        #[test]
        fn property_a_node_map_is_the_frozen_map_of_its_blocks(
            kinds in prop::collection::vec((0u8..3, prop::array::uniform3(-1.0..1.0f64)), 4..9),
            contacts in prop::collection::vec((prop::array::uniform3(-1.0..1.0f64), prop::collection::vec(0.01..1.0f64, 9)), 1..6),
            v in prop::collection::vec(-1.0..1.0f64, 27),
        ) {
            let freedoms: Vec<Freedom> = kinds.iter().map(|(k, t)| freedom(*k, &Vector3::from(*t))).collect();
            let mut map = NodeMap::default();
            map.begin(freedoms.iter().copied());
            let starts = map.starts.clone();
            let mut blocks = FrozenMap::new(&starts);
            let mut seeds = Vec::new();
            for (k, (n, weights)) in contacts.iter().enumerate() {
                let n = Vector3::from(*n) + Vector3::new(0.0, 0.0, 1.5);
                let (frame, bias) = (ContactGeometry::frame(&n.normalize()), 0.1 * n);
                // Some nodes, not the same for all.
                let reached: Vec<(u32, f64)> = (0..freedoms.len()).filter(|b| (b + k) % 4 != 0).map(|b| (b as u32, weights[b])).collect();
                reached.iter().for_each(|(b, w)| map.rows.reach(*b, *w));
                map.rows.end(&frame, &bias);
                blocks.push_constraint(bias.as_slice());
                for (b, w) in &reached {
                    let own = *w * frame.transpose() * freedoms[*b as usize].basis();
                    blocks.push_block(*b as usize).copy_from_slice(own.as_slice());
                }
                seeds.push(ContactSeed { dt: 1e-3, gap: -1e-3, velocity: Vector3::zeros(), material: ContactMaterial::default(), sides: [ContactSide::default(); 2], curvature: None, });
            }
            map.finish();
            let law = signorini_laws::contact_pool("lagged").unwrap();
            let pools = Pools::new(vec![crate::seeded(&*law, seeds).unwrap()]);
            map.check_fit(&starts, &pools).unwrap();
            let (nodes, all): (Vec<u32>, Vec<u32>) = ((0..freedoms.len() as u32).collect(), (0..contacts.len() as u32).collect());
            let part = Part { blocks: &nodes, constraints: &all };
            let v = &v[..starts[freedoms.len()]];
            let (mut a, mut b) = (vec![0.0; 3 * contacts.len()], vec![0.0; 3 * contacts.len()]);
            map.velocity(part, v, &mut a);
            blocks.velocity(part, v, &mut b);
            let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + a.abs()));
            prop_assert!(near(&a, &b));
            let mut evals = Evals::default();
            pools.size_evals(&mut evals);
            pools.eval(part, &a, &mut evals);
            map.apply_linear(part, v, &mut a);
            blocks.apply_linear(part, v, &mut b);
            prop_assert!(near(&a, &b));
            let (mut a, mut b) = (vec![0.5; v.len()], vec![0.5; v.len()]);
            map.add_gradient(part, &pools, &evals, &mut a);
            blocks.add_gradient(part, &pools, &evals, &mut b);
            prop_assert!(near(&a, &b));
            let both = [
                (dense(&starts, |h| map.add_hessian(part, &pools, &evals, h)), dense(&starts, |h| blocks.add_hessian(part, &pools, &evals, h))),
                (dense(&starts, |h| map.add_block_diagonal(part, &pools, &evals, h)), dense(&starts, |h| blocks.add_block_diagonal(part, &pools, &evals, h))),
            ];
            for (a, b) in both {
                prop_assert!((&a - &b).amax() <= 1e-12 * b.amax(), "{a} {b}");
                prop_assert!(b.amax() > 0.0);
            }
        }
    }
}
