use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    ContactGeometry, ContactSeed, ContactSide, FrozenProblem, LawPool, LawProperties, Pools, ProblemError,
};

use signorini_geometry::{Shape, SignedDistance};

use crate::cloth::Cloth;
use crate::freedom::Freedom;
use crate::node_map::NodeMap;
use crate::node_mass::NodeMass;
use crate::obstacle::Obstacle;
use crate::particles::Particles;

/// Factor by which obstacles are sought further ahead than a particle goes without contact: contact of its neighbours may make it faster.
const AHEAD: f64 = 2.0;

/// Distance ahead at which a block of particles is looked at where none is faster than `apart` \[m/s\] beside an obstacle, within `horizon` \[s\].
pub(crate) fn farthest(apart: f64, horizon: f64) -> f64 {
    AHEAD * horizon * apart
}

/// A particle inside an obstacle, or on its way into it.
#[derive(Clone, Debug)]
pub struct Touch {
    /// Number of the particle.
    pub particle: usize,
    /// Number of the obstacle.
    pub obstacle: usize,
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    /// φ \[m\].
    pub gap: f64,
    /// Columns n, t₁, t₂ in world axes; n points out of the obstacle.
    pub frame: Matrix3<f64>,
    /// Velocity of the obstacle there when it was found \[m/s\].
    pub velocity: Vector3<f64>,
    /// φ + δt n·(Σ w v_i − v_o) \[m\]: its gap at the end of the step, to the plane that is moved on with the obstacle as it moves then. φ before there is one.
    pub end: f64,
    /// The nodes that its place moves with, with weights: those that the particle reaches; of a centre of cloth those of its triangle's corners.
    pub reached: Vec<(u32, f64)>,
}

/// Σ w v_i \[m/s\] over nodes with weights.
fn sum_of(reached: &[(u32, f64)], velocity: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
    reached.iter().map(|(n, w)| *w * velocity(*n as usize)).sum()
}

/// A particle, and the nodes that it reaches, with weights.
pub(crate) struct Reaching {
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    pub nodes: [(u32, f64); 27],
}

/// A particle that may touch, and the nodes with which its place moves: those that it reaches; a centre of cloth, which goes to the middle of its triangle's corners, has the means of theirs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mover {
    pub particle: usize,
    /// \[m\].
    pub x: Vector3<f64>,
    /// \[m/s\].
    pub v: Vector3<f64>,
    /// \[kg\].
    pub mass: f64,
    /// \[m³\].
    pub volume: f64,
    /// The nodes of corners one after the other.
    pub reached: Vec<(u32, f64)>,
}

/// An obstacle by number, and how far ahead contacts with it are sought \[s\].
#[derive(Clone, Copy)]
pub(crate) struct Sought<'a> {
    pub number: usize,
    pub obstacle: &'a Obstacle,
    pub horizon: f64,
}

impl Mover {
    /// Takes a particle, or the middle of the corners of cloth whose centre it is.
    pub(crate) fn set(&mut self, particle: usize, cloth: &[Cloth], of: impl Fn(usize) -> Reaching) {
        self.reached.clear();
        let Reaching { x, v, mass, volume, nodes } = of(particle);
        (self.particle, self.mass, self.volume) = (particle, mass, volume);
        let Some(corners) = cloth.iter().find_map(|c| c.corners(particle)) else {
            (self.x, self.v) = (x, v);
            return self.reached.extend(nodes);
        };
        (self.x, self.v) = (Vector3::zeros(), Vector3::zeros());
        for Reaching { x, v, nodes, .. } in corners.map(|corner| of(corner as usize)) {
            self.x += x / 3.0;
            self.v += v / 3.0;
            self.reached.extend(nodes.map(|(n, w)| (n, w / 3.0)));
        }
    }

    /// Nodes of the contact, each once.
    fn row(&self) -> Vec<(u32, f64)> {
        let mut row = self.reached.clone();
        // Stable, so that sums are the same each time.
        row.sort_by_key(|r| r.0);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        row
    }

    /// Σ w v_i \[m/s\].
    pub(crate) fn sample(&self, velocity: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
        sum_of(&self.reached, velocity)
    }

