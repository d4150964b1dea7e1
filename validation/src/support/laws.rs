//! Law against solver: each law on a family of step problems under each solver, by the deviation from the reference.

use std::fmt::Write;

use signorini_report::PageError;

use crate::agreement::{Answer, SOLVERS, rows};

/// The smallest power of ten that is not below x.
fn power_of_ten(x: f64) -> i32 {
    x.log10().ceil() as i32
}

/// Two digits or three.
fn short(x: f64) -> String {
    match x {
        ..10.0 => format!("{x:.1}"),
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
        Answer::Solved { deviation, bound, evaluated: true, .. } => {
            format!("{} of at most {}", short(*deviation), short(*bound))
        }
        Answer::Solved { bound, .. } => format!("below 1e{}", power_of_ten(*bound)),
    }
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
