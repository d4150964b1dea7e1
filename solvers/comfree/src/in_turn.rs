use signorini_core::na::{SMatrix, SVector};
use signorini_core::{Evals, FrozenMap, Sweep, SweptProblem, Turns, Whitened};

/// Over-relaxation of constraints that are taken in turn: how far they go beyond the step that each would take alone.
const RELAXATION: f64 = 1.4;

/// Velocity of a problem whose constraints are taken in turn, in coordinates in which the inertia is the identity.
#[derive(Debug, Default)]
pub(crate) struct InTurn {
    w: Vec<f64>,
    /// Blocks that some constraint touches. Unknowns of others stay as they are.
    touched: Vec<bool>,
    /// Factors on the gains, one per constraint.
    scales: Vec<f64>,
    /// The next sweep goes from the last constraint to the first.
    backward: bool,
}

impl InTurn {
    /// Begins at the velocity `free` \[m/s\], nv, that impulses `gamma` \[N·s\], all rows, are added to; false where the inertia couples blocks. Each constraint is scaled by 1.4/‖√H W √H‖ on its own, with its
    /// gains H and W = J A⁻¹ Jᵀ: its step when the others stand still. `evals` is scratch of the size of the problem.
    pub(crate) fn begin(
        &mut self,
        problem: &mut dyn SweptProblem,
        free: &[f64],
        gamma: &[f64],
        evals: &mut Evals,
    ) -> bool {
        if !problem.whiten() {
            return false;
        }
        let Some(Whitened { map, inertia, pools }) = problem.whitened() else { return false };
        self.begin_again();
        self.touched.clear();
        self.touched.resize(map.block_starts().len() - 1, false);
        (0..map.constraint_count()).flat_map(|k| map.entries(k)).for_each(|(b, _)| self.touched[b] = true);
        self.w.clear();
        self.w.extend_from_slice(free);
        for (b, range) in touched_blocks(map, &self.touched) {
            inertia.whiten(b, &mut self.w[range]);
        }
        self.scales.clear();
        self.scales.resize(map.constraint_count(), 1.0);
        for (pool, span) in pools.spans() {
            let (Some(swept), count) = (pool.swept(), pool.len()) else { continue };
            swept.sweep_gains(span, evals);
            let hess = &evals.hess[span.hess..];
            let of = Constraints { map, first: span.first as usize, count };
            match pool.dim() {
                1 => self.begin_rows::<1>(&of, hess, &gamma[span.row..]),
                3 => self.begin_rows::<3>(&of, hess, &gamma[span.row..]),
                4 => self.begin_rows::<4>(&of, hess, &gamma[span.row..]),
                6 => self.begin_rows::<6>(&of, hess, &gamma[span.row..]),
                _ => return false,
            }
        }
        true
    }

    fn begin_rows<const D: usize>(&mut self, of: &Constraints<'_>, hess: &[f64], gamma: &[f64]) {
        let rows = gamma.as_chunks::<D>().0.iter().zip(hess.chunks_exact(D * D));
        for (k, (gamma, h)) in (of.first..of.first + of.count).zip(rows) {
            // ‖√H W √H‖ of Frobenius, at least λ_max; below 2/λ_max each step goes downhill, and beyond 1/λ_max it is nearer to the others' least.
            let h_w = SMatrix::<f64, D, D>::from_column_slice(h) * of.map.square_of::<D>(k);
            let square = (h_w * h_w).trace();
            self.scales[k] = if square > 0.0 { RELAXATION / square.sqrt() } else { 1.0 };
            if *gamma != [0.0; D] {
                of.map.push::<D>(k, &SVector::from(*gamma), &mut self.w);
            }
        }
    }

    /// Goes on from the velocity as it is, with sweeps counted anew: the next goes from the first constraint to the last.
    pub(crate) fn begin_again(&mut self) {
        self.backward = false;
    }

    /// Moves the multipliers of one constraint after the other, each at the velocity that those before it left; every second time from the last to the first, so that none is always asked first. Writes the impulses, all
    /// rows \[N·s\].
    pub(crate) fn sweep(&mut self, problem: &mut dyn SweptProblem, sweep: &mut Sweep, gamma: &mut [f64]) {
        let Some(Whitened { map, pools, .. }) = problem.whitened() else { return };
        let mut turns = Turns { map, w: &mut self.w, scales: &self.scales, backward: self.backward };
        let count = pools.members().len();
        for i in 0..count {
            let i = if self.backward { count - 1 - i } else { i };
            let span = pools.span(i);
            if let Some(pool) = pools.member_mut(i).swept_mut() {
                pool.sweep_in_turn(span, &mut turns, sweep, gamma);
            }
        }
        self.backward = !self.backward;
    }

    /// Writes the velocity \[m/s\], nv.
    pub(crate) fn store(&self, problem: &mut dyn SweptProblem, v: &mut [f64]) {
        v.copy_from_slice(&self.w);
        let Some(Whitened { map, inertia, .. }) = problem.whitened() else { return };
        for (b, range) in touched_blocks(map, &self.touched) {
            inertia.unwhiten(b, &mut v[range]);
        }
    }
}

/// Constraints of one pool.
struct Constraints<'a> {
    map: &'a FrozenMap,
    first: usize,
    count: usize,
}

fn touched_blocks<'a>(
    map: &'a FrozenMap,
    touched: &'a [bool],
) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + 'a {
    let ranges = map.block_starts().windows(2).map(|w| w[0]..w[1]);
    ranges.enumerate().filter(|(b, _)| touched[*b])
}
