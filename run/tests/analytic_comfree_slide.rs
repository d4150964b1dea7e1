//! Sliding bodies under comfree have Coulomb's friction: they are braked by μ g, stay on the ground, and stop for good.

use std::fmt::Write;

use signorini_comfree::Sweeps;
use signorini_core::na::Vector3;
use signorini_core::{AcceptedStep, SolveStatus, StepObserver};
use signorini_laws::DualCone;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::rng::Rng;

const G: f64 = 9.81;

fn scene(text: &str) -> Scene {
    Scene::from_mjcf(text, "slide.xml", &LoadOptions::default()).unwrap()
}

/// Steps of a run: highest centre over that of the start \[m\], and the velocity of the first body after each.
#[derive(Default)]
struct Watch {
    start: f64,
    rise: f64,
    v: Vec<[f64; 3]>,
}

impl StepObserver for Watch {
    fn accepted(&mut self, s: &AcceptedStep<'_>) {
        if self.v.is_empty() {
            self.start = s.x0.q[2];
        }
        self.rise = self.rise.max(s.x1.q[2] - self.start);
        self.v.push([s.x1.v[0], s.x1.v[1], s.x1.v[2]]);
    }
}

/// A box or ball of half size 0.05 m on a plane, put down with a speed along an angle.
fn slide(geom: &str, (mu, v, angle, dt): (f64, f64, f64, f64), engine: &Method) -> (Watch, f64) {
    let text = format!(
        "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='{mu}'/>
         <body pos='0 0 .05'><freejoint/><geom {geom} friction='{mu}'/></body></worldbody></mujoco>"
    );
    let scene = scene(&text);
    let mut sys = engine.system(&scene).unwrap();
    let mut x = sys.initial_state(None).unwrap();
    (x.v[0], x.v[1]) = (v * angle.cos(), v * angle.sin());
    let mut watch = Watch::default();
    let t = 1.2 * v / (mu * G) + 5.0 * dt;
    engine.integrator().unwrap().advance(&mut sys, &mut x, t, &mut watch).unwrap();
    (watch, x.q[0].hypot(x.q[1]))
}

#[test]
fn analytic_a_box_slides_to_its_stop_on_the_ground() {
    // From μ = 1 on a cube tips over.
    for mu in [0.05, 0.3, 0.8] {
        for v in [0.5, 3.0] {
            for dt in [1e-3, 1e-2] {
                for angle in [0.0, std::f64::consts::FRAC_PI_4] {
                    let case = (mu, v, angle, dt);
                    let cube = "type='box' size='.05 .05 .05'";
                    let (watch, way) = slide(cube, case, &Method::comfree().with_step(dt));
                    // Velocities first, then positions: the way of the first step is short by half of it.
                    let expected = v * v / (2.0 * mu * G) - 0.5 * v * dt;
                    assert!((way / expected - 1.0).abs() < 0.01, "{case:?}: {way} m, not {expected}");
                    assert!(watch.rise < 1e-4 + 1e-2 * mu * v * dt, "{case:?}: rises by {} m", watch.rise);
                    let back = watch.v.iter().map(|v| -v[0]).fold(0.0, f64::max);
                    // A hundredth of the speed that gravity gives in a step.
                    assert!(back < 0.01 * G * dt, "{case:?}: comes back at {back} m/s");
                }
            }
        }
    }
}

#[test]
fn analytic_a_ball_slides_until_it_rolls() {
    for dt in [1e-3, 1e-2] {
        let case = (0.4, 2.0, 0.0, dt);
        let (watch, _) = slide("type='sphere' size='.05'", case, &Method::comfree().with_step(dt));
        assert!((watch.v.last().unwrap()[0] - 2.0 * 5.0 / 7.0).abs() < 0.01, "{:?}", watch.v.last());
        assert!(watch.rise < 1e-4, "{dt} s: {} m", watch.rise);
    }
}

/// Without the switch the dual cone throws it up by up to (μ v)²/2g, as the paper's law and convex ones do.
#[test]
fn analytic_the_dual_cone_throws_up_what_slides() {
    let law = DualCone { coulomb_slip: None, ..DualCone::remembering(1.0) };
    let engine = Method::comfree_with(law, Sweeps::default()).with_step(2e-3);
    let (mu, v) = (0.5, 3.0);
    let (watch, _) = slide("type='box' size='.05 .05 .05'", (mu, v, 0.0, 2e-3), &engine);
    let most = (mu * v) * (mu * v) / (2.0 * G);
    assert!((0.2 * most..most).contains(&watch.rise), "{} m of {most}", watch.rise);
}

