//! Solvers of step problems by name.

use signorini_comfree::{ComfreeSolver, Sweeps};
use signorini_core::ContactSolver;
use signorini_icf::IcfSolver;
use signorini_ipc::IpcSolver;
use signorini_reference::ReferenceSolver;
use signorini_report::PageError;

/// Names of the solvers in the tables.
pub(super) const SOLVERS: [&str; 4] = ["icf", "comfree", "projected_newton", "reference"];

/// A solver by its name.
pub(super) fn solver(name: &str) -> Result<Box<dyn ContactSolver>, PageError> {
    Ok(match name {
        "icf" => Box::new(IcfSolver::default()),
        "comfree" => Box::new(ComfreeSolver::with_sweeps(Sweeps::exactly(1))),
        "projected_newton" => Box::new(IpcSolver::default()),
        "reference" => Box::new(ReferenceSolver::default()),
        _ => return Err(PageError::Run(format!("no solver is called {name}"))),
    })
}
