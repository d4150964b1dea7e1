use signorini_scene::{JointKind, Scene, SensorKind, SensorObject};

use crate::{Model, ModelError, SensorModel};

/// Whether an object is a side of contacts.
fn is_side(object: SensorObject) -> bool {
    use SensorObject as O;
    matches!(object, O::Geom(_) | O::Body(_) | O::BodyFrame(_) | O::Subtree(_) | O::Site(_) | O::World)
}

impl Model {
    pub(crate) fn add_sensors(&mut self, scene: &Scene) -> Result<(), ModelError> {
        let mut start = 0;
        for s in &scene.sensors {
            for object in [Some(s.object), s.reference].into_iter().flatten() {
                let (exists, what) = match object {
                    SensorObject::Body(b) | SensorObject::BodyFrame(b) | SensorObject::Subtree(b) => {
                        (b < self.bodies.len(), "body")
                    }
                    SensorObject::Geom(g) => (g < self.geoms.len(), "geom"),
                    SensorObject::Site(k) => (k < self.sites.len(), "site"),
                    SensorObject::Joint(j) => (j < self.joints.len(), "joint"),
                    SensorObject::Tendon(t) => (t < self.tendons.len(), "tendon"),
                    SensorObject::Actuator(a) => (a < self.actuators.len(), "actuator"),
                    SensorObject::World => (true, "scene"),
                };
                if !exists {
                    let message = format!("it names a {what} that does not exist");
                    return Err(ModelError::element(&s.place, message, "name an element of the scene"));
                }
            }
            if !self.sensor_fits(s.kind, s.object) {
                let message = format!("{:?} cannot be measured at {:?}", s.kind, s.object);
                return Err(ModelError::element(
                    &s.place,
                    message,
                    "attach the sensor to an object of the right kind",
                ));
            }
            use SensorKind::{
                CameraProjection, Contact, Distance, DistanceNormal, DistancePoints, InsideSite,
            };
            use SensorKind::{FrameAngAcc, FrameLinAcc};
            let framed = |k| format!("{k:?}").starts_with("Frame");
            let paired = match (s.kind, s.reference) {
                (Contact(_), second) => {
                    second.map(|side| !matches!(side, SensorObject::Site(_)) && is_side(side))
                }
                (InsideSite | CameraProjection { .. }, second) => {
                    Some(matches!(second, Some(SensorObject::Site(_))))
                }
                (Distance | DistanceNormal | DistancePoints, second) => Some(matches!(
                    second,
                    Some(SensorObject::Body(_) | SensorObject::BodyFrame(_) | SensorObject::Geom(_))
                )),
                _ => None,
            };
            if paired == Some(false) {
                let message = format!("{:?} needs a second object of the right kind", s.kind);
                return Err(ModelError::element(&s.place, message, "give it as the reference of the sensor"));
            }
            let plain = paired.is_none() && (!framed(s.kind) || matches!(s.kind, FrameAngAcc | FrameLinAcc));
            if s.reference.is_some() && plain {
                let message = format!("{:?} has no reference frame", s.kind);
                return Err(ModelError::element(&s.place, message, "leave out the reference"));
            }
            if !(s.cutoff >= 0.0 && s.cutoff.is_finite()) {
                return Err(ModelError::element(
                    &s.place,
                    "its cutoff must not be negative",
                    "give 0 for no cutoff",
                ));
            }
            self.sensors.push(SensorModel {
                name: s.name.clone(),
                kind: s.kind,
                object: s.object,
                reference: s.reference,
                cutoff: s.cutoff,
                field: scene.options.magnetic_field,
                start,
            });
            start += s.kind.dim();
        }
        Ok(())
    }

    fn sensor_fits(&self, kind: SensorKind, object: SensorObject) -> bool {
        use SensorKind as K;
        use SensorObject as O;
        let framed = matches!(object, O::Body(_) | O::BodyFrame(_) | O::Geom(_) | O::Site(_));
        let joint = |wanted: &[JointKind]| match object {
            O::Joint(j) => wanted.contains(&self.joints[j].kind),
            _ => false,
        };
        match kind {
            K::Touch | K::Magnetometer | K::Rangefinder => matches!(object, O::Site(_)),
            K::Distance | K::DistanceNormal | K::DistancePoints => {
                matches!(object, O::Body(_) | O::BodyFrame(_) | O::Geom(_))
            }
            K::Contact(_) => is_side(object),
            K::TendonLimitPos | K::TendonLimitVel | K::TendonLimitForce => matches!(object, O::Tendon(_)),
            K::Zero(_) => true,
            K::JointPos | K::JointVel | K::JointActuatorForce => joint(&[JointKind::Hinge, JointKind::Slide]),
            K::JointLimitPos | K::JointLimitVel | K::JointLimitForce => {
                joint(&[JointKind::Hinge, JointKind::Slide, JointKind::Ball])
            }
            K::BallQuat | K::BallAngVel => joint(&[JointKind::Ball]),
            K::TendonPos | K::TendonVel | K::TendonActuatorForce => matches!(object, O::Tendon(_)),
            K::ActuatorPos | K::ActuatorVel | K::ActuatorForce => matches!(object, O::Actuator(_)),
            K::Clock | K::PotentialEnergy | K::KineticEnergy => true,
            K::SubtreeCom | K::SubtreeLinVel | K::SubtreeAngMom | K::ContactForce => {
                matches!(object, O::Body(_) | O::BodyFrame(_))
            }
            _ => framed,
        }
    }
}
