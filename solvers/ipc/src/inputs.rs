use signorini_core::na::Vector3;
use signorini_core::{BlockDiagonal, ProblemError};

use crate::action::ActiveJoint;
use crate::body::matrix;
use crate::free_motion::{commanded, driven_rate, free_rate};
use crate::options::FreeRotation;
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
    /// with the rotation of v₀ over the step as [`FreeRotation`] says. A driven body is to reach its commanded pose at the end of the step on a straight way; z₀ has those at the start.
    pub(crate) fn free_velocity(
        &self,
        world: &World,
        inertia: &BlockDiagonal,
        dt: f64,
        [q0, v0, z0]: [&[f64]; 3],
        out: &mut [f64],
    ) -> Result<(), ProblemError> {
        for (b, free) in world.free.iter().enumerate() {
            let Some(f) = free.map(|f| f as usize) else { continue };
            let at = N * f..N * f + N;
            let (a, out) = (matrix(&q0[at.clone()]), &mut out[at.clone()]);
            if world.bodies[b].driven {
                let pose = commanded(world, z0, b).ok_or_else(|| {
                    ProblemError::Unsupported(format!(
                        "the state has no commanded pose of body '{}'",
                        world.bodies[b].name
                    ))
                })?;
                out.copy_from_slice(&driven_rate(&q0[at], &pose, self.drives[b], dt));
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
            let turning = world.options.rotation == FreeRotation::Turning;
            let rate = matrix(&v0[at.clone()]);
            let rate = if turning { free_rate(&a, &rate, &world.bodies[b].second_moment, dt) } else { rate };
            for (i, o) in out.iter_mut().enumerate() {
                let free = if i < 3 { v0[at.start + i] } else { rate[((i - 3) / 3, (i - 3) % 3)] };
                let gravity = if i < 3 { falls * world.options.gravity[i] } else { 0.0 };
                *o = free + dt * (load[i] + gravity);
            }
        }
        Ok(())
    }
}
