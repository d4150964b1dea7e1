//! Counts heap allocations, for tests that a warm step has none, and bytes in use, for tests that a run does not grow.
//!
//! ```
//! use signorini_testkit::allocations::{CountingAllocator, allocations};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAllocator = CountingAllocator;
//!
//! assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 10]))), 1);
//! ```

#![allow(unsafe_code, reason = "an allocator is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator with counters for each thread: make it the global allocator of a test.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static IN_USE: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: hands everything to the system's allocator; the counters are thread-local cells that never allocate.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        IN_USE.set(IN_USE.get() + layout.size() as i64);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get() - layout.size() as i64);
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        IN_USE.set(IN_USE.get() + size as i64 - layout.size() as i64);
        unsafe { System.realloc(p, layout, size) }
    }
}

/// Allocations and reallocations of this thread while `f` runs.
///
/// # Panics
/// When [`CountingAllocator`] is not the global allocator: a count that is always zero would pass every test.
pub fn allocations(f: impl FnOnce()) -> u64 {
    check_installed();
    let before = COUNT.get();
    f();
    COUNT.get() - before
}

/// Bytes that this thread has allocated and not freed.
///
/// # Panics
/// As [`allocations`].
pub fn heap_in_use() -> i64 {
    check_installed();
    IN_USE.get()
}

fn check_installed() {
    let before = COUNT.get();
    drop(std::hint::black_box(Box::new(before)));
    assert_eq!(COUNT.get(), before + 1, "make CountingAllocator the #[global_allocator] of this test");
}
