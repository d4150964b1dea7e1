//! The patch of two facing features is their overlap in the tangent plane, and its codes name the parts of the shapes on which its points lie.
//!
//! The overlap is found here from its definition: corners of one within the other, and places where edges cross.

use crate::narrow_common;

use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_4;

use narrow_common::{Random, box_hull, hull};
use signorini_core::na::{Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_geometry::{ContactPoint, Shape, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// A polygon or a line of a shape, and a direction that it faces, both in the shape's frame.
#[derive(Clone, Debug)]
struct Feature {
    shape: usize,
    corners: Vec<V>,
    faces: V,
}

/// Shapes with their flat features.
struct Stock {
    shapes: Vec<Shape>,
    polygons: Vec<Feature>,
    lines: Vec<Feature>,
}

fn radius(shape: &Shape) -> f64 {
    if let Shape::Capsule { radius, .. } = shape { *radius } else { 0.0 }
}

/// A prism about z whose caps are a convex polygon.
fn prism(r: &mut Random, corners: usize) -> (Shape, [Vec<V>; 2]) {
    let (x, y, h) = (r.range(0.2, 0.6), r.range(0.2, 0.6), r.range(0.1, 0.4));
    let angle = |k: usize| (k as f64 + 0.35) / corners as f64 * std::f64::consts::TAU;
    let ring: Vec<_> = (0..corners).map(|k| angle(k) + r.range(-0.3, 0.3) / corners as f64).collect();
    let cap = |z: f64| -> Vec<V> { ring.iter().map(|t| V::new(x * t.cos(), y * t.sin(), z)).collect() };
    let caps = [cap(-h), cap(h)];
    let points: Vec<_> = caps.iter().flatten().map(|p| Point3::from(*p)).collect();
    (hull(&points), caps)
}

fn stock(r: &mut Random) -> Stock {
    let mut s = Stock { shapes: Vec::new(), polygons: Vec::new(), lines: Vec::new() };
    for is_hull in [false, false, true] {
        let h = r.vector(0.2, 0.6);
        let shape = s.shapes.len();
        s.shapes.push(if is_hull { box_hull(h) } else { Shape::Box { half_extents: h } });
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let at = |a: f64, b: f64, c: f64| {
                let mut p = V::zeros();
                (p[i], p[j], p[k]) = (a * h[i], b * h[j], c * h[k]);
                p
            };
            for up in [-1.0, 1.0] {
                let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(b, c)| at(up, b, c));
                s.polygons.push(Feature {
                    shape,
                    corners: corners.into(),
                    faces: at(up, 0.0, 0.0).normalize(),
                });
                for side in [-1.0, 1.0] {
                    let corners = vec![at(-1.0, up, side), at(1.0, up, side)];
                    let mut faces = V::zeros();
                    (faces[j], faces[k]) = (up, side * r.range(0.5, 2.0));
                    s.lines.push(Feature { shape, corners, faces: faces.normalize() });
                }
            }
        }
    }
    for corners in 3..8 {
        let (solid, caps) = prism(r, corners);
        let shape = s.shapes.len();
        s.shapes.push(solid);
        for (corners, faces) in caps.into_iter().zip([-V::z(), V::z()]) {
            s.polygons.push(Feature { shape, corners, faces });
        }
    }
    for _ in 0..2 {
        let (radius, half_length) = (r.range(0.1, 0.3), r.range(0.2, 0.6));
        let shape = s.shapes.len();
        s.shapes.push(Shape::Capsule { radius, half_length });
        let ends = |at: V| vec![at - V::z() * half_length, at + V::z() * half_length];
        s.lines.push(Feature { shape, corners: ends(V::zeros()), faces: V::new(0.6, -0.8, 0.0) });
        s.shapes.push(Shape::Cylinder { radius, half_length });
        let faces = V::new(-0.6, 0.8, 0.0);
        s.lines.push(Feature { shape: shape + 1, corners: ends(faces * radius), faces });
        for up in [-1.0, 1.0] {
            let rim = (0..8).map(|k| {
                let (s, c) = (f64::from(k) * FRAC_PI_4).sin_cos();
                V::new(radius * c, radius * s, up * half_length)
            });
            s.polygons.push(Feature { shape: shape + 1, corners: rim.collect(), faces: V::z() * up });
        }
    }
    s
}

