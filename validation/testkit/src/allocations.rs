//! Counts heap allocations, for tests that a warm step has none.
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

/// The system's allocator with a counter for each thread: make it the global allocator of a test.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands everything to the system's allocator; the counter is a thread-local cell that never allocates.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.realloc(p, layout, size) }
    }
}

/// Allocations and reallocations of this thread while `f` runs.
///
/// # Panics
/// When [`CountingAllocator`] is not the global allocator: a count that is always zero would pass every test.
pub fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    drop(std::hint::black_box(Box::new(before)));
    assert_eq!(COUNT.get(), before + 1, "make CountingAllocator the #[global_allocator] of this test");
    f();
    COUNT.get() - before - 1
}
