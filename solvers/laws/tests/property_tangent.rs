//! The forward derivative of the dual cone: its value is the law's own, and it agrees with central differences.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Matrix6, SMatrix, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{ContactTangent, DualCone, DualConeLimit, Gains, LimitSeed, MassScale, SideTangent};

/// A positive definite 6 × 6 matrix from numbers in (−1, 1).
fn spd(x: &[f64]) -> Matrix6<f64> {
    let b = SMatrix::<f64, 6, 6>::from_column_slice(&x[..36]);
    b * b.transpose() + Matrix6::identity()
}

fn side(w: &Matrix6<f64>, contacts: u32) -> ContactSide {
    ContactSide {
        linear: w.fixed_view::<3, 3>(0, 0).into(),
        angular: w.fixed_view::<3, 3>(3, 3).into(),
        coupling: w.fixed_view::<1, 3>(0, 3).transpose(),
        reference: 0.7,
        contacts,
    }
}

#[derive(Clone, Debug)]
struct Case {
    law: DualCone,
    seed: ContactSeed,
    tangent: ContactTangent,
    v: SVector<f64, 6>,
    dv: SVector<f64, 6>,
    d_gains: [f64; 2],
}

fn cases() -> impl Strategy<Value = Case> {
    let law = (0..4usize, 0..3usize, any::<[bool; 5]>(), 0..3usize).prop_map(|(gains, mass, flags, n)| {
        let gains = [
            Gains::PerStep { k: 0.2, d: 0.002 },
            Gains::Physical { kappa: 900.0, c: 15.0 },
            Gains::Recovery { beta: 0.3 },
            Gains::Material,
        ][gains];
        DualCone {
            gains,
            mass: [MassScale::Mean, MassScale::Trace, MassScale::Exact][mass],
            split: flags[0],
            acting: false,
            balanced: flags[4],
            normalize: flags[1],
            cap: flags[2],
            ballistic: flags[3],
            recovery_speed: 0.1,
            directions: [4, 8, 16][n],
            coulomb_slip: None,
            smoothing: 0.05,
            width: None,
            memory: 0.0,
        }
    });
    let numbers = prop::collection::vec(-1.0..1.0f64, 120);
    (law, numbers, prop::sample::select(vec![1u8, 3, 4, 6])).prop_map(|(law, x, condim)| {
        let (w, dw) = (spd(&x), spd(&x[36..]) - Matrix6::identity());
        let rest = &x[72..];
        let gap = 1e-3 * if rest[0].abs() < 0.05 { 0.3 } else { rest[0] };
        let material = ContactMaterial {
            condim,
            friction_static: 0.8,
            friction_dynamic: 0.5,
            friction_torsional: 0.02,
            friction_rolling: 0.01,
            relaxation_time: 0.01,
            stiction_speed: 0.05,
            ..ContactMaterial::default()
        };
        let change = side(&dw, 0);
        let sides = SideTangent { linear: change.linear, angular: change.angular, coupling: change.coupling };
        Case {
            law,
            seed: ContactSeed {
                dt: 2e-3,
                gap,
                velocity: Vector3::from_column_slice(&rest[1..4]),
                material,
                curvature: [0.0; 2],
                sides: [side(&w, 3), ContactSide { linear: Matrix3::identity(), ..ContactSide::default() }],
            },
            tangent: ContactTangent {
                gap: 1e-3 * rest[4],
                velocity: Vector3::from_column_slice(&rest[5..8]),
                sides: [sides, SideTangent::default()],
            },
            v: SVector::from_column_slice(&rest[8..14]),
            dv: SVector::from_column_slice(&rest[14..20]),
            d_gains: [rest[20], rest[21]],
        }
    })
}

impl Case {
    /// The seed, velocity and law after a step `h` along the direction.
    fn moved(&self, h: f64) -> (DualCone, ContactSeed, SVector<f64, 6>) {
        let mut seed = self.seed;
        let t = &self.tangent;
        seed.gap += h * t.gap;
        seed.velocity += h * t.velocity;
        for (s, t) in seed.sides.iter_mut().zip(&t.sides) {
            s.linear += h * t.linear;
            s.angular += h * t.angular;
            s.coupling += h * t.coupling;
        }
        let [a, b] = self.law.gain_parameters();
        let law =
            self.law.with_gain_parameters([a + h * self.scaled_gains()[0], b + h * self.scaled_gains()[1]]);
        (law, seed, self.v + h * self.dv)
    }

