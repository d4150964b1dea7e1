use signorini_core::{ProblemError, State, StepProblem, StepSolution, check_finite};

use crate::actuation::drive::Drive;
use crate::actuation::free_motion::FreeMotion;
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::contact::found::FoundContact;
use crate::contact::resting::Resting;
use crate::step::flight::Flight;
use crate::step::force_field::ForceField;
use crate::step::limit_rows::Outlook;
use crate::step::rigid_problem::RigidProblem;
use crate::{Dynamics, Model, RigidLaws, RigidOptions};

/// A prepared state: all that does not depend on the step size, and the problem that is refilled for each.
pub(crate) struct Prepared {
    pub ready: bool,
    pub at: StateKinematics,
    pub motion: FreeMotion,
    /// Changes of velocity by motors, springs and applied forces within the step.
    pub drive: Drive,
    pub flight: Flight,
    /// Trees that contacts were looked for near alone, and the longest step that they were looked for.
    pub resting: Resting,
    pub horizon: f64,
    /// Geoms that passed through each other in the last step from here.
    pub crossed: Option<[u32; 2]>,
    pub problem: RigidProblem,
}

impl Prepared {
    pub(crate) fn new(model: &Model, laws: &RigidLaws, options: &RigidOptions) -> Result<Self, ProblemError> {
        let motion = FreeMotion::new(model)?;
        Ok(Self {
            ready: false,
            at: StateKinematics::new(model),
            drive: Drive::new(model, &motion.mass),
            flight: Flight::default(),
            resting: Resting::default(),
            horizon: 0.0,
            crossed: None,
            problem: RigidProblem::new(model, laws, &motion, options)?,
            motion,
        })
    }

    /// Kinematics, mass matrix, bias and explicit forces, and rows of joints that are solved before contacts.
    pub(crate) fn set_dynamics(
        &mut self,
        i: &Inputs<'_>,
        dynamics: &mut Dynamics,
        x0: &State,
    ) -> Result<(), ProblemError> {
        self.at.set(i.model, &i.held.mocap, x0);
        self.motion.set(i, &self.at, dynamics, self.problem.weighs_by_mass())?;
        if let RigidProblem::JointsFirst(p) = &mut self.problem {
            p.set_rows(i, &self.at, &self.motion);
        }
        Ok(())
    }

    /// Controls may have changed since joints were solved.
    pub(crate) fn forget_joints(&mut self) {
        if let RigidProblem::JointsFirst(p) = &mut self.problem {
            p.forget();
        }
    }

    /// Forces of a field halfway through a step of `dt` \[s\]; none without one.
    pub(crate) fn set_field(
        &mut self,
        model: &Model,
        dt: f64,
        field: &mut Option<ForceField>,
    ) -> Result<(), ProblemError> {
        let (at, force) = (&self.at, &mut self.motion.field);
        force.fill(0.0);
        let Some(field) = field else { return Ok(()) };
        field(model, &at.kin, &at.x0, at.x0.t + 0.5 * dt, force);
        check_finite("force field", force)
    }

    /// Looks ahead to the drive of the bodies over a step of `horizon` \[s\], forces of a field among it.
    pub(crate) fn look_ahead(
        &mut self,
        i: &Inputs<'_>,
        horizon: f64,
        field: &mut Option<ForceField>,
    ) -> Result<(), ProblemError> {
        let moves = horizon > 0.0 && horizon.is_finite();
        match moves {
            true => self.set_field(i.model, horizon, field)?,
            false => self.motion.field.fill(0.0),
        }
        let Self { at, motion, drive, problem, .. } = self;
        if drive.begin(i, &motion.field).is_idle() || !moves {
            return Ok(());
        }
        match problem {
            RigidProblem::Together(_) => drive.predict(i, at, motion, horizon),
            RigidProblem::JointsFirst(p) => {
                p.look_ahead(i, at, motion, horizon, drive);
                Ok(())
            }
        }
    }

    /// w of the bodies that fly where `s` solves the problem of `dt`, nv, or empty.
    pub(crate) fn lag(&self, dt: f64, s: &StepSolution) -> &[f64] {
        let frozen = &self.problem.contacts().frozen;
        let solves = self.ready && frozen.dt() == dt && s.gamma.len() == frozen.pools().row_count();
        if solves { self.flight.lag() } else { &[] }
    }

    /// Rows of contacts.
    pub(crate) fn set_contacts(&mut self, i: &Inputs<'_>, found: &[FoundContact]) {
        match &mut self.problem {
            RigidProblem::Together(p) => p.contacts.set_contacts(i, &self.at, found, Some(&self.motion.mass)),
            RigidProblem::JointsFirst(p) => p.contacts.set_contacts(i, &self.at, found, None),
        }
    }

    /// Rows of limits, and of joints that are solved with contacts.
    pub(crate) fn set_rows(&mut self, i: &Inputs<'_>, horizon: f64) {
        let (at, mass) = (&self.at, &self.motion.mass);
        let outlook = Outlook { change: &self.drive.change, horizon };
        match &mut self.problem {
            RigidProblem::Together(p) => {
                let map = p.contacts.frozen.parts_mut().map;
                p.contacts.limits.set(i, at, outlook, Some(mass), map);
                p.rows.set(i, at, mass, map);
            }
            RigidProblem::JointsFirst(p) => {
                let map = p.contacts.frozen.parts_mut().map;
                p.contacts.limits.set(i, at, outlook, None, map);
            }
        }
    }

    /// A, v* and the laws for a step size.
    pub(crate) fn set_step(&mut self, i: &Inputs<'_>, dt: f64) -> Result<(), ProblemError> {
        self.problem.contacts_mut().set_dt(dt);
        self.problem.set_joints(i, &self.at, &self.motion, dt)?;
        let contacts = self.problem.contacts_mut();
        let x0 = &self.at.x0;
        self.flight.set_step(i, &x0.q, [contacts.frozen.free_velocity(), &x0.v]);
        contacts.set_gaps(dt, &self.flight);
        self.problem.set_laws();
        let contacts = self.problem.contacts_mut();
        contacts.recall(&self.at, dt);
        contacts.frozen.finish(dt)
    }
}
