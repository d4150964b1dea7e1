//! Triangles kept from query to query change no answer.

use crate::narrow_common;

use std::sync::Arc;

use narrow_common::Random;
use signorini_core::na::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use signorini_geometry::{
    ContactPoint, Facing, Neighbours, RigidMotion, Shape, TriangleMesh, contacts, facing_sides, time_apart,
};

type Pose = Isometry3<f64>;

/// Balls of triangles with dents, which have no two places alike.
fn rough(r: &mut Random, level: u32) -> TriangleMesh {
    let ball = TriangleMesh::icosphere(1.0, level).unwrap();
    let vertices = ball.vertices().iter().map(|p| Point3::from(p.coords * r.range(0.7, 1.0))).collect();
    TriangleMesh::new(vertices, ball.triangles().to_vec()).unwrap()
}

fn beside(r: &mut Random, x: &Pose, way: f64) -> Pose {
    let turn = UnitQuaternion::from_scaled_axis(r.direction() * (r.range(0.0, 1.0) * way));
    let shift = r.direction() * (r.range(0.0, 1.0) * way);
    Pose::from_parts(Translation3::from(x.translation.vector + shift), turn * x.rotation)
}

/// Walks of pairs of meshes near each other, in small and in large paces, with margins in turn: contacts, facing sides and times are those of queries without a past, bit for bit.
#[test]
fn property_answers_are_those_without_a_past() {
    let mut r = Random::new(71);
    let (mut touching, mut apart, mut timed) = (0, 0, 0);
    for k in 0..24 {
        let first = rough(&mut r, 2 + k % 2);
        let a = Shape::Mesh(Arc::new(first.clone()));
        let b = match k % 4 {
            // Meshes alike are ordered by their places.
            0 => Shape::Mesh(Arc::new(first)),
            3 => Shape::Box { half_extents: r.vector(0.3, 0.8) },
            _ => Shape::Mesh(Arc::new(rough(&mut r, 2))),
        };
        let x_a = r.pose(0.5);
        let away = r.direction() * r.range(1.4, 2.1);
        let mut x_b = Pose::from_parts((x_a.translation.vector + away).into(), r.pose(0.1).rotation);
        let mut known = Neighbours::default();
        let pace = [1e-6, 1e-3, 1e-2, 0.1][(k / 2 % 4) as usize];
        for step in 0..30 {
            x_b = beside(&mut r, &x_b, pace);
            let margin = [0.0, 0.02, 0.3][step % 3];
            let (shapes, poses) = ([&a, &b], [&x_a, &x_b]);
            let (mut found, mut expected): (Vec<ContactPoint>, _) = (Vec::new(), Vec::new());
            known.contacts(shapes, poses, margin, &mut found).unwrap();
            contacts(&a, &x_a, &b, &x_b, margin, &mut expected).unwrap();
            assert_eq!(found, expected, "{k} {step}");
            touching += usize::from(found.iter().any(|c| c.gap < 0.0));
            apart += usize::from(!found.is_empty() && found.iter().all(|c| c.gap > 0.0));
            assert_eq!(known.facing_sides(shapes, poses, margin), facing_sides(shapes, poses, margin));
            let motion = |x: &Pose, velocity: Vector3<f64>, angular: Vector3<f64>| RigidMotion {
                center: x.translation.vector.into(),
                velocity,
                acceleration: Vector3::new(0.0, 0.0, -9.81),
                angular,
            };
            let of_a = motion(&x_a, Vector3::zeros(), r.direction() * r.range(0.0, 5.0));
            let of_b = motion(&x_b, -away + r.vector(-0.3, 0.3), Vector3::zeros());
            let (motions, least) = ([&of_a, &of_b], 0.01 * (step % 2) as f64);
            let time = known.time_apart(shapes, poses, motions, least, 0.5);
            assert_eq!(time, time_apart(shapes, poses, motions, least, 0.5), "{k} {step}");
            timed += usize::from(time.is_some_and(|t| t.time > 0.0 && t.time.is_finite()));
        }
    }
    assert!(touching > 50 && apart > 50 && timed > 50, "{touching} {apart} {timed}");
}

/// The nearest sides of two surfaces, found by boxes and corners of parts of them, are those of all pairs of their triangles.
#[test]
fn property_nearest_sides_are_those_of_all_pairs() {
    let mut r = Random::new(72);
    let mut apart = 0;
    for _ in 0..12 {
        let meshes = [rough(&mut r, 1), rough(&mut r, 1)];
        let x_a = r.pose(0.5);
        let away = r.direction() * r.range(1.8, 2.6);
        let x_b = Pose::from_parts((x_a.translation.vector + away).into(), r.pose(0.1).rotation);
        let gap = |a: &Shape, b: &Shape| match facing_sides([a, b], [&x_a, &x_b], 1.0) {
            Some(Facing::Apart(c)) => c.gap,
            Some(Facing::Touching) => 0.0,
            Some(Facing::Beyond) | None => f64::INFINITY,
        };
        let single = |m: &TriangleMesh| -> Vec<Shape> {
            let of = |i| TriangleMesh::new(m.triangle(i).to_vec(), vec![[0, 1, 2]]).unwrap();
            (0..m.triangles().len()).map(|i| Shape::Mesh(Arc::new(of(i)))).collect()
        };
        let [of_a, of_b] = [0, 1].map(|k| single(&meshes[k]));
        let all = of_a.iter().flat_map(|a| of_b.iter().map(|b| gap(a, b))).fold(f64::INFINITY, f64::min);
        let [a, b] = meshes.map(|m| Shape::Mesh(Arc::new(m)));
        let found = gap(&a, &b);
        // Round-off of places of size one.
        assert!(found == all || (found - all).abs() <= 1e-13, "{found} {all}");
        apart += usize::from(found > 0.0 && found.is_finite());
    }
    assert!(apart > 4, "{apart}");
}
