//! Methods by name, for command lines, tables and files.

use signorini_laws::{DualCone, Law};

use super::{ComFree, Evaluation, Method, MethodError, PHYSICAL, Stepping};

/// A name and its constructor.
pub type Named<T> = (&'static str, T);

/// Methods by name, with their default options and steps as they are asked for; the first is the default.
pub const METHODS: [Named<fn() -> Method>; 4] = [
    ("icf", Method::icf),
    ("comfree", Method::comfree),
    ("ipc", Method::ipc),
    ("reference", Method::reference),
];

/// A stepping of an accuracy \[m, rad\] and a step \[s\].
pub type MakeStepping = fn(f64, f64) -> Stepping;

/// Steppings by the name of the integrator, of an accuracy \[m, rad\] and a step \[s\]; the first is the default.
pub const INTEGRATORS: [Named<MakeStepping>; 2] =
    [("cenic", |accuracy, _| Stepping::accurate(accuracy)), ("fixed", |_, dt| Stepping::Fixed { dt })];

/// Method that plans may drive: that of the worlds of a batch which stands for the real one.
#[derive(Clone, Copy, Debug)]
pub struct Plant {
    /// Name.
    pub name: &'static str,
    /// Description.
    pub description: &'static str,
    /// The method, for an accuracy \[m, rad\] of error control.
    pub method: fn(f64) -> Method,
}

/// Methods that plans may drive.
pub const PLANTS: [Plant; 4] = [
    Plant {
        name: "comfree",
        description: "Projected Gauss–Seidel over ComFree's impedance, fixed steps",
        method: |_| Method::comfree(),
    },
    Plant { name: "icf", description: "Convex implicit contact, fixed steps", method: |_| Method::icf() },
    Plant {
        name: "cenic",
        description: "Convex implicit contact under error control",
        method: Method::cenic,
    },
    Plant {
        name: "ipc",
        description: "Affine bodies that never intersect, fixed steps",
        method: |_| Method::ipc(),
    },
];

/// A method of [`METHODS`] by its name.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist.
pub fn by_name(name: &str) -> Result<Method, MethodError> {
    find("solver", name, &METHODS, |m| m.0).map(|m| m.1())
}

/// A method by its name, with a law by its name; the default one when left out. A law beside the default of `comfree` is evaluated once per step.
///
/// # Errors
/// [`MethodError::Unknown`], [`MethodError::Law`] with the names that exist; [`MethodError::Refused`] for a law that the method does not have.
pub fn method(name: &str, law: Option<&str>, stepping: Stepping) -> Result<Method, MethodError> {
    let method = by_name(name)?.with_stepping(stepping);
    let (default, controlled) = (method.law_name(), stepping.is_controlled());
    let name = law.unwrap_or(default);
    match method {
        Method::ComFree(_) if name == default && !controlled => Ok(method),
        Method::ComFree(_) => {
            let evaluation = Evaluation::Once { law: self::law(name, controlled)? };
            Ok(Method::ComFree(ComFree { evaluation, stepping }))
        }
        _ if name == default => Ok(method),
        _ => method.with_law(self::law(name, controlled)?),
    }
}

/// A law by name, for a stepping: under error control the dual cone has gains of its own, [`PHYSICAL`], because halving a step must not change the law.
///
/// # Errors
/// [`MethodError::Law`], with the names that exist; [`MethodError::Refused`] for the published dual cone under error control.
pub fn law(name: &str, controlled: bool) -> Result<Law, MethodError> {
    match Law::by_name(name)? {
        Law::DualCone(law) if controlled => Ok(Law::DualCone(DualCone { gains: PHYSICAL, ..law })),
        Law::PublishedDualCone(_) if controlled => Err(MethodError::Refused {
            method: name.into(),
            what: "error control over gains that belong to a fixed step",
            remedy: "take fixed steps, or the law dual_cone",
        }),
        law => Ok(law),
    }
}

/// Stepping by the name of an integrator.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist.
pub fn stepping(integrator: &str, accuracy: f64, dt: f64) -> Result<Stepping, MethodError> {
    find("integrator", integrator, &INTEGRATORS, |i| i.0).map(|i| i.1(accuracy, dt))
}

/// A method of [`PLANTS`] by its name, with steps as they are asked for; `accuracy` \[m, rad\] is that of error control.
///
/// # Errors
/// [`MethodError::Unknown`] with the names that exist.
pub fn plant(name: &str, accuracy: f64) -> Result<Method, MethodError> {
    find("plant", name, &PLANTS, |p| p.name).map(|p| (p.method)(accuracy))
}

/// The entry of a list that has this name.
fn find<'l, T>(
    what: &'static str,
    name: &str,
    list: &'l [T],
    name_of: fn(&T) -> &'static str,
) -> Result<&'l T, MethodError> {
    let known = || list.iter().map(name_of).collect::<Vec<_>>().join(", ");
    let found = list.iter().find(|entry| name_of(entry) == name);
    found.ok_or_else(|| MethodError::Unknown { what, name: name.into(), known: known() })
}
