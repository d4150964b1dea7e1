//! Softness of files: a body alone on its constraint moves as MuJoCo's equation of one constraint says.

use proptest::prelude::*;
use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide};
use signorini_laws::{
    Frictionless, Lagged, Limit, LimitSeed, NearRigid, NearRigidSeed, Sap, Similar, Softness,
};

/// solref and solimp as files have them.
#[derive(Clone, Copy, Debug)]
struct File {
    solref: [f64; 2],
    solimp: [f64; 5],
}

/// Acceleration r̈ = I a_ref + (1 − I) a₀ with a_ref = −B ṙ − K I r, written from MuJoCo's documentation with its own impedance: constant ends or a parabola.
fn acceleration(f: &File, r: f64, v: f64, a0: f64, sided: bool) -> f64 {
    if sided && r > 0.0 {
        return a0;
    }
    let [low, high, width, ..] = f.solimp;
    let x = (r.abs() / width).min(1.0);
    let y = if x < 0.5 { 2.0 * x * x } else { 1.0 - 2.0 * (1.0 - x) * (1.0 - x) };
    let i = low + y * (high - low);
    let [k, b] = if f.solref[0] > 0.0 {
        let [t, ratio] = f.solref;
        [1.0 / (high * high * t * t * ratio * ratio), 2.0 / (high * t)]
    } else {
        [-f.solref[0] / (high * high), -f.solref[1] / high]
    };
    let pulled = i * (-b * v - k * i * r) + (1.0 - i) * a0;
    if sided { pulled.max(a0) } else { pulled }
}

/// Positions over time by Runge–Kutta's method of steps far below those of the law.
fn reference(f: &File, start: [f64; 2], a0: f64, sided: bool, (dt, n): (f64, usize)) -> Vec<f64> {
    let [mut r, mut v] = start;
    let h = dt / 20.0;
    let a = |r: f64, v: f64| acceleration(f, r, v, a0, sided);
    let mut out = Vec::new();
    for _ in 0..n {
        for _ in 0..20 {
            let (k1, l1) = (v, a(r, v));
            let (k2, l2) = (v + 0.5 * h * l1, a(r + 0.5 * h * k1, v + 0.5 * h * l1));
            let (k3, l3) = (v + 0.5 * h * l2, a(r + 0.5 * h * k2, v + 0.5 * h * l2));
            let (k4, l4) = (v + h * l3, a(r + h * k3, v + h * l3));
            r += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        }
        out.push(r);
    }
    out
}

/// Positions by the law in steps: the velocity that balances `impulse(r, v₀, v)` on a mass, by bisection.
fn stepped(
    mass: f64,
    start: [f64; 2],
    a0: f64,
    (dt, n): (f64, usize),
    impulse: impl Fn(f64, f64, f64) -> f64,
) -> Vec<f64> {
    let [mut r, mut v] = start;
    let mut out = Vec::new();
    for _ in 0..n {
        let free = v + dt * a0;
        let excess = |x: f64| mass * (x - free) - impulse(r, v, x);
        let (mut low, mut high) = (free - 100.0, free + 100.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { high = middle } else { low = middle }
        }
        v = 0.5 * (low + high);
        r += dt * v;
        out.push(r);
    }
    out
}

fn contact<L: ContactLaw<D, Seed = ContactSeed>, const D: usize>(
    law: &L,
    f: &File,
    mass: f64,
    dt: f64,
) -> impl Fn(f64, f64, f64) -> f64 {
    move |r, v0, v| {
        let stated = ContactMaterial {
            solref_stated: true,
            solref: f.solref,
            solimp: f.solimp,
            ..ContactMaterial::default()
        };
        let mut sides = ContactSide::single(Matrix3::identity() / mass, 1);
        sides[0].reference = 1.0 / mass;
        let seed = ContactSeed {
            preload: 0.0,
            dt,
            gap: r,
            velocity: Vector3::new(v0, 0.0, 0.0),
            material: Softness::soften(&stated, r, 1.0 / mass),
            sides,
            curvature: None,
        };
        let mut at = SVector::zeros();
        at[0] = v;
        -law.eval(&law.prepare(&seed), at).grad[0]
    }
}

