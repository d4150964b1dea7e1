//! Balls and capsules: rolling, rest, impact and contact with triangles in closed form.

use crate::bodies::{at, block};
use crate::walk::walk;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ProblemError, Slot, State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, BarrierSeed, FreeRotation, IpcOptions, IpcSolver};

const RADIUS: f64 = 0.1;

fn ball(name: &str, friction: f64) -> AffineBody {
    AffineBody::ball(name, RADIUS, 1000.0).unwrap().with_friction(friction)
}

/// Lies along y.
fn capsule(friction: f64) -> (AffineBody, Isometry3<f64>) {
    let turn = Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    let body = AffineBody::capsule("capsule", RADIUS, 0.15, 1000.0).unwrap().with_friction(friction);
    (body, Isometry3::new(Vector3::new(0.0, 0.0, RADIUS), turn))
}

/// A body on a floor whose top is at zero, at the height at which the barrier bears its weight.
fn on_floor((body, pose): (AffineBody, Isometry3<f64>), options: IpcOptions) -> (AffineSystem, State) {
    let options = IpcOptions { rotation: FreeRotation::Turning, ..options }.carrying(body.mass * 9.81);
    let contacts = if body.points.len() > 1 { 2.0 } else { 1.0 };
    let gap = rest_gap(options, body.mass * 9.81 / contacts);
    let floor = block("floor", [10.0, 10.0, 0.5]).held();
    let above = at(0.0, 0.0, gap) * pose;
    // Both triangles of the top of the floor are passed.
    let system = AffineSystem::new(vec![(floor, at(0.3, 0.0, -0.5)), (body, above)], &[], options).unwrap();
    let x = system.initial_state();
    (system, x)
}

/// Gap at which one pair carries `force`: b′ of the barrier by bisection.
fn rest_gap(o: IpcOptions, force: f64) -> f64 {
    let seed = BarrierSeed {
        dt: 1.0,
        distance: 1.0,
        range: o.range,
        separation: o.separation,
        stiffness: o.stiffness,
    };
    let (mut low, mut high) = (0.0, o.range);
    for _ in 0..100 {
        let d = 0.5 * (low + high);
        let [_, slope, _] = seed.potential(d * d);
        if -2.0 * d * slope > force { low = d } else { high = d }
    }
    low
}

fn solver() -> ContactStep<IpcSolver> {
    ContactStep::new(IpcSolver::default()).with_tolerance(Tolerance { relative: 1e-8, max_iterations: 300 })
}

fn set(s: &AffineSystem, x: &mut State, linear: Vector3<f64>, angular: Vector3<f64>) {
    x.v = s.bodies()[1].velocity(&x.q, &linear, &angular).to_vec();
}

/// Change of speed over two seconds of rolling at 1 m/s.
fn lost(start: (AffineBody, Isometry3<f64>), dt: f64) -> f64 {
    let (mut s, mut x) = on_floor(start, IpcOptions::default());
    set(&s, &mut x, Vector3::x(), Vector3::y() / RADIUS);
    let x = walk(&mut s, x, (dt, (2.0 / dt).round() as u32), solver(), |_, _, _| {});
    // The way of a ball is straight; a capsule keeps its axis.
    assert!((x.q[1]).abs() < 1e-3 && x.v[1].abs() < 1e-3, "{:?} {:?}", &x.q[..3], &x.v[..3]);
    1.0 - x.v[0]
}

/// I/(I + m r²) of a ball, or of a capsule about its edge.
fn spin_part(body: &AffineBody) -> f64 {
    let about = body.second_moment[(0, 0)] + body.second_moment[(1, 1)];
    about / (about + body.mass * RADIUS * RADIUS)
}

#[test]
fn analytic_rolling_keeps_its_speed() {
    for (name, start) in [("ball", (ball("ball", 0.5), at(0.0, 0.0, RADIUS))), ("capsule", capsule(0.5))] {
        for dt in [4e-3, 2e-3] {
            let found = lost(start.clone(), dt);
            // Chords of a turn by φ: ẋ δt = r sin φ.
            let expected = spin_part(&start.0) * (dt / RADIUS).powi(2) / 6.0;
            // The next order in φ, and the bump of the edge of a capsule that passes those of the floor.
            assert!((found / expected - 1.0).abs() < 0.03, "{name}, {dt} s: {found:e} {expected:e}");
        }
    }
}

