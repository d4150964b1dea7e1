//! Particles that meet obstacles in a step, and the solve of their contacts.

use rayon::prelude::*;
use signorini_core::na::Vector3;
use signorini_core::{SolveError, StepReport, largest};

use crate::contacts::{Mover, Nodes, Reaching, Sought, Touch, farthest};
use crate::spline::Weights;

use super::MpmEngine;
use super::blocks::Blocks;
use super::chunk::{Chunk, NOBODY, SIDE, wide};
use super::cloth::Place;
use super::lanes::{self, LANES};
use super::nodes::{BLOCK, BlockNodes};

/// Most further solves of a step with particles that contact itself takes into obstacles.
const MAX_LOOKS: u32 = 4;

impl<T: lanes::Number> MpmEngine<T> {
    /// Finds contacts and solves them, again with those that this brings about, until no particle ends in an obstacle that it was not held against; a particle that still does then counts as a solve that did not converge.
    pub(super) fn meet(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        self.impulses.iter_mut().for_each(|i| *i = [Vector3::zeros(); 2]);
        self.contacts.touches = self.search(dt, false);
        if self.contacts.touches.is_empty() {
            // All go where they were expected.
            return Ok(());
        }
        for look in 0.. {
            self.contacts.number(&self.nodes);
            self.solve(dt, report)?;
            let found = self.search(dt, true);
            if found.is_empty() {
                break;
            }
            if look == MAX_LOOKS {
                report.unconverged += 1;
                break;
            }
            self.contacts.touches.extend(found);
        }
        report.contacts = self.contacts.touches.len() as u32;
        let Self { contacts, nodes, solution, .. } = self;
        contacts.velocities(&solution.v, |n, v| {
            (0..3).for_each(|a| nodes.values[n][1 + a] = lanes::num(v[a]));
        });
        let end = |n: usize| nodes.free_velocity(n) + nodes.change[n];
        self.impulses = contacts.end(dt, end, &self.obstacles, &solution.gamma);
        Ok(())
    }

    /// Solves the contacts; nodes keep the change of their velocity.
    fn solve(&mut self, dt: f64, report: &mut StepReport) -> Result<(), SolveError> {
        let Self { contacts, nodes, obstacles, law, solver, lagged, solution, guess, .. } = self;
        contacts.pose(nodes, dt, obstacles, &**law)?;
        contacts.unknowns(|n| nodes.free_velocity(n) + nodes.change[n], guess);
        let Some(problem) = &mut contacts.problem else { return Ok(()) };
        lagged.solve(&mut **solver, problem, guess, solution, report)?;
        nodes.change.fill(Vector3::zeros());
        nodes.changed.fill(0.0);
        contacts.velocities(&solution.v, |n, v| {
            nodes.change[n] = v - nodes.free_velocity(n);
            let most = &mut nodes.changed[n / BLOCK];
            *most = most.max(nodes.change[n].norm());
        });
        Ok(())
    }

    /// Particles that touch or may touch, in the order of blocks; `again` those that do since contact was solved.
    fn search(&self, dt: f64, again: bool) -> Vec<Touch> {
        if self.obstacles.is_empty() {
            return Vec::new();
        }
        let Self { blocks, chunks, nodes, cloth, obstacles, fastest, .. } = self;
        let (h, known) = (self.options.spacing, &self.contacts.touches[..]);
        let radius = 0.5 * (SIDE + 2) as f64 * h * 3f64.sqrt();
        // Centres of cloth go with nodes of other blocks too.
        let whole = (!cloth.cloth.is_empty())
            .then(|| [&nodes.fastest, &nodes.changed].map(|list| largest(list.iter().copied())));
        let about = |b: usize| {
            let beside = |list: &Vec<f64>| largest(blocks.neighbours[b].iter().map(|n| list[*n as usize]));
            whole.unwrap_or_else(|| [&nodes.fastest, &nodes.changed].map(beside))
        };
        let of_block = |b: usize| {
            let mut out = Vec::new();
            let [free, change] = about(b);
            if again && change == 0.0 {
                return out;
            }
            let apart = if again { free + change } else { free.max(*fastest) };
            let reach = |speed: f64| if again { dt * (apart + speed) } else { farthest(apart + speed, dt) };
            let (mut sides, mut mover) = (Vec::new(), Mover::default());
            let corner = &blocks.corners[b];
            let middle = Vector3::from_fn(|a, _| h * (f64::from(corner[a]) + 0.5 * (SIDE + 1) as f64));
            for (number, obstacle) in obstacles.iter().enumerate() {
                let turning = radius * obstacle.angular_velocity.norm();
                if !obstacle
                    .is_within(&middle, radius + reach(obstacle.velocity_at(&middle).norm() + turning))
                {
                    continue;
                }
                for c in blocks.chunks[b].clone() {
                    let chunk = &chunks[c];
                    for l in (0..LANES).filter(|l| chunk.id[*l] != NOBODY) {
                        let x = chunk.position(l, corner, h);
                        if !obstacle.is_within(&x, reach(obstacle.velocity_at(&x).norm())) {
                            continue;
                        }
                        let id = chunk.id[l] as usize;
                        let here = Place { block: b as u32, chunk: c as u32, lane: l as u8 };
                        mover.set(id, &cloth.cloth, |p| {
                            particle(blocks, chunks, h, if p == id { here } else { cloth.places[p] })
                        });
                        let free = mover.sample(|n| nodes.free_velocity(n));
                        let of = Sought { number, obstacle, horizon: dt };
                        if again {
                            let now = mover.sample(|n| nodes.free_velocity(n) + nodes.change[n]);
                            mover.find_again([&free, &now], of, known, &mut sides, &mut out);
                        } else {
                            mover.find(&free, of, &mut sides, &mut out);
                        }
                    }
                }
            }
            out
        };
        let found: Vec<Vec<Touch>> = (0..blocks.owners()).into_par_iter().map(of_block).collect();
        found.into_iter().flatten().collect()
    }
}

/// The particle at a place.
fn particle<T: lanes::Number>(blocks: &Blocks, chunks: &[Chunk<T>], spacing: f64, place: Place) -> Reaching {
    let (b, chunk, l) = (place.block as usize, &chunks[place.chunk as usize], place.lane as usize);
    let low = [0, 1, 2].map(|a| chunk.cell[a][l] as usize);
    let w = [0, 1, 2].map(|a| Weights::along(wide(chunk.f[a][l])));
    let nodes = std::array::from_fn(|n| {
        let k = [n / 9, n / 3 % 3, n % 3];
        let node = BlockNodes::<T>::number(blocks, b, [0, 1, 2].map(|a| low[a] + k[a]));
        (node, w[0][k[0]] * w[1][k[1]] * w[2][k[2]])
    });
    let x = chunk.position(l, &blocks.corners[b], spacing);
    Reaching { x, v: chunk.velocity(l), mass: wide(chunk.mass[l]), volume: wide(chunk.volume[l]), nodes }
}
