/// Invariants that hold after every step, and how far from failing they were at a state, or at their worst over the states that were looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Invariants {
    /// Smallest distance of two bodies below the range of the barrier \[m\], > ξ; infinite where there is none.
    pub smallest_distance: f64,
    /// The bodies that have it.
    pub nearest: Option<[u32; 2]>,
    /// Two bodies that overlap; always none.
    pub crossing: Option<[u32; 2]>,
    /// Smallest determinant of A, > 0 and near 1.
    pub smallest_determinant: f64,
    /// Largest entry of A Aᵀ − 1. Above 1e-3 bodies are no longer rigid for most purposes: raise [`crate::IpcOptions::orthogonality`].
    pub orthogonality_error: f64,
    /// Largest distance of two points that a joint makes one \[m\].
    pub joint_error: f64,
    /// Smallest room to a bound of a distance, [`crate::JointKind::BoundedDistance`] \[m\], > 0; infinite where there is none.
    pub bound_room: f64,
    /// Excess of a joint over its limits \[rad or m\], 0 where none is: limits give way by force over their stiffness.
    pub limit_excess: f64,
    /// Distance \[m\] and angle \[rad\] of a driven body from where it is commanded to be.
    pub lag: [f64; 2],
    /// Energy of the last state \[J\].
    pub energy: f64,
    /// Largest rise of the energy from one state that was looked at to the next \[J\]: without motors, loads and driven bodies it is zero but for round-off and the tolerance of solves.
    pub energy_rise: f64,
    /// States looked at.
    pub states: u64,
}

impl Default for Invariants {
    fn default() -> Self {
        Self {
            smallest_distance: f64::INFINITY,
            nearest: None,
            crossing: None,
            smallest_determinant: f64::INFINITY,
            orthogonality_error: 0.0,
            joint_error: 0.0,
            limit_excess: 0.0,
            lag: [0.0; 2],
            energy: 0.0,
            energy_rise: 0.0,
            bound_room: f64::INFINITY,
            states: 0,
        }
    }
}

impl Invariants {
    /// The worse of each.
    pub fn add(&mut self, o: &Invariants) {
        if o.smallest_distance < self.smallest_distance {
            (self.smallest_distance, self.nearest) = (o.smallest_distance, o.nearest);
        }
        self.crossing = self.crossing.or(o.crossing);
        self.smallest_determinant = self.smallest_determinant.min(o.smallest_determinant);
        self.orthogonality_error = self.orthogonality_error.max(o.orthogonality_error);
        self.joint_error = self.joint_error.max(o.joint_error);
        self.bound_room = self.bound_room.min(o.bound_room);
        self.limit_excess = self.limit_excess.max(o.limit_excess);
        (0..2).for_each(|i| self.lag[i] = self.lag[i].max(o.lag[i]));
        let rise = if self.states > 0 { o.energy - self.energy } else { 0.0 };
        self.energy_rise = self.energy_rise.max(o.energy_rise).max(rise);
        self.energy = o.energy;
        self.states += o.states;
    }
}