/// A pose at which a feature faces `d`, turned about it, its middle over the origin.
fn pose(f: &Feature, d: V, spin: f64) -> Pose {
    let about = UnitQuaternion::from_scaled_axis(d * spin);
    let turned = UnitQuaternion::rotation_between(&f.faces, &d)
        .unwrap_or_else(|| UnitQuaternion::from_scaled_axis(V::x() * std::f64::consts::PI));
    let q = about * turned;
    let middle = f.corners.iter().sum::<V>() / f.corners.len() as f64;
    Pose::from_parts((-(q * middle)).into(), q)
}

/// A feature in the tangent plane of a normal.
struct Flat {
    world: Vec<V>,
    plane: Vec<[f64; 2]>,
}

impl Flat {
    fn new(corners: &[V], x: &Pose, [t1, t2]: [V; 2]) -> Self {
        let world: Vec<V> = corners.iter().map(|p| (x * Point3::from(*p)).coords).collect();
        let plane = world.iter().map(|p| [p.dot(&t1), p.dot(&t2)]).collect();
        Self { world, plane }
    }

    fn edges(&self) -> Vec<[usize; 2]> {
        let n = self.plane.len();
        if n == 2 { vec![[0, 1]] } else { (0..n).map(|k| [k, (k + 1) % n]).collect() }
    }

    /// Whether a place is within a polygon.
    fn holds(&self, q: [f64; 2]) -> bool {
        let n = self.plane.len();
        let left = |k: usize| cross(self.plane[k], self.plane[(k + 1) % n], q);
        n > 2 && ((0..n).all(|k| left(k) >= 0.0) || (0..n).all(|k| left(k) <= 0.0))
    }

    /// The point over a place, along `n`.
    fn over(&self, q: V, n: &V) -> V {
        let w = &self.world;
        if w.len() == 2 {
            let d = w[1] - w[0];
            let flat = d - n * n.dot(&d);
            return w[0] + d * ((q - w[0]).dot(&flat) / flat.norm_squared());
        }
        let m = (w[1] - w[0]).cross(&(w[2] - w[0]));
        q + n * (m.dot(&(w[0] - q)) / m.dot(n))
    }
}

/// Twice the area of a triangle.
fn cross(p: [f64; 2], q: [f64; 2], r: [f64; 2]) -> f64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}

/// Corners of the overlap of two features, one of them a polygon.
fn overlap(a: &Flat, b: &Flat) -> Vec<[f64; 2]> {
    let mut out: Vec<_> = a.plane.iter().copied().filter(|p| b.holds(*p)).collect();
    out.extend(b.plane.iter().copied().filter(|q| a.holds(*q)));
    for [i, j] in a.edges() {
        for [k, l] in b.edges() {
            let (p, q, r, s) = (a.plane[i], a.plane[j], b.plane[k], b.plane[l]);
            let (u, v) = (cross(p, q, r), cross(p, q, s));
            if u * v < 0.0 && cross(r, s, p) * cross(r, s, q) < 0.0 {
                let t = u / (u - v);
                out.push([r[0] + t * (s[0] - r[0]), r[1] + t * (s[1] - r[1])]);
            }
        }
    }
    out
}

/// Shapes A and B with features that face each other up and down.
struct Pair<'a> {
    stock: &'a Stock,
    features: [&'a Feature; 2],
    poses: [Pose; 2],
}

