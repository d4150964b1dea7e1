//! Whole scenes: `cargo bench -p signorini-benches`. Compare ratios within one run; machines are noisy.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run should stop")]
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use signorini_core::NoObserver;
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene, SceneBuilder};
use signorini_validation::scenes::Clutter;

/// Simulates a scene without recording.
fn simulate(scene: &Scene, method: &Method, time: f64) -> f64 {
    let mut sys = method.system(scene).expect("the scene has a model");
    let mut integrator = method.integrator().expect("the method exists");
    let mut x = sys.initial_state(scene.keyframe("home")).expect("the keyframe fits");
    let end = x.t + time;
    integrator.advance(&mut sys, &mut x, end, &mut NoObserver).expect("the run succeeds");
    x.q[0]
}

/// n spheres of radius 5 cm that fall in layers of 10 × 10 onto a half-space.
fn rain(n: usize) -> Scene {
    let mut b = SceneBuilder::new("rain").world().half_space();
    for i in 0..n {
        let (x, y, z) = (i % 10, i / 10 % 10, i / 100);
        let shift = 0.01 * (i % 7) as f64;
        let at = [0.12 * x as f64 + shift, 0.12 * y as f64 - shift, 0.06 + 0.12 * z as f64];
        b = b.body(format!("s{i}")).at(at).free_joint().sphere(0.05).density(1000.0);
    }
    b.build().expect("the scene is valid")
}

fn scenes(c: &mut Criterion) {
    let mut group = c.benchmark_group("scenes");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let clutter = Clutter::hard(0).scene();
    for (name, method) in [
        ("hard clutter 2 s, accuracy 1e-3, default mode", Method::cenic(1e-3)),
        (
            "hard clutter 2 s, accuracy 1e-3, paper mode",
            Method::cenic(1e-3).in_paper_mode().expect("icf has one"),
        ),
        ("hard clutter 2 s, fixed 10 ms", Method::icf().with_step(0.01)),
    ] {
        group.bench_function(name, |b| b.iter(|| simulate(&clutter, &method, 2.0)));
    }
    for n in [100, 1000] {
        let scene = rain(n);
        let name = format!("{n} falling spheres 0.1 s, fixed 2 ms, with set-up");
        group.bench_function(name, |b| b.iter(|| simulate(&scene, &Method::icf().with_step(2e-3), 0.1)));
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let quadruped = Scene::load(models.join("quadruped/quadruped.xml"), &LoadOptions::default())
        .expect("the model loads");
    for (name, method) in [
        ("quadruped 1 s, fixed 1 ms", Method::icf().with_step(1e-3)),
        ("quadruped 1 s, accuracy 1e-3", Method::cenic(1e-3)),
    ] {
        group.bench_function(name, |b| b.iter(|| simulate(&quadruped, &method, 1.0)));
    }
    group.finish();
}

criterion_group!(benches, scenes);
criterion_main!(benches);
