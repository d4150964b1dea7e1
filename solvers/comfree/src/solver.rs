use crate::gain::Power;
use crate::room::Rooms;
use signorini_core::{
    ContactSolver, Evals, Pace, ProblemError, Regime, SolveError, SolveStats, SolveStatus, StepProblem,
    StepSolution, Tolerance, WhitenedMap, WholePart, check_count, check_finite,
};

/// Name on the command line.
const NAME: &str = "comfree";

/// How many evaluations a step has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeps {
    /// At most so many, at least one. Of several the last one undoes penetrations, if there are any.
    pub most: u32,
    /// Multipliers are good enough when their residual ([`Pace::residual`]) is at most this \[m/s\]; 0 for as many evaluations as there may be.
    pub residual: f64,
    /// Or at most this part of the largest speed along a normal or of a joint at a limit that the step begins with, but not above ten times `residual`. Slip does not count: friction is
    /// to be right to a part of gravity, not of the slip.
    pub relative: f64,
}

impl Sweeps {
    /// So many, the last one only where there is a penetration to undo.
    pub const fn exactly(count: u32) -> Self {
        Self { most: count, residual: 0.0, relative: 0.0 }
    }

    /// Few, and until a residual is reached: constraints are taken in turn.
    const fn in_turn(&self) -> bool {
        1 < self.most && self.most <= TURNS && self.residual > 0.0
    }

    /// Residual that is small enough where the step begins with a speed of `fastest` \[m/s\].
    fn enough(&self, fastest: f64) -> f64 {
        if self.relative > 0.0 {
            (self.relative * fastest).clamp(self.residual, 10.0 * self.residual)
        } else {
            self.residual
        }
    }

    /// `DualCone::memory` that goes with it outside the paper's mode: all of a step's change of the forces where it was found by several evaluations, half where by one.
    pub const fn memory(&self) -> f64 {
        if self.most > 1 { 1.0 } else { 0.5 }
    }
}

impl From<u32> for Sweeps {
    fn from(count: u32) -> Self {
        Self::exactly(count)
    }
}

/// At most so many, until the residual \[m/s\] is reached.
impl From<(u32, f64)> for Sweeps {
    fn from((most, residual): (u32, f64)) -> Self {
        Self { most, residual, ..Self::default() }
    }
}

impl Default for Sweeps {
    /// Until speeds are right to a hundredth of a millimetre per second or of the fastest along a normal up to ten times that, at most 64.
    fn default() -> Self {
        Self { most: 64, residual: 1e-5, relative: 0.01 }
    }
}

/// Evaluations up to which constraints are swept over in turn. With more, all of them are swept over at once, with gains raised and momentum, which long stacks need: what begins alike on all corners of a box stays alike.
const TURNS: u32 = 16;

/// Sweeps before gains are raised, which takes an estimate that costs about six.
const PLAIN: u32 = 3;

/// Speed of recovery above which a penetration is undone by several sweeps, and how many \[m/s\].
const DEEP: f64 = 1e-2;
const DEEP_SWEEPS: u32 = 64;

/// What sweeps came to.
struct Settled {
    count: u32,
    /// Residual that is small enough \[m/s\].
    enough: f64,
    /// Largest speed at which a penetration asks to be undone \[m/s\].
    recovery: f64,
}

/// Largest speed \[m/s\] along the normal of a contact, or of a joint at a limit, at the velocity of the last sweep.
fn fastest(p: &dyn StepProblem) -> f64 {
    let (v_c, pools) = (p.contact_velocities(), p.pools());
    (0..pools.constraint_count()).map(|k| v_c[pools.rows(k).0].abs()).fold(0.0, f64::max)
}

/// Explicit evaluation of a step problem: once at the velocity without contact, or several times, each at the velocity that the last one left; few that end by a residual go from constraint to constraint.
///
/// ```text
/// γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
/// ```
/// The guess and the tolerance are not used: [`Sweeps`] says how many evaluations there are, a fixed number of which counts as converged with `StepSolution::tolerance` 0.
/// Residual and tolerance are speeds at contacts \[m/s\], before penetrations are undone; what undoes them is in `StepSolution::v_position` alone where there is more than one
/// evaluation. Nothing is allocated in a solve once its storage has grown to the size of the problem.
#[derive(Debug)]
pub struct ComfreeSolver {
    sweeps: Sweeps,
    pub(crate) whole: WholePart,
    pub(crate) evals: Evals,
    change: Vec<f64>,
    /// Whether the gains of the solve are raised.
    raised: bool,
    /// Impulses with those that undo penetrations.
    recovered: Vec<f64>,
    pub(crate) power: Power,
    pub(crate) rooms: Rooms,
    turns: WhitenedMap,
}

