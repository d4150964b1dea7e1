//! κ that is chosen by loads and raised where it is too little.

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{OneStep, Slot, State, System, Tolerance};
use signorini_geometry::TriangleMesh;
use signorini_integrators::ContactStep;
use signorini_ipc::{
    Adaptation, AffineBody, AffineSystem, BarrierSeed, IpcOptions, IpcSolver, Joint, JointKind,
};

fn cuboid(name: &str, half: [f64; 3], density: f64) -> AffineBody {
    AffineBody::solid(name, &TriangleMesh::cuboid(&Vector3::from(half)).unwrap(), density).unwrap()
}

fn floor() -> (AffineBody, Isometry3<f64>) {
    (
        cuboid("floor", [1.0, 1.0, 0.05], 1000.0).held().with_friction(0.5),
        Isometry3::translation(0.0, 0.0, -0.05),
    )
}

/// Runs to the end; the state, and κ after each step. Every step converges and nothing crosses.
fn run(s: &mut AffineSystem, dt: f64, steps: u32) -> (State, Vec<f64>) {
    let (x, kappa, unconverged) = walk(s, dt, steps);
    assert_eq!(unconverged, 0, "κ {kappa:?}");
    (x, kappa)
}

/// Runs to the end; as [`run`], with the number of solves that did not converge.
fn walk(s: &mut AffineSystem, dt: f64, steps: u32) -> (State, Vec<f64>, u32) {
    let tolerance = Tolerance { relative: 1e-5, max_iterations: 300 };
    let mut step = ContactStep::new(IpcSolver::default()).with_tolerance(tolerance);
    let (mut x, mut next) = (s.initial_state(), State::default());
    let (mut kappa, mut unconverged) = (Vec::new(), 0);
    for _ in 0..steps {
        unconverged += step.step(s, &x, dt, false, &mut next).unwrap().unconverged;
        std::mem::swap(&mut x, &mut next);
        kappa.push(s.stiffness());
    }
    let seen = s.observed();
    assert!(seen.crossing.is_none() && seen.smallest_distance > 0.0, "{seen:?}");
    (x, kappa, unconverged)
}

/// A cube of 1 kg under one of a thousand.
fn stack(options: IpcOptions) -> AffineSystem {
    let bodies = vec![
        floor(),
        (cuboid("light", [0.05; 3], 1e3).with_friction(0.5), Isometry3::translation(0.0, 0.0, 0.0505)),
        (cuboid("heavy", [0.05; 3], 1e6).with_friction(0.5), Isometry3::translation(0.002, 0.001, 0.151)),
    ];
    AffineSystem::new(bodies, &[], options).unwrap()
}

#[test]
fn analytic_a_thousand_times_the_mass_with_a_chosen_stiffness() {
    let options = IpcOptions { adaptation: Adaptation::Choose, orthogonality: 1e9, ..IpcOptions::default() };
    let mut s = stack(options);
    let (x, kappa) = run(&mut s, 0.01, 100);
    // Chosen when the first step starts within the range, and needed no more.
    assert!(kappa.iter().all(|k| *k == kappa[0]), "{kappa:?}");
    // At rest on each other within the range of 1 mm, unmoved to the side.
    assert!(x.q[2] > 0.05 && x.q[2] < 0.051 && x.q[14] - x.q[2] > 0.1 - 1e-4 && x.q[14] < 0.152, "{:?}", x.q);
    assert!(x.v.iter().all(|v| v.abs() < 1e-3), "{:?}", x.v);
    let weight = 1001.0 * 9.81;
    let wrench = s.contact_wrenches(Slot::Start).unwrap()[0][0];
    assert!((wrench.z + weight).abs() < 1e-3 * weight, "{wrench}");
}

#[test]
fn analytic_the_stiffness_chosen_balances() {
    // Over one triangle of the floor: four corners, each with one pair. At half the range each feels κ F̂ of a quarter of the weight.
    let (range, gap) = (1e-3, 5e-4);
    let start = Isometry3::translation(0.3, -0.3, 0.05 + gap);
    let bodies = vec![floor(), (cuboid("cube", [0.05; 3], 1e3), start)];
    let options = IpcOptions { adaptation: Adaptation::Choose, range, ..IpcOptions::default() };
    let mut s = AffineSystem::new(bodies, &[], options).unwrap();
    let (x, kappa) = run(&mut s, 0.01, 20);
    let unit = BarrierSeed { dt: 1.0, distance: gap, range, separation: 0.0, stiffness: 1.0 };
    let expected = 9.81 / (4.0 * -2.0 * gap * unit.potential(gap * gap)[1]);
    // The gap is known to 1e-13 of 5e-4 m, and the force to some times that.
    assert!(kappa.iter().all(|k| (k - expected).abs() < 1e-8 * expected), "{:e} {expected:e}", kappa[0]);
    // It stays where it is, but for its own weight's dent: m g · 0.05 m/(8 k V) of 0.05 m is 3e-8 m.
    assert!((x.q[2] - 0.05 - gap).abs() < 1e-7, "{:e}", x.q[2] - 0.05 - gap);
}

