use signorini_core::na::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};
use signorini_scene::{JointKind, Pose, SensorKind, SensorObject, Transmission};

use crate::kinematics::rotation::{quaternion_at, rotation_vector};
use crate::sensing::distance::{Frame, limit_force, limit_of};
use crate::sensing::touch::{contains, ray_meets};
use crate::{ActuatorState, Dynamics, Kinematics, Model, SensorModel, Spatial, TendonState};

/// Force and moment of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactWrench {
    /// Bodies A and B; a number that no body has stands for matter that is none of the model's.
    pub bodies: [usize; 2],
    /// Geoms of A and B, or a number that no geom has.
    pub geoms: [usize; 2],
    /// Gap \[m\].
    pub gap: f64,
    /// Contact point, world \[m\].
    pub point: Point3<f64>,
    /// Normal from A into B.
    pub normal: Vector3<f64>,
    /// First tangent of the contact frame; the second one is normal × tangent.
    pub tangent: Vector3<f64>,
    /// Force on B, world axes \[N\]; A gets the opposite.
    pub force: Vector3<f64>,
    /// Moment on B about the contact point (torsional and rolling friction), world axes \[N·m\].
    pub torque: Vector3<f64>,
}

/// Inputs of the sensors.
#[derive(Clone, Copy)]
pub struct SensorInput<'a> {
    /// Time \[s\].
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Plain time derivative of v, with all forces.
    pub acceleration: &'a [f64],
    /// Kinematics at q, v.
    pub kin: &'a Kinematics,
    /// Tendons at q, v.
    pub tendons: &'a TendonState,
    /// Actuators at q, v.
    pub actuators: &'a ActuatorState,
    /// Forces of actuators, from [`Model::actuator_forces`].
    pub actuator_forces: &'a [f64],
    /// Generalised forces of actuators, from [`Model::actuator_forces`].
    pub actuator_tau: &'a [f64],
    /// Contacts. Connect and weld equalities may be listed as well, for force sensors; they count as contacts of bodies then.
    pub contacts: &'a [ContactWrench],
    /// Forces of limits, by twice the number of their degree of freedom, or of their tendon behind those, and one more for upper limits \[N or N·m\]; none where they are not known.
    pub limit_forces: &'a [f64],
}

/// Readings and scratch space; no allocation after construction, but where a contact sensor has more contacts than ever.
#[derive(Clone, Debug)]
pub struct SensorScratch {
    /// Values of all sensors, each from [`SensorModel::start`].
    pub values: Vec<f64>,
    dynamics: Dynamics,
    tau: Vec<f64>,
    /// Wrench that the rest of the world exerts on each subtree through the joints of its first body, about the world origin.
    interaction: Vec<Spatial>,
    /// Contacts of a contact sensor, seen from its first side.
    chosen: Vec<ContactWrench>,
}

impl SensorScratch {
    /// Sized for a model.
    pub fn new(model: &Model) -> Self {
        let n = model.sensors.iter().map(|s| s.kind.dim()).sum();
        Self {
            values: vec![0.0; n],
            dynamics: Dynamics::new(model),
            tau: vec![0.0; model.nv()],
            interaction: vec![Spatial::default(); model.bodies.len()],
            chosen: Vec::new(),
        }
    }

    /// Accelerations of bodies and interaction wrenches, when a sensor needs them.
    fn post_pass(&mut self, model: &Model, at: &SensorInput<'_>) {
        use SensorKind::{Accelerometer, Force, FrameAngAcc, FrameLinAcc, Torque};
        let needs =
            |s: &SensorModel| matches!(s.kind, Accelerometer | Force | FrameAngAcc | FrameLinAcc | Torque);
        if !model.sensors.iter().any(needs) {
            return;
        }
        let kin = at.kin;
        self.dynamics.inverse_dynamics(model, kin, &model.gravity, Some(at.acceleration), &mut self.tau);
        for (b, body) in model.bodies.iter().enumerate() {
            self.interaction[b] = match body.tree {
                Some(_) => {
                    let o = kin.reference(model, b).coords;
                    let momentum = kin.inertia[b].apply(&kin.twist[b]);
                    let a = self.dynamics.body_acceleration(b);
                    let f = kin.inertia[b].apply(&a) + kin.twist[b].cross_force(&momentum);
                    Spatial::new(f.angular + o.cross(&f.linear), f.linear)
                }
                None => {
                    let weight = -body.mass * model.gravity;
                    Spatial::new(kin.com(model, b).coords.cross(&weight), weight)
                }
            };
        }
        for c in at.contacts {
            for (b, sign) in [(c.bodies[0], 1.0), (c.bodies[1], -1.0)] {
                let moment = c.torque + c.point.coords.cross(&c.force);
                if let Some(on_body) = self.interaction.get_mut(b) {
                    *on_body += Spatial::new(moment * sign, c.force * sign);
                }
            }
        }
        for b in (1..model.bodies.len()).rev() {
            let f = self.interaction[b];
            self.interaction[model.bodies[b].parent] += f;
        }
    }

