use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{Aabb, Shape, aabb, bounding_ball};
use signorini_scene::Pose;

/// Ball and rounded box around a bounded shape, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Centre of both \[m\].
    pub center: Point3<f64>,
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Axes of the box.
    axes: Matrix3<f64>,
    /// Half its edges \[m\], and the radius of the ball that sweeps it.
    half: Vector3<f64>,
    rounding: f64,
}

/// Place of the bounds of a shape in the world; for a half-space a point of its surface and axes of which the third is its normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedBounds {
    pub center: Point3<f64>,
    pub axes: Matrix3<f64>,
}

impl PlacedBounds {
    pub(crate) fn normal(&self) -> Vector3<f64> {
        self.axes.column(2).into_owned()
    }
}

impl Bounds {
    /// None for unbounded shapes; `pose` is that of the shape in its body.
    pub(crate) fn new(shape: &Shape, pose: &Pose) -> Option<Self> {
        let (center, radius) = bounding_ball(shape)?;
        let b = aabb(shape, &Pose::identity());
        let (half, rounding) = match shape {
            Shape::Sphere { radius } => (Vector3::zeros(), *radius),
            Shape::Capsule { radius, half_length } => (Vector3::new(0.0, 0.0, *half_length), *radius),
            _ => (b.half_extents() + (b.center() - center).abs(), 0.0),
        };
        Some(Self {
            center: pose * center,
            radius,
            axes: pose.rotation.to_rotation_matrix().into_inner(),
            half,
            rounding,
        })
    }

    /// Shortest side of the box \[m\].
    pub(crate) fn thickness(&self) -> f64 {
        2.0 * (self.half.min() + self.rounding)
    }

    /// The shape is the ball.
    #[inline]
    fn is_ball(&self) -> bool {
        self.rounding == self.radius
    }

    /// For a body at `p` with axes `r`.
    #[inline]
    pub(crate) fn placed(&self, r: &Matrix3<f64>, p: &Vector3<f64>) -> PlacedBounds {
        // Nobody asks for the axes of a ball.
        let axes = if self.is_ball() { Matrix3::identity() } else { r * self.axes };
        PlacedBounds { center: Point3::from(r * self.center.coords + p), axes }
    }

    /// Axis-aligned box, world, of a body at `p` with axes `r`.
    pub(crate) fn aabb(&self, r: &Matrix3<f64>, p: &Vector3<f64>) -> Aabb {
        let center = Point3::from(r * self.center.coords + p);
        let half = ((r * self.axes).abs() * self.half).add_scalar(self.rounding);
        Aabb::new(center - half, center + half)
    }

    /// Height above the plane through `o` with normal `n` (world), from below \[m\].
    #[inline]
    pub(crate) fn height(&self, at: &PlacedBounds, o: &Point3<f64>, n: &Vector3<f64>) -> f64 {
        let height = (at.center - o).dot(n);
        let below = if self.is_ball() { 0.0 } else { self.half.dot(&at.axes.tr_mul(n).abs()) };
        height - (self.rounding + below).min(self.radius)
    }

    /// Signed distance of A and B, from below \[m\]: along the line between the balls, one of the six face normals of the boxes, or the way from a box to the middle of the other.
    /// A distance beyond `enough` is not refined.
    #[inline]
    pub(crate) fn distance(&self, at: &PlacedBounds, b: &Self, at_b: &PlacedBounds, enough: f64) -> f64 {
        let between = at_b.center - at.center;
        let balls = between.norm() - self.radius - b.radius;
        if balls > enough || (self.is_ball() && b.is_ball()) {
            return balls;
        }
        // Either box against the ball around the other, which mostly will do.
        let (in_a, in_b) =
            (at.axes.tr_mul(&between).abs() - self.half, at_b.axes.tr_mul(&between).abs() - b.half);
        let outside = |x: &Vector3<f64>| {
            let inside = x.max();
            if inside < 0.0 { inside } else { x.sup(&Vector3::zeros()).norm() }
        };
        let near = balls
            .max(outside(&in_a) - self.rounding - b.radius)
            .max(outside(&in_b) - b.rounding - self.radius);
        if near > enough || self.is_ball() || b.is_ball() {
            return near;
        }
        let turn = at.axes.tr_mul(&at_b.axes).abs();
        let (of_a, of_b) = (in_a - turn * b.half, in_b - turn.tr_mul(&self.half));
        // Swept shapes may come within both radii.
        near.max(of_a.max().max(of_b.max()) - self.rounding - b.rounding)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use proptest::prelude::*;
    use signorini_core::na::{Translation3, UnitQuaternion};
    use signorini_geometry::contacts;

    fn shape() -> impl Strategy<Value = Shape> {
        let size = || 0.05f64..1.0;
        prop_oneof![
            size().prop_map(|radius| Shape::Sphere { radius }),
            (size(), size()).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
            (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
            prop::array::uniform3(size()).prop_map(|h| Shape::Box { half_extents: h.into() }),
        ]
    }

    fn pose(far: f64) -> impl Strategy<Value = Pose> {
        let three = |x: f64| prop::array::uniform3(-x..x);
        (three(far), three(2.0)).prop_map(|(p, w)| {
            Pose::from_parts(Translation3::from(p), UnitQuaternion::from_scaled_axis(w.into()))
        })
    }

    proptest! {
        /// Shapes that the bounds tell apart have no contact below the margin, which may be negative; nor below any other, when nothing is enough.
        #[test]
        fn property_bounds_keep_every_contact(
            (a, b) in (shape(), shape()),
            (x_a, x_b) in (pose(0.1), pose(2.0)),
            margin in -0.3f64..0.3,
        ) {
            let placed = |b: &Bounds, x: &Pose| {
                b.placed(x.rotation.to_rotation_matrix().matrix(), &x.translation.vector)
            };
            let of = |s: &Shape| Bounds::new(s, &Pose::identity()).unwrap();
            let (of_a, of_b) = (of(&a), of(&b));
            let distance = of_a.distance(&placed(&of_a, &x_a), &of_b, &placed(&of_b, &x_b), margin);
            let apart = distance > margin;
            let mut found = Vec::new();
            contacts(&a, &x_a, &b, &x_b, margin, &mut found).unwrap();
            prop_assert!(!apart || found.is_empty(), "{found:?}");
            let distance = of_a.distance(&placed(&of_a, &x_a), &of_b, &placed(&of_b, &x_b), f64::INFINITY);
            found.clear();
            contacts(&a, &x_a, &b, &x_b, distance - 1e-12, &mut found).unwrap();
            prop_assert!(found.is_empty(), "{distance}: {found:?}");
            found.clear();
            contacts(&a, &x_a, &b, &x_b, margin, &mut found).unwrap();
            // A ball and a shape that is swept: the bounds are the distance.
            if let (Shape::Sphere { .. }, Shape::Sphere { .. } | Shape::Capsule { .. }) = (&a, &b) {
                let gap = found.first().map(|c| c.gap);
                prop_assert!(apart || gap.is_some_and(|g| g < margin) || margin < 0.0);
            }
        }
    }
}