/// Friction slows the centre until ẋ = ω r: ẋ₁ = ẋ₀/(1 + I/(m r²)), 5/7 of a ball's.
#[test]
fn analytic_a_sliding_body_comes_to_roll() {
    assert!((spin_part(&ball("ball", 0.3)) - 2.0 / 7.0).abs() < 1e-12);
    for start in [(ball("ball", 0.3), at(0.0, 0.0, RADIUS)), capsule(0.3)] {
        let expected = 1.0 - spin_part(&start.0);
        let (mut s, mut x) = on_floor(start, IpcOptions::default());
        set(&s, &mut x, Vector3::x(), Vector3::zeros());
        let x = walk(&mut s, x, (1e-3, 600), solver(), |_, _, _| {});
        // φ²/6 of steps of 1 ms, and solves to 1e-8.
        assert!((x.v[0] - expected).abs() < 2e-5, "{} {expected}", x.v[0]);
    }
}

/// a = g sin θ/(1 + I/(m r²)): 5/7 of a ball's.
#[test]
fn analytic_rolling_down_a_slope() {
    let slope: f64 = 0.2;
    let gravity = 9.81 * Vector3::new(slope.sin(), 0.0, -slope.cos());
    for start in [(ball("ball", 0.5), at(0.0, 0.0, RADIUS)), capsule(0.5)] {
        let expected = 9.81 * slope.sin() * (1.0 - spin_part(&start.0));
        let (mut s, x) = on_floor(start, IpcOptions { gravity, ..IpcOptions::default() });
        let x = walk(&mut s, x, (2e-3, 500), solver(), |_, _, _| {});
        // After a second; the creep of regularised friction is below its 1 mm/s.
        assert!((x.v[0] - expected).abs() < 1e-3, "{} {expected}", x.v[0]);
    }
}

#[test]
fn analytic_gap_at_rest_of_round_bodies() {
    for (start, contacts) in [((ball("ball", 0.0), at(0.0, 0.0, RADIUS)), 1.0), (capsule(0.0), 2.0)] {
        let weight = start.0.mass * 9.81;
        let (mut s, mut x) = on_floor(start, IpcOptions::default());
        x.q[2] += 1e-4;
        let options = IpcOptions::default().carrying(weight);
        let x = walk(&mut s, x, (5e-3, 400), solver(), |_, _, _| {});
        let gap = s.smallest_distance(&x).unwrap().0;
        let expected = rest_gap(options, weight / contacts);
        // Tolerance of solves, after a hundred periods of implicit Euler.
        assert!((gap - expected).abs() < 1e-9, "{gap} {expected}");
    }
}

