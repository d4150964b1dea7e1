//! Bodies of points that start inside geoms, walls or each other, and geoms too small for them.

use std::collections::BTreeSet;

use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};
use signorini_geometry::{Aabb, Bvh, Shape, Stencil, TriangleMesh, aabb};
use signorini_mpm::{Obstacle, Pin};

use super::build::{ALONG, Parts, inside};
use super::file::{Body, Kind, SceneFile};
use super::gaps::{gap, gap_of_triangles, sizes};
use super::section::SceneFileError;

/// Part of a cell of the grid, and of the thickness of a geom, by which points may start inside it, if contact is pressed as deep.
const INSIDE: f64 = 0.25;
/// Distances of particles to the width of a geom between which they find no way.
const WIDE: f64 = 2.0;

impl SceneFile {
    /// Refuses bodies that start deeper inside a geom than contact is pressed, unless it holds their points, behind a wall, or inside another body of points.
    pub(super) fn check_apart(&self, parts: &Parts, pins: &[Pin]) -> Result<(), SceneFileError> {
        let depth = self.depth(parts.options.spacing).min(INSIDE * parts.options.spacing);
        let refuse = |body: &Body, depth: f64, of: String, remedy: &str| {
            let why = format!("'{}' starts {:.2} mm {of}; {remedy}", body.name, 1e3 * depth);
            Err(self.wrong(body.line, why))
        };
        for (i, (body, own)) in self.bodies.iter().zip(&parts.bodies).enumerate() {
            let x = &parts.particles.x[own.particles.clone()];
            for (number, o) in parts.obstacles.iter().enumerate() {
                let held =
                    |pin: &&Pin| pin.obstacle == Some(number) && parts.ranges[i].contains(&pin.particle);
                let held: BTreeSet<usize> = pins.iter().filter(held).map(|pin| pin.particle).collect();
                let free = own.particles.clone().filter(|p| !held.contains(p));
                let points = free.filter_map(|p| inside(&o.shape, &o.pose, &parts.particles.x[p]));
                let mut deepest = points.fold(0.0, f64::max);
                if held.is_empty() {
                    deepest = deepest.max(body.depth_in(&o.shape, &o.pose));
                }
                // Nothing is deeper in a thin geom than half its thickness.
                if deepest > depth.min(INSIDE * sizes(&o.shape)[0]) {
                    let hull = match &o.shape {
                        Shape::Convex(_) => {
                            ", which is the convex hull of a mesh unless the file has `mesh_surfaces = true`"
                        }
                        _ => "",
                    };
                    let of = format!("inside geom '{}'{hull}", o.name);
                    return refuse(
                        body,
                        deepest,
                        of,
                        "move one of them, or leave the geom out of contact: with",
                    );
                }
            }
            for (wall, line) in &self.walls {
                let behind = x.iter().map(|x| wall.normal.dot(&(wall.point - x))).fold(0.0, f64::max);
                if behind > depth {
                    let of = format!("behind the wall of line {line}");
                    return refuse(body, behind, of, "move one of them, or turn the wall's normal");
                }
            }
            for (j, other) in self.bodies.iter().enumerate().filter(|(j, _)| *j != i) {
                let of = format!("inside '{}'", other.name);
                match (&body.kind, &other.kind) {
                    (_, Kind::Solid { shape, .. }) => {
                        let points =
                            x.iter().filter_map(|x| inside(shape, &other.pose, x)).fold(0.0, f64::max);
                        // Faces that lie on each other are at most round-off inside.
                        let whole = body.depth_in(shape, &other.pose);
                        let whole = if whole > 1e-6 * parts.options.spacing { whole } else { 0.0 };
                        if points.max(whole) > 0.0 {
                            return refuse(body, points.max(whole), of, "move one of them");
                        }
                    }
                    (Kind::Cloth { mesh: a, material }, Kind::Cloth { mesh: b, material: beside })
                        if j < i =>
                    {
                        let thick = 0.5 * (material.thickness() + beside.thickness());
                        let Some((gap, at)) = nearest((a, &body.pose), (b, &other.pose), thick) else {
                            continue;
                        };
                        let how = match gap {
                            0.0 => format!("crosses '{}'", other.name),
                            _ => format!(
                                "is {:.3} mm from '{}', nearer than the {:.3} mm of their thickness,",
                                1e3 * gap,
                                other.name,
                                1e3 * thick
                            ),
                        };
                        let why = format!(
                            "'{}' {how} at ({:.4}, {:.4}, {:.4}) m at the start; move one of them",
                            body.name, at.x, at.y, at.z
                        );
                        return Err(self.wrong(body.line, why));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Tells of geoms that are so narrow that particles of solids go by on both sides.
    pub(super) fn warn_of_narrow(&self, parts: &mut Parts) {
        if !self.bodies.iter().any(|b| matches!(b.kind, Kind::Solid { .. })) {
            return;
        }
        let apart = parts.options.spacing / ALONG;
        let narrow: Vec<(f64, &str)> = parts
            .obstacles
            .iter()
            .map(|o| (sizes(&o.shape)[1], o.name.as_str()))
            .filter(|(w, _)| *w < WIDE * apart)
            .collect();
        let Some((least, name)) = narrow.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        let more = match narrow.len() {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        parts.warnings.push(format!(
            "geom '{name}'{more} is {:.2} mm wide where particles are {:.2} mm apart: it may go through a body of points between them; take `spacing = {:.2e}` or less, or leave it out of contact: with",
            1e3 * least,
            1e3 * apart,
            least * ALONG / WIDE
        ));
    }
}

impl Body {
    /// Way \[m\] that a solid has to the nearest of obstacles into which it falls within `most` \[m\], along the unit vector `down`; 0 where there is none.
    pub(super) fn fall(&self, down: &Vector3<f64>, most: f64, obstacles: &[Obstacle]) -> f64 {
        let Kind::Solid { shape, .. } = &self.kind else { return 0.0 };
        let start = self.bounds(&self.pose);
        let swept = start.merged(&start.transformed(&Isometry3::from(most * down)));
        let below = obstacles.iter().filter(|o| aabb(&o.shape, &o.pose).overlaps(&swept));
        let gaps = below.map(|o| gap((shape, &self.pose), (&o.shape, &o.pose), most));
        let nearest = gaps.fold(f64::INFINITY, f64::min);
        if nearest < most { nearest.max(0.0) } else { 0.0 }
    }

    /// Depth of the body's surface in a shape \[m\]; 0 outside.
    fn depth_in(&self, shape: &Shape, pose: &Isometry3<f64>) -> f64 {
        let gap = match &self.kind {
            Kind::Solid { shape: own, .. } => gap((own, &self.pose), (shape, pose), 0.0),
            Kind::Cloth { mesh, .. } => gap_of_triangles(mesh, &self.pose, (shape, pose), 0.0),
        };
        (-gap).max(0.0)
    }
}

/// Least distance below `thick` \[m\] of two sheets, 0 where they cross, and a point of the first there.
fn nearest(
    a: (&TriangleMesh, &Isometry3<f64>),
    b: (&TriangleMesh, &Isometry3<f64>),
    thick: f64,
) -> Option<(f64, Vector3<f64>)> {
    let placed = |(mesh, pose): (&TriangleMesh, &Isometry3<f64>)| -> Vec<[Vector3<f64>; 3]> {
        let at = |i: u32| (pose * mesh.vertices()[i as usize]).coords;
        mesh.triangles().iter().map(|t| t.map(at)).collect()
    };
    let [a, b] = [placed(a), placed(b)];
    let around = |t: &[Vector3<f64>; 3]| {
        let Aabb { min, max } = Aabb::from_points(&t.map(Point3::from));
        let room = Vector3::repeat(0.5 * thick);
        Aabb::new(min - room, max + room)
    };
    let [of_a, of_b] = [&a, &b].map(|t| Bvh::build(&t.iter().map(around).collect::<Vec<_>>()));
    let mut found: Option<(f64, Vector3<f64>)> = None;
    of_a.pairs(&of_b, &Isometry3::identity(), |i, j| {
        let (s, t) = (&a[i as usize], &b[j as usize]);
        let mut take = |gap: f64, at: Vector3<f64>| {
            if gap < found.map_or(thick, |f| f.0) {
                found = Some((gap, at));
            }
        };
        let edges = |t: &[Vector3<f64>; 3]| [0, 1, 2].map(|k| [t[k], t[(k + 1) % 3]]);
        for (own, other) in [(s, t), (t, s)] {
            edges(own).into_iter().filter_map(|e| hit(e, *other)).for_each(|at| take(0.0, at));
            for x in own {
                let d = Stencil::PointTriangle.distance(&[*x, other[0], other[1], other[2]]);
                take(d.distance(), *x);
            }
        }
        for [p, q] in edges(s) {
            for [c, d] in edges(t) {
                take(Stencil::EdgeEdge.distance(&[p, q, c, d]).distance(), p);
            }
        }
    });
    found
}

/// The point in which an edge goes through a triangle \[m\].
fn hit([p, q]: [Vector3<f64>; 2], [a, b, c]: [Vector3<f64>; 3]) -> Option<Vector3<f64>> {
    // p + s (q − p) = a + u (b − a) + v (c − a)
    let solution = Matrix3::from_columns(&[p - q, b - a, c - a]).lu().solve(&(p - a))?;
    let [s, u, v] = solution.into();
    let within = (0.0..=1.0).contains(&s) && u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    within.then(|| p + s * (q - p))
}
