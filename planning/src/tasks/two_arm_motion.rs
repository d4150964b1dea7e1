use signorini_core::na::{SMatrix, SVector};

use super::two_arms::{self, COUNT, shared_jacobian};
use crate::projection::{JointBounds, MotionBounds, ProjectionOptions, Projector, Softening};
use crate::{BoundedMotion, MppiOptions, PlanError, ReplanView, SampleProjection, Samples};

/// Samples of the joint velocities of two arms: noise shaped by what the palms do together, then projected onto bounded motion ([`BoundedMotion`]).
///
/// Noise of the joints that lets a held ball go is of no use, and most of it does: of twelve directions three carry the ball. So deviations z from the mean, which come in standard normal for each joint (σ = 1 of the planner; cut where mean and deviation together leave the bounds of the controls), go on as
///
/// ```text
/// f_j L z,   L Lᵀ = (σ⁻² 1 + Jᵀ W⁻² J)⁻¹
/// ```
///
/// with J the motion of the palms per joint velocity at the state that the plan starts from, σ and W the standard deviations of joints and palms in this stage ([`Tolerance`]): the Gaussian that keeps to both. Where palms may turn together with τ, about their middle and with r half of the way from the left to the right one,
/// W² + τ² G Gᵀ stands for W², G = (0, −\[r\]×, 1, 1) in the rows of J.
/// f_j falls from 1 for the first sample to [`TwoArmMotion::FINEST`] for the last, in equal ratios: coarse and fine steps are tried in one plan, whatever the distance. The mean passes as it is.
pub struct TwoArmMotion {
    bounded: BoundedMotion,
    tolerances: Vec<Tolerance>,
    shape: SMatrix<f64, COUNT, COUNT>,
}

/// Standard deviations of noise in one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of each joint \[rad/s\].
    pub joints: f64,
    /// Of the middle of the palms \[m/s\].
    pub middle: f64,
    /// Of half the velocity of the right palm relative to the left \[m/s\].
    pub apart: f64,
    /// Of the spin of each palm \[rad/s\].
    pub spin: f64,
    /// Of a turn of both together about their middle \[rad/s\], beside these; ≥ 0.
    pub turn: f64,
}

impl TwoArmMotion {
    /// f of the last sample.
    pub const FINEST: f64 = 0.1;

    /// Motion within 1 rad/s, 2 rad/s² and 4 rad/s³, as published. Positions keep within the ranges of the joints, elbows clear of the folded arm, where palms would hardly move by them. `tolerances` are those of the
    /// stages of the task in their order; the last holds for all that follow.
    ///
    /// # Errors
    /// As [`Projector::new`]; [`PlanError::Option`] for tolerances that are not finite and > 0, or none.
    pub fn new(options: &MppiOptions, tolerances: Vec<Tolerance>) -> Result<Self, PlanError> {
        let good = |t: &Tolerance| {
            [t.joints, t.middle, t.apart, t.spin].iter().all(|x| *x > 0.0 && x.is_finite())
                && t.turn >= 0.0
                && t.turn.is_finite()
        };
        if tolerances.is_empty() || !tolerances.iter().all(good) {
            let why =
                format!("are {tolerances:?}; give one or more, all of finite numbers > 0 (`turn` may be 0)");
            return Err(PlanError::Option { what: "the tolerances of the palms", why });
        }
        let joint = |j: usize| {
            let most = if j % 6 == 2 { 3.0 } else { 6.2 };
            JointBounds { position: [-most, most], velocity: 1.0, acceleration: 2.0, jerk: 4.0 }
        };
        let bounds = MotionBounds::new((0..COUNT).map(joint).collect())?;
        let settings = ProjectionOptions { softening: Softening::Widen, ..ProjectionOptions::default() };
        let projector = Projector::new(bounds, options.steps, options.dt, settings)?;
        let bounded = BoundedMotion::new(projector, (0..COUNT).collect())?;
        Ok(Self { bounded, tolerances, shape: SMatrix::identity() })
    }
}

impl SampleProjection for TwoArmMotion {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        let t = self.tolerances[at.phase.stage.min(self.tolerances.len() - 1)];
        let j = shared_jacobian(&at.seen);
        let deviation = SVector::<f64, COUNT>::from_fn(|r, _| [t.middle, t.apart, t.spin, t.spin][r / 3]);
        let mut palms = SMatrix::<f64, COUNT, COUNT>::from_diagonal(&deviation.component_mul(&deviation));
        let [right, left] = two_arms::palms(&at.seen).map(|p| p.pose.translation.vector);
        let mut together = SMatrix::<f64, COUNT, 3>::zeros();
        together.fixed_view_mut::<3, 3>(3, 0).copy_from(&(0.5 * (left - right)).cross_matrix());
        together.fixed_view_mut::<3, 3>(6, 0).fill_with_identity();
        together.fixed_view_mut::<3, 3>(9, 0).fill_with_identity();
        palms += t.turn * t.turn * together * together.transpose();
        // Positive definite, so that it fails for poses alone that are not finite; those are refused elsewhere.
        let shape = palms.cholesky().and_then(|p| {
            let precision = j.transpose() * p.solve(&j) + SMatrix::identity() / (t.joints * t.joints);
            precision.cholesky()?.inverse().cholesky()
        });
        if let Some(c) = shape {
            self.shape = c.l();
        }
        self.bounded.begin(at)
    }

    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        if samples.channels != COUNT {
            let what = "the channels, one per joint of two arms";
            return Err(PlanError::Length { what, found: samples.channels, expected: COUNT });
        }
        let size = samples.knots * samples.channels;
        let (mean, rest) = samples.values.split_at_mut(size);
        let last = (samples.samples.max(3) - 2) as f64;
        for (i, sample) in rest.chunks_exact_mut(size).enumerate() {
            let scale = Self::FINEST.powf(i as f64 / last);
            for (v, m) in sample.chunks_exact_mut(COUNT).zip(mean.chunks_exact(COUNT)) {
                let z = SVector::<f64, COUNT>::from_fn(|i, _| v[i] - m[i]);
                let noise = scale * (self.shape * z);
                v.iter_mut().zip(m).zip(noise.iter()).for_each(|((v, m), n)| *v = m + n);
            }
        }
        self.bounded.project(samples)
    }
}
