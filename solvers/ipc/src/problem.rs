use std::cell::OnceCell;
use std::sync::Arc;

use signorini_core::na::Vector3;
use signorini_core::{
    BlockDiagonal, Changed, ContactGeometry, ContactMap, Evals, Inertia, LawPool, Part, Pool, Pools,
    ProblemError, Regime, SmoothPotential, State, StepProblem, TOUCHING, WholePart, check_finite, gradient,
};
use signorini_geometry::Ccd;

use crate::body::matrix;
use crate::candidates::Candidates;
use crate::contact_entries;
use crate::inputs::Inputs;
use crate::joints::coordinates;
use crate::lagged_friction::{SETTLED, lag};
use crate::map::{BarrierMap, Near, Sliding};
use crate::orthogonality::Orthogonality;
use crate::reached::Reached;
use crate::skin_law::Skin;
use crate::skin_points::{FreeMotion, SkinStep};
use crate::spread::spread;
use crate::stiffness::{StartStiffness, Stiffness};
use crate::terms::Smooth;
use crate::threads::Threads;
use crate::world::{N, World, gather};
use crate::{Barrier, BarrierFriction, BarrierFrictionSeed, BarrierSeed};

/// Number of the pool of the law on the skin, where there is one.
const SKIN_POOL: usize = 2;

/// Distances of the pairs within reach at a trial point.
#[derive(Clone, Debug, Default)]
struct Trial {
    v: Vec<f64>,
    known: bool,
    q: Vec<f64>,
    x: Vec<Vector3<f64>>,
    near: Vec<Reached>,
}

/// One step of affine bodies; distances are queried at q(v) = q₀ + δt v.
pub(crate) struct AffineProblem {
    pub ready: bool,
    world: Arc<World>,
    candidates: Candidates,
    dt: f64,
    q0: Vec<f64>,
    v0: Vec<f64>,
    /// Commanded poses of driven bodies at the start.
    z0: Vec<f64>,
    /// Positions at the start \[m\].
    x0: Vec<Vector3<f64>>,
    inertia: BlockDiagonal,
    free_velocity: Vec<f64>,
    pools: Pools,
    map: BarrierMap,
    /// μ λ of the contacts with friction of the map \[N\]; with directions, as they are at the start; solves with new ones in this step.
    friction: Vec<f64>,
    /// The law on the skin of the bodies in this step.
    skin: Option<SkinStep>,
    start_friction: Vec<f64>,
    start_sliding: Vec<Sliding>,
    passes: u32,
    /// κ, its start, and the energy that its changes in this step add to the objective \[J\], so that none of them is seen where it happens.
    pub stiffness: Stiffness,
    start_stiffness: StartStiffness,
    shift: f64,
    trial: Trial,
    v_c: Vec<f64>,
    /// Made when somebody asks.
    contacts: OnceCell<Vec<ContactGeometry>>,
    smooth: Smooth,
    whole: WholePart,
    blocking: Option<[u32; 2]>,
    seeds: (Vec<BarrierSeed>, Vec<BarrierFrictionSeed>),
    /// Scratch: v − v*, M (v − v*), ends of a segment, ways of points, evaluations and numbers of contacts with friction and of points of the skin.
    drift: Vec<f64>,
    momentum: Vec<f64>,
    ends: [Vec<f64>; 2],
    ways: Vec<Vector3<f64>>,
    evals: Evals,
    slipping: Vec<u32>,
    slip: Vec<f64>,
}

/// Not prepared: nothing of a step goes over to a copy.
impl Clone for AffineProblem {
    fn clone(&self) -> Self {
        let skin = self.skin.as_ref().map(|s| s.skin().clone());
        Self::new(self.world.clone(), self.inertia.clone(), &self.map.threads, skin)
    }
}

