//! Small files that MuJoCo loads and that were refused or read wrongly; the numbers are MuJoCo's.

use signorini_scene::{EqualityKind, LoadOptions, NoteKind, Scene, SceneError};
use signorini_testkit::data;

/// A witness; None where there are none.
fn witness(name: &str) -> Option<Scene> {
    let file = data::case("files")?.join(name);
    Some(Scene::load(&file, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}")))
}

fn has_note(s: &Scene, kind: NoteKind, text: &str) -> bool {
    s.notes.iter().any(|n| n.kind == kind && n.text.contains(text) && n.place.line > 0)
}

#[test]
fn regression_ranges_that_limit_nothing() {
    for name in ["joint_range_infinite.xml", "joint_range_zero_zero.xml"] {
        let Some(s) = witness(name) else { return };
        assert_eq!(s.joints[0].range, None, "{name}");
    }
}

#[test]
fn regression_classes_of_actuators() {
    let Some(s) = witness("motor_inherits_inheritrange.xml") else { return };
    let a = &s.actuators[0];
    assert_eq!((a.control_range, a.force.gain, a.force.bias), (Some([-2.0, 2.0]), [1.0, 0.0, 0.0], [0.0; 3]));
    let a = &witness("actuator_class_form.xml").unwrap().actuators[0];
    assert_eq!(a.control_range, Some([-2.0, 2.0]));
    assert_eq!((a.force.gain, a.force.bias), ([10.0, 0.0, 0.0], [0.0, -10.0, 0.0]));
}

#[test]
fn regression_bounds_of_massless_bodies() {
    let Some(s) = witness("boundmass_massless.xml") else { return };
    let expected = [(1.0, [0.2, 0.0, 0.0]), (0.5, [1.0, 0.0, 0.0]), (0.5, [0.0, 0.0, 1.0])];
    for (b, (mass, com)) in s.bodies[1..].iter().zip(expected) {
        let m = b.mass.unwrap();
        assert_eq!(m.mass, mass, "{}", b.name);
        assert!(
            (m.com.coords - signorini_core::na::Vector3::from(com)).norm() < 1e-15,
            "{}: {}",
            b.name,
            m.com
        );
        assert!((m.inertia - signorini_core::na::Matrix3::identity() * 0.01).amax() < 1e-15, "{}", b.name);
    }
}

#[test]
fn regression_tendons_welds_and_adhesion() {
    let Some(s) = witness("weld_torquescale_zero.xml") else { return };
    assert!(matches!(s.equalities[0].kind, EqualityKind::Connect { body_a: 1, body_b: 0, .. }));
    assert!(has_note(&s, NoteKind::Converted, "torquescale 0"));
    for name in ["support_tendon_armature.xml", "support_tendon_armature_fixed.xml"] {
        let s = witness(name).unwrap();
        assert_eq!(s.tendons[0].armature, 0.5, "{name}");
        assert!(has_note(&s, NoteKind::Converted, "between branches"), "{name}");
    }
    assert_eq!(witness("support_adhesion_actuator.xml").unwrap().actuators[0].force.gain[0], 2.0);
    assert_eq!(witness("refsite_translation.xml").unwrap().actuators.len(), 1);
}

#[test]
fn regression_urdf_with_parts_of_others() {
    let Some(s) = witness("urdf_mujoco_block.urdf") else { return };
    assert_eq!(s.bodies[1].mass.unwrap().mass, 1.0);
    assert!(has_note(&witness("urdf_specular.urdf").unwrap(), NoteKind::Unknown, "<specular>"));
    assert!(has_note(&witness("urdf_dont_collapse.urdf").unwrap(), NoteKind::Visual, "dont_collapse"));
    assert!(has_note(&witness("urdf_undeclared_prefix.urdf").unwrap(), NoteKind::Unknown, "is not declared"));
    let s = witness("urdf_zero_mass_with_inertia.urdf").unwrap();
    assert!(has_note(&s, NoteKind::Warning, "the mass is zero but the inertia is not"));
    assert!((s.total_mass() - 1.0).abs() < 1e-15);
    // Moments of inertia that are rounding count as none.
    assert_eq!(witness("inertia_roundoff.urdf").unwrap().bodies[2].mass.unwrap().inertia.amax(), 0.0);
    for name in ["urdf_specular.urdf", "urdf_undeclared_prefix.urdf"] {
        let options = LoadOptions { strict: true, ..LoadOptions::default() };
        let e = Scene::load(data::case("files").unwrap().join(name), &options).unwrap_err();
        assert!(matches!(e, SceneError::Invalid { .. }) && e.to_string().contains(name), "{e}");
    }
}
