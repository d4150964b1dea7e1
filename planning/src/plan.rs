use std::sync::Arc;

use crate::{Basis, BasisKind, PlanError};

/// Controls over time: knots of a basis from a start time on. Queried by absolute time, so that an old plan can stay in use while a new one is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    basis: Arc<Basis>,
    /// Time of the first step \[s\].
    pub start: f64,
    /// Time of a step \[s\].
    pub dt: f64,
    /// knots × channels.
    pub knots: Vec<f64>,
    /// Least and largest control of each channel.
    pub bounds: Arc<[[f64; 2]]>,
}

impl Plan {
    /// All knots at a control, one number per channel, from time 0 on; cut to the bounds.
    ///
    /// # Errors
    /// [`PlanError::Length`] of a control with other than one number per bound; [`PlanError::Option`] for a step that is not positive, or controls and bounds that are not numbers.
    pub fn constant(
        basis: impl Into<Arc<Basis>>,
        dt: f64,
        control: &[f64],
        bounds: impl Into<Arc<[[f64; 2]]>>,
    ) -> Result<Self, PlanError> {
        let (basis, bounds) = (basis.into(), bounds.into());
        let (found, expected) = (control.len(), bounds.len());
        if found != expected {
            return Err(PlanError::Length { what: "the control of a plan", found, expected });
        }
        check_step(dt)?;
        if !control.iter().all(|u| u.is_finite()) {
            let why = "has a control that is not finite; give finite numbers".into();
            return Err(PlanError::Option { what: "a plan", why });
        }
        check_bounds(&bounds)?;
        let mut knots = control.repeat(basis.knots());
        clip(&mut knots, &bounds);
        Ok(Self { basis, start: 0.0, dt, knots, bounds })
    }

    /// The basis.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.bounds.len()
    }

    /// End of the last step \[s\]; the last control is held from there on.
    pub fn end(&self) -> f64 {
        self.start + self.dt * self.basis.steps() as f64
    }

    /// Controls at a time \[s\], within the bounds: those of the first step before the start, those of the last after the end. Bases of lines, splines and polynomials are continuous in
    /// time; a rollout holds their values at the beginnings of steps.
    ///
    /// # Errors
    /// [`PlanError::Length`].
    pub fn controls(&self, time: f64, out: &mut [f64]) -> Result<(), PlanError> {
        if out.len() != self.channels() {
            let (found, expected) = (out.len(), self.channels());
            return Err(PlanError::Length { what: "the array for controls", found, expected });
        }
        let mut row = vec![0.0; self.basis.knots()];
        self.basis.evaluate(&self.knots, (time - self.start) / self.dt, &mut row, out);
        clip(out, &self.bounds);
        Ok(())
    }

    /// Moves the plan to begin at another time, past its end the last value held ([`Basis::shifted`]).
    pub fn move_to(&mut self, start: f64) {
        if start == self.start {
            return;
        }
        let mut knots = vec![0.0; self.knots.len()];
        self.basis.shifted(&self.knots, (start - self.start) / self.dt, &mut knots);
        clip(&mut knots, &self.bounds);
        (self.knots, self.start) = (knots, start);
    }

    /// Takes over another plan of the same basis.
    pub fn copy_from(&mut self, other: &Plan) {
        self.basis.clone_from(&other.basis);
        self.knots.clone_from(&other.knots);
        self.bounds.clone_from(&other.bounds);
        (self.start, self.dt) = (other.start, other.dt);
    }
}

/// Keeps controls, channels within knots or steps, within their bounds; numbers that are not finite stay so.
pub(crate) fn clip(values: &mut [f64], bounds: &[[f64; 2]]) {
    if bounds.is_empty() {
        return;
    }
    for row in values.chunks_exact_mut(bounds.len()) {
        let finite = row.iter_mut().zip(bounds).filter(|(u, _)| u.is_finite());
        finite.for_each(|(u, [low, high])| *u = u.max(*low).min(*high));
    }
}

/// Fails on a time of a control step that is none.
pub(crate) fn check_step(dt: f64) -> Result<(), PlanError> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(PlanError::Option { what: "dt", why: format!("is {dt} s; give a finite time > 0") })
}

/// Fails on bounds that no finite control keeps to.
pub(crate) fn check_bounds(bounds: &[[f64; 2]]) -> Result<(), PlanError> {
    let refuse = |why: String| Err(PlanError::Option { what: "bounds", why });
    let empty = |(_, [low, high]): &(usize, &[f64; 2])| low.is_nan() || high.is_nan() || low > high;
    if let Some((i, [low, high])) = bounds.iter().enumerate().find(empty) {
        return refuse(format!(
            "of channel {i} are {low} to {high}: no control keeps to them; give the smaller number first"
        ));
    }
    if bounds.iter().any(|[low, high]| *low == f64::INFINITY || *high == f64::NEG_INFINITY) {
        return refuse("leave no finite control".into());
    }
    Ok(())
}

/// Whether the tape of a basis leaves the bounds although its knots keep to them.
pub(crate) fn overshoots(kind: BasisKind) -> bool {
    kind == BasisKind::Cubic
}
