//! Drake's extensions at the level of the robot: frames and collision filters.

use std::collections::BTreeMap;

use signorini_geometry::Shape;

use super::Reader;
use super::origin::read_pose;
use crate::xml::{Element, Read, did_you_mean};
use crate::{BodyId, Site};

/// Radius \[m\] of the ball that stands for a frame's volume, MuJoCo's default for sites.
const FRAME_RADIUS: f64 = 0.005;

impl Reader<'_> {
    /// `drake:frame`: a named frame on a link.
    pub(super) fn read_frame(&mut self, e: &Element) -> Read<()> {
        let name = e.required("name")?.to_owned();
        let body = self.body_of(e, "link")?;
        let pose = read_pose(e)?;
        e.no_children()?;
        e.finish()?;
        if let Some(first) = self.scene.sites.iter().find(|s| s.name == name) {
            return Err(e.invalid_at(
                "name",
                format!("frame name '{name}' is used twice, first at {}", first.place),
                "rename one of them",
            ));
        }
        let shape = Shape::Sphere { radius: FRAME_RADIUS };
        self.scene.sites.push(Site { name, body, pose, shape, place: e.place() });
        Ok(())
    }

    /// `drake:collision_filter_group`: links of a group do not collide with those of the groups that it ignores.
    pub(super) fn read_filter_groups(&mut self, robot: &Element) -> Read<()> {
        const CHILDREN: [&str; 3] =
            ["drake:member", "drake:member_group", "drake:ignored_collision_filter_group"];
        let groups: Vec<&Element> =
            robot.children.iter().filter(|c| c.name == "collision_filter_group").collect();
        let mut members: BTreeMap<&str, Vec<BodyId>> = BTreeMap::new();
        for e in &groups {
            let name = e.required("name")?;
            let mut bodies = Vec::new();
            for c in &e.children {
                c.no_children()?;
                match c.name.as_str() {
                    "member" => bodies.push(self.body_of(c, "link")?),
                    "ignored_collision_filter_group" => _ = c.required("name")?,
                    "member_group" => {
                        return Err(
                            c.unsupported("a group of collision filter groups", "list its links as members")
                        );
                    }
                    _ => return Err(e.unknown_child(c, &CHILDREN)),
                }
                c.finish()?;
            }
            if e.nonempty("ignore").is_some() {
                return Err(e.unsupported_at(
                    "ignore",
                    "the attribute 'ignore'",
                    "remove it, or remove the group",
                ));
            }
            e.finish()?;
            if members.insert(name, bodies).is_some() {
                return Err(e.invalid_at(
                    "name",
                    format!("group '{name}' is defined twice"),
                    "rename one of them",
                ));
            }
        }
        for e in groups {
            let own = members.get(e.string("name").unwrap_or_default()).cloned().unwrap_or_default();
            for c in e.children.iter().filter(|c| c.name == "ignored_collision_filter_group") {
                let name = c.string("name").unwrap_or_default();
                let Some(other) = members.get(name) else {
                    let known: Vec<&str> = members.keys().copied().collect();
                    return Err(c.invalid_at(
                        "name",
                        format!("group '{name}' does not exist"),
                        format!("name a group of the robot{}", did_you_mean(name, &known)),
                    ));
                };
                for &a in &own {
                    for &b in other {
                        let pair = (a.min(b), a.max(b));
                        if a != b && !self.scene.excludes.contains(&pair) {
                            self.scene.excludes.push(pair);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The body of the link that an attribute names.
    fn body_of(&self, e: &Element, attribute: &'static str) -> Read<BodyId> {
        let name = e.required(attribute)?;
        self.scene.body(name).ok_or_else(|| {
            let known: Vec<&str> = self.scene.bodies.iter().map(|b| b.name.as_str()).collect();
            e.invalid_at(
                attribute,
                format!("link '{name}' does not exist"),
                format!("name a link of the robot{}", did_you_mean(name, &known)),
            )
        })
    }
}
