use signorini_core::{ContactMemory, State};
use signorini_scene::{JointKind, Keyframe, Pose};

use crate::{Model, ModelError};

impl Model {
    /// First entry of the quaternion of each free and ball joint, with the joint's number.
    fn quaternions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.joints.iter().enumerate().filter_map(|(i, j)| match j.kind {
            JointKind::Free => Some((j.q + 3, i)),
            JointKind::Ball => Some((j.q, i)),
            JointKind::Hinge | JointKind::Slide => None,
        })
    }

    /// Fails on a state that does not fit: lengths, NaN, quaternions without direction.
    ///
    /// # Errors
    /// [`ModelError::Length`], [`ModelError::NonFinite`], [`ModelError::ZeroQuaternion`].
    pub fn check_state(&self, q: &[f64], v: &[f64]) -> Result<(), ModelError> {
        for (what, expected, found) in [("q", self.nq, q.len()), ("v", self.nv(), v.len())] {
            if expected != found {
                return Err(ModelError::Length { what, expected, found });
            }
        }
        if let Some(index) = q.iter().position(|x| !x.is_finite()) {
            let joint = self.joint_of_q(index).map_or(String::new(), |j| j.name.clone());
            return Err(ModelError::NonFinite { what: "q", index, joint });
        }
        if let Some(index) = v.iter().position(|x| !x.is_finite()) {
            let joint = self.joints[self.dofs[index].joint].name.clone();
            return Err(ModelError::NonFinite { what: "v", index, joint });
        }
        for (at, j) in self.quaternions() {
            if q[at..at + 4].iter().map(|x| x * x).sum::<f64>() < 1e-20 {
                return Err(ModelError::ZeroQuaternion { index: at, joint: self.joints[j].name.clone() });
            }
        }
        Ok(())
    }

    /// Fails on controls that do not fit: length, NaN.
    ///
    /// # Errors
    /// [`ModelError::Length`], [`ModelError::Control`].
    pub fn check_control(&self, control: &[f64]) -> Result<(), ModelError> {
        if control.len() != self.actuators.len() {
            let (expected, found) = (self.actuators.len(), control.len());
            return Err(ModelError::Length { what: "control", expected, found });
        }
        match control.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(ModelError::Control { index: i, actuator: self.actuators[i].name.clone() }),
            None => Ok(()),
        }
    }

    /// The state of a keyframe; parts that it leaves out are those of the reference configuration at rest.
    ///
    /// # Errors
    /// As [`Model::check_state`]; [`ModelError::Length`] of the activations.
    pub fn state_at(&self, key: Option<&Keyframe>, internal: usize) -> Result<State, ModelError> {
        let pick = |x: Option<&Vec<f64>>, otherwise: &[f64]| match x {
            Some(x) if !x.is_empty() => x.clone(),
            _ => otherwise.to_vec(),
        };
        let mut s = State {
            t: key.map_or(0.0, |k| k.time),
            q: pick(key.map(|k| &k.q), &self.reference_q),
            v: pick(key.map(|k| &k.v), &vec![0.0; self.nv()]),
            z: pick(key.map(|k| &k.activation), &vec![0.0; internal]),
            memory: ContactMemory::default(),
        };
        self.check_state(&s.q, &s.v)?;
        if s.z.len() != internal {
            return Err(ModelError::Length { what: "activation", expected: internal, found: s.z.len() });
        }
        self.normalize(&mut s.q);
        Ok(s)
    }

    /// The controls of a keyframe; zero when it states none.
    ///
    /// # Errors
    /// As [`Model::check_control`].
    pub fn control_at(&self, key: Option<&Keyframe>) -> Result<Vec<f64>, ModelError> {
        let u = match key {
            Some(k) if !k.control.is_empty() => k.control.clone(),
            _ => vec![0.0; self.actuators.len()],
        };
        self.check_control(&u)?;
        Ok(u)
    }

    /// The poses of the mocap bodies in a keyframe; as drawn when it states none.
    ///
    /// # Errors
    /// [`ModelError::Length`].
    pub fn mocap_at(&self, key: Option<&Keyframe>) -> Result<Vec<Pose>, ModelError> {
        match key {
            Some(k) if !k.mocap.is_empty() => {
                let (expected, found) = (self.mocap_poses.len(), k.mocap.len());
                match expected == found {
                    true => Ok(k.mocap.clone()),
                    false => Err(ModelError::Length { what: "mocap poses", expected, found }),
                }
            }
            _ => Ok(self.mocap_poses.clone()),
        }
    }

    /// Normalises all quaternions in place.
    pub fn normalize(&self, q: &mut [f64]) {
        for (at, _) in self.quaternions() {
            let n = q[at..at + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[at..at + 4].iter_mut().for_each(|x| *x /= n);
        }
    }
}
