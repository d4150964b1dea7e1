use signorini_coupling::{CouplingReport, Limit};

use signorini_report::Table;
use signorini_report::claim::number;

/// A body: its name, the tightest limit that it had with the substep \[s\] then, and steps beyond limits.
type Body = (String, Option<(Limit, f64)>, u32);

/// The tightest limit of weak coupling that each body had in a run.
#[derive(Clone, Debug)]
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
            "contacts",
            "mass at them [kg]",
            "surface that touches [kg]",
            "contacts are",
            "longest step [ms]",
            "longest step for its friction [ms]",
            "surface over twice the mass",
            "step, substep in use [ms]",
            "steps beyond",
            "steps",
        ];
        let caption = "Limits of weak coupling where they were tightest. Contacts are soft where the substep is below the one given: springs and dampers on what a body weighs there, with a longest step. In longer substeps they are stiff: the surface follows the body, and its mass is to be below twice the body's, a ratio below one, whatever the step, which is necessary, not enough; a thin surface that something else holds from behind, a sheet between two pads, cannot follow, and has the longest step of those springs, and one beyond which its friction chatters and it slides";
        let mut table = Table::new(caption, &head);
        let ms = |s: f64| if s.is_finite() { number(1e3 * s) } else { "any".to_owned() };
        for (name, tightest, beyond) in &self.bodies {
            let Some((l, substep)) = tightest else { continue };
            let soft = *substep < l.soft_substep();
            let kind = if soft { "soft, substeps below" } else { "stiff, substeps above" };
            let none = || "–".to_owned();
            table.row([
                name.clone(),
                l.contacts.to_string(),
                if l.mass.is_finite() { number(l.mass) } else { "does not move".to_owned() },
                number(l.surface),
                format!("{kind} {} ms", ms(l.soft_substep())),
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
