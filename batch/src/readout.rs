use signorini_multibody::Model;

use crate::{BatchError, LaneView};

/// Reads numbers of a lane after a step, in place: nothing of the lane is copied.
pub trait ReadLane: Sync {
    /// Number of values that it writes.
    fn width(&self) -> usize;
    /// Writes them to `out`, `width` long.
    fn read(&self, view: &mut LaneView<'_>, out: &mut [f64]);
}

/// Something that can be read of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Time \[s\], 1.
    Time,
    /// Positions, nq.
    Positions,
    /// Velocities, nv.
    Velocities,
    /// Activations, nz.
    Activations,
    /// Origin of a body, world \[m\], 3.
    BodyPosition(usize),
    /// Rotation of a body as unit quaternion (w, x, y, z), 4.
    BodyRotation(usize),
    /// Velocity of the origin of a body, world axes \[m/s\], 3.
    BodyVelocity(usize),
    /// All sensors at the state after the step.
    Sensors,
    /// All sensors at the state before the step, as MuJoCo's step leaves them.
    SensorsBefore,
    /// Contacts of the step, 1.
    ContactCount,
}

/// A list of quantities, written one after the other.
#[derive(Clone, Debug)]
pub struct Readout {
    parts: Vec<(Quantity, usize)>,
    width: usize,
}

impl Readout {
    /// For the lanes of a model.
    ///
    /// # Errors
    /// A body that does not exist.
    pub fn new(model: &Model, quantities: &[Quantity]) -> Result<Self, BatchError> {
        let sensors: usize = model.sensors.iter().map(|s| s.kind.dim()).sum();
        let mut parts = Vec::with_capacity(quantities.len());
        for q in quantities {
            if let Quantity::BodyPosition(b) | Quantity::BodyRotation(b) | Quantity::BodyVelocity(b) = q
                && *b >= model.bodies.len()
            {
                return Err(BatchError::Argument(format!(
                    "{q:?}: there is no such body, the model has {}",
                    model.bodies.len()
                )));
            }
            let width = match q {
                Quantity::Time | Quantity::ContactCount => 1,
                Quantity::Positions => model.nq,
                Quantity::Velocities => model.nv(),
                Quantity::Activations => model.nz,
                Quantity::BodyPosition(_) | Quantity::BodyVelocity(_) => 3,
                Quantity::BodyRotation(_) => 4,
                Quantity::Sensors | Quantity::SensorsBefore => sensors,
            };
            parts.push((*q, width));
        }
        Ok(Self { width: parts.iter().map(|p| p.1).sum(), parts })
    }
}

impl ReadLane for Readout {
    fn width(&self) -> usize {
        self.width
    }

    fn read(&self, view: &mut LaneView<'_>, mut out: &mut [f64]) {
        for (q, width) in &self.parts {
            let (now, rest) = out.split_at_mut(*width);
            out = rest;
            match q {
                Quantity::Time => now[0] = view.x1.t,
                Quantity::Positions => now.copy_from_slice(&view.x1.q),
                Quantity::Velocities => now.copy_from_slice(&view.x1.v),
                Quantity::Activations => now.copy_from_slice(&view.x1.z),
                Quantity::BodyPosition(b) => {
                    now.copy_from_slice(view.kinematics().x_wb[*b].translation.vector.as_slice());
                }
                Quantity::BodyRotation(b) => {
                    let r = view.kinematics().x_wb[*b].rotation;
                    now.copy_from_slice(&[r.w, r.i, r.j, r.k]);
                }
                Quantity::BodyVelocity(b) => {
                    let system = view.system;
                    let kin = view.kinematics();
                    let p = kin.x_wb[*b].translation.vector.into();
                    now.copy_from_slice(kin.point_velocity(system.model(), *b, &p).as_slice());
                }
                Quantity::Sensors => now.copy_from_slice(view.sensors(true)),
                Quantity::SensorsBefore => now.copy_from_slice(view.sensors(false)),
                Quantity::ContactCount => now[0] = f64::from(view.report.contacts),
            }
        }
    }
}
