//! Runs: a scene simulated by a method, and the recording that it leaves.
//!
//! ```
//! use signorini_run::{Method, run, view};
//! use signorini_scene::{LoadOptions, Scene};
//!
//! let scene = Scene::load("../models/quadruped/quadruped.xml", &LoadOptions::default())?;
//! let method = Method::icf().with_step(2e-3);
//! let mut x = method.system(&scene)?.initial_state(scene.keyframes.first())?;
//! let (recording, report) = run(&scene, &method, &mut x, 0.05)?;
//! assert_eq!(recording.len() as u64, 1 + report.steps); // a row at the start and per step
//! let page = view::page(&recording); // shows the motion in a browser
//! assert!(page.contains("<html"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Method`] states law, solver and stepping. [`run`] simulates bodies in generalised coordinates, [`affine::run_affine`] affine bodies. Both leave a
//! [`Recording`]: one row per accepted step, the contacts of each, and the shapes that [`view`] shows in a browser. [`recorder::Recorder`] records a run
//! that something else drives.

pub mod affine;
pub mod areas;
pub mod crossing;
pub mod depth;
pub mod drift;
pub mod film;
mod method;
pub mod recorder;
pub mod recording;
mod shapes;
pub mod snapshot;
pub mod stability;
pub mod trace;
mod unread;
pub mod view;

pub use method::{
    ComFree, ComFreeSettings, Evaluation, Icf, Ipc, Law, MassScale, Method, MethodError, OwnMethod, PHYSICAL,
    Reference, Skin, Stepping, names,
};
pub use recorder::run;
pub use recording::{Recording, RecordingError, RecordingHeader};
pub use unread::unread;
