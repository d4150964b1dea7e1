use signorini_core::na::{Isometry3, Translation3, UnitQuaternion};
use signorini_core::{Frame, Observation};

use crate::{
    Annealing, BasisKind, JointStart, KnotSchedule, Motion, MppiOptions, Outcome, Phase, PlanError, Scenario,
    Schedule, SpreadKind, Step, Task, Temperature, Term, Update, View,
};

/// Joints of the humanoid of `models/g1`, in the order of its servos.
const G1: [&str; 29] = [
    "left_hip_pitch_joint",
    "left_hip_roll_joint",
    "left_hip_yaw_joint",
    "left_knee_joint",
    "left_ankle_pitch_joint",
    "left_ankle_roll_joint",
    "right_hip_pitch_joint",
    "right_hip_roll_joint",
    "right_hip_yaw_joint",
    "right_knee_joint",
    "right_ankle_pitch_joint",
    "right_ankle_roll_joint",
    "waist_yaw_joint",
    "waist_roll_joint",
    "waist_pitch_joint",
    "left_shoulder_pitch_joint",
    "left_shoulder_roll_joint",
    "left_shoulder_yaw_joint",
    "left_elbow_joint",
    "left_wrist_roll_joint",
    "left_wrist_pitch_joint",
    "left_wrist_yaw_joint",
    "right_shoulder_pitch_joint",
    "right_shoulder_roll_joint",
    "right_shoulder_yaw_joint",
    "right_elbow_joint",
    "right_wrist_roll_joint",
    "right_wrist_pitch_joint",
    "right_wrist_yaw_joint",
];

/// A humanoid follows a motion: position servos get the angles of the motion, plans are offsets to them.
///
/// | term | is |
/// |---|---|
/// | `place` | distance of the pelvis from its place in the motion \[m\] |
/// | `turn` | angle between the pelvis and its attitude in the motion \[rad\] |
/// | `joints` | norm of all differences of angles \[rad\] |
/// | `offset` | sum of squares of the offsets \[rad²\] |
/// | `object_place`, `object_turn` | the same of the object |
#[derive(Clone, Debug, PartialEq)]
pub struct Follow {
    name: &'static str,
    motion: Motion,
    /// Columns of the motion in the order of the servos.
    columns: Vec<usize>,
    /// Further away than this the pelvis is lost \[m, rad\].
    pub lost: [f64; 2],
    /// The object likewise \[m\].
    pub object_lost: f64,
    /// At the end the object is within this distance of its place \[m\].
    pub object_near: f64,
}

const TERMS: [Term; 6] = [
    Term { name: "place", weight: 3.0 },
    Term { name: "turn", weight: 1.0 },
    Term { name: "joints", weight: 1.0 },
    Term { name: "offset", weight: 0.3 },
    Term { name: "object_place", weight: 3.0 },
    Term { name: "object_turn", weight: 1.0 },
];
/// Places of the observations.
const PELVIS: usize = 0;
const ANGLES: usize = 2;
const OBJECT: usize = ANGLES + G1.len();
/// Control steps are so long \[s\]; knots are three of them apart.
const STEP: f64 = 1.0 / 30.0;
const STEPS: usize = 25;
const KNOTS: usize = 9;

impl Follow {
    /// The humanoid of `models/g1`.
    ///
    /// # Errors
    /// [`PlanError::Unknown`]: joints that it does not have, or that the motion lacks.
    pub fn g1(name: &'static str, motion: Motion) -> Result<Self, PlanError> {
        if let Some(j) = motion.joints().iter().find(|j| !G1.contains(&j.as_str())) {
            return Err(PlanError::unknown("models/g1", "joint", j, G1.into_iter()));
        }
        let column = |j: &&str| {
            motion.joints().iter().position(|n| n == j).ok_or_else(|| {
                PlanError::unknown("the motion", "column", j, motion.joints().iter().map(String::as_str))
            })
        };
        let columns = G1.iter().map(column).collect::<Result<_, _>>()?;
        Ok(Self { name, motion, columns, lost: [0.5, 1.0], object_lost: 0.3, object_near: 0.05 })
    }

    /// A planner for it: horizon 0.8 s in steps of 1/30 s, noise that shrinks from iteration to iteration.
    pub fn planner(&self, seed: u64) -> MppiOptions {
        let count = G1.len();
        MppiOptions {
            samples: 64,
            basis: BasisKind::Linear,
            knots: KNOTS,
            sigma: vec![0.1; count],
            schedule: Schedule {
                knots: KnotSchedule::Logarithmic(0.5, 1.0),
                annealing: Annealing::ToFinal(0.1),
            },
            update: Update::Information {
                temperature: Temperature::Standardised { temperature: 0.2, share: 1.0 },
                control_cost: false,
            },
            spread: SpreadKind::PerChannel,
            correlation: 0.8,
            iterations: 4,
            first_iterations: 8,
            seed,
            ..MppiOptions::new(STEPS, STEP, vec![[-1.0, 1.0]; count])
        }
    }

