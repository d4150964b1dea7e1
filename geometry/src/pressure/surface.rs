//! Surfaces between two bodies: where the pressures are equal, or where a rigid surface cuts a field.

use signorini_core::na::{Isometry3, Point3, Vector3};

use super::clip::Polygon;
use super::error::PressureError;
use super::field::{Linear, PressureField};
use super::polygon::{ContactPolygon, ContactSurface};
use super::rigid::RigidSurface;
use super::slices::unpack;
use crate::{Aabb, TriangleMesh};

type V = Vector3<f64>;
type P = Point3<f64>;
type Pose = Isometry3<f64>;

/// Values of the difference of two pressures below this part of the sum of the moduli are zero: fields that agree in a volume, as of two boxes flush with each other, have one surface there, not one by rounding.
const LEVEL: f64 = 1e-12;
/// Likewise for distances from a plane, in parts of the coordinates.
const PLANE: f64 = 1e-13;
/// Gradients that differ by less than this part of their sum have no plane of equal pressure.
const PARALLEL: f64 = 1e-9;
/// Cosines of the angles 5π/8, up to which a polygon counts as a whole, and 3π/4, from which on it does not count.
const WHOLE: f64 = -0.382_683_432_365_089_8;
const NONE: f64 = -std::f64::consts::FRAC_1_SQRT_2;

/// One body of a query.
#[derive(Clone, Copy, Debug)]
pub enum Side<'a> {
    /// Compliant: the pressure is the modulus times the extent of the field.
    Compliant {
        /// The field.
        field: &'a PressureField,
        /// Hydroelastic modulus \[Pa\], > 0.
        modulus: f64,
    },
    /// Rigid.
    Rigid(&'a RigidSurface),
}

/// Polygons whose normal points against the gradient of a side: the surface folds back behind the deepest points of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folds {
    /// All count. The force is then the gradient of an energy, and a body in the depth of a softer one is pushed no more.
    Keep,
    /// Those at more than 5π/8 are left out, as in kurtz2025cenic. The force jumps where a body turns through that angle.
    Drop,
    /// Whole up to 5π/8, nothing from 3π/4 on, and smoothly between: as [`Self::Drop`] for shallow contact, without jumps.
    #[default]
    Fade,
}

/// Options of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOptions {
    /// Polygons that point against a gradient.
    pub folds: Folds,
    /// Whether corners of polygons are kept.
    pub keeps_vertices: bool,
    /// Longest diagonal of a polygon \[m\]: longer ones are cut in pieces. Infinite by default.
    pub grain: f64,
}

impl Default for SurfaceOptions {
    fn default() -> Self {
        Self { folds: Folds::default(), keeps_vertices: false, grain: f64::INFINITY }
    }
}

