use signorini_core::ProblemError;
use signorini_scene::{ActuatorDynamics, JointKind, Scene, Transmission};

use crate::{AffineSystem, JointAction, Motor};

/// An actuator of a scene on a hinge or a slide, with what its joint does besides.
#[derive(Clone, Debug)]
pub(crate) struct SceneMotor {
    /// Number among the joints of the system.
    joint: usize,
    /// Which control it has.
    control: usize,
    action: JointAction,
    /// Force at the joint of control, nothing, position and speed.
    law: [f64; 4],
    cap: f64,
    control_range: Option<[f64; 2]>,
    /// Number of the scene's joint at the start of the system's.
    start: f64,
}

impl SceneMotor {
    /// Those of a scene, given what each joint of the system does; what cannot be had is told.
    pub(crate) fn all(
        scene: &Scene,
        numbers: &[Option<usize>],
        actions: &[(usize, JointAction, f64)],
        left_out: &mut Vec<String>,
    ) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for (control, a) in scene.actuators.iter().enumerate() {
            let mut leave = |why: &str| left_out.push(format!("actuator '{}' is left out: {why}", a.name));
            let Transmission::Joint(j) = a.transmission else {
                leave("it does not act on a joint");
                continue;
            };
            let has_number = matches!(scene.joints[j].kind, JointKind::Hinge | JointKind::Slide);
            let known = numbers[j].filter(|_| has_number);
            let Some((joint, action, start)) = known.and_then(|n| actions.iter().find(|a| a.0 == n)).copied()
            else {
                leave("its joint is neither a hinge nor a slide of its own");
                continue;
            };
            if a.dynamics != ActuatorDynamics::None {
                leave("it has dynamics of its own");
                continue;
            }
            let (f, gear) = (&a.force, a.gear[0]);
            if f.gain[1] != 0.0
                || f.gain[2] != 0.0
                || f.damping_ratio.is_some()
                || f.bias[1] > 0.0
                || f.bias[2] > 0.0
            {
                leave("its force is not one of a motor, a position servo or a velocity servo");
                continue;
            }
            if out.iter().any(|m| m.joint == joint) {
                leave("its joint has another one");
                continue;
            }
            let cap = match a.force_range {
                Some([low, high]) if -low == high => high * gear.abs(),
                Some(_) => {
                    leave("the range of its force is not symmetric");
                    continue;
                }
                None => f64::INFINITY,
            };
            // At the joint: the length is gear · s.
            let law = [f.gain[0] * gear, f.bias[0] * gear, f.bias[1] * gear * gear, f.bias[2] * gear * gear];
            let control_range = a.control_range.filter(|_| scene.options.switches.clamp_control);
            out.push(Self { joint, control, action, law, cap, control_range, start });
        }
        out
    }

    /// Sets the motor of the joint for the controls `u`.
    pub(crate) fn act(&self, u: &[f64], system: &mut AffineSystem) -> Result<(), ProblemError> {
        let Some(u) = u.get(self.control) else {
            return Err(ProblemError::Shape { what: "controls", expected: self.control + 1, found: u.len() });
        };
        let u = self.control_range.map_or(*u, |[low, high]| u.clamp(low, high));
        let [by_control, own, by_position, by_speed] = self.law;
        let push = by_control * u + own;
        let cap = self.cap;
        // (push + by_position · (start + s)): the position at which it vanishes.
        let motor = if by_position < 0.0 {
            let target = push / -by_position - self.start;
            Motor::Position { target, stiffness: -by_position, damping: -by_speed, cap }
        } else if by_speed < 0.0 {
            Motor::Velocity { speed: push / -by_speed, gain: -by_speed, cap }
        } else {
            Motor::Force { force: push.clamp(-cap, cap) }
        };
        system.act(self.joint, JointAction { motor, ..self.action })
    }
}
