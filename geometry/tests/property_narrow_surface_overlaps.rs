//! Overlaps of closed surfaces, held to measures of their own: the depth of convex solids, and what of a segment lies within both solids.
//!
//! No contact is deeper than the overlap is, none lies where nothing overlaps, and each has a normal of both surfaces.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::{Random, extent, hull, winding};
use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};
use signorini_geometry::{ContactPoint, Shape, TriangleMesh, contacts, distance};
use signorini_testkit::data;

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Cells of a block of 3 × 3 × 2 that are solid, one bit each, x first: a block, an angle, a trough, a frame, a cross, steps and a table.
const PATTERNS: [u32; 7] = [0o777_777, 0o111_117, 0o555_777, 0o757_757, 0o272_272, 0o333_777, 0o505_777];

/// The surface of some cells, sheared by a linear map that keeps its flanks flat.
fn cells(pattern: u32, r: &mut Random, steep: f64) -> TriangleMesh {
    let cuts = [0; 3].map(|_| {
        let mut at = -0.3;
        [0; 4].map(|_| {
            let x = at;
            at += r.range(0.1, 0.3);
            x
        })
    });
    let shear = Matrix3::identity() + Matrix3::from_fn(|_, _| r.range(-steep, steep));
    let solid = |c: [i32; 3]| {
        let [x, y, z] = c;
        let within = (0..3).contains(&x) && (0..3).contains(&y) && (0..2).contains(&z);
        within && pattern >> (x + 3 * y + 9 * z) & 1 == 1
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for cell in (0..18).map(|k| [k % 3, k / 3 % 3, k / 9]).filter(|c| solid(*c)) {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut next = cell;
                next[axis] += 2 * side - 1;
                if solid(next) {
                    continue;
                }
                let (u, w) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |du: i32, dw: i32| {
                    let mut c = cell;
                    c[axis] += side;
                    c[u] += du;
                    c[w] += dw;
                    Point3::from(shear * V::from_fn(|k, _| cuts[k][c[k] as usize]))
                };
                let mut loop_ = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if side == 0 {
                    loop_.reverse();
                }
                let first = vertices.len() as u32;
                vertices.extend(loop_);
                triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap().welded().unwrap()
}

fn mesh(r: &mut Random, kind: usize) -> TriangleMesh {
    let turn = r.pose(0.0);
    let mesh = match kind {
        0 => TriangleMesh::cuboid(&r.vector(0.1, 0.4)).unwrap(),
        // A thin plate and a needle.
        1 => {
            TriangleMesh::cuboid(&V::new(r.range(0.2, 0.5), r.range(0.2, 0.5), r.range(0.01, 0.05))).unwrap()
        }
        2 => TriangleMesh::cuboid(&V::new(0.02, 0.03, r.range(0.2, 0.5))).unwrap(),
        3 => TriangleMesh::icosphere(r.range(0.1, 0.4), 1).unwrap(),
        _ => cells(PATTERNS[kind % PATTERNS.len()], r, 0.4),
    };
    // Half of them have axes that lie along others'.
    if r.unit() < 0.5 { mesh.transformed(&turn) } else { mesh }
}

/// Of a segment, the longest part without a place outside of the solid, by samples.
fn within(mesh: &TriangleMesh, p: &Point3<f64>, q: &Point3<f64>) -> bool {
    (1..8).all(|k| winding(mesh, &(p + (q - p) * (f64::from(k) / 8.0))) > 0.1)
}

/// Whether the part of a surface at `p` has the normal `d`, up to the angle of facing parts: nothing about it reaches farther.
fn has_normal(mesh: &TriangleMesh, p: &Point3<f64>, d: &V) -> bool {
    (0..mesh.triangles().len()).all(|i| {
        let t = mesh.triangle(i);
        let n = (t[1] - t[0]).cross(&(t[2] - t[0])).normalize();
        let shares = [0, 1, 2].map(|k| n.dot(&(t[(k + 1) % 3] - t[k]).cross(&(p - t[k]))));
        let on = n.dot(&(p - t[0])).abs() < 1e-7 && shares.iter().all(|s| *s > -1e-7);
        !on || t.iter().all(|v| d.dot(&(v - p)) <= 0.11 * (v - p).norm() + 1e-7)
    })
}

/// Largest separation of two convex solids that overlap, along all normals of faces and of pairs of edges.
fn separation(a: &TriangleMesh, b: &TriangleMesh) -> f64 {
    let faces = |m: &TriangleMesh| -> Vec<V> {
        let of = |i| {
            let t = m.triangle(i);
            (t[1] - t[0]).cross(&(t[2] - t[0])).normalize()
        };
        (0..m.triangles().len()).map(of).collect()
    };
    let edges = |m: &TriangleMesh| -> Vec<V> {
        let mut out: Vec<V> = Vec::new();
        for i in 0..m.triangles().len() {
            let t = m.triangle(i);
            for k in 0..3 {
                let e = (t[(k + 1) % 3] - t[k]).normalize();
                if out.iter().all(|o| o.cross(&e).norm() > 1e-9) {
                    out.push(e);
                }
            }
        }
        out
    };
    let along = |n: &V| {
        let far =
            |m: &TriangleMesh, n: V| m.vertices().iter().map(|p| n.dot(&p.coords)).fold(f64::MIN, f64::max);
        -far(b, -n) - far(a, *n)
    };
    let normals = faces(a).into_iter().chain(faces(b).into_iter().map(|n| -n));
    let (of_a, of_b) = (edges(a), edges(b));
    let crossed =
        of_a.iter().flat_map(|e| of_b.iter().map(|f| e.cross(f))).filter_map(|n| n.try_normalize(1e-9));
    normals.chain(crossed.flat_map(|n| [n, -n])).map(|n| along(&n)).fold(f64::MIN, f64::max)
}

struct Bodies {
    meshes: [TriangleMesh; 2],
    surfaces: [Shape; 2],
    hulls: [Shape; 2],
    convex: bool,
}

fn bodies(r: &mut Random, kinds: [usize; 2]) -> Bodies {
    let meshes = kinds.map(|k| mesh(r, k));
    let convex = kinds.iter().all(|k| *k < 4 || PATTERNS[k % PATTERNS.len()] == PATTERNS[0]);
    let [surfaces, hulls] = [
        meshes.each_ref().map(|m| Shape::Mesh(Arc::new(m.clone()))),
        meshes.each_ref().map(|m| hull(m.vertices())),
    ];
    Bodies { meshes, surfaces, hulls, convex }
}

/// Why contacts are wrong, if they are.
fn wrong(r: &mut Random, b: &Bodies, x: &Pose, found: &[ContactPoint]) -> Option<String> {
    let [of_a, of_b] = &b.meshes;
    let moved = of_b.transformed(x);
    for c in found.iter().filter(|c| c.gap < -1e-6) {
        let (p, q) = (c.p_a, c.p_b);
        let inside = within(of_a, &p, &q) || within(&moved, &p, &q);
        // The points of edges that lean out lie beside both solids, which overlap near them.
        let beside = |r: &mut Random| {
            let z = p + 0.5 * (q - p) + r.direction() * (r.range(0.0, 4.0) * c.gap);
            winding(of_a, &z) > 0.5 && winding(&moved, &z) > 0.5
        };
        if !inside && !(0..2000).any(|_| beside(r)) {
            return Some(format!("nothing overlaps at {c:?}"));
        }
        if !has_normal(of_a, &p, &c.normal) || !has_normal(&moved, &q, &-c.normal) {
            return Some(format!("no normal of both: {c:?}"));
        }
    }
    if b.convex {
        let gap = distance(&b.hulls[0], &Pose::identity(), &b.hulls[1], x).unwrap().gap;
        let gap = if gap < 0.0 { separation(of_a, &moved) } else { gap };
        let deepest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        // Depths of the solids are found to 1e-6 of them.
        if gap < 0.009 && (deepest - gap).abs() > 1e-9 + 1e-6 * gap.abs() {
            return Some(format!("{deepest} for {gap}"));
        }
    }
    None
}

/// Poses that touch along a random direction of the hulls, moved together by up to the depth that a step may leave.
fn pose(r: &mut Random, b: &Bodies) -> Pose {
    let mut x = if r.unit() < 0.4 { Pose::rotation(V::z() * r.range(-3.0, 3.0)) } else { r.pose(0.0) };
    let along = if r.unit() < 0.4 { V::z() } else { r.direction() };
    x.translation.vector =
        along * (extent(&b.hulls[0], &Pose::identity(), &along) + extent(&b.hulls[1], &x, &-along));
    x.translation.vector += r.vector(-0.15, 0.15);
    let depth = 10f64.powf(r.range(-6.0, -2.0));
    for _ in 0..40 {
        let gap = distance(&b.hulls[0], &Pose::identity(), &b.hulls[1], &x).unwrap();
        if (gap.gap + depth).abs() < 1e-3 * depth {
            break;
        }
        x.translation.vector -= gap.normal * (gap.gap + depth);
    }
    // Concave bodies reach into each other's hulls.
    if !b.convex && r.unit() < 0.7 {
        x.translation.vector += r.vector(-0.1, 0.1);
    }
    x
}

#[test]
fn property_no_contact_is_deeper_than_the_overlap() {
    let mut r = Random::new(41);
    let mut failures = Vec::new();
    let (mut count, mut overlaps) = (0, 0);
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    for k in 0..cases {
        let kinds = [k % 11, (k / 11 + 3 * k) % 11];
        let b = bodies(&mut r, kinds);
        let x = pose(&mut r, &b);
        let mut found = Vec::new();
        contacts(&b.surfaces[0], &Pose::identity(), &b.surfaces[1], &x, 0.01, &mut found).unwrap();
        count += 1;
        overlaps += usize::from(found.iter().any(|c| c.gap < -1e-6));
        if let Some(why) = wrong(&mut r, &b, &x, &found) {
            failures.push(format!("{k} {kinds:?}: {why}"));
        }
    }
    // Patches reach concave corners, and a depth of some micrometres may be off by a part of it; the bound is a measured one.
    assert!(
        failures.len() * 200 <= count && overlaps * 2 > count,
        "{} of {count}: {failures:#?}",
        failures.len()
    );
}

/// A slab on a frustum and on a rail whose flanks lean out has the contacts of its lower face alone, however it slid or sank.
#[test]
fn property_a_slab_lies_on_the_top_that_it_is_put_on() {
    let mut r = Random::new(42);
    for name in ["frus", "rail"] {
        let read =
            |name: &str| data::case(format!("daily/{name}.obj")).map(|f| TriangleMesh::load(f).unwrap());
        let (Some(below), Some(slab)) = (read(name), read("slab")) else { return };
        let [below, slab] = [below, slab].map(|m| Shape::Mesh(Arc::new(m)));
        for _ in 0..300 {
            // A third of them touch up to round-off, and a third are level.
            let gap = if r.unit() < 0.3 { r.range(-1e-16, 1e-16) } else { r.range(-3e-4, 1e-4) };
            let tilt = match r.unit() < 0.3 {
                true => V::zeros(),
                false => r.direction() * 10f64.powf(r.range(-7.0, -3.0)),
            };
            let x = Pose::new(V::new(r.range(-0.01, 0.01), r.range(-0.01, 0.01), 0.025 + gap), tilt)
                * Pose::rotation(V::z() * r.range(-3.0, 3.0));
            let mut found = Vec::new();
            contacts(&below, &Pose::identity(), &slab, &x, 1e-3, &mut found).unwrap();
            assert!(found.len() >= 4, "{found:?}");
            let lean = tilt.norm() + 1e-9;
            // Edges that cross at a small angle lean further than their bodies.
            let off = |c: &&ContactPoint| c.normal.z < 0.999 || (c.gap - gap).abs() > 0.15 * lean;
            let wrong = found.iter().find(off);
            assert!(wrong.is_none(), "{gap} {tilt:?} {wrong:?}");
        }
    }
}

/// A body that straddles a large thin plate, or stands out of it on one side: its contacts are no deeper than the overlap of both.
#[test]
fn property_a_plate_has_no_ways_along_itself() {
    let mut r = Random::new(77);
    let (mut met, mut straddled) = (0, 0);
    for k in 0..400 {
        let thin = V::new(r.range(0.001, 0.01), r.range(0.3, 2.0), r.range(0.3, 2.0));
        let plate = TriangleMesh::cuboid(&thin).unwrap();
        let half = r.vector(0.01, 0.08);
        let body = TriangleMesh::cuboid(&half).unwrap();
        let turn = if k % 4 == 0 { Pose::identity() } else { r.pose(0.0) };
        let x = r.range(-1.0, 1.0) * (thin.x + half.norm());
        let pose = Pose::translation(x, r.range(-0.2, 0.2), r.range(-0.2, 0.2)) * turn;
        let shapes = [&plate, &body].map(|m| Shape::Mesh(Arc::new(m.clone())));
        let mut out = Vec::new();
        contacts(&shapes[0], &Pose::identity(), &shapes[1], &pose, 0.0, &mut out).unwrap();
        let depth = -separation(&plate, &body.transformed(&pose));
        let reach = half.dot(&(pose.rotation.to_rotation_matrix().matrix().row(0).transpose().abs()));
        straddled += usize::from(x.abs() + thin.x < reach);
        for c in &out {
            assert!(-c.gap <= depth * (1.0 + 1e-6) + 1e-9, "{k}: {} of {depth}", c.gap);
        }
        met += usize::from(depth > 1e-6);
        assert_eq!(out.is_empty(), depth < 0.0, "{k}: {depth} {out:?}");
    }
    assert!(met > 200 && straddled > 80, "{met} {straddled}");
}
