use rayon::prelude::*;

use crate::{EnvironmentError, PegEnvironment, PegOptions, PegStep};

/// Environments side by side on the threads of rayon's pool. Each depends on its seed and actions alone, not on the others or on the number of threads.
pub struct Vectorised {
    environments: Vec<PegEnvironment>,
}

impl Vectorised {
    /// `count` environments of one kind.
    ///
    /// # Errors
    /// As [`PegEnvironment::new`].
    pub fn new(count: usize, options: PegOptions) -> Result<Self, EnvironmentError> {
        let environments = (0..count).map(|_| PegEnvironment::new(options)).collect::<Result<_, _>>()?;
        Ok(Self { environments })
    }

    /// The environments.
    pub fn environments(&self) -> &[PegEnvironment] {
        &self.environments
    }

    /// Starts all anew, one seed each; returns their observations.
    ///
    /// # Errors
    /// Another number of seeds; as [`PegEnvironment::reset`].
    pub fn reset(&mut self, seeds: &[u64]) -> Result<Vec<[f64; 3]>, EnvironmentError> {
        self.count("seeds", seeds.len())?;
        self.environments.par_iter_mut().zip(seeds).map(|(e, seed)| e.reset(*seed)).collect()
    }

    /// Steps all, one action each. Those whose episode has ended stay as they are: None.
    ///
    /// # Errors
    /// Another number of actions; as [`PegEnvironment::step`], the first in order.
    pub fn step(&mut self, actions: &[[f64; 3]]) -> Result<Vec<Option<PegStep>>, EnvironmentError> {
        self.count("actions", actions.len())?;
        let one = |(e, action): (&mut PegEnvironment, &[f64; 3])| match e.ended() {
            Some(_) => Ok(None),
            None => e.step(*action).map(Some),
        };
        self.environments.par_iter_mut().zip(actions).map(one).collect()
    }

    fn count(&self, what: &'static str, found: usize) -> Result<(), EnvironmentError> {
        let expected = self.environments.len();
        if expected == found { Ok(()) } else { Err(EnvironmentError::Count { what, expected, found }) }
    }
}
