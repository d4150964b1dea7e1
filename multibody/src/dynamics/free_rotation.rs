use signorini_core::na::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Highest order of the series.
const ORDER: usize = 16;
/// Angle of a part of the step \[rad\].
const PART: f64 = 0.3;
/// Most parts of a step: beyond them parts are longer.
const PARTS: f64 = 4096.0;
/// Size of terms at which a series ends.
const SMALL: f64 = 1e-17;

/// Rotation of a rigid body on which no torque acts, over a step.
///
/// ```text
/// ṁ = m × ω,   ω = I⁻¹ m,   q̇ = ½ q ω
/// ```
/// in the axes of the body, by the power series in time, whose coefficients are sums of products of those before. Momentum in the world is kept to round-off, and so is energy where a step turns
/// the body by up to a thousand radians.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeRotation {
    /// Rotation from the axes of the body at the end to those at the start.
    pub turn: UnitQuaternion<f64>,
    /// Derivative of the rotation by the angular velocity at the start, as a rotation vector in the axes at the end \[s\].
    pub turn_by_spin: Matrix3<f64>,
    /// Derivative of the angular velocity at the end by that at the start, each in the axes of its time.
    pub spin_by_spin: Matrix3<f64>,
}

/// Coefficients of a series in time.
type Series<T> = [T; ORDER + 1];

/// Σᵢ a(i, k − i), i = 0…k.
fn convolved<T: std::ops::Add<Output = T>>(k: usize, a: impl Fn(usize, usize) -> T) -> T {
    (1..=k).fold(a(0, k), |sum, i| sum + a(i, k - i))
}

/// Value of a series at `t` from its first `n` + 1 coefficients.
fn value<T: Copy + std::ops::Add<Output = T> + std::ops::Mul<f64, Output = T>>(
    s: &Series<T>,
    n: usize,
    t: f64,
) -> T {
    s[..n].iter().rev().fold(s[n], |sum, c| sum * t + *c)
}

