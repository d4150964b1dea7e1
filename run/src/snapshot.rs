//! Pictures of recordings: triangles of shapes and cloth, and material points as balls.

use signorini_core::na::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector2, Vector3};

use self::canvas::{Canvas, Paint, Seen};
use crate::Recording;
use crate::recording::RecordedShape;

mod canvas;

/// Width and height \[px\].
const SIZE: [f64; 2] = [640.0, 480.0];
const BACKGROUND: [f64; 3] = [0.957, 0.961, 0.969];
/// Shapes that reach further than this are grounds, drawn about the target alone \[m\].
const GROUND: f64 = 1.5;
/// Half the edge of the drawn part of a ground, in widths of the view, and its colour.
const AROUND: f64 = 0.75;
const GROUND_RGB: [f64; 3] = [0.87, 0.88, 0.9];
/// Direction from which a camera looks that is not told otherwise.
const FROM: Vector3<f64> = Vector3::new(0.7, -1.0, 0.55);
/// Fits of a camera to what it shows.
const FITS: usize = 4;
/// Most balls of a cloud; of more, some are left out evenly and the others are larger.
const MOST_BALLS: usize = 20_000;
/// Cosine of the angle of normals up to which triangles are shaded as one surface.
const SMOOTH: f64 = 0.85;
/// Direction that light comes from.
const LIGHT: Vector3<f64> = Vector3::new(0.3, -0.5, 0.8);

/// Colours of pressure from zero to the highest of a row, evenly spaced.
pub(crate) const RAMP: [[f64; 3]; 5] =
    [[0.27, 0.0, 0.33], [0.23, 0.32, 0.55], [0.13, 0.57, 0.55], [0.37, 0.79, 0.38], [0.99, 0.91, 0.14]];
/// Part of their distance at which surfaces between bodies are drawn: they are seen through these.
const THROUGH: f64 = 0.01;

/// From where a picture is taken.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    /// \[m\].
    pub eye: Point3<f64>,
    /// Point in the middle of the picture \[m\].
    pub target: Point3<f64>,
    /// Width of the view at the target \[m\].
    pub width: f64,
}

/// A recording at one time.
#[derive(Clone, Debug)]
pub struct Still {
    /// Time \[s\].
    pub t: f64,
    /// SVG document.
    pub svg: String,
}

/// Start, middle and end of a recording, all from one place; from one that has all in view where there is no camera. None of a recording without rows.
pub fn stills(r: &Recording, camera: Option<Camera>) -> Vec<Still> {
    let Some(last) = r.t.len().checked_sub(1) else { return Vec::new() };
    let half = 0.5 * (r.t[0] + r.t[last]);
    let mut rows = vec![0, r.t.partition_point(|t| *t < half).min(last), last];
    rows.dedup();
    let Some(camera) = camera.or_else(|| Camera::around(r, &rows)) else { return Vec::new() };
    rows.into_iter().map(|row| Still { t: r.t[row], svg: camera.picture(r, row) }).collect()
}

impl Camera {
    /// A place on the picture; none behind the eye.
    fn see(&self, x: &Point3<f64>) -> Option<Seen> {
        let at = Isometry3::look_at_rh(&self.eye, &self.target, &Vector3::z()) * x;
        let far = (self.target - self.eye).norm();
        let scale = SIZE[0] / self.width * far / -at.z;
        let at_pixel = Vector2::new(0.5 * SIZE[0] + scale * at.x, 0.5 * SIZE[1] - scale * at.y);
        (at.z < -0.05).then_some(Seen { at: at_pixel, away: -at.z })
    }

    /// A camera before and above all that these rows show, but for grounds, as near as all of it is in the picture; none where there is nothing.
    pub fn around(r: &Recording, rows: &[usize]) -> Option<Self> {
        let mut points = Vec::new();
        for row in rows {
            let shapes = r.header.shapes.iter().map(|s| corners(r, *row, s)).filter(|c| is_small(c));
            points.extend(shapes.flatten());
            points.extend(r.points(*row).as_chunks::<3>().0.iter().map(|p| Point3::from(p.map(f64::from))));
        }
        let start = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        let (low, high) =
            points.iter().fold(start, |(low, high), p| (low.inf(&p.coords), high.sup(&p.coords)));
        let size = (high - low).norm();
        let target = Point3::from(0.5 * (low + high));
        let width = 1.1 * size.max(1e-3);
        let mut camera =
            size.is_finite().then(|| Self { eye: target + 2.5 * width * FROM.normalize(), target, width })?;
        for _ in 0..FITS {
            camera = camera.fitted(&points);
        }
        Some(camera)
    }

