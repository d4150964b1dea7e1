//! Pins: weights that hang on them, momenta, anchors that move, a cantilever, refusals.

use std::f64::consts::TAU;

use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, OneStep, State, System, Tolerance};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Cloth, ClothMaterial, FixedCorotated, Lame, Material, MpmEngine, MpmError, MpmOptions, MpmSolver,
    MpmSystem, Obstacle, Particles, Pin, sheet,
};

const H: f64 = 0.04;
const GRAVITY: f64 = 9.81;

fn rubber() -> Vec<Box<dyn Material>> {
    vec![Box::new(FixedCorotated(Lame::new(1e5, 0.3).unwrap()))]
}

/// A cube of 0.12 m, 6³ particles; its uppermost layer is at z = 0.05 m.
fn cube() -> Particles {
    let mut p = Particles::default();
    p.lattice(Vector3::repeat(-0.05), 0.02, [6; 3], 1000.0, 8e-6, 0);
    p
}

fn top(p: &Particles) -> Vec<usize> {
    (0..p.len()).filter(|i| p.x[*i].z > 0.049).collect()
}

/// A ball above the cube.
fn hook() -> Obstacle {
    let surface = ContactMaterial::compliant(1e4, 1.0, 0.5);
    let pose = Isometry3::new(Vector3::new(0.02, -0.01, 0.3), Vector3::new(0.3, 0.5, -0.2));
    Obstacle::new("hook", Shape::Sphere { radius: 0.05 }, pose, surface)
}

fn system(p: Particles, obstacles: Vec<Obstacle>, options: MpmOptions) -> MpmSystem {
    MpmSystem::new(p, rubber(), vec![], obstacles, contact_pool("lagged").unwrap(), options).unwrap()
}

fn walk(s: &mut MpmSystem, dt: f64, steps: u32, mut each: impl FnMut(&mut MpmSystem, &State)) -> State {
    let tight = Tolerance { relative: 1e-12, max_iterations: 200 };
    let mut step = ContactStep::new(IcfSolver::default()).with_tolerance(tight);
    let (mut x, mut next) = (s.initial_state(), State::default());
    for _ in 0..steps {
        step.step(s, &x, dt, false, &mut next).unwrap();
        std::mem::swap(&mut x, &mut next);
        each(s, &x);
    }
    x
}

#[test]
fn analytic_a_pin_carries_the_weight_that_hangs_on_it() {
    // Rigid, and on springs that give by m g/Σ k; settled in 1 s by the damping of strain rates.
    let options = MpmOptions { spacing: H, damping_time: 2e-3, ..MpmOptions::default() };
    for spring in [f64::INFINITY, 2e3] {
        let p = cube();
        let (weight, chosen) = (p.mass.iter().sum::<f64>() * GRAVITY, top(&p));
        let pins = Pin::all(&p, chosen.iter().copied(), Some(0), &[hook()]).unwrap();
        let damping = if spring.is_finite() { 20.0 } else { 0.0 };
        let pins = pins.into_iter().map(|pin| pin.spring(spring, damping)).collect();
        let mut s = system(p.clone(), vec![hook()], options).with_pins(pins).unwrap();
        let dt = 5e-4;
        let mut late = Vec::new();
        let x = walk(&mut s, dt, 2000, |s, x| {
            if x.t > 0.9 {
                late.push(s.impulses()[0]);
            }
        });
        let mean = |i: usize| late.iter().map(|l| l[i]).sum::<Vector3<f64>>() / (dt * late.len() as f64);
        let (force, moment) = (mean(0), mean(1));
        println!("{spring}: force {force}, moment {moment} of {weight}");
        assert!((force + weight * Vector3::z()).norm() < 1e-3 * weight, "{force} {weight}");
        // The cube is about the axis z, the hook's origin beside it.
        let arm = -hook().pose.translation.vector;
        let exact = arm.cross(&(-weight * Vector3::z()));
        assert!((moment - exact).norm() < 2e-3 * weight * arm.norm(), "{moment} {exact}");
        let now = s.particles(&x).unwrap();
        let given = chosen.iter().map(|i| p.x[*i].z - now.x[*i].z).sum::<f64>() / chosen.len() as f64;
        let sag = weight / (spring * chosen.len() as f64);
        assert!((given - sag).abs() < 1e-3 * sag + 1e-6, "{given} {sag}");
        let energy = s.energy(&x).contact;
        let held = 0.5 * weight * sag;
        assert!(energy >= 0.99 * held && energy < 1.5 * held + 1e-12, "{energy} {held}");
    }
}