impl AffineProblem {
    pub(crate) fn new(
        world: Arc<World>,
        inertia: BlockDiagonal,
        threads: &Threads,
        skin: Option<Arc<Skin>>,
    ) -> Self {
        let stiffness =
            world.bodies.iter().filter(|b| !b.fixed).map(|b| world.options.orthogonality * b.volume);
        let (stiffness, n): (Vec<f64>, usize) = (stiffness.collect(), world.unknowns());
        let mut members: Vec<Box<dyn LawPool>> = vec![
            Box::new(Pool::<Barrier, 1>::new(Barrier)),
            Box::new(Pool::<BarrierFriction, 2>::new(BarrierFriction)),
        ];
        members.extend(skin.iter().map(|s| s.law.law().boxed_empty()));
        Self {
            ready: false,
            candidates: Candidates::new(&world, world.reach(), threads.clone()),
            dt: 0.0,
            q0: Vec::new(),
            v0: Vec::new(),
            z0: Vec::new(),
            x0: Vec::new(),
            free_velocity: vec![0.0; n],
            inertia,
            pools: Pools::new(members),
            skin: skin.map(|s| SkinStep::new(&world, s, threads)),
            map: BarrierMap::new(world.clone(), threads.clone()),
            friction: Vec::new(),
            start_friction: Vec::new(),
            start_sliding: Vec::new(),
            passes: 0,
            start_stiffness: StartStiffness { value: world.options.stiffness, chosen: false },
            stiffness: Stiffness::new(&world),
            shift: 0.0,
            trial: Trial::default(),
            v_c: Vec::new(),
            contacts: OnceCell::new(),
            smooth: Smooth {
                orthogonality: Orthogonality { stiffness, ..Orthogonality::default() },
                terms: Vec::new(),
                world: world.clone(),
            },
            whole: WholePart::default(),
            blocking: None,
            seeds: Default::default(),
            drift: vec![0.0; n],
            momentum: vec![0.0; n],
            ends: Default::default(),
            ways: Vec::new(),
            evals: Evals::default(),
            slipping: Vec::new(),
            slip: Vec::new(),
            world,
        }
    }

    /// Laws at the last linearisation.
    fn evaluated(&mut self) -> Evals {
        let v = self.map.v.clone();
        self.look(&v);
        let mut evals = Evals::default();
        self.pools.size_evals(&mut evals);
        self.pools.eval(self.whole.part(), &self.v_c, &mut evals);
        evals
    }

    /// Force \[N\] and torque about the centre of mass \[N·m\] that contacts exert on each body at the last linearisation, world axes.
    pub(crate) fn contact_wrenches(&mut self) -> Vec<[Vector3<f64>; 2]> {
        let mut out = vec![[Vector3::zeros(); 2]; self.world.bodies.len()];
        let evals = self.evaluated();
        let (world, t) = (&self.world, &self.trial);
        self.map.forces(&evals, |surfaces, spread, force| {
            for (body, [w, x @ ..]) in world.bodies_of(surfaces).into_iter().zip(spread) {
                let a = matrix(coordinates(world, &t.q, body as usize));
                out[body as usize][0] += *w * force;
                out[body as usize][1] += (a * Vector3::from(*x)).cross(&force);
            }
        });
        out
    }

    /// Forces that joints exert by their rows on the coordinates of the free bodies at the last linearisation: M (v − v*)/δt less all other forces; and the forces of each term of a joint on those of its two bodies.
    pub(crate) fn joint_forces(&mut self, mut visit: impl FnMut(usize, [f64; 2 * N])) -> Vec<f64> {
        let (v, evals) = (self.map.v.clone(), self.evaluated());
        let mut g = vec![0.0; v.len()];
        gradient(self, self.whole.part(), &v, &evals, &mut g);
        g.iter_mut().for_each(|g| *g /= self.dt);
        self.smooth.forces(&v, |share, force, slope| {
            visit(share.joint, std::array::from_fn(|i| force * slope[i / N][i % N]));
        });
        g
    }

    /// Coordinates at the last linearisation.
    pub(crate) fn end(&self) -> Vec<f64> {
        self.q0.iter().zip(&self.map.v).map(|(q, v)| q + self.dt * v).collect()
    }

