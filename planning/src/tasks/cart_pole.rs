use signorini_core::Observation;
use signorini_core::na::Vector1;

use super::{judge_held, smooth_norm, standardised};
use crate::{JointStart, MppiOptions, Outcome, Phase, Scenario, Step, Stream, Task, Term, View};

/// Swinging a pole up and holding it: a cart on a rail, a free pole, one motor (`models/cart_pole/cart_pole.xml`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CartPole {
    /// The pole counts as up below this angle \[rad\], the cart as in the middle below this distance \[m\], both as slow below this speed \[rad/s, m/s\].
    pub near: [f64; 3],
    /// So long it must be held \[s\].
    pub hold: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

impl Default for CartPole {
    fn default() -> Self {
        Self { near: [0.2, 0.3, 0.5], hold: 1.0, limit: 15.0 }
    }
}

const TERMS: [Term; 4] = [
    Term { name: "upright", weight: 10.0 },
    Term { name: "centred", weight: 10.0 },
    Term { name: "speed", weight: 0.1 },
    Term { name: "control", weight: 0.1 },
];
/// Places of the observations.
const CART: usize = 0;
const POLE: usize = 1;
const CART_SPEED: usize = 2;
const POLE_SPEED: usize = 3;
/// The second stage.
const HOLDING: usize = 1;

impl CartPole {
    /// A planner for it that swings up from anywhere: horizon 1 s in steps of 0.02 s.
    pub fn planner(seed: u64) -> MppiOptions {
        MppiOptions {
            samples: 32,
            knots: 5,
            sigma: vec![0.5],
            basis: crate::BasisKind::Linear,
            update: standardised(),
            seed,
            ..MppiOptions::new(50, 0.02, vec![[-1.0, 1.0]])
        }
    }

    fn is_near(&self, seen: &View<'_>) -> bool {
        let [angle, distance, speed] = self.near;
        let turn = seen.scalar(POLE);
        turn.sin().atan2(turn.cos()).abs() < angle
            && seen.scalar(CART).abs() < distance
            && seen.scalar(CART_SPEED).abs() < speed
            && seen.scalar(POLE_SPEED).abs() < speed
    }
}

impl Task for CartPole {
    fn name(&self) -> &'static str {
        "cart_pole"
    }
    fn observations(&self) -> Vec<Observation> {
        vec![
            Observation::JointPosition("slider".into()),
            Observation::JointPosition("hinge".into()),
            Observation::JointVelocity("slider".into()),
            Observation::JointVelocity("hinge".into()),
        ]
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["swinging", "holding"]
    }
    fn rule(&self) -> String {
        let ([angle, distance, speed], hold, limit) = (self.near, self.hold, self.limit);
        format!(
            "Success when the pole has been within {angle} rad of upright, the cart within {distance} m of the middle, and both slower than {speed} rad/s and m/s, for {hold} s without a break, as seen at every control step; over after {limit} s."
        )
    }
    fn running(&self, step: &Step<'_>, _: &Phase, terms: &mut [f64]) {
        let x = &step.after;
        terms[0] += smooth_norm(Vector1::new(x.scalar(POLE).cos() - 1.0), 0.01);
        terms[1] += smooth_norm(Vector1::new(x.scalar(CART)), 0.1);
        terms[2] += 0.5 * (x.scalar(CART_SPEED).powi(2) + x.scalar(POLE_SPEED).powi(2));
        terms[3] += 0.5 * step.control.iter().map(|u| u * u).sum::<f64>();
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        phase.enter(if self.is_near(seen) { HOLDING } else { 0 }, seen.time);
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        judge_held(seen, phase, HOLDING, [self.hold, self.limit])
    }
    /// Hanging within 0.5 rad, the cart within 0.5 m of the middle, at rest.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let mut joint = |joint: &str, middle: f64| JointStart {
            joint: joint.into(),
            q: vec![middle + random.uniform(-0.5, 0.5)],
            v: vec![0.0],
        };
        let joints = vec![joint("slider", 0.0), joint("hinge", std::f64::consts::PI)];
        Scenario { joints, control: vec![0.0], ..Scenario::default() }
    }
}
