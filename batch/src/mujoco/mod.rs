//! The engine under the names and meanings that a MuJoCo user knows.
//!
//! ```
//! use signorini_batch::mujoco::{Data, Model, step};
//! let xml = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
//! let model = Model::from_xml_string(xml)?;
//! let mut data = Data::new(&model)?;
//! while data.time < 1.0 {
//!     step(&model, &mut data)?;
//! }
//! assert!((data.xpos[model.body("ball")?][2] - 0.1).abs() < 1e-2);
//! # Ok::<(), signorini_batch::mujoco::MujocoError>(())
//! ```
//!
//! Layouts are MuJoCo's: qpos of a free joint is position, then quaternion (w, x, y, z); qvel is the velocity of the body origin in world axes, then the angular
//! velocity in body axes; matrices are row-major; numbers of bodies, joints, geoms, actuators and sensors follow the file. As in MuJoCo, [`step`] leaves
//! its results (`xpos`, `sensordata`, `contact`, …) as of the state before the step; [`forward`] computes it at the present state.
//!
//! Contact is not MuJoCo's: the [`Method`](signorini_run::Method) of a model solves it, projected Gauss–Seidel over ComFree's impedance by default, and trajectories with contact agree
//! in what physics fixes (rest, friction limits, impulses), not digit by digit. [`SUPPORTED`] has the meaning of every setting, field and function here.
//! A setting that cannot keep its meaning is a typed error when the model is read; [`Model::warnings`] has remarks that a user should look at.

mod data;
mod error;
mod fields;
mod forward;
mod model;
mod rollout;
mod support;

pub use data::{Contact, MjData as Data};
pub use error::MujocoError;
pub use forward::{contact_force, forward, full_m, jac, jac_body, jac_body_com, jac_geom, jac_site, step};
pub use model::{Model, Object, Opt};
pub use rollout::{PersistentRollout, Rollout, RolloutOptions, rollout};
pub use support::{Meaning, SUPPORTED, Supported, table};
