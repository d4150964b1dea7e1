use signorini_core::na::DVector;
use signorini_core::{ContactMaterial, ContactSolver, OneStep, Slot, State, StepError, StepProblem};
use signorini_integrators::ContactStep;
use signorini_mpm::{MpmSystem, Obstacle};
use signorini_multibody::{Kinematics, RigidSystem};
use signorini_scene::Scene;

use crate::iteration::QuasiNewton;
use crate::places::{CouplingError, CouplingReport, Places};
use crate::{Iteration, obstacles};

/// Material points in substeps against a rigid system in steps; see the documentation of the crate.
pub struct Asynchronous<A: ContactSolver, R: OneStep> {
    material: MpmSystem,
    material_step: ContactStep<A>,
    rigid: RigidSystem,
    rigid_step: R,
    substeps: u32,
    places: Places,
    kinematics: Kinematics,
    iteration: Option<Iteration>,
    mixing: QuasiNewton,
    /// Points on their way through a step, and scratch.
    moved: State,
    next: State,
    impulse: Vec<f64>,
}

impl<A: ContactSolver, R: OneStep> Asynchronous<A, R> {
    /// [`obstacles`].
    ///
    /// # Errors
    /// As there.
    pub fn obstacles(
        scene: &Scene,
        geoms: &[usize],
        material: ContactMaterial,
    ) -> Result<Vec<Obstacle>, CouplingError> {
        obstacles(scene, geoms, material)
    }

    /// Couples material points, whose obstacles are [`obstacles`] of these geoms, to the rigid system of the scene.
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
        let places = Places::new(scene, geoms, &material)?;
        let kinematics = Kinematics::new(rigid.model());
        Ok(Self {
            material,
            material_step,
            rigid,
            rigid_step,
            substeps,
            places,
            kinematics,
            iteration: None,
            mixing: QuasiNewton::default(),
            moved: State::default(),
            next: State::default(),
            impulse: Vec::new(),
        })
    }

    /// Takes each step again until points and bodies have met each other's motion.
    ///
    /// # Errors
    /// [`CouplingError::Iteration`].
    pub fn with_iteration(mut self, iteration: Iteration) -> Result<Self, CouplingError> {
        iteration.check()?;
        self.iteration = Some(iteration);
        Ok(self)
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
    /// As the steps of either; the states are then as they were.
    pub fn step(
        &mut self,
        points: &mut State,
        bodies: &mut State,
        dt: f64,
    ) -> Result<CouplingReport, StepError> {
        self.kinematics.set_positions(self.rigid.model(), &bodies.q, self.rigid.held().mocap);
        self.mixing.begin();
        let most = self.iteration.map_or(1, |i| i.most);
        let tolerance = self.iteration.map_or(f64::INFINITY, |i| i.tolerance);
        let (mut met, mut given) = (DVector::from_column_slice(&bodies.v), 0.0f64);
        let mut iteration = 1;
        let report = loop {
            let mut report = self.places.report();
            self.move_points(points, met.as_slice(), dt, &mut report)?;
            self.move_bodies(bodies, dt, &mut report)?;
            report.iterations = iteration;
            // M^(1/2) of what the velocity at the end differs by, beside M^(-1/2) of the impulses.
            let d = DVector::from_column_slice(self.rigid.frozen_problem(Slot::Start).inertia().scaling());
            let rest = (DVector::from_column_slice(&self.next.v) - &met).component_div(&d);
            given = given.max(DVector::from_column_slice(&self.impulse).component_mul(&d).norm());
            report.defect = if given > 0.0 { rest.norm() / given } else { 0.0 };
            if report.defect <= tolerance || iteration == most {
                let short = self.iteration.is_some() && report.defect > tolerance;
                report.unconverged += u32::from(short);
                break report;
            }
            let relaxation = QuasiNewton::relaxation(&report.limits, dt);
            met = self.mixing.next(met.component_div(&d), rest, relaxation).component_mul(&d);
            iteration += 1;
        };
        std::mem::swap(points, &mut self.moved);
        std::mem::swap(bodies, &mut self.next);
        Ok(report)
    }

    /// The substeps of the points against bodies that move with generalised velocities `met`.
    fn move_points(
        &mut self,
        points: &State,
        met: &[f64],
        dt: f64,
        report: &mut CouplingReport,
    ) -> Result<(), StepError> {
        let model = self.rigid.model();
        self.kinematics.set_velocities(model, met);
        self.places.set(model, &self.kinematics, self.material.obstacles_mut());
        self.moved.copy_from(points);
        let substep = dt / f64::from(self.substeps);
        for _ in 0..self.substeps {
            let r =
                self.material_step.step(&mut self.material, &self.moved, substep, false, &mut self.next)?;
            std::mem::swap(&mut self.moved, &mut self.next);
            report.material.add(&r.stats);
            report.unconverged += r.unconverged;
            self.places.add(model, &self.material, report);
        }
        Ok(())
    }

    /// The step of the bodies under constant forces that have the impulses over the step.
    fn move_bodies(&mut self, bodies: &State, dt: f64, report: &mut CouplingReport) -> Result<(), StepError> {
        let (model, kin) = (self.rigid.model(), &self.kinematics);
        let obstacles = self.material.obstacles();
        self.places.generalised(model, kin, obstacles, &report.impulses, &mut self.impulse);
        let applied: Vec<f64> = self.rigid.applied_force_mut().to_vec();
        self.rigid.applied_force_mut().iter_mut().zip(&self.impulse).for_each(|(a, c)| *a += c / dt);
        let done = self.rigid_step.step(&mut self.rigid, bodies, dt, false, &mut self.next);
        self.rigid.applied_force_mut().copy_from_slice(&applied);
        let r = done?;
        report.rigid.add(&r.stats);
        report.unconverged += r.unconverged;
        Ok(())
    }
}
