//! Every law of the registry under every solver, measured against the solution of the problem that it solves, on a random family of step problems.
//!
//! ```text
//! deviation = ‖v − v̂‖_A / ‖v* − v̂‖_A,   v̂ the reference's minimiser of Φ(v) = ½‖v − v*‖²_A + L(v)
//! ```
//! Theory bounds it. [`Solved`] has the bounds of solvers that converge and of one evaluation, [`Uncompliant`] that of several sweeps, which end at contact without compliance in place of v̂.

mod answer;
mod family;
mod solved;
mod uncompliant;

use std::collections::BTreeSet;

use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::{ContactSolver, LawProperties};
use signorini_icf::IcfSolver;
use signorini_ipc::IpcSolver;
use signorini_laws::registry;
use signorini_reference::ReferenceSolver;
use signorini_report::PageError;

pub(crate) use answer::{Answer, How};
use family::{Family, laws};
pub(crate) use solved::Solved;
pub(crate) use uncompliant::{Stops, Uncompliant};

/// Names of the solvers of step problems, in the order of the tables.
pub(crate) const SOLVERS: [&str; 5] = ["icf", ONCE, SWEPT, "projected_newton", "reference"];

/// The solver that evaluates a law once: ComFree's step.
pub(crate) const ONCE: &str = "ComFree, one evaluation";

/// The solver that sweeps over the multipliers of ComFree's impedance until they have settled.
pub(crate) const SWEPT: &str = "projected Gauss–Seidel";

/// Problems per law.
pub(crate) const PROBLEMS: u64 = 12;
/// A solver by its name.
///
/// # Errors
/// A name that is not among [`SOLVERS`].
pub(crate) fn solver(name: &str) -> Result<Box<dyn ContactSolver>, PageError> {
    Ok(match name {
        "icf" => Box::new(IcfSolver::default()),
        ONCE => Box::new(ComfreeSolver::with_sweeps(Sweeps::exactly(1))),
        SWEPT => Box::new(ComfreeSolver::with_sweeps(Sweeps::default())),
        "projected_newton" => Box::new(IpcSolver::default()),
        "reference" => Box::new(ReferenceSolver::default()),
        _ => return Err(PageError::Run(format!("no solver is called {name}"))),
    })
}

/// A law of the registry and the answers of [`SOLVERS`].
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub key: &'static str,
    pub dim: usize,
    pub paper: &'static str,
    pub properties: LawProperties,
    pub answers: Vec<Answer>,
    /// Part of the problems in which the law does something.
    pub acting: f64,
}

/// Every law of the registry under every solver.
///
/// # Errors
/// A law of the registry without an example here, or that acts in no problem; a failure that is no refusal.
pub(crate) fn rows() -> Result<Vec<Row>, PageError> {
    let mut out = Vec::new();
    for sample in laws()? {
        let law = (sample.fill)(&[])?;
        let mut answers: [Option<Answer>; SOLVERS.len()] = [None; SOLVERS.len()];
        let mut acting = 0.0;
        for seed in 0..PROBLEMS {
            let family = Family::new(seed, sample.dim)?;
            let mut acts = false;
            for (name, worst) in SOLVERS.iter().zip(&mut answers) {
                // Sweeps move multipliers: every solver has a problem of its own.
                let (mut problem, solver) = (family.problem(&sample.fill)?, &mut *solver(name)?);
                let answer = match &sample.stops {
                    Some(stops) if *name == SWEPT => {
                        let [mut own, mut stiff] = [family.problem(&stops[0])?, family.problem(&stops[1])?];
                        match Uncompliant::new(&mut own, &mut stiff)? {
                            Some(mut limit) => limit.answer(solver, &mut problem)?,
                            None => continue,
                        }
                    }
                    _ => match Solved::new(&mut problem)? {
                        Some(mut solved) => solved.answer(solver)?,
                        None => continue,
                    },
                };
                acts |= *name != SWEPT;
                *worst = Some(worst.map_or(answer, |w| w.worse(answer)));
            }
            acting += f64::from(u8::from(acts)) / PROBLEMS as f64;
        }
        let answers: Option<Vec<Answer>> = answers.into_iter().collect();
        let idle = || PageError::Run(format!("law {} acts in no problem of its family", law.key()));
        out.push(Row {
            key: law.key(),
            dim: sample.dim,
            paper: law.paper(),
            properties: law.properties(),
            answers: answers.ok_or_else(idle)?,
            acting,
        });
    }
    let known: BTreeSet<(String, usize)> = registry().laws().map(|(k, d)| (k.to_owned(), d)).collect();
    let here: BTreeSet<(String, usize)> = out.iter().map(|r| (r.key.to_owned(), r.dim)).collect();
    if known != here {
        return Err(PageError::Run(format!(
            "the laws of the registry and of this table differ: {known:?}, {here:?}"
        )));
    }
    Ok(out)
}