fn file() -> impl Strategy<Value = File> {
    let standard = (1e-2f64..0.1, 0.2f64..1.5).prop_map(|(t, ratio)| [t, ratio]);
    let direct = (2f64..4.5, 0.0f64..1.0).prop_map(|(k, ratio)| {
        let k = 10f64.powf(k);
        [-k, -2.0 * ratio * k.sqrt()]
    });
    let ends = (0.3f64..0.95, 0.3f64..0.95).prop_map(|(a, b)| [a.min(b), a.max(b)]);
    (prop_oneof![standard, direct], ends, 1e-3f64..2e-2)
        .prop_map(|(solref, [low, high], width)| File { solref, solimp: [low, high, width, 0.5, 2.0] })
}

/// Largest difference of positions over their largest size.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    a.iter().zip(b).fold(0.0f64, |s, (x, y)| s.max((x - y).abs())) / size
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Impacts and rest under gravity, by every law that reads softness; first order in the step.
    #[test]
    fn property_contacts_bounce_and_rest_as_mujocos_equation(f in file(), mass in 0.01f64..100.0, speed in 0.0f64..3.0) {
        let (k, start, g) = (10e-6, [1e-4, -speed], -9.81);
        let steps = (k, 3000);
        let expected = reference(&f, start, g, true, steps);
        let by = |impulse: &dyn Fn(f64, f64, f64) -> f64| distance(&stepped(mass, start, g, steps, impulse), &expected);
        let found = [
            by(&contact::<_, 3>(&Lagged::default(), &f, mass, k)),
            by(&contact::<_, 3>(&Similar::default(), &f, mass, k)),
            by(&contact::<_, 3>(&Sap { beta: 0.0, ..Sap::default() }, &f, mass, k)),
            by(&contact::<_, 1>(&Frictionless, &f, mass, k)),
        ];
        // Discretisation at 10 µs: the fastest of these has a period of 12 ms.
        prop_assert!(found.iter().all(|d| *d < 0.03), "{found:?}");
    }

    /// A limit is a contact, an equality pulls both ways.
    #[test]
    fn property_limits_and_equalities_move_as_mujocos_equation(f in file(), mass in 0.01f64..100.0, speed in -1.0f64..1.0) {
        let (k, g, w) = (10e-6, -9.81, 1.0 / mass);
        let steps = (k, 3000);
        let softness = |r: f64| Some(Softness::new(f.solref, &f.solimp, r, w));
        let start = [1e-4, -speed.abs()];
        let limit = |gap: f64, velocity: f64, v: f64| {
            let seed = LimitSeed { softness: softness(gap.min(0.0)), velocity, ..LimitSeed::new(k, gap, w) };
            -Limit::default().eval(&Limit::default().prepare(&seed), SVector::from([v])).grad[0]
        };
        let found = distance(&stepped(mass, start, g, steps, limit), &reference(&f, start, g, true, steps));
        prop_assert!(found < 0.03, "limit {found}");
        let start = [0.0, speed];
        let equality = |gap: f64, velocity: f64, v: f64| {
            let seed = NearRigidSeed::<1> {
                dt: k,
                gap: SVector::from([gap]),
                inverse_mass: w,
                recovery_speed: 1.0,
                shortest_step: 1e-4,
                spring: None,
                softness: softness(gap),
                velocity: SVector::from([velocity]),
            };
            let law = NearRigid::default();
            -ContactLaw::<1>::eval(&law, &ContactLaw::<1>::prepare(&law, &seed), SVector::from([v])).grad[0]
        };
        let found = distance(&stepped(mass, start, g, steps, equality), &reference(&f, start, g, false, steps));
        prop_assert!(found < 0.03, "equality {found}");
    }
}

/// Forms of solref: MuJoCo's documentation, (timeconst, dampratio) = (2/b·…), and a mixed pair as the default.
#[test]
fn analytic_both_forms_of_solref_agree() {
    let solimp = [0.9, 0.95, 1e-3, 0.5, 2.0];
    let (t, ratio): (f64, f64) = (0.02, 0.7);
    let direct = [-1.0 / (t * ratio).powi(2), -2.0 / t];
    let [a, b] = [[t, ratio], direct].map(|solref| Softness::new(solref, &solimp, -4e-4, 2.0));
    for (x, y) in [(a.mass, b.mass), (a.stiffness, b.stiffness), (a.damping, b.damping)] {
        assert!((x / y - 1.0).abs() < 1e-12, "{a:?} {b:?}");
    }
    let default = Softness::new([0.02, 1.0], &solimp, -4e-4, 2.0);
    assert_eq!(Softness::new([0.02, -1.0], &solimp, -4e-4, 2.0), default);
    assert_eq!(Softness::new([-10.0, 1.0], &solimp, -4e-4, 2.0), default);
}