/// Counts contacts that slide and their deviation from Coulomb's law, in steps that converged.
#[derive(Default)]
struct Coulomb {
    friction: Vec<f64>,
    sliding: u32,
    steps: [u32; 2],
    opening: f64,
    outside: f64,
    against: f64,
}

impl StepObserver for Coulomb {
    fn accepted(&mut self, s: &AcceptedStep<'_>) {
        let solution = s.last.solution;
        let converged = solution.status == SolveStatus::Converged;
        self.steps[usize::from(converged)] += 1;
        if !converged {
            return;
        }
        for c in s.last.contacts {
            let at = 3 * c.constraint as usize;
            let row = |x: &[f64]| Vector3::new(x[at], x[at + 1], x[at + 2]);
            let (f, u) = (row(&solution.gamma), row(&solution.v_c));
            let mu = c.geoms.iter().map(|g| self.friction[*g as usize]).fold(0.0, f64::max);
            let (pull, slip) = (f.yz(), u.yz());
            self.outside = self.outside.max(pull.norm() - mu * f.x);
            // Slips well above `coulomb_slip`, under a load that counts.
            if slip.norm() > 0.3 && f.x > 1e-4 {
                self.sliding += 1;
                let gap = c.gap.max(0.0) / s.last.dt;
                self.opening = self.opening.max(u.x + gap);
                self.against = self.against.max(1.0 + pull.dot(&slip) / (mu * f.x * slip.norm()));
            }
        }
    }
}

/// Tumbling bodies of several frictions: sliding contacts do not open, and are braked along their slip by the part of μ f_n that a polygon of eight directions leaves.
#[test]
fn property_sliding_contacts_keep_coulombs_law() {
    let (mut sliding, mut steps) = (0, [0; 2]);
    for seed in 0..6 {
        let r = &mut Rng::new(seed);
        let mut friction = vec![0.1];
        let mut bodies = String::new();
        for i in 0..8 {
            let (mu, z) = (0.2 + 0.1 * f64::from(i), 0.1 + 0.12 * f64::from(i / 4));
            friction.push(mu);
            let (x, y) = (0.25 * f64::from(i % 2), 0.25 * f64::from(i / 2 % 2));
            let shape = ["box' size='.05 .05 .05", "sphere' size='.05"][r.below(2)];
            write!(
                bodies,
                "<body pos='{x} {y} {z}'><freejoint/><geom type='{shape}' friction='{mu}'/></body>"
            )
            .unwrap();
        }
        let text = format!(
            "<mujoco><worldbody><geom type='plane' size='9 9 1' friction='.1'/>{bodies}</worldbody></mujoco>"
        );
        let dt = [1e-3, 5e-3][seed as usize % 2];
        let engine = Method::comfree().with_step(dt);
        let scene = scene(&text);
        let mut sys = engine.system(&scene).unwrap();
        let mut x = sys.initial_state(None).unwrap();
        x.v.iter_mut().for_each(|v| *v = r.normal());
        let mut seen = Coulomb { friction, ..Coulomb::default() };
        engine.integrator().unwrap().advance(&mut sys, &mut x, 0.5, &mut seen).unwrap();
        assert!(seen.outside < 1e-9, "{seed}: out of the cone by {} N·s", seen.outside);
        // The end of sweeps is at 1e-5 to 1e-4 m/s; v_s = 3 cm/s leaves μ v_s²/slip of the opening.
        assert!(seen.opening < 4e-3, "{seed}: opens at {} m/s", seen.opening);
        assert!(seen.against < 1.0 - (std::f64::consts::PI / 8.0).cos() + 0.03, "{seed}: {}", seen.against);
        (sliding, steps) = (sliding + seen.sliding, [steps[0] + seen.steps[0], steps[1] + seen.steps[1]]);
    }
    assert!(sliding > 300 && steps[1] > steps[0], "{sliding} slide; {steps:?} steps, not and converged");
}
