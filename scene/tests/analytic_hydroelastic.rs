use std::sync::Arc;

use signorini_geometry::{HeightField, Shape};
use signorini_scene::{
    BothRigid, CombinationRule, ContactDefaults, Hydroelastic, LoadOptions, Meeting, Note, NoteKind, Scene,
    SceneBuilder, SceneError, Surface,
};

fn surface(hydroelastic: Hydroelastic, dissipation: f64) -> Surface {
    Surface { hydroelastic, dissipation: Some(dissipation), friction: 0.5, condim: 6, ..Surface::default() }
}

/// Drake's rule: moduli in place of stiffness, and nothing from a rigid side; a side in points leaves the stiffness.
#[test]
fn analytic_dissipation_of_areas_is_weighed_by_moduli() {
    let [soft, hard] = [1e6, 3e6].map(Hydroelastic::compliant);
    let d = ContactDefaults::default();
    let of = |a: &Surface, b: &Surface| CombinationRule::Series.combine(a, b, &d).0;
    let (a, b) = (surface(soft, 8.0), surface(hard, 40.0));
    assert_eq!(of(&a, &b).dissipation, 0.75 * 8.0 + 0.25 * 40.0);
    assert_eq!(of(&b, &a).dissipation, of(&a, &b).dissipation);
    let rigid = surface(Hydroelastic::rigid(), 99.0);
    assert_eq!((of(&a, &rigid).dissipation, of(&rigid, &a).dissipation), (8.0, 8.0));
    assert_eq!(of(&a, &rigid).friction_static, 0.5);
    assert_eq!((of(&a, &rigid).condim, of(&rigid, &rigid).condim), (3, 6));
    let point = Surface { stiffness: Some(3.0 * d.stiffness), ..surface(Hydroelastic::Point, 40.0) };
    assert_eq!(of(&a, &point).dissipation, 0.75 * 8.0 + 0.25 * 40.0);
}

#[test]
fn analytic_meetings() {
    let (p, r, c) = (Hydroelastic::Point, Hydroelastic::rigid(), Hydroelastic::compliant(1e6));
    for (a, b, meets) in [
        (p, c, Meeting::Points),
        (p, r, Meeting::Points),
        (r, r, Meeting::RigidPoints),
        (r, c, Meeting::RigidCompliant),
        (c, c, Meeting::CompliantCompliant),
    ] {
        assert_eq!([a.meeting(&b), b.meeting(&a)], [meets; 2]);
        assert_eq!(meets.is_area(), matches!(meets, Meeting::RigidCompliant | Meeting::CompliantCompliant));
    }
    assert_eq!(signorini_scene::Options::default().both_rigid, BothRigid::Points);
}

/// Every wrong number is refused with the geom and a remedy.
#[test]
fn analytic_bad_fields_are_refused_by_name() {
    let field = HeightField::new(2, 2, [1.0, 1.0], vec![0.0; 4], 0.1);
    let cases = |kind: Hydroelastic, shape: Option<Shape>| {
        let builder = SceneBuilder::new("bad").world();
        let builder = builder.shape(shape.unwrap_or(Shape::Sphere { radius: 0.1 })).geom_name("pad");
        builder.hydroelastic(kind).build()
    };
    let ball = |kind| (kind, None);
    let mut bad = vec![
        (ball(Hydroelastic::compliant(1e6).with_resolution(0.0)), "resolution of its surface is 0 m"),
        (ball(Hydroelastic::rigid().with_resolution(-1.0)), "resolution of its surface is -1 m"),
        (ball(Hydroelastic::rigid().with_resolution(f64::NAN)), "resolution of its surface is NaN m"),
        (ball(Hydroelastic::compliant(1e6).with_thickness(0.0)), "thickness of its half-space is 0 m"),
        ((Hydroelastic::compliant(1e6), Some(Shape::HalfSpace)), "without a thickness"),
    ];
    for modulus in [0.0, -1e6, f64::NAN, f64::INFINITY] {
        bad.push((ball(Hydroelastic::compliant(modulus)), "hydroelastic modulus is"));
    }
    let field = Arc::new(field.unwrap());
    bad.push(((Hydroelastic::compliant(1e6), Some(Shape::HeightField(field.clone()))), "height field"));
    for ((kind, shape), says) in bad {
        match cases(kind, shape) {
            Err(SceneError::Invalid { place, message, remedy }) => {
                assert_eq!(place.element, "geom 'pad'");
                assert!(message.contains(says) && !remedy.is_empty(), "{message}; {remedy}");
            }
            other => panic!("{kind:?}: {other:?}"),
        }
    }
    for (kind, shape) in [
        (Hydroelastic::compliant(1e6).with_thickness(0.1), Some(Shape::HalfSpace)),
        (Hydroelastic::rigid(), Some(Shape::HalfSpace)),
        (Hydroelastic::rigid(), Some(Shape::HeightField(field))),
        ball(Hydroelastic::compliant(1e6).with_resolution(0.02)),
    ] {
        cases(kind, shape).unwrap();
    }
}

