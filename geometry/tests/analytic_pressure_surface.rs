//! Forces, centroids and moments of surfaces against closed forms.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use std::sync::Arc;

use signorini_geometry::pressure::{ContactSurface, PressureField, SurfaceOptions};
use signorini_geometry::{ConvexMesh, HeightField, Shape, TriangleMesh};

use crate::pressure_common::{Body, FADE, KEEP, P, Pose, V, angle_iron, between, integral, slope, turned};

const E: f64 = 1e7;
/// Parts within which forces and moments are at the default resolution.
const DEFAULT: f64 = 0.01;

fn at(z: f64) -> Pose {
    Pose::translation(0.0, 0.0, z)
}

fn plane() -> Body {
    Body::rigid(&Shape::HalfSpace)
}

fn close(name: &str, measured: f64, expected: f64, tolerance: f64) {
    let error = measured / expected - 1.0;
    println!("{name}: {error:+.2e}");
    assert!(error.abs() < tolerance, "{name}: {measured} for {expected}, {error:+e}");
}

/// Force between balls of radii r and s with moduli e and f, centres `apart`: π ∫ ρ² dp over the pressure, as p grows inwards in both.
fn balls([r, e]: [f64; 2], [s, f]: [f64; 2], apart: f64) -> f64 {
    let most = (r + s - apart) / (r / e + s / f);
    PI * integral(0.0, most, |p| {
        let (a, b) = (r * (1.0 - p / e), s * (1.0 - p / f));
        let x = (apart * apart + a * a - b * b) / (2.0 * apart);
        (a * a - x * x).max(0.0)
    })
}

/// Force of a ball pressed `d` into a rigid plane.
fn ball_on_plane(r: f64, d: f64) -> f64 {
    let z = r - d;
    2.0 * PI * E * ((r * r - z * z) / 2.0 - (r.powi(3) - z.powi(3)) / (3.0 * r))
}

/// ∫ min(x, distance from the rim) over a rectangle of sides a and b.
fn roof(a: f64, b: f64, x: f64) -> f64 {
    x * a * b - x * x * (a + b) + 4.0 / 3.0 * x.powi(3)
}

/// Likewise over a circle, or a polygon about one, of radius r and area a.
fn round_roof(a: f64, r: f64, x: f64) -> f64 {
    a * (x - x * x / r + x.powi(3) / (3.0 * r * r))
}

#[test]
fn analytic_ball_on_a_rigid_plane() {
    let r = 0.05;
    let ball = Body::soft(&Shape::Sphere { radius: r }, E);
    for (k, part) in [0.02, 0.03, 0.05, 0.1, 0.3].into_iter().enumerate() {
        let turn = V::new(0.3, 1.1, -0.7) * k as f64;
        let up = turned(0.2, -0.1, r * (1.0 - part), turn);
        let s = between(&plane(), &Pose::identity(), &ball, &up, &FADE);
        close(&format!("ball at {part} of its radius"), s.force().z, ball_on_plane(r, part * r), DEFAULT);
        let sideways = s.moment(&P::from(up.translation.vector)).norm() / (r * s.force().z);
        assert!(sideways < DEFAULT && s.force().xy().norm() < 1e-9 * s.force().z, "{sideways}");
        let area = PI * r * r * (1.0 - (1.0 - part).powi(2));
        close("its area", s.area(), area, 2.0 * DEFAULT);
        // Stiffness is the growth of force with depth but for that of the area, on which there is no pressure.
        let stiffness: f64 = s.polygons().iter().map(|p| p.stiffness()).sum();
        let ds = 1e-6;
        let expected = (ball_on_plane(r, part * r + ds) - ball_on_plane(r, part * r - ds)) / (2.0 * ds);
        close("its stiffness", stiffness, expected, 2.0 * DEFAULT);
    }
}

