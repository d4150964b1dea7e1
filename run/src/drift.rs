//! Watches the energy of runs that nothing drives: it stays where nothing dissipates, and grows in none.

use signorini_core::{AcceptedStep, Energy};
use signorini_multibody::Model;

/// Change of energy beside the largest kinetic energy from which it is told.
pub const TOO_MUCH: f64 = 0.01;

/// Steps before which nothing is told: the first steps of a fall are in error by their own length.
const FIRST: u32 = 200;

/// Growth of a change from which it is told anew.
const GROWTH: f64 = 1.25;

/// Sag \[m\] whose work is no motion: near-rigid equalities give way under a load.
const SAG: f64 = 1e-5;

/// Change of energy since the start of a run as long as nothing drives it or is met in it: the error of its steps where nothing dissipates, or where it is a gain.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriftRecord {
    /// Nothing drives it or was met so far.
    keeps: bool,
    /// Friction, dampers or a medium take energy.
    loses: bool,
    /// All impulses are those of contacts and limits.
    touched_by_any: bool,
    steps: u32,
    start: Option<f64>,
    moving: f64,
    change: f64,
    told: f64,
}

impl DriftRecord {
    /// First word of its warning.
    pub const WORD: &'static str = "energy";

    /// For runs of a model.
    pub fn new(model: &Model) -> Self {
        let still = model.mocap_poses.is_empty() && model.actuators.is_empty() && !model.has_wind();
        // Energies that are not counted: of weights that are compensated along a part of what moves a body, and of equalities with solref, whose stiffness and mass change with their gap.
        let counted =
            model.bodies.iter().all(|b| b.gravity_compensation == 0.0 || model.is_lifted(b).is_some())
                && model.equalities.iter().all(|e| !e.active || !e.is_soft());
        let rubs = model.joints.iter().any(|j| j.dry_friction > 0.0)
            || model.tendons.iter().any(|t| t.dry_friction > 0.0);
        let loses = rubs
            || model.has_medium()
            || model.dofs.iter().any(|d| d.damper.acts())
            || model.tendons.iter().any(|t| t.damper.acts())
            || model.equalities.iter().any(|e| e.active && e.damping > 0.0);
        let limited =
            model.joints.iter().any(|j| j.range.is_some()) || model.tendons.iter().any(|t| t.range.is_some());
        let springs = model.tendons.iter().any(|t| t.spring.acts());
        // Impulses of equalities, springs and dry friction are no sign that something is met.
        let plain = model.equalities.is_empty() && !springs && !rubs;
        let keeps = still && counted && (plain || !limited);
        let moving = SAG * model.total_mass() * model.gravity.norm();
        Self { keeps, loses, touched_by_any: plain, moving, ..Self::default() }
    }

    /// Takes the energy of the first state.
    pub fn begin(&mut self, e: Energy) {
        (self.start, self.moving) = (Some(e.total()), self.moving.max(e.kinetic));
    }

    /// Looks at a step and the energy at its end; true when its change is news.
    pub fn look(&mut self, step: &AcceptedStep<'_>, e: Energy) -> bool {
        let Some(start) = self.start.filter(|_| self.keeps) else { return false };
        let pushes = |s: &signorini_core::LastSolve<'_>| match self.touched_by_any {
            true => s.solution.gamma.iter().any(|g| *g != 0.0),
            false => !s.contacts.is_empty(),
        };
        if step.first.iter().chain([&step.last]).any(pushes) {
            self.keeps = false;
            return false;
        }
        self.moving = self.moving.max(e.kinetic);
        self.change = e.total() - start;
        let part = if self.loses { self.part() } else { self.part().abs() };
        self.steps = self.steps.saturating_add(1);
        let news = self.steps > FIRST && part > TOO_MUCH && part > GROWTH * self.told;
        if news {
            self.told = part;
        }
        news
    }

    /// Change of energy over the largest kinetic energy so far, or over the work of a sag that is no motion.
    fn part(&self) -> f64 {
        if self.moving > 0.0 { self.change / self.moving } else { 0.0 }
    }

    /// One line on the change so far; None where something dissipates, drives or was met.
    pub fn line(&self) -> Option<String> {
        (self.keeps && !self.loses && self.start.is_some() && self.moving > 0.0).then(|| {
            format!(
                "energy changed by {:+.1e} J, {:+.1e} of the largest kinetic energy: nothing dissipates or drives, so this is the error of steps",
                self.change,
                self.part()
            )
        })
    }

    /// Warning of the change, from [`TOO_MUCH`] on, of a gain where something dissipates; it stays when something is met later.
    pub fn warning(&self, t: f64) -> String {
        let why = if self.loses {
            "nothing drives and something dissipates"
        } else {
            "nothing dissipates or drives"
        };
        format!(
            "{}: {:+.1} % of the largest kinetic energy until t = {t:.2} s though {why}: an error of steps of order one; take a smaller --accuracy or --dt, and leave out the paper mode",
            Self::WORD,
            100.0 * self.part()
        )
    }
}