/// A side with its place in the frame of the other one.
enum Body<'a> {
    Tetrahedra(&'a PressureField, f64),
    /// A compliant half-space: pressure in its own frame.
    Slope(Linear),
    Triangles(&'a TriangleMesh),
    Plane,
}

impl<'a> Body<'a> {
    fn of(side: &Side<'a>) -> Result<Self, PressureError> {
        match *side {
            Side::Compliant { modulus, .. } if !(modulus > 0.0 && modulus.is_finite()) => {
                Err(PressureError::Modulus { value: modulus })
            }
            Side::Compliant { field, modulus } => Ok(match field.thickness() {
                Some(thickness) => {
                    Self::Slope(Linear { gradient: V::z() * (-modulus / thickness), origin: 0.0 })
                }
                None => Self::Tetrahedra(field, modulus),
            }),
            Side::Rigid(surface) => Ok(surface.triangles().map_or(Self::Plane, Self::Triangles)),
        }
    }
}

impl ContactSurface {
    /// Replaces the surface by that between the bodies A and B at the given poses in the world.
    ///
    /// Between two compliant bodies it is where the pressures are equal, between a compliant and a rigid one the surface of the rigid one within the other. The force on B is [`Self::force`]; exchanging the bodies turns
    /// normals round. Polygons come in the order of their elements, which does not depend on hierarchies or former queries.
    ///
    /// ```
    /// use signorini_core::na::{Isometry3, Vector3};
    /// use signorini_geometry::Shape;
    /// use signorini_geometry::pressure::{ContactSurface, PressureField, RigidSurface, Side, SurfaceOptions};
    ///
    /// let floor = RigidSurface::new(&Shape::HalfSpace, None)?;
    /// let field = PressureField::new(&Shape::Box { half_extents: Vector3::new(0.1, 0.2, 0.05) }, None)?;
    /// let cube = Side::Compliant { field: &field, modulus: 1e7 };
    /// let mut surface = ContactSurface::new();
    /// let (at, up) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.049));
    /// surface.find(&Side::Rigid(&floor), &at, &cube, &up, &SurfaceOptions::default())?;
    /// // A millimetre of fifty over the face; within a millimetre of its sides they are nearer.
    /// let expected = 1e7 * (0.001 / 0.05) * (0.2 * 0.4);
    /// assert!(surface.force().z < expected && surface.force().z > 0.99 * expected);
    /// # Ok::<(), signorini_geometry::pressure::PressureError>(())
    /// ```
    ///
    /// # Errors
    /// [`PressureError::BothRigid`], [`PressureError::BothUnbounded`], [`PressureError::Modulus`]; [`PressureError::Option`] for a grain that is not positive or a pose that is not finite. The surface is then empty.
    pub fn find(
        &mut self,
        a: &Side<'_>,
        x_wa: &Pose,
        b: &Side<'_>,
        x_wb: &Pose,
        options: &SurfaceOptions,
    ) -> Result<(), PressureError> {
        self.clear();
        check(x_wa, x_wb, options)?;
        let (body_a, body_b) = (Body::of(a)?, Body::of(b)?);
        use Body::{Plane, Slope, Tetrahedra, Triangles};
        // Work in the frame of the side with tetrahedra, else of the compliant one.
        let flipped = match (&body_a, &body_b) {
            (Triangles(_) | Plane, Triangles(_) | Plane) => return Err(PressureError::BothRigid),
            (Slope(_) | Plane, Slope(_) | Plane) => return Err(PressureError::BothUnbounded),
            (Tetrahedra(..), _) | (Slope(_), Triangles(_)) => false,
            _ => true,
        };
        let (c, s) = if flipped { (body_b, body_a) } else { (body_a, body_b) };
        let (x_wc, x_ws) = if flipped { (x_wb, x_wa) } else { (x_wa, x_wb) };
        let x_cs = x_wc.inv_mul(x_ws);
        let mut out = Output { surface: self, x_wc, flipped, options };
        match (c, s) {
            (Tetrahedra(field, e), Tetrahedra(other, f)) => compliant(field, e, other, f, &x_cs, &mut out),
            (Tetrahedra(field, e), Slope(slope)) => sloped(field, e, &placed(&slope, &x_cs), &mut out),
            (Tetrahedra(field, e), Plane) => flat(field, e, &x_cs, &mut out),
            (Tetrahedra(field, e), Triangles(mesh)) => rigid(field, e, mesh, &x_cs, &mut out),
            (Slope(slope), Triangles(mesh)) => sunken(&slope, mesh, &x_cs, &mut out),
            // Told above.
            _ => {}
        }
        self.polygons.sort_unstable_by_key(|p| (p.elements, p.piece));
        Ok(())
    }
}

fn check(x_wa: &Pose, x_wb: &Pose, options: &SurfaceOptions) -> Result<(), PressureError> {
    if options.grain.is_nan() || options.grain <= 0.0 {
        return Err(PressureError::Option { name: "the grain", wanted: "positive", value: options.grain });
    }
    for x in [x_wa, x_wb] {
        let numbers = x.translation.vector.iter().chain(x.rotation.coords.iter());
        if let Some(value) = numbers.copied().find(|v| !v.is_finite()) {
            return Err(PressureError::Option { name: "a pose", wanted: "finite", value });
        }
    }
    Ok(())
}

/// A linear function of one frame in another: `x_cs` maps the former to the latter.
fn placed(f: &Linear, x_cs: &Pose) -> Linear {
    let gradient = x_cs.rotation * f.gradient;
    Linear { gradient, origin: f.origin - gradient.dot(&x_cs.translation.vector) }
}

/// A polygon and all that a contact needs, in the frame of the body that has the tetrahedra.
struct Found<'a> {
    polygon: &'a Polygon,
    /// Unit normal into that body.
    normal: V,
    pressure: &'a Linear,
    /// Gradients of pressure of that body and of the other one, None where it is rigid \[Pa/m\].
    gradients: [Option<V>; 2],
    elements: [u32; 2],
}

