use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{Frame, Observation};

use super::two_arms::{self, HOME, OBSERVED, Palm, SIDES, attitude, palms};
use super::{Tolerance, TwoArmMotion, judge_held, smooth_norm};
use crate::{
    JointStart, MppiOptions, Outcome, Phase, PlanError, Scenario, Step, Stream, Task, Temperature, Term,
    Update, View,
};

/// Two arms lift a ball between their palms and carry it to a target (`models/two_arms/ball.xml`), over a wall or without one.
///
/// Controls are the velocities of the twelve joints, which servos with limited torques follow; what holds the ball is contact alone. The palms come from the sides and a little from beneath, as published: they face 30° up, so
/// that of a normal force N on each of them N lifts the ball, and friction of N tan 30° at most keeps it from slipping out upwards.
///
/// Stages: *reaching* brings the palms to open places beside the ball, *squeezing* closes them until both press, *carrying* takes the ball to its target, where it has *arrived*. A squeeze that goes awry is opened
/// again, and a ball that both palms have lost is reached for again. They change on what is truly seen alone.
///
/// | term | each step adds | in stages |
/// |---|---|---|
/// | `collision` | over pairs nearer than 0.05 m: what the distance shrinks by beyond 30 % and what is missing to 0.01 m, over 0.05 m; 1 per pair that overlaps | all |
/// | `rest` | ‖q − q_home‖² \[rad²\] | all |
/// | `attitude` | angles of the tools to [`TwoArmBall::HOLDING`] \[rad\] | all |
/// | `effort` | ‖u‖² \[rad²/s²\]; at the end 50 times the squared speeds of the palms: plans end at rest | all |
/// | `place` | distances of the palms from their places beside the ball \[m\], 0.25 m apart or touching it | all |
/// | `touch` | forces of the palms over 2 N, at most 5 each | reaching |
/// | `closing` | squared relative velocity of the palms \[m²/s²\] | squeezing on |
/// | `grip` | what the force of a palm is short of 2 N or above 6 N, over 2 N | squeezing on |
/// | `slip` | distance of the ball from where the palms hold it \[m\] | squeezing on |
/// | `carry` | distance of the ball from the target \[m\] | carrying on |
///
/// Distances of `place`, `slip` and `carry` are smooth below 0.01 to 0.02 m: √(d² + p²) − p; angles likewise.
///
/// The published cost has `collision`, `rest`, `attitude`, relative velocity, distance of the palms and the way of their middle to the target: the ball is taken to follow the hands. Here `place` and `slip` hold the palms to
/// the ball itself, `grip` uses the forces, `carry` is about the ball, and squeezing is a stage of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoArmBall {
    /// The wall stands between ball and target; otherwise it lies below the table.
    pub wall: bool,
    /// The ball is there within this distance of the target \[m\].
    pub near: f64,
    /// So long it must be there \[s\].
    pub hold: f64,
    /// The ball is lost at this distance from the middle of the palms \[m\].
    pub lost: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

impl Default for TwoArmBall {
    fn default() -> Self {
        Self { wall: false, near: 0.04, hold: 0.2, lost: 0.2, limit: 60.0 }
    }
}

const TERMS: [Term; 10] = [
    Term { name: "collision", weight: 20.0 },
    Term { name: "rest", weight: 0.02 },
    Term { name: "place", weight: 40.0 },
    Term { name: "attitude", weight: 16.0 },
    Term { name: "closing", weight: 2.0 },
    Term { name: "grip", weight: 5.0 },
    Term { name: "slip", weight: 30.0 },
    Term { name: "carry", weight: 20.0 },
    Term { name: "effort", weight: 0.2 },
    Term { name: "touch", weight: 4.0 },
];

/// Places of the observations: ball, forces of the palms, distances.
const BALL: usize = OBSERVED;
const FORCES: usize = BALL + 1;
const GAPS: usize = FORCES + 2;
/// Geoms that keep clear of each other, but for those of the same side.
const OWN: [&str; 4] = ["forearm", "wrist_1", "wrist_2", "palm"];

/// The palms meet the ball so far below its middle \[m\]: r sin 30°.
const BELOW: f64 = 0.055;
/// Distance of the palms before they close, and where they meet the ball, 2 r cos 30° \[m\].
const OPEN: f64 = 0.25;
const TOUCHING: f64 = 0.19;
/// Forces of a palm \[N\] that hold.
const GRIP: [f64; 2] = [2.0, 6.0];
/// Part by which distances may shrink in a step.
const SHRINK: f64 = 0.3;
/// Distances that are larger than the first do not count, smaller than the second \[m\] always.
const CLEAR: f64 = 0.05;
const MARGIN: f64 = 0.01;
/// When the palms are there: distance \[m\] and attitude \[rad\].
const THERE: [f64; 2] = [0.02, 0.15];
/// A ball is carried where the palms press it no further than this from their places across the line between them \[m\] and from their attitudes \[rad\]; squeezing begins anew at twice as much.
const ALIGNED: [f64; 2] = [0.025, 0.2];
/// At this distance from the middle of the palms a ball that they do not touch is reached for again \[m\].
const DROPPED: f64 = 0.06;
/// Stages.
const SQUEEZING: usize = 1;
const CARRYING: usize = 2;
const ARRIVED: usize = 3;

