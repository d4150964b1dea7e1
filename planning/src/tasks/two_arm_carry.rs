use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4};

use signorini_core::na::{Isometry3, UnitQuaternion, Vector3};
use signorini_core::{Frame, Observation};

use super::two_arms::{Arms, Palm, SIDES, attitude, clearance, collision, each_with};
use super::{Tolerance, TwoArmMotion, judge_held, smooth, smooth_norm};
use crate::{
    Elite, Executed, JointStart, MppiOptions, Outcome, Phase, PlanError, Scenario, Step, Stream, Task,
    Temperature, Term, Update, View,
};

/// Two arms lift something between their palms and carry it to a target: a ball (`models/two_arms/ball.xml`, with seven-axis arms `ball_seven.xml`), over a wall or without one, or a tray (`models/two_arms/tray.xml`), over a low wall and short of a high one.
///
/// Controls are the velocities of the joints, which servos with limited torques follow; contact alone holds the object. At the ball palms come from the sides and a little from beneath, as published: they face 30° up, so
/// that of a normal force N on each of them N lifts the ball, and friction of N tan 30° at most keeps it from slipping out upwards. The tray is pressed at its upright ends.
///
/// Stages: *reaching* brings the palms to open places beside the object, *squeezing* closes them until both press, *carrying* takes it to its target, where it has *arrived*. A squeeze that goes awry or takes longer than 3 s is opened
/// again, and an object that a palm has lost is reached for again, as long as it is near; once it has been carried, one that is further away is lost for good. They change on true observations alone.
///
/// | term | each step adds | in stages |
/// |---|---|---|
/// | `collision` | 1 where a forbidden pair pressed; over pairs that are looked at and nearer than 0.05 m: the shrinking of the distance beyond 30 % and the shortfall from 0.01 m, over 0.05 m | all |
/// | `rest` | ‖q − q_home‖² \[rad²\] | all |
/// | `attitude` | angles of the tools to [`Held::attitudes`] \[rad\] | all |
/// | `effort` | ‖u‖² \[rad²/s²\]; at the end 50 times the squared speeds of the palms: plans end at rest | all |
/// | `place` | ways of the palms to their places beside the object \[m\], open ([`Held::way`]) or touching it | all |
/// | `touch` | forces of the palms over those that hold, at most 5 each | reaching |
/// | `closing` | squared relative velocity of the palms \[m²/s²\]; along the line between them, where the object turns | squeezing on |
/// | `grip` | distance of the force of a palm from the range [`Held::grip`], over its lower end | squeezing on |
/// | `slip` | distance of the object from where the palms hold it \[m\] | squeezing on |
/// | `carry` | distance of the object from the target \[m\] | carrying on |
/// | `turn` | angle of the object to the target's attitude \[rad\], where it has one | carrying on |
///
/// Distances of `place`, `slip` and `carry` are smooth below 0.01 to 0.02 m: √(d² + p²) − p; angles likewise.
///
/// The published cost has `collision`, `rest`, `attitude`, relative velocity, distance of the palms and the way of their middle to the target: the ball is taken to follow the hands, the tray is put between them. Here `place` and `slip` hold the palms to
/// the object itself, `grip` uses the forces, `carry` and `turn` are about the object, and squeezing is a stage of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoArmCarry {
    /// Name of the task.
    pub name: &'static str,
    /// Scene of the object, in the folder `models` of the project.
    pub scene: &'static str,
    /// Who carries.
    pub arms: Arms,
    /// The carried object.
    pub held: Held,
    /// The wall between the ball and its target.
    pub wall: Wall,
    /// The object is there within this distance of the target \[m\].
    pub near: f64,
    /// Largest angle to its attitude \[rad\], where it has one.
    pub aligned: f64,
    /// So long it must be there \[s\].
    pub hold: f64,
    /// The object is lost at this distance from the middle of the palms \[m\].
    pub lost: f64,
    /// Time after which it is over \[s\].
    pub limit: f64,
}

/// The wall of the ball.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wall {
    /// Below the table.
    None,
    /// At its place.
    Fixed,
    /// Up to 0.05 m aside, 0.04 m to the ball or to the target, 0.03 m higher or lower, and turned by up to 0.3 rad.
    Perturbed,
}

