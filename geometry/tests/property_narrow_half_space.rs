//! Half-spaces against bounded shapes: contacts are the points of the shape below the margin, in closed form.

use crate::narrow_common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use narrow_common::{Random, hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, HeightField, Shape, TriangleMesh, contacts, distance};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Extent of a shape along `n`; of a height field that of its corners.
fn extent(b: &Shape, xb: &Pose, n: &V) -> f64 {
    let Shape::HeightField(h) = b else { return narrow_common::extent(b, xb, n) };
    let [x, y] = h.half_extents;
    let top = (0..h.rows * h.cols).map(|i| h.vertex(i / h.cols, i % h.cols));
    let bottom = [(-x, -y), (x, -y), (-x, y), (x, y)].map(|(x, y)| Point3::new(x, y, -h.base));
    top.chain(bottom).map(|p| (xb * p).coords.dot(n)).fold(f64::NEG_INFINITY, f64::max)
}

/// Contacts, behind a point of an earlier query that stays as it is; each held to its plane and to the shape.
fn query(x: &Pose, b: &Shape, xb: &Pose, margin: f64) -> Vec<ContactPoint> {
    let far = Pose::translation(0.0, 0.0, 100.0);
    let ball = Shape::Sphere { radius: 100.05 };
    let mut out = Vec::new();
    contacts(&Shape::HalfSpace, &Pose::identity(), &ball, &far, 0.1, &mut out).unwrap();
    let earlier = out.clone();
    contacts(&Shape::HalfSpace, x, b, xb, margin, &mut out).unwrap();
    assert_eq!(out[..1], earlier[..]);
    let found = out.split_off(1);
    let n = x.rotation * V::z();
    let least = -extent(b, xb, &-n) - x.translation.vector.dot(&n);
    assert_eq!(found.is_empty(), least >= margin, "{least} {margin} {b:?}");
    for c in &found {
        assert!((c.normal - n).norm() < 1e-14 && c.gap < margin, "{c:?}");
        assert!((c.p_a.coords - x.translation.vector).dot(&n).abs() < 1e-12, "{c:?}");
        assert!((c.p_b - c.p_a - n * c.gap).norm() < 1e-12, "{c:?}");
    }
    if let Some(deepest) = found.iter().map(|c| c.gap).reduce(f64::min) {
        assert!((deepest - least).abs() < 1e-7, "{deepest} {least} {b:?}");
        if let Ok(w) = distance(&Shape::HalfSpace, x, b, xb) {
            assert!((w.gap - least).abs() < 1e-12 && (w.normal - n).norm() < 1e-14, "{w:?} {least}");
        }
    }
    let mut features: Vec<u64> = found.iter().map(|c| c.feature).collect();
    features.sort_unstable();
    features.dedup();
    assert_eq!(features.len(), found.len(), "{found:?}");
    found
}

/// A pose in which the lowest point is about at the plane.
fn low(r: &mut Random, x: &Pose, b: &Shape) -> Pose {
    let n = x.rotation * V::z();
    let mut xb = r.pose(0.4);
    let height = -extent(b, &xb, &-n) - x.translation.vector.dot(&n);
    xb.translation.vector -= n * (height + r.range(-0.05, 0.02));
    xb
}

