use signorini_core::{
    Changed, ContactGeometry, ContactMap, Evals, FrozenMap, GeneralizedImpulses, Inertia, Pools,
    ProblemError, Regime, StepProblem, SweptProblem, Whitened,
};

use crate::Model;
use crate::actuation::drive::Drive;
use crate::actuation::free_motion::FreeMotion;
use crate::actuation::inputs::Inputs;
use crate::actuation::state_kinematics::StateKinematics;
use crate::step::contact_problem::{ContactProblem, as_heavy_all_around};
use crate::step::joint_rows::JointRows;
use crate::step::joint_solve::JointSolve;
use crate::step::pools::{CONTACT, LIMIT};
use crate::step::row_mass::LIGHTEST;

/// Rounds of joints and contacts in which each law may take any piece; afterwards laws that would exceed their limits are taken at the limit and stay there.
const ROUNDS: u32 = 4;

/// Contacts and limits behind joints that are solved before them: the problem of contacts on the inertia and the velocity that joints leave.
pub(crate) struct JointsFirst {
    pub contacts: ContactProblem,
    rows: JointRows,
    pub joints: JointSolve,
    /// Map of contacts and limits in coordinates in which the inertia is the identity.
    whitened: FrozenMap,
    /// Step size for which A and v* were found ahead.
    ahead: Option<f64>,
    /// Velocity of the last `relinearize`.
    v: Vec<f64>,
    /// Impulses of contacts and limits, nv, and multipliers of contacts that are kept while joints are solved again.
    load: Vec<f64>,
    kept: Vec<f64>,
    /// Number of times that joints were solved again in this step.
    rounds: u32,
    evals: Evals,
}

impl JointsFirst {
    pub(crate) fn new(model: &Model, contacts: ContactProblem, rows: JointRows, joints: JointSolve) -> Self {
        Self {
            contacts,
            rows,
            joints,
            whitened: FrozenMap::default(),
            ahead: None,
            v: Vec::new(),
            load: vec![0.0; model.nv()],
            kept: Vec::new(),
            rounds: 0,
            evals: Evals::default(),
        }
    }

    /// Equalities are weighed by M; rows of gains are not weighed, and contacts and limits are by A.
    pub(crate) fn weighs_by_mass(&self) -> bool {
        self.rows.equalities
    }

    /// Collects the rows of joints.
    pub(crate) fn set_rows(&mut self, i: &Inputs<'_>, at: &StateKinematics, motion: &FreeMotion) {
        self.forget();
        self.rows.set_first(i, at, &motion.mass, &mut self.joints);
    }

    /// Controls may have changed since joints were solved.
    pub(crate) fn forget(&mut self) {
        self.ahead = None;
    }

    /// Solves joints for a step that will most likely be of length `horizon`, and has this solve behind it then. One that fails will say so when it is asked for.
    pub(crate) fn look_ahead(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        horizon: f64,
        drive: &mut Drive,
    ) {
        if self.solve_joints(i, at, motion, horizon).is_ok() {
            self.ahead = Some(horizon);
            drive.take(i.model, self.contacts.frozen.free_velocity(), &at.x0.v);
        }
    }

    /// A and v* with joints solved for a step size, unless they were ahead.
    pub(crate) fn set_joints(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let known = self.ahead.take() == Some(dt) && motion.field.iter().all(|f| *f == 0.0);
        if known { Ok(()) } else { self.solve_joints(i, at, motion, dt) }
    }

    fn solve_joints(
        &mut self,
        i: &Inputs<'_>,
        at: &StateKinematics,
        motion: &FreeMotion,
        dt: f64,
    ) -> Result<(), ProblemError> {
        let mut parts = self.contacts.frozen.parts_mut();
        let (inertia, momentum) = self.joints.start();
        motion.set_inertia(i.model, dt, [&mut parts.inertia.blocks, inertia]);
        motion.set_momentum(dt, momentum);
        self.rows.set_seeds(i, at, dt);
        self.rows.fill_joints(&mut self.joints);
        self.joints.solve(dt, &at.x0.v, &mut parts)
    }

    /// Begins the rounds of joints and contacts: the laws of contacts and limits for A and v* as they are.
    pub(crate) fn begin(&mut self) {
        self.rounds = 0;
        self.set_laws();
    }

    /// Adds the impulses of joints at `v` to `out`, each law on the piece that it was taken on.
    pub(crate) fn add_joint_impulses(
        &self,
        model: &Model,
        at: &StateKinematics,
        v: &[f64],
        out: &mut GeneralizedImpulses,
    ) {
        self.rows.add_gain_impulses(model, at, |i| self.joints.rows.impulse(i, v), out);
        self.joints.add_equality_impulses(v, &mut out.constraints);
    }

