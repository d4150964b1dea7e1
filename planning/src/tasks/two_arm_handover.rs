use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_core::{Frame, Observation};

use super::two_arms::{Arms, Palm, SIDES, attitude, clearance, collision, each_with};
use super::{Tolerance, TwoArmCarry, TwoArmGrips, TwoArmMotion, judge_held, smooth, smooth_norm};
use crate::{JointStart, MppiOptions, Outcome, Phase, PlanError, Scenario, Step, Stream, Task, Term, View};

/// One arm takes a cube from the table, hands it to the other among obstacles, and that one brings it to its place (`models/two_arms/cube.xml`).
///
/// Controls are the velocities of the twelve joints and the targets of both grippers, which follow from the stage. The arm that is nearer to the cube gives, the other takes. Stages, which change on true observations alone:
///
/// | stage | giver | taker |
/// |---|---|---|
/// | *reaching* | above the cube, open | waits |
/// | *lowering*, *gripping* | at the cube; closes | waits |
/// | *lifting* | takes it up, hanging | waits |
/// | *passing* | brings the cube to the place where it is passed, tool level | goes to its side of it |
/// | *receiving*, *taking* | holds still | at the cube; closes |
/// | *releasing* | opens and draws back | holds still |
/// | *placing*, *arrived* | keeps away | brings the cube to its target |
///
/// | term | each step adds | in stages |
/// |---|---|---|
/// | `collision` | as of [`TwoArmCarry`] | all |
/// | `rest` | ‖q − q_home‖² \[rad²\] | all |
/// | `giver`, `taker` | distances of the tools from where they are to be \[m\] | where the table names a place |
/// | `attitude` | angles of these tools to the attitudes they are to have \[rad\]; a gripper that is turned round is the same | the same |
/// | `carry` | distance of the cube from where it is passed, or from its target \[m\] | passing, placing on |
/// | `still` | squared velocities of the tools \[m²/s²\] | gripping, receiving to releasing |
/// | `touch` | forces of fingers at the cube over those that hold, at most 5 each | of a gripper that is to be open |
/// | `effort` | ‖u‖² of the joints \[rad²/s²\]; at the end 50 times the squared speeds of the tools | all |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoArmHandover {
    /// The cube is there within this distance of the target \[m\].
    pub near: f64,
    /// So long it must be there \[s\].
    pub hold: f64,
    /// The cube is lost at this distance from the tool that holds it \[m\].
    pub lost: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

impl Default for TwoArmHandover {
    fn default() -> Self {
        Self { near: 0.02, hold: 0.2, lost: 0.06, limit: 120.0 }
    }
}

const TERMS: [Term; 9] = [
    Term { name: "collision", weight: 20.0 },
    Term { name: "rest", weight: 0.02 },
    Term { name: "giver", weight: 40.0 },
    Term { name: "taker", weight: 40.0 },
    Term { name: "attitude", weight: 12.0 },
    Term { name: "carry", weight: 40.0 },
    Term { name: "still", weight: 5.0 },
    Term { name: "effort", weight: 0.2 },
    Term { name: "touch", weight: 4.0 },
];

/// The arms with grippers.
const ARMS: Arms = Arms { own: &["forearm", "wrist_1", "wrist_2", "hand", "finger", "thumb"], ..Arms::SIX };
/// Number of their joints.
const COUNT: usize = ARMS.count();
/// Places of the observations: the cube, forces of the fingers of both sides, collisions, behind which distances come.
const CUBE: usize = ARMS.observed();
const FORCES: usize = CUBE + 1;
const COLLISION: usize = FORCES + 4;
/// Geoms that they keep clear of.
const CLEAR: [&str; 4] = ["table", "near", "middle", "far"];

