// Part of an instrumented crate, not of this tool: says which mutant is chosen, and notes the places that a run reaches.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

/// Numbers from here on are no mutants.
const NONE: u32 = 1 << 30;
const NOTING: u32 = NONE + 1;
const UNKNOWN: u32 = NONE + 2;

static CHOSEN: AtomicU32 = AtomicU32::new(UNKNOWN);
static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
static NOTES: OnceLock<File> = OnceLock::new();

/// Number of the mutant from `first` on that is chosen: 0 for the first; a large number for none of them.
#[inline]
pub fn sel(first: u32) -> u32 {
    let chosen = CHOSEN.load(Relaxed);
    if chosen >= NOTING { seldom(first) } else { chosen.wrapping_sub(first) }
}

#[cold]
#[inline(never)]
fn seldom(first: u32) -> u32 {
    if CHOSEN.load(Relaxed) == UNKNOWN {
        if let Some(notes) = std::env::var_os("MUTANT_NOTES") {
            let file = OpenOptions::new().append(true).create(true).open(notes);
            NOTES.get_or_init(|| file.expect("MUTANT_NOTES can be written"));
            CHOSEN.store(NOTING, Relaxed);
        } else {
            let number = std::env::var("MUTANT").ok().and_then(|n| n.parse().ok());
            CHOSEN.store(number.unwrap_or(NONE), Relaxed);
            return CHOSEN.load(Relaxed).wrapping_sub(first);
        }
    }
    if let Some(mut file) = NOTES.get()
        && !SEEN[first as usize].swap(true, Relaxed)
    {
        file.write_all(&first.to_le_bytes()).expect("notes can be written");
    }
    u32::MAX
}
