use std::sync::Arc;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Items that one task takes at a time; independent of the number of threads, so that results are.
pub(crate) const CHUNK: usize = 128;

/// Threads of a system: lists are worked on by chunks of a fixed size, and their results are put together in order. Results do not depend on the number of threads.
///
/// Steps that are made inside [`Threads::install`] cost less: there the calling thread takes its share, elsewhere it sleeps while others work.
///
/// ```
/// # use signorini_core::{OneStep, State, StepError, na::Isometry3, na::Vector3};
/// # use signorini_geometry::TriangleMesh;
/// # use signorini_integrators::ContactStep;
/// # use signorini_ipc::{AffineBody, AffineSystem, IpcOptions, IpcSolver};
/// # let cube = AffineBody::solid("cube", &TriangleMesh::cuboid(&Vector3::repeat(0.05))?, 1000.0)?;
/// let options = IpcOptions { threads: 2, ..IpcOptions::default() };
/// let mut system = AffineSystem::new(vec![(cube, Isometry3::identity())], &[], options)?;
/// let x = system.threads().install(|| {
///     let mut step = ContactStep::new(IpcSolver::default());
///     let (mut x, mut next) = (system.initial_state(), State::default());
///     for _ in 0..10 {
///         step.step(&mut system, &x, 0.01, false, &mut next)?;
///         std::mem::swap(&mut x, &mut next);
///     }
///     Ok::<State, StepError>(x)
/// })?;
/// assert!(x.q[2] < -0.04);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// So many threads; one works in place.
    pub(crate) fn new(count: usize) -> Result<Self, String> {
        if count <= 1 {
            return Ok(Self(None));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build();
        pool.map(|p| Self(Some(Arc::new(p)))).map_err(|e| e.to_string())
    }

    /// Calls `work` on one of the threads, in place where there is only one.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            None => work(),
            Some(pool) => pool.install(work),
        }
    }

    /// Whether a list of so many items stays on this thread.
    pub(crate) fn alone(&self, items: usize) -> bool {
        self.0.is_none() || items <= CHUNK
    }

    /// Hands chunks, with the number of their first item, to `work`; `join` takes their results in order.
    pub(crate) fn run<T: Send, R: Send>(
        &self,
        items: &mut [T],
        work: impl Fn(usize, &mut [T]) -> R + Send + Sync,
        mut join: impl FnMut(R),
    ) {
        match &self.0 {
            Some(pool) if items.len() > CHUNK => {
                let of = |(i, chunk): (usize, &mut [T])| work(CHUNK * i, chunk);
                let all: Vec<R> = pool.install(|| items.par_chunks_mut(CHUNK).enumerate().map(of).collect());
                all.into_iter().for_each(join);
            }
            _ => {
                for (i, chunk) in items.chunks_mut(CHUNK).enumerate() {
                    join(work(CHUNK * i, chunk));
                }
            }
        }
    }

    /// Fills each item by `work`.
    pub(crate) fn fill<T: Send>(&self, items: &mut [T], work: impl Fn(usize, &mut T) + Send + Sync) {
        match &self.0 {
            Some(pool) if items.len() > 1 => pool.install(|| {
                items.par_iter_mut().with_min_len(8).enumerate().for_each(|(i, item)| work(i, item));
            }),
            _ => items.iter_mut().enumerate().for_each(|(i, item)| work(i, item)),
        }
    }
}