    /// Distance \[m\] at which an obstacle that moves with `velocity` there \[m/s\] is looked for by one whose nodes would give it `free` \[m/s\] without contact.
    ///
    /// ```text
    /// 2 δt max(|v − v_o|, |Σ w v_i* − v_o|)
    /// ```
    pub(crate) fn reach(&self, free: &Vector3<f64>, velocity: &Vector3<f64>, horizon: f64) -> f64 {
        farthest((self.v - velocity).norm().max((free - velocity).norm()), horizon)
    }

    /// Adds to `out` a contact for each side of an obstacle that it touches, or may touch within the horizon. `sides` is room to work.
    pub(crate) fn find(
        &self,
        free: &Vector3<f64>,
        of: Sought<'_>,
        sides: &mut Vec<SignedDistance>,
        out: &mut Vec<Touch>,
    ) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.x);
        obstacle.sides(&self.x, self.reach(free, &velocity, horizon), sides);
        out.extend(sides.iter().map(|side| self.touch(number, velocity, side)));
    }

    /// As [`Mover::find`], after contact gave it the velocity `now` \[m/s\] in place of `free`: only sides beyond the first search, which it crosses and which are not `known`.
    pub(crate) fn find_again(
        &self,
        [free, now]: [&Vector3<f64>; 2],
        of: Sought<'_>,
        known: &[Touch],
        sides: &mut Vec<SignedDistance>,
        out: &mut Vec<Touch>,
    ) {
        let Sought { number, obstacle, horizon } = of;
        let velocity = obstacle.velocity_at(&self.x);
        let way = horizon * (now - velocity);
        if way.norm() <= self.reach(free, &velocity, horizon) {
            return;
        }
        obstacle.sides(&self.x, way.norm(), sides);
        sides.retain(|side| side.distance + side.normal.dot(&way) < 0.0);
        let of = |t: &Touch| t.particle == self.particle && t.obstacle == number;
        let is =
            |t: &Touch, side: &SignedDistance| t.gap == side.distance && t.frame.column(0) == side.normal;
        sides.retain(|side| !known.iter().any(|t| of(t) && is(t, side)));
        out.extend(sides.iter().map(|side| self.touch(number, velocity, side)));
    }

    fn touch(&self, obstacle: usize, velocity: Vector3<f64>, side: &SignedDistance) -> Touch {
        Touch {
            particle: self.particle,
            obstacle,
            x: self.x,
            v: self.v,
            mass: self.mass,
            volume: self.volume,
            gap: side.distance,
            frame: ContactGeometry::frame(&side.normal),
            velocity,
            end: side.distance,
            reached: self.row(),
        }
    }
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
        ContactSeed { dt, gap: self.gap, velocity, material: obstacle.material, sides, curvature }
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
    let why = format!("law '{}' is not one of contacts; take one whose seed is `ContactSeed`", law.key());
    Err(ProblemError::Unsupported(why))
}

/// Elastic energy that contacts of particles with obstacles hold where they are, as their law tells it \[J\].
pub(crate) fn stored_energy(
    particles: &Particles,
    cloth: &[Cloth],
    obstacles: &[Obstacle],
    law: &dyn LawPool,
) -> f64 {
    let (mut seeds, mut sides) = (Vec::<ContactSeed>::new(), Vec::new());
    for (p, x) in particles.x.iter().enumerate() {
        let corners = cloth.iter().find_map(|c| c.corners(p));
        let x = corners.map_or(*x, |c| c.iter().map(|i| particles.x[*i as usize] / 3.0).sum());
        for o in obstacles {
            o.sides(&x, 0.0, &mut sides);
            seeds.extend(sides.iter().filter(|s| s.distance < 0.0).map(|side| {
                let curvature = o.curvature_for(law.properties(), particles.volume[p], &x, &side.normal);
                ContactSeed {
                    dt: 1.0,
                    gap: side.distance,
                    material: o.material,
                    curvature,
                    ..Default::default()
                }
            }));
        }
    }
    law.stored_energy(&seeds).unwrap_or_default()
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
}

/// Contacts of particles, and the step problem over the nodes that they reach.
#[derive(Default)]
pub(crate) struct Contacts {
    pub touches: Vec<Touch>,
    /// Nodes that contacts reach and that can move: the unknown blocks; and the block of each node.
    nodes: Vec<(u32, Freedom)>,
    block: Vec<u32>,
    pub problem: Option<FrozenProblem<NodeMass, NodeMap>>,
}

/// No block.
const NONE: u32 = u32::MAX;

