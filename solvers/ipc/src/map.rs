use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use signorini_core::na::{Matrix3, Vector2, Vector3};
use signorini_core::{BlockSink, ContactMap, Evals, Part, Pools};
use signorini_geometry::{Mollifier, StencilDistance, StencilPair};

use crate::gram::{PAIR, gram};
use crate::skin_points::SkinPoint;
use crate::spread::{Side, add_outer, blocks, relative_velocity, spread};
use crate::threads::Threads;
use crate::world::{N, World};

/// A pair within the range of the barrier, at the last linearisation.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    pub pair: StencilPair,
    pub sides: [u8; 4],
    /// Weight of the pair and how often it counts, without its mollifier.
    pub weight: f64,
    pub x: [Vector3<f64>; 4],
    pub distance: StencilDistance,
    /// d less the radii of both surfaces \[m\].
    pub gap: f64,
    /// The gap that rates are counted from \[m\].
    pub start: f64,
    /// Mollifier of edge–edge pairs that are nearly parallel.
    pub mollifier: Option<Mollifier>,
    /// Spread of the weights of the distance.
    pub spread: [Side; 2],
}

impl Near {
    /// From the other body to that of the first point.
    pub(crate) fn normal_to_first(&self) -> Vector3<f64> {
        self.distance.r / self.distance.distance()
    }
}

/// Weights of the vectors along both edges of a pair of edges.
const EDGES: [[f64; 4]; 2] = [[-1.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0, 1.0]];

/// Part of its velocity that a contact must keep to count as sliding on.
const SLIDES_ON: f64 = 0.25;

/// A contact with friction, at the start of the step.
#[derive(Clone, Debug)]
pub(crate) struct Sliding {
    pub pair: StencilPair,
    /// Weights of the points, of the distance at the start.
    pub weights: [f64; 4],
    /// Spread of the material points where the surfaces touch.
    pub spread: [Side; 2],
    /// Two orthonormal directions.
    pub tangents: [Vector3<f64>; 2],
    /// The last Newton step let it slide on in about the direction in which it slides.
    pub slides: bool,
}