    /// Laws of contacts and limits for A and v* as they are.
    fn set_laws(&mut self) {
        let ContactProblem { frozen, seeds, limits, .. } = &mut self.contacts;
        let parts = frozen.parts_mut();
        let (whitened, contacts) = (&mut self.whitened, seeds.len());
        parts.inertia.blocks.whiten_map(parts.map, whitened);
        for (k, s) in seeds.iter_mut().enumerate() {
            let dim = parts.map.rows_of(k).1;
            whitened.set_sides(k, dim, &mut s.sides);
            as_heavy_all_around(&mut s.sides, dim);
        }
        for (k, s) in limits.seeds.iter_mut().enumerate() {
            s.inverse_mass = whitened.square_of::<1>(contacts + k)[0].max(LIGHTEST);
        }
        self.contacts.set_laws();
    }
}

/// Contacts may push motors and dry friction that were solved before them over their limits: the problem then lags how joints act, and is built again around the
/// impulses of the last solve.
impl StepProblem for JointsFirst {
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let relagged = self.contacts.frozen.relag(gamma)?;
        let rows = &mut self.joints.rows;
        let again = if self.rounds < ROUNDS { rows.left(&self.v) } else { rows.give_way(&self.v) };
        if !again {
            return Ok(relagged);
        }
        self.rounds += 1;
        self.kept.clear();
        for pool in [CONTACT, LIMIT].map(|i| &self.contacts.frozen.pools().members()[i]) {
            if let Some(swept) = pool.swept().filter(|p| p.memory() > 0.0) {
                (0..pool.len()).for_each(|k| self.kept.extend_from_slice(swept.multipliers(k)));
            }
        }
        let dt = self.contacts.frozen.dt();
        if self.rounds <= ROUNDS {
            // Σ Jᵀγ, in the end with more and more of the former one, so that it does not go back and forth.
            let part = if self.rounds <= 2 { 1.0 } else { 0.5 };
            self.evals.grad.clear();
            self.evals.grad.extend(gamma.iter().map(|g| part * g));
            self.load.iter_mut().for_each(|l| *l *= 1.0 - part);
            let (map, pools) = (self.contacts.frozen.map(), self.contacts.frozen.pools());
            map.add_gradient(self.contacts.frozen.whole(), pools, &self.evals, &mut self.load);
            self.joints.solve_again(dt, &self.v, &self.load, &mut self.contacts.frozen.parts_mut())?;
        } else {
            self.joints.build(&[], &mut self.contacts.frozen.parts_mut())?;
        }
        self.set_laws();
        let parts = self.contacts.frozen.parts_mut();
        let mut kept = self.kept.as_slice();
        for pool in [CONTACT, LIMIT] {
            let pool = parts.pools.member_mut(pool);
            let count = pool.len();
            let Some(swept) = pool.swept_mut().filter(|p| p.memory() > 0.0) else { continue };
            let (of_pool, rest) = kept.split_at(count * swept.multiplier_count());
            let each = of_pool.chunks_exact(swept.multiplier_count());
            each.enumerate().for_each(|(k, multipliers)| swept.remember(k, multipliers));
            kept = rest;
        }
        self.contacts.frozen.finish(dt)?;
        Ok(true)
    }

    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        self.v.clear();
        self.v.extend_from_slice(v);
        self.contacts.frozen.relinearize(v)
    }

    fn dt(&self) -> f64 {
        self.contacts.frozen.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        self.contacts.frozen.inertia()
    }
    fn free_velocity(&self) -> &[f64] {
        self.contacts.frozen.free_velocity()
    }
    fn regime(&self) -> Regime {
        self.contacts.frozen.regime()
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        self.contacts.frozen.value(v)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.contacts.frozen.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.contacts.frozen.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self.contacts.frozen.map()
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.contacts.frozen.contacts()
    }
    fn swept(&mut self) -> Option<&mut dyn SweptProblem> {
        Some(self)
    }
}

impl SweptProblem for JointsFirst {
    fn laws(&mut self) -> (&mut Pools, &[f64]) {
        self.contacts.frozen.laws()
    }
    /// The map is whitened when laws are set: the masses of contacts come from it.
    fn whiten(&mut self) -> bool {
        true
    }
    fn whitened(&mut self) -> Option<Whitened<'_>> {
        self.contacts.frozen.whitened_as(&self.whitened)
    }
}
