//! Relaxing stress, and the loss factor that it gives a solid in the same place, beside their equations.

use std::f64::consts::PI;

use proptest::prelude::*;
use signorini_core::na::{Isometry3, Matrix3, Vector3};
use signorini_geometry::Shape;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, FixedCorotated, Lame, LinearCorotated, Material, Maxwell, MpmEngine, MpmOptions, Particles, Wall,
};

fn lame() -> Lame {
    Lame::new(1e5, 0.3).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// dev τ falls as exp(−t/t₁), volume stays, and nothing resists its change.
    #[test]
    fn analytic_stress_relaxes_and_volume_stays(
        entries in prop::array::uniform9(-0.2..0.2f64), shear in -3.0..6.0f64, time in -4.0..2.0f64, part in 0.01..3.0f64, count in 1u32..9
    ) {
        let (shear, time) = (10f64.powf(shear), 10f64.powf(time));
        let m = Maxwell::new(shear, time).unwrap();
        prop_assert!(m.check().is_ok());
        let mut f = Matrix3::identity() + Matrix3::from_column_slice(&entries);
        let (before, volume) = (m.stress(&f), f.determinant());
        let mut memory = 0.0;
        for _ in 0..count {
            m.flow(&mut f, &mut memory, part * time / f64::from(count));
        }
        let after = m.stress(&f);
        prop_assert!((after - before * (-part).exp()).norm() < 1e-12 * shear, "{after} {before}");
        prop_assert!((f.determinant() / volume - 1.0).abs() < 1e-12 && after.trace().abs() < 1e-12 * shear);
    }

    /// Work of a cycle of small shear over 2π times the energy at its turn is tan δ of the formula at any frequency, and the one asked for at its own.
    #[test]
    fn analytic_loss_factor_of_two_in_one_place(loss in 0.02..0.5f64, ratio in -1.0..1.0f64) {
        let (elastic, omega) = (LinearCorotated(lame()), 25.0);
        let branch = Maxwell::with_loss(lame().mu, loss, omega).unwrap();
        let steps = 4000;
        for frequency in [omega, omega * 10f64.powf(ratio)] {
            let dt = 2.0 * PI / frequency / f64::from(steps);
            let gamma = |k: i32| 1e-3 * (frequency * dt * f64::from(k)).sin();
            let (mut f, mut memory, mut work, mut in_phase) = (Matrix3::identity(), 0.0, 0.0, 0.0);
            let mut before = 0.0;
            // The first cycles forget the start.
            for k in 0..12 * steps {
                let change = gamma(k + 1) - gamma(k);
                let mut step = Matrix3::identity();
                step[(0, 1)] = change;
                f = step * f;
                branch.flow(&mut f, &mut memory, dt);
                let mut all = Matrix3::identity();
                all[(0, 1)] = gamma(k + 1);
                let stress = (elastic.stress(&all) + branch.stress(&f))[(0, 1)];
                if k >= 11 * steps {
                    work += 0.5 * (before + stress) * change;
                    in_phase += stress * gamma(k + 1) / f64::from(steps);
                }
                before = stress;
            }
            // ∮τ dγ = π G″ γ₀², mean of τ γ = ½ G′ γ₀².
            let found = work / PI / (2.0 * in_phase);
            let x = frequency / omega;
            let r = branch.shear() / lame().mu;
            let expected = r * x / (1.0 + x * x) / (1.0 + r * x * x / (1.0 + x * x));
            prop_assert!((found / expected - 1.0).abs() < 1e-2, "{found} {expected} at {x}");
            if x == 1.0 {
                prop_assert!((found / loss - 1.0).abs() < 1e-2, "{found} {loss}");
            }
        }
    }
}

/// Side of a box \[m\], density of all in it \[kg/m³\], loss factor.
const SIDE: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const LOSS: f64 = 0.1;

/// u = (sin kx cos ky, −cos kx sin ky), k = π/side: shear without change of volume, at rest across all walls.
fn mode(x: &Vector3<f64>) -> Vector3<f64> {
    let k = PI / SIDE;
    Vector3::new((k * x.x).sin() * (k * x.y).cos(), -(k * x.x).cos() * (k * x.y).sin(), 0.0)
}