#[test]
fn analytic_balls_collide_along_their_normal() {
    let options = IpcOptions {
        gravity: Vector3::zeros(),
        rotation: FreeRotation::Turning,
        ..IpcOptions::default().carrying(1e3)
    };
    for friction in [0.0, 0.5] {
        let bodies =
            vec![(ball("a", friction), at(0.0, 0.2, 0.0)), (ball("b", friction), at(0.25, 0.3, 0.05))];
        let mut s = AffineSystem::new(bodies, &[], options).unwrap();
        let mut x = s.initial_state();
        x.v[0] = 2.0;
        let m = s.bodies()[0].mass;
        let spin = |s: &AffineSystem, x: &State| {
            (0..2).fold(Vector3::zeros(), |sum: Vector3<f64>, b| {
                let (q, v) = (&x.q[12 * b..12 * b + 12], &x.v[12 * b..12 * b + 12]);
                let mat = |q: &[f64]| signorini_core::na::Matrix3::from_row_slice(&q[3..12]);
                let l = mat(v) * s.bodies()[b].second_moment * mat(q).transpose();
                let own = Vector3::new(l[(2, 1)] - l[(1, 2)], l[(0, 2)] - l[(2, 0)], l[(1, 0)] - l[(0, 1)]);
                sum + own
                    + Vector3::from_column_slice(&q[..3]).cross(&(m * Vector3::from_column_slice(&v[..3])))
            })
        };
        let before = spin(&s, &x);
        let x = walk(&mut s, x, (1e-4, 1500), solver(), |_, _, _| {});
        let at = |i: usize| Vector3::<f64>::from_column_slice(&x.v[i..i + 3]);
        let (a, b) = (at(0), at(12));
        // Tolerance of solves.
        assert!((a + b - 2.0 * Vector3::<f64>::x()).norm() < 1e-6, "{a} {b}");
        assert!(b.norm() > 0.5, "they met: {b}");
        let turned = (spin(&s, &x) - before).norm() / before.norm();
        if friction == 0.0 {
            // The push is along the line of centres where the balls meet, and turns nothing.
            let centres = Vector3::<f64>::new(0.0, 0.1, 0.05);
            let along: f64 = (RADIUS * RADIUS * 4.0 - centres.norm_squared()).sqrt();
            let n = (centres + along * Vector3::x()).normalize();
            // The barrier begins at 1 mm, and the balls slide past each other in the time of the impact.
            assert!(b.normalize().cross(&n).norm() < 1e-2, "{b} {n}");
            let rate = x.v[3..12].iter().chain(&x.v[15..24]).fold(0.0f64, |m, v| m.max(v.abs()));
            assert!(rate < 1e-6, "{rate:e}");
        }
        // The directions of a step are those where it begins, and the impact is of some steps.
        assert!(turned < 2e-2, "{friction}: {turned:e}");
    }
}

/// A sheet of squares of `size`, cut along their diagonals, bent along y at x = 0 by `bend`.
fn sheet(size: f64, bend: f64) -> AffineBody {
    let n = 8u32;
    let place = |i: u32| size * (f64::from(i) - 0.5 * f64::from(n));
    let points = (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j)));
    let points = points.map(|(i, j)| {
        let (x, y) = (place(i), place(j));
        signorini_core::na::Point3::new(x, y, bend * x.abs())
    });
    let cell = |i: u32, j: u32| {
        let [a, b, c, d] =
            [i * (n + 1) + j, (i + 1) * (n + 1) + j, (i + 1) * (n + 1) + j + 1, i * (n + 1) + j + 1];
        if (i + j).is_multiple_of(2) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
    };
    let triangles = (0..n).flat_map(|i| (0..n).flat_map(move |j| cell(i, j))).collect();
    AffineBody::shell("sheet", &TriangleMesh::new(points.collect(), triangles).unwrap()).unwrap()
}

/// Energy of contact with a body at `place`.
fn energy(held: AffineBody, body: AffineBody, place: Isometry3<f64>, seed: &BarrierSeed) -> f64 {
    let options = IpcOptions { range: seed.range, stiffness: seed.stiffness, ..IpcOptions::default() };
    let bodies = vec![(held, Isometry3::identity()), (body, place)];
    let mut s = AffineSystem::new(bodies, &[], options).unwrap();
    let x = s.initial_state();
    s.energy(&x).contact
}

