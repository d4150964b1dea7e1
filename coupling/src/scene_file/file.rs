//! Scene files as they are written.

use std::path::{Path, PathBuf};

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{Shape, TriangleMesh};
use signorini_mpm::{Border, ClothMaterial, Wall, sheet};
use toml::de::DeTable;

use super::keys;
use super::material::{Solid, elastic};
use super::section::{Named, Numbers, SceneFileError, Section, Source};

/// Most particles of a scene.
pub(super) const MOST: f64 = 5e6;
/// Rows of a recording in a second, unless told otherwise.
const RATE: f64 = 60.0;
/// Largest coefficient of friction.
const ROUGHEST: f64 = 1e3;
/// Most steps of the bodies in a run.
const MOST_STEPS: f64 = 1e8;
/// Fastest start of points \[m/s\] and \[rad/s\].
const FASTEST: f64 = 1e3;
/// Thickest sheet, of its extent.
const THICKEST: f64 = 0.1;

const BORDERS: [&str; 3] = ["sticky", "slip", "rubbing"];
const SHAPES: [&str; 5] = ["box", "sphere", "cylinder", "capsule", "ellipsoid"];

/// A scene file: a model, bodies of points and cloth beside it, and how they are run.
///
/// ```toml
/// model = "arm_gripper.xml"          # MJCF, URDF, SDFormat or directives, beside this file; $NAME at the start is that of the environment
/// keyframe = "home"                  # of the model; its `home` if it is left out
/// motion = [[0.0, "home"], [1.0, "grasp"]]   # controls go from those of one keyframe to those of the next [s]
/// time = 2.0                         # [s]
/// step = 2e-3                        # of the bodies [s]
/// spacing = 0.01                     # of the grid [m]; a sixth of the smallest size of a body if it is left out
///
/// [[points]]
/// name = "jelly"
/// shape = "box"                      # box, sphere, cylinder, capsule, ellipsoid, or mesh = "file.obj"
/// size = [0.04, 0.04, 0.04]          # edges; diameter; diameter and height; diameters
/// position = [0.5, 0.0, 0.02]        # [m]
/// material = "elastic"               # elastic, plastic, sand, snow or liquid: see [`Solid`] for their keys
/// young = 3e4                        # [Pa]
/// density = 1000                     # [kg/m³]
///
/// [[pins]]
/// of = "jelly"                       # the body or cloth whose points are held
/// to = "hand"                        # the geom or body that holds them, where it is at the start; the world if it is left out
/// center = [0.5, 0.0, 0.04]          # points in a ball [m]
/// radius = 0.01                      # [m]
/// stiffness = 500                    # of each point [N/m], with damping [N·s/m]; as rigid as a step can tell if it is left out
/// until = 1.5                        # when they let go [s]; never if it is left out
///
/// [[walls]]                          # a border of the grid, without a body; bodies of the model do not know it
/// point = [0.0, 0.0, 0.0]            # of its plane [m]
/// normal = [0.0, 0.0, 1.0]           # to the side where points are
/// border = "rubbing"                 # sticky, slip or rubbing, with friction
/// friction = 0.3
///
/// [contact]
/// depth = 5e-4                       # how deep the surface is pressed [m] by a tenth of the stiffest modulus, the weight of the heaviest body or the impact ρ c v + ρ h v²/depth of the hardest, whichever is most
/// friction = 0.8                     # that of each geom if it is left out; a body may have its own with all geoms
///
/// [keyframes.cup]                    # one of one's own: angles of hinges [rad], ways of slides [m] and controls by name, all else as in `home`
/// finger_1 = 0.8                     # servos of a joint that is named are told the same
/// ```
/// All keys: [`crate::scene_file_keys`], and the table in `SUPPORT.md`.
///
/// Points meet geoms as particles: bodies rest on geoms with their outermost particles, a quarter of a cell of the grid inside their shape. Bodies of points meet each other on the grid, about a cell apart, and stick there.
#[derive(Debug)]
pub struct SceneFile {
    /// The file.
    pub path: PathBuf,
    /// The model.
    pub model: PathBuf,
    /// Meshes of the model collide as they are, not as their convex hulls.
    pub mesh_surfaces: bool,
    /// The root link of a URDF moves freely.
    pub floating: bool,
    /// Height of a half-space under the model \[m\].
    pub floor: Option<f64>,
    /// Rows of a recording in a second \[1/s\].
    pub rate: f64,
    /// Keyframe at the start.
    pub keyframe: Option<Named>,
    /// Keyframes of the file's own: positions of joints with one coordinate (hinges \[rad\], slides \[m\]) and controls of actuators, by name.
    pub keyframes: Vec<Numbers>,
    /// Keyframes whose controls are held from a time \[s\] on, and between which controls go.
    pub motion: Vec<(f64, Named)>,
    /// End \[s\].
    pub time: f64,
    /// Step of the bodies \[s\].
    pub step: f64,
    /// Spacing of the grid \[m\].
    pub spacing: Option<f64>,
    /// [`signorini_mpm::MpmOptions::damping_time`] \[s\].
    pub damping_time: f64,
    /// [`signorini_mpm::MpmOptions::transfer_time`] \[s\]; 0 where the file has none.
    pub transfer_time: f64,
    /// Most passes of a step until points and bodies have met each other's motion; 1 for none.
    pub iterations: u32,
    /// Bodies of points, then cloth.
    pub bodies: Vec<Body>,
    /// Points that are held.
    pub pins: Vec<PinTable>,
    /// Borders of the grid, with their lines.
    pub walls: Vec<(Wall, usize)>,
    /// Contact of points with geoms.
    pub contact: ContactTable,
}

