//! Derivative-free search for three positive parameters, for identification.

use std::cell::RefCell;

use argmin::core::{CostFunction, Executor, State};
use argmin::solver::neldermead::NelderMead;
use argmin_math::{ArgminAdd, ArgminMul, ArgminSub};
use signorini_core::na::Vector3;
use signorini_report::PageError;

/// A point of the search: logarithms of the parameters, with the arithmetic that argmin asks for.
#[derive(Clone, Debug)]
struct Logs(Vector3<f64>);

impl ArgminAdd<Logs, Logs> for Logs {
    fn add(&self, other: &Logs) -> Logs {
        Logs(self.0 + other.0)
    }
}

impl ArgminSub<Logs, Logs> for Logs {
    fn sub(&self, other: &Logs) -> Logs {
        Logs(self.0 - other.0)
    }
}

impl ArgminMul<f64, Logs> for Logs {
    fn mul(&self, factor: &f64) -> Logs {
        Logs(self.0 * *factor)
    }
}

struct Search<F> {
    cost: F,
    history: RefCell<Vec<f64>>,
}

impl<F: Fn(&[f64; 3]) -> Result<f64, PageError>> CostFunction for &Search<F> {
    type Param = Logs;
    type Output = f64;
    fn cost(&self, p: &Logs) -> Result<f64, argmin::core::Error> {
        let c = (self.cost)(&p.0.into())?;
        self.history.borrow_mut().push(c);
        Ok(c)
    }
}

/// Result of [`nelder_mead`].
pub(crate) struct Found {
    /// Logarithms of the parameters.
    pub logs: [f64; 3],
    /// Cost of every evaluation in order.
    pub history: Vec<f64>,
    /// Number of iterations.
    pub iterations: u64,
}

/// Start and end of [`nelder_mead`].
pub(crate) struct Simplex {
    /// Logarithms of the first point.
    pub start: [f64; 3],
    /// Distance of the other corners from it, each along one axis.
    pub edge: f64,
    /// Standard deviation of the costs of the corners that ends the search.
    pub tolerance: f64,
    /// Most iterations.
    pub most: u64,
}

/// Smallest cost over the logarithms of three parameters by the method of Nelder and Mead.
///
/// # Errors
/// That of the cost; a tolerance that is not positive.
pub(crate) fn nelder_mead(
    simplex: &Simplex,
    cost: impl Fn(&[f64; 3]) -> Result<f64, PageError>,
) -> Result<Found, PageError> {
    let search = Search { cost, history: RefCell::default() };
    let start = Vector3::from(simplex.start);
    let corners = (0..3).map(|i| Logs(start + simplex.edge * Vector3::ith(i, 1.0)));
    let points = [Logs(start)].into_iter().chain(corners).collect();
    let solver =
        NelderMead::new(points).with_sd_tolerance(simplex.tolerance).map_err(PageError::from_error)?;
    let result = Executor::new(&search, solver)
        .configure(|s| s.max_iters(simplex.most))
        .run()
        .map_err(PageError::from_error)?;
    let logs = result.state.get_best_param().map_or(start, |p| p.0).into();
    let iterations = result.state.get_iter();
    Ok(Found { logs, history: search.history.take(), iterations })
}
