//! Derivatives of stencils by differences, and collision times against samples of the path.

use proptest::prelude::*;
use signorini_core::na::{SMatrix, SVector, Vector3};
use signorini_geometry::{Ccd, Impact, Mollifier, Stencil, StencilCurvature};

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

/// The points of one side or the other.
fn sides(s: Stencil) -> [[bool; 4]; 2] {
    let first = match s {
        Stencil::PointTriangle => [true, false, false, false],
        Stencil::EdgeEdge => [true, true, false, false],
    };
    [first, first.map(|m| !m)]
}

fn sum(c: &StencilCurvature) -> SMatrix<f64, 12, 12> {
    c.vectors().iter().map(|v| v.dense() * v.dense().transpose()).sum()
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
    fn property_closed_form_curvature_bounds_the_hessian(s in stencil(), x in four(), slope in -10.0..0.0f64, curvature in 0.0..100.0f64) {
        prop_assume!(plain(s, &x));
        let d = s.distance(&x);
        prop_assume!(d.distance() > 1e-3);
        // By d from by d².
        let (r, g) = (d.distance(), d.gradient());
        let by_d = [1.0, 2.0 * r * slope, 4.0 * r * r * curvature + 2.0 * slope];
        prop_assume!(by_d[2] >= 0.0);
        let full: SMatrix<f64, 12, 12> = curvature * g * g.transpose() + slope * d.hessian(&x);
        let ours = sum(&d.curvature_vectors(&x, by_d, None, [true; 4]));
        let nearest = d.projected_hessian(&x, slope, curvature);
        for moving in sides(s) {
            let part = |m: &SMatrix<f64, 12, 12>| m.map_with_location(|i, j, e| if moving[i / 3] && moving[j / 3] { e } else { 0.0 });
            let (own, cut) = (sum(&d.curvature_vectors(&x, by_d, None, moving)), part(&full));
            prop_assert!((own - cut).symmetric_eigenvalues().min() > -1e-9 * (1.0 + full.norm()));
            prop_assert!((own - part(&own)).norm() == 0.0 && own.trace() <= part(&ours).trace() + 1e-9 * (1.0 + full.norm()));
        }
        let lowest = (ours - full).symmetric_eigenvalues().min();
        // Round-off of eigenvalues.
        prop_assert!(lowest > -1e-9 * (1.0 + full.norm()), "{lowest}");
        // Not far above the nearest projection either.
        prop_assert!(ours.trace() <= 2.0 * nearest.trace() + 1e-9, "{} {}", ours.trace(), nearest.trace());
    }

    #[test]
    fn property_closed_form_curvature_with_the_mollifier(
        x in four(), angle in 0.0..0.04f64, gap in 0.01..0.3f64, value in 1e-3..1.0f64, ratio in 0.1..10.0f64,
    ) {
        let u = x[1] - x[0];
        prop_assume!(u.norm() > 0.3 && (x[3] - x[2]).norm() > 0.3);
        let off = u.cross(&(x[3] - x[2]));
        prop_assume!(off.norm() > 0.05);
        let start = x[0] + 0.1 * u + gap * off.normalize();
        let x = [x[0], x[1], start, start + 0.8 * u + angle * (x[3] - x[2])];
        let m = Mollifier::new([u.norm_squared(), (x[3] - x[2]).norm_squared()]);
        let Some((weight, gm, hm)) = m.derivatives(&x) else { return Ok(()) };
        let d = Stencil::EdgeEdge.distance(&x);
        // b = v exp(−ratio (d − d₀)/d₀): falls and is convex.
        let r = d.distance();
        let by_d = [value, -value * ratio / r, value * (ratio / r) * (ratio / r)];
        let slope = by_d[1] / (2.0 * r);
        let curvature = (by_d[2] - 2.0 * slope) / (4.0 * r * r);
        let g = d.gradient();
        let b = curvature * g * g.transpose() + slope * d.hessian(&x);
        let full: SMatrix<f64, 12, 12> =
            weight * b + value * hm + slope * (g * gm.transpose() + gm * g.transpose());
        for moving in sides(Stencil::EdgeEdge) {
            let own = sum(&d.curvature_vectors(&x, by_d, Some(&m), moving));
            let cut = full.map_with_location(|i, j, e| if moving[i / 3] && moving[j / 3] { e } else { 0.0 });
            prop_assert!((own - cut).symmetric_eigenvalues().min() > -1e-9 * (1.0 + full.norm()), "{moving:?}");
        }
        let ours = sum(&d.curvature_vectors(&x, by_d, Some(&m), [true; 4]));
        let lowest = (ours - full).symmetric_eigenvalues().min();
        prop_assert!(lowest > -1e-9 * (1.0 + full.norm()), "{lowest} of {}", full.norm());
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
            // Where m becomes 1 its second derivative jumps.
            let (Some(a), Some(b)) = (m.derivatives(&a), m.derivatives(&b)) else { continue };
            // m changes over angles of 0.03; third derivatives reach 1e5.
            prop_assert!((slope - g[i]).abs() < 1e-5 * (1.0 + g.norm()), "{slope} {}", g[i]);
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
