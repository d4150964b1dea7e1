//! Mass properties of bodies: `<inertial>`, or the sum over geoms, then the corrections that `<compiler>` asks for.

use signorini_core::na::{Matrix3, Point3, SymmetricEigen, UnitQuaternion, Vector3};
use signorini_geometry::{MassProperties, Shape};

use super::Reader;
use super::align::principal_axes;
use super::compiler::{Compiler, FromGeoms};
use super::orientation::read_pose;
use crate::xml::{Element, Read};
use crate::{BodyId, GeomShape, Note, NoteKind, Pose};

/// Mass \[kg\] that stands in where a mesh was not read, and radius \[m\] of the ball whose inertia goes with it.
const PLACEHOLDER_MASS: f64 = 0.01;
const PLACEHOLDER_RADIUS: f64 = 0.02;

/// Masses of geoms and bodies, as far as they are read.
#[derive(Debug, Default)]
pub(super) struct Masses {
    /// Per body: whether its mass is the sum over its geoms.
    pub(super) needed: Vec<bool>,
    /// Per body: its `<inertial>`.
    pub(super) stated: Vec<Option<Inertial>>,
    /// Per geom: mass in body coordinates; None for geoms without volume.
    pub(super) of_geoms: Vec<Option<GeomMass>>,
    /// Free bodies whose frames become those of their inertia, where they have no child bodies.
    pub(super) aligned: Vec<BodyId>,
}

/// Mass and inertia of `<inertial>`.
#[derive(Clone, Debug)]
pub(super) struct Inertial {
    properties: MassProperties,
    /// It states an orientation of its axes or a full inertia.
    pub(super) is_oriented: bool,
    /// Axes of its moments.
    axes: UnitQuaternion<f64>,
}

/// Mass of a geom.
#[derive(Clone, Copy, Debug)]
pub(super) struct GeomMass {
    pub(super) properties: MassProperties,
    /// The geom's mesh was not read: the numbers are placeholders.
    pub(super) missing: bool,
}

impl GeomMass {
    /// Placeholder for a mesh that was not read.
    pub(super) fn placeholder(mass: Option<f64>) -> Self {
        let mass = mass.unwrap_or(PLACEHOLDER_MASS);
        let moment = 0.4 * mass * PLACEHOLDER_RADIUS * PLACEHOLDER_RADIUS;
        let inertia = Matrix3::from_diagonal_element(moment);
        Self { properties: MassProperties { mass, com: Point3::origin(), inertia }, missing: true }
    }

    /// The mass in the coordinates in which the geom's frame has the given pose.
    pub(super) fn placed(self, pose: &Pose) -> Self {
        let r = pose.rotation.to_rotation_matrix();
        let p = self.properties;
        let inertia = symmetric(r.matrix() * p.inertia * r.matrix().transpose());
        Self { properties: MassProperties { mass: p.mass, com: pose * p.com, inertia }, ..self }
    }
}