#[test]
fn analytic_ball_on_a_compliant_plane() {
    let r = 0.05;
    let (thickness, f) = (0.1, 2e6);
    let ball = Body::soft(&Shape::Sphere { radius: r }, E);
    let ground = Body::ground(thickness, f);
    let kappa = f / (E * thickness);
    for part in [0.05, 0.1, 0.3] {
        let d = part * r;
        let z = -d / (1.0 + r * kappa);
        let (c0, c1) = (r * r * kappa + r - d, r * r * kappa * kappa - 1.0);
        let expected = 2.0 * PI * f / thickness * (c0 * z * z / 2.0 + c1 * z.powi(3) / 3.0);
        let s = between(&ground, &Pose::identity(), &ball, &at(r - d), &FADE);
        close(&format!("ball in soft ground at {part}"), s.force().z, expected, DEFAULT);
    }
}

#[test]
fn analytic_two_balls() {
    for ([r, e], [s, f]) in
        [([0.05, E], [0.05, E]), ([0.05, E], [0.08, E]), ([0.05, E], [0.07, 3e6]), ([0.04, 1e6], [0.1, 1e8])]
    {
        let (a, b) =
            (Body::soft(&Shape::Sphere { radius: r }, e), Body::soft(&Shape::Sphere { radius: s }, f));
        for part in [0.05, 0.2] {
            let apart = r + s - part * r;
            let n = V::new(0.6, -0.3, 0.74).normalize();
            let x = turned(apart * n.x, apart * n.y, apart * n.z, V::new(0.2, 0.5, 1.0));
            let found = between(&a, &Pose::identity(), &b, &x, &FADE);
            close(&format!("balls at {part}"), found.force().dot(&n), balls([r, e], [s, f], apart), DEFAULT);
            let across = found.force().cross(&n).norm() / found.force().norm();
            let moment = found.moment(&P::origin()).norm() / (r * found.force().norm());
            assert!(across < DEFAULT && moment < DEFAULT, "across {across}, moment {moment}");
        }
    }
}

#[test]
fn order_of_balls_is_two() {
    let r = 0.05;
    let (mut points, mut pairs) = (Vec::new(), Vec::new());
    for h in [0.32, 0.16, 0.08, 0.04] {
        let ball = Body::soft_at(&Shape::Sphere { radius: r }, h * r, E);
        let mut worst = [0.0f64; 2];
        for k in 0..40 {
            let turn =
                V::new((f64::from(k)).sin(), (1.7 * f64::from(k)).cos(), (0.6 * f64::from(k)).sin()) * 3.0;
            let up = turned(0.0, 0.0, 0.8 * r, turn);
            let s = between(&plane(), &Pose::identity(), &ball, &up, &FADE);
            worst[0] = worst[0].max((s.force().z / ball_on_plane(r, 0.2 * r) - 1.0).abs());
            let s = between(&ball, &at(-0.9 * r), &ball, &turned(0.0, 0.0, 0.9 * r, turn), &FADE);
            worst[1] = worst[1].max((s.force().z / balls([r, E], [r, E], 1.8 * r) - 1.0).abs());
        }
        points.push((h, worst[0]));
        pairs.push((h, worst[1]));
    }
    for (name, points) in [("on a plane", points), ("of two", pairs)] {
        let order = slope(&points);
        println!("balls {name}: {points:?}, order {order:.2}");
        assert!(order > 1.7, "{name}: {order}");
    }
}

#[test]
fn analytic_box_on_planes() {
    let half = V::new(0.1, 0.2, 0.05);
    let cube = Body::soft(&Shape::Box { half_extents: half }, E);
    for d in [1e-6, 1e-3, 0.01] {
        // Pressure over the face, less at its sides, which are nearer there.
        let expected = E / half.z * roof(0.2, 0.4, d);
        let s = between(&plane(), &Pose::identity(), &cube, &at(half.z - d), &FADE);
        // Round-off of the depth beside the size.
        close("box on a plane", s.force().z, expected, 1e-9);
        assert!((s.force().z / (E * d / half.z * 0.2 * 0.4) - 1.0).abs() < 16.0 * d, "pressure times area");
        assert!(s.moment(&P::origin()).norm() < 1e-9 * s.force().norm());
        assert!(s.polygons().iter().all(|p| p.normal == V::z()));
        // Two fields in series: the pressure at which their depths add up.
        let (thickness, f) = (0.02, 3e6);
        let p = d / (half.z / E + thickness / f);
        let s = between(&Body::ground(thickness, f), &Pose::identity(), &cube, &at(half.z - d), &FADE);
        close("box in soft ground", s.force().z, E / half.z * roof(0.2, 0.4, p * half.z / E), 1e-8);
    }
    // On its other faces as well.
    for (turn, height, sides) in
        [(V::x() * FRAC_PI_2, 0.2, [0.2, 0.1]), (V::y() * FRAC_PI_2, 0.1, [0.1, 0.4])]
    {
        let d = 1e-3;
        let s = between(&plane(), &Pose::identity(), &cube, &turned(0.0, 0.0, height - d, turn), &FADE);
        close("box on its side", s.force().z, E / half.z * roof(sides[0], sides[1], d), 1e-9);
    }
}