/// Amplitude of that mode's velocity beside its start, step by step of `dt` \[s\], of rubber with or without its branch.
fn rung(branch: Option<Maxwell>, dt: f64, steps: u32) -> Vec<f64> {
    let h = SIDE / 12.0;
    let half = Vector3::new(0.5 * SIDE, 0.5 * SIDE, 0.1 * SIDE);
    let solid = Shape::Box { half_extents: half };
    let middle = Isometry3::translation(half.x, half.y, half.z);
    let mut p = Particles::default();
    // Each has half of the mass, and all of the volume.
    p.fill(&solid, &middle, 0.5 * h, 0.5 * DENSITY, 0).unwrap();
    p.fill(&solid, &middle, 0.5 * h, 0.5 * DENSITY, 1).unwrap();
    let first = p.len() / 2;
    if branch.is_none() {
        p.material[first..].fill(0);
        p.volume.iter_mut().for_each(|v| *v *= 0.5);
    }
    let k = PI / SIDE;
    for i in 0..p.len() {
        let x = p.x[i];
        let ([sx, cx], [sy, cy]) = ([(k * x.x).sin(), (k * x.x).cos()], [(k * x.y).sin(), (k * x.y).cos()]);
        p.v[i] = 1e-2 * mode(&x);
        p.c[i] = 1e-2 * k * Matrix3::new(cx * cy, -sx * sy, 0.0, sx * sy, -cx * cy, 0.0, 0.0, 0.0, 0.0);
    }
    let wall = |point: Vector3<f64>, normal| Wall { point, normal, border: Border::Slip };
    let walls = [Vector3::x(), Vector3::y(), Vector3::z()]
        .into_iter()
        .flat_map(|n| [wall(Vector3::zeros(), n), wall(2.0 * half, -n)])
        .collect();
    let options =
        MpmOptions { spacing: h, gravity: Vector3::zeros(), transfer_time: 10.0, ..MpmOptions::default() };
    let materials: Vec<Box<dyn Material>> = [Box::new(FixedCorotated(lame())) as Box<dyn Material>]
        .into_iter()
        .chain(branch.map(|m| Box::new(m) as Box<dyn Material>))
        .collect();
    let law = contact_pool("lagged").unwrap();
    let mut e = MpmEngine::<f64>::new(p, materials, walls, vec![], law, options).unwrap();
    let mut out = Vec::new();
    for _ in 0..steps {
        let p = e.particles();
        let along: f64 = (0..p.len()).map(|i| p.mass[i] * p.v[i].dot(&mode(&p.x[i]))).sum();
        let size: f64 = (0..p.len()).map(|i| p.mass[i] * mode(&p.x[i]).norm_squared()).sum();
        out.push(along / size / 1e-2);
        e.step(dt).unwrap();
    }
    out
}

/// The mode of ü = −ω² (u + s/μ), ṡ = μ₁ u̇ − s/t₁, from u = s = 0, u̇ = 1, with ω that of rubber without a branch.
fn followed(branch: &Maxwell, omega: f64, dt: f64, steps: u32) -> Vec<f64> {
    let (stiff, fine) = (omega * omega / lame().mu, 100);
    let rate = |y: &Vector3<f64>| {
        let [u, v, s] = [y[0], y[1], y[2]];
        Vector3::new(v, -stiff * (lame().mu * u + s), branch.shear() * v - s / branch.time())
    };
    let (mut y, dt) = (Vector3::new(0.0, 1.0, 0.0), dt / f64::from(fine));
    let mut out = Vec::new();
    for k in 0..steps * fine {
        if k % fine == 0 {
            out.push(y[1]);
        }
        let half = y + 0.5 * dt * rate(&y);
        y += dt * rate(&half);
    }
    out
}

/// A standing wave of shear dies as the solid's loss factor has it; without a branch it stays.
#[test]
fn analytic_shear_wave_dies_by_its_loss_factor() {
    let omega = (2.0 * (PI / SIDE).powi(2) * lame().mu / DENSITY).sqrt();
    let branch = Maxwell::with_loss(lame().mu, LOSS, omega).unwrap();
    let dt = 2.0 * PI / omega / 120.0;
    let steps = 6 * 120;
    let (found, free) = (rung(Some(branch), dt, steps), rung(None, dt, steps));
    // The grid's own frequency, from where the wave without a branch is zero: at (n + ½) π.
    let zeros: Vec<f64> = (1..free.len())
        .filter(|k| free[k - 1] * free[*k] <= 0.0)
        .map(|k| dt * (k as f64 - free[k] / (free[k] - free[k - 1])))
        .collect();
    let own = PI * (zeros.len() as f64 - 0.5) / zeros[zeros.len() - 1];
    let expected = followed(&branch, own, dt, steps);
    let largest = |list: &[f64]| list[5 * 120..].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    let off = found.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!(
        "{own} rad/s of {omega}; last cycle: {} of {}, without a branch {}; furthest apart {off}",
        largest(&found),
        largest(&expected),
        largest(&free)
    );
    // Walls cut cells of the border.
    assert!((own / omega - 1.0).abs() < 0.1, "{own} {omega}");
    // A loss factor of 0.1 leaves exp(−0.1 π 5) = 0.21 after five cycles.
    assert!(
        (largest(&found) / largest(&expected) - 1.0).abs() < 0.1,
        "{} {}",
        largest(&found),
        largest(&expected)
    );
    assert!(off < 0.08, "{off}");
    assert!(largest(&free) > 0.9, "{}", largest(&free));
}

#[test]
fn constants_out_of_range_are_named() {
    let says = |e: signorini_mpm::MpmError, what: &str| assert!(e.to_string().contains(what), "{e}");
    says(Maxwell::new(0.0, 1.0).unwrap_err(), "shear modulus");
    says(Maxwell::new(1.0, f64::NAN).unwrap_err(), "relaxation time");
    says(Maxwell::with_loss(1.0, 1.0, 1.0).unwrap_err(), "loss factor");
    says(Maxwell::with_loss(1.0, 0.1, -1.0).unwrap_err(), "frequency");
}
