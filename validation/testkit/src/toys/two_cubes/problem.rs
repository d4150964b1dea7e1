use signorini_core::na::{Point3, Vector3};
use signorini_core::{
    BlockDiagonal, BlockSink, Changed, ContactGeometry, ContactMap, Evals, Inertia, Part, Pool, Pools,
    ProblemError, Regime, SmoothPotential, StepProblem, WholePart, check_finite,
};

use super::cube::{Cube, N, vertex, vertex_inside};
use super::stencil::{self, Proximity, Stencil};
use crate::toys::{LogBarrier, LogBarrierSeed};

/// The fraction of the gap that [`StepProblem::max_step`] leaves.
const KEEP: f64 = 0.1;

/// One step of two cubes; distances are queried at q(v) = q₀ + δt v.
pub(super) struct CubesProblem {
    pub(super) ready: bool,
    cubes: [Cube; 2],
    range: f64,
    stiffness: f64,
    stencils: Vec<Stencil>,
    dt: f64,
    q0: Vec<f64>,
    v0: Vec<f64>,
    gaps: Vec<f64>,
    inertia: BlockDiagonal,
    free_velocity: Vec<f64>,
    pools: Pools,
    map: CubesMap,
    v_c: Vec<f64>,
    contacts: Vec<ContactGeometry>,
    orthogonality: Orthogonality,
    whole: WholePart,
    evals: Evals,
}

impl CubesProblem {
    pub(super) fn new(cubes: [Cube; 2], range: f64, stiffness: f64) -> Self {
        let stencils = stencil::all();
        let n = stencils.len();
        let mut inertia = BlockDiagonal::with_sizes(&[N, N]);
        for (b, cube) in cubes.iter().enumerate() {
            for i in 0..N {
                inertia.block_mut(b)[(N + 1) * i] =
                    if i < 3 { cube.mass } else { cube.mass * cube.half * cube.half / 3.0 };
            }
        }
        Self {
            ready: false,
            cubes,
            range,
            stiffness,
            stencils,
            dt: 0.0,
            q0: Vec::new(),
            v0: Vec::new(),
            gaps: vec![0.0; n],
            inertia,
            free_velocity: vec![0.0; 2 * N],
            pools: Pools::new(vec![Box::new(Pool::<LogBarrier, 1>::new(LogBarrier))]),
            map: CubesMap::new(n),
            v_c: vec![0.0; n],
            contacts: Vec::new(),
            orthogonality: Orthogonality { cubes, dt: 0.0, q0: Vec::new() },
            whole: WholePart::default(),
            evals: Evals::default(),
        }
    }

    pub(super) fn prepare(&mut self, q: &[f64], v: &[f64]) -> Result<(), ProblemError> {
        self.ready = false;
        self.q0.clear();
        self.q0.extend_from_slice(q);
        self.v0.clear();
        self.v0.extend_from_slice(v);
        self.inertia.factor()?;
        for (gap, s) in self.gaps.iter_mut().zip(&self.stencils) {
            *gap = s.proximity(&corners(&self.cubes, s, q)).gap;
        }
        let gap = self.gaps.iter().copied().fold(f64::INFINITY, f64::min);
        if gap <= 0.0 || vertex_inside(&self.cubes, q) {
            let (a, b) = ("first cube".into(), "second cube".into());
            return Err(ProblemError::Intersecting { a, b, gap: -gap });
        }
        self.ready = true;
        Ok(())
    }