impl FreeRotation {
    /// Rotation over `dt` \[s\] from the angular velocity `spin` \[rad/s\] of a body with inertia I about its centre of mass and its inverse, all in the axes of the body. With `derivatives` the
    /// derivatives are filled in; else they are zero.
    pub(crate) fn new(inertia: &[Matrix3<f64>; 2], spin: &Vector3<f64>, dt: f64, derivatives: bool) -> Self {
        let [i, inverse] = inertia;
        let (mut m, mut turn) = (i * spin, Quaternion::identity());
        let (mut eta, mut change) = (Matrix3::zeros(), Matrix3::identity());
        let mut left = dt;
        while left > 0.0 {
            let part = (PART / (inverse * m).norm()).max(dt / PARTS).min(left);
            let mut ms: Series<Vector3<f64>> = [m; ORDER + 1];
            let mut ws: Series<Vector3<f64>> = [inverse * m; ORDER + 1];
            let mut qs: Series<Quaternion<f64>> = [turn; ORDER + 1];
            let (mut n, mut power, mut small) = (0, 1.0, 0);
            let (of_m, spins) = (m.norm(), ws[0].norm());
            while n < ORDER && small < 2 {
                let next = 1.0 / (n + 1) as f64;
                ms[n + 1] = convolved(n, |a, b| ms[a].cross(&ws[b])) * next;
                qs[n + 1] = convolved(n, |a, b| qs[a] * Quaternion::from_imag(ws[b])) * (0.5 * next);
                ws[n + 1] = inverse * ms[n + 1];
                n += 1;
                power *= part;
                let size = power * (ms[n].norm() / of_m).max(qs[n].norm()).max(ws[n].norm() / spins);
                small = if size > SMALL { 0 } else { small + 1 };
            }
            if derivatives {
                // η̇ = δω − ω × η,  δṁ = δm × ω + m × δω.
                let mut dw: Series<Matrix3<f64>> = [change; ORDER + 1];
                let mut dm = dw.map(|d| i * d);
                let mut etas: Series<Matrix3<f64>> = [eta; ORDER + 1];
                for k in 0..n {
                    let next = 1.0 / (k + 1) as f64;
                    etas[k + 1] = (dw[k] - convolved(k, |a, b| ws[a].cross_matrix() * etas[b])) * next;
                    dm[k + 1] =
                        convolved(k, |a, b| ms[a].cross_matrix() * dw[b] - ws[a].cross_matrix() * dm[b])
                            * next;
                    dw[k + 1] = inverse * dm[k + 1];
                }
                (eta, change) = (value(&etas, n, part), value(&dw, n, part));
            }
            (m, turn) = (value(&ms, n, part), value(&qs, n, part));
            left -= part;
        }
        let (turn_by_spin, spin_by_spin) = if derivatives { (eta, change) } else { Default::default() };
        Self { turn: UnitQuaternion::new_normalize(turn), turn_by_spin, spin_by_spin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = Vector3<f64>> {
        [range.clone(), range.clone(), range].prop_map(Vector3::from)
    }

    /// A body by its principal inertias, which obey the triangle inequality, and its axes.
    fn body() -> impl Strategy<Value = [Matrix3<f64>; 2]> {
        (vector(0.01..1.0), vector(-3.0..3.0)).prop_map(|(x, axes)| {
            let r = *UnitQuaternion::from_scaled_axis(axes).to_rotation_matrix().matrix();
            let principal = Vector3::new(x.y + x.z, x.z + x.x, x.x + x.y);
            let of = |d: Vector3<f64>| r * Matrix3::from_diagonal(&d) * r.transpose();
            [of(principal), of(principal.map(f64::recip))]
        })
    }

    /// The angular velocity at the end.
    fn spin_after(b: &[Matrix3<f64>; 2], spin: &Vector3<f64>, r: &FreeRotation) -> Vector3<f64> {
        b[1] * (r.turn.inverse() * (b[0] * spin))
    }

    proptest! {
        /// Energy stays, and two halves of a step are the step.
        #[test]
        fn property_energy_and_composition(b in body(), spin in vector(-100.0..100.0), dt in 1e-6..0.1f64) {
            let energy = |w: &Vector3<f64>| w.dot(&(b[0] * w));
            let whole = FreeRotation::new(&b, &spin, dt, false);
            let after = spin_after(&b, &spin, &whole);
            prop_assert!((energy(&after) / energy(&spin) - 1.0).abs() < 1e-11, "{}", energy(&after) / energy(&spin) - 1.0);
            let first = FreeRotation::new(&b, &spin, 0.5 * dt, false);
            let between = spin_after(&b, &spin, &first);
            let second = FreeRotation::new(&b, &between, 0.5 * dt, false);
            prop_assert!((first.turn * second.turn).angle_to(&whole.turn) < 1e-10);
        }

        /// Derivatives are limits of differences.
        #[test]
        fn property_derivatives(b in body(), spin in vector(-20.0..20.0), dt in 1e-4..0.1f64) {
            let r = FreeRotation::new(&b, &spin, dt, true);
            let h = 1e-5;
            for k in 0..3 {
                let moved = [h, -h].map(|h| {
                    let mut w = spin;
                    w[k] += h;
                    (w, FreeRotation::new(&b, &w, dt, false))
                });
                let turn = (moved[1].1.turn.inverse() * moved[0].1.turn).scaled_axis() / (2.0 * h);
                prop_assert!((turn - r.turn_by_spin.column(k)).norm() < 1e-7 * (1.0 + dt * spin.norm()).powi(2), "{turn} {}", r.turn_by_spin);
                let change = (spin_after(&b, &moved[0].0, &moved[0].1) - spin_after(&b, &moved[1].0, &moved[1].1)) / (2.0 * h);
                let size = r.spin_by_spin.norm();
                prop_assert!((change - r.spin_by_spin.column(k)).norm() < 1e-6 * size, "{change} {}", r.spin_by_spin);
            }
        }
    }

    /// A body that stands still, and one that turns about a principal axis.
    #[test]
    fn analytic_axes() {
        let b = [
            Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 2.5)),
            Matrix3::from_diagonal(&Vector3::new(1.0, 0.5, 0.4)),
        ];
        let still = FreeRotation::new(&b, &Vector3::zeros(), 0.1, true);
        assert_eq!((still.turn, still.turn_by_spin), (UnitQuaternion::identity(), 0.1 * Matrix3::identity()));
        let spin = Vector3::new(0.0, 0.0, 70.0);
        let r = FreeRotation::new(&b, &spin, 0.1, false);
        assert!(r.turn.angle_to(&UnitQuaternion::from_scaled_axis(0.1 * spin)) < 1e-13);
    }
}
