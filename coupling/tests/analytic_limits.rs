//! The longest step that the splitting allows: the printed limit beside the step at which small oscillations grow.

use crate::common;

use common::{Split, rubber, surface, tight};
use signorini_core::State;
use signorini_core::na::{DVector, Point3, Vector3};
use signorini_coupling::{Asynchronous, Limit, obstacles};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{Border, MpmOptions, MpmSolver, MpmSystem, Particles, Wall};
use signorini_multibody::{Kinematics, RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

/// Depth of the points \[m\], and stiffness of their contacts \[N/m\].
const DEPTH: f64 = 1e-5;
const STIFFNESS: f64 = 1e4;

/// Bodies on heavy points that the walls of the grid hold, without gravity, and how bodies meet them.
#[derive(Clone)]
struct Bed {
    text: String,
    /// Number of the geom, place of its surface that is pressed \[m\], normal out of it.
    pressed: Vec<(usize, Vector3<f64>, Vector3<f64>)>,
    substeps: u32,
    moving: bool,
    /// Dissipation of contacts \[s/m\], and their friction.
    dissipation: f64,
    friction: f64,
    /// Mass of a point \[kg\].
    mass: f64,
}

impl Bed {
    fn new(bodies: &str, pressed: &[(usize, Vector3<f64>, Vector3<f64>)]) -> Self {
        Self::with_motors(bodies, "", pressed)
    }

    fn with_motors(bodies: &str, motors: &str, pressed: &[(usize, Vector3<f64>, Vector3<f64>)]) -> Self {
        let text = format!(
            "<mujoco><compiler angle='radian'/><option gravity='0 0 0'/><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>"
        );
        let pressed = pressed.to_vec();
        Self { text, pressed, substeps: 1, moving: false, dissipation: 0.0, friction: 0.0, mass: 1e3 }
    }

    /// Two plates on slides along an axis, both on one light point between them, and the gains of their motors.
    fn between(axis: &str, motors: Option<&str>) -> Self {
        let plate = |name: &str, z: f64| {
            format!(
                "<body pos='0 0 {z}'><joint name='{name}' type='slide' axis='{axis}'/>\
                 <geom type='box' size='.1 .06 .04' mass='.2' contype='0' conaffinity='0'/></body>"
            )
        };
        let bodies = [plate("lower", DEPTH - 0.04), plate("upper", 0.04 - DEPTH)].concat();
        let pressed = [
            (0, Vector3::new(0.0, 0.0, DEPTH), Vector3::z()),
            (1, Vector3::new(0.0, 0.0, -DEPTH), -Vector3::z()),
        ];
        let motor =
            |joint| motors.map_or(String::new(), |gains| format!("<position joint='{joint}' {gains}/>"));
        let motors = ["lower", "upper"].map(motor).concat();
        Self { mass: 1e-3, ..Self::with_motors(&bodies, &motors, &pressed) }
    }

    /// In balance: forces on the bodies are those of the contacts, turned round.
    fn build(&self) -> (Split, State, State) {
        let scene = Scene::from_mjcf(&self.text, "bed.xml", &LoadOptions::default()).unwrap();
        let geoms: Vec<usize> = (0..scene.geoms.len()).collect();
        let met = obstacles(&scene, &geoms, surface(STIFFNESS, self.dissipation, self.friction)).unwrap();
        let law = || contact_pool("lagged").unwrap();
        let mut rigid = RigidSystem::new(&scene, &*law(), RigidOptions::default()).unwrap();
        let mut y = rigid.initial_state(None).unwrap();
        let mut kin = Kinematics::new(rigid.model());
        kin.set_positions(rigid.model(), &y.q, &[]);
        let (mut particles, mut force) = (Particles::default(), vec![0.0; y.v.len()]);
        for (geom, x, n) in &self.pressed {
            let x = x - DEPTH * n;
            // One point may be pressed by two geoms.
            if particles.x.iter().all(|other| (x - other).norm() > 1e-9) {
                particles.lattice(x, 1.0, [1; 3], 1e3 * self.mass, 1e-3, 0);
            }
            kin.for_columns(rigid.model(), scene.geoms[*geom].body, &Point3::from(x), |dof, linear, _| {
                force[dof] += STIFFNESS * DEPTH * linear.dot(n);
            });
        }
        rigid.applied_force_mut().copy_from_slice(&force);
        let held = Wall { point: Vector3::repeat(1e3), normal: Vector3::z(), border: Border::Sticky };
        let options = MpmOptions { spacing: 0.1, gravity: Vector3::zeros(), ..MpmOptions::default() };
        let points = MpmSystem::new(particles, rubber(1.0, 0.3), vec![held], met, law(), options).unwrap();
        let x = points.initial_state();
        let point_step = ContactStep::new(MpmSolver::default()).with_tolerance(tight());
        let body_step = ContactStep::new(IcfSolver::default()).with_tolerance(tight());
        let mut c =
            Asynchronous::new(&scene, &geoms, (points, point_step), rigid, body_step, self.substeps).unwrap();
        c = c.with_moving_bodies(self.moving);
        // A push that all modes have a part in.
        (0..y.v.len()).for_each(|i| y.v[i] = 1e-7 * (1.0 + i as f64).cos());
        (c, x, y)
    }

    /// Whether small oscillations grow at a step \[s\], and the limits that are printed.
    fn grows(&self, dt: f64) -> (bool, Vec<Limit>) {
        let (mut c, mut x, mut y) = self.build();
        let (mut speeds, mut limits) = (Vec::new(), Vec::new());
        for _ in 0..400 {
            // One that flies apart ends somewhere else.
            if c.step(&mut x, &mut y, dt).is_err() || y.v.iter().any(|v| v.abs() > 1e-4) {
                return (true, limits);
            }
            if limits.is_empty() {
                limits = c.limits();
            }
            speeds.push(DVector::from_column_slice(&y.v));
        }
        // Second differences: bodies may drift, and slowly fall over, where nothing holds them.
        let rough: Vec<f64> = speeds.windows(3).map(|s| (&s[0] - 2.0 * &s[1] + &s[2]).amax()).collect();
        let largest = |s: &[f64]| s.iter().copied().fold(0.0, f64::max);
        (largest(&rough[320..]) > 2.0 * largest(&rough[..80]), limits)
    }

    /// The longest step \[s\] at which small oscillations do not grow, between two, by halving.
    fn longest(&self, [mut low, mut high]: [f64; 2], what: &str) -> f64 {
        assert!(!self.grows(low).0 && self.grows(high).0, "{what}: {low} to {high}");
        while high > 1.005 * low {
            let middle = (low * high).sqrt();
            if self.grows(middle).0 { high = middle } else { low = middle }
        }
        low
    }

    /// Compares the longest step with the printed limit.
    fn check(&self, what: &str, body_mass: f64) {
        let within = |(dt, limits): (f64, &[Limit])| {
            limits.iter().all(|l| l.contacts == 0 || l.used(dt, dt / f64::from(self.substeps)) < 1.0)
        };
        let guess = self.grows(1e-5).1.iter().map(|l| l.step(0.0)).fold(f64::INFINITY, f64::min);
        let low = self.longest([0.3 * guess, 8.0 * guess], what);
        let limits = self.grows(low).1;
        let tightest =
            limits.iter().filter(|l| l.contacts > 0).min_by(|a, b| a.step(0.0).total_cmp(&b.step(0.0)));
        let tightest = *tightest.unwrap();
        let printed = tightest.step(low / f64::from(self.substeps));
        let count = f64::from(tightest.contacts);
        let plain = Limit { stiff: count * STIFFNESS / body_mass, rate: 0.0, ..tightest };
        let plain = plain.step(low / f64::from(self.substeps));
        println!(
            "{what}: grows from {low:.4e} s on, printed {printed:.4e} s ({:.4} kg), mass of the body alone {plain:.4e} s ({body_mass:.4} kg)",
            tightest.mass
        );
        assert!((printed / low - 1.0).abs() < 0.03, "{what}: {printed} {low}");
        assert!((plain / low - 1.0).abs() > 0.15, "{what}: {plain} {low}");
        // As it is asked: below and above.
        assert!(within((0.95 * low, &self.grows(0.95 * low).1)), "{what}");
        assert!(!within((1.05 * low, &limits)), "{what}");
    }

    fn with_dissipation(self, dissipation: f64) -> Self {
        Self { dissipation, ..self }
    }

    fn all(self, what: &str, body_mass: f64) {
        for (substeps, moving) in [(1, false), (4, false), (4, true)] {
            let bed = Self { substeps, moving, ..self.clone() };
            bed.check(&format!("{what}, {substeps} substeps, moving {moving}"), body_mass);
        }
    }
}

#[test]
fn analytic_a_free_box_turns_on_what_presses_its_edge() {
    let text = "<body><freejoint/><geom type='box' size='.1 .06 .04' mass='.5'/></body>";
    let down = -Vector3::z();
    let at = |x: f64, y: f64| (0, Vector3::new(x, y, -0.04), down);
    Bed::new(text, &[at(0.08, 0.05)]).all("one corner", 0.5);
    Bed::new(text, &[at(0.09, 0.05), at(-0.09, 0.05), at(0.09, -0.05), at(-0.09, -0.05)])
        .all("four corners", 0.5);
    // Dampers explicit in its velocity ask for a step nine times shorter than springs.
    Bed::new(text, &[at(0.08, 0.05)]).with_dissipation(3e3).all("one corner, damped", 0.5);
}

#[test]
fn analytic_a_free_body_that_is_pressed_through_its_middle_weighs_its_mass() {
    let text = "<body pos='0 0 .2'><freejoint/><geom type='box' size='.1 .06 .04' mass='.5'/></body>";
    let bed = Bed::new(text, &[(0, Vector3::new(0.0, 0.0, 0.16), -Vector3::z())]);
    let l = bed.grows(1e-4).1[0];
    // Round-off of an eigenvalue, and of how far the body turned before.
    assert!((l.mass - 0.5).abs() < 1e-9 && l.contacts == 1 && l.surface == 1e3, "{l:?}");
    let substep = 1e-5;
    let step = l.step(substep);
    // δt = 2 √(m/(n k (1 + 2 δ/δt))), and that of bodies that move.
    let by_hand = |factor: f64| 2.0 * (0.5 / (STIFFNESS * factor)).sqrt();
    assert!((step / by_hand(1.0 + 2.0 * substep / step) - 1.0).abs() < 1e-9);
    let moving = Limit { moving: true, ..l };
    let step = moving.step(substep);
    assert!((step / by_hand(2.0 + substep / step) - 1.0).abs() < 1e-9);
    assert!(moving.used(0.999 * step, substep) < 1.0 && moving.used(1.001 * step, substep) > 1.0);
}

/// Two boxes of one tree that slide along z, the lower one on the upper: in their own heights the inertia is diag(0.2, 0.3) kg, so each weighs its mass where it is pressed, and λ of both is k/0.2.
#[test]
fn analytic_geoms_of_a_tree_weigh_what_their_own_contacts_feel() {
    let text = "<body pos='0 0 .2'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .06 .04' mass='.2'/>\
        <body pos='0 0 -.2'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .06 .04' mass='.3'/></body></body>";
    let upper = (0, Vector3::new(0.0, 0.0, 0.16), -Vector3::z());
    let lower = (1, Vector3::new(0.0, 0.0, -0.04), -Vector3::z());
    let limits = |pressed: &[_]| Bed::new(text, pressed).grows(1e-4).1;
    let both = limits(&[upper, lower]);
    for (i, (alone, mass)) in [(limits(&[upper]), 0.2), (limits(&[lower]), 0.3)].iter().enumerate() {
        // Round-off of an eigenvalue.
        for l in [alone[i], both[i]] {
            assert!((l.mass - mass).abs() < 1e-9 && l.contacts == 1, "{l:?}");
        }
        assert!((alone[i].stiff * mass / STIFFNESS - 1.0).abs() < 1e-9, "{:?}", alone[i]);
        assert!((both[i].stiff * 0.2 / STIFFNESS - 1.0).abs() < 1e-9, "{:?}", both[i]);
    }
}

#[test]
fn analytic_a_panel_on_a_hinge_weighs_its_moment_of_inertia() {
    let panel = |joint: &str| {
        format!(
            "<body pos='0 0 .3'><joint type='hinge' axis='0 1 0' {joint}/>\
             <geom type='box' pos='0 0 -.15' size='.01 .1 .15' mass='.4'/></body>"
        )
    };
    let at = |y: f64, z: f64| (0, Vector3::new(0.01, y, z), Vector3::x());
    let low = [at(0.05, 0.02), at(-0.05, 0.02)];
    Bed::new(&panel(""), &low).all("panel", 0.4);
    Bed::new(&panel(""), &[at(0.05, 0.25), at(-0.05, 0.25)]).all("panel, near its hinge", 0.4);
    // Springs and dampers that are implicit in the step hold it as well.
    Bed::new(&panel("armature='.02' damping='6' stiffness='2000'"), &low)
        .all("panel with spring and damper", 0.4);
    // So do those of motors.
    let motor = "<position joint='j' kp='2000' kv='6'/>";
    Bed::with_motors(&panel("name='j' armature='.02'"), motor, &low).all("panel with motor", 0.4);
}

/// Two fingers that close on one light point: it cannot follow both, whatever its substep.
#[test]
fn analytic_a_sheet_between_two_fingers_limits_the_step() {
    // Another mass than that of the limit, which is to differ.
    let motors = Some("kp='4000' kv='20'");
    for (what, motors, other) in [("free fingers", None, 0.4), ("fingers of motors", motors, 0.2)] {
        let bed = Bed::between("0 0 1", motors);
        let l = bed.grows(1e-3).1[0];
        assert!(l.soft_substep() < 5e-4 && 0.5 * l.surface / l.mass < 1e-2, "{l:?}");
        bed.all(what, other);
    }
}

/// Two plates that rub on one light point between them: friction that holds is a damper, which pushes them back and forth in longer steps.
#[test]
fn analytic_friction_of_a_sheet_between_two_plates_limits_the_step() {
    let motors = Some("kp='400' kv='5'");
    for (what, motors) in [("free plates", None), ("plates of motors", motors)] {
        for (substeps, moving) in [(1, false), (1, true), (4, false), (4, true)] {
            let bed = Bed { friction: 0.3, substeps, moving, ..Bed::between("1 0 0", motors) };
            let printed = |dt: f64| bed.grows(dt).1[0].step_where_stuck();
            let guess = printed(1e-3);
            let low = bed.longest([0.2 * guess, 6.0 * guess], what);
            println!(
                "{what}, {substeps} substeps: grows from {low:.4e} s on, printed {:.4e} s",
                printed(low)
            );
            assert!((printed(low) / low - 1.0).abs() < 0.03, "{what}: {} {low}", printed(low));
        }
    }
}

#[test]
fn analytic_an_arm_of_two_links_weighs_what_its_joints_let_it() {
    let text = "<body><joint type='hinge' axis='0 1 0'/><geom type='box' pos='.15 0 0' size='.15 .02 .02' mass='.6'/>\
        <body pos='.3 0 0'><joint type='hinge' axis='0 1 0'/><geom type='box' pos='.1 0 0' size='.1 .02 .02' mass='.3'/></body></body>";
    let down = -Vector3::z();
    let tip = (1, Vector3::new(0.48, 0.0, -0.02), down);
    Bed::new(text, &[tip]).all("arm at its tip", 0.3);
    let upper = (0, Vector3::new(0.25, 0.0, -0.02), down);
    Bed::new(text, &[tip, upper]).all("arm at its tip and upper link", 0.3);
}
