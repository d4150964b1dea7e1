//! Text of model files is taken as MuJoCo's parser takes it.

use proptest::prelude::*;
use signorini_scene::{LoadOptions, NoteKind, Scene};

fn read(text: &str) -> Result<Scene, String> {
    Scene::from_mjcf(text, "robot.xml", &LoadOptions::default()).map_err(|e| e.to_string())
}

/// Texts around one sphere of radius 0.1 that MuJoCo 4.0 reads.
const READ: [&str; 15] = [
    "<mujoco><!-- a -- b --><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<mujoco><!-- a ---><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody><geom size='.1'name='x'/></worldbody></mujoco>",
    "<?xml version='1.0'?><?xml version='1.0'?><mujoco><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<!DOCTYPE mujoco><mujoco><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody><geom size='.1'/></worldbody></mujoco><x/>",
    "hello <mujoco><worldbody><geom size='.1'/></worldbody></mujoco>",
    "<mujoco>> <worldbody><geom size='.1'/>></worldbody></mujoco>",
    "<mujoco><worldbody> -- <geom size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody><geom name='a&amp;b&#65;&foo;&' size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody><geom name='a<b' size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody><![CDATA[ foo ]]><geom size='.1'/></worldbody></mujoco>",
    "<mujoco><worldbody>< geom size = '.1' ></geom ></worldbody></mujoco >",
    "<mujoco><body><geom/></body><worldbody><geom size='.1'/></worldbody></mujoco>",
];

/// Texts that MuJoCo 4.0 refuses, and a part of the message here.
const REFUSED: [(&str, &str); 7] = [
    ("<mujoco><worldbody><geom size='.1' size='.2'/></worldbody></mujoco>", "given twice"),
    ("<mujoco><worldbody><geom size=.1/></worldbody></mujoco>", "not quoted"),
    ("<mujoco><worldbody><geom size='.1'/></worldbody>", "<mujoco> of line 1 is not closed"),
    ("<mujoco><worldbody><geom size='.1'></worldbody></geom></mujoco>", "</worldbody> closes <geom>"),
    ("<mujoco><worldbody><geom size='.1'/ ></worldbody></mujoco>", "not well-formed"),
    ("<mujoco><worldbody><geom size='.1></worldbody></mujoco>", "is not closed"),
    ("<mujoco><!-- <worldbody/></mujoco>", "comment"),
];

#[test]
fn conformance_texts_that_mujoco_reads() {
    for text in READ {
        let s = read(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(s.geoms.len(), 1, "{text}");
    }
    assert_eq!(read(READ[10]).unwrap().geoms[0].name, "a&bA&foo;&");
    for (text, part) in REFUSED {
        let e = read(text).unwrap_err();
        assert!(e.contains("robot.xml:1:") && e.contains(part) && e.contains("close every element"), "{e}");
    }
}

#[test]
fn conformance_left_out_text_is_noted() {
    let text = "<mujoco>\n<worldbody> xiao <geom size='.1'/></worldbody></mujoco>";
    let s = read(text).unwrap();
    let note = s.notes.iter().find(|n| n.kind == NoteKind::Unknown).unwrap();
    assert!(note.text.contains("'xiao'") && note.place.line == 2, "{note:?}");
    let strict = LoadOptions { strict: true, ..LoadOptions::default() };
    let e = Scene::from_mjcf(text, "robot.xml", &strict).unwrap_err().to_string();
    assert!(e.contains("robot.xml:2:") && e.contains("'xiao'") && e.contains("remove it"), "{e}");
    let outside = read(READ[14]).unwrap();
    assert!(outside.notes.iter().any(|n| n.kind == NoteKind::Warning && n.text.contains("<worldbody>")));
}

/// A text between elements: blanks, comments, stray signs.
fn between() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ \n\t]{1,4}",
        "[-> a-z]{0,6}",
        "[-a-z <&]{0,8}".prop_map(|s| format!("<!--{}-->", s.replace("-->", ""))),
        Just("<![CDATA[ <x> ]]>".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Bodies in any dress have their sizes, and errors have their lines.
    #[test]
    fn property_dress_changes_nothing(
        sizes in prop::collection::vec(0.01f64..2.0, 1..6),
        dress in prop::collection::vec(between(), 8),
        single in any::<bool>(),
        blank in "[ \n\t]{0,2}",
    ) {
        let quote = if single { '\'' } else { '"' };
        let mut text = format!("{}<mujoco>{}<worldbody>", dress[0].replace(['<', '&'], ""), dress[1]);
        for (i, r) in sizes.iter().enumerate() {
            let d = &dress[i % dress.len()];
            text += &format!("{d}<geom{blank} size{blank}={blank}{quote}{r}{quote}name={quote}g{i}{quote}{blank}/>");
        }
        text += "</worldbody>\n\n";
        let s = read(&format!("{text}</mujoco>")).unwrap();
        prop_assert_eq!(s.geoms.len(), sizes.len());
        for (g, r) in s.geoms.iter().zip(&sizes) {
            let signorini_scene::GeomShape::Solid(signorini_geometry::Shape::Sphere { radius }) = &g.shape else {
                panic!("{g:?}")
            };
            prop_assert_eq!(radius, r);
        }
        let line = text.matches('\n').count() + 1;
        let e = read(&format!("{text}<wrong/></mujoco>")).unwrap_err();
        let place = format!("robot.xml:{line}:1:");
        prop_assert!(e.contains(&place), "{} is not in {}", place, e);
    }
}
