//! The forward derivative of both dual cones: its value is the law's own, and it agrees with central differences.

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Matrix6, SMatrix, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{
    ContactTangent, DualCone, DualConeLaw, DualConeLimit, Gains, LimitSeed, MassScale, PublishedDualCone,
    SideTangent,
};

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
struct Case<L> {
    law: L,
    seed: ContactSeed,
    tangent: ContactTangent,
    v: SVector<f64, 6>,
    dv: SVector<f64, 6>,
    /// Changes of the gains; none for the material, which does not hold them.
    d_gains: [f64; 2],
}

/// The law of this project; without memory opposite facets are balanced, with it they are not.
fn ours() -> impl Strategy<Value = DualCone> {
    (0..5usize, any::<[bool; 2]>(), 0..3usize).prop_map(|(gains, [cap, memory], n)| {
        let gains = [
            Gains::PerStep { k: 0.2, d: 0.002 },
            Gains::Physical { kappa: 900.0, c: 15.0 },
            Gains::Recovery { beta: 0.3 },
            Gains::Material,
            // Far above a cap.
            Gains::PerStep { k: 20.0, d: 0.3 },
        ][gains];
        DualCone {
            gains,
            cap,
            acting: false,
            recovery_speed: 0.1,
            directions: [4, 8, 16][n],
            coulomb_slip: None,
            smoothing: 0.05,
            memory: if memory { 1.0 } else { 0.0 },
        }
    })
}

fn published() -> impl Strategy<Value = PublishedDualCone> {
    prop::sample::select(vec![MassScale::Mean, MassScale::Trace]).prop_map(|mass| PublishedDualCone {
        k: 0.2,
        d: 0.002,
        mass,
    })
}

fn cases<L: DualConeLaw>(law: impl Strategy<Value = L>) -> impl Strategy<Value = Case<L>> {
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
        let second = ContactSide { linear: Matrix3::identity(), reference: 0.4, ..ContactSide::default() };
        let [a, b] = law.gain_parameters();
        let holds = law.with_gain_parameters([2.0 * a, 2.0 * b]) != law;
        Case {
            law,
            seed: ContactSeed {
                preload: 0.0,
                dt: 2e-3,
                gap,
                velocity: Vector3::from_column_slice(&rest[1..4]),
                material,
                curvature: None,
                sides: [side(&w, 3), second],
            },
            tangent: ContactTangent {
                gap: 1e-3 * rest[4],
                velocity: Vector3::from_column_slice(&rest[5..8]),
                sides: [sides, SideTangent { linear: 0.2 * change.linear, ..SideTangent::default() }],
            },
            v: SVector::from_column_slice(&rest[8..14]),
            dv: SVector::from_column_slice(&rest[14..20]),
            d_gains: if holds { [a * rest[20], b * rest[21]] } else { [0.0; 2] },
        }
    })
}

impl<L: DualConeLaw> Case<L> {
    /// The seed, velocity and law after a step `h` along the direction.
    fn moved(&self, h: f64) -> (L, ContactSeed, SVector<f64, 6>) {
        let mut seed = self.seed;
        let t = &self.tangent;
        seed.gap += h * t.gap;
        seed.velocity += h * t.velocity;
        for (s, t) in seed.sides.iter_mut().zip(&t.sides) {
            s.linear += h * t.linear;
            s.angular += h * t.angular;
            s.coupling += h * t.coupling;
        }
        let ([a, b], [da, db]) = (self.law.gain_parameters(), self.d_gains);
        (self.law.with_gain_parameters([a + h * da, b + h * db]), seed, self.v + h * self.dv)
    }

    /// Impulses after steps along the direction.
    fn impulse(&self, h: f64) -> SVector<f64, 6> {
        let (law, seed, v) = self.moved(h);
        impulse(&law, &seed, v)
    }

    /// γ and its change of a contact.
    fn tangent(&self) -> Tangent<6> {
        let (v, dv): ([f64; 6], [f64; 6]) = (self.v.into(), self.dv.into());
        let (gamma, change) =
            self.law.impulse_tangent::<6>(&self.seed, &self.tangent, (&v, &dv), self.d_gains);
        Tangent::new(gamma.into(), change.into(), |h| self.impulse(h))
    }

    /// γ and its change of a limit.
    fn limit_tangent(&self, mass: f64) -> Tangent<1> {
        let reference = if mass > 1.0 { 0.7 } else { 0.0 };
        let seed = LimitSeed { contacts: 2, reference, ..LimitSeed::new(2e-3, self.seed.gap, mass) };
        let tangent = [self.tangent.gap, 0.3 * mass];
        let (gamma, change) = self.law.limit_tangent(&seed, tangent, (self.v[0], self.dv[0]), self.d_gains);
        Tangent::new([gamma].into(), [change].into(), |h| {
            let (law, _, v) = self.moved(h);
            let s = LimitSeed { gap: seed.gap + h * tangent[0], inverse_mass: mass + h * tangent[1], ..seed };
            let law = DualConeLimit { law };
            -law.eval(&law.prepare(&s), SVector::from([v[0]])).grad
        })
    }
}

