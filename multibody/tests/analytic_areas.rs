//! Contact over areas as a problem: forces and moments of the contacts are those of the surface, and change without jumps; what cannot be is refused by name.

use std::cell::Cell;
use std::f64::consts::PI;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use signorini_core::na::{Point3, UnitQuaternion, Vector3};
use signorini_core::{
    ContactSolver, LawPool, Pool, Slot, State, StepProblem, StepSolution, System, Tolerance,
};
use signorini_geometry::pressure::{
    ContactPolygon, ContactSurface, PressureField, RigidSurface, Side, SurfaceOptions,
};
use signorini_geometry::{Shape, TriangleMesh};
use signorini_icf::IcfSolver;
use signorini_laws::{DualCone, Lagged, Sap, Similar};
use signorini_multibody::{ModelError, RigidLaws, RigidOptions, RigidSystem};
use signorini_scene::{BothRigid, Hydroelastic, Pose, Scene, SceneBuilder};

const MODULUS: f64 = 1e6;

fn compliant() -> Hydroelastic {
    Hydroelastic::compliant(MODULUS)
}

fn system(scene: &Scene, law: &dyn LawPool) -> RigidSystem {
    // Contacts where bodies are.
    RigidSystem::new(scene, law, RigidOptions { speculative: false, ..RigidOptions::default() }).unwrap()
}

/// Force and moment about the origin that contacts exert on the last body at a state at rest \[N, N·m\], in the world.
fn wrench(sys: &mut RigidSystem, x: &State) -> [Vector3<f64>; 2] {
    // So short that nothing moves in it.
    let dt = 1e-9;
    sys.prepare(Slot::Start, x, dt).unwrap();
    let p = sys.problem(Slot::Start, dt).unwrap();
    let mut s = StepSolution::default();
    IcfSolver::default()
        .solve(p, &x.v, Tolerance { relative: 1e-12, ..Tolerance::default() }, &mut s)
        .unwrap();
    let frozen = sys.frozen_problem(Slot::Start);
    let mut out = [Vector3::zeros(); 2];
    for (k, c) in frozen.contacts().iter().enumerate() {
        let force = c.r_wc.column(0) * s.gamma[3 * k] / dt;
        out[0] += force;
        out[1] += (c.p_wc + c.arms[1]).coords.cross(&force);
    }
    out
}

/// A body over the world: its shape and that below, both without gravity.
fn pair(below: (Shape, Hydroelastic), above: (Shape, Hydroelastic)) -> Scene {
    let b = SceneBuilder::new("pair")
        .gravity([0.0; 3])
        .options(|o| o.contact.dissipation = 0.0)
        .shape(below.0)
        .hydroelastic(below.1);
    let b = b.body("above").free_joint().shape(above.0).hydroelastic(above.1).mass(1.0).friction(0.0);
    b.build().unwrap()
}

fn state(sys: &mut RigidSystem, pose: &Pose) -> State {
    let mut x = sys.initial_state(None).unwrap();
    let (p, r) = (pose.translation.vector, pose.rotation);
    x.q.copy_from_slice(&[p.x, p.y, p.z, r.w, r.i, r.j, r.k]);
    x
}

fn ball(radius: f64) -> Shape {
    Shape::Sphere { radius }
}

fn cuboid(half: [f64; 3]) -> Shape {
    Shape::Box { half_extents: half.into() }
}

