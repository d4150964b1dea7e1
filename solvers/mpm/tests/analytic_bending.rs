//! Cloth that resists bending: its energy, forces, limits of steps.

use std::f64::consts::TAU;

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Point3, Rotation3, Vector3};
use signorini_core::{OneStep, State, System};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{Cloth, ClothMaterial, MpmOptions, MpmSystem, Particles, sheet, shirt};

/// Bending rigidity \[N·m\].
const D: f64 = 2e-3;

/// A material with bending and without.
fn materials() -> [ClothMaterial; 2] {
    let plain = ClothMaterial::new(1e5, 0.3, 1e3, 1e-3).unwrap();
    [plain.with_bending(D).unwrap(), plain]
}

/// A mesh as cloth with bending and without, on particles of its own.
fn pair(vertices: &[Point3<f64>], triangles: &[[u32; 3]]) -> (Particles, [Cloth; 2]) {
    let mut p = Particles::default();
    let cloth = materials().map(|m| {
        p = Particles::default();
        Cloth::new(&mut p, vertices, triangles, m).unwrap()
    });
    (p, cloth)
}

/// Energy of bending alone \[J\].
fn energy([bent, plain]: &[Cloth; 2], x: &[Vector3<f64>], f: &[Matrix3<f64>]) -> f64 {
    bent.energy(x, f) - plain.energy(x, f)
}

/// Forces of bending alone \[N\].
fn forces(cloth: &[Cloth; 2], x: &[Vector3<f64>], f: &[Matrix3<f64>]) -> Vec<Vector3<f64>> {
    let [a, b] = [0, 1].map(|i| {
        let (mut stress, mut force) = (vec![Matrix3::zeros(); x.len()], vec![Vector3::zeros(); x.len()]);
        cloth[i].forces(x, f, &mut stress, &mut force);
        force
    });
    a.iter().zip(&b).map(|(a, b)| a - b).collect()
}

fn vector(range: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-range..range).prop_map(Vector3::from)
}

/// A sheet of 3 by 3 cells of 0.1 m that is bent at rest.
fn hill(height: f64) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mesh = sheet([0.3, 0.3], [3, 3]).unwrap();
    let lift = |x: &Point3<f64>| Point3::new(x.x, x.y, height * (12.0 * x.x).cos() * (9.0 * x.y).sin());
    (mesh.vertices().iter().map(lift).collect(), mesh.triangles().to_vec())
}

proptest! {
    #[test]
    fn analytic_forces_are_derivatives_and_keep_momenta(
        height in 0.0..0.2f64,
        moved in prop::collection::vec(vector(0.05), 16),
        turn in vector(3.0),
    ) {
        let (vertices, triangles) = hill(height);
        let (mut p, cloth) = pair(&vertices, &triangles);
        let turn = *Rotation3::new(turn).matrix();
        for i in 0..p.len() {
            p.x[i] = turn * p.x[i] + Vector3::new(0.3, -0.2, 0.1);
            p.f[i] = turn * p.f[i];
        }
        // Turned and moved as it is: none. Round-off of k |B| = 0.01 J · 30/m.
        prop_assert!(forces(&cloth, &p.x, &p.f).iter().all(|f| f.norm() < 1e-11));
        prop_assert!(energy(&cloth, &p.x, &p.f).abs() < 1e-15);
        for (v, d) in cloth[0].vertices().zip(&moved) {
            p.x[v] += d;
        }
        let force = forces(&cloth, &p.x, &p.f);
        let scale: f64 = force.iter().map(|f| f.norm()).sum();
        prop_assert!(scale > 1e-4);
        let sum: Vector3<f64> = force.iter().sum();
        let moment: Vector3<f64> = force.iter().zip(&p.x).map(|(f, x)| x.cross(f)).sum();
        // Round-off, that of the forces in the plane that were taken off included.
        prop_assert!(sum.norm() < 1e-12 * (scale + 1.0) && moment.norm() < 1e-12 * (scale + 1.0), "{sum} {moment}");
        for v in cloth[0].vertices() {
            for a in 0..3 {
                let h = 1e-5;
                let at = |h: f64| { let mut x = p.x.clone(); x[v][a] += h; energy(&cloth, &x, &p.f) };
                let found = -(at(h) - at(-h)) / (2.0 * h);
                // Error of the difference: (h/0.1 m)², and round-off of energies in the plane by h.
                prop_assert!((found - force[v][a]).abs() < 1e-6 * scale, "{found} {}", force[v][a]);
            }
        }
    }

    #[test]
    fn analytic_a_flat_sheet_that_is_stretched_is_not_bent(stretch in prop::array::uniform9(-0.5..0.5f64)) {
        let (vertices, triangles) = hill(0.0);
        let (mut p, cloth) = pair(&vertices, &triangles);
        let a = Matrix3::identity() + Matrix3::from_column_slice(&stretch);
        p.x.iter_mut().for_each(|x| *x = a * *x);
        prop_assert!(energy(&cloth, &p.x, &p.f).abs() < 1e-15);
    }
}