/// A body of points or a cloth.
#[derive(Debug)]
pub struct Body {
    /// Name.
    pub name: String,
    /// Line in the file.
    pub line: usize,
    /// Pose \[m\].
    pub pose: Isometry3<f64>,
    /// \[m/s\].
    pub velocity: Vector3<f64>,
    /// About its centre of mass \[rad/s\].
    pub angular_velocity: Vector3<f64>,
    /// Young's modulus, or the bulk modulus of a liquid \[Pa\].
    pub modulus: f64,
    /// \[kg/m³\].
    pub density: f64,
    /// Coefficient of friction with all geoms, in place of theirs.
    pub friction: Option<f64>,
    /// Its parts.
    pub kind: Kind,
}

/// Parts of a body.
#[derive(Debug)]
pub enum Kind {
    /// A solid.
    Solid {
        /// Shape in its own frame.
        shape: Shape,
        /// Material.
        material: Solid,
    },
    /// A sheet.
    Cloth {
        /// Triangles in their own frame.
        mesh: Box<TriangleMesh>,
        /// Material.
        material: ClothMaterial,
    },
}

/// Points of a body that are held at a geom, or in the world.
#[derive(Clone, Debug)]
pub struct PinTable {
    /// Name of the body.
    pub of: Named,
    /// Name of the geom or body; the world if it is left out.
    pub to: Option<Named>,
    /// Middle of the ball of points \[m\].
    pub center: Vector3<f64>,
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Stiffness \[N/m\] of each, infinite for rigid, and damping \[N·s/m\].
    pub spring: [f64; 2],
    /// Time at which it lets go \[s\]; infinite for never.
    pub until: f64,
    /// Line in the file.
    pub line: usize,
}

