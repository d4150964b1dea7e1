//! Closed meshes that were moved into each other from where they touch, held to the way of that motion: corner over corner and edge over edge on axes of symmetry, and anywhere.
//!
//! Moved back by the way, they touch: so they are no deeper in each other than it is long.

use std::sync::Arc;

use crate::narrow_common::{Random, winding};
use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ContactPoint, Shape, TriangleMesh, contacts, segment_crosses_triangle};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// A solid of revolution about z: its profile of radii and heights, from the axis to the axis, counter-clockwise with the radius to the right.
fn revolved(profile: &[[f64; 2]], sides: usize) -> TriangleMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let ring = |k: usize, i: usize, vertices: &mut Vec<Point3<f64>>| {
        let [r, z] = profile[k];
        let (sin, cos) = ((i % sides) as f64 * std::f64::consts::TAU / sides as f64).sin_cos();
        vertices.push(Point3::new(r * cos, r * sin, z));
        vertices.len() as u32 - 1
    };
    for k in 0..profile.len() {
        let next = (k + 1) % profile.len();
        for i in 0..sides {
            let [a, b, c, d] =
                [(k, i), (k, i + 1), (next, i + 1), (next, i)].map(|(k, i)| ring(k, i, &mut vertices));
            if profile[k][0] > 0.0 {
                triangles.push([a, b, c]);
            }
            if profile[next][0] > 0.0 {
                triangles.push([a, c, d]);
            }
        }
    }
    TriangleMesh::new(vertices, triangles).unwrap().welded().unwrap()
}

/// A solid between two copies of a polygon, counter-clockwise, of convex parts, along y.
fn prism(ring: &[[f64; 2]], parts: &[[u32; 3]], half: f64) -> TriangleMesh {
    let n = ring.len() as u32;
    let side = |y: f64| ring.iter().map(move |[x, z]| Point3::new(*x, y, *z));
    let vertices = side(half).chain(side(-half)).collect();
    let caps = parts.iter().flat_map(|[a, b, c]| [[*a, *c, *b], [a + n, b + n, c + n]]);
    let sides = (0..n).flat_map(|k| {
        let l = (k + 1) % n;
        [[k, l, l + n], [k, l + n, k + n]]
    });
    TriangleMesh::new(vertices, caps.chain(sides).collect()).unwrap()
}

/// A bowl, a torus, a frustum, an L, a U, a roof, a ball, a block.
const KINDS: usize = 8;

fn mesh(r: &mut Random, kind: usize) -> TriangleMesh {
    let (size, thin) = (r.range(0.05, 0.2), r.range(0.01, 0.03));
    let sides = 4 * (2 + (4.0 * r.unit()) as usize);
    match kind {
        0 => {
            let rows = 2 + (4.0 * r.unit()) as usize;
            let arc = |k: usize, size: f64| {
                let (sin, cos) = (k as f64 * std::f64::consts::FRAC_PI_2 / rows as f64).sin_cos();
                [size * if k == 0 { 0.0 } else { sin }, -size * cos]
            };
            let outer = (0..=rows).map(|k| arc(k, size + thin));
            let inner = (0..=rows).rev().map(|k| arc(k, size));
            revolved(&outer.chain(inner).collect::<Vec<_>>(), sides)
        }
        1 => {
            let (far, round) = (size, r.range(0.1, 0.5) * size);
            let at = |k: usize| {
                let (sin, cos) = (k as f64 * std::f64::consts::TAU / 8.0).sin_cos();
                [far + round * cos, round * sin]
            };
            revolved(&(0..8).map(at).collect::<Vec<_>>(), sides)
        }
        2 => revolved(&[[0.0, 0.0], [size, 0.0], [r.range(0.3, 1.5) * size, thin], [0.0, thin]], sides),
        3 => {
            let t = r.range(0.2, 0.6) * size;
            let ring = [[0.0, 0.0], [size, 0.0], [size, t], [t, t], [t, size], [0.0, size]];
            prism(&ring, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]], size)
        }
        4 => {
            let w = size + thin;
            let ring = [
                [-w, 0.0],
                [w, 0.0],
                [w, size],
                [size, size],
                [size, thin],
                [-size, thin],
                [-size, size],
                [-w, size],
            ];
            prism(&ring, &[[0, 1, 4], [0, 4, 5], [1, 2, 3], [1, 3, 4], [0, 5, 6], [0, 6, 7]], 1.5 * size)
        }
        5 => prism(&[[-size, 0.0], [size, 0.0], [0.0, size]], &[[0, 1, 2]], r.range(0.5, 1.5) * size),
        6 => TriangleMesh::icosphere(r.range(0.3, 1.0) * size, 1).unwrap(),
        _ => TriangleMesh::cuboid(&V::new(size, 0.5 * size, thin)).unwrap(),
    }
}

/// Whether the surfaces of two meshes cross or touch, by all pairs of triangles.
fn cross(a: &TriangleMesh, b: &TriangleMesh) -> bool {
    let of = |m: &TriangleMesh| -> Vec<([V; 3], V, f64)> {
        (0..m.triangles().len())
            .map(|i| {
                let t = m.triangle(i).map(|p| p.coords);
                let middle = (t[0] + t[1] + t[2]) / 3.0;
                (t, middle, t.iter().map(|p| (p - middle).norm()).fold(0.0, f64::max))
            })
            .collect()
    };
    let (of_a, of_b) = (of(a), of(b));
    let pierces =
        |t: &[V; 3], u: &[V; 3]| (0..3).any(|k| segment_crosses_triangle(&[t[k], t[(k + 1) % 3]], u));
    of_a.iter().any(|(t, m, r)| {
        of_b.iter().any(|(u, n, s)| (m - n).norm() <= r + s && (pierces(t, u) || pierces(u, t)))
    })
}

