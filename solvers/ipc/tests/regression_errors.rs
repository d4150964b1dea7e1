//! Errors of a user are reported with the body, the number and the remedy.

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ProblemError, Slot, StepSolution, System};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, BodyError, IpcOptions};

fn cube(name: &str, half: f64) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::repeat(half)).unwrap(), 1000.0).unwrap()
}

fn start(bodies: Vec<(AffineBody, Isometry3<f64>)>, options: IpcOptions) -> Result<(), ProblemError> {
    let mut system = AffineSystem::new(bodies, &[], options).unwrap();
    let x = system.initial_state();
    system.prepare(Slot::Start, &x, 0.01)
}

#[test]
fn regression_overlapping_starts_are_refused() {
    let at = |x: f64, y: f64, z: f64| Isometry3::new(Vector3::new(x, y, z), Vector3::new(0.1, 0.2, 0.3));
    let refused = |pose: Isometry3<f64>, half: f64, separation: f64| {
        let options = IpcOptions { separation, ..IpcOptions::default() };
        start(vec![(cube("big", 0.1), Isometry3::identity()), (cube("small", half), pose)], options)
    };
    assert_eq!(refused(at(0.3, 0.0, 0.0), 0.1, 0.0), Ok(()));
    for (pose, half, separation, depth) in [
        // Corners through faces; how deep depends on the edge that is found first.
        (at(0.15, 0.0, 0.0), 0.1, 0.0, 0.2),
        // Wholly inside, 0.07 m from the nearest face.
        (at(0.02, 0.0, 0.0), 0.01, 0.0, 0.09),
        // Apart, but nearer than the separation.
        (Isometry3::translation(0.2005, 0.0, 0.0), 0.1, 1e-3, 6e-4),
    ] {
        match refused(pose, half, separation) {
            Err(ProblemError::Intersecting { a, b, gap }) => {
                assert_eq!((a.as_str(), b.as_str()), ("big", "small"));
                assert!(gap < 0.0 && gap > -depth, "{gap}");
            }
            other => panic!("{other:?}"),
        }
    }
    // Excluded pairs may overlap.
    let bodies = vec![
        (cube("big", 0.1), Isometry3::identity()),
        (cube("small", 0.1), Isometry3::translation(0.1, 0.0, 0.0)),
    ];
    let mut system = AffineSystem::new(bodies, &[[1, 0]], IpcOptions::default()).unwrap();
    let x = system.initial_state();
    assert_eq!(system.prepare(Slot::Start, &x, 0.01), Ok(()));
}

#[test]
fn regression_starts_that_touch_are_told_apart_from_those_that_intersect() {
    let text = |gap: f64| ProblemError::Intersecting { a: "low".into(), b: "high".into(), gap }.to_string();
    let rest = "at the start; separate them before the run";
    assert_eq!(text(-0.0), format!("bodies low and high touch {rest}"));
    assert_eq!(text(-9e-15), format!("bodies low and high touch {rest}"));
    assert_eq!(text(-1.234_567_890_123e-4), format!("bodies low and high intersect (gap -1.23e-4 m) {rest}"));
    // Face on face, and the error of a system.
    let bodies = vec![
        (cube("low", 0.1), Isometry3::identity()),
        (cube("high", 0.1), Isometry3::translation(0.0, 0.0, 0.2)),
    ];
    let said = start(bodies, IpcOptions::default()).unwrap_err().to_string();
    assert_eq!(said, format!("bodies low and high touch {rest}"));
}

#[test]
fn regression_a_body_that_is_turned_inside_out_is_named() {
    let floor = (cube("floor", 0.1).held(), Isometry3::translation(0.0, 0.0, -1.0));
    let pose = |x: f64| Isometry3::translation(x, 0.0, 0.0);
    let bodies = vec![floor, (cube("good", 0.1), pose(-1.0)), (cube("bad", 0.1), pose(1.0))];
    let mut system = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let start = system.initial_state();
    let (mut x, mut next) = (start.clone(), start.clone());
    // Its reflection.
    x.q[12 + 3] = -1.0;
    system.prepare(Slot::Start, &start, 0.01).unwrap();
    let v = x.q.iter().zip(&start.q).map(|(a, b)| (a - b) / 0.01).collect();
    let solution = StepSolution { v, ..StepSolution::default() };
    let said = system.commit(Slot::Start, &start, 0.01, &solution, &mut next).unwrap_err().to_string();
    assert!(said.contains("body 'bad' was turned inside out"), "{said}");
}

