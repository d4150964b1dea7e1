//! Scenes and starts shared by the tests.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "tests; each file uses a part")]

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::State;
use signorini_run::Method;
use signorini_scene::{Pose, Scene, SceneBuilder, Sensor, SensorKind, SensorObject};

pub const DT: f64 = 2e-3;

/// A driven two-link arm, two boxes and a ball that fall onto a floor and onto a mocap plate; joint and contact sensors.
pub fn scene() -> Scene {
    SceneBuilder::new("mixed")
        .half_space()
        .body("plate")
        .at([0.5, 0.0, 0.05])
        .mocap()
        .cuboid([0.2, 0.2, 0.02])
        .body("upper")
        .at([0.0, 0.0, 0.6])
        .hinge("shoulder", [0.0, 1.0, 0.0])
        .damping(0.05)
        .range(-1.2, 1.2)
        .capsule(0.03, 0.12)
        .density(800.0)
        .body_on("upper", "lower")
        .at([0.0, 0.0, -0.3])
        .hinge("elbow", [0.0, 1.0, 0.0])
        .armature(0.002)
        .capsule(0.03, 0.12)
        .density(800.0)
        .body("box")
        .at([0.1, 0.0, 0.11])
        .free_joint()
        .cuboid([0.05, 0.04, 0.03])
        .friction(0.6)
        .body("ball")
        .at([0.5, 0.02, 0.2])
        .free_joint()
        .sphere(0.05)
        .friction(0.4)
        .motor("drive", "shoulder", 2.0)
        .position_servo("servo", "elbow", 4.0, 0.2)
        .sensor(Sensor::new("angle", SensorKind::JointPos, SensorObject::Joint(0)))
        .sensor(Sensor::new("push", SensorKind::ContactForce, SensorObject::Body(4)))
        .build()
        .unwrap()
}

/// Start of a lane: everything differs from lane to lane; box and ball touch within a few steps.
pub fn start(lane: usize, x: &State) -> State {
    let s = lane as f64;
    let mut x = x.clone();
    x.q[0] = 0.3 * (1.3 * s).sin();
    x.q[1] = 0.4 * (0.7 * s).cos();
    x.q[4] = 0.032 + 0.005 * (lane % 5) as f64;
    x.q[11] = 0.125 + 0.004 * (lane % 3) as f64;
    x.v[2] = 0.5 * (0.9 * s).sin();
    x.v[8] = (0.4 * s).cos();
    x.v[11] = -0.3 * s.sin();
    x
}

/// Control of a lane at a step.
pub fn control(lane: usize, step: usize) -> [f64; 2] {
    let (s, k) = (lane as f64, step as f64);
    [0.8 * (0.05 * k + s).sin(), 0.5 * (0.03 * k - s).cos()]
}

pub fn controls(lanes: usize, step: usize) -> Vec<f64> {
    (0..lanes).flat_map(|i| control(i, step)).collect()
}

pub fn recipes() -> [fn() -> Method; 2] {
    [Method::comfree, Method::icf]
}

pub fn batch(lanes: usize, recipe: Method, threads: usize) -> CpuBatch {
    CpuBatch::new(&scene(), lanes, recipe, BatchOptions { threads }).unwrap()
}

pub fn plate(lane: usize) -> Pose {
    Pose::translation(0.5, 0.0, 0.05 + 0.004 * (lane % 4) as f64)
}

pub fn push(lane: usize) -> Vec<f64> {
    let mut f = vec![0.0; 14];
    f[2] = 0.2 * (lane % 3) as f64;
    f
}
