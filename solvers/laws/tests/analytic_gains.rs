//! Gains, shifts and steps of facets against the Delassus matrix of each side written out, facet by facet.

use signorini_core::na::{Matrix6, SMatrix, SVector, Vector3};
use signorini_core::{ContactLaw, ContactMaterial, ContactSeed, ContactSide, LawEval, Sweep, SweptLaw};
use signorini_laws::{
    ContactTangent, DualCone, DualConeLaw, DualConeLimit, Facets, Gains, LimitSeed, MassScale,
    PublishedDualCone, closing_hessian, friction_coefficient, impedance,
};
use signorini_testkit::rng::Rng;

type V6 = SVector<f64, 6>;

fn side(r: &mut Rng) -> ContactSide {
    let g = Matrix6::<f64>::from_fn(|_, _| r.normal());
    let w = (g * g.transpose() + Matrix6::identity()) * r.log_uniform(0.1, 10.0);
    ContactSide {
        linear: w.fixed_view::<3, 3>(0, 0).into(),
        angular: w.fixed_view::<3, 3>(3, 3).into(),
        coupling: Vector3::new(w[(3, 0)], w[(4, 0)], w[(5, 0)]),
        reference: if r.chance(0.5) { r.log_uniform(0.1, 10.0) } else { 0.0 },
        contacts: r.below(4) as u32,
    }
}

/// A contact of two coupled bodies, or of one and the world, with friction that depends on the slip at the start.
fn seed(r: &mut Rng) -> ContactSeed {
    let mu = r.uniform(0.2, 1.5);
    let gap = r.log_uniform(1e-5, 1e-2);
    let second = if r.chance(0.5) { side(r) } else { ContactSide::default() };
    ContactSeed {
        preload: 0.0,
        dt: r.log_uniform(1e-3, 1e-2),
        gap: if r.chance(0.3) { gap } else { -gap },
        velocity: Vector3::from_fn(|_, _| r.normal()),
        material: ContactMaterial {
            condim: [1, 3, 4, 6][r.below(4)],
            friction_dynamic: if r.chance(0.5) { mu } else { 0.6 * mu },
            friction_torsional: r.log_uniform(1e-2, 1.0),
            friction_rolling: r.log_uniform(1e-2, 1.0),
            stiction_speed: 0.1,
            solimp: [0.6, 0.95, 2e-3, 0.4, 3.0],
            relaxation_time: 0.01,
            ..ContactMaterial::compliant(r.log_uniform(1e2, 1e5), 0.0, mu)
        },
        sides: [side(r), second],
        curvature: None,
    }
}

fn law(r: &mut Rng) -> DualCone {
    DualCone {
        gains: match r.below(4) {
            0 => Gains::PerStep { k: r.log_uniform(1e-2, 1e2), d: r.log_uniform(1e-4, 1.0) },
            1 => Gains::Physical { kappa: r.log_uniform(1.0, 1e4), c: r.log_uniform(0.1, 1e2) },
            2 => Gains::Recovery { beta: r.uniform(0.05, 0.95) },
            _ => Gains::Material,
        },
        cap: r.chance(0.7),
        directions: [4, 8, 16][r.below(3)],
        smoothing: if r.chance(0.3) { 0.1 } else { 0.0 },
        recovery_speed: if r.chance(0.5) { 0.05 } else { f64::MAX },
        memory: if r.chance(0.5) { 0.5 } else { 0.0 },
        coulomb_slip: if r.chance(0.5) { Some(0.05) } else { None },
        ..DualCone::default()
    }
}

/// The rows that facets read of W of a side: its linear rows, its turns one by one, and their coupling to the normal.
fn delassus(s: &ContactSide) -> Matrix6<f64> {
    let mut w = Matrix6::zeros();
    w.fixed_view_mut::<3, 3>(0, 0).copy_from(&s.linear);
    for i in 0..3 {
        w[(3 + i, 3 + i)] = s.angular[(i, i)];
        (w[(0, 3 + i)], w[(3 + i, 0)]) = (s.coupling[i], s.coupling[i]);
    }
    w
}