/// The object that palms hold, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Body of the object, which is the name of its joint, and of a geom, too.
    pub body: &'static str,
    /// Whether it has an attitude: a ball has none, and its frame does not turn.
    pub turns: bool,
    /// Place at which the right palm meets it, in its frame \[m\]; the left one is opposite along x.
    pub place: [f64; 3],
    /// Attitudes of the right and the left tool that hold it, in its frame (w, x, y, z). A palm faces −y of its tool.
    pub attitudes: [[f64; 4]; 2],
    /// Further out along x the palms wait before they close \[m\].
    pub open: f64,
    /// Forces of a palm that hold it, least and most \[N\].
    pub grip: [f64; 2],
    /// Start \[m\].
    pub start: [f64; 3],
    /// The middle of targets, and how far they are from it at most \[m\].
    pub target: [[f64; 3]; 2],
    /// Turns about z that targets may have \[rad\].
    pub turned: &'static [f64],
    /// Geoms whose distances from the arms plans look at.
    pub clear: &'static [&'static str],
    /// Geoms of the object. Plans look at their distances from the walls among those.
    pub parts: &'static [&'static str],
    /// Upright ends where the palms meet the object, which they have to go round: at ± this x, and a palm passes beyond this |y| and this z, in the frame of the object \[m\].
    pub ends: Option<[f64; 3]>,
}

impl Held {
    /// A ball of radius 0.11 m and 0.05 kg. The palms face each other and 30° up, as published.
    pub const BALL: Self = Self {
        body: "ball",
        turns: false,
        // r (cos 30°, 0, −sin 30°)
        place: [0.095, 0.0, -0.055],
        attitudes: [[0.183, -0.683, -0.683, 0.183], [0.183, -0.683, 0.683, -0.183]],
        open: 0.03,
        grip: [2.0, 6.0],
        start: [-0.3, 0.0, 0.13],
        target: [[-0.3, 0.0, 0.3], [0.05; 3]],
        turned: &[0.0],
        clear: &["table", "stand", "wall"],
        parts: &["ball"],
        ends: None,
    };

    /// A tray of 0.5 kg with an upright end on either side. The tools hang, their palms face each other.
    pub const TRAY: Self = Self {
        body: "tray",
        turns: true,
        place: [0.155, 0.0, 0.09],
        attitudes: [[0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0], [0.0, -FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0]],
        open: 0.03,
        grip: [6.0, 15.0],
        start: [-0.25, 0.2, 0.03],
        target: [[-0.25, -0.15, 0.3], [0.1, 0.05, 0.08]],
        turned: &[0.0, FRAC_PI_4, FRAC_PI_2],
        clear: &["table", "stand", "wall", "back"],
        parts: &["tray", "tray_right", "tray_left"],
        // Ends of 0.05 m aside and up to 0.13 m, palms of 0.04 and 0.035 m, and 0.02 m of room.
        ends: Some([0.15, 0.11, 0.185]),
    };

    /// Length of the way from a palm to its open place beside the object \[m\]: straight, or round the end of the object that is between them, the shortest over its top or around either side. `off` is where the palm is, seen from that place, in the frame
    /// of the object \[m\], x outward.
    ///
    /// Shortest of the ways that cross the plane of the end on an edge, the two parts unfolded into a plane: √((|a| + |b|)² + s²), with a and b from the palm and from the place to the edge, across it, and s along it. Continuous, as the edge is on the straight way where this just passes.
    pub fn way(&self, off: Vector3<f64>) -> f64 {
        let straight = off.norm();
        let Some([x, y, z]) = self.ends else { return straight };
        // The plane and the edges, seen from the place.
        let (plane, side, top) = (x - self.place[0] - self.open, y, z - self.place[2]);
        let across = (plane / off.x) * off;
        if off.x >= plane || across.y.abs() >= side || across.z >= top {
            return straight;
        }
        let inside = off.x - plane;
        let round =
            |edge: f64, to: f64, along: f64| (inside.hypot(to - edge) + plane.hypot(edge)).hypot(along);
        let over = round(top, off.z, off.y);
        over.min(round(side, off.y, off.z)).min(round(-side, off.y, off.z))
    }

