//! Joints solved before contacts: the same velocity as under the convex solver, whichever way it was found.

#![allow(clippy::expect_used, reason = "tests")]

use proptest::prelude::*;
use signorini_core::{ContactSolver, Inertia, Pool, Slot, StepSolution, System, Tolerance};
use signorini_icf::IcfSolver;
use signorini_laws::Lagged;
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

/// An arm of four hinges on a slide and a free body, motors with effort limits; `friction` on one joint.
fn arm(kp: f64, kv: f64, effort: f64, friction: f64) -> Scene {
    let motor = |j: &str| {
        format!(
            "<position joint='{j}' kp='{kp}' kv='{kv}' forcelimited='true' forcerange='-{effort} {effort}'/>"
        )
    };
    let motors: String = ["s", "a", "b", "c"].map(motor).concat();
    let xml = format!(
        "<mujoco><option timestep='0.01'/><worldbody>
           <body><joint name='s' type='slide' axis='1 0 0' damping='0.3'/><geom size='.05' pos='0 0 .1'/>
             <body pos='0 0 .2'><joint name='a' axis='0 1 0'/><geom size='.04' pos='.1 0 .1'/>
               <body pos='.1 0 .2'><joint name='b' axis='1 0 0' damping='.01' stiffness='.4'/><geom size='.03' pos='0 .1 .1'/></body>
               <body pos='0 .4 .3'><joint name='c' axis='0 0 1' armature='.01' frictionloss='{friction}'/><geom size='.03' pos='.2 0 0'/></body>
             </body></body>
           <body pos='2 0 0'><freejoint/><geom type='box' size='.1 .2 .1' pos='.05 0 0'/></body>
         </worldbody><actuator>{motors}</actuator></mujoco>"
    );
    Scene::from_mjcf(&xml, "arm.xml", &LoadOptions::default()).expect("the scene is valid")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn property_joints_first_is_the_convex_optimum(
        q in prop::array::uniform4(-1.5f64..1.5),
        v in prop::array::uniform4(-3.0f64..3.0),
        u in prop::array::uniform4(-2.0f64..2.0),
        (kp, kv, effort) in (0.0f64..200.0, 0.0f64..5.0, 0.1f64..50.0),
        friction in prop::sample::select(vec![0.0, 0.2]),
    ) {
        let scene = arm(kp, kv, effort, friction);
        let law = Pool::<Lagged, 3>::new(Lagged::default());
        let system = |joints_first| {
            let options = RigidOptions { joints_first, ..RigidOptions::default() };
            let mut s = RigidSystem::new(&scene, &law, options).expect("the scene is valid");
            s.control_mut().copy_from_slice(&u);
            s
        };
        let (mut first, mut together) = (system(true), system(false));
        let mut x = first.initial_state(None).expect("there is one");
        x.q[..4].copy_from_slice(&q);
        x.v[..4].copy_from_slice(&v);
        x.v[5] = 1.0;
        let dt = 0.01;
        first.prepare(Slot::Start, &x, dt).expect("the state is valid");
        together.prepare(Slot::Start, &x, dt).expect("the state is valid");
        let p = together.problem(Slot::Start, dt).expect("the step is valid");
        let mut s = StepSolution::default();
        let tight = Tolerance { relative: 1e-13, ..Tolerance::default() };
        IcfSolver::default().solve(p, &x.v, tight, &mut s).expect("it is convex");
        let p = first.problem(Slot::Start, dt).expect("the step is valid");
        // Tolerance of the solver, 1e-8 of momentum in dry friction; round-off of speeds up to 100 otherwise.
        let (most, size) = (if friction > 0.0 { 1e-5 } else { 1e-8 }, s.v.iter().fold(1.0f64, |m, v| m.max(v.abs())));
        for (a, b) in p.free_velocity().iter().zip(&s.v) {
            prop_assert!((a - b).abs() < most * size, "{a} {b}");
        }
        // A' holds the gains that act: solving with it what it multiplies gives back the vector.
        let mut y = vec![0.0; x.v.len()];
        let whole = first.frozen_problem(Slot::Start).whole();
        let inertia = first.frozen_problem(Slot::Start).block_inertia();
        inertia.apply(whole, &x.v, &mut y);
        inertia.solve_in_place(whole, &mut y);
        for (a, b) in y.iter().zip(&x.v) {
            // Round-off over the condition number of A', about 1e4.
            prop_assert!((a - b).abs() < 1e-9);
        }
    }
}
