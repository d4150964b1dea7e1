use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, StencilPair};

use crate::world::World;
use crate::{Adaptation, BarrierSeed};

/// κ of a step, and the quantities from which it follows.
#[derive(Clone, Debug)]
pub(crate) struct Stiffness {
    adaptation: Adaptation,
    /// κ \[J/m⁴\].
    pub value: f64,
    /// Whether it was chosen, where it is to be.
    pub chosen: bool,
    /// κ_min δt² \[J·s²/m⁴\].
    least: f64,
    /// Gap beyond ξ below which a pair is too near \[m\].
    near: f64,
    most: f64,
    /// Pairs that were too near at the last linearisation, and their gaps, sorted.
    seen: Vec<(Key, f64)>,
    now: Vec<(Key, f64)>,
    /// Raised at the last linearisation: the solved problem is no longer the posed one.
    pub raised: bool,
}

/// κ at the start of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartStiffness {
    /// κ \[J/m⁴\].
    pub value: f64,
    /// Chosen already, where it is to be.
    pub chosen: bool,
}

type Key = ([u32; 4], bool);

impl Stiffness {
    pub(crate) fn new(world: &World) -> Self {
        let o = &world.options;
        let mut corners: Option<[Vector3<f64>; 2]> = None;
        let (mut mass, mut points) = (0.0, 0usize);
        for (body, q) in world.bodies.iter().zip(&world.held_coordinates).filter(|b| !b.0.fixed) {
            (mass, points) = (mass + body.mass, points + body.points.len());
            for (points, radius) in body.by_parts() {
                let r = Vector3::repeat(radius);
                for x in points.iter().map(|x| crate::body::place(q, x)) {
                    let [low, high] = corners.get_or_insert([x, x]);
                    (*low, *high) = (low.inf(&(x - r)), high.sup(&(x + r)));
                }
            }
        }
        let size = corners.map_or(0.0, |[low, high]| (high - low).norm());
        let gap = (1e-8 * size).min(1e-2 * o.range);
        let d = o.separation + gap;
        let unit =
            BarrierSeed { dt: 1.0, distance: d, range: o.range, separation: o.separation, stiffness: 1.0 };
        let [_, _, bend] = unit.potential(d * d);
        let least = 1e11 * mass / points.max(1) as f64 / (4.0 * d * d * bend);
        Self {
            adaptation: o.adaptation,
            value: o.stiffness,
            chosen: o.adaptation != Adaptation::Choose,
            least,
            near: (1e-9 * size).min(1e-3 * o.range),
            most: f64::INFINITY,
            seen: Vec::new(),
            now: Vec::new(),
            raised: false,
        }
    }

    /// Starts a step of `dt` \[s\] with the end values of the last one.
    pub(crate) fn start(&mut self, dt: f64, last: StartStiffness) {
        (self.value, self.chosen, self.raised) = (last.value, last.chosen, false);
        self.seen.clear();
        if self.adaptation == Adaptation::Fixed {
            return;
        }
        let least = self.least / (dt * dt);
        self.most = 100.0 * least;
        if !last.chosen {
            self.value = least;
        }
    }

    /// κ at which the barrier balances best, of ⟨g_B, g_E⟩ and ⟨g_B, g_B⟩.
    pub(crate) fn choose(&mut self, across: f64, square: f64) {
        self.chosen = true;
        let best = -across / square;
        self.value =
            if best.is_finite() { best.clamp(0.01 * self.most, self.most) } else { 0.01 * self.most };
    }

    /// Looks at the gaps of a linearisation; how many times larger κ is from now on.
    pub(crate) fn look<'a>(&mut self, gaps: impl Iterator<Item = (&'a StencilPair, f64)>) -> f64 {
        if self.adaptation == Adaptation::Fixed {
            return 1.0;
        }
        self.now.clear();
        let near = self.near;
        self.now.extend(
            gaps.filter(|g| g.1 < near).map(|(p, gap)| ((p.points, p.stencil == Stencil::EdgeEdge), gap)),
        );
        self.now.sort_unstable_by_key(|n| n.0);
        let seen = &self.seen;
        let shrinks =
            |(key, gap): &(Key, f64)| seen.binary_search_by_key(key, |s| s.0).is_ok_and(|i| *gap < seen[i].1);
        let before = self.value;
        if before < self.most && self.now.iter().any(shrinks) {
            self.value = (2.0 * before).min(self.most);
        }
        std::mem::swap(&mut self.seen, &mut self.now);
        self.raised = self.value > before;
        self.value / before
    }
}
