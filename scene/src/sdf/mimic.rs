//! `<mimic>` of an axis and `drake:mimic` of a joint.

use super::Reader;
use super::model::Description;
use crate::robot::{Follower, refuse_loops};
use crate::xml::{Element, Read, did_you_mean};

impl Reader<'_> {
    /// Adds an equality for each joint that follows another.
    pub(super) fn read_mimics(&mut self, d: &Description<'_>) -> Read<()> {
        let mut follows: Vec<Option<(usize, &Element)>> = vec![None; d.joints.len()];
        for (i, item) in d.joints.iter().enumerate() {
            if item.element.is_drake() {
                continue;
            }
            let inner = item.element.only("axis")?.map(|a| a.only("mimic")).transpose()?.flatten();
            let second = item.element.only("axis2")?.map(|a| a.only("mimic")).transpose()?.flatten();
            let outer = item.element.only("mimic")?;
            if let Some(e) = second {
                return Err(e.unsupported("<mimic> of a second axis", "use joints with one coordinate"));
            }
            let Some(e) = inner.or(outer) else { continue };
            if let (Some(_), Some(o)) = (inner, outer) {
                return Err(o.invalid("both <mimic> and <drake:mimic> are given", "keep <mimic>"));
            }
            let name = e.required("joint")?;
            let multiplier = e.number("multiplier")?.unwrap_or(1.0);
            let offset = e.number("offset")?.unwrap_or(0.0);
            let reference = e.number("reference")?.unwrap_or(0.0);
            if e.nonempty("axis").is_some_and(|a| a != "axis") {
                return Err(e.unsupported_at(
                    "axis",
                    "<mimic> of a second axis",
                    "follow a joint with one coordinate",
                ));
            }
            self.finish(e)?;
            let full = format!("{}{name}", d.models[item.model].prefix);
            let Some(leader) = d.joints.iter().position(|j| j.name == full) else {
                let known: Vec<&str> = d.joints.iter().map(|j| j.name.as_str()).collect();
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{name}' does not exist"),
                    format!("name a joint of the model{}", did_you_mean(&full, &known)),
                ));
            };
            follows[i] = Some((leader, e));
            let (own, other) = (self.own.joints[i].clone(), self.own.joints[leader].clone());
            let scalar =
                |r: &std::ops::Range<usize>| r.len() == 1 && self.scene.joints[r.start].kind.nv() == 1;
            if !scalar(&own) || !scalar(&other) {
                return Err(e.unsupported(
                    "mimic between joints without a single coordinate",
                    "use revolute, continuous and prismatic joints",
                ));
            }
            self.add_follower(&Follower {
                element: e,
                joint: own.start,
                name: &item.name,
                leader: Some(other.start),
                offset: offset - multiplier * reference,
                multiplier,
            });
        }
        let names: Vec<&str> = d.joints.iter().map(|j| j.name.as_str()).collect();
        refuse_loops(&names, &follows)?;
        self.start_on_relations();
        Ok(())
    }
}