impl<'a> Pair<'a> {
    /// The lowest point of B's feature `gap` above A's.
    fn new(stock: &'a Stock, [a, b]: [&'a Feature; 2], spins: [f64; 2], tilt: V, mut at: V) -> Self {
        let tilted = Pose::rotation(tilt) * pose(b, -V::z(), spins[1]);
        let low = b.corners.iter().map(|p| (tilted * Point3::from(*p)).z).fold(f64::INFINITY, f64::min);
        at.z += radius(&stock.shapes[a.shape]) + radius(&stock.shapes[b.shape]) - low;
        Self {
            stock,
            features: [a, b],
            poses: [pose(a, V::z(), spins[0]), Pose::translation(at.x, at.y, at.z) * tilted],
        }
    }

    fn shapes(&self) -> [&Shape; 2] {
        self.features.map(|f| &self.stock.shapes[f.shape])
    }

    /// Corners of the feature that faces `d`, in the frame of its shape: of a cylinder the line farthest along `d`, of a box on edge the face beside it that
    /// faces `d` best.
    fn corners(&self, i: usize, d: &V) -> Vec<V> {
        let corners = &self.features[i].corners;
        let d = self.poses[i].inverse_transform_vector(d);
        match self.shapes()[i] {
            Shape::Cylinder { radius, .. } if corners.len() == 2 => {
                let out = V::new(d.x, d.y, 0.0).normalize();
                corners.iter().map(|p| out * *radius + V::z() * p.z).collect()
            }
            Shape::Box { .. } if corners.len() == 2 => {
                let faces = self.stock.polygons.iter().filter(|f| f.shape == self.features[i].shape);
                faces.max_by(|f, g| f.faces.dot(&d).total_cmp(&g.faces.dot(&d))).unwrap().corners.clone()
            }
            _ => corners.clone(),
        }
    }

    fn patch(&self, margin: f64) -> Vec<ContactPoint> {
        let ([a, b], [xa, xb]) = (self.shapes(), &self.poses);
        let mut out = Vec::new();
        contacts(a, xa, b, xb, margin, &mut out).unwrap();
        out
    }

    fn gap(&self) -> f64 {
        let ([a, b], [xa, xb]) = (self.shapes(), &self.poses);
        distance(a, xa, b, xb).unwrap().gap
    }

    /// Holds a patch to the overlap; whether the features are those that touch.
    fn check(&self, margin: f64) -> bool {
        let found = self.patch(margin);
        let Some(n) = found.first().map(|c| c.normal) else { return false };
        if n.z < 0.997 {
            return false;
        }
        let t1 = n.cross(&V::x()).normalize();
        let frame = [t1, n.cross(&t1)];
        let [a, b] = [(0, n), (1, -n)].map(|(i, d)| Flat::new(&self.corners(i, &d), &self.poses[i], frame));
        let radii = self.shapes().map(radius);
        let least = self.gap();
        let mut expected = Vec::new();
        let mut unsure = false;
        for q in overlap(&a, &b) {
            let q = frame[0] * q[0] + frame[1] * q[1];
            let (p_a, p_b) = (a.over(q, &n) + n * radii[0], b.over(q, &n) - n * radii[1]);
            let gap = n.dot(&(p_b - p_a));
            unsure |= (gap - margin).abs() < 1e-9;
            // A corner below a line is there twice.
            if gap < margin && expected.iter().all(|(p, _): &(V, f64)| (p - p_a).norm() > 1e-7) {
                expected.push((p_a, gap));
            }
        }
        if unsure {
            return false;
        }
        let near = |c: &ContactPoint, e: &(V, f64)| (c.p_a.coords - e.0).norm() < 1e-7;
        let told = || format!("{found:?} for {expected:?}: {:?} {:?}", self.features, self.poses);
        // The overlap of a corner and an edge.
        if found.iter().all(|c| (c.p_a - found[0].p_a).norm() < 1e-7) && expected.len() < 2 {
            assert!(found.iter().all(|c| (c.gap - least).abs() < 1e-9), "{}", told());
            return false;
        }
        let mut extra = 0;
        for c in &found {
            match expected.iter().find(|e| near(c, e)) {
                Some(e) => assert!((c.gap - e.1).abs() < 1e-9, "{c:?}: {}", told()),
                None => {
                    // The nearest points, where they are no part of the overlap.
                    extra += 1;
                    assert!((c.gap - least).abs() < 1e-9, "{c:?}: {}", told());
                    assert!(expected.iter().all(|e| e.1 > least + 1e-9), "{c:?}: {}", told());
                }
            }
        }
        assert!(extra <= 1 && found.len() <= 8, "{}", told());
        if expected.len() + extra <= 8 {
            let all = expected.iter().all(|e| found.iter().any(|c| near(c, e)));
            assert!(all && found.len() == expected.len() + extra, "{}", told());
        }
        let deepest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert!(deepest < least + 1e-6, "{}", told());
        true
    }
}

/// Random pairs of features of the given kinds, and how many patches were held to the overlap.
fn overlaps(seed: u64, count: usize, kinds: fn(&Stock) -> [&[Feature]; 2]) -> usize {
    let mut r = Random::new(seed);
    let stock = stock(&mut r);
    let [of_a, of_b] = kinds(&stock);
    (0..count)
        .filter(|_| {
            let mut pick = |of: &'_ [Feature]| (r.unit() * of.len() as f64) as usize;
            let (a, b) = (&of_a[pick(of_a)], &of_b[pick(of_b)]);
            let spins = [r.range(-3.0, 3.0), r.range(-3.0, 3.0)];
            let tilt = [0.0, 1e-7, 1e-3, 0.04][(r.unit() * 4.0) as usize];
            let (s, c) = r.range(-3.0, 3.0).sin_cos();
            let at = V::new(r.range(-0.8, 0.8), r.range(-0.8, 0.8), r.range(-0.02, 0.02));
            let pair = Pair::new(&stock, [a, b], spins, V::new(s, c, 0.0) * tilt, at);
            pair.check([0.03, 0.5][(r.unit() * 2.0) as usize])
        })
        .count()
}

