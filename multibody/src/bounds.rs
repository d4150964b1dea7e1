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

/// Where the bounds of a shape are in the world; for a half-space a point of its surface and axes of which the third is its normal.
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

    /// Whether all is more than `margin` above the plane through `o` with normal `n` (world).
    #[inline]
    pub(crate) fn above(&self, at: &PlacedBounds, o: &Point3<f64>, n: &Vector3<f64>, margin: f64) -> bool {
        let height = (at.center - o).dot(n) - margin;
        height > self.radius
            || (!self.is_ball() && height - self.rounding > self.half.dot(&at.axes.tr_mul(n).abs()))
    }

    /// Whether the balls, one of the six face normals of the boxes, or the way from a box to the middle of the other tell A and B apart by more than `margin` \[m\].
    #[inline]
    pub(crate) fn apart(&self, at: &PlacedBounds, b: &Self, at_b: &PlacedBounds, margin: f64) -> bool {
        let between = at_b.center - at.center;
        if between.norm_squared() > (self.radius + b.radius + margin).powi(2) {
            return true;
        }
        if self.is_ball() && b.is_ball() {
            return false;
        }
        // What is swept may come within both radii.
        let margin = margin + self.rounding + b.rounding;
        // Either box against the ball around the other, which mostly will do.
        let (in_a, in_b) =
            (at.axes.tr_mul(&between).abs() - self.half, at_b.axes.tr_mul(&between).abs() - b.half);
        let beyond = |x: &Vector3<f64>, ball: &Self| {
            let reach = ball.radius - ball.rounding + margin;
            if reach < 0.0 {
                x.max() > reach
            } else {
                x.sup(&Vector3::zeros()).norm_squared() > reach * reach
            }
        };
        if beyond(&in_a, b) || beyond(&in_b, self) {
            return true;
        }
        if self.is_ball() || b.is_ball() {
            return false;
        }
        let turn = at.axes.tr_mul(&at_b.axes).abs();
        let (of_a, of_b) = (in_a - turn * b.half, in_b - turn.tr_mul(&self.half));
        of_a.max() > margin || of_b.max() > margin
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
        /// What the bounds tell apart has no contact below the margin, which may be negative.
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
            let apart = of_a.apart(&placed(&of_a, &x_a), &of_b, &placed(&of_b, &x_b), margin);
            let mut found = Vec::new();
            contacts(&a, &x_a, &b, &x_b, margin, &mut found).unwrap();
            prop_assert!(!apart || found.is_empty(), "{found:?}");
            // A ball and a shape that is swept: the bounds are the distance.
            if let (Shape::Sphere { .. }, Shape::Sphere { .. } | Shape::Capsule { .. }) = (&a, &b) {
                let gap = found.first().map(|c| c.gap);
                prop_assert!(apart || gap.is_some_and(|g| g < margin) || margin < 0.0);
            }
        }
    }
}
