use signorini_core::State;
use signorini_core::na::{Isometry3, Rotation3, UnitQuaternion};

use crate::AffineSystem;
use crate::body::matrix;
use crate::free_motion::{COMMANDED, commanded, end_rate, strain_rate, turn};
use crate::options::FreeRotation;
use crate::world::N;

impl AffineSystem {
    /// Pose of the centre of mass and the axes of a driven body as it is commanded; None for others.
    pub fn commanded_pose(&self, x: &State, body: usize) -> Option<Isometry3<f64>> {
        commanded(&self.world, &x.z, body)
    }

    /// Distance \[m\] and angle \[rad\] of a driven body from where it is commanded to be; None for others.
    pub fn lag(&self, x: &State, body: usize) -> Option<[f64; 2]> {
        let wanted = self.commanded_pose(x, body)?;
        let off = wanted.inv_mul(&self.pose(x, body));
        Some([off.translation.vector.norm(), off.rotation.angle()])
    }

    /// The largest lags of all driven bodies; zero without any.
    pub(crate) fn largest_lag(&self, x: &State) -> [f64; 2] {
        let lags = (0..self.world.bodies.len()).filter_map(|b| self.lag(x, b));
        lags.fold([0.0; 2], |[m, r], [n, s]| [m.max(n), r.max(s)])
    }

    /// Commands go on over a step, and bodies end with the rotation that forces left them.
    pub(crate) fn finish_step(&self, x0: &State, dt: f64, x1: &mut State) {
        let world = &self.world;
        for (b, body) in world.bodies.iter().enumerate() {
            let Some(f) = world.free[b].map(|f| N * f as usize) else { continue };
            let ([a0, a1], s) = ([matrix(&x0.q[f..]), matrix(&x1.q[f..])], &body.second_moment);
            let rate = if body.driven {
                let turned = Rotation3::from_matrix_unchecked(turn([&a0, &a1]));
                // The angle of a matrix of which the trace is above 3 by round-off is no number; that of a quaternion is.
                let turned = UnitQuaternion::from_rotation_matrix(&turned).scaled_axis() / dt;
                turned.cross_matrix() * a1 + strain_rate([&a0, &a1], dt)
            } else if world.options.rotation == FreeRotation::Turning {
                end_rate([&a0, &matrix(&x0.v[f..])], &a1, s, dt)
            } else {
                continue;
            };
            (0..9).for_each(|i| x1.v[f + 3 + i] = rate[(i / 3, i % 3)]);
        }
        for (b, number) in world.driven.iter().enumerate() {
            let (Some(k), Some(from)) = (*number, commanded(world, &x0.z, b)) else { continue };
            let [linear, angular] = self.inputs.drives[b];
            let p = from.translation.vector + dt * linear;
            let r = UnitQuaternion::new_normalize(
                (UnitQuaternion::new(dt * angular) * from.rotation).into_inner(),
            );
            let to = [p.x, p.y, p.z, r.w, r.i, r.j, r.k];
            x1.z[COMMANDED * k..COMMANDED * (k + 1)].copy_from_slice(&to);
        }
    }
}
