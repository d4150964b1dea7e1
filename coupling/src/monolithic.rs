use signorini_core::{OneStep, State, StepError};
use signorini_mpm::MpmSystem;
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use crate::places::{CouplingError, CouplingReport};
use crate::system::MonolithicSystem;

/// Material points and a rigid system in one step, implicit in both: strong coupling. See [`MonolithicSystem`].
pub struct Monolithic<R: OneStep> {
    system: MonolithicSystem,
    step: R,
    start: State,
    end: State,
}

impl<R: OneStep> Monolithic<R> {
    /// Couples material points, whose obstacles are [`crate::obstacles`] of these geoms, to the rigid system of the scene; `step` takes the step of both, say a contact step with Newton's method or
    /// with conjugate gradients.
    ///
    /// # Errors
    /// [`CouplingError`].
    pub fn new(
        scene: &Scene,
        geoms: &[usize],
        material: MpmSystem,
        rigid: RigidSystem,
        step: R,
    ) -> Result<Self, CouplingError> {
        let system = MonolithicSystem::new(scene, geoms, material, rigid)?;
        Ok(Self { system, step, start: State::default(), end: State::default() })
    }

    /// The material points.
    pub fn material(&self) -> &MpmSystem {
        self.system.material()
    }

    /// The rigid system, for its controls.
    pub fn rigid_mut(&mut self) -> &mut RigidSystem {
        self.system.rigid_mut()
    }

    /// Both as one.
    pub fn system_mut(&mut self) -> &mut MonolithicSystem {
        &mut self.system
    }

    /// One step of `dt` \[s\] of both from their states, which it moves on.
    ///
    /// # Errors
    /// As the step; the states are then as they were.
    pub fn step(
        &mut self,
        points: &mut State,
        bodies: &mut State,
        dt: f64,
    ) -> Result<CouplingReport, StepError> {
        self.system.join(points, bodies, &mut self.start);
        let r = self.step.step(&mut self.system, &self.start, dt, false, &mut self.end)?;
        let wrong = |e| StepError::problem(self.start.t, dt, e);
        self.system.split(&self.end, points, bodies).map_err(wrong)?;
        let mut report = self.system.places.report();
        self.system.places.add(self.system.material(), dt, &mut report);
        report.material = r.stats;
        (report.unconverged, report.residual_ratio) = (r.unconverged, r.residual_ratio);
        report.iterations = 1;
        Ok(report)
    }
}
