//! Particles, and triangles of cloth, that meet obstacles in a step, and the solve of their contacts.

use rayon::prelude::*;
use signorini_core::na::Vector3;
use signorini_core::{SolveError, StepReport, largest};

use crate::contacts::{Known, Nodes, Touch, Touches};
use crate::corner_search::{Field, Look};
use crate::corners::Around;
use crate::mover::{Mover, Reaching, Sought, farthest};
use crate::obstacle::Obstacle;
use crate::pin::{Pin, holds};
use crate::spline::Weights;

use super::MpmEngine;
use super::blocks::Blocks;
use super::chunk::{Chunk, NOBODY, SIDE, wide};
use super::cloth::{ClothRun, Place};
use super::lanes::{self, LANES};
use super::nodes::BlockNodes;

/// Most further solves of a step with particles that contact itself takes into obstacles.
const MAX_LOOKS: u32 = 4;

impl<T: lanes::Number> MpmEngine<T> {
    /// Finds contacts and solves them, again with those that this brings about, until no particle ends in an obstacle that it was not held against; a particle that still does then counts as a solve that did not converge.
    pub(super) fn meet(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        self.impulses.iter_mut().for_each(|i| *i = [Vector3::zeros(); 2]);
        self.contacts.touches.clear();
        if !self.cloth.cloth.is_empty() {
            self.contacts.polyhedra.fit(&self.obstacles);
        }
        self.hold();
        let mut found = self.search(dt, false);
        if found.list.is_empty() && self.pins.is_empty() {
            // All go where they were expected.
            self.nodes.clear_ended();
            return Ok(());
        }
        for look in 0.. {
            self.contacts.touches.append(&mut found);
            self.contacts.number(&self.nodes);
            self.solve(dt, report)?;
            found = self.search(dt, true);
            if found.list.is_empty() {
                break;
            }
            if look == MAX_LOOKS {
                report.unconverged += 1;
                break;
            }
        }
        report.contacts = self.contacts.touches.list.len() as u32;
        let Self { contacts, nodes, solution, .. } = self;
        contacts.velocities(&solution.v, |n, v| {
            (0..3).for_each(|a| nodes.values[n][1 + a] = lanes::num(v[a]));
        });
        let normal = |k: usize, _: &Touch, _: &[(u32, f64)]| solution.v_c.get(3 * k).copied().unwrap_or(0.0);
        self.impulses = contacts.end(dt, normal, &self.obstacles, &solution.gamma);
        Ok(())
    }

    /// Finds the nodes that pinned particles reach.
    fn hold(&mut self) {
        let Self { blocks, chunks, cloth, obstacles, pins, contacts, options, .. } = self;
        contacts.holds.clear();
        let mut mover = Mover::default();
        for pin in &*pins {
            let of = |p: usize| particle(blocks, chunks, options.spacing, cloth.places[p]);
            mover.set(pin.particle, &cloth.cloth, of);
            mover.hold(pin, obstacles, &mut contacts.holds);
        }
    }

    /// Solves the contacts; nodes keep their velocity after it.
    fn solve(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        let Self { contacts, nodes, obstacles, law, solver, lagged, solution, guess, .. } = self;
        let (blocks, chunks, places, h) =
            (&self.blocks, &self.chunks, &self.cloth.places, self.options.spacing);
        contacts.pose(nodes, dt, obstacles, &**law, |p| particle(blocks, chunks, h, places[p]).nodes)?;
        // Where contact was, motion goes on: v* has all of the force that contact is about to balance.
        contacts.unknowns(|n| nodes.velocity_now(n), guess);
        let Some(problem) = contacts.problem() else { return Ok(()) };
        lagged.solve(&mut **solver, problem, guess, solution, report)?;
        nodes.set_ended(|set| contacts.velocities(&solution.v, set));
        Ok(())
    }

    /// Particles that touch or may touch, in the order of blocks; `again` those that do since contact was solved.
    fn search(&self, dt: f64, again: bool) -> Touches {
        let mut out = Touches::default();
        if self.obstacles.is_empty() {
            return out;
        }
        let Self { blocks, chunks, nodes, cloth, obstacles, pins, .. } = self;
        let search = Search {
            blocks,
            chunks,
            nodes,
            cloth,
            obstacles,
            pins,
            known: self.contacts.known(&self.solution.v_c),
            fastest: self.fastest,
            spacing: self.options.spacing,
            dt,
            again,
        };
        let fastest = if again { &nodes.fastest_ended } else { &nodes.fastest };
        // Centres of cloth go with nodes of other blocks too.
        let whole = (!cloth.cloth.is_empty()).then(|| largest(fastest.iter().copied()));
        let beside = |b: usize| blocks.neighbours[b].iter().map(|n| *n as usize);
        // Others go where they were looked for.
        let moved = |b: &usize| !again || whole.is_some() || beside(*b).any(|n| nodes.touched[n]);
        let about = |b: usize| whole.unwrap_or_else(|| largest(beside(b).map(|n| fastest[n])));
        let found: Vec<Touches> = (0..blocks.owners())
            .into_par_iter()
            .filter(moved)
            .map(|b| search.block(b, about(b)))
            .filter(|found| !found.list.is_empty())
            .collect();
        found.into_iter().for_each(|mut more| out.append(&mut more));
        if let Some(fastest) = whole {
            let fastest = if again { fastest } else { fastest.max(self.fastest) };
            let look = Look { horizon: dt, fastest, known: again.then_some(search.known) };
            let polyhedra = &self.contacts.polyhedra;
            let around = Around { cloth: &cloth.cloth, obstacles, polyhedra, pins };
            out.append(&mut around.find(&search, look));
        }
        out
    }
}

