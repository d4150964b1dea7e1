use std::cmp::Ordering;

use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    Energy, LawPool, ProblemError, Slot, State, StepProblem, StepSolution, System, check_count, check_finite,
    largest,
};

use crate::cloth::Cloth;
use crate::contacts::{Touch, sum_of};
use crate::energy::Points;
use crate::error::MpmError;
use crate::material::{Material, loaded};
use crate::obstacle::{Obstacle, Wall};
use crate::particles::Particles;
use crate::pin::{Pin, in_order};
use crate::prepared::{Ahead, Gathered, Loads, Prepared, Surroundings};
use crate::setup::{
    FARTHEST, MpmOptions, check, check_cloth, check_motion, check_step, longest_step, rates, stretch,
};

/// Numbers of a particle in the internal variables: C, F, the memory of its material.
const INTERNAL: usize = 19;

/// Material points that meet obstacles: the [`System`] of the material point method with moving least squares (MLS-MPM, affine transfers).
///
/// ```text
/// min_v ½ ‖v − v*‖²_M + Σ ℓ(c(v))        lumped mass M, velocities of the nodes that contacts reach
/// ```
/// State: q are the positions of the particles, v their velocities, z the affine velocities C, the deformation gradients F (rows of columns, nine each) and one number that the material remembers. A step is explicit in the stress, and implicit in contact and in pins.
///
/// Particles that may reach an obstacle within the step, by their own velocity or by that which stress and gravity give them, twice as fast at most, are contacts already, with their gap and the normal of the side they come from: a particle that moves through a thin wall within a step is stopped at it, as far as the stiffness of contact holds.
/// Centres of cloth are contacts of the middle of their triangle's corners, to which they go. A particle that contact itself throws further than that is found in the next step; [`crate::MpmEngine`] looks again within the step.
/// A particle that is deeper than half of the wall is pushed out on the other side. In corners of meshes it meets each wall that it may reach.
pub struct MpmSystem {
    options: MpmOptions,
    materials: Vec<Box<dyn Material>>,
    start: Particles,
    cloth: Vec<Cloth>,
    pins: Vec<Pin>,
    walls: Vec<Wall>,
    obstacles: Vec<Obstacle>,
    law: Box<dyn LawPool>,
    slots: [Prepared; 2],
    impulses: Vec<[Vector3<f64>; 2]>,
}

