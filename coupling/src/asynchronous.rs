use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_core::{ContactMaterial, ContactSolver, OneStep, SolveStats, State, StepError};
use signorini_integrators::ContactStep;
use signorini_mpm::{MpmSystem, Obstacle};
use signorini_multibody::{Kinematics, RigidSystem};
use signorini_scene::{GeomShape, Scene};

use crate::Limit;

/// Why two systems cannot be coupled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CouplingError {
    /// A geom that particles cannot meet.
    #[error("geom '{geom}': {why}")]
    Geom {
        /// The geom.
        geom: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The material points do not have the obstacles of the geoms.
    #[error(
        "the material points have {found} obstacles, but {expected} geoms were named; make them with Asynchronous::obstacles"
    )]
    Obstacles {
        /// Number of geoms.
        expected: usize,
        /// Number of obstacles.
        found: usize,
    },
    /// Substeps of a step.
    #[error("the number of substeps is 0; give 1 or more")]
    Substeps,
}

/// What a step did.
#[derive(Clone, Debug, Default)]
pub struct CouplingReport {
    /// Impulse \[N·s\] and moment about its origin \[N·m·s\] that particles gave each geom over the step, world axes.
    pub impulses: Vec<[Vector3<f64>; 2]>,
    /// Limits of each geom's body, the tightest of the substeps.
    pub limits: Vec<Limit>,
    /// Work of the substeps.
    pub material: SolveStats,
    /// Work of the bodies' step.
    pub rigid: SolveStats,
    /// Solves that did not converge.
    pub unconverged: u32,
}

/// Material points in substeps against a rigid system in steps; see the documentation of the crate.
pub struct Asynchronous<A: ContactSolver, R: OneStep> {
    material: MpmSystem,
    material_step: ContactStep<A>,
    rigid: RigidSystem,
    rigid_step: R,
    substeps: u32,
    /// Body of each geom, and the geom's pose on it.
    places: Vec<(usize, Isometry3<f64>)>,
    kinematics: Kinematics,
    next: State,
}

impl<A: ContactSolver, R: OneStep> Asynchronous<A, R> {
    /// The obstacles that geoms of a scene are to material points, where they are drawn.
    ///
    /// # Errors
    /// [`CouplingError::Geom`] for geoms that do not exist, and meshes that were not read or enclose no solid.
    pub fn obstacles(
        scene: &Scene,
        geoms: &[usize],
        material: ContactMaterial,
    ) -> Result<Vec<Obstacle>, CouplingError> {
        let one = |g: &usize| {
            let Some(geom) = scene.geoms.get(*g) else {
                let why = format!("the scene has {} geoms", scene.geoms.len());
                return Err(CouplingError::Geom { geom: g.to_string(), why });
            };
            match &geom.shape {
                GeomShape::Solid(shape) => match shape.check_solid() {
                    Ok(()) => Ok(Obstacle::new(&geom.name, shape.clone(), Isometry3::identity(), material)),
                    Err(why) => Err(CouplingError::Geom { geom: geom.name.clone(), why: why.to_string() }),
                },
                GeomShape::MissingMesh(path) => {
                    let why = format!("its mesh {} was not read; load the scene with meshes", path.display());
                    Err(CouplingError::Geom { geom: geom.name.clone(), why })
                }
            }
        };
        geoms.iter().map(one).collect()
    }

    /// Couples material points, whose obstacles are [`Asynchronous::obstacles`] of these geoms, to the rigid system of the scene.
    ///
    /// # Errors
    /// [`CouplingError`].
    pub fn new(
        scene: &Scene,
        geoms: &[usize],
        (material, material_step): (MpmSystem, ContactStep<A>),
        (rigid, rigid_step): (RigidSystem, R),
        substeps: u32,
    ) -> Result<Self, CouplingError> {
        if substeps == 0 {
            return Err(CouplingError::Substeps);
        }
        let (expected, found) = (geoms.len(), material.obstacles().len());
        if expected != found {
            return Err(CouplingError::Obstacles { expected, found });
        }
        let places = geoms.iter().map(|g| (scene.geoms[*g].body, scene.geoms[*g].pose)).collect();
        let kinematics = Kinematics::new(rigid.model());
        let next = State::default();
        Ok(Self { material, material_step, rigid, rigid_step, substeps, places, kinematics, next })
    }

