use signorini_core::{BatchStepper, State};

use crate::options::range;
use crate::{
    Annealing, BasisKind, Episode, EpisodeOptions, EpisodeRecord, KnotSchedule, MeasuredPose, Measurement,
    Mppi, MppiOptions, PlanError, PoseSource, SampleProjection, Schedule, SpreadKind, Task, Temperature,
    TermWeights, Update,
};

/// A task with all that it takes to run it.
pub struct Setup {
    /// The task.
    pub task: Box<dyn Task>,
    /// Scene of the task, in the folder `models` of the project.
    pub scene: &'static str,
    /// A planner for it.
    pub planner: MppiOptions,
    /// Steps of plan model and plant in a control step.
    pub substeps: [u32; 2],
    /// Control steps from one plan to the next.
    pub replan: u32,
    /// Sweeps per step over ComFree's impedance as plan model, at most, and the residual \[m/s\] that ends them before; None: as many as settle contacts.
    pub sweeps: Option<(u32, f64)>,
    /// Projection that samples pass through.
    pub projection: Option<Box<dyn SampleProjection>>,
    /// Measurement of the object that plans start from; None: as it is.
    pub measurement: Option<Measurement>,
}

impl Setup {
    /// Options of an episode with steps and replans of this task; else as they are by default.
    pub fn options(&self) -> EpisodeOptions {
        let [model_substeps, plant_substeps] = self.substeps;
        EpisodeOptions { replan: self.replan, model_substeps, plant_substeps, ..EpisodeOptions::default() }
    }

    /// Runs an episode: with the planner, the projection of samples, and the object measured as it is set up, with noise by the seed.
    ///
    /// # Errors
    /// Settings of the planner and of the measurement; see [`Episode::run`].
    pub fn run(
        &mut self,
        model: &mut dyn BatchStepper,
        plant: &mut dyn BatchStepper,
        weights: &TermWeights,
        poses: Option<&mut dyn PoseSource>,
        seed: u64,
        options: &EpisodeOptions,
    ) -> Result<EpisodeRecord, PlanError> {
        let mut planner = Mppi::new(self.planner.clone())?;
        let mut measured = self.measurement.map(|m| MeasuredPose::new(plant, m, seed)).transpose()?;
        let mut estimate = measured.as_mut().map(|m| |x: &State, out: &mut State| m.estimate(x, out));
        let mut episode = Episode::new(&mut planner, model, plant, &*self.task, weights);
        episode.projection = self.projection.as_mut().map(|p| &mut **p as _);
        episode.estimate = estimate.as_mut().map(|e| e as _);
        episode.poses = poses.map(|p| p as _);
        episode.run(seed, options)
    }

    /// Description of planning and measurement, in lines.
    pub fn describe(&self) -> Vec<String> {
        let (p, [model, plant]) = (&self.planner, self.substeps);
        let update = match &p.update {
            Update::Information { temperature, .. } => format!("of all samples, {}", of_weights(temperature)),
            Update::Elite(elite) => format!(
                "of the best {:.0} %, {}; the mean moves by {} of the way, the covariance by {}",
                100.0 * elite.share,
                of_weights(&elite.temperature),
                elite.mean_rate,
                elite.spread_rate
            ),
        };
        let ms = |steps: u32| 1e3 * p.dt / f64::from(steps);
        let mut lines = vec![
            format!(
                "plans: {} samples of {} knots ({}), {} steps of {:.4} s, {} controls; iterations per plan: {} ({} in the first plan); steps between plans: {}",
                p.samples,
                p.knots,
                match p.basis {
                    BasisKind::ZeroOrder => "held",
                    BasisKind::Linear => "joined by lines",
                    BasisKind::Cubic => "cubic splines",
                    BasisKind::Bernstein => "Bernstein polynomials",
                },
                p.steps,
                p.dt,
                p.bounds.len(),
                p.iterations,
                p.first_iterations,
                self.replan
            ),
            format!(
                "noise: deviations of {}, {}, correlation {}, {}; weights {update}",
                range(p.sigma.iter().copied()),
                match p.spread {
                    SpreadKind::Diagonal => "independent knots",
                    SpreadKind::PerChannel => "one covariance for each control",
                    SpreadKind::Full => "a full covariance",
                },
                p.correlation,
                of_schedule(&p.schedule)
            ),
            format!(
                "steps: {:.3} ms of the plan model{}, {:.3} ms of a plant with fixed steps",
                ms(model),
                match self.sweeps {
                    None => String::new(),
                    Some((1, _)) => " (ComFree, one evaluation)".to_owned(),
                    Some((most, settled)) => format!(
                        " (comfree: projected Gauss–Seidel, up to {most} sweeps, until a residual of {settled} m/s)"
                    ),
                },
                ms(plant)
            ),
        ];
        lines.extend(self.projection.as_ref().map(|m| format!("samples pass through: {}", m.describe())));
        lines.extend(self.measurement.map(|m| {
            let [place, turn] = m.deviation;
            format!("measured: '{}' {} s late, with noise of {place} m and {turn:.3} rad", m.joint, m.delay)
        }));
        lines
    }
}

/// The temperature of the weights in words.
fn of_weights(temperature: &Temperature) -> String {
    match temperature {
        Temperature::Absolute(beta) => format!("temperature {beta}"),
        Temperature::Standardised { temperature, share } => {
            format!(
                "temperature {temperature} standard deviations of the best {:.0} % of the costs",
                100.0 * share
            )
        }
        Temperature::EffectiveSamples(n) => format!("temperature for {n} effective samples"),
    }
}

/// The changes of the noise in words.
fn of_schedule(schedule: &Schedule) -> String {
    let knots = match schedule.knots {
        KnotSchedule::Constant => "equal along the knots".to_owned(),
        KnotSchedule::Ramp(x) => format!("rising to {x} times along the knots"),
        KnotSchedule::Exponential(b) => format!("rising along the knots by exp(−(K − 1 − k)/({b} K))"),
        KnotSchedule::Logarithmic(a, b) => format!("from {a} to {b} times along the knots in equal ratios"),
    };
    let annealing = match schedule.annealing {
        Annealing::None => "equal in all iterations".to_owned(),
        Annealing::Geometric(g) => format!("times {g} in each iteration"),
        Annealing::Exponential(b) => format!("times exp(−i/({b} M)) in iteration i of M"),
        Annealing::ToFinal(end) => format!("down to {end} times in the last iteration"),
    };
    format!("{knots}, {annealing}")
}