impl MpmSystem {
    /// Particles of materials, between walls, meeting obstacles under a contact law (a pool with three rows and seeds of [`signorini_core::ContactSeed`]: one of [`signorini_laws::contact_pool`], or of a law of one's own).
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
        let impulses = vec![[Vector3::zeros(); 2]; obstacles.len()];
        let slots = Default::default();
        let (cloth, pins) = (Vec::new(), Vec::new());
        Ok(Self { options, materials, start: particles, cloth, pins, walls, obstacles, law, slots, impulses })
    }

    /// With cloth that was made on the particles of the system.
    ///
    /// # Errors
    /// [`MpmError::Cloth`] for cloth of other particles.
    pub fn with_cloth(mut self, cloth: Cloth) -> Result<Self, MpmError> {
        check_cloth(&self.start, &self.cloth, &cloth)?;
        self.cloth.push(cloth);
        Ok(self)
    }

    /// With particles that are pinned, in place of those before.
    ///
    /// # Errors
    /// [`MpmError::Pin`] for particles and obstacles that are not there, [`MpmError::Value`] for numbers out of range.
    pub fn with_pins(mut self, pins: Vec<Pin>) -> Result<Self, MpmError> {
        self.pins = in_order(pins, self.start.len(), self.obstacles.len())?;
        Ok(self)
    }

    /// The pins, by the numbers of their particles.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// The cloth, in the order in which it was given.
    pub fn cloth(&self) -> &[Cloth] {
        &self.cloth
    }

    /// The settings.
    pub fn options(&self) -> &MpmOptions {
        &self.options
    }

    /// The walls.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The obstacles, to move them between steps.
    pub fn obstacles_mut(&mut self) -> &mut [Obstacle] {
        &mut self.obstacles
    }

    /// The law of contacts.
    pub fn law(&self) -> &dyn LawPool {
        &*self.law
    }

    /// Grid and contacts of a prepared slot.
    ///
    /// # Errors
    /// [`ProblemError::NotPrepared`].
    pub fn gathered(&self, slot: Slot) -> Result<Gathered<'_>, ProblemError> {
        let p = &self.slots[slot as usize];
        if p.ready { Ok(p.gathered()) } else { Err(ProblemError::NotPrepared { slot }) }
    }

    /// Moves the particles of a prepared slot on with the velocities `field` of all nodes \[m/s\], where contacts and then pins, three rows for each that [`MpmSystem::gathered`] lists, had the impulses `gamma` \[N·s\].
    ///
    /// # Errors
    /// [`ProblemError::NotPrepared`], velocities that are not finite, [`ProblemError::StepTooLong`] for a step that turns a particle inside out; `x1` is as it was then.
    pub fn advance(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        field: &[Vector3<f64>],
        gamma: &[f64],
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        let prepared = &self.slots[slot as usize];
        if !prepared.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        let mut particles = prepared.particles.clone();
        let faded = (-dt / self.options.damping_time).exp();
        let kept = self.options.kept(dt);
        for p in 0..particles.len() {
            let (v, c) = prepared.nodes.grid.sample(p, &particles.x[p], field);
            check_finite("velocities of the nodes", v.as_slice())?;
            particles.v[p] = v;
            particles.x[p] += dt * v;
            particles.c[p] = c;
            if let Some(material) = self.material(&particles, p) {
                let mut f = (Matrix3::identity() + dt * c) * particles.f[p];
                // Catches NaN too.
                if f.determinant().partial_cmp(&0.0) != Some(Ordering::Greater) {
                    let x = prepared.particles.x[p];
                    let why = format!(
                        "it turns particle {p} at ({:.3}, {:.3}, {:.3}) m inside out; shorten it",
                        x.x, x.y, x.z
                    );
                    return Err(ProblemError::StepTooLong { dt, why });
                }
                material.flow(&mut f, &mut particles.memory[p], dt);
                particles.f[p] = f;
            }
        }
        for cloth in &self.cloth {
            cloth.follow(dt, &particles.c, &mut particles.x, &mut particles.f);
        }
        if kept > 0.0 {
            let grid = &prepared.nodes.grid;
            let start: Vec<Vector3<f64>> = (0..grid.len()).map(|n| grid.start_velocity(n)).collect();
            let own = &prepared.particles;
            for p in 0..particles.len() {
                let (v, c) = grid.sample(p, &own.x[p], &start);
                particles.v[p] += kept * (own.v[p] - v);
                particles.c[p] += kept * (own.c[p] - c);
            }
        }
        for c in &mut particles.c {
            let (straight, turning) = (0.5 * (*c + c.transpose()), 0.5 * (*c - c.transpose()));
            *c = turning + faded * straight;
        }
        let contacts = &mut self.slots[slot as usize].contacts;
        let obstacles = &self.obstacles;
        let normal = |_: usize, t: &Touch, row: &[(u32, f64)]| {
            let moves = sum_of(row, |n| field[n]) - obstacles[t.obstacle].velocity_at(&t.x);
            t.frame.column(0).dot(&moves)
        };
        contacts.end(dt, normal, obstacles, gamma, &mut self.impulses);
        x1.copy_from(x0);
        x1.t += dt;
        pack(&particles, x1);
        Ok(())
    }

    /// The start.
    pub fn initial_state(&self) -> State {
        let mut x = State::default();
        pack(&self.start, &mut x);
        x
    }

    /// The particles at a state.
    ///
    /// # Errors
    /// A state of other sizes or with numbers that are not finite.
    pub fn particles(&self, x: &State) -> Result<Particles, ProblemError> {
        let n = self.start.len();
        let fits = [("positions q", 3 * n, x.q.len()), ("velocities v", 3 * n, x.v.len())];
        for (what, expected, found) in
            fits.into_iter().chain([("internal variables z", INTERNAL * n, x.z.len())])
        {
            check_count(what, expected, found)?;
        }
        x.check_finite()?;
        let mut out = self.start.clone();
        for p in 0..n {
            out.x[p] = Vector3::from_column_slice(&x.q[3 * p..3 * p + 3]);
            out.v[p] = Vector3::from_column_slice(&x.v[3 * p..3 * p + 3]);
            let z = &x.z[INTERNAL * p..INTERNAL * (p + 1)];
            out.c[p] = Matrix3::from_column_slice(&z[..9]);
            out.f[p] = Matrix3::from_column_slice(&z[9..18]);
            out.memory[p] = z[18];
        }
        Ok(out)
    }

    /// Impulse \[N·s\] and moment about its origin \[N·m·s\], world axes, that contacts and pins gave each obstacle in the last step: the input from them to its own motion (yu2025mpm, eq. (3)).
    pub fn impulses(&self) -> &[[Vector3<f64>; 2]] {
        &self.impulses
    }

    /// Number of contacts inside an obstacle in the last step, and the mass of their particles \[kg\].
    pub fn touching(&self, obstacle: usize) -> (u32, f64) {
        self.slots[Slot::Start as usize].contacts.touching(obstacle)
    }

    /// The longest step \[s\] at a state: the part of a cell's crossing time that [`MpmOptions::courant`] allows, by the fastest wave of a material, carried along by its stretch, on the fastest particle, and less where cloth vibrates in bending or materials are viscous. Strong compression makes some materials stiffer than that.
    ///
    /// ```text
    /// 1/δt = √(((c + |v|)/h)² + (ω/2)²)/C + 4 max(2η, 3ζ)/(ρ h²),   c² = max(1, |FᵀF|_∞) (λ + 2μ)/ρ,   ω the fastest vibration of bending
    /// ```
    ///
    /// # Errors
    /// As [`MpmSystem::particles`].
    pub fn longest_step(&self, x: &State) -> Result<f64, ProblemError> {
        Ok(self.limit(&self.particles(x)?))
    }

    /// The material of a particle, none if it is bare.
    pub fn material(&self, particles: &Particles, p: usize) -> Option<&dyn Material> {
        self.materials.get(particles.material[p] as usize).map(|m| &**m)
    }

    fn limit(&self, particles: &Particles) -> f64 {
        let [mut fastest, mut viscous] = [0.0; 2];
        for p in 0..particles.len() {
            let rates =
                self.material(particles, p).map(|m| rates(m, particles.per_mass(p), self.options.spacing));
            let [wave, rate] = rates.unwrap_or_default();
            let wave = stretch(&particles.f[p]).max(1.0).sqrt() * wave;
            (fastest, viscous) = (largest([fastest, wave + particles.v[p].norm()]), largest([viscous, rate]));
        }
        let cloth = self.cloth.iter().flat_map(|cloth| {
            let wave = cloth.wave_speed();
            cloth.vertices().map(move |p| wave + particles.v[p].norm())
        });
        let bending = largest(self.cloth.iter().map(Cloth::bending_frequency));
        longest_step(&self.options, largest(cloth.chain([fastest])), bending, viscous)
    }
}