    /// Changes of the gains in proportion to them; none for the material, which does not hold them.
    fn scaled_gains(&self) -> [f64; 2] {
        let p = self.law.gain_parameters();
        match self.law.gains {
            Gains::Material => [0.0; 2],
            _ => [p[0] * self.d_gains[0], p[1] * self.d_gains[1]],
        }
    }
}

fn impulse(law: &DualCone, seed: &ContactSeed, v: SVector<f64, 6>) -> SVector<f64, 6> {
    let p = <DualCone as ContactLaw<6>>::prepare(law, seed);
    -<DualCone as ContactLaw<6>>::eval(law, &p, v).grad
}

proptest! {
    #[test]
    fn property_impulse_tangent(case in cases()) {
        let (v, dv): ([f64; 6], [f64; 6]) = (case.v.into(), case.dv.into());
        let (gamma, change) = case.law.impulse_tangent::<6>(&case.seed, &case.tangent, (&v, &dv), case.scaled_gains());
        let at = |h: f64| { let (law, seed, v) = case.moved(h); impulse(&law, &seed, v) };
        let own = at(0.0);
        // Sums of products in another order.
        prop_assert!((SVector::from(gamma) - own).norm() <= 1e-11 * (1.0 + own.norm()));
        // The cap of the default gains sits exactly on its bound, where the law has a kink in β.
        let on_cap = case.law.cap && matches!(case.law.gains, Gains::Recovery { .. });
        // Five-point differences over widths of 0.05 m/s and 1 mm: fourth powers of 1e-4/0.05 with constants near 1e3, and round-off.
        let h = 1e-4;
        let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let scale = own.norm() + difference.norm();
        // Balanced pairs of facets have the larger of two masses, a kink where these are equal: differences to both sides tell.
        let [after, before] = [h, -h].map(|h| {
            (48.0 * at(h) - 25.0 * own - 36.0 * at(2.0 * h) + 16.0 * at(3.0 * h) - 3.0 * at(4.0 * h)) / (12.0 * h)
        });
        if !on_cap && (after - before).norm() <= 1e-6 * scale {
            prop_assert!((SVector::from(change) - difference).norm() <= 1e-6 * scale, "{change:?} {difference:?}");
        }
    }

    #[test]
    fn property_limit_tangent(case in cases(), mass in 0.2..5.0f64) {
        let law = |l: DualCone| DualConeLimit { law: l };
        let seed = LimitSeed { contacts: 2, reference: 0.7, ..LimitSeed::new(2e-3, case.seed.gap, mass) };
        let tangent = [case.tangent.gap, 0.3 * mass];
        let at = |h: f64| {
            let (l, _, v) = case.moved(h);
            let s = LimitSeed { gap: seed.gap + h * tangent[0], inverse_mass: mass + h * tangent[1], ..seed };
            let p = law(l).prepare(&s);
            -law(l).eval(&p, SVector::from([v[0]])).grad[0]
        };
        let (gamma, change) =
            case.law.limit_tangent(&seed, tangent, (case.v[0], case.dv[0]), case.scaled_gains());
        prop_assert!((gamma - at(0.0)).abs() <= 1e-12 * (1.0 + gamma));
        let h = 1e-4;
        let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        // As above; a cap on its bound is a kink.
        if !case.law.cap {
            prop_assert!((change - difference).abs() <= 1e-6 * (gamma + difference.abs()), "{change} {difference}");
        }
    }
}

proptest! {
    /// A contact that does not slide has no force along its tangents, whatever masses couple them to the normal.
    #[test]
    fn property_no_slip_no_friction(case in cases(), normal in -1.0..1.0f64) {
        let law = DualCone { balanced: true, ..case.law };
        let v = SVector::from([normal, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let gamma = impulse(&law, &case.seed, v);
        // Round-off of sums of opposite terms.
        prop_assert!(gamma.rows(1, 5).norm() <= 1e-13 * (1.0 + gamma[0]), "{gamma}");
    }
}
