use signorini_core::{GeneralizedImpulses, ProblemError, StepProblem, StepSolution};

use crate::actuation::free_motion::FreeMotion;
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::step::contact_problem::ContactProblem;
use crate::step::joint_rows::JointRows;
use crate::step::joint_solve::JointSolve;
use crate::step::joints_first::JointsFirst;
use crate::step::pools::GAIN;
use crate::{Model, RigidLaws, RigidOptions};

/// The step problem of a prepared state, refilled for each step size.
pub(crate) enum RigidProblem {
    /// Joints and contacts are laws of one problem.
    Together(Box<Together>),
    /// Joints are solved before contacts.
    JointsFirst(Box<JointsFirst>),
}

/// A problem with rows of joints behind those of contacts and limits.
pub(crate) struct Together {
    pub contacts: ContactProblem,
    pub rows: JointRows,
}

impl RigidProblem {
    pub(crate) fn new(
        model: &Model,
        laws: &RigidLaws,
        motion: &FreeMotion,
        options: &RigidOptions,
    ) -> Result<Self, ProblemError> {
        let (contacts, rows) =
            (ContactProblem::new(model, laws, options, &motion.mass)?, JointRows::new(model));
        Ok(match options.joints_first {
            None => Self::Together(Box::new(Together { contacts, rows })),
            Some(solver) => {
                let joints = JointSolve::new(
                    &motion.mass,
                    motion.constant_inertia(model),
                    options.equality_law(),
                    solver(),
                )?;
                Self::JointsFirst(Box::new(JointsFirst::new(model, contacts, rows, joints)))
            }
        })
    }

    /// For a solver.
    pub(crate) fn step_problem(&mut self) -> &mut dyn StepProblem {
        match self {
            Self::Together(p) => &mut p.contacts.frozen,
            Self::JointsFirst(p) => p.as_mut(),
        }
    }

    /// Contacts and limits.
    pub(crate) fn contacts(&self) -> &ContactProblem {
        match self {
            Self::Together(p) => &p.contacts,
            Self::JointsFirst(p) => &p.contacts,
        }
    }

    /// Contacts and limits, for writing.
    pub(crate) fn contacts_mut(&mut self) -> &mut ContactProblem {
        match self {
            Self::Together(p) => &mut p.contacts,
            Self::JointsFirst(p) => &mut p.contacts,
        }
    }

    /// Some rows are weighed by M, which has to be factored.
    pub(crate) fn weighs_by_mass(&self) -> bool {
        match self {
            Self::Together(_) => true,
            Self::JointsFirst(p) => p.weighs_by_mass(),
        }
    }

    /// A, v* and the laws of joints for a step size.
    pub(crate) fn set_joints(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        dt: f64,
    ) -> Result<(), ProblemError> {
        match self {
            Self::Together(p) => p.set_joints(i, at, motion, dt),
            Self::JointsFirst(p) => p.set_joints(i, at, motion, dt),
        }
    }

    /// Adds the impulses of motors and springs in a solution, those of all joints where they were solved first, to `out`.
    pub(crate) fn add_joint_impulses(
        &self,
        model: &Model,
        at: &StateKinematics,
        s: &StepSolution,
        out: &mut GeneralizedImpulses,
    ) {
        match self {
            Self::Together(p) => {
                let first = p.contacts.frozen.pools().span(GAIN).row;
                p.rows.add_gain_impulses(model, at, |k| s.gamma[first + k], out);
            }
            Self::JointsFirst(p) => p.add_joint_impulses(model, at, &s.v, out),
        }
    }

    /// The laws of contacts and limits for A and v* as they are.
    pub(crate) fn set_laws(&mut self) {
        match self {
            Self::Together(p) => p.contacts.set_laws(),
            Self::JointsFirst(p) => p.begin(),
        }
    }
}

impl Together {
    fn set_joints(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let parts = self.contacts.frozen.parts_mut();
        let blocks = &mut parts.inertia.blocks;
        let plain = motion.set_inertia(i.model, dt, [&mut *blocks]);
        motion.set_momentum(dt, parts.free_velocity);
        self.rows.set_seeds(i, at, dt);
        self.rows.fill_pools(parts.pools);
        parts.inertia.coupling.clear();
        // M is factored: rows are weighed by it.
        if plain {
            blocks.copy_factors(&motion.mass);
        } else {
            blocks.factor()?;
        }
        blocks.solve(parts.free_velocity);
        Ok(())
    }
}
