use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use signorini_core::na::{Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, Shape};
use signorini_report::PageError;
use signorini_scene::{Hydroelastic, Pose, SceneBuilder};

use super::rack::{CUP, TINE};
use super::shared::{FRICTION, turn};

/// Hydroelastic modulus \[Pa\], dissipation \[s/m\], friction.
pub(crate) const MODULUS: f64 = 1e8;
pub(crate) const DISSIPATION: f64 = 50.0;
/// Edges of round shapes in parts of their radius or largest semi-axis: discs of twelve sides, ellipsoids of 80 triangles.
const EDGE: f64 = 0.7;
/// Densities \[kg/m³\].
const CERAMIC: f64 = 2400.0;
const STEEL: f64 = 7900.0;
/// Of a scanned knife, whose handle is no solid steel \[kg/m³\].
const HOLLOW: f64 = 2500.0;
/// Angle by which neighbours of a ring reach into each other, in parts of their own.
const LAP: f64 = 0.3;

/// Where dishes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kit {
    /// Convex parts written in code.
    Made,
    /// Mugs and knives are convex parts of models in a folder; other dishes are as made.
    Scanned(PathBuf),
}

/// Files of a scanned kit: mug, knife.
pub(super) const FILES: [&str; 2] =
    ["object_sim/coffeemug_convex_parts.obj", "object_sim/knife_convex_parts.obj"];

/// A dish of convex parts, all compliant.
#[derive(Clone, Debug)]
pub(crate) struct Dish {
    /// Name of the kind.
    pub(super) name: &'static str,
    parts: Vec<(Shape, Pose)>,
    density: f64,
    rgba: [f32; 4],
}

impl Dish {
    fn of(name: &'static str, density: f64, rgba: [f32; 4]) -> Self {
        Self { name, parts: Vec::new(), density, rgba }
    }

    fn cuboid(mut self, at: [f64; 3], half: [f64; 3], rotation: UnitQuaternion<f64>) -> Self {
        let pose = Pose::from_parts(Translation3::from(at), rotation);
        self.parts.push((Shape::Box { half_extents: half.into() }, pose));
        self
    }

    /// Its body, the `i`th, at a pose.
    pub(super) fn add(&self, b: SceneBuilder, i: usize, at: &Pose) -> SceneBuilder {
        let mut b = b.body(format!("{}{i}", self.name)).body_with(|body| body.pose = *at).free_joint();
        for (shape, pose) in &self.parts {
            b = b.shape(shape.clone()).geom_pose(*pose).density(self.density).friction(FRICTION);
            b = b.surface(|s| s.dissipation = Some(DISSIPATION));
            let round = match shape {
                Shape::Cylinder { radius, .. } => Some(*radius),
                Shape::Ellipsoid { semi_axes } => Some(semi_axes.max()),
                _ => None,
            };
            let area = Hydroelastic::compliant(MODULUS);
            let area = round.map_or(area, |size| area.with_resolution(EDGE * size));
            b = b.hydroelastic(area).geom_with(|g| g.rgba = self.rgba);
        }
        b
    }
}

/// A plate of 0.2 m, 5 mm thick: a disc, and a ring of segments that rises by 13 mm. Origin at the middle of the disc, z up.
fn plate(rgba: [f32; 4]) -> Result<Dish, PageError> {
    let (disc, rim, half, rise, segments) = (0.062, 0.1, 2.5e-3, 0.013, 8);
    let mut out = Dish::of("plate", CERAMIC, rgba);
    out.parts.push((Shape::Cylinder { radius: disc, half_length: half }, Pose::identity()));
    let span = TAU / f64::from(segments);
    for k in 0..segments {
        let middle = span * f64::from(k);
        let mut corners = Vec::new();
        for angle in [middle - 0.5 * span * (1.0 + LAP), middle + 0.5 * span * (1.0 + LAP)] {
            let (sin, cos) = angle.sin_cos();
            for (r, z) in [(disc - 4e-3, 0.0), (rim, rise)] {
                for h in [-half, half] {
                    corners.push(Point3::new(r * cos, r * sin, z + h));
                }
            }
        }
        out.parts.push((
            Shape::Convex(Arc::new(ConvexMesh::from_points(&corners).map_err(PageError::from_error)?)),
            Pose::identity(),
        ));
    }
    Ok(out)
}

