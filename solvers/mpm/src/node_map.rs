use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    AffineMap, BlockSink, ContactMap, Evals, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

use crate::freedom::Freedom;

/// Contact velocities of particles from the velocities of nodes: a weight for each node that a particle reaches, and the frame of the contact. A ninth of the memory of dense blocks.
///
/// ```text
/// v_c = Rᵀ (Σ w_i B_i u_i) + b,   B_i: the directions in which node i may move
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMap {
    starts: Vec<usize>,
    freedoms: Vec<Freedom>,
    frames: Vec<Matrix3<f64>>,
    bias: Vec<f64>,
    /// Starts of the entries of each constraint, and their end.
    entries: Vec<usize>,
    blocks: Vec<u32>,
    weights: Vec<f64>,
    /// Room for a vector of each node, with a lane to spare.
    field: RefCell<Vec<[f64; 4]>>,
    arch: Arch,
}

impl NodeMap {
    /// An empty map over nodes that may move in these directions.
    pub(crate) fn new(freedoms: Vec<Freedom>) -> Self {
        let mut starts = vec![0];
        for f in &freedoms {
            starts.push(starts[starts.len() - 1] + f.count);
        }
        let field = vec![[0.0; 4]; freedoms.len()].into();
        Self { starts, freedoms, entries: vec![0], field, ..Self::default() }
    }

    /// Adds a contact with its frame, columns n, t₁, t₂ in world axes, surface velocity `bias` in that frame \[m/s\], and (block, weight) of the nodes that it reaches, ascending by block.
    pub(crate) fn push(&mut self, frame: &Matrix3<f64>, bias: &Vector3<f64>, reached: &[(u32, f64)]) {
        self.frames.push(*frame);
        self.bias.extend_from_slice(bias.as_slice());
        self.blocks.extend(reached.iter().map(|r| r.0));
        self.weights.extend(reached.iter().map(|r| r.1));
        self.entries.push(self.blocks.len());
    }

    /// (Block, weight) of the nodes of constraint `k`.
    #[inline]
    fn reached(&self, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let at = self.entries[k]..self.entries[k + 1];
        self.blocks[at.clone()].iter().map(|b| *b as usize).zip(self.weights[at].iter().copied())
    }

    /// Σ w_i B_i u_i in the frame of each contact of `part`, added to `out`.
    fn add_sums(&self, part: Part<'_>, u: &[f64], out: &mut [f64]) {
        let mut field = self.field.borrow_mut();
        for (b, node) in field.iter_mut().enumerate() {
            let own = &u[self.starts[b]..self.starts[b + 1]];
            let v = match own.as_chunks::<3>().0 {
                [whole] => (*whole).into(),
                _ => self.freedoms[b].whole(own),
            };
            *node = [v.x, v.y, v.z, 0.0];
        }
        self.arch.dispatch(Sums { map: self, part, field: &field, out });
    }

    /// R G Rᵀ with the Hessian G of constraint `k`; None where it is zero.
    #[inline]
    fn curvature(&self, k: usize, pools: &Pools, evals: &Evals) -> Option<Matrix3<f64>> {
        let hess = &evals.hess[pools.hess_start(k)..][..9];
        if hess.iter().all(|x| *x == 0.0) {
            return None;
        }
        let r = &self.frames[k];
        Some(r * Matrix3::from_column_slice(hess) * r.transpose())
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

/// Rows of the constraints of `part`.
fn rows(part: Part<'_>) -> impl Iterator<Item = Range<usize>> {
    part.constraints.iter().map(|&k| 3 * k as usize..3 * k as usize + 3)
}

/// out += Rᵀ Σ w_i field_i of the contacts of a part.
struct Sums<'a> {
    map: &'a NodeMap,
    part: Part<'a>,
    field: &'a [[f64; 4]],
    out: &'a mut [f64],
}

/// field_i += w_i R grad of the contacts of a part.
struct Spread<'a> {
    map: &'a NodeMap,
    part: Part<'a>,
    grad: &'a [f64],
    field: &'a mut [[f64; 4]],
}

