//! Motions of affine bodies with closed forms.

use crate::walk;

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{Slot, State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineBody, AffineSystem, BarrierSeed, IpcOptions, IpcSolver};
use walk::walk;

fn block(name: &str, half: Vector3<f64>, friction: f64) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&half).unwrap(), 1000.0).unwrap().with_friction(friction)
}

fn floor(friction: f64) -> (AffineBody, Isometry3<f64>) {
    // The diagonal of its top face passes through none of the feet below.
    let pose = Isometry3::translation(0.5, 0.0, -0.05);
    (block("floor", Vector3::new(2.0, 2.0, 0.05), friction).held(), pose)
}

/// Steps to the end; `each` sees every state.
fn run(
    s: &mut AffineSystem,
    x: State,
    dt: f64,
    steps: u32,
    relative: f64,
    mut each: impl FnMut(u32, &State),
) -> State {
    let tolerance = Tolerance { relative, max_iterations: 300 };
    let step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance).with_max_relags(30);
    let x = walk(s, x, (dt, steps), step, |k, _, x| each(k, x));
    let seen = s.observed();
    assert!(seen.smallest_distance > 0.0 && seen.smallest_determinant > 0.5, "{seen:?}");
    x
}

#[test]
fn analytic_free_fall() {
    let body = block("cube", Vector3::repeat(0.05), 0.0);
    let mut s =
        AffineSystem::new(vec![(body, Isometry3::translation(0.0, 0.0, 1.0))], &[], IpcOptions::default())
            .unwrap();
    let mut x = s.initial_state();
    x.v[..3].copy_from_slice(&[0.3, 0.0, 2.0]);
    let h = 0.01;
    run(&mut s, x, h, 50, 1e-9, |n, x| {
        let n = f64::from(n);
        let z = 1.0 + n * h * 2.0 - 9.81 * h * h * n * (n + 1.0) / 2.0;
        // Fifty solves to 1e-9 m/s each.
        assert!((x.q[2] - z).abs() < 1e-10 && (x.q[0] - 0.3 * h * n).abs() < 1e-10, "{} {z}", x.q[2]);
    });
}

#[test]
fn analytic_spin_decays_as_implicit_euler_has_it() {
    // About the axis of largest inertia; the closed form knows no inertia.
    let body = block("block", Vector3::new(0.05, 0.04, 0.02), 0.0);
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() };
    let mut s = AffineSystem::new(vec![(body, Isometry3::identity())], &[], options).unwrap();
    let mut x = s.initial_state();
    let (h, w) = (0.01, 5.0);
    let v = s.bodies()[0].velocity(&x.q, &Vector3::new(0.1, 0.2, 0.3), &Vector3::new(0.0, 0.0, w));
    x.v.copy_from_slice(&v);
    let (mut increment, mut angle, mut last) = (0.0f64, 0.0, 0.0f64);
    run(&mut s, x, h, 5, 1e-9, |n, x| {
        increment = if n == 1 { (h * w).atan() } else { increment.sin().atan2(2.0 - increment.cos()) };
        angle += increment;
        let now = x.q[6].atan2(x.q[3]);
        // The closed form is that of rigid bodies; stretch is 1e-7 at this stiffness.
        assert!((now - angle).abs() < 1e-7, "step {n}: {now} {angle}");
        assert!(((now - last) / h - increment / h).abs() < 1e-5);
        last = now;
        // Nothing pushes.
        assert!((0..3).all(|i| (x.v[i] - [0.1, 0.2, 0.3][i]).abs() < 1e-9));
    });
    assert!((increment / h - 4.946669).abs() < 1e-5, "{}", increment / h);
}

/// Force of one vertex over a face at a distance \[N\].
fn force(o: &IpcOptions, d: f64) -> f64 {
    let p = BarrierSeed {
        dt: 1.0,
        distance: d,
        range: o.range,
        separation: o.separation,
        stiffness: o.stiffness,
    };
    -2.0 * d * p.potential(d * d)[1]
}

