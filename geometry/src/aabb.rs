use signorini_core::na::{Isometry3, Point3, Vector3};

/// An axis-aligned box. `min` > `max` in any component means empty; infinite components are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lower corner \[m\].
    pub min: Point3<f64>,
    /// Upper corner \[m\].
    pub max: Point3<f64>,
}

impl Aabb {
    /// The box between two corners \[m\]; empty where `min` > `max`.
    #[must_use]
    pub fn new(min: Point3<f64>, max: Point3<f64>) -> Self {
        Self { min, max }
    }

    /// The empty box, neutral for [`Self::merged`].
    #[must_use]
    pub fn empty() -> Self {
        Self {
            min: Point3::from(Vector3::repeat(f64::INFINITY)),
            max: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
        }
    }

    /// All of space, as a half-space that is not axis-aligned needs.
    #[must_use]
    pub fn unbounded() -> Self {
        Self {
            min: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
            max: Point3::from(Vector3::repeat(f64::INFINITY)),
        }
    }

    /// The smallest box about `points` \[m\]; empty for none.
    #[must_use]
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Self {
        let mut out = Self::empty();
        for p in points {
            out.include(p);
        }
        out
    }

    /// Grows the box to hold `p` \[m\].
    #[inline]
    pub fn include(&mut self, p: &Point3<f64>) {
        self.min = self.min.inf(p);
        self.max = self.max.sup(p);
    }

    /// The smallest box about both.
    #[inline]
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Whether the two share a point; touching counts.
    #[inline]
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// The box grown by `margin` \[m\] on every side.
    #[inline]
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        let m = Vector3::repeat(margin);
        Self { min: self.min - m, max: self.max + m }
    }

    /// Squared distance of `p` from the box \[m²\], 0 inside.
    #[inline]
    pub(crate) fn squared_distance(&self, p: &Point3<f64>) -> f64 {
        (0..3).map(|k| (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0).powi(2)).sum()
    }

    /// Whether `other` lies inside, boundary included.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.contains_point(&other.min) && self.contains_point(&other.max)
    }

    /// Whether `p` \[m\] lies inside, boundary included.
    #[must_use]
    pub fn contains_point(&self, p: &Point3<f64>) -> bool {
        (0..3).all(|k| self.min[k] <= p[k] && p[k] <= self.max[k])
    }

    /// The smallest box, along the axes of frame A, about this box given in frame B; `x_ab` maps B to A. A box with an
    /// infinite side becomes unbounded.
    #[must_use]
    pub fn transformed(&self, x_ab: &Isometry3<f64>) -> Self {
        if self.is_empty() {
            return Self::empty();
        }
        if !self.is_finite() {
            return Self::unbounded();
        }
        let r = x_ab.rotation.to_rotation_matrix();
        let half = r.matrix().abs() * self.half_extents();
        let center = x_ab * self.center();
        Self { min: center - half, max: center + half }
    }

    /// Centre \[m\]; meaningful for a finite, non-empty box.
    #[inline]
    #[must_use]
    pub fn center(&self) -> Point3<f64> {
        Point3::from((self.min.coords + self.max.coords) * 0.5)
    }

    /// Half edge lengths \[m\], 3.
    #[inline]
    #[must_use]
    pub fn half_extents(&self) -> Vector3<f64> {
        (self.max - self.min) * 0.5
    }

    /// Surface area \[m²\]; 0 for the empty box.
    #[inline]
    #[must_use]
    pub fn surface_area(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let e = self.max - self.min;
        2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
    }

    /// Whether no point is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Whether every component is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.min.coords.iter().chain(self.max.coords.iter()).all(|x| x.is_finite())
    }
}
