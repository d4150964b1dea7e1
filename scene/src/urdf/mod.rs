//! Reader of URDF, the Unified Robot Description Format, with the extensions of Drake (`drake:...`) and Bullet (`<contact>`) that have a
//! meaning for contact and motors.
//!
//! The reader settles points that the format leaves open as follows.
//!
//! - The root link is welded to the world unless [`LoadOptions::floating_base`] is set. A link named `world` is body 0 itself; joints may
//!   name it without defining it.
//! - Every other link is a body, fixed links too; a joint places its child's frame, so that q = 0 is the pose drawn.
//! - Surfaces combine as springs in series ([`CombinationRule::Series`], Drake's rule), and a surface that states no friction has 0.5
//!   (Drake's default).
//! - A mimic joint stays a coordinate and is coupled by an [`crate::Equality`]. Where its offset takes it off the drawn configuration, a keyframe `home` has all joints on their relations.
//! - Links joined by a joint do not collide with each other, those of a fixed base included.
//! - The inertia of a link is that of `<inertial>`. A link without one has none, unless the file has settings of MuJoCo or nothing
//!   that moves with it has mass: then it has that of its colliding shapes at 1000 kg/m³, as in MuJoCo.
//! - Settings of MuJoCo in a `<mujoco>` block are read: `<compiler>`, `<option>`, `<size>`.
//! - Links without a joint to a parent are all fixed to the world, as in MuJoCo.
//! - Elements, attributes and texts that the format does not have are noted; a slip for one that it has is refused.

mod bullet;
mod drake;
mod geometry;
mod inertial;
mod joint;
mod limit;
mod link;
mod material;
mod mimic;
mod mujoco;
mod origin;
mod topology;
mod transmission;
mod tree;

use std::path::Path;

use crate::mjcf::Compiler;
use crate::robot::is_block;
use crate::xml::{self, Element, Read};
use crate::{LoadOptions, NoteKind, Scene, SceneError};

/// Parts that only this format has.
#[derive(Default)]
struct State {
    /// The file has settings of MuJoCo.
    for_mujoco: bool,
    weighed: Vec<mujoco::Weighed>,
    materials: material::Materials,
}

type Reader<'a> = crate::robot::Reader<'a, State>;

impl Scene {
    /// Reads a URDF text; `path` stands for the file in messages, and meshes are looked for from its folder.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn from_urdf(text: &str, path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let root = xml::parse(text, path)?;
        if root.name != "robot" {
            return Err(root.invalid(
                format!("the root element is <{}>", root.name),
                "a URDF file has the root element <robot>",
            ));
        }
        read(&root, path, options)
    }
}

/// Reads a model whose main file has the given root.
pub(crate) fn read(root: &Element, path: &Path, options: &LoadOptions) -> Read<Scene> {
    refuse_xacro(root)?;
    let mut reader = Reader::new(path, options, Compiler::of_urdf(), State::default());
    reader.read_robot(root)?;
    root.check_all_read()?;
    reader.note_texts(root);
    reader.finish_scene()
}

/// Elements of `<robot>`, for messages.
const SECTIONS: [&str; 11] = [
    "link",
    "joint",
    "material",
    "transmission",
    "gazebo",
    "ros2_control",
    "drake:frame",
    "drake:collision_filter_group",
    "drake:ball_constraint",
    "sensor",
    "mujoco",
];

