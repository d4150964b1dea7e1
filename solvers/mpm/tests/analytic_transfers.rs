//! Splines and transfers: partition of unity, momenta, affine fields.

use proptest::prelude::*;
use signorini_core::na::{Matrix3, Vector3};
use signorini_mpm::{Grid, Particles, Weights};

fn vector(range: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-range..range).prop_map(Vector3::from)
}

fn matrix(range: f64) -> impl Strategy<Value = Matrix3<f64>> {
    prop::array::uniform9(-range..range).prop_map(|a| Matrix3::from_column_slice(&a))
}

proptest! {
    #[test]
    fn analytic_weights(x in vector(10.0), h in 0.01..1.0f64) {
        let (mut sum, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for (place, w, r) in Weights::at(&x, h).nodes() {
            let at = Vector3::from(place.map(f64::from)) * h;
            prop_assert!((at - x - r).norm() < 1e-12 && w >= 0.0);
            sum += w;
            first += w * r;
            second += w * r * r.transpose();
        }
        // Round-off of x/h, which is up to a thousand.
        prop_assert!((sum - 1.0).abs() < 1e-14);
        prop_assert!(first.norm() < 1e-12 * h);
        prop_assert!((second - Matrix3::identity() * (0.25 * h * h)).norm() < 1e-12 * h * h);
    }

    #[test]
    fn analytic_transfers_keep_momenta(
        all in prop::collection::vec((vector(0.5), vector(1.0), matrix(5.0), matrix(1e4), 0.1..2.0f64, vector(1e3)), 1..30),
    ) {
        let h = 0.2;
        let mut particles = Particles::default();
        let (mut stress, mut given) = (Vec::new(), Vec::new());
        for (x, v, c, s, m, f) in &all {
            particles.push(*x, *m, 1e-3, 0);
            let p = particles.len() - 1;
            (particles.v[p], particles.c[p]) = (*v, *c);
            stress.push(s + s.transpose());
            given.push(*f);
        }
        let mut grid = Grid::new(h);
        grid.gather(&particles, &stress, &given);
        let sum = |f: &dyn Fn(usize) -> Vector3<f64>| (0..grid.len()).map(f).sum::<Vector3<f64>>();
        let mass: f64 = grid.mass.iter().sum();
        let total: f64 = particles.mass.iter().sum();
        prop_assert!((mass - total).abs() < 1e-13 * total);
        let p = sum(&|n| grid.momentum[n]);
        let l = sum(&|n| grid.position(n).cross(&grid.momentum[n]));
        prop_assert!((p - particles.momentum()).norm() < 1e-12 * total);
        prop_assert!((l - particles.angular_momentum(h)).norm() < 1e-12 * total);
        // Symmetric stresses add neither, forces add themselves.
        let force = sum(&|n| grid.force[n]) - given.iter().sum::<Vector3<f64>>();
        let moments: Vector3<f64> = particles.x.iter().zip(&given).map(|(x, f)| x.cross(f)).sum();
        let torque = sum(&|n| grid.position(n).cross(&grid.force[n])) - moments;
        let scale: f64 = grid.force.iter().map(|f| f.norm()).sum::<f64>();
        prop_assert!(force.norm() < 1e-12 * scale && torque.norm() < 1e-12 * scale);
    }

    #[test]
    fn analytic_affine_fields_come_back(a in vector(1.0), b in matrix(2.0), all in prop::collection::vec(vector(0.5), 1..20)) {
        let mut particles = Particles::default();
        for (i, x) in all.iter().enumerate() {
            particles.push(*x, 1.0 + i as f64, 1e-3, 0);
            particles.v[i] = a + b * x;
            particles.c[i] = b;
        }
        let mut grid = Grid::new(0.1);
        let (stress, force) = (vec![Matrix3::zeros(); all.len()], vec![Vector3::zeros(); all.len()]);
        grid.gather(&particles, &stress, &force);
        let field: Vec<Vector3<f64>> = (0..grid.len()).map(|n| grid.momentum[n] / grid.mass[n]).collect();
        for (p, (x, v)) in particles.x.iter().zip(&particles.v).enumerate() {
            let (found, c) = grid.sample(p, x, &field);
            prop_assert!((found - v).norm() < 1e-12 && (c - b).norm() < 1e-10);
        }
    }
}
