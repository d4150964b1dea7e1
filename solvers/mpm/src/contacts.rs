use std::ops::Range;

use rayon::prelude::*;
use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    ContactGeometry, ContactSeed, ContactSide, FrozenProblem, LawPool, LawProperties, Pool, Pools,
    ProblemError,
};
use signorini_geometry::Shape;
use signorini_laws::{NearRigid, NearRigidSeed};

use crate::corners::{Polyhedra, TouchPart};
use crate::freedom::Freedom;
use crate::groups::Grouping;
use crate::node_map::{NONE, NodeMap, Rows};
use crate::node_mass::NodeMass;
use crate::obstacle::Obstacle;
use crate::pin::{Holds, RIGID_PERIOD};

/// A particle inside an obstacle, or on its way into it; or a point of a triangle of cloth that a corner or an edge of the obstacle meets.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Number of the particle; of a triangle that of its centre.
    pub particle: usize,
    /// What of it meets what of the obstacle.
    pub part: TouchPart,
    /// Number of the obstacle.
    pub obstacle: usize,
    /// Place of the particle, or of the point of the triangle \[m\].
    pub x: Vector3<f64>,
    /// Velocity there \[m/s\].
    pub v: Vector3<f64>,
    /// Mass of the particle \[kg\].
    pub mass: f64,
    /// Its volume \[m³\].
    pub volume: f64,
    /// Number of its material.
    pub material: u32,
    /// Area that it stands for \[m²\]: that of a cube of its volume; of particles of cloth their share of the sheet. A point of a triangle stands for its centre's.
    pub area: f64,
    /// φ \[m\].
    pub gap: f64,
    /// Columns n, t₁, t₂ in world axes; n points out of the obstacle.
    pub frame: Matrix3<f64>,
    /// Velocity of the obstacle there when it was found \[m/s\].
    pub velocity: Vector3<f64>,
    /// φ + δt n·(Σ w v_i − v_o) \[m\]: its gap at the end of the step, to the plane that is moved on with the obstacle as it moves then. φ before there is one.
    pub end: f64,
    /// Impulse that it gave the obstacle in the step, world axes \[N·s\]. None before there is one.
    pub impulse: Vector3<f64>,
    /// Distance up to which its obstacle was sought \[m\].
    pub sought: f64,
    /// Places in [`Touches::rows`] of the nodes that its place moves with: those that the particle reaches; of a centre of cloth, or another point of its triangle, those of the triangle's corners.
    pub row: Range<usize>,
}

/// Contacts of particles and triangles, and the nodes of each with weights.
#[derive(Clone, Debug, Default)]
pub struct Touches {
    /// The contacts.
    pub list: Vec<Touch>,
    /// (Node, weight) of all contacts one after the other, each node once in a contact, ascending.
    pub rows: Vec<(u32, f64)>,
    /// Particles whose places have the mean, with these weights, that the place of each contact is; those of no weight are none.
    pub(crate) corners: Vec<[(u32, f64); 3]>,
}

impl Touches {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.corners.clear();
        self.rows.clear();
    }

    /// Number of contacts among which laws that share masses ([`ContactSide::contacts`]) may count the mass that each contact feels, so that all impulses of one evaluation together take no more from a node than it has; `mass` of nodes \[kg\]. None under a law that does not, where each counts for one.
    ///
    /// ```text
    /// M_k = m_k/max_i s_i,   s_i = Σ_k w_ki m_k/m_i        Σ_k J_kᵀ M_k J_k ≼ A, since (Σ_i w_ki v_i)² ≤ Σ_i w_ki v_i²
    /// c_k = 1/(M_k w_k),     w_k = Σ_i w_ki²/m_i
    /// ```
    pub fn sharing(&self, law: &dyn LawPool, mass: impl Fn(usize) -> f64) -> Option<Vec<u32>> {
        law.swept()?;
        let last = self.rows.iter().map(|r| r.0 as usize + 1).max().unwrap_or(0);
        let mut load = vec![0.0; last];
        for t in &self.list {
            self.rows[t.row.clone()].iter().for_each(|(n, w)| load[*n as usize] += w * t.mass);
        }
        let share = |t: &Touch| {
            let (mut most, mut felt) = (0.0, 0.0);
            for (n, w) in &self.rows[t.row.clone()] {
                let m = mass(*n as usize);
                if m > 0.0 {
                    most = f64::max(most, load[*n as usize] / m);
                    felt += w * w / m;
                }
            }
            // Round-off counts none more.
            (most / (t.mass * felt) - 1e-9).ceil().max(1.0) as u32
        };
        Some(self.list.iter().map(share).collect())
    }

    /// Takes over others behind its own; `more` is empty then.
    pub(crate) fn append(&mut self, more: &mut Self) {
        let from = self.rows.len();
        self.rows.append(&mut more.rows);
        self.corners.append(&mut more.corners);
        self.list.extend(more.list.drain(..).map(|mut t| {
            t.row = t.row.start + from..t.row.end + from;
            t
        }));
    }
}

