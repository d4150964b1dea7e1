use std::sync::Arc;

use signorini_core::{
    BlockDiagonal, BlockSink, Changed, ContactGeometry, ContactMap, Evals, Inertia, Part, Pools,
    ProblemError, Regime, SmoothPotential, StepProblem, WholePart,
};

use crate::inputs::Inputs;
use crate::problem::AffineProblem;
use crate::reduction::{PullBack, Reduction};

/// The step of affine bodies in the coordinates that joints leave: v = N w.
///
/// ```text
/// ½ ‖N w − v*‖²_M = ½ ‖w − w*‖²_{NᵀMN} + const,   w* = (NᵀMN)⁻¹ NᵀM v*
/// ```
#[derive(Clone)]
pub(crate) struct ReducedProblem {
    pub inner: AffineProblem,
    reduction: Arc<Reduction>,
    inertia: BlockDiagonal,
    /// Mechanisms with a driven body, ascending.
    driven: Vec<u32>,
    free: Vec<f64>,
    /// ½ ‖N w* − v*‖²_M, which no w changes \[J\].
    constant: f64,
    whole: WholePart,
    /// Mechanisms that each constraint touches, and how many.
    blocks: Vec<([u32; 2], u8)>,
    v: Vec<f64>,
    dv: Vec<f64>,
}

impl ReducedProblem {
    /// Around a problem of free bodies.
    ///
    /// # Errors
    /// As [`BlockDiagonal::factor`].
    pub(crate) fn new(inner: AffineProblem, reduction: Arc<Reduction>) -> Result<Self, ProblemError> {
        let mut inertia = reduction.inertia(inner.full_inertia());
        inertia.factor()?;
        let mut driven: Vec<u32> =
            inner.driven_blocks().iter().map(|b| reduction.mechanism[*b as usize] as u32).collect();
        driven.sort_unstable();
        driven.dedup();
        Ok(Self {
            inner,
            inertia,
            driven,
            free: Vec::new(),
            constant: 0.0,
            whole: WholePart::default(),
            blocks: Vec::new(),
            v: Vec::new(),
            dv: Vec::new(),
            reduction,
        })
    }

    pub(crate) fn set_step(&mut self, dt: f64, inputs: &Inputs) -> Result<(), ProblemError> {
        self.inner.set_step(dt, inputs)?;
        self.whole.fit(&self.inner);
        let (n, star) = (self.inner.free_velocity().len(), self.inner.free_velocity());
        let mut momentum = vec![0.0; n];
        self.inner.full_inertia().apply(self.whole.part(), star, &mut momentum);
        self.free.clear();
        self.free.resize(self.reduction.unknowns(), 0.0);
        self.reduction.add_pulled_back(&momentum, &mut self.free);
        let all: Vec<u32> = (0..self.inertia.block_count() as u32).collect();
        self.inertia.solve_in_place(Part { blocks: &all, constraints: &[] }, &mut self.free);
        self.reduction.expand(&self.free, &mut self.v);
        self.v.iter_mut().zip(star).for_each(|(v, s)| *v -= s);
        self.inner.full_inertia().apply(self.whole.part(), &self.v, &mut momentum);
        self.constant = 0.5 * self.v.iter().zip(&momentum).map(|(a, b)| a * b).sum::<f64>();
        let zero = vec![0.0; self.free.len()];
        self.relinearize(&zero).map(|_| ())
    }

    /// Mechanisms that constraints touch.
    fn couple(&mut self) {
        self.blocks.clear();
        for k in 0..self.inner.pools().constraint_count() {
            let of = |b: &u32| self.reduction.mechanism[*b as usize] as u32;
            self.blocks.push(match self.inner.map().blocks_of(k) {
                [] => ([0, 0], 0),
                [a] => ([of(a), of(a)], 1),
                [a, b, ..] if of(a) == of(b) => ([of(a), of(a)], 1),
                [a, b, ..] => ([of(a).min(of(b)), of(a).max(of(b))], 2),
            });
        }
    }

    fn expanded(&self, w: &[f64]) -> Vec<f64> {
        let mut v = Vec::new();
        self.reduction.expand(w, &mut v);
        v
    }
}

