//! Surfaces between two bodies: where the pressures are equal, or where a rigid surface cuts a field.

use signorini_core::na::{Isometry3, Vector3};

use super::clip::Polygon;
use super::error::PressureError;
use super::field::{Linear, PressureField};
use super::loaded::{Loaded, Placed, leveled, placed};
use super::near_elements::{Extent, Layers, NearElements, find_pairs};
use super::polygon::{ContactPolygon, ContactSurface};
use super::rigid::RigidSurface;
use super::slices::{Layer, unpack};
use crate::{Aabb, TriangleMesh};

type V = Vector3<f64>;
type Pose = Isometry3<f64>;

/// Values of the difference of two pressures below this part of the sum of the moduli are zero: fields that agree in a volume, as of two boxes flush with each other, have one surface there, not one by rounding.
const LEVEL: f64 = 1e-12;
/// Likewise for distances from a plane, in parts of the coordinates.
const PLANE: f64 = 1e-13;
/// Gradients that differ by less than this part of their sum have no plane of equal pressure.
const PARALLEL: f64 = 1e-9;
/// Gradients that differ by more than this part have a plane of equal pressure that is known to rounding.
const SKEW: f64 = 1e-3;
/// Boxes about sections that are apart by this part of their size have nothing in common.
const APART: f64 = 1e-6;
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
        self.find_near([a, b], [x_wa, x_wb], options, None)
    }

    /// [`Self::find`] with the past of the pair.
    pub(crate) fn find_near(
        &mut self,
        [a, b]: [&Side<'_>; 2],
        [x_wa, x_wb]: [&Pose; 2],
        options: &SurfaceOptions,
        near: Option<&mut NearElements>,
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
        let mut out = Output { surface: self, near, x_wc, flipped, options };
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
    near: Option<&'a mut NearElements>,
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

/// Whether a linear function with these values has level zero within; zero counts as positive.
#[inline]
fn crosses(h: &[f64; 4]) -> bool {
    let negative = h.iter().filter(|h| **h < 0.0).count();
    negative != 0 && negative != 4
}

/// Whether a linear function with these values may have level zero within when they change by less than `change`.
#[inline]
fn may_cross(h: &[f64; 4], change: f64) -> bool {
    let [a, b, c, d] = *h;
    a.min(b).min(c).min(d) <= change && a.max(b).max(c).max(d) >= -change
}

/// Whether boxes are apart by more than rounding.
#[inline]
fn apart(a: &Aabb, b: &Aabb) -> bool {
    let gap = (a.min - b.max).sup(&(b.min - a.max)).max();
    gap > 0.0 && gap > APART * ((a.max - a.min).max() + (b.max - b.min).max())
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
    let (mut room, mut placed) =
        (std::mem::take(&mut out.surface.room), std::mem::take(&mut out.surface.placed));
    placed.clear();
    find_pairs(c.layers(e), s.layers(f), x_cs, (out.near.as_deref_mut(), &mut room), |[i, j], way| {
        if last.as_ref().is_none_or(|l| l.0 != i) {
            last = Some((i, Loaded::new(c, e, i)));
        }
        let Some((_, a)) = &last else { return true };
        let b = &placed.get(s, f, x_cs, j).element;
        // A point of the common surface is no farther than the way from one of the other body with that pressure.
        let [of_a, of_b] = [a, b].map(|t| 2.0 * tolerance + way * t.pressure.gradient.norm());
        may_cross(&a.above(&b.pressure, tolerance), of_b) && may_cross(&b.below(&a.pressure, tolerance), of_a)
    });
    for [i, j] in room.pairs.iter().copied().map(unpack) {
        if last.as_ref().is_none_or(|l| l.0 != i) {
            last = Some((i, Loaded::new(c, e, i)));
        }
        let Some((_, a)) = &last else { continue };
        let Placed { element: b, bounds } = placed.get(s, f, x_cs, j);
        let h = a.above(&b.pressure, tolerance);
        if !crosses(&h) {
            continue;
        }
        let k = b.below(&a.pressure, tolerance);
        if !crosses(&k) {
            continue;
        }
        let (ga, gb) = (a.pressure.gradient, b.pressure.gradient);
        // Where it is not, its sections may be anywhere along the gradient.
        let is_known = (ga - gb).norm_squared() > SKEW * SKEW * (ga.norm_squared() + gb.norm_squared());
        if !p.set_section(&a.corners, &h) || is_known && apart(&p.bounds(), bounds) {
            continue;
        }
        if !q.set_section(&b.corners, &k) || is_known && apart(&p.bounds(), &q.bounds()) {
            continue;
        }
        let Some(normal) = direction(&ga, &gb) else { continue };
        p.face(&normal);
        q.face(&normal);
        out.add(&Found {
            polygon: p.shared(&q, &normal, &mut spare),
            normal,
            pressure: softer(&a.pressure, &b.pressure),
            gradients: [Some(ga), Some(gb)],
            elements: [i, j],
        });
    }
    (out.surface.room, out.surface.placed) = (room, placed);
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
        let h = a.above(slope, tolerance);
        if !crosses(&h) {
            return;
        }
        let Some(normal) = direction(&a.pressure.gradient, &slope.gradient) else { return };
        if !polygon.set_section(&a.corners, &h) {
            return;
        }
        polygon.face(&normal);
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
        let height = |k: usize| leveled(normal.dot(&a.corners[k].coords) - level, tolerance);
        let h = [height(0), height(1), height(2), height(3)];
        if !crosses(&h) {
            return;
        }
        if !polygon.set_section(&a.corners, &h) {
            return;
        }
        polygon.face(&normal);
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
    let mut room = std::mem::take(&mut out.surface.room);
    let extent = Extent { elements: mesh.triangles().len(), bounds: mesh.bvh().bounds() };
    let layers = std::iter::once(Layer::of_triangles(mesh.bvh()));
    let triangles = Layers { layers, extent, modulus: f64::INFINITY };
    find_pairs(c.layers(e), triangles, x_cs, (out.near.as_deref_mut(), &mut room), |[i, j], way| {
        let t = mesh.triangle(j as usize).map(|p| x_cs * p);
        let Some(normal) = (t[1] - t[0]).cross(&(t[2] - t[0])).try_normalize(0.0) else { return true };
        let heights = Loaded::new(c, e, i).heights(&normal, &t[0], tolerance);
        may_cross(&heights, 2.0 * tolerance + way)
    });
    for [i, j] in room.pairs.iter().copied().map(unpack) {
        if last.as_ref().is_none_or(|l| l.0 != i) {
            last = Some((i, Loaded::new(c, e, i)));
        }
        let Some((_, a)) = &last else { continue };
        let t = mesh.triangle(j as usize).map(|p| x_cs * p);
        let Some(normal) = (t[1] - t[0]).cross(&(t[2] - t[0])).try_normalize(0.0) else { continue };
        let h = a.heights(&normal, &t[0], tolerance);
        if !crosses(&h) {
            continue;
        }
        if !section.set_section(&a.corners, &h) {
            continue;
        }
        section.face(&normal);
        out.add(&Found {
            polygon: section.shared(&Polygon::new(&t), &normal, &mut spare),
            normal,
            pressure: &a.pressure,
            gradients: [Some(a.pressure.gradient), None],
            elements: [i, j],
        });
    }
    out.surface.room = room;
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
