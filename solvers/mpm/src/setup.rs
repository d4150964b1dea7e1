use signorini_core::na::{Matrix3, Vector3};
use signorini_core::{LawPool, ProblemError};

use crate::cloth::Cloth;
use crate::error::{MpmError, value};
use crate::material::Material;
use crate::obstacle::{Border, Obstacle, Wall};
use crate::particles::Particles;

/// Settings of an [`crate::MpmSystem`] or [`crate::MpmEngine`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MpmOptions {
    /// h: spacing of the grid \[m\], > 0. Solids want about eight particles in a cell: with one or two, a body that stretches comes more than a cell apart and tears, whatever the material.
    pub spacing: f64,
    /// \[m/s²\].
    pub gravity: Vector3<f64>,
    /// Time in which the symmetric part of affine velocities fades to 1/e \[s\]; none fades where it is infinite. It damps strain rates, whatever the step, and keeps momenta.
    pub damping_time: f64,
    /// τ: time in which differences between the velocities of particles and those of the field fade to 1/e \[s\], ≥ 0. With 0 none is left after a step, as published (affine transfers), so that the motion that the field does not show is lost by the step, not by the second. Momentum is kept with any τ. Angular momentum is kept with 0 alone: places go with the field, so that bodies that turn and vibrate lose it, whatever the step.
    pub transfer_time: f64,
    /// Part of the time in which the fastest wave crosses a cell that a step may take, > 0.
    pub courant: f64,
}

impl Default for MpmOptions {
    fn default() -> Self {
        Self {
            spacing: 0.01,
            gravity: Vector3::new(0.0, 0.0, -9.81),
            damping_time: f64::INFINITY,
            transfer_time: 0.0,
            courant: 0.5,
        }
    }
}

impl MpmOptions {
    /// Part of the differences between particles and field that a step of `dt` \[s\] leaves, e^(−δt/τ).
    pub(crate) fn kept(&self, dt: f64) -> f64 {
        if self.transfer_time > 0.0 { (-dt / self.transfer_time).exp() } else { 0.0 }
    }
}

/// Reach of the grid, in spacings: nodes are counted in 32 bits.
pub(crate) const FARTHEST: f64 = 1e9;

/// Most materials: the engine counts them in a byte.
const MATERIALS: usize = 255;