/// Distance at which `n` vertices carry a load \[m\].
fn gap(o: &IpcOptions, load: f64, n: f64) -> f64 {
    let (mut low, mut high) = (1e-9, o.range);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if n * force(o, middle) > load { low = middle } else { high = middle }
    }
    low
}

/// A cube of 0.1 m at rest over a floor, four vertices above the inside of one triangle.
fn resting(friction: f64, options: IpcOptions) -> (AffineSystem, State) {
    let cube = block("cube", Vector3::repeat(0.05), friction);
    let rest = gap(&options, -options.gravity.z * cube.mass, 4.0);
    let pose = Isometry3::translation(0.0, 0.6, 0.05 + rest);
    let s = AffineSystem::new(vec![floor(friction), (cube, pose)], &[], options).unwrap();
    let x = s.initial_state();
    (s, x)
}

#[test]
fn analytic_stiffness_by_load() {
    for (range, separation) in [(1e-3, 0.0), (1e-5, 0.0), (1e-3, 2e-3)] {
        let o = IpcOptions { range, separation, ..IpcOptions::default() }.carrying(7.0);
        let found = force(&o, separation + 0.5 * range);
        // Round-off.
        assert!((found - 7.0).abs() < 1e-12, "{found}");
        // κ d̂³ (3/2) (ln 4 + 3/2) without separation: 4.33 κ d̂³.
        let factor = 7.0 / (o.stiffness * range.powi(3));
        assert!(separation > 0.0 || (factor - 1.5 * (4f64.ln() + 1.5)).abs() < 1e-9, "{factor}");
    }
}

#[test]
fn analytic_gap_at_rest() {
    let options = IpcOptions::default();
    let (mut s, mut x) = resting(0.0, options);
    let start = x.q[2];
    // Lifted a little: it falls back to where the four vertices carry it.
    x.q[2] += 1e-4;
    let x = run(&mut s, x, 0.01, 100, 1e-9, |_, _| {});
    let (gap, _) = s.smallest_distance(&x).unwrap();
    // The vertices carry the weight; the cube itself gives way by 1e-8 m.
    assert!((x.q[2] - start).abs() < 1e-7, "{:e}", x.q[2] - start);
    assert!((gap - (start - 0.05)).abs() < 1e-7, "{gap:e}");
}

/// A cube on a slope of tan α = ½: its place along the slope and its speed at the start, after 20 steps, when its first transient has died away, and after 60.
fn slope(mu: f64) -> [[f64; 2]; 3] {
    let a = 0.5f64.atan();
    let gravity = 9.81 * Vector3::new(a.sin(), 0.0, -a.cos());
    let options = IpcOptions { stiction_speed: 1e-4, friction_passes: 20, gravity, ..IpcOptions::default() };
    let (mut s, x) = resting(mu, options);
    let mut seen = [[x.q[0], 0.0]; 3];
    run(&mut s, x, 0.01, 60, 1e-6, |n, x| {
        if n % 20 == 0 {
            seen[if n == 20 { 1 } else { 2 }] = [x.q[0], x.v[0]];
        }
    });
    seen
}

#[test]
fn analytic_slope_slips_and_sticks() {
    let a = 0.5f64.atan();
    let (h, n) = (0.01, 40.0);
    for mu in [0.4, 0.49] {
        let [_, [from, speed], [to, _]] = slope(mu);
        let fall = 9.81 * (a.sin() - mu * a.cos());
        let expected = speed * n * h + fall * h * h * n * (n + 1.0) / 2.0;
        let found = to - from;
        // The stated acceptance; friction is exact once it slides faster than ε_v.
        assert!((found - expected).abs() < 1e-3 * expected, "μ {mu}: {found:e}, expected {expected:e}");
    }
    for mu in [0.51, 0.6] {
        let [[start, _], [from, _], [to, _]] = slope(mu);
        // Creep below ε_v; at the start it slides until the contacts carry.
        assert!(
            (to - from).abs() < 1e-4 * h * n && to - start < 1e-3,
            "μ {mu}: {:e} {:e}",
            to - from,
            to - start
        );
    }
}

