//! Episodes: delay, phases, records, estimates, streamed poses, projections.

use crate::common;

use std::time::{Duration, Instant};

use common::{PointBatch, Reach, batch, scene};
use signorini_core::na::Isometry3;
use signorini_core::{BatchStepper, Frame, Observation, State};
use signorini_planning::projection::{JointBounds, MotionBounds, ProjectionOptions, Projector};
use signorini_planning::tasks::CylinderPush;
use signorini_planning::{
    Basis, BasisKind, BoundedMotion, ControlTape, Episode, EpisodeOptions, EpisodeRecord, Evaluate, Mppi,
    MppiOptions, Outcome, Plan, PlanError, PlanReport, Planner, PoseLines, PoseSource, PredictionGap,
    ReplanView, SampleMap, SampleProjection, Samples, Task, TermWeights, Timing,
};
use signorini_run::Method;

fn planner() -> Mppi {
    Mppi::new(MppiOptions {
        basis: BasisKind::Linear,
        samples: 48,
        seed: 4,
        ..MppiOptions::new(15, 0.1, vec![[-3.0, 3.0]])
    })
    .unwrap()
}

fn reach(seed: u64, options: EpisodeOptions, lanes: usize) -> EpisodeRecord {
    let (mut planner, mut model, mut plant) = (planner(), PointBatch::new(lanes), PointBatch::new(1));
    let weights = TermWeights::new(&Reach);
    Episode::new(&mut planner, &mut model, &mut plant, &Reach, &weights).run(seed, &options).unwrap()
}

/// All that does not come from a clock.
fn timeless(mut r: EpisodeRecord) -> EpisodeRecord {
    r.plans.iter_mut().for_each(|p| p.wall = 0.0);
    r.behind = 0.0;
    r
}

#[test]
fn property_one_seed_one_episode() {
    for timing in [Timing::LockStep, Timing::Delay(0.15)] {
        let options = EpisodeOptions { timing, keep_states: true, ..EpisodeOptions::default() };
        let one = timeless(reach(1, options, 48));
        assert_eq!(one.outcome, Outcome::Success);
        assert_eq!(one, timeless(reach(1, options, 5)), "in chunks of five");
        assert_ne!(one.steps, timeless(reach(0, options, 48)).steps);
    }
}

#[test]
fn property_delay_is_charged_and_the_old_plan_stays_in_use() {
    let delay =
        |d: f64| reach(0, EpisodeOptions { timing: Timing::Delay(d), ..EpisodeOptions::default() }, 48);
    let (none, lock) = (delay(0.0), reach(0, EpisodeOptions::default(), 48));
    assert_eq!(timeless(none).steps, timeless(lock).steps);
    let r = delay(0.25);
    // The first is waited for. Ready after 0.25 s means in use at 0.3 s, where the next begins.
    let times: Vec<[f64; 2]> = r.plans.iter().map(|p| [p.time, p.ready - p.time]).collect();
    let expected = [[0.0, 0.0], [0.1, 0.25], [0.4, 0.25], [0.7, 0.25]];
    for (t, e) in times.iter().zip(expected) {
        assert!((t[0] - e[0]).abs() < 1e-9 && (t[1] - e[1]).abs() < 1e-9, "{times:?}");
    }
    // Until 0.4 s the first plan drives: as with no further plan at all.
    let alone = reach(0, EpisodeOptions { replan: 1000, ..EpisodeOptions::default() }, 48);
    assert_eq!(r.steps[..4], alone.steps[..4]);
    assert_ne!(r.steps[4].control, alone.steps[4].control);
    assert!(alone.plans.len() == 1);
    // Measured time of computation, charged a thousand times.
    let r = reach(0, EpisodeOptions { timing: Timing::Measured(1000.0), ..EpisodeOptions::default() }, 48);
    r.plans[1..].iter().for_each(|p| assert!((p.ready - p.time - 1000.0 * p.wall).abs() < 1e-9));
}

/// Poses of which the first is long in coming.
struct Late(Option<Duration>);

impl PoseSource for Late {
    fn next_until(&mut self, _: f64) -> Result<Option<(String, Isometry3<f64>)>, PlanError> {
        self.0.take().into_iter().for_each(std::thread::sleep);
        Ok(None)
    }
}

