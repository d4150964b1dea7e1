use signorini_core::Tolerance;
use signorini_core::na::Vector3;
use signorini_scene::Scene;

use crate::{BarrierSeed, BodyError};

/// Tolerance of solves in fixed steps: Newton steps end where they change no velocity by 1e-5 of the fastest.
pub const STEP_TOLERANCE: Tolerance = Tolerance { relative: 1e-5, max_iterations: 300 };

/// Weight of everything in a scene that has a mass \[N\]; 1 N where nothing weighs anything.
pub fn weight(scene: &Scene) -> f64 {
    let mass: f64 = scene.bodies.iter().filter_map(|b| b.mass.as_ref()).map(|m| m.mass).sum();
    let weight = mass * scene.options.gravity.norm();
    if weight > 0.0 { weight } else { 1.0 }
}

/// Source of κ of the barrier.
///
/// The adaptive ones are those of Li et al. 2020. With L the diagonal of the box around all bodies that move at the start, m̄ their mass over the number of their points and b̂ the barrier of κ = 1,
///
/// ```text
/// κ_min = 10¹¹ m̄/(4 d² ∂²b̂/∂s² δt²)  at d = ξ + 10⁻⁸ L,   κ ≤ 100 κ_min
/// ```
/// and κ doubles whenever a pair that is nearer than ξ + 10⁻⁹ L is nearer still after a Newton iteration. (For ranges below 10⁻⁶ L lengths are 10⁻² d̂ and 10⁻³ d̂ instead of 10⁻⁸ L and 10⁻⁹ L.) κ never falls, and the next steps
/// keep it. The bounds belong to a step size: where steps change, with error control for one, fix κ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adaptation {
    /// κ is [`crate::IpcOptions::stiffness`], always.
    #[default]
    Fixed,
    /// κ starts at [`crate::IpcOptions::stiffness`] and is raised where that is too little.
    Raise,
    /// κ is chosen in the first step that starts with pairs within the range, so that they balance all other forces best; then raised. [`crate::IpcOptions::stiffness`] is not read.
    ///
    /// ```text
    /// κ = clamp(−⟨g_B, g_E⟩/⟨g_B, g_B⟩, κ_min, 100 κ_min) at v = 0, ⟨a, b⟩ = Σ a_p·b_p/m over centres of mass
    /// ```
    /// g_B the gradient of the barrier of κ = 1, g_E that of all else but joints held by elimination.
    Choose,
}

/// Rotation of a body over a step on which nothing acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreeRotation {
    /// As published: the twelve coordinates go straight on, and the energy of rigidity brings the points back from the chord. No step gives energy, and a rotation ω slows down by ω³ δt in a second.
    #[default]
    Straight,
    /// Its angular momentum turns it and is kept: bodies that turn freely or roll keep their speed. Velocities at the end of a step are no chords then, and contacts may give a little energy at the order of the step. [`IpcOptions::for_scene`] has it.
    Turning,
}

/// Settings of an [`crate::AffineSystem`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IpcOptions {
    /// d̂: distance at which the barrier begins to act \[m\], > 0.
    pub range: f64,
    /// κ of the barrier of squared distances \[J/m⁴\], > 0, or where it starts, see [`Adaptation`]: the force of a pair at d̂/2 is about 4.3 κ d̂³.
    pub stiffness: f64,
    /// Whether κ stays constant.
    pub adaptation: Adaptation,
    /// Weighs each pair with the area that it stands for, so that forces depend less on how finely surfaces are cut; κ is then J/m⁶. A quarter of the area of a vertex (a third of that of its triangles), or of
    /// that of both edges (a third of that of theirs).
    pub area_weights: bool,
    /// ξ: separation that always remains \[m\], ≥ 0.
    pub separation: f64,
    /// k of the potential that keeps bodies rigid \[Pa\], > 0.
    pub orthogonality: f64,
    /// ε_v: speed below which friction holds \[m/s\], > 0.
    pub stiction_speed: f64,
    /// Solves per step with forces and directions of friction as the last one left them, ≥ 1; with 1 they are those at the start of the step.
    pub friction_passes: u32,
    /// Free motion that rotations begin steps with.
    pub rotation: FreeRotation,
    /// \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Threads that distances, collision times and Hessians are spread over, ≥ 1, see [`crate::Threads`]; results are the same bit for bit.
    pub threads: usize,
}

impl Default for IpcOptions {
    fn default() -> Self {
        Self {
            range: 1e-3,
            stiffness: 1e10,
            adaptation: Adaptation::Fixed,
            area_weights: false,
            separation: 0.0,
            orthogonality: 1e8,
            stiction_speed: 1e-3,
            friction_passes: 1,
            rotation: FreeRotation::Straight,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            threads: 1,
        }
    }
}

impl IpcOptions {
    /// The settings for a scene: a pair of features carries its [`weight`] at half the range of the barrier, and rotations are carried ([`FreeRotation::Turning`]).
    pub fn for_scene(scene: &Scene) -> Self {
        Self { rotation: FreeRotation::Turning, ..Self::default() }.carrying(weight(scene))
    }

    /// These options with a κ at which a pair carries `force` \[N\] at half the range of the barrier. A good force is the largest load of a pair that is expected; forces grow without bound
    /// towards the separation, so that a smaller one is safe too.
    #[must_use]
    pub fn carrying(self, force: f64) -> Self {
        let distance = self.separation + 0.5 * self.range;
        let (range, separation) = (self.range, self.separation);
        let unit = BarrierSeed { dt: 1.0, distance, range, separation, stiffness: 1.0 };
        let [_, slope, _] = unit.potential(distance * distance);
        Self { stiffness: -force / (2.0 * distance * slope), ..self }
    }

    /// Fails on a value out of range.
    ///
    /// # Errors
    /// [`BodyError::Options`] naming it.
    pub fn check(&self) -> Result<(), BodyError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let fields = [
            ("range", self.range, positive(self.range), "a length above 0 m"),
            ("stiffness", self.stiffness, positive(self.stiffness), "J/m⁴ above 0, or a load above 0 N"),
            ("separation", self.separation, self.separation >= 0.0 && self.separation.is_finite(), "≥ 0 m"),
            ("orthogonality", self.orthogonality, positive(self.orthogonality), "a stiffness above 0 Pa"),
            ("stiction speed", self.stiction_speed, positive(self.stiction_speed), "a speed above 0 m/s"),
            ("friction passes", f64::from(self.friction_passes), self.friction_passes > 0, "1 or more"),
            ("threads", self.threads as f64, self.threads > 0, "1 or more"),
            ("gravity", self.gravity.norm(), self.gravity.iter().all(|g| g.is_finite()), "finite numbers"),
        ];
        match fields.into_iter().find(|f| !f.2) {
            Some((what, value, _, range)) => Err(BodyError::Options { what, value, range }),
            None => Ok(()),
        }
    }
}