/// One of the constraints of the map.
enum Constraint<'a> {
    Near(&'a Near),
    Sliding(&'a Sliding),
    Skin(&'a SkinPoint),
}

/// The constraints of two bodies, the vectors whose squares are their Hessian, and the sum of those squares.
#[derive(Clone, Debug)]
struct PairSum {
    surfaces: [u32; 2],
    /// Ranges of the near pairs, contacts with friction and points of the skin of a part.
    runs: [Range<usize>; 3],
    y: Vec<[f64; PAIR]>,
    h: [f64; PAIR * PAIR],
}

impl Default for PairSum {
    fn default() -> Self {
        Self { surfaces: [0; 2], runs: [0..0, 0..0, 0..0], y: Vec::new(), h: [0.0; PAIR * PAIR] }
    }
}

/// Rates of distances of pairs, tangential velocities of contacts with friction, and velocities of points of the skin.
pub(crate) struct BarrierMap {
    pub dt: f64,
    pub near: Vec<Near>,
    pub sliding: Vec<Sliding>,
    pub skin: Vec<SkinPoint>,
    /// Mollifiers of the near pairs times their weights, then ones.
    pub weights: Vec<f64>,
    /// Secant rate of each near pair at the linearisation, and the velocity there.
    pub rates: Vec<f64>,
    pub v: Vec<f64>,
    /// Free bodies that each constraint touches, and how many.
    blocks: Vec<([u32; 2], u8)>,
    world: Arc<World>,
    pub threads: Threads,
    sums: RefCell<Vec<PairSum>>,
}

/// Vectors whose squares sum up to the Hessian of a near pair.
fn near_vectors(
    world: &World,
    dt: f64,
    near: &Near,
    [cost, grad, hess]: [f64; 3],
    out: &mut Vec<[f64; PAIR]>,
) {
    let by_d = [dt * dt * cost, dt * grad, hess].map(|x| near.weight * x);
    let bodies = world.bodies_of(near.pair.surfaces);
    let moving = near.sides.map(|s| world.free[bodies[s as usize] as usize].is_some());
    let curvature = near.distance.curvature_vectors(&near.x, by_d, near.mollifier.as_ref(), moving);
    for v in curvature.vectors() {
        let mut y = [0.0; PAIR];
        for (w, e) in v.weights.iter().zip(&v.directions) {
            if *w != [0.0; 4] {
                let spread = spread(world, &near.pair, &near.sides, w);
                add_outer(&mut y[..N], &spread[0], e);
                add_outer(&mut y[N..], &spread[1], e);
            }
        }
        out.push(y);
    }
}

/// Vectors of a contact with friction, from its 2 × 2 Hessian.
///
/// Friction pulls with less than its slope promises once the slip has changed its sign: full Newton steps of contacts that are about to stick jump to and fro. The larger eigenvalue in both
/// directions is the curvature of a parabola that lies above f₀ everywhere; it is used until a contact slides on.
fn sliding_vectors(s: &Sliding, hess: &[f64], out: &mut Vec<[f64; PAIR]>) {
    let (mean, half) = (0.5 * (hess[0] + hess[3]), 0.5 * (hess[0] - hess[3]));
    let most = mean + half.hypot(hess[1]);
    let hess = if s.slides { [hess[0], hess[1], hess[1], hess[3]] } else { [most, 0.0, 0.0, most] };
    // H = L Lᵀ; a column of L is one direction.
    let l00 = hess[0].max(0.0).sqrt();
    let l10 = if l00 > 0.0 { hess[1] / l00 } else { 0.0 };
    let l11 = (hess[3] - l10 * l10).max(0.0).sqrt();
    for e in [l00 * s.tangents[0] + l10 * s.tangents[1], l11 * s.tangents[1]] {
        let mut y = [0.0; PAIR];
        add_outer(&mut y[..N], &s.spread[0], &e);
        add_outer(&mut y[N..], &s.spread[1], &e);
        out.push(y);
    }
}

/// Vectors of a point of the skin, from its 3 × 3 Hessian, of which the positive part is kept.
fn skin_vectors(s: &SkinPoint, hess: &[f64], out: &mut Vec<[f64; PAIR]>) {
    let eigen = Matrix3::from_column_slice(hess).symmetric_eigen();
    for (value, axis) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > 0.0 {
            let [along, across] = s.parts(&(value.sqrt() * axis));
            let mut y = [0.0; PAIR];
            for (y, side) in y.chunks_exact_mut(N).zip(0..) {
                add_outer(y, &s.spread[side], &along);
                add_outer(y, &s.surface[side], &across);
            }
            out.push(y);
        }
    }
}

impl BarrierMap {
    pub(crate) fn new(world: Arc<World>, threads: Threads) -> Self {
        Self {
            dt: 0.0,
            near: Vec::new(),
            sliding: Vec::new(),
            skin: Vec::new(),
            weights: Vec::new(),
            rates: Vec::new(),
            v: Vec::new(),
            blocks: Vec::new(),
            world,
            threads,
            sums: RefCell::new(Vec::new()),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.near.clear();
        self.weights.clear();
        self.rates.clear();
        self.blocks.clear();
    }

    /// The next constraint is of this pair.
    pub(crate) fn push_blocks(&mut self, pair: &StencilPair) {
        let free = self.world.bodies_of(pair.surfaces).map(|b| self.world.free[b as usize]);
        self.blocks.push(match free {
            [Some(a), Some(b)] => ([a, b], 2),
            [Some(a), None] | [None, Some(a)] => ([a, a], 1),
            [None, None] => ([0, 0], 0),
        });
    }

    /// First row of constraint k.
    fn row(&self, k: usize) -> usize {
        let (n, m) = (self.near.len(), self.sliding.len());
        match k {
            k if k < n => k,
            k if k < n + m => n + 2 * (k - n),
            k => n + 2 * m + 3 * (k - n - m),
        }
    }

    /// Constraint k, and its two surfaces.
    fn constraint(&self, k: usize) -> (Constraint<'_>, [u32; 2]) {
        let (n, m) = (self.near.len(), self.sliding.len());
        let (of, pair) = match k {
            k if k < n => (Constraint::Near(&self.near[k]), &self.near[k].pair),
            k if k < n + m => (Constraint::Sliding(&self.sliding[k - n]), &self.sliding[k - n].pair),
            k => (Constraint::Skin(&self.skin[k - n - m]), &self.skin[k - n - m].pair),
        };
        (of, pair.surfaces)
    }

    fn add_outer(&self, pair: &StencilPair, spread: &[Side; 2], e: &Vector3<f64>, g: &mut [f64]) {
        for (side, free) in spread.iter().zip(blocks(&self.world, pair)) {
            if let Some(b) = free {
                add_outer(&mut g[N * b..N * b + N], side, e);
            }
        }
    }

    /// Hands the sum of two surfaces on.
    fn flush(&self, sum: &PairSum, sink: &mut dyn BlockSink) {
        let mut block = [0.0; N * N];
        let mut add = |row: usize, col: usize, at: usize| {
            for (c, to) in block.chunks_exact_mut(N).enumerate() {
                to.copy_from_slice(&sum.h[at + PAIR * c..at + PAIR * c + N]);
            }
            sink.add(row, col, &block);
        };
        let bodies = self.world.bodies_of(sum.surfaces);
        let [a, b] = bodies.map(|b| self.world.free[b as usize].map(|f| f as usize));
        if let Some(a) = a {
            add(a, a, 0);
        }
        if let Some(b) = b {
            add(b, b, PAIR * N + N);
            if let Some(a) = a {
                add(b, a, N);
            }
        }
    }
}

impl ContactMap for BarrierMap {
    fn blocks_of(&self, k: usize) -> &[u32] {
        let (blocks, count) = &self.blocks[k];
        &blocks[..*count as usize]
    }

    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        let change: Vec<f64> = v.iter().zip(&self.v).map(|(a, b)| a - b).collect();
        for k in part.constraints.iter().map(|&k| k as usize) {
            let row = self.row(k);
            match self.near.get(k) {
                Some(n) => {
                    let u = relative_velocity(&self.world, &n.pair, &n.spread, &change);
                    v_c[row] = self.rates[k] + n.normal_to_first().dot(&u);
                }
                None => self.linear(k, v, v_c),
            }
        }
    }

    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        part.constraints.iter().for_each(|&k| self.linear(k as usize, dv, dv_c));
    }

    fn weights(&self) -> Option<&[f64]> {
        Some(&self.weights)
    }

    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        for k in part.constraints.iter().map(|&k| k as usize) {
            let row = self.row(k);
            let near = match self.constraint(k).0 {
                Constraint::Near(near) => near,
                Constraint::Sliding(s) => {
                    let e = evals.grad[row] * s.tangents[0] + evals.grad[row + 1] * s.tangents[1];
                    self.add_outer(&s.pair, &s.spread, &e, g);
                    continue;
                }
                Constraint::Skin(s) => {
                    let [along, across] = s.parts(&Vector3::from_column_slice(&evals.grad[row..row + 3]));
                    self.add_outer(&s.pair, &s.spread, &along, g);
                    self.add_outer(&s.pair, &s.surface, &across, g);
                    continue;
                }
            };
            let force = self.weights[k] * evals.grad[row];
            self.add_outer(&near.pair, &near.spread, &(force * near.normal_to_first()), g);
            let Some((_, [by_u, by_v])) = near.mollifier.and_then(|m| m.gradient(&near.x)) else { continue };
            let cost = self.dt * near.weight * evals.cost[k];
            for (weights, e) in EDGES.iter().zip([by_u, by_v]) {
                let spread = spread(&self.world, &near.pair, &near.sides, weights);
                self.add_outer(&near.pair, &spread, &(cost * e), g);
            }
        }
    }

    /// Pairs are sorted by surfaces: all that two of them have in common goes to the matrix at once.
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let starts = [self.near.len(), self.near.len() + self.sliding.len()];
        let (near, rest) =
            part.constraints.split_at(part.constraints.partition_point(|&k| (k as usize) < starts[0]));
        let (sliding, skin) = rest.split_at(rest.partition_point(|&k| (k as usize) < starts[1]));
        let groups = [near, sliding, skin];
        let surfaces_of = |k: &u32| self.constraint(*k as usize).1;
        let mut sums = self.sums.borrow_mut();
        let (mut count, mut at) = (0, [0; 3]);
        while let Some(surfaces) = groups.iter().zip(at).filter_map(|(g, i)| g.get(i).map(surfaces_of)).min()
        {
            if count == sums.len() {
                sums.push(PairSum::default());
            }
            let sum = &mut sums[count];
            sum.surfaces = surfaces;
            for ((run, group), at) in sum.runs.iter_mut().zip(groups).zip(&mut at) {
                let more = group[*at..].iter().take_while(|k| surfaces_of(k) == surfaces).count();
                *run = *at..*at + more;
                *at += more;
            }
            count += 1;
        }
        let (world, dt, nears, slidings, skins) =
            (&*self.world, self.dt, &self.near, &self.sliding, &self.skin);
        self.threads.fill(&mut sums[..count], |_, sum| {
            sum.y.clear();
            let [of_near, of_sliding, of_skin] = sum.runs.clone();
            for k in near[of_near].iter().map(|&k| k as usize) {
                let values = [evals.cost[k], evals.grad[k], evals.hess[pools.hess_start(k)]];
                if values[0] > 0.0 {
                    near_vectors(world, dt, &nears[k], values, &mut sum.y);
                }
            }
            for k in sliding[of_sliding].iter().map(|&k| k as usize) {
                let at = pools.hess_start(k);
                sliding_vectors(&slidings[k - starts[0]], &evals.hess[at..at + 4], &mut sum.y);
            }
            for k in skin[of_skin].iter().map(|&k| k as usize) {
                let at = pools.hess_start(k);
                skin_vectors(&skins[k - starts[1]], &evals.hess[at..at + 9], &mut sum.y);
            }
            gram(&sum.y, &mut sum.h);
        });
        sums[..count].iter().filter(|s| !s.y.is_empty()).for_each(|s| self.flush(s, h));
    }
}

