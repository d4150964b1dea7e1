//! URDF by hand: frames, inertia, joints, surfaces, motors, filters, colours.

use signorini_core::na::{Matrix3, Rotation3, Vector3};
use signorini_geometry::Shape;
use signorini_scene::{
    CombinationRule, EqualityKind, GeomShape, JointKind, LoadOptions, NoteKind, Scene, Transmission,
};

const INERTIAL: &str = r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>"#;

fn read(body: &str) -> Scene {
    let text = format!(r#"<robot name="r" xmlns:drake="http://drake.mit.edu">{body}</robot>"#);
    Scene::from_urdf(&text, "robot.urdf", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Two links and a joint of a type, with something in the joint and in the child.
fn pair(kind: &str, joint: &str, child: &str) -> Scene {
    read(&format!(
        r#"<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}{child}</link>
           <joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{joint}</joint>"#
    ))
}

#[test]
fn analytic_rpy_turns_about_fixed_axes() {
    let s = pair("revolute", r#"<origin xyz="1 2 3" rpy="0.3 -0.4 1.1"/><limit lower="-1" upper="1"/>"#, "");
    let z = |a: f64| Rotation3::from_axis_angle(&Vector3::z_axis(), a);
    let y = |a: f64| Rotation3::from_axis_angle(&Vector3::y_axis(), a);
    let x = |a: f64| Rotation3::from_axis_angle(&Vector3::x_axis(), a);
    let want = z(1.1) * y(-0.4) * x(0.3);
    let have = s.bodies[2].pose;
    assert_eq!(have.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    // Rounding of a few products.
    assert!((have.rotation.to_rotation_matrix().matrix() - want.matrix()).norm() < 1e-14);
    // Without <axis> the axis is x.
    assert_eq!(s.joints[0].axis, Vector3::x_axis());
    assert_eq!(s.joints[0].range, Some([-1.0, 1.0]));
}

#[test]
fn analytic_inertia_is_turned_into_the_link_frame() {
    let s = read(
        r#"<link name="a"><inertial><origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/><mass value="2"/>
           <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="2" iyz="0.3" izz="2.5"/></inertial></link>"#,
    );
    let m = s.bodies[1].mass.unwrap();
    assert_eq!(m.mass, 2.0);
    assert_eq!(m.com.coords, Vector3::new(0.1, 0.2, 0.3));
    // A quarter turn about z: x of the inertial frame is y of the link, y is -x.
    let want = Matrix3::new(2.0, -0.1, -0.3, -0.1, 1.0, 0.2, -0.3, 0.2, 2.5);
    assert!((m.inertia - want).norm() < 1e-14, "{}", m.inertia);
    assert_eq!(s.joints.len(), 0);
}

#[test]
fn analytic_joint_types_and_their_coordinates() {
    let kinds = |s: &Scene| s.joints.iter().map(|j| (j.name.clone(), j.kind)).collect::<Vec<_>>();
    let one = |kind: &str, extra: &str| kinds(&pair(kind, extra, ""));
    assert_eq!(one("fixed", ""), []);
    assert_eq!(one("revolute", r#"<limit lower="0" upper="1"/>"#), [("j".to_owned(), JointKind::Hinge)]);
    assert_eq!(one("continuous", ""), [("j".to_owned(), JointKind::Hinge)]);
    assert_eq!(one("prismatic", r#"<limit lower="0" upper="1"/>"#), [("j".to_owned(), JointKind::Slide)]);
    assert_eq!(one("ball", ""), [("j".to_owned(), JointKind::Ball)]);
    let floating = pair("floating", "", "");
    assert_eq!((floating.nq(), floating.nv()), (7, 6));
    // To a link that does not move it is a free joint, as in MuJoCo 4.0, where the body stands as drawn.
    assert_eq!(kinds(&floating), [("j".to_owned(), JointKind::Free)]);
    let placed = read(&format!(
        r#"<link name="base"/><link name="plate">{INERTIAL}</link><link name="b">{INERTIAL}</link><link name="arm">{INERTIAL}</link><link name="last">{INERTIAL}</link>
           <joint name="f" type="fixed"><origin xyz="1 0 0" rpy="0 0 1"/><parent link="base"/><child link="plate"/></joint>
           <joint name="j" type="floating"><origin xyz="0 1 .5" rpy=".3 .2 .1"/><parent link="plate"/><child link="b"/></joint>
           <joint name="k" type="revolute"><origin xyz=".1 .2 .3"/><parent link="b"/><child link="arm"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
           <joint name="l" type="floating"><parent link="arm"/><child link="last"/></joint>"#
    ));
    let names: Vec<_> = placed.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["j", "k", "l_x", "l_y", "l_z", "l_rotation"]);
    let body = &placed.bodies[placed.joints[0].body];
    let (p, r) = (body.pose.translation.vector, body.pose.rotation);
    // `qpos0` of MuJoCo 4.0.
    let expected = [0.158_529_015_192_103_5, 0.5403023058681398, 0.5];
    assert!(body.parent == 0 && (p - Vector3::from(expected)).norm() < 1e-14, "{p}");
    let expected = [0.84653827, 0.0751675, 0.16187392, 0.50151733];
    assert!([r.w, r.i, r.j, r.k].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8), "{r}");
    // To the world itself it is one, too.
    let free = read(&format!(
        r#"<link name="b">{INERTIAL}</link>
           <joint name="j" type="floating"><parent link="world"/><child link="b"/></joint>"#
    ));
    assert_eq!(kinds(&free), [("j".to_owned(), JointKind::Free)]);
    assert_eq!(free.bodies.len(), 2);
    // A world that joints name without a definition does not float either.
    let text = format!(
        r#"<robot name="r"><link name="b">{INERTIAL}</link>
           <joint name="j" type="fixed"><parent link="world"/><child link="b"/></joint></robot>"#
    );
    let options = LoadOptions { floating_base: true, ..LoadOptions::default() };
    assert!(Scene::from_urdf(&text, "r.urdf", &options).is_err());
}

#[test]
fn analytic_planar_joint_moves_in_the_plane_of_its_axis() {
    for axis in ["0 0 1", "0 0 -1", "1 0 0", "0.6 0 0.8"] {
        let s = pair("planar", &format!(r#"<axis xyz="{axis}"/><dynamics damping="1 2 3"/>"#), "");
        let kinds: Vec<_> = s.joints.iter().map(|j| j.kind).collect();
        assert_eq!(kinds, [JointKind::Slide, JointKind::Slide, JointKind::Hinge]);
        let [a, b, n] = [0, 1, 2].map(|i| s.joints[i].axis.into_inner());
        // Right-handed and orthonormal up to rounding.
        assert!((a.cross(&b) - n).norm() < 1e-14 && a.dot(&b).abs() < 1e-14, "{axis}");
        assert_eq!([0, 1, 2].map(|i| s.joints[i].damping), [1.0, 2.0, 3.0]);
    }
}

#[test]
fn analytic_limits_and_dynamics() {
    let s = pair(
        "revolute",
        r#"<axis xyz="0 0 2"/><limit lower="-1" upper="2" effort="30" velocity="4"/><dynamics damping="0.5" friction="0.25"/>"#,
        "",
    );
    let j = &s.joints[0];
    assert_eq!((j.range, j.actuator_force_range), (Some([-1.0, 2.0]), Some([-30.0, 30.0])));
    assert_eq!((j.damping, j.dry_friction), (0.5, 0.25));
    assert_eq!(j.axis, Vector3::z_axis());
    let noted = |text: &str| s.notes.iter().any(|n| n.text.contains(text));
    assert!(noted("velocity limit: not enforced") && noted("not a unit vector"), "{:?}", s.notes);
    // Bounds of a continuous joint are not bounds.
    let s = pair("continuous", r#"<limit lower="0" upper="0" effort="1" velocity="1"/>"#, "");
    assert_eq!(s.joints[0].range, None);
    // One bound alone: the other is zero.
    let s = pair("prismatic", r#"<limit upper="0.4" effort="1" velocity="1"/>"#, "");
    assert_eq!(s.joints[0].range, Some([0.0, 0.4]));
}

#[test]
fn analytic_mimic_is_an_equality() {
    let s = read(&format!(
        r#"<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link><link name="c">{INERTIAL}</link>
           <joint name="f" type="continuous"><parent link="a"/><child link="b"/>
             <mimic joint="l" multiplier="-2" offset="0.5"/></joint>
           <joint name="l" type="continuous"><parent link="a"/><child link="c"/></joint>"#
    ));
    let EqualityKind::Joint { joint_1, joint_2, polynomial } = s.equalities[0].kind else { panic!() };
    assert_eq!((joint_1, joint_2), (s.joint("f").unwrap(), s.joint("l")));
    assert_eq!(polynomial, [0.5, -2.0, 0.0, 0.0, 0.0]);
    assert_eq!(s.nv(), 2);
}

#[test]
fn analytic_shapes_and_surfaces() {
    let s = read(
        r#"<link name="a">
             <contact><lateral_friction value="0.8"/></contact>
             <visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual>
             <collision name="hit"><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.4"/></geometry></collision>
             <collision name="hit"><geometry><drake:capsule radius="0.1" length="0.4"/></geometry>
               <drake:proximity_properties>
                 <drake:mu_static value="0.9"/><drake:mu_dynamic value="0.7"/>
                 <drake:point_contact_stiffness value="1e5"/><drake:hunt_crossley_dissipation value="3"/>
               </drake:proximity_properties></collision>
           </link>
           <material name="red"><color rgba="1 0 0 0.5"/></material>"#,
    );
    let size = |i: usize| match &s.geoms[i].shape {
        GeomShape::Solid(Shape::Box { half_extents }) => half_extents.iter().copied().collect(),
        GeomShape::Solid(
            Shape::Cylinder { radius, half_length } | Shape::Capsule { radius, half_length },
        ) => {
            vec![*radius, *half_length]
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(size(0), [0.5, 1.0, 1.5]);
    assert_eq!(size(1), [0.1, 0.2]);
    assert_eq!(size(2), [0.1, 0.2]);
    assert!(s.geoms[0].mask.is_empty() && !s.geoms[1].mask.is_empty());
    assert_eq!(s.geoms[0].rgba, [1.0, 0.0, 0.0, 0.5]);
    let names: Vec<_> = s.geoms.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["a_visual0", "hit", "hit_2"]);
    assert_eq!(s.geoms[1].surface.friction, 0.8);
    let c = &s.geoms[2].surface;
    assert_eq!((c.friction, c.friction_dynamic), (0.9, Some(0.7)));
    assert_eq!((c.stiffness, c.dissipation), (Some(1e5), Some(3.0)));
    assert_eq!(s.options.combination, CombinationRule::Series);
    assert_eq!(s.options.gravity, Vector3::new(0.0, 0.0, -9.81));
}

#[test]
fn analytic_friction_is_one_half_where_none_is_stated() {
    let s = read(r#"<link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link>"#);
    assert_eq!(s.geoms[0].surface.friction, 0.5);
}

#[test]
fn analytic_transmission_is_a_motor() {
    let s = read(&format!(
        r#"<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link>
           <joint name="j" type="continuous"><parent link="a"/><child link="b"/><limit effort="12" velocity="1"/></joint>
           <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="j"/>
             <actuator name="m"><drake:rotor_inertia value="0.001"/><drake:gear_ratio value="10"/></actuator></transmission>"#
    ));
    let a = &s.actuators[0];
    assert_eq!((a.name.as_str(), &a.transmission), ("m", &Transmission::Joint(0)));
    assert_eq!((a.force_range, a.gear[0], a.force.gain[0]), (Some([-12.0, 12.0]), 1.0, 1.0));
    // 0.001 · 10²
    assert!((s.joints[0].armature - 0.1).abs() < 1e-15);
}

#[test]
fn analytic_the_base_does_not_collide_with_its_neighbours() {
    let hinge = |name: &str, a: &str, b: &str, kind: &str| {
        format!(r#"<joint name="{name}" type="{kind}"><parent link="{a}"/><child link="{b}"/></joint>"#)
    };
    let links: String = ["base", "cover", "arm", "flange", "wrist"]
        .iter()
        .map(|l| format!(r#"<link name="{l}">{INERTIAL}</link>"#))
        .collect();
    let s = read(&format!(
        "{links}{}{}{}{}",
        hinge("j0", "base", "cover", "fixed"),
        hinge("j1", "base", "arm", "continuous"),
        hinge("j2", "arm", "flange", "fixed"),
        hinge("j3", "flange", "wrist", "continuous")
    ));
    let mut names: Vec<_> =
        s.excludes.iter().map(|(a, b)| (s.bodies[*a].name.as_str(), s.bodies[*b].name.as_str())).collect();
    names.sort_unstable();
    // The wrist moves relative to the arm: between moving links the parent filter of the scene acts.
    assert_eq!(names, [("base", "arm"), ("base", "flange"), ("cover", "arm"), ("cover", "flange")]);
    assert!(s.options.switches.filter_parent);
}

#[test]
fn analytic_drake_filters_and_frames() {
    let s = read(&format!(
        r#"<link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link><link name="c">{INERTIAL}</link>
           <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
           <joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint>
           <drake:collision_filter_group name="g"><drake:member link="a"/><drake:member link="c"/>
             <drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>
           <frame name="tip" link="c" xyz="0 0 1" rpy="0 0 0"/>"#
    ));
    assert!(s.excludes.contains(&(1, 3)), "{:?}", s.excludes);
    assert_eq!((s.sites[0].name.as_str(), s.sites[0].body), ("tip", 3));
}

#[test]
fn analytic_a_link_named_world_is_the_world() {
    let s = read(&format!(
        r#"<link name="world"/><link name="b">{INERTIAL}</link>
           <joint name="j" type="fixed"><parent link="world"/><child link="b"/></joint>
           <gazebo reference="b"><mu1>0.3</mu1></gazebo><gazebo><plugin name="p">text</plugin></gazebo>
           <ros2_control name="c" type="system"/>"#
    ));
    assert_eq!(s.bodies.len(), 2);
    assert_eq!((s.body("world"), s.body("b"), s.bodies[1].parent), (Some(0), Some(1), 0));
    let noted = |kind: NoteKind, text: &str| s.notes.iter().any(|n| n.kind == kind && n.text.contains(text));
    assert!(noted(NoteKind::Warning, "states mu1, which is not read"));
    assert!(noted(NoteKind::Visual, "<gazebo> block"));
    assert!(noted(NoteKind::Warning, "<ros2_control>"));
}

/// A link that states no inertia has none in URDF; MuJoCo gives it that of its colliding shapes (22 × 6.35 × 37.5 mm of water: 5.23875 g), which is told.
#[test]
fn analytic_a_link_without_inertial_is_told() {
    let robot = |settings: &str| {
        let text = format!(
            r#"<robot name="r">{settings}<link name="a">{INERTIAL}</link><link name="pad"><collision><geometry><box size="0.022 0.00635 0.0375"/></geometry>
            </collision></link><joint name="j" type="fixed"><parent link="a"/><child link="pad"/></joint></robot>"#
        );
        Scene::from_urdf(&text, "r.urdf", &LoadOptions::default()).unwrap()
    };
    let told =
        |s: &Scene| s.notes.iter().filter(|n| n.text.contains("0.005239 kg") && n.place.line > 0).count();
    let s = robot("");
    assert_eq!((s.body("pad").and_then(|b| s.bodies[b].mass), told(&s)), (None, 1));
    let s = robot("<mujoco><compiler/></mujoco>");
    let mass = s.body("pad").and_then(|b| s.bodies[b].mass).unwrap().mass;
    // Rounding of three products.
    assert!((mass - 0.00523875).abs() < 1e-17 && told(&s) == 1, "{mass}");
}