/// Σ w v_i \[m/s\] over nodes with weights.
pub(crate) fn sum_of(reached: &[(u32, f64)], velocity: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
    reached.iter().map(|(n, w)| *w * velocity(*n as usize)).sum()
}

impl Touch {
    /// Depth in the step \[m\], at its start or its end; 0 outside.
    pub fn depth(&self) -> f64 {
        (-self.gap).max(-self.end).max(0.0)
    }

    /// Whether it ended the step beyond the middle of an obstacle, deeper than the radius of the largest ball inside: it leaves on the other side. Meshes and height fields have none that is known.
    pub fn is_beyond(&self, obstacle: &Obstacle) -> bool {
        let inner = match &obstacle.shape {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
            Shape::Cylinder { radius, half_length } => radius.min(*half_length),
            Shape::Box { half_extents: h } | Shape::Ellipsoid { semi_axes: h } => h.min(),
            Shape::HalfSpace | Shape::HeightField(_) | Shape::Convex(_) | Shape::Mesh(_) => return false,
        };
        -self.end > inner
    }

    /// Seed of the contact for a law, in a step of `dt` \[s\], while the obstacle moves with `velocity` there \[m/s\].
    ///
    /// Curvatures are those of the obstacle and of a ball of the particle's volume, for laws that ask for them.
    pub fn seed(
        &self,
        dt: f64,
        velocity: &Vector3<f64>,
        obstacle: &Obstacle,
        law: LawProperties,
        sides: [ContactSide; 2],
    ) -> ContactSeed {
        let velocity = self.frame.transpose() * (self.v - velocity);
        let normal = self.frame.column(0).into_owned();
        let curvature = obstacle.curvature_for(law, self.volume, &self.x, &normal);
        ContactSeed {
            preload: 0.0,
            dt,
            gap: self.gap,
            velocity,
            material: obstacle.surface_of(self.area, self.material),
            sides,
            curvature,
        }
    }

    /// Geometry of a contact of these bodies and geoms.
    pub fn geometry(&self, constraint: u32, bodies: [u32; 2], geoms: [u32; 2]) -> ContactGeometry {
        ContactGeometry {
            constraint,
            bodies,
            geoms,
            p_wc: Point3::from(self.x),
            arms: [Vector3::zeros(); 2],
            r_wc: self.frame,
            gap: self.gap,
            feature: self.particle as u64,
        }
    }
}

/// A pool of a law with these contacts.
///
/// # Errors
/// A law that is not one of contacts.
pub fn seeded(law: &dyn LawPool, seeds: Vec<ContactSeed>) -> Result<Box<dyn LawPool>, ProblemError> {
    let mut pool = law.boxed_empty();
    if pool.reset(&seeds) {
        return Ok(pool);
    }
    Err(no_contacts(law))
}

fn no_contacts(law: &dyn LawPool) -> ProblemError {
    let why = format!("law '{}' is not one of contacts; take one whose seed is `ContactSeed`", law.key());
    ProblemError::Unsupported(why)
}

/// A pool of the law of pins with these.
#[must_use]
pub fn pinned(seeds: &[NearRigidSeed<3>]) -> Box<dyn LawPool> {
    let mut pool = Pool::<NearRigid, 3>::new(NearRigid { beta: RIGID_PERIOD });
    seeds.iter().for_each(|seed| pool.push(seed));
    Box::new(pool)
}

/// Nodes of a grid as contact sees them.
pub(crate) trait Nodes {
    /// Number of nodes.
    fn count(&self) -> usize;
    /// \[kg\].
    fn mass(&self, node: usize) -> f64;
    /// Directions in which it may move.
    fn freedom(&self, node: usize) -> Freedom;
    /// Velocity at the end of the step without contact \[m/s\], in these directions.
    fn free_velocity(&self, node: usize) -> Vector3<f64>;
    /// Place, by numbers along the axes.
    fn place(&self, node: usize) -> [i32; 3];
}

