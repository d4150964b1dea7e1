mod field;
mod hull;
mod result;
mod solid;
mod surface;

use signorini_core::na::{Vector2, Vector3};

pub use self::result::SignedDistance;
pub(crate) use self::surface::MeshSides;
use crate::{MeshDefect, Shape};

impl Shape {
    /// Signed distance of a point given in the frame of the shape \[m\]; None for meshes that enclose no solid, see [`Shape::check_solid`].
    ///
    /// Where several points of the surface are nearest (the centre of a ball, the axis of a cylinder) one of them is taken, always the same.
    /// Hulls and meshes are solids between flat faces, height fields solids with walls and a bottom.
    pub fn signed_distance(&self, p: &Vector3<f64>) -> Option<SignedDistance> {
        self.signed_distance_within(p, f64::INFINITY)
    }

    /// As [`Shape::signed_distance`], and None from `reach` \[m\] on: cheap for points far outside.
    pub fn signed_distance_within(&self, p: &Vector3<f64>, reach: f64) -> Option<SignedDistance> {
        let found = match self {
            Self::Sphere { radius } => ball(p, *radius),
            Self::Box { half_extents } => cuboid(p, half_extents),
            Self::Capsule { radius, half_length } => {
                let on_axis = Vector3::new(0.0, 0.0, p.z.clamp(-half_length, *half_length));
                ball(&(p - on_axis), *radius)
            }
            Self::Cylinder { radius, half_length } => cylinder(p, *radius, *half_length),
            Self::Ellipsoid { semi_axes } if p.norm() - semi_axes.max() >= reach => return None,
            Self::Ellipsoid { semi_axes } => ellipsoid(p, semi_axes),
            Self::HalfSpace => SignedDistance { distance: p.z, normal: Vector3::z() },
            Self::HeightField(field) => field::signed_distance(field, p, reach)?,
            Self::Convex(hull) => hull::signed_distance(hull, p, reach)?,
            Self::Mesh(mesh) => mesh.sides().ok()?.signed_distance(mesh.surface(), p, reach)?,
        };
        (found.distance < reach).then_some(found)
    }

    /// Replaces `out` by the sides of the shape that a point given in its frame may meet within `reach` \[m\] of its way: the nearest, and, where the shape is not convex,
    /// those in front of the point that rise by more than a twentieth of their distance above the tangent planes of nearer ones. A point that stays in front of all of them
    /// stays outside, to a twentieth of its way. Empty from `reach` on, and for meshes that enclose no solid.
    pub fn sides_within(&self, p: &Vector3<f64>, reach: f64, out: &mut Vec<SignedDistance>) {
        out.clear();
        out.extend(self.signed_distance_within(p, reach));
        match (self, out.first()) {
            (Self::HeightField(field), Some(_)) => {
                let near = solid::Near::new(p, reach);
                field::visit(field, p, reach, |t| near.offer(t));
                near.finish(out);
            }
            (Self::Mesh(mesh), Some(_)) => {
                let near = solid::Near::new(p, reach);
                mesh.bvh().nearest(&(*p).into(), reach * reach, |i| {
                    near.offer(mesh.triangle(i as usize).map(|v| v.coords));
                    reach * reach
                });
                near.finish(out);
            }
            _ => {}
        }
    }

    /// Checks that the shape has signed distances: a mesh must be closed and not inside out. It should not cut through itself either, which is not checked: signs near such places may be wrong.
    ///
    /// # Errors
    /// [`MeshDefect::Open`] or [`MeshDefect::InsideOut`].
    pub fn check_solid(&self) -> Result<(), MeshDefect> {
        match self {
            Self::Mesh(mesh) => mesh.sides().map(|_| ()).map_err(Clone::clone),
            _ => Ok(()),
        }
    }
}

fn ball(p: &Vector3<f64>, radius: f64) -> SignedDistance {
    let length = p.norm();
    let normal = if length > 0.0 { p / length } else { Vector3::x() };
    SignedDistance { distance: length - radius, normal }
}

fn cuboid(p: &Vector3<f64>, half: &Vector3<f64>) -> SignedDistance {
    let beyond = p.abs() - half;
    let side = |i: usize| 1.0f64.copysign(p[i]);
    if beyond.iter().all(|b| *b <= 0.0) {
        // The nearest face.
        let i = beyond.imax();
        let mut normal = Vector3::zeros();
        normal[i] = side(i);
        return SignedDistance { distance: beyond[i], normal };
    }
    let away = Vector3::from_fn(|i, _| beyond[i].max(0.0) * side(i));
    let distance = away.norm();
    SignedDistance { distance, normal: away / distance }
}

fn cylinder(p: &Vector3<f64>, radius: f64, half_length: f64) -> SignedDistance {
    let out = p.xy().norm();
    let radial = if out > 0.0 { p.xy() / out } else { Vector2::x() };
    let (across, along) = (out - radius, p.z.abs() - half_length);
    let up = 1.0f64.copysign(p.z);
    let made = |distance: f64, across: f64, along: f64| SignedDistance {
        distance,
        normal: Vector3::new(across * radial.x, across * radial.y, along * up),
    };
    if across > 0.0 && along > 0.0 {
        let distance = across.hypot(along);
        made(distance, across / distance, along / distance)
    } else if across > along {
        made(across, 1.0, 0.0)
    } else {
        made(along, 0.0, 1.0)
    }
}

/// The nearest point y has p − y = t (y/a²): yᵢ = aᵢ² pᵢ/(aᵢ² + t), with the t > −min a² at which y is on the surface (Eberly 2013). Sought as s = t + min a², which keeps its digits near zero.
fn ellipsoid(p: &Vector3<f64>, axes: &Vector3<f64>) -> SignedDistance {
    let squares = axes.component_mul(axes);
    let least = squares.imin();
    let longer = squares.add_scalar(-squares[least]);
    // At a centre plane of the shortest axis the root may be that of no y: a push along it picks a side.
    let mut at = p.abs();
    at[least] = at[least].max(1e-12 * axes[least]);
    let level = |s: f64| (0..3).map(|i| (axes[i] * at[i] / (longer[i] + s)).powi(2)).sum::<f64>() - 1.0;
    // The level falls from above zero at the lower end to below zero at the upper.
    let (mut low, mut high) = (axes[least] * at[least], axes.component_mul(&at).norm());
    for _ in 0..2000 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if level(middle) > 0.0 { low = middle } else { high = middle }
    }
    let s = 0.5 * (low + high);
    let y = Vector3::from_fn(|i, _| squares[i] * at[i] / (longer[i] + s));
    let normal = y.component_div(&squares).normalize();
    let inside = p.component_div(axes).norm_squared() < 1.0;
    let distance = (at - y).norm();
    SignedDistance {
        distance: if inside { -distance } else { distance },
        normal: Vector3::from_fn(|i, _| normal[i].copysign(p[i])),
    }
}