    /// M.
    pub(crate) fn full_inertia(&self) -> &BlockDiagonal {
        &self.inertia
    }

    /// Starts a step with κ as the last one left it; with `check` it is made sure that no bodies cross.
    pub(crate) fn prepare(
        &mut self,
        State { q, v, z, .. }: &State,
        stiffness: StartStiffness,
        check: bool,
    ) -> Result<(), ProblemError> {
        self.ready = false;
        self.start_stiffness = stiffness;
        self.q0.clear();
        self.q0.extend_from_slice(q);
        self.v0.clear();
        self.v0.extend_from_slice(v);
        self.z0.clone_from(z);
        self.trial.known = false;
        let world = self.world.clone();
        world.positions(q, &mut self.x0);
        let name = |b: u32| world.bodies[b as usize].name.clone();
        if check
            && let Some((surfaces, depth)) = crate::start::overlap(&world, &mut self.candidates, &self.x0)
        {
            let [a, b] = world.bodies_of(surfaces).map(name);
            return Err(ProblemError::Intersecting { a, b, gap: -depth });
        }
        self.candidates.look(&world, q, &self.x0, &mut self.trial.near);
        self.candidates.list_mut().iter_mut().for_each(|c| c.start = f64::NAN);
        if let Some(n) = self.trial.near.iter().find(|n| n.gap <= world.options.separation + TOUCHING) {
            let surfaces = self.candidates.list()[n.candidate as usize].pair.surfaces;
            let [a, b] = world.bodies_of(surfaces).map(name);
            if !check {
                return Err(ProblemError::TooNear { a, b });
            }
            return Err(ProblemError::Intersecting { a, b, gap: n.gap - world.options.separation });
        }
        self.start_friction.clear();
        self.start_sliding.clear();
        let near = self.trial.near.iter().map(|n| (&self.candidates.list()[n.candidate as usize], n));
        lag(&world, near, q, &self.x0, stiffness.value, &mut self.start_sliding, &mut self.start_friction);
        self.ready = true;
        Ok(())
    }

