//! Watches whether the gains of an explicit run stay below the bound of stability.

use signorini_comfree::ComfreeSolver;
use signorini_core::{AcceptedStep, HeldInputs, ProblemError, Slot, System};
use signorini_laws::{DualCone, Gains};
use signorini_multibody::RigidSystem;
use signorini_scene::Scene;

use crate::{Method, MethodError, PHYSICAL};

/// Steps with contacts between two looks, unless there are more contacts than ever before.
const EVERY: usize = 16;
/// Iterations of the power method: the estimate is from below, a few per cent where the largest eigenvalues lie close together.
const ITERATIONS: usize = 40;
/// A speed at which every facet of a contact acts \[m/s\].
const CLOSING: f64 = 1e6;

/// The largest gain of a run, a + b = λ_max of A⁻¹ Σ G a aᵀ, with all facets of the contacts that penetrate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestGain {
    /// Time \[s\].
    pub t: f64,
    /// a + b = λ_max R (d + k h). Above 1 a contact that exists only while it penetrates finds no rest.
    pub sum: f64,
    /// This sum without the cap over that with it; 1 where nothing is lowered.
    pub lowered: f64,
    /// 2a + 3b = λ_max R (2 d + 3 k h), stable below 4; for laws other than the dual cone 3 (a + b), for springs alone.
    pub bound: f64,
}

/// Evaluates [`ComfreeSolver::gain_at`] beside a run: at every 16th step with contacts and whenever there are more of them than before.
///
/// None of it is needed where the law caps its gains; with gains of one's own and the cap, it tells by how much they are lowered.
pub struct GainWatch {
    /// The system with gains as given, without cap.
    sys: RigidSystem,
    solver: ComfreeSolver,
    gains: Option<Gains>,
    /// The system of the run, when its law caps.
    capped: Option<RigidSystem>,
    /// Shortest relaxation time of a pair of geoms \[s\].
    relaxation: f64,
    most_contacts: u32,
    steps: usize,
    largest: LargestGain,
    v_c: Vec<f64>,
}

impl GainWatch {
    /// For runs of a scene under a method; None where gains cannot pass the bound: other methods, capped gains of the default.
    ///
    /// # Errors
    /// As [`Method::system`].
    pub fn new(scene: &Scene, method: &Method) -> Result<Option<Self>, MethodError> {
        let Some(comfree) = method.as_comfree() else { return Ok(None) };
        let (mut looked_at, mut capped) = (comfree.clone(), None);
        if let Some(law) = comfree.cone().filter(|law| law.cap) {
            if matches!(law.gains, Gains::Recovery { .. }) || law.gains == PHYSICAL {
                return Ok(None);
            }
            capped = Some(method.system(scene)?);
            looked_at = looked_at.with_cone(|law| DualCone { cap: false, ..law });
        }
        let gains = comfree.gains();
        let sys = Method::ComFree(looked_at).system(scene)?;
        let relaxation = sys.kinds_of_pairs().into_iter().map(|p| p.material.relaxation_time);
        Ok(Some(Self {
            relaxation: relaxation.fold(f64::INFINITY, f64::min).min(1e6),
            solver: ComfreeSolver::default(),
            gains,
            capped,
            most_contacts: 0,
            steps: 0,
            largest: LargestGain::default(),
            v_c: Vec::new(),
            sys,
        }))
    }

    /// Looks at an accepted step that had the inputs `held`; true when the largest gain has grown.
    pub fn look(&mut self, step: &AcceptedStep<'_>, held: HeldInputs<'_>) -> bool {
        let contacts = step.report.contacts;
        if contacts == 0 {
            return false;
        }
        let more = contacts > self.most_contacts;
        self.most_contacts = self.most_contacts.max(contacts);
        self.steps += 1;
        if !more && !self.steps.is_multiple_of(EVERY) {
            return false;
        }
        let dt = step.last.dt;
        let dual_cone = self.gains.is_some();
        let mut sum = |sys: &mut RigidSystem| {
            sys.control_mut().copy_from_slice(held.control);
            sys.mocap_poses_mut().copy_from_slice(held.mocap);
            sum(sys, step, dual_cone, &mut self.solver, &mut self.v_c)
        };
        // The run itself has solved this problem, so it cannot fail.
        let Ok(given) = sum(&mut self.sys) else { return false };
        let grown = given > self.largest.sum;
        if grown {
            let used = self.capped.as_mut().and_then(|s| sum(s).ok());
            self.largest = LargestGain {
                t: step.x0.t,
                sum: given,
                lowered: used.map_or(1.0, |used| given / used),
                bound: given * self.weight(dt),
            };
        }
        grown
    }

    /// (2a + 3b)/(a + b).
    fn weight(&self, dt: f64) -> f64 {
        let (a, b) = match self.gains {
            Some(Gains::PerStep { k, d }) => (d, k * dt),
            Some(Gains::Physical { kappa, c }) => (c, kappa * dt),
            Some(Gains::Recovery { beta }) => (1.0 - beta, beta),
            Some(Gains::Material) => (self.relaxation, dt),
            None => (0.0, 1.0),
        };
        if a + b > 0.0 { (2.0 * a + 3.0 * b) / (a + b) } else { 2.0 }
    }

    /// The largest gain so far.
    pub fn largest(&self) -> LargestGain {
        self.largest
    }

    /// Warning of gains beyond a bound; None while they are below all.
    pub fn warning(&self) -> Option<String> {
        let LargestGain { t, sum, lowered, bound } = self.largest;
        if self.gains.is_none() {
            let remedy =
                "this law is too stiff for an explicit evaluation; use the law dual_cone or the solver icf";
            return (sum > 4.0 / 3.0)
                .then(|| format!("gains: lambda_max reached {sum:.3e} > 4/3 at t = {t:.4} s: {remedy}"));
        }
        if self.capped.is_some() {
            // The cap is exact but for round-off.
            return (lowered > 1.0 + 1e-9).then(|| {
                format!(
                    "gains: the cap lowers those of some contacts, {lowered:.3e} times at t = {t:.4} s, so that lambda_max R (d + k h) stays below 1"
                )
            });
        }
        if sum <= 1.0 {
            return None;
        }
        Some(if bound > 4.0 {
            format!(
                "gains: lambda_max R (2 d + 3 k h) reached {bound:.2} > 4 at t = {t:.4} s: unstable; lower k, d or the step, or leave out the paper mode, \
                 whose gains are not capped"
            )
        } else {
            format!(
                "gains: lambda_max R (d + k h) reached {sum:.2} > 1 at t = {t:.4} s: stable, but contacts at rest part and hop; lower k, d or the step"
            )
        })
    }
}

/// λ_max of the problem of a step; with the dual cone all facets of the contacts that penetrate act.
fn sum(
    sys: &mut RigidSystem,
    step: &AcceptedStep<'_>,
    dual_cone: bool,
    solver: &mut ComfreeSolver,
    v_c: &mut Vec<f64>,
) -> Result<f64, ProblemError> {
    let dt = step.last.dt;
    sys.prepare(Slot::Start, step.x0, dt)?;
    let p = sys.problem(Slot::Start, dt)?;
    let free = p.free_velocity().to_vec();
    p.relinearize(&free)?;
    v_c.clear();
    v_c.extend_from_slice(p.contact_velocities());
    if dual_cone {
        for c in p.contacts().iter().filter(|c| c.gap < 0.0) {
            let (row, dim) = p.pools().rows(c.constraint as usize);
            v_c[row..row + dim].fill(0.0);
            v_c[row] = -CLOSING;
        }
    }
    solver.gain_at(p, v_c, ITERATIONS)
}
