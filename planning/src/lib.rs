//! Sampling-based control over any engine that steps many worlds.
//!
//! ```
//! use signorini_batch::{BatchOptions, CpuBatch};
//! use signorini_planning::tasks::CartPole;
//! use signorini_planning::{Episode, EpisodeOptions, Mppi, TermWeights};
//! use signorini_run::Method;
//! use signorini_scene::{LoadOptions, Scene};
//!
//! // A pole on a cart, planned with projected Gauss–Seidel over ComFree's impedance, executed with ICF: the first ten control steps.
//! let scene = Scene::load("../models/cart_pole/cart_pole.xml", &LoadOptions::default())?;
//! let (task, settings) = (CartPole::default(), CartPole::planner(1));
//! let mut model = CpuBatch::new(&scene, settings.samples, Method::comfree(), BatchOptions::default())?;
//! let mut plant = CpuBatch::new(&scene, 1, Method::icf(), BatchOptions::default())?;
//! let (mut planner, weights) = (Mppi::new(settings)?, TermWeights::new(&task));
//! let options = EpisodeOptions { steps: 10, model_substeps: 2, plant_substeps: 4, ..EpisodeOptions::default() };
//! let record = Episode::new(&mut planner, &mut model, &mut plant, &task, &weights).run(1, &options)?;
//! assert_eq!(record.steps.len(), 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The pieces
//!
//! | piece | is | knows |
//! |---|---|---|
//! | [`Planner`] | makes plans: [`Mppi`], with mean, spread, samples, update, or one of your own | tapes and costs, neither engine nor task |
//! | [`Rollout`] | tapes over the lanes of a [`BatchStepper`](signorini_core::BatchStepper), costs added up step by step | engine and task |
//! | [`Task`] | observations, terms, phases, one rule for the end | names of a scene, no engine |
//! | [`projection`] | of samples onto motion with bounded position, velocity, acceleration and jerk | bounds and the motion before |
//! | [`Episode`] | a planner with a plan model against a plant, in lock-step or with delay | all of them |
//!
//! Plan model and plant are two batches: planning with one engine and executing with another measures the gap between them, and [`PredictionGap`] is how far one control step of the plan model is from that of the plant.
//!
//! # Reproducibility
//!
//! Results depend on the seed and the settings. Random numbers are functions of (seed, replan, iteration, sample) ([`DrawKey`]), sums run in the order of samples, and lanes of a batch do not know each other: neither threads nor the number of lanes
//! change a bit. Measured delay ([`Timing::Measured`]) is the exception; a fixed one ([`Timing::Delay`]) is not.
//!
//! # Speed
//!
//! Projections of samples use AVX2 or AVX-512 where the processor has them, which is found out at run time: they need no target features. Rollouts are as fast as the batch is.

mod basis;
mod bounded_motion;
mod episode;
mod error;
mod gap;
mod measured_pose;
mod motion;
mod mppi;
mod noise;
mod options;
mod philox;
mod plan;
mod planner;
mod poses;
pub mod projection;
mod record;
mod rollout;
mod schedule;
mod sobol;
mod spread;
mod task;
pub mod tasks;
mod weights;

pub use basis::{Basis, BasisKind, ControlTape};
pub use bounded_motion::BoundedMotion;
pub use episode::{Episode, EpisodeOptions, Estimate, ReplanView, SampleProjection, Timing};
pub use error::PlanError;
pub use gap::{PredictionError, PredictionGap};
pub use measured_pose::{MeasuredPose, Measurement};
pub use motion::Motion;
pub use mppi::Mppi;
pub use noise::{DrawKey, Noise, Source, Stream, inverse_normal};
pub use options::{Elite, Executed, MppiOptions, Update};
pub use philox::philox;
pub use plan::Plan;
pub use planner::{Evaluate, PlanReport, Planner, SampleMap, Samples};
pub use poses::{PoseLines, PoseSource};
pub use record::{EpisodeRecord, MovedBody, PlanRecord, StepRecord};
pub use rollout::{Costing, Rollout};
pub use schedule::{Annealing, KnotSchedule, Schedule};
pub use sobol::Sobol;
pub use spread::{Spread, SpreadKind};
pub use task::{JointStart, Outcome, Phase, Scenario, Step, Task, Term, TermWeights, View};
pub use weights::{Temperature, WeightReport};
