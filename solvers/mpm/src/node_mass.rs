use signorini_core::{BlockSink, Inertia, Part, ProblemError, check_finite};

/// Lumped masses of nodes: one number for all unknowns of a block.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMass {
    starts: Vec<usize>,
    /// Mass of each unknown \[kg\].
    mass: Vec<f64>,
    scaling: Vec<f64>,
}

impl NodeMass {
    /// Takes the masses of blocks with (unknowns, mass \[kg\]) in place of those before.
    ///
    /// # Errors
    /// Masses that are not positive and finite.
    pub(crate) fn set(&mut self, blocks: impl Iterator<Item = (usize, f64)>) -> Result<(), ProblemError> {
        self.starts.clear();
        self.starts.push(0);
        self.mass.clear();
        for (count, mass) in blocks {
            self.mass.extend((0..count).map(|_| mass));
            self.starts.push(self.mass.len());
        }
        self.scaling.clear();
        self.scaling.extend(self.mass.iter().map(|m| m.sqrt().recip()));
        check_finite("masses of nodes", &self.mass)?;
        check_finite("masses of nodes, which have to be positive", &self.scaling)
    }

    fn unknowns<'a>(&'a self, part: Part<'a>) -> impl Iterator<Item = usize> {
        part.blocks.iter().flat_map(|&b| self.starts[b as usize]..self.starts[b as usize + 1])
    }
}

impl Inertia for NodeMass {
    fn block_starts(&self) -> &[usize] {
        &self.starts
    }
    fn apply(&self, part: Part<'_>, x: &[f64], y: &mut [f64]) {
        if part.blocks.len() + 1 == self.starts.len() {
            return y.iter_mut().zip(&self.mass).zip(x).for_each(|((y, m), x)| *y = m * x);
        }
        self.unknowns(part).for_each(|i| y[i] = self.mass[i] * x[i]);
    }
    fn solve_in_place(&self, part: Part<'_>, x: &mut [f64]) {
        self.unknowns(part).for_each(|i| x[i] /= self.mass[i]);
    }
    fn scaling(&self) -> &[f64] {
        &self.scaling
    }
    fn add_blocks(&self, part: Part<'_>, h: &mut dyn BlockSink) {
        for &b in part.blocks {
            let b = b as usize;
            let n = self.starts[b + 1] - self.starts[b];
            let mut block = [0.0; 9];
            (0..n).for_each(|i| block[(n + 1) * i] = self.mass[self.starts[b]]);
            h.add(b, b, &block[..n * n]);
        }
    }
}