// Loops over lanes, compiled for the instruction set at hand; no fused multiply-add, so that results are the same on every machine.
impl WithSimd for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { map, part, field, out } = self;
        for &k in part.constraints {
            let k = k as usize;
            let at = map.entries[k]..map.entries[k + 1];
            let (blocks, last) = map.blocks[at.clone()].as_chunks::<3>();
            let (weights, end) = map.weights[at].as_chunks::<3>();
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
            let own = map.frames[k].tr_mul(&world);
            (0..3).for_each(|i| out[3 * k + i] += own[i]);
        }
    }
}

impl WithSimd for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { map, part, grad, field } = self;
        for &k in part.constraints {
            let k = k as usize;
            let own = Vector3::new(grad[3 * k], grad[3 * k + 1], grad[3 * k + 2]);
            if own == Vector3::zeros() {
                continue;
            }
            let world = map.frames[k] * own;
            let x = [world.x, world.y, world.z, 0.0];
            let at = map.entries[k]..map.entries[k + 1];
            for (b, w) in map.blocks[at.clone()].iter().zip(&map.weights[at]) {
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

impl ContactMap for NodeMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        &self.blocks[self.entries[k]..self.entries[k + 1]]
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        rows(part).for_each(|at| v_c[at.clone()].copy_from_slice(&self.bias[at]));
        self.add_sums(part, v, v_c);
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        rows(part).for_each(|at| dv_c[at].fill(0.0));
        self.add_sums(part, dv, dv_c);
    }
    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        let mut field = self.field.borrow_mut();
        field.fill([0.0; 4]);
        self.arch.dispatch(Spread { map: self, part, grad: &evals.grad, field: &mut field });
        for (b, [x, y, z, _]) in field.iter().enumerate() {
            let (own, sum) = (&mut g[self.starts[b]..self.starts[b + 1]], Vector3::new(*x, *y, *z));
            match own.as_chunks_mut::<3>().0 {
                [whole] => (0..3).for_each(|i| whole[i] += sum[i]),
                _ => own.iter_mut().zip(self.freedoms[b].along(&sum)).for_each(|(g, x)| *g += x),
            }
        }
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
        for &k in part.constraints {
            let k = k as usize;
            if let Some(own) = self.curvature(k, pools, evals) {
                self.reached(k).for_each(|(b, w)| self.add_block(&own, b, b, w * w, h));
            }
        }
    }
}

impl AffineMap for NodeMap {
    fn check_fit(&self, starts: &[usize], pools: &Pools) -> Result<(), ProblemError> {
        check_blocks(starts, &self.starts)?;
        check_count("constraints of the map", pools.constraint_count(), self.frames.len())?;
        for k in 0..self.frames.len() {
            check_count("rows of a constraint", pools.rows(k).1, 3)?;
        }
        check_finite("weights of nodes", &self.weights)?;
        check_finite("surface velocity", &self.bias)
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
        Freedom::at(&Vector3::zeros(), &walls[..usize::from(kind)])
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
            let mut map = NodeMap::new(freedoms.clone());
            let starts = map.starts.clone();
            let mut blocks = FrozenMap::new(&starts);
            let mut seeds = Vec::new();
            for (k, (n, weights)) in contacts.iter().enumerate() {
                let n = Vector3::from(*n) + Vector3::new(0.0, 0.0, 1.5);
                let (frame, bias) = (ContactGeometry::frame(&n.normalize()), 0.1 * n);
                // Some nodes, not the same for all.
                let reached: Vec<(u32, f64)> = (0..freedoms.len()).filter(|b| (b + k) % 4 != 0).map(|b| (b as u32, weights[b])).collect();
                map.push(&frame, &bias, &reached);
                blocks.push_constraint(bias.as_slice());
                for (b, w) in &reached {
                    let own = *w * frame.transpose() * freedoms[*b as usize].basis();
                    blocks.push_block(*b as usize).copy_from_slice(own.as_slice());
                }
                seeds.push(ContactSeed { dt: 1e-3, gap: -1e-3, velocity: Vector3::zeros(), material: ContactMaterial::default(), sides: [ContactSide::default(); 2], curvature: None, });
            }
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
