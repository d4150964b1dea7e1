use signorini_laws::Gains;
use signorini_scene::{ActuatorForce, Scene};

/// Differences of a world from the scene of its batch. Everything left out is as in the scene.
///
/// Entries name elements by number, at most once each. A world with parameters equals, bit for bit, a single run of a scene built with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaneParameters {
    /// Gravity \[m/s²\], 3.
    pub gravity: Option<[f64; 3]>,
    /// Factors on mass and inertia: (body, factor > 0).
    pub mass_scale: Vec<(usize, f64)>,
    /// Friction of surfaces: (geom, \[sliding, torsional \[m\], rolling \[m\]\]), each ≥ 0. Dynamic friction keeps its ratio to the static one. Pairs
    /// whose contact the scene states keep that.
    pub friction: Vec<(usize, [f64; 3])>,
    /// MuJoCo's solimp of surfaces: (geom, \[dmin, dmax, width \[m\], midpoint, power\]): dmin, dmax and midpoint in 0 to 1, width ≥ 0, power ≥ 1. Read by a dual cone whose gains are not `Gains::Recovery`. Pairs as with friction.
    pub solimp: Vec<(usize, [f64; 5])>,
    /// Stiffness of surfaces: (geom, \[N/m\]), > 0; read by laws with a material. Pairs as with friction.
    pub contact_stiffness: Vec<(usize, f64)>,
    /// Hunt–Crossley dissipation of surfaces: (geom, \[s/m\]), ≥ 0; likewise.
    pub contact_dissipation: Vec<(usize, f64)>,
    /// Gains of the dual cone in place of those of the method, which must be comfree, as published `Gains::PerStep`; whether they are capped stays the method's.
    pub contact_gains: Option<Gains>,
    /// Joint damping: (joint, \[N·m·s/rad or N·s/m\]), ≥ 0.
    pub damping: Vec<(usize, f64)>,
    /// Joint stiffness: (joint, \[N·m/rad or N/m\]), ≥ 0.
    pub stiffness: Vec<(usize, f64)>,
    /// Joint armature: (joint, \[kg·m² or kg\]), ≥ 0.
    pub armature: Vec<(usize, f64)>,
    /// Dry friction of joints: (joint, \[N·m or N\]), ≥ 0.
    pub dry_friction: Vec<(usize, f64)>,
    /// Gains and bias of actuators: (actuator, force law), finite.
    pub actuator_force: Vec<(usize, ActuatorForce)>,
}

/// A parameter that does not fit the scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field}[{entry}]: {message}; {remedy}")]
pub struct ParameterError {
    /// Field of [`LaneParameters`].
    pub field: &'static str,
    /// Entry of it.
    pub entry: usize,
    /// The fault.
    pub message: String,
    /// Remedy.
    pub remedy: &'static str,
}

pub(crate) fn wrong(
    field: &'static str,
    entry: usize,
    message: String,
    remedy: &'static str,
) -> ParameterError {
    ParameterError { field, entry, message, remedy }
}

/// Fails on numbers of elements that do not exist or are given twice.
fn check_numbers<T>(
    field: &'static str,
    entries: &[(usize, T)],
    count: usize,
    names: impl Fn(usize) -> String,
) -> Result<(), ParameterError> {
    for (k, (i, _)) in entries.iter().enumerate() {
        if *i >= count {
            let message = format!("element {i} does not exist, the scene has {count}");
            return Err(wrong(field, k, message, "name an element of the scene by its number"));
        }
        if entries[..k].iter().any(|(j, _)| j == i) {
            return Err(wrong(field, k, format!("'{}' is given twice", names(*i)), "give it once"));
        }
    }
    Ok(())
}

/// Fails on a number that is negative or not finite.
fn check_value(field: &'static str, entry: usize, name: &str, x: f64) -> Result<(), ParameterError> {
    if x >= 0.0 && x.is_finite() {
        return Ok(());
    }
    Err(wrong(field, entry, format!("'{name}' gets {x}"), "give a finite number ≥ 0"))
}

/// Fails on a curve that MuJoCo would clamp.
fn check_solimp(entry: usize, name: &str, solimp: &[f64; 5]) -> Result<(), ParameterError> {
    let ranges = [
        ("dmin", 0.0..=1.0),
        ("dmax", 0.0..=1.0),
        ("width", 0.0..=f64::MAX),
        ("midpoint", 0.0..=1.0),
        ("power", 1.0..=f64::MAX),
    ];
    match ranges.into_iter().zip(solimp).find(|((_, range), x)| !range.contains(*x)) {
        None => Ok(()),
        Some(((what, _), x)) => Err(wrong(
            "solimp",
            entry,
            format!("'{name}' gets {what} {x}"),
            "give dmin, dmax and midpoint in 0 to 1, width at least 0, power at least 1",
        )),
    }
}

