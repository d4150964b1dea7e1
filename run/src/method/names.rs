//! Methods by name, for command lines, tables and files.

use signorini_ipc::IpcOptions;

use super::{ComFree, Evaluation, Icf, Ipc, Law, Method, MethodError, Reference, Skin, Stepping};

/// Names of the methods; the first is the default.
pub const METHODS: [&str; 4] = ["icf", "comfree", "ipc", "reference"];
/// Names of the integrators; the first is the default.
pub const INTEGRATORS: [&str; 2] = ["cenic", "fixed"];
/// Names of the methods that worlds of batches are stepped with, and their descriptions.
pub const PLANTS: [(&str, &str); 4] = [
    ("comfree", "Complementarity-free contact, fixed steps"),
    ("icf", "Convex implicit contact, fixed steps"),
    ("cenic", "Convex implicit contact under error control"),
    ("ipc", "Affine bodies that never intersect, fixed steps"),
];

/// The law that a method has when none is named.
pub fn default_law(method: &str) -> &'static str {
    match method {
        "comfree" => "dual_cone",
        "ipc" => "barrier",
        _ => "lagged",
    }
}

/// A method by its name, with a law by its name; the default one when left out.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist; [`MethodError::Refused`] for a law that the method does not have.
pub fn method(name: &str, law: Option<&str>, stepping: Stepping) -> Result<Method, MethodError> {
    let law = law.unwrap_or(default_law(name));
    let controlled = stepping.is_controlled();
    Ok(match name {
        "icf" => Method::Icf(Icf { law: Law::by_name(law, controlled)?, paper: false, stepping }),
        "reference" => {
            Method::Reference(Reference { law: Law::by_name(law, controlled)?, paper: false, stepping })
        }
        "comfree" => {
            let evaluation = match law {
                "dual_cone" if !controlled => ComFree::default().evaluation,
                law => Evaluation::Once { law: Law::by_name(law, controlled)? },
            };
            Method::ComFree(ComFree { evaluation, stepping })
        }
        "ipc" if law == "barrier" => Method::Ipc(Ipc { stepping, ..Ipc::default() }),
        "ipc" => {
            let skin = Skin::over(Law::by_name(law, controlled)?, &IpcOptions::default());
            Method::Ipc(Ipc { skin: Some(skin), stepping, ..Ipc::default() })
        }
        _ => return Err(unknown("solver", name, &METHODS)),
    })
}

/// Stepping by the name of an integrator.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist.
pub fn stepping(integrator: &str, accuracy: f64, dt: f64) -> Result<Stepping, MethodError> {
    match integrator {
        "cenic" => Ok(Stepping::accurate(accuracy)),
        "fixed" => Ok(Stepping::Fixed { dt }),
        name => Err(unknown("integrator", name, &INTEGRATORS)),
    }
}

/// A method of [`PLANTS`] by its name, with steps as they are asked for; `accuracy` \[m, rad\] is that of error control.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist.
pub fn plant(name: &str, accuracy: f64) -> Result<Method, MethodError> {
    match name {
        "cenic" => Ok(Method::cenic(accuracy)),
        "comfree" | "icf" | "ipc" => method(name, None, Stepping::Asked),
        _ => Err(unknown("plant", name, &PLANTS.map(|p| p.0))),
    }
}

fn unknown(what: &'static str, name: &str, known: &[&str]) -> MethodError {
    MethodError::Unknown { what, name: name.into(), known: known.join(", ") }
}