#[test]
fn property_a_paced_world_is_never_ahead_of_the_clock() {
    let options = EpisodeOptions { steps: 6, ..EpisodeOptions::default() };
    let paced = EpisodeOptions { pace: Some(0.5), ..options };
    let began = Instant::now();
    let r = reach(0, paced, 48);
    // The last look is at 0.6 s of the world.
    assert!(began.elapsed().as_secs_f64() >= 0.3);
    assert_eq!(timeless(r), timeless(reach(0, options, 48)));
    // The first pose is waited for, and not made up for.
    let (mut p, mut model, mut plant) = (planner(), PointBatch::new(48), PointBatch::new(1));
    let (weights, mut late) = (TermWeights::new(&Reach), Late(Some(Duration::from_millis(200))));
    let mut episode = Episode::new(&mut p, &mut model, &mut plant, &Reach, &weights);
    episode.poses = Some(&mut late);
    let began = Instant::now();
    episode.run(0, &paced).unwrap();
    assert!(began.elapsed().as_secs_f64() >= 0.5);
    // A world that cannot keep up says by how much.
    let r = reach(0, EpisodeOptions { pace: Some(1e-9), ..options }, 48);
    assert!(r.behind > 0.0 && r.behind < 60.0, "{}", r.behind);
}

#[test]
fn property_records_say_what_happened() {
    let r =
        reach(0, EpisodeOptions { keep_states: true, plant_substeps: 2, ..EpisodeOptions::default() }, 48);
    assert_eq!(r.outcome, Outcome::Success);
    assert_eq!(r.states.len(), r.steps.len() + 1);
    assert_eq!((r.engines[0].as_str(), r.terms.len()), ("points", 3));
    assert!((r.time - 0.1 * r.steps.len() as f64).abs() < 1e-9);
    for (s, (x0, x1)) in r.steps.iter().zip(r.states.iter().zip(&r.states[1..])) {
        // The exact motion of a step; terms of its end.
        assert!((x1.v[0] - x0.v[0] - 0.1 * s.control[0]).abs() < 1e-12);
        let terms = [0.5 * (x1.q[0] - 1.0).powi(2), 0.5 * x1.v[0].powi(2), 0.5 * s.control[0].powi(2)];
        terms.iter().zip(&s.terms).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
        assert!((s.cost - (terms[0] + 0.1 * terms[1] + 0.01 * terms[2])).abs() < 1e-12);
    }
    let stages: Vec<usize> = r.phases.iter().map(|p| p.1.stage).collect();
    assert_eq!(stages, [0, 1]);
    assert_eq!(r.phases[1].0, r.time);
    assert!(serde_json::to_string(&r).unwrap().contains("\"Success\""));
    // Out of steps it still runs.
    let r = reach(0, EpisodeOptions { steps: 3, ..EpisodeOptions::default() }, 48);
    assert_eq!((r.outcome, r.steps.len()), (Outcome::Running, 3));
}

#[test]
fn property_plans_start_from_the_estimate() {
    // An estimate with a constant error of the position ends that far from the target.
    let (mut p, mut model, mut plant) = (planner(), PointBatch::new(48), PointBatch::new(1));
    let weights = TermWeights::new(&Reach);
    let mut off = |x: &State, out: &mut State| {
        out.copy_from(x);
        out.q[0] += 0.3;
    };
    let mut episode = Episode::new(&mut p, &mut model, &mut plant, &Reach, &weights);
    episode.estimate = Some(&mut off);
    let r = episode
        .run(0, &EpisodeOptions { keep_states: true, steps: 90, ..EpisodeOptions::default() })
        .unwrap();
    let end = r.states.last().unwrap().q[0];
    assert!((end - 0.7).abs() < 0.1, "{end}");
}

/// Allows no change of the control of more than 0.2 from knot to knot, the last control before the plan included; counts.
struct Slow {
    last: f64,
    begun: u32,
}

impl SampleProjection for Slow {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        assert_eq!(at.seen.values.len(), 2);
        self.last = at.past[0][0];
        self.begun += 1;
        Ok(())
    }
    fn project(&mut self, s: &mut Samples<'_>) -> Result<(), PlanError> {
        for sample in s.values.chunks_exact_mut(s.knots) {
            sample.iter_mut().fold(self.last, |last, u| {
                *u = u.clamp(last - 0.2, last + 0.2);
                *u
            });
        }
        Ok(())
    }
}

