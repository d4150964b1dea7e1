//! Errors of a user are named: never a panic, never silence.

use crate::common;

use common::{PointBatch, Reach, batch, scene};
use signorini_core::{Observation, ObservationError, State};
use signorini_planning::tasks::{self, CartPole};
use signorini_planning::{
    Annealing, BasisKind, ControlTape, Costing, Elite, Episode, EpisodeOptions, KnotSchedule, Mppi,
    MppiOptions, PlanError, Planner, PoseLines, PoseSource, Rollout, Schedule, Source, SpreadKind, Task,
    Temperature, TermWeights, Timing, Update,
};
use signorini_run::Method;

fn good() -> MppiOptions {
    MppiOptions::new(10, 0.1, vec![[-1.0, 1.0]])
}

#[test]
fn regression_settings_out_of_range_are_named() {
    let elite = |e: Elite| Update::Elite(e);
    let information = |temperature, control_cost| Update::Information { temperature, control_cost };
    let d = Elite::default;
    let schedule = |knots, annealing| Schedule { knots, annealing };
    let cases: Vec<(&str, MppiOptions)> = vec![
        ("samples", MppiOptions { samples: 0, ..good() }),
        ("steps", MppiOptions { steps: 0, knots: 0, ..good() }),
        ("knots", MppiOptions { knots: 0, ..good() }),
        ("knots", MppiOptions { knots: 11, ..good() }),
        ("knots", MppiOptions { basis: BasisKind::Bernstein, knots: 30, steps: 40, ..good() }),
        ("dt", MppiOptions { dt: 0.0, ..good() }),
        ("dt", MppiOptions { dt: f64::NAN, ..good() }),
        ("bounds", MppiOptions { bounds: vec![[1.0, -1.0]], ..good() }),
        ("bounds", MppiOptions { bounds: vec![[f64::NAN, 1.0]], ..good() }),
        ("bounds", MppiOptions { bounds: vec![[f64::INFINITY, f64::INFINITY]], ..good() }),
        ("sigma", MppiOptions { sigma: vec![], ..good() }),
        ("sigma", MppiOptions { sigma: vec![0.0], ..good() }),
        ("sigma", MppiOptions { sigma: vec![f64::NAN], ..good() }),
        ("correlation", MppiOptions { correlation: 1.0, ..good() }),
        ("correlation", MppiOptions { correlation: 0.5, ..good() }),
        ("iterations", MppiOptions { iterations: 0, ..good() }),
        ("stop", MppiOptions { stop: Some(f64::NAN), ..good() }),
        (
            "schedule.knots",
            MppiOptions { schedule: schedule(KnotSchedule::Ramp(0.0), Annealing::None), ..good() },
        ),
        (
            "schedule.annealing",
            MppiOptions {
                schedule: schedule(KnotSchedule::Constant, Annealing::Geometric(f64::NAN)),
                ..good()
            },
        ),
        ("temperature", MppiOptions { update: information(Temperature::Absolute(0.0), false), ..good() }),
        (
            "temperature",
            MppiOptions { update: information(Temperature::EffectiveSamples(0.5), false), ..good() },
        ),
        (
            "temperature",
            MppiOptions {
                update: information(Temperature::Standardised { temperature: 1.0, share: 2.0 }, false),
                ..good()
            },
        ),
        (
            "control_cost",
            MppiOptions { update: information(Temperature::EffectiveSamples(5.0), true), ..good() },
        ),
        ("elite.share", MppiOptions { update: elite(Elite { share: 0.0, ..d() }), ..good() }),
        ("elite.mean_rate", MppiOptions { update: elite(Elite { mean_rate: 1.5, ..d() }), ..good() }),
        ("elite.floor", MppiOptions { update: elite(Elite { floor: f64::NAN, ..d() }), ..good() }),
        ("elite.limits", MppiOptions { update: elite(Elite { limits: [2.0, 1.0], ..d() }), ..good() }),
        ("source", MppiOptions { source: Source::LowDiscrepancy, steps: 600, knots: 600, ..good() }),
    ];
    for (what, options) in cases {
        let text = Mppi::new(options).unwrap_err().to_string();
        assert!(text.starts_with(what), "{what}: {text}");
    }
    assert!(Mppi::new(MppiOptions { correlation: 0.5, spread: SpreadKind::Full, ..good() }).is_ok());
}

