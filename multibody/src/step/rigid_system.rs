use signorini_core::na::Vector3;
use signorini_core::{
    Energy, FrozenProblem, HeldInputs, LawPool, ProblemError, Slot, State, StepProblem, StepSolution, System,
    check_count, check_finite, largest,
};
use signorini_scene::{Keyframe, Pose, Scene, Switches};

use crate::actuation::inputs::Inputs;
use crate::contact::collision::{CollidingPair, Collision, FoundContact};
use crate::contact::contact_model;
use crate::contact::motion::Motion;
use crate::dynamics::reference_mass::ReferenceMass;
use crate::step::closure::Closure;
use crate::step::pools::CONTACT;
use crate::step::prepared::Prepared;
use crate::{ContactModel, Dynamics, Kinematics, Model, ModelError, RigidLaws, TendonState};

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
    /// How far an error-controlled step may leave near-rigid equalities open, unless it found them further open \[m or rad\]; infinite: equalities are not looked at.
    pub equality_tolerance: f64,
    /// Actuators, tendon springs, dry friction and equalities are solved before contacts and enter A and v* of the problem, rather than
    /// being laws of it: what explicit solvers need. Where contacts push a motor or dry friction over its limits, or back from them, the problem asks for
    /// another solve ([`StepProblem::relag`]): joints and contacts by turns, up to four times; from then on limits are kept and laws that reached theirs stay
    /// there for the rest of the step. Limits hold to a thousandth.
    pub joints_first: bool,
}

impl Default for RigidOptions {
    fn default() -> Self {
        Self { speculative: true, equality_tolerance: 5e-5, joints_first: false }
    }
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
    pub(crate) model: Model,
    pub(crate) collision: Collision,
    switches: Switches,
    pub(crate) options: RigidOptions,
    /// Surface velocity of each geom, body axes \[m/s\].
    pub(crate) surface_velocity: Vec<Vector3<f64>>,
    stiction_speed: f64,
    pub(crate) slots: [Prepared; 2],
    dynamics: Dynamics,
    pub(crate) found: Vec<FoundContact>,
    motion: Motion,
    mocap: Vec<Pose>,
    applied: Vec<f64>,
    pub(crate) control: Vec<f64>,
    pub(crate) force_field: Option<ForceField>,
    pub(crate) contact_model: Option<ContactModel>,
    reference: ReferenceMass,
    closure: Closure,
    error_weights: Vec<f64>,
}