impl Reader<'_> {
    fn read_robot(&mut self, root: &Element) -> Read<()> {
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        self.scene.name = root.nonempty("name").map_or(stem, str::to_owned);
        let version = root.nonempty("version").map(str::trim);
        if let Some(v) = version.filter(|v| *v != "1" && !v.starts_with("1.")) {
            return Err(root.unsupported_at("version", format!("URDF version {v}"), "use version 1.x"));
        }
        self.finish(root)?;
        for e in &root.children {
            self.check_section(root, e)?;
        }
        self.read_mujoco(root)?;
        self.own.materials.collect(root, &mut self.notes)?;
        let topology = topology::Topology::read(root)?;
        let joints = self.build_tree(&topology)?;
        self.finish_masses();
        self.read_mimics(&joints)?;
        self.filter_base_neighbours();
        let all = |name: &'static str| root.children.iter().filter(move |c| c.name == name);
        all("transmission").try_for_each(|e| self.read_transmission(e, &joints))?;
        all("frame").try_for_each(|e| self.read_frame(e))?;
        self.read_filter_groups(root)?;
        self.read_balls(root)?;
        self.scale_total_mass();
        self.warn_massless();
        Ok(())
    }

    /// Notes sections that are left out, refuses those without meaning.
    fn check_section(&mut self, root: &Element, e: &Element) -> Read<()> {
        match e.name.as_str() {
            "link"
            | "joint"
            | "material"
            | "transmission"
            | "frame"
            | "collision_filter_group"
            | "ball_constraint"
            | "mujoco" => Ok(()),
            "gazebo" => {
                self.note_gazebo(e);
                e.skip();
                Ok(())
            }
            "ros2_control" => {
                let text = "<ros2_control> names interfaces of a controller; no motor is made of it";
                self.notes.add(NoteKind::Warning, e, text);
                e.skip();
                Ok(())
            }
            "sensor" => {
                self.notes.add(NoteKind::Warning, e, "<sensor> of a URDF file is not read");
                e.skip();
                Ok(())
            }
            "tendon_constraint" | "linear_bushing_rpy" | "linear_spring_damper" => Err(
                e.unsupported(format!("drake:{}", e.name), "remove it, or use an <equality> of an MJCF file")
            ),
            _ if e.namespace.is_some() && !e.is_drake() && e.namespace != root.namespace => {
                self.notes.add(
                    NoteKind::Warning,
                    e,
                    format!("<{}> belongs to another tool; not read", e.name),
                );
                e.skip();
                Ok(())
            }
            _ => self.leave_out(root, e, &SECTIONS),
        }
    }

    /// Notes the statements of a `<gazebo>` block that bear on motion or contact.
    fn note_gazebo(&mut self, e: &Element) {
        const MECHANICAL: [&str; 14] = [
            "mu1",
            "mu2",
            "mu",
            "kp",
            "kd",
            "minDepth",
            "maxVel",
            "selfCollide",
            "turnGravityOff",
            "springStiffness",
            "springReference",
            "implicitSpringDamper",
            "dampingFactor",
            "provideFeedback",
        ];
        let mut found: Vec<&str> =
            e.children.iter().map(|c| c.name.as_str()).filter(|n| MECHANICAL.contains(n)).collect();
        found.sort_unstable();
        if found.is_empty() {
            self.notes.add(NoteKind::Visual, e, "<gazebo> block, settings of a simulator: not read");
        } else {
            let text = format!(
                "<gazebo> block states {}, which is not read; state contact with drake:proximity_properties and springs in MJCF",
                found.join(", ")
            );
            self.notes.add(NoteKind::Warning, e, text);
        }
    }
}

/// Refuses files that a macro processor has not been through.
fn refuse_xacro(root: &Element) -> Read<()> {
    const REMEDY: &str = "expand the file first: `xacro FILE.urdf.xacro > FILE.urdf`";
    let mut stack = vec![root];
    while let Some(e) = stack.pop() {
        if e.namespace.as_deref().is_some_and(|n| n.contains("xacro")) {
            return Err(e.unsupported(format!("the xacro element <xacro:{}>", e.name), REMEDY));
        }
        if is_block(e) {
            continue;
        }
        if let Some(a) = e.attributes.iter().find(|a| a.value.contains("$(") || a.value.contains("${")) {
            return Err(SceneError::Unsupported {
                place: e.place_of(&a.name),
                feature: format!("the xacro expression '{}'", a.value),
                remedy: REMEDY.to_owned(),
            });
        }
        stack.extend(e.children.iter().rev());
    }
    Ok(())
}