#[test]
fn analytic_box_on_box_turned_about_the_normal() {
    let (small, large) = (V::new(0.05, 0.04, 0.03), V::new(0.2, 0.2, 0.1));
    let (top, base) = (
        Body::soft(&Shape::Box { half_extents: small }, E),
        Body::soft(&Shape::Box { half_extents: large }, 2e6),
    );
    let d = 1e-3;
    let p = d / (small.z / E + large.z / 2e6);
    let expected = E / small.z * roof(0.1, 0.08, p * small.z / E);
    for k in 0..12 {
        let up = turned(0.01, 0.02, 0.13 - d, V::z() * (0.3 * f64::from(k)));
        let s = between(&base, &Pose::identity(), &top, &up, &FADE);
        close("small box on a large one", s.force().z, expected, 1e-9);
        let m = s.moment(&P::new(0.01, 0.02, 0.0)).norm() / s.force().z;
        assert!(m < 1e-10, "centre {m}");
    }
    // Equal cubes turned by an eighth: an octagon.
    let a = 0.05;
    let cube = Body::soft(&Shape::Box { half_extents: V::repeat(a) }, E);
    let s =
        between(&cube, &Pose::identity(), &cube, &turned(0.0, 0.0, 2.0 * a - d, V::z() * FRAC_PI_4), &FADE);
    let octagon = 8.0 * (SQRT_2 - 1.0) * a * a;
    close("cubes turned by an eighth", s.force().z, E / a * round_roof(octagon, a, d / 2.0), 1e-9);
    // Flush: the fields agree near the common sides.
    let s = between(&cube, &Pose::identity(), &cube, &at(2.0 * a - d), &FADE);
    close("flush cubes", s.force().z, E / a * roof(2.0 * a, 2.0 * a, d / 2.0), 1e-9);
    assert!(s.force().xy().norm() < 1e-9 * s.force().z);
}

#[test]
fn analytic_cylinder_standing_and_lying() {
    for (r, h) in [(0.05, 0.1), (0.05, 0.02), (0.05, 0.05)] {
        let can = Body::soft(&Shape::Cylinder { radius: r, half_length: h }, E);
        let deep = f64::min(r, h);
        for part in [0.02, 0.1] {
            let d = part * deep;
            let s = between(&plane(), &Pose::identity(), &can, &at(h - d), &FADE);
            let expected = E / deep * round_roof(PI * r * r, r, d);
            close(&format!("standing cylinder {r} {h} {part}"), s.force().z, expected, DEFAULT);
            assert!(s.moment(&P::origin()).norm() < 1e-9 * s.force().z);
            // A strip: depth below the round side, less near the ends.
            let z = r - d;
            let expected = E / deep
                * integral(0.0, (r * r - z * z).sqrt(), |y| {
                    let q = r - y.hypot(z);
                    2.0 * (2.0 * h * q - q * q)
                });
            for roll in [0.0, 0.03, 0.1] {
                let turn = turned(0.0, 0.0, z, V::y() * FRAC_PI_2) * turned(0.0, 0.0, 0.0, V::z() * roll);
                let s = between(&plane(), &Pose::identity(), &can, &turn, &FADE);
                // At a fiftieth of the radius flat sides lie a tenth of the depth inside the round one.
                let tolerance = if part < 0.05 { 4.0 * DEFAULT } else { DEFAULT };
                close(&format!("lying cylinder {r} {h} {part}"), s.force().z, expected, tolerance);
                assert!(s.moment(&P::origin()).norm() < DEFAULT * r * s.force().z);
            }
        }
    }
}