    /// Place at which the middle of the palms holds it, in its frame \[m\].
    fn middle(&self) -> Vector3<f64> {
        Vector3::new(0.0, self.place[1], self.place[2])
    }
}

const TERMS: [Term; 11] = [
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
    Term { name: "turn", weight: 8.0 },
];

/// Reach within which palms are there: distance \[m\] and attitude \[rad\].
const THERE: [f64; 2] = [0.02, 0.15];
/// An object is carried where the palms press it no further than this from their places across the line between them \[m\] and from their attitudes \[rad\]; squeezing begins anew at twice as much.
const ALIGNED: [f64; 2] = [0.025, 0.2];
/// So long a squeeze may take \[s\]: palms that press where they should not are held there by friction.
const LONG: f64 = 3.0;
/// At this distance from the middle of the palms an object that one of them does not touch is reached for again \[m\].
const DROPPED: f64 = 0.06;
/// The value of the phase that tells that the object has been carried, 0 or 1, behind the target.
const CARRIED: usize = 4;
/// Stages.
const SQUEEZING: usize = 1;
const CARRYING: usize = 2;
const ARRIVED: usize = 3;

impl TwoArmCarry {
    /// The ball between six-axis arms, to within 0.04 m.
    pub const fn ball(wall: Wall) -> Self {
        let name = match wall {
            Wall::None => "two_arm_ball",
            Wall::Fixed => "two_arm_ball_wall",
            Wall::Perturbed => "two_arm_ball_obstacles",
        };
        Self {
            name,
            scene: "two_arms/ball.xml",
            arms: Arms::SIX,
            held: Held::BALL,
            wall,
            near: 0.04,
            aligned: 0.0,
            hold: 0.2,
            lost: 0.2,
            limit: 60.0,
        }
    }

    /// The ball between seven-axis arms, to within 0.04 m.
    pub const fn ball_seven(wall: Wall) -> Self {
        let name = match wall {
            Wall::None => "two_arm_ball_seven",
            Wall::Fixed => "two_arm_ball_seven_wall",
            Wall::Perturbed => "two_arm_ball_seven_obstacles",
        };
        Self { name, scene: "two_arms/ball_seven.xml", arms: Arms::SEVEN, ..Self::ball(wall) }
    }

    /// The tray, to within 0.02 m and 0.05 rad.
    pub const fn tray() -> Self {
        Self {
            name: "two_arm_tray",
            scene: "two_arms/tray.xml",
            arms: Arms::SIX,
            held: Held::TRAY,
            wall: Wall::None,
            near: 0.02,
            aligned: 0.05,
            hold: 0.2,
            lost: 0.1,
            limit: 60.0,
        }
    }

    /// A planner for it: ten velocities of 0.1 s for each joint. Samples go through [`TwoArmCarry::motion`].
    pub fn planner(&self, seed: u64) -> MppiOptions {
        let joints = self.arms.count();
        MppiOptions {
            samples: 64,
            knots: 10,
            sigma: vec![1.0; joints],
            spread: crate::SpreadKind::PerChannel,
            correlation: 0.9,
            update: Update::Information {
                temperature: Temperature::Standardised { temperature: 0.2, share: 0.25 },
                control_cost: false,
            },
            iterations: 2,
            seed,
            ..MppiOptions::new(10, 0.1, vec![[-1.0, 1.0]; joints])
        }
    }

    /// Bounded motion with noise for each stage: reaching, of both palms apart; squeezing, small; carrying, of both palms together, turning an object that has an attitude.
    ///
    /// # Errors
    /// As [`TwoArmMotion::new`].
    pub fn motion(&self, options: &MppiOptions) -> Result<TwoArmMotion, PlanError> {
        let turn = if self.held.turns { 0.22 } else { 0.0 };
        let reaching = Tolerance { joints: 0.36, middle: 0.14, apart: 0.14, spin: 0.58, turn: 0.0 };
        let squeezing = Tolerance { joints: 0.22, middle: 0.043, apart: 0.043, spin: 0.22, turn: 0.0 };
        let carrying = Tolerance { joints: 0.22, middle: 0.072, apart: 0.022, spin: 0.11, turn };
        TwoArmMotion::new(self.arms, options, vec![reaching, squeezing, carrying])
    }

