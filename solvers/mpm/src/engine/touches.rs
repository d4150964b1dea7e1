//! Particles, and triangles of cloth, that meet obstacles in a step, and the solve of their contacts.

use rayon::prelude::*;
use signorini_core::na::Vector3;
use signorini_core::{SolveError, StepReport, largest};

use crate::contacts::{Known, Touch};
use crate::corner_search::Look;
use crate::corners::Around;
use crate::mover::{Field, Found, Mover, Sought, farthest};
use crate::obstacle::Obstacle;
use crate::pin::{Pin, holds};

use super::MpmEngine;
use super::chunk::{NOBODY, SIDE};
use super::cloth::Place;
use super::found::AllFound;
use super::lanes::{self, LANES};
use super::placed::Placed;

/// Most further solves of a step with particles that contact itself takes into obstacles.
const MAX_LOOKS: u32 = 4;

impl<T: lanes::Number> MpmEngine<T> {
    /// Finds contacts and solves them, again with those that this brings about, until no particle ends in an obstacle that it was not held against; a particle that still does then counts as a solve that did not converge.
    pub(super) fn meet(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        self.impulses.fill([Vector3::zeros(); 2]);
        self.contacts.touches.clear();
        if !self.cloth.cloth.is_empty() {
            self.contacts.polyhedra.fit(&self.obstacles);
        }
        self.find_vertices();
        self.hold();
        if !self.search(dt, false) && self.pins.is_empty() {
            // All go where they were expected.
            self.nodes.clear_ended();
            return Ok(());
        }
        for look in 0.. {
            self.found.append_to(&mut self.contacts.touches);
            self.contacts.number(&self.nodes);
            self.solve(dt, report)?;
            self.cloth.vertices.set_now(|n| self.nodes.velocity_now(n));
            if !self.search(dt, true) {
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
        contacts.end(dt, normal, &self.obstacles, &solution.gamma, &mut self.impulses);
        Ok(())
    }

    /// The particles before contact is solved, or after it.
    fn placed(&self, solved: bool) -> Placed<'_, T> {
        let Self { blocks, own, nodes, cloth, options, .. } = self;
        Placed { solved, ..Placed::new((blocks, &own.chunks), nodes, cloth, options.spacing) }
    }

    /// Finds the vertices of cloth, where there is something to meet or to hold them.
    fn find_vertices(&mut self) {
        let mut vertices = std::mem::take(&mut self.cloth.vertices);
        let some = !self.obstacles.is_empty() || !self.pins.is_empty();
        let placed = self.placed(false);
        vertices.fit(if some { &self.cloth.cloth } else { &[] }, |p| placed.vertex(p));
        self.cloth.vertices = vertices;
    }

    /// Finds the nodes that pinned particles reach.
    fn hold(&mut self) {
        let mut holds = std::mem::take(&mut self.contacts.holds);
        holds.clear();
        let (mut mover, placed) = (Mover::default(), self.placed(false));
        for pin in &self.pins {
            mover.set(pin.particle, &self.cloth.cloth, &placed);
            mover.hold(pin, &self.obstacles, &placed, &mut holds);
        }
        self.contacts.holds = holds;
    }

    /// Solves the contacts; nodes keep their velocity after it.
    fn solve(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        let Self { contacts, blocks, own, nodes, cloth, obstacles, law, .. } = self;
        let spacing = self.options.spacing;
        let placed = Placed::new((blocks, &own.chunks), nodes, cloth, spacing);
        contacts.pose(nodes, dt, obstacles, &**law, |p| placed.reached(p))?;
        let Self { contacts, nodes, solver, lagged, solution, guess, .. } = self;
        // Where contact was, motion goes on: v* has all of the force that contact is about to balance.
        contacts.unknowns(|n| nodes.velocity_now(n), guess);
        let Some(problem) = contacts.problem() else { return Ok(()) };
        lagged.solve(&mut **solver, problem, guess, solution, report)?;
        nodes.set_ended(|set| contacts.velocities(&solution.v, set));
        Ok(())
    }

    /// Finds particles that touch or may touch, `again` those that do since contact was solved; whether there are some.
    fn search(&mut self, dt: f64, again: bool) -> bool {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        if !self.obstacles.is_empty() {
            self.search_all(dt, again, &mut found);
        }
        self.found = found;
        self.found.is_some()
    }

    fn search_all(&self, dt: f64, again: bool, out: &mut AllFound) {
        let Self { blocks, nodes, cloth, obstacles, pins, fastest: particles, .. } = self;
        let known = self.contacts.known(&self.solution.v_c);
        let search =
            Search { placed: self.placed(again), obstacles, pins, known, fastest: *particles, dt, again };
        let fastest = if again { &nodes.fastest_ended } else { &nodes.fastest };
        // Centres of cloth go with nodes of other blocks too.
        let whole = (!cloth.cloth.is_empty()).then(|| largest(fastest.iter().copied()));
        let beside = |b: usize| blocks.neighbours[b].iter().map(|n| *n as usize);
        // Others go where they were looked for.
        let moved = |b: usize| !again || whole.is_some() || beside(b).any(|n| nodes.touched[n]);
        let about = |b: usize| whole.unwrap_or_else(|| largest(beside(b).map(|n| fastest[n])));
        out.blocks.resize_with(out.blocks.len().max(blocks.owners()), Found::default);
        let own = out.blocks[..blocks.owners()].par_iter_mut().enumerate();
        own.filter(|(b, _)| moved(*b)).for_each(|(b, found)| search.block(b, about(b), found));
        if let Some(fastest) = whole {
            let fastest = if again { fastest } else { fastest.max(self.fastest) };
            let look = Look { horizon: dt, fastest, known: again.then_some(search.known) };
            let polyhedra = &self.contacts.polyhedra;
            let around = Around { cloth: &cloth.cloth, obstacles, polyhedra, pins };
            around.find(&search.placed, look, &mut out.corners);
        }
    }
}

/// A search for contacts within a step, `again` after contact was solved.
struct Search<'a, T> {
    placed: Placed<'a, T>,
    obstacles: &'a [Obstacle],
    pins: &'a [Pin],
    known: Known<'a>,
    /// Fastest particle \[m/s\].
    fastest: f64,
    dt: f64,
    again: bool,
}

impl<T: lanes::Number> Search<'_, T> {
    /// Finds contacts of the particles of a block about which no node is faster than this \[m/s\].
    fn block(&self, b: usize, fastest: f64, out: &mut Found) {
        let Self { placed, obstacles, known, dt, again, .. } = *self;
        let Placed { blocks, chunks, cloth, spacing: h, .. } = placed;
        let apart = if again { fastest } else { fastest.max(self.fastest) };
        let reach = |speed: f64| if again { dt * (apart + speed) } else { farthest(apart + speed, dt) };
        let mut mover = Mover::default();
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
                    let placed = Placed { here: Some((id, here)), ..placed };
                    mover.set(id, &cloth.cloth, &placed);
                    let of = Sought { number, obstacle, horizon: dt };
                    match again {
                        true => mover.find_again(of, (&placed, known), out),
                        false => mover.find(of, &placed, out),
                    }
                }
            }
        }
    }
}
