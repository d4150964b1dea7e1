//! Projection of velocity tapes onto motion with bounded position, velocity, acceleration and jerk.
//!
//! Samples of a planner are noise around a mean; as joint velocities no robot can follow them. For each joint and sample, on its own,
//!
//! ```text
//! min ½ ‖v − s‖²  with  l ≤ A v ≤ u
//! ```
//! over the velocities v of the H steps ([`Rows`] has A, l, u and where the history enters). [`exact`] solves one such problem to the end; [`Projector`] thousands at once, to the accuracy of so many
//! iterations of the alternating direction method of multipliers, and then makes all bounds hold.
//!
//! # Iterations
//! With rows scaled, Ã = E A and E the inverse square roots of the norms of rows, copies z of Ã v within the bounds and multipliers y, the method repeats
//!
//! ```text
//! v ← K⁻¹ (s + ρ Ãᵀ (z − y/ρ)),  K = I + ρ Ãᵀ Ã,    r ← α Ã v + (1 − α) z,    z ← clip(r + y/ρ),    y ← y + ρ (r − z)
//! ```
//! with relaxation α. Of z and y only t = z + y/ρ need be kept, of which they are clip(t) and ρ (t − clip(t)):
//!
//! ```text
//! v ← K⁻¹ (s + ρ Ãᵀ (2 clip(t) − t)),    t ← t + α (Ã v − clip(t))
//! ```
//! (Douglas and Rachford's form). K is the same for all joints, samples and replans: its inverse is made once. A sample within all bounds is a fixed point with t = Ã s, where iterations begin.
//! Dividing by the square root of the norm is measured to be best: rows of equal norm (jerk 245, velocity 1 before) leave the jerk far outside for long.
//!
//! # Finish
//! The result of iterations is outside by a little, and a jerk of a few rad/s³ is a velocity of some hundredths. Two steps make all bounds hold:
//!
//! 1. Forward in time, each velocity is clipped to the range that the bounds on velocity, acceleration and jerk leave it, now and until the end of the horizon. With full jerk −j from step k on, velocities after n steps are
//!    v_k + n (v_k − v_{k−1}) − j dt² n (n + 1)/2, none of which may exceed the bound V:
//!
//!    ```text
//!    v_k ≤ (V + n v_{k−1} + j dt² n (n + 1)/2)/(n + 1),   n = 0 … H − 1 − k
//!    ```
//!    (those with an acceleration of the other sign ask for nothing new), the same from below, beside v_k ≤ v_{k−1} + dt min(a, a_{k−1} + dt j). A tape that keeps them so far can keep them to the end, so there is always room.
//! 2. Positions that are exceeded still are brought back on the ray to a tape that keeps all bounds, the exact projection of the mean a little within the position bounds: the set is convex, so everything else goes on to hold.
//!
//! A sample that keeps all bounds is returned as it came, bit for bit. After so many steps as it takes to bring the largest acceleration to zero (5 with 2 rad/s², 4 rad/s³ and 0.1 s), the beginning of a plan of more steps can always be
//! continued: velocity, acceleration and jerk never make a later set empty. Positions may, at horizons shorter than it takes to stop.

mod admm;
mod error;
pub mod exact;
mod finish;
mod lanes;
mod options;
mod problem;
mod projector;

pub use error::{ProjectionError, Row, RowKind};
pub use options::{Precision, ProjectionOptions, RowScaling, Softening, WarmStart};
pub use problem::{History, JointBounds, JointHistory, MotionBounds, Rows};
pub use projector::{ProjectionReport, Projector, Softened};
