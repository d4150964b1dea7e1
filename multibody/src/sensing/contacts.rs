//! Contact sensors.

use signorini_core::na::{Matrix3, Point3, Vector3};
use signorini_scene::{ContactChoice, ContactReport, ContactValue, SensorObject};

use crate::sensing::touch::contains;
use crate::{ContactWrench, Model, SensorInput, SensorModel};

impl ContactWrench {
    /// Whether the contact acts: bodies meet, or a force is between them.
    fn acts(&self) -> bool {
        self.gap <= 0.0 || self.force != Vector3::zeros()
    }

    /// The contact seen from B.
    fn turned(&self) -> Self {
        let ([a, b], [g, h]) = (self.bodies, self.geoms);
        Self {
            bodies: [b, a],
            geoms: [h, g],
            normal: -self.normal,
            tangent: -self.tangent,
            force: -self.force,
            torque: -self.torque,
            ..*self
        }
    }

    /// Contact frame: normal and tangents.
    fn frame(&self) -> Matrix3<f64> {
        Matrix3::from_columns(&[self.normal, self.tangent, self.normal.cross(&self.tangent)])
    }
}

impl Model {
    /// Whether a side of a contact is of an object.
    fn is_of(&self, object: SensorObject, body: usize, geom: usize) -> bool {
        match object {
            SensorObject::Geom(g) => g == geom,
            SensorObject::Body(b) | SensorObject::BodyFrame(b) => b == body,
            SensorObject::Subtree(root) => {
                let mut at = body;
                while at > root && at < self.bodies.len() {
                    at = self.bodies[at].parent;
                }
                at == root
            }
            _ => true,
        }
    }

    /// Reads a contact sensor; `chosen` is scratch space.
    pub(super) fn read_contacts(
        &self,
        sensor: &SensorModel,
        report: ContactReport,
        at: &SensorInput<'_>,
        chosen: &mut Vec<ContactWrench>,
        out: &mut [f64],
    ) {
        let (first, second) = (sensor.object, sensor.reference.unwrap_or(SensorObject::World));
        let within = |p: &Point3<f64>| match first {
            SensorObject::Site(s) => {
                let site = &self.sites[s];
                let p = (at.kin.x_wb[site.body] * site.pose).inverse_transform_point(p);
                site.shape.as_ref().is_some_and(|shape| contains(shape, &p))
            }
            _ => true,
        };
        let meets = |c: &ContactWrench| {
            let ([a, b], [g, h]) = (c.bodies, c.geoms);
            self.is_of(first, a, g) && self.is_of(second, b, h)
        };
        chosen.clear();
        for c in at.contacts.iter().filter(|c| c.acts() && within(&c.point)) {
            let turned = c.turned();
            chosen.extend([*c, turned].into_iter().find(meets));
        }
        let found = chosen.len();
        match report.choice {
            ContactChoice::First => {}
            ContactChoice::Nearest => chosen.sort_unstable_by(|a, b| a.gap.total_cmp(&b.gap)),
            ContactChoice::Strongest => {
                chosen.sort_unstable_by(|a, b| b.force.norm_squared().total_cmp(&a.force.norm_squared()));
            }
            ContactChoice::Sum => {
                let sum = (found > 0).then(|| together(chosen));
                chosen.clear();
                chosen.extend(sum);
            }
        }
        out.fill(0.0);
        let size = report.values().map(ContactValue::dim).sum();
        for (c, out) in chosen.iter().zip(out.chunks_exact_mut(size)) {
            let frame = c.frame();
            let [a, b] = c.bodies.map(|b| b.min(self.bodies.len()));
            let twist = |b: usize| at.kin.twist.get(b).map_or(Vector3::zeros(), |t| t.angular);
            let velocity = |b: usize| match b < self.bodies.len() {
                true => at.kin.point_velocity(self, b, &c.point),
                false => Vector3::zeros(),
            };
            let mut from = 0;
            for value in report.values() {
                let x = match value {
                    ContactValue::Found => Vector3::repeat(found as f64),
                    ContactValue::Gap => Vector3::repeat(c.gap),
                    ContactValue::Force => frame.tr_mul(&c.force),
                    ContactValue::Torque => frame.tr_mul(&c.torque),
                    ContactValue::Point => c.point.coords,
                    ContactValue::Normal => c.normal,
                    ContactValue::Tangent => c.tangent,
                    ContactValue::Velocity => frame.tr_mul(&(velocity(b) - velocity(a))),
                    ContactValue::AngularVelocity => frame.tr_mul(&(twist(b) - twist(a))),
                };
                out[from..from + value.dim()].copy_from_slice(&x.as_slice()[..value.dim()]);
                from += value.dim();
            }
        }
    }
}

/// Contacts as one: their wrench at the mean of their points by force, in world axes.
fn together(contacts: &[ContactWrench]) -> ContactWrench {
    let weight: f64 = contacts.iter().map(|c| c.force.norm()).sum();
    let point = match weight > 0.0 {
        true => contacts.iter().map(|c| c.force.norm() / weight * c.point.coords).sum(),
        false => Vector3::zeros(),
    };
    let moment = |c: &ContactWrench| c.torque + (c.point.coords - point).cross(&c.force);
    ContactWrench {
        bodies: contacts[0].bodies,
        geoms: contacts[0].geoms,
        gap: 0.0,
        point: point.into(),
        normal: Vector3::x(),
        tangent: Vector3::y(),
        force: contacts.iter().map(|c| c.force).sum(),
        torque: contacts.iter().map(moment).sum(),
    }
}