#[test]
fn analytic_what_pins_give_obstacles_particles_lose() {
    let p = cube();
    let hook = Obstacle {
        velocity: Vector3::new(0.2, -0.1, 0.4),
        angular_velocity: Vector3::new(1.0, 2.0, -3.0),
        ..hook()
    };
    for (spring, damping) in [(f64::INFINITY, 0.0), (500.0, 0.0), (500.0, 5.0)] {
        let pins = Pin::all(&p, top(&p), Some(0), std::slice::from_ref(&hook)).unwrap();
        let pins = pins.into_iter().map(|pin| pin.spring(spring, damping)).collect();
        let options = MpmOptions { spacing: H, gravity: Vector3::zeros(), ..MpmOptions::default() };
        let mut s = system(p.clone(), vec![hook.clone()], options).with_pins(pins).unwrap();
        let size = p.mass.iter().sum::<f64>();
        let mut before = s.initial_state();
        walk(&mut s, 5e-4, 60, |s, x| {
            let (was, now) = (s.particles(&before).unwrap(), s.particles(x).unwrap());
            let [impulse, moment] = s.impulses()[0];
            assert!(impulse.norm() > 1e-6, "{impulse}");
            let change = now.momentum() - was.momentum();
            // Of particles where they were: stresses turn the grid's momentum over a step in which nodes do not move.
            let mut there = now.clone();
            there.x.clone_from(&was.x);
            let turn = there.angular_momentum(H) - was.angular_momentum(H);
            let origin = s.obstacles()[0].pose.translation.vector;
            assert!((change + impulse).norm() < 1e-11 * size, "{change} {impulse}");
            assert!((turn + moment + origin.cross(&impulse)).norm() < 1e-11 * size, "{turn} {moment}");
            before.copy_from(x);
        });
    }
}

#[test]
fn analytic_an_anchor_that_moves_drags_the_body() {
    // Led to and fro by 0.1 m along a sine of 1 s, and turned by 0.3 rad beside: pinned particles stay at their anchors to the way of one step, the cube comes along.
    let p = cube();
    let pins = Pin::all(&p, top(&p), Some(0), &[hook()]).unwrap();
    let options = MpmOptions { spacing: H, damping_time: 5e-3, ..MpmOptions::default() };
    let mut s = system(p, vec![hook()], options).with_pins(pins.clone()).unwrap();
    let (dt, start) = (5e-4, hook().pose.translation.vector);
    let way = |t: f64| 0.05 * (1.0 - (TAU * t).cos()) * Vector3::x();
    let mut middle = Vec::new();
    let lead = |s: &mut MpmSystem, t: f64| {
        let turn = Isometry3::rotation(0.15 * (1.0 - (TAU * t).cos()) * Vector3::z());
        let next = Isometry3::rotation(0.15 * (1.0 - (TAU * (t + dt)).cos()) * Vector3::z());
        let o = &mut s.obstacles_mut()[0];
        o.pose = Isometry3::from_parts((start + way(t)).into(), turn.rotation * hook().pose.rotation);
        o.velocity = (way(t + dt) - way(t)) / dt;
        o.angular_velocity = (next.rotation * turn.rotation.inverse()).scaled_axis() / dt;
    };
    lead(&mut s, 0.0);
    walk(&mut s, dt, 1000, |s, x| {
        lead(s, x.t);
        let now = s.particles(x).unwrap();
        for pin in &pins {
            let off = (now.x[pin.particle] - pin.place(s.obstacles())).norm();
            assert!(off < 1e-4, "{off} at {}", x.t);
        }
        middle.push(now.x.iter().sum::<Vector3<f64>>() / now.len() as f64);
    });
    // At 0.5 s, at the far end: the cube swings a little about where it hangs.
    let end = middle[middle.len() - 1];
    println!("{end}");
    assert!((end - way(0.5)).xy().norm() < 0.015, "{end}");
}