/// The inputs of a preparation, borrowed field by field so that slots stay free.
macro_rules! inputs {
    ($s:expr) => {
        Inputs {
            model: &$s.model,
            mocap: &$s.mocap,
            applied: &$s.applied,
            control: &$s.control,
            surface_velocity: &$s.surface_velocity,
            stiction_speed: $s.stiction_speed,
            reference: &$s.reference,
            limits: $s.switches.limits,
            actuation: $s.switches.actuation,
        }
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
        let collision = Collision::new(scene, &model, laws.steepest);
        if let Some(message) = collision.unsupported() {
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
        let slot = || Prepared::new(&model, laws, options.joints_first).map_err(internal);
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
            motion: Motion::new(&model),
            mocap: model.mocap_poses.clone(),
            applied: vec![0.0; model.nv()],
            control: vec![0.0; scene.actuators.len()],
            force_field: None,
            contact_model: None,
            reference: ReferenceMass::new(&model),
            closure: Closure::new(&model),
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
        self.collision.pairs()
    }

    /// One of [`RigidSystem::contact_pairs`] for every two kinds of geoms, by surface and masks, and all explicit pairs: few, however many geoms there are.
    pub fn kinds_of_pairs(&self) -> Vec<CollidingPair> {
        self.collision.kinds_of_pairs()
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
        self.slots.iter_mut().for_each(Prepared::forget_joints);
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
        self.motion.rest();
        self.collision.find(&p.kin, &self.model, &mut self.motion, &mut self.found)?;
        let deepest = self.found.iter().min_by(|a, b| a.point.gap.total_cmp(&b.point.gap));
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
        if self.switches.contact {
            self.collision.find(&p.kin, &self.model, &mut self.motion, &mut self.found)?;
        }
        Ok(self.found.len())
    }

    /// [`System::energy`] at a state whose kinematics and tendons are known already.
    pub fn energy_at(&mut self, kin: &Kinematics, tendons: &TendonState, x: &State) -> Energy {
        energy(
            (&self.model, kin, tendons),
            x,
            (self.switches.contact, &mut self.collision, &mut self.motion, &mut self.found),
        )
    }

    /// Rows per contact.
    pub fn contact_dim(&self) -> usize {
        self.slots[0].problem.pools().members()[CONTACT].dim()
    }

    /// Applied generalised forces \[N or N·m\], nv, held until set again.
    pub fn applied_force_mut(&mut self) -> &mut [f64] {
        &mut self.applied
    }

    /// Controls and mocap poses, as held now.
    pub fn held(&self) -> HeldInputs<'_> {
        HeldInputs { control: &self.control, mocap: &self.mocap }
    }

    /// Controls, applied forces and mocap poses for writing.
    pub(crate) fn inputs_mut(&mut self) -> (&mut [f64], &mut [f64], &mut [Pose]) {
        self.slots.iter_mut().for_each(Prepared::forget_joints);
        (&mut self.control, &mut self.applied, &mut self.mocap)
    }

    /// Forces that depend on time or state, evaluated once per step (time halfway, state at its start); None removes them.
    pub fn set_force_field(&mut self, field: Option<ForceField>) {
        self.force_field = field;
    }

    /// Parameters of contacts by a function of one's own; None gives those of the scene back. A parameter out of range fails the step
    /// with [`ProblemError::Material`]. The contact part of [`System::energy`] keeps the stiffness of the scene.
    pub fn set_contact_model(&mut self, model: Option<ContactModel>) {
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

impl System for RigidSystem {
    fn sizes(&self) -> [usize; 3] {
        [self.model.nq, self.model.nv(), self.model.nz]
    }

    fn prepare(&mut self, slot: Slot, x0: &State, horizon: f64) -> Result<(), ProblemError> {
        let sizes = self.sizes();
        for (what, expected, found) in
            [("q", sizes[0], x0.q.len()), ("v", sizes[1], x0.v.len()), ("z", sizes[2], x0.z.len())]
        {
            check_count(what, expected, found)?;
        }
        x0.check_finite()?;
        check_finite("control", &self.control)?;
        check_finite("applied force", &self.applied)?;
        let p = &mut self.slots[slot as usize];
        p.ready = false;
        let inputs = inputs!(self);
        p.set_dynamics(&inputs, &mut self.dynamics, x0)?;
        p.set_joint_rows(&inputs, x0);
        self.found.clear();
        if self.switches.contact {
            self.motion.rest();
            if self.options.speculative {
                p.look_ahead(&inputs, horizon)?;
                self.motion.over(horizon, (&p.kin, &p.drive), &self.model);
            }
            self.collision.find(&p.kin, &self.model, &mut self.motion, &mut self.found)?;
        }
        p.set_contacts(&inputs, &self.found, &x0.v);
        if let Some(model) = &mut self.contact_model {
            let rows = p.problem.pools().members()[CONTACT].dim();
            contact_model::rewrite(model, p.problem.contacts(), &mut p.contact_seeds, rows)?;
        }
        p.set_rows(&inputs, x0, horizon);
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
            check_finite("force field", &p.field)?;
        }
        p.set_step(&inputs!(self), dt)?;
        Ok(p)
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
        x1.q.clone_from(&x0.q);
        x1.z.clone_from(&x0.z);
        self.model.integrate(&x0.q, s.position_velocity(), dt, &mut x1.q);
        x1.v.clone_from(&s.v);
        self.model.advance_activations(&x0.z, &self.control, dt, &mut x1.z);
        self.slots[slot as usize].store_memory(dt, &mut x1.memory);
        Ok(())
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

    fn defect(&mut self, x0: &State, x1: &State) -> f64 {
        let tolerance = self.options.equality_tolerance;
        if !self.closure.is_needed(&self.model) || tolerance.is_infinite() {
            return 0.0;
        }
        let mut opening = |x: &State| self.closure.opening(&self.model, &x.q, &self.mocap);
        let (before, after) = (opening(x0), opening(x1));
        // What comes back from a violated start is left alone; near-rigid springs soften with δt², so that a shorter step closes a loaded loop.
        if after <= before { 0.0 } else { after / tolerance }
    }

    fn velocity_name(&self, i: usize) -> String {
        self.model.velocity_name(i)
    }

    fn energy(&mut self, x: &State) -> Energy {
        let p = &mut self.slots[Slot::Midpoint as usize];
        p.ready = false;
        p.set_kinematics(&self.model, &self.mocap, x);
        energy(
            (&self.model, &p.kin, &p.tendons),
            x,
            (self.switches.contact, &mut self.collision, &mut self.motion, &mut self.found),
        )
    }
}

/// Energies at a state whose kinematics and tendons are known; contacts are looked for.
fn energy(
    (model, kin, tendons): (&Model, &Kinematics, &TendonState),
    x: &State,
    (contact, collision, motion, found): (bool, &mut Collision, &mut Motion, &mut Vec<FoundContact>),
) -> Energy {
    let armature = model.dofs.iter().zip(&x.v).map(|(d, v)| 0.5 * d.armature * v * v).sum::<f64>();
    let mut e = Energy {
        kinetic: Dynamics::kinetic_energy(model, kin) + armature,
        potential: Dynamics::gravity_energy(model, kin, &model.gravity) + model.spring_energy(&x.q, tendons),
        contact: 0.0,
    };
    motion.rest();
    if contact && collision.find(kin, model, motion, found).is_ok() {
        let elastic = |c: &FoundContact| 0.5 * c.material.stiffness * c.gap.min(0.0).powi(2);
        e.contact = found.iter().map(elastic).sum();
    }
    e
}
