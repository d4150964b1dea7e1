//! Pictures of recordings: each shape as its outline, boxes by their faces, painted from back to front.

use std::fmt::Write;

use signorini_core::na::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector2, Vector3};

use crate::Recording;
use crate::recording::{RecordedCloud, RecordedShape};

/// Width and height \[px\].
const SIZE: [f64; 2] = [480.0, 360.0];
/// Shapes that reach further than this are grounds, drawn about the target alone \[m\].
const GROUND: f64 = 1.5;
/// Half the edge of the drawn part of a ground, in widths of the view, and its colour.
const AROUND: f64 = 0.75;
const GROUND_RGB: [f64; 3] = [0.87, 0.88, 0.9];
/// Direction from which a camera looks that is not told otherwise.
const FROM: Vector3<f64> = Vector3::new(0.7, -1.0, 0.55);
/// Fits of a camera to what it shows.
const FITS: usize = 4;
/// Most discs of a cloud; of more, some are left out evenly and the others are larger.
const MOST_DISCS: usize = 2500;
/// Direction that light comes from.
const LIGHT: Vector3<f64> = Vector3::new(0.3, -0.5, 0.8);

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

/// A polygon painted at once, or a disc about its one corner: how far away \[m\], corners \[px\], radius \[px\], colour.
struct Patch {
    away: f64,
    corners: Vec<Vector2<f64>>,
    radius: f64,
    rgb: [f64; 3],
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
    /// A place on the picture \[px\], and how far away it is \[m\]; none behind the eye.
    fn see(&self, x: &Point3<f64>) -> Option<(Vector2<f64>, f64)> {
        let at = Isometry3::look_at_rh(&self.eye, &self.target, &Vector3::z()) * x;
        let far = (self.target - self.eye).norm();
        let scale = SIZE[0] / self.width * far / -at.z;
        (at.z < -0.05).then(|| {
            (Vector2::new(0.5 * SIZE[0] + scale * at.x, 0.5 * SIZE[1] - scale * at.y), (x - self.eye).norm())
        })
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
        let seen = points.iter().filter_map(|p| self.see(p)).map(|s| s.0);
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
        let mut patches = Vec::new();
        for shape in &r.header.shapes {
            let points = corners(r, row, shape);
            let rgb = [0, 1, 2].map(|c| f64::from(shape.rgba[c]));
            if is_small(&points) {
                self.paint(&points, &shape.triangles, rgb, &mut patches);
            } else {
                patches.extend(self.ground(&points));
            }
        }
        let (mut points, _) = r.points(row).as_chunks::<3>();
        for cloud in &r.header.clouds {
            let (own, others) = points.split_at((cloud.count as usize).min(points.len()));
            points = others;
            let own: Vec<_> = own.iter().map(|p| Point3::from(p.map(f64::from))).collect();
            self.cloud(&own, cloud, &mut patches);
        }
        patches.sort_by(|a, b| b.away.total_cmp(&a.away));
        let [width, height] = SIZE;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#f4f5f7\"/>"
        );
        for p in &patches {
            let [r, g, b] = p.rgb.map(|c| (255.0 * c.clamp(0.0, 1.0)) as u8);
            if let ([c], true) = (&*p.corners, p.radius > 0.0) {
                let (x, y, radius) = (c.x, c.y, p.radius);
                let _ = write!(
                    out,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"rgb({r},{g},{b})\"/>"
                );
                continue;
            }
            let points: Vec<String> = p.corners.iter().map(|c| format!("{:.1},{:.1}", c.x, c.y)).collect();
            // Writing to a string does not fail.
            let _ = write!(
                out,
                "<polygon points=\"{}\" fill=\"rgb({r},{g},{b})\" stroke=\"#333\" stroke-width=\"0.5\" stroke-linejoin=\"round\"/>",
                points.join(" ")
            );
        }
        out.push_str("</svg>");
        out
    }

    /// Points as discs, the further the darker; cloth by its triangles, lit from both sides.
    fn cloud(&self, points: &[Point3<f64>], cloud: &RecordedCloud, patches: &mut Vec<Patch>) {
        let rgb = cloud.rgb.map(f64::from);
        let shaded = |bright: f64| rgb.map(|c| c * bright);
        let (triangles, _) = cloud.triangles.as_chunks::<3>();
        let stride = points.len().div_ceil(MOST_DISCS).max(1);
        let discs = if triangles.is_empty() { points } else { &[] };
        let middle = (self.target - self.eye).norm();
        for p in discs.iter().step_by(stride) {
            let Some((at, away)) = self.see(p) else { continue };
            let radius = (SIZE[0] / self.width * f64::from(cloud.radius) * (stride as f64).cbrt()).max(0.8);
            let bright = (0.85 + (middle - away) / self.width).clamp(0.5, 1.0);
            patches.push(Patch { away, corners: vec![at], radius, rgb: shaded(bright) });
        }
        for t in triangles {
            let Some(corners) = t.iter().map(|i| points.get(*i as usize)).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let Some(seen) = corners.iter().map(|p| self.see(p)).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
            let away = seen.iter().map(|s| s.1).sum::<f64>() / 3.0;
            let rgb = shaded(0.7 + 0.3 * normal.dot(&LIGHT).abs());
            patches.push(Patch { away, corners: seen.into_iter().map(|s| s.0).collect(), radius: 0.0, rgb });
        }
    }

    /// The top of a ground about the target, behind everything else; none where it is above the eye.
    fn ground(&self, points: &[Point3<f64>]) -> Option<Patch> {
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
            return None;
        }
        let corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)];
        let seen = corners.map(|(x, y)| self.see(&Point3::new(x, y, top)).map(|s| s.0));
        let corners = seen.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Patch { away: f64::INFINITY, corners: outline(corners), radius: 0.0, rgb: GROUND_RGB })
    }

    /// Faces of shapes with few triangles, outlines of shapes with many.
    fn paint(&self, points: &[Point3<f64>], triangles: &[u32], rgb: [f64; 3], patches: &mut Vec<Patch>) {
        let (faces, _) = triangles.as_chunks::<3>();
        let shaded = |bright: f64| rgb.map(|c| c * bright);
        let mut add = |corners: &[Point3<f64>], bright: f64, whole: bool| {
            let Some(seen) = corners.iter().map(|p| self.see(p)).collect::<Option<Vec<_>>>() else { return };
            let away = seen.iter().map(|s| s.1).sum::<f64>() / seen.len() as f64;
            let flat: Vec<_> = seen.into_iter().map(|s| s.0).collect();
            let corners = if whole { outline(flat) } else { flat };
            patches.push(Patch { away, corners, radius: 0.0, rgb: shaded(bright) });
        };
        if faces.len() > 12 {
            return add(points, 0.9, true);
        }
        // Two triangles of a face are painted as one.
        let corners = |f: &[u32; 3]| f.map(|i| points[i as usize]);
        let normal = |f: &[u32; 3]| {
            let [a, b, c] = corners(f);
            (b - a).cross(&(c - a)).normalize()
        };
        let mut done = vec![false; faces.len()];
        for (i, f) in faces.iter().enumerate() {
            if std::mem::replace(&mut done[i], true) {
                continue;
            }
            let n = normal(f);
            let mut all = corners(f).to_vec();
            for (j, g) in faces.iter().enumerate().skip(i + 1) {
                if !done[j] && normal(g).dot(&n) > 1.0 - 1e-6 {
                    done[j] = true;
                    all.extend(corners(g));
                }
            }
            if n.dot(&(self.eye - all[0])) > 0.0 {
                add(&all, 0.75 + 0.25 * n.dot(&LIGHT), true);
            }
        }
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

/// The convex outline of points, anticlockwise (Andrew's chains).
fn outline(mut points: Vec<Vector2<f64>>) -> Vec<Vector2<f64>> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let chain = |points: &mut dyn Iterator<Item = &Vector2<f64>>| {
        let mut out: Vec<Vector2<f64>> = Vec::new();
        for p in points {
            while out.len() > 1 {
                let (a, b) = (out[out.len() - 2], out[out.len() - 1]);
                if (b - a).perp(&(p - a)) > 0.0 {
                    break;
                }
                out.pop();
            }
            out.push(*p);
        }
        out.pop();
        out
    };
    let mut out = chain(&mut points.iter());
    out.extend(chain(&mut points.iter().rev()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::{RecordingHeader, Row};

    #[test]
    fn analytic_outline_of_a_square_with_points_inside() {
        let v = Vector2::new;
        let square = [v(0.0, 0.0), v(1.0, 0.0), v(1.0, 1.0), v(0.0, 1.0)];
        let inside = [v(0.5, 0.5), v(0.5, 0.0), v(0.2, 0.9)];
        assert_eq!(outline([&square[..], &inside].concat()), square);
    }

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
        let seen: Vec<Vector2<f64>> = seen.map(|p| camera.see(&p).unwrap().0).collect();
        let height = |pick: fn(f64, f64) -> f64| seen.iter().map(|p| p.y).reduce(pick).unwrap();
        assert!(height(f64::min) > 0.03 * SIZE[1] && height(f64::max) < 0.97 * SIZE[1], "{seen:?}");
        assert!(height(f64::max) - height(f64::min) > 0.85 * SIZE[1], "{seen:?}");
        assert!(seen.iter().all(|p| (0.0..SIZE[0]).contains(&p.x)), "{seen:?}");
    }

    #[test]
    fn analytic_a_ground_is_drawn_about_the_target() {
        let c = Camera { eye: Point3::new(0.0, -2.0, 2.0), target: Point3::origin(), width: 1.0 };
        let plane =
            |z: f64| [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (0.1, 9.0)].map(|(x, y)| Point3::new(x, y, z));
        let patch = c.ground(&plane(-0.2)).unwrap();
        let middle = patch.corners.iter().sum::<Vector2<f64>>() / 4.0;
        assert!((middle.x - 0.5 * SIZE[0]).abs() < 1e-9 && middle.y > 0.5 * SIZE[1], "{middle}");
        assert!(c.ground(&plane(3.0)).is_none(), "above the eye");
    }

    #[test]
    fn analytic_the_target_is_in_the_middle_and_widths_are_right() {
        let c = Camera { eye: Point3::new(2.0, 0.0, 0.0), target: Point3::origin(), width: 1.0 };
        let (middle, away) = c.see(&Point3::origin()).unwrap();
        assert!((middle - 0.5 * Vector2::from(SIZE)).norm() < 1e-12 && (away - 2.0).abs() < 1e-12);
        // From +x, y is to the right.
        let (right, _) = c.see(&Point3::new(0.0, 0.5, 0.0)).unwrap();
        assert!((right - Vector2::new(SIZE[0], 0.5 * SIZE[1])).norm() < 1e-9, "{right}");
        assert!(c.see(&Point3::new(3.0, 0.0, 0.0)).is_none());
    }
}
