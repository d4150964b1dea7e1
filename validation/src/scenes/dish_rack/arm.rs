use std::f64::consts::PI;

use signorini_core::na::Vector3;
use signorini_multibody::Schedule;
use signorini_scene::{ActuatorDynamics, Pose, SceneBuilder};

use super::shared::turn;

/// Height of the shoulder over the table, and lengths of upper arm and forearm \[m\].
const SHOULDER: f64 = 0.45;
const LINKS: [f64; 2] = [0.5, 0.5];
/// Joints from the base on: name, gains \[N·m/rad\] and \[N·m·s/rad\].
const JOINTS: [(&str, f64, f64); 4] =
    [("yaw", 4e4, 8e2), ("shoulder", 4e4, 8e2), ("elbow", 4e4, 8e2), ("wrist", 2e4, 2e2)];
/// Place of the rack in the frame of the hand \[m\].
pub(super) const HELD: [f64; 3] = [0.1, 0.0, -0.06];
/// Between settings of the motors \[s\].
const SETTING: f64 = 0.05;

/// Place of the wrist at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waypoint {
    /// Time \[s\].
    pub(crate) t: f64,
    /// Turn of the arm about the vertical \[rad\].
    pub(crate) yaw: f64,
    /// Distance from that axis and height of the wrist \[m\].
    pub(crate) at: [f64; 2],
    /// Pitch of the hand, and of the rack in it, about the horizontal; positive tips the far end down \[rad\].
    pub(crate) pitch: f64,
}

impl Waypoint {
    fn new(t: f64, yaw: f64, at: [f64; 2], pitch: f64) -> Self {
        Self { t, yaw: yaw * PI / 180.0, at, pitch: pitch * PI / 180.0 }
    }

    /// Angles of the joints, elbow up \[rad\].
    ///
    /// ```text
    /// cos β = (l₁² + d² − l₂²)/(2 l₁ d),   q₁ = −(α + β),   q₁ + q₂ = −(α − β'),   q₁ + q₂ + q₃ = pitch
    /// ```
    /// with the distance d of the wrist from the shoulder, its elevation α, and β' as β for the forearm.
    pub(crate) fn joints(&self) -> [f64; 4] {
        let (x, z) = (self.at[0], self.at[1] - SHOULDER);
        let (d, elevation) = (x.hypot(z), z.atan2(x));
        let inner = |near: f64, far: f64| {
            ((near * near + d * d - far * far) / (2.0 * near * d)).clamp(-1.0, 1.0).acos()
        };
        let upper = -(elevation + inner(LINKS[0], LINKS[1]));
        let fore = -(elevation - inner(LINKS[1], LINKS[0]));
        [self.yaw, upper, fore - upper, self.pitch - fore]
    }

    /// Pose of the rack in the world.
    pub(crate) fn rack(&self) -> Pose {
        let wrist = Pose::translation(self.at[0], 0.0, self.at[1]);
        let hand = Pose::from_parts(Vector3::zeros().into(), turn(Vector3::y(), self.pitch));
        let yaw = Pose::from_parts(Vector3::zeros().into(), turn(Vector3::z(), self.yaw));
        yaw * wrist * hand * Pose::translation(HELD[0], HELD[1], HELD[2])
    }

    /// Between two points, without speed and acceleration at both.
    fn between(a: &Self, b: &Self, t: f64) -> Self {
        let x = ((t - a.t) / (b.t - a.t)).clamp(0.0, 1.0);
        let s = x * x * x * (10.0 + x * (6.0 * x - 15.0));
        let mix = |a: f64, b: f64| a + s * (b - a);
        let at = [0, 1].map(|i| mix(a.at[i], b.at[i]));
        Self { t, yaw: mix(a.yaw, b.yaw), at, pitch: mix(a.pitch, b.pitch) }
    }
}

/// Path of the wrist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    points: Vec<Waypoint>,
    /// Time at which the rack begins to tip \[s\].
    pub(crate) tips: f64,
    /// Time from which the arm rests \[s\].
    pub(crate) rests: f64,
    /// End of the run \[s\].
    pub(crate) end: f64,
}

impl Path {
    /// Lift, turn, tip, shake, turn back.
    pub(super) fn full() -> Self {
        let mut points = vec![
            Waypoint::new(0.0, -60.0, [0.42, 0.16], 0.0),
            Waypoint::new(0.5, -60.0, [0.42, 0.16], 0.0),
            Waypoint::new(1.4, -60.0, [0.50, 0.62], 0.0),
            Waypoint::new(2.6, 0.0, [0.50, 0.62], 0.0),
        ];
        dump(&mut points, 2.6);
        Self::of(points, 2.6)
    }