/// Place at which the cube is passed \[m\].
const PASS: Vector3<f64> = Vector3::new(-0.25, 0.0, 0.3);
/// Height to which lifting takes it, and that at which it has been lifted \[m\].
const LIFTED: [f64; 2] = [0.2, 0.15];
/// A tool that holds the cube is so far behind its middle \[m\], along the tool; where it waits, so much further.
const BEHIND: f64 = 0.02;
const WAIT: f64 = 0.08;
/// Targets of fingers, open and closed \[m\]: closed, motors press with the remaining error.
const FINGERS: [f64; 2] = [0.045, 0.0];
/// Force of a finger that holds \[N\].
const GRIP: f64 = 4.0;
/// A tool is there: distance \[m\] and attitude \[rad\] on its way, and at the cube.
const ABOUT: [f64; 2] = [0.02, 0.15];
const THERE: [f64; 2] = [0.01, 0.1];
/// Stages.
const LOWERING: usize = 1;
const GRIPPING: usize = 2;
const LIFTING: usize = 3;
const PASSING: usize = 4;
const RECEIVING: usize = 5;
const TAKING: usize = 6;
const RELEASING: usize = 7;
const PLACING: usize = 8;
const ARRIVED: usize = 9;

/// Target of a tool.
struct Place {
    at: Vector3<f64>,
    turn: UnitQuaternion<f64>,
}

/// Tools hang, their fingers along y.
fn hanging() -> UnitQuaternion<f64> {
    attitude([0.0, 1.0, 0.0, 0.0])
}

/// Tools point at the other arm, their fingers along y.
fn level(side: usize) -> UnitQuaternion<f64> {
    let quarter = [1.0, -1.0][side] * std::f64::consts::FRAC_PI_2;
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), quarter) * hanging()
}

/// The arm that gives, 0 or 1, and the target of the cube.
fn giver(phase: &Phase) -> usize {
    usize::from(phase.values.first().is_some_and(|g| *g > 0.5))
}

fn target(phase: &Phase) -> Vector3<f64> {
    Vector3::from_fn(|k, _| phase.values.get(k + 1).copied().unwrap_or(0.0))
}

/// A place so far behind a point along a tool.
fn behind(point: Vector3<f64>, turn: UnitQuaternion<f64>, far: f64) -> Place {
    Place { at: point - turn * Vector3::new(0.0, 0.0, far), turn }
}

impl TwoArmHandover {
    /// A planner for it: ten velocities of 0.1 s for each joint. Samples go through [`TwoArmHandover::motion`].
    pub fn planner(seed: u64) -> MppiOptions {
        let carry = TwoArmCarry::tray().planner(seed);
        let sigma = [&carry.sigma[..], &[1e-6; 2]].concat();
        let bounds = [&carry.bounds[..], &[[FINGERS[1], FINGERS[0]]; 2]].concat();
        MppiOptions { sigma, bounds, ..carry }
    }

    /// Bounded motion with noise for each stage, small where a tool is at the cube.
    ///
    /// # Errors
    /// As [`TwoArmMotion::new`].
    pub fn motion(options: &MppiOptions) -> Result<TwoArmGrips, PlanError> {
        let free = Tolerance { joints: 0.36, middle: 0.14, apart: 0.14, spin: 0.58, turn: 0.0 };
        let near = Tolerance { joints: 0.22, middle: 0.043, apart: 0.043, spin: 0.22, turn: 0.0 };
        let held = Tolerance { joints: 0.29, middle: 0.11, apart: 0.11, spin: 0.29, turn: 0.0 };
        let stages = vec![free, near, near, held, free, near, near, near, free];
        Ok(TwoArmGrips::new(TwoArmMotion::new(ARMS, options, stages)?, Self::grips))
    }

    /// Targets of the fingers of the right and the left gripper \[m\].
    fn grips(phase: &Phase) -> Vec<f64> {
        let from = giver(phase);
        let closed = |side: usize| match side == from {
            true => (GRIPPING..RELEASING).contains(&phase.stage),
            false => phase.stage >= TAKING,
        };
        [0, 1].map(|side| FINGERS[usize::from(closed(side))]).to_vec()
    }

    /// Pairs of geoms that may touch: the cube with grippers and table, and the fingers of a gripper.
    fn may_touch() -> Vec<(String, String)> {
        const GRIPPERS: [&str; 7] =
            ["right_hand", "right_finger", "right_thumb", "left_hand", "left_finger", "left_thumb", "table"];
        let fingers = SIDES.map(|side| (format!("{side}_finger"), format!("{side}_thumb")));
        each_with(&["cube"], &GRIPPERS).chain(fingers).collect()
    }

