use std::fmt;

use signorini_core::na::{DMatrix, DVector, Matrix3, Point3};
use signorini_core::{Slot, StepProblem};
use signorini_mpm::{Hold, Touch};
use signorini_multibody::{Kinematics, RigidSystem};

use crate::places::Places;
use crate::points::Touched;

/// Longest step of a body beside the material points that touch it, before the splitting oscillates.
///
/// ```text
/// δt² λ (1 + 2 δ/δt) + 2 δt μ < 4   while n k δ² + c δ is below the mass of the surface that touches, and for a surface that is held from behind
/// surface mass < 2 m                beyond
/// δt ν < 2                          friction of a surface that is held from behind
/// λ largest of K x = λ (M + ½ δt D + ¼ δt² K_q) x,   K = Σ k J_cᵀ n nᵀ J_c,   m = n k/λ₁
/// μ largest of C x = μ (M + ½ δt D + ¼ δt² K_q) x,   C = Σ k d φ J_cᵀ n nᵀ J_c,   c = Σ k d φ
/// ν largest of F x = ν (M + ½ δt D + ¼ δt² K_q) x,   F = Σ (f k φ/v_s) J_cᵀ (1 − n nᵀ) J_c
/// ```
/// with n contacts of stiffness k, dissipation d \[s/m\], friction f below the stiction speed v_s and depths φ, and substeps δ. M is the inertia of the body's tree in generalised coordinates, armature too, D and K_q are its dampers and springs, those of motors below the limit of their force and of tendons too, and K and C those of all contacts of points with the tree, each at its place and along its normal n; λ₁ is that of the geom's own contacts alone: m is the mass of a free body that is
/// pressed through its middle, and less where contacts turn it. Bodies that move within the step have δt² λ (2 + δ/δt) instead.
/// Pins count as contacts along three axes; a rigid one is as stiff as its substep makes it ([`signorini_mpm::Hold::spring`]).
/// Where depths are equal, K and C have the same vectors and the first limit is where oscillations start to grow; where they differ it may be a little shorter.
///
/// A surface is held from behind where its particles are in two obstacles at once, or in one and pinned to another, as cloth between two fingers is: it cannot follow a body, so that the first limit applies to those contacts at any substep. Its contacts count in series there, min(k₁, 2 k₁ k₂/(k₁ + k₂)): exact for two equal fingers that close on it, more than there is for a pair that goes aside together or of which one stands, and up to a quarter less for springs that are far from equal.
///
/// Friction that holds is a damper of the slope f k φ/v_s, whatever the law. A surface that follows a body has no use of it; one that is held from behind pushes the body back and forth with the slip of the step before. Beyond the limit that stays bounded, by f k φ, and takes friction its hold: the surface slides
/// under any load.
///
/// The second limit is necessary, not enough: light surfaces on stiff contact chatter within it. Other laws of the bodies, and their own contacts, are left out; other holds of a body make it steadier.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// Contacts that touch, and pins.
    pub contacts: u32,
    /// n k: sum of their stiffnesses \[N/m\].
    pub stiffness: f64,
    /// c: sum of their dampers k d φ at the depths φ that they have \[N·s/m\].
    pub damping: f64,
    /// Mass of the particles that touch or are pinned, and of the centres of triangles that corners and edges meet \[kg\].
    pub surface: f64,
    /// m = n k/λ₁: mass of the body at its contacts \[kg\]; infinite where they do not move it.
    pub mass: f64,
    /// λ: of its tree on all contacts \[1/s²\].
    pub stiff: f64,
    /// μ: how fast the dampers of all would stop the tree \[1/s\].
    pub rate: f64,
    /// λ \[1/s²\], μ and ν \[1/s\] on the contacts alone whose surface is held from behind.
    pub backed: [f64; 3],
    /// Bodies move within a step.
    pub moving: bool,
}

impl Limit {
    /// The longest step \[s\] with such substeps \[s\] that contacts as springs and dampers allow.
    ///
    /// ```text
    /// λ δt² + 2 (λ δ + μ) δt = 4,   of bodies that move   2 λ δt² + (λ δ + 2 μ) δt = 4
    /// ```
    pub fn step(&self, substep: f64) -> f64 {
        self.longest([self.stiff, self.rate], substep)
    }

