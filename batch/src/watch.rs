use signorini_core::na::Point3;
use signorini_core::{Frame, LastSolve, Observation, ObservationError, ObservationLayout, State};
use signorini_geometry::{Shape, distance};
use signorini_multibody::{FrameModel, Kinematics, Model, Sensors};
use signorini_scene::Pose;

/// A geom and where it is.
#[derive(Clone, Debug)]
struct Placed {
    shape: Shape,
    body: usize,
    pose: Pose,
}

impl Placed {
    fn pose(&self, kin: &Kinematics) -> Pose {
        kin.x_wb[self.body] * self.pose
    }
}

/// An observation with its names looked up.
#[derive(Clone, Debug)]
enum Item {
    /// Positions from the first, so many.
    Positions(usize, usize),
    Velocities(usize, usize),
    Position(usize, Pose),
    Rotation(usize, Pose),
    Velocity(usize, Pose),
    AngularVelocity(usize),
    Distance(Box<[Placed; 2]>),
    ContactForce([usize; 2]),
    /// Pairs of geoms that may touch, lower number first, sorted.
    Collision(Vec<[usize; 2]>),
    Sensor(usize, usize),
}

/// Observations of the lanes of a model by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    items: Vec<Item>,
    pub layout: ObservationLayout,
    moves: bool,
    senses: bool,
    /// Number of collisions that are watched.
    collisions: usize,
}

/// Source of the observations of a lane.
pub(crate) struct Seen<'a> {
    pub model: &'a Model,
    pub x: &'a State,
    /// The sensors read at `x`; None: none is watched.
    pub sensors: Option<&'a Sensors>,
    /// Sum of the normal forces between two bodies in the last step \[N\]; zero where none is known.
    pub force: &'a dyn Fn([usize; 2]) -> f64,
}

struct Lookup<'a> {
    model: &'a Model,
    engine: &'a str,
    wanted: &'a Observation,
}

impl Lookup<'_> {
    fn find<'n>(
        &self,
        kind: &'static str,
        name: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<usize, ObservationError> {
        let missing = || ObservationError::unknown(self.engine, self.wanted, kind, name, names.clone());
        names.clone().position(|n| n == name).ok_or_else(missing)
    }

    fn joint(&self, name: &str) -> Result<usize, ObservationError> {
        self.find("joint", name, self.model.joints.iter().map(|j| j.name.as_str()))
    }

    fn body(&self, name: &str) -> Result<usize, ObservationError> {
        self.find("body", name, self.model.bodies.iter().map(|b| b.name.as_str()))
    }

    fn frame(&self, frame: &Frame) -> Result<(usize, Pose), ObservationError> {
        match frame {
            Frame::Body(name) => Ok((self.body(name)?, Pose::identity())),
            Frame::Site(name) => {
                let names = self.model.sites.iter().map(|s| s.name.as_str());
                let site = &self.model.sites[self.find("site", name, names)?];
                Ok((site.body, site.pose))
            }
        }
    }

    fn geom_number(&self, name: &str) -> Result<usize, ObservationError> {
        self.find("geom", name, self.model.geoms.iter().map(|g| g.name.as_str()))
    }

    /// Pairs of geoms, lower number first, sorted.
    fn pairs(&self, names: &[(String, String)]) -> Result<Vec<[usize; 2]>, ObservationError> {
        let pair = |(a, b): &(String, String)| Ok(sorted([self.geom_number(a)?, self.geom_number(b)?]));
        let mut out = names.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        out.sort_unstable();
        Ok(out)
    }

    fn geom(&self, name: &str) -> Result<Placed, ObservationError> {
        let FrameModel { body, pose, shape, .. } = &self.model.geoms[self.geom_number(name)?];
        let shape = shape.clone().ok_or_else(|| self.unfit(format!("the mesh of '{name}' was not read")))?;
        Ok(Placed { shape, body: *body, pose: *pose })
    }

    fn unfit(&self, why: String) -> ObservationError {
        ObservationError::Unfit { engine: self.engine.to_owned(), wanted: self.wanted.to_string(), why }
    }

    fn item(&self) -> Result<(Item, usize), ObservationError> {
        let joint = |name: &str| self.joint(name).map(|j| &self.model.joints[j]);
        Ok(match self.wanted {
            Observation::JointPosition(name) => {
                let (j, n) = joint(name).map(|j| (j, j.kind.nq()))?;
                (Item::Positions(j.q, n), n)
            }
            Observation::JointVelocity(name) => {
                let (j, n) = joint(name).map(|j| (j, j.kind.nv()))?;
                (Item::Velocities(j.v, n), n)
            }
            Observation::Position(f) => self.frame(f).map(|(b, x)| (Item::Position(b, x), 3))?,
            Observation::Rotation(f) => self.frame(f).map(|(b, x)| (Item::Rotation(b, x), 4))?,
            Observation::Velocity(f) => self.frame(f).map(|(b, x)| (Item::Velocity(b, x), 3))?,
            Observation::AngularVelocity(f) => self.frame(f).map(|(b, _)| (Item::AngularVelocity(b), 3))?,
            Observation::Distance(a, b) => {
                let pair = [self.geom(a)?, self.geom(b)?];
                let here = Kinematics::new(self.model);
                let tried =
                    distance(&pair[0].shape, &pair[0].pose(&here), &pair[1].shape, &pair[1].pose(&here));
                tried.map_err(|e| self.unfit(e.to_string()))?;
                (Item::Distance(Box::new(pair)), 1)
            }
            Observation::Collision(but) => (Item::Collision(self.pairs(but)?), 3),
            Observation::ContactForce(a, b) => (Item::ContactForce([self.body(a)?, self.body(b)?]), 1),
            Observation::Sensor(name) => {
                let names = self.model.sensors.iter().map(|s| s.name.as_str());
                let sensor = &self.model.sensors[self.find("sensor", name, names)?];
                let n = sensor.kind.dim();
                (Item::Sensor(sensor.start, n), n)
            }
        })
    }
}