/// A search for contacts within a step, `again` after contact was solved.
struct Search<'a, T> {
    blocks: &'a Blocks,
    chunks: &'a [Chunk<T>],
    nodes: &'a BlockNodes<T>,
    cloth: &'a ClothRun<T>,
    obstacles: &'a [Obstacle],
    pins: &'a [Pin],
    known: Known<'a>,
    /// Fastest particle \[m/s\].
    fastest: f64,
    spacing: f64,
    dt: f64,
    again: bool,
}

impl<T: lanes::Number> Search<'_, T> {
    /// Contacts of the particles of a block about which no node is faster than this \[m/s\].
    fn block(&self, b: usize, fastest: f64) -> Touches {
        let Self { blocks, chunks, nodes, cloth, obstacles, known, dt, again, spacing: h, .. } = *self;
        let mut out = Touches::default();
        let apart = if again { fastest } else { fastest.max(self.fastest) };
        let reach = |speed: f64| if again { dt * (apart + speed) } else { farthest(apart + speed, dt) };
        let (mut sides, mut mover) = (Vec::new(), Mover::default());
        let corner = &blocks.corners[b];
        let within = |obstacle: &Obstacle, middle: &Vector3<f64>, radius: f64| {
            let speed = obstacle.velocity_at(middle).norm() + radius * obstacle.angular_velocity.norm();
            obstacle.is_within(middle, radius + reach(speed))
        };
        let middle = Vector3::from_fn(|a, _| h * (f64::from(corner[a]) + 0.5 * (SIDE + 1) as f64));
        let radius = 0.5 * (SIDE + 2) as f64 * h * 3f64.sqrt();
        for (number, obstacle) in obstacles.iter().enumerate() {
            if !within(obstacle, &middle, radius) {
                continue;
            }
            for c in blocks.chunks[b].clone() {
                let chunk = &chunks[c];
                let (middle, radius) = chunk.ball(corner, h);
                // Chunks may be empty.
                if !(radius.is_finite() && within(obstacle, &middle, radius)) {
                    continue;
                }
                for l in (0..LANES).filter(|l| chunk.id[*l] != NOBODY) {
                    let x = chunk.position(l, corner, h);
                    if !obstacle.is_within(&x, reach(obstacle.velocity_at(&x).norm())) {
                        continue;
                    }
                    let id = chunk.id[l] as usize;
                    if holds(self.pins, id, number) {
                        continue;
                    }
                    if again && known.was_sought(id, number, dt) {
                        continue;
                    }
                    let here = Place { block: b as u32, chunk: c as u32, lane: l as u8 };
                    mover.set(id, &cloth.cloth, |p| {
                        particle(blocks, chunks, h, if p == id { here } else { cloth.places[p] })
                    });
                    let free = mover.sample(|n| nodes.free_velocity(n));
                    let of = Sought { number, obstacle, horizon: dt };
                    if again {
                        let now = mover.sample(|n| nodes.velocity_now(n));
                        mover.find_again([&free, &now], of, known, &mut sides, &mut out);
                    } else {
                        mover.find(&free, of, &mut sides, &mut out);
                    }
                }
            }
        }
        out
    }
}

impl<T: lanes::Number> Field for Search<'_, T> {
    fn place(&self, particle: usize) -> Vector3<f64> {
        self.cloth.x[particle]
    }
    fn reaching(&self, p: usize) -> Reaching {
        particle(self.blocks, self.chunks, self.spacing, self.cloth.places[p])
    }
    fn free(&self, node: usize) -> Vector3<f64> {
        self.nodes.free_velocity(node)
    }
    fn now(&self, node: usize) -> Vector3<f64> {
        self.nodes.velocity_now(node)
    }
}

/// The particle at a place.
fn particle<T: lanes::Number>(blocks: &Blocks, chunks: &[Chunk<T>], spacing: f64, place: Place) -> Reaching {
    let (b, chunk, l) = (place.block as usize, &chunks[place.chunk as usize], place.lane as usize);
    let low = [0, 1, 2].map(|a| chunk.cell[a][l] as usize);
    let w = [0, 1, 2].map(|a| Weights::along(wide(chunk.f[a][l])));
    let number = BlockNodes::<T>::numbers(blocks, b, low);
    let mut nodes = [(0, 0.0); 27];
    for (n, node) in nodes.iter_mut().enumerate() {
        let k = [n / 9, n / 3 % 3, n % 3];
        *node = (number[n], w[0][k[0]] * w[1][k[1]] * w[2][k[2]]);
    }
    let x = chunk.position(l, &blocks.corners[b], spacing);
    Reaching {
        x,
        v: chunk.velocity(l),
        mass: wide(chunk.mass[l]),
        volume: wide(chunk.volume[l]),
        material: chunk.material_number(l),
        nodes,
    }
}
