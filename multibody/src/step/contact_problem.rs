use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    BlockDiagonal, ContactMemory, ContactSeed, ContactSide, FrozenMap, FrozenProblem, Inertia, Pool, Pools,
    ProblemError, SharedSides, StepProblem, StepSolution,
};
use signorini_laws::{DryFriction, Gain, NearRigid};

use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::contact::anchors::Anchors;
use crate::contact::found::FoundContact;
use crate::contact::passing::Bend;
use crate::step::flight::Flight;
use crate::step::limit_rows::LimitRows;
use crate::step::pools::{CONTACT, LIMIT};
use crate::step::sharing::Sharing;
use crate::{Kinematics, Model, RigidLaws, RigidOptions};

/// A problem whose first rows are those of contacts and limits.
pub(crate) struct ContactProblem {
    pub frozen: FrozenProblem,
    /// Seeds of contacts, and the gaps at the start of the step \[m\] with how motion bends until they close.
    pub seeds: Vec<ContactSeed>,
    gaps: Vec<(f64, Bend)>,
    /// By contact, the number of the surface that it is a polygon of.
    pub patches: Vec<Option<u32>>,
    pub limits: LimitRows,
    sharing: Sharing,
    anchors: Anchors,
}

impl ContactProblem {
    /// Without rows, for the blocks of M; by `options` equalities and dry friction are regularised.
    pub(crate) fn new(
        model: &Model,
        laws: &RigidLaws,
        options: &RigidOptions,
        mass: &BlockDiagonal,
    ) -> Result<Self, ProblemError> {
        let equality = options.equality_law();
        let pools = Pools::new(vec![
            laws.contact.boxed_empty(),
            laws.limit.boxed_empty(),
            Box::new(Pool::<DryFriction, 1>::new(DryFriction { sigma_r: options.sigma_r })),
            Box::new(Pool::<Gain, 1>::new(Gain)),
            Box::new(Pool::<NearRigid, 1>::new(equality)),
            Box::new(Pool::<NearRigid, 3>::new(equality)),
        ]);
        let map = FrozenMap::new(mass.block_starts());
        let v = vec![0.0; model.nv()];
        Ok(Self {
            frozen: FrozenProblem::new(1.0, mass.clone(), v, map, pools, Vec::new())?,
            seeds: Vec::new(),
            gaps: Vec::new(),
            patches: Vec::new(),
            limits: LimitRows::new(model),
            sharing: Sharing::new(model.trees.len()),
            anchors: Anchors::default(),
        })
    }

    /// Rows per contact.
    pub(crate) fn dim(&self) -> usize {
        self.frozen.pools().members()[CONTACT].dim()
    }

    /// Step size of the seeds.
    pub(crate) fn set_dt(&mut self, dt: f64) {
        self.seeds.iter_mut().for_each(|s| s.dt = dt);
        self.limits.seeds.iter_mut().for_each(|s| s.dt = dt);
    }

    /// Gaps that the laws see in a step of `dt`. Bodies in flight lag by w behind their last velocity: φ₀ − δt n·w, as φ₀ + δt (vₙ − n·w) is the gap at its end.
    pub(crate) fn set_gaps(&mut self, dt: f64, flight: &Flight) {
        let contacts = self.frozen.contacts().iter().zip(&self.gaps);
        for (seed, (c, (gap, bend))) in self.seeds.iter_mut().zip(contacts) {
            seed.gap = gap - bend.opens(dt) - dt * flight.opening(c).unwrap_or(0.0);
        }
    }

