//! Cloth between four pairs of plates, and the bodies that fall into it: the scene of figs. 5 and 6.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use signorini_core::na::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use signorini_core::{ContactMaterial, State};
use signorini_coupling::obstacles;
use signorini_mpm::{Cloth, MpmEngine, MpmOptions, Particles, sheet};
use signorini_scene::{LoadOptions, Scene};

use super::bounds::Bounds;
use super::fast::{Fabric, Fast, Surface, TOLERANCE, beside, corners, law, solved_to};
use super::film::{Film, Shot, surfaces};
use super::kept_points::{FILE, KeptPoints};
use super::layers::{Mesh, crossings, nearest, seen_from};
use super::statistics::{self, Statistics};
use signorini_report::kept_parts::any_number;
use signorini_report::{Context, PageError};

/// Cloth of the paper, and a thickness.
pub(super) const CLOTH: Fabric = Fabric { young: 3.2e6, poisson: 0.4, density: 1500.0, thickness: 1e-3 };
/// Stiffness of fibres against being shortened \[Pa\], that of the release.
pub(super) const FIBRES: f64 = 4e5;
/// Side of the sheet that becomes the bag \[m\], and its height over the floor.
pub(super) const BAG: (f64, f64) = (0.42, 0.4);
/// Side of a box \[m\], its density \[kg/m³\].
pub(super) const BOX: (f64, f64) = (0.08, 1000.0);
/// Plates that pinch the sheet.
pub(super) const PLATE: Plate = Plate { side: 0.05, thickness: 0.02, density: 1e4, away: 0.16 };
/// Depth of each plate of a pair in the other \[m\], half of it in the cloth.
pub(super) const PINCH: f64 = 5e-4;
/// Gains of the joints of plates \[N/m\], \[N·s/m\]: with 10⁶ N/m, as in the release, friction with the cloth between them would push plates back and forth ([`signorini_coupling::Limit::step_where_stuck`]).
pub(super) const GAINS: (f64, f64) = (1e8, 1.0);
/// Friction of cloth with boxes, and with plates and the floor.
pub(super) const FRICTION: [f64; 2] = [0.2, 1.0];
/// Dissipation of its contacts \[s/m\].
pub(super) const DISSIPATION: f64 = 1e-5;
/// Step of the bodies \[s\], and fewest substeps of the cloth.
pub(super) const STEP: f64 = 5e-3;
pub(super) const SUBSTEPS: u32 = 10;
/// Part of h/(c + |v|) that a substep may take.
pub(super) const COURANT: f64 = 1.0;
/// Time in which strain rates fade \[s\]: equivalent to a fifth kept in each 0.5 ms, as in the release.
pub(super) const FADING: f64 = 3.1e-4;
/// Time between looks at shapes, and the time over which forces are averaged at the end \[s\].
const LOOK: f64 = 0.1;
pub(super) const LAST: f64 = 0.5;
/// Particles this near to the middle of a plate are those that it holds \[m\].
const HELD: f64 = 0.015;

/// A run.
pub(super) struct Setup {
    pub name: &'static str,
    /// Spacing of the grid \[m\], cells along a side of the bag.
    pub spacing: f64,
    pub cells: usize,
    /// Stiffness of a particle's contact \[N/m\].
    pub stiffness: f64,
    /// Side of a second sheet \[m\], its cells, how high over the first it starts \[m\].
    pub second: Option<(f64, usize, f64)>,
    /// Middles of boxes over the middle of the first sheet \[m\], and their turns about x, y, z \[°\].
    pub boxes: &'static [([f64; 3], [f64; 3])],
    /// Speed of the plates inward along both axes \[m/s\], and for how long \[s\].
    pub closing: (f64, f64),
    /// Times at which plates start to move, and of the end \[s\].
    pub wait: f64,
    pub end: f64,
    /// Time between kept states \[s\]; infinite: none is kept.
    pub part: f64,
}

impl Setup {
    /// Way of the plates inward along both axes \[m\].
    fn inward(&self, t: f64) -> f64 {
        self.closing.0 * (t - self.wait).clamp(0.0, self.closing.1)
    }

