//! Whole scenes: `cargo bench -p signorini-benches`. Compare ratios within one run; machines are noisy.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run should stop")]
#![allow(missing_docs, reason = "the macros of criterion make undocumented functions")]

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use signorini_core::NoObserver;
use signorini_scene::{LoadOptions, Scene};
use signorini_validation::engine::Engine;
use signorini_validation::scenes::Clutter;

/// Simulates a scene without recording.
fn simulate(scene: &Scene, engine: &Engine, time: f64) -> f64 {
    let mut sys = engine.system(scene).expect("the scene has a model");
    let mut integrator = engine.integrator().expect("the engine exists");
    let mut x = sys.initial_state(scene.keyframe("home")).expect("the keyframe fits");
    let end = x.t + time;
    integrator.advance(&mut sys, &mut x, end, &mut NoObserver).expect("the run succeeds");
    x.q[0]
}

fn scenes(c: &mut Criterion) {
    let mut group = c.benchmark_group("scenes");
    group.sample_size(10).measurement_time(Duration::from_secs(5));
    let clutter = Clutter::hard(0).scene();
    for (name, engine) in [
        ("hard clutter 2 s, accuracy 1e-3, default mode", Engine::cenic(1e-3)),
        ("hard clutter 2 s, accuracy 1e-3, paper mode", Engine::cenic(1e-3).in_paper_mode()),
        ("hard clutter 2 s, fixed 10 ms", Engine::fixed(0.01)),
    ] {
        group.bench_function(name, |b| b.iter(|| simulate(&clutter, &engine, 2.0)));
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let quadruped = Scene::load(models.join("quadruped/quadruped.xml"), &LoadOptions::default())
        .expect("the model loads");
    for (name, engine) in [
        ("quadruped 1 s, fixed 1 ms", Engine::fixed(1e-3)),
        ("quadruped 1 s, accuracy 1e-3", Engine::cenic(1e-3)),
    ] {
        group.bench_function(name, |b| b.iter(|| simulate(&quadruped, &engine, 1.0)));
    }
    group.finish();
}

criterion_group!(benches, scenes);
criterion_main!(benches);
