use nalgebra::DMatrix;

use crate::coupling::CoupledInertia;
use crate::error::{check_count, check_finite};
use crate::problem::WholePart;
use crate::{
    AffineMap, BlockDiagonal, Changed, ContactGeometry, ContactMap, Coupling, Evals, FrozenMap, Inertia,
    Part, Pools, ProblemError, Regime, StepProblem, SweptProblem, Whitened,
};

/// A step in the frozen regime: inertia I, pools, and an affine map M; by default blocks with a coupling between them, and a block-sparse map.
#[derive(Default)]
pub struct FrozenProblem<I = CoupledInertia, M = FrozenMap> {
    dt: f64,
    inertia: I,
    free_velocity: Vec<f64>,
    map: M,
    pools: Pools,
    contacts: Vec<ContactGeometry>,
    v_c: Vec<f64>,
    /// Velocity that `v_c` is at; empty where it is at none.
    at: Vec<f64>,
    trial_v_c: Vec<f64>,
    evals: Evals,
    dv: Vec<f64>,
    a_dv: Vec<f64>,
    whole: WholePart,
    whitened: FrozenMap,
}

/// The parts of a [`FrozenProblem`] that a system rewrites in place each step.
pub struct FrozenParts<'a, I = CoupledInertia, M = FrozenMap> {
    /// A; factor it after writing.
    pub inertia: &'a mut I,
    /// v*.
    pub free_velocity: &'a mut Vec<f64>,
    /// J and b.
    pub map: &'a mut M,
    /// The laws.
    pub pools: &'a mut Pools,
    /// Contact geometry.
    pub contacts: &'a mut Vec<ContactGeometry>,
}

impl FrozenProblem {
    /// From its parts, blocks that nothing couples for the inertia.
    ///
    /// # Errors
    /// As [`FrozenProblem::of`].
    pub fn new(
        dt: f64,
        inertia: BlockDiagonal,
        free_velocity: Vec<f64>,
        map: FrozenMap,
        pools: Pools,
        contacts: Vec<ContactGeometry>,
    ) -> Result<Self, ProblemError> {
        let inertia = CoupledInertia { blocks: inertia, ..CoupledInertia::default() };
        Self::of(dt, inertia, free_velocity, map, pools, contacts)
    }

    /// The blocks of A, without the coupling between them.
    pub fn block_inertia(&self) -> &BlockDiagonal {
        &self.inertia.blocks
    }

    /// Coupling between the blocks of A.
    pub fn coupling(&self) -> &Coupling {
        &self.inertia.coupling
    }

    /// A as one dense matrix (tests, references).
    pub fn dense_inertia(&self) -> DMatrix<f64> {
        self.inertia.to_dense()
    }
}

impl<I: Inertia, M: AffineMap> FrozenProblem<I, M> {
    /// From its parts.
    ///
    /// # Errors
    /// Lengths that do not fit, values that are not finite, a step size that is not positive.
    pub fn of(
        dt: f64,
        inertia: I,
        free_velocity: Vec<f64>,
        map: M,
        pools: Pools,
        contacts: Vec<ContactGeometry>,
    ) -> Result<Self, ProblemError> {
        let mut p = Self {
            dt,
            inertia,
            free_velocity,
            map,
            pools,
            contacts,
            v_c: Vec::new(),
            at: Vec::new(),
            trial_v_c: Vec::new(),
            evals: Evals::default(),
            dv: Vec::new(),
            a_dv: Vec::new(),
            whole: WholePart::default(),
            whitened: FrozenMap::default(),
        };
        p.finish(dt)?;
        Ok(p)
    }