#[test]
fn analytic_wrenches_of_contacts() {
    let a = 0.5f64.atan();
    let gravity = 9.81 * Vector3::new(a.sin(), 0.0, -a.cos());
    let options = IpcOptions { friction_passes: 20, gravity, ..IpcOptions::default() };
    let (mut s, x) = resting(0.8, options);
    assert!(s.contact_wrenches(Slot::Midpoint).is_err());
    let mass = s.bodies()[1].mass;
    let x = run(&mut s, x, 0.01, 100, 1e-9, |_, _| {});
    let [floor, cube]: [_; 2] = s.contact_wrenches(Slot::Start).unwrap().try_into().unwrap();
    // It sticks: contacts carry the weight, which has no moment about the centre; the force on one body is exerted by the other.
    let weight = mass * gravity;
    assert!((cube[0] + weight).norm() < 1e-5 * weight.norm(), "{} {weight}", cube[0]);
    assert!(cube[1].norm() < 1e-4 * weight.norm() * 0.05, "{}", cube[1]);
    assert!((floor[0] + cube[0]).norm() < 1e-12 * weight.norm());
    let between = Vector3::from_column_slice(&x.q[..3]) - Vector3::new(0.5, 0.0, -0.05);
    // Friction acts on both surfaces, across the gap: that leaves a moment of gap times friction.
    let moment = floor[1] + between.cross(&cube[0]) + cube[1];
    assert!(moment.norm() < options.range * weight.norm(), "{moment}");
}

#[test]
fn analytic_sliding_stops() {
    let (mu, v, h) = (0.3, 1.0, 2e-3);
    let (mut s, mut x) = resting(mu, IpcOptions { friction_passes: 4, ..IpcOptions::default() });
    let start = x.q[0];
    x.v[0] = -v;
    let x = run(&mut s, x, h, 220, 1e-6, |_, _| {});
    // The sum of the steps of a speed that falls by μ g h in each: ½ v h less than v²/(2 μ g).
    let expected = v * v / (2.0 * mu * 9.81) - 0.5 * v * h;
    let found = start - x.q[0];
    assert!((found - expected).abs() < 1e-2 * expected, "{found} {expected}");
    assert!(x.v[0].abs() < 1e-3, "it stands: {}", x.v[0]);
}

#[test]
fn analytic_nothing_passes_at_a_thousand_metres_per_second() {
    let wall = block("wall", Vector3::new(0.5, 0.5, 0.005), 0.0).held();
    let cube = block("cube", Vector3::repeat(0.05), 0.0);
    let options =
        IpcOptions { range: 0.01, stiffness: 1e8, gravity: Vector3::zeros(), ..IpcOptions::default() };
    let turned = Isometry3::new(Vector3::new(0.01, 0.02, 1.0), Vector3::new(0.3, 0.2, 0.1));
    let mut s = AffineSystem::new(vec![(wall, Isometry3::identity()), (cube, turned)], &[], options).unwrap();
    let mut x = s.initial_state();
    x.v[2] = -1000.0;
    let energy = s.energy(&x).total();
    // 1e-5 of the speed: the impact squeezes the cube, and Newton with bounds of curvature converges slowly there.
    let x = run(&mut s, x, 0.01, 10, 1e-2, |_, x| assert!(x.q[2] > 0.05, "{}", x.q[2]));
    assert!(s.energy(&x).total() < energy);
}

#[test]
fn analytic_a_thousand_times_the_mass() {
    let options = IpcOptions { stiffness: 1e12, ..IpcOptions::default() };
    let small = block("small", Vector3::repeat(0.05), 0.5);
    let large = block("large", Vector3::repeat(0.5), 0.5);
    let bodies = vec![
        floor(0.5),
        (small, Isometry3::translation(0.0, 0.6, 0.0508)),
        (large, Isometry3::translation(0.001, 0.602, 0.6016)),
    ];
    let mut s = AffineSystem::new(bodies, &[], options).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 0.01, 50, 1e-4, |_, _| {});
    // Stands on it, both within their ranges.
    assert!((x.q[2] - 0.0508).abs() < 1e-3 && (x.q[14] - 0.6016).abs() < 2e-3, "{} {}", x.q[2], x.q[14]);
    assert!(s.observed().orthogonality_error < 1e-2, "{:?}", s.observed());
}

