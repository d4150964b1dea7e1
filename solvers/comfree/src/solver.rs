use crate::gain::Power;
use crate::room::Rooms;
use signorini_core::{
    ContactSolver, Evals, Pace, ProblemError, Regime, SolveError, SolveStatus, StepProblem, StepSolution,
    Tolerance, WholePart, check_finite,
};

/// Name on the command line.
const NAME: &str = "comfree";

/// Explicit evaluation of a step problem: once at the velocity without contact, or several times, each at the velocity that the last one left.
///
/// ```text
/// γ_k = −∇ℓ_k(J_k v* + b_k),   v = v* + A⁻¹ Σ J_kᵀ γ_k          borse2026comfree, eq. (8)
/// ```
/// The guess and the tolerance are not used: the number of evaluations is fixed, which counts as converged, and no residual is asked for (`StepSolution::tolerance` is 0). Nothing is
/// allocated in a solve once its storage has grown to the size of the problem.
#[derive(Debug)]
pub struct ComfreeSolver {
    sweeps: u32,
    pub(crate) whole: WholePart,
    pub(crate) evals: Evals,
    change: Vec<f64>,
    pub(crate) power: Power,
    pub(crate) rooms: Rooms,
}

impl Default for ComfreeSolver {
    fn default() -> Self {
        Self::with_sweeps(1)
    }
}

impl ComfreeSolver {
    /// With more evaluations per step, each at the velocity that the last one left; at least one.
    pub fn with_sweeps(sweeps: u32) -> Self {
        Self {
            sweeps: sweeps.max(1),
            whole: WholePart::default(),
            evals: Evals::default(),
            change: Vec::new(),
            power: Power::default(),
            rooms: Rooms::default(),
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

    pub(crate) fn check_velocity(&self, p: &dyn StepProblem, v: &[f64]) -> Result<(), ProblemError> {
        let nv = p.velocity_count();
        if v.len() != nv {
            return Err(ProblemError::Shape { what: "velocity", expected: nv, found: v.len() });
        }
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
        if out.gamma.iter().any(|g| *g != 0.0) {
            self.respond(p, &out.gamma, &mut out.v);
        }
        // Nesterov's sequence; the last sweep goes without momentum, so that no multiplier leaves its bounds.
        let mut t = 1.0;
        if self.sweeps > 1 {
            self.rooms(p);
        }
        for sweep in 1..=self.sweeps {
            p.relinearize(&out.v)?;
            let next = 0.5 * (1.0 + f64::sqrt(1.0 + 4.0 * t * t));
            let momentum = if sweep < self.sweeps { (t - 1.0) / next } else { 0.0 };
            let mut pace = Pace {
                scale: 1.0,
                momentum,
                paired: self.sweeps > 1,
                recover: sweep == self.sweeps,
                uphill: 0.0,
            };
            let swept = p.sweep(&mut pace, self.rooms.scales(self.sweeps), &mut out.gamma);
            t = if pace.uphill > 0.0 { 1.0 } else { next };
            if !swept {
                return Err(ProblemError::Unsupported("its laws cannot be swept over; use icf".into()).into());
            }
            self.respond(p, &out.gamma, &mut out.v);
        }
        p.relinearize(&out.v)?;
        out.v_c.clear();
        out.v_c.extend_from_slice(p.contact_velocities());
        (out.residual, out.tolerance) = (0.0, 0.0);
        out.stats = Default::default();
        out.status = SolveStatus::Converged;
        Ok(out.status)
    }
}
