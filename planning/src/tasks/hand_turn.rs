use std::f64::consts::FRAC_PI_2;

use signorini_core::na::{Isometry3, Translation3, UnitQuaternion, UnitVector3, Vector3};
use signorini_core::{Frame, Observation};

use super::{judge_held, smooth_norm};
use crate::{
    BasisKind, JointStart, Measurement, MppiOptions, Outcome, Phase, Scenario, Step, Stream, Task,
    Temperature, Term, Update, View,
};

/// A hand of four fingers turns an object that lies on it by a quarter, about the vertical or about a level axis (`models/leap_hand`), and keeps it where it lay.
///
/// Controls are the targets of the sixteen joints \[rad\], which motors with limited torques follow. With q the attitude of the object, q* the one it is to have, p and p* where it is and is to be, x_k the finger tips and θ the joints:
///
/// | term | each step adds |
/// |---|---|
/// | `attitude` | 1 − (q · q*)² |
/// | `place` | \|p − p*\|, smooth below 0.01 m |
/// | `tips` | Σ \|x_k − p\|² |
/// | `posture` | \|θ − θ_home\|² |
/// | `fallen` | 1 where the object is lower than [`HandTurn::lost`] below its place |
/// | `arrival`, `arrived_place` | at the end, 1 − (q · q*)² and \|p − p*\|² |
/// | `spin` | at the end, squared angular velocity of the object |
///
/// Source: borse2026comfree eq. 15, whose weights are not published; `spin` is ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandTurn {
    /// Name of the task.
    pub name: &'static str,
    /// The object in the hand.
    pub object: InHand,
    /// The axis of the turn.
    pub about: Turn,
    /// The object is there within this distance of its place \[m\].
    pub near: f64,
    /// Largest 1 − (q · q*)² at which it is turned: 0.04 is 23°.
    pub turned: f64,
    /// So long it must be there \[s\].
    pub hold: f64,
    /// Distance from its place at which it is lost \[m\].
    pub lost: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

/// The axis of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The vertical.
    Yaw,
    /// One along or across the hand.
    Tilt,
}

/// An object on the hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InHand {
    /// Body of the object, which is the name of its joint, too.
    pub body: &'static str,
    /// Scene of the object, in the folder `models` of the project.
    pub scene: &'static str,
    /// Pose at rest (x, y, z \[m\], w, x, y, z).
    pub start: [f64; 7],
}

impl InHand {
    /// A cube of 0.07 m and 0.108 kg.
    pub const CUBE: Self = Self {
        body: "cube",
        scene: "leap_hand/cube.xml",
        start: [0.0086, 0.0307, 0.2798, 0.9996, 0.0047, 0.0275, 0.0094],
    };
    /// A cylinder, as wide as high, of 0.07 m and 0.1 kg.
    pub const CYLINDER: Self = Self {
        body: "cylinder",
        scene: "leap_hand/cylinder.xml",
        start: [0.0105, 0.0212, 0.2787, 0.9965, 0.0734, 0.0402, 0.0057],
    };
    /// A tin of 0.084, 0.052 and 0.072 m and 0.12 kg.
    pub const TIN: Self = Self {
        body: "tin",
        scene: "leap_hand/tin.xml",
        start: [0.0072, 0.0307, 0.2861, 1.0, 0.0001, 0.0019, 0.0],
    };
    /// A toy duck of 0.07 kg, which is not convex.
    pub const TOY: Self = Self {
        body: "toy",
        scene: "leap_hand/toy.xml",
        start: [0.0162, 0.0212, 0.2587, 0.9883, 0.1375, -0.0639, -0.0142],
    };
}

const TERMS: [Term; 8] = [
    Term { name: "attitude", weight: 2.0 },
    Term { name: "place", weight: 20.0 },
    Term { name: "tips", weight: 5.0 },
    Term { name: "posture", weight: 0.02 },
    Term { name: "fallen", weight: 10.0 },
    Term { name: "arrival", weight: 20.0 },
    Term { name: "arrived_place", weight: 500.0 },
    Term { name: "spin", weight: 0.01 },
];