#[test]
fn property_projected_samples_drive_within_their_bounds() {
    let o = MppiOptions {
        knots: 15,
        sigma: vec![0.5],
        samples: 48,
        ..MppiOptions::new(15, 0.1, vec![[-3.0, 3.0]])
    };
    let (mut p, mut model, mut plant) = (Mppi::new(o).unwrap(), PointBatch::new(48), PointBatch::new(1));
    let (weights, mut slow) = (TermWeights::new(&Reach), Slow { last: 0.0, begun: 0 });
    let mut episode = Episode::new(&mut p, &mut model, &mut plant, &Reach, &weights);
    episode.projection = Some(&mut slow);
    let r = episode.run(0, &EpisodeOptions { steps: 60, ..EpisodeOptions::default() }).unwrap();
    let moved = r
        .steps
        .iter()
        .fold((0.0f64, 0.0f64), |(last, most), s| (s.control[0], most.max((s.control[0] - last).abs())));
    // Means of samples that keep bounds keep them, to round-off.
    assert!(moved.1 <= 0.2 + 1e-12 && moved.1 > 0.1, "{moved:?}");
    assert_eq!(slow.begun as usize, r.plans.len());
}

#[test]
fn property_bounded_motion_holds_from_plan_to_plan() {
    // Controls taken as velocities of a joint: their differences keep the bounds on acceleration and jerk over the whole episode.
    let (dt, h) = (0.1, 15);
    let bounds = JointBounds {
        position: [f64::NEG_INFINITY, f64::INFINITY],
        velocity: 1.0,
        acceleration: 2.0,
        jerk: 8.0,
    };
    let o =
        MppiOptions { knots: h, sigma: vec![1.0], samples: 48, ..MppiOptions::new(h, dt, vec![[-3.0, 3.0]]) };
    let (mut p, mut model, mut plant) = (Mppi::new(o).unwrap(), PointBatch::new(48), PointBatch::new(1));
    let projector =
        Projector::new(MotionBounds::uniform(1, bounds).unwrap(), h, dt, ProjectionOptions::default())
            .unwrap();
    let (weights, mut bounded) = (TermWeights::new(&Reach), BoundedMotion::new(projector, vec![0]).unwrap());
    let mut episode = Episode::new(&mut p, &mut model, &mut plant, &Reach, &weights);
    episode.projection = Some(&mut bounded);
    let r = episode.run(0, &EpisodeOptions { steps: 60, ..EpisodeOptions::default() }).unwrap();
    let mut u = vec![0.0; 2];
    u.extend(r.steps.iter().map(|s| s.control[0]));
    let a: Vec<f64> = u.windows(2).map(|w| (w[1] - w[0]) / dt).collect();
    let jerk = a.windows(2).map(|w| ((w[1] - w[0]) / dt).abs()).fold(0.0, f64::max);
    let most = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // The projection's own 1e-9 of velocities, over dt².
    assert!(
        most(&u) <= 1.0 + 1e-9 && most(&a) <= 2.0 + 1e-7 && jerk <= 8.0 + 1e-6,
        "{} {} {jerk}",
        most(&u),
        most(&a)
    );
    assert!(jerk > 4.0, "they are reached: {jerk}");
    assert!(
        BoundedMotion::new(
            Projector::new(MotionBounds::uniform(2, bounds).unwrap(), h, dt, ProjectionOptions::default())
                .unwrap(),
            vec![0]
        )
        .is_err()
    );
}

#[test]
fn property_streamed_poses_move_bodies_in_both_worlds() {
    let scene = scene("cylinder_push");
    let task = CylinderPush::default();
    let mut p = Mppi::new(MppiOptions { samples: 4, ..CylinderPush::planner(0) }).unwrap();
    let (mut model, mut plant) = (batch(&scene, 4, Method::comfree(), 1), batch(&scene, 1, Method::icf(), 1));
    let weights = TermWeights::new(&task);
    let lines = r#"{"t": 0.1, "body": "target", "position": [0.5, 0, 0]}
{"t": 0.3, "body": "target", "position": [0.5, 0.25, 0]}
{"t": 9, "body": "target", "position": [7, 7, 7]}"#;
    let mut poses = PoseLines::new(lines.as_bytes());
    let mut episode = Episode::new(&mut p, &mut model, &mut plant, &task, &weights);
    episode.poses = Some(&mut poses);
    episode.run(0, &EpisodeOptions { steps: 8, ..EpisodeOptions::default() }).unwrap();
    for batch in [&mut model, &mut plant] {
        let mut at = [0.0; 3];
        batch.watch(&[Observation::Position(Frame::Body("target".into()))]).unwrap();
        batch.observe(0, &mut at).unwrap();
        assert_eq!(at, [0.5, 0.25, 0.0]);
    }
    assert!(!task.rule().is_empty());
}

