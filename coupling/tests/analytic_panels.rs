//! A rubber cube that two panels press and carry; momenta of points and bodies together.

use crate::common;

use std::sync::Arc;

use common::{Split, cube, panel_scene, panels, surface};
use signorini_core::na::{Quaternion, UnitQuaternion, Vector3};
use signorini_core::{State, Tolerance};
use signorini_coupling::{Asynchronous, CouplingError, SystemPoints, obstacles};
use signorini_geometry::{ConvexMesh, Shape, TriangleMesh};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{FixedCorotated, Lame, MpmOptions, MpmSolver, MpmSystem, Particles};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{GeomShape, LoadOptions, Scene};

type Coupled = Asynchronous<SystemPoints<MpmSolver>, ContactStep<IcfSolver>>;

/// 11³ particles with those of the faces on the faces.
fn middle(density: f64) -> Particles {
    cube(Vector3::repeat(-0.05), 0.1, 11, density)
}

fn couple(
    scene: &str,
    geoms: &[usize],
    particles: Particles,
    options: MpmOptions,
    substeps: u32,
) -> (Coupled, State, State) {
    let scene = Scene::from_mjcf(scene, "panels.xml", &LoadOptions::default()).unwrap();
    let obstacles = obstacles(&scene, geoms, surface(1e5, 10.0, 0.8)).unwrap();
    let rubber = FixedCorotated(Lame::new(1e5, 0.4).unwrap());
    let law = contact_pool("lagged").unwrap();
    let points = MpmSystem::new(particles, vec![Box::new(rubber)], vec![], obstacles, law, options).unwrap();
    let x = points.initial_state();
    let mut rigid =
        RigidSystem::new(&scene, &*contact_pool("lagged").unwrap(), RigidOptions::default()).unwrap();
    let y = rigid.initial_state(None).unwrap();
    let tight = Tolerance { relative: 1e-12, max_iterations: 100 };
    let point_step = ContactStep::new(MpmSolver::default()).with_tolerance(tight);
    let body_step = ContactStep::new(IcfSolver::default()).with_tolerance(tight);
    let coupled = Asynchronous::new(&scene, geoms, (points, point_step), rigid, body_step, substeps).unwrap();
    (coupled.with_moving_bodies(false), x, y)
}

#[test]
fn analytic_panels_press_and_carry_a_cube() {
    // 0.0933 kg each, pressed with 10 N; the cube of 0.4 kg hangs on friction.
    let options = MpmOptions { spacing: 0.025, damping_time: 2e-3, ..MpmOptions::default() };
    let (mut c, mut x, mut y) = couple(&panel_scene(0.0933), &[0, 1], middle(400.0), options, 1);
    c.rigid_mut().control_mut().copy_from_slice(&[10.0, 10.0]);
    let (dt, steps, last) = (1e-4, 1000, 300);
    let mut sums = [Vector3::zeros(); 2];
    for k in 0..steps {
        let r = c.step(&mut x, &mut y, dt).unwrap();
        assert_eq!(r.unconverged, 0, "step {k}");
        assert!(c.limits().iter().all(|l| l.contacts == 0 || l.used(dt, dt) < 1.0), "{}", c.limits()[0]);
        if k >= steps - last {
            sums.iter_mut().zip(&r.impulses).for_each(|(s, i)| *s += i[0]);
        }
    }
    let force = sums.map(|s| s / (f64::from(last) * dt));
    let weight = 0.5 * 0.4 * 9.81;
    println!("{force:?}");
    for (f, side) in force.iter().zip([-1.0, 1.0]) {
        // 10 N, half the weight each, nothing sideways.
        assert!((f.x - 10.0 * side).abs() < 0.1, "{f}");
        assert!((f.z + weight).abs() < 0.01 * weight, "{f}");
        assert!(f.y.abs() < 0.05, "{f}");
    }
}