#[test]
fn analytic_a_tight_fit_with_a_chosen_stiffness() {
    // A slab between two walls with 0.1 mm to either side, which the range exceeds: it slides down to the floor.
    let wall = |x: f64| (cuboid("wall", [0.05, 0.1, 0.1], 1e3).held(), Isometry3::translation(x, 0.0, 0.1));
    let bodies = vec![
        floor(),
        wall(-0.0551),
        wall(0.0551),
        (cuboid("slab", [0.005, 0.05, 0.05], 1e3), Isometry3::translation(3e-5, 0.0, 0.12)),
    ];
    let options = IpcOptions { adaptation: Adaptation::Choose, range: 2e-4, ..IpcOptions::default() };
    let mut s = AffineSystem::new(bodies, &[[0, 1], [0, 2], [1, 2]], options).unwrap();
    let (x, kappa) = run(&mut s, 5e-3, 60);
    assert!(kappa.iter().all(|k| *k == kappa[0]), "needed no more: {kappa:?}");
    // Down by 69.8 mm in 0.12 s, held in the middle by both walls.
    assert!((x.q[2] - 0.05).abs() < 2.5e-4 && x.q[0].abs() < 2e-5, "{:?}", &x.q[..3]);
}

#[test]
fn analytic_an_arm_comes_to_rest_on_the_floor() {
    // A rod on a hinge falls on its end: in the coordinates that joints leave, κ is chosen and raised as well.
    for (adaptation, stiffness) in [(Adaptation::Choose, 1.0), (Adaptation::Raise, 10.0)] {
        let post = (cuboid("post", [0.01; 3], 1e3).held(), Isometry3::translation(0.0, 0.0, 0.1));
        let rod = (cuboid("rod", [0.1, 0.02, 0.02], 1e3), Isometry3::translation(0.1, 0.0, 0.1));
        let kind = JointKind::Hinge { at: Point3::new(0.0, 0.0, 0.1), axis: Vector3::y(), half_length: 0.05 };
        let options = IpcOptions { adaptation, stiffness, ..IpcOptions::default() };
        let joint = Joint::new("hinge", [1, 2], kind);
        let mut s = AffineSystem::articulated(vec![floor(), post, rod], &[joint], &[], options).unwrap();
        let (x, kappa) = run(&mut s, 5e-3, 100);
        let weight = 0.32 * 9.81;
        let angle = s.joint_value(&x, 0).unwrap();
        // Its lower edge, 0.2 m along and 0.02 m below, is on the ground: 0.2 sin θ + 0.02 cos θ = 0.1, up to the range. Bent by 0.3 N·m on k V = 3.2e4 N·m, it is 2e-6 m off.
        let height = 0.1 - 0.2 * angle.sin() - 0.02 * angle.cos();
        assert!(
            height > -2e-6 && height < 1e-3 && x.v.iter().all(|v| v.abs() < 1e-3),
            "{height:e} {:?}",
            x.v
        );
        // The floor carries weight times arm over the arm of the edge, the hinge the rest; friction along the floor has its part in both.
        let floor = -s.contact_wrenches(Slot::Start).unwrap()[0][0];
        let hinge = s.joint_reactions(Slot::Start).unwrap()[0][0];
        let left: Vector3<f64> = floor + hinge - weight * Vector3::z();
        assert!(left.norm() < 1e-3 * weight, "{floor} {hinge}");
        println!("{adaptation:?}: κ from {:e} to {:e}", kappa[0], kappa[99]);
        assert!(kappa.windows(2).skip(60).all(|k| k[0] == k[1]), "{kappa:?}");
    }
}

#[test]
fn analytic_too_little_stiffness_recovers() {
    let light = |adaptation| {
        let bodies =
            vec![floor(), (cuboid("cube", [0.05; 3], 1e3), Isometry3::translation(0.0, 0.0, 0.0505))];
        let options = IpcOptions { adaptation, stiffness: 1.0, ..IpcOptions::default() };
        AffineSystem::new(bodies, &[], options).unwrap()
    };
    let gap = |s: &mut AffineSystem, x: &State| s.smallest_distance(x).unwrap().0;
    // Ten orders of magnitude too little: the cube comes to rest below a thousand-millionth of its diagonal.
    let near = 1e-9 * 0.03f64.sqrt();
    let mut s = light(Adaptation::Fixed);
    let (x, kappa) = run(&mut s, 0.01, 60);
    assert!(gap(&mut s, &x) < near && kappa.iter().all(|k| *k == 1.0), "{:e}", gap(&mut s, &x));
    println!("fixed: {:e} m of {near:e} m", gap(&mut s, &x));
    let mut s = light(Adaptation::Raise);
    let (x, kappa) = run(&mut s, 0.01, 60);
    println!("raised to {:e}: {:e} m", kappa[59], gap(&mut s, &x));
    // κ never falls, goes by doubling, and stops when the gap does not shrink any more.
    assert!(kappa.windows(2).all(|k| k[1] >= k[0] && (k[1] / k[0]).log2().fract() == 0.0), "{kappa:?}");
    assert!(kappa[59] > 1.0 && kappa[59] == kappa[40], "{kappa:?}");
    assert!(x.v.iter().all(|v| v.abs() < 1e-4), "{:?}", x.v);
}

