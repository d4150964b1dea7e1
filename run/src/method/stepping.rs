use signorini_integrators::StepController;

/// Stepping: how a method goes through time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stepping {
    /// Steps as a caller asks for them, as batches do; a run of its own needs one of the others.
    #[default]
    Asked,
    /// Equal steps.
    Fixed {
        /// Length of a step \[s\].
        dt: f64,
    },
    /// Step doubling under error control.
    Controlled(StepController),
}

impl Stepping {
    /// Error control at an accuracy \[m, rad\].
    pub fn accurate(accuracy: f64) -> Self {
        Self::Controlled(StepController::with_accuracy(accuracy))
    }

    /// True under error control.
    pub fn is_controlled(&self) -> bool {
        matches!(self, Self::Controlled(_))
    }

    /// Name of the integrator.
    pub fn integrator(&self) -> &'static str {
        if self.is_controlled() { "cenic" } else { "fixed" }
    }

    /// Kind of steps in words, for recordings.
    pub fn words(&self) -> &'static str {
        if self.is_controlled() { "error control" } else { "fixed steps" }
    }

    /// Accuracy or step in words.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Asked => "steps as asked for".into(),
            Self::Fixed { dt } => format!("dt {dt} s"),
            Self::Controlled(c) => format!("accuracy {:e}", c.accuracy),
        }
    }
}