/// Contact of points with geoms.
#[derive(Clone, Debug, Default)]
pub struct ContactTable {
    /// Line in the file.
    pub line: usize,
    /// Names of geoms and bodies; all that collide if it is left out.
    pub with: Option<Vec<Named>>,
    /// Depth at which the surface is pressed by a tenth of the stiffest modulus, the weight of the heaviest body, or the impact of the hardest \[m\].
    pub depth: Option<f64>,
    /// Stiffness of the surface in place of it \[N/m³\].
    pub stiffness: Option<f64>,
    /// \[s/m\].
    pub dissipation: Option<f64>,
    /// Coefficient of friction.
    pub friction: Option<f64>,
    /// \[m/s\].
    pub stiction_speed: Option<f64>,
}

type Found<T> = Result<T, SceneFileError>;

impl SceneFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`SceneFileError`]: the file, the line, the entry and the remedy.
    pub fn read(path: impl AsRef<Path>) -> Found<Self> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|source| SceneFileError::Read { path: path.into(), source })?;
        Self::parse_whose_model(&text, path, |model| {
            let why = "no such file; give the path of an MJCF, URDF or SDFormat file from the folder of this file, or from the root";
            if model.is_file() { Ok(()) } else { Err(format!("{}: {why}", model.display())) }
        })
    }

    /// Reads the text of a file; other files are sought beside `path`. The model may be absent.
    ///
    /// # Errors
    /// As [`SceneFile::read`].
    pub fn parse(text: &str, path: &Path) -> Found<Self> {
        Self::parse_whose_model(text, path, |_| Ok(()))
    }

    fn parse_whose_model(
        text: &str,
        path: &Path,
        check: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Found<Self> {
        let source = Source { path, text };
        let whole = DeTable::parse(text).map_err(|e| {
            let at = e.span().unwrap_or_default();
            let word = text.get(at.clone()).filter(|w| !w.is_empty() && !w.contains('\n'));
            let here = word.map_or(String::new(), |w| format!(" at '{w}'"));
            source.error(&at, format!("{}{here}", e.message()))
        })?;
        let none = DeTable::default();
        let top = Section::new(source, "", 0..0, whole.get_ref(), &keys::names(&keys::WHOLE))?;
        let model = top.named("model", "a path to an MJCF, URDF or SDFormat file")?;
        let model = model
            .ok_or_else(|| top.wrong("model is missing; give a path to an MJCF, URDF or SDFormat file"))?;
        let contact = top.table("contact", &keys::names(&keys::CONTACT), &none)?;
        if contact.has("depth") && contact.has("stiffness") {
            return Err(contact.wrong_at("depth", "leave it out beside a stiffness, or the stiffness"));
        }
        let mut bodies = Vec::new();
        for s in top.tables("points", &keys::of_points())? {
            bodies.push(solid(&s, path)?);
        }
        for s in top.tables("cloth", &keys::names(&keys::CLOTH))? {
            bodies.push(cloth(&s, path)?);
        }
        if bodies.is_empty() {
            return Err(top.wrong("no [[points]] and no [[cloth]]; add a body, or run the model alone"));
        }
        if let Some((i, b)) =
            bodies.iter().enumerate().find(|(i, b)| bodies[..*i].iter().any(|o| o.name == b.name))
        {
            let why =
                format!("the name '{}' is that of another body; give body {} one of its own", b.name, i + 1);
            return Err(SceneFileError::Entry { path: path.into(), line: b.line, why });
        }
        let pins = top.tables("pins", &keys::names(&keys::PINS))?.iter().map(pin).collect::<Found<_>>()?;
        let walls =
            top.tables("walls", &keys::names(&keys::WALLS))?.iter().map(wall).collect::<Found<_>>()?;
        let above = |x: f64| x > 0.0;
        let iterations = top.number("iterations", "a whole number of passes, 1 to 100", |x| {
            x.fract() == 0.0 && (1.0..=100.0).contains(&x)
        })?;
        let motion = top.times(
            "motion",
            "pairs of a time ≥ 0 s and a keyframe, as [[0.0, \"home\"], [1.0, \"grasp\"]]",
        )?;
        if let Some(pair) = motion.windows(2).find(|p| p[1].0 <= p[0].0) {
            return Err(top.wrong_at(
                "motion",
                format!("{} s comes after {} s; give rising times", pair[1].0, pair[0].0),
            ));
        }
        let time = top.number("time", "s > 0", above)?.unwrap_or(5.0);
        let step = top.number("step", "s > 0", above)?.unwrap_or(time.min(2e-3));
        if step > time {
            return Err(top.wrong_at(
                "step",
                format!("{step} s is longer than the run of {time} s; take a shorter one"),
            ));
        }
        if time / step > MOST_STEPS {
            let why = format!(
                "{step} s makes {:.1e} steps of the run of {time} s, more than {MOST_STEPS:e}; take a longer one",
                time / step
            );
            return Err(top.wrong_at("step", why));
        }
        let model = beside(path, &model.name)
            .and_then(|model| check(&model).map(|()| model))
            .map_err(|why| top.wrong_at("model", why))?;
        Ok(Self {
            path: path.into(),
            model,
            mesh_surfaces: top.flag("mesh_surfaces")?,
            floating: top.flag("floating")?,
            floor: top.number("floor", "a height [m]", |_| true)?,
            rate: top.number("rate", "rows of the recording in a second, 1/s > 0", above)?.unwrap_or(RATE),
            keyframe: top.named("keyframe", "the name of a keyframe")?,
            keyframes: top.groups(
                "keyframes",
                "tables of numbers under the names of joints and actuators, as [keyframes.cup]",
            )?,
            motion,
            time,
            step,
            spacing: top.number("spacing", "m > 0", above)?,
            damping_time: top.number("damping_time", "s > 0", above)?.unwrap_or(f64::INFINITY),
            transfer_time: top
                .number("transfer_time", "s > 0; leave it out for affine transfers alone", above)?
                .unwrap_or(0.0),
            iterations: iterations.map_or(1, |n| n as u32),
            bodies,
            pins,
            walls,
            contact: ContactTable {
                line: contact.line(),
                with: contact.all_named("with", "names of geoms or bodies, as [\"palm\", \"thumb\"]")?,
                depth: contact.number("depth", "m > 0", above)?,
                stiffness: contact.number("stiffness", "N/m³ > 0", above)?,
                dissipation: contact.number("dissipation", "s/m ≥ 0", |x| x >= 0.0)?,
                friction: friction(&contact, "friction")?,
                stiction_speed: contact.number("stiction_speed", "m/s > 0", above)?,
            },
        })
    }

    /// An error of a line.
    pub(super) fn wrong(&self, line: usize, why: impl Into<String>) -> SceneFileError {
        SceneFileError::Entry { path: self.path.clone(), line, why: why.into() }
    }
}

