use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{LawPool, ProblemError, largest};

use crate::cloth::Cloth;
use crate::contacts::{Contacts, Nodes, Touches, sum_of};
use crate::corner_search::{Batches, Look};
use crate::corners::Around;
use crate::freedom::Freedom;
use crate::grid::Grid;
use crate::mover::{Field, Found, Matter, Motion, Mover, Reached, Sought, farthest};
use crate::obstacle::{Obstacle, Wall};
use crate::particles::Particles;
use crate::pin::{Holds, Pin, holds};

/// Grid and contacts of a prepared state, for those who pose problems of their own over the nodes.
#[derive(Clone, Copy, Debug)]
pub struct Gathered<'a> {
    /// The particles.
    pub particles: &'a Particles,
    /// Grid onto which the particles were gathered.
    pub grid: &'a Grid,
    /// Directions in which each node may move.
    pub free: &'a [Freedom],
    /// Touches of obstacles, with the nodes that they reach.
    pub touches: &'a Touches,
    /// Pins, with the nodes that they reach.
    pub holds: &'a Holds,
}

/// A step from one state: the grid that particles make, and where they touch.
#[derive(Default)]
pub(crate) struct Prepared {
    pub ready: bool,
    pub particles: Particles,
    pub nodes: GridNodes,
    pub contacts: Contacts,
    /// The longest step \[s\].
    pub longest: f64,
}

/// A grid in a step.
#[derive(Default)]
pub(crate) struct GridNodes {
    pub grid: Grid,
    /// Directions in which each node may move.
    free: Vec<Freedom>,
    /// Velocities of all nodes without contact \[m/s\].
    star: Vec<Vector3<f64>>,
}

impl Nodes for GridNodes {
    fn count(&self) -> usize {
        self.grid.len()
    }
    fn mass(&self, node: usize) -> f64 {
        self.grid.mass[node]
    }
    fn freedom(&self, node: usize) -> Freedom {
        self.free[node]
    }
    fn free_velocity(&self, node: usize) -> Vector3<f64> {
        self.star[node]
    }
    fn place(&self, node: usize) -> [i32; 3] {
        self.grid.places[node]
    }
}

/// Forces of particles.
#[derive(Clone, Copy)]
pub(crate) struct Loads<'a> {
    /// τ \[Pa\].
    pub stress: &'a [Matrix3<f64>],
    /// \[N\].
    pub force: &'a [Vector3<f64>],
}

/// The grid that particles are gathered on, the walls and obstacles in it, and pins.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// Spacing of the grid \[m\].
    pub spacing: f64,
    pub cloth: &'a [Cloth],
    pub walls: &'a [Wall],
    pub obstacles: &'a [Obstacle],
    pub pins: &'a [Pin],
}

/// Reach at which contacts are sought.
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    /// \[s\].
    pub horizon: f64,
    /// The longest step \[s\].
    pub longest: f64,
    /// \[m/s²\].
    pub gravity: Vector3<f64>,
}

impl GridNodes {
    /// Velocities without contact, after `forces` \[s\] of those of the material and the change by gravity \[m/s\].
    fn set_free(&mut self, forces: f64, fall: Vector3<f64>) {
        let Self { grid, free, star } = self;
        star.clear();
        // A node at the very edge of a particle's reach has no weight, and no mass.
        star.extend((0..grid.len()).map(|n| match grid.mass[n] > 0.0 {
            true => free[n].allowed(&((grid.momentum[n] + forces * grid.force[n]) / grid.mass[n] + fall)),
            false => Vector3::zeros(),
        }));
    }
}

/// Particles on the grid onto which they were gathered.
struct Gathering<'a> {
    particles: &'a Particles,
    nodes: &'a GridNodes,
}

impl Field for Gathering<'_> {
    fn place(&self, particle: usize) -> Vector3<f64> {
        self.particles.x[particle]
    }
    fn matter(&self, particle: usize) -> Matter {
        let Particles { mass, volume, material, .. } = self.particles;
        Matter { mass: mass[particle], volume: volume[particle], material: material[particle] }
    }
    fn motion(&self, particle: usize) -> Motion {
        let Particles { x, v, .. } = self.particles;
        let free = sum_of(&self.reached(particle), |n| self.nodes.star[n]);
        Motion { x: x[particle], v: v[particle], free, now: free }
    }
    fn reached(&self, particle: usize) -> Reached {
        let mut all =
            self.nodes.grid.nodes(particle, &self.particles.x[particle]).map(|(n, w, _)| (n as u32, w));
        let mut out: Reached = std::array::from_fn(|_| all.next().unwrap_or_default());
        out.sort_unstable_by_key(|n| n.0);
        out
    }
}