    pub(super) fn set_step(&mut self, dt: f64) -> Result<(), ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        self.dt = dt;
        self.free_velocity.clone_from(&self.v0);
        for (b, cube) in self.cubes.iter().enumerate() {
            for i in 0..3 {
                self.free_velocity[N * b + i] += dt * cube.acceleration[i];
            }
        }
        check_finite("free velocity", &self.free_velocity)?;
        if let Some(pool) = self.pools.member_mut(0).as_any_mut().downcast_mut::<Pool<LogBarrier, 1>>() {
            pool.clear();
            for &gap in &self.gaps {
                pool.push(&LogBarrierSeed { dt, gap, range: self.range, stiffness: self.stiffness });
            }
        }
        self.pools.layout();
        self.pools.size_evals(&mut self.evals);
        self.orthogonality.dt = dt;
        self.orthogonality.q0.clone_from(&self.q0);
        let mut whole = std::mem::take(&mut self.whole);
        whole.fit(self);
        self.whole = whole;
        Ok(())
    }

    fn positions(&self, v: &[f64]) -> Vec<f64> {
        self.q0.iter().zip(v).map(|(q, v)| q + self.dt * v).collect()
    }

    fn smallest_gap(&self, q: &[f64]) -> f64 {
        self.stencils
            .iter()
            .map(|s| s.proximity(&corners(&self.cubes, s, q)).gap)
            .fold(f64::INFINITY, f64::min)
    }
}

pub(super) fn corners(cubes: &[Cube; 2], s: &Stencil, q: &[f64]) -> [Vector3<f64>; 4] {
    s.vertices().map(|(b, i)| vertex(&cubes[b], &q[N * b..], i))
}

/// Σᵢ (∂xᵢ/∂q)ᵀ fᵢ over the four vertices of a stencil.
fn pull_back(cubes: &[Cube; 2], s: &Stencil, f: impl Fn(usize) -> Vector3<f64>) -> [f64; 2 * N] {
    let mut g = [0.0; 2 * N];
    for (i, &(b, corner)) in s.vertices().iter().enumerate() {
        for (c, x) in cubes[b].coordinates(corner).into_iter().enumerate() {
            for k in 0..3 {
                g[N * b + 3 * c + k] += x * f(i)[k];
            }
        }
    }
    g
}