#[test]
fn property_the_gap_is_that_of_one_step() {
    let mut r = reach(0, EpisodeOptions { keep_states: true, ..EpisodeOptions::default() }, 48);
    let n = r.steps.len();
    let measure = |r: &EpisodeRecord, lanes: usize| {
        PredictionGap::measure(r, &mut PointBatch::new(lanes), 0.1, 1).unwrap()
    };
    // Plan model and plant are the same.
    assert_eq!(measure(&r, 4).largest(), [0.0; 2]);
    // A state that is off is missed once, and misleads once; then all is well again.
    r.states[3].q[0] += 0.25;
    r.states[7].v[0] -= 0.5;
    let gap = measure(&r, 4);
    assert_eq!(gap, measure(&r, 1), "whatever the lanes");
    assert_eq!(gap.steps.len(), n);
    for (i, e) in gap.steps.iter().enumerate() {
        let expected = match i {
            2 | 3 => [0.25, 0.0],
            6 => [0.0, 0.5],
            7 => [0.05, 0.5],
            _ => [0.0; 2],
        };
        assert!(
            (e.position - expected[0]).abs() < 1e-12 && (e.velocity - expected[1]).abs() < 1e-12,
            "{i}: {e:?}"
        );
        assert_eq!(e.time, r.steps[i].time);
    }
    let [mean, most] = [gap.mean(), gap.largest()];
    assert!((mean[0] - 0.55 / n as f64).abs() < 1e-12 && (most[1] - 0.5).abs() < 1e-12);
    // A plan model that fails is infinitely far off.
    r.steps[1].control[0] = 2000.0;
    assert_eq!(measure(&r, 48).steps[1].position, f64::INFINITY);
    // So is one that leaves NaN.
    r.steps[1].control[0] = -2000.0;
    assert_eq!(measure(&r, 48).steps[1].position, f64::INFINITY);
    r.steps[1].control.push(0.0);
    let refused = |r: &EpisodeRecord, lanes, substeps| {
        PredictionGap::measure(r, &mut PointBatch::new(lanes), 0.1, substeps).unwrap_err().to_string()
    };
    assert!(refused(&r, 1, 1).contains("control"));
    assert!(refused(&r, 0, 1).contains("lanes") && refused(&r, 1, 0).contains("substeps"));
    r.states.clear();
    assert!(refused(&r, 1, 1).contains("keep_states"));
}

/// Fault of a planner.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    ShortTapes,
    ShortSamples,
    ShortPlans,
    NotANumber,
    OldPlans,
    OtherSteps,
}

/// A planner that is not [`Mppi`]: of so many pairs of controls, one for each half of the horizon, the best.
struct Grid {
    plan: Plan,
    side: usize,
    fault: Fault,
}

impl Grid {
    fn new(side: usize, fault: Fault) -> Self {
        let basis = Basis::new(BasisKind::ZeroOrder, 2, 15).unwrap();
        Self { plan: Plan::constant(basis, 0.1, &[0.0], vec![[-3.0, 3.0]]).unwrap(), side, fault }
    }
}

impl Planner for Grid {
    fn reset(&mut self, time: f64, control: &[f64]) -> Result<(), PlanError> {
        self.plan.start = time;
        self.plan.knots = control.repeat(2);
        Ok(())
    }
    fn plan(
        &mut self,
        now: f64,
        map: Option<&mut SampleMap<'_>>,
        evaluate: &mut Evaluate<'_>,
    ) -> Result<PlanReport, PlanError> {
        if self.fault != Fault::OldPlans {
            self.plan.start = now;
        }
        let count = self.side * self.side;
        let of = |i: usize| -3.0 + 6.0 * i as f64 / (self.side - 1) as f64;
        let mut knots: Vec<[f64; 2]> = (0..count).map(|j| [of(j / self.side), of(j % self.side)]).collect();
        if let Some(map) = map {
            let values = knots.as_flattened_mut();
            let values = if self.fault == Fault::ShortSamples { &mut values[1..] } else { values };
            map(&mut Samples { values, samples: count, knots: 2, channels: 1, start: now })?;
        }
        let mut tape = ControlTape::new(count, 15, 1);
        for (knots, tape) in knots.iter().zip(tape.values.chunks_exact_mut(15)) {
            self.plan.basis().apply(knots, tape);
        }
        if self.fault == Fault::ShortTapes {
            tape.values.pop();
        }
        let mut costs = vec![0.0; count];
        evaluate(&tape, &mut costs)?;
        let best = (0..count).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap();
        self.plan.knots = knots[best].to_vec();
        match self.fault {
            Fault::ShortPlans => self.plan.knots.truncate(1),
            Fault::NotANumber => self.plan.knots[1] = f64::NAN,
            Fault::OtherSteps => self.plan.dt = 0.2,
            _ => {}
        }
        Ok(PlanReport { iterations: 1, best: costs[best], ..PlanReport::default() })
    }
    fn executed(&self) -> &Plan {
        &self.plan
    }
}