    /// Rows of contacts: Jacobian, geometry, seeds without step size. They are weighed by `mass`, factored; where there is none, that is done later.
    pub(crate) fn set_contacts(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        found: &[FoundContact],
        mass: Option<&BlockDiagonal>,
    ) {
        let StateKinematics { x0, kin, .. } = at;
        let surface_velocity = &i.settings.surface_velocity;
        let dim = self.frozen.pools().members()[CONTACT].dim();
        // Seeds of the last step are overwritten: contacts in `set_step`, sides there or here.
        self.seeds.resize(found.len(), ContactSeed::default());
        self.patches.clear();
        self.patches.extend(found.iter().map(|c| c.area.map(|a| a.patch)));
        self.gaps.clear();
        self.gaps.extend(found.iter().map(|c| (c.gap, c.bend)));
        let tree_of = |b: usize| i.model.bodies[b].tree;
        let parts = self.frozen.parts_mut();
        parts.map.clear();
        parts.contacts.clear();
        // The surface of the contact before, and the place of its rows.
        let mut last: Option<(u32, Point3<f64>)> = None;
        let mut kept = SharedSides::default();
        for (k, c) in found.iter().enumerate() {
            let geometry = c.geometry(k);
            let frame = geometry.r_wc;
            let surface = |side: usize| c.surface_velocity(kin, surface_velocity, side);
            let moving = c.geoms.iter().any(|&g| surface_velocity[g] != Vector3::zeros());
            let mut bias = [0.0; 6];
            if moving || c.bend.turning != Vector3::zeros() {
                let mut relative = c.bend.turning;
                if moving {
                    relative += surface(1) - surface(0);
                }
                bias[..3].copy_from_slice((frame.transpose() * relative).as_slice());
            }
            let trees = c.bodies.map(tree_of);
            let first = trees.iter().flatten().min().copied();
            let second = trees.iter().flatten().max().copied().filter(|t| Some(*t) != first);
            // Polygons of a surface share the rows of the relative motion of both bodies at the first of them.
            let shared = c.area.map(|a| (a.surface, *c.point_of(1)));
            let begins = shared.is_none_or(|(surface, _)| last.is_none_or(|l| l.0 != surface));
            if begins {
                last = shared;
                match shared {
                    Some(_) => parts.map.push_shared(),
                    None => parts.map.push_constraint(&bias[..dim]),
                }
                for t in [first, second].into_iter().flatten() {
                    let (block, frame, dim) = match shared {
                        Some(_) => (parts.map.push_shared_block(t), &Matrix3::identity(), 6),
                        None => (parts.map.push_block(t), &frame, dim),
                    };
                    let from = i.model.trees[t].dofs.start;
                    for (side, sign) in [(0, -1.0), (1, 1.0)] {
                        if trees[side] != Some(t) {
                            continue;
                        }
                        let columns = Columns { body: c.bodies[side], p: c.point_of(side), frame, sign, dim };
                        columns.add(kin, i.model, from, block);
                    }
                }
            }
            if let (Some((_, p)), Some((_, origin))) = (shared, last) {
                parts.map.push_member(&selection(&frame, &(p - origin), dim)[..6 * dim], &bias[..dim]);
            }
            parts.contacts.push(geometry);
            let seed = &mut self.seeds[k];
            (seed.gap, seed.material, seed.curvature) = (c.gap, c.material, c.curvature);
            seed.preload = c.area.map_or(0.0, |a| a.preload);
            seed.velocity = FrozenProblem::contact_velocity_at(parts.map, k, &x0.v);
            if let Some(mass) = mass {
                match c.area {
                    Some(_) => {
                        FrozenProblem::set_member_sides(mass, parts.map, k, &mut kept, &mut seed.sides)
                    }
                    None => FrozenProblem::set_sides(mass, parts.map, k, &mut seed.sides),
                }
                as_heavy_all_around(&mut seed.sides, dim);
            }
            seed.sides.iter_mut().for_each(|s| s.reference = 0.0);
            for side in [0, 1] {
                let at = usize::from(first != second && second.is_some() && trees[side] == second);
                seed.sides[at].reference += i.settings.reference.bodies[c.bodies[side]];
            }
        }
    }

    /// Laws of contacts and limits for A and v* as they are.
    pub(crate) fn set_laws(&mut self) {
        let parts = self.frozen.parts_mut();
        self.sharing.count(
            parts.map,
            parts.pools,
            parts.free_velocity,
            &mut self.seeds,
            &mut self.limits.seeds,
        );
        parts.pools.member_mut(LIMIT).reset(&self.limits.seeds);
        parts.pools.member_mut(CONTACT).reset(&self.seeds);
    }

    /// Gives contacts and limits their multipliers of the last step, once their laws are set.
    pub(crate) fn recall(&mut self, at: &StateKinematics, dt: f64) {
        let parts = self.frozen.parts_mut();
        let pool = parts.pools.member_mut(CONTACT);
        self.anchors.recall(&at.x0.memory, parts.contacts, &at.kin, dt, pool);
        self.limits.recall(&at.x0.memory, dt, parts.pools.member_mut(LIMIT));
    }