impl Watch {
    pub(crate) fn new(model: &Model, engine: &str, wanted: &[Observation]) -> Result<Self, ObservationError> {
        let mut watch = Self::default();
        for wanted in wanted {
            let (item, width) = Lookup { model, engine, wanted }.item()?;
            watch.moves |= !matches!(
                item,
                Item::Positions(..)
                    | Item::Velocities(..)
                    | Item::ContactForce(_)
                    | Item::Collision(_)
                    | Item::Sensor(..)
            );
            watch.collisions += usize::from(matches!(item, Item::Collision(_)));
            watch.senses |= matches!(item, Item::Sensor(..));
            watch.items.push(item);
            watch.layout.push(width);
        }
        if watch.collisions > 0 {
            watch.layout.name_geoms(model.geoms.iter().map(|g| g.name.clone()));
        }
        Ok(watch)
    }

    /// Takes note of the contacts of a step, geoms and normal forces \[N\], for [`Observation::Collision`]: `hardest` has one entry for each that is watched.
    pub(crate) fn notice(
        &self,
        contacts: impl Iterator<Item = ([usize; 2], f64)> + Clone,
        hardest: &mut Vec<[f64; 3]>,
    ) {
        if self.collisions == 0 {
            return;
        }
        hardest.resize(self.collisions, [0.0; 3]);
        let wanted =
            || self.items.iter().filter_map(|i| if let Item::Collision(but) = i { Some(but) } else { None });
        for (geoms, _) in contacts.clone().filter(|c| c.1 > 0.0) {
            let pair = sorted(geoms);
            for (found, but) in hardest.iter_mut().zip(wanted()) {
                if but.binary_search(&pair).is_ok() {
                    continue;
                }
                let force: f64 = contacts.clone().filter(|c| sorted(c.0) == pair).map(|c| c.1).sum();
                if force > found[0] {
                    *found = [force, geoms[0] as f64, geoms[1] as f64];
                }
            }
        }
    }

