//! Triangle surfaces and height fields against convex shapes, one triangle at a time.

use std::cell::RefCell;

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::ContactPoint;
use super::core::{Core, Pair};
use super::face::FACE;
use super::polish::Direction;
use super::reduce::reduce;
use super::sunken;
use super::triangle::{Query, Way};
use super::triangles::{Surface, surface_code};
use crate::Aabb;

type V = Vector3<f64>;

/// Cosine above which the normals of two points count as one.
pub(super) const SAME_NORMAL: f64 = 0.9999;

#[derive(Default)]
struct Scratch {
    triangles: Vec<u32>,
    points: Vec<ContactPoint>,
    hits: Vec<Hit>,
    ways: Vec<Direction>,
    group: Vec<ContactPoint>,
}

/// A triangle that overlaps B, and the way out.
#[derive(Clone, Copy)]
struct Hit {
    triangle: u32,
    way: Way,
    /// Its points.
    from: usize,
    to: usize,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Appends the contacts of a surface A with a convex B of the given core and radius.
pub(super) fn contacts(
    a: Surface<'_>,
    b: (Core<'_>, f64),
    x_wa: &Isometry3<f64>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    with_scratch(|s| {
        let mut query = Query::new(a, b, [x_wa, x_wb], margin);
        collect(&mut query, s);
        keep_shortest(&query.pair, a, margin, s);
        if let (Surface::Field(field), true) = (a, s.points.is_empty()) {
            s.points.extend(sunken::contact(&mut query, field, &mut s.triangles));
        }
        spread(1e-9 * query.pair.scale, &mut s.points, &mut s.group, out);
    });
}

fn with_scratch(f: impl FnOnce(&mut Scratch)) {
    SCRATCH.with(|s| match s.try_borrow_mut() {
        Ok(mut s) => {
            s.points.clear();
            s.hits.clear();
            f(&mut s);
        }
        Err(_) => f(&mut Scratch::default()),
    });
}

/// Adds the contacts of B with each triangle of A near it.
fn collect(query: &mut Query<'_>, s: &mut Scratch) {
    let reach = query.margin.max(0.0) + query.radius + 1e-9 * query.pair.scale;
    query.surface.near(&query.aabb_of_b().inflated(reach), &mut s.triangles);
    for &i in &s.triangles {
        let t = query.surface.triangle(i);
        query.pair.a = Core::Triangle(t);
        let from = s.points.len();
        if let Some(way) = query.triangle(i, &t, &mut s.points) {
            s.hits.push(Hit { triangle: i, way, from, to: s.points.len() });
        }
        for c in &mut s.points[from..] {
            c.feature = u64::from(surface_code(i, (c.feature >> 32) as u32)) << 32 | c.feature & 0xffff_ffff;
        }
    }
}

/// Drops the points of triangles that a shorter way out, found for another triangle, frees as well: beside an edge that dips into B, the
/// faces' own normals lead the long way round.
fn keep_shortest(pair: &Pair<'_>, a: Surface<'_>, margin: f64, s: &mut Scratch) {
    let Scratch { hits, ways, points, .. } = s;
    hits.sort_unstable_by(|h, k| {
        let shorter = k.way.out.s.total_cmp(&h.way.out.s);
        k.way.allowed.cmp(&h.way.allowed).then(shorter).then(h.triangle.cmp(&k.triangle))
    });
    ways.clear();
    for h in hits.iter() {
        let pair = Pair { a: Core::Triangle(a.triangle(h.triangle)), ..*pair };
        let out = h.way.out;
        let same = ways.iter().position(|w| w.n.dot(&out.n) > SAME_NORMAL);
        match same {
            // All with one normal are freed by the longest way along it.
            Some(k) => ways[k].s = ways[k].s.min(out.s),
            None if ways.iter().any(|w| pair.separation(&w.n) >= w.s - 1e-12 * pair.scale) => {
                points[h.from..h.to].iter_mut().for_each(|c| c.gap = f64::INFINITY);
            }
            None => {
                ways.push(out);
                if h.from == h.to && h.way.point.gap < margin {
                    points.push(h.way.point);
                }
            }
        }
    }
    points.retain(|c| c.gap < f64::INFINITY);
}

/// At most a patch of points for each normal.
pub(super) fn spread(
    tol: f64,
    points: &mut Vec<ContactPoint>,
    group: &mut Vec<ContactPoint>,
    out: &mut Vec<ContactPoint>,
) {
    merge(points, tol);
    while let Some(first) = points.first().map(|c| c.normal) {
        group.clear();
        group.extend(points.iter().filter(|c| c.normal.dot(&first) > SAME_NORMAL));
        points.retain(|c| c.normal.dot(&first) <= SAME_NORMAL);
        if group.is_empty() {
            break;
        }
        reduce(group, 0);
        out.extend_from_slice(group);
    }
}

/// Of points at one place with one normal, keeps the deepest (of equal ones the first).
fn merge(points: &mut Vec<ContactPoint>, tol: f64) {
    let mut kept = 0;
    for i in 0..points.len() {
        let c = points[i];
        let same = points[..kept].iter().position(|k| {
            (k.p_b - c.p_b).norm_squared() <= tol * tol && k.normal.dot(&c.normal) > SAME_NORMAL
        });
        match same {
            Some(k) if c.gap < points[k].gap - tol => points[k] = c,
            Some(_) => {}
            None => {
                points[kept] = c;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
}

/// Appends the contacts of the half-space at `x_wa` with the corners of a surface B.
pub(super) fn contacts_with_half_space(
    x_wa: &Isometry3<f64>,
    b: Surface<'_>,
    x_wb: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = x_wa.rotation * V::z();
    let local = x_wb.rotation.inverse() * normal;
    let level = margin - (x_wb.translation.vector - x_wa.translation.vector).dot(&normal);
    with_scratch(|s| {
        let mut corner = |p: Point3<f64>, code: u32| {
            if p.coords.dot(&local) >= level {
                return;
            }
            let p_b = x_wb * p;
            let gap = (p_b.coords - x_wa.translation.vector).dot(&normal);
            let feature = super::feature([FACE, code]);
            s.points.push(ContactPoint { p_a: p_b - gap * normal, p_b, normal, gap, feature });
        };
        match b {
            Surface::Mesh(m) => {
                let low = |b: &Aabb| b.center().coords.dot(&local) - b.half_extents().dot(&local.abs());
                let from = &mut s.triangles;
                from.clear();
                m.bvh().visit(|b| low(b) < level, |i| from.extend(m.triangles()[i as usize]));
                from.sort_unstable();
                from.dedup();
                from.iter().for_each(|v| corner(m.vertices()[*v as usize], *v));
            }
            Surface::Field(h) => {
                for r in 0..h.rows {
                    for c in 0..h.cols {
                        corner(h.vertex(r, c), (r * h.cols + c) as u32);
                    }
                }
                let [x, y] = h.half_extents;
                for (k, (x, y)) in [(-x, -y), (x, -y), (-x, y), (x, y)].into_iter().enumerate() {
                    corner(Point3::new(x, y, -h.base), (h.heights.len() + k) as u32);
                }
            }
        }
        if s.points.len() > super::reduce::MAX_POINTS {
            reduce(&mut s.points, 0);
        }
        // Corners at one place, as unconnected triangles have them.
        merge(&mut s.points, 0.0);
        out.extend_from_slice(&s.points);
    });
}
