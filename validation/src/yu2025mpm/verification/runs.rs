//! The runs: bars, discs, columns of sand, blocks on slopes, a body that meets points.

use std::f64::consts::{FRAC_PI_2, PI};

use signorini_core::na::{Isometry3, Vector3};
use signorini_core::{ContactMaterial, OneStep, State, Tolerance};
use signorini_coupling::{Asynchronous, EnginePoints, obstacles};
use signorini_geometry::Shape;
use signorini_icf::IcfSolver;
use signorini_integrators::ContactStep;
use signorini_laws::contact_pool;
use signorini_mpm::{
    Border, DruckerPrager, FixedCorotated, Lame, Material, MpmEngine, MpmOptions, MpmSolver, MpmSystem,
    Obstacle, Particles, Wall,
};
use signorini_multibody::{RigidOptions, RigidSystem};
use signorini_scene::{LoadOptions, Scene};

use crate::yu2025mpm::fast;
use signorini_report::PageError;

fn fail(e: impl std::fmt::Display) -> PageError {
    PageError::from_error(e)
}

fn rubber(young: f64, poisson: f64) -> Result<Vec<Box<dyn Material>>, PageError> {
    Ok(vec![Box::new(FixedCorotated(Lame::new(young, poisson).map_err(fail)?))])
}

fn wall(at: f64, normal: Vector3<f64>, border: Border) -> Wall {
    Wall { point: at * normal.abs(), normal, border }
}

pub(super) fn surface(stiffness: f64, dissipation: f64, friction: f64) -> ContactMaterial {
    fast::Surface { stiffness, dissipation, friction, stiction_speed: 1e-3 }.material()
}

/// Steps until an end, calling `each` with the time and the particles after every step.
fn walk(
    s: &mut MpmSystem,
    mut dt: impl FnMut(&MpmSystem, &State) -> Result<f64, PageError>,
    end: f64,
    mut each: impl FnMut(f64, &Particles, &MpmSystem),
) -> Result<Particles, PageError> {
    let mut step = ContactStep::new(MpmSolver::default());
    let (mut x, mut next, mut t) = (s.initial_state(), State::default(), 0.0);
    while t < end - 1e-9 * end {
        let dt = dt(s, &x)?;
        step.step(s, &x, dt, false, &mut next).map_err(fail)?;
        std::mem::swap(&mut x, &mut next);
        t += dt;
        each(t, &s.particles(&x).map_err(fail)?, s);
    }
    s.particles(&x).map_err(fail)
}

/// The first axial mode of a bar of 1 m, E = 10⁴ Pa, ρ = 1000 kg/m³, ν = 0, free or held at x = 0.
pub(super) struct Bar {
    /// \[Hz\].
    pub(super) frequency: f64,
    /// Displacement of the free end over time \[s\], \[m\].
    pub(super) tip: Vec<(f64, f64)>,
    /// Part of the energy that a period takes.
    pub(super) loss: f64,
}

