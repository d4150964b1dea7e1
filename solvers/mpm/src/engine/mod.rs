//! The fast path of material points: particles in lanes, sorted by cell, in blocks of a sparse grid.

mod blocks;
mod chunk;
mod cloth;
mod energy;
mod found;
mod kept;
mod lane_material;
mod lanes;
mod nodes;
mod placed;
mod rows;
mod shares;
mod touches;
mod transfer;
mod vertices;

use rayon::prelude::*;
use signorini_core::na::Vector3;
use signorini_core::{
    ContactSolver, LaggedSolve, LawPool, ProblemError, SolveError, StepError, StepReport, StepSolution,
    Tolerance, largest,
};

use crate::cloth::Cloth;
use crate::contacts::Contacts;
use crate::error::{MpmError, value};
use crate::material::Material;
use crate::obstacle::{Obstacle, Wall};
use crate::particles::Particles;
use crate::pin::{Hold, Pin, in_order};
use crate::setup::{FARTHEST, MpmOptions, check, check_cloth, longest_step, rates, stretch};
use crate::solver::MpmSolver;
use crate::spline::Weights;
use crate::vectorized::vectorized;

use blocks::Blocks;
use chunk::{Chunk, NOBODY, SIDE, wide};
use cloth::ClothRun;
use found::AllFound;
pub use kept::Kept;
use lanes::{LANES, Number, num};
use nodes::BlockNodes;
use shares::{PerBlock, Share};
use transfer::{Gather, Moved, Scatter, StepConstants, TILE_SIZE};

/// Particles are sorted anew, if none makes it necessary before, once tiles were added to more often than just after the last time by so many times for each particle: about the cost of sorting.
const SORTED_FOR: f64 = 8.0;

/// Most further solves of a step that update lagged quantities.
const MAX_RELAGS: u32 = 20;

/// Material points that meet obstacles, as [`crate::MpmSystem`], made for speed: it keeps its particles itself, in lanes of `f32` or `f64`, sorted by cell, and all cores work on them.
///
/// Each block of 4³ nodes gathers its own particles into a tile that reaches one cell further; tiles are then added up node by node in a fixed order. So no two threads write to the same place, particles are sorted
/// only when one has left the reach of its block, and results do not depend on the number of threads. In `f32` positions are kept within cells, so that they have 10⁻⁷ of a cell everywhere; contacts are found and solved in `f64`.
///
/// After contact was solved, particles that it takes further than was looked for, into an obstacle, become contacts too and it is solved again, up to four times; a step in which there are more of them then has an unconverged solve in its report. So no particle ends a step deeper in an obstacle than the law of contact makes it, to the curvature of the obstacle. Corners and edges of boxes, hulls and meshes meet triangles and edges of cloth in the same way.
pub struct MpmEngine<T> {
    options: MpmOptions,
    materials: Vec<Box<dyn Material>>,
    walls: Vec<Wall>,
    obstacles: Vec<Obstacle>,
    law: Box<dyn LawPool>,
    solver: Box<dyn ContactSolver>,
    lagged: LaggedSolve,
    /// Constants of the particles, and the place where their state is written when it is asked for.
    particles: Particles,
    time: f64,
    blocks: Blocks,
    own: PerBlock<T>,
    nodes: BlockNodes<T>,
    contacts: Contacts,
    found: AllFound,
    cloth: ClothRun<T>,
    pins: Vec<Pin>,
    guess: Vec<f64>,
    solution: StepSolution,
    impulses: Vec<[Vector3<f64>; 2]>,
    /// Fastest wave at rest of materials, of cloth, fastest particle \[m/s\].
    wave: f64,
    /// Fastest rate of viscosity \[1/s\].
    viscous: f64,
    cloth_wave: f64,
    fastest: f64,
    /// Largest |FᵀF|_∞ of particles with a material.
    stretch: f64,
    /// Chunks into which the others are sorted.
    spare: Vec<Chunk<T>>,
    order: Order,
    ahead: Ahead,
    /// Why it goes no further.
    broken: Option<ProblemError>,
}