#[test]
fn analytic_contacts_have_the_wrench_of_their_surface() {
    let soft = Hydroelastic::compliant(0.3 * MODULUS);
    let bowl = Arc::new(TriangleMesh::cuboid(&Vector3::new(0.2, 0.2, 0.05)).unwrap());
    let pairs = [
        ((Shape::HalfSpace, Hydroelastic::rigid()), (ball(0.05), compliant())),
        ((Shape::HalfSpace, soft.with_thickness(0.1)), (ball(0.05), compliant())),
        ((ball(0.08), soft), (ball(0.05), compliant())),
        ((cuboid([0.1, 0.1, 0.05]), soft), (cuboid([0.04, 0.06, 0.05]), compliant())),
        ((cuboid([0.1, 0.1, 0.05]), compliant()), (cuboid([0.04, 0.06, 0.05]), Hydroelastic::rigid())),
        (
            (Shape::Mesh(bowl), Hydroelastic::rigid()),
            (Shape::Capsule { radius: 0.05, half_length: 0.1 }, compliant()),
        ),
        (
            (Shape::HalfSpace, Hydroelastic::rigid()),
            (Shape::Cylinder { radius: 0.05, half_length: 0.08 }, compliant()),
        ),
    ];
    let met = Cell::new(0);
    for (below, above) in pairs {
        let scene = pair(below.clone(), above.clone());
        let law = Pool::<Lagged, 3>::new(Lagged::default());
        let mut sys = system(&scene, &law);
        // Forces at centroids, as published.
        let mut published =
            RigidSystem::new(&scene, &law, RigidOptions { area_moments: false, ..RigidOptions::published() })
                .unwrap();
        let reach = if matches!(below.0, Shape::HalfSpace) { 0.0 } else { 0.05 };
        let run = |(turn, shift): ([f64; 3], [f64; 3])| -> Result<(), TestCaseError> {
            let shift = Vector3::new(shift[0], shift[1], reach + shift[2]);
            let pose = Pose::from_parts(shift.into(), UnitQuaternion::from_scaled_axis(turn.into()));
            let x = state(&mut sys, &pose);
            let (found, at_centroids) = (wrench(&mut sys, &x), wrench(&mut published, &x));
            let fields = [&below, &above].map(|(shape, kind)| match *kind {
                Hydroelastic::Compliant { modulus, thickness: Some(t), .. } => {
                    (Some((PressureField::half_space(t).unwrap(), modulus)), None)
                }
                Hydroelastic::Compliant { modulus, .. } => {
                    (Some((PressureField::new(shape, None).unwrap(), modulus)), None)
                }
                _ => (None, Some(RigidSurface::new(shape, None).unwrap())),
            });
            let side = |k: usize| match &fields[k] {
                (Some((field, modulus)), _) => Side::Compliant { field, modulus: *modulus },
                (_, Some(surface)) => Side::Rigid(surface),
                _ => unreachable!("one of both is made"),
            };
            let mut surface = ContactSurface::new();
            let options = SurfaceOptions::default();
            surface.find(&side(0), &Pose::identity(), &side(1), &pose, &options).unwrap();
            let wanted = [surface.force(), surface.moment(&Point3::origin())];
            let size = surface.polygons().iter().map(|p| p.force()).sum::<f64>();
            met.set(met.get() + usize::from(size > 0.0));
            // Rounding of pressures, in parts of the modulus over the body, and of the solve.
            let tolerance = 1e-9 * size + 1e-12 * MODULUS * 0.01;
            prop_assert!((found[0] - wanted[0]).norm() <= tolerance, "{found:?} {wanted:?}");
            prop_assert!((found[1] - wanted[1]).norm() <= tolerance, "{found:?} {wanted:?}");
            let of = |p: &ContactPolygon| p.centroid.coords.cross(&(p.force() * p.normal));
            let wanted = [wanted[0], surface.polygons().iter().map(of).sum()];
            prop_assert!((at_centroids[0] - wanted[0]).norm() <= tolerance, "{at_centroids:?} {wanted:?}");
            prop_assert!((at_centroids[1] - wanted[1]).norm() <= tolerance, "{at_centroids:?} {wanted:?}");
            prop_assert_eq!(published.frozen_problem(Slot::Start).contacts().len(), surface.polygons().len());
            Ok(())
        };
        let cases = (prop::array::uniform3(-2.0f64..2.0), [-0.03f64..0.03, -0.03..0.03, 0.02..0.08]);
        let run = std::cell::RefCell::new(run);
        TestRunner::new(ProptestConfig::with_cases(24)).run(&cases, |c| run.borrow_mut()(c)).unwrap();
    }
    assert!(met.get() > 80, "{} of all", met.get());
}

/// Force of a ball of radius r on a rigid plane: 2π E/r ∫ (r − ρ) ρ dρ over the ρ from r − δ to r.
fn on_plane(depth: f64, r: f64) -> f64 {
    let low = r - depth;
    2.0 * PI * MODULUS / r * (r * (r * r - low * low) / 2.0 - (r.powi(3) - low.powi(3)) / 3.0)
}