impl Contacts {
    /// Numbers the unknowns of the touches.
    pub(crate) fn number(&mut self, grid: &impl Nodes) {
        self.block.clear();
        self.block.resize(grid.count(), NONE);
        self.nodes.clear();
        for (node, _) in self.touches.iter().flat_map(|t| &t.reached) {
            let n = *node as usize;
            if self.block[n] == NONE && grid.mass(n) > 0.0 {
                let freedom = grid.freedom(n);
                if freedom.count > 0 {
                    self.block[n] = self.nodes.len() as u32;
                    self.nodes.push((*node, freedom));
                }
            }
        }
        self.problem = None;
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

    /// Makes the contact problem of a step of `dt` \[s\].
    ///
    /// ```text
    /// c_k(v) = Rᵀ (Σ w v_i − v_obstacle)
    /// ```
    pub(crate) fn pose(
        &mut self,
        grid: &impl Nodes,
        dt: f64,
        obstacles: &[Obstacle],
        law: &dyn LawPool,
    ) -> Result<(), ProblemError> {
        let mut map = NodeMap::new(self.nodes.iter().map(|n| n.1).collect());
        let inertia = NodeMass::new(self.nodes.iter().map(|(n, f)| (f.count, grid.mass(*n as usize))))?;
        let mut free_velocity = Vec::new();
        self.unknowns(|n| grid.free_velocity(n), &mut free_velocity);
        let (mut seeds, mut contacts) = (Vec::new(), Vec::new());
        let mut reached: Vec<(u32, f64)> = Vec::new();
        for (k, t) in self.touches.iter().enumerate() {
            let mut bias = -t.velocity;
            reached.clear();
            let mut mobility = Matrix3::zeros();
            for (node, w) in &t.reached {
                match self.block[*node as usize] {
                    NONE => bias += *w * grid.free_velocity(*node as usize),
                    b => {
                        reached.push((b, *w));
                        let free = &self.nodes[b as usize].1;
                        mobility += w * w / grid.mass(*node as usize) * free.projector();
                    }
                }
            }
            reached.sort_unstable_by_key(|r| r.0);
            let turn = t.frame.transpose();
            map.push(&t.frame, &(turn * bias), &reached);
            let delassus = turn * mobility * t.frame;
            let sides = ContactSide::single(delassus, 1);
            seeds.push(t.seed(dt, &t.velocity, &obstacles[t.obstacle], law.properties(), sides));
            let pair = [t.obstacle as u32, obstacles.len() as u32];
            contacts.push(t.geometry(k as u32, pair, pair));
        }
        let pools = Pools::new(vec![seeded(law, seeds)?]);
        self.problem = Some(FrozenProblem::of(dt, inertia, free_velocity, map, pools, contacts)?);
        Ok(())
    }

    /// Ends a step of `dt` \[s\] with velocities of nodes and obstacles \[m/s\]: gaps at its end, and the impulse \[N·s\] and moment about its origin \[N·m·s\] that contacts gave each obstacle, opposite to those of the particles.
    ///
    /// ```text
    /// −Σ R γ,   −Σ (x − o) × R γ
    /// ```
    pub(crate) fn end(
        &mut self,
        dt: f64,
        velocity: impl Fn(usize) -> Vector3<f64>,
        obstacles: &[Obstacle],
        gamma: &[f64],
    ) -> Vec<[Vector3<f64>; 2]> {
        let mut out = vec![[Vector3::zeros(); 2]; obstacles.len()];
        for (k, t) in self.touches.iter_mut().enumerate() {
            let of = |i: usize| gamma.get(3 * k + i).copied().unwrap_or(0.0);
            let moves = sum_of(&t.reached, &velocity) - obstacles[t.obstacle].velocity_at(&t.x);
            t.end = t.gap + dt * t.frame.column(0).dot(&moves);
            let given = -t.frame * Vector3::new(of(0), of(1), of(2));
            let arm = t.x - obstacles[t.obstacle].pose.translation.vector;
            out[t.obstacle][0] += given;
            out[t.obstacle][1] += arm.cross(&given);
        }
        out
    }

    /// Number of particles inside an obstacle, and their mass \[kg\].
    pub(crate) fn touching(&self, obstacle: usize) -> (u32, f64) {
        let own = self.touches.iter().filter(|t| t.obstacle == obstacle && t.gap < 0.0);
        own.fold((0, 0.0), |(n, sum), t| (n + 1, sum + t.mass))
    }
}
