use signorini_core::na::{Point3, Vector3};
use signorini_core::{
    BlockDiagonal, Changed, ContactGeometry, ContactMap, Evals, Inertia, Pool, Pools, ProblemError, Regime,
    SmoothPotential, StepProblem, WholePart, check_finite,
};
use signorini_geometry::{Ccd, Impact, Mollifier, Stencil};

use crate::body::{matrix, place};
use crate::map::{BarrierMap, Near, Sliding};
use crate::orthogonality::Orthogonality;
use crate::pairs::{Pair, PairSearch};
use crate::{AffineBody, Barrier, BarrierFriction, BarrierFrictionSeed, BarrierSeed, IpcOptions};

/// Coordinates of a body.
const N: usize = 12;

/// The bodies and where they are held: what problems share.
pub(crate) struct World {
    pub bodies: Vec<AffineBody>,
    /// Number among the free bodies; None for bodies that are held.
    pub free: Vec<Option<u32>>,
    /// Positions of the points of bodies that are held.
    pub held: Vec<Vec<Vector3<f64>>>,
    pub options: IpcOptions,
}

impl World {
    /// Positions of all points at the coordinates of the free bodies.
    pub(crate) fn positions(&self, q: &[f64], out: &mut Vec<Vec<Vector3<f64>>>) {
        out.resize(self.bodies.len(), Vec::new());
        for (b, body) in self.bodies.iter().enumerate() {
            out[b].clear();
            match self.free[b] {
                Some(f) => out[b].extend(body.points.iter().map(|x| place(&q[N * f as usize..], x))),
                None => out[b].extend_from_slice(&self.held[b]),
            }
        }
    }

    pub(crate) fn mollifier(&self, pair: &Pair) -> Option<Mollifier> {
        let rest = |i: usize| self.bodies[pair.body(i)].points[pair.points[i] as usize];
        (pair.stencil == Stencil::EdgeEdge)
            .then(|| Mollifier::new([(rest(1) - rest(0)).norm_squared(), (rest(3) - rest(2)).norm_squared()]))
    }

    fn push_points(&self, pair: &Pair, map: &mut BarrierMap) {
        let rest = std::array::from_fn(|i| self.bodies[pair.body(i)].points[pair.points[i] as usize]);
        map.push_points(rest, std::array::from_fn(|i| self.free[pair.body(i)]));
    }

    fn barrier(&self, dt: f64, distance: f64) -> BarrierSeed {
        let o = &self.options;
        BarrierSeed { dt, distance, range: o.range, separation: o.separation, stiffness: o.stiffness }
    }
}

/// One step of affine bodies; distances are queried at q(v) = q₀ + δt v.
pub(crate) struct AffineProblem {
    pub ready: bool,
    world: std::sync::Arc<World>,
    search: PairSearch,
    pairs: Vec<Pair>,
    dt: f64,
    q0: Vec<f64>,
    v0: Vec<f64>,
    x0: Vec<Vec<Vector3<f64>>>,
    x: Vec<Vec<Vector3<f64>>>,
    inertia: BlockDiagonal,
    free_velocity: Vec<f64>,
    pools: Pools,
    map: BarrierMap,
    /// Contacts with friction at the start, with μ λ \[N\].
    sliding: Vec<(Sliding, f64)>,
    v_c: Vec<f64>,
    contacts: Vec<ContactGeometry>,
    orthogonality: Orthogonality,
    whole: WholePart,
}

impl AffineProblem {
    pub(crate) fn new(world: std::sync::Arc<World>, search: PairSearch, inertia: BlockDiagonal) -> Self {
        let free: Vec<&AffineBody> = world.bodies.iter().filter(|b| !b.fixed).collect();
        let stiffness = free.iter().map(|b| world.options.orthogonality * b.volume).collect();
        Self {
            ready: false,
            search,
            pairs: Vec::new(),
            dt: 0.0,
            q0: Vec::new(),
            v0: Vec::new(),
            x0: Vec::new(),
            x: Vec::new(),
            free_velocity: vec![0.0; N * free.len()],
            inertia,
            pools: Pools::new(vec![
                Box::new(Pool::<Barrier, 1>::new(Barrier)),
                Box::new(Pool::<BarrierFriction, 2>::new(BarrierFriction)),
            ]),
            map: BarrierMap::default(),
            sliding: Vec::new(),
            v_c: Vec::new(),
            contacts: Vec::new(),
            orthogonality: Orthogonality { stiffness, ..Orthogonality::default() },
            whole: WholePart::default(),
            world,
        }
    }

