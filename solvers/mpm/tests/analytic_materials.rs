//! Materials: stresses are derivatives of energies, rotations cost nothing, flow is radial, keeps the volume of dough and remembers that of sand.

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Matrix6, Rotation3, Vector3};
use signorini_mpm::{
    DruckerPrager, FixedCorotated, Lame, LinearCorotated, Liquid, Material, Maxwell, MpmError, Snow,
    SnowStrength, Stiffness, VonMises,
};

/// A step \[s\], which these materials do not ask for.
const DT: f64 = 1e-3;

fn lame() -> Lame {
    Lame::new(1e5, 0.3).unwrap()
}

fn all() -> Vec<Box<dyn Material>> {
    vec![
        Box::new(FixedCorotated(lame())),
        Box::new(LinearCorotated(lame())),
        Box::new(VonMises::new(lame(), 2e3).unwrap()),
        Box::new(DruckerPrager::new(lame(), 0.55).unwrap()),
    ]
}

/// Those too whose stress at rest is not Hooke's, or whose flow forgets rotations.
fn with_snow_and_liquid() -> Vec<Box<dyn Material>> {
    let strength = SnowStrength { compression: 1e3, cohesion: 0.3, friction: 1.2, hardening: 5.0 };
    let mut out = all();
    out.push(Box::new(Snow::new(lame(), strength).unwrap()));
    out.push(Box::new(Liquid::new(1e5).unwrap()));
    out.push(Box::new(Maxwell::new(1e5, 0.1).unwrap()));
    out
}

fn gradient() -> impl Strategy<Value = Matrix3<f64>> {
    prop::array::uniform9(-0.25..0.25f64).prop_map(|a| Matrix3::identity() + Matrix3::from_column_slice(&a))
}

/// Second derivative of ψ((1 + D) F) in D by differences of the stress, over components as those of [`Stiffness`].
///
/// ```text
/// ½ (dτ[D_k] : D_l + dτ[D_l] : D_k) − τ : ½ (D_k D_l + D_l D_k)
/// ```
fn second_derivative(m: &dyn Material, f: &Matrix3<f64>) -> Matrix6<f64> {
    let (h, tau) = (1e-5, m.stress(f));
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let tensors = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].map(|(i, j)| {
        let mut d = Matrix3::zeros();
        d[(i, j)] = if i == j { 1.0 } else { half };
        d[(j, i)] = d[(i, j)];
        d
    });
    let slopes = tensors.map(|d| {
        let at = |h: f64| m.stress(&((Matrix3::identity() + h * d) * f));
        (at(h) - at(-h)) / (2.0 * h)
    });
    Matrix6::from_fn(|k, l| {
        let (a, b) = (&tensors[k], &tensors[l]);
        0.5 * (slopes[k].dot(b) + slopes[l].dot(a) - tau.dot(&(a * b + b * a)))
    })
}

/// Positive part of a symmetric matrix.
fn positive_part(h: &Matrix6<f64>) -> Matrix6<f64> {
    let mut eigen = h.symmetric_eigen();
    eigen.eigenvalues.apply(|x| *x = x.max(0.0));
    eigen.recompose()
}