impl TwoArmBall {
    /// Attitudes of the right and the left tool that hold the ball (w, x, y, z), as published: the palms face each other and 30° up.
    pub const HOLDING: [[f64; 4]; 2] = [[0.183, -0.683, -0.683, 0.183], [0.183, -0.683, 0.683, -0.183]];

    /// A planner for it: ten velocities of 0.1 s for each joint. Samples go through [`TwoArmBall::motion`].
    pub fn planner(seed: u64) -> MppiOptions {
        MppiOptions {
            samples: 64,
            knots: 10,
            sigma: vec![1.0; 12],
            spread: crate::SpreadKind::PerChannel,
            correlation: 0.9,
            update: Update::Information {
                temperature: Temperature::Standardised { temperature: 0.2, share: 0.25 },
                control_cost: false,
            },
            iterations: 2,
            seed,
            ..MppiOptions::new(10, 0.1, vec![[-1.0, 1.0]; 12])
        }
    }

    /// Bounded motion with noise for each stage: reaching, of both palms apart; squeezing, small; carrying, of both palms together.
    ///
    /// # Errors
    /// As [`TwoArmMotion::new`].
    pub fn motion(options: &MppiOptions) -> Result<TwoArmMotion, PlanError> {
        let reaching = Tolerance { joints: 0.5, middle: 0.2, apart: 0.2, spin: 0.8 };
        let squeezing = Tolerance { joints: 0.3, middle: 0.06, apart: 0.06, spin: 0.3 };
        let carrying = Tolerance { joints: 0.3, middle: 0.1, apart: 0.03, spin: 0.15 };
        TwoArmMotion::new(options, vec![reaching, squeezing, carrying])
    }

    /// Pairs of geoms that must not touch.
    fn pairs() -> Vec<(String, String)> {
        let own = |side: &str| OWN.map(|g| format!("{side}_{g}"));
        let [right, left] = [own(SIDES[0]), own(SIDES[1])];
        let mut out = Vec::new();
        for g in right.iter().chain(&left) {
            out.extend(["table", "stand", "wall"].map(|other| (g.clone(), other.to_owned())));
        }
        for a in &right[1..] {
            out.extend(left[1..].iter().map(|b| (a.clone(), b.clone())));
        }
        out.push(("ball".into(), "wall".into()));
        out
    }

    /// How far the middle of the palms is from where it holds the ball \[m\].
    fn missed(seen: &View<'_>, [right, left]: &[Palm; 2]) -> Vector3<f64> {
        let middle = 0.5 * (right.pose.translation.vector + left.pose.translation.vector);
        middle + BELOW * Vector3::z() - seen.vector(BALL)
    }

    /// Distances of the palms from their places beside the ball \[m\], `width` apart.
    fn off(seen: &View<'_>, palms: &[Palm; 2], width: f64) -> [Vector3<f64>; 2] {
        [0, 1].map(|s| {
            let side = if s == 0 { 0.5 } else { -0.5 };
            let place = seen.vector(BALL) + Vector3::new(side * width, 0.0, -BELOW);
            palms[s].pose.translation.vector - place
        })
    }

    fn turned(palms: &[Palm; 2]) -> [f64; 2] {
        [0, 1].map(|s| palms[s].pose.rotation.angle_to(&attitude(Self::HOLDING[s])))
    }

    fn target(phase: &Phase) -> Vector3<f64> {
        Vector3::from_fn(|k, _| phase.values.get(k).copied().unwrap_or(0.0))
    }
}

