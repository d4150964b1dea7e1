use signorini_core::na::Vector3;
use signorini_core::{
    Energy, FrozenProblem, GeneralizedImpulses, HeldInputs, LawPool, ProblemError, Slot, State, StepProblem,
    StepSolution, System, check_count, check_finite, largest,
};
use signorini_scene::{Keyframe, Pose, Scene};

use crate::actuation::adhesion::add_adhesion;
use crate::actuation::gains::for_drives;
use crate::actuation::inputs::{Held, Inputs, Settings};
use crate::contact::collision::CollidingPair;
use crate::contact::contact_model;
use crate::contact::crossing::Crossing;
use crate::dynamics::free_bodies::FreeBodies;
use crate::dynamics::free_trees::FreeTrees;
use crate::dynamics::reference_mass::ReferenceMass;
use crate::step::advance;
use crate::step::closure::Closure;
use crate::step::contact_search::{ContactSearch, OwnMaterials};
use crate::step::force_field::ForceField;
use crate::step::impulses;
use crate::step::lost_rebound::LostRebound;
use crate::step::prepared::Prepared;
use crate::{
    ContactModel, Dynamics, Kinematics, Model, ModelError, PressureTriangle, RigidLaws, RigidOptions,
    SparseRow, TendonState,
};

/// Two geoms that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// The geoms.
    pub geoms: [usize; 2],
    /// Depth \[m\], > 0.
    pub depth: f64,
}

/// A scene in generalised coordinates under one contact law: the rigid [`System`].
///
/// ```text
/// A = M + δt D + δt² K,   A v* = M v₀ + δt (τ − c − K (q₀ − q_rest)),   v_c = J v + b          kurtz2025cenic, eq. (15)
/// ```
/// D and K are joint damping and stiffness; limits, dry friction, motors and equality constraints are laws beside the contacts.
pub struct RigidSystem {
    pub(crate) model: Model,
    pub(crate) options: RigidOptions,
    pub(crate) settings: Settings,
    pub(crate) held: Held,
    pub(crate) search: ContactSearch,
    pub(crate) slots: [Prepared; 2],
    dynamics: Dynamics,
    pub(crate) force_field: Option<ForceField>,
    pub(crate) contact_model: Option<ContactModel>,
    closure: Closure,
    rebounds: LostRebound,
    crossing: Crossing,
    /// Trees that move freely where nothing touches them.
    pub(crate) free_trees: FreeTrees,
    error_weights: Vec<f64>,
}

/// The inputs of a preparation, borrowed field by field so that slots stay free.
macro_rules! inputs {
    ($s:expr) => {
        Inputs { model: &$s.model, held: &$s.held, settings: &$s.settings }
    };
}

impl RigidSystem {
    /// Builds the system; `contact` decides the law.
    ///
    /// # Errors
    /// [`ModelError`]; pairs of shapes that have no contact query.
    pub fn new(scene: &Scene, contact: &dyn LawPool, options: RigidOptions) -> Result<Self, ModelError> {
        Self::with_laws(scene, &RigidLaws::new(contact), options)
    }