#[test]
fn regression_meshes_that_are_no_bodies() {
    let solid = |m: &TriangleMesh| AffineBody::solid("b", m, 1000.0).err();
    let mesh = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    assert!(matches!(solid(&mesh.flipped()), Some(BodyError::Inverted { .. })));
    let open = TriangleMesh::new(mesh.vertices().to_vec(), mesh.triangles()[1..].to_vec()).unwrap();
    assert!(matches!(solid(&open), Some(BodyError::Open { .. })));
    // A sliver: the middle of an edge as a corner.
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.0]];
    let points: Vec<Point3<f64>> = points.into_iter().map(Point3::from).collect();
    let triangles = vec![[0, 2, 1], [0, 3, 2], [1, 2, 3], [0, 4, 3], [4, 1, 3], [0, 1, 4]];
    // Refused by the mesh itself or by the body.
    let sliver = TriangleMesh::new(points, triangles);
    assert!(sliver.is_err() || matches!(solid(&sliver.unwrap()), Some(BodyError::Degenerate { .. })));
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = AffineBody::solid("b", &mesh, density).err();
        assert!(matches!(refused, Some(BodyError::Value { what: "density", .. })), "{density}");
    }
}

#[test]
fn regression_options_and_inputs_out_of_range() {
    let usual = IpcOptions::default();
    for bad in [
        IpcOptions { range: 0.0, ..usual },
        IpcOptions { stiffness: 0.0, ..usual },
        IpcOptions { stiffness: -1.0, ..usual },
        IpcOptions { separation: f64::NAN, ..usual },
        IpcOptions { orthogonality: f64::INFINITY, ..usual },
        IpcOptions { stiction_speed: 0.0, ..usual },
        IpcOptions { friction_passes: 0, ..usual },
        IpcOptions { threads: 0, ..usual },
        IpcOptions { gravity: Vector3::new(0.0, f64::NAN, 0.0), ..usual },
    ] {
        let made = AffineSystem::new(vec![(cube("a", 0.1), Isometry3::identity())], &[], bad);
        let error = made.err().unwrap();
        assert!(matches!(error, BodyError::Options { .. }), "{bad:?}");
        let text = error.to_string();
        assert!(text.starts_with("the option '") && text.contains("; give "), "{text}");
        assert!(!text.contains("--") && !text.contains("body"), "{text}");
    }
    let made =
        AffineSystem::new(vec![(cube("a", 0.1).with_friction(-0.5), Isometry3::identity())], &[], usual);
    assert!(matches!(made.err(), Some(BodyError::Value { what: "friction", .. })));
    let made = AffineSystem::new(vec![(cube("a", 0.1), Isometry3::identity())], &[[0, 1]], usual);
    assert!(matches!(made.err(), Some(BodyError::Value { .. })), "a pair with a body that does not exist");
    let nowhere = Isometry3::translation(f64::NAN, 0.0, 0.0);
    let refused = start(vec![(cube("a", 0.1), nowhere)], usual);
    assert!(matches!(refused, Err(ProblemError::NonFinite { .. })), "{refused:?}");
    let mut s = AffineSystem::new(vec![(cube("a", 0.1), Isometry3::identity())], &[], usual).unwrap();
    let z = Vector3::zeros();
    assert!(s.push(1, z, z).is_err() && s.drive(0, z, z).is_err());
    assert!(s.push(0, Vector3::new(f64::NAN, 0.0, 0.0), z).is_err());
    assert!(s.push(0, Vector3::x(), z).is_ok());
}

#[test]
fn analytic_an_open_sheet_holds_what_falls_on_it() {
    // Two triangles: no volume, and nothing to lie inside of.
    let corner = |x: f64, y: f64| signorini_core::na::Point3::new(x, y, 0.0);
    let points = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let sheet = TriangleMesh::new(points, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    assert!(matches!(AffineBody::solid("sheet", &sheet, 1000.0), Err(BodyError::Open { .. })));
    let sheet = AffineBody::shell("sheet", &sheet).unwrap();
    let bodies =
        vec![(sheet, Isometry3::identity()), (cube("cube", 0.05), Isometry3::translation(0.1, 0.2, 0.06))];
    let mut s = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
    let tolerance = signorini_core::Tolerance { relative: 1e-5, max_iterations: 300 };
    let mut step = signorini_integrators::ContactStep::new(signorini_ipc::IpcSolver::default())
        .with_tolerance(tolerance);
    let (mut x, mut next) = (s.initial_state(), signorini_core::State::default());
    for _ in 0..60 {
        signorini_core::OneStep::step(&mut step, &mut s, &x, 5e-3, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
    }
    assert!(x.q[2] > 0.05 && x.q[2] < 0.051, "{}", x.q[2]);
}
