//! Counts of the outcomes, and a table of the mutants that survived.

use std::collections::BTreeMap;
use std::path::Path;

use crate::run::verdicts;
use crate::{Manifest, Outcome, read, results};

pub fn show(copy: &Path) -> Outcome<()> {
    let manifest: Manifest = read(&results(copy).join("mutants.json"))?;
    let verdicts = verdicts(copy);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut left: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for m in &manifest.mutants {
        let outcome = match verdicts.get(&m.key()) {
            _ if !m.compiles => "refused by the compiler",
            Some(v) => &v.outcome,
            None => "not run",
        };
        *counts.entry(outcome).or_default() += 1;
        if outcome == "survived" || outcome == "unreached" {
            let seen = if outcome == "unreached" { " (unreached)" } else { "" };
            let text = format!("{}: `{}`: {}{seen}", m.line, m.source, m.change);
            left.entry((&m.file, &m.function)).or_default().push(text);
        }
    }
    println!("{} mutants; {} more in constants", manifest.mutants.len(), manifest.constant);
    for (outcome, n) in counts {
        println!("{n:6} {outcome}");
    }
    for ((file, function), texts) in left {
        println!("\n{file} {function}");
        texts.iter().for_each(|t| println!("  {t}"));
    }
    Ok(())
}
