//! No heap allocation in anything that is done at every step.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests stop at what they do not expect"
)]

mod common;

use common::oracle::{case_scene, cases};
use common::{Random, random_state};
use signorini_core::{ContactSolver, Pool, Slot, StepSolution, System, Tolerance};
use signorini_icf::IcfSolver;
use signorini_laws::Lagged;
use signorini_multibody::{
    ActuatorInput, ActuatorState, Dynamics, EqualityInput, Kinematics, Model, SensorInput, SensorScratch,
    TendonState, TreeFactor,
};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{Hydroelastic, Pose, SceneBuilder};
use signorini_testkit::allocations::{CountingAllocator, allocations};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn alloc_state_updates_are_free_of_allocations() {
    let mut updated = 0;
    for topic in ["tendons", "actuators", "sensors", "equality", "passive", "dynamics"] {
        for case in cases(topic) {
            let m = Model::new(&case_scene(&case)).unwrap();
            let mut r = Random(5);
            let (q, v) = random_state(&m, &mut r);
            let (mut kin, mut dynamics, mut factor) =
                (Kinematics::new(&m), Dynamics::new(&m), TreeFactor::new(&m));
            let (mut tendons, mut actuators) = (TendonState::new(&m), ActuatorState::new(&m));
            let mut sensors = SensorScratch::new(&m);
            let (mut forces, mut tau, mut acc) =
                (vec![0.0; m.actuators.len()], vec![0.0; m.nv()], vec![0.0; m.nv()]);
            let (control, z) = (vec![0.1; m.actuators.len()], vec![0.1; m.nz]);
            let (mut z1, mut q1, mut residual) = (z.clone(), q.clone(), [0.0; 6]);
            let n = allocations(|| {
                m.check_state(&q, &v).unwrap();
                kin.set_positions(&m, &q, &m.mocap_poses);
                kin.set_velocities(&m, &v);
                tendons.set_positions(&m, &kin, &q);
                tendons.set_velocities(&m, &v);
                actuators.set_positions(&m, &kin, &tendons, &q);
                actuators.set_velocities(&m, &v);
                m.actuator_forces(
                    &kin,
                    &actuators,
                    ActuatorInput { z: &z, control: &control, dt: 1e-3 },
                    &mut forces,
                    &mut tau,
                );
                acc.copy_from_slice(&tau);
                m.add_spring_forces(&q, &tendons, &mut acc);
                m.add_damping_forces(&v, &tendons, &mut acc);
                m.add_passive_gravity_compensation(&kin, &mut acc);
                dynamics.forward_dynamics(&m, &kin, &m.gravity, &mut factor, &mut acc).unwrap();
                for e in 0..m.equalities.len() {
                    let at = EqualityInput { q: &q, kin: &kin, tendons: &tendons };
                    m.equality(e, at, &mut residual, |_, column| {
                        std::hint::black_box(column);
                    });
                }
                m.advance_activations(&z, &control, 1e-3, &mut z1);
                m.integrate(&q, &v, 1e-3, &mut q1);
                let input = SensorInput {
                    t: 0.0,
                    q: &q,
                    v: &v,
                    acceleration: &acc,
                    kin: &kin,
                    tendons: &tendons,
                    actuators: &actuators,
                    actuator_forces: &forces,
                    actuator_tau: &tau,
                    contacts: &[],
                    limit_forces: &[],
                };
                m.read_sensors(input, &mut sensors);
            });
            assert_eq!(n, 0, "{topic} {}", case["name"]);
            updated += 1;
        }
    }
    assert!(updated > 0);
}

/// A ball rolls over a rigid floor and a soft box, whose surfaces change their polygons; the second time it goes the same way nothing is allocated.
#[test]
fn alloc_steps_over_areas_are_free_of_allocations_when_warm() {
    let b = SceneBuilder::new("areas").half_space().hydroelastic(Hydroelastic::rigid());
    let b = b.cuboid([0.02, 0.2, 0.049]).geom_pose(Pose::translation(0.15, 0.0, 0.0));
    let b = b.hydroelastic(Hydroelastic::compliant(1e6)).body("ball").at([0.0, 0.0, 0.049]).free_joint();
    let scene = b.sphere(0.05).mass(1.0).hydroelastic(Hydroelastic::compliant(1e6)).build().unwrap();
    let law = Pool::<Lagged, 3>::new(Lagged::default());
    let mut sys = RigidSystem::new(&scene, &law, RigidOptions::default()).unwrap();
    let mut start = sys.initial_state(None).unwrap();
    (start.v[0], start.v[4]) = (1.0, 20.0);
    let (mut solver, mut s) = (IcfSolver::default(), StepSolution::default());
    let (mut x, mut x1) = (start.clone(), start.clone());
    let mut most = 0;
    let mut roll = || {
        let mut own = [0, 0, 0];
        x.clone_from(&start);
        for _ in 0..60 {
            let dt = 5e-3;
            own[0] += allocations(|| sys.prepare(Slot::Start, &x, dt).unwrap());
            let p = sys.problem(Slot::Start, dt).unwrap();
            own[1] += allocations(|| _ = solver.solve(p, &x.v, Tolerance::default(), &mut s).unwrap());
            own[2] += allocations(|| sys.commit(Slot::Start, &x, dt, &s, &mut x1).unwrap());
            std::mem::swap(&mut x, &mut x1);
            most = most.max(s.gamma.len() / 3);
        }
        own
    };
    roll();
    roll();
    assert_eq!(roll(), [0; 3]);
    assert!(most > 20, "{most}");
}