/// Convex parts of an OBJ file, one for each object.
fn convex_parts(path: &Path) -> Result<Vec<Shape>, PageError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| PageError::Io { path: path.display().to_string(), source })?;
    let (mut parts, mut points) = (Vec::new(), Vec::new());
    let mut close = |points: &mut Vec<Point3<f64>>| {
        if !points.is_empty() {
            let hull = ConvexMesh::from_points(points).map_err(PageError::from_error)?;
            parts.push(Shape::Convex(Arc::new(hull)));
            points.clear();
        }
        Ok::<_, PageError>(())
    };
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("o") => close(&mut points)?,
            Some("v") => {
                let mut x = || words.next().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN);
                points.push(Point3::new(x(), x(), x()));
            }
            _ => {}
        }
    }
    close(&mut points)?;
    Ok(parts)
}

/// A dish of a file, in the frame of the made one.
fn scanned(
    name: &'static str,
    file: &Path,
    at: &Pose,
    density: f64,
    rgba: [f32; 4],
) -> Result<Dish, PageError> {
    let parts = convex_parts(file)?.into_iter().map(|s| (s, *at)).collect();
    Ok(Dish { parts, ..Dish::of(name, density, rgba) })
}

/// A mug of 80 mm by 95 mm with walls of 4 mm and a handle along x. Origin at the middle of its foot, z up.
fn mug(rgba: [f32; 4]) -> Dish {
    let (radius, height, wall, sides) = (0.04, 0.095, 4e-3, 8);
    let mut out = Dish::of("mug", CERAMIC, rgba);
    let floor = Pose::translation(0.0, 0.0, 0.5 * wall + 1e-3);
    out.parts.push((Shape::Cylinder { radius, half_length: 0.5 * wall + 1e-3 }, floor));
    let half_side = radius * (PI / f64::from(sides)).tan() * (1.0 + 0.5 * LAP);
    for k in 0..sides {
        let turned = turn(Vector3::z(), TAU * f64::from(k) / f64::from(sides));
        let at = turned * Vector3::new(radius - 0.5 * wall, 0.0, 0.5 * height);
        out = out.cuboid(at.into(), [0.5 * wall, half_side, 0.5 * height], turned);
    }
    let (reach, half) = (radius + 0.026, [0.016, 5e-3, 4e-3]);
    let straight = UnitQuaternion::identity();
    for z in [0.022, 0.073] {
        out = out.cuboid([reach - half[0], 0.0, z], half, straight);
    }
    out.cuboid([reach - half[2], 0.0, 0.5 * height], [half[2], half[1], 0.0295], straight)
}

/// A fork of 190 mm. Cutlery has its handle along −z and its head up.
fn fork() -> Dish {
    let straight = UnitQuaternion::identity();
    let mut out = Dish::of("fork", STEEL, METAL);
    out = out.cuboid([0.0, 0.0, -0.03], [1.25e-3, 5e-3, 0.065], straight);
    out = out.cuboid([0.0, 0.0, 0.047], [1.0e-3, 0.011, 0.014], straight);
    for y in [-9e-3, -3e-3, 3e-3, 9e-3] {
        out = out.cuboid([0.0, y, 0.078], [1.0e-3, 1.7e-3, 0.021], straight);
    }
    out
}

fn knife() -> Dish {
    let straight = UnitQuaternion::identity();
    let mut out = Dish::of("knife", STEEL, METAL);
    out = out.cuboid([0.0, 0.0, -0.045], [3e-3, 7e-3, 0.045], straight);
    out.cuboid([0.0, 1e-3, 0.053], [1.0e-3, 9e-3, 0.056], straight)
}

fn spoon() -> Dish {
    let mut out = Dish::of("spoon", STEEL, METAL);
    out = out.cuboid([0.0, 0.0, -0.02], [1.25e-3, 5e-3, 0.07], UnitQuaternion::identity());
    let bowl = Shape::Ellipsoid { semi_axes: Vector3::new(4e-3, 0.019, 0.029) };
    out.parts.push((bowl, Pose::translation(0.0, 0.0, 0.072)));
    out
}