/// Each point of a patch is a corner below the margin; all corners on the near side are there while they are at most eight. A code stays with its corner.
#[test]
fn property_corners_below_the_margin_carry() {
    let mut r = Random::new(1);
    for k in 0..100 {
        let sizes = r.vector(0.1, 0.3);
        let sign = |i: u32, k: u32| if i >> k & 1 == 0 { -1.0 } else { 1.0 };
        let (b, corners, radius) = match k % 5 {
            0 => {
                let at = |i| V::new(sign(i, 0) * sizes.x, sign(i, 1) * sizes.y, sign(i, 2) * sizes.z);
                (Shape::Box { half_extents: sizes }, (0..8).map(at).collect::<Vec<_>>(), 0.0)
            }
            1 => {
                let ends = [-sizes.x, sizes.x].map(|z| V::new(0.0, 0.0, z));
                (Shape::Capsule { radius: sizes.y, half_length: sizes.x }, ends.to_vec(), sizes.y)
            }
            2 => {
                let mesh = TriangleMesh::cuboid(&sizes).unwrap().transformed(&r.pose(0.2));
                let corners = mesh.vertices().iter().map(|p| p.coords).collect();
                (Shape::Mesh(Arc::new(mesh)), corners, 0.0)
            }
            3 => {
                let heights = (0..12).map(|_| r.range(-0.1, 0.2)).collect();
                let field = HeightField::new(3, 4, [sizes.x, sizes.y], heights, sizes.z).unwrap();
                let top = (0..12).map(|i| field.vertex(i / 4, i % 4).coords);
                let rim = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
                let bottom = rim.map(|(x, y)| V::new(x * sizes.x, y * sizes.y, -sizes.z));
                let corners = top.chain(bottom).collect();
                (Shape::HeightField(Arc::new(field)), corners, 0.0)
            }
            _ => {
                let cloud: Vec<_> =
                    (0..[6, 30][k / 5 % 2]).map(|_| Point3::from(r.direction() * 0.3)).collect();
                let b = hull(&cloud);
                let Shape::Convex(m) = &b else { unreachable!() };
                let corners = m.vertices.iter().map(|p| p.coords).collect();
                (b, corners, 0.0)
            }
        };
        let mut names: BTreeMap<u64, usize> = BTreeMap::new();
        for _ in 0..60 {
            let x = r.pose(0.5);
            let xb = low(&mut r, &x, &b);
            let margin = [0.0, 0.05, 1.0][(r.unit() * 3.0) as usize];
            let n = x.rotation * V::z();
            let below = |p: &V| (xb * Point3::from(*p) - x.translation.vector).coords.dot(&n) - radius;
            // Of a box the upper corners never carry.
            let boxed = matches!(b, Shape::Box { .. });
            let near = |p: &V| below(p) < margin && (!boxed || (xb.rotation * p).dot(&n) <= 0.0);
            let want: Vec<usize> = (0..corners.len()).filter(|i| near(&corners[*i])).collect();
            let found = query(&x, &b, &xb, margin);
            // Of more than eight some that are spread out.
            let right =
                if want.len() > 8 { (4..=8).contains(&found.len()) } else { found.len() == want.len() };
            assert!(right, "{found:?} of {} {b:?} {xb:?}", want.len());
            for c in &found {
                let local = xb.inverse_transform_point(&(c.p_b + n * radius)).coords;
                let at = want.iter().copied().find(|i| (corners[*i] - local).norm() < 1e-12);
                assert!(at.is_some(), "{c:?} is no corner below {margin} of {b:?} {xb:?}");
                assert_eq!(*names.entry(c.feature).or_insert(at.unwrap()), at.unwrap(), "{c:?}");
            }
            assert!(found.is_sorted_by_key(|c| c.feature) || !matches!(b, Shape::Convex(_)), "{found:?}");
        }
        let mut named: Vec<usize> = names.values().copied().collect();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), names.len(), "one code for each corner");
    }
}

