use signorini_core::Shown;
use signorini_geometry::Shape;
use signorini_geometry::pressure::PressureField;

use crate::NoteKind;

/// How a surface takes part in contact over areas.
///
/// Two compliant surfaces meet where their pressures are equal, a compliant and a rigid one on the rigid surface; the force is the pressure over that area (kurtz2025cenic, sec. IV). Their friction is combined by
/// [`CombinationRule`](crate::CombinationRule), their dissipation with moduli in place of stiffness, so that a rigid side contributes none. Stiffness, margin, rolling and torsional friction of a [`Surface`](crate::Surface) have no
/// meaning there: an area resists turning by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hydroelastic {
    /// The surface meets others in points.
    #[default]
    Point,
    /// Rigid: others deform.
    Rigid {
        /// Length of edges on round shapes \[m\]; None: that of the shape.
        resolution: Option<f64>,
    },
    /// Compliant: the pressure within is the modulus times the extent of depth, 1 where the body is deepest.
    Compliant {
        /// Hydroelastic modulus \[Pa\], > 0; 1e5 to 1e8 is usual.
        modulus: f64,
        /// Length of edges of tetrahedra on round shapes and in meshes \[m\]; None: that of the shape.
        resolution: Option<f64>,
        /// Depth of a half-space at which the pressure is the modulus \[m\], which it needs; of no effect on other shapes.
        thickness: Option<f64>,
    },
}

/// Values of a surface as files state them: `rigid_hydroelastic`, `compliant_hydroelastic`, `hydroelastic_modulus`, `mesh_resolution_hint`,
/// `slab_thickness`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StatedArea {
    pub(crate) rigid: Option<bool>,
    pub(crate) compliant: Option<bool>,
    pub(crate) modulus: Option<f64>,
    pub(crate) resolution: Option<f64>,
    pub(crate) thickness: Option<f64>,
}

impl StatedArea {
    /// The surface, or the fault and the remedy.
    pub(crate) fn surface(self) -> Result<Hydroelastic, (&'static str, &'static str)> {
        match (self.is_rigid(), self.compliant == Some(true), self.modulus) {
            (true, true, _) => {
                Err(("rigid_hydroelastic and compliant_hydroelastic exclude each other", "keep one of them"))
            }
            (true, false, _) => Ok(Hydroelastic::Rigid { resolution: self.resolution }),
            (false, true, Some(modulus)) => {
                let (resolution, thickness) = (self.resolution, self.thickness);
                Ok(Hydroelastic::Compliant { modulus, resolution, thickness })
            }
            (false, true, None) => Err((
                "compliant_hydroelastic without a hydroelastic_modulus",
                "state hydroelastic_modulus in Pa (1e5 to 1e8 is usual)",
            )),
            (false, false, _) => Ok(Hydroelastic::Point),
        }
    }

    /// Whether values are stated that have no effect without `rigid_hydroelastic` or `compliant_hydroelastic`.
    pub(crate) fn is_idle(self) -> bool {
        self.states_values() && !self.is_rigid() && self.compliant != Some(true)
    }

    fn is_rigid(self) -> bool {
        self.rigid == Some(true)
    }

    pub(crate) fn states_values(self) -> bool {
        self.modulus.or(self.resolution).or(self.thickness).is_some()
    }

    /// Whether anything is stated.
    pub(crate) fn is_stated(self) -> bool {
        self.rigid.or(self.compliant).is_some() || self.states_values()
    }

    /// Whether it is stated that the surface is neither rigid nor compliant.
    pub(crate) fn is_point(self) -> bool {
        let chosen = self.is_rigid() || self.compliant == Some(true);
        !chosen && self.rigid.or(self.compliant).is_some()
    }

    /// With the values of another one where it states none.
    pub(crate) fn over(self, other: Self) -> Self {
        // One that is rigid or compliant is not the other.
        let chosen = self.is_rigid() || self.compliant == Some(true);
        let kept = |own: Option<bool>, other: Option<bool>| if chosen { own } else { own.or(other) };
        Self {
            rigid: kept(self.rigid, other.rigid),
            compliant: kept(self.compliant, other.compliant),
            modulus: self.modulus.or(other.modulus),
            resolution: self.resolution.or(other.resolution),
            thickness: self.thickness.or(other.thickness),
        }
    }

    /// Told of a modulus beside `rigid_hydroelastic`.
    pub(crate) fn rigid_modulus(self) -> Option<&'static str> {
        let told = "hydroelastic_modulus has no effect: rigid_hydroelastic makes the surface rigid";
        (self.is_rigid() && self.modulus.is_some()).then_some(told)
    }
}

/// Told of values that are idle.
pub(crate) const IDLE: &str = "values of contact over areas have no effect without rigid_hydroelastic or compliant_hydroelastic: the surface meets others \
                               in points";

/// Least and largest modulus \[Pa\] of which nothing is said.
const SOLID: [f64; 2] = [1.0, 1e15];

/// Told of a modulus \[Pa\] that no solid has.
pub(crate) fn doubt_of_modulus(modulus: f64) -> Option<String> {
    let [least, most] = SOLID;
    let why = match modulus {
        x if x < least => format!("below {} Pa it is softer", Shown(least)),
        x if x > most => format!("above {} Pa it is harder", Shown(most)),
        _ => return None,
    };
    let modulus = Shown(modulus);
    Some(format!("a hydroelastic_modulus of {modulus} Pa: {why} than any solid; 1e5 to 1e8 is usual"))
}

