//! Bodies that sink deep beside their size are told of by worlds of batches and under MuJoCo's names.

use signorini_batch::mujoco::{Data, Model, step};
use signorini_batch::{BatchOptions, CpuBatch};
use signorini_core::BatchStepper;
use signorini_run::Method;
use signorini_scene::{Scene, SceneBuilder};

/// A ball of 10 cm over a floor whose contact has this stiffness \[N/m\], as stiff as it is drawn where none is given.
fn ball(stiffness: Option<f64>) -> Scene {
    let mut scene = SceneBuilder::new("drop")
        .half_space()
        .body("ball")
        .at([0.0, 0.0, 0.051])
        .free_joint()
        .sphere(0.05)
        .build()
        .unwrap();
    scene.options.contact.stiffness = stiffness.unwrap_or(scene.options.contact.stiffness);
    scene
}

#[test]
fn regression_depths_of_worlds_are_told() {
    for method in [Method::icf(), Method::cenic(1e-3)] {
        for (stiffness, tells) in [(Some(50.0), true), (None, false)] {
            let options = BatchOptions { threads: 1 };
            let mut batch = CpuBatch::new(&ball(stiffness), 2, method.clone(), options).unwrap();
            batch.step(&[], 2e-3, 200, &[true, false]).unwrap();
            let told = batch.warning(0).unwrap().filter(|w| w.starts_with("depth:"));
            assert_eq!(told.is_some(), tells, "{}: {:?}", method.describe(), batch.warning(0));
            assert!(told.is_none_or(|w| w.contains("body 'ball'") && w.contains("--stiffness")));
            // A world that did not step has nothing to tell.
            assert_eq!(batch.warning(1).unwrap(), None);
        }
    }
}

/// A batch keeps the worst of worlds that were loaded anew since, as those of plans are, and counts each world once.
#[test]
fn regression_depths_of_worlds_that_were_loaded_anew_are_kept() {
    for (stiffness, count) in [(Some(50.0), 1), (None, 0)] {
        let mut batch =
            CpuBatch::new(&ball(stiffness), 2, Method::icf(), BatchOptions { threads: 1 }).unwrap();
        assert!(batch.warnings().is_empty());
        let start = batch.state(0).unwrap().clone();
        for round in 1..=2 {
            batch.step(&[], 2e-3, 200, &[true, false]).unwrap();
            let told = batch.warnings();
            batch.load(0, &start).unwrap();
            assert_eq!((told.len(), &told), (count, &batch.warnings()), "{told:?}");
            let of = if round == 1 {
                "thinner one (warning from 10 % on): "
            } else {
                "(2 of 2 worlds had such a pair)"
            };
            assert!(told.iter().all(|w| w.starts_with("depth:") && w.contains(of)), "{told:?}");
        }
    }
}

#[test]
fn regression_depths_under_mujocos_names_are_told() {
    for (stiffness, tells) in [(Some(50.0), true), (None, false)] {
        let model = Model::from_scene(ball(stiffness), Method::icf()).unwrap();
        let mut data = Data::new(&model).unwrap();
        for _ in 0..200 {
            step(&model, &mut data).unwrap();
        }
        assert_eq!(data.warning().is_some_and(|w| w.starts_with("depth:")), tells, "{:?}", data.warning());
    }
}