impl StepProblem for CubesProblem {
    fn dt(&self) -> f64 {
        self.dt
    }
    fn inertia(&self) -> &dyn Inertia {
        &self.inertia
    }
    fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
    fn smooth(&self) -> Option<&dyn SmoothPotential> {
        Some(&self.orthogonality)
    }
    fn regime(&self) -> Regime {
        Regime::Requeried
    }

    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        check_finite("velocity", v)?;
        let q = self.positions(v);
        let lengths = [2.0 * self.cubes[0].half, 2.0 * self.cubes[1].half];
        self.contacts.clear();
        for (k, s) in self.stencils.iter().enumerate() {
            let x = corners(&self.cubes, s, &q);
            let Proximity { gap, coefficients: c, direction } = s.proximity(&x);
            let w = s.weight(&x, lengths);
            self.v_c[k] = (gap - self.gaps[k]) / self.dt;
            self.map.jac[k] = pull_back(&self.cubes, s, |i| c[i] * direction);
            self.map.weight[k] = w.value;
            self.map.weight_rate[k] = pull_back(&self.cubes, s, |i| self.dt * w.gradient[i]);
            self.map.bias[k] = self.v_c[k] - dot(&self.map.jac[k], v);
            if gap < self.range {
                // The normal points from the first cube into the second: r joins feature two to one.
                let first = s.vertices()[0].0;
                let n = if first == 0 { -direction } else { direction };
                let on_first = (0..4).filter(|&i| s.vertices()[i].0 == 0);
                let p = on_first.map(|i| c[i].abs() * x[i]).sum::<Vector3<f64>>();
                self.contacts.push(ContactGeometry {
                    constraint: k as u32,
                    bodies: [0, 1],
                    geoms: [0, 1],
                    p_wc: Point3::from(p),
                    arms: [Vector3::zeros(); 2],
                    r_wc: ContactGeometry::frame(&n),
                    gap: self.gaps[k],
                    feature: k as u64,
                });
            }
        }
        Ok(Changed::Map)
    }

    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        check_finite("velocity", v)?;
        let q = self.positions(v);
        let lengths = [2.0 * self.cubes[0].half, 2.0 * self.cubes[1].half];
        let (mut v_c, mut weights) = (self.v_c.clone(), self.map.weight.clone());
        for (k, s) in self.stencils.iter().enumerate() {
            let x = corners(&self.cubes, s, &q);
            v_c[k] = (s.proximity(&x).gap - self.gaps[k]) / self.dt;
            weights[k] = s.weight(&x, lengths).value;
        }
        self.pools.cost(self.whole.part(), &v_c, &mut self.evals.cost);
        if self.evals.cost.iter().any(|c| c.is_infinite()) {
            return Ok(f64::INFINITY);
        }
        let contact = dot(&weights, &self.evals.cost);
        let dv: Vec<f64> = v.iter().zip(&self.free_velocity).map(|(a, b)| a - b).collect();
        let mut momentum = vec![0.0; dv.len()];
        self.inertia.apply(self.whole.part(), &dv, &mut momentum);
        Ok(0.5 * dot(&dv, &momentum) + self.orthogonality.value(v) + contact)
    }

    fn contact_velocities(&self) -> &[f64] {
        &self.v_c
    }
    fn pools(&self) -> &Pools {
        &self.pools
    }
    fn map(&self) -> &dyn ContactMap {
        &self.map
    }
    fn contacts(&self) -> &[ContactGeometry] {
        &self.contacts
    }

    /// Conservative advancement: no vertex moves farther than the gap allows, and a tenth of the gap is left.
    fn max_step(&mut self, v: &[f64], dv: &[f64]) -> f64 {
        let (start, end) = (self.positions(v), self.positions(dv));
        let travel: Vec<f64> = end.iter().zip(&self.q0).map(|(a, b)| a - b).collect();
        let mut speed = 0.0;
        for (b, cube) in self.cubes.iter().enumerate() {
            speed += (0..8).map(|i| vertex(cube, &travel[N * b..], i).norm()).fold(0.0, f64::max);
        }
        let first = self.smallest_gap(&start);
        let (mut alpha, mut gap) = (0.0, first);
        for _ in 0..200 {
            if gap.is_nan() || gap <= 2.0 * KEEP * first {
                return alpha;
            }
            alpha += 0.9 * (gap - KEEP * first) / speed;
            if alpha >= 1.0 {
                return 1.0;
            }
            let q: Vec<f64> = start.iter().zip(&travel).map(|(q, d)| q + alpha * d).collect();
            gap = self.smallest_gap(&q);
        }
        alpha
    }
}

/// Σ m a² / 3 per cube is inside the inertia; this is the potential that keeps the axes orthonormal:
/// Ψ = Σ κ ‖AᵀA − 1‖²_F at A = A₀ + δt Ȧ.
struct Orthogonality {
    cubes: [Cube; 2],
    dt: f64,
    q0: Vec<f64>,
}

impl Orthogonality {
    fn axes(&self, b: usize, v: &[f64]) -> [Vector3<f64>; 3] {
        [0, 1, 2].map(|c| {
            Vector3::from_fn(|k, _| {
                let i = N * b + 3 + 3 * c + k;
                self.q0[i] + self.dt * v[i]
            })
        })
    }
}

/// κ ‖AᵀA − 1‖²_F \[J\].
pub(super) fn stretch_energy(stiffness: f64, a: &[Vector3<f64>; 3]) -> f64 {
    let mut sum = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            sum += (a[i].dot(&a[j]) - f64::from(u8::from(i == j))).powi(2);
        }
    }
    stiffness * sum
}