    /// Mass of the cloth \[kg\].
    pub(super) fn cloth_mass(&self) -> f64 {
        let second = self.second.map_or(0.0, |s| s.0 * s.0);
        CLOTH.density * CLOTH.thickness * (BAG.0 * BAG.0 + second)
    }

    /// Contact with bodies of a friction.
    fn contact(&self, friction: f64) -> ContactMaterial {
        let Self { stiffness, .. } = *self;
        Surface { stiffness, dissipation: DISSIPATION, friction, stiction_speed: 1e-3 }.material()
    }

    pub(super) fn box_mass(&self) -> f64 {
        BOX.1 * BOX.0.powi(3)
    }
}

/// Shapes at some time.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct View {
    pub t: f64,
    /// Vertices of each sheet.
    pub sheets: Vec<Vec<Vector3<f64>>>,
    /// Poses of plates and boxes.
    pub plates: Vec<Isometry3<f64>>,
    pub boxes: Vec<Isometry3<f64>>,
}

/// Points beside the bag.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Beside {
    /// Smallest part of the sphere that the bag covers with its upper side, as one of them sees it.
    #[serde(with = "any_number")]
    pub seen: f64,
    /// Most of them that saw its lower side at once, and the furthest of these from it \[m\].
    pub through: usize,
    pub furthest: f64,
}

impl Beside {
    const NONE: Self = Self { seen: f64::INFINITY, through: 0, furthest: 0.0 };

    fn add(&mut self, points: &[Vector3<f64>], bag: Mesh) {
        let mut through = 0;
        for x in points {
            let seen = seen_from(x, bag);
            self.seen = self.seen.min(seen);
            if seen < 0.0 {
                through += 1;
                self.furthest = self.furthest.max(nearest(&[*x], bag));
            }
        }
        self.through = self.through.max(through);
    }
}

/// Observations of a run up to some time.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Seen {
    /// Time \[s\] and height of each box' middle over the floor \[m\].
    pub heights: Vec<Vec<(f64, f64)>>,
    /// Vertical force of the cloth on each box, and on all plates \[N\].
    pub on_boxes: Vec<Vec<(f64, f64)>>,
    pub on_plates: Vec<(f64, f64)>,
    /// Depth of the deepest particle in plates and in boxes at the end of each step, where they are then \[m\].
    pub depth: [Vec<(f64, f64)>; 2],
    /// Depth of the deepest contact of a box, with a particle or with a triangle at a corner or an edge, at the start or the end of any substep \[m\].
    pub told: f64,
    /// Furthest that a held particle went from its place between its plates \[m\].
    pub slip: f64,
    pub views: Vec<View>,
    /// Corners of boxes, and vertices of the second sheet, beside the bag, at all looks.
    pub corners: Beside,
    pub second: Beside,
    /// Edges of either sheet that crossed the other, in all looks.
    pub crossings: usize,
    /// Time, and smallest distance of a vertex of the second sheet from the first \[m\].
    pub apart: Vec<(f64, f64)>,
    /// Limits of weak coupling.
    pub bounds: Bounds,
    pub statistics: Statistics,
}

/// Results of a run.
pub(super) struct Bagged {
    pub film: Film,
    pub seen: Seen,
    /// Smallest part of the sphere that the bag covers with its upper side, as middles of boxes see it at the end.
    pub middles: f64,
    /// Height of the lowest corner of a box over the floor, and speed of the fastest box, at the end.
    pub lowest: f64,
    pub speed: f64,
}

/// A run at the start of a step.
#[derive(Serialize, Deserialize)]
struct KeptBag {
    step: u32,
    points: KeptPoints,
    seen: Seen,
    shots: Vec<Shot>,
}

/// A plate that pinches the sheet.
pub(super) struct Plate {
    /// \[m\].
    pub side: f64,
    /// \[m\].
    pub thickness: f64,
    /// \[kg/m³\].
    pub density: f64,
    /// Distance of its middle from both planes of symmetry \[m\].
    pub away: f64,
}

