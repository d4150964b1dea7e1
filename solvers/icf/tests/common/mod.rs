//! Random block problems that can be renumbered, and a dense Newton method to compare with.

#![allow(dead_code, reason = "every test file uses its part")]
pub(crate) mod reference;

use signorini_core::na::{DMatrix, DVector};
use signorini_core::*;
use signorini_laws::{Limit, LimitSeed};
use signorini_testkit::random_problem::random_material;
use signorini_testkit::rng::Rng;

/// A contact or, with one row, a limit.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    /// Blocks it touches, ascending, with their Jacobians.
    pub(crate) blocks: Vec<(usize, DMatrix<f64>)>,
    pub(crate) gap: f64,
    pub(crate) material: ContactMaterial,
}

/// A frozen step by parts: blocks with inertia and velocities, contacts between up to two of them, limits.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) dt: f64,
    pub(crate) inertia: Vec<DMatrix<f64>>,
    pub(crate) v_star: Vec<DVector<f64>>,
    pub(crate) v0: Vec<DVector<f64>>,
    pub(crate) contacts: Vec<Constraint>,
    pub(crate) limits: Vec<Constraint>,
}

impl Parts {
    /// `nb` blocks of 6, 1 to 9, or 20 to 30 unknowns; contacts mostly between neighbours, so that several islands appear.
    pub(crate) fn random(seed: u64, nb: usize, contacts: usize) -> Self {
        let mut r = Rng::new(seed);
        let dt = r.log_uniform(1e-3, 1e-2);
        let sizes: Vec<usize> = (0..nb)
            .map(|_| match r.below(10) {
                0 => 20 + r.below(10),
                1..=3 => 1 + r.below(9),
                _ => 6,
            })
            .collect();
        let inertia = sizes.iter().map(|&n| {
            let g = DMatrix::from_fn(n, n, |_, _| r.normal());
            let a = &g * g.transpose() / n as f64 + DMatrix::identity(n, n) * 0.3;
            0.5 * (&a + a.transpose())
        });
        let inertia: Vec<_> = inertia.collect();
        let v0: Vec<_> = sizes.iter().map(|&n| DVector::from_fn(n, |_, _| 0.3 * r.normal())).collect();
        let v_star = v0.iter().map(|v| v.map(|x| x + 10.0 * dt * r.normal())).collect();
        let constraint = |rows: usize, pair: bool, r: &mut Rng| {
            let a = r.below(nb);
            let b = (a + 1 + r.below(2)).min(nb - 1);
            let mut list = vec![a];
            if pair && b != a {
                list.push(b);
            }
            Constraint {
                blocks: list
                    .into_iter()
                    .map(|b| (b, DMatrix::from_fn(rows, sizes[b], |_, _| r.normal())))
                    .collect(),
                gap: if r.chance(0.3) { r.log_uniform(1e-5, 1e-2) } else { -r.log_uniform(1e-6, 3e-3) },
                material: random_material(r),
            }
        };
        let contacts = (0..contacts).map(|k| constraint(3, k % 3 != 0, &mut r)).collect();
        let limits = (0..nb / 3).map(|_| constraint(1, false, &mut r)).collect();
        Self { dt, inertia, v_star, v0, contacts, limits }
    }

    /// The problem and the guess v₀.
    pub(crate) fn build<L: ContactLaw<3, Seed = ContactSeed>>(&self, law: L) -> (FrozenProblem, Vec<f64>) {
        let sizes: Vec<usize> = self.inertia.iter().map(|a| a.nrows()).collect();
        let mut inertia = BlockDiagonal::with_sizes(&sizes);
        for (b, a) in self.inertia.iter().enumerate() {
            inertia.block_mut(b).copy_from_slice(a.as_slice());
        }
        inertia.factor().unwrap();
        let flat = |x: &[DVector<f64>]| x.iter().flat_map(|v| v.iter().copied()).collect::<Vec<f64>>();
        let (v0, v_star) = (flat(&self.v0), flat(&self.v_star));
        let mut map = FrozenMap::new(inertia.block_starts());
        for (k, c) in self.contacts.iter().chain(&self.limits).enumerate() {
            map.push_constraint(&[0.01; 3][..if k < self.contacts.len() { 3 } else { 1 }]);
            for (b, jac) in &c.blocks {
                map.push_block(*b).copy_from_slice(jac.as_slice());
            }
        }
        let mut contacts = Pool::<L, 3>::new(law);
        for (k, c) in self.contacts.iter().enumerate() {
            contacts.push(&ContactSeed {
                preload: 0.0,
                dt: self.dt,
                gap: c.gap,
                velocity: FrozenProblem::contact_velocity_at(&map, k, &v0),
                material: c.material,
                sides: FrozenProblem::sides(&inertia, &map, k),
                curvature: None,
            });
        }
        let mut limits = Pool::<Limit, 1>::new(Limit::default());
        for c in &self.limits {
            limits.push(&LimitSeed::new(self.dt, c.gap, 1.0));
        }
        let pools = Pools::new(vec![Box::new(contacts), Box::new(limits)]);
        (FrozenProblem::new(self.dt, inertia, v_star, map, pools, Vec::new()).unwrap(), v0)
    }