/// A path beside a file, or below a folder that the environment names: `$NAME/…`.
fn beside(file: &Path, path: &str) -> Result<PathBuf, String> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let Some(rest) = path.strip_prefix('$') else { return Ok(folder.join(path)) };
    let (name, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let root = std::env::var_os(name).ok_or_else(|| {
        format!("the environment has no {name}; set it to the folder that the path starts in, or give a path beside this file")
    })?;
    Ok(Path::new(&root).join(rest))
}

/// A body of a kind, at its pose and with its velocity.
fn body(s: &Section<'_>, [modulus, density]: [f64; 2], kind: Kind) -> Found<Body> {
    let position = s.vector("position", "three numbers [m]")?.unwrap_or_default();
    let turns = s.vector("rotation", "three angles about the axes x, y and z of the world, in turn [°]")?;
    let [x, y, z] = turns.unwrap_or_default().map(f64::to_radians).into();
    let pose =
        Isometry3::from_parts(Translation3::from(position), UnitQuaternion::from_euler_angles(x, y, z));
    let speed = |key: &str, unit: &str| {
        let v = s.vector(key, &format!("three numbers [{unit}]"))?.unwrap_or_default();
        if v.norm() > FASTEST {
            let why = format!("{:.3e} {unit} is more than {FASTEST:.0e}; give a slower start", v.norm());
            return Err(s.wrong_at(key, why));
        }
        Ok(v)
    };
    let (velocity, angular_velocity) = (speed("velocity", "m/s")?, speed("angular_velocity", "rad/s")?);
    let friction = friction(s, "friction")?;
    s.named("name", "a name, in quotes")?;
    let (name, line) = (s.own_name(), s.line());
    Ok(Body { name, line, pose, velocity, angular_velocity, modulus, density, friction, kind })
}

