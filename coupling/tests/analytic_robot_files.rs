//! Robots from URDF files press material points: geoms by names, the surfaces of the file, forces of points beside those of the joints.

use crate::common;

use common::{cube, surface, tight};
use signorini_core::State;
use signorini_core::na::{Isometry3, Vector3};
use signorini_coupling::{Asynchronous, CouplingError, CouplingReport, SystemPoints, geoms_named, obstacles};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, FixedCorotated, Lame, Material, MpmOptions, MpmSolver, MpmSystem, Obstacle, Particles, Wall,
};
use signorini_multibody::{Kinematics, RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};
use signorini_testkit::data;

/// A lever on a hinge, whose motor presses the pad at its end down; the pad has a surface of its own.
const LEVER: &str = "<robot name='press' xmlns:drake='http://drake.mit.edu'><link name='post'/>
  <link name='lever'>
    <inertial><origin xyz='0.15 0 0'/><mass value='0.6'/><inertia ixx='1e-3' iyy='5e-3' izz='5e-3' ixy='0' ixz='0' iyz='0'/></inertial>
    <visual><origin xyz='0.15 0 0'/><geometry><box size='0.3 0.02 0.02'/></geometry></visual>
  </link>
  <joint name='hinge' type='revolute'><parent link='post'/><child link='lever'/><origin xyz='0 0 0.12'/><axis xyz='0 1 0'/>
    <limit lower='-1' upper='1' effort='20' velocity='10'/><dynamics damping='4' friction='0'/></joint>
  <link name='pad'>
    <inertial><mass value='0.3'/><inertia ixx='1e-4' iyy='1e-4' izz='1e-4' ixy='0' ixz='0' iyz='0'/></inertial>
    <collision name='face'><geometry><box size='0.12 0.12 0.04'/></geometry>
      <drake:proximity_properties><drake:point_contact_stiffness value='2e3'/><drake:hunt_crossley_dissipation value='5'/>
      <drake:mu_static value='0.7'/><drake:mu_dynamic value='0.6'/></drake:proximity_properties></collision>
  </link>
  <joint name='flange' type='fixed'><parent link='lever'/><child link='pad'/><origin xyz='0.3 0 0'/></joint>
  <transmission name='drive'><type>SimpleTransmission</type><joint name='hinge'/><actuator name='drive'/></transmission>
</robot>";

type Coupled = Asynchronous<SystemPoints<MpmSolver>, ContactStep<IcfSolver>>;

fn lever() -> Scene {
    Scene::from_urdf(LEVER, "press.urdf", &LoadOptions::default()).unwrap()
}

fn jelly(young: f64) -> Vec<Box<dyn Material>> {
    vec![Box::new(FixedCorotated(Lame::new(young, 0.3).unwrap()))]
}