fn shared(seed: &ContactSeed, shares: [f64; 2]) -> Matrix6<f64> {
    delassus(&seed.sides[0]) * shares[0] + delassus(&seed.sides[1]) * shares[1]
}

/// Numbers of contacts on either tree.
fn counts(seed: &ContactSeed) -> [f64; 2] {
    seed.sides.map(|s| f64::from(s.contacts.max(1)))
}

/// μ of sliding at the slip of the start.
fn sliding(seed: &ContactSeed) -> f64 {
    let m = &seed.material;
    let slip = (seed.velocity[1].powi(2) + seed.velocity[2].powi(2)).sqrt();
    friction_coefficient(m.friction_static, m.friction_dynamic, slip / m.stiction_speed)
}

fn turning(m: &ContactMaterial, axis: usize) -> f64 {
    if axis == 3 { m.friction_torsional } else { m.friction_rolling }
}

/// a_f = n − μ d_f of every facet: half of the directions, their opposites, then each turn both ways.
fn rows(seed: &ContactSeed, directions: usize, dim: usize) -> Vec<V6> {
    let (m, n) = (&seed.material, V6::x());
    let condim = usize::from(m.condim).min(dim);
    if condim == 1 {
        return vec![n];
    }
    let mut all = Vec::new();
    for j in 0..directions {
        let angle = std::f64::consts::TAU * j as f64 / directions as f64;
        all.push(n - sliding(seed) * (V6::y() * angle.cos() + V6::z() * angle.sin()));
    }
    for axis in 3..condim {
        for sign in [-1.0, 1.0] {
            let mut a = n;
            a[axis] = sign * turning(m, axis);
            all.push(a);
        }
    }
    all
}

/// The facet on the other side of the normal.
fn opposite(i: usize, directions: usize) -> usize {
    match i {
        _ if i < directions => (i + directions / 2) % directions,
        _ if (i - directions).is_multiple_of(2) => i + 1,
        _ => i - 1,
    }
}

/// R (d + k δt), or δt (δt K + D) \[kg\] of the material; and s.
fn relative(law: &DualCone, dt: f64, gap: f64, solimp: &[f64; 5], m: Option<&ContactMaterial>) -> [f64; 2] {
    let r = impedance(solimp, gap.min(0.0));
    let ratio = r / (1.0 - r);
    let (gain, closed) = match (law.gains, m) {
        (Gains::PerStep { k, d }, _) => (ratio * (d + k * dt), k * gap / (d + k * dt)),
        (Gains::Physical { kappa, c }, _) => (ratio * dt * (c + kappa * dt), kappa * gap / (c + kappa * dt)),
        (Gains::Recovery { beta }, _) => (1.0, (beta * gap / dt).max(-law.recovery_speed)),
        (Gains::Material, Some(m)) => {
            let (stiffness, damping) = (m.stiffness, m.relaxation_time * m.stiffness);
            (dt * (dt * stiffness + damping), stiffness * gap / (dt * stiffness + damping))
        }
        // Joints have no material: the recovery of the default.
        (Gains::Material, None) => (1.0, (0.3 * gap / dt).max(-law.recovery_speed)),
    };
    [gain, if gap > 0.0 { gap / dt } else { closed }]
}

