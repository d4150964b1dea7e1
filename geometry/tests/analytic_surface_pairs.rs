//! Triangle surfaces on half-spaces, convex shapes, height fields and each other.

use crate::narrow_common;

use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::Arc;

use narrow_common::{Random, box_hull};
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_geometry::{ContactPoint, ConvexMesh, HeightField, Shape, TriangleMesh, contacts};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

fn cuboid(h: V) -> Shape {
    Shape::Box { half_extents: h }
}

fn surface(shape: &Shape) -> Shape {
    let hull = match shape {
        Shape::Box { half_extents } => ConvexMesh::cuboid(half_extents).unwrap(),
        Shape::Convex(m) => (**m).clone(),
        other => panic!("no surface for {other:?}"),
    };
    Shape::Mesh(Arc::new(hull.to_triangle_mesh().unwrap()))
}

/// Unconnected triangles, as STL files have them.
fn soup(shape: &Shape) -> Shape {
    let Shape::Mesh(m) = surface(shape) else { panic!() };
    let vertices = (0..m.triangles().len()).flat_map(|i| m.triangle(i)).collect();
    let triangles = (0..m.triangles().len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Shape::Mesh(Arc::new(TriangleMesh::new(vertices, triangles).unwrap()))
}

/// A block with a spherical hollow of the given radius, its rim at z = 0, of n rings of 2n facets, closed below.
fn bowl(radius: f64, n: usize) -> Shape {
    let outer = 1.5 * radius;
    let sides = 2 * n;
    let ring = |r: f64, z: f64| -> Vec<Point3<f64>> {
        let at = move |k: usize| 2.0 * PI * k as f64 / sides as f64;
        (0..sides).map(|k| Point3::new(r * at(k).cos(), r * at(k).sin(), z)).collect()
    };
    // From the rim of the bottom, out, up, in, and down into the hollow.
    let mut vertices = ring(outer, -outer);
    vertices.extend(ring(outer, 0.0));
    for k in 0..n {
        let a = 0.5 * PI * k as f64 / n as f64;
        vertices.extend(ring(radius * a.cos(), -radius * a.sin()));
    }
    let mut triangles = Vec::new();
    let rings = n + 2;
    let id = |r: usize, k: usize| (r * sides + k % sides) as u32;
    for r in 0..rings - 1 {
        for k in 0..sides {
            let [a, b, c, d] = [id(r, k), id(r, k + 1), id(r + 1, k + 1), id(r + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let (low, deep) = (vertices.len() as u32, vertices.len() as u32 + 1);
    vertices.extend([Point3::new(0.0, 0.0, -outer), Point3::new(0.0, 0.0, -radius)]);
    for k in 0..sides {
        triangles.push([id(0, k + 1), id(0, k), low]);
        triangles.push([id(rings - 1, k), id(rings - 1, k + 1), deep]);
    }
    let mesh = TriangleMesh::new(vertices, triangles).unwrap();
    assert!(mesh.is_watertight() && mesh.signed_volume() > 0.0);
    Shape::Mesh(Arc::new(mesh))
}

/// The contacts, which those of the exchanged pair must mirror exactly.
fn query(a: &Shape, xa: &Pose, b: &Shape, xb: &Pose, margin: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, xa, b, xb, margin, &mut out).unwrap();
    let mut mirror = Vec::new();
    contacts(b, xb, a, xa, margin, &mut mirror).unwrap();
    assert_eq!(out, mirror.iter().map(|c| c.flipped()).collect::<Vec<_>>());
    for c in &out {
        assert!(c.gap < margin && (c.normal.norm() - 1.0).abs() < 1e-12);
        // Roundoff of a metre.
        assert!((c.p_b - c.p_a - c.normal * c.gap).norm() < 1e-12, "{c:?}");
    }
    out
}

fn least(points: &[ContactPoint]) -> f64 {
    points.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min)
}

/// All points at `gap` with normal up, and the corners of the square of half width `w` among them.
fn stands(points: &[ContactPoint], x: &Pose, gap: f64, corners: &[[f64; 2]], z: f64, what: &str) {
    let up = x.rotation * V::z();
    assert!(points.len() >= 4, "{what}: {points:?}");
    for c in points {
        // Roundoff of a metre; normals from edges of 0.1 m.
        assert!((c.gap - gap).abs() < 1e-12, "{what}: {c:?} for {gap}");
        assert!((c.normal - up).norm() < 1e-9, "{what}: {c:?}");
    }
    for [u, v] in corners {
        let p = x * Point3::new(*u, *v, z + gap);
        assert!(points.iter().any(|c| (c.p_b - p).norm() < 1e-9), "{what}: no point at {u} {v}: {points:?}");
    }
}

#[test]
fn analytic_a_cube_of_triangles_stands_on_whatever_is_flat() {
    let h = V::repeat(0.1);
    let square = |w: f64| [[-w, -w], [w, -w], [-w, w], [w, w]];
    let wide = V::new(0.5, 0.4, 0.1);
    let field = HeightField::new(5, 6, [0.5, 0.4], vec![0.1; 30], 0.2).unwrap();
    let grounds = [
        ("half-space", Shape::HalfSpace, 0.0),
        ("box", cuboid(wide), 0.1),
        ("hull", box_hull(wide), 0.1),
        ("surface", surface(&cuboid(wide)), 0.1),
        ("loose triangles", soup(&cuboid(wide)), 0.1),
        ("height field", Shape::HeightField(Arc::new(field)), 0.1),
    ];
    let placed = Pose::new(V::new(0.3, -0.2, 0.7), V::new(0.4, 0.2, -0.9));
    for (name, ground, top) in &grounds {
        for cube in [surface(&cuboid(h)), soup(&cuboid(h))] {
            for x in [Pose::identity(), placed] {
                for gap in [-1e-3, -1e-6, 1e-6, 2e-3] {
                    let pose = x * Pose::translation(0.0, 0.0, top + 0.1 + gap);
                    let points = query(ground, &x, &cube, &pose, 5e-3);
                    stands(&points, &x, gap, &square(0.1), *top, &format!("{name} {gap}"));
                }
            }
        }
    }
    // Deep in: still up, the corners deepest.
    let x = Pose::translation(0.0, 0.0, 0.18);
    let points = query(&grounds[3].1, &Pose::identity(), &surface(&cuboid(h)), &x, 5e-3);
    let lower: Vec<_> = points.iter().copied().filter(|c| c.gap < -0.01).collect();
    stands(&lower, &Pose::identity(), -0.02, &square(0.1), 0.1, "deep");
    assert!(points.iter().all(|c| (c.normal - V::z()).norm() < 1e-9));
}

#[test]
fn analytic_cubes_of_triangles_on_their_like() {
    let h = V::repeat(0.1);
    let cube = surface(&cuboid(h));
    for gap in [-1e-3, -1e-6, 1e-6, 2e-3] {
        // Edge on edge.
        let points = query(&cube, &Pose::identity(), &cube, &Pose::translation(0.0, 0.0, 0.2 + gap), 5e-3);
        stands(
            &points,
            &Pose::identity(),
            gap,
            &[[-0.1, -0.1], [0.1, -0.1], [-0.1, 0.1], [0.1, 0.1]],
            0.1,
            "aligned",
        );
        // Over the rim on two sides.
        let points = query(&cube, &Pose::identity(), &cube, &Pose::translation(0.05, 0.03, 0.2 + gap), 5e-3);
        let overlap = [[-0.05, -0.07], [0.1, -0.07], [-0.05, 0.1], [0.1, 0.1]];
        stands(&points, &Pose::identity(), gap, &overlap, 0.1, "shifted");
        // Turned by half a right angle: an octagon.
        let turned = Pose::new(V::new(0.0, 0.0, 0.2 + gap), V::z() * FRAC_PI_4);
        let points = query(&cube, &Pose::identity(), &cube, &turned, 5e-3);
        stands(&points, &Pose::identity(), gap, &[], 0.1, "turned");
        assert_eq!(points.len(), 8);
        let r = 0.1 / (PI / 8.0).cos();
        assert!(points.iter().all(|c| (c.p_b.coords.xy().norm() - r).abs() < 1e-9), "{points:?}");
    }
}

#[test]
fn analytic_a_corner_and_an_edge_poke_a_face() {
    let (cube, ground) = (surface(&cuboid(V::repeat(0.1))), surface(&cuboid(V::new(0.5, 0.5, 0.2))));
    let tilt = |axis: V, angle: f64| Pose::rotation(axis.normalize() * angle);
    // The long diagonal upright, then a diagonal of a face.
    let on_corner = tilt(V::new(1.0, -1.0, 0.0), (1.0f64 / 3f64.sqrt()).acos());
    let on_edge = tilt(V::x(), FRAC_PI_4);
    for (turn, reach, count) in [(on_corner, 0.1 * 3f64.sqrt(), 1), (on_edge, 0.1 * 2f64.sqrt(), 2)] {
        for gap in [-2e-3, -1e-5, 1e-5, 2e-3] {
            for (a, b, side) in [(&ground, &cube, 1.0), (&cuboid(V::new(0.5, 0.5, 0.2)), &cube, 1.0)] {
                // On the diagonal of the ground's face, an inner edge.
                for at in [[0.05, 0.05], [0.11, -0.07]] {
                    let x = Pose::translation(at[0], at[1], 0.2 + reach + gap) * turn;
                    let points = query(a, &Pose::identity(), b, &x, 5e-3);
                    assert!(points.len() >= count, "{gap} {at:?}: {points:?}");
                    for c in &points {
                        assert!((c.normal - side * V::z()).norm() < 1e-9, "{gap} {at:?}: {points:?}");
                    }
                    assert!((least(&points) - gap).abs() < 1e-12, "{gap} {at:?}: {points:?}");
                }
            }
        }
    }
}

#[test]
fn analytic_a_bowl_holds_a_sphere() {
    let radius = 0.3;
    let bowl = bowl(radius, 24);
    // A facet spans an angle of π/48; its middle lies this much inside the sphere.
    let sag = radius * (1.0 - (PI / 48.0).cos()) * 2.0;
    let x = Pose::new(V::new(0.2, 0.1, -0.3), V::new(0.7, -0.4, 0.2));
    let r = 0.1;
    let sphere = Shape::Sphere { radius: r };
    let mut random = Random::new(61);
    for _ in 0..300 {
        // Sunk by 1 mm somewhere in the hollow, below the rim.
        let mut d = random.direction();
        d.z = -d.z.abs() - 0.3;
        let d = d.normalize();
        let center = d * (radius - r + 1e-3);
        let points = query(&bowl, &x, &sphere, &(x * Pose::from(center)), 2e-3);
        assert!(!points.is_empty());
        let deepest = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
        assert!(deepest.gap < -1e-3 + 1e-9 && deepest.gap > -1e-3 - sag, "{deepest:?}");
        // The normal of a facet is within half its angle of the sphere's, along both directions.
        assert!((deepest.normal + x.rotation * d).norm() < 1.5 * PI / 48.0, "{deepest:?}");
    }
    // Well inside the hollow there is nothing, though the hull of the bowl is full.
    assert!(query(&bowl, &x, &sphere, &(x * Pose::translation(0.0, 0.0, -0.1)), 2e-3).is_empty());
}

#[test]
fn analytic_a_bowl_of_triangles_holds_a_cube_of_triangles() {
    let radius = 0.3;
    let bowl = bowl(radius, 24);
    let h = V::new(0.1, 0.08, 0.05);
    let cube = surface(&cuboid(h));
    // The four lower corners touch the sphere when the lower face is this far below its centre.
    let reach = (radius * radius - h.x * h.x - h.y * h.y).sqrt();
    let sag = radius * (1.0 - (PI / 48.0).cos()) * 2.0;
    let x = Pose::translation(0.0, 0.0, -reach + h.z - 1e-3);
    let points = query(&bowl, &Pose::identity(), &cube, &x, 1e-3);
    for (sx, sy) in [(1., 1.), (1., -1.), (-1., 1.), (-1., -1.)] {
        let corner = x * Point3::new(sx * h.x, sy * h.y, -h.z);
        let near: Vec<_> = points.iter().filter(|c| (c.p_b - corner).norm() < 0.02).collect();
        assert!(!near.is_empty(), "no point at {corner}: {points:?}");
        for c in near {
            // Inward and up, on the side of the corner.
            assert!(c.normal.z > 0.5 && c.normal.x * sx < 0.1 && c.normal.y * sy < 0.1, "{c:?}");
            assert!(c.gap > -1.5e-3 - sag && c.gap < 1e-3, "{c:?}");
        }
    }
    // Lifted by a centimetre it is free.
    assert!(
        query(&bowl, &Pose::identity(), &cube, &(Pose::translation(0.0, 0.0, 0.01) * x), 1e-3).is_empty()
    );
}

/// Random hulls as surfaces, overlapping a little or a little apart.
fn pairs(seed: u64, count: usize, mut f: impl FnMut(&Shape, &Shape, &Pose, &Shape, &Shape, &Pose)) {
    let mut r = Random::new(seed);
    for k in 0..count {
        let mut make = |k: usize| {
            if k.is_multiple_of(2) {
                cuboid(r.vector(0.05, 0.2))
            } else {
                narrow_common::hull(&(0..12).map(|_| Point3::from(r.direction() * 0.15)).collect::<Vec<_>>())
            }
        };
        let (a, b) = (make(k), make(k / 2));
        let (xa, mut xb) = (r.pose(0.1), r.pose(0.1));
        xb.translation.vector += r.direction() * 0.6;
        let w = signorini_geometry::distance(&a, &xa, &b, &xb).unwrap();
        let gap = [-2e-3, -1e-4, 1e-4, 2e-3][k / 4 % 4];
        xb.translation.vector += w.normal * (gap - w.gap);
        f(&a, &surface(&a), &xa, &b, &surface(&b), &xb);
    }
}

#[test]
fn property_surfaces_of_convex_solids_answer_as_the_solids() {
    let (mut overlapping, mut deeper, mut excess) = (0, 0, 0f64);
    pairs(71, 600, |a, sa, xa, b, sb, xb| {
        let want = signorini_geometry::distance(a, xa, b, xb).unwrap();
        for (p, q) in [(sa, sb), (sa, b), (a, sb)] {
            let points = query(p, xa, q, xb, 5e-3);
            let what = || format!("{} {}: {a:?} {xa:?} {b:?} {xb:?} {points:?}", p.name(), q.name());
            let off = least(&points) - want.gap;
            // Roundoff of a metre, through edges of centimetres. A surface never hides a contact.
            assert!(off < 1e-9, "{off:e} {}", what());
            if want.gap > 0.0 {
                assert!(off > -1e-9, "{off:e} {}", what());
                let deepest = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
                assert!((deepest.normal - want.normal).norm() < 1e-6, "{deepest:?} {want:?}");
            } else {
                overlapping += 1;
                deeper += usize::from(off < -1e-9);
                excess = excess.max(-off);
            }
        }
    });
    println!(
        "{deeper} of {overlapping} overlapping pairs come out deeper than the solids, by at most {excess:e}"
    );
    // Where edges cross, triangle by triangle, a longer way out is found now and then; the bounds are measured ones.
    assert!(deeper * 100 <= 3 * overlapping && excess < 1.1e-2, "{deeper} of {overlapping}, {excess:e}");
}

/// Pairs about whose contact normals there is no doubt: apart.
#[test]
fn property_contacts_of_surfaces_move_with_the_pair_and_lie_on_it() {
    let mut r = Random::new(81);
    pairs(72, 400, |a, sa, xa, b, sb, xb| {
        let points = query(sa, xa, sb, xb, 5e-3);
        let x = r.pose(1.0);
        let moved = query(sa, &(x * xa), sb, &(x * xb), 5e-3);
        // Roundoff of metres; patches of equal depth may keep other points.
        assert!((least(&points) - least(&moved)).abs() < 1e-9, "{points:?} {moved:?}");
        for c in &points {
            for (s, x, p) in [(a, xa, c.p_a), (b, xb, c.p_b)] {
                let at = Shape::Sphere { radius: 1e-12 };
                let on = signorini_geometry::distance(s, x, &at, &Pose::from(p.coords)).unwrap();
                // On the surface; the partner's edge may cut a facet a little inside of it where they overlap.
                assert!(on.gap.abs() < c.gap.abs() + 1e-6, "{} off {s:?}: {c:?}", on.gap);
            }
        }
        // The least gap changes no faster than the pair moves, while apart.
        let step = r.direction() * 1e-5;
        let near = query(sa, xa, sb, &(Pose::from(step) * xb), 5e-3);
        let (before, after) = (least(&points), least(&near));
        if before > 2e-5 {
            assert!((after - before).abs() <= 1e-5 + 1e-9, "{before} {after}");
        }
    });
}

/// A ring of triangles on a block of triangles, leaning a little: the points hold it on all sides, not at its lowest corner alone.
#[test]
fn property_a_ring_stands_on_contacts_all_round() {
    let mut r = Random::new(91);
    let table = surface(&cuboid(V::new(0.5, 0.5, 0.05)));
    for _ in 0..300 {
        let (major, part) = (10f64.powf(r.range(-2.0, -0.6)), r.range(0.2, 0.6));
        let (sides, rounds) = (6 + r.range(0.0, 30.0) as u32, 6 + 2 * r.range(0.0, 8.0) as u32);
        let minor = major * part;
        let ring = TriangleMesh::torus(major, minor, sides, rounds).unwrap();
        let tilt = 10f64.powf(r.range(-8.0, -3.5));
        let turn = Pose::rotation(V::z() * r.range(-PI, PI));
        let lean = turn * Pose::rotation(V::x() * tilt) * Pose::rotation(V::z() * r.range(-PI, PI));
        let low = ring.vertices().iter().map(|p| (lean * p).z).fold(f64::INFINITY, f64::min);
        let (gap, margin) = (r.range(-1e-2, 5e-3) * major, 1e-2 * major);
        let x = Pose::translation(r.range(-0.2, 0.2), r.range(-0.2, 0.2), 0.05 + gap - low) * lean;
        let points = query(&table, &Pose::identity(), &Shape::Mesh(Arc::new(ring)), &x, margin);
        let what =
            format!("{sides} by {rounds}, {major} and {minor}, tilt {tilt:e}, gap {gap:e}: {points:?}");
        assert!((least(&points) - gap).abs() < 1e-9, "{what}");
        for k in 0..16 {
            let u = V::new((PI * k as f64 / 8.0).cos(), (PI * k as f64 / 8.0).sin(), 0.0);
            let reach = points.iter().map(|c| u.dot(&(c.p_b.coords - x.translation.vector)));
            assert!(reach.fold(0.0, f64::max) > 0.3 * major, "{what}");
        }
    }
}