    /// The published sampler in place of ours: mean and full covariance of the elite ([`Update::Elite`]) with the numbers of the authors' code, one iteration, the best
    /// sample executed; velocities of 15 steps for the ball, 10 for the tray. Samples go through [`TwoArmMotion::bounded`].
    ///
    /// Deviates: noise begins with a standard deviation of 0.5 rad/s. The authors' variance of 10 goes through five iterations that keep 3 to 26 % of what they explore (page `projection`). The elite of 5 % has as many numbers to learn from as samples allow: 500 are a batch size of theirs.
    pub fn published_planner(&self, seed: u64) -> MppiOptions {
        let (joints, steps) = (self.arms.count(), if self.held.turns { 10 } else { 15 });
        MppiOptions {
            samples: 500,
            knots: steps,
            sigma: vec![0.5; joints],
            spread: crate::SpreadKind::Full,
            update: Update::Elite(Elite::default()),
            executed: Executed::Best,
            seed,
            ..MppiOptions::new(steps, 0.1, vec![[-1.0, 1.0]; joints])
        }
    }

    /// Places of the observations: position and rotation of the object, forces of the palms, collisions, behind which distances come.
    const fn object(&self) -> usize {
        self.arms.observed()
    }
    const fn forces(&self) -> usize {
        self.object() + 2
    }
    const fn collision(&self) -> usize {
        self.forces() + 2
    }

    /// Pairs of geoms that may touch: the object with the palms and its support.
    fn may_touch(&self) -> Vec<(String, String)> {
        const HOLD: [&str; 4] = ["right_palm", "left_palm", "table", "stand"];
        each_with(self.held.parts, &HOLD).collect()
    }

    /// Pairs of geoms whose distances plans look at.
    fn pairs(&self) -> Vec<(String, String)> {
        let mut out = self.arms.pairs(self.held.clear);
        for part in self.held.parts {
            let walls = self.held.clear.iter().filter(|c| !["table", "stand"].contains(c));
            out.extend(walls.map(|wall| ((*part).to_owned(), (*wall).to_owned())));
        }
        out
    }

    /// Pose of the object; without an attitude, where it has none.
    fn pose(&self, seen: &View<'_>) -> Isometry3<f64> {
        let at = self.object();
        let turn = if self.held.turns { seen.rotation(at + 1) } else { UnitQuaternion::identity() };
        Isometry3::from_parts(seen.vector(at).into(), turn)
    }

    /// Distance of the middle of the palms from where it holds the object \[m\].
    fn missed(&self, seen: &View<'_>, [right, left]: &[Palm; 2]) -> Vector3<f64> {
        let middle = 0.5 * (right.pose.translation.vector + left.pose.translation.vector);
        middle - (self.pose(seen) * Isometry3::from(self.held.middle())).translation.vector
    }

    /// Distances of the palms from their places beside the object, `open` further out, in its frame \[m\].
    fn off(&self, seen: &View<'_>, palms: &[Palm; 2], open: f64) -> [Vector3<f64>; 2] {
        let pose = self.pose(seen);
        [0, 1].map(|s| {
            let side = if s == 0 { 1.0 } else { -1.0 };
            let place = self.held.middle() + side * (self.held.place[0] + open) * Vector3::x();
            pose.inverse_transform_vector(&(palms[s].pose.translation.vector - pose.translation.vector))
                - place
        })
    }

    /// Angles of the tools to their attitudes at the object \[rad\].
    fn turned(&self, seen: &View<'_>, palms: &[Palm; 2]) -> [f64; 2] {
        let turn = self.pose(seen).rotation;
        [0, 1].map(|s| palms[s].pose.rotation.angle_to(&(turn * attitude(self.held.attitudes[s]))))
    }

