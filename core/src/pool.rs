use std::any::Any;

use nalgebra::SVector;

use crate::{Along, ContactLaw, Evals, Impact, LawProperties, Part, Span, SweptPool};

/// Many constraints that share a law; object-safe, so that solvers never see a list of constraint types.
///
/// `which` holds constraint numbers of the whole problem, ascending, all belonging to this pool; `span` says where the pool
/// lies in the flat arrays.
pub trait LawPool: Send + Sync {
    /// Law name, [`ContactLaw::KEY`].
    fn key(&self) -> &'static str;
    /// Key of the paper, [`ContactLaw::PAPER`].
    fn paper(&self) -> &'static str;
    /// Rows per constraint, D.
    fn dim(&self) -> usize;
    /// Number of constraints.
    fn len(&self) -> usize;
    /// True without constraints.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Properties that solvers may rely on.
    fn properties(&self) -> LawProperties;
    /// Costs, gradients and Hessians at `v_c` \[m/s\].
    fn eval(&self, span: Span, which: &[u32], v_c: &[f64], out: &mut Evals);
    /// Costs alone.
    fn cost(&self, span: Span, which: &[u32], v_c: &[f64], out: &mut [f64]);
    /// Σ w_k ℓ_k and its two derivatives at v_c + α·dv_c; `weights` per constraint of the problem, None for ones.
    fn along(
        &self,
        span: Span,
        which: &[u32],
        v_c: &[f64],
        dv_c: &[f64],
        alpha: f64,
        weights: Option<&[f64]>,
    ) -> Along;
    /// Appends to `out` the constraints whose potential is not known to be zero from v_c to v_c + α·dv_c ([`ContactLaw::is_idle`]).
    fn acting(&self, span: Span, which: &[u32], v_c: &[f64], dv_c: &[f64], alpha: f64, out: &mut Vec<u32>);
    /// Offers the impulses of a solve, the rows of this pool, as new lagged values; true when some changed.
    fn relag(&mut self, gamma: &[f64]) -> bool;
    /// Replaces the content by one constraint per seed of a `Vec` of the law's seeds; false, with nothing changed, when it holds others.
    fn reset(&mut self, seeds: &dyn Any) -> bool;
    /// Sum of [`ContactLaw::stored_energy`] over the seeds of a `Vec` of the law's seeds \[J\]; None when it holds others.
    fn stored_energy(&self, seeds: &dyn Any) -> Option<f64>;
    /// [`ContactLaw::impact`] of seed `k` of a `Vec` of the law's seeds at a speed \[m/s\]; None when it holds others, and for a seed that is not there.
    fn impact(&self, seeds: &dyn Any, k: usize, speed: f64) -> Option<Impact>;
    /// The pool as one that can be swept over; None for laws without multipliers.
    fn swept(&self) -> Option<&dyn SweptPool>;
    /// [`LawPool::swept`] for changes.
    fn swept_mut(&mut self) -> Option<&mut dyn SweptPool>;
    /// A pool of the same law, empty.
    fn boxed_empty(&self) -> Box<dyn LawPool>;
    /// Copy of the pool.
    fn boxed_clone(&self) -> Box<dyn LawPool>;
    /// Law settings and parameters as JSON, for snapshots.
    fn save(&self) -> Result<serde_json::Value, serde_json::Error>;
    /// For access to the concrete pool.
    fn as_any(&self) -> &dyn Any;
    /// For mutable access to the concrete pool.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

/// Constraints of one law over flat storage.
#[derive(Clone, Debug)]
pub struct Pool<L: ContactLaw<D>, const D: usize> {
    pub(crate) law: L,
    pub(crate) params: Vec<L::Params>,
}

/// Access to a pool as one that can be swept over, for laws that are a [`SweptLaw`](crate::SweptLaw).
pub struct SweptAccess<L: ContactLaw<D>, const D: usize> {
    pub(crate) get: fn(&Pool<L, D>) -> &dyn SweptPool,
    pub(crate) get_mut: fn(&mut Pool<L, D>) -> &mut dyn SweptPool,
}

impl<L: ContactLaw<D>, const D: usize> Pool<L, D> {
    /// An empty pool.
    pub fn new(law: L) -> Self {
        Self { law, params: Vec::new() }
    }