#[test]
fn analytic_balls_and_cylinders() {
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    let r = 0.05;
    let of = |below: (Shape, Hydroelastic), above: Shape, pose: Pose| {
        let mut sys = system(&pair(below, (above, compliant())), &law);
        let x = state(&mut sys, &pose);
        wrench(&mut sys, &x)[0].z
    };
    let at = |z: f64| Pose::translation(0.0, 0.0, z);
    let floor = || (Shape::HalfSpace, Hydroelastic::rigid());
    for depth in [0.02, 0.1, 0.3].map(|part| part * r) {
        // The field has flat faces: 0.14 % from 2 % of the radius on.
        let (found, wanted) = (of(floor(), ball(r), at(r - depth)), on_plane(depth, r));
        assert!((found / wanted - 1.0).abs() < 2e-3, "{depth}: {found} of {wanted}");
        // Two equal balls meet in their plane of symmetry.
        let found = of((ball(r), compliant()), ball(r), at(2.0 * (r - depth)));
        assert!((found / wanted - 1.0).abs() < 3e-3, "{depth}: {found} of {wanted}");
    }
    // A standing cylinder with e = min(d, s)/r, s the distance from its side.
    let cylinder = Shape::Cylinder { radius: r, half_length: 0.08 };
    let d = 0.004;
    let wanted = MODULUS / r * PI * (d * (r - d).powi(2) + d * d * (r - d) + d.powi(3) / 3.0);
    let found = of(floor(), cylinder.clone(), at(0.08 - d));
    // A polygon of 50 sides of the area of the circle.
    assert!((found / wanted - 1.0).abs() < 5e-3, "{found} of {wanted}");
    // Lying, of length 2 l: f = E/r ∫ (r − ρ) 2l dx, ends apart, which fall off within the depth.
    let lying = Pose::from_parts(
        Vector3::new(0.0, 0.0, 0.9 * r).into(),
        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.5 * PI),
    );
    let found = of(floor(), cylinder, lying);
    let n = 200_000;
    let (low, half) = (0.9 * r, r * (1.0 - 0.81f64).sqrt());
    let strip: f64 = (0..n)
        .map(|i| {
            let x = (f64::from(i) + 0.5) / f64::from(n) * half;
            let depth = r - (low * low + x * x).sqrt();
            // ∫ min(depth, s) over the length, s the distance from the nearer end.
            2.0 * half / f64::from(n) * (2.0 * 0.08 * depth - depth * depth)
        })
        .sum();
    let wanted = MODULUS / r * strip;
    assert!((found / wanted - 1.0).abs() < 5e-3, "{found} of {wanted}");
}

/// The force changes by no more than an area can, as contact makes, slides over an edge and breaks: halving the way halves the largest change.
#[test]
fn analytic_forces_have_no_jumps() {
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    let plate = (cuboid([0.1, 0.1, 0.02]), Hydroelastic::rigid());
    for shape in [ball(0.03), cuboid([0.03, 0.02, 0.03]), Shape::Cylinder { radius: 0.03, half_length: 0.03 }]
    {
        let mut sys = system(&pair(plate.clone(), (shape, compliant())), &law);
        // Down onto the plate, over its edge and off.
        let mut force = |s: f64| {
            let height = 0.02 + 0.03 + 0.01 * (1.0 - (PI * s).sin() * 1.3);
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2 + s, 0.1 * s));
            let pose = Pose::from_parts(Vector3::new(0.02 + 0.12 * s, 0.01, height).into(), turn);
            let x = state(&mut sys, &pose);
            wrench(&mut sys, &x)[0]
        };
        let mut largest = |n: u32| {
            let mut last = force(0.0);
            let (mut change, mut most) = (0.0f64, 0.0f64);
            for i in 1..=n {
                let f = force(f64::from(i) / f64::from(n));
                (change, most) = (change.max((f - last).norm()), most.max(f.norm()));
                last = f;
            }
            assert_eq!(last.norm(), 0.0);
            (change, most)
        };
        let [(coarse, most), (fine, _)] = [300, 1200].map(&mut largest);
        assert!(most > 10.0 && fine < 0.4 * coarse, "{most}: {coarse} and {fine}");
    }
}