/// A URDF file with one shape and proximity properties, each of them `key` or `key=value`.
fn urdf(shape: &str, properties: &str) -> Scene {
    let element = |p: &str| match p.split_once('=') {
        Some((key, value)) => format!("<drake:{key} value='{value}'/>"),
        None => format!("<drake:{p}/>"),
    };
    let properties: String = properties.split(' ').map(element).collect();
    let text = format!(
        "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'>\n<collision name='pad'><geometry><{shape}/></geometry>
         <drake:proximity_properties>{properties}</drake:proximity_properties></collision></link></robot>"
    );
    Scene::from_urdf(&text, "r.urdf", &LoadOptions::default()).unwrap()
}

/// Values without effect are taken, as Drake takes them, with a note that names the place; moduli that no solid has are warned of.
#[test]
fn analytic_values_without_effect_are_noted() {
    let (cube, ball) = ("box size='.1 .1 .1'", "sphere radius='.1'");
    let soft = "compliant_hydroelastic hydroelastic_modulus=";
    for (shape, properties, kind, says) in [
        (
            cube,
            "1e6 mesh_resolution_hint=1",
            NoteKind::Converted,
            "mesh_resolution_hint has no effect: the field of a box",
        ),
        (ball, "1e6 slab_thickness=1", NoteKind::Converted, "slab_thickness has no effect"),
        (
            ball,
            "0.5",
            NoteKind::Warning,
            "hydroelastic_modulus of 0.5 Pa: below 1 Pa it is softer than any solid; 1e5 to 1e8",
        ),
        (ball, "2e15", NoteKind::Warning, "of 2e15 Pa: above 1e15 Pa it is harder"),
    ] {
        let scene = urdf(shape, &format!("{soft}{properties}"));
        assert!(matches!(scene.geoms[0].surface.hydroelastic, Hydroelastic::Compliant { .. }));
        let note =
            scene.notes.iter().find(|n| n.text.contains(says)).unwrap_or_else(|| panic!("{:?}", scene.notes));
        assert_eq!(note.kind, kind);
        assert!(note.place.to_string().starts_with("r.urdf:2:1: collision 'pad'"), "{}", note.place);
    }
    let rigid = urdf(cube, "rigid_hydroelastic hydroelastic_modulus=1e6 mesh_resolution_hint=1");
    let notes: Vec<&str> = rigid.notes.iter().map(|n| n.text.as_str()).collect();
    assert!(notes.iter().any(|n| n.contains("rigid_hydroelastic makes the surface rigid")), "{notes:?}");
    assert!(notes.iter().any(|n| n.contains("the surface of a rigid box needs none")), "{notes:?}");
    for (shape, properties) in [(ball, "1e6 mesh_resolution_hint=0.02"), (cube, "1"), (ball, "1e15")] {
        let notes = urdf(shape, &format!("{soft}{properties}")).notes;
        let told: Vec<&Note> = notes.iter().filter(|n| !n.text.contains("<inertial>")).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}

/// Equal notes are one, with the number of geoms; the name of a geom stands in it once.
#[test]
fn analytic_notes_name_the_first_geom_once() {
    let text = "<mujoco><worldbody><geom name='a' type='box' size='.1 .1 .1'/>
        <geom type='box' size='.1 .1 .2'/><body><freejoint/><geom name='c' size='.1'/></body></worldbody><custom>
        <text name='signorini:geom:a' data='compliant_hydroelastic hydroelastic_modulus=1e6 mesh_resolution_hint=0.3'/>
        <text name='signorini:geom:c' data='compliant_hydroelastic hydroelastic_modulus=1e6 mesh_resolution_hint=0.1'/></custom></mujoco>";
    let scene = Scene::from_mjcf(text, "m.xml", &LoadOptions::default()).unwrap();
    let told: Vec<String> = scene.notes.iter().map(|n| format!("{}: {}", n.place, n.text)).collect();
    assert_eq!(
        told,
        ["m.xml:1:20: geom 'a': mesh_resolution_hint has no effect: the field of a box needs none"]
    );
    let unnamed = scene.geoms.iter().find(|g| g.name != "a" && g.body == 0).unwrap();
    assert_eq!(unnamed.named_place().element, format!("geom '{}'", unnamed.name));
}

/// A ball, a plane, a box of another surface and one that meets others in points, under defaults of contact over areas.
fn under_default(default: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body><freejoint/><geom name='ball' size='.1'/>
         <geom name='seen' size='.1' contype='0' conaffinity='0'/><geom name='fine' size='.1'/>
         <geom name='hard' type='box' size='.1 .1 .1'/><geom name='point' size='.2'/></body></worldbody>
         <custom><text name='signorini:geom:fine' data='mesh_resolution_hint=0.02'/>
         <text name='signorini:default' data='{default}'/><text name='signorini:geom:hard' data='rigid_hydroelastic'/>
         <text name='signorini:geom:point' data='point'/></custom></mujoco>"
    );
    Scene::from_mjcf(&text, "m.xml", &LoadOptions::default())
}

