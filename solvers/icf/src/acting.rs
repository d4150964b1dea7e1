use signorini_core::{Part, SolveStatus};

use crate::newton::{IslandResult, ProblemParts};

/// Constraints on a block up to which none of them is held out: looking at them again would cost as much.
const FEW: u32 = 16;

/// Constraints of a solve that take part, and those held out because their potential is zero.
///
/// ```text
/// v̂ = argmin ½ ‖v − v*‖²_A + Σ_(k in acting) ℓ_k(v),   ℓ_k and ∇ℓ_k zero at v̂ for all others   ⇒   v̂ = argmin ½ ‖v − v*‖²_A + Σ_k ℓ_k(v)
/// ```
/// The gradient of both objectives is one at v̂, and the second is strictly convex. Constraints that are not idle at v̂ take part from there on, so that the solves end.
#[derive(Debug, Default)]
pub(crate) struct Acting {
    constraints: Vec<u32>,
    held: Vec<u32>,
    /// By block.
    count: Vec<u32>,
    /// Of those held, the ones that are not idle at the solution of the others.
    woken: Vec<u32>,
    /// By block, whether a constraint on it was woken last, and whether one is held out.
    touched: Vec<bool>,
    holds: Vec<bool>,
}

impl Acting {
    /// Counts the constraints on each block: whether any has so many that idle ones are held out.
    pub(crate) fn is_crowded(&mut self, m: &ProblemParts<'_>, whole: Part<'_>) -> bool {
        self.count.clear();
        self.count.resize(whole.blocks.len(), 0);
        for &k in whole.constraints {
            m.map.blocks_of(k as usize).iter().for_each(|b| self.count[*b as usize] += 1);
        }
        self.count.iter().any(|n| *n > FEW)
    }

    /// Begins with the constraints whose potential is not zero all along the way `dv_c` from `v_c` (rows) of a problem that [`Acting::is_crowded`], or with all.
    pub(crate) fn begin(&mut self, m: &ProblemParts<'_>, whole: Part<'_>, way: Option<[&[f64]; 2]>) {
        for list in [&mut self.constraints, &mut self.held, &mut self.woken] {
            list.clear();
            list.reserve(whole.constraints.len());
        }
        self.touched.clear();
        self.touched.resize(whole.blocks.len(), true);
        self.holds.clear();
        self.holds.resize(whole.blocks.len(), false);
        let Some([v_c, dv_c]) = way else {
            self.constraints.extend_from_slice(whole.constraints);
            return;
        };
        m.pools.acting(whole, v_c, dv_c, 1.0, &mut self.constraints);
        self.hold_rest(m, whole);
        mark(&mut self.holds, m, &self.held);
    }

    /// Holds out the constraints that are idle, but those between blocks with few.
    fn hold_rest(&mut self, m: &ProblemParts<'_>, whole: Part<'_>) {
        let Self { constraints, held, count, woken, .. } = self;
        if constraints.len() == whole.constraints.len() {
            return;
        }
        let many = |k: u32| m.map.blocks_of(k as usize).iter().any(|b| count[*b as usize] > FEW);
        std::mem::swap(constraints, woken);
        constraints.clear();
        let mut acting = woken.iter().peekable();
        for &k in whole.constraints {
            let acts = acting.next_if_eq(&&k).is_some();
            if acts || !many(k) { constraints.push(k) } else { held.push(k) }
        }
    }

    /// Constraints that take part.
    pub(crate) fn constraints(&self) -> &[u32] {
        &self.constraints
    }

    /// Lets those held out take part that are not idle at the contact velocities `here`, their rows of `v_c` set to these; false without one.
    pub(crate) fn wake(&mut self, m: &ProblemParts<'_>, here: &[f64], v_c: &mut [f64]) -> bool {
        let Self { constraints, held, woken, touched, holds, .. } = self;
        touched.fill(false);
        m.pools.acting(Part { blocks: &[], constraints: held }, here, here, 0.0, woken);
        if woken.is_empty() {
            return false;
        }
        for &k in &*woken {
            let (first, rows) = m.pools.rows(k as usize);
            v_c[first..first + rows].copy_from_slice(&here[first..first + rows]);
        }
        mark(touched, m, woken);
        constraints.extend_from_slice(woken);
        constraints.sort_unstable();
        held.retain(|k| woken.binary_search(k).is_err());
        mark(holds, m, held);
        true
    }

    /// Whether constraints on an island are held out.
    pub(crate) fn holds(&self, blocks: &[u32]) -> bool {
        blocks.iter().any(|b| self.holds[*b as usize])
    }

    /// Whether constraints of an island were woken last.
    pub(crate) fn touches(&self, blocks: &[u32]) -> bool {
        blocks.iter().any(|b| self.touched[*b as usize])
    }
}

/// Marks the blocks of some constraints alone.
fn mark(by_block: &mut [bool], m: &ProblemParts<'_>, constraints: &[u32]) {
    by_block.fill(false);
    let blocks = constraints.iter().flat_map(|k| m.map.blocks_of(*k as usize));
    blocks.for_each(|b| by_block[*b as usize] = true);
}

/// By block, how the last solve of its island ended, and iterations of all of them.
#[derive(Debug, Default)]
pub(crate) struct Ends(Vec<Option<(IslandResult, u32)>>);

impl Ends {
    /// Forgets all of `blocks` blocks.
    pub(crate) fn begin(&mut self, blocks: usize) {
        self.0.clear();
        self.0.resize(blocks, None);
    }

    /// Takes the end of an island.
    pub(crate) fn set(&mut self, blocks: &[u32], done: IslandResult) {
        let before = |b: &u32| self.0[*b as usize].map_or(0, |(_, iterations)| iterations);
        let iterations = blocks.iter().map(before).max().unwrap_or(0) + done.stats.iterations;
        blocks.iter().for_each(|b| self.0[*b as usize] = Some((done, iterations)));
    }

    /// The end with the largest ratio of residual to tolerance; None without islands.
    pub(crate) fn farthest(&self) -> Option<IslandResult> {
        let ends = self.0.iter().flatten().map(|e| e.0);
        ends.reduce(|a, b| if b.residual * a.tolerance > a.residual * b.tolerance { b } else { a })
    }

    /// The worst status.
    pub(crate) fn status(&self) -> SolveStatus {
        self.0.iter().flatten().fold(SolveStatus::Converged, |worst, e| worse(worst, e.0.status))
    }

    /// Iterations on an island so far, and whether it is solved.
    pub(crate) fn of(&self, blocks: &[u32]) -> (u32, bool) {
        let ends = || blocks.iter().map(|b| self.0[*b as usize]);
        let done = ends().all(|e| e.is_some_and(|e| e.0.status != SolveStatus::IterationLimit));
        (ends().flatten().map(|e| e.1).max().unwrap_or(0), done)
    }

    /// The most iterations.
    pub(crate) fn iterations(&self) -> u32 {
        self.0.iter().flatten().map(|e| e.1).max().unwrap_or(0)
    }
}

fn worse(a: SolveStatus, b: SolveStatus) -> SolveStatus {
    match (a, b) {
        (done, other) | (other, done) if done.is_complete() => other,
        (SolveStatus::Stalled, _) | (_, SolveStatus::Stalled) => SolveStatus::Stalled,
        _ => SolveStatus::IterationLimit,
    }
}
