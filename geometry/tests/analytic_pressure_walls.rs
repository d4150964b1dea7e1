//! Thin walls of closed meshes on a lattice, against the field of distances.

use std::f64::consts::PI;
use std::sync::Arc;

use signorini_core::na::{UnitQuaternion, Vector3};
use signorini_geometry::pressure::{MOST_TETRAHEDRA, PressureError, PressureField};
use signorini_geometry::{Shape, TriangleMesh};

use crate::pressure_common::{Body, FADE, P, Pose, V, between, together};

const E: f64 = 1e6;
/// Turns of a mesh within its frame, and so against the lattice.
const TURNS: [[f64; 3]; 4] = [[0.0; 3], [0.3, 0.0, 0.0], [0.5, -0.4, 0.7], [0.2, 0.9, -0.3]];

fn turned(turn: [f64; 3]) -> Pose {
    Pose::from_parts(V::zeros().into(), UnitQuaternion::from_scaled_axis(Vector3::from(turn)))
}

/// A square plate with a square hole: half sides, thickness.
#[derive(Clone, Copy)]
struct Frame {
    outer: f64,
    inner: f64,
    thickness: f64,
}

impl Frame {
    fn mesh(&self) -> TriangleMesh {
        let square = |r: f64, z: f64| [[-r, -r], [r, -r], [r, r], [-r, r]].map(|[x, y]| P::new(x, y, z));
        let (low, high) = (-0.5 * self.thickness, 0.5 * self.thickness);
        let loops = [(self.outer, low), (self.inner, low), (self.inner, high), (self.outer, high)];
        let vertices: Vec<P> = loops.iter().flat_map(|(r, z)| square(*r, *z)).collect();
        let mut triangles = Vec::new();
        for ring in 0..4u32 {
            for k in 0..4 {
                let at = |ring: u32, k: u32| 4 * (ring % 4) + k % 4;
                let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
                triangles.extend([[a, c, b], [a, d, c]]);
            }
        }
        TriangleMesh::new(vertices, triangles).unwrap()
    }

    /// Force of a rigid plane `d` deep in a face: E/(t/2) ∫ min(d, s) dA with the distance s from the sides, which is the distance from a corner in the quarter discs about the corners of the hole.
    fn force(&self, d: f64) -> f64 {
        let (a, b) = (self.outer, self.inner);
        let area = 4.0 * (a * a - b * b) * d - 4.0 * (a + b) * d * d + (4.0 - PI) / 3.0 * d * d * d;
        2.0 * E / self.thickness * area
    }
}

/// A cup of revolution on z = 0 with walls of thickness `t`.
fn cup(radius: f64, height: f64, t: f64) -> TriangleMesh {
    let rings = [[radius, 0.0], [radius, height], [radius - t, height], [radius - t, t]];
    TriangleMesh::revolved(48, &rings, [0.0, t]).unwrap()
}

/// Force of a rigid plane `d` deep in the lowest face of a field whose mesh is turned, `low` below its frame.
fn force(field: PressureField, low: f64, turn: &Pose, d: f64) -> f64 {
    let pose = Pose::translation(0.0, 0.0, low - d) * turn.inverse();
    between(&Body::rigid(&Shape::HalfSpace), &Pose::identity(), &Body::Compliant(field, E), &pose, &FADE)
        .force()
        .norm()
}

const FRAME: Frame = Frame { outer: 0.04, inner: 0.02, thickness: 0.004 };

fn field(mesh: TriangleMesh, resolution: Option<f64>) -> Result<PressureField, PressureError> {
    PressureField::new(&Shape::Mesh(Arc::new(mesh)), resolution)
}

/// Edges up to half a wall: below the faces of the plate, away from its sides, the extent is d/(t/2) to rounding.
#[test]
fn analytic_edges_of_half_a_wall_have_exact_faces() {
    let t = FRAME.thickness;
    for turn in TURNS.map(turned) {
        let f = field(FRAME.mesh().transformed(&turn), Some(0.499 * t)).unwrap();
        let mut faces = 0;
        for (i, cell) in f.tetrahedra().iter().enumerate() {
            let at = f.tetrahedron(i).map(|p| turn.inverse() * p);
            let sides = |p: &P| {
                let r = p.x.abs().max(p.y.abs());
                (FRAME.outer - r).min(r - FRAME.inner)
            };
            let outside = cell.iter().any(|v| f.extents()[*v as usize] == 0.0);
            if outside && at.iter().all(|p| sides(p) > t) {
                faces += 1;
                let slope = (turn.inverse() * f.gradient(i)).z * at[0].z.signum();
                // Discretisation: the largest depth is sought to 1e-4 of an edge.
                assert!((slope * t / 2.0 + 1.0).abs() < 1e-4, "{slope}");
            }
        }
        assert!(faces > 1000, "{faces}");
    }
}

