use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ProblemError, SolveStats, StepError};
use signorini_mpm::Obstacle;
use signorini_multibody::{ContactWrench, Kinematics, Model};
use signorini_scene::Scene;

use crate::points::Touched;

/// Why two systems cannot be coupled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CouplingError {
    /// A geom that particles cannot meet.
    #[error("geom '{geom}': {why}")]
    Geom {
        /// The geom.
        geom: String,
        /// The fault, and the remedy.
        why: String,
    },
    /// A name of a geom or body.
    #[error("'{name}': {why}")]
    Name {
        /// The name.
        name: String,
        /// The fault, and the remedy.
        why: String,
    },
    /// The material points do not have the obstacles of the geoms.
    #[error(
        "the material points have {found} obstacles, but {expected} geoms were named; make them with signorini_coupling::obstacles"
    )]
    Obstacles {
        /// Number of geoms.
        expected: usize,
        /// Number of obstacles.
        found: usize,
    },
    /// Bodies of the scene and of the rigid system.
    #[error("the scene has {scene} bodies, the rigid system {model}; make both from one scene")]
    Bodies {
        /// Number of bodies of the scene.
        scene: usize,
        /// Number of bodies of the rigid system.
        model: usize,
    },
    /// Substeps of a step.
    #[error("the number of substeps is 0; give 1 or more")]
    Substeps,
    /// Settings of the iteration between two systems.
    #[error("the iteration has {what} {value}; give {range}")]
    Iteration {
        /// Name of the setting.
        what: &'static str,
        /// Value that was given.
        value: f64,
        /// Allowed range.
        range: &'static str,
    },
}

/// Exchange and work of a step.
#[derive(Clone, Debug, Default)]
pub struct CouplingReport {
    /// Impulse \[N·s\] and moment about its origin \[N·m·s\] that particles gave each geom over the step, world axes.
    pub impulses: Vec<[Vector3<f64>; 2]>,
    /// Contacts and pins of the substeps on bodies, each with its force as a mean over the step \[N\]: together those of [`CouplingReport::impulses`] over the step. Body A is beyond those of the model.
    pub wrenches: Vec<ContactWrench>,
    /// Contacts inside each geom, of particles and of triangles of cloth with its corners and edges, the most of the substeps.
    pub contacts: Vec<u32>,
    /// Contacts inside geoms, added over the substeps.
    pub touching: u64,
    /// Depth of the contact that was deepest in each geom at the start or the end of a substep \[m\], against the planes that contact is with.
    pub deepest: Vec<f64>,
    /// Particles that are pressed beyond the middle of each geom and leave on its other side, the most of the substeps: the geom is too thin for the stiffness of contact. Meshes and height fields have no middle that is known here.
    pub beyond: Vec<u32>,
    /// Substeps of the points; none where both are solved as one.
    pub substeps: u32,
    /// Work of the substeps; of the whole step where both are solved as one.
    pub material: SolveStats,
    /// Work of the bodies' step.
    pub rigid: SolveStats,
    /// Solves that did not converge.
    pub unconverged: u32,
    /// Largest residual of a solve beside its tolerance.
    pub residual_ratio: f64,
    /// Number of times that the step was taken by the iteration between the two, the last time included.
    pub iterations: u32,
    /// Defect after the last iteration: the momentum that bodies miss at the motion that the points met, as a part of the most that the points gave them in a pass (in the norm of M⁻¹). Where that is nothing, the reference is the change of momentum of the bodies: one until a pass at their new velocity has shown that they stay free.
    pub defect: f64,
}

impl CouplingError {
    pub(crate) fn unknown(scene: &Scene, geom: usize) -> Self {
        let why = format!("the scene has {} geoms", scene.geoms.len());
        Self::Geom { geom: geom.to_string(), why }
    }
}

/// Led bodies that are faster \[m/s\] are named when a step fails.
const FAST: f64 = 10.0;

/// Places of the obstacles of material points on the bodies of a scene.
pub(crate) struct Places {
    /// Body of each geom, and the geom's pose on it.
    list: Vec<(usize, Isometry3<f64>)>,
    /// Length \[s\] of the last step, and where obstacles were in it.
    last: Option<(f64, Vec<Isometry3<f64>>)>,
    /// Velocity \[m/s\] and angular velocity \[rad/s\] of obstacles whose bodies are led, over the way from their last places to the present ones.
    led: Vec<[Vector3<f64>; 2]>,
}

