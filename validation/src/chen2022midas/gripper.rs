//! Two jaws on a palm that is moved from outside.

use signorini_core::na::{Isometry3, Vector3};
use signorini_ipc::{Joint, JointAction, JointKind, Motor};

use super::scenes::{Placed, Track, block};
use signorini_report::PageError;

/// Sizes and places of a gripper.
pub(super) struct Gripper {
    /// Between the jaws \[m\].
    pub center: Vector3<f64>,
    /// Along which they close, a unit vector; the first jaw moves along it.
    pub closing: Vector3<f64>,
    /// From the centre to the face of each jaw \[m\].
    pub opening: f64,
    /// Half the sides of a jaw \[m\].
    pub jaw: [f64; 3],
    /// From the centre to that of the palm \[m\].
    pub palm: Vector3<f64>,
    /// Coefficient of friction of the jaws.
    pub friction: f64,
}

/// Palm and jaws with their rails and the pairs that do not collide.
pub(super) type Grip = (Placed, [Joint; 2], [[usize; 2]; 1]);

/// Density of palm and jaws \[kg/m³\].
pub(super) const DENSITY: f64 = 1000.0;

impl Gripper {
    /// Palm and jaws as bodies `first`, `first` + 1 and `first` + 2 of a scene, with their rails; the pairs that do not collide.
    pub(super) fn make(&self, first: usize) -> Result<Grip, PageError> {
        let half = self.closing.iter().zip(self.jaw).map(|(c, h)| c.abs() * h).sum::<f64>();
        let place = |v: Vector3<f64>| Isometry3::translation(v.x, v.y, v.z);
        let side = |sign: f64| place(self.center + sign * (self.opening + half) * self.closing);
        let bodies = vec![
            (block("palm", [0.01; 3], DENSITY, 0.0)?.driven(), place(self.center + self.palm)),
            (block("first jaw", self.jaw, DENSITY, self.friction)?, side(-1.0)),
            (block("second jaw", self.jaw, DENSITY, self.friction)?, side(1.0)),
        ];
        let rail = |name: &str, jaw: usize| {
            Joint::new(name, [first, first + jaw], JointKind::Sliding { axis: self.closing })
        };
        Ok((bodies, [rail("first rail", 1), rail("second rail", 2)], [[first + 1, first + 2]]))
    }
}

/// Both jaws press with a force \[N\]; the rails are joints 0 and 1.
pub(super) fn press(track: &mut Track, force: f64) -> Result<(), PageError> {
    act(track, |sign| Motor::Force { force: sign * force })
}

/// Both jaws open at a speed \[m/s\], with 5 N at most.
pub(super) fn open(track: &mut Track, speed: f64) -> Result<(), PageError> {
    act(track, |sign| Motor::Velocity { speed: -sign * speed, gain: 100.0, cap: 5.0 })
}

fn act(track: &mut Track, motor: impl Fn(f64) -> Motor) -> Result<(), PageError> {
    for (joint, sign) in [(0, 1.0), (1, -1.0)] {
        let action = JointAction { motor: motor(sign), ..JointAction::default() };
        track.system.act(joint, action).map_err(PageError::from_error)?;
    }
    Ok(())
}

/// The palm moves at a velocity \[m/s\].
pub(super) fn carry(track: &mut Track, palm: usize, velocity: Vector3<f64>) -> Result<(), PageError> {
    track.system.drive(palm, velocity, Vector3::zeros()).map_err(PageError::from_error)
}
