//! Steps that must converge.

use signorini_core::{OneStep, State};
use signorini_integrators::ContactStep;
use signorini_ipc::{AffineSystem, IpcSolver};

/// Takes `steps` of `dt` \[s\], each of which converges, and shows the state after each with its number, from one.
pub(crate) fn walk(
    s: &mut AffineSystem,
    mut x: State,
    (dt, steps): (f64, u32),
    mut step: ContactStep<IpcSolver>,
    mut each: impl FnMut(u32, &AffineSystem, &State),
) -> State {
    let mut next = State::default();
    for k in 1..=steps {
        let report = step.step(s, &x, dt, false, &mut next).unwrap();
        assert_eq!(report.unconverged, 0, "step {k}");
        std::mem::swap(&mut x, &mut next);
        each(k, s, &x);
    }
    x
}