/// Measures of the order of particles.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    /// Number of additions to tiles in the first step after particles were sorted, and how many more in all since.
    first: Option<u64>,
    more: u64,
    /// One has left the reach of its block.
    left: bool,
}

/// Blocks that have their particles in cache gather them for the next step too, if it is likely to be as long as the last.
#[derive(Clone, Copy, Debug, Default)]
struct Ahead {
    /// The last step \[s\].
    last: f64,
    /// The step \[s\] that tiles are ready for.
    ready: Option<f64>,
}

/// Numbers that the engine runs in: f32 or f64. Steps of both are compiled here, once, rather than in each crate that takes one.
pub trait Real: Number {
    /// [`MpmEngine::step`] with the cause of a failure alone.
    #[doc(hidden)]
    fn step(engine: &mut MpmEngine<Self>, dt: f64) -> Result<StepReport, SolveError>;
}

impl Real for f32 {
    fn step(engine: &mut MpmEngine<f32>, dt: f64) -> Result<StepReport, SolveError> {
        engine.step_inner(dt)
    }
}

impl Real for f64 {
    fn step(engine: &mut MpmEngine<f64>, dt: f64) -> Result<StepReport, SolveError> {
        engine.step_inner(dt)
    }
}

impl<T: Real> MpmEngine<T> {
    /// Tolerance of contact unless another is given: forces are within 10⁻³ of those of tight solves (table on the page of yu2025mpm), at a quarter of the products of 10⁻⁸.
    pub const TOLERANCE: Tolerance = Tolerance { relative: 1e-3, max_iterations: 100 };

    /// Particles of materials, between walls, meeting obstacles under a contact law (a pool of [`signorini_laws::contact_pool`] with three rows), solved by [`MpmSolver`] to [`MpmEngine::TOLERANCE`].
    ///
    /// # Errors
    /// [`MpmError`].
    pub fn new(
        particles: Particles,
        materials: Vec<Box<dyn Material>>,
        walls: Vec<Wall>,
        obstacles: Vec<Obstacle>,
        law: Box<dyn LawPool>,
        options: MpmOptions,
    ) -> Result<Self, MpmError> {
        check(&particles, &materials, &walls, &obstacles, &*law, &options)?;
        check_range::<T>(&particles)?;
        let [mut wave, mut viscous] = [0.0; 2];
        for p in 0..particles.len() {
            let material = materials.get(particles.material[p] as usize);
            let of =
                material.map(|m| rates(&**m, particles.per_mass(p), options.spacing)).unwrap_or_default();
            (wave, viscous) = (largest([wave, of[0]]), largest([viscous, of[1]]));
        }
        let own = (0..particles.len()).filter(|p| particles.material[*p] != Particles::BARE);
        let mut out = Self {
            wave,
            viscous,
            cloth_wave: 0.0,
            stretch: largest(own.map(|p| stretch(&particles.f[p]))),
            fastest: particles.v.iter().map(Vector3::norm).fold(0.0, f64::max),
            impulses: vec![[Vector3::zeros(); 2]; obstacles.len()],
            solver: Box::new(MpmSolver::default()),
            lagged: LaggedSolve::new(Self::TOLERANCE, MAX_RELAGS),
            options,
            materials,
            walls,
            obstacles,
            law,
            particles,
            time: 0.0,
            blocks: Blocks::default(),
            own: PerBlock::default(),
            nodes: BlockNodes::default(),
            contacts: Contacts::default(),
            found: AllFound::default(),
            cloth: ClothRun::default(),
            pins: Vec::new(),
            guess: Vec::new(),
            solution: StepSolution::default(),
            spare: Vec::new(),
            order: Order::default(),
            ahead: Ahead::default(),
            broken: None,
        };
        out.load();
        Ok(out)
    }