impl SmoothPotential for Orthogonality {
    fn value(&self, v: &[f64]) -> f64 {
        (0..2).map(|b| stretch_energy(self.cubes[b].stiffness, &self.axes(b, v))).sum()
    }
    fn add_gradient(&self, v: &[f64], g: &mut [f64]) {
        for b in 0..2 {
            let a = self.axes(b, v);
            for i in 0..3 {
                for j in 0..3 {
                    let residual = a[i].dot(&a[j]) - f64::from(u8::from(i == j));
                    let force = 4.0 * self.cubes[b].stiffness * self.dt * residual * a[j];
                    for k in 0..3 {
                        g[N * b + 3 + 3 * i + k] += force[k];
                    }
                }
            }
        }
    }
    fn add_hessian(&self, v: &[f64], h: &mut dyn BlockSink) {
        // Gauss–Newton: 2κ Σ ∇r ∇rᵀ over the nine residuals r_ij = a_i·a_j − δ_ij.
        for b in 0..2 {
            let a = self.axes(b, v);
            let mut block = [0.0; N * N];
            for i in 0..3 {
                for j in 0..3 {
                    let mut grad = [0.0; N];
                    for k in 0..3 {
                        grad[3 + 3 * i + k] += self.dt * a[j][k];
                        grad[3 + 3 * j + k] += self.dt * a[i][k];
                    }
                    add_outer(2.0 * self.cubes[b].stiffness, &grad, &grad, &mut block);
                }
            }
            h.add(b, b, &block);
        }
    }
}

/// Gap rates of all stencils, linearised; weights and their rates.
struct CubesMap {
    jac: Vec<[f64; 2 * N]>,
    bias: Vec<f64>,
    weight: Vec<f64>,
    weight_rate: Vec<[f64; 2 * N]>,
}

impl CubesMap {
    fn new(n: usize) -> Self {
        let rows = vec![[0.0; 2 * N]; n];
        Self { jac: rows.clone(), bias: vec![0.0; n], weight: vec![1.0; n], weight_rate: rows }
    }
}

impl ContactMap for CubesMap {
    fn blocks_of(&self, _: usize) -> &[u32] {
        &[0, 1]
    }
    fn velocity(&self, part: Part<'_>, v: &[f64], v_c: &mut [f64]) {
        for &k in part.constraints {
            v_c[k as usize] = self.bias[k as usize] + dot(&self.jac[k as usize], v);
        }
    }
    fn apply_linear(&self, part: Part<'_>, dv: &[f64], dv_c: &mut [f64]) {
        for &k in part.constraints {
            dv_c[k as usize] = dot(&self.jac[k as usize], dv);
        }
    }
    fn weights(&self) -> Option<&[f64]> {
        Some(&self.weight)
    }
    fn add_gradient(&self, part: Part<'_>, _: &Pools, evals: &Evals, g: &mut [f64]) {
        for k in part.constraints.iter().map(|&k| k as usize) {
            let (normal, weight) = (self.weight[k] * evals.grad[k], evals.cost[k]);
            for (g, (j, w)) in g.iter_mut().zip(self.jac[k].iter().zip(&self.weight_rate[k])) {
                *g += normal * j + weight * w;
            }
        }
    }
    fn add_hessian(&self, part: Part<'_>, _: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        // Gauss–Newton in (gap rate, weight): the matrix (w ℓ″, ℓ′; ℓ′, 0) has one positive eigenvalue.
        for k in part.constraints.iter().map(|&k| k as usize) {
            let a = self.weight[k] * evals.hess[k];
            let b = if self.weight[k] < 1.0 { evals.grad[k] } else { 0.0 };
            let eigenvalue = 0.5 * a + (0.25 * a * a + b * b).sqrt();
            if eigenvalue == 0.0 {
                continue;
            }
            let norm = eigenvalue.hypot(b);
            let (u, w) = (eigenvalue / norm, b / norm);
            let row: [f64; 2 * N] = std::array::from_fn(|i| u * self.jac[k][i] + w * self.weight_rate[k][i]);
            let (first, second) = row.split_at(N);
            for (r, c, x, y) in [(0, 0, first, first), (1, 0, second, first), (1, 1, second, second)] {
                let mut block = [0.0; N * N];
                add_outer(eigenvalue, x, y, &mut block);
                h.add(r, c, &block);
            }
        }
    }
}

/// block += s x yᵀ, column-major.
fn add_outer(s: f64, x: &[f64], y: &[f64], block: &mut [f64; N * N]) {
    for (c, y) in y.iter().enumerate() {
        for (r, x) in x.iter().enumerate() {
            block[N * c + r] += s * x * y;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
