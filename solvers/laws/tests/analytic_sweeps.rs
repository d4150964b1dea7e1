//! Sweeps of the dual cone and its limit against their conditions written out facet by facet, and pair by pair.

use signorini_core::na::{Matrix3, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide, Sweep, SweptLaw};
use signorini_laws::{DualCone, DualConeLimit, Facets, Gains, LimitSeed, PublishedDualCone, closing_hessian};
use signorini_testkit::rng::Rng;

type V6 = SVector<f64, 6>;

/// A contact of three or more dimensions between a body that resists tangents, spin and rolls alike in all directions and another.
fn seed(r: &mut Rng) -> ContactSeed {
    let mu = r.uniform(0.1, 1.5);
    let material = ContactMaterial {
        condim: [3, 4, 6][r.below(3)],
        friction_static: mu,
        friction_dynamic: mu,
        friction_torsional: r.log_uniform(1e-2, 1.0),
        friction_rolling: r.log_uniform(1e-2, 1.0),
        ..ContactMaterial::default()
    };
    let side = |r: &mut Rng| {
        let (normal, tangent) = (r.log_uniform(0.1, 10.0), r.log_uniform(0.1, 10.0));
        ContactSide {
            linear: Matrix3::from_diagonal(&Vector3::new(normal, tangent, tangent)),
            angular: Matrix3::from_diagonal(&Vector3::from_fn(|_, _| r.log_uniform(0.1, 10.0))),
            coupling: Vector3::zeros(),
            reference: r.log_uniform(0.1, 10.0),
            contacts: 1 + r.below(4) as u32,
        }
    };
    let gap = r.log_uniform(1e-5, 1e-3);
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 1e-2),
        gap: if r.chance(0.3) { gap } else { -gap },
        velocity: Vector3::zeros(),
        material,
        sides: [side(r), side(r)],
        curvature: None,
    }
}

const BETA: f64 = 0.3;

/// s of gains that recover: the whole of a gap that is open, β of one that is closed.
fn shift(gap: f64, dt: f64) -> f64 {
    if gap > 0.0 { gap / dt } else { BETA * gap / dt }
}

fn law(r: &mut Rng) -> DualCone {
    DualCone {
        gains: Gains::Recovery { beta: BETA },
        recovery_speed: f64::MAX,
        directions: [4, 8, 16][r.below(3)],
        coulomb_slip: if r.chance(0.5) { Some(0.05) } else { None },
        ..DualCone::default()
    }
}

/// a_f without the rows of the normal: −μ d of every facet, opposite facets half a turn apart.
fn tangents(law: &DualCone, m: &ContactMaterial) -> Vec<[f64; 6]> {
    let n = usize::from(law.directions);
    let mut all = Vec::new();
    for j in 0..n {
        let angle = std::f64::consts::TAU * j as f64 / n as f64;
        let (mu, mut a) = (m.friction_static, [0.0; 6]);
        (a[1], a[2]) = (-mu * angle.cos(), -mu * angle.sin());
        all.push(a);
    }
    for axis in 3..usize::from(m.condim) {
        let mu = if axis == 3 { m.friction_torsional } else { m.friction_rolling };
        for sign in [-1.0, 1.0] {
            let mut a = [0.0; 6];
            a[axis] = sign * mu;
            all.push(a);
        }
    }
    all
}

fn dot(a: &[f64; 6], v: &V6) -> f64 {
    a.iter().zip(v.iter()).map(|(a, v)| a * v).sum()
}

/// o³/(o² + (μ v_s)²), o the largest rate of a facet across the normal.
fn opening(law: &DualCone, m: &ContactMaterial, across: &[[f64; 6]], v: &V6) -> f64 {
    let Some(slip) = law.coulomb_slip else { return 0.0 };
    let o = across.iter().map(|a| dot(a, v).abs()).fold(0.0, f64::max);
    o.powi(3) / (o * o + (m.friction_static * slip).powi(2))
}

struct Told {
    gamma: V6,
    uphill: f64,
    residual: f64,
}

fn impulse(multipliers: &[f64], across: &[[f64; 6]]) -> V6 {
    let mut gamma = V6::zeros();
    for (l, a) in multipliers.iter().zip(across) {
        gamma[0] += l;
        for i in 1..6 {
            gamma[i] += l * a[i];
        }
    }
    gamma
}

