use std::collections::BTreeMap;

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactSeed, ContactSide, Energy, FrozenMap, FrozenProblem, LawPool,
    Pools, ProblemError, Slot, State, StepProblem, StepSolution, System, check_finite, largest,
};

use super::Ground;

/// Weights below this share of a particle are left out: nodes without mass have no velocity.
const NEGLIGIBLE_WEIGHT: f64 = 1e-12;

/// Density and elasticity of the block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Density \[kg/m³\].
    pub density: f64,
    /// Lamé's λ and μ \[Pa\].
    pub lame: [f64; 2],
}

/// Toy: an elastic block of material points on a grid over a ground.
///
/// State: positions (3 per particle) in q, velocities (3 per particle) in v, deformation gradients and then velocity gradients (9 per
/// particle each, column-major) in z. The unknowns are the velocities of the grid nodes in reach, 3 each: other ones in every
/// step. The contact map interpolates them at the particles. Elasticity (neo-Hookean) is explicit, in v*; affine transfers both ways.
pub struct MaterialBlock {
    /// The ground that the block falls on.
    pub ground: Ground,
    /// Gravity \[m/s²\].
    pub gravity: Vector3<f64>,
    material: Material,
    spacing: f64,
    mass: f64,
    volume: f64,
    particles: usize,
    pool: Box<dyn LawPool>,
    slots: [Option<Prepared>; 2],
}

/// The nodes in reach of a particle: node, weight, node position − particle position.
type Reach = Vec<(usize, f64, Vector3<f64>)>;

/// Parts of a step that do not depend on its size.
struct Prepared {
    reach: Vec<Reach>,
    node_mass: Vec<f64>,
    momentum: Vec<f64>,
    force: Vec<f64>,
    seeds: Vec<ContactSeed>,
    problem: FrozenProblem,
}

impl MaterialBlock {
    /// A block of n × n × n particles, two per grid cell of `spacing` \[m\] and axis, and its state at rest with the lowest corner at
    /// `corner` \[m\]; `pool` brings the contact law.
    pub fn new(
        n: usize,
        spacing: f64,
        corner: Vector3<f64>,
        material: Material,
        ground: Ground,
        pool: &dyn LawPool,
    ) -> (Self, State) {
        let apart = 0.5 * spacing;
        let volume = apart.powi(3);
        let particles = n * n * n;
        let mut x = State::default();
        for i in 0..particles {
            let cell = Vector3::new((i % n) as f64, (i / n % n) as f64, (i / n / n) as f64);
            x.q.extend((corner + apart * (cell + Vector3::repeat(0.5))).iter());
            x.z.extend(Matrix3::<f64>::identity().iter());
        }
        x.v.resize(3 * particles, 0.0);
        x.z.resize(18 * particles, 0.0);
        let block = Self {
            ground,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            material,
            spacing,
            mass: material.density * volume,
            volume,
            particles,
            pool: pool.boxed_empty(),
            slots: [None, None],
        };
        (block, x)
    }

    /// Linear momentum \[kg·m/s\].
    pub fn momentum(&self, x: &State) -> Vector3<f64> {
        (0..self.particles).map(|p| self.mass * vector(&x.v, p)).sum()
    }

    /// Mass \[kg\].
    pub fn mass(&self) -> f64 {
        self.mass * self.particles as f64
    }

    /// Σ w m (v + C (x_i − x_p)): momentum of the particles of `x` on the nodes of `s`.
    fn to_grid(&self, s: &Prepared, x: &State, out: &mut Vec<f64>) {
        out.clear();
        out.resize(3 * s.node_mass.len(), 0.0);
        for (p, reach) in s.reach.iter().enumerate() {
            for (node, w, d) in reach {
                let v = vector(&x.v, p) + matrix(&x.z, self.particles + p) * d;
                add(out, *node, self.mass * w * v);
            }
        }
    }

    /// Kirchhoff stress \[Pa\] and energy density \[J/m³\] of a neo-Hookean solid.
    fn stress(&self, f: &Matrix3<f64>) -> (Matrix3<f64>, f64) {
        let [lambda, mu] = self.material.lame;
        let log = f.determinant().ln();
        let b = f * f.transpose();
        let one = Matrix3::identity();
        (
            mu * (b - one) + lambda * log * one,
            0.5 * mu * (b.trace() - 3.0) - mu * log + 0.5 * lambda * log * log,
        )
    }

