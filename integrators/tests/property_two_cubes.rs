//! Two cubes in the re-queried regime, through fixed steps and step doubling.

use crate::common;

use common::DenseNewton;
use signorini_core::na::{Matrix3, Rotation3, Vector3};
use signorini_core::*;
use signorini_integrators::{ContactStep, FixedStep, cenic};
use signorini_testkit::toys::{Cube, TwoCubes};

fn cube(mass: f64) -> Cube {
    Cube { half: 0.1, mass, stiffness: 1e3, acceleration: Vector3::zeros() }
}

/// Whether a separating plane exists: normals of faces and products of edges of two parallelepipeds.
fn separated(sys: &TwoCubes, x: &State) -> bool {
    let (a, b) = (sys.corners(x, 0), sys.corners(x, 1));
    let axes = |c: &[Vector3<f64>; 8]| [c[1] - c[0], c[2] - c[0], c[4] - c[0]];
    let (ea, eb) = (axes(&a), axes(&b));
    let mut candidates = Vec::new();
    for e in [&ea, &eb] {
        candidates.extend([e[0].cross(&e[1]), e[1].cross(&e[2]), e[2].cross(&e[0])]);
    }
    candidates.extend(ea.iter().flat_map(|u| eb.iter().map(move |w| u.cross(w))));
    let range = |n: &Vector3<f64>, c: &[Vector3<f64>; 8]| {
        let p = c.map(|x| n.dot(&x));
        (p.iter().copied().fold(f64::INFINITY, f64::min), p.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    candidates.iter().filter(|n| n.norm() > 1e-12).any(|n| {
        let ((al, ah), (bl, bh)) = (range(n, &a), range(n, &b));
        ah < bl || bh < al
    })
}

fn momentum(x: &State, m: [f64; 2]) -> Vector3<f64> {
    (0..2).map(|b| m[b] * Vector3::from_column_slice(&x.v[12 * b..12 * b + 3])).sum()
}

fn axes(x: f64, y: f64, z: f64) -> Matrix3<f64> {
    Rotation3::from_euler_angles(x, y, z).into_inner()
}

struct Watch<'a> {
    check: &'a mut dyn FnMut(&AcceptedStep<'_>),
}
impl StepObserver for Watch<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        (self.check)(step);
    }
}

#[test]
fn property_flying_cubes_never_intersect_and_keep_momentum() {
    let m = [1.0, 0.5];
    let starts = [
        axes(0.0, 0.0, 0.0),
        axes(0.4, 0.3, 0.2),
        axes(0.6, 0.6154797, 0.0),
        axes(0.0, 0.0, std::f64::consts::FRAC_PI_4),
    ];
    for (i, turn) in starts.into_iter().enumerate() {
        for dt in [1e-3, 2e-2] {
            let mut sys = TwoCubes::new([cube(m[0]), cube(m[1])], 5e-3, 1e5);
            let other = TwoCubes::new([cube(m[0]), cube(m[1])], 5e-3, 1e5);
            let mut x =
                sys.rest([(Vector3::zeros(), Matrix3::identity()), (Vector3::new(0.01, 0.02, 0.4), turn)]);
            x.v[12 + 2] = -4.0;
            let p0 = momentum(&x, m);
            let mut closest = f64::INFINITY;
            let mut check = |s: &AcceptedStep<'_>| {
                assert!(separated(&other, s.x1), "case {i}, dt {dt}: intersection at t = {}", s.x1.t);
                closest = closest.min(other.gap(s.x1));
                // Solver tolerance 1e-8 relative to a momentum of 2.
                assert!((momentum(s.x1, m) - p0).norm() < 1e-6);
            };
            let mut integrator = FixedStep::new(ContactStep::new(DenseNewton::default()), dt).unwrap();
            let r = integrator.advance(&mut sys, &mut x, 0.3, &mut Watch { check: &mut check }).unwrap();
            assert_eq!(r.unconverged, 0);
            assert!(closest < 5e-3, "the cubes met");
            // Without rebound both move at −4/3 m/s; turning takes up some.
            assert!(x.v[14] > -2.0, "the second cube was slowed down: {}", x.v[14]);
        }
    }
}

#[test]
fn property_error_control_runs_over_a_barrier() {
    let mut sys =
        TwoCubes::new([cube(1e6), Cube { acceleration: -9.81 * Vector3::z(), ..cube(1.0) }], 2e-3, 1e5);
    let oracle = TwoCubes::new([cube(1e6), cube(1.0)], 2e-3, 1e5);
    let mut x = sys.rest([
        (Vector3::zeros(), Matrix3::identity()),
        (Vector3::new(0.0, 0.0, 0.25), axes(0.1, 0.05, 0.3)),
    ]);
    let e0 = sys.energy(&x).total();
    let mut integrator = cenic(DenseNewton::default(), 1e-3);
    let mut check = |s: &AcceptedStep<'_>| assert!(separated(&oracle, s.x1));
    let r = integrator.advance(&mut sys, &mut x, 0.6, &mut Watch { check: &mut check }).unwrap();
    assert_eq!(x.t, 0.6);
    assert_eq!(r.unconverged, 0);
    // Implicit steps lose energy; the slack is the solver tolerance.
    assert!(sys.energy(&x).total() < e0 + 1e-6);
    assert!(sys.gap(&x) < 2e-3);
}
