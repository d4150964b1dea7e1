use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{
    BlockDiagonal, ContactGeometry, ContactSeed, Energy, FrozenMap, FrozenProblem, Inertia, LawPool, Pool,
    Pools, ProblemError, Slot, State, StepProblem, StepSolution, System, check_finite,
};
use signorini_laws::{DryFriction, DryFrictionSeed, Limit, LimitSeed};
use signorini_scene::{Keyframe, Pose, Scene, Switches};

use crate::collision::{CollidingPair, Collision, FoundContact};
use crate::{Dynamics, Kinematics, Model, ModelError};

/// Two geoms that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The geoms.
    pub geoms: [usize; 2],
    /// Depth \[m\], > 0.
    pub depth: f64,
}

/// Settings of a [`RigidSystem`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidOptions {
    /// Create contacts for pairs whose gap can close within the step, so that ballistic impacts are not missed.
    pub speculative: bool,
}

impl Default for RigidOptions {
    fn default() -> Self {
        Self { speculative: true }
    }
}

/// Pools in the order of their constraints.
const CONTACT: usize = 0;
const LIMIT: usize = 1;
const FRICTION: usize = 2;

/// What a prepared state holds.
struct Prepared {
    ready: bool,
    x0: State,
    /// Forces of the force field for the present step.
    field: Vec<f64>,
    kin: Kinematics,
    /// M without damping.
    mass: BlockDiagonal,
    /// M v₀.
    momentum: Vec<f64>,
    /// τ − c at x₀, without damping and implicit springs.
    force: Vec<f64>,
    /// Joint springs: k and k (q₀ − q_rest) per degree of freedom.
    spring: Vec<[f64; 2]>,
    contact_seeds: Vec<ContactSeed>,
    limit_seeds: Vec<LimitSeed>,
    friction_seeds: Vec<DryFrictionSeed>,
    problem: FrozenProblem,
}

/// Adds generalised forces \[N or N·m\], nv, to a step: (model, kinematics and state at its start, time halfway through it, force).
pub type ForceField = Box<dyn FnMut(&Model, &Kinematics, &State, f64, &mut [f64]) + Send>;

/// A scene in generalised coordinates under one contact law: the rigid [`System`].
///
/// ```text
/// A = M + δt D + δt² K,   A v* = M v₀ + δt (τ − c − K (q₀ − q_rest)),   v_c = J v + b          kurtz2025cenic, eq. (15)
/// ```
/// D and K are joint damping and stiffness; limits, dry friction, motors and equality constraints are laws beside the contacts.
pub struct RigidSystem {
    model: Model,
    collision: Collision,
    switches: Switches,
    options: RigidOptions,
    /// Surface velocity of each geom, body axes \[m/s\].
    surface_velocity: Vec<Vector3<f64>>,
    stiction_speed: f64,
    slots: [Prepared; 2],
    dynamics: Dynamics,
    found: Vec<FoundContact>,
    reach: Vec<f64>,
    mocap: Vec<Pose>,
    applied: Vec<f64>,
    control: Vec<f64>,
    force_field: Option<ForceField>,
    tree_contacts: Vec<u32>,
}

