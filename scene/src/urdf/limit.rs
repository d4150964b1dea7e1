//! `<limit>`: bounds of the coordinate and of the effort.

use std::ops::Range;

use super::Reader;
use super::joint::JointType;
use crate::NoteKind;
use crate::xml::{Element, Read};

impl Reader<'_> {
    /// Reads `<limit>` of a joint onto its coordinates.
    pub(super) fn read_limit(&mut self, joint: &Element, kind: JointType, at: Range<usize>) -> Read<()> {
        let bounded = matches!(kind, JointType::Revolute | JointType::Prismatic);
        let Some(e) = joint.only("limit")? else {
            if bounded {
                // The format demands it; Drake and files in use do without.
                let text = "a joint of this type should have a <limit>: its coordinate is not bounded";
                self.notes.add(NoteKind::Warning, joint, text);
            }
            return Ok(());
        };
        e.no_children()?;
        let lower = e.number("lower")?;
        let upper = e.number("upper")?;
        let effort = e.nonnegative("effort")?;
        if e.nonnegative("velocity")?.is_some() && !at.is_empty() {
            self.notes.add(NoteKind::Warning, e, "velocity limit: not enforced");
        }
        self.note_foreign(e);
        self.finish(e)?;
        if !kind.is_scalar() {
            if !at.is_empty() && (lower.is_some() || upper.is_some() || effort.is_some()) {
                let text = "<limit> of a joint with several coordinates: not enforced";
                self.notes.add(NoteKind::Warning, e, text);
            }
            return Ok(());
        }
        let j = &mut self.scene.joints[at.start];
        if let Some(f) = effort {
            j.actuator_force_range = Some([0.0 - f, f]);
            if f == 0.0 {
                self.notes.add(NoteKind::Warning, e, "effort limit 0: no motor can act on the joint");
            }
        }
        match (bounded, lower, upper) {
            (false, None, None) => {}
            (false, ..) => {
                self.notes.add(
                    NoteKind::Converted,
                    e,
                    "a continuous joint has no bounds: lower and upper are not read",
                );
            }
            (true, None, None) => {
                // Written out, both default to zero, which would lock the joint; files in use mean no bounds.
                let text = "neither lower nor upper is given: the coordinate is not bounded";
                self.notes.add(NoteKind::Warning, e, text);
            }
            (true, lower, upper) => {
                let (low, high) = (lower.unwrap_or_default(), upper.unwrap_or_default());
                if low >= high {
                    // As in MuJoCo: exporters write such numbers for joints without limits.
                    let relation = if low == high { "equal to" } else { "above" };
                    let text = format!(
                        "the lower limit {low} is {relation} the upper limit {high}: the coordinate is not bounded; make the joint \
                         fixed to hold it, or continuous"
                    );
                    self.notes.add(NoteKind::Warning, e, text);
                    return Ok(());
                }
                if lower.is_none() || upper.is_none() {
                    let text = "one of lower and upper is not given: it is 0, as the format says";
                    self.notes.add(NoteKind::Converted, e, text);
                }
                j.range = Some([low, high]);
            }
        }
        Ok(())
    }

    /// Attributes that other tools add.
    fn note_foreign(&mut self, e: &Element) {
        const FOREIGN: [&str; 7] = [
            "acceleration",
            "deceleration",
            "jerk",
            "current",
            "gear_velocity",
            "command_effort",
            "soft_velocity",
        ];
        let found: Vec<&str> = FOREIGN.into_iter().filter(|n| e.has(n)).collect();
        if !found.is_empty() {
            e.skip_attributes(&FOREIGN);
            let text = format!("limits of {} are those of a controller: not enforced", found.join(", "));
            self.notes.add(NoteKind::Warning, e, text);
        }
    }
}
