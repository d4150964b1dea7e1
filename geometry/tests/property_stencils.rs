//! Derivatives of stencils by differences, and collision times against samples of the path.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use signorini_core::na::{SMatrix, SVector, Vector3};
use signorini_geometry::{Ccd, Impact, Mollifier, Stencil};

fn four() -> impl Strategy<Value = [Vector3<f64>; 4]> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64).prop_map(Vector3::from))
}

fn stencil() -> impl Strategy<Value = Stencil> {
    prop::sample::select(vec![Stencil::PointTriangle, Stencil::EdgeEdge])
}

fn moved(x: &[Vector3<f64>; 4], i: usize, h: f64) -> [Vector3<f64>; 4] {
    let mut y = *x;
    y[i / 3][i % 3] += h;
    y
}

/// Lengths and angles that keep differences meaningful.
fn plain(stencil: Stencil, x: &[Vector3<f64>; 4]) -> bool {
    let (u, v) = match stencil {
        Stencil::PointTriangle => (x[2] - x[1], x[3] - x[1]),
        Stencil::EdgeEdge => (x[1] - x[0], x[3] - x[2]),
    };
    u.norm() > 0.2 && v.norm() > 0.2 && u.cross(&v).norm() > 0.1 * u.norm() * v.norm()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn property_derivatives_of_the_distance(s in stencil(), x in four()) {
        prop_assume!(plain(s, &x));
        let d = s.distance(&x);
        let h = 1e-5;
        let at = |i: usize, h: f64| s.distance(&moved(&x, i, h));
        // Where the closest feature changes the Hessian jumps.
        let same = (0..12).all(|i| [h, -h].iter().all(|h| {
            let y = at(i, *h);
            y.dimension() == d.dimension() && (0..4).all(|k| (y.weights[k] == 0.0) == (d.weights[k] == 0.0))
        }));
        prop_assume!(same);
        let g = d.gradient();
        let hess = d.hessian(&x);
        for i in 0..12 {
            let slope = (at(i, h).squared - at(i, -h).squared) / (2.0 * h);
            // Third derivatives of squared distances of points within 1 grow with 1/0.1² of the angle.
            prop_assert!((slope - g[i]).abs() < 1e-6, "{slope} {}", g[i]);
            let column = (at(i, h).gradient() - at(i, -h).gradient()) / (2.0 * h);
            prop_assert!((column - hess.column(i)).norm() < 1e-5 * (1.0 + hess.norm()), "column {i}");
        }
        // Rigid translations do nothing.
        let shift: SVector<f64, 12> = SVector::from_fn(|i, _| [0.3, -0.5, 0.8][i % 3]);
        prop_assert!(g.dot(&shift).abs() < 1e-12 && (hess * shift).norm() < 1e-9 * (1.0 + hess.norm()));
    }

    #[test]
    fn property_projection_is_that_of_all_eigenvalues(s in stencil(), x in four(), slope in -10.0..0.0f64, curvature in 0.0..100.0f64) {
        prop_assume!(plain(s, &x));
        let d = s.distance(&x);
        prop_assume!(d.distance() > 1e-3);
        let g = d.gradient();
        let full = curvature * g * g.transpose() + slope * d.hessian(&x);
        let eigen = full.symmetric_eigen();
        let positive = eigen.eigenvalues.map(|e| e.max(0.0));
        let clamped = eigen.eigenvectors * SMatrix::from_diagonal(&positive) * eigen.eigenvectors.transpose();
        let ours = d.projected_hessian(&x, slope, curvature);
        // Eigenvalues to round-off of the largest.
        prop_assert!((ours - clamped).norm() <= 1e-9 * (1.0 + full.norm()), "{}", (ours - clamped).norm());
    }

    #[test]
    fn property_derivatives_of_the_mollifier(x in four(), angle in 0.0..0.05f64) {
        // Nearly parallel edges.
        let u = x[1] - x[0];
        prop_assume!(u.norm() > 0.3);
        let x = [x[0], x[1], x[2], x[2] + 0.8 * u + angle * (x[3] - x[2])];
        let m = Mollifier::new([u.norm_squared(), (x[3] - x[2]).norm_squared()]);
        let Some((value, g, hess)) = m.derivatives(&x) else {
            prop_assert_eq!(m.value(&x), 1.0);
            return Ok(());
        };
        prop_assert_eq!(value, m.value(&x));
        let h = 1e-6;
        for i in 0..12 {
            let (a, b) = (moved(&x, i, h), moved(&x, i, -h));
            let slope = (m.value(&a) - m.value(&b)) / (2.0 * h);
            // m changes over angles of 0.03; third derivatives reach 1e5.
            prop_assert!((slope - g[i]).abs() < 1e-5 * (1.0 + g.norm()), "{slope} {}", g[i]);
            let (Some(a), Some(b)) = (m.derivatives(&a), m.derivatives(&b)) else { continue };
            let column: SVector<f64, 12> = (a.1 - b.1) / (2.0 * h);
            let exact: SMatrix<f64, 12, 1> = hess.column(i).into();
            prop_assert!((column - exact).norm() < 1e-4 * (1.0 + hess.norm()), "column {i}");
        }
    }

    #[test]
    fn property_the_path_to_an_impact_is_free(s in stencil(), x in four(), y in four(), gap in 0.0..0.3f64) {
        let dx = std::array::from_fn(|i| y[i] - x[i]);
        let ccd = Ccd { separation: gap, ..Ccd::default() };
        let end = match ccd.impact(s, &x, &dx) {
            Impact::None => 1.0,
            Impact::Before(t) => t,
            Impact::AtStart => {
                prop_assert!(s.distance(&x).distance() <= gap);
                return Ok(());
            }
        };
        prop_assert!(end > 0.0);
        for k in 0..=100 {
            let t = end * f64::from(k) / 100.0;
            let at = std::array::from_fn(|i| x[i] + t * dx[i]);
            prop_assert!(s.distance(&at).distance() > gap, "{t} of {end}");
        }
    }
}