impl BarrierMap {
    /// Takes note of which contacts slide on when `dv` is added to the velocity of the linearisation.
    pub(crate) fn foresee(&mut self, dv: &[f64], v_c: &[f64], stiction_speed: f64) {
        for i in 0..self.sliding.len() {
            let row = self.row(self.near.len() + i);
            let s = &self.sliding[i];
            let change = relative_velocity(&self.world, &s.pair, &s.spread, dv);
            let now = Vector2::new(v_c[row], v_c[row + 1]);
            let then = now + Vector2::new(s.tangents[0].dot(&change), s.tangents[1].dot(&change));
            self.sliding[i].slides =
                then.norm() > stiction_speed && now.dot(&then) > SLIDES_ON * now.norm_squared();
        }
    }

    /// Row or rows of a constraint: the part that is linear in the velocity.
    fn linear(&self, k: usize, v: &[f64], v_c: &mut [f64]) {
        let row = self.row(k);
        match self.constraint(k).0 {
            Constraint::Near(n) => {
                v_c[row] = n.normal_to_first().dot(&relative_velocity(&self.world, &n.pair, &n.spread, v));
            }
            Constraint::Sliding(s) => {
                let u = relative_velocity(&self.world, &s.pair, &s.spread, v);
                (v_c[row], v_c[row + 1]) = (s.tangents[0].dot(&u), s.tangents[1].dot(&u));
            }
            Constraint::Skin(s) => {
                v_c[row..row + 3].copy_from_slice(s.velocity(&self.world, v).as_slice());
            }
        }
    }