    /// Nodes in reach of each particle with quadratic B-spline weights, and how many nodes there are.
    fn reach(&self, x0: &State) -> (Vec<Reach>, usize) {
        let mut nodes = BTreeMap::new();
        let mut raw = Vec::new();
        for p in 0..self.particles {
            let at = vector(&x0.q, p) / self.spacing;
            let base = at.map(|x| (x - 0.5).floor());
            let weight = |axis: usize, k: usize| match (at[axis] - base[axis] - k as f64, k) {
                (f, 1) => 0.75 - f * f,
                (f, _) => 0.5 * (1.5 - f.abs()).powi(2),
            };
            let mut list = Vec::new();
            for i in 0..27 {
                let k = [i % 3, i / 3 % 3, i / 9];
                let w = weight(0, k[0]) * weight(1, k[1]) * weight(2, k[2]);
                if w > NEGLIGIBLE_WEIGHT {
                    let node = base + Vector3::new(k[0] as f64, k[1] as f64, k[2] as f64);
                    let key = [node.x as i64, node.y as i64, node.z as i64];
                    nodes.insert(key, 0);
                    list.push((key, w, self.spacing * (node - at)));
                }
            }
            raw.push(list);
        }
        for (number, slot) in nodes.values_mut().enumerate() {
            *slot = number;
        }
        let numbered = |list: Vec<([i64; 3], f64, Vector3<f64>)>| {
            let mut list: Vec<_> = list.into_iter().map(|(key, w, d)| (nodes[&key], w, d)).collect();
            list.sort_by_key(|&(node, ..)| node);
            list
        };
        (raw.into_iter().map(numbered).collect(), nodes.len())
    }
}

fn vector(x: &[f64], p: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&x[3 * p..3 * p + 3])
}
fn matrix(x: &[f64], p: usize) -> Matrix3<f64> {
    Matrix3::from_column_slice(&x[9 * p..9 * p + 9])
}
fn add(x: &mut [f64], i: usize, v: Vector3<f64>) {
    for k in 0..3 {
        x[3 * i + k] += v[k];
    }
}

impl System for MaterialBlock {
    fn sizes(&self) -> [usize; 3] {
        [3 * self.particles, 3 * self.particles, 18 * self.particles]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        let sizes = self.sizes();
        for (what, expected, found) in
            [("q", sizes[0], x0.q.len()), ("v", sizes[1], x0.v.len()), ("z", sizes[2], x0.z.len())]
        {
            if expected != found {
                return Err(ProblemError::Shape { what, expected, found });
            }
        }
        x0.check_finite()?;
        self.slots[slot as usize] = None;
        let (reach, nodes) = self.reach(x0);
        let (mut node_mass, mut force) = (vec![0.0; nodes], vec![0.0; 3 * nodes]);
        // With quadratic splines ∇w ≈ (4/h²) w (x_i − x_p).
        let inverse = 4.0 / (self.spacing * self.spacing);
        for (p, list) in reach.iter().enumerate() {
            let (stress, _) = self.stress(&matrix(&x0.z, p));
            for (node, w, d) in list {
                node_mass[*node] += w * self.mass;
                add(&mut force, *node, *w * (self.mass * self.gravity - self.volume * inverse * stress * d));
            }
        }
        let mut inertia = BlockDiagonal::with_sizes(&vec![3; nodes]);
        for (i, m) in node_mass.iter().enumerate() {
            inertia.block_mut(i).copy_from_slice((Matrix3::identity() * *m).as_slice());
        }
        inertia.factor()?;
        let starts: Vec<usize> = (0..=nodes).map(|i| 3 * i).collect();
        let mut map = FrozenMap::new(&starts);
        let (mut seeds, mut contacts) = (Vec::new(), Vec::new());
        let r_wc = ContactGeometry::frame(&self.ground.normal);
        for (p, list) in reach.iter().enumerate() {
            let gap = self.ground.normal.dot(&vector(&x0.q, p)) - self.ground.offset;
            if gap > self.spacing.max(2.0 * horizon * vector(&x0.v, p).norm()) {
                continue;
            }
            map.push_constraint((-r_wc.transpose() * self.ground.velocity).as_slice());
            for (node, w, _) in list {
                map.push_block(*node).copy_from_slice((*w * r_wc.transpose()).as_slice());
            }
            let k = seeds.len();
            contacts.push(ContactGeometry {
                constraint: k as u32,
                bodies: [0, 1],
                geoms: [0, p as u32 + 1],
                p_wc: Point3::from(vector(&x0.q, p)),
                arms: [Vector3::zeros(); 2],
                r_wc,
                gap,
                feature: p as u64,
            });
            seeds.push(ContactSeed {
                preload: 0.0,
                dt: 0.0,
                gap,
                velocity: r_wc.transpose() * (vector(&x0.v, p) - self.ground.velocity),
                material: self.ground.material,
                sides: ContactSide::single(FrozenProblem::delassus(&inertia, &map, k), 0),
                curvature: None,
            });
        }
        let touching = seeds.len() as u32;
        let mut pool = self.pool.boxed_empty();
        for seed in &mut seeds {
            seed.sides[0].contacts = touching;
            seed.dt = horizon;
        }
        pool.reset(&seeds);
        let (free, pools) = (vec![0.0; 3 * nodes], Pools::new(vec![pool]));
        let problem = FrozenProblem::new(horizon, inertia, free, map, pools, contacts)?;
        let mut s = Prepared { reach, node_mass, momentum: Vec::new(), force, seeds, problem };
        let mut momentum = Vec::new();
        self.to_grid(&s, x0, &mut momentum);
        s.momentum = momentum;
        self.slots[slot as usize] = Some(s);
        Ok(())
    }

