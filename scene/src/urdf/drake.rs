//! Drake's extensions at the level of the robot: frames and collision filters.

use super::Reader;
use super::origin::read_pose;
use crate::robot::frame_shape;
use crate::xml::{Element, Read, did_you_mean};
use crate::{BodyId, Site};

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
        self.scene.sites.push(Site { name, body, pose, shape: frame_shape(), place: e.place() });
        Ok(())
    }

    /// `drake:collision_filter_group`: links of a group do not collide with those of the groups that it ignores.
    pub(super) fn read_filter_groups(&mut self, robot: &Element) -> Read<()> {
        let mut groups = Vec::new();
        for e in robot.children.iter().filter(|c| c.name == "collision_filter_group") {
            let name = e.required("name")?.to_owned();
            groups.push(self.read_filter_group(e, name, ("link", "name"), |r, c| r.body_of(c, "link"))?);
        }
        self.apply_filter_groups(&groups)
    }

    /// `drake:ball_constraint`: a point of one link is held at a point of another.
    pub(super) fn read_balls(&mut self, robot: &Element) -> Read<()> {
        for e in robot.children.iter().filter(|c| c.name == "ball_constraint") {
            self.read_ball_constraint(e, |r, c| r.body_of(c, "name"))?;
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
