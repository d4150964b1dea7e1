use serde::{Deserialize, Serialize};
use signorini_coupling::{CouplingReport, Limit};

use signorini_report::Table;
use signorini_report::claim::number;

/// A body: its name, the tightest limit that it had with the substep \[s\] then, and steps beyond limits.
type Body = (String, Option<(Limit, f64)>, u32);

/// Numbers of a limit and the substep, any of which may be infinite, as their bits.
type LimitBits = ([u64; 10], u32, bool);

fn bits((l, substep): &(Limit, f64)) -> LimitBits {
    let [a, b, c] = l.backed;
    let all = [l.stiffness, l.damping, l.surface, l.mass, l.stiff, l.rate, a, b, c, *substep];
    (all.map(f64::to_bits), l.contacts, l.moving)
}

fn of_bits((all, contacts, moving): LimitBits) -> (Limit, f64) {
    let [stiffness, damping, surface, mass, stiff, rate, a, b, c, substep] = all.map(f64::from_bits);
    let backed = [a, b, c];
    (Limit { contacts, stiffness, damping, surface, mass, stiff, rate, backed, moving }, substep)
}

/// Bounds as files have them.
#[derive(Clone, Serialize, Deserialize)]
struct KeptBounds {
    step: f64,
    steps: u32,
    bodies: Vec<(String, Option<LimitBits>, u32)>,
}

impl From<Bounds> for KeptBounds {
    fn from(b: Bounds) -> Self {
        let bodies = b.bodies.into_iter().map(|(name, tightest, n)| (name, tightest.as_ref().map(bits), n));
        Self { step: b.step, steps: b.steps, bodies: bodies.collect() }
    }
}

impl From<KeptBounds> for Bounds {
    fn from(b: KeptBounds) -> Self {
        let bodies = b.bodies.into_iter().map(|(name, tightest, n)| (name, tightest.map(of_bits), n));
        Self { step: b.step, steps: b.steps, bodies: bodies.collect() }
    }
}

/// The tightest limit of weak coupling that each body had in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "KeptBounds", from = "KeptBounds")]
pub(super) struct Bounds {
    /// Step of the bodies \[s\], and how many there were.
    step: f64,
    steps: u32,
    bodies: Vec<Body>,
}

impl Bounds {
    /// Bounds of bodies with these names, in steps of so long \[s\].
    pub(super) fn new(names: impl IntoIterator<Item = String>, step: f64) -> Self {
        Self { step, steps: 0, bodies: names.into_iter().map(|n| (n, None, 0)).collect() }
    }

    /// Adds a step.
    pub(super) fn add(&mut self, limits: &[Limit], report: &CouplingReport) {
        self.steps += 1;
        let substep = self.step / f64::from(report.substeps.max(1));
        for ((_, tightest, beyond), now) in self.bodies.iter_mut().zip(limits) {
            if now.contacts == 0 {
                continue;
            }
            let used = now.used(self.step, substep);
            *beyond += u32::from(used >= 1.0);
            if tightest.is_none_or(|(t, s)| used > t.used(self.step, s)) {
                *tightest = Some((*now, substep));
            }
        }
    }

    /// Bodies that touched.
    pub(super) fn table(&self) -> Table {
        let head = [
            "body",
            "contacts [–]",
            "effective mass at the contacts [kg]",
            "mass of the touching surface [kg]",
            "contact regime",
            "longest stable step [ms]",
            "longest stable step of friction [ms]",
            "surface mass over twice the effective mass [–]",
            "step and substep in use [ms]",
            "steps beyond a limit",
            "steps in total",
        ];
        let caption = "Stability limits of the weak coupling, at the time step where each body was closest to its limit. \
            Contacts are soft if the substep is shorter than the given value. Soft contacts act as springs and dampers on the effective mass of the body \
            and have a longest stable time step. \
            Contacts are stiff in longer substeps. The surface then follows the body, and the mass of the surface must be below twice the effective mass of \
            the body (a ratio below one) for any time step. \
            This condition is necessary but not sufficient. A thin surface that is held from behind, for example a sheet between two pads, cannot \
            follow the body. \
            Such a surface has the longest stable step of the springs. It also has a longest stable step of friction. \
            Beyond it the friction force chatters and the surface slides.";
        let mut table = Table::new(caption, &head);
        let ms = |s: f64| if s.is_finite() { number(1e3 * s) } else { "any".to_owned() };
        for (name, tightest, beyond) in &self.bodies {
            let Some((l, substep)) = tightest else { continue };
            let soft = *substep < l.soft_substep();
            let kind = if soft { "soft (substeps below" } else { "stiff (substeps above" };
            let none = || "–".to_owned();
            table.row([
                name.clone(),
                l.contacts.to_string(),
                if l.mass.is_finite() { number(l.mass) } else { "does not move".to_owned() },
                number(l.surface),
                format!("{kind} {} ms)", ms(l.soft_substep())),
                ms(if soft { l.step(*substep) } else { l.step_where_held(*substep) }),
                ms(l.step_where_stuck()),
                if soft { none() } else { number(0.5 * l.surface / l.mass) },
                format!("{}, {}", ms(self.step), ms(*substep)),
                beyond.to_string(),
                self.steps.to_string(),
            ]);
        }
        table
    }
}
