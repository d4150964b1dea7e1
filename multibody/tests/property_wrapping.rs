//! The path of a tendon past an obstacle.

use proptest::prelude::*;
use signorini_core::na::{Point3, Vector3};
use signorini_multibody::{Obstacle, Wrap, wrap};

fn point() -> impl Strategy<Value = Point3<f64>> {
    (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| Point3::new(x, y, z))
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    (0.05..0.4f64, any::<bool>()).prop_map(|(radius, ball)| match ball {
        true => Obstacle::Sphere { radius },
        false => Obstacle::Cylinder { radius },
    })
}

fn radius(o: Obstacle) -> f64 {
    match o {
        Obstacle::Sphere { radius } | Obstacle::Cylinder { radius } => radius,
    }
}

/// Distance from the axis or centre, with its direction.
fn radial(o: Obstacle, p: &Point3<f64>) -> Vector3<f64> {
    match o {
        Obstacle::Sphere { .. } => p.coords,
        Obstacle::Cylinder { .. } => Vector3::new(p.x, p.y, 0.0),
    }
}

fn length(a: &Point3<f64>, b: &Point3<f64>, w: &Wrap) -> f64 {
    (w.first - a).norm() + w.length + (b - w.last).norm()
}

/// Whether the segment comes nearer to the axis or centre than the radius.
fn meets(o: Obstacle, a: &Point3<f64>, b: &Point3<f64>) -> f64 {
    let (p, q) = (radial(o, a), radial(o, b));
    let d = q - p;
    let s = (-p.dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
    (p + d * s).norm()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn property_a_wrapped_path_is_tangent_and_shortest(o in obstacle(), a in point(), b in point()) {
        let r = radius(o);
        let outside = radial(o, &a).norm() > r && radial(o, &b).norm() > r;
        let hit = meets(o, &a, &b) <= r;
        let w = wrap(o, &a, &b, None);
        prop_assert_eq!(w.is_some(), outside && hit);
        let Some(w) = w else { return Ok(()) };
        // On the surface, and leaving it tangentially: round-off.
        for (p, end) in [(w.first, a), (w.last, b)] {
            prop_assert!((radial(o, &p).norm() - r).abs() < 1e-12);
            prop_assert!(radial(o, &p).dot(&(end - p)).abs() < 1e-9);
        }
        // Longer than straight, and no longer than the detour over any other point of the surface that both ends see.
        let l = length(&a, &b, &w);
        prop_assert!(l >= (b - a).norm() - 1e-12);
        // The arc is at most half a turn, so that no shorter one exists on the other side.
        let turn = match o {
            Obstacle::Sphere { .. } => w.length,
            Obstacle::Cylinder { .. } => (w.length.powi(2) - (w.last.z - w.first.z).powi(2)).max(0.0).sqrt(),
        };
        prop_assert!(turn <= std::f64::consts::PI * r + 1e-9);
        // The chord agrees with the arc.
        let chord = (radial(o, &w.last) - radial(o, &w.first)).norm();
        prop_assert!((2.0 * r * (0.5 * turn / r).sin() - chord).abs() < 1e-9);
    }

    /// The derivative of the length with an end point is the unit vector of its straight piece: the path is stationary.
    #[test]
    fn property_length_is_stationary(
        o in obstacle(), a in point(), b in point(), side in point(), with_side in any::<bool>(), t in point(),
    ) {
        let side = with_side.then_some(side);
        let Some(w) = wrap(o, &a, &b, side.as_ref()) else { return Ok(()) };
        let h = 1e-6;
        let at = |s: f64| {
            let moved = a + t.coords * s;
            wrap(o, &moved, &b, side.as_ref()).map(|w| length(&moved, &b, &w))
        };
        let (Some(l0), Some(l1)) = (at(-h), at(h)) else { return Ok(()) };
        // Where a neighbour takes another branch (other side, other plane) there is no derivative.
        prop_assume!((l1 - l0).abs() < 10.0 * h);
        // Through the axis both ways round are as long, and neighbours take one or the other.
        prop_assume!(meets(o, &a, &b) > 10.0 * h);
        let u = (a - w.first).normalize();
        // Tangent points move fast when the end is near the surface: second derivative up to 1/(distance to the surface).
        let clearance = (radial(o, &a).norm() - radius(o)).min(radial(o, &b).norm() - radius(o));
        prop_assume!(clearance > 0.02);
        prop_assert!(((l1 - l0) / (2.0 * h) - u.dot(&t.coords)).abs() < 1e-6);
    }

    /// Inverse wrapping touches the obstacle at the point over which the path is shortest.
    #[test]
    fn property_inverse_wrapping_is_shortest(o in obstacle(), a in point(), b in point(), turn in -3.2..3.2f64) {
        let inside = Point3::new(0.3 * radius(o), 0.1 * radius(o), 0.0);
        let r = radius(o);
        let outside = radial(o, &a).norm() > r && radial(o, &b).norm() > r;
        let w = wrap(o, &a, &b, Some(&inside));
        prop_assert_eq!(w.is_some(), outside && meets(o, &a, &b) > r);
        let Some(w) = w else { return Ok(()) };
        prop_assert_eq!((w.first, w.length), (w.last, 0.0));
        prop_assert!((radial(o, &w.first).norm() - r).abs() < 1e-12);
        // No other point of the same surface, near or far, gives a shorter path.
        let l = length(&a, &b, &w);
        for scale in [1.0, 1e-2, 1e-4] {
            let axis = match o {
                Obstacle::Sphere { .. } => (a.coords.cross(&b.coords)).normalize(),
                Obstacle::Cylinder { .. } => Vector3::z(),
            };
            let rotation = signorini_core::na::UnitQuaternion::from_scaled_axis(axis * turn * scale);
            let p = rotation * w.first;
            prop_assert!((p - a).norm() + (b - p).norm() >= l - 1e-12);
        }
    }
}

/// A side site on the axis of a cylinder is inside near the middle and outside beyond the radius; lengths of MuJoCo 4.0.
#[test]
fn conformance_side_sites_along_a_cylinder() {
    let o = Obstacle::Cylinder { radius: 0.1 };
    let b = Point3::new(0.3, 0.05, 0.1);
    for (y, z, expected) in [
        (0.15, 0.0, 0.6164414002968976),
        (-0.15, 0.0, 0.6403124237432849),
        (0.15, 0.5, 0.6164474271262637),
        (-0.15, 0.5, 0.7081085082734104),
    ] {
        let a = Point3::new(-0.3, y, 0.0);
        let found = match wrap(o, &a, &b, Some(&Point3::new(0.02, 0.05, z))) {
            Some(w) => length(&a, &b, &w),
            None => (b - a).norm(),
        };
        // MuJoCo stops inverse wrapping at 1e-6 of an angle, where the length is stationary.
        assert!((found - expected).abs() < 1e-11, "{y} {z}: {found}");
    }
}

/// A quarter turn around a unit cylinder, by hand; the side site picks it over the shorter way past the other side.
#[test]
fn analytic_quarter_turn() {
    let o = Obstacle::Cylinder { radius: 1.0 };
    let side = Some(Point3::new(5.0, 5.0, 0.0));
    let (a, b) = (Point3::new(1.0, -2.0, 0.0), Point3::new(-2.0, 1.0, 0.0));
    let w = wrap(o, &a, &b, side.as_ref()).unwrap();
    // Round-off.
    assert!((w.first - Point3::new(1.0, 0.0, 0.0)).norm() < 1e-15);
    assert!((w.last - Point3::new(0.0, 1.0, 0.0)).norm() < 1e-15);
    assert!((w.length - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    // With a rise: the straight pieces and the arc share it in proportion to their lengths.
    let rise = 3.0;
    let b = Point3::new(-2.0, 1.0, rise);
    let w = wrap(o, &a, &b, side.as_ref()).unwrap();
    let flat = 4.0 + std::f64::consts::FRAC_PI_2;
    assert!((w.first.z - rise * 2.0 / flat).abs() < 1e-14);
    assert!((length(&a, &b, &w) - flat.hypot(rise)).abs() < 1e-14);
    // Without a side it takes the shorter arc on the side where the segment passes.
    let w = wrap(o, &a, &b, None).unwrap();
    assert!(w.first.x + w.first.y < 0.0 && w.length < 1.0);
}

/// Ends that are opposite to each other leave the plane of a sphere open.
#[test]
fn property_opposite_ends_are_harmless() {
    let o = Obstacle::Sphere { radius: 0.5 };
    for side in [None, Some(Point3::new(0.0, 0.0, 2.0)), Some(Point3::new(3.0, 0.0, 0.0))] {
        let w = wrap(o, &Point3::new(1.0, 0.0, 0.0), &Point3::new(-1.0, 0.0, 0.0), side.as_ref()).unwrap();
        // Half a turn less the two angles arccos(r/d) = 60°.
        assert!((w.length - 0.5 * std::f64::consts::FRAC_PI_3).abs() < 1e-14);
    }
    let w =
        wrap(o, &Point3::new(1.0, 0.0, 0.0), &Point3::new(-1.0, 0.0, 0.0), Some(&Point3::new(0.0, 0.0, 2.0)));
    assert!(w.unwrap().first.z > 0.0);
    assert_eq!(wrap(o, &Point3::origin(), &Point3::new(-1.0, 0.0, 0.0), None), None);
}