    /// The material points.
    pub fn material(&self) -> &MpmSystem {
        &self.material
    }

    /// The rigid system, for its controls.
    pub fn rigid_mut(&mut self) -> &mut RigidSystem {
        &mut self.rigid
    }

    /// One step of `dt` \[s\] of both from their states, which it moves on. Forces applied to the rigid system stay as they are.
    ///
    /// # Errors
    /// As the steps of either.
    pub fn step(
        &mut self,
        points: &mut State,
        bodies: &mut State,
        dt: f64,
    ) -> Result<CouplingReport, StepError> {
        let model = self.rigid.model();
        self.kinematics.set_positions(model, &bodies.q, self.rigid.held().mocap);
        self.kinematics.set_velocities(model, &bodies.v);
        let kin = &self.kinematics;
        for ((body, offset), obstacle) in self.places.iter().zip(self.material.obstacles_mut()) {
            obstacle.pose = kin.x_wb[*body] * offset;
            obstacle.velocity =
                kin.point_velocity(model, *body, &Point3::from(obstacle.pose.translation.vector));
            obstacle.angular_velocity = kin.twist[*body].angular;
        }
        let none = [Vector3::zeros(); 2];
        let mut report = CouplingReport {
            impulses: vec![none; self.places.len()],
            limits: vec![Limit::default(); self.places.len()],
            ..CouplingReport::default()
        };
        let substep = dt / f64::from(self.substeps);
        for _ in 0..self.substeps {
            let r = self.material_step.step(&mut self.material, points, substep, false, &mut self.next)?;
            std::mem::swap(points, &mut self.next);
            report.material.add(&r.stats);
            report.unconverged += r.unconverged;
            for (sum, given) in report.impulses.iter_mut().zip(self.material.impulses()) {
                sum[0] += given[0];
                sum[1] += given[1];
            }
            for (o, (body, _)) in self.places.iter().enumerate() {
                let (contacts, surface) = self.material.touching(o);
                let k = self.material.obstacles()[o].material.stiffness;
                let mass = model.bodies[*body].tree.map_or(f64::INFINITY, |_| model.bodies[*body].mass);
                let now = Limit { contacts, stiffness: f64::from(contacts) * k, surface, mass };
                if now.stiffness > report.limits[o].stiffness || report.limits[o].mass == 0.0 {
                    report.limits[o] = now;
                }
            }
        }
        // Constant forces that have the impulses over the step.
        let mut coupled = vec![0.0; model.nv()];
        for ((body, _), (obstacle, [impulse, moment])) in
            self.places.iter().zip(self.material.obstacles().iter().zip(&report.impulses))
        {
            let at = Point3::from(obstacle.pose.translation.vector);
            kin.for_columns(model, *body, &at, |dof, linear, angular| {
                coupled[dof] += (linear.dot(impulse) + angular.dot(moment)) / dt;
            });
        }
        let applied: Vec<f64> = self.rigid.applied_force_mut().to_vec();
        self.rigid.applied_force_mut().iter_mut().zip(&coupled).for_each(|(a, c)| *a += c);
        let done = self.rigid_step.step(&mut self.rigid, bodies, dt, false, &mut self.next);
        self.rigid.applied_force_mut().copy_from_slice(&applied);
        let r = done?;
        std::mem::swap(bodies, &mut self.next);
        report.rigid = r.stats;
        report.unconverged += r.unconverged;
        Ok(report)
    }
}
