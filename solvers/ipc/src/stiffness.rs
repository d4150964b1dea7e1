use signorini_core::na::Vector3;
use signorini_geometry::{Stencil, StencilPair};

use crate::BarrierSeed;
use crate::world::World;

/// How κ of the barrier comes about.
///
/// The adaptive ones are those of Li et al. 2020. With L the diagonal of the box around all bodies that move at the start, m̄ their mass over the number of their points and b̂ the barrier of κ = 1,
///
/// ```text
/// κ_min = 10¹¹ m̄/(4 d² ∂²b̂/∂s² δt²)  at d = ξ + 10⁻⁸ L,   κ ≤ 100 κ_min
/// ```
/// and κ doubles whenever a pair that is nearer than ξ + 10⁻⁹ L is nearer still after a Newton iteration. (For ranges below 10⁻⁶ L lengths are 10⁻² d̂ and 10⁻³ d̂ instead of 10⁻⁸ L and 10⁻⁹ L.) κ never falls, and the next steps
/// keep it. The bounds belong to a step size: where steps change, with error control for one, fix κ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adaptation {
    /// κ is [`crate::IpcOptions::stiffness`], always.
    #[default]
    Fixed,
    /// κ starts at [`crate::IpcOptions::stiffness`] and is raised where that is too little.
    Raise,
    /// κ is chosen in the first step that starts with pairs within the range, so that they balance what else acts best; then raised. [`crate::IpcOptions::stiffness`] is not read.
    ///
    /// ```text
    /// κ = clamp(−⟨g_B, g_E⟩/⟨g_B, g_B⟩, κ_min, 100 κ_min) at v = 0, ⟨a, b⟩ = Σ a_p·b_p/m over centres of mass
    /// ```
    /// g_B the gradient of the barrier of κ = 1, g_E that of all else but joints held by elimination.
    Choose,
}

/// κ of a step, and what it follows from.
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
    /// Raised at the last linearisation: what was solved is no longer what is asked.
    pub raised: bool,
}

type Key = ([u32; 4], bool);

impl Stiffness {
    pub(crate) fn new(world: &World) -> Self {
        let o = &world.options;
        let mut corners: Option<[Vector3<f64>; 2]> = None;
        let (mut mass, mut points) = (0.0, 0usize);
        for (body, q) in world.bodies.iter().zip(&world.held_coordinates).filter(|b| !b.0.fixed) {
            (mass, points) = (mass + body.mass, points + body.points.len());
            for x in body.points.iter().map(|x| crate::body::place(q, x)) {
                let [low, high] = corners.get_or_insert([x, x]);
                (*low, *high) = (low.inf(&x), high.sup(&x));
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

    /// Starts a step of `dt` \[s\] with what the last one ended with.
    pub(crate) fn start(&mut self, dt: f64, (value, chosen): (f64, bool)) {
        (self.value, self.chosen, self.raised) = (value, chosen, false);
        self.seen.clear();
        if self.adaptation == Adaptation::Fixed {
            return;
        }
        let least = self.least / (dt * dt);
        self.most = 100.0 * least;
        if !chosen {
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