    /// Access for in-place refilling; call [`FrozenProblem::finish`] afterwards.
    pub fn parts_mut(&mut self) -> FrozenParts<'_, I, M> {
        self.at.clear();
        FrozenParts {
            inertia: &mut self.inertia,
            free_velocity: &mut self.free_velocity,
            map: &mut self.map,
            pools: &mut self.pools,
            contacts: &mut self.contacts,
        }
    }

    /// Checks the parts against each other and sizes scratch space; no allocation when nothing grew.
    ///
    /// # Errors
    /// As [`FrozenProblem::of`].
    pub fn finish(&mut self, dt: f64) -> Result<(), ProblemError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(ProblemError::StepSize { dt });
        }
        self.dt = dt;
        self.pools.layout();
        let nv = self.inertia.block_starts().last().copied().unwrap_or(0);
        check_count("free velocity", nv, self.free_velocity.len())?;
        self.map.check_fit(self.inertia.block_starts(), &self.pools)?;
        check_finite("free velocity", &self.free_velocity)?;
        self.v_c.resize(self.pools.row_count(), 0.0);
        self.trial_v_c.resize(self.pools.row_count(), 0.0);
        self.dv.resize(nv, 0.0);
        self.a_dv.resize(nv, 0.0);
        self.pools.size_evals(&mut self.evals);
        let mut whole = std::mem::take(&mut self.whole);
        whole.fit(self);
        self.whole = whole;
        Ok(())
    }

    /// The map.
    pub fn frozen_map(&self) -> &M {
        &self.map
    }

    /// The whole problem as one part.
    pub fn whole(&self) -> Part<'_> {
        self.whole.part()
    }
}

impl<I: Inertia, M: AffineMap> FrozenProblem<I, M> {
    /// [`SweptProblem::whitened`] for a caller that holds the whitened map already.
    pub fn whitened_as<'a>(&'a mut self, map: &'a FrozenMap) -> Option<Whitened<'a>> {
        let inertia = self.inertia.blocks_alone()?;
        Some(Whitened { map, inertia, pools: &mut self.pools })
    }
}

impl<I: Inertia, M: AffineMap> SweptProblem for FrozenProblem<I, M> {
    fn laws(&mut self) -> (&mut Pools, &[f64]) {
        (&mut self.pools, &self.v_c)
    }
    fn whiten(&mut self) -> bool {
        let (Some(inertia), Some(map)) = (self.inertia.blocks_alone(), self.map.block_sparse()) else {
            return false;
        };
        inertia.whiten_map(map, &mut self.whitened);
        true
    }
    fn whitened(&mut self) -> Option<Whitened<'_>> {
        let inertia = self.inertia.blocks_alone()?;
        Some(Whitened { map: &self.whitened, inertia, pools: &mut self.pools })
    }
}

impl<I: Inertia, M: AffineMap> StepProblem for FrozenProblem<I, M> {
    fn swept(&mut self) -> Option<&mut dyn SweptProblem> {
        Some(self)
    }
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        Ok(self.pools.relag(gamma))
    }
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
        if self.at.is_empty() || self.at != v {
            check_finite("velocity", v)?;
            self.map.velocity(self.whole.part(), v, &mut self.v_c);
            self.at.clear();
            self.at.extend_from_slice(v);
        }
        Ok(Changed::Values)
    }
    fn value(&mut self, v: &[f64]) -> Result<f64, ProblemError> {
        check_finite("velocity", v)?;
        self.map.velocity(self.whole.part(), v, &mut self.trial_v_c);
        let mut evals = std::mem::take(&mut self.evals);
        self.pools.cost(self.whole.part(), &self.trial_v_c, &mut evals.cost);
        let cost = self.map.cost(self.whole.part(), &evals);
        self.evals = evals;
        for (d, (a, b)) in self.dv.iter_mut().zip(v.iter().zip(&self.free_velocity)) {
            *d = a - b;
        }
        self.inertia.apply(self.whole.part(), &self.dv, &mut self.a_dv);
        let kinetic = 0.5 * self.dv.iter().zip(&self.a_dv).map(|(a, b)| a * b).sum::<f64>();
        Ok(kinetic + cost)
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
}