/// Contacts of particles and pins, and the step problem over the nodes that they reach: contacts first.
#[derive(Default)]
pub(crate) struct Contacts {
    pub touches: Touches,
    pub holds: Holds,
    /// Corners and edges of the obstacles, where there is cloth.
    pub polyhedra: Polyhedra,
    /// Contacts by the numbers of their particles.
    by_particle: Vec<u32>,
    /// Nodes that contacts and pins reach and that can move, in groups: the unknown blocks; and the block of each node.
    nodes: Vec<(u32, Freedom)>,
    block: Vec<u32>,
    /// Starts of groups of nodes, and their end.
    groups: Vec<u32>,
    /// Components of the normals of the contacts of each node, with their weights.
    votes: Vec<[f32; 3]>,
    problem: FrozenProblem<NodeMass, NodeMap>,
    /// Whether the problem is one of these contacts.
    posed: bool,
    seeds: Vec<ContactSeed>,
    held: Vec<NearRigidSeed<3>>,
    grouping: Grouping,
    shares: Vec<Share>,
    pinned: Rows,
}

/// Contacts that are known, their numbers by those of particles, and their velocities \[m/s\].
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    list: &'a [Touch],
    by_particle: &'a [u32],
    v_c: &'a [f64],
}

impl<'a> Known<'a> {
    /// Contacts of a part of a particle, with their numbers.
    pub(crate) fn of(self, particle: usize, part: TouchPart) -> impl Iterator<Item = (usize, &'a Touch)> {
        let first = self.by_particle.partition_point(|k| self.list[*k as usize].particle < particle);
        let from_there =
            self.by_particle[first..].iter().map(move |k| (*k as usize, &self.list[*k as usize]));
        from_there.take_while(move |t| t.1.particle == particle).filter(move |t| t.1.part == part)
    }

    /// Whether a part of a particle has a contact with an obstacle.
    pub(crate) fn has(self, particle: usize, obstacle: usize, part: TouchPart) -> bool {
        self.of(particle, part).any(|(_, t)| t.obstacle == obstacle)
    }

    /// Whether a particle has a contact with an obstacle and goes no further in `dt` \[s\] than that was sought.
    pub(crate) fn was_sought(self, particle: usize, obstacle: usize, dt: f64) -> bool {
        let Some((k, t)) = self.of(particle, TouchPart::Particle).find(|(_, t)| t.obstacle == obstacle)
        else {
            return false;
        };
        let v = self.v_c.get(3 * k..3 * k + 3).unwrap_or(&[f64::INFINITY]);
        dt * v.iter().map(|v| v * v).sum::<f64>().sqrt() <= t.sought
    }
}

/// Contacts of a share of the work.
const SHARE: usize = 256;

/// Rows and seeds of some contacts.
#[derive(Default)]
struct Share {
    rows: Rows,
    seeds: Vec<ContactSeed>,
}

/// Nodes of a grid, and the unknowns that they are.
struct Unknowns<'a, N> {
    grid: &'a N,
    nodes: &'a [(u32, Freedom)],
    block: &'a [u32],
}

impl<N: Nodes> Unknowns<'_, N> {
    /// Adds the nodes of a row that can move to `rows`; Σ w v_i of the others \[m/s\], and Σ w² P_i/m_i of these \[1/kg\], with the projectors onto their directions.
    fn reach(&self, row: &[(u32, f64)], rows: &mut Rows) -> (Vector3<f64>, Matrix3<f64>) {
        let Self { grid, nodes, block } = *self;
        let (mut given, mut mobility) = (Vector3::zeros(), Matrix3::zeros());
        for (node, w) in row {
            match block[*node as usize] {
                NONE => given += *w * grid.free_velocity(*node as usize),
                b => {
                    rows.nodes.reach(b, *w);
                    let free = &nodes[b as usize].1;
                    let part = w * w / grid.mass(*node as usize);
                    match free.count {
                        3 => (0..3).for_each(|i| mobility[(i, i)] += part),
                        _ => mobility += part * free.projector(),
                    }
                }
            }
        }
        (given, mobility)
    }
}

