//! Motion that the field does not show fades by the second where it is told to, not by the step.

use proptest::prelude::*;
use signorini_core::na::Vector3;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, DruckerPrager, FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSystem, Particles, Wall,
};

fn wall(at: f64, normal: Vector3<f64>, border: Border) -> Wall {
    Wall { point: at * normal.abs(), normal, border }
}

/// Parts of the kinetic energy and of all energy at the start that Sulsky's discs have after 3 s, and the most that all energy was above that at the start.
fn discs(dt: f64, transfer_time: f64) -> [f64; 3] {
    let (h, apart) = (0.05, 0.025);
    let mut p = Particles::default();
    for (centre, sign) in [(0.25, 1.0), (0.75, -1.0)] {
        for n in 0..512 {
            let (i, k, j) = (n / 32 - 8, n / 2 % 16 - 8, n % 2);
            let (x, z) = ((f64::from(i) + 0.5) * apart, (f64::from(k) + 0.5) * apart);
            if x.hypot(z) < 0.2 {
                let at = Vector3::new(centre + x, (f64::from(j) + 0.5) * apart, centre + z);
                p.push(at, 1000.0 * apart.powi(3), apart.powi(3), 0);
                let last = p.len() - 1;
                p.v[last] = sign * Vector3::new(0.1, 0.0, 0.1);
            }
        }
    }
    let rubber = FixedCorotated(Lame::new(1e3, 0.3).unwrap());
    let options =
        MpmOptions { spacing: h, gravity: Vector3::zeros(), transfer_time, ..MpmOptions::default() };
    let walls = vec![wall(0.0, Vector3::y(), Border::Slip), wall(h, -Vector3::y(), Border::Slip)];
    let start = p.kinetic_energy(h);
    let law = contact_pool("lagged").unwrap();
    let mut e = MpmEngine::<f64>::new(p, vec![Box::new(rubber)], walls, vec![], law, options).unwrap();
    let elastic = |p: &Particles| -> f64 { (0..p.len()).map(|i| p.volume[i] * rubber.energy(&p.f[i])).sum() };
    let (mut most, mut end) = (0.0f64, [0.0; 2]);
    for _ in 0..(3.0 / dt).round() as usize {
        e.step(dt).unwrap();
        let p = e.particles();
        let kinetic = p.kinetic_energy(h) / start;
        end = [kinetic, kinetic + elastic(p) / start];
        most = most.max(end[1] - 1.0);
        assert!(p.momentum().norm() < 1e-13);
    }
    [end[0], end[1], most]
}

#[test]
fn analytic_discs_keep_their_energy_whatever_the_step() {
    // Affine transfers alone lose it by the step.
    let [short, long] = [1e-3, 1e-2].map(|dt| discs(dt, 0.0)[0]);
    assert!(short < 0.3 && long > 0.6, "{short} {long}");
    let [short, long] = [1e-3, 1e-2].map(|dt| discs(dt, 0.1));
    assert!((short[0] - long[0]).abs() < 5e-3 && short[0] > 0.85, "{short:?} {long:?}");
    // Never more than there was; steps a sixth of the limit swing by 10⁻⁴.
    assert!(short[2] <= 1e-12 && long[2] < 1e-3, "{short:?} {long:?}");
}

/// Run-out of a column of sand, twice as high as half its width, in half widths: where 99 % of it are within.
fn run_out(courant: f64, transfer_time: f64) -> f64 {
    let (width, h) = (0.2, 0.025);
    let mut p = Particles::default();
    p.lattice(Vector3::repeat(0.00625), 0.0125, [16, 2, 32], 2200.0, 0.0125f64.powi(3), 0);
    let lame = Lame::new(3.5e5, 0.3).unwrap();
    let sand: Vec<Box<dyn Material>> = vec![Box::new(DruckerPrager::new(lame, 0.5).unwrap())];
    let walls = vec![
        wall(0.0, Vector3::z(), Border::Sticky),
        wall(0.0, Vector3::x(), Border::Slip),
        wall(0.0, Vector3::y(), Border::Slip),
        wall(h, -Vector3::y(), Border::Slip),
    ];
    let options = MpmOptions { spacing: h, transfer_time, courant, ..MpmOptions::default() };
    let law = contact_pool("lagged").unwrap();
    let mut e = MpmEngine::<f64>::new(p, sand, walls, vec![], law, options).unwrap();
    while e.time() < 1.0 {
        e.step(e.longest_step()).unwrap();
    }
    let mut x: Vec<f64> = e.particles().x.iter().map(|x| x.x).collect();
    x.sort_by(f64::total_cmp);
    x[(0.99 * x.len() as f64) as usize] / width - 1.0
}

#[test]
fn analytic_sand_runs_out_whatever_the_step() {
    let [short, long] = [0.1, 0.4].map(|c| run_out(c, 0.0));
    assert!(short < 0.9 * long, "{short} {long}");
    let [short, long] = [0.1, 0.4].map(|c| run_out(c, 0.03));
    assert!((short / long - 1.0).abs() < 0.05, "{short} {long}");
}

proptest! {
    /// Dust without forces: momentum stays, and angular momentum changes by δt a Σ m V × (v − V), because places go with the field and velocities do not.
    #[test]
    fn analytic_momenta_of_dust(
        all in prop::collection::vec((prop::array::uniform3(-0.1..0.1f64), prop::array::uniform3(-1.0..1.0f64), 0.1..2.0f64), 2..40),
        (dt, transfer_time) in (1e-4..1e-2f64, 1e-3..1.0f64),
    ) {
        let h = 0.1;
        let mut p = Particles::default();
        for (x, v, m) in &all {
            p.push(Vector3::from(*x), *m, 1e-3, Particles::BARE);
            let last = p.len() - 1;
            p.v[last] = Vector3::from(*v);
        }
        let options =
            MpmOptions { spacing: h, gravity: Vector3::zeros(), transfer_time, ..MpmOptions::default() };
        let law = contact_pool("lagged").unwrap();
        let mut e = MpmEngine::<f64>::new(p.clone(), vec![], vec![], vec![], law, options).unwrap();
        e.step(dt).unwrap();
        let q = e.particles();
        let mass: f64 = p.mass.iter().sum();
        prop_assert!((p.momentum() - q.momentum()).norm() < 1e-13 * mass);
        let kept = (-dt / transfer_time).exp();
        // v' = V + a (v − V).
        let turned: Vector3<f64> = (0..p.len())
            .map(|i| {
                let field = (q.v[i] - kept * p.v[i]) / (1.0 - kept);
                dt * kept * p.mass[i] * field.cross(&(p.v[i] - field))
            })
            .sum();
        // V is a difference over 1 − a, of 10⁻⁴ and more.
        let off = (q.angular_momentum(h) - p.angular_momentum(h) - turned).norm();
        prop_assert!(off < 1e-11 * mass, "{:e}", off);
    }
}

#[test]
fn regression_times_that_cannot_be() {
    for transfer_time in [-1.0, f64::NAN, f64::INFINITY] {
        let options = MpmOptions { transfer_time, ..MpmOptions::default() };
        let law = contact_pool("lagged").unwrap();
        let Err(e) = MpmSystem::new(Particles::default(), vec![], vec![], vec![], law, options) else {
            panic!("{transfer_time} was taken")
        };
        assert!(e.to_string().contains("the transfer time"), "{e}");
    }
}
