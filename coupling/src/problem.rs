use signorini_core::{
    Changed, ContactGeometry, ContactMap, Evals, FrozenMap, Inertia, Pools, ProblemError, Regime,
    StepProblem, WholePart, check_finite,
};

use crate::sparse::SparseInertia;

/// A step in the frozen regime with an inertia that couples neighbours.
#[derive(Default)]
pub(crate) struct MonolithicProblem {
    pub dt: f64,
    pub inertia: SparseInertia,
    pub free_velocity: Vec<f64>,
    pub map: FrozenMap,
    pub pools: Pools,
    pub contacts: Vec<ContactGeometry>,
    v_c: Vec<f64>,
    evals: Evals,
    whole: WholePart,
}

impl MonolithicProblem {
    /// Sizes scratch space once all parts are there.
    ///
    /// # Errors
    /// Numbers that are not finite.
    pub(crate) fn finish(&mut self) -> Result<(), ProblemError> {
        check_finite("free velocity", &self.free_velocity)?;
        check_finite("surface velocity", self.map.bias())?;
        self.v_c.resize(self.pools.row_count(), 0.0);
        self.pools.size_evals(&mut self.evals);
        let mut whole = std::mem::take(&mut self.whole);
        whole.fit(self);
        self.whole = whole;
        Ok(())
    }
}

impl StepProblem for MonolithicProblem {
    fn dt(&self) -> f64 {
        self.dt
    }
    fn inertia(&self) -> &dyn Inertia {
        &self.inertia
    }
    fn free_velocity(&self) -> &[f64] {
        &self.free_velocity
    }
    fn regime(&self) -> Regime {
        Regime::Frozen
    }
    fn relinearize(&mut self, v: &[f64]) -> Result<Changed, ProblemError> {
        check_finite("velocity", v)?;
        self.map.velocity(self.whole.part(), v, &mut self.v_c);
        Ok(Changed::Values)
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        check_finite("velocity", v)?;
        let part = self.whole.part();
        let mut v_c = vec![0.0; self.v_c.len()];
        self.map.velocity(part, v, &mut v_c);
        self.pools.cost(part, &v_c, &mut self.evals.cost);
        let drift: Vec<f64> = v.iter().zip(&self.free_velocity).map(|(a, b)| a - b).collect();
        let mut pull = vec![0.0; drift.len()];
        self.inertia.apply(part, &drift, &mut pull);
        let kinetic = 0.5 * drift.iter().zip(&pull).map(|(a, b)| a * b).sum::<f64>();
        Ok(kinetic + self.map.cost(part, &self.evals))
    }
    fn contact_velocities(&self) -> &[f64] {
        &self.v_c
    }
    fn pools(&self) -> &Pools {
        &self.pools
    }
    fn map(&self) -> &dyn ContactMap {
        &self.map
    }
    fn contacts(&self) -> &[ContactGeometry] {
        &self.contacts
    }
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        Ok(self.pools.relag(gamma))
    }
}