impl Prepared {
    /// Gathers particles with their loads, and finds contacts, present or possible within a time.
    pub(crate) fn set(
        &mut self,
        particles: Particles,
        loads: Loads<'_>,
        around: Surroundings<'_>,
        ahead: Ahead,
    ) {
        let (Loads { stress, force }, Surroundings { spacing, cloth, walls, obstacles, pins }) =
            (loads, around);
        let nodes = &mut self.nodes;
        nodes.grid = Grid::new(spacing);
        nodes.grid.gather(&particles, stress, force);
        nodes.free.clear();
        nodes
            .free
            .extend((0..nodes.grid.len()).map(|n| Freedom::at(&nodes.grid.position(n), spacing, walls)));
        // Longer steps than waves allow are implicit in the stress: it does not push for all of them.
        nodes.set_free(ahead.horizon.min(ahead.longest), ahead.horizon * ahead.gravity);
        let Contacts { touches, holds: held, polyhedra, .. } = &mut self.contacts;
        touches.clear();
        held.clear();
        let (mut found, mut batches, mut mover) = (Found::default(), Batches::default(), Mover::default());
        let nodes = &*nodes;
        let field = Gathering { particles: &particles, nodes };
        // None is faster than this, before the step or by its nodes, which weights take the mean of.
        let fastest = largest(particles.v.iter().chain(&nodes.star).map(Vector3::norm));
        for (p, x) in particles.x.iter().enumerate() {
            let near =
                |o: &Obstacle| o.is_within(x, farthest(fastest + o.velocity_at(x).norm(), ahead.horizon));
            if !obstacles.iter().any(near) {
                continue;
            }
            mover.set(p, cloth, &field);
            for (number, obstacle) in obstacles.iter().enumerate().filter(|o| !holds(pins, p, o.0)) {
                let of = Sought { number, obstacle, horizon: ahead.horizon };
                mover.find(of, &field, &mut found);
            }
        }
        touches.append(&mut found.touches);
        if !cloth.is_empty() {
            polyhedra.fit(obstacles);
            let look = Look { horizon: ahead.horizon, fastest, known: None };
            Around { cloth, obstacles, polyhedra, pins }.find(&field, look, &mut batches);
            batches.found().iter_mut().for_each(|more| touches.append(&mut more.touches));
        }
        for pin in pins {
            mover.set(pin.particle, cloth, &field);
            mover.hold(pin, obstacles, &field, held);
        }
        self.contacts.number(&self.nodes);
        self.particles = particles;
        self.longest = ahead.longest;
        self.ready = true;
    }

    pub(crate) fn gathered(&self) -> Gathered<'_> {
        let (GridNodes { grid, free, .. }, Contacts { touches, holds, .. }) = (&self.nodes, &self.contacts);
        Gathered { particles: &self.particles, grid, free, touches, holds }
    }

    /// Velocities of the unknown nodes at the start, in their directions.
    pub(crate) fn start_velocity(&self, out: &mut Vec<f64>) {
        self.contacts.unknowns(|n| self.nodes.grid.start_velocity(n), out);
    }

    /// The contact problem of a step of `dt` \[s\].
    ///
    /// ```text
    /// v* = (p + δt f)/m + δt g
    /// ```
    pub(crate) fn pose(
        &mut self,
        dt: f64,
        gravity: &Vector3<f64>,
        obstacles: &[Obstacle],
        law: &dyn LawPool,
    ) -> Result<(), ProblemError> {
        self.nodes.set_free(dt, dt * gravity);
        let field = Gathering { particles: &self.particles, nodes: &self.nodes };
        self.contacts.pose(&self.nodes, dt, obstacles, law, |p| field.reached(p))
    }

    /// Velocities of all nodes when the unknown ones are `v`.
    pub(crate) fn nodes_at(&self, v: &[f64]) -> Vec<Vector3<f64>> {
        let mut out = self.nodes.star.clone();
        self.contacts.velocities(v, |n, velocity| out[n] = velocity);
        out
    }
}
