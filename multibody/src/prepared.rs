use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactMaterial, ContactMemory, ContactSeed, ContactSide, Evals,
    FrozenMap, FrozenProblem, Inertia, Pool, Pools, ProblemError, State, StepProblem, WhitenedMap,
};
use signorini_laws::{DryFriction, Gain, NearRigid};
use signorini_scene::{JointKind, Pose};

use crate::anchors::Anchors;
use crate::collision::FoundContact;
use crate::drive::Drive;
use crate::joints_first::JointsFirst;
use crate::reference_mass::ReferenceMass;
use crate::rows::{JointRows, LIGHTEST};
use crate::sharing::Sharing;
use crate::{ActuatorState, Dynamics, Kinematics, Model, RigidLaws, TendonState, Tree};

/// Pools in the order of their constraints.
pub(crate) const CONTACT: usize = 0;
pub(crate) const LIMIT: usize = 1;
pub(crate) const FRICTION: usize = 2;
pub(crate) const GAIN: usize = 3;
pub(crate) const EQUALITY_1: usize = 4;
pub(crate) const EQUALITY_3: usize = 5;

/// What stays the same while one state is prepared.
pub(crate) struct Inputs<'a> {
    pub model: &'a Model,
    pub mocap: &'a [Pose],
    pub applied: &'a [f64],
    pub control: &'a [f64],
    /// Surface velocity of each geom, body axes.
    pub surface_velocity: &'a [Vector3<f64>],
    pub stiction_speed: f64,
    pub reference: &'a ReferenceMass,
    pub limits: bool,
    /// Actuators act.
    pub actuation: bool,
}

/// What a prepared state holds: all that does not depend on the step size, and the problem that is refilled for each.
pub(crate) struct Prepared {
    pub ready: bool,
    pub x0: State,
    pub kin: Kinematics,
    pub tendons: TendonState,
    pub actuators: ActuatorState,
    /// Forces of the force field for the present step.
    pub field: Vec<f64>,
    /// M without damping.
    pub mass: BlockDiagonal,
    /// Trees whose block of M is the same in all states.
    constant: Vec<bool>,
    /// M v₀.
    momentum: Vec<f64>,
    /// τ − c at x₀, without what is implicit: damping, springs, actuators.
    pub force: Vec<f64>,
    /// Displacement of joint springs from rest, nv.
    spring: Vec<f64>,
    pub contact_seeds: Vec<ContactSeed>,
    /// What motors, springs and applied forces may do within the step.
    pub drive: Drive,
    pub rows: JointRows,
    pub problem: FrozenProblem,
    pub joints_first: Option<Box<JointsFirst>>,
    /// Map and inertia of contacts and limits where joints are solved before them.
    pub whitened: WhitenedMap,
    /// Step size for which A and v* were found ahead.
    joints_dt: Option<f64>,
    sharing: Sharing,
    anchors: Anchors,
    /// Velocity of the last `relinearize`.
    pub(crate) v: Vec<f64>,
    /// Impulses of contacts and limits, nv, and multipliers of contacts that are kept while joints are solved again.
    pub(crate) load: Vec<f64>,
    pub(crate) kept: Vec<f64>,
    /// How often joints were solved again in this step.
    pub(crate) rounds: u32,
    pub(crate) evals: Evals,
}