impl Places {
    /// Places of obstacles on geoms of a scene whose bodies the model has.
    pub(crate) fn new(
        scene: &Scene,
        geoms: &[usize],
        obstacles: &[Obstacle],
        model: &Model,
    ) -> Result<Self, CouplingError> {
        let (expected, found) = (geoms.len(), obstacles.len());
        if expected != found {
            return Err(CouplingError::Obstacles { expected, found });
        }
        let place = |g: &usize| {
            let geom = scene.geoms.get(*g).ok_or_else(|| CouplingError::unknown(scene, *g))?;
            Ok((geom.body, geom.pose))
        };
        if scene.bodies.len() != model.bodies.len() {
            return Err(CouplingError::Bodies { scene: scene.bodies.len(), model: model.bodies.len() });
        }
        // Names of obstacles are free, but not those of other geoms.
        let name = |g: &usize| scene.geoms.get(*g).map(|g| &g.name);
        for (g, o) in geoms.iter().zip(obstacles) {
            if name(g) != Some(&o.name)
                && geoms.iter().any(|g| name(g) == Some(&o.name) && !o.name.is_empty())
            {
                let why = format!(
                    "the obstacle in its place is '{}'; give geoms and obstacles in one order",
                    o.name
                );
                return Err(CouplingError::Geom { geom: name(g).cloned().unwrap_or_default(), why });
            }
        }
        let list: Vec<_> = geoms.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { led: vec![[Vector3::zeros(); 2]; list.len()], list, last: None })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Body of an obstacle, and its pose on it.
    pub(crate) fn on_body(&self, obstacle: usize) -> (usize, Isometry3<f64>) {
        self.list[obstacle]
    }

    /// Body of an obstacle.
    pub(crate) fn body(&self, obstacle: usize) -> usize {
        self.list[obstacle].0
    }

    fn poses(&self, kin: &Kinematics) -> Vec<Isometry3<f64>> {
        self.list.iter().map(|(body, offset)| kin.x_wb[*body] * offset).collect()
    }

    /// Forgets where obstacles were.
    pub(crate) fn forget(&mut self) {
        self.last = None;
        self.led.fill([Vector3::zeros(); 2]);
    }

    /// Why a step failed, with the fastest body that is led if it is faster than [`FAST`].
    pub(crate) fn blame(&self, obstacles: &[Obstacle], e: StepError) -> StepError {
        let speed = |o: &usize| self.led[*o][0].norm();
        let fastest = (0..self.len()).max_by(|a, b| speed(a).total_cmp(&speed(b)));
        match (e, fastest.filter(|o| speed(o) > FAST)) {
            (StepError::Solve { t, dt, source }, Some(o)) => {
                let why = format!(
                    "{source}; '{}' is led at {:.1} m/s: if it was put elsewhere at once, call Asynchronous::restart first",
                    obstacles[o].name,
                    speed(&o)
                );
                StepError::problem(t, dt, ProblemError::Unsupported(why))
            }
            (e, _) => e,
        }
    }

    /// Finds how fast bodies are led that the system does not move itself: by the poses they have now and had in the last step.
    pub(crate) fn lead(&mut self, kin: &Kinematics) {
        let Some((dt, was)) = &self.last else { return };
        let velocity = |(now, was): (Isometry3<f64>, &Isometry3<f64>)| {
            let turn = now.rotation * was.rotation.inverse();
            [now.translation.vector - was.translation.vector, turn.scaled_axis()].map(|way| way / *dt)
        };
        self.led = self.poses(kin).into_iter().zip(was).map(velocity).collect();
    }

    /// Whether an obstacle is led somewhere.
    pub(crate) fn is_led(&self, model: &Model, obstacle: usize) -> bool {
        model.bodies[self.body(obstacle)].tree.is_none() && self.led[obstacle] != [Vector3::zeros(); 2]
    }

    /// A step of `dt` \[s\] was taken from these poses.
    pub(crate) fn took(&mut self, kin: &Kinematics, dt: f64) {
        self.last = Some((dt, self.poses(kin)));
    }

