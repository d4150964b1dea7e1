use crate::{Aabb, Bvh};

/// Below this many bounded proxies all pairs of boxes are tried, which is faster than the tree (`benches/benches/narrow_phase.rs`).
const ALL_PAIRS_BELOW: usize = 160;
/// The tree is built anew when a refit has made it this much costlier than it was when built.
const DEGRADED: f64 = 1.5;

/// The margin or box of a proxy cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A box holds NaN or is empty.
    #[error(
        "the bounding box of proxy {proxy} is empty or not a number: {bounds:?}; check the state for NaN"
    )]
    Bounds {
        /// Index of the proxy.
        proxy: usize,
        /// Box that was given.
        bounds: Aabb,
    },
    /// A margin is negative, NaN or infinite.
    #[error("the margin of proxy {proxy} must be finite and not negative, got {margin} m")]
    Margin {
        /// Index of the proxy.
        proxy: usize,
        /// Margin that was given \[m\].
        margin: f64,
    },
    /// Not as many margins as boxes.
    #[error("{bounds} boxes came with {margins} margins; give one each")]
    Length {
        /// Number of boxes.
        bounds: usize,
        /// Number of margins.
        margins: usize,
    },
}

/// Finds pairs of proxies whose boxes, each grown by its own margin, meet.
///
/// The result depends on the arguments of the call only, never on earlier calls. Kept between calls are memory and the shape of
/// a search tree. No allocation once the buffers have grown.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    bounded: Vec<Aabb>,
    /// Proxy of each bounded box.
    proxies: Vec<u32>,
    unbounded: Vec<(Aabb, u32)>,
    tree: Bvh,
    cost_when_built: f64,
    found: Vec<[u32; 2]>,
    /// Starts of the pairs of each first proxy, while sorting.
    starts: Vec<u32>,
    pairs: Vec<[u32; 2]>,
}

impl BroadPhase {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The pairs (i < j, ascending) of proxies whose boxes \[m\], in the world frame and each grown by its margin \[m\] on
    /// every side, meet and that `keep(i, j)` accepts. Boxes with an infinite side (half-spaces) are allowed and kept out
    /// of the tree.
    ///
    /// # Errors
    /// A [`BroadPhaseError`] for a box that is empty or holds NaN, or a margin that is negative or not finite.
    pub fn pairs(
        &mut self,
        bounds: &[Aabb],
        margins: &[f64],
        mut keep: impl FnMut(u32, u32) -> bool,
    ) -> Result<&[[u32; 2]], BroadPhaseError> {
        self.take(bounds, margins)?;
        self.found.clear();
        let (pairs, proxies) = (&mut self.found, &self.proxies);
        let mut found = |a: u32, b: u32| {
            let (i, j) = (a.min(b), a.max(b));
            if keep(i, j) {
                pairs.push([i, j]);
            }
        };
        for (k, (a, i)) in self.unbounded.iter().enumerate() {
            for (b, j) in &self.unbounded[k + 1..] {
                if a.overlaps(b) {
                    found(*i, *j);
                }
            }
            for (b, j) in self.bounded.iter().zip(proxies) {
                if a.overlaps(b) {
                    found(*i, *j);
                }
            }
        }
        if self.bounded.len() < ALL_PAIRS_BELOW {
            for (k, (a, i)) in self.bounded.iter().zip(proxies).enumerate() {
                for (b, j) in self.bounded[k + 1..].iter().zip(&proxies[k + 1..]) {
                    if a.overlaps(b) {
                        found(*i, *j);
                    }
                }
            }
        } else {
            refresh(&mut self.tree, &self.bounded, &mut self.cost_when_built);
            self.tree.self_pairs(|a, b| found(proxies[a as usize], proxies[b as usize]));
        }
        sort(&self.found, bounds.len(), &mut self.starts, &mut self.pairs);
        Ok(&self.pairs)
    }

    /// Sorts the grown boxes into bounded and unbounded ones.
    fn take(&mut self, bounds: &[Aabb], margins: &[f64]) -> Result<(), BroadPhaseError> {
        if bounds.len() != margins.len() {
            return Err(BroadPhaseError::Length { bounds: bounds.len(), margins: margins.len() });
        }
        self.bounded.clear();
        self.proxies.clear();
        self.unbounded.clear();
        for (proxy, (b, &margin)) in bounds.iter().zip(margins).enumerate() {
            // written so that NaN fails
            if !(b.min.x <= b.max.x && b.min.y <= b.max.y && b.min.z <= b.max.z) {
                return Err(BroadPhaseError::Bounds { proxy, bounds: *b });
            }
            if !(margin >= 0.0 && margin.is_finite()) {
                return Err(BroadPhaseError::Margin { proxy, margin });
            }
            let grown = b.inflated(margin);
            if grown.is_finite() {
                self.bounded.push(grown);
                self.proxies.push(proxy as u32);
            } else {
                self.unbounded.push((grown, proxy as u32));
            }
        }
        Ok(())
    }
}

/// Brings the tree up to the boxes: refitted, or built anew if their number changed or it has degraded.
fn refresh(tree: &mut Bvh, boxes: &[Aabb], cost_when_built: &mut f64) {
    if tree.len() == boxes.len() {
        tree.refit(boxes);
        if tree.cost() <= DEGRADED * *cost_when_built {
            return;
        }
    }
    tree.rebuild(boxes);
    *cost_when_built = tree.cost();
}

/// Pairs in ascending order: counted and placed by their first proxy, then sorted in each small group.
fn sort(found: &[[u32; 2]], proxies: usize, starts: &mut Vec<u32>, sorted: &mut Vec<[u32; 2]>) {
    starts.clear();
    starts.resize(proxies + 1, 0);
    for [i, _] in found {
        starts[*i as usize + 1] += 1;
    }
    for i in 0..proxies {
        starts[i + 1] += starts[i];
    }
    sorted.clear();
    sorted.resize(found.len(), [0; 2]);
    for pair in found {
        let slot = &mut starts[pair[0] as usize];
        sorted[*slot as usize] = *pair;
        *slot += 1;
    }
    // each start has moved to the end of its group
    let mut from = 0;
    for end in &starts[..proxies] {
        let end = *end as usize;
        sorted[from..end].sort_unstable();
        from = end;
    }
}