impl Contacts {
    /// Numbers the unknowns of the touches and pins.
    pub(crate) fn number(&mut self, grid: &impl Nodes) {
        self.posed = false;
        let particle = |k: &u32| self.touches.list[*k as usize].particle;
        self.by_particle.clear();
        self.by_particle.extend(0..self.touches.list.len() as u32);
        self.by_particle.sort_unstable_by_key(|k| (particle(k), *k));
        self.block.clear();
        self.block.resize(grid.count(), NONE);
        let rows = self.touches.rows.iter().chain(&self.holds.rows);
        rows.for_each(|(node, _)| self.block[*node as usize] = 0);
        for hold in &mut self.holds.list {
            let row = &self.holds.rows[hold.row.clone()];
            let heavy = row.iter().map(|(n, w)| (w, grid.mass(*n as usize))).filter(|(_, m)| *m > 0.0);
            hold.inverse_mass = heavy.map(|(w, m)| w * w / m).sum();
        }
        self.nodes.clear();
        for (n, block) in self.block.iter_mut().enumerate().filter(|(_, block)| **block != NONE) {
            *block = NONE;
            if grid.mass(n) > 0.0 {
                let freedom = grid.freedom(n);
                if freedom.count > 0 {
                    self.nodes.push((n as u32, freedom));
                }
            }
        }
        let votes = &mut self.votes;
        votes.clear();
        votes.resize(grid.count(), [0.0; 3]);
        for t in &self.touches.list {
            let n = t.frame.column(0);
            for (node, w) in &self.touches.rows[t.row.clone()] {
                (0..3).for_each(|a| votes[*node as usize][a] += (w * n[a].abs()) as f32);
            }
        }
        self.grouping.sort(&mut self.nodes, |n| votes[n], |n| grid.place(n), &mut self.groups);
        (0..).zip(&self.nodes).for_each(|(b, (n, _))| self.block[*n as usize] = b);
    }

    /// The contacts, to look them up by particle, with their velocities, all rows \[m/s\].
    pub(crate) fn known<'a>(&'a self, v_c: &'a [f64]) -> Known<'a> {
        Known { list: &self.touches.list, by_particle: &self.by_particle, v_c }
    }

    /// The contact problem that was posed last, if it is one of these contacts.
    pub(crate) fn problem(&mut self) -> Option<&mut FrozenProblem<NodeMass, NodeMap>> {
        self.posed.then_some(&mut self.problem)
    }

    /// Whether [`Contacts::problem`] has one.
    pub(crate) fn is_posed(&self) -> bool {
        self.posed
    }

    /// The unknowns that nodes with these velocities \[m/s\] have.
    pub(crate) fn unknowns(&self, velocity: impl Fn(usize) -> Vector3<f64>, out: &mut Vec<f64>) {
        out.clear();
        self.nodes.iter().for_each(|(n, f)| out.extend(f.along(&velocity(*n as usize))));
    }

    /// Hands each node that is unknown its velocity \[m/s\] of the unknowns `v`.
    pub(crate) fn velocities(&self, v: &[f64], mut set: impl FnMut(usize, Vector3<f64>)) {
        let mut at = 0;
        for (node, freedom) in &self.nodes {
            set(*node as usize, freedom.whole(&v[at..]));
            at += freedom.count;
        }
    }

    /// Makes the contact problem of a step of `dt` \[s\]; particles reach the nodes that `reaches` tells, with weights.
    ///
    /// ```text
    /// c_k(v) = Rᵀ (Σ w v_i − v_obstacle),   of pins R = 1
    /// ```
    pub(crate) fn pose(
        &mut self,
        grid: &(impl Nodes + Sync),
        dt: f64,
        obstacles: &[Obstacle],
        law: &dyn LawPool,
        reaches: impl Fn(usize) -> [(u32, f64); 27],
    ) -> Result<(), ProblemError> {
        let Self {
            touches, holds, nodes, block, groups, problem, posed, seeds, held, shares, pinned, ..
        } = self;
        *posed = false;
        shares.resize_with(touches.list.len().div_ceil(SHARE), Share::default);
        let (properties, rows) = (law.properties(), &touches.rows);
        let sharing = touches.sharing(law, |n| grid.mass(n));
        let unknowns = Unknowns { grid, nodes, block };
        touches.list.par_chunks(SHARE).zip(&mut *shares).enumerate().for_each(|(i, (touches, share))| {
            share.rows.clear();
            share.seeds.clear();
            for (k, t) in (SHARE * i..).zip(touches) {
                let (given, mobility) = unknowns.reach(&rows[t.row.clone()], &mut share.rows);
                let turn = t.frame.transpose();
                share.rows.end(&t.frame, &(turn * (given - t.velocity)));
                let sides =
                    ContactSide::single(turn * mobility * t.frame, sharing.as_ref().map_or(1, |s| s[k]));
                share.seeds.push(t.seed(dt, &t.velocity, &obstacles[t.obstacle], properties, sides));
            }
        });
        let parts = problem.parts_mut();
        parts.inertia.set(nodes.iter().map(|(n, f)| (f.count, grid.mass(*n as usize))))?;
        parts.free_velocity.clear();
        for (n, f) in &*nodes {
            parts.free_velocity.extend(f.along(&grid.free_velocity(*n as usize)));
        }
        parts.map.begin(nodes.iter().map(|n| n.1), groups);
        seeds.clear();
        for share in &mut *shares {
            parts.map.rows.append(&share.rows);
            seeds.append(&mut share.seeds);
        }
        pinned.clear();
        held.clear();
        held.extend(holds.list.iter().map(|hold| {
            let row = &holds.rows[hold.row.clone()];
            let (given, _) = unknowns.reach(row, pinned);
            pinned.end(&Matrix3::identity(), &(given - hold.velocity));
            hold.seed(dt, 0.0)
        }));
        parts.map.rows.append(pinned);
        let corners = touches.corners.iter().copied().chain(holds.list.iter().map(|h| h.corners));
        if corners.clone().any(|c| c[1].1 != 0.0) {
            parts.map.points.fill(corners, block, reaches);
        }
        parts.map.finish();
        parts.contacts.clear();
        parts.contacts.extend(touches.list.iter().enumerate().map(|(k, t)| {
            let pair = [t.obstacle as u32, obstacles.len() as u32];
            t.geometry(k as u32, pair, pair)
        }));
        fill(parts.pools, law, seeds, held)?;
        problem.finish(dt)?;
        *posed = true;
        Ok(())
    }