const FINGERS: [&str; 4] = ["index", "middle", "ring", "thumb"];
const JOINTS: [[&str; 4]; 2] = [["mcp", "rot", "pip", "dip"], ["cmc", "axl", "mcp", "ipl"]];
/// Angles at rest \[rad\], and the ranges of the joints.
const HOME: [f64; 16] = [0.8, 0.0, 0.8, 0.8, 0.8, 0.0, 0.8, 0.8, 0.8, 0.0, 0.8, 0.8, 0.8, 0.8, 0.8, 0.0];
const FINGER: [[f64; 2]; 4] = [[-0.314, 2.23], [-1.047, 1.047], [-0.506, 1.885], [-0.366, 2.042]];
const THUMB: [[f64; 2]; 4] = [[-0.349, 2.094], [-0.349, 2.094], [-0.47, 2.443], [-1.34, 1.88]];
/// Places of the observations.
const PLACE: usize = 0;
const ATTITUDE: usize = 1;
const SPIN: usize = 2;
const TIPS: usize = 3;
const ANGLES: usize = TIPS + 4;
/// The second stage.
const THERE: usize = 1;

impl HandTurn {
    /// Task of an object, about an axis.
    pub const fn new(name: &'static str, object: InHand, about: Turn) -> Self {
        Self { name, object, about, near: 0.02, turned: 0.04, hold: 0.2, lost: 0.06, limit: 20.0 }
    }

    /// All of them by name.
    pub const ALL: [Self; 8] = [
        Self::new("hand_cube_yaw", InHand::CUBE, Turn::Yaw),
        Self::new("hand_cube_tilt", InHand::CUBE, Turn::Tilt),
        Self::new("hand_cylinder_yaw", InHand::CYLINDER, Turn::Yaw),
        Self::new("hand_cylinder_tilt", InHand::CYLINDER, Turn::Tilt),
        Self::new("hand_tin_yaw", InHand::TIN, Turn::Yaw),
        Self::new("hand_tin_tilt", InHand::TIN, Turn::Tilt),
        Self::new("hand_toy_yaw", InHand::TOY, Turn::Yaw),
        Self::new("hand_toy_tilt", InHand::TOY, Turn::Tilt),
    ];

    /// Measurement of the object: 40 ms ago, with 2 mm and 1°.
    pub const fn measurement(&self) -> Measurement {
        Measurement { joint: self.object.body, delay: 0.04, deviation: [0.002, 0.0175] }
    }

    /// A planner for it: horizon 0.4 s in steps of 0.04 s.
    pub fn planner(seed: u64) -> MppiOptions {
        MppiOptions {
            samples: 64,
            knots: 4,
            sigma: vec![0.15; 16],
            basis: BasisKind::Cubic,
            update: Update::Information {
                temperature: Temperature::Standardised { temperature: 0.2, share: 0.25 },
                control_cost: false,
            },
            iterations: 2,
            seed,
            ..MppiOptions::new(10, 0.04, [FINGER, FINGER, FINGER, THUMB].concat())
        }
    }

    /// Place of the object, and the attitude that it is to have.
    fn goal(&self, phase: &Phase) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let [x, y, z, ..] = self.object.start;
        let turn = |k: usize| phase.values.get(k).copied().unwrap_or(0.0);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|k, _| turn(k)));
        (Vector3::new(x, y, z), turn * self.at_rest().rotation)
    }

    fn at_rest(&self) -> Isometry3<f64> {
        let [x, y, z, w, i, j, k] = self.object.start;
        Isometry3::from_parts(Vector3::new(x, y, z).into(), super::two_arms::attitude([w, i, j, k]))
    }

    /// p − p* \[m\], and 1 − (q · q*)².
    fn off(&self, seen: &View<'_>, phase: &Phase) -> (Vector3<f64>, f64) {
        let (place, turn) = self.goal(phase);
        let dot = seen.rotation(ATTITUDE).coords.dot(&turn.coords);
        (seen.vector(PLACE) - place, 1.0 - dot * dot)
    }
}

