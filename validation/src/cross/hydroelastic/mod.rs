use signorini_core::{AcceptedStep, AdvanceReport, State, StepObserver};
use signorini_report::{Context, Page, PageError, PageOutput};
use signorini_run::Method;
use signorini_scene::Scene;

use super::failed;
use crate::motion::Motion;

mod closed_forms;
mod grips;
mod paper_scenes;
mod plates;
mod record;

/// Contact over areas: closed forms, the scenes of kurtz2025cenic, fig. 6, grips, plates and Drake.
pub(super) struct HydroelasticContact;

/// Accuracies of error control.
const ACCURACIES: [f64; 4] = [1e-1, 1e-2, 1e-3, 1e-4];
const GRAVITY: f64 = 9.81;

impl Page for HydroelasticContact {
    fn id(&self) -> &'static str {
        "cross/hydroelastic"
    }
    fn title(&self) -> &'static str {
        "Contact over areas (hydroelastic)"
    }
    fn lead(&self) -> &'static str {
        "Bodies with pressure fields meet on surfaces. Their forces are compared with closed forms, and a cylinder, a gripper with a wedged peg, and plates are run."
    }
    fn cost(&self) -> [f64; 3] {
        [6.0, 12.0, 12.0]
    }
    fn run(&self, ctx: &Context) -> Result<PageOutput, PageError> {
        let mut out = PageOutput::new([
            "Each compliant body has a pressure field: the pressure is the hydroelastic modulus times the extent of depth, which is 0 on the \
             surface and 1 where the body is deepest. Two compliant bodies meet where their pressures are equal. A compliant and a rigid body meet \
             on the surface of the rigid one. The contact force is the integral of the pressure over this area.",
            "The area consists of polygons. Each polygon is a contact of the law `lagged` with the force p A and the stiffness g A, where g is the \
             gradient of the pressure along the normal. papers/kurtz2025cenic/README.md has the derivations.",
        ]);
        closed_forms::run(ctx, &mut out)?;
        let record = record::Record::read(&ctx.root)?;
        paper_scenes::run(ctx, &record, &mut out)?;
        grips::run(ctx, &mut out)?;
        plates::run(ctx, &mut out)?;
        record.show(&mut out);
        Ok(out)
    }
}

/// Accepted states of a run and its work.
struct Path {
    t: Vec<f64>,
    q: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    report: AdvanceReport,
    motion: Option<Motion>,
}

impl StepObserver for Path {
    fn accepted(&mut self, step: &AcceptedStep<'_>) {
        self.keep(step.x1);
        if let Some(motion) = &mut self.motion {
            motion.accepted(step);
        }
    }
}

impl Path {
    fn keep(&mut self, x: &State) {
        self.t.push(x.t);
        self.q.push(x.q.clone());
        self.v.push(x.v.clone());
    }

    /// A run from the first keyframe, or from the reference configuration where there is none; the state is changed before.
    fn run(
        scene: &Scene,
        method: &Method,
        end: f64,
        filmed: bool,
        change: impl FnOnce(&mut State),
    ) -> Result<Self, PageError> {
        let mut sys = method.system(scene).map_err(failed)?;
        let mut x = sys.initial_state(scene.keyframes.first()).map_err(failed)?;
        change(&mut x);
        let motion = filmed.then(|| Motion::starting_at(scene, method, &x, end)).transpose()?;
        let report = AdvanceReport::default();
        let mut path = Self { t: Vec::new(), q: Vec::new(), v: Vec::new(), report, motion };
        path.keep(&x);
        let mut integrator = method.integrator().map_err(failed)?;
        path.report = integrator.advance(&mut sys, &mut x, end, &mut path).map_err(failed)?;
        Ok(path)
    }

    fn last(&self) -> usize {
        self.t.len() - 1
    }

    /// The smallest value of a function of the positions over all accepted states.
    fn lowest(&self, of: impl Fn(&[f64]) -> f64) -> f64 {
        self.q.iter().map(|q| of(q)).fold(f64::INFINITY, f64::min)
    }

    /// A curve of at most 600 states.
    fn curve(&self, of: impl Fn(&[f64], &[f64]) -> f64) -> Vec<(f64, f64)> {
        let stride = self.t.len().div_ceil(600).max(1);
        let mut rows: Vec<usize> = (0..self.t.len()).step_by(stride).collect();
        if rows.last() != Some(&self.last()) {
            rows.push(self.last());
        }
        rows.into_iter().map(|i| (self.t[i], of(&self.q[i], &self.v[i]))).collect()
    }
}

/// Default and paper mode of error control.
fn modes(accuracy: f64) -> Result<[(&'static str, Method); 2], PageError> {
    let method = Method::cenic(accuracy);
    let paper = Method::cenic(accuracy).in_paper_mode().map_err(failed)?;
    Ok([("default", method), ("paper mode", paper)])
}