    /// Copies the forces of the last step, which do not change until the next.
    pub(crate) fn copy_forces(&self, from: &[f64], out: &mut [f64]) {
        for (i, item) in self.items.iter().enumerate() {
            if matches!(item, Item::ContactForce(_)) {
                let at = self.layout.range(i);
                out[at.clone()].copy_from_slice(&from[at]);
            }
        }
    }

    /// Writes the collisions noticed ([`Self::notice`]); zeros where nothing was.
    pub(crate) fn write_collisions(&self, noticed: &[[f64; 3]], out: &mut [f64]) {
        let watched = self.items.iter().enumerate().filter(|(_, item)| matches!(item, Item::Collision(_)));
        for (k, (i, _)) in watched.enumerate() {
            out[self.layout.range(i)].copy_from_slice(noticed.get(k).unwrap_or(&[0.0; 3]));
        }
    }

    /// A sensor is among the observations.
    pub(crate) fn senses(&self) -> bool {
        self.senses
    }

    /// Writes all observations but collisions ([`Self::write_collisions`]); `kin` is scratch.
    pub(crate) fn read(&self, seen: &Seen<'_>, mocap: &[Pose], kin: &mut Kinematics, out: &mut [f64]) {
        let (model, x) = (seen.model, seen.x);
        if self.moves {
            kin.set_positions(model, &x.q, mocap);
            kin.set_velocities(model, &x.v);
        }
        for (i, item) in self.items.iter().enumerate() {
            let out = &mut out[self.layout.range(i)];
            match item {
                Item::Positions(at, n) => out.copy_from_slice(&x.q[*at..at + n]),
                Item::Velocities(at, n) => out.copy_from_slice(&x.v[*at..at + n]),
                Item::Position(b, pose) => {
                    out.copy_from_slice(
                        (kin.x_wb[*b] * Point3::from(pose.translation.vector)).coords.as_slice(),
                    );
                }
                Item::Rotation(b, pose) => {
                    let r = kin.x_wb[*b].rotation * pose.rotation;
                    out.copy_from_slice(&[r.w, r.i, r.j, r.k]);
                }
                Item::Velocity(b, pose) => {
                    let p = kin.x_wb[*b] * Point3::from(pose.translation.vector);
                    out.copy_from_slice(kin.point_velocity(model, *b, &p).as_slice());
                }
                Item::AngularVelocity(b) => out.copy_from_slice(kin.twist[*b].angular.as_slice()),
                Item::Distance(pair) => {
                    let [a, b] = &**pair;
                    let found = distance(&a.shape, &a.pose(kin), &b.shape, &b.pose(kin));
                    // Pairs were tried when they were asked for: only poses that are not finite remain.
                    out[0] = found.map_or(f64::NAN, |w| w.gap);
                }
                Item::ContactForce(bodies) => out[0] = (seen.force)(*bodies),
                Item::Collision(_) => {}
                Item::Sensor(at, n) => match seen.sensors {
                    Some(s) => out.copy_from_slice(&s.values()[*at..at + n]),
                    None => out.fill(f64::NAN),
                },
            }
        }
    }
}

/// The lower number first.
fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

/// Contacts of a solve of a rigid system with `dim` rows each: bodies, geoms and normal force \[N\].
pub(crate) fn forces<'a>(
    last: &'a LastSolve<'_>,
    dim: usize,
) -> impl Iterator<Item = ([usize; 2], [usize; 2], f64)> + Clone + 'a {
    last.contacts.iter().map(move |c| {
        let impulse = last.solution.gamma.get(c.constraint as usize * dim).copied().unwrap_or(0.0);
        (c.bodies.map(|b| b as usize), c.geoms.map(|g| g as usize), impulse / last.dt)
    })
}

/// Sum of the normal forces between two bodies \[N\].
pub(crate) fn between(
    bodies: [usize; 2],
    forces: impl Iterator<Item = ([usize; 2], [usize; 2], f64)>,
) -> f64 {
    forces.filter(|f| sorted(f.0) == sorted(bodies)).map(|f| f.2).sum()
}