#[test]
fn analytic_worlds_of_one_scene_share_fields() {
    let scene = pair((Shape::HalfSpace, Hydroelastic::rigid()), (ball(0.05), compliant()));
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    let field = scene.clone().fields.field(&ball(0.05), None).unwrap();
    let before = Arc::strong_count(&field);
    let worlds: Vec<RigidSystem> = (0..4).map(|_| system(&scene.clone(), &law)).collect();
    // One that the cache keeps, one here, one in each world.
    assert_eq!((before, Arc::strong_count(&field)), (2, 2 + worlds.len()));
    drop((worlds, scene));
    assert_eq!(Arc::strong_count(&field), 1);
}

fn refusal(scene: &Scene, laws: &RigidLaws) -> String {
    match RigidSystem::with_laws(scene, laws, RigidOptions::default()) {
        Err(e @ ModelError::Element { .. }) => e.to_string(),
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("it is taken"),
    }
}

#[test]
fn analytic_refusals_have_names_and_remedies() {
    let floor = (Shape::HalfSpace, Hydroelastic::rigid());
    let scene = pair(floor.clone(), (ball(0.05), compliant()));
    for laws in [
        RigidLaws::new(&Pool::<Sap, 3>::new(Sap::default())),
        RigidLaws::dual_cone(&scene, DualCone::default()),
    ] {
        let text = refusal(&scene, &laws);
        for word in ["world_geom0", "above_geom0", "area", laws.contact.key(), "lagged"] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }
    for law in [
        &Pool::<Lagged, 3>::new(Lagged::default()) as &dyn LawPool,
        &Pool::<Similar, 3>::new(Similar::default()),
    ] {
        RigidSystem::new(&scene, law, RigidOptions::default()).unwrap();
    }
    let lagged = RigidLaws::new(&Pool::<Lagged, 3>::new(Lagged::default()));
    let mut rigid = pair(floor.clone(), (ball(0.05), Hydroelastic::rigid()));
    RigidSystem::with_laws(&rigid, &lagged, RigidOptions::default()).unwrap();
    rigid.options.both_rigid = BothRigid::Refuse;
    let text = refusal(&rigid, &lagged);
    for word in ["world_geom0", "above_geom0", "rigid", "compliant"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    // Meshes that are open, inside out, or cut through themselves; resolutions too coarse and too fine.
    let box_mesh = TriangleMesh::cuboid(&Vector3::new(0.1, 0.1, 0.1)).unwrap();
    let (vertices, triangles) = (box_mesh.vertices().to_vec(), box_mesh.triangles().to_vec());
    let mesh = |v: &[Point3<f64>], t: &[[u32; 3]]| {
        Shape::Mesh(Arc::new(TriangleMesh::new(v.to_vec(), t.to_vec()).unwrap()))
    };
    let inverted: Vec<[u32; 3]> = triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    let mut doubled = (vertices.clone(), triangles.clone());
    doubled.0.extend(vertices.iter().map(|p| p + Vector3::new(0.07, 0.06, 0.05)));
    doubled.1.extend(triangles.iter().map(|t| t.map(|i| i + vertices.len() as u32)));
    for (shape, kind, word) in [
        (mesh(&vertices, &triangles[1..]), compliant(), "no pressure field"),
        (mesh(&vertices, &inverted), compliant(), "no pressure field"),
        (mesh(&doubled.0, &doubled.1), compliant(), "cuts through itself"),
        (ball(0.05), compliant().with_resolution(1.0), "larger than"),
        (ball(0.05), compliant().with_resolution(1e-5), "tetrahedra"),
        (ball(0.05), Hydroelastic::rigid().with_resolution(1.0), "larger than"),
    ] {
        let b =
            SceneBuilder::new("bad").shape(floor.0.clone()).hydroelastic(floor.1).body("bad").free_joint();
        let b = b.mass_properties(scene.bodies[1].mass.unwrap()).shape(shape).hydroelastic(kind);
        let text = refusal(&b.build().unwrap(), &lagged);
        assert!(text.contains("geom 'bad_geom0'") && text.contains(word), "{word}: {text}");
    }
}