    /// Gives obstacles the poses and velocities of their bodies.
    pub(crate) fn set(&self, model: &Model, kin: &Kinematics, obstacles: &mut [Obstacle]) {
        for (((body, offset), led), obstacle) in self.list.iter().zip(&self.led).zip(obstacles) {
            obstacle.pose = kin.x_wb[*body] * offset;
            if model.bodies[*body].tree.is_none() {
                [obstacle.velocity, obstacle.angular_velocity] = *led;
                continue;
            }
            obstacle.velocity =
                kin.point_velocity(model, *body, &Point3::from(obstacle.pose.translation.vector));
            obstacle.angular_velocity = kin.twist[*body].angular;
        }
    }

    /// Middle of mass \[m\] of the body of each obstacle, and its velocity \[m/s\]; bodies that are led go on about the origin of the obstacle.
    pub(crate) fn middles(&self, model: &Model, kin: &Kinematics) -> Vec<[Vector3<f64>; 2]> {
        let of = |((body, offset), led): (&(usize, Isometry3<f64>), &[Vector3<f64>; 2])| {
            if model.bodies[*body].tree.is_none() {
                return [(kin.x_wb[*body] * offset).translation.vector, led[0]];
            }
            let middle = kin.x_wb[*body] * model.bodies[*body].com;
            [middle.coords, kin.point_velocity(model, *body, &middle)]
        };
        self.list.iter().zip(&self.led).map(of).collect()
    }

    /// The report of a step in which nothing touched.
    pub(crate) fn report(&self) -> CouplingReport {
        CouplingReport {
            impulses: vec![[Vector3::zeros(); 2]; self.len()],
            contacts: vec![0; self.len()],
            deepest: vec![0.0; self.len()],
            beyond: vec![0; self.len()],
            ..CouplingReport::default()
        }
    }

    /// Adds the impulses and contacts of the last step of the points, which is part of one of `dt` \[s\], to a report.
    pub(crate) fn add(&self, material: &impl Touched, dt: f64, report: &mut CouplingReport) {
        for (sum, given) in report.impulses.iter_mut().zip(material.impulses()) {
            sum[0] += given[0];
            sum[1] += given[1];
        }
        let wrench = |obstacle: usize, x: &Vector3<f64>, normal: Vector3<f64>, impulse: &Vector3<f64>| {
            let bodies = [usize::MAX, self.body(obstacle)];
            let (point, force, torque) = (Point3::from(*x), impulse / dt, Vector3::zeros());
            let (geoms, tangent) =
                ([usize::MAX; 2], signorini_core::ContactGeometry::frame(&normal).column(1).into());
            ContactWrench { bodies, geoms, gap: 0.0, point, normal, tangent, force, torque }
        };
        let pressed = material.touches().iter().filter(|t| t.impulse != Vector3::zeros());
        // From the points into the obstacle.
        let of_touches = pressed.map(|t| wrench(t.obstacle, &t.x, -t.frame.column(0), &t.impulse));
        let held = material.holds().iter().filter_map(|h| Some((h.pin.obstacle?, h)));
        let of_holds = held.map(|(o, h)| wrench(o, &h.x, Vector3::zeros(), &h.impulse));
        report.wrenches.extend(of_touches.chain(of_holds));
        let (mut inside, mut beyond) = (vec![0; self.len()], vec![0; self.len()]);
        for t in material.touches() {
            inside[t.obstacle] += u32::from(t.gap < 0.0);
            beyond[t.obstacle] += u32::from(t.is_beyond(&material.obstacles()[t.obstacle]));
            report.deepest[t.obstacle] = t.depth().max(report.deepest[t.obstacle]);
        }
        report.touching += inside.iter().map(|n| u64::from(*n)).sum::<u64>();
        for (list, now) in [(&mut report.contacts, inside), (&mut report.beyond, beyond)] {
            list.iter_mut().zip(now).for_each(|(most, n)| *most = n.max(*most));
        }
    }

    /// Generalised impulses J_rᵀ γ \[N·s or N·m·s\], nv, of those on obstacles.
    pub(crate) fn generalised(
        &self,
        model: &Model,
        kin: &Kinematics,
        obstacles: &[Obstacle],
        impulses: &[[Vector3<f64>; 2]],
        out: &mut Vec<f64>,
    ) {
        out.clear();
        out.resize(model.nv(), 0.0);
        for ((body, _), (obstacle, [impulse, moment])) in self.list.iter().zip(obstacles.iter().zip(impulses))
        {
            let at = Point3::from(obstacle.pose.translation.vector);
            kin.for_columns(model, *body, &at, |dof, linear, angular| {
                out[dof] += linear.dot(impulse) + angular.dot(moment);
            });
        }
    }
}
