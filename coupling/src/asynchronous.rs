use signorini_core::na::{DVector, Isometry3, UnitQuaternion, Vector3};
use signorini_core::{
    GeneralizedImpulses, OneStep, ProblemError, Slot, State, StepError, StepProblem, System,
};
use signorini_mpm::steps_within;
use signorini_multibody::{Kinematics, RigidSystem};
use signorini_scene::Scene;

use crate::iteration::QuasiNewton;
use crate::limit::{Pressed, RigidSide};
use crate::places::{CouplingError, CouplingReport, Places};
use crate::points::PointSide;
use crate::{Iteration, Limit};

/// Material points in substeps against a rigid system in steps; see the documentation of the crate. The points are [`crate::SystemPoints`] or [`crate::EnginePoints`].
pub struct Asynchronous<P, R> {
    points: P,
    rigid: RigidSystem,
    rigid_step: R,
    substeps: u32,
    shorter: bool,
    moving: bool,
    places: Places,
    kinematics: Kinematics,
    pressed: Pressed,
    iteration: Option<Iteration>,
    mixing: QuasiNewton,
    next: State,
    impulse: Vec<f64>,
}

impl<P: PointSide, R: OneStep> Asynchronous<P, R> {
    /// Couples material points (a system with its step, or an engine), whose obstacles are [`crate::obstacles`] of these geoms, to the rigid system of the scene, which takes `rigid_step`.
    ///
    /// # Errors
    /// [`CouplingError`].
    pub fn new(
        scene: &Scene,
        geoms: &[usize],
        points: impl Into<P>,
        mut rigid: RigidSystem,
        rigid_step: R,
        substeps: u32,
    ) -> Result<Self, CouplingError> {
        if substeps == 0 {
            return Err(CouplingError::Substeps);
        }
        rigid.expect_other_impulses();
        let points = points.into();
        let places = Places::new(scene, geoms, points.obstacles(), rigid.model())?;
        let kinematics = Kinematics::new(rigid.model());
        Ok(Self {
            points,
            rigid,
            rigid_step,
            substeps,
            shorter: false,
            moving: true,
            places,
            kinematics,
            pressed: Pressed::of(geoms.len()),
            iteration: None,
            mixing: QuasiNewton::default(),
            next: State::default(),
            impulse: Vec::new(),
        })
    }

    /// Takes each step again until points and bodies have met each other's motion.
    ///
    /// Bodies that go on within the step allow any step then. Where they stay ([`Asynchronous::with_moving_bodies`]) more than two substeps have contacts less than halfway to the end of the step: forces swing from λ δt² (1 − 2 δ/δt) − 2 μ δt = 4 on, λ and μ of [`Limit`].
    ///
    /// # Errors
    /// [`CouplingError::Iteration`].
    pub fn with_iteration(mut self, iteration: Iteration) -> Result<Self, CouplingError> {
        iteration.check()?;
        self.iteration = Some(iteration);
        Ok(self)
    }

    /// Takes more substeps where the points cannot take them that long; without it such a step is refused.
    #[must_use]
    pub fn with_shorter_substeps(mut self) -> Self {
        self.shorter = true;
        self
    }

    /// Whether bodies go on within a step with the velocity that points meet, as they do unless told otherwise, or stay where they were at its start, as in yu2025mpm.
    ///
    /// Where they go on, points are no deeper in a body at the end of a step than contact and the change of its velocity make them. Where they stay, a body that comes nearer at v takes those ahead of it up to δt v inside, and one that is thinner than twice that goes through them; bodies that are led go on anyway.
    ///
    /// The springs of [`Limit`] act where bodies are halfway, x + ½ (δt + δ) v, if they go on, which damps and asks for steps below 2 √(m/(n k (2 + δ/δt))); at x + δ v, below 2 √(m/(n k (1 + 2 δ/δt))), if they stay.
    #[must_use]
    pub fn with_moving_bodies(mut self, moving: bool) -> Self {
        self.moving = moving;
        self
    }

    /// Forgets the steps before: the places of led bodies, and the history of the iteration. For a new start from other states, and after bodies were put elsewhere at once rather than led there.
    pub fn restart(&mut self) {
        self.places.forget();
        self.mixing = QuasiNewton::default();
    }

    /// The material points.
    pub fn points(&self) -> &P {
        &self.points
    }

    /// The material points, to read them.
    pub fn points_mut(&mut self) -> &mut P {
        &mut self.points
    }