/// Name and place of the plates: four corners, lower ones first.
fn plates() -> Vec<(String, Vector3<f64>)> {
    let up = 0.5 * PLATE.thickness - 0.5 * PINCH;
    let mut out = Vec::new();
    for (name, side) in [("below", -1.0), ("above", 1.0)] {
        for (i, j) in CORNERS {
            let at = Vector3::new(i * PLATE.away, j * PLATE.away, BAG.1 + side * up);
            out.push((format!("{name}_{}", out.len() % 4), at));
        }
    }
    out
}

const CORNERS: [(f64, f64); 4] = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];

fn scene(setup: &Setup) -> Result<Scene, PageError> {
    let (mut bodies, mut motors) = (String::new(), String::new());
    for (name, at) in plates() {
        let axes = [("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")];
        let joints = axes.map(|(a, axis)| format!("<joint name='{name}_{a}' type='slide' axis='{axis}'/>"));
        let (half, thick) = (0.5 * PLATE.side, 0.5 * PLATE.thickness);
        bodies += &format!(
            "<body name='{name}' pos='{} {} {}'>{}<geom name='{name}' type='box' size='{half} {half} {thick}' density='{}' contype='1' conaffinity='2'/></body>",
            at.x,
            at.y,
            at.z,
            joints.concat(),
            PLATE.density
        );
        for (a, _) in axes {
            motors += &format!("<position joint='{name}_{a}' kp='{}' kv='{}'/>", GAINS.0, GAINS.1);
        }
    }
    for (i, (at, turn)) in setup.boxes.iter().enumerate() {
        let h = 0.5 * BOX.0;
        bodies += &format!(
            "<body name='box_{i}' pos='{} {} {}' euler='{} {} {}'><freejoint/><geom name='box_{i}' type='box' size='{h} {h} {h}' density='{}' friction='{}' contype='2' conaffinity='3'/></body>",
            at[0],
            at[1],
            BAG.1 + at[2],
            turn[0],
            turn[1],
            turn[2],
            BOX.1,
            FRICTION[0]
        );
    }
    let text = format!(
        "<mujoco><worldbody>{bodies}<geom name='floor' type='plane' size='1 1 1' contype='2' conaffinity='2'/></worldbody><actuator>{motors}</actuator></mujoco>"
    );
    Scene::from_mjcf(&text, "bag.xml", &LoadOptions::default()).map_err(PageError::from_error)
}

/// The sheets, and their cloth on the particles.
fn cloth(setup: &Setup) -> Result<(Particles, Vec<Cloth>), PageError> {
    let material =
        CLOTH.material().and_then(|m| m.fibres(FIBRES, 0.0, 0.0)).map_err(PageError::from_error)?;
    let mut particles = Particles::default();
    let mut out = Vec::new();
    let first = (BAG.0, setup.cells, 0.0);
    for (length, cells, above) in std::iter::once(first).chain(setup.second) {
        let at = Isometry3::translation(0.0, 0.0, BAG.1 + above);
        let mesh = sheet([length; 2], [cells; 2]).map_err(PageError::from_error)?.transformed(&at);
        let made = Cloth::new(&mut particles, mesh.vertices(), mesh.triangles(), material);
        out.push(made.map_err(PageError::from_error)?);
    }
    Ok((particles, out))
}

/// Poses of plates and boxes.
fn poses(setup: &Setup, q: &[f64]) -> (Vec<Isometry3<f64>>, Vec<Isometry3<f64>>) {
    let plates = plates();
    let moved = plates.iter().zip(q.chunks_exact(3));
    let turned = |c: &[f64]| {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(c[3], c[4], c[5], c[6]));
        Isometry3::from_parts(Translation3::new(c[0], c[1], c[2]), turn)
    };
    (
        moved.map(|((_, at), d)| Isometry3::from(at + Vector3::new(d[0], d[1], d[2]))).collect(),
        q[3 * plates.len()..].chunks_exact(7).take(setup.boxes.len()).map(turned).collect(),
    )
}

