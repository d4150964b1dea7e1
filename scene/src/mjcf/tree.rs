//! `<worldbody>`: bodies, frames and the elements on them, depth-first in file order.

use super::Reader;
use super::compiler::FromGeoms;
use super::inertia::Inertial;
use super::orientation::read_pose;
use crate::xml::{Element, Read};
use crate::{Body, NoteKind, Place, Pose};

const CONTENTS: [&str; 10] =
    ["body", "frame", "joint", "freejoint", "inertial", "geom", "site", "camera", "light", "include"];

impl Reader<'_> {
    /// All `<worldbody>` elements, one after the other.
    pub(super) fn read_tree<'e>(&mut self, worlds: impl Iterator<Item = &'e Element> + Clone) -> Read<()> {
        let place = worlds.clone().next().map(Element::place).unwrap_or(Place {
            file: Some(self.compilers[0].model.clone()),
            element: "worldbody".to_owned(),
            ..Place::default()
        });
        self.names.bodies.add(Some("world"), 0, &place)?;
        self.push_body("world".to_owned(), 0, Pose::identity(), place, 0);
        let classes = worlds
            .clone()
            .map(|w| {
                let class = self.defaults.named(w, "childclass")?.unwrap_or(0);
                w.skip_attributes(&["name"]);
                w.finish()?;
                Ok(class)
            })
            .collect::<Read<Vec<_>>>()?;
        for (w, class) in worlds.clone().zip(&classes) {
            self.read_contents(w, 0, *class, &Pose::identity())?;
        }
        for (w, class) in worlds.zip(&classes) {
            self.read_children(w, 0, *class, &Pose::identity())?;
        }
        Ok(())
    }

    fn push_body(&mut self, name: String, parent: usize, pose: Pose, place: Place, origin: usize) {
        self.scene.bodies.push(Body::massless(name, parent, pose, place));
        self.origins.bodies.push(origin);
        self.moving.push(false);
        self.masses.needed.push(false);
        self.masses.stated.push(None);
    }

    /// A body, its contents, then its child bodies.
    fn read_body(&mut self, e: &Element, parent: usize, class: usize, frame: &Pose) -> Read<()> {
        let index = self.scene.bodies.len();
        let class = self.defaults.named(e, "childclass")?.unwrap_or(class);
        let name = e.nonempty("name").map(str::to_owned);
        let place = e.place();
        self.names.bodies.add(name.as_deref(), index, &place)?;
        let pose = frame * read_pose(e, &self.compilers[e.origin])?;
        self.push_body(name.unwrap_or_default(), parent, pose, place, e.origin);
        self.read_body_settings(e, index)?;
        let jointed = has_child(e, &["joint", "freejoint"]);
        self.moving[index] = self.moving[parent] || jointed;
        self.masses.needed[index] = match self.compilers[e.origin].from_geoms {
            FromGeoms::Always => true,
            FromGeoms::Never => false,
            FromGeoms::WhenMissing => !has_child(e, &["inertial"]),
        };
        if self.scene.bodies[index].mocap && (parent != 0 || jointed) {
            return Err(e.invalid_at(
                "mocap",
                "a mocap body has joints or a parent other than the world",
                "put it into <worldbody> without joints; bodies on it may have joints",
            ));
        }
        e.finish()?;
        self.read_contents(e, index, class, &Pose::identity())?;
        self.read_children(e, index, class, &Pose::identity())
    }

    fn read_body_settings(&mut self, e: &Element, index: usize) -> Read<()> {
        let body = &mut self.scene.bodies[index];
        body.mocap = e.boolean("mocap")?.unwrap_or(false);
        body.gravity_compensation = e.number("gravcomp")?.unwrap_or(0.0);
        e.skip_attributes(&["user", "fuse", "simple"]);
        if let Some(s) = e.string("sleep").filter(|s| *s != "auto") {
            self.notes.add(NoteKind::Converted, e, format!("sleep=\"{s}\": bodies never sleep here"));
        }
        Ok(())
    }

    /// Everything on a body except its child bodies, through frames.
    fn read_contents(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        for c in &e.children {
            match c.name.as_str() {
                "geom" => self.add_geom(c, body, class, frame)?,
                "site" => self.add_site(c, body, class, frame)?,
                "joint" | "freejoint" if body == 0 => {
                    return Err(c.invalid("the world has a joint", "put the joint into a <body>"));
                }
                "joint" | "freejoint" => self.add_joint(c, body, class, frame)?,
                "inertial" => self.read_inertial(e, c, body, frame)?,
                "camera" => self.add_camera(c, body, class, frame)?,
                "light" => {
                    self.notes.visual(c, "light");
                    c.skip();
                }
                "frame" => {
                    let (class, pose) = self.read_frame(c, class, frame)?;
                    self.read_contents(c, body, class, &pose)?;
                }
                "body" => {}
                other => return Err(self.refuse_content(e, c, other)),
            }
        }
        Ok(())
    }

    /// The child bodies of a body, through frames.
    fn read_children(&mut self, e: &Element, body: usize, class: usize, frame: &Pose) -> Read<()> {
        for c in &e.children {
            match c.name.as_str() {
                "body" => self.read_body(c, body, class, frame)?,
                "frame" => {
                    let (class, pose) = self.read_frame(c, class, frame)?;
                    self.read_children(c, body, class, &pose)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn read_frame(&self, e: &Element, class: usize, outer: &Pose) -> Read<(usize, Pose)> {
        let class = self.defaults.named(e, "childclass")?.unwrap_or(class);
        e.skip_attributes(&["name"]);
        let pose = outer * read_pose(e, &self.compilers[e.origin])?;
        e.finish()?;
        Ok((class, pose))
    }

    fn refuse_content(&self, parent: &Element, c: &Element, name: &str) -> crate::SceneError {
        let remedy = match name {
            "composite" => {
                "write its bodies, joints and geoms out (mj_saveLastXML of MuJoCo 3 does; MuJoCo 4 does not read it)"
            }
            "flexcomp" => "remove it: deformable bodies are not part of MJCF import",
            "plugin" => "remove the plugin",
            _ => return parent.unknown_child(c, &CONTENTS),
        };
        c.unsupported(format!("<{name}>"), remedy)
    }

    /// A later `<inertial>` in a frame of its own holds, as in MuJoCo. MuJoCo keeps the orientation of an earlier one; such files are refused.
    fn read_inertial(&mut self, parent: &Element, c: &Element, body: usize, frame: &Pose) -> Read<()> {
        if body == 0 {
            return Err(
                c.invalid("<inertial> is not in a <body>", "move it to the body whose inertia it states")
            );
        }
        if let Some(earlier) = &self.masses.stated[body] {
            let together = parent.children.iter().filter(|x| x.name == "inertial").count() > 1;
            if together || earlier.is_oriented {
                return Err(c.invalid("the body has a second <inertial>", "keep one"));
            }
            self.notes.add(
                NoteKind::Warning,
                c,
                "the body has an earlier <inertial>, which does not count; keep one",
            );
        }
        self.masses.stated[body] = Some(Inertial::read(c, &self.compilers[c.origin], frame)?);
        Ok(())
    }
}

/// Whether one of the elements is on the body, through frames.
fn has_child(e: &Element, names: &[&str]) -> bool {
    e.children.iter().any(|c| names.contains(&c.name.as_str()) || (c.name == "frame" && has_child(c, names)))
}