    /// With another solver of contact and its tolerance.
    #[must_use]
    pub fn with_solver(mut self, solver: Box<dyn ContactSolver>, tolerance: Tolerance) -> Self {
        (self.solver, self.lagged.tolerance) = (solver, tolerance);
        self
    }

    /// With cloth that was made on the particles.
    ///
    /// # Errors
    /// [`MpmError::Cloth`] for cloth of other particles.
    pub fn with_cloth(mut self, cloth: Cloth) -> Result<Self, MpmError> {
        check_cloth(&self.particles, &self.cloth.cloth, &cloth)?;
        self.cloth_wave = self.cloth_wave.max(cloth.wave_speed());
        self.cloth.cloth.push(cloth);
        self.cloth.find(&self.own.chunks, &self.blocks, self.particles.len());
        self.ahead.ready = None;
        Ok(self)
    }

    /// With particles that are pinned, in place of those before.
    ///
    /// # Errors
    /// As [`crate::MpmSystem::with_pins`].
    pub fn with_pins(mut self, pins: Vec<Pin>) -> Result<Self, MpmError> {
        self.set_pins(pins)?;
        Ok(self)
    }

    /// Holds these pins from the next step on, and lets those before go.
    ///
    /// # Errors
    /// As [`crate::MpmSystem::with_pins`]; the pins before stay then.
    pub fn set_pins(&mut self, pins: Vec<Pin>) -> Result<(), MpmError> {
        self.pins = in_order(pins, self.particles.len(), self.obstacles.len())?;
        self.cloth.seeks = !self.pins.is_empty();
        self.cloth.find(&self.own.chunks, &self.blocks, self.particles.len());
        Ok(())
    }

    /// The pins, by the numbers of their particles.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// The cloth, in the order in which it was given.
    pub fn cloth(&self) -> &[Cloth] {
        &self.cloth.cloth
    }

    /// Puts the particles into chunks.
    fn load(&mut self) {
        let p = &self.particles;
        let weights: Vec<Weights> = p.x.iter().map(|x| Weights::at(x, self.options.spacing)).collect();
        let lowest: Vec<[i32; 3]> = weights.iter().map(|w| w.base).collect();
        let (blocks, slots) = Blocks::arrange(&lowest);
        let mut chunks = vec![Chunk::empty(); blocks.chunks.last().map_or(0, |c| c.end)];
        for (i, slot) in slots.iter().enumerate() {
            let f = weights[i].fraction();
            let (chunk, lane) = (*slot as usize / LANES, *slot as usize % LANES);
            chunks[chunk].set(lane, p, i, in_tile(&lowest[i]), f);
        }
        self.settle(blocks, chunks);
    }

    /// Sorts particles by block and cell.
    fn sort(&mut self) {
        let (mut lowest, mut from) = (Vec::with_capacity(self.particles.len()), Vec::new());
        for (b, range) in self.blocks.chunks.iter().enumerate() {
            let corner = &self.blocks.corners[b];
            for c in range.clone() {
                let chunk = &self.own.chunks[c];
                for l in (0..LANES).filter(|l| chunk.id[*l] != NOBODY) {
                    lowest.push([0, 1, 2].map(|a| corner[a] - 1 + i32::from(chunk.cell[a][l])));
                    from.push((LANES * c + l) as u32);
                }
            }
        }
        let (blocks, slots) = Blocks::arrange(&lowest);
        let count = blocks.chunks.last().map_or(0, |c| c.end);
        // Who comes where.
        let mut source = vec![(NOBODY, [0i8; 3]); LANES * count];
        for ((slot, from), node) in slots.iter().zip(&from).zip(&lowest) {
            source[*slot as usize] = (*from, in_tile(node));
        }
        let (mut chunks, old) = (std::mem::take(&mut self.spare), &self.own.chunks);
        chunks.resize(count, Chunk::empty());
        chunks.par_iter_mut().zip(source.par_chunks(LANES)).for_each(|(chunk, source)| {
            if source.iter().any(|s| s.0 == NOBODY) {
                *chunk = Chunk::empty();
            }
            for (lane, (from, cell)) in source.iter().enumerate().filter(|s| s.1.0 != NOBODY) {
                let from = *from as usize;
                chunk.take(lane, &old[from / LANES], from % LANES, *cell);
            }
        });
        self.settle(blocks, chunks);
    }