    /// Target of the object: x, y, z and its turn about z, of the phase.
    fn target(phase: &Phase) -> Isometry3<f64> {
        let value = |k: usize| phase.values.get(k).copied().unwrap_or(0.0);
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), value(3));
        Isometry3::from_parts(Vector3::from_fn(|k, _| value(k)).into(), turn)
    }

    /// Angle of the object to the attitude of its target \[rad\], zero where it has none.
    fn turn(&self, seen: &View<'_>, phase: &Phase) -> f64 {
        if self.held.turns { self.pose(seen).rotation.angle_to(&Self::target(phase).rotation) } else { 0.0 }
    }

    /// Distance of the object from its target \[m\].
    fn away(&self, seen: &View<'_>, phase: &Phase) -> Vector3<f64> {
        seen.vector(self.object()) - Self::target(phase).translation.vector
    }
}

impl Task for TwoArmCarry {
    fn name(&self) -> &'static str {
        self.name
    }
    fn observations(&self) -> Vec<Observation> {
        let mut out = self.arms.observations();
        let object = || Frame::Body(self.held.body.into());
        out.extend([Observation::Position(object()), Observation::Rotation(object())]);
        let force = |side| Observation::ContactForce(format!("{side}_tool"), self.held.body.into());
        out.extend(SIDES.map(force));
        out.push(Observation::Collision(self.may_touch()));
        out.extend(self.pairs().into_iter().map(|(a, b)| Observation::Distance(a, b)));
        out
    }
    fn terms(&self) -> &'static [Term] {
        &TERMS
    }
    fn stages(&self) -> &'static [&'static str] {
        &["reaching", "squeezing", "carrying", "arrived"]
    }
    fn rule(&self) -> String {
        let Self { near, aligned, hold, lost, limit, .. } = self;
        let attitude =
            if *aligned > 0.0 { format!(" and within {aligned} rad of its attitude") } else { String::new() };
        format!(
            "Success when the object has been within {near} m of the target{attitude}, carried, for {hold} s without a break, as seen at every control step. Lost when anything presses on anything else in any step of the plant, but the object on palms, table and stand, or when the object is further than {lost} m from the middle of the palms once it has been carried, whatever the stage. Over after {limit} s."
        )
    }
    fn running(&self, step: &Step<'_>, phase: &Phase, terms: &mut [f64]) {
        let after = &step.after;
        terms[0] += clearance(step, self.collision());
        terms[1] += self.arms.unrest(after);
        terms[8] += step.control.iter().map(|u| u * u).sum::<f64>();
        let palms = self.arms.palms(after);
        terms[3] += self.turned(after, &palms).into_iter().map(|x| smooth(x, 0.05)).sum::<f64>();
        let [right, left] = &palms;
        let forces = [0, 1].map(|s| after.scalar(self.forces() + s));
        let [least, most] = self.held.grip;
        match phase.stage {
            0 => {
                for (d, outward) in self.off(after, &palms, self.held.open).into_iter().zip([1.0, -1.0]) {
                    let way = self.held.way(Vector3::new(outward * d.x, d.y, d.z));
                    terms[2] += smooth(way, 0.02);
                }
                terms[9] += forces.iter().map(|f| (f / least).min(5.0)).sum::<f64>();
            }
            _ => {
                for d in self.off(after, &palms, 0.0) {
                    terms[2] += smooth_norm(d, 0.01);
                }
                let closing = right.velocity - left.velocity;
                let line = right.pose.translation.vector - left.pose.translation.vector;
                terms[4] += match self.held.turns {
                    true => closing.dot(&line).powi(2) / line.norm_squared().max(1e-6),
                    false => closing.norm_squared(),
                };
                for f in forces {
                    terms[5] += ((least - f).max(0.0) + (f - most).max(0.0)) / least;
                }
                terms[6] += smooth_norm(self.missed(after, &palms), 0.01);
            }
        }
        if phase.stage >= CARRYING {
            terms[7] += smooth_norm(self.away(after, phase), 0.02);
            terms[10] += smooth(self.turn(after, phase), 0.05);
        }
    }
    /// At rest.
    fn terminal(&self, end: &View<'_>, _: &Phase, terms: &mut [f64]) {
        terms[8] += 50.0 * self.arms.palms(end).iter().map(|p| p.velocity.norm_squared()).sum::<f64>();
    }
    fn targets(&self) -> &'static str {
        "the place of target and its turn about the vertical"
    }
    fn moved(&self, body: &str, pose: &Isometry3<f64>, phase: &mut Phase) {
        if body == "target" {
            let p = pose.translation.vector;
            phase.set_values(0, &[p.x, p.y, p.z, pose.rotation.euler_angles().2]);
        }
    }
    fn transition(&self, seen: &View<'_>, phase: &mut Phase) {
        let palms = self.arms.palms(seen);
        let most = |x: f64, y: f64| x.max(y);
        let turned = self.turned(seen, &palms).into_iter().fold(0.0, most);
        let open = self.off(seen, &palms, self.held.open);
        let there = open.iter().all(|d| d.norm() < THERE[0]) && turned < THERE[1];
        let off = open.iter().map(|d| d.yz().norm()).fold(0.0, most);
        let pressed = [0, 1].iter().all(|s| seen.scalar(self.forces() + s) > 0.5 * self.held.grip[0]);
        let held = pressed && off < ALIGNED[0] && turned < ALIGNED[1];
        let arrived = self.away(seen, phase).norm() < self.near && self.turn(seen, phase) <= self.aligned;
        let dropped = [0, 1].iter().any(|s| seen.scalar(self.forces() + s) == 0.0)
            && self.missed(seen, &palms).norm() > DROPPED;
        if let Some(carried) = phase.values.get_mut(CARRIED).filter(|_| phase.stage >= CARRYING) {
            *carried = 1.0;
        }
        match phase.stage {
            SQUEEZING
                if off > 2.0 * ALIGNED[0]
                    || turned > 2.0 * ALIGNED[1]
                    || (!held && seen.time - phase.since > LONG) =>
            {
                phase.enter(0, seen.time);
            }
            SQUEEZING.. if dropped => phase.enter(0, seen.time),
            0 if there => phase.enter(SQUEEZING, seen.time),
            SQUEEZING if held => phase.enter(CARRYING, seen.time),
            0 | SQUEEZING => {}
            _ => phase.enter(if arrived { ARRIVED } else { CARRYING }, seen.time),
        }
    }
    fn judge(&self, seen: &View<'_>, phase: &Phase) -> Outcome {
        if let Some(what) = collision(seen, self.collision()) {
            return what;
        }
        if phase.values.get(CARRIED).is_some_and(|c| *c > 0.0)
            && self.missed(seen, &self.arms.palms(seen)).norm() > self.lost
        {
            return Outcome::Failure(format!("the {} is lost", self.held.body));
        }
        judge_held(seen, phase, ARRIVED, [self.hold, self.limit])
    }
    /// Arms at rest; the target anywhere in its range, of the ball beyond the wall if there is one.
    fn reset(&self, seed: u64) -> Scenario {
        let mut random = Stream::new(seed, 0);
        let ([mut middle, range], mut start) = (self.held.target, self.held.start);
        if self.wall != Wall::None {
            (start[1], middle[1]) = (-0.2, 0.2);
        }
        let target: Vec<f64> = (0..3).map(|k| middle[k] + random.uniform(-range[k], range[k])).collect();
        let turns = self.held.turned;
        let turn = turns[(random.uniform(0.0, turns.len() as f64) as usize).min(turns.len() - 1)];
        let phase = Phase { values: [&target[..], &[turn, 0.0]].concat(), ..Phase::default() };
        let mut mocap = vec![("target".into(), Self::target(&phase))];
        if !self.held.turns {
            let [x, y, z, turn] = match self.wall {
                Wall::None => [0.0, 0.0, -1.11, 0.0],
                Wall::Fixed => [0.0; 4],
                Wall::Perturbed => [0.05, 0.04, 0.03, 0.3].map(|most| random.uniform(-most, most)),
            };
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
            let place = Vector3::new(-0.25 + x, y, 0.11 + z);
            mocap.push(("wall".into(), Isometry3::from_parts(place.into(), turn)));
        }
        let [x, y, z] = start;
        Scenario {
            keyframe: Some("home".into()),
            joints: vec![JointStart {
                joint: self.held.body.into(),
                q: vec![x, y, z, 1.0, 0.0, 0.0, 0.0],
                v: vec![0.0; 6],
            }],
            mocap,
            phase,
            control: vec![0.0; self.arms.count()],
        }
    }
}
