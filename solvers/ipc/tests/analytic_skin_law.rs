//! A contact law of one's own on the skin of affine bodies: closed forms of a spring with friction, and the barrier underneath.

use crate::spring;
use crate::walk;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{OneStep, Pool, Slot, State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver, Joint, JointKind, SKIN, SkinLaw};
use signorini_reference::ReferenceSolver;
use spring::{Spring, material};
use walk::walk;

const G: f64 = 9.81;
/// r \[m\], and k of a point \[N/m\].
const SKIN_DEPTH: f64 = 2e-3;
const K: f64 = 1e4;
/// Half the edge of a cube of 1 kg \[m\].
const HALF: f64 = 0.05;

fn block(name: &str, half: [f64; 3]) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::from(half)).unwrap(), 1000.0).unwrap()
}

fn cube(name: &str) -> AffineBody {
    block(name, [HALF; 3])
}

/// A held slab whose top is at z = 0, and whose diagonal passes below two corners of a cube in the middle.
fn slab(half: [f64; 2]) -> (AffineBody, Isometry3<f64>) {
    (block("slab", [half[0], half[1], 0.05]).held(), Isometry3::translation(0.0, 0.0, -0.05))
}

fn options() -> IpcOptions {
    IpcOptions { range: 2e-4, ..IpcOptions::default() }
}

fn law(stiffness: f64, friction: f64) -> SkinLaw {
    SkinLaw::new(&Pool::<Spring, 3>::new(Spring), SKIN_DEPTH, material(stiffness, friction))
}

fn step(relative: f64) -> ContactStep<IpcSolver> {
    ContactStep::new(IpcSolver::default()).with_tolerance(Tolerance { relative, max_iterations: 300 })
}

/// A cube over a slab of these half widths, its bottom `gap` above it \[m\].
fn over(half: [f64; 2], gap: f64, law: SkinLaw) -> AffineSystem {
    let pose = Isometry3::translation(0.0, 0.0, HALF + gap);
    AffineSystem::new(vec![slab(half), (cube("cube"), pose)], &[], options()).unwrap().with_law(law).unwrap()
}

/// Mean height of the four lowest points of the cube \[m\]: pressed corners of an affine body give way by some nanometres.
fn foot(s: &AffineSystem, x: &State) -> f64 {
    let mut heights: Vec<f64> = s.positions(x)[8..16].iter().map(|p| p.z).collect();
    heights.sort_by(f64::total_cmp);
    heights[..4].iter().sum::<f64>() / 4.0
}

/// Entries of the law in the contacts of a step from here.
fn points(s: &mut AffineSystem, x: &State) -> usize {
    s.prepare(Slot::Start, x, 1e-3).unwrap();
    let p = s.problem(Slot::Start, 1e-3).unwrap();
    p.contacts().iter().filter(|c| c.feature & SKIN != 0 && c.feature < SKIN << 1).count()
}

#[test]
fn analytic_depth_at_rest_is_the_weight_over_the_stiffness_of_four_points() {
    // On a wide slab corners press; on one narrower than the cube its edges cross those of the slab.
    for half in [[0.5, 0.5], [0.03, 0.1]] {
        let mut s = over(half, SKIN_DEPTH, law(K, 0.5));
        let x = s.initial_state();
        let x = walk(&mut s, x, (5e-3, 100), step(1e-10), |_, _, _| {});
        assert_eq!(points(&mut s, &x), 4, "{half:?}");
        let depth = G / (4.0 * K);
        let found = SKIN_DEPTH - foot(&s, &x);
        // ω δt = 1: implicit Euler has let it settle by 2^-50; the tolerance of the solver.
        assert!((found / depth - 1.0).abs() < 1e-6, "{half:?}: {found:e} for {depth:e}");
        let told = s.energy(&x).contact;
        assert!((told / (G * depth / 2.0) - 1.0).abs() < 2e-6, "{half:?}: {told:e} J");
    }
}