/// Where polygons go.
struct Output<'a> {
    surface: &'a mut ContactSurface,
    x_wc: &'a Pose,
    /// Whether the body that has the tetrahedra is B.
    flipped: bool,
    options: &'a SurfaceOptions,
}

impl Output<'_> {
    fn add(&mut self, f: &Found<'_>) {
        // Into the body that has the tetrahedra its pressure grows, and that of the other one falls.
        let mut gradients =
            [f.gradients[0].map(|g| g.dot(&f.normal)), f.gradients[1].map(|g| -g.dot(&f.normal))];
        let cosine = (0..2).filter_map(|k| Some(gradients[k]? / f.gradients[k]?.norm())).fold(1.0, f64::min);
        let weight = match self.options.folds {
            Folds::Keep => 1.0,
            Folds::Drop => f64::from(u8::from(cosine >= WHOLE)),
            Folds::Fade => {
                let t = ((cosine - NONE) / (WHOLE - NONE)).clamp(0.0, 1.0);
                t * t * (3.0 - 2.0 * t)
            }
        };
        if weight == 0.0 {
            return;
        }
        let (mut elements, mut normal) = (f.elements, self.x_wc.rotation * f.normal);
        if self.flipped {
            gradients.swap(0, 1);
            elements.swap(0, 1);
        } else {
            normal = -normal;
        }
        let gradients = gradients.map(|g| g.unwrap_or(f64::INFINITY));
        let slope = self.x_wc.rotation * f.pressure.gradient;
        let mut piece = 0;
        let (surface, x_wc, keeps) = (&mut *self.surface, self.x_wc, self.options.keeps_vertices);
        let turned = !self.flipped;
        f.polygon.pieces(self.options.grain, &mut |part| {
            let Some(m) = part.moments(&f.normal, f.pressure) else { return };
            let start = surface.vertices.len() as u32;
            if keeps {
                surface.vertices.extend(part.corners().iter().map(|p| x_wc * p));
                if turned {
                    surface.vertices[start as usize..].reverse();
                }
            }
            surface.polygons.push(ContactPolygon {
                area: m.area * weight,
                centroid: x_wc * m.centroid,
                center_of_pressure: x_wc * m.center_of_pressure,
                normal,
                pressure: m.pressure,
                gradients,
                slope,
                elements,
                piece,
                vertices: start..surface.vertices.len() as u32,
            });
            piece += 1;
        });
    }
}

/// Zero where it is zero but for rounding.
#[inline]
fn leveled(h: f64, tolerance: f64) -> f64 {
    if h.abs() <= tolerance { 0.0 } else { h }
}

/// Whether a linear function with these values has level zero within; zero counts as positive.
#[inline]
fn crosses(h: &[f64; 4]) -> bool {
    let negative = h.iter().filter(|h| **h < 0.0).count();
    negative != 0 && negative != 4
}

/// A tetrahedron with pressures.
struct Loaded {
    corners: [P; 4],
    nodal: [f64; 4],
    pressure: Linear,
}