/// Gains and shift of the facets of [`DualCone`].
fn gains(law: &DualCone, seed: &ContactSeed, dim: usize) -> (Vec<f64>, f64) {
    let [relative, shift] = relative(law, seed.dt, seed.gap, &seed.material.solimp, Some(&seed.material));
    let n = usize::from(law.directions);
    let rows = rows(seed, n, dim);
    let count = rows.len() as f64;
    let masses = |w: Matrix6<f64>| rows.iter().map(|a| a.dot(&(w * a))).collect::<Vec<f64>>();
    if law.gains == Gains::Material {
        let sum: f64 = masses(shared(seed, [1.0; 2])).iter().map(|w| w * relative / count).sum();
        let [a, b] = counts(seed);
        let cap = if law.cap { (sum * a.max(b)).max(1.0) } else { 1.0 };
        return (vec![relative / count / cap; rows.len()], shift);
    }
    let own = masses(shared(seed, counts(seed)));
    let balanced = |i: usize| match law.memory == 0.0 && rows.len() > 1 {
        true => own[i].max(own[opposite(i, n)]),
        false => own[i],
    };
    let cap = if law.cap { relative.max(1.0) } else { 1.0 };
    ((0..rows.len()).map(|i| relative / count / balanced(i) / cap).collect(), shift)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-11 * (a.abs() + b.abs())
}

/// (x₊, its slope, its integral): the smooth maximum has the slope of a logistic curve; its integral is left to the property of laws that costs fit gradients.
fn ramp(x: f64, width: f64) -> (f64, f64) {
    if width == 0.0 {
        return (x.max(0.0), f64::from(x > 0.0));
    }
    (x.max(0.0) + width * (-(x / width).abs()).exp().ln_1p(), 1.0 / (1.0 + (-x / width).exp()))
}

fn check_gains<const D: usize>(r: &mut Rng)
where
    DualCone: SweptLaw<D, Seed = ContactSeed, Params = Facets>,
{
    let (law, seed) = (law(r), seed(r));
    let rows = rows(&seed, usize::from(law.directions), D);
    let (expected, shift) = gains(&law, &seed, D);
    let mut p = ContactLaw::<D>::prepare(&law, &seed);
    assert_eq!(p.count(), rows.len());
    assert_eq!(p.gains_mut().len(), rows.len());
    for (g, e) in p.gains_mut().iter().zip(&expected) {
        assert!(near(*g, *e), "{law:?} {seed:?}: {:?} {expected:?}", p.gains_mut());
    }
    // One storage serves contact after contact.
    let mut again = ContactLaw::<D>::prepare(&law, &self::seed(r));
    let kept = vec![1.0; again.count()];
    again.remember(&kept);
    ContactLaw::<D>::prepare_again(&law, &seed, &mut again);
    assert_eq!(again, p);

    // ℓ = Σ ½ G (λ/G − u − s)₊² with multipliers.
    let closing: f64 = expected.iter().sum();
    let multipliers: Vec<f64> =
        expected.iter().map(|g| if r.chance(0.5) { g * r.uniform(0.0, 1.0) } else { 0.0 }).collect();
    SweptLaw::<D>::remember(&law, &mut p, &multipliers);
    let v = SVector::<f64, D>::from_fn(|_, _| 0.5 * r.normal());
    let mut e = LawEval::<D>::zero();
    let mut acts = false;
    for ((a, g), l) in rows.iter().zip(&expected).zip(&multipliers) {
        let a = SVector::<f64, D>::from_fn(|i, _| a[i]);
        let x = l / g - a.dot(&v) - shift;
        let (value, slope) = ramp(x, law.smoothing);
        acts |= x + 40.0 * law.smoothing > 0.0;
        e.cost += 0.5 * g * value * value;
        e.grad -= g * value * a;
        e.hess += g * slope * a * a.transpose();
    }
    let found = ContactLaw::<D>::eval(&law, &p, v);
    let size = closing * (1.0 + shift.abs() + v.norm());
    assert!((found.grad - e.grad).norm() <= 1e-11 * size, "{law:?} {seed:?} {} {}", found.grad, e.grad);
    // At a kink the slope is a matter of round-off; draws are never there.
    assert!((found.hess - e.hess).norm() <= 1e-11 * closing * 10.0, "{law:?} {} {}", found.hess, e.hess);
    assert_eq!(found.cost, ContactLaw::<D>::cost(&law, &p, v));
    if law.smoothing == 0.0 {
        assert!((found.cost - e.cost).abs() <= 1e-11 * size * (1.0 + shift.abs() + v.norm()));
    }
    assert_eq!(p.acts(&v), acts);
}

