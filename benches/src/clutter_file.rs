use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use signorini_core::na::{Matrix3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{MassProperties, Shape};
use signorini_scene::{CombinationRule, Keyframe, Pose, Scene, SceneBuilder, SceneError};

/// A scene in the format `clutter-1` of `benches/peers/README.md`: free bodies that fall among fixed geometries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "fields that only document the file must be named, or they would be unknown")]
pub struct ClutterFile {
    format: String,
    name: String,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    units: String,
    /// Simulated time \[s\].
    pub duration: f64,
    gravity: [f64; 3],
    combination: String,
    stiction_tolerance: f64,
    materials: BTreeMap<String, Material>,
    #[serde(default)]
    never_collide: Vec<[String; 2]>,
    kinds: BTreeMap<String, Kind>,
    fixed: Vec<Geometry>,
    bodies: Vec<FreeBody>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Material {
    stiffness: f64,
    dissipation: f64,
    static_friction: f64,
    dynamic_friction: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    mass: f64,
    inertia_diagonal: [f64; 3],
    geometries: Vec<Geometry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Geometry {
    #[serde(default)]
    name: Option<String>,
    shape: String,
    #[serde(default)]
    radius: Option<f64>,
    #[serde(default)]
    half_extents: Option<[f64; 3]>,
    position: [f64; 3],
    #[serde(default)]
    quat_wxyz: Option<[f64; 4]>,
    material: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FreeBody {
    name: String,
    kind: String,
    position: [f64; 3],
    quat_wxyz: [f64; 4],
    linear_velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

/// Why a file could not be read.
#[derive(Debug)]
pub enum FileError {
    /// The file is missing or not of the format.
    Format(String),
    /// The scene is not valid.
    Scene(SceneError),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Format(e) => f.write_str(e),
            Self::Scene(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

impl From<SceneError> for FileError {
    fn from(e: SceneError) -> Self {
        Self::Scene(e)
    }
}

impl ClutterFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The missing or malformed entry, with the file's name.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let fail = |e: &dyn std::fmt::Display| FileError::Format(format!("{}: {e}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| fail(&e))?;
        let file: Self = serde_json::from_str(&text).map_err(|e| fail(&e))?;
        let only_boxes = file.never_collide.iter().flatten().all(|s| s == "box");
        if file.format != "clutter-1" || file.combination != "harmonic" || !only_boxes {
            let expected = "format clutter-1, combination harmonic and never_collide of boxes alone";
            return Err(fail(&format!("expected {expected}")));
        }
        Ok(file)
    }

    /// The scene; its keyframe `start` holds the initial velocities.
    ///
    /// # Errors
    /// Unknown kinds, shapes and materials, sizes that are not positive.
    pub fn scene(&self) -> Result<Scene, FileError> {
        let mut b = SceneBuilder::new(&self.name).gravity(self.gravity).options(|o| {
            o.combination = CombinationRule::Series;
            o.contact.stiction_speed = self.stiction_tolerance;
        });
        b = b.world();
        for g in &self.fixed {
            b = self.geometry(b, g)?;
        }
        let (mut q, mut v) = (Vec::new(), Vec::new());
        for body in &self.bodies {
            let unknown = || FileError::Format(format!("body '{}': unknown kind '{}'", body.name, body.kind));
            let kind = self.kinds.get(&body.kind).ok_or_else(unknown)?;
            let pose = pose(body.position, body.quat_wxyz);
            b = b.body(&body.name).at(body.position).rotated(pose.rotation).free_joint();
            b = b.mass_properties(MassProperties {
                mass: kind.mass,
                com: Point3::origin(),
                inertia: Matrix3::from_diagonal(&Vector3::from(kind.inertia_diagonal)),
            });
            for g in &kind.geometries {
                b = self.geometry(b, g)?;
            }
            q.extend(body.position);
            q.extend(body.quat_wxyz);
            v.extend(body.linear_velocity);
            v.extend((pose.rotation.inverse() * Vector3::from(body.angular_velocity)).iter());
        }
        let key = Keyframe { name: "start".into(), q, v, ..Keyframe::default() };
        Ok(b.keyframe(key).build()?)
    }

    fn geometry(&self, b: SceneBuilder, g: &Geometry) -> Result<SceneBuilder, FileError> {
        let label = g.name.as_deref().unwrap_or(&g.shape);
        let fail = |what: &str| FileError::Format(format!("geometry '{label}': {what}"));
        let m = self.materials.get(&g.material).ok_or_else(|| fail("unknown material"))?;
        let shape = match (g.shape.as_str(), g.radius, g.half_extents) {
            ("sphere", Some(radius), None) => Shape::Sphere { radius },
            ("box", None, Some(h)) => Shape::Box { half_extents: h.into() },
            _ => return Err(fail("expected a sphere with radius or a box with half_extents")),
        };
        // Boxes (type 2) never meet boxes when the file says so.
        let filtered = !self.never_collide.is_empty();
        let mask = match (filtered, g.shape.as_str()) {
            (true, "box") => [2, 1],
            (true, _) => [1, 3],
            _ => [1, 1],
        };
        let pose = pose(g.position, g.quat_wxyz.unwrap_or([1.0, 0.0, 0.0, 0.0]));
        Ok(b.shape(shape).geom_pose(pose).geom_with(|geom| {
            [geom.mask.contype, geom.mask.conaffinity] = mask;
            geom.surface.friction = m.static_friction;
            geom.surface.friction_dynamic = Some(m.dynamic_friction);
            geom.surface.stiffness = Some(m.stiffness);
            geom.surface.dissipation = Some(m.dissipation);
        }))
    }
}

fn pose(p: [f64; 3], [w, x, y, z]: [f64; 4]) -> Pose {
    Pose::from_parts(Translation3::from(p), UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z)))
}
