use signorini_comfree::ComfreeSolver;
use signorini_core::{
    AdvanceReport, ContactGeometry, LastSolve, ProblemError, Slot, State, StepError, StepReport, System,
    check_end,
};
use signorini_laws::Gains;
use signorini_multibody::{Model, OverloadRecord, RigidSystem};

use signorini_run::crossing::CrossingRecord;
use signorini_run::depth::{Thicknesses, TooDeep};
use signorini_run::{ComFree, Method};

/// Steps in which contacts act between two looks, unless more of them act than ever before.
const EVERY: u32 = 64;
/// Iterations of the power method: the estimate is from below.
const ITERATIONS: usize = 40;
/// A speed at which every facet of a contact acts \[m/s\].
const CLOSING: f64 = 1e6;

/// Largest gain of one world so far; steps that were looked at; light bodies under heavy ones; the pair that is deepest beside its size; geoms that passed through each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GainRecord {
    steps: u32,
    most: usize,
    t: f64,
    /// λ_max R (d + k δt).
    sum: f64,
    /// λ_max R (2 d + 3 k δt), stable below 4.
    bound: f64,
    overload: OverloadRecord,
    deepest: Option<TooDeep>,
    crossing: CrossingRecord,
}

/// Depths beside the sizes of geoms, over worlds that may have been loaded anew since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DepthsOfWorlds {
    worst: Option<TooDeep>,
    /// Worlds with a pair that was too deep.
    deep: usize,
    /// Worlds that were stepped.
    all: usize,
}

impl DepthsOfWorlds {
    /// Counts a world that was stepped.
    pub(crate) fn add(&mut self, world: &GainRecord) {
        self.all += 1;
        if let Some(found) = world.deepest {
            self.deep += 1;
            self.worst = self.worst.filter(|w| w.part() >= found.part()).or(Some(found));
        }
    }

    /// One line on the worst; None where no world had a pair that was too deep.
    pub(crate) fn warning(&self, model: &Model, method: &Method) -> Option<String> {
        let line = self.worst?.describe(model, 0, method.remedy_of_depth());
        let Self { deep, all, .. } = self;
        Some(if *all > 1 { format!("{line} ({deep} of {all} worlds had such a pair)") } else { line })
    }
}

impl GainRecord {
    /// Looks at how deep the contacts of a step from `t` \[s\] are beside the sizes of their geoms.
    pub(crate) fn look_at_depths(&mut self, sizes: &Thicknesses, t: f64, contacts: &[ContactGeometry]) {
        let found = sizes.deepest(t, contacts);
        if found.is_some_and(|f| self.deepest.is_none_or(|d| f.part() > d.part())) {
            self.deepest = found;
        }
    }

    /// Looks for geoms that passed through each other in a step from `t` \[s\].
    pub(crate) fn look_at_crossings(&mut self, t: f64, report: &StepReport) {
        self.crossing.look(t, report);
    }

    /// Looks for a light body under a heavy one after the step from `t` \[s\] that ended with `last`; the system holds its problem.
    pub(crate) fn look_at_loads(
        &mut self,
        sys: &RigidSystem,
        t: f64,
        last: LastSolve<'_>,
        recovery: Option<f64>,
    ) {
        if let Some(beta) = recovery
            && self.overload.due(&last)
        {
            self.overload.look(sys, t, &last, beta);
        }
    }

    /// Warning of gains, loads, depths and the solves of a method; None while all is well.
    pub(crate) fn warning(&self, model: &Model, report: &AdvanceReport, method: &Method) -> Option<String> {
        let of_loads = || {
            let text = self.overload.found()?.describe(model);
            Some(format!(
                "{text}; take a smaller step (the depth falls as its square), more sweeps or `Method::icf`"
            ))
        };
        let of_depths = || Some(self.deepest?.describe(model, 0, method.remedy_of_depth()));
        let of_solves = || {
            let few = method.as_comfree().is_some_and(|m| m.gains().is_some()) && report.mostly_converged();
            let line = report.unconverged().filter(|_| !few)?;
            Some(format!(
                "{line}; look at depths of contacts, or try another step, more sweeps or another method beside it"
            ))
        };
        let of_crossings = || self.crossing.warning(model);
        self.warning_of_gains().or_else(of_loads).or_else(of_crossings).or_else(of_depths).or_else(of_solves)
    }

