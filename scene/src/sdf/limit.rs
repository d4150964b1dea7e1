//! `<limit>`: bounds of the coordinate and of the effort.

use super::Reader;
use crate::NoteKind;
use crate::xml::{Element, Read};

/// Magnitude from which a bound is none.
const UNBOUNDED: f64 = 1e16;

impl Reader<'_> {
    /// Reads `<limit>` of an axis onto its coordinate.
    pub(super) fn read_limit(&mut self, axis: &Element, at: usize) -> Read<()> {
        let Some(e) = axis.only("limit")? else { return Ok(()) };
        let lower = bound(e, "lower")?.filter(|x| *x > -UNBOUNDED);
        let upper = bound(e, "upper")?.filter(|x| *x < UNBOUNDED);
        let effort = bound(e, "effort")?.filter(|x| *x >= 0.0 && *x < UNBOUNDED);
        if bound(e, "velocity")?.is_some_and(|v| (0.0..UNBOUNDED).contains(&v)) {
            self.notes.add(NoteKind::Warning, e, "velocity limit: not enforced");
        }
        if bound(e, "acceleration")?.is_some() {
            self.notes.add(NoteKind::Warning, e, "drake:acceleration: not enforced");
        }
        if bound(e, "stiffness")?.is_some() | bound(e, "dissipation")?.is_some() {
            let text =
                "stiffness and dissipation of a limit are not read: limits are as rigid as a step allows";
            self.notes.add(NoteKind::Warning, e, text);
        }
        self.finish(e)?;
        if let (Some(low), Some(high)) = (lower, upper) {
            if low > high {
                return Err(e.invalid_at(
                    "lower",
                    format!("the lower limit {low} is above the upper limit {high}"),
                    "exchange them",
                ));
            }
            if low == high {
                self.notes.add(NoteKind::Warning, e, "lower and upper limit are equal: they hold the joint");
            }
        }
        let j = &mut self.scene.joints[at];
        if lower.is_some() || upper.is_some() {
            j.range = Some([lower.unwrap_or(-UNBOUNDED), upper.unwrap_or(UNBOUNDED)]);
        }
        j.actuator_force_range = effort.map(|f| [0.0 - f, f]);
        Ok(())
    }
}

/// A number that may be infinite.
fn bound(e: &Element, name: &'static str) -> Read<Option<f64>> {
    let infinite = match e.string(name).map(str::trim) {
        Some("inf" | "+inf" | "Inf" | "infinity") => Some(f64::INFINITY),
        Some("-inf" | "-Inf" | "-infinity") => Some(f64::NEG_INFINITY),
        _ => None,
    };
    if infinite.is_some() { Ok(infinite) } else { e.number(name) }
}
