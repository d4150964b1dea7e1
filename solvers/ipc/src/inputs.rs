use signorini_core::na::{Matrix3, Rotation3, Vector3};
use signorini_core::{BlockDiagonal, ProblemError};

use crate::action::ActiveJoint;
use crate::body::matrix;
use crate::world::{N, World};

/// Inputs to bodies from outside, besides gravity; held until it is set again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs {
    /// Force at the centre of mass \[N\] and torque \[N·m\] on each body, world axes.
    pub loads: Vec<[Vector3<f64>; 2]>,
    /// Velocity of the centre of mass \[m/s\] and angular velocity \[rad/s\] of bodies that are driven, world axes.
    pub drives: Vec<[Vector3<f64>; 2]>,
    /// Actions of joints, None for those without a number; then those of sums of their numbers.
    pub actions: Vec<Option<ActiveJoint>>,
}

impl Inputs {
    pub(crate) fn new(bodies: usize) -> Self {
        let none = vec![[Vector3::zeros(); 2]; bodies];
        Self { loads: none.clone(), drives: none, actions: Vec::new() }
    }

    /// v* of a step of `dt` \[s\] from q₀ with velocity v₀.
    ///
    /// ```text
    /// v* = v₀ + δt M⁻¹ f,   f_A = ½ [τ]ₓ A⁻ᵀ, whose work over δA = [δθ]ₓ A is τ·δθ
    /// ```
    /// A driven body is to reach exp(δt ω) R₀, R₀ the rotation nearest to A₀, on a straight way.
    pub(crate) fn free_velocity(
        &self,
        world: &World,
        inertia: &BlockDiagonal,
        dt: f64,
        q0: &[f64],
        v0: &[f64],
        out: &mut [f64],
    ) -> Result<(), ProblemError> {
        for (b, free) in world.free.iter().enumerate() {
            let Some(f) = free.map(|f| f as usize) else { continue };
            let at = N * f..N * f + N;
            let (a, out) = (matrix(&q0[at.clone()]), &mut out[at.clone()]);
            if world.bodies[b].driven {
                let [linear, angular] = self.drives[b];
                let target = Rotation3::new(dt * angular).matrix() * nearest_rotation(&a);
                let rate = (target - a) / dt;
                (0..3).for_each(|i| out[i] = linear[i]);
                (0..9).for_each(|i| out[3 + i] = rate[(i / 3, i % 3)]);
                continue;
            }
            let [force, torque] = self.loads[b];
            let mut load = [0.0; N];
            (0..3).for_each(|i| load[i] = force[i]);
            if torque != Vector3::zeros() {
                let inverse = a.try_inverse().ok_or_else(|| {
                    ProblemError::Unsupported(format!("body '{}' is flattened", world.bodies[b].name))
                })?;
                let couple = 0.5 * torque.cross_matrix() * inverse.transpose();
                (0..9).for_each(|i| load[3 + i] = couple[(i / 3, i % 3)]);
            }
            let falls = 1.0 - world.bodies[b].gravity_compensation;
            inertia.solve_block(f, &mut load);
            for (i, (o, v)) in out.iter_mut().zip(&v0[at]).enumerate() {
                let gravity = if i < 3 { falls * world.options.gravity[i] } else { 0.0 };
                *o = v + dt * (load[i] + gravity);
            }
        }
        Ok(())
    }
}

/// The rotation nearest to A, det A > 0.
pub(crate) fn nearest_rotation(a: &Matrix3<f64>) -> Matrix3<f64> {
    // Newton's iteration for the polar decomposition: quadratic, and A is nearly a rotation.
    let mut r = *a;
    for _ in 0..20 {
        let Some(inverse) = r.try_inverse() else { return r };
        let next = 0.5 * (r + inverse.transpose());
        let done = (next - r).amax() <= 1e-15;
        r = next;
        if done {
            break;
        }
    }
    r
}