    pub(crate) fn set_step(&mut self, dt: f64, inputs: &Inputs) -> Result<(), ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        self.dt = dt;
        self.passes = 0;
        self.stiffness.start(dt, self.start_stiffness);
        self.shift = 0.0;
        self.friction.clone_from(&self.start_friction);
        self.map.sliding.clone_from(&self.start_sliding);
        self.map.dt = dt;
        self.smooth.orthogonality.dt = dt;
        self.smooth.orthogonality.q0.clone_from(&self.q0);
        self.smooth.terms.clear();
        let terms = &mut self.smooth.terms;
        let ends = [&self.q0[..], &self.v0[..]];
        inputs.actions.iter().flatten().for_each(|a| a.terms(&self.world, ends, dt, terms));
        let start = [&self.q0[..], &self.v0, &self.z0];
        inputs.free_velocity(&self.world, &self.inertia, dt, start, &mut self.free_velocity)?;
        check_finite("free velocity", &self.free_velocity)?;
        self.press();
        self.trial.known = false;
        let mut zero = std::mem::take(&mut self.drift);
        zero.fill(0.0);
        let mut done = self.relinearize(&zero);
        if done.is_ok() && !self.stiffness.chosen && !self.map.near.is_empty() {
            self.choose_stiffness(&zero);
            done = self.relinearize(&zero);
        }
        self.drift = zero;
        done.map(|_| ())
    }

    /// Finds the points of the skin, and tells its law of them.
    fn press(&mut self) {
        let Some(step) = &mut self.skin else { return };
        let dq: Vec<f64> = self.free_velocity.iter().map(|v| self.dt * v).collect();
        let to = FreeMotion { q: &self.q0, x: &self.x0, dq: &dq };
        step.begin(&self.world, to, self.dt, &self.v0, &mut self.map.skin);
        self.pools.member_mut(SKIN_POOL).reset(step.seeds());
    }

    /// κ at which the barrier balances all other forces at v = 0 best; see [`crate::Adaptation::Choose`].
    fn choose_stiffness(&mut self, zero: &[f64]) {
        let mut evals = Evals::default();
        self.pools.size_evals(&mut evals);
        self.pools.eval(self.whole.part(), &self.v_c, &mut evals);
        // Nothing slips at v = 0: friction has no part in it.
        let Part { blocks, constraints } = self.whole.part();
        let (own, skin) = constraints.split_at(constraints.len() - self.map.skin.len());
        let mut barrier = vec![0.0; zero.len()];
        self.map.add_gradient(Part { blocks, constraints: own }, &self.pools, &evals, &mut barrier);
        barrier.iter_mut().for_each(|g| *g /= self.stiffness.value);
        let drift: Vec<f64> = self.free_velocity.iter().map(|v| -v).collect();
        let mut rest = vec![0.0; zero.len()];
        self.inertia.apply(self.whole.part(), &drift, &mut rest);
        self.smooth.add_gradient(zero, &mut rest);
        self.map.add_gradient(Part { blocks, constraints: skin }, &self.pools, &evals, &mut rest);
        let mut weighed = barrier.clone();
        self.inertia.solve_in_place(self.whole.part(), &mut weighed);
        // The resistance of bodies to deformation is not the barrier's to balance: centres of mass alone.
        let centre = |i: &usize| i % N < 3;
        let dot = |a: &[f64], b: &[f64]| (0..a.len()).filter(centre).map(|i| a[i] * b[i]).sum::<f64>();
        self.stiffness.choose(dot(&weighed, &rest), dot(&weighed, &barrier));
        let ratio = self.stiffness.value / self.start_stiffness.value;
        self.friction.iter_mut().for_each(|f| *f *= ratio);
    }

    /// Distances of the pairs within reach at q₀ + δt v.
    fn look(&mut self, v: &[f64]) {
        let t = &mut self.trial;
        if t.known && t.v == v {
            return;
        }
        t.known = true;
        t.v.clear();
        t.v.extend_from_slice(v);
        t.q.clear();
        t.q.extend(self.q0.iter().zip(v).map(|(q, v)| q + self.dt * v));
        self.world.positions(&t.q, &mut t.x);
        self.candidates.look(&self.world, &t.q, &t.x, &mut t.near);
    }

    /// Σ m b of the pairs within reach at the trial point \[J\].
    fn barrier_energy(&self) -> f64 {
        let barrier = self.world.barrier(self.dt, 1.0, self.stiffness.value);
        let mut sum = 0.0;
        for n in &self.trial.near {
            let [b, ..] = barrier.potential(n.squared);
            let c = &self.candidates.list()[n.candidate as usize];
            let m = c.mollifier.map_or(1.0, |m| m.value(&gather(&c.pair, &self.trial.x)));
            sum += n.count * c.weight * m * b;
        }
        sum
    }

    /// Refills the pools from the near pairs.
    fn seed(&mut self) {
        let (world, dt, stiffness) = (&self.world, self.dt, self.stiffness.value);
        let (barriers, frictions) = &mut self.seeds;
        barriers.clear();
        barriers.extend(self.map.near.iter().map(|n| world.barrier(dt, n.start, stiffness)));
        frictions.clear();
        let stiction_speed = world.options.stiction_speed;
        frictions.extend(self.friction.iter().map(|&force| BarrierFrictionSeed {
            dt,
            force,
            stiction_speed,
        }));
        self.pools.member_mut(0).reset(&self.seeds.0);
        self.pools.member_mut(1).reset(&self.seeds.1);
        self.pools.layout();
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
        Some(&self.smooth)
    }
    fn regime(&self) -> Regime {
        Regime::Requeried
    }

    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        check_finite("velocity", v)?;
        self.look(v);
        let world = self.world.clone();
        self.map.clear();
        self.contacts.take();
        let (trial, list) = (&self.trial, self.candidates.list());
        let gaps =
            trial.near.iter().map(|n| (&list[n.candidate as usize].pair, n.gap - world.options.separation));
        let rise = self.stiffness.look(gaps);
        if rise > 1.0 {
            // The objective keeps its value here: line searches go on as if nothing had happened.
            self.shift -= (1.0 - 1.0 / rise) * self.barrier_energy();
        }
        for n in &self.trial.near {
            let c = &mut self.candidates.list_mut()[n.candidate as usize];
            if c.start.is_nan() {
                let d = c.pair.stencil.distance(&gather(&c.pair, &self.x0)).distance();
                // Rates of pairs that were out of reach are counted from there: fewer digits are lost.
                c.start = (d - c.thickness).min(world.reach());
            }
            let (x, weight) = (gather(&c.pair, &self.trial.x), n.count * c.weight);
            self.map.weights.push(weight * c.mollifier.map_or(1.0, |m| m.value(&x)));
            self.map.push_blocks(&c.pair);
            self.map.near.push(Near {
                pair: c.pair,
                sides: c.sides,
                weight,
                x,
                distance: n.distance,
                gap: n.gap,
                start: c.start,
                mollifier: c.mollifier,
                spread: spread(&world, &c.pair, &c.sides, &n.distance.weights),
            });
        }
        for k in 0..self.map.sliding.len() {
            let pair = self.map.sliding[k].pair;
            self.map.weights.push(1.0);
            self.map.push_blocks(&pair);
        }
        for k in 0..self.map.skin.len() {
            let pair = self.map.skin[k].pair;
            self.map.weights.push(1.0);
            self.map.push_blocks(&pair);
        }
        self.seed();
        self.map.v.clear();
        self.map.v.extend_from_slice(v);
        let mut whole = std::mem::take(&mut self.whole);
        whole.fit(self);
        self.v_c.resize(self.pools.row_count(), 0.0);
        let first = self.map.near.len() as u32;
        self.slipping.clear();
        self.slipping.extend(first..first + (self.friction.len() + self.map.skin.len()) as u32);
        self.map.apply_linear(Part { blocks: &[], constraints: &self.slipping }, v, &mut self.v_c);
        for (k, near) in self.map.near.iter().enumerate() {
            let rate = (near.gap - near.start) / self.dt;
            self.map.rates.push(rate);
            self.v_c[k] = rate;
        }
        self.whole = whole;
        Ok(Changed::Pattern)
    }

    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        check_finite("velocity", v)?;
        self.look(v);
        let mut contact = self.barrier_energy();
        // Friction and the skin are affine in v: the map of the last linearisation holds everywhere.
        let part = Part { blocks: &[], constraints: &self.slipping };
        self.slip.resize(self.pools.row_count(), 0.0);
        self.map.apply_linear(part, v, &mut self.slip);
        self.pools.size_evals(&mut self.evals);
        self.pools.cost(part, &self.slip, &mut self.evals.cost);
        contact += self.slipping.iter().map(|&k| self.evals.cost[k as usize]).sum::<f64>();
        for (d, (a, b)) in self.drift.iter_mut().zip(v.iter().zip(&self.free_velocity)) {
            *d = a - b;
        }
        self.inertia.apply(self.whole.part(), &self.drift, &mut self.momentum);
        let kinetic = 0.5 * self.drift.iter().zip(&self.momentum).map(|(a, b)| a * b).sum::<f64>();
        Ok(kinetic + self.smooth.value(v) + contact + self.shift)
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
        self.contacts.get_or_init(|| {
            let (world, x0, map) = (&self.world, &self.x0, &self.map);
            let [first, second] = [map.near.len(), map.near.len() + map.sliding.len()];
            let near = map.near.iter().zip(0..).map(|(n, k)| contact_entries::barrier(world, k, n));
            let sliding =
                map.sliding.iter().zip(first..).map(|(s, k)| contact_entries::friction(world, x0, k, s));
            let skin = map.skin.iter().zip(second..).map(|(s, k)| contact_entries::skin(world, x0, k, s));
            near.chain(sliding).chain(skin).collect()
        })
    }
    fn blocking(&self) -> Option<[u32; 2]> {
        self.blocking
    }

    fn driven_blocks(&self) -> &[u32] {
        &self.world.driven_blocks
    }

    fn largest_speed(&self, dv: &[f64]) -> f64 {
        let mut largest = 0.0f64;
        for (body, free) in self.world.bodies.iter().zip(&self.world.free) {
            let Some(f) = free else { continue };
            let dv = &dv[N * *f as usize..];
            // A round surface turns about its points.
            let turn = matrix(dv).norm();
            for (points, radius) in body.by_parts() {
                let fastest = points.iter().map(|x| crate::body::place(dv, x).norm()).fold(0.0, f64::max);
                largest = largest.max(fastest + radius * turn);
            }
        }
        largest
    }

    /// New forces and directions of friction, from where the solve ended; wants another solve while forces change, or while the law of the skin does.
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let again = self.skin.is_some() && {
            let own = self.pools.span(SKIN_POOL).row..self.pools.row_count();
            gamma.get(own).is_some_and(|g| self.pools.member_mut(SKIN_POOL).relag(g))
        };
        if std::mem::take(&mut self.stiffness.raised) {
            // κ rose where the solve ended.
            return Ok(true);
        }
        if self.passes + 1 >= self.world.options.friction_passes {
            return Ok(again);
        }
        let v = std::mem::take(&mut self.map.v);
        self.look(&v);
        let before = std::mem::take(&mut self.friction);
        self.map.sliding.clear();
        let near = self.trial.near.iter().map(|n| (&self.candidates.list()[n.candidate as usize], n));
        lag(
            &self.world,
            near,
            &self.trial.q,
            &self.trial.x,
            self.stiffness.value,
            &mut self.map.sliding,
            &mut self.friction,
        );
        self.passes += 1;
        let change: f64 = self.friction.iter().zip(&before).map(|(a, b)| (a - b).abs()).sum();
        let settled = before.len() == self.friction.len() && change <= SETTLED * before.iter().sum::<f64>();
        self.relinearize(&v)?;
        Ok(again || !settled)
    }

    /// Additive collision detection over all pairs that the straight paths of the points may bring together.
    fn max_step(&mut self, v: &[f64], dv: &[f64]) -> f64 {
        let world = self.world.clone();
        if self.map.v == v {
            self.map.foresee(dv, &self.v_c, world.options.stiction_speed);
        }
        let [start, end] = &mut self.ends;
        start.clear();
        start.extend(self.q0.iter().zip(v).map(|(q, v)| q + self.dt * v));
        end.clear();
        end.extend(start.iter().zip(dv).map(|(q, v)| q + self.dt * v));
        self.candidates.ensure(&world, start, end);
        self.trial.known = false;
        world.positions(start, &mut self.trial.x);
        end.iter_mut().zip(start.iter()).for_each(|(e, s)| *e -= s);
        world.ways(end, &mut self.ways);
        let ccd = Ccd { separation: world.options.separation, ..Ccd::default() };
        let (mut alpha, blocking) = self.candidates.impact(&ccd, &self.trial.x, &self.ways);
        let mut blocking = blocking.map(|s| world.bodies_of(s));
        // `end` is the way.
        let bound = self.smooth.max_step(start, end);
        if bound.0 < alpha {
            (alpha, blocking) = bound;
        }
        self.blocking = blocking;
        // A reflection lies behind a singular A; half the way there is safe.
        for f in world.free.iter().flatten() {
            let at = N * *f as usize;
            let (a, change) = (matrix(&start[at..]), matrix(&end[at..]));
            while (a + alpha * change).determinant() <= 0.0 && alpha > 0.0 {
                alpha *= 0.5;
            }
        }
        alpha
    }
}
