//! `add_model`: a model of a file, its positions and poses by default.

use std::path::Path;

use super::assembly::Assembly;
use super::poses::{PoseIn, free_joint, root_of};
use super::transform::read_transform;
use crate::xml::{self, Element, Read, did_you_mean};
use crate::{JointKind, LoadOptions, Note, NoteKind, Place, Scene, mjcf, sdf, urdf};

impl Assembly<'_> {
    pub(super) fn add_model(&mut self, e: &Element, scope: &str) -> Read<()> {
        let name = format!("{scope}{}", e.required("name")?.trim());
        let prefix = format!("{name}::");
        if self.scene.bodies.iter().any(|b| b.name.starts_with(&prefix)) {
            return Err(e.invalid_at(
                "name",
                format!("model name '{name}' is used twice"),
                "rename one of them",
            ));
        }
        let path = self.find_file(e)?;
        let (model, frames) = self.load(e, &path)?;
        let (bodies, joints) = (self.scene.bodies.len(), self.scene.joints.len());
        for (inner, body, pose) in frames {
            let body = if body == 0 { 0 } else { body + bodies - 1 };
            self.model_frames.insert(format!("{prefix}{inner}"), (body, pose));
        }
        self.take(model, &prefix);
        for c in &e.children {
            match c.name.as_str() {
                "default_joint_positions" => self.read_positions(c, &prefix, joints)?,
                "default_free_body_pose" => self.read_poses(c, &prefix, scope)?,
                _ => {
                    return Err(e.unknown_child(
                        c,
                        &["name", "file", "default_joint_positions", "default_free_body_pose"],
                    ));
                }
            }
        }
        e.skip_attributes(&["default_joint_positions", "default_free_body_pose"]);
        e.finish()
    }

    /// Reads the file of a model.
    fn load(&self, e: &Element, path: &Path) -> Read<(Scene, Vec<sdf::ModelFrame>)> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if !["sdf", "urdf", "xml", "mjcf"].contains(&extension.as_str()) {
            return Err(e.unsupported_at(
                "file",
                format!("a model of a file '.{extension}'"),
                "name an SDFormat (.sdf), URDF (.urdf) or MJCF (.xml) file",
            ));
        }
        let root = xml::parse_file(path)?;
        match root.name.as_str() {
            "sdf" => sdf::read(root, path, self.options),
            "mujoco" => Ok((mjcf::read(root, path, self.options)?, Vec::new())),
            "robot" => {
                let names_world = |c: &Element| {
                    let is = |e: &Element, key: &str| {
                        e.attributes.iter().any(|a| a.name == key && a.value == "world")
                    };
                    (c.name == "link" && is(c, "name"))
                        || c.children.iter().any(|p| p.name == "parent" && is(p, "link"))
                };
                let floating_base = !root.children.iter().any(names_world);
                let options = LoadOptions { floating_base, ..self.options.clone() };
                Ok((urdf::read(&root, path, &options)?, Vec::new()))
            }
            other => Err(root.invalid(
                format!("root element <{other}> is not that of a model"),
                "an SDFormat file has the root element <sdf>, a URDF file <robot>, an MJCF file <mujoco>",
            )),
        }
    }

    /// Adds the parts of a model, its positions by default among them.
    fn take(&mut self, mut model: Scene, prefix: &str) {
        model.files.iter().for_each(|f| self.note_file(f));
        let mut q = model.reference_positions();
        let is_mjcf = model.options.combination != self.scene.options.combination;
        match model.keyframes.iter().find(|k| k.name == "home" && !is_mjcf) {
            Some(home) => q.clone_from(&home.q),
            None if model.keyframes.is_empty() => {}
            None => {
                let place = Place { file: model.files.first().cloned(), ..Place::default() };
                let text = "keyframes of a model among others are not read".to_owned();
                self.scene.notes.push(Note { kind: NoteKind::Warning, place, text });
            }
        }
        if is_mjcf {
            let place = Place { file: model.files.first().cloned(), ..Place::default() };
            let text = "settings (<option>) of a model among others are not taken".to_owned();
            self.scene.notes.push(Note { kind: NoteKind::Warning, place, text });
        }
        for (start, j) in model.position_starts().into_iter().zip(&model.joints) {
            self.positions.push(q[start..start + j.kind.nq()].to_vec());
        }
        self.scene.notes.append(&mut model.notes);
        self.scene.append(model, prefix);
    }

    /// `default_joint_positions`: a list of numbers for each joint.
    fn read_positions(&mut self, e: &Element, prefix: &str, from: usize) -> Read<()> {
        e.no_children()?;
        for a in &e.attributes {
            let full = format!("{prefix}{}", a.name);
            let Some(j) = (from..self.scene.joints.len()).find(|&j| self.scene.joints[j].name == full) else {
                let known: Vec<&str> =
                    self.scene.joints[from..].iter().filter_map(|j| j.name.strip_prefix(prefix)).collect();
                return Err(e.invalid_at(
                    &a.name,
                    format!("joint '{}' does not exist", a.name),
                    format!("name a joint of the model{}", did_you_mean(&a.name, &known)),
                ));
            };
            let numbers: Option<Vec<f64>> = a.value.lines().map(|t| t.trim().parse().ok()).collect();
            let wanted = self.scene.joints[j].kind.nq();
            match numbers.filter(|n| n.len() == wanted && n.iter().all(|x| x.is_finite())) {
                Some(n) if self.scene.joints[j].kind != JointKind::Free => self.positions[j] = n,
                Some(_) => {
                    return Err(e.invalid_at(
                        &a.name,
                        "the joint is that of a floating body",
                        "state its pose in default_free_body_pose",
                    ));
                }
                None => {
                    return Err(e.invalid_at(
                        &a.name,
                        format!("the positions are '{}'", a.value.replace('\n', " ")),
                        format!("write a list of {wanted} finite numbers"),
                    ));
                }
            }
        }
        e.skip();
        Ok(())
    }

    /// `default_free_body_pose`: a pose for each floating body.
    fn read_poses(&mut self, e: &Element, prefix: &str, scope: &str) -> Read<()> {
        for c in &e.children {
            let t = read_transform(c)?;
            let Some(body) = self.scene.body(&format!("{prefix}{}", c.name)) else {
                let names = self.scene.bodies.iter().filter_map(|b| b.name.strip_prefix(prefix));
                return Err(c.invalid(
                    format!("body '{}' does not exist", c.name),
                    format!("name a link of the model{}", did_you_mean(&c.name, &names.collect::<Vec<_>>())),
                ));
            };
            let base = t.base_frame.filter(|name| *name != "world");
            // As in Drake, a link is free in a frame that is named, and the root of its model in the world.
            let joint = match base {
                Some(_) => free_joint(&self.scene, root_of(&self.scene, body)),
                None => free_joint(&self.scene, body),
            };
            let Some(joint) = joint else {
                return Err(c.invalid(
                    format!("body '{}' does not float", c.name),
                    "name the root link of a model that floats",
                ));
            };
            match base {
                None => self.scene.bodies[body].pose = t.pose,
                Some(name) => {
                    let base = self.find_frame(c, "base_frame", name, scope)?;
                    if root_of(&self.scene, base.0) == root_of(&self.scene, body) {
                        return Err(c.invalid_at(
                            "base_frame",
                            format!("'{}' is placed in a frame of its own model", c.name),
                            "state it in the world or in a frame of another model",
                        ));
                    }
                    if self.scene.joints[joint].body != body && self.scene.refers_to_joint(joint) {
                        return Err(c.unsupported(
                            format!(
                                "another root than that of the joint '{}', to which a motor or sensor refers",
                                self.scene.joints[joint].name
                            ),
                            "name the root link of the model",
                        ));
                    }
                    self.turn_tree(c, "base_frame", body)?;
                    self.poses.push(PoseIn { body, base, pose: t.pose, place: c.place() });
                }
            }
        }
        e.finish()
    }
}