/// One of the turns that map axes to axes.
fn quarter_turns(r: &mut Random) -> UnitQuaternion<f64> {
    let quarter = |r: &mut Random| (4.0 * r.unit()).floor() * std::f64::consts::FRAC_PI_2;
    let about = |axis: V, angle: f64| UnitQuaternion::from_scaled_axis(axis * angle);
    about(V::z(), quarter(r)) * about(V::x(), quarter(r)) * about(V::y(), quarter(r))
}

/// Two meshes, a pose of the second at which they touch, and the direction along which it came there.
fn touching(r: &mut Random, kinds: [usize; 2]) -> Option<([TriangleMesh; 2], Pose, V)> {
    let [a, b] = kinds.map(|k| mesh(r, k));
    let aligned = r.unit() < 0.6;
    let turn = if aligned { quarter_turns(r) } else { r.pose(0.0).rotation };
    // Middle over middle, corner over corner, or anywhere.
    let pick = |r: &mut Random, m: &TriangleMesh| match r.unit() {
        u if u < 0.4 => V::zeros(),
        u if u < 0.7 => m.vertices()[(r.unit() * m.vertices().len() as f64) as usize].coords,
        _ => r.vector(-0.1, 0.1),
    };
    let along = if aligned { quarter_turns(r) * V::z() } else { r.direction() };
    let shift = pick(r, &a) - turn * pick(r, &b);
    let at = |s: f64| Pose::from_parts((shift - along * s).into(), turn);
    let crosses = |s: f64| cross(&a, &b.transformed(&at(s)));
    // From outside up to the first crossing, or from within a hollow.
    let far = 1.0;
    let steps = 120;
    let first = (0..=steps).map(|k| far * (1.0 - f64::from(k) / 60.0)).find(|s| crosses(*s))?;
    let (mut low, mut high) = (first, first + far / 60.0);
    for _ in 0..36 {
        let middle = 0.5 * (low + high);
        *(if crosses(middle) { &mut low } else { &mut high }) = middle;
    }
    (high < far).then(|| {
        let x = at(high);
        ([a, b], x, along)
    })
}

/// Contacts of two meshes, B moved by `way` from where they touch.
fn found([a, b]: &[TriangleMesh; 2], x: &Pose, way: &V) -> Vec<ContactPoint> {
    let shapes = [a, b].map(|m| Shape::Mesh(Arc::new(m.clone())));
    let x = Pose::from_parts((x.translation.vector + way).into(), x.rotation);
    let mut out = Vec::new();
    contacts(&shapes[0], &Pose::identity(), &shapes[1], &x, 1e-3, &mut out).unwrap();
    out
}

/// Distance from a surface at which a place is within the solid for certain \[m\].
const INSIDE: f64 = 1e-7;

/// Whether a corner of either mesh is within the other, B moved by `way`.
fn sinks([a, b]: &[TriangleMesh; 2], x: &Pose, way: &V) -> bool {
    let moved = b.transformed(&Pose::from_parts((x.translation.vector + way).into(), x.rotation));
    // On a surface the angle jumps: all places about the corner are within.
    let about = |k: u32| V::from_fn(|i, _| if k >> i & 1 == 1 { INSIDE } else { -INSIDE });
    let within = |m: &TriangleMesh, p: &Point3<f64>| (0..8).all(|k| winding(m, &(p + about(k))) > 0.999);
    a.vertices().iter().any(|p| within(&moved, p)) || moved.vertices().iter().any(|p| within(a, p))
}

#[test]
fn property_no_contact_is_deeper_than_the_way_in() {
    let mut r = Random::new(53);
    let mut failures = Vec::new();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let (mut met, mut bad) = (0, 0);
    for k in 0..cases {
        let kinds = [k % KINDS, (k / KINDS + 3 * k) % KINDS];
        let Some((meshes, x, along)) = touching(&mut r, kinds) else { continue };
        met += 1;
        let mut wrong = false;
        for depth in [-5e-4, -1e-5, 1e-6, 1e-5, 1e-4, 1e-3] {
            let points = found(&meshes, &x, &(along * depth));
            let deepest = points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            // Corners are rounded off by 1e-9 of the size.
            let deep = deepest < -depth.max(0.0) - 1e-8;
            let held = points.iter().any(|c| c.gap < 0.0 && c.normal.dot(&along) < 0.0);
            if deep || !held && sinks(&meshes, &x, &(along * depth)) {
                failures.push(format!("{k} {kinds:?} {depth:e}: {deepest:e}, held: {held}"));
                wrong = true;
            }
        }
        bad += usize::from(wrong);
    }
    // Edges that sink into saddles have the thickness of the loop along which they cross as their depth, which may be larger; the bound is a measured one.
    assert!(bad * 50 <= met && met * 2 > cases, "{bad} of {met}: {failures:#?}");
}