impl Loaded {
    fn new(field: &PressureField, modulus: f64, i: u32) -> Self {
        let i = i as usize;
        Self {
            corners: field.tetrahedron(i),
            nodal: field.corner_extents(i).map(|e| e * modulus),
            pressure: field.linear(i).times(modulus),
        }
    }

    fn placed(mut self, x_cs: &Pose) -> Self {
        self.corners = self.corners.map(|p| x_cs * p);
        self.pressure = placed(&self.pressure, x_cs);
        self
    }
}

/// Direction of the difference of two gradients, None where it is rounding.
fn direction(a: &V, b: &V) -> Option<V> {
    let n = a - b;
    let length = n.norm();
    (length > PARALLEL * (a.norm() + b.norm())).then(|| n / length)
}

/// The pressure with fewer digits to lose.
fn softer<'a>(a: &'a Linear, b: &'a Linear) -> &'a Linear {
    if a.gradient.norm_squared() <= b.gradient.norm_squared() { a } else { b }
}

fn compliant(c: &PressureField, e: f64, s: &PressureField, f: f64, x_cs: &Pose, out: &mut Output<'_>) {
    let tolerance = LEVEL * (e + f);
    let mut last: Option<(u32, Loaded)> = None;
    let [mut p, mut q, mut spare] = [Polygon::empty(); 3];
    let mut pairs = std::mem::take(&mut out.surface.pairs);
    c.slices().pairs(e, s.slices(), f, x_cs, &mut pairs);
    for [i, j] in pairs.iter().copied().map(unpack) {
        if last.as_ref().is_none_or(|l| l.0 != i) {
            last = Some((i, Loaded::new(c, e, i)));
        }
        let Some((_, a)) = &last else { continue };
        let slope = placed(&s.linear(j as usize).times(f), x_cs);
        let h: [f64; 4] = std::array::from_fn(|k| leveled(a.nodal[k] - slope.at(&a.corners[k]), tolerance));
        if !crosses(&h) {
            continue;
        }
        let b = Loaded::new(s, f, j).placed(x_cs);
        let k: [f64; 4] =
            std::array::from_fn(|k| leveled(a.pressure.at(&b.corners[k]) - b.nodal[k], tolerance));
        if !crosses(&k) {
            continue;
        }
        let (ga, gb) = (a.pressure.gradient, b.pressure.gradient);
        let Some(normal) = direction(&ga, &gb) else { continue };
        if !p.set_section(&a.corners, &h, &normal) || !q.set_section(&b.corners, &k, &normal) {
            continue;
        }
        out.add(&Found {
            polygon: p.shared(&q, &normal, &mut spare),
            normal,
            pressure: softer(&a.pressure, &b.pressure),
            gradients: [Some(ga), Some(gb)],
            elements: [i, j],
        });
    }
    out.surface.pairs = pairs;
}

/// Against a compliant half-space with the pressure `slope`, positive inside.
fn sloped(c: &PressureField, e: f64, slope: &Linear, out: &mut Output<'_>) {
    let steep = slope.gradient.abs();
    let tolerance = LEVEL * (e + steep.norm() * reach(c));
    let meets = |b: &Aabb| {
        let (middle, half) = (slope.at(&b.center()), steep.dot(&b.half_extents()));
        middle + half >= 0.0 && middle - half <= e
    };
    let mut polygon = Polygon::empty();
    c.bvh().visit(meets, |i| {
        let a = Loaded::new(c, e, i);
        let h: [f64; 4] = std::array::from_fn(|k| leveled(a.nodal[k] - slope.at(&a.corners[k]), tolerance));
        if !crosses(&h) {
            return;
        }
        let Some(normal) = direction(&a.pressure.gradient, &slope.gradient) else { return };
        if !polygon.set_section(&a.corners, &h, &normal) {
            return;
        }
        out.add(&Found {
            polygon: &polygon,
            normal,
            pressure: softer(&a.pressure, slope),
            gradients: [Some(a.pressure.gradient), Some(slope.gradient)],
            elements: [i, 0],
        });
    });
}

