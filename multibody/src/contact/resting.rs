use crate::Model;

/// Part of the way that gravity takes a body within a step, up to which one at rest may move.
const REST: f64 = 1.0 / 16.0;

/// Trees that are expected to rest within a step: about them contacts are looked for no farther than [`Resting::way`], until a solution moves them farther.
///
/// ```text
/// h Σ_i a_i |v₀_i| ≤ s/2  at the start,   δt Σ_i a_i |v_i − w_i| ≤ s  in the solution,   s = g h²/16
/// ```
/// The sum bounds the speed of all points of a tree, with the arms a of its degrees of freedom, and w the lag of flight. A contact that is left out lies beyond the ways of both geoms, so that its
/// impulse is zero and the solution that of all contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resting {
    trees: Vec<bool>,
    way: f64,
}

impl Resting {
    /// Takes no tree for one at rest.
    pub(crate) fn none(&mut self) {
        self.trees.clear();
    }

    /// Begins a step in which gravity covers the distance `fall` \[m\], with the ways of trees at the velocities of its start and whether something drives them.
    pub(crate) fn begin(&mut self, fall: f64, ways: impl Iterator<Item = (f64, bool)>) {
        self.way = REST * fall;
        let way = self.way;
        self.trees.clear();
        self.trees.extend(ways.map(|(w, driven)| !driven && w <= 0.5 * way && way > 0.0));
    }

    /// Takes trees off that go farther; whether any did.
    pub(crate) fn wake(&mut self, ways: impl Iterator<Item = f64>) -> bool {
        let way = self.way;
        let mut any = false;
        for (rests, w) in self.trees.iter_mut().zip(ways) {
            // NaN goes farther.
            let goes = *rests && !(w <= way);
            *rests &= !goes;
            any |= goes;
        }
        any
    }

    /// Whether there are any.
    pub(crate) fn any(&self) -> bool {
        self.trees.contains(&true)
    }

    /// Whether a tree is one of them.
    pub(crate) fn has(&self, tree: usize) -> bool {
        self.trees.get(tree).copied().unwrap_or(false)
    }

    /// Largest way of points of these trees within the step \[m\].
    pub(crate) fn way(&self) -> f64 {
        self.way
    }

    /// Way of the points of a tree at most, for a unit of time, from the arms of the degrees of freedom and their velocities \[m/s\].
    pub(crate) fn speed(model: &Model, tree: usize, arms: &[f64], v: impl Fn(usize) -> f64) -> f64 {
        model.trees[tree].dofs.clone().map(|i| arms[i] * v(i).abs()).sum()
    }
}