    /// Time within a step of `dt` \[s\] with a solution before which no pair meets over an area that is open at its start \[s\]: the least t of polygons that are hit at which
    /// ```text
    /// s + vₙ t + ½ (vₙ* − vₙ) t²/dt = 0,     s = −f₀/k the way to the polygon, vₙ and vₙ* the velocities at the start and without contact
    /// ```
    /// None without a hit.
    pub(crate) fn meeting(&self, dt: f64, s: &StepSolution) -> Option<f64> {
        if s.gamma.len() != self.frozen.pools().row_count() {
            return None;
        }
        let (dim, mut least, mut k) = (self.dim(), f64::INFINITY, 0);
        while k < self.patches.len() {
            let Some(patch) = self.patches[k] else {
                k += 1;
                continue;
            };
            let end = k + self.patches[k..].iter().take_while(|p| **p == Some(patch)).count();
            let of = &self.seeds[k..end];
            if of.iter().all(|c| c.preload <= 0.0) {
                let (map, free) = (self.frozen.frozen_map(), self.frozen.free_velocity());
                for (c, k) in of.iter().zip(k..end).filter(|(_, k)| s.gamma[dim * k] > 0.0) {
                    let (way, speed) = (-c.preload / c.material.stiffness, -c.velocity[0]);
                    let gain = -FrozenProblem::contact_velocity_at(map, k, free)[0] - speed;
                    // NaN where it turns before it gets there.
                    let root = (speed * speed + 2.0 * gain / dt * way).sqrt();
                    let t = 2.0 * way / (speed + root);
                    if t > 0.0 {
                        least = least.min(t);
                    }
                }
            }
            k = end;
        }
        (least < dt).then_some(least)
    }

    /// Memory of the contacts and limits for the next step, after the last problem was solved.
    pub(crate) fn store_memory(&self, dt: f64, out: &mut ContactMemory) {
        let [contacts, limits] = [CONTACT, LIMIT].map(|i| self.frozen.pools().members()[i].as_ref());
        self.anchors.store(dt, contacts, out);
        self.limits.store(dt, limits, out);
    }
}

/// `sign` times the Jacobian of the point p of a body in the axes of `frame`: velocity in the first three of `dim` rows, angular velocity in those beyond.
struct Columns<'a> {
    body: usize,
    p: &'a Point3<f64>,
    frame: &'a Matrix3<f64>,
    sign: f64,
    dim: usize,
}

impl Columns<'_> {
    /// Adds it to a block, column-major, whose first degree of freedom is `from`.
    #[inline(always)]
    fn add(&self, kin: &Kinematics, model: &Model, from: usize, block: &mut [f64]) {
        let Self { body, p, frame, sign, dim } = *self;
        let add = |(x, y): (&mut f64, &f64)| *x += sign * y;
        if dim == 3 {
            let columns = block.as_chunks_mut::<3>().0;
            return kin.for_columns(model, body, p, |dof, linear, _| {
                columns[dof - from].iter_mut().zip(&frame.tr_mul(&linear)).for_each(add);
            });
        }
        kin.for_columns(model, body, p, |dof, linear, angular| {
            let column = &mut block[(dof - from) * dim..(dof - from + 1) * dim];
            let (three, more) = column.split_at_mut(dim.min(3));
            three.iter_mut().zip(&frame.tr_mul(&linear)).for_each(add);
            if !more.is_empty() {
                more.iter_mut().zip(&frame.tr_mul(&angular)).for_each(add);
            }
        });
    }
}

/// S of the velocity v_c = S (v, ω) of a contact at r from the place of shared rows, in the axes of `frame`: `dim` × 6, column-major.
fn selection(frame: &Matrix3<f64>, r: &Vector3<f64>, dim: usize) -> [f64; 36] {
    let mut out = [0.0; 36];
    for i in 0..dim {
        let axis: Vector3<f64> = frame.column(i % 3).into();
        // n·(v + ω × r) = n·v + (r × n)·ω; rows beyond the third are n·ω.
        let (linear, angular) = if i < 3 { (axis, r.cross(&axis)) } else { (Vector3::zeros(), axis) };
        for j in 0..3 {
            (out[j * dim + i], out[(j + 3) * dim + i]) = (linear[j], angular[j]);
        }
    }
    out
}

/// A contact without friction is as heavy along its tangents as along its normal.
pub(crate) fn as_heavy_all_around(sides: &mut [ContactSide; 2], dim: usize) {
    if dim < 3 {
        for s in sides {
            s.linear = Matrix3::from_diagonal_element(s.linear[(0, 0)]);
        }
    }
}