    /// Puts the obstacles where bodies in a state are, to look at the points with them.
    pub fn place(&mut self, bodies: &State) {
        let (model, mut kin) = (self.rigid.model(), self.kinematics.clone());
        kin.set_positions(model, &bodies.q, self.rigid.held().mocap);
        kin.set_velocities(model, &bodies.v);
        self.places.set(model, &kin, self.points.obstacles_mut());
    }

    /// The step of the bodies, for its last solve.
    pub fn rigid_step(&self) -> &R {
        &self.rigid_step
    }

    /// Body of an obstacle, and the obstacle's pose on it.
    pub fn on_body(&self, obstacle: usize) -> (usize, Isometry3<f64>) {
        self.places.on_body(obstacle)
    }

    /// The rigid system.
    pub fn rigid(&self) -> &RigidSystem {
        &self.rigid
    }

    /// Adds the generalised impulses of the last step of the bodies, of `dt` \[s\], by source: those of points are applied ones. NaN where the scheme has more solves than the last.
    pub fn add_impulses(&self, dt: f64, out: &mut GeneralizedImpulses) {
        let last = self.rigid_step.last_solve();
        let whole = self.rigid_step.first_solve().is_none();
        if !(whole && self.rigid.add_impulses(last.slot, dt, last.solution, out)) {
            return out.fill(self.impulse.len(), f64::NAN);
        }
        out.applied.iter_mut().zip(&self.impulse).for_each(|(sum, own)| *sum += own);
    }

    /// The rigid system, for its controls.
    pub fn rigid_mut(&mut self) -> &mut RigidSystem {
        &mut self.rigid
    }

    /// Limit of steps like the last one for the body of each geom, where in it most of its contacts touched. They are found when asked for: one eigenvalue per tree.
    pub fn limits(&self) -> Vec<Limit> {
        let rigid = RigidSide { system: &self.rigid, kin: &self.kinematics };
        self.pressed.limits(rigid, &self.places, self.moving)
    }

    /// One step of `dt` \[s\] of both from their states, which it moves on. Forces applied to the rigid system stay as they are.
    ///
    /// Bodies that are led ([`RigidSystem::mocap_poses_mut`]) are where they were put, and go on within the step as they did from their poses of the last step; they stand in the first one and after [`Asynchronous::restart`].
    ///
    /// # Errors
    /// As the steps of either; the states are then as they were. If a led body is too fast, the error names it.
    pub fn step(
        &mut self,
        points: &mut P::State,
        bodies: &mut State,
        dt: f64,
    ) -> Result<CouplingReport, StepError> {
        self.kinematics.set_positions(self.rigid.model(), &bodies.q, self.rigid.held().mocap);
        self.places.lead(&self.kinematics);
        self.points.begin(points);
        let report = match self.iterate(bodies, dt) {
            Ok(report) => report,
            Err(e) => {
                self.points.back();
                return Err(self.places.blame(self.points.obstacles(), e));
            }
        };
        self.points.end(points);
        self.places.took(&self.kinematics, dt);
        std::mem::swap(bodies, &mut self.next);
        Ok(report)
    }

    fn iterate(&mut self, bodies: &State, dt: f64) -> Result<CouplingReport, StepError> {
        self.mixing.begin();
        let most = self.iteration.map_or(1, |i| i.most);
        let tolerance = self.iteration.map_or(f64::INFINITY, |i| i.tolerance);
        let (mut met, mut given) = (DVector::from_column_slice(&bodies.v), 0.0f64);
        let mut iteration = 1;
        loop {
            let mut report = self.places.report();
            self.move_points(met.as_slice(), bodies.t, dt, &mut report)?;
            self.move_bodies(bodies, dt, &mut report)?;
            report.iterations = iteration;
            // M^(1/2) of the difference of velocities at the end, beside M^(-1/2) of the impulses.
            let d = DVector::from_column_slice(self.rigid.frozen_problem(Slot::Start).inertia().scaling());
            let rest = (DVector::from_column_slice(&self.next.v) - &met).component_div(&d);
            given = given.max(DVector::from_column_slice(&self.impulse).component_mul(&d).norm());
            // Where points gave nothing yet, they may at the velocity that bodies then have.
            let changed = self.next.v.iter().zip(&bodies.v).zip(&d).map(|((v, from), d)| (v - from) / d);
            let size = if given > 0.0 { given } else { DVector::from_iterator(d.len(), changed).norm() };
            report.defect = if size > 0.0 { rest.norm() / size } else { 0.0 };
            if report.defect <= tolerance || iteration == most {
                let short = self.iteration.is_some() && report.defect > tolerance;
                report.unconverged += u32::from(short);
                if short {
                    report.residual_ratio = report.residual_ratio.max(report.defect / tolerance);
                }
                return Ok(report);
            }
            let relaxation = QuasiNewton::relaxation(&self.limits(), dt);
            met = self.mixing.next(met.component_div(&d), rest, relaxation).component_mul(&d);
            iteration += 1;
            self.points.back();
        }
    }