/// A cylinder stands on four points of its lower rim while it is nearly upright, besides the lowest; lying it has the lowest point of each rim. Codes tell the rims apart.
#[test]
fn property_cylinders_stand_on_their_rims() {
    let mut r = Random::new(2);
    for _ in 0..40 {
        let (radius, half_length) = (r.range(0.1, 0.4), r.range(0.1, 0.4));
        let b = Shape::Cylinder { radius, half_length };
        let mut rims: BTreeMap<u64, bool> = BTreeMap::new();
        let mut lying = BTreeSet::new();
        for k in 0..60 {
            let x = r.pose(0.5);
            let n = x.rotation * V::z();
            let tilt = [0.0, 1e-9, 0.1, 0.199, 0.201, 0.7, 1.5][k % 7];
            let up = if k % 2 == 0 { V::z() } else { -V::z() };
            let spin = Pose::rotation(V::z() * r.range(-3.0, 3.0));
            let flip =
                if k % 2 == 0 { Pose::identity() } else { Pose::rotation(V::x() * std::f64::consts::PI) };
            let turned = x * Pose::rotation(V::x() * f64::asin(f64::min(tilt, 0.99))) * spin * flip;
            let mut xb = turned;
            let height = -extent(&b, &xb, &-n) - x.translation.vector.dot(&n);
            let depth = r.range(-0.01, 0.02);
            xb.translation.vector -= n * (height + depth);
            let found = query(&x, &b, &xb, 5.0);
            let upright = (xb.rotation * up).dot(&n) >= 0.0;
            assert!(upright);
            for c in &found {
                let local = xb.inverse_transform_point(&c.p_b).coords;
                let on_rim = local.xy().norm() - radius;
                assert!(on_rim.abs() < 1e-12 && (local.z.abs() - half_length).abs() < 1e-12, "{c:?} {b:?}");
                assert_eq!(*rims.entry(c.feature).or_insert(local.z > 0.0), local.z > 0.0, "{c:?}");
            }
            let lower = |c: &ContactPoint| xb.inverse_transform_point(&c.p_b).z * up.z < 0.0;
            let count = found.iter().filter(|c| lower(c)).count();
            let most = found.iter().map(|c| c.gap).fold(f64::NEG_INFINITY, f64::max);
            if tilt < 0.2 {
                // Four points a quarter turn apart; the lowest where it is none of them.
                assert_eq!(found.len(), count, "{found:?}");
                assert!(count == 4 || tilt > 1e-8 && count == 5, "{tilt} {found:?}");
                let middle = found[..4].iter().map(|c| c.p_b.coords).sum::<V>() / 4.0;
                let local = xb.inverse_transform_point(&middle.into()).coords;
                assert!((local + up * half_length).norm() < 1e-12, "{found:?}");
            } else {
                assert_eq!((found.len(), count), (2, 1), "{tilt} {found:?}");
                lying.extend(found.iter().map(|c| c.feature));
                // The upper one is straight above the rim's lowest place.
                let rise = 2.0 * half_length * (xb.rotation * up).dot(&n);
                assert!((most - (-depth_of(&found) + rise)).abs() < 1e-12, "{found:?} {rise}");
            }
        }
        assert_eq!(lying.len(), 2, "a rim keeps its code whether it is the lower or the upper one");
    }
}

/// Depth of the deepest point.
fn depth_of(points: &[ContactPoint]) -> f64 {
    -points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
}

/// The lowest point of a round shape is one whose normal is that of the plane.
#[test]
fn property_round_shapes_touch_at_one_point() {
    let mut r = Random::new(3);
    for k in 0..400 {
        let b = if k % 2 == 0 {
            Shape::Sphere { radius: 0.3 }
        } else {
            Shape::Ellipsoid { semi_axes: r.vector(0.1, 0.4) }
        };
        let x = r.pose(0.5);
        let xb = low(&mut r, &x, &b);
        let found = query(&x, &b, &xb, 0.3);
        assert_eq!(found.len(), 1);
        let local = xb.inverse_transform_point(&found[0].p_b).coords;
        let gradient = match &b {
            Shape::Ellipsoid { semi_axes: e } => {
                assert!((local.component_div(e).norm() - 1.0).abs() < 1e-12);
                local.component_div(&e.component_mul(e))
            }
            _ => local,
        };
        let n = xb.rotation.inverse() * (x.rotation * V::z());
        assert!((gradient.normalize() + n).norm() < 1e-12, "{found:?}");
    }
}