/// G = δt (δt K + D) shared among the facets and contacts, below one where a cap is asked for, and s = K φ/(δt K + D).
#[test]
fn analytic_gains_and_shift_of_facets() {
    for i in 0..1000 {
        let r = &mut Rng::new(i);
        check_gains::<1>(r);
        check_gains::<3>(r);
        check_gains::<4>(r);
        check_gains::<6>(r);
    }
}

/// G = R m_c (d + k δt) with m_c the inverse trace, or that of the reference masses where these are known, and s = k φ/(d + k δt): borse2026comfree, eq. (11) and (12).
#[test]
fn analytic_published_gains_and_shift() {
    let mut known = 0;
    for i in 0..1000 {
        let r = &mut Rng::new(i);
        let seed = seed(r);
        let (k, d) = (r.log_uniform(1e-2, 1e2), r.log_uniform(1e-4, 1.0));
        let law = PublishedDualCone { k, d, mass: [MassScale::Trace, MassScale::Mean][r.below(2)] };
        let relative = |gap: f64, solimp: &[f64; 5]| {
            let r = impedance(solimp, gap);
            r / (1.0 - r) * (d + k * seed.dt)
        };
        let trace: f64 = seed.sides.iter().map(|s| s.linear.trace()).sum();
        let reference: f64 = seed.sides.iter().map(|s| s.reference).sum();
        let over = match law.mass {
            MassScale::Trace => trace,
            MassScale::Mean if reference == 0.0 => trace / 3.0,
            MassScale::Mean => reference,
        };
        known += i32::from(law.mass == MassScale::Mean && reference > 0.0);
        let gain = relative(seed.gap, &seed.material.solimp) / over;
        let shift = k * seed.gap / (d + k * seed.dt);
        let rows = rows(&seed, 4, 6);
        let mut p = ContactLaw::<6>::prepare(&law, &seed);
        assert!(p.count() == rows.len() && p.gains_mut().iter().all(|g| near(*g, gain)), "{law:?} {seed:?}");
        let v = V6::from_fn(|_, _| 0.5 * r.normal());
        let expected: V6 = rows.iter().map(|a| gain * (-a.dot(&v) - shift).max(0.0) * a).sum();
        let gamma = -ContactLaw::<6>::eval(&law, &p, v).grad;
        assert!((gamma - expected).norm() <= 1e-11 * gain * 22.0 * (1.0 + shift.abs() + v.norm()));

        let mut limit = LimitSeed::new(seed.dt, seed.gap, r.log_uniform(0.1, 10.0));
        limit.reference = if r.chance(0.5) { r.log_uniform(0.1, 10.0) } else { 0.0 };
        limit.contacts = 3;
        let over = match law.mass {
            MassScale::Mean if limit.reference > 0.0 => limit.reference,
            _ => limit.inverse_mass,
        };
        let gain = relative(seed.gap, &limit.solimp) / over;
        let limit_law = DualConeLimit { law };
        let p = limit_law.prepare(&limit);
        let v = v[0];
        let gamma = -limit_law.eval(&p, SVector::from([v])).grad[0];
        let expected = gain * (-v - shift).max(0.0);
        assert!((gamma - expected).abs() <= 1e-11 * gain * (1.0 + shift.abs()), "{gamma} {expected}");
        // Published: no share of the mass.
        assert!(near(closing_hessian::<_, 1>(&limit_law, &p)[(0, 0)], gain));
    }
    assert!(known > 100, "{known}");
}