/// Fails on settings with which no step is possible.
pub(crate) fn check(
    particles: &Particles,
    materials: &[Box<dyn Material>],
    walls: &[Wall],
    obstacles: &[Obstacle],
    law: &dyn LawPool,
    options: &MpmOptions,
) -> Result<(), MpmError> {
    value("the spacing of the grid", options.spacing, options.spacing > 0.0, "m > 0")?;
    value("the part of the step limit", options.courant, options.courant > 0.0, "a number > 0")?;
    if options.damping_time.is_nan() || options.damping_time <= 0.0 {
        value("the damping time", options.damping_time, false, "s > 0, or infinity")?;
    }
    let time = options.transfer_time;
    value("the transfer time", time, time >= 0.0, "s ≥ 0")?;
    for (i, g) in options.gravity.iter().enumerate() {
        value(format!("gravity along axis {i}"), *g, true, "a finite number")?;
    }
    let lists = [
        ("velocities", particles.v.len()),
        ("affine velocities", particles.c.len()),
        ("gradients", particles.f.len()),
        ("memories", particles.memory.len()),
        ("masses", particles.mass.len()),
        ("volumes", particles.volume.len()),
        ("factors", particles.factor.len()),
        ("materials", particles.material.len()),
    ];
    for (what, count) in lists {
        let same = count == particles.x.len();
        value(format!("the number of {what} of particles"), count as f64, same, "as many as places")?;
    }
    for p in 0..particles.len() {
        let (m, v, number) = (particles.mass[p], particles.volume[p], particles.material[p]);
        let bad = |x: f64, within: bool| !(within && x.is_finite());
        if bad(m, m > 0.0) {
            value(format!("the mass of particle {p}"), m, false, "kg > 0")?;
        }
        if bad(v, v > 0.0) {
            value(format!("the volume of particle {p}"), v, false, "m³ > 0")?;
        }
        let factor = particles.factor[p];
        if bad(factor, factor > 0.0) {
            value(format!("the factor of particle {p}"), factor, false, "a number > 0")?;
        }
        if number == Particles::BARE && factor != 1.0 {
            value(format!("the factor of particle {p}, which is of no material,"), factor, false, "1")?;
        }
        if number != Particles::BARE && number as usize >= materials.len() {
            return Err(MpmError::Material { particle: p, material: number, count: materials.len() });
        }
        let numbers = particles.x[p].iter().chain(particles.v[p].iter());
        let numbers = numbers.chain(particles.c[p].iter()).chain(particles.f[p].iter());
        let mut numbers = numbers.chain([&particles.memory[p]]);
        if let Some(x) = numbers.find(|x| !x.is_finite()) {
            value(format!("a coordinate of particle {p}"), *x, false, "finite numbers")?;
        }
        let det = particles.f[p].determinant();
        if bad(det, det > 0.0 || number == Particles::BARE) {
            value(format!("det F of particle {p}"), det, false, "a gradient with det F > 0")?;
        }
    }
    let far = |x: &Vector3<f64>| x.amax() > FARTHEST * options.spacing;
    if let Some(particle) = particles.x.iter().position(far) {
        return Err(MpmError::Outside { particle, distance: particles.x[particle].norm() });
    }
    if materials.len() > MATERIALS {
        value("the number of materials", materials.len() as f64, false, "up to 255")?;
    }
    for w in walls {
        for (i, x) in w.point.iter().enumerate() {
            value(format!("coordinate {i} of a wall's point"), *x, true, "m, a finite number")?;
        }
        if let Border::Rubbing { friction } = w.border {
            value("the friction of a wall", friction, friction >= 0.0, "a number ≥ 0")?;
        }
        value("the length of a wall's normal", w.normal.norm(), (w.normal.norm() - 1.0).abs() < 1e-9, "1")?;
    }
    for (i, m) in materials.iter().enumerate() {
        let modulus = m.wave_modulus();
        value(format!("λ + 2μ of material {i}"), modulus, modulus >= 0.0, "Pa ≥ 0, from finite constants")?;
        for (which, eta) in ["shear", "volume"].iter().zip(m.viscosity()) {
            value(format!("the viscosity of {which} of material {i}"), eta, eta >= 0.0, "Pa·s ≥ 0")?;
        }
        m.check().map_err(|e| e.of(&format!("material {i} ({})", m.name())))?;
    }
    if law.dim() != 3 {
        let rows = law.dim() as f64;
        value(
            format!("the number of rows of the law '{}'", law.key()),
            rows,
            false,
            "a law with three, and friction of zero in the materials of obstacles for contact without",
        )?;
    }
    obstacles.iter().try_for_each(check_obstacle)
}

fn check_obstacle(o: &Obstacle) -> Result<(), MpmError> {
    let of = |what: &str| format!("{what} of obstacle '{}'", o.name);
    if let Some(size) = o.shape.wrong_size() {
        value(of(&format!("a size of the {}", o.shape.name())), size, false, "m > 0")?;
    }
    o.shape.check_solid().map_err(|why| MpmError::Shape { name: of("the shape"), why: why.to_string() })?;
    if let Err(ProblemError::Material { field, value: x, range, .. }) = o.material.check(0) {
        value(of(field), x, false, range)?;
    }
    check_friction(o)
}

fn check_friction(o: &Obstacle) -> Result<(), MpmError> {
    let wrong = o.friction_with.iter().find(|f| !(f.1 >= 0.0 && f.1.is_finite()));
    wrong.map_or(Ok(()), |(m, f)| {
        value(format!("the friction of obstacle '{}' with material {m}", o.name), *f, false, "a number ≥ 0")
    })
}

/// Fails on places and velocities of obstacles that are not finite, and on materials that cannot be: they may have been changed since.
pub(crate) fn check_motion(obstacles: &[Obstacle]) -> Result<(), ProblemError> {
    let finite = |o: &Obstacle| {
        let place = o.pose.translation.vector.iter().chain(o.pose.rotation.coords.iter());
        place.chain(o.velocity.iter()).chain(o.angular_velocity.iter()).all(|x| x.is_finite())
    };
    if let Some((o, size)) = obstacles.iter().find_map(|o| o.shape.wrong_size().map(|size| (o, size))) {
        return Err(ProblemError::Unsupported(format!(
            "a size of the {} of obstacle '{}' is {size} m; give it one > 0",
            o.shape.name(),
            o.name
        )));
    }
    match obstacles.iter().find(|o| !finite(o)) {
        Some(o) => Err(ProblemError::Unsupported(format!(
            "the pose or velocity of obstacle '{}' is not finite; give it finite ones",
            o.name
        ))),
        None => obstacles.iter().try_for_each(|o| {
            let named = |e| ProblemError::Unsupported(format!("obstacle '{}': {e}", o.name));
            o.material.check(0).map_err(named)?;
            check_friction(o).map_err(|e| ProblemError::Unsupported(e.to_string()))
        }),
    }
}