#[test]
fn property_enough_stiffness_is_left_alone() {
    // Equal bit for bit to the run with κ fixed.
    let options = IpcOptions { orthogonality: 1e9, stiffness: 1e12, ..IpcOptions::default() };
    let (fixed, _) = run(&mut stack(options), 0.01, 30);
    let (raised, kappa) = run(&mut stack(IpcOptions { adaptation: Adaptation::Raise, ..options }), 0.01, 30);
    assert!(kappa.iter().all(|k| *k == 1e12) && fixed == raised);
}

#[test]
fn property_threads_change_no_bit_of_adaptive_runs() {
    // Balls of 320 triangles, so that work is spread.
    let ball = |name: &str, density| {
        let mesh = TriangleMesh::icosphere(0.05, 2).unwrap();
        AffineBody::solid(name, &mesh, density).unwrap().with_friction(0.3)
    };
    for adaptation in [Adaptation::Choose, Adaptation::Raise] {
        let end = |threads| {
            let bodies = vec![
                floor(),
                (ball("a", 1e3), Isometry3::translation(0.0, 0.0, 0.0504)),
                (ball("b", 2e3), Isometry3::translation(0.003, 0.002, 0.1506)),
                (ball("c", 1e3), Isometry3::translation(0.099, 0.01, 0.0506)),
            ];
            let options = IpcOptions { adaptation, stiffness: 1.0, threads, ..IpcOptions::default() };
            // Where balls meet with ten orders of magnitude too little, one solve takes more iterations than it has.
            walk(&mut AffineSystem::new(bodies, &[], options).unwrap(), 0.01, 20)
        };
        let (one, three) = (end(1), end(3));
        println!("{adaptation:?}: {} solves unconverged, κ {:e}", one.2, one.1[19]);
        assert!(one == three && one.1[19] > 1.0 && one.2 <= 1, "{adaptation:?}: {:?}", one.1);
    }
}

#[test]
fn analytic_a_raise_is_not_seen_by_line_searches() {
    let (dt, gap, way) = (0.01, 1e-10, 2e-11);
    let at = |adaptation, raise: bool| {
        let start = Isometry3::translation(0.3, -0.3, 0.05 + gap);
        let bodies = vec![floor(), (cuboid("cube", [0.05; 3], 1e3), start)];
        let options = IpcOptions { adaptation, stiffness: 1e3, ..IpcOptions::default() };
        let mut s = AffineSystem::new(bodies, &[], options).unwrap();
        let x = s.initial_state();
        s.prepare(Slot::Start, &x, dt).unwrap();
        let p = s.problem(Slot::Start, dt).unwrap();
        // 1e-10 m is below 1e-9 of the diagonal of 0.17 m; down by a fifth of it, and up again.
        let mut v = x.v.clone();
        v[2] = -way / dt;
        let before = p.value(&v).unwrap();
        p.relinearize(&v).unwrap();
        let after = p.value(&v).unwrap();
        assert!((after - before).abs() < 1e-12 * before.abs(), "{after} {before}");
        // Asked once for another solve with the new κ; then friction, which there is none of, is unchanged.
        assert_eq!([p.relag(&[]).unwrap(), p.relag(&[]).unwrap()], [raise, false]);
        p.relinearize(&x.v).unwrap();
        assert!(!p.relag(&[]).unwrap(), "it grows");
        s.contact_wrenches(Slot::Start).unwrap()[1][0].z
    };
    let (fixed, raised) = (at(Adaptation::Fixed, false), at(Adaptation::Raise, true));
    assert!((raised - 2.0 * fixed).abs() < 1e-9 * fixed, "{raised} {fixed}");
}

#[test]
fn property_rejected_steps_leave_the_stiffness() {
    // A step that is not taken raises nothing for good.
    let mut s = stack(IpcOptions { adaptation: Adaptation::Raise, stiffness: 1.0, ..IpcOptions::default() });
    let mut step = ContactStep::new(IpcSolver::default())
        .with_tolerance(Tolerance { relative: 1e-5, max_iterations: 300 });
    let x = s.initial_state();
    s.prepare(Slot::Start, &x, 0.05).unwrap();
    s.problem(Slot::Start, 0.05).unwrap();
    assert_eq!(s.stiffness(), 1.0);
    let mut next = State::default();
    step.step(&mut s, &x, 0.01, false, &mut next).unwrap();
    assert!(s.stiffness() >= 1.0);
}