#[test]
fn order_of_a_lying_cylinder_is_at_least_two() {
    let (r, h, d) = (0.05, 0.1, 0.005);
    let z = r - d;
    let expected = E / r
        * integral(0.0, (r * r - z * z).sqrt(), |y| {
            let q = r - y.hypot(z);
            2.0 * (2.0 * h * q - q * q)
        });
    let mut points = Vec::new();
    for res in [0.4, 0.2, 0.1, 0.05] {
        let can = Body::soft_at(&Shape::Cylinder { radius: r, half_length: h }, res * r, E);
        let mut worst = 0.0f64;
        for k in 0..40 {
            let turn = turned(0.0, 0.0, z, V::y() * FRAC_PI_2)
                * turned(0.0, 0.0, 0.0, V::z() * (0.037 * f64::from(k)));
            let s = between(&plane(), &Pose::identity(), &can, &turn, &FADE);
            worst = worst.max((s.force().z / expected - 1.0).abs());
        }
        points.push((res, worst));
    }
    let order = slope(&points);
    println!("lying cylinder: {points:?}, order {order:.2}");
    assert!(order > 1.6, "{order}");
}

#[test]
fn analytic_capsule_ellipsoid_and_polyhedron_on_a_plane() {
    let (r, h, d) = (0.05, 0.08, 0.005);
    let rod = Body::soft(&Shape::Capsule { radius: r, half_length: h }, E);
    let s = between(&plane(), &Pose::identity(), &rod, &at(r + h - d), &FADE);
    close("standing capsule", s.force().z, ball_on_plane(r, d), DEFAULT);
    let z = r - d;
    let strip = integral(0.0, (r * r - z * z).sqrt(), |y| 4.0 * h * (r - y.hypot(z))) * E / r;
    let s = between(&plane(), &Pose::identity(), &rod, &turned(0.0, 0.0, z, V::y() * FRAC_PI_2), &FADE);
    close("lying capsule", s.force().z, strip + ball_on_plane(r, d), DEFAULT);
    let axes = V::new(0.1, 0.07, 0.05);
    let egg = Body::soft(&Shape::Ellipsoid { semi_axes: axes }, E);
    let s = between(&plane(), &Pose::identity(), &egg, &at(0.045), &FADE);
    close("ellipsoid", s.force().z, axes.x * axes.y / axes.z.powi(2) * ball_on_plane(0.05, 0.005), DEFAULT);
    // A fan: pressure over a pyramid cut off at the depth.
    let half = V::new(0.1, 0.2, 0.05);
    let hull = Body::soft(&Shape::Convex(Arc::new(ConvexMesh::cuboid(&half).unwrap())), E);
    let mesh = Body::soft(&Shape::Mesh(Arc::new(TriangleMesh::cuboid(&half).unwrap())), E);
    for body in [hull, mesh] {
        let s = between(&plane(), &Pose::identity(), &body, &at(0.045), &FADE);
        let left: f64 = 0.9;
        let expected = E * 0.1 * 0.2 * 0.4 * (1.0 + left + left * left) / 3.0;
        close("polyhedron", s.force().z, expected, 1e-12);
    }
}