    fn settle(&mut self, blocks: Blocks, chunks: Vec<Chunk<T>>) {
        let keeps = self.options.transfer_time > 0.0;
        self.nodes.fit(&blocks, self.options.spacing, &self.walls, keeps);
        self.own.tiles.resize(TILE_SIZE * blocks.owners(), T::zero());
        if keeps {
            self.own.starts.resize(self.own.tiles.len(), T::zero());
        }
        self.own.moved.resize(blocks.owners(), Moved::default());
        self.cloth.find(&chunks, &blocks, self.particles.len());
        self.blocks = blocks;
        self.spare = std::mem::replace(&mut self.own.chunks, chunks);
        self.order = Order::default();
        self.ahead.ready = None;
    }

    /// The settings.
    pub fn options(&self) -> &MpmOptions {
        &self.options
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.particles.len()
    }

    /// True without particles.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty()
    }

    /// Number of nodes that had mass in the last step.
    pub fn node_count(&self) -> usize {
        self.nodes.values.iter().filter(|n| n[0] > T::zero()).count()
    }

    /// Time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The obstacles, to move them between steps.
    pub fn obstacles_mut(&mut self) -> &mut [Obstacle] {
        &mut self.obstacles
    }

    /// The particles as they are, in the order in which they came.
    pub fn particles(&mut self) -> &Particles {
        for (b, range) in self.blocks.chunks.iter().enumerate() {
            for chunk in &self.own.chunks[range.clone()] {
                for l in (0..LANES).filter(|l| chunk.id[*l] != NOBODY) {
                    let (p, elapsed) = (chunk.id[l] as usize, wide(chunk.elapsed[l]));
                    let out = &mut self.particles;
                    chunk.write(l, &self.blocks.corners[b], self.options.spacing, out);
                    // Gradients flow when they are gathered.
                    let material = self.materials.get(out.material[p] as usize);
                    if let Some(material) = material.filter(|_| elapsed > 0.0) {
                        material.flow(&mut out.f[p], &mut out.memory[p], elapsed);
                    }
                }
            }
        }
        &self.particles
    }

    /// Impulse \[N·s\] and moment about its origin \[N·m·s\], world axes, that contacts and pins gave each obstacle in the last [`MpmEngine::step`] or [`MpmEngine::advance`]: the input from them to its own motion (yu2025mpm, eq. (3)).
    pub fn impulses(&self) -> &[[Vector3<f64>; 2]] {
        &self.impulses
    }

    /// Particles that obstacles met in the last step, or might have, and points of triangles of cloth that their corners and edges did.
    pub fn touches(&self) -> &[crate::contacts::Touch] {
        &self.contacts.touches.list
    }

    /// The pins in the last step.
    pub fn holds(&self) -> &[Hold] {
        &self.contacts.holds.list
    }

    /// Number of contacts inside an obstacle in the last step, and the mass of their particles \[kg\].
    pub fn touching(&self, obstacle: usize) -> (u32, f64) {
        self.contacts.touching(obstacle)
    }

    /// The longest step \[s\] now, as [`crate::MpmSystem::longest_step`], with the fastest wave, the largest stretch and the fastest particle of all.
    pub fn longest_step(&self) -> f64 {
        let wave = (self.stretch.max(1.0).sqrt() * self.wave).max(self.cloth_wave);
        let bending = largest(self.cloth().iter().map(Cloth::bending_frequency));
        longest_step(&self.options, wave + self.fastest, bending, self.viscous)
    }

    /// Goes on by `dt` \[s\] in as many steps as [`MpmEngine::longest_step`] asks for, each as long as the others. [`MpmEngine::impulses`] are those of all of them then; obstacles stay where they are.
    ///
    /// # Errors
    /// As [`MpmEngine::step`], and more than a million steps; steps before stay done.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let mut impulses = vec![[Vector3::zeros(); 2]; self.impulses.len()];
        let end = self.time + dt;
        let mut report = StepReport::default();
        let (mut left, mut planned, mut step) = (dt, 0.0, dt);
        loop {
            let t = self.time;
            let count = crate::setup::steps_within(left, self.longest_step())
                .map_err(|e| StepError::problem(t, dt, e))?;
            if count != planned {
                step = left / count;
            }
            planned = count - 1.0;
            let r = self.step(step)?;
            for (sum, given) in impulses.iter_mut().zip(&self.impulses) {
                sum.iter_mut().zip(given).for_each(|(s, g)| *s += g);
            }
            self.impulses.clone_from(&impulses);
            report.stats.add(&r.stats);
            report.unconverged += r.unconverged;
            report.residual_ratio = report.residual_ratio.max(r.residual_ratio);
            report.contacts = r.contacts;
            left = end - self.time;
            if count <= 1.0 || left <= 0.0 {
                self.time = end;
                return Ok(report);
            }
        }
    }

    /// One step of `dt` \[s\].
    ///
    /// # Errors
    /// A step that is not positive or longer than [`MpmEngine::longest_step`], a solve that fails: nothing has moved then. Particles that came out turned inside out, too fast or far away: they are named, and it goes no further.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let t = self.time;
        T::step(self, dt).map_err(|source| StepError::Solve { t, dt, source })
    }

    fn step_inner(&mut self, dt: f64) -> Result<StepReport, SolveError> {
        if let Some(e) = &self.broken {
            return Err(e.clone().into());
        }
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt }.into());
        }
        crate::setup::check_step(dt, self.longest_step())?;
        crate::setup::check_motion(&self.obstacles)?;
        if self.order.left || self.order.more as f64 > SORTED_FOR * self.particles.len() as f64 {
            self.sort();
        }
        if self.ahead.ready != Some(dt) {
            self.cloth.load(&self.own.chunks, &self.blocks, self.options.spacing);
            self.gather(dt);
        }
        self.nodes.sum(&self.blocks, &self.own.tiles, &self.own.starts, &(dt * self.options.gravity));
        let mut report = StepReport::default();
        self.meet(dt, &mut report)?;
        self.scatter(dt)?;
        self.time += dt;
        Ok(report)
    }

    fn constants(&self, dt: f64) -> StepConstants<'_> {
        let faded = (-dt / self.options.damping_time).exp();
        let kept = self.options.kept(dt);
        let cloth = !self.cloth.cloth.is_empty();
        StepConstants { dt, spacing: self.options.spacing, faded, kept, materials: &self.materials, cloth }
    }

    fn gather(&mut self, dt: f64) {
        let (mut own, step) = (std::mem::take(&mut self.own), self.constants(dt));
        let (blocks, loads) = (&self.blocks, &self.cloth.loads);
        own.share(blocks).each(blocks, &|| (), &|(), share| {
            let Share { blocks: at, chunks, tiles, starts, moved, .. } = share;
            let loads = loads.get(blocks.chunks[at.start].clone()).unwrap_or_default();
            let start = (!starts.is_empty()).then_some(starts);
            moved[0].added = vectorized(Gather { chunks, loads, tile: tiles, start, step });
        });
        self.own = own;
        self.ready(dt);
    }

    /// Tiles are ready for a step of `dt`.
    fn ready(&mut self, dt: f64) {
        let added = self.own.moved.iter().map(|m| m.added).sum();
        self.ahead.ready = Some(dt);
        self.order.more += u64::saturating_sub(added, *self.order.first.get_or_insert(added));
    }

    fn scatter(&mut self, dt: f64) -> Result<(), ProblemError> {
        let keeps = self.options.transfer_time > 0.0;
        if keeps && !self.cloth.cloth.is_empty() {
            self.own.rest.resize(self.own.chunks.len(), [[T::zero(); LANES]; 9]);
        }
        let (mut own, step) = (std::mem::take(&mut self.own), self.constants(dt));
        let (blocks, nodes) = (&self.blocks, &self.nodes);
        // Cloth has to know all particles first.
        let ahead = self.ahead.last == dt && self.cloth.cloth.is_empty();
        let room = || [[T::zero(); TILE_SIZE]; 2];
        own.share(blocks).each(blocks, &room, &|[values, before], share| {
            let Share { blocks: at, chunks, tiles: tile, starts, rest, moved } = share;
            nodes::tile(&nodes.values, blocks, at.start, values);
            if keeps {
                nodes::tile(&nodes.start, blocks, at.start, before);
            }
            let start = keeps.then_some(&before[..]);
            moved[0] = vectorized(Scatter { chunks: &mut *chunks, tile: values, start, rest, step });
            if ahead && !moved[0].left && moved[0].broken.is_none() {
                let start = (!starts.is_empty()).then_some(starts);
                moved[0].added = vectorized(Gather { chunks, loads: &[], tile, start, step });
            }
        });
        self.own = own;
        let moved = &self.own.moved;
        self.ahead = Ahead { last: dt, ready: None };
        self.fastest = moved.iter().map(|m| wide(m.fastest)).fold(0.0, f64::max).sqrt();
        self.stretch = largest(moved.iter().map(|m| wide(m.stretch)));
        self.order.left = moved.iter().any(|m| m.left);
        if ahead && !self.order.left {
            self.ready(dt);
        }
        let faded = self.constants(dt).faded;
        let spacing = self.options.spacing;
        let PerBlock { chunks, rest, .. } = &mut self.own;
        self.order.left |= self.cloth.follow(chunks, &self.blocks, spacing, dt, faded, rest);
        let lost = self.own.moved.iter().zip(&self.blocks.corners).enumerate();
        for (b, (m, corner)) in lost {
            if let Some((chunk, lane)) = m.broken {
                let chunk = &self.own.chunks[self.blocks.chunks[b].start + chunk];
                let x = chunk.position(lane, corner, self.options.spacing);
                let e = ProblemError::Unsupported(format!(
                    "particle {} near ({:.3}, {:.3}, {:.3}) m came out of the step turned inside out, or faster than a cell in a step: take a shorter one; this state goes no further",
                    chunk.id[lane], x.x, x.y, x.z
                ));
                self.broken = Some(e.clone());
                return Err(e);
            }
            let far = corner.iter().any(|c| f64::from(c.abs()) > FARTHEST);
            if far {
                let e = ProblemError::Unsupported(
                    "particles are outside the grid; keep them near the origin".into(),
                );
                self.broken = Some(e.clone());
                return Err(e);
            }
        }
        Ok(())
    }
}

/// Fails on masses and volumes that numbers of the engine cannot hold.
fn check_range<T: Number>(particles: &Particles) -> Result<(), MpmError> {
    let held = |x: &f64| (wide(num::<T>(*x)) / x - 1.0).abs() < 1e-6;
    let lists =
        [("the mass", &particles.mass), ("the volume", &particles.volume), ("the factor", &particles.factor)];
    for (what, list) in lists {
        if let Some(p) = list.iter().position(|x| !held(x)) {
            value(
                format!("{what} of particle {p}"),
                list[p],
                false,
                "what numbers of 32 bits can hold, or take f64",
            )?;
        }
    }
    Ok(())
}

/// The lowest node of a particle in the tile of its own block.
fn in_tile(lowest: &[i32; 3]) -> [i8; 3] {
    lowest.map(|n| n.rem_euclid(SIDE as i32) as i8 + 1)
}