#[test]
fn analytic_bodies_bear_what_the_law_presses() {
    let mut s = over([0.5, 0.5], SKIN_DEPTH, law(K, 0.5));
    let x = s.initial_state();
    let x = walk(&mut s, x, (5e-3, 100), step(1e-10), |_, _, _| {});
    let mut next = State::default();
    step(1e-10).step(&mut s, &x, 5e-3, false, &mut next).unwrap();
    let loads = s.contact_wrenches(Slot::Start).unwrap();
    // The tolerance: 1e-10 m/s of 1 kg in 5 ms.
    assert!((loads[1][0] - Vector3::new(0.0, 0.0, G)).norm() < 1e-6, "{loads:?}");
    assert!((loads[0][0] + loads[1][0]).norm() < 1e-12, "{loads:?}");
}

#[test]
fn analytic_a_joint_leaves_the_depth_as_it_is() {
    // Bodies that a joint connects do not collide: the rail is on a post.
    let rail = Joint::new("rail", [1, 2], JointKind::Sliding { axis: Vector3::z() });
    let pose = Isometry3::translation(0.0, 0.0, HALF + SKIN_DEPTH);
    let post = (cube("post").held(), Isometry3::translation(0.3, 0.0, 0.1));
    let bodies = vec![slab([0.5, 0.5]), (cube("cube"), pose), post];
    let s = AffineSystem::articulated(bodies, &[rail], &[], options()).unwrap();
    let mut s = s.with_law(law(K, 0.5)).unwrap();
    let x = s.initial_state();
    let x = walk(&mut s, x, (5e-3, 100), step(1e-10), |_, _, _| {});
    let found = (SKIN_DEPTH - foot(&s, &x)) / (G / (4.0 * K));
    assert!((found - 1.0).abs() < 1e-6, "{found}");
}

#[test]
fn analytic_sliding_stops_where_coulomb_says() {
    let (mu, speed, dt) = (0.3, 1.0, 2e-3);
    let mut s = over([1.0, 0.5], SKIN_DEPTH - G / (4.0 * K), law(K, mu));
    let mut x = s.initial_state();
    x.v[0] = speed;
    let x = walk(&mut s, x, (dt, 300), step(1e-8), |_, _, _| {});
    // Velocities of the end of each step: half a step short of v²/(2 μ g).
    let way = speed * speed / (2.0 * mu * G) - 0.5 * speed * dt;
    // As for the barrier's friction: the cube pitches on its springs as it is braked.
    assert!((x.q[0] / way - 1.0).abs() < 1e-2, "{} for {way}", x.q[0]);
    assert!(x.v[0].abs() < material(K, mu).stiction_speed, "{} m/s", x.v[0]);
}

#[test]
fn analytic_a_bounce_loses_what_implicit_euler_takes() {
    let speed = 0.1;
    let lost = |dt: f64| {
        let still = IpcOptions { gravity: Vector3::zeros(), ..options() };
        let pose = Isometry3::translation(0.0, 0.0, HALF + SKIN_DEPTH);
        let s = AffineSystem::new(vec![slab([0.5, 0.5]), (cube("cube"), pose)], &[], still).unwrap();
        let mut s = s.with_law(law(K, 0.0)).unwrap();
        let mut x = s.initial_state();
        x.v[2] = -speed;
        let start = s.energy(&x).total();
        let (mut before, mut deepest) = (start, 0.0f64);
        let (mut step, mut next) = (step(1e-9), State::default());
        while x.t < 0.02 {
            step.step(&mut s, &x, dt, false, &mut next).unwrap();
            std::mem::swap(&mut x, &mut next);
            let e = s.energy(&x);
            assert!(e.total() <= before + 1e-10, "{} J after {before}", e.total());
            (before, deepest) = (e.total(), deepest.max(e.contact));
        }
        assert!(x.v[2] > 0.0 && deepest > 0.9 * start, "{} m/s, {deepest} J of {start}", x.v[2]);
        1.0 - before / start
    };
    let [coarse, fine] = [1e-4, 5e-5].map(lost);
    // Half a swing at ω = 200/s: 1 − exp(−π ω δt), of first order in δt.
    let expected = 1.0 - (-std::f64::consts::PI * 200.0 * 5e-5).exp();
    assert!((fine / expected - 1.0).abs() < 0.1, "{fine} for {expected}");
    assert!((1.8..2.1).contains(&(coarse / fine)), "{coarse} and {fine}");
}