#[test]
fn analytic_pinned_particles_do_not_meet_their_obstacle() {
    // A cube in a ball that holds it: nothing pushes it out, but for a particle that is pinned to the world.
    let p = cube();
    let around = Obstacle { shape: Shape::Sphere { radius: 0.5 }, pose: Isometry3::identity(), ..hook() };
    let options = MpmOptions { spacing: H, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let pins = Pin::all(&p, 0..p.len(), Some(0), std::slice::from_ref(&around)).unwrap();
    let mut s = system(p.clone(), vec![around.clone()], options).with_pins(pins).unwrap();
    let x = walk(&mut s, 5e-4, 5, |s, _| assert!(s.impulses()[0][0].norm() < 1e-12));
    assert!(s.energy(&x).contact == 0.0);
    let mut pins = Pin::all(&p, 1..p.len(), Some(0), std::slice::from_ref(&around)).unwrap();
    pins.extend(Pin::all(&p, [0], None, &[]).unwrap());
    let mut s = system(p, vec![around], options).with_pins(pins).unwrap();
    walk(&mut s, 5e-4, 5, |s, _| assert!(s.impulses()[0][0].norm() > 1e-3));
}

/// Mean sag of the end of a strip of this length \[m\] that is held at its other end, on a grid of spacing h, over one vibration, and that of a plate \[m\].
fn cantilever(h: f64, length: f64) -> [f64; 2] {
    let (rigidity, density, thickness, gravity) = (1e-3, 500.0, 2e-3, 3.125e-3);
    let m = ClothMaterial::new(5e4, 0.0, density, thickness).unwrap().with_bending(rigidity).unwrap();
    let edge = 0.8 * h;
    // Two edges more are held.
    let n = (length / edge).round() as usize + 2;
    let mesh = sheet([n as f64 * edge, 4.0 * edge], [n, 4]).unwrap();
    let shift = (0.5 * n as f64 - 2.0) * edge;
    let place = |x: &Point3<f64>| Point3::new(x.x + shift, x.y + 0.3 * h, 0.2 * h);
    let vertices: Vec<_> = mesh.vertices().iter().map(place).collect();
    let mut p = Particles::default();
    let cloth = Cloth::new(&mut p, &vertices, mesh.triangles(), m).unwrap();
    let held = cloth.vertices().filter(|v| p.x[*v].x < 1e-9);
    let pins = Pin::all(&p, held, None, &[]).unwrap();
    let ends: Vec<usize> = cloth.vertices().filter(|v| p.x[*v].x > length - 1e-9).collect();
    assert_eq!((pins.len(), ends.len()), (15, 5));
    let plate = density * thickness * gravity * length.powi(4) / (8.0 * rigidity);
    let gravity = -gravity * Vector3::z();
    let options = MpmOptions { spacing: h, gravity, courant: 1.0, ..MpmOptions::default() };
    let e = MpmEngine::<f64>::new(p, vec![], vec![], vec![], contact_pool("lagged").unwrap(), options);
    let tight = Tolerance { relative: 1e-8, max_iterations: 200 };
    let e = e.unwrap().with_solver(Box::new(MpmSolver::default()), tight);
    let mut e = e.with_cloth(cloth).unwrap().with_pins(pins).unwrap();
    let dt = 0.99 * e.longest_step();
    let (mut sum, mut steps, mut last, mut back) = (0.0, 0u32, 0.0, false);
    loop {
        e.step(dt).unwrap();
        let p = e.particles();
        let sag = ends.iter().map(|v| 0.2 * h - p.x[*v].z).sum::<f64>() / ends.len() as f64;
        // Down, and back up to where it turns again.
        if back && sag > last {
            break;
        }
        back |= sag < last;
        (sum, steps, last) = (sum + sag, steps + 1, sag);
        assert!(steps < 20_000);
    }
    println!("h {h}: period {:.3} s, {steps} steps", dt * f64::from(steps));
    [sum / f64::from(steps), plate]
}

#[test]
fn order_a_cantilever_sags_as_a_plate() {
    // q L⁴/(8 D) in the mean over a vibration, since it falls from where it is straight. The edge at which it is held bends over half an edge on either side, of which a plate has one: 2 |e|/L more. Ends of the grid add errors of first order too.
    // Lengths are whole numbers of edges of 0.8 h.
    let length = 0.4;
    let errors = [0.05, 0.025].map(|h| {
        let [found, plate] = cantilever(h, length);
        println!("h {h}: {found:e} m, of a plate {plate:e} m");
        assert!(plate < 0.1 * length, "small");
        found / plate - 1.0
    });
    println!("{errors:?}");
    assert!(errors[1].abs() < 0.15 && errors[1].abs() < 0.7 * errors[0].abs(), "{errors:?}");
}

#[test]
fn regression_refusals_name_pin_and_remedy() {
    let p = cube();
    let says = |e: MpmError, words: [&str; 2]| {
        let text = e.to_string();
        assert!(words.iter().all(|w| text.contains(w)), "{text}");
    };
    says(Pin::all(&p, [], None, &[]).unwrap_err(), ["no particle", "choose some"]);
    says(Pin::all(&p, [p.len()], None, &[]).unwrap_err(), ["particle 216", "from 0 on"]);
    says(Pin::all(&p, [0], Some(1), &[hook()]).unwrap_err(), ["obstacle 1", "world"]);
    let good = Pin::all(&p, [3], Some(0), &[hook()]).unwrap()[0];
    let bad = [
        (Pin { particle: 500, ..good }, ["particle 500", "from 0 on"]),
        (Pin { obstacle: Some(2), ..good }, ["obstacle 2", "world"]),
        (Pin { anchor: Vector3::repeat(f64::NAN), ..good }, ["anchor of the pin of particle 3", "finite"]),
        (good.spring(0.0, 0.0), ["stiffness of the pin of particle 3", "N/m > 0"]),
        (good.spring(f64::NAN, 0.0), ["stiffness of the pin of particle 3", "N/m > 0"]),
        (good.spring(1.0, -1.0), ["damping of the pin of particle 3", "0 or more"]),
        (good.spring(1.0, f64::INFINITY), ["damping of the pin of particle 3", "0 or more"]),
    ];
    for (pin, words) in bad {
        let s = system(p.clone(), vec![hook()], MpmOptions::default());
        says(s.with_pins(vec![pin]).err().unwrap(), words);
    }
    let s = system(p, vec![hook()], MpmOptions::default());
    says(
        s.with_pins(vec![good, good]).err().unwrap(),
        ["particle 3 is pinned to obstacle 0 twice", "one pin"],
    );
}