/// `fullinertia` as a matrix.
fn full_matrix([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

fn symmetric(m: Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

/// Sum of rigidly connected parts.
pub(super) fn sum(parts: &[MassProperties]) -> Option<MassProperties> {
    if let [one] = parts {
        return Some(*one);
    }
    let mass: f64 = parts.iter().map(|p| p.mass).sum();
    if mass <= 0.0 {
        return None;
    }
    let com = parts.iter().map(|p| p.com.coords * p.mass).sum::<Vector3<f64>>() / mass;
    let inertia = parts
        .iter()
        .map(|p| {
            let d = p.com.coords - com;
            p.inertia + (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * p.mass
        })
        .sum();
    Some(MassProperties { mass, com: com.into(), inertia })
}

impl Inertial {
    /// Reads `<inertial>`; `frame` is the pose of the enclosing frames in the body.
    pub(super) fn read(e: &Element, c: &Compiler, frame: &Pose) -> Read<Self> {
        e.required("pos")?;
        let mass = e.number("mass")?.ok_or_else(|| {
            e.invalid("attribute 'mass' is missing", "write mass=\"...\" in kg, or remove <inertial>")
        })?;
        if mass < 0.0 {
            return Err(e.invalid_at("mass", format!("the mass is {mass}"), "write a positive mass in kg"));
        }
        let pose = read_pose(e, c)?;
        let diagonal = e.vector::<3>("diaginertia")?;
        let full = e.vector::<6>("fullinertia")?;
        let is_turned = ["quat", "axisangle", "xyaxes", "zaxis", "euler"].iter().any(|a| e.has(a));
        let inertia = match (diagonal, full) {
            (Some(_), Some(_)) => {
                return Err(e.invalid_at(
                    "fullinertia",
                    "both diaginertia and fullinertia are given",
                    "keep one",
                ));
            }
            (None, None) => Matrix3::zeros(),
            (Some(d), None) => {
                check_moments(e, "diaginertia", d.into(), c)?;
                Matrix3::from_diagonal(&bounded(d.into(), c))
            }
            (None, Some(numbers)) => {
                if is_turned {
                    return Err(e.invalid_at(
                        "fullinertia",
                        "fullinertia and an orientation are both given",
                        "remove the orientation: fullinertia is in body axes",
                    ));
                }
                let m = full_matrix(numbers);
                let eigen = SymmetricEigen::new(m);
                check_moments(e, "fullinertia", eigen.eigenvalues, c)?;
                let d = bounded(eigen.eigenvalues, c);
                if d == eigen.eigenvalues {
                    m
                } else {
                    eigen.eigenvectors * Matrix3::from_diagonal(&d) * eigen.eigenvectors.transpose()
                }
            }
        };
        e.no_children()?;
        e.finish()?;
        let pose = frame * pose;
        let r = pose.rotation.to_rotation_matrix();
        let inertia = symmetric(r.matrix() * inertia * r.matrix().transpose());
        let com = Point3::from(pose.translation.vector);
        Ok(Self {
            properties: MassProperties { mass, com, inertia },
            is_oriented: is_turned || full.is_some(),
            axes: pose.rotation
                * full.map_or_else(UnitQuaternion::identity, |f| principal_axes(&full_matrix(f))),
        })
    }
}

/// Principal moments after `boundinertia` and `balanceinertia`.
fn bounded(d: Vector3<f64>, c: &Compiler) -> Vector3<f64> {
    let d = d.map(|x| x.max(c.bound_inertia));
    if c.balance && triangle_excess(d) > 0.0 { Vector3::from_element(d.mean()) } else { d }
}

/// Excess of the largest moment over the sum of the others; rounding aside.
fn triangle_excess(d: Vector3<f64>) -> f64 {
    let excess = 2.0 * d.max() - d.sum();
    // Moments of flat bodies satisfy the inequality as an equality, up to rounding in the file's decimals.
    if excess > 1e-9 * d.max() { excess } else { 0.0 }
}

/// Mass properties after `boundmass`, `boundinertia` and `balanceinertia`; None without mass. A body with nothing that has mass, at `pose` in its
/// parent, gets its bound at that place in its own frame, as in MuJoCo.
pub(crate) fn corrected(
    mut mass: Option<MassProperties>,
    pose: &Pose,
    c: &Compiler,
) -> Option<MassProperties> {
    if c.bound_mass > 0.0 && mass.is_none_or(|m| m.mass < c.bound_mass) {
        let com = Point3::from(pose.translation.vector);
        let nothing = MassProperties { mass: 0.0, com, inertia: Matrix3::zeros() };
        mass.get_or_insert(nothing).mass = c.bound_mass;
    }
    if let Some(m) = mass.as_mut() {
        let eigen = SymmetricEigen::new(m.inertia);
        let d = bounded(eigen.eigenvalues, c);
        if d != eigen.eigenvalues {
            m.inertia =
                symmetric(eigen.eigenvectors * Matrix3::from_diagonal(&d) * eigen.eigenvectors.transpose());
        }
    }
    mass.filter(|m| m.mass > 0.0)
}

fn check_moments(e: &Element, attribute: &str, d: Vector3<f64>, c: &Compiler) -> Read<()> {
    let shown = format!("({}, {}, {})", d.x, d.y, d.z);
    if d.min() < 0.0 && c.bound_inertia <= 0.0 {
        return Err(e.invalid_at(
            attribute,
            format!("the principal moments of inertia are {shown}: one is negative"),
            "write an inertia that is positive definite, or set boundinertia in <compiler>",
        ));
    }
    let d = d.map(|x| x.max(c.bound_inertia));
    if !c.balance && triangle_excess(d) > 0.0 {
        return Err(e.invalid_at(
            attribute,
            format!("the principal moments of inertia {shown} violate A + B >= C: no body has them"),
            "correct the inertia, or set balanceinertia=\"true\" in <compiler> to use their mean",
        ));
    }
    Ok(())
}

impl Reader<'_> {
    /// Gives each body its mass once all geoms are known.
    pub(super) fn finish_inertia(&mut self) {
        let mut of_body = vec![Vec::new(); self.scene.bodies.len()];
        self.scene.geoms.iter().enumerate().for_each(|(i, g)| of_body[g.body].push(i));
        for (b, geoms) in of_body.iter().enumerate().skip(1) {
            let explicit = self.masses.stated[b].as_ref();
            let from_geoms = match self.compilers[self.origins.bodies[b]].from_geoms {
                FromGeoms::Always => true,
                FromGeoms::WhenMissing => explicit.is_none(),
                FromGeoms::Never => false,
            };
            let mass =
                if from_geoms { self.mass_from_geoms(b, geoms) } else { explicit.map(|i| i.properties) };
            // Those before bounds make moments alike.
            let axes = match from_geoms {
                true => mass.map(|m| self.axes_from_geoms(b, geoms, &m)),
                false => self.masses.stated[b].as_ref().map(|i| i.axes),
            };
            let c = &self.compilers[self.origins.bodies[b]];
            self.scene.options.medium.axes.extend(axes.map(|a| (b, a)));
            let pose = self.scene.bodies[b].pose;
            self.scene.bodies[b].mass = corrected(mass, &pose, c);
        }
        self.scale_total_mass();
    }

    /// Axes of the moments of a body's geoms: those of the only geom with mass, else those of the sum, as MuJoCo chooses them.
    fn axes_from_geoms(&self, body: usize, geoms: &[usize], sum: &MassProperties) -> UnitQuaternion<f64> {
        let [low, high] = self.compilers[self.origins.bodies[body]].groups;
        let mut heavy = geoms.iter().filter(|i| {
            let has_mass = self.masses.of_geoms[**i].is_some_and(|m| m.properties.mass > 0.0);
            has_mass && (low..=high).contains(&i64::from(self.scene.geoms[**i].group))
        });
        let (Some(one), None) = (heavy.next(), heavy.next()) else { return principal_axes(&sum.inertia) };
        let geom = &self.scene.geoms[*one];
        match &geom.shape {
            GeomShape::Solid(s) if !matches!(s, Shape::Mesh(_) | Shape::Convex(_)) => geom.pose.rotation,
            _ => {
                let r = geom.pose.rotation.to_rotation_matrix();
                geom.pose.rotation * principal_axes(&(r.matrix().transpose() * sum.inertia * r.matrix()))
            }
        }
    }

    fn mass_from_geoms(&mut self, body: usize, geoms: &[usize]) -> Option<MassProperties> {
        let [low, high] = self.compilers[self.origins.bodies[body]].groups;
        let mut parts = Vec::new();
        let mut missing = Vec::new();
        for (g, m) in geoms.iter().map(|i| (&self.scene.geoms[*i], self.masses.of_geoms[*i])) {
            let Some(m) = m.filter(|m| m.properties.mass > 0.0) else { continue };
            if !(low..=high).contains(&i64::from(g.group)) {
                continue;
            }
            parts.push(m.properties);
            if m.missing {
                missing.push(g.place.clone());
            }
        }
        if let Some(place) = missing.first() {
            let b = &self.scene.bodies[body];
            self.notes.list.push(Note {
                kind: NoteKind::Warning,
                place: place.clone(),
                text: format!(
                    "body '{}' takes its inertia from {} mesh(es) that were not read: a placeholder of {} kg each \
                     stands in unless the geom states a mass",
                    b.name,
                    missing.len(),
                    PLACEHOLDER_MASS
                ),
            });
        }
        sum(&parts)
    }

    fn scale_total_mass(&mut self) {
        let total = self.scene.total_mass();
        let Some(wanted) = self.compilers[0].total_mass.filter(|_| total > 0.0) else { return };
        let factor = wanted / total;
        for m in self.scene.bodies.iter_mut().filter_map(|b| b.mass.as_mut()) {
            m.mass *= factor;
            m.inertia *= factor;
        }
    }
}