impl Prepared {
    pub(crate) fn new(model: &Model, laws: &RigidLaws, joints_first: bool) -> Result<Self, ProblemError> {
        let sizes: Vec<usize> = model.trees.iter().map(|t| t.dofs.len()).collect();
        let mut mass = BlockDiagonal::with_sizes(&sizes);
        for (t, n) in sizes.iter().enumerate() {
            (0..*n).for_each(|i| mass.block_mut(t)[i * n + i] = 1.0);
        }
        mass.factor()?;
        let constant = set_constant_blocks(model, &mut mass)?;
        let pools = Pools::new(vec![
            laws.contact.boxed_empty(),
            laws.limit.boxed_empty(),
            Box::new(Pool::<DryFriction, 1>::new(DryFriction::default())),
            Box::new(Pool::<Gain, 1>::new(Gain)),
            Box::new(Pool::<NearRigid, 1>::new(NearRigid::default())),
            Box::new(Pool::<NearRigid, 3>::new(NearRigid::default())),
        ]);
        let rows = JointRows::new(model, joints_first);
        let nv = model.nv();
        let free =
            |t: &Tree| model.dofs[t.dofs.clone()].iter().all(|d| (d.damping, d.stiffness) == (0.0, 0.0));
        let still = constant.iter().zip(&model.trees).map(|(c, t)| *c && free(t)).collect();
        let map = FrozenMap::new(mass.block_starts());
        let problem = FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new())?;
        Ok(Self {
            ready: false,
            x0: State::default(),
            kin: Kinematics::new(model),
            tendons: TendonState::new(model),
            actuators: ActuatorState::new(model),
            field: vec![0.0; nv],
            momentum: vec![0.0; nv],
            force: vec![0.0; nv],
            spring: vec![0.0; nv],
            contact_seeds: Vec::new(),
            problem,
            joints_first: if joints_first { Some(Box::new(JointsFirst::new(&mass, still)?)) } else { None },
            whitened: WhitenedMap::default(),
            joints_dt: None,
            sharing: Sharing::new(model.trees.len()),
            drive: Drive::new(model, &mass),
            anchors: Anchors::default(),
            v: Vec::new(),
            load: vec![0.0; nv],
            kept: Vec::new(),
            rounds: 0,
            evals: Evals::default(),
            mass,
            constant,
            rows,
        })
    }

    /// Poses, velocities, lengths.
    pub(crate) fn set_kinematics(&mut self, model: &Model, mocap: &[Pose], x0: &State) {
        self.kin.set_positions(model, &x0.q, mocap);
        self.kin.set_velocities(model, &x0.v);
        self.tendons.set_positions(model, &self.kin, &x0.q);
        self.tendons.set_velocities(model, &x0.v);
    }

    /// Mass matrix, bias and explicit forces.
    pub(crate) fn set_dynamics(
        &mut self,
        i: &Inputs<'_>,
        dynamics: &mut Dynamics,
        x0: &State,
    ) -> Result<(), ProblemError> {
        self.x0.copy_from(x0);
        let model = i.model;
        self.set_kinematics(model, i.mocap, x0);
        self.actuators.set_positions(model, &self.kin, &self.tendons, &x0.q);
        self.actuators.set_velocities(model, &x0.v);
        dynamics.composite_inertias(model, &self.kin);
        let mass = &mut self.mass;
        for (t, tree) in model.trees.iter().enumerate() {
            if self.constant[t] {
                continue;
            }
            let (n, first) = (tree.dofs.len(), tree.dofs.start);
            // Entries between branches are zero from the start and stay so.
            let block = mass.block_mut(t);
            for i in tree.dofs.clone() {
                dynamics.mass_row(model, &self.kin, i, |j, m| {
                    let (a, b) = (i - first, j - first);
                    block[b * n + a] = m;
                    block[a * n + b] = m;
                });
            }
            if !self.rows.lean {
                mass.factor_block(t)?;
            }
        }
        mass.multiply(&x0.v, &mut self.momentum);
        dynamics.inverse_dynamics(model, &self.kin, &model.gravity, None, &mut self.force);
        for (f, a) in self.force.iter_mut().zip(i.applied) {
            *f = a - *f;
        }
        model.add_passive_gravity_compensation(&self.kin, &mut self.force);
        model.spring_displacement(&x0.q, &mut self.spring);
        if i.actuation {
            self.rows.set_explicit_actuators(i, &self.kin, &self.actuators, &x0.z, &mut self.force);
        }
        Ok(())
    }

    /// Rows of what acts between joints, where it is solved before contacts.
    pub(crate) fn set_joint_rows(&mut self, i: &Inputs<'_>, x0: &State) {
        self.joints_dt = None;
        if let Some(first) = self.joints_first.as_deref_mut() {
            let states = (&self.kin, &self.tendons, &self.actuators);
            self.rows.set_first(i, states, x0, &self.mass, first);
        }
    }

    /// Controls may have changed since joints were solved.
    pub(crate) fn forget_joints(&mut self) {
        self.joints_dt = None;
    }

    /// Looks ahead to what drives the bodies over a step of `horizon` \[s\].
    pub(crate) fn look_ahead(&mut self, i: &Inputs<'_>, horizon: f64) -> Result<(), ProblemError> {
        let moves = horizon > 0.0 && horizon.is_finite();
        if self.drive.begin(i).is_idle() || !moves {
            return Ok(());
        }
        if self.joints_first.is_none() {
            let states = (&self.tendons, &self.actuators, &self.x0);
            return self.drive.predict(i, states, (&self.force, &self.spring), &self.mass, horizon);
        }
        // The step will most likely be of this length, and has this solve behind it then. One that fails will say so when it is asked for.
        self.field.fill(0.0);
        if self.set_joints(i, horizon).is_ok() {
            self.joints_dt = Some(horizon);
            self.drive.take(i.model, self.problem.parts_mut().free_velocity, &self.x0.v);
        }
        Ok(())
    }

    /// Rows of contacts: Jacobian, geometry, seeds without step size.
    pub(crate) fn set_contacts(&mut self, i: &Inputs<'_>, found: &[FoundContact], v0: &[f64]) {
        let dim = self.problem.pools().members()[CONTACT].dim();
        // What is here of the last step is overwritten: contacts in `set_step`, sides there or here.
        self.contact_seeds.resize(
            found.len(),
            ContactSeed {
                dt: 0.0,
                gap: 0.0,
                velocity: Vector3::zeros(),
                material: ContactMaterial::default(),
                sides: [ContactSide::default(); 2],
            },
        );
        let tree_of = |b: usize| i.model.bodies[b].tree;
        let parts = self.problem.parts_mut();
        parts.map.clear();
        parts.contacts.clear();
        for (k, c) in found.iter().enumerate() {
            let frame = ContactGeometry::frame(&c.point.normal);
            let surface = |s: usize| self.kin.x_wb[c.bodies[s]].rotation * i.surface_velocity[c.geoms[s]];
            let moving = c.geoms.iter().any(|&g| i.surface_velocity[g] != Vector3::zeros());
            let mut bias = [0.0; 6];
            if moving {
                bias[..3].copy_from_slice((frame.transpose() * (surface(1) - surface(0))).as_slice());
            }
            parts.map.push_constraint(&bias[..dim]);
            let trees = c.bodies.map(tree_of);
            let first = trees.iter().flatten().min().copied();
            let second = trees.iter().flatten().max().copied().filter(|t| Some(*t) != first);
            for t in [first, second].into_iter().flatten() {
                let block = parts.map.push_block(t);
                let from = i.model.trees[t].dofs.start;
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    if trees[side] != Some(t) {
                        continue;
                    }
                    let at = (c.bodies[side], c.point_of(side));
                    add_columns(&self.kin, i.model, at, (&frame, sign), dim, from, block);
                }
            }
            parts.contacts.push(ContactGeometry {
                constraint: k as u32,
                bodies: c.bodies.map(|b| b as u32),
                geoms: c.geoms.map(|g| g as u32),
                p_wc: c.p_wc,
                arms: [0, 1].map(|side| c.point_of(side) - c.p_wc),
                r_wc: frame,
                gap: c.point.gap,
                feature: c.point.feature,
            });
            let seed = &mut self.contact_seeds[k];
            (seed.gap, seed.material) = (c.gap, c.material);
            seed.velocity = FrozenProblem::contact_velocity_at(parts.map, k, v0);
            if self.joints_first.is_none() {
                set_masses(&mut seed.sides, &self.mass, parts.map, k);
            }
            seed.sides.iter_mut().for_each(|s| s.reference = 0.0);
            for side in [0, 1] {
                let at = usize::from(first != second && second.is_some() && trees[side] == second);
                seed.sides[at].reference += i.reference.bodies[c.bodies[side]];
            }
        }
    }

    /// Rows of limits, dry friction, actuators, tendon springs and equality constraints.
    pub(crate) fn set_rows(&mut self, i: &Inputs<'_>, x0: &State, horizon: f64) {
        let states = (&self.kin, &self.tendons, &self.actuators);
        let (map, first) = (self.problem.parts_mut().map, self.joints_first.is_some());
        self.rows.set_limits(i, &self.tendons, (x0, &self.drive.change, horizon), &self.mass, map);
        if !first {
            self.rows.set(i, states, x0, &self.mass, map);
        }
    }

    /// A, v* and the laws for a step size.
    pub(crate) fn set_step(&mut self, i: &Inputs<'_>, dt: f64) -> Result<(), ProblemError> {
        self.contact_seeds.iter_mut().for_each(|s| s.dt = dt);
        self.rows.limits.iter_mut().for_each(|s| s.dt = dt);
        let known = self.joints_dt.take() == Some(dt) && self.field.iter().all(|f| *f == 0.0);
        if !known {
            self.set_joints(i, dt)?;
        }
        self.rounds = 0;
        self.set_laws();
        let parts = self.problem.parts_mut();
        let pool = parts.pools.member_mut(CONTACT);
        self.anchors.recall(&self.x0.memory, (parts.contacts, &self.kin), dt, pool);
        self.problem.finish(dt)
    }

    /// A and v* for a step size, and the laws of joints.
    fn set_joints(&mut self, i: &Inputs<'_>, dt: f64) -> Result<(), ProblemError> {
        let model = i.model;
        let mut parts = self.problem.parts_mut();
        let mut plain = true;
        // Joints that are solved first keep A and A v*. Both copies of A are made of M: a copy of what was just written number by number waits for it.
        let mut first = self.joints_first.as_deref_mut().map(JointsFirst::start);
        let blocks = &mut parts.inertia.blocks;
        blocks.copy_blocks(&self.mass);
        first.iter_mut().for_each(|(kept, _)| kept.copy_blocks(&self.mass));
        for (t, tree) in model.trees.iter().enumerate() {
            let n = tree.dofs.len();
            for (k, dof) in tree.dofs.clone().enumerate() {
                let (stiffness, damping) = model.spring_and_damper(dof);
                let extra = dt * (damping + dt * stiffness);
                if extra != 0.0 {
                    plain = false;
                    blocks.block_mut(t)[k * (n + 1)] += extra;
                    first.iter_mut().for_each(|(kept, _)| kept.block_mut(t)[k * (n + 1)] += extra);
                }
            }
        }
        let terms = first.map_or(&mut *parts.free_velocity, |(_, momentum)| momentum);
        terms.clear();
        let at = self.momentum.iter().zip(&self.force).zip(&self.field).zip(&self.spring).enumerate();
        let rhs = at.map(|(dof, (((p, f), e), s))| p + dt * (f + e - model.spring_and_damper(dof).0 * s));
        terms.extend(rhs);
        let state = (&self.tendons, &self.actuators, &self.x0.z[..]);
        self.rows.set_seeds(i, state, dt);
        match self.joints_first.as_deref_mut() {
            Some(first) => self.rows.fill_joints_first(first),
            None => self.rows.fill_pools(parts.pools),
        }
        match self.joints_first.as_deref_mut() {
            Some(first) => first.solve(dt, &self.x0.v, &mut parts)?,
            None => {
                parts.inertia.coupling.clear();
                // M is factored: where joints are not solved first, rows are weighed by it.
                if plain {
                    parts.inertia.blocks.copy_factors(&self.mass);
                } else {
                    parts.inertia.blocks.factor()?;
                }
                parts.inertia.blocks.solve(parts.free_velocity);
            }
        }
        Ok(())
    }

    /// Laws of contacts and limits for A and v* as they are.
    pub(crate) fn set_laws(&mut self) {
        let parts = self.problem.parts_mut();
        if self.joints_first.is_some() {
            let (whitened, contacts) = (&mut self.whitened, self.contact_seeds.len());
            whitened.fit(&parts.inertia.blocks, parts.map);
            for (k, s) in self.contact_seeds.iter_mut().enumerate() {
                let dim = parts.map.rows_of(k).1;
                whitened.set_sides(k, dim, &mut s.sides);
                as_heavy_all_around(&mut s.sides, dim);
            }
            for (k, s) in self.rows.limits.iter_mut().enumerate() {
                s.inverse_mass = whitened.delassus::<1>(contacts + k)[0].max(LIGHTEST);
            }
        }
        self.sharing.count(
            (parts.map, parts.pools, parts.free_velocity),
            &mut self.contact_seeds,
            &mut self.rows.limits,
        );
        parts.pools.member_mut(LIMIT).reset(&self.rows.limits);
        parts.pools.member_mut(CONTACT).reset(&self.contact_seeds);
    }

    /// What contacts carry into the next step, after the last problem was solved.
    pub(crate) fn store_memory(&self, dt: f64, out: &mut ContactMemory) {
        let pool = self.problem.pools().members()[CONTACT].as_ref();
        self.anchors.store(dt, pool, out);
    }
}

