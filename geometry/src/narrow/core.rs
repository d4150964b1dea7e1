//! Convex cores: a shape is a core swept by a ball, so that shallow contact of round shapes keeps its cores apart.

use signorini_core::na::{Isometry3, Matrix3, Vector3};

use crate::{ConvexMesh, Shape};

type V = Vector3<f64>;

/// A convex set in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum Core<'a> {
    /// The origin.
    Point,
    /// From −h to h on z.
    Segment(f64),
    /// Half extents.
    Box(V),
    /// Radius and half length along z.
    Cylinder(f64, f64),
    /// Semi-axes.
    Ellipsoid(V),
    /// Convex polyhedron.
    Hull(&'a ConvexMesh),
    /// Corners.
    Triangle([V; 3]),
}

/// A core and the radius of the ball that sweeps it.
pub(super) fn core_of(shape: &Shape) -> Option<(Core<'_>, f64)> {
    Some(match shape {
        Shape::Sphere { radius } => (Core::Point, *radius),
        Shape::Box { half_extents } => (Core::Box(*half_extents), 0.0),
        Shape::Capsule { radius, half_length } => (Core::Segment(*half_length), *radius),
        Shape::Cylinder { radius, half_length } => (Core::Cylinder(*radius, *half_length), 0.0),
        Shape::Ellipsoid { semi_axes } => (Core::Ellipsoid(*semi_axes), 0.0),
        Shape::Convex(m) if !m.vertices.is_empty() => (Core::Hull(m), 0.0),
        _ => return None,
    })
}

/// Index of the hull vertex farthest along `d`.
#[inline]
pub(super) fn hull_support(m: &ConvexMesh, d: &V) -> usize {
    m.support(d) as usize
}

impl Core<'_> {
    /// The point farthest along `d`, which need not have unit length.
    #[inline]
    pub(super) fn support(&self, d: &V) -> V {
        match self {
            Core::Point => V::zeros(),
            Core::Segment(h) => V::new(0.0, 0.0, h.copysign(d.z)),
            Core::Box(h) => V::new(h.x.copysign(d.x), h.y.copysign(d.y), h.z.copysign(d.z)),
            Core::Cylinder(r, h) => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                let s = if rho > 0.0 { r / rho } else { 0.0 };
                let x = if rho > 0.0 { s * d.x } else { *r };
                V::new(x, s * d.y, h.copysign(d.z))
            }
            Core::Ellipsoid(e) => {
                let g = e.component_mul(d);
                let len = g.norm();
                if len > 0.0 { e.component_mul(&g) / len } else { V::new(e.x, 0.0, 0.0) }
            }
            Core::Hull(m) => m.vertices[hull_support(m, d)].coords,
            Core::Triangle(t) => t[triangle_support(t, d)],
        }
    }

    /// Whether the set has curved parts.
    pub(super) fn is_curved(&self) -> bool {
        matches!(self, Core::Cylinder(..) | Core::Ellipsoid(_))
    }

    /// Size of the coordinates, about.
    pub(super) fn extent(&self) -> f64 {
        match self {
            Core::Point => 0.0,
            Core::Segment(h) => *h,
            Core::Box(h) => h.norm(),
            Core::Cylinder(r, h) => r.hypot(*h),
            Core::Ellipsoid(e) => e.max(),
            Core::Hull(m) => m.ascent.extent,
            Core::Triangle(t) => t.iter().map(|p| p.norm_squared()).fold(0.0, f64::max).sqrt(),
        }
    }

    /// A ball that holds the set: centre and radius.
    pub(super) fn ball(&self) -> (V, f64) {
        match self {
            Core::Hull(m) => m.ascent.ball,
            _ => (V::zeros(), self.extent()),
        }
    }

    /// Hessian of the support function at the unit vector `d`; zero where the support is a corner.
    pub(super) fn hessian(&self, d: &V) -> Matrix3<f64> {
        match self {
            Core::Cylinder(r, _) => {
                let rho = (d.x * d.x + d.y * d.y).sqrt();
                if rho < 1e-12 {
                    return Matrix3::zeros();
                }
                let t = V::new(-d.y / rho, d.x / rho, 0.0);
                t * t.transpose() * (r / rho)
            }
            Core::Ellipsoid(e) => {
                let h = e.component_mul(d).norm();
                let p = self.support(d);
                (Matrix3::from_diagonal(&e.component_mul(e)) - p * p.transpose()) / h
            }
            _ => Matrix3::zeros(),
        }
    }
}

/// Index of the corner farthest along `d`.
pub(super) fn triangle_support(t: &[V; 3], d: &V) -> usize {
    let h = [t[0].dot(d), t[1].dot(d), t[2].dot(d)];
    if h[1] > h[0] {
        if h[2] > h[1] { 2 } else { 1 }
    } else if h[2] > h[0] {
        2
    } else {
        0
    }
}

/// Two cores in the frame of A.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'a> {
    pub(super) a: Core<'a>,
    pub(super) b: Core<'a>,
    /// Rotation from B to A.
    pub(super) r: Matrix3<f64>,
    /// Origin of B in A.
    pub(super) t: V,
    /// Size of the numbers involved: roundoff is a few 1e-16 of it.
    pub(super) scale: f64,
}

impl<'a> Pair<'a> {
    pub(super) fn new(a: Core<'a>, b: Core<'a>, x_ab: &Isometry3<f64>) -> Self {
        let r = *x_ab.rotation.to_rotation_matrix().matrix();
        let t = x_ab.translation.vector;
        let scale = a.extent() + b.extent() + t.norm();
        Self { a, b, r, t, scale }
    }

    /// The point of A farthest along `n` and the point of B farthest against it.
    #[inline]
    pub(super) fn support(&self, n: &V) -> (V, V) {
        (self.a.support(n), self.support_b(n))
    }

    #[inline]
    pub(super) fn support_b(&self, n: &V) -> V {
        self.r * self.b.support(&self.opposite_in_b(n)) + self.t
    }

    /// −n in the frame of B.
    #[inline]
    pub(super) fn opposite_in_b(&self, n: &V) -> V {
        -self.r.tr_mul(n)
    }

    /// Extent of B beyond A along the unit vector `n`: never above the signed distance of the cores, equal to it for the
    /// best `n`.
    #[inline]
    pub(super) fn separation(&self, n: &V) -> f64 {
        let (pa, pb) = self.support(n);
        n.dot(&(pb - pa))
    }
}

/// Two unit vectors that complete the unit vector `n` to a right-handed frame (n, t1, t2).
pub(crate) fn tangents(n: &V) -> (V, V) {
    // Without a jump except at n = −z (Duff et al. 2017).
    let s = 1f64.copysign(n.z);
    let a = -1.0 / (s + n.z);
    let b = n.x * n.y * a;
    (V::new(1.0 + s * n.x * n.x * a, s * b, -s * n.x), V::new(b, s + n.y * n.y * a, -n.y))
}

/// `v` over its length; None for lengths below `tiny` and NaN.
pub(super) fn unit(v: &V, tiny: f64) -> Option<V> {
    let len = v.norm();
    if len > tiny { Some(v / len) } else { None }
}
