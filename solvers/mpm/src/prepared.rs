use signorini_core::na::Point3;
use signorini_core::na::{DMatrix, Matrix3, Vector3};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactSeed, ContactSide, FrozenMap, FrozenProblem, LawPool, Pools,
    ProblemError,
};

use crate::freedom::directions;
use crate::grid::Grid;
use crate::obstacle::{Obstacle, Wall};
use crate::particles::Particles;

/// How much further ahead contacts are sought than a particle goes by itself: the grid may make it faster.
const AHEAD: f64 = 2.0;

/// A particle inside an obstacle, or on its way into it.
#[derive(Clone, Debug)]
pub(crate) struct Touch {
    pub particle: usize,
    pub obstacle: usize,
    pub gap: f64,
    /// Columns n, t₁, t₂ in world axes; n points out of the obstacle.
    pub frame: Matrix3<f64>,
    /// Velocity of the obstacle there \[m/s\].
    pub velocity: Vector3<f64>,
}

/// A step from one state: the grid that particles make, and where they touch.
#[derive(Default)]
pub(crate) struct Prepared {
    pub ready: bool,
    pub particles: Particles,
    pub grid: Grid,
    pub touches: Vec<Touch>,
    /// Directions in which each node may move.
    free: Vec<DMatrix<f64>>,
    /// Nodes that contacts reach and that can move: the unknown blocks; and the block of each node.
    nodes: Vec<usize>,
    block: Vec<Option<usize>>,
    /// Velocities of all nodes without contact \[m/s\].
    pub star: Vec<Vector3<f64>>,
    pub problem: Option<FrozenProblem>,
}

impl Prepared {
    /// Gathers particles with stresses τ \[Pa\], and finds what touches, or may within `horizon` \[s\].
    pub(crate) fn set(
        &mut self,
        particles: Particles,
        stress: &[Matrix3<f64>],
        spacing: f64,
        walls: &[Wall],
        obstacles: &[Obstacle],
        (horizon, gravity): (f64, &Vector3<f64>),
    ) {
        self.grid = Grid::new(spacing);
        self.grid.gather(&particles, stress);
        self.free.clear();
        self.free.extend((0..self.grid.len()).map(|n| directions(&self.grid.position(n), walls)));
        self.touches.clear();
        for (p, x) in particles.x.iter().enumerate() {
            for (o, obstacle) in obstacles.iter().enumerate() {
                let apart = (particles.v[p] - obstacle.velocity_at(x)).norm();
                let reach = AHEAD * horizon * (apart + horizon * gravity.norm());
                if let Some((gap, normal)) = obstacle.gap(x).filter(|g| g.0 < reach) {
                    self.touches.push(Touch {
                        particle: p,
                        obstacle: o,
                        gap,
                        frame: ContactGeometry::frame(&normal),
                        velocity: obstacle.velocity_at(x),
                    });
                }
            }
        }
        self.block = vec![None; self.grid.len()];
        self.nodes.clear();
        for t in &self.touches {
            for (node, _, _) in self.grid.nodes(t.particle, &particles.x[t.particle]) {
                let moves = self.grid.mass[node] > 0.0 && self.free[node].ncols() > 0;
                if self.block[node].is_none() && moves {
                    self.block[node] = Some(self.nodes.len());
                    self.nodes.push(node);
                }
            }
        }
        self.particles = particles;
        self.problem = None;
        self.ready = true;
    }

    /// A velocity of a node without the directions that walls take.
    fn allowed(&self, node: usize, v: Vector3<f64>) -> Vector3<f64> {
        let b = &self.free[node];
        if b.ncols() == 3 { v } else { Vector3::from_column_slice((b * b.tr_mul(&v)).as_slice()) }
    }

    /// Velocities of the unknown nodes at the start, in their directions.
    pub(crate) fn start_velocity(&self, out: &mut Vec<f64>) {
        out.clear();
        for &node in &self.nodes {
            let v = self.grid.momentum[node] / self.grid.mass[node];
            out.extend(self.free[node].tr_mul(&v).iter());
        }
    }