    /// Calls `visit` with the sides of constraints that exert forces: the two surfaces, the spread of the points of each and the force \[N\] that goes with it.
    pub(crate) fn forces(&self, evals: &Evals, mut visit: impl FnMut([u32; 2], &[Side; 2], Vector3<f64>)) {
        let scale = -1.0 / self.dt;
        for (k, near) in self.near.iter().enumerate() {
            let along = scale * self.weights[k] * evals.grad[k] * near.normal_to_first();
            visit(near.pair.surfaces, &near.spread, along);
            let Some((_, turning)) = near.mollifier.and_then(|m| m.gradient(&near.x)) else { continue };
            let cost = scale * self.dt * near.weight * evals.cost[k];
            for (weights, e) in EDGES.iter().zip(turning) {
                let spread = spread(&self.world, &near.pair, &near.sides, weights);
                visit(near.pair.surfaces, &spread, cost * e);
            }
        }
        for (k, s) in self.sliding.iter().enumerate() {
            let row = self.row(self.near.len() + k);
            let force = scale * (evals.grad[row] * s.tangents[0] + evals.grad[row + 1] * s.tangents[1]);
            visit(s.pair.surfaces, &s.spread, force);
        }
        for (k, s) in self.skin.iter().enumerate() {
            let row = self.row(self.near.len() + self.sliding.len() + k);
            let [along, across] = s.parts(&Vector3::from_column_slice(&evals.grad[row..row + 3]));
            visit(s.pair.surfaces, &s.spread, scale * along);
            visit(s.pair.surfaces, &s.surface, scale * across);
        }
    }
}