/// Most steps in one go.
const MOST_STEPS: f64 = 1e6;

/// Number of steps of at most `longest` \[s\] that make `dt` \[s\].
///
/// # Errors
/// A time that is not positive, and more than a million of them.
pub fn steps_within(dt: f64, longest: f64) -> Result<f64, ProblemError> {
    if !(dt > 0.0 && dt.is_finite()) {
        return Err(ProblemError::StepSize { dt });
    }
    let count = (dt / longest).ceil().max(1.0);
    if count <= MOST_STEPS {
        return Ok(count);
    }
    Err(ProblemError::Unsupported(format!(
        "{dt:.3e} s takes {count:.1e} steps of {longest:.3e} s, more than {MOST_STEPS:.0e}: a particle runs away, or a material is that stiff"
    )))
}

/// Fails on cloth of other particles than those of its own alone.
pub(crate) fn check_cloth(particles: &Particles, before: &[Cloth], cloth: &Cloth) -> Result<(), MpmError> {
    let bare = |p: usize| particles.material.get(p) == Some(&Particles::BARE);
    let taken = |p: usize| before.iter().any(|c| c.particles().contains(&p));
    let Some(p) = cloth.particles().find(|p| !bare(*p) || taken(*p)) else { return Ok(()) };
    let what = format!("particle {p} is not one of this cloth alone, of {}", particles.len());
    let remedy = "make the system with the particles that it was made on, and give it once";
    Err(MpmError::Cloth { what, remedy })
}

/// |FᵀF|_∞, at least the square of the largest stretch and one for rotations: how much waves are carried along.
pub(crate) fn stretch(f: &Matrix3<f64>) -> f64 {
    (f.transpose() * f).abs().row_sum().max()
}

/// √((λ + 2μ)/ρ) of the wave in an undeformed material \[m/s\], and 4 max(2η, 3ζ)/(ρ h²), the rate at which viscosity takes the fastest motion of a grid of spacing h \[1/s\], of a volume for each mass 1/ρ \[m³/kg\], times the factor of stresses if there is one.
///
/// Velocities of nodes make D at a particle with |D|² ≤ (4/h²) Σ w |v|² (Bessel's inequality: Σ w r rᵀ = h²/4), so that V (2η |dev D|² + ζ (tr D)²) is at most 4 max(2η, 3ζ)/(ρ h²) Σ w m |v|².
pub fn rates(material: &dyn Material, per_mass: f64, spacing: f64) -> [f64; 2] {
    let [shear, bulk] = material.viscosity();
    let wave = (per_mass * material.wave_modulus()).sqrt();
    [wave, 4.0 * per_mass * (2.0 * shear).max(3.0 * bulk) / (spacing * spacing)]
}

/// The longest step \[s\] where the fastest wave, carried along, has this speed \[m/s\], bending vibrates no faster than this \[rad/s\] and viscosity takes motion no faster than this \[1/s\]: one after the other, as the sum of both takes.
///
/// ```text
/// 1/δt = √((c/h)² + (ω/2)²)/C + 4 max(2η, 3ζ)/(ρ h²)
/// ```
pub(crate) fn longest_step(options: &MpmOptions, speed: f64, bending: f64, viscous: f64) -> f64 {
    let fastest = (speed / options.spacing).hypot(0.5 * bending);
    let rate = fastest / options.courant + viscous;
    if rate > 0.0 { 1.0 / rate } else { f64::INFINITY }
}

/// Fails on a step that is longer than the limit \[s\].
pub(crate) fn check_step(dt: f64, limit: f64) -> Result<(), ProblemError> {
    if dt <= limit {
        return Ok(());
    }
    let why = format!("waves, particles, viscosity and bending allow {limit:.3e} s on this grid; shorten it");
    Err(ProblemError::StepTooLong { dt, why })
}
