//! Kinematics and dynamics of random trees against first principles.

use crate::common;

use common::{Random, apart, bias, kinematics, mass_matrix, random_scene, random_state};
use proptest::prelude::*;
use signorini_core::na::{DMatrix, DVector, Vector3};
use signorini_multibody::{Dynamics, Kinematics, Model, TreeFactor};

fn moved(model: &Model, q: &[f64], v: &[f64], dt: f64) -> Kinematics {
    let mut q1 = q.to_vec();
    model.integrate(q, v, dt, &mut q1);
    kinematics(model, &q1, v)
}

/// Velocity of a body point and angular velocity by central differences of poses.
fn differences(model: &Model, q: &[f64], v: &[f64], body: usize) -> (Vector3<f64>, Vector3<f64>) {
    let h = 1e-5;
    let (a, b) = (moved(model, q, v, -h), moved(model, q, v, h));
    let linear = (b.com(model, body) - a.com(model, body)) / (2.0 * h);
    let turn = (b.x_wb[body].rotation * a.x_wb[body].rotation.inverse()).scaled_axis() / (2.0 * h);
    (linear, turn)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn property_velocities_and_jacobians_are_derivatives_of_poses(seed in any::<u64>()) {
        let model = Model::new(&random_scene(seed)).unwrap();
        let (q, v) = random_state(&model, &mut Random(seed ^ 1));
        let kin = kinematics(&model, &q, &v);
        for b in 1..model.bodies.len() {
            let (linear, turn) = differences(&model, &q, &v, b);
            let p = kin.com(&model, b);
            // Central differences: h² times third derivatives, plus round-off / h.
            prop_assert!((kin.point_velocity(&model, b, &p) - linear).norm() < 1e-7);
            prop_assert!((kin.twist[b].angular - turn).norm() < 1e-7);
            let (jl, ja) = kin.jacobian(&model, b, &p);
            let nv = model.nv();
            let jl = DMatrix::from_column_slice(3, nv, &jl) * DVector::from_column_slice(&v);
            let ja = DMatrix::from_column_slice(3, nv, &ja) * DVector::from_column_slice(&v);
            // Round-off.
            prop_assert!((jl - kin.point_velocity(&model, b, &p)).norm() < 1e-12);
            prop_assert!((ja - kin.twist[b].angular).norm() < 1e-12);
        }
    }

    #[test]
    fn property_mass_matrix_is_the_sum_of_projected_body_inertias(seed in any::<u64>()) {
        let model = Model::new(&random_scene(seed)).unwrap();
        let (q, v) = random_state(&model, &mut Random(seed ^ 2));
        let kin = kinematics(&model, &q, &v);
        let nv = model.nv();
        let mut sum = DMatrix::from_diagonal(&DVector::from_iterator(nv, model.dofs.iter().map(|d| d.armature)));
        for (b, body) in model.bodies.iter().enumerate() {
            let (jl, ja) = kin.jacobian(&model, b, &kin.com(&model, b));
            let (jl, ja) = (DMatrix::from_column_slice(3, nv, &jl), DMatrix::from_column_slice(3, nv, &ja));
            let r = kin.x_wb[b].rotation.to_rotation_matrix().into_inner();
            sum += body.mass * jl.transpose() * &jl + ja.transpose() * (r * body.inertia * r.transpose()) * &ja;
        }
        let m = mass_matrix(&model, &kin);
        let flat: Vec<f64> = m.concat();
        // Round-off of sums over a path.
        prop_assert!(apart(&flat, sum.as_slice()) < 1e-13);
        prop_assert!(sum.symmetric_eigenvalues().min() > 0.0);
        // ½ vᵀ M v, armature aside, is the kinetic energy.
        let dv = DVector::from_column_slice(&v);
        let armature: f64 = model.dofs.iter().zip(&v).map(|(d, v)| d.armature * v * v).sum();
        let energy = 0.5 * (dv.dot(&(&sum * &dv)) - armature);
        prop_assert!((Dynamics::kinetic_energy(&model, &kin) - energy).abs() < 1e-12 * (1.0 + energy));
        // The tree-sparse factor solves as the dense one.
        let mut factor = TreeFactor::new(&model);
        Dynamics::new(&model).mass_matrix(&model, &kin, |i, j, x| factor.set(i, j, x));
        factor.factor().unwrap();
        let mut x = v.clone();
        factor.solve_in_place(&mut x);
        // Residual, so that the bound does not depend on the condition of M.
        let back = &sum * DVector::from_column_slice(&x);
        prop_assert!(apart(back.as_slice(), &v) < 1e-12 * sum.amax().max(1.0) * (1.0 + DVector::from_vec(x).amax()));
    }

    /// Newton's and Euler's laws of every body, with accelerations by finite differences, projected by the Jacobians.
    #[test]
    fn property_inverse_dynamics_is_newton_and_euler(seed in any::<u64>()) {
        let model = Model::new(&random_scene(seed)).unwrap();
        let mut r = Random(seed ^ 3);
        let (q, v) = random_state(&model, &mut r);
        let acc: Vec<f64> = (0..model.nv()).map(|_| r.unit()).collect();
        let kin = kinematics(&model, &q, &v);
        let h = 1e-5;
        // The flow q̇ = v, v̇ = acc to second order: the mid-velocity carries q over the step.
        let at = |dt: f64| {
            let mid: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + 0.5 * dt * a).collect();
            let end: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + dt * a).collect();
            let mut q1 = q.clone();
            model.integrate(&q, &mid, dt, &mut q1);
            kinematics(&model, &q1, &end)
        };
        let (before, after) = (at(-h), at(h));
        let nv = model.nv();
        let mut tau = DVector::zeros(nv);
        for (b, body) in model.bodies.iter().enumerate() {
            let momentum = |k: &Kinematics| {
                let r = k.x_wb[b].rotation.to_rotation_matrix().into_inner();
                let w = k.twist[b].angular;
                (k.point_velocity(&model, b, &k.com(&model, b)), r * body.inertia * r.transpose() * w)
            };
            let ((v0, l0), (v1, l1)) = (momentum(&before), momentum(&after));
            let force = body.mass * ((v1 - v0) / (2.0 * h) - model.gravity);
            let (jl, ja) = kin.jacobian(&model, b, &kin.com(&model, b));
            tau += DMatrix::from_column_slice(3, nv, &jl).transpose() * force;
            tau += DMatrix::from_column_slice(3, nv, &ja).transpose() * ((l1 - l0) / (2.0 * h));
        }
        // Central differences of velocities: about 1e-10 times third derivatives, round-off 1e-16/h.
        prop_assert!(apart(&bias(&model, &kin, Some(&acc)), tau.as_slice()) < 1e-6);
        // Linear in v̇ with slope M.
        let m = mass_matrix(&model, &kin);
        let c = bias(&model, &kin, None);
        let sum: Vec<f64> = (0..nv)
            .map(|i| c[i] + (0..nv).map(|j| m[i][j] * acc[j]).sum::<f64>() - model.dofs[i].armature * acc[i])
            .collect();
        prop_assert!(apart(&bias(&model, &kin, Some(&acc)), &sum) < 1e-12);
    }

    #[test]
    fn property_forward_dynamics_inverts_inverse_dynamics(seed in any::<u64>()) {
        let model = Model::new(&random_scene(seed)).unwrap();
        let mut r = Random(seed ^ 4);
        let (q, v) = random_state(&model, &mut r);
        let kin = kinematics(&model, &q, &v);
        let acc: Vec<f64> = (0..model.nv()).map(|_| r.unit()).collect();
        let mut tau = bias(&model, &kin, Some(&acc));
        for ((t, a), d) in tau.iter_mut().zip(&acc).zip(&model.dofs) {
            *t += d.armature * a;
        }
        let largest = bias(&model, &kin, None).iter().chain(&tau).fold(0.0, |m: f64, x| m.max(x.abs()));
        let (mut dynamics, mut factor) = (Dynamics::new(&model), TreeFactor::new(&model));
        dynamics.forward_dynamics(&model, &kin, &model.gravity, &mut factor, &mut tau).unwrap();
        // Round-off of the forces (relative to the largest) times ‖M⁻¹‖: a tree drawn at random can be nearly singular.
        let m = mass_matrix(&model, &kin).concat();
        let inverse = 1.0 / DMatrix::from_vec(acc.len(), acc.len(), m).symmetric_eigenvalues().min();
        prop_assert!(apart(&tau, &acc) < 1e-13 * (1.0 + largest * inverse), "{} of {}", apart(&tau, &acc), largest * inverse);
    }

    #[test]
    fn property_difference_inverts_integrate(seed in any::<u64>(), size in 0.0..3.1f64) {
        let model = Model::new(&random_scene(seed)).unwrap();
        let mut r = Random(seed ^ 5);
        let (q, _) = random_state(&model, &mut r);
        let mut v: Vec<f64> = (0..model.nv()).map(|_| r.unit()).collect();
        // Rotation vectors below π are unique.
        v.iter_mut().for_each(|x| *x *= size / 3f64.sqrt());
        let (mut q1, mut back) = (q.clone(), v.clone());
        model.integrate(&q, &v, 1.0, &mut q1);
        model.difference(&q, &q1, &mut back);
        // Round-off of a quaternion product; the angle near π loses no digits with atan2.
        prop_assert!(apart(&back, &v) < 1e-12);
        let (mut q2, mut small) = (q.clone(), v.clone());
        model.integrate_renormalized(&q, &v, 1e-4, &mut q2);
        model.difference(&q, &q2, &mut small);
        small.iter_mut().for_each(|x| *x /= 1e-4);
        // Adding and normalising agrees with the exponential map up to the third order in the step.
        prop_assert!(apart(&small, &v) < 1e-7);
    }
}

