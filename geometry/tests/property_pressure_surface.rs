//! The fast search against all pairs, exchanged bodies, common motions, and poses in which planes coincide.

use std::f64::consts::FRAC_PI_2;
use std::sync::{Arc, OnceLock};

use proptest::prelude::*;
use signorini_core::na::{Translation3, UnitQuaternion};
use signorini_geometry::pressure::{PressureField, SurfaceOptions};
use signorini_geometry::{Shape, TriangleMesh};

use crate::pressure_common::{
    Body, DROP, FADE, KEEP, P, Pose, Sums, V, angle_iron, between, integral, reference, soft_shapes,
};

fn vector(size: f64) -> impl Strategy<Value = V> {
    prop::array::uniform3(-size..size).prop_map(V::from)
}

fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    (vector(reach), vector(3.0))
        .prop_map(|(p, r)| Pose::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(r)))
}

/// Coarse bodies, for the reference asks all pairs.
fn coarse() -> &'static Vec<Body> {
    static BODIES: OnceLock<Vec<Body>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let mut out = soft_shapes(5, |s| match s {
            Shape::Mesh(m) => Some(m.aabb().half_extents().max() / 4.0),
            Shape::Box { .. } | Shape::Convex(_) => None,
            _ => Some(4.0 * PressureField::default_resolution(s)),
        });
        out.push(Body::rigid(&Shape::Box { half_extents: V::new(0.1, 0.07, 0.05) }));
        out.push(Body::rigid(&Shape::Mesh(Arc::new(angle_iron()))));
        out.push(Body::rigid(&Shape::Mesh(Arc::new(TriangleMesh::icosphere(0.1, 1).unwrap()))));
        out
    })
}

/// Bodies at their default resolution.
fn fine() -> &'static Vec<Body> {
    static BODIES: OnceLock<Vec<Body>> = OnceLock::new();
    BODIES.get_or_init(|| {
        let mut out: Vec<Body> = soft_shapes(5, |_| None);
        out.push(Body::rigid(&Shape::Mesh(Arc::new(angle_iron()))));
        out.push(Body::rigid(&Shape::Sphere { radius: 0.08 }));
        out
    })
}

/// Force at which round-off is measured: the softer modulus over the area of the bodies' size.
fn scale(a: &Body, b: &Body) -> f64 {
    let of = |x: &Body| if let Body::Compliant(_, e) = x { *e } else { f64::INFINITY };
    of(a).min(of(b)) * 0.1 * 0.1
}

fn rigid(x: &Body) -> bool {
    matches!(x, Body::Rigid(_))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn property_surfaces_are_those_of_all_pairs(i in 0usize..17, j in 0usize..17, xa in pose(0.06), xb in pose(0.06)) {
        let (a, b) = (&coarse()[i], &coarse()[j]);
        prop_assume!(!(rigid(a) && rigid(b)));
        let fast = Sums::of(&between(a, &xa, b, &xb, &KEEP));
        let slow = reference(a, &xa, b, &xb);
        let f = scale(a, b);
        // Round-off, and polygons that are thinner than it.
        prop_assert!((fast.force - slow.force).norm() < 1e-8 * f, "{:?} {:?}", fast, slow);
        prop_assert!((fast.moment - slow.moment).norm() < 1e-8 * f * 0.1, "{:?} {:?}", fast, slow);
        prop_assert!((fast.area - slow.area).abs() < 1e-8 * 0.01, "{:?} {:?}", fast, slow);
    }

    #[test]
    fn property_action_is_reaction(i in 0usize..16, j in 0usize..16, xa in pose(0.07), xb in pose(0.07), folds in 0usize..3) {
        let (a, b) = (&fine()[i], &fine()[j]);
        prop_assume!(!(rigid(a) && rigid(b)));
        let options = SurfaceOptions { keeps_vertices: true, ..[KEEP, FADE, DROP][folds] };
        let (one, other) = (between(a, &xa, b, &xb, &options), between(b, &xb, a, &xa, &options));
        let f = scale(a, b);
        let (s, t) = (Sums::of(&one), Sums::of(&other));
        prop_assert!((s.force + t.force).norm() < 1e-9 * f, "{:?} {:?}", s, t);
        prop_assert!((s.moment + t.moment).norm() < 1e-9 * f * 0.1, "{:?} {:?}", s, t);
        for p in one.polygons() {
            prop_assert!(p.area > 0.0 && p.pressure >= 0.0 && p.stiffness() >= 0.0, "{p:?}");
            prop_assert!((p.normal.norm() - 1.0).abs() < 1e-12);
            prop_assert!(p.gradients.iter().sum::<f64>() > 0.0 && !p.gradient().is_nan());
            let c = one.corners(p);
            for k in 0..c.len() {
                let inwards = p.normal.cross(&(c[(k + 1) % c.len()] - c[k]));
                let inside = |x: &P| inwards.dot(&(x - c[k])) >= -1e-12;
                prop_assert!(inside(&p.centroid) && inside(&p.center_of_pressure), "{p:?}");
            }
        }
    }

    #[test]
    fn property_a_common_motion_changes_nothing(i in 0usize..16, j in 0usize..14, xa in pose(0.07), xb in pose(0.07), x in pose(1.0)) {
        let (a, b) = (&fine()[i], &fine()[j]);
        let (here, there) = (between(a, &xa, b, &xb, &FADE), between(a, &(x * xa), b, &(x * xb), &FADE));
        let f = scale(a, b);
        prop_assert!((x.rotation * here.force() - there.force()).norm() < 1e-9 * f);
        let (m, n) = (here.moment(&P::origin()), there.moment(&P::from(x.translation.vector)));
        prop_assert!((x.rotation * m - n).norm() < 1e-9 * f * 0.1);
    }
}

