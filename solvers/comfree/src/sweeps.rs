/// Sweeps up to which constraints are taken in turn. With more, all of them are taken at once, with gains raised and momentum, which long stacks need: corners of a box that begin alike stay alike.
const TURNS: u32 = 16;

/// [`Sweeps::deep`] unless another is given \[m/s\].
const DEEP: f64 = 1e-2;

/// Number of sweeps of a step: one is ComFree's evaluation, several are a projected Gauss–Seidel solve over its impedance.
///
/// One evaluation at the velocity without contact is the published method. Several repeat it, each at the velocity that the last one left, until contacts settle: a few take
/// contacts in turn, which is the order of Gauss and Seidel; many take all at once with Nesterov's momentum, which is Jacobi's order. Both have one name here, and [`Sweeps::describe`] tells the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweeps {
    /// At most so many, at least one, which ends as [`SolveStatus::Evaluated`](signorini_core::SolveStatus::Evaluated) whatever it leaves. Of several the last one undoes penetrations, if there are any.
    /// Up to 16 that a residual ends take constraints in turn, where the inertia couples no blocks and constraints have 1, 3, 4 or 6 rows; others take all constraints at once.
    pub most: u32,
    /// Multipliers are good enough when their residual ([`Sweep::residual`](signorini_core::Sweep::residual)) is at most this \[m/s\]; 0 for as many sweeps as there may be. Rates of joints at their limits count as speeds of what they move (`signorini_laws::LimitSeed::lever`).
    pub residual: f64,
    /// Or at most this part of the largest speed along a normal or of a joint at a limit that the step begins with, but not above ten times `residual`. Slip does not count: friction is
    /// to be right to a part of gravity, not of the slip.
    pub relative: f64,
    /// Speed of recovery above which a penetration is undone by several sweeps \[m/s\], ≥ 0.
    pub deep: f64,
}

impl Sweeps {
    /// `count` sweeps, the last one only where there is a penetration to undo.
    pub const fn exactly(count: u32) -> Self {
        Self { most: count, residual: 0.0, relative: 0.0, deep: DEEP }
    }

    /// Whether a step is one evaluation, ComFree as published, and no solve.
    pub const fn is_one_evaluation(&self) -> bool {
        self.most <= 1
    }

    /// What runs, in words.
    ///
    /// ```
    /// use signorini_comfree::Sweeps;
    /// assert_eq!(Sweeps::exactly(1).describe(), "ComFree, one evaluation");
    /// let few = Sweeps::from((12, 1e-3));
    /// assert_eq!(few.describe(), "projected Gauss–Seidel over ComFree's impedance, up to 12 sweeps in turn");
    /// ```
    pub fn describe(&self) -> String {
        if self.is_one_evaluation() {
            return "ComFree, one evaluation".into();
        }
        let up_to = if self.residual > 0.0 { "up to " } else { "" };
        let order = if self.in_turn() { "in turn" } else { "over all contacts at once" };
        format!("projected Gauss–Seidel over ComFree's impedance, {up_to}{} sweeps {order}", self.most)
    }

    /// Few, and until a residual is reached: constraints are taken in turn.
    pub(crate) const fn in_turn(&self) -> bool {
        1 < self.most && self.most <= TURNS && self.residual > 0.0
    }

    /// Residual that is small enough where the step begins with a speed of `fastest` \[m/s\].
    pub(crate) fn enough(&self, fastest: f64) -> f64 {
        if self.relative > 0.0 {
            (self.relative * fastest).clamp(self.residual, 10.0 * self.residual)
        } else {
            self.residual
        }
    }

    /// `DualCone::memory` that goes with it outside the paper's mode: all of a step's change of the forces where it was found by several sweeps, half where by one evaluation.
    pub const fn memory(&self) -> f64 {
        if self.most > 1 { 1.0 } else { 0.5 }
    }
}

impl From<u32> for Sweeps {
    fn from(count: u32) -> Self {
        Self::exactly(count)
    }
}

/// At most so many, until the residual \[m/s\] is reached.
impl From<(u32, f64)> for Sweeps {
    fn from((most, residual): (u32, f64)) -> Self {
        Self { most, residual, ..Self::default() }
    }
}

impl Default for Sweeps {
    /// Until speeds are right to a hundredth of a millimetre per second or of the fastest along a normal up to ten times that, at most 64.
    fn default() -> Self {
        Self { most: 64, residual: 1e-5, relative: 0.01, deep: DEEP }
    }
}