    /// The camera moved sideways, and its view widened or narrowed, until the points are in the middle of the picture and a tenth of it is free. Where
    /// points are near, the move changes what is seen: another fit is better.
    fn fitted(self, points: &[Point3<f64>]) -> Self {
        let start = (Vector2::repeat(f64::INFINITY), Vector2::repeat(f64::NEG_INFINITY));
        let seen = points.iter().filter_map(|p| self.see(p)).map(|s| s.at);
        let (low, high) = seen.fold(start, |(low, high), p| (low.inf(&p), high.sup(&p)));
        let off = 0.5 * (low + high - Vector2::from(SIZE));
        let [share_x, share_y] = [0, 1].map(|a: usize| (high[a] - low[a]) / SIZE[a]);
        if !(off.norm() + share_x + share_y).is_finite() {
            return self;
        }
        let forward = (self.target - self.eye).normalize();
        let right = forward.cross(&Vector3::z()).normalize();
        let aside = (right * off.x - right.cross(&forward) * off.y) * (self.width / SIZE[0]);
        let width = (1.1 * self.width * share_x.max(share_y)).max(1e-3);
        Self { eye: self.eye + aside, target: self.target + aside, width }
    }

    /// The picture of a row of a recording, as SVG.
    pub fn picture(&self, r: &Recording, row: usize) -> String {
        let mut canvas = Canvas::new(SIZE.map(|s| s as usize), BACKGROUND);
        for (i, shape) in r.header.shapes.iter().enumerate() {
            let points = corners(r, row, shape);
            let [red, green, blue, alpha] = shape.rgba.map(f64::from);
            let surface = Surface { shape: i as u32 + 1, rgb: [red, green, blue], clear: alpha < 0.5 };
            if is_small(&points) {
                self.paint(&points, &shape.triangles, surface, &mut canvas);
            } else {
                self.ground(&points, surface, &mut canvas);
            }
        }
        let (mut points, _) = r.points(row).as_chunks::<3>();
        for (i, cloud) in r.header.clouds.iter().enumerate() {
            let (own, others) = points.split_at((cloud.count as usize).min(points.len()));
            points = others;
            let own: Vec<_> = own.iter().map(|p| Point3::from(p.map(f64::from))).collect();
            let shape = (r.header.shapes.len() + i) as u32 + 1;
            let surface = Surface { shape, rgb: cloud.rgb.map(f64::from), clear: false };
            if cloud.triangles.is_empty() {
                self.balls(&own, f64::from(cloud.radius), surface, &mut canvas);
            } else {
                self.paint(&own, &cloud.triangles, surface, &mut canvas);
            }
        }
        self.surfaces(r, row, &mut canvas);
        canvas.svg()
    }

    /// Surfaces over which geoms meet, by their pressure, before all else.
    fn surfaces(&self, r: &Recording, row: usize, canvas: &mut Canvas) {
        let (s, highest) = (&r.surfaces, f64::from(r.surfaces.highest(row)));
        let shape = (r.header.shapes.len() + r.header.clouds.len()) as u32 + 1;
        for corners in s.of_row(row).map(|i| s.triangle(i)) {
            let seen = corners.map(|(x, _)| self.see(&Point3::from(x.map(f64::from))));
            let [Some(x), Some(y), Some(z)] = seen else { continue };
            let mean = corners.iter().map(|(_, p)| f64::from(*p) / 3.0).sum::<f64>();
            let surface = Surface { shape, rgb: of_ramp(mean / highest), clear: false };
            let before = [x, y, z].map(|seen| Seen { away: THROUGH * seen.away, ..seen });
            canvas.triangle(before, [1.0; 3], &surface.facing(Vector3::zeros()));
        }
    }

