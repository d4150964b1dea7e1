//! Two arms that carry: plans that do not depend on threads, commands within the published bounds.

use crate::common;

use common::{batch, episode, scene_of, timed_episode};
use signorini_planning::projection::Softened;
use signorini_planning::tasks::by_name;
use signorini_planning::{
    EpisodeOptions, EpisodeRecord, Outcome, PlanError, ReplanView, SampleProjection, Samples, TermWeights,
    Timing,
};
use signorini_run::Method;

#[test]
fn conformance_threads_change_no_bit() {
    for name in [
        "two_arm_ball",
        "two_arm_ball_seven_obstacles",
        "two_arm_ball_wall",
        "two_arm_handover",
        "two_arm_tray",
    ] {
        let [one, two] = [1, 2].map(|threads| episode(name, 3, 8, threads, 4));
        assert_eq!(one.steps.len(), 4);
        assert_eq!(one.steps, two.steps, "{name}");
        assert_eq!(one.phases, two.phases, "{name}");
    }
}

#[test]
fn conformance_commands_keep_to_the_published_bounds() {
    let tasks = [("two_arm_ball", 12), ("two_arm_ball_seven", 14)];
    let timings = [Timing::LockStep, Timing::Delay(0.05), Timing::Delay(0.25)];
    for ((name, joints), timing) in tasks.into_iter().flat_map(|t| timings.map(|d| (t, d))) {
        let r = timed_episode(name, 1, (8, 2), 10, timing);
        check_commands(&r, joints, &format!("{name}, {timing:?}"));
    }
}

/// All commands are within 1 rad/s, 2 rad/s² and 4 rad/s³ in steps of 0.1 s, without bounds that gave way.
fn check_commands(r: &EpisodeRecord, joints: usize, what: &str) {
    assert!(r.plans.iter().all(|p| p.softened.is_empty()), "{what}");
    let u = |k: isize, j: usize| usize::try_from(k).map_or(0.0, |k| r.steps[k].control[j]);
    for k in 0..r.steps.len() as isize {
        for j in 0..joints {
            let [v, w, x] = [u(k, j), u(k - 1, j), u(k - 2, j)];
            let (a, jerk) = ((v - w) / 0.1, (v - 2.0 * w + x) / 0.01);
            // Round-off of the finish, 1e-9 rad/s, over 0.1 s twice.
            assert!(
                v.abs() < 1.0 + 1e-8 && a.abs() < 2.0 + 1e-6 && jerk.abs() < 4.0 + 1e-5,
                "{what}, step {k}, joint {j}: {v}, {a}, {jerk}"
            );
        }
    }
}

/// A projection that every other plan waits for.
struct Slow {
    inner: Box<dyn SampleProjection>,
    plans: u32,
}

impl SampleProjection for Slow {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        self.plans += 1;
        if self.plans.is_multiple_of(2) {
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        self.inner.begin(at)
    }
    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        self.inner.project(samples)
    }
    fn softened(&self) -> &[Softened] {
        self.inner.softened()
    }
}

/// Plans that take longer than was foreseen are used in their middle, after another past than they were made for.
#[test]
fn conformance_late_plans_keep_to_the_published_bounds() {
    for (name, joints) in [("two_arm_ball", 12), ("two_arm_handover", 12)] {
        let mut setup = by_name(name, 1).unwrap();
        setup.planner.samples = 8;
        setup.projection = setup.projection.take().map(|inner| Box::new(Slow { inner, plans: 0 }) as _);
        let scene = scene_of(setup.scene);
        let mut model = batch(&scene, 8, Method::comfree_sweeping(setup.sweeps.unwrap()), 2);
        let mut plant = batch(&scene, 1, Method::icf(), 1);
        let weights = TermWeights::new(&*setup.task);
        let options = EpisodeOptions { steps: 30, timing: Timing::Measured(1.0), ..setup.options() };
        let r = setup.run(&mut model, &mut plant, &weights, None, 1, &options).unwrap();
        let late: Vec<f64> = r.late().collect();
        assert!(late.iter().any(|late| *late > 0.1), "{late:?}");
        check_commands(&r, joints, name);
    }
}

/// A whole task: two arms take a ball between their palms and carry it to its target with 32 samples, and nothing else touches anything on the way (`Task::rule`).
#[test]
fn conformance_a_ball_is_carried_to_its_end() {
    let r = episode("two_arm_ball", 2, 32, 0, 300);
    assert_eq!(r.outcome, Outcome::Success, "at {} s", r.time);
    let stages: Vec<usize> = r.phases.iter().map(|p| p.1.stage).collect();
    assert!([0, 1, 2, 3].iter().all(|s| stages.contains(s)), "{stages:?}");
    let target = &r.phases[0].1.values;
    let ball = &r.states.last().unwrap().q[12..15];
    let off = (0..3).map(|k| (ball[k] - target[k]).powi(2)).sum::<f64>().sqrt();
    assert!(off < 0.04, "{off} m from the target");
}
