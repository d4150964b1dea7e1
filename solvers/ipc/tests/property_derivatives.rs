//! Every term of the incremental potential against differences.

use proptest::prelude::*;
use signorini_core::na::{DMatrix, Isometry3, Point3, UnitQuaternion, Vector3};
use signorini_core::{BlockSink, Evals, Slot, System, WholePart, gradient};
use signorini_geometry::TriangleMesh;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, Joint, JointAction, JointKind};
use signorini_reference::DenseHessian;
use signorini_testkit::finite_difference::{gradient_deviation, jacobian_deviation};

/// Two cubes of 0.2 m a little apart, one over the other but for a small turn: edges near each other and nearly parallel.
fn system(yaw: f64, tilt: f64, gap: f64, friction: f64) -> AffineSystem {
    let mesh = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let cube = |name: &str| AffineBody::solid(name, &mesh, 1000.0).unwrap().with_friction(friction);
    // The gap is that of the lowest corner.
    let turn = Vector3::new(tilt, -0.3 * tilt, yaw);
    let pose = Isometry3::new(Vector3::new(3e-4, 2e-4, 0.2 + gap + 0.13 * tilt.abs()), turn);
    let options = IpcOptions { stiffness: 1e9, orthogonality: 1e6, ..IpcOptions::default() };
    AffineSystem::new(vec![(cube("low"), Isometry3::identity()), (cube("high"), pose)], &[], options).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn property_gradient_of_the_objective(
        yaw in 1e-4..0.02f64, tilt in -5e-4..5e-4f64, gap in 2e-4..6e-4f64, friction in 0.0..1.0f64, seed in 0u64..1000,
    ) {
        let dt = 1e-2;
        let mut s = system(yaw, tilt, gap, friction);
        let mut x = s.initial_state();
        let mut rng = signorini_testkit::rng::Rng::new(seed);
        x.v.iter_mut().for_each(|v| *v = 1e-2 * rng.normal());
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        let v: Vec<f64> = x.v.iter().map(|v| v * p.max_step(&vec![0.0; x.v.len()], &x.v)).collect();
        p.relinearize(&v).unwrap();
        let mut whole = WholePart::default();
        whole.fit(p);
        let mut evals = Evals::default();
        p.pools().size_evals(&mut evals);
        p.pools().eval(whole.part(), p.contact_velocities(), &mut evals);
        let mut g = vec![0.0; v.len()];
        gradient(p, whole.part(), &v, &evals, &mut g);
        let mollified = p.map().weights().unwrap().iter().filter(|w| **w > 0.0 && **w < 1.0).count();
        prop_assume!(mollified > 0);
        let off = gradient_deviation(|v| p.value(v).unwrap(), &v, &g, 1e-2);
        let size = g.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        // Fourth-order differences of a barrier whose scale is 1e-4 m in 1e-2 s: they reach 1e-6 of the gradient.
        prop_assert!(off <= 1e-6 * size.max(1.0), "{off:e} of {size:e}");
    }

    #[test]
    fn property_hessian_of_orthogonality(stretch in prop::array::uniform9(0.0..0.02f64)) {
        let dt = 1e-2;
        let mut s = system(0.0, 0.0, 0.1, 0.0);
        let mut x = s.initial_state();
        // A = 1 + E, E symmetric and positive: A Aᵀ − 1 is positive, so that nothing is projected.
        for r in 0..3 {
            for c in 0..3 {
                let e = if r == c { 0.05 } else { 0.0 } + 0.5 * (stretch[3 * r + c] + stretch[3 * c + r]);
                x.q[3 + 3 * r + c] += e;
            }
        }
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        let psi = p.smooth().unwrap();
        let v = vec![0.0; x.v.len()];
        let mut g = v.clone();
        psi.add_gradient(&v, &mut g);
        let value = gradient_deviation(|v| psi.value(v), &v, &g, 1.0);
        let mut h = DenseHessian::new(p.inertia().block_starts());
        psi.add_hessian(&v, &mut h);
        let h = h.matrix();
        let slope = jacobian_deviation(|v, out| { out.fill(0.0); psi.add_gradient(v, out); }, &v, h, 1.0);
        // Polynomials of fourth order: round-off alone.
        prop_assert!(value < 1e-7 * (1.0 + g.iter().fold(0.0, |m: f64, x| m.max(x.abs()))), "{value:e}");
        prop_assert!(slope < 1e-7 * h.amax(), "{slope:e} of {:e}", h.amax());
    }
}

