//! Answers of the URDF reader to each element.

use std::fmt::Write;

use super::probe::answer;

/// Place of an example.
#[derive(Clone, Copy)]
enum In {
    Robot,
    Link,
    Joint,
    /// In place of the joint's type.
    Type,
    Inertial,
    Visual,
    Collision,
    /// In the geometry of a collision.
    Shape,
}

/// Elements and an example of each.
const ELEMENTS: &[(In, &str)] = &[
    (
        In::Robot,
        "<transmission name='x'><type>SimpleTransmission</type><joint name='j'/><actuator name='a'/></transmission>",
    ),
    (In::Robot, "<gazebo reference='a'/>"),
    (In::Robot, "<ros2_control name='x' type='system'/>"),
    (In::Robot, "<sensor name='x'/>"),
    (In::Robot, "<drake:frame name='x' link='a' xyz='0 0 1'/>"),
    (
        In::Robot,
        "<drake:collision_filter_group name='x'><drake:member link='a'/><drake:member link='b'/><drake:ignored_collision_filter_group name='x'/></drake:collision_filter_group>",
    ),
    (
        In::Robot,
        "<drake:ball_constraint><drake:ball_constraint_body_A name='base'/><drake:ball_constraint_body_B name='b'/></drake:ball_constraint>",
    ),
    (In::Robot, "<drake:linear_spring_damper name='x'/>"),
    (In::Robot, "<drake:linear_bushing_rpy name='x'/>"),
    (In::Robot, "<drake:tendon_constraint name='x'/>"),
    (In::Robot, "<xacro:include filename='x'/>"),
    (In::Robot, "<mujoco><compiler boundmass='2'/></mujoco>"),
    (In::Robot, "<mujoco><option gravity='0 0 -1'/></mujoco>"),
    (In::Robot, "<mujoco><actuator/></mujoco>"),
    (In::Robot, "<properties/>"),
    (In::Robot, "<device/>"),
    (In::Link, "<gravity>0</gravity>"),
    (In::Visual, "<meshScale/>"),
    (In::Visual, "<specular/>"),
    (In::Collision, "<surface/>"),
    (In::Joint, "<motor/>"),
    (In::Link, "<contact><lateral_friction value='0.3'/></contact>"),
    (In::Link, "<contact><stiffness value='1000'/><damping value='10'/></contact>"),
    (In::Link, "<contact><restitution value='1'/></contact>"),
    (In::Link, "<self_collision_checking/>"),
    (In::Inertial, "<origin xyz='0 0 .1' rpy='.1 0 0'/>"),
    (In::Visual, "<origin xyz='0 0 .1'/>"),
    (In::Visual, "<material name='m'><color rgba='1 0 0 1'/></material>"),
    (In::Visual, "<material name='m'><texture filename='x.png'/></material>"),
    (In::Collision, "<origin xyz='0 0 .1' rpy='.1 0 0'/>"),
    (In::Collision, "<material name='m'/>"),
    (In::Collision, "<verbose value='1'/>"),
    (In::Collision, "<drake:proximity_properties><drake:mu_static value='.3'/></drake:proximity_properties>"),
    (
        In::Collision,
        "<drake:proximity_properties><drake:point_contact_stiffness value='1e5'/></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:hunt_crossley_dissipation value='5'/></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e7'/><drake:mesh_resolution_hint value='.02'/></drake:proximity_properties>",
    ),
    (In::Collision, "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>"),
    (
        In::Collision,
        "<drake:proximity_properties><drake:hydroelastic_modulus value='1e7'/></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:relaxation_time value='.1'/></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:compliant_hydroelastic/></drake:proximity_properties>",
    ),
    (In::Shape, "<box size='.1 .2 .3'/>"),
    (In::Shape, "<sphere radius='.3'/>"),
    (In::Shape, "<cylinder radius='.1' length='.2'/>"),
    (In::Shape, "<capsule radius='.1' length='.2'/>"),
    (In::Shape, "<drake:capsule radius='.1' length='.2'/>"),
    (In::Shape, "<drake:ellipsoid a='.1' b='.2' c='.3'/>"),
    (In::Shape, "<mesh filename='x.obj'/>"),
    (In::Shape, "<mesh filename='x.stl'/>"),
    (In::Shape, "<mesh filename='x.vtk'/>"),
    (In::Shape, "<mesh filename='x.dae'/>"),
    (In::Shape, "<plane normal='0 0 1'/>"),
    (In::Type, "fixed"),
    (In::Type, "revolute"),
    (In::Type, "continuous"),
    (In::Type, "prismatic"),
    (In::Type, "floating"),
    (In::Type, "planar"),
    (In::Type, "ball"),
    (In::Joint, "<origin xyz='0 0 .1' rpy='.1 0 0'/>"),
    (In::Joint, "<axis xyz='0 1 0'/>"),
    (In::Joint, "<limit lower='-1' upper='1' effort='5' velocity='2'/>"),
    (In::Joint, "<dynamics damping='.1' friction='.2'/>"),
    (In::Joint, "<mimic joint='k' multiplier='2' offset='.1'/>"),
    (In::Joint, "<calibration rising='0'/>"),
    (In::Joint, "<safety_controller k_velocity='1'/>"),
    (In::Joint, "<drake:damping value='1'/>"),
];

/// A robot with the example where it belongs, or without it.
fn robot(at: In, example: &str) -> String {
    let put = |here: bool, otherwise: &str| if here { example.to_owned() } else { otherwise.to_owned() };
    let kind = match at {
        In::Type if !example.is_empty() => example,
        _ => "revolute",
    };
    let limit = "<limit lower='-2' upper='2' effort='3' velocity='9'/>";
    format!(
        "<robot name='r' xmlns:drake='http://drake.mit.edu' xmlns:xacro='http://www.ros.org/wiki/xacro'>
<link name='base'/>
<link name='a'>
<inertial>{}<mass value='1'/><inertia ixx='1' iyy='1' izz='1.5' ixy='0' ixz='0' iyz='0'/></inertial>
<visual>{}<geometry><sphere radius='.1'/></geometry></visual>
<collision>{}<geometry>{}</geometry></collision>
{}
</link>
<link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='j' type='{kind}'><parent link='base'/><child link='a'/>{}{}</joint>
<joint name='k' type='revolute'><parent link='a'/><child link='b'/>{limit}</joint>
{}
</robot>",
        put(matches!(at, In::Inertial), ""),
        put(matches!(at, In::Visual), ""),
        put(matches!(at, In::Collision), ""),
        put(matches!(at, In::Shape) && !example.is_empty(), "<sphere radius='.1'/>"),
        put(matches!(at, In::Link), ""),
        put(matches!(at, In::Joint), ""),
        if example.starts_with("<limit") { "" } else { limit },
        put(matches!(at, In::Robot), ""),
    )
}

/// The table.
pub(super) fn table() -> String {
    let mut out = String::from("| in | example | answer |\n|---|---|---|\n");
    for &(at, example) in ELEMENTS {
        // The robot around the examples is of this type.
        let answer = match example {
            "revolute" => "read".to_owned(),
            _ => answer(&robot(at, ""), &robot(at, example)),
        };
        let at = match at {
            In::Robot => "`robot`",
            In::Link => "`link`",
            In::Joint => "`joint`",
            In::Type => "`joint type`",
            In::Inertial => "`inertial`",
            In::Visual => "`visual`",
            In::Collision => "`collision`",
            In::Shape => "`geometry`",
        };
        _ = writeln!(out, "| {at} | `{example}` | {answer} |");
    }
    out
}
