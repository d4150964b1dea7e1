//! Motions of rigid bodies for the viewer.

use signorini_core::{AcceptedStep, State, StepObserver, System};
use signorini_multibody::{Kinematics, RigidSystem};
use signorini_report::PageError;
use signorini_run::areas::Areas;
use signorini_run::recorder::{RunLabels, header};
use signorini_run::recording::{RecordingHeader, push_pose};
use signorini_run::snapshot::Still;
use signorini_run::{Method, film};
use signorini_scene::Scene;

/// A film of the accepted steps of a run up to an end.
pub(crate) struct Motion {
    film: film::Film,
    rigid: RigidSystem,
    kinematics: Kinematics,
    end: f64,
}

impl Motion {
    /// Film of a scene under a method, from its initial state on; later states than `end` \[s\] are left out.
    ///
    /// # Errors
    /// A scene that the method does not take.
    pub(crate) fn new(scene: &Scene, method: &Method, end: f64) -> Result<Self, PageError> {
        let mut rigid = method.system(scene).map_err(PageError::from_error)?;
        let x = rigid.initial_state(None).map_err(PageError::from_error)?;
        Self::starting_at(scene, method, &x, end)
    }

    /// Film of a scene under a method, from its first keyframe where it has one; later states than `end` \[s\] are left out.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn of_keyframe(scene: &Scene, method: &Method, end: f64) -> Result<Self, PageError> {
        let mut rigid = method.system(scene).map_err(PageError::from_error)?;
        let x = rigid.initial_state(scene.keyframes.first()).map_err(PageError::from_error)?;
        Self::starting_at(scene, method, &x, end)
    }

    /// Film of a scene under a method, from a state on.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(crate) fn starting_at(
        scene: &Scene,
        method: &Method,
        x: &State,
        end: f64,
    ) -> Result<Self, PageError> {
        let mut rigid = method.system(scene).map_err(PageError::from_error)?;
        let kinematics = Kinematics::new(rigid.model());
        let has_surfaces = Areas::of(scene).any();
        if has_surfaces {
            rigid.keep_surfaces();
        }
        let header = header(scene, RunLabels::of(method), Vec::new());
        let film = film::Film::new(RecordingHeader { has_surfaces, ..header });
        let mut out = Self { film, rigid, kinematics, end };
        out.see(x);
        Ok(out)
    }

    /// Takes a picture when one is due.
    fn see(&mut self, x: &State) {
        if x.t > self.end + 1e-9 || !self.film.is_due(x.t) {
            return;
        }
        let mocap = self.rigid.held().mocap.to_vec();
        self.kinematics.set_positions(self.rigid.model(), &x.q, &mocap);
        let mut poses = Vec::new();
        self.kinematics.x_wb.iter().for_each(|p| push_pose(p, &mut poses));
        self.film.take(x.t, &poses, &[]);
        if self.film.has_surfaces() {
            self.rigid.energy(x);
            self.rigid.surfaces().iter().for_each(|t| self.film.take_surface(t));
        }
    }

    /// Pictures next after the given times \[s\].
    pub(crate) fn stills(&self, times: &[f64]) -> Vec<Still> {
        self.film.stills(times)
    }

    /// The page that shows it.
    pub(crate) fn attachment(&self, name: &str) -> film::Attachment {
        self.film.attachment(name)
    }
}

impl StepObserver for Motion {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.see(step.x1);
    }
}

/// An observer beside a film, where there is one.
pub(crate) struct Filmed<'a> {
    /// The observer.
    pub observer: &'a mut dyn StepObserver,
    /// The film.
    pub motion: Option<&'a mut Motion>,
}

impl StepObserver for Filmed<'_> {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.observer.accepted(step);
        if let Some(motion) = &mut self.motion {
            motion.accepted(step);
        }
    }
}