impl RigidSystem {
    /// Builds the system; `contact` decides the law.
    ///
    /// # Errors
    /// [`ModelError`]; pairs of shapes that have no contact query.
    pub fn new(scene: &Scene, contact: &dyn LawPool, options: RigidOptions) -> Result<Self, ModelError> {
        let model = Model::new(scene)?;
        let collision = Collision::new(scene, &model);
        if let Some(message) = collision.unsupported() {
            return Err(ModelError::Element {
                place: Box::default(),
                message,
                remedy: "exclude the pair or use other shapes".into(),
            });
        }
        let sizes: Vec<usize> = model.trees.iter().map(|t| t.dofs.len()).collect();
        let slot = || -> Result<Prepared, ModelError> {
            let mass = BlockDiagonal::with_sizes(&sizes);
            let map = FrozenMap::new(mass.block_starts());
            let pools = Pools::new(vec![
                contact.boxed_empty(),
                Box::new(Pool::<Limit, 1>::new(Limit::default())),
                Box::new(Pool::<DryFriction, 1>::new(DryFriction::default())),
            ]);
            let nv = model.nv();
            let problem = FrozenProblem::new(1.0, mass.clone(), vec![0.0; nv], map, pools, Vec::new());
            Ok(Prepared {
                ready: false,
                x0: State::default(),
                field: vec![0.0; nv],
                kin: Kinematics::new(&model),
                mass,
                momentum: vec![0.0; nv],
                force: vec![0.0; nv],
                spring: vec![[0.0; 2]; nv],
                contact_seeds: Vec::new(),
                limit_seeds: Vec::new(),
                friction_seeds: Vec::new(),
                problem: problem.map_err(|e| ModelError::Element {
                    place: Box::default(),
                    message: e.to_string(),
                    remedy: "report this scene".into(),
                })?,
            })
        };
        let slots = [slot()?, slot()?];
        Ok(Self {
            collision,
            switches: scene.options.switches,
            options,
            surface_velocity: scene
                .geoms
                .iter()
                .map(|g| g.pose.rotation * Vector3::from(g.surface.velocity))
                .collect(),
            stiction_speed: scene.options.contact.stiction_speed,
            slots,
            dynamics: Dynamics::new(&model),
            found: Vec::new(),
            reach: vec![0.0; model.bodies.len()],
            mocap: model.mocap_poses.clone(),
            applied: vec![0.0; model.nv()],
            control: vec![0.0; scene.actuators.len()],
            force_field: None,
            tree_contacts: vec![0; model.trees.len()],
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Pairs of geoms that may collide, with their combined material.
    pub fn contact_pairs(&self) -> Vec<CollidingPair> {
        self.collision.pairs()
    }

    /// The state of a keyframe, or the reference configuration at rest; takes over the keyframe's controls and mocap poses.
    ///
    /// # Errors
    /// A keyframe that does not fit the model.
    pub fn initial_state(&mut self, key: Option<&Keyframe>) -> Result<State, ModelError> {
        let x = self.model.state_at(key, self.sizes()[2])?;
        if let Some(k) = key {
            if !k.control.is_empty() {
                self.control.copy_from_slice(&k.control);
            }
            if !k.mocap.is_empty() {
                self.mocap.copy_from_slice(&k.mocap);
            }
        }
        Ok(x)
    }

    /// Controls, one per actuator, held until set again.
    pub fn control(&self) -> &[f64] {
        &self.control
    }

    /// Controls for writing.
    pub fn control_mut(&mut self) -> &mut [f64] {
        &mut self.control
    }

    /// The deepest contact at a state; None when nothing touches.
    ///
    /// # Errors
    /// Pairs of shapes without a contact query.
    pub fn deepest_penetration(&mut self, x: &State) -> Result<Option<Penetration>, ProblemError> {
        let p = &mut self.slots[Slot::Midpoint as usize];
        p.ready = false;
        p.kin.set_positions(&self.model, &x.q, &self.mocap);
        self.reach.fill(0.0);
        self.collision.find(&p.kin, &self.reach, &mut self.found)?;
        let deepest = self.found.iter().min_by(|a, b| a.point.gap.total_cmp(&b.point.gap));
        Ok(deepest.filter(|c| c.point.gap < 0.0).map(|c| Penetration { geoms: c.geoms, depth: -c.point.gap }))
    }

    /// Rows per contact.
    pub fn contact_dim(&self) -> usize {
        self.slots[0].problem.pools().members()[CONTACT].dim()
    }

    /// Applied generalised forces \[N or N·m\], nv, held until set again.
    pub fn applied_force_mut(&mut self) -> &mut [f64] {
        &mut self.applied
    }

    /// Forces that depend on time or state, evaluated once per step (time halfway, state at its start); None removes them.
    pub fn set_force_field(&mut self, field: Option<ForceField>) {
        self.force_field = field;
    }

    /// Poses of the mocap bodies, held until set again.
    pub fn mocap_poses_mut(&mut self) -> &mut [Pose] {
        &mut self.mocap
    }

    /// Kinematics of a prepared slot.
    pub fn kinematics(&self, slot: Slot) -> &Kinematics {
        &self.slots[slot as usize].kin
    }

    /// The problem of a slot, as last built.
    pub fn frozen_problem(&self, slot: Slot) -> &FrozenProblem {
        &self.slots[slot as usize].problem
    }
}

impl Prepared {
    /// Mass matrix, bias and passive forces.
    fn set_dynamics(&mut self, s: &mut Shared<'_>, x0: &State) -> Result<(), ProblemError> {
        self.kin.set_positions(s.model, &x0.q, s.mocap);
        self.kin.set_velocities(s.model, &x0.v);
        let (model, mass) = (s.model, &mut self.mass);
        for t in 0..model.trees.len() {
            mass.block_mut(t).fill(0.0);
        }
        s.dynamics.mass_matrix(model, &self.kin, |i, j, m| {
            let tree = &model.trees[model.dofs[i].tree];
            let (n, a, b) = (tree.dofs.len(), i - tree.dofs.start, j - tree.dofs.start);
            let block = mass.block_mut(model.dofs[i].tree);
            block[b * n + a] = m;
            block[a * n + b] = m;
        });
        mass.factor()?;
        apply_all(mass, &x0.v, &mut self.momentum);
        s.dynamics.inverse_dynamics(model, &self.kin, &model.gravity, None, &mut self.force);
        for (f, a) in self.force.iter_mut().zip(s.applied) {
            *f = a - *f;
        }
        for (b, body) in model.bodies.iter().enumerate().filter(|(_, b)| b.gravity_compensation != 0.0) {
            let lift = -body.gravity_compensation * body.mass * model.gravity;
            let com = self.kin.com(model, b);
            self.kin.for_columns(model, b, &com, |i, linear, _| self.force[i] += linear.dot(&lift));
        }
        self.set_springs(s, x0);
        Ok(())
    }

    fn set_springs(&mut self, s: &Shared<'_>, x0: &State) {
        self.spring.fill([0.0; 2]);
        if !s.switches.springs {
            return;
        }
        for joint in s.model.joints.iter().filter(|j| j.stiffness > 0.0) {
            use signorini_scene::JointKind::{Ball, Free, Hinge, Slide};
            let k = joint.stiffness;
            let mut turn = |q: usize, v: usize| {
                let axis = crate::model::quaternion_at(&x0.q, q).scaled_axis();
                for i in 0..3 {
                    self.spring[v + i] = [k, k * axis[i]];
                }
            };
            match joint.kind {
                Hinge | Slide => self.spring[joint.v] = [k, k * (x0.q[joint.q] - joint.spring_reference)],
                Ball => turn(joint.q, joint.v),
                Free => {
                    let home = &s.model.bodies[joint.body].pose.translation.vector;
                    turn(joint.q + 3, joint.v + 3);
                    for i in 0..3 {
                        self.spring[joint.v + i] = [k, k * (x0.q[joint.q + i] - home[i])];
                    }
                }
            }
        }
    }

    /// Keeps speculative contacts only where the gap can close within the horizon: by twice the present approach, plus free fall.
    fn drop_unreachable(&self, model: &Model, horizon: f64, found: &mut Vec<FoundContact>) {
        let fall = 0.5 * model.gravity.norm() * horizon * horizon;
        found.retain(|c| {
            if c.gap <= 0.0 {
                return true;
            }
            let [a, b] = c.bodies.map(|b| self.kin.point_velocity(model, b, &c.p_wc));
            let approach = (a - b).dot(&c.point.normal).max(0.0);
            c.gap < 2.0 * horizon * approach + fall
        });
    }

    /// Rows of contacts: Jacobian, geometry, seeds without step size.
    fn set_contacts(&mut self, s: &mut Shared<'_>, found: &[FoundContact], v0: &[f64]) {
        let dim = self.problem.pools().members()[CONTACT].dim();
        self.contact_seeds.clear();
        s.tree_contacts.fill(0);
        for c in found {
            for b in c.bodies {
                if let Some(t) = s.model.bodies[b].tree {
                    s.tree_contacts[t] += 1;
                }
            }
        }
        let parts = self.problem.parts_mut();
        parts.map.clear();
        parts.contacts.clear();
        for (k, c) in found.iter().enumerate() {
            let frame = ContactGeometry::frame(&c.point.normal);
            let surface = |i: usize| {
                let x = &self.kin.x_wb[c.bodies[i]];
                x.rotation * s.surface_velocity[c.geoms[i]]
            };
            let moving = c.geoms.iter().any(|&g| s.surface_velocity[g] != Vector3::zeros());
            let bias = if moving { frame.transpose() * (surface(1) - surface(0)) } else { Vector3::zeros() };
            parts.map.push_constraint(&bias.as_slice()[..dim]);
            let trees = [s.model.bodies[c.bodies[0]].tree, s.model.bodies[c.bodies[1]].tree];
            let first = trees.iter().flatten().min().copied();
            let second = trees.iter().flatten().max().copied().filter(|t| Some(*t) != first);
            for t in [first, second].into_iter().flatten() {
                let block = parts.map.push_block(t);
                let from = s.model.trees[t].dofs.start;
                for (i, sign) in [(0, -1.0), (1, 1.0)] {
                    if trees[i] != Some(t) {
                        continue;
                    }
                    self.kin.for_columns(s.model, c.bodies[i], &c.p_wc, |dof, linear, _| {
                        let column = &mut block[(dof - from) * dim..(dof - from + 1) * dim];
                        for (r, x) in column.iter_mut().enumerate() {
                            *x += sign * frame.column(r).dot(&linear);
                        }
                    });
                }
            }
            parts.contacts.push(ContactGeometry {
                constraint: k as u32,
                bodies: c.bodies.map(|b| b as u32),
                geoms: c.geoms.map(|g| g as u32),
                p_wc: c.p_wc,
                r_wc: frame,
                gap: c.point.gap,
                feature: c.point.feature,
            });
            self.contact_seeds.push(ContactSeed {
                dt: 0.0,
                gap: c.gap,
                velocity: FrozenProblem::contact_velocity_at(parts.map, k, v0),
                lagged_impulse: Vector3::zeros(),
                material: c.material,
                delassus: if dim >= 3 {
                    FrozenProblem::delassus(&self.mass, parts.map, k)
                } else {
                    Matrix3::from_diagonal_element(FrozenProblem::delassus(&self.mass, parts.map, k)[(0, 0)])
                },
                tree_contacts: trees.map(|t| t.map_or(0, |t| s.tree_contacts[t])),
            });
        }
    }

    /// Rows of joint limits and dry friction.
    fn set_joint_rows(&mut self, s: &Shared<'_>, x0: &State, horizon: f64) {
        self.limit_seeds.clear();
        self.friction_seeds.clear();
        let model = s.model;
        let parts = self.problem.parts_mut();
        let inverse = |mass: &BlockDiagonal, dof: usize| {
            let tree = &model.trees[model.dofs[dof].tree];
            let (n, i) = (tree.dofs.len(), dof - tree.dofs.start);
            1.0 / mass.block(model.dofs[dof].tree)[i * n + i]
        };
        if s.switches.limits {
            for joint in model.joints.iter() {
                let (Some([low, high]), 1) = (joint.range, joint.kind.nv()) else { continue };
                let (q, v) = (x0.q[joint.q], x0.v[joint.v]);
                let reach = joint.limit_margin + 2.0 * horizon * v.abs() + 0.1;
                for (gap, sign) in [(q - low, 1.0), (high - q, -1.0)] {
                    if gap < reach {
                        push_row(parts.map, model, joint.v, sign);
                        let w = inverse(&self.mass, joint.v);
                        self.limit_seeds.push(LimitSeed { dt: 0.0, gap, inverse_mass: w, spring: None });
                    }
                }
            }
        }
        if s.switches.dry_friction {
            for joint in model.joints.iter().filter(|j| j.dry_friction > 0.0) {
                for dof in joint.v..joint.v + joint.kind.nv() {
                    push_row(parts.map, model, dof, 1.0);
                    self.friction_seeds.push(DryFrictionSeed {
                        dt: 0.0,
                        force: joint.dry_friction,
                        stiction_speed: s.stiction_speed,
                        inverse_mass: inverse(&self.mass, dof),
                    });
                }
            }
        }
    }

    /// A, v* and the laws for a step size.
    fn set_step(&mut self, model: &Model, dampers: bool, dt: f64) -> Result<(), ProblemError> {
        let parts = self.problem.parts_mut();
        let mut plain = true;
        for (t, tree) in model.trees.iter().enumerate() {
            let block = parts.inertia.block_mut(t);
            block.copy_from_slice(self.mass.block(t));
            let n = tree.dofs.len();
            for (i, dof) in tree.dofs.clone().enumerate() {
                let damping = if dampers { model.dofs[dof].damping } else { 0.0 };
                let extra = dt * (damping + dt * self.spring[dof][0]);
                plain &= extra == 0.0;
                block[i * n + i] += extra;
            }
        }
        if plain {
            parts.inertia.copy_factors(&self.mass);
        } else {
            parts.inertia.factor()?;
        }
        parts.free_velocity.clear();
        let loads = self.force.iter().zip(&self.field).zip(&self.spring).map(|((f, e), s)| f + e - s[1]);
        parts.free_velocity.extend(self.momentum.iter().zip(loads).map(|(p, f)| p + dt * f));
        for (t, tree) in model.trees.iter().enumerate() {
            parts.inertia.solve_block(t, &mut parts.free_velocity[tree.dofs.clone()]);
        }
        for s in &mut self.contact_seeds {
            s.dt = dt;
        }
        parts.pools.member_mut(CONTACT).reset_contacts(&self.contact_seeds);
        refill::<Limit>(parts.pools, LIMIT, self.limit_seeds.iter().map(|s| LimitSeed { dt, ..*s }));
        refill::<DryFriction>(
            parts.pools,
            FRICTION,
            self.friction_seeds.iter().map(|s| DryFrictionSeed { dt, ..*s }),
        );
        self.problem.finish(dt)
    }
}

/// What all slots share while one is prepared.
struct Shared<'a> {
    model: &'a Model,
    mocap: &'a [Pose],
    applied: &'a [f64],
    dynamics: &'a mut Dynamics,
    switches: &'a Switches,
    /// Surface velocity of each geom, body axes.
    surface_velocity: &'a [Vector3<f64>],
    stiction_speed: f64,
    tree_contacts: &'a mut [u32],
}

fn apply_all(a: &BlockDiagonal, x: &[f64], y: &mut [f64]) {
    for b in 0..a.block_count() {
        let (s, e) = (a.block_starts()[b], a.block_starts()[b + 1]);
        let n = e - s;
        for (i, out) in y[s..e].iter_mut().enumerate() {
            *out = (0..n).map(|j| a.block(b)[j * n + i] * x[s + j]).sum();
        }
    }
}

/// One row that measures a degree of freedom.
fn push_row(map: &mut FrozenMap, model: &Model, dof: usize, sign: f64) {
    let t = model.dofs[dof].tree;
    map.push_constraint(&[0.0]);
    map.push_block(t)[dof - model.trees[t].dofs.start] = sign;
}

fn refill<L: signorini_core::ContactLaw<1>>(
    pools: &mut Pools,
    member: usize,
    seeds: impl Iterator<Item = L::Seed>,
) {
    if let Some(pool) = pools.member_mut(member).as_any_mut().downcast_mut::<Pool<L, 1>>() {
        pool.clear();
        for s in seeds {
            pool.push(&s);
        }
    }
}

impl System for RigidSystem {
    fn sizes(&self) -> [usize; 3] {
        [self.model.nq, self.model.nv(), 0]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        let sizes = self.sizes();
        for (what, expected, found) in [("q", sizes[0], x0.q.len()), ("v", sizes[1], x0.v.len())] {
            if expected != found {
                return Err(ProblemError::Shape { what, expected, found });
            }
        }
        x0.check_finite()?;
        let p = &mut self.slots[slot as usize];
        p.ready = false;
        let mut shared = Shared {
            model: &self.model,
            mocap: &self.mocap,
            applied: &self.applied,
            dynamics: &mut self.dynamics,
            switches: &self.switches,
            surface_velocity: &self.surface_velocity,
            stiction_speed: self.stiction_speed,
            tree_contacts: &mut self.tree_contacts,
        };
        p.set_dynamics(&mut shared, x0)?;
        p.x0.copy_from(x0);
        self.found.clear();
        if self.switches.contact {
            let fall = 0.5 * self.model.gravity.norm() * horizon * horizon;
            for (b, reach) in self.reach.iter_mut().enumerate() {
                let moving = self.options.speculative && self.model.bodies[b].tree.is_some();
                *reach = if moving {
                    let o = p.kin.x_wb[b].translation.vector.into();
                    let speed = p.kin.point_velocity(&self.model, b, &o).norm()
                        + p.kin.twist[b].angular.norm() * self.collision.radius(b);
                    horizon * speed + fall
                } else {
                    0.0
                };
            }
        }
        if self.switches.contact {
            self.collision.find(&p.kin, &self.reach, &mut self.found)?;
            p.drop_unreachable(&self.model, horizon, &mut self.found);
        }
        p.set_contacts(&mut shared, &self.found, &x0.v);
        p.set_joint_rows(&shared, x0, horizon);
        p.ready = true;
        Ok(())
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        let p = &mut self.slots[slot as usize];
        if !p.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        p.field.fill(0.0);
        if let Some(field) = &mut self.force_field {
            field(&self.model, &p.kin, &p.x0, p.x0.t + 0.5 * dt, &mut p.field);
            check_finite("applied force", &p.field)?;
        }
        p.set_step(&self.model, self.switches.dampers, dt)?;
        Ok(&mut p.problem)
    }

    fn commit(
        &mut self,
        slot: Slot,
        x0: &State,
        dt: f64,
        s: &StepSolution,
        x1: &mut State,
    ) -> Result<(), ProblemError> {
        if !self.slots[slot as usize].ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        check_finite("solution", &s.v)?;
        x1.copy_from(x0);
        x1.t = x0.t + dt;
        self.model.integrate(&x0.q, &s.v, dt, &mut x1.q);
        x1.v.copy_from_slice(&s.v);
        Ok(())
    }

    /// Largest difference of a position coordinate, quaternion components included (up to sign of the quaternion).
    fn distance(&self, a: &State, b: &State) -> f64 {
        let mut largest = 0.0_f64;
        for j in &self.model.joints {
            use signorini_scene::JointKind::{Ball, Free};
            let n = j.kind.nq();
            let (qa, qb) = (&a.q[j.q..j.q + n], &b.q[j.q..j.q + n]);
            let plain = match j.kind {
                Free => 3,
                Ball => 0,
                _ => 1,
            };
            let far = |sign: f64| {
                let d = |(x, y): (&f64, &f64)| (x - sign * y).abs();
                qa[plain..].iter().zip(&qb[plain..]).map(d).fold(0.0, f64::max)
            };
            largest =
                qa[..plain].iter().zip(&qb[..plain]).map(|(x, y)| (x - y).abs()).fold(largest, f64::max);
            largest = if n > plain { largest.max(far(1.0).min(far(-1.0))) } else { largest };
            if qa.iter().chain(qb).any(|x| x.is_nan()) {
                return f64::NAN;
            }
        }
        largest
    }

    fn energy(&mut self, x: &State) -> Energy {
        let p = &mut self.slots[Slot::Midpoint as usize];
        p.ready = false;
        p.kin.set_positions(&self.model, &x.q, &self.mocap);
        p.kin.set_velocities(&self.model, &x.v);
        let mut e = Energy {
            kinetic: Dynamics::kinetic_energy(&self.model, &p.kin),
            potential: Dynamics::gravity_energy(&self.model, &p.kin, &self.model.gravity),
            contact: 0.0,
        };
        e.kinetic += self.model.dofs.iter().zip(&x.v).map(|(d, v)| 0.5 * d.armature * v * v).sum::<f64>();
        self.reach.fill(0.0);
        if self.switches.contact && self.collision.find(&p.kin, &self.reach, &mut self.found).is_ok() {
            e.contact = self.found.iter().map(|c| 0.5 * c.material.stiffness * c.gap.min(0.0).powi(2)).sum();
        }
        if self.switches.springs {
            for j in self.model.joints.iter().filter(|j| j.stiffness > 0.0 && j.kind.nv() == 1) {
                e.potential += 0.5 * j.stiffness * (x.q[j.q] - j.spring_reference).powi(2);
            }
        }
        e
    }
}