    /// The substeps of the points against bodies that move with generalised velocities `met`.
    fn move_points(
        &mut self,
        met: &[f64],
        t: f64,
        dt: f64,
        report: &mut CouplingReport,
    ) -> Result<(), StepError> {
        let model = self.rigid.model();
        self.kinematics.set_velocities(model, met);
        self.pressed.clear(self.places.len());
        self.places.set(model, &self.kinematics, self.points.obstacles_mut());
        let starts: Vec<(Isometry3<f64>, Vector3<f64>)> =
            self.points.obstacles().iter().map(|o| (o.pose, o.velocity)).collect();
        let done = self.take_substeps(&starts, t, dt, report);
        // Moments are about where bodies were.
        for (o, start) in self.points.obstacles_mut().iter_mut().zip(&starts) {
            (o.pose, o.velocity) = *start;
        }
        done
    }

    fn take_substeps(
        &mut self,
        starts: &[(Isometry3<f64>, Vector3<f64>)],
        t: f64,
        dt: f64,
        report: &mut CouplingReport,
    ) -> Result<(), StepError> {
        let model = self.rigid.model();
        // Those that stay where they are have none.
        let middles = self.places.middles(model, &self.kinematics).into_iter().enumerate();
        let goes = |(o, middle)| (self.moving || self.places.is_led(model, o)).then_some(middle);
        let mut middles: Vec<Option<[Vector3<f64>; 2]>> = middles.map(goes).collect();
        let mut left = self.substeps;
        let mut rest = dt;
        while left > 0 {
            if self.shorter {
                let fail = |e: ProblemError| StepError::Solve { t, dt, source: e.into() };
                let longest = self.points.longest_step().map_err(fail)?;
                left = left.max(steps_within(rest, longest).map_err(fail)? as u32);
            }
            let substep = rest / f64::from(left);
            let r = self.points.substep(substep)?;
            (rest, left) = (rest - substep, left - 1);
            report.substeps += 1;
            report.material.add(&r.stats);
            report.unconverged += r.unconverged;
            report.residual_ratio = report.residual_ratio.max(r.residual_ratio);
            self.places.add(&self.points, dt, report);
            self.pressed.keep(&self.points, substep);
            go_on(&mut self.points, substep, starts, &mut middles, report);
        }
        Ok(())
    }

    /// The step of the bodies under constant forces that have the impulses over the step.
    fn move_bodies(&mut self, bodies: &State, dt: f64, report: &mut CouplingReport) -> Result<(), StepError> {
        let (model, kin) = (self.rigid.model(), &self.kinematics);
        let obstacles = self.points.obstacles();
        self.places.generalised(model, kin, obstacles, &report.impulses, &mut self.impulse);
        let applied: Vec<f64> = self.rigid.applied_force_mut().to_vec();
        self.rigid.applied_force_mut().iter_mut().zip(&self.impulse).for_each(|(a, c)| *a += c / dt);
        let done = self.rigid_step.step(&mut self.rigid, bodies, dt, false, &mut self.next);
        self.rigid.applied_force_mut().copy_from_slice(&applied);
        let r = done?;
        report.rigid.add(&r.stats);
        report.unconverged += r.unconverged;
        report.residual_ratio = report.residual_ratio.max(r.residual_ratio);
        Ok(())
    }
}

/// Takes obstacles along for a substep that was just done, the middles of mass of their bodies straight on; their moments count about where they started.
fn go_on(
    points: &mut impl PointSide,
    substep: f64,
    starts: &[(Isometry3<f64>, Vector3<f64>)],
    middles: &mut [Option<[Vector3<f64>; 2]>],
    report: &mut CouplingReport,
) {
    let gone = points.obstacles().iter().zip(starts).zip(points.impulses());
    for (sum, ((o, start), given)) in report.impulses.iter_mut().zip(gone) {
        sum[1] += (o.pose.translation.vector - start.0.translation.vector).cross(&given[0]);
    }
    for (o, middle) in points.obstacles_mut().iter_mut().zip(middles) {
        let Some([middle, velocity]) = middle else { continue };
        let turn = UnitQuaternion::from_scaled_axis(substep * o.angular_velocity);
        let arm = turn * (o.pose.translation.vector - *middle);
        *middle += substep * *velocity;
        o.pose = Isometry3::from_parts((*middle + arm).into(), turn * o.pose.rotation);
        o.velocity = *velocity + o.angular_velocity.cross(&arm);
    }
}