fn near(a: f64, b: f64, size: f64) -> bool {
    (a - b).abs() <= 1e-11 * (size + a.abs() + b.abs())
}

/// Multipliers moved by the law and by hand, sweep after sweep.
fn compare(
    r: &mut Rng,
    law: &DualCone,
    seed: &ContactSeed,
    several: bool,
    mut by_hand: impl FnMut(&mut [f64], &mut [f64], &V6, &Sweep) -> Told,
) {
    let across = tangents(law, &seed.material);
    let count = across.len();
    let mut p = ContactLaw::<6>::prepare(law, seed);
    let size = closing_hessian::<_, 6>(law, &p)[(0, 0)];
    let before: Vec<f64> = (0..count).map(|_| r.uniform(0.0, 0.5 * size)).collect();
    let (mut multipliers, mut last) = (before.clone(), before.clone());
    SweptLaw::<6>::remember(law, &mut p, &before);
    assert_eq!(&SweptLaw::<6>::multipliers(law, &p)[..count], &before[..]);
    let recalled = SweptLaw::<6>::recall(law, &p);
    assert!((recalled - impulse(&before, &across)).norm() <= 1e-12 * recalled.norm());
    for k in 0..3 {
        let mut sweep = Sweep {
            scale: r.log_uniform(0.5, 4.0),
            momentum: if k == 1 { 0.4 } else { 0.0 },
            several,
            recover: r.chance(0.5),
            remember: k < 2,
            ..Sweep::default()
        };
        let v = V6::from_fn(|i, _| r.normal() * if i == 0 { 0.3 } else { 0.6 });
        let expected = by_hand(&mut multipliers, &mut last, &v, &sweep);
        let gamma = SweptLaw::<6>::sweep(law, &mut p, v, &mut sweep);
        let scale = expected.gamma.norm() + size;
        assert!(
            (gamma - expected.gamma).norm() <= 1e-11 * scale,
            "{law:?} {seed:?} {gamma} {}",
            expected.gamma
        );
        assert!(near(sweep.uphill, expected.uphill, size), "{law:?} {} {}", sweep.uphill, expected.uphill);
        assert!(near(sweep.residual, expected.residual, 1.0), "{} {}", sweep.residual, expected.residual);
        let whole = law.gains == Gains::Material;
        let asked = if whole { seed.gap / seed.dt } else { shift(seed.gap, seed.dt) };
        let recovery = (-asked).max(0.0);
        assert!(near(sweep.recovery, recovery, 0.0), "{} {recovery}", sweep.recovery);
        for (a, b) in SweptLaw::<6>::multipliers(law, &p).iter().zip(&last) {
            assert!(near(*a, *b, size), "{law:?} {a} {b}");
        }
        // Facets that are not in use have no multiplier.
        assert!(SweptLaw::<6>::multipliers(law, &p)[count..].iter().all(|x| *x == 0.0));
    }
}

/// λ_f ← (λ_f − G (u_f + s))₊ for gains that all facets share; momentum carries on, and what undoes a penetration is not remembered.
#[test]
fn analytic_sweep_over_facets() {
    for i in 0..600 {
        let r = &mut Rng::new(i);
        let smoothing = if i % 3 == 0 { 0.2 } else { 0.0 };
        // Gains of the material are those of all facets, and a spring without damper undoes the whole of a gap.
        let law = DualCone { gains: Gains::Material, smoothing, ..law(r) };
        let seed = seed(r);
        let across = tangents(&law, &seed.material);
        let p = ContactLaw::<6>::prepare(&law, &seed);
        let gain = closing_hessian::<_, 6>(&law, &p)[(0, 0)] / across.len() as f64;
        let several = i % 2 == 0;
        let s = seed.gap / seed.dt;
        compare(r, &law, &seed, several, |multipliers, last, v, sweep| {
            let g = sweep.scale * gain;
            let (s, undo) = if sweep.recover { (s, s.min(0.0)) } else { (s.max(0.0), 0.0) };
            let lift = if several { opening(&law, &seed.material, &across, v) } else { 0.0 };
            let (mut uphill, mut residual) = (0.0, 0.0_f64);
            for ((l, last), a) in multipliers.iter_mut().zip(last.iter_mut()).zip(&across) {
                let x = *l / g - (v[0] + dot(a, v)) - s - lift;
                let ramp = if smoothing == 0.0 {
                    x.max(0.0)
                } else {
                    x.max(0.0) + smoothing * (-(x / smoothing).abs()).exp().ln_1p()
                };
                let (next, change) = (g * ramp, g * ramp - *last);
                uphill += (*l - next) * change / g;
                residual = residual.max((*l - next).abs() / g);
                *l = next + sweep.momentum * change;
                if sweep.remember {
                    *last = (next + g * undo).max(0.0);
                }
            }
            Told { gamma: impulse(multipliers, &across), uphill, residual }
        });
    }
}

