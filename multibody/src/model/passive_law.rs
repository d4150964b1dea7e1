use signorini_scene::HigherOrder;

/// Spring with a polynomial force in its displacement x:
///
/// ```text
/// f(x) = −(k₁ x + k₂ x² + k₃ x³),   E(x) = ½ k₁ x² + ⅓ k₂ x³ + ¼ k₃ x⁴
/// ```
/// k₂ makes it stiffer to one side than to the other. Where x is a vector it pulls along it, by its length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring(pub [f64; 3]);

impl Spring {
    /// With a stiffness k₁ and the coefficients beyond.
    pub fn new(stiffness: f64, beyond: &HigherOrder) -> Self {
        let [k2, k3] = beyond.stiffness;
        Self([stiffness, k2, k3])
    }

    /// Whether it has a force at all.
    pub fn acts(&self) -> bool {
        self.0 != [0.0; 3]
    }

    /// Whether its force is not proportional to the displacement.
    pub fn is_curved(&self) -> bool {
        self.0[1..] != [0.0; 2]
    }

    /// −f(x)/x \[N/m or N·m/rad\].
    pub fn secant(&self, x: f64) -> f64 {
        let [k1, k2, k3] = self.0;
        k1 + x * (k2 + x * k3)
    }

    /// −f′(x), or zero where the spring pushes less the farther it is strained: the stiffness that a step is implicit in \[N/m or N·m/rad\].
    pub fn stiffness(&self, x: f64) -> f64 {
        let [k1, k2, k3] = self.0;
        (k1 + x * (2.0 * k2 + x * 3.0 * k3)).max(0.0)
    }

    /// E(x) \[J\].
    pub fn energy(&self, x: f64) -> f64 {
        let [k1, k2, k3] = self.0;
        x * x * (0.5 * k1 + x * (k2 / 3.0 + x * 0.25 * k3))
    }
}

/// Damper with a polynomial force in its speed v: f(v) = −(c₁ + c₂ |v| + c₃ v²) v.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damper(pub [f64; 3]);

impl Damper {
    /// With a damping c₁ and the coefficients beyond.
    pub fn new(damping: f64, beyond: &HigherOrder) -> Self {
        let [c2, c3] = beyond.damping;
        Self([damping, c2, c3])
    }

    /// Whether it has a force at all.
    pub fn acts(&self) -> bool {
        self.0 != [0.0; 3]
    }

    /// Whether its force is not proportional to the speed.
    pub fn is_curved(&self) -> bool {
        self.0[1..] != [0.0; 2]
    }

    /// f(v) \[N or N·m\].
    pub fn force(&self, v: f64) -> f64 {
        let ([c1, c2, c3], s) = (self.0, v.abs());
        -((c1 + s * (c2 + s * c3)) * v)
    }

    /// −f′(v), or zero where faster motion is damped less: the damping that a step is implicit in \[N·s/m or N·m·s/rad\].
    pub fn damping(&self, v: f64) -> f64 {
        let ([c1, c2, c3], s) = (self.0, v.abs());
        (c1 + s * (2.0 * c2 + s * 3.0 * c3)).max(0.0)
    }
}