    /// The problem with block b renumbered to `to[b]`.
    pub(crate) fn with_blocks_renumbered(&self, to: &[usize]) -> Self {
        let mut out = self.clone();
        for (b, &t) in to.iter().enumerate() {
            out.inertia[t] = self.inertia[b].clone();
            out.v_star[t] = self.v_star[b].clone();
            out.v0[t] = self.v0[b].clone();
        }
        for c in out.contacts.iter_mut().chain(&mut out.limits) {
            c.blocks.iter_mut().for_each(|(b, _)| *b = to[*b]);
            c.blocks.sort_by_key(|(b, _)| *b);
        }
        out
    }
}

/// ‖D⁻¹ (a − b)‖.
pub(crate) fn distance(p: &dyn StepProblem, a: &[f64], b: &[f64]) -> f64 {
    let scaled = a.iter().zip(b).zip(p.inertia().scaling()).map(|((x, y), d)| (x - y) / d);
    scaled.map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) struct Dense<'a> {
    pub(crate) starts: &'a [usize],
    pub(crate) h: DMatrix<f64>,
}

impl BlockSink for Dense<'_> {
    fn add(&mut self, row: usize, col: usize, block: &[f64]) {
        let (r, c) = (self.starts[row], self.starts[col]);
        let rows = self.starts[row + 1] - r;
        for (k, x) in block.iter().enumerate() {
            let (i, j) = (r + k % rows, c + k / rows);
            self.h[(i, j)] += x;
            if row != col {
                self.h[(j, i)] += x;
            }
        }
    }
}

/// The minimum by dense Newton with bisection on the slope: slow and simple.
pub(crate) fn dense_minimum(p: &mut FrozenProblem) -> Vec<f64> {
    let n = p.velocity_count();
    let mut whole = WholePart::default();
    whole.fit(p);
    let mut evals = Evals::default();
    p.pools().size_evals(&mut evals);
    let mut slope_and_step = |p: &mut FrozenProblem, v: &DVector<f64>, with_step: bool| {
        p.relinearize(v.as_slice()).unwrap();
        p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
        let mut g = DVector::zeros(n);
        gradient(p, whole.part(), v.as_slice(), &evals, g.as_mut_slice());
        let mut h = Dense { starts: p.inertia().block_starts(), h: DMatrix::zeros(n, n) };
        if with_step {
            p.inertia().add_blocks(whole.part(), &mut h);
            p.map().add_hessian(whole.part(), p.pools(), &evals, &mut h);
        }
        (g, h.h)
    };
    let mut v = DVector::from_column_slice(p.free_velocity());
    for _ in 0..300 {
        let (g, h) = slope_and_step(p, &v, true);
        let step = -h.cholesky().unwrap().solve(&g);
        if step.norm() < 1e-13 * (1.0 + v.norm()) {
            break;
        }
        let (mut low, mut high) = (0.0, 1.0);
        if slope_and_step(p, &(&v + &step), false).0.dot(&step) <= 0.0 {
            low = 1.0;
        }
        while high - low > 1e-12 {
            let mid = 0.5 * (low + high);
            if slope_and_step(p, &(&v + mid * &step), false).0.dot(&step) < 0.0 {
                low = mid
            } else {
                high = mid
            }
        }
        v += 0.5 * (low + high) * step;
    }
    v.as_slice().to_vec()
}