/// Points of a grid of 0.02 m under obstacles that are these geoms, gravity as in the scene.
fn couple(
    (scene, geoms, met): (&Scene, &[usize], Vec<Obstacle>),
    (particles, materials, walls): (Particles, Vec<Box<dyn Material>>, Vec<Wall>),
    rigid: RigidSystem,
) -> (Coupled, State) {
    let gravity = scene.options.gravity;
    let options = MpmOptions { spacing: 0.02, gravity, damping_time: 2e-3, ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    let points = MpmSystem::new(particles, materials, walls, met, law, options).unwrap();
    let x = points.initial_state();
    let point_step = ContactStep::new(MpmSolver::default()).with_tolerance(tight());
    let body_step = ContactStep::new(IcfSolver::default()).with_tolerance(tight());
    (Asynchronous::new(scene, geoms, (points, point_step), rigid, body_step, 1).unwrap(), x)
}

/// Mean forces \[N\] and moments \[N·m\] on obstacles over the last `last` steps of `steps`.
fn settle(
    (c, x, y): (&mut Coupled, &mut State, &mut State),
    dt: f64,
    (steps, last): (u32, u32),
) -> Vec<[Vector3<f64>; 2]> {
    let mut sums: Vec<[Vector3<f64>; 2]> = Vec::new();
    for k in 0..steps {
        let r: CouplingReport = c.step(x, y, dt).unwrap();
        assert_eq!(r.unconverged, 0, "step {k}");
        sums.resize(r.impulses.len(), [Vector3::zeros(); 2]);
        if k >= steps - last {
            let part = 1.0 / (f64::from(last) * dt);
            sums.iter_mut().zip(&r.impulses).for_each(|(s, i)| (0..2).for_each(|j| s[j] += part * i[j]));
        }
    }
    sums
}

#[test]
fn analytic_a_lever_from_a_file_presses_with_its_motor_and_its_weight() {
    let scene = lever();
    let geoms = geoms_named(&scene, &["pad"]).unwrap();
    let met = obstacles(&scene, &geoms, None).unwrap();
    let law = contact_pool("lagged").unwrap();
    let mut rigid = RigidSystem::new(&scene, &*law, RigidOptions::default()).unwrap();
    let mut y = rigid.initial_state(None).unwrap();
    // A cube of 0.1 m on the ground, up to the pad.
    let points = cube(Vector3::new(0.25, -0.05, 0.0), 0.1, 7, 1000.0);
    let ground = Wall { point: Vector3::zeros(), normal: Vector3::z(), border: Border::Sticky };
    let torque = 1.5;
    rigid.control_mut()[0] = torque;
    let (mut c, mut x) = couple((&scene, &geoms, met), (points, jelly(5e4), vec![ground]), rigid);
    let f = settle((&mut c, &mut x, &mut y), 2.5e-4, (1200, 200));
    // About the hinge's axis y: the motor and the weights of lever and pad, against the points. Moments of these are about the middle of the pad.
    let angle = y.q[0];
    let pad = Vector3::new(0.3 * angle.cos(), 0.0, -0.3 * angle.sin());
    let of_points = pad.cross(&f[0][0]).y + f[0][1].y;
    let weights = 9.81 * angle.cos() * (0.6 * 0.15 + 0.3 * 0.3);
    println!("{angle} rad, {:?}; points {of_points} N·m, motor {torque}, weights {weights}; {:?}", y.v, f[0]);
    assert!((of_points + torque + weights).abs() < 0.01 * (torque + weights), "{of_points}");
    // It is nearly at rest (the joint's damper has 4 N·m·s), and the force is about that of a beam.
    assert!(y.v[0].abs() < 2e-3 && angle > 1e-3, "{y:?}");
    assert!((f[0][0].z * 0.3 - torque - weights).abs() < 0.1 * (torque + weights), "{:?}", f[0]);
}

#[test]
fn property_surfaces_are_those_of_the_file_or_the_one_that_is_given() {
    let scene = lever();
    let geoms = geoms_named(&scene, &["face"]).unwrap();
    let own = obstacles(&scene, &geoms, None).unwrap()[0].material;
    assert_eq!(
        (own.stiffness, own.dissipation, own.friction_static, own.friction_dynamic),
        (2e3, 5.0, 0.7, 0.6)
    );
    let given = surface(1e4, 2.0, 0.1);
    assert_eq!(obstacles(&scene, &geoms, given).unwrap()[0].material, given);
    // A rigid surface of no stated stiffness has the scene's, as beside a rigid one; friction is the geom's under both rules.
    for (rule, friction) in [("mujoco", 0.8), ("series", 0.8)] {
        let mut s = lever();
        let g = &mut s.geoms[geoms[0]].surface;
        (g.stiffness, g.dissipation, g.friction, g.friction_dynamic) = (None, None, friction, None);
        if rule == "series" {
            s.options.combination = signorini_scene::CombinationRule::Series;
        }
        let m = obstacles(&s, &geoms, None).unwrap()[0].material;
        let d = s.options.contact;
        assert_eq!(
            (m.stiffness, m.dissipation, m.stiction_speed),
            (d.stiffness, d.dissipation, d.stiction_speed)
        );
        assert!(
            (m.friction_static - friction).abs() < 1e-15 && m.friction_dynamic == m.friction_static,
            "{m:?}"
        );
    }
}

#[test]
fn regression_names_that_the_scene_has_not() {
    let scene = lever();
    let why = |names: &[&str]| {
        let e = geoms_named(&scene, names).unwrap_err();
        assert!(matches!(e, CouplingError::Name { .. }), "{e}");
        e.to_string()
    };
    let e = why(&["face", "padd"]);
    assert!(e.contains("'padd'") && e.contains("did you mean 'pad'") && e.contains("inspect"), "{e}");
    let e = why(&["lever"]);
    assert!(e.contains("'lever'") && e.contains("collides") && e.contains("name a geom"), "{e}");
    // Twice the same geom, as one of a body and by its own name, is one obstacle.
    assert_eq!(geoms_named(&scene, &["pad", "face", "pad"]).unwrap().len(), 1);
    assert!(geoms_named(&scene, &[]).unwrap().is_empty());
}

#[test]
fn analytic_a_gripper_from_a_file_squeezes_with_the_force_of_its_joint() {
    let Some(file) = data::model("urdf/parallel_gripper/parallel_gripper.urdf") else { return };
    let mut scene = Scene::load(file, &LoadOptions::default()).unwrap();
    scene.options.gravity = Vector3::zeros();
    let geoms = geoms_named(&scene, &["finger_left", "finger_right"]).unwrap();
    assert_eq!(geoms.len(), 2);
    let met = obstacles(&scene, &geoms, surface(1e3, 5.0, 0.5)).unwrap();
    let law = contact_pool("lagged").unwrap();
    let mut rigid = RigidSystem::new(&scene, &*law, RigidOptions::default()).unwrap();
    let mut y = rigid.initial_state(None).unwrap();
    // Joints in the order of the file: lift, the fingers, and the thumb that follows them.
    let open = 0.02;
    y.q.copy_from_slice(&[0.0, open, open, 25.0 * open - 0.1]);
    let mut kin = Kinematics::new(rigid.model());
    kin.set_positions(rigid.model(), &y.q, &[]);
    let pose = |g: usize| kin.x_wb[scene.geoms[g].body] * scene.geoms[g].pose;
    let middle = 0.5 * (pose(geoms[0]).translation.vector + pose(geoms[1]).translation.vector);
    let across = pose(geoms[0]).rotation * Vector3::y();
    let between = Isometry3::from_parts(middle.into(), pose(geoms[0]).rotation);
    let mut particles = Particles::default();
    let block = Shape::Box { half_extents: Vector3::new(0.02, open, 0.03) };
    particles.fill(&block, &between, 0.005, 1000.0, 0).unwrap();
    // The first finger's joint is pulled inward, the second follows it: both press with half of it.
    let press = 4.0;
    rigid.applied_force_mut()[1] = -press;
    let (mut c, mut x) = couple((&scene, &geoms, met), (particles, jelly(1e5), vec![]), rigid);
    let f = settle((&mut c, &mut x, &mut y), 2.5e-4, (1200, 200));
    let force = [0, 1].map(|i| f[i][0].dot(&across));
    println!("{force:?} N at {:?} m", &y.q[1..3]);
    assert!((force[0] - force[1] - press).abs() < 0.01 * press, "{force:?}");
    assert!((force[0] - 0.5 * press).abs() < 0.02 * press, "{force:?}");
    assert!((y.q[1] - y.q[2]).abs() < 1e-4 && y.q[1] < open, "{:?}", y.q);
}