impl Task for TwoArmBall {
    fn name(&self) -> &'static str {
        if self.wall { "two_arm_ball_wall" } else { "two_arm_ball" }
    }
    fn observations(&self) -> Vec<Observation> {
        let mut out = two_arms::observations();
        out.push(Observation::Position(Frame::Body("ball".into())));
        out.extend(SIDES.map(|side| Observation::ContactForce(format!("{side}_tool"), "ball".into())));
        out.extend(Self::pairs().into_iter().map(|(a, b)| Observation::Distance(a, b)));
        out
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["reaching", "squeezing", "carrying", "arrived"]
    }
    fn rule(&self) -> &'static str {
        "Success when the ball has been within `near` of the target, carried, for `hold` without a break. Lost when an arm touches the table, the stand, the wall or the other arm, the ball touches the wall, or the ball is further than `lost` from the middle of the palms once it is carried. Over after `limit`."
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        let (before, after) = (&step.before, &step.after);
        for i in GAPS..after.layout.len() {
            let (then, now) = (before.scalar(i), after.scalar(i));
            if now < CLEAR {
                let shrinks = ((1.0 - SHRINK) * then.min(CLEAR) - now).max(0.0);
                terms[0] += (shrinks + (MARGIN - now).max(0.0)) / CLEAR + f64::from(u8::from(now < 0.0));
            }
        }
        terms[1] += HOME.iter().enumerate().map(|(j, q)| (after.scalar(j) - q).powi(2)).sum::<f64>();
        terms[8] += step.control.iter().map(|u| u * u).sum::<f64>();
        let palms = palms(after);
        terms[3] += Self::turned(&palms).into_iter().map(|x| x.hypot(0.05) - 0.05).sum::<f64>();
        let [right, left] = &palms;
        let forces = [0, 1].map(|s| after.scalar(FORCES + s));
        match phase.stage {
            0 => {
                for d in Self::off(after, &palms, OPEN) {
                    terms[2] += smooth_norm(d, 0.02);
                }
                terms[9] += forces.iter().map(|f| (f / GRIP[0]).min(5.0)).sum::<f64>();
            }
            _ => {
                for d in Self::off(after, &palms, TOUCHING) {
                    terms[2] += smooth_norm(d, 0.01);
                }
                terms[4] += (right.velocity - left.velocity).norm_squared();
                for f in forces {
                    terms[5] += ((GRIP[0] - f).max(0.0) + (f - GRIP[1]).max(0.0)) / GRIP[0];
                }
                terms[6] += smooth_norm(Self::missed(after, &palms), 0.01);
            }
        }
        if phase.stage >= CARRYING {
            terms[7] += smooth_norm(after.vector(BALL) - Self::target(phase), 0.02);
        }
    }
    /// At rest.
    fn terminal(&self, end: &View<'_>, _: &Phase, terms: &mut [f64]) {
        terms[8] += 50.0 * palms(end).iter().map(|p| p.velocity.norm_squared()).sum::<f64>();
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let palms = palms(seen);
        let [near, turn] = THERE;
        let there = Self::off(seen, &palms, OPEN).iter().all(|d| d.norm() < near)
            && Self::turned(&palms).iter().all(|a| *a < turn);
        let most = |x: f64, y: f64| x.max(y);
        let [off, turned] = [
            Self::off(seen, &palms, TOUCHING).iter().map(|d| d.yz().norm()).fold(0.0, most),
            Self::turned(&palms).into_iter().fold(0.0, most),
        ];
        let held = [0, 1].iter().all(|s| seen.scalar(FORCES + s) > 0.5 * GRIP[0])
            && off < ALIGNED[0]
            && turned < ALIGNED[1];
        let arrived = (seen.vector(BALL) - Self::target(phase)).norm() < self.near;
        let dropped = [0, 1].iter().all(|s| seen.scalar(FORCES + s) == 0.0)
            && Self::missed(seen, &palms).norm() > DROPPED;
        match phase.stage {
            SQUEEZING if off > 2.0 * ALIGNED[0] || turned > 2.0 * ALIGNED[1] => phase.enter(0, seen.time),
            SQUEEZING.. if dropped => phase.enter(0, seen.time),
            0 if there => phase.enter(SQUEEZING, seen.time),
            SQUEEZING if held => phase.enter(CARRYING, seen.time),
            0 | SQUEEZING => {}
            _ => phase.enter(if arrived { ARRIVED } else { CARRYING }, seen.time),
        }
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        let touching = Self::pairs().into_iter().enumerate().find(|(i, _)| seen.scalar(GAPS + i) < 0.0);
        if let Some((_, (a, b))) = touching {
            return Outcome::Failure(format!("collision: {a} touches {b}"));
        }
        if phase.stage >= CARRYING && Self::missed(seen, &palms(seen)).norm() > self.lost {
            return Outcome::Failure("the ball is lost".into());
        }
        judge_held(seen, phase, ARRIVED, [self.hold, self.limit])
    }
    /// Arms at rest; the target 0.3 m up, by up to 0.05 m elsewhere, beyond the wall if there is one.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let (from, to) = if self.wall { (-0.2, 0.2) } else { (0.0, 0.0) };
        let target = Vector3::new(-0.3, to, 0.3).map(|x| x + random.uniform(-0.05, 0.05));
        let wall = Vector3::new(-0.25, 0.0, if self.wall { 0.11 } else { -1.0 });
        let place = |x: Vector3<f64>| Isometry3::translation(x.x, x.y, x.z);
        Scenario {
            keyframe: Some("home".into()),
            joints: vec![JointStart {
                joint: "ball".into(),
                q: vec![-0.3, from, 0.13, 1.0, 0.0, 0.0, 0.0],
                v: vec![0.0; 6],
            }],
            mocap: vec![("wall".into(), place(wall)), ("target".into(), place(target))],
            phase: Phase { values: target.iter().copied().collect(), ..Phase::default() },
            control: vec![0.0; 12],
        }
    }
}