/// Adds `sign` times the Jacobian of a point of a body in the axes of `frame` to a block of `dim` rows, column-major, whose first degree of freedom is `from`: velocity in the first three
/// rows, angular velocity in those beyond.
#[inline(always)]
fn add_columns(
    kin: &Kinematics,
    model: &Model,
    (body, p): (usize, &Point3<f64>),
    (frame, sign): (&Matrix3<f64>, f64),
    dim: usize,
    from: usize,
    block: &mut [f64],
) {
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

/// Delassus blocks of a contact under an inertia; what else the sides hold is kept. A frictionless contact is as heavy in all directions.
fn set_masses(sides: &mut [ContactSide; 2], inertia: &BlockDiagonal, map: &FrozenMap, k: usize) {
    FrozenProblem::set_sides(inertia, map, k, sides);
    as_heavy_all_around(sides, map.rows_of(k).1);
}

/// A contact without friction is as heavy along its tangents as along its normal.
fn as_heavy_all_around(sides: &mut [ContactSide; 2], dim: usize) {
    if dim < 3 {
        for s in sides {
            s.linear = Matrix3::from_diagonal_element(s.linear[(0, 0)]);
        }
    }
}

/// Fills and factors the blocks of bodies that float freely with the centre of mass at their origin, whose inertia in their velocities is
/// constant; true for their trees.
fn set_constant_blocks(model: &Model, mass: &mut BlockDiagonal) -> Result<Vec<bool>, ProblemError> {
    let mut count = vec![0; model.trees.len()];
    model.bodies.iter().filter_map(|b| b.tree).for_each(|t| count[t] += 1);
    let constant = |t: usize| {
        let body = &model.bodies[model.trees[t].root];
        let joints = model.joints[body.joints.clone()].iter();
        count[t] == 1 && body.com == Point3::origin() && joints.map(|j| j.kind).eq([JointKind::Free])
    };
    let found: Vec<bool> = (0..model.trees.len()).map(constant).collect();
    for (t, _) in found.iter().enumerate().filter(|(_, constant)| **constant) {
        let (block, body) = (mass.block_mut(t), &model.bodies[model.trees[t].root]);
        block.fill(0.0);
        for i in 0..3 {
            block[7 * i] = body.mass;
            (0..3).for_each(|j| block[6 * (i + 3) + j + 3] = body.inertia[(i, j)]);
        }
        for (k, dof) in model.trees[t].dofs.clone().enumerate() {
            block[7 * k] += model.dofs[dof].armature;
        }
        mass.factor_block(t)?;
    }
    Ok(found)
}
