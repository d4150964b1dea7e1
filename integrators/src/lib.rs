//! One-step schemes, step doubling as a wrapper, and step-size control; generic over the contact solver and the system.
//!
//! ```
//! use signorini_core::na::Vector3;
//! use signorini_core::{Integrator, NoObserver, Pool};
//! use signorini_icf::IcfSolver;
//! use signorini_integrators::{ContactStep, FixedStep, cenic};
//! use signorini_testkit::toys::{Body, FreeBodies, Ground, Slider, SoftContact};
//!
//! // A ball dropped from 0.4 m onto the ground, beside a mass on a rail that stands still.
//! let rail = Slider { mass: 1.0, stiffness: 0.0, damping: 0.0, stops: [-1.0, 1.0], stop: [1.0, 0.0] };
//! let law = Pool::<SoftContact, 3>::new(SoftContact);
//! let mut system = FreeBodies::new(vec![Body::sphere(0.1, 1.0)], rail, Ground::default(), &law)?;
//! let start = system.rest(&[Vector3::new(0.0, 0.0, 0.5)]);
//!
//! let (mut controlled, mut fixed) = (start.clone(), start);
//! let report = cenic(IcfSolver::default(), 1e-3).advance(&mut system, &mut controlled, 0.5, &mut NoObserver)?;
//! FixedStep::new(ContactStep::new(IcfSolver::default()), 1e-3)?.advance(&mut system, &mut fixed, 0.5, &mut NoObserver)?;
//! assert_eq!((controlled.t, fixed.t), (0.5, 0.5));
//! assert!(report.steps < 500); // long steps in flight, short ones at the impact
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The pieces
//!
//! | piece | is | does |
//! |---|---|---|
//! | [`ContactStep`] | a [`PreparedStep`] | prepare → problem → solve → commit: one solve, order 1 |
//! | [`StepDoubling`] | a wrapper around any [`PreparedStep`] | one full and two half steps; propagates the halves, measures the difference |
//! | [`FixedStep`] | an integrator over any one-step scheme | equal steps, no slivers at the end of an interval |
//! | [`Adaptive`] | an integrator over any scheme with an error estimate | the CENIC [`StepController`] |
//! | [`cenic`], [`cenic_with`] | `Adaptive<StepDoubling<ContactStep<S>>>` | error-controlled contact under any solver |
//!
//! # Step doubling
//!
//! Let Φ_h be one contact solve and the position update q ⊕ h·N·v, a scheme of order 1. Its local error is
//!
//! ```text
//! Φ_h(x₀) = x(t+h) + C h² + O(h³)
//! Φ_{h/2}(Φ_{h/2}(x₀)) = x(t+h) + ½ C h² + O(h³)                   kurtz2025cenic, eq. (22)
//! ```
//!
//! so the difference e = x_full − x is ½ C h²: as large as the local error of the propagated solution (the two half steps), and of
//! order 2 in h. Both steps that leave x₀ share the geometry, the inertia and the Jacobians prepared there; only h differs. A
//! rejected attempt keeps them as well. An attempt costs two geometry queries and three solves, of which the second and
//! third start close to their answers: (v₀ + v_full)/2 and v_full.
//!
//! # How the next step is chosen
//!
//! With e ∝ h² the step that would have met the accuracy a exactly is h·(a/‖e‖)^½; a safety factor of 0.9 leaves room for the
//! neglected terms, and growth and shrinkage are bounded ([`StepController`] lists every constant). An attempt is accepted when the
//! step it proposes is not smaller than itself.
//!
//! # Meaning of accuracy
//!
//! The accuracy bounds the error of **one step** in the norm of [`System::distance`](signorini_core::System::distance) (for
//! rigid systems: the largest position error \[m\] and \[rad\]); it does not bound the error of the trajectory. Over an interval T
//! the scheme takes about T/h steps whose errors of a = C h²/2 add up to T·a/h, and h ∝ √a: **the error of the trajectory goes
//! with the square root of the accuracy**. One hundred times less error takes ten thousand times the accuracy and a hundred
//! times the steps. At a stiff impact the constant is large; compare with a reference of known error, not with a finer run of the
//! scheme itself.
//!
//! A solve need not be better than the step it serves: the tolerance of the solver is `tolerance_factor`·a with error control and
//! 1e-8 without.
//!
//! A guess that already meets the tolerance is taken as it is. Where warm starts are good and steps many, N steps of a motion without
//! contact may therefore be off by N tolerances: 1e-8 is not round-off. Order fits should stay above that.
//!
//! # Failure
//!
//! A trial whose problem or solver fails, or whose error estimate is not finite, is rejected and tried again with a smaller step, a
//! bounded number of times. A solve that does not converge is not a failure: it is counted in the report of the interval with the
//! largest ratio of residual and tolerance. After an error the state is the last accepted one.

mod adaptive;
mod contact_step;
mod fixed_step;
mod interval;
mod next_step;
mod scheme;
mod step_controller;
mod step_doubling;

pub use adaptive::{Adaptive, cenic, cenic_with};
pub use contact_step::ContactStep;
pub use fixed_step::FixedStep;
pub use next_step::NextStep;
pub use scheme::{Leg, PreparedStep};
pub use step_controller::{Floor, StepController, Verdict};
pub use step_doubling::StepDoubling;
