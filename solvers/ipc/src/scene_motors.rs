use signorini_core::ProblemError;
use signorini_scene::{Actuator, ActuatorDynamics, Scene, Transmission};

use crate::{AffineSystem, JointAction, Motor};

/// A hinge, a slide or a fixed tendon of a scene that actuators may act on.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub transmission: Transmission,
    /// Number among the joints and tendons of the system, and its action without motors.
    pub number: usize,
    pub action: JointAction,
    /// Position or length in the scene where the number of the system is zero.
    pub start: f64,
    /// Limits of the force of all its actuators together.
    pub force_range: Option<[f64; 2]>,
}

/// A control with its range and the force per control.
type Lever = (usize, Option<[f64; 2]>, f64);

/// The actuators of a hinge, a slide or a fixed tendon: several add up to one.
#[derive(Clone, Debug)]
pub(crate) struct SceneMotor {
    on: Driven,
    levers: Vec<Lever>,
    /// Force of nothing, position and speed.
    law: [f64; 3],
    cap: f64,
    /// True if it has a range of its own for its force, and cannot be added to.
    alone: bool,
}

/// The largest force of a range; None where it is not the same both ways.
fn cap(range: Option<[f64; 2]>) -> Option<f64> {
    match range {
        None => Some(f64::INFINITY),
        Some([low, high]) => (-low == high).then_some(high),
    }
}

impl SceneMotor {
    /// Motors of a scene on joints and tendons that can be driven; unsupported ones are listed.
    pub(crate) fn all(
        scene: &Scene,
        driven: &[Driven],
        left_out: &mut Vec<(usize, &'static str)>,
    ) -> Vec<Self> {
        let mut out: Vec<Self> = Vec::new();
        for (control, a) in scene.actuators.iter().enumerate() {
            let range = a.control_range.filter(|_| scene.options.switches.clamp_control);
            if let Err(why) = Self::take(a, control, range, driven, &mut out) {
                left_out.push((control, why));
            }
        }
        out
    }

    /// Adds an actuator.
    fn take(
        a: &Actuator,
        control: usize,
        range: Option<[f64; 2]>,
        driven: &[Driven],
        out: &mut Vec<Self>,
    ) -> Result<(), &'static str> {
        let on = driven.iter().find(|d| d.transmission == a.transmission);
        let on = on.ok_or("it acts neither on a hinge or slide of its own nor on a fixed tendon of such")?;
        if a.dynamics != ActuatorDynamics::None {
            return Err("it has dynamics of its own");
        }
        let (f, gear) = (&a.force, a.gear[0]);
        if f.damping_ratio.is_some() {
            return Err(
                "its damping ratio needs the inertia of generalised coordinates; give kv, or make the bodies by `signorini_run::Ipc::affine_scene`",
            );
        }
        let steady = f.gain[1] == 0.0 && f.gain[2] == 0.0 && f.muscle.is_none();
        if !steady || f.bias[1] > 0.0 || f.bias[2] > 0.0 {
            return Err("its force is not one of a motor, a position servo or a velocity servo");
        }
        let odd = "the range of its force is not symmetric";
        let own = cap(a.force_range).ok_or(odd)? * gear.abs();
        let (most, alone) = (own.min(cap(on.force_range).ok_or(odd)?), own.is_finite());
        // At the joint: the length is gear · s.
        let lever = (control, range, f.gain[0] * gear);
        let law = [f.bias[0] * gear, f.bias[1] * gear * gear, f.bias[2] * gear * gear];
        let Some(other) = out.iter_mut().find(|m| m.on.number == on.number) else {
            out.push(Self { on: on.clone(), levers: vec![lever], law, cap: most, alone });
            return Ok(());
        };
        if alone || other.alone {
            return Err(
                "there is another one on its joint or tendon, and one of them has a range of its force; give the range to the joint",
            );
        }
        other.levers.push(lever);
        other.law.iter_mut().zip(law).for_each(|(a, b)| *a += b);
        Ok(())
    }

    /// Sets the motor for the controls `u`.
    pub(crate) fn act(&self, u: &[f64], system: &mut AffineSystem) -> Result<(), ProblemError> {
        let [own, by_position, by_speed] = self.law;
        let mut push = own;
        for (control, range, by_control) in &self.levers {
            let Some(u) = u.get(*control) else {
                return Err(ProblemError::Shape { what: "controls", expected: control + 1, found: u.len() });
            };
            push += by_control * range.map_or(*u, |[low, high]| u.clamp(low, high));
        }
        let cap = self.cap;
        // (push + by_position · (start + s)): the position at which it vanishes.
        let motor = if cap == 0.0 {
            Motor::Off
        } else if by_position < 0.0 {
            let target = push / -by_position - self.on.start;
            Motor::Position { target, stiffness: -by_position, damping: -by_speed, cap }
        } else if by_speed < 0.0 {
            Motor::Velocity { speed: push / -by_speed, gain: -by_speed, cap }
        } else {
            Motor::Force { force: push.clamp(-cap, cap) }
        };
        system.act(self.on.number, JointAction { motor, ..self.on.action })
    }
}
