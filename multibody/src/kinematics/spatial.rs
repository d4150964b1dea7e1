use signorini_core::na::{Matrix3, Point3, Vector3};

/// A spatial vector: twist (ω, v) or wrench (n, f), world axes, about a fixed point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spatial {
    /// Angular velocity \[rad/s\] or moment \[N·m\].
    pub angular: Vector3<f64>,
    /// Velocity of the body point at the reference point \[m/s\], or force \[N\].
    pub linear: Vector3<f64>,
}

impl Spatial {
    /// From parts.
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Self { angular, linear }
    }
    /// Twist × twist: rate of change of `m` carried along by this twist.
    pub fn cross_motion(&self, m: &Self) -> Self {
        Self::new(
            self.angular.cross(&m.angular),
            self.angular.cross(&m.linear) + self.linear.cross(&m.angular),
        )
    }
    /// Twist × wrench: rate of change of `f` carried along by this twist.
    pub fn cross_force(&self, f: &Self) -> Self {
        Self::new(
            self.angular.cross(&f.angular) + self.linear.cross(&f.linear),
            self.angular.cross(&f.linear),
        )
    }
    /// Power of a wrench on a twist \[W\].
    pub fn dot(&self, f: &Self) -> f64 {
        self.angular.dot(&f.angular) + self.linear.dot(&f.linear)
    }
    /// Velocity at a point `r` from the reference point \[m/s\].
    pub fn at(&self, r: &Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(r)
    }
}

impl std::ops::Add for Spatial {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.angular + o.angular, self.linear + o.linear)
    }
}

impl std::ops::AddAssign for Spatial {
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl std::ops::Mul<f64> for Spatial {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        Self::new(self.angular * s, self.linear * s)
    }
}

/// Inertia of a rigid body about a reference point, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpatialInertia {
    /// Mass \[kg\].
    pub mass: f64,
    /// First moment m·(com − reference) \[kg·m\].
    pub moment: Vector3<f64>,
    /// Rotational inertia about the reference point \[kg·m²\].
    pub inertia: Matrix3<f64>,
}

impl SpatialInertia {
    /// From mass, centre of mass (world) and inertia about it (world axes), about the reference point `origin`.
    pub fn new(mass: f64, com: &Point3<f64>, inertia_com: &Matrix3<f64>, origin: &Point3<f64>) -> Self {
        let c = com - origin;
        let shift = mass * (Matrix3::identity() * c.norm_squared() - c * c.transpose());
        Self { mass, moment: mass * c, inertia: inertia_com + shift }
    }
    /// From mass, centre of mass relative to the reference point (world axes), inertia about it in body axes and the rotation of the body.
    pub(crate) fn rotated(mass: f64, c: &Vector3<f64>, inertia_com: &Matrix3<f64>, r: &Matrix3<f64>) -> Self {
        let (half, mc) = (r * inertia_com, mass * c);
        let diagonal = mc.dot(c);
        let mut inertia = Matrix3::zeros();
        for i in 0..3 {
            for j in 0..=i {
                // R I Rᵀ and the parallel-axis term, both symmetric.
                let turned = half[(i, 0)] * r[(j, 0)] + half[(i, 1)] * r[(j, 1)] + half[(i, 2)] * r[(j, 2)];
                let moved = if i == j { diagonal } else { 0.0 } - mc[i] * c[j];
                inertia[(i, j)] = turned + moved;
                inertia[(j, i)] = turned + moved;
            }
        }
        Self { mass, moment: mc, inertia }
    }
    /// Momentum (angular about the reference point, linear) of a twist, or the wrench of an acceleration.
    pub fn apply(&self, m: &Spatial) -> Spatial {
        Spatial::new(
            self.inertia * m.angular + self.moment.cross(&m.linear),
            self.mass * m.linear - self.moment.cross(&m.angular),
        )
    }
}

impl std::ops::AddAssign for SpatialInertia {
    fn add_assign(&mut self, o: Self) {
        self.mass += o.mass;
        self.moment += o.moment;
        self.inertia += o.inertia;
    }
}
