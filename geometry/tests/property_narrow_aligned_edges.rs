//! Patches of shapes whose edges coincide up to round-off: none of the overlap is lost.

use crate::narrow_common;

use narrow_common::{Random, box_hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, Shape, contacts};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// The contacts in the frame of A, which is turned and moved with B at random.
fn query(r: &mut Random, a: &Shape, b: &Shape, x_ab: &Pose) -> Vec<ContactPoint> {
    let x = r.pose(1.0);
    let mut out = Vec::new();
    contacts(a, &x, b, &(x * x_ab), 0.01, &mut out).unwrap();
    for c in &mut out {
        c.p_a = x.inverse_transform_point(&c.p_a);
        c.p_b = x.inverse_transform_point(&c.p_b);
    }
    out
}

fn shape(r: &mut Random, h: V) -> Shape {
    if r.unit() < 0.5 { Shape::Box { half_extents: h } } else { box_hull(h) }
}

/// Two boxes or hulls, one on the other with one to four sides of their faces in common: all corners of the overlap are points of the patch.
#[test]
fn property_faces_with_common_sides_share_all_their_corners() {
    let mut r = Random::new(41);
    for k in 0..3000 {
        let (h, mut l) = (r.vector(0.1, 0.5), r.vector(0.1, 0.5));
        let mut at = V::zeros();
        for i in 0..2 {
            match (k >> (2 * i)) % 4 {
                // Both sides in common, one of them, or none.
                0 => l[i] = h[i],
                1 => at[i] = h[i] - l[i],
                2 => at[i] = l[i] - h[i],
                _ => at[i] = r.range(-0.5, 0.5) * (h[i] + l[i]),
            }
            at[i] += [0.0, 1e-16, -1e-15][(r.unit() * 3.0) as usize];
        }
        let gap = [1e-3, 0.0, -1e-3][k % 3];
        at.z = h.z + l.z + gap;
        let (a, b) = (shape(&mut r, h), shape(&mut r, l));
        let found = query(&mut r, &a, &b, &Pose::from(at));
        for (sx, sy) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let side = |i: usize, s: f64| s * f64::min(h[i], s * at[i] + l[i]);
            let corner = Point3::new(side(0, sx), side(1, sy), h.z);
            let there = found.iter().any(|c| (c.p_a - corner).norm() < 1e-9 && (c.gap - gap).abs() < 1e-12);
            assert!(there, "{corner} is not in {found:?} of {a:?} and {b:?} at {at}");
        }
    }
}

/// A capsule or a cylinder that lies along a side of a face: both ends of the line carry.
#[test]
fn property_lines_along_the_side_of_a_face_carry_at_both_ends() {
    let mut r = Random::new(42);
    for k in 0..2000 {
        let h = r.vector(0.2, 0.5);
        let (radius, half_length) = (r.range(0.05, 0.1), r.range(0.05, 0.1));
        let b = match k % 2 {
            0 => Shape::Capsule { radius, half_length },
            _ => Shape::Cylinder { radius, half_length },
        };
        let gap = [1e-3, 1e-6, -1e-3][k % 3];
        let along = r.range(-1.0, 1.0) * (h.x - half_length);
        let side = if r.unit() < 0.5 { h.y } else { -h.y };
        let aside = [0.0, 1e-16, -1e-15][(r.unit() * 3.0) as usize];
        let at = V::new(along, side + aside, h.z + radius + gap);
        let x = Pose::from(at) * Pose::rotation(V::y() * std::f64::consts::FRAC_PI_2);
        let a = shape(&mut r, h);
        let found = query(&mut r, &a, &b, &x);
        for end in [along - half_length, along + half_length] {
            let p = Point3::new(end, side, h.z);
            let there = found.iter().any(|c| (c.p_a - p).norm() < 1e-7 && (c.gap - gap).abs() < 1e-9);
            assert!(there, "{p} is not in {found:?} of {a:?} and {b:?} at {at}");
        }
    }
}