/// A held slab, a cube on it, a turned one above, all pressed in a little.
fn heap() -> AffineSystem {
    let turned = Isometry3::new(Vector3::new(0.01, 0.02, 0.156), Vector3::new(0.0, 0.02, 0.3));
    let low = Isometry3::translation(0.0, 0.0, HALF + 0.0018);
    let bodies = vec![slab([0.5, 0.5]), (cube("low"), low), (cube("high"), turned)];
    AffineSystem::new(bodies, &[], options()).unwrap().with_law(law(K, 0.4)).unwrap()
}

#[test]
fn conformance_agrees_with_the_reference() {
    let (mut a, mut b) = (heap(), heap());
    let tight = Tolerance { relative: 1e-9, max_iterations: 300 };
    let mut ours = step(1e-9);
    let mut reference = ContactStep::new(ReferenceSolver::default()).with_tolerance(tight);
    let mut x = a.initial_state();
    let (mut next, mut other) = (State::default(), State::default());
    for k in 0..20 {
        ours.step(&mut a, &x, 5e-3, false, &mut next).unwrap();
        reference.step(&mut b, &x, 5e-3, false, &mut other).unwrap();
        let off = a.distance(&next, &other);
        // Both know velocities to about the tolerance times 1 m/s.
        assert!(off < 1e-8, "step {k}: {off:e} m");
        x.copy_from(&next);
    }
    assert!(points(&mut a, &x) >= 8);
}

#[test]
fn property_a_law_that_is_pressed_through_leaves_the_barrier() {
    for k in [1.0, 100.0, K] {
        let mut s = over([0.5, 0.5], 0.02, law(k, 0.3));
        let mut x = s.initial_state();
        x.v[2] = -3.0;
        x.v[0] = 0.5;
        let mut nearest = f64::INFINITY;
        let end = walk(&mut s, x, (5e-3, 60), step(1e-6), |k, s, x| {
            let mut s = s.clone();
            assert!(s.crossing(x).is_none(), "step {k}");
            if let Some((d, _)) = s.smallest_distance(x) {
                nearest = nearest.min(d);
            }
        });
        assert!(nearest > 0.0 && nearest < options().range, "{k} N/m: {nearest} m");
        assert!(end.q[2] > HALF, "{k} N/m");
    }
}

#[test]
fn analytic_a_law_catches_what_comes_within_its_skin_in_one_step() {
    // 15 mm in a step, from 10 mm away, at a stiffness that stops it within the skin: the barrier is never reached.
    let mut s = over([0.5, 0.5], 0.01, law(1e7, 0.0));
    let mut x = s.initial_state();
    x.v[2] = -3.0;
    let mut nearest = f64::INFINITY;
    walk(&mut s, x, (5e-3, 20), step(1e-8), |_, s, x| nearest = nearest.min(foot(s, x)));
    assert!(nearest > options().range && nearest < SKIN_DEPTH, "{nearest} m");
}

#[test]
fn conformance_points_are_the_corners_of_what_faces_share() {
    let at = |x: f64, y: f64, yaw: f64| {
        let pose = Isometry3::new(Vector3::new(x, y, 2.0 * HALF + 1e-3), Vector3::new(0.0, 0.0, yaw));
        let bodies = vec![(cube("low").held(), Isometry3::identity()), (cube("high"), pose)];
        let mut s = AffineSystem::new(bodies, &[], options()).unwrap().with_law(law(K, 0.0)).unwrap();
        let x = s.initial_state();
        points(&mut s, &x)
    };
    // One corner of each face over the other, two crossings.
    assert_eq!(at(0.02, 0.03, 0.0), 4);
    // An octagon.
    assert_eq!(at(0.0, 0.0, std::f64::consts::FRAC_PI_4), 8);
    // Sides in line: two corners of each, and no crossings.
    assert_eq!(at(0.02, 0.0, 0.0), 4);
}