#[test]
fn analytic_what_points_lose_bodies_get() {
    // A free box flies into the cube, without gravity: the momentum of both is that of the box.
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='-.13 .01 .02'><freejoint/>\
        <geom type='box' size='.07 .07 .07' mass='2'/></body></worldbody></mujoco>";
    let options = MpmOptions { spacing: 0.05, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let (mut c, mut x, mut y) = couple(text, &[0], middle(1000.0), options, 4);
    y.v[0] = 1.0;
    let total = |c: &Coupled, x: &State, y: &State| {
        let p = c.points().system().particles(x).unwrap();
        p.momentum() + 2.0 * Vector3::new(y.v[0], y.v[1], y.v[2])
    };
    let (before, mut met) = (total(&c, &x, &y), 0.0);
    for _ in 0..120 {
        let r = c.step(&mut x, &mut y, 8e-4).unwrap();
        met += r.impulses[0][0].norm();
    }
    let after = total(&c, &x, &y);
    assert!(met > 0.1, "{met}");
    // 120 steps of four solves to 1e-12.
    assert!((after - before).norm() < 1e-9, "{}", (after - before).norm());
    assert!(y.v[0] < 1.0 && c.points().system().particles(&x).unwrap().momentum().x > 0.1);
}

#[test]
fn analytic_bodies_that_move_within_a_step_are_met_where_they_are() {
    // Six boxes about the middle of a turning body, which has the same inertia about all axes, fly at 2 m/s into the cube with steps in which they go 8 mm.
    let (side, away) = (0.06, 0.06);
    let arms: Vec<Vector3<f64>> =
        (0..6).map(|i| Vector3::ith(i / 2, if i % 2 == 0 { away } else { -away })).collect();
    let box_at = |a: &Vector3<f64>| {
        format!("<geom type='box' size='.03 .03 .03' mass='{}' pos='{} {} {}'/>", 2.0 / 6.0, a.x, a.y, a.z)
    };
    let text = format!(
        "<mujoco><option gravity='0 0 0'/><worldbody><body pos='-.17 .03 .02'><freejoint/>{}</body></worldbody></mujoco>",
        arms.iter().map(box_at).collect::<String>()
    );
    let options = MpmOptions { spacing: 0.05, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let (mass, h, dt, speed, turning) = (2.0, options.spacing, 4e-3, 2.0, 8.0);
    let inertia = mass * (side * side / 6.0 + 2.0 / 3.0 * away * away);
    let turned = |y: &State| UnitQuaternion::new_normalize(Quaternion::new(y.q[3], y.q[4], y.q[5], y.q[6]));
    let middle_of = |y: &State| Vector3::new(y.q[0], y.q[1], y.q[2]);
    let fly = |moving: bool| {
        let (mut c, mut x, mut y) = couple(&text, &[0, 1, 2, 3, 4, 5], middle(1000.0), options, 20);
        c = c.with_moving_bodies(moving);
        (y.v[0], y.v[5]) = (speed, turning);
        let momenta = |c: &Coupled, x: &State, y: &State| {
            let p = c.points().system().particles(x).unwrap();
            let spin = turned(y) * Vector3::new(y.v[3], y.v[4], y.v[5]);
            let v = Vector3::new(y.v[0], y.v[1], y.v[2]);
            let own = mass * middle_of(y).cross(&v) + inertia * spin;
            [p.momentum() + mass * v, p.angular_momentum(h) + own]
        };
        let (before, mut deepest, mut met) = (momenta(&c, &x, &y), 0.0f64, 0.0);
        for _ in 0..30 {
            let r = c.step(&mut x, &mut y, dt).unwrap();
            met += r.impulses.iter().map(|i| i[0].norm()).sum::<f64>();
            let p = c.points().system().particles(&x).unwrap();
            let depth = |x: &Vector3<f64>, arm: &Vector3<f64>| {
                0.5 * side - (turned(&y).inverse() * (x - middle_of(&y)) - arm).amax()
            };
            for x in &p.x {
                deepest = arms.iter().map(|a| depth(x, a)).fold(deepest, f64::max);
            }
        }
        let after = momenta(&c, &x, &y);
        println!(
            "moving {moving}: deepest {deepest}, momenta {:?}",
            [after[0] - before[0], after[1] - before[1]]
        );
        assert!(met > 0.1, "{met}");
        assert!((after[0] - before[0]).norm() < 1e-9 && (after[1] - before[1]).norm() < 1e-9);
        deepest
    };
    let (still, moving) = (fly(false), fly(true));
    assert!(still > 0.2 * dt * speed, "{still}");
    assert!(moving < 0.03 * dt * speed, "{moving}");
}

#[test]
fn regression_what_cannot_be_coupled() {
    let text = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/></worldbody></mujoco>";
    let scene = Scene::from_mjcf(text, "s.xml", &LoadOptions::default()).unwrap();
    let why = obstacles(&scene, &[3], surface(1e5, 10.0, 0.8)).unwrap_err();
    assert!(matches!(&why, CouplingError::Geom { geom, .. } if geom == "3"), "{why}");
    assert!(obstacles(&scene, &[0], surface(1e5, 10.0, 0.8)).is_ok());
    // Obstacles in another order, and bodies of another scene.
    let set = || panels(0.1);
    let swap = |geoms: &[usize]| {
        let s = set();
        let made: Result<Split, _> = Asynchronous::new(
            &s.scene,
            geoms,
            (s.points, ContactStep::new(MpmSolver::default())),
            s.rigid,
            ContactStep::new(IcfSolver::default()),
            1,
        );
        made.err().map(|e| e.to_string())
    };
    assert!(swap(&set().geoms).is_none());
    let reversed: Vec<usize> = set().geoms.into_iter().rev().collect();
    let why = swap(&reversed).unwrap();
    assert!(why.contains("'left'") && why.contains("'right'") && why.contains("order"), "{why}");
    // Hulls and closed meshes can be met, open ones cannot.
    let cube = TriangleMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let hull = ConvexMesh::cuboid(&Vector3::repeat(0.1)).unwrap();
    let open = TriangleMesh::new(cube.vertices().to_vec(), cube.triangles()[2..].to_vec()).unwrap();
    let with = |shape: Shape| {
        let mut scene = scene.clone();
        scene.geoms[0].shape = GeomShape::Solid(shape);
        obstacles(&scene, &[0], surface(1e5, 10.0, 0.8))
    };
    assert!(with(Shape::Mesh(Arc::new(cube))).is_ok() && with(Shape::Convex(Arc::new(hull))).is_ok());
    let why = with(Shape::Mesh(Arc::new(open))).unwrap_err().to_string();
    assert!(why.contains("'floor'") && why.contains("4 open") && why.contains("close it"), "{why}");
}
