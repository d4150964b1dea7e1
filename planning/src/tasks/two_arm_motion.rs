use signorini_core::na::{DMatrix, DVector, SMatrix, SVector};

use super::two_arms::Arms;
use crate::projection::{JointBounds, MotionBounds, ProjectionOptions, Projector, Softened, Softening};
use crate::{BoundedMotion, MppiOptions, PlanError, ReplanView, SampleProjection, Samples};

/// Samples of the joint velocities of two arms: noise shaped by the common motion of the palms, then projected onto bounded motion ([`BoundedMotion`]).
///
/// Noise of the joints that lets a held ball go is of no use, and most of it does: of twelve directions or more three carry the ball. So deviations z from the mean, which come in standard normal for each joint (σ = 1 of the planner), go on as
///
/// ```text
/// Θ_j = (1 − ρ f_j) m + f_j L z,   L Lᵀ = (σ⁻² 1 + Jᵀ W⁻² J)⁻¹
/// ```
///
/// with J the motion of the palms per joint velocity at the state that the plan starts from, σ and W the standard deviations of joints and palms in this stage ([`Tolerance`]): the Gaussian that keeps to both. Where palms may turn together with τ, about their middle and with r half of the way from the left to the right one,
/// W² + τ² G Gᵀ stands for W², G = (0, −\[r\]×, 1, 1) in the rows of J.
/// f_j falls from 1 for the first sample to [`TwoArmMotion::FINEST`] for the last, in equal ratios: coarse and fine steps are tried in one plan, whatever the distance. The mean passes as it is.
/// Samples are drawn about the mean m slowed down by ρ f_j with ρ = [`TwoArmMotion::REST`]: about m itself every other sample is faster, plans of few samples pick up speed that no cost asked for, and palms push the object that they are to take.
pub struct TwoArmMotion {
    arms: Arms,
    bounded: BoundedMotion,
    tolerances: Vec<Tolerance>,
    shape: DMatrix<f64>,
    /// z and f L z of a knot.
    noise: [DVector<f64>; 2],
}

/// Standard deviations of noise in one stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Velocity bound of each joint \[rad/s\].
    pub joints: f64,
    /// Velocity bound of the middle of the palms \[m/s\].
    pub middle: f64,
    /// Bound of half the velocity of the right palm relative to the left \[m/s\].
    pub apart: f64,
    /// Bound of the spin of each palm \[rad/s\].
    pub spin: f64,
    /// Bound of a turn of both together about their middle \[rad/s\], beside these; ≥ 0.
    pub turn: f64,
}

impl TwoArmMotion {
    /// f of the last sample.
    pub const FINEST: f64 = 0.1;
    /// Part of the mean's speed that is taken off the centre of the first sample.
    pub const REST: f64 = 0.3;

    /// Motion within 1 rad/s, 2 rad/s² and 4 rad/s³, as published, and within the angles of [`Arms::joints`]. `tolerances` are those of the stages of the task in their order; the last holds for all that follow.
    ///
    /// # Errors
    /// As [`Projector::new`]; [`PlanError::Option`] for tolerances that are not finite and > 0, or none.
    pub fn new(arms: Arms, options: &MppiOptions, tolerances: Vec<Tolerance>) -> Result<Self, PlanError> {
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
        let (bounded, n) = (Self::bounded(arms, options)?, arms.count());
        let noise = [DVector::zeros(n), DVector::zeros(n)];
        Ok(Self { arms, bounded, tolerances, shape: DMatrix::identity(n, n), noise })
    }

    /// The bounded motion alone, for noise of another kind.
    ///
    /// # Errors
    /// As [`Projector::new`].
    pub fn bounded(arms: Arms, options: &MppiOptions) -> Result<BoundedMotion, PlanError> {
        let joint = |j: usize| {
            let position = arms.joints[j % arms.axes()].1;
            JointBounds { position, velocity: 1.0, acceleration: 2.0, jerk: 4.0 }
        };
        let n = arms.count();
        let bounds = MotionBounds::new((0..n).map(joint).collect())?;
        let settings = ProjectionOptions { softening: Softening::Widen, ..ProjectionOptions::default() };
        let projector = Projector::new(bounds, options.steps, options.dt, settings)?;
        BoundedMotion::new(projector, (0..n).collect())
    }

    /// The arms that it moves.
    pub fn arms(&self) -> &Arms {
        &self.arms
    }
}

impl SampleProjection for TwoArmMotion {
    fn begin(&mut self, at: &ReplanView<'_>) -> Result<(), PlanError> {
        let t = self.tolerances[at.phase.stage.min(self.tolerances.len() - 1)];
        let (j, n) = (self.arms.shared_jacobian(&at.seen), self.arms.count());
        let deviation = SVector::<f64, 12>::from_fn(|r, _| [t.middle, t.apart, t.spin, t.spin][r / 3]);
        let mut palms = SMatrix::<f64, 12, 12>::from_diagonal(&deviation.component_mul(&deviation));
        let [right, left] = self.arms.palms(&at.seen).map(|p| p.pose.translation.vector);
        let mut together = SMatrix::<f64, 12, 3>::zeros();
        together.fixed_view_mut::<3, 3>(3, 0).copy_from(&(0.5 * (left - right)).cross_matrix());
        together.fixed_view_mut::<3, 3>(6, 0).fill_with_identity();
        together.fixed_view_mut::<3, 3>(9, 0).fill_with_identity();
        palms += t.turn * t.turn * together * together.transpose();
        // Positive definite, so that it fails for poses alone that are not finite; those are refused elsewhere.
        let shape = palms.cholesky().and_then(|p| {
            let precision = j.tr_mul(&p.solve(&j)) + DMatrix::identity(n, n) / (t.joints * t.joints);
            precision.cholesky()?.inverse().cholesky()
        });
        if let Some(c) = shape {
            self.shape = c.l();
        }
        self.bounded.begin(at)
    }

    fn project(&mut self, samples: &mut Samples<'_>) -> Result<(), PlanError> {
        let n = self.arms.count();
        if samples.channels != n {
            let what = "the channels, one per joint of two arms";
            return Err(PlanError::Length { what, found: samples.channels, expected: n });
        }
        let size = samples.knots * n;
        let (mean, rest) = samples.values.split_at_mut(size);
        let last = (samples.samples.max(3) - 2) as f64;
        let [z, noise] = &mut self.noise;
        for (i, sample) in rest.chunks_exact_mut(size).enumerate() {
            let scale = Self::FINEST.powf(i as f64 / last);
            let slower = 1.0 - Self::REST * scale;
            for (v, m) in sample.chunks_exact_mut(n).zip(mean.chunks_exact(n)) {
                z.iter_mut().zip(v.iter().zip(m)).for_each(|(z, (v, m))| *z = v - m);
                noise.gemv(scale, &self.shape, z, 0.0);
                v.iter_mut().zip(m).zip(noise.iter()).for_each(|((v, m), n)| *v = slower * m + n);
            }
        }
        self.bounded.project(samples)
    }

    fn describe(&self) -> String {
        format!(
            "noise by what palms may miss in each stage, finer from sample to sample, and {}",
            self.bounded.describe()
        )
    }

    fn softened(&self) -> &[Softened] {
        self.bounded.softened()
    }
}