    /// Pairs of geoms whose distances plans look at.
    fn pairs() -> Vec<(String, String)> {
        let mut out = ARMS.pairs(&CLEAR);
        out.extend(CLEAR[1..].iter().map(|o| ("cube".to_owned(), (*o).to_owned())));
        out
    }

    /// Targets of the giver and the taker in a stage, with the cube where it is.
    fn places(cube: Vector3<f64>, phase: &Phase) -> [Option<Place>; 2] {
        let from = giver(phase);
        let (give, take) = (level(from), level(1 - from));
        let waits = Some(behind(PASS, take, BEHIND + WAIT));
        match phase.stage {
            0 => [Some(behind(cube, hanging(), BEHIND + WAIT)), waits],
            LOWERING | GRIPPING => [Some(behind(cube, hanging(), BEHIND)), waits],
            LIFTING => {
                let up = Vector3::new(cube.x, cube.y, LIFTED[0]);
                [Some(behind(up, hanging(), BEHIND)), waits]
            }
            PASSING => [Some(behind(PASS, give, BEHIND)), waits],
            RECEIVING | TAKING => [Some(behind(PASS, give, BEHIND)), Some(behind(cube, take, BEHIND))],
            RELEASING => [Some(behind(PASS, give, BEHIND + WAIT)), Some(behind(PASS, take, BEHIND))],
            _ => [Some(behind(PASS, give, BEHIND + WAIT)), Some(behind(target(phase), take, BEHIND))],
        }
    }

    /// Distance \[m\] and angle \[rad\] of a tool from a place.
    fn off(tool: &Palm, place: &Place) -> (Vector3<f64>, f64) {
        let round = place.turn * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
        let turn = &tool.pose.rotation;
        (tool.pose.translation.vector - place.at, turn.angle_to(&place.turn).min(turn.angle_to(&round)))
    }

    /// Whether both fingers of a side press, and whether neither does.
    fn pressed(seen: &View<'_>, side: usize) -> [bool; 2] {
        let forces = [0, 1].map(|f| seen.scalar(FORCES + 2 * side + f));
        [forces.iter().all(|f| *f > GRIP), forces.iter().all(|f| *f == 0.0)]
    }
}