    /// The contact problem of a step of `dt` \[s\].
    ///
    /// ```text
    /// v* = (p + δt f)/m + δt g,   c_k(v) = Rᵀ (Σ w v_i − v_obstacle)
    /// ```
    pub(crate) fn pose(
        &mut self,
        dt: f64,
        gravity: &Vector3<f64>,
        obstacles: &[Obstacle],
        law: &dyn LawPool,
    ) -> Result<(), ProblemError> {
        // A node at the very edge of a particle's reach has no weight, and no mass.
        let moved = |n: usize| match self.grid.mass[n] > 0.0 {
            true => (self.grid.momentum[n] + dt * self.grid.force[n]) / self.grid.mass[n] + dt * gravity,
            false => Vector3::zeros(),
        };
        let star = (0..self.grid.len()).map(|n| self.allowed(n, moved(n))).collect();
        self.star = star;
        let g = &self.grid;
        let sizes: Vec<usize> = self.nodes.iter().map(|n| self.free[*n].ncols()).collect();
        let mut inertia = BlockDiagonal::with_sizes(&sizes);
        let mut free_velocity = Vec::new();
        for (b, &node) in self.nodes.iter().enumerate() {
            let n = sizes[b];
            (0..n).for_each(|i| inertia.block_mut(b)[(n + 1) * i] = g.mass[node]);
            free_velocity.extend(self.free[node].tr_mul(&self.star[node]).iter());
        }
        inertia.factor()?;
        let mut map = FrozenMap::new(signorini_core::Inertia::block_starts(&inertia));
        let (mut seeds, mut contacts) = (Vec::new(), Vec::new());
        for (k, t) in self.touches.iter().enumerate() {
            let x = &self.particles.x[t.particle];
            let turn = t.frame.transpose();
            let mut bias = -t.velocity;
            let mut reached: Vec<(usize, f64, usize)> = Vec::new();
            let mut delassus = Matrix3::zeros();
            for (node, w, _) in g.nodes(t.particle, x) {
                match self.block[node] {
                    Some(b) => {
                        reached.push((b, w, node));
                        let along = turn * &self.free[node];
                        delassus += w * w / g.mass[node] * &along * along.transpose();
                    }
                    None => bias += w * self.star[node],
                }
            }
            reached.sort_unstable_by_key(|r| r.0);
            map.push_constraint((turn * bias).as_slice());
            for (b, w, node) in reached {
                let block = w * turn * &self.free[node];
                map.push_block(b).copy_from_slice(block.as_slice());
            }
            seeds.push(ContactSeed {
                dt,
                gap: t.gap,
                velocity: turn * (self.particles.v[t.particle] - t.velocity),
                material: obstacles[t.obstacle].material,
                sides: ContactSide::single(delassus, 1),
            });
            contacts.push(ContactGeometry {
                constraint: k as u32,
                bodies: [t.obstacle as u32, obstacles.len() as u32],
                geoms: [t.obstacle as u32, obstacles.len() as u32],
                p_wc: Point3::from(*x),
                r_wc: t.frame,
                gap: t.gap,
                feature: t.particle as u64,
            });
        }
        let mut pool = law.boxed_empty();
        if !pool.reset(&seeds) {
            let why = format!("law '{}' is not one of contacts; take one of signorini_laws", law.key());
            return Err(ProblemError::Unsupported(why));
        }
        let pools = Pools::new(vec![pool]);
        self.problem = Some(FrozenProblem::new(dt, inertia, free_velocity, map, pools, contacts)?);
        Ok(())
    }

    /// Velocities of all nodes when the unknown ones are `v`.
    pub(crate) fn nodes_at(&self, v: &[f64]) -> Vec<Vector3<f64>> {
        let mut out = self.star.clone();
        let mut at = 0;
        for &node in &self.nodes {
            let n = self.free[node].ncols();
            out[node] =
                (0..n).map(|i| v[at + i] * self.free[node].column(i)).fold(Vector3::zeros(), |a, b| a + b);
            at += n;
        }
        out
    }

    /// Impulse \[N·s\] and moment about its origin \[N·m·s\] that contacts give each obstacle: what particles get, turned round.
    ///
    /// ```text
    /// −Σ R γ,   −Σ (x − o) × R γ
    /// ```
    pub(crate) fn impulses(&self, obstacles: &[Obstacle], gamma: &[f64]) -> Vec<[Vector3<f64>; 2]> {
        let mut out = vec![[Vector3::zeros(); 2]; obstacles.len()];
        for (k, t) in self.touches.iter().enumerate() {
            let of = |i: usize| gamma.get(3 * k + i).copied().unwrap_or(0.0);
            let given = -t.frame * Vector3::new(of(0), of(1), of(2));
            let arm = self.particles.x[t.particle] - obstacles[t.obstacle].pose.translation.vector;
            out[t.obstacle][0] += given;
            out[t.obstacle][1] += arm.cross(&given);
        }
        out
    }
}