pub(super) fn box_corners(pose: &Isometry3<f64>) -> [Vector3<f64>; 8] {
    corners(pose, &Vector3::repeat(0.5 * BOX.0))
}

/// Triangles of each sheet, numbered from its own first vertex on.
type Meshes = Vec<Vec<[u32; 3]>>;

/// Vertices of the sheets.
fn sheets(engine: &mut MpmEngine<f32>) -> Vec<Vec<Vector3<f64>>> {
    let ranges: Vec<_> = engine.cloth().iter().map(Cloth::vertices).collect();
    let p = engine.particles();
    ranges.into_iter().map(|r| p.x[r].to_vec()).collect()
}

/// Cloth and bodies before the first step.
struct Start {
    run: Fast,
    /// State of the bodies.
    y: State,
    meshes: Meshes,
    scene: Scene,
}

/// Cloth and bodies at the start, or where a run goes on.
fn couple(setup: &Setup, from: Option<&KeptPoints>) -> Result<Start, PageError> {
    let scene = scene(setup)?;
    let geoms: Vec<usize> = (0..scene.geoms.len()).collect();
    let mut met = obstacles(&scene, &geoms, setup.contact(FRICTION[1])).map_err(PageError::from_error)?;
    for o in met.iter_mut().filter(|o| o.name.starts_with("box")) {
        o.material = setup.contact(FRICTION[0]);
    }
    let (mut particles, sheets) = cloth(setup)?;
    if let Some(from) = from {
        from.put(&mut particles)?;
    }
    let meshes = sheets.iter().map(|c| {
        let first = c.vertices().start as u32;
        c.triangles().map(|t| t.map(|v| v - first)).collect()
    });
    let meshes = meshes.collect();
    let options = MpmOptions {
        spacing: setup.spacing,
        damping_time: FADING,
        courant: COURANT,
        ..MpmOptions::default()
    };
    let mut engine = MpmEngine::<f32>::new(particles, vec![], vec![], met, law()?, options)
        .map_err(PageError::from_error)?;
    for c in sheets {
        engine = engine.with_cloth(c).map_err(PageError::from_error)?;
    }
    let (run, start) = beside(&scene, &geoms, solved_to(TOLERANCE, engine), SUBSTEPS)?;
    let y = from.map_or(start, |from| from.bodies.clone());
    Ok(Start { run: run.with_shorter_substeps(), y, meshes, scene })
}

