//! Tells of geoms that pass through each other within a step.

use signorini_core::{Shown, StepReport};
use signorini_multibody::Model;

/// First geoms that passed through each other in an accepted step, with its start and length \[s\]: [`StepReport::crossed`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CrossingRecord {
    first: Option<([u32; 2], [f64; 2])>,
}

impl CrossingRecord {
    /// Looks at a step from `t` \[s\]; true for the first crossing.
    pub fn look(&mut self, t: f64, report: &StepReport) -> bool {
        let Some(geoms) = report.crossed.filter(|_| self.first.is_none()) else { return false };
        self.first = Some((geoms, [t, report.dt]));
        true
    }

    /// One line with the geoms, their bodies, the time and the remedy.
    pub fn warning(&self, model: &Model) -> Option<String> {
        let (geoms, [t, dt]) = self.first?;
        let [a, b] = geoms.map(|g| model.told_geom(g as usize));
        Some(format!(
            "crossing: {a} and {b} went through each other, or half of the way, in the step of {} s from t = {t:.4} s, in which contact with something else turned one of them; take shorter steps, or error \
             control, which does so where it is needed (--integrator cenic)",
            Shown(dt)
        ))
    }
}