    /// Classical acceleration minus gravity of a frame's origin, world axes.
    fn acceleration(&self, model: &Model, kin: &Kinematics, f: &Frame) -> Vector3<f64> {
        let r = f.x.translation.vector - kin.reference(model, f.body).coords;
        let (a, twist) = (self.dynamics.body_acceleration(f.body), &kin.twist[f.body]);
        a.at(&r) + twist.angular.cross(&twist.at(&r))
    }
}

impl Model {
    /// Reads all sensors into `s.values`.
    pub fn read_sensors(&self, at: SensorInput<'_>, s: &mut SensorScratch) {
        s.post_pass(self, &at);
        for sensor in &self.sensors {
            let n = sensor.kind.dim();
            if let SensorKind::Zero(_) = sensor.kind {
                continue;
            }
            if let SensorKind::Contact(report) = sensor.kind {
                let out = &mut s.values[sensor.start..sensor.start + n];
                self.read_contacts(sensor, report, &at, &mut s.chosen, out);
                continue;
            }
            let mut out = [0.0; 6];
            self.read(sensor, &at, s, &mut out);
            let unit = matches!(
                sensor.kind,
                SensorKind::FrameQuat
                    | SensorKind::BallQuat
                    | SensorKind::FrameXAxis
                    | SensorKind::FrameYAxis
                    | SensorKind::FrameZAxis
                    | SensorKind::DistanceNormal
                    | SensorKind::DistancePoints
            );
            if sensor.cutoff > 0.0 && !unit {
                // −1 of a rangefinder that sees nothing is no distance.
                let least = if sensor.kind == SensorKind::Rangefinder { -1.0 } else { -sensor.cutoff };
                out.iter_mut().for_each(|x| *x = x.max(least).min(sensor.cutoff));
            }
            s.values[sensor.start..sensor.start + n].copy_from_slice(&out[..n]);
        }
    }

    fn frame(&self, kin: &Kinematics, object: SensorObject) -> Frame {
        let on = |f: &crate::FrameModel| Frame { body: f.body, x: kin.x_wb[f.body] * f.pose };
        match object {
            SensorObject::Body(b) => {
                let turn = self.principal_axes(b);
                let x = Isometry3::from_parts(Translation3::from(self.bodies[b].com), turn);
                Frame { body: b, x: kin.x_wb[b] * x }
            }
            SensorObject::BodyFrame(b) => Frame { body: b, x: kin.x_wb[b] },
            SensorObject::Geom(g) => on(&self.geoms[g]),
            SensorObject::Site(s) => on(&self.sites[s]),
            _ => Frame { body: 0, x: Pose::identity() },
        }
    }

