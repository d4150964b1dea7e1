use serde::{Deserialize, Serialize};

use crate::error::{ProblemError, check_finite};

/// Everything needed to restart a run bit for bit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time \[s\].
    pub t: f64,
    /// Positions, nq.
    pub q: Vec<f64>,
    /// Velocities, nv.
    pub v: Vec<f64>,
    /// Internal variables: actuator activations, plastic strains; nz.
    pub z: Vec<f64>,
    /// Memory of the contacts; empty for laws without memory.
    #[serde(default)]
    pub memory: ContactMemory,
}

/// Place of a remembered contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactKey {
    /// Geoms of A and B.
    pub geoms: [u32; 2],
    /// Feature of the pair of shapes.
    pub feature: u64,
    /// The contact point in the frame of body A \[m\], 3.
    pub point: [f64; 3],
}

/// Force of a remembered limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitMemory {
    /// Number of the limit in its system.
    pub limit: u32,
    /// Multiplier of its law over the step size \[N or N·m\].
    pub force: f64,
}

/// Forces that contacts and limits carry from one step to the next, for laws that build on those of the last step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactMemory {
    /// Place of each contact.
    pub keys: Vec<ContactKey>,
    /// Multipliers of the law over the step size \[N\], as many per contact as [`crate::SweptLaw::multiplier_count`].
    pub forces: Vec<f64>,
    /// Limits that pressed.
    #[serde(default)]
    pub limits: Vec<LimitMemory>,
}

impl ContactMemory {
    /// Forgets all contacts and limits, keeping the storage.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.forces.clear();
        self.limits.clear();
    }
}

impl State {
    /// Takes over the content of another state; no allocation once the sizes agree.
    pub fn copy_from(&mut self, other: &State) {
        self.t = other.t;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.z.clone_from(&other.z);
        self.memory.keys.clone_from(&other.memory.keys);
        self.memory.forces.clone_from(&other.memory.forces);
        self.memory.limits.clone_from(&other.memory.limits);
    }

    /// Fails on entries that are NaN or infinite.
    ///
    /// # Errors
    /// [`ProblemError::NonFinite`] naming the array.
    pub fn check_finite(&self) -> Result<(), ProblemError> {
        check_finite("time", &[self.t])?;
        check_finite("positions q", &self.q)?;
        check_finite("velocities v", &self.v)?;
        check_finite("internal variables z", &self.z)?;
        check_finite("contact memory", &self.memory.forces)?;
        match self.memory.limits.iter().position(|l| !l.force.is_finite()) {
            Some(index) => Err(ProblemError::NonFinite { what: "limit memory", index }),
            None => Ok(()),
        }
    }
}
