//! A planner of one's own in an episode: of so many noisy copies of the plan in use, the best becomes the next plan (predictive sampling, Howell et al. 2022).
use std::path::Path;

use signorini_batch::{BatchOptions, CpuBatch};
use signorini_planning::tasks::CartPole;
use signorini_planning::{
    Basis, BasisKind, ControlTape, DrawKey, Episode, EpisodeOptions, Evaluate, Outcome, Plan, PlanError,
    PlanReport, Planner, SampleMap, Samples, TermWeights,
};
use signorini_run::Method;
use signorini_scene::{LoadOptions, Scene};

struct PredictiveSampling {
    plan: Plan,
    samples: usize,
    /// Standard deviation of the knots, in the unit of the controls.
    sigma: f64,
    seed: u64,
    replans: u32,
}

impl PredictiveSampling {
    fn new(samples: usize, sigma: f64, dt: f64, bounds: Vec<[f64; 2]>) -> Result<Self, PlanError> {
        let basis = Basis::new(BasisKind::Linear, 5, 50)?;
        let plan = Plan::constant(basis, dt, &vec![0.0; bounds.len()], bounds)?;
        if samples == 0 || plan.channels() == 0 {
            let why = "needs 1 or more samples and controls".into();
            return Err(PlanError::Option { what: "predictive sampling", why });
        }
        Ok(Self { plan, samples, sigma, seed: 1, replans: 0 })
    }
}

impl Planner for PredictiveSampling {
    fn reset(&mut self, time: f64, control: &[f64]) -> Result<(), PlanError> {
        check_time(time)?;
        let basis = self.plan.basis().clone();
        self.plan = Plan::constant(basis, self.plan.dt, control, self.plan.bounds.clone())?;
        (self.plan.start, self.replans) = (time, 0);
        Ok(())
    }

    fn plan(
        &mut self,
        now: f64,
        map: Option<&mut SampleMap<'_>>,
        evaluate: &mut Evaluate<'_>,
    ) -> Result<PlanReport, PlanError> {
        check_time(now)?;
        // The plan in use stays as it is until the new one is there.
        let mut plan = self.plan.clone();
        plan.move_to(now);
        let (basis, channels, n) = (plan.basis(), plan.channels(), plan.knots.len());
        let mut knots = plan.knots.repeat(self.samples);
        let mut noise = vec![0.0; n];
        // Sample 0 stays the plan in use.
        for (j, sample) in knots.chunks_exact_mut(n).enumerate().skip(1) {
            // Equal keys draw equal numbers: results depend neither on threads nor on earlier draws.
            DrawKey { seed: self.seed, replan: self.replans, iteration: 0, sample: j as u32 }
                .normals(&mut noise);
            sample.iter_mut().zip(&noise).for_each(|(u, z)| *u += self.sigma * z);
        }
        self.replans += 1;
        if let Some(map) = map {
            let (samples, count) = (self.samples, basis.knots());
            map(&mut Samples { values: &mut knots, samples, knots: count, channels, start: now })?;
        }
        for step in knots.chunks_exact_mut(channels) {
            step.iter_mut().zip(&*plan.bounds).for_each(|(u, [low, high])| *u = u.clamp(*low, *high));
        }
        let mut tape = ControlTape::new(self.samples, basis.steps(), channels);
        for (sample, out) in knots.chunks_exact(n).zip(tape.values.chunks_exact_mut(basis.steps() * channels))
        {
            basis.apply(sample, out);
        }
        let mut costs = vec![0.0; self.samples];
        evaluate(&tape, &mut costs)?;
        let good = costs.iter().enumerate().filter(|(_, c)| c.is_finite());
        let failed = self.samples - good.clone().count();
        // When all have failed the plan stays.
        let (at, best) =
            good.min_by(|a, b| a.1.total_cmp(b.1)).map_or((0, f64::INFINITY), |(at, cost)| (at, *cost));
        plan.knots.copy_from_slice(&knots[at * n..(at + 1) * n]);
        self.plan = plan;
        Ok(PlanReport { iterations: 1, best, nominal: costs[0], failed, ..PlanReport::default() })
    }

    fn executed(&self) -> &Plan {
        &self.plan
    }
}

fn check_time(time: f64) -> Result<(), PlanError> {
    let why = format!("is {time} s; give a finite time");
    time.is_finite().then_some(()).ok_or(PlanError::Option { what: "the time of the plan", why })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/cart_pole/cart_pole.xml");
    let scene = Scene::load(path, &LoadOptions::default())?;
    let task = CartPole::default();
    let bounds: Vec<_> = scene.actuators.iter().map(|a| a.control_range.unwrap_or([-1.0, 1.0])).collect();
    let mut planner = PredictiveSampling::new(64, 0.5, 0.02, bounds)?;
    let mut model = CpuBatch::new(&scene, planner.samples, Method::comfree(), BatchOptions::default())?;
    let mut plant = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions::default())?;
    let weights = TermWeights::new(&task);
    let options = EpisodeOptions { model_substeps: 2, plant_substeps: 4, ..EpisodeOptions::default() };
    let r = Episode::new(&mut planner, &mut model, &mut plant, &task, &weights).run(1, &options)?;
    for (time, phase) in &r.phases {
        println!("{time:6.2} s: stage {}", phase.stage);
    }
    println!("{:?} at {:.2} s; {:.2} ms per plan", r.outcome, r.time, 1e3 * r.mean_planning_time());
    if r.outcome == Outcome::Success { Ok(()) } else { Err("the pole does not stand".into()) }
}