    /// Material points as balls, the further the darker.
    fn balls(&self, points: &[Point3<f64>], radius: f64, surface: Surface, canvas: &mut Canvas) {
        let stride = points.len().div_ceil(MOST_BALLS).max(1);
        let radius = radius * (stride as f64).cbrt();
        let middle = (self.target - self.eye).norm();
        for seen in points.iter().step_by(stride).filter_map(|p| self.see(p)) {
            let pixels = (SIZE[0] / self.width * radius * middle / seen.away).max(0.8);
            let bright = (0.95 + (middle - seen.away) / self.width).clamp(0.6, 1.1);
            canvas.ball(seen, pixels, radius, bright, &surface.facing(Vector3::zeros()));
        }
    }

    /// The top of a ground about the target; nothing where it is above the eye.
    fn ground(&self, points: &[Point3<f64>], surface: Surface, canvas: &mut Canvas) {
        let range = |i: usize| {
            let (low, high) = points
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p[i]), high.max(p[i])));
            let half = AROUND * self.width;
            [low.max(self.target[i] - half), high.min(self.target[i] + half)]
        };
        let top = points.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
        let ([x0, x1], [y0, y1]) = (range(0), range(1));
        if top >= self.eye.z || x0 >= x1 || y0 >= y1 {
            return;
        }
        let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
        let Some(seen) =
            corners.iter().map(|(x, y)| self.see(&Point3::new(*x, *y, top))).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let paint = Surface { rgb: GROUND_RGB, ..surface }.facing(Vector3::z());
        for [i, j, k] in [[0, 1, 2], [0, 2, 3]] {
            canvas.triangle([seen[i], seen[j], seen[k]], [1.0; 3], &paint);
        }
    }

    /// Triangles of a shape, lit from the side that is seen; triangles that meet at a small angle are shaded as one curved surface.
    fn paint(&self, points: &[Point3<f64>], triangles: &[u32], surface: Surface, canvas: &mut Canvas) {
        let seen: Vec<Option<Seen>> = points.iter().map(|p| self.see(p)).collect();
        let triangles = triangles.as_chunks::<3>().0;
        let normal = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| points.get(i as usize));
            let (a, b, c) = (a?, b?, c?);
            (b - a).cross(&(c - a)).try_normalize(0.0)
        };
        let normals: Vec<Option<Vector3<f64>>> = triangles.iter().map(normal).collect();
        let mut around = vec![Vec::new(); points.len()];
        for (t, n) in triangles.iter().zip(&normals) {
            t.iter().for_each(|i| around[*i as usize].extend(*n));
        }
        for (t, n) in triangles.iter().zip(&normals) {
            let (Some(n), [Some(x), Some(y), Some(z)]) = (n, t.map(|i| seen[i as usize])) else { continue };
            let side = if n.dot(&(self.eye - points[t[0] as usize])) < 0.0 { -1.0 } else { 1.0 };
            let bright = t.map(|i| {
                let near = around[i as usize].iter().filter(|m| m.dot(n) > SMOOTH);
                let mean = near.sum::<Vector3<f64>>().normalize();
                0.78 + 0.27 * side * mean.dot(&LIGHT.normalize())
            });
            canvas.triangle([x, y, z], bright, &surface.facing(side * n));
        }
    }
}

/// The colour of a part of the highest pressure.
fn of_ramp(part: f64) -> [f64; 3] {
    let at = part.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let i = (at as usize).min(RAMP.len() - 2);
    std::array::from_fn(|k| RAMP[i][k] + (at - i as f64) * (RAMP[i + 1][k] - RAMP[i][k]))
}

/// A shape as it is painted: its number from 1 on, its colour, and whether one sees through it.
#[derive(Clone, Copy)]
struct Surface {
    shape: u32,
    rgb: [f64; 3],
    clear: bool,
}

impl Surface {
    /// With a normal.
    fn facing(self, normal: Vector3<f64>) -> Paint {
        Paint { shape: self.shape, rgb: self.rgb, normal, clear: self.clear }
    }
}