/// Runs it; looks are kept at `stages` \[s\]. The page keeps the state every [`Setup::part`], and goes on from the last one.
pub(super) fn bag(setup: &Setup, stages: &[f64], ctx: &Context) -> Result<Bagged, PageError> {
    let kept: Option<KeptBag> = ctx.kept.state(FILE, setup.name)?;
    let from = kept.as_ref().map(|k| &k.points);
    let sheet = cloth(setup)?.0.x;
    let Start { run: mut c, mut y, meshes, scene } = couple(setup, from)?;
    let names: Vec<&String> = scene.geoms.iter().map(|g| &g.name).collect();
    let shown = surfaces(c.points().engine().cloth());
    let boxes = setup.boxes.len();
    let mut film = Film::new(&scene, &mut c, &y, shown);
    let mut out = Seen {
        heights: vec![vec![]; boxes],
        on_boxes: vec![vec![]; boxes],
        on_plates: vec![],
        depth: [vec![], vec![]],
        told: 0.0,
        slip: 0.0,
        views: vec![],
        corners: Beside::NONE,
        second: Beside::NONE,
        crossings: 0,
        apart: vec![],
        bounds: Bounds::new(names.iter().map(|n| (*n).clone()), STEP),
        statistics: Statistics::new(setup.name, STEP),
    };
    let mut first = 0;
    if let Some(kept) = kept {
        film = film.with_pictures(&kept.shots);
        (first, out) = (kept.step, kept.seen);
    }
    let part = (setup.part / STEP).min(f64::from(u32::MAX)).round() as u32;
    let of_geom =
        |start: &str| -> Vec<usize> { (0..names.len()).filter(|i| names[*i].starts_with(start)).collect() };
    let (boxed, below, above) = (of_geom("box"), of_geom("below"), of_geom("above"));
    let start = &sheet[c.points().engine().cloth()[0].vertices()];
    let held = held(start);
    let steps = (setup.end / STEP).round() as u32;
    for k in first..=steps {
        let t = f64::from(k) * STEP;
        if k > first && k % part == 0 && k < steps {
            let points = KeptPoints::of(&mut c, &y);
            c = couple(setup, Some(&points))?.run;
            let state = KeptBag { step: k, points, seen: out.clone(), shots: film.pictures() };
            ctx.kept.keep_state(FILE, setup.name, &state)?;
        }
        let every = (LOOK / STEP).round() as u32;
        if k % every == 0 || k == steps {
            ctx.say(format!("{t:.2} s"));
            let view = view(setup, t, &mut c, &y);
            look(&view, &meshes, &mut out);
            out.slip = out.slip.max(slip(&view, start, &held));
            if k == steps || stages.iter().any(|s| (t - s).abs() < 0.5 * STEP) {
                out.views.push(view);
            }
        }
        if k == steps {
            break;
        }
        let inward = setup.inward(t + STEP);
        for (control, (i, j)) in c.rigid_mut().control_mut().chunks_exact_mut(3).zip(CORNERS.iter().cycle()) {
            control.copy_from_slice(&[-i * inward, -j * inward, 0.0]);
        }
        let clock = Instant::now();
        let r = c.step(&mut (), &mut y, STEP).map_err(PageError::from_error)?;
        let t = t + STEP;
        out.statistics.add(c.points().engine(), &r, clock);
        film.see(&mut c, &y);
        let up = |g: &usize| r.impulses[*g][0].z / STEP;
        out.on_plates.push((t, below.iter().chain(&above).map(up).sum()));
        let (plates, poses) = poses(setup, &y.q);
        let x = &c.points_mut().engine_mut().particles().x;
        for (list, (solids, half)) in
            out.depth.iter_mut().zip([(&plates, plate_half()), (&poses, box_half())])
        {
            list.push((t, depth(x, solids, half)));
        }
        for (b, g) in boxed.iter().enumerate() {
            out.on_boxes[b].push((t, up(g)));
            out.heights[b].push((t, poses[b].translation.z));
        }
        out.told = boxed.iter().map(|g| r.deepest[*g]).fold(out.told, f64::max);
        out.bounds.add(&c.limits(), &r);
    }
    let (mut middles, mut lowest) = (f64::INFINITY, f64::INFINITY);
    if let Some(last) = out.views.last() {
        let bag = (&last.sheets[0][..], &meshes[0][..]);
        for b in &last.boxes {
            middles = middles.min(seen_from(&b.translation.vector, bag));
            lowest = box_corners(b).iter().map(|x| x.z).fold(lowest, f64::min);
        }
    }
    let free = y.v.get(3 * plates().len()..).unwrap_or_default();
    let speed = free.chunks_exact(6).map(|v| Vector3::new(v[0], v[1], v[2]).norm()).fold(0.0, f64::max);
    statistics::keep(&out.statistics, ctx)?;
    Ok(Bagged { film, seen: out, middles, lowest, speed })
}

/// Vertices of the bag that each corner's plates hold.
fn held(bag: &[Vector3<f64>]) -> [Vec<usize>; 4] {
    CORNERS.map(|(i, j)| {
        let near =
            |x: &Vector3<f64>| (x.x - i * PLATE.away).abs() < HELD && (x.y - j * PLATE.away).abs() < HELD;
        (0..bag.len()).filter(|v| near(&bag[*v])).collect()
    })
}

/// Furthest that one of them is from its place beside the middle of its plates \[m\].
fn slip(view: &View, start: &[Vector3<f64>], held: &[Vec<usize>; 4]) -> f64 {
    let mut most = 0.0f64;
    for (corner, list) in held.iter().enumerate() {
        let (i, j) = CORNERS[corner];
        let was = Vector3::new(i * PLATE.away, j * PLATE.away, BAG.1);
        let [low, high] = [0, 4].map(|p| view.plates[corner + p].translation.vector);
        let now = 0.5 * (low + high);
        for v in list {
            most = most.max((view.sheets[0][*v] - now - (start[*v] - was)).norm());
        }
    }
    most
}

