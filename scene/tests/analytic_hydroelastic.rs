use std::sync::Arc;

use signorini_geometry::{HeightField, Shape};
use signorini_scene::{
    BothRigid, CombinationRule, ContactDefaults, Hydroelastic, Meeting, SceneBuilder, SceneError, Surface,
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