impl StepProblem for ReducedProblem {
    fn dt(&self) -> f64 {
        self.inner.dt()
    }
    fn inertia(&self) -> &dyn Inertia {
        &self.inertia
    }
    fn free_velocity(&self) -> &[f64] {
        &self.free
    }
    fn smooth(&self) -> Option<&dyn SmoothPotential> {
        Some(self)
    }
    fn regime(&self) -> Regime {
        Regime::Requeried
    }
    fn relinearize(&mut self, w: &[f64]) -> Result<Changed, ProblemError> {
        self.reduction.expand(w, &mut self.v);
        self.inner.relinearize(&self.v)?;
        self.couple();
        Ok(Changed::Pattern)
    }
    fn value(&mut self, w: &[f64]) -> Result<f64, ProblemError> {
        self.reduction.expand(w, &mut self.v);
        Ok(self.inner.value(&self.v)? - self.constant)
    }
    fn contact_velocities(&self) -> &[f64] {
        self.inner.contact_velocities()
    }
    fn pools(&self) -> &Pools {
        self.inner.pools()
    }
    fn map(&self) -> &dyn ContactMap {
        self
    }
    fn contacts(&self) -> &[ContactGeometry] {
        self.inner.contacts()
    }
    fn max_step(&mut self, w: &[f64], dw: &[f64]) -> f64 {
        self.reduction.expand(w, &mut self.v);
        self.reduction.expand(dw, &mut self.dv);
        self.inner.max_step(&self.v, &self.dv)
    }
    fn blocking(&self) -> Option<[u32; 2]> {
        self.inner.blocking()
    }
    fn driven_blocks(&self) -> &[u32] {
        &self.driven
    }
    fn largest_speed(&self, dw: &[f64]) -> f64 {
        self.inner.largest_speed(&self.expanded(dw))
    }
    fn relag(&mut self, gamma: &[f64]) -> Result<bool, ProblemError> {
        let again = self.inner.relag(gamma)?;
        self.couple();
        Ok(again)
    }
}

impl SmoothPotential for ReducedProblem {
    fn value(&self, w: &[f64]) -> f64 {
        self.inner.smooth().map_or(0.0, |s| s.value(&self.expanded(w)))
    }
    fn add_gradient(&self, w: &[f64], g: &mut [f64]) {
        if let Some(s) = self.inner.smooth() {
            let v = self.expanded(w);
            let mut full = vec![0.0; v.len()];
            s.add_gradient(&v, &mut full);
            self.reduction.add_pulled_back(&full, g);
        }
    }
    fn add_sizes(&self, w: &[f64], sizes: &mut [f64]) {
        if let Some(s) = self.inner.smooth() {
            let v = self.expanded(w);
            let mut full = vec![0.0; v.len()];
            s.add_sizes(&v, &mut full);
            self.reduction.add_sizes(&full, sizes);
        }
    }
    fn add_hessian(&self, w: &[f64], h: &mut dyn BlockSink) {
        if let Some(s) = self.inner.smooth() {
            let mut sum = PullBack::new(&self.reduction, h);
            s.add_hessian(&self.expanded(w), &mut sum);
            sum.finish();
        }
    }
}

impl ContactMap for ReducedProblem {
    fn blocks_of(&self, k: usize) -> &[u32] {
        let (blocks, count) = &self.blocks[k];
        &blocks[..*count as usize]
    }
    fn velocity(&self, part: Part<'_>, w: &[f64], v_c: &mut [f64]) {
        self.inner.map().velocity(part, &self.expanded(w), v_c);
    }
    fn apply_linear(&self, part: Part<'_>, dw: &[f64], dv_c: &mut [f64]) {
        self.inner.map().apply_linear(part, &self.expanded(dw), dv_c);
    }
    fn weights(&self) -> Option<&[f64]> {
        self.inner.map().weights()
    }
    fn add_gradient(&self, part: Part<'_>, pools: &Pools, evals: &Evals, g: &mut [f64]) {
        let mut full = vec![0.0; self.inner.free_velocity().len()];
        self.inner.map().add_gradient(part, pools, evals, &mut full);
        self.reduction.add_pulled_back(&full, g);
    }
    fn add_hessian(&self, part: Part<'_>, pools: &Pools, evals: &Evals, h: &mut dyn BlockSink) {
        let mut sum = PullBack::new(&self.reduction, h);
        self.inner.map().add_hessian(part, pools, evals, &mut sum);
        sum.finish();
    }
}

/// The problem of a slot: with joints or without.
#[derive(Clone)]
pub(crate) enum SlotProblem {
    /// Twelve unknowns for each body.
    Free(Box<AffineProblem>),
    /// Coordinates that joints leave.
    Joined(Box<ReducedProblem>),
}

impl SlotProblem {
    pub(crate) fn inner(&mut self) -> &mut AffineProblem {
        match self {
            Self::Free(p) => p,
            Self::Joined(p) => &mut p.inner,
        }
    }

    pub(crate) fn set_step(
        &mut self,
        dt: f64,
        inputs: &Inputs,
    ) -> Result<&mut dyn StepProblem, ProblemError> {
        match self {
            Self::Free(p) => {
                p.set_step(dt, inputs)?;
                Ok(&mut **p)
            }
            Self::Joined(p) => {
                p.set_step(dt, inputs)?;
                Ok(&mut **p)
            }
        }
    }
}
