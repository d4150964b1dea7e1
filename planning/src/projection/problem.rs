//! Bounded motion of joints over a horizon, as rows on their velocities.

use signorini_core::na::DMatrix;

use super::error::{ProjectionError, Row, RowKind};

/// Bounds of one joint. Any may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointBounds {
    /// Least and greatest position \[rad\].
    pub position: [f64; 2],
    /// Largest speed \[rad/s\], > 0.
    pub velocity: f64,
    /// Largest acceleration \[rad/s²\], > 0.
    pub acceleration: f64,
    /// Largest jerk \[rad/s³\], > 0.
    pub jerk: f64,
}

impl JointBounds {
    /// Greatest and least value of a quantity.
    pub(super) fn range(&self, kind: RowKind) -> [f64; 2] {
        match kind {
            RowKind::Position => self.position,
            RowKind::Velocity => [-self.velocity, self.velocity],
            RowKind::Acceleration => [-self.acceleration, self.acceleration],
            RowKind::Jerk => [-self.jerk, self.jerk],
        }
    }

    /// Excess of a value over its bounds, of half their range; 0 within.
    pub(super) fn excess(&self, kind: RowKind, value: f64) -> (f64, bool) {
        let [low, high] = self.range(kind);
        let (upper, beyond) = if value > high { (true, value - high) } else { (false, low - value) };
        let half = 0.5 * (high - low);
        let scale = if half.is_finite() { half } else { value.abs().max(1.0) };
        (if beyond > 0.0 { beyond / scale } else { 0.0 }, upper)
    }
}

/// Bounds of all joints.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionBounds {
    joints: Vec<JointBounds>,
}

impl MotionBounds {
    /// Bounds of each joint.
    ///
    /// # Errors
    /// [`ProjectionError::Bound`] when one is NaN or not positive, or when positions have no room;
    /// [`ProjectionError::Length`] without joints.
    pub fn new(joints: Vec<JointBounds>) -> Result<Self, ProjectionError> {
        if joints.is_empty() {
            let expected = "one for each joint, at least one".to_owned();
            return Err(ProjectionError::Length { what: "bounds", found: 0, expected });
        }
        for (joint, b) in joints.iter().enumerate() {
            let [low, high] = b.position;
            let parts = [
                ("the velocity bound", b.velocity),
                ("the acceleration bound", b.acceleration),
                ("the jerk bound", b.jerk),
            ];
            // NaN is not positive.
            if let Some((what, value)) = parts.into_iter().find(|(_, v)| v.is_nan() || *v <= 0.0) {
                return Err(ProjectionError::Bound { joint, what, value, rule: "positive" });
            }
            if low.is_nan() || low == f64::INFINITY {
                let rule = "a number or −∞";
                return Err(ProjectionError::Bound { joint, what: "the least position", value: low, rule });
            }
            if high.is_nan() || high <= low {
                let rule = "greater than the least";
                let what = "the greatest position";
                return Err(ProjectionError::Bound { joint, what, value: high, rule });
            }
        }
        Ok(Self { joints })
    }

    /// Equal bounds for `count` joints.
    ///
    /// # Errors
    /// As [`MotionBounds::new`].
    pub fn uniform(count: usize, bounds: JointBounds) -> Result<Self, ProjectionError> {
        Self::new(vec![bounds; count])
    }

    /// Bounds of each joint.
    pub fn joints(&self) -> &[JointBounds] {
        &self.joints
    }

    /// The worst row of a tape of velocities \[rad/s\], steps × joints, and by how much it exceeds its bound, of half the range; None where all hold.
    ///
    /// A check of projections: from differences of positions, velocities and accelerations as they follow from the history, not from the rows of a projection. Of round-off remain about 10⁻¹⁶ |v|/(dt² jerk).
    pub fn worst(&self, dt: f64, history: &History, tape: &[f64]) -> Option<(Row, f64)> {
        let joints = self.joints.len();
        let mut found: Option<(Row, f64)> = None;
        for (joint, bounds) in self.joints.iter().enumerate() {
            let mut h = history.joint(joint);
            for (step, v) in tape.chunks(joints).map(|s| s[joint]).enumerate() {
                let before = h;
                h = h.after(dt, v);
                let jerk = (h.acceleration - before.acceleration) / dt;
                let values = [h.position, h.velocity, h.acceleration, jerk];
                for (kind, value) in RowKind::ALL.into_iter().zip(values) {
                    let (excess, upper) = bounds.excess(kind, value);
                    if excess > found.map_or(0.0, |f| f.1) {
                        found = Some((Row { kind, step, joint, upper }, excess));
                    }
                }
            }
        }
        found
    }
}

/// Position, velocity and acceleration of a joint before the first step \[rad, rad/s, rad/s²\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointHistory {
    /// θ₋₁ \[rad\].
    pub position: f64,
    /// v₋₁ \[rad/s\].
    pub velocity: f64,
    /// a₋₁ \[rad/s²\].
    pub acceleration: f64,
}

impl JointHistory {
    /// After a step with a velocity \[rad/s\].
    pub fn after(self, dt: f64, velocity: f64) -> Self {
        Self {
            position: self.position + dt * velocity,
            velocity,
            acceleration: (velocity - self.velocity) / dt,
        }
    }
}

/// Motion of the joints before the first step, by which bounds hold from one plan to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// θ₋₁ of each joint \[rad\].
    pub position: Vec<f64>,
    /// v₋₁ of each joint \[rad/s\].
    pub velocity: Vec<f64>,
    /// a₋₁ of each joint \[rad/s²\].
    pub acceleration: Vec<f64>,
}