const METAL: [f32; 4] = [0.66, 0.68, 0.72, 1.0];
const PLATES: [[f32; 4]; 3] = [[0.93, 0.92, 0.88, 1.0], [0.55, 0.68, 0.80, 1.0], [0.86, 0.62, 0.50, 1.0]];
const MUGS: [[f32; 4]; 2] = [[0.30, 0.50, 0.45, 1.0], [0.80, 0.45, 0.35, 1.0]];

impl Kit {
    fn mug(&self, rgba: [f32; 4]) -> Result<Dish, PageError> {
        let Self::Scanned(folder) = self else { return Ok(mug(rgba)) };
        // Its frame is in the middle of the box about mug and handle.
        let foot = Pose::translation(0.018, 0.0, 0.0534);
        scanned("mug", &folder.join(FILES[0]), &foot, CERAMIC, rgba)
    }

    fn knife(&self) -> Result<Dish, PageError> {
        let Self::Scanned(folder) = self else { return Ok(knife()) };
        // Its blade is along y and flat along z.
        let upright = turn(Vector3::z(), 0.5 * PI) * turn(Vector3::x(), 0.5 * PI);
        let at = Pose::from_parts(Translation3::new(0.0, 0.0, 0.02), upright);
        scanned("knife", &folder.join(FILES[1]), &at, HOLLOW, METAL)
    }

    /// Cutlery at a place of the cup, counted from its middle, standing on its floor.
    fn cutlery(&self, kind: Cutlery, x: f64, y: f64) -> Result<(Dish, Pose), PageError> {
        let (dish, below) = match kind {
            Cutlery::Fork => (fork(), 0.095),
            Cutlery::Knife => (self.knife()?, 0.0915),
            Cutlery::Spoon => (spoon(), 0.09),
        };
        Ok((dish, Pose::translation(CUP[0] + x, CUP[1] + y, below + 3.5e-3)))
    }
}

#[derive(Clone, Copy)]
enum Cutlery {
    Fork,
    Knife,
    Spoon,
}

/// Dishes and their places in the rack.
pub(super) fn load(kit: &Kit, full: bool) -> Result<Vec<(Dish, Pose)>, PageError> {
    use Cutlery::{Fork, Knife, Spoon};
    let mut out = Vec::new();
    let slots: &[usize] = if full { &[0, 1, 3, 4, 5] } else { &[1, 3] };
    for (i, slot) in slots.iter().enumerate() {
        let x = TINE[0] + TINE[1] * (*slot as f64 + 0.5) - 6e-3;
        let at = Vector3::new(x, 0.0, 0.1);
        let upright = turn(Vector3::y(), 0.5 * PI);
        out.push((plate(PLATES[i % PLATES.len()])?, Pose::from_parts(at.into(), upright)));
    }
    let mugs: &[(f64, f64)] = if full { &[(-0.095, 2.2), (0.0, 3.0)] } else { &[(-0.06, 2.4)] };
    for (i, (y, angle)) in mugs.iter().enumerate() {
        let over = turn(Vector3::z(), *angle) * turn(Vector3::x(), PI);
        let height = if matches!(kit, Kit::Made) { 0.095 } else { 0.107 };
        out.push((kit.mug(MUGS[i])?, Pose::from_parts(Vector3::new(0.295, *y, height).into(), over)));
    }
    let cutlery: &[(Cutlery, f64, f64)] = match full {
        true => &[
            (Fork, -0.02, -0.02),
            (Fork, 0.0, -0.02),
            (Knife, 0.02, -0.02),
            (Knife, -0.02, 0.012),
            (Spoon, 0.0, 0.015),
            (Spoon, 0.02, 0.015),
        ],
        false => &[(Fork, -0.015, 0.0), (Spoon, 0.01, 0.0)],
    };
    for &(kind, x, y) in cutlery {
        out.push(kit.cutlery(kind, x, y)?);
    }
    Ok(out)
}