fn friction(s: &Section<'_>, key: &str) -> Found<Option<f64>> {
    s.number(key, &format!("a number from 0 to {ROUGHEST}"), |x| (0.0..=ROUGHEST).contains(&x))
}

fn load(s: &Section<'_>, file: &Path) -> Found<Option<TriangleMesh>> {
    let Some(path) = s.named("mesh", "a path to an OBJ or STL file")? else {
        return match s.has("scale") {
            true => Err(s.wrong_at("scale", "leave it out without a mesh")),
            false => Ok(None),
        };
    };
    if let Some(other) = ["shape", "size"].into_iter().find(|k| s.has(k)) {
        return Err(s.wrong_at(other, "leave it out beside a mesh"));
    }
    let path = beside(file, &path.name).map_err(|why| s.wrong_at("mesh", why))?;
    let scale = s.number("scale", "metres to a unit of the mesh, > 0", |x| x > 0.0)?;
    let mesh = TriangleMesh::load(&path).map_err(|e| s.wrong_at("mesh", e.to_string()))?;
    let mesh = match scale {
        Some(k) => mesh.scaled(Vector3::repeat(k)).map_err(|e| s.wrong_at("scale", e.to_string()))?,
        None => mesh,
    };
    Ok(Some(mesh))
}

fn shape(s: &Section<'_>) -> Found<Shape> {
    let kind = s.word("shape", &SHAPES)?.ok_or_else(|| s.wrong("shape is missing; give one, or a mesh"))?;
    let half = |x: f64| 0.5 * x;
    Ok(match kind {
        "box" => Shape::Box { half_extents: Vector3::from(s.sizes("size", "three edges > 0 m")?).map(half) },
        "ellipsoid" => {
            Shape::Ellipsoid { semi_axes: Vector3::from(s.sizes("size", "three diameters > 0 m")?).map(half) }
        }
        "sphere" => {
            let [diameter] = s.sizes("size", "a diameter > 0 m, as [0.05]")?;
            Shape::Sphere { radius: half(diameter) }
        }
        _ => {
            let [diameter, height] = s.sizes("size", "a diameter and a height > 0 m, as [0.05, 0.1]")?;
            let (radius, half_length) = (half(diameter), half(height));
            if kind == "cylinder" {
                Shape::Cylinder { radius, half_length }
            } else if half_length > radius {
                Shape::Capsule { radius, half_length: half_length - radius }
            } else {
                return Err(s.wrong_at(
                    "size",
                    "a capsule is higher than it is wide; take a sphere, or a greater height",
                ));
            }
        }
    })
}

fn solid(s: &Section<'_>, file: &Path) -> Found<Body> {
    let shape = match load(s, file)? {
        Some(mesh) => Shape::Mesh(mesh.into()),
        None => shape(s)?,
    };
    shape.check_solid().map_err(|why| s.wrong_at("mesh", why.to_string()))?;
    let material = Solid::read(s)?;
    body(s, [material.modulus, material.density], Kind::Solid { shape, material })
}