/// A limit is a facet with the inverse mass of its row, shared with the n of its tree, and no material.
#[test]
fn analytic_gain_and_shift_of_a_limit() {
    for i in 0..1000 {
        let r = &mut Rng::new(i);
        let law = law(r);
        let gap = r.log_uniform(1e-5, 1e-2) * if r.chance(0.3) { 1.0 } else { -1.0 };
        let seed = LimitSeed {
            contacts: r.below(4) as u32,
            solimp: [0.6, 0.95, 2e-3, 0.4, 3.0],
            ..LimitSeed::new(r.log_uniform(1e-3, 1e-2), gap, r.log_uniform(0.1, 10.0))
        };
        let [relative, shift] = relative(&law, seed.dt, gap, &seed.solimp, None);
        let relative = if law.cap { relative.min(1.0) } else { relative };
        let gain = relative / (f64::from(seed.contacts.max(1)) * seed.inverse_mass);
        let limit = DualConeLimit { law };
        let p = limit.prepare(&seed);
        assert!(near(closing_hessian::<_, 1>(&limit, &p)[(0, 0)], gain), "{law:?} {seed:?}");
        let v = -shift + 0.2 * r.normal();
        // With and without a multiplier.
        for lambda in [0.0, gain * r.uniform(0.0, 0.3)] {
            let mut p = p;
            limit.remember(&mut p, &[lambda]);
            let e = limit.eval(&p, SVector::from([v]));
            let x = lambda / gain - v - shift;
            let (value, slope) = ramp(x, law.smoothing);
            let size = 1.0 + shift.abs();
            assert!((e.grad[0] + gain * value).abs() <= 1e-11 * gain * size, "{} {value}", e.grad[0]);
            assert!((e.hess[(0, 0)] - gain * slope).abs() <= 1e-11 * gain * size, "{} {slope}", e.hess);
            if law.smoothing == 0.0 {
                assert!((e.cost - 0.5 * gain * value * value).abs() <= 1e-11 * gain * size * size);
            }
        }
        assert_eq!(limit.multiplier_count(), 1);
    }
}

/// Gains over sums and differences of opposite facets: half of one for the normal, the rest for the other dimensions, each by its own inverse mass.
fn pair_curvature(law: &DualCone, seed: &ContactSeed, dim: usize) -> Matrix6<f64> {
    let m = &seed.material;
    let [relative, _] = relative(law, seed.dt, seed.gap, &m.solimp, Some(m));
    let condim = usize::from(m.condim).min(dim);
    let w = shared(seed, counts(seed)) * (2.0 / relative.min(1.0));
    let rows = rows(seed, usize::from(law.directions), dim);
    let (n, others) = (usize::from(law.directions), (condim - 1) as f64);
    let mut h = Matrix6::zeros();
    let least = 0.1 * sliding(seed).powi(2) * 0.5 * (w[(1, 1)] + w[(2, 2)]);
    // As many sums as there are pairs.
    h[(0, 0)] = 1.0 / w[(0, 0)].max(least);
    for (i, a) in rows.iter().enumerate().filter(|(i, _)| *i < opposite(*i, n)) {
        let across = a - V6::x();
        // Directions share what two dimensions have, cos² summed over half of them is a quarter of their number.
        let share = if i < n { 0.25 * others * n as f64 } else { others };
        h += across * across.transpose() / (share * across.dot(&(w * across)));
    }
    h
}

fn check_pairs<const D: usize>(r: &mut Rng) -> bool
where
    DualCone: SweptLaw<D, Seed = ContactSeed, Params = Facets>,
{
    let (law, seed) = (law(r), seed(r));
    let p = ContactLaw::<D>::prepare(&law, &seed);
    let found = SweptLaw::<D>::sweep_gains(&law, &p);
    let condim = usize::from(seed.material.condim).min(D);
    if condim < 3 || !law.cap || law.smoothing > 0.0 || law.gains == Gains::Material {
        assert_eq!(found, closing_hessian::<_, D>(&law, &p), "{law:?}");
        return false;
    }
    let whole = pair_curvature(&law, &seed, D);
    let expected = SMatrix::<f64, D, D>::from_fn(|i, j| whole[(i, j)]);
    assert!((found - expected).norm() <= 1e-11 * expected.norm(), "{law:?} {seed:?} {found} {expected}");

    // With multipliers deep inside the cone, the impulse of a sweep falls by the curvature times the velocity.
    let deep = vec![1e3 * found.trace(); p.count()];
    let impulse = |v: SVector<f64, D>| {
        let mut p = p;
        SweptLaw::<D>::remember(&law, &mut p, &deep);
        let mut sweep = Sweep { several: true, ..Sweep::default() };
        SweptLaw::<D>::sweep(&law, &mut p, v, &mut sweep)
    };
    // The dual cone itself: no part of the opening is taken off.
    if law.coulomb_slip.is_none() {
        let v = SVector::<f64, D>::from_fn(|_, _| r.normal());
        let change = impulse(v) - impulse(SVector::zeros());
        // Round-off of impulses that are a thousand times as large, times the number of facets.
        assert!((change + found * v).norm() <= 1e-9 * found.trace() * (1.0 + v.norm()), "{law:?} {change}");
    }
    true
}

