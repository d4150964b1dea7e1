//! `<sensor>`.

use super::Reader;
use crate::xml::{Element, Read};
use crate::{JointKind, NoteKind, Sensor, SensorKind, SensorObject};

/// Kind of object that the element of a sensor names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Site,
    Joint,
    BallJoint,
    Tendon,
    Actuator,
    Body,
    Frame,
    FrameInReference,
    Nothing,
}

const SENSORS: [(&str, SensorKind, Named); 32] = [
    ("touch", SensorKind::Touch, Named::Site),
    ("accelerometer", SensorKind::Accelerometer, Named::Site),
    ("velocimeter", SensorKind::Velocimeter, Named::Site),
    ("gyro", SensorKind::Gyro, Named::Site),
    ("force", SensorKind::Force, Named::Site),
    ("torque", SensorKind::Torque, Named::Site),
    ("jointpos", SensorKind::JointPos, Named::Joint),
    ("jointvel", SensorKind::JointVel, Named::Joint),
    ("jointactuatorfrc", SensorKind::JointActuatorForce, Named::Joint),
    ("tendonpos", SensorKind::TendonPos, Named::Tendon),
    ("tendonvel", SensorKind::TendonVel, Named::Tendon),
    ("tendonactuatorfrc", SensorKind::TendonActuatorForce, Named::Tendon),
    ("actuatorpos", SensorKind::ActuatorPos, Named::Actuator),
    ("actuatorvel", SensorKind::ActuatorVel, Named::Actuator),
    ("actuatorfrc", SensorKind::ActuatorForce, Named::Actuator),
    ("ballquat", SensorKind::BallQuat, Named::BallJoint),
    ("ballangvel", SensorKind::BallAngVel, Named::BallJoint),
    ("framepos", SensorKind::FramePos, Named::FrameInReference),
    ("framequat", SensorKind::FrameQuat, Named::FrameInReference),
    ("framexaxis", SensorKind::FrameXAxis, Named::FrameInReference),
    ("frameyaxis", SensorKind::FrameYAxis, Named::FrameInReference),
    ("framezaxis", SensorKind::FrameZAxis, Named::FrameInReference),
    ("framelinvel", SensorKind::FrameLinVel, Named::FrameInReference),
    ("frameangvel", SensorKind::FrameAngVel, Named::FrameInReference),
    ("framelinacc", SensorKind::FrameLinAcc, Named::Frame),
    ("frameangacc", SensorKind::FrameAngAcc, Named::Frame),
    ("subtreecom", SensorKind::SubtreeCom, Named::Body),
    ("subtreelinvel", SensorKind::SubtreeLinVel, Named::Body),
    ("subtreeangmom", SensorKind::SubtreeAngMom, Named::Body),
    ("clock", SensorKind::Clock, Named::Nothing),
    ("e_potential", SensorKind::PotentialEnergy, Named::Nothing),
    ("e_kinetic", SensorKind::KineticEnergy, Named::Nothing),
];

/// Sensors of MuJoCo that have no counterpart here.
const REFUSED: [&str; 17] = [
    "magnetometer",
    "camprojection",
    "rangefinder",
    "jointlimitpos",
    "jointlimitvel",
    "jointlimitfrc",
    "tendonlimitpos",
    "tendonlimitvel",
    "tendonlimitfrc",
    "insidesite",
    "distance",
    "normal",
    "fromto",
    "contact",
    "tactile",
    "user",
    "plugin",
];