fn view(setup: &Setup, t: f64, c: &mut Fast, y: &State) -> View {
    let (plates, boxes) = poses(setup, &y.q);
    View { t, sheets: sheets(c.points_mut().engine_mut()), plates, boxes }
}

/// Depth of the deepest of some points in boxes of half extents \[m\].
fn depth(points: &[Vector3<f64>], boxes: &[Isometry3<f64>], half: Vector3<f64>) -> f64 {
    let of = |pose: &Isometry3<f64>, x: &Vector3<f64>| {
        let local = pose.inverse_transform_point(&Point3::from(*x)).coords;
        (half - local.abs()).min()
    };
    boxes.iter().flat_map(|b| points.iter().map(|x| of(b, x))).fold(0.0, f64::max)
}

pub(super) fn plate_half() -> Vector3<f64> {
    0.5 * Vector3::new(PLATE.side, PLATE.side, PLATE.thickness)
}

fn box_half() -> Vector3<f64> {
    Vector3::repeat(0.5 * BOX.0)
}

/// Places of shapes beside each other.
fn look(view: &View, meshes: &Meshes, out: &mut Seen) {
    let bag = (&view.sheets[0][..], &meshes[0][..]);
    let all: Vec<_> = view.boxes.iter().flat_map(box_corners).collect();
    out.corners.add(&all, bag);
    if let (Some(second), Some(mesh)) = (view.sheets.get(1), meshes.get(1)) {
        out.crossings += crossings(bag, (second, mesh));
        out.apart.push((view.t, nearest(second, bag)));
        out.second.add(second, bag);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::path::Path;

    use super::*;
    use crate::yu2025mpm::fig05::QUICK;
    use signorini_report::{Budget, KeptResults};

    fn context(folder: &Path, resume: bool) -> Context {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut ctx = Context::new(Budget::Quick, &root);
        ctx.kept =
            KeptResults { folder: folder.to_owned(), revision: "a".into(), resume, ..KeptResults::default() };
        ctx
    }

    /// All that a run gave but wall times, as text.
    fn told(run: &Bagged) -> String {
        let mut seen = serde_json::to_value(&run.seen).unwrap();
        seen["statistics"]["wall"] = 0.0.into();
        format!("{seen} {:?} {:?}", run.film.pictures(), [run.middles, run.lowest, run.speed])
    }

    /// A run that ended between its parts and goes on gives, bit for bit, the numbers and pictures of one that ran through; it does not begin anew.
    #[test]
    fn regression_a_killed_run_goes_on_from_its_last_part() {
        let of = |end: f64| Setup { part: 4.0 * STEP, wait: 4.0 * STEP, end, ..QUICK };
        let folder = std::env::temp_dir().join(format!("signorini-bag-{}", std::process::id()));
        let [whole, killed] = ["whole", "killed"].map(|name| folder.join(name));
        let stages = [0.0];
        let through = bag(&of(12.0 * STEP), &stages, &context(&whole, false)).unwrap();
        // As a kill after the second part leaves it.
        bag(&of(9.0 * STEP), &stages, &context(&killed, false)).unwrap();
        let again = context(&killed, true);
        let mut kept: KeptBag = again.kept.state(FILE, QUICK.name).unwrap().unwrap();
        assert_eq!(kept.step, 8);
        let goes_on = bag(&of(12.0 * STEP), &stages, &again).unwrap();
        assert_eq!(told(&goes_on), told(&through));
        // What the file says is what the run goes on from.
        kept.seen.told = 7.0;
        again.kept.keep_state(FILE, QUICK.name, &kept).unwrap();
        assert_eq!(bag(&of(12.0 * STEP), &stages, &again).unwrap().seen.told, 7.0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