    /// Principal axes of inertia of a body: those of its frame when its inertia is diagonal there, else by falling moment.
    fn principal_axes(&self, b: usize) -> UnitQuaternion<f64> {
        let i = &self.bodies[b].inertia;
        let off = i[(0, 1)].abs().max(i[(0, 2)].abs()).max(i[(1, 2)].abs());
        if off <= 1e-12 * i.amax() {
            return UnitQuaternion::identity();
        }
        let e = i.symmetric_eigen();
        let mut order = [0, 1, 2];
        order.sort_by(|a, b| e.eigenvalues[*b].total_cmp(&e.eigenvalues[*a]));
        let x = e.eigenvectors.column(order[0]).into_owned();
        let y = e.eigenvectors.column(order[1]).into_owned();
        let m = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(m))
    }

    fn read(&self, sensor: &SensorModel, at: &SensorInput<'_>, s: &SensorScratch, out: &mut [f64; 6]) {
        let SensorInput { kin, q, v, .. } = *at;
        let mut put = |x: Vector3<f64>| out[..3].copy_from_slice(x.as_slice());
        let f = self.frame(kin, sensor.object);
        let reference = self.frame(kin, sensor.reference.unwrap_or(SensorObject::World));
        let local = |x: Vector3<f64>| f.x.rotation.inverse() * x;
        let from_reference = |x: Vector3<f64>| reference.x.rotation.inverse() * x;
        let velocity = |f: &Frame| kin.point_velocity(self, f.body, &f.x.translation.vector.into());
        let axis = |i: usize| f.x.rotation * Vector3::ith(i, 1.0);
        let scalar = match (sensor.kind, sensor.object) {
            (SensorKind::Clock, _) => at.t,
            (SensorKind::PotentialEnergy, _) => {
                Dynamics::gravity_energy(self, kin, &self.gravity) + self.spring_energy(q, at.tendons)
            }
            (SensorKind::KineticEnergy, _) => {
                Dynamics::kinetic_energy(self, kin) + self.armature_energy(v, at.tendons)
            }
            (SensorKind::JointPos, SensorObject::Joint(j)) => q[self.joints[j].q],
            (SensorKind::JointVel, SensorObject::Joint(j)) => v[self.joints[j].v],
            (SensorKind::JointActuatorForce, SensorObject::Joint(j)) => at.actuator_tau[self.joints[j].v],
            (SensorKind::TendonPos, SensorObject::Tendon(t)) => at.tendons.length[t],
            (SensorKind::TendonVel, SensorObject::Tendon(t)) => at.tendons.rate[t],
            (SensorKind::TendonActuatorForce, SensorObject::Tendon(t)) => {
                let on = self.actuators.iter().zip(at.actuator_forces);
                on.filter(|(a, _)| a.transmission == Transmission::Tendon(t)).map(|(_, f)| f).sum()
            }
            (SensorKind::ActuatorPos, SensorObject::Actuator(a)) => at.actuators.length[a],
            (SensorKind::ActuatorVel, SensorObject::Actuator(a)) => at.actuators.rate[a],
            (SensorKind::ActuatorForce, SensorObject::Actuator(a)) => at.actuator_forces[a],
            (SensorKind::BallQuat, SensorObject::Joint(j)) => {
                let r = quaternion_at(q, self.joints[j].q);
                out[..4].copy_from_slice(&[r.w, r.i, r.j, r.k]);
                return;
            }
            (SensorKind::BallAngVel, SensorObject::Joint(j)) => {
                let at = self.joints[j].v;
                return put(Vector3::new(v[at], v[at + 1], v[at + 2]));
            }
            (SensorKind::JointLimitPos | SensorKind::JointLimitVel, SensorObject::Joint(j)) => {
                let j = &self.joints[j];
                let (range, position, rate) = match j.kind {
                    JointKind::Ball => {
                        let turn = rotation_vector(&quaternion_at(q, j.q));
                        let axis = turn.try_normalize(0.0).unwrap_or_default();
                        // An angle has no lower limit.
                        let range = j.range.map(|[_, high]| [f64::NEG_INFINITY, high]);
                        (range, turn.norm(), axis.dot(&Vector3::new(v[j.v], v[j.v + 1], v[j.v + 2])))
                    }
                    _ => (j.range, q[j.q], v[j.v]),
                };
                let limit = limit_of(range, j.limit_margin, position, rate);
                limit[usize::from(sensor.kind == SensorKind::JointLimitVel)]
            }
            (SensorKind::TendonLimitPos | SensorKind::TendonLimitVel, SensorObject::Tendon(t)) => {
                let tendon = &self.tendons[t];
                let (length, rate) = (at.tendons.length[t], at.tendons.rate[t]);
                let limit = limit_of(tendon.range, tendon.limit_margin, length, rate);
                limit[usize::from(sensor.kind == SensorKind::TendonLimitVel)]
            }
            (SensorKind::JointLimitForce, SensorObject::Joint(j)) => {
                limit_force(at.limit_forces, self.joints[j].v)
            }
            (SensorKind::TendonLimitForce, SensorObject::Tendon(t)) => {
                limit_force(at.limit_forces, self.nv() + t)
            }
            (SensorKind::InsideSite, _) => {
                let SensorObject::Site(site) = sensor.reference.unwrap_or(SensorObject::World) else {
                    return;
                };
                let p = reference.x.inverse_transform_point(&f.x.translation.vector.into());
                f64::from(self.sites[site].shape.as_ref().is_some_and(|shape| contains(shape, &p)))
            }
            (SensorKind::Rangefinder, _) => self.range(kin, &f).unwrap_or(-1.0),
            (SensorKind::Distance, _) => self.nearest(kin, sensor).0,
            (SensorKind::DistanceNormal, _) => {
                let [a, b] = self.nearest(kin, sensor).1;
                return put((b - a).try_normalize(0.0).unwrap_or_default());
            }
            (SensorKind::DistancePoints, _) => {
                let [a, b] = self.nearest(kin, sensor).1;
                out[..3].copy_from_slice(a.as_slice());
                out[3..].copy_from_slice(b.as_slice());
                return;
            }
            (SensorKind::CameraProjection { focal, centre }, _) => {
                let p = reference.x.inverse_transform_point(&f.x.translation.vector.into());
                out[0] = centre[0] - focal[0] * p.x / p.z;
                out[1] = centre[1] + focal[1] * p.y / p.z;
                return;
            }
            (SensorKind::Magnetometer, _) => return put(local(sensor.field)),
            (SensorKind::Touch, SensorObject::Site(site)) => self.touch(site, at),
            (SensorKind::ContactForce, _) => {
                let mut sum = Vector3::zeros();
                for c in at.contacts {
                    sum += c.force * (f64::from(c.bodies[1] == f.body) - f64::from(c.bodies[0] == f.body));
                }
                return put(sum);
            }
            (SensorKind::SubtreeCom, _) => return put(self.subtree(kin, f.body).0.coords),
            (SensorKind::SubtreeLinVel, _) => return put(self.subtree(kin, f.body).1),
            (SensorKind::SubtreeAngMom, _) => return put(self.subtree(kin, f.body).2),
            (SensorKind::Velocimeter, _) => return put(local(velocity(&f))),
            (SensorKind::Gyro, _) => return put(local(kin.twist[f.body].angular)),
            (SensorKind::Accelerometer, _) => return put(local(s.acceleration(self, kin, &f))),
            (SensorKind::Force, _) => return put(local(s.interaction[f.body].linear)),
            (SensorKind::Torque, _) => {
                let w = &s.interaction[f.body];
                return put(local(w.angular - f.x.translation.vector.cross(&w.linear)));
            }
            (SensorKind::FramePos, _) => {
                return put(from_reference(f.x.translation.vector - reference.x.translation.vector));
            }
            (SensorKind::FrameQuat, _) => {
                let r = reference.x.rotation.inverse() * f.x.rotation;
                out[..4].copy_from_slice(&[r.w, r.i, r.j, r.k]);
                return;
            }
            (SensorKind::FrameXAxis, _) => return put(from_reference(axis(0))),
            (SensorKind::FrameYAxis, _) => return put(from_reference(axis(1))),
            (SensorKind::FrameZAxis, _) => return put(from_reference(axis(2))),
            (SensorKind::FrameLinVel, _) => {
                // Velocity of the point as the reference frame sees it.
                let carried = kin.point_velocity(self, reference.body, &f.x.translation.vector.into());
                return put(from_reference(velocity(&f) - carried));
            }
            (SensorKind::FrameAngVel, _) => {
                let relative = kin.twist[f.body].angular - kin.twist[reference.body].angular;
                return put(from_reference(relative));
            }
            (SensorKind::FrameLinAcc, _) => return put(s.acceleration(self, kin, &f)),
            (SensorKind::FrameAngAcc, _) => return put(s.dynamics.body_acceleration(f.body).angular),
            _ => 0.0,
        };
        out[0] = scalar;
    }

    /// Sum of the normal forces of contacts of the site's body whose point lies in the site's shape, or would along the outward normal.
    fn touch(&self, site: usize, at: &SensorInput<'_>) -> f64 {
        let site = &self.sites[site];
        let Some(shape) = &site.shape else { return 0.0 };
        let x = at.kin.x_wb[site.body] * site.pose;
        let mut sum = 0.0;
        for c in at.contacts {
            let outward = match c.bodies {
                [a, _] if a == site.body => c.normal,
                [_, b] if b == site.body => -c.normal,
                _ => continue,
            };
            let p = x.inverse_transform_point(&c.point);
            if ray_meets(shape, &p, &x.inverse_transform_vector(&outward)) {
                sum += c.force.dot(&c.normal).max(0.0);
            }
        }
        sum
    }

    /// Centre of mass of a subtree, its velocity, and the angular momentum about it.
    fn subtree(&self, kin: &Kinematics, root: usize) -> (Point3<f64>, Vector3<f64>, Vector3<f64>) {
        let within = |mut b: usize| {
            while b > root {
                b = self.bodies[b].parent;
            }
            b == root
        };
        let members = || (root..self.bodies.len()).filter(|&b| within(b) && self.bodies[b].mass > 0.0);
        let mass: f64 = members().map(|b| self.bodies[b].mass).sum();
        if mass <= 0.0 {
            let p = Point3::from(kin.x_wb[root].translation.vector);
            return (p, kin.point_velocity(self, root, &p), Vector3::zeros());
        }
        let (mut com, mut velocity) = (Vector3::zeros(), Vector3::zeros());
        for b in members() {
            let share = self.bodies[b].mass / mass;
            com += kin.com(self, b).coords * share;
            velocity += kin.point_velocity(self, b, &kin.com(self, b)) * share;
        }
        let mut angular = Vector3::zeros();
        for b in members() {
            let (p, v) = (kin.com(self, b), kin.point_velocity(self, b, &kin.com(self, b)));
            angular += self.bodies[b].mass * (p.coords - com).cross(&(v - velocity));
            angular += kin.world_inertia(self, b) * kin.twist[b].angular;
        }
        (com.into(), velocity, angular)
    }
}
