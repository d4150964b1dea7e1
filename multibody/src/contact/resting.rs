/// Parts of the way that gravity takes a body within a step: up to the first a tree at rest may move, and slow ones up to the second.
const REST: f64 = 1.0 / 16.0;
const SLOW: f64 = 1.0 / 4.0;

/// Trees that are expected to move no farther within a step than they would at twice their speed: contacts are looked for no farther about them, until a solution moves them farther.
///
/// ```text
/// s = max(g h²/16, 2 h Σ_i a_i |v₀_i|) ≤ g h²/4  at the start,   δt Σ_i a_i |v_i − w_i| ≤ s  in the solution
/// ```
/// The sum bounds the speed of all points of a tree, with the arms a of its degrees of freedom, and w the lag of flight. A contact that is left out lies beyond the ways of both geoms, so that its
/// impulse is zero and the solution that of all contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resting {
    /// By tree, s where it is one of them.
    ways: Vec<Option<f64>>,
}

impl Resting {
    /// Takes no tree for one at rest.
    pub(crate) fn none(&mut self) {
        self.ways.clear();
    }

    /// Begins a step in which gravity covers the distance `fall` \[m\], with the ways of trees at the velocities of its start and whether something drives them.
    pub(crate) fn begin(&mut self, fall: f64, starts: impl Iterator<Item = (f64, bool)>) {
        self.ways.clear();
        self.ways.extend(starts.map(|(start, driven)| {
            let way = (REST * fall).max(2.0 * start);
            (!driven && way > 0.0 && way <= SLOW * fall).then_some(way)
        }));
    }

    /// Takes trees off that go farther; whether any did.
    pub(crate) fn wake(&mut self, ways: impl Iterator<Item = f64>) -> bool {
        let mut any = false;
        for (rests, way) in self.ways.iter_mut().zip(ways) {
            // NaN goes farther.
            if rests.is_some_and(|most| way > most || way.is_nan()) {
                *rests = None;
                any = true;
            }
        }
        any
    }

    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.ways.iter().any(Option::is_some)
    }

    /// Largest way of the points of a tree within the step where it is one of them \[m\].
    pub(crate) fn way(&self, tree: usize) -> Option<f64> {
        self.ways.get(tree).copied().flatten()
    }
}