    /// The longest step \[s\] with such substeps \[s\] where surfaces are held from behind; infinite without such.
    pub fn step_where_held(&self, substep: f64) -> f64 {
        self.longest([self.backed[0], self.backed[1]], substep)
    }

    /// The longest step \[s\] in which friction holds surfaces that are held from behind; infinite without such.
    ///
    /// ```text
    /// ν δt = 2
    /// ```
    pub fn step_where_stuck(&self) -> f64 {
        2.0 / self.backed[2]
    }

    fn longest(&self, [stiff, rate]: [f64; 2], substep: f64) -> f64 {
        match self.moving {
            false => root(stiff, stiff * substep + rate),
            true => root(2.0 * stiff, 0.5 * stiff * substep + rate),
        }
    }

    /// The longest step \[s\] that is one substep.
    ///
    /// ```text
    /// 3 λ δt² + 2 μ δt = 4
    /// ```
    pub fn whole(&self) -> f64 {
        root(3.0 * self.stiff, self.rate)
    }

    /// Part of the limit that applies that a step with such substeps \[s\] takes, below one within it: of the longest step where contacts are soft beside the surface that touches, and of that of surfaces held from behind, else the surface of twice the mass.
    pub fn used(&self, step: f64, substep: f64) -> f64 {
        if substep < self.soft_substep() {
            return step / self.step(substep);
        }
        f64::max(0.5 * self.surface / self.mass, step / self.step_where_held(substep))
    }

    /// The longest substep \[s\] in which contacts are soft beside the surface that touches.
    pub fn soft_substep(&self) -> f64 {
        let under = self.damping + (self.damping * self.damping + 4.0 * self.stiffness * self.surface).sqrt();
        if under > 0.0 { 2.0 * self.surface / under } else { f64::INFINITY }
    }
}

/// The positive root of a δt² + 2 b δt = 4; infinite where there is none.
fn root(a: f64, b: f64) -> f64 {
    let under = b + (b * b + 4.0 * a).sqrt();
    if under > 0.0 { 4.0 / under } else { f64::INFINITY }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.contacts == 0 {
            return write!(f, "no contacts, any step");
        }
        write!(
            f,
            "{} contacts of {:.2e} N/m and {:.2e} N·s/m together on {:.3e} kg: steps below {:.2e} s, {:.2e} s where that is one substep, with substeps below {:.2e} s; with longer ones a surface of {:.3e} kg, below {:.3e} kg",
            self.contacts,
            self.stiffness,
            self.damping,
            self.mass,
            self.step(0.0),
            self.whole(),
            self.soft_substep(),
            self.surface,
            2.0 * self.mass
        )?;
        let (held, stuck) = (self.step_where_held(0.0), self.step_where_stuck());
        if held < f64::INFINITY {
            write!(f, ", and steps below {held:.2e} s where it is held from behind")?;
        }
        if stuck < f64::INFINITY {
            write!(f, ", below {stuck:.2e} s for its friction")?;
        }
        Ok(())
    }
}

/// Contact inside an obstacle, or pin at it.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// \[m\].
    x: Point3<f64>,
    /// Columns: along the first of them it presses, along the others it rubs.
    axes: Matrix3<f64>,
    /// One of a contact, its normal; all three of a pin.
    pressed: usize,
    spring: Spring,
    /// Those where its particle is in another obstacle too, in series with those there.
    backed: Option<Spring>,
}

/// Stiffness \[N/m\], damping and friction \[N·s/m\].
type Spring = [f64; 3];

/// The particles inside one obstacle, or held by it.
#[derive(Clone, Debug, Default)]
struct Inside {
    at: Vec<Place>,
    /// \[kg\].
    mass: f64,
}

/// Particles inside obstacles or held by them, of each obstacle in the substep in which they were most.
#[derive(Debug, Default)]
pub(crate) struct Pressed {
    list: Vec<Inside>,
    counts: Vec<usize>,
    /// Particles inside obstacles or held by them, with the obstacle and the spring of each contact, by particle.
    met: Vec<(usize, usize, Spring)>,
}

impl Pressed {
    /// Nothing, of so many obstacles.
    pub(crate) fn of(obstacles: usize) -> Self {
        Self { list: vec![Inside::default(); obstacles], ..Self::default() }
    }

    /// Nothing inside any of so many obstacles.
    pub(crate) fn clear(&mut self, obstacles: usize) {
        self.list.resize(obstacles, Inside::default());
        for inside in &mut self.list {
            inside.at.clear();
            inside.mass = 0.0;
        }
    }