fn cloth(s: &Section<'_>, file: &Path) -> Found<Body> {
    let mesh = match load(s, file)? {
        Some(_) if s.has("edge") => return Err(s.wrong_at("edge", "leave it out beside a mesh")),
        Some(mesh) => mesh,
        None => {
            let lengths: [f64; 2] = s.sizes("size", "two lengths > 0 m, or a mesh")?;
            let edge = s.needed("edge", "the length of edges, m > 0", |x| x > 0.0)?;
            if edge > lengths[0].min(lengths[1]) {
                let why = format!("{edge} m is longer than a side of the sheet; give a shorter one");
                return Err(s.wrong_at("edge", why));
            }
            let count = lengths[0] / edge * (lengths[1] / edge) * 3.0;
            if count > MOST {
                let why = format!(
                    "the sheet would have {count:.1e} particles; take longer edges, or a smaller sheet"
                );
                return Err(s.wrong_at("edge", why));
            }
            sheet(lengths, lengths.map(|l| (l / edge).round().max(1.0) as usize))
                .map_err(|e| s.wrong(e.to_string()))?
        }
    };
    let [young, poisson, density] = elastic(s)?;
    let thickness = s.needed("thickness", "m > 0", |x| x > 0.0)?;
    let extent = 2.0 * mesh.aabb().half_extents().max();
    if thickness > THICKEST * extent {
        let why = format!(
            "{thickness} m is more than a tenth of the {extent:.3} m of the sheet; give it in metres, or take a solid, [[points]]"
        );
        return Err(s.wrong_at("thickness", why));
    }
    let bending = s.number("bending", "the bending rigidity, N·m ≥ 0", |x| x >= 0.0)?.unwrap_or(0.0);
    let material = ClothMaterial::new(young, poisson, density, thickness)
        .and_then(|m| m.with_bending(bending))
        .map_err(|e| s.wrong(e.to_string()))?;
    body(s, [young, density], Kind::Cloth { mesh: Box::new(mesh), material })
}

fn pin(s: &Section<'_>) -> Found<PinTable> {
    let wanted = "the middle of the ball of points that are held, three numbers [m]";
    let of = s.named("of", "the name of a body or cloth of points")?;
    let stiffness = s.number("stiffness", "N/m > 0", |x| x > 0.0)?;
    let damping = s.number("damping", "N·s/m ≥ 0", |x| x >= 0.0)?;
    if damping.is_some() && stiffness.is_none() {
        return Err(s.wrong_at("damping", "a rigid pin has its own; give a stiffness too, or leave it out"));
    }
    Ok(PinTable {
        of: of.ok_or_else(|| s.wrong("of is missing; give the name of a body or cloth of points"))?,
        to: s.named("to", "the name of a geom that points meet")?,
        center: s.needed_vector("center", wanted)?,
        radius: s.needed("radius", "of the ball, m > 0", |x| x > 0.0)?,
        spring: [stiffness.unwrap_or(f64::INFINITY), damping.unwrap_or(0.0)],
        until: s
            .number("until", "the time at which they let go, s > 0", |x| x > 0.0)?
            .unwrap_or(f64::INFINITY),
        line: s.line(),
    })
}

fn wall(s: &Section<'_>) -> Found<(Wall, usize)> {
    let normal = s.needed_vector("normal", "the direction to the side where points are, three numbers")?;
    let normal =
        normal.try_normalize(0.0).ok_or_else(|| s.wrong_at("normal", "it is zero; give a direction"))?;
    let border = s
        .word("border", &BORDERS)?
        .ok_or_else(|| s.wrong(format!("border is missing; give one of {}", BORDERS.join(", "))))?;
    let rubs = border == "rubbing";
    if s.has("friction") && !rubs {
        return Err(
            s.wrong_at("friction", format!("a {border} border has none; leave it out, or take rubbing"))
        );
    }
    let border = match border {
        "sticky" => Border::Sticky,
        "slip" => Border::Slip,
        _ => Border::Rubbing { friction: s.needed("friction", "a number ≥ 0", |x| x >= 0.0)? },
    };
    Ok((
        Wall { point: s.needed_vector("point", "a point of the plane, three numbers [m]")?, normal, border },
        s.line(),
    ))
}
