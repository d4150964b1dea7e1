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
    /// Hinge, slide or ball.
    LimitedJoint,
    Tendon,
    Actuator,
    Body,
    Frame,
    FrameInReference,
    Nothing,
}

const SENSORS: [(&str, SensorKind, Named); 39] = [
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
    ("magnetometer", SensorKind::Magnetometer, Named::Site),
    ("jointlimitpos", SensorKind::JointLimitPos, Named::LimitedJoint),
    ("jointlimitvel", SensorKind::JointLimitVel, Named::LimitedJoint),
    ("jointlimitfrc", SensorKind::JointLimitForce, Named::LimitedJoint),
    ("tendonlimitfrc", SensorKind::TendonLimitForce, Named::Tendon),
    ("tendonlimitpos", SensorKind::TendonLimitPos, Named::Tendon),
    ("tendonlimitvel", SensorKind::TendonLimitVel, Named::Tendon),
    ("clock", SensorKind::Clock, Named::Nothing),
    ("e_potential", SensorKind::PotentialEnergy, Named::Nothing),
    ("e_kinetic", SensorKind::KineticEnergy, Named::Nothing),
];

impl Reader<'_> {
    /// Reads `<sensor>`.
    pub(super) fn read_sensors(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            if c.name == "plugin" {
                return Err(c.unsupported("a sensor of a plugin", "remove the plugin and what uses it"));
            }
            let (kind, object, reference) = match SENSORS.iter().find(|s| s.0 == c.name) {
                Some((_, kind, named)) => {
                    let object = self.sensor_object(c, *named)?;
                    let mut reference = None;
                    if *named == Named::FrameInReference {
                        reference = self.frame_object(c, "reftype", "refname")?;
                    }
                    (*kind, object, reference)
                }
                None => self.other_sensor(e, c)?,
            };
            let cutoff = c.nonnegative("cutoff")?.unwrap_or(0.0);
            for name in ["delay", "interval"] {
                if c.numbers(name)?.is_some_and(|d| d.iter().any(|x| *x != 0.0)) {
                    let text = format!("'{name}' is left out: the sensor reads the present state");
                    self.notes.add(NoteKind::Warning, c, text);
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
                kind,
                object,
                reference,
                cutoff,
                place,
            });
        }
        Ok(())
    }

    /// Sensors with references of their own, and those that nothing here computes.
    fn other_sensor(
        &mut self,
        parent: &Element,
        e: &Element,
    ) -> Read<(SensorKind, SensorObject, Option<SensorObject>)> {
        let zero = |this: &mut Self, n: usize, why: &str| {
            this.notes.add(NoteKind::Warning, e, format!("sensor <{}> reads 0: {why}", e.name));
            e.skip();
            Ok((SensorKind::Zero(n), SensorObject::World, None))
        };
        match e.name.as_str() {
            "insidesite" => {
                let site = self.names.sites.need(e, "site")?;
                let object =
                    self.frame_object(e, "objtype", "objname")?.ok_or_else(|| nothing_measured(e))?;
                Ok((SensorKind::InsideSite, object, Some(SensorObject::Site(site))))
            }
            "distance" | "normal" | "fromto" => {
                let kind = match e.name.as_str() {
                    "distance" => SensorKind::Distance,
                    "normal" => SensorKind::DistanceNormal,
                    _ => SensorKind::DistancePoints,
                };
                let first = self.side(e, "geom1", "body1")?;
                Ok((kind, first, Some(self.side(e, "geom2", "body2")?)))
            }
            "rangefinder" => {
                let data = e.string("data").unwrap_or("dist").to_owned();
                e.skip_attributes(&["camera"]);
                if e.has("camera") || data.trim() != "dist" {
                    let n =
                        data.split_whitespace().map(|w| if matches!(w, "dist" | "depth") { 1 } else { 3 });
                    return zero(self, n.sum(), "only the distance along the z axis of a site is computed");
                }
                Ok((SensorKind::Rangefinder, SensorObject::Site(self.names.sites.need(e, "site")?), None))
            }
            "user" => {
                let n = e.integer("dim")?.filter(|n| (0..=1 << 20).contains(n)).unwrap_or(1);
                zero(self, n as usize, "nothing computes it")
            }
            "contact" => self.contact_sensor(e),
            "camprojection" => {
                let site = SensorObject::Site(self.names.sites.need(e, "site")?);
                let (camera, kind) = self.projection(e)?;
                Ok((kind, site, Some(camera)))
            }
            "tactile" => zero(self, 0, "it has no values here"),
            _ => {
                let known: Vec<&str> = SENSORS.iter().map(|s| s.0).collect();
                Err(parent.unknown_child(e, &known))
            }
        }
    }

    /// One side of a distance.
    fn side(&self, e: &Element, geom: &'static str, body: &'static str) -> Read<SensorObject> {
        match (self.names.geoms.get(e, geom)?, self.names.bodies.get(e, body)?) {
            (Some(g), None) => Ok(SensorObject::Geom(g)),
            (None, Some(b)) => Ok(SensorObject::BodyFrame(b)),
            _ => Err(e.invalid(
                format!("one of '{geom}' and '{body}' is needed"),
                format!("write {geom}=\"...\" or {body}=\"...\""),
            )),
        }
    }

    fn sensor_object(&mut self, e: &Element, named: Named) -> Read<SensorObject> {
        if matches!(named, Named::Frame | Named::FrameInReference) {
            return self.frame_object(e, "objtype", "objname")?.ok_or_else(|| nothing_measured(e));
        }
        let n = &self.names;
        let joint = |kinds: &[JointKind], wanted: &str| -> Read<SensorObject> {
            let j = n.joints.need(e, "joint")?;
            if !kinds.contains(&self.scene.joints[j].kind) {
                let name = &self.scene.joints[j].name;
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
            Named::Joint => joint(&[JointKind::Hinge, JointKind::Slide], "a hinge or slide"),
            Named::BallJoint => joint(&[JointKind::Ball], "a ball"),
            Named::LimitedJoint => {
                joint(&[JointKind::Hinge, JointKind::Slide, JointKind::Ball], "a hinge, slide or ball")
            }
            Named::Tendon => n.tendons.need(e, "tendon").map(SensorObject::Tendon),
            Named::Actuator => n.actuators.need(e, "actuator").map(SensorObject::Actuator),
            Named::Body => n.bodies.need(e, "body").map(SensorObject::Body),
            Named::Frame | Named::FrameInReference | Named::Nothing => Ok(SensorObject::World),
        }
    }

    fn frame_object(
        &mut self,
        e: &Element,
        kind: &'static str,
        name: &'static str,
    ) -> Read<Option<SensorObject>> {
        let Some(word) = e.nonempty(kind).map(str::to_owned) else {
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
        match word.as_str() {
            "body" => n.bodies.need(e, name).map(|b| Some(SensorObject::Body(b))),
            "xbody" => n.bodies.need(e, name).map(|b| Some(SensorObject::BodyFrame(b))),
            "geom" => n.geoms.need(e, name).map(|g| Some(SensorObject::Geom(g))),
            "site" => n.sites.need(e, name).map(|s| Some(SensorObject::Site(s))),
            "camera" => self.camera_site(e, name).map(Some),
            _ => Err(e.invalid_at(
                kind,
                format!("'{kind}' is '{word}'"),
                "write one of: body, xbody, geom, site, camera",
            )),
        }
    }
}

fn nothing_measured(e: &Element) -> crate::SceneError {
    e.invalid("the sensor does not say what it measures", "write objtype=\"...\" and objname=\"...\"")
}
