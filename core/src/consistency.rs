//! Checks of entries read from snapshots.

/// An entry of a snapshot that does not fit the others.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{entry}: {why}")]
pub struct Inconsistent {
    /// The entry.
    pub entry: &'static str,
    /// The inconsistency.
    pub why: String,
}

pub(crate) fn ensure(entry: &'static str, holds: bool, why: &str) -> Result<(), Inconsistent> {
    if holds { Ok(()) } else { Err(Inconsistent { entry, why: why.to_owned() }) }
}

/// First unknowns of blocks: from 0, each block with at least one, no more than fit in memory.
pub(crate) fn check_starts(entry: &'static str, starts: &[usize]) -> Result<(), Inconsistent> {
    ensure(entry, starts.first() == Some(&0), "they do not begin with 0")?;
    ensure(entry, starts.windows(2).all(|w| w[0] < w[1]), "they do not ascend")?;
    ensure(entry, starts.last().is_none_or(|n| *n < u32::MAX as usize), "there are too many unknowns")
}