    /// Ends a step of `dt` \[s\] with normal velocities of contacts \[m/s\]: gaps at its end, and to `out` the impulse \[N·s\] and moment about its origin \[N·m·s\] that contacts and pins gave each obstacle, opposite to those of the particles.
    ///
    /// ```text
    /// −Σ R γ,   −Σ (x − o) × R γ
    /// ```
    pub(crate) fn end(
        &mut self,
        dt: f64,
        normal: impl Fn(usize, &Touch, &[(u32, f64)]) -> f64,
        obstacles: &[Obstacle],
        gamma: &[f64],
        out: &mut [[Vector3<f64>; 2]],
    ) {
        out.fill([Vector3::zeros(); 2]);
        let Touches { list, rows, .. } = &mut self.touches;
        for (k, t) in list.iter_mut().enumerate() {
            let of = |i: usize| gamma.get(3 * k + i).copied().unwrap_or(0.0);
            t.end = t.gap + dt * normal(k, t, &rows[t.row.clone()]);
            t.impulse = -t.frame * Vector3::new(of(0), of(1), of(2));
            let arm = t.x - obstacles[t.obstacle].pose.translation.vector;
            out[t.obstacle][0] += t.impulse;
            out[t.obstacle][1] += arm.cross(&t.impulse);
        }
        let given = gamma.get(3 * self.touches.list.len()..).unwrap_or(&[]).as_chunks::<3>().0;
        for (hold, gamma) in self.holds.list.iter_mut().zip(given) {
            hold.impulse = -Vector3::from(*gamma);
            let Some(o) = hold.pin.obstacle else { continue };
            out[o][0] += hold.impulse;
            out[o][1] += (hold.x - obstacles[o].pose.translation.vector).cross(&hold.impulse);
        }
    }

    /// Number of contacts inside an obstacle, and the mass of their particles \[kg\].
    pub(crate) fn touching(&self, obstacle: usize) -> (u32, f64) {
        let own = self.touches.list.iter().filter(|t| t.obstacle == obstacle && t.gap < 0.0);
        own.fold((0, 0.0), |(n, sum), t| (n + 1, sum + t.mass))
    }
}

/// Puts these contacts and pins into pools of their laws, which keep their room.
#[allow(clippy::ptr_arg, reason = "pools know a `Vec` of seeds only")]
fn fill(
    pools: &mut Pools,
    law: &dyn LawPool,
    seeds: &Vec<ContactSeed>,
    held: &Vec<NearRigidSeed<3>>,
) -> Result<(), ProblemError> {
    // Solvers of laws with multipliers take no others: no pool without pins.
    if pools.members().len() != 1 + usize::from(!held.is_empty()) {
        let pins = (!held.is_empty()).then(|| pinned(&[]));
        *pools = Pools::new([law.boxed_empty()].into_iter().chain(pins).collect());
    }
    let pool = pools.member_mut(0);
    // Nothing of the contacts before stays.
    let fits = pool.reset(&Vec::<ContactSeed>::new()) && pool.reset(seeds);
    if fits && (held.is_empty() || pools.member_mut(1).reset(held)) { Ok(()) } else { Err(no_contacts(law)) }
}
