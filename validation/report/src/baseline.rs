//! Claims of the baseline that hold no more.

use std::collections::BTreeSet;

use crate::Verdict;
use crate::record::PageRecord;

/// Whether a claim is of a page, by their ids.
pub(crate) fn is_of(claim: &str, page: &str) -> bool {
    claim.strip_prefix(page).is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
}

/// Claims of a page that are in the baseline and do not hold now: they deviate, are skipped, or are not made any more. Where the models and
/// reference files are absent (`complete` is false), a page with skipped claims need not make them all.
pub(crate) fn lost(r: &PageRecord, baseline: &BTreeSet<String>, complete: bool) -> Vec<String> {
    let excused = !complete && r.count(Verdict::Skipped) > 0;
    let of_page = |id: &&String| is_of(id, &r.id);
    let kept = |id: &str| match r.claims.iter().find(|c| c.id == id).map(|c| c.verdict) {
        Some(Verdict::Holds) => true,
        Some(Verdict::Deviates) => false,
        Some(Verdict::Skipped) | None => excused,
    };
    baseline.iter().filter(of_page).filter(|id| !kept(id)).cloned().collect()
}