/// Keys of the default hold for geoms that do not state them; a geom without an inside is rigid where others are compliant, with a note.
#[test]
fn analytic_defaults_of_areas() {
    let of =
        |scene: &Scene, name: &str| scene.geoms.iter().find(|g| g.name == name).unwrap().surface.hydroelastic;
    let scene = under_default("compliant_hydroelastic hydroelastic_modulus=2e6").unwrap();
    let soft = Hydroelastic::compliant(2e6);
    for (name, kind) in [
        ("floor", Hydroelastic::rigid()),
        ("ball", soft),
        ("seen", Hydroelastic::Point),
        ("fine", soft.with_resolution(0.02)),
        ("hard", Hydroelastic::rigid()),
        ("point", Hydroelastic::Point),
    ] {
        assert_eq!(of(&scene, name), kind, "{name}");
    }
    let note = scene.notes.iter().find(|n| n.text.contains("no inside for a pressure field")).unwrap();
    assert_eq!((note.kind, note.place.element.as_str()), (NoteKind::Converted, "geom 'floor'"));
    let slab = under_default("compliant_hydroelastic hydroelastic_modulus=2e6 slab_thickness=0.1").unwrap();
    assert_eq!(of(&slab, "floor"), soft.with_thickness(0.1));
    let rigid = under_default("rigid_hydroelastic").unwrap();
    assert_eq!([of(&rigid, "floor"), of(&rigid, "ball")], [Hydroelastic::rigid(); 2]);
    // Values of a default alone make no surface; a geom that counts on one says so.
    for (default, says) in [
        ("hydroelastic_modulus=2e6", "no effect without rigid_hydroelastic or compliant"),
        ("compliant_hydroelastic", "without a hydroelastic_modulus"),
        ("compliant_hydroelastic rigid_hydroelastic hydroelastic_modulus=1", "exclude each other"),
        ("compliant_hydroelastic hydroelastic_modulus=-1", "hydroelastic_modulus=-1 is out of range"),
    ] {
        let e = under_default(default).unwrap_err().to_string();
        assert!(e.contains(says) && e.starts_with("m.xml:"), "{default}: {e}");
    }
}

/// The word `point` beside others, and words that are none.
#[test]
fn regression_words_of_areas() {
    for (data, says) in [
        ("point rigid_hydroelastic", "point excludes what is stated"),
        ("point hydroelastic_modulus=1e6", "point excludes what is stated"),
        ("compliant", "compliant_hydroelastic"),
        ("modulus", "hydroelastic_modulus"),
        ("point=maybe", "neither true nor false"),
        ("stiffness=1 stiffness=2", "the key 'stiffness' is given twice; keep one"),
        (
            "rigid_hydroelastic mesh_resolution_hint=1 rigid_hydroelastic=true",
            "the key 'rigid_hydroelastic' is given twice",
        ),
    ] {
        let text = format!(
            "<mujoco><worldbody><geom name='g' size='.1'/></worldbody><custom><text name='signorini:geom:g' data='{data}'/></custom></mujoco>"
        );
        let e = Scene::from_mjcf(&text, "m.xml", &LoadOptions::default()).unwrap_err().to_string();
        assert!(e.contains(says) && e.starts_with("m.xml:1:"), "{data}: {e}");
    }
}