proptest! {
    #[test]
    fn analytic_stiffness_is_the_positive_part_of_the_second_derivative(f in gradient(), turn in prop::array::uniform3(-3.0..3.0f64), squeeze in 0.7..1.1f64) {
        prop_assume!(f.determinant() > 0.2);
        let f = squeeze * Rotation3::new(Vector3::from(turn)).matrix() * f;
        let sand = DruckerPrager::new(lame(), 0.55).unwrap();
        let pressed = f.determinant() < 1.0;
        let strength = SnowStrength { compression: 1e3, cohesion: 0.3, friction: 1.2, hardening: 5.0 };
        let (snow, liquid) = (Snow::new(lame(), strength).unwrap(), Liquid::new(1e5).unwrap());
        let materials: [(&dyn Material, bool); 4] =
            [(&FixedCorotated(lame()), true), (&sand, pressed), (&snow, true), (&liquid, true)];
        for (m, acts) in materials {
            let c = m.stiffness(&f).unwrap().0;
            let expected = if acts { positive_part(&second_derivative(m, &f)) } else { Matrix6::zeros() };
            // Differences of stresses.
            prop_assert!((c - expected).norm() < 1e-6 * (1e5 + expected.norm()), "{}: {c} {expected}", m.name());
            prop_assert!((c - c.transpose()).norm() < 1e-12 * c.norm() + 1e-9);
            let least = c.symmetric_eigenvalues().min();
            prop_assert!(least > -1e-9 * c.norm() - 1e-9, "{least}");
        }
    }

    #[test]
    fn analytic_stress_is_the_derivative_of_energy(f in gradient(), turn in prop::array::uniform3(-3.0..3.0f64)) {
        prop_assume!(f.determinant() > 0.2);
        let f = Rotation3::new(Vector3::from(turn)).matrix() * f;
        for m in with_snow_and_liquid() {
            let tau = m.stress(&f);
            // τ : D of the motion F ← (1 + h D) F.
            for (r, c) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0), (1, 0)] {
                let mut d = Matrix3::zeros();
                d[(r, c)] = 1.0;
                let h = 1e-6;
                let at = |h: f64| m.energy(&((Matrix3::identity() + h * d) * f));
                let found = (at(h) - at(-h)) / (2.0 * h);
                prop_assert!((found - tau[(r, c)]).abs() < 1e-6 * (1e5 + tau.norm()), "{} {r}{c}: {found} {}", m.name(), tau[(r, c)]);
            }
            prop_assert!((tau - tau.transpose()).norm() < 1e-9 * (1e5 + tau.norm()));
        }
    }

    #[test]
    fn analytic_rotations_cost_nothing(turn in prop::array::uniform3(-3.0..3.0f64)) {
        let r = *Rotation3::new(Vector3::from(turn)).matrix();
        for m in all() {
            prop_assert!(m.energy(&r).abs() < 1e-20 * 1e5 / 1e-5 && m.stress(&r).norm() < 1e-9, "{}", m.name());
            let (mut f, mut memory) = (r, 0.0);
            m.flow(&mut f, &mut memory, DT);
            prop_assert!((f - r).norm() < 1e-12 && memory.abs() < 1e-12);
        }
    }

    #[test]
    fn analytic_flow_ends_on_the_surface_and_stays(f in gradient()) {
        prop_assume!(f.determinant() > 0.2);
        let dough = VonMises::new(lame(), 2e3).unwrap();
        let (mut g, mut memory) = (f, 0.0);
        dough.flow(&mut g, &mut memory, DT);
        let deviator = |f: &Matrix3<f64>| {
            let tau = dough.stress(f);
            (tau - Matrix3::identity() * (tau.trace() / 3.0)).norm()
        };
        let most = dough.largest_deviator();
        prop_assert!(deviator(&g) <= most * (1.0 + 1e-9));
        prop_assert!((g.determinant() / f.determinant() - 1.0).abs() < 1e-12, "volume is kept");
        // It was beyond, or nothing changed.
        prop_assert!((deviator(&g) - most).abs() < 1e-9 * most || (g - f).norm() < 1e-12);
        let once = g;
        dough.flow(&mut g, &mut memory, DT);
        prop_assert!((g - once).norm() < 1e-11);

        let sand = DruckerPrager::new(lame(), 0.55).unwrap();
        let (mut g, mut memory) = (f, 0.0);
        sand.flow(&mut g, &mut memory, DT);
        prop_assert!(sand.excess(&g) < 1e-12 && g.determinant() <= f.determinant().min(1.0) + 1e-12);
        prop_assert!((memory - f.determinant().ln().max(0.0)).abs() < 1e-12, "what it grew by is remembered");
    }
}

#[test]
fn analytic_all_stiffnesses_are_those_of_hooke_at_rest() {
    let turn = Rotation3::new(Vector3::new(0.3, -1.0, 0.7)).into_inner();
    let Lame { lambda, mu } = lame();
    let mut hooke = 2.0 * mu * Matrix6::identity();
    hooke.fixed_view_mut::<3, 3>(0, 0).add_scalar_mut(lambda);
    for m in all() {
        // Sand a little pressed: without stress it has none.
        let f = (1.0 - 1e-9) * turn;
        let c = m.stiffness(&f).unwrap().0;
        assert!((c - hooke).norm() < 1e-7 * hooke.norm(), "{}: {c}", m.name());
    }
    let sand = DruckerPrager::new(lame(), 0.55).unwrap();
    let mut open = 1.01 * turn;
    assert_eq!(sand.stiffness(&open), Some(Stiffness(Matrix6::zeros())));
    let mut memory = 0.0;
    sand.flow(&mut open, &mut memory, DT);
    assert!(memory > 0.02);
    assert_eq!(sand.stiffness(&open), Some(Stiffness(Matrix6::zeros())));
}

#[test]
fn analytic_simple_shear_yields_at_the_stress_that_is_stated() {
    let dough = VonMises::new(lame(), 2e3).unwrap();
    let (mut f, mut memory) = (Matrix3::identity(), 0.0);
    let mut last = 0.0;
    for _ in 0..200 {
        let mut step = Matrix3::identity();
        step[(0, 1)] = 1e-3;
        f = step * f;
        dough.flow(&mut f, &mut memory, DT);
        let tau = dough.stress(&f);
        last = (tau - Matrix3::identity() * (tau.trace() / 3.0)).norm();
    }
    assert!((last - dough.largest_deviator()).abs() < 1e-9 * last);
    assert!((f.determinant() - 1.0).abs() < 1e-12);
    // τ₁₂ = σ_y/√3 in pure shear.
    let shear = dough.stress(&f)[(0, 1)];
    assert!((shear / (2e3 / 3f64.sqrt()) - 1.0).abs() < 5e-3, "{shear}");
}

#[test]
fn regression_numbers_out_of_range() {
    let refused = |r: Result<Lame, MpmError>| r.is_err_and(|e| e.to_string().contains("give"));
    for (young, poisson) in
        [(0.0, 0.3), (-1.0, 0.3), (f64::NAN, 0.3), (1e5, 0.5), (1e5, -1.0), (1e5, f64::NAN)]
    {
        assert!(refused(Lame::new(young, poisson)), "{young} {poisson}");
    }
    assert!(VonMises::new(lame(), 0.0).is_err() && VonMises::new(lame(), f64::NAN).is_err());
    assert!(DruckerPrager::new(lame(), -0.1).is_err() && DruckerPrager::new(lame(), 1.6).is_err());
}