    /// Tip, shake, turn back.
    pub(super) fn small() -> Self {
        let mut points =
            vec![Waypoint::new(0.0, 0.0, [0.50, 0.62], 0.0), Waypoint::new(0.3, 0.0, [0.50, 0.62], 0.0)];
        dump(&mut points, 0.3);
        Self::of(points, 0.3)
    }

    fn of(points: Vec<Waypoint>, tips: f64) -> Self {
        let rests = points.last().map_or(0.0, |p| p.t);
        Self { points, tips, rests, end: rests + 2.0 }
    }

    /// The first point.
    pub(super) fn start(&self) -> Waypoint {
        self.points[0]
    }

    /// The point at a time \[s\].
    pub(crate) fn at(&self, t: f64) -> Waypoint {
        let next = self.points.partition_point(|p| p.t <= t).clamp(1, self.points.len() - 1);
        Waypoint::between(&self.points[next - 1], &self.points[next], t)
    }

    /// Speeds of the servos' targets \[rad/s\], constant from one setting to the next, so that the targets go through the path at every setting.
    ///
    /// # Errors
    /// None: times ascend.
    pub(crate) fn schedule(&self) -> Result<Schedule, signorini_core::StepError> {
        let count = (self.rests / SETTING).round() as usize;
        let (mut times, mut values): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut last = [f64::NAN; 4];
        for k in 0..=count {
            let [t0, t1] = [k, k + 1].map(|k| SETTING * k as f64);
            let (a, b) = (self.at(t0).joints(), self.at(t1).joints());
            let speed: [f64; 4] =
                std::array::from_fn(|i| if k == count { 0.0 } else { (b[i] - a[i]) / SETTING });
            if speed != last {
                times.push(t0);
                values.extend(speed);
                last = speed;
            }
        }
        Schedule::new(times, (0..JOINTS.len()).collect(), values)
    }
}

/// Tipping over the sink from a time on, and the way back.
fn dump(points: &mut Vec<Waypoint>, from: f64) {
    let over = [0.66, 0.66];
    points.push(Waypoint::new(from + 1.1, 0.0, over, 115.0));
    for (k, (z, pitch)) in
        [(0.02, 130.0), (-0.02, 112.0), (0.02, 130.0), (-0.02, 112.0), (0.02, 130.0)].into_iter().enumerate()
    {
        points.push(Waypoint::new(from + 1.1 + 0.15 * (k + 1) as f64, 0.0, [over[0], over[1] + z], pitch));
    }
    points.push(Waypoint::new(from + 2.9, 0.0, [0.45, 0.70], 10.0));
}

/// Links along x in the reference configuration, with servos whose targets are integrals of the controls.
pub(super) fn links(mut b: SceneBuilder) -> SceneBuilder {
    let grey = [0.82, 0.84, 0.87, 1.0];
    let x_axis = turn(Vector3::y(), 0.5 * PI);
    let along = |length: f64| Pose::from_parts(Vector3::new(0.5 * length, 0.0, 0.0).into(), x_axis);
    b = b.body("turret").at([0.0, 0.0, SHOULDER]).hinge("yaw", [0.0, 0.0, 1.0]).armature(0.1);
    b = b.cylinder(0.07, 0.5 * SHOULDER).geom_pose(Pose::translation(0.0, 0.0, -0.5 * SHOULDER)).mass(5.0);
    b = b.visual().geom_with(|g| g.rgba = grey);
    b = b.body_on("turret", "upper").hinge("shoulder", [0.0, 1.0, 0.0]).armature(0.1);
    b = b.capsule(0.05, 0.5 * LINKS[0]).geom_pose(along(LINKS[0])).mass(3.0).visual();
    b = b.geom_with(|g| g.rgba = grey);
    b = b.body_on("upper", "forearm").at([LINKS[0], 0.0, 0.0]).hinge("elbow", [0.0, 1.0, 0.0]).armature(0.1);
    b = b.capsule(0.04, 0.5 * LINKS[1]).geom_pose(along(LINKS[1])).mass(2.0).visual();
    b = b.geom_with(|g| g.rgba = grey);
    b = b.body_on("forearm", "hand").at([LINKS[1], 0.0, 0.0]).hinge("wrist", [0.0, 1.0, 0.0]).armature(0.05);
    b = b.capsule(0.03, 0.5 * HELD[0]).geom_pose(along(HELD[0])).mass(0.5).visual();
    b = b.geom_with(|g| g.rgba = [0.3, 0.3, 0.35, 1.0]);
    for (joint, kp, kv) in JOINTS {
        b = b.position_servo(joint, joint, kp, kv).actuator_with(|a| {
            a.dynamics = ActuatorDynamics::Integrator;
            a.act_early = true;
        });
    }
    b
}
