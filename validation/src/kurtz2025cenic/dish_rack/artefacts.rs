//! Rules by which artefacts are found, stated before the first run.

use std::sync::Arc;

use signorini_core::State;
use signorini_core::na::{Point3, Vector3};
use signorini_geometry::{ConvexMesh, Shape};
use signorini_multibody::{Kinematics, Model};
use signorini_scene::{GeomShape, Pose, Scene};

use crate::scenes::dish_rack::{ArmPath, RACK, SINK};

/// A geom is a wall if its thickness is at most this part of the next larger of its sizes.
const THIN: f64 = 0.6;
/// Length over which rattling is judged, before the end of a run \[s\].
pub(super) const WINDOW: f64 = 1.0;
/// Mean speed above which a dish is not at rest \[m/s\].
pub(super) const STILL: f64 = 0.01;
/// Turns of the vertical velocity in the window from which on a dish rattles, and the speed that counts on both sides of a turn \[m/s\].
pub(super) const TURNS: u32 = 8;
pub(super) const COUNTED: f64 = 2e-3;
/// Between points along wires and handles \[m\].
const SPACING: f64 = 8e-3;

/// A geom with a thin direction.
struct Wall {
    geom: usize,
    body: usize,
    pose: Pose,
    form: Form,
    /// Thin direction in the geom's frame, place of the middle along it, half the thickness \[m\].
    normal: Vector3<f64>,
    middle: f64,
    half: f64,
    /// Sphere about the body's frame origin that holds it \[m\].
    reach: f64,
}

/// Outline of a wall.
enum Form {
    Box(Vector3<f64>),
    Disc(f64),
    Convex(Arc<ConvexMesh>),
}

impl Wall {
    fn of(geom: usize, body: usize, pose: Pose, shape: &Shape) -> Option<Self> {
        let (form, normal, middle, half, next) = match shape {
            Shape::Box { half_extents: h } => {
                let axis = h.imin();
                let next = (0..3).filter(|k| *k != axis).map(|k| h[k]).fold(f64::INFINITY, f64::min);
                (Form::Box(*h), Vector3::ith(axis, 1.0), 0.0, h[axis], next)
            }
            Shape::Cylinder { radius, half_length } => {
                (Form::Disc(*radius), Vector3::z(), 0.0, *half_length, *radius)
            }
            Shape::Convex(mesh) => {
                let width = |n: &Vector3<f64>| {
                    let along = mesh.vertices.iter().map(|v| n.dot(&v.coords));
                    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)])
                };
                let size = |[l, h]: [f64; 2]| h - l;
                let n = mesh.normals.iter().min_by(|a, b| size(width(a)).total_cmp(&size(width(b))))?;
                let [low, high] = width(n);
                // The least width across it.
                let (u, v) = tangents(n);
                let across = (0..12).map(|k| {
                    let (sin, cos) = (f64::from(k) * std::f64::consts::PI / 12.0).sin_cos();
                    0.5 * size(width(&(cos * u + sin * v)))
                });
                let next = across.fold(f64::INFINITY, f64::min);
                (Form::Convex(mesh.clone()), *n, 0.5 * (low + high), 0.5 * (high - low), next)
            }
            _ => return None,
        };
        let far = corners(shape).iter().map(|p| (pose * p).coords.norm()).fold(0.0, f64::max);
        (half <= THIN * next).then_some(Self { geom, body, pose, form, normal, middle, half, reach: far })
    }

    /// Whether a point of the middle plane, in the geom's frame, is within the outline by half the thickness.
    fn holds(&self, p: &Point3<f64>) -> bool {
        match &self.form {
            Form::Box(h) => (0..3).all(|k| self.normal[k] != 0.0 || p[k].abs() <= h[k] - self.half),
            Form::Disc(radius) => p.x.hypot(p.y) <= radius - self.half,
            Form::Convex(mesh) => mesh.normals.iter().zip(&mesh.offsets).all(|(n, offset)| {
                let along = n.dot(&self.normal).abs() > 0.9;
                along || n.dot(&p.coords) <= offset - self.half
            }),
        }
    }
}

/// Two directions across a unit vector.
fn tangents(n: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let other = Vector3::ith(n.iamin(), 1.0);
    let u = n.cross(&other).normalize();
    (u, n.cross(&u))
}

/// Corners of the box about a shape, or the vertices of a polyhedron \[m\].
fn corners(shape: &Shape) -> Vec<Point3<f64>> {
    let of = |h: Vector3<f64>| {
        let sign = |k: i32, bit: i32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        (0..8).map(|k| Point3::new(sign(k, 0) * h.x, sign(k, 1) * h.y, sign(k, 2) * h.z)).collect()
    };
    match shape {
        Shape::Box { half_extents } => of(*half_extents),
        Shape::Cylinder { radius, half_length } => of(Vector3::new(*radius, *radius, *half_length)),
        Shape::Ellipsoid { semi_axes } => of(*semi_axes),
        Shape::Convex(mesh) => mesh.vertices.clone(),
        _ => Vec::new(),
    }
}

