use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{Aabb, Shape, aabb, bounding_ball};
use signorini_scene::Pose;

/// Ball and box around a bounded shape, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Centre of both \[m\].
    pub center: Point3<f64>,
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Axes of the box.
    axes: Matrix3<f64>,
    /// Half its edges \[m\].
    half: Vector3<f64>,
    /// The shape is the ball.
    round: bool,
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
        Some(Self {
            center: pose * center,
            radius,
            axes: pose.rotation.to_rotation_matrix().into_inner(),
            half: b.half_extents() + (b.center() - center).abs(),
            round: matches!(shape, Shape::Sphere { .. }),
        })
    }

    /// For a body at `p` with axes `r`.
    #[inline]
    pub(crate) fn placed(&self, r: &Matrix3<f64>, p: &Vector3<f64>) -> PlacedBounds {
        // Nobody asks for the axes of a ball.
        let axes = if self.round { Matrix3::identity() } else { r * self.axes };
        PlacedBounds { center: Point3::from(r * self.center.coords + p), axes }
    }

    /// Axis-aligned box, world, of a body at `p` with axes `r`.
    pub(crate) fn aabb(&self, r: &Matrix3<f64>, p: &Vector3<f64>) -> Aabb {
        let center = Point3::from(r * self.center.coords + p);
        let half = (r * self.axes).abs() * self.half;
        Aabb::new(center - half, center + half)
    }

    /// Whether all is more than `margin` above the plane through `o` with normal `n` (world).
    #[inline]
    pub(crate) fn above(&self, at: &PlacedBounds, o: &Point3<f64>, n: &Vector3<f64>, margin: f64) -> bool {
        let height = (at.center - o).dot(n) - margin;
        height > self.radius || (!self.round && height > self.half.dot(&at.axes.tr_mul(n).abs()))
    }

    /// Whether the balls, or one of the six face normals of the boxes, tell A and B apart by more than `margin` \[m\].
    #[inline]
    pub(crate) fn apart(&self, at: &PlacedBounds, b: &Self, at_b: &PlacedBounds, margin: f64) -> bool {
        let between = at_b.center - at.center;
        if between.norm_squared() > (self.radius + b.radius + margin).powi(2) {
            return true;
        }
        if self.round || b.round {
            return false;
        }
        // Either box against the ball of the other, which mostly will do.
        let (in_a, in_b) =
            (at.axes.tr_mul(&between).abs() - self.half, at_b.axes.tr_mul(&between).abs() - b.half);
        if in_a.max() > b.radius + margin || in_b.max() > self.radius + margin {
            return true;
        }
        let turn = at.axes.tr_mul(&at_b.axes).abs();
        let (of_a, of_b) = (in_a - turn * b.half, in_b - turn.tr_mul(&self.half));
        of_a.max() > margin || of_b.max() > margin
    }
}