impl Task for TwoArmHandover {
    fn name(&self) -> &'static str {
        "two_arm_handover"
    }
    fn observations(&self) -> Vec<Observation> {
        let mut out = ARMS.observations();
        out.push(Observation::Position(Frame::Body("cube".into())));
        for side in SIDES {
            let force = |f| Observation::ContactForce(format!("{side}_{f}"), "cube".into());
            out.extend(["finger", "thumb"].map(force));
        }
        out.push(Observation::Collision(Self::may_touch()));
        out.extend(Self::pairs().into_iter().map(|(a, b)| Observation::Distance(a, b)));
        out
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &[
            "reaching",
            "lowering",
            "gripping",
            "lifting",
            "passing",
            "receiving",
            "taking",
            "releasing",
            "placing",
            "arrived",
        ]
    }
    fn rule(&self) -> String {
        let Self { near, hold, lost, limit, .. } = self;
        format!(
            "Success when the cube has been within {near} m of its target for {hold} s without a break, as seen at every control step, in the gripper of the arm that took it and out of the other. Lost when anything presses on anything else in any step of the plant, but the cube on grippers and table and a finger on its thumb, or when the cube is further than {lost} m from the tool that holds it. Over after {limit} s."
        )
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        let seen = &step.after;
        terms[0] += clearance(step, COLLISION);
        terms[1] += ARMS.unrest(seen);
        terms[7] += step.control[..COUNT].iter().map(|u| u * u).sum::<f64>();
        let (tools, from, cube) = (ARMS.palms(seen), giver(phase), seen.vector(CUBE));
        for (role, place) in Self::places(cube, phase).iter().enumerate() {
            let Some(place) = place else { continue };
            let (off, turn) = Self::off(&tools[if role == 0 { from } else { 1 - from }], place);
            terms[2 + role] += smooth_norm(off, 0.01);
            terms[4] += smooth(turn, 0.05);
        }
        // Closed fingers are told less than open ones.
        let open =
            (0..4).filter(|f| phase.stage != RELEASING && step.control[COUNT + f / 2] > 0.5 * FINGERS[0]);
        terms[8] += open.map(|f| (seen.scalar(FORCES + f) / GRIP).min(5.0)).sum::<f64>();
        match phase.stage {
            PASSING => terms[5] += smooth_norm(cube - PASS, 0.01),
            PLACING.. => terms[5] += smooth_norm(cube - target(phase), 0.01),
            GRIPPING | RECEIVING..=RELEASING => {
                terms[6] += tools.iter().map(|t| t.velocity.norm_squared()).sum::<f64>();
            }
            _ => {}
        }
    }
    /// At rest.
    fn terminal(&self, end: &View<'_>, _: &Phase, terms: &mut [f64]) {
        terms[7] += 50.0 * ARMS.palms(end).iter().map(|t| t.velocity.norm_squared()).sum::<f64>();
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let (tools, from, cube) = (ARMS.palms(seen), giver(phase), seen.vector(CUBE));
        let places = Self::places(cube, phase);
        let there = |role: usize, [near, turn]: [f64; 2]| {
            let tool = &tools[if role == 0 { from } else { 1 - from }];
            places[role].as_ref().is_none_or(|p| {
                let (off, turned) = Self::off(tool, p);
                off.norm() < near && turned < turn
            })
        };
        let next = match phase.stage {
            0 => there(0, THERE),
            LOWERING => there(0, THERE),
            GRIPPING => Self::pressed(seen, from)[0],
            LIFTING => cube.z > LIFTED[1],
            PASSING => {
                (cube - PASS).norm() < ABOUT[0] && there(0, [f64::INFINITY, ABOUT[1]]) && there(1, ABOUT)
            }
            RECEIVING => there(1, THERE),
            TAKING => Self::pressed(seen, 1 - from)[0],
            RELEASING => Self::pressed(seen, from)[1] && there(0, [2.0 * ABOUT[0], f64::INFINITY]),
            PLACING => (cube - target(phase)).norm() < self.near,
            _ if (cube - target(phase)).norm() >= self.near => return phase.enter(PLACING, seen.time),
            _ => false,
        };
        if next {
            phase.enter(phase.stage + 1, seen.time);
        }
    }
    fn targets(&self) -> &'static str {
        "the place of target"
    }
    fn moved(&self, body: &str, pose: &Isometry3<f64>, phase: &mut Phase) {
        if body == "target" {
            phase.set_values(1, pose.translation.vector.as_slice());
        }
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        if let Some(what) = collision(seen, COLLISION) {
            return what;
        }
        let from = giver(phase);
        let holds = match phase.stage {
            LIFTING..RELEASING => Some(from),
            RELEASING.. => Some(1 - from),
            _ => None,
        };
        if let Some(side) = holds {
            let tool = ARMS.palms(seen)[side].pose.translation.vector;
            if (tool - seen.vector(CUBE)).norm() > self.lost {
                return Outcome::Failure(format!("the {} arm lost the cube", SIDES[side]));
            }
        }
        match judge_held(seen, phase, ARRIVED, [self.hold, self.limit]) {
            // The cube lies where it is to be, but not in the gripper that took it alone.
            Outcome::Success if !(Self::pressed(seen, 1 - from)[0] && Self::pressed(seen, from)[1]) => {
                Outcome::Running
            }
            outcome => outcome,
        }
    }
    /// Arms at rest; cube and target anywhere in their ranges.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let (x, y) = (-0.25 + random.uniform(-0.2, 0.2), 0.2 + random.uniform(-0.1, 0.1));
        let target = Vector3::new(-0.25 + random.uniform(-0.1, 0.1), -0.35 + random.uniform(-0.1, 0.1), 0.2);
        let from = if x > -0.25 { 0.0 } else { 1.0 };
        Scenario {
            keyframe: Some("home".into()),
            joints: vec![JointStart {
                joint: "cube".into(),
                q: vec![x, y, 0.03, 1.0, 0.0, 0.0, 0.0],
                v: vec![0.0; 6],
            }],
            mocap: vec![("target".into(), Isometry3::from_parts(target.into(), UnitQuaternion::identity()))],
            phase: Phase { values: vec![from, target.x, target.y, target.z], ..Phase::default() },
            control: [&[0.0; COUNT][..], &[FINGERS[0]; 2]].concat(),
        }
    }
}