#[test]
fn regression_unknown_names_come_with_the_list() {
    let mut weights = TermWeights::new(&Reach);
    weights.set("miss", 3.0).unwrap();
    assert_eq!(weights.get("miss"), Some(3.0));
    let text = weights.set("mess", 1.0).unwrap_err().to_string();
    assert!(
        text.contains("reach") && text.contains("'mess'") && text.contains("miss, speed, effort"),
        "{text}"
    );
    assert!(weights.set("miss", f64::NAN).unwrap_err().to_string().contains("'miss'"));
    assert_eq!(weights.get("miss"), Some(3.0), "as it was");
    let text = tasks::by_name("cartpole", 0).err().unwrap().to_string();
    assert!(
        tasks::NAMES.iter().all(|n| text.contains(n) && tasks::by_name(n, 0).unwrap().task.name() == *n),
        "{text}"
    );
}

/// A task with an observation that the toy engine does not give.
struct Wanting(Observation);

impl Task for Wanting {
    fn name(&self) -> &'static str {
        "wanting"
    }
    fn observations(&self) -> Vec<Observation> {
        vec![self.0.clone()]
    }
    fn terms(&self) -> &'static [signorini_planning::Term] {
        Reach.terms()
    }
    fn rule(&self) -> String {
        "Never.".into()
    }
    fn running(&self, _: &signorini_planning::Step<'_>, _: &signorini_planning::Phase, _: &mut [f64]) {}
    fn judge(
        &self,
        _: &signorini_planning::View<'_>,
        _: &signorini_planning::Phase,
    ) -> signorini_planning::Outcome {
        signorini_planning::Outcome::Running
    }
    fn reset(&self, seed: u64) -> signorini_planning::Scenario {
        Reach.reset(seed)
    }
}

#[test]
fn regression_missing_observations_are_refused_before_the_run() {
    let wanted = Observation::Distance("hand".into(), "wall".into());
    let mut model = PointBatch::new(4);
    let error = Rollout::new(&mut model, &Wanting(wanted.clone()), 0.1, 1).err().unwrap();
    let text = error.to_string();
    assert!(matches!(error, PlanError::Observation(ObservationError::NotOffered { .. })), "{text}");
    assert!(text.contains("'points'") && text.contains("'hand'") && text.contains("joints"), "{text}");
    // A cart has no such joint: the names that there are.
    let scene = scene("cart_pole");
    let mut cart = batch(&scene, 2, Method::comfree(), 1);
    let text = Rollout::new(&mut cart, &Reach, 0.1, 1).err().unwrap().to_string();
    assert!(text.contains("joint 'x'") && text.contains("slider, hinge"), "{text}");
    // The plant is asked before anything runs, too.
    let mut planner = Mppi::new(MppiOptions::new(5, 0.1, vec![[-1.0, 1.0]])).unwrap();
    let (task, mut plant) = (CartPole::default(), PointBatch::new(1));
    let weights = TermWeights::new(&task);
    let mut model = batch(&scene, 2, Method::comfree(), 1);
    let mut episode = Episode::new(&mut planner, &mut model, &mut plant, &task, &weights);
    let error = episode.run(0, &EpisodeOptions::default()).err().unwrap();
    assert!(matches!(error, PlanError::Observation(ObservationError::Unknown { .. })), "{error}");
}

