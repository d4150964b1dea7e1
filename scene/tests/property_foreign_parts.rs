//! Parts that URDF does not have change nothing that is read, wherever they stand and however many there are.

use proptest::prelude::*;
use signorini_scene::{LoadOptions, NoteKind, Scene};

/// A robot with places for more: 0 in the robot, 1 in a link, 2 in a joint, 3 in a visual, 4 in a collision, 5 in an inertial, 6 in a material; an attribute
/// may stand at @.
const ROBOT: &str = r#"<robot name="r" @>{0}<link name="a" @>{1}<inertial>{5}<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>{0}
<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="2" izz="2" @/></inertial>{1}
<visual @>{3}<geometry><sphere radius=".2"/></geometry><material name="m" @>{6}<color rgba="1 0 0 1"/></material></visual>
<collision @><geometry @><box size="1 2 3" @/></geometry>{4}</collision></link>
<joint name="j" type="revolute" @>{2}<parent link="a"/><child link="b"/><axis xyz="0 0 1" @/><limit lower="-1" upper="1" effort="3" velocity="2" @/>
<dynamics damping=".1" @/></joint>{0}</robot>"#;

/// Elements and texts that are none of the format, and no slip for one.
const PARTS: [&str; 14] = [
    "<properties/>",
    "<device><x y=\"1\"/>text</device>",
    "<gravity>0</gravity>",
    "<kinematic/>",
    "<specular rgb=\"1 1 1\"/>",
    "<surface><friction><ode><mu>1</mu></ode></friction></surface>",
    "<foo:bar baz=\"2\"/>",
    "<drake:whatever/>",
    "stray",
    "--",
    "<meshes_and_more/>",
    "<!-- a comment -->",
    "<plugin filename=\"x.so\"/>",
    "<self_collide>true</self_collide>",
];
const ATTRIBUTES: [&str; 5] =
    ["concave=\"yes\"", "foo:bar=\"1\"", "portprefix=\"/x\"", "twist=\"3\"", "spring_stiffness=\"4\""];

/// Everything of a scene but notes and places.
fn content(s: &Scene) -> String {
    let bodies: Vec<_> = s.bodies.iter().map(|b| (&b.name, b.parent, b.pose, b.mass)).collect();
    let joints: Vec<_> = s
        .joints
        .iter()
        .map(|j| (&j.name, j.body, j.kind, j.axis, j.range, j.damping, j.stiffness, j.actuator_force_range))
        .collect();
    let geoms: Vec<_> =
        s.geoms.iter().map(|g| (&g.name, g.body, g.pose, &g.shape, g.mask, &g.surface, g.rgba)).collect();
    format!("{bodies:?} {joints:?} {geoms:?} {:?} {:?}", s.excludes, s.options)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn property_foreign_parts_change_nothing(
        parts in prop::collection::vec((0..9usize, 0..PARTS.len()), 0..6),
        attributes in prop::collection::vec((0..12usize, 0..ATTRIBUTES.len()), 0..4),
    ) {
        let fill = |parts: &[(usize, usize)], attributes: &[(usize, usize)]| {
            let (mut out, mut place, mut at) = (String::new(), 0, 0);
            let mut rest = ROBOT;
            while let Some(i) = rest.find(['{', '@']) {
                out += &rest[..i];
                if rest[i..].starts_with('@') {
                    attributes.iter().filter(|a| a.0 == at).take(1).for_each(|a| out += ATTRIBUTES[a.1]);
                    at += 1;
                    rest = &rest[i + 1..];
                } else {
                    parts.iter().filter(|p| p.0 == place).for_each(|p| out += PARTS[p.1]);
                    place += 1;
                    rest = &rest[i + 3..];
                }
            }
            out + rest
        };
        let read = |text: &str, options: &LoadOptions| Scene::from_urdf(text, "robot.urdf", options);
        let plain = LoadOptions::default();
        let text = fill(&parts, &attributes);
        let s = read(&text, &plain).unwrap_or_else(|e| panic!("{e}\n{text}"));
        prop_assert_eq!(content(&s), content(&read(&fill(&[], &[]), &plain).unwrap()), "{}", text);
        // Something beside comments is told of, and refused when asked to.
        let foreign = !attributes.is_empty() || parts.iter().any(|p| !PARTS[p.1].starts_with("<!--"));
        prop_assert_eq!(s.notes.iter().any(|n| n.kind == NoteKind::Unknown && n.place.line > 0), foreign, "{}", text);
        let strict = LoadOptions { strict: true, ..LoadOptions::default() };
        prop_assert_eq!(read(&text, &strict).is_err(), foreign);
    }
}