#[test]
fn analytic_a_shirt_at_rest_has_no_forces_of_bending() {
    // Folded at its seams.
    let mesh = shirt(0.05).unwrap();
    let (p, cloth) = pair(mesh.vertices(), mesh.triangles());
    assert!(energy(&cloth, &p.x, &p.f).abs() < 1e-15);
    assert!(forces(&cloth, &p.x, &p.f).iter().all(|f| f.norm() < 1e-11));
    // Flattened seams hold energy: rest angles are those of the mesh.
    let flat: Vec<_> = p.x.iter().map(|x| Vector3::new(x.x, x.y, 0.0)).collect();
    assert!(energy(&cloth, &flat, &p.f) > 1e-3 * D);
}

/// ½ D κ² of a cylinder \[J/m²\].
fn density(curvature: f64) -> f64 {
    0.5 * D * curvature * curvature
}

/// Energy of a flat mesh that is rolled to a cylinder of this curvature \[1/m\], lines of bending turned by an angle from y, for each of its area, over ½ D κ².
fn rolled(vertices: &[Point3<f64>], triangles: &[[u32; 3]], curvature: f64, angle: f64) -> f64 {
    let (p, cloth) = pair(vertices, triangles);
    let (across, along) =
        (Vector3::new(angle.cos(), angle.sin(), 0.0), Vector3::new(-angle.sin(), angle.cos(), 0.0));
    let roll = |x: &Vector3<f64>| {
        let s = curvature * x.dot(&across);
        (s.sin() * across + (1.0 - s.cos()) * Vector3::z()) / curvature + x.dot(&along) * along
    };
    let x: Vec<_> = p.x.iter().map(roll).collect();
    let area = p.mass.iter().sum::<f64>() / (1e3 * 1e-3);
    energy(&cloth, &x, &p.f) / (area * density(curvature))
}

#[test]
fn order_a_rolled_strip_holds_the_energy_of_a_plate() {
    // A strip of 0.4 m, rolled once around. Its ends have no hinge: 1/n of the length is missing, an error of first order, and chords are shorter by the square of their angle.
    let curvature = TAU / 0.4;
    let of = |n: usize| {
        let mesh = sheet([0.4, 0.1], [n, n / 4]).unwrap();
        rolled(mesh.vertices(), mesh.triangles(), curvature, 0.0)
    };
    let counts = [16, 32, 64, 128];
    let errors = counts.map(|n| of(n) - 1.0);
    println!("{errors:?}");
    assert!(errors[3].abs() < 0.01);
    for (pair, n) in errors.windows(2).zip(counts) {
        assert!((pair[1] / pair[0] - 0.5).abs() < 0.1, "{errors:?}");
        // Nothing else is missing: the angle 2π/n of a hinge comes in as 2 sin(π/n), and normals are as much shorter as chords.
        let chord = f64::sin(0.5 * TAU / n as f64) * n as f64 / (0.5 * TAU);
        let exact = (1.0 - 1.0 / n as f64) * chord.powi(4);
        assert!((pair[0] + 1.0 - exact).abs() < 1e-9, "{} {exact}", pair[0]);
    }
}

#[test]
fn analytic_energy_where_lines_of_bending_are_turned() {
    // Square cells: 1 + ½ sin² 2α; equilateral triangles: 1. Edges of the sheet lack a part of about 1/n = 0.02.
    let n = 48;
    let mesh = sheet([1.0, 1.0], [n, n]).unwrap();
    let row = |j: usize| 0.5 * f64::from(u32::from(j % 2 == 1));
    let place = |(i, j): (usize, usize)| {
        Point3::new((i as f64 + row(j)) / n as f64, 0.75f64.sqrt() * j as f64 / n as f64, 0.0)
    };
    let vertices: Vec<_> = (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j))).map(place).collect();
    let cell = |(i, j): (usize, usize)| {
        let [a, b, c, d] =
            [(i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1)].map(|(i, j)| ((n + 1) * j + i) as u32);
        if j % 2 == 1 { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] }
    };
    let equilateral: Vec<_> = (0..n).flat_map(|j| (0..n).map(move |i| (i, j))).flat_map(cell).collect();
    for angle in [0.0, 0.2, 0.5, TAU / 8.0, 1.1, TAU / 4.0] {
        let squares = rolled(mesh.vertices(), mesh.triangles(), 1.0, angle);
        let exact = 1.0 + 0.5 * f64::sin(2.0 * angle).powi(2);
        assert!((squares - exact).abs() < 0.06 * exact, "{angle}: {squares} {exact}");
        let found = rolled(&vertices, &equilateral, 1.0, angle);
        assert!((found - 1.0).abs() < 0.06, "{angle}: {found}");
    }
}