    fn warning_of_gains(&self) -> Option<String> {
        let Self { t, sum, bound, .. } = *self;
        let remedy = "lower k, d or the step, or take `DualCone` with `cap` (`ComfreeSolver::gain` tells the gain of a problem)";
        if bound > 4.0 {
            return Some(format!(
                "gains: lambda_max R (2 d + 3 k h) reached {bound:.3e} > 4 at t = {t:.4} s: unstable; {remedy}"
            ));
        }
        (sum > 1.0).then(|| {
            format!(
                "gains: lambda_max R (d + k h) reached {sum:.2} > 1 at t = {t:.4} s: stable, but contacts at rest part and hop; {remedy}"
            )
        })
    }
}

/// Evaluates [`ComfreeSolver::gain_at`] beside the steps of a method whose gains are not capped.
pub(crate) struct GainLook {
    gains: Gains,
    solver: ComfreeSolver,
    v_c: Vec<f64>,
    free: Vec<f64>,
}

impl GainLook {
    /// None where the law caps its gains, or is not known.
    pub(crate) fn new(method: &Method) -> Option<Self> {
        let gains = method.as_comfree().and_then(ComFree::uncapped)?;
        Some(Self { gains, solver: ComfreeSolver::default(), v_c: Vec::new(), free: Vec::new() })
    }

    /// Looks at the step from `x0` that ended with `last`, unless it is not yet time; the system holds the inputs of the step, and has
    /// the gains `own` where they are not those of the method.
    pub(crate) fn look(
        &mut self,
        record: &mut GainRecord,
        sys: &mut RigidSystem,
        x0: &State,
        dt: f64,
        last: LastSolve<'_>,
        own: Option<Gains>,
    ) {
        let dim = sys.contact_dim();
        let acting = last.contacts.iter().filter(|c| acts(c, &last, dim)).count();
        if acting == 0 {
            return;
        }
        let due = record.steps.is_multiple_of(EVERY) || acting > record.most;
        record.steps = record.steps.wrapping_add(1);
        record.most = record.most.max(acting);
        if !due {
            return;
        }
        // The step itself has solved this problem, so it cannot fail.
        if let Ok(sum) = self.sum(sys, x0, dt, &last)
            && sum > record.sum
        {
            let bound = sum * weight(own.unwrap_or(self.gains), dt);
            (record.t, record.sum, record.bound) = (x0.t, sum, bound);
        }
    }

    /// λ_max with all facets of the contacts that act.
    fn sum(
        &mut self,
        sys: &mut RigidSystem,
        x0: &State,
        dt: f64,
        last: &LastSolve<'_>,
    ) -> Result<f64, ProblemError> {
        let width = sys.contact_dim();
        sys.prepare(Slot::Start, x0, dt)?;
        let p = sys.problem(Slot::Start, dt)?;
        self.free.clear();
        self.free.extend_from_slice(p.free_velocity());
        p.relinearize(&self.free)?;
        self.v_c.clear();
        self.v_c.extend_from_slice(p.contact_velocities());
        for c in p.contacts().iter().filter(|c| acts(c, last, width)) {
            let (row, dim) = p.pools().rows(c.constraint as usize);
            self.v_c[row..row + dim].fill(0.0);
            self.v_c[row] = -CLOSING;
        }
        self.solver.gain_at(p, &self.v_c, ITERATIONS)
    }
}

/// (2a + 3b)/(a + b); gains of the material count as stiffness alone, the larger.
fn weight(gains: Gains, dt: f64) -> f64 {
    let (a, b) = match gains {
        Gains::PerStep { k, d } => (d, k * dt),
        Gains::Physical { kappa, c } => (c, kappa * dt),
        Gains::Recovery { beta } => (1.0 - beta, beta),
        Gains::Material => (0.0, 1.0),
    };
    (2.0 * a + 3.0 * b) / (a + b)
}

/// A contact that penetrates, or pushes from afar as the paper's law does; contacts come first among the constraints, all of `dim` rows.
fn acts(c: &ContactGeometry, last: &LastSolve<'_>, dim: usize) -> bool {
    let at = c.constraint as usize * dim;
    c.gap < 0.0 || last.solution.gamma.get(at..at + dim).is_some_and(|g| g.iter().any(|x| *x != 0.0))
}

/// [`check_end`] of a lane; `uncapped`: whether gains may be the reason.
pub(crate) fn check_lane_end(
    sys: &RigidSystem,
    x1: &State,
    t: f64,
    dt: f64,
    uncapped: bool,
) -> Result<(), StepError> {
    check_end(sys, x1, t, dt).map_err(|e| match e {
        StepError::Runaway { t, dt, what, speed, .. } if uncapped => {
            let remedy = "the gains of the dual cone are not capped and may be beyond the bound of stability (`ComfreeSolver::gain` tells): lower k, d or the step, \
                          or take `DualCone` with `cap`";
            StepError::Runaway { t, dt, what, speed, remedy }
        }
        e => e,
    })
}
