//! No heap allocation in a warm step: scheme, step doubling, error control and the frozen toy.

mod common;

use common::{free_bodies, ground};
use signorini_core::na::Vector3;
use signorini_core::*;
use signorini_icf::{IcfOptions, IcfSolver};
use signorini_integrators::{ContactStep, FixedStep, StepDoubling, cenic};
use signorini_testkit::allocations::{CountingAllocator, allocations};
use signorini_testkit::toys::{Body, FreeBodies};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn world() -> Result<(FreeBodies, State), ProblemError> {
    let bodies = vec![Body::sphere(0.1, 1.0), Body::cuboid(Vector3::new(0.1, 0.05, 0.2), 2.0)];
    let sys = free_bodies(bodies, ground(1e4, 10.0, 0.5, 1e-3))?;
    let mut x = sys.rest(&[Vector3::new(0.0, 0.0, 0.12), Vector3::new(1.0, 0.0, 0.21)]);
    x.v[0] = 1.0;
    x.v[6] = 0.3;
    Ok((sys, x))
}

/// A solver that returns the free velocity and allocates nothing, so that allocations are those of the integrator and the system.
struct Free;
impl ContactSolver for Free {
    fn name(&self) -> &'static str {
        "free"
    }
    fn supports(&self, _: &dyn StepProblem) -> Result<(), SolveError> {
        Ok(())
    }
    fn solve(
        &mut self,
        p: &mut dyn StepProblem,
        _: &[f64],
        _: Tolerance,
        out: &mut StepSolution,
    ) -> Result<SolveStatus, SolveError> {
        out.v.clear();
        out.v.extend_from_slice(p.free_velocity());
        p.relinearize(&out.v)?;
        p.value(&out.v)?;
        Ok(SolveStatus::Converged)
    }
}

#[test]
fn alloc_integrators_and_system_are_free_of_allocations_when_warm() {
    let (mut sys, mut x) = world().unwrap();
    let mut integrator = cenic(Free, 1e-3);
    integrator.advance(&mut sys, &mut x, 0.05, &mut NoObserver).unwrap();
    let n = allocations(|| {
        integrator.advance(&mut sys, &mut x, 0.1, &mut NoObserver).unwrap();
    });
    assert_eq!(n, 0, "error control");
    let mut fixed = FixedStep::new(StepDoubling::new(ContactStep::new(Free)), 1e-3).unwrap();
    fixed.advance(&mut sys, &mut x, 0.11, &mut NoObserver).unwrap();
    let n = allocations(|| {
        fixed.advance(&mut sys, &mut x, 0.13, &mut NoObserver).unwrap();
    });
    assert_eq!(n, 0, "fixed steps");
}

#[test]
fn alloc_icf_under_error_control_is_free_of_allocations_when_warm() {
    for islands in [false, true] {
        let (mut sys, mut x) = world().unwrap();
        let options = IcfOptions { islands, ..IcfOptions::default() };
        let mut integrator = cenic(IcfSolver::new(options), 1e-3);
        integrator.advance(&mut sys, &mut x, 0.5, &mut NoObserver).unwrap();
        let n = allocations(|| {
            integrator.advance(&mut sys, &mut x, 1.0, &mut NoObserver).unwrap();
        });
        assert_eq!(n, 0, "islands: {islands}");
    }
}
