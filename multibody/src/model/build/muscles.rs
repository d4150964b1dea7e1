//! Force and lengths of muscles.

use signorini_scene::{Actuator, JointKind, Scene, Transmission};

use crate::model::actuator::MuscleModel;
use crate::{ActuatorState, Kinematics, Model, ModelError, Muscle, TendonState};

/// Places along a coordinate at which a length is looked at, and rounds over all coordinates.
const PLACES: usize = 24;
const ROUNDS: usize = 4;
/// Golden-section steps: the width of a place falls below 1e-9 of the range.
const REFINEMENTS: usize = 40;

/// Lengths at positions, with scratch.
struct Lengths<'a> {
    model: &'a Model,
    kin: Kinematics,
    tendons: TendonState,
    actuators: ActuatorState,
    q: Vec<f64>,
}

impl Lengths<'_> {
    fn at(&mut self, actuator: usize) -> f64 {
        self.kin.set_positions(self.model, &self.q, &self.model.mocap_poses);
        self.tendons.set_positions(self.model, &self.kin, &self.q);
        self.actuators.set_positions(self.model, &self.kin, &self.tendons, &self.q);
        self.actuators.length[actuator]
    }

    /// Largest length times `sign` over coordinates within their ranges: one coordinate after the other, each looked through and then refined.
    fn extreme(&mut self, actuator: usize, coordinates: &[(usize, [f64; 2])], sign: f64) -> f64 {
        self.q.copy_from_slice(&self.model.reference_q);
        for &(i, [low, high]) in coordinates {
            self.q[i] = self.q[i].clamp(low, high);
        }
        let mut best = sign * self.at(actuator);
        for _ in 0..ROUNDS {
            let before = best;
            for &(i, [low, high]) in coordinates {
                let old = self.q[i];
                let value = |s: &mut Self, x: f64| {
                    s.q[i] = x;
                    sign * s.at(actuator)
                };
                let step = (high - low) / PLACES as f64;
                let (mut place, mut found) = (old, best);
                for k in 0..=PLACES {
                    let x = low + step * k as f64;
                    let v = value(self, x);
                    if v > found {
                        (place, found) = (x, v);
                    }
                }
                let (mut a, mut b) = ((place - step).max(low), (place + step).min(high));
                for _ in 0..REFINEMENTS {
                    let third = (b - a) * 0.381_966;
                    if value(self, a + third) < value(self, b - third) {
                        a += third;
                    } else {
                        b -= third;
                    }
                }
                for x in [0.5 * (a + b), a, b] {
                    let v = value(self, x);
                    if v > found {
                        (place, found) = (x, v);
                    }
                }
                self.q[i] = place;
                best = found;
            }
            if best <= before {
                break;
            }
        }
        sign * best
    }
}

impl Model {
    /// Gives muscles their curves, with the force from the acceleration that a unit force makes at the reference configuration.
    pub(crate) fn set_muscles(&mut self, scene: &Scene) -> Result<(), ModelError> {
        if scene.actuators.iter().all(|a| a.force.muscle.is_none()) || !scene.options.switches.actuation {
            return Ok(());
        }
        let (state, factor) = self.at_reference();
        let mut found = Vec::new();
        for (i, a) in scene.actuators.iter().enumerate() {
            let Some(muscle) = a.force.muscle else { continue };
            let range = match muscle.length_range {
                Some(r) => r,
                None => self.length_range(a, i)?,
            };
            if range[0].partial_cmp(&range[1]) != Some(std::cmp::Ordering::Less) {
                let message = format!("the range of lengths of the muscle is {range:?}");
                return Err(ModelError::element(
                    &a.place,
                    message,
                    "state lengthrange, the shorter length first",
                ));
            }
            let mut x = vec![0.0; self.nv()];
            state.row(self, i).add_scaled(1.0, &mut x);
            if let Some(f) = &factor {
                f.solve_in_place(&mut x);
            }
            let acceleration = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let curves = |c| Muscle::new(c, range, acceleration);
            let model = MuscleModel { gain: muscle.gain.map(curves), bias: muscle.bias.map(curves) };
            found.push((i, Box::new(model)));
        }
        for (i, muscle) in found {
            self.actuators[i].muscle = Some(muscle);
        }
        Ok(())
    }

    /// Shortest and longest length of an actuator over the ranges of the joints that it depends on, within the range of its tendon.
    fn length_range(&self, a: &Actuator, index: usize) -> Result<[f64; 2], ModelError> {
        let of_tendon = match a.transmission {
            Transmission::Tendon(t) => self.tendons[t].range.map(|r| r.map(|x| x * a.gear[0])),
            _ => None,
        };
        let of_tendon = of_tendon.map(|[x, y]| [x.min(y), x.max(y)]);
        let remedy = "state lengthrange, the shortest and the longest length of the actuator";
        let mut coordinates = Vec::new();
        for &dof in &self.actuators[index].dofs {
            let j = &self.joints[self.dofs[dof].joint];
            let range = scene_range(a, j.range, j.kind);
            let Some(range) = range else {
                if let Some(range) = of_tendon {
                    return Ok(range);
                }
                let message =
                    format!("the muscle states no lengthrange, and joint '{}' has no range", j.name);
                return Err(ModelError::element(&a.place, message, remedy));
            };
            coordinates.push((j.q, range));
        }
        let mut at = Lengths {
            model: self,
            kin: Kinematics::new(self),
            tendons: TendonState::new(self),
            actuators: ActuatorState::new(self),
            q: self.reference_q.clone(),
        };
        let found = [at.extreme(index, &coordinates, -1.0), at.extreme(index, &coordinates, 1.0)];
        Ok(of_tendon.map_or(found, |[low, high]| found.map(|x| x.clamp(low, high))))
    }
}

/// Range of a coordinate: its limits; one turn for a hinge without limits that a muscle reaches through space.
fn scene_range(a: &Actuator, range: Option<[f64; 2]>, kind: JointKind) -> Option<[f64; 2]> {
    let direct = matches!(a.transmission, Transmission::Joint(_) | Transmission::JointInParent(_));
    match kind {
        JointKind::Hinge | JointKind::Slide if range.is_some() => range,
        JointKind::Hinge if !direct => Some([-std::f64::consts::PI, std::f64::consts::PI]),
        _ => None,
    }
}