    fn guess(&self, slot: Slot, x: &State, out: &mut Vec<f64>) {
        if let Some(s) = &self.slots[slot as usize] {
            self.to_grid(s, x, out);
            out.chunks_exact_mut(3).zip(&s.node_mass).for_each(|(v, m)| v.iter_mut().for_each(|v| *v /= m));
        }
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        let s = self.slots[slot as usize].as_mut().ok_or(ProblemError::NotPrepared { slot })?;
        let parts = s.problem.parts_mut();
        for (i, v) in parts.free_velocity.iter_mut().enumerate() {
            *v = (s.momentum[i] + dt * s.force[i]) / s.node_mass[i / 3];
        }
        s.seeds.iter_mut().for_each(|seed| seed.dt = dt);
        parts.pools.member_mut(0).reset(&s.seeds);
        s.problem.finish(dt)?;
        Ok(&mut s.problem)
    }

    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        let prepared = self.slots[slot as usize].as_ref().ok_or(ProblemError::NotPrepared { slot })?;
        check_finite("solution", &s.v)?;
        x1.copy_from(x0);
        x1.t += dt;
        let inverse = 4.0 / (self.spacing * self.spacing);
        for (p, list) in prepared.reach.iter().enumerate() {
            let (mut v, mut c) = (Vector3::zeros(), Matrix3::zeros());
            for (node, w, d) in list {
                let node_v = vector(&s.v, *node);
                v += *w * node_v;
                c += *w * inverse * node_v * d.transpose();
            }
            let f = (Matrix3::identity() + dt * c) * matrix(&x0.z, p);
            let moves = list.iter().map(|(node, w, _)| *w * vector(s.position_velocity(), *node));
            add(&mut x1.q, p, dt * moves.sum::<Vector3<f64>>());
            x1.v[3 * p..3 * p + 3].copy_from_slice(v.as_slice());
            x1.z[9 * p..9 * p + 9].copy_from_slice(f.as_slice());
            let at = 9 * (self.particles + p);
            x1.z[at..at + 9].copy_from_slice(c.as_slice());
        }
        Ok(())
    }

    fn distance(&self, a: &State, b: &State) -> f64 {
        let apart = |p| (vector(&a.q, p) - vector(&b.q, p)).norm();
        largest((0..self.particles).map(apart))
    }

    fn energy(&mut self, x: &State) -> Energy {
        let mut e = Energy::default();
        // Affine motion around a particle has the moment m h²/4 per axis.
        let moment = 0.25 * self.mass * self.spacing * self.spacing;
        for p in 0..self.particles {
            let (q, v) = (vector(&x.q, p), vector(&x.v, p));
            e.kinetic += 0.5 * self.mass * v.norm_squared();
            e.kinetic += 0.5 * moment * matrix(&x.z, self.particles + p).norm_squared();
            e.potential -= self.mass * self.gravity.dot(&q);
            e.potential += self.volume * self.stress(&matrix(&x.z, p)).1;
            let depth = (self.ground.normal.dot(&q) - self.ground.offset).min(0.0);
            e.contact += 0.5 * self.ground.material.stiffness * depth * depth;
        }
        e
    }
}
