use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_geometry::{Aabb, Shape, aabb, bounding_ball};
use signorini_scene::Pose;

/// Ball and box around a bounded shape, in the frame of its body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Centre of the ball \[m\].
    pub center: Point3<f64>,
    /// Radius of the ball \[m\].
    pub radius: f64,
    /// Centre of the box \[m\].
    box_center: Point3<f64>,
    /// Its axes.
    axes: Matrix3<f64>,
    /// Half its edges \[m\].
    half: Vector3<f64>,
}

impl Bounds {
    /// None for unbounded shapes; `pose` is that of the shape in its body.
    pub(crate) fn new(shape: &Shape, pose: &Pose) -> Option<Self> {
        let (center, radius) = bounding_ball(shape)?;
        let b = aabb(shape, &Pose::identity());
        Some(Self {
            center: pose * center,
            radius,
            box_center: pose * b.center(),
            axes: pose.rotation.to_rotation_matrix().into_inner(),
            half: b.half_extents(),
        })
    }

    /// Axis-aligned box, world, of a body at `p` with axes `r`.
    pub(crate) fn aabb(&self, r: &Matrix3<f64>, p: &Vector3<f64>) -> Aabb {
        let center = Point3::from(r * self.box_center.coords + p);
        let half = (r * self.axes).abs() * self.half;
        Aabb::new(center - half, center + half)
    }

    /// Smallest height of the box above the plane through `o` with normal `n` (world); the body is at `p` with axes `r`.
    pub(crate) fn height(
        &self,
        r: &Matrix3<f64>,
        p: &Vector3<f64>,
        o: &Vector3<f64>,
        n: &Vector3<f64>,
    ) -> f64 {
        let local = r.tr_mul(n);
        let extent = self.half.dot(&self.axes.tr_mul(&local).abs());
        self.box_center.coords.dot(&local) + (p - o).dot(n) - extent
    }

    /// Whether one of the six face normals separates the boxes of A and B by more than `margin` \[m\]; `x_ab` places the body of B in that of A.
    pub(crate) fn separated(&self, b: &Self, r_ab: &Matrix3<f64>, p_ab: &Vector3<f64>, margin: f64) -> bool {
        // In the axes of A's box.
        let between = self.axes.tr_mul(&(r_ab * b.box_center.coords + p_ab - self.box_center.coords));
        let turn = self.axes.tr_mul(&(r_ab * b.axes));
        let of_a = between.abs() - self.half - turn.abs() * b.half;
        let of_b = turn.tr_mul(&between).abs() - b.half - turn.abs().tr_mul(&self.half);
        of_a.max() > margin || of_b.max() > margin
    }
}