impl Task for HandTurn {
    fn name(&self) -> &'static str {
        self.name
    }
    fn observations(&self) -> Vec<Observation> {
        let object = || Frame::Body(self.object.body.into());
        let mut out = vec![
            Observation::Position(object()),
            Observation::Rotation(object()),
            Observation::AngularVelocity(object()),
        ];
        out.extend(FINGERS.map(|f| Observation::Position(Frame::Site(format!("{f}_tip")))));
        for f in FINGERS {
            let joints = JOINTS[usize::from(f == "thumb")];
            out.extend(joints.map(|j| Observation::JointPosition(format!("{f}_{j}"))));
        }
        out
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["turning", "turned"]
    }
    fn rule(&self) -> String {
        let Self { near, turned, hold, lost, limit, .. } = self;
        let angle = (2.0 * turned.sqrt().asin()).to_degrees();
        format!(
            "Success when the object has been within {near} m of its place and within {angle:.0}° of its attitude (1 − (q·q*)² < {turned}) for {hold} s without a break, as seen at every control step. Lost when it is further than {lost} m from its place. Over after {limit} s."
        )
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        let seen = &step.after;
        let (away, turn) = self.off(seen, phase);
        terms[0] += turn;
        terms[1] += smooth_norm(away, 0.01);
        let place = seen.vector(PLACE);
        terms[2] += (0..4).map(|k| (seen.vector(TIPS + k) - place).norm_squared()).sum::<f64>();
        terms[3] += HOME.iter().enumerate().map(|(j, q)| (seen.scalar(ANGLES + j) - q).powi(2)).sum::<f64>();
        terms[4] += f64::from(u8::from(away.z < -self.lost));
    }
    fn terminal(&self, end: &View<'_>, phase: &Phase, terms: &mut [f64]) {
        let (away, turn) = self.off(end, phase);
        terms[5] += turn;
        terms[6] += away.norm_squared();
        terms[7] += end.vector(SPIN).norm_squared();
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let (away, turn) = self.off(seen, phase);
        phase.enter(if away.norm() < self.near && turn < self.turned { THERE } else { 0 }, seen.time);
    }
    fn targets(&self) -> &'static str {
        "the attitude of target; it stands beside the hand, so its place says nothing"
    }
    fn moved(&self, body: &str, pose: &Isometry3<f64>, phase: &mut Phase) {
        if body == "target" {
            let turn = pose.rotation * self.at_rest().rotation.inverse();
            phase.set_values(0, turn.scaled_axis().as_slice());
        }
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        if self.off(seen, phase).0.norm() > self.lost {
            return Outcome::Failure(format!("the {} is lost", self.object.body));
        }
        judge_held(seen, phase, THERE, [self.hold, self.limit])
    }
    /// The object at rest on the hand; a quarter turn either way, about an axis of the seed.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let mut flip = || random.uniform(0.0, 1.0) < 0.5;
        let sign = if flip() { 1.0 } else { -1.0 };
        let axis: UnitVector3<f64> = match self.about {
            Turn::Yaw => Vector3::z_axis(),
            Turn::Tilt if flip() => Vector3::x_axis(),
            Turn::Tilt => Vector3::y_axis(),
        };
        let turn: Vector3<f64> = axis.into_inner() * (sign * FRAC_PI_2);
        let phase = Phase { values: turn.as_slice().to_vec(), ..Phase::default() };
        let (place, rotation) = self.goal(&phase);
        Scenario {
            keyframe: Some("home".into()),
            joints: vec![JointStart {
                joint: self.object.body.into(),
                q: self.object.start.to_vec(),
                v: vec![0.0; 6],
            }],
            mocap: vec![(
                "target".into(),
                Isometry3::from_parts(Translation3::new(place.x, place.y, place.z + 0.2), rotation),
            )],
            phase,
            control: HOME.to_vec(),
        }
    }
}