/// The whole of Ψ at v = 0 by differences: joints of one mechanism of two free bodies, coordinates left as they are.
fn deviations(joint: Joint, action: Option<(JointAction, f64)>) -> [f64; 2] {
    let mesh = TriangleMesh::cuboid(&Vector3::new(0.05, 0.04, 0.03)).unwrap();
    let body = |name: &str| AffineBody::solid(name, &mesh, 1000.0).unwrap();
    let turned = Isometry3::new(Vector3::new(0.02, 0.05, 0.2), Vector3::new(0.3, -0.2, 0.5));
    let options = IpcOptions { orthogonality: 1e6, ..IpcOptions::default() };
    let bodies = vec![(body("a"), Isometry3::identity()), (body("b"), turned)];
    let mut s = AffineSystem::articulated(bodies, &[joint], &[], options).unwrap();
    if let Some((action, turn)) = action {
        s.act(0, action).unwrap();
        s.count_from(0, &UnitQuaternion::new(turn * Vector3::new(0.6, 0.0, 0.8))).unwrap();
    }
    let (x, dt) = (s.initial_state(), 1e-2);
    s.prepare(Slot::Start, &x, dt).unwrap();
    let p = s.problem(Slot::Start, dt).unwrap();
    let n = p.velocity_count();
    let psi = p.smooth().unwrap();
    let v = vec![0.0; n];
    let mut g = v.clone();
    psi.add_gradient(&v, &mut g);
    let value = gradient_deviation(|v| psi.value(v), &v, &g, 1e-3);
    let mut h = One(DMatrix::zeros(n, n));
    psi.add_hessian(&v, &mut h);
    let slope = |v: &[f64], out: &mut [f64]| {
        out.fill(0.0);
        psi.add_gradient(v, out);
    };
    let bend = jacobian_deviation(slope, &v, &h.0, 1e-3);
    let size = g.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    assert!(size > 0.0);
    [value / size, bend / h.0.amax()]
}

/// A mechanism is one block.
struct One(DMatrix<f64>);

impl BlockSink for One {
    fn add(&mut self, _: usize, _: usize, block: &[f64]) {
        self.0.iter_mut().zip(block).for_each(|(h, x)| *h += x);
    }
}

#[test]
fn property_hessian_of_distances_under_tension() {
    let at = [Point3::new(0.03, 0.02, 0.03), Point3::new(0.0, 0.03, 0.17)];
    let apart = (at[1] - at[0]).norm();
    for kind in [
        JointKind::Distance { at, length: 0.95 * apart },
        JointKind::BoundedDistance { at, range: [0.0, apart + 4e-4] },
    ] {
        let [value, bend] = deviations(Joint::new("j", [0, 1], kind), None);
        // Differences of fourth order over 1e-5 m: of the barrier, whose scale is 4e-4 m, to (1/40)⁴ times some tens.
        assert!(value < 1e-6 && bend < 1e-5, "{kind:?}: {value:e} {bend:e}");
    }
    // Compressed: negative curvature is left out, the value has its gradient.
    for kind in [
        JointKind::Distance { at, length: 1.05 * apart },
        JointKind::BoundedDistance { at, range: [apart - 4e-4, 1.0] },
    ] {
        let [value, _] = deviations(Joint::new("j", [0, 1], kind), None);
        assert!(value < 1e-6, "{kind:?}: {value:e}");
    }
}

#[test]
fn property_gradient_of_the_limit_of_a_point() {
    for turn in [0.3, 1.5, 2.9] {
        let joint = Joint::new("j", [0, 1], JointKind::Point { at: Point3::new(0.01, 0.02, 0.1) });
        let action = JointAction { range: Some([0.0, 0.25]), ..JointAction::default() };
        let [value, _] = deviations(joint, Some((action, turn)));
        // Differences of a smooth function over 1e-5 in A.
        assert!(value < 1e-7, "{turn}: {value:e}");
    }
}