/// Poses in which faces, edges and cells of both bodies coincide: forces are those nearby.
#[test]
fn property_coinciding_planes_are_no_special_case() {
    let mut bodies: Vec<Body> =
        [V::repeat(0.05), V::new(0.05, 0.1, 0.05), V::new(0.1, 0.1, 0.05), V::new(0.1, 0.05, 0.025)]
            .into_iter()
            .map(|half_extents| Body::soft(&Shape::Box { half_extents }, 1e6))
            .collect();
    bodies.push(Body::soft(&Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::repeat(0.05)).unwrap())), 1e6));
    bodies.push(Body::soft_at(&Shape::Mesh(Arc::new(angle_iron())), 0.05, 1e6));
    bodies.push(Body::soft(&Shape::Cylinder { radius: 0.05, half_length: 0.05 }, 1e6));
    bodies.push(Body::rigid(&Shape::Box { half_extents: V::new(0.05, 0.05, 0.1) }));
    bodies.push(Body::rigid(&Shape::HalfSpace));
    bodies.push(Body::ground(0.05, 1e6));
    let places = [-0.1, -0.05, -0.025, 0.0, 0.025, 0.05, 0.099, 0.1];
    let (mut met, mut worst) = (0, 0.0f64);
    for (k, a) in bodies.iter().enumerate() {
        for (l, b) in bodies.iter().enumerate() {
            let unbounded = k >= 8 && l >= 8;
            if unbounded || (rigid(a) && rigid(b)) {
                continue;
            }
            for (n, z) in places.into_iter().enumerate() {
                let (x, y) = (places[(n * 3 + k) % 8], places[(n * 5 + l) % 8]);
                let turn = UnitQuaternion::from_scaled_axis(V::z() * (FRAC_PI_2 * (n % 3) as f64 / 2.0));
                let at = Pose::from_parts(Translation3::new(x, y, z), turn);
                let s = between(a, &Pose::identity(), b, &at, &KEEP);
                for p in s.polygons() {
                    assert!(p.area > 0.0 && p.pressure >= 0.0 && p.gradient().is_finite(), "{p:?}");
                    let finite = |v: &V| v.iter().all(|x| x.is_finite());
                    assert!(
                        finite(&p.normal)
                            && finite(&p.centroid.coords)
                            && finite(&p.center_of_pressure.coords)
                    );
                }
                met += s.polygons().len();
                // Where faces are flush the energy has a kink: the force is one between those on its sides.
                let near: Vec<V> = (0..8)
                    .map(|m| {
                        let sign = |bit: i32| if m >> bit & 1 == 0 { -2e-9 } else { 2e-9 };
                        let nearby = Translation3::new(x + sign(0), y + sign(1), z + sign(2));
                        between(a, &Pose::identity(), b, &Pose::from_parts(nearby, turn), &KEEP).force()
                    })
                    .collect();
                for axis in 0..3 {
                    let low = near.iter().map(|f| f[axis]).fold(f64::INFINITY, f64::min);
                    let high = near.iter().map(|f| f[axis]).fold(f64::NEG_INFINITY, f64::max);
                    let beyond = (low - s.force()[axis]).max(s.force()[axis] - high);
                    worst = worst.max(beyond);
                    // Stiffness of at most 2e6 N/m over 2 nm, and no more.
                    assert!(beyond < 4e-3, "{k} {l} {at:?}: {:?} beside {near:?}", s.force());
                }
            }
        }
    }
    println!("{met} polygons, beyond those nearby {worst:.1e} N");
    assert!(met > 5000, "{met}");
}

/// The force is the gradient of ∫ min(p_A, p_B), an energy that has no polygons in it.
#[test]
fn property_force_is_the_slope_of_the_energy() {
    // Two balls: the overlap seen as columns about the line of centres.
    let (r, e, f) = (0.05, 1e6, 3e6);
    let (a, b) = (
        Body::soft_at(&Shape::Sphere { radius: r }, 0.002, e),
        Body::soft_at(&Shape::Sphere { radius: r }, 0.002, f),
    );
    let energy = |apart: f64| {
        let half = r * (1.0 - (apart / (2.0 * r)).powi(2)).sqrt();
        integral(0.0, half, |rho| {
            let column = |z: f64| {
                let (p, q) = (e * (1.0 - rho.hypot(z) / r), f * (1.0 - rho.hypot(z - apart) / r));
                p.min(q).max(0.0)
            };
            let n = 400;
            let (low, high) = (apart - r, r);
            let h = (high - low) / f64::from(n);
            2.0 * std::f64::consts::PI
                * rho
                * (0..n).map(|k| h * column(low + h * (f64::from(k) + 0.5))).sum::<f64>()
        })
    };
    let (apart, ds) = (0.085, 5e-4);
    let slope = (energy(apart - ds) - energy(apart + ds)) / (2.0 * ds);
    let force = between(&a, &Pose::identity(), &b, &Pose::translation(0.0, 0.0, apart), &KEEP).force().z;
    println!("force {force:.2} N, slope of the energy {slope:.2} N");
    // Second differences of the step and the sums in columns.
    assert!((force / slope - 1.0).abs() < 3e-3, "{force} for {slope}");
}