/// Fields of plates at the default resolution and at coarser ones, in parts of the closed form.
#[test]
fn analytic_walls_are_as_stiff_as_their_field_of_distances() {
    let t = FRAME.thickness;
    // Edges over thickness, bounds: what is lost are the rims, which a lattice cuts off, of a part of its edge. The mean wall is 0.83 of the thickness, as rims count.
    for (edge, low, high) in
        [(None, 0.93, 1.01), (Some(0.4), 0.9, 1.01), (Some(1.0), 0.55, 0.85), (Some(1.25), 0.3, 0.72)]
    {
        for depth in [0.02, 0.1] {
            let parts = TURNS.map(turned).map(|turn| {
                let f = field(FRAME.mesh().transformed(&turn), edge.map(|e| e * t)).unwrap();
                assert_eq!(f.softness().is_some(), edge.is_some_and(|e| e > 0.5), "{:?}", f.softness());
                force(f, 0.5 * t, &turn, depth * t) / FRAME.force(depth * t)
            });
            println!("edge {edge:?} t, depth {depth} t: {parts:.3?}");
            assert!(parts.iter().all(|p| (low..high).contains(p)), "discretisation: {edge:?} {parts:?}");
        }
    }
}

/// Cups: the default follows the wall, up to the most tetrahedra, of which it tells.
#[test]
fn analytic_cups_have_stiff_walls_by_default() {
    let (radius, height) = (0.04, 0.09);
    for (t, low, told) in [(0.003, 0.93, true), (0.006, 0.95, false)] {
        let f = field(cup(radius, height, t), None).unwrap();
        assert!(f.tetrahedra().len() <= MOST_TETRAHEDRA);
        let [edge, wall] = f.lattice().unwrap();
        println!(
            "edges {edge:.2e}, wall {wall:.2e}, {} tetrahedra, {:?}",
            f.tetrahedra().len(),
            f.softness()
        );
        assert!((wall / t - 1.0).abs() < 0.05 && edge < height / 24.0, "{wall} {edge}");
        assert_eq!(f.softness().is_some(), told);
        assert!(f.softness().is_none_or(|s| s.contains("more than 500000 tetrahedra")));
        let d = 0.1 * t;
        // A ball in the corner of wall and bottom touches both and the edge of the hollow: T = √2 (t − T).
        let deepest = 2f64.sqrt() / (1.0 + 2f64.sqrt()) * t;
        let expected = E / deepest * PI * (radius * radius * d - radius * d * d + d * d * d / 3.0);
        let part = force(f, 0.0, &Pose::identity(), d) / expected;
        println!("cup of {t} m: {part:.3} of the closed form");
        assert!(
            (low..1.05).contains(&part),
            "discretisation, and the largest depth is sought from nodes: {part}"
        );
    }
    // As coarse as a 24th of the size.
    let coarse = field(cup(radius, height, 0.003), Some(height / 24.0)).unwrap();
    assert!(coarse.softness().unwrap().contains("mesh_resolution_hint of 1.7"), "{:?}", coarse.softness());
    let Err(PressureError::MissesParts { finer: Some(finer), resolution, .. }) =
        field(cup(radius, height, 0.002), Some(height / 24.0))
    else {
        panic!("misses parts");
    };
    assert!(finer < resolution && field(cup(radius, height, 0.002), Some(finer)).is_ok(), "{finer}");
}

/// Bodies in one mesh have the fields that they have alone: cubes of two sizes, a frame and a cube.
#[test]
fn analytic_parts_of_a_mesh_have_their_own_fields() {
    let cube = |half: f64| TriangleMesh::cuboid(&V::repeat(half)).unwrap();
    let above =
        |m: TriangleMesh| m.transformed(&turned(TURNS[1])).transformed(&Pose::translation(0.0, 0.0, 0.3));
    for [own, other] in [[0.05, 0.02], [0.02, 0.05]] {
        let whole = field(together(&[above(cube(other)), cube(own)]), None).unwrap();
        assert_eq!((whole.resolution(), whole.softness()), (None, None));
        assert_eq!(whole.tetrahedra().len(), 24);
        let boxed = PressureField::new(&Shape::Box { half_extents: V::repeat(own) }, None).unwrap();
        for d in [1e-4, 2e-3] {
            let of = |f: &PressureField| force(f.clone(), own, &Pose::identity(), d);
            let alone = of(&field(cube(own), None).unwrap());
            // Round-off.
            assert!((of(&whole) / alone - 1.0).abs() < 1e-12, "{} {alone}", of(&whole));
            assert!((of(&whole) / of(&boxed) - 1.0).abs() < 1e-12, "{} {}", of(&whole), of(&boxed));
        }
    }
    // One on a lattice: its edges follow its own wall, as they do alone.
    let whole = field(together(&[FRAME.mesh(), above(cube(0.05))]), None).unwrap();
    let alone = field(FRAME.mesh(), None).unwrap();
    assert_eq!(whole.resolution(), alone.resolution());
    assert_eq!(whole.tetrahedra().len(), alone.tetrahedra().len() + 12);
    assert_eq!(whole.tetrahedron(7), alone.tetrahedron(7));
}
