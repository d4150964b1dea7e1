//! Elements of a scene in sentences about them.

use signorini_core::Shown;
use signorini_scene::{Equality, Geom, Joint, Place, Tendon};

/// An element with its place in the file, where it is of one: `arm.xml:3:1: joint 'elbow'`.
pub(crate) fn element(place: &Place, kind: &str, name: &str) -> String {
    match place.file {
        Some(_) => format!("{}: {kind} '{name}'", Place { element: String::new(), ..place.clone() }),
        None => format!("{kind} '{name}'"),
    }
}

pub(crate) fn geom(g: &Geom) -> String {
    element(&g.place, "geom", &g.name)
}

pub(crate) fn joint(j: &Joint) -> String {
    element(&j.place, "joint", &j.name)
}

pub(crate) fn tendon(t: &Tendon) -> String {
    element(&t.place, "tendon", &t.name)
}

pub(crate) fn equality(e: &Equality) -> String {
    element(&e.place, "equality", &e.name)
}

/// The coefficients beyond the first of a spring and a damper, which affine bodies do not have.
pub(crate) fn beyond_first(stiffness: [f64; 2], damping: [f64; 2]) -> Option<String> {
    let shown = |name: &str, c: [f64; 2]| {
        (c != [0.0; 2]).then(|| format!("{} and {} of its {name}", Shown(c[0]), Shown(c[1])))
    };
    let told: Vec<String> =
        [shown("stiffness", stiffness), shown("damping", damping)].into_iter().flatten().collect();
    let told = told.join(", ");
    (!told.is_empty()).then(|| {
        format!("the second and third coefficients {told} are left out; give one number, or take --solver icf, which has them")
    })
}
