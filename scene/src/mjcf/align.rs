//! Frames of free bodies at their inertia: `align` of `<freejoint>`, `alignfree` of `<compiler>`.

use signorini_core::na::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use signorini_geometry::MassProperties;

use super::Reader;
use crate::Pose;

/// Moments \[kg·m²\] within this MuJoCo takes for equal.
const LEAST: f64 = 1e-12;

impl Reader<'_> {
    /// Puts the frames of free bodies without children, where asked, at the centre of mass along the axes of inertia, as MuJoCo does: what is on
    /// the body keeps its place in the world, coordinates and velocities of the joint are those of the new frame.
    pub(super) fn align_free_bodies(&mut self) {
        let s = &mut self.scene;
        for body in std::mem::take(&mut self.masses.aligned) {
            let axes = s.options.medium.axes.iter().position(|a| a.0 == body);
            let (Some(mass), Some(axes)) = (s.bodies[body].mass, axes) else { continue };
            if s.bodies.iter().skip(1).any(|b| b.parent == body) {
                continue;
            }
            let r = std::mem::replace(&mut s.options.medium.axes[axes].1, UnitQuaternion::identity());
            let x = Pose::from_parts(mass.com.coords.into(), r);
            let back = x.inverse();
            s.bodies[body].pose *= x;
            let r = r.to_rotation_matrix();
            let moments = (r.matrix().transpose() * mass.inertia * r.matrix()).diagonal();
            s.bodies[body].mass = Some(MassProperties {
                mass: mass.mass,
                com: Vector3::zeros().into(),
                inertia: Matrix3::from_diagonal(&moments),
            });
            s.geoms.iter_mut().filter(|g| g.body == body).for_each(|g| g.pose = back * g.pose);
            s.sites.iter_mut().filter(|x| x.body == body).for_each(|x| x.pose = back * x.pose);
            self.cameras.values_mut().filter(|c| c.body == body).for_each(|c| c.pose = back * c.pose);
        }
    }
}

/// The rotation from the principal axes of a symmetric matrix, largest moment first, to its own, by MuJoCo's turns: other ways give other signs
/// of the axes, and the coordinates of an aligned body depend on them.
pub(super) fn principal_axes(m: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let mut r = UnitQuaternion::identity();
    let turned = |r: &UnitQuaternion<f64>| {
        let r = r.to_rotation_matrix();
        r.matrix().transpose() * m * r.matrix()
    };
    // Jacobi turns away the largest entry off the diagonal, to round-off: convergence is quadratic.
    for _ in 0..50 {
        let d = turned(&r);
        let off = [d[(0, 1)].abs(), d[(0, 2)].abs(), d[(1, 2)].abs()];
        let (i, k, axis) = if off[0] > off[1] && off[0] > off[2] {
            (0, 1, 2)
        } else if off[1] > off[2] {
            (0, 2, 1)
        } else {
            (1, 2, 0)
        };
        if d[(i, k)].abs() <= f64::EPSILON * d.amax() {
            break;
        }
        let tau = (d[(k, k)] - d[(i, i)]) / (2.0 * d[(i, k)]);
        let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + (1.0 + tau * tau).sqrt());
        // Sine of half the angle whose tangent is t.
        let c = 1.0 / (1.0 + t * t).sqrt();
        let half = t * c / (2.0 + 2.0 * c).sqrt() * if axis == 1 { 1.0 } else { -1.0 };
        let mut v = Vector3::zeros();
        v[axis] = half;
        r *= UnitQuaternion::from_quaternion(Quaternion::from_parts((1.0 - half * half).sqrt(), v));
    }
    let mut moments = turned(&r).diagonal();
    for first in [0, 1, 0] {
        if moments[first] + LEAST < moments[first + 1] {
            moments.swap_rows(first, first + 1);
            let mut v = Vector3::zeros();
            v[(first + 2) % 3] = std::f64::consts::FRAC_1_SQRT_2;
            r *= UnitQuaternion::from_quaternion(Quaternion::from_parts(std::f64::consts::FRAC_1_SQRT_2, v));
        }
    }
    r
}