#[test]
fn analytic_a_ball_counts_each_place_of_a_surface_once() {
    let seed = BarrierSeed { dt: 1.0, distance: 1.0, range: 1e-2, separation: 0.0, stiffness: 1e10 };
    let mut r = signorini_testkit::rng::Rng::new(4);
    let b = |gap: f64| seed.potential(gap * gap.abs())[0];
    for _ in 0..100 {
        let gap = r.uniform(1e-3, 9e-3);
        let [x, y] = [r.uniform(-0.05, 0.05), r.uniform(-0.05, 0.05)];
        // Squares of 20 mm, of which some dozen are within reach; edges and corners among the places.
        let [x, y] = match r.below(3) {
            0 => [x, y],
            1 => [0.0, y],
            _ => [0.02, -0.02],
        };
        let flat = energy(sheet(0.02, 0.0), ball("ball", 0.0), at(x, y, RADIUS + gap), &seed);
        // Round-off of terms that cancel.
        assert!((flat / b(gap) - 1.0).abs() < 1e-9, "flat: {x} {y} {gap}: {flat} {}", b(gap));
        // Ridge: the distance to a convex body.
        let slope: f64 = -0.3;
        let ridge = energy(sheet(0.02, slope), ball("ball", 0.0), at(0.0, y, RADIUS + gap), &seed);
        assert!((ridge / b(gap) - 1.0).abs() < 1e-9, "ridge: {y} {gap}: {ridge}");
        // Valley: both faces press, and the edge, where it is within reach, takes off its own part.
        let height = (RADIUS + gap) * (1.0 + slope * slope).sqrt();
        let valley = energy(sheet(0.02, -slope), ball("ball", 0.0), at(0.0, y, height), &seed);
        let expected = 2.0 * b(gap) - b((height - RADIUS).min(seed.range));
        assert!((valley / expected - 1.0).abs() < 1e-9, "valley: {y} {gap}: {valley} {expected}");
    }
    // Corner of a cube, in all directions.
    for _ in 0..200 {
        let p = Vector3::from_fn(|_, _| r.uniform(-0.3, 0.3));
        let beyond = p.map(|x: f64| (x.abs() - 0.05).max(0.0)).norm() - RADIUS;
        if beyond <= 1e-3 || beyond >= 9e-3 {
            continue;
        }
        let cube = block("cube", [0.05; 3]).held();
        let found = energy(cube, ball("ball", 0.0), Isometry3::translation(p.x, p.y, p.z), &seed);
        assert!((found / b(beyond) - 1.0).abs() < 1e-9, "cube: {p} {beyond}: {found} {}", b(beyond));
    }
}

#[test]
fn analytic_a_capsule_knows_no_edges_inside_a_plane() {
    let seed = BarrierSeed { dt: 1.0, distance: 1.0, range: 1e-2, separation: 0.0, stiffness: 1e10 };
    let [value, ..] = seed.potential(25e-6);
    for yaw in [0.0, 0.3, 0.8] {
        let turn = Isometry3::new(Vector3::zeros(), Vector3::new(0.0, 0.0, yaw));
        let rod = AffineBody::capsule("rod", 0.03, 0.04, 1000.0).unwrap();
        let place = at(0.003, 0.002, 0.035)
            * turn
            * Isometry3::rotation(Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let found = energy(sheet(0.02, 0.0), rod, place, &seed);
        // Two ends.
        assert!((found / (2.0 * value) - 1.0).abs() < 1e-9, "{yaw}: {found} {value}");
    }
}

#[test]
fn analytic_round_overlaps_are_refused_with_their_depth() {
    let depth = |bodies: Vec<(AffineBody, Isometry3<f64>)>| {
        let mut s = AffineSystem::new(bodies, &[], IpcOptions::default()).unwrap();
        let x = s.initial_state();
        let pairs = s.overlapping(&x).len();
        match s.prepare(Slot::Start, &x, 1e-3) {
            Err(ProblemError::Intersecting { gap, .. }) => {
                assert_eq!(pairs, 1);
                -gap
            }
            other => panic!("{other:?}"),
        }
    };
    let cube = || block("cube", [0.5; 3]).held();
    let (upright, identity) = (AffineBody::capsule("rod", 0.1, 0.2, 1000.0).unwrap(), Isometry3::identity());
    let cases = [
        ("balls", vec![(ball("a", 0.0), identity), (ball("b", 0.0), at(0.15, 0.0, 0.0))], 0.05),
        ("ball in a face", vec![(cube(), identity), (ball("b", 0.0), at(0.0, 0.0, 0.57))], 0.03),
        ("ball inside", vec![(cube(), identity), (ball("b", 0.0), at(0.0, 0.0, 0.3))], 0.3),
        ("rod through a face", vec![(cube(), identity), (upright.clone(), at(0.0, 0.1, 0.6))], 0.2),
        ("rod and ball", vec![(upright.clone(), identity), (ball("b", 0.0), at(0.0, 0.18, 0.1))], 0.02),
        ("rods", vec![(upright.clone(), identity), (upright, at(0.17, 0.0, 0.0))], 0.03),
    ];
    for (name, bodies, expected) in cases {
        let found = depth(bodies);
        assert!((found - expected).abs() < 1e-12, "{name}: {found} {expected}");
    }
}