/// Points of a shape that must not pass a wall: of its surface, and of its middle.
fn points(shape: &Shape) -> Vec<Point3<f64>> {
    let along = |half: f64| {
        let n = (2.0 * half / SPACING).ceil().max(1.0) as usize;
        (0..=n).map(move |k| half * (2.0 * k as f64 / n as f64 - 1.0))
    };
    match shape {
        Shape::Box { half_extents: h } => {
            // The corners, and the line in the middle of the longest direction.
            let axis = h.imax();
            let line = along(h[axis]).map(|s| Point3::from(Vector3::ith(axis, s)));
            corners(shape).into_iter().chain(line).collect()
        }
        Shape::Cylinder { radius, half_length } if radius > half_length => {
            let around = (0..16).map(|k| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 16.0).sin_cos();
                Point3::new(radius * cos, radius * sin, 0.0)
            });
            around.chain([Point3::origin()]).collect()
        }
        Shape::Cylinder { half_length, .. } => {
            along(*half_length).map(|z| Point3::new(0.0, 0.0, z)).collect()
        }
        Shape::Ellipsoid { semi_axes: a } => {
            let ends = (0..3).flat_map(|k| [-a[k], a[k]].map(|s| Point3::from(Vector3::ith(k, s))));
            ends.chain([Point3::origin()]).collect()
        }
        Shape::Convex(mesh) => {
            let n = mesh.vertices.len() as f64;
            let middle = mesh.vertices.iter().map(|v| v.coords / n).sum::<Vector3<f64>>();
            mesh.vertices.iter().copied().chain([Point3::from(middle)]).collect()
        }
        _ => Vec::new(),
    }
}

/// Points of a body, and the sphere about its origin that holds them \[m\].
struct Cloud {
    points: Vec<Point3<f64>>,
    reach: f64,
}

/// A dish that passed through something.
#[derive(Clone, Debug)]
pub(super) struct Passing {
    /// Time \[s\].
    pub t: f64,
    /// Words for the event.
    pub what: String,
}

/// Watches the accepted states of a run.
pub(super) struct Watch {
    model: Model,
    kinematics: [Kinematics; 2],
    walls: Vec<Wall>,
    clouds: Vec<Cloud>,
    /// Bodies of dishes, and that of the rack.
    dishes: Vec<usize>,
    rack: usize,
    path: ArmPath,
    names: (Vec<String>, Vec<String>),
    passings: Vec<Passing>,
    started: bool,
    rest: Vec<Rest>,
}

/// Motion of one dish in the window.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    /// Integrals of the speed √(2K/m) over the window and its second half \[m\].
    way: f64,
    late: f64,
    turns: u32,
    last: f64,
}

/// A dish that rattles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rattle {
    /// Mean of √(2K/m) over the window and its second half \[m/s\].
    pub speed: [f64; 2],
    pub turns: u32,
}

impl Watch {
    pub(super) fn new(scene: &Scene, model: &Model, path: &ArmPath) -> Self {
        let rack = scene.body("rack").unwrap_or(0);
        let dishes: Vec<usize> = (rack + 1..scene.bodies.len()).collect();
        let mut clouds: Vec<Cloud> =
            scene.bodies.iter().map(|_| Cloud { points: Vec::new(), reach: 0.0 }).collect();
        let mut walls = Vec::new();
        for (i, g) in scene.geoms.iter().enumerate() {
            let GeomShape::Solid(shape) = &g.shape else { continue };
            if g.mask.is_empty() {
                continue;
            }
            walls.extend(Wall::of(i, g.body, g.pose, shape));
            let cloud = &mut clouds[g.body];
            for p in points(shape) {
                let p = g.pose * p;
                cloud.reach = cloud.reach.max(p.coords.norm());
                cloud.points.push(p);
            }
        }
        // The world's points are no dish's and no wire's.
        clouds[0].points.clear();
        let names = (
            scene.bodies.iter().map(|b| b.name.clone()).collect(),
            scene.geoms.iter().map(|g| g.name.clone()).collect(),
        );
        let rest = vec![Rest::default(); dishes.len()];
        let kinematics = [Kinematics::new(model), Kinematics::new(model)];
        let (model, path) = (model.clone(), path.clone());
        Self {
            model,
            kinematics,
            walls,
            clouds,
            dishes,
            rack,
            path,
            names,
            passings: Vec::new(),
            started: false,
            rest,
        }
    }

    /// Takes a state that follows the one before.
    pub(super) fn see(&mut self, x0: &State, x1: &State) {
        if !self.started {
            self.kinematics[1].set_positions(&self.model, &x0.q, &[]);
            self.started = true;
        }
        self.kinematics.swap(0, 1);
        self.kinematics[1].set_positions(&self.model, &x1.q, &[]);
        self.pass(x1.t);
        self.leave(x1.t);
        if x1.t > self.path.end - WINDOW {
            self.watch_rest(x0, x1);
        }
    }

