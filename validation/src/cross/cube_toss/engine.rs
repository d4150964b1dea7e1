//! Methods that predict tosses, their parameters, their errors and the fit.

use rayon::current_num_threads;
use serde::{Deserialize, Serialize};
use signorini_core::NoObserver;
use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_laws::{DualCone, Gains};
use signorini_report::{PageError, side_by_side};
use signorini_run::{ComFree, Law, Method, MethodError};
use signorini_scene::{Pose, Scene};

use super::errors::{Mean, errors_of};
use super::failed;
use super::toss::{Motion, Row, Toss, Tosses};
use crate::scenes::{Stage, rigid, soft};
use crate::search::{Simplex, nelder_mead};

/// Gravity \[m/s²\].
pub(super) const GRAVITY: f64 = 9.81;
/// Steps per frame.
const SUBSTEPS: f64 = 10.0;
/// Accuracy of error control \[m, rad\].
const ACCURACY: f64 = 1e-3;

/// Meaning of the second and third parameter.
#[derive(Clone, Copy)]
pub(super) enum Softness {
    /// Stiffness \[N/m\] and dissipation \[s/m\] of Hunt and Crossley.
    HuntCrossley,
    /// Stiffness \[N/m\] and relaxation time \[s\]: SAP reads no dissipation.
    Relaxation,
    /// Gains κ \[1/s²\] and c \[1/s\] of the dual cone, relative to the mass at the contact.
    Gains,
}

impl Softness {
    pub(super) fn units(self) -> [&'static str; 2] {
        match self {
            Self::HuntCrossley => ["N/m", "s/m"],
            Self::Relaxation => ["N/m", "s"],
            Self::Gains => ["1/s²", "1/s"],
        }
    }

    /// First point of the search.
    fn start(self) -> [f64; 3] {
        match self {
            Self::HuntCrossley => [0.18, 8e3, 3.0],
            Self::Relaxation => [0.18, 8e3, 5e-3],
            Self::Gains => [0.18, 2e4, 1e2],
        }
    }
}

/// A method with three parameters to find.
pub(super) struct Engine {
    /// Name in files and claims.
    pub key: &'static str,
    /// Name for readers.
    pub name: &'static str,
    pub softness: Softness,
    /// The method with gains of its dual cone, where it has one.
    make: fn(Gains) -> Result<Method, MethodError>,
}

/// Engines of the page.
pub(super) const ENGINES: [Engine; 8] = [
    Engine { key: "icf", name: "ICF, lagged", softness: Softness::HuntCrossley, make: |_| Ok(Method::icf()) },
    Engine {
        key: "similar",
        name: "ICF, similar",
        softness: Softness::HuntCrossley,
        make: |_| Method::icf().with_law(Law::Similar),
    },
    Engine {
        key: "sap",
        name: "ICF, SAP",
        softness: Softness::Relaxation,
        make: |_| Method::icf().with_law(Law::Sap),
    },
    Engine {
        key: "dual_cone",
        name: "ICF, dual cone",
        softness: Softness::Gains,
        make: |gains| Method::icf().with_law(Law::DualCone(cone(gains))),
    },
    Engine {
        key: "cenic",
        name: "CENIC, lagged",
        softness: Softness::HuntCrossley,
        make: |_| Ok(Method::cenic(ACCURACY)),
    },
    Engine {
        key: "comfree",
        name: "ComFree, one evaluation",
        softness: Softness::Gains,
        make: |gains| Ok(Method::comfree_with(cone(gains), 1)),
    },
    Engine {
        key: "comfree_lagged",
        name: "one evaluation of the lagged law",
        softness: Softness::HuntCrossley,
        make: |_| Ok(Method::comfree_once(Law::Lagged)),
    },
    Engine {
        key: "gauss_seidel",
        name: "projected Gauss–Seidel",
        softness: Softness::Gains,
        make: |gains| Ok(Method::ComFree(ComFree::default().with_gains(gains)?)),
    },
];

fn cone(gains: Gains) -> DualCone {
    DualCone { gains, ..DualCone::default() }
}

impl Engine {
    fn method(&self, p: &[f64; 3], dt: f64) -> Result<Method, PageError> {
        let method = (self.make)(Gains::Physical { kappa: p[1], c: p[2] })?;
        Ok(if method.stepping().is_controlled() { method } else { method.with_step(dt / SUBSTEPS) })
    }

    fn scene(&self, p: &[f64; 3], all: &Tosses) -> Scene {
        let [friction, stiffness, third] = *p;
        let mut stage = Stage::new("cube toss", 1e-4);
        let surface = match self.softness {
            Softness::HuntCrossley => soft(stiffness, third, friction),
            Softness::Relaxation => {
                stage = stage.with_relaxation(third);
                soft(stiffness, 0.0, friction)
            }
            Softness::Gains => rigid(friction),
        };
        stage.wall(Vector3::zeros(), Vector3::z(), &rigid(friction));
        let cube = stage.free("cube", Pose::identity(), all.mass, Vector3::repeat(all.inertia));
        let half_extents = Vector3::repeat(all.half_width);
        stage.shape(cube, Pose::identity(), Shape::Box { half_extents }, &surface);
        stage.scene()
    }

    /// Predicted poses at each frame of tosses, from the starts that `start` gives.
    pub(super) fn predict(
        &self,
        p: &[f64; 3],
        all: &Tosses,
        which: &[usize],
        start: impl Fn(&Toss) -> Row + Sync,
    ) -> Result<Vec<Motion>, PageError> {
        let (scene, method) = (self.scene(p, all), self.method(p, all.dt)?);
        side_by_side(which, current_num_threads(), |i| {
            let toss = &all.tosses[*i];
            let mut system = method.system(&scene)?;
            let mut x = system.initial_state(None).map_err(failed)?;
            let first = start(toss);
            x.q.copy_from_slice(&first[..7]);
            x.v.copy_from_slice(&first[7..]);
            let mut integrator = method.integrator()?;
            let mut motion = Motion::with_capacity(toss.len());
            for k in 0..toss.len() {
                if k > 0 {
                    integrator
                        .advance(&mut system, &mut x, k as f64 * all.dt, &mut NoObserver)
                        .map_err(|e| failed(format!("{}, toss {i}, frame {k}: {e}", self.name)))?;
                }
                motion.push(std::array::from_fn(|c| x.q[c]));
            }
            Ok(motion)
        })
    }

    /// Parameters that predict tosses best from their first states. Where a run fails, its parameters have an infinite cost.
    pub(super) fn fit(&self, all: &Tosses, which: &[usize]) -> Result<Fit, PageError> {
        let simplex =
            Simplex { start: self.softness.start().map(f64::ln), edge: 0.4, tolerance: 1e-4, most: 40 };
        let found = nelder_mead(&simplex, |logs| {
            let motions = self.predict(&logs.map(f64::exp), all, which, |t| t[0]);
            Ok(motions.map_or(f64::INFINITY, |m| Mean::of(&errors_of(all, which, &m)).cost()))
        })?;
        Ok(Fit {
            engine: self.key.into(),
            parameters: found.logs.map(f64::exp),
            evaluations: found.history.len(),
        })
    }

    /// Parameters before any search.
    pub(super) fn unfitted(&self) -> Fit {
        Fit { engine: self.key.into(), parameters: self.softness.start(), evaluations: 0 }
    }
}

/// Result of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Fit {
    /// [`Engine::key`].
    pub engine: String,
    pub parameters: [f64; 3],
    pub evaluations: usize,
}
