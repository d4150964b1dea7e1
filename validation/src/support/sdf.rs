//! Answers of the SDFormat reader to each element.

use std::fmt::Write;

use super::probe::answer;

/// Place of an example.
#[derive(Clone, Copy)]
enum In {
    World,
    Model,
    Link,
    Inertial,
    Visual,
    Collision,
    /// In the geometry of a collision.
    Shape,
    Joint,
    /// In place of the joint's type.
    Type,
    Axis,
}

/// Elements and an example of each.
const ELEMENTS: &[(In, &str)] = &[
    (In::World, "<gravity>0 0 -1</gravity>"),
    (In::World, "<magnetic_field>1 0 0</magnetic_field>"),
    (In::World, "<physics type='ode'><max_step_size>0.01</max_step_size></physics>"),
    (In::World, "<model name='n'><link name='a'/></model>"),
    (In::World, "<frame name='f'/>"),
    (
        In::World,
        "<model name='n'><link name='a'/></model><joint name='g' type='fixed'><parent>m</parent><child>n</child></joint>",
    ),
    (In::World, "<light name='l' type='point'/>"),
    (In::World, "<scene/>"),
    (In::World, "<wind><linear_velocity>1 0 0</linear_velocity></wind>"),
    (In::World, "<state/>"),
    (In::World, "<actor name='x'/>"),
    (In::World, "<road name='x'/>"),
    (In::World, "<population name='x'/>"),
    (In::World, "<plugin name='p' filename='x.so'/>"),
    (In::Model, "<static>true</static>"),
    (In::Model, "<pose degrees='true'>0 0 1 0 0 90</pose>"),
    (In::Model, "<pose rotation_format='quat_xyzw'>0 0 1 0 0 0 1</pose>"),
    (In::Model, "<frame name='f' attached_to='a'><pose relative_to='b'>0 0 1 0 0 0</pose></frame>"),
    (In::Model, "<model name='n'><link name='a'/></model>"),
    (In::Model, "<include><uri>model://x</uri></include>"),
    (In::Model, "<self_collide>true</self_collide>"),
    (In::Model, "<enable_wind>true</enable_wind>"),
    (In::Model, "<allow_auto_disable>true</allow_auto_disable>"),
    (In::Model, "<plugin name='p' filename='x.so'/>"),
    (In::Model, "<gripper name='g'/>"),
    (In::Model, "<author/>"),
    (
        In::Model,
        "<link name='c'/><drake:joint name='p' type='planar'><drake:parent>b</drake:parent><drake:child>c</drake:child><drake:damping>1 1 1</drake:damping></drake:joint>",
    ),
    (
        In::Model,
        "<link name='c'/><drake:joint name='p' type='curvilinear'><drake:parent>b</drake:parent><drake:child>c</drake:child></drake:joint>",
    ),
    (
        In::Model,
        "<drake:collision_filter_group name='x'><drake:member>base</drake:member><drake:member>b</drake:member><drake:ignored_collision_filter_group>x</drake:ignored_collision_filter_group></drake:collision_filter_group>",
    ),
    (
        In::Model,
        "<drake:ball_constraint><drake:ball_constraint_body_A>base</drake:ball_constraint_body_A><drake:ball_constraint_body_B>b</drake:ball_constraint_body_B></drake:ball_constraint>",
    ),
    (
        In::Model,
        "<link name='x'><inertial auto='true'/><collision name='x'><density>500</density><geometry><sphere><radius>1</radius></sphere></geometry></collision></link>",
    ),
    (In::Model, "<drake:linear_bushing_rpy name='x'/>"),
    (In::Model, "<drake:tendon_constraint name='x'/>"),
    (In::Link, "<gravity>false</gravity>"),
    (In::Link, "<kinematic>true</kinematic>"),
    (In::Link, "<velocity_decay><linear>0.1</linear></velocity_decay>"),
    (In::Link, "<self_collide>true</self_collide>"),
    (In::Link, "<sensor name='s' type='imu'/>"),
    (In::Link, "<light name='l' type='point'/>"),
    (In::Inertial, "<pose>0 0 0.1 0.1 0 0</pose>"),
    (In::Inertial, "<fluid_added_mass/>"),
    (In::Inertial, "<density>100</density>"),
    (In::Visual, "<pose>0 0 0.1 0 0 0</pose>"),
    (In::Visual, "<material><diffuse>1 0 0 1</diffuse></material>"),
    (In::Visual, "<cast_shadows>false</cast_shadows>"),
    (In::Collision, "<pose relative_to='b'>0 0 0.1 0 0 0</pose>"),
    (In::Collision, "<surface><friction><ode><mu>0.3</mu></ode></friction></surface>"),
    (In::Collision, "<surface><friction><ode><mu>0.3</mu><mu2>0.2</mu2></ode></friction></surface>"),
    (In::Collision, "<surface><contact><collide_bitmask>2</collide_bitmask></contact></surface>"),
    (In::Collision, "<surface><contact><ode><kp>1e6</kp></ode></contact></surface>"),
    (
        In::Collision,
        "<surface><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface>",
    ),
    (In::Collision, "<density>100</density>"),
    (In::Collision, "<laser_retro>1</laser_retro>"),
    (
        In::Collision,
        "<drake:proximity_properties><drake:mu_static>0.3</drake:mu_static></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:point_contact_stiffness>1e5</drake:point_contact_stiffness></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:hunt_crossley_dissipation>5</drake:hunt_crossley_dissipation></drake:proximity_properties>",
    ),
    (
        In::Collision,
        "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e7</drake:hydroelastic_modulus></drake:proximity_properties>",
    ),
    (In::Collision, "<drake:proximity_properties><drake:rigid_hydroelastic/></drake:proximity_properties>"),
    (
        In::Collision,
        "<drake:proximity_properties><drake:relaxation_time>0.1</drake:relaxation_time></drake:proximity_properties>",
    ),
    (In::Shape, "<box><size>0.1 0.2 0.3</size></box>"),
    (In::Shape, "<sphere><radius>0.3</radius></sphere>"),
    (In::Shape, "<cylinder><radius>0.1</radius><length>0.2</length></cylinder>"),
    (In::Shape, "<capsule><radius>0.1</radius><length>0.2</length></capsule>"),
    (In::Shape, "<ellipsoid><radii>0.1 0.2 0.3</radii></ellipsoid>"),
    (In::Shape, "<drake:capsule><radius>0.1</radius><length>0.2</length></drake:capsule>"),
    (In::Shape, "<drake:ellipsoid><a>0.1</a><b>0.2</b><c>0.3</c></drake:ellipsoid>"),
    (In::Shape, "<mesh><uri>x.obj</uri><scale>1 1 2</scale></mesh>"),
    (In::Shape, "<mesh><uri>x.vtk</uri></mesh>"),
    (In::Shape, "<mesh><uri>x.dae</uri></mesh>"),
    (In::Shape, "<mesh><uri>x.obj</uri><submesh><name>s</name></submesh></mesh>"),
    (In::Shape, "<plane><normal>0 0 1</normal></plane>"),
    (In::Shape, "<heightmap/>"),
    (In::Shape, "<polyline/>"),
    (In::Shape, "<cone/>"),
    (In::Type, "fixed"),
    (In::Type, "revolute"),
    (In::Type, "continuous"),
    (In::Type, "prismatic"),
    (In::Type, "ball"),
    (In::Type, "screw"),
    (In::Type, "revolute2"),
    (In::Type, "gearbox"),
    (In::Joint, "<pose>0 0 0.1 0 0 0</pose>"),
    (In::Joint, "<physics/>"),
    (In::Joint, "<sensor name='s' type='force_torque'/>"),
    (In::Joint, "<drake:mimic joint='k' multiplier='2' offset='0.1'/>"),
    (In::Joint, "<drake:rotor_inertia>1e-4</drake:rotor_inertia><drake:gear_ratio>50</drake:gear_ratio>"),
    (In::Joint, "<drake:controller_gains p='1' d='1'/>"),
    (In::Axis, "<xyz expressed_in='b'>0 1 0</xyz>"),
    (In::Axis, "<limit><lower>-1</lower><upper>1</upper></limit>"),
    (In::Axis, "<limit><effort>5</effort></limit>"),
    (In::Axis, "<limit><velocity>5</velocity></limit>"),
    (In::Axis, "<limit><drake:acceleration>5</drake:acceleration></limit>"),
    (In::Axis, "<limit><stiffness>5</stiffness></limit>"),
    (In::Axis, "<dynamics><damping>0.1</damping><friction>0.2</friction></dynamics>"),
    (
        In::Axis,
        "<dynamics><spring_stiffness>3</spring_stiffness><spring_reference>0.2</spring_reference></dynamics>",
    ),
    (In::Axis, "<mimic joint='k'><multiplier>2</multiplier></mimic>"),
];