    /// Angles in the order of the servos.
    fn angles(&self, time: f64) -> impl Iterator<Item = f64> {
        let angle = self.motion.angle_of(time);
        self.columns.iter().map(move |c| angle(*c))
    }

    /// Time in the motion.
    fn at(&self, time: f64) -> f64 {
        self.motion.span()[0] + time
    }

    /// Distance \[m\] and angle \[rad\] of the observed pose, observations `i` and `i + 1`, from a pose.
    fn off(seen: &View<'_>, i: usize, pose: &Isometry3<f64>) -> [f64; 2] {
        let place = (seen.vector(i) - pose.translation.vector).norm();
        [place, seen.rotation(i + 1).angle_to(&pose.rotation)]
    }
}

impl Task for Follow {
    fn name(&self) -> &'static str {
        self.name
    }
    fn observations(&self) -> Vec<Observation> {
        let pose = |body: &str| {
            let frame = || Frame::Body(body.to_owned());
            [Observation::Position(frame()), Observation::Rotation(frame())]
        };
        let joints = G1.iter().map(|j| Observation::JointPosition((*j).to_owned()));
        let object = if self.motion.has_object() { pose("box").to_vec() } else { Vec::new() };
        pose("pelvis").into_iter().chain(joints).chain(object).collect()
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS[..if self.motion.has_object() { 6 } else { 4 }]
    }
    fn stages(&self) -> &'static [&'static str] {
        &["following"]
    }
    fn nominal(&self, time: f64, control: &mut [f64]) {
        // Where joints are to be at the end of the step.
        control.iter_mut().zip(self.angles(self.at(time) + STEP)).for_each(|(u, q)| *u = q);
    }
    fn rule(&self) -> String {
        let ([place, turn], [from, to]) = (self.lost, self.motion.span());
        let (mut done, mut lost) = (String::new(), String::new());
        if self.motion.has_object() {
            done = format!(", with the object within {} m of its place there", self.object_near);
            lost = format!(", or the object further than {} m from its place", self.object_lost);
        }
        format!(
            "Success at the end of the motion, after {:.2} s{done}. Lost when the pelvis is further than {place} m from its place or {turn} rad from its attitude in the motion{lost}.",
            to - from
        )
    }
    fn running(&self, step: &Step<'_>, _: &Phase, terms: &mut [f64]) {
        let seen = &step.after;
        let time = self.at(seen.time);
        let [place, turn] = Self::off(seen, PELVIS, &self.motion.root_at(time));
        terms[0] += place;
        terms[1] += turn;
        let angles = self.angles(time).enumerate();
        terms[2] += angles.map(|(j, q)| (seen.scalar(ANGLES + j) - q).powi(2)).sum::<f64>().sqrt();
        let mut nominal = [0.0; G1.len()];
        self.nominal(step.before.time, &mut nominal);
        terms[3] += step.control.iter().zip(nominal).map(|(u, base)| (u - base).powi(2)).sum::<f64>();
        if let Some(pose) = self.motion.object_at(time) {
            let [place, turn] = Self::off(seen, OBJECT, &pose);
            terms[4] += place;
            terms[5] += turn;
        }
    }
    fn judge(&self, seen: &View<'_>, _: &Phase) -> Outcome {
        let time = self.at(seen.time);
        let done = time >= self.motion.span()[1] - super::ROUND_OFF;
        let [place, turn] = Self::off(seen, PELVIS, &self.motion.root_at(time));
        if place > self.lost[0] || turn > self.lost[1] {
            return Outcome::Failure(format!(
                "the pelvis is {place:.2} m and {turn:.2} rad from the motion at {:.2} s",
                seen.time
            ));
        }
        if let Some(pose) = self.motion.object_at(time) {
            let [place, _] = Self::off(seen, OBJECT, &pose);
            if place > if done { self.object_near } else { self.object_lost } {
                return Outcome::Failure(format!("the object is {place:.2} m from the motion"));
            }
        }
        if done { Outcome::Success } else { Outcome::Running }
    }
    /// The first row of the motion, with its velocities; one start for all seeds.
    fn reset(&self, _: u64) -> Scenario {
        let start = self.at(0.0);
        let free = |pose: &Isometry3<f64>| {
            let (p, q): (&Translation3<f64>, &UnitQuaternion<f64>) = (&pose.translation, &pose.rotation);
            vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k]
        };
        let (speed, spin, rates) = self.motion.first_velocities();
        let mut joints = vec![JointStart {
            joint: "root".into(),
            q: free(&self.motion.root_at(start)),
            v: speed.iter().chain(spin.iter()).copied().collect(),
        }];
        for ((j, q), c) in G1.iter().zip(self.angles(start)).zip(&self.columns) {
            joints.push(JointStart { joint: (*j).into(), q: vec![q], v: vec![rates[*c]] });
        }
        if let Some(pose) = self.motion.object_at(start) {
            joints.push(JointStart { joint: "box".into(), q: free(&pose), v: vec![0.0; 6] });
        }
        Scenario { joints, control: vec![0.0; G1.len()], ..Scenario::default() }
    }
}