/// The momentum of a free-flying tree obeys ṗ = m g and, about the centre of mass, L̇ = 0.
#[test]
fn property_momentum_is_balanced_in_free_flight() {
    let mut tried = 0;
    for seed in 0..200u64 {
        let scene = random_scene(seed);
        let model = Model::new(&scene).unwrap();
        use signorini_scene::JointKind::Free;
        if model.trees.len() != 1 || model.joints[0].kind != Free {
            continue;
        }
        tried += 1;
        let (q, v) = random_state(&model, &mut Random(seed));
        let kin = kinematics(&model, &q, &v);
        let mut acc = vec![0.0; model.nv()];
        let mut factor = TreeFactor::new(&model);
        // Armature is inertia without momentum; leave it out by working without it.
        let mut bare = model.clone();
        bare.dofs.iter_mut().for_each(|d| d.armature = 0.0);
        Dynamics::new(&bare).forward_dynamics(&bare, &kin, &bare.gravity, &mut factor, &mut acc).unwrap();
        let h = 1e-5;
        let at = |dt: f64| {
            let mid: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + 0.5 * dt * a).collect();
            let end: Vec<f64> = v.iter().zip(&acc).map(|(v, a)| v + dt * a).collect();
            let mut q1 = q.clone();
            bare.integrate(&q, &mid, dt, &mut q1);
            Dynamics::momentum(&bare, &kinematics(&bare, &q1, &end))
        };
        let (a, b) = (at(-h), at(h));
        let force = a.mass * (b.com_velocity - a.com_velocity) / (2.0 * h);
        let scale = 1.0 + acc.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // Central differences, as above, scaled by the accelerations.
        assert!((force - a.mass * bare.gravity).norm() < 1e-6 * scale, "seed {seed}");
        assert!(((b.angular - a.angular) / (2.0 * h)).norm() < 1e-6 * scale, "seed {seed}");
    }
    assert!(tried >= 10, "{tried} floating trees");
}