    pub(crate) fn prepare(&mut self, q: &[f64], v: &[f64]) -> Result<(), ProblemError> {
        self.ready = false;
        self.q0.clear();
        self.q0.extend_from_slice(q);
        self.v0.clear();
        self.v0.extend_from_slice(v);
        let world = self.world.clone();
        let bodies = &world.bodies;
        world.positions(q, &mut self.x0);
        let name = |b: usize| bodies[b].name.clone();
        if let Some([a, b]) = self.search.crossing(bodies, &self.x0) {
            return Err(ProblemError::Intersecting { a: name(a), b: name(b), gap: 0.0 });
        }
        let reach = world.options.range + world.options.separation;
        self.search.find(bodies, &self.x0, None, reach, &mut self.pairs);
        self.sliding.clear();
        for pair in &self.pairs {
            let x = pair.positions(&self.x0);
            let d = pair.stencil.distance(&x);
            let distance = d.distance();
            if distance <= world.options.separation {
                let [a, b] = pair.bodies.map(|b| name(b as usize));
                return Err(ProblemError::Intersecting { a, b, gap: world.options.separation - distance });
            }
            let mu = pair.bodies.map(|b| bodies[b as usize].friction).into_iter().fold(0.0, f64::max);
            let [_, slope, _] = world.barrier(1.0, distance).potential(d.squared);
            if mu == 0.0 || slope == 0.0 {
                continue;
            }
            let m = world.mollifier(pair).map_or(1.0, |m| m.value(&x));
            let force = -m * slope * 2.0 * distance;
            let n = d.r / distance;
            let t1 = n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize();
            let sliding = Sliding { pair: *pair, weights: d.weights, tangents: [t1, n.cross(&t1)] };
            self.sliding.push((sliding, mu * force));
        }
        self.ready = true;
        Ok(())
    }

    pub(crate) fn set_step(&mut self, dt: f64) -> Result<(), ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        self.dt = dt;
        self.map.dt = dt;
        self.orthogonality.dt = dt;
        self.orthogonality.q0.clone_from(&self.q0);
        self.free_velocity.clone_from(&self.v0);
        for body in self.free_velocity.chunks_exact_mut(N) {
            (0..3).for_each(|i| body[i] += dt * self.world.options.gravity[i]);
        }
        check_finite("free velocity", &self.free_velocity)?;
        self.relinearize(&vec![0.0; self.free_velocity.len()])?;
        Ok(())
    }

    fn coordinates(&self, v: &[f64]) -> Vec<f64> {
        self.q0.iter().zip(v).map(|(q, v)| q + self.dt * v).collect()
    }
}

