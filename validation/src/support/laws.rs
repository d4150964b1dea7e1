//! Law against solver: each law on a family of step problems under each solver, by the deviation from the reference.

use std::fmt::Write;

use signorini_core::LawPool;
use signorini_laws::{CONTACT_LAWS, contact_pool};
use signorini_report::PageError;

use crate::agreement::{Answer, How, SOLVERS, rows};

/// The smallest power of ten that is not below x.
fn power_of_ten(x: f64) -> i32 {
    x.log10().ceil() as i32
}

/// One digit to three.
fn short(x: f64) -> String {
    match x {
        0.0..0.1 => format!("{x:.0e}"),
        0.1..10.0 => format!("{x:.1}"),
        10.0..1e3 => format!("{x:.0}"),
        _ => format!("{x:.1e}"),
    }
}

/// An answer in words.
pub(super) fn cell(answer: &Answer) -> String {
    match answer {
        Answer::Refused => "refused".into(),
        Answer::Ended(status) => format!("**{status:?}**"),
        Answer::Solved { deviation, bound, .. } if !answer.holds() => {
            format!("**{deviation:.1e}, beyond {bound:.1e}**")
        }
        Answer::Solved { bound, how: How::Converged, .. } => format!("below 1e{}", power_of_ten(*bound)),
        Answer::Solved { deviation, bound, how, .. } => {
            let mark = match how {
                How::Unsettled if *deviation > 1.0 => " ‡ §",
                How::Unsettled => " §",
                How::Evaluated | How::Settled if *deviation > 1.0 => " ‡",
                _ => "",
            };
            format!("{} of at most {}{mark}", short(*deviation), short(*bound))
        }
    }
}

/// A row per contact law: whether a system takes it, or why not, and a cell per solver.
///
/// # Errors
/// A query that fails.
pub(super) fn by_contact_law(
    solvers: &[&str],
    refusal: impl Fn(&dyn LawPool) -> Result<Option<String>, PageError>,
    cell: impl Fn(&str, &str) -> Result<String, PageError>,
) -> Result<String, PageError> {
    let mut out = format!("| contact law | taken | {} |\n|---|---|", solvers.join(" | "));
    out += &"---|".repeat(solvers.len());
    for law in CONTACT_LAWS {
        let refused = refusal(&*contact_pool(law).map_err(PageError::from_error)?)?;
        let taken = refused.as_ref().map_or_else(|| "yes".into(), |why| format!("refused: {why}"));
        _ = write!(out, "\n| `{law}` | {taken} |");
        for s in solvers {
            let answer = if refused.is_none() { cell(law, s)? } else { "–".into() };
            _ = write!(out, " {answer} |");
        }
    }
    out.push('\n');
    Ok(out)
}

/// The table: a row per law, a column per solver.
pub(super) fn table() -> Result<String, PageError> {
    let mut out = String::from("| law | rows | paper | convex | barrier |");
    for s in SOLVERS {
        _ = write!(out, " {s} |");
    }
    out += "\n|---|---|---|---|---|";
    out += &"---|".repeat(SOLVERS.len());
    let word = |b: bool| if b { "yes" } else { "no" };
    for law in rows()? {
        let p = law.properties;
        _ = write!(
            out,
            "\n| `{}` | {} | `{}` | {} | {} |",
            law.key,
            law.dim,
            law.paper,
            word(p.convex),
            word(p.barrier)
        );
        law.answers.iter().for_each(|a| _ = write!(out, " {} |", cell(a)));
    }
    out.push('\n');
    Ok(out)
}