    /// Builds the system with laws of contacts and limits.
    ///
    /// # Errors
    /// [`ModelError`]; pairs of shapes that have no contact query; laws for other constraints.
    pub fn with_laws(scene: &Scene, laws: &RigidLaws, options: RigidOptions) -> Result<Self, ModelError> {
        laws.check()?;
        let model = Model::new(scene)?;
        let reference = ReferenceMass::new(&model);
        let free_bodies = match options.carries_momentum {
            true => FreeBodies::of(&model),
            false => FreeBodies::default(),
        };
        let search = ContactSearch::new(scene, &model, laws, &reference, &free_bodies, options.area_moments)?;
        if let Some(message) = search.collision.unsupported() {
            return Err(ModelError::Element {
                place: Box::default(),
                message,
                remedy: "exclude the pair or use other shapes".into(),
            });
        }
        let internal = |e: ProblemError| ModelError::Element {
            place: Box::default(),
            message: e.to_string(),
            remedy: "check masses and joints of the scene".into(),
        };
        let slot = || Prepared::new(&model, laws, &options).map_err(internal);
        let slots = [slot()?, slot()?];
        let switches = scene.options.switches;
        let surface = scene.geoms.iter().map(|g| g.pose.rotation * Vector3::from(g.surface.velocity));
        let settings = Settings {
            surface_velocity: surface.collect(),
            stiction_speed: scene.options.contact.stiction_speed,
            constraints: scene.options.constraints,
            reference,
            free_bodies,
            limits: switches.limits,
            actuation: switches.actuation,
            contact: switches.contact,
        };
        let held = Held {
            mocap: model.mocap_poses.clone(),
            applied: vec![0.0; model.nv()],
            control: vec![0.0; scene.actuators.len()],
        };
        let inputs = Inputs { model: &model, held: &held, settings: &settings };
        let rebounds = LostRebound::new(&inputs, &search, options.speculative);
        let crossing = Crossing::new(&model, search.collision.colliders());
        let pairs = || search.collision.pairs().map(|p| p.geoms);
        let free_trees = match options.carries_momentum {
            true => FreeTrees::of(
                &model,
                &settings.reference,
                &settings.free_bodies,
                settings.stiction_speed,
                pairs(),
            ),
            false => FreeTrees::none(&model),
        };
        Ok(Self {
            options,
            free_trees,
            settings,
            held,
            search,
            slots,
            dynamics: Dynamics::new(&model),
            force_field: None,
            contact_model: None,
            closure: Closure::new(&model),
            rebounds,
            crossing,
            error_weights: vec![1.0; model.nq],
            model,
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Pairs of geoms that may collide, with their combined material.
    pub fn contact_pairs(&self) -> impl Iterator<Item = CollidingPair> {
        self.search.collision.pairs()
    }

    /// One of [`RigidSystem::contact_pairs`] for every two kinds of geoms, by surface and masks, and all explicit pairs: few, however many geoms there are.
    pub fn kinds_of_pairs(&self) -> Vec<CollidingPair> {
        self.search.collision.kinds_of_pairs()
    }

    /// The state of a keyframe, or the reference configuration at rest; takes over the keyframe's controls and mocap poses.
    ///
    /// # Errors
    /// A keyframe that does not fit the model.
    pub fn initial_state(&mut self, key: Option<&Keyframe>) -> Result<State, ModelError> {
        let x = self.model.state_at(key, self.sizes()[2])?;
        if let Some(k) = key {
            if !k.control.is_empty() {
                self.held.control.copy_from_slice(&k.control);
            }
            if !k.mocap.is_empty() {
                self.held.mocap.copy_from_slice(&k.mocap);
            }
        }
        Ok(x)
    }

    /// Controls, one per actuator, held until set again.
    pub fn control(&self) -> &[f64] {
        &self.held.control
    }

    /// Controls for writing.
    pub fn control_mut(&mut self) -> &mut [f64] {
        self.slots.iter_mut().for_each(Prepared::forget_joints);
        &mut self.held.control
    }

    /// The deepest contact at a state; None when nothing touches.
    ///
    /// # Errors
    /// Pairs of shapes without a contact query.
    pub fn deepest_penetration(&mut self, x: &State) -> Result<Option<Penetration>, ProblemError> {
        let p = &mut self.slots[Slot::Midpoint as usize];
        p.ready = false;
        p.at.kin.set_positions(&self.model, &x.q, &self.held.mocap);
        self.search.rest();
        self.search.find(&self.model, &p.at.kin)?;
        let deepest = self.search.found.iter().min_by(|a, b| a.point.gap.total_cmp(&b.point.gap));
        Ok(deepest.filter(|c| c.point.gap < 0.0).map(|c| Penetration { geoms: c.geoms, depth: -c.point.gap }))
    }

    /// Repeats the contact queries of the last [`System::prepare`], which alone may come before, to take their time: the number of contacts found.
    ///
    /// # Errors
    /// As there.
    pub fn repeat_contact_queries(&mut self, slot: Slot) -> Result<usize, ProblemError> {
        let p = &self.slots[slot as usize];
        if !p.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        if self.settings.contact {
            self.search.find(&self.model, &p.at.kin)?;
        }
        Ok(self.search.found.len())
    }

    /// [`System::energy`] at a state whose kinematics and tendons are known already.
    pub fn energy_at(&mut self, kin: &Kinematics, tendons: &TendonState, x: &State) -> Energy {
        let contact =
            contact_energy(&mut self.search, &self.model, &self.settings, kin, self.contact_model.as_mut());
        Energy { contact, ..energy(&self.model, kin, tendons, x) }
    }

    /// Keeps the surfaces over which geoms meet at each state whose energy is asked for from now on, for [`Self::surfaces`].
    pub fn keep_surfaces(&mut self) {
        self.search.collision.keep_surfaces();
    }

    /// Surfaces over which geoms meet at the last state whose energy was asked for, pair by pair; empty before [`Self::keep_surfaces`].
    pub fn surfaces(&self) -> &[PressureTriangle] {
        self.search.collision.surfaces()
    }

    /// Coordinates and velocities of the bodies after a step of `dt` \[s\] from `x0` with a solution, into `x1`: as [`System::commit`], which checks them. `slot` still holds the problem that was solved, or
    /// trees of joints move as where something acts on them.
    pub fn advance_bodies(&self, slot: Slot, x0: &State, dt: f64, s: &StepSolution, x1: &mut State) {
        let (i, p) = (inputs!(self), &self.slots[slot as usize]);
        advance::bodies(&i, p, x0, dt, s, x1);
        let mut free = self.free_trees.clone();
        advance::free_trees(&i, p, (&mut free, slot), dt, s, x1);
    }

    /// Impulses that this system does not know of act on its bodies: none flies, and no tree follows a flow of its own from now on.
    pub fn expect_other_impulses(&mut self) {
        self.settings.free_bodies.ground();
        self.search.motion.ground();
        self.free_trees = FreeTrees::none(&self.model);
    }

    /// Rows per contact.
    pub fn contact_dim(&self) -> usize {
        self.slots[0].problem.contacts().dim()
    }

    /// [`System::prepare`], with contacts about trees at rest looked for near them alone where `near` allows it.
    fn prepare_with(&mut self, slot: Slot, x0: &State, horizon: f64, near: bool) -> Result<(), ProblemError> {
        let sizes = self.sizes();
        for (what, expected, found) in
            [("q", sizes[0], x0.q.len()), ("v", sizes[1], x0.v.len()), ("z", sizes[2], x0.z.len())]
        {
            check_count(what, expected, found)?;
        }
        x0.check_finite()?;
        check_finite("control", &self.held.control)?;
        check_finite("applied force", &self.held.applied)?;
        let p = &mut self.slots[slot as usize];
        p.ready = false;
        let inputs = inputs!(self);
        p.set_dynamics(&inputs, &mut self.dynamics, x0)?;
        p.horizon = horizon;
        p.resting.none();
        if self.settings.contact && self.options.speculative {
            p.look_ahead(&inputs, horizon, &mut self.force_field)?;
            let motion = &self.search.motion;
            if near && !motion.rests_open() {
                let (model, crossing) = (&self.model, &self.crossing);
                let way = |t: usize| horizon * crossing.speed(model, t, |i| x0.v[i]);
                let ways = (0..model.trees.len()).map(|t| (way(t), p.drive.trees[t]));
                p.resting.begin(motion.fall_in(horizon), ways);
            }
        }
        self.find_contacts(slot)
    }

    /// Contacts of a slot whose dynamics are known, and the rows of its problem.
    fn find_contacts(&mut self, slot: Slot) -> Result<(), ProblemError> {
        let p = &mut self.slots[slot as usize];
        p.ready = false;
        let inputs = inputs!(self);
        self.search.found.clear();
        if self.settings.contact {
            self.search.rest();
            if self.options.speculative {
                self.search.look_ahead(&p.at.kin, &p.drive, p.horizon, &p.resting);
            }
            self.search.find(&self.model, &p.at.kin)?;
        }
        p.flight.begin(&inputs, self.settings.contact.then(|| self.search.motion.flies()));
        p.set_contacts(&inputs, &self.search.found);
        if let Some(model) = &mut self.contact_model {
            let contacts = p.problem.contacts_mut();
            let rows = contacts.dim();
            contact_model::rewrite(model, contacts.frozen.contacts(), &mut contacts.seeds, rows)?;
        }
        p.set_rows(&inputs, p.horizon);
        p.ready = true;
        Ok(())
    }

    /// Looks for geoms that passed through each other in a step to `x1`, unless bodies are left to pass: without a look ahead.
    fn find_crossing(&mut self, slot: Slot, dt: f64, s: &StepSolution, x1: &State) {
        let Self { model, crossing, search, held, .. } = self;
        let p = &mut self.slots[slot as usize];
        p.crossed = None;
        let frozen = &p.problem.contacts().frozen;
        let looks = self.settings.contact && self.options.speculative && frozen.dt() == dt;
        if looks && crossing.may_happen(model, dt, s, frozen.free_velocity()) {
            let found = crossing.find(&search.collision, model, &p.at.kin, &x1.q, &held.mocap);
            p.crossed = found.map(|geoms| geoms.map(|g| g as u32));
        }
    }

    /// [`System::further_error`] of bodies that fly in both halves of a step of `dt`.
    fn bend_of_flights(&self, dt: f64) -> f64 {
        let [first, second] = self.slots.each_ref().map(|p| &p.flight);
        let meets = first.bodies().iter().filter(|b| self.search.collision.has(**b));
        largest(meets.filter_map(|b| {
            let lag = first.lag_of(*b)? + second.lag_of(*b)?;
            let [q, _] = self.settings.free_bodies.first(*b)?;
            Some(0.5 * dt * largest((0..3).map(|i| self.error_weights[q + i] * lag[i].abs())))
        }))
    }

    /// Applied generalised forces \[N or N·m\], nv, held until set again.
    pub fn applied_force_mut(&mut self) -> &mut [f64] {
        &mut self.held.applied
    }

    /// Controls and mocap poses, as held now.
    pub fn held(&self) -> HeldInputs<'_> {
        HeldInputs { control: &self.held.control, mocap: &self.held.mocap }
    }

    /// Controls, applied forces and mocap poses for writing.
    pub(crate) fn inputs_mut(&mut self) -> (&mut [f64], &mut [f64], &mut [Pose]) {
        self.slots.iter_mut().for_each(Prepared::forget_joints);
        (&mut self.held.control, &mut self.held.applied, &mut self.held.mocap)
    }

    /// Forces that depend on time or state, evaluated once per step (time halfway, state at its start); None removes them.
    pub fn set_force_field(&mut self, field: Option<ForceField>) {
        self.force_field = field;
    }

    /// Parameters of contacts by a function of one's own; None gives those of the scene back. A parameter out of range fails the step
    /// with [`ProblemError::Material`]. The contact part of [`System::energy`] keeps the stiffness of the scene.
    pub fn set_contact_model(&mut self, model: Option<ContactModel>) {
        if model.is_some() {
            self.rebounds.expect_any();
        }
        self.contact_model = model;
        self.slots.iter_mut().for_each(|s| s.ready = false);
    }

    /// Weights of the position coordinates in the norm that error control bounds, nq, each ≥ 0; ones at first. With weight w the error of a
    /// coordinate in one step stays below accuracy/w.
    ///
    /// # Errors
    /// [`ProblemError::Shape`], [`ProblemError::NonFinite`] for weights that are negative or not finite.
    pub fn set_error_weights(&mut self, weights: &[f64]) -> Result<(), ProblemError> {
        let (expected, found) = (self.model.nq, weights.len());
        check_count("error weights", expected, found)?;
        if let Some(index) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            return Err(ProblemError::NonFinite { what: "error weights (negative or not finite)", index });
        }
        self.error_weights.copy_from_slice(weights);
        Ok(())
    }

    /// Poses of the mocap bodies, held until set again.
    pub fn mocap_poses_mut(&mut self) -> &mut [Pose] {
        &mut self.held.mocap
    }

    /// Calls `f(row, K)` for the motors and tendon springs of a prepared slot: K \[N·s/m or N·m·s\] is how much their force falls with the speed of the row in a step of `dt` \[s\], that of a spring k with a damper d being d + δt k; 0 for motors that are at a limit of their force.
    pub fn drive_gains(&self, slot: Slot, dt: f64, mut f: impl FnMut(SparseRow<'_>, f64)) {
        for_drives(&inputs!(self), &self.slots[slot as usize].at, dt, |row, _, gain| f(row, gain));
    }

    /// Stiffness and damping that the step from a prepared slot is implicit in, by degree of freedom \[N/m or N·m/rad, and by s\].
    pub fn passive_slopes(&self, slot: Slot) -> &[[f64; 2]] {
        &self.slots[slot as usize].motion.slopes
    }

    /// Kinematics of a prepared slot.
    pub fn kinematics(&self, slot: Slot) -> &Kinematics {
        &self.slots[slot as usize].at.kin
    }

    /// The problem of a slot, as last built.
    pub fn frozen_problem(&self, slot: Slot) -> &FrozenProblem {
        &self.slots[slot as usize].problem.contacts().frozen
    }
}

impl System for RigidSystem {
    fn sizes(&self) -> [usize; 3] {
        [self.model.nq, self.model.nv(), self.model.nz]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.prepare_with(slot, x0, horizon, false)
    }

    fn prepare_near(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        self.prepare_with(slot, x0, horizon, true)
    }

    fn look_farther(&mut self, slot: Slot, dt: f64, s: &StepSolution) -> Result<bool, ProblemError> {
        let p = &mut self.slots[slot as usize];
        if !p.resting.any() {
            return Ok(false);
        }
        let (model, crossing) = (&self.model, &self.crossing);
        let (v, lag) = (s.position_velocity(), p.flight.lag());
        let speed = |i: usize| v[i] - lag.get(i).copied().unwrap_or(0.0);
        let ways = (0..model.trees.len()).map(|t| dt * crossing.speed(model, t, speed));
        if !p.resting.wake(ways) {
            return Ok(false);
        }
        self.find_contacts(slot)?;
        Ok(true)
    }

    fn problem(&mut self, slot: Slot, dt: f64) -> Result<&mut dyn StepProblem, ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        let p = &mut self.slots[slot as usize];
        if !p.ready {
            return Err(ProblemError::NotPrepared { slot });
        }
        p.set_field(&self.model, dt, &mut self.force_field)?;
        let (at, force) = (&p.at, &mut p.motion.field);
        add_adhesion(&inputs!(self), at, p.problem.contacts().frozen.contacts(), dt, force);
        p.set_step(&inputs!(self), dt)?;
        Ok(p.problem.step_problem())
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
        check_finite("position velocity", &s.v_position)?;
        for (what, found) in [("solution", s.v.len()), ("position velocity", s.position_velocity().len())] {
            let expected = self.model.nv();
            check_count(what, expected, found)?;
        }
        x1.t = x0.t + dt;
        x1.z.clone_from(&x0.z);
        let (i, p) = (inputs!(self), &self.slots[slot as usize]);
        advance::bodies(&i, p, x0, dt, s, x1);
        advance::free_trees(&i, p, (&mut self.free_trees, slot), dt, s, x1);
        self.find_crossing(slot, dt, s, x1);
        self.model.advance_activations(&x0.z, &self.held.control, dt, &mut x1.z);
        self.slots[slot as usize].problem.contacts().store_memory(dt, &mut x1.memory);
        Ok(())
    }

    fn add_impulses(&self, slot: Slot, dt: f64, s: &StepSolution, out: &mut GeneralizedImpulses) -> bool {
        impulses::add(&inputs!(self), &self.slots[slot as usize], (&self.free_trees, slot), dt, s, out)
    }

    fn limit_impulses(&self, slot: Slot, dt: f64, s: &StepSolution, out: &mut [f64]) -> bool {
        impulses::of_limits(&self.slots[slot as usize], dt, s, out)
    }

    /// Largest weighted difference of a position coordinate: kurtz2025cenic, eq. (23) with S = diag of [`RigidSystem::set_error_weights`].
    ///
    /// Coordinates are metres and radians; of a rotation by a small angle the quaternion components differ by up to half of it. Quaternions are
    /// compared up to their sign. NaN when a coordinate is.
    fn distance(&self, a: &State, b: &State) -> f64 {
        use signorini_scene::JointKind::{Ball, Free, Hinge, Slide};
        let of_joint = |j: &crate::JointModel| {
            let plain = match j.kind {
                Free => 3,
                Ball => 0,
                Hinge | Slide => 1,
            };
            let of = j.q..j.q + j.kind.nq();
            let (qa, qb, weights) = (&a.q[of.clone()], &b.q[of.clone()], &self.error_weights[of]);
            let far = |sign: f64, range: std::ops::Range<usize>| {
                let pairs = qa[range.clone()].iter().zip(&qb[range.clone()]).zip(&weights[range]);
                largest(pairs.map(|((x, y), w)| w * (x - sign * y).abs()))
            };
            let (same, opposite) = (far(1.0, plain..qa.len()), far(-1.0, plain..qa.len()));
            largest([far(1.0, 0..plain), if opposite < same { opposite } else { same }])
        };
        largest(self.model.joints.iter().map(of_joint))
    }

    fn defect(&mut self, x0: &State, x1: &State, accuracy: f64) -> f64 {
        let inputs = inputs!(self);
        self.rebounds.of_step(&inputs, &self.slots, &mut self.search, [x0, x1], accuracy)
    }

    fn meeting(&self, slot: Slot, dt: f64, s: &StepSolution) -> Option<f64> {
        let p = &self.slots[slot as usize];
        p.problem.contacts().meeting(dt, s)
    }

    fn crossed(&self, slot: Slot) -> Option<[u32; 2]> {
        self.slots[slot as usize].crossed
    }

    /// Openings of loops, and how far motion leaves straight lines: ¼ δt |v₁ − v₀| of trees and bodies that move freely and may meet something, the error of a step of order one.
    fn further_error(&mut self, x0: &State, full: &State, x1: &State) -> f64 {
        let quarter = 0.25 * (x1.t - x0.t);
        let bend = largest(self.free_trees.watched().map(|(dof, q, part)| {
            let weight = largest(self.error_weights[q].iter().copied());
            weight * part * quarter * (x1.v[dof] - x0.v[dof]).abs()
        }));
        let bend = largest([bend, self.bend_of_flights(x1.t - x0.t)]);
        let weight = self.options.equality_weight;
        if weight == 0.0 || !self.closure.is_needed(&self.model) {
            return bend;
        }
        let opening = self.closure.difference(&self.model, [&full.q, &x1.q], &self.held.mocap);
        largest([bend, weight * opening])
    }

    fn velocity_name(&self, i: usize) -> String {
        self.model.velocity_name(i)
    }

    fn energy(&mut self, x: &State) -> Energy {
        let p = &mut self.slots[Slot::Midpoint as usize];
        p.ready = false;
        p.at.set_bodies(&self.model, &self.held.mocap, x);
        let contact = contact_energy(
            &mut self.search,
            &self.model,
            &self.settings,
            &p.at.kin,
            self.contact_model.as_mut(),
        );
        Energy { contact, ..energy(&self.model, &p.at.kin, &p.at.tendons, x) }
    }
}

/// Energies but that of contacts, at a state whose kinematics and tendons are known.
fn energy(model: &Model, kin: &Kinematics, tendons: &TendonState, x: &State) -> Energy {
    Energy {
        kinetic: Dynamics::kinetic_energy(model, kin) + model.armature_energy(&x.v, tendons),
        potential: Dynamics::gravity_energy(model, kin, &model.gravity)
            + model.compensation_energy(kin)
            + model.spring_energy(&x.q, tendons)
            + model.equality_energy(&x.q, kin, tendons),
        contact: 0.0,
    }
}

/// Energy of contacts, with the materials that the function of a user's own sets \[J\].
fn contact_energy(
    search: &mut ContactSearch,
    model: &Model,
    settings: &Settings,
    kin: &Kinematics,
    own: Option<&mut ContactModel>,
) -> f64 {
    if !settings.contact {
        return 0.0;
    }
    let surface_velocity = &settings.surface_velocity;
    search.energy(model, kin, own.map(|model| OwnMaterials { model, surface_velocity }))
}