impl Default for ComfreeSolver {
    fn default() -> Self {
        Self::with_sweeps(1)
    }
}

impl ComfreeSolver {
    /// With more evaluations per step, each at the velocity that the last one left.
    pub fn with_sweeps(sweeps: impl Into<Sweeps>) -> Self {
        Self {
            sweeps: sweeps.into(),
            whole: WholePart::default(),
            evals: Evals::default(),
            change: Vec::new(),
            raised: false,
            recovered: Vec::new(),
            power: Power::default(),
            rooms: Rooms::default(),
            turns: WhitenedMap::default(),
        }
    }

    /// v = v* + A⁻¹ Jᵀ γ.
    fn respond(&mut self, p: &dyn StepProblem, gamma: &[f64], v: &mut [f64]) {
        self.change.clear();
        self.change.resize(v.len(), 0.0);
        self.evals.grad.clear();
        self.evals.grad.extend(gamma.iter().map(|g| -g));
        p.map().add_gradient(self.whole.part(), p.pools(), &self.evals, &mut self.change);
        p.inertia().solve_in_place(self.whole.part(), &mut self.change);
        for (v, (free, change)) in v.iter_mut().zip(p.free_velocity().iter().zip(&self.change)) {
            *v = free - change;
        }
    }

    /// One sweep at `v`, and the velocity and impulses that it leaves.
    fn sweep(
        &mut self,
        p: &mut dyn StepProblem,
        pace: &mut Pace,
        gamma: &mut [f64],
        v: &mut [f64],
    ) -> Result<(), SolveError> {
        p.relinearize(v)?;
        if !p.sweep(pace, if self.raised { self.rooms.scales() } else { &[] }, gamma) {
            return Err(ProblemError::Unsupported("its laws cannot be swept over; use icf".into()).into());
        }
        self.respond(p, gamma, v);
        Ok(())
    }

    /// Sweeps over constraints in turn, until they have settled or as often as may be; leaves impulses and velocity.
    fn settle_in_turn(&mut self, p: &mut dyn StepProblem, out: &mut StepSolution) -> Settled {
        let mut done = Settled { count: 0, enough: self.sweeps.residual, recovery: 0.0 };
        while done.count == 0 || (done.count + 1 < self.sweeps.most && out.residual > done.enough) {
            let mut pace = Pace { several: true, ..Pace::default() };
            p.sweep_in_turn(&mut self.turns, &mut pace, &mut out.gamma);
            if done.count == 0 {
                done.enough = self.sweeps.enough(self.turns.fastest);
            }
            (out.residual, done.recovery) = (pace.residual, pace.recovery);
            done.count += 1;
        }
        p.unwhiten(&self.turns, &mut out.v);
        done
    }

    /// Sweeps over all constraints at once, with momentum where there are many.
    fn settle_at_once(
        &mut self,
        p: &mut dyn StepProblem,
        out: &mut StepSolution,
    ) -> Result<Settled, SolveError> {
        if out.gamma.iter().any(|g| *g != 0.0) {
            self.respond(p, &out.gamma, &mut out.v);
        }
        // Nesterov's sequence; the last sweep goes without momentum, so that no multiplier leaves its bounds.
        let Sweeps { most, residual, .. } = self.sweeps;
        let many = most > 1;
        let limit = most.saturating_sub(1).max(1);
        let (mut t, mut sweep, mut enough, mut settled) = (1.0, 0, residual, false);
        loop {
            sweep += 1;
            if many && !self.raised && (sweep > PLAIN || residual == 0.0) {
                self.rooms(p);
                self.raised = true;
            }
            let last = settled || sweep >= limit;
            let next = 0.5 * (1.0 + f64::sqrt(1.0 + 4.0 * t * t));
            let momentum = if last { 0.0 } else { (t - 1.0) / next };
            let mut pace = Pace { momentum, several: many, recover: !many, ..Pace::default() };
            self.sweep(p, &mut pace, &mut out.gamma, &mut out.v)?;
            t = if pace.uphill > 0.0 { 1.0 } else { next };
            if sweep == 1 {
                enough = self.sweeps.enough(fastest(p));
            }
            out.residual = pace.residual;
            settled = pace.residual <= enough;
            if last || (settled && momentum == 0.0) {
                return Ok(Settled { count: sweep, enough, recovery: pace.recovery });
            }
        }
    }

