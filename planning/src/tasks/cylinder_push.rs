use signorini_core::na::{Isometry3, Vector2};
use signorini_core::{Frame, Observation};

use super::{judge_held, standardised};
use crate::{JointStart, MppiOptions, Outcome, Phase, Scenario, Step, Stream, Task, Term, View};

/// A driven cylinder pushes a free one to a target in the plane (`models/cylinder_push/cylinder_push.xml`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CylinderPush {
    /// The cart is there within this distance of the target \[m\].
    pub near: f64,
    /// So long it must be there \[s\].
    pub hold: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

impl Default for CylinderPush {
    fn default() -> Self {
        Self { near: 0.1, hold: 0.2, limit: 20.0 }
    }
}

const TERMS: [Term; 4] = [
    Term { name: "behind", weight: 0.5 },
    Term { name: "cart", weight: 0.1 },
    Term { name: "speed", weight: 0.0 },
    Term { name: "arrival", weight: 0.0 },
];
/// Places of the observations.
const PUSHER: usize = 0;
const CART: usize = 1;
const PUSHER_SPEED: usize = 2;
/// Place of the pusher that is asked for: so far behind the cart as seen from the target \[m\].
const BEHIND: f64 = 0.25;
/// The second stage.
const THERE: usize = 1;

impl CylinderPush {
    /// A planner for it: horizon 1 s in steps of 0.05 s.
    pub fn planner(seed: u64) -> MppiOptions {
        MppiOptions {
            samples: 32,
            knots: 4,
            sigma: vec![5.0; 2],
            basis: crate::BasisKind::Linear,
            update: standardised(),
            seed,
            ..MppiOptions::new(20, 0.05, vec![[-10.0, 10.0]; 2])
        }
    }

    fn offset(view: &View<'_>, phase: &Phase) -> Vector2<f64> {
        let target = |i: usize| phase.values.get(i).copied().unwrap_or(0.0);
        view.vector(CART).xy() - Vector2::new(target(0), target(1))
    }
}

impl Task for CylinderPush {
    fn name(&self) -> &'static str {
        "cylinder_push"
    }
    fn observations(&self) -> Vec<Observation> {
        vec![
            Observation::Position(Frame::Body("pusher".into())),
            Observation::Position(Frame::Body("cart".into())),
            Observation::Velocity(Frame::Body("pusher".into())),
        ]
    }
    fn targets(&self) -> &'static str {
        "the place of target on the plane"
    }
    fn moved(&self, body: &str, pose: &Isometry3<f64>, phase: &mut Phase) {
        if body == "target" {
            phase.set_values(0, pose.translation.vector.xy().as_slice());
        }
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["pushing", "there"]
    }
    fn rule(&self) -> String {
        let Self { near, hold, limit, .. } = self;
        format!(
            "Success when the cart has been within {near} m of the target for {hold} s without a break, as seen at every control step; over after {limit} s."
        )
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        let offset = Self::offset(&step.after, phase);
        let away = offset.try_normalize(1e-9).unwrap_or_default();
        let wanted = step.after.vector(CART).xy() + BEHIND * away;
        terms[0] += 0.5 * (step.after.vector(PUSHER).xy() - wanted).norm_squared();
        terms[1] += 0.5 * offset.norm_squared();
        terms[2] += 0.5 * step.after.vector(PUSHER_SPEED).norm_squared();
    }
    fn terminal(&self, end: &View<'_>, phase: &Phase, terms: &mut [f64]) {
        terms[3] += 0.5 * Self::offset(end, phase).norm_squared();
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let there = Self::offset(seen, phase).norm() < self.near;
        phase.enter(if there { THERE } else { 0 }, seen.time);
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        judge_held(seen, phase, THERE, [self.hold, self.limit])
    }
    /// The target at the origin, the pusher 1 m and the cart 2 m from it, in any directions, at rest.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let mut joints = Vec::new();
        for (body, radius) in [("pusher", 1.0), ("cart", 2.0)] {
            let turn = random.uniform(0.0, std::f64::consts::TAU);
            for (axis, x) in [("x", turn.cos()), ("y", turn.sin())] {
                joints.push(JointStart {
                    joint: format!("{body}_{axis}"),
                    q: vec![radius * x],
                    v: vec![0.0],
                });
            }
        }
        Scenario {
            joints,
            mocap: vec![("target".into(), Isometry3::identity())],
            phase: Phase { values: vec![0.0; 2], ..Phase::default() },
            control: vec![0.0; 2],
            ..Scenario::default()
        }
    }
}