#[test]
fn analytic_momentum_of_a_collision() {
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() };
    let (a, b) = (block("a", Vector3::repeat(0.05), 0.3), block("b", Vector3::new(0.1, 0.03, 0.05), 0.3));
    let masses = [a.mass, b.mass];
    let pose = Isometry3::new(Vector3::new(0.2, 0.02, 0.01), Vector3::new(0.1, 0.2, 0.3));
    let mut s = AffineSystem::new(vec![(a, Isometry3::identity()), (b, pose)], &[], options).unwrap();
    let mut x = s.initial_state();
    x.v[0] = 1.0;
    x.v[12] = -1.0;
    let momentum = |x: &State| -> Vector3<f64> {
        (0..2).map(|b| masses[b] * Vector3::from_column_slice(&x.v[12 * b..12 * b + 3])).sum()
    };
    let before = momentum(&x);
    let mut energy = s.energy(&x).total();
    let mut energies = Vec::new();
    let states = &mut energies;
    run(&mut s, x, 2e-3, 60, 1e-9, |_, x| states.push(x.clone()));
    for x in &energies {
        // Sixty solves to 1e-9 m/s of bodies below 1.3 kg.
        assert!((momentum(x) - before).norm() < 1e-7, "{}", momentum(x) - before);
        let now = s.energy(x).total();
        // Implicit steps take energy, never give it.
        assert!(now <= energy * (1.0 + 1e-9), "{now} after {energy}");
        energy = now;
    }
    assert!(energies[59].v[0] < 0.9, "they met");
}

#[test]
fn analytic_driven_bodies_push() {
    let options = IpcOptions::default();
    let cube = block("cube", Vector3::repeat(0.05), 0.0);
    let pusher = block("pusher", Vector3::new(0.02, 0.2, 0.04), 0.0).driven();
    let bodies = vec![
        floor(0.0),
        (cube, Isometry3::translation(0.0, 0.6, 0.0508)),
        (pusher, Isometry3::translation(-0.1, 0.6, 0.06)),
    ];
    let mut s = AffineSystem::new(bodies, &[], options).unwrap();
    s.drive(2, Vector3::new(0.5, 0.0, 0.0), Vector3::zeros()).unwrap();
    let x = s.initial_state();
    let x = run(&mut s, x, 0.01, 50, 1e-6, |_, _| {});
    // In 0.5 s it came 0.25 m, in a straight line; the cube is before it, at least as fast.
    assert!((x.q[12] - 0.15).abs() < 1e-5 && (x.q[14] - 0.06).abs() < 1e-5, "{} {}", x.q[12], x.q[14]);
    assert!(x.q[0] > 0.15 + 0.07 && x.v[0] > 0.5 - 1e-3, "{} {}", x.q[0], x.v[0]);
}

#[test]
fn analytic_torque_turns() {
    let body = block("block", Vector3::new(0.05, 0.04, 0.02), 0.0);
    let inertia = body.mass / 3.0 * (0.05f64.powi(2) + 0.04f64.powi(2));
    let options = IpcOptions { gravity: Vector3::zeros(), ..IpcOptions::default() };
    let mut s = AffineSystem::new(vec![(body, Isometry3::identity())], &[], options).unwrap();
    let torque = 1e-3;
    s.push(0, Vector3::zeros(), Vector3::new(0.0, 0.0, torque)).unwrap();
    let x = s.initial_state();
    let (h, n) = (1e-3, 100.0);
    let x = run(&mut s, x, h, 100, 1e-9, |_, _| {});
    // Rates of A are those of the angle while it is small; damping of spin is of order (h ω)².
    let (found, expected) = (x.q[6].atan2(x.q[3]), torque / inertia * h * h * n * (n + 1.0) / 2.0);
    assert!((found - expected).abs() < 1e-4 * expected, "{found} {expected}");
}
