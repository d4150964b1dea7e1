//! The scene on the way, and welds and frames on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::poses::{OnBody, PoseIn, default_positions, free_joint, place_floating, root_of};
use super::transform::read_transform;
use crate::robot::{Group, NotFound, filter_pairs, frame_shape, resolve};
use crate::xml::{Element, Read};
use crate::{Body, CombinationRule, Keyframe, LoadOptions, Place, Pose, Scene, Site};

/// Models put together so far.
pub(super) struct Assembly<'a> {
    pub(super) scene: Scene,
    pub(super) options: &'a LoadOptions,
    /// Frames of models, by their names with `::`.
    pub(super) model_frames: BTreeMap<String, OnBody>,
    /// Positions by default of each joint.
    pub(super) positions: Vec<Vec<f64>>,
    /// Poses by default in frames of bodies.
    pub(super) poses: Vec<PoseIn>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(path: &Path, options: &'a LoadOptions) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default().to_owned();
        let place = Place { file: Some(path.to_path_buf()), element: "world".to_owned(), ..Place::default() };
        let world = Body::massless("world", 0, Pose::identity(), place);
        let mut scene =
            Scene { name, files: vec![path.to_path_buf()], bodies: vec![world], ..Scene::default() };
        scene.options.combination = CombinationRule::Series;
        Self { scene, options, model_frames: BTreeMap::new(), positions: Vec::new(), poses: Vec::new() }
    }

    /// The file that a directive names.
    pub(super) fn find_file(&self, e: &Element) -> Read<PathBuf> {
        let uri = e.required("file")?.trim();
        resolve(uri, &e.file, None, &self.options.mesh_dirs, Path::is_file).map_err(|why| match why {
            NotFound::Scheme(s) => e.unsupported_at(
                "file",
                format!("a file by '{s}://'"),
                "store the file beside the directives and name it with a relative path or package://",
            ),
            NotFound::Nowhere(tried) => e.invalid_at(
                "file",
                format!(
                    "'{uri}' does not exist{}",
                    tried.first().map_or(String::new(), |p| format!("; looked for {}", p.display()))
                ),
                "put it there, or name the folder of the package in ROS_PACKAGE_PATH or the mesh folders of the load options",
            ),
        })
    }

    pub(super) fn note_file(&mut self, path: &Path) {
        if !self.scene.files.iter().any(|f| f == path) {
            self.scene.files.push(path.to_path_buf());
        }
    }

    /// `add_frame`: a frame stated in another.
    pub(super) fn add_frame(&mut self, e: &Element, scope: &str) -> Read<()> {
        let own = e.required("name")?.trim();
        let x = e.need("X_PF")?;
        let t = read_transform(x)?;
        e.finish()?;
        let base = t.base_frame.ok_or_else(|| {
            x.invalid(
                "X_PF has no base_frame",
                "name the frame that it is stated in: base_frame: model::link",
            )
        })?;
        let (body, pose) = self.find_frame(x, "base_frame", base, scope)?;
        // A name without a model is that of the base's model; of the world, one without a namespace, as in Drake.
        let name = match base.rsplit_once("::") {
            _ if own.contains("::") => format!("{scope}{own}"),
            Some((model, _)) => format!("{scope}{model}::{own}"),
            None => own.to_owned(),
        };
        if self.scene.sites.iter().any(|s| s.name == name) || self.scene.body(&name).is_some() {
            return Err(e.invalid_at(
                "name",
                format!("the name '{name}' is used twice"),
                "rename one of them",
            ));
        }
        self.scene.sites.push(Site {
            name,
            body,
            pose: pose * t.pose,
            shape: frame_shape(),
            place: e.place(),
        });
        Ok(())
    }

    /// `add_weld`: holds a frame of a model at another frame.
    pub(super) fn add_weld(&mut self, e: &Element, scope: &str) -> Read<()> {
        let (parent, child) = (self.frame(e, "parent", scope)?, self.frame(e, "child", scope)?);
        let mut between = Pose::identity();
        for c in &e.children {
            if c.name != "X_PC" {
                return Err(e.unknown_child(c, &["parent", "child", "X_PC"]));
            }
            let t = read_transform(c)?;
            if t.base_frame.is_some() {
                return Err(c.invalid_at(
                    "base_frame",
                    "X_PC is stated in the frame of the parent",
                    "remove the key",
                ));
            }
            between = t.pose;
        }
        e.finish()?;
        let pose = parent.1 * between * child.1.inverse();
        let roots = [parent.0, child.0].map(|b| root_of(&self.scene, b));
        let floats = roots.map(|b| b != 0 && free_joint(&self.scene, b).is_some());
        if roots[0] == roots[1] && roots[0] != 0 {
            return Err(e.invalid("the weld closes a loop within a model", "remove it"));
        }
        // A weld holds from both sides.
        let (up, down, pose) = match floats {
            [_, true] => (parent.0, child.0, pose),
            [true, false] => (child.0, parent.0, pose.inverse()),
            [false, false] => {
                let [a, b] = [parent.0, child.0].map(|b| &self.scene.bodies[b].name);
                return Err(e.invalid(
                    format!("the weld closes a loop: the world holds both '{a}' and '{b}'"),
                    "remove it, or hold the loop together by a drake:ball_constraint of an SDFormat file",
                ));
            }
        };
        let key = if down == child.0 { "child" } else { "parent" };
        let Some(joint) = free_joint(&self.scene, root_of(&self.scene, down)) else { return Ok(()) };
        if self.scene.refers_to_joint(joint) {
            return Err(e.unsupported_at(
                key,
                format!(
                    "a weld in place of the joint '{}', to which a motor or sensor refers",
                    self.scene.joints[joint].name
                ),
                "remove these from the model",
            ));
        }
        self.turn_tree(e, key, down)?;
        self.scene.remove_joint(joint);
        self.positions.remove(joint);
        (self.scene.bodies[down].parent, self.scene.bodies[down].pose) = (up, pose);
        Ok(())
    }

    /// Pairs of bodies that the filter groups of a file exclude.
    fn filter(&mut self, scope: &str, root: &Element) -> Read<()> {
        let mut groups = Vec::new();
        for e in root.children.iter().filter_map(|c| c.children.first()) {
            if e.name != "add_collision_filter_group" {
                continue;
            }
            e.no_children()?;
            let inner = match e.nonempty("model_namespace") {
                Some(n) => format!("{scope}{n}::"),
                None => scope.to_owned(),
            };
            let list = |key: &'static str| -> Vec<&str> {
                e.string(key).unwrap_or_default().lines().filter(|l| !l.is_empty()).collect()
            };
            let named =
                |key: &'static str| list(key).into_iter().map(|n| (e, format!("{inner}{n}"))).collect();
            let mut members = Vec::new();
            for m in list("members") {
                members.push(self.find_frame(e, "members", m, &inner)?.0);
            }
            groups.push(Group {
                element: e,
                name: format!("{inner}{}", e.required("name")?),
                members,
                included: named("member_groups"),
                ignored: named("ignored_collision_filter_groups"),
            });
            e.finish()?;
        }
        self.scene.excludes.extend(filter_pairs(&groups)?);
        Ok(())
    }

    /// The scene, in order and checked.
    pub(super) fn finish(mut self, files: &[(String, Element)]) -> Read<Scene> {
        for (scope, root) in files {
            self.filter(scope, root)?;
            root.check_all_read()?;
        }
        let mut scene = self.scene;
        place_floating(&mut scene, self.poses, &self.positions)?;
        let went = scene.sort_bodies();
        scene.excludes.iter_mut().for_each(|p| *p = (p.0.min(p.1), p.0.max(p.1)));
        scene.excludes.sort_unstable();
        scene.excludes.dedup();
        let mut positions = vec![Vec::new(); went.len()];
        for (q, to) in self.positions.into_iter().zip(went) {
            positions[to] = q;
        }
        let (drawn, q) = (scene.reference_positions(), default_positions(&scene, &positions));
        if q != drawn && q.iter().all(|x| x.is_finite()) {
            scene.keyframes.push(Keyframe { name: "home".into(), q, ..Keyframe::default() });
        }
        scene.check_structure()?;
        scene.refuse_unknown(self.options)?;
        Ok(scene)
    }
}
