//! Times for which meshes that move and turn stay apart: no gap is closed before, and advances by them arrive.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::{Random, hull};
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{RigidMotion, Shape, TriangleMesh, distance, time_apart};

type Pose = Isometry3<f64>;

/// A pose after the motion over `t`.
fn moved(x: &Pose, m: &RigidMotion, t: f64) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(t * m.angular);
    let arm = turn * (x.translation.vector - m.center.coords);
    Pose::from_parts(
        Translation3::from(m.center.coords + t * m.velocity + 0.5 * t * t * m.acceleration + arm),
        turn * x.rotation,
    )
}

#[test]
fn property_meshes_stay_apart_for_the_time_told() {
    let mut r = Random::new(51);
    let mut met = 0;
    for k in 0..60 {
        let cuboid = |r: &mut Random| TriangleMesh::cuboid(&r.vector(0.05, 0.4)).unwrap();
        let meshes = [0, 1].map(|i| match (k + i) % 3 {
            0 => TriangleMesh::icosphere(r.range(0.1, 0.4), 1).unwrap(),
            _ => cuboid(&mut r),
        });
        let surfaces = meshes.each_ref().map(|m| Shape::Mesh(Arc::new(m.clone())));
        let hulls = meshes.each_ref().map(|m| hull(m.vertices()));
        let start = [r.pose(0.0), r.pose(0.0)];
        let aside = r.direction() * r.range(0.8, 2.0);
        let start =
            [start[0], Pose::from_parts((start[1].translation.vector + aside).into(), start[1].rotation)];
        let spin = 10f64.powf(r.range(-2.0, 2.0));
        let motions = [0, 1].map(|i| RigidMotion {
            center: Point3::from(start[i].translation.vector + r.vector(-0.1, 0.1)),
            velocity: if i == 0 { r.vector(-0.3, 0.3) } else { -aside + r.vector(-0.3, 0.3) },
            acceleration: if k % 3 == 0 { r.direction() * 9.81 } else { Vector3::zeros() },
            angular: r.direction() * spin,
        });
        let least = if k % 2 == 0 { 0.0 } else { 0.01 };
        let gap_at = |t: f64| {
            let [a, b] = [0, 1].map(|i| moved(&start[i], &motions[i], t));
            distance(&hulls[0], &a, &hulls[1], &b).unwrap().gap
        };
        let mut t = 0.0;
        for _ in 0..400 {
            let poses = [0, 1].map(|i| moved(&start[i], &motions[i], t));
            let now = [0, 1].map(|i| RigidMotion {
                center: motions[i].center + t * motions[i].velocity + 0.5 * t * t * motions[i].acceleration,
                velocity: motions[i].velocity + t * motions[i].acceleration,
                ..motions[i]
            });
            let [a, b] = &surfaces;
            let apart =
                time_apart([a, b], [&poses[0], &poses[1]], [&now[0], &now[1]], least, 2.0 - t).unwrap();
            if apart.time == f64::INFINITY || apart.gap < least + 1e-4 {
                met += usize::from(apart.time != f64::INFINITY);
                break;
            }
            for s in [0.25, 0.5, 0.75, 1.0] {
                let gap = gap_at(t + s * apart.time);
                assert!(gap > least - 1e-9, "{k}: {gap} at {t} + {s} {apart:?}");
            }
            t += apart.time;
        }
    }
    assert!(met > 20, "{met}");
}