#[test]
fn property_polygons_share_their_overlap() {
    assert!(overlaps(1, 3000, |s| [&s.polygons, &s.polygons]) > 1500);
}

/// Lines of all shapes but hulls, whose edges count only against other edges.
fn lone_lines(s: &Stock) -> &[Feature] {
    let first = s.lines.iter().position(|f| f.shape == 2).unwrap();
    assert!(s.lines[first..first + 12].iter().all(|f| f.shape == 2));
    &s.lines[first + 12..]
}

#[test]
fn property_lines_share_their_part_over_a_polygon() {
    assert!(overlaps(2, 1500, |s| [&s.polygons, lone_lines(s)]) > 500);
    assert!(overlaps(3, 1500, |s| [lone_lines(s), &s.polygons]) > 500);
    assert!(overlaps(4, 1500, |s| [&s.polygons, &s.lines[..24]]) > 500);
    assert!(overlaps(5, 1500, |s| [&s.lines[..24], &s.polygons]) > 500);
}

#[test]
fn property_parallel_lines_share_an_interval() {
    let mut r = Random::new(6);
    let stock = stock(&mut r);
    let mut held = 0;
    for k in 0..2000 {
        // Half of them lines of round shapes, the last four.
        let from = if k % 4 < 2 { stock.lines.len() - 4 } else { 0 };
        let of = &stock.lines[from..];
        let mut pick = || &of[(r.unit() * of.len() as f64) as usize];
        let (a, b) = (pick(), pick());
        let flip = [0.0, std::f64::consts::PI][k % 2];
        // B along A.
        let along = |f: &Feature, d: V| {
            let x = pose(f, d, 0.0);
            let u = x * (f.corners[1] - f.corners[0]);
            d.z * u.y.atan2(u.x)
        };
        // Within a sine of 0.05 lines count as parallel.
        let turn = [0.0, 1e-9, -1e-9, 0.02, -0.04][k % 5];
        let spins = [-along(a, V::z()), -along(b, -V::z()) + flip + turn];
        let at = V::new(r.range(-1.2, 1.2), 0.0, [0.01, -0.01][k / 2 % 2]);
        let pair = Pair::new(&stock, [a, b], spins, V::zeros(), at);
        let found = pair.patch(0.1);
        let half = |f: &Feature| (f.corners[1] - f.corners[0]).norm() / 2.0;
        // Along A; turned, B crosses A below its middle.
        let (l, m) = (half(a), half(b) * f64::cos(turn));
        if turn.abs() > 1e-3 && at.x.abs() > l - 0.01 {
            continue;
        }
        let (lo, hi) = ((-l).max(at.x - m), l.min(at.x + m));
        // Shorter than the overlap is deep, a way out along the lines is shorter.
        if hi - lo < 0.02 {
            continue;
        }
        // Overlapping edges leave along a face.
        if found.first().is_some_and(|c| c.normal.z < 0.997) {
            continue;
        }
        held += 1;
        let mut places: Vec<f64> = found.iter().map(|c| c.p_a.x).collect();
        places.sort_by(f64::total_cmp);
        let told = || format!("{found:?} for {lo} {hi}: {:?} {:?}", pair.features, pair.poses);
        assert_eq!(places.len(), 2, "{}", told());
        // A point of turned lines is halfway between them.
        let (along, across) = (1e-7 + turn * turn * (l + m), 1e-7 + turn.abs() * (l + m));
        assert!((places[0] - lo).abs() < along && (places[1] - hi).abs() < along, "{}", told());
        for c in &found {
            assert!((c.gap - at.z).abs() < 1e-8 && (c.normal - V::z()).norm() < 1e-7, "{}", told());
            let top = radius(pair.shapes()[0]);
            assert!(c.p_a.y.abs() < across && (c.p_a.z - top).abs() < 1e-7, "{}", told());
        }
    }
    assert!(held > 500, "{held}");
}