    /// Keeps those of a substep of `dt` \[s\] for obstacles that have more than before.
    pub(crate) fn keep(&mut self, points: &impl Touched, dt: f64) {
        let inside = || points.touches().iter().filter(|t| t.gap < 0.0);
        let held = || points.holds().iter().filter_map(|h| Some((h.pin.obstacle?, h)));
        self.counts.clear();
        self.counts.resize(self.list.len(), 0);
        inside().map(|t| t.obstacle).chain(held().map(|h| h.0)).for_each(|o| self.counts[o] += 1);
        for (count, kept) in self.counts.iter_mut().zip(&mut self.list) {
            if *count > kept.at.len() {
                kept.at.clear();
                kept.mass = 0.0;
            } else {
                *count = 0;
            }
        }
        let springs_of = |t: &Touch| {
            let m = points.obstacles()[t.obstacle].surface_of(t.area, t.material);
            let force = m.stiffness * -t.gap;
            [m.stiffness, force * m.dissipation, force * m.friction_static / m.stiction_speed]
        };
        let spring_of = |h: &Hold| {
            let [stiffness, damping] = h.spring(dt);
            [stiffness, damping, 0.0]
        };
        self.met.clear();
        self.met.extend(inside().map(|t| (t.particle, t.obstacle, springs_of(t))));
        self.met.extend(held().map(|(o, h)| (h.pin.particle, o, spring_of(h))));
        self.met.sort_unstable_by_key(|m| (m.0, m.1));
        let met = &self.met;
        // A particle between two of them moves so that their forces are equal: k₁ k₂/(k₁ + k₂) on both ways, as much as twice that on each, and no more than its own.
        let backed = |particle: usize, obstacle: usize, own: Spring| {
            let all = met[met.partition_point(|m| m.0 < particle)..].iter().take_while(|m| m.0 == particle);
            let others = all.filter(|m| m.1 != obstacle);
            let behind = others.fold(Spring::default(), |sum, m| std::array::from_fn(|i| sum[i] + m.2[i]));
            let series = |i: usize| {
                let both = 2.0 * own[i] * behind[i] / (own[i] + behind[i]).max(f64::MIN_POSITIVE);
                both.min(own[i])
            };
            (behind[0] > 0.0).then(|| [0, 1, 2].map(series))
        };
        for t in inside().filter(|t| self.counts[t.obstacle] > 0) {
            let mut spring = springs_of(t);
            let backed = backed(t.particle, t.obstacle, spring);
            // Friction counts where the surface is held from behind alone.
            spring[2] = 0.0;
            let kept = &mut self.list[t.obstacle];
            kept.at.push(Place { x: Point3::from(t.x), axes: t.frame, pressed: 1, spring, backed });
            kept.mass += t.mass;
        }
        for (o, h) in held().filter(|h| self.counts[h.0] > 0) {
            let spring = spring_of(h);
            let backed = backed(h.pin.particle, o, spring);
            let kept = &mut self.list[o];
            kept.at.push(Place {
                x: Point3::from(h.x),
                axes: Matrix3::identity(),
                pressed: 3,
                spring,
                backed,
            });
            kept.mass += h.mass;
        }
    }

