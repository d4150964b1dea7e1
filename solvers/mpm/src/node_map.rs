use std::cell::RefCell;
use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    AffineMap, BlockSink, ContactMap, Evals, Part, Pools, ProblemError, check_blocks, check_count,
    check_finite,
};

use crate::freedom::Freedom;

/// Contact velocities of particles from the velocities of nodes: a weight for each node that a particle reaches, and the frame of the contact. A ninth of what dense blocks take.
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
    /// Where the entries of each constraint begin, and their end.
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
    fn add_block(&self, h: &Matrix3<f64>, (a, b): (usize, usize), w: f64, out: &mut dyn BlockSink) {
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
                self.reached(k).take(i + 1).for_each(|(b, x)| self.add_block(&own, (a, b), w * x, h));
            }
        }
    }
    fn add_block_diagonal(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        for &k in part.constraints {
            let k = k as usize;
            if let Some(own) = self.curvature(k, pools, evals) {
                self.reached(k).for_each(|(b, w)| self.add_block(&own, (b, b), w * w, h));
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
