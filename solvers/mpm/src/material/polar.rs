use signorini_core::na::{Matrix3, Vector3};

/// F = U diag(σ) Vᵀ with rotations U and V: σ descends, and the last is negative where det F is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretches {
    pub u: Matrix3<f64>,
    pub sigma: Vector3<f64>,
    pub v: Matrix3<f64>,
}

impl Stretches {
    /// By rotations of pairs of columns of F until all are orthogonal: F V = U diag(σ), V their product. Small stretches keep their digits. Source: Hestenes 1958.
    pub(crate) fn of(f: &Matrix3<f64>) -> Self {
        let (mut b, mut v) = (*f, Matrix3::identity());
        for _ in 0..SWEEPS {
            let mut orthogonal = true;
            for (p, q) in [(0, 1), (0, 2), (1, 2)] {
                let (of_p, of_q) = (b.column(p).norm_squared(), b.column(q).norm_squared());
                let both = b.column(p).dot(&b.column(q));
                if both * both <= (f64::EPSILON * of_p) * (f64::EPSILON * of_q) {
                    continue;
                }
                orthogonal = false;
                // tan of the smaller angle.
                let ratio = 0.5 * (of_q - of_p) / both;
                let t = 1.0_f64.copysign(ratio) / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
                let cos = (1.0 + t * t).sqrt().recip();
                for m in [&mut b, &mut v] {
                    for r in 0..3 {
                        let (x, y) = (m[(r, p)], m[(r, q)]);
                        (m[(r, p)], m[(r, q)]) = (cos * (x - t * y), cos * (t * x + y));
                    }
                }
            }
            if orthogonal {
                break;
            }
        }
        for (p, q) in [(0, 1), (1, 2), (0, 1)] {
            if b.column(p).norm_squared() < b.column(q).norm_squared() {
                for m in [&mut b, &mut v] {
                    // A rotation stays one.
                    m.swap_columns(p, q);
                    m.column_mut(q).neg_mut();
                }
            }
        }
        let first = b.column(0).try_normalize(0.0).unwrap_or_else(Vector3::x);
        let second = b.column(1).try_normalize(0.0).unwrap_or_else(|| beside(&first));
        let third = first.cross(&second);
        let u = Matrix3::from_columns(&[first, second, third]);
        let sigma = Vector3::from_fn(|i, _| u.column(i).dot(&b.column(i)));
        Self { u, sigma, v }
    }

    /// U diag(s) Vᵀ.
    pub(crate) fn with(&self, sigma: &Vector3<f64>) -> Matrix3<f64> {
        self.u * Matrix3::from_diagonal(sigma) * self.v.transpose()
    }

    /// ln σ; stretches that a gradient turned inside out has count as [`LEAST`].
    pub(crate) fn hencky(&self) -> Vector3<f64> {
        self.sigma.map(|s| s.max(LEAST).ln())
    }
}

/// Most sweeps over pairs of columns: convergence is quadratic, and five are the most that were seen.
const SWEEPS: u32 = 20;

/// A unit vector across a unit vector.
fn beside(n: &Vector3<f64>) -> Vector3<f64> {
    n.cross(&Vector3::ith(n.iamin(), 1.0)).normalize()
}

/// Stretch below which logarithms are not followed.
pub(crate) const LEAST: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Products of random factors, stretches from one down to nothing, rank and sign at will.
        #[test]
        fn property_factors_are_rotations_that_make_the_matrix(
            entries in prop::array::uniform9(-1.0..1.0f64),
            scales in prop::array::uniform3(-12.0..0.3f64),
            kept in prop::array::uniform3(prop::bool::weighted(0.9)),
            size in -3.0..3.0f64,
        ) {
            let scale = |i: usize| if kept[i] { 10f64.powf(size + scales[i]) } else { 0.0 };
            let f = Matrix3::from_column_slice(&entries) * Matrix3::from_diagonal(&Vector3::from_fn(|i, _| scale(i)));
            let s = Stretches::of(&f);
            let tight = 1e-14 * f.norm();
            prop_assert!((s.with(&s.sigma) - f).norm() <= tight, "{f} {s:?}");
            for m in [s.u, s.v] {
                prop_assert!((m.transpose() * m - Matrix3::identity()).norm() < 1e-14);
                prop_assert!(m.determinant() > 0.0);
            }
            prop_assert!(s.sigma[0] >= s.sigma[1] && s.sigma[1] >= s.sigma[2].abs() - tight && s.sigma[1] >= -tight, "{}", s.sigma);
            let known = f.singular_values();
            prop_assert!((s.sigma.abs() - known).norm() <= 1e-7 * known[0], "{} {known}", s.sigma);
        }
    }

    /// Turns by right angles, equal stretches and reflections, where angles are not unique.
    #[test]
    fn takes_matrices_whose_axes_are_not_unique() {
        for f in [
            Matrix3::identity(),
            -Matrix3::identity(),
            Matrix3::zeros(),
            Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
            Matrix3::new(0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
            Matrix3::repeat(1.0),
        ] {
            let s = Stretches::of(&f);
            assert!((s.with(&s.sigma) - f).norm() < 1e-15 * (1.0 + f.norm()), "{f} {s:?}");
            assert!(s.u.determinant() > 0.9 && s.v.determinant() > 0.9, "{f} {s:?}");
        }
    }
}