    /// Limits of the body of each obstacle.
    pub(crate) fn limits(&self, rigid: RigidSide<'_>, places: &Places, moving: bool) -> Vec<Limit> {
        let tree = |o: usize| rigid.system.model().bodies[places.body(o)].tree;
        let pressed = |(o, inside): (usize, &Inside)| -> Vec<(usize, Place)> {
            inside.at.iter().map(|p| (places.body(o), *p)).collect()
        };
        let of_tree = |t: usize| self.list.iter().enumerate().filter(move |(o, _)| tree(*o) == Some(t));
        // λ, μ and ν of each tree, and those of contacts with surfaces held from behind.
        let mut known: Vec<Option<[[f64; 3]; 2]>> = vec![None; rigid.system.model().trees.len()];
        let of = |(o, inside): (usize, &Inside)| {
            let sum = |of: fn(&Place) -> f64| inside.at.iter().map(of).sum();
            let mut limit = Limit {
                contacts: inside.at.len() as u32,
                stiffness: sum(|p| p.spring[0]),
                damping: sum(|p| p.spring[1]),
                surface: inside.mass,
                mass: f64::INFINITY,
                moving,
                ..Limit::default()
            };
            let Some(t) = tree(o).filter(|_| !inside.at.is_empty()) else { return limit };
            let [all, backed] = *known[t].get_or_insert_with(|| {
                let places: Vec<_> = of_tree(t).flat_map(pressed).collect();
                let all = largest_eigenvalues(rigid, t, &places);
                let backed = |(body, p): &(usize, Place)| Some((*body, Place { spring: p.backed?, ..*p }));
                let places: Vec<_> = places.iter().filter_map(backed).collect();
                [all, if places.is_empty() { [0.0; 3] } else { largest_eigenvalues(rigid, t, &places) }]
            });
            ([limit.stiff, limit.rate, _], limit.backed) = (all, backed);
            let others = of_tree(t).any(|(other, i)| other != o && !i.at.is_empty());
            let own = if others { largest_eigenvalues(rigid, t, &pressed((o, inside)))[0] } else { all[0] };
            limit.mass = limit.stiffness / own;
            if !inside.at.iter().any(|p| p.backed.is_some()) {
                limit.backed = [0.0; 3];
            }
            limit
        };
        self.list.iter().enumerate().map(of).collect()
    }
}

/// The bodies that material points press on, prepared in the first slot for the step that they are in.
#[derive(Clone, Copy)]
pub(crate) struct RigidSide<'a> {
    pub system: &'a RigidSystem,
    pub kin: &'a Kinematics,
}

/// λ \[1/s²\], μ and ν \[1/s\] of a tree on contacts: body and place of each.
fn largest_eigenvalues(rigid: RigidSide<'_>, tree: usize, pressed: &[(usize, Place)]) -> [f64; 3] {
    let RigidSide { system, kin } = rigid;
    let (model, problem) = (system.model(), system.frozen_problem(Slot::Start));
    let (dofs, dt) = (model.trees[tree].dofs.clone(), problem.dt());
    let n = dofs.len();
    // The step has A = M + δt D + δt² K_q.
    let mut mass = DMatrix::from_column_slice(n, n, problem.block_inertia().block(tree));
    for (i, dof) in dofs.clone().enumerate() {
        let [stiffness, damping] = system.passive_slopes(Slot::Start)[dof];
        mass[(i, i)] -= dt * (0.5 * damping + 0.75 * dt * stiffness);
    }
    let mut along = DVector::zeros(n);
    // Motors are laws of the step: ½ δt D + ¼ δt² K_q = ½ δt (D + ½ δt K_q).
    system.drive_gains(Slot::Start, 0.5 * dt, |row, gain| {
        if gain > 0.0 && row.dofs.iter().all(|dof| dofs.contains(dof)) {
            along.fill(0.0);
            row.iter().for_each(|(dof, x)| along[dof - dofs.start] = x);
            mass.ger(0.5 * dt * gain, &along, &along, 1.0);
        }
    });
    let [mut springs, mut dampers, mut friction] = [0; 3].map(|_| DMatrix::zeros(n, n));
    for (body, place) in pressed {
        let [stiffness, damping, slope] = place.spring;
        let axes = if slope > 0.0 { 3 } else { place.pressed };
        for (i, axis) in place.axes.column_iter().take(axes).enumerate() {
            along.fill(0.0);
            kin.for_columns(model, *body, &place.x, |dof, linear, _| {
                along[dof - dofs.start] = linear.dot(&axis);
            });
            if i < place.pressed {
                springs.ger(stiffness, &along, &along, 1.0);
                dampers.ger(damping, &along, &along, 1.0);
            } else {
                friction.ger(slope, &along, &along, 1.0);
            }
        }
    }
    // L⁻¹ K L⁻ᵀ of M = L Lᵀ.
    let Some(factor) = mass.cholesky() else { return [f64::INFINITY; 3] };
    [springs, dampers, friction].map(|matrix| {
        if matrix.iter().all(|x| *x == 0.0) {
            return 0.0;
        }
        let half = factor.l_dirty().solve_lower_triangular(&matrix);
        match half.and_then(|h| factor.l_dirty().solve_lower_triangular(&h.transpose())) {
            // Not below zero but for round-off.
            Some(s) => s.symmetric_eigenvalues().max().max(0.0),
            None => f64::INFINITY,
        }
    })
}