/// Halves the samples.
struct Halved;

impl SampleProjection for Halved {
    fn begin(&mut self, _: &ReplanView<'_>) -> Result<(), PlanError> {
        Ok(())
    }
    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        samples.values.iter_mut().for_each(|x| *x *= 0.5);
        Ok(())
    }
}

#[test]
fn property_episodes_take_any_planner() {
    let run = |fault: Fault, timing: Timing, projected: bool| {
        let (mut planner, mut model, mut plant) =
            (Grid::new(61, fault), PointBatch::new(100), PointBatch::new(1));
        let (weights, mut halved) = (TermWeights::new(&Reach), Halved);
        let mut episode = Episode::new(&mut planner, &mut model, &mut plant, &Reach, &weights);
        if projected {
            episode.projection = Some(&mut halved);
        }
        episode.run(0, &EpisodeOptions { timing, ..EpisodeOptions::default() })
    };
    for (timing, projected) in
        [(Timing::LockStep, false), (Timing::Delay(0.15), false), (Timing::Delay(0.15), true)]
    {
        let r = run(Fault::None, timing, projected).unwrap();
        assert_eq!(r.outcome, Outcome::Success, "{timing:?}");
        // Its controls are those of the grid, halved where all samples are, and its reports are kept.
        let grid = if projected { 20.0 } else { 10.0 };
        let on = |u: f64| (grid * u - (grid * u).round()).abs() < 1e-9;
        assert!(r.steps.iter().all(|s| on(s.control[0])), "{:?}", r.steps);
        assert!(r.plans.iter().all(|p| p.report.iterations == 1 && p.report.best.is_finite()));
    }
    for (fault, what) in [
        (Fault::ShortTapes, "numbers of the tape, samples × steps × channels: 55814, but must be 55815"),
        (
            Fault::ShortSamples,
            "the samples, samples × knots × channels, has 7441 entries, but must have 7442",
        ),
        (Fault::ShortPlans, "knots of the plan of the planner has 1 entries, but must have 2"),
        (Fault::NotANumber, "the plan of the planner has a knot that is not finite"),
        (Fault::OldPlans, "begins at 0 s in steps of 0.1 s, but must begin at 0.1 s in steps of 0.1 s"),
        (Fault::OtherSteps, "in steps of 0.2 s, but must begin at 0 s in steps of 0.1 s"),
    ] {
        let error = run(fault, Timing::LockStep, true).err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn property_plans_of_ones_own_are_checked() {
    let basis = || Basis::new(BasisKind::Linear, 3, 10).unwrap();
    let plan = |dt, control: &[f64], bounds: Vec<[f64; 2]>| Plan::constant(basis(), dt, control, bounds);
    let cut = plan(0.1, &[5.0], vec![[-1.0, 2.0]]).unwrap();
    assert_eq!((cut.knots, cut.start), (vec![2.0; 3], 0.0));
    for (made, what) in [
        (plan(0.0, &[0.0], vec![[-1.0, 1.0]]), "dt is 0 s"),
        (plan(0.1, &[0.0, 0.0], vec![[-1.0, 1.0]]), "the control of a plan has 2 entries, but must have 1"),
        (plan(0.1, &[f64::NAN], vec![[-1.0, 1.0]]), "not finite"),
        (plan(0.1, &[0.0], vec![[1.0, -1.0]]), "of channel 0 are 1 to -1"),
    ] {
        let error = made.err().unwrap().to_string();
        assert!(error.contains(what), "{error}");
    }
}