    /// Undoes penetrations, which ask for `speed` \[m/s\]: what sweeps add moves positions, but is neither momentum nor remembered. One is enough for small ones; more would only move
    /// neighbours about. `in_turn`: the solve before went from contact to contact, and so does this. Returns how many there were.
    fn recover(
        &mut self,
        p: &mut dyn StepProblem,
        (speed, in_turn): (f64, bool),
        out: &mut StepSolution,
    ) -> Result<u32, SolveError> {
        let mut gamma = std::mem::take(&mut self.recovered);
        gamma.clone_from(&out.gamma);
        out.v_position.clone_from(&out.v);
        let (mut count, mut missed) = (0, f64::INFINITY);
        let many = if self.sweeps.in_turn() { self.sweeps.most } else { DEEP_SWEEPS };
        let most = if speed > DEEP { many } else { 1 };
        let in_turn = in_turn && most > 1;
        if in_turn {
            // Where the solve left off.
            self.turns.begin_again();
        }
        if most > 1 && !in_turn && !self.raised {
            self.rooms(p);
            self.raised = true;
        }
        while count < most && missed > 0.1 * speed {
            let mut pace = Pace { several: true, recover: true, remember: false, ..Pace::default() };
            if in_turn {
                p.sweep_in_turn(&mut self.turns, &mut pace, &mut gamma);
            } else {
                self.sweep(p, &mut pace, &mut gamma, &mut out.v_position)?;
            }
            (missed, count) = (pace.residual, count + 1);
        }
        if in_turn {
            p.unwhiten(&self.turns, &mut out.v_position);
        }
        self.recovered = gamma;
        Ok(count)
    }

    pub(crate) fn check_velocity(&self, p: &dyn StepProblem, v: &[f64]) -> Result<(), ProblemError> {
        let nv = p.velocity_count();
        check_count("velocity", nv, v.len())?;
        check_finite("velocity", v)
    }
}

impl ContactSolver for ComfreeSolver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, p: &dyn StepProblem) -> Result<(), SolveError> {
        let refuse = |why: String| Err(SolveError::Unsupported { solver: NAME, why });
        if p.regime() != Regime::Frozen {
            return refuse(
                "its contact map moves with the velocity; use a solver for re-queried contact (ipc)".into(),
            );
        }
        if p.smooth().is_some() {
            return refuse(
                "it has a smooth potential; use a solver that follows its Hessian (ipc, mpm)".into(),
            );
        }
        match p.pools().members().iter().find(|m| !m.is_empty() && m.properties().barrier) {
            Some(m) => refuse(format!("law {} is a barrier; use a law that is finite everywhere", m.key())),
            None => Ok(()),
        }
    }

    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        guess: &[f64],
        _: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        self.supports(p)?;
        self.check_velocity(p, guess)?;
        self.whole.fit(p);
        out.v.clear();
        out.v.extend_from_slice(p.free_velocity());
        out.gamma.clear();
        out.gamma.resize(p.pools().row_count(), 0.0);
        p.pools().recall(&mut out.gamma);
        self.raised = false;
        let in_turn = self.sweeps.in_turn() && p.whiten(&out.gamma, &mut self.turns);
        let Settled { mut count, enough, recovery } =
            if in_turn { self.settle_in_turn(p, out) } else { self.settle_at_once(p, out)? };
        let Sweeps { most, residual, .. } = self.sweeps;
        p.relinearize(&out.v)?;
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        out.v_position.clear();
        if most > 1 && recovery > residual {
            count += self.recover(p, (recovery, in_turn), out)?;
        }
        out.tolerance = enough;
        out.stats = SolveStats { iterations: count, island_iterations: count, ..SolveStats::default() };
        out.status = if out.residual <= enough || residual == 0.0 {
            SolveStatus::Converged
        } else {
            SolveStatus::IterationLimit
        };
        Ok(out.status)
    }
}
