//! Shapes and poses for the narrow-phase tests.
#![allow(dead_code, reason = "each test file uses some of these")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "test support")]

use std::sync::Arc;

use serde_json::Value;
use signorini_core::na::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{ConvexMesh, Shape, TriangleMesh};
use signorini_testkit::data;

/// A file of the narrow-phase oracles; None when it is absent.
pub(crate) fn oracle(name: &str) -> Option<Value> {
    data::oracle(format!("narrowphase/{name}")).map(data::json)
}

pub(crate) fn vector(v: &Value) -> Vector3<f64> {
    Vector3::from_fn(|i, _| v[i].as_f64().unwrap())
}

pub(crate) fn pose(v: &Value) -> Isometry3<f64> {
    let q = &v["quat_wxyz"];
    let f = |i: usize| q[i].as_f64().unwrap();
    Isometry3::from_parts(
        Translation3::from(vector(&v["pos"])),
        UnitQuaternion::from_quaternion(Quaternion::new(f(0), f(1), f(2), f(3))),
    )
}

pub(crate) fn shape(v: &Value, meshes: &Value) -> Shape {
    let f = |k: &str| v[k].as_f64().unwrap();
    match v["type"].as_str().unwrap() {
        "sphere" => Shape::Sphere { radius: f("radius") },
        "box" => Shape::Box { half_extents: vector(&v["half_extents"]) },
        "capsule" => Shape::Capsule { radius: f("radius"), half_length: f("half_length") },
        "cylinder" => Shape::Cylinder { radius: f("radius"), half_length: f("half_length") },
        "ellipsoid" => Shape::Ellipsoid { semi_axes: vector(&v["semi_axes"]) },
        "plane" => Shape::HalfSpace,
        "convex" => {
            let m = &meshes[v["mesh"].as_str().unwrap()];
            let points: Vec<_> =
                m["vertices"].as_array().unwrap().iter().map(|p| Point3::from(vector(p))).collect();
            hull(&points)
        }
        other => panic!("unknown shape {other}"),
    }
}

/// The hull of some points.
pub(crate) fn hull(points: &[Point3<f64>]) -> Shape {
    Shape::Convex(Arc::new(ConvexMesh::from_points(points).unwrap()))
}

/// A box as a polyhedron.
pub(crate) fn box_hull(h: Vector3<f64>) -> Shape {
    Shape::Convex(Arc::new(ConvexMesh::cuboid(&h).unwrap()))
}

/// A small generator, so that the tests are the same everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    pub(crate) fn vector(&mut self, lo: f64, hi: f64) -> Vector3<f64> {
        Vector3::new(self.range(lo, hi), self.range(lo, hi), self.range(lo, hi))
    }

    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector(-1.0, 1.0);
            if v.norm_squared() < 1.0 && v.norm_squared() > 1e-4 {
                return v.normalize();
            }
        }
    }

    pub(crate) fn pose(&mut self, reach: f64) -> Isometry3<f64> {
        let axis = self.direction();
        let angle = self.range(-3.1, 3.1);
        Isometry3::new(self.vector(-reach, reach), axis * angle)
    }

    /// One of the six bounded kinds, lengths of the order of `size`.
    pub(crate) fn shape(&mut self, kind: usize, size: f64) -> Shape {
        let (lo, hi) = (0.2 * size, size);
        match kind % 6 {
            0 => Shape::Sphere { radius: self.range(lo, hi) },
            1 => Shape::Box { half_extents: self.vector(lo, hi) },
            2 => Shape::Capsule { radius: self.range(lo, hi), half_length: self.range(lo, hi) },
            3 => Shape::Cylinder { radius: self.range(lo, hi), half_length: self.range(lo, hi) },
            4 => Shape::Ellipsoid { semi_axes: self.vector(lo, hi) },
            _ => box_hull(self.vector(lo, hi)),
        }
    }
}

fn farthest(points: &[Point3<f64>], d: &Vector3<f64>) -> f64 {
    points.iter().map(|p| p.coords.dot(d)).fold(f64::NEG_INFINITY, f64::max)
}

/// Extent of a shape along `n`, written apart from the library.
pub(crate) fn extent(shape: &Shape, x: &Isometry3<f64>, n: &Vector3<f64>) -> f64 {
    let d = x.rotation.inverse() * n;
    let own = match shape {
        Shape::Sphere { radius } => *radius,
        Shape::Box { half_extents } => half_extents.dot(&d.abs()),
        Shape::Capsule { radius, half_length } => radius + half_length * d.z.abs(),
        Shape::Cylinder { radius, half_length } => radius * d.xy().norm() + half_length * d.z.abs(),
        Shape::Ellipsoid { semi_axes } => semi_axes.component_mul(&d).norm(),
        Shape::Convex(m) => farthest(&m.vertices, &d),
        Shape::Mesh(m) => farthest(m.vertices(), &d),
        _ => f64::INFINITY,
    };
    x.translation.vector.dot(n) + own
}

/// Solid angle of a surface about a point over 4π: 1 inside, 0 outside, between on it.
pub(crate) fn winding(mesh: &TriangleMesh, p: &Point3<f64>) -> f64 {
    let angle = |i: usize| {
        let [a, b, c] = mesh.triangle(i).map(|v| v - p);
        let (x, y, z) = (a.norm(), b.norm(), c.norm());
        2.0 * a.dot(&b.cross(&c)).atan2(x * y * z + a.dot(&b) * z + b.dot(&c) * x + c.dot(&a) * y)
    };
    (0..mesh.triangles().len()).map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}