impl StepProblem for AffineProblem {
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
        let world = self.world.clone();
        let q = self.coordinates(v);
        world.positions(&q, &mut self.x);
        let reach = world.options.range + world.options.separation;
        self.search.find(&world.bodies, &self.x, None, reach, &mut self.pairs);
        self.map.clear();
        self.contacts.clear();
        let mut seeds = Vec::new();
        for pair in &self.pairs {
            let x = pair.positions(&self.x);
            let distance = pair.stencil.distance(&x);
            if distance.distance() >= reach {
                continue;
            }
            let start = pair.stencil.distance(&pair.positions(&self.x0)).distance();
            let mollifier = world.mollifier(pair);
            let k = self.map.near.len();
            self.map.weights.push(mollifier.map_or(1.0, |m| m.value(&x)));
            self.map.start.push(start);
            seeds.push(world.barrier(self.dt, start));
            world.push_points(pair, &mut self.map);
            // The normal points from the first body into the second; r the other way.
            let n = -distance.r / distance.distance();
            let side = |s: usize| (0..4).filter(move |i| pair.body(*i) == pair.bodies[s] as usize);
            let p: Vector3<f64> = side(0).map(|i| distance.weights[i].abs() * x[i]).sum();
            self.contacts.push(ContactGeometry {
                constraint: k as u32,
                bodies: pair.bodies,
                geoms: pair.bodies,
                p_wc: Point3::from(p),
                r_wc: ContactGeometry::frame(&n),
                gap: start,
                feature: k as u64,
            });
            self.map.near.push(Near { x, distance, mollifier });
        }
        for (s, _) in &self.sliding {
            self.map.weights.push(1.0);
            world.push_points(&s.pair, &mut self.map);
            self.map.sliding.push(s.clone());
        }
        if let Some(pool) = self.pools.member_mut(0).as_any_mut().downcast_mut::<Pool<Barrier, 1>>() {
            pool.clear();
            seeds.iter().for_each(|s| pool.push(s));
        }
        if let Some(pool) = self.pools.member_mut(1).as_any_mut().downcast_mut::<Pool<BarrierFriction, 2>>() {
            pool.clear();
            let stiction_speed = world.options.stiction_speed;
            for (_, force) in &self.sliding {
                pool.push(&BarrierFrictionSeed { dt: self.dt, force: *force, stiction_speed });
            }
        }
        self.pools.layout();
        let mut whole = std::mem::take(&mut self.whole);
        whole.fit(self);
        self.v_c.resize(self.pools.row_count(), 0.0);
        self.map.apply_linear(whole.part(), v, &mut self.v_c);
        for (k, near) in self.map.near.iter().enumerate() {
            let rate = (near.distance.distance() - self.map.start[k]) / self.dt;
            self.map.bias.push(rate - self.v_c[k]);
            self.v_c[k] = rate;
        }
        self.whole = whole;
        Ok(Changed::Pattern)
    }

    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        check_finite("velocity", v)?;
        let world = self.world.clone();
        let q = self.coordinates(v);
        let mut x = std::mem::take(&mut self.x);
        world.positions(&q, &mut x);
        let reach = world.options.range + world.options.separation;
        let mut pairs = std::mem::take(&mut self.pairs);
        self.search.find(&world.bodies, &x, None, reach, &mut pairs);
        let mut contact = 0.0;
        for pair in &pairs {
            let points = pair.positions(&x);
            let d = pair.stencil.distance(&points);
            if d.distance() < reach {
                let [b, ..] = world.barrier(self.dt, d.distance()).potential(d.squared);
                contact += world.mollifier(pair).map_or(1.0, |m| m.value(&points)) * b;
            }
        }
        (self.x, self.pairs) = (x, pairs);
        // Friction is affine in v: the map of the last linearisation holds everywhere.
        let first = self.map.near.len();
        let sliding: Vec<u32> = (first as u32..(first + self.map.sliding.len()) as u32).collect();
        let part = signorini_core::Part { blocks: &[], constraints: &sliding };
        let mut v_c = self.v_c.clone();
        self.map.apply_linear(part, v, &mut v_c);
        let mut evals = Evals::default();
        self.pools.size_evals(&mut evals);
        self.pools.cost(part, &v_c, &mut evals.cost);
        contact += evals.cost[first..].iter().sum::<f64>();
        let dv: Vec<f64> = v.iter().zip(&self.free_velocity).map(|(a, b)| a - b).collect();
        let mut momentum = vec![0.0; dv.len()];
        self.inertia.apply(self.whole.part(), &dv, &mut momentum);
        let kinetic = 0.5 * dv.iter().zip(&momentum).map(|(a, b)| a * b).sum::<f64>();
        Ok(kinetic + self.orthogonality.value(v) + contact)
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

    /// Additive collision detection over all pairs that the straight paths of the points may bring together.
    fn max_step(&mut self, v: &[f64], dv: &[f64]) -> f64 {
        let world = self.world.clone();
        let (start, end) = (self.coordinates(v), self.coordinates(dv));
        let travel: Vec<f64> = end.iter().zip(&self.q0).map(|(a, b)| a - b).collect();
        world.positions(&start, &mut self.x);
        let dx: Vec<Vec<Vector3<f64>>> = world
            .bodies
            .iter()
            .enumerate()
            .map(|(b, body)| match world.free[b] {
                Some(f) => body.points.iter().map(|x| place(&travel[N * f as usize..], x)).collect(),
                None => vec![Vector3::zeros(); body.points.len()],
            })
            .collect();
        let separation = world.options.separation;
        self.search.find(&world.bodies, &self.x, Some(&dx), separation, &mut self.pairs);
        let ccd = Ccd { separation, ..Ccd::default() };
        let mut alpha = 1.0f64;
        for pair in &self.pairs {
            let along = pair.positions(&dx).map(|d| alpha * d);
            alpha = match ccd.impact(pair.stencil, &pair.positions(&self.x), &along) {
                Impact::None => continue,
                Impact::Before(t) => t * alpha,
                Impact::AtStart => return 0.0,
            };
        }
        // A reflection lies behind a singular A; half the way there is safe.
        for f in world.free.iter().flatten() {
            let at = N * *f as usize;
            let (a, change) = (matrix(&start[at..]), matrix(&travel[at..]));
            while (a + alpha * change).determinant() <= 0.0 && alpha > 0.0 {
                alpha *= 0.5;
            }
        }
        alpha
    }
}
