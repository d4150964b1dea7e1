//! Long works on threads of their own.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Results of a work for each of a list, in its order, so many at a time, the first of the list first. No thread takes up one while it waits within another, as threads of a pool do, so that processor times are of one work alone.
///
/// # Errors
/// That of a work that failed; none is begun after it.
pub fn side_by_side<A: Sync, T: Send, E: Send>(
    list: &[A],
    threads: usize,
    work: impl Fn(&A) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let next = AtomicUsize::new(0);
    let go_on = || -> Result<Vec<(usize, T)>, E> {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = list.get(i) else { return Ok(done) };
            let result = work(one).inspect_err(|_| next.store(list.len(), Ordering::Relaxed))?;
            done.push((i, result));
        }
    };
    // Threads have the name of the one that they work for, so that a panic is noted beside its page.
    let current = std::thread::current();
    let named = || {
        let builder = std::thread::Builder::new();
        if let Some(name) = current.name() { builder.name(name.to_owned()) } else { builder }
    };
    let found: Vec<_> = std::thread::scope(|scope| {
        let start = || named().spawn_scoped(scope, go_on).unwrap_or_else(|_| scope.spawn(go_on));
        let workers: Vec<_> = (0..threads.clamp(1, list.len().max(1))).map(|_| start()).collect();
        workers.into_iter().map(|w| w.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    let mut done: Vec<_> = found.into_iter().collect::<Result<Vec<_>, E>>()?.into_iter().flatten().collect();
    done.sort_by_key(|d| d.0);
    Ok(done.into_iter().map(|d| d.1).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn conformance_results_are_in_the_order_of_the_list() {
        let list: Vec<usize> = (0..50).collect();
        for threads in [0, 1, 3, 100] {
            let squares = side_by_side(&list, threads, |i| Ok::<_, ()>(i * i)).unwrap();
            assert!(squares.iter().enumerate().all(|(i, s)| *s == i * i) && squares.len() == 50);
        }
        assert_eq!(side_by_side(&[0; 0], 2, |_: &i32| Ok::<_, ()>(())), Ok(vec![]));
    }

    #[test]
    fn conformance_none_is_begun_after_a_failure() {
        let begun = Mutex::new(0);
        let found = side_by_side(&[1, 2, 3, 4], 1, |i| {
            *begun.lock().unwrap() += 1;
            if *i == 2 { Err("two") } else { Ok(*i) }
        });
        assert_eq!((found, begun.into_inner().unwrap()), (Err("two"), 2));
    }
}