/// Corners of a shape in the world, at a row; none where the row has no pose of its body.
fn corners(r: &Recording, row: usize, shape: &RecordedShape) -> Vec<Point3<f64>> {
    let at = 7 * (row * r.header.body_names.len() + shape.body as usize);
    let Some(&[x, y, z, w, i, j, k]) = r.poses.get(at..at + 7) else { return Vec::new() };
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    let pose = Isometry3::from_parts(Translation3::new(x, y, z), turn);
    shape.vertices.as_chunks::<3>().0.iter().map(|v| pose * Point3::from(v.map(f64::from))).collect()
}

/// Whether a shape is none of a ground.
fn is_small(corners: &[Point3<f64>]) -> bool {
    corners.iter().all(|p| (p - corners[0]).norm() < GROUND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordingHeader, Row};

    /// A long, upright shape that moves is in the picture at every row, and fills most of its height.
    #[test]
    fn analytic_a_camera_around_a_motion_has_all_of_it_in_view() {
        let mut header = RecordingHeader { body_names: vec!["rod".into()], ..RecordingHeader::default() };
        header.shapes.push(RecordedShape {
            name: "rod".into(),
            body: 0,
            rgba: [1.0; 4],
            collides: true,
            vertices: vec![-0.01, -0.02, -0.3, 0.01, 0.02, 0.3, -0.01, 0.02, -0.3, 0.01, -0.02, 0.3],
            triangles: vec![0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3],
        });
        let mut r = Recording::new(header);
        for z in [5.0, 4.9, 4.5] {
            r.push(&Row { poses: &[2.0, 1.0, z, 1.0, 0.0, 0.0, 0.0], ..Row::default() });
        }
        let camera = Camera::around(&r, &[0, 1, 2]).unwrap();
        let seen = (0..3).flat_map(|row| corners(&r, row, &r.header.shapes[0]));
        let seen: Vec<Vector2<f64>> = seen.map(|p| camera.see(&p).unwrap().at).collect();
        let height = |pick: fn(f64, f64) -> f64| seen.iter().map(|p| p.y).reduce(pick).unwrap();
        assert!(height(f64::min) > 0.03 * SIZE[1] && height(f64::max) < 0.97 * SIZE[1], "{seen:?}");
        assert!(height(f64::max) - height(f64::min) > 0.85 * SIZE[1], "{seen:?}");
        assert!(seen.iter().all(|p| (0.0..SIZE[0]).contains(&p.x)), "{seen:?}");
    }

    #[test]
    fn analytic_a_ground_is_drawn_about_the_target() {
        let c = Camera { eye: Point3::new(0.0, -2.0, 2.0), target: Point3::origin(), width: 1.0 };
        let plane =
            |z: f64| [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, y)| Point3::new(x, y, z));
        let ground = Surface { shape: 1, rgb: [1.0; 3], clear: false };
        let mut canvas = Canvas::new(SIZE.map(|s| s as usize), BACKGROUND);
        c.ground(&plane(3.0), ground, &mut canvas);
        assert_eq!(canvas.shape_at(SIZE.map(|s| 0.5 * s)), 0, "above the eye");
        c.ground(&plane(-0.2), ground, &mut canvas);
        assert_eq!(canvas.shape_at(SIZE.map(|s| 0.5 * s)), 1);
        assert_eq!(canvas.shape_at([0.5 * SIZE[0], 1.0]), 0, "further away than the drawn part");
    }

    #[test]
    fn analytic_the_target_is_in_the_middle_and_widths_are_right() {
        let c = Camera { eye: Point3::new(2.0, 0.0, 0.0), target: Point3::origin(), width: 1.0 };
        let middle = c.see(&Point3::origin()).unwrap();
        assert!((middle.at - 0.5 * Vector2::from(SIZE)).norm() < 1e-12 && (middle.away - 2.0).abs() < 1e-12);
        // From +x, y is to the right.
        let right = c.see(&Point3::new(0.0, 0.5, 0.0)).unwrap().at;
        assert!((right - Vector2::new(SIZE[0], 0.5 * SIZE[1])).norm() < 1e-9, "{right}");
        assert!(c.see(&Point3::new(3.0, 0.0, 0.0)).is_none());
    }
}