#[test]
fn order_of_the_lattice() {
    // A ring on its side, and an angle iron on its face: round, and flat with sharp edges.
    let (major, minor, d) = (0.08, 0.04, 0.008);
    let ring = Shape::Mesh(Arc::new(TriangleMesh::torus(major, minor, 256, 128).unwrap()));
    // Turned, so that no face lies along the lattice.
    let turn = turned(0.0, 0.0, 0.0, V::new(0.5, 0.7, 1.1));
    let iron = Shape::Mesh(Arc::new(angle_iron().transformed(&turn)));
    let z = minor - d;
    let on_ring = 2.0
        * PI
        * major
        * E
        * 2.0
        * integral(0.0, (minor * minor - z * z).sqrt(), |y| 1.0 - y.hypot(z) / minor);
    let area = 0.2 * 0.2 - 0.12 * 0.12;
    let mut points = [Vec::new(), Vec::new()];
    for res in [0.016, 0.0113, 0.008, 0.0057] {
        let body = Body::soft_at(&ring, res, E);
        let s = between(&plane(), &Pose::identity(), &body, &at(z), &FADE);
        points[0].push((res, (s.force().z / on_ring - 1.0).abs()));
        let body = Body::soft_at(&iron, res, E);
        let s = between(&plane(), &Pose::identity(), &body, &(at(0.05 - d) * turn.inverse()), &FADE);
        points[1].push((res, (s.area() / area - 1.0).abs()));
    }
    let orders = [slope(&points[0]), slope(&points[1])];
    println!(
        "force of a ring {:?}, order {:.2}; area of an angle iron {:?}, order {:.2}",
        points[0], orders[0], points[1], orders[1]
    );
    assert!(orders[0] > 0.9 && orders[1] > 0.9, "{orders:?}");
}

#[test]
fn analytic_a_rigid_body_in_a_field_floats_by_its_volume() {
    let (thickness, e) = (0.5, 1e6);
    let ground = Body::ground(thickness, e);
    for mesh in [
        TriangleMesh::torus(0.08, 0.03, 24, 12).unwrap(),
        angle_iron(),
        TriangleMesh::icosphere(0.1, 2).unwrap(),
    ] {
        let volume = mesh.signed_volume();
        let surface = mesh.area();
        let body = Body::rigid(&Shape::Mesh(Arc::new(mesh)));
        let x = turned(0.3, 0.1, -0.25, V::new(0.4, 1.0, -0.3));
        let s = between(&ground, &Pose::identity(), &body, &x, &KEEP);
        close("area of the sunk surface", s.area(), surface, 1e-12);
        let closed: V = s.polygons().iter().map(|p| p.area * p.normal).sum();
        assert!(closed.norm() < 1e-12 * surface, "a closed surface: {closed:?}");
        close("buoyancy", s.force().z, e / thickness * volume, 1e-12);
        assert!(s.force().xy().norm() < 1e-12 * e * volume / thickness);
    }
    // Within a box of constant gradient in each cell, and between two fields.
    let tank = Body::soft(&Shape::Box { half_extents: V::repeat(0.5) }, 1e5);
    for body in [
        Body::rigid(&Shape::Sphere { radius: 0.05 }),
        Body::soft_at(&Shape::Sphere { radius: 0.05 }, 0.02, 1e9),
    ] {
        for place in [[0.3, 0.05, -0.1], [0.1, 0.12, 0.0]] {
            let [x, y, z] = place;
            let s = between(&tank, &Pose::identity(), &body, &Pose::translation(x, y, z), &KEEP);
            let closed: V = s.polygons().iter().map(|p| p.area * p.normal).sum();
            assert!(s.area() > 0.9 * 4.0 * PI * 0.05f64.powi(2));
            assert!(closed.norm() < 1e-10 * s.area(), "a closed surface: {closed:?} of {}", s.area());
        }
    }
}

#[test]
fn analytic_rigid_surfaces_of_all_kinds_agree_with_a_plane() {
    let ball = Body::soft(&Shape::Sphere { radius: 0.05 }, E);
    let up = turned(0.003, 0.004, 0.04, V::new(0.1, 0.2, 0.3));
    let expected = between(&plane(), &Pose::identity(), &ball, &up, &FADE);
    let floor = Shape::Box { half_extents: V::new(0.5, 0.5, 0.2) };
    let field = HeightField::new(11, 13, [0.5, 0.4], vec![0.0; 143], 0.3).unwrap();
    for (body, x) in [
        (Body::rigid(&floor), at(-0.2)),
        (Body::rigid(&Shape::HeightField(Arc::new(field))), Pose::identity()),
        (
            Body::rigid(&Shape::Mesh(Arc::new(TriangleMesh::cuboid(&V::new(0.5, 0.5, 0.1)).unwrap()))),
            at(-0.1),
        ),
    ] {
        let s = between(&body, &x, &ball, &up, &FADE);
        assert!((s.force() - expected.force()).norm() < 1e-9 * expected.force().norm());
        assert!((s.area() / expected.area() - 1.0).abs() < 1e-9);
        assert!(
            (s.moment(&P::origin()) - expected.moment(&P::origin())).norm() < 1e-9 * expected.force().norm()
        );
    }
}

