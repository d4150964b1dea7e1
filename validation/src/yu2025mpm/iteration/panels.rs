//! Two light panels that press an elastic cube, by ways of coupling.

use cpu_time::ThreadTime;
use signorini_core::na::Vector3;
use signorini_core::{State, StepError, Tolerance};
use signorini_coupling::{
    Asynchronous, CouplingReport, EnginePoints, Iteration, Limit, Monolithic, obstacles,
};
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_mpm::{Lame, LinearCorotated, Material, MpmEngine, MpmOptions, MpmSolver, MpmSystem};
use signorini_multibody::{RigidOptions, RigidSystem};

use super::super::fast::{Surface, law};
use super::super::pressed_cube::{PRESS, SIDE, panels, particles};
use super::super::statistics::on_one_thread;
use signorini_report::PageError;

/// Particles along the cube, mass \[kg\].
pub(super) const ALONG: usize = 7;
pub(super) const MASS: f64 = 0.4;
/// Young's modulus \[Pa\] and Poisson's ratio.
pub(super) const RUBBER: (f64, f64) = (1e5, 0.4);
/// Spacing of the grid \[m\].
pub(super) const SPACING: f64 = 0.1 / 3.0;
/// Mass of a panel \[kg\].
pub(super) const PANEL: f64 = 0.01;
/// Contact of particles with panels.
pub(super) const CONTACT: Surface =
    Surface { stiffness: 2e4, dissipation: 10.0, friction: 0.8, stiction_speed: 1e-3 };
/// Time in which strain rates fade \[s\].
pub(super) const FADING: f64 = 2e-3;
/// Relative tolerance of all solves.
pub(super) const TOLERANCE: f64 = 1e-9;

/// Coupling of points and bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Splitting with bodies kept in place within a step.
    Kept,
    /// Splitting with bodies that go on within a step.
    Moving,
    /// Splitting with bodies kept in place, iterated until both have met the other's motion.
    IteratedKept,
    /// Splitting with bodies that go on, iterated.
    Iterated,
    /// Both in one step.
    Monolithic,
}

impl Way {
    pub(super) const ALL: [Self; 5] =
        [Self::Kept, Self::Moving, Self::IteratedKept, Self::Iterated, Self::Monolithic];

    /// Whether each side goes through a step once.
    pub(super) fn splits(self) -> bool {
        matches!(self, Self::Kept | Self::Moving)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Kept => "splitting, fixed bodies",
            Self::Moving => "splitting, moving bodies",
            Self::IteratedKept => "iterated, fixed bodies",
            Self::Iterated => "iterated, moving bodies",
            Self::Monolithic => "monolithic",
        }
    }
}

enum Coupled {
    Split(Box<Asynchronous<EnginePoints<f64>, ContactStep<IcfSolver>>>),
    /// With the state of the points, which splitting keeps itself.
    One(Box<Monolithic<ContactStep<MpmSolver>>>, State),
}

impl Coupled {
    fn new(way: Way, substeps: u32) -> Result<(Self, State), PageError> {
        let scene = panels(PANEL, ALONG, CONTACT.stiffness)?;
        let met = obstacles(&scene, &[0, 1], CONTACT.material()).map_err(PageError::from_error)?;
        let rubber: Vec<Box<dyn Material>> =
            vec![Box::new(LinearCorotated(Lame::new(RUBBER.0, RUBBER.1).map_err(PageError::from_error)?))];
        let options = MpmOptions { spacing: SPACING, damping_time: FADING, ..MpmOptions::default() };
        let cube = particles(ALONG, MASS / SIDE.powi(3), SPACING);
        let mut rigid =
            RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(PageError::from_error)?;
        rigid.control_mut().fill(PRESS);
        let y = rigid.initial_state(None).map_err(PageError::from_error)?;
        let tight = Tolerance { relative: TOLERANCE, max_iterations: 200 };
        let coupled = if way == Way::Monolithic {
            let points = MpmSystem::new(cube, rubber, vec![], met, law()?, options);
            let points = points.map_err(PageError::from_error)?;
            let x = points.initial_state();
            let step = ContactStep::new(MpmSolver::default()).with_tolerance(tight);
            let c = Monolithic::new(&scene, &[0, 1], points, rigid, step).map_err(PageError::from_error)?;
            Self::One(Box::new(c), x)
        } else {
            let bodies = ContactStep::new(IcfSolver::default()).with_tolerance(tight);
            let points = MpmEngine::new(cube, rubber, vec![], met, law()?, options)
                .map_err(PageError::from_error)?
                .with_solver(Box::new(MpmSolver::default()), tight);
            let c = Asynchronous::new(&scene, &[0, 1], points, rigid, bodies, substeps)
                .map_err(PageError::from_error)?
                .with_moving_bodies(matches!(way, Way::Moving | Way::Iterated));
            let c = match way {
                Way::IteratedKept | Way::Iterated => c.with_iteration(Iteration::default()),
                _ => Ok(c),
            };
            let c = c.map_err(PageError::from_error)?;
            Self::Split(Box::new(c))
        };
        Ok((coupled, y))
    }

    fn step(&mut self, y: &mut State, dt: f64) -> Result<CouplingReport, StepError> {
        match self {
            Self::Split(c) => c.step(&mut (), y, dt),
            Self::One(c, x) => c.step(x, y, dt),
        }
    }