/// Against the plane of a rigid half-space.
fn flat(c: &PressureField, e: f64, x_cs: &Pose, out: &mut Output<'_>) {
    let normal = x_cs.rotation * V::z();
    let level = normal.dot(&x_cs.translation.vector);
    let tolerance = PLANE * (reach(c) + level.abs());
    let steep = normal.abs();
    let meets =
        |b: &Aabb| (normal.dot(&b.center().coords) - level).abs() <= steep.dot(&b.half_extents()) + tolerance;
    let mut polygon = Polygon::empty();
    c.bvh().visit(meets, |i| {
        let a = Loaded::new(c, e, i);
        let h = a.corners.map(|p| leveled(normal.dot(&p.coords) - level, tolerance));
        if !crosses(&h) {
            return;
        }
        if !polygon.set_section(&a.corners, &h, &normal) {
            return;
        }
        out.add(&Found {
            polygon: &polygon,
            normal,
            pressure: &a.pressure,
            gradients: [Some(a.pressure.gradient), None],
            elements: [i, 0],
        });
    });
}

/// Against rigid triangles.
fn rigid(c: &PressureField, e: f64, mesh: &TriangleMesh, x_cs: &Pose, out: &mut Output<'_>) {
    let tolerance = PLANE * (reach(c) + x_cs.translation.vector.norm());
    let mut last: Option<(u32, Loaded)> = None;
    let [mut section, mut spare] = [Polygon::empty(); 2];
    let mut pairs = std::mem::take(&mut out.surface.pairs);
    c.slices().pairs_with(mesh.bvh(), x_cs, &mut pairs);
    for [i, j] in pairs.iter().copied().map(unpack) {
        if last.as_ref().is_none_or(|l| l.0 != i) {
            last = Some((i, Loaded::new(c, e, i)));
        }
        let Some((_, a)) = &last else { continue };
        let t = mesh.triangle(j as usize).map(|p| x_cs * p);
        let Some(normal) = (t[1] - t[0]).cross(&(t[2] - t[0])).try_normalize(0.0) else { continue };
        let h = a.corners.map(|p| leveled(normal.dot(&(p - t[0])), tolerance));
        if !crosses(&h) {
            continue;
        }
        if !section.set_section(&a.corners, &h, &normal) {
            continue;
        }
        out.add(&Found {
            polygon: section.shared(&Polygon::new(&t), &normal, &mut spare),
            normal,
            pressure: &a.pressure,
            gradients: [Some(a.pressure.gradient), None],
            elements: [i, j],
        });
    }
    out.surface.pairs = pairs;
}

/// Rigid triangles in a compliant half-space.
fn sunken(slope: &Linear, mesh: &TriangleMesh, x_cs: &Pose, out: &mut Output<'_>) {
    // Height over the plane, as a function in the frame of the mesh.
    let up = x_cs.rotation.inverse() * V::z();
    let level = x_cs.translation.vector.z;
    let steep = up.abs();
    let meets = |b: &Aabb| up.dot(&b.center().coords) + level <= steep.dot(&b.half_extents());
    mesh.bvh().visit(meets, |j| {
        let t = mesh.triangle(j as usize).map(|p| x_cs * p);
        let Some(normal) = (t[1] - t[0]).cross(&(t[2] - t[0])).try_normalize(0.0) else { return };
        out.add(&Found {
            polygon: &Polygon::new(&t).below(&V::z(), 0.0),
            normal,
            pressure: slope,
            gradients: [Some(slope.gradient), None],
            elements: [0, j],
        });
    });
}

/// Largest coordinate of a field \[m\].
fn reach(field: &PressureField) -> f64 {
    let bounds = field.bvh().bounds();
    bounds.min.coords.amax().max(bounds.max.coords.amax())
}