pub(super) fn bar(h: f64, held: bool) -> Result<Bar, PageError> {
    let apart = 0.5 * h;
    let shape = |x: f64| if held { (FRAC_PI_2 * x).sin() } else { (PI * x).cos() };
    let slope = |x: f64| if held { FRAC_PI_2 * (FRAC_PI_2 * x).cos() } else { -PI * (PI * x).sin() };
    let mut p = Particles::default();
    for n in 0..4 * (1.0 / apart).round() as usize {
        let k = [n / 4, n / 2 % 2, n % 2].map(|k| (k as f64 + 0.5) * apart);
        p.push(Vector3::from(k), 1000.0 * apart.powi(3), apart.powi(3), 0);
        let last = p.len() - 1;
        p.v[last].x = 0.01 * shape(k[0]);
        p.c[last][(0, 0)] = 0.01 * slope(k[0]);
    }
    let mode = |p: &Particles| -> f64 { p.x.iter().zip(&p.v).map(|(x, v)| v.x * shape(x.x)).sum() };
    let (mut last, end_of_bar) = (mode(&p), p.x[p.len() - 1].x);
    let options = MpmOptions { spacing: h, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let walls = if held { vec![wall(0.0, Vector3::x(), Border::Sticky)] } else { Vec::new() };
    let law = contact_pool("lagged").map_err(fail)?;
    let mut e = MpmEngine::<f64>::new(p, rubber(1e4, 0.0)?, walls, vec![], law, options).map_err(fail)?;
    let dt = 0.1 * h / 10f64.sqrt();
    let (mut crossings, mut tip, mut peak) = (Vec::new(), Vec::new(), [0.0f64; 2]);
    let period = if held { 1.265 } else { 0.6325 };
    while e.time() < 2.2 * period - 0.5 * dt {
        e.step(dt).map_err(fail)?;
        let (t, p) = (e.time(), e.particles());
        let now = mode(p);
        if now.signum() != last.signum() {
            crossings.push(t - dt * now / (now - last));
        }
        // Largest speeds of the first and the second period after the start.
        let which = usize::from(t > 1.25 * period);
        if t > 0.25 * period {
            peak[which] = peak[which].max(now.abs());
        }
        last = now;
        tip.push((t, p.x[p.len() - 1].x - end_of_bar));
    }
    let [Some(first), Some(end)] = [crossings.first(), crossings.last()] else {
        return Err(PageError::Run("the bar does not ring".into()));
    };
    let frequency = (crossings.len() - 1) as f64 / (2.0 * (end - first));
    Ok(Bar { frequency, tip, loss: 1.0 - (peak[1] / peak[0]).powi(2) })
}

/// Kinetic energy of Sulsky's discs over that at the start, and their momentum at the end \[N·s\], with this [`MpmOptions::transfer_time`].
pub(super) fn discs(h: f64, dt: f64, transfer_time: f64) -> Result<(Vec<(f64, f64)>, f64), PageError> {
    let apart = 0.5 * h;
    let mut p = Particles::default();
    let half = (0.2 / apart).ceil() as i32;
    for (centre, sign) in [(0.25, 1.0), (0.75, -1.0)] {
        for n in 0..(2 * half).pow(2) * 2 {
            let (i, k, j) = (n / 4 / half - half, n / 2 % (2 * half) - half, n % 2);
            let (x, z) = ((f64::from(i) + 0.5) * apart, (f64::from(k) + 0.5) * apart);
            if x.hypot(z) < 0.2 {
                let volume = apart.powi(3);
                let at = Vector3::new(centre + x, (f64::from(j) + 0.5) * apart, centre + z);
                p.push(at, 1000.0 * volume, volume, 0);
                let last = p.len() - 1;
                p.v[last] = sign * Vector3::new(0.1, 0.0, 0.1);
            }
        }
    }
    let options =
        MpmOptions { spacing: h, gravity: Vector3::zeros(), transfer_time, ..MpmOptions::default() };
    let walls = vec![wall(0.0, Vector3::y(), Border::Slip), wall(h, -Vector3::y(), Border::Slip)];
    let law = contact_pool("lagged").map_err(fail)?;
    let start = p.kinetic_energy(h);
    let mut e = MpmEngine::<f64>::new(p, rubber(1e3, 0.3)?, walls, vec![], law, options).map_err(fail)?;
    let mut energy = vec![(0.0, 1.0)];
    while e.time() < 3.0 - 0.5 * dt {
        e.step(dt).map_err(fail)?;
        energy.push((e.time(), e.particles().kinetic_energy(h) / start));
    }
    Ok((energy, e.particles().momentum().norm()))
}

/// Half a column of sand after its fall: heights of the heap over the place, in units of the half width, where it ends, and the mean slope between a fifth and four fifths of its height \[°\].
pub(super) struct Heap {
    pub(super) profile: Vec<(f64, f64)>,
    pub(super) run_out: f64,
    pub(super) height: f64,
    pub(super) slope: f64,
}

/// A heap ends where it is lower than so many half widths of its column.
const EDGE: f64 = 0.05;

/// Angle of the cone of compression that holds in plane strain like `plane` \[rad\]: sin φ' = 2√3 sin φ/(3 − sin φ).
pub(super) fn cone_of_plane_strain(plane: f64) -> f64 {
    (3.0 * plane.sin() / (12f64.sqrt() + plane.sin())).asin()
}

/// Sand of columns: Drucker and Prager's with this angle of the cone \[rad\].
pub(super) fn sand(angle: f64) -> Result<DruckerPrager, PageError> {
    let lame = Lame::new(3.5e5, 0.3).map_err(fail)?;
    DruckerPrager::new(lame, angle).map_err(fail)
}

/// A column of sand `ratio` times as high as half its width, released on a grid of `h` \[m\], in steps of this part of the crossing time of a cell, with this [`MpmOptions::transfer_time`].
///
/// It runs for 5 √(height/g): columns of experiments have stopped after 3.3 of that (Lajeunesse, Monnier and Homsy 2005).
pub(super) fn column(
    ratio: f64,
    (h, sand): (f64, DruckerPrager),
    courant: f64,
    transfer_time: f64,
) -> Result<Heap, PageError> {
    let (width, apart) = (0.2, 0.5 * h);
    let end = 5.0 * (ratio * width / 9.81).sqrt();
    let (along, up) = ((width / apart).round() as usize, (ratio * width / apart).round() as usize);
    let mut p = Particles::default();
    for n in 0..2 * along * up {
        let k = [n / up / 2, n % 2, n / 2 % up].map(|k| (k as f64 + 0.5) * apart);
        p.push(Vector3::from(k), 2200.0 * apart.powi(3), apart.powi(3), 0);
    }
    let sand: Vec<Box<dyn Material>> = vec![Box::new(sand)];
    let walls = vec![
        wall(0.0, Vector3::z(), Border::Sticky),
        wall(0.0, Vector3::x(), Border::Slip),
        wall(0.0, Vector3::y(), Border::Slip),
        wall(h, -Vector3::y(), Border::Slip),
    ];
    let options = MpmOptions { spacing: h, courant, transfer_time, ..MpmOptions::default() };
    let law = contact_pool("lagged").map_err(fail)?;
    let mut e = MpmEngine::<f32>::new(p, sand, walls, vec![], law, options).map_err(fail)?;
    while e.time() < end {
        e.step(e.longest_step().min(end - e.time())).map_err(fail)?;
    }
    let p = e.particles();
    // Volume over the base, spread over three cells by a quadratic spline, mirrored in the wall.
    let spline = |d: f64| if d < 0.5 { 0.75 - d * d } else { 0.5 * (1.5 - d).max(0.0).powi(2) };
    let height = |at: f64| {
        let both = |x: f64| spline((x - at).abs() / h) + spline((x + at) / h);
        p.x.iter().zip(&p.volume).map(|(x, v)| v / (h * h) * both(x.x)).sum::<f64>()
    };
    let columns = (p.x.iter().map(|x| x.x).fold(0.0, f64::max) / h) as usize + 3;
    let mut heights: Vec<f64> = (0..columns).map(|k| height(h * (k as f64 + 0.5))).collect();
    // Where the heap is lower than so much for the first time.
    heights.push(0.0);
    let below = |level: f64| {
        let k = heights.iter().position(|z| *z < level).unwrap_or(0).max(1);
        let part = (heights[k - 1] - level) / (heights[k - 1] - heights[k]);
        h * (k as f64 - 0.5 + part.max(0.0))
    };
    let crest = heights.iter().copied().fold(0.0, f64::max);
    let slope = (0.6 * crest / (below(0.2 * crest) - below(0.8 * crest))).atan().to_degrees();
    let profile = heights.iter().enumerate().map(|(k, z)| ((k as f64 + 0.5) * h / width, z / width));
    Ok(Heap {
        profile: profile.collect(),
        run_out: below(EDGE * width) / width - 1.0,
        height: crest / width,
        slope,
    })
}

/// Speed of a rubber block down a slope of 30° over time.
pub(super) fn incline(friction: f64, end: f64) -> Result<Vec<(f64, f64)>, PageError> {
    let turn = Isometry3::rotation(Vector3::y() * 30f64.to_radians());
    let mut p = Particles::default();
    for n in 0..125usize {
        let k = Vector3::new((n / 25) as f64, (n / 5 % 5) as f64, (n % 5) as f64) * 0.025;
        p.push(turn.rotation * (k - Vector3::new(0.0, 0.0, 2e-5)), 8e-3, 8e-6, 0);
        // It starts turned: nothing is strained.
        let last = p.len() - 1;
        p.f[last] = *turn.rotation.to_rotation_matrix().matrix();
    }
    let floor = Obstacle::new("slope", Shape::HalfSpace, turn, surface(1e4, 50.0, friction));
    let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
    let law = contact_pool("lagged").map_err(fail)?;
    let mut s = MpmSystem::new(p, rubber(1e6, 0.3)?, vec![], vec![floor], law, options).map_err(fail)?;
    let (down, mut speed) = (turn.rotation * Vector3::x(), vec![(0.0, 0.0)]);
    walk(&mut s, |_, _| Ok(2e-4), end, |t, p, _| speed.push((t, p.momentum().dot(&down))))?;
    Ok(speed)
}

/// A cube of 1 kg on 25 contacts of 10⁴ N/m: force on the floor \[N\] over time.
pub(super) fn rest() -> Result<Vec<(f64, f64)>, PageError> {
    let mut p = Particles::default();
    for n in 0..125usize {
        let k = Vector3::new((n / 25) as f64, (n / 5 % 5) as f64, (n % 5) as f64) * 0.025;
        p.push(k - Vector3::new(0.0, 0.0, 1e-5), 8e-3, 8e-6, 0);
    }
    let floor = Obstacle::new("floor", Shape::HalfSpace, Isometry3::identity(), surface(1e4, 50.0, 0.5));
    let options = MpmOptions { spacing: 0.05, damping_time: 2e-3, ..MpmOptions::default() };
    let law = contact_pool("lagged").map_err(fail)?;
    let mut s = MpmSystem::new(p, rubber(1e5, 0.3)?, vec![], vec![floor], law, options).map_err(fail)?;
    let (mut force, dt) = (Vec::new(), 4e-4);
    walk(&mut s, |_, _| Ok(dt), 0.6, |t, _, s| force.push((t, -s.impulses()[0][0].z / dt)))?;
    Ok(force)
}

/// A rubber cube that meets a ball, which flies and turns.
fn meeting() -> Result<(Particles, Obstacle, MpmOptions), PageError> {
    let mut p = Particles::default();
    for n in 0..125usize {
        let k = Vector3::new((n / 25) as f64, (n / 5 % 5) as f64, (n % 5) as f64) * 0.025;
        p.push(k - Vector3::new(0.05, 0.05, -0.01), 8e-3, 8e-6, 0);
    }
    let ball = Obstacle {
        velocity: Vector3::new(0.2, 0.1, 0.6),
        angular_velocity: Vector3::new(3.0, -2.0, 8.0),
        ..Obstacle::new(
            "ball",
            Shape::Sphere { radius: 0.06 },
            Isometry3::translation(0.01, 0.0, -0.04),
            surface(1e4, 1.0, 0.7),
        )
    };
    Ok((p, ball, MpmOptions { spacing: 0.04, gravity: Vector3::zeros(), ..MpmOptions::default() }))
}

/// Exchange of the cube and the ball in 60 substeps.
#[derive(Default)]
pub(super) struct Exchange {
    /// Change of momentum \[N·s\] and angular momentum about the world's origin \[N·m·s\] of the particles in a substep beside the impulse of the ball, at most.
    pub(super) worst: [f64; 2],
    /// Impulses of all steps \[N·s\].
    pub(super) given: f64,
    /// Momentum of the particles at most: Σ m (|v| + h |C|) \[N·s\], and each term times |x| + h \[N·m·s\].
    pub(super) carried: [f64; 2],
}

impl Exchange {
    /// Balance of a step between two states of the particles, in which the ball got an impulse and a moment about its origin.
    fn add(
        &mut self,
        h: f64,
        before: &Particles,
        after: &Particles,
        [impulse, moment]: [Vector3<f64>; 2],
        origin: &Vector3<f64>,
    ) {
        // The grid does not move within a step: of particles where they were.
        let there = Particles { x: before.x.clone(), ..after.clone() };
        let change = [
            after.momentum() - before.momentum() + impulse,
            there.angular_momentum(h) - before.angular_momentum(h) + moment + origin.cross(&impulse),
        ];
        let each = |p: usize| after.mass[p] * (after.v[p].norm() + h * after.c[p].norm());
        let carried = [
            (0..after.len()).map(each).sum::<f64>(),
            (0..after.len()).map(|p| each(p) * (before.x[p].norm() + h)).sum::<f64>(),
        ];
        for i in 0..2 {
            self.worst[i] = self.worst[i].max(change[i].norm());
            self.carried[i] = self.carried[i].max(carried[i]);
        }
        self.given += impulse.norm();
    }
}

/// Steps \[s\] of the cube and the ball, and how many.
const EXCHANGE: (f64, usize) = (2e-4, 60);
const TIGHT: Tolerance = Tolerance { relative: 1e-12, max_iterations: 200 };

/// In the plain path.
pub(super) fn exchange() -> Result<Exchange, PageError> {
    let (p, ball, options) = meeting()?;
    let origin = ball.pose.translation.vector;
    let law = contact_pool("lagged").map_err(fail)?;
    let mut s = MpmSystem::new(p, rubber(1e5, 0.3)?, vec![], vec![ball], law, options).map_err(fail)?;
    let mut step = ContactStep::new(MpmSolver::default()).with_tolerance(TIGHT);
    let (mut x, mut next, mut out) = (s.initial_state(), State::default(), Exchange::default());
    let mut before = s.particles(&x).map_err(fail)?;
    for _ in 0..EXCHANGE.1 {
        step.step(&mut s, &x, EXCHANGE.0, false, &mut next).map_err(fail)?;
        std::mem::swap(&mut x, &mut next);
        let after = s.particles(&x).map_err(fail)?;
        out.add(options.spacing, &before, &after, s.impulses()[0], &origin);
        before = after;
    }
    Ok(out)
}

/// In the fast path with 32 bits.
pub(super) fn exchange_fast() -> Result<Exchange, PageError> {
    let (p, ball, options) = meeting()?;
    let origin = ball.pose.translation.vector;
    let law = contact_pool("lagged").map_err(fail)?;
    let mut s = MpmEngine::<f32>::new(p, rubber(1e5, 0.3)?, vec![], vec![ball], law, options)
        .map_err(fail)?
        .with_solver(Box::<MpmSolver>::default(), TIGHT);
    let (mut before, mut out) = (s.particles().clone(), Exchange::default());
    for _ in 0..EXCHANGE.1 {
        s.step(EXCHANGE.0).map_err(fail)?;
        let after = s.particles().clone();
        out.add(options.spacing, &before, &after, s.impulses()[0], &origin);
        before = after;
    }
    Ok(out)
}

/// The rubber that a box hits, and its contact.
#[derive(Clone, Copy)]
pub(super) struct Struck {
    /// Particles on an edge.
    pub(super) along: usize,
    /// Poisson's ratio.
    pub(super) poisson: f64,
    /// Stiffness of the contact of each particle, over E times the distance of particles.
    pub(super) stiffness: f64,
}

impl Struck {
    /// A cube of rubber whose face has 6.4·10⁵ N/m.
    pub(super) fn cube(along: usize) -> Self {
        let count = along as f64;
        Self { along, poisson: 0.3, stiffness: 64.0 * (count - 1.0) / (count * count) }
    }
}

/// Motion of a free box of 2 kg that flies at 1 m/s into a rubber cube of 1 kg without gravity or dissipation.
pub(super) struct Hit {
    /// Speed \[m/s\] over time.
    pub(super) speed: Vec<(f64, f64)>,
    /// Change of the momentum of both \[N·s\].
    pub(super) drift: f64,
    /// Speed with which they part over that with which they met.
    pub(super) restitution: f64,
}

/// Substeps of `substep` \[s\], so many to a step of the box.
pub(super) fn hit(substeps: u32, substep: f64, end: f64, struck: Struck) -> Result<Hit, PageError> {
    let Struck { along, poisson, stiffness } = struck;
    type Coupled = Asynchronous<EnginePoints<f64>, ContactStep<IcfSolver>>;
    let text = "<mujoco><option gravity='0 0 0'/><worldbody><body pos='-.121 0 0'><freejoint/>\
        <geom type='box' size='.07 .07 .07' mass='2'/></body></worldbody></mujoco>";
    let scene = Scene::from_mjcf(text, "box.xml", &LoadOptions::default()).map_err(fail)?;
    let mut p = Particles::default();
    let (count, apart) = (along.pow(3), 0.1 / (along - 1) as f64);
    for n in 0..count {
        let k = Vector3::new((n / along / along) as f64, (n / along % along) as f64, (n % along) as f64);
        p.push(k * apart - Vector3::repeat(0.05), 1.0 / count as f64, 1e-3 / count as f64, 0);
    }
    let contact = surface(stiffness * 1e5 * apart, 0.0, 0.0);
    let obstacles = obstacles(&scene, &[0], contact).map_err(fail)?;
    let options = MpmOptions { spacing: 2.002 * apart, gravity: Vector3::zeros(), ..MpmOptions::default() };
    let law = || contact_pool("lagged").map_err(fail);
    let tight = Tolerance { relative: 1e-12, max_iterations: 200 };
    let points = MpmEngine::<f64>::new(p, rubber(1e5, poisson)?, vec![], obstacles, law()?, options)
        .map_err(fail)?
        .with_solver(Box::new(MpmSolver::default()), tight);
    let mut rigid = RigidSystem::new(&scene, &*law()?, RigidOptions::default()).map_err(fail)?;
    let mut y = rigid.initial_state(None).map_err(fail)?;
    let rigid_step = ContactStep::new(IcfSolver::default()).with_tolerance(tight);
    let mut c = Coupled::new(&scene, &[0], points, rigid, rigid_step, substeps)
        .map_err(fail)?
        .with_moving_bodies(false);
    y.v[0] = 1.0;
    let dt = f64::from(substeps) * substep;
    let mut speed = vec![(0.0, 1.0)];
    for k in 1..=(end / dt).round() as u32 {
        c.step(&mut (), &mut y, dt).map_err(fail)?;
        speed.push((f64::from(k) * dt, y.v[0]));
    }
    let cube = c.points_mut().engine_mut().particles().momentum();
    let total = cube + 2.0 * Vector3::new(y.v[0], y.v[1], y.v[2]) - Vector3::new(2.0, 0.0, 0.0);
    Ok(Hit { speed, drift: total.norm(), restitution: cube.x - y.v[0] })
}