#[test]
fn analytic_pieces_make_up_the_whole() {
    let cube = Body::soft(&Shape::Box { half_extents: V::new(0.1, 0.2, 0.05) }, E);
    let ball = Body::soft(&Shape::Sphere { radius: 0.1 }, E);
    let x = turned(0.03, 0.05, 0.14, V::new(0.1, 0.2, 0.3));
    let whole = between(&cube, &Pose::identity(), &ball, &x, &FADE);
    for grain in [0.05, 0.01] {
        let options = SurfaceOptions { grain, keeps_vertices: true, ..FADE };
        let s = between(&cube, &Pose::identity(), &ball, &x, &options);
        assert!((s.force() - whole.force()).norm() < 1e-10 * whole.force().norm());
        assert!((s.moment(&P::origin()) - whole.moment(&P::origin())).norm() < 1e-10 * whole.force().norm());
        for p in s.polygons() {
            let c = s.corners(p);
            assert!(c.len() >= 3);
            let longest = c.iter().flat_map(|a| c.iter().map(move |b| (a - b).norm())).fold(0.0, f64::max);
            assert!(longest <= grain * (1.0 + 1e-12));
            let double: V = (2..c.len()).map(|k| (c[k - 1] - c[0]).cross(&(c[k] - c[0]))).sum();
            // Corners run counter-clockwise about the normal.
            assert!((0.5 * double.dot(&p.normal) - p.area).abs() < 1e-9 * p.area + 1e-18);
        }
    }
}

/// Where pressure changes over a large polygon, its force acts away from the centroid.
#[test]
fn analytic_a_tilted_box_is_righted_by_the_whole_moment() {
    let half = V::new(0.1, 0.1, 0.05);
    let field = PressureField::new(&Shape::Box { half_extents: half }, None).unwrap();
    let cube = Body::Compliant(field, E);
    let tilt = 0.002;
    let s =
        between(&plane(), &Pose::identity(), &cube, &turned(0.0, 0.0, half.z - 0.001, V::y() * tilt), &FADE);
    // Depth varies by the angle across the face: p = E/c (d + θ x), moment E/c θ ∫x² over the face, less at the edges by depth over length.
    let expected = E / half.z * tilt * 0.2f64.powi(4) / 12.0;
    close("righting moment", -s.moment(&P::new(0.0, 0.0, half.z)).y, expected, 0.08);
    let lumped: f64 =
        s.polygons().iter().map(|p| (p.centroid - P::origin()).cross(&(p.force() * p.normal)).y).sum();
    println!("of which centroids tell {:.3}", -lumped / expected);
}

#[test]
fn conformance_a_used_surface_forgets() {
    let ball = Body::soft(&Shape::Sphere { radius: 0.1 }, E);
    let mut s = ContactSurface::new();
    let options = SurfaceOptions { keeps_vertices: true, ..FADE };
    s.find(&ball.side(), &at(0.0), &ball.side(), &at(0.15), &options).unwrap();
    let first = s.clone();
    s.find(&ball.side(), &at(0.0), &ball.side(), &at(0.5), &options).unwrap();
    assert!(s.polygons().is_empty() && s.vertices().is_empty());
    s.find(&ball.side(), &at(0.0), &ball.side(), &at(0.15), &options).unwrap();
    assert_eq!(s.polygons(), first.polygons());
    assert_eq!(s.vertices(), first.vertices());
    let elements: Vec<_> = s.polygons().iter().map(|p| (p.elements, p.piece)).collect();
    assert!(elements.windows(2).all(|w| w[0] < w[1]), "by elements, each once");
}