    /// A pool with given parameters, as stored in a snapshot.
    pub fn from_params(law: L, params: Vec<L::Params>) -> Self {
        Self { law, params }
    }

    /// The law.
    pub fn law(&self) -> &L {
        &self.law
    }

    /// Parameters, one per constraint.
    pub fn params(&self) -> &[L::Params] {
        &self.params
    }

    /// Removes all constraints, keeping the storage.
    pub fn clear(&mut self) {
        self.params.clear();
    }

    /// Adds a constraint.
    pub fn push(&mut self, seed: &L::Seed) {
        self.params.push(self.law.prepare(seed));
    }

    #[inline]
    fn at(&self, span: Span, k: u32) -> (&L::Params, usize) {
        let local = (k - span.first) as usize;
        (&self.params[local], span.row + D * local)
    }
}

#[inline]
fn row<const D: usize>(x: &[f64], at: usize) -> SVector<f64, D> {
    SVector::<f64, D>::from_column_slice(&x[at..at + D])
}

impl<L: ContactLaw<D>, const D: usize> LawPool for Pool<L, D> {
    fn key(&self) -> &'static str {
        L::KEY
    }
    fn paper(&self) -> &'static str {
        L::PAPER
    }
    fn dim(&self) -> usize {
        D
    }
    fn len(&self) -> usize {
        self.params.len()
    }
    fn properties(&self) -> LawProperties {
        L::PROPERTIES
    }
    fn eval(&self, span: Span, which: &[u32], v_c: &[f64], out: &mut Evals) {
        for &k in which {
            let (p, at) = self.at(span, k);
            let e = self.law.eval(p, row::<D>(v_c, at));
            out.cost[k as usize] = e.cost;
            out.grad[at..at + D].copy_from_slice(e.grad.as_slice());
            let h = span.hess + D * D * (k - span.first) as usize;
            out.hess[h..h + D * D].copy_from_slice(e.hess.as_slice());
        }
    }
    fn cost(&self, span: Span, which: &[u32], v_c: &[f64], out: &mut [f64]) {
        for &k in which {
            let (p, at) = self.at(span, k);
            out[k as usize] = self.law.cost(p, row::<D>(v_c, at));
        }
    }
    fn along(
        &self,
        span: Span,
        which: &[u32],
        v_c: &[f64],
        dv_c: &[f64],
        alpha: f64,
        weights: Option<&[f64]>,
    ) -> Along {
        let mut sum = Along::default();
        for &k in which {
            let (p, at) = self.at(span, k);
            let dv = row::<D>(dv_c, at);
            let a = self.law.along(p, row::<D>(v_c, at) + alpha * dv, dv);
            sum.add_scaled(weights.map_or(1.0, |w| w[k as usize]), a);
        }
        sum
    }
    fn acting(&self, span: Span, which: &[u32], v_c: &[f64], dv_c: &[f64], alpha: f64, out: &mut Vec<u32>) {
        out.extend(which.iter().filter(|k| {
            let (p, at) = self.at(span, **k);
            !self.law.is_idle(p, row::<D>(v_c, at), alpha * row::<D>(dv_c, at))
        }));
    }
    fn relag(&mut self, gamma: &[f64]) -> bool {
        let rows = gamma.as_chunks::<D>().0;
        let changed = |(p, row): (&mut L::Params, &[f64; D])| self.law.relag(p, SVector::from(*row));
        self.params.iter_mut().zip(rows).map(changed).fold(false, |any, one| any | one)
    }
    fn reset(&mut self, seeds: &dyn Any) -> bool {
        let Some(seeds) = seeds.downcast_ref::<Vec<L::Seed>>() else { return false };
        self.params.truncate(seeds.len());
        let (old, new) = seeds.split_at(self.params.len());
        for (p, s) in self.params.iter_mut().zip(old) {
            self.law.prepare_again(s, p);
        }
        self.params.extend(new.iter().map(|s| self.law.prepare(s)));
        true
    }
    fn stored_energy(&self, seeds: &dyn Any) -> Option<f64> {
        let seeds = seeds.downcast_ref::<Vec<L::Seed>>()?;
        Some(seeds.iter().map(|s| self.law.stored_energy(s)).sum())
    }
    fn impact(&self, seeds: &dyn Any, k: usize, speed: f64) -> Option<Impact> {
        self.law.impact(seeds.downcast_ref::<Vec<L::Seed>>()?.get(k)?, speed)
    }
    fn swept(&self) -> Option<&dyn SweptPool> {
        L::SWEPT.map(|access| (access.get)(self))
    }
    fn swept_mut(&mut self) -> Option<&mut dyn SweptPool> {
        L::SWEPT.map(|access| (access.get_mut)(self))
    }
    fn boxed_empty(&self) -> Box<dyn LawPool> {
        Box::new(Self::new(self.law.clone()))
    }
    fn boxed_clone(&self) -> Box<dyn LawPool> {
        Box::new(self.clone())
    }
    fn save(&self) -> Result<serde_json::Value, serde_json::Error> {
        Ok(serde_json::json!({
            "law": serde_json::to_value(&self.law)?,
            "params": serde_json::to_value(&self.params)?,
        }))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// All pools of a problem in order: constraint numbers and rows run through them.
#[derive(Default)]
pub struct Pools {
    members: Vec<Box<dyn LawPool>>,
    spans: Vec<Span>,
    row_of: Vec<u32>,
    hess_of: Vec<u32>,
    dim_of: Vec<u8>,
}

impl Pools {
    /// From pools in order.
    pub fn new(members: Vec<Box<dyn LawPool>>) -> Self {
        let mut pools = Self { members, ..Self::default() };
        pools.layout();
        pools
    }

    /// Recomputes numbering after members changed their lengths; no allocation once the arrays have grown.
    pub fn layout(&mut self) {
        self.spans.clear();
        self.row_of.clear();
        self.hess_of.clear();
        self.dim_of.clear();
        let (mut first, mut row, mut hess) = (0u32, 0usize, 0usize);
        for m in &self.members {
            self.spans.push(Span { first, row, hess });
            let d = m.dim();
            for _ in 0..m.len() {
                self.row_of.push(row as u32);
                self.hess_of.push(hess as u32);
                self.dim_of.push(d as u8);
                row += d;
                hess += d * d;
            }
            first += m.len() as u32;
        }
    }

    /// The pools.
    pub fn members(&self) -> &[Box<dyn LawPool>] {
        &self.members
    }

    /// Place of pool `i` in the flat arrays.
    pub fn span(&self, i: usize) -> Span {
        self.spans[i]
    }

    /// The pools with where each lies in the flat arrays.
    pub fn spans(&self) -> impl DoubleEndedIterator<Item = (&dyn LawPool, Span)> {
        self.members.iter().map(AsRef::as_ref).zip(self.spans.iter().copied())
    }

    /// The pools, to be changed, with where each lies in the flat arrays.
    pub fn spans_mut(&mut self) -> impl DoubleEndedIterator<Item = (&mut (dyn LawPool + 'static), Span)> {
        self.members.iter_mut().map(AsMut::as_mut).zip(self.spans.iter().copied())
    }

    /// One pool, to be refilled; call [`Pools::layout`] afterwards.
    pub fn member_mut(&mut self, i: usize) -> &mut dyn LawPool {
        self.members[i].as_mut()
    }

    /// Number of the first constraint of pool `i`.
    pub fn first_constraint(&self, i: usize) -> usize {
        self.spans[i].first as usize
    }

    /// Number of constraints.
    pub fn constraint_count(&self) -> usize {
        self.dim_of.len()
    }

    /// Number of rows.
    pub fn row_count(&self) -> usize {
        match (self.row_of.last(), self.dim_of.last()) {
            (Some(&r), Some(&d)) => r as usize + d as usize,
            _ => 0,
        }
    }

    /// First row and dimension of constraint `k`.
    #[inline]
    pub fn rows(&self, k: usize) -> (usize, usize) {
        (self.row_of[k] as usize, self.dim_of[k] as usize)
    }

    /// First Hessian entry of constraint `k`.
    #[inline]
    pub fn hess_start(&self, k: usize) -> usize {
        self.hess_of[k] as usize
    }

    /// Sizes the flat arrays; keeps capacity.
    pub fn size_evals(&self, out: &mut Evals) {
        out.cost.resize(self.constraint_count(), 0.0);
        out.grad.resize(self.row_count(), 0.0);
        let hess = match self.hess_of.last() {
            Some(&h) => h as usize + (self.dim_of[self.dim_of.len() - 1] as usize).pow(2),
            None => 0,
        };
        out.hess.resize(hess, 0.0);
    }

    /// The constraints of `part` by pool.
    fn sections<'a>(&'a self, part: Part<'a>) -> impl Iterator<Item = (usize, &'a [u32])> {
        let mut rest = part.constraints;
        (0..self.members.len()).filter_map(move |i| {
            let end = self.spans[i].first + self.members[i].len() as u32;
            let (now, later) = rest.split_at(rest.partition_point(|&k| k < end));
            rest = later;
            (!now.is_empty()).then_some((i, now))
        })
    }

    /// Costs, gradients and Hessians of the constraints of `part`.
    pub fn eval(&self, part: Part<'_>, v_c: &[f64], out: &mut Evals) {
        for (i, which) in self.sections(part) {
            self.members[i].eval(self.spans[i], which, v_c, out);
        }
    }

    /// Costs of the constraints of `part`.
    pub fn cost(&self, part: Part<'_>, v_c: &[f64], out: &mut [f64]) {
        for (i, which) in self.sections(part) {
            self.members[i].cost(self.spans[i], which, v_c, out);
        }
    }

    /// Σ w_k ℓ_k over `part` and its derivatives at v_c + α·dv_c.
    pub fn along(
        &self,
        part: Part<'_>,
        v_c: &[f64],
        dv_c: &[f64],
        alpha: f64,
        weights: Option<&[f64]>,
    ) -> Along {
        let mut sum = Along::default();
        for (i, which) in self.sections(part) {
            sum.add_scaled(1.0, self.members[i].along(self.spans[i], which, v_c, dv_c, alpha, weights));
        }
        sum
    }

    /// The constraints of `part` whose potential is not known to be zero from v_c to v_c + α·dv_c, into `out`.
    pub fn acting(&self, part: Part<'_>, v_c: &[f64], dv_c: &[f64], alpha: f64, out: &mut Vec<u32>) {
        out.clear();
        for (i, which) in self.sections(part) {
            self.members[i].acting(self.spans[i], which, v_c, dv_c, alpha, out);
        }
    }

    /// Offers the impulses of a solve, all rows, as new lagged values; true when some changed.
    pub fn relag(&mut self, gamma: &[f64]) -> bool {
        let offer = |(m, s): (&mut Box<dyn LawPool>, &Span)| {
            let rows = m.len() * m.dim();
            gamma.get(s.row..s.row + rows).is_some_and(|g| m.relag(g))
        };
        self.members.iter_mut().zip(&self.spans).map(offer).fold(false, |any, one| any | one)
    }

    /// True when every law that has constraints can be swept over.
    pub fn all_swept(&self) -> bool {
        self.members.iter().all(|m| m.is_empty() || m.swept().is_some())
    }

    /// True when every law is convex and none is a barrier.
    pub fn all_convex(&self) -> bool {
        self.members.iter().all(|m| m.is_empty() || (m.properties().convex && !m.properties().barrier))
    }
}
