//! The experiments, their simulation and their recordings.

use signorini_core::na::Vector3;
use signorini_geometry::Shape;
use signorini_scene::{Pose, Scene};

use crate::scenes::{Stage, rigid, soft};
use signorini_report::PageError;
use signorini_run::Method;
use signorini_run::trace::Run;

/// Friction, stiffness per corner \[N/m\], dissipation \[s/m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub friction: f64,
    pub stiffness: f64,
    pub dissipation: f64,
}

impl Parameters {
    /// From logarithms relative to units.
    pub(super) fn from_logs(p: &[f64; 3]) -> Self {
        Self { friction: p[0].exp(), stiffness: p[1].exp(), dissipation: p[2].exp() }
    }

    /// Logarithms.
    pub(super) fn logs(&self) -> [f64; 3] {
        [self.friction.ln(), self.stiffness.ln(), self.dissipation.ln()]
    }
}

/// One experiment: the box starts flat at a height above the floor with a speed along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Experiment {
    pub height: f64,
    pub speed: f64,
    pub duration: f64,
}

impl Experiment {
    /// Method of the fitted model: steps of 0.5 ms for slides, error control where there are impacts.
    pub(super) fn method(&self) -> Method {
        if self.height > 0.0 { Method::cenic(1e-7) } else { Method::icf().with_step(5e-4) }
    }
}

/// Three slides and three drops, one of them with both.
pub(super) const EXPERIMENTS: [Experiment; 6] = [
    Experiment { height: 0.0, speed: 0.6, duration: 0.3 },
    Experiment { height: 0.0, speed: 1.0, duration: 0.4 },
    Experiment { height: 0.0, speed: 1.4, duration: 0.5 },
    Experiment { height: 0.02, speed: 0.0, duration: 0.18 },
    Experiment { height: 0.04, speed: 0.0, duration: 0.24 },
    Experiment { height: 0.03, speed: 1.0, duration: 0.22 },
];

/// Samples per second.
pub(super) const RATE: f64 = 500.0;

pub(super) const MASS: f64 = 1.0;
pub(super) const HALF: [f64; 3] = [0.1, 0.1, 0.05];

fn scene(p: &Parameters, e: &Experiment) -> Scene {
    let mut s = Stage::new("sliding box", 1e-4);
    s.wall(Vector3::zeros(), Vector3::z(), &rigid(p.friction));
    let h = Vector3::from(HALF);
    let q = h.component_mul(&h);
    let inertia = MASS / 3.0 * Vector3::new(q.y + q.z, q.x + q.z, q.x + q.y);
    let depth = if e.height > 0.0 { 0.0 } else { 9.81 * MASS / (4.0 * p.stiffness) };
    let b = s.free("box", Vector3::new(0.0, 0.0, h.z + e.height - depth).into(), MASS, inertia);
    s.shape(
        b,
        Pose::identity(),
        Shape::Box { half_extents: h },
        &soft(p.stiffness, p.dissipation, p.friction),
    );
    s.scene()
}

/// Times of the samples of an experiment \[s\].
pub(super) fn times(e: &Experiment) -> Vec<f64> {
    (0..=(e.duration * RATE).round() as usize).map(|i| i as f64 / RATE).collect()
}

/// Simulated samples: x and z of the centre, one after the other; the depth at rest is not taken off z.
pub(super) fn simulate(p: &Parameters, e: &Experiment, method: &Method) -> Result<Vec<f64>, PageError> {
    let scene = scene(p, e);
    let speed = e.speed;
    let trace = Run::new(&scene, method, e.duration).trace(|_, x| x.v[0] = speed)?;
    Ok(times(e).iter().flat_map(|&t| [trace.q_at(t, 0), trace.q_at(t, 2)]).collect())
}