    /// Points that went through the middle plane of a wall of another body, within its outline.
    fn pass(&mut self, t: f64) {
        let [before, after] = &self.kinematics;
        for wall in &self.walls {
            let [a0, a1] = [before, after].map(|k| &k.x_wb[wall.body]);
            let x0 = (a0 * wall.pose).inverse();
            let x1 = (a1 * wall.pose).inverse();
            for (body, cloud) in self.clouds.iter().enumerate() {
                let fixed = |b: usize| b <= self.rack;
                if body == wall.body || cloud.points.is_empty() || fixed(body) && fixed(wall.body) {
                    continue;
                }
                let [b0, b1] = [before, after].map(|k| &k.x_wb[body]);
                let apart = |a: &Pose, b: &Pose| (a.translation.vector - b.translation.vector).norm();
                let way = apart(b0, b1) + apart(a0, a1);
                if apart(a1, b1) > wall.reach + cloud.reach + way {
                    continue;
                }
                let (m0, m1) = (x0 * b0, x1 * b1);
                for p in &cloud.points {
                    let (p0, p1) = (m0 * p, m1 * p);
                    let [h0, h1] = [p0, p1].map(|p| wall.normal.dot(&p.coords) - wall.middle);
                    if (h0 > 0.0) == (h1 > 0.0) {
                        continue;
                    }
                    let at = p0 + (h0 / (h0 - h1)) * (p1 - p0);
                    if wall.holds(&at) {
                        let what = format!(
                            "{} through {} of {}",
                            self.names.0[body], self.names.1[wall.geom], self.names.0[wall.body]
                        );
                        if self.passings.iter().all(|e| e.what != what) {
                            self.passings.push(Passing { t, what });
                        }
                    }
                }
            }
        }
    }

    /// Dishes that left the rack before it tips, or are below the table or the floor of the sink.
    fn leave(&mut self, t: f64) {
        let after = &self.kinematics[1];
        let x_rw = after.x_wb[self.rack].inverse();
        for &dish in &self.dishes {
            let middle = after.x_wb[dish] * self.model.bodies[dish].com;
            let in_rack = x_rw * middle;
            let inside =
                in_rack.z > 0.0 && (0.0..RACK[0]).contains(&in_rack.x) && in_rack.y.abs() < 0.5 * RACK[1];
            let over_sink = over_sink(&middle);
            let floor = if over_sink { SINK.wall } else { 0.0 };
            let name = &self.names.0[dish];
            let what = if t < self.path.tips && !inside {
                format!("{name} out of the rack")
            } else if middle.z < floor {
                format!("{name} below the {}", if over_sink { "sink" } else { "table" })
            } else {
                continue;
            };
            if self.passings.iter().all(|e| e.what != what) {
                self.passings.push(Passing { t, what });
            }
        }
    }

    fn watch_rest(&mut self, x0: &State, x1: &State) {
        let dt = x1.t - x0.t;
        for (rest, &dish) in self.rest.iter_mut().zip(&self.dishes) {
            let body = &self.model.bodies[dish];
            let at = self.model.joints[body.joints.start].v;
            let v = &x1.v[at..at + 6];
            let spin = Vector3::new(v[3], v[4], v[5]);
            let arm = self.kinematics[1].x_wb[dish].rotation * (spin.cross(&body.com.coords));
            let linear = Vector3::new(v[0], v[1], v[2]) + arm;
            let speed = (linear.norm_squared() + spin.dot(&(body.inertia * spin)) / body.mass).sqrt();
            rest.way += dt * speed;
            if x1.t > self.path.end - 0.5 * WINDOW {
                rest.late += dt * speed;
            }
            let up = linear.z;
            if up.abs() > COUNTED {
                rest.turns += u32::from(rest.last * up < 0.0);
                rest.last = up;
            }
        }
    }

    pub(super) fn passings(&self) -> &[Passing] {
        &self.passings
    }

    /// Each dish in the window.
    fn rests(&self) -> impl Iterator<Item = Rattle> {
        self.rest.iter().map(|r| {
            let [all, late] = [r.way / WINDOW, r.late / (0.5 * WINDOW)];
            Rattle { speed: [all, late], turns: r.turns }
        })
    }

    /// The dish that moves most at the end.
    pub(super) fn liveliest(&self) -> Rattle {
        self.rests()
            .fold(Rattle { speed: [0.0; 2], turns: 0 }, |a, b| if b.speed[0] > a.speed[0] { b } else { a })
    }

    /// Number of dishes that rattle.
    pub(super) fn rattling(&self) -> usize {
        self.rests()
            .filter(|r| r.speed[0] > STILL && r.turns >= TURNS && r.speed[1] > 0.5 * r.speed[0])
            .count()
    }

    /// Number of dishes whose middle is in the sink at the last state.
    pub(super) fn in_sink(&self) -> usize {
        let after = &self.kinematics[1];
        let middles = self.dishes.iter().map(|d| after.x_wb[*d] * self.model.bodies[*d].com);
        middles.filter(|m| over_sink(m) && (0.0..SINK.height + SINK.wall).contains(&m.z)).count()
    }
}

/// Whether a point is above or below the floor of the sink.
fn over_sink(p: &Point3<f64>) -> bool {
    (p.x - SINK.at[0]).abs() < SINK.half[0] && (p.y - SINK.at[1]).abs() < SINK.half[1]
}
