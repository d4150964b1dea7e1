//! Curvatures of surfaces at contacts, for laws that depend on the local shape (Hertz).
//!
//! Near a point of contact with the unit normal n from A into B, at the tangent-plane offset x, the surface of A lies ½ xᵀ S_A x below the plane and
//! that of B ½ xᵀ S_B x above, S being the shape operators ∇n of the outward normals. So the gap is φ(x) = φ₀ + ½ xᵀ (S_A + S_B) x + O(|x|³), and the
//! eigenvalues of the sum are the curvatures of the gap: two spheres have 1/r_a + 1/r_b twice, crossed equal cylinders 1/r twice.

use signorini_core::na::{Isometry3, Matrix3, Point3, Vector3};

use crate::Shape;
use crate::narrow::{FACING, tangents};

type V = Vector3<f64>;

impl Shape {
    /// Principal curvatures of the surface at a point, larger first \[1/m\], 2; positive where the shape is convex. None at edges and corners.
    ///
    /// - `p` — the point, frame of the shape \[m\]; a gap away along the normal does no harm
    /// - `normal` — outward unit normal there, frame of the shape
    ///
    /// A normal within an angle of sine 0.1 of that of a face counts as that of the face, as it does for [`crate::contacts`]. Surfaces of triangles and
    /// height fields count as flat: the smooth surface behind their edges is not known.
    #[must_use]
    pub fn principal_curvatures(&self, p: &Point3<f64>, normal: &Vector3<f64>) -> Option<[f64; 2]> {
        Some(eigenvalues(&shape_operator(self, p, normal)?, normal))
    }
}

/// Principal relative curvatures of two surfaces at a contact, larger first \[1/m\], 2: the eigenvalues of the Hessian of the gap over the tangent plane.
/// None where either surface has an edge or a corner.
///
/// - `x_wa`, `x_wb` — poses of the shapes
/// - `p_w` — the contact point, world \[m\], on either surface or between them
/// - `normal_w` — unit normal from A into B, world
///
/// ```
/// use signorini_core::na::{Isometry3, Point3, Vector3};
/// use signorini_geometry::{Shape, relative_curvature};
///
/// let (ball, ground) = (Shape::Sphere { radius: 0.1 }, Shape::HalfSpace);
/// let (x_wa, x_wb) = (Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.1));
/// let found = relative_curvature(&ground, &x_wa, &ball, &x_wb, &Point3::origin(), &Vector3::z());
/// assert_eq!(found, Some([10.0, 10.0]));
/// ```
#[must_use]
pub fn relative_curvature(
    shape_a: &Shape,
    x_wa: &Isometry3<f64>,
    shape_b: &Shape,
    x_wb: &Isometry3<f64>,
    p_w: &Point3<f64>,
    normal_w: &Vector3<f64>,
) -> Option<[f64; 2]> {
    let world = |shape: &Shape, x_ws: &Isometry3<f64>, outward: V| {
        let (p, n) = (x_ws.inverse_transform_point(p_w), x_ws.inverse_transform_vector(&outward));
        let r = x_ws.rotation.to_rotation_matrix();
        Some(r.matrix() * shape_operator(shape, &p, &n)? * r.matrix().transpose())
    };
    let sum = world(shape_a, x_wa, *normal_w)? + world(shape_b, x_wb, -normal_w)?;
    Some(eigenvalues(&sum, normal_w))
}

/// Eigenvalues of a symmetric matrix over the plane normal to the unit vector `n`, larger first.
fn eigenvalues(s: &Matrix3<f64>, n: &V) -> [f64; 2] {
    let (t1, t2) = tangents(n);
    let (s1, s2) = (s * t1, s * t2);
    let (a, b, c) = (t1.dot(&s1), t1.dot(&s2), t2.dot(&s2));
    let (mean, half) = (0.5 * (a + c), (0.5 * (a - c)).hypot(b));
    [mean + half, mean - half]
}

/// The derivative of the outward unit normal along the surface; its value along `n` is left open.
fn shape_operator(shape: &Shape, p: &Point3<f64>, n: &V) -> Option<Matrix3<f64>> {
    let around_axis = |r: f64| {
        let rho = n.x.hypot(n.y);
        let t = V::new(-n.y, n.x, 0.0) / rho;
        t * t.transpose() / r
    };
    match shape {
        Shape::Sphere { radius } => Some(Matrix3::identity() / *radius),
        Shape::Capsule { radius, half_length } => {
            // On the seam of side and cap by round-off only: the side.
            let beside = p.z.abs() <= half_length + 1e-9 * (half_length + radius) && n.z.abs() <= FACING;
            Some(if beside { around_axis(*radius) } else { Matrix3::identity() / *radius })
        }
        Shape::Cylinder { radius, .. } => {
            if n.x.hypot(n.y) <= FACING {
                Some(Matrix3::zeros())
            } else {
                (n.z.abs() <= FACING).then(|| around_axis(*radius))
            }
        }
        Shape::Ellipsoid { semi_axes: e } => {
            // Where the normal is n the gradient of ½ Σ xᵢ²/eᵢ² is n over the support h = |(eᵢ nᵢ)|.
            let inverse = e.map(|e| 1.0 / (e * e));
            Some(Matrix3::from_diagonal(&inverse) * e.component_mul(n).norm())
        }
        Shape::Box { .. } => {
            let side = n.abs().max();
            (1.0 - side * side <= FACING * FACING).then(Matrix3::zeros)
        }
        Shape::Convex(hull) => {
            let own = hull.normals.get(hull.facing(n))?;
            (own.dot(n) > 0.0 && own.cross(n).norm_squared() <= FACING * FACING).then(Matrix3::zeros)
        }
        Shape::HalfSpace | Shape::Mesh(_) | Shape::HeightField(_) => Some(Matrix3::zeros()),
    }
}