impl LaneParameters {
    /// Nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The scene with these parameters; `contact_gains` are none of a scene.
    ///
    /// # Errors
    /// [`ParameterError`]: elements that do not exist or are given twice, values out of range, masses of bodies without mass.
    pub fn apply(&self, scene: &Scene) -> Result<Scene, ParameterError> {
        let mut s = scene.clone();
        if let Some(g) = self.gravity {
            if let Some(k) = g.iter().position(|x| !x.is_finite()) {
                return Err(wrong("gravity", k, format!("is {}", g[k]), "give three finite numbers"));
            }
            s.options.gravity = g.into();
        }
        check_numbers("mass_scale", &self.mass_scale, s.bodies.len(), |i| scene.bodies[i].name.clone())?;
        for (k, (i, factor)) in self.mass_scale.iter().enumerate() {
            let body = &mut s.bodies[*i];
            if !(*factor > 0.0 && factor.is_finite()) {
                let message = format!("'{}' gets the factor {factor}", body.name);
                return Err(wrong("mass_scale", k, message, "give a finite factor > 0"));
            }
            let Some(m) = &mut body.mass else {
                let message = format!("'{}' has no mass to scale", body.name);
                return Err(wrong("mass_scale", k, message, "name a body with mass"));
            };
            m.mass *= factor;
            m.inertia *= *factor;
        }
        check_numbers("friction", &self.friction, s.geoms.len(), |i| scene.geoms[i].name.clone())?;
        for (k, (i, mu)) in self.friction.iter().enumerate() {
            let g = &mut s.geoms[*i];
            for x in mu {
                check_value("friction", k, &g.name, *x)?;
            }
            let surface = &mut g.surface;
            let ratio = match surface.friction_dynamic {
                Some(d) if surface.friction > 0.0 => Some(d / surface.friction),
                _ => None,
            };
            surface.friction_dynamic = ratio.map(|r| r * mu[0]);
            [surface.friction, surface.friction_torsional, surface.friction_rolling] = *mu;
        }
        let geom_name = |i: usize| scene.geoms[i].name.clone();
        check_numbers("solimp", &self.solimp, s.geoms.len(), geom_name)?;
        for (k, (i, solimp)) in self.solimp.iter().enumerate() {
            let g = &mut s.geoms[*i];
            check_solimp(k, &g.name, solimp)?;
            g.surface.sol.solimp = *solimp;
        }
        let surfaces: [(&'static str, &[(usize, f64)]); 2] = [
            ("contact_stiffness", &self.contact_stiffness),
            ("contact_dissipation", &self.contact_dissipation),
        ];
        for (field, entries) in surfaces {
            check_numbers(field, entries, s.geoms.len(), geom_name)?;
            for (k, (i, x)) in entries.iter().enumerate() {
                let g = &mut s.geoms[*i];
                check_value(field, k, &g.name, *x)?;
                match field {
                    "contact_stiffness" if *x == 0.0 => {
                        return Err(wrong(
                            field,
                            k,
                            format!("'{}' gets 0", g.name),
                            "give a finite number > 0",
                        ));
                    }
                    "contact_stiffness" => g.surface.stiffness = Some(*x),
                    _ => g.surface.dissipation = Some(*x),
                }
            }
        }
        let fields: [(&'static str, &[(usize, f64)]); 4] = [
            ("damping", &self.damping),
            ("stiffness", &self.stiffness),
            ("armature", &self.armature),
            ("dry_friction", &self.dry_friction),
        ];
        for (field, entries) in fields {
            check_numbers(field, entries, s.joints.len(), |i| scene.joints[i].name.clone())?;
            for (k, (i, x)) in entries.iter().enumerate() {
                let j = &mut s.joints[*i];
                check_value(field, k, &j.name, *x)?;
                match field {
                    "damping" => j.damping = *x,
                    "stiffness" => j.stiffness = *x,
                    "armature" => j.armature = *x,
                    _ => j.dry_friction = *x,
                }
            }
        }
        check_numbers("actuator_force", &self.actuator_force, s.actuators.len(), |i| {
            scene.actuators[i].name.clone()
        })?;
        for (k, (i, force)) in self.actuator_force.iter().enumerate() {
            let a = &mut s.actuators[*i];
            if !force.gain.iter().chain(&force.bias).chain(&force.damping_ratio).all(|x| x.is_finite()) {
                let message = format!("'{}' gets a gain or bias that is not finite", a.name);
                return Err(wrong("actuator_force", k, message, "give finite numbers"));
            }
            a.force = *force;
        }
        Ok(s)
    }
}