/// The least of (s − s₀)²/g + (t − t₀)²/d with |t| ≤ s.
fn nearest_in_cone(s: f64, t: f64, g: f64, d: f64) -> (f64, f64) {
    if t.abs() <= s {
        return (s, t);
    }
    let edge = ((s / g + t.abs() / d) / (1.0 / g + 1.0 / d)).max(0.0);
    (edge, edge * t.signum())
}

/// Sums and differences of opposite multipliers take steps of their own, to the nearest point where friction holds: borse2026comfree, *Pairs*. The normal has half of all
/// there is, the other dimensions share the rest: in Σ gain × inverse mass over the rows of a contact with exact, shared masses that is one.
#[test]
fn analytic_sweep_over_pairs() {
    for i in 0..600 {
        let r = &mut Rng::new(i);
        let (law, seed) = (law(r), seed(r));
        let m = &seed.material;
        let across = tangents(&law, m);
        let (n, condim) = (usize::from(law.directions), usize::from(m.condim));
        let pairs = across.len() / 2;
        let shared = |w: &dyn Fn(&ContactSide) -> f64| {
            seed.sides.iter().map(|s| f64::from(s.contacts) * w(s)).sum::<f64>()
        };
        let tangent = shared(&|s| s.linear[(1, 1)]);
        let normal = shared(&|s| s.linear[(0, 0)]).max(0.1 * m.friction_static.powi(2) * tangent);
        let others = (condim - 1) as f64;
        let sum_gain = 0.5 / (normal * pairs as f64);
        // Σ over half the directions of cos² is a quarter of their number.
        let mut gains = vec![0.5 / (others * m.friction_static.powi(2) * tangent * 0.25 * n as f64); n / 2];
        for axis in 3..condim {
            let mu = if axis == 3 { m.friction_torsional } else { m.friction_rolling };
            gains.push(0.5 / (others * mu * mu * shared(&|s| s.angular[(axis - 3, axis - 3)])));
        }
        let s = shift(seed.gap, seed.dt);
        compare(r, &law, &seed, true, |multipliers, last, v, sweep| {
            let (s, undo) = if sweep.recover { (s, s.min(0.0)) } else { (s.max(0.0), 0.0) };
            let along = v[0] + s + opening(&law, m, &across, v);
            let g = sweep.scale * sum_gain;
            let (mut uphill, mut residual) = (0.0, 0.0_f64);
            for (k, gain) in gains.iter().enumerate() {
                let (a, b) = if k < n / 2 { (k, k + n / 2) } else { (2 * k, 2 * k + 1) };
                let d = sweep.scale * gain;
                let (sum, difference) = (multipliers[a] + multipliers[b], multipliers[a] - multipliers[b]);
                let (last_sum, last_difference) = (last[a] + last[b], last[a] - last[b]);
                let slip = dot(&across[b], v);
                let (x, y) = nearest_in_cone(sum - g * along, difference + d * slip, g, d);
                uphill += (sum - x) * (x - last_sum) / g + (difference - y) * (y - last_difference) / d;
                let over_mu = if k < n / 2 { 1.0 / m.friction_static } else { 1.0 };
                residual = residual.max((sum - x).abs() / g).max(over_mu * (difference - y).abs() / d);
                let (s, t) =
                    (x + sweep.momentum * (x - last_sum), y + sweep.momentum * (y - last_difference));
                (multipliers[a], multipliers[b]) = (0.5 * (s + t), 0.5 * (s - t));
                if sweep.remember {
                    (last[a], last[b]) =
                        ((0.5 * (x + y + g * undo)).max(0.0), (0.5 * (x - y + g * undo)).max(0.0));
                }
            }
            Told { gamma: impulse(multipliers, &across), uphill, residual }
        });
    }
}