#[test]
fn regression_arrays_that_do_not_fit_are_errors() {
    let (task, mut model) = (Reach, PointBatch::new(3));
    let (weights, phase) = (TermWeights::new(&task), task.reset(0).phase);
    let mut rollout = Rollout::new(&mut model, &task, 0.1, 1).unwrap();
    let start = State { q: vec![0.0], v: vec![0.0], ..State::default() };
    let costing = Costing { task: &task, weights: &weights, phase: &phase };
    let mut run = |tape: ControlTape, n: usize, start: &State| {
        rollout.run(&mut model, start, &tape, costing, &mut vec![0.0; n]).map_err(|e| e.to_string())
    };
    assert!(run(ControlTape::new(3, 5, 1), 3, &start).is_ok());
    assert!(run(ControlTape::new(3, 5, 2), 3, &start).unwrap_err().contains("channels"));
    assert!(run(ControlTape::new(3, 5, 1), 2, &start).unwrap_err().contains("costs"));
    let bad = State { q: vec![f64::NAN], ..start };
    assert!(run(ControlTape::new(3, 5, 1), 3, &bad).is_err());
    for (dt, substeps) in [(0.0, 1), (f64::NAN, 1), (0.1, 0)] {
        assert!(Rollout::new(&mut PointBatch::new(1), &task, dt, substeps).is_err());
    }
    assert!(Rollout::new(&mut PointBatch::new(0), &task, 0.1, 1).is_err());
    let mut p = Mppi::new(good()).unwrap();
    let mut free = |_: &ControlTape, out: &mut [f64]| {
        out.fill(0.0);
        Ok(())
    };
    assert!(p.plan(f64::NAN, None, &mut free).is_err());
    assert!(p.reset(0.0, &[0.0; 2]).is_err() && p.reset(0.0, &[f64::NAN]).is_err());
    assert!(p.executed().controls(0.0, &mut [0.0; 3]).is_err());
    // Two channels for one control.
    let mut wide = Mppi::new(MppiOptions::new(5, 0.1, vec![[-1.0, 1.0]; 2])).unwrap();
    let (mut model, mut plant) = (PointBatch::new(2), PointBatch::new(1));
    let mut episode = Episode::new(&mut wide, &mut model, &mut plant, &task, &weights);
    assert!(matches!(
        episode.run(0, &EpisodeOptions::default()),
        Err(PlanError::Length { found: 2, expected: 1, .. })
    ));
    for options in [
        EpisodeOptions { replan: 0, ..EpisodeOptions::default() },
        EpisodeOptions { plant_substeps: 0, ..EpisodeOptions::default() },
        EpisodeOptions { timing: Timing::Delay(f64::NAN), ..EpisodeOptions::default() },
        EpisodeOptions { timing: Timing::Measured(-1.0), ..EpisodeOptions::default() },
        EpisodeOptions { pace: Some(f64::INFINITY), ..EpisodeOptions::default() },
    ] {
        assert!(matches!(episode.run(0, &options), Err(PlanError::Option { .. })));
    }
}

#[test]
fn regression_lines_that_are_no_poses_are_named() {
    let text = r#"{"t": 0.5, "body": "target", "position": [1, 2, 3], "rotation": [2, 0, 0, 0]}

        {"t": 1.5, "body": "target", "position": [1, 2, 4]}"#;
    let mut poses = PoseLines::new(text.as_bytes());
    assert_eq!(poses.next_until(0.4).unwrap(), None);
    let (body, x) = poses.next_until(0.5).unwrap().unwrap();
    assert_eq!((body.as_str(), x.translation.z, x.rotation.w), ("target", 3.0, 1.0));
    assert_eq!(poses.next_until(1.0).unwrap(), None);
    assert_eq!(poses.next_until(2.0).unwrap().unwrap().1.translation.z, 4.0);
    assert_eq!(poses.next_until(9.0).unwrap(), None);
    for (bad, why) in [
        ("\n{", "line 2"),
        (r#"{"body": "a", "position": [1, 2]}"#, "line 1"),
        (r#"{"body": "a", "position": [1, 2, 3], "rotation": [0, 0, 0, 0]}"#, "rotation"),
        (r#"{"body": "a", "position": [1, 2, 3], "angle": 1}"#, "angle"),
        (r#"{"body": "a", "position": [1, 2, 1e999]}"#, "line 1"),
    ] {
        let error = PoseLines::new(bad.as_bytes()).next_until(0.0).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let (early, late, none) = (
        r#"{"t": 0.2, "body": "a", "position": [1, 2, 3]}"#,
        r#"{"t": 0.5, "body": "a", "position": [1, 2, 3]}"#,
        r#"{"body": "a", "position": [1, 2, 3]}"#,
    );
    for (first, second, why) in
        [(late, early, "sort the lines"), (late, none, "to all"), (none, late, "to all")]
    {
        let mut poses = PoseLines::new(std::io::Cursor::new(format!("{first}\n{second}")));
        assert!(poses.next_until(1.0).unwrap().is_some());
        // Live lines come when they come.
        let error = (0..1000).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(1));
            poses.next_until(1.0).err()
        });
        let error = error.unwrap().to_string();
        assert!(error.contains("line 2") && error.contains(why), "{error}");
    }
}