impl History {
    /// Joints that rest at positions \[rad\].
    pub fn at_rest(position: &[f64]) -> Self {
        let zero = vec![0.0; position.len()];
        Self { position: position.to_vec(), velocity: zero.clone(), acceleration: zero }
    }

    /// Goes on by a step with velocities \[rad/s\], one for each joint.
    pub fn advance(&mut self, dt: f64, velocity: &[f64]) {
        for (j, v) in velocity.iter().enumerate().take(self.position.len()) {
            let next = self.joint(j).after(dt, *v);
            self.position[j] = next.position;
            self.velocity[j] = next.velocity;
            self.acceleration[j] = next.acceleration;
        }
    }

    /// Bounds of one joint.
    pub fn joint(&self, j: usize) -> JointHistory {
        JointHistory {
            position: self.position[j],
            velocity: self.velocity[j],
            acceleration: self.acceleration[j],
        }
    }

    pub(super) fn check(&self, joints: usize) -> Result<(), ProjectionError> {
        let parts = [
            (RowKind::Position, &self.position, "the positions of the history"),
            (RowKind::Velocity, &self.velocity, "the velocities of the history"),
            (RowKind::Acceleration, &self.acceleration, "the accelerations of the history"),
        ];
        for (kind, values, what) in parts {
            if values.len() != joints {
                let expected = format!("one for each of {joints} joints");
                return Err(ProjectionError::Length { what, found: values.len(), expected });
            }
            if let Some((joint, value)) = values.iter().enumerate().find(|v| !v.1.is_finite()) {
                return Err(ProjectionError::History { kind, joint, value: *value });
            }
        }
        Ok(())
    }
}

/// The matrix A of a joint: position, velocity, acceleration and jerk at each step, linear in the velocities v of the steps.
///
/// ```text
/// A = [P; I; D; D²],  l ≤ A v ≤ u                            hurova2025bimanual, eq. (3)
/// (P v)_k = dt Σ_{i≤k} v_i,  (D v)_k = (v_k − v_{k−1})/dt with v_{−1} = 0
/// ```
/// Rows are ordered by kind, then by step: row H·kind + step, 4H of them.
///
/// The history is in l and u alone. From θ_k = θ₋₁ + (P v)_k, a_0 = (D v)_0 − v₋₁/dt, j_0 = (D² v)_0 − v₋₁/dt² − a₋₁/dt and j_1 = (D² v)_1 + v₋₁/dt²:
///
/// ```text
/// l, u of positions        − θ₋₁
///         acceleration 0   + v₋₁/dt
///         jerk 0           + v₋₁/dt² + a₋₁/dt
///         jerk 1           − v₋₁/dt²
/// ```
/// So A is the same for all joints, samples and replans, and one factor serves them all.
///
/// Deviates: the authors bound differences from index 0 on and set v₀ to the measured velocity, so that acceleration and jerk at the start, across replans, are free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// Steps H of the horizon.
    pub steps: usize,
    /// Step of time \[s\].
    pub dt: f64,
}

impl Rows {
    /// Rows of a horizon.
    ///
    /// # Errors
    /// [`ProjectionError::Option`] without steps, or with a time step that is not positive.
    pub fn new(steps: usize, dt: f64) -> Result<Self, ProjectionError> {
        if steps == 0 {
            return Err(ProjectionError::Option {
                what: "the number of steps",
                value: 0.0,
                rule: "at least 1",
            });
        }
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProjectionError::Option {
                what: "the time step",
                value: dt,
                rule: "positive and finite",
            });
        }
        Ok(Self { steps, dt })
    }

    /// A, 4H × H.
    pub fn dense(&self) -> DMatrix<f64> {
        let (n, dt) = (self.steps, self.dt);
        let p = DMatrix::from_fn(n, n, |r, c| if c <= r { dt } else { 0.0 });
        let d = DMatrix::from_fn(n, n, |r, c| match (r, c) {
            (r, c) if r == c => 1.0 / dt,
            (r, c) if r == c + 1 => -1.0 / dt,
            _ => 0.0,
        });
        let mut a = DMatrix::zeros(4 * n, n);
        a.rows_mut(0, n).copy_from(&p);
        a.rows_mut(n, n).copy_from(&DMatrix::identity(n, n));
        a.rows_mut(2 * n, n).copy_from(&d);
        a.rows_mut(3 * n, n).copy_from(&(&d * &d));
        a
    }

    /// l and u of a joint, 4H each.
    pub fn limits(&self, bounds: &JointBounds, history: JointHistory) -> [Vec<f64>; 2] {
        let (n, dt) = (self.steps, self.dt);
        let h = history;
        [0, 1].map(|side| {
            let mut out = Vec::with_capacity(4 * n);
            for kind in RowKind::ALL {
                out.extend(std::iter::repeat_n(bounds.range(kind)[side], n));
            }
            out.iter_mut().take(n).for_each(|b| *b -= h.position);
            out[2 * n] += h.velocity / dt;
            out[3 * n] += h.velocity / (dt * dt) + h.acceleration / dt;
            if n > 1 {
                out[3 * n + 1] -= h.velocity / (dt * dt);
            }
            out
        })
    }

    /// Quantity, step and joint that a row of A bounds.
    pub fn row(&self, index: usize, upper: bool, joint: usize) -> Row {
        Row { kind: RowKind::ALL[index / self.steps], step: index % self.steps, joint, upper }
    }
}