/// How the surfaces of a pair meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// Over an area, both compliant.
    CompliantCompliant,
    /// Over an area, one of both rigid.
    RigidCompliant,
    /// In points, because a surface says so.
    Points,
    /// In points, because both are rigid: [`BothRigid`] decides whether that is allowed.
    RigidPoints,
}

/// Pairs of two surfaces that are both [`Hydroelastic::Rigid`], between which there is no pressure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BothRigid {
    /// They meet in points, with the stiffness of their surfaces.
    #[default]
    Points,
    /// They are refused by name.
    Refuse,
}

impl Hydroelastic {
    /// Rigid, at the resolution of the shape.
    pub fn rigid() -> Self {
        Self::Rigid { resolution: None }
    }

    /// Compliant of a modulus \[Pa\], at the resolution of the shape.
    pub fn compliant(modulus: f64) -> Self {
        Self::Compliant { modulus, resolution: None, thickness: None }
    }

    /// With a resolution \[m\]; of no effect on [`Hydroelastic::Point`].
    #[must_use]
    pub fn with_resolution(mut self, length: f64) -> Self {
        match &mut self {
            Self::Point => {}
            Self::Rigid { resolution } | Self::Compliant { resolution, .. } => *resolution = Some(length),
        }
        self
    }

    /// With the thickness of a half-space \[m\]; of no effect unless it is compliant.
    #[must_use]
    pub fn with_thickness(mut self, depth: f64) -> Self {
        if let Self::Compliant { thickness, .. } = &mut self {
            *thickness = Some(depth);
        }
        self
    }

    /// Modulus \[Pa\], infinite where it is rigid; None in points.
    pub fn modulus(&self) -> Option<f64> {
        match self {
            Self::Point => None,
            Self::Rigid { .. } => Some(f64::INFINITY),
            Self::Compliant { modulus, .. } => Some(*modulus),
        }
    }

    /// What is wrong with its numbers, or with it on a shape, and the remedy.
    pub(crate) fn fault(&self, shape: Option<&Shape>) -> Option<(String, &'static str)> {
        let wrong = |x: &f64| !(*x > 0.0 && x.is_finite());
        let (Self::Rigid { resolution } | Self::Compliant { resolution, .. }) = self else { return None };
        if let Some(x) = resolution.filter(wrong) {
            let remedy = "give a positive, finite length in m, or none for that of the shape";
            return Some((format!("the resolution of its surface is {} m", Shown(x)), remedy));
        }
        let Self::Compliant { modulus, thickness, .. } = self else { return None };
        if wrong(modulus) {
            let remedy = "give a positive, finite modulus in Pa (1e5 to 1e8 is usual), or make it rigid";
            return Some((format!("its hydroelastic modulus is {} Pa", Shown(*modulus)), remedy));
        }
        if let Some(x) = thickness.filter(wrong) {
            let remedy = "give the depth in m at which the pressure is the modulus";
            return Some((format!("the thickness of its half-space is {} m", Shown(x)), remedy));
        }
        match shape {
            Some(Shape::HalfSpace) if thickness.is_none() => {
                let remedy = "state slab_thickness, the depth in m at which the pressure is the modulus, or make it rigid";
                Some(("it is a compliant half-space without a thickness".to_owned(), remedy))
            }
            Some(Shape::HeightField(_)) => {
                let remedy = "make it rigid, or let it meet others in points";
                Some(("it is a compliant height field, which has no inside".to_owned(), remedy))
            }
            _ => None,
        }
    }

    /// Values that have no effect on a shape, and a modulus that no solid has.
    pub(crate) fn notes(&self, shape: &Shape) -> Vec<(NoteKind, String)> {
        let mut out = Vec::new();
        let (Self::Rigid { resolution } | Self::Compliant { resolution, .. }) = self else { return out };
        let is_mesh = matches!(shape, Shape::Mesh(_));
        let (whose, needs) = match self {
            // The triangles of a mesh are its surface.
            Self::Rigid { .. } => ("surface of a rigid", !is_mesh && PressureField::needs_resolution(shape)),
            _ if resolution.is_none() => ("", true),
            _ if is_mesh => ("field of a convex", PressureField::needs_resolution(shape)),
            _ => ("field of a", PressureField::needs_resolution(shape)),
        };
        if resolution.is_some() && !needs {
            let name = shape.name();
            let text = format!("mesh_resolution_hint has no effect: the {whose} {name} needs none");
            out.push((NoteKind::Converted, text));
        }
        let Self::Compliant { modulus, thickness, .. } = self else { return out };
        if thickness.is_some() && !matches!(shape, Shape::HalfSpace) {
            let text = "slab_thickness has no effect: half-spaces alone have one".to_owned();
            out.push((NoteKind::Converted, text));
        }
        out.extend(doubt_of_modulus(*modulus).map(|text| (NoteKind::Warning, text)));
        out
    }

    /// How it meets another surface.
    pub fn meeting(&self, other: &Self) -> Meeting {
        use Hydroelastic::{Compliant, Point, Rigid};
        match (self, other) {
            (Point, _) | (_, Point) => Meeting::Points,
            (Rigid { .. }, Rigid { .. }) => Meeting::RigidPoints,
            (Compliant { .. }, Compliant { .. }) => Meeting::CompliantCompliant,
            _ => Meeting::RigidCompliant,
        }
    }
}

impl Meeting {
    /// Whether the force comes from an area.
    pub fn is_area(self) -> bool {
        matches!(self, Self::CompliantCompliant | Self::RigidCompliant)
    }
}