/// Steps of sums and differences of coupled, anisotropic contacts.
#[test]
fn analytic_steps_of_pairs() {
    let mut paired = 0;
    for i in 0..600 {
        let r = &mut Rng::new(i);
        check_pairs::<1>(r);
        paired += i32::from(check_pairs::<3>(r));
        paired += i32::from(check_pairs::<4>(r));
        paired += i32::from(check_pairs::<6>(r));
    }
    assert!(paired > 200, "{paired}");
}

/// Sweeps of a contact in more rows than it has dimensions, and of one with more dimensions than there are rows.
fn check_rows<const D: usize, const E: usize>(law: &DualCone, seed: &ContactSeed, v: &V6, sweep: &Sweep)
where
    DualCone:
        SweptLaw<D, Seed = ContactSeed, Params = Facets> + SweptLaw<E, Seed = ContactSeed, Params = Facets>,
{
    let narrow = SVector::<f64, D>::from_fn(|i, _| v[i]);
    let wide = SVector::<f64, E>::from_fn(|i, _| if i < D { v[i] } else { 7.0 });
    let (mut a, mut b) = (ContactLaw::<D>::prepare(law, seed), ContactLaw::<E>::prepare(law, seed));
    if usize::from(seed.material.condim) <= D {
        assert_eq!(a, b);
    } else {
        b = a;
    }
    let before = vec![0.1; a.count()];
    SweptLaw::<D>::remember(law, &mut a, &before);
    SweptLaw::<E>::remember(law, &mut b, &before);
    let (mut x, mut y) = (*sweep, *sweep);
    let gamma = SweptLaw::<D>::sweep(law, &mut a, narrow, &mut x);
    let more = SweptLaw::<E>::sweep(law, &mut b, wide, &mut y);
    assert_eq!((a, x), (b, y), "{law:?} {seed:?}");
    assert_eq!(SVector::<f64, D>::from_fn(|i, _| more[i]), gamma);
    assert!((D..E).all(|i| more[i] == 0.0), "{more}");
    let (e, f) = (ContactLaw::<D>::eval(law, &a, narrow), ContactLaw::<E>::eval(law, &b, wide));
    assert!((0..D).all(|i| near(e.grad[i], f.grad[i])), "{} {}", e.grad, f.grad);
}

#[test]
fn property_rows_beyond_the_dimensions_of_a_contact_are_free() {
    for i in 0..500 {
        let r = &mut Rng::new(i);
        let (law, mut seed) = (law(r), seed(r));
        let v = V6::from_fn(|_, _| 0.5 * r.normal());
        let sweep = Sweep {
            several: r.chance(0.7),
            scale: r.log_uniform(0.5, 2.0),
            momentum: if r.chance(0.5) { 0.3 } else { 0.0 },
            recover: r.chance(0.5),
            ..Sweep::default()
        };
        seed.material.condim = 1;
        check_rows::<1, 3>(&law, &seed, &v, &sweep);
        check_rows::<1, 6>(&law, &seed, &v, &sweep);
        seed.material.condim = 3;
        check_rows::<3, 4>(&law, &seed, &v, &sweep);
        check_rows::<3, 6>(&law, &seed, &v, &sweep);
        seed.material.condim = 4;
        check_rows::<4, 6>(&law, &seed, &v, &sweep);
        // Three rows of a contact of six dimensions are a contact of three.
        seed.material.condim = 6;
        let cut = ContactLaw::<3>::prepare(&law, &seed);
        seed.material.condim = 3;
        assert_eq!(cut, ContactLaw::<3>::prepare(&law, &seed));
    }
    for (dim, most) in [(0, 0), (1, 1), (2, 0), (3, 8), (4, 10), (5, 10), (6, 14)] {
        assert_eq!(Facets::most(dim, 8), most);
    }
    // Numbers of directions that there are not count as sixteen.
    assert_eq!([4, 8, 16, 7].map(|n| Facets::most(6, n)), [10, 14, 22, 22]);
}

