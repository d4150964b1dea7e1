use signorini_scene::{EqualityKind, SolParams};

/// A two-sided constraint as the dynamics need it.
#[derive(Clone, Debug)]
pub struct EqualityModel {
    /// Name.
    pub name: String,
    /// The quantities held equal.
    pub kind: EqualityKind,
    /// Number of rows: connect 3, weld 6, others 1.
    pub rows: usize,
    /// Whether it acts at the start.
    pub active: bool,
    /// Stiffness \[N/m or N·m/rad\]; None: near-rigid.
    pub stiffness: Option<f64>,
    /// Damping; used with `stiffness`.
    pub damping: f64,
    /// MuJoCo's solref and solimp.
    pub sol: SolParams,
    /// Degrees of freedom that it may involve, ascending.
    pub dofs: Vec<usize>,
    /// Trees of these; empty when it involves nothing that moves.
    pub trees: Vec<usize>,
}

impl EqualityModel {
    /// A spring, damper and mass that the file states by solref; a stiffness in SI units holds in its place.
    pub fn is_soft(&self) -> bool {
        self.sol.stated && self.stiffness.is_none()
    }
}