/// The faces of a shape on which a point of its core lies, one bit each; the ends of a capsule count as faces.
fn incident(shape: &Shape, p: &V) -> u32 {
    let on = |k: usize, off: f64| u32::from(off.abs() < 1e-6) << k;
    match shape {
        Shape::Box { half_extents: h } => {
            (0..3).map(|i| on(2 * i, p[i] - h[i]) | on(2 * i + 1, p[i] + h[i])).sum()
        }
        // Lines that are parallel within 0.05 end halfway between their ends.
        Shape::Capsule { half_length: h, .. } | Shape::Cylinder { half_length: h, .. } => {
            u32::from(p.z < 0.03 - h) | u32::from(p.z > h - 0.03) << 1
        }
        Shape::Convex(m) => {
            let off = |f: &Vec<u32>, n: &V| n.dot(&(p - m.vertices[f[0] as usize].coords));
            m.faces.iter().zip(&m.normals).enumerate().map(|(k, (f, n))| on(k, off(f, n))).sum()
        }
        _ => 0,
    }
}

/// Each code of a feature belongs to one corner, edge or face, which all points with the code lie on; all parts of the shapes occur.
#[test]
fn property_codes_name_the_parts_of_a_shape() {
    let mut r = Random::new(7);
    let stock = stock(&mut r);
    let mut parts: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    for k in 0..12_000 {
        let mut pick = |of: &'_ [Feature]| (r.unit() * of.len() as f64) as usize;
        let of = [&stock.polygons, &stock.lines];
        let (of_a, of_b) = (of[k % 2], of[k / 2 % 2]);
        let features = [&of_a[pick(of_a)], &of_b[pick(of_b)]];
        let spins = [r.range(-3.0, 3.0), r.range(-3.0, 3.0)];
        // Level, tilted a little, or anyhow.
        let tilt = [0.0, 0.04, r.range(0.2, 1.2)][k / 4 % 3];
        let (s, c) = r.range(-3.0, 3.0).sin_cos();
        let at = V::new(r.range(-0.8, 0.8), r.range(-0.8, 0.8), r.range(-0.02, 0.02));
        let pair = Pair::new(&stock, features, spins, V::new(s, c, 0.0) * tilt, at);
        let shapes = pair.shapes();
        for c in pair.patch(0.03) {
            let on_a = c.p_a.coords - c.normal * radius(shapes[0]);
            let on_b = c.p_b.coords + c.normal * radius(shapes[1]);
            for (i, p, code) in [(0, on_a, (c.feature >> 32) as u32), (1, on_b, c.feature as u32)] {
                let local = pair.poses[i].inverse_transform_point(&p.into()).coords;
                let mask = incident(shapes[i], &local);
                // Lines that are parallel within 0.05 share points halfway between them, off both.
                if mask == 0 && !matches!(shapes[i], Shape::Capsule { .. }) {
                    continue;
                }
                parts.entry((features[i].shape, code)).and_modify(|m| *m &= mask).or_insert(mask);
            }
        }
    }
    for (i, shape) in stock.shapes.iter().enumerate() {
        let of: Vec<u32> = parts.iter().filter(|((s, _), _)| *s == i).map(|(_, m)| *m).collect();
        let mut different = of.clone();
        different.sort_unstable();
        different.dedup();
        let count = |n: u32| of.iter().filter(|m| m.count_ones() == n).count();
        match shape {
            Shape::Box { .. } => {
                assert_eq!(different.len(), of.len(), "{shape:?}");
                assert_eq!([0, 1, 2, 3].map(count), [0, 6, 12, 8], "{shape:?}");
            }
            Shape::Capsule { .. } => {
                assert_eq!(different, [0, 1, 2], "{shape:?}");
                assert_eq!(of.len(), 3, "{shape:?}");
            }
            Shape::Cylinder { .. } => {
                // The line along its side has one code, the rims and caps at both ends have different ones.
                let ends = [1, 2].map(|end| of.iter().filter(|m| **m == end).count());
                assert!(count(0) <= 1 && ends.iter().all(|n| *n > 8), "{of:?}");
            }
            Shape::Convex(m) => {
                // Of a seldom seen edge an end may be all that was seen.
                assert!(count(0) == 0 && count(3) >= m.vertices.len(), "{shape:?} {of:?}");
                let faces = different.iter().filter(|m| m.count_ones() == 1).count();
                assert_eq!(faces, count(1), "{shape:?} {of:?}");
            }
            _ => {}
        }
    }
}
