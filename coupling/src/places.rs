use signorini_core::SolveStats;
use signorini_core::na::{Isometry3, Point3, Vector3};
use signorini_mpm::Obstacle;
use signorini_multibody::{Kinematics, Model};
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
        /// What is wrong, and what to do.
        why: String,
    },
    /// A name of a geom or body.
    #[error("'{name}': {why}")]
    Name {
        /// The name.
        name: String,
        /// What is wrong, and what to do.
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
    /// Substeps of a step.
    #[error("the number of substeps is 0; give 1 or more")]
    Substeps,
    /// Settings of the iteration between two systems.
    #[error("the iteration has {what} {value}; give {range}")]
    Iteration {
        /// Which setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
}

/// What a step did.
#[derive(Clone, Debug, Default)]
pub struct CouplingReport {
    /// Impulse \[N·s\] and moment about its origin \[N·m·s\] that particles gave each geom over the step, world axes.
    pub impulses: Vec<[Vector3<f64>; 2]>,
    /// Particles inside each geom, the most of the substeps.
    pub contacts: Vec<u32>,
    /// Substeps of the points; none where both are solved as one.
    pub substeps: u32,
    /// Work of the substeps; of the whole step where both are solved as one.
    pub material: SolveStats,
    /// Work of the bodies' step.
    pub rigid: SolveStats,
    /// Solves that did not converge.
    pub unconverged: u32,
    /// How often the step was taken by the iteration between the two, the last time included.
    pub iterations: u32,
    /// What the last iteration left: the momentum that bodies miss at the motion that the points met, as a part of what the points gave them (in the norm of M⁻¹).
    pub defect: f64,
}

impl CouplingError {
    pub(crate) fn unknown(scene: &Scene, geom: usize) -> Self {
        let why = format!("the scene has {} geoms", scene.geoms.len());
        Self::Geom { geom: geom.to_string(), why }
    }
}

/// Where the obstacles of material points are on the bodies of a scene.
pub(crate) struct Places {
    /// Body of each geom, and the geom's pose on it.
    list: Vec<(usize, Isometry3<f64>)>,
}

impl Places {
    pub(crate) fn new(scene: &Scene, geoms: &[usize], found: usize) -> Result<Self, CouplingError> {
        let expected = geoms.len();
        if expected != found {
            return Err(CouplingError::Obstacles { expected, found });
        }
        let place = |g: &usize| {
            let geom = scene.geoms.get(*g).ok_or_else(|| CouplingError::unknown(scene, *g))?;
            Ok((geom.body, geom.pose))
        };
        Ok(Self { list: geoms.iter().map(place).collect::<Result<_, _>>()? })
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Body of an obstacle.
    pub(crate) fn body(&self, obstacle: usize) -> usize {
        self.list[obstacle].0
    }

    /// Gives obstacles the poses and velocities of their bodies.
    pub(crate) fn set(&self, model: &Model, kin: &Kinematics, obstacles: &mut [Obstacle]) {
        for ((body, offset), obstacle) in self.list.iter().zip(obstacles) {
            obstacle.pose = kin.x_wb[*body] * offset;
            obstacle.velocity =
                kin.point_velocity(model, *body, &Point3::from(obstacle.pose.translation.vector));
            obstacle.angular_velocity = kin.twist[*body].angular;
        }
    }

    /// Middle of mass \[m\] of the body of each obstacle, and its velocity \[m/s\].
    pub(crate) fn middles(&self, model: &Model, kin: &Kinematics) -> Vec<[Vector3<f64>; 2]> {
        let of = |(body, _): &(usize, Isometry3<f64>)| {
            let middle = kin.x_wb[*body] * model.bodies[*body].com;
            [middle.coords, kin.point_velocity(model, *body, &middle)]
        };
        self.list.iter().map(of).collect()
    }

    /// The report of a step in which nothing touched.
    pub(crate) fn report(&self) -> CouplingReport {
        CouplingReport {
            impulses: vec![[Vector3::zeros(); 2]; self.len()],
            contacts: vec![0; self.len()],
            ..CouplingReport::default()
        }
    }

    /// Adds the impulses and contacts of the last step of the points to a report.
    pub(crate) fn add(&self, material: &impl Touched, report: &mut CouplingReport) {
        for (sum, given) in report.impulses.iter_mut().zip(material.impulses()) {
            sum[0] += given[0];
            sum[1] += given[1];
        }
        let mut now = vec![0; self.len()];
        material.touches().iter().filter(|t| t.gap < 0.0).for_each(|t| now[t.obstacle] += 1);
        report.contacts.iter_mut().zip(now).for_each(|(most, n)| *most = n.max(*most));
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