/// A system of a sheet alone with velocities without order, and the energy that it has.
fn noisy(material: ClothMaterial, edge: f64, options: MpmOptions) -> (MpmSystem, f64) {
    let mut p = Particles::default();
    let mesh = sheet([8.0 * edge; 2], [8; 2]).unwrap();
    let cloth = Cloth::new(&mut p, mesh.vertices(), mesh.triangles(), material).unwrap();
    for (i, v) in p.v.iter_mut().enumerate() {
        let a = i as f64;
        *v = 0.01 * Vector3::new((7.1 * a).sin(), (5.3 * a * a).sin(), (3.7 * a).cos());
    }
    let law = contact_pool("lagged").unwrap();
    let system = MpmSystem::new(p, vec![], vec![], vec![], law, options).unwrap();
    let mut system = system.with_cloth(cloth).unwrap();
    let start = system.initial_state();
    let e = total(&mut system, &start);
    (system, e)
}

fn total(s: &mut MpmSystem, x: &State) -> f64 {
    let e = s.energy(x);
    e.kinetic + e.potential
}

/// By how much the energy of noise grows in 400 steps of `dt` \[s\].
fn growth(material: ClothMaterial, edge: f64, options: MpmOptions, dt: f64) -> f64 {
    let (mut s, start) = noisy(material, edge, options);
    let (mut x, mut next) = (s.initial_state(), State::default());
    let mut step = ContactStep::new(IcfSolver::default());
    for _ in 0..400 {
        if step.step(&mut s, &x, dt, false, &mut next).is_err() {
            return f64::INFINITY;
        }
        std::mem::swap(&mut x, &mut next);
    }
    total(&mut s, &x) / start
}

#[test]
fn regression_steps_that_bending_does_not_allow_are_refused() {
    // Stiff in bending, soft in its plane: hinges are the limit.
    let h = 0.02;
    let plain = ClothMaterial::new(1e4, 0.3, 1e3, 1e-3).unwrap();
    let stiff = plain.with_bending(1e-2).unwrap();
    let options =
        |courant| MpmOptions { spacing: h, gravity: Vector3::zeros(), courant, ..MpmOptions::default() };
    for edge in [0.25 * h, 0.6 * h, h] {
        let (s, _) = noisy(stiff, edge, options(1.0));
        let x0 = s.initial_state();
        let limit = s.longest_step(&x0).unwrap();
        let bending = 2.0 / s.cloth()[0].bending_frequency();
        let without = noisy(plain, edge, options(1.0)).0.longest_step(&x0).unwrap();
        assert!((limit - 1.0 / (bending.powi(-2) + without.powi(-2)).sqrt()).abs() < 1e-12 * limit);
        assert!(limit < 0.5 * without);
        let within = growth(stiff, edge, options(1.0), 0.99 * limit);
        // Somewhere beyond it grows; how far says how sharp the bound is.
        let beyond = (1..12).map(|i| f64::from(i).exp2().sqrt()).find(|r| {
            let g = growth(stiff, edge, options(100.0), r * limit);
            g > 10.0 || g.is_nan()
        });
        println!("edges of {} h: {limit:e} s, energy times {within}, grows at {beyond:?} of it", edge / h);
        assert!(within <= 1.0, "{within}");
        let (mut s, _) = noisy(stiff, edge, options(1.0));
        let mut step = ContactStep::new(IcfSolver::default());
        let why = step.step(&mut s, &x0, 1.01 * limit, false, &mut State::default()).unwrap_err().to_string();
        assert!(why.contains("shorten it"), "{why}");
    }
}

#[test]
fn analytic_energy_of_a_system_includes_bending() {
    let (vertices, triangles) = hill(0.0);
    let (mut p, cloth) = pair(&vertices, &triangles);
    p.x.iter_mut().for_each(|x| x.z = x.x * x.x);
    let bent = energy(&cloth, &p.x, &p.f);
    assert!(bent > 0.1 * density(2.0) * 0.09);
    let [with, without] = cloth.map(|c| {
        let law = contact_pool("lagged").unwrap();
        let s = MpmSystem::new(p.clone(), vec![], vec![], vec![], law, MpmOptions::default()).unwrap();
        let mut s = s.with_cloth(c).unwrap();
        let x = s.initial_state();
        s.energy(&x).potential
    });
    assert!((with - without - bent).abs() < 1e-12 * with.abs());
}

#[test]
fn regression_a_rigidity_that_cannot_be() {
    let plain = materials()[1];
    for bad in [-1e-9, f64::NAN, f64::INFINITY] {
        let text = plain.with_bending(bad).unwrap_err().to_string();
        assert!(text.contains("bending rigidity") && text.contains("give N·m, 0 or more"), "{text}");
    }
    assert_eq!(plain.bending(), 0.0);
    assert_eq!(plain.with_bending(0.0).unwrap(), plain);
    // E t³/(12 (1 − ν²)).
    assert!((plain.plate_rigidity() - 1e5 * 1e-9 / (12.0 * 0.91)).abs() < 1e-18);
}