/// Impulses by the law, by sweeps of both kinds and by the derivative, and its change.
fn all_impulses(law: &DualCone, seed: &ContactSeed, v: V6) -> Vec<V6> {
    let p = ContactLaw::<6>::prepare(law, seed);
    let mut all = vec![-ContactLaw::<6>::eval(law, &p, v).grad];
    for several in [false, true] {
        let mut p = p;
        let mut sweep = Sweep { several, recover: true, ..Sweep::default() };
        all.push(SweptLaw::<6>::sweep(law, &mut p, v, &mut sweep));
        all.push(SweptLaw::<6>::recall(law, &p));
        assert!((sweep.residual + sweep.uphill + sweep.recovery).is_finite(), "{sweep:?}");
    }
    let at: [f64; 6] = v.into();
    let tangent = ContactTangent { gap: 1.0, ..ContactTangent::default() };
    let (gamma, change) = law.impulse_tangent(seed, &tangent, (&at, &at), [1.0; 2]);
    all.extend([V6::from(gamma), V6::from(change)]);
    all
}

/// What cannot move has no impulse, what does not rub no friction, and a spring of no stiffness no force; none of them is a division by zero.
#[test]
fn property_nothing_is_divided_by_zero() {
    let r = &mut Rng::new(4);
    let laws: Vec<DualCone> = (0..200).map(|_| self::law(r)).filter(|l| l.gains != Gains::Material).collect();
    let v = V6::from([-1.0, 0.3, 0.2, 0.1, -0.1, 0.2]);
    for law in &laws {
        let mut s = seed(r);
        s.material.condim = 6;
        s.sides = [ContactSide::default(); 2];
        for gamma in all_impulses(law, &s, v) {
            assert_eq!(gamma, V6::zeros(), "{law:?}");
        }
        // No friction of any kind.
        let mut s = seed(r);
        s.material.condim = [3, 6][r.below(2)];
        let m = &mut s.material;
        (m.friction_static, m.friction_dynamic) = (0.0, 0.0);
        (m.friction_torsional, m.friction_rolling) = (0.0, 0.0);
        for gamma in all_impulses(law, &s, v) {
            assert!(gamma.iter().all(|x| x.is_finite()), "{law:?} {gamma}");
        }
        let p = ContactLaw::<6>::prepare(law, &s);
        for several in [false, true] {
            let (mut p, mut sweep) = (p, Sweep { several, ..Sweep::default() });
            let gamma = SweptLaw::<6>::sweep(law, &mut p, v, &mut sweep);
            assert_eq!(gamma.rows(1, 5).norm(), 0.0, "{law:?} {gamma}");
            // Without multipliers all of the approach is missed.
            let approach = 1.0 - s.gap.max(0.0) / s.dt;
            if law.smoothing == 0.0 && approach > 0.0 {
                assert!(gamma[0] > 0.0, "{law:?} {gamma}");
                assert!((sweep.residual - approach).abs() < 1e-12, "{law:?} {} {approach}", sweep.residual);
            }
        }
    }
    // Neither stiffness nor damping.
    let mut s = seed(r);
    (s.material.stiffness, s.material.condim, s.gap) = (0.0, 6, -1e-3);
    for gains in [Gains::Material, Gains::PerStep { k: 0.0, d: 0.0 }, Gains::Physical { kappa: 0.0, c: 0.0 }]
    {
        for (smoothing, memory) in [(0.0, 0.0), (0.0, 0.5), (0.1, 0.0)] {
            let law = DualCone { gains, smoothing, memory, ..DualCone::default() };
            // All but the change, in which the gains become some.
            let all = all_impulses(&law, &s, v);
            assert!(all[..all.len() - 1].iter().all(|gamma| *gamma == V6::zeros()), "{law:?} {all:?}");
            assert!(all[all.len() - 1].iter().all(|x| x.is_finite()), "{law:?} {all:?}");
            let (limit, limit_seed) = (DualConeLimit { law }, LimitSeed::new(2e-3, -1e-3, 1.0));
            let mut p = limit.prepare(&limit_seed);
            let mut sweep = Sweep { several: true, recover: true, ..Sweep::default() };
            let gamma = limit.sweep(&mut p, SVector::from([-1.0]), &mut sweep)[0];
            assert_eq!(gamma > 0.0, gains == Gains::Material, "joints recover, whatever the material");
            let acts = limit.acts(&limit_seed, SVector::from([-1.0]));
            assert_eq!(acts, gains == Gains::Material || memory > 0.0, "{law:?}");
            assert_eq!(-limit.eval(&limit.prepare(&limit_seed), SVector::from([-1.0])).grad[0], gamma);
            assert!((sweep.residual + sweep.uphill + sweep.recovery).is_finite(), "{sweep:?}");
        }
    }
    // Coulomb's friction at any slip, at none.
    let law = DualCone { coulomb_slip: Some(0.0), ..DualCone::remembering(0.5) };
    for gamma in all_impulses(&law, &seed(r), V6::from([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])) {
        assert!(gamma.iter().all(|x| x.is_finite()), "{gamma}");
    }
    // No slip at the start, where friction depends on it.
    let mut s = seed(r);
    (s.velocity, s.material.friction_dynamic) = (Vector3::zeros(), 0.5 * s.material.friction_static);
    for gamma in all_impulses(&DualCone::default(), &s, v) {
        assert!(gamma.iter().all(|x| x.is_finite()), "{gamma}");
    }
    // An impedance that jumps at touch.
    let mut s = seed(r);
    (s.gap, s.material.solimp) = (0.0, [0.2, 0.8, 0.0, 0.5, 2.0]);
    for law in &laws {
        let p = PublishedDualCone::default();
        let at: [f64; 6] = v.into();
        let tangent = ContactTangent { gap: 1.0, ..ContactTangent::default() };
        let (gamma, change) = p.impulse_tangent(&s, &tangent, (&at, &at), [1.0; 2]);
        assert!(gamma.iter().chain(&change).all(|x| x.is_finite()));
        for gamma in all_impulses(law, &s, v) {
            assert!(gamma.iter().all(|x| x.is_finite()), "{law:?} {gamma}");
        }
    }
    // The published law of what cannot move.
    s.sides = [ContactSide::default(); 2];
    for mass in [MassScale::Trace, MassScale::Mean] {
        let law = PublishedDualCone { mass, ..PublishedDualCone::default() };
        let at: [f64; 6] = v.into();
        let (gamma, change) = law.impulse_tangent(&s, &ContactTangent::default(), (&at, &at), [1.0; 2]);
        assert_eq!((gamma, change), ([0.0; 6], [0.0; 6]));
        assert_eq!(ContactLaw::<6>::eval(&law, &ContactLaw::<6>::prepare(&law, &s), v).grad, V6::zeros());
    }
}

/// As its documentation has it: memory, exact masses, and Coulomb's friction from 3 cm/s on.
#[test]
fn analytic_a_remembering_law() {
    for memory in [0.0, 0.4, 1.0] {
        let law = DualCone { memory, coulomb_slip: Some(0.03), ..DualCone::default() };
        assert_eq!(DualCone::remembering(memory), law);
    }
}