/// One single sweep from nothing is the law's own impulse, in every dimension, and facet by facet for exact masses that differ.
#[test]
fn property_a_single_sweep_is_the_law() {
    fn at<const D: usize>(r: &mut Rng)
    where
        DualCone: SweptLaw<D, Seed = ContactSeed> + ContactLaw<D, Params = Facets>,
    {
        let smoothing = if r.chance(0.3) { 0.05 } else { 0.0 };
        let law = DualCone { memory: if r.chance(0.5) { 0.5 } else { 0.0 }, smoothing, ..law(r) };
        let mut seed = seed(r);
        seed.material.condim = [1, 3, 4, 6][r.below(4)];
        seed.sides[0].coupling = Vector3::from_fn(|_, _| 0.1 * r.normal());
        let mut p = <DualCone as ContactLaw<D>>::prepare(&law, &seed);
        let v = SVector::<f64, D>::from_fn(|_, _| 0.5 * r.normal());
        let expected = -<DualCone as ContactLaw<D>>::eval(&law, &p, v).grad;
        let mut sweep = Sweep { recover: true, ..Sweep::default() };
        let gamma = <DualCone as SweptLaw<D>>::sweep(&law, &mut p, v, &mut sweep);
        assert!((gamma - expected).norm() <= 1e-12 * (1e-3 + expected.norm()), "{law:?} {gamma} {expected}");
        assert_eq!(<DualCone as SweptLaw<D>>::recall(&law, &p), gamma);
        if smoothing == 0.0 && law.memory == 0.0 {
            assert_eq!(<DualCone as SweptLaw<D>>::acts(&law, &seed, v), gamma[0] > 0.0);
        }
    }
    for i in 0..1000 {
        let r = &mut Rng::new(i);
        at::<1>(r);
        at::<3>(r);
        at::<4>(r);
        at::<6>(r);
    }
}

/// A limit is one facet.
#[test]
fn analytic_sweep_of_a_limit() {
    for i in 0..300 {
        let r = &mut Rng::new(i);
        let smoothing = if i % 2 == 0 { 0.0 } else { 0.1 };
        let law =
            DualConeLimit { law: DualCone { smoothing, recovery_speed: f64::MAX, ..DualCone::default() } };
        let gap = r.log_uniform(1e-5, 1e-3) * if r.chance(0.3) { 1.0 } else { -1.0 };
        let seed = LimitSeed { contacts: 3, ..LimitSeed::new(2e-3, gap, r.log_uniform(0.1, 10.0)) };
        let mut p = law.prepare(&seed);
        let gain = closing_hessian::<_, 1>(&law, &p)[(0, 0)];
        // Gains that recover end the approach alone; three on a tree have a third each.
        assert!((gain * 3.0 * seed.inverse_mass - 1.0).abs() < 1e-12, "{gain}");
        let mut lambda = r.uniform(0.0, gain);
        let mut last = lambda;
        law.remember(&mut p, &[lambda]);
        assert_eq!((law.multipliers(&p)[0], law.recall(&p)[0]), (lambda, lambda));
        for k in 0..3 {
            let recover = r.chance(0.5);
            let momentum = if k == 1 { 0.4 } else { 0.0 };
            let mut sweep = Sweep { scale: 2.0, momentum, recover, remember: k < 2, ..Sweep::default() };
            let v = 0.5 * r.normal();
            let s = shift(gap, seed.dt);
            let g = 2.0 * gain;
            let x = lambda / g - v - if recover { s } else { s.max(0.0) };
            let ramp = if smoothing == 0.0 {
                x.max(0.0)
            } else {
                x.max(0.0) + smoothing * (-(x / smoothing).abs()).exp().ln_1p()
            };
            let (next, change) = (g * ramp, g * ramp - last);
            let gamma = law.sweep(&mut p, SVector::from([v]), &mut sweep)[0];
            assert!(near(gamma, next + momentum * change, gain), "{gamma} {next}");
            assert!(near(sweep.uphill, (lambda - next) * change / g, gain));
            assert!(near(sweep.residual, (lambda - next).abs() / g, 1.0));
            assert!(near(sweep.recovery, (-s).max(0.0), 0.0));
            lambda = gamma;
            if k < 2 {
                // The part of a sweep that undoes a gap is not for the next step.
                last = if recover { (next + g * s.min(0.0)).max(0.0) } else { next };
            }
            // Momentum and sweeps that undo penetrations are not for the next step.
            assert_eq!(law.recall(&p)[0], lambda);
            assert!(near(law.multipliers(&p)[0], last, gain));
        }
        let v = SVector::from([r.normal()]);
        let fresh = law.prepare(&seed);
        let impulse = -law.eval(&fresh, v).grad[0];
        if smoothing == 0.0 {
            assert_eq!(law.acts(&seed, v), impulse > 0.0);
        }
        let mut swept = fresh;
        let gamma = law.sweep(&mut swept, v, &mut Sweep { recover: true, ..Sweep::default() })[0];
        assert!(near(gamma, impulse, 1e-3 * gain));
    }
}