/// An impulse and its change by a law's derivative, and by differences of the law.
struct Tangent<const N: usize> {
    gamma: SVector<f64, N>,
    change: SVector<f64, N>,
    /// Impulse of the law.
    own: SVector<f64, N>,
    /// Central difference.
    difference: SVector<f64, N>,
    /// Differences to both sides part: something switches in between.
    switches: bool,
}

impl<const N: usize> Tangent<N> {
    fn new(gamma: SVector<f64, N>, change: SVector<f64, N>, at: impl Fn(f64) -> SVector<f64, N>) -> Self {
        // Five-point differences over widths of 0.05 m/s and 1 mm: fourth powers of 1e-4/0.05 with constants near 1e3, and round-off.
        let (h, own) = (1e-4, at(0.0));
        let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let [after, before] = [h, -h].map(|h| {
            (48.0 * at(h) - 25.0 * own - 36.0 * at(2.0 * h) + 16.0 * at(3.0 * h) - 3.0 * at(4.0 * h))
                / (12.0 * h)
        });
        let switches = (after - before).norm() > 1e-6 * (own.norm() + difference.norm());
        Self { gamma, change, own, difference, switches }
    }

    fn agrees(&self) -> Result<(), TestCaseError> {
        let Self { change, difference, own, .. } = self;
        prop_assert!(
            (change - difference).norm() <= 1e-6 * (own.norm() + difference.norm()),
            "{change} {difference}"
        );
        Ok(())
    }
}

fn impulse<L: DualConeLaw>(law: &L, seed: &ContactSeed, v: SVector<f64, 6>) -> SVector<f64, 6> {
    let p = <L as ContactLaw<6>>::prepare(law, seed);
    -<L as ContactLaw<6>>::eval(law, &p, v).grad
}

proptest! {
    #[test]
    fn property_impulse_tangent(case in cases(ours())) {
        let t = case.tangent();
        // Sums of products in another order.
        prop_assert!((t.gamma - t.own).norm() <= 1e-11 * (1.0 + t.own.norm()));
        // Balanced pairs of facets have the larger of two masses, a kink where these are equal.
        if !t.switches {
            t.agrees()?;
        }
    }

    #[test]
    fn property_limit_tangent(case in cases(ours()), mass in 0.2..5.0f64) {
        let t = case.limit_tangent(mass);
        prop_assert!((t.gamma - t.own).norm() <= 1e-12 * (1.0 + t.own.norm()));
        if !t.switches {
            t.agrees()?;
        }
    }

    /// The published law has a kink where a facet begins to act.
    #[test]
    fn property_published_tangents(case in cases(published()), mass in 0.2..5.0f64) {
        let (t, limit) = (case.tangent(), case.limit_tangent(mass));
        prop_assert!((t.gamma - t.own).norm() <= 1e-11 * (1.0 + t.own.norm()));
        prop_assert!((limit.gamma - limit.own).norm() <= 1e-12 * (1.0 + limit.own.norm()));
        if !t.switches {
            t.agrees()?;
        }
        if !limit.switches {
            limit.agrees()?;
        }
    }

    /// A contact that does not slide has no force along its tangents, whatever masses couple them to the normal.
    #[test]
    fn property_no_slip_no_friction(case in cases(ours()), normal in -1.0..1.0f64) {
        let law = DualCone { memory: 0.0, ..case.law };
        let v = SVector::from([normal, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let gamma = impulse(&law, &case.seed, v);
        // Round-off of sums of opposite terms.
        prop_assert!(gamma.rows(1, 5).norm() <= 1e-13 * (1.0 + gamma[0]), "{gamma}");
    }
}

/// Where the coefficient of friction has fallen to zero it does not change with the slip at the start.
#[test]
fn analytic_friction_that_is_clamped_has_no_slope() {
    let material = ContactMaterial {
        friction_static: 1.0,
        friction_dynamic: 0.0,
        stiction_speed: 0.1,
        ..ContactMaterial::default()
    };
    // 25 stiction speeds: beyond 20 the published curve is below zero.
    let seed = ContactSeed {
        preload: 0.0,
        dt: 2e-3,
        gap: -1e-3,
        velocity: Vector3::new(0.0, 1.5, -2.0),
        material,
        sides: ContactSide::single(Matrix3::identity(), 1),
        curvature: None,
    };
    let tangent = ContactTangent { velocity: Vector3::new(0.0, 1.0, -1.0), ..ContactTangent::default() };
    let law = DualCone::default();
    let (gamma, change) = law.impulse_tangent(&seed, &tangent, (&[-0.5, 0.3, 0.1], &[0.0; 3]), [0.0; 2]);
    assert!(gamma[0] > 0.0 && gamma[1..] == [0.0; 2], "{gamma:?}");
    assert_eq!(change, [0.0; 3]);
}