/// A world with the example where it belongs, or without it.
fn world(at: In, example: &str) -> String {
    let put = |here: bool, otherwise: &str| if here { example.to_owned() } else { otherwise.to_owned() };
    let kind = match at {
        In::Type if !example.is_empty() => example,
        _ => "revolute",
    };
    format!(
        "<sdf version='1.11' xmlns:drake='http://drake.mit.edu'><world name='w'>{}<model name='m'>{}
<link name='base'/>
<link name='a'>
<inertial>{}<mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1.5</izz></inertia></inertial>
<visual name='v'>{}<geometry><sphere><radius>0.1</radius></sphere></geometry></visual>
<collision name='c'>{}<geometry>{}</geometry></collision>
{}
</link>
<link name='b'/>
<joint name='w' type='fixed'><parent>world</parent><child>base</child></joint>
<joint name='j' type='{kind}'><parent>base</parent><child>a</child>{}<axis>{}</axis></joint>
<joint name='k' type='revolute'><parent>a</parent><child>b</child><axis/></joint>
</model></world></sdf>",
        put(matches!(at, In::World), ""),
        put(matches!(at, In::Model), ""),
        put(matches!(at, In::Inertial), ""),
        put(matches!(at, In::Visual), ""),
        put(matches!(at, In::Collision), ""),
        put(matches!(at, In::Shape) && !example.is_empty(), "<sphere><radius>0.1</radius></sphere>"),
        put(matches!(at, In::Link), ""),
        put(matches!(at, In::Joint), ""),
        put(matches!(at, In::Axis), ""),
    )
}

/// The table.
pub(super) fn table() -> String {
    let mut out = String::from("| in | example | answer |\n|---|---|---|\n");
    for &(at, example) in ELEMENTS {
        // The model around the examples has a joint of this type.
        let answer = match example {
            "revolute" | "continuous" => "read".to_owned(),
            _ => answer(&world(at, ""), &world(at, example)),
        };
        let at = match at {
            In::World => "`world`",
            In::Model => "`model`",
            In::Link => "`link`",
            In::Inertial => "`inertial`",
            In::Visual => "`visual`",
            In::Collision => "`collision`",
            In::Shape => "`geometry`",
            In::Joint => "`joint`",
            In::Type => "`joint type`",
            In::Axis => "`axis`",
        };
        // Files that are included are read where they are.
        let answer = if answer.contains("model://x") { "read".to_owned() } else { answer };
        _ = writeln!(out, "| {at} | `{example}` | {answer} |");
    }
    out
}