/// What acts is counted only where a law without memory asks for it; one that remembers counts all, since sweeps let others act.
#[test]
fn analytic_who_counts_as_acting() {
    let far = V6::from([10.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let seed = seed(&mut Rng::new(1));
    let limit = LimitSeed::new(2e-3, 1e-3, 1.0);
    let plain = DualCone::default();
    for (law, shares) in [
        (plain, true),
        (DualCone { acting: false, ..plain }, false),
        (DualCone { memory: 0.5, ..plain }, false),
        (DualCone::remembering(0.5), false),
        (DualCone::remembering(0.0), true),
    ] {
        assert_eq!(SweptLaw::<6>::shares_mass(&law), shares);
        assert_eq!(SweptLaw::<6>::acts(&law, &seed, far), !shares);
        assert_eq!(SweptLaw::<6>::memory(&law), law.memory);
        let limit_law = DualConeLimit { law };
        assert_eq!(limit_law.shares_mass(), shares);
        assert_eq!(limit_law.acts(&limit, SVector::from([10.0])), !shares);
    }
    // A smooth maximum acts up to forty widths before the hard one does.
    let smooth = DualCone { smoothing: 0.01, ..plain };
    let open = LimitSeed::new(2e-3, 1e-3, 1.0);
    for (v, acts) in [(-0.5 + 0.39, true), (-0.5 + 0.41, false)] {
        assert_eq!(DualConeLimit { law: smooth }.acts(&open, SVector::from([v])), acts);
        let v = V6::from([v, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let seed = ContactSeed { dt: 2e-3, gap: 1e-3, ..seed };
        assert_eq!(SweptLaw::<6>::acts(&smooth, &seed, v), acts);
    }
    assert_eq!(SweptLaw::<6>::multiplier_count(&plain), 14);
    assert_eq!(SweptLaw::<1>::multiplier_count(&plain), 1);
}

/// The law as published counts and remembers nothing: one sweep from zero is its impulse.
#[test]
fn analytic_sweep_of_the_published_law() {
    let law = PublishedDualCone::default();
    let far = V6::from([10.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for i in 0..200 {
        let r = &mut Rng::new(i);
        let seed = seed(r);
        assert!(SweptLaw::<6>::acts(&law, &seed, far));
        let v = V6::from_fn(|_, _| 0.5 * r.normal());
        let mut p = ContactLaw::<6>::prepare(&law, &seed);
        let expected = -ContactLaw::<6>::eval(&law, &p, v).grad;
        let mut sweep = Sweep { recover: true, several: r.chance(0.5), ..Sweep::default() };
        let gamma = SweptLaw::<6>::sweep(&law, &mut p, v, &mut sweep);
        assert!((gamma - expected).norm() <= 1e-12 * (1e-6 + expected.norm()), "{gamma} {expected}");
        assert_eq!(SweptLaw::<6>::recall(&law, &p), gamma);
        // Facets move one by one, in several sweeps as well.
        let whole = closing_hessian::<_, 6>(&law, &p);
        assert_eq!(SweptLaw::<6>::sweep_gains(&law, &p), whole);
    }
}
