use super::error::ProjectionError;

/// Numbers that iterations run in. The finish is in `f64` always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f32`: velocities to 10⁻⁵ rad/s, at half the time.
    #[default]
    Single,
    /// `f64`.
    Double,
}

/// Scaling of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowScaling {
    /// Not at all.
    None,
    /// By the inverse square root of their norm.
    #[default]
    SquareRoot,
    /// To norm 1.
    Unit,
}

/// Start of the iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarmStart {
    /// At the sample within the bounds of rows, without multipliers.
    #[default]
    Cold,
    /// Cold start, with the multipliers of the mean's exact projection.
    Mean,
    /// At the end of the sample's iterations in the last call; for samples and a history that are near to those of then, as where a projection goes on, and not from one plan to the next, whose noise and limits are others. Cold where there was none.
    Kept,
}

/// Reaction to a history after which no tape keeps all bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Softening {
    /// [`ProjectionError::Infeasible`].
    #[default]
    Refuse,
    /// Widen bounds of the joint for this call: acceleration and jerk by one factor, the smallest to 1 %; position only where the history is outside, to there. Velocity never gives way.
    Widen,
}

/// Settings of a projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectionOptions {
    /// Iterations.
    pub iterations: usize,
    /// Weight ρ of rows, > 0.
    pub rho: f64,
    /// Relaxation α, within (0, 2).
    pub relaxation: f64,
    /// Scaling of rows.
    pub scaling: RowScaling,
    /// Numbers.
    pub precision: Precision,
    /// Start of the iterations.
    pub warm_start: WarmStart,
    /// Reaction to infeasible histories.
    pub softening: Softening,
    /// Make all bounds hold in the end. Off, iterations alone count, for studies of them.
    pub finish: bool,
}

impl Default for ProjectionOptions {
    fn default() -> Self {
        Self {
            iterations: 20,
            rho: 1.0,
            relaxation: 1.6,
            scaling: RowScaling::default(),
            precision: Precision::default(),
            warm_start: WarmStart::default(),
            softening: Softening::default(),
            finish: true,
        }
    }
}

impl ProjectionOptions {
    pub(super) fn check(&self) -> Result<(), ProjectionError> {
        let (rho, relaxation) = (self.rho, self.relaxation);
        if !(rho > 0.0 && rho.is_finite()) {
            return Err(ProjectionError::Option { what: "rho", value: rho, rule: "positive and finite" });
        }
        if !(relaxation > 0.0 && relaxation < 2.0) {
            let rule = "between 0 and 2";
            return Err(ProjectionError::Option { what: "the relaxation", value: relaxation, rule });
        }
        if self.iterations == 0 {
            let what = "the number of iterations";
            return Err(ProjectionError::Option { what, value: 0.0, rule: "at least 1" });
        }
        Ok(())
    }
}