    fn limit(&self) -> Option<Limit> {
        match self {
            Self::Split(c) => c.limits().first().copied(),
            Self::One(..) => None,
        }
    }

    /// Momentum of the points \[N·s\].
    fn momentum(&mut self) -> Result<Vector3<f64>, PageError> {
        match self {
            Self::Split(c) => Ok(c.points_mut().engine_mut().particles().momentum()),
            Self::One(c, x) => Ok(c.material().particles(x).map_err(PageError::from_error)?.momentum()),
        }
    }
}

/// Results of a run of the panels.
pub(super) struct Pressed {
    pub(super) way: Way,
    /// Step of the bodies \[s\].
    pub(super) dt: f64,
    /// Ends of steps \[s\], force of the cube on the left panel against the pressing force \[N\] and way of the panel \[m\].
    pub(super) trace: Vec<(f64, f64, f64)>,
    /// Limit of weak coupling of the left panel in the first step.
    pub(super) limit: Option<Limit>,
    /// Passes per step, and the most of a step; substeps of all passes.
    pub(super) passes: f64,
    pub(super) most: u32,
    pub(super) solves: u32,
    /// Solves and iterations that did not converge.
    pub(super) unconverged: u32,
    /// Largest momentum that is amiss in a step, of the points and of the panels, beside the momentum exchanged.
    pub(super) momentum: f64,
    /// Processor time \[s\].
    pub(super) cost: f64,
    /// Why and when \[s\] it ended early.
    pub(super) failed: Option<(f64, String)>,
}

impl Pressed {
    /// Force over the last part of the run \[s\] of the time that it ran: its mean, and the root mean square of its distance from the pressing force \[N\].
    pub(super) fn force(&self, last: f64) -> (f64, f64) {
        let end = self.trace.last().map_or(0.0, |f| f.0);
        let kept: Vec<f64> =
            self.trace.iter().filter(|f| f.0 > end - last + 0.5 * self.dt).map(|f| f.1).collect();
        let count = kept.len() as f64;
        let square = |f: &f64| (f - PRESS) * (f - PRESS);
        (kept.iter().sum::<f64>() / count, (kept.iter().map(square).sum::<f64>() / count).sqrt())
    }

    /// Ways of the panel at the ends of intervals \[s\] \[m\].
    pub(super) fn ways(&self, interval: f64) -> Vec<f64> {
        let every = (interval / self.dt).round() as usize;
        self.trace.iter().skip(every - 1).step_by(every).map(|f| f.2).collect()
    }

    /// Processor time for a second \[s\].
    pub(super) fn cost_of_second(&self) -> f64 {
        self.cost / self.trace.last().map_or(f64::NAN, |f| f.0)
    }

    /// Substeps of all passes for a second \[1/s\].
    pub(super) fn solves_of_second(&self) -> f64 {
        f64::from(self.solves) / self.trace.last().map_or(f64::NAN, |f| f.0)
    }
}

/// Presses from rest with steps and so many substeps up to an end \[s\]; a run that ends early says so.
pub(super) fn press(way: Way, dt: f64, substeps: u32, end: f64) -> Result<Pressed, PageError> {
    on_one_thread(|| press_here(way, dt, substeps, end))
}

fn press_here(way: Way, dt: f64, substeps: u32, end: f64) -> Result<Pressed, PageError> {
    let (mut c, mut y) = Coupled::new(way, substeps)?;
    let steps = (end / dt).round() as u32;
    let mut out = Pressed {
        way,
        dt,
        trace: Vec::new(),
        limit: None,
        passes: 0.0,
        most: 0,
        solves: 0,
        unconverged: 0,
        momentum: 0.0,
        cost: 0.0,
        failed: None,
    };
    let mut passes = 0;
    let mut before = c.momentum()?;
    for k in 1..=steps {
        let (v, clock) = (y.v.clone(), ThreadTime::now());
        let r = match c.step(&mut y, dt) {
            Ok(r) => r,
            Err(e) => {
                out.failed = Some((f64::from(k) * dt, e.to_string()));
                break;
            }
        };
        out.cost += clock.elapsed().as_secs_f64();
        out.limit = out.limit.or_else(|| c.limit());
        passes += r.iterations;
        out.most = out.most.max(r.iterations);
        out.solves += r.iterations * r.substeps.max(1);
        out.unconverged += r.unconverged;
        let given = [r.impulses[0][0], r.impulses[1][0]];
        out.trace.push((f64::from(k) * dt, -given[0].x / dt, y.q[0]));
        // Balance of the points, and that of each panel.
        let after = c.momentum()?;
        let exchanged = PRESS * dt + given[0].norm() + given[1].norm();
        let fall = Vector3::new(0.0, 0.0, -9.81 * MASS * dt);
        let mut amiss = (after - before + given[0] + given[1] - fall).norm();
        for (i, axis) in [1.0, -1.0].into_iter().enumerate() {
            amiss += (PANEL * (y.v[i] - v[i]) - PRESS * dt - axis * given[i].x).abs();
        }
        out.momentum = out.momentum.max(amiss / exchanged);
        before = after;
    }
    out.passes = f64::from(passes) / out.trace.len().max(1) as f64;
    Ok(out)
}