impl Reader<'_> {
    /// Reads `<sensor>`.
    pub(super) fn read_sensors(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            let Some((_, kind, named)) = SENSORS.iter().find(|s| s.0 == c.name) else {
                self.refuse_sensor(e, c)?;
                continue;
            };
            let object = self.sensor_object(c, *named)?;
            let mut reference = None;
            if *named == Named::FrameInReference {
                reference = self.frame_object(c, "reftype", "refname")?;
            }
            let cutoff = c.nonnegative("cutoff")?.unwrap_or(0.0);
            for name in ["delay", "interval"] {
                if c.numbers(name)?.is_some_and(|d| d.iter().any(|x| *x != 0.0)) {
                    return Err(c.unsupported_at(
                        name,
                        format!("a sensor with {name}"),
                        "remove the attribute",
                    ));
                }
            }
            // MuJoCo only carries the noise along as an annotation.
            c.skip_attributes(&["noise", "user", "nsample", "interp"]);
            let name = c.nonempty("name").map(str::to_owned);
            let place = c.place();
            self.names.sensors.add(name.as_deref(), self.scene.sensors.len(), &place)?;
            c.no_children()?;
            c.finish()?;
            self.scene.sensors.push(Sensor {
                name: name.unwrap_or_default(),
                kind: *kind,
                object,
                reference,
                cutoff,
                place,
            });
        }
        Ok(())
    }

    fn refuse_sensor(&mut self, e: &Element, c: &Element) -> Read<()> {
        if !REFUSED.contains(&c.name.as_str()) {
            let known: Vec<&str> = SENSORS.iter().map(|s| s.0).collect();
            return Err(e.unknown_child(c, &known));
        }
        if !self.options.lenient {
            return Err(c.unsupported(
                format!("sensor <{}>", c.name),
                "remove it, or load leniently to leave it out",
            ));
        }
        self.notes.add(NoteKind::Warning, c, format!("sensor <{}> is left out", c.name));
        c.skip();
        Ok(())
    }

    fn sensor_object(&self, e: &Element, named: Named) -> Read<SensorObject> {
        let n = &self.names;
        let joint = |ball: bool| -> Read<SensorObject> {
            let j = n.joints.need(e, "joint")?;
            let kind = self.scene.joints[j].kind;
            let fits = if ball { kind == JointKind::Ball } else { kind.nv() == 1 };
            if !fits {
                let (name, wanted) =
                    (&self.scene.joints[j].name, if ball { "a ball" } else { "a hinge or slide" });
                return Err(e.invalid_at(
                    "joint",
                    format!("joint '{name}' is not {wanted} joint"),
                    format!("name {wanted} joint, or use a frame sensor"),
                ));
            }
            Ok(SensorObject::Joint(j))
        };
        match named {
            Named::Site => n.sites.need(e, "site").map(SensorObject::Site),
            Named::Joint => joint(false),
            Named::BallJoint => joint(true),
            Named::Tendon => n.tendons.need(e, "tendon").map(SensorObject::Tendon),
            Named::Actuator => n.actuators.need(e, "actuator").map(SensorObject::Actuator),
            Named::Body => n.bodies.need(e, "body").map(SensorObject::Body),
            Named::Nothing => Ok(SensorObject::World),
            Named::Frame | Named::FrameInReference => {
                self.frame_object(e, "objtype", "objname")?.ok_or_else(|| {
                    e.invalid(
                        "the sensor does not say what it measures",
                        "write objtype=\"...\" and objname=\"...\"",
                    )
                })
            }
        }
    }

    fn frame_object(
        &self,
        e: &Element,
        kind: &'static str,
        name: &'static str,
    ) -> Read<Option<SensorObject>> {
        let Some(word) = e.nonempty(kind) else {
            return match e.nonempty(name) {
                None => Ok(None),
                Some(_) => Err(e.invalid_at(
                    name,
                    format!("'{name}' is given without '{kind}'"),
                    format!("write {kind}=\"body\", \"xbody\", \"geom\" or \"site\""),
                )),
            };
        };
        let n = &self.names;
        match word {
            "body" => n.bodies.need(e, name).map(|b| Some(SensorObject::Body(b))),
            "xbody" => n.bodies.need(e, name).map(|b| Some(SensorObject::BodyFrame(b))),
            "geom" => n.geoms.need(e, name).map(|g| Some(SensorObject::Geom(g))),
            "site" => n.sites.need(e, name).map(|s| Some(SensorObject::Site(s))),
            "camera" => {
                Err(e.unsupported_at(kind, "a sensor on a camera", "put a site at the camera's pose"))
            }
            _ => Err(e.invalid_at(
                kind,
                format!("'{kind}' is '{word}'"),
                "write one of: body, xbody, geom, site",
            )),
        }
    }
}
