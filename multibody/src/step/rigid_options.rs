use signorini_core::ContactSolver;
use signorini_laws::{Lagged, NearRigid};

/// Makes the solver that joints are solved with where they come before contacts: one of convex frozen problems, such as `IcfSolver::boxed` of `signorini-icf`. It is asked where Newton's method on
/// the pieces of the laws does not end.
pub type JointSolver = fn() -> Box<dyn ContactSolver>;

/// Settings of a [`RigidSystem`](crate::RigidSystem).
#[derive(Clone, Copy, Debug)]
pub struct RigidOptions {
    /// Create contacts for pairs whose gap can close within the step, so that ballistic impacts are not missed.
    pub speculative: bool,
    /// Weight of the residuals of near-rigid equalities in the norm that error control bounds: a loop opens in one step by no more than accuracy over weight \[m or rad\]; 0: equalities are not looked at.
    pub equality_weight: f64,
    /// β of the near-rigid springs of equalities, their period in steps (kurtz2025cenic, eq. (18)), > 0. A load opens a loop by its acceleration times β² δt²/(4π²).
    pub equality_period: f64,
    /// Motion on which no contact and no limit acts is that of its momentum: bodies that float freely, each the only one of its tree, turn as without torque and fly along the curve of gravity and applied forces, and trees without springs, friction, servos and
    /// equalities, and with hardly a damper, follow their flow under gravity and constant forces, which keeps energy at any step size. False: all forces are those of the start of the step, as the papers have them.
    pub carries_momentum: bool,
    /// σ_R of the dry friction of joints and tendons: a load creeps at most at v_s, or at σ_R times the speed that friction could stop in a step if that is larger.
    pub sigma_r: f64,
    /// Polygons of an area have contacts with the moments of their pressure (papers/kurtz2025cenic, contact over areas). False: each has one contact at its centroid, as the paper has them.
    pub area_moments: bool,
    /// Actuators, tendon springs, dry friction and equalities are solved before contacts, with this solver, and enter A and v* of the problem, rather than
    /// being laws of it, as explicit solvers need it. None: they are laws beside the contacts. Where contacts push a motor or dry friction over its limits, or back from them, the problem asks for
    /// another solve ([`StepProblem::relag`](signorini_core::StepProblem::relag)): joints and contacts by turns, up to four times; from then on limits are kept and laws that reached theirs stay
    /// there for the rest of the step. Limits hold to a thousandth.
    pub joints_first: Option<JointSolver>,
}

impl Default for RigidOptions {
    fn default() -> Self {
        Self {
            speculative: true,
            equality_weight: 20.0,
            equality_period: 3e-3,
            carries_momentum: true,
            sigma_r: 1e-6,
            area_moments: true,
            joints_first: None,
        }
    }
}

impl RigidOptions {
    /// As in the tables of kurtz2025cenic: no look ahead, forces of the start of the step, its near-rigid equalities and its σ_R. Polygons of areas keep their moments.
    pub fn published() -> Self {
        Self {
            speculative: false,
            carries_momentum: false,
            equality_weight: 0.0,
            equality_period: 0.1,
            sigma_r: Lagged::default().sigma_r,
            ..Self::default()
        }
    }

    /// The law of equalities.
    pub(crate) fn equality_law(&self) -> NearRigid {
        NearRigid { beta: self.equality_period }
    }
}