/// A property that is stated twice is refused by its line.
#[test]
fn regression_properties_are_stated_once() {
    let text = "<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'><collision name='pad'><geometry><sphere radius='.1'/></geometry>
        <drake:proximity_properties><drake:mu_static value='1'/>
        <drake:mu_static value='2'/></drake:proximity_properties></collision></link></robot>";
    let e = Scene::from_urdf(text, "r.urdf", &LoadOptions::default()).unwrap_err().to_string();
    assert!(
        e.starts_with("r.urdf:3:") && e.contains("a second <mu_static> in <proximity_properties>; keep one"),
        "{e}"
    );
}

/// Geoms that collide by explicit pairs alone are of the default, and of the option; those that are stated to meet in points stay so.
#[test]
fn analytic_pairs_and_points_under_defaults() {
    let model = |default: &str| {
        format!(
            "<mujoco><worldbody><geom name='table' type='box' size='1 1 .1' contype='0' conaffinity='0'/><body pos='0 0 1'><freejoint/>
             <geom name='ball' size='.1' contype='0' conaffinity='0'/><geom name='seen' size='.1' contype='0' conaffinity='0'/>
             <geom name='tip' size='.1'/></body></worldbody><contact><pair geom1='ball' geom2='table'/></contact>
             <custom>{default}<text name='signorini:geom:tip' data='point'/></custom></mujoco>"
        )
    };
    let kinds = |s: &Scene| -> Vec<bool> {
        s.geoms.iter().map(|g| g.surface.hydroelastic == Hydroelastic::compliant(1e6)).collect()
    };
    let read = |text: &str| Scene::from_mjcf(text, "m.xml", &LoadOptions::default()).unwrap();
    let default = "<text name='signorini:default' data='compliant_hydroelastic hydroelastic_modulus=1e6'/>";
    let by_default = read(&model(default));
    assert_eq!(kinds(&by_default), [true, true, false, false]);
    let mut by_option = read(&model(""));
    let told = by_option.make_compliant(1e6).unwrap();
    assert_eq!(kinds(&by_option), kinds(&by_default));
    assert!(
        told.iter().any(|t| t.contains("geom 'tip': keeps the surface that the model states")),
        "{told:?}"
    );
    let area = "<drake:proximity_properties><drake:compliant_hydroelastic value='false'/></drake:proximity_properties>";
    let urdf = format!("<robot name='r' xmlns:drake='http://drake.mit.edu'><link name='a'><collision><geometry><sphere radius='.1'/></geometry>{area}</collision>
        <collision><geometry><sphere radius='.2'/></geometry></collision></link></robot>");
    let mut scene = Scene::from_urdf(&urdf, "r.urdf", &LoadOptions::default()).unwrap();
    scene.make_compliant(1e6).unwrap();
    assert_eq!(kinds(&scene), [false, true]);
}

/// What meets others in points becomes compliant; what states its surface keeps it, and what has no inside is rigid, both told.
#[test]
fn analytic_scenes_are_made_compliant() {
    let b = SceneBuilder::new("made").half_space().body("own").free_joint().sphere(0.1);
    let b = b.hydroelastic(Hydroelastic::compliant(3e5)).body("a").free_joint().sphere(0.1);
    let mut scene =
        b.body("b").free_joint().shape(Shape::Box { half_extents: [0.1; 3].into() }).build().unwrap();
    for modulus in [0.0, -1e6, f64::NAN, f64::INFINITY] {
        assert!(scene.make_compliant(modulus).unwrap_err().contains("give a positive, finite modulus"));
    }
    let told = scene.make_compliant(1e6).unwrap();
    let kinds: Vec<_> = scene.geoms.iter().map(|g| g.surface.hydroelastic.modulus().unwrap()).collect();
    assert_eq!(kinds, [f64::INFINITY, 3e5, 1e6, 1e6]);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("geom 'own_geom0': keeps the surface"), "{told:?}");
    assert!(told[1].contains("geom 'world_geom0': is rigid"), "{told:?}");
    assert!(scene.make_compliant(1e6).unwrap_err().contains("no geom becomes compliant"));
    let mut soft = SceneBuilder::new("soft").body("a").free_joint().sphere(0.1).build().unwrap();
    assert!(soft.make_compliant(0.1).unwrap()[0].contains("softer than any solid"));
}
