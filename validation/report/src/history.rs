//! Pages of larger runs that are kept with the code: history beside the run of today, without verdicts of it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::output::Part;
use crate::record::{PageRecord, write};
use crate::{PageError, PageOutput, Plot, Table};

/// Folder in the repository.
const FOLDER: &str = "benches/records/pages";
/// Most points of a curve that is kept; others are left out evenly.
const POINTS: usize = 200;

/// A page of a larger run: its record, figures and tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptPage {
    /// Claims, machine, revision and date.
    pub record: PageRecord,
    /// Figures.
    pub plots: Vec<Plot>,
    /// Tables.
    pub tables: Vec<Table>,
}

impl KeptPage {
    /// Its first number that the paper states as well, in words.
    pub(crate) fn published(&self) -> Option<String> {
        let r = &self.record;
        let claim = r.headline().filter(|c| c.measured.is_some())?;
        let paper = claim.paper.as_ref()?;
        let own = format!("{} {}", claim.measured_text, claim.unit);
        let day = r.date.split('T').next().unwrap_or_default();
        let of = format!("with --{}, {day}, revision {}", r.budget.word(), r.environment.revision);
        Some(format!("{}: paper {paper}, recorded {} ({of})", claim.claim, own.trim()))
    }
}

fn path(root: &Path, id: &str) -> PathBuf {
    root.join(FOLDER).join(id).with_extension("json")
}

/// Keeps a page with the code, with five digits of each number of its curves.
///
/// # Errors
/// The file system.
pub(crate) fn keep(root: &Path, record: &PageRecord, out: &PageOutput) -> Result<(), PageError> {
    let (mut plots, mut tables) = (Vec::new(), Vec::new());
    for part in &out.parts {
        match part {
            Part::Plot(p) => plots.push(thin(p.clone())),
            Part::Table(t) => tables.push(t.clone()),
            _ => {}
        }
    }
    let page = KeptPage { record: record.clone(), plots, tables };
    let json = serde_json::to_string(&page).map_err(PageError::from_error)?;
    write(&path(root, &record.id), &(json + "\n"))
}

/// The page as it was kept; none without a file.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn kept(root: &Path, id: &str) -> Result<Option<KeptPage>, PageError> {
    let path = path(root, id);
    if !path.is_file() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|source| PageError::Io { path: path.display().to_string(), source })?;
    let page = serde_json::from_str(&text).map_err(|e| {
        PageError::Run(format!("{}: {e}; `reproduce {id} --full --keep` writes it anew", path.display()))
    })?;
    Ok(Some(page))
}

fn thin(mut plot: Plot) -> Plot {
    for s in &mut plot.series {
        let stride = s.points.len().div_ceil(POINTS).max(1);
        let last = s.points.last().copied();
        s.points = s.points.iter().copied().step_by(stride).collect();
        s.points.extend(last.filter(|l| s.points.last().is_some_and(|p| p != l)));
        s.points.iter_mut().for_each(|p| *p = (rounded(p.0), rounded(p.1)));
    }
    plot
}

fn rounded(x: f64) -> f64 {
    format!("{x:.4e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::Mark;

    #[test]
    fn conformance_curves_are_thinned_with_both_ends() {
        let mut plot = Plot::new("a", "", "x", "y");
        let points: Vec<(f64, f64)> = (0..1001).map(f64::from).map(|x| (x, x.sin() / 3.0 + 1e3)).collect();
        plot.add("long", Mark::Line, points.clone());
        plot.add("short", Mark::Points, points[..3].to_vec());
        let thinned = thin(plot);
        let long = &thinned.series[0].points;
        assert!(long.len() <= POINTS + 1 && long[0].0 == 0.0 && long.last().unwrap().0 == 1000.0);
        assert!(long.iter().all(|p| points.iter().any(|q| p.0 == q.0 && (p.1 - q.1).abs() <= 0.05)));
        assert_eq!(thinned.series[1].points.len(), 3);
    }
}