/// Writes particles into a state.
fn pack(p: &Particles, x: &mut State) {
    x.q.clear();
    x.v.clear();
    x.z.clear();
    for i in 0..p.len() {
        x.q.extend(p.x[i].iter());
        x.v.extend(p.v[i].iter());
        x.z.extend(p.c[i].iter().chain(p.f[i].iter()));
        x.z.push(p.memory[i]);
    }
}

impl System for MpmSystem {
    fn sizes(&self) -> [usize; 3] {
        let n = self.start.len();
        [3 * n, 3 * n, INTERNAL * n]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.slots[slot as usize].ready = false;
        check_motion(&self.obstacles)?;
        let particles = self.particles(x0)?;
        if let Some(p) = particles.x.iter().position(|x| x.amax() > FARTHEST * self.options.spacing) {
            return Err(ProblemError::Unsupported(format!(
                "particle {p} is outside the grid, {:.3e} m away; keep particles near the origin, and shorten the step if it flew there",
                particles.x[p].norm()
            )));
        }
        let turned =
            |p: &usize| self.material(&particles, *p).is_some() && particles.f[*p].determinant() <= 0.0;
        if let Some(p) = (0..particles.len()).find(turned) {
            let x = particles.x[p];
            return Err(ProblemError::Unsupported(format!(
                "particle {p} at ({:.3}, {:.3}, {:.3}) m is turned inside out; shorten the step",
                x.x, x.y, x.z
            )));
        }
        let of = |p: usize| {
            let own = |m: &dyn Material| particles.factor[p] * loaded(m, &particles.f[p], &particles.c[p]);
            self.material(&particles, p).map_or_else(Matrix3::zeros, own)
        };
        let mut stress: Vec<Matrix3<f64>> = (0..particles.len()).map(of).collect();
        let mut force = vec![Vector3::zeros(); particles.len()];
        for cloth in &self.cloth {
            cloth.forces(&particles.x, &particles.f, &mut stress, &mut force);
        }
        let horizon = horizon.max(0.0);
        let ahead = Ahead { horizon, longest: self.limit(&particles), gravity: self.options.gravity };
        self.slots[slot as usize].set(
            particles,
            Loads { stress: &stress, force: &force },
            Surroundings {
                spacing: self.options.spacing,
                cloth: &self.cloth,
                walls: &self.walls,
                obstacles: &self.obstacles,
                pins: &self.pins,
            },
            ahead,
        );
        Ok(())
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        if !self.slots[slot as usize].ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        let p = &mut self.slots[slot as usize];
        check_step(dt, p.longest)?;
        p.pose(dt, &self.options.gravity, &self.obstacles, &*self.law)?;
        match p.contacts.problem() {
            Some(problem) => Ok(problem),
            None => Err(ProblemError::NotPrepared { slot }),
        }
    }

    fn guess(&self, slot: Slot, _: &State, out: &mut Vec<f64>) {
        self.slots[slot as usize].start_velocity(out);
    }

    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        let prepared = &self.slots[slot as usize];
        if !(prepared.ready && prepared.contacts.is_posed()) {
            return Err(ProblemError::NotPrepared { slot });
        }
        check_finite("solution", &s.v)?;
        let field = prepared.nodes_at(&s.v);
        self.advance(slot, x0, dt, &field, &s.gamma, x1)
    }

    /// Largest distance of a particle \[m\].
    fn distance(&self, a: &State, b: &State) -> f64 {
        let apart =
            |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        largest(a.q.chunks_exact(3).zip(b.q.chunks_exact(3)).map(apart))
    }

    fn energy(&mut self, x: &State) -> Energy {
        let Ok(p) = self.particles(x) else { return Energy { kinetic: f64::NAN, ..Energy::default() } };
        let Self { slots, materials, cloth, pins, obstacles, law, options, .. } = self;
        let points = Points { particles: &p, materials, cloth, pins, obstacles, law: &**law, options };
        points.energy(&mut slots[Slot::Start as usize].contacts.polyhedra)
    }
}
